"""One recorded game of Veggie Garden told move by move, as text and as SVG.

What may live here: playing a record again by the plain rules (`garden`), which checks it on the way, and the words and
pictures of its steps. The parts of a picture are `drawing`'s work.
"""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from veggies_sim.core.errors import IllegalMove, InputError, counted, show
from veggies_sim.core.game import Step
from veggies_sim.core.replay import listed
from veggies_sim.core.svg import Picture, flow, page, panel
from veggies_sim.games.veggie_garden.actions import NAMES, NONE, Action, as_action, written
from veggies_sim.games.veggie_garden.board import COMPOST, KINDS
from veggies_sim.games.veggie_garden.drawing import counts_picture, garden_text, harvest_text, legend, table_picture
from veggies_sim.games.veggie_garden.garden import Garden
from veggies_sim.games.veggie_garden.state import CELLS, LAST, MOST_FOURS, POSTS, SLOTS

if TYPE_CHECKING:
    from veggies_sim.core.replay import Record
    from veggies_sim.games.veggie_garden.game import VeggieGarden

Row = Mapping[str, Any]
LEGEND = (
    "Kinds by their first three letters, in small letters on compost, where they are worth nothing; [ ] groundhog; bun: the "
    "bunny's post. Numbers of cells, posts and slots: docs/veggie_garden.md. Every hand is shown; in a game "
    "nobody sees the two cards that another seat was dealt."
)
ANOTHER = "replay the game with the board and the rules it was played with, or simulate it again"
LONGEST = 66  # letters in a line of a picture's title


class _Deck:
    """The recorded draws, checked against the cards that there are: the deck, and once it is empty the discards."""

    def __init__(self, game: VeggieGarden, deal: Row) -> None:
        self.draws, deck = iter(deal["draws"]), [*deal["deck"]]
        size = min(len(deck), len(deal["draws"]))
        copies = (str(game.setup.copies).split(",") * len(KINDS))[: len(KINDS)]
        printed = {kind: int(count) for kind, count in zip(KINDS, copies, strict=True) if kind in deal["kinds"]}
        if Counter(deck) != Counter(printed) or [*deal["draws"]][:size] != deck[:size]:
            raise InputError(f"the recorded deck is not that of the board, or not the one drawn from; {ANOTHER}.")
        self.left, self.discards = Counter(deck), Counter[str]()
        self.reshuffle = game.rules["reshuffle"] == "on"

    def draw(self) -> str | None:
        """Return the next card; None where none is left."""
        if not self.left.total() and self.reshuffle:
            self.left, self.discards = self.discards, Counter()
        if not self.left.total():
            return None
        kind = next(self.draws, None)
        if kind is None or not self.left[kind]:
            found = "they end before the game does" if kind is None else f"no {kind} is left to draw"
            raise InputError(f"the recorded draws: {found}; {ANOTHER}.")
        self.left[kind] -= 1
        return str(kind)

    def others(self, kind: str | None) -> bool:
        """Say whether deck or discards hold another kind."""
        return any(count for other, count in (self.left + self.discards).items() if other != kind)


class _Done(NamedTuple):
    """A move as its picture needs it."""

    did: str  # in words
    action: Action
    harvest: tuple[str | None, ...]  # before the move
    cells: list[int]
    posts: list[int]
    fours: list[str]  # kinds of which four were discarded


class _Table:
    """The table of one recorded game, followed move by move (rules: Garden, A turn)."""

    def __init__(self, game: VeggieGarden, record: Record) -> None:
        self.game, self.seats, self.deal = game, record.seats, record.deal
        self.kinds = [*record.deal["kinds"]]
        self.deck = _Deck(game, record.deal)
        _check_board(game, record.deal)
        cells = [str(self.deck.draw()) for _ in range(CELLS)]
        rules = int(game.rules["pea_axes"]), game.rules["pepper_moves_bunny"] == "on"
        self.garden = Garden(cells, record.deal["posts"], record.deal["groundhog"], (None,) * SLOTS, *rules)
        self.fours = 0  # times that four of a kind were replaced
        self.refill(range(SLOTS))
        dealt = [(self.deck.draw(), self.deck.draw()) for _ in range(game.players)]
        self.dealt = [[kind for kind in cards if kind is not None] for cards in dealt]  # fours may have used up the deck
        self.hands = [[*cards] for cards in self.dealt]

    def refill(self, slots: Sequence[int]) -> list[str]:
        """Fill slots of the harvest; return the kinds of which four were replaced."""
        replaced = []
        self._put(slots)
        while len({*self.garden.harvest}) == 1 and self.deck.others(self.garden.harvest[0]) and self.fours < MOST_FOURS:
            if self.garden.harvest[0] is None:
                break
            taken = [self.garden.take(slot) for slot in range(SLOTS)]
            self.deck.discards.update(taken)
            replaced.append(taken[0])
            self.fours += 1
            self._put(range(SLOTS))
        return replaced

    def _put(self, slots: Sequence[int]) -> None:
        for slot in slots:
            kind = self.deck.draw()
            if kind is not None:
                self.garden.put(slot, kind)

    def choices(self, seat: int, last: bool) -> list[tuple[int, Action]]:
        """Return the legal pairs of a slot and an action."""
        held = [(slot, kind) for slot, kind in enumerate(self.garden.harvest) if kind is not None]
        return [(s, do) for s, kind in held for do in ([NONE] if last else self.garden.actions(kind, self.hands[seat], s))]

    def play(self, move: Row) -> _Done:
        """Play a recorded move. Raises IllegalMove, and InputError where the record tells of another table."""
        seat, slot, last = int(move["seat"]), move["slot"], move["turn"] == LAST
        where, garden, hand = f"turn {move['turn']}, seat {seat}", self.garden, self.hands[seat]
        action, harvest = as_action((move["action"], move["a"], move["b"])), garden.harvest
        if slot not in range(SLOTS) or harvest[slot] is None or harvest[slot] != move["kind"]:
            there = harvest_text(harvest)
            raise InputError(f"{where}: the record says {move['kind']} from slot {slot}, there was {there}; {ANOTHER}.")
        choices = self.choices(seat, last)
        if (slot, action) not in choices:
            raise IllegalMove(f"{where}: {self._reason(move, action, last)}")
        if len(choices) != move["choices"]:
            raise InputError(f"{where}: there are {len(choices)} legal moves, the record says {move['choices']}; {ANOTHER}.")
        did, touched = f"takes {move['kind']} from slot {slot}", garden.touched(action)
        did += ", the last pick" if last else f": {garden.describe(action)}"
        kind = garden.take(slot)
        gone = garden.apply(action, hand)
        if action.name == "exchange":
            hand.remove(KINDS[int(move["b"])])
            hand.append(str(gone))
        elif gone is not None:
            self.deck.discards[gone] += 1
        hand.append(kind)
        planted = [move["b"]] if action.name == "replant" else []
        fours = [] if last else self.refill([slot, *planted])
        if self.score(seat) != move["score_now"]:
            raise InputError(f"{where}: the score is {self.score(seat)}, the record says {move['score_now']}; {ANOTHER}.")
        return _Done(did, action, harvest, *touched, fours)

    def _reason(self, move: Row, action: Action, last: bool) -> str:
        """Return why a recorded action is not legal."""
        if last or action.name not in NAMES[move["kind"]]:
            valid = "none" if last else " or ".join(NAMES[move["kind"]])
            return f"found {written(action)} for {move['kind']}; valid: {valid}"
        return f"{written(action)}: {self.garden.refusal(action, self.hands[int(move['seat'])], move['slot'])}"

    def bonus(self, seat: int) -> int:
        """Return the points of a seat's hand for holding every kind in play."""
        return int(self.game.rules["bonus"]) if {*self.hands[seat]} == {*self.kinds} else 0

    def score(self, seat: int) -> int:
        """Return a seat's points if the game ended now (dataset: score_now)."""
        return self.garden.score(self.hands[seat], self.kinds, int(self.game.rules["bonus"]))

    def name(self, seat: int) -> str:
        """Return the seat with its policy."""
        return f"seat {seat}: {self.seats[seat]['policy']}"

    def held(self, seat: int) -> dict[str, int]:
        """Return how many cards of each kind a seat holds."""
        return {kind: self.hands[seat].count(kind) for kind in self.kinds if kind in self.hands[seat]}

    def panel(self, seat: int, lines: Sequence[str], marked: bool = False) -> Picture:
        """Return a seat's hand below its name and more lines; `marked` outlines it."""
        told = [f"policy {self.seats[seat]['policy']}", f"dealt in secret: {', '.join(self.dealt[seat]) or 'nothing'}", *lines]
        return panel(f"seat {seat}", told, counts_picture(self.held(seat)), marked)


def steps(game: VeggieGarden, record: Record) -> list[Step]:
    """Return one Step for the set-up, one for every recorded move of a game, and one for the scores.

    The game is played again by the plain rules. Raises InputError or IllegalMove where the record does not fit them.
    """
    table = _Table(game, record)
    if any(move["turn"] < 1 for move in record.moves):
        raise InputError("a move is recorded for turn 0, which has none; it was changed")
    pictures = [_setup_step(table), *(_move_step(table, move) for move in record.moves)]
    _check_end(table)
    return [*pictures, _final_step(table)]


def _check_board(game: VeggieGarden, deal: Row) -> None:
    """Refuse kinds, posts and tokens that the board of the game does not give. Raises InputError."""
    kinds, setup = [*deal["kinds"]], game.setup
    bunny = setup.bunny == "on" and "carrot" in kinds
    points = Counter(int(each) for each in setup.posts.split(","))
    points.subtract([each for each in deal["posts"] if each is not None])
    hog = COMPOST if setup.groundhog != "off" and "pea" in kinds else (None,)
    fits = len({*kinds}) == len(KINDS) - 1 and setup.kinds in ("draw", "+".join(kinds))
    fits = fits and len(deal["posts"]) == POSTS and [*deal["posts"]].count(None) == int(bunny)
    if not fits or min(points.values()) < 0 or points.total() != int(bunny):
        raise InputError(f"the recorded kinds or posts are not those of the board; {ANOTHER}.")
    if deal["groundhog"] not in hog:
        raise InputError(f"the recorded groundhog is on cell {show(deal['groundhog'])}, which the board does not give; {ANOTHER}.")


def _check_end(table: _Table) -> None:
    """Refuse rows of `seats` that tell of another end than the moves give."""
    values, scores = table.garden.values(), [table.score(seat) for seat in range(len(table.hands))]
    for seat, row in enumerate(table.seats):
        others = scores[:seat] + scores[seat + 1 :]
        seen: dict[str, object] = {"score": scores[seat], "bonus": table.bonus(seat), "margin": scores[seat] - max(others)}
        for kind in KINDS:
            playing = kind in table.kinds
            seen[f"{kind}_held"] = table.hands[seat].count(kind) if playing else None
            seen[f"{kind}_value"] = values[kind] if playing else None
        for key, value in seen.items():
            if row[key] != value:
                raise InputError(f"seat {seat}: {key} is {value} on the table, the record says {row[key]}; it was changed")
        if abs(row["win"] - (scores[seat] == max(scores)) / scores.count(max(scores))) > 1e-6:
            raise InputError(f"seat {seat}: the record says win {row['win']:g}, the scores are {listed(scores)}; it was changed")


def _setup_step(table: _Table) -> Step:
    hog = table.garden.groundhog
    title = [f"the set-up: {listed(table.kinds)} are in play"]
    if hog is not None:
        by_seat = table.game.setup.groundhog == "policy"
        title.append(f"{'seat 0 puts the groundhog' if by_seat else 'chance puts the groundhog'} on cell {hog}")
    panels = [table.panel(seat, []) for seat in range(len(table.seats))]
    lines = [garden_text(table.garden)]
    lines += [f"{table.name(seat)}; dealt in secret: {', '.join(cards) or 'nothing'}" for seat, cards in enumerate(table.dealt)]
    return Step("; ".join(title), "\n".join(lines), _page(title, table_picture(table.garden, table.garden.harvest), panels), LEGEND)


def _move_step(table: _Table, move: Row) -> Step:
    seat = int(move["seat"])
    done = table.play(move)
    title = f"turn {move['turn']}, seat {seat} {done.did}"
    fours = [f"four of {kind} in the harvest are replaced" for kind in done.fours]
    text = ["before:", f"  harvest: {harvest_text(done.harvest)}", f"  legal moves: {move['choices']}", "after:"]
    text += [f"  {words}" for words in fours] + [f"  score if the game ended now: {move['score_now']}"]
    text += [f"  {table.name(seat)}; holds {_told(table.held(seat))}", garden_text(table.garden)]
    panels = [table.panel(other, [f"score now {table.score(other)}"], other == seat) for other in range(len(table.seats))]
    lines = (done.harvest, int(move["slot"]), done.cells, done.posts, "harvest before the move")
    return Step(title, "\n".join(text), _page([title, *fours], table_picture(table.garden, *lines), panels), LEGEND)


def _final_step(table: _Table) -> Step:
    """Say how each score comes about and who won."""
    won = [seat for seat, row in enumerate(table.seats) if row["win"] > 0]
    points = counted(table.score(won[0]), "point")
    result = f"seats {listed(won)} share the win with {points}" if len(won) > 1 else f"seat {won[0]} wins with {points}"
    panels, lines = [], []
    for seat in range(len(table.seats)):
        terms = [f"{kind} {count} x {table.garden.values()[kind]}" for kind, count in table.held(seat).items()]
        terms.append(f"all kinds {table.bonus(seat)}")
        terms = [terms[0], *(f"+ {term}" for term in terms[1:]), f"= {counted(table.score(seat), 'point')}"]
        panels.append(table.panel(seat, terms, seat in won))
        lines.append(f"{table.name(seat)} has {' '.join(terms)}")
    text = [*lines, "", result, "", garden_text(table.garden)]
    title = f"the end: {result}"
    return Step(title, "\n".join(text), _page([title], table_picture(table.garden, table.garden.harvest), panels), LEGEND)


def _page(title: Sequence[str], table: Picture, panels: Sequence[Picture]) -> str:
    """Return a whole image, with a title in lines that fit."""
    return page([line for words in title for line in textwrap.wrap(words, LONGEST)], [table, flow(panels)], legend())


def _told(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{kind} {count}" for kind, count in counts.items())
