"""Where a card may go: the legal positions of a stand as rows of bits.

A card of h x w spaces placed at (r, c) makes a rectangle of h' x w' legal exactly where it covers or borders that card:
rows r-h'..r+h and columns c-w'..c+w, without the four corners (touching at a corner is no contact). The legal positions
are the union over the cards of the stand: no board is needed, and no size is too large.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from veggies_sim.core.bits import popcount
from veggies_sim.core.jit import inline, njit
from veggies_sim.games.veggies.state import COL, ROTATION, ROW

_ONE = np.uint64(1)
_WORD = 64  # columns in a word


@njit
def new_bits(stand_size: Any) -> Any:
    """Return room for `legal_bits`: [words of 64 columns, 2 orientations (0: 2 x 3, 1: 3 x 2), rows]."""
    reach = 3 * stand_size + 6
    return np.zeros((reach // _WORD + 1, 2, reach), np.uint64)


@inline
def _run(start: Any, length: Any) -> Any:
    """Return a word with `length` bits set from bit `start`, which may lie outside of the word on either side."""
    bits = (_ONE << np.uint64(length)) - _ONE
    if start >= _WORD:
        return np.uint64(0)
    if start >= 0:
        return bits << np.uint64(start)
    if start > -_WORD:
        return bits >> np.uint64(-start)
    return np.uint64(0)


@inline
def bounds(stand: Any, laid: Any) -> Any:
    """Return (top row, left column, rows, columns) of the box around the first `laid` cards of a stand [K, 4]."""
    top = bottom = np.int64(stand[0, ROW])
    left = right = np.int64(stand[0, COL])
    for i in range(laid):
        tall = np.int64(stand[i, ROTATION] & 1)
        row, col = np.int64(stand[i, ROW]), np.int64(stand[i, COL])
        top, left = min(top, row), min(left, col)
        bottom, right = max(bottom, row + 2 + tall), max(right, col + 3 - tall)
    return top, left, bottom - top, right - left


@inline
def _mark(bits: Any, row: Any, col: Any, size: Any, tall: Any) -> None:
    """Mark in bits [rows] where a card of orientation `tall` may go because of one placed card of size (h, w)."""
    height, width = size
    up, back = 2 + tall, 3 - tall
    inner, outer = _run(col - back, width + back + 1), _run(col - back + 1, width + back - 1)
    first, last = np.uint64(row - up), np.uint64(row + height)
    bits[first] |= outer
    for r in range(first + _ONE, last):
        bits[r] |= inner
    bits[last] |= outer


@inline
def legal_bits(stand: Any, laid: Any, bits: Any) -> Any:
    """Mark in `bits` the legal top-left spaces for both orientations.

    Bit j of row i stands for the space (first row + i, first column + j).
    Returns (first row, first column, rows in use).
    """
    top, left, height, _ = bounds(stand, laid)
    row0, col0, rows = top - 3, left - 3, height + 4
    for word in range(len(bits)):
        for i in range(rows):
            bits[word, 0, i] = bits[word, 1, i] = 0
        for i in range(laid):
            tall = np.int64(stand[i, ROTATION] & 1)
            row, col = stand[i, ROW] - row0, stand[i, COL] - col0 - _WORD * word
            for turned in range(2):
                _mark(bits[word, turned], row, col, (2 + tall, 3 - tall), turned)
    return row0, col0, rows


@inline
def count_bits(bits: Any, tall: Any, rows: Any) -> Any:
    """Return the number of positions that `legal_bits` marked for orientation `tall`."""
    n = 0
    for word in range(len(bits)):
        for i in range(rows):
            n += popcount(bits[word, tall, i])
    return n


@inline
def nth_bit(bits: Any, tall: Any, rows: Any, n: Any) -> Any:
    """Return (row, column) of marked position number `n` of orientation `tall`, counted by row and then column."""
    for i in range(rows):
        for word in range(len(bits)):
            x = bits[word, tall, i]
            here = popcount(x)
            if n >= here:
                n -= here
                continue
            for _ in range(n):
                x &= x - _ONE
            return i, word * _WORD + popcount((x & (~x + _ONE)) - _ONE)
    return -1, -1
