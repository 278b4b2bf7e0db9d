"""A toy game of skill: as High Sum, but the cards lie open, and `peek` takes the best of as many as its budget looks at."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from toy_game import HighSum

from veggies_sim.core.game import Game, Keys
from veggies_sim.core.options import Option, Value
from veggies_sim.core.policy import Policy, PolicyKind
from veggies_sim.core.streams import CHOICE, uniform


class View(NamedTuple):
    """What a seat sees: all cards that are left."""

    seed: np.uint64
    index: np.ndarray
    turn: int
    seat: int
    left: int
    deck: np.ndarray


class Peek(Policy):
    """Looks at some cards, drawn with replacement, and takes the highest."""

    def __init__(self, budget: int) -> None:
        self.budget = budget

    def choose(self, view: View, games: np.ndarray, moves: np.ndarray) -> None:
        for g in games:
            draws = [uniform(view.seed, CHOICE, view.seat, view.index[g], 64 * view.turn + k) for k in range(self.budget)]
            moves[g, 0] = max((int(draw * view.left) for draw in draws), key=lambda place: view.deck[g, place])


class Drop(Policy):
    """Takes the lowest card."""

    def choose(self, view: View, games: np.ndarray, moves: np.ndarray) -> None:
        moves[games, 0] = view.deck[games, : view.left].argmin(axis=1)


def _peek(game: Game, values: Mapping[str, Value]) -> Policy:
    return Peek(int(values["budget"]))


def _drop(game: Game, values: Mapping[str, Value]) -> Policy:
    return Drop()


class OpenSum(HighSum):
    """Open sum; four players play as two teams."""

    id, title = "open-sum", "Open Sum"
    policies = (
        PolicyKind("peek", "the best of some cards", "made up", _peek, (
            Option("budget", 1, "cards to look at", 1, 64), Option("mood", "calm", "does nothing", words=("calm", "wild")),
            Option("care", 0.5, "does nothing", 0, 1, real=True),
        )),
        PolicyKind("drop", "the lowest card", "made up", _drop),
    )  # fmt: skip
    default_policy = "peek"

    def team(self) -> list[int]:
        return [0, 1, 0, 1] if self.players == 4 else super().team()

    def view(self, block: dict[str, Any], keys: Keys, turn: int, seat: int) -> View:
        return View(*super().view(block, keys, turn, seat), block["deck"])
