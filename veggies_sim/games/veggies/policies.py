"""The policies of Veggies by name. A policy is one kernel that chooses for a whole block of games at one turn."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from veggies_sim.core.policy import Policy, PolicyKind
from veggies_sim.games.veggies.greedy_policy import choose_greedy
from veggies_sim.games.veggies.random_policy import choose_random


class KernelPolicy(Policy):
    """A policy without options: one compiled kernel."""

    def __init__(self, kernel: Callable[[Any, NDArray[np.int64], NDArray[np.int16]], None]) -> None:
        self._kernel = kernel

    def choose(self, view: Any, games: NDArray[np.int64], moves: NDArray[np.int16]) -> None:
        """Choose by the kernel."""
        self._kernel(view, games, moves)


POLICIES = (
    PolicyKind(
        "random",
        "every distinct legal move (source x distinct face x position) is equally likely",
        "docs/veggies.md: Random",
        lambda game, values: KernelPolicy(choose_random),
    ),
    PolicyKind(
        "greedy",
        "the move with the best value now: own points for the best announcement allowed, united with what the others "
        "would announce; equal moves at random",
        "docs/veggies.md: Value now",
        lambda game, values: KernelPolicy(choose_greedy),
    ),
)
