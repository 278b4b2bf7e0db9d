"""The actions of Veggie Garden by name, for people: which card has which, their numbers, reading and writing them.

The same actions by number, for kernels, are in `tables`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from veggies_sim.core.checks import one_of, whole
from veggies_sim.core.errors import InputError, show, unknown
from veggies_sim.games.veggie_garden.board import KINDS
from veggies_sim.games.veggie_garden.state import CELLS, POSTS, SLOTS


class Action(NamedTuple):
    """What is done with a card taken: the name of the action and its numbers (docs: Actions)."""

    name: str
    a: Any = None  # a whole number or None
    b: Any = None


NONE = Action("none")
NAMES = {  # the actions of each kind of card
    "cabbage": ("shift_cards", "shift_posts"),
    "carrot": ("move_bunny",),
    "pea": ("move_groundhog",),
    "pepper": ("swap_cards", "swap_posts"),
    "potato": ("exchange",),
    "tomato": ("replant",),
}
SPANS: dict[str, tuple[Sequence[int | None], Sequence[int | None]]] = {  # numbers that a and b may have at all
    "shift_cards": (range(8), (-1, 1)),
    "shift_posts": (range(4), (-1, 1)),
    "move_bunny": (range(POSTS), (None,)),
    "move_groundhog": (range(CELLS), range(CELLS)),
    "swap_cards": (range(CELLS), range(CELLS)),
    "swap_posts": (range(POSTS), range(POSTS)),
    "exchange": (range(CELLS), range(len(KINDS))),
    "replant": (range(CELLS), range(SLOTS)),
    "none": ((None,), (None,)),
}


def as_action(action: Sequence[Any]) -> Action:
    """Return what callers give as an action: a name, up to two numbers; `exchange` takes a kind's name too. Raises InputError."""
    form = 'valid: a name and its numbers, such as ("swap_cards", 0, 1)'
    if isinstance(action, str) or not isinstance(action, Sequence) or not 1 <= len(action) <= 3:
        raise InputError(f"action: found {show(action)}; {form}.")
    name, *numbers = action
    if not isinstance(name, str) or name not in SPANS:
        raise unknown("action", name, SPANS)
    if name == "exchange" and len(numbers) == 2 and isinstance(numbers[1], str):
        numbers[1] = KINDS.index(one_of(numbers[1], "kind (action exchange)", KINDS))
    return Action(name, *(None if number is None else whole(number, f"action {name}") for number in numbers))


def written(action: Action) -> str:
    """Return an action as people write it.

    >>> written(Action("shift_cards", 1, 1)), written(Action("move_bunny", 3)), written(NONE)
    ('shift_cards 1 +1', 'move_bunny 3', 'none')
    """
    b = f"{action.b:+d}" if action.b is not None and action.name.startswith("shift") else action.b
    return " ".join(str(each) for each in (action.name, action.a, b) if each is not None)


def span(valid: Sequence[int | None]) -> str:
    """Return the numbers that are valid, for people."""
    return f"{valid[0]} to {valid[-1]}" if isinstance(valid, range) else ", ".join(str(each) for each in valid)
