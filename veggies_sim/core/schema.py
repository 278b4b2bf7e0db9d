"""The tables of a dataset: which columns they have, and the way from a block's arrays to Arrow.

Tables are `seats` (a row per game and seat) and, where moves are recorded, `deals` (a row per game) and `moves` (a row
per choice). The columns here are those that every game has; a game adds its own after them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from veggies_sim.core.game import Array, Column, Game

if TYPE_CHECKING:
    import polars as pl

RECORDS = ("seats", "moves")  # what can be recorded; moves bring all three tables
TABLES = ("seats", "deals", "moves")

_TYPES = {
    "u1": pa.uint8(),
    "u2": pa.uint16(),
    "u4": pa.uint32(),
    "u8": pa.uint64(),
    "i1": pa.int8(),
    "i2": pa.int16(),
    "i4": pa.int32(),
    "i8": pa.int64(),
    "f4": pa.float32(),
    "bool": pa.bool_(),
    "text": pa.dictionary(pa.int16(), pa.string()),
    "list": pa.list_(pa.dictionary(pa.int16(), pa.string())),
    "numbers": pa.list_(pa.uint8()),
}
_PLAIN = {"text": pa.string(), "list": pa.list_(pa.string())}  # what a reader of the files sees
_GAME = Column("game", "u8", "number of the game")
_DEAL = Column("deal", "u8", "number of the deal; games of one deal share it, and it is the unit of every interval")
_SEAT = Column("seat", "u1", "seat, counted from 0 in playing order")


def tables_of(record: str) -> tuple[str, ...]:
    """Return the tables that `record` (seats or moves) brings."""
    return TABLES if record == "moves" else TABLES[:1]


def columns_of(game: Game, policies: Sequence[str], record: str) -> dict[str, list[Column]]:
    """Return the columns of every table that `record` (seats or moves) brings, by table."""
    shared = [
        _GAME,
        _DEAL,
        _SEAT,
        Column("team", "u1", "side of the seat, counted from 0; equal to the seat where every seat plays for itself"),
        Column("policy", "text", "policy that played the seat, with the options that differ from their defaults", tuple(policies)),
        Column("score", "i2", "points of the seat"),
        Column("win", "f4", "1 for the winning side, 1/k where k sides share the win, else 0; the same for a side's members"),
        Column("margin", "i2", "own side's points minus the best other side's"),
    ]
    tables = {"seats": shared + list(game.seat_columns)}
    if record == "moves":
        turn = Column("turn", "u1", "turn of the choice, as the game counts them")
        tables["deals"] = [_GAME, _DEAL, *game.deal_columns]
        tables["moves"] = [_GAME, turn, _SEAT, *game.move_columns]
    return tables


def arrow_schema(columns: Sequence[Column]) -> pa.Schema:
    """Return the Arrow schema of a table."""
    return pa.schema([(column.name, _TYPES[column.type]) for column in columns])


def arrow_table(columns: Sequence[Column], arrays: Mapping[str, Array], schema: pa.Schema) -> pa.Table:
    """Return the rows of `arrays` (column -> [rows], lists [rows, n]) as an Arrow table."""
    return pa.Table.from_arrays([_arrow_column(c, np.asarray(arrays[c.name])) for c in columns], schema=schema)


def _arrow_column(column: Column, values: Array) -> pa.Array:
    if column.type == "text":
        return _texts(column, values)
    if column.type == "list":
        held = np.logical_and.accumulate(values >= 0, axis=1)
        return pa.ListArray.from_arrays(_offsets(held.sum(axis=1)), _texts(column, values[held]))
    if column.type == "numbers":
        flat = values.ravel()
        numbers = pa.array(flat, type=pa.uint8(), mask=flat == column.null)
        return pa.ListArray.from_arrays(_offsets(np.full(len(values), values.shape[1])), numbers)
    mask = None if column.null is None else values == column.null
    return pa.array(values, type=_TYPES[column.type], mask=mask)


def _offsets(lengths: Array) -> pa.Array:
    return pa.array(np.concatenate(([0], np.cumsum(lengths))).astype(np.int32))


def _texts(column: Column, codes: Array) -> pa.Array:
    indices = codes.astype(np.int16)
    missing = indices < 0
    return pa.DictionaryArray.from_arrays(
        pa.array(indices, mask=missing if missing.any() else None), pa.array(column.words, pa.string())
    )


def _plain(kind: pa.DataType) -> pa.DataType:
    """Return the type with texts for numbers that point into words, whatever the size of the numbers."""
    if pa.types.is_list(kind) and pa.types.is_dictionary(kind.value_type):
        return _PLAIN["list"]
    return _PLAIN["text"] if pa.types.is_dictionary(kind) else kind


def plain_schema(columns: Sequence[Column]) -> pa.Schema:
    """Return the Arrow schema as a reader of the Parquet files sees it."""
    return pa.schema([(column.name, _PLAIN.get(column.type, _TYPES[column.type])) for column in columns])


def to_polars(table: pa.Table) -> pl.DataFrame:
    """Return an Arrow table of ours as a polars frame, with texts as plain strings (as a Parquet file gives them)."""
    import polars as pl

    frame = pl.from_arrow(table.cast(pa.schema([pa.field(item.name, _plain(item.type)) for item in table.schema])))
    assert isinstance(frame, pl.DataFrame)
    return frame
