"""The parts of a report: what shared code and games put on the page, in order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import polars as pl

from veggies_sim.analysis.metrics import SHARE

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FROM, TO = " from", " to"  # ends of the names of columns that hold an interval's ends
P_VALUE = "p"  # the format of a column of p-values


@dataclass(frozen=True)
class Table:
    """A small frame as a table.

    Columns "NAME from" and "NAME to" are shown in the cell of NAME, as its interval (see `estimate`). A number is shown
    with the format of its column; an estimate without one as its unit says, the column `unit` of its row. The most useful
    columns come first: a table that is too wide for the page is shown in parts, each with the first column.
    """

    caption: str  # what it shows, and what is in the columns
    frame: pl.DataFrame  # ready to be read: columns in words, numbers as they are
    formats: dict[str, str] = field(default_factory=dict)  # column -> format of its numbers, as ".1%"; P_VALUE of p-values


@dataclass(frozen=True)
class Picture:
    """A picture, drawn when the page is made."""

    caption: str  # what is to be seen; also read out by screen readers
    draw: Callable[[], Axes]


@dataclass(frozen=True)
class Drawing:
    """A picture that is SVG text of ours already."""

    caption: str
    svg: str


@dataclass(frozen=True)
class Points:
    """Sentences that are read one by one, shown as a list."""

    texts: Sequence[str]


Item = str | Points | Table | Picture | Drawing  # a text is a paragraph


def glossary(title: str, caption: str, words: dict[str, str]) -> Section:
    """Return a section that says what words mean."""
    return Section(title, [Table(caption, pl.DataFrame({"word": [*words], "meaning": [*words.values()]}))])


@dataclass(frozen=True)
class Section:
    """A heading with what stands below it."""

    title: str
    items: Sequence[Item]
    answers: Sequence[str] = ()  # to what was asked for when the report was ordered: first on the page, and on the terminal


def estimate(name: str, value: str = "value", low: str = "low", high: str = "high") -> Iterator[pl.Expr]:
    """Yield the columns of an estimate with its interval as a Table takes them, of columns of a frame."""
    for column, end in ((value, ""), (low, FROM), (high, TO)):
        yield pl.col(column).alias(f"{name}{end}")


def wide(caption: str, found: pl.DataFrame, by: Sequence[str], titles: Mapping[str, str]) -> Table:
    """Return a table of estimates (columns `by`, metric, unit, value, low, high) with a column for each metric.

    titles: metric -> title of its column, in the order of columns; metrics that are not among them are left out.
    """
    table, formats = found.select(by).unique(maintain_order=True), {}
    for metric, title in titles.items():
        rows = found.filter(pl.col("metric") == metric)
        table = table.join(rows.select(*by, *estimate(title)), on=list(by), how="left", maintain_order="left")
        formats[title] = ".1%" if SHARE in rows["unit"] else ".2f"
    return Table(caption, table, formats)
