"""Bad input: one clear message, exit status 2, no traceback, nothing written."""

from __future__ import annotations

from pathlib import Path

import pytest

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
    (("--rule", "stand_size=2.5"), "whole number"),
    (("--rule", "stand_size"), "key=value"),
    (("--rule", "teams=opposite"), "4 players"),
    (("--rule", "stand_size=20"), "ramp_size + 2n + n(stand_size - 1)"),
    (("--rule", "pair=both"), "goods or groups"),
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


def test_bad_decks(tmp_path: Path, cli) -> None:
    deck = tmp_path / "deck.csv"
    deck.write_text("id,copies,r1c1,r1c2,r1c3,r2c1,r2c2,r2c3\na,1,grape,grape,strawbery,rat,empty,\na,0,S,S,S,S,S\n")
    status, _, err = cli("simulate", "--games", 5, "--out", tmp_path / "run", "--deck", deck)
    assert status == 2 and "strawberry" in err and "deck.csv:2" in err and "deck.csv:3" in err
    assert not (tmp_path / "run").exists()
    assert cli("deck", "check", deck)[0] == 2


def test_deck_check_of_a_good_deck(root: Path, cli) -> None:
    status, out, _ = cli("deck", "check", root / "data" / "cards.csv")
    assert status == 0 and "cards: 40" in out


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


def test_help_names_every_default(cli) -> None:
    status, out, _ = cli("simulate", "--help")
    assert status == 0 and "default" in out
