"""Tables: for people aligned columns of words and numbers, for programs files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

ENDINGS = ("parquet", "csv")  # of files


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return rows of words below their heads: the first column to the left, the others to the right.

    >>> print(table(["who", "games"], [["greedy", "10"], ["random", "1,000"]]))
    who     games
    greedy     10
    random  1,000
    """
    lines = [head, *rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
    return "\n".join(
        "  ".join(f"{word:{'<' if column == 0 else '>'}{widths[column]}}" for column, word in enumerate(line)).rstrip()
        for line in lines
    )


def span(low: float | None, high: float | None, form: str) -> str:
    """Return both ends of an interval in a number format, `open` where there is none.

    >>> span(0.25, 0.5, ".0%"), span(None, None, ".0%")
    ('25% .. 50%', 'open')
    """
    return "open" if low is None or high is None else f"{low:{form}} .. {high:{form}}"


def check_file(file: Path, what: str) -> None:
    """Raise InputError for a file that a table can't be written to, before hours of work."""
    from veggies_sim.core.files import check_new_file
    from veggies_sim.core.manifest import refuse_inside

    refuse_inside(file)
    check_new_file(file, ENDINGS, what)


def save(frame: pl.DataFrame, file: Path) -> None:
    """Write a table to a new file; its ending says the format. Raises InputError."""
    from veggies_sim.core.files import new_file

    place = file.absolute()  # polars takes `~` at the start for the home folder
    with new_file(file):
        if file.suffix.lower() == ".csv":
            frame.write_csv(place)
        else:
            frame.write_parquet(place)
