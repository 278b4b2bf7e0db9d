"""The steps of a game, for a whole block at once: deal, draw, apply the chosen moves, score. Axes as in `state`.

Parts of the deal stream: 0 shuffles the deck, 1 draws the kind that is out, 2 shuffles the posts, 3 draws the post that the
bunny replaces, 4 the groundhog's place where chance puts it, 5 + n shuffles the discards for the n-th time.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from veggies_sim.core.jit import inner, njit
from veggies_sim.core.streams import DEAL, shuffle, uniform
from veggies_sim.games.veggie_garden.board import CARROT, COMPOST, PEA
from veggies_sim.games.veggie_garden.state import ACTION, BUNNY, CELLS, DEALT, LAST, MOST_FOURS, POSTS, SLOT, SLOTS, A, B
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

KIND_PART, POST_PART, BUNNY_PART, HOG_PART, RESHUFFLE_PART = 1, 2, 3, 4, 5
HOG_CELLS = np.array(COMPOST)


@njit
def deal(seed: Any, deals: Any, out: Any, copies: Any, out_fixed: Any) -> Any:
    """Draw the kind out of play of each game [G] (where `out_fixed` is -1), and return the deck of each, shuffled.

    copies [K] is how many cards of each kind there are. Returns decks [G, D] of kinds, -1 after a deck's last card, and
    the sizes [G].
    """
    cards = np.zeros((len(deals), copies.sum()), np.int8)
    cards[:] = -1
    size = np.zeros(len(deals), np.int16)
    for g in range(len(deals)):
        out[g] = out_fixed if out_fixed >= 0 else np.int64(uniform(seed, DEAL, KIND_PART, deals[g], 0) * len(copies))
        n = 0
        for kind in range(len(copies)):
            if kind != out[g]:
                for _ in range(copies[kind]):
                    cards[g, n] = kind
                    n += 1
        shuffle(cards[g, :n], seed, deals[g])
        size[g] = n
    return cards, size


@njit
def lay_posts(
    seed: Any, deals: Any, points: Any, with_bunny: Any, with_hog: Any, out: Any, post: Any, bunny: Any, hog: Any
) -> None:
    """Shuffle the posts [G, 12] of `points` [12]; place bunny and groundhog where they are in play, the latter by chance."""
    for g in range(len(deals)):
        post[g] = points
        shuffle(post[g], seed, deals[g], POST_PART)
        if with_bunny and out[g] != CARROT:
            bunny[g] = np.int64(uniform(seed, DEAL, BUNNY_PART, deals[g], 0) * POSTS)
            post[g, bunny[g]] = BUNNY
        if with_hog and out[g] != PEA:
            hog[g] = HOG_CELLS[np.int64(uniform(seed, DEAL, HOG_PART, deals[g], 0) * len(HOG_CELLS))]


@njit
def lay_cards(seed: Any, deals: Any, piles: Any, reshuffle: Any, cell: Any, hand: Any) -> None:
    """Lay garden and harvest and deal two cards to each seat (rules: Garden)."""
    deck, top, slot, seats = piles.deck, piles.top, piles.slot, hand.shape[1]
    for g in range(len(deals)):  # no deck is smaller than that, see `VeggieGarden`
        for place in range(CELLS):
            cell[g, place] = deck[g, place]
        for at in range(SLOTS):
            slot[g, at] = deck[g, CELLS + at]
        top[g] = CELLS + SLOTS
    for g in range(len(deals)):
        if slot[g, 0] == slot[g, 1] and slot[g, 1] == slot[g, 2] and slot[g, 2] == slot[g, 3]:
            replace_fours(g, seed, deals[g], piles, reshuffle)
    for g in range(len(deals)):
        for n in range(DEALT * seats):
            if top[g] < piles.end[g]:
                card = np.int64(deck[g, top[g]])
                top[g] += 1
            else:
                card = draw(g, seed, deals[g], piles, reshuffle)
            if card >= 0:  # without reshuffling, fours at the start may have used up the deck
                hand[g, n // DEALT, card] += 1


@inner
def draw(g: Any, seed: Any, index: Any, piles: Any, reshuffle: Any) -> Any:
    """Return the next card of game g, -1 where there is none; an empty deck is made anew of the discards."""
    if piles.top[g] == piles.end[g] and reshuffle:
        first = piles.end[g]
        for kind in range(6):
            for _ in range(piles.discard[g, kind]):
                piles.deck[g, piles.end[g]] = kind
                piles.end[g] += 1
            piles.discard[g, kind] = 0
        shuffle(piles.deck[g, first : piles.end[g]], seed, index, RESHUFFLE_PART + piles.shuffles[g])
        piles.shuffles[g] += 1
    if piles.top[g] == piles.end[g]:
        return np.int64(-1)
    piles.top[g] += 1
    return np.int64(piles.deck[g, piles.top[g] - 1])


@inner
def replace_fours(g: Any, seed: Any, index: Any, piles: Any, reshuffle: Any) -> None:
    """Replace four of a kind in the harvest while other kinds are left in deck or discards (rules: Garden)."""
    slot, deck, discard = piles.slot, piles.deck, piles.discard
    while slot[g, 0] >= 0 and slot[g, 0] == slot[g, 1] == slot[g, 2] == slot[g, 3] and piles.fours[g] < MOST_FOURS:
        kind = slot[g, 0]
        others = False
        for other in range(6):
            others |= other != kind and discard[g, other] > 0
        for at in range(piles.top[g], piles.end[g]):
            others |= deck[g, at] != kind
        if not others:
            return
        discard[g, kind] += SLOTS
        piles.fours[g] += 1
        for place in range(SLOTS):
            slot[g, place] = -1
        for place in range(SLOTS):
            slot[g, place] = draw(g, seed, index, piles, reshuffle)


@njit
def apply(seed: Any, deals: Any, turn: Any, seat: Any, moves: Any, state: Any, piles: Any, tables: Any, reshuffle: Any) -> None:
    """Play the moves [G, 4] of a seat: pick, act, refill; state = (cell, post, bunny, hog, hand, taken).

    A move with slot -1 passes: there was nothing to pick.
    """
    cell, post, bunny, hog, hand, taken = state
    slot, discard = piles.slot, piles.discard
    shift_posts(moves, post, bunny, tables)
    for g in range(len(moves)):
        at, what, a, b = moves[g, SLOT], moves[g, ACTION], np.int64(moves[g, A]), np.int64(moves[g, B])
        if at < 0:
            continue
        kind = slot[g, at]
        slot[g, at] = -1
        if what == SWAP_CARDS:
            cell[g, a], cell[g, b] = cell[g, b], cell[g, a]
        elif what == EXCHANGE:
            got = cell[g, a]
            cell[g, a] = b
            hand[g, seat, b] -= 1
            taken[g, seat, b] -= 1
            hand[g, seat, got] += 1
            taken[g, seat, got] += 1
        elif what == REPLANT:
            discard[g, cell[g, a]] += 1
            cell[g, a] = slot[g, b]
            slot[g, b] = -1
        elif what == SHIFT_CARDS:
            c0, c1, c2, c3 = tables.lines[a, 0], tables.lines[a, 1], tables.lines[a, 2], tables.lines[a, 3]
            if b < 0:
                c0, c1, c2, c3 = c3, c2, c1, c0
            cell[g, c1], cell[g, c2], cell[g, c3], cell[g, c0] = cell[g, c0], cell[g, c1], cell[g, c2], cell[g, c3]
        elif what == MOVE_GROUNDHOG:
            hog[g] = a
            cell[g, b], cell[g, 2 * a - b] = cell[g, 2 * a - b], cell[g, b]
        elif what == MOVE_BUNNY:
            post[g, bunny[g]], post[g, a] = post[g, a], post[g, bunny[g]]
            bunny[g] = a
        elif what == SWAP_POSTS:
            post[g, a], post[g, b] = post[g, b], post[g, a]
            if bunny[g] == a:
                bunny[g] = b
            elif bunny[g] == b:
                bunny[g] = a
        hand[g, seat, kind] += 1
        taken[g, seat, kind] += 1
    if turn < LAST:
        refill(seed, deals, moves, piles, reshuffle)


@inner
def shift_posts(moves: Any, post: Any, bunny: Any, tables: Any) -> None:
    """Play the moves that shift the posts of a side; the bunny goes with its own."""
    for g in range(len(moves)):
        if moves[g, SLOT] < 0 or moves[g, ACTION] != SHIFT_POSTS:
            continue
        side, step = moves[g, A], np.int64(moves[g, B])
        length, places = tables.length[side], tables.sides[side]
        before, bunny_was = post[g].copy(), bunny[g]
        for i in range(length):
            to = places[(i + step) % length]
            post[g, to] = before[places[i]]
            if bunny_was == places[i]:
                bunny[g] = to


@inner
def refill(seed: Any, deals: Any, moves: Any, piles: Any, reshuffle: Any) -> None:
    """Draw for the harvest: the picked slot first, then the planted one, then four of a kind anew."""
    deck, top, end, slot = piles.deck, piles.top, piles.end, piles.slot
    rare, count = np.empty(len(moves), np.int64), 0  # games that need more than the next cards of the deck
    for g in range(len(moves)):
        at, other, next_card = moves[g, SLOT], moves[g, B], top[g]
        if at < 0:
            continue
        replanted = np.int16(moves[g, ACTION] == REPLANT)
        if next_card + replanted >= end[g]:
            rare[count] = g
            count += 1
            continue
        slot[g, at] = deck[g, next_card]
        if replanted:
            slot[g, other] = deck[g, next_card + 1]
        top[g] = next_card + 1 + replanted
        if slot[g, 0] == slot[g, 1] and slot[g, 1] == slot[g, 2] and slot[g, 2] == slot[g, 3]:
            rare[count] = g
            count += 1
    for g in rare[:count]:
        at, other = moves[g, SLOT], moves[g, B]
        if slot[g, at] < 0:
            slot[g, at] = draw(g, seed, deals[g], piles, reshuffle)
            if moves[g, ACTION] == REPLANT:
                slot[g, other] = draw(g, seed, deals[g], piles, reshuffle)
        replace_fours(g, seed, deals[g], piles, reshuffle)


@njit
def values(cell: Any, post: Any, cell_of: Any) -> Any:
    """Return the value of each kind [G, K]: the points of the posts beside its cards (rules: End and score)."""
    found = np.zeros((len(cell), 6), np.int16)
    for g in range(len(cell)):
        for place in range(POSTS):
            found[g, cell[g, cell_of[place]]] += post[g, place]
    return found


@njit
def score(value: Any, hand: Any, out: Any, bonus: Any, points: Any, extra: Any) -> None:
    """Write to points and extra [G, P] the score of each seat and the bonus in it."""
    for g in range(len(hand)):
        for seat in range(hand.shape[1]):
            total, all_kinds = np.int64(0), True
            for kind in range(6):
                total += np.int64(value[g, kind]) * hand[g, seat, kind]
                all_kinds &= kind == out[g] or hand[g, seat, kind] > 0
            extra[g, seat] = bonus if all_kinds else 0
            points[g, seat] = total + extra[g, seat]


@njit
def by_kind(hand: Any, value: Any, out: Any, absent: Any) -> Any:
    """Return the cards in each hand and the value of each kind as columns [K, G, P]; `absent` for the kind not in play."""
    games, seats = hand.shape[:2]
    held, worth = np.empty((6, games, seats), np.uint8), np.empty((6, games, seats), np.uint8)
    for kind in range(6):
        for g in range(games):
            for seat in range(seats):
                held[kind, g, seat] = absent if out[g] == kind else hand[g, seat, kind]
                worth[kind, g, seat] = absent if out[g] == kind else value[g, kind]
    return held, worth


@njit
def first_cards(deck: Any, count: Any) -> Any:
    """Return the first cards of each deck, count [G] of them, -1 after those."""
    found = np.empty((len(deck), count.max()), np.int8)
    for g in range(len(deck)):
        for at in range(found.shape[1]):
            found[g, at] = deck[g, at] if at < count[g] else -1
    return found
