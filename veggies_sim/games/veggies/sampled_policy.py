"""`sampled`: looks at a few random legal moves and takes the one with the best value now; a light player for rollouts."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from veggies_sim.core.jit import njit
from veggies_sim.core.streams import CHOICE, uniform
from veggies_sim.games.veggies.look import other_summaries, start_summaries
from veggies_sim.games.veggies.placement import legal_bits, new_bits, nth_position
from veggies_sim.games.veggies.random_policy import draw_move
from veggies_sim.games.veggies.scoring import first_mask, new_board, summarise, value_now
from veggies_sim.games.veggies.state import CARD, COL, ROTATION, ROW, SOURCE, SUMMARY, View

MOST = 64  # moves that may be looked at: draws of one turn


def choose_sampled(view: View, looks: int, games: NDArray[np.int64], moves: NDArray[np.int16]) -> None:
    """Write to moves [G, 4] the best of `looks` moves for each of `games`, drawn with repetition; the first of equal ones."""
    others = other_summaries(view) if view.turn else start_summaries(view)
    _choose(view, looks, others, games, moves)


@njit
def _choose(view: Any, looks: Any, summary: Any, games: Any, moves: Any) -> None:
    seed, index, turn, seat, hand, ramp, placed, faces, rules = view
    turns, symbols = faces.turns, faces.symbols
    bits, (board, spaces) = new_bits(rules.stand_size), new_board(rules.stand_size)
    trial, shown = np.empty((1, 1, turn + 1, 4), np.int16), np.empty((1, 1, SUMMARY), np.int32)
    for g in games:
        best = np.int64(-(1 << 40))
        if turn == 0:
            moves[g, SOURCE] = value_now(summary[g, 1], 0, rules) > value_now(summary[g, 0], 0, rules)
            moves[g, ROTATION] = moves[g, ROW] = moves[g, COL] = 0
            continue
        union = np.int64(0)
        for other in range(summary.shape[1]):
            if other != seat:
                union |= first_mask(summary[g, other])
        for i in range(turn):
            for j in range(4):
                trial[0, 0, i, j] = placed[g, seat, i, j]
        row0, col0, rows, words, flat, tall = legal_bits(placed, g, seat, turn, bits)
        for look in range(looks):
            u = uniform(seed, CHOICE, seat, index[g], turn * MOST + look)
            source, pair, rest = draw_move(u, flat + tall, hand, ramp, turns, g)
            face = hand[g, 0] if source == 0 else ramp[g, source - 1]
            turned = np.int64(rest >= flat)
            i, j = nth_position(bits, turned, rows, words, rest - turned * flat)
            trial[0, 0, turn, CARD], trial[0, 0, turn, ROTATION] = face, 2 * pair + turned
            trial[0, 0, turn, ROW], trial[0, 0, turn, COL] = row0 + i, col0 + j
            summarise(trial, 0, 0, turn + 1, symbols, board, spaces, rules, shown)
            value = value_now(shown[0, 0], union, rules)
            if value > best:
                best = value
                moves[g, SOURCE], moves[g, ROTATION] = source, trial[0, 0, turn, ROTATION]
                moves[g, ROW], moves[g, COL] = row0 + i, col0 + j
