"""The legal moves of a seat, counted and listed in canonical order: harvest slot, then that of `tables`. Axes as in `state`."""

from __future__ import annotations

from typing import Any

import numpy as np

from veggies_sim.core.jit import inner, njit
from veggies_sim.games.veggie_garden.board import CABBAGE, CARROT, PEA, PEPPER, POTATO, TOMATO
from veggies_sim.games.veggie_garden.state import ACTION, CELLS, LAST, POSTS, SLOT, SLOTS, A, B
from veggies_sim.games.veggie_garden.tables import EXCHANGE, LAST_ROW, MOVE_BUNNY, NONE, NULL, REPLANT, SWAP_POSTS

MOST_MOVES = 4 * CELLS * 6  # four potatoes and all kinds in the hand


@njit
def list_moves(view: Any, g: Any, moves: Any) -> Any:
    """Write all legal moves of game g to moves [MOST_MOVES, 4] and return how many there are."""
    n = 0
    for slot in range(SLOTS):
        kind = view.slot[g, slot]
        if kind < 0:
            continue
        first = n
        if view.turn == LAST:
            moves[n, ACTION], moves[n, A], moves[n, B] = NONE, NULL, NULL
            n += 1
        elif kind == CABBAGE:
            n = copy(view.tables.cabbage, view.tables, 0, view.hog[g], -1, moves, n)
        elif kind == PEA:
            n = copy(view.tables.pea, view.tables, 1, view.hog[g], -1, moves, n)
        elif kind == PEPPER:
            stays = -1 if view.rules.pepper_moves_bunny else np.int64(view.bunny[g])
            n = copy(view.tables.pepper, view.tables, 2, view.hog[g], stays, moves, n)
        elif kind == CARROT:
            n = bunny_moves(view.bunny[g], moves, n)
        else:
            n = card_moves(view, g, kind, slot, moves, n)
        moves[first:n, SLOT] = slot
    return n


@inner
def copy(table: Any, tables: Any, column: Any, hog: Any, stays: Any, moves: Any, n: Any) -> Any:
    """Copy the actions of a table for the groundhog's cell, but for swaps of the post that stays; return the moves then."""
    row = tables.hog[hog + 1]
    for i in range(tables.sizes[row, column]):
        what, a, b = table[row, i, 0], table[row, i, 1], table[row, i, 2]
        if what != SWAP_POSTS or (a != stays and b != stays):
            moves[n, ACTION], moves[n, A], moves[n, B] = what, a, b
            n += 1
    return n


@inner
def bunny_moves(bunny: Any, moves: Any, n: Any) -> Any:
    """List the posts that the bunny's may be swapped with; without a bunny a carrot has no action."""
    if bunny < 0:
        moves[n, ACTION], moves[n, A], moves[n, B] = NONE, NULL, NULL
        return n + 1
    for place in range(POSTS):
        if place != bunny:
            moves[n, ACTION], moves[n, A], moves[n, B] = MOVE_BUNNY, place, NULL
            n += 1
    return n


@inner
def card_moves(view: Any, g: Any, kind: Any, slot: Any, moves: Any, n: Any) -> Any:
    """List what a potato may exchange or a tomato replant."""
    for place in range(CELLS):
        if place == view.hog[g]:
            continue
        if kind == POTATO:
            for given in range(6):
                if view.hand[g, given] > 0:
                    moves[n, ACTION], moves[n, A], moves[n, B] = EXCHANGE, place, given
                    n += 1
        else:
            for other in range(SLOTS):
                if other != slot and view.slot[g, other] >= 0:
                    moves[n, ACTION], moves[n, A], moves[n, B] = REPLANT, place, other
                    n += 1
    return n


@njit
def slot_moves(view: Any, games: Any) -> Any:
    """Return the number of legal moves of each of `games` by harvest slot [G, 4]."""
    found = np.empty((len(games), SLOTS), np.int16)
    slots, hands, hogs, bunnies, rows, counts = view.slot, view.hand, view.hog, view.bunny, view.tables.hog, view.tables.counts
    times = np.ones(7, np.int64)
    for i in range(len(games)):
        g = games[i]
        row = LAST_ROW if view.turn == LAST else rows[hogs[g] + 1]
        if view.turn != LAST:
            kinds, others = 0, -1
            for kind in range(6):
                kinds += hands[g, kind] > 0
            for slot in range(SLOTS):
                others += slots[g, slot] >= 0
            times[POTATO + 1], times[TOMATO + 1] = kinds, others
        with_bunny = np.int64(bunnies[g] >= 0)
        for slot in range(SLOTS):
            kind = slots[g, slot] + 1
            found[i, slot] = counts[row, with_bunny, kind] * times[kind]
    return found


@njit
def write_moves(view: Any, games: Any, sizes: Any, numbers: Any, moves: Any) -> None:
    """Write to moves [G, 4] for each of `games` the move with a number in canonical order; a pass where there is none.

    sizes is what `slot_moves` returned. A move is worked out from its number, no other one is listed.
    """
    slots, hogs, bunnies, rows, last = view.slot, view.hog, view.bunny, view.tables.hog, view.turn == LAST
    cabbage, pea, pepper, bunny_stays = view.tables.cabbage, view.tables.pea, view.tables.pepper, not view.rules.pepper_moves_bunny
    for i in range(len(games)):
        g = games[i]
        slot, n = 0, numbers[i]
        while slot < SLOTS and n >= sizes[i, slot]:
            n -= sizes[i, slot]
            slot += 1
        if slot == SLOTS:  # nothing to pick
            moves[g, SLOT], moves[g, ACTION], moves[g, A], moves[g, B] = -1, NONE, NULL, NULL
            continue
        kind, hog, bunny = slots[g, slot], np.int64(hogs[g]), np.int64(bunnies[g])
        row, what, a, b = rows[hog + 1], NONE, NULL, NULL
        if last:
            pass
        elif kind == CABBAGE:
            what, a, b = cabbage[row, n, 0], cabbage[row, n, 1], cabbage[row, n, 2]
        elif kind == PEA:
            what, a, b = pea[row, n, 0], pea[row, n, 1], pea[row, n, 2]
        elif kind == PEPPER:
            if bunny_stays and bunny >= 0:
                n = nth_without(pepper, row, n, bunny)
            what, a, b = pepper[row, n, 0], pepper[row, n, 1], pepper[row, n, 2]
        elif kind == CARROT:
            if bunny >= 0:
                what, a = MOVE_BUNNY, n + (n >= bunny)
        else:
            cells = CELLS - (hog >= 0)
            a = n * cells // sizes[i, slot]
            b = n - a * (sizes[i, slot] // cells)
            a += hog >= 0 and a >= hog
            what = EXCHANGE if kind == POTATO else REPLANT
            b = nth_held(view.hand, g, b) if kind == POTATO else nth_other(slots, g, slot, b)
        moves[g, SLOT], moves[g, ACTION], moves[g, A], moves[g, B] = slot, what, a, b


@inner
def nth_without(pepper: Any, row: Any, n: Any, bunny: Any) -> Any:
    """Return the number in the table of the n-th pepper's action that leaves the bunny's post."""
    at = -1
    while n >= 0:
        at += 1
        n -= pepper[row, at, 0] != SWAP_POSTS or (pepper[row, at, 1] != bunny and pepper[row, at, 2] != bunny)
    return at


@inner
def nth_held(hand: Any, g: Any, n: Any) -> Any:
    """Return the n-th kind in the hand."""
    kind = -1
    while n >= 0:
        kind += 1
        n -= hand[g, kind] > 0
    return kind


@inner
def nth_other(slots: Any, g: Any, slot: Any, n: Any) -> Any:
    """Return the n-th slot with a card, `slot` left out."""
    other = -1
    while n >= 0:
        other += 1
        n -= other != slot and slots[g, other] >= 0
    return other


@njit
def count_moves(view: Any, out: Any) -> None:
    """Write to out [G] the number of legal moves of each game."""
    sizes = slot_moves(view, np.arange(len(out)))
    for g in range(len(out)):
        out[g] = sizes[g, 0] + sizes[g, 1] + sizes[g, 2] + sizes[g, 3]
