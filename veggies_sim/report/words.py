"""Numbers and tables as a report tells them: estimates with their intervals, and no more digits than are known."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from veggies_sim.analysis.metrics import SHARE
from veggies_sim.report.section import FROM, P_VALUE, TO, Table

MOST_DIGITS = 2  # after the point
NOTHING = "–"  # a number that is not known
SURE = 0.05  # p-values below are called a difference
IN_BRACKETS = "in brackets 95% intervals"
TOGETHER = "in brackets 95% intervals that hold all together"
OWN = "not played: a policy of the run is a function of its user's, which a report does not run"
LONG = 30  # letters; a longer text gets room of its own
ROOM = 90  # letters on a line of a table that is printed on A4 paper
BETWEEN = 2  # letters between columns
WORDS = 20  # letters that a column of words has at least, where it needs them


def form_of(unit: str, low: float | None, high: float | None) -> str:
    """Return the format of a number with such an interval: the half of the interval shows a digit, or MOST_DIGITS do.

    >>> form_of("share", 0.358, 0.364), form_of("points", 10, 40), form_of("points", None, None)
    ('.1%', '.1f', '.1f')
    """
    half = 0.0 if low is None or high is None else (100 if unit == SHARE else 1) * (high - low) / 2
    digits = min(max(1, math.ceil(-math.log10(half))), MOST_DIGITS) if half > 0 else 1
    return f".{digits}{'%' if unit == SHARE else 'f'}"


def with_interval(value: float | None, low: float | None, high: float | None, form: str) -> str:
    """Return an estimate with its interval in a number format, and without where it is exact: both ends are the number.

    >>> with_interval(0.361, 0.358, 0.364, ".1%"), with_interval(-2, -2, -2, ".1f")
    ('36.1% [35.8%, 36.4%]', '-2.0')
    """
    if value is None:
        return NOTHING
    known = low is not None and high is not None and low < high
    return f"{value:{form}}" + (f" [{low:{form}}, {high:{form}}]" if known else "")


def told(row: Mapping[str, Any]) -> str:
    """Return the value of a row of estimates with its interval: value, low, high, unit."""
    value, low, high = row["value"], row["low"], row["high"]
    return with_interval(value, low, high, form_of(row["unit"], low, high))


def p_told(p: float) -> str:
    """Return a p-value as people write it.

    >>> p_told(0.0004), p_told(0.25)
    ('p < 0.001', 'p = 0.250')
    """
    return f"p {_p_cell(p)}" if p < LEAST_P else f"p = {_p_cell(p)}"


LEAST_P = 0.001  # smaller p-values are not told apart: their last digits rest on the far tails of a distribution


def _p_cell(p: float) -> str:
    return f"< {LEAST_P}" if p < LEAST_P else f"{p:.3f}"


class Column(NamedTuple):
    """A column of a table as it is shown."""

    name: str
    kind: str  # number, word, or long for texts that need room
    cells: Sequence[str]


def shown(table: Table) -> Iterator[Column]:
    """Yield the columns of a table as text."""
    frame = table.frame
    units = frame["unit"] if "unit" in frame.columns else [""] * len(frame)
    for column in frame:
        name = column.name
        base = name.removesuffix(FROM if name.endswith(FROM) else TO)
        if base != name and base in frame.columns:
            continue
        form = table.formats.get(name)
        if f"{name}{FROM}" in frame.columns:
            ends = zip(column, frame[f"{name}{FROM}"], frame[f"{name}{TO}"], units, strict=True)
            cells = [with_interval(value, low, high, form or form_of(unit, low, high)) for value, low, high, unit in ends]
        elif form == P_VALUE:
            cells = [NOTHING if p is None else _p_cell(p) for p in column]
        else:
            form = form or ("," if column.dtype.is_integer() else ".2f" if column.dtype.is_float() else "")
            cells = [NOTHING if value is None else f"{value:{form}}" for value in column]
        long = max(map(len, cells), default=0) > LONG
        yield Column(name, "number" if column.dtype.is_numeric() else "long" if long else "word", cells)


def parts_of(columns: Sequence[Column]) -> list[list[Column]]:
    """Return the columns of a table in parts that fit on the page, each led by the first column."""
    first, *others = columns
    parts = [[first]]
    for column in others:
        if len(parts[-1]) > 1 and sum(map(_width, (*parts[-1], column))) > ROOM:
            parts.append([first])
        parts[-1].append(column)
    return parts


def _width(column: Column) -> int:
    """Return the letters that a column takes at least: intervals may stand below their numbers, words on several lines."""
    name = max(map(len, column.name.split()), default=0)
    if column.kind == "number":
        return max(name, *(len(line) for cell in column.cells for line in cell.split(" [")), 0) + BETWEEN
    return max(name, min(max(map(len, column.cells), default=0), WORDS)) + BETWEEN
