"""What a stand is worth: its groups, what its owner may announce, and the points (rules: Scoring).

Sets of goods are masks: bit g is the good number g. Masks are tried in the order of their sorted goods, so that "the
first in the order strawberry, banana, grape, carrot, mushroom" is simply the first one found.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from veggies_sim.core.bits import popcount
from veggies_sim.core.jit import inline, njit
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
_GROUPS = np.uint64(GROUPS)
_LEAST = np.int64(-(1 << 40))  # below any score
_U0, _U1, _U3 = np.uint64(0), np.uint64(1), np.uint64(3)  # unsigned indices spare a test for negative ones
_SETS = sorted([(), *((a,) for a in range(5)), *combinations(range(5), 2)])
MASKS = np.array([sum(1 << good for good in goods) for goods in _SETS], np.int64)
GOODS_OF_MASK = np.full((32, 2), -1, np.int8)  # [mask, 2] its goods in order, -1 for none
for _goods, _mask in zip(_SETS, MASKS, strict=True):
    GOODS_OF_MASK[_mask, : len(_goods)] = _goods
_FIRST = np.array([goods[0] if goods else -1 for goods in _SETS], np.int64)
_LAST = np.array([goods[-1] if goods else -1 for goods in _SETS], np.int64)
_SINGLE = np.array([index for index, goods in enumerate(_SETS) if len(goods) == 1], np.int64)


class Board(NamedTuple):
    """Room to look at one stand at a time; the board is empty between two looks. S = 6 K spaces of all cards laid."""

    symbols: NDArray[np.uint8]  # [side * side] code of each space, 0 outside of the stand; a border of 1 is included
    owner: NDArray[np.uint16]  # [side * side] which of the S spaces lies on top, where there is one
    place: NDArray[np.uint32]  # [S] position of each space on the board
    edges: NDArray[np.uint16]  # [2 S + 2, 2] pairs of visible neighbours that show the same good
    parent: NDArray[np.uint16]  # [S] union-find over the spaces
    size: NDArray[np.uint16]  # [S] spaces of the group, at its root
    count: NDArray[np.int64]  # type: ignore[assignment]  # [8] visible spaces of each code


@njit
def new_board(stand_size: Any) -> Any:
    """Return an empty board, large enough for a stand of any shape."""
    side, spaces = 3 * stand_size + 2, 6 * stand_size
    return Board(
        np.zeros(side * side, np.uint8),
        np.zeros(side * side, np.uint16),
        np.empty(spaces, np.uint32),
        np.empty((2 * spaces + 2, 2), np.uint16),
        np.empty(spaces, np.uint16),
        np.empty(spaces, np.uint16),
        np.empty(8, np.int64),
    )


@inline
def _paint(stand: Any, laid: Any, faces: Any, board: Any) -> Any:
    """Lay the cards of a stand [K, 4] on an empty board, the later over the earlier; return (spaces, stride)."""
    top, left, _, width = bounds(stand, laid)
    stride = np.uint64(width + 2)
    symbols, owner, place = board.symbols, board.owner, board.place
    space = _U0
    for i in range(laid):
        card, turn = np.uint64(stand[i, CARD]), np.uint64(stand[i, ROTATION])
        columns = _U3 - (turn & _U1)
        at = np.uint64(stand[i, ROW] - top + 1) * stride + np.uint64(stand[i, COL] - left + 1)
        column = _U0
        for j in range(_U0, np.uint64(6)):
            symbols[at] = faces[card, turn, j]
            owner[at] = space
            place[space] = at
            space += _U1
            at += _U1
            column += _U1
            if column == columns:
                column = _U0
                at += stride - columns
    return space, stride


@inline
def _edges(spaces: Any, stride: Any, board: Any) -> Any:
    """Count the visible symbols by code and list the neighbours that show one good; return how many pairs there are.

    Branches on random symbols cost more than writes, so every pair is written and only the true ones are kept.
    """
    symbols, owner, place, edges, parent, size, count = board
    n = _U0
    count[:] = 0
    for space in range(_U0, spaces):
        at = np.uint64(place[space])
        symbol = symbols[at]
        visible = owner[at] == space
        count[np.uint64(symbol)] += visible
        good = visible & (symbol <= 5)
        parent[space], size[space] = space, 1
        edges[n, _U0], edges[n, _U1] = space, owner[at + _U1]
        n += np.uint64(good & (symbols[at + _U1] == symbol))
        edges[n, _U0], edges[n, _U1] = space, owner[at + stride]
        n += np.uint64(good & (symbols[at + stride] == symbol))
    return n


@inline
def _join(edges: Any, board: Any, out: Any) -> None:
    """Join the spaces of each edge; keep the number of groups and the largest of each good in `out` [SUMMARY]."""
    symbols, _, place, pairs, parent, size, _ = board
    for edge in range(_U0, edges):
        a, b = np.uint64(pairs[edge, _U0]), np.uint64(pairs[edge, _U1])
        good = np.uint64(symbols[place[a]]) - _U1
        while parent[a] != a:
            a = np.uint64(parent[a])
        while parent[b] != b:
            b = np.uint64(parent[b])
        if a != b:
            parent[b] = a
            size[a] += size[b]
            out[_GROUPS + good] -= 1
            out[good] = max(out[good], np.int32(size[a]))


@njit
def _second_largest(spaces: Any, board: Any, out: Any) -> None:
    """Fill in the second largest group of each good; only the rule `pair=groups` asks for it."""
    largest = np.zeros(5, np.int32)
    for space in range(_U0, spaces):
        at = board.place[space]
        symbol = board.symbols[at]
        if board.owner[at] == space and symbol <= 5 and board.parent[space] == space:
            good, size = np.int64(symbol) - 1, np.int32(board.size[space])
            out[SECOND + good] = max(out[SECOND + good], min(size, largest[good]))
            largest[good] = max(largest[good], size)


@inline
def summarise(stand: Any, laid: Any, faces: Any, board: Any, rules: Any, out: Any) -> None:
    """Write the summary of a stand's first `laid` cards to `out` [SUMMARY].

    stand [K, 4] placed cards, faces [F, 4, 6], board of `new_board`; SECOND is filled in only where pairs of groups count.
    """
    spaces, stride = _paint(stand, laid, faces, board)
    edges = _edges(spaces, stride, board)
    for good in range(5):
        out[GROUPS + good] = board.count[good + 1]
        out[LARGEST + good] = board.count[good + 1] > 0
        out[SECOND + good] = 0
    out[RATS] = board.count[_RAT]
    _join(edges, board, out)
    if rules.announced == 2 and rules.pair == PAIR_GROUPS:
        _second_largest(spaces, board, out)
    symbols, place = board.symbols, board.place
    for space in range(_U0, spaces):
        symbols[place[space]] = 0
    out[SETS] = _allowed(out, rules)


@njit
def _allowed(summary: Any, rules: Any) -> Any:
    """Return the sets of goods that the owner of a stand may announce, as bits over MASKS (rules: Scoring, 2 players)."""
    best = second = present = 0
    for good in range(5):
        size = summary[LARGEST + good]
        present += size > 0
        if size > best:
            best, second = size, best
        elif size > second:
            second = size
    if present == 0:
        return np.int64(1)  # the empty set is the first of MASKS
    if rules.announced == 1:
        return _singles(summary, best)
    if rules.pair == PAIR_GOODS:
        return _singles(summary, best) if present == 1 else _pairs(summary, best + second)
    for good in range(5):
        second = max(second, summary[SECOND + good])
    return _singles(summary, best) if second == 0 else _pairs_of_groups(summary, best + second)


@njit
def _singles(summary: Any, best: Any) -> Any:
    found = 0
    for i in range(len(_SINGLE)):
        found |= np.int64(summary[LARGEST + i] == best) << _SINGLE[i]
    return found


@njit
def _pairs(summary: Any, best: Any) -> Any:
    """Pairs of different goods whose largest groups make the sum `best`, the highest there is."""
    found = np.int64(0)
    for i in range(1, len(MASKS)):
        a, b = _FIRST[i], _LAST[i]
        if a != b and summary[LARGEST + b] > 0 and summary[LARGEST + a] + summary[LARGEST + b] == best:
            found |= np.int64(1) << i
    return found


@njit
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


@njit
def announce(summaries: Any, team: Any, rules: Any, totals: Any, out: Any) -> Any:
    """Let every seat announce in seat order (rules: the default choice on a tie) and return the mask of all goods named.

    summaries [P, SUMMARY], team [P] number of each seat's side, totals [2, P] room for the sides' points;
    out [P] receives each seat's own mask.
    """
    union = np.int64(0)
    totals[0] = 0
    for seat in range(len(team)):
        totals[0, team[seat]] -= rules.rat_penalty * summaries[seat, RATS]
    for seat in range(len(team)):
        sets = summaries[seat, SETS]
        mask = first_mask(summaries[seat])
        if sets & (sets - 1):  # more than one set is allowed
            best = _LEAST
            for i in range(len(MASKS)):
                if (sets >> i) & 1:
                    lead = _lead(summaries, team, totals, MASKS[i] & ~union, team[seat])
                    if lead > best:
                        best, mask = lead, MASKS[i]
        _add(summaries, team, totals[0], mask & ~union)
        out[seat] = mask
        union |= mask
    return union


@inline
def _add(summaries: Any, team: Any, totals: Any, mask: Any) -> None:
    """Add to the sides' points what the goods of `mask` bring."""
    for good in range(5):
        if (mask >> good) & 1:
            for seat in range(len(team)):
                totals[team[seat]] += summaries[seat, LARGEST + good] * summaries[seat, GROUPS + good]


@inline
def _lead(summaries: Any, team: Any, totals: Any, mask: Any, side: Any) -> Any:
    """Return the side's points minus the best other side's if the goods of `mask` were scored too."""
    totals[1] = totals[0]
    _add(summaries, team, totals[1], mask)
    rival, sides = _LEAST, 0
    for seat in range(len(team)):
        sides = max(sides, team[seat] + 1)
    for other in range(sides):
        if other != side:
            rival = max(rival, totals[1, other])
    return totals[1, side] - rival
