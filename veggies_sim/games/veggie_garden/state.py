"""The arrays of a block of games, and what a seat may see of them.

Axes: G games of the block, P seats, K = 6 kinds in the order of `board.KINDS`, D cards that a game may draw.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from veggies_sim.games.veggie_garden.tables import Tables

SLOT, ACTION, A, B = range(4)  # fields of a move; at turn 0 only A counts: the groundhog's first place
LAST = 7  # the turn of the last pick
CELLS, POSTS, SLOTS = 16, 12, 4
DEALT = 2  # secret cards of each hand at the start
MOST_FOURS = 64  # times that four of a kind are replaced in a game; then they stay
MOST_REPLANTED = 24  # cards that tomatoes discard: four seats, six turns
BUNNY = 0  # points of the bunny's post


class Rules(NamedTuple):
    """Rule values as numbers, for kernels."""

    bonus: int  # points for holding all kinds in play
    reshuffle: bool  # the discards become a new deck
    pepper_moves_bunny: bool


class View(NamedTuple):
    """What one seat sees when it chooses: no deck, and of the other hands what everybody saw go in and out."""

    seed: np.uint64  # root of the policy streams
    index: NDArray[np.uint64]  # type: ignore[assignment]  # [G] number of each game
    turn: int  # 0 for the groundhog's first place, 1..6, 7 for the last pick
    seat: int
    hand: NDArray[np.int8]  # [G, K] the seat's own cards of each kind
    cell: NDArray[np.int8]  # [G, 16] kind of each garden card
    post: NDArray[np.int8]  # [G, 12] points of each post, 0 for the bunny's
    bunny: NDArray[np.int8]  # [G] the bunny's post, -1 for none
    hog: NDArray[np.int8]  # [G] the groundhog's cell, -1 for none
    slot: NDArray[np.int8]  # [G, 4] kind in each harvest slot, -1 for an empty one
    taken: NDArray[np.int8]  # [G, P, K] cards that each seat took less those it gave: its hand but for the two it was dealt
    discard: NDArray[np.int16]  # [G, K] cards in the discards
    out: NDArray[np.int8]  # [G] the kind that is not in play
    tables: Tables
    rules: Rules


class Block:
    """The whole state of a block of games, hidden cards included. Only the engine of the game reads it."""

    def __init__(self, games: int, players: int, cards: int) -> None:
        room = cards + MOST_REPLANTED + SLOTS * MOST_FOURS
        self.deck = np.full((games, room), -1, np.int8)  # kinds: the first deck, then every reshuffled one
        self.first = np.zeros(games, np.int16)  # cards of the first deck
        self.top = np.zeros(games, np.int16)  # cards drawn: the next one
        self.end = np.zeros(games, np.int16)  # cards that `deck` holds
        self.shuffles = np.zeros(games, np.int16)
        self.fours = np.zeros(games, np.int16)  # times that four of a kind were replaced
        self.discard = np.zeros((games, 6), np.int16)
        self.cell = np.zeros((games, CELLS), np.int8)
        self.post = np.zeros((games, POSTS), np.int8)
        self.bunny = np.full(games, -1, np.int8)
        self.hog = np.full(games, -1, np.int8)
        self.slot = np.full((games, SLOTS), -1, np.int8)
        self.hand = np.zeros((games, players, 6), np.int8)
        self.taken = np.zeros((games, players, 6), np.int8)
        self.out = np.zeros(games, np.int8)
        self.deals = np.zeros(games, np.uint64)  # number of each game's deal, and the seed: discards may be shuffled again
        self.seed = np.uint64(0)
        self.first_post = self.post  # as dealt, for the record
        self.first_bunny = self.bunny
        self.first_hog = self.hog

    def piles(self) -> Piles:
        """Return what drawing changes, for kernels."""
        return Piles(self.deck, self.top, self.end, self.shuffles, self.fours, self.discard, self.slot)


class Piles(NamedTuple):
    """What drawing cards changes; see `Block`."""

    deck: NDArray[np.int8]
    top: NDArray[np.int16]
    end: NDArray[np.int16]
    shuffles: NDArray[np.int16]
    fours: NDArray[np.int16]
    discard: NDArray[np.int16]
    slot: NDArray[np.int8]
