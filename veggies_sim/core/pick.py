"""From the scores of all legal moves to one move: the best, or one drawn as people choose, with the policy's own streams."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from veggies_sim.core.candidates import Candidates
from veggies_sim.core.jit import njit
from veggies_sim.core.streams import CHOICE, TIE, uniforms

EPSILON_DRAW = 1 << 16  # draw number of the trial for epsilon: after those of all turns


def pick(
    view: Any, games: NDArray[np.int64], found: Candidates, score: Any, temperature: float, epsilon: float
) -> NDArray[np.int64]:
    """Return the number of the chosen move of each game [G], of the scores [N] of its moves.

    The highest score wins, equal ones are equally likely (stream TIE). With a temperature a move is drawn with probability
    proportional to exp(score / temperature); with probability epsilon every move is equally likely (both stream CHOICE).
    """
    seed, seat, index, turn = view.seed, view.seat, view.index[games], view.turn
    out = np.empty(len(games), np.int64)
    if temperature > 0:
        _draw(score, found.start, temperature, uniforms(seed, CHOICE, seat, index, turn), out)
    else:
        _best(score, found.start, uniforms(seed, TIE, seat, index, turn), out)
    if epsilon > 0:
        trial = uniforms(seed, CHOICE, seat, index, turn + EPSILON_DRAW)
        any_move = found.start[:-1] + (trial / epsilon * np.diff(found.start)).astype(np.int64)
        out = np.where(trial < epsilon, np.minimum(any_move, found.start[1:] - 1), out)
    return out


@njit
def _best(score: Any, start: Any, draws: Any, out: Any) -> None:
    for g in range(len(out)):
        best, ties = score[start[g]], 0
        for n in range(start[g], start[g + 1]):
            if score[n] > best:
                best, ties = score[n], 0
            ties += score[n] == best
        wanted = np.int64(draws[g] * ties)
        for n in range(start[g], start[g + 1]):
            if score[n] == best:
                if wanted == 0:
                    out[g] = n
                    break
                wanted -= 1


@njit
def _draw(score: Any, start: Any, temperature: Any, draws: Any, out: Any) -> None:
    for g in range(len(out)):
        best = score[start[g]]
        for n in range(start[g], start[g + 1]):
            best = max(best, score[n])
        total = 0.0
        for n in range(start[g], start[g + 1]):
            total += np.exp((score[n] - best) / temperature)
        left = draws[g] * total
        out[g] = start[g + 1] - 1
        for n in range(start[g], start[g + 1]):
            left -= np.exp((score[n] - best) / temperature)
            if left < 0:
                out[g] = n
                break
