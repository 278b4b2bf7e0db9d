"""Pictures of a comparison: the differences between runs with their intervals."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

import polars as pl

from veggies_sim.analysis.compare import SURE, row_name
from veggies_sim.analysis.intervals import LEVEL
from veggies_sim.plots.axes import COLORS, GREY, MARKERS, legend_above, new_axes, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_WIDTH = 8.0  # inches
_LETTER, _LINE = 0.075, 0.17  # inches, of small letters, rather too much than too little
_LONGEST = 90  # letters of a line of the title and of the legend
_LONGEST_NAME = 32  # letters of a line of what a row is of


def differences(frame: pl.DataFrame, ax: Axes | None = None, title: str = "", level: float = LEVEL) -> Axes:
    """Draw a dot with its interval for each difference, full where it is sure after correction, and the line of none.

    frame: `Comparison.rows`, of intervals of confidence `level`. Without `ax` a new figure has axes for each unit, below
    each other, and the first ones are returned; axes that are given show the rows of the first unit of the frame.
    """
    units = frame["unit"].unique(maintain_order=True).to_list()
    if ax is not None:
        return _of_unit(frame.filter(unit=units[0]), ax, level)
    sizes = [len(_names(frame.filter(unit=unit))) for unit in units]
    labels, columns = _legend(frame["run"].unique(maintain_order=True).to_list())
    lines = sum(label.count("\n") + 1 for label in labels) / columns if len(labels) > 1 else 0
    each = max(0.27, 0.08 * len(labels))  # room for the dots of all runs in a row
    title = "\n".join(short for line in title.split("\n") for short in textwrap.wrap(line, _LONGEST))  # names may be wide
    first = new_axes(title, width=_WIDTH, height=0.9 * len(units) + each * sum(sizes) + _LINE * (lines + 1))
    figure = first.figure
    first.remove()
    all_axes = figure.subplots(len(units), 1, height_ratios=[size + 1 for size in sizes], squeeze=False)[:, 0]
    for unit, below in zip(units, all_axes, strict=True):
        _of_unit(frame.filter(unit=unit), below, level, legend=unit == units[0])
    return all_axes[0]


def _of_unit(frame: pl.DataFrame, ax: Axes, level: float, legend: bool = True) -> Axes:
    unit, runs, names = frame["unit"][0], frame["run"].unique(maintain_order=True).to_list(), _names(frame)
    labels, columns = _legend(runs)
    scale = 100 if unit == "share" else 1
    ax.axvline(0, color=GREY, linestyle="--", linewidth=1)
    for place, run in enumerate(runs):
        color, marker = COLORS[place % len(COLORS)], MARKERS[(place + place // len(COLORS)) % len(MARKERS)]
        shift = 0.7 * ((place + 0.5) / len(runs) - 0.5)
        for row in frame.filter(pl.col("run") == run, pl.col("difference").is_not_null()).iter_rows(named=True):
            at, value = names.index(row_name(row)) + shift, scale * row["difference"]
            if row["low"] is not None:
                ax.plot([scale * row["low"], scale * row["high"]], [at, at], color=color, linewidth=1.5)
            inside = color if row["found"] == SURE else "white"
            ax.plot(value, at, marker=marker, color=color, markerfacecolor=inside, markersize=5, clip_on=False)
        ax.plot([], [], marker=marker, color=color, label=labels[place])
    ax.set_yticks(range(len(names)), ["\n".join(textwrap.wrap(name, _LONGEST_NAME)) for name in names])
    ax.set_ylim(len(names) - 0.4, -0.6)
    what = "percentage points" if unit == "share" else unit
    each = f"{100 * level:.3g}% interval of each row alone"
    ax.set_xlabel(
        f"difference from the base ({what}), {each}; full: sure after correction", fontsize=8, loc="right"
    )  # longer than the axes: to the left is room
    if legend and len(runs) > 1:
        legend_above(ax, loc="lower right", bbox_to_anchor=(1, 1), ncols=columns, fontsize=8)
    return tidy(ax)


def _legend(runs: list[str]) -> tuple[list[str], int]:
    """Return the names of runs in lines that a figure has room for, and in how many columns they fit."""
    labels = ["\n".join(textwrap.wrap(run, _LONGEST)) or run for run in runs]
    longest = max(len(line) for label in labels for line in label.split("\n"))
    return labels, max(1, min(len(labels), int(_WIDTH / (_LETTER * (longest + 8)))))


def _names(frame: pl.DataFrame) -> list[str]:
    """Return the labels of the rows of all runs, in order."""
    return list(dict.fromkeys(map(row_name, frame.iter_rows(named=True))))
