"""The same games with another number of points for something: what a rule takes or gives, exactly; nobody plays otherwise.

Where a score is a sum of amount x count and the rest, any other amount gives a score without playing again. G games, P seats.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
import polars as pl

from veggies_sim.analysis.estimates import estimates, split_metric
from veggies_sim.analysis.intervals import LEVEL, Floats
from veggies_sim.analysis.metrics import POINTS, SHARE, Metric
from veggies_sim.core.dataset import Run
from veggies_sim.core.engine import outcome
from veggies_sim.core.game import Game

METRICS = {"score": POINTS, "winner_score": POINTS, "lead": POINTS} | dict.fromkeys(
    ("shared_wins", "tie_breaks", "other_winner", "no_winner_left"), SHARE
)
_COUNT, _TIE = "count", "tie"


def rescored(
    run: Run, count: pl.Expr, own: int, amounts: Sequence[int], *, tiebreak: pl.Expr | None = None, level: float = LEVEL
) -> pl.DataFrame:
    """Return what the same games give with other points for each unit of something, all else as recorded.

    count: of a row of `seats`, how often its seat has it. own: points for each in the run, below 0 for what costs points.
    amounts: other points for each. tiebreak: of a row, added up over a side; the lower wins a tie. Columns: amount, metric,
    unit, value, low, high, error, rows (games). Metrics: score, winner_score, lead, shared_wins, tie_breaks as of any
    run of the game; other_winner, the share of games in which not exactly the same seats win as in the run, so also those
    in which a win is shared by more or fewer seats; no_winner_left, the share of those in which no winner of the run wins.
    """
    metrics = [
        Metric(f"{a}.{key}", "", unit, "", (pl.col(f"{a}.{key}"), pl.lit(run.game.players if key == "score" else 1)))
        for a in amounts for key, unit in METRICS.items()
    ]  # fmt: skip
    schema = pl.Schema({"game": pl.UInt64} | dict.fromkeys((metric.key for metric in metrics), pl.Float64))
    tie = pl.lit(0) if tiebreak is None else tiebreak
    change = partial(_rescore, run.game, own, amounts)
    table = estimates(run, metrics, (), level, change=lambda part: part.select(
        "game", "score", "win", count.cast(pl.Int64).alias(_COUNT), tie.cast(pl.Int64).alias(_TIE)
    ).map_batches(change, schema=schema))  # fmt: skip
    frame = split_metric(table, "amount").with_columns(pl.col("amount").cast(pl.Int64))
    frame = frame.filter(~pl.col("metric").is_in([*run.game.never]))
    same = pl.col("metric").is_in(["other_winner", "no_winner_left"]) & (pl.col("amount") == own)
    return frame.with_columns(pl.when(same).then(0.0).otherwise(pl.col("high")).alias("high"))  # no chance in that


def by_game(rows: pl.DataFrame, column: str, players: int) -> Floats:
    """Return a column [G, P] of seat rows, whole games in order."""
    return rows[column].cast(pl.Float64).to_numpy().reshape(-1, players)


def _rescore(game: Game, own: int, amounts: Sequence[int], rows: pl.DataFrame) -> pl.DataFrame:
    """Return for each game AMOUNT.METRIC of all amounts, of scores the sum of seats; rows of whole games in order."""
    players, team = game.players, np.array(game.team())
    members = players / len({*game.team()})
    score, count, tie = (by_game(rows, name, players).astype(np.int64) for name in ("score", _COUNT, _TIE))
    won, rest = by_game(rows, "win", players) > 0, score - own * count
    found = {"game": rows["game"].gather_every(players)}
    for amount in amounts:
        points = rest + amount * count
        win, margin = outcome(points, team, tie)
        lead, share = np.einsum("gp,gp->g", win, margin) / members, win.max(axis=1)
        values = (
            points.sum(axis=1), np.einsum("gp,gp->g", win, points), lead,
            share < 1, (share == 1) & (lead == 0), ((win > 0) != won).any(axis=1),
            ~((win > 0) & won).any(axis=1),
        )  # fmt: skip
        found |= {f"{amount}.{key}": pl.Series(each.astype(float)) for key, each in zip(METRICS, values, strict=True)}
    return pl.DataFrame(found)
