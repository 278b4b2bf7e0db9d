"""Candidates of a search: points in the space that a spec leaves free, and the decks that are made for them.

A point is a wish for every knob of a spec. Its deck is the one that `generate` makes nearest to it, always with the same seed,
so that near points are near decks and every candidate is valid. A spec that leaves nothing free still leaves how symbols are
arranged: then each candidate is another deck of the spec, drawn by a seed of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from veggies_sim.core.streams import SEED_LIMIT
from veggies_sim.games.veggies.deck import Deck
from veggies_sim.games.veggies.design.faces import PAIRS, touching_pairs
from veggies_sim.games.veggies.design.generate import generate
from veggies_sim.games.veggies.design.spec import Knob, Spec

Point = tuple[float, ...]  # a value for each knob, in its own unit


class Candidate(NamedTuple):
    """A point, and the deck that was made for it."""

    step: int  # generation or batch of the search
    number: int  # in its step
    point: Point
    seed: int  # of `generate`
    deck: Deck


class Maker:
    """Makes the candidates of a search; each deck once. size: candidates of a step."""

    def __init__(self, spec: Spec, seed: int, size: int) -> None:
        self.spec, self.knobs = spec, spec.knobs()
        self._seed, self._size = seed, size
        self._decks: dict[tuple[int, Point], Deck] = {}  # by seed and point

    def candidate(self, step: int, number: int, point: Point) -> Candidate:
        """Return a candidate with its deck."""
        drawn = 0 if self.knobs else step * self._size + number
        seed = (self._seed + drawn) % SEED_LIMIT
        if (seed, point) not in self._decks:
            self._decks[seed, point] = generate(self.spec, seed, balanced(self.spec, self.knobs, point))
        return Candidate(step, number, point, seed, self._decks[seed, point])


def balanced(spec: Spec, knobs: Sequence[Knob], point: Point) -> dict[str, float]:
    """Return the wishes of a point, by knob, with symbols that fill the deck.

    Not every point is a deck: spaces of symbols add up to 6 x cards. Were such a point left to `generate`, many decks would be
    equally near. So all symbols give or take the same part of their ranges, as far as their ends.
    """
    free = [place for place, knob in enumerate(knobs) if knob.whole]
    low, high = (np.array([knobs[place][end] for place in free]) for end in (1, 2))
    wished = np.array([point[place] for place in free])
    names = {knobs[place].name for place in free}
    fixed = sum(span.least for symbol, span in spec.fitting().items() if symbol not in names)
    least, most = -1.0, 1.0
    for _ in range(60):  # halving: more steps change nothing
        middle = (least + most) / 2
        filled = np.clip(wished + middle * (high - low), low, high)
        least, most = (least, middle) if filled.sum() > 6 * spec.cards - fixed else (middle, most)
    aim = {knob.name: float(value) for knob, value in zip(knobs, point, strict=True)}
    return aim | {knobs[place].name: float(value) for place, value in zip(free, filled, strict=True)}


def reached(deck: Deck, knobs: Sequence[Knob]) -> list[float]:
    """Return the numbers of a deck that are knobs of its spec."""
    counts: dict[str, float] = {**deck.counts()}
    counts["touching"] = sum(touching_pairs(deck).values()) / (len(PAIRS) * len(deck))
    return [float(counts[knob.name]) for knob in knobs]
