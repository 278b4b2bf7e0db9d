"""The picture of challenges: how often each is met."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from veggies_sim.plots.axes import COLORS, new_axes, percent, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MARKS = "osD^vPX*"  # colours come again, marks with other colours: 40 rows of a challenge can be told apart


def chances(frame: pl.DataFrame, ax: Axes | None = None, title: str = "") -> Axes:
    """Draw a dot with its interval for the chance of meeting each challenge, one below the other for each policy.

    frame: `challenges.challenges`; ax: axes to draw on, by default those of a new figure with a title.
    """
    by = frame.columns[2]
    names, sets = frame["challenge"].unique(maintain_order=True), frame[by].unique(maintain_order=True)
    ax = ax or new_axes(title, height=1.4 + len(names) * (0.3 + 0.16 * len(sets)))
    place = {name: i for i, name in enumerate(names)}
    for i, each in enumerate(sets):
        rows = frame.filter(pl.col(by) == each)
        at = [place[name] + 0.7 * ((i + 0.5) / len(sets) - 0.5) for name in rows["challenge"]]
        spread = [rows["chance"] - rows["low"], rows["high"] - rows["chance"]]
        colour, mark = COLORS[i % len(COLORS)], _MARKS[i % len(_MARKS)]
        ax.errorbar(rows["chance"], at, xerr=spread, fmt=mark, color=colour, markersize=5, capsize=2, clip_on=False, label=each)
    ax.set_yticks(range(len(names)), names.to_list())
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.set_xlim(left=-0.02 * ax.get_xlim()[1])  # a dot at 0 stays off the axis
    ax.grid(axis="x", color="#DDDDDD", linewidth=0.6)
    percent(ax.xaxis)
    ax.set_xlabel("chance of a seat (% of games), 95% interval over deals")
    if len(sets) > 1:
        ax.legend(title=by, fontsize=8, frameon=False, loc="upper left", bbox_to_anchor=(1, 1))
    return tidy(ax)
