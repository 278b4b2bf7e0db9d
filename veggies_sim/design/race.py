"""Races: many candidates play little, the better half of them twice as much, and so on.

Successive halving (Karnin, Koren, Somekh: Almost optimal exploration in multi-armed bandits, ICML 2013; Jamieson and
Talwalkar: Non-stochastic best arm identification, AISTATS 2016): what is spent goes to those that may be best.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple


class Placed(NamedTuple):
    """How a candidate did."""

    rung: int  # the last one it reached, from 0
    loss: float  # there
    rank: int  # from 0, the best


def race(count: int, loss_at: Callable[[int, int], float], rungs: int) -> list[Placed]:
    """Return how each of `count` candidates did.

    loss_at: of (candidate, rung), the lower the better; asked of all candidates at rung 0, at each further rung of the
    better half of those before, rounded up. Who came further ranks before who did not. Of equal ones the first wins.
    """
    alive, losses = [*range(count)], [0.0] * count
    left: list[tuple[int, int]] = []  # candidates with their last rungs, the best first
    for rung in range(rungs):
        for each in alive:
            losses[each] = loss_at(each, rung)
        alive.sort(key=lambda each: (losses[each], each))
        going = (len(alive) + 1) // 2 if rung + 1 < rungs else 0
        left = [(each, rung) for each in alive[going:]] + left
        alive = sorted(alive[:going])
    placed = {each: Placed(rung, losses[each], rank) for rank, (each, rung) in enumerate(left)}
    return [placed[each] for each in range(count)]


def entrants(count: int, rungs: int) -> list[int]:
    """Return how many of `count` candidates take part at each rung."""
    found = [count]
    while len(found) < rungs:
        found.append((found[-1] + 1) // 2)
    return found
