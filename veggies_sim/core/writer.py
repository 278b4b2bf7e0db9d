"""Writing a dataset: blocks come in, Parquet parts and the manifest go out. Nothing on disk is ever half a part.

A part is written under a temporary name in `.writing` and moved into place only when all its files are whole; then the
manifest lists it. Whatever kills the run, the listed parts are complete and the missing games are known.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from veggies_sim.core.files import checksum
from veggies_sim.core.manifest import Manifest, Part

PART_ROWS = 1_000_000  # seat rows
PART_SECONDS = 60.0
GROUP_ROWS = 131_072  # rows of a row group, where a part has so many
TEMPORARY = ".writing"


class DatasetWriter:
    """Adds blocks to a dataset folder; to be closed with the state that the run ended in."""

    def __init__(self, folder: Path, schemas: Mapping[str, pa.Schema], manifest: Manifest) -> None:
        self.folder, self.schemas, self.manifest = folder, schemas, manifest
        self._part: _PartWriter | None = None
        for table in schemas:
            (folder / table).mkdir(parents=True, exist_ok=True)
        shutil.rmtree(folder / TEMPORARY, ignore_errors=True)
        self._remove_strays()
        manifest.save(folder)

    def add(self, first: int, count: int, tables: Mapping[str, pa.Table]) -> None:
        """Add games first .. first + count - 1; a part ends where its games stop following each other."""
        if self._part and self._part.first + self._part.games != first:
            self._end_part()
        try:
            if self._part is None:
                number = max((part.number for part in self.manifest.parts), default=-1) + 1
                folder = (self.folder / TEMPORARY).absolute()  # Arrow takes ~/x for the home folder
                self._part = _PartWriter(folder, number, first, self.schemas, self.manifest.provenance())
            self._part.add(count, tables)
        except BaseException:
            self._drop_part()  # nobody knows which of its rows were written
            raise
        if self._part.rows["seats"] >= PART_ROWS or self._part.age() >= PART_SECONDS:
            self._end_part()

    def close(self, state: str, seconds: float) -> None:
        """Put the last part in place and say in the manifest how the run ended: failed where that part can't be written."""
        try:
            self._end_part()
        except BaseException:
            state = "failed"
            raise
        finally:
            shutil.rmtree(self.folder / TEMPORARY, ignore_errors=True)
            self.manifest.state = state
            self.manifest.seconds += seconds
            self.manifest.save(self.folder)

    def _end_part(self) -> None:
        if self._part is None:
            return
        try:
            part = self._part.close(self.folder)
        except BaseException:
            self._drop_part()
            raise
        self._part = None
        self.manifest.parts.append(part)
        self.manifest.save(self.folder)

    def _drop_part(self) -> None:
        if self._part is not None:
            self._part.drop()
        self._part = None

    def _remove_strays(self) -> None:
        """Remove parts that no manifest lists: a run was killed between moving them and listing them."""
        for table in self.schemas:
            listed = {part.file(self.folder, table) for part in self.manifest.parts}
            for path in (self.folder / table).absolute().glob("part-*.parquet"):  # as `Part.file` has them
                if path not in listed:
                    path.unlink()


class _PartWriter:
    """The files of one part while they grow."""

    def __init__(self, folder: Path, number: int, first: int, schemas: Mapping[str, pa.Schema], provenance: str) -> None:
        folder.mkdir(exist_ok=True)
        self.number, self.first, self.games = number, first, 0
        self.rows = dict.fromkeys(schemas, 0)
        self._folder = folder
        self._born = time.monotonic()
        self._waiting: dict[str, list[pa.Table]] = {table: [] for table in schemas}
        self._files = {table: _open(folder / table, schema, provenance) for table, schema in schemas.items()}

    def age(self) -> float:
        return time.monotonic() - self._born

    def add(self, count: int, tables: Mapping[str, pa.Table]) -> None:
        self.games += count
        for table, rows in tables.items():
            self.rows[table] += len(rows)
            self._waiting[table].append(rows)
            if sum(map(len, self._waiting[table])) >= 2 * GROUP_ROWS:  # so that the last group is no short one
                self._write(table, keep=GROUP_ROWS)

    def _write(self, table: str, keep: int) -> None:
        rows = pa.concat_tables(self._waiting[table])
        ready = rows.slice(0, len(rows) - keep)
        self._files[table].write_table(ready, row_group_size=max(1, len(ready)))
        self._waiting[table] = [rows.slice(len(rows) - keep)] if keep else []

    def close(self, folder: Path) -> Part:
        part = Part(self.number, self.first, self.games, self.rows)
        for table, file in self._files.items():
            if self._waiting[table]:
                self._write(table, keep=0)
            file.close()
            part.crc[table] = checksum(self._folder / table)
        for table in self._files:
            os.replace(self._folder / table, part.file(folder, table))
        return part

    def drop(self) -> None:
        """Close the files without caring for what is in them."""
        for file in self._files.values():
            with suppress(OSError, pa.ArrowException):
                file.close()
            file.is_open = False  # or it would try again when it is thrown away


def _open(path: Path, schema: pa.Schema, provenance: str) -> Any:
    # Without Arrow's own schema in the file, texts are read back as plain strings by every reader.
    # With it also goes the schema's metadata, so that the provenance is added by hand.
    file = pq.ParquetWriter(
        path, schema, compression="zstd", compression_level=1, store_schema=False, write_page_checksum=True
    )
    file.add_key_value_metadata({"veggies_sim": provenance})
    return file
