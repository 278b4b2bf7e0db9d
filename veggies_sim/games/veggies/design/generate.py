"""A random deck that meets a spec, or the reason why there is none.

A deck is a number of copies of each face, so a spec is an integer program (`program`). It is solved over faces drawn at
random, each at a random price, so that the deck is one of many; where the faces drawn make no deck over more of them, and at
last over all profiles (what a spec counts on a face): no deck then means that there is none. Few random faces come near to
an aim far from the usual: it brings its own, those of the nearest deck, were parts of cards allowed.
"""

from __future__ import annotations

import collections
from collections.abc import Iterator, Mapping

import numpy as np

from veggies_sim.core.checks import mapping, real, whole
from veggies_sim.core.errors import InputError, RunFailed, show, unknown
from veggies_sim.core.streams import SEED_LIMIT
from veggies_sim.games.veggies.deck import SYMBOLS, Card, Deck
from veggies_sim.games.veggies.design.faces import PAIRS, face_of
from veggies_sim.games.veggies.design.program import (
    Floats,
    Ints,
    Wishes,
    all_faces,
    one_of_each,
    passing,
    profiles,
    rows_of,
    solve,
)
from veggies_sim.games.veggies.design.reasons import refuse, why_none
from veggies_sim.games.veggies.design.spec import ALLOWED, Spec

DRAWN = 8, 80  # faces for each card of the deck, first and where those make no deck
LEAST_DRAWN = 320
Aim = tuple[str, float, float]  # name of a knob, value, price of a step away from it
AIM_PRICE = 1000.0  # of missing a knob's aim by its whole range; a face costs less than 1


def generate(spec: Spec, seed: int, aim: Mapping[str, float] | None = None) -> Deck:
    """Return a random deck that meets a spec; the same for the same seed, aim and version of scipy.

    Only a machine so slow that it takes over MOST_SECONDS where others don't may give another one.
    aim: wished values of some of the spec's knobs. The deck is then one nearest to them, as far as the faces of the program
    allow: the least sum of distances, each a share of its knob's range. One seed draws the same faces and prices for every
    aim, so near aims give decks alike, card by card. Cards have the ids c01, c02, ...
    Raises InputError where no deck meets the spec, with the reason, and for a knob or a seed that is none.
    """
    if not isinstance(spec, Spec):
        raise InputError(f"spec: found {show(spec)}; give a Spec, such as read_spec(path).")
    aims = _aims(spec, aim)
    seed = whole(seed, "seed", 0, SEED_LIMIT - 1)
    refuse(spec)
    random = np.random.default_rng(seed)
    pool = one_of_each(spec, random.permutation(passing(spec)))
    prices = np.zeros(len(all_faces().spaces))
    prices[pool] = random.random(len(pool))
    proven = False
    for faces, copies, members in _programs(spec, pool, _nearest(spec, pool, aims, prices), random):
        answer = solve(rows_of(spec, faces), copies, prices[faces], _wishes(aims, faces))
        if answer.copies is not None:
            return _deck(spec, _chosen(spec, answer.copies, members, random), seed)
        proven = answer.proven
    raise why_none(spec, proven)


def _nearest(spec: Spec, pool: Ints, aims: list[Aim], prices: Floats) -> Ints:
    """Return the faces of a deck that is nearest to the aims where parts of cards are allowed; none without aims."""
    faces, copies, members = _by_profile(spec, pool)
    answer = solve(rows_of(spec, faces), copies, prices[faces], _wishes(aims, faces), parts=True) if aims else None
    if answer is None or answer.copies is None:
        return pool[:0]
    return np.concatenate([np.resize(members[place], answer.copies[place]) for place in np.flatnonzero(answer.copies)])


def _programs(spec: Spec, pool: Ints, near: Ints, random: np.random.Generator) -> Iterator[tuple[Ints, Ints, list[Ints]]]:
    """Yield faces of a program, the copies that each may have, and the faces that each stands for; each has the one before."""
    if spec.duplicates == ALLOWED:  # twice drawn, two copies
        drawn = np.append(near, random.choice(pool, max(LEAST_DRAWN, DRAWN[-1] * spec.cards)))
    else:
        drawn = np.append(near, pool[~np.isin(pool, near)])
    for each in DRAWN:
        faces = drawn[: len(near) + max(LEAST_DRAWN, each * spec.cards)]
        if len(faces) >= spec.cards:
            yield faces, np.ones(len(faces), int), [*faces[:, None]]
        if len(faces) == len(drawn):
            break
    yield _by_profile(spec, pool)


def _by_profile(spec: Spec, pool: Ints) -> tuple[Ints, Ints, list[Ints]]:
    """Return the program of all profiles, as `_programs` yields it."""
    faces, copies, which = profiles(spec, pool)
    order = np.argsort(which, kind="stable")
    return faces, copies, np.split(pool[order], np.flatnonzero(np.diff(which[order])) + 1)


def _chosen(spec: Spec, copies: Ints, members: list[Ints], random: np.random.Generator) -> Ints:
    """Return the numbers of the deck's faces, random ones of those that a column stands for."""
    again = spec.duplicates == ALLOWED
    return np.concatenate([random.choice(members[place], copies[place], replace=again) for place in np.flatnonzero(copies)])


def _deck(spec: Spec, chosen: Ints, seed: int) -> Deck:
    """Return the deck of some faces, each at random as it lies or after a half-turn, in random order.

    Each face takes the first free place of a random order of its own, so decks of one seed with like faces have most of them
    at the same places: deal by deal their games are as alike as they can be.
    """
    lying: dict[int, Ints] = {}
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


def _aims(spec: Spec, aim: Mapping[str, float] | None) -> list[Aim]:
    """Return name, value and price of a step for each aim, shares of touching pairs as numbers of pairs.

    No deck is outside of a knob's range, so the end of the range stands for any aim beyond it.
    """
    knobs = {knob.name: knob for knob in spec.knobs()}
    found: list[Aim] = []
    for name, value in mapping(aim, "aim").items():
        if name not in knobs:
            raise unknown("knob of the spec", name, knobs)
        _, low, high, each = knobs[name]
        step = 1 if each else len(PAIRS) * spec.cards
        near = min(max(low, real(value, f"aim, {name}")), high)
        found.append((name, round(near * step), AIM_PRICE / ((high - low) * step)))
    return found


def _wishes(aims: list[Aim], faces: Ints) -> Wishes | None:
    if not aims:
        return None
    names, values, prices = zip(*aims, strict=True)
    return Wishes(np.array([all_faces().on[name][faces] for name in names], float), np.array(values), np.array(prices))
