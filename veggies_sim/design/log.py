"""The folder of a search: what was asked for, and its log, written anew after each step, whole or not at all.

    NAME.toml     the file that the search was asked for with, as it was
    NAME.json     whole numbers that it goes by, the seed among them, and the versions of what it was made with
    log.parquet   a row for each candidate

A folder may come from somebody else: all of it is data, and checked before any of it is used.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import polars as pl

from veggies_sim.core.checks import whole
from veggies_sim.core.errors import InputError, show
from veggies_sim.core.files import LOCK, file_errors, locked, read_bytes, replaced
from veggies_sim.core.manifest import refuse_inside, versions
from veggies_sim.core.toml import MOST_BYTES

LOG = "log.parquet"
MOST_LOG = 1_000_000_000  # bytes
_READ = "Give the folder of a search."


def settings(folder: Path, name: str, given: Mapping[str, int | None], defaults: Mapping[str, int], resume: bool) -> dict[str, int]:
    """Return the numbers that a search goes by: those given, else the default ones; to `resume` it, the ones of its folder.

    name: of the kind of search. Nothing is written. Raises InputError where the folder can't be begun or gone on with.
    """
    chosen = {key: value for key, value in given.items() if value is not None}
    if not resume:
        with file_errors(folder):
            refuse_inside(folder / LOG)
            if folder.exists() and (not folder.is_dir() or any(path.name != LOCK for path in folder.iterdir())):
                what = "holds files already" if folder.is_dir() else "is no folder"
                raise InputError(f"{folder} {what}. Give a new folder; a search that stopped goes on with --resume.")
        return {**defaults, **chosen}
    held = read_settings(folder, name, defaults)
    for key, value in chosen.items():
        if value != held[key]:
            raise InputError(f"{key}: found {value}; the search in {folder} has {held[key]}. Leave it out to go on.")
    return held


def read_settings(folder: Path, name: str, keys: Mapping[str, int]) -> dict[str, int]:
    """Return the numbers in the folder of a search. Raises InputError for a folder that is none."""
    file = folder / f"{name}.json"
    raw = read_bytes(file, MOST_BYTES, "the file of a search's settings", _READ)
    try:
        held = json.loads(raw)["settings"]
        return {key: whole(held[key], f"{file}, {key}") for key in keys}
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        said = error if isinstance(error, InputError) else "these are not the settings of a search."
        raise InputError(f"{file}: {said} {_READ}") from None


@contextmanager
def opened(folder: Path, name: str, text: bytes, numbers: Mapping[str, int], resume: bool) -> Iterator[None]:
    """Make the folder of a search, or to `resume` it check that it was asked for with `text`; locked for the time inside."""
    with file_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
        with locked(folder):
            if not resume:
                for ending, content in (("toml", text), ("json", _facts(numbers))):
                    with replaced(folder / f"{name}.{ending}") as place:
                        place.write_bytes(content)
            elif read_bytes(folder / f"{name}.toml", MOST_BYTES, "a file of settings", _READ) != text:
                raise InputError(f"{folder}: the search was begun with another file, see {name}.toml in it. Go on with that file.")
            yield


def _facts(numbers: Mapping[str, int]) -> bytes:
    return (json.dumps({"settings": {**numbers}, "versions": versions()}, indent=1) + "\n").encode()


def write_log(log: pl.DataFrame, folder: Path) -> None:
    """Write the log in place of an older one. Raises InputError or RunFailed where that fails; the older one then stays."""
    with file_errors(folder / LOG), replaced(folder / LOG) as place:
        log.write_parquet(place)


def read_log(folder: Path, columns: pl.Schema) -> pl.DataFrame:
    """Return the log in a folder. Raises InputError for one that can't be read or has other columns, types, or empty cells."""
    file = folder / LOG
    raw = read_bytes(file, MOST_LOG, "a log", _READ)
    try:
        log = pl.read_parquet(raw)
    except (pl.exceptions.PolarsError, OSError) as error:
        raise InputError(f"{file}: this is no log ({show(str(error).splitlines()[0])}). Begin the search anew.") from None
    if log.schema != columns:
        other = next((name for name in (*columns, *log.columns) if log.schema.get(name) != columns.get(name)), "their order")
        raise InputError(f"{file}: the columns are not those of this search, see {show(other)}. Valid: {', '.join(columns)}.")
    if empty := [name for name in log.columns if log[name].null_count()]:
        raise InputError(f"{file}: column {show(empty[0])} has empty cells. The log is damaged; begin the search anew.")
    return log
