"""`random`: every distinct legal move is equally likely."""

from __future__ import annotations

from typing import Any

import numpy as np

from veggies_sim.core.jit import inline, njit
from veggies_sim.core.streams import CHOICE, uniform
from veggies_sim.games.veggies.placement import count_bits, legal_bits, new_bits, nth_bit
from veggies_sim.games.veggies.state import COL, ROTATION, ROW, SOURCE


@njit
def choose_random(view: Any, games: Any, moves: Any) -> None:
    """Write to moves [G, 4] a legal move for each of `games`, uniform over source x distinct face x position."""
    bits = new_bits(view.rules.stand_size)
    for g in games:
        u = uniform(view.seed, CHOICE, view.seat, view.index[g], view.turn)
        if view.turn == 0:
            moves[g, SOURCE] = np.int64(u * 2)
            moves[g, ROTATION] = moves[g, ROW] = moves[g, COL] = 0
        else:
            _choose_placement(view, g, u, bits, moves[g])


@inline
def _choose_placement(view: Any, g: Any, u: Any, bits: Any, move: Any) -> None:
    row0, col0, rows = legal_bits(view.placed[g, view.seat], view.turn, bits)
    flat, tall = count_bits(bits, 0, rows), count_bits(bits, 1, rows)
    total = np.int64(view.faces.turns[view.hand[g, 0]]) // 2
    for place in range(view.ramp.shape[1]):
        total += view.faces.turns[view.ramp[g, place]] // 2
    pick = np.int64(u * ((flat + tall) * total))
    pair, rest = pick // (flat + tall), pick % (flat + tall)  # a pair is a 2 x 3 face and its quarter turn
    source = 0
    here = np.int64(view.faces.turns[view.hand[g, 0]]) // 2
    while pair >= here:
        pair -= here
        source += 1
        here = np.int64(view.faces.turns[view.ramp[g, source - 1]]) // 2
    turned = np.int64(rest >= flat)
    i, j = nth_bit(bits, turned, rows, rest - turned * flat)
    move[SOURCE], move[ROTATION] = source, 2 * pair + turned
    move[ROW], move[COL] = row0 + i, col0 + j
