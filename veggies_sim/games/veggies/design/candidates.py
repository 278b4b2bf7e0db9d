"""Candidates of a search: points in the space that a spec leaves free, and the decks that are made for them.

A point is a wish for every knob of a spec. Its deck is the one that `generate` makes nearest to it, always with the same seed,
so that near points are near decks and every candidate is valid. A spec that leaves nothing free still leaves how symbols are
arranged: then each candidate is another deck of the spec, drawn by a seed of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from veggies_sim.analysis.estimates import LEAST_DEALS
from veggies_sim.analysis.intervals import Floats
from veggies_sim.core.errors import InputError
from veggies_sim.core.manifest import LIMITS
from veggies_sim.core.streams import SEED_LIMIT, draw_seed
from veggies_sim.design.log import LOG, Number
from veggies_sim.games.veggies.deck import Deck
from veggies_sim.games.veggies.design.faces import PAIRS, touching_pairs
from veggies_sim.games.veggies.design.generate import generate
from veggies_sim.games.veggies.design.spec import Knob, Spec

MOST_GAMES = 12_000_000  # of a deck at a time, whole deals for 2, 3 and 4 players
KEPT = 1000  # decks in memory: the best are asked for again
Point = tuple[float, ...]  # a value for each knob, in its own unit


class Candidate(NamedTuple):
    """A point, and the deck that was made for it."""

    step: int  # generation or batch of the search
    number: int  # in its step
    point: Point
    seed: int  # of `generate`
    deck: Deck


class Maker:
    """Makes the candidates of a search, and tells what each is in a row of the log.

    step: the word for a step of the search, a column of the log; size: candidates of a step.
    """

    def __init__(self, spec: Spec, seed: int, step: str, size: int) -> None:
        self.spec, self.knobs, self.step, self.size = spec, spec.knobs(), step, size
        self._seed = seed
        self._made = lru_cache(KEPT)(self._deck)

    def _deck(self, seed: int, point: Point) -> Deck:
        return generate(self.spec, seed, balanced(self.spec, self.knobs, point))

    def candidate(self, step: int, number: int, point: Point) -> Candidate:
        """Return a candidate with its deck."""
        drawn = 0 if self.knobs else step * self.size + number
        seed = (self._seed + drawn) % SEED_LIMIT
        return Candidate(step, number, point, seed, self._made(seed, point))

    def middle(self) -> Candidate:
        """Return the candidate in the middle of the spec."""
        return self.candidate(0, 0, self.point_at([0.5] * len(self.knobs)))

    def point_at(self, unit: Sequence[float] | Floats) -> Point:
        """Return the point at shares (0 to 1) of each knob's range."""
        return tuple(
            min(max(knob.low + (knob.high - knob.low) * float(share), knob.low), knob.high)
            for knob, share in zip(self.knobs, unit, strict=True)
        )

    def columns(self) -> dict[str, pl.DataType]:
        """Return the columns of `row`: which candidate, what was asked for and reached of each knob, the hash of the deck."""
        names = [f"{word}_{knob.name}" for word in ("asked", "reached") for knob in self.knobs]
        numbers = dict.fromkeys((self.step, "candidate", "deck_seed"), pl.Int64())
        return {**numbers, **dict.fromkeys(names, pl.Float64()), "deck": pl.String()}

    def row(self, each: Candidate) -> dict[str, Any]:
        """Return what a candidate is, as the log has it."""
        values = (each.step, each.number, each.seed, *each.point, *reached(each.deck, self.knobs), each.deck.hash)
        return dict(zip(self.columns(), values, strict=True))

    def point(self, row: Mapping[str, Any]) -> Point:
        """Return the point of a row of the log."""
        return tuple(row[f"asked_{knob.name}"] for knob in self.knobs)

    def holds(self, row: Mapping[str, Any]) -> bool:
        """Return whether the point of a row lies in the ranges of the spec."""
        return all(knob.low <= value <= knob.high for knob, value in zip(self.knobs, self.point(row), strict=True))

    def again(self, row: Mapping[str, Any]) -> Candidate:
        """Return the candidate of a row of the log. Raises InputError where its deck is another than it was."""
        each = self.candidate(row[self.step], row["candidate"], self.point(row))
        if each.deck.hash != row["deck"]:
            raise InputError(
                f"{LOG}: candidate {each.number} of {self.step} {each.step} is another deck than it was. The search was made with "
                "other libraries, see the versions in its .json file; go on with these, or begin it anew."
            )
        return each


def numbers_of(defaults: Mapping[str, int], ranges: Mapping[str, tuple[int, int]], players: int) -> dict[str, Number]:
    """Return the numbers that a search goes by: with `ranges`, else games of whole deals, with seats rotating too; and the seed."""
    games = LEAST_DEALS * players, MOST_GAMES, players
    found = {key: Number(default, *ranges.get(key, games)) for key, default in defaults.items()}
    return found | {"seed": Number(draw_seed(), *LIMITS["seed"])}


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
