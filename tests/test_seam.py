"""The seam: a toy game goes through runner, recorder, replay and command line by registration alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from toy_game import HighSum

import veggies_sim as vs
from veggies_sim.core import registry


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_GAMES", dict(registry._GAMES))
    registry.register(HighSum)


def test_toy_game_has_under_80_lines() -> None:
    assert len((Path(__file__).parent / "toy_game.py").read_text().splitlines()) < 80


def test_toy_game_through_the_command_line(tmp_path: Path, cli) -> None:
    out = tmp_path / "run"
    status, _, err = cli("simulate", "--game", "high-sum", "--games", 50, "--seed", 4, "--record", "moves", "--out", out)
    assert status == 0, err
    run = vs.open_dataset(out)
    drawn = run.moves.group_by("game", "seat").agg(total=vs_sum("card")).sort("game", "seat")
    assert drawn["total"].to_list() == run.seats["score"].to_list()
    assert run.seats.group_by("game").agg(vs_sum("win"))["win"].to_list() == [1.0] * 50
    assert "best_card" in cli("info", out)[1]
    assert "seat 2" in cli("replay", out, "--game", 7)[1]
    assert "<svg" in cli("replay", out, "--game", 7, "--format", "html")[1]
    assert "High Sum" in cli("games")[1] and "blind" in cli("policies")[1]


def test_toy_game_refuses_a_deck_file(tmp_path: Path, cli) -> None:
    status, _, err = cli("simulate", "--game", "high-sum", "--deck", "x.csv", "--out", tmp_path / "run")
    assert status == 2 and "no set-up file" in err and not (tmp_path / "run").exists()


def test_toy_game_replays_without_recorded_moves() -> None:
    from veggies_sim.core.replay import find_record

    run = vs.simulate(HighSum(3), games=20, seed=9)
    assert len(find_record(run, 11).moves) == 15


def vs_sum(column: str):
    import polars as pl

    return pl.col(column).cast(pl.Float64).sum()
