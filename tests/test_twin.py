"""The engine equals the slow twin, row for row and column for column, over players, policies, rules, designs and decks.

More games than fit here: scripts/twin_check.py.
"""

from __future__ import annotations

import ast
import importlib
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
import veggies_twin as twin

from veggies_sim.core.engine import Design
from veggies_sim.games.veggies import Card, Deck, Veggies

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "scripts"))
compare: Callable[..., str | None] = importlib.import_module("twin_check").compare

PLAIN = Design(1, 1)
LETTERS = dict(zip("SBGCM.R", (*twin.GOODS, "empty", "rat"), strict=True))


def deck_of(*cards: str) -> Deck:
    """Return a deck of faces given as `abc/def` or `abc/def*copies`, with ids k1, k2, ..."""
    made = []
    for number, text in enumerate(cards, start=1):
        spaces, _, copies = text.partition("*")
        top, bottom = (tuple(LETTERS[letter] for letter in line) for line in spaces.split("/"))
        made.append(Card(f"k{number}", (top, bottom), int(copies or 1)))  # type: ignore[arg-type]
    return Deck(made)


# Copies, faces equal after a half-turn, and few different groups, so that announcements and moves are often equal.
TIES = deck_of("S.B/B.S*6", "SSS/SSS*3", "G.C/C.G*5", "M.R/R.M*6", "SBG/CMR*4", "RGC/BMS*5", ".S./.S.*6", "..B/...*9")
BARREN = deck_of(".../...*9", "RR./...*9", "..R/R..*9", "..S/...*2")  # most stands have no goods
ONE = deck_of("SBB/.RG*100")  # one face only


def seated(policies: str | Sequence[str], players: int) -> list[str]:
    """Return one policy per seat."""
    return [policies] * players if isinstance(policies, str) else list(policies)


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize(("policy", "games"), [("random", 300), ("greedy", 30)])
def test_default_rules(policy: str, games: int, players: int) -> None:
    assert compare(Veggies(players), seated(policy, players), PLAIN, 0, games) is None


RULES: list[tuple[int, Mapping[str, Any]]] = [
    (3, {"stand_size": 1}),
    (4, {"stand_size": 5}),
    (2, {"stand_size": 12}),
    (3, {"rat_penalty": 0}),
    (4, {"rat_penalty": 5}),
    (2, {"rat_penalty": 20, "stand_size": 4}),
    (3, {"ramp_size": 0}),
    (2, {"ramp_size": 1}),
    (4, {"ramp_size": 5, "stand_size": 6}),
    (2, {"ramp_size": 9, "stand_size": 5}),
    (2, {"announced": 1}),
    (3, {"announced": 2}),
    (4, {"announced": 2, "pair": "groups"}),
    (2, {"pair": "groups"}),
    (3, {"pair": "groups"}),
    (4, {"teams": "adjacent"}),
    (4, {"teams": "none"}),
]


def name_of(case: Any) -> str:
    """Return a test's id for a case."""
    if isinstance(case, Mapping):
        return ",".join(f"{key}={value}" for key, value in case.items())
    return str(case)


@pytest.mark.parametrize(("players", "rules"), RULES, ids=name_of)
def test_each_rule_key(players: int, rules: Mapping[str, Any]) -> None:
    game = Veggies(players, rules=rules)
    assert compare(game, seated("random", players), PLAIN, 0, 12) is None
    assert compare(game, seated("greedy", players), PLAIN, 0, 2 if rules.get("stand_size") == 12 else 5) is None


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("deck", [TIES, BARREN, ONE], ids=["ties", "barren", "one"])
def test_decks_with_copies_symmetric_faces_and_ties(deck: Deck, players: int) -> None:
    small = {"stand_size": 5, "ramp_size": 2}
    for rules in (small, small | {"announced": 2}, small | {"announced": 2, "pair": "groups", "teams": "none"}):
        game = Veggies(players, deck, {k: v for k, v in rules.items() if k != "teams" or players == 4})
        assert compare(game, seated("random", players), PLAIN, 0, 20) is None
        assert compare(game, seated("greedy", players), PLAIN, 0, 3) is None


def test_largest_stand() -> None:
    assert compare(Veggies(2, ONE, {"stand_size": 40}), seated("random", 2), PLAIN, 0, 2) is None


DESIGNS = [
    (Design(7, 99), 0),
    (Design(0, 0), 2**40),
    (Design(2**63 - 1, 2**40 + 7), 2**63),
    (Design(5, 5, plays_per_deal=3), 0),
    (Design(5, 6, rotate_seats=True), 0),
    (Design(5, 6, plays_per_deal=3, rotate_seats=True), 2**40 + 1),
]


@pytest.mark.parametrize(("design", "first"), DESIGNS, ids=name_of)
@pytest.mark.parametrize(
    "policies", [("greedy", "random"), ("random", "greedy", "random"), ("greedy", *["random"] * 3)]
)
def test_designs_and_mixed_policies(policies: Sequence[str], design: Design, first: int) -> None:
    assert compare(Veggies(len(policies), rules={"stand_size": 5}), policies, design, first, 12) is None


def test_twin_stands_alone() -> None:
    tree = ast.parse(Path(twin.__file__).read_text(encoding="utf-8"))
    used = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    used |= {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    assert used <= {"__future__", "collections.abc", "functools", "itertools", "typing"}


def test_worked_example_of_the_rulebook() -> None:
    ola = twin.Summary(((5, 3, 2, 1), (3, 1), (5,), (4,), ()), 3)
    assert twin.score(ola, (0, 1, 2), 2) == 25


# ---- negative controls: a twin with one rule broken must be told from the engine


def by_corners(stand: twin.Stand, height: int, width: int) -> list[tuple[int, int]]:
    """Return the positions where touching at a corner would do."""
    wide = {space + step: "" for space in stand for step in (-1, 0, 1)}
    return sorted({*true_positions(stand, height, width), *true_positions(wide, height, width)})


def counter_clockwise(face: twin.Face, quarter_turns: int) -> twin.Face:
    """Turn the wrong way round."""
    return true_turned(face, -quarter_turns % 4)


def all_rotations(face: twin.Face) -> tuple[tuple[int, twin.Face], ...]:
    """Return all four rotations, also where two look the same."""
    return tuple((turn, true_turned(face, turn)) for turn in range(4))


def own_goods_only(what: twin.Summary, others: Any, rules: Mapping[str, Any]) -> int:
    """Return the value of a stand as if the others announced nothing."""
    return true_own_value(what, (), rules)


def last_of_equals(stands: Sequence[twin.Summary], teams: Any, rules: Mapping[str, Any]) -> list[twin.Goods]:
    """Let everybody announce the last in the order of goods, whatever it brings."""
    return [twin.announceable(stand.sizes, rules["announced"], rules["pair"])[-1] for stand in stands]


true_positions, true_turned, true_own_value = twin.positions, twin.turned, twin.own_value
FAULTS: list[tuple[str, Any]] = [
    ("positions", by_corners),
    ("turned", counter_clockwise),
    ("rotations", all_rotations),
    ("own_value", own_goods_only),
    ("announcements", last_of_equals),
    ("margin", lambda sides, side: -sides[side]),
    ("score", lambda what, goods, penalty: sum(what.sizes[g][0] for g in goods if what.sizes[g]) - penalty * what.rats),
    ("beside", lambda space: (space - 1, space + 1)),
    ("TIE", twin.CHOICE),
]


@pytest.fixture
def fresh_caches() -> Iterator[None]:
    """Forget what the twin has worked out, before and after."""
    cached = twin.rotations, twin.group_sizes, twin.announceable
    for function in cached:
        function.cache_clear()
    yield
    for function in cached:
        function.cache_clear()


@pytest.mark.usefixtures("fresh_caches")
@pytest.mark.parametrize(("name", "fault"), FAULTS, ids=[name for name, _ in FAULTS])
def test_a_broken_rule_is_caught(name: str, fault: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    game = Veggies(3, TIES, {"stand_size": 4})
    policies = ["random", "greedy", "random"]
    assert compare(game, policies, PLAIN, 0, 12) is None
    monkeypatch.setattr(twin, name, fault)
    for function in (twin.rotations, twin.group_sizes, twin.announceable):
        getattr(function, "cache_clear", lambda: None)()
    assert compare(game, policies, PLAIN, 0, 12) is not None
