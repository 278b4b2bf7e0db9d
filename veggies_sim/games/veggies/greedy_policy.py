"""`greedy`: the move with the best value now (rules: Value now); equal moves at random in canonical order.

The stand is surveyed once a turn (`survey`). What covering the six spaces of a place leaves of a good is worked out
once and serves all cards and both half-turns (`cover`). A card then adds its clusters, the spaces of one good that
touch each other on it, and joins the pieces that border them. A bound skips the cards that cannot reach the best value
so far.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from veggies_sim.core.jit import inline, inner, njit
from veggies_sim.core.streams import TIE, uniform
from veggies_sim.games.veggies.choices import join_clusters, join_one, new_choices, note
from veggies_sim.games.veggies.cover import EVERY, PLACES, new_places
from veggies_sim.games.veggies.greedy_pairs import apart, search_pairs
from veggies_sim.games.veggies.look import look, other_summaries, start_summaries
from veggies_sim.games.veggies.patterns import (
    CLUSTERS,
    FIRST_CLUSTER,
    LARGEST_CLUSTER,
    PATTERN_SPACES,
    PATTERNS,
)
from veggies_sim.games.veggies.placement import new_bits
from veggies_sim.games.veggies.scoring import value_now
from veggies_sim.games.veggies.state import COL, PAIR_GROUPS, ROTATION, ROW, SOURCE, View
from veggies_sim.games.veggies.survey import new_survey

_LEAST = np.int32(-(1 << 30))  # below any value
_KEY = 32  # a key is the size of a good's largest group << _KEY, plus the points that announcing the good adds
_POINTS = (1 << _KEY) - 1


def choose_greedy(view: View, games: NDArray[np.int64], moves: NDArray[np.int16]) -> None:
    """Write to moves [G, 4] the move with the best value now for each of `games`; ties by the tie stream.

    The room that the kernels work in is made here, once for all games.
    """
    if view.turn == 0:
        _choose_start(view, games, start_summaries(view), moves)
        return
    size, sources = view.rules.stand_size, 1 + view.ramp.shape[1]
    room = new_survey(size), new_places(size), new_choices(view.faces, sources, size)
    ties = np.zeros(2 * PLACES * size * sources, np.int64)
    if view.rules.announced == 2 and view.rules.pair == PAIR_GROUPS:
        sizes = np.zeros((2, 5, PLACES * size), np.int64)
        _choose_pairs(view, games, other_summaries(view), *room, sizes, ties, moves)
    else:
        _choose(view, games, other_summaries(view), *room, ties, moves)


@njit
def _choose_start(view: Any, games: Any, summary: Any, moves: Any) -> None:
    """Choose the start card; nobody has announced anything yet."""
    for g in games:
        first, second = value_now(summary[g, 0], 0, view.rules), value_now(summary[g, 1], 0, view.rules)
        source = np.int64(second > first)
        if first == second:
            source = np.int64(uniform(view.seed, TIE, view.seat, view.index[g], 0) * 2)
        moves[g, SOURCE] = source
        moves[g, ROTATION] = moves[g, ROW] = moves[g, COL] = 0


@njit
def _choose(
    view: Any, games: Any, summary: Any, seen: Any, places: Any, choices: Any, ties: Any, moves: Any
) -> None:
    """Choose where one good is announced, or two different ones."""
    bits = new_bits(view.rules.stand_size)
    for g in games:
        count, named, different, _, grid = look(view, g, summary, view.rules.announced, bits, seen, places, choices)
        top = _bounds(count[1], named, different, view.rules, choices, places)
        turn = count, top, named, different, grid[2] * grid[3], view.rules.rat_penalty
        _draw(view, g, ties, _search(turn, view.rules.announced, choices, places, ties), grid, moves)


@njit
def _choose_pairs(
    view: Any, games: Any, summary: Any, seen: Any, places: Any, choices: Any, sizes: Any, ties: Any, moves: Any
) -> None:
    """Choose where the goods of two groups are announced; sizes [2, 5, Q] is room."""
    bits = new_bits(view.rules.stand_size)
    for g in games:
        count, named, different, _, grid = look(view, g, summary, EVERY, bits, seen, places, choices)
        top = _bounds(count[1], named, different, view.rules, choices, places)
        apart(count, seen, places, sizes)
        turn = count, top, named, different, grid[2] * grid[3], view.rules.rat_penalty
        _draw(view, g, ties, search_pairs(turn, choices, places, sizes, ties), grid, moves)


@inner
def _bounds(count: Any, named: Any, different: Any, rules: Any, choices: Any, places: Any) -> Any:
    """Work out what each face cannot exceed at each place; return the (face, place) with the highest bound.

    A card's spaces of a good join the pieces beside it or they do not; where they do, there are fewer groups. A good
    that only this player announces counts where it may become one of the largest. All numbers have 32 bits, for vector
    code.
    """
    best, best_face, best_place = np.int64(_LEAST), 0, 0
    two = np.int32(rules.announced == 2)
    rank, patterns, faces, face_rats = choices.rank, choices.pattern, choices.face, choices.rats
    all_large, all_groups, all_reach = places.large, places.groups, places.reach
    bounds, owns = choices.bound, choices.own
    rats, least = places.rats[:count], places.surest[min(rules.announced, 2) - 1, :count]
    first, second, gain = choices.room[0, :count], choices.room[1, :count], choices.room[2, :count]
    for i in range(different):
        face = faces[i]
        bound, own = bounds[i, :count], owns[i, :count]
        for q in range(count):
            bound[q] = -rules.rat_penalty * (rats[q] + face_rats[face])
            first[q] = second[q] = 0
        for r in range(5):
            good = rank[r]
            pattern = patterns[face, 0, good]
            large, groups, reach = all_large[good, :count], all_groups[good, :count], all_reach[good, :count]
            k, spaces = np.int32(PATTERNS[0, pattern, CLUSTERS]), np.int32(PATTERNS[0, pattern, PATTERN_SPACES])
            alone, some, only = np.int32(PATTERNS[0, pattern, LARGEST_CLUSTER]), np.int32(k > 0), np.int32(r >= named)
            for q in range(count):
                together = np.int32(max(large[q], np.int32(spaces + np.int32(reach[q] * some))))
                joined = np.int32(together * np.int32(groups[q] + np.int32(k - some)))
                beside = np.int32(np.int32(max(large[q], alone)) * np.int32(groups[q] + k))
                gain[q] = max(joined, beside) if together >= np.int32(least[q] * only) else 0
            if r < named:
                for q in range(count):
                    bound[q] += gain[q]
            else:
                for q in range(count):
                    second[q] = max(second[q], min(first[q], gain[q]))
                    first[q] = max(first[q], gain[q])
        for q in range(count):
            own[q] = np.int32(first[q] + np.int32(second[q] * two))
            bound[q] += own[q]
        for q in range(count):
            if bound[q] > best:
                best, best_face, best_place = np.int64(bound[q]), i, q
    return best_face, best_place


@inner
def _search(turn: Any, announced: Any, choices: Any, places: Any, ties: Any) -> Any:
    """Value every card at every place that may reach the best value; list the best moves in `ties`; return how many.

    A move is listed as (source * 4 + rotation) * places of the grid + place: sorted, that is the canonical order.
    """
    (flat, all_places), top, named, different, numbers, penalty = turn
    bound, own, at, rats, face_rats = choices.bound, choices.own, places.at, places.rats, choices.rats
    rank, patterns, turns, sources, faces = choices.rank, choices.pattern, choices.turns, choices.sources, choices.face
    large, groups, reach, border = places.large, places.groups, places.reach, places.border
    pieces, start, ring, size = places.pieces, places.start, places.ring, places.size
    best, count = np.int64(_LEAST), 0
    for only_top in (True, False):
        for i in range(top[0] if only_top else 0, top[0] + 1 if only_top else different):
            face = np.uint64(faces[i])
            for q in range(top[1] if only_top else 0, top[1] + 1 if only_top else all_places):
                if bound[i, q] < best:
                    continue
                bound[i, q] = _LEAST  # once is enough
                tall = np.int64(q >= flat)
                for rotation in range(tall, turns[face], 2):
                    value = -penalty * (rats[q] + face_rats[face])
                    first = second = 0
                    for r in range(5):
                        if r == named and value + own[i, q] < best:
                            break
                        good = rank[r]
                        pattern = patterns[face, rotation, good]
                        a, b = PATTERNS[tall, pattern, FIRST_CLUSTER], PATTERNS[tall, pattern, FIRST_CLUSTER + 1]
                        c = PATTERNS[tall, pattern, FIRST_CLUSTER + 2]
                        big = max(np.int64(large[good, q]), PATTERNS[tall, pattern, LARGEST_CLUSTER])
                        n = pieces[good, q]
                        if n < 2:
                            together, joins = join_one(a, b, c, border[good, q], reach[good, q])
                            big = max(big, together)
                        else:
                            a, b, c, joins = join_clusters(a, b, c, start[good, q], n, ring, size)
                            big = max(big, a, b, c)
                        number = groups[good, q] + PATTERNS[tall, pattern, CLUSTERS] - joins
                        key = big << _KEY
                        if r < named:
                            value += big * number
                        else:
                            key += big * number
                        second = max(second, min(first, key))
                        first = max(first, key)
                    value += (first & _POINTS) + (second & _POINTS if announced == 2 else 0)
                    if value > best:
                        best, count = value, 0
                    if value == best:
                        count = note(ties, count, sources[i], rotation * numbers + at[q], 4 * numbers)
    return count


@inline
def _draw(view: Any, g: Any, ties: Any, count: Any, grid: Any, moves: Any) -> None:
    """Write to moves[g] one of the first `count` moves in `ties`, by the tie stream."""
    row0, col0, rows, cols = grid
    number = np.int64(uniform(view.seed, TIE, view.seat, view.index[g], view.turn) * count)
    move = _nth(ties, count, number, 4 * (1 + view.ramp.shape[1]) * rows * cols)
    at, turned = move % (rows * cols), move // (rows * cols)
    moves[g, SOURCE], moves[g, ROTATION] = turned // 4, turned % 4
    moves[g, ROW], moves[g, COL] = row0 + at // cols, col0 + at % cols


@inner
def _nth(ties: Any, count: Any, n: Any, limit: Any) -> Any:
    """Return the n-th smallest of the first `count` different numbers, all in 0..limit-1, by halving the range."""
    low, high = 0, limit - 1
    while low < high:
        middle = (low + high) // 2
        below = 0
        for i in range(count):
            below += ties[i] <= middle
        if below > n:
            high = middle
        else:
            low = middle + 1
    return low
