"""Pictures of card impact; what is drawn stands in the frames of `cards` and `card_what_if`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from veggies_sim.analysis.metrics import SHARE
from veggies_sim.games.veggies.analysis.cards import METRICS
from veggies_sim.plots.dots import dots

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SURE = 0.05  # rows with a corrected p of at most this stand out


def plot_card_impact(
    frame: pl.DataFrame, metric: str = "win_share", par: float | None = None, ax: Axes | None = None, title: str = ""
) -> Axes:
    """Draw a dot with its interval for one of `cards.METRICS` of each card, the highest on top.

    frame: `cards.card_impact`; par: where to draw a line, such as the win share of equal sides. Of win shares those that
    stand out in the screen have another colour and mark. ax: by default that of a new figure with a title.
    """
    drawn = next(each for each in METRICS if each.key == metric)
    sure = pl.col("p_screen") <= SURE if metric == "win_share" else pl.lit(False)
    rows = frame.select(name="card", value=metric, low=f"{metric}_low", high=f"{metric}_high", sure=sure)
    ax = dots(rows, drawn.unit, par, "stands out in a screen of all cards", ax, title)
    ax.set_xlabel(f"{drawn.title} ({'%' if drawn.unit == SHARE else drawn.unit}), 95% interval over deals\n{drawn.doc}")
    return ax


def plot_card_changes(frame: pl.DataFrame, metric: str = "score", ax: Axes | None = None, title: str = "") -> Axes:
    """Draw a dot with its interval for what changes in a metric when a card is made plain, the lowest change on top: of
    scores the card that is worth most.

    frame: `card_what_if.card_changes`; a change that may be claimed (p_claim) has another colour and mark. ax: by default
    that of a new figure with a title.
    """
    rows = frame.filter(metric=metric).select("unit", "low", "high", name="card", value="change", sure=pl.col("p_claim") <= SURE)
    unit = rows["unit"][0]
    ax = dots(rows, unit, 0.0, "a change that may be claimed", ax, title)
    ax.invert_yaxis()
    words = "percentage points" if unit == SHARE else unit
    ax.set_xlabel(f"change of {metric.replace('_', ' ')} ({words}), 95% interval over deals\nwhen the card's goods are made empty")
    return ax
