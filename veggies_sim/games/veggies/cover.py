"""What covering the six spaces of a place leaves of each good, before a card's own symbols count.

What may live here: the effect of a card's rectangle on a surveyed stand. Axes: Q places where a card may go (all of
orientation 0, then all of orientation 1), 5 goods, B pieces: groups, or what is left of them, that border a rectangle.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from veggies_sim.core.bits import popcount
from veggies_sim.core.jit import inline, njit
from veggies_sim.games.veggies.patterns import AFTER_BORDER, BORDER, RING, RING_MASK, WINDOW
from veggies_sim.games.veggies.survey import MOST, RAT

_ONE = np.uint64(1)
_RECTANGLE = (1 << WINDOW) - (1 << RING)
_UNDER = 1000  # added to the groups of spaces that lie under the card, so that a fill stops there
_PLACES = 64  # places around one card: at most 32 for each orientation


class Places(NamedTuple):
    """The places where a card may go and what is left there; `large` is 0 for a good that cannot matter at a place."""

    at: NDArray[np.int64]  # [Q] number of the place on the survey's grid
    rats: NDArray[np.int64]  # [Q] visible rats left
    large: NDArray[np.int64]  # [5, Q] spaces of the largest group
    groups: NDArray[np.int64]  # [5, Q] number of groups
    reach: NDArray[np.int64]  # [5, Q] spaces of all pieces together
    pieces: NDArray[np.int64]  # [5, Q] number of pieces
    start: NDArray[np.int64]  # [5, Q] number of the first piece
    ring: NDArray[np.int64]  # [B] spaces of the border where the piece lies, as bits of the window
    size: NDArray[np.int64]  # [B] spaces of the piece
    apart: NDArray[np.int64]  # [2, 5, Q] spaces of the two largest groups not among the pieces; only for pairs of groups
    surest: NDArray[np.int64]  # [2, Q] the two largest of `large` so far
    label: NDArray[np.int64]  # [B] room: group of each piece
    first: NDArray[np.int64]  # [B] room: one bit of its ring
    lost: NDArray[np.int64]  # [S + 1] room: spaces that each group loses; all 0 between two places


@njit
def new_places(stand_size: Any) -> Any:
    """Return room for the places around a stand of any shape."""
    q = _PLACES * stand_size
    return Places(
        np.zeros(q, np.int64),
        np.zeros(q, np.int64),
        np.zeros((5, q), np.int64),
        np.zeros((5, q), np.int64),
        np.zeros((5, q), np.int64),
        np.zeros((5, q), np.int64),
        np.zeros((5, q), np.int64),
        np.zeros(10 * q + 10, np.int64),
        np.zeros(10 * q + 10, np.int64),
        np.zeros((2, 5, q), np.int64),
        np.zeros((2, q), np.int64),
        np.zeros(10 * q + 10, np.int64),
        np.zeros(10 * q + 10, np.int64),
        np.zeros(6 * stand_size + 1, np.int64),
    )


@inline
def lowest(bits: Any) -> Any:
    """Return the number of the lowest bit set."""
    return popcount((bits & -bits) - 1)


@njit
def list_places(bits: Any, rows: Any, cols: Any, rats: Any, window: Any, places: Any) -> Any:
    """List the places that `placement.legal_bits` marked; return (places of orientation 0, places of both)."""
    at, left, surest = places.at, places.rats, places.surest
    n = flat = 0
    for tall in range(2):
        flat = n
        for row in range(rows):
            for word in range(len(bits)):
                x = bits[word, tall, row]
                while x != 0:
                    here = row * cols + 64 * word + popcount((x & (~x + _ONE)) - _ONE)
                    x &= x - _ONE
                    at[n], left[n] = here, rats - popcount(np.int64(window[tall, here, RAT]))
                    surest[0, n] = surest[1, n] = 0
                    n += 1
    return flat, n


@inline
def _starts(view: Any, border: Any, after: Any) -> Any:
    """Return one border space of each run of a good in the ring; 0 if the whole ring is one run."""
    before = ((view << 1) | ((view >> (RING - 1)) & 1)) & RING_MASK
    two_before = ((view << 2) | ((view >> (RING - 2)) & 3)) & RING_MASK
    return border & ~(before & (after | two_before))


@njit
def cover(count: Any, rank: Any, fixed: Any, most: Any, wanted: Any, room: Any, places: Any) -> None:
    """Fill in the places, good by good in the order of `rank` [5].

    count (orientation 0, both); the first `fixed` goods always matter, another one only where it may become one of the
    `wanted` goods with the largest groups (3: everywhere), if a card shows at most most[good] of its spaces.
    """
    at, large, groups, reach, pieces = places.at, places.large, places.groups, places.reach, places.pieces
    start, surest, lost = places.start, places.surest, places.lost
    ring, piece_size, label, first_bit, queue = places.ring, places.size, places.label, places.first, room.queue
    window, group, hop, size, order, top = room.window, room.group, room.hop, room.size, room.order, room.top
    b = 0
    for r in range(5):
        good = rank[r]
        whole, number = top[good, 1], room.number[good]
        for tall in range(2):
            edge, after = BORDER[tall], AFTER_BORDER[tall]
            for q in range(0 if tall == 0 else count[0], count[tall]):
                here = at[q]
                view = np.int64(window[tall, here, good])
                border, covered = view & edge, view >> RING
                starts = _starts(view, border, after)
                if r >= fixed and wanted < 3:
                    runs = min(popcount(starts) + 1, MOST - 1)
                    if max(whole, most[good] + top[good, runs]) < surest[wanted - 1, q]:
                        large[good, q] = groups[good, q] = reach[good, q] = pieces[good, q] = 0
                        continue
                big, total, n, left = whole, 0, 0, number
                if covered == 0:
                    if border != 0:
                        start[good, q] = b
                        if starts & (starts - 1) == 0:  # one whole group
                            name = np.int64(group[here + hop[tall, lowest(border)]])
                            ring[b], piece_size[b], label[b] = border, size[name], name
                            n, total = 1, size[name]
                        else:
                            wrap = border & ((starts & -starts) - 1)
                            while starts != 0:
                                first = starts & -starts
                                starts ^= first
                                run = border & ((starts & -starts) - first)
                                if starts == 0:
                                    run |= wrap
                                name = np.int64(group[here + hop[tall, lowest(first)]])
                                i = 0
                                while i < n and label[b + i] != name:
                                    i += 1
                                if i < n:
                                    ring[b + i] |= run
                                else:
                                    ring[b + n], piece_size[b + n], label[b + n] = run, size[name], name
                                    total += size[name]
                                    n += 1
                else:
                    start[good, q] = b
                    n, left = _cut(
                        (border, starts, covered, tall, here, b, number),
                        group, size, hop, ring, piece_size, label, first_bit, lost, queue,
                    )
                    big = 0
                    for i in range(number):
                        if lost[order[good, i]] == 0:
                            big = size[order[good, i]]
                            break
                    while covered != 0:
                        lost[group[here + hop[tall, RING + lowest(covered)]]] = 0
                        covered &= covered - 1
                    for i in range(b, b + n):
                        total += piece_size[i]
                        big = max(big, piece_size[i])
                large[good, q], groups[good, q], reach[good, q], pieces[good, q] = big, left, total, n
                b += n
                if big > surest[0, q]:
                    surest[1, q] = surest[0, q]
                    surest[0, q] = big
                elif big > surest[1, q]:
                    surest[1, q] = big


@inline
def _cut(
    place: Any, group: Any, size: Any, hop: Any, ring: Any, piece_size: Any, label: Any, first: Any, lost: Any, queue: Any
) -> Any:
    """Cut the groups that lie under the card; return (pieces from number `b` on, groups left).

    The spaces that each group loses stay in `lost`.
    """
    border, starts, covered, tall, here, b, groups = place
    bits = covered
    while bits != 0:
        name = np.int64(group[here + hop[tall, RING + lowest(bits)]])
        lost[name] += 1
        groups -= lost[name] == size[name]
        bits &= bits - 1
    n, split = 0, False
    if starts == 0:
        starts = border & -border
    wrap = border & ((starts & -starts) - 1)
    while starts != 0:
        start = starts & -starts
        starts ^= start
        run = border & ((starts & -starts) - start)
        if starts == 0:
            run |= wrap
        name = np.int64(group[here + hop[tall, lowest(start)]])
        i = 0
        while i < n and label[b + i] != name:
            i += 1
        if i < n and lost[name] == 0:
            ring[b + i] |= run
        else:
            split |= i < n
            label[b + n], first[b + n] = name, start
            ring[b + n], piece_size[b + n] = run, size[name] - lost[name]
            n += 1
    if split:
        n, more = _split((n, tall, here, covered, b), group, hop, ring, piece_size, label, first, lost, queue)
        groups += more
    return n, groups


@inline
def _split(
    place: Any, group: Any, hop: Any, ring: Any, size: Any, label: Any, first: Any, lost: Any, queue: Any
) -> Any:
    """Find out which pieces of one cut group are still connected; return (pieces, groups) then.

    Each such piece is filled from one of its spaces; pieces that the fill meets are merged with it.
    """
    n, tall, here, covered, b = place
    groups = 0
    bits = covered
    while bits != 0:
        group[here + hop[tall, RING + lowest(bits)]] += _UNDER
        bits &= bits - 1
    i = b
    while i < b + n:
        name = label[i]
        before = after = False
        for j in range(b, b + n):
            before |= j < i and label[j] == name
            after |= j > i and label[j] == name
        groups += before
        if before or (after and lost[name] > 0):
            size[i] = _fill(here + hop[tall, lowest(first[i])], name, hop[0, RING + 3], group, queue)
            j = i + 1
            while j < b + n:
                if label[j] == name and group[here + hop[tall, lowest(first[j])]] == 0:
                    ring[i] |= ring[j]
                    n -= 1
                    for k in range(j, b + n):
                        label[k], first[k], ring[k], size[k] = label[k + 1], first[k + 1], ring[k + 1], size[k + 1]
                else:
                    j += 1
            for j in range(size[i]):
                group[queue[j]] = name
        i += 1
    while covered != 0:
        group[here + hop[tall, RING + lowest(covered)]] -= _UNDER
        covered &= covered - 1
    return n, groups


@inline
def _fill(start: Any, name: Any, cols: Any, group: Any, queue: Any) -> Any:
    """Set group `name` to 0 from `start` on, list its spaces in `queue` and return how many there are."""
    group[start] = 0
    queue[0] = start
    done, n = 0, 1
    while done < n:
        at = np.int64(queue[done])
        done += 1
        for step in (1, -1, cols, -cols):
            if group[at + step] == name:
                group[at + step] = 0
                queue[n] = at + step
                n += 1
    return n


@njit
def apart(count: Any, room: Any, places: Any) -> None:
    """Find the two largest groups of each good that are neither cut at a place nor among its pieces."""
    lost, label, group, hop = places.lost, places.label, room.group, room.hop
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
