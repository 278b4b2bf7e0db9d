"""The parts of Veggie Garden: kinds, places, and the board as data (cards, kinds in play, posts, tokens).

    post  0  1  2  3              cell  0  1  2  3
      11  .  .  .  .  4                 4  5  6  7
      10  .  .  .  .  5                 8  9 10 11
          9  8  7  6                   12 13 14 15

Cells are numbered row by row, posts clockwise from the top left; the four inner cells are compost, the twelve outer
ones have a post each.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from veggies_sim.core.checks import as_path, read_whole, whole
from veggies_sim.core.errors import InputError, show, unknown
from veggies_sim.core.toml import read_toml

KINDS = ("cabbage", "carrot", "pea", "pepper", "potato", "tomato")
CABBAGE, CARROT, PEA, PEPPER, POTATO, TOMATO = range(6)
IN_PLAY = 5  # kinds of a game
COMPOST = (5, 6, 9, 10)
POST_CELL = (0, 1, 2, 3, 7, 11, 15, 14, 13, 12, 8, 4)  # the cell beside each post
SIDES = ((0, 1, 2, 3), (4, 5), (9, 8, 7, 6), (11, 10))  # posts of each side: left to right, top to bottom
LINES = tuple([tuple(4 * r + c for c in range(4)) for r in range(4)] + [tuple(4 * r + c for r in range(4)) for c in range(4)])
DRAW = "draw"
COPIES, MOST_COPIES, MOST_POINTS = 14, 40, 20
WORDS = {True: "on", False: "off"}


def read_kinds(value: object, where: str) -> str:
    """Return the kinds in play as canonical text: `draw`, or five kinds joined by +; commas are read too. Raises InputError."""
    words = list(value) if isinstance(value, list | tuple) else str(value).replace(",", "+").split("+")
    found = Counter(str(word).strip().lower() for word in words)
    if set(found) == {DRAW}:
        return DRAW
    if faults := [unknown(f"kind of {where}", word, KINDS) for word in sorted(set(found) - set(KINDS))]:
        raise InputError("\n".join(map(str, faults)))
    if len(words) != IN_PLAY or len(found) != IN_PLAY:
        twice = ", ".join(kind for kind, count in found.items() if count > 1)
        raise InputError(
            f"{where}: found {len(words)} kinds{f', more than once: {twice}' if twice else ''}; valid: {DRAW}, or five different "
            "ones, as a list or joined by +: cabbage+carrot+..."
        )
    return "+".join(kind for kind in KINDS if kind in found)


def read_numbers(value: object, where: str, count: int, high: int) -> str:
    """Return whole numbers from 0 to `high` as canonical text, joined by commas. Raises InputError for another count."""
    words = list(value) if isinstance(value, list | tuple) else str(value).strip().split(",")
    valid = f"valid: {count} whole numbers from 0 to {high}, as a list or joined by commas."
    numbers = [_number(word, high) for word in words]
    if wrong := [show(word) for word, number in zip(words, numbers, strict=True) if number is None]:
        raise InputError(f"{where}: found {', '.join(wrong[:count])}; {valid}")
    if len(numbers) != count:
        raise InputError(f"{where}: found {len(numbers)} numbers; {valid}")
    return ",".join(map(str, numbers))


def _number(word: object, high: int) -> int | None:
    """Return a number from 0 to `high`, also from a word; None for anything else."""
    try:
        return whole(read_whole(word, "") if isinstance(word, str) else word, "", 0, high)
    except InputError:
        return None


def read_posts(value: object, where: str) -> str:
    """Return the points of the twelve posts, lowest first, as canonical text. Raises InputError."""
    numbers = read_numbers(value, where, len(POST_CELL), MOST_POINTS).split(",")
    return ",".join(sorted(numbers, key=int))


def read_copies(value: object, where: str) -> str | int:
    """Return the cards of each kind: one number for all, or six in the order of kinds joined by commas. Raises InputError.

    In a mapping of kinds to numbers those left out are as in the printed game.
    """
    if isinstance(value, Mapping):
        faults = [str(unknown(f"key of {where}", kind, KINDS)) for kind in value if kind not in KINDS]
        wrong = [kind for kind in KINDS if kind in value and _number(value[kind], MOST_COPIES) is None]
        faults += [f"{where}, {kind}: found {show(value[kind])}; valid: a whole number from 0 to {MOST_COPIES}." for kind in wrong]
        if faults:
            raise InputError("\n".join(faults))
        value = [value.get(kind, COPIES) for kind in KINDS]
    if isinstance(value, list | tuple) or (isinstance(value, str) and "," in value):
        text = read_numbers(value, where, len(KINDS), MOST_COPIES)
        return int(text.split(",")[0]) if len({*text.split(",")}) == 1 and text[0] != "0" else text
    number = _number(value, MOST_COPIES)
    if not number:
        raise InputError(
            f"{where}: found {show(value)}; valid: a whole number from 1 to {MOST_COPIES}, or six from 0 to {MOST_COPIES}, "
            "as a list or joined by commas."
        )
    return number


def _word(*valid: str) -> Callable[[object, str], str]:
    """Return the reader of a word."""

    def read(value: object, where: str) -> str:
        word = WORDS[value] if isinstance(value, bool) else value
        if not isinstance(word, str) or word not in valid:
            raise InputError(f"{where}: found {show(value)}; valid: {' or '.join(valid)}.")
        return word

    return read


@dataclass(frozen=True)
class Board:
    """What lies in the box, as rule values: a run may change each by the rule of the same name."""

    kinds: str = DRAW
    copies: str | int = COPIES
    posts: str = "1,1,1,1,2,2,2,2,3,3,3,3"
    bunny: str = "on"
    groundhog: str = "policy"

    def to_toml(self) -> str:
        """Return the board as the canonical text of its file."""
        lines = [f"kinds = {_list(self.kinds.split('+'), quoted=True) if self.kinds != DRAW else _quoted(DRAW)}"]
        lines.append(f"copies = {self.copies if isinstance(self.copies, int) else _list(self.copies.split(','))}")
        lines.append(f"posts = {_list(self.posts.split(','))}")
        lines += [f"{name} = {_quoted(getattr(self, name))}" for name in ("bunny", "groundhog")]
        return "\n".join(lines) + "\n"

    def counts(self) -> list[int]:
        """Return the cards of each of the six kinds."""
        return [int(each) for each in (str(self.copies).split(",") * len(KINDS))[: len(KINDS)]]

    def out(self) -> int | None:
        """Return the number of the kind that is not in play; None where it is drawn."""
        return None if self.kinds == DRAW else next(k for k, kind in enumerate(KINDS) if kind not in self.kinds.split("+"))

    def cards(self) -> int:
        """Return the cards in play: the fewest, where the kind that is not in play is drawn."""
        counts, out = self.counts(), self.out()
        return sum(counts) - (max(counts) if out is None else counts[out])

    def fault(self) -> str | None:
        """Return why nobody could earn the bonus; None where every kind that may be in play has cards."""
        none = [kind for k, kind in enumerate(KINDS) if k != self.out() and not self.counts()[k]]
        if not none:
            return None
        return (
            f"no cards of {', '.join(none)}, so nobody could earn the bonus for every kind in play. Give at least 1 of each kind "
            "in play; one kind may have 0 where `kinds` names the other five."
        )

    @classmethod
    def read_toml(cls, path: str | Path) -> Board:
        """Read a board from a file. Raises InputError with all that is wrong."""
        return cls.of(read_toml(as_path(path, "board")), str(path))

    @classmethod
    def of(cls, table: object, where: str = "board") -> Board:
        """Return the board that a table says; what is left out is as in the printed game. Raises InputError with every fault."""
        if not isinstance(table, Mapping):
            raise InputError(f"{where}: found {show(table)}; give a table with the keys {', '.join(_READERS)}.")
        faults: list[str] = []
        values: dict[str, Any] = {}
        for key, value in table.items():
            try:
                if key not in _READERS:
                    raise unknown(f"key of {where}", key, _READERS)
                values[key] = _READERS[key](value, f"{where}, {key}")
            except InputError as error:
                faults += str(error).splitlines()
        if len(faults) > 1:
            faults.insert(0, f"{where}: {len(faults)} faults; mend these:")
        if faults:
            raise InputError("\n".join(faults))
        return cls(**values)


_READERS: dict[str, Callable[[object, str], Any]] = {
    "kinds": read_kinds,
    "copies": read_copies,
    "posts": read_posts,
    "bunny": _word("on", "off"),
    "groundhog": _word("policy", "random", "off"),
}


def _quoted(word: str) -> str:
    return f'"{word}"'


def _list(words: list[str], quoted: bool = False) -> str:
    return f"[{', '.join(_quoted(word) if quoted else word for word in words)}]"


FORM = f"""\
A board file is TOML; what is left out is as in the printed game:
  kinds = "draw"                            five of the six kinds drawn in each game, or a list of five:
                                            {", ".join(KINDS)}
  copies = 14                               cards of each kind, 1 to 40, or six numbers in the order above,
                                            or a table such as {{pea = 8}}, kinds left out having 14
  posts = [1,1,1,1,2,2,2,2,3,3,3,3]         points of the twelve posts, 0 to 20 each
  bunny = "on"                              on or off
  groundhog = "policy"                      policy (the first player chooses its place), random or off"""
