"""What each kind is worth, who holds it, and how often it is taken when it is on offer."""

from __future__ import annotations

import polars as pl

from veggies_sim.analysis.estimates import check_size, estimates, metric_interval, split_metric
from veggies_sim.analysis.intervals import LEVEL
from veggies_sim.analysis.metrics import POINTS, SHARE, Metric
from veggies_sim.analysis.sums import Sums, check_run
from veggies_sim.core.dataset import Run
from veggies_sim.games.veggie_garden.analysis.metrics import BEST, CARD_POINTS, CARDS, ONE, WIN, WORST, held, points, value
from veggies_sim.games.veggie_garden.analysis.offers import offer_sums
from veggies_sim.games.veggie_garden.board import KINDS
from veggies_sim.games.veggie_garden.game import VeggieGarden

TAKEN = (
    Metric("taken", "taken when offered", SHARE, "share of picks with an action that took it, of those at which it was on offer",
           (pl.col("taken"), pl.col("offered"))),
    Metric("chance", "taken by chance", SHARE, "what that share would be if every card on offer were taken equally often",
           (pl.col("chance"), pl.col("offered"))),
    Metric("taken_last", "taken at the last pick", SHARE, "the same share of the last picks, which have no action",
           (pl.col("taken_last"), pl.col("offered_last"))),
)  # fmt: skip


def worth(run: Run, level: float = LEVEL) -> pl.DataFrame:
    """Return what each kind is worth, in games that have it in play. Columns: kind, metric, unit, value, low, high, error, rows.

    Metrics: in_play, share of games; value, points of a card at the end; best and worst, share of games in which no kind is
    worth more, or less; held, cards in a hand; held_by_winners, cards in a winning hand; share_of_points, of all points
    but the bonus, over all games.
    """
    metrics = []
    for kind in KINDS:
        here, worth_of = pl.col(f"{kind}_value").is_not_null(), value(kind)
        metrics += [
            Metric(f"{kind}.in_play", "in play", SHARE, "", (here, ONE)),
            Metric(f"{kind}.value", "value", POINTS, "", (worth_of, here)),
            Metric(f"{kind}.best", "best kind", SHARE, "", (worth_of == BEST, here)),
            Metric(f"{kind}.worst", "worst kind", SHARE, "", (worth_of == WORST, here)),
            Metric(f"{kind}.held", "cards held", CARDS, "", (held(kind), here)),
            Metric(f"{kind}.held_by_winners", "cards held by winners", CARDS, "", (WIN * held(kind), WIN * here)),
            Metric(f"{kind}.share_of_points", "share of points", SHARE, "", (points(kind), CARD_POINTS)),
        ]
    return split_metric(estimates(check_run(run, VeggieGarden), metrics, (), level), "kind")


def taken(run: Run, level: float = LEVEL) -> pl.DataFrame:
    """Return how often each kind is taken when it is on offer. Columns: kind, metric, unit, value, low, high, error.

    Metrics: those of TAKEN. A kind on offer twice is on offer once here; `chance` says how much that helps it. Raises
    InputError for a run without recorded moves, and with fewer than 10 deals.
    """
    check_size(run)
    counts = offer_sums(run)
    frame = pl.DataFrame({"kind": KINDS})
    found, frames = Sums(frame, {}, run.deal_count), []
    for metric in TAKEN:
        found.sums.update({f"{metric.key}.{i}": counts[each.meta.output_name()] for i, each in enumerate(metric.sums)})
        ends, error = metric_interval(found, metric, level)
        numbers = {"value": ends.value, "low": ends.low, "high": ends.high, "error": error}
        words = (pl.lit(metric.key).alias("metric"), pl.lit(metric.unit).alias("unit"))
        frames.append(frame.with_columns(*words, *(pl.Series(name, values) for name, values in numbers.items())))
    return pl.concat(frames).fill_nan(None)
