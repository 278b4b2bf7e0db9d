"""Tables for people: aligned columns of words and numbers."""

from __future__ import annotations

from collections.abc import Sequence


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
