"""`search`: plays each of the best-looking moves to the end of many imagined games, and takes the one that wins most.

Flat Monte Carlo with determinised hidden cards and sequential halving (Karnin, Koren, Somekh: Almost optimal exploration in
multi-armed bandits, ICML 2013): every move meets the same imagined games, the worse half is dropped round by round. For
Kingdomino, a game of the same kind, flat Monte Carlo was found to beat tree search (arXiv 1807.04458).
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from veggies_sim.core.engine import outcome
from veggies_sim.core.game import Game, Keys
from veggies_sim.core.options import Option, Value
from veggies_sim.core.policy import Policy, PolicyKind
from veggies_sim.core.streams import lookahead_seed
from veggies_sim.policies.heuristic import weigh

LANES = 1024  # imagined games that are played together
MARGIN = 0.01  # a point of margin counts as this share of a win: it tells moves apart before wins do
Values = NDArray[np.float64]


def search(models: Sequence[str], prior: Mapping[str, float]) -> PolicyKind:
    """Return the policy: `models` may play for everybody in the imagined games, `prior` is the weights of promising moves."""
    return PolicyKind(
        "search",
        "plays its best-looking moves to the end of many imagined games and takes the one that wins most often",
        "flat Monte Carlo with sequential halving (Karnin, Koren, Somekh 2013)",
        functools.partial(Search, prior),
        (
            Option("budget", 3000, "imagined games at each move", 1, 10_000_000),
            Option("width", 32, "moves it looks at: those that look best by the game's own weights", 2, 10_000),
            Option("model", models[0], "policy that plays for everybody in the imagined games", words=tuple(models)),
        ),
    )


class Search(Policy):
    """Looks ahead with a model of all players."""

    def __init__(self, prior: Mapping[str, float], game: Game, values: Mapping[str, Value]) -> None:
        kind = next(kind for kind in game.policies if kind.name == values["model"])
        self._model = kind.build(game, {option.key: option.default for option in kind.options})
        self._game, self._budget, self._width = game, int(values["budget"]), int(values["width"])
        names = [feature.name for feature in game.features]
        self._used, self._weights = np.array([names.index(name) for name in prior]), np.array(list(prior.values()), np.float64)
        self._schedule = list(game.schedule())
        self._team = np.array(game.team())

    def choose(self, view: Any, games: NDArray[np.int64], moves: NDArray[np.int16]) -> None:
        """Choose game by game."""
        for g in games:
            moves[g] = self._decide(view, int(g))

    def _decide(self, view: Any, g: int) -> NDArray[np.int16]:
        """Return the move for game g: round by round the better half of the moves stays, until one is left."""
        found = self._game.candidates(view, np.array([g]))
        rest = self._schedule[self._schedule.index((view.turn, view.seat)) + 1 :]
        key = lookahead_seed(view.seed, view.seat, view.index[g], view.turn)
        if not rest:  # nothing hidden matters any more: one imagined game is the true one
            value = self._play(view, g, found.moves, key, np.zeros(1, np.uint64), rest)
            return found.moves[np.argmax(value)]
        looks = weigh(found.features.T, self._used, self._weights)
        alive = np.argsort(-looks, kind="stable")[: self._width]
        total, played = np.zeros(len(found.moves)), 0
        rounds = max(1, int(np.ceil(np.log2(len(alive)))))
        for _ in range(rounds):
            count = max(1, self._budget // (rounds * len(alive)))
            samples = np.arange(played, played + count, dtype=np.uint64)
            total[alive] += self._play(view, g, found.moves[alive], key, samples, rest)
            played += count
            alive = alive[np.argsort(-total[alive], kind="stable")][: max(1, len(alive) // 2)]
        return found.moves[alive[0]]

    def _play(
        self, view: Any, g: int, moves: NDArray[np.int16], key: int, samples: NDArray[np.uint64], rest: list[tuple[int, int]]
    ) -> Values:
        """Return the sum of each move's value over the imagined games with the numbers `samples`."""
        total, lanes = np.zeros(len(moves)), len(samples) * len(moves)
        for first in range(0, lanes, LANES):
            sample, move = np.divmod(np.arange(first, min(first + LANES, lanes)), len(moves))
            keys = Keys(samples[sample], samples[sample], key, key)
            block = self._game.imagine(view, g, keys)
            chosen, every = moves[move].copy(), np.arange(len(move))
            self._game.apply(block, view.turn, view.seat, chosen, False)
            for turn, seat in rest:
                self._model.choose(self._game.view(block, keys, turn, seat), every, chosen)
                self._game.apply(block, turn, seat, chosen, False)
            result = self._game.result(block)
            win, margin = outcome(result.score, self._team, result.tiebreak)
            np.add.at(total, move, win[:, view.seat] + MARGIN * margin[:, view.seat])
        return total
