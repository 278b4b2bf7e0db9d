"""`greedy`: the pick and action with the best own score if the game ended after it, without a look at the refill.

The score of a hand w (cards of each kind) is the sum over posts p of points(p) x w[kind beside p], plus the bonus. An action
changes a few terms of the sum, so it is scored by its difference. Moves go by their number in canonical order, see `moves`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from veggies_sim.core.jit import inner, njit
from veggies_sim.core.streams import TIE, uniforms
from veggies_sim.games.veggie_garden.board import CABBAGE, CARROT, PEA, PEPPER, POTATO, TOMATO
from veggies_sim.games.veggie_garden.moves import MOST_MOVES, slot_moves, write_moves
from veggies_sim.games.veggie_garden.random_policy import place_groundhog
from veggies_sim.games.veggie_garden.state import CELLS, LAST, POSTS, SLOTS
from veggies_sim.games.veggie_garden.tables import SHIFT_CARDS, SWAP_CARDS


@njit
def choose_greedy(view: Any, games: Any, moves: Any) -> None:
    """Write to moves [G, 4] the best legal move for each of `games`; equal ones are equally likely (stream TIE)."""
    draws = uniforms(view.seed, TIE, view.seat, view.index, view.turn)
    if view.turn > 0:
        sizes = slot_moves(view, games)
        write_moves(view, games, sizes, best_moves(view, games, sizes, draws), moves)
        return
    for g in games:  # the groundhog's place changes no value now: all are equal
        place_groundhog(view.out[g], draws[g], g, moves)


@njit
def best_moves(view: Any, games: Any, sizes: Any, draws: Any) -> Any:
    """Return the number of the best move of each of `games` among its moves, whose counts are sizes [G, 4]."""
    cells, posts, slots, hands, cell_of = view.cell, view.post, view.slot, view.hand, view.tables.cell_of
    found = np.zeros(len(games), np.int64)
    score = np.zeros(MOST_MOVES, np.int32)
    beside, weight = np.zeros(CELLS, np.int32), np.zeros(CELLS, np.int32)  # of cells: points of the post, cards held of the kind
    value, held, first = np.zeros(6, np.int32), np.zeros(6, np.int32), np.zeros(SLOTS, np.int64)
    for i in range(len(games)):
        g = games[i]
        value[:] = 0
        for place in range(POSTS):
            beside[cell_of[place]] = posts[g, place]
            value[cells[g, cell_of[place]]] += posts[g, place]
        n = np.int64(0)
        for slot in range(SLOTS):
            count, first[slot] = np.int64(sizes[i, slot]), n
            if count == 0:
                continue
            kind, as_before = slots[g, slot], np.int64(-1)
            for other in range(slot):
                if slots[g, other] == kind:
                    as_before = first[other]
            if as_before >= 0 and kind != TOMATO:
                score[n : n + count] = score[as_before : as_before + count]
            else:
                base, missing = np.int32(0), 0
                for each in range(6):
                    held[each] = hands[g, each] + (each == kind)
                    base += value[each] * held[each]
                    missing += held[each] == 0
                bonus = view.rules.bonus
                score[n : n + count] = base + bonus * (missing == 1)  # the kind that is not in play
                for place in range(CELLS):
                    weight[place] = held[cells[g, place]]
                if view.turn < LAST and count > 1:
                    add_changes(view, g, slot, n, beside, weight, (value, held, missing), score)
            n += count
        found[i] = nth_best(score, n, draws[g])
    return found


@inner
def nth_best(score: Any, count: Any, u: Any) -> Any:
    """Return the number of one of the highest of the first scores, by u in [0, 1)."""
    best, ties = np.int32(-1), 0
    for n in range(count):
        best = max(best, score[n])
    for n in range(count):
        ties += score[n] == best
    wanted = np.int64(u * ties)
    for n in range(count):
        if score[n] == best:
            if wanted == 0:
                return n
            wanted -= 1
    return 0


@inner
def add_changes(view: Any, g: Any, slot: Any, n: Any, beside: Any, weight: Any, hand: Any, score: Any) -> None:
    """Add to score [n ..] what each action of the card in a slot changes."""
    kind, row = view.slot[g, slot], view.tables.hog[view.hog[g] + 1]
    if kind == CABBAGE:
        add_shifts(view.tables, row, view.post, g, n, beside, weight, score)
    elif kind == PEA:
        table = view.tables.pea
        for i in range(view.tables.sizes[row, 1]):
            a, b = table[row, i, 2], 2 * table[row, i, 1] - table[row, i, 2]
            score[n + i] += (beside[a] - beside[b]) * (weight[b] - weight[a])
    elif kind == PEPPER:
        add_swaps(view, row, g, n, beside, weight, score)
    elif kind == CARROT:
        bunny, posts, cell_of = view.bunny[g], view.post, view.tables.cell_of
        at = n
        for place in range(POSTS):
            if place != bunny:
                score[at] += posts[g, place] * (weight[cell_of[bunny]] - weight[cell_of[place]])
                at += 1
    elif kind == POTATO:
        add_exchanges(view.rules.bonus, view.cell, view.hand, view.hog[g], g, n, beside, hand, score)
    else:
        slots, held = view.slot, hand[1]
        for place in range(CELLS):
            if place != view.hog[g]:
                for other in range(SLOTS):
                    if other != slot and slots[g, other] >= 0:
                        score[n] += beside[place] * (held[slots[g, other]] - weight[place])
                        n += 1


@inner
def add_shifts(tables: Any, row: Any, posts: Any, g: Any, n: Any, beside: Any, weight: Any, score: Any) -> None:
    """Add what shifts of lines of cards and of sides of posts change."""
    table, lines, sides, length, cell_of = tables.cabbage, tables.lines, tables.sides, tables.length, tables.cell_of
    for i in range(tables.sizes[row, 0]):
        a, step, change = table[row, i, 1], table[row, i, 2], np.int32(0)
        if table[row, i, 0] == SHIFT_CARDS:
            for k in range(4):
                here, source = lines[a, k], lines[a, (k - step) & 3]
                change += beside[here] * (weight[source] - weight[here])
        else:
            for k in range(length[a]):
                here, source = sides[a, k], sides[a, (k - step) & (length[a] - 1)]
                change += (posts[g, source] - posts[g, here]) * weight[cell_of[here]]
        score[n + i] += change


@inner
def add_swaps(view: Any, row: Any, g: Any, n: Any, beside: Any, weight: Any, score: Any) -> None:
    """Add what swaps of adjacent cards and posts change."""
    table, posts, cell_of = view.tables.pepper, view.post, view.tables.cell_of
    bunny = np.int64(view.bunny[g])
    bunny_stays = bunny >= 0 and not view.rules.pepper_moves_bunny
    for i in range(view.tables.sizes[row, 2]):
        a, b = table[row, i, 1], table[row, i, 2]
        if table[row, i, 0] == SWAP_CARDS:
            score[n] += (beside[a] - beside[b]) * (weight[b] - weight[a])
        elif bunny_stays and (a == bunny or b == bunny):
            continue
        else:
            score[n] += (posts[g, a] - posts[g, b]) * (weight[cell_of[b]] - weight[cell_of[a]])
        n += 1


@inner
def add_exchanges(bonus: Any, cells: Any, hands: Any, hog: Any, g: Any, n: Any, beside: Any, hand: Any, score: Any) -> None:
    """Add what exchanges of a card of the hand for one of the garden change; hand = (value [K], held [K], kinds missing)."""
    value, held, missing = hand
    for place in range(CELLS):
        if place == hog:
            continue
        got = np.int64(cells[g, place])
        for given in range(6):
            if hands[g, given] == 0:
                continue
            if given != got:
                lacking = missing - (held[got] == 0) + (held[given] == 1)
                gained = bonus * ((lacking == 1) - np.int64(missing == 1))
                score[n] += value[got] - value[given] + gained + beside[place] * (held[given] - held[got] - 2)
            n += 1
