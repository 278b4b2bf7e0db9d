"""The slow twin of `greedy`: every candidate is laid on a fresh copy of the stand and the whole stand is counted again.

Nothing is shared with the kernel of `greedy_policy` but the scoring rules (rules: Value now).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from veggies_sim.core.jit import inline, njit
from veggies_sim.core.streams import TIE, uniform
from veggies_sim.games.veggies.scoring import first_mask, new_board, summarise, value_now
from veggies_sim.games.veggies.state import CARD, COL, ROTATION, ROW, SOURCE, SUMMARY

LEAST = np.int64(-(1 << 40))  # below any value


@njit
def choose_recount(view: Any, games: Any, moves: Any) -> None:
    """Write to moves [G, 4] the move with the best value now for each of `games`: one pass counts the ties, one picks."""
    size, turn = view.rules.stand_size, view.turn
    rules, room = view.rules, new_board(size)
    summary = np.empty((1, 1, SUMMARY), np.int32)
    trial = np.empty((1, 1, size, 4), np.int16)
    low, high = (-3 * turn - 3, 3 * turn + 4) if turn else (0, 1)
    for g in games:
        others = _others(view, g, room, summary)
        if turn:
            trial[0, 0, :turn] = view.placed[g, view.seat, :turn]
        best, ties, pick = LEAST, 0, -1
        for _ in range(2):
            number = 0
            for source in range(1 + view.ramp.shape[1] if turn else 2):
                card = _card(view, g, source)
                for rotation in range(view.faces.turns[card] if turn else 1):
                    for row in range(low, high):
                        for col in range(low, high):
                            if turn and not _legal(trial[0, 0], turn, rotation & 1, row, col):
                                continue
                            trial[0, 0, turn, CARD], trial[0, 0, turn, ROTATION] = card, rotation
                            trial[0, 0, turn, ROW], trial[0, 0, turn, COL] = row, col
                            _count(trial, 0, 0, turn + 1, view, room, summary)
                            value = value_now(summary[0, 0], others, rules)
                            if pick < 0:
                                if value > best:
                                    best, ties = value, 0
                                ties += value == best
                            elif value == best:
                                if number == pick:
                                    moves[g, SOURCE], moves[g, ROTATION] = source, rotation
                                    moves[g, ROW], moves[g, COL] = row, col
                                number += 1
            pick = np.int64(uniform(view.seed, TIE, view.seat, view.index[g], turn) * ties)


@njit
def _count(placed: Any, g: Any, seat: Any, laid: Any, view: Any, room: Any, summary: Any) -> None:
    """Write to summary [1, 1, SUMMARY] what a stand shows."""
    board, spaces = room
    stand = placed[g : g + 1, seat : seat + 1]
    summarise(stand, 0, 0, laid, view.faces.symbols, board, spaces, view.rules, summary)


@inline
def _card(view: Any, g: Any, source: Any) -> Any:
    if view.turn == 0:
        return view.hand[g, source]
    return view.hand[g, 0] if source == 0 else view.ramp[g, source - 1]


@inline
def _others(view: Any, g: Any, room: Any, summary: Any) -> Any:
    """Return the mask of what all other seats would announce on what they have laid so far."""
    union = np.int64(0)
    if view.turn:
        for seat in range(view.placed.shape[1]):
            if seat != view.seat:
                laid = view.turn + (seat < view.seat)
                _count(view.placed, g, seat, laid, view, room, summary)
                union |= first_mask(summary[0, 0])
    return union


@njit
def _legal(stand: Any, laid: Any, tall: Any, row: Any, col: Any) -> Any:
    """Tell whether a card of orientation `tall` at (row, col) covers a card of the stand or borders one side to side."""
    for i in range(laid):
        t = stand[i, ROTATION] & 1
        top, left = stand[i, ROW], stand[i, COL]
        rows_meet = row < top + 2 + t and top < row + 2 + tall
        cols_meet = col < left + 3 - t and left < col + 3 - tall
        rows_touch = row <= top + 2 + t and top <= row + 2 + tall
        cols_touch = col <= left + 3 - t and left <= col + 3 - tall
        if (rows_meet and cols_touch) or (cols_meet and rows_touch):
            return True
    return False
