"""`greedy` under the rule `pair=groups`: the goods of two largest groups, perhaps both of one good, are announced.

The second largest group of a good counts here, so it is worked out at every place. A rare rule: clear before fast.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from veggies_sim.core.jit import inline, njit
from veggies_sim.games.veggies.choices import join_clusters, note
from veggies_sim.games.veggies.cover import lowest
from veggies_sim.games.veggies.patterns import BORDER, CLUSTERS, FIRST_CLUSTER, PATTERNS, RING, RING_MASK, WINDOW

_RECTANGLE = (1 << WINDOW) - (1 << RING)
_LEAST = np.int64(-(1 << 40))  # below any value


@njit
def apart(count: Any, room: Any, places: Any) -> None:
    """Find the two largest groups of each good that are neither cut at a place nor among its pieces."""
    lost, group, hop = places.lost, room.group, room.hop
    for good in range(5):
        for q in range(count[1]):
            tall = np.int64(q >= count[0])
            here = places.at[q]
            view = np.int64(room.window[tall, here, good]) & (BORDER[tall] | _RECTANGLE)
            while view != 0:
                lost[group[here + hop[tall, lowest(view)]]] = 1
                view &= view - 1
            places.apart[0, good, q] = places.apart[1, good, q] = 0
            found = 0
            for i in range(room.number[good]):
                name = room.order[good, i]
                if lost[name] == 0 and found < 2:
                    places.apart[found, good, q] = room.size[name]
                    found += 1
                lost[name] = 0


@njit
def search_pairs(game: Any, cards: Any, places: Any, ties: Any) -> Any:
    """Do what `greedy_policy._search` does, and return the same."""
    (flat, all_places), (top_face, top_place), named, different, numbers, penalty = game
    best, count = _LEAST, 0
    for number in range(-1, different * all_places):
        i, q = number // all_places, number % all_places
        if number < 0:
            i, q = top_face, top_place
        elif cards.bound[i, q] < best or (i == top_face and q == top_place):
            continue
        tall = np.int64(q >= flat)
        for turn in range(tall, cards.turns[i], 2):
            value = _points(tall, turn, i, q, named, cards, places) - penalty * (places.rats[q] + cards.rats[i])
            if value > best:
                best, count = value, 0
            if value == best:
                count = note(ties, count, cards.sources[i], turn * numbers + places.at[q], 4 * numbers)
    return count


@njit
def _points(tall: Any, turn: Any, i: Any, q: Any, named: Any, cards: Any, places: Any) -> Any:
    """Return what `_points` does where the goods of two largest groups are announced (rules: Scoring, 2 players)."""
    sizes, points = np.zeros((5, 2), np.int64), np.zeros(5, np.int64)
    value = first = second = 0
    for r in range(5):
        good = cards.rank[r]
        pattern = cards.pattern[i, turn, good]
        start, pieces = places.start[good, q], places.pieces[good, q]
        a, b, c, joins = join_clusters(
            PATTERNS[tall, pattern, FIRST_CLUSTER],
            PATTERNS[tall, pattern, FIRST_CLUSTER + 1],
            PATTERNS[tall, pattern, FIRST_CLUSTER + 2],
            start,
            pieces,
            places.ring,
            places.size,
        )
        groups = places.groups[good, q] + PATTERNS[tall, pattern, CLUSTERS] - joins
        touched = 0
        for cluster in range(FIRST_CLUSTER, FIRST_CLUSTER + 3):
            touched |= PATTERNS[tall, pattern, cluster] & RING_MASK
        for size in (a, b, c, places.apart[0, good, q], places.apart[1, good, q]):
            _keep_two(sizes[good], size)
        for piece in range(start, start + pieces):
            if touched & places.ring[piece] == 0:
                _keep_two(sizes[good], places.size[piece])
        if r < named:
            value += sizes[good, 0] * groups
        else:
            points[good] = sizes[good, 0] * groups
        for size in (sizes[good, 0], sizes[good, 1]):
            second = max(second, min(first, size))
            first = max(first, size)
    best = 0
    for a in range(5):
        if second == 0 or (sizes[a, 1] > 0 and sizes[a, 0] + sizes[a, 1] == first + second):
            best = max(best, points[a])
        for b in range(a):
            if min(second, sizes[a, 0], sizes[b, 0]) > 0 and sizes[a, 0] + sizes[b, 0] == first + second:
                best = max(best, points[a] + points[b])
    return value + best


@inline
def _keep_two(sizes: Any, size: Any) -> None:
    """Keep the two largest sizes [2] seen."""
    sizes[1] = max(sizes[1], min(sizes[0], size))
    sizes[0] = max(sizes[0], size)
