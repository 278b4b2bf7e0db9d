"""The parts of a report: what shared code and games put on the page, in order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class Table:
    """A small frame as a table."""

    caption: str  # what it shows, and what is in the columns
    frame: pl.DataFrame  # ready to be read: columns in words, numbers as they are
    formats: dict[str, str] = field(default_factory=dict)  # column -> format of its numbers, as ".1%"; others as they are


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


Item = str | Table | Picture | Drawing  # a text is a paragraph


@dataclass(frozen=True)
class Section:
    """A heading with what stands below it."""

    title: str
    items: list[Item]
