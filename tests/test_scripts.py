"""The scripts that people copy: each runs, runs again without playing again, and says in one message what is wrong."""

from __future__ import annotations

import argparse
import importlib
import shutil
import sys
from pathlib import Path

import nightly_balance
import polars as pl
import policy_study
import pytest

import veggies_sim as vs
from veggies_sim.core import runner

CARDS = Path(__file__).parents[1] / "data" / "cards.csv"
TINY = {
    nightly_balance: ["mine.csv", "--policy", "random", "--games", "40", "--players", "2", "4"],
    policy_study: ["--policy", "random", "sampled", "--games", "60", "--steps", "1", "--players", "2"],
}
TINY = {script: [*words, "--jobs", "1", "--out", "out"] for script, words in TINY.items()}


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copy(CARDS, tmp_path / "mine.csv")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def files(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file() and path.name != "run.json"}


@pytest.mark.parametrize("script", TINY, ids=lambda script: script.__name__)
def test_a_script_runs_twice(script, here: Path, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    assert script.main(TINY[script]) == 0
    assert vs.Veggies.setup_note in capsys.readouterr().out
    before = files(here)
    monkeypatch.setattr(runner.Plan, "play", None)  # playing again would fail
    assert script.main(TINY[script]) == 0
    assert files(here) == before


@pytest.mark.parametrize("script", TINY, ids=lambda script: script.__name__)
def test_a_script_explains_itself(script, capsys) -> None:
    with pytest.raises(SystemExit) as leave:
        script.main(["--help"])
    assert leave.value.code == 0 and script.__doc__.splitlines()[0] in capsys.readouterr().out


SCRIPTS = sorted(path.stem for path in Path(policy_study.__file__).parent.glob("*.py"))


@pytest.mark.parametrize("name", SCRIPTS)
def test_every_argument_of_every_script_has_its_help(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[object, ...]] = []

    def noted(self, *names: object, **how: object) -> None:
        seen.append(names)
        assert how.get("help") or names[:2] == ("-h", "--help"), names
        return add(self, *names, **how)

    script, add = importlib.import_module(name), argparse.ArgumentParser.add_argument
    monkeypatch.setattr(argparse.ArgumentParser, "add_argument", noted)
    monkeypatch.setattr(sys, "argv", [name, "--help"])
    with pytest.raises(SystemExit):
        script.main()
    assert len(seen) > 1


def test_tables_of_scripts_are_for_people(here: Path, capsys) -> None:
    policy_study.main(TINY[policy_study])
    said = capsys.readouterr().out
    assert "looks from .. to  win share" in said and "\n1 to 2 " in said and "┌" not in said
    nightly_balance.main([*TINY[nightly_balance][:-1], "balance"])
    assert "of 20 such intervals about 1" in (here / "balance" / "balance.md").read_text()


BAD = [
    (nightly_balance, ["none.csv"], "none.csv"),
    (nightly_balance, ["mine.csv", "mine.csv"], "another deck is called mine"),
    (nightly_balance, ["--policy", "gredy"], "Did you mean 'greedy'"),
    (nightly_balance, ["--games", "5"], "too few"),
    (nightly_balance, ["--players", "5"], "players"),
    (policy_study, ["--policy", "random"], "two or more"),
    (
        policy_study,
        ["--option", "loks", "--policy", "random", "sampled", "--games", "60", "--players", "2"],
        "Did you mean 'looks'",
    ),
    (policy_study, ["--players", "9"], "players"),
]


@pytest.mark.parametrize(("script", "words", "said"), BAD, ids=[f"{words}" for _, words, _ in BAD])
def test_a_script_says_what_is_wrong(script, words: list[str], said: str, here: Path, capsys) -> None:
    assert script.main([*words, "--jobs", "1"]) == 2
    err = capsys.readouterr().err
    assert said in err and "Traceback" not in err and not [*here.glob("results/*/*")], err


def test_other_settings_in_the_same_folder_are_refused(capsys) -> None:
    for script, words in TINY.items():
        assert script.main([*words[:-1], script.__name__]) == 0
        assert script.main([*words[:-1], script.__name__, "--seed", "2"]) == 2
        assert "other settings" in (err := capsys.readouterr().err) or "another sweep: seed: 1 there, 2 here" in err


def test_the_balance_is_that_of_the_datasets(here: Path) -> None:
    nightly_balance.main(TINY[nightly_balance])
    table = pl.read_csv(here / "out" / "balance.csv")
    assert table.select("deck", "players").rows() == [("shipped", 2), ("shipped", 4), ("mine", 2), ("mine", 4)]
    runs = [vs.open_dataset(folder) for folder in sorted((here / "out" / "arms").iterdir())]
    for run, row in zip(runs, table.iter_rows(named=True), strict=True):
        seat = run.seats.filter(seat=1)
        assert row["score"] == pytest.approx(run.seats["score"].cast(pl.Float64).mean())
        assert row["seat_1_over_par"] == pytest.approx(seat["win"].cast(pl.Float64).mean() - 0.5)  # four play in two teams
        assert row["score_low"] < row["score"] < row["score_high"] and (row["seat_3_over_par"] is None) == (row["players"] == 2)
    text = (here / "out" / "balance.md").read_text()
    assert text.count("\n|") == 6 and "| mine | 4 | 40 |" in text
