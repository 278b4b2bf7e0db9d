"""Dots with intervals, a row for each of some things that have names."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from veggies_sim.analysis.metrics import SHARE
from veggies_sim.plots.axes import BLUE, GREY, ORANGE, legend_above, new_axes, percent, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_LETTERS = 24  # of a name beside the axis


def dots(
    frame: pl.DataFrame, unit: str, line: float | None = None, sure: str = "", ax: Axes | None = None, title: str = "",
    ordered: bool = True,
) -> Axes:  # fmt: skip
    """Draw value, low and high of each name, the highest on top, or the first where they are not `ordered`.

    frame: columns name, value, low, high and sure (boolean): those that are sure have another colour and mark, and the word
    `sure` stands in the legend. unit: SHARE or another one; line: where to draw a line. ax: by default that of a new figure.
    """
    rows = frame.drop_nulls("value")
    rows = (rows.sort("value", maintain_order=True) if ordered else rows.reverse()).with_row_index("at")
    ax = ax or new_axes(title, height=1.6 + 0.18 * len(rows))
    if line is not None:
        ax.axvline(line, color=GREY, linestyle="--", linewidth=1)
    for part, colour, mark in ((rows.filter(~pl.col("sure").fill_null(False)), BLUE, "o"), (rows.filter("sure"), ORANGE, "s")):
        spread = [part["value"] - part["low"], part["high"] - part["value"]]
        label = sure if mark == "s" and len(part) else None
        ax.errorbar(part["value"], part["at"], xerr=spread, fmt=mark, color=colour, markersize=4, capsize=2, label=label)
    names = (name if len(name) <= MOST_LETTERS else f"{name[: MOST_LETTERS - 1]}…" for name in rows["name"])
    ax.set_yticks(range(len(rows)), [*names], fontsize=8)
    ax.set_ylim(-0.6, len(rows) - 0.4)
    ax.grid(axis="y", color="#EEEEEE", linewidth=0.6)
    if unit == SHARE:
        percent(ax.xaxis)
    if ax.get_legend_handles_labels()[1]:
        legend_above(ax)
    return tidy(ax)
