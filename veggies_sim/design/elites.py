"""MAP-Elites: a plane of two measured numbers cut into cells, and a search for the best point of every cell.

Mouret and Clune: Illuminating search spaces by mapping elites, arXiv 1504.04909, as pyribs has it. New points lie on lines
between the best points of two cells, with some noise (Vassiliades and Mouret: Discovering the elite hypervolume by leveraging
interspecies correlation, arXiv 1804.03906). n dimensions.
"""

from __future__ import annotations

import bisect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from veggies_sim.core.checks import real, whole
from veggies_sim.core.errors import InputError, show

AXIS_KEYS = ("metric", "low", "high", "cells")
MOST_CELLS = 50  # of an axis
FAR = 1e6  # ends of an axis at most
ISO, LINE = 0.1, 0.3  # standard deviations: of the noise in each number, and along the line, in its length

Cell = tuple[int, int]


@dataclass(frozen=True)
class Axis:
    """A metric from `low` to `high`, cut into cells of equal width."""

    metric: str
    low: float
    high: float
    cells: int

    @classmethod
    def from_table(cls, table: Mapping[str, Any], where: str) -> Axis:
        """Return the axis of the AXIS_KEYS of a table. Raises InputError for what is missing or wrong."""
        if missing := [key for key in AXIS_KEYS if key not in table]:
            raise InputError(f"{where}: {' and '.join(missing)} missing; give {', '.join(AXIS_KEYS)}.")
        if not isinstance(table["metric"], str):
            raise InputError(f"{where}, metric: found {show(table['metric'])}; give the key of a metric, as a text.")
        low, high = (real(table[key], f"{where}, {key}", -FAR, FAR) for key in ("low", "high"))
        if not high - low > 1 / FAR:
            found = f"low = {low:.17g} and high = {high:.17g}"
            raise InputError(f"{where}: found {found}; low is the smaller one, by more than {1 / FAR:g}.")
        return cls(table["metric"], low, high, whole(table["cells"], f"{where}, cells", 1, MOST_CELLS))

    @cached_property
    def edges(self) -> list[float]:
        """Where cells begin, and where the last one ends."""
        return [float(edge) for edge in np.linspace(self.low, self.high, self.cells + 1)]

    def cell(self, value: float) -> int | None:
        """Return the cell of a value, which holds its lower end, the last one both; None outside of the axis and for NaN."""
        if not self.low <= value <= self.high:
            return None
        return min(bisect.bisect_right(self.edges, value), self.cells) - 1

    def holds(self, cell: int, low: float, high: float) -> bool:
        """Return whether an interval lies inside a cell; False for NaN."""
        return self.edges[cell] <= low and high <= self.edges[cell + 1]


class Elites:
    """The best point of each cell so far, in the unit cube; the same seed and answers give the same points."""

    def __init__(self, dimensions: int, axes: Sequence[Axis], batch: int, drawn: int, seed: int) -> None:
        """Begin with nothing; `drawn` batches of `batch` points are random ones."""
        from ribs.archives import GridArchive
        from ribs.emitters import IsoLineEmitter

        self._shape, self._drawn = (batch, dimensions), drawn
        self._random = np.random.default_rng(seed)
        # One unit a cell, so that `Axis.cell` alone says where a value belongs: the library takes what lies outside for the edge.
        self._archive = GridArchive(
            solution_dim=dimensions, dims=[axis.cells for axis in axes], ranges=[(0, axis.cells) for axis in axes],
            seed=self._random.integers(2**32),
        )  # fmt: skip
        self._emitter = IsoLineEmitter(
            self._archive, iso_sigma=ISO, line_sigma=LINE, x0=[0.5] * dimensions, bounds=[(0, 1)] * dimensions,
            batch_size=batch, seed=self._random.integers(2**32),
        )  # fmt: skip

    def __len__(self) -> int:
        """Return how many cells have a point."""
        return len(self._archive)

    def ask(self) -> NDArray[np.float64]:
        """Return the points [batch, n] to try next; random ones as long as no cell has a point."""
        self._drawn -= 1
        if self._drawn >= 0 or not len(self):
            return self._random.random(self._shape)
        return np.asarray(self._emitter.ask(), dtype=np.float64)

    def tell(self, points: NDArray[np.float64], cells: Sequence[Cell | None], losses: Sequence[float]) -> None:
        """Say to which cells points belong and how they did, the lower the better; a point without a cell or a number is left out.

        Of equal ones the first stays.
        """
        for point, cell, lost in zip(points, cells, losses, strict=True):
            if cell is not None and np.isfinite(lost):
                self._archive.add_single(point, -lost, np.array(cell) + 0.5)
