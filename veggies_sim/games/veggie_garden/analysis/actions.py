"""How seats fare that take each action, from recorded moves. This describes; it does not say what an action causes."""

from __future__ import annotations

import numpy as np
import polars as pl

from veggies_sim.analysis.corrections import SCREEN, corrected, two_sided
from veggies_sim.analysis.estimates import check_size, metric_interval
from veggies_sim.analysis.intervals import LEVEL, Floats
from veggies_sim.analysis.metrics import SHARE, Metric
from veggies_sim.analysis.sums import N, Sums
from veggies_sim.core.dataset import Run
from veggies_sim.games.veggie_garden.analysis.offers import recorded
from veggies_sim.games.veggie_garden.state import ACTION, LAST
from veggies_sim.games.veggie_garden.tables import ACTIONS


def _per(key: str, title: str, unit: str, doc: str, count: str, of: str) -> Metric:
    return Metric(key, title, unit, doc, (pl.col(count), pl.col(of)))


METRICS = (
    _per("times", "times in a game", "times", "how often any seat takes it, in a game", "times", "games"),
    _per("seats", "seats that take it", SHARE, "share of seats that take it at least once", "used", "all"),
    _per("win_share", "win share", SHARE, "of the seats that take it at least once", "used_win", "used"),
    _per("win_share_without", "win share without", SHARE, "of the seats that never take it", "unused_win", "unused"),
    _per("within", "win share for each use", "win share",
         "how much more a seat wins for each time more that it takes the action than the seats of its game on average", "xy", "xx"),
)  # fmt: skip
BIASES = (
    "An action is taken by a seat that had a use for it: its win share also tells who takes it and when, not only what it does.",
    "Each pick is one action: who takes one more often takes another less often, so their win shares hang together.",
    "The action comes with its card: a seat that takes peppers also holds peppers, and wins or loses by their value.",
    "Not every game has every kind, and not every seat is equally well placed: the last column compares seats of one game only.",
    "Where policies differ in strength, an action that the stronger ones like has a high win share.",
    "It holds for these policies; others may use the action in another way.",
)


def impact(run: Run, level: float = LEVEL) -> pl.DataFrame:
    """Return a row for each action that was taken at a pick with an action: a screen, to be read with BIASES.

    Columns: action; each of METRICS with NAME_low and NAME_high, the interval of confidence `level` for this action alone;
    p, of `within` equal to 0; p_screen, corrected for all actions. `within` is a regression of wins on times with a fixed
    effect for each game (Frisch and Waugh, Econometrica 1, 1933), its error clustered by deal. Raises InputError for a run
    without recorded moves, with fewer than 10 deals, or with damaged rows.
    """
    check_size(run)
    counts = _sums(run)
    used = counts["times"].sum(axis=0) > 0
    frame = pl.DataFrame({"action": [action for action, there in zip(ACTIONS, used, strict=True) if there]})
    found = Sums(frame, {}, run.deal_count)
    columns: dict[str, Floats] = {}
    for metric in METRICS:
        found.sums.update({f"{metric.key}.{i}": counts[each.meta.output_name()][:, used] for i, each in enumerate(metric.sums)})
        within, error = metric_interval(found, metric, level)
        columns |= {metric.key: within.value, f"{metric.key}_low": within.low, f"{metric.key}_high": within.high}
    p = two_sided(within.value, error, found.deals)
    columns |= {"p": p, "p_screen": corrected(p, SCREEN)}
    return frame.with_columns(pl.Series(name, np.asarray(values)) for name, values in columns.items()).fill_nan(None)


def _sums(run: Run) -> dict[str, Floats]:
    """Return sums over games [N, actions] of what METRICS divide, groups with no game left out."""
    count = len(ACTIONS)
    names = ("times", "games", "used", "all", "used_win", "unused", "unused_win", "xy", "xx")
    sums, players = {name: np.zeros((N, count)) for name in names}, run.game.players
    for moves in recorded(run):
        action = np.where(moves.move[:, : LAST - 1, :, 0] < 0, -1, moves.move[:, : LAST - 1, :, ACTION])
        action = np.ascontiguousarray(action.transpose(1, 2, 0).astype(np.int8))  # [T - 1, P, G]
        size = np.bincount(moves.group, minlength=N).astype(float)
        win = np.ascontiguousarray(moves.win.T)
        wins = np.bincount(moves.group, moves.win.sum(axis=1), N)
        for number in range(count):
            times = (action == number).sum(axis=0, dtype=np.int8)  # [P, G]
            used, total = times > 0, times.sum(axis=0, dtype=np.int16)
            apart = times - total / players
            each = {
                "times": total, "used": used.sum(axis=0), "used_win": (used * win).sum(axis=0),
                "xy": (apart * win).sum(axis=0), "xx": (apart * apart).sum(axis=0),
            }  # fmt: skip
            part = {name: np.bincount(moves.group, values, N) for name, values in each.items()}
            part |= {"games": size, "all": players * size}
            part |= {"unused": part["all"] - part["used"], "unused_win": wins - part["used_win"]}
            for name, values in part.items():
                sums[name][:, number] += values
    there = sums["games"][:, 0] > 0
    return {name: each[there] for name, each in sums.items()}
