"""Pictures of card impact; what is drawn stands in the frames of `cards` and `card_what_if`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from veggies_sim.analysis.metrics import SHARE
from veggies_sim.games.veggies.analysis.cards import METRICS
from veggies_sim.plots.axes import BLUE, GREY, ORANGE, legend_above, new_axes, percent, tidy

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
    rows = frame.select("card", value=metric, low=f"{metric}_low", high=f"{metric}_high", sure=sure)
    ax = _dots(rows, drawn.unit, par, "stands out in a screen of all cards", ax, title)
    ax.set_xlabel(f"{drawn.title} ({'%' if drawn.unit == SHARE else drawn.unit}), 95% interval over deals\n{drawn.doc}")
    return ax


def plot_card_changes(frame: pl.DataFrame, metric: str = "score", ax: Axes | None = None, title: str = "") -> Axes:
    """Draw a dot with its interval for what changes in a metric when a card is made plain, the lowest change on top: of
    scores the card that is worth most.

    frame: `card_what_if.card_changes`; a change that may be claimed (p_claim) has another colour and mark. ax: by default
    that of a new figure with a title.
    """
    rows = frame.filter(metric=metric).select("card", "unit", "low", "high", value="change", sure=pl.col("p_claim") <= SURE)
    unit = rows["unit"][0]
    ax = _dots(rows, unit, 0.0, "a change that may be claimed", ax, title)
    ax.invert_yaxis()
    words = "percentage points" if unit == SHARE else unit
    ax.set_xlabel(f"change of {metric.replace('_', ' ')} ({words}), 95% interval over deals\nwhen the card's goods are made empty")
    return ax


def _dots(frame: pl.DataFrame, unit: str, line: float | None, sure: str, ax: Axes | None, title: str) -> Axes:
    """Draw value, low and high of each card, those that are `sure` apart; the word `sure` stands in the legend."""
    rows = frame.drop_nulls("value").sort("value", maintain_order=True).with_row_index("at")
    ax = ax or new_axes(title, height=1.6 + 0.18 * len(rows))
    if line is not None:
        ax.axvline(line, color=GREY, linestyle="--", linewidth=1)
    for part, colour, mark in ((rows.filter(~pl.col("sure").fill_null(False)), BLUE, "o"), (rows.filter("sure"), ORANGE, "s")):
        spread = [part["value"] - part["low"], part["high"] - part["value"]]
        label = sure if mark == "s" and len(part) else None
        ax.errorbar(part["value"], part["at"], xerr=spread, fmt=mark, color=colour, markersize=4, capsize=2, label=label)
    ax.set_yticks(range(len(rows)), [card if len(card) <= 24 else f"{card[:23]}…" for card in rows["card"]], fontsize=8)
    ax.set_ylim(-0.6, len(rows) - 0.4)
    ax.grid(axis="y", color="#EEEEEE", linewidth=0.6)
    if unit == SHARE:
        percent(ax.xaxis)
    if ax.get_legend_handles_labels()[1]:
        legend_above(ax)
    return tidy(ax)
