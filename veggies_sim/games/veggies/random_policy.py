"""`random`: every distinct legal move is equally likely."""

from __future__ import annotations

from typing import Any

import numpy as np

from veggies_sim.core.jit import inline, njit
from veggies_sim.core.streams import CHOICE, uniforms
from veggies_sim.games.veggies.placement import legal_bits, new_bits, nth_position
from veggies_sim.games.veggies.state import COL, ROTATION, ROW, SOURCE


@njit
def choose_random(view: Any, games: Any, moves: Any) -> None:
    """Write to moves [G, 4] a legal move for each of `games`, uniform over source x distinct face x position."""
    seed, index, turn, seat, hand, ramp, placed, faces, rules = view  # each array fetched once, not once a game
    turns = faces.turns
    bits = new_bits(rules.stand_size)
    draws = uniforms(seed, CHOICE, seat, index, turn)
    for g in games:
        u = draws[g]
        if turn == 0:
            moves[g, SOURCE] = np.int64(u * 2)
            moves[g, ROTATION] = moves[g, ROW] = moves[g, COL] = 0
            continue
        row0, col0, rows, words, flat, tall = legal_bits(placed, g, seat, turn, bits)
        source, pair, rest = draw_move(u, flat + tall, hand, ramp, turns, g)
        turned = np.int64(rest >= flat)
        i, j = nth_position(bits, turned, rows, words, rest - turned * flat)
        moves[g, SOURCE], moves[g, ROTATION] = source, 2 * pair + turned
        moves[g, ROW], moves[g, COL] = row0 + i, col0 + j


@inline
def draw_move(u: Any, positions: Any, hand: Any, ramp: Any, turns: Any, g: Any) -> Any:
    """Return (source, pair, position) of a move drawn uniformly by u in [0, 1).

    A pair is a face as 2 x 3 and the same after a quarter turn: each distinct face has one or two, each with all `positions`
    of both orientations.
    """
    pairs = np.int64(turns[hand[g, 0]]) // 2
    for place in range(ramp.shape[1]):
        pairs += np.int64(turns[ramp[g, place]]) // 2
    pick = np.int64(u * (positions * pairs))
    pair = pick // positions
    source, before, upto = 0, np.int64(0), np.int64(turns[hand[g, 0]]) // 2
    for place in range(ramp.shape[1]):  # without a branch: which source it is can't be foretold
        beyond = pair >= upto
        source += beyond
        before = upto if beyond else before
        upto += np.int64(turns[ramp[g, place]]) // 2
    return source, pair - before, pick - pair * positions
