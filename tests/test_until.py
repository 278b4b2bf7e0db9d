"""Runs that go on until an interval is narrow enough: when they stop, what they leave behind, and how they go on."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from toy_skill import OpenSum

import veggies_sim as vs
from veggies_sim.analysis import until
from veggies_sim.analysis.estimates import estimates
from veggies_sim.analysis.metrics import metrics_of
from veggies_sim.analysis.until import look, look_sizes, read_target, simulate_until
from veggies_sim.core.manifest_reader import load

GAME = vs.Veggies(players=3)
TARGET = "win_share(seat=0) +-2pp"


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> vs.Run:
    return simulate_until(GAME, "random", TARGET, seed=3, jobs=2, out=tmp_path_factory.mktemp("until") / "run")


def test_it_looks_at_doubled_numbers_of_games_and_stops_at_the_first_narrow_interval(done: vs.Run) -> None:
    looks = done.manifest.looks
    assert [each["games"] for each in looks] == [1000, 2000, 4000] and done.manifest.games == 4000
    halves = [(each["high"] - each["low"]) / 2 for each in looks]
    assert halves[-1] <= 0.02 < min(halves[:-1])
    (whole,) = estimates(done, [metrics_of(GAME)["win_share"]], ["seat"]).filter(seat=0).to_dicts()
    assert [looks[-1][key] for key in ("value", "low", "high")] == pytest.approx([whole[key] for key in ("value", "low", "high")])
    assert done.manifest.until == {"target": TARGET, "games": 10_000_000} and done.manifest.state == "complete"
    assert vs.open_dataset(done.folder).manifest == done.manifest  # type: ignore[arg-type]
    assert [*look_sizes(1000)] == [1000] and [*look_sizes(300)] == [300] and [*look_sizes(5000)] == [1000, 2000, 4000, 5000]


def test_rows_and_looks_are_those_of_any_run_with_the_seed(done: vs.Run, tmp_path: Path) -> None:
    rows = vs.simulate(GAME, "random", 5000, seed=3, jobs=1).seats
    assert done.seats.equals(rows.filter(pl.col("game") < 4000))
    other = simulate_until(GAME, "random", TARGET, seed=3, jobs=1, block=77, backend="threads")  # in memory
    assert other.folder is None and other.manifest.looks == done.manifest.looks and other.seats.equals(done.seats)
    longer = vs.simulate(GAME, "random", 5000, seed=3, jobs=1)
    target = read_target(TARGET, GAME)
    assert [look(longer, target, each["games"]) for each in done.manifest.looks] == [
        pytest.approx(each) for each in done.manifest.looks
    ]


def test_the_cap_ends_a_run_and_more_games_go_on(tmp_path: Path, cli) -> None:
    out = tmp_path / "run"
    play = ("simulate", "--policy", "random", "--seed", 3, "--jobs", 1, "--out", out, "--until", TARGET)
    status, said, err = cli(*play, "--games", 1500)
    assert status == 0 and "NOT reached" in said and "about" in said and "1,000 games:" in err, err
    assert [each["games"] for each in load(out).looks] == [1000, 1500] and load(out).until["games"] == 1500
    status, said, _ = cli("simulate", "--resume", "--jobs", 1, "--out", out)
    assert status == 0 and "NOT reached" in said and load(out).games == 1500
    status, said, _ = cli(*play, "--resume", "--games", 8000)
    assert status == 0 and "reached after 4,000 games" in said and "NOT" not in said and "this number alone" in said
    assert "about 2,100 would have done for +-2pp: looks are at doubled numbers" in said
    assert [each["games"] for each in load(out).looks] == [1000, 2000, 4000] and load(out).games == 4000
    _, said, _ = cli("info", out)
    assert f"until     {TARGET}, 8,000 games at most; looks: 1,000 games +-0.02" in said
    assert json.loads(cli("info", out, "--json")[1])["run"]["looks"][2]["games"] == 4000
    status, said, err = cli("simulate", "--resume", "--games", 4100, "--out", out)  # a number of games again
    assert status == 0 and load(out).games == 4100 and load(out).until == {} and load(out).looks == []
    status, _, err = cli(*play, "--resume", "--games", 1000)
    assert status == 2 and "Give as many or more" in err


def test_an_interrupted_run_goes_on_with_its_target(tmp_path: Path, cli, monkeypatch: pytest.MonkeyPatch, done: vs.Run) -> None:
    from veggies_sim.core.runner import Plan

    out, whole = tmp_path / "run", Plan.play

    def stop(self: Plan, first: int, count: int) -> object:
        if count > 1 and first >= stop.at:  # type: ignore[attr-defined]
            raise KeyboardInterrupt
        return whole(self, first, count)

    for stop.at, looks in ((1, []), (1200, [1000])):  # type: ignore[attr-defined]  # in the first look, and later
        monkeypatch.setattr(Plan, "play", stop)
        words = ("--resume",) if looks else ("--policy", "random", "--seed", 3, "--until", TARGET)
        status, _, err = cli("simulate", *words, "--jobs", 1, "--out", out)
        assert status == 130 and "simulate --resume" in err
        assert load(out).state == "interrupted" and [each["games"] for each in load(out).looks] == looks
        assert load(out).until["target"] == TARGET
    monkeypatch.setattr(Plan, "play", whole)
    assert cli("simulate", "--resume", "--jobs", 1, "--out", out)[0] == 0
    again = vs.open_dataset(out)
    assert again.manifest.looks == [pytest.approx(each) for each in done.manifest.looks] and again.seats.equals(done.seats)


def test_a_run_of_a_number_of_games_can_go_on_until(tmp_path: Path) -> None:
    out = tmp_path / "run"
    vs.simulate(GAME, "random", 2500, seed=3, jobs=1, out=out)
    run = simulate_until(GAME, "random", TARGET, seed=3, jobs=1, out=out, mode="resume")
    assert [each["games"] for each in run.manifest.looks] == [1000, 2000, 4000] and run.manifest.games == 4000
    wide = simulate_until(GAME, "random", "win_share(seat=0) ± 10pp", seed=3, jobs=1, out=out, mode="resume")
    assert [each["games"] for each in wide.manifest.looks] == [1000] and wide.manifest.games == 4000  # none are thrown away


@pytest.mark.parametrize(
    "target", ["score(policy=drop) +-1", "lead+/-0.9", "score(team=1) ± 1 point", "score_sd +-5", "score(seat=3)+-9"]
)
def test_forms(target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(until, "FIRST_LOOK", 50)
    run = simulate_until(OpenSum(4), ["drop", "peek", "drop", "peek"], target, seed=1, jobs=1, games=200)
    found = read_target(target, run.game, run.manifest.policies)
    last = run.manifest.looks[-1]
    assert found.reached(last) or last["games"] == 200
    rows = run.seats.filter(pl.col("game") < last["games"])
    if found.metric.key == "score":
        of = rows if found.column is None else rows.filter(pl.col(found.column) == found.value)
        assert last["value"] == pytest.approx(of["score"].cast(pl.Float64).mean()) and 0 < len(of) < len(rows)


def test_with_too_few_deals_a_look_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    run = simulate_until(GAME, "random", "score +-9", seed=1, jobs=1, plays_per_deal=300)
    assert [(each["games"], each["low"] is None) for each in run.manifest.looks] == [(1000, True), (2000, True), (4000, False)]
    assert "too few" in until.look_words(run.manifest.looks[0], read_target("score +-9", GAME))


BAD = [
    ("win_share +-1pp", "all seats together says nothing"), ("margin +-1", "all seats together says nothing"),
    ("win_share(policy=random) +-1pp", "plays every seat"), ("win_share(seat=3) +-1pp", "from 0 to 2"),
    ("score(team=3) +-1", "from 0 to 2"), ("score(seat=last) +-1", "a whole number from 0 to 2"),
    ("score(seat=0,team=1) +-1", "whole number"), ("winner's lead +-1", "Did you mean 'lead'"),
    ("score(policy=gredy) +-1", "Valid: random"), ("score(side=1) +-1", "seat, team, policy"),
    ("lead(seat=0) +-1", "of a whole game"), ("scor +-1", "Did you mean 'score'"), ("score +-1pp", "counted in points"),
    ("score +-1%", "counted in points"), ("win_share(seat=0) +-1", "percentage points, such as 0.2pp"),
    ("win_share(seat=0) +-1%", "percentage points"), ("score +-0", "more than 0"), ("score +--1", "more than 0"),
    ("score +-nan", "number"), ("score", "valid: a metric and how exact"), ("score < 1", "valid: a metric and how exact"),
    ("", "valid"),
]  # fmt: skip


@pytest.mark.parametrize(("target", "said"), BAD, ids=[target for target, _ in BAD])
def test_bad_targets(tmp_path: Path, cli, target: str, said: str) -> None:
    if target:
        status, out, err = cli("simulate", "--policy", "random", "--until", target, "--out", tmp_path / "run")
        assert status == 2 and out == "" and said in err and len(err.splitlines()) == 1 and not (tmp_path / "run").exists()
    with pytest.raises(vs.InputError, match="valid" if not target else None):
        simulate_until(GAME, "random", target, games=10)
    with pytest.raises(vs.InputError, match="games"):
        simulate_until(GAME, "random", "score +-1", games=0)


def test_a_dry_run_writes_nothing(tmp_path: Path, cli) -> None:
    words = ("simulate", "--policy", "random", "--games", 400, "--out", tmp_path / "run", "--dry-run", "--until")
    status, out, err = cli(*words, "score +-1")
    assert status == 0 and "are needed\n400 games, the look after that, with" in out and not (tmp_path / "run").exists(), err
    assert "400 games, the most to be played, with" in cli(*words, "score +-0.001")[1]
    assert "400 games on trial are too few to say" in cli(*words, "score +-1", "--plays-per-deal", 100)[1]
    assert not (tmp_path / "run").exists()


def test_what_a_look_says_of_the_games_needed() -> None:
    target = read_target("score +-0.1", GAME)
    found = {"value": 20.0, "low": 19.92, "high": 20.08}
    assert until.look_words({"games": 10_000} | found, target).endswith("about 6,400 would have done for +-0.1 points: "
                                                                      "looks are at doubled numbers")  # fmt: skip
    assert "would have done" not in until.look_words({"games": 1000, "value": 20.0, "low": 19.904, "high": 20.096}, target)
    assert "; about 16,000 games for" in until.look_words({"games": 1000, "value": 20.0, "low": 19.6, "high": 20.4}, target)


def test_older_and_damaged_manifests(tmp_path: Path, done: vs.Run) -> None:
    file = tmp_path / "run.json"
    facts = json.loads((done.folder / "run.json").read_text())  # type: ignore[operator]
    older = {key: value for key, value in facts.items() if key not in ("until", "looks")}
    file.write_text(json.dumps(older))
    assert load(tmp_path).until == {} and load(tmp_path).looks == []
    look_of = facts["looks"][0]
    for bad in (
                {"until": {"target": 3, "games": 5}}, {"until": {"target": "score +-1"}}, {"until": []}, {"looks": {}},
                {"looks": [3]},
                {"until": {"target": "score +-1", "games": 0}}, {"looks": [look_of | {"games": None}]},
                {"looks": [look_of | {"low": "x"}]}, {"looks": [look_of | {"more": 1}]}):  # fmt: skip
        file.write_text(json.dumps(facts | bad))
        with pytest.raises(vs.InputError, match="damaged manifest"):
            load(tmp_path)


def test_merged_runs_forget_the_target(tmp_path: Path, cli) -> None:
    for name, first, words in (("a", 0, ("--until", "score +-1")), ("b", 1000, ())):
        play = ("simulate", "--policy", "random", "--seed", 3, "--jobs", 1, "--first-game", first, "--games", 1000)
        assert cli(*play, *words, "--out", tmp_path / name)[0] == 0
    assert cli("merge", tmp_path / "a", tmp_path / "b", "--out", tmp_path / "both")[0] == 0
    assert load(tmp_path / "a").looks and load(tmp_path / "both").looks == [] and load(tmp_path / "both").until == {}
