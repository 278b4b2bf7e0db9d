"""What is measured of a run. A metric is computed from sums over rows of `seats`, so that it can be had of any part of a run.

The metrics here are those that every game has; a game adds its own (`Game.metrics`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl

from veggies_sim.analysis.intervals import Floats
from veggies_sim.core.errors import unknown
from veggies_sim.core.game import Game

SHARE, POINTS = "share", "points"
BALANCED = ("win_share", "margin")  # one seat's gain is another's loss: of all seats together they say nothing


def ratio(value: Floats, weight: Floats) -> Floats:
    """Return a sum divided by another; NaN where there is nothing to divide by."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return value / weight


def deviation(value: Floats, square: Floats, weight: Floats) -> Floats:
    """Return a standard deviation, of sums of values, squares and weights."""
    mean = ratio(value, weight)
    found: Floats = np.sqrt(np.maximum(ratio(square, weight) - mean**2, 0))
    return found


@dataclass(frozen=True)
class Metric:
    """A number that a run has, and each seat, side or policy of it where `per_seat` is set."""

    key: str  # the word for it, as `win_share`
    title: str  # for people
    unit: str  # SHARE (0 to 1), POINTS, or the game's own
    doc: str
    sums: tuple[pl.Expr, ...]  # of a row of seats: what is added up (see `sums`), last the weight, 0 where a row says nothing
    estimate: Callable[..., Floats] = ratio  # of the sums, arrays of one shape
    per_seat: bool = True  # False: of a whole game; sums of some seats of a game mean nothing


_ONE = pl.lit(1.0)
_WIN, _SCORE, _MARGIN = pl.col("win").cast(pl.Float64), pl.col("score").cast(pl.Float64), pl.col("margin").cast(pl.Float64)


def shared_metrics(game: Game) -> list[Metric]:
    """Return the metrics of every game, but for those that tell of what this game can't have (`Game.never`)."""
    members = game.players / len({*game.team()})  # seats of a side; wins of a game add up to it
    won = _WIN / members
    found = [
        Metric("win_share", "win share", SHARE, "share of games won; a win that k sides share counts 1/k", (_WIN, _ONE)),
        Metric("score", "score", POINTS, "points of a seat", (_SCORE, _ONE)),
        Metric("score_sd", "spread of scores", POINTS, "standard deviation of a seat's points over games",
               (_SCORE, _SCORE**2, _ONE), deviation),
        Metric("margin", "margin", POINTS, "points of the own side minus those of the best other side", (_MARGIN, _ONE)),
        Metric("below_zero", "scores below 0", SHARE, "share of seats that end with less than 0 points", (_SCORE < 0, _ONE)),
        Metric("winner_score", "winner's score", POINTS, "points of the winning side, its members' together",
               (_WIN * _SCORE, won), per_seat=False),
        Metric("lead", "winner's lead", POINTS, "points of the winning side minus those of the best other side",
               (won * _MARGIN, won), per_seat=False),
        Metric("shared_wins", "shared wins", SHARE, "share of games that several sides win together",
               (pl.when(_WIN < 1).then(won).otherwise(0), won), per_seat=False),
        Metric("tie_breaks", "wins by tie-break", SHARE, "share of games with equal points that a tie-break decides",
               (pl.when((_WIN == 1) & (_MARGIN == 0)).then(won).otherwise(0), won), per_seat=False),
    ]  # fmt: skip
    return [metric for metric in found if metric.key not in game.never]


def metrics_of(game: Game) -> dict[str, Metric]:
    """Return all metrics of a game by key, those that games share first."""
    return {metric.key: metric for metric in (*shared_metrics(game), *game.metrics())}


def summed(metrics: Iterable[Metric]) -> dict[str, pl.Expr]:
    """Return what is added up of rows for some metrics, by name: KEY.0, KEY.1, ..."""
    return {f"{metric.key}.{i}": each for metric in metrics for i, each in enumerate(metric.sums)}


def find_metric(metrics: Mapping[str, Metric], key: str) -> Metric:
    """Return a metric by its key. Raises InputError with the valid keys, the nearest one found by its title too."""
    if key not in metrics:
        raise unknown("metric", key, metrics, {metric.title: metric.key for metric in metrics.values()})
    return metrics[key]
