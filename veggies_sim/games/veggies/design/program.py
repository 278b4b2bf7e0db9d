"""A spec as an integer program: how many copies of each face a deck has. Counts in arrays, apart from `Spec.faults`.

Axes: F all faces up to half-turns (58,996), n faces of one program (its columns), R rows, K wishes.
What may live here: the faces and what is counted on them, the rows of a spec, the call of the solver (HiGHS).
"""

from __future__ import annotations

import functools
import time
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from veggies_sim.games.veggies.deck import GOODS, SYMBOLS
from veggies_sim.games.veggies.design.faces import GOODS_KEY, KINDS_KEY, PAIRS
from veggies_sim.games.veggies.design.spec import ALLOWED, MIRROR, Exclusion, Spec

TOUCHING = "touching"
MOST_SECONDS = 30.0  # of one call of the solver; where it is reached nothing is concluded
MOST_NODES = 500  # of its search tree; after them the best deck so far is taken, the same on every machine
# A deck is taken when its price is proven to be so near, as a share, to the least one: any deck that meets the spec will do,
# but of those near to a wish only the nearest.
GAP, WISHED_GAP = 0.02, 0.001
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
_PLACES = 7 ** np.arange(5, -1, -1)


class Faces(NamedTuple):
    """All faces up to half-turns."""

    spaces: Ints  # [F, 6] place in SYMBOLS
    on: dict[str, Ints]  # key of ON_CARD, or TOUCHING -> [F] how many
    profile: Ints  # [F] equal where all of `on` is
    image: Ints  # [F] equal for a face and its mirror image


class Rows(NamedTuple):
    """What must hold: least <= weights @ copies <= most."""

    weights: Floats  # [R, n]
    least: Floats  # [R]
    most: Floats  # [R]


class Wishes(NamedTuple):
    """What weights @ copies shall come near to, each step away at a price."""

    weights: Floats  # [K, n]
    values: Floats  # [K]
    prices: Floats  # [K]


class Answer(NamedTuple):
    """Copies of each face, or None; `proven` where the solver knows that there are none."""

    copies: Ints | None  # [n]
    proven: bool = False


@functools.cache
def all_faces() -> Faces:
    """Return the faces, made once."""
    every = np.arange(7**6)[:, None] // _PLACES % 7
    spaces = every[every @ _PLACES <= every[:, ::-1] @ _PLACES]
    on = {symbol: (spaces == place).sum(axis=1) for place, symbol in enumerate(SYMBOLS)}
    profile = sum(count * 7**place for place, count in enumerate(on.values()))
    on[GOODS_KEY] = (spaces < len(GOODS)).sum(axis=1)
    on[KINDS_KEY] = sum((on[good] > 0).astype(int) for good in GOODS)
    on[TOUCHING] = sum(((spaces[:, i] == spaces[:, j]) & (spaces[:, i] < len(GOODS))).astype(int) for i, j in PAIRS)
    image = spaces[:, [2, 1, 0, 5, 4, 3]]
    least = np.minimum.reduce([way @ _PLACES for way in (spaces, image, image[:, ::-1])])
    return Faces(spaces, on, profile * 8 + on[TOUCHING], least)


def passing(spec: Spec) -> Ints:
    """Return the numbers of the faces that [card] and the exclusions allow."""
    faces = all_faces()
    allowed = np.ones(len(faces.spaces), bool)
    for key, span in spec.card.items():
        allowed &= (faces.on[key] >= span.least) & (faces.on[key] <= span.most)
    for exclusion in spec.exclude:
        allowed &= ~_excluded(faces, exclusion)
    return np.flatnonzero(allowed)


def _excluded(faces: Faces, exclusion: Exclusion) -> Bools:
    """Return which faces an exclusion hits [F]."""
    if exclusion.face:
        codes = np.array([SYMBOLS.index(symbol) for symbol in exclusion.face])
        return (faces.spaces == codes).all(axis=1) | (faces.spaces == codes[::-1]).all(axis=1)
    if exclusion.together:
        words = exclusion.together
        return np.logical_and.reduce([faces.on[symbol] >= words.count(symbol) for symbol in words])
    a, b = map(SYMBOLS.index, exclusion.beside)
    sides = [(faces.spaces[:, i], faces.spaces[:, j]) for i, j in PAIRS]
    return np.logical_or.reduce([((left == a) & (right == b)) | ((left == b) & (right == a)) for left, right in sides])


def one_of_each(spec: Spec, faces: Ints) -> Ints:
    """Return faces without those that can't be in a deck beside an earlier one: mirror images, where the spec refuses them.

    Nothing that a spec counts tells a face from its mirror image, so one is as good as the other.
    """
    if spec.duplicates != MIRROR:
        return faces
    first = np.unique(all_faces().image[faces], return_index=True)[1]
    return faces[np.sort(first)]


def profiles(spec: Spec, faces: Ints) -> tuple[Ints, Ints, Ints]:
    """Return of faces alike in all that a spec counts: one face [n], copies that a deck can have [n], which [faces] is which."""
    _, first, which, size = np.unique(all_faces().profile[faces], return_index=True, return_inverse=True, return_counts=True)
    copies = np.full(len(size), spec.cards) if spec.duplicates == ALLOWED else np.minimum(size, spec.cards)
    return faces[first], copies, which


def rows_of(spec: Spec, faces: Ints) -> Rows:
    """Return the lines of a spec that all cards together must meet, as rows over some faces."""
    on = {key: count[faces] for key, count in all_faces().on.items()}
    rows: list[tuple[NDArray[np.generic], float, float]] = [(np.ones(len(faces)), spec.cards, spec.cards)]
    rows += [(on[symbol], *span) for symbol, span in spec.symbols.items()]
    rows += [(on[key] == number, *span) for key, table in spec.cards_with.items() for number, span in table.items()]
    if pairs := spec.pairs():
        rows.append((on[TOUCHING], *pairs))
    weights, least, most = zip(*rows, strict=True)
    return Rows(np.array(weights, float), np.array(least, float), np.array(most, float))


def solve(rows: Rows, copies: Ints, prices: Floats, wishes: Wishes | None = None, parts: bool = False) -> Answer:
    """Return copies of each column, at most `copies` [n], that hold the rows at a low price: `prices` [n] of a copy each.

    parts: a column may have a part of a copy, which is quick to solve; the answer has such numbers rounded up.
    """
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import csr_array

    n, wished = len(prices), 0 if wishes is None else len(wishes.values)
    weights, least, most = rows
    price, whole_ones, limit = prices, np.full(n, 0 if parts else 1), copies.astype(float)
    if wishes is not None:  # a column for each wish that is short and one for each that is over
        away = np.eye(wished)
        weights = np.block([[weights, np.zeros((len(least), 2 * wished))], [wishes.weights, away, -away]])
        least, most = np.append(least, wishes.values), np.append(most, wishes.values)
        price = np.concatenate([price, wishes.prices, wishes.prices])
        whole_ones, limit = np.append(whole_ones, np.zeros(2 * wished)), np.append(limit, np.full(2 * wished, np.inf))
    gap = WISHED_GAP if wished else GAP
    # Without presolve a deck without wishes is found about three times as fast; with wishes it makes no difference.
    options = {"mip_rel_gap": gap, "node_limit": MOST_NODES, "time_limit": MOST_SECONDS, "presolve": False}
    hold, start = LinearConstraint(csr_array(weights), least, most), time.monotonic()
    found = milp(price, integrality=whole_ones, bounds=Bounds(0, limit), constraints=hold, options=options)
    if found.x is None or time.monotonic() - start >= MOST_SECONDS:  # what a clock cut off is not the same everywhere
        return Answer(None, found.status == 2)
    return Answer((np.ceil(found.x[:n] - 1e-6) if parts else np.rint(found.x[:n])).astype(int))
