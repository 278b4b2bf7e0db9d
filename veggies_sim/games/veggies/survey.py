"""A stand looked at once: its groups, and for every place of a card the windows of each good (`patterns`).

What may live here: what `greedy` knows about a stand before it thinks of a card. The stand lies on a grid whose first
row and column are those of `placement.legal_bits`: three rows and columns before the stand, so that every place of a
card has a number at = row * columns + column >= 0. S = 6 K spaces of all cards laid, N numbers of the grid.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from veggies_sim.core.jit import inline, inner
from veggies_sim.games.veggies.patterns import RING, SPACES, WINDOW
from veggies_sim.games.veggies.placement import bounds
from veggies_sim.games.veggies.state import CARD, COL, ROTATION, ROW

RATS = 5  # number of the rats' window, after those of the five goods
MOST = 8  # a window touches at most 6 groups: sums of the largest 0..7 groups are enough
_MUSHROOM, _RAT = 5, 7  # codes of the last good and of the rat


class Survey(NamedTuple):
    """Groups are numbered from 1 in any order; group 0 is no group (empty, rat or no space)."""

    symbol: NDArray[np.uint8]  # [N] visible code, 0 outside of the stand
    group: NDArray[np.uint16]  # [N] group of the space
    window: NDArray[np.uint32]  # [2, 6, N] window of each good, and of the rats, by the place of the card
    hop: NDArray[np.int64]  # [2, 20] distance in numbers of the grid from a place to each space of its window
    space: NDArray[np.int32]  # [S] numbers of the visible spaces
    queue: NDArray[np.int32]  # [S] room for fills
    size: NDArray[np.int64]  # [S + 1] spaces of each group
    number: NDArray[np.int64]  # [5] groups of each good
    order: NDArray[np.int64]  # [5, S] the groups of each good, the largest first
    top: NDArray[np.int64]  # [5, MOST] spaces of the 0..7 largest groups together


def new_survey(stand_size: int) -> Survey:
    """Return room for the survey of a stand of any shape."""
    grid, spaces = (3 * stand_size + 6) ** 2, 6 * stand_size
    return Survey(
        np.zeros(grid, np.uint8),
        np.zeros(grid, np.uint16),
        np.zeros((2, 6, grid), np.uint32),
        np.zeros((2, WINDOW), np.int64),
        np.zeros(spaces, np.int32),
        np.zeros(spaces, np.int32),
        np.zeros(spaces + 1, np.int64),
        np.zeros(5, np.int64),
        np.zeros((5, spaces), np.int64),
        np.zeros((5, MOST), np.int64),
    )


@inner
def survey(placed: Any, g: Any, seat: Any, laid: Any, faces: Any, room: Any) -> Any:
    """Look at the first `laid` cards of a stand of placed [G, P, K, 4]; return (columns of the grid, visible rats).

    faces [F, 4, 6], room of `new_survey`.
    """
    top, left, height, width = bounds(placed, g, seat, laid)
    cols = width + 4
    _clear((height + 4) * cols, cols, room)
    spaces = _visible(placed[g, seat], laid, faces, (top - 3, left - 3, cols), room)
    rats = _open_windows(spaces, room)
    _number_groups(spaces, cols, room)
    number, order, size, sums = room.number, room.order, room.size, room.top
    for good in range(5):
        for i in range(MOST - 1):
            sums[good, i + 1] = sums[good, i] + (size[order[good, i]] if i < number[good] else 0)
    return cols, rats


@inline
def _clear(numbers: Any, cols: Any, room: Any) -> None:
    symbol, group, window, hop, number = room.symbol, room.group, room.window, room.hop, room.number
    for at in range(numbers):
        symbol[at] = group[at] = 0
    for tall in range(2):
        for good in range(6):
            for at in range(numbers):
                window[tall, good, at] = 0
        for bit in range(WINDOW):
            hop[tall, bit] = SPACES[tall, bit, 0] * cols + SPACES[tall, bit, 1]
    for good in range(5):
        number[good] = 0


@inline
def _visible(stand: Any, laid: Any, faces: Any, grid: Any, room: Any) -> Any:
    """Lay the cards, the last one first, where no later card lies; return the number of visible spaces."""
    row0, col0, cols = grid
    symbol, space = room.symbol, room.space
    n = 0
    for i in range(laid - 1, -1, -1):
        card, turn = stand[i, CARD], stand[i, ROTATION]
        width = 3 - (turn & 1)
        at = (stand[i, ROW] - row0) * cols + stand[i, COL] - col0
        col = 0
        for j in range(6):
            if symbol[at] == 0:
                symbol[at] = faces[card, turn, j]
                space[n] = at
                n += 1
            at += 1
            col += 1
            if col == width:
                col = 0
                at += cols - width
    return n


@inline
def _open_windows(spaces: Any, room: Any) -> Any:
    """Show every visible good and rat to the windows that hold its space; return the number of rats."""
    symbol, space, window, hop = room.symbol, room.space, room.window, room.hop
    rats = 0
    for i in range(spaces):
        at = np.int64(space[i])
        code = np.int64(symbol[at])
        rats += code == _RAT
        if code <= _MUSHROOM or code == _RAT:
            good, first = (code - 1, 0) if code <= _MUSHROOM else (RATS, RING)  # rats count under the card only
            for tall in range(2):
                for bit in range(first, WINDOW):
                    window[tall, good, np.uint64(at - hop[tall, bit])] |= np.uint32(1 << bit)
    return rats


@inline
def _number_groups(spaces: Any, cols: Any, room: Any) -> None:
    """Number the groups by filling each from its first space; sort those of one good by size."""
    symbol, group, space, size = room.symbol, room.group, room.space, room.size
    number, order, queue = room.number, room.order, room.queue
    groups = 0
    for i in range(spaces):
        first = np.int64(space[i])
        code = symbol[first]
        if code > _MUSHROOM or group[first] > 0:
            continue
        groups += 1
        group[first] = groups
        queue[0] = first
        done, n = 0, 1
        while done < n:
            at = np.int64(queue[done])
            done += 1
            for step in (1, -1, cols, -cols):
                if symbol[at + step] == code and group[at + step] == 0:
                    group[at + step] = groups
                    queue[n] = at + step
                    n += 1
        size[groups] = n
        good = np.int64(code) - 1
        j = number[good]
        number[good] += 1
        while j > 0 and size[order[good, j - 1]] < n:
            order[good, j] = order[good, j - 1]
            j -= 1
        order[good, j] = groups
