"""Changes of a deck, each a pure function: a deck in, a new deck out.

What may live here: the operations, and what differs between two decks in words. Every operation keeps the places of the
cards it does not touch, so that decks of equal size get the same shuffles slot by slot. Where one copy of a card with
several changes, that copy becomes a card of its own (v01-2); a single change takes the last copy.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from veggies_sim.core.checks import one_of, real, several, whole
from veggies_sim.core.errors import InputError, counted, show, unknown
from veggies_sim.core.streams import SEED_LIMIT
from veggies_sim.games.veggies.deck import EMPTY, MAX_CARDS, MAX_COPIES, SPACES, Card, Deck, Face, as_deck
from veggies_sim.games.veggies.design.faces import face_of, spaces_of
from veggies_sim.games.veggies.design.letters import read_face, read_symbol

MOST_TOLD = 4  # changed spaces that one line names
MOST_FACTOR = 6 * MAX_CARDS  # of `scale`: no deck has so many spaces


def swap(deck: Deck, first: Sequence[str], second: Sequence[str]) -> Deck:
    """Return the deck with the symbols of two spaces exchanged; each is (id of the card, space).

    Raises InputError for an unknown card or space, and for one space given twice.
    """
    pairs = [several(pair, "space", "('v01', 'r1c1')") for pair in (first, second)]
    if bad := [pair for pair in pairs if len(pair) != 2]:
        raise InputError(f"space: found {show(bad[0])}; give the id of a card and a space, such as ('v01', 'r1c1').")
    (c, s), (d, t) = (_place(deck, card, space) for card, space in pairs)
    if (c, s) == (d, t):
        raise InputError(f"swap: found {deck.cards[deck.slots[c]].id}:{SPACES[s]} twice; give two spaces.")
    singles = deck.singles()
    symbol, other = spaces_of(singles[c].face)[s], spaces_of(singles[d].face)[t]
    _put(singles, c, s, other)
    _put(singles, d, t, symbol)
    return _rebuilt(deck, singles)


def replace_symbol(deck: Deck, card: str, space: str, symbol: str) -> Deck:
    """Return the deck with another symbol in one space. Raises InputError for an unknown card, space or symbol."""
    c, s = _place(deck, card, space)
    singles = deck.singles()
    _put(singles, c, s, read_symbol(symbol))
    return _rebuilt(deck, singles)


def turn(deck: Deck, from_symbol: str, to_symbol: str, number: int | None = None, seed: int = 0) -> Deck:
    """Return the deck with one symbol turned into another: in all its spaces, or in `number` of them drawn by `seed`.

    The spaces of a smaller number are among those of a larger one. Raises InputError for more than the deck has.
    """
    old, new = read_symbol(from_symbol, "from_symbol"), read_symbol(to_symbol, "to_symbol")
    if old == new:
        raise InputError(f"turn: found {old} twice; give two symbols.")
    singles = as_deck(deck).singles()
    places = [(c, s) for c, card in enumerate(singles) for s, symbol in enumerate(spaces_of(card.face)) if symbol == old]
    if number is not None:
        if not places and number != 0:
            raise InputError(f"turn: the deck has no {old}.")
        whole(number, f"number (the deck has {counted(len(places), 'space')} of {old})", 0, len(places))
    stream = random.Random(whole(seed, "seed", 0, SEED_LIMIT - 1))
    for c, s in sorted(places, key=lambda _: stream.random())[:number]:  # numbers that are the same in every Python
        _put(singles, c, s, new)
    return _rebuilt(deck, singles)


def scale(deck: Deck, symbol: str, factor: float, filler: str = EMPTY, seed: int = 0) -> Deck:
    """Return the deck with round(factor * now) spaces of a symbol; surplus ones become `filler`, missing ones come from it.

    The spaces are drawn by `seed` and nested: a larger factor keeps and takes all that a smaller one does. Raises
    InputError where there is not enough of the filler.
    """
    name, other = read_symbol(symbol), read_symbol(filler, "filler")
    if name == other:
        raise InputError(f"scale: the filler is {name} too; give another one.")
    factor = real(factor, "factor", 0, MOST_FACTOR)
    counts = as_deck(deck).counts()
    missing = round(factor * counts[name]) - counts[name]
    if missing > counts[other]:
        raise InputError(
            f"factor: found {factor:g}; {name} has {counts[name]:,} spaces and can take {counts[other]:,} more from {other}. Give "
            f"up to {(counts[name] + counts[other]) / counts[name]:.4g}, or another filler."
        )
    return turn(deck, other, name, missing, seed) if missing > 0 else turn(deck, name, other, -missing, seed)


def add(deck: Deck, id: str, face: Face | str, copies: int = 1) -> Deck:
    """Return the deck with one more card at its end; `face` as rows of symbols or as text such as "SB. GRM".

    Raises InputError for an id that the deck has already, and for what makes no card.
    """
    if any(card.id == id for card in as_deck(deck).cards):
        raise InputError(f"add: the deck has a card {show(id)} already; give another id.")
    return Deck([*deck.cards, Card(id, read_face(face) if isinstance(face, str) else face, copies)], deck.extra)


def set_copies(deck: Deck, card: str, copies: int) -> Deck:
    """Return the deck with another number of copies of a card. Raises InputError for an unknown card or number."""
    place = _find(deck, card)
    copies = whole(copies, f"copies of {card}", 1, MAX_COPIES)
    cards = [replace(each, copies=copies) if number == place else each for number, each in enumerate(deck.cards)]
    return Deck(cards, deck.extra)


def drop(deck: Deck, ids: Iterable[str]) -> Deck:
    """Return the deck without some cards, all their copies. Raises InputError for unknown ids and where no card is left."""
    gone = {_find(deck, card) for card in several(ids, "ids", "['v01', 'v02']")}
    cards = [card for number, card in enumerate(as_deck(deck).cards) if number not in gone]
    if not cards:
        which = f"these are all {len(gone):,} cards" if len(gone) > 1 else f"{show(deck.cards[0].id)} is the only card"
        raise InputError(f"drop: {which}; a deck keeps at least one.")
    return Deck(cards, deck.extra)


# By the names that the command line and lineages use.
OPERATIONS: dict[str, Callable[..., Deck]] = {
    "swap": swap, "set": replace_symbol, "turn": turn, "scale": scale, "add": add, "copies": set_copies, "drop": drop,
}  # fmt: skip


def changes(old: Deck, new: Deck) -> str:
    """Return what differs after one operation, in one line: spaces where the decks have as many cards, and totals."""
    said, before, after = [], as_deck(old, "old").counts(), as_deck(new, "new").counts()
    if len(old) == len(new):
        spaces = [
            f"{card.id} {space}: {was} -> {now}"
            for single, card in zip(old.singles(), (new.cards[place] for place in new.slots), strict=True)
            for space, was, now in zip(SPACES, spaces_of(single.face), spaces_of(card.face), strict=True)
            if was != now
        ]
        said = spaces if len(spaces) <= MOST_TOLD else [f"{len(spaces):,} spaces changed"]
    else:
        said = [f"cards {len(old):,} -> {len(new):,}"]
    totals = ", ".join(f"{symbol} {before[symbol]:,} -> {after[symbol]:,}" for symbol in before if before[symbol] != after[symbol])
    return "; ".join([*said, totals] if totals else said) or "nothing changed"


def _find(deck: Deck, card: object) -> int:
    """Return the place of a card in the deck."""
    ids = [each.id for each in as_deck(deck).cards]
    if card not in ids:
        raise unknown("card", card, ids)
    return ids.index(str(card))


def _place(deck: Deck, card: object, space: object) -> tuple[int, int]:
    """Return the last slot of a card and the number of a space of it."""
    place = _find(deck, card)
    last = sum(each.copies for each in deck.cards[: place + 1]) - 1
    return last, SPACES.index(one_of(space.lower() if isinstance(space, str) else space, "space", SPACES))


def _put(singles: list[Card], slot: int, space: int, symbol: str) -> None:
    """Put a symbol on a space of one single card."""
    a, b, c, d, e, f = (symbol if s == space else held for s, held in enumerate(spaces_of(singles[slot].face)))
    singles[slot] = replace(singles[slot], face=face_of((a, b, c, d, e, f)))


def _rebuilt(deck: Deck, singles: Sequence[Card]) -> Deck:
    """Return the deck whose slots show these faces: copies of a card that lie side by side and are equal stay one card."""
    cards: list[Card] = []
    rest = iter(singles)
    for card in deck.cards:
        mine = list(itertools.islice(rest, card.copies))
        runs = [(face, len(list(same))) for face, same in itertools.groupby(each.face for each in mine)]
        cards += [Card(single.id, face, copies) for single, (face, copies) in zip(mine, runs, strict=False)]
    return Deck(cards, deck.extra)
