"""`greedy`: the move with the best value now (rules: Value now); equal moves at random in canonical order.

The stand is surveyed once a turn. For each place of a card, what covering its six spaces leaves of a good is worked out once
and serves all cards and both half-turns; a card then adds its clusters (the spaces of one good that touch each other on it)
and joins the groups that border them. A bound from above skips cards that cannot reach the best value so far.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from veggies_sim.core.jit import inline, njit
from veggies_sim.core.streams import TIE, uniform
from veggies_sim.games.veggies.choices import face_patterns, gather, join_clusters, new_cards, note
from veggies_sim.games.veggies.cover import cover, list_places, mend, new_places
from veggies_sim.games.veggies.greedy_pairs import apart, search_pairs
from veggies_sim.games.veggies.patterns import CLUSTERS, FIRST_CLUSTER, LARGEST_CLUSTER, PATTERNS
from veggies_sim.games.veggies.placement import legal_bits, new_bits
from veggies_sim.games.veggies.scoring import first_mask, new_board, summarise, value_now
from veggies_sim.games.veggies.state import CARD, COL, PAIR_GROUPS, ROTATION, ROW, SOURCE, SUMMARY
from veggies_sim.games.veggies.survey import new_survey, survey

_LEAST = np.int64(-(1 << 40))  # below any value
_KEY = 32  # a key is the size of a good's largest group << _KEY, plus the points that announcing the good adds
_POINTS = (1 << _KEY) - 1


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
    patterns = face_patterns(view.faces.symbols)
    bits, room, places, cards = new_bits(size), new_survey(size), new_places(size), new_cards(sources, 64 * size)
    ties = np.zeros(size * 128 * sources, np.int64)
    pairs = view.rules.announced == 2 and view.rules.pair == PAIR_GROUPS
    wanted = 3 if pairs else view.rules.announced
    for g in games:
        others = _others(view, g, board, summary)
        stand = view.placed[g, view.seat]
        cols, rats = survey(stand, view.turn, view.faces.symbols, room)
        row0, col0, rows = legal_bits(stand, view.turn, bits)
        different = gather(view.hand[g, 0], view.ramp[g], view.faces, patterns, cards)
        named = _rank(room, others, cards.rank)
        places_count = list_places(bits, rows, cols, rats, room.window, places)
        tears = cover(places_count, cards.rank, named, cards.most, wanted, room, places)
        mend(tears, places_count[0], room, places)
        top = _bounds(places_count[1], named, different, view.rules, cards, places)
        turn = (places_count, top, named, different, rows * cols, view.rules.rat_penalty)
        if pairs:
            apart(places_count, room, places)
            count = search_pairs(turn, cards, places, ties)
        else:
            count = _search(turn, wanted, cards, places, ties)
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
def _search(game: Any, wanted: Any, cards: Any, places: Any, ties: Any) -> Any:
    """Value every card at every place that may reach the best value; list the best moves in `ties`, return their number.

    A move is listed as (source * 4 + rotation) * places of the grid + place: sorted, that is the canonical order.
    """
    (flat, all_places), (top_face, top_place), named, different, numbers, penalty = game
    bound, at, rats = cards.bound, places.at, places.rats
    rank, patterns, turns, sources, card_rats = cards.rank, cards.pattern, cards.turns, cards.sources, cards.rats
    large, groups, pieces, start, ring, size = (
        places.large, places.groups, places.pieces, places.start, places.ring, places.size
    )
    best, count = _LEAST, 0
    for number in range(-1, different * all_places):
        i, q = number // all_places, number % all_places
        if number < 0:
            i, q = top_face, top_place
        elif bound[i, q] < best or (i == top_face and q == top_place):
            continue
        tall = np.int64(q >= flat)
        for turn in range(tall, turns[i], 2):
            value = -penalty * (rats[q] + card_rats[i])
            first = second = 0
            for r in range(5):
                good = rank[r]
                pattern = patterns[i, turn, good]
                big, number_of = large[good, q], groups[good, q]
                if pattern != 0:
                    number_of += PATTERNS[tall, pattern, CLUSTERS]
                    if pieces[good, q] == 0:
                        big = max(big, PATTERNS[tall, pattern, LARGEST_CLUSTER])
                    else:
                        a, b, c, joins = join_clusters(
                            PATTERNS[tall, pattern, FIRST_CLUSTER],
                            PATTERNS[tall, pattern, FIRST_CLUSTER + 1],
                            PATTERNS[tall, pattern, FIRST_CLUSTER + 2],
                            start[good, q],
                            pieces[good, q],
                            ring,
                            size,
                        )
                        big = max(big, a, b, c)
                        number_of -= joins
                key = big << _KEY
                if r < named:
                    value += big * number_of
                else:
                    key += big * number_of
                second = max(second, min(first, key))
                first = max(first, key)
            value += (first & _POINTS) + (second & _POINTS if wanted == 2 else 0)
            if value > best:
                best, count = value, 0
            if value == best:
                count = note(ties, count, sources[i], turn * numbers + at[q], 4 * numbers)
    return count
