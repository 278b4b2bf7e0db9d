"""`greedy`: the move with the best value now (rules: Value now); equal moves at random in canonical order.

The stand is surveyed once a turn. For each place of a card, what covering its six spaces leaves of a good is worked out once
and serves all cards and both half-turns; a card then adds its clusters (the spaces of one good that touch each other on it)
and joins the groups that border them. A bound from above skips cards that cannot reach the best value so far.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from veggies_sim.core.jit import inline, njit
from veggies_sim.core.streams import TIE, uniform
from veggies_sim.games.veggies.cover import apart, cover, list_places, new_places
from veggies_sim.games.veggies.patterns import (
    CLUSTERS,
    FIRST_CLUSTER,
    LARGEST_CLUSTER,
    PATTERN_SPACES,
    PATTERNS,
    RING,
    RING_MASK,
)
from veggies_sim.games.veggies.placement import legal_bits, new_bits
from veggies_sim.games.veggies.scoring import first_mask, new_board, summarise, value_now
from veggies_sim.games.veggies.state import CARD, COL, PAIR_GROUPS, ROTATION, ROW, SOURCE, SUMMARY
from veggies_sim.games.veggies.survey import new_survey, survey

_LEAST = np.int64(-(1 << 40))  # below any value
_KEY = 32  # a key is the size of a good's largest group << _KEY, plus the points that announcing the good adds
_POINTS = (1 << _KEY) - 1


class Cards(NamedTuple):
    """The different faces among the cards to choose from; D of them, at most R + 1."""

    face: NDArray[np.int64]  # [D]
    sources: NDArray[np.int64]  # [D] bit s: the face is that of source s
    turns: NDArray[np.int64]  # [D] rotations that look different
    rats: NDArray[np.int64]  # [D]
    clusters: NDArray[np.int64]  # [D, 5] clusters of each good
    largest: NDArray[np.int64]  # [D, 5] spaces of the largest of them
    spaces: NDArray[np.int64]  # [D, 5] spaces of each good
    pattern: NDArray[np.int64]  # [D, 4, 5] which of the six spaces show each good, after 0..3 quarter turns
    most: NDArray[np.int64]  # [5] the largest of `spaces`
    rank: NDArray[np.int64]  # [5] the goods: those that others announce, then the rest, largest group first
    bound: NDArray[np.int64]  # [D, Q] value that the face cannot exceed at a place
    second: NDArray[np.int64]  # [2, Q] room


@njit
def choose_greedy(view: Any, games: Any, moves: Any) -> None:
    """Write to moves [G, 4] the move with the best value now for each of `games`; ties by the tie stream."""
    size, sources = view.rules.stand_size, 1 + view.ramp.shape[1]
    board, summary = new_board(size), np.zeros(SUMMARY, np.int32)
    if view.turn == 0:
        trial = np.zeros((1, 4), np.int16)
        for g in games:
            u = uniform(view.seed, TIE, view.seat, view.index[g], 0)
            moves[g, SOURCE] = _best_start(view, g, u, board, summary, trial)
            moves[g, ROTATION] = moves[g, ROW] = moves[g, COL] = 0
        return
    patterns = _patterns(view.faces.symbols)
    bits, room, places, cards = new_bits(size), new_survey(size), new_places(size), _new_cards(sources, 64 * size)
    ties = np.zeros(size * 128 * sources, np.int64)
    pairs = view.rules.announced == 2 and view.rules.pair == PAIR_GROUPS
    wanted = 3 if pairs else view.rules.announced
    for g in games:
        others = _others(view, g, board, summary)
        stand = view.placed[g, view.seat]
        cols, rats = survey(stand, view.turn, view.faces.symbols, room)
        row0, col0, rows = legal_bits(stand, view.turn, bits)
        different = _gather(view.hand[g, 0], view.ramp[g], view.faces, patterns, cards)
        named = _rank(room, others, cards.rank)
        places_count = list_places(bits, rows, cols, rats, room.window, places)
        cover(places_count, cards.rank, named, cards.most, wanted, room, places)
        if pairs:
            apart(places_count, room, places)
        top = _bounds(places_count[1], named, different, view.rules, cards, places)
        count = _search((places_count, top, named, different, rows * cols, wanted, view.rules.rat_penalty), cards, places, ties)
        number = np.int64(uniform(view.seed, TIE, view.seat, view.index[g], view.turn) * count)
        key = _nth(ties, count, number, sources * 4 * rows * cols)
        at, turned = key % (rows * cols), key // (rows * cols)
        moves[g, SOURCE], moves[g, ROTATION] = turned // 4, turned % 4
        moves[g, ROW], moves[g, COL] = row0 + at // cols, col0 + at % cols


@njit
def _best_start(view: Any, g: Any, u: Any, board: Any, summary: Any, trial: Any) -> Any:
    """Return which of the two dealt cards is worth more on its own; nobody has announced yet."""
    trial[0, CARD] = view.hand[g, 0]
    summarise(trial, 1, view.faces.symbols, board, view.rules, summary)
    first = value_now(summary, 0, view.rules)
    trial[0, CARD] = view.hand[g, 1]
    summarise(trial, 1, view.faces.symbols, board, view.rules, summary)
    second = value_now(summary, 0, view.rules)
    if first == second:
        return np.int64(u * 2)
    return np.int64(second > first)


@inline
def _others(view: Any, g: Any, board: Any, summary: Any) -> Any:
    """Return the mask of what all other seats would announce on what they have laid so far."""
    union = np.int64(0)
    for seat in range(view.placed.shape[1]):
        if seat != view.seat:
            laid = view.turn + (seat < view.seat)
            summarise(view.placed[g, seat], laid, view.faces.symbols, board, view.rules, summary)
            union |= first_mask(summary)
    return union


@njit
def _new_cards(sources: Any, places: Any) -> Any:
    return Cards(
        np.zeros(sources, np.int64),
        np.zeros(sources, np.int64),
        np.zeros(sources, np.int64),
        np.zeros(sources, np.int64),
        np.zeros((sources, 5), np.int64),
        np.zeros((sources, 5), np.int64),
        np.zeros((sources, 5), np.int64),
        np.zeros((sources, 4, 5), np.int64),
        np.zeros(5, np.int64),
        np.zeros(5, np.int64),
        np.zeros((sources, places), np.int64),
        np.zeros((2, places), np.int64),
    )


@njit
def _patterns(symbols: Any) -> Any:
    """Return the patterns of the faces: [F, 4, 5] which of the six spaces show each good."""
    patterns = np.zeros((len(symbols), 4, 5), np.uint8)
    for face in range(len(symbols)):
        for turn in range(4):
            for j in range(6):
                code = np.int64(symbols[face, turn, j])
                if code <= 5:
                    patterns[face, turn, code - 1] |= np.uint8(1 << j)
    return patterns


@njit
def _gather(hand: Any, ramp: Any, faces: Any, patterns: Any, cards: Any) -> Any:
    """List the different faces of the held card and the ramp [R]; return how many there are."""
    face, sources, rats = cards.face, cards.sources, cards.rats
    n = 0
    cards.most[:] = 0
    for source in range(1 + len(ramp)):
        this = np.int64(hand if source == 0 else ramp[source - 1])
        i = 0
        while i < n and face[i] != this:
            i += 1
        if i < n:
            sources[i] |= 1 << source
            continue
        n += 1
        face[i], sources[i], rats[i], cards.turns[i] = this, 1 << source, 0, faces.turns[this]
        for j in range(6):
            rats[i] += faces.symbols[this, 0, j] == 7
        for good in range(5):
            pattern = patterns[this, 0, good]
            cards.clusters[i, good] = PATTERNS[0, pattern, CLUSTERS]
            cards.largest[i, good] = PATTERNS[0, pattern, LARGEST_CLUSTER]
            cards.spaces[i, good] = PATTERNS[0, pattern, PATTERN_SPACES]
            cards.most[good] = max(cards.most[good], cards.spaces[i, good])
            for turn in range(4):
                cards.pattern[i, turn, good] = patterns[this, turn, good]
    return n


@njit
def _nth(keys: Any, count: Any, n: Any, limit: Any) -> Any:
    """Return the n-th smallest of the first `count` different keys, all in 0..limit-1, by halving the range."""
    if count == 1:
        return keys[0]
    low, high = 0, limit - 1
    while low < high:
        middle = (low + high) // 2
        below = 0
        for i in range(count):
            below += keys[i] <= middle
        if below > n:
            high = middle
        else:
            low = middle + 1
    return low


@inline
def _rank(room: Any, others: Any, rank: Any) -> Any:
    """List the goods: those that others announce, then the rest, largest group first. Return how many others announce."""
    n = 0
    for good in range(5):
        if (others >> good) & 1:
            rank[n] = good
            n += 1
    first = n
    for good in range(5):
        if not (others >> good) & 1:
            j = n
            while j > first and room.top[rank[j - 1], 1] < room.top[good, 1]:
                rank[j] = rank[j - 1]
                j -= 1
            rank[j] = good
            n += 1
    return first


@njit
def _bounds(count: Any, named: Any, different: Any, rules: Any, cards: Any, places: Any) -> Any:
    """Work out what each face cannot exceed at each place; return the (face, place) with the highest bound.

    A card's spaces of a good join the pieces beside it or they do not: where m pieces are joined, there are m fewer groups.
    """
    best, best_face, best_place = _LEAST, 0, 0
    rats, two = places.rats, rules.announced == 2
    k1, k2 = cards.second[0], cards.second[1]
    for i in range(different):
        bound = cards.bound[i]
        for q in range(count):
            bound[q] = -rules.rat_penalty * (rats[q] + cards.rats[i])
            k1[q] = k2[q] = 0
        for r in range(5):
            good = cards.rank[r]
            large, groups, reach = places.large[good], places.groups[good], places.reach[good]
            k, c, alone = cards.clusters[i, good], cards.spaces[i, good], cards.largest[i, good]
            fewer = k - (k > 0)
            for q in range(count):
                gain = max(max(large[q], alone) * (groups[q] + k), max(large[q], c + reach[q] * (k > 0)) * (groups[q] + fewer))
                if r < named:
                    bound[q] += gain
                else:
                    k2[q] = max(k2[q], min(k1[q], gain))
                    k1[q] = max(k1[q], gain)
        for q in range(count):
            bound[q] += k1[q] + k2[q] * two
        for q in range(count):
            if bound[q] > best:
                best, best_face, best_place = bound[q], i, q
    return best_face, best_place


@njit
def _search(game: Any, cards: Any, places: Any, ties: Any) -> Any:
    """Value every card at every place that may reach the best value; list the best moves in `ties`, return their number.

    A move is listed as (source * 4 + rotation) * places of the grid + place: sorted, that is the canonical order.
    """
    (flat, all_places), (top_face, top_place), named, different, numbers, wanted, penalty = game
    bound, at, rats = cards.bound, places.at, places.rats
    best, count = _LEAST, 0
    for number in range(-1, different * all_places):
        i, q = number // all_places, number % all_places
        if number < 0:
            i, q = top_face, top_place
        elif bound[i, q] < best or (i == top_face and q == top_place):
            continue
        tall = np.int64(q >= flat)
        for turn in range(tall, cards.turns[i], 2):
            value = -penalty * (rats[q] + cards.rats[i])
            if wanted == 3:
                value += 0
            else:
                value += _points(tall, turn, i, q, named, wanted, cards, places)
            if value > best:
                best, count = value, 0
            if value == best:
                left = cards.sources[i]
                source = 0
                while left != 0:
                    if left & 1:
                        ties[count] = (source * 4 + turn) * numbers + at[q]
                        count += 1
                    source += 1
                    left >>= 1
    return count


@inline
def _points(tall: Any, turn: Any, i: Any, q: Any, named: Any, wanted: Any, cards: Any, places: Any) -> Any:
    """Return the points of all goods for the best announcement after face `i` is laid at place `q`, penalty aside."""
    rank, pattern = cards.rank, cards.pattern
    value = first = second = 0
    for r in range(5):
        good = rank[r]
        size, groups = _joined(tall, pattern[i, turn, good], good, q, places)
        key = size << _KEY
        if r < named:
            value += size * groups
        else:
            key += size * groups
        second = max(second, min(first, key))
        first = max(first, key)
    return value + (first & _POINTS) + (second & _POINTS if wanted == 2 else 0)


@inline
def _joined(tall: Any, pattern: Any, good: Any, q: Any, places: Any) -> Any:
    """Return (largest group, number of groups) of a good after a card with that pattern is laid."""
    large, groups = places.large[good, q], places.groups[good, q]
    if pattern != 0:
        if places.pieces[good, q] == 0:
            large = max(large, PATTERNS[tall, pattern, LARGEST_CLUSTER])
            groups += PATTERNS[tall, pattern, CLUSTERS]
        else:
            a, b, c, groups = _clusters(tall, pattern, good, q, places)
            large = max(large, a, b, c)
    return large, groups


@inline
def _clusters(tall: Any, pattern: Any, good: Any, q: Any, places: Any) -> Any:
    """Return (spaces of up to three clusters, number of groups) after the clusters joined the pieces beside them."""
    ring, size = places.ring, places.size
    a, b = PATTERNS[tall, pattern, FIRST_CLUSTER], PATTERNS[tall, pattern, FIRST_CLUSTER + 1]
    c = PATTERNS[tall, pattern, FIRST_CLUSTER + 2]
    size_a, size_b, size_c = a >> RING, b >> RING, c >> RING
    a, b, c = a & RING_MASK, b & RING_MASK, c & RING_MASK
    groups = places.groups[good, q] + PATTERNS[tall, pattern, CLUSTERS]
    start = places.start[good, q]
    for i in range(start, start + places.pieces[good, q]):
        touched = ring[i]
        if a & touched:
            size_a += size[i]
            groups -= 1
            if b & touched:
                size_a, size_b, a, b = size_a + size_b, 0, a | b, 0
                groups -= 1
            if c & touched:
                size_a, size_c, a, c = size_a + size_c, 0, a | c, 0
                groups -= 1
        elif b & touched:
            size_b += size[i]
            groups -= 1
            if c & touched:
                size_b, size_c, b, c = size_b + size_c, 0, b | c, 0
                groups -= 1
        elif c & touched:
            size_c += size[i]
            groups -= 1
    return size_a, size_b, size_c, groups


@njit
def _pairs_of_groups(tall: Any, turn: Any, i: Any, q: Any, named: Any, cards: Any, places: Any) -> Any:
    """Return what `_points` does where the goods of two largest groups are announced (rules: `pair=groups`)."""
    sizes, points = np.zeros((5, 2), np.int64), np.zeros(5, np.int64)
    value = first = second = 0
    for r in range(5):
        good = cards.rank[r]
        pattern = cards.pattern[i, turn, good]
        a, b, c, groups = _clusters(tall, pattern, good, q, places)
        touched = 0
        for cluster in range(FIRST_CLUSTER, FIRST_CLUSTER + 3):
            touched |= PATTERNS[tall, pattern, cluster] & RING_MASK
        for size in (a, b, c, places.apart[0, good, q], places.apart[1, good, q]):
            _keep_two(sizes[good], size)
        for piece in range(places.start[good, q], places.start[good, q] + places.pieces[good, q]):
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
