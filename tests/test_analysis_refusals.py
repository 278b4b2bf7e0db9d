"""Values, columns and files that analyses can't work with: InputError in Python, status 2 in the shell, nothing written."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from toy_game import HighSum

import veggies_sim as vs
from veggies_sim.analysis import scores, seats
from veggies_sim.analysis.challenges import NONE, challenges
from veggies_sim.analysis.estimates import estimates
from veggies_sim.analysis.intervals import MOST
from veggies_sim.analysis.metrics import metrics_of
from veggies_sim.analysis.shape import shape
from veggies_sim.analysis.sums import group_frame
from veggies_sim.analysis.sweep_file import read_plan
from veggies_sim.analysis.until import simulate_until
from veggies_sim.analysis.what_if import play_games
from veggies_sim.cli.sweep import summary
from veggies_sim.core import registry
from veggies_sim.core.dataset import Run
from veggies_sim.core.errors import unknown
from veggies_sim.core.manifest import spans
from veggies_sim.games.veggies.analysis import goods, rats
from veggies_sim.games.veggies.analysis.card_what_if import card_changes
from veggies_sim.games.veggies.analysis.cards import card_impact
from veggies_sim.games.veggies.analysis.what_if import changes, from_runs, levels, play_decks, rat_decks, slopes
from veggies_sim.plots.challenges import chances

GAME = vs.Veggies(3)
DECK = vs.Deck.shipped()
ODD: list[Any] = [None, 5, "score", object()]


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_GAMES", dict(registry._GAMES))
    registry.register(HighSum)


@pytest.fixture(scope="module")
def run() -> Run:
    return vs.simulate(GAME, ["random", "sampled", "random"], 60, seed=3, jobs=1, rotate_seats=True)


OF_RUNS: dict[str, Callable[[Any], Any]] = {
    **{f"scores.{each.__name__}": each for each in (scores.histogram, scores.quantiles, scores.summary)},
    **{f"seats.{each.__name__}": each for each in (seats.advantage, seats.equal_seats, seats.ways_to_win, seats.games_for,
                                                    seats.luck_shares, seats.caution)},
    **{f"goods.{each.__name__}": each for each in (
        goods.announced, goods.worth, goods.sizes, goods.shapes, goods.trade_off, goods.carriers, goods.symmetry,
        goods.symmetry_test,
    )},
    **{f"rats.{each.__name__}": each for each in (rats.by_rats, rats.across_stands, rats.within_games, rats.rescored,
                                                   rats.side_by_side)},
    "shape": shape, "card_impact": card_impact, "challenges": lambda odd: challenges(odd, {"a": "score > 3"}),
    "estimates": lambda odd: estimates(odd, list(metrics_of(GAME).values())), "group_frame": lambda odd: group_frame(odd, {}),
    "from_runs": lambda odd: from_runs({"a": odd}), "compare": lambda odd: vs.compare([odd, odd]),
    "write_report": vs.write_report,
}  # fmt: skip


@pytest.mark.parametrize("name", OF_RUNS)
def test_what_is_no_run_is_said(name: str) -> None:
    for odd in ODD:
        with pytest.raises(vs.InputError, match="run"):
            OF_RUNS[name](odd)


OF_VEGGIES = [name for name in OF_RUNS if name.startswith(("goods.", "rats.", "card_impact"))]


@pytest.mark.parametrize("name", OF_VEGGIES)
def test_a_run_of_another_game_is_said(name: str) -> None:
    other = vs.simulate(HighSum(3), games=20, seed=1, jobs=1, record="moves")
    with pytest.raises(vs.InputError, match=r"^run: found a run of High Sum; give one of Veggies\.$"):
        OF_RUNS[name](other)


def test_other_games_on_the_same_deals_have_no_rats() -> None:
    other = play_games({"a": HighSum(3), "b": HighSum(3, rules={"cards": 50})}, games_count=20, seed=1, jobs=1)
    for call in (rats.rats_of, rats.curve, rats.per_rat):
        with pytest.raises(vs.InputError, match=r"game: found <High Sum.*give a game of Veggies"):
            call(other)
    with pytest.raises(vs.InputError, match=r"game: found <High Sum.*give a game of Veggies"):
        from_runs({"a": vs.simulate(HighSum(3), games=20, seed=1, jobs=1)}, metrics=["score"])


def played(**how: Any) -> Any:
    return play_decks(GAME, rat_decks(DECK, [3, 4]), "random", 30, seed=1, jobs=1, **how)


WRONG: dict[str, tuple[Callable[[Run, Any], Any], list[Any], str]] = {
    "by": (lambda run, odd: estimates(run, [metrics_of(run.game)["score"]], odd),
           [None, 5, "seat", ["x"], [1], ["seat", "seat"], [None], {"seat": 1}], "by|column to split by"),
    "by of scores": (lambda run, odd: scores.summary(run, odd), [None, "seat", ["seat", "seat"], [1]], "by|column to split by"),
    "metrics": (lambda run, odd: estimates(run, odd), [[], None, "score", ["score"], 5], "metrics: found"),
    "level": (lambda run, odd: estimates(run, [metrics_of(run.game)["score"]], (), odd), [95, 0, 1, -1, None, True, "x"], "level"),
    "level of seats": (lambda run, odd: seats.advantage(run, level=odd), [95, 1.0, 0, None], "level"),
    "level of challenges": (lambda run, odd: challenges(run, {"a": "score > 3"}, level=odd), [95, 1.0, None], "level"),
    "level of goods": (lambda run, odd: goods.symmetry(run, odd), [95, -0.5, 1.0], "level"),
    "level of shares": (lambda run, odd: rats.by_rats(run, odd), [95, 1.0], "level"),
    "level of quantiles": (lambda run, odd: scores.quantiles(run, level=odd), [95, 0], "level"),
    "level of compare": (lambda run, odd: vs.compare([run, run], level=odd), [95, 0, None], "level"),
    "probabilities": (lambda run, odd: scores.quantiles(run, probabilities=odd), [None, 5, [], [95], ["x"], "0.5"], "probabilit"),
    "wish": (lambda run, odd: seats.games_for(run, odd), [0, -1, None, float("nan")], "wish|precision"),
    "penalties": (lambda run, odd: rats.rescored(run, odd), [None, 5, [], [1, 1], ["x"], "12"], "penalt"),
    "game": (lambda _, odd: play_decks(odd, {"a": DECK}), [None, 5, HighSum(3)], "game: found"),
    "game of decks": (lambda _, odd: rats.other_decks(odd, [1, 2]), [None, 5, HighSum(3)], "game: found"),
    "game of cards": (lambda _, odd: card_changes(odd), [None], "game: found"),
    "cards": (lambda _, odd: card_changes(GAME, odd), [5, "v01", ["x"]], "card"),
    "game of until": (lambda _, odd: simulate_until(odd, None, "score +-1"), [None, 5], "game: found"),
    "counts": (lambda _, odd: rats.other_decks(GAME, odd), [None, 5, [], [3], [3, 3], "12", ["x", "y"]], "rats"),
    "counts of decks": (lambda _, odd: rat_decks(DECK, odd), [None, 5, "12"], "rats: found"),
    "deck": (lambda _, odd: rat_decks(odd, [1]), [None, 5, "x"], "deck: found"),
    "metrics of decks": (lambda _, odd: play_decks(GAME, {"a": DECK}, metrics=odd), [None, 5, "score", [3]], "metric"),
    "levels": (lambda _, odd: levels(odd), ODD, "played: found"),
    "changes": (lambda _, odd: changes(odd), ODD, "played: found"),
    "slopes": (lambda _, odd: slopes(odd, [1, 2]), ODD, "played: found"),
    "curve": (lambda _, odd: rats.curve(odd), ODD, "played: found"),
    "per_rat": (lambda _, odd: rats.per_rat(odd), ODD, "played: found"),
    "side_by_side": (lambda run, odd: rats.side_by_side(run, odd), [5, "x"], "played: found"),
    "until of until": (lambda _, odd: simulate_until(GAME, "random", "score +-1", until=odd), [{"a": 1}, "x"], "until: "),
    "dry_run of until": (lambda _, odd: simulate_until(GAME, "random", "score +-1", dry_run=odd), [True], "dry_run"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_odd_values_are_said(run: Run, name: str) -> None:
    call, values, said = WRONG[name]
    for odd in values:
        with pytest.raises(vs.InputError, match=said) as error:
            call(run, odd)
        assert len(str(error.value)) < 600


def test_amounts_and_levels_of_decks() -> None:
    found = played()
    for odd in (None, 5, [1], [1, 1], ["x", "y"], "12"):
        with pytest.raises(vs.InputError, match="amounts"):
            slopes(found, odd)
    for call in (levels, changes, rats.curve, rats.per_rat):
        with pytest.raises(vs.InputError, match="level"):
            call(found, 95)


def test_rows_without_a_value_are_a_group_of_their_own(run: Run) -> None:
    games = vs.simulate(GAME, "random", 200, seed=3, jobs=1)
    empty = games.seats.with_columns(pl.when(pl.col("seat") > 0).then("announced").alias("announced"))
    some = Run(games.manifest, games.game, None, {"seats": empty.to_arrow()})
    found = estimates(some, [metrics_of(some.game)["score"]], ["announced"])
    by_hand = empty.group_by("announced").agg(pl.col("score").cast(pl.Float64).mean(), pl.len()).sort("announced")
    assert found["announced"].to_list() == by_hand["announced"].to_list() and None in found["announced"]
    assert found["value"].to_list() == pytest.approx(by_hand["score"].to_list())
    assert found["rows"].to_list() == by_hand["len"].to_list()
    told = challenges(some, {"a": "score > 20"}, by="announced")
    assert told.filter(announced=NONE)["rows"].to_list() == [empty["announced"].null_count()]
    assert len(chances(told).get_legend().get_texts()) == told["announced"].n_unique()  # type: ignore[union-attr]
    assert scores.summary(some, ["announced"]).filter(pl.col("announced").is_null()).height > 5
    assert "announced_2" in challenges(run, {"a": "score > 20"}, by="announced_2").columns


# ---- wishes


def test_tiny_wishes_have_a_cap(tmp_path: Path, cli) -> None:
    for name, rule in (("a", 2), ("b", 3)):
        vs.simulate(vs.Veggies(3, rules={"rat_penalty": rule}), "random", 60, seed=1, jobs=1, out=tmp_path / name)
    for wish in ("1e-12", "1e-300", "5e-324"):
        status, out, err = cli("compare", tmp_path / "a", tmp_path / "b", "--wish", f"score={wish}")
        assert status == 0 and "10^18 or more" in out, err
        said = json.loads(cli("compare", tmp_path / "a", tmp_path / "b", "--wish", f"score={wish}", "--json")[1])
        assert {row["games_needed"] for row in said["rows"] if row["metric"] == "score"} <= {MOST, None}
    run = vs.open_dataset(tmp_path / "a")
    assert seats.games_for(run, 1e-12)["needed"].to_list() == seats.games_for(run, 5e-324)["needed"].to_list() == [MOST] * 3
    assert 60 < seats.games_for(run, 0.01)["needed"].min() < MOST  # type: ignore[operator]
    for wish in ("1e-155", "5e-324"):
        status, out, err = cli("simulate", "--policy", "random", "--games", 1000, "--until", f"score +-{wish}", "--out",
                               tmp_path / wish)  # fmt: skip
        assert status == 0 and "inf" not in out + err and "NOT reached" in out, out


def test_an_empty_target_is_no_target(tmp_path: Path, cli) -> None:
    status, _, err = cli("simulate", "--policy", "random", "--games", 20, "--until", "", "--out", tmp_path / "run")
    assert status == 2 and "until: found ''" in err and not (tmp_path / "run").exists()


# ---- datasets and files


def test_a_dataset_is_compared_once(tmp_path: Path, cli, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, seed in (("a", 1), ("b", 2)):
        vs.simulate(HighSum(3), games=60, seed=seed, jobs=1, out=tmp_path / name)
    monkeypatch.chdir(tmp_path)
    for again in ("b", tmp_path / "b", "./a/../b"):
        status, _, err = cli("compare", "a", "b", again)
        assert status == 2 and "is there twice" in err
    assert cli("compare", "a", "b", "a")[0] == 0


def test_tables_go_where_they_are_named(tmp_path: Path, cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "home").mkdir()
    vs.simulate(HighSum(3), games=60, seed=1, jobs=1, out=tmp_path / "a")
    for ending in ("csv", "parquet"):
        assert cli("compare", "a", "a", "--out", f"~/new/x.{ending}", "--plot", f"~/new/{ending}.svg")[0] == 0
        assert (tmp_path / "~" / "new" / f"x.{ending}").is_file() and (tmp_path / "~" / "new" / f"{ending}.svg").is_file()
    assert not [*(tmp_path / "home").iterdir()]


def test_nothing_is_written_into_a_dataset(tmp_path: Path, cli) -> None:
    run = tmp_path / "run"
    vs.simulate(HighSum(3), games=60, seed=1, jobs=1, out=run)
    (tmp_path / "s.toml").write_text('game = "high-sum"\ngames = 20\nplayers = [2, 3]\n')
    before = sorted(run.rglob("*"))
    for words in (
        ("compare", run, run, "--out", run / "x.csv"), ("compare", run, run, "--plot", run / "new" / "x.png"),
        ("sweep", tmp_path / "s.toml", "--out", tmp_path / "out", "--plot", run / "x.svg"),
        ("ladder", "--game", "high-sum", "--policy", "a", "--policy", "b", "--plot", run / "seats" / "x.svg"),
        ("policies", "tune", "--policy", "heuristic", "--log", run / "x.csv"),
        ("replay", run, "--game", 1, "--out", run / "x.txt"),
    ):  # fmt: skip
        status, _, err = cli(*words)
        assert status == 2 and "inside of a dataset" in err, (words, err)
    assert sorted(run.rglob("*")) == before and not (tmp_path / "out").exists()


def test_no_games_are_called_none(tmp_path: Path, cli) -> None:
    assert spans([(0, 0)]) == "none" and spans([(0, 1), (4, 0)]) == "0"
    vs.simulate(HighSum(3), games=60, seed=1, jobs=1, out=tmp_path / "a")
    shutil.copytree(tmp_path / "a", tmp_path / "b")
    facts = json.loads((tmp_path / "b" / "run.json").read_text())
    (tmp_path / "b" / "run.json").write_text(json.dumps(facts | {"games": 0, "parts": [], "state": "interrupted"}))
    status, _, err = cli("compare", tmp_path / "a", tmp_path / "b")
    assert status == 2 and "(games none)" in err and "games 0..59" in err


def test_valid_words_are_said_once() -> None:
    assert str(unknown("policy", "x", ["random", "random"])).endswith("Valid: random.")


# ---- challenges


def test_faults_of_challenges_name_the_file(tmp_path: Path, run: Run) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('[challenges]\n"high" = "skore > 3"\n')
    with pytest.raises(vs.InputError, match=r"mine\.toml, challenge 'high', character 1"):
        challenges(run, file)
    for name in ("", " "):
        with pytest.raises(vs.InputError, match="no name"):
            challenges(run, {name: "score > 3"})


# ---- sweeps


@pytest.fixture
def sweep(tmp_path: Path) -> Path:
    (tmp_path / "s.toml").write_text('game = "high-sum"\ngames = 20\nseed = 1\nplayers = [2, 3]\n')
    return tmp_path / "s.toml"


@pytest.mark.parametrize("arm", [{"deck": [1], "setup_hash": {}}, {"deck": "shipped", "setup_hash": None}, {"rules": {}}, [], 3])
def test_an_edited_sweep_is_said_to_be_damaged(tmp_path: Path, cli, sweep: Path, arm: Any) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "sweep.json").write_text(json.dumps({"schema": 1, "arms": {"x": arm}, "games": 1}))
    status, _, err = cli("sweep", sweep, "--out", tmp_path / "out")
    assert status == 2 and "sweep.json is damaged" in err


def test_what_is_drawn_goes_with_a_plot(tmp_path: Path, cli, sweep: Path) -> None:
    for words in (("--metric", "foo"), ("--metric", "score"), ("--seat", 5)):
        status, _, err = cli("sweep", sweep, "--out", tmp_path / "out", *words)
        assert status == 2 and "--plot" in err and not (tmp_path / "out").exists()


@pytest.mark.parametrize("settings", [
    {"rules": [{"cards": 40}, {}]}, {"rules": [{}, {"cards": 50}, {"cards": "40"}]},
    {"policies": ["blind", ["blind", "blind", "blind"]]},
])  # fmt: skip
def test_arms_that_are_the_same_games_are_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(vs.InputError, match=r"arm 1 \(.*\) and arm [23] \(.*\) are the same games"):
        read_plan({"game": "high-sum", "games": 20} | settings)
    assert len(read_plan({"game": "high-sum", "games": 20, "rules": [{}, {"cards": 50}]}).arms) == 2


def test_an_arm_without_its_manifest(tmp_path: Path, cli, sweep: Path) -> None:
    assert cli("sweep", sweep, "--out", tmp_path / "out")[0] == 0
    arm = sorted((tmp_path / "out" / "arms").iterdir())[1]
    (arm / "run.json").unlink()
    status, _, err = cli("sweep", sweep, "--out", tmp_path / "out")
    assert status == 2 and f"{arm}: this arm has lost its run.json" in err
    shutil.rmtree(arm)
    assert cli("sweep", sweep, "--out", tmp_path / "out")[0] == 0 and (arm / "run.json").is_file()


def test_the_table_has_as_many_decimals_as_the_error_asks_for(tmp_path: Path) -> None:
    file = tmp_path / "s.toml"
    for games, decimals in ((20, 1), (3000, 2)):  # scores of about 100 that spread by 25
        file.write_text(f'game = "high-sum"\ngames = {games}\nseed = 1\n')
        found = summary(vs.sweep(file, tmp_path / str(games), jobs=1))
        value, half = re.search(r"the only arm +([0-9.]+) ± ([0-9.]+)", found).groups()  # type: ignore[union-attr]
        assert len(value.partition(".")[2]) == len(half.partition(".")[2]) == decimals, found


def test_a_folder_is_no_deck_of_a_sweep(tmp_path: Path, cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("s.toml").write_text('games = 20\n[decks]\na = "."\n')
    status, _, err = cli("sweep", "s.toml", "--out", "out")
    assert status == 2 and "decks, a: " in err and "found a folder" in err and ": :" not in err
