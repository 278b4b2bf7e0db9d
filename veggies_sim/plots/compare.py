"""Pictures of a comparison: the differences between runs with their intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from veggies_sim.analysis.compare import SURE, row_name
from veggies_sim.analysis.intervals import LEVEL
from veggies_sim.plots.axes import BLUE, GREEN, GREY, ORANGE, PURPLE, new_axes, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LOOKS = [(BLUE, "o"), (ORANGE, "s"), (GREEN, "^"), (PURPLE, "D"), (GREY, "v")]


def differences(frame: pl.DataFrame, ax: Axes | None = None, title: str = "", level: float = LEVEL) -> Axes:
    """Draw a dot with its interval for each difference, full where it is sure after correction, and the line of none.

    frame: `Comparison.rows`, of intervals of confidence `level`. Without `ax` a new figure has axes for each unit, below
    each other, and the first ones are returned; axes that are given show the rows of the first unit of the frame.
    """
    units = frame["unit"].unique(maintain_order=True).to_list()
    if ax is not None:
        return _of_unit(frame.filter(unit=units[0]), ax, level)
    sizes = [len(_names(frame.filter(unit=unit))) for unit in units]
    first = new_axes(title, width=8, height=0.9 * len(units) + 0.27 * sum(sizes) + 0.2 * (frame["run"].n_unique() > 1))
    figure = first.figure
    first.remove()
    all_axes = figure.subplots(len(units), 1, height_ratios=[size + 1 for size in sizes], squeeze=False)[:, 0]
    for unit, below in zip(units, all_axes, strict=True):
        _of_unit(frame.filter(unit=unit), below, level, legend=unit == units[0])
    return all_axes[0]


def _of_unit(frame: pl.DataFrame, ax: Axes, level: float, legend: bool = True) -> Axes:
    unit, runs, names = frame["unit"][0], frame["run"].unique(maintain_order=True).to_list(), _names(frame)
    scale = 100 if unit == "share" else 1
    ax.axvline(0, color=GREY, linestyle="--", linewidth=1)
    for place, run in enumerate(runs):
        color, marker = _LOOKS[place % len(_LOOKS)]
        shift = 0.6 * ((place + 0.5) / len(runs) - 0.5)
        for row in frame.filter(pl.col("run") == run, pl.col("difference").is_not_null()).iter_rows(named=True):
            at, value = names.index(row_name(row)) + shift, scale * row["difference"]
            if row["low"] is not None:
                ax.plot([scale * row["low"], scale * row["high"]], [at, at], color=color, linewidth=1.5)
            inside = color if row["found"] == SURE else "white"
            ax.plot(value, at, marker=marker, color=color, markerfacecolor=inside, markersize=5, clip_on=False)
        ax.plot([], [], marker=marker, color=color, label=run)
    ax.set_yticks(range(len(names)), names)
    ax.set_ylim(len(names) - 0.4, -0.6)
    what = "percentage points" if unit == "share" else unit
    each = f"{100 * level:.3g}% interval of each row alone"
    ax.set_xlabel(f"difference from the base ({what}), {each}; full: sure after correction", fontsize=8)
    if legend and len(runs) > 1:
        ax.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=len(runs), frameon=False, fontsize=8)
    return tidy(ax)


def _names(frame: pl.DataFrame) -> list[str]:
    """Return the labels of the rows of all runs, in order."""
    return list(dict.fromkeys(map(row_name, frame.iter_rows(named=True))))
