"""A toy game whose best weights are known: a move has two numbers, a and b, and earns 3 a - 2 b points."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from veggies_sim.core.candidates import Candidates, Feature
from veggies_sim.core.game import Game, Keys, Result
from veggies_sim.core.options import Option
from veggies_sim.core.policy import Policy, PolicyKind
from veggies_sim.core.streams import DEAL, uniforms
from veggies_sim.policies.heuristic import Preset, heuristics

TURNS, MOVES = 4, 6
POINTS = np.array([3, -2])


class View(NamedTuple):
    """What a seat sees: the numbers of its moves."""

    seed: np.uint64
    index: np.ndarray
    turn: int
    seat: int
    numbers: np.ndarray  # [G, MOVES, 2]


class Near(Policy):
    """Takes the first move that is as good as `level` of the best."""

    def __init__(self, level: float) -> None:
        self.level = level

    def choose(self, view: View, games: np.ndarray, moves: np.ndarray) -> None:
        points = view.numbers[games] @ POINTS
        low, high = points.min(axis=1, keepdims=True), points.max(axis=1, keepdims=True)
        moves[games, 0] = (points >= low + self.level * (high - low)).argmax(axis=1)


class Weigh(Game):
    """Weigh."""

    id, title, source, behaviour = "weigh", "Weigh", "made up for the tests", 1
    min_players, max_players = 2, 3
    move_fields = ("pick",)
    features = (Feature("a", "earns 3 points each"), Feature("b", "costs 2 points each"))
    policies = (
        *heuristics(features, (Preset("heuristic", "weighs a and b", "made up", {"a": 1}),)),
        PolicyKind("near", "a good move", "made up", lambda game, values: Near(float(values["level"])), (
            Option("level", 0.25, "how good", 0, 1, real=True), Option("mood", 1, "does nothing", 0, 9),
        )),
        PolicyKind("first", "the first move", "made up", lambda game, values: Near(0)),
    )  # fmt: skip
    default_policy = "heuristic"

    def schedule(self) -> Iterable[tuple[int, int]]:
        return [(turn, seat) for turn in range(TURNS) for seat in range(self.players)]

    def new_block(self, keys: Keys) -> dict[str, Any]:
        return {"score": np.zeros((len(keys.game), self.players), np.int64)}

    def view(self, block: dict[str, Any], keys: Keys, turn: int, seat: int) -> View:
        draws = [uniforms(np.uint64(keys.seed), DEAL, seat, keys.deal, 2 * MOVES * turn + k) for k in range(2 * MOVES)]
        block["numbers"] = (10 * np.stack(draws, axis=1)).astype(np.int64).reshape(-1, MOVES, 2)
        return View(np.uint64(keys.policy_seed), keys.game, turn, seat, block["numbers"])

    def candidates(self, view: View, games: np.ndarray) -> Candidates:
        moves = np.tile(np.arange(MOVES, dtype=np.int16), len(games))[:, None]
        return Candidates(moves, MOVES * np.arange(len(games) + 1), view.numbers[games].reshape(-1, 2).astype(np.float32))

    def apply(self, block: dict[str, Any], turn: int, seat: int, moves: np.ndarray, record: bool) -> dict[str, np.ndarray]:
        block["score"][:, seat] += block["numbers"][np.arange(len(moves)), moves[:, 0]] @ POINTS
        return {}

    def result(self, block: dict[str, Any]) -> Result:
        return Result(block["score"])
