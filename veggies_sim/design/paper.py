"""Where cards lie on paper, in whole micrometres: floats would lose a row, (279.4 - 12.7) // 88.9 is 2.

What may live here: papers, card sizes, slots, bleed, cut lines, crop marks, the place of the ruler. Each page is upright; its
cards lie in rows and columns in the middle, upright or across, whichever way more of them fit (upright where both take as many).

Layouts: `butted` has common cut lines and bleed at edges without a neighbour only; `spaced` has bleed around every card, and
at most 2 columns x 3 rows, which cards of the usual size fill on either paper.
"""

from __future__ import annotations

import re
from functools import cached_property

from veggies_sim.core.checks import one_of, whole
from veggies_sim.core.errors import InputError, show, unknown
from veggies_sim.design.ink import MM, Box

PAPERS = {"a4": (210_000, 297_000), "letter": (215_900, 279_400)}
CARDS = {
    "63x88": (63_000, 88_000), "58x87": (58_000, 87_000), "poker": (63_500, 88_900), "bridge": (57_150, 88_900),
    "mini": (44_000, 63_000), "tarot": (70_000, 120_000),
}  # fmt: skip
LEAST_CARD, MOST_CARD = 20 * MM, 250 * MM
LAYOUTS = ("butted", "spaced")
SPACED = 2, 3  # columns and rows at most

BLEED = 3 * MM  # around a spaced card; a drawing has to reach that far beyond its card
OUTER_BLEED = 2 * MM  # at the outer edges of butted cards, where the paper leaves so much
LEAST_BLEED = 1 * MM
CLEAR = 5_350  # at every edge of the paper for crop marks: many printers leave out 4.3 mm there
GAP = 350  # from bleed to crop marks, and twice that from those to the ruler
MARK = 2_500  # length of a crop mark
HAIR = 100  # width of a crop mark
RULER = 100 * MM
RULER_DEPTH = 2 * MM
RULER_CLEAR = 3 * MM  # at the edge of the paper
RULER_START = 5 * MM  # from the corner of the cards, so that no tick looks like a crop mark

_SIZE = re.compile(r"([0-9]{1,4})(?:\.([0-9]{1,3}))?x([0-9]{1,4})(?:\.([0-9]{1,3}))?")


def card_size(word: object) -> tuple[int, int]:
    """Return the lesser and the greater side of a card from a name in CARDS or from millimetres such as 62.5x100.

    A pair of sides in micrometres is fine too. Raises InputError for anything else.
    """
    if isinstance(word, tuple | list) and len(word) == 2:
        lesser, greater = sorted(whole(side, "card size, side in micrometres", LEAST_CARD, MOST_CARD) for side in word)
        return lesser, greater
    name = word if isinstance(word, str) else ""
    if name in CARDS:
        return CARDS[name]
    if not (found := _SIZE.fullmatch(name)):
        if _SIZE.fullmatch(points := name.replace(",", ".")):
            raise InputError(f"card size {show(word)}: write a point in place of the comma, {points}.")
        raise unknown("card size", word, (*CARDS, "or WxH in millimetres such as 62.5x100"))
    width, part, height, rest = (digits or "" for digits in found.groups())
    sides = sorted((int(width + f"{part:0<3}"), int(height + f"{rest:0<3}")))
    if not LEAST_CARD <= sides[0] <= sides[1] <= MOST_CARD:
        raise InputError(f"card size {show(word)}: each side must have {LEAST_CARD // MM} to {MOST_CARD // MM} mm.")
    return sides[0], sides[1]


def size_words(size: tuple[int, int]) -> str:
    """Return a size in words.

    >>> size_words(CARDS["poker"])
    '63.5 x 88.9 mm'
    """
    return f"{size[0] / MM:g} x {size[1] / MM:g} mm"


class Sheet:
    """How cards lie on one page. Raises InputError for unknown words and for cards that don't fit.

    paper: a key of PAPERS; card: what `card_size` reads; layout: one of LAYOUTS.
    """

    def __init__(self, paper: str = "a4", card: str = "63x88", layout: str = "butted") -> None:
        self.size = PAPERS[one_of(paper, "paper", PAPERS)]
        self.spaced = one_of(layout, "layout", LAYOUTS) == "spaced"
        self.card = card_size(card)
        upright, across = self._fit(*self.card), self._fit(*self.card[::-1])
        self.across = across[0] * across[1] > upright[0] * upright[1]
        self.columns, self.rows = across if self.across else upright
        if not self.columns * self.rows:
            raise InputError(f"card size {card}: with bleed and crop marks it doesn't fit {paper}. Give a smaller card.")

    def _fit(self, width: int, height: int) -> tuple[int, int]:
        """Return how many columns and rows of cards of that width and height fit."""
        edge, around = (CLEAR, 2 * BLEED) if self.spaced else (CLEAR + LEAST_BLEED, 0)
        columns, rows = (self.size[0] - 2 * edge) // (width + around), (self.size[1] - 2 * edge) // (height + around)
        return (min(columns, SPACED[0]), min(rows, SPACED[1])) if self.spaced else (columns, rows)

    @cached_property
    def slots(self) -> list[Box]:
        """The cards of a full page, row by row."""
        width, height = self.card[::-1] if self.across else self.card
        gap = 2 * BLEED if self.spaced else 0
        left = (self.size[0] - self.columns * (width + gap) + gap) // 2
        top = (self.size[1] - self.rows * (height + gap) + gap) // 2
        places = ((row, column) for row in range(self.rows) for column in range(self.columns))
        return [Box(left + column * (width + gap), top + row * (height + gap), width, height) for row, column in places]

    @cached_property
    def whole(self) -> Box:
        """The box around all slots, without bleed."""
        first, last = self.slots[0], self.slots[-1]
        return Box(first.left, first.top, last.right - first.left, last.bottom - first.top)

    @cached_property
    def bleed(self) -> int:
        """How far ink reaches beyond an edge without a neighbour."""
        return BLEED if self.spaced else min(OUTER_BLEED, self.whole.left - CLEAR, self.whole.top - CLEAR)

    def inked(self, place: int, cards: int) -> Box:
        """Return how far the ink of a card in a slot reaches on a page of that many cards: beyond edges without a neighbour."""
        slot, row, column = self.slots[place], *divmod(place, self.columns)
        if self.spaced:
            return slot.grown(self.bleed)
        left, top = self.bleed * (column == 0), self.bleed * (row == 0)
        right = self.bleed * (column == self.columns - 1 or place == cards - 1)
        bottom = self.bleed * (place + self.columns >= cards)
        return Box(slot.left - left, slot.top - top, slot.width + left + right, slot.height + top + bottom)

    def behind(self, box: Box) -> Box:
        """Return where a box lies on the other side of the paper, turned over along its long edge."""
        return box._replace(left=self.size[0] - box.right)

    def crop_marks(self) -> list[Box]:
        """Return the crop marks: thin lines beyond all ink, one at either end of every cut."""
        box = self.whole.grown(self.bleed + GAP)
        upright = sorted({edge for slot in self.slots for edge in (slot.left, slot.right)})
        level = sorted({edge for slot in self.slots for edge in (slot.top, slot.bottom)})
        marks = [Box(x - HAIR // 2, y, HAIR, MARK) for x in upright for y in (box.top - MARK, box.bottom)]
        return marks + [Box(x, y - HAIR // 2, MARK, HAIR) for y in level for x in (box.left - MARK, box.right)]

    def ruler_strip(self) -> Box | None:
        """Return the strip for a ruler and its words in the wider margin: below the cards, or upright left of them.

        None where both margins are too narrow; that happens with own sizes alone, all in CARDS leave room.
        """
        beyond = self.bleed + GAP + MARK + 2 * GAP
        if max(self.whole.left, self.whole.top) < beyond + RULER_DEPTH + RULER_CLEAR:
            return None
        left, top = self.whole.left + RULER_START, self.whole.top + RULER_START
        if self.whole.top >= self.whole.left:
            return Box(left, self.whole.bottom + beyond, self.size[0] - CLEAR - left, RULER_DEPTH)
        return Box(self.whole.left - beyond - RULER_DEPTH, top, RULER_DEPTH, self.size[1] - CLEAR - top)
