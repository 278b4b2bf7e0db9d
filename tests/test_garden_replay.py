"""A recorded game of Veggie Garden played again by the plain rules, and shown move by move."""

from __future__ import annotations

import re
from collections.abc import Callable
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from svg_checks import assert_whole, texts

import veggies_sim as vs
from veggies_sim.core.errors import IllegalMove, InputError
from veggies_sim.core.game import Step
from veggies_sim.core.replay import Record, as_html, as_text, find_record, replay
from veggies_sim.games.veggie_garden.board import COMPOST, KINDS
from veggies_sim.games.veggie_garden.replay import LEGEND, steps

RULES: list[dict[str, Any]] = [
    {},
    {"pea_axes": 3, "pepper_moves_bunny": "off", "groundhog": "random"},
    {"bunny": "off", "groundhog": "off", "bonus": 0, "posts": "0,0,0,0,1,1,2,2,4,4,4,20"},
    {"kinds": "cabbage+carrot+pea+pepper+tomato", "copies": "8,7,7,7,14,8"},  # short decks: the discards are drawn again
    {"copies": 8, "reshuffle": "off"},
    {"kinds": "cabbage+carrot+pea+pepper+tomato", "copies": "40,7,7,7,7,7"},  # often four of a kind
]


@cache
def played(players: int = 3, policy: str = "random", rules: int = 0) -> vs.Run:
    game = vs.VeggieGarden(players, rules=RULES[rules])
    return vs.simulate(game, policy, games=30, seed=11, record="moves")


@cache
def shown(players: int = 3) -> tuple[Record, list[Step]]:
    record = find_record(played(players), 4)
    return record, played(players).game.steps(record)


@pytest.mark.parametrize("rules", range(len(RULES)))
def test_games_play_again_by_the_plain_rules(rules: int) -> None:
    """Choices, scores now, hands, worths and scores of the kernels all agree with the plain garden, or steps raise."""
    players = 2 if rules in (3, 4) else 4
    for number in range(5):
        run = played(players, "random", rules)
        assert len(replay(run, number)) == len(find_record(run, number).moves) + 2


def test_short_decks_do_draw_discards_again_and_fours_are_replaced() -> None:
    again = [row for row in played(2, "random", 3).deals.to_dicts() if len(row["draws"]) > len(row["deck"])]
    assert again
    run = played(4, "random", 5)
    told = [step for number in range(3) for step in replay(run, number) if "four of " in step.text]
    assert told
    for step in told:
        assert re.search(r"four of \w+ in the harvest are replaced", " ".join(texts(step.svg)))


@pytest.mark.parametrize("players", [2, 3, 4])
def test_every_move_has_a_picture_and_so_have_set_up_and_end(players: int) -> None:
    record, told = shown(players)
    assert len(told) == 7 * players + 2
    assert told[0].title.startswith("the set-up: ") and told[-1].title.startswith("the end: ")
    for step in told:
        assert_whole(step.svg)
    for step, move in zip(told[1:-1], record.moves, strict=True):
        assert step.title.startswith(f"turn {move['turn']}, seat {move['seat']} takes {move['kind']} from slot {move['slot']}")
        assert step.title.endswith(", the last pick") == (move["turn"] == 7)
        assert f"  legal moves: {move['choices']}\nafter:\n" in step.text
        assert f"  score if the game ended now: {move['score_now']}\n" in step.text
        now = [text for text in texts(step.svg) if text.startswith("score now")]
        assert now[move["seat"]] == f"score now {move['score_now']}"


def test_the_words_say_what_each_action_does() -> None:
    words = {
        "shift_cards": r"shifts (row [0-3] to the (left|right)|column [0-3] (up|down))",
        "shift_posts": r"shifts the (top|bottom) posts to the (left|right)|swaps the two (left|right) posts",
        "move_bunny": r"swaps the bunny's post \d+ and post \d+ of [123]",
        "move_groundhog": r"moves the groundhog to cell (5|6|9|10) and swaps \w+ at cell \d+ and \w+ at cell \d+",
        "swap_cards": r"swaps \w+ at cell \d+ and \w+ at cell \d+",
        "swap_posts": r"swaps (the bunny's post \d+|post \d+ of [123]) and (the bunny's post \d+|post \d+ of [123])",
        "exchange": r"gives \w+ for \w+ at cell \d+",
        "replant": r"discards \w+ at cell \d+ and plants \w+ of slot [0-3] there",
    }
    seen = set()
    for number in range(6):
        record = find_record(played(4), number)
        for step, move in zip(played(4).game.steps(record)[1:-1], record.moves, strict=True):
            if move["turn"] < 7 and move["action"] != "none":
                assert re.fullmatch(rf".* from slot [0-3]: ({words[move['action']]})", step.title)
                seen.add(move["action"])
    assert seen == {*words}


def test_set_up_and_end_tell_hands_sums_and_the_winner() -> None:
    record, told = shown()
    assert told[0].title.count("seat 0 puts the groundhog on cell ") == ("pea" in record.deal["kinds"])
    secret = [text for text in texts(told[0].svg) if text.startswith("dealt in secret: ")]
    assert len(secret) == 3 and all(text in told[0].text for text in secret)
    best = max(row["score"] for row in record.seats)
    won = [row["seat"] for row in record.seats if row["score"] == best]
    assert told[-1].title.endswith(f"with {best} points") and all(str(seat) in told[-1].title for seat in won)
    for row in record.seats:
        line = next(line for line in told[-1].text.split("\n") if line.startswith(f"seat {row['seat']}: random has "))
        products = [int(a) * int(b) for a, b in re.findall(r"(\d+) x (\d+)", line)]
        assert sum(products) + row["bonus"] == row["score"]
        assert line.endswith(f" + all kinds {row['bonus']} = {row['score']} points")
        assert f"= {row['score']} points" in texts(told[-1].svg)


def test_a_shared_win_is_told() -> None:
    """In a game of two with posts of no points all hands are worth the bonus at most: many games are tied."""
    game = vs.VeggieGarden(2, rules={"posts": ",".join("0" * 12)})
    run = vs.simulate(game, "random", games=10, seed=1, record="moves")
    ties = run.seats.filter(seat=0, win=0.5)["game"].to_list()
    assert ties
    points = run.seats.filter(seat=0, game=ties[0])["score"].item()
    assert replay(run, ties[0])[-1].title == f"the end: seats 0 and 1 share the win with {points} points"
    changed = deepcopy(find_record(run, ties[0]))
    changed.seats[1]["win"] = 0.0
    with pytest.raises(InputError, match=r"seat 1: the record says win 0, the scores are (\d+) and \1; it was changed"):
        steps(game, changed)


def test_the_legend_is_said_once_and_a_page_has_all_steps() -> None:
    _, told = shown()
    text = as_text(told)
    assert text.startswith(LEGEND) and text.count(LEGEND) == 1
    page = as_html(told, "a game")
    assert page.count("<section") == len(told) and "http" not in re.sub(r"xmlns=\S+", "", page)


def test_the_command_replays_with_and_without_recorded_moves(tmp_path: Path, cli: Callable[..., tuple[int, str, str]]) -> None:
    texts_of = []
    for record in ("moves", "seats"):
        out = tmp_path / record
        words = ("--game", "veggie-garden", "--policy", "random", "--games", 20, "--seed", 3, "--jobs", 1)
        status, _, err = cli("simulate", *words, "--record", record, "--out", out)
        assert status == 0, err
        texts_of.append([cli("replay", out, "--game", 7, "--format", form)[1] for form in ("text", "svg", "html")])
    assert texts_of[0] == texts_of[1]
    text, svg, page = texts_of[0]
    assert "== turn 6, seat 2 takes" in text and "<svg" in svg and "<section" in page


def test_policies_of_any_name_stay_inside(odd: str = "<b>&\"'</svg>]]>" * 9) -> None:
    record = deepcopy(shown()[0])
    record.seats[0]["policy"] = odd
    for step in (steps(played().game, record)[at] for at in (0, 1, -1)):
        assert_whole(step.svg)


DAMAGE: list[tuple[str, Callable[[Record], object], str]] = [
    ("slot", lambda r: r.moves[2].update(slot=(r.moves[2]["slot"] + 1) % 4, kind="none"), r"turn 1, seat 2: the record says none"),
    ("empty", lambda r: r.moves[2].update(slot=None), r"turn 1, seat 2: the record says \w+ from slot None, there was 0 "),
    ("action", lambda r: r.moves[1].update(action="none", a=None, b=None), r"turn 1, seat 1: found none for \w+; valid: "),
    ("number", lambda r: r.moves[1].update(a=99), r"turn 1, seat 1: \w+ 99.*: a: found 99; valid: 0 to "),
    (
        "last",
        lambda r: r.moves[-1].update(action="swap_cards", a=0, b=1),
        r"turn 7, seat 2: found swap_cards 0 1 for \w+; valid: none",
    ),
    ("choices", lambda r: r.moves[0].update(choices=3), r"turn 1, seat 0: there are \d+ legal moves, the record says 3"),
    ("score_now", lambda r: r.moves[3].update(score_now=999), r"turn 2, seat 0: the score is \d+, the record says 999"),
    ("score", lambda r: r.seats[1].update(score=999), r"seat 1: score is \d+ on the table, the record says 999"),
    ("bonus", lambda r: r.seats[1].update(bonus=7), r"seat 1: bonus is \d+ on the table, the record says 7"),
    ("margin", lambda r: r.seats[1].update(margin=77), r"seat 1: margin is -?\d+ on the table, the record says 77"),
    ("win", lambda r: r.seats[1].update(win=0.25), r"seat 1: the record says win 0.25"),
    ("turn", lambda r: r.moves[0].update(turn=0), "a move is recorded for turn 0"),
    ("draws", lambda r: r.deal.update(draws=r.deal["draws"][:30]), "the recorded draws: they end before the game does"),
    ("deck", lambda r: r.deal.update(deck=r.deal["deck"][1:]), "the recorded deck is not that of the board"),
    ("posts", lambda r: r.deal.update(posts=[1] * 12), "the recorded kinds or posts are not those of the board"),
    ("groundhog", lambda r: r.deal.update(groundhog=3), "the recorded groundhog is on cell 3"),
]


@pytest.mark.parametrize(("change", "message"), [each[1:] for each in DAMAGE], ids=[each[0] for each in DAMAGE])
def test_a_record_that_does_not_fit_is_refused(change: Callable[[Record], object], message: str) -> None:
    record = deepcopy(shown()[0])
    change(record)
    with pytest.raises((IllegalMove, InputError), match=message):
        steps(played().game, record)


def test_a_draw_that_is_not_there_is_refused() -> None:
    """One card of the deck is another one: kinds can't be counted right then, wherever it lies."""
    record = deepcopy(shown()[0])
    kinds, draws = record.deal["kinds"], record.deal["draws"]
    other = next(kind for kind in kinds if kind != draws[0])
    for row in (draws, record.deal["deck"]):
        row[0] = other
    with pytest.raises(InputError, match="the recorded deck is not that of the board"):
        steps(played().game, record)


def test_other_rules_than_the_recorded_ones_are_noticed() -> None:
    record = next(each for each in map(lambda n: find_record(played(), n), range(30)) if each.seats[0]["bonus"])
    for rules, message in (
        ({"bonus": 90}, "the score is|score is"),
        ({"posts": "2,2,2,2,2,2,2,2,2,2,2,2"}, "posts are not those of the board"),
        ({"copies": 20}, "the recorded deck is not that of the board"),
    ):
        with pytest.raises(InputError, match=message):
            steps(vs.VeggieGarden(3, rules=rules), record)


def test_the_groundhog_stands_where_the_record_says() -> None:
    for number in range(30):
        record = find_record(played(2), number)
        assert (record.deal["groundhog"] in COMPOST) == ("pea" in record.deal["kinds"])
        assert [*record.deal["posts"]].count(None) == ("carrot" in record.deal["kinds"])
        assert len({*record.deal["kinds"]} & {*KINDS}) == 5
