"""`heuristic` and its presets: a weighted sum of the features of a move, with noise for human-like play.

What may live here: weights and noise. The features are the game's; a game lists `heuristics(...)` among its policies.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from veggies_sim.core.candidates import Feature
from veggies_sim.core.game import Game
from veggies_sim.core.jit import njit
from veggies_sim.core.options import Option, Value
from veggies_sim.core.pick import pick
from veggies_sim.core.policy import Policy, PolicyKind

CHUNK = 64  # games whose features are looked at together: they stay in the processor's cache
WEIGHT_LIMIT = 1000
NOISE = (
    Option("temperature", 0, "draw a move with probability ~ exp(score / temperature); 0 takes the best", 0, 1000, real=True),
    Option("epsilon", 0, "probability of a uniform random move instead", 0, 1, real=True),
)


@dataclass(frozen=True)
class Preset:
    """A style of play: the weights that are not 0, and why it is worth looking at."""

    name: str
    doc: str
    source: str
    weights: Mapping[str, float]


def heuristics(features: Sequence[Feature], presets: Sequence[Preset]) -> tuple[PolicyKind, ...]:
    """Return a policy for each preset; its options are the weights of all features, then the noise."""
    return tuple(
        PolicyKind(
            preset.name,
            preset.doc,
            preset.source,
            Heuristic,
            tuple(_weight(feature, preset.weights.get(feature.name, 0)) for feature in features) + NOISE,
        )
        for preset in presets
    )


def _weight(feature: Feature, default: float) -> Option:
    return Option(feature.name, default, f"weight of: {feature.doc}", -WEIGHT_LIMIT, WEIGHT_LIMIT, real=True)


class Heuristic(Policy):
    """Takes the move with the highest weighted sum of features."""

    def __init__(self, game: Game, values: Mapping[str, Value]) -> None:
        weights = np.array([values[feature.name] for feature in game.features], np.float64)
        self._game, self._used = game, np.flatnonzero(weights)
        self._weights = weights[self._used]
        self._temperature, self._epsilon = float(values["temperature"]), float(values["epsilon"])

    def choose(self, view: Any, games: NDArray[np.int64], moves: NDArray[np.int16]) -> None:
        """Weigh all moves of some games at a time."""
        for first in range(0, len(games), CHUNK):
            some = games[first : first + CHUNK]
            found = self._game.candidates(view, some)
            score = weigh(found.features.T, self._used, self._weights)
            moves[some] = found.moves[pick(view, some, found, score, self._temperature, self._epsilon)]


@njit
def weigh(features: Any, used: Any, weights: Any) -> Any:
    """Return the weighted sums [N] of features [F, N]: `used` and `weights` name the features that count.

    A loop of our own, since a library's matrix product may round a row differently when there are more rows.
    """
    score = np.zeros(features.shape[1])
    for k in range(len(used)):
        for n in range(features.shape[1]):
            score[n] += weights[k] * features[used[k], n]
    return score
