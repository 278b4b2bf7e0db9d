"""Pictures of a ladder: win shares of policies, and what doubling an option is worth."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from veggies_sim.plots.axes import BLUE, GREY, new_axes, percent, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def standings(frame: pl.DataFrame, par: float, ax: Axes | None = None, title: str = "") -> Axes:
    """Draw a dot with its interval for the win share of each policy, the best on top, and the par line.

    frame: `Ladder.standings`; ax: axes to draw on, by default those of a new figure with a title.
    """
    ax = ax or new_axes(title, height=1.5 + 0.35 * len(frame))
    places = range(len(frame), 0, -1)
    share = frame["win_share"]
    spread = [share - frame["win_low"], frame["win_high"] - share]
    ax.axvline(par, color=GREY, linestyle="--", linewidth=1)
    ax.errorbar(share, places, xerr=spread, fmt="o", color=BLUE, capsize=3, clip_on=False)
    ax.set_yticks(places, frame["policy"].to_list())
    ax.set_ylim(0.4, len(frame) + 0.6)
    ax.set_xlim(left=-0.03 * ax.get_xlim()[1])  # a dot at 0 stays off the axis
    percent(ax.xaxis)
    ax.set_xlabel("win share of a seat (% of games), 95% interval over deals")
    ax.annotate(f"par {par:.1%}", (par, 1), xycoords=("data", "axes fraction"), ha="center", va="bottom", color=GREY)
    return tidy(ax)


def skill_trace(frame: pl.DataFrame, par: float, option: str, ax: Axes | None = None, title: str = "") -> Axes:
    """Draw the win share of each doubled player against the one with half of the option, over the option.

    frame: `SkillTrace.steps`; option: its name; ax: axes to draw on, by default those of a new figure with a title.
    """
    ax = ax or new_axes(title)
    share, doubled = frame["win_share"], frame["doubled"]
    spread = [share - frame["win_low"], frame["win_high"] - share]
    ax.axhline(par, color=GREY, linestyle="--", linewidth=1)
    ax.errorbar(doubled, share, yerr=spread, fmt="o", color=BLUE, capsize=3, clip_on=False)
    ax.set_ylim(0, max(ax.get_ylim()[1], 1.2 * par))
    ax.set_xscale("log", base=2)
    labels = [f"{low:,} to {high:,}" for low, high in frame.select("option", "doubled").iter_rows()]
    ax.set_xticks(doubled.to_list(), labels, minor=False)
    percent(ax.yaxis)
    ax.set_xlabel(f"{option} doubled: from the other player's to the doubled player's")
    ax.set_ylabel("win share of the doubled player\n(% of games a seat), 95% interval")
    ax.annotate(f" par {par:.1%}", (1, par), xycoords=("axes fraction", "data"), ha="left", va="center", color=GREY)
    return tidy(ax)
