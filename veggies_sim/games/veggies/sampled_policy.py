"""`sampled`: looks at a few random legal moves and takes the one with the best value now; a light player for rollouts."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from veggies_sim.core.jit import inline, njit
from veggies_sim.core.streams import CHOICE, uniform
from veggies_sim.games.veggies.look import other_summaries, start_summaries
from veggies_sim.games.veggies.placement import legal_bits, new_bits, nth_position
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
    turns, symbols, announced, pair = faces.turns, faces.symbols, rules.announced, rules.pair
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
            source, face, pair_number, rest = _draw(u, flat + tall, hand, ramp, turns, g)
            turned = np.int64(rest >= flat)
            i, j = nth_position(bits, turned, rows, words, rest - turned * flat)
            trial[0, 0, turn, CARD], trial[0, 0, turn, ROTATION] = face, 2 * pair_number + turned
            trial[0, 0, turn, ROW], trial[0, 0, turn, COL] = row0 + i, col0 + j
            summarise(trial, 0, 0, turn + 1, symbols, board, spaces, announced, pair, shown)
            value = value_now(shown[0, 0], union, rules)
            if value > best:
                best = value
                moves[g, SOURCE], moves[g, ROTATION] = source, trial[0, 0, turn, ROTATION]
                moves[g, ROW], moves[g, COL] = row0 + i, col0 + j


@inline
def _draw(u: Any, positions: Any, hand: Any, ramp: Any, turns: Any, g: Any) -> Any:
    """Return (source, face, half of its rotations, position) of a uniformly drawn move."""
    face = np.int64(hand[g, 0])
    pairs = here = np.int64(turns[face]) // 2
    for place in range(ramp.shape[1]):
        pairs += np.int64(turns[ramp[g, place]]) // 2
    pick = np.int64(u * (positions * pairs))
    pair = pick // positions
    rest = pick - pair * positions
    source = 0
    while pair >= here:
        pair -= here
        face = np.int64(ramp[g, source])
        here = np.int64(turns[face]) // 2
        source += 1
    return source, face, pair, rest
