"""The legal moves of a turn as numbers: what each leaves on the own stand, and what it means to the others.

What may live here: features of moves, from what the seat sees. Axes: G games, N moves of all games one game after another,
F features, in the order of `FEATURES`; `out` is [F, N]. Moves are in canonical order: source, rotation, row, column.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from veggies_sim.core.bits import popcount
from veggies_sim.core.candidates import Candidates, Feature
from veggies_sim.core.jit import inner, njit
from veggies_sim.games.veggies.choices import join_clusters, join_one, new_choices
from veggies_sim.games.veggies.cover import EVERY, PLACES, new_places
from veggies_sim.games.veggies.deck import GOODS
from veggies_sim.games.veggies.greedy_pairs import apart, pair_points
from veggies_sim.games.veggies.kernels import count_choices
from veggies_sim.games.veggies.look import look, other_summaries, start_summaries
from veggies_sim.games.veggies.patterns import CLUSTERS, FIRST_CLUSTER, LARGEST_CLUSTER, PATTERNS, RING
from veggies_sim.games.veggies.placement import WORD, new_bits
from veggies_sim.games.veggies.scoring import first_mask, value_now
from veggies_sim.games.veggies.state import (
    COL,
    GROUPS,
    LARGEST,
    PAIR_GROUPS,
    RATS,
    ROTATION,
    ROW,
    SOURCE,
    View,
)
from veggies_sim.games.veggies.survey import new_survey

FEATURES = (
    Feature("value", "points if the game ended now: the best announcement allowed, united with what the others announce"),
    *(Feature(f"{good}_points", f"largest group times groups of {good} on the own stand") for good in GOODS),
    *(Feature(f"{good}_largest", f"spaces in the own largest group of {good}") for good in GOODS),
    *(Feature(f"{good}_groups", f"own groups of {good}") for good in GOODS),
    Feature("rats", "visible rats on the own stand"),
    Feature("rats_covered", "rats that the card covers"),
    Feature("goods_covered", "spaces of goods that the card covers"),
    Feature("covered", "spaces of the stand that the card covers"),
    Feature("named", "own points for the goods that another player would announce if the game ended now"),
    Feature("close", "own points for the goods that another player would announce with one space more, or instead of an equal one"),
    Feature("denied", "spaces with goods that the next player would announce, on a card from the ramp; 0 for one from the hand"),
    Feature("cards_left", "cards that the own stand still lacks after this one"),
)
_POINTS, _LARGEST, _GROUPS = 1, 6, 11
_RATS, _RATS_COVERED, _GOODS_COVERED, _COVERED, _NAMED, _CLOSE, _DENIED, _CARDS_LEFT = range(16, 24)
_KEY = 32  # a key is the size of a largest group << _KEY, plus points
_LOW = (1 << _KEY) - 1


def candidates(view: View, games: NDArray[np.int64]) -> Candidates:
    """Return all legal moves of some games of a block, with their features."""
    view = view._replace(index=view.index[games], hand=view.hand[games], ramp=view.ramp[games], placed=view.placed[games])
    count = np.empty(len(games), np.uint32)
    count_choices(view.hand, view.ramp, view.placed, view.turn, view.seat, view.faces.turns, count)
    start = np.concatenate(([0], np.cumsum(count, dtype=np.int64)))
    moves = np.zeros((start[-1], 4), np.int16)
    out = np.zeros((len(FEATURES), start[-1]), np.float32)  # a feature of all moves lies together
    if view.turn == 0:
        _fill_start(view, start_summaries(view), moves, out)
        return Candidates(moves, start, out.T)
    size, sources = view.rules.stand_size, 1 + view.ramp.shape[1]
    places = PLACES * size
    sizes, sums = np.zeros((2, 5, places), np.int64), np.zeros((3, places), np.int64)
    room = new_survey(size), new_places(size), new_choices(view.faces, sources, size), sizes, sums
    _fill(view, start, other_summaries(view), room, moves, out)
    return Candidates(moves, start, out.T)


@njit
def _fill_start(view: Any, summary: Any, moves: Any, out: Any) -> None:
    """Fill in the two start cards of each game: as stands of one card; nobody has announced anything yet."""
    for g in range(len(view.index)):
        for card in range(2):
            n, shown = 2 * g + card, summary[g, card]
            moves[n, SOURCE] = card
            out[0, n] = value_now(shown, 0, view.rules)
            for good in range(5):
                out[_POINTS + good, n] = shown[LARGEST + good] * shown[GROUPS + good]
                out[_LARGEST + good, n] = shown[LARGEST + good]
                out[_GROUPS + good, n] = shown[GROUPS + good]
            out[_RATS, n] = shown[RATS]
            out[_CARDS_LEFT, n] = view.rules.stand_size - 1


@njit
def _fill(view: Any, first: Any, summary: Any, room: Any, moves: Any, out: Any) -> None:
    """Fill in all moves of each game; `first` [G + 1] is the number of each game's first move."""
    seen, places, choices, sizes, _ = room
    bits = new_bits(view.rules.stand_size)
    for g in range(len(view.index)):
        looked = look(view, g, summary, EVERY, bits, seen, places, choices)
        if view.rules.announced == 2 and view.rules.pair == PAIR_GROUPS:
            apart(looked[0], seen, places, sizes)
        _fill_game(view, g, first[g], looked, _masks(view, g, summary), bits, room, moves, out)


@inner
def _masks(view: Any, g: Any, summary: Any) -> Any:
    """Return three sets of goods: what the others announce now, what they are one space short of, what the next announces."""
    players = summary.shape[1]
    named = close = following = np.int64(0)
    for seat in range(players):
        if seat == view.seat:
            continue
        shown = summary[g, seat]
        mask = first_mask(shown)
        named |= mask
        if seat == (view.seat + 1) % players:
            following = mask
        least = np.int32(1 << 20)  # the smallest group that is announced
        for good in range(5):
            if (mask >> good) & 1:
                least = min(least, shown[LARGEST + good])
        for good in range(5):
            if shown[LARGEST + good] > 0 and shown[LARGEST + good] >= least - 1:
                close |= 1 << good
    return named, close & ~named, following


@inner
def _fill_game(
    view: Any, g: Any, n: Any, looked: Any, masks: Any, bits: Any, room: Any, moves: Any, out: Any
) -> None:
    """Fill in the moves of one game from number n on: card by card, turn by turn, all places at once.

    looked is what `look.look` returned, masks what `_masks` did.
    """
    count, named, _, shown_rats, grid = looked
    seen, places, choices, sizes, sums = room
    row0, col0, _, cols = grid
    at, rats, window, penalty = places.at, places.rats, seen.window, view.rules.rat_penalty
    faces, face_rats, turns = (view.hand, view.ramp), choices.rats, choices.turns
    symbols, left, size = view.faces.symbols, view.rules.stand_size - view.turn - 1, view.rules.announced
    by_groups = size == 2 and view.rules.pair == PAIR_GROUPS
    value, first, second = sums[0], sums[1], sums[2]
    for source in range(1 + faces[1].shape[1]):
        face = np.int64(faces[0][g, 0] if source == 0 else faces[1][g, source - 1])
        denied = _denied(symbols[face, 0], masks[2]) if source > 0 else 0
        for rotation in range(turns[face]):
            tall = rotation & 1
            low, high = (count[0], count[1]) if tall else (0, count[0])
            pattern = choices.pattern[face, rotation]
            _fill_goods((low, high, n), tall, pattern, (named, masks[1]), places, choices.rank, sums, out)
            for q in range(low, high):
                here = at[q]
                row, col = here // cols, here % cols
                moves[n, SOURCE], moves[n, ROTATION] = source, rotation
                moves[n, ROW], moves[n, COL] = row0 + row, col0 + col
                shown = rats[q] + face_rats[face]
                own = (first[q] & _LOW) + (second[q] & _LOW if size == 2 else 0)
                hidden = 0
                for good in range(5):
                    hidden += popcount(np.uint64(window[tall, good, here] >> RING))
                out[0, n] = value[q] + own - penalty * shown
                out[_NAMED, n], out[_RATS, n], out[_RATS_COVERED, n] = value[q], shown, shown_rats - rats[q]
                out[_GOODS_COVERED, n], out[_COVERED, n] = hidden, _covered(bits, row, col, tall)
                out[_DENIED, n], out[_CARDS_LEFT, n] = denied, left
                n += 1
            if by_groups:
                for q in range(low, high):
                    points = pair_points(tall, pattern, q, named, choices.rank, places, sizes)
                    out[0, n - high + q] = points - penalty * (rats[q] + face_rats[face])


@inner
def _fill_goods(
    span: Any, tall: Any, patterns: Any, others: Any, places: Any, rank: Any, sums: Any, out: Any
) -> None:
    """Fill in the groups of each good after a card is laid at some places.

    span is (first place, place after the last, number of the first move), others is (how many goods of `rank` others
    announce, the set of close ones). sums [3, Q] receives the points of the goods that others announce and the two highest
    keys, where a key orders goods by largest group and holds the points of a good that others do not announce.
    """
    (low, high, n), (named, close) = span, others
    large, groups, reach, border = places.large, places.groups, places.reach, places.border
    pieces, start, ring, size = places.pieces, places.start, places.ring, places.size
    value, first, second = sums[0], sums[1], sums[2]
    for q in range(low, high):
        value[q] = first[q] = second[q] = 0
        out[_CLOSE, n + q - low] = 0
    for r in range(5):
        good, to = np.int64(rank[r]), n - low
        pattern = patterns[good]
        points, big, number = out[_POINTS + good], out[_LARGEST + good], out[_GROUPS + good]
        clusters, most = PATTERNS[tall, pattern, CLUSTERS], PATTERNS[tall, pattern, LARGEST_CLUSTER]
        a, b = PATTERNS[tall, pattern, FIRST_CLUSTER], PATTERNS[tall, pattern, FIRST_CLUSTER + 1]
        c = PATTERNS[tall, pattern, FIRST_CLUSTER + 2]
        for q in range(low, high):
            spaces, joins = max(np.int64(large[good, q]), most), np.int64(0)
            if clusters > 0 and pieces[good, q] < 2:
                together, joins = join_one(a, b, c, border[good, q], reach[good, q])
                spaces = max(spaces, together)
            elif clusters > 0:
                one, two, three, joins = join_clusters(a, b, c, start[good, q], pieces[good, q], ring, size)
                spaces = max(spaces, one, two, three)
            several = groups[good, q] + clusters - joins
            worth = spaces * several
            points[to + q], big[to + q], number[to + q] = worth, spaces, several
            key = spaces << _KEY
            if r < named:
                value[q] += worth
            else:
                key += worth
            second[q] = max(second[q], min(first[q], key))
            first[q] = max(first[q], key)
        if (close >> good) & 1:
            for q in range(low, high):
                out[_CLOSE, to + q] += points[to + q]


@inner
def _denied(face: Any, goods: Any) -> Any:
    """Return the spaces of a face [6] that show one of the `goods`."""
    spaces = 0
    for space in range(6):
        symbol = np.int64(face[space])
        if 1 <= symbol <= 5 and (goods >> (symbol - 1)) & 1:
            spaces += 1
    return spaces


@inner
def _covered(bits: Any, row: Any, col: Any, tall: Any) -> Any:
    """Return the spaces of the stand under a card at (row, col) of the positions that `legal_bits` marked."""
    word, bit = col // WORD, np.uint64(col % WORD + 1)
    spaces = np.uint64((1 << (3 - tall)) - 1) << bit
    total = 0
    for i in range(row + 1, row + 3 + tall):
        total += popcount(bits[word, 2, i] & spaces)
    return total
