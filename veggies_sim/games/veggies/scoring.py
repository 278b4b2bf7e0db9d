"""What a stand is worth: its groups, what its owner may announce, and the points (rules: Scoring).

Sets of goods are masks: bit g is the good number g. Masks are tried in the order of their sorted goods, so that "the
first in the order strawberry, banana, grape, carrot, mushroom" is simply the first one found.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from veggies_sim.core.bits import popcount
from veggies_sim.core.jit import inline, inner, njit
from veggies_sim.games.veggies.placement import bounds
from veggies_sim.games.veggies.state import (
    CARD,
    COL,
    GROUPS,
    LARGEST,
    PAIR_GOODS,
    PAIR_GROUPS,
    RATS,
    ROTATION,
    ROW,
    SECOND,
    SETS,
)

_RAT = 7  # code of the rat
_LEAST = np.int64(-(1 << 40))  # below any score
_U0, _U1, _U3, _U6, _U7 = (np.uint64(i) for i in (0, 1, 3, 6, 7))  # unsigned indices spare a test for negative ones
_GROUPS = np.uint64(GROUPS)
_PLACE, _PARENT, _SIZE, _ONE_END, _OTHER_END, _COUNT = (np.uint64(i) for i in range(6))  # rows of the spaces
_SETS = sorted([(), *((a,) for a in range(5)), *combinations(range(5), 2)])
MASKS = np.array([sum(1 << good for good in goods) for goods in _SETS], np.int64)
GOODS_OF_MASK = np.full((32, 2), -1, np.int8)  # [mask, 2] its goods in order, -1 for none
for _goods, _mask in zip(_SETS, MASKS, strict=True):
    GOODS_OF_MASK[_mask, : len(_goods)] = _goods
_FIRST = np.array([goods[0] if goods else -1 for goods in _SETS], np.int64)
_LAST = np.array([goods[-1] if goods else -1 for goods in _SETS], np.int64)
_SINGLE = np.array([index for index, goods in enumerate(_SETS) if len(goods) == 1], np.int64)


@njit
def new_board(stand_size: Any) -> Any:
    """Return (board, spaces): room to look at one stand of any shape at a time.

    board [side * side] is 0 outside of the stand, else 8 x the number of the space on top + its symbol; it has a border of 1
    and is empty between two looks. spaces [6, 2 S + 8] for the S spaces of all cards laid, row by row: the place of each on
    the board, its parent in the union-find, the spaces of its group (at the root), the two ends of each pair of visible
    neighbours that show the same good, and the visible spaces of each symbol.
    """
    side, spaces = 3 * stand_size + 2, 6 * stand_size
    return np.zeros(side * side, np.uint16), np.zeros((6, 2 * spaces + 8), np.uint16)


@inline
def _paint(placed: Any, g: Any, seat: Any, laid: Any, faces: Any, board: Any, spaces: Any) -> Any:
    """Lay the cards of a stand on an empty board, the later over the earlier; return (spaces, columns of the board)."""
    top, left, _, width = bounds(placed, g, seat, laid)
    stride = np.uint64(width + 2)
    space = _U0
    for i in range(np.uint64(laid)):
        card, turn = np.uint64(placed[g, seat, i, CARD]), np.uint64(placed[g, seat, i, ROTATION])
        columns = _U3 - (turn & _U1)
        at = np.uint64(placed[g, seat, i, ROW] - top + 1) * stride + np.uint64(placed[g, seat, i, COL] - left + 1)
        column = _U0
        for j in range(_U6):
            board[at] = space * np.uint64(8) + np.uint64(faces[card, turn, j])
            spaces[_PLACE, space] = at
            space += _U1
            at += _U1
            column += _U1
            if column == columns:
                column = _U0
                at += stride - columns
    return space, stride


@inline
def _pairs_of_neighbours(count: Any, stride: Any, board: Any, spaces: Any) -> Any:
    """Count the visible symbols and list the neighbours that show one good; return how many pairs there are.

    Branches on random symbols cost more than writes, so every pair is written and only the true ones are kept.
    """
    n = _U0
    for code in range(8):
        spaces[_COUNT, code] = 0
    for space in range(count):
        at = np.uint64(spaces[_PLACE, space])
        shown = np.uint64(board[at])
        visible, symbol = shown >> _U3 == space, shown & _U7
        spaces[_COUNT, symbol] += visible
        good = visible & (symbol <= 5)
        spaces[_PARENT, space], spaces[_SIZE, space] = space, 1
        right, below = np.uint64(board[at + _U1]), np.uint64(board[at + stride])
        spaces[_ONE_END, n], spaces[_OTHER_END, n] = space, right >> _U3
        n += np.uint64(good & (right & _U7 == symbol))
        spaces[_ONE_END, n], spaces[_OTHER_END, n] = space, below >> _U3
        n += np.uint64(good & (below & _U7 == symbol))
    return n


@inline
def _join(pairs: Any, board: Any, spaces: Any, g: Any, seat: Any, summary: Any) -> None:
    """Join the spaces of each pair; keep the number of groups and the largest of each good in summary [G, P, SUMMARY]."""
    for pair in range(pairs):
        a, b = np.uint64(spaces[_ONE_END, pair]), np.uint64(spaces[_OTHER_END, pair])
        good = np.uint64(board[np.uint64(spaces[_PLACE, a])] & _U7) - _U1
        while spaces[_PARENT, a] != a:
            a = np.uint64(spaces[_PARENT, a])
        while spaces[_PARENT, b] != b:
            b = np.uint64(spaces[_PARENT, b])
        if a != b:
            spaces[_PARENT, b] = a
            size = np.int32(spaces[_SIZE, a] + spaces[_SIZE, b])
            spaces[_SIZE, a] = size
            summary[g, seat, _GROUPS + good] -= 1
            summary[g, seat, good] = max(summary[g, seat, good], size)


@inner
def _second_largest(count: Any, board: Any, spaces: Any, out: Any) -> None:
    """Fill in the second largest group of each good; only the rule `pair=groups` asks for it."""
    largest = np.zeros(5, np.int32)
    for space in range(count):
        shown = np.uint64(board[np.uint64(spaces[_PLACE, space])])
        symbol = shown & _U7
        if shown >> _U3 == space and symbol <= 5 and spaces[_PARENT, space] == space:
            good, size = np.int64(symbol) - 1, np.int32(spaces[_SIZE, space])
            out[SECOND + good] = max(out[SECOND + good], min(size, largest[good]))
            largest[good] = max(largest[good], size)


@inline
def summarise(
    placed: Any, g: Any, seat: Any, laid: Any, faces: Any, board: Any, spaces: Any, rules: Any, summary: Any
) -> None:
    """Write the summary of the first `laid` cards of a stand of placed [G, P, K, 4] to summary [G, P, SUMMARY].

    faces [F, 4, 6]; board and spaces of `new_board`. SECOND is filled in only where pairs
    of groups count. Arrays one by one and not as a tuple: Numba would count references to each in the loop over games.
    """
    count, stride = _paint(placed, g, seat, laid, faces, board, spaces)
    pairs = _pairs_of_neighbours(count, stride, board, spaces)
    for good in range(5):
        shown = np.int32(spaces[_COUNT, good + 1])
        summary[g, seat, GROUPS + good] = shown
        summary[g, seat, LARGEST + good] = shown > 0
        summary[g, seat, SECOND + good] = 0
    summary[g, seat, RATS] = spaces[_COUNT, _RAT]
    _join(pairs, board, spaces, g, seat, summary)
    if rules.announced == 1:
        summary[g, seat, SETS] = _largest_goods(summary, g, seat)
    else:
        if rules.pair == PAIR_GROUPS:
            _second_largest(count, board, spaces, summary[g, seat])
        summary[g, seat, SETS] = _allowed_pairs(summary[g, seat], rules.pair)
    for space in range(count):
        board[np.uint64(spaces[_PLACE, space])] = 0


@inline
def _largest_goods(summary: Any, g: Any, seat: Any) -> Any:
    """Return the sets that may be announced where each seat names one good, as bits over MASKS (rules: Scoring)."""
    best = np.int32(0)
    for good in range(5):
        best = max(best, summary[g, seat, LARGEST + good])
    if best == 0:
        return np.int64(1)  # the empty set is the first of MASKS
    found = np.int64(0)
    for good in range(5):
        found |= np.int64(summary[g, seat, LARGEST + good] == best) << _SINGLE[good]
    return found


@inner
def _allowed_pairs(summary: Any, pair: Any) -> Any:
    """Return the sets that may be announced where each seat names two goods, as bits over MASKS (rules: 2 players)."""
    best = second = present = 0
    for good in range(5):
        size = summary[LARGEST + good]
        present += size > 0
        if size > best:
            best, second = size, best
        elif size > second:
            second = size
    if present == 0:
        return np.int64(1)
    if pair == PAIR_GOODS:
        return _singles(summary, best) if present == 1 else _pairs(summary, best + second)
    for good in range(5):
        second = max(second, summary[SECOND + good])
    return _singles(summary, best) if second == 0 else _pairs_of_groups(summary, best + second)


@inner
def _singles(summary: Any, best: Any) -> Any:
    found = 0
    for i in range(len(_SINGLE)):
        found |= np.int64(summary[LARGEST + i] == best) << _SINGLE[i]
    return found


@inner
def _pairs(summary: Any, best: Any) -> Any:
    """Pairs of different goods whose largest groups make the sum `best`, the highest there is."""
    found = np.int64(0)
    for i in range(1, len(MASKS)):
        a, b = _FIRST[i], _LAST[i]
        if a != b and summary[LARGEST + b] > 0 and summary[LARGEST + a] + summary[LARGEST + b] == best:
            found |= np.int64(1) << i
    return found


@inner
def _pairs_of_groups(summary: Any, best: Any) -> Any:
    """Goods of two groups (perhaps of one good) whose sizes make the sum `best`, the highest there is."""
    found = _pairs(summary, best)
    for good in range(5):
        if summary[SECOND + good] > 0 and summary[LARGEST + good] + summary[SECOND + good] == best:
            found |= np.int64(1) << _SINGLE[good]
    return found


@inline
def first_mask(summary: Any) -> Any:
    """Return the mask of the first set of goods that the owner of a stand may announce."""
    sets = np.uint64(summary[SETS])
    return MASKS[popcount((sets & (~sets + _U1)) - _U1)]


@inline
def points(summary: Any, mask: Any, rat_penalty: Any) -> Any:
    """Return a stand's points for the announced goods: largest x groups of each, minus the penalty for each rat."""
    total = -rat_penalty * np.int64(summary[RATS])
    for good in range(5):
        if (mask >> good) & 1:
            total += np.int64(summary[LARGEST + good]) * np.int64(summary[GROUPS + good])
    return total


@inline
def value_now(summary: Any, others: Any, rules: Any) -> Any:
    """Return the points for the best announcement allowed on the stand, united with the mask `others` announce."""
    best = _LEAST
    for i in range(len(MASKS)):
        if (summary[SETS] >> i) & 1:
            best = max(best, points(summary, others | MASKS[i], rules.rat_penalty))
    return best


@inner
def new_totals() -> Any:
    """Return room for `announce`: [4 sides, 7]."""
    return np.zeros((4, 7), np.int64)


@inline
def announce(summary: Any, g: Any, team: Any, rat_penalty: Any, totals: Any, out: Any) -> Any:
    """Let every seat announce in seat order (rules: the default choice on a tie) and return the mask of all goods named.

    summary [G, P, SUMMARY], team [P] number of each seat's side, totals of `new_totals`; out [G, P] receives each seat's own
    mask. In totals, columns 0..4 are what each good would bring the side, 5 its points so far, 6 those with a set tried.
    """
    totals[:] = 0
    sides = 0
    for seat in range(len(team)):
        side = team[seat]
        sides = max(sides, side + 1)
        totals[side, 5] -= rat_penalty * np.int64(summary[g, seat, RATS])
        for good in range(5):
            largest, groups = summary[g, seat, LARGEST + good], summary[g, seat, GROUPS + good]
            totals[side, good] += np.int64(largest) * np.int64(groups)
    union = np.int64(0)
    for seat in range(len(team)):
        sets, own = np.uint64(summary[g, seat, SETS]), team[seat]
        best, mask = _LEAST - 1, 0
        only = sets & (sets - _U1) == 0
        while sets:
            tried = MASKS[popcount((sets & (~sets + _U1)) - _U1)]
            lead = np.int64(0) if only else _lead(tried & ~union, own, sides, totals)
            if lead > best:
                best, mask = lead, tried
            sets &= sets - _U1
        for good in range(5):
            if (mask & ~union) >> good & 1:
                for side in range(sides):
                    totals[side, 5] += totals[side, good]
        out[g, seat] = mask
        union |= mask
    return union


@inline
def _lead(mask: Any, own: Any, sides: Any, totals: Any) -> Any:
    """Return the own side's points minus the best other side's if the goods of `mask` were scored too."""
    rival = _LEAST
    for side in range(sides):
        points = totals[side, 5]
        for good in range(5):
            points += totals[side, good] * (mask >> good & 1)
        totals[side, 6] = points
        if side != own:
            rival = max(rival, points)
    return totals[own, 6] - rival
