"""Pictures of the shape of play; frames: those of `shape.Shape`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from veggies_sim.plots.axes import BLUE, GREY, new_axes, percent, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def decided(frame: pl.DataFrame, ax: Axes | None = None, title: str = "") -> Axes:
    """Draw in how many games the winner stays ahead from each turn on. frame: `Shape.decided`.

    ax: axes to draw on, by default those of a new figure with a title.
    """
    ax = ax or new_axes(title)
    share = frame["decided"]
    ax.errorbar(frame["turn"], share, yerr=[share - frame["low"], frame["high"] - share], fmt="o-", color=BLUE, capsize=3)
    _turns(ax, frame)
    ax.set_ylim(0, 1.02)
    percent(ax.yaxis)
    ax.set_ylabel("games whose winner stays ahead\nfrom then on (%), 95% intervals")
    return tidy(ax)


def lead_changes(frame: pl.DataFrame, ax: Axes | None = None, title: str = "") -> Axes:
    """Draw how many games have 0, 1, ... changes of the lead. frame: `Shape.changes`; ax: as of `decided`."""
    ax = ax or new_axes(title)
    _bars(ax, frame["changes"].to_list(), frame)
    ax.set_xticks(frame["changes"].to_list())
    ax.set_xlabel("changes of the lead in a game")
    return tidy(ax)


def half_time(frame: pl.DataFrame, ax: Axes | None = None, title: str = "") -> Axes:
    """Draw where winners stood at half time. frame: `Shape.half_time`; ax: as of `decided`."""
    ax = ax or new_axes(title)
    places = list(range(len(frame)))
    _bars(ax, places, frame)
    labels = ["several sides\nwon" if word == "shared" else f"winner was\n{word}" for word in frame["winner"]]
    for place, (word, points) in enumerate(frame.select("winner", "points").iter_rows()):
        if points is not None:
            labels[place] = f"winner was {word},\nby {points:.1f} points"
    ax.set_xticks(places, labels)
    ax.set_xlabel("at half time (points: a mean)")
    return tidy(ax)


def _bars(ax: Axes, places: list[int], frame: pl.DataFrame) -> None:
    share = frame["share"]
    ax.bar(places, share, width=0.7, color=BLUE)
    ax.errorbar(places, share, yerr=[share - frame["low"], frame["high"] - share], fmt="none", color="black", capsize=3)
    for place, value, high in zip(places, share, frame["high"], strict=True):
        ax.annotate(f"{value:.1%}", (place, high), (0, 4), textcoords="offset points", ha="center", fontsize=8)
    percent(ax.yaxis)
    ax.set_ylabel("share of games (%), 95% intervals")


def choices(frame: pl.DataFrame, ax: Axes | None = None, title: str = "") -> Axes:
    """Draw how many choices there are at each turn: mean, and where half and nine tenths of all moves lie.

    frame: `Shape.choices`; ax: as of `decided`.
    """
    ax = ax or new_axes(title)
    turn, mean = frame["turn"], frame["choices"]
    ax.fill_between(turn, frame["p5"], frame["p95"], color=BLUE, alpha=0.15, linewidth=0, label="9 of 10 moves (5% to 95%)")
    ax.fill_between(turn, frame["p25"], frame["p75"], color=BLUE, alpha=0.3, linewidth=0, label="half of the moves (25% to 75%)")
    ax.plot(turn, frame["p50"], color=GREY, linestyle="--", label="median")
    spread = [mean - frame["low"], frame["high"] - mean]
    ax.errorbar(turn, mean, yerr=spread, fmt="o", color=BLUE, capsize=3, label="mean, 95% interval")
    _turns(ax, frame)
    ax.set_ylim(bottom=0)
    ax.set_ylabel("choices a move (legal moves)")
    ax.legend(frameon=False, loc="upper left")
    return tidy(ax)


def _turns(ax: Axes, frame: pl.DataFrame) -> None:
    from matplotlib.ticker import MaxNLocator

    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set_xlabel("turn, as the game counts them")
