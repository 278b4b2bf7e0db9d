"""A recorded game of Veggies shown move by move, as text and as pictures."""

from __future__ import annotations

import doctest
import re
from dataclasses import dataclass
from functools import cache
from typing import Any
from xml.etree import ElementTree

import pytest
from svg_checks import FACE, OTHER, SVG, assert_whole, texts

from veggies_sim.core import errors
from veggies_sim.core import replay as core_replay
from veggies_sim.core.engine import Design, play_block
from veggies_sim.core.errors import IllegalMove, InputError
from veggies_sim.core.game import Step
from veggies_sim.core.policy import policies_for
from veggies_sim.core.replay import as_html, as_text
from veggies_sim.core.svg import PAGE
from veggies_sim.games.veggies import replay
from veggies_sim.games.veggies.deck import GOODS, LETTER, Card, Deck
from veggies_sim.games.veggies.game import Veggies
from veggies_sim.games.veggies.replay import LEGEND, steps

ODD = "<b>&\"'</svg>]]>"


@dataclass
class Recorded:
    """The rows of one game, as the replay hands them over."""

    seats: list[dict[str, Any]]
    deal: dict[str, Any]
    moves: list[dict[str, Any]]


def play(game: Veggies, *policies: str) -> Recorded:
    """Play one game with the engine and return its rows in words."""
    specs = policies_for(list(policies), game)
    built = [spec.kind.build(game, spec.values) for spec in specs]
    tables = play_block(game, built, Design(1, 1), 5, 1, "moves")
    columns = {"seats": game.seat_columns, "deals": game.deal_columns, "moves": game.move_columns}
    rows: dict[str, list[dict[str, Any]]] = {}
    for name, table in tables.items():
        known = {column.name: column for column in columns[name]}
        rows[name] = [{} for _ in next(iter(table.values()))]
        for key, values in table.items():
            column = known.get(key)
            for row, value in zip(rows[name], values.tolist(), strict=True):
                if column and column.words:
                    value = [column.words[i] for i in value] if column.type == "list" else ([*column.words, None][value])
                row[key] = None if column and column.null is not None and value == column.null else value
    for row in rows["seats"]:
        row["policy"] = str(specs[row["policy"]])
    return Recorded(rows["seats"], rows["deals"][0], rows["moves"])


@cache
def played(players: int) -> tuple[Veggies, Recorded, list[Step]]:
    game = Veggies(players=players)
    record = play(game, "random")
    return game, record, game.steps(record)


def small(players: int = 2, ids: tuple[str, str] = ("a", "b")) -> Veggies:
    return Veggies(players, Deck([Card(ids[0], FACE, 10), Card(ids[1], OTHER, 10)]), stand_size=3)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_every_move_has_a_picture_and_so_has_the_end(players: int) -> None:
    game, record, shown = played(players)
    assert len(shown) == len(record.moves) + 1 == 8 * players + 1
    for step, move in zip(shown, record.moves, strict=False):
        assert_whole(step.svg)
        begun = f"turn {move['turn']}, seat {move['seat']} "
        did = f"lays {move['card']} from {move['source']}" if move["turn"] else f"starts with {move['card']}"
        where = f", rotated {90 * move['rotation']}°, at row {move['row']}, column {move['col']}"
        assert step.title == begun + did + where
        assert f"{move['source']} {move['card']} " in step.text
        assert f"  legal moves: {move['choices']}\nafter:\n" in step.text
    assert_whole(shown[-1].svg)
    assert shown[-1].title.startswith("the end: ")


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_recorded_score_is_the_one_in_the_picture(players: int) -> None:
    """The picture counts by the plain rules, the record comes from the compiled kernels."""
    _, record, shown = played(players)
    for step, move in zip(shown, record.moves, strict=False):
        said = [text for text in texts(step.svg) if text.startswith(("score now", "no score yet"))]
        if move["turn"] == 0:
            assert move["score_now"] is None
            assert "  no score yet\n" in step.text
            assert {text.split(",")[0] for text in said} == {"no score yet"}
        else:
            assert said[move["seat"]] == f"score now {move['score_now']}, {move['turn'] + 1} cards"
            assert f"score if the game ended now: {move['score_now']}\n" in step.text


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_last_picture_says_who_announced_scored_and_won(players: int) -> None:
    _, record, shown = played(players)
    won = sorted({row["team"] for row in record.seats if row["win"] > 0})
    assert len(won) == 1
    points = sum(row["score"] for row in record.seats if row["team"] == won[0])
    assert shown[-1].title == f"the end: {'team' if players == 4 else 'seat'} {won[0]} wins with {points} points"
    for row in record.seats:
        named = [row[key] for key in ("announced", "announced_2") if row[key]]
        assert f"seat {row['seat']}" in shown[-1].text
        assert f"announces {' and '.join(named)}" in shown[-1].text
        assert f" = {row['score']} points" in shown[-1].text
    for goods, rats, penalty, points in re.findall(r"; (.*) - (\d+) rats? x (\d+) = (-?\d+) point", shown[-1].text):
        products = [int(a) * int(b) for a, b in re.findall(r"(\d+) x (\d+)", goods)]
        assert sum(products) - int(rats) * int(penalty) == int(points)  # the sum that people read comes out


def test_the_last_picture_has_the_sum_of_every_seat() -> None:
    _, record, shown = played(3)
    seen = texts(shown[-1].svg)
    for row in record.seats:
        goods = [f"{good} {row[f'{good}_largest']} x {row[f'{good}_groups']}" for good in GOODS if row[f"{good}_scored"]]
        terms = [goods[0], *(f"+ {good}" for good in goods[1:])]
        start = seen.index(f"seat {row['seat']}") + 3
        assert seen[start : start + len(terms)] == terms
        assert seen[start + len(terms) + 1] == f"= {row['score']} points"


def test_the_text_shows_the_stand_that_changed_and_explains_its_letters_once() -> None:
    _, record, shown = played(3)
    for step, move in zip(shown, record.moves, strict=False):
        assert re.findall(r"^  seat (\d)", step.text, re.M) == [str(move["seat"])]
    assert len(re.findall(r"^seat \d: random$", shown[-1].text, re.M)) == 3
    told = as_text(shown)
    assert told.startswith(f"{LEGEND}\n\n== turn 0") and told.count(LEGEND) == 1
    assert all(f"{letter} {symbol}" in LEGEND for symbol, letter in LETTER.items())
    assert as_text(shown[5:6]).startswith(LEGEND)


def test_the_page_steps_by_buttons_slider_and_keys() -> None:
    page = as_html(played(2)[2], "<title>")
    assert re.findall(r'<button id="(\w+)"', page) == ["first", "back", "next", "last"]
    assert 'type="range"' in page and "const " in page and "last = 16," in page
    assert all(key in page for key in ("Home", "ArrowLeft", "ArrowRight", "End"))
    assert page.count("<section") == 17 and "section[hidden] { display: block; }" in page
    assert "http" not in re.sub(r"xmlns=\S+", "", page) and "&lt;title&gt;" in page


def test_seats_show_team_and_policy() -> None:
    _, _, shown = played(4)
    assert [text for text in texts(shown[0].svg) if text.startswith("seat")] == [
        f"seat {seat}, team {seat % 2}" for seat in range(4)
    ]
    assert texts(shown[0].svg).count("policy random") == 4
    assert "seat 2, team 0: random" in shown[2].text
    assert "seat 1: random" in played(3)[2][1].text


def test_the_end_fades_the_goods_that_nobody_announced() -> None:
    _, record, shown = played(3)
    dull = [LETTER[good] for good in GOODS if not record.seats[0][f"{good}_scored"]]
    letters = "".join(re.findall(r"[SBGCM]", re.sub(r".*: random.*|.*wins.*|scored.*", "", shown[-1].text)))
    assert dull
    assert shown[-1].svg.count('opacity=".3"') == sum(map(letters.count, dull)) + 1  # and one in the legend
    assert 'opacity=".3"' not in shown[-2].svg
    assert [text for text in texts(shown[-1].svg) if "pale" in text] == ["pale: announced by nobody"]
    assert not [text for text in texts(shown[-2].svg) if "pale" in text]


def test_stands_lie_side_by_side_as_far_as_the_page_goes() -> None:
    for players, lines in ((2, {1}), (3, {1}), (4, {1, 2})):
        seen = set()
        for step in played(players)[2]:
            places = re.findall(r'translate\((\d+) (\d+)\)"><rect[^>]* rx="5"', step.svg)
            assert len(places) == players
            seen.add(len({y for _, y in places}))
            assert float(ElementTree.fromstring(step.svg).attrib["width"]) <= PAGE + 24
        assert seen <= lines


def test_the_ramp_before_the_move_is_shown_and_refilled_from_the_deck() -> None:
    _, record, shown = played(3)
    order = record.deal["order"]
    first = [text for text in texts(shown[0].svg) if ": v" in text]
    assert first[:3] == [f"ramp{place}: {card}" for place, card in enumerate(order[:3], start=1)]
    assert first[3:] == [f"dealt: {card}" for card in order[3:5]]
    ramp, drawn = order[:3], iter(order[9:])
    for step, move in zip(shown, record.moves, strict=False):
        assert re.findall(r"ramp\d (\S+) ", step.text) == ramp
        if move["turn"]:
            card = next(drawn)
            ramp = [card if move["source"] == f"ramp{place}" else old for place, old in enumerate(ramp, start=1)]


@pytest.mark.parametrize("odd", [ODD, "a" * 500, "日本" * 40])
def test_ids_and_policies_are_escaped_and_never_too_long(odd: str) -> None:
    game = small(ids=(odd, "b"))
    record = play(game, "random")
    for row in record.seats:
        row["policy"] = f"py:{odd}"
    for step in steps(game, record):
        assert_whole(step.svg)
        assert "<b>" not in step.svg
        assert "</svg>" not in step.svg[:-6]
        titles = [element.text or "" for element in ElementTree.fromstring(step.svg).iter(f"{SVG}title")]
        assert f"policy py:{odd}" in titles
        assert max(map(len, texts(step.svg))) < 120
    first = texts(steps(game, record)[0].svg)
    assert first[0].startswith("turn 0, seat 0 starts with ") and first[1] == "rotated 0°, at row 0, column 0"


def test_text_that_xml_has_no_place_for_does_no_harm() -> None:
    game = small()
    record = play(game, "random")
    record.seats[0]["policy"] = "a\x00b\x1b[31m\ud800\uffff"
    assert_whole(steps(game, record)[0].svg)


def ended(scores: list[int], rats: list[int], wins: list[float], teams: list[int] | None = None) -> str:
    """Return the title of the last picture of a game that ended so, nothing announced."""
    game = small(len(scores)) if teams is None else Veggies(4, Deck([Card("a", FACE, 30)]), stand_size=2)
    record = play(game, "random")
    for seat, row in enumerate(record.seats):
        row |= {"score": scores[seat], "rats": rats[seat], "win": wins[seat], "announced": None, "announced_2": None}
        row |= {key: False for key in row if key.endswith("_scored")}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(replay, "_check_end", lambda table: None)  # the rows tell of no stand there is
        step = steps(game, record)[-1]
    assert "announces nothing; 0 - " in step.text
    assert "scored: nothing" in step.text
    return step.title


def test_ties_are_told_as_the_rules_break_them() -> None:
    assert ended([7, 7], [2, 1], [0.0, 1.0]) == "the end: seat 1 wins with 7 points and fewer rats"
    assert ended([7, 7, 3], [1, 1, 0], [0.5, 0.5, 0.0]) == "the end: seats 0 and 1 share the win with 7 points"
    assert ended([1, -9, 0, 3], [0] * 4, [1.0, 0, 1.0, 0], [0, 1, 0, 1]) == "the end: team 0 wins with 1 point"
    assert ended([1, 2, 2, 1], [0] * 4, [0.5] * 4, [0, 1, 0, 1]) == "the end: teams 0 and 1 share the win with 3 points"


def test_a_record_that_does_not_fit_is_refused() -> None:
    game, record, _ = played(3)

    def spoilt(number: int, **change: object) -> Recorded:
        moves = [row | change if place == number else row for place, row in enumerate(record.moves)]
        return Recorded(record.seats, record.deal, moves)

    with pytest.raises(InputError, match=r"turn 1, seat 0: the record says nope from .*, there was v\d\d from ramp1"):
        steps(game, spoilt(3, card="nope"))
    with pytest.raises(IllegalMove, match="does not touch the stand"):
        steps(game, spoilt(3, row=50))
    with pytest.raises(InputError, match="which the deck does not have"):
        steps(Veggies(3, Deck([Card("a", FACE, 40)])), record)
    with pytest.raises(InputError, match="the recorded deck order: found its end"):
        steps(game, Recorded(record.seats, {"order": record.deal["order"][:15]}, record.moves))


def test_other_ramps_and_stand_sizes_are_drawn_too() -> None:
    deck = Deck([Card("a", FACE, 60), Card("b", OTHER, 60)])
    for rules in (
        {"ramp_size": 0, "stand_size": 1},
        {"ramp_size": 9, "stand_size": 20},
        {"pair": "groups", "announced": 2},
    ):
        game = Veggies(2, deck, rules)
        record = play(game, "random")
        shown = steps(game, record)
        assert len(shown) == 2 * int(game.rules["stand_size"]) + 1
        for step in shown:
            assert_whole(step.svg)
        assert ("ramp: no cards" in shown[0].text) == (game.rules["ramp_size"] == 0)


def test_the_examples_in_the_docstrings_run() -> None:
    for module in (core_replay, errors):
        results = doctest.testmod(module)
        assert (results.failed, results.attempted > 0) == (0, True)
