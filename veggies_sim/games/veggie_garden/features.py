"""The legal moves of a turn as numbers: what each leaves of the own hand, of the others' cards and of the harvest.

What may live here: features of moves, from what the seat sees. Axes as in `state`, and N moves of all games one game after
another, F features in the order of `FEATURES`; `out` is [F, N]. Where there is nothing to pick, the one move is to pass; at
turn 0 the moves are the places of the groundhog, or to pass where none is placed.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from veggies_sim.core.candidates import Candidates, Feature
from veggies_sim.core.jit import inner, njit
from veggies_sim.games.veggie_garden.board import PEA
from veggies_sim.games.veggie_garden.moves import list_moves, slot_moves
from veggies_sim.games.veggie_garden.random_policy import PLACES, pass_move
from veggies_sim.games.veggie_garden.state import ACTION, CELLS, LAST, POSTS, SLOT, SLOTS, A, B, View
from veggies_sim.games.veggie_garden.tables import (
    EXCHANGE,
    MOVE_BUNNY,
    MOVE_GROUNDHOG,
    REPLANT,
    SHIFT_CARDS,
    SHIFT_POSTS,
    SWAP_CARDS,
    SWAP_POSTS,
)

FEATURES = (
    Feature("score", "own points if the game ended after the action, bonus included"),
    Feature("missing", "kinds in play that the own hand lacks after it"),
    Feature("reach", "points of the bonus if the picks left can bring every kind that is missing, else 0"),
    Feature("most_held", "cards of the kind that the own hand has most of"),
    Feature("most_value", "points of a card of that kind, the highest where there are several"),
    Feature("others", "points of the cards that the other players were seen to take"),
    Feature("rival", "the most such points of one other player"),
    Feature("unseen", "mean points of a card that this seat has not seen: what refills the harvest, and the others' dealt cards"),
    Feature("refills", "cards that the harvest draws from the deck"),
    Feature("left_value", "points of the best card left in the harvest; 0 where nobody picks after it"),
    Feature("left_match", "most cards that the next player was seen to take of a kind left in the harvest"),
    Feature("left_missing", "kinds left in the harvest that the own hand lacks"),
    Feature("picks_left", "picks that the own hand still gets"),
)
(
    _SCORE, _MISSING, _REACH, _MOST_HELD, _MOST_VALUE, _OTHERS, _RIVAL, _UNSEEN, _REFILLS, _LEFT_VALUE, _LEFT_MATCH, _LEFT_MISSING,
    _PICKS_LEFT,
) = range(13)  # fmt: skip


def candidates(view: View, games: NDArray[np.int64], copies: NDArray[np.int64]) -> Candidates:
    """Return all legal moves of some games of a block, with their features; copies [K] is the cards of each kind."""
    if view.turn == 0:
        count = np.where(view.out[games] == PEA, 1, len(PLACES))
    else:
        count = np.maximum(slot_moves(view, games).sum(axis=1, dtype=np.int64), 1)
    start = np.concatenate(([0], np.cumsum(count, dtype=np.int64)))
    moves = np.zeros((start[-1], 4), np.int16)
    out = np.zeros((len(FEATURES), start[-1]), np.float32)  # a feature of all moves lies together
    _list(view, games, start, moves)
    _fill(view, games, start, copies, moves, out)
    return Candidates(moves, start, out.T)


@njit
def _list(view: Any, games: Any, start: Any, moves: Any) -> None:
    """List the moves of each game."""
    for i in range(len(games)):
        first = start[i]
        if view.turn == 0:
            for n in range(first, start[i + 1]):
                pass_move(n, moves)
                if view.out[games[i]] != PEA:
                    moves[n, A] = PLACES[n - first]
        elif list_moves(view, games[i], moves[first : start[i + 1]]) == 0:
            pass_move(first, moves)


@njit
def unseen(view: Any, g: Any, copies: Any, left: Any) -> None:
    """Write to left [K] the cards of each kind that the seat has not seen: in the deck, or dealt to others."""
    cell, slot, taken = view.cell, view.slot, view.taken
    for kind in range(6):
        left[kind] = 0 if kind == view.out[g] else copies[kind] - view.hand[g, kind] - view.discard[g, kind]
        for seat in range(taken.shape[1]):
            if seat != view.seat:
                left[kind] -= max(taken[g, seat, kind], 0)
    for place in range(CELLS):
        left[cell[g, place]] -= 1
    for at in range(SLOTS):
        if slot[g, at] >= 0:
            left[slot[g, at]] -= 1


@njit
def _fill(view: Any, games: Any, start: Any, copies: Any, moves: Any, out: Any) -> None:
    """Fill in the features of all moves."""
    players, seat = view.taken.shape[1], view.seat
    beside, value, worth = np.zeros(CELLS, np.int64), np.zeros(6, np.int64), np.zeros(6, np.int64)
    held, left, seen = np.zeros(6, np.int64), np.zeros(6, np.int64), np.zeros((players, 6), np.int64)
    for i in range(len(games)):
        g = games[i]
        unseen(view, g, copies, left)
        for other in range(players):
            for kind in range(6):
                seen[other, kind] = max(view.taken[g, other, kind], 0) if other != seat else 0
        value[:] = 0
        for place in range(POSTS):
            cell = view.tables.cell_of[place]
            beside[cell] = view.post[g, place]
            value[view.cell[g, cell]] += view.post[g, place]
        for n in range(start[i], start[i + 1]):
            for kind in range(6):
                worth[kind], held[kind] = value[kind], view.hand[g, kind]
            _act(view, g, moves, n, beside, worth, held)
            _own(view, g, n, worth, held, out)
            _rest(view, g, moves, n, worth, (held, left, seen), out)


@inner
def _act(view: Any, g: Any, moves: Any, n: Any, beside: Any, worth: Any, held: Any) -> None:
    """Bring the points of each kind and the own hand [K] to what they are after move n."""
    what, a, b = moves[n, ACTION], np.int64(moves[n, A]), np.int64(moves[n, B])
    cell, post, tables, bunny = view.cell, view.post, view.tables, np.int64(view.bunny[g])
    if moves[n, SLOT] < 0:
        return
    if what == SHIFT_CARDS:
        for k in range(4):
            here, source = tables.lines[a, k], tables.lines[a, (k - b) % 4]
            worth[cell[g, here]] -= beside[here]
            worth[cell[g, source]] += beside[here]
    elif what == SHIFT_POSTS:
        for k in range(tables.length[a]):
            here, source = tables.sides[a, k], tables.sides[a, (k - b) % tables.length[a]]
            worth[cell[g, tables.cell_of[here]]] += post[g, source] - post[g, here]
    elif what in (MOVE_BUNNY, SWAP_POSTS):
        b = bunny if what == MOVE_BUNNY else b
        worth[cell[g, tables.cell_of[a]]] += post[g, b] - post[g, a]
        worth[cell[g, tables.cell_of[b]]] += post[g, a] - post[g, b]
    elif what in (SWAP_CARDS, MOVE_GROUNDHOG):
        a = 2 * a - b if what == MOVE_GROUNDHOG else a
        worth[cell[g, a]] += beside[b] - beside[a]
        worth[cell[g, b]] += beside[a] - beside[b]
    elif what in (EXCHANGE, REPLANT):
        planted = b if what == EXCHANGE else np.int64(view.slot[g, b])
        worth[cell[g, a]] -= beside[a]
        worth[planted] += beside[a]
        if what == EXCHANGE:
            held[b] -= 1
            held[cell[g, a]] += 1
    held[view.slot[g, moves[n, SLOT]]] += 1


@inner
def _own(view: Any, g: Any, n: Any, worth: Any, held: Any, out: Any) -> None:
    """Fill in what move n leaves of the own hand."""
    score, missing, most, best = np.int64(0), 0, np.int64(0), np.int64(0)
    for kind in range(6):
        score += worth[kind] * held[kind]
        missing += kind != view.out[g] and held[kind] == 0
        if held[kind] > most:
            most, best = held[kind], worth[kind]
        elif held[kind] == most:
            best = max(best, worth[kind])
    bonus, picks = view.rules.bonus, LAST - view.turn
    out[_SCORE, n] = score + (bonus if missing == 0 else 0)
    out[_MISSING, n], out[_REACH, n] = missing, bonus if missing <= picks else 0
    out[_MOST_HELD, n], out[_MOST_VALUE, n], out[_PICKS_LEFT, n] = most, best, picks


@inner
def _rest(view: Any, g: Any, moves: Any, n: Any, worth: Any, cards: Any, out: Any) -> None:
    """Fill in what move n leaves to the others and to draw; cards = (held [K], unseen [K], seen [P, K])."""
    held, left, seen = cards
    players = seen.shape[0]
    total, rival = np.int64(0), np.int64(0)
    for other in range(players):
        points = np.int64(0)
        for kind in range(6):
            points += worth[kind] * seen[other, kind]
        total += points
        rival = max(rival, points)
    out[_OTHERS, n], out[_RIVAL, n] = total, rival
    points = number = np.int64(0)
    for kind in range(6):
        points += worth[kind] * left[kind]
        number += left[kind]
    out[_UNSEEN, n] = points / number if number > 0 else 0
    slot, replant = moves[n, SLOT], moves[n, ACTION] == REPLANT
    if slot < 0 or (view.turn == LAST and view.seat == players - 1):
        return
    out[_REFILLS, n] = 0 if view.turn == LAST else 1 + replant
    best, match, kinds = np.int64(0), np.int64(0), np.int64(0)
    for at in range(SLOTS):
        card = np.int64(view.slot[g, at])
        if card < 0 or at == slot or (replant and at == moves[n, B]):
            continue
        best = max(best, worth[card])
        match = max(match, seen[(view.seat + 1) % players, card])
        if held[card] == 0:
            kinds |= 1 << card
    out[_LEFT_VALUE, n], out[_LEFT_MATCH, n] = best, match
    for kind in range(6):
        out[_LEFT_MISSING, n] += (kinds >> kind) & 1
