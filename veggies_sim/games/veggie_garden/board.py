"""The parts of Veggie Garden: kinds, places, and the board as data (cards, kinds in play, posts, tokens).

    post  0  1  2  3              cell  0  1  2  3
      11  .  .  .  .  4                 4  5  6  7
      10  .  .  .  .  5                 8  9 10 11
          9  8  7  6                   12 13 14 15

Cells are numbered row by row, posts clockwise from the top left; the four inner cells are compost, the twelve outer
ones have a post each.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from veggies_sim.core.checks import read_whole, whole
from veggies_sim.core.errors import InputError, show, unknown
from veggies_sim.core.toml import check_keys, read_toml

KINDS = ("cabbage", "carrot", "pea", "pepper", "potato", "tomato")
CABBAGE, CARROT, PEA, PEPPER, POTATO, TOMATO = range(6)
IN_PLAY = 5  # kinds of a game
COMPOST = (5, 6, 9, 10)
POST_CELL = (0, 1, 2, 3, 7, 11, 15, 14, 13, 12, 8, 4)  # the cell beside each post
SIDES = ((0, 1, 2, 3), (4, 5), (9, 8, 7, 6), (11, 10))  # posts of each side: left to right, top to bottom
LINES = tuple([tuple(4 * r + c for c in range(4)) for r in range(4)] + [tuple(4 * r + c for r in range(4)) for c in range(4)])
DRAW = "draw"
MOST_COPIES, MOST_POINTS = 40, 20
WORDS = {True: "on", False: "off"}


def read_kinds(value: object, where: str) -> str:
    """Return the kinds in play as canonical text: `draw`, or five kinds joined by +. Raises InputError."""
    words = [str(each) for each in value] if isinstance(value, list | tuple) else str(value).strip().lower().split("+")
    found = {word.strip().lower() for word in words}
    if found == {DRAW}:
        return DRAW
    for word in sorted(found - set(KINDS)):
        raise unknown(f"kind of {where}", word, KINDS)
    if len(words) != IN_PLAY or len(found) != IN_PLAY:
        raise InputError(
            f"{where}: found {len(found)} kinds; valid: {DRAW}, or five different ones joined by +: cabbage+carrot+..."
        )
    return "+".join(kind for kind in KINDS if kind in found)


def read_numbers(value: object, where: str, count: int, high: int) -> str:
    """Return whole numbers from 0 to `high` as canonical text, joined by commas. Raises InputError for another count."""
    words = list(value) if isinstance(value, list | tuple) else str(value).strip().split(",")
    numbers = [whole(read_whole(word, where) if isinstance(word, str) else word, where, 0, high) for word in words]
    if len(numbers) != count:
        raise InputError(f"{where}: found {len(numbers)} numbers; valid: {count} numbers from 0 to {high}, joined by commas.")
    return ",".join(map(str, numbers))


def read_posts(value: object, where: str) -> str:
    """Return the points of the twelve posts, lowest first, as canonical text. Raises InputError."""
    numbers = read_numbers(value, where, len(POST_CELL), MOST_POINTS).split(",")
    return ",".join(sorted(numbers, key=int))


def read_copies(value: object, where: str) -> str | int:
    """Return the cards of each kind: one number for all, or six in the order of kinds joined by commas. Raises InputError."""
    if isinstance(value, Mapping):
        table = check_keys(dict(value), KINDS, where)
        lacking = [kind for kind in KINDS if kind not in table]
        if lacking:
            raise InputError(f"{where}: no number for {', '.join(lacking)}. Give all six kinds, or one number for all.")
        value = [table[kind] for kind in KINDS]
    if isinstance(value, list | tuple) or (isinstance(value, str) and "," in value):
        text = read_numbers(value, where, len(KINDS), MOST_COPIES)
        return int(text.split(",")[0]) if len({*text.split(",")}) == 1 else text
    return whole(read_whole(value, where) if isinstance(value, str) else value, where, 1, MOST_COPIES)


@dataclass(frozen=True)
class Board:
    """What lies in the box, as rule values: a run may change each by the rule of the same name."""

    kinds: str = DRAW
    copies: str | int = 14
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

    @classmethod
    def read_toml(cls, path: Path) -> Board:
        """Read a board from a file. Raises InputError with what is wrong."""
        return cls.of(read_toml(path), str(path))

    @classmethod
    def of(cls, table: object, where: str = "board") -> Board:
        """Return the board that a table says; what is left out is as in the printed game. Raises InputError."""
        found = check_keys(table, [each.name for each in fields(cls)], where)
        readers = {"kinds": read_kinds, "copies": read_copies, "posts": read_posts}
        values: dict[str, Any] = {key: readers[key](found[key], f"{where}, {key}") for key in readers if key in found}
        for key, words in (("bunny", ("on", "off")), ("groundhog", ("policy", "random", "off"))):
            if key in found:
                word = WORDS.get(found[key], found[key]) if isinstance(found[key], bool) else found[key]
                if word not in words:
                    raise InputError(f"{where}, {key}: found {show(found[key])}; valid: {' or '.join(words)}.")
                values[key] = word
        return cls(**values)


def _quoted(word: str) -> str:
    return f'"{word}"'


def _list(words: list[str], quoted: bool = False) -> str:
    return f"[{', '.join(_quoted(word) if quoted else word for word in words)}]"


FORM = f"""\
A board file is TOML; what is left out is as in the printed game:
  kinds = "draw"                            five of the six kinds drawn in each game, or a list of five:
                                            {", ".join(KINDS)}
  copies = 14                               cards of each kind, or six numbers in the order above, or a table
  posts = [1,1,1,1,2,2,2,2,3,3,3,3]         points of the twelve posts
  bunny = "on"                              on or off
  groundhog = "policy"                      policy (the first player chooses its place), random or off"""
