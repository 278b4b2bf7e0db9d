"""Games and policies that each break one promise of the contract, made of the toy game; and two honest games."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np
from toy_game import Blind, HighSum, View

from veggies_sim.core.game import PLAYED, Array, Column, Keys, Result, Step
from veggies_sim.core.options import Option


class DrawsElsewhere(Blind):
    """Draws from a stream that is not the game's."""

    def choose(self, view: View, games: Array, moves: Array) -> None:
        moves[games, 0] = np.random.randint(0, view.left, len(games))


class FollowsTheFirst(Blind):
    """Does in every game what it does in the first one of the block."""

    def choose(self, view: View, games: Array, moves: Array) -> None:
        moves[games, 0] = int(view.index[0]) % view.left


class Remembers(Blind):
    """Counts its turns and chooses by that."""

    turns = 0

    def choose(self, view: View, games: Array, moves: Array) -> None:
        self.turns += 1
        moves[games, 0] = self.turns % view.left


class WritesEverywhere(Blind):
    """Writes moves of games it was not asked for."""

    def choose(self, view: View, games: Array, moves: Array) -> None:
        moves[:, 0] = 0


class ShowsFirst(HighSum):
    """Honest: records the deck's first card. The bad games below differ in one thing each."""

    deal_columns: Sequence[Column] = (Column("first", "u1", "number of the first card"),)

    def result(self, block: dict[str, Any]) -> Result:
        ended = super().result(block)
        ended.deals["first"] = block["first"]
        return ended

    def new_block(self, keys: Keys) -> dict[str, Any]:
        block = super().new_block(keys)
        return block | {"first": block["deck"][:, 0].copy()}


class EndsEven(ShowsFirst):
    """Honest: everybody gets one point and a share of the win."""

    def result(self, block: dict[str, Any]) -> Result:
        ended = super().result(block)
        ended.score = np.ones_like(ended.score)
        return ended


class DealsByPolicySeed(ShowsFirst):
    def new_block(self, keys: Keys) -> dict[str, Any]:
        return super().new_block(Keys(keys.game, keys.deal, keys.policy_seed, keys.policy_seed))


class DealsByGame(ShowsFirst):
    def new_block(self, keys: Keys) -> dict[str, Any]:
        return super().new_block(Keys(keys.game, keys.game, keys.seed, keys.policy_seed))


class IgnoresTheSeed(ShowsFirst):
    def new_block(self, keys: Keys) -> dict[str, Any]:
        return super().new_block(Keys(keys.game, keys.deal, 1, keys.policy_seed))


class ChangesWhenRecorded(ShowsFirst):
    def apply(self, block: dict[str, Any], turn: int, seat: int, moves: Array, record: bool) -> dict[str, Array]:
        return super().apply(block, turn, seat, moves * (not record), record)


class LeavesOut(ShowsFirst):
    """Honest: the second seat's third choice is no row."""

    skips = True

    def apply(self, block: dict[str, Any], turn: int, seat: int, moves: Array, record: bool) -> dict[str, Array]:
        columns = super().apply(block, turn, seat, moves, record)
        return columns | {PLAYED: np.full(len(moves), (turn, seat) != (2, 1))} if record else columns


class SkipsUnsaid(LeavesOut):
    skips = False


class HidesAColumn(ShowsFirst):
    deal_columns = ()


class HasNoWordForIt(ShowsFirst):
    deal_columns = (Column("first", "text", "name of the first card", ("ace", "two")),)


class LeavesAGap(ShowsFirst):
    def team(self) -> list[int]:
        return [0, *range(2, self.players + 1)]


class DefaultOutOfRange(ShowsFirst):
    rule_options = (Option("cards", 40, "cards in the deck", 50, 200),)


class RunsOutOfCards(ShowsFirst):
    rule_options = (Option("cards", 40, "cards in the deck", 5, 200),)


class TellsTheTime(ShowsFirst):
    def steps(self, record: Any) -> list[Step]:
        return [*super().steps(record), Step("the end", str(time.perf_counter()), "<svg/>")]
