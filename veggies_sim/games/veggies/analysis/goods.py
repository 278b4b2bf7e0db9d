"""What each good is worth: who announces it, the points it brings, size against number of groups, who wins by it, symmetry.

Goods that do not occur in the deck keep their rows, with `in_deck` false or with nothing measured; tests leave them out.
"""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import polars as pl

from veggies_sim.analysis.estimates import check_size, estimates, metric_interval, split_metric
from veggies_sim.analysis.intervals import LEVEL, Floats
from veggies_sim.analysis.metrics import POINTS, SHARE, Metric, ratio, summed
from veggies_sim.analysis.sums import check_run, group_frame, group_sums
from veggies_sim.core.checks import portion
from veggies_sim.core.dataset import Run
from veggies_sim.games.veggies.analysis.classes import ROWS, merged
from veggies_sim.games.veggies.analysis.metrics import ONE, announcements, groups, largest
from veggies_sim.games.veggies.deck import GOODS
from veggies_sim.games.veggies.game import Veggies

NOBODY = len(GOODS)  # stands for no good


def points(good: str) -> pl.Expr:
    """Return what a good would bring a stand if it is announced: largest group times number of groups."""
    return largest(good) * groups(good)


def _scored(good: str) -> pl.Expr:
    return points(good) * pl.col(f"{good}_scored").cast(pl.Int32)


def in_deck(run: Run) -> dict[str, bool]:
    """Say for each good whether the deck of a run has it."""
    counts = check_run(run, Veggies).game.setup.counts()
    return {good: counts[good] > 0 for good in GOODS}


def announced(run: Run, level: float = LEVEL) -> pl.DataFrame:
    """Return in what share of games each good is announced by no seat, by one, by several.

    Columns: good, in_deck, seats (0 .. number of players), share with low and high, games.
    """
    players = check_run(run, Veggies).game.players
    metrics = [
        Metric(f"{good}.{n}", "", SHARE, "", (pl.col(good) == n, ONE), per_seat=False) for good in GOODS for n in range(players + 1)
    ]
    schema = pl.Schema({"game": pl.UInt64} | dict.fromkeys(GOODS, pl.Int64))
    codes = [pl.col(name).cast(pl.Enum(GOODS)).to_physical().fill_null(NOBODY) for name in ("announced", "announced_2")]
    table = estimates(run, metrics, (), level, change=lambda part: part.select("game", *codes).map_batches(
        partial(_seats_of, players), schema=schema
    ))  # fmt: skip
    here = pl.col("good").replace_strict(in_deck(run), return_dtype=pl.Boolean).alias("in_deck")
    frame = split_metric(table, "good").rename({"metric": "seats", "value": "share", "rows": "games"})
    return frame.select("good", here, pl.col("seats").cast(pl.Int64), "share", "low", "high", "games")


def _seats_of(players: int, rows: pl.DataFrame) -> pl.DataFrame:
    """Return for each game the number of seats that announce each good; rows of whole games in order."""
    said = [rows[name].to_numpy().reshape(-1, players) for name in ("announced", "announced_2")]
    count = {name: ((said[0] == good) | (said[1] == good)).sum(axis=1) for good, name in enumerate(GOODS)}
    return pl.DataFrame({"game": rows["game"].gather_every(players), **count})


def worth(run: Run, level: float = LEVEL) -> pl.DataFrame:
    """Return what each good brings a seat. Columns: good, metric, unit, value, low, high, error, rows.

    Metrics: scored, share of games in which the good is announced; points_when_scored, largest group times number of
    groups of a seat in those games; points, the same over all games, 0 where it is not announced; share_of_points, of all
    points that goods bring.
    """
    total = pl.sum_horizontal(map(_scored, GOODS))
    metrics = []
    for good in GOODS:
        scored, brings = pl.col(f"{good}_scored"), _scored(good)
        metrics += [
            Metric(f"{good}.scored", "games with the good scored", SHARE, "", (scored, ONE)),
            Metric(f"{good}.points_when_scored", "points when scored", POINTS, "", (brings, scored)),
            Metric(f"{good}.points", "points", POINTS, "", (brings, ONE)),
            Metric(f"{good}.share_of_points", "share of points", SHARE, "", (brings, total)),
        ]
    return split_metric(estimates(check_run(run, Veggies), metrics, (), level), "good")


def _correlation(x: Floats, y: Floats, xx: Floats, yy: Floats, xy: Floats, n: Floats) -> Floats:
    """Return Pearson's correlation, of sums."""
    across, down = np.maximum(xx - ratio(x * x, n), 0), np.maximum(yy - ratio(y * y, n), 0)
    return ratio(xy - ratio(x * y, n), np.sqrt(across * down))


def sizes(run: Run, level: float = LEVEL) -> pl.DataFrame:
    """Return for each good the mean size of the largest group and the mean number of groups, scored or not.

    Columns: as of `worth`. Metrics: largest, groups, and correlation, of the two among all stands: below 0 where a stand
    with more groups has a smaller largest one.
    """
    metrics = []
    for good in GOODS:
        x, y = largest(good).cast(pl.Float64), groups(good).cast(pl.Float64)
        metrics += [
            Metric(f"{good}.largest", "largest group", "spaces", "", (x, ONE)),
            Metric(f"{good}.groups", "groups", "groups", "", (y, ONE)),
            Metric(f"{good}.correlation", "size and number", "correlation", "", (x, y, x * x, y * y, x * y, ONE), _correlation),
        ]
    return split_metric(estimates(check_run(run, Veggies), metrics, (), level), "good")


def shapes(run: Run) -> pl.DataFrame:
    """Return how many stands have each number of groups and each largest group. Columns: good, groups, largest, stands."""
    check_run(run, Veggies)
    frames = []
    for good in GOODS:
        columns = [pl.col(f"{good}_groups").alias("groups"), pl.col(f"{good}_largest").alias("largest")]
        found = group_frame(run, {ROWS: ONE}, ["groups", "largest"], change=lambda part, c=columns: part.select("game", *c))  # type: ignore[misc]
        total = found.group_by("groups", "largest").agg(pl.col(ROWS).sum().cast(pl.Int64).alias("stands"))
        frames.append(total.sort("groups", "largest").select(pl.lit(good).alias("good"), pl.all()))
    return pl.concat(frames)


def trade_off(run: Run, level: float = LEVEL) -> pl.DataFrame:
    """Return what a further group of a good costs its largest group, and what is best for the product.

    A row for each good, number of groups and metric; numbers with few stands are put together. Columns: good; groups (text,
    "4" or "9 to 12"), low_groups, high_groups; stands; metric (largest, in spaces; points, largest times groups); unit,
    value, low, high, error. A description of stands as they were played, scored or not, not advice.
    """
    check_size(check_run(run, Veggies))
    metrics = [
        Metric("largest", "largest group", "spaces", "", (pl.col("largest"), ONE)),
        Metric("points", "largest x groups", POINTS, "", (pl.col("largest") * pl.col("groups"), ONE)),
    ]
    columns = summed(metrics)
    frames = []
    for good in GOODS:
        renamed = [groups(good).alias("groups"), largest(good).alias("largest")]
        sums = group_sums(run, columns | {ROWS: ONE}, ["groups"], change=lambda part, r=renamed: part.select("game", *r))  # type: ignore[misc]
        found = merged(sums, "groups")
        stands = pl.Series("stands", found.sums[ROWS].sum(axis=0).astype(int))
        for metric in metrics:
            ends, error = metric_interval(found, metric, level)
            numbers = {"value": ends.value, "low": ends.low, "high": ends.high, "error": error}
            words = {"metric": metric.key, "unit": metric.unit}
            frames.append(found.keys.select(pl.lit(good).alias("good"), pl.all()).with_columns(
                stands, *(pl.lit(word).alias(name) for name, word in words.items()),
                *(pl.Series(name, values) for name, values in numbers.items()),
            ))  # fmt: skip
    return pl.concat(frames).fill_nan(None)


def carriers(run: Run, level: float = LEVEL) -> pl.DataFrame:
    """Return which good carries the winner: the announced good that gives a winning seat most of its points.

    Columns: good ("none" for seats that no good brought a point); metric (winners, share of winning seats; seats, the same of
    all seats); unit, value, low, high, error, rows. Goods that bring equally much share the seat; a shared win counts
    1/k; of a winning team each seat counts.
    """
    each = {good: _scored(good) for good in GOODS}
    most = pl.max_horizontal(each.values())
    shared = pl.sum_horizontal((brings == most).cast(pl.Int32) for brings in each.values())
    whole = math.lcm(*range(1, len(GOODS) + 1))  # a seat in parts, of which any number of goods can have equally many
    parts = {good: pl.when((most > 0) & (brings == most)).then(whole // shared).otherwise(0) for good, brings in each.items()}
    parts["none"] = pl.when(most == 0).then(whole).otherwise(0)
    carried = [part.alias(f"of_{good}") for good, part in parts.items()]
    win = pl.col("win").cast(pl.Float64)
    metrics = []
    for good in parts:
        part = pl.col(f"of_{good}")
        metrics += [
            Metric(f"{good}.winners", "winners", SHARE, "", (win * part, win * whole)),
            Metric(f"{good}.seats", "all seats", SHARE, "", (part, pl.lit(whole))),
        ]
    table = estimates(check_run(run, Veggies), metrics, (), level, change=lambda rows: rows.select("game", "win", *carried))
    return split_metric(table, "good")


def _says(good: str) -> pl.Expr:
    return (pl.col("announced") == good) | (pl.col("announced_2") == good)


def symmetry(run: Run, level: float = LEVEL) -> pl.DataFrame:
    """Return each good's share of all announcements; intervals of all goods in the deck hold together (Bonferroni).

    Columns: good, in_deck, share, low, high, error, equal (the share of each if goods were alike). With equal goods on the
    cards shares still differ a little: the last tie of an announcement goes to the first good in order (rules: Scoring).
    """
    present = [good for good, here in in_deck(run).items() if here]
    portion(level, "level")
    metrics = [Metric(good, good, SHARE, "", (_says(good), announcements())) for good in GOODS]
    table = estimates(run, metrics, (), 1 - (1 - level) / max(1, len(present)))
    here = pl.col("good").is_in(present).alias("in_deck")
    equal = pl.when(pl.col("good").is_in(present)).then(1 / max(1, len(present))).alias("equal")
    renamed = table.rename({"metric": "good", "value": "share"})
    return renamed.select("good", here, *(pl.when(pl.col("good").is_in(present)).then(pl.col(name)).alias(name)
                                          for name in ("share", "low", "high", "error")), equal)  # fmt: skip


def symmetry_test(run: Run) -> pl.DataFrame:
    """Return the test that all goods of the deck are announced equally often: one row.

    Hotelling's T2 on the announcements of each group of deals, less the mean of its goods: deals are the unit, so games of
    one deal and seats of one game may be as alike as they like (statsmodels' test_mvmean). Columns: goods (how many the
    deck has), groups, f, df_goods, df_groups, p; f and p are null where there is nothing to compare: fewer than two goods, or
    announcements that do not vary.
    """
    check_size(run)
    present = [good for good, here in in_deck(run).items() if here]
    found = group_sums(run, {good: _says(good).fill_null(False) for good in present}) if present else None
    said = np.column_stack([found.sums[good][:, 0] for good in present]) if found else np.zeros((0, 0))
    f, p = _hotelling(said)
    k = max(0, len(present) - 1)
    row = {"goods": len(present), "groups": len(said), "f": f, "df_goods": k, "df_groups": len(said) - k, "p": p}
    return pl.DataFrame([row], schema_overrides={"f": pl.Float64, "p": pl.Float64})


def _hotelling(said: Floats) -> tuple[float | None, float | None]:
    """Return F and p of equal columns of said [groups, goods]; None where what they differ by does not vary in all ways."""
    from scipy import stats
    from statsmodels.stats.multivariate import test_mvmean

    apart = (said - said.mean(axis=1, keepdims=True))[:, 1:] if said.size else said
    contrasts = apart.shape[1]
    if contrasts == 0 or np.linalg.matrix_rank(apart - apart.mean(axis=0)) < contrasts:
        return None, None
    if contrasts == 1:  # test_mvmean takes two or more
        found = stats.ttest_1samp(apart[:, 0], 0)
        return float(found.statistic**2), float(found.pvalue)
    found = test_mvmean(apart, np.zeros(contrasts))
    return float(found.statistic), float(found.pvalue)
