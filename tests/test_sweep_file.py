"""What a sweep's file may say: every fault in one message, no way out of its folder, and the arms it stands for."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from toy_skill import OpenSum

from veggies_sim.analysis.sweep_file import KEYS, beside, read_plan
from veggies_sim.cli.sweep import example
from veggies_sim.core import registry
from veggies_sim.core.errors import InputError
from veggies_sim.core.policy import policy_of_file

CARDS = Path(__file__).parents[1] / "data" / "cards.csv"


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_GAMES", dict(registry._GAMES))
    registry.register(OpenSum)


def written(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


HOSTILE = [
    ("games = ", "no TOML"),
    ("game = 3", "game: found 3"),
    ('game = "chess"', "unknown game"),
    ("geams = 3", "Did you mean 'games'"),
    ("games = 0", "games: found 0"),
    ("games = 1e4", "games: found 10000.0"),
    ('games = "many"', "games: found"),
    ("games = true", "games: found True"),
    ("games = 9", "too few for intervals"),
    ("games = 20\nplays_per_deal = 3", "Give 30 (10 deals)"),
    ("games = 99999999999999999999", "games: found"),
    ("seed = -1", "seed: found -1"),
    ("seed = 2020-01-01", "seed: found"),
    ('record = "all"', "record"),
    ("rotate_seats = 1", "rotate_seats"),
    ("players = []", "1 to 1,000"),
    ("players = [3, 3]", "twice"),
    ("players = [5]", "players"),
    ("players = [2, [3]]", "players"),
    ("players = {a = 2}", "players"),
    ("policies = [1]", "policies: found 1"),
    ("policies = [[]]", "1 to 1,000"),
    ('policies = ["peek", "peek", "drop"]', "One policy per seat is a list in the list"),
    ('policies = ["peek:budget=1", "peek"]', "twice"),
    ('policies = ["peep"]', "Did you mean 'peek'"),
    ('policies = ["py:os:system"]', "own code"),
    ('policies = [["peek", " py:os:system:x=1"]]', "own code"),
    ('policies = ["PY:os:system"]', "unknown policy"),
    ('policies = [["peek", "drop"]]', "2 policies for 3 players"),
    ("rules = 3", "rules: found 3"),
    ("rules = [3]", "rules: found 3"),
    ("rules = []", "1 to 1,000"),
    ("rules = {cards = []}", "1 to 1,000"),
    ("rules = {crads = 3}", "Did you mean 'cards'"),
    ("rules = {cards = 5}", "20..200"),
    ("rules = {cards = [20, 20]}", "twice"),
    ("rules = {cards = nan}", "cards"),
    ("rules = {cards = {a = 1}}", "cards"),
    ("rules = [{cards = [20, 30]}]", "cards"),
    (f"rules = {{cards = {[*range(20, 200)]}, {', '.join(f'x{n} = [1, 2]' for n in range(60))}}}", "more than 1,000 combinations"),
    (f"players = [2, 3, 4]\nrules = {{cards = {[*range(20, 200)]}}}\npolicies = ['peek', 'drop']", "1,080 arms"),
    ("decks = 3", "decks: found 3"),
    ("decks = {}", "1 to 1,000"),
    ("decks = {a = 3}", "decks, a: found 3"),
    ('decks = {a = ""}', "decks, a: found ''"),
    ('decks = {a = "x.csv"}', "no set-up file"),
    ('decks = {"=cmd()" = "shipped"}', "the name '=cmd()'"),
    ('decks = {"../../x" = "shipped"}', "the name"),
    ('decks = {"a\\u001b[2J" = "shipped"}', "the name"),
    (f'decks = {{{"a" * 41} = "shipped"}}', "the name"),
    ('decks = {a = "a\\u0000b"}', "no name that a file can have"),
    ("decks = " + "[" * 5000 + "]" * 5000, "nested too deep"),
]


@pytest.mark.parametrize(("text", "said"), HOSTILE, ids=[text[:50] for text, _ in HOSTILE])
def test_files_that_are_wrong(tmp_path: Path, cli, text: str, said: str) -> None:
    game = "" if text.startswith("game =") else 'game = "open-sum"\n'
    file = written(tmp_path / "bad.toml", game + text)
    status, out, err = cli("sweep", file, "--out", tmp_path / "out")
    assert status == 2 and out == "" and said in err and "bad.toml" in err and len(err.splitlines()) == 1, err
    assert len(err) < 1000 and [path.name for path in tmp_path.iterdir()] == ["bad.toml"]


OUTSIDE = ["/etc/passwd", "../cards.csv", "a/../../cards.csv", "a\\..\\..\\cards.csv", "C:\\cards.csv", "C:cards.csv",
           "\\cards.csv", "//host/share/cards.csv", "link.csv", "linked/cards.csv", "loop"]  # fmt: skip


@pytest.mark.parametrize("name", OUTSIDE)
def test_a_file_names_no_files_outside_of_its_folder(tmp_path: Path, cli, name: str) -> None:
    folder = tmp_path / "sent"
    (folder / "a").mkdir(parents=True)
    shutil.copy(CARDS, tmp_path)
    (folder / "link.csv").symlink_to(tmp_path / "cards.csv")
    (folder / "linked").symlink_to(tmp_path)
    (folder / "loop").symlink_to("loop")
    file = written(folder / "s.toml", f"games = 20\npolicies = 'random'\ndecks = {{x = {json.dumps(name)}}}\n")
    status, _, err = cli("sweep", file, "--out", tmp_path / "out")
    assert status == 2 and "is not beside or below s.toml" in err and "copy the file there" in err, err
    assert not (tmp_path / "out").exists()


def test_files_beside_and_below_are_found_from_anywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cli) -> None:
    (tmp_path / "sent" / "decks").mkdir(parents=True)
    shutil.copy(CARDS, tmp_path / "sent" / "decks" / "my..cards.csv")
    written(tmp_path / "sent" / "s.toml", "games = 20\npolicies = 'random'\ndecks = {x = './decks/my..cards.csv'}\n")
    for start, word in ((tmp_path, "sent/s.toml"), (tmp_path / "sent", "s.toml")):
        monkeypatch.chdir(start)
        assert beside(Path(word), "decks/x", "deck") == Path(word).parent / "decks/x"
        assert cli("sweep", word)[0] == 0 and (start / "results" / "s" / "sweep.csv").exists()
        assert cli("sweep", word)[0] == 0  # again, in the same relative folder


def test_all_arms_that_are_refused_are_told_at_once(tmp_path: Path, cli) -> None:
    text = "policies = 'random'\nplayers = [2, 3, 4]\nrules = {stand_size = [8, 9, 10]}\n"
    status, _, err = cli("sweep", written(tmp_path / "s.toml", text), "--out", tmp_path / "out")
    assert status == 2 and "2 of 9 arms can't be played" in err and err.count("players need") == 2
    assert "arm 8 (deck shipped, policies random, players 4, stand_size 9)" in err and not (tmp_path / "out").exists()
    many = f"policies = 'random'\nplayers = 4\nrules = {{stand_size = {[*range(9, 40)]}}}\n"
    assert "and 21 more" in cli("sweep", written(tmp_path / "s.toml", many), "--out", tmp_path / "out")[2]


def test_combinations_one_by_one(tmp_path: Path) -> None:
    plan = read_plan(written(tmp_path / "s.toml", "[[rules]]\nrat_penalty = 1\n[[rules]]\nrat_penalty = 3\nramp_size = 4\n"))
    assert [plan.name(arm) for arm in plan.arms] == ["rat_penalty 1, ramp_size 3", "rat_penalty 3, ramp_size 4"]
    assert [arm.game.rules["announced"] for arm in plan.arms] == [1, 1]


def test_folder_names_are_made_by_us(tmp_path: Path) -> None:
    decks = {"Żółty kot. (2)": "shipped", "CON": "shipped", "x" * 40: "shipped", "猫": "shipped"}
    plan = read_plan({"game": "open-sum", "decks": decks, "policies": ["peek:budget=2,mood=wild", ["peek", "drop", "drop"]]})
    for number, arm in enumerate(plan.arms, 1):
        assert re.fullmatch(rf"{number:03d}(-[a-z0-9]+)*", plan.folder(arm)) and len(plan.folder(arm)) <= 64
    assert len({plan.folder(arm) for arm in plan.arms}) == 8


def test_the_example_of_the_help_is_a_good_file(tmp_path: Path, cli) -> None:
    status, out, _ = cli("sweep", "--help")
    assert status == 0 and example().strip() in out
    (tmp_path / "decks").mkdir()
    shutil.copy(CARDS, tmp_path / "decks" / "mine.csv")
    text = example().partition("\n")[2]
    status, out, err = cli("sweep", written(tmp_path / "s.toml", text), "--out", tmp_path / "out", "--dry-run")
    assert status == 0 and "16 arms of 2,000 games, seed 1" in out and "32,000 games are to be played" in err, err
    assert not (tmp_path / "out").exists()
    plan = read_plan(tmp_path / "s.toml")
    words = {*re.findall(r"^\[?(\w+)\]? *(?:=|  )", text, re.M)}
    assert words == {*KEYS, "printed", "mine"} | words & {*plan.kind(3).rules}


def test_a_policy_that_is_wrong_is_told_by_its_key() -> None:
    kinds = OpenSum.policies
    for name, said in ((3, "against: found 3; give a text"), ("py:os:system", "against: 'py:os:system' is own code")):
        with pytest.raises(InputError, match=f"^{said}"):
            policy_of_file(name, kinds, OpenSum.id, "against")
        with pytest.raises(InputError, match=r"^policies: "):
            policy_of_file(name, kinds, OpenSum.id)
