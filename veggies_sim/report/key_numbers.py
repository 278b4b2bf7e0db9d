"""The numbers that a report begins with, in sentences with intervals."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import polars as pl

from veggies_sim.analysis.estimates import estimates
from veggies_sim.analysis.metrics import Metric, metrics_of, shared_metrics
from veggies_sim.analysis.seats import caution
from veggies_sim.core.dataset import Run
from veggies_sim.core.game import Game
from veggies_sim.report.provenance import seated
from veggies_sim.report.section import Section
from veggies_sim.report.words import told

Row = dict[str, Any]


def section(run: Run) -> Section:
    """Return the most useful numbers of a run in sentences. Raises InputError for too small a run."""
    return Section("Key numbers", list(_sentences(run)))


def _sentences(run: Run) -> Iterator[str]:
    """Yield what a reader should know first."""
    yield f"Players: {seated(run)}. In brackets are 95% intervals."
    of = {row["metric"]: row for row in estimates(run, shared_metrics(run.game)).iter_rows(named=True)}
    winner = "side" if len(run.game.sides()) < run.game.players else "seat"
    below = f" {_upper(_share(of['below_zero']))} of all seats end below 0." if "below_zero" in of else ""
    yield (
        f"A seat scores {told(of['score'])} points on average; from game to game its points spread by {told(of['score_sd'])} "
        f"(standard deviation).{below}"
    )
    ties = f"{_share(of['tie_breaks'])} of games are equal on points and decided by a tie-break, " if "tie_breaks" in of else ""
    shared = f"{_share(of['shared_wins'])} {'' if ties else 'of games '}end in a shared win."
    yield (
        f"The winning {winner} has {told(of['winner_score'])} points, {told(of['lead'])} more than the best other {winner}. "
        f"{_upper(ties + shared)}"
    )
    yield from _wins(run, metrics_of(run.game)["win_share"])


def _share(row: Row) -> str:
    """Return a share, in words where it is 0."""
    return f"none (at most {row['high']:.2%})" if row["value"] == 0 else told(row)


def _wins(run: Run, win: Metric) -> Iterator[str]:
    """Yield who wins how often: sides by their seats, then policies where there are several."""
    game, par = run.game, 1 / len(run.game.sides())
    found = estimates(run, [win], ["team"], together=True)
    each = [f"{_name(game, row['team'])} wins {told(row)}" for row in found.iter_rows(named=True)]
    hold = "Their intervals hold all together, so they are wider than that of one win share alone." if len(found) > 2 else ""
    yield f"{_upper(', '.join(each))}; par, the share of equals, is {par:.1%}. {_verdict(game, found, par)} {hold}".strip()
    half = float(((found["high"] - found["low"]) / 2).max())  # type: ignore[arg-type]
    yield (
        f"{run.manifest.games:,} games on {run.deal_count:,} deals tell these win shares to about ±{100 * half:.2g} percentage "
        f"points; to halve that takes four times as many."
    )
    policies = {*run.manifest.policies}
    if len(policies) > 1:
        rows = estimates(run, [win], ["policy"], together=True).sort("value", descending=True)
        each = [f"{row['policy']} wins {told(row)}" for row in rows.iter_rows(named=True)]
        yield f"Of the games at its seats {', '.join(each)} (these intervals, too, hold together). {caution(run)}".strip()


def _name(game: Game, side: int) -> str:
    """Return a side as a sentence names it."""
    seats = game.sides()[side]
    if len(seats) > 1:
        return f"the side of seats {'+'.join(map(str, seats))}"
    return f"seat {seats[0]}{' (the last)' if seats[0] == game.players - 1 else ''}"


def _verdict(game: Game, found: pl.DataFrame, par: float) -> str:
    """Return which sides are away from par, as far as intervals that hold together can tell."""
    above = [_name(game, side) for side in found.filter(pl.col("low") > par)["team"]]
    below = [_name(game, side) for side in found.filter(pl.col("high") < par)["team"]]
    words = [f"{what} par: {', '.join(names)}" for names, what in ((above, "above"), (below, "below")) if names]
    return f"Clearly {'; '.join(words)}." if words else "None is clearly away from par."


def _upper(words: str) -> str:
    return words[:1].upper() + words[1:]
