"""Pictures of goods and rats: one for each frame of `goods` and `rats`, under the same name. Nothing is computed here.

Every function takes axes to draw on, by default those of a new figure, and returns them. Goods have the colours of the
drawings of stands (`drawing.COLOUR`), a dark edge, and their letters.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from veggies_sim.analysis.metrics import POINTS, SHARE
from veggies_sim.games.veggies.deck import GOODS, LETTER
from veggies_sim.games.veggies.drawing import COLOUR
from veggies_sim.plots.axes import BLUE, GREEN, GREY, ORANGE, PURPLE, legend_above, new_axes, percent, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Style = tuple[str, str, str]  # colour, marker, line
LINES: tuple[Style, ...] = ((BLUE, "o", "-"), (ORANGE, "s", "--"), (GREEN, "^", "-."), (PURPLE, "D", ":"))
EDGE = "#222222"
UNITS = {POINTS: "points", SHARE: "%"}
TITLES = {
    "score": "score of a seat", "winner_score": "winning side's score", "score_sd": "spread of scores (standard deviation)",
    "lead": "winner's lead", "margin": "margin", "win_share": "win share of a seat", "shared_wins": "shared wins",
    "tie_breaks": "wins by tie-break", "other_winner": "another winner", "rats": "visible rats of a stand",
    "named_win": "win share of the named policy", "changed_moves": "choices changed",
    "points": "what it brings a seat", "points_when_scored": "what it brings a seat when scored",
    "scored": "games in which it is scored",
    "share_of_points": "share of all points", "largest": "spaces of the largest group",
}  # fmt: skip


def by_rats(frame: pl.DataFrame, metric: str = "score", ax: Axes | None = None, title: str = "") -> Axes:
    """Draw a metric (score, win_share or margin) of stands over their rats, frame of `rats.by_rats`."""
    rows = frame.filter(metric=metric)
    ax = ax or new_axes(title)
    _dots(ax, range(len(rows)), rows, LINES[0])
    ax.set_xticks(range(len(rows)), [f"{r}\n({_short(n)})" for r, n in rows.select("rats", "stands").iter_rows()])
    ax.set_xlabel("visible rats of the stand (number of such stands)")
    return _scale(ax, metric, rows)


def rescored(
    frame: pl.DataFrame, metrics: tuple[str, ...] = ("other_winner", "tie_breaks", "shared_wins"), ax: Axes | None = None,
    title: str = "",
) -> Axes:  # fmt: skip
    """Draw metrics of one unit over the penalty for a rat, frame of `rats.rescored`."""
    ax = ax or new_axes(title)
    for metric, style in zip(metrics, LINES, strict=False):
        rows = frame.filter(metric=metric)
        _dots(ax, rows["penalty"], rows, style, TITLES[metric])
    ax.set_xticks(frame["penalty"].unique().sort().to_list())
    ax.set_xlabel("points lost for each visible rat; stands and announcements as recorded")
    _scale(ax, metrics[0], rows, "share of games (%)" if rows["unit"][0] == SHARE else "points")
    legend_above(ax)
    return ax


def curve(
    frame: pl.DataFrame, metric: str = "score", ax: Axes | None = None, title: str = "", style: Style = LINES[0],
    label: str | None = None,
) -> Axes:  # fmt: skip
    """Draw a metric over the rats in the deck, frame of `rats.curve`; style and label tell several lines apart."""
    rows = frame.filter(metric=metric)
    ax = ax or new_axes(title)
    _dots(ax, rows["rats_in_deck"], rows, style, label)
    ax.set_xticks(rows["rats_in_deck"].to_list())
    ax.set_xlabel("rats on the cards of the deck; players free to adapt")
    return _scale(ax, metric, rows)


def side_by_side(frame: pl.DataFrame, ax: Axes | None = None, title: str = "") -> Axes:
    """Draw the points per rat of each way, frame of `rats.side_by_side`; without rats some have none, and no place."""
    frame = frame.drop_nulls("value")
    ax = ax or new_axes(title, height=1.2 + 0.45 * len(frame))
    places = range(len(frame), 0, -1)
    ax.axvline(0, color=GREY, linewidth=1)
    ax.errorbar(frame["value"], places, xerr=_ends(frame), fmt="o", color=BLUE, capsize=3)
    for place, value in zip(places, frame["value"], strict=True):
        ax.annotate(f"{value:.2f}", (value, place), xytext=(0, 7), textcoords="offset points", ha="center", fontsize=8,
                    bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.5})  # fmt: skip
    ax.set_yticks(places, [way.replace(", ", ",\n") for way in frame["way"]])
    ax.set_ylim(0.5, len(frame) + 0.7)
    ax.margins(x=0.1)
    ax.set_xlabel("points of a seat per rat, 95% interval\neach way answers another question")
    return tidy(ax)


def announced(frame: pl.DataFrame, ax: Axes | None = None, title: str = "") -> Axes:
    """Draw in what share of games each good is announced by 0, 1, 2, ... seats, frame of `goods.announced`."""
    from matplotlib import colormaps

    ax = ax or new_axes(title)
    left = np.zeros(len(GOODS))
    numbers = frame["seats"].unique().sort().to_list()
    for seats in numbers:
        share = frame.filter(seats=seats)["share"].to_numpy()
        ax.barh(_places(), share, left=left, color=colormaps["cividis_r"](seats / numbers[-1]), edgecolor="white", label=str(seats))
        left += share
    _named_goods(ax)
    ax.set_xlim(0, 1)
    percent(ax.xaxis)
    ax.set_xlabel("share of games (%)")
    words = "announced by so many seats"
    legend_above(ax, words, ncols=len(numbers))
    return tidy(ax)


def worth(frame: pl.DataFrame, metric: str = "points", ax: Axes | None = None, title: str = "") -> Axes:
    """Draw a metric of each good, frame of `goods.worth`."""
    rows = frame.filter(metric=metric)
    ax = ax or new_axes(title)
    ax.barh(_places(), rows["value"].fill_null(0), color=[COLOUR[good] for good in GOODS], edgecolor=EDGE)
    ax.errorbar(rows["value"], _places(), xerr=_ends(rows), fmt="none", color=EDGE, capsize=3)
    _named_goods(ax)
    ax.set_xlim(left=0)
    if rows["unit"][0] == SHARE:
        percent(ax.xaxis)
    ax.set_xlabel(f"{TITLES[metric]} ({UNITS[rows['unit'][0]]}), 95% interval")
    return tidy(ax)


def sizes(frame: pl.DataFrame, ax: Axes | None = None, title: str = "") -> Axes:
    """Draw each good by its mean number of groups and mean largest group, frame of `goods.sizes`."""
    ax = ax or new_axes(title)
    number, size = (frame.filter(metric=metric).drop_nulls("value") for metric in ("groups", "largest"))
    found = sorted(zip(number["value"], size["value"], number["good"], strict=True))
    for place, (x, y, good) in enumerate(found):
        side, lift = ("left", 11) if place % 2 == 0 else ("right", -11)  # neighbours name themselves to different sides
        ax.plot(x, y, "o", color=COLOUR[good], markeredgecolor=EDGE, markersize=16)
        ax.annotate(LETTER[good], (x, y), ha="center", va="center", fontweight="bold", fontsize=9)
        ax.annotate(good, (x, y), xytext=(lift, 0), textcoords="offset points", ha=side, va="center", fontsize=9)
    ax.margins(0.25)
    ax.set_xlabel("groups of the good in a stand (mean)")
    ax.set_ylabel("its largest group (mean, spaces)")
    return tidy(ax)


def shapes(frame: pl.DataFrame, good: str, ax: Axes | None = None, title: str = "") -> Axes:
    """Draw how many stands have each number of groups and largest group of a good, frame of `goods.shapes`."""
    from matplotlib.colors import LogNorm

    rows = frame.filter(good=good)
    ax = ax or new_axes(title)
    size, number = rows["largest"].to_numpy().astype(int), rows["groups"].to_numpy().astype(int)
    table = np.full((size.max() + 1, number.max() + 1), np.nan)
    table[size, number] = rows["stands"].to_numpy()
    image = ax.imshow(table, origin="lower", aspect="auto", cmap="cividis_r", norm=LogNorm(vmin=1, vmax=max(2, np.nanmax(table))))
    ax.figure.colorbar(image, ax=ax, label="stands")
    ax.set_xticks(range(table.shape[1]))
    ax.set_xlabel(f"groups of {good} in a stand")
    ax.set_ylabel("its largest group (spaces)")
    return ax


def trade_off(frame: pl.DataFrame, metric: str = "points", ax: Axes | None = None, title: str = "") -> Axes:
    """Draw a metric (points, or largest) of each good over its number of groups, frame of `goods.trade_off`."""
    ax = ax or new_axes(title)
    for good in GOODS:
        rows = frame.filter(good=good, metric=metric)
        ax.errorbar(rows["low_groups"], rows["value"], yerr=_ends(rows), color=EDGE, linewidth=3, capsize=3)
        ax.plot(rows["low_groups"], rows["value"], color=COLOUR[good], linewidth=2, marker="o", markeredgecolor=EDGE, zorder=4,
                label=f"{LETTER[good]} {good}")  # fmt: skip
        ax.annotate(LETTER[good], (rows["low_groups"][-1], rows["value"][-1]), xytext=(7, 0), textcoords="offset points",
                    va="center", fontweight="bold")  # fmt: skip
    legend_above(ax)
    ax.set_xlabel("groups of the good in a stand; the last point: so many or more")
    words = "largest group x number of groups (points)" if metric == "points" else f"{TITLES[metric]} (mean)"
    ax.set_ylabel(f"{words},\n95% interval")
    return tidy(ax)


def carriers(frame: pl.DataFrame, ax: Axes | None = None, title: str = "") -> Axes:
    """Draw how often each good brings most points, to winners and to all seats, frame of `goods.carriers`."""
    ax = ax or new_axes(title)
    for metric, style, lift in (("winners", LINES[0], 0.12), ("seats", LINES[1], -0.12)):
        rows = frame.filter((pl.col("metric") == metric) & (pl.col("good") != "none"))
        words = "winning seats" if metric == "winners" else "all seats"
        ax.errorbar(rows["value"], _places() + lift, xerr=_ends(rows), color=style[0], fmt=style[1], capsize=3, label=words)
    _named_goods(ax)
    ax.set_xlim(left=0)
    percent(ax.xaxis)
    ax.set_xlabel("seats to which the good brings most points (% of seats), 95% interval")
    legend_above(ax)
    return tidy(ax)


def symmetry(frame: pl.DataFrame, ax: Axes | None = None, title: str = "") -> Axes:
    """Draw each good's share of announcements and the share of equal goods, frame of `goods.symmetry`."""
    ax = ax or new_axes(title)
    equal = frame["equal"].drop_nulls()
    if len(equal):
        ax.axvline(equal[0], color=GREY, linestyle="--", linewidth=1)
        ax.annotate(f"all alike {equal[0]:.0%}", (equal[0], 1), xycoords=("data", "axes fraction"), ha="center", va="bottom",
                    color=GREY)  # fmt: skip
    for place, row in zip(_places(), frame.iter_rows(named=True), strict=True):
        if row["share"] is not None:
            spread = [[row["share"] - row["low"]], [row["high"] - row["share"]]]
            ax.errorbar([row["share"]], [place], xerr=spread, fmt="o", color=COLOUR[row["good"]], markeredgecolor=EDGE,
                        ecolor=EDGE, markersize=9, capsize=3)  # fmt: skip
    _named_goods(ax)
    ax.set_xlim(left=0)
    percent(ax.xaxis)
    ax.set_xlabel("share of announcements (%), 95% interval for all goods together")
    return tidy(ax)


def _short(number: int) -> str:
    """Return a number in few letters.

    >>> _short(360), _short(2_291), _short(665_157), _short(3_000_000)
    ('360', '2.3k', '665k', '3.0M')
    """
    for size, letter in ((10**6, "M"), (10**3, "k")):
        if number >= size:
            return f"{number / size:.{1 if number < 10 * size else 0}f}{letter}"
    return str(number)


def _places() -> Any:
    """Return the places of the goods on an upright axis, the first on top."""
    return np.arange(len(GOODS), 0, -1)


def _named_goods(ax: Axes) -> None:
    ax.set_yticks(_places(), [f"{good}  {LETTER[good]}" for good in GOODS])
    ax.set_ylim(0.4, len(GOODS) + 0.6)


def _ends(rows: pl.DataFrame) -> Any:
    """Return how far the ends of the intervals are from the values, as matplotlib wants it."""
    low, high = rows["value"] - rows["low"], rows["high"] - rows["value"]
    return np.maximum(np.nan_to_num(np.array([low.cast(pl.Float64).to_numpy(), high.cast(pl.Float64).to_numpy()])), 0)


def _dots(ax: Axes, x: Any, rows: pl.DataFrame, style: Style, label: str | None = None) -> None:
    colour, marker, line = style
    ax.errorbar(x, rows["value"], yerr=_ends(rows), color=colour, marker=marker, linestyle=line, capsize=3, label=label)


def _scale(ax: Axes, metric: str, rows: pl.DataFrame, words: str = "") -> Axes:
    """Name the upright axis with its unit, from 0 where a share is drawn."""
    unit = rows["unit"][0]
    if unit == SHARE:
        ax.set_ylim(bottom=0)
        percent(ax.yaxis)
    words = words or f"{TITLES.get(metric, metric)} ({UNITS.get(unit, unit)})"
    ax.set_ylabel(f"{words}, 95% interval")
    return tidy(ax)
