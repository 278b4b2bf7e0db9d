"""What a deck holds, counted: symbols, spaces, cards by their symbols, goods that touch or meet, equal faces.

What may live here: counts of one deck, copies always counted. N cards have 6 N spaces and 7 N pairs of spaces that touch.
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import Any

from veggies_sim.games.veggies.deck import GOODS, SPACES, SYMBOLS, Deck, as_deck
from veggies_sim.games.veggies.design.faces import ON_CARD, PAIRS, Spaces, canonical, mirror, on_card, spaces_of, touching_pairs

MEETING = 10  # of the pairs of PAIRS, those that have one space in common


@dataclass(frozen=True)
class Touching:
    """How often one good touches itself on a face, and how often it would in a deck whose symbols were shuffled."""

    pairs: int
    shuffled: float  # expected pairs where the deck's symbols are dealt at random over all its spaces
    sd: float  # standard deviation of the same


@dataclass(frozen=True)
class Stats:
    """Counts of a deck; cards and spaces are those of all copies."""

    cards: int
    faces: int
    symbols: dict[str, int]  # symbol -> spaces
    spaces: dict[str, tuple[int, ...]]  # symbol -> cards that show it at r1c1 ... r2c3 as typed
    cards_with: dict[str, tuple[int, ...]]  # symbol, `goods`, `kinds` -> cards that have 0, 1 ... 6 of it
    touching: dict[str, Touching]  # good, `all` -> pairs of spaces
    together: dict[str, dict[str, int]]  # good -> good -> cards that show both; of one good with itself: that show it
    copies: dict[str, int]  # id -> copies, of faces with more than one
    equal: list[tuple[str, ...]]  # ids of faces that are equal as they lie or after a half-turn
    mirrored: list[tuple[tuple[str, ...], tuple[str, ...]]]  # ids of some faces, and of their mirror images

    def facts(self) -> dict[str, Any]:
        """Return all counts as JSON has them, with each symbol's share of the spaces and mean number on a card."""
        values = dataclasses.asdict(self)
        values["symbols"] = {
            symbol: {"spaces": count, "share": count / (6 * self.cards), "per_card": count / self.cards}
            for symbol, count in self.symbols.items()
        }
        values["spaces"] = {symbol: dict(zip(SPACES, counts, strict=True)) for symbol, counts in self.spaces.items()}
        values["touching"] = {"pairs": len(PAIRS) * self.cards, "goods": values["touching"]}
        return values


def deck_stats(deck: Deck) -> Stats:
    """Return the counts of a deck. Raises InputError for what is none."""
    faces = [(spaces_of(card.face), card.copies) for card in as_deck(deck).cards]
    return Stats(
        len(deck),
        len(deck.cards),
        deck.counts(),
        {
            symbol: tuple(sum(copies for spaces, copies in faces if spaces[place] == symbol) for place in range(6))
            for symbol in SYMBOLS
        },
        {key: _cards_with(key, faces) for key in ON_CARD},
        _touching(deck),
        {
            good: {other: sum(copies for spaces, copies in faces if good in spaces and other in spaces) for other in GOODS}
            for good in GOODS
        },
        {card.id: card.copies for card in deck.cards if card.copies > 1},
        deck.same_faces(),
        _mirrored(deck),
    )


def _cards_with(key: str, faces: list[tuple[Spaces, int]]) -> tuple[int, ...]:
    cards = [0] * 7
    for spaces, copies in faces:
        cards[on_card(spaces, key)] += copies
    return tuple(cards)


def _touching(deck: Deck) -> dict[str, Touching]:
    """Return the pairs of each good and of all, against their exact mean and standard deviation under a shuffle.

    A shuffle draws the symbols of all S = 6 N spaces without replacement. A good with c spaces fills k given spaces with
    chance (c)_k / (S)_k, where (c)_k = c (c - 1) ... (c - k + 1); two pairs of one good fill two spaces (the same pair),
    three (they meet) or four, two pairs of two goods always four.
    """
    number, total = len(deck), 6 * len(deck)
    edges, meet = len(PAIRS) * number, 2 * MEETING * number
    apart = edges * (edges - 1) - meet  # ordered pairs of pairs without a space in common
    counts = {good: deck.counts()[good] for good in GOODS}
    of = touching_pairs(deck)

    def chance(*numbers: tuple[int, int]) -> float:
        """Return the chance that given spaces hold c of one good, for each (spaces with the good, c)."""
        return math.prod(math.perm(count, k) for count, k in numbers) / math.perm(total, sum(k for _, k in numbers))

    mean = {good: edges * chance((c, 2)) for good, c in counts.items()}
    square = {good: mean[good] + meet * chance((c, 3)) + apart * chance((c, 4)) for good, c in counts.items()}
    both = sum(apart * chance((counts[a], 2), (counts[b], 2)) for a in GOODS for b in GOODS if a != b)
    result = {good: Touching(of[good], mean[good], _root(square[good] - mean[good] ** 2)) for good in GOODS}
    whole = sum(mean.values())
    return result | {"all": Touching(sum(of.values()), whole, _root(sum(square.values()) + both - whole**2))}


def _root(variance: float) -> float:
    """Return the square root of a variance that rounding may have put below 0."""
    return math.sqrt(max(variance, 0.0))


def _mirrored(deck: Deck) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Return the ids of faces whose mirror images the deck has too; a face that is its own mirror image is none."""
    ids: dict[Spaces, tuple[str, ...]] = {}
    for card in deck.cards:
        face = canonical(spaces_of(card.face))
        ids[face] = (*ids.get(face, ()), card.id)
    images = {face: canonical(mirror(face)) for face in ids}
    return [(ids[face], ids[image]) for face, image in images.items() if face < image and image in ids]
