"""The rules of Veggie Garden in plain Python, to read, to try out in a notebook and to check recorded games against.

What may live here: one garden with its posts, groundhog and harvest, and what the rules say of it: which actions there are,
why another one is refused, what an action changes, what a kind and a hand are worth. Nothing here is fast. Kinds are words;
cells, posts and slots are numbered as in docs/veggie_garden.md, whose sections the rules named are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from veggies_sim.core.checks import flag, whole
from veggies_sim.core.errors import IllegalMove, InputError, show, unknown
from veggies_sim.games.veggie_garden.actions import NAMES, NONE, SPANS, Action, as_action, span, written
from veggies_sim.games.veggie_garden.board import COMPOST, IN_PLAY, KINDS, LINES, MOST_POINTS, POST_CELL, SIDES
from veggies_sim.games.veggie_garden.state import CELLS, POSTS, SLOTS

Kinds = Sequence[str]


class Garden:
    """Cards, posts, groundhog and harvest as they lie (rules: Garden).

    >>> cells = "pea tomato pea carrot  carrot pea potato pea  tomato pea pea carrot  potato pea tomato tomato".split()
    >>> garden = Garden(cells, [1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, None], groundhog=5, harvest=["pea", "carrot", "pea", "tomato"])
    >>> garden.values()["tomato"], garden.score(["tomato", "tomato", "pea"], ["cabbage", "carrot", "pea", "potato", "tomato"])
    (8, 23)
    >>> garden.actions("pea")[:2]
    [Action(name='move_groundhog', a=6, b=1), Action(name='move_groundhog', a=6, b=2)]
    >>> garden.describe(("move_groundhog", 6, 1))
    'moves the groundhog to cell 6 and swaps tomato at cell 1 and carrot at cell 11'
    >>> garden.apply(("move_groundhog", 6, 1))
    >>> garden.cells[1], garden.cells[11], garden.groundhog
    ('carrot', 'tomato', 6)
    >>> garden.apply(("shift_cards", 1, 1))
    Traceback (most recent call last):
    ...
    veggies_sim.core.errors.IllegalMove: shift_cards 1 +1: the groundhog on cell 6 blocks line 1
    """

    def __init__(
        self,
        cells: Iterable[str],
        posts: Iterable[int | None],
        groundhog: int | None = None,
        harvest: Iterable[str | None] = (None,) * SLOTS,
        pea_axes: int = 4,
        pepper_moves_bunny: bool = True,
    ) -> None:
        """Lay a garden: 16 kinds row by row, 12 points clockwise from the top left (None for the bunny's post), the cell of
        the groundhog (None for none), and the kinds in the 4 slots of the harvest (None for an empty one).

        pea_axes, pepper_moves_bunny: the rules of these names. Raises InputError for another number of things, an unknown
        kind, a second bunny, a groundhog outside of the compost, or more than five kinds.
        """
        self._cells = [_kind(each, f"cell {n}") for n, each in enumerate(_things(cells, "cells", CELLS))]
        self._posts = [_points(each, n) for n, each in enumerate(_things(posts, "posts", POSTS))]
        slots = enumerate(_things(harvest, "harvest", SLOTS))
        self._harvest = [None if each is None else _kind(each, f"harvest slot {n}") for n, each in slots]
        if self._posts.count(None) > 1:
            raise InputError(f"posts: found {self._posts.count(None)} bunny posts (None); valid: one or none.")
        self._groundhog = None if groundhog is None else _place(groundhog)
        found = {*self._cells, *self._harvest} - {None}
        if len(found) > IN_PLAY:
            raise InputError(f"garden and harvest: found all six kinds; valid: at most {IN_PLAY}, the kinds in play.")
        self._axes = whole(pea_axes, "pea_axes", 3, 4)
        self._pepper_moves_bunny = flag(pepper_moves_bunny, "pepper_moves_bunny")

    @property
    def cells(self) -> tuple[str, ...]:
        """The kinds of the 16 cards, row by row."""
        return tuple(self._cells)

    @property
    def posts(self) -> tuple[int | None, ...]:
        """The points of the 12 posts clockwise from the top left; None for the bunny's."""
        return tuple(self._posts)

    @property
    def groundhog(self) -> int | None:
        """The groundhog's cell; None for no groundhog."""
        return self._groundhog

    @property
    def harvest(self) -> tuple[str | None, ...]:
        """The kinds in the 4 slots; None for an empty one."""
        return tuple(self._harvest)

    @property
    def bunny(self) -> int | None:
        """The bunny's post; None for no bunny."""
        return self._posts.index(None) if None in self._posts else None

    def place_groundhog(self, cell: int) -> None:
        """Put the groundhog on a compost cell, as at the start of a game (rules: Garden)."""
        self._groundhog = _place(cell)

    def take(self, slot: int) -> str:
        """Take the card of a slot out of the harvest and return its kind. Raises IllegalMove where there is none."""
        kind = self._harvest[whole(slot, "slot", 0, SLOTS - 1)]
        if kind is None:
            raise IllegalMove(f"harvest slot {slot} is empty")
        self._harvest[slot] = None
        return kind

    def put(self, slot: int, kind: str) -> None:
        """Lay a card into an empty slot of the harvest."""
        if self._harvest[whole(slot, "slot", 0, SLOTS - 1)] is not None:
            raise IllegalMove(f"harvest slot {slot} holds {self._harvest[slot]}; take it first")
        self._harvest[slot] = _kind(kind, f"harvest slot {slot}")

    def actions(self, kind: str, hand: Kinds | None = None, slot: int | None = None) -> list[Action]:
        """Return the legal actions of a card of `kind`, in canonical order: by name, then a, then b (docs: Actions).

        hand: the cards that a potato may give. slot: where the card is taken from, which a tomato leaves alone; without it
        the card has left the harvest (`take`). Where a pea has no groundhog or a carrot no bunny there is the action none.
        """
        _kind(kind, "the card taken")
        if kind == "potato" and hand is None:
            raise InputError("hand: a potato gives a card of the hand; say which cards it has, such as hand=['pea', 'pea'].")
        if kind == "tomato" and slot is None and None not in self._harvest:
            raise InputError("slot: a tomato plants one of the other harvest cards; say which slot it is taken from.")
        if slot is not None and self._harvest[whole(slot, "slot", 0, SLOTS - 1)] not in (kind, None):
            raise InputError(f"slot: harvest slot {slot} holds {self._harvest[slot]}, not {kind}.")
        if (kind == "pea" and self._groundhog is None) or (kind == "carrot" and self.bunny is None):
            return [NONE]
        held = _cards(hand)
        tried = (Action(name, a, b) for name in NAMES[kind] for a in SPANS[name][0] for b in SPANS[name][1])
        return [action for action in tried if _REFUSALS[action.name](self, action.a, action.b, held, slot) is None]

    def refusal(self, action: Sequence[Any], hand: Kinds | None = None, slot: int | None = None) -> str | None:
        """Return why an action is not allowed, None where it is. Raises InputError for what is no action at all."""
        name, a, b = as_action(action)
        hand = _cards(hand)
        for letter, number, valid in zip("ab", (a, b), SPANS[name], strict=True):
            if number not in valid:
                return f"{letter}: found {number}; valid: {span(valid)}"
        return _REFUSALS[name](self, a, b, hand, slot) if name in _REFUSALS else None

    def apply(self, action: Sequence[Any], hand: Kinds | None = None, slot: int | None = None) -> str | None:
        """Do an action, such as ("swap_cards", 0, 1); return the kind of the card that left the garden, if one did.

        An exchanged card goes to the hand, a replanted one to the discards, and the slot of the card planted is empty then.
        hand, slot: as in `actions`. Only with a hand is it checked that the card given is in it, only with a slot that a tomato
        plants another; which card was taken is never checked, so ("none",) changes nothing and is always allowed. A kind given
        may be a word: ("exchange", 0, "pea"). Raises IllegalMove with the reason; the garden is unchanged then.
        """
        done = as_action(action)
        reason = self.refusal(done, hand, slot)
        if reason is not None:
            raise IllegalMove(f"{written(done)}: {reason}")
        return self._do(*done)

    def _do(self, name: str, a: Any, b: Any) -> str | None:
        gone = None
        if name == "shift_cards":
            _shift(self._cells, LINES[a], b)
        elif name == "shift_posts":
            _shift(self._posts, SIDES[a], b)
        elif name == "move_bunny":
            _swap(self._posts, a, self._posts.index(None))
        elif name == "move_groundhog":
            self._groundhog = a
            _swap(self._cells, b, 2 * a - b)
        elif name == "swap_cards":
            _swap(self._cells, a, b)
        elif name == "swap_posts":
            _swap(self._posts, a, b)
        elif name == "exchange":
            gone, self._cells[a] = self._cells[a], KINDS[b]
        elif name == "replant":
            gone, self._cells[a], self._harvest[b] = self._cells[a], str(self._harvest[b]), None
        return gone

    def touched(self, action: Sequence[Any]) -> tuple[list[int], list[int]]:
        """Return the cells and the posts whose cards or points an action moves."""
        name, a, b = as_action(action)
        if name == "shift_cards":
            return [*LINES[a]], []
        if name == "shift_posts":
            return [], [*SIDES[a]]
        if name == "move_groundhog":
            return [b, 2 * a - b], []
        if name in ("move_bunny", "swap_posts"):
            return [], [a, self.bunny if b is None else b]
        return [cell for cell in ((a, b) if name == "swap_cards" else (a,)) if cell is not None], []

    def describe(self, action: Sequence[Any]) -> str:
        """Return a legal action in words, before it is done."""
        name, a, b = as_action(action)
        if name == "shift_cards":
            return f"shifts {'row' if a < 4 else 'column'} {a % 4} {_way(a >= 4, b)}"
        if name == "shift_posts":
            side = ("top", "right", "bottom", "left")[a]
            return f"shifts the {side} posts {_way(False, b)}" if a % 2 == 0 else f"swaps the two {side} posts"
        if name == "move_bunny":
            return f"swaps the bunny's post {self.bunny} and {self._post(a)}"
        if name == "move_groundhog":
            return f"moves the groundhog to cell {a} and swaps {self._card(b)} and {self._card(2 * a - b)}"
        if name in ("swap_cards", "swap_posts"):
            what = self._card if name == "swap_cards" else self._post
            return f"swaps {what(a)} and {what(b)}"
        if name == "exchange":
            return f"gives {KINDS[b]} for {self._card(a)}"
        if name == "replant":
            return f"discards {self._card(a)} and plants {self._harvest[b]} of slot {b} there"
        return "no action"

    def _card(self, cell: int) -> str:
        return f"{self._cells[cell]} at cell {cell}"

    def _post(self, post: int) -> str:
        points = self._posts[post]
        return f"the bunny's post {post}" if points is None else f"post {post} of {points}"

    def values(self) -> dict[str, int]:
        """Return kind -> points of a card of it: those of the posts beside its outer cards (rules: End and score)."""
        found = dict.fromkeys(KINDS, 0)
        for post, cell in enumerate(POST_CELL):
            found[self._cells[cell]] += self._posts[post] or 0
        return found

    def score(self, hand: Kinds, kinds: Kinds, bonus: int = 10) -> int:
        """Return the points of a hand; `bonus` is for holding all `kinds`, the five in play (rules: End and score).

        Raises InputError for unknown kinds, for other than five in play, and for cards or a garden of another kind.
        """
        playing = {_kind(kind, "kinds in play") for kind in _things(kinds, "kinds", IN_PLAY)}
        if len(playing) < IN_PLAY:
            raise InputError(f"kinds: found {show(kinds)}; valid: {IN_PLAY} different kinds.")
        held = Counter(_cards(hand))
        for kind in (*held, *self._cells):
            if kind not in playing:
                where = "hand" if kind in held else "garden"
                raise InputError(f"{where}: found {kind}, which is not in play. In play: {', '.join(kinds)}.")
        values = self.values()
        points = sum(values[kind] * count for kind, count in held.items())
        return points + (whole(bonus, "bonus") if set(held) == playing else 0)

    def copy(self) -> Garden:
        """Return a garden of its own that is the same, to try an action on."""
        return Garden(self._cells, self._posts, self._groundhog, self._harvest, self._axes, self._pepper_moves_bunny)

    def __str__(self) -> str:
        """Return the picture as text: posts around the cards, harvest, values (see `drawing.garden_text`)."""
        from veggies_sim.games.veggie_garden.drawing import garden_text

        return garden_text(self)

    def __repr__(self) -> str:
        return f"<Garden>\n{self}"

    def _repr_svg_(self) -> str:
        """Return the picture that a notebook shows."""
        from veggies_sim.games.veggie_garden.drawing import garden_svg

        return garden_svg(self)

    # Why an action is refused; a and b are within SPANS.

    def _shift_cards(self, a: int, b: int, hand: Kinds | None, slot: int | None) -> str | None:
        return f"the groundhog on cell {self._groundhog} blocks line {a}" if self._groundhog in LINES[a] else None

    def _shift_posts(self, a: int, b: int, hand: Kinds | None, slot: int | None) -> str | None:
        return None if len(SIDES[a]) > 2 or b == 1 else f"side {a} has two posts, either way they are swapped: write +1"

    def _move_bunny(self, a: int, b: None, hand: Kinds | None, slot: int | None) -> str | None:
        if self.bunny is None:
            return "there is no bunny"
        return f"post {a} is the bunny's own" if a == self.bunny else None

    def _move_groundhog(self, a: int, b: int, hand: Kinds | None, slot: int | None) -> str | None:
        if self._groundhog is None:
            return "there is no groundhog"
        if a not in COMPOST or a == self._groundhog:
            return f"the groundhog on cell {self._groundhog} goes to another compost cell of {span(COMPOST)}"
        other = 2 * a - b
        if b >= other or not _adjacent(a, b):
            return f"b is the lower of two cells on opposite sides of cell {a}"
        if self._axes == 3 and b not in COMPOST and other not in COMPOST:
            return f"of cells {b} and {other} none is compost (rule pea_axes=3)"
        return None

    def _swap_cards(self, a: int, b: int, hand: Kinds | None, slot: int | None) -> str | None:
        if a >= b or not _adjacent(a, b):
            return f"cells {a} and {b} are not adjacent, or the lower one is not first"
        return f"the groundhog stands on cell {self._groundhog}" if self._groundhog in (a, b) else None

    def _swap_posts(self, a: int, b: int, hand: Kinds | None, slot: int | None) -> str | None:
        if b - a not in (1, POSTS - 1):
            return f"posts {a} and {b} are not adjacent round the garden, or the lower one is not first"
        if self.bunny in (a, b) and not self._pepper_moves_bunny:
            return f"post {self.bunny} is the bunny's (rule pepper_moves_bunny=off)"
        return None

    def _exchange(self, a: int, b: int, hand: Kinds | None, slot: int | None) -> str | None:
        if a == self._groundhog:
            return f"the groundhog stands on cell {a}"
        return None if hand is None or KINDS[b] in hand else f"the hand holds no {KINDS[b]}"

    def _replant(self, a: int, b: int, hand: Kinds | None, slot: int | None) -> str | None:
        if a == self._groundhog:
            return f"the groundhog stands on cell {a}"
        if b == slot:
            return f"slot {b} held the tomato itself"
        return f"harvest slot {b} is empty" if self._harvest[b] is None else None


_REFUSALS: dict[str, Callable[..., str | None]] = {
    "shift_cards": Garden._shift_cards,
    "shift_posts": Garden._shift_posts,
    "move_bunny": Garden._move_bunny,
    "move_groundhog": Garden._move_groundhog,
    "swap_cards": Garden._swap_cards,
    "swap_posts": Garden._swap_posts,
    "exchange": Garden._exchange,
    "replant": Garden._replant,
}


def _things(things: object, what: str, count: int | None = None) -> list[Any]:
    """Return a list of things, `count` of them where it is given."""
    found = [] if isinstance(things, str) or not isinstance(things, Iterable) else [*things]
    if not isinstance(things, Iterable) or isinstance(things, str) or (count is not None and len(found) != count):
        size = f"{len(found)} of them" if found else show(things)
        raise InputError(f"{what}: found {size}; valid: a list{'' if count is None else f' of {count}'}.")
    return found


def _cards(hand: object) -> list[str] | None:
    """Return the kinds of a hand; None where it is not given."""
    return None if hand is None else [_kind(kind, "hand") for kind in _things(hand, "hand")]


def _kind(word: object, where: str) -> str:
    if not isinstance(word, str) or word not in KINDS:
        raise unknown(f"kind ({where})", word, KINDS)
    return word


def _points(points: object, number: int) -> int | None:
    return None if points is None else whole(points, f"post {number}", 0, MOST_POINTS)


def _place(cell: object) -> int:
    if whole(cell, "groundhog") not in COMPOST:
        raise InputError(f"groundhog: found {show(cell)}; valid: a compost cell, {span(COMPOST)}, or None.")
    return whole(cell, "groundhog")


def _adjacent(a: int, b: int) -> bool:
    """Say whether two cells touch, corners included."""
    return a != b and abs(a // 4 - b // 4) <= 1 and abs(a % 4 - b % 4) <= 1


def _swap(things: list[Any], a: int, b: int) -> None:
    things[a], things[b] = things[b], things[a]


def _shift(things: list[Any], places: Sequence[int], step: int) -> None:
    """Move the things at some places on by one, round the end."""
    before = [things[place] for place in places]
    for at, place in enumerate(places):
        things[place] = before[(at - step) % len(places)]


def _way(upright: bool, step: int) -> str:
    return ("up" if upright else "to the left") if step < 0 else ("down" if upright else "to the right")
