"""Goals of a search: what a measured number shall be, how badly it misses, and whether an interval settles it.

An objective has one value for each policy that it is measured under, and counts as its worst: a design that one policy only
finds well made is none.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from veggies_sim.core.checks import real
from veggies_sim.core.errors import InputError, show

WITHIN, OUTSIDE, OPEN = "within", "not within", "can't tell"  # verdicts
KEYS = ("metric", "goal", "tolerance", "weight")
VALID = {"goal": (-1e6, 1e6), "tolerance": (1e-6, 1e6), "weight": (1e-6, 1e6)}  # beyond these a loss says nothing


@dataclass(frozen=True)
class Objective:
    """A metric shall be `goal`, give or take `tolerance`."""

    metric: str
    goal: float
    tolerance: float
    weight: float = 1.0

    @classmethod
    def from_table(cls, table: Mapping[str, Any], where: str) -> Objective:
        """Return the objective of the KEYS of a table. Raises InputError for what is missing or wrong."""
        missing = [key for key in KEYS[:3] if key not in table]
        if missing:
            raise InputError(f"{where}: {' and '.join(missing)} missing; give metric, goal and tolerance.")
        if not isinstance(table["metric"], str):
            raise InputError(f"{where}, metric: found {show(table['metric'])}; give the key of a metric, as a text.")
        numbers = {key: real(table[key], f"{where}, {key}", *span) for key, span in VALID.items() if key in table}
        return cls(table["metric"], **numbers)

    def miss(self, value: float) -> float:
        """Return the square of how many tolerances a value is from the goal; NaN misses by far.

        It is 1 at the edge and falls on inside, so that a search goes on to the middle.
        """
        away = (value - self.goal) / self.tolerance
        return math.inf if math.isnan(away) else away * away  # a power of so many would raise OverflowError

    def verdict(self, low: float, high: float) -> str:
        """Return whether an interval lies WITHIN the tolerance, OUTSIDE of it, or reaches across its edge: then it is OPEN."""
        least, most = self.goal - self.tolerance, self.goal + self.tolerance
        if least <= low and high <= most:
            return WITHIN
        return OUTSIDE if high < least or most < low else OPEN


def loss(objectives: Sequence[Objective], values: Sequence[Sequence[float]]) -> float:
    """Return the weighted mean over objectives of the worst miss among the values of each; 0 is best."""
    worst = [each.weight * max(map(each.miss, found)) for each, found in zip(objectives, values, strict=True)]
    return sum(worst) / sum(each.weight for each in objectives)
