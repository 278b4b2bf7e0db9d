"""From millions of rows to small tables: sums over groups of deals, from which every estimate and its interval is made.

The deals of a run are spread over N groups by their number. A group's sums are all that is kept: deals are independent, so
groups are too, and how much an estimate varies from group to group says how sure it is. Runs with the same seed have the
same deals in the same group, so paired differences need nothing more either. Read part by part: memory is that of one
part, whatever the size of the run. With fewer deals than N each deal is a group.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import polars as pl

from veggies_sim.analysis.intervals import Floats
from veggies_sim.core.checks import several
from veggies_sim.core.dataset import Run
from veggies_sim.core.errors import InputError, show, unknown
from veggies_sim.core.game import Game

N = 1000  # groups: Student's t with 999 degrees of freedom is the normal distribution for all practical ends
GROUP = "group"  # the column of a group's number
Change = Callable[[pl.LazyFrame], pl.LazyFrame]


class Sums(NamedTuple):
    """Sums of the deals of each group."""

    keys: pl.DataFrame  # K rows: the values of the `by` columns, sorted
    sums: dict[str, Floats]  # each [groups, K]
    deals: int  # in all groups together; the sample size


def check_run(run: object, kind: type[Game] = Game) -> Run:
    """Return what callers give as a run of a kind of game, by default of any. Raises InputError where it is none."""
    if not isinstance(run, Run):
        raise InputError(f"run: found {show(run)}; give a run, as vs.simulate or vs.open_dataset returns it.")
    if not isinstance(run.game, kind):
        raise InputError(f"run: found a run of {run.game.title}; give one of {kind.title}.")
    return run


def check_by(by: object, valid: Sequence[str] | None = None) -> list[str]:
    """Return the names of columns that results are split by. Raises InputError for one that is not valid, or is there twice."""
    names = several(by, "by", '["seat"], or () for all rows together')
    for place, name in enumerate(names):
        if not isinstance(name, str) or (valid is not None and name not in valid):
            raise unknown("column to split by", name, valid or ())
        if name in names[:place]:
            raise InputError(f"by: {show(name)} is there twice; give each column once.")
    return names


def group_expr(run: Run) -> pl.Expr:
    """Return the group of a row of any table: the number of its deal modulo N."""
    return (pl.col("game") // run.games_per_deal % N).cast(pl.UInt16).alias(GROUP)


def group_frame(
    run: Run,
    columns: Mapping[str, pl.Expr],
    by: Sequence[str] = (),
    table: str = "seats",
    change: Change | None = None,
) -> pl.DataFrame:
    """Return the sums of some expressions over the rows of a table, a row for each group of deals and value of `by`.

    columns: name -> expression of a row, numbers or booleans; sums are Float64. by: columns of the rows. change: done to
    the rows of each part first; a part holds whole games. Raises InputError for a table that was not recorded and for
    damaged files.

    Sums of whole numbers and of binary fractions are exact, so the same in whatever order threads add them up. Keep to
    these, as all metrics here do (`win` is a binary fraction, 1/3 being the nearest of 24 bits), and results are the same to
    the last digit every time.
    """
    names = [column.name for column in check_run(run).columns.get(table, ())]
    by = check_by(by, None if change else names)  # a change may make columns of its own
    total = [pl.col(name).sum() for name in columns]
    rows = [expression.cast(pl.Float64).alias(name) for name, expression in columns.items()]
    pieces = []
    for part in run.scan_parts(table):
        frame = (change(part) if change else part).select(group_expr(run), *by, *rows)
        pieces.append(run.collected(frame.group_by(GROUP, *by).agg(total)))
    found = pl.concat(pieces).group_by(GROUP, *by).agg(total).sort(GROUP, *by)
    odd = [name for name in columns if not found[name].is_finite().all()]
    if odd:
        raise InputError(f"{run.folder or 'the run'}: {table} are damaged: {show(odd[0])} adds up to no number. Simulate it again.")
    return found


def group_sums(
    run: Run,
    columns: Mapping[str, pl.Expr],
    by: Sequence[str] = (),
    table: str = "seats",
    change: Change | None = None,
) -> Sums:
    """Return `group_frame` as arrays; what a group does not have is 0."""
    return as_sums(group_frame(run, columns, by, table, change), list(columns), by, run.deal_count)


def as_sums(frame: pl.DataFrame, names: Sequence[str], by: Sequence[str], deals: int) -> Sums:
    """Return a frame of `group_frame` as arrays."""
    keys = frame.select(by).unique().sort(by) if by else pl.DataFrame({"": [0]})
    groups = frame[GROUP].unique().sort()
    row = groups.search_sorted(frame[GROUP]).to_numpy()
    numbered = keys.with_row_index("key")
    place = frame.select(by).join(numbered, on=list(by), how="left", nulls_equal=True, maintain_order="left") if by else None
    column = 0 if place is None else place["key"].to_numpy()
    sums = {}
    for name in names:
        sums[name] = np.zeros((len(groups), len(keys)))
        sums[name][row, column] = frame[name].to_numpy()
    return Sums(keys.select(by), sums, deals)
