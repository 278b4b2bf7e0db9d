"""Pictures of how points are spread."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import polars as pl

from veggies_sim.plots.axes import BLUE, COLORS, MARKERS, legend_above, new_axes, percent, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_X = {
    "score": "score of a seat (points)",
    "margin": "margin of a seat's side over the best other side (points)",
    "winner_score": "winning side's score (points)",
    "lead": "winner's lead over the best other side (points)",
}


def histogram(frame: pl.DataFrame, what: str = "score", by: str | None = None, ax: Axes | None = None, title: str = "") -> Axes:
    """Draw the share of each number of points: bars, or with `by` a line for each of its values.

    frame: `scores.histogram(run, [by], what)`; ax: axes to draw on, by default those of a new figure with a title.
    """
    ax = ax or new_axes(title)
    if by is None:
        ax.bar(frame[what], frame["share"], width=1, color=BLUE, edgecolor="white", linewidth=0.3)
    for label, rows, color, marker in _lines(frame, by):
        ax.plot(rows[what], rows["share"], label=label, color=color, marker=marker, markersize=4, linewidth=1.2, markevery=0.06,
                drawstyle="steps-mid")  # fmt: skip
    if by is not None:
        legend_above(ax)
    ax.set_ylim(bottom=0)
    percent(ax.yaxis)
    ax.set_xlabel(_X.get(what, what))
    ax.set_ylabel(_share_of(what))
    return tidy(ax)


def ecdf(frame: pl.DataFrame, what: str = "score", by: str | None = None, ax: Axes | None = None, title: str = "") -> Axes:
    """Draw the share with so many points or fewer, a stair for each value of `by`. frame, ax: as of `histogram`."""
    ax = ax or new_axes(title)
    for label, rows, color, marker in _lines(frame, by) if by else [(None, frame, BLUE, None)]:
        ax.plot(rows[what], rows["ecdf"], label=label, color=color, marker=marker, markersize=4, linewidth=1.2, markevery=0.08,
                drawstyle="steps-mid")  # fmt: skip
    if by is not None:
        legend_above(ax)
    ax.set_ylim(0, 1.02)
    percent(ax.yaxis)
    ax.set_xlabel(_X.get(what, what))
    ax.set_ylabel(f"{_share_of(what)}\nwith so many points or fewer")
    return tidy(ax)


def quantiles(frame: pl.DataFrame, what: str = "score", by: str | None = None, ax: Axes | None = None, title: str = "") -> Axes:
    """Draw for each value of `by` a line from its lowest to its highest quantile, a dot for each with its interval.

    An end that is null is not drawn. frame: `scores.quantiles(run, [by], what=what)`; ax: as of `histogram`.
    """
    names = frame[by].unique(maintain_order=True).to_list() if by else [""]
    ax = ax or new_axes(title, height=1.5 + 0.5 * len(names))
    for place, name in enumerate(reversed(names)):
        rows = frame.filter(pl.col(by) == name) if by else frame
        ax.plot(rows["value"], [place] * len(rows), color=BLUE, linewidth=1)
        ends = rows.select("value", low=pl.coalesce("low", "value"), high=pl.coalesce("high", "value"))
        spread = [ends["value"] - ends["low"], ends["high"] - ends["value"]]
        ax.errorbar(rows["value"], [place] * len(rows), xerr=spread, fmt="o", color=BLUE, capsize=4)
        for value, probability in rows.select("value", "probability").iter_rows():
            ax.annotate(f"{probability:.0%}", (value, place), (0, 7), textcoords="offset points", ha="center", fontsize=8)
    ax.set_yticks(range(len(names)), [_name(by, name) for name in reversed(names)])
    ax.set_ylim(-0.5, len(names) - 0.3)
    ax.set_xlabel(f"{_X.get(what, what)}: that share has so many or fewer")
    return tidy(ax)


def _share_of(what: str) -> str:
    return "share of games (%)" if what in ("winner_score", "lead") else "share of seats (%)"


def _lines(frame: pl.DataFrame, by: str | None) -> Iterator[tuple[str, pl.DataFrame, str, str]]:
    if by is None:
        return
    names = frame[by].unique(maintain_order=True).to_list()
    for number, name in enumerate(names):
        look = number % len(COLORS)
        yield _name(by, name), frame.filter(pl.col(by) == name), COLORS[look], MARKERS[look]


def _name(by: str | None, value: object) -> str:
    """Return a value as a label: seats and sides are numbers and need their word."""
    return str(value) if by is None or isinstance(value, str) else f"{by} {value}"
