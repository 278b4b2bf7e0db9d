"""`greedy`: the move with the best value now (rules: Value now); equal moves at random in canonical order."""

from __future__ import annotations

from typing import Any

import numpy as np

from veggies_sim.core.jit import inline, njit
from veggies_sim.core.streams import TIE, uniform
from veggies_sim.games.veggies.scoring import first_mask, new_board, summarise, value_now
from veggies_sim.games.veggies.state import COL, ROTATION, ROW, SOURCE, SUMMARY


@njit
def choose_greedy(view: Any, games: Any, moves: Any) -> None:
    """Write to moves [G, 4] the move with the best value now for each of `games`; ties by the tie stream."""
    size = view.rules.stand_size
    board, summary = new_board(size), np.empty(SUMMARY, np.int32)
    trial = np.empty((size, 4), np.int16)
    for g in games:
        others = _others(view, g, board, summary)
        best, ties = np.int64(-(1 << 40)), 0
        u = uniform(view.seed, TIE, view.seat, view.index[g], view.turn)
        for pass_ in range(2):
            number = 0
            pick = np.int64(u * ties)
            for source in range(2 if view.turn == 0 else 1 + view.ramp.shape[1]):
                if view.turn == 0:
                    card = view.hand[g, source]
                else:
                    card = view.hand[g, 0] if source == 0 else view.ramp[g, source - 1]
                for turn in range(1 if view.turn == 0 else view.faces.turns[card]):
                    for row in range(-3 * size, 3 * size):
                        for col in range(-3 * size, 3 * size):
                            if view.turn == 0 and (row != 0 or col != 0):
                                continue
                            if view.turn and not _legal(view.placed[g, view.seat], view.turn, turn & 1, row, col):
                                continue
                            if view.turn:
                                trial[: view.turn] = view.placed[g, view.seat, : view.turn]
                            trial[view.turn, 0], trial[view.turn, 1] = card, turn
                            trial[view.turn, 2], trial[view.turn, 3] = row, col
                            summarise(trial, view.turn + 1, view.faces.symbols, board, view.rules, summary)
                            value = value_now(summary, others, view.rules)
                            if pass_ == 0:
                                if value > best:
                                    best, ties = value, 0
                                ties += value == best
                            elif value == best:
                                if number == pick:
                                    moves[g, SOURCE], moves[g, ROTATION] = source, turn
                                    moves[g, ROW], moves[g, COL] = row, col
                                number += 1


@inline
def _others(view: Any, g: Any, board: Any, summary: Any) -> Any:
    union = np.int64(0)
    if view.turn:
        for seat in range(view.placed.shape[1]):
            if seat != view.seat:
                laid = view.turn + (seat < view.seat)
                summarise(view.placed[g, seat], laid, view.faces.symbols, board, view.rules, summary)
                union |= first_mask(summary)
    return union


@njit
def _legal(stand: Any, laid: Any, tall: Any, row: Any, col: Any) -> Any:
    for i in range(laid):
        t = stand[i, 1] & 1
        dr = row < stand[i, 2] + 2 + t and stand[i, 2] < row + 2 + tall
        dc = col < stand[i, 3] + 3 - t and stand[i, 3] < col + 3 - tall
        dr1 = row <= stand[i, 2] + 2 + t and stand[i, 2] <= row + 2 + tall
        dc1 = col <= stand[i, 3] + 3 - t and stand[i, 3] <= col + 3 - tall
        if (dr and dc1) or (dc and dr1):
            return True
    return False
