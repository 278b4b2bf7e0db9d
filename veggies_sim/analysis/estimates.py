"""Estimates of metrics with intervals: of a whole run, or of each seat, side or policy of it.

K rows (values of the `by` columns), G groups of deals (see `sums`).
"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from veggies_sim.analysis.intervals import LEVEL, Floats, Interval, jackknife_error, share_interval, t_interval
from veggies_sim.analysis.metrics import SHARE, Metric
from veggies_sim.analysis.sums import Change, Sums, group_sums
from veggies_sim.core.dataset import Run
from veggies_sim.core.errors import InputError

LEAST_DEALS = 10  # with fewer, an interval over deals is too wide to be of use


def check_size(run: Run) -> None:
    """Raise InputError for a run that is too small to say anything about."""
    if run.deal_count < LEAST_DEALS:
        raise InputError(
            f"{run.folder or 'the run'}: {run.deal_count} deals are too few for intervals. "
            f"Play at least {LEAST_DEALS * run.games_per_deal:,} games ({LEAST_DEALS} deals)."
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

    Columns: those of `by`; metric, unit; value with low and high, the interval of confidence `level`; error, the standard
    error; rows, of the table. together: all intervals of a metric hold together with confidence `level` (Bonferroni).
    table, change: as of `sums.group_frame`. Raises InputError for fewer than LEAST_DEALS deals.
    """
    check_size(run)
    columns = {f"{metric.key}.{i}": each for metric in metrics for i, each in enumerate(metric.sums)}
    found = group_sums(run, columns | {"rows": pl.lit(1.0)}, by, table, change)
    count = found.sums["rows"].sum(axis=0).astype(int)
    frames = []
    for metric in metrics:
        value, error = measured(found, metric)
        within = interval(metric, value, error, found.deals, 1 - (1 - level) / (len(count) if together else 1))
        numbers = {"value": value, "low": within.low, "high": within.high, "error": error, "rows": count}
        named = found.keys.with_columns(pl.lit(metric.key).alias("metric"), pl.lit(metric.unit).alias("unit"))
        frames.append((named if by else pl.DataFrame({"metric": [metric.key], "unit": [metric.unit]})).with_columns(
            pl.Series(name, values) for name, values in numbers.items()
        ))  # fmt: skip
    return pl.concat(frames).fill_nan(None)


def measured(found: Sums, metric: Metric, name: str | None = None) -> tuple[Floats, Floats]:
    """Return a metric [K] and its standard error [K]; its sums are named KEY.0, KEY.1, ..."""
    parts = [found.sums[f"{name or metric.key}.{i}"] for i in range(len(metric.sums))]
    return metric.estimate(*(part.sum(axis=0) for part in parts)), jackknife_error(left_out(parts, metric))


def left_out(parts: Sequence[Floats], metric: Metric) -> Floats:
    """Return a metric [G, K] of all deals but those of each group."""
    return metric.estimate(*(part.sum(axis=0) - part for part in parts))


def interval(metric: Metric, value: Floats, error: Floats, deals: int, level: float = LEVEL) -> Interval:
    """Return the interval of a metric: of a share within 0 and 1, else symmetric."""
    return share_interval(value, error, deals, level) if metric.unit == SHARE else t_interval(value, error, deals, level)
