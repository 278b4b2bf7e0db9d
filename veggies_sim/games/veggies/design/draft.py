"""A deck file that is being typed in: some cards have their faces, the others wait with blank spaces.

What may live here: the template, reading and saving a half-filled file, what a person should know of it so far.
"""

from __future__ import annotations

import csv
import io
import os
import shutil
from collections import defaultdict
from dataclasses import dataclass, replace
from pathlib import Path

from veggies_sim.core.checks import whole
from veggies_sim.core.errors import InputError
from veggies_sim.core.files import file_errors, replaced
from veggies_sim.games.veggies.deck import HEADER, MAX_BYTES, MAX_FACES, SYMBOLS, Card, Face
from veggies_sim.games.veggies.deck_reader import UNFILLED, read_unfinished
from veggies_sim.games.veggies.design.faces import canonical, half_turn, mirror, spaces_of

CARDS = 40  # of the printed game


@dataclass
class Draft:
    """The rows of a file in their order; a card that waits has the face UNFILLED."""

    cards: list[Card]
    extra: dict[str, dict[str, str]]  # other named columns by id; a draft keeps them, since it is written over its own file

    def waiting(self) -> list[int]:
        """Return the places of the cards that have no face yet."""
        return [place for place, card in enumerate(self.cards) if card.face == UNFILLED]

    def progress(self) -> str:
        """Return how many cards have their faces."""
        return f"{len(self.cards) - len(self.waiting())} of {len(self.cards)} cards"

    def put(self, place: int, face: Face) -> None:
        """Give the card at a place its face."""
        self.cards[place] = replace(self.cards[place], face=face)

    def counts(self) -> dict[str, int]:
        """Return symbol -> spaces that show it so far, copies counted."""
        found = [(word, card.copies) for card in self.cards for word in spaces_of(card.face)]
        return {symbol: sum(copies for word, copies in found if word == symbol) for symbol in SYMBOLS}

    def alike(self, place: int) -> list[str]:
        """Return in words which other cards look like the one at a place: a card that was typed in twice, perhaps."""
        mine = spaces_of(self.cards[place].face)
        said = []
        for number, card in enumerate(self.cards):
            other = spaces_of(card.face)
            if number == place or card.face == UNFILLED:
                continue
            if mine == other:
                said.append(f"has the face of {card.id}")
            elif mine == half_turn(other):
                said.append(f"has the face of {card.id} after a half-turn")
            elif canonical(mirror(mine)) == canonical(other):
                said.append(f"is the mirror image of {card.id}")
        return said

    def groups(self) -> list[list[str]]:
        """Return the groups of ids whose faces are equal as they lie, after a half-turn or in a mirror."""
        found = defaultdict(list)
        for card in self.cards:
            if card.face != UNFILLED:
                spaces = spaces_of(card.face)
                found[min(canonical(spaces), canonical(mirror(spaces)))].append(card.id)
        return [ids for ids in found.values() if len(ids) > 1]

    def to_csv(self) -> str:
        """Return the text of the file: a deck's canonical form, with blank cells and the other named columns."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        names = list(dict.fromkeys(name for columns in self.extra.values() for name in columns))
        writer.writerow([*HEADER, *names])
        for card in self.cards:
            own = self.extra.get(card.id, {})
            writer.writerow([card.id, card.copies, *spaces_of(card.face), *(own.get(name, "") for name in names)])
        return text.getvalue()

    def save(self, file: Path) -> None:
        """Write the file; an older one is replaced whole or not at all, and keeps its mode. Raises InputError.

        A symbolic link stays one: what it leads to is written.
        """
        raw = self.to_csv().encode()
        if len(raw) > MAX_BYTES:  # of a UTF-16 file, say, whose words are longer in UTF-8: it could not be read again
            raise InputError(f"{file}: would have {len(raw):,} bytes; a deck file has at most {MAX_BYTES:,}. Shorten its words.")
        target = Path(os.path.realpath(file))
        with file_errors(file, advice="Close it elsewhere, or give another file."), replaced(target) as place:
            place.write_bytes(raw)
            if target.exists():
                shutil.copymode(target, place)


def new_draft(cards: int = CARDS) -> Draft:
    """Return a draft of so many cards v01, v02, ..., all of them waiting. Raises InputError for a wrong number."""
    whole(cards, "cards", 1, MAX_FACES)
    digits = max(2, len(str(cards)))
    return Draft([Card(f"v{number:0{digits}}", UNFILLED) for number in range(1, cards + 1)], {})


def read_draft(file: Path) -> tuple[Draft, InputError | None]:
    """Return the draft in a file and the error for all its faults, or None; rows with a fault are not in the draft.

    Raises InputError for a file that can't be read as a table.
    """
    cards, extra, fault = read_unfinished(file)
    return Draft(cards, extra), fault
