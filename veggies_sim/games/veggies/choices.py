"""The cards that a player can choose from, as `greedy` needs them, and how a card joins the pieces beside it.

What may live here: faces and their patterns (`patterns`), no stand. Axes: D different faces among hand and ramp, at most
R + 1; Q places (`cover`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from veggies_sim.core.jit import inline, njit
from veggies_sim.games.veggies.patterns import (
    CLUSTERS,
    LARGEST_CLUSTER,
    PATTERN_SPACES,
    PATTERNS,
    RING,
    RING_MASK,
)


class Cards(NamedTuple):
    """The different faces, and what follows from them for the whole turn."""

    face: NDArray[np.int64]  # [D]
    sources: NDArray[np.int64]  # [D] bit s: the face is that of source s
    turns: NDArray[np.int64]  # [D] rotations that look different
    rats: NDArray[np.int64]  # [D]
    clusters: NDArray[np.int64]  # [D, 5] clusters of each good
    largest: NDArray[np.int64]  # [D, 5] spaces of the largest of them
    spaces: NDArray[np.int64]  # [D, 5] spaces of each good
    pattern: NDArray[np.int64]  # [D, 4, 5] which of the six spaces show each good, after 0..3 quarter turns
    most: NDArray[np.int64]  # [5] the largest of `spaces`
    rank: NDArray[np.int64]  # [5] the goods: those that others announce, then the rest, largest group first
    bound: NDArray[np.int64]  # [D, Q] value that the face cannot exceed at a place
    second: NDArray[np.int64]  # [2, Q] room


@njit
def new_cards(sources: Any, places: Any) -> Any:
    """Return room for the cards from so many sources."""
    return Cards(
        np.zeros(sources, np.int64),
        np.zeros(sources, np.int64),
        np.zeros(sources, np.int64),
        np.zeros(sources, np.int64),
        np.zeros((sources, 5), np.int64),
        np.zeros((sources, 5), np.int64),
        np.zeros((sources, 5), np.int64),
        np.zeros((sources, 4, 5), np.int64),
        np.zeros(5, np.int64),
        np.zeros(5, np.int64),
        np.zeros((sources, places), np.int64),
        np.zeros((2, places), np.int64),
    )


@njit
def face_patterns(symbols: Any) -> Any:
    """Return the patterns of the faces: [F, 4, 5] which of the six spaces show each good."""
    patterns = np.zeros((len(symbols), 4, 5), np.uint8)
    for face in range(len(symbols)):
        for turn in range(4):
            for j in range(6):
                code = np.int64(symbols[face, turn, j])
                if code <= 5:
                    patterns[face, turn, code - 1] |= np.uint8(1 << j)
    return patterns


@njit
def gather(hand: Any, ramp: Any, faces: Any, patterns: Any, cards: Any) -> Any:
    """List the different faces of the held card and the ramp [R]; return how many there are."""
    face, sources, rats = cards.face, cards.sources, cards.rats
    n = 0
    cards.most[:] = 0
    for source in range(1 + len(ramp)):
        this = np.int64(hand if source == 0 else ramp[source - 1])
        i = 0
        while i < n and face[i] != this:
            i += 1
        if i < n:
            sources[i] |= 1 << source
            continue
        n += 1
        face[i], sources[i], rats[i], cards.turns[i] = this, 1 << source, 0, faces.turns[this]
        for j in range(6):
            rats[i] += faces.symbols[this, 0, j] == 7
        for good in range(5):
            pattern = patterns[this, 0, good]
            cards.clusters[i, good] = PATTERNS[0, pattern, CLUSTERS]
            cards.largest[i, good] = PATTERNS[0, pattern, LARGEST_CLUSTER]
            cards.spaces[i, good] = PATTERNS[0, pattern, PATTERN_SPACES]
            cards.most[good] = max(cards.most[good], cards.spaces[i, good])
            for turn in range(4):
                cards.pattern[i, turn, good] = patterns[this, turn, good]
    return n


@inline
def join_clusters(a: Any, b: Any, c: Any, start: Any, pieces: Any, ring: Any, size: Any) -> Any:
    """Return (spaces of up to three clusters, number of joins) after the clusters joined the pieces beside them."""
    size_a, size_b, size_c = a >> RING, b >> RING, c >> RING
    a, b, c = a & RING_MASK, b & RING_MASK, c & RING_MASK
    joins = 0
    for i in range(start, start + pieces):
        touched = ring[i]
        if a & touched:
            size_a += size[i]
            joins += 1
            if b & touched:
                size_a, size_b, a, b = size_a + size_b, 0, a | b, 0
                joins += 1
            if c & touched:
                size_a, size_c, a, c = size_a + size_c, 0, a | c, 0
                joins += 1
        elif b & touched:
            size_b += size[i]
            joins += 1
            if c & touched:
                size_b, size_c, b, c = size_b + size_c, 0, b | c, 0
                joins += 1
        elif c & touched:
            size_c += size[i]
            joins += 1
    return size_a, size_b, size_c, joins


@inline
def note(ties: Any, count: Any, sources: Any, move: Any, step: Any) -> Any:
    """List a move once for each source (bits) of its face, `step` apart; return the number of moves listed."""
    while sources != 0:
        if sources & 1:
            ties[count] = move
            count += 1
        move += step
        sources >>= 1
    return count
