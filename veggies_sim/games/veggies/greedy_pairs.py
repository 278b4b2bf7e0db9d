"""`greedy` under the rule `pair=groups`: the goods of two largest groups, perhaps both of one good, are announced.

The second largest group of a good counts here, so it is worked out at every place. A rare rule: clear before fast.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from veggies_sim.core.jit import inline, inner
from veggies_sim.games.veggies.choices import join_clusters, note
from veggies_sim.games.veggies.cover import lowest
from veggies_sim.games.veggies.patterns import BORDER, CLUSTERS, FIRST_CLUSTER, PATTERNS, RING, RING_MASK, WINDOW

_RECTANGLE = (1 << WINDOW) - (1 << RING)
_LEAST = np.int32(-(1 << 30))  # below any value


@inner
def apart(count: Any, room: Any, places: Any, sizes: Any) -> None:
    """Find the two largest groups of each good that neither lie under the card nor border it: sizes [2, 5, Q]."""
    lost, group, hop = places.lost, room.group, room.hop
    for good in range(5):
        for q in range(count[1]):
            tall = np.int64(q >= count[0])
            here = places.at[q]
            view = np.int64(room.window[tall, good, here]) & (BORDER[tall] | _RECTANGLE)
            while view != 0:
                lost[group[here + hop[tall, lowest(view)]]] = 1
                view &= view - 1
            sizes[0, good, q] = sizes[1, good, q] = 0
            found = 0
            for i in range(room.number[good]):
                name = room.order[good, i]
                if lost[name] == 0 and found < 2:
                    sizes[found, good, q] = room.size[name]
                    found += 1
                lost[name] = 0


@inner
def search_pairs(turn: Any, choices: Any, places: Any, sizes: Any, ties: Any) -> Any:
    """Do what `greedy_policy._search` does, and return the same; sizes as `apart` filled them."""
    (flat, all_places), top, named, different, numbers, penalty = turn
    best, count = np.int64(_LEAST), 0
    for only_top in (True, False):
        for i in range(top[0] if only_top else 0, top[0] + 1 if only_top else different):
            face = choices.face[i]
            for q in range(top[1] if only_top else 0, top[1] + 1 if only_top else all_places):
                if choices.bound[i, q] < best:
                    continue
                choices.bound[i, q] = _LEAST  # once is enough
                tall = np.int64(q >= flat)
                for rotation in range(tall, choices.turns[face], 2):
                    value = -penalty * (places.rats[q] + choices.rats[face])
                    value += pair_points(tall, choices.pattern[face, rotation], q, named, choices.rank, places, sizes)
                    if value > best:
                        best, count = value, 0
                    if value == best:
                        move = rotation * numbers + places.at[q]
                        count = note(ties, count, choices.sources[i], move, 4 * numbers)
    return count


@inner
def pair_points(tall: Any, patterns: Any, q: Any, named: Any, rank: Any, places: Any, sizes: Any) -> Any:
    """Return the points, penalty aside, for the best goods of two largest groups (rules: Scoring, 2 players)."""
    two, points = np.zeros((5, 2), np.int64), np.zeros(5, np.int64)
    value = first = second = 0
    for r in range(5):
        good = rank[r]
        groups = _two_largest(tall, patterns[good], good, q, places, sizes, two[good])
        if r < named:
            value += two[good, 0] * groups
        else:
            points[good] = two[good, 0] * groups
        for size in (two[good, 0], two[good, 1]):
            second = max(second, min(first, size))
            first = max(first, size)
    best = 0
    for a in range(5):
        if second == 0 or (two[a, 1] > 0 and two[a, 0] + two[a, 1] == first + second):
            best = max(best, points[a])
        for b in range(a):
            if min(second, two[a, 0], two[b, 0]) > 0 and two[a, 0] + two[b, 0] == first + second:
                best = max(best, points[a] + points[b])
    return value + best


@inline
def _two_largest(tall: Any, pattern: Any, good: Any, q: Any, places: Any, sizes: Any, two: Any) -> Any:
    """Write the two largest groups of a good after a card is laid to `two` [2]; return the number of its groups."""
    start, pieces, row = places.start[good, q], places.pieces[good, q], PATTERNS[tall, pattern]
    a, b, c = row[FIRST_CLUSTER], row[FIRST_CLUSTER + 1], row[FIRST_CLUSTER + 2]
    touched = (a | b | c) & RING_MASK
    a, b, c, joins = join_clusters(a, b, c, start, pieces, places.ring, places.size)
    for size in (a, b, c, sizes[0, good, q], sizes[1, good, q]):
        _keep_two(two, size)
    for piece in range(start, start + pieces):
        if touched & places.ring[piece] == 0:
            _keep_two(two, places.size[piece])
    return places.groups[good, q] + row[CLUSTERS] - joins


@inline
def _keep_two(two: Any, size: Any) -> None:
    two[1] = max(two[1], min(two[0], size))
    two[0] = max(two[0], size)
