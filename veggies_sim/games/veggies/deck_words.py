"""Words of a deck file: those that stand for symbols, and those that tell what is wrong with it.

What may live here: how symbols may be written, and the message with all faults of one file. Finding them is `deck_reader`'s work.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from typing import NamedTuple

from veggies_sim.core.checks import as_path
from veggies_sim.core.errors import InputError, counted, nearest, show
from veggies_sim.games.veggies.deck import LETTER, LETTERS, SYMBOLS

MAX_LISTED = 50  # faults that one message spells out
MAX_NAMED = 5  # cards that it names

ALIASES = {symbol: symbol for symbol in SYMBOLS} | {letter.lower(): symbol for symbol, letter in LETTER.items()}
ALIASES |= {"strawberries": "strawberry", "empties": "empty", "mouse": "rat", "mice": "rat", "rats": "rat"}
ALIASES |= {f"{good}s": good for good in ("banana", "grape", "carrot", "mushroom")}
ALIASES |= {word + plural: "empty" for word in ("crate", "pallet", "barrel") for plural in ("", "s")}
WORDS = {word: symbol for word, symbol in ALIASES.items() if len(word) > 1}  # what a misspelled word may have meant
MISSING = {"", "-", "none", "null", "nil", "nan", "na", "n/a", "n-a", "n.a.", "#n/a", "<na>"}

VALID_SYMBOLS = ", ".join(SYMBOLS)
OTHER_WORDS = f"{LETTERS}; plurals; mouse, mice for rat; crate, pallet, barrel for empty; upper or lower case"


class Fault(NamedTuple):
    """One fault; it becomes a line of a message when all are told."""

    where: str
    text: str
    word: str = ""  # what was written for a symbol, to look for the nearest one
    valid: str = ""  # what could stand there

    def line(self) -> str:
        """Return the fault as one line of the message; the nearest word is looked up only now, it takes time."""
        guess = nearest(self.word[:60], WORDS)
        text = f"{self.text}; did you mean {WORDS[guess]!r}?" if guess else self.text
        join = " " if text.endswith("?") else "; "
        return f"{self.where}: {text}" + (f"{join}valid: {self.valid}" if self.valid else "")


class Faults:
    """The faults of one file, in the order of its lines."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = as_path(path, "deck file")
        self.given = str(path)
        self.name = self.path.name if self.path.name.isprintable() else repr(self.path.name)
        self.items: list[Fault] = []
        self.head = ""  # a line before all others

    def add(self, line: int, column: str, text: str, *, word: str = "", valid: str = "") -> None:
        """Note a fault at a line (from 1) and a column, named as in the header."""
        column = column if column.isprintable() and len(column) <= 60 else show(column)
        self.items.append(Fault(f"{self.name}:{line}, column {column}", text, word, valid))

    def stop(self, text: str, valid: str = "") -> InputError:
        """Return the error for a fault of the file as a whole."""
        self.items.append(Fault(self.name, text, valid=valid))
        return self.error()

    def waiting(self, names: Sequence[str], rows: int, together: bool) -> None:
        """Say at the head which of so many cards are still to be typed in; `together` where they follow one another."""
        if together and len(names) > 2:
            which = f"{names[0]} to {names[-1]}"
        else:
            which = ", ".join(names[:MAX_NAMED]) + (f" and {len(names) - MAX_NAMED:,} more" if len(names) > MAX_NAMED else "")
        command = f"veggies-sim deck new {shlex.quote(self.given)}"
        self.head = (
            f"{self.name}: {len(names):,} of {rows:,} cards {'is' if len(names) == 1 else 'are'} not typed yet ({which}). "
            f"{'Mend the faults below, then go' if self.items else 'Go'} on with {command} --type; see what is there with "
            f"{command} --check"
        )

    def error(self) -> InputError:
        """Return the one error for all faults."""
        number, lines = len(self.items), [self.head] if self.head else []
        if number:
            lines.append(f"the deck file {self.given!r} cannot be used: {counted(number, 'fault')}")
        lines += [fault.line() for fault in self.items[:MAX_LISTED]]
        if number > MAX_LISTED:
            lines.append(f"... and {number - MAX_LISTED} more faults; mend these {MAX_LISTED} and read the file again")
        if any(fault.valid == VALID_SYMBOLS for fault in self.items):
            lines.append(f"(also read: {OTHER_WORDS})")
        return InputError("\n".join(lines))
