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
from veggies_sim.games.veggies.patterns import AFTER_BORDER, BORDER, RING, RING_MASK
from veggies_sim.games.veggies.survey import MOST, RAT

_ONE = np.uint64(1)
_UNDER = 1000  # added to the groups of spaces that lie under the card, so that a fill stops there
_MOST = 10  # pieces at one place: spaces of the border
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
    torn: NDArray[np.int64]  # [5 Q, 2] good and place where a cut group may have come apart
    label: NDArray[np.int64]  # [10] room: group of each piece
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
        np.zeros(5 * _MOST * q, np.int64),
        np.zeros(5 * _MOST * q, np.int64),
        np.zeros((2, 5, q), np.int64),
        np.zeros((2, q), np.int64),
        np.zeros((5 * q, 2), np.int64),
        np.zeros(_MOST, np.int64),
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
def cover(count: Any, rank: Any, fixed: Any, most: Any, wanted: Any, room: Any, places: Any) -> Any:
    """Fill in the places, good by good in the order of `rank` [5]; return how many are `torn`, to be mended.

    count (orientation 0, both); the first `fixed` goods always matter, another one only where it may become one of the
    `wanted` goods with the largest groups (3: everywhere), if a card shows at most most[good] of its spaces.
    """
    at, large, groups, reach, pieces = places.at, places.large, places.groups, places.reach, places.pieces
    start, ring, piece, surest, label, lost = (
        places.start, places.ring, places.size, places.surest, places.label, places.lost
    )
    window, group, hop, size, order, top = room.window, room.group, room.hop, room.size, room.order, room.top
    number, torn = room.number, places.torn
    b = tears = 0
    for r in range(5):
        good = rank[r]
        for tall in range(2):
            edge, after = BORDER[tall], AFTER_BORDER[tall]
            for q in range(0 if tall == 0 else count[0], count[tall]):
                here = at[q]
                view = np.int64(window[tall, here, good])
                border, covered = view & edge, view >> RING
                starts = _starts(view, border, after)
                if r >= fixed and wanted < 3:
                    runs = min(popcount(starts) + 1, MOST - 1)
                    if max(top[good, 1], most[good] + top[good, runs]) < surest[wanted - 1, q]:
                        large[good, q] = groups[good, q] = reach[good, q] = pieces[good, q] = 0
                        continue
                big, total, n, left = top[good, 1], 0, 0, number[good]
                start[good, q] = b
                if covered == 0 and starts & (starts - 1) == 0:  # no group, or one whole group
                    if border != 0:
                        name = np.int64(group[here + hop[tall, lowest(border)]])
                        ring[b], piece[b] = border, size[name]
                        n, total = 1, size[name]
                else:
                    bits = covered
                    while bits != 0:
                        name = np.int64(group[here + hop[tall, RING + lowest(bits)]])
                        lost[name] += 1
                        left -= lost[name] == size[name]
                        bits &= bits - 1
                    if starts == 0:
                        starts = border & -border
                    wrap = border & ((starts & -starts) - 1)
                    split = False  # a cut group borders the card at several runs
                    while starts != 0:
                        first = starts & -starts
                        starts ^= first
                        run = border & ((starts & -starts) - first)
                        if starts == 0:
                            run |= wrap
                        name = np.int64(group[here + hop[tall, lowest(first)]])
                        i = 0
                        while i < n and label[i] != name:
                            i += 1
                        if i < n:
                            ring[b + i] |= run
                            split |= lost[name] > 0
                        else:
                            ring[b + n], piece[b + n], label[n] = run, size[name] - lost[name], name
                            total += piece[b + n]
                            n += 1
                    if covered != 0:
                        big = 0
                        for i in range(number[good]):
                            if lost[order[good, i]] == 0:
                                big = size[order[good, i]]
                                break
                        while covered != 0:
                            lost[group[here + hop[tall, RING + lowest(covered)]]] = 0
                            covered &= covered - 1
                        if split:
                            torn[tears, 0], torn[tears, 1] = good, q
                            tears += 1
                            b += _MOST - n  # room for more pieces
                        else:
                            for i in range(b, b + n):
                                big = max(big, piece[i])
                large[good, q], groups[good, q], reach[good, q], pieces[good, q] = big, left, total, n
                b += n
                surest[1, q] = max(surest[1, q], min(surest[0, q], big))
                surest[0, q] = max(surest[0, q], big)
    return tears


@njit
def mend(tears: Any, flat: Any, room: Any, places: Any) -> None:
    """Find out what is still connected where `cover` cut groups that border the card at several runs.

    A piece is filled from one of its spaces; what the fill does not meet is another piece and one more group.
    """
    window, group, hop, queue = room.window, room.group, room.hop, room.queue
    at, torn, large, groups = places.at, places.torn, places.large, places.groups
    pieces, start, ring, size = places.pieces, places.start, places.ring, places.size
    cols = hop[0, RING + 3]
    for k in range(tears):
        good, q = torn[k, 0], torn[k, 1]
        tall, here = np.int64(q >= flat), at[q]
        covered = np.int64(window[tall, here, good]) >> RING
        bits = covered
        while bits != 0:
            group[here + hop[tall, RING + lowest(bits)]] += _UNDER
            bits &= bits - 1
        first = start[good, q]
        n = pieces[good, q]
        for i in range(first, first + n):
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
        while covered != 0:
            group[here + hop[tall, RING + lowest(covered)]] -= _UNDER
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
