"""Bad input: one clear message, exit status 2, no traceback, nothing written."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import veggies_sim as vs
from veggies_sim.analysis.metrics import find_metric, metrics_of
from veggies_sim.cli.main import build_parser

BAD = [
    (("--deck", "nowhere.csv"), "nowhere.csv"),
    (("--deck", "."), "folder"),
    (("--players", "5"), "2 to 4"),
    (("--players", "1"), "2 to 4"),
    (("--game", "vegies"), "veggies"),
    (("--policy", "gredy"), "greedy"),
    (("--policy", "greedy:depth=2"), "depth"),
    (("--policy", "greedy", "--policy", "random"), "3 players"),
    (("--rule", "stand=3"), "stand_size"),
    (("--rule", "stand_size=41"), "1..40"),
    (("--rule", "stand_size=2.5"), "a whole number, 1..40"),
    (("--rule", "stand_size"), "key=value"),
    (("--rule", "teams=opposite"), "4 players"),
    (("--rule", "stand_size=20"), "ramp_size + 2n + n(stand_size - 1)"),
    (("--rule", "pair=both"), "goods or groups"),
    (("--policy", "greedy,random"), "repeat the option for each: --policy greedy --policy random"),
    (("--rule", "stand_size=3,pair=goods"), "repeat the option for each: --rule stand_size=3 --rule pair=goods"),
    (("--games", "0"), "games"),
    (("--games", "-3"), "games"),
    (("--games", "many"), "whole number"),
    (("--jobs", "0"), "jobs"),
    (("--seed", "-1"), "seed"),
    (("--record", "all"), "seats"),
    (("--plays-per-deal", "0"), "plays_per_deal"),
    (("--no-such-option",), "--help"),
    (("--resume",), "no such folder"),
]


@pytest.mark.parametrize(("words", "said"), BAD, ids=[" ".join(words) for words, _ in BAD])
def test_bad_arguments(tmp_path: Path, cli, words: tuple[str, ...], said: str) -> None:
    out = tmp_path / "run"
    status, printed, err = cli("simulate", "--games", 5, "--out", out, *words)
    assert status == 2 and said in err, err
    assert "Traceback" not in err and printed == "" and not out.exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("deck map a.toml --out b --batch 3", "--batch 3 (did you mean --batches?). See: veggies-sim deck map --help"),
        ("simulate --gaems=3", "--gaems=3 (did you mean --games?). See: veggies-sim simulate --help"),
        ("deck check a.csv b.csv", "b.csv. See: veggies-sim deck check --help"),
        ("deck --xyz check a.csv", "--xyz. See: veggies-sim deck --help"),
        ("--xyz games", "--xyz. See: veggies-sim --help"),
    ],
)
def test_words_left_over_are_told_by_the_command_that_got_them(cli, words: str, said: str) -> None:
    assert cli(*words.split()) == (2, "", f"veggies-sim: unrecognized arguments: {said}\n")


def test_bad_decks(tmp_path: Path, cli) -> None:
    deck = tmp_path / "deck.csv"
    deck.write_text("id,copies,r1c1,r1c2,r1c3,r2c1,r2c2,r2c3\na,1,grape,grape,strawbery,rat,empty,\na,0,S,S,S,S,S\n")
    status, _, err = cli("simulate", "--games", 5, "--out", tmp_path / "run", "--deck", deck)
    assert status == 2 and "strawberry" in err and "deck.csv:2" in err and "deck.csv:3" in err
    assert not (tmp_path / "run").exists()
    assert cli("deck", "check", deck)[0] == 2


NOTE = "note: the shipped deck is a reconstruction: results are not those of the printed game\n"


def test_deck_check_of_a_good_deck(root: Path, cli) -> None:
    status, out, err = cli("deck", "check", root / "data" / "cards.csv")
    assert status == 0 and "cards: 40\n" in out and err == NOTE
    assert "cards needed with the default rules: 2 players 21, 3 players 30, 4 players 39\n" in out
    assert "enough for players: 2, 3, 4\n" in out and "goods that do not occur: none\n" in out
    facts = json.loads(cli("deck", "check", root / "data" / "cards.csv", "--json")[1])
    assert facts["enough for players"] == [2, 3, 4] and facts["spaces"]["rat"] == 24


def test_deck_check_says_who_can_play_and_what_lacks(tmp_path: Path, cli) -> None:
    head = "id,copies,r1c1,r1c2,r1c3,r2c1,r2c2,r2c3"
    for copies, enough in ((10, "none"), (11, "2"), (20, "2, 3, 4")):
        (tmp_path / "deck.csv").write_text(f"{head}\na,{copies},S,B,G,C,.,R\nb,{copies},R,.,C,G,B,S\n")
        status, out, err = cli("deck", "check", tmp_path / "deck.csv")
        assert (status, err) == (0, "") and f"enough for players: {enough}\n" in out
        assert "goods that do not occur: mushroom\n" in out and "equal faces: a/b\n" in out


def test_deck_check_help_tells_the_form_of_a_deck_file(cli) -> None:
    out = cli("deck", "check", "--help")[1]
    assert "id,copies,r1c1" in out and "S strawberry" in out and "2 rows x 3 columns" in out


def test_output_folders(tmp_path: Path, cli) -> None:
    play = ("simulate", "--policy", "random", "--games", 5, "--seed", 1)
    assert cli(*play, "--out", tmp_path / "run")[0] == 0
    status, _, err = cli(*play, "--out", tmp_path / "run")
    assert status == 2 and "--resume" in err and "--replace" in err
    assert cli(*play, "--out", tmp_path / "run", "--replace")[0] == 0
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("dear")
    for extra in ((), ("--replace",)):
        status, _, err = cli(*play, "--out", tmp_path / "mine", *extra)
        assert status == 2 and "letter.txt" in err
    status, _, err = cli(*play, "--out", tmp_path / "mine" / "letter.txt" / "run")
    assert status == 2 and "is a file" in err
    assert sorted(path.name for path in (tmp_path / "mine").iterdir()) == ["letter.txt"]


def test_datasets_that_are_none(tmp_path: Path, cli) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "odd").mkdir()
    for text in ("{", "[]", '{"schema": 99}', '{"schema": 1}', '{"schema": 1, "parts": 3}'):
        (tmp_path / "odd" / "run.json").write_text(text)
        for command in ("info", "rerun"):
            assert cli(command, tmp_path / "odd")[0] == 2
    for folder in ("empty", "nowhere"):
        assert cli("info", tmp_path / folder)[0] == 2


def test_dry_run_writes_nothing(tmp_path: Path, cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    status, out, _ = cli("simulate", "--policy", "random", "--games", 100000, "--dry-run")
    assert status == 0 and "MB" in out and not list(tmp_path.iterdir())


def test_a_run_says_its_conditions(tmp_path: Path, cli) -> None:
    play = ("simulate", "--policy", "random", "--games", 5)
    err = cli(*play, "--players", 4, "--out", tmp_path / "run")[2]
    assert "Veggies, 4 players; sides: seats 0+2 against 1+3; rules: stand_size=8, " in err and NOTE in err
    (tmp_path / "deck.csv").write_text((tmp_path / "run" / "deck.csv").read_text().replace("v01", "first"))
    err = cli(*play, "--players", 2, "--deck", tmp_path / "deck.csv", "--dry-run")[2]
    assert "Veggies, 2 players; rules: " in err and "announced=2" in err and "sides" not in err
    assert "made from the shipped deck" in err


def test_info_in_words_and_as_json(tmp_path: Path, cli) -> None:
    out = tmp_path / "run"
    cli("simulate", "--policy", "greedy", "--policy", "random", "--players", 2, "--games", 5, "--seed", 1, "--out", out)
    said = cli("info", out)[1]
    assert "the one that ships" in said and NOTE.split(": ", 1)[1] in said and "greedy at seat 0, random at seat 1" in said
    assert re.search(r"strawberry_largest +UInt8 ", said) and "cast(pl.Int32)" in said
    facts = json.loads(cli("info", out, "--json")[1])
    assert facts["run"]["rows"] == {"seats": 10} and "parts" not in facts["run"]
    assert facts["columns"]["seats"][0] == {"name": "game", "type": "UInt64", "doc": "number of the game"}


def test_replay_takes_steps_from_the_end_and_makes_folders(tmp_path: Path, cli) -> None:
    out = tmp_path / "run"
    cli("simulate", "--policy", "random", "--players", 2, "--games", 5, "--seed", 1, "--out", out)
    shown = [cli("replay", out, "--game", 3, "--step", step)[1] for step in ("last", -1, 16)]
    assert shown[0] == shown[1] == shown[2] and "== the end" in shown[0]
    for step, said in ((17, "steps 0..16"), (-18, "steps 0..16"), ("lst", "a whole number or last")):
        status, _, err = cli("replay", out, "--game", 3, "--step", step)
        assert status == 2 and said in err
    assert cli("replay", out, "--game", 3, "--format", "svg", "--out", tmp_path / "a" / "b" / "x.svg")[0] == 0
    assert (tmp_path / "a" / "b" / "x.svg").read_text().startswith("<svg")
    assert cli("replay", out, "--game", 3, "--out", out / "run.json" / "x.svg")[0] == 2


def test_games_lists_the_metrics_that_other_commands_take(cli) -> None:
    said, keys = cli("games")[1], metrics_of(vs.Veggies(3))
    for metric in keys.values():
        assert f"    {metric.key}: {metric.title}  [{metric.unit}" in said
    (facts,) = (game for game in json.loads(cli("games", "--json")[1]) if game["id"] == "veggies")
    assert [metric["key"] for metric in facts["metrics"]] == [*keys]
    for command in ("simulate", "compare", "sweep"):
        assert re.search(r"metrics?:?\s+\(?see\s+`games`", cli(command, "--help")[1]), command


def test_games_and_policies_of_one_game(cli) -> None:
    for command, key in (("games", "id"), ("policies", "game")):
        every, one = (json.loads(cli(command, *words, "--json")[1]) for words in ((), ("--game", "veggie-garden")))
        assert one == [facts for facts in every if facts[key] == "veggie-garden"] and 0 < len(one) < len(every)
        said = cli(command, "--game", "veggie-garden")[1]
        assert said.startswith("veggie-garden") and "\nveggies" not in said and said in cli(command)[1]
        status, out, err = cli(command, "--game", "vegies")
        assert (status, out) == (2, "") and "Did you mean 'veggies'" in err
    status, out, err = cli("policies", "--game", "veggie-garden", "tune", "--policy", "heuristic")
    assert (status, out) == (2, "") and "policies tune --game" in err


def test_a_title_leads_to_the_key_of_its_metric() -> None:
    metrics = metrics_of(vs.Veggies(3))
    for metric in metrics.values():
        if metric.title not in metrics:
            with pytest.raises(vs.InputError, match=f"Did you mean '{metric.key}'"):
                find_metric(metrics, metric.title.capitalize())


def test_help_names_every_default(cli) -> None:
    status, out, _ = cli("simulate", "--help")
    assert status == 0 and "default" in out


def test_without_a_command_there_is_help(cli) -> None:
    for words, said in (((), "simulate"), (("deck",), "check")):
        status, out, err = cli(*words)
        assert (status, out) == (2, "") and "usage: " in err and f"\n    {said} " in err


def test_an_unknown_command_names_the_nearest(cli) -> None:
    for word, said in (("simulat", "'simulate'"), ("check", "'deck check'")):
        status, _, err = cli(word, "x")
        assert status == 2 and f"unknown command '{word}'. Did you mean {said}? Valid: simulate, " in err


def test_every_command_and_argument_has_its_help() -> None:
    def parsers(parser):
        below = parser.below.choices.values() if parser.below else []
        return [parser, *(found for inner in below for found in parsers(inner))]

    found = parsers(build_parser())
    assert len(found) >= 15
    for parser in found:
        assert parser.description
        assert [action.dest for action in parser._actions if not action.help and action is not parser.below] == []
