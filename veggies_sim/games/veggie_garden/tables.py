"""All actions of Veggie Garden by number, as arrays for kernels, in canonical order.

An action is (what, a, b) as in the column dictionary of a dataset. The canonical order is that of `ACTIONS`, then a, then b.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from veggies_sim.games.veggie_garden.board import CABBAGE, CARROT, COMPOST, LINES, PEA, PEPPER, POST_CELL, SIDES

ACTIONS = (
    "shift_cards", "shift_posts", "move_bunny", "move_groundhog", "swap_cards", "swap_posts", "exchange", "replant", "none",
)  # fmt: skip
SHIFT_CARDS, SHIFT_POSTS, MOVE_BUNNY, MOVE_GROUNDHOG, SWAP_CARDS, SWAP_POSTS, EXCHANGE, REPLANT, NONE = range(9)
NULL = -128  # stands for "no value" in a and b
HOGS = (-1, *COMPOST)  # where the groundhog may stand; -1 for none
LAST_ROW = len(HOGS)  # of `Tables.counts`: the last pick


class Tables(NamedTuple):
    """The actions that a place of the groundhog leaves, for kinds whose actions depend on nothing else.

    H places of the groundhog (`HOGS`), A actions at most.
    """

    cabbage: NDArray[np.int16]  # [H, A, 3] what, a, b
    pea: NDArray[np.int16]  # [H, A, 3]
    pepper: NDArray[np.int16]  # [H, A, 3] with the bunny's post
    sizes: NDArray[np.int64]  # [H, 3] actions of cabbage, pea, pepper
    hog: NDArray[np.int64]  # [17] row of the tables for a cell of the groundhog + 1
    lines: NDArray[np.int64]  # [8, 4] cells of rows and columns
    sides: NDArray[np.int64]  # [4, 4] posts of each side
    length: NDArray[np.int64]  # [4] how many there are
    cell_of: NDArray[np.int64]  # [12] cell beside each post
    counts: NDArray[np.int64]  # [H + 1, 2, 7] actions of a kind at kind + 1 (0 for an empty slot), without and with a bunny:
    # of a potato for each kind in the hand, of a tomato for each other card of the harvest; a row more for the last pick


def neighbours(cell: int) -> list[int]:
    """Return the cells that touch a cell, corners included."""
    row, col = divmod(cell, 4)
    around = [(row + i, col + j) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0)]
    return [4 * r + c for r, c in around if 0 <= r < 4 and 0 <= c < 4]


def cabbage(hog: int) -> list[tuple[int, int, int]]:
    """Return the shifts of lines that the groundhog does not block, and of posts."""
    cards = [(SHIFT_CARDS, line, step) for line, cells in enumerate(LINES) if hog not in cells for step in (-1, 1)]
    return cards + [(SHIFT_POSTS, side, step) for side, posts in enumerate(SIDES) for step in (-1, 1) if len(posts) > 2 or step > 0]


def pea(hog: int, axes: int) -> list[tuple[int, int, int]]:
    """Return the new places of the groundhog with the lower one of the two cells swapped; three axes end on compost."""
    if hog < 0:
        return [(NONE, NULL, NULL)]
    found = [(MOVE_GROUNDHOG, cell, low) for cell in COMPOST if cell != hog for low in neighbours(cell) if low < 2 * cell - low]
    return [each for each in found if axes == 4 or each[2] in COMPOST or 2 * each[1] - each[2] in COMPOST]


def pepper(hog: int) -> list[tuple[int, int, int]]:
    """Return the swaps of adjacent cards, none below the groundhog, and of adjacent posts round the ring."""
    cards = [(SWAP_CARDS, a, b) for a in range(16) for b in neighbours(a) if a < b and hog not in (a, b)]
    return cards + sorted((SWAP_POSTS, min(p, (p + 1) % 12), max(p, (p + 1) % 12)) for p in range(12))


def count_table(sizes: NDArray[np.int64], pepper_moves_bunny: bool) -> NDArray[np.int64]:
    """Return `Tables.counts` for the sizes [H, 3] of the tables of cabbage, pea and pepper."""
    found = np.ones((len(HOGS) + 1, 2, 7), np.int64)
    found[:, :, 0] = 0
    for row, hog in enumerate(HOGS):
        found[row, :, 1:] = 16 - (hog >= 0)
        found[row][:, [CABBAGE + 1, PEA + 1, PEPPER + 1]] = sizes[row]
        found[row, :, CARROT + 1] = 1, 11
        found[row, 1, PEPPER + 1] -= 0 if pepper_moves_bunny else 2
    return found


def tables(pea_axes: int, pepper_moves_bunny: bool) -> Tables:
    """Return the tables for the values of these two rules."""
    rows = [[sorted(cabbage(hog)), sorted(pea(hog, pea_axes)), sorted(pepper(hog))] for hog in HOGS]
    count = np.array([[len(each) for each in row] for row in rows])
    found = [np.zeros((len(HOGS), count[:, kind].max(), 3), np.int16) for kind in range(3)]
    for h, row in enumerate(rows):
        for kind in range(3):
            found[kind][h, : len(row[kind])] = row[kind]
    hog = np.zeros(17, np.int64)
    hog[[cell + 1 for cell in HOGS]] = range(len(HOGS))
    sides = np.full((4, 4), -1)
    for side, posts in enumerate(SIDES):
        sides[side, : len(posts)] = posts
    length = np.array([len(posts) for posts in SIDES])
    cells = np.array(LINES), sides, length, np.array(POST_CELL)
    return Tables(found[0], found[1], found[2], count, hog, *cells, count_table(count, pepper_moves_bunny))
