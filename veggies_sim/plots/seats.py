"""Pictures of what seats are worth: win shares and scores by seat, how wins came about, and luck."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from veggies_sim.plots.axes import BLUE, COLORS, GREY, new_axes, percent, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_TOGETHER = "95% intervals, all seats at once"
_SOURCES = {
    "deal": "luck of the deal",
    "line-up": "skill: who sits where",
    "interaction": "deals that suit some line-ups",
    "rest": "other luck",
}


def advantage(frame: pl.DataFrame, ax: Axes | None = None, title: str = "") -> Axes:
    """Draw the win share of each seat or side, with par as 1, its simultaneous interval, and the par line.

    frame: `seats.advantage`; ax: axes to draw on, by default those of a new figure with a title.
    """
    ax = _dots(frame, "of_par", "of_par", ax, title)
    ax.axvline(1, color=GREY, linestyle="--", linewidth=1)
    ax.annotate("par", (1, 1), xycoords=("data", "axes fraction"), ha="center", va="bottom", color=GREY)
    for place, share in enumerate(reversed(frame["win_share"].to_list())):
        ax.annotate(f"{share:.1%}", (1.01, place), xycoords=("axes fraction", "data"), va="center", color=GREY)
    ax.set_xlabel(f"win share, par = 1; at the right in % of games\n({_TOGETHER})")
    return ax


def scores(frame: pl.DataFrame, ax: Axes | None = None, title: str = "") -> Axes:
    """Draw the mean score of each seat or side with its simultaneous interval. frame, ax: as of `advantage`."""
    ax = _dots(frame, "score", "score", ax, title)
    ax.set_xlabel(f"score of a seat (mean, points)\n({_TOGETHER})")
    return ax


def _dots(frame: pl.DataFrame, name: str, stem: str, ax: Axes | None, title: str) -> Axes:
    ax = ax or new_axes(title, height=1.5 + 0.35 * len(frame))
    places = range(len(frame) - 1, -1, -1)
    value = frame[name]
    spread = [value - frame[f"{stem}_low"], frame[f"{stem}_high"] - value]
    ax.errorbar(value, places, xerr=spread, fmt="o", color=BLUE, capsize=3)
    ax.set_yticks(places, _names(frame))
    ax.set_ylim(-0.6, len(frame) - 0.4)
    return tidy(ax)


def _names(frame: pl.DataFrame) -> list[str]:
    """Return a label for each row, by its first column: seat or team."""
    first = frame.columns[0]
    word = "side" if first == "team" else first
    return [f"{word} {value}{', plays first' * (word == 'seat' and value == 0)}" for value in frame[first]]


def ways(frame: pl.DataFrame, ax: Axes | None = None, title: str = "") -> Axes:
    """Draw how each seat or side wins: a bar of clear wins, tie-breaks (if any) and shared wins. frame: `seats.ways_to_win`."""
    by = frame.columns[0]
    seats = frame.select(by).unique(maintain_order=True)
    ax = ax or new_axes(title, height=1.6 + 0.4 * len(seats))
    places, left = list(range(len(seats) - 1, -1, -1)), [0.0] * len(seats)
    for way, color, hatch in zip(frame["way"].unique(maintain_order=True), COLORS, ("", "//", ".."), strict=False):
        share = frame.filter(pl.col("way") == way)["share"].to_list()
        ax.barh(places, share, left=left, height=0.6, color=color, hatch=hatch, edgecolor="white", label=way)
        left = [a + b for a, b in zip(left, share, strict=True)]
    ax.set_yticks(places, _names(seats))
    ax.set_ylim(-0.6, len(seats) - 0.4)
    percent(ax.xaxis)
    ax.set_xlabel("share of games won (%); a shared win counts for each who shares it")
    ax.legend(frameon=False, ncols=3, loc="lower left", bbox_to_anchor=(0, 1))
    return tidy(ax)


def luck(frame: pl.DataFrame, ax: Axes | None = None, title: str = "") -> Axes:
    """Draw the share of the variance of margins that comes from each source, with its interval. frame: `luck.luck`."""
    ax = ax or new_axes(title, height=1.5 + 0.4 * len(frame))
    places = range(len(frame) - 1, -1, -1)
    share = frame["share"]
    ax.barh(places, share, height=0.6, color=BLUE)
    spread = [(share - frame["low"]).clip(0), (frame["high"] - share).clip(0)]
    ax.errorbar(share, places, xerr=spread, fmt="none", color="black", capsize=3)
    for place, value, high in zip(places, share, frame["high"], strict=True):
        if value is not None:
            ax.annotate(f"{value:.1%}", (value if high is None else high, place), (6, 0), textcoords="offset points", va="center")
    ax.set_yticks(places, [_SOURCES.get(source, source) for source in frame["source"]])
    ax.set_xlim(0, 1.12)
    ax.set_xticks([0, 0.25, 0.5, 0.75, 1])
    percent(ax.xaxis)
    ax.set_xlabel("share of the variance of a seat's margin (%), 95% intervals over deals")
    return tidy(ax)
