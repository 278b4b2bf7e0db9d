"""Runs of Veggies whose rows are made up, so that the truth is known."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

import veggies_sim as vs
from veggies_sim.core.dataset import Run


def with_rows(run: Run, **columns: Any) -> Run:
    """Return the run with some columns of `seats` replaced, of their own types."""
    rows = run.seats
    new = [pl.Series(name, values).cast(rows.schema[name]) for name, values in columns.items()]
    return Run(run.manifest, run.game, None, {"seats": rows.with_columns(new).to_arrow()})


def of_games(run: Run, games: pl.Series) -> Run:
    """Return a run that has only the rows of some games."""
    return Run(run.manifest, run.game, None, {"seats": run.seats.filter(pl.col("game").is_in(games.implode())).to_arrow()})


def grid(run: Run, column: str) -> np.ndarray:
    """Return a column of `seats` as numbers [games, players]."""
    return run.seats[column].cast(pl.Float64).to_numpy().reshape(-1, run.game.players)


def played(players: int = 3, games: int = 300, **more: Any) -> Run:
    """Return a run of random players."""
    rules = more.pop("rules", None)
    return vs.simulate(vs.Veggies(players, more.pop("deck", None), rules=rules), "random", games, seed=11, jobs=1, **more)
