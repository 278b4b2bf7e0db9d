"""The Veggies deck: card faces as plain words, checked once, written in one canonical form.

What may live here: symbols, cards, the deck, its canonical text. Files that people made are `deck_reader`'s work.
Source: rulebook of Magazynier (Veggies), parts of the game. A face has 2 rows of 3 spaces, in the file on one row:

    r1c1 r1c2 r1c3        quarter turns go clockwise:   r2c1 r1c1
    r2c1 r2c2 r2c3                                      r2c2 r1c2
                                                        r2c3 r1c3
"""

from __future__ import annotations

import collections
import csv
import hashlib
import io
import itertools
import os
import secrets
import unicodedata
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from veggies_sim.core.checks import as_path, whole
from veggies_sim.core.errors import InputError, nearest, show

GOODS = ("strawberry", "banana", "grape", "carrot", "mushroom")
EMPTY = "empty"
RAT = "rat"
SYMBOLS = (*GOODS, EMPTY, RAT)
CODE = {symbol: code for code, symbol in enumerate(SYMBOLS, start=1)}  # goods 1..5, empty 6, rat 7; 0 is none
LETTER = dict(zip(SYMBOLS, "SBGCM.R", strict=True))
SHIPPED_NOTE = "the shipped deck is a reconstruction: results are not those of the printed game"
MADE_FROM = 0.5  # share of cards; a deck of which so many are as in the shipped one was made from it
LETTERS = ", ".join(f"{letter} {symbol}" for symbol, letter in LETTER.items())

SPACES = ("r1c1", "r1c2", "r1c3", "r2c1", "r2c2", "r2c3")
HEADER = ("id", "copies", *SPACES)
MAX_COPIES = 1000
MAX_FACES = 1000  # a game takes 40 cards or so; tables, policies and pictures are made for some hundreds of faces
MAX_CARDS = 30_000  # copies counted: slots of the shuffled deck are numbers of 16 bits
MAX_BYTES = 1_000_000  # of a deck file; one of 40 cards has about 2,500
MAX_CELL = 131_072  # characters in one cell: the default limit of Python's csv module
# What may stand around a word: Unicode's white space (all of it is below U+3001), zero-width space, byte order mark.
BLANKS = "".join(filter(str.isspace, map(chr, range(0x3001)))) + "\u200b\ufeff"

Face = tuple[tuple[str, str, str], tuple[str, str, str]]


def rotate(face: tuple[tuple[str, ...], ...], quarter_turns: int) -> tuple[tuple[str, ...], ...]:
    """Return the rows of `face` after that many quarter turns clockwise (any whole number)."""
    for _ in range(quarter_turns % 4):
        face = tuple(zip(*reversed(face), strict=True))
    return face


def _goods_of(face: Face) -> tuple[tuple[str, ...], ...]:
    """Return where a face shows which goods, the same after a half-turn."""
    goods = tuple(tuple(word if word in GOODS else "" for word in row) for row in face)
    return min(goods, rotate(goods, 2))


@dataclass(frozen=True)
class Card:
    """One face and how many physical cards carry it; `Deck` checks it."""

    id: str
    face: Face
    copies: int = 1

    def _repr_svg_(self) -> str:
        """Return the picture that a notebook shows."""
        from veggies_sim.games.veggies.drawing import card_svg

        return card_svg(self)


def id_fault(card_id: object) -> str | None:
    """Return what is wrong with a card's id, or None: ids are text of any kind that survives a file."""
    if not isinstance(card_id, str):
        return f"found {show(card_id)}; an id is text, put it in quotes"
    if not (stripped := card_id.strip(BLANKS)):
        return "found no id; give every card an id, any text that no other card has"
    if card_id != stripped or len(card_id) > MAX_CELL:
        return f"found {show(card_id)}; an id has no spaces around it and at most {MAX_CELL:,} characters"
    if any(unicodedata.category(letter) in ("Cc", "Cs", "Zl", "Zp") for letter in card_id):
        return f"found {show(card_id)}; an id has no line breaks, control characters or half characters"
    return None


def size_fault(cards: Collection[Card]) -> str | None:
    """Return what is wrong with the number of cards or the length of all ids, or None."""
    if len(cards) > MAX_FACES:
        return f"found {len(cards):,} different cards; a deck has at most {MAX_FACES:,}, equal ones as copies of one"
    number = sum(card.copies for card in cards)
    if number > MAX_CARDS:
        return f"found {number:,} cards, copies counted; a deck has at most {MAX_CARDS:,}"
    size = len(canonical_text(cards).encode())
    return f"found {size:,} bytes of cards; a deck has at most {MAX_BYTES:,}, give shorter ids" if size > MAX_BYTES else None


def canonical_text(cards: Iterable[Card]) -> str:
    """Return the text of a deck file: header, comma, LF, words in lower case, quotes only where needed."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(HEADER)
    writer.writerows([card.id, card.copies, *card.face[0], *card.face[1]] for card in cards)
    return text.getvalue()


def _card_faults(where: str, card: object) -> list[str]:
    """Return the faults of one card, its id's uniqueness aside."""
    if not isinstance(card, Card):
        return [f"{where}: found {show(card)}; a deck is made of Card(id, face, copies)"]
    problem = id_fault(card.id)
    faults = [f"{where}, id: {problem}"] if problem else []
    try:
        whole(card.copies, f"{where}, copies", 1, MAX_COPIES)
    except InputError as error:
        faults.append(str(error))
    rows: object = card.face
    if not (isinstance(rows, tuple) and all(isinstance(row, tuple) for row in rows) and [*map(len, rows)] == [3, 3]):
        return [*faults, f"{where}, face: found {show(rows)}; valid: a tuple of 2 tuples of 3 symbols"]
    for space, word in zip(SPACES, itertools.chain(*rows), strict=True):
        if word not in SYMBOLS:
            guess = nearest(str(word), SYMBOLS)
            hint = f"did you mean {guess!r}? " if guess else ""
            faults.append(f"{where}, {space}: found {show(word)}; {hint}valid: {', '.join(SYMBOLS)}")
    return faults


class Deck:
    """Card faces in the order of their file. Two decks are equal when their canonical texts are.

    `extra` maps a card's id to its other named columns: kept in memory, never written. Raises InputError, with all
    faults, where there is no card, an id is not unique or not text that survives a file, copies is not 1..MAX_COPIES,
    or a face is not 2 x 3 known symbols.
    """

    def __init__(self, cards: Iterable[Card], extra: Mapping[str, Mapping[str, str]] | None = None) -> None:
        if isinstance(cards, str | os.PathLike) or not isinstance(cards, Iterable):
            raise InputError(f"found {show(cards)}; a deck is made of cards. To read a file give Deck.read_csv(path)")
        self.cards = tuple(cards)
        faults = [] if self.cards else ["found no cards; give at least one Card(id, face, copies)"]
        first: dict[str, int] = {}
        for number, card in enumerate(self.cards, start=1):
            faults += _card_faults(f"card {number}", card)
            if isinstance(card, Card) and first.setdefault(str(card.id), number) != number:
                faults.append(f"card {number}, id: found {show(card.id)}, the id of card {first[str(card.id)]} too")
        if not faults and (fault := size_fault(self.cards)):
            faults = [fault]
        if faults:
            raise InputError("\n".join(["the cards make no deck; mend these faults:", *faults]))
        self.cards = tuple(replace(card, copies=int(card.copies)) for card in self.cards)  # NumPy's numbers are fine
        self.extra = {card.id: dict((extra or {}).get(card.id, {})) for card in self.cards}

    @classmethod
    def read_csv(cls, path: str | os.PathLike[str]) -> Deck:
        """Read a deck file, also as spreadsheets export it. Raises InputError with every fault of the file."""
        from veggies_sim.games.veggies.deck_reader import read_deck

        return read_deck(path)

    @classmethod
    def shipped(cls) -> Deck:
        """Return the deck that comes with the package: a *reconstruction*, the printed faces are not public.

        Raises InputError where the package was installed without its data.
        """
        from importlib import resources

        folders = resources.files("veggies_sim"), Path(__file__).resolve().parents[3]
        for source in (folder / "data" / "cards.csv" for folder in folders):
            if source.is_file():
                with resources.as_file(source) as path:
                    return cls.read_csv(path)
        raise InputError("the shipped deck, data/cards.csv, is missing; install veggies_sim again or name a deck file")

    def to_csv(self) -> str:
        """Return the canonical text, see `canonical_text`."""
        return canonical_text(self.cards)

    def write_csv(self, path: str | os.PathLike[str]) -> None:
        """Write the canonical text as UTF-8; an older file is replaced whole or not at all. Raises InputError."""
        target = as_path(path)
        draft = target.parent / f".deck-{secrets.token_hex(8)}.tmp"
        try:
            draft.write_bytes(self.to_csv().encode())
            draft.replace(target)
        except (OSError, ValueError) as error:
            with suppress(OSError, ValueError):
                draft.unlink(missing_ok=True)
            what = f"cannot write the deck to {str(target)!r}: {getattr(error, 'strerror', None) or error}"
            raise InputError(f"{what}; name a file in a folder that exists and that you may write to") from error

    def __len__(self) -> int:
        """Return the number of physical cards, copies counted."""
        return sum(card.copies for card in self.cards)

    @cached_property
    def slots(self) -> tuple[int, ...]:
        """The place in `cards` of each physical card, in file order: slot s of the unshuffled deck."""
        return tuple(place for place, card in enumerate(self.cards) for _ in range(card.copies))

    def singles(self) -> list[Card]:
        """Return each physical card as a card of its own, slot by slot: copies of v01 are v01, v01-2, v01-3 and so on."""
        taken = {card.id for card in self.cards}
        cards = []
        for card in self.cards:
            cards.append(Card(card.id, card.face))
            number = 2
            for _ in range(card.copies - 1):
                while (name := f"{card.id}-{number}") in taken:
                    number += 1
                taken.add(name)
                cards.append(Card(name, card.face))
        return cards

    def counts(self) -> dict[str, int]:
        """Return symbol -> spaces that show it, over all physical cards."""
        total = dict.fromkeys(SYMBOLS, 0)
        for card in self.cards:
            for symbol in itertools.chain(*card.face):
                total[symbol] += card.copies
        return total

    @cached_property
    def hash(self) -> str:
        """SHA-256 of the canonical text, in hexadecimal."""
        return hashlib.sha256(self.to_csv().encode()).hexdigest()

    def same_faces(self) -> list[tuple[str, ...]]:
        """Return the groups of ids whose faces are equal as they lie or after a half-turn."""
        alike: dict[tuple[tuple[str, ...], ...], list[str]] = {}
        for card in self.cards:
            alike.setdefault(min(card.face, rotate(card.face, 2)), []).append(card.id)
        return [tuple(ids) for ids in alike.values() if len(ids) > 1]

    def from_shipped(self) -> int:
        """Return how many physical cards show goods as cards of the shipped deck do, whatever their ids, turn, empties and rats."""
        own, shipped = (
            sum((collections.Counter({_goods_of(card.face): card.copies}) for card in deck.cards), collections.Counter())
            for deck in (self, Deck.shipped())
        )
        return (own & shipped).total()

    def notes(self) -> list[str]:
        """Return what must be said with every result of this deck: that it is the reconstruction, or was made from it."""
        if self == Deck.shipped():
            return [SHIPPED_NOTE]
        same = self.from_shipped()
        if same < MADE_FROM * len(self):
            return []
        made = f"made from the shipped deck, a reconstruction ({same:,} of {len(self):,} cards have its goods)"
        return [f"{made}: results are not those of the printed game"]

    def __eq__(self, other: object) -> bool:
        return self.cards == other.cards if isinstance(other, Deck) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.cards)

    def __repr__(self) -> str:
        return f"<Deck of {len(self)} cards, {len(self.cards)} faces, sha256 {self.hash[:12]}>"

    def _repr_svg_(self) -> str:
        """Return the picture that a notebook shows."""
        from veggies_sim.games.veggies.drawing import deck_svg

        return deck_svg(self, [f"note: {note}" for note in self.notes()])


def as_deck(value: object, name: str = "deck") -> Deck:
    """Return a deck that a caller gives. Raises InputError for anything else."""
    if not isinstance(value, Deck):
        raise InputError(f"{name}: found {show(value)}; give a Deck, such as Deck.read_csv(path).")
    return value
