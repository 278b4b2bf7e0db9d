"""What conditions on rows of `seats` may name besides the columns (`analysis.challenges`): expressions of wide types."""

from __future__ import annotations

import polars as pl

from veggies_sim.games.veggies.analysis.metrics import groups, largest
from veggies_sim.games.veggies.deck import GOODS

MEASURES = {
    "max_group": pl.max_horizontal(map(largest, GOODS)),  # spaces of the stand's largest group
    "max_product": pl.max_horizontal([largest(good) * groups(good) for good in GOODS]),  # points its best good has if announced
    "groups": pl.sum_horizontal(map(groups, GOODS)),  # of all goods
    "goods_present": pl.sum_horizontal([largest(good) > 0 for good in GOODS]),  # goods that are to be seen
    "goods_scored": pl.sum_horizontal([pl.col(f"{good}_scored") for good in GOODS]),  # goods that anybody announced
}
