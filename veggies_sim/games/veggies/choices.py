"""The cards that a player can choose from, as `greedy` needs them, and how a card's symbols join what lies beside it.

What may live here: faces and their patterns (`patterns`), no stand. Axes: F faces of the deck, D different faces among
hand and ramp, at most R + 1; Q places (`cover`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from veggies_sim.core.jit import inline, inner
from veggies_sim.games.veggies.cover import PLACES
from veggies_sim.games.veggies.deck import CODE, RAT
from veggies_sim.games.veggies.patterns import PATTERN_SPACES, PATTERNS, RING, RING_MASK
from veggies_sim.games.veggies.state import Faces


class Choices(NamedTuple):
    """The deck's faces, and the different ones to choose from now."""

    pattern: NDArray[np.uint8]  # [F, 4, 5] which of the six spaces show each good, after 0..3 quarter turns
    rats: NDArray[np.int64]  # [F] rats on the face
    turns: NDArray[np.int16]  # [F] rotations that look different
    face: NDArray[np.int64]  # [D]
    sources: NDArray[np.int64]  # [D] bit s: source s has that face
    most: NDArray[np.int64]  # [5] the most spaces of each good on one of them
    rank: NDArray[np.uint8]  # [5] the goods: those that others announce, then the rest, largest group first
    bound: NDArray[np.int32]  # [D, Q] points that the face cannot exceed at a place
    own: NDArray[np.int32]  # [D, Q] the part of `bound` for goods that only the player announces
    room: NDArray[np.int32]  # [3, Q] room for the bounds of one face


def new_choices(faces: Faces, sources: int, stand_size: int) -> Choices:
    """Return the faces of a deck and room for the choice from so many sources."""
    goods = np.arange(1, 6).reshape(5, 1)
    bits = 1 << np.arange(6)
    pattern = ((faces.symbols[:, :, None, :] == goods) * bits).sum(axis=-1)
    places = PLACES * stand_size
    return Choices(
        pattern.astype(np.uint8),
        (faces.symbols[:, 0] == CODE[RAT]).sum(axis=1).astype(np.int64),
        faces.turns,
        np.zeros(sources, np.int64),
        np.zeros(sources, np.int64),
        np.zeros(5, np.int64),
        np.zeros(5, np.uint8),
        np.zeros((sources, places), np.int32),
        np.zeros((sources, places), np.int32),
        np.zeros((3, places), np.int32),
    )


@inner
def gather(hand: Any, ramp: Any, choices: Any) -> Any:
    """List the different faces of the held card and the ramp [R]; return how many there are."""
    face, sources, most = choices.face, choices.sources, choices.most
    different = 0
    for good in range(5):
        most[good] = 0
    for source in range(1 + len(ramp)):
        this = np.int64(hand if source == 0 else ramp[source - 1])
        i = 0
        while i < different and face[i] != this:
            i += 1
        if i == different:
            different += 1
            face[i], sources[i] = this, 0
            for good in range(5):
                most[good] = max(most[good], PATTERNS[0, choices.pattern[this, 0, good], PATTERN_SPACES])
        sources[i] |= 1 << source
    return different


@inner
def rank_goods(top: Any, others: Any, rank: Any) -> Any:
    """Order the goods in `rank` [5]: those in the mask `others`, then the rest, largest group first.

    top [5, MOST] of the survey; returns how many goods others announce.
    """
    named = n = 0
    for good in range(5):
        if (others >> good) & 1:
            rank[n] = good
            n += 1
    named = n
    for good in range(5):
        if not (others >> good) & 1:
            j = n
            while j > named and top[rank[j - 1], 1] < top[good, 1]:
                rank[j] = rank[j - 1]
                j -= 1
            rank[j] = good
            n += 1
    return named


@inline
def join_one(a: Any, b: Any, c: Any, border: Any, spaces: Any) -> Any:
    """Do what `join_clusters` does where one piece at most borders the card; return (its size then, joins)."""
    touch_a, touch_b, touch_c = np.int64(a & border != 0), np.int64(b & border != 0), np.int64(c & border != 0)
    joins = touch_a + touch_b + touch_c
    joined = touch_a * (a >> RING) + touch_b * (b >> RING) + touch_c * (c >> RING)
    return joined + spaces * np.int64(joins > 0), joins


@inline
def join_clusters(a: Any, b: Any, c: Any, start: Any, pieces: Any, ring: Any, size: Any) -> Any:
    """Let up to three clusters of a card (as in PATTERNS) join the pieces beside them; return (three sizes, joins)."""
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
