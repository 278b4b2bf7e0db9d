"""A random deck that meets a spec, or the reason why there is none.

A deck is a number of copies of each face, so a spec is an integer program (`program`). It is solved over faces drawn at
random, each at a random price, so that the deck is one of many; where the faces drawn make no deck over more of them, and at
last over all profiles (what a spec counts on a face): no deck then means that there is none.
"""

from __future__ import annotations

import collections
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from veggies_sim.core.checks import mapping, real, whole
from veggies_sim.core.errors import RunFailed, unknown
from veggies_sim.core.streams import SEED_LIMIT
from veggies_sim.games.veggies.deck import SYMBOLS, Card, Deck
from veggies_sim.games.veggies.design.faces import PAIRS, face_of
from veggies_sim.games.veggies.design.program import Wishes, all_faces, one_of_each, passing, profiles, rows_of, solve
from veggies_sim.games.veggies.design.reasons import refuse, why_none
from veggies_sim.games.veggies.design.spec import ALLOWED, Spec

DRAWN = 8, 80  # faces for each card of the deck, first and where those make no deck
LEAST_DRAWN = 320
AIM_PRICE = 1000.0  # of missing a knob's aim by its whole range; a face costs less than 1


def generate(spec: Spec, seed: int, aim: Mapping[str, float] | None = None) -> Deck:
    """Return a random deck that meets a spec; the same for the same seed, aim and version of scipy.

    aim: wished values of some of the spec's knobs. The deck is then one nearest to them among those of the faces drawn: the
    least sum of distances, each a share of its knob's range. One seed draws the same faces and prices for every aim, so near
    aims give decks alike, card by card. Cards have the ids c01, c02, ...
    Raises InputError where no deck meets the spec, with the reason, and for a knob or a seed that is none.
    """
    aims = _aims(spec, aim)
    seed = whole(seed, "seed", 0, SEED_LIMIT - 1)
    refuse(spec)
    random = np.random.default_rng(seed)
    pool = one_of_each(spec, random.permutation(passing(spec)))
    proven = False
    for faces, copies, members in _programs(spec, pool, random):
        answer = solve(rows_of(spec, faces), copies, random.random(len(faces)), _wishes(aims, faces))
        if answer.copies is not None:
            return _deck(spec, _chosen(spec, answer.copies, members, random), seed)
        proven = answer.proven
    raise why_none(spec, proven)


def _programs(spec: Spec, pool: Any, random: np.random.Generator) -> Iterator[tuple[Any, Any, list[Any]]]:
    """Yield faces of a program, the copies that each may have, and the faces that each stands for."""
    for each in DRAWN:
        size = max(LEAST_DRAWN, each * spec.cards)
        drawn = random.choice(pool, size) if spec.duplicates == ALLOWED else pool[:size]  # twice drawn, two copies
        if len(drawn) >= spec.cards:
            yield drawn, np.ones(len(drawn)), [*drawn[:, None]]
        if spec.duplicates != ALLOWED and size >= len(pool):
            break
    faces, copies, which = profiles(spec, pool)
    yield faces, copies, [pool[which == place] for place in range(len(faces))]


def _chosen(spec: Spec, copies: Any, members: list[Any], random: np.random.Generator) -> Any:
    """Return the numbers of the deck's faces, random ones of those that a column stands for."""
    again = spec.duplicates == ALLOWED
    return np.concatenate([random.choice(members[place], copies[place], replace=again) for place in np.flatnonzero(copies)])


def _deck(spec: Spec, chosen: Any, seed: int) -> Deck:
    """Return the deck of some faces, each at random as it lies or after a half-turn, in random order.

    Each face takes the first free place of a random order of its own, so decks of one seed with like faces have most of them
    at the same places: deal by deal their games are as alike as they can be.
    """
    lying: dict[int, Any] = {}
    for face, copies in collections.Counter(sorted(chosen.tolist())).items():
        for copy in range(copies):
            random = np.random.default_rng([seed, face, copy])
            way = all_faces().spaces[face][:: random.choice([1, -1])]
            lying[next(place for place in random.permutation(spec.cards).tolist() if place not in lying)] = way
    width = max(2, len(str(spec.cards)))
    cards = []
    for place, way in sorted(lying.items()):
        a, b, c, d, e, f = (SYMBOLS[code] for code in way)
        cards.append(Card(f"c{place + 1:0{width}d}", face_of((a, b, c, d, e, f))))
    deck = Deck(cards)
    if faults := spec.faults(deck):
        raise RunFailed(f"the deck found does not meet the spec, which is a fault of ours: {'; '.join(faults)}.")
    return deck


def _aims(spec: Spec, aim: Mapping[str, float] | None) -> list[tuple[str, float, float]]:
    """Return name, value and price of a step for each aim, shares of touching pairs as numbers of pairs.

    No deck is outside of a knob's range, so the end of the range stands for any aim beyond it.
    """
    knobs = {knob.name: knob for knob in spec.knobs()}
    found: list[tuple[str, float, float]] = []
    for name, value in mapping(aim, "aim").items():
        if name not in knobs:
            raise unknown("knob of the spec", name, knobs)
        _, low, high, each = knobs[name]
        step = 1 if each else len(PAIRS) * spec.cards
        near = min(max(low, real(value, f"aim, {name}")), high)
        found.append((name, round(near * step), AIM_PRICE / ((high - low) * step)))
    return found


def _wishes(aims: list[tuple[str, float, float]], faces: Any) -> Wishes | None:
    if not aims:
        return None
    names, values, prices = zip(*aims, strict=True)
    return Wishes(np.array([all_faces().on[name][faces] for name in names], float), np.array(values), np.array(prices))
