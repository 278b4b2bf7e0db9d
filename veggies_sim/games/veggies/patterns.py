"""A card's rectangle, the ring around it, and what one good on it looks like: constant tables of `greedy`.

What may live here: geometry that depends on no stand and no deck. Axes: 2 orientations (0: 2 x 3, 1: 3 x 2), 20 bits of
a window, 64 patterns (which of the six spaces of a card show one good).

A window holds, for one good and one place of the card, 20 spaces of the stand: bits 0..13 are the ring around the
rectangle, clockwise from its top left corner (so that neighbours in the ring are neighbours on the stand), bits 14..19
the rectangle itself, row by row. The four corners touch no space of the card, but may connect two spaces that do.

     0  1  2  3  4         0  1  2  3
    13 14 15 16  5        13 14 15  4
    12 17 18 19  6        12 16 17  5
    11 10  9  8  7        11 18 19  6
                          10  9  8  7
"""

from __future__ import annotations

import numpy as np

RING, WINDOW = 14, 20  # bits of the ring, bits of a window
RING_MASK = (1 << RING) - 1
_HEIGHT, _WIDTH = (2, 3), (3, 2)


def _spaces(height: int, width: int) -> list[tuple[int, int]]:
    """Return (row, col) of each bit of a window, relative to the card's top left space."""
    top = [(-1, col) for col in range(-1, width + 1)]
    right = [(row, width) for row in range(height)]
    bottom = [(height, col) for col in range(width, -2, -1)]
    left = [(row, -1) for row in range(height - 1, -1, -1)]
    return top + right + bottom + left + [(row, col) for row in range(height) for col in range(width)]


def _clusters(pattern: int, height: int, width: int) -> list[list[int]]:
    """Return the clusters of a pattern (its spaces joined side to side) as lists of bits 0..5."""
    left = [bit for bit in range(6) if pattern >> bit & 1]
    found = []
    while left:
        cluster = [left.pop()]
        for a in cluster:
            near = [b for b in left if abs(a // width - b // width) + abs(a % width - b % width) == 1]
            cluster += near
            left = [b for b in left if b not in near]
        found.append(cluster)
    return found


SPACES = np.array([_spaces(h, w) for h, w in zip(_HEIGHT, _WIDTH, strict=True)], np.int64)  # [2, 20, 2] row and col
# [2] the ten spaces of the ring that touch the card, and those of them whose neighbour before is no corner
BORDER = np.zeros(2, np.int64)
AFTER_BORDER = np.zeros(2, np.int64)
# [2, 64, 6] of each pattern: number of clusters, spaces of the largest, spaces of the pattern, then up to three
# clusters, each as the ring spaces that touch it + (its spaces << RING)
PATTERNS = np.zeros((2, 64, 6), np.int64)
CLUSTERS, LARGEST_CLUSTER, PATTERN_SPACES, FIRST_CLUSTER = range(4)


def _fill_tables(orientation: int, height: int, width: int) -> None:
    spaces = _spaces(height, width)
    steps = ((0, 1), (1, 0), (0, -1), (-1, 0))
    touching = [{spaces.index((row + a, col + b)) for a, b in steps} for row, col in spaces[RING:]]
    border = {bit for bits in touching for bit in bits if bit < RING}
    BORDER[orientation] = sum(1 << bit for bit in border)
    AFTER_BORDER[orientation] = sum(1 << bit for bit in border if (bit - 1) % RING in border)
    for pattern in range(64):
        clusters = _clusters(pattern, height, width)
        row = PATTERNS[orientation, pattern]
        row[CLUSTERS], row[PATTERN_SPACES] = len(clusters), pattern.bit_count()
        row[LARGEST_CLUSTER] = max(map(len, clusters), default=0)
        for number, cluster in enumerate(clusters):
            ring = {bit for a in cluster for bit in touching[a] if bit < RING}
            row[FIRST_CLUSTER + number] = sum(1 << bit for bit in ring) + (len(cluster) << RING)


for _orientation in range(2):
    _fill_tables(_orientation, _HEIGHT[_orientation], _WIDTH[_orientation])
for _table in (SPACES, BORDER, AFTER_BORDER, PATTERNS):
    _table.flags.writeable = False
