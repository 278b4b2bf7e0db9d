"""The batch script: datasets, tables and a picture; twice is safe; wrong values are refused in one line."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest
import rat_sweep

import veggies_sim as vs

SMALL = ["--rats", "0", "24", "48", "--policy", "random", "--policy", "sampled", "--games", "30", "--jobs", "1"]


def test_twice_is_safe_and_more_games_go_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "sweep"
    assert rat_sweep.main([*SMALL, "--out", str(out)]) == 0
    first = {path.relative_to(out): path.read_bytes() for path in out.rglob("*.csv")}
    said = capsys.readouterr().out
    assert "reconstruction" in said and (out / "score.png").read_bytes().startswith(b"\x89PNG")
    table = pl.read_csv(out / "levels.csv")
    assert table.select("policy", "rats_in_deck").unique().height == 6
    run = vs.open_dataset(out / "random" / "48-rats")
    mean = table.filter(policy="random", rats_in_deck=48, metric="score")["value"][0]
    assert run.seats["score"].mean() == pytest.approx(mean) and run.game.setup.counts()["rat"] == 48
    per_rat = pl.read_csv(out / "per_rat.csv")
    assert per_rat.filter(metric="score")["slope"].max() < 0
    for each in (table, per_rat):
        assert each.select("games", "deals").unique().rows() == [(30, 30)]
    assert rat_sweep.main([*SMALL, "--out", str(out)]) == 0
    assert first == {path.relative_to(out): path.read_bytes() for path in out.rglob("*.csv")}
    assert "already complete" in capsys.readouterr().err
    assert rat_sweep.main([*SMALL, "--games", "40", "--out", str(out)]) == 0
    assert vs.open_dataset(out / "random" / "48-rats").manifest.games == 40
    assert rat_sweep.main([*SMALL, "--seed", "2", "--out", str(out)]) == 2
    assert "another run" in capsys.readouterr().err


def test_against_others_the_win_share_is_told(tmp_path: Path) -> None:
    words = ["--rats", "0", "48", "--policy", "sampled", "--against", "random", "--games", "30", "--jobs", "1"]
    assert rat_sweep.main([*words, "--out", str(tmp_path / "a")]) == 0
    share = pl.read_csv(tmp_path / "a" / "levels.csv").filter(metric="named_win")["value"]
    assert len(share) == 2 and share.min() > 1 / 3


@pytest.mark.parametrize("words", [["--rats", "24"], ["--rats", "0", "61"], ["--policy", "nobody"], ["--players", "5"]])
def test_wrong_values_are_refused_before_anything_is_written(tmp_path: Path, words: list[str], capsys) -> None:
    assert rat_sweep.main([*words, "--games", "30", "--out", str(tmp_path / "x")]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1 and not (tmp_path / "x").exists()


def test_help(root: Path) -> None:
    done = subprocess.run([sys.executable, root / "scripts" / "rat_sweep.py", "--help"], capture_output=True, text=True)
    assert done.returncode == 0 and "--against" in done.stdout
