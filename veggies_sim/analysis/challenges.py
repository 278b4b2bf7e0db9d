"""Challenges: how often a seat ends with what somebody asks for, such as one very high score.

A challenge is a condition (`conditions`) over the columns of `seats` and the game's own measures (`Game.measures`):

    [challenges]
    "high and clear" = "score >= 60 and margin >= 10"
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import polars as pl

from veggies_sim.analysis.conditions import Term, condition, term
from veggies_sim.analysis.estimates import estimates
from veggies_sim.analysis.intervals import LEVEL
from veggies_sim.analysis.metrics import SHARE, Metric
from veggies_sim.analysis.sums import check_run
from veggies_sim.core.checks import as_path, one_of
from veggies_sim.core.dataset import Run
from veggies_sim.core.errors import InputError, show
from veggies_sim.core.toml import check_keys, read_toml

MOST = 100  # challenges at once
ALL, NONE = "all", "none"  # stand for all seats together, and for those that have no value


def challenges(run: Run, source: str | Path | Mapping[str, str], by: str = "policy", level: float = LEVEL) -> pl.DataFrame:
    """Return how often a seat meets each challenge: of each value of `by`, and of all seats where there are several.

    source: a TOML file with a table [challenges] of name = "condition", or such a table as a dict. by: a column of `seats`.
    Columns: challenge, condition; the column `by` as text, ALL for all seats; chance with low and high, the interval of
    confidence `level`; error, the standard error; rows, of `seats`. Challenges are in the order given. Of rows without a
    value of `by` it is NONE.
    Raises InputError for files, conditions and names that are wrong, and for fewer than 10 deals.
    """
    asked, met = read_conditions(run, source)
    one_of(by, "by", [column.name for column in run.columns["seats"]])
    metrics = [
        Metric(str(i), name, SHARE, name, (each, pl.lit(1.0))) for i, (name, each) in enumerate(zip(asked, met, strict=True))
    ]
    frames = [estimates(run, metrics, [by], level).with_columns(pl.col(by).cast(pl.String).fill_null(NONE))]
    if frames[0][by].n_unique() > 1:
        frames.insert(0, estimates(run, metrics, (), level).with_columns(pl.lit(ALL).alias(by)).select(frames[0].columns))
    words = pl.DataFrame({"metric": [metric.key for metric in metrics], "challenge": [*asked], "condition": [*asked.values()]})
    found = words.join(pl.concat(frames), on="metric", maintain_order="left_right")
    return found.select("challenge", "condition", by, pl.col("value").alias("chance"), "low", "high", "error", "rows")


def read_conditions(run: Run, source: str | Path | Mapping[str, str]) -> tuple[dict[str, str], list[pl.Expr]]:
    """Return name -> condition of all challenges, and for each what it is of rows of `seats`. Raises InputError with all faults."""
    asked, names = read_challenges(source), names_of(check_run(run))
    where = "" if isinstance(source, Mapping) else f"{source}, "
    met, faults = [], []
    for name, text in asked.items():
        try:
            met.append(condition(text, names, f"{where}challenge {show(name)}"))
        except InputError as fault:
            faults.append(str(fault))
    if faults:
        raise InputError("\n".join(faults))
    return asked, met


def read_challenges(source: str | Path | Mapping[str, str]) -> dict[str, str]:
    """Return name -> condition, of a TOML file or a mapping. Raises InputError; conditions are not looked at here."""
    where, table = "challenges", source
    if not isinstance(source, Mapping):
        path = as_path(source, "challenges")
        where, table = str(path), check_keys(read_toml(path), ["challenges"], str(path)).get("challenges", {})
    if not isinstance(table, Mapping) or not 1 <= len(table) <= MOST or not all(isinstance(name, str) for name in table):
        raise InputError(f'{where}: found {show(table)}; give a table [challenges] of 1 to {MOST} lines: "name" = "condition".')
    if not all(name.strip() for name in table):
        raise InputError(f'{where}: a challenge has no name. Give each one: "name" = "condition".')
    return dict(table)


def names_of(run: Run) -> dict[str, Term]:
    """Return what conditions on rows of `seats` may name: its columns, and the measures of the game."""
    words = {column.name: column.words for column in run.columns["seats"]}
    values = {name: pl.col(name) for name in words} | dict(run.game.measures())
    types = next(run.scan_parts("seats")).select(**values).collect_schema()
    terms = {name: term(value, types[name], words.get(name, ())) for name, value in values.items()}
    return {name: each for name, each in terms.items() if each is not None}
