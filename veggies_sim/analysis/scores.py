"""How points are spread: histograms, quantiles and a summary of scores, of winners' scores and of leads.

Points are whole numbers, so all is computed from counts of each value in each group of deals (see `sums`): exact, and as
small as the span of the points, whatever the number of games. `by` names columns of `seats`, such as seat or policy.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
import polars as pl

from veggies_sim.analysis.estimates import check_size, estimates
from veggies_sim.analysis.intervals import LEVEL, Floats, jackknife_error, t_interval
from veggies_sim.analysis.metrics import POINTS, shared_metrics
from veggies_sim.analysis.sums import GROUP, check_by, check_run, group_frame
from veggies_sim.core.checks import one_of, portion, several
from veggies_sim.core.dataset import Run
from veggies_sim.core.errors import InputError

WHAT = {
    "score": "points of a seat",
    "margin": "points of the own side minus those of the best other side",
    "winner_score": "points of the winning side, its members' together; a game counts once",
    "lead": "points of the winning side minus those of the best other side; a game counts once",
}
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
COUNT = "count"


def histogram(run: Run, by: Sequence[str] = (), what: str = "score") -> pl.DataFrame:
    """Return how often each number of points came up, a row for each that did, sorted by `by` and points.

    what: a key of WHAT. Columns: those of `by`; one named as `what`, the points; count; share of all of the same `by`;
    ecdf, the share with so many points or fewer. Raises InputError for other words.
    """
    counts = counted(run, by, what).group_by(*by, what).agg(pl.col(COUNT).sum()).sort(*by, what)
    all_of = pl.col(COUNT).sum()
    shares = [(pl.col(COUNT) / all_of).alias("share"), (pl.col(COUNT).cum_sum() / all_of).alias("ecdf")]
    return counts.with_columns(*([each.over(by) for each in shares] if by else shares), pl.col(COUNT).round().cast(pl.Int64))


def quantiles(
    run: Run, by: Sequence[str] = (), probabilities: Sequence[float] = QUANTILES, what: str = "score", level: float = LEVEL
) -> pl.DataFrame:
    """Return quantiles of points with intervals; see `count_quantiles` for columns and method, `histogram` for `what`."""
    check_size(run)
    return count_quantiles(counted(run, by, what), by, what, probabilities, run.deal_count, level)


def summary(run: Run, by: Sequence[str] = (), level: float = LEVEL) -> pl.DataFrame:
    """Return all that is said of points in one table, a row for each value of `by` and each measure.

    Columns: those of `by`; metric, title, unit; value with low and high, the interval of confidence `level`, null for the
    lowest and highest score; error, the standard error, null for quantiles too; rows of `seats`. Without `by` also what
    is said of whole games: winner's score, lead, shared wins, tie-breaks.
    """
    metrics = [each for each in shared_metrics(check_run(run).game) if each.key != "win_share" and (each.per_seat or not by)]
    means = estimates(run, metrics, by, level)
    titles = {each.key: each.title for each in metrics}
    counts = counted(run, by, "score")
    found = count_quantiles(counts, by, "score", QUANTILES, run.deal_count, level)
    lowest, highest, rows = pl.col("score").min().alias("score_min"), pl.col("score").max().alias("score_max"), pl.col(COUNT).sum()
    ends = [lowest, highest, rows.cast(pl.Int64).alias("rows")]
    ends_of = counts.group_by(by).agg(ends).sort(by) if by else counts.select(ends)
    pieces = [means.with_columns(pl.col("metric").replace_strict(titles, return_dtype=pl.String).alias("title"))]
    for probability in QUANTILES:
        title = "median score" if probability == 0.5 else f"{probability:.0%} of scores are at most"
        one = found.filter(pl.col("probability") == probability).with_columns(ends_of["rows"])
        pieces.append(_named(one, f"score_{probability:.0%}", title))
    for key, title in (("score_min", "lowest score"), ("score_max", "highest score")):
        pieces.append(_named(ends_of.with_columns(pl.col(key).alias("value")), key, title))
    same = [*by, "metric", "title", "unit", "value", "low", "high", "error", "rows"]
    return pl.concat(pieces, how="diagonal_relaxed").select(same)


def _named(frame: pl.DataFrame, key: str, title: str) -> pl.DataFrame:
    names = {"metric": key, "title": title, "unit": POINTS}
    keep = [name for name in frame.columns if name not in ("score_min", "score_max", "probability")]
    return frame.select(keep).with_columns(pl.lit(word).alias(name) for name, word in names.items())


def counted(run: Run, by: Sequence[str], what: str) -> pl.DataFrame:
    """Return how often each number of points came up in each group of deals: columns group, those of `by`, `what`, count."""
    one_of(what, "what", WHAT)
    by = check_by(by, [column.name for column in check_run(run).columns["seats"] if column.name != what])
    members = run.game.players / len({*run.game.team()})
    weight = pl.lit(1.0) if what in ("score", "margin") else pl.col("win").cast(pl.Float64) / members
    frame = group_frame(run, {COUNT: weight}, (*by, what), change=partial(_points, run, what))
    return frame.filter(pl.col(COUNT) > 0)


def _points(run: Run, what: str, rows: pl.LazyFrame) -> pl.LazyFrame:
    """Give rows of seats the column `what`; winners with the same points share a game's 1 as they share the win."""
    if what == "lead":
        return rows.filter(pl.col("win") > 0).with_columns(lead=pl.col("margin"))
    if what == "winner_score":
        score = pl.col("score").cast(pl.Int32)
        shared = len({*run.game.team()}) < run.game.players
        won = rows.filter(pl.col("win") > 0)
        return won.with_columns(winner_score=score.sum().over("game", "team") if shared else score)
    return rows


def count_quantiles(
    counts: pl.DataFrame, by: Sequence[str], what: str, probabilities: Sequence[float], deals: int, level: float = LEVEL
) -> pl.DataFrame:
    """Return quantiles of whole numbers from their counts in groups of deals (columns group, those of `by`, `what`, count).

    A row for each value of `by` and each probability. Columns: those of `by`; probability; value, the least number that so
    large a share does not exceed; low and high. The interval is Woodruff's (Journal of the American Statistical Association
    47, 1952): the shares within t standard errors over deals of the wanted one, read off the same distribution function.
    As numbers are whole, it covers the true quantile at least as often as `level` says. An end is null where these shares
    go beyond 0 or 1: so few deals do not say how far out it may lie. Raises InputError for probabilities that are not
    between 0 and 1.
    """
    wanted = np.array([portion(each, "probability") for each in several(probabilities, "probabilities", "[0.25, 0.5]")])
    if not len(wanted):
        raise InputError("probabilities: found none; give one or more numbers between 0 and 1.")
    pieces = []
    for part in counts.partition_by(by, maintain_order=True) if by else [counts]:
        keys = part.select(by).head(1)
        found = _quantiles(part, what, wanted, deals, level)
        pieces.append(keys.join(found, how="cross") if by else found)
    return pl.concat(pieces).sort(*by, "probability")


def _quantiles(part: pl.DataFrame, what: str, wanted: Floats, deals: int, level: float) -> pl.DataFrame:
    whole = part.group_by(what).agg(pl.col(COUNT).sum()).sort(what)
    values, reached = whole[what].to_numpy(), whole[COUNT].to_numpy().cumsum()
    reached = reached / reached[-1]

    def at(shares: Floats) -> Floats:
        place = np.searchsorted(reached, shares - 1e-12)
        return values[np.minimum(place, len(values) - 1)]

    value = at(wanted)
    below = [(pl.col(COUNT) * (pl.col(what) <= int(each))).sum().alias(f"{i}") for i, each in enumerate(value)]
    sums = part.group_by(GROUP).agg(pl.col(COUNT).sum(), *below)
    under, all_of = sums.drop(GROUP, COUNT).to_numpy(), sums.select(COUNT).to_numpy()
    share = under.sum(axis=0) / all_of.sum()
    with np.errstate(invalid="ignore", divide="ignore"):
        error = jackknife_error((under.sum(axis=0) - under) / (all_of.sum() - all_of))
        # The share at a whole number is not quite the wanted one, and so its error is not: they go by sqrt(p (1 - p)).
        # Where no row is above, nothing tells how large it is: that of independent deals.
        each = np.where(share > 1 - 1e-12, 1 / np.sqrt(deals), error / np.sqrt(share * (1 - share)))
    within = t_interval(wanted, each * np.sqrt(wanted * (1 - wanted)), deals, level)
    ends = {"low": (at(within.low), within.low > 0), "high": (at(within.high), within.high < 1)}
    known = {name: np.where(inside, end, np.nan) for name, (end, inside) in ends.items()}
    frame = pl.DataFrame({"probability": wanted, "value": value.astype(np.int64), **known}).fill_nan(None)
    return frame.with_columns(pl.col("low", "high").cast(pl.Int64))
