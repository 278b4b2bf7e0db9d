"""Pictures of kinds, actions, the bonus and other boards: frames of this folder in, axes out. Nothing is computed here.

Every function takes axes to draw on, by default those of a new figure, and returns them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from veggies_sim.analysis.metrics import SHARE
from veggies_sim.games.veggie_garden.analysis.actions import METRICS
from veggies_sim.games.veggie_garden.board import KINDS
from veggies_sim.plots.axes import BLUE, COLORS, GREY, MARKERS, ORANGE, new_axes, percent, tidy
from veggies_sim.plots.dots import dots

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SURE = 0.05  # rows with a p of at most this stand out
TITLES = {
    "value": "value of a card at the end", "best": "games in which no kind is worth more",
    "worst": "games in which no kind in play is worth less", "held": "cards in a hand",
    "held_by_winners": "cards in a winning hand", "in_play": "games with the kind in play",
    "share_of_points": "share of all points but the bonus",
    "taken": "taken when on offer", "chance": "if cards were taken equally often", "taken_last": "taken at the last pick",
    "score": "score of a seat", "winner_score": "winner's score", "score_sd": "spread of scores (standard deviation)",
    "lead": "winner's lead", "shared_wins": "shared wins", "bonus_share": "hands with every kind", "best_value": "best value",
    "worst_value": "worst value", "most_of_best": "wins with most of the best kind", "from_cards": "score differences due to cards",
    "seat_0_win": "win share of seat 0", "other_winner": "games with another winner",
}  # fmt: skip


def worth(frame: pl.DataFrame, metric: str = "value", ax: Axes | None = None, title: str = "") -> Axes:
    """Draw a metric of each kind, frame of `kinds.worth`."""
    rows = frame.filter(metric=metric)
    ax = dots(_named(rows, "kind"), rows["unit"][0], ax=ax, title=title)
    ax.set_xlabel(f"{TITLES[metric]} ({_unit(rows)}), 95% interval")
    return ax


def holders(frame: pl.DataFrame, ax: Axes | None = None, title: str = "") -> Axes:
    """Draw how many cards of each kind all hands and winning hands hold, frame of `kinds.worth`."""
    ax = _pair(frame, ("held_by_winners", "held"), ("winning hands", "all hands"), ax, title)
    ax.set_xlabel("cards of the kind in a hand, where it is in play, 95% interval")
    return ax


def taken(frame: pl.DataFrame, ax: Axes | None = None, title: str = "") -> Axes:
    """Draw how often each kind is taken when it is on offer, and would be by chance, frame of `kinds.taken`."""
    ax = _pair(frame, ("taken", "chance"), ("taken", "by chance: every card alike"), ax, title)
    percent(ax.xaxis)
    ax.set_xlabel("share of picks with the kind on offer that take it (%), 95% interval")
    return ax


def actions(frame: pl.DataFrame, ax: Axes | None = None, title: str = "") -> Axes:
    """Draw what each use of an action goes with in wins, among the seats of one game, frame of `actions.impact`."""
    drawn = next(metric for metric in METRICS if metric.key == "within")
    rows = frame.select(name=pl.col("action").str.replace("_", " "), value="within", low="within_low", high="within_high",
                        sure=pl.col("p_screen") <= SURE)  # fmt: skip
    ax = dots(rows, SHARE, 0.0, "stands out in a screen of all actions", ax, title)
    ax.set_xlabel(f"{drawn.title} (percentage points), 95% interval\nseats of one game compared; not what an action causes")
    return ax


def decides(frame: pl.DataFrame, ax: Axes | None = None, title: str = "") -> Axes:
    """Draw in how many games another bonus gives another winner, frame of `bonus.decides`."""
    rows = frame.filter(metric="other_winner").sort("bonus")
    ax = ax or new_axes(title)
    ax.errorbar(rows["bonus"], rows["value"], yerr=_ends(rows), color=BLUE, marker="o", capsize=3)
    ax.set_xticks(rows["bonus"].to_list())
    ax.set_ylim(bottom=0)
    percent(ax.yaxis)
    ax.set_xlabel("points for holding every kind; hands as recorded")
    ax.set_ylabel("games with another winner\nthan in the run (%), 95% interval")
    return tidy(ax)


def boards(frame: pl.DataFrame, metric: str = "lead", against: str = "", ax: Axes | None = None, title: str = "") -> Axes:
    """Draw how much a metric of each board differs, frame of `what_if.changes` with p_claim.

    against: in words, what the boards differ from.
    """
    rows = frame.filter(metric=metric)
    marked = rows.select(pl.col("board").alias("name"), "low", "high", value="change", sure=pl.col("p_claim") <= SURE)
    ax = dots(marked, rows["unit"][0], 0.0, "a difference that may be claimed", ax, title)
    unit = "percentage points" if rows["unit"][0] == SHARE else _unit(rows)
    ax.set_xlabel(f"{TITLES[metric]}: difference {against} ({unit}),\n95% interval over deals")
    return ax


def levels(frame: pl.DataFrame, metric: str = "lead", ax: Axes | None = None, title: str = "") -> Axes:
    """Draw a metric of each board, the first on top, frame of `what_if.levels`."""
    rows = frame.filter(metric=metric)
    ax = dots(_named(rows, "board"), rows["unit"][0], ax=ax, title=title, ordered=False)
    ax.set_xlabel(f"{TITLES[metric]} ({_unit(rows)}), 95% interval over deals")
    return ax


def players(frame: pl.DataFrame, ax: Axes | None = None, title: str = "") -> Axes:
    """Draw what each seat wins with each number of players, par as 1, frame of `what_if.seats_by_players`."""
    ax = ax or new_axes(title)
    ax.axhline(1, color=GREY, linestyle="--", linewidth=1)
    counts = frame["players"].unique(maintain_order=True).to_list()
    for place, (count, colour, mark) in enumerate(zip(counts, COLORS, MARKERS, strict=False)):
        rows = frame.filter(players=count)
        spread = [rows["of_par"] - rows["of_par_low"], rows["of_par_high"] - rows["of_par"]]
        seats = rows["seat"].cast(pl.Float64) + 0.06 * (place - (len(counts) - 1) / 2)
        ax.errorbar(seats, rows["of_par"], yerr=spread, color=colour, marker=mark, capsize=3, label=f"{count} players")
    ax.set_xticks(range(max(counts)))
    ax.set_xlabel("seat, in playing order")
    ax.set_ylabel("win share, 1 is par;\n95% intervals, all seats at once")
    ax.legend(frameon=False)
    return tidy(ax)


def _pair(frame: pl.DataFrame, metrics: tuple[str, str], words: tuple[str, str], ax: Axes | None, title: str) -> Axes:
    """Draw two metrics of each kind side by side."""
    ax = ax or new_axes(title, height=3)
    places = np.arange(len(KINDS), 0, -1)
    for metric, word, colour, mark, lift in zip(metrics, words, (BLUE, ORANGE), MARKERS, (0.12, -0.12), strict=False):
        rows = frame.filter(metric=metric)
        ax.errorbar(rows["value"], places + lift, xerr=_ends(rows), color=colour, fmt=mark, capsize=3, label=word)
    ax.set_yticks(places, KINDS)
    ax.set_ylim(0.4, len(KINDS) + 0.6)
    ax.legend(frameon=False, loc="lower center", bbox_to_anchor=(0.5, 1), ncols=2, fontsize=9)
    return tidy(ax)


def _named(rows: pl.DataFrame, column: str) -> pl.DataFrame:
    return rows.select(pl.col(column).alias("name"), "value", "low", "high", sure=pl.lit(False))


def _unit(rows: pl.DataFrame) -> str:
    return "%" if rows["unit"][0] == SHARE else str(rows["unit"][0])


def _ends(rows: pl.DataFrame) -> Any:
    """Return how far the ends of the intervals are from the values, as matplotlib wants it."""
    low, high = rows["value"] - rows["low"], rows["high"] - rows["value"]
    return np.maximum(np.nan_to_num(np.array([low.cast(pl.Float64).to_numpy(), high.cast(pl.Float64).to_numpy()])), 0)
