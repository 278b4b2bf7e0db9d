"""`policies tune`: finds a known optimum, finds nothing where there is nothing to find, and says what was wrong."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from toy_weights import Weigh

from veggies_sim.cli import tune as command
from veggies_sim.core import registry
from veggies_sim.core.runner import simulate
from veggies_sim.policies import tune as module
from veggies_sim.policies.tune import Effort, Tuned, objective, tune

BEST = -2 / 3  # of b where a stays 1: a move earns 3 a - 2 b
SMALL = Effort(10, 8, 150, 1200)


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_GAMES", dict(registry._GAMES))
    registry.register(Weigh)


def gain(found: Tuned) -> tuple[float, float, float]:
    """Return how much more the tuned policy wins than the start, with the ends of the interval."""
    assert found.differences is not None
    row = found.differences.row(0, named=True)
    ends = row["win_share"], row["win_low"], row["win_high"]
    return ends if row["policy"] == found.policy else (-ends[0], -ends[2], -ends[1])


@pytest.mark.parametrize(("start", "seed"), [("heuristic", 1), ("heuristic:b=2", 2), ("heuristic:a=3,b=6", 3)])
def test_the_known_optimum_is_found(start: str, seed: int) -> None:
    found = tune(Weigh(2), start, ["heuristic:b=-0.4"], ["b"], effort=SMALL, seed=seed, jobs=1)
    a = 3 if "a=3" in start else 1
    assert found.kept == "a" and list(found.weights) == ["b"]
    assert found.weights["b"] / a == pytest.approx(BEST, abs=0.15) and found.policy.endswith(f"b={found.weights['b']:g}")
    assert gain(found)[1] > 0.05 and (found.choice, found.verdict) == (found.policy, "better than the start")


def test_the_verdict_needs_an_interval_without_0() -> None:
    found = tune(Weigh(2), "heuristic:b=-0.66", ["heuristic"], ["b"], effort=Effort(1, 4, 20, 40), seed=1, jobs=1)
    assert found.choice == found.policy and found.verdict.startswith("not shown to be better than the start")
    assert gain(found)[1] <= 0 <= gain(found)[2]


def test_where_nothing_is_better_nothing_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Negative control: with values that were shuffled among the candidates the search must stray."""
    random = np.random.default_rng(1)
    monkeypatch.setattr(module, "objective", lambda played: random.permutation(objective(played)))
    found = [tune(Weigh(2), "heuristic:b=2", ["heuristic"], ["b"], effort=SMALL, seed=seed, jobs=1) for seed in (1, 2, 3)]
    assert all(abs(each.weights["b"] - BEST) > 0.3 for each in found)
    monkeypatch.setattr(module, "objective", lambda played: -objective(played))
    worse = tune(Weigh(2), "heuristic", ["heuristic"], ["b"], effort=SMALL, seed=1, jobs=1)
    assert gain(worse)[2] < 0 and (worse.choice, worse.verdict) == ("heuristic", "worse than the start")
    text = command._text(worse).splitlines()
    assert text[0] == "heuristic" and text[-1] == "verdict: tuned is worse than the start; the policy above is the start"


def test_any_policy_with_real_options_is_tuned_within_bounds() -> None:
    found = tune(Weigh(3), "near", ["near", "first"], effort=Effort(6, 6, 150, 600), seed=5, jobs=1)
    assert found.kept is None and 0.75 < found.weights["level"] <= 1 and gain(found)[1] > 0.1
    assert found.log["weight_level"].is_between(0, 1).all() and found.log["weight_level"].n_unique() > 20
    assert (found.against, found.par) == (["near", "first"], pytest.approx(1 / 3))


def test_scale_is_free_only_without_a_temperature() -> None:
    few = Effort(1, 4, 6, 6)
    for policy, named, kept, tuned in (
        ("heuristic", ["b"], "a", ["b"]),
        ("heuristic:a=0", ["b"], None, ["a", "b"]),
        ("heuristic:temperature=1", [], None, ["a"]),
        ("heuristic", ["temperature", "epsilon"], None, ["a", "temperature", "epsilon"]),
    ):
        found = tune(Weigh(2), policy, ["first"], named, effort=few, seed=1, jobs=1)
        assert (found.kept, list(found.weights)) == (kept, tuned)


def test_the_seed_decides_and_jobs_do_not() -> None:
    def run(seed: int, jobs: int) -> Tuned:
        return tune(Weigh(3), "heuristic", ["first"], ["b", "epsilon"], effort=Effort(3, 4, 30, 60), seed=seed, jobs=jobs)

    state = np.random.get_state()[1].copy()
    one, two, other = run(7, 1), run(7, 2), run(8, 1)
    assert one.policy == two.policy and one.log.equals(two.log) and one.standings.equals(two.standings)
    assert one.policy != other.policy and (np.random.get_state()[1] == state).all()


def test_candidates_share_deals_and_the_check_has_fresh_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    played = []
    play = module.How.play

    def watched(self, game, seats, games, first=0, line_up=0, rotate_seats=False):
        played.append((first, games, rotate_seats))
        return play(self, game, seats, games, first, line_up, rotate_seats)

    monkeypatch.setattr(module.How, "play", watched)
    found = tune(Weigh(3), "heuristic", ["first"], ["b"], effort=Effort(2, 4, 31, 70), seed=1, jobs=1)
    checks = [(first, games, True) for first, games in ((60, 30), (90, 30), (120, 9)) for _ in range(2)]
    assert played == [(0, 3, True)] + [(0, 30, True)] * 4 + [(30, 30, True)] * 4 + checks
    assert found.log["games"].to_list() == [30] * 8 and found.standings["games"].to_list() == [69, 69]


def test_the_log_is_that_of_simulate() -> None:
    found = tune(Weigh(3), "heuristic", ["first", "near"], ["b"], effort=Effort(1, 4, 30, 60), seed=4, jobs=1)
    for row in found.log.iter_rows(named=True):
        seats = simulate(Weigh(3), [f"heuristic:b={row['weight_b']!r}", "first", "near"], 30, seed=4, rotate_seats=True).seats
        mine = seats.filter(pl.col("policy").str.starts_with("heuristic"))
        assert len(mine) == 30 and row["win_share"] == pytest.approx(mine["win"].mean())
        assert row["margin"] == pytest.approx(mine["margin"].mean()) and mine["seat"].value_counts()["count"].to_list() == [10] * 3


def test_the_objective_counts_wins_before_margins() -> None:
    win, margin = np.array([[1, 0, 0], [1, 1, 0], [1, 1, 0]]), np.array([[9, 8, 0], [1, 1, -9], [1, 1, -8]])
    value = objective(np.stack([win, margin], axis=-1).astype(float))
    assert value[0] < value[1] < value[2] < value[1] + 0.05
    assert objective(np.zeros((2, 3, 2))).tolist() == [0, 0]


PLAY = ("policies", "tune", "--game", "weigh", "--players", 2, "--seed", 1, "--jobs", 1)
FEW = ("--generations", 2, "--population", 4, "--games", 20, "--check-games", 40, "--against", "first")


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_the_command_prints_a_policy_and_writes_a_log(tmp_path: Path, cli, ending: str) -> None:
    file = tmp_path / "new" / f"log.{ending}"
    status, out, err = cli(*PLAY, *FEW, "--policy", "heuristic", "--weight", "b", "--log", file)
    assert status == 0, err
    policy = out.splitlines()[0]
    assert "2 of 2 generations of 4 candidates, 20 games each, seed 1" in out and "start is heuristic;" in out
    assert "\nverdict: tuned is " in out
    assert re.search(r"^tuned .*40$", out, re.M) and re.search(r"^start .*40$", out, re.M)
    assert re.search(r"^(tuned over start|start over tuned) ", out, re.M)
    assert "240/240" in err and "Weigh, 2 players" in err
    assert cli("simulate", "--game", "weigh", "--policy", policy, "--games", 5, "--out", tmp_path / "run")[0] == 0
    log = pl.read_csv(file) if ending == "csv" else pl.read_parquet(file)
    assert log.columns == ["generation", "candidate", "games", "win_share", "margin", "objective", "weight_b"] and len(log) == 8


def test_the_command_prints_json(cli) -> None:
    said = json.loads(cli(*PLAY, *FEW, "--policy", "heuristic", "--weight", "b", "--json")[1])
    assert said["policy"] == f"heuristic:b={said['weights']['b']:g}" and said["start"] == "heuristic" and said["kept"] == "a"
    assert [row["games"] for row in said["standings"]] == [40, 40] and len(said["differences"]) == 1
    assert (said["game"], said["seed"], said["interrupted"], said["candidates"]) == ("weigh", 1, False, 8)
    assert said["choice"] in (said["policy"], said["start"]) and "the start" in said["verdict"]


@pytest.mark.parametrize("stop", [2, 7, 12])
def test_ctrl_c_prints_the_best_so_far(tmp_path: Path, cli, monkeypatch: pytest.MonkeyPatch, stop: int) -> None:
    calls, play = [], module.How.play

    def interrupted(self, *arguments, **more):
        calls.append(1)
        if len(calls) > stop:
            raise KeyboardInterrupt
        return play(self, *arguments, **more)

    monkeypatch.setattr(module.How, "play", interrupted)
    log = tmp_path / "log.csv"
    status, out, err = cli(*PLAY, *FEW, "--policy", "heuristic", "--weight", "b", "--log", log)
    over = {2: 0, 7: 1, 12: 2}[stop]
    if not over:
        assert (status, out, log.exists()) == (130, "", False) and "the first generation was not over" in err.splitlines()[-1]
        return
    assert status == 130 and f"the best of {over} of 2 generations" in err.splitlines()[-1]
    assert len(out.splitlines()) == 1 and out != "heuristic\n" and log.exists()


BAD = [
    (("--policy", "heuristic", "--weight", "bb"), "Did you mean 'b'?"),
    (("--policy", "heuristic"), "a=1 is kept"),
    (("--policy", "near", "--weight", "mood"), "Valid: level"),
    (("--policy", "first"), "no options to tune. Policies that have: heuristic, near"),
    (("--policy", "heuristik", "--weight", "b"), "Did you mean 'heuristic'?"),
    (("--weight", "b"), "found 0 policies"),
    (("--policy", "near", "--policy", "near"), "found 2 policies"),
    (("--policy", "near,first"), "repeat the option"),
    (("--policy", "heuristic", "--weight", "a,b"), "--weight a --weight b"),
    (("--policy", "near", "--against", "first", "--against", "first"), "found 2 policies for 1 other seats"),
    (("--policy", "near", "--against", "frst"), "Did you mean 'first'?"),
    (("--policy", "near", "--games", 3), "Give 4 or more"),
    (("--policy", "near", "--check-games", 3), "check_games: 3 are too few"),
    (("--policy", "near", "--generations", 0), "generations"),
    (("--policy", "near", "--population", 3), "population"),
    (("--policy", "near", "--jobs", 0), "jobs"),
    (("--policy", "near", "--log", "x.txt"), ".parquet or .csv"),
    (("--policy", "near", "--log", "taken.csv"), "exists already"),
]


@pytest.mark.parametrize(("words", "said"), BAD, ids=[" ".join(map(str, words)) for words, _ in BAD])
def test_bad_arguments(tmp_path: Path, cli, monkeypatch: pytest.MonkeyPatch, words: tuple[object, ...], said: str) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(Weigh, "new_block", None)  # nothing is played
    (tmp_path / "taken.csv").write_text("mine")
    status, out, err = cli("policies", "tune", "--game", "weigh", "--players", 2, *words)
    assert status == 2 and out == "" and said in err and len(err.splitlines()) == 1, err
    assert [path.name for path in tmp_path.iterdir()] == ["taken.csv"]


def test_policies_alone_still_lists(cli) -> None:
    status, out, _ = cli("policies")
    assert status == 0 and "veggies greedy" in out and "weigh near" in out
    assert json.loads(cli("policies", "--json")[1])
    status, out, err = cli("policies", "foo")
    assert (status, out) == (2, "") and "unknown subcommand 'foo'. Valid: tune." in err
    assert "Did you mean 'tune'?" in cli("policies", "tun")[2] and "[tune]" in cli("policies", "--help")[1].splitlines()[0]
