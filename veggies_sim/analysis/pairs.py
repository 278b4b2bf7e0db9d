"""Two runs side by side: the deals on which they are compared, their sums, and how many games ended otherwise.

Runs with the same seed play the same deals: deal by deal the cards come in the same order. Only deals of which both hold
games are used then, and since they are in the same group of sums in both runs, whatever the runs have in common cancels
in the groups' differences. G groups of deals (see `sums`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import polars as pl

from veggies_sim.analysis.estimates import LEAST_DEALS, check_size
from veggies_sim.analysis.metrics import SHARE, Metric, ratio, summed
from veggies_sim.analysis.sums import Change, N, Sums, group_frame
from veggies_sim.core.dataset import Run
from veggies_sim.core.errors import InputError
from veggies_sim.core.manifest import deals_of, spans

Stretches = list[tuple[int, int]]  # (first, count) of each, in order
STEP = 300_000  # games whose rows are held side by side at a time
CHANGED = Metric("changed", "games that end otherwise", SHARE, "share of games in which any outcome of any seat differs",
                 (pl.col("changed"), pl.lit(1.0)))  # fmt: skip


class Common(NamedTuple):
    """What two runs are compared on."""

    paired: bool  # the same deals
    same_games: bool  # game by game: the same numbers mean the same deals
    games: tuple[Stretches, Stretches]  # the games that are used of each run
    deals: tuple[int, int]  # how many deals these are


def common(base: Run, other: Run, labels: Sequence[str]) -> Common:
    """Return what two runs are compared on. Raises InputError where they can't be compared, or share too few deals."""
    for what, *values in (("game", base.game.id, other.game.id), ("players", base.game.players, other.game.players)):
        if values[0] != values[1]:
            raise InputError(
                f"{labels[0]} and {labels[1]} can't be compared: {what} {values[0]} and {values[1]}. "
                f"Give datasets of one game and number of players."
            )
    if base.manifest.seed != other.manifest.seed:
        check_size(base)
        check_size(other)
        return Common(False, False, (base.held, other.held), (base.deal_count, other.deal_count))
    sizes = base.games_per_deal, other.games_per_deal
    if sizes[0] == sizes[1]:
        both = _overlap(base.held, other.held)
        games, deals = (both, both), _count(deals_of(both, sizes[0]))
    else:
        both = _overlap(deals_of(base.held, sizes[0]), deals_of(other.held, sizes[1]))
        games = tuple([(first * size, count * size) for first, count in both] for size in sizes)  # type: ignore[assignment]
        deals = _count(both)
    if deals < LEAST_DEALS:
        raise InputError(
            f"{labels[0]} (games {spans(base.held)}) and {labels[1]} (games {spans(other.held)}) have the same seed and "
            f"{deals} deals in common; at least {LEAST_DEALS} are needed for intervals, so {LEAST_DEALS * max(sizes)} games "
            f"that both hold. Play more of the same games, or one of the runs with another seed."
        )
    return Common(True, sizes[0] == sizes[1], games, (deals, deals))


def _overlap(a: Stretches, b: Stretches) -> Stretches:
    both = [(max(one[0], two[0]), min(sum(one), sum(two))) for one in a for two in b]
    return sorted((first, end - first) for first, end in both if end > first)


def _count(stretches: Stretches) -> int:
    return sum(count for _, count in stretches)


def within(stretches: Iterable[tuple[int, int]]) -> Change:
    """Return the change that keeps the rows of some games."""
    tests = [pl.col("game").is_between(first, first + count - 1) for first, count in stretches]
    return lambda rows: rows.filter(pl.any_horizontal(tests))


def sums_of(run: Run, metrics: Mapping[str, Metric], games: Stretches) -> pl.DataFrame:
    """Return the sums of all metrics over some games, a row for each group of deals, seat and policy.

    They are named KEY.0, KEY.1, ...; KEY.square is for the spread of what a metric is the mean of (see `has_spread`).
    """
    columns = summed(metrics.values())
    for metric in filter(has_spread, metrics.values()):
        value, weight = metric.sums
        columns[f"{metric.key}.square"] = pl.when(weight > 0).then(value * (value / weight)).otherwise(0)
    return group_frame(run, columns | {"rows": pl.lit(1.0)}, ["seat", "policy"], change=within(games))


def has_spread(metric: Metric) -> bool:
    """Say whether a metric is a mean of numbers that vary."""
    return metric.estimate is ratio and metric.unit != SHARE


def changed(base: Run, other: Run, shared: Common) -> Sums:
    """Return for each group of deals the games that both runs hold, and those of them that ended otherwise (CHANGED).

    Every column of `seats` that both have is compared, but for the name of the policy.
    """
    names = [column.name for column in base.columns["seats"] if column.name != "policy"]
    there = {column.name for column in other.columns["seats"]}
    names = [name for name in names if name in there]
    lazy = base.scan("seats").select(names), other.scan("seats").select(names)
    found = np.zeros((2, N))
    for first, count in shared.games[0]:
        for at in range(first, first + count, STEP):
            rows = within([(at, min(STEP, first + count - at))])
            one, two = (run.collected(rows(each)) for run, each in zip((base, other), lazy, strict=True))
            differs = np.zeros(len(one), bool)
            for name in names:
                differs |= one[name].ne_missing(two[name]).to_numpy()
            games = one["game"].to_numpy()[:: base.game.players]
            group = (games // np.uint64(base.games_per_deal) % np.uint64(N)).astype(np.int64)
            found[0] += np.bincount(group, differs.reshape(-1, base.game.players).any(axis=1), N)
            found[1] += np.bincount(group, minlength=N)
    found = found[:, found[1] > 0, None]
    return Sums(pl.DataFrame(), {"changed.0": found[0], "changed.1": found[1]}, shared.deals[0])
