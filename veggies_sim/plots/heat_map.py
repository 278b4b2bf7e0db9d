"""Pictures of a sweep: one metric over one thing that varies as dots with intervals, over two as a heat map."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

from veggies_sim.core.game import Array
from veggies_sim.plots.axes import BLUE, new_axes, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOURS = "cividis"  # even steps of lightness, the same to colour-blind eyes (Nunez and others, PLOS ONE 13, 2018)


class Measure(NamedTuple):
    """What is drawn."""

    label: str  # with its unit
    share: bool  # values are shares, shown in percent


def picture(frame: pl.DataFrame, varying: Sequence[str], measure: Measure, ax: Axes | None = None, title: str = "") -> Axes:
    """Draw the values of arms over the one or two things that vary: `dots` or `heat_map`.

    frame: a row for each arm with a column for each of `varying` (two at most), value, low and high.
    """
    if len(varying) == 2:
        return heat_map(frame, (varying[0], varying[1]), measure, ax, title)
    return dots(frame, varying[0] if varying else "arm", measure, ax, title)


def dots(frame: pl.DataFrame, varying: str, measure: Measure, ax: Axes | None = None, title: str = "") -> Axes:
    """Draw a dot with its interval for each row, the first on top; nothing where a value is missing."""
    ax = ax or new_axes(title, height=1.5 + 0.35 * len(frame))
    places = range(len(frame), 0, -1)
    scale = 100 if measure.share else 1
    value, low, high = (frame[name].cast(pl.Float64).fill_null(math.nan) * scale for name in ("value", "low", "high"))
    ax.errorbar(value, places, xerr=[value - low, high - value], fmt="o", color=BLUE, capsize=3)
    ax.set_yticks(places, [str(each) for each in frame[varying]])
    ax.set_ylim(0.4, len(frame) + 0.6)
    ax.margins(x=0.1)
    ax.set_ylabel(varying)
    ax.set_xlabel(f"{measure.label}, 95% interval over deals")
    return tidy(ax)


def heat_map(frame: pl.DataFrame, varying: tuple[str, str], measure: Measure, ax: Axes | None = None, title: str = "") -> Axes:
    """Draw a cell for each arm with its value and 95% interval; `varying` names what goes down and across.

    The colour says the value too; cells without an arm stay white.
    """
    down, across = varying
    rows, columns = (frame[name].unique(maintain_order=True).to_list() for name in varying)
    ax = ax or new_axes(title, width=max(6, 3.5 + 1.2 * len(columns)), height=1.8 + 0.6 * len(rows))
    scale = 100 if measure.share else 1
    values, lows, highs = np.full((3, len(rows), len(columns)), np.nan)
    for r, c, *numbers in frame.select(down, across, "value", "low", "high").fill_null(np.nan).iter_rows():
        place = rows.index(r), columns.index(c)
        values[place], lows[place], highs[place] = (scale * number for number in numbers)
    image = ax.imshow(values, cmap=COLOURS, aspect="auto")
    ax.set_xticks(range(len(columns)), [str(each) for each in columns])
    ax.set_yticks(range(len(rows)), [str(each) for each in rows])
    ax.set_xlabel(across)
    ax.set_ylabel(down)
    _write_cells(ax, values, (lows, highs), measure.share)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    ax.figure.colorbar(image, ax=ax, label="\n".join([measure.label, "in the cells: 95% interval of each alone"]))
    return ax


def _write_cells(ax: Axes, values: Array, ends: tuple[Array, Array], share: bool) -> None:
    """Write each value with its interval where it belongs, white on the dark half of the colours.

    Of shares both ends are written: the interval is not symmetric, and half of it would reach below 0 for small ones.
    """
    low, high = ends
    halves = (high - low) / 2
    places, middle = decimals(halves.ravel().tolist()), (np.nanmin(values) + np.nanmax(values)) / 2
    for (r, c), value in np.ndenumerate(values):
        if not np.isnan(value):
            within = f"{low[r, c]:.{places}f} .. {high[r, c]:.{places}f}" if share else f"± {halves[r, c]:.{places}f}"
            within = "± unknown" if np.isnan(halves[r, c]) else within
            colour = "white" if value < middle else "black"
            ax.text(c, r, f"{value:.{places}f}{'%' * share}\n{within}", ha="center", va="center", color=colour)


def decimals(halves: Sequence[float]) -> int:
    """Return how many decimals show the narrowest interval with one digit that is not 0, at most 4.

    >>> decimals([0.31, 0.052]), decimals([12.0])
    (2, 1)
    """
    known = [half for half in halves if half > 0]
    return min(4, max(1, math.ceil(-math.log10(min(known))))) if known else 1
