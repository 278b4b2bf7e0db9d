"""Reading a dataset: a run's tables as polars frames, checked against its manifest first."""

from __future__ import annotations

import csv
import html
import json
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from veggies_sim.core.checks import as_path
from veggies_sim.core.errors import InputError, show
from veggies_sim.core.files import file_errors, resume_command, undone
from veggies_sim.core.game import Column, Game
from veggies_sim.core.manifest import FILE, Manifest, Part, deals_of, refuse_inside
from veggies_sim.core.manifest_reader import load
from veggies_sim.core.part_check import part_fault
from veggies_sim.core.policy import is_own, newer_text, parse_policy
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

    def _repr_html_(self) -> str:
        """Return what a notebook shows: what was played, and what must be said with its results."""
        m, game = self.manifest, self.game
        facts = {
            "game": game.conditions(),
            "policies": ", ".join(m.policies),
            "games": f"{m.games:,} on {self.deal_count:,} deals, {m.state}",
            "seed": f"{m.seed}, of the policies {m.policy_seed}",
            "tables": f"{', '.join(self.columns)}; in {self.folder or 'memory'}",
        }
        if notes := game.setup_notes(game.setup):
            facts["note"] = "; ".join(notes)
        left = 'style="text-align: left"'
        rows = (f"<tr><th {left}>{key}</th><td {left}>{html.escape(text)}</td></tr>" for key, text in facts.items())
        return f"<table>{''.join(rows)}</table>"

    @cached_property
    def columns(self) -> dict[str, list[Column]]:
        """The columns of every table, by table."""
        return columns_of(self.game, self.manifest.policies, self.manifest.record)

    @property
    def rows(self) -> dict[str, int]:
        """The number of rows of every table."""
        return {table: sum(part.rows[table] for part in self.manifest.parts) for table in self.columns}

    @property
    def games_per_deal(self) -> int:
        """How many games in a row are played on one deal."""
        return self.manifest.plays_per_deal * (self.game.players if self.manifest.rotate_seats else 1)

    @property
    def deal_count(self) -> int:
        """The number of deals that the run holds games of: the size of the sample."""
        return sum(count for _, count in deals_of(self.held, self.games_per_deal))

    @property
    def held(self) -> list[tuple[int, int]]:
        """The games that the run holds: (first, count) of every stretch."""
        return self.manifest.finished() or [(self.manifest.first_game, self.manifest.games)]

    def scan(self, table: str) -> pl.LazyFrame:
        """Return a table (seats, deals or moves) as a lazy frame. Raises InputError where it was not recorded."""
        import polars as pl

        self._check_table(table)
        if self.folder is None or not self.manifest.parts:
            return self.table(table).lazy()
        return pl.scan_parquet([part.file(self.folder, table) for part in self.manifest.parts], glob=False)

    def scan_parts(self, table: str) -> Iterator[pl.LazyFrame]:
        """Yield a table part by part as lazy frames, each with whole games in order. Raises InputError as `scan`.

        Collect them with `collected`, so that damage is told.
        """
        import polars as pl

        self._check_table(table)
        if self.folder is None or not self.manifest.parts:
            yield self.table(table).lazy()
        else:
            for part in self.manifest.parts:
                yield pl.scan_parquet(part.file(self.folder, table), glob=False)

    def collected(self, rows: pl.LazyFrame) -> pl.DataFrame:
        """Return a lazy frame of this run's tables as a frame. Raises InputError where a file is damaged."""
        import polars as pl

        try:
            return rows.collect()
        except (OSError, pl.exceptions.ComputeError) as error:
            raise InputError(f"{self.folder}: a file is damaged{_mend(error, self.folder or Path())}") from None

    def table(self, name: str) -> pl.DataFrame:
        """Return a table as a polars frame; `.to_pandas()` gives a pandas one. Raises InputError as `scan`, and for damage."""
        import polars as pl

        self._check_table(name)
        return pl.concat(self._frames(name))

    def game_rows(self, table: str, number: int) -> list[dict[str, Any]]:
        """Return the rows of one game; only the row groups that hold it are read. Raises InputError as `table`."""
        import polars as pl

        self._check_table(table)
        if self.folder is None:
            frames = list(self._frames(table))
        else:
            parts = [part for part in self.manifest.parts if part.first <= number < part.first + part.games]
            frames = [self._read(self.folder, part, table, number) for part in parts]
        return [row for frame in frames for row in frame.filter(pl.col("game") == number).to_dicts()]

    def _check_table(self, name: str) -> None:
        if not isinstance(name, str) or name not in self.columns:
            hint = "Simulate with record='moves' (--record moves)." if name in TABLES else f"Valid: {', '.join(self.columns)}."
            raise InputError(f"{show(name)} is not among the tables of this run. {hint}")

    def _frames(self, table: str) -> Iterator[pl.DataFrame]:
        """Yield the rows of a table part by part, so that whoever takes them one by one needs little memory."""
        if self.folder is not None and self.manifest.parts:
            for part in self.manifest.parts:
                yield self._read(self.folder, part, table)
        else:
            yield to_polars(self._tables.get(table, arrow_schema(self.columns[table]).empty_table()))

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
        target = as_path(folder, "folder")
        files = [target / f"{table}.csv" for table in self.columns]
        with file_errors(target):
            refuse_inside(files[0])
            taken = [file for file in files if file.exists()]
            if taken or (target.exists() and not target.is_dir()):
                raise InputError(f"{taken[0] if taken else target} exists already. Give a new folder.")
            with undone([target, *files]):
                target.mkdir(parents=True, exist_ok=True)
                for table, file in zip(self.columns, files, strict=True):
                    self._write_csv(table, file)
        return files

    def _read(self, folder: Path, part: Part, table: str, number: int | None = None) -> pl.DataFrame:
        """Read a file with its checksums; for the `number` of a game only the row groups that may hold it."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        file = part.file(folder, table)
        texts = [column.name for column in self.columns[table] if column.type == "text"]
        try:
            with pq.ParquetFile(file, page_checksum_verification=True, read_dictionary=texts) as held:
                groups = list(range(held.num_row_groups))
                if number is not None:
                    games = [held.metadata.row_group(group).column(0).statistics for group in groups]
                    spans = [(seen.min, seen.max) if seen and seen.has_min_max else (0, number) for seen in games]
                    groups = [group for group in groups if spans[group][0] <= number <= spans[group][1]]
                return to_polars(held.read_row_groups(groups))
        except (OSError, pa.ArrowException) as error:
            raise InputError(f"{file} is damaged{_mend(error, folder)}") from None

    def _write_csv(self, table: str, file: Path) -> None:
        with file.open("w", encoding="utf-8", newline="") as stream:
            rows = csv.writer(stream, lineterminator="\n")
            rows.writerow([column.name for column in self.columns[table]])
            for frame in self._frames(table):
                rows.writerows([_cell(value) for value in row] for row in frame.iter_rows())


def _mend(error: Exception, folder: Path) -> str:
    """Return what is wrong with a file and what to do, the end of a sentence."""
    return f" ({show(str(error).splitlines()[0])}). Delete it and play its games again: {resume_command(folder)}"


def _cell(value: object) -> object:
    if isinstance(value, list):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r"):
        return "'" + value
    return value


def open_dataset(folder: str | Path) -> Run:
    """Return the run in a folder. Raises InputError for a folder that is none, and for missing, short or foreign files."""
    path = as_path(folder, "folder")
    manifest = load(path)
    with file_errors(path, "read", "Give the folder of a dataset that you may read."):
        _refuse_links(path, manifest)
        run = Run(manifest, rebuild_game(manifest, path), path)
    for part in manifest.parts:
        fault = part_fault(path, part, manifest, run.columns)
        if fault:
            raise InputError(f"{fault} Play its games again: {resume_command(path)}")
    return run


def _refuse_links(folder: Path, manifest: Manifest) -> None:
    """Refuse a dataset whose files lie elsewhere: who sent it would choose what is read."""
    setup = [folder / name for name in [find_game(manifest.game).setup_file] if name]
    home = folder.resolve()
    for file in [*setup, *(part.file(folder, table) for part in manifest.parts for table in part.rows)]:
        if not file.resolve().is_relative_to(home):
            raise InputError(f"{file} is a link out of the dataset. Put the file itself there, or simulate again.")


def rebuild_game(manifest: Manifest, folder: Path) -> Game:
    """Return the game of a dataset with its set-up and rules. Raises InputError where they are not those of the run."""
    kind = find_game(manifest.game)
    file = folder / (kind.setup_file or FILE)
    if not file.is_file():
        raise InputError(f"{file} is missing: it belongs to the dataset. Restore it, or simulate again.")
    setup = kind.read_setup(file) if kind.setup_file else None
    try:
        game = kind(manifest.players, setup, rules=manifest.rules)
        named = [text for text in manifest.policies if not is_own(text)]  # code is never run by a file's word
        same_policies = [*map(newer_text, named)] == [str(parse_policy(text, kind.policies, kind.id)) for text in named]
    except InputError as error:
        raise InputError(f"{folder / FILE}: a damaged manifest: {error} Restore the file, or simulate again.") from None
    if game.setup_hash != manifest.setup_hash or (setup is not None and game.setup != setup):  # rules may go before the set-up
        raise InputError(f"{file} is not what the games were played with (its hash is another). Restore it, or simulate again.")
    if not same_policies or any(game.rules[key] != value for key, value in manifest.rules.items()):
        raise InputError(f"{folder / FILE}: a damaged manifest (rules or policies). Restore the file, or simulate again.")
    return game


def refuse_other_version(manifest: Manifest, game: Game, deed: str) -> None:
    """Raise InputError where the package would not play the same rows any more."""
    if manifest.behaviour != game.behaviour:
        raise InputError(
            f"can't {deed}: the dataset was played by version {manifest.behaviour} of {game.id}, this package plays version "
            f"{game.behaviour}. Install veggies_sim {manifest.versions.get('veggies_sim', '')} for it."
        )
