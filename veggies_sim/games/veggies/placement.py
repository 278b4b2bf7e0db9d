"""Where a card may go: the legal positions of a stand as rows of bits.

A card of h x w spaces may have its top-left space at (r, c) exactly where its spaces cover or border a space of the stand
(touching at a corner is no contact). So the spaces of the stand are marked as bits, and the positions follow from shifted
copies of these rows: rows r .. r+h-1 count from column c-1 to c+w, the rows above and below from c to c+w-1.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from veggies_sim.core.bits import popcount
from veggies_sim.core.jit import inline, njit
from veggies_sim.games.veggies.state import COL, ROTATION, ROW

WORD = 60  # columns in a word; the other four bits show what lies beside them, so that no shift needs the next word
_FLAT, _TALL, _STAND = np.uint64(0), np.uint64(1), np.uint64(2)
_U0, _U1, _U2, _U3, _U4 = (np.uint64(i) for i in range(5))
_MASK = np.uint64((1 << WORD) - 1)


@njit
def new_bits(stand_size: Any) -> Any:
    """Return room for `legal_bits`: [words, 3, rows] for a stand of any shape.

    The second axis is 0: positions of a 2 x 3 card, 1: of a 3 x 2 card, 2: spaces of the stand.
    """
    reach = 3 * stand_size + 8
    return np.zeros((reach // WORD + 1, 3, reach), np.uint64)


@inline
def bounds(placed: Any, g: Any, seat: Any, laid: Any) -> Any:
    """Return (top row, left column, rows, columns) of the box around the first `laid` cards of a stand of placed [G, P, K, 4]."""
    top = bottom = np.int64(placed[g, seat, 0, ROW])
    left = right = np.int64(placed[g, seat, 0, COL])
    for i in range(laid):
        tall = np.int64(placed[g, seat, i, ROTATION] & 1)
        row, col = np.int64(placed[g, seat, i, ROW]), np.int64(placed[g, seat, i, COL])
        top, left = min(top, row), min(left, col)
        bottom, right = max(bottom, row + 2 + tall), max(right, col + 3 - tall)
    return top, left, bottom - top, right - left


@inline
def _run(start: Any, length: Any) -> Any:
    """Return a word with `length` bits set from bit `start`, which may lie outside of the word on either side."""
    bits = (_U1 << np.uint64(length)) - _U1
    if 0 <= start < 64:
        return bits << np.uint64(start)
    if -4 < start < 0:
        return bits >> np.uint64(-start)
    return _U0


@inline
def legal_bits(placed: Any, g: Any, seat: Any, laid: Any, bits: Any) -> Any:
    """Mark in `bits` the legal top-left spaces for the first `laid` cards of a stand of placed [G, P, K, 4].

    Bit j of row i of word w stands for the space (first row + i, first column + WORD * w + j).
    Returns (first row, first column, rows, words, positions of a 2 x 3 card, positions of a 3 x 2 card).
    """
    top, left, height, width = bounds(placed, g, seat, laid)
    words, rows = (width + 3) // WORD + 1, np.uint64(height + 4)
    flat = tall = 0
    for w in range(np.uint64(words)):
        for i in range(rows + _U4):
            bits[w, _STAND, i] = _U0
        for i in range(laid):
            high = np.int64(placed[g, seat, i, ROTATION] & 1)
            at = np.uint64(placed[g, seat, i, ROW] - top + 4)
            run = _run(placed[g, seat, i, COL] - left + 4 - WORD * np.int64(w), 3 - high)
            bits[w, _STAND, at] |= run
            bits[w, _STAND, at + _U1] |= run
            if high:
                bits[w, _STAND, at + _U2] |= run
        for i in range(rows):  # row i of the positions is row i + 1 of the stand, and bit j is its bit j + 1
            above, first, second = bits[w, _STAND, i], bits[w, _STAND, i + _U1], bits[w, _STAND, i + _U2]
            third, fourth = bits[w, _STAND, i + _U3], bits[w, _STAND, i + _U4]
            beside = first | second
            over = above | beside | third
            x = (over | over >> _U1 | over >> _U2 | beside << _U1 | beside >> _U3) >> _U1 & _MASK
            beside |= third
            over |= fourth
            y = (over | over >> _U1 | beside << _U1 | beside >> _U2) >> _U1 & _MASK
            bits[w, _FLAT, i] = x
            bits[w, _TALL, i] = y
            flat += popcount(x)
            tall += popcount(y)
    return top - 3, left - 3, rows, words, flat, tall


@inline
def nth_position(bits: Any, turned: Any, rows: Any, words: Any, n: Any) -> Any:
    """Return (row, column) of marked position number `n` of orientation `turned`, counted by row and then column."""
    for i in range(rows):
        for w in range(words):
            x = bits[w, turned, i]
            here = popcount(x)
            if n >= here:
                n -= here
                continue
            for _ in range(n):
                x &= x - _U1
            return np.int64(i), WORD * w + popcount((x & (~x + _U1)) - _U1)
    return np.int64(-1), np.int64(-1)
