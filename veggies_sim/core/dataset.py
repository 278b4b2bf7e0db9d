"""Reading a dataset: a run's tables as polars frames, checked against its manifest first."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from veggies_sim.core.errors import InputError
from veggies_sim.core.game import Column, Game
from veggies_sim.core.manifest import Manifest, load
from veggies_sim.core.policy import policies_for
from veggies_sim.core.registry import find_game
from veggies_sim.core.schema import TABLES, arrow_schema, columns_of, to_polars

if TYPE_CHECKING:
    import polars as pl


class Run:
    """A finished run: in a folder, or in memory where it was played without one.

    `seats`, and where moves were recorded `deals` and `moves`, are polars frames; `scan(table)` reads lazily.
    """

    def __init__(self, manifest: Manifest, game: Game, folder: Path | None = None, tables: Mapping[str, Any] | None = None):
        self.manifest, self.game, self.folder = manifest, game, folder
        self._tables = dict(tables or {})

    def __repr__(self) -> str:
        where = self.folder or "memory"
        m = self.manifest
        return f"<Run of {m.games:,} games of {m.game}, {m.players} players, {m.state}, in {where}>"

    @cached_property
    def columns(self) -> dict[str, list[Column]]:
        """The columns of every table, by table."""
        return columns_of(self.game, self.manifest.policies, self.manifest.record)

    @property
    def rows(self) -> dict[str, int]:
        """The number of rows of every table."""
        return {table: sum(part.rows[table] for part in self.manifest.parts) for table in self.columns}

    def scan(self, table: str) -> pl.LazyFrame:
        """Return a table (seats, deals or moves) as a lazy frame. Raises InputError where it was not recorded."""
        import polars as pl

        if table not in self.columns:
            hint = "Simulate with record='moves' (--record moves)." if table in TABLES else f"Valid: {', '.join(self.columns)}."
            raise InputError(f"{table!r} is not among the tables of this run. {hint}")
        if self.folder is None:
            return to_polars(self._tables[table]).lazy()
        files = [part.file(self.folder, table) for part in self.manifest.parts]
        if not files:
            return to_polars(arrow_schema(self.columns[table]).empty_table()).lazy()
        return pl.scan_parquet(files, glob=False)

    def table(self, name: str) -> pl.DataFrame:
        """Return a table as a polars frame; `.to_pandas()` gives a pandas one. Raises InputError as `scan`."""
        return self.scan(name).collect()

    @property
    def seats(self) -> pl.DataFrame:
        """A row for each game and seat."""
        return self.table("seats")

    @property
    def deals(self) -> pl.DataFrame:
        """A row for each game: what was dealt."""
        return self.table("deals")

    @property
    def moves(self) -> pl.DataFrame:
        """A row for each choice."""
        return self.table("moves")

    def to_csv(self, folder: str | Path) -> list[Path]:
        """Write every table as CSV into a folder; returns the files.

        Lists become JSON. Texts that a spreadsheet would take for a formula get a leading apostrophe.
        """
        target = Path(folder)
        files = [target / f"{table}.csv" for table in self.columns]
        taken = [file for file in files if file.exists()]
        if taken or (target.exists() and not target.is_dir()):
            raise InputError(f"{taken[0] if taken else target} exists already. Give a new folder.")
        target.mkdir(parents=True, exist_ok=True)
        for table, file in zip(self.columns, files, strict=True):
            with file.open("w", encoding="utf-8", newline="") as stream:
                rows = csv.writer(stream, lineterminator="\n")
                rows.writerow([column.name for column in self.columns[table]])
                for batch in self._batches(table):
                    rows.writerows([_cell(value) for value in row] for row in batch)
        return files

    def _batches(self, table: str) -> Any:
        if self.folder is None:
            yield self.table(table).iter_rows()
            return
        import polars as pl

        for part in self.manifest.parts:  # one part at a time: memory stays bounded
            yield pl.read_parquet(part.file(self.folder, table), glob=False).iter_rows()


def _cell(value: object) -> object:
    if isinstance(value, list):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r"):
        return "'" + value
    return value


def open_dataset(folder: str | Path) -> Run:
    """Return the run in a folder. Raises InputError for a folder that is none, and for missing or short files."""
    path = Path(folder)
    manifest = load(path)
    game = rebuild_game(manifest, path)
    for part in manifest.parts:
        for table, rows in part.rows.items():
            fault = part_fault(part.file(path, table), rows)
            if fault:
                raise InputError(f"{fault} Play its games again: veggies-sim simulate --resume --out {path}")
    return Run(manifest, game, path)


def part_fault(file: Path, rows: int) -> str | None:
    """Return what is wrong with a file that should have so many rows; None where it is whole."""
    import pyarrow.parquet as pq

    try:
        found = pq.read_metadata(file).num_rows
    except FileNotFoundError:
        return f"{file} is missing; the manifest lists it with {rows:,} rows."
    except (OSError, ValueError) as error:
        return f"{file} can't be read as Parquet ({str(error).splitlines()[0]})."
    return None if found == rows else f"{file} has {found:,} rows; the manifest says {rows:,}."


def rebuild_game(manifest: Manifest, folder: Path) -> Game:
    """Return the game of a dataset with its set-up and rules. Raises InputError, also where its words are not valid."""
    kind = find_game(manifest.game)
    setup = kind.read_setup(folder / kind.setup_file) if kind.setup_file else None
    game = kind(manifest.players, setup, rules=manifest.rules)
    policies_for(manifest.policies, game)
    return game


def refuse_other_version(manifest: Manifest, game: Game, deed: str) -> None:
    """Raise InputError where the package would not play the same rows any more."""
    if manifest.behaviour != game.behaviour:
        raise InputError(
            f"can't {deed}: the dataset was played by version {manifest.behaviour} of {game.id}, this package plays version "
            f"{game.behaviour}. Install veggies_sim {manifest.versions.get('veggies_sim', '')} for it."
        )
