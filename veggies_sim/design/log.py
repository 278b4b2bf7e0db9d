"""The folder of a search: what was asked for, and its log, written anew after each step, whole or not at all.

    NAME.toml     the file that the search was asked for with, as it was
    NAME.json     whole numbers that it goes by, the seed among them, and the versions of what it was made with
    log.parquet   a row for each candidate

A folder may come from somebody else: all of it is data, and checked before any of it is used.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from veggies_sim.core.checks import whole
from veggies_sim.core.errors import InputError, show, unknown
from veggies_sim.core.files import LOCK, file_errors, locked, read_bytes, replaced
from veggies_sim.core.manifest import refuse_inside, versions
from veggies_sim.core.toml import MOST_BYTES

LOG = "log.parquet"
MOST_LOG = 1_000_000_000  # bytes
_READ = "Give the folder of a search."

Row = Mapping[str, Any]  # of a log


class Number(NamedTuple):
    """A whole number that a search goes by, from `least` to `most`, rounded up to a multiple."""

    default: int
    least: int
    most: int  # itself a multiple, so that what is rounded stays in the range
    multiple: int = 1

    def checked(self, value: object, name: str) -> int:
        """Return a value as the search takes it. Raises InputError for one out of range."""
        return -(-whole(value, name, self.least, self.most) // self.multiple) * self.multiple


@dataclass
class Log:
    """The rows of a search: `steps` steps, each of `size` candidates, when it is over."""

    folder: Path
    columns: pl.Schema  # the first two: the step, under the word for one, and the candidate of the step; both from 0
    words: str  # for steps, such as generations
    steps: int
    size: int
    valid: Callable[[Row], bool]  # whether a row of the file can be of this search
    rows: list[Row] = field(default_factory=list)

    @property
    def over(self) -> int:
        """How many steps are over."""
        return len(self.rows) // self.size

    @property
    def frame(self) -> pl.DataFrame:
        """All rows, with the types of `columns`."""
        return pl.DataFrame(self.rows, self.columns)

    def step(self, number: int) -> Sequence[Row]:
        """Return the rows of a step; none where it was not played."""
        return self.rows[number * self.size : (number + 1) * self.size]

    def add(self, rows: Sequence[Row]) -> None:
        """Add the rows of the next step, and write all. Raises InputError or RunFailed where that fails; the older file stays."""
        file, more = self.folder / LOG, [*self.rows, *rows]
        with file_errors(file), replaced(file) as place:
            pl.DataFrame(more, self.columns).write_parquet(place)
        self.rows = more

    def read(self) -> None:
        """Take the rows of the file. Raises InputError where they can't be of this search."""
        file = self.folder / LOG
        rows: list[Row] = [*read_log(self.folder, self.columns).to_dicts()]
        step, number, *_ = self.columns
        if len(rows) % self.size or len(rows) > self.size * self.steps:
            raise InputError(f"{file}: {len(rows):,} rows are not whole {self.words}. The log is damaged; begin the search anew.")
        for place, row in enumerate(rows):
            if (row[step], row[number]) != divmod(place, self.size) or not self.valid(row):
                raise InputError(f"{file}: row {place + 1} is none of this search. The log is damaged; begin the search anew.")
        self.rows = rows

    def refuse(self, number: int) -> InputError:
        """Return the error for a step that is not what the search asks for."""
        step = next(iter(self.columns))
        return InputError(f"{self.folder / LOG}: {step} {number} is not of this search. Begin it anew in another folder.")


def settings(
    folder: Path, name: str, given: Mapping[str, int | None], numbers: Mapping[str, Number], last: str, resume: bool
) -> dict[str, int]:
    """Return the numbers that a search goes by: those given, else the default ones; to `resume` it, the ones of its folder.

    name: of the kind of search; last: the file that says that one is over. Nothing is written. Raises InputError for numbers
    that are wrong and where the folder can't be begun or gone on with.
    """
    if strange := [key for key in given if key not in numbers]:
        raise unknown("number of the search", strange[0], numbers)
    chosen = {key: numbers[key].checked(value, key) for key, value in given.items() if value is not None}
    if not resume:
        with file_errors(folder):
            refuse_inside(folder / LOG)
            if folder.exists() and (not folder.is_dir() or any(path.name != LOCK for path in folder.iterdir())):
                what = "holds files already" if folder.is_dir() else "is no folder"
                raise InputError(f"{folder} {what}. Give a new folder; a search that stopped goes on with --resume.")
        return {key: number.checked(number.default, key) for key, number in numbers.items()} | chosen
    held = read_settings(folder, name, numbers)
    for key, value in chosen.items():
        if value != held[key]:
            raise InputError(f"{key}: found {value}; the search in {folder} has {held[key]}. Leave it out to go on.")
    if (folder / last).exists():
        raise InputError(f"{folder}: the search is over, see {last} in it. Give another folder for a new one.")
    return held


def read_settings(folder: Path, name: str, numbers: Mapping[str, Number]) -> dict[str, int]:
    """Return the numbers in the folder of a search. Raises InputError for a folder that is none."""
    file = folder / f"{name}.json"
    raw = read_bytes(file, MOST_BYTES, "the file of a search's settings", _READ)
    try:
        held = json.loads(raw)["settings"]
        return {key: number.checked(held[key], key) for key, number in numbers.items()}
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        said = error if isinstance(error, InputError) else "these are not the settings of a search."
        raise InputError(f"{file}: {said} {_READ}") from None


@contextmanager
def opened(log: Log, name: str, text: bytes, numbers: Mapping[str, int], resume: bool) -> Iterator[None]:
    """Make the folder of a search, or to `resume` it check that it was asked for with `text` and read its log.

    It is locked for the time inside. After Ctrl-C there: KeyboardInterrupt that tells how to go on.
    """
    folder = log.folder
    with file_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
        with locked(folder):
            if not resume:
                for ending, content in (("toml", text), ("json", _facts(numbers))):
                    with replaced(folder / f"{name}.{ending}") as place:
                        place.write_bytes(content)
            elif read_bytes(folder / f"{name}.toml", MOST_BYTES, "a file of settings", _READ) != text:
                raise InputError(f"{folder}: the search was begun with another file, see {name}.toml in it. Go on with that file.")
            elif (folder / LOG).exists():
                log.read()
            try:
                yield
            except KeyboardInterrupt:
                over = f"{log.over} of {log.steps} {log.words} are in {folder}"
                raise KeyboardInterrupt(f"{over}; go on with the same command and --resume") from None


def _facts(numbers: Mapping[str, int]) -> bytes:
    return (json.dumps({"settings": {**numbers}, "versions": versions()}, indent=1) + "\n").encode()


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
