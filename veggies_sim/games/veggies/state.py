"""The arrays of a block of games, and what a seat may see of them.

Axes: G games of the block, P seats, K cards of a full stand, R ramp places, C cards of the deck, F different faces,
5 goods in the order of `deck.GOODS`, 6 spaces of a face row by row.

A stand is kept as the list of its placed cards, not as a board: the list is tiny (so that thousands of games stay in
the processor's cache), has no edge that a long straight stand could overflow, and is what a recorded move says anyway.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from veggies_sim.games.veggies.deck import CODE, Deck, Face, rotate

SOURCE, ROTATION, ROW, COL = range(4)  # fields of a move; source 0 is the hand, i the ramp place i
CARD = 0  # first field of a placed card: its face; the other three are those of the move
PAIR_GOODS, PAIR_GROUPS = 0, 1


class Rules(NamedTuple):
    """Rule values as numbers, for kernels."""

    stand_size: int  # cards of a full stand, the start card included
    rat_penalty: int  # points lost for each visible rat
    announced: int  # goods that each seat announces
    pair: int  # PAIR_GOODS or PAIR_GROUPS, read where two are announced


class Faces(NamedTuple):
    """The deck's faces, known to everybody."""

    symbols: NDArray[np.uint8]  # [F, 4, 6] codes of the face after 0..3 quarter turns clockwise, row by row
    turns: NDArray[np.int16]  # [F] rotations that look different: 2 where a half-turn changes nothing, else 4
    slots: NDArray[np.int16]  # [C] face of each card of the unshuffled deck


class View(NamedTuple):
    """What one seat sees when it chooses: no deck, no other hand, no later draw (and no other start card)."""

    seed: np.uint64  # root of the policy streams
    index: NDArray[np.uint64]  # type: ignore[assignment]  # [G] number of each game
    turn: int  # 0 for the start card, then 1..K-1
    seat: int
    hand: NDArray[np.int16]  # [G, 2] the seat's own faces: both at turn 0, later the held one and -1
    ramp: NDArray[np.int16]  # [G, R] faces on the ramp
    placed: NDArray[np.int16]  # [G, P, K, 4] face, rotation, row, col of the cards laid; [G, P, 0, 4] at turn 0
    faces: Faces
    rules: Rules


class Block:
    """The whole state of a block of games, hidden cards included. Only the engine of the game reads it."""

    def __init__(self, games: int, players: int, ramp_size: int, faces: Faces, rules: Rules) -> None:
        cards, size = len(faces.slots), rules.stand_size
        self.faces, self.rules = faces, rules
        self.order = np.empty((games, cards), np.int16)  # slots of the shuffled deck, from the top
        self.hand = np.full((games, players, 2), -1, np.int16)  # faces
        self.ramp = np.empty((games, ramp_size), np.int16)  # faces
        self.placed = np.full((games, players, size, 4), -1, np.int16)
        self.unseen = np.empty((games, players, 0, 4), np.int16)
        self.summary = np.zeros((games, players, SUMMARY), np.int32)  # of each stand
        self.summarised = [0] * players  # cards of each seat's stands that `summary` knows


# Fields of a stand's summary: per good the largest group, the second largest and the number of groups; then the rats,
# and the sets of goods that its owner may announce (bits over `scoring.MASKS`).
LARGEST, SECOND, GROUPS, RATS, SETS, SUMMARY = 0, 5, 10, 15, 16, 17


def as_faces(deck: Deck) -> Faces:
    """Return the deck's faces as arrays."""
    symbols = np.array([[_codes(rotate(card.face, turn)) for turn in range(4)] for card in deck.cards], np.uint8)
    same = (symbols[:, 0] == symbols[:, 2]).all(axis=1)
    return Faces(symbols, np.where(same, 2, 4).astype(np.int16), np.array(deck.slots, np.int16))


def _codes(face: Face | tuple[tuple[str, ...], ...]) -> list[int]:
    return [CODE[word] for row in face for word in row]
