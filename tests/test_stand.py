"""The plain rules: known answers, properties, and an outside count of groups."""

from __future__ import annotations

import doctest
import json
from collections.abc import Callable, Iterable
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import ndimage
from stand_words import RULES, face

from veggies_sim.core.errors import IllegalMove, InputError
from veggies_sim.games.veggies import rules as rules_module
from veggies_sim.games.veggies.deck import GOODS, SYMBOLS, Card, Face, rotate
from veggies_sim.games.veggies.rules import SIZES, Placement, Stand, add_up, announce, value_now, winners

KNOWN: dict[str, Any] = json.loads((Path(__file__).parent / "data" / "veggies_scoring.json").read_text("utf-8"))

FACES = st.tuples(*[st.tuples(*[st.sampled_from(SYMBOLS)] * 3)] * 2)


def known_stand(placements: Iterable[dict[str, Any]]) -> Stand:
    return Stand((p["face"], p["row"], p["col"], p["rotation"]) for p in placements)


@st.composite
def stands(draw: Callable[..., Any], low: int = 1, high: int = 8) -> Stand:
    """Return a stand of low..high cards, each laid at a legal place; every such stand can come out."""
    stand = Stand()
    for _ in range(draw(st.integers(low, high))):
        rotation = draw(st.integers(0, 3))
        row, col = draw(st.sampled_from(stand.legal_placements(*SIZES[rotation % 2])))
        stand.place(draw(FACES), row, col, rotation)
    return stand


# Known answers.


@pytest.mark.parametrize("case", KNOWN["stands"])
def test_known_stands(case: dict[str, Any]) -> None:
    stand = known_stand(case["placements"])
    assert stand.largest() == case["largest"]
    assert stand.groups() == case["groups"]
    assert (stand.rats(), len(stand.spaces)) == (case["rats"], case["visible_spaces"])
    for height, width in SIZES:
        assert len(stand.legal_placements(height, width)) == case["legal_positions"][f"{height}x{width}"]
    assert stand.announceable() == {frozenset(goods) for goods in case["may_announce_1"]}
    assert stand.announceable(count=2) == {frozenset(goods) for goods in case["may_announce_2"]}
    assert stand.announceable(2, "groups") == {frozenset(goods) for goods in case["may_announce_2_groups"]}


@pytest.mark.parametrize("case", KNOWN["games"])
def test_known_games(case: dict[str, Any]) -> None:
    table, teams = [known_stand(placements) for placements in case["stands"]], case["side_of_seat"]
    announced = announce(table, teams, 2 if case["players"] == 2 else 1, case["pair"])
    assert announced == [frozenset(goods) for goods in case["announced"]]
    union = frozenset[str]().union(*announced)
    scores, rats = [stand.score(union) for stand in table], [stand.rats() for stand in table]
    assert (scores, rats) == (case["scores"], case["rats"])
    assert add_up(scores, teams) == case["side_scores"]
    won = winners(add_up(scores, teams), add_up(rats, teams))
    assert won == case["winning_sides"]
    assert [(side in won) / len(won) for side in teams] == pytest.approx(case["win"])


def test_the_worked_example_of_the_rules() -> None:
    """Rules: Worked example. Strawberry 5 x 4 = 20, banana 3 x 2 = 6, grape 5 x 1 = 5, three rats -6: 25 points."""
    example = KNOWN["rulebook_example"]
    stand = known_stand(example["placements"])
    largest, groups = stand.largest(), stand.groups()
    assert [(largest[good], groups[good]) for good in GOODS[:3]] == [(5, 4), (3, 2), (5, 1)]
    assert stand.rats() == example["rats"] == 3
    assert stand.score(example["announced"]) == example["score"] == 25
    assert stand.score([*example["announced"], "strawberry"]) == 25  # named twice counts once


# Placing.


def test_a_start_card_may_lie_anywhere_and_a_later_one_may_not() -> None:
    stand = Stand()
    assert stand.legal_placements() == stand.legal_placements(3, 2) == [(0, 0)]
    stand.place(face("SSS/SSS"), row=-40, col=70, rotation=1)
    assert stand.spaces.keys() == {*product((-40, -39, -38), (70, 71))}
    with pytest.raises(IllegalMove, match="row 0, column 0 does not touch the stand; it must touch a card side to side"):
        stand.place(face("SSS/SSS"), row=0, col=0)
    assert len(stand.cards) == 1


@pytest.mark.parametrize(("row", "col", "rotation"), [(2, 3, 0), (-2, 3, 0), (2, -3, 0), (-2, -3, 0), (2, -2, 1), (-3, 3, 3)])
def test_touching_at_a_corner_only_is_illegal(row: int, col: int, rotation: int) -> None:
    stand = Stand([(face("SSS/SSS"), 0, 0, 0)])
    height, width = SIZES[rotation % 2]
    with pytest.raises(IllegalMove, match=f"{height} x {width} .* touches the stand at a corner only"):
        stand.place(face("GGG/GGG"), row, col, rotation)
    assert stand.spaces == Stand(stand.cards).spaces
    assert len(stand.spaces) == 6


def test_a_card_fully_covered_still_counts_as_a_card() -> None:
    stand = Stand([(face("SSS/SSS"), 0, 0, 0), (face("GRG/R.R"), 0, 0, 2)])
    assert len(stand.cards) == 2
    assert str(stand) == "R.R\nGRG"
    assert stand.largest()["strawberry"] == stand.groups()["strawberry"] == 0


def test_quarter_turns_go_clockwise() -> None:
    turned = [str(Stand([(face("SBG/CM."), 0, 0, turn)])) for turn in range(4)]
    assert turned == ["SBG\nCM.", "CS\nMB\n.G", ".MC\nGBS", "G.\nBM\nSC"]


@pytest.mark.parametrize(
    ("given_face", "fault"),
    [
        ([["grape"] * 3], "valid: 2 rows of 3 symbols"),
        ([["grape"] * 3, ["grape"] * 2], "valid: 2 rows of 3 symbols"),
        ([["grape"] * 2] * 3, "valid: 2 rows of 3 symbols"),
        (["SBG", "CM."], "valid: 2 rows of 3 symbols"),
        ("SBGCM.", "valid: 2 rows of 3 symbols"),
        (None, "valid: 2 rows of 3 symbols"),
        (Card("x", face("SBG/CM.")), "found the card 'x'; give card.face"),
        ([["grape"] * 3, ["grape", "grapes", "rat"]], "did you mean 'grape'.*valid: strawberry, banana"),
        ([["grape"] * 3, ["grape", None, "rat"]], "found None"),
        ([["grape"] * 3, ["grape", ["rat"], "rat"]], "found \\['rat'\\]"),
    ],
)
def test_what_is_no_face_is_refused(given_face: Any, fault: str) -> None:
    stand = Stand()
    with pytest.raises(InputError, match=fault):
        stand.place(given_face, 0, 0)
    assert not stand.cards


@pytest.mark.parametrize("value", [0.5, 1.0, "1", None, True, [0]])
@pytest.mark.parametrize("name", ["row", "col", "rotation"])
def test_places_and_rotations_are_whole_numbers(name: str, value: Any) -> None:
    with pytest.raises(InputError, match=f"{name}: found .*valid: a whole number"):
        Stand().place(face("SBG/CM."), **{"row": 0, "col": 0, "rotation": 0, name: value})


def test_other_wrong_arguments_are_refused_with_the_valid_ones() -> None:
    stand = Stand([(face("SBG/CM."), 0, 0, 0)])
    calls: list[tuple[Callable[[], object], str]] = [
        (lambda: stand.legal_placements(3, 3), "2 x 3 lying or 3 x 2 standing"),
        (lambda: stand.announceable(3), "announces 1 good or 2"),
        (lambda: stand.announceable(2, "good"), "Did you mean 'goods'.*goods, groups"),
        (lambda: stand.score("grape"), "give a set of goods"),
        (lambda: stand.score({"grap"}), "Did you mean 'grape'"),
        (lambda: stand.score({"rat"}), "unknown good 'rat'"),
        (lambda: stand.score({"grape"}, rat_penalty=0.5), "rat_penalty: found 0.5"),  # type: ignore[arg-type]
        (lambda: announce([stand, stand], [0]), "found 1 sides for 2 stands"),
    ]
    for call, fault in calls:
        with pytest.raises(InputError, match=fault):
            call()


def test_lists_and_numpy_values_serve_as_well() -> None:
    stand = Stand()
    stand.place(np.array(face("SBG/CM.")), np.int16(2), np.int64(-1), np.uint8(1))  # type: ignore[arg-type]
    assert stand.cards == (Placement(face("SBG/CM."), 2, -1, 1),)
    assert all(type(value) is int for value in stand.cards[0][1:])
    assert all(type(symbol) is str for symbol in stand.spaces.values())


def test_a_copy_goes_its_own_way_and_spaces_cannot_be_written() -> None:
    stand = Stand([(face("GGG/SBG"), 0, 0, 0)])
    assert stand.largest()["grape"] == 4
    twin = stand.copy()
    twin.place(face("GGG/GGG"), 2, 0)
    assert (stand.largest()["grape"], twin.largest()["grape"]) == (4, 10)
    assert (len(stand.cards), len(twin.cards)) == (1, 2)
    stand.group_sizes()["grape"].append(99)
    assert stand.largest()["grape"] == 4
    with pytest.raises(TypeError):
        stand.spaces[0, 0] = "rat"  # type: ignore[index]
    assert repr(stand) == "<Stand of 1 cards, 6 visible spaces>\nGGG\nSBG"
    assert str(Stand()) == "(no cards)"


def test_an_empty_stand_and_one_without_goods_announce_nothing() -> None:
    bare = Stand([(face("..R/RR."), 0, 0, 0)])
    for count, pair in RULES:
        assert Stand().announceable(count, pair) == bare.announceable(count, pair) == {frozenset()}
        assert value_now(bare, [Stand()], count, pair) == -6
        assert announce([bare, Stand()], None, count, pair) == [frozenset(), frozenset()]


# Properties.


def shares_a_side(stand: Stand, row: int, col: int, size: tuple[int, int]) -> bool:
    """Say space by space whether a card covers a space or has one beside it: the wording of the rules."""
    card = [(row + down, col + right) for down in range(size[0]) for right in range(size[1])]
    return any(abs(r - y) + abs(c - x) <= 1 for r, c in card for y, x in stand.spaces)


@settings(deadline=None, max_examples=25)
@given(stands(high=5), st.integers(0, 3))
def test_place_and_legal_placements_agree(stand: Stand, rotation: int) -> None:
    rows, cols = zip(*stand.spaces, strict=True)
    around = [*product(range(min(rows) - 5, max(rows) + 4), range(min(cols) - 5, max(cols) + 4))]
    places = stand.legal_placements(*SIZES[rotation % 2])
    assert places == sorted(set(places))
    accepted = []
    for row, col in around:
        trial = stand.copy()
        try:
            trial.place(face("SBG/CM."), row, col, rotation)
        except IllegalMove as error:
            assert "must touch a card side to side or cover one" in str(error)
            assert not shares_a_side(stand, row, col, SIZES[rotation % 2])
        else:
            accepted.append((row, col))
            assert shares_a_side(stand, row, col, SIZES[rotation % 2])
    assert accepted == places


@settings(deadline=None)
@given(stands(low=2))
def test_only_the_topmost_symbols_are_visible_and_none_vanish(stand: Stand) -> None:
    step = Stand()
    for card in stand.cards:
        before = len(step.spaces)
        step.place(*card)
        laid = dict(card.spaces())
        assert before <= len(step.spaces) <= before + 6
        assert laid.items() <= step.spaces.items()
    assert step.spaces == stand.spaces


@given(FACES, st.integers(-9, 9))
def test_four_quarter_turns_change_nothing(shown: Face, rotation: int) -> None:
    assert rotate(rotate(shown, rotation), 4 - rotation) == shown


@pytest.mark.parametrize("rotation", [-1, 4, 90])
def test_a_rotation_counts_quarter_turns_and_no_degrees(rotation: int) -> None:
    stand = Stand()
    with pytest.raises(InputError, match=f"found {rotation}; valid: quarter turns clockwise: 0, 1, 2 or 3"):
        stand.place(face("SBG/CM."), 0, 0, rotation)
    assert not stand.cards


def summary_of(stand: Stand) -> tuple[object, ...]:
    return stand.group_sizes(), stand.rats(), [stand.announceable(*rule) for rule in RULES]


@settings(deadline=None)
@given(stands(), st.integers(-50, 50), st.integers(-50, 50))
def test_moving_or_turning_the_whole_stand_changes_no_count(stand: Stand, down: int, right: int) -> None:
    moved = Stand((shown, row + down, col + right, turn) for shown, row, col, turn in stand.cards)
    turned = Stand(  # the space (row, col) goes to (col, -row); the card's lowest row becomes its first column
        (shown, col, -(row + SIZES[turn % 2][0] - 1), (turn + 1) % 4) for shown, row, col, turn in stand.cards
    )
    assert {(col, -row): symbol for (row, col), symbol in stand.spaces.items()} == turned.spaces
    assert summary_of(stand) == summary_of(moved) == summary_of(turned)
    for height, width in SIZES:
        places = stand.legal_placements(height, width)
        assert moved.legal_placements(height, width) == [(row + down, col + right) for row, col in places]
        turned_places = turned.legal_placements(width, height)
        assert turned_places == sorted((col, -(row + height - 1)) for row, col in places)


@settings(deadline=None)
@given(stands())
def test_groups_agree_with_image_labels_of_scipy(stand: Stand) -> None:
    rows, cols = zip(*stand.spaces, strict=True)
    shape = max(rows) - min(rows) + 1, max(cols) - min(cols) + 1
    for good in GOODS:
        image = np.zeros(shape, bool)
        for (row, col), symbol in stand.spaces.items():
            image[row - min(rows), col - min(cols)] = symbol == good
        labels, count = ndimage.label(image)
        sizes = sorted(np.bincount(labels.ravel())[1:].tolist(), reverse=True)
        assert stand.group_sizes()[good] == sizes
        assert (stand.groups()[good], stand.largest()[good]) == (count, max(sizes, default=0))
        assert sum(sizes) == image.sum()


@settings(deadline=None)
@given(stands(), st.sets(st.sampled_from(GOODS)), st.integers(0, 20))
def test_points_add_up_good_by_good(stand: Stand, goods: set[str], penalty: int) -> None:
    parts = [stand.score({good}, rat_penalty=0) for good in goods]
    assert stand.score(goods, penalty) == sum(parts) - penalty * stand.rats()
    for one in stand.announceable():
        assert {stand.largest()[good] for good in one} <= {max(stand.largest().values())}
    assert value_now(stand, [], 1, "goods", penalty) == max(stand.score(one, penalty) for one in stand.announceable())


@given(st.lists(st.tuples(st.integers(-3, 3), st.integers(0, 3)), min_size=1, max_size=4))
def test_winners_have_most_points_and_then_fewest_rats(results: list[tuple[int, int]]) -> None:
    won = winners([score for score, _ in results], [rats for _, rats in results])
    for side, (score, rats) in enumerate(results):
        beaten = any(other > score or (other == score and fewer < rats) for other, fewer in results)
        assert (side in won) == (not beaten)


def test_a_later_seat_hears_the_earlier_ones_and_partners_add_up() -> None:
    """Seat 1 may name carrot or grape, whichever leaves its side furthest ahead of the other."""
    first = Stand([(face("GGG/GC."), 0, 0, 0)])
    tied = Stand([(face("GGC/..C"), 0, 0, 0)])
    assert tied.announceable() == {frozenset({"grape"}), frozenset({"carrot"})}
    assert announce([first, tied])[1] == {"carrot"}  # 2 + 2 - (4 + 1) beats 2 - 4
    many = Stand([(face("C.C/.C."), 0, 0, 0), (face("GGG/G.C"), 2, 0, 0)])
    assert announce([many, tied])[1] == {"grape"}  # carrot would bring the other seat more
    assert announce([many, tied], teams=[0, 0])[1] == {"carrot"}  # for a partner that is welcome


def test_the_examples_in_the_docstrings_run() -> None:
    results = doctest.testmod(rules_module, optionflags=doctest.ELLIPSIS)
    assert results.failed == 0
    assert results.attempted > 10
