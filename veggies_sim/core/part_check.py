"""Is a file of a dataset the one that the manifest means? Told from its checksum and its footer, without decoding its rows."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from veggies_sim.core.files import checksum
from veggies_sim.core.game import Column
from veggies_sim.core.manifest import IDENTITY, Manifest, Part
from veggies_sim.core.schema import plain_schema


def part_fault(folder: Path, part: Part, manifest: Manifest, columns: Mapping[str, Sequence[Column]]) -> str | None:
    """Return in words what is wrong with the first bad file of a part; None where all are whole."""
    for table in columns:
        file = part.file(folder, table)
        fault = _file_fault(file, table, part, manifest, columns[table])
        if fault:
            return f"{file} {fault}."
    return None


def _file_fault(file: Path, table: str, part: Part, manifest: Manifest, columns: Sequence[Column]) -> str | None:
    import pyarrow as pa

    try:
        if part.crc and checksum(file) != part.crc[table]:  # before its footer is read: some damage to that ends the process
            return "can't be read: it is damaged, or the file of another run, for its checksum is not the manifest's"
        return _footer_fault(file, table, part, manifest, columns)
    except FileNotFoundError:
        return f"is missing; the manifest lists it with {part.rows[table]:,} rows"
    except (OSError, ValueError, pa.ArrowException) as error:  # ValueError: names and statistics that are no text
        return f"can't be read as Parquet ({str(error).splitlines()[0]})"


def _footer_fault(file: Path, table: str, part: Part, manifest: Manifest, columns: Sequence[Column]) -> str | None:
    import pyarrow.parquet as pq

    with pq.ParquetFile(file) as held:
        footer, schema = held.metadata, held.schema_arrow
    if footer.num_rows != part.rows[table]:
        return f"has {footer.num_rows:,} rows; the manifest says {part.rows[table]:,}"
    if not schema.equals(plain_schema(columns)):
        return "has other columns than this game and these policies give"
    if not _same_run(footer.metadata or {}, manifest):
        return "belongs to another run than the manifest"
    return _values_fault(footer, part, columns)


def _same_run(metadata: Mapping[bytes, bytes], manifest: Manifest) -> bool:
    try:
        said = json.loads(metadata.get(b"veggies_sim", b"null"))
    except (ValueError, RecursionError):
        return False
    return isinstance(said, dict) and all(said.get(key) == getattr(manifest, key) for key in IDENTITY)


def _values_fault(footer: Any, part: Part, columns: Sequence[Column]) -> str | None:
    """Compare the statistics of the row groups: which games there are, and no value missing where each row has one."""
    last = part.first + part.games - 1
    for number in range(footer.num_row_groups):
        group = footer.row_group(number)
        found = [group.column(place).statistics for place in range(len(columns))]
        for column, facts in zip(columns, found, strict=True):
            if facts is None or not facts.has_null_count:
                return f"does not say how many values its column {column.name} lacks, as the files of a run do"
            may_miss = column.null is not None or column.type == "text"
            if facts.null_count and not may_miss:
                return f"lacks values in its column {column.name}"
        games = found[0]  # the number of the game is the first column of every table
        if games and games.has_min_max and not part.first <= games.min <= games.max <= last:
            return f"holds games {games.min}..{games.max}; the manifest says {part.first}..{last}"
    return None
