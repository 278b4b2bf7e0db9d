"""Toy games for the analyses: one tells scores and choices during a game, one is decided by the deal alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from toy_game import HighSum, View

from veggies_sim.core.game import Column, Game
from veggies_sim.core.options import Value
from veggies_sim.core.policy import Policy, PolicyKind


class ToldSum(HighSum):
    """As High Sum, with `score_now` from the second turn on and `choices`; four players play as two teams."""

    id, title = "told-sum", "Told Sum"
    move_columns = (
        *HighSum.move_columns, Column("score_now", "i2", "sum so far", null=-1), Column("choices", "u4", "cards that were left")
    )  # fmt: skip

    def team(self) -> list[int]:
        return [0, 1, 0, 1] if self.players == 4 else super().team()

    def apply(self, block: dict[str, Any], turn: int, seat: int, moves: np.ndarray, record: bool) -> dict[str, np.ndarray]:
        columns = super().apply(block, turn, seat, moves, record)
        if not record:
            return columns
        now = block["drawn"][:, seat].sum(axis=1) if turn else np.full(len(moves), -1)
        left = int(self.rules["cards"]) - turn * self.players - seat
        return columns | {"score_now": now.astype(np.int16), "choices": np.full(len(moves), left, np.uint32)}


class Top(Policy):
    """Takes the card on top."""

    def choose(self, view: View, games: np.ndarray, moves: np.ndarray) -> None:
        moves[games, 0] = 0


def _top(game: Game, values: Mapping[str, Value]) -> Policy:
    return Top()


class DealtSum(HighSum):
    """As High Sum, but with `top` all is in the deal."""

    id, title = "dealt-sum", "Dealt Sum"
    policies = (PolicyKind("top", "the card on top", "made up", _top), *HighSum.policies)
    default_policy = "top"
