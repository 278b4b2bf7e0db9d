"""Random streams: every draw is a pure function of (seed, purpose, seat, index, number).

Philox4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3; SC 2011) turns a 128-bit counter
and a 64-bit key into four words of 32 bits. The key is the seed; the counter is

    word 0  number of the draw in its stream
    word 1  purpose * 65536 + seat         (for DEAL the part of the deal: 0 the first shuffle)
    word 2  index, low 32 bits     (the deal's number for DEAL, the game's number else)
    word 3  index, high 32 bits

so no stream has state, and none depends on jobs, block size, backend or what another seat drew.
All words are kept in uint64: products of two 32-bit words never overflow, compiled or not.
"""

from __future__ import annotations

import secrets
from typing import Any

import numpy as np

from veggies_sim.core.jit import inline, njit

DEAL, CHOICE, TIE, LOOKAHEAD = 0, 1, 2, 3  # purposes of a stream

SEED_LIMIT = 2**63  # seeds are 0 .. SEED_LIMIT - 1, so that they fit every file format
_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)
_M0, _M1 = np.uint64(0xD2511F53), np.uint64(0xCD9E8D57)
_W0, _W1 = np.uint64(0x9E3779B9), np.uint64(0xBB67AE85)


def draw_seed() -> int:
    """Return a fresh seed from the system, for runs that were given none."""
    return secrets.randbelow(2**32)


@inline
def philox(counter: Any, key: Any) -> Any:
    """Return four words of 32 bits (as uint64) for a counter of four and a key of two such words."""
    c0, c1, c2, c3 = counter
    k0, k1 = key
    for _ in range(10):
        p0, p1 = _M0 * c0, _M1 * c2
        c0, c1, c2, c3 = (p1 >> _HALF) ^ c1 ^ k0, p1 & _LOW, (p0 >> _HALF) ^ c3 ^ k1, p0 & _LOW
        k0, k1 = (k0 + _W0) & _LOW, (k1 + _W1) & _LOW
    return c0, c1, c2, c3


@inline
def words(seed: Any, purpose: Any, seat: Any, index: Any, number: Any) -> Any:
    """Return the four words of draw `number` of the stream (seed, purpose, seat, index)."""
    wide, who = np.uint64(index), np.uint64(purpose * 65536 + seat)
    key = np.uint64(seed)
    return philox((np.uint64(number), who, wide & _LOW, wide >> _HALF), (key & _LOW, key >> _HALF))


@inline
def uniform(seed: Any, purpose: Any, seat: Any, index: Any, number: Any) -> Any:
    """Return draw `number` of the stream as a float in [0, 1) with 53 random bits."""
    a, b, _, _ = words(seed, purpose, seat, index, number)
    return (np.float64(a >> np.uint64(5)) * 67108864.0 + np.float64(b >> np.uint64(6))) / 9007199254740992.0


@njit
def uniforms(seed: Any, purpose: Any, seat: Any, index: Any, number: Any) -> Any:
    """Return draw `number` of the streams of every index [G]; a loop of its own is compiled to vector instructions."""
    out = np.empty(len(index), np.float64)
    for g in range(len(index)):
        out[g] = uniform(seed, purpose, seat, index[g], number)
    return out


def lookahead_seed(seed: Any, seat: int, index: Any, number: int) -> int:
    """Return the seed of the games that a policy plays in its head at decision `number`: a draw, so it tells no other seed."""
    high, low, _, _ = words(np.uint64(seed), LOOKAHEAD, seat, index, number)
    return (int(high) << 32 | int(low)) % SEED_LIMIT


@njit
def shuffle(items: Any, seed: Any, index: Any, part: Any = 0) -> None:
    """Shuffle `items` [C] in place by the deal stream of `index`: Fisher-Yates, exactly uniform.

    part: for games that shuffle more than once, the number of the shuffle; it stands in the place of the seat.
    Each step takes a word w and uses the high half of w * n; words whose low half would favour some values are
    drawn again (Lemire: Fast random integer generation in an interval, ACM TOMACS 29, 2019).
    """
    number = 0
    four = words(seed, DEAL, part, index, number)
    used = 0
    for last in range(len(items) - 1, 0, -1):
        n = np.uint64(last + 1)
        while True:
            if used == 4:
                number += 1
                four = words(seed, DEAL, part, index, number)
                used = 0
            product = four[used] * n
            used += 1
            low = product & _LOW
            if low >= n or low >= (np.uint64(4294967296) - n) % n:  # the division is slow and rarely needed
                break
        other = np.int64(product >> _HALF)
        items[last], items[other] = items[other], items[last]
