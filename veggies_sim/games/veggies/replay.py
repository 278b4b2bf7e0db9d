"""One recorded game of Veggies told move by move, as text and as SVG.

What may live here: laying the cards of a record again, and the words and pictures of its steps. The parts of a picture
are `drawing`'s work.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from veggies_sim.core.errors import InputError, counted
from veggies_sim.core.game import Step
from veggies_sim.core.replay import listed
from veggies_sim.core.svg import Picture, column, flow, page, panel, picture_svg, text_line
from veggies_sim.games.veggies.deck import GOODS, LETTER, LETTERS, Face
from veggies_sim.games.veggies.drawing import card_picture, legend, stand_picture, stand_text
from veggies_sim.games.veggies.rules import Goods, Stand, add_up, announce

if TYPE_CHECKING:
    from veggies_sim.core.replay import Record
    from veggies_sim.games.veggies.game import Veggies

Row = Mapping[str, Any]
LEGEND = f"{LETTERS}; blank: no card. SBG/CM. is a card, row by row."
LONGEST_ID = 20  # letters of a card's id in a title; the middle of a longer one is left out


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
        if wanted[0] == "start" and any((move["row"], move["col"], move["rotation"])):
            raise InputError(f"seat {seat}: the start card lies at row 0, column 0, rotation 0; the record was changed")
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
        picture = stand_picture(self.stands[seat], -1 if marked else None, scored)
        return panel(self.label(seat), (f"policy {self.seats[seat]['policy']}", *lines), picture, marked)


def steps(game: Veggies, record: Record) -> list[Step]:
    """Return one Step for every recorded move of a game, and one for the announcements and the scores.

    Raises InputError or IllegalMove where the record does not fit the deck and the rules of `game`.
    """
    table = _Table(game, record)
    pictures = [_move_step(table, move) for move in record.moves]
    _check_end(table)
    return [*pictures, _final_step(table)]


def finished_stand(game: Veggies, record: Record, seat: int) -> str:
    """Return the picture of one seat's stand at the end of a recorded game, with the sum that makes its score.

    Raises InputError or IllegalMove where the record does not fit the deck and the rules of `game`.
    """
    table = _Table(game, record)
    for move in record.moves:
        table.lay(move)
    _check_end(table)
    _, panel = _end(table, seat)
    return picture_svg(panel, f"the stand of {table.label(seat)}; {_result(table)}")


def _check_end(table: _Table) -> None:
    """Refuse rows of `seats` that tell of other stands than the moves give."""
    for seat, (stand, row) in enumerate(zip(table.stands, table.seats, strict=True)):
        largest, groups = stand.largest(), stand.groups()
        seen = {f"{good}_largest": largest[good] for good in GOODS} | {f"{good}_groups": groups[good] for good in GOODS}
        for key, value in (seen | {"rats": stand.rats()}).items():
            if row[key] != value:
                raise InputError(f"seat {seat}: {key} is {value} in the stand, the record says {row[key]}; it was changed")


def _move_step(table: _Table, move: Row) -> Step:
    seat = int(move["seat"])
    offer = table.offer(seat)
    chosen = table.lay(move)
    card, source = _short(str(move["card"])), offer[chosen][0]
    did = f"starts with {card}" if source == "start" else f"lays {card} from {source}"
    title = [f"turn {move['turn']}, seat {seat} {did}"]
    title += [f"rotated {90 * int(move['rotation'])}°, at row {move['row']}, column {move['col']}"]
    scores = table.scores() if move["turn"] else None
    panels = []
    for other, stand in enumerate(table.stands):
        now = f"score now {scores[other]}" if scores else "no score yet"
        panels.append(table.panel(other, [f"{now}, {counted(len(stand.cards), 'card')}"], other == seat))
    svg = page(title, [_offer_picture(table, offer, chosen), flow(panels)], legend())
    return Step(", ".join(title), _move_text(table, move, offer), svg, LEGEND)


def _short(card_id: str) -> str:
    return card_id if len(card_id) <= LONGEST_ID else f"{card_id[:12]}…{card_id[-7:]}"


def _offer_picture(table: _Table, offer: Sequence[tuple[str, str]], chosen: int) -> Picture:
    """Return the ramp before the move and the mover's own cards, with the card that was taken outlined."""
    pictures = []
    for place, (source, card) in enumerate(offer):
        name = {"start": "dealt"}.get(source, source)
        face = card_picture(table.faces[card], place == chosen)
        head = text_line(f"{name}: {card}", face.width + 36, 13, 'font-weight="bold"' if place == chosen else "")
        pictures.append(column([head, face]))
    return flow(pictures)


def _move_text(table: _Table, move: Row, offer: Sequence[tuple[str, str]]) -> str:
    """Return what the seat could lay, then its stand; the stands of the others have not changed."""
    seat = int(move["seat"])
    cards = [f"{source} {card} {_letters(table.faces[card])}" for source, card in offer]
    ramp, own = cards[: len(table.ramp)], cards[len(table.ramp) :]
    now = "no score yet" if move["score_now"] is None else f"score if the game ended now: {move['score_now']}"
    before = [f"  ramp: {'; '.join(ramp) or 'no cards'}", f"  held: {'; '.join(own)}", f"  legal moves: {move['choices']}"]
    return "\n".join(["before:", *before, "after:", f"  {now}", f"  {table.name(seat)}", stand_text(table.stands[seat])])


def _letters(face: Face) -> str:
    return "/".join("".join(LETTER[symbol] for symbol in row) for row in face)


def _final_step(table: _Table) -> Step:
    """Say who announced what, how each score comes about, and who won, from the rows of `seats`."""
    scored, title = _scored(table), f"the end: {_result(table)}"
    ends = [_end(table, seat) for seat in range(len(table.seats))]
    lines = [words for words, _ in ends]
    lines += ["", f"scored: {listed(scored) if scored else 'nothing'}", _result(table)]
    for seat, stand in enumerate(table.stands):
        lines += ["", table.name(seat), stand_text(stand)]
    svg = page([title], [flow([stand for _, stand in ends])], legend(_pale(table)))
    return Step(title, "\n".join(lines), svg, LEGEND)


def _scored(table: _Table) -> list[str]:
    return [good for good in GOODS if table.seats[0][f"{good}_scored"]]


def _pale(table: _Table) -> str:
    """Return a good that nobody announced, as the legend's example; empty where there is none."""
    return next((good for good in GOODS if good not in _scored(table)), "")


def _end(table: _Table, seat: int) -> tuple[str, Picture]:
    """Return what a seat announced and how its score comes about, in words and below its stand."""
    row, scored = table.seats[seat], _scored(table)
    named = [row[key] for key in ("announced", "announced_2") if row[key] is not None]
    said = f"announces {listed(named) if named else 'nothing'}"
    terms = _terms(table, row, scored)
    return f"{table.name(seat)} {said}; {' '.join(terms)}", table.panel(seat, [said, *terms], scored=scored)


def _terms(table: _Table, row: Row, scored: Sequence[str]) -> list[str]:
    """Return the sum that makes a seat's score, term by term."""
    goods = [f"{good} {row[f'{good}_largest']} x {row[f'{good}_groups']}" for good in scored] or ["0"]
    rats = f"- {counted(row['rats'], 'rat')} x {table.game.rules['rat_penalty']}"
    return [goods[0], *(f"+ {good}" for good in goods[1:]), rats, f"= {counted(row['score'], 'point')}"]


def _result(table: _Table) -> str:
    """Return who won, by which score and, where it decided, by how many rats."""
    sides = range(max(table.teams) + 1)
    scores = add_up([int(row["score"]) for row in table.seats], table.teams)
    won = sorted({int(row["team"]) for row in table.seats if row["win"] > 0})
    what = "team" if len(sides) < len(table.teams) else "seat"
    points = counted(scores[won[0]], "point")
    if len(won) > 1:
        return f"{what}s {listed(won)} share the win with {points}"
    return f"{what} {won[0]} wins with {points}" + (" and fewer rats" if scores.count(scores[won[0]]) > 1 else "")
