"""Pictures of Veggies: a card, a stand, and one game move by move, as SVG and as text.

What may live here: drawing, and laying out the cards of a recorded game again to have something to draw. Every picture
is self-contained SVG; colours are those of Okabe and Ito (2008), which colour-blind people tell apart, and each space
carries its letter (S B G C M, '.' for empty, R for rat) and each good a shape of its own. All text is escaped.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from veggies_sim.core.errors import InputError
from veggies_sim.core.game import Step
from veggies_sim.games.veggies.deck import EMPTY, GOODS, LETTER, RAT, Face
from veggies_sim.games.veggies.rules import Goods, Space, Stand, add_up, announce

if TYPE_CHECKING:
    from veggies_sim.games.veggies.game import Veggies

Row = Mapping[str, Any]

CELL = 28  # pixels a space is wide and high
GAP = 16  # pixels between two pictures
PAGE = 1200  # pixels a picture is wide at most, where its parts can go to another line
MARK = "#0072B2"
COLOUR = dict(zip(GOODS, ("#D55E00", "#F0E442", "#CC79A7", "#E69F00", "#56B4E9"), strict=True))
COLOUR |= {EMPTY: "#F6F3EC", RAT: "#4D4D4D"}
SHAPE = {  # paths in a space of 28 x 28
    "strawberry": "M14 3a11 11 0 1 0 .1 0z",
    "banana": "M14 2l12 12-12 12-12-12z",
    "grape": "M8 4h12l6 10-6 10H8L2 14z",
    "carrot": "M2 4h24L14 27z",
    "mushroom": "M3 16a11 12 0 0 1 22 0h-6v9H9v-9z",
}


class Record(Protocol):
    """The rows of one recorded game, as the replay reads them."""

    @property
    def seats(self) -> Sequence[Row]: ...
    @property
    def deal(self) -> Row: ...
    @property
    def moves(self) -> Sequence[Row]: ...


class Picture(NamedTuple):
    """SVG elements that fill a box with its top-left corner at (0, 0)."""

    width: int
    height: int
    body: str

    def at(self, x: int, y: int) -> str:
        """Return the elements moved to (x, y)."""
        return f'<g transform="translate({x} {y})">{self.body}</g>'


def escape(words: object) -> str:
    """Return text that may stand anywhere in SVG; characters that XML has no place for become U+FFFD."""
    return html.escape(re.sub("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "\ufffd", str(words)))


def _fit(words: str, width: int, size: int, bold: bool) -> str:
    """Return `words`, shortened with dots where they would not fit into `width` pixels in a font of `size`."""
    room, usual = width / size, 0.68 if bold else 0.6
    for place, letter in enumerate(words):
        room -= 1.1 if unicodedata.east_asian_width(letter) in "WF" or letter in "MWmw@%" else usual
        if room < 0:
            return words[: max(place - 2, 0)] + "…"
    return words


def _text(x: int, y: int, words: object, size: int = 13, more: str = "") -> str:
    return f'<text x="{x}" y="{y}" font-size="{size}" {more}>{escape(words)}</text>'


def _line(words: str, width: int, size: int = 13, more: str = "") -> Picture:
    """Return one line of text that stays inside `width`; the whole of it shows when the mouse rests on it."""
    fitted = _fit(words, width, size, "bold" in more)
    body = f"<g><title>{escape(words)}</title>{_text(0, size, fitted, size, more)}</g>"
    return Picture(width, size + 6, body)


def _space(x: int, y: int, symbol: str, faded: bool = False) -> str:
    """Return one space: colour, shape and letter."""
    shape = f'<path d="{SHAPE[symbol]}" fill="#fff" fill-opacity=".38"/>' if symbol in SHAPE else ""
    ink = "#fff" if symbol == RAT else "#000"
    letter = _text(14, 20, LETTER[symbol], 16, f'text-anchor="middle" font-weight="bold" fill="{ink}"')
    square = f'<rect width="{CELL}" height="{CELL}" fill="{COLOUR[symbol]}" stroke="#fff" stroke-width=".6"/>'
    dim = ' opacity=".3"' if faded else ""
    return f'<g transform="translate({x} {y})"{dim}>{square}{shape}{letter}</g>'


def _outline(x: int, y: int, width: int, height: int) -> str:
    """Return the frame that marks a card of width x height pixels."""
    box = f'x="{x}" y="{y}" width="{width}" height="{height}" fill="none" rx="2"'
    return f'<rect {box} stroke="#fff" stroke-width="6"/><rect {box} stroke="{MARK}" stroke-width="3.5"/>'


def _card(face: Face, marked: bool = False) -> Picture:
    width, height = 3 * CELL, 2 * CELL
    spaces = [_space(CELL * c, CELL * r, face[r][c]) for r in range(2) for c in range(3)]
    border = f'<rect width="{width}" height="{height}" fill="none" stroke="#222" stroke-width="1.2"/>'
    return Picture(width, height, "".join(spaces) + border + (_outline(0, 0, width, height) if marked else ""))


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


def _stand(stand: Stand, highlight: int | None = None, scored: Collection[str] = GOODS) -> Picture:
    """Return the stand with its row and column numbers; goods that are not in `scored` are faded."""
    if not stand.cards:
        return _line("no cards yet", 100, 13, 'fill="#555"')
    rows, cols = _box(stand.spaces)
    top, left = rows[0], cols[0]
    body = []
    for (row, col), symbol in sorted(stand.spaces.items()):
        body.append(_space(CELL * (col - left), CELL * (row - top), symbol, symbol in GOODS and symbol not in scored))
    body.append(_borders(stand, top, left))
    if highlight is not None:
        mine, across = _box([space for space, _ in stand.cards[highlight].spaces()])
        corner = CELL * (across[0] - left), CELL * (mine[0] - top)
        body.append(_outline(*corner, CELL * len(across), CELL * len(mine)))
    right, middle = ('text-anchor="end" fill="#555"', 'text-anchor="middle" fill="#555"')
    body += [_text(-6, CELL * (row - top) + 18, row, 12, right) for row in rows]
    every = -(-(8 * max(len(str(col)) for col in cols) + 4) // CELL)  # long column numbers need more than one space
    body += [_text(CELL * (col - left) + 14, -7, col, 12, middle) for col in cols[::every]]
    margin = max(26, 8 + 8 * max(len(str(row)) for row in rows))
    size = margin + CELL * len(cols) + 4, 26 + CELL * len(rows) + 4
    return Picture(*size, Picture(*size, "".join(body)).at(margin, 26))


def _column(pictures: Sequence[Picture]) -> Picture:
    """Return pictures below one another."""
    y, body = 0, []
    for picture in pictures:
        body.append(picture.at(0, y))
        y += picture.height
    return Picture(max(picture.width for picture in pictures), y, "".join(body))


def _flow(pictures: Sequence[Picture], gap: int = GAP) -> Picture:
    """Return pictures side by side, on as few lines of about as many pictures as fit into PAGE pixels."""
    for lines in range(1, len(pictures) + 1):
        number = -(-len(pictures) // lines)
        parts = [pictures[first : first + number] for first in range(0, len(pictures), number)]
        width = max(sum(picture.width + gap for picture in part) for part in parts) - gap
        if width <= PAGE:
            break
    body, y = [], 0
    for part in parts:
        x = 0
        for picture in part:
            body.append(picture.at(x, y))
            x += picture.width + gap
        y += max(picture.height for picture in part) + gap
    return Picture(width, y - gap, "".join(body))


def _svg(picture: Picture, title: str, edge: int = 6) -> str:
    """Return a whole SVG image on white, with `title` for those who cannot see it."""
    width, height = picture.width + 2 * edge, picture.height + 2 * edge
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        f'role="img" font-family="DejaVu Sans, Verdana, Arial, sans-serif"><title>{escape(title)}</title>'
        f'<rect width="{width}" height="{height}" fill="#fff"/>{picture.at(edge, edge)}</svg>'
    )


def card_svg(face: Face) -> str:
    """Return the picture of a card face as it is printed."""
    return _svg(_card(face), "a card")


def stand_svg(stand: Stand, highlight: int | None = None) -> str:
    """Return the picture of a stand; `highlight` is the place in `stand.cards` of a card to outline (-1 the last)."""
    if highlight is not None and not -len(stand.cards) <= highlight < len(stand.cards):
        raise InputError(f"highlight: found {highlight}; the stand has {len(stand.cards)} cards, counted from 0")
    return _svg(_stand(stand, highlight), f"a stand of {len(stand.cards)} cards")


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


class _Table:
    """The table of one recorded game: the deal order of the rules (Setup), followed move by move."""

    def __init__(self, game: Veggies, record: Record) -> None:
        self.game = game
        self.faces = {card.id: card.face for card in game.setup.cards}
        self.seats = record.seats
        self.teams = [int(row["team"]) for row in record.seats]
        self.order = iter(record.deal["order"])
        self.ramp = [self._draw() for _ in range(int(game.rules["ramp_size"]))]
        self.hands = [[self._draw(), self._draw()] for _ in range(game.players)]
        self.stands = [Stand() for _ in range(game.players)]

    def _draw(self) -> str:
        card = next(self.order, None)
        if card not in self.faces:
            found = "found its end" if card is None else f"found card {card!r}, which the deck does not have"
            raise InputError(f"the recorded deck order: {found}; replay the game with the deck it was played with")
        return str(card)

    def offer(self, seat: int) -> list[tuple[str, str]]:
        """Return (source, card) of what the seat can lay: the ramp, then its hand."""
        names = ["hand"] if self.stands[seat].cards else ["start", "start"]
        ramp = [(f"ramp{place}", card) for place, card in enumerate(self.ramp, start=1)]
        return ramp + list(zip(names, self.hands[seat], strict=True))

    def lay(self, move: Row) -> int:
        """Lay the card of a move and refill its place; return its number in the offer."""
        seat, wanted = int(move["seat"]), (str(move["source"]), str(move["card"]))
        offer = self.offer(seat)
        if wanted not in offer:
            there = ", ".join(f"{card} from {source}" for source, card in offer)
            what = f"turn {move['turn']}, seat {seat}: the record says {wanted[1]} from {wanted[0]}, there was {there}"
            raise InputError(f"{what}; replay the game with the deck and the rules it was played with")
        chosen = offer.index(wanted)
        self.stands[seat].place(self.faces[wanted[1]], move["row"], move["col"], move["rotation"])
        if wanted[0] == "start":
            self.hands[seat].remove(wanted[1])
        elif wanted[0] == "hand":
            self.hands[seat] = [self._draw()]
        else:
            self.ramp[chosen] = self._draw()
        return chosen

    def scores(self) -> list[int]:
        """Return each seat's points if the game ended now (dataset: score_now)."""
        rules = self.game.rules
        count, pair, penalty = int(rules["announced"]), str(rules["pair"]), int(rules["rat_penalty"])
        union: Goods = frozenset().union(*announce(self.stands, self.teams, count, pair, penalty))
        return [stand.score(union, penalty) for stand in self.stands]

    def label(self, seat: int) -> str:
        """Return the seat with its team, where there are teams."""
        return f"seat {seat}" + (f", team {self.teams[seat]}" if len({*self.teams}) < len(self.teams) else "")

    def name(self, seat: int) -> str:
        """Return the label with the seat's policy."""
        return f"{self.label(seat)}: {self.seats[seat]['policy']}"

    def panel(self, seat: int, lines: Sequence[str], marked: bool = False, scored: Collection[str] = GOODS) -> Picture:
        """Return a seat's stand below its name and more lines; `marked` outlines the last card and the panel."""
        picture = _stand(self.stands[seat], -1 if marked else None, scored)
        width = max(picture.width, 264)
        label = _line(self.label(seat), width, 14, 'font-weight="bold"')
        more = [_line(line, width) for line in (f"policy {self.seats[seat]['policy']}", *lines)]
        inner = _column([label, *more, picture])
        fill, frame = ("#EAF4FB", MARK) if marked else ("#FAFAFA", "#CCC")
        box = f'<rect width="{width + 16}" height="{inner.height + 16}" rx="5" fill="{fill}" stroke="{frame}"/>'
        return Picture(width + 16, inner.height + 16, box + inner.at(8, 8))


def steps(game: Veggies, record: Record) -> list[Step]:
    """Return one Step for every recorded move of a game, and one for the announcements and the scores.

    Raises InputError or IllegalMove where the record does not fit the deck and the rules of `game`.
    """
    table = _Table(game, record)
    return [_move_step(table, move) for move in record.moves] + [_final_step(table)]


def _move_step(table: _Table, move: Row) -> Step:
    seat = int(move["seat"])
    offer = table.offer(seat)
    chosen = table.lay(move)
    where = f"rotated {90 * int(move['rotation'])}°, at row {move['row']}, column {move['col']}"
    source = offer[chosen][0]
    did = f"starts with {move['card']}" if source == "start" else f"lays {move['card']} from {source}"
    title = f"turn {move['turn']}, seat {seat} {did}, {where}"
    scores = table.scores() if move["turn"] else None
    panels = []
    for other, stand in enumerate(table.stands):
        now = f"score now {scores[other]}" if scores else "no score yet"
        panels.append(table.panel(other, [f"{now}, {_count(len(stand.cards), 'card')}"], other == seat))
    svg = _page(title, [_offer_picture(table, offer, chosen), _flow(panels)])
    return Step(title, _move_text(table, move, offer), svg)


def _offer_picture(table: _Table, offer: Sequence[tuple[str, str]], chosen: int) -> Picture:
    """Return the ramp before the move and the mover's own cards, with the card that was taken outlined."""
    pictures = []
    for place, (source, card) in enumerate(offer):
        name = {"start": "dealt"}.get(source, source)
        head = _line(f"{name}: {card}", 3 * CELL + 36, 13, 'font-weight="bold"' if place == chosen else "")
        pictures.append(_column([head, _card(table.faces[card], place == chosen)]))
    return _flow(pictures)


def _page(title: str, parts: Sequence[Picture]) -> str:
    """Return a whole image: title, parts below one another, and what the letters mean."""
    legend = []
    for symbol in LETTER:
        label = f'<g transform="scale(.7)">{_space(0, 0, symbol)}</g>{_text(26, 15, symbol)}'
        legend.append(Picture(34 + 9 * len(symbol), 20, label))
    width = max(760, *(part.width for part in parts))
    rows = [_line(title, width, 16, 'font-weight="bold"')]
    for part in (*parts, _flow(legend, 4)):
        rows += [Picture(0, 10, ""), part]
    return _svg(_column(rows), title, 12)


def _move_text(table: _Table, move: Row, offer: Sequence[tuple[str, str]]) -> str:
    seat = int(move["seat"])
    cards = [f"{source} {card} {_letters(table.faces[card])}" for source, card in offer]
    ramp, own = cards[: len(table.ramp)], cards[len(table.ramp) :]
    now = "none yet" if move["score_now"] is None else move["score_now"]
    lines = [f"ramp before the move: {'; '.join(ramp) or 'no cards'}", f"held before the move: {'; '.join(own)}"]
    lines += [f"choices: {move['choices']}", f"score_now: {now}", "", table.name(seat), stand_text(table.stands[seat])]
    for other, stand in enumerate(table.stands):
        if other != seat:
            lines += ["", table.name(other), str(stand)]
    return "\n".join(lines)


def _letters(face: Face) -> str:
    return "/".join("".join(LETTER[symbol] for symbol in row) for row in face)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _list(words: Sequence[object]) -> str:
    """Return the words as people list them.

    >>> _list([0, 1, 3])
    '0, 1 and 3'
    """
    return " and ".join([", ".join(map(str, words[:-1])), str(words[-1])] if len(words) > 1 else map(str, words))


def _final_step(table: _Table) -> Step:
    """Say who announced what, how each score comes about, and who won, from the rows of `seats`."""
    scored = [good for good in GOODS if table.seats[0][f"{good}_scored"]]
    title, lines, panels = f"the end: {_result(table)}", [], []
    for seat, row in enumerate(table.seats):
        named = [row[column] for column in ("announced", "announced_2") if row[column] is not None]
        said = f"announces {_list(named) if named else 'nothing'}"
        points = _count(row["score"], "point")
        goods = " + ".join(f"{good} {row[f'{good}_largest']} x {row[f'{good}_groups']}" for good in scored) or "0"
        sum_up = f"{goods} - {_count(row['rats'], 'rat')} x {table.game.rules['rat_penalty']} = {points}"
        lines.append(f"{table.name(seat)} {said}; {sum_up}")
        panels.append(table.panel(seat, [said, f"{points}, {_count(row['rats'], 'rat')}"], scored=scored))
    lines += ["", f"scored: {_list(scored) if scored else 'nothing'}", _result(table)]
    for seat, stand in enumerate(table.stands):
        lines += ["", table.name(seat), stand_text(stand)]
    return Step(title, "\n".join(lines), _page(title, [_flow(panels)]))


def _result(table: _Table) -> str:
    """Return who won, by which score and, where it decided, by how many rats."""
    sides = range(max(table.teams) + 1)
    scores = add_up([int(row["score"]) for row in table.seats], table.teams)
    won = sorted({int(row["team"]) for row in table.seats if row["win"] > 0})
    what = "team" if len(sides) < len(table.teams) else "seat"
    points = _count(scores[won[0]], "point")
    if len(won) > 1:
        return f"{what}s {_list(won)} share the win with {points}"
    return f"{what} {won[0]} wins with {points}" + (" and fewer rats" if scores.count(scores[won[0]]) > 1 else "")
