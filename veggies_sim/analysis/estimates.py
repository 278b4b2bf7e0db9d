"""Estimates of metrics with intervals: of a whole run, or of each seat, side or policy of it.

K rows (values of the `by` columns), G groups of deals (see `sums`).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from veggies_sim.analysis.intervals import (
    LEVEL,
    Floats,
    Interval,
    degrees,
    deviation_interval,
    jackknife_error,
    share_interval,
    t_interval,
)
from veggies_sim.analysis.metrics import BALANCED, SHARE, Metric, deviation, ratio, summed
from veggies_sim.analysis.sums import Change, N, Sums, check_run, group_sums
from veggies_sim.core.checks import portion
from veggies_sim.core.dataset import Run
from veggies_sim.core.errors import InputError, show
from veggies_sim.core.game import Game

LEAST_DEALS = 10  # with fewer, an interval over deals is too wide to be of use
SURE_DEALS = 50  # from here on intervals hold as often as they say (scripts/coverage_check.py); see `few_deals`


def check_size(run: Run) -> None:
    """Raise InputError for what is no run, and for one that is too small to say anything about."""
    if check_run(run).deal_count < LEAST_DEALS:
        raise InputError(
            f"{run.folder or 'the run'}: {run.deal_count} deals are too few for intervals. "
            f"Play at least {LEAST_DEALS * run.games_per_deal:,} games ({LEAST_DEALS} deals)."
        )


def few_deals(deals: int) -> str:
    """Return what must be said of intervals over few deals; "" where nothing must."""
    if deals >= SURE_DEALS:
        return ""
    return (
        f"{deals} deals are few: below {SURE_DEALS}, 95 % intervals of leads and spreads hold about 93 times in 100, "
        "those of shares more often than 95."
    )


def estimates(
    run: Run,
    metrics: Sequence[Metric],
    by: Sequence[str] = (),
    level: float = LEVEL,
    *,
    together: bool = False,
    table: str = "seats",
    change: Change | None = None,
) -> pl.DataFrame:
    """Return a row for each value of `by` and each metric, sorted by `by`.

    Columns: those of `by`; metric, unit; value with low and high, the interval of confidence `level` (null where fewer than
    LEAST_DEALS deals have such rows); error, the standard error; rows, of the table. Each interval is for itself: of 20,
    about one leaves its true value out. together: all intervals of a metric hold together with confidence `level` (see
    `level_each`). table, change: as of `sums.group_frame`. Raises InputError for fewer than LEAST_DEALS deals.
    """
    check_size(run)
    portion(level, "level")
    if not isinstance(metrics, list | tuple) or not metrics or not all(isinstance(each, Metric) for each in metrics):
        raise InputError(f"metrics: found {show(metrics)}; give a list of metrics, such as [metrics_of(run.game)['score']].")
    columns = summed(metrics)
    found = group_sums(run, columns | {"rows": pl.lit(1.0)}, by, table, change)
    count = found.sums["rows"].sum(axis=0).astype(int)
    frames = []
    for metric in metrics:
        within, error = metric_interval(found, metric, level_each(run.game, metric, by, len(count), level) if together else level)
        numbers = {"value": within.value, "low": within.low, "high": within.high, "error": error, "rows": count}
        named = found.keys.with_columns(pl.lit(metric.key).alias("metric"), pl.lit(metric.unit).alias("unit"))
        frames.append((named if by else pl.DataFrame({"metric": [metric.key], "unit": [metric.unit]})).with_columns(
            pl.Series(name, values) for name, values in numbers.items()
        ))  # fmt: skip
    return pl.concat(frames).fill_nan(None)


def level_each(game: Game, metric: Metric, by: Sequence[str], count: int, level: float = LEVEL) -> float:
    """Return the confidence at which each of `count` intervals must hold so that all hold together at `level` (Bonferroni).

    What one of two sides wins the other loses: their intervals are one, seen from both ends, and need not be wider.
    """
    mirrored = metric.key in BALANCED and len(game.sides()) == 2 and [*by] in (["seat"], ["team"])
    return level if mirrored else 1 - (1 - level) / count


def metric_interval(found: Sums, metric: Metric, level: float = LEVEL) -> tuple[Interval, Floats]:
    """Return a metric [K] with its interval, and its standard error [K].

    Of a share the interval stays within 0 and 1, of a standard deviation above 0; else it is symmetric. NaN where fewer
    than LEAST_DEALS groups have any rows that count.
    """
    parts = _parts(found, metric, metric.key)
    value, without = metric.estimate(*(part.sum(axis=0) for part in parts)), left_out(parts, metric)
    error, weight = jackknife_error(without), parts[-1]
    if metric.unit == SHARE:
        made = share_interval(value, error, deals_with(found, weight), level)
    elif metric.estimate is deviation:
        made = deviation_interval(value, without, level)
    else:
        made = t_interval(value, error, 1 + degrees(without), level)
    enough = (weight != 0).sum(axis=0) >= LEAST_DEALS
    return Interval(value, np.where(enough, made.low, np.nan), np.where(enough, made.high, np.nan)), error


def deals_with(found: Sums, weight: Floats) -> Floats:
    """Return how many deals of equal weight say as much as those that have some, from sums [G, K] of weights.

    Kish's effective size, the squared sum over the sum of squares (Survey Sampling, 1965, section 8.2). The squares of
    the deals' weights are exact where each deal is a group; else they are told from how much the groups differ, beyond
    what they do by having one deal more or less.
    """
    groups = min(found.deals, N)
    size = found.deals / groups
    mean = weight.sum(axis=0) / groups / size
    uneven = mean**2 * (size % 1) * (1 - size % 1)
    between = np.maximum((weight**2).sum(axis=0) / groups - (mean * size) ** 2 - uneven, 0) / size
    return found.deals * ratio(mean**2, mean**2 + between)


def measured(found: Sums, metric: Metric, name: str | None = None) -> tuple[Floats, Floats]:
    """Return a metric [K] and its standard error [K]; its sums are named KEY.0, KEY.1, ..."""
    parts = _parts(found, metric, name or metric.key)
    return metric.estimate(*(part.sum(axis=0) for part in parts)), jackknife_error(left_out(parts, metric))


def left_out(parts: Sequence[Floats], metric: Metric) -> Floats:
    """Return a metric [G, K] of all deals but those of each group."""
    return metric.estimate(*(part.sum(axis=0) - part for part in parts))


def _parts(found: Sums, metric: Metric, name: str) -> list[Floats]:
    return [found.sums[f"{name}.{i}"] for i in range(len(metric.sums))]


def split_metric(table: pl.DataFrame, column: str) -> pl.DataFrame:
    """Return estimates of metrics named VALUE.METRIC with the values as a column of their own, the first."""
    parts = pl.col("metric").str.split_exact(".", 1).struct
    return table.select(parts.field("field_0").alias(column), parts.field("field_1").alias("metric"), pl.all().exclude("metric"))
