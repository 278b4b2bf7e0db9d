"""Pictures of Veggies as SVG and as text: cards and stands.

What may live here: drawing, nothing that knows a recorded game. Every picture is self-contained SVG; colours are those
of Okabe and Ito (2008), which colour-blind people tell apart, and each space carries its letter (S B G C M, '.' for
empty, R for rat) and all but the empty one a shape of its own. All text is escaped.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from veggies_sim.core.errors import InputError, counted
from veggies_sim.core.svg import Picture, column, flow, outline, page, picture_svg, text, text_line
from veggies_sim.games.veggies.deck import EMPTY, GOODS, LETTER, RAT, Card, Deck, Face
from veggies_sim.games.veggies.rules import Space, Stand

CELL = 28  # pixels a space is wide and high
MOST_FACES = 40  # in the picture of a deck: what a notebook shows at a glance, in 100 kB
COLOUR = dict(zip(GOODS, ("#D55E00", "#F0E442", "#CC79A7", "#E69F00", "#56B4E9"), strict=True))
COLOUR |= {EMPTY: "#F6F3EC", RAT: "#4D4D4D"}
SHAPE = {  # paths in a space of 28 x 28, in the few words that `design.ink` reads too
    "strawberry": "M 14 3 C 20.1 3 25 7.9 25 14 C 25 20.1 20.1 25 14 25 C 7.9 25 3 20.1 3 14 C 3 7.9 7.9 3 14 3 Z",
    "banana": "M 14 2 L 26 14 L 14 26 L 2 14 Z",
    "grape": "M 8 4 L 20 4 L 26 14 L 20 24 L 8 24 L 2 14 Z",
    "carrot": "M 2 4 L 26 4 L 14 27 Z",
    "mushroom": "M 3 16 C 3 9.4 7.9 4 14 4 C 20.1 4 25 9.4 25 16 L 21 16 L 21 25 L 7 25 L 7 16 Z",
    RAT: "M 14 27 C 10.5 27 4 18 4 13 C 4 11.5 4.4 10.3 5 9.3 C 3.7 8.6 3 7.4 3 6 C 3 3.8 4.8 2 7 2 C 8.9 2 10.4 3.3 10.9 5.1 "
    "C 12.9 4.6 15.1 4.6 17.1 5.1 C 17.6 3.3 19.1 2 21 2 C 23.2 2 25 3.8 25 6 C 25 7.4 24.3 8.6 23 9.3 "
    "C 23.6 10.3 24 11.5 24 13 C 24 18 17.5 27 14 27 Z",
}


def _space(x: int, y: int, symbol: str, faded: bool = False) -> str:
    """Return one space: colour, shape and letter."""
    look = 'fill="none" stroke="#fff"' if symbol == RAT else 'fill="#fff" fill-opacity=".38"'
    shape = f'<path d="{SHAPE[symbol]}" {look}/>' if symbol in SHAPE else ""
    ink = "#fff" if symbol == RAT else "#555" if faded else "#000"
    letter = text(14, 20, LETTER[symbol], 16, f'text-anchor="middle" font-weight="bold" fill="{ink}"')
    square = f'<rect width="{CELL}" height="{CELL}" fill="{COLOUR[symbol]}" stroke="#fff" stroke-width=".6"/>'
    ground = f'<g opacity=".3">{square}{shape}</g>' if faded else square + shape  # the letter is not faded: it stays readable
    return f'<g transform="translate({x} {y})">{ground}{letter}</g>'


def card_picture(face: Face, marked: bool = False) -> Picture:
    """Return a card face as it is printed; `marked` outlines it."""
    width, height = 3 * CELL, 2 * CELL
    spaces = [_space(CELL * c, CELL * r, face[r][c]) for r in range(2) for c in range(3)]
    border = f'<rect width="{width}" height="{height}" fill="none" stroke="#222" stroke-width="1.2"/>'
    return Picture(width, height, "".join(spaces) + border + (outline(0, 0, width, height) if marked else ""))


def _borders(stand: Stand, top: int, left: int) -> str:
    """Return the thin lines along the visible edges of the topmost cards."""
    owner = {space: number for number, card in enumerate(stand.cards) for space, _ in card.spaces()}
    lines = set()
    for (row, col), number in owner.items():
        x, y = CELL * (col - left), CELL * (row - top)
        for side in (0, 1):
            lines |= {f"M{x} {y + CELL * side}h{CELL}"} if owner.get((row + 2 * side - 1, col)) != number else set()
            lines |= {f"M{x + CELL * side} {y}v{CELL}"} if owner.get((row, col + 2 * side - 1)) != number else set()
    return f'<path d="{"".join(sorted(lines))}" fill="none" stroke="#222" stroke-width="1.2"/>'


def _box(spaces: Collection[Space]) -> tuple[range, range]:
    """Return the rows and the columns of the box around `spaces`."""
    rows, cols = zip(*spaces, strict=True)
    return range(min(rows), max(rows) + 1), range(min(cols), max(cols) + 1)


def stand_picture(stand: Stand, highlight: int | None = None, scored: Collection[str] = GOODS) -> Picture:
    """Return the stand with its row and column numbers; goods that are not in `scored` are faded."""
    if not stand.cards:
        return text_line("no cards yet", 100, 13, 'fill="#555"')
    rows, cols = _box(stand.spaces)
    top, left = rows[0], cols[0]
    body = []
    for (row, col), symbol in sorted(stand.spaces.items()):
        body.append(_space(CELL * (col - left), CELL * (row - top), symbol, symbol in GOODS and symbol not in scored))
    body.append(_borders(stand, top, left))
    if highlight is not None:
        mine, across = _box([space for space, _ in stand.cards[highlight].spaces()])
        corner = CELL * (across[0] - left), CELL * (mine[0] - top)
        body.append(outline(*corner, CELL * len(across), CELL * len(mine)))
    right, middle = ('text-anchor="end" fill="#555"', 'text-anchor="middle" fill="#555"')
    body += [text(-6, CELL * (row - top) + 18, row, 12, right) for row in rows]
    every = -(-(8 * max(len(str(col)) for col in cols) + 4) // CELL)  # long column numbers need more than one space
    body += [text(CELL * (col - left) + 14, -7, col, 12, middle) for col in cols[::every]]
    margin = max(26, 8 + 8 * max(len(str(row)) for row in rows))
    size = margin + CELL * len(cols) + 4, 26 + CELL * len(rows) + 4
    return Picture(*size, Picture(*size, "".join(body)).at(margin, 26))


def _entry(symbol: str, words: str, faded: bool = False) -> Picture:
    label = f'<g transform="scale(.7)">{_space(0, 0, symbol, faded)}</g>{text(26, 15, words)}'
    return Picture(34 + 9 * len(words), 20, label)


def legend(pale: str = "") -> list[Picture]:
    """Return the legend of all symbols, with `pale` as example of a pale good."""
    entries = [_entry(symbol, symbol) for symbol in LETTER]
    return entries + ([_entry(pale, "pale: announced by nobody", faded=True)] if pale else [])


def with_copies(ids: str, copies: int) -> str:
    """Return ids with their number of copies, where there are several."""
    return ids if copies == 1 else f"{copies}x {ids}"


def named(picture: Picture, words: str) -> Picture:
    """Return the picture of a card above its name."""
    return column([picture, Picture(0, 3, ""), text_line(words, picture.width, 12)])


def named_card(card: Card) -> Picture:
    """Return a card's face above its id and, where there are several, its copies."""
    return named(card_picture(card.face), with_copies(card.id, card.copies))


def card_svg(card: Card) -> str:
    """Return the picture of a card: its face as it is printed, its id and copies."""
    return picture_svg(named_card(card), f"card {card.id}")


def deck_svg(deck: Deck, notes: Sequence[str] = (), most: int = MOST_FACES, below: Sequence[Picture] = ()) -> str:
    """Return the picture of a deck: its first `most` faces, how often each symbol occurs, notes above and pictures below."""
    drawn = f", of which the first {most} are drawn" if len(deck.cards) > most else ""
    head = f"{counted(len(deck), 'card')}, {counted(len(deck.cards), 'face')}{drawn}"
    spaces = "spaces: " + ", ".join(f"{symbol} {count:,}" for symbol, count in deck.counts().items())
    cards = flow([named_card(card) for card in deck.cards[:most]])
    return page([head], [cards, text_line(spaces, max(cards.width, 760)), *below], legend(), notes)


def stand_svg(stand: Stand, highlight: int | None = None) -> str:
    """Return the picture of a stand; `highlight` is the place in `stand.cards` of a card to outline (-1 the last)."""
    if highlight is not None and not -len(stand.cards) <= highlight < len(stand.cards):
        raise InputError(f"highlight: found {highlight}; the stand has {len(stand.cards)} cards, counted from 0")
    return picture_svg(stand_picture(stand, highlight), f"a stand of {len(stand.cards)} cards")


def stand_text(stand: Stand) -> str:
    """Return the visible letters with row and column numbers.

    >>> print(stand_text(Stand([([["grape", "rat", "empty"], ["banana", "grape", "carrot"]], 0, -1, 0)])))
       -1  0  1
     0  G  R  .
     1  B  G  C
    """
    if not stand.spaces:
        return "(no cards)"
    rows, cols = _box(stand.spaces)
    margin = max(2, *(len(str(row)) for row in rows))
    wide = 1 + max(2, *(len(str(col)) for col in cols))
    lines = [" " * margin + "".join(f"{col:>{wide}}" for col in cols)]
    for row in rows:
        letters = (LETTER.get(stand.spaces.get((row, col), ""), "") for col in cols)
        lines.append(f"{row:>{margin}}" + "".join(f"{letter:>{wide}}" for letter in letters).rstrip())
    return "\n".join(lines)
