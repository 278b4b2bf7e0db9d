"""The steps of a game, for a whole block at once: deal, apply the chosen moves, count choices, score.

Each kernel is called once a turn for all games of a block. Axes as in `state`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from veggies_sim.core.jit import njit
from veggies_sim.core.streams import shuffle
from veggies_sim.games.veggies.placement import legal_bits, new_bits
from veggies_sim.games.veggies.scoring import announce, new_board, new_totals, points, summarise
from veggies_sim.games.veggies.state import CARD, COL, ROTATION, ROW, SOURCE


@njit
def deal(seed: Any, deals: Any, slots: Any, order: Any, ramp: Any, hand: Any) -> None:
    """Shuffle the deck of each game and deal it: the ramp, then two cards to each seat (rules: Setup).

    deals [G] is the number of each game's deal; order [G, C], ramp [G, R] and hand [G, P, 2] are filled.
    """
    for g in range(len(deals)):
        for slot in range(len(slots)):
            order[g, slot] = slot
        shuffle(order[g], seed, deals[g])
        top = ramp.shape[1]
        for place in range(top):
            ramp[g, place] = slots[order[g, place]]
        for seat in range(hand.shape[1]):
            hand[g, seat, 0] = slots[order[g, top + 2 * seat]]
            hand[g, seat, 1] = slots[order[g, top + 2 * seat + 1]]


@njit
def apply_start(seat: Any, moves: Any, hand: Any, placed: Any) -> None:
    """Lay the chosen one of the two dealt cards as the seat's start card; the other one stays in the hand."""
    for g in range(len(moves)):
        chosen = moves[g, SOURCE]
        placed[g, seat, 0, CARD] = hand[g, seat, chosen]
        placed[g, seat, 0, ROTATION] = placed[g, seat, 0, ROW] = placed[g, seat, 0, COL] = 0
        hand[g, seat, 0] = hand[g, seat, 1 - chosen]
        hand[g, seat, 1] = -1


@njit
def apply(turn: Any, seat: Any, moves: Any, block: Any) -> None:
    """Lay the chosen card on the seat's stand and refill hand or ramp place; block = (slots, order, ramp, hand, placed)."""
    slots, order, ramp, hand, placed = block
    players = hand.shape[1]
    top = ramp.shape[1] + 2 * players + (turn - 1) * players + seat  # every move so far has drawn one card
    for g in range(len(moves)):
        source = moves[g, SOURCE]
        drawn = slots[order[g, top]]
        if source == 0:
            card = hand[g, seat, 0]
            hand[g, seat, 0] = drawn
        else:
            card = ramp[g, source - 1]
            ramp[g, source - 1] = drawn
        placed[g, seat, turn, CARD] = card
        placed[g, seat, turn, ROTATION] = moves[g, ROTATION]
        placed[g, seat, turn, ROW] = moves[g, ROW]
        placed[g, seat, turn, COL] = moves[g, COL]


@njit
def count_choices(hand: Any, ramp: Any, placed: Any, turn: Any, seat: Any, turns: Any, out: Any) -> None:
    """Write to out [G] the number of distinct legal moves: source x distinct face x position; 2 at the start.

    hand [G, 2] is the seat's own, turns [F] is the number of rotations of each face that look different.
    """
    if turn == 0:
        out[:] = 2
        return
    bits = new_bits(placed.shape[2])
    for g in range(len(out)):
        _, _, _, _, flat, tall = legal_bits(placed, g, seat, turn, bits)
        pairs = turns[hand[g, 0]] // 2
        for place in range(ramp.shape[1]):
            pairs += turns[ramp[g, place]] // 2
        out[g] = (flat + tall) * pairs


@njit
def summarise_seat(seat: Any, laid: Any, placed: Any, faces: Any, rules: Any, summary: Any) -> None:
    """Bring one seat's summaries [G, P, SUMMARY] up to date with the first `laid` cards of its stands."""
    board, spaces = new_board(placed.shape[2])
    for g in range(len(placed)):
        summarise(placed, g, seat, laid, faces, board, spaces, rules, summary)


@njit
def score_all(summary: Any, team: Any, rules: Any, announced: Any, score: Any) -> Any:
    """Let every game end now: announced [G, P] masks, score [G, P] points, and the mask of the goods scored [G]."""
    union = np.empty(len(summary), np.int64)
    totals = new_totals()
    penalty = rules.rat_penalty
    for g in range(len(summary)):
        union[g] = announce(summary, g, team, penalty, totals, announced)
        for seat in range(len(team)):
            score[g, seat] = points(summary[g, seat], union[g], penalty)
    return union


@njit
def score_seat(seat: Any, summary: Any, team: Any, rules: Any, out: Any) -> None:
    """Write to out [G] the seat's points if every game ended now."""
    totals, announced = new_totals(), np.empty((len(summary), len(team)), np.int64)
    penalty = rules.rat_penalty
    for g in range(len(summary)):
        union = announce(summary, g, team, penalty, totals, announced)
        out[g] = points(summary[g, seat], union, penalty)
