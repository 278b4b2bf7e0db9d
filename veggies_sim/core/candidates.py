"""All legal moves of a turn with their features: what policies that weigh moves look at.

A game that gives `Game.candidates` gets such policies (weights, own code, search) without a line of its own.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Feature:
    """A column of the features: its name and what it says of a move, all of it visible to the player who moves."""

    name: str
    doc: str


@dataclass(frozen=True)
class Candidates:
    """The distinct legal moves of G games, one game after another: N moves with F features each."""

    moves: NDArray[np.int16]  # [N, fields of a move], in the game's canonical order
    start: NDArray[np.int64]  # [G + 1] the moves of game i are start[i] .. start[i + 1] - 1
    features: NDArray[np.float32]  # [N, F], made anew for each call
