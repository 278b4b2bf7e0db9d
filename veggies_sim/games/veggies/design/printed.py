"""The printed face and the back of a card, as inks.

What may live here: how a card looks on paper. It lies with its long side across, as in the deck file. Spaces divide it exactly
and have no frame, so that a card that lies on others covers whole spaces; ink reaches `BLEED` beyond each edge. The one dark
line is the card's edge, where it is cut; those between spaces are light and end before it. Colours, shapes and letters are
those of the screen (`drawing`), with outlines that a printer without colours shows too.
"""

from __future__ import annotations

from veggies_sim.design.ink import Box, Ink, extent, rectangle, scaled, text
from veggies_sim.design.paper import BLEED, HAIR
from veggies_sim.games.veggies.deck import EMPTY, LETTER, RAT, Card
from veggies_sim.games.veggies.drawing import CELL, COLOUR, SHAPE

INK = "#222222"
EDGE = "#000000"  # of a card; to be seen where two rats meet too
WHITE = "#FFFFFF"
BACK, PATTERN = "#26547C", "#5B84A8"
LINE = 250  # around shapes, micrometres
BETWEEN = 400  # width of the lines between spaces, micrometres
LETTER_SIZE = 12  # in a space of CELL x CELL, and where letters end below that are not in its middle:
BASELINE = {"carrot": 17, "mushroom": 17, EMPTY: 15}
MIDDLE = 18.4
FILLED = 0.76  # share of a space's lesser side that the square around its shape has: the rest keeps room for the id


def space_box(width: int, height: int, row: int, column: int) -> Box:
    """Return a space of a card that lies across; all six divide the card without remainder."""
    left, right = width * column // 3, width * (column + 1) // 3
    top, bottom = height * row // 2, height * (row + 1) // 2
    return Box(left, top, right - left, bottom - top)


def spaces_are_square(size: tuple[int, int]) -> bool:
    """Return whether a card of that lesser and greater side has square spaces: cards laid crosswise then cover whole ones."""
    return 3 * size[0] == 2 * size[1]


def face_inks(card: Card, width: int, height: int, version: str) -> list[Ink]:
    """Return a face of width x height micrometres with its bleed; `version` is printed behind the id."""
    inks, above = [], []
    for row, line in enumerate(card.face):
        for column, symbol in enumerate(line):
            box = space_box(width, height, row, column)
            inks.append(rectangle(COLOUR[symbol], _with_bleed(box, width, height)))
            above += _symbol(symbol, box)
    inks += [rectangle(WHITE, box) for box in _lines(width, height)]
    edge = rectangle(EDGE, Box(0, 0, width, height))._replace(line=HAIR)
    return [*inks, *above, edge, *_label(card.id, version, width, height)]


def _with_bleed(box: Box, width: int, height: int) -> Box:
    left, top = box.left - BLEED * (box.left == 0), box.top - BLEED * (box.top == 0)
    right, bottom = box.right + BLEED * (box.right == width), box.bottom + BLEED * (box.bottom == height)
    return Box(left, top, right - left, bottom - top)


def _lines(width: int, height: int) -> list[Box]:
    """Return the lines between spaces; they stop short of the edge, so that nobody cuts along them."""
    short = height // 16
    upright = [Box(width * column // 3 - BETWEEN // 2, short, BETWEEN, height - 2 * short) for column in (1, 2)]
    return [*upright, Box(short, height // 2 - BETWEEN // 2, width - 2 * short, BETWEEN)]


def _symbol(symbol: str, box: Box) -> list[Ink]:
    """Return shape and letter of a space."""
    middle = box.middle
    size = min(box.width, box.height) * FILLED
    at = (middle[0], middle[1] + (BASELINE.get(symbol, MIDDLE) / CELL - 0.5) * size)
    ground, ink = (COLOUR[RAT], WHITE) if symbol == RAT else (WHITE, INK)
    letter = text(ink, LETTER[symbol], round(size * LETTER_SIZE / CELL), at, 0.5, bold=True)
    if symbol not in SHAPE:
        return [letter]
    shape = scaled(ground, SHAPE[symbol], CELL, size, middle)
    return [shape, shape._replace(colour=ink, line=LINE), letter]


def _label(card_id: str, version: str, width: int, height: int) -> list[Ink]:
    """Return id and version in tiny letters on a light plate below all shapes; a long id is cut, the version is not."""
    size = height // 32
    baseline = height - 17 * size // 20
    name = text(INK, card_id, size, (2 * size, baseline), room=2 * width // 3)
    mark = text(INK, version, size, (extent(name).right + size, baseline))
    plate = Box(5 * size // 3, height - 17 * size // 10, extent(mark).right - 4 * size // 3, 11 * size // 10)
    return [rectangle(WHITE, plate), name, mark]


def back_inks(width: int, height: int) -> list[Ink]:
    """Return the back, with its bleed: the same for all cards and all versions of a deck, also after a half-turn.

    It has no text, so that a card that was changed and printed anew can't be told from the others.
    """
    inks = [rectangle(BACK, Box(0, 0, width, height).grown(BLEED))]
    for row in range(2):
        for column, shape in enumerate(("grape", "banana", "grape")):
            box = space_box(width, height, row, column)
            for share, colour in ((0.9, PATTERN), (0.6, BACK), (0.3, PATTERN)):
                inks.append(scaled(colour, SHAPE[shape], CELL, min(box.width, box.height) * share, box.middle))
    return inks
