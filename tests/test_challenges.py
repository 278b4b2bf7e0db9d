"""Challenges: what conditions mean, what they refuse, and how often they are met."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from toy_game import HighSum

import veggies_sim as vs
from veggies_sim.analysis.challenges import ALL, challenges, names_of, read_challenges
from veggies_sim.analysis.conditions import condition
from veggies_sim.core.dataset import Run
from veggies_sim.games.veggies.deck import GOODS
from veggies_sim.plots.challenges import chances


@pytest.fixture(scope="module")
def run() -> Run:
    return vs.simulate(vs.Veggies(3), ["random", "sampled", "random"], 600, seed=3)


def met(run: Run, text: str) -> list[bool]:
    return run.seats.with_columns(met=condition(text, names_of(run), "here"))["met"].to_list()


def test_conditions_mean_what_python_means_by_them(run: Run) -> None:
    texts = [
        "rats == 0", "rats != 2 and score > 10", "not rats == 0 or score <= -3.5", "(rats == 0 or rats == 1) and not grape_scored",
        "announced == 'grape'", 'announced_2 == "carrot"', 'announced != "grape"', "not announced == announced_2",
        "3 < score <= 12 < 13",
        "grape_scored == True", "grape_scored", "not grape_scored != carrot_scored", "grape_largest > carrot_largest", "+1 == 1",
        "score >= 1_000", "rats < 300", "rats > -1", "win > 0.3", "margin == -0", "max_group >= 6 and groups < 14",
        "goods_present == 5", "goods_scored == 2", "max_product > 12", "policy == 'sampled'", "seat == 1  # the middle one",
    ]  # fmt: skip
    rows = run.seats.to_dicts()
    for row in rows:  # the measures once more, in plain Python
        largest, groups = ([row[f"{good}_{what}"] for good in GOODS] for what in ("largest", "groups"))
        row |= {"max_group": max(largest), "groups": sum(groups), "goods_present": sum(each > 0 for each in largest)}
        row |= {"goods_scored": sum(row[f"{good}_scored"] for good in GOODS)}
        row |= {"max_product": max(a * b for a, b in zip(largest, groups, strict=True))}
    for text in texts:
        names = compile(text, "", "eval").co_names  # a missing value meets none of these
        assert met(run, text) == [all(row[name] is not None for name in names) and eval(text, {}, row) for row in rows], text
    assert sum(met(run, texts[0])) not in (0, len(rows))


def test_a_condition_on_a_missing_value_is_not_met_nor_is_its_opposite() -> None:
    empty = vs.Deck([vs.games.veggies.Card("a", (("empty",) * 3,) * 2, 40)])  # type: ignore[arg-type]
    run = vs.simulate(vs.Veggies(3, deck=empty), "random", 10, seed=1)
    for text in ('announced == "grape"', 'announced != "grape"', "announced == announced_2"):
        assert not any(met(run, text)) and not any(met(run, f"not ({text})")), text
        assert all(met(run, f"{text} or rats == 0")) and all(met(run, f"not ({text} and rats > 0)")), text


def test_ways_to_say_the_same_of_a_kind_that_may_not_be_in_play_agree() -> None:
    run = vs.simulate(vs.VeggieGarden(3), "random", 300, seed=1)
    held = run.seats["tomato_held"].to_list()
    none = [count == 0 for count in held]
    assert None in held and sum(none) > 0
    for text in ("tomato_held == 0", "not tomato_held > 0", "not tomato_held != 0", "not (tomato_held > 0 or score < -99)"):
        assert met(run, text) == none, text
    assert met(run, "tomato_held != 0") == [count is not None and count > 0 for count in held]


HOSTILE = [
    ("__import__('os').system('x')", 1, "nothing that a condition can hold"),
    ("score.__class__ == 1", 1, "nothing that a condition can hold"),
    ("rats == 0 and (lambda: 1)()", 15, "nothing that a condition can hold"),
    ("score > [1][0]", 9, "nothing that a condition can hold"),
    ("score > 2 ** 99999999", 9, "nothing that a condition can hold"),
    ("score + 1 > 2", 1, "nothing that a condition can hold"),
    ("(x := 3) > 2", 2, "nothing that a condition can hold"),
    ("f'{score}' == 'a'", 1, "nothing that a condition can hold"),
    ("score > --1", 9, "nothing that a condition can hold"),
    ("score > -'a'", 9, "nothing that a condition can hold"),
    ("1 if score > 2 else 3", 1, "nothing that a condition can hold"),
    ("score > 1" + "0" * 400, 9, "too large"),
    ("score > 1e999", 9, "too large"),
    ("score > 1j", 9, "no value"),
    ("announced == b'grape'", 14, "no value"),
    ("announced == None", 14, "no value"),
    ("score > ...", 9, "no value"),
    ("score is 3", 10, "compared by"),
    ("announced in 'grape'", 14, "compared by"),
    ("skore > 3", 1, "Did you mean 'score'"),
    ("rats == 0 or max_grup > 3", 14, "Did you mean 'max_group'"),
    ("'ßß' == 'x' and skore > 3", 17, "Did you mean 'score'"),
    ("announced == 'grap'", 14, "Did you mean 'grape'"),
    ("announced == 3", 14, "is a number, what stands before it is a word"),
    ("score == '3'", 10, "is a word, what stands before it is a number"),
    ("score == True", 10, "is a yes or no"),
    ("announced > 'grape'", 13, "only numbers have an order"),
    ("rats == 0 and score", 15, "compare it with something"),
    ("not 'grape'", 5, "compare it with something"),
    ("not " * 30 + "grape_scored", 81, "nested more than 20 deep"),
    ("score >", 7, "can't be read"),
    ("score > 3; import os", 10, "can't be read"),
    ("score > 'a", 9, "can't be read"),
    ("import os", 1, "can't be read"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "place", "said"), HOSTILE, ids=[text[:25] for text, _, _ in HOSTILE])
def test_what_is_no_condition_is_refused_with_its_place(run: Run, text: str, place: int, said: str) -> None:
    with pytest.raises(vs.InputError) as refused:
        challenges(run, {"mine": text})
    words = str(refused.value)
    assert words.startswith(f"challenge 'mine', character {place}: ") and said in words and "\n" not in words, words


@pytest.mark.parametrize("text", ["", "  ", 3, None, ["rats == 0"], "a" * 1001, "rats == 0 or\nscore > 3", "score\0> 3", "(" * 500,
                                  "-" * 999 + "1", "not " * 249 + "1", "~" * 900 + "score"])  # fmt: skip
def test_texts_that_are_hardly_conditions(run: Run, text: object) -> None:
    with pytest.raises(vs.InputError, match="challenge 'mine'"):
        challenges(run, {"mine": text})  # type: ignore[dict-item]


@pytest.mark.parametrize("table", [{}, {1: "rats == 0"}, dict.fromkeys(map(str, range(101)), "rats == 0"), 5, ["rats == 0"]])
def test_tables_that_are_none(run: Run, table: object) -> None:
    with pytest.raises(vs.InputError, match="challenges: found"):
        challenges(run, table)  # type: ignore[arg-type]


def test_files(tmp_path: Path, run: Run) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('[challenges]\n"no rats" = "rats == 0"\nmany = \'policy == "random" and score > 20\'\n')
    assert read_challenges(file) == {"no rats": "rats == 0", "many": 'policy == "random" and score > 20'}
    assert challenges(run, str(file)).equals(challenges(run, read_challenges(file)))
    for text, said in (
        ("[challenge]\na = 'rats == 0'", "Did you mean 'challenges'"),
        ("challenges = 3", "1 to 100 lines"),
        ("", "1 to 100 lines"),
        ("a = ", "no TOML"),
        ("[challenges]\na = 3", "challenge 'a': found 3"),
        ("[challenges.a]\nb = 'rats == 0'", "found {'b'"),
    ):
        file.write_text(text)
        with pytest.raises(vs.InputError, match=said):
            challenges(run, file)
    with pytest.raises(vs.InputError, match="can't be read"):
        challenges(run, tmp_path / "none.toml")


def test_chances_of_each_policy_and_of_all(run: Run) -> None:
    found = challenges(run, {"no rats": "rats == 0", "^sure$": "score > -1000", "never": "score > 1000"})
    assert found["challenge"].to_list() == ["no rats"] * 3 + ["^sure$"] * 3 + ["never"] * 3
    assert found["policy"].to_list() == [ALL, "random", "sampled"] * 3 and found["rows"].to_list() == [1800, 1200, 600] * 3
    rows = run.seats.with_columns(met=pl.col("rats") == 0)
    assert found["chance"][:3].to_list() == pytest.approx(
        [rows["met"].mean(), *(rows.filter(policy=each)["met"].mean() for each in ("random", "sampled"))]
    )
    deals = rows.group_by("game").agg(pl.col("met").cast(pl.Float64).mean())["met"].to_numpy()
    assert found["error"][0] == pytest.approx(np.std(deals, ddof=1) / np.sqrt(len(deals)))  # the game is the unit
    assert (found["low"] <= found["chance"]).all() and (found["chance"] <= found["high"]).all()
    assert (
        found["chance"][3:].to_list() == [1.0] * 3 + [0.0] * 3 and (found["low"][3:6] < 1).all() and (found["high"][6:] > 0).all()
    )
    assert challenges(run, {"a": "rats == 0"}, by="seat")["seat"].to_list() == [ALL, "0", "1", "2"]
    with pytest.raises(vs.InputError, match="unknown by 'rat'"):
        challenges(run, {"a": "rats == 0"}, by="rat")


def test_any_game_has_challenges() -> None:
    run = vs.simulate(HighSum(2), games=200, seed=1)
    found = challenges(run, {"high": "best_card == 40", "both": "best_card == 40 and score > 150"})
    assert found["policy"].to_list() == ["blind"] * 2 and found["low"][0] < 5 / 40 < found["high"][0]
    assert 0 < found["chance"][1] < found["chance"][0]
    with pytest.raises(vs.InputError, match="10 deals"):
        challenges(vs.simulate(HighSum(2), games=9, seed=1), {"a": "score > 3"})


def test_the_picture_shows_every_row(run: Run) -> None:
    frame = challenges(run, {"no rats": "rats == 0", "much": "score > 20"})
    ax = chances(frame, title="A")
    assert [label.get_text() for label in ax.get_yticklabels()] == ["no rats", "much"]
    drawn = [(x, y) for bars in ax.containers for x, y in zip(bars[0].get_xdata(), bars[0].get_ydata(), strict=True)]  # type: ignore[attr-defined]
    assert sorted(x for x, _ in drawn) == sorted(frame["chance"]) and len({y for _, y in drawn}) == 6
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [ALL, "random", "sampled"]  # type: ignore[union-attr]
    assert chances(frame.filter(policy="random"), ax=ax) is ax
