"""The engine equals the slow twin of Veggie Garden, row for row, over players, policies, rules, small decks and designs.

More games than fit here: scripts/twin_check.py --game veggie-garden.
"""

from __future__ import annotations

import ast
import importlib
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import garden_twin as twin
import pytest

from veggies_sim.core.engine import Design
from veggies_sim.games.veggie_garden import VeggieGarden

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "scripts"))
compare: Callable[..., str | None] = importlib.import_module("twin_check").compare

PLAIN = Design(5, 6)
NO_PEPPER = "cabbage+carrot+pea+potato+tomato"


def name_of(case: Any) -> str:
    """Return a test's id for a case."""
    return ",".join(f"{key}={value}" for key, value in case.items()) if isinstance(case, Mapping) else str(case)


def agree(players: int, rules: Mapping[str, Any], games: Mapping[str, int]) -> None:
    """Check that so many games of each policy are equal."""
    for policy, count in games.items():
        assert compare(VeggieGarden(players, rules=rules), [policy] * players, PLAIN, 0, count) is None


@pytest.mark.parametrize("players", [2, 3, 4])
def test_default_rules(players: int) -> None:
    agree(players, {}, {"random": 200, "greedy": 40})


RULES: list[Mapping[str, Any]] = [
    *[{"kinds": "+".join(kind for kind in twin.KINDS if kind != out)} for out in twin.KINDS],
    {"bunny": "off"},
    {"groundhog": "random"},
    {"groundhog": "off"},
    {"pea_axes": 3},
    {"pepper_moves_bunny": "off"},
    {"bonus": 0},
    {"bonus": 100, "posts": "0,0,0,1,4,4,4,9,9,20,20,0"},
    {"copies": "40,12,13,20,14,40"},
    {"copies": 11, "reshuffle": "off"},
]


@pytest.mark.parametrize("rules", RULES, ids=name_of)
def test_each_rule_key(rules: Mapping[str, Any]) -> None:
    agree(3, rules, {"random": 40, "greedy": 6})


SMALL: list[tuple[int, Mapping[str, Any]]] = [  # decks that end, and decks of mostly one kind
    (4, {"copies": 11, "kinds": NO_PEPPER}),
    (2, {"copies": "36,0,0,0,0,3", "kinds": NO_PEPPER}),
    (2, {"copies": "36,0,0,0,0,1", "kinds": NO_PEPPER}),
    (2, {"copies": "0,3,0,0,0,33", "kinds": NO_PEPPER}),
    (2, {"copies": "0,0,0,0,40,0", "kinds": NO_PEPPER}),
    (2, {"copies": "0,0,0,0,0,40", "kinds": NO_PEPPER}),
    (4, {"copies": "40,4,4,4,4,4", "kinds": NO_PEPPER}),
    (3, {"copies": "30,30,1,1,1,1", "kinds": NO_PEPPER}),
]


@pytest.mark.parametrize("reshuffle", ["on", "off"])
@pytest.mark.parametrize(("players", "rules"), SMALL, ids=name_of)
def test_decks_that_end(players: int, rules: Mapping[str, Any], reshuffle: str) -> None:
    agree(players, {**rules, "reshuffle": reshuffle}, {"random": 60, "greedy": 10})


DESIGNS = [
    (Design(0, 0), 2**40),
    (Design(2**63 - 1, 2**40 + 7), 2**63),
    (Design(5, 6, plays_per_deal=3, rotate_seats=True), 2**40 + 1),
]


@pytest.mark.parametrize(("design", "first"), DESIGNS, ids=name_of)
@pytest.mark.parametrize("policies", [("greedy", "random"), ("random", "greedy", "random", "random")])
def test_designs_and_mixed_policies(policies: Sequence[str], design: Design, first: int) -> None:
    assert compare(VeggieGarden(len(policies)), policies, design, first, 20) is None


def test_twin_stands_alone() -> None:
    tree = ast.parse(Path(twin.__file__).read_text(encoding="utf-8"))
    used = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    used |= {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    assert used == {"__future__", "collections.abc", "typing", "veggies_twin"}


def test_worked_example_of_the_rulebook() -> None:
    """Values 4, 4, 4, 6, 3 and cards 3, 2, 1, 1, 2 are 36 points, and 10 for all five kinds."""
    state = twin.State(1, 1, 2, twin.DEFAULTS | {"kinds": "cabbage+carrot+pea+pepper+tomato"})
    of_post = [twin.PEPPER, twin.PEPPER, twin.TOMATO, twin.CARROT, *[twin.PEA] * 3, *[twin.CABBAGE] * 3, twin.TOMATO, twin.CARROT]
    state.posts = [3, 1, 3, 1, 3, 2, 1, 1, 1, 1, 1, 3]
    for cell, kind in zip(twin.BESIDE, of_post, strict=True):
        state.garden[cell] = kind
    hand = [twin.PEPPER] * 3 + [twin.TOMATO] * 2 + [twin.CARROT, twin.PEA] + [twin.CABBAGE] * 2
    assert state.values() == [3, 4, 6, 4, 0, 4] and state.score(hand) == 46


# ---- negative controls: a twin with one rule broken must be told from the engine


def four_directions(cell: int) -> list[int]:
    """Return the cells beside a cell, without the corners."""
    return [other for other in true_neighbours(cell) if abs(cell - other) in (1, 4)]


def refill_backwards(state: twin.State, slots: Sequence[int]) -> None:
    """Fill the slots from the last one."""
    true_refill(state, slots[::-1])


def fours_stay(state: twin.State) -> bool:
    """Never replace four of a kind."""
    return False


true_neighbours, true_refill = twin.neighbours, twin.State.refill
FAULTS: list[tuple[str, Any, Any]] = [
    ("neighbours", twin, four_directions),
    ("refill", twin.State, refill_backwards),
    ("four_to_replace", twin.State, fours_stay),
    ("bonus", twin.State, lambda state, hand: 0),
    ("BESIDE", twin, (0, 1, 2, 3, 7, 11, 15, 14, 13, 12, 4, 8)),
    ("SIDES", twin, [[0, 1, 2, 3], [4, 5], [6, 7, 8, 9], [11, 10]]),
    ("COMPOST", twin, (5, 6, 10, 9)),
    ("ACTIONS", twin, twin.ACTIONS[::-1]),
    ("RESHUFFLE_PART", twin, 6),
    ("TIE", twin, twin.CHOICE),
]


@pytest.mark.parametrize(("name", "place", "fault"), FAULTS, ids=[name for name, _, _ in FAULTS])
def test_a_broken_rule_is_caught(name: str, place: Any, fault: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    game, policies = VeggieGarden(4, rules={"copies": 11}), ["random", "greedy", "random", "random"]
    assert compare(game, policies, PLAIN, 0, 40) is None
    monkeypatch.setattr(place, name, fault)
    assert compare(game, policies, PLAIN, 0, 40) is not None
