"""What is measured of a run of Veggies besides what every game has."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from veggies_sim.analysis.metrics import POINTS, SHARE, Metric
from veggies_sim.games.veggies.deck import GOODS

if TYPE_CHECKING:
    from veggies_sim.games.veggies.game import Veggies

ONE = pl.lit(1.0)
RATS = pl.col("rats").cast(pl.Int32)  # the columns of a dataset have small types that overflow: cast first


def largest(good: str) -> pl.Expr:
    """Return the spaces of a stand's largest group of a good."""
    return pl.col(f"{good}_largest").cast(pl.Int32)


def groups(good: str) -> pl.Expr:
    """Return the number of a stand's groups of a good."""
    return pl.col(f"{good}_groups").cast(pl.Int32)


def announcements() -> pl.Expr:
    """Return how many goods a seat announced."""
    return pl.col("announced").is_not_null().cast(pl.Int32) + pl.col("announced_2").is_not_null().cast(pl.Int32)


def veggies_metrics(game: Veggies) -> list[Metric]:
    """Return the metrics of a stand, and of what a game's players announce."""
    scored = pl.sum_horizontal(pl.col(f"{good}_scored").cast(pl.Int32) for good in GOODS)
    said = announcements()
    return [
        Metric("rats", "rats", "rats", "visible rats of a stand", (RATS, ONE)),
        Metric("rat_points", "lost to rats", POINTS, "points that a seat loses to its rats",
               (RATS * int(game.rules["rat_penalty"]), ONE)),
        Metric("largest_group", "largest group", "spaces", "spaces of a stand's largest group of any good",
               (pl.max_horizontal(map(largest, GOODS)), ONE)),
        Metric("groups", "groups", "groups", "number of a stand's groups of all goods",
               (pl.sum_horizontal(map(groups, GOODS)), ONE)),
        Metric("goods_present", "goods in a stand", "goods", "number of different goods to be seen in a stand",
               (pl.sum_horizontal((largest(good) > 0).cast(pl.Int32) for good in GOODS), ONE)),
        Metric("goods_scored", "goods scored", "goods", "number of different goods announced in a game", (scored, ONE),
               per_seat=False),
        Metric("repeated", "announced again", SHARE, "share of announcements of a good that was announced before in the "
               "game, so that they add no good to those that score",
               (said * game.players - scored, said * game.players), per_seat=False),
    ]  # fmt: skip
