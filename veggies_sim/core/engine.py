"""One block of games from deal to result, turn by turn. Knows no game; plays what the game and the policies say.

G games of the block, P seats, T choices of a game. Everything here is plain NumPy; the loops over games are in the
kernels of the game and of the policies.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from veggies_sim.core.game import PLAYED, Array, Game, Keys, Result
from veggies_sim.core.policy import Policy

Tables = dict[str, dict[str, Array]]  # table -> column -> values, row by row


@dataclass(frozen=True)
class Design:
    """What decides the rows of a game apart from game, rules and policies."""

    seed: int
    policy_seed: int
    plays_per_deal: int = 1
    rotate_seats: bool = False

    def keys(self, game: NDArray[np.uint64], players: int) -> Keys:
        """Return the keys of games [G]: with rotation a deal is played once per rotation, and each of these R times."""
        per_deal = self.plays_per_deal * (players if self.rotate_seats else 1)
        return Keys(game, game // np.uint64(per_deal), self.seed, self.policy_seed)


def play_block(
    game: Game, policies: Sequence[Policy], design: Design, first: int, count: int, record: str = "seats"
) -> Tables:
    """Play games first .. first + count - 1 and return their tables; `record` is seats or moves.

    policies [P]: seat s of game i has policies[s], with rotation policies[(s + i) mod P].
    """
    players = game.players
    keys = design.keys(np.arange(first, first + count, dtype=np.uint64), players)
    shift = (keys.game % np.uint64(players)).astype(np.int64) if design.rotate_seats else np.zeros(count, np.int64)
    groups = [np.flatnonzero(shift == k) for k in range(players)] if design.rotate_seats else [np.arange(count)]
    block = game.new_block(keys)
    moves = np.zeros((count, len(game.move_fields)), np.int16)
    recorded: list[dict[str, Array]] = []
    for turn, seat in game.schedule():
        view = game.view(block, keys, turn, seat)
        for k, games in enumerate(groups):
            if len(games):
                policies[(seat + k) % players].choose(view, games, moves)
        columns = game.apply(block, turn, seat, moves, record == "moves")
        if record == "moves":
            recorded.append({"turn": np.full(count, turn, np.uint8), "seat": np.full(count, seat, np.uint8)} | columns)
    result = game.result(block)
    seated = (np.arange(players) + shift[:, None]) % players
    tables = {"seats": _seat_rows(game, keys, result, seated)}
    if record == "moves":
        tables["deals"] = {"game": keys.game, "deal": keys.deal} | result.deals
        tables["moves"] = _move_rows(keys, recorded)
    return tables


def _seat_rows(game: Game, keys: Keys, result: Result, policy: NDArray[np.int64]) -> dict[str, Array]:
    players, count = game.players, len(keys.game)
    win, margin = outcome(result.score, np.array(game.team()), result.tiebreak)
    shared: dict[str, Array] = {
        "game": np.repeat(keys.game, players),
        "deal": np.repeat(keys.deal, players),
        "seat": np.tile(np.arange(players, dtype=np.uint8), count),
        "team": np.tile(np.array(game.team(), np.uint8), count),
        "policy": policy.ravel(),
        "score": result.score.ravel(),
        "win": win.ravel(),
        "margin": margin.ravel(),
    }
    return shared | {name: values.ravel() for name, values in result.seats.items()}


def _move_rows(keys: Keys, recorded: Sequence[dict[str, Array]]) -> dict[str, Array]:
    """Bring the columns [T][G] into row order: game by game, choice by choice."""
    everywhere = np.ones(len(keys.game), bool)
    kept = np.stack([columns.pop(PLAYED, everywhere) for columns in recorded], axis=1)
    used = np.flatnonzero(kept.any(axis=0)).tolist()
    recorded, kept = [recorded[n] for n in used], kept[:, used]
    rows = {name: np.stack([columns[name] for columns in recorded], axis=1)[kept] for name in recorded[0]}
    return {"game": np.repeat(keys.game, kept.sum(axis=1))} | rows


def outcome(score: Array, team: Array, tiebreak: Array | None = None) -> tuple[Array, Array]:
    """Return (win, margin), each [G, P], of score [G, P] and the side of each seat [P].

    The side with the most points wins; among equals the lowest tiebreak; k sides still equal get 1/k each. The margin is
    the own side's points minus the best other side's.
    """
    sides = int(team.max()) + 1
    total = _by_side(score, team, sides)
    best = total == total.max(axis=0)
    if tiebreak is not None:
        ties = np.where(best, _by_side(tiebreak, team, sides), np.iinfo(np.int64).max)
        best &= ties == ties.min(axis=0)
    win = (best / best.sum(axis=0)).astype(np.float32)
    margin = np.empty(total.shape, np.int16)
    for side in range(sides):
        margin[side] = total[side] - np.delete(total, side, axis=0).max(axis=0)
    return win[team].T, margin[team].T


def _by_side(values: Array, team: Array, sides: int) -> Array:
    """Return values [G, P] added up over the members of each side, [sides, G]: games last, which NumPy does faster."""
    total = np.zeros((sides, len(values)), np.int64)
    for seat, side in enumerate(team):
        total[side] += values[:, seat]
    return total
