"""What covering the six spaces of a place leaves of each good, before a card's own symbols count.

What may live here: the effect of a card's rectangle on a surveyed stand. Axes: Q places where a card may go (all of
orientation 0, then all of orientation 1), 5 goods, B pieces: groups, or what is left of them, that border a rectangle.

The kernels fetch arrays from the tuples once, at their head, and pass them on one by one: fetched inside of a loop, an
array's reference count is kept at every turn of it, which costs more than the work.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from veggies_sim.core.bits import popcount
from veggies_sim.core.jit import inline, inner
from veggies_sim.games.veggies.patterns import AFTER_BORDER, BORDER, RING, RING_MASK
from veggies_sim.games.veggies.placement import WORD
from veggies_sim.games.veggies.survey import RATS

PLACES = 64  # places around one card: at most 32 for each orientation
EVERY = 3  # more goods than can be announced: all of them matter
_PIECES = 10  # pieces at one place: spaces of the border
_UNDER = 1000  # added to the groups of spaces that lie under the card, so that a fill stops there
_ONE = np.uint64(1)


class Places(NamedTuple):
    """The places where a card may go and what is left there of each good."""

    at: NDArray[np.int64]  # [Q] number of the place on the survey's grid
    rats: NDArray[np.int32]  # [Q] visible rats left
    large: NDArray[np.int32]  # [5, Q] spaces of the largest group; 0 for a good that cannot matter there
    groups: NDArray[np.int32]  # [5, Q] number of groups
    border: NDArray[np.int32]  # [5, Q] spaces of the border where any piece lies, as bits of the window
    reach: NDArray[np.int32]  # [5, Q] spaces of all pieces together
    pieces: NDArray[np.int64]  # [5, Q] number of pieces
    start: NDArray[np.int64]  # [5, Q] number of the first piece
    ring: NDArray[np.int64]  # [B] spaces of the border where the piece lies, as bits of the window
    size: NDArray[np.int64]  # [B] spaces of the piece
    surest: NDArray[np.int32]  # [2, Q] the two largest of `large`: groups that are there whatever card is laid
    torn: NDArray[np.int64]  # [5 Q, 2] good and place where a cut group may have come apart
    label: NDArray[np.int64]  # [10] room: group of each piece
    lost: NDArray[np.int64]  # [S + 1] room: spaces that each group loses; all 0 between two places


def new_places(stand_size: int) -> Places:
    """Return room for the places around a stand of any shape."""
    q = PLACES * stand_size
    return Places(
        np.zeros(q, np.int64),
        np.zeros(q, np.int32),
        np.zeros((5, q), np.int32),
        np.zeros((5, q), np.int32),
        np.zeros((5, q), np.int32),
        np.zeros((5, q), np.int32),
        np.zeros((5, q), np.int64),
        np.zeros((5, q), np.int64),
        np.zeros((5 * q + 1) * _PIECES, np.int64),
        np.zeros((5 * q + 1) * _PIECES, np.int64),
        np.zeros((2, q), np.int32),
        np.zeros((5 * q, 2), np.int64),
        np.zeros(_PIECES, np.int64),
        np.zeros(6 * stand_size + 1, np.int64),
    )


@inline
def lowest(bits: Any) -> Any:
    """Return the number of the lowest bit set."""
    return popcount((bits & -bits) - 1)


@inner
def list_places(bits: Any, rows: Any, words: Any, cols: Any, rats: Any, window: Any, places: Any) -> Any:
    """List the places that `placement.legal_bits` marked; return (places of orientation 0, places of both)."""
    at, left, surest = places.at, places.rats, places.surest
    n = flat = 0
    for tall in range(2):
        flat = n
        for row in range(rows):
            for word in range(words):
                x = bits[word, tall, row]
                while x != 0:
                    here = row * cols + WORD * word + popcount((x & (~x + _ONE)) - _ONE)
                    x &= x - _ONE
                    at[n], left[n] = here, rats - popcount(np.int64(window[tall, RATS, here]))
                    surest[0, n] = surest[1, n] = 0
                    n += 1
    return flat, n


@inner
def cover(count: Any, rank: Any, named: Any, most: Any, wanted: Any, room: Any, places: Any) -> Any:
    """Fill in the places, good by good in the order of `rank` [5]; return how many are `torn`, to be mended.

    count (places of orientation 0, of both). The first `named` goods always matter, another one only where it may
    become one of the `wanted` goods with the largest groups (EVERY: everywhere); a card shows at most most[good] of its
    spaces.
    """
    at, start, ring, piece, torn = places.at, places.start, places.ring, places.size, places.torn
    label, lost, surest = places.label, places.lost, places.surest
    window, group, hop, size = room.window, room.group, room.hop, room.size
    number, order, top = room.number, room.order, room.top
    largest, second = surest[0], surest[1]
    b, tears = np.int64(0), 0
    for r in range(5):
        good = rank[r]
        groups, whole = number[good], top[good, 1]
        always, least = r < named or wanted == EVERY, largest if wanted == 1 else second
        large, left, border = places.large[good], places.groups[good], places.border[good]
        reach, pieces = places.reach[good], places.pieces[good]
        for q in range(count[1]):
            large[q], left[q], border[q], reach[q], pieces[q] = whole, groups, 0, 0, 0
        for tall in range(2):
            views, hops, edges, after = window[tall, good], hop[tall], BORDER[tall], AFTER_BORDER[tall]
            for q in range(count[0] * tall, count[tall]):
                here = at[q]
                view = np.int64(views[np.uint64(here)])
                if view == 0:
                    continue
                edge, covered = view & edges, view >> RING
                starts = _starts(view, edge, after)
                if not always:
                    runs = popcount(starts) + (starts == 0 and edge != 0)
                    if max(whole, most[good] + top[good, runs]) < least[q]:
                        large[q] = left[q] = 0
                        continue
                border[q], start[good, q] = edge, b
                n, total, gone, big, split = np.int64(0), np.int64(0), np.int64(0), whole, False
                if starts & (starts - 1) == 0 and covered & (covered - 1) == 0:  # one run, one space covered at most
                    n = np.int64(edge != 0)
                    name = np.int64(group[np.uint64(here + hops[lowest(edge | (1 << RING))])]) * n
                    total = size[np.uint64(name)]
                    if covered != 0:
                        under = np.int64(group[np.uint64(here + hops[RING + lowest(covered)])])
                        total -= name == under
                        gone += size[np.uint64(under)] == 1
                        if under == order[good, 0]:
                            big = max(top[good, 2] - whole, total)
                    ring[b], piece[b] = edge, total
                else:
                    bits = covered
                    while bits != 0:
                        name = np.int64(group[np.uint64(here + hops[RING + lowest(bits)])])
                        lost[name] += 1
                        gone += lost[name] == size[name]
                        bits &= bits - 1
                    if starts == 0:
                        starts = edge & -edge
                    wrap = edge & ((starts & -starts) - 1)  # spaces before the first start belong to the last run
                    while starts != 0:
                        first = starts & -starts
                        starts ^= first
                        run = edge & ((starts & -starts) - first)
                        if starts == 0:
                            run |= wrap
                        name = np.int64(group[np.uint64(here + hops[lowest(first)])])
                        i = 0
                        while i < n and label[i] != name:
                            i += 1
                        if i < n:
                            ring[b + i] |= run
                            split |= lost[name] > 0  # a cut group at several runs may have come apart
                        else:
                            ring[b + n], piece[b + n], label[n] = run, size[name] - lost[name], name
                            total += piece[b + n]
                            n += 1
                    i = 0
                    while i < groups and lost[order[good, i]] > 0:
                        i += 1
                    big = size[order[good, i]] if i < groups else 0
                    while covered != 0:
                        lost[group[np.uint64(here + hops[RING + lowest(covered)])]] = 0
                        covered &= covered - 1
                    if split:
                        torn[tears, 0], torn[tears, 1] = good, q
                        tears += 1
                        b += _PIECES - n  # room for more pieces
                    else:
                        for i in range(b, b + n):
                            big = max(big, piece[i])
                large[q], left[q], reach[q], pieces[q] = big, groups - gone, total, n
                b += n
        for q in range(count[1]):
            second[q] = max(second[q], min(largest[q], large[q]))
            largest[q] = max(largest[q], large[q])
    return tears


@inline
def _starts(view: Any, edge: Any, after: Any) -> Any:
    """Return one border space of each run of a good in the ring; 0 if the whole ring is one run."""
    before = ((view << 1) | ((view >> (RING - 1)) & 1)) & RING_MASK
    two_before = ((view << 2) | ((view >> (RING - 2)) & 3)) & RING_MASK
    return edge & ~(before & (after | two_before))


@inner
def mend(tears: Any, flat: Any, room: Any, places: Any) -> None:
    """Find out what is still connected where `cover` cut groups that border the card at several runs.

    A piece is filled from one of its spaces; what the fill does not meet is another piece and one more group.
    """
    window, group, hop, queue = room.window, room.group, room.hop, room.queue
    at, torn, large, groups = places.at, places.torn, places.large, places.groups
    pieces, start, ring, size = places.pieces, places.start, places.ring, places.size
    cols = hop[0, RING + 3]  # from the first to the second row of a card
    for k in range(tears):
        good, q = torn[k, 0], torn[k, 1]
        tall, here = np.int64(q >= flat), at[q]
        covered = np.int64(window[tall, good, here]) >> RING
        _shift_covered(here, covered, _UNDER, hop[tall], group)
        first, n = start[good, q], pieces[good, q]
        for i in range(first, first + pieces[good, q]):
            rest, piece = ring[i], i
            while rest != 0:
                begin = here + hop[tall, lowest(rest)]
                name = group[begin]
                size[piece] = _fill(begin, name, cols, group, queue)
                met, bits = 0, rest
                while bits != 0:
                    if group[here + hop[tall, lowest(bits)]] == 0:
                        met |= bits & -bits
                    bits &= bits - 1
                for j in range(size[piece]):
                    group[queue[j]] = name
                ring[piece] = met
                large[good, q] = max(large[good, q], size[piece])
                rest ^= met
                if rest != 0:
                    piece = first + n
                    n += 1
        groups[good, q] += n - pieces[good, q]
        pieces[good, q] = n
        _shift_covered(here, covered, -_UNDER, hop[tall], group)


@inline
def _shift_covered(here: Any, covered: Any, by: Any, hops: Any, group: Any) -> None:
    """Change the numbers of the groups under the card, so that a fill takes those spaces for other groups."""
    while covered != 0:
        space = here + hops[RING + lowest(covered)]
        group[space] = np.int64(group[space]) + by
        covered &= covered - 1


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
