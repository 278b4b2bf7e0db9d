"""What changed between two decks: physical cards of the old one paired with those of the new one, and what is left over.

What may live here: the pairing and what follows from it. d(a, b) is the least number of spaces in which two faces
differ, as they lie or after a half-turn.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from veggies_sim.core.errors import InputError
from veggies_sim.games.veggies.deck import CODE, SPACES, SYMBOLS, Card, Deck, as_deck
from veggies_sim.games.veggies.design.faces import Spaces, canonical, face_of, half_turn, spaces_of
from veggies_sim.games.veggies.design.letters import face_letters
from veggies_sim.games.veggies.drawing import with_copies

FAR = 4  # of 6 spaces: cards that differ in so many are no longer told as one card that was changed
MOST_PAIRS = 16_000_000  # of old and new cards that are not equal: a matrix of 128 MB


def _differing(one: Spaces, other: Spaces) -> int:
    return sum(a != b for a, b in zip(one, other, strict=True))


@dataclass(frozen=True)
class Pair:
    """A card of the old deck and what it is in the new one; `copies` physical cards went this way."""

    old: Card
    new: Card
    copies: int

    @property
    def name(self) -> str:
        """Return the ids as people read them: one where it stayed, and their copies."""
        ids = self.old.id if self.old.id == self.new.id else f"{self.old.id} -> {self.new.id}"
        return with_copies(ids, self.copies)

    @property
    def turned(self) -> bool:
        """Say whether the old card is nearer to the new one after a half-turn than as it lies."""
        old, new = spaces_of(self.old.face), spaces_of(self.new.face)
        return _differing(half_turn(old), new) < _differing(old, new)

    @property
    def before(self) -> Card:
        """Return the old card, turned where that brings it nearer to the new one."""
        return replace(self.old, face=face_of(half_turn(spaces_of(self.old.face)))) if self.turned else self.old

    @property
    def spaces(self) -> dict[str, tuple[str, str]]:
        """Return space of the new card -> old and new symbol, of the spaces that changed."""
        both = zip(SPACES, spaces_of(self.before.face), spaces_of(self.new.face), strict=True)
        return {space: (old, new) for space, old, new in both if old != new}

    def facts(self) -> dict[str, Any]:
        """Return the pair as JSON has it."""
        spaces = {space: {"old": old, "new": new} for space, (old, new) in self.spaces.items()}
        return _ids(self) | {"turned": self.turned, "spaces": spaces}


@dataclass(frozen=True)
class DeckDiff:
    """What became of each physical card, in the order of the old deck, added cards in that of the new one."""

    old: Deck
    new: Deck
    same: tuple[Pair, ...]  # equal faces: nothing changed but perhaps the id, or how the card is turned in the file
    changed: tuple[Pair, ...]
    removed: tuple[Card, ...]  # with so many copies as were removed
    added: tuple[Card, ...]  # with so many copies as were added

    @property
    def alike(self) -> bool:
        """Say whether both decks are made of the same cards, whatever their ids, turns and order."""
        return not (self.changed or self.removed or self.added)

    @property
    def renamed(self) -> list[Pair]:
        """Return the pairs of `same` whose id is another one."""
        return [pair for pair in self.same if pair.old.id != pair.new.id]

    @property
    def turned(self) -> list[Pair]:
        """Return the pairs of `same` that lie the other way round in the file."""
        return [pair for pair in self.same if pair.turned]

    @property
    def symbols(self) -> dict[str, int]:
        """Return symbol -> spaces more (or, below 0, less) in the new deck."""
        old, new = self.old.counts(), self.new.counts()
        return {symbol: new[symbol] - old[symbol] for symbol in SYMBOLS}

    def summary(self) -> str:
        """Return in one line how many cards, copies counted, went which way."""
        same, renamed, turned, changed, removed, added = (
            sum(part.copies for part in parts)
            for parts in (self.same, self.renamed, self.turned, self.changed, self.removed, self.added)
        )
        kept = f"{same:,} unchanged ({renamed:,} renamed, {turned:,} turned)"
        return f"{kept}, {changed:,} changed, {removed:,} removed, {added:,} added"

    def facts(self) -> dict[str, Any]:
        """Return the differences as JSON has them; numbers of cards count copies."""
        return {
            "equal": self.old == self.new,
            "cards": {"old": len(self.old), "new": len(self.new)},
            "unchanged": sum(pair.copies for pair in self.same),
            "renamed": [_ids(pair) for pair in self.renamed],
            "turned": [_ids(pair) for pair in self.turned],
            "changed": [pair.facts() for pair in self.changed],
            "removed": [_card_facts(card) for card in self.removed],
            "added": [_card_facts(card) for card in self.added],
            "symbols": self.symbols,
        }


def _ids(pair: Pair) -> dict[str, Any]:
    return {"old": pair.old.id, "new": pair.new.id, "copies": pair.copies}


def _card_facts(card: Card) -> dict[str, Any]:
    return {"id": card.id, "copies": card.copies, "face": face_letters(card.face)}


def diff_decks(old: Deck, new: Deck) -> DeckDiff:
    """Return what changed from one deck to another, physical card by physical card.

    Cards with equal faces are paired first; those left over by the assignment with the least sum of min(d, FAR), among those
    the one with the most equal ids. A pair with d >= FAR is told as one card removed and one added. Since min(d, FAR) is a
    metric, no other pairing of all cards has a lower sum. Raises InputError where too many cards differ.
    """
    pairing = _Pairing(as_deck(old, "old"), as_deck(new, "new"))
    for key in (_id_and_face, _id_and_card, _face, _card):
        pairing.pair_equal(key)
    equal = set(pairing.copies)
    pairing.pair_nearest()
    told = {places: Pair(old.cards[places[0]], new.cards[places[1]], copies) for places, copies in sorted(pairing.copies.items())}
    return DeckDiff(
        old,
        new,
        tuple(pair for places, pair in told.items() if places in equal),
        tuple(pair for places, pair in told.items() if places not in equal),
        _cards(old, pairing.left),
        _cards(new, pairing.right),
    )


def changed_cards(old: Deck, new: Deck) -> list[Card]:
    """Return the cards of `new` that are to be made again, in its order, each with so many copies: changed or added.

    Raises InputError as `diff_decks` does.
    """
    diff = diff_decks(old, new)
    copies = Counter({card.id: card.copies for card in diff.added})
    for pair in diff.changed:
        copies[pair.new.id] += pair.copies
    return [replace(card, copies=copies[card.id]) for card in new.cards if copies[card.id]]


def _cards(deck: Deck, places: list[int]) -> tuple[Card, ...]:
    return tuple(replace(deck.cards[place], copies=copies) for place, copies in sorted(Counter(places).items()))


def _face(card: Card) -> Hashable:
    return card.face


def _card(card: Card) -> Hashable:
    return canonical(spaces_of(card.face))


def _id_and_face(card: Card) -> Hashable:
    return card.id, card.face


def _id_and_card(card: Card) -> Hashable:
    return card.id, _card(card)


class _Pairing:
    """The pairs found so far, and the physical cards that have none yet."""

    def __init__(self, old: Deck, new: Deck) -> None:
        self.old, self.new = old.cards, new.cards
        self.left, self.right = list(old.slots), list(new.slots)  # place in the deck's cards of each physical card
        self.copies: Counter[tuple[int, int]] = Counter()  # (place of the old card, of the new one) -> physical cards

    def pair_equal(self, key: Callable[[Card], Hashable]) -> None:
        """Pair cards whose keys are equal, in the order of the files."""
        olds, news = [key(card) for card in self.old], [key(card) for card in self.new]
        waiting: dict[Hashable, list[int]] = defaultdict(list)
        for place in reversed(self.right):
            waiting[news[place]].append(place)
        rest = []
        for place in self.left:
            if same := waiting[olds[place]]:
                self.copies[place, same.pop()] += 1
            else:
                rest.append(place)
        self.left, self.right = rest, sorted(place for places in waiting.values() for place in places)

    def pair_nearest(self) -> None:
        """Pair unequal cards by the best assignment. Raises InputError where they are too many."""
        if len(self.left) * len(self.right) > MOST_PAIRS:
            raise InputError(
                f"the decks have too little in common to be told apart card by card: {len(self.left):,} cards of the old one and "
                f"{len(self.right):,} of the new one are not equal, valid: at most {MOST_PAIRS:,} pairs of them (4,000 and 4,000). "
                "Give decks that are more alike, or with fewer copies."
            )
        if not (self.left and self.right):
            return
        from scipy.optimize import linear_sum_assignment

        apart = self._apart()
        ids = {card.id: place for place, card in enumerate(self.old)}
        before = np.array([ids.get(self.new[place].id, -1) for place in self.right])
        renamed = np.array(self.left)[:, None] != before[None]
        # Ids only decide between equal sums of spaces: all of them together weigh less than one space.
        cost = np.minimum(apart, FAR) * (min(apart.shape) + 1.0) + renamed
        rows, columns = linear_sum_assignment(cost)
        near = apart[rows, columns] < FAR
        for row, column in zip(rows[near], columns[near], strict=True):
            self.copies[self.left[row], self.right[column]] += 1
        self.left = np.delete(self.left, rows[near]).tolist()
        self.right = np.delete(self.right, columns[near]).tolist()

    def _apart(self) -> NDArray[np.int8]:
        """Return d of the cards left over [old cards, new cards]."""
        old, new = (
            np.array([[CODE[symbol] for symbol in spaces_of(cards[place].face)] for place in places], np.int8)
            for cards, places in ((self.old, self.left), (self.new, self.right))
        )
        lying, turned = np.zeros((2, len(old), len(new)), np.int8)
        for k in range(6):
            lying += old[:, None, k] != new[None, :, k]
            turned += old[:, None, 5 - k] != new[None, :, k]
        return np.minimum(lying, turned)
