"""CMA-ES (Hansen: The CMA evolution strategy, a tutorial, arXiv 1604.00772): the search for points that rank best.

It looks at ranks only, so it bears noise and needs no scale of what is searched for; its answer is the mean of what it
samples, not the luckiest point. n dimensions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray


class Evolution:
    """A search within bounds; the same seed and ranks give the same points. It never restarts, and stops when nobody asks."""

    def __init__(
        self, start: Sequence[float], low: Sequence[float], high: Sequence[float], sigma: float, population: int, seed: int
    ) -> None:
        """Begin at `start` [n] within `low` and `high` [n]; sigma is the first standard deviation of each number."""
        import cma

        self._size = len(start)
        if self._size == 1:  # the library does not do one dimension: a second one that nothing looks at
            start, low, high = [*start, 0.0], [*low, -1.0], [*high, 1.0]
        random = np.random.default_rng(seed)
        settings = {
            "popsize": population, "bounds": [list(low), list(high)], "verbose": -9, "verb_log": 0, "verb_disp": 0,
            "seed": np.nan, "randn": lambda count, size: random.standard_normal((count, size)),  # leaves NumPy's own state alone
        }  # fmt: skip
        self._search = cma.CMAEvolutionStrategy(list(start), sigma, settings)
        self._asked: list[Any] = []

    def ask(self) -> list[NDArray[np.float64]]:
        """Return the points [population][n] to try next."""
        self._asked = self._search.ask()
        return [np.array(point[: self._size]) for point in self._asked]

    def tell(self, values: Sequence[float]) -> None:
        """Say how the points asked last did, the lower the better."""
        self._search.tell(self._asked, list(values))

    @property
    def centre(self) -> NDArray[np.float64]:
        """The point [n] around which the next ones lie: the best guess so far."""
        return np.array(self._search.result.xfavorite[: self._size])
