"""What a seat is worth: win shares and scores by seat, how wins came about, and how much of a margin is luck of the deal.

Where seats share a side (teams), `by="team"` speaks of sides. S seats or sides, G groups of deals (see `sums`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import polars as pl

from veggies_sim.analysis.estimates import LEAST_DEALS, check_size, estimates, left_out, level_each, measured
from veggies_sim.analysis.intervals import LEVEL, Floats, games_needed, grown, in_games
from veggies_sim.analysis.line_ups import par_of
from veggies_sim.analysis.luck import luck
from veggies_sim.analysis.metrics import POINTS, SHARE, Metric, metrics_of, ratio, summed
from veggies_sim.analysis.sums import check_run, group_sums
from veggies_sim.core.checks import one_of
from veggies_sim.core.dataset import Run

MOST_DEALS, MOST_GAMES = 100_000, 2_000_000  # of the shares of luck: they hold all margins in memory
_ONE, _WIN = pl.lit(1.0), pl.col("win").cast(pl.Float64)
_WAYS = {
    "clear": (pl.col("win") == 1) & (pl.col("margin") > 0),
    "tie-break": (pl.col("win") == 1) & (pl.col("margin") == 0),
    "shared": (pl.col("win") > 0) & (pl.col("win") < 1),
}


def advantage(run: Run, by: str = "seat", level: float = LEVEL) -> pl.DataFrame:
    """Return a row for each seat, or with `by` "team" for each side: what it wins and scores.

    Columns: seat or team; win_share with win_low and win_high; of_par with of_par_low and of_par_high, the same with par as
    1; score, margin and above with _low and _high: points of a seat, its side's lead over the best other side, and points
    more than the mean of all seats or sides, deal by deal. The intervals of a column hold together with confidence `level`
    (`estimates.level_each`). See `caution` for when a row may say more of a policy than of a seat.
    """
    one_of(by, "by", ("seat", "team"))
    every = metrics_of(check_run(run).game)
    above = Metric("above", "points above the mean", POINTS, "points of a seat minus the mean of all",
                   every["score"].sums, _above_mean)  # fmt: skip
    found = estimates(run, [every["win_share"], every["score"], every["margin"], above], [by], level, together=True)
    frame = found.select(by).unique(maintain_order=True)
    par = par_of(run.game)
    for metric, name, stem, unit in (
        ("win_share", "win_share", "win", 1), ("win_share", "of_par", "of_par", par), ("score", "score", "score", 1),
        ("margin", "margin", "margin", 1), ("above", "above", "above", 1),
    ):  # fmt: skip
        named = {"value": name, "low": f"{stem}_low", "high": f"{stem}_high"}
        rows = found.filter(pl.col("metric") == metric)
        frame = frame.with_columns((rows[column] / unit).alias(alias) for column, alias in named.items())
    return frame


def _above_mean(value: Floats, weight: Floats) -> Floats:
    mean = ratio(value, weight)
    return mean - mean.mean(axis=-1, keepdims=True)


def equal_seats(run: Run) -> pl.DataFrame:
    """Return tests of "all seats are equal": a row for win shares, of sides, and one for scores, of seats.

    Columns: metric; compared, how many sides or seats; statistic, F; df and df_rest, its degrees of freedom; p_value; note,
    why there is no test, else "". Hotelling's T2 of the differences to the last seat or side over groups of deals
    (statsmodels `test_mvmean`), by the jackknife's pseudo-values, which are the groups' own means where all groups are of
    one size (Miller, Biometrika 61, 1974).
    """
    check_size(run)
    every = metrics_of(run.game)
    found = [_equal(run, every["win_share"], "team"), _equal(run, every["score"], "seat")]
    return pl.DataFrame(found, orient="row", schema={
        "metric": pl.String, "compared": pl.Int64, "statistic": pl.Float64, "df": pl.Int64, "df_rest": pl.Int64,
        "p_value": pl.Float64, "note": pl.String,
    })  # fmt: skip


def _equal(run: Run, metric: Metric, by: str) -> tuple[object, ...]:
    from scipy import stats
    from statsmodels.stats.multivariate import test_mvmean

    sums = group_sums(run, summed([metric]), [by])
    value, _ = measured(sums, metric)
    without = left_out([sums.sums[f"{metric.key}.{i}"] for i in range(len(metric.sums))], metric)
    groups, compared = without.shape
    pseudo = groups * (value[:-1] - value[-1]) - (groups - 1) * (without[:, :-1] - without[:, -1:])
    same = np.ptp(pseudo, axis=0).min() < 1e-9 or np.linalg.matrix_rank(pseudo - pseudo.mean(axis=0)) < compared - 1
    row = (metric.key, compared, None, compared - 1, groups - compared + 1, None)
    if same:
        return *row, "no test: the differences never vary"
    if compared == 2:  # what T2 is then; statsmodels wants more than one difference
        t, p_value = stats.ttest_1samp(pseudo[:, 0], 0)
        return *row[:2], float(t**2), *row[3:5], float(p_value), ""
    test = test_mvmean(pseudo, np.zeros(compared - 1))
    return *row[:2], float(test.statistic), *row[3:5], float(test.pvalue), ""


def ways_to_win(run: Run, by: str = "seat", level: float = LEVEL) -> pl.DataFrame:
    """Return how often each seat (or side, `by` "team") wins in each way: a row for each of both.

    Columns: seat or team; way: clear (most points), tie-break (equal points, the tie-break decides; only of games that have
    one), shared (with other sides); share of games, with low and high, intervals that hold together for a way (Bonferroni).
    """
    one_of(by, "by", ("seat", "team"))
    ways = {way: each for way, each in _WAYS.items() if way != "tie-break" or "tie_breaks" not in check_run(run).game.never}
    metrics = [Metric(way, way, SHARE, "share of games", (each, _ONE)) for way, each in ways.items()]
    found = estimates(run, metrics, [by], level, together=True)
    return found.select(by, way="metric", share="value", low="low", high="high").sort(by, maintain_order=True)


def games_for(run: Run, wish: float = 0.005, by: str = "seat", level: float = LEVEL) -> pl.DataFrame:
    """Return how many games would bring the intervals of win shares to `wish` on either side, 0.005 being half a % point.

    Columns: seat or team; win_share; half, of the interval now, all together at `level`; games now; needed, all games of
    the run then. Raises InputError for a wish that is not above 0.
    """
    metric = metrics_of(check_run(run).game)["win_share"]
    found = estimates(run, [metric], [one_of(by, "by", ("seat", "team"))], level, together=True)
    each = level_each(run.game, metric, [by], len(found), level)
    needed = games_needed(found["error"].to_numpy(), run.deal_count, run.games_per_deal, wish, each)
    half = (found["high"] - found["low"]) / 2
    # Where all deals end alike there is no error to go by, and the interval counts the deals.
    told = in_games(np.ceil(grown(run.deal_count, half.to_numpy(), wish)) * run.games_per_deal)
    needed = np.where(found["error"].to_numpy() < 1e-9, told, needed)
    return found.select(by, win_share="value", half=half, games=pl.lit(run.manifest.games, pl.Int64), needed=pl.Series(needed))


def caution(run: Run) -> str:
    """Return why a difference between seats may come from their policies; "" where it can't."""
    policies = check_run(run).manifest.policies
    if len({*policies}) == 1 or run.manifest.rotate_seats:
        return ""
    who = ", ".join(f"seat {seat} {policy}" for seat, policy in enumerate(policies))
    return (
        f"Each seat had its own policy all the time ({who}): what a seat wins more may come from who sat there. "
        "Play with --rotate-seats (rotate_seats=True) to tell seats from policies."
    )


class Luck(NamedTuple):
    """Where the variance of margins comes from; `frame` is None where that can't be told."""

    frame: pl.DataFrame | None  # see `luck.luck`
    note: str  # how it was computed, or why it can't be


def luck_shares(run: Run) -> Luck:
    """Return how much of the margins is luck of the deal, how much who sits where, and how much the rest.

    Deals must be played more than once: by other line-ups (rotated seats: what is due to the line-up is skill) or again by
    the same one (then nothing can be said of skill). Rotations that seat everybody as before count as plays of one
    line-up. Only deals with all their games are used, at most the first MOST_DEALS, or those of the first MOST_GAMES games.
    """
    if check_run(run).games_per_deal == 1:
        return Luck(None, "Each deal was played once, so luck of the deal can't be told from the rest. "
                    "Play deals again with --plays-per-deal or --rotate-seats.")  # fmt: skip
    most = max(LEAST_DEALS, min(MOST_DEALS, MOST_GAMES // run.games_per_deal))
    margin = _margins(run, most)
    if len(margin) < LEAST_DEALS:
        return Luck(None, f"{len(margin)} deals with all their games are too few to share out luck; at least {LEAST_DEALS}.")
    first = f"the first {len(margin):,}" if len(margin) == most < run.deal_count else f"{len(margin):,}"
    games = f"Of {first} deals, {run.games_per_deal} games each, {margin.shape[1]} line-up{'s' * (margin.shape[1] > 1)}."
    same = " One line-up says nothing of skill." if margin.shape[1] == 1 else ""
    return Luck(luck(margin), games + same)


def _margins(run: Run, most: int) -> Floats:
    """Return the margins [D, L, R, P] of the first complete deals: L different line-ups, R plays of each."""
    players, rows = run.game.players, run.games_per_deal * run.game.players
    pieces, held = [], 0
    for part in run.scan_parts("seats"):
        pieces.append(run.collected(part.select("deal", pl.col("margin").cast(pl.Float64)).head((most + 1) * rows - held)))
        held += len(pieces[-1])
        if held >= (most + 1) * rows:
            break
    found = pl.concat(pieces).filter(pl.len().over("deal") == rows)["margin"].to_numpy()[: most * rows]
    turns = players if run.manifest.rotate_seats else 1
    by_turn = found.reshape(-1, run.manifest.plays_per_deal, turns, players)
    policies = run.manifest.policies
    line_ups = [tuple(policies[(seat + turn) % players] for seat in range(players)) for turn in range(turns)]
    period = len({*line_ups})  # the rotations repeat themselves after so many
    split = by_turn.reshape(len(by_turn), -1, period, players)
    return np.ascontiguousarray(split.swapaxes(1, 2))
