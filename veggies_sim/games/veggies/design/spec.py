"""What a deck shall be: a spec, read from TOML, and what of it a deck does not meet.

What may live here: the form of a spec, its lines in words, the recount of a deck against it. How a deck that meets it is
found is `generate`'s work, which counts in its own way. Files are data: nothing in one is run, and it names no path.
"""

from __future__ import annotations

import collections
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from veggies_sim.core.checks import as_path, one_of, real, several, whole
from veggies_sim.core.errors import InputError, show
from veggies_sim.core.toml import check_keys, read_toml
from veggies_sim.games.veggies.deck import GOODS, MAX_FACES, SYMBOLS, Deck, as_deck
from veggies_sim.games.veggies.design.faces import (
    GOODS_KEY,
    ON_CARD,
    PAIRS,
    Spaces,
    canonical,
    mirror,
    on_card,
    spaces_of,
    touching_goods,
)
from veggies_sim.games.veggies.design.letters import read_face, read_symbol

KEYS = ("cards", "duplicates", "symbols", "card", "cards_with", "clusters", "exclude")
NONE, MIRROR, ALLOWED = "none", "mirror", "allowed"  # duplicates
MOST_EXCLUSIONS = 100
MOST_NAMED = 5  # cards that one fault names

EXAMPLE = """\
cards = 40                       # number of cards; default 40
duplicates = "none"              # default: no two cards equal as they lie or after a half-turn;
                                 # "mirror": no mirror images either; "allowed": equal cards may occur

[symbols]                        # spaces in the whole deck: a number, or [least, most]; symbols left out are free
strawberry = 36
rat = [20, 30]

[card]                           # on every card: symbols, `goods` (spaces with goods), `kinds` (different goods)
rat = [0, 1]
goods = [3, 6]

[cards_with]                     # how many cards have exactly so many
rat = { 0 = [10, 20], 1 = [20, 30] }

[clusters]
touching = [0.2, 0.3]            # share of the 7 x cards pairs of touching spaces that show one good twice

[[exclude]]                      # any number of these, each with a name and one of beside, together, face
name = "no rat beside a mushroom"
beside = ["rat", "mushroom"]     # never side to side on a card; words or letters, as in a deck file

[[exclude]]
name = "no rat with two empties"
together = ["rat", "empty", "empty"]  # never all on one card

[[exclude]]
name = "too easy"
face = "SSS SS."                 # never this face, nor after a half-turn: six letters or words, with spaces or / between
"""


class Range(NamedTuple):
    """From `least` to `most`, both of them valid."""

    least: float
    most: float

    def __str__(self) -> str:
        return f"{self.least:g}" if self.least == self.most else f"{self.least:g} to {self.most:g}"


class Knob(NamedTuple):
    """A number that a spec leaves free, from `low` to `high`."""

    name: str  # a symbol: its spaces in the deck; or touching: a share
    low: float
    high: float
    whole: bool


class Line(NamedTuple):
    """One line of a spec in words, and the spec without it."""

    words: str
    rest: Spec


@dataclass(frozen=True)
class Exclusion:
    """Faces that no card may have; exactly one of beside, together and face is given."""

    name: str
    beside: tuple[str, ...] = ()
    together: tuple[str, ...] = ()
    face: Spaces | None = None  # canonical

    def __str__(self) -> str:
        what = f"face {' '.join(self.face)}" if self.face else f"together {', '.join(self.together)}"
        return f"[[exclude]] {self.name} ({f'beside {self.beside[0]} and {self.beside[1]}' if self.beside else what})"

    def hits(self, spaces: Spaces) -> bool:
        """Return whether a face is excluded."""
        if self.face:
            return canonical(spaces) == self.face
        if self.together:
            return collections.Counter(self.together) <= collections.Counter(spaces)
        return any(sorted((spaces[i], spaces[j])) == sorted(self.beside) for i, j in PAIRS)


@dataclass(frozen=True)
class Spec:
    """What a deck shall be. Made by `read_spec` or `Spec.from_table`, which check it; whether such a deck exists is not checked."""

    cards: int = 40
    duplicates: str = NONE
    symbols: Mapping[str, Range] = field(default_factory=dict)  # spaces in the deck; symbols left out are free
    card: Mapping[str, Range] = field(default_factory=dict)  # keys of ON_CARD, on every card
    cards_with: Mapping[str, Mapping[int, Range]] = field(default_factory=dict)  # key of ON_CARD -> so many -> cards
    touching: Range | None = None  # share
    exclude: tuple[Exclusion, ...] = ()

    @classmethod
    def from_table(cls, table: object, where: str = "spec") -> Spec:
        """Return the spec of a table as TOML has it. Raises InputError for the first fault; `where` names the table."""
        given = check_keys(table, KEYS, where)
        try:
            return cls(
                whole(given.get("cards", cls.cards), "cards", 1, MAX_FACES),
                one_of(given.get("duplicates", cls.duplicates), "duplicates", (NONE, MIRROR, ALLOWED)),
                _ranges(given, "symbols", dict.fromkeys(SYMBOLS, 6 * MAX_FACES)),
                _ranges(given, "card", ON_CARD),
                _cards_with(given.get("cards_with", {})),
                _touching(given.get("clusters", {})),
                _exclusions(given.get("exclude", [])),
            )
        except InputError as error:
            raise InputError(f"{where}: {error}") from None

    def pairs(self) -> Range | None:
        """Return `touching` as whole pairs of the deck: those inside the range, for a single share the nearest number."""
        if self.touching is None:
            return None
        least, most = (share * len(PAIRS) * self.cards for share in self.touching)
        if self.touching.least == self.touching.most:
            return Range(round(least), round(least))
        return Range(math.ceil(least - 1e-9), math.floor(most + 1e-9))

    def fitting(self) -> dict[str, Range]:
        """Return how many spaces each symbol can have by [symbols], by [card] and by what the others leave."""
        alone = {symbol: self._alone(symbol) for symbol in SYMBOLS}
        left = [6 * self.cards - sum(span[end] for span in alone.values()) for end in (0, 1)]
        return {key: Range(max(least, left[1] + most), min(most, left[0] + least)) for key, (least, most) in alone.items()}

    def _alone(self, symbol: str) -> Range:
        """Return how many spaces a symbol can have by its own lines, and those for all goods."""
        goods = self.card.get(GOODS_KEY, Range(0, 6))
        each = self.card.get(symbol, Range(0, 6))
        room = goods.most if symbol in GOODS else 6 - goods.least
        own = self.symbols.get(symbol, Range(0, 6 * self.cards))
        return Range(max(own.least, self.cards * each.least), min(own.most, self.cards * min(each.most, room)))

    def knobs(self) -> list[Knob]:
        """Return the numbers that are left free: spaces of symbols, and touching where it has a range.

        The symbols' spaces add up to 6 x cards, so not every combination of knobs is a deck.
        """
        found = [Knob(symbol, *span, True) for symbol, span in self.fitting().items() if span.least < span.most]
        if self.touching is not None and self.touching.least < self.touching.most:
            found.append(Knob("touching", *self.touching, False))
        return found

    def lines(self) -> list[Line]:
        """Return what the spec asks besides the number of cards, line by line."""
        found = []
        if self.duplicates != ALLOWED:
            found.append(Line(f"duplicates = {self.duplicates}", replace(self, duplicates=ALLOWED)))
        for key, span in self.symbols.items():
            found.append(Line(f"[symbols] {key} = {span}", replace(self, symbols=_without(self.symbols, key))))
        for key, span in self.card.items():
            found.append(Line(f"[card] {key} = {span}", replace(self, card=_without(self.card, key))))
        for key, table in self.cards_with.items():
            for number, span in table.items():
                rest = {**self.cards_with, key: _without(table, number)}
                found.append(Line(f"[cards_with] {key} {number} = {span}", replace(self, cards_with=rest)))
        if self.touching is not None:
            found.append(Line(f"[clusters] touching = {self.touching} ({self.pairs()} pairs)", replace(self, touching=None)))
        for place, exclusion in enumerate(self.exclude):
            found.append(Line(str(exclusion), replace(self, exclude=self.exclude[:place] + self.exclude[place + 1 :])))
        return found

    def faults(self, deck: Deck) -> list[str]:
        """Return what of the spec a deck does not meet, each with what was found and what was wished; empty where all is met."""
        faces = {card.id: spaces_of(card.face) for card in as_deck(deck).cards}
        return [*self._card_faults(faces), *self._deck_faults([faces[deck.cards[place].id] for place in deck.slots])]

    def _card_faults(self, faces: Mapping[str, Spaces]) -> Iterator[str]:
        """Yield the lines that some cards do not meet."""
        for key, span in self.card.items():
            found = {card: on_card(spaces, key) for card, spaces in faces.items()}
            if bad := [f"{card} has {number}" for card, number in found.items() if not span.least <= number <= span.most]:
                yield f"[card] {key}: {_some(bad)}; wished {span}"
        for exclusion in self.exclude:
            if bad := [card for card, spaces in faces.items() if exclusion.hits(spaces)]:
                yield f"{exclusion}: found on {_some(bad)}; wished on no card"

    def _deck_faults(self, faces: list[Spaces]) -> Iterator[str]:
        """Yield the lines that all cards together do not meet."""
        if len(faces) != self.cards:
            yield f"cards: found {len(faces)}; wished {self.cards}"
        if self.duplicates != ALLOWED and (equal := len(faces) - len({canonical(spaces) for spaces in faces})):
            yield f"duplicates: {equal} of {len(faces)} cards repeat another; wished none"
        if self.duplicates == MIRROR:
            different = {canonical(spaces) for spaces in faces}
            images = sum(canonical(mirror(spaces)) in different - {spaces} for spaces in different)
            if images:
                yield f"duplicates: {images} of {len(faces)} cards are mirror images of another; wished none"
        for symbol, span in self.symbols.items():
            yield from _missed(f"[symbols] {symbol}", sum(spaces.count(symbol) for spaces in faces), span)
        for key, table in self.cards_with.items():
            having = collections.Counter(on_card(spaces, key) for spaces in faces)
            for number, span in table.items():
                yield from _missed(f"[cards_with] {key} {number}", having[number], span)
        if pairs := self.pairs():
            found = sum(len(touching_goods(spaces)) for spaces in faces)
            if pairs.least > pairs.most:
                yield f"[clusters] touching: found {found} pairs; no whole number of pairs lies in {self.touching}"
            else:
                yield from _missed("[clusters] touching, in pairs", found, pairs)


def read_spec(path: str | Path) -> Spec:
    """Return the spec of a TOML file, in the form of EXAMPLE. Raises InputError for the first fault."""
    return Spec.from_table(read_toml(as_path(path, "spec")), str(path))


def unmet(path: str | Path, deck: Deck) -> list[str]:
    """Return what a deck does not meet of what a spec file states, as `Spec.faults` does; defaults are no wishes.

    Raises InputError as `read_spec` does.
    """
    table = read_toml(as_path(path, "spec"))
    spec = Spec.from_table(table, str(path))
    cards, duplicates = table.get("cards", len(as_deck(deck))), table.get("duplicates", ALLOWED)
    return replace(spec, cards=cards, duplicates=duplicates).faults(deck)


def _missed(what: str, found: int, span: Range) -> Iterator[str]:
    if not span.least <= found <= span.most:
        yield f"{what}: found {found}; wished {span}"


def _some(items: list[str]) -> str:
    more = len(items) - MOST_NAMED
    return ", ".join(items[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


def _without(table: Mapping[Any, Any], key: object) -> dict[Any, Any]:
    return {other: value for other, value in table.items() if other != key}


def _range(value: object, name: str, read: Callable[[object], float]) -> Range:
    """Return a number or [least, most] as a range."""
    ends = [read(end) for end in value] if isinstance(value, list | tuple) else [read(value)] * 2
    if len(ends) != 2 or ends[0] > ends[1]:
        raise InputError(f"{name}: found {show(value)}; give a number, or [least, most].")
    return Range(*ends)


def _ranges(given: Mapping[str, Any], table: str, most: Mapping[str, int]) -> dict[str, Range]:
    """Return a table of ranges of whole numbers, in the order of `most`: valid keys, and the most that each can be."""
    found = check_keys(given.get(table, {}), tuple(most), table)
    return {key: _whole_range(found[key], f"{table}, {key}", most[key]) for key in most if key in found}


def _whole_range(value: object, name: str, most: int) -> Range:
    return _range(value, name, lambda end: whole(end, name, 0, most))


def _cards_with(given: object) -> dict[str, dict[int, Range]]:
    tables = check_keys(given, tuple(ON_CARD), "cards_with")
    return {key: _by_number(tables[key], f"cards_with, {key}", most) for key, most in ON_CARD.items() if key in tables}


def _by_number(given: object, where: str, most: int) -> dict[int, Range]:
    """Return a table from so many on a card, which TOML has as text, to the range of cards."""
    table = check_keys(given, [str(number) for number in range(most + 1)], where)
    return {int(number): _whole_range(span, f"{where}, {number}", MAX_FACES) for number, span in sorted(table.items())}


def _touching(given: object) -> Range | None:
    table = check_keys(given, ("touching",), "clusters")
    return _range(table["touching"], "clusters, touching", _share) if table else None


def _share(value: object) -> float:
    number = real(value, "clusters, touching")
    if not 0 <= number <= 1:
        raise InputError(f"clusters, touching: found {show(value)}; valid: a share from 0 to 1, such as 0.25.")
    return number


def _exclusions(given: object) -> tuple[Exclusion, ...]:
    tables = several(given, "exclude", '[[exclude]] with name = "..." and beside = ["rat", "mushroom"]')
    if len(tables) > MOST_EXCLUSIONS:
        raise InputError(f"exclude: found {len(tables):,} exclusions; valid: up to {MOST_EXCLUSIONS}.")
    found = [_exclusion(table, f"exclude {place}") for place, table in enumerate(tables, 1)]
    for place, exclusion in enumerate(found):
        if exclusion.name in (other.name for other in found[:place]):
            raise InputError(f"exclude {place + 1}: the name {show(exclusion.name)} is there twice; give each its own.")
    return tuple(found)


def _exclusion(given: object, where: str) -> Exclusion:
    table = check_keys(given, ("name", "beside", "together", "face"), where)
    name = table.get("name")
    if not isinstance(name, str) or not name.strip() or not name.isprintable() or len(name) > 80:
        raise InputError(f"{where}: found {show(name)} as name; give a text of 1 to 80 letters on one line.")
    kinds = [key for key in table if key != "name"]
    if len(kinds) != 1:
        raise InputError(f"{where}: found {' and '.join(kinds) or 'a name only'}; give one of beside, together and face.")
    if kinds == ["face"]:
        return Exclusion(name, face=canonical(spaces_of(read_face(table["face"], f"{where}, face"))))
    if kinds == ["beside"]:
        return Exclusion(name, beside=_symbols(table["beside"], f"{where}, beside", 2))
    return Exclusion(name, together=_symbols(table["together"], f"{where}, together", 6))


def _symbols(given: object, where: str, most: int) -> tuple[str, ...]:
    words = several(given, where, '["rat", "mushroom"]')
    if not 2 <= len(words) <= most:
        raise InputError(f"{where}: found {len(words)} symbols; give {'2' if most == 2 else f'2 to {most}'} of them.")
    return tuple(read_symbol(word, where) for word in words)
