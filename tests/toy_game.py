"""A toy game that shows how little a plug-in needs: each player draws five numbered cards, the highest sum wins."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from veggies_sim.core.game import Column, Game, Keys, Result
from veggies_sim.core.options import Option, Value
from veggies_sim.core.policy import Policy, PolicyKind
from veggies_sim.core.streams import CHOICE, shuffle, uniform


class View(NamedTuple):
    """What a seat sees: nothing but its place; the cards are face down."""

    seed: np.uint64
    index: np.ndarray
    turn: int
    seat: int
    left: int


class Blind(Policy):
    """Picks any of the cards that are left."""

    def choose(self, view: View, games: np.ndarray, moves: np.ndarray) -> None:
        for g in games:
            moves[g, 0] = int(uniform(view.seed, CHOICE, view.seat, view.index[g], view.turn) * view.left)


def _build(game: Game, values: Mapping[str, Value]) -> Policy:
    return Blind()


class HighSum(Game):
    """High sum."""

    id, title, source, behaviour = "high-sum", "High Sum", "made up for the tests", 1
    min_players, max_players = 2, 4
    move_fields = ("pick",)
    rule_options = (Option("cards", 40, "cards in the deck, numbered from 1", 20, 200),)
    policies = (PolicyKind("blind", "any card that is left", "made up", _build),)
    default_policy = "blind"
    seat_columns = (Column("best_card", "u1", "highest card drawn"),)
    move_columns = (Column("card", "u1", "number of the card drawn"),)

    def schedule(self) -> Iterable[tuple[int, int]]:
        return [(turn, seat) for turn in range(5) for seat in range(self.players)]

    def new_block(self, keys: Keys) -> dict[str, Any]:
        deck = np.tile(np.arange(1, int(self.rules["cards"]) + 1, dtype=np.int16), (len(keys.deal), 1))
        for cards, deal in zip(deck, keys.deal, strict=True):
            shuffle(cards, np.uint64(keys.seed), deal)
        return {"deck": deck, "drawn": np.zeros((len(deck), self.players, 5), np.int16)}

    def view(self, block: dict[str, Any], keys: Keys, turn: int, seat: int) -> View:
        left = int(self.rules["cards"]) - turn * self.players - seat
        return View(np.uint64(keys.policy_seed), keys.game, turn, seat, left)

    def apply(self, block: dict[str, Any], turn: int, seat: int, moves: np.ndarray, record: bool) -> dict[str, np.ndarray]:
        deck, rows = block["deck"], np.arange(len(moves))
        last = deck.shape[1] - 1 - turn * self.players - seat
        card = deck[rows, moves[:, 0]].copy()
        deck[rows, moves[:, 0]] = deck[:, last]
        block["drawn"][:, seat, turn] = card
        return {"card": card.astype(np.uint8)} if record else {}

    def result(self, block: dict[str, Any]) -> Result:
        return Result(block["drawn"].sum(axis=2), seats={"best_card": block["drawn"].max(axis=2)})
