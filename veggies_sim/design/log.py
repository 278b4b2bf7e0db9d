"""The log of a search: one table, written anew after each step, whole or not at all, and read back strictly.

A log may come from somebody else: it is data, checked for its columns before any of it is used.
"""

from __future__ import annotations

from pathlib import Path

import polars as pl

from veggies_sim.core.errors import InputError, show
from veggies_sim.core.files import file_errors, replaced


def write_log(log: pl.DataFrame, file: Path) -> None:
    """Write a log in place of an older one. Raises InputError or RunFailed where that fails; the older one then stays."""
    with file_errors(file), replaced(file) as place:
        log.write_parquet(place)


def read_log(file: Path, columns: pl.Schema) -> pl.DataFrame:
    """Return the log in a file. Raises InputError for one that can't be read or has other columns, types, or empty cells."""
    with file_errors(file, "read", "Give the folder of a search."):
        raw = file.read_bytes()
    try:
        log = pl.read_parquet(raw)
    except (pl.exceptions.PolarsError, OSError) as error:
        raise InputError(f"{file}: this is no log ({show(str(error).splitlines()[0])}). Begin the search anew.") from None
    if log.schema != columns:
        names = [*columns]
        other = next((name for name in (*names, *log.columns) if log.schema.get(name) != columns.get(name)), "their order")
        raise InputError(f"{file}: the columns are not those of this search, see {show(other)}. Valid: {', '.join(names)}.")
    if empty := [name for name in log.columns if log[name].null_count()]:
        raise InputError(f"{file}: column {empty[0]} has empty cells. The log is damaged; begin the search anew.")
    return log
