"""The plain garden: what the rules say of actions, values and scores, and that the kernels list the same actions."""

from __future__ import annotations

import doctest
import random
import re
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from svg_checks import assert_whole, texts

import veggies_sim as vs
from veggies_sim.core.errors import IllegalMove, InputError
from veggies_sim.core.game import Keys
from veggies_sim.core.policy import policies_for
from veggies_sim.games.veggie_garden import Garden, actions, drawing, garden
from veggies_sim.games.veggie_garden.actions import NAMES, NONE, SPANS, Action
from veggies_sim.games.veggie_garden.board import COMPOST, KINDS, POST_CELL
from veggies_sim.games.veggie_garden.moves import MOST_MOVES, list_moves
from veggies_sim.games.veggie_garden.state import LAST, SLOTS
from veggies_sim.games.veggie_garden.tables import ACTIONS, NULL

ROWS = ("pea tomato pea carrot", "carrot pea potato pea", "tomato pea pea carrot", "potato pea tomato tomato")
CELLS = " ".join(ROWS).split()
BUNNY = (1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, None)
NO_BUNNY = (1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3)
HARVEST = ("pea", "carrot", "potato", "tomato")
PLAYING = ("cabbage", "carrot", "pea", "potato", "tomato")


def laid(**change: Any) -> Garden:
    return Garden(**{"cells": CELLS, "posts": BUNNY, "groundhog": 5, "harvest": HARVEST, **change})


def test_the_examples_in_the_docstrings_run() -> None:
    for module in (actions, garden, drawing):
        results = doctest.testmod(module, optionflags=doctest.ELLIPSIS)
        assert (results.failed, results.attempted > 0) == (0, True)


@pytest.mark.parametrize("hog", [None, *COMPOST])
def test_there_are_as_many_actions_as_the_rules_count(hog: int | None) -> None:
    here = laid(groundhog=hog)
    hand = ["pea", "pea"]
    names = {kind: Counter(a.name for a in here.actions(kind, hand, HARVEST.index("tomato"))) for kind in ("tomato",)}
    names |= {kind: Counter(a.name for a in here.actions(kind, hand)) for kind in KINDS[:5]}
    free = hog is None
    assert names == {
        "cabbage": {"shift_cards": 16 if free else 12, "shift_posts": 6},
        "carrot": {"move_bunny": 11},
        "pea": {"none": 1} if free else {"move_groundhog": 12},
        "pepper": {"swap_cards": 42 if free else 34, "swap_posts": 12},
        "potato": {"exchange": 16 if free else 15},
        "tomato": {"replant": 48 if free else 45},
    }
    assert len(here.actions("potato", ["pea", "carrot", "pea"])) == 2 * len(here.actions("potato", hand))
    assert laid(groundhog=hog, posts=NO_BUNNY).actions("carrot") == [NONE]
    assert len(laid(groundhog=hog, pea_axes=3).actions("pea")) == (1 if free else 9)
    assert len(laid(groundhog=hog, pepper_moves_bunny=False).actions("pepper")) == len(here.actions("pepper")) - 2


def test_the_worked_example_of_the_rules() -> None:
    """Values 4, 4, 4, 6, 3 and a hand of 3, 2, 1, 1, 2: 12 + 8 + 4 + 6 + 6 = 36, and 10 for all five kinds."""
    outer = dict(zip((0, 1, 2, 3, 7, 11, 15, 14, 13, 12, 8, 4), range(12), strict=True))
    posts = (1, 3, 1, 3, 1, 3, 1, 2, 3, 1, 2, None)
    kinds = ["pepper"] * 2 + ["tomato"] * 2 + ["carrot"] * 2 + ["pea"] * 3 + ["cabbage"] * 3
    here = Garden([kinds[outer[cell]] if cell in outer else "pea" for cell in range(16)], posts, groundhog=6)
    assert here.values() == {"cabbage": 3, "carrot": 4, "pea": 6, "pepper": 4, "potato": 0, "tomato": 4}
    hand = ["pepper"] * 3 + ["tomato"] * 2 + ["carrot", "pea"] + ["cabbage"] * 2
    playing = ("cabbage", "carrot", "pea", "pepper", "tomato")
    assert here.score(hand, playing) == 36 + 10
    assert here.score(hand, playing, bonus=0) == 36
    assert here.score([kind for kind in hand if kind != "pea"], playing) == 30


@pytest.mark.parametrize("posts", [BUNNY, NO_BUNNY])
@pytest.mark.parametrize("hog", [None, 9])
def test_random_actions_keep_cards_and_points(posts: tuple[int | None, ...], hog: int | None) -> None:
    rng, here, done = random.Random(4), laid(posts=posts, groundhog=hog), set()
    points = sum(each or 0 for each in posts)
    for _ in range(300):
        before, hand, slot = here.copy(), rng.sample(KINDS[:1] + HARVEST, 2), rng.randrange(SLOTS)
        action = rng.choice(here.actions(str(here.harvest[slot]), hand, slot))
        here.take(slot)
        gone = here.apply(action, hand, slot)
        come = {"exchange": KINDS, "replant": before.harvest}.get(action.name, (None,))
        given = come[action.b or 0] if len(come) > 1 else None
        assert Counter([*here.cells, gone]) == Counter([*before.cells, given])
        for now, then, moved in zip((here.cells, here.posts), (before.cells, before.posts), before.touched(action), strict=True):
            assert {n for n in range(len(now)) if now[n] != then[n]} <= {*moved}
        assert sum(here.values().values()) == points
        assert Counter(here.posts) == Counter(posts) and (here.groundhog in COMPOST) == (hog is not None)
        for empty in [n for n in range(SLOTS) if here.harvest[n] is None]:
            assert empty == slot or (action.name, action.b) == ("replant", empty)
            here.put(empty, HARVEST[empty])
        done.add(action.name)
    assert {"exchange", "replant", "none" if hog is None else "move_groundhog"} <= done


def test_swaps_and_shifts_can_be_undone() -> None:
    back = {"shift_cards": -1, "shift_posts": -1, "swap_cards": 1, "swap_posts": 1}
    for kind in ("cabbage", "pepper"):
        for name, a, b in laid().actions(kind):
            here = laid()
            here.apply((name, a, b))
            two = name == "shift_posts" and a in (1, 3)
            here.apply((name, a, b if two else back[name] * (b or 0)))
            assert str(here) == str(laid())


def test_a_shift_moves_right_or_down_and_round_the_end() -> None:
    here = laid(groundhog=None)
    here.apply(("shift_cards", 0, 1))
    assert here.cells[:4] == ("carrot", "pea", "tomato", "pea")
    here.apply(("shift_cards", 7, 1))
    assert here.cells[3::4] == ("tomato", "pea", "pea", "carrot")
    here.apply(("shift_posts", 2, 1))  # the bottom, posts 9 8 7 6 from left to right
    assert here.posts[6:10] == (2, 3, 3, 2)
    here.apply(("shift_posts", 3, 1))
    assert here.posts[10:] == (None, 3)


REFUSED = [
    (("shift_cards", 8, 1), "a: found 8; valid: 0 to 7"),
    (("shift_cards", 0, 2), "b: found 2; valid: -1, 1"),
    (("shift_cards", 1, 1), "the groundhog on cell 5 blocks line 1"),
    (("shift_posts", 1, -1), "side 1 has two posts"),
    (("move_bunny", 11), "post 11 is the bunny's own"),
    (("move_bunny", 3, 1), "b: found 1; valid: None"),
    (("move_groundhog", 5, 0), "goes to another compost cell of 5, 6, 9, 10"),
    (("move_groundhog", 7, 6), "goes to another compost cell"),
    (("move_groundhog", 6, 11), "b is the lower of two cells"),
    (("move_groundhog", 6, 0), "b is the lower of two cells"),
    (("swap_cards", 3, 4), "not adjacent"),
    (("swap_cards", 1, 0), "not adjacent, or the lower one is not first"),
    (("swap_cards", 0, 5), "the groundhog stands on cell 5"),
    (("swap_posts", 0, 2), "not adjacent"),
    (("exchange", 5, 2), "the groundhog stands on cell 5"),
    (("exchange", 4, 3), "the hand holds no pepper"),
    (("replant", 5, 1), "the groundhog stands on cell 5"),
    (("replant", 4, 3), "slot 3 held the tomato itself"),
    (("replant", 4, 4), "b: found 4; valid: 0 to 3"),
]


@pytest.mark.parametrize(("action", "reason"), REFUSED)
def test_an_illegal_action_is_refused_with_the_reason(action: tuple[Any, ...], reason: str) -> None:
    here = laid()
    before = str(here)
    with pytest.raises(IllegalMove, match=re.escape(reason)):
        here.apply(action, hand=["pea"], slot=3)
    assert str(here) == before


def test_rules_and_missing_tokens_refuse_too() -> None:
    for change, action, reason in (
        ({"pea_axes": 3}, ("move_groundhog", 10, 7), "of cells 7 and 13 none is compost"),
        ({"pepper_moves_bunny": False}, ("swap_posts", 0, 11), "post 11 is the bunny's"),
        ({"posts": NO_BUNNY}, ("move_bunny", 3), "there is no bunny"),
        ({"groundhog": None}, ("move_groundhog", 6, 1), "there is no groundhog"),
        ({"harvest": ("pea", None, "pea", "pea")}, ("replant", 4, 1), "harvest slot 1 is empty"),
    ):
        assert reason in str(laid(**change).refusal(action))
    with pytest.raises(IllegalMove, match="harvest slot 1 is empty"):
        laid(harvest=("pea", None, "pea", "pea")).take(1)
    with pytest.raises(IllegalMove, match="harvest slot 1 holds carrot"):
        laid().put(1, "pea")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"cells": CELLS[:15]}, "cells: found 15 of them; valid: a list of 16"),
        ({"cells": "pea"}, "cells: found 'pea'; valid: a list of 16"),
        ({"cells": ["peas", *CELLS[1:]]}, "unknown kind (cell 0) 'peas'. Did you mean 'pea'?"),
        ({"cells": ["cabbage", "pepper", *CELLS[2:]]}, "found all six kinds"),
        ({"posts": BUNNY[:11]}, "posts: found 11 of them; valid: a list of 12"),
        ({"posts": (None, *BUNNY[1:])}, "found 2 bunny posts"),
        ({"posts": (21, *BUNNY[1:])}, "post 0: found 21; valid: a whole number from 0 to 20"),
        ({"groundhog": 4}, "groundhog: found 4; valid: a compost cell, 5, 6, 9, 10, or None"),
        ({"harvest": HARVEST[:3]}, "harvest: found 3 of them"),
        ({"harvest": ("rat", *HARVEST[1:])}, "unknown kind (harvest slot 0) 'rat'"),
        ({"pea_axes": 5}, "pea_axes: found 5"),
        ({"pepper_moves_bunny": "on"}, "pepper_moves_bunny: found 'on'; valid: True or False"),
    ],
)
def test_a_wrong_garden_is_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        laid(**change)


def test_wrong_questions_are_refused() -> None:
    here = laid()
    for ask, message in (
        (lambda: here.actions("peas"), "unknown kind (the card taken) 'peas'. Did you mean 'pea'?"),
        (lambda: here.actions("potato"), "hand: a potato gives a card of the hand"),
        (lambda: here.actions("tomato"), "slot: a tomato plants one of the other harvest cards"),
        (lambda: here.actions("tomato", slot=0), "harvest slot 0 holds pea, not tomato"),
        (lambda: here.actions("tomato", slot=4), "slot: found 4"),
        (lambda: here.actions("potato", "pea"), "hand: found 'pea'; valid: a list"),
        (lambda: here.actions("potato", ["corn"]), "unknown kind (hand) 'corn'"),
        (lambda: here.apply(("swap", 0, 1)), "unknown action 'swap'"),
        (lambda: here.apply([["swap_cards"], 0, 1]), "unknown action ['swap_cards']"),
        (lambda: here.apply("none"), "action: found 'none'; valid: a name and its numbers"),
        (lambda: here.apply(("swap_cards", "0", 1)), "action swap_cards: found '0'"),
        (lambda: here.score(["pepper"], PLAYING), "hand: found pepper, which is not in play"),
        (lambda: here.score(["pea"], ("cabbage", "carrot", "pea", "pepper", "tomato")), "garden: found potato"),
        (lambda: here.score(["pea"], PLAYING[:4]), "kinds: found 4 of them; valid: a list of 5"),
        (lambda: here.score(["pea"], [*PLAYING[:4], "pea"]), "valid: 5 different kinds"),
        (lambda: here.score("pea", PLAYING), "hand: found 'pea'; valid: a list"),
    ):
        with pytest.raises(InputError, match=re.escape(message)):
            ask()


def test_a_garden_has_a_picture_of_all_that_lies() -> None:
    svg = laid(harvest=("pea", None, "pea", "tomato"))._repr_svg_()
    assert_whole(svg)
    seen = texts(svg)
    assert Counter(each for each in seen if each in ("Pea", "Tom", "Car", "Pot")) == {"Pea": 9, "Tom": 5, "Car": 3, "Pot": 2}
    assert [seen.count(each) for each in ("G", "bun", "empty")] == [1, 1, 1]
    assert seen[: seen.index("bun")].count("3") == 3 + 1  # posts, and the number of cell 3
    assert {"Car 3", "Pea 7", "Pot 3", "Tom 8"} < {*seen} and "Cab 0" not in seen
    plain = texts(laid(groundhog=None, posts=NO_BUNNY)._repr_svg_())
    assert "G" not in plain and "bun" not in plain


def test_signs_of_kinds_are_all_different() -> None:
    for signs in (drawing.COLOUR, drawing.SHAPE, drawing.LETTERS):
        assert [*signs] == [*KINDS] and len({*signs.values()}) == len(KINDS)


def kernel_moves(view: Any, g: int) -> list[tuple[int, Action]]:
    """Return (slot, action) of every legal move that the engine lists."""
    moves = np.zeros((MOST_MOVES, 4), np.int16)
    found = moves[: list_moves(view, g, moves)].tolist()
    return [(slot, Action(ACTIONS[what], *(None if each == NULL else each for each in (a, b)))) for slot, what, a, b in found]


def plain_moves(view: Any, g: int, **rules: Any) -> list[tuple[int, Action]]:
    """Return the same from the plain garden."""
    posts = [None if post == view.bunny[g] else int(points) for post, points in enumerate(view.post[g])]
    hog, harvest = int(view.hog[g]), [None if kind < 0 else KINDS[kind] for kind in view.slot[g]]
    here = Garden([KINDS[kind] for kind in view.cell[g]], posts, None if hog < 0 else hog, harvest, **rules)
    hand = [KINDS[kind] for kind in range(6) for _ in range(view.hand[g, kind])]
    picks = [(slot, kind) for slot, kind in enumerate(harvest) if kind is not None]
    return [(slot, do) for slot, kind in picks for do in ([NONE] if view.turn == LAST else here.actions(kind, hand, slot))]


@pytest.mark.parametrize(
    ("players", "rules", "plain"),
    [
        (2, {}, {}),
        (4, {"pea_axes": 3, "pepper_moves_bunny": "off"}, {"pea_axes": 3, "pepper_moves_bunny": False}),
        (2, {"copies": 8, "reshuffle": "off"}, {}),
        (3, {"bunny": "off", "groundhog": "off"}, {}),
    ],
)
def test_the_engine_lists_the_same_moves_in_the_same_order(players: int, rules: dict[str, Any], plain: dict[str, Any]) -> None:
    game = vs.VeggieGarden(players, rules=rules)
    number = np.arange(6, dtype=np.uint64)
    keys = Keys(number, number, 3, 3)
    block, policy = game.new_block(keys), policies_for("random", game)[0]
    chooser = policy.kind.build(game, policy.values)
    states = 0
    for turn, seat in game.schedule():
        view = game.view(block, keys, turn, seat)
        for g in range(len(number) if turn else 0):
            assert kernel_moves(view, g) == plain_moves(view, g, **plain)
            states += 1
        moves = np.zeros((len(number), 4), np.int16)
        chooser.choose(view, np.arange(len(number)), moves)
        game.apply(block, turn, seat, moves, record=False)
    assert states == 6 * 7 * players


def test_a_potato_may_give_a_kind_by_name() -> None:
    named, numbered = laid(), laid()
    assert named.apply(("exchange", 0, "pea"), ["pea"]) == numbered.apply(("exchange", 0, KINDS.index("pea")), ["pea"])
    assert named.cells == numbered.cells and named.cells[0] == "pea"
    with pytest.raises(vs.InputError, match="Did you mean 'pea'"):
        named.apply(("exchange", 0, "peas"))
    with pytest.raises(vs.IllegalMove, match="the hand holds no carrot"):
        named.apply(("exchange", 0, "carrot"), ["pea"])


def test_the_document_has_every_action_option_and_count(root: Path) -> None:
    text = (root / "docs" / "veggie_garden.md").read_text()
    rows = re.findall(r"^\| `(\w+)` \| (\w+)", text, re.M)
    assert rows == [(name, next((k for k, names in NAMES.items() if name in names), "any")) for name in ACTIONS]
    assert [*SPANS] == [*ACTIONS]
    assert "## Random\n" in text and "## Value now\n" in text
    assert all(f"`{option.key}" in text for option in vs.VeggieGarden.rule_options)
    counts = {kind: (int(free), int(hog)) for kind, free, hog in re.findall(r"^\| (\w+) \|.* \| (\d+) \| (\d+) \|$", text, re.M)}
    slot = HARVEST.index("tomato")
    assert counts == {
        kind: tuple(len(laid(groundhog=hog).actions(kind, ["pea"], slot if kind == "tomato" else None)) for hog in (None, 5))
        for kind in KINDS
    }


def test_the_sketch_and_the_example_of_the_document(root: Path) -> None:
    _, sketch, *_, code, _ = (root / "docs" / "veggie_garden.md").read_text().split("```")
    numbers = [[int(each) for each in re.findall(r"\d+", line)] for line in sketch.strip().split("\n")]
    assert [int(each) for each in re.findall(r"\((\d+)\)", sketch)] == [*COMPOST]
    beside = {**dict(zip(numbers[0], numbers[1], strict=True)), **dict(zip(numbers[5], numbers[4], strict=True))}
    beside |= {end: cell for row in numbers[2:4] for end, cell in ((row[0], row[1]), (row[-1], row[-2]))}
    assert beside == dict(enumerate(POST_CELL))
    assert [cell for row in (numbers[1], numbers[2][1:-1], numbers[3][1:-1], numbers[4]) for cell in row] == [*range(16)]
    names: dict[str, Any] = {}
    exec(code.removeprefix("python\n"), names)
    assert names["garden"].posts[0] is None
