"""Classes of stands by a count, such as that of rats, with rare counts put together."""

from __future__ import annotations

import numpy as np
import polars as pl

from veggies_sim.analysis.sums import Sums

LEAST = 100  # stands of a class: with fewer, its mean and the error of its mean are too rough to be shown
ROWS = "rows"  # the sum that counts stands


def spans(counts: list[int], least: int = LEAST) -> list[tuple[int, int]]:
    """Return the first and last place of each class of neighbours, from the lowest up, with at least `least` stands each.

    What is left at the end joins the last class; with too few stands altogether there is one class.

    >>> spans([20, 90, 300, 200, 60, 5])
    [(0, 1), (2, 2), (3, 5)]
    """
    found: list[tuple[int, int]] = []
    first = total = 0
    for place, count in enumerate(counts):
        total += count
        if total >= least:
            found.append((first, place))
            first, total = place + 1, 0
    if first < len(counts):
        start = found.pop()[0] if found else 0
        found.append((start, len(counts) - 1))
    return found


def merged(found: Sums, column: str) -> Sums:
    """Return sums by a count with sparse counts put together; keys then has `column` as text ("3", "9 to 14"), low_NAME, high_NAME.

    found: sums [groups, K] by `column`, among them ROWS.
    """
    values = found.keys[column].to_list()
    classes = spans([int(count) for count in found.sums[ROWS].sum(axis=0)])
    firsts = [first for first, _ in classes]
    sums = {name: np.add.reduceat(each, firsts, axis=1) for name, each in found.sums.items()}
    low, high = [values[first] for first, _ in classes], [values[last] for _, last in classes]
    names = [str(a) if a == b else f"{a} to {b}" for a, b in zip(low, high, strict=True)]
    return Sums(pl.DataFrame({column: names, f"low_{column}": low, f"high_{column}": high}), sums, found.deals)
