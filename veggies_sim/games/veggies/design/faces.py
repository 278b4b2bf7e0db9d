"""Faces as six spaces in the order of the deck file, and what a designer asks of one: turned, mirrored, what touches what.

    0 1 2        r1c1 r1c2 r1c3
    3 4 5        r2c1 r2c2 r2c3
"""

from __future__ import annotations

from veggies_sim.games.veggies.deck import GOODS, SYMBOLS, Deck, Face

Spaces = tuple[str, str, str, str, str, str]

# What is counted on a card, and the most there can be: each symbol, spaces with goods, different goods.
GOODS_KEY, KINDS_KEY = "goods", "kinds"
ON_CARD = {**dict.fromkeys(SYMBOLS, 6), GOODS_KEY: 6, KINDS_KEY: len(GOODS)}

# The seven pairs of spaces of one face that touch side to side.
PAIRS = ((0, 1), (1, 2), (3, 4), (4, 5), (0, 3), (1, 4), (2, 5))


def spaces_of(face: Face) -> Spaces:
    """Return the six spaces of a face."""
    (a, b, c), (d, e, f) = face
    return a, b, c, d, e, f


def face_of(spaces: Spaces) -> Face:
    """Return the face that has these six spaces."""
    a, b, c, d, e, f = spaces
    return (a, b, c), (d, e, f)


def half_turn(spaces: Spaces) -> Spaces:
    """Return the spaces after a half-turn: the same card, seen from the other side of the table."""
    a, b, c, d, e, f = spaces
    return f, e, d, c, b, a


def mirror(spaces: Spaces) -> Spaces:
    """Return the spaces with left and right exchanged: another card, though it looks alike."""
    a, b, c, d, e, f = spaces
    return c, b, a, f, e, d


def canonical(spaces: Spaces) -> Spaces:
    """Return the lesser of both ways to lay a card with its long side across; equal for equal cards only."""
    return min(spaces, half_turn(spaces))


def on_card(spaces: Spaces, key: str) -> int:
    """Return how many of a key of ON_CARD a face has."""
    if key == GOODS_KEY:
        return sum(symbol in GOODS for symbol in spaces)
    return len({*spaces} & {*GOODS}) if key == KINDS_KEY else spaces.count(key)


def touching_goods(spaces: Spaces) -> list[str]:
    """Return the good of each of the seven PAIRS that shows one good twice."""
    return [spaces[i] for i, j in PAIRS if spaces[i] == spaces[j] and spaces[i] in GOODS]


def touching_pairs(deck: Deck) -> dict[str, int]:
    """Return good -> touching pairs that show it twice, of the seven of each physical card."""
    found = [(touching_goods(spaces_of(card.face)), card.copies) for card in deck.cards]
    return {good: sum(copies * goods.count(good) for goods, copies in found) for good in GOODS}
