"""`greedy`: the move with the best value now (rules: Value now); equal moves at random in canonical order."""

from __future__ import annotations

from typing import Any

import numpy as np

from veggies_sim.core.jit import inline, njit
from veggies_sim.core.streams import TIE, uniform
from veggies_sim.games.veggies.placement import legal_bits, new_bits
from veggies_sim.games.veggies.scoring import first_mask, new_board, summarise, value_now
from veggies_sim.games.veggies.state import CARD, COL, ROTATION, ROW, SOURCE, SUMMARY

_LEAST = np.int64(-(1 << 40))  # below any value


@njit
def choose_greedy(view: Any, games: Any, moves: Any) -> None:
    """Write to moves [G, 4] the move with the best value now for each of `games`; ties by the tie stream."""
    size, sources = view.rules.stand_size, 1 + view.ramp.shape[1]
    board, summary, trial = new_board(size), np.zeros(SUMMARY, np.int32), np.zeros((size, 4), np.int16)
    bits = new_bits(size)
    ties = np.empty((4 * sources * (3 * size + 6) ** 2 + 2, 4), np.int16)  # the best moves so far, in canonical order
    for g in games:
        if view.turn == 0:
            found = _best_start(view, g, board, summary, trial, ties)
        else:
            found = _best_moves(view, g, board, summary, trial, bits, ties)
        u = uniform(view.seed, TIE, view.seat, view.index[g], view.turn)
        moves[g] = ties[np.int64(u * found)]


@inline
def _value(view: Any, trial: Any, others: Any, board: Any, summary: Any) -> Any:
    """Value of the stand `trial` once the card of this turn lies on it."""
    summarise(trial, view.turn + 1, view.faces.symbols, board, view.rules, summary)
    return value_now(summary, others, view.rules)


@njit
def _best_start(view: Any, g: Any, board: Any, summary: Any, trial: Any, ties: Any) -> Any:
    """List in `ties` the dealt cards of the best value; nobody else has announced anything yet."""
    best, found = _LEAST, 0
    for source in range(2):
        trial[0] = 0
        trial[0, CARD] = view.hand[g, source]
        value = _value(view, trial, 0, board, summary)
        if value > best:
            best, found = value, 0
        if value == best:
            ties[found] = 0
            ties[found, SOURCE] = source
            found += 1
    return found


@njit
def _best_moves(view: Any, g: Any, board: Any, summary: Any, trial: Any, bits: Any, ties: Any) -> Any:
    """List in `ties` the moves of the best value and return how many there are."""
    turn, symbols = view.turn, view.faces.symbols
    others = np.int64(0)
    for seat in range(view.placed.shape[1]):
        if seat != view.seat:
            summarise(view.placed[g, seat], turn + (seat < view.seat), symbols, board, view.rules, summary)
            others |= first_mask(summary)
    stand = view.placed[g, view.seat]
    trial[:turn] = stand[:turn]
    row0, col0, rows = legal_bits(stand, turn, bits)
    best, found = _LEAST, 0
    for source in range(1 + view.ramp.shape[1]):
        card = view.hand[g, 0] if source == 0 else view.ramp[g, source - 1]
        trial[turn, CARD] = card
        for rotation in range(view.faces.turns[card]):
            trial[turn, ROTATION] = rotation
            for row in range(rows):
                for col in range(64 * len(bits)):
                    if (bits[col // 64, rotation & 1, row] >> np.uint64(col % 64)) & np.uint64(1):
                        trial[turn, ROW], trial[turn, COL] = row0 + row, col0 + col
                        value = _value(view, trial, others, board, summary)
                        if value > best:
                            best, found = value, 0
                        if value == best:
                            ties[found, SOURCE], ties[found, ROTATION] = source, rotation
                            ties[found, ROW], ties[found, COL] = row0 + row, col0 + col
                            found += 1
    return found
