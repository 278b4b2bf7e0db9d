"""`deck tune`: planted targets are met on fresh deals, what can't be met is told, and a search can be stopped and replayed."""

from __future__ import annotations

import json
import math
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from deals_met import DealsMet
from polars.testing import assert_frame_equal

import veggies_sim as vs
from veggies_sim.analysis.line_ups import How
from veggies_sim.core.evolution import Evolution
from veggies_sim.design.log import LOG, Number
from veggies_sim.design.objectives import KEYS as OBJECTIVE_KEYS
from veggies_sim.design.objectives import OPEN, OUTSIDE, WITHIN, Objective, loss
from veggies_sim.design.race import entrants, race
from veggies_sim.games.veggies.deck import Deck
from veggies_sim.games.veggies.design import candidates
from veggies_sim.games.veggies.design import tune as module
from veggies_sim.games.veggies.design.candidates import balanced, reached
from veggies_sim.games.veggies.design.generate import generate
from veggies_sim.games.veggies.design.measures import Estimate, Meter
from veggies_sim.games.veggies.design.spec import Spec
from veggies_sim.games.veggies.design.tune import Search, Tuned, replayed, tune
from veggies_sim.games.veggies.design.tune_file import EXAMPLE, KEYS, read_target

SPEC = """
[deck]
cards = 40
[deck.symbols]
strawberry = [20, 60]
banana = 36
grape = 36
carrot = 36
mushroom = 36
rat = [0, 40]
"""
TARGET = """
policies = ["random"]
[[objective]]
metric = "winner_score"
goal = 30
tolerance = 3
[[objective]]
metric = "rats"
goal = 3
tolerance = 0.3
"""
SMALL = {"generations": 3, "population": 4, "games": 30, "check_games": 60, "seed": 5}


def written(folder: Path, text: str = TARGET + SPEC) -> Path:
    file = folder / "target.toml"
    file.write_text(text, encoding="utf-8")
    return file


def found_meter(found: Tuned) -> Meter:
    """Return the meter of a search: its seed deals all games."""
    return Meter(found.target.game, found.target.every(), How(found.settings["seed"], found.settings["seed"], 2, "threads"))


def test_a_planted_deck_is_met_on_fresh_deals(tmp_path: Path) -> None:
    """The goals are what a deck of the spec, with other knobs than the middle's, does with a seed that the search never sees."""
    spec = read_target(written(tmp_path)).spec
    planted = generate(spec, 77, {"strawberry": 54, "rat": 12, "empty": 30})
    form = read_target(written(tmp_path))
    meter = Meter(form.game, form.every(), How(123, 123, 2, "threads"))
    goals = [each.value for each in meter.estimates(meter.play(planted, 0, 6000))]
    text = TARGET.replace("goal = 30\ntolerance = 3", f"goal = {goals[0]}\ntolerance = 1.5")
    text = text.replace("goal = 3\ntolerance = 0.3", f"goal = {goals[1]}\ntolerance = 0.2")
    numbers = {"generations": 5, "population": 5, "games": 90, "check_games": 3000, "seed": 1}
    found = tune(written(tmp_path, text + SPEC), tmp_path / "out", numbers)
    assert found.verdict == WITHIN and found.disputed == [] and found.best["verdict"].to_list() == [WITHIN, WITHIN]
    assert spec.faults(found.deck) == [] and Deck.read_csv(tmp_path / "out" / "deck.csv") == found.deck
    start = found.log.row(0, named=True)  # negative control: the middle of the spec does not meet it
    assert start["candidate"] == 0 and start["loss"] > 4 and found.best["loss"][0] < 1
    chosen = found.check.filter(stage="choice")  # several decks on the deals of the choice, and the deck found on others
    assert chosen["deck"].n_unique() > 1 and chosen["deck"][0] == found.deck.hash and chosen["loss"].is_sorted()
    assert found.best.height == 2 and found.best["value"].to_list() != chosen["value"].to_list()[:2]
    again = found_meter(found).play(found.deck, 360 + 3000, 3000)  # after the races and the choice
    assert found.best["value"].to_list() == [each.value for each in found_meter(found).estimates(again)]
    meter = Meter(found.target.game, found.target.every(), How(999, 999, 2, "threads"))
    for objective, told in zip(found.target.objectives, meter.estimates(meter.play(found.deck, 0, 3000)), strict=True):
        assert objective.miss(told.value) < 1  # a third seed


def test_a_goal_that_no_deck_reaches_is_told_as_not_met(tmp_path: Path, cli) -> None:
    file = written(tmp_path, TARGET.replace("goal = 3\n", "goal = 20\n") + SPEC)
    numbers = SMALL | {"generations": 1}
    status, out, err = cli("deck", "tune", file, "--out", tmp_path / "out", *words(numbers))
    assert status == 0 and re.search(r"rats +random +20 ± 0.3 .* not within", out) and "all together: not within" in out
    assert "tune:" in err and "rat_penalty=2" in err and "deck.csv" in err


def words(numbers: dict[str, int]) -> list[str]:
    return [word for key, value in numbers.items() for word in (f"--{key.replace('_', '-')}", str(value))]


def same(one: Path, other: Path) -> None:
    """The folders of two searches hold the same."""
    for name in ("deck.csv", "check.csv", "tune.toml"):
        assert (one / name).read_bytes() == (other / name).read_bytes(), name
    assert_frame_equal(pl.read_parquet(one / LOG), pl.read_parquet(other / LOG), check_exact=True)


@pytest.fixture(scope="module")
def remembered() -> Iterator[None]:
    """Let searches in this file make each deck once: the same seed and aim give the same deck (`test_deck_generate.py`)."""
    made: dict[object, Deck] = {}

    def once(spec: Spec, seed: int, aim: dict[str, float]) -> Deck:
        key = str(spec), seed, *aim.values()
        return made[key] if key in made else made.setdefault(key, generate(spec, seed, aim))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(candidates, "generate", once)
        yield


@pytest.fixture(scope="module")
def whole_search(tmp_path_factory: pytest.TempPathFactory, remembered: None) -> Path:
    """The folder of a search that was never stopped, played by one worker."""
    folder = tmp_path_factory.mktemp("whole")
    tune(written(folder), folder / "out", SMALL, jobs=1)
    return folder / "out"


def test_jobs_change_nothing_and_the_seed_does(tmp_path: Path, whole_search: Path) -> None:
    found = tune(written(tmp_path), tmp_path / "out", SMALL, jobs=2)
    same(tmp_path / "out", whole_search)
    assert found.log.schema == Search(found.target, found.settings, tmp_path).log.columns and len(found.log) == 15
    other = tune(written(tmp_path), tmp_path / "other", SMALL | {"seed": 6, "generations": 1}, jobs=2)
    assert other.deck != found.deck


@pytest.mark.parametrize("stop", [0, 1, 2, "check"])
def test_a_search_that_stopped_goes_on_to_the_same_result(
    tmp_path: Path, whole_search: Path, monkeypatch: pytest.MonkeyPatch, cli, stop: int | str
) -> None:
    calls = iter(range(100))
    plain, checked = Search.race, module._check

    def stopped(search: Search, *rest: object) -> object:
        if next(calls) == stop:
            raise KeyboardInterrupt
        return plain(search, *rest)  # type: ignore[arg-type]

    def unchecked(*rest: object) -> object:
        if stop == "check":
            raise KeyboardInterrupt
        return checked(*rest)  # type: ignore[arg-type]

    monkeypatch.setattr(Search, "race", stopped)
    monkeypatch.setattr(module, "_check", unchecked)
    file, out = written(tmp_path), tmp_path / "out"
    status, said, err = cli("deck", "tune", file, "--out", out, *words(SMALL))
    over = 3 if stop == "check" else stop
    assert status == 130 and said == "" and f"{over} of 3 generations are in {out}" in err and "--resume" in err
    assert not (out / "check.csv").exists() and (out / "deck.csv").exists() == (over != 0)
    monkeypatch.undo()
    assert cli("deck", "tune", file, "--out", out, "--resume")[0] == 0
    same(out, whole_search)
    assert [path.name for path in sorted(out.iterdir())] == ["check.csv", "deck.csv", LOG, "tune.json", "tune.toml"]


def test_every_row_of_the_log_can_be_replayed(whole_search: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = pl.read_parquet(whole_search / LOG)
    assert log["rung"].unique().sort().to_list() == [0, 1, 2] and log.n_unique("deck") > 5
    monkeypatch.setattr(candidates, "generate", generate)  # not remembered
    for row in log.iter_rows(named=True):
        deck, again = replayed(whole_search, row["generation"], row["candidate"])
        assert again == row and deck.hash == row["deck"]
    with pytest.raises(vs.InputError, match="no candidate 9 of generation 1"):
        replayed(whole_search, 1, 9)
    for wrong in ((0, True), (True, 0), ("0", 0)):
        with pytest.raises(vs.InputError, match="valid: a whole number"):
            replayed(whole_search, *wrong)


def test_the_log_says_what_was_asked_and_what_was_reached(whole_search: Path) -> None:
    spec = read_target(whole_search / "tune.toml").spec
    knobs = spec.knobs()
    assert [knob.name for knob in knobs] == ["strawberry", "empty", "rat"]
    log = pl.read_parquet(whole_search / LOG)
    first = log.row(0, named=True)
    assert [first[f"asked_{knob.name}"] for knob in knobs] == [(knob.low + knob.high) / 2 for knob in knobs]
    for row in log.iter_rows(named=True):
        aim = balanced(spec, knobs, [row[f"asked_{knob.name}"] for knob in knobs])
        assert sum(aim.values()) == pytest.approx(240 - 4 * 36) and all(knob.low <= aim[knob.name] <= knob.high for knob in knobs)
        assert [row[f"reached_{knob.name}"] for knob in knobs] == pytest.approx([aim[knob.name] for knob in knobs], abs=1)
        assert row["games"] == 30 * 2 ** row["rung"]
    for _, rows in log.group_by("generation"):
        ranked = rows.sort("rank")
        assert ranked["rung"].is_sorted(descending=True) and ranked["rank"][0] == 0 and len(rows) == 5


def test_reached_is_counted_on_the_cards() -> None:
    spec = Spec.from_table({"cards": 40, "clusters": {"touching": [0, 1]}})
    deck = Deck.shipped()
    found = dict(zip([knob.name for knob in spec.knobs()], reached(deck, spec.knobs()), strict=True))
    assert found.pop("touching") == pytest.approx(sum(
        a == b and a not in ("rat", "empty")
        for place in deck.slots for f in [deck.cards[place].face]
        for a, b in [(f[0][0], f[0][1]), (f[0][1], f[0][2]), (f[1][0], f[1][1]), (f[1][1], f[1][2]), *zip(f[0], f[1], strict=True)]
    ) / 280)  # fmt: skip
    assert found == deck.counts()


def test_a_spec_with_nothing_free_is_searched_for_arrangements(tmp_path: Path) -> None:
    spec = SPEC.replace("[20, 60]", "36").replace("[0, 40]", "24")
    found = tune(written(tmp_path, TARGET + spec), tmp_path / "out", SMALL)
    assert {*found.check["deck"]} <= {*found.log["deck"]}  # no centre: one more random deck would be no better
    assert found.log["deck"].n_unique() == 15 and not [name for name in found.log.columns if name.startswith("asked")]
    assert {tuple(Deck.counts(found.deck).values())} == {(36, 36, 36, 36, 36, 36, 24)}
    row = found.log.row(7, named=True)
    assert replayed(tmp_path / "out", row["generation"], row["candidate"])[1] == row


def test_json_and_a_deck_that_policies_do_not_agree_on(tmp_path: Path, cli) -> None:
    """Random players leave far more rats in sight: no deck with many can please both."""
    text = (TARGET + SPEC).replace('["random"]', '["random", "sampled"]').replace("rat = [0, 40]", "rat = 40")
    text = text.replace("goal = 3\ntolerance = 0.3", "goal = 5.9\ntolerance = 0.5")
    numbers = SMALL | {"generations": 1, "check_games": 300}
    status, out, err = cli("deck", "tune", written(tmp_path, text), "--out", tmp_path / "out", *words(numbers), "--json")
    assert "deals are few" not in err
    facts = json.loads(out)
    assert status == 0 and facts["disputed"] == ["rats"] and facts["verdict"] == OUTSIDE and facts["seed"] == 5
    rats = {row["policies"]: row for row in facts["check"][:4] if row["metric"] == "rats"}
    assert rats["random"]["verdict"] == WITHIN and rats["sampled"]["high"] < 5.4 and rats["random"]["deck"] == facts["deck"]
    assert pl.read_csv(tmp_path / "out" / "check.csv")["policies"].unique().sort().to_list() == ["random", "sampled"]


def test_the_help_shows_a_good_file_and_every_metric(tmp_path: Path, cli) -> None:
    status, out, _ = cli("deck", "tune", "--help")
    assert status == 0 and EXAMPLE.strip() in out and "win_share" not in out
    assert all(f"\n  {key} " in out for key in ("rat_cost", "winner_score", "seat_advantage", "rats"))
    target = read_target(written(tmp_path, EXAMPLE))
    assert [str(each.line_up) for each in target.every()] == ["greedy"] * 2 + ["greedy against sampled, sampled"]
    assert {*tomllib.loads(EXAMPLE)} == {*KEYS} and {*tomllib.loads(EXAMPLE)["objective"][0]} == {*OBJECTIVE_KEYS}


def test_the_help_tells_the_defaults(cli) -> None:
    told = " ".join(cli("deck", "tune", "--help")[1].split())
    for key, default in module.DEFAULTS.items():
        assert re.search(rf" --{key.replace('_', '-')} [A-Z_]+ (?:(?! --).)*default {default:,} ", told), key
    assert all(len(line) <= 100 for line in cli("deck", "tune", "--help")[1].partition("Metrics:")[2].splitlines())


BAD = [
    ("playrs = 3", "Did you mean 'players'"),
    ("players = 5", "from 2 to 4"),
    ("players = 4\n[rules]\nstand_size = 9", "4 players need"),
    ("[rules]\nrat_penaltee = 1", "Did you mean 'rat_penalty'"),
    ("rules = 3", "rules: found 3"),
    ('policies = "random"', "policies: found 'random'"),
    ("policies = []", "found 0; give 1 to 20"),
    ('policies = ["random", "random"]', "'random' is there twice"),
    ('policies = ["randm"]', "Did you mean 'random'"),
    ('policies = ["py:os:system"]', "own code, which is never run"),
    ("policies = [3]", "found 3; give a text"),
    ("objective = 3", "objective: found 3"),
    ("objective = []", "objective: found 0"),
    ("[[objective]]\ngoal = 1\ntolerance = 1", "objective 1: metric missing"),
    ('[[objective]]\nmetric = "score"', "objective 1: goal and tolerance missing"),
    ("[[objective]]\nmetric = 3\ngoal = 1\ntolerance = 1", "objective 1, metric: found 3"),
    ('[[objective]]\nmetric = "score"\ngoal = "high"\ntolerance = 1', "objective 1, goal: found 'high'"),
    ('[[objective]]\nmetric = "score"\ngoal = nan\ntolerance = 1', "objective 1, goal: found nan"),
    ('[[objective]]\nmetric = "score"\ngoal = 1\ntolerance = 0', "objective 1, tolerance: found 0"),
    ('[[objective]]\nmetric = "score"\ngoal = 1\ntolerance = 1\nweight = -1', "objective 1, weight: found -1"),
    ('[[objective]]\nmetric = "score"\ngoal = 1\ntolerance = 1\nwieght = 1', "Did you mean 'weight'"),
    ('[[objective]]\nmetric = "scores"\ngoal = 1\ntolerance = 1', "Did you mean 'score'"),
    ('[[objective]]\nmetric = "win_share"\ngoal = 1\ntolerance = 1', "the same whatever the deck"),
    ('[[objective]]\nmetric = "score"\ngoal = 1\ntolerance = 1\npolicy = "random"', "of named_win and skill_gap"),
    ('[[objective]]\nmetric = "named_win"\ngoal = 1\ntolerance = 1\npolicy = "random"', "needs policy and against"),
    ('[[objective]]\nmetric = "named_win"\ngoal = 1\ntolerance = 1\npolicy = "random"\nagainst = "random"', "against: found"),
    ('[[objective]]\nmetric = "named_win"\ngoal = 1\ntolerance = 1\npolicy = "py:a:b"\nagainst = ["random"]', "own code"),
    (TARGET + '[[objective]]\nmetric = "rats"\ngoal = 1\ntolerance = 1', "rats (random)' is there twice"),
    ('[[objective]]\nmetric = "rat_cost"\ngoal = 1\ntolerance = 1\n[deck.symbols]\nrat = 0', "no deck of the spec has a rat"),
    ("[deck]\ncrads = 3", "Did you mean 'cards'"),
    ("[deck]\ncards = 20", "3 players need"),
    ('deck = "/etc/passwd"', "deck: found '/etc/passwd'"),
    ("players = ", "this is no TOML"),
]


@pytest.mark.parametrize(("text", "said"), BAD, ids=[said for _, said in BAD])
def test_files_that_are_wrong(tmp_path: Path, cli, text: str, said: str) -> None:
    rest = "" if "objective" in text else '[[objective]]\nmetric = "score"\ngoal = 1\ntolerance = 1\n'
    head, _, tail = text.partition("\n[")
    text = f"{head}\n{rest}{'[' + tail if tail else ''}" if not text.startswith("[") else f"{rest}{text}"
    file = written(tmp_path, text)
    status, out, err = cli("deck", "tune", file, "--out", tmp_path / "out", "--seed", 1)
    assert status == 2 and out == "" and said in err and str(file) in err and len(err.splitlines()) == 1, err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("numbers", "said"),
    [({"population": 3}, "population: found 3"), ({"generations": 0}, "generations"), ({"games": 29}, "from 30"),
     ({"check_games": 9}, "check_games"), ({"seed": -1}, "seed"), ({"games": "x"}, "--games")],
)  # fmt: skip
def test_numbers_that_are_wrong(tmp_path: Path, cli, numbers: dict[str, int], said: str) -> None:
    status, _, err = cli("deck", "tune", written(tmp_path), "--out", tmp_path / "out", *words(numbers))
    assert status == 2 and said in err and not (tmp_path / "out").exists()


def test_folders_that_are_wrong(tmp_path: Path, whole_search: Path, cli) -> None:
    file, none = written(tmp_path), tmp_path / "none"
    assert "holds files already" in cli("deck", "tune", file, "--out", whole_search)[2]
    assert "is over, see check.csv" in cli("deck", "tune", file, "--out", whole_search, "--resume")[2]
    assert "games: found 60; the search in" in cli("deck", "tune", file, "--out", whole_search, "--resume", "--games", 60)[2]
    assert "is no folder" in cli("deck", "tune", file, "--out", file)[2]
    assert "tune.json: can't be read" in cli("deck", "tune", file, "--out", none, "--resume")[2] and not none.exists()
    for text in ("", "3", "{}", '{"settings": {"seed": "x"}}', "[" * 10_000):
        none.mkdir(exist_ok=True)
        (none / "tune.json").write_text(text, encoding="utf-8")
        status, _, err = cli("deck", "tune", file, "--out", none, "--resume")
        assert status == 2 and "tune.json: " in err and "Give the folder of a search" in err, err


def test_games_are_rounded_to_whole_deals_and_told_as_played(tmp_path: Path, cli) -> None:
    file, out = written(tmp_path), tmp_path / "out"
    numbers = SMALL | {"generations": 1, "games": 31, "check_games": 61}
    status, text, _ = cli("deck", "tune", file, "--out", out, *words(numbers))
    assert status == 0 and "on 63 fresh games each" in text and {33} <= {*pl.read_parquet(out / LOG)["games"]}
    assert json.loads((out / "tune.json").read_text("utf-8"))["settings"] == numbers | {"games": 33, "check_games": 63}
    (out / "check.csv").unlink()
    assert cli("deck", "tune", file, "--out", out, "--resume", "--games", 31)[0] == 0
    assert [Number(5, 3, 12, 3).checked(value, "games") for value in (3, 4, 6, 12)] == [3, 6, 6, 12]
    with pytest.raises(vs.InputError, match="unknown number of the search 'game'"):
        tune(file, tmp_path / "other", {"game": 30})


def test_no_stage_meets_deals_of_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither where one line-up rotates and plays each deal three times. The search plays 30, 60 and 120 games of each deck."""
    text = TARGET.replace('"rats"\ngoal = 3', '"named_win"\npolicy = "sampled"\nagainst = ["random"]\ngoal = 0.4')
    met = DealsMet(monkeypatch)
    real = module._measured

    def measured(search: Search, name: str, *rest: object) -> object:
        met.stage = name
        return real(search, name, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(module, "_measured", measured)
    tune(written(tmp_path, text + SPEC), tmp_path / "out", SMALL | {"generations": 1})
    assert met.spans() == {
        ("search", False): (0, 119, 120), ("search", True): (0, 39, 40), ("choice", False): (120, 179, 60),
        ("choice", True): (120, 139, 20), ("check", False): (180, 239, 60), ("check", True): (180, 199, 20),
    }  # fmt: skip


def test_a_loss_that_is_no_number_is_null_in_json(tmp_path: Path, cli, monkeypatch: pytest.MonkeyPatch) -> None:
    real = Meter.estimates
    nothing = Estimate(math.nan, math.nan, math.nan)
    monkeypatch.setattr(Meter, "estimates", lambda self, tally: [nothing, *real(self, tally)[1:]])
    out = tmp_path / "out"
    status, said, _ = cli("deck", "tune", written(tmp_path), "--out", out, *words(SMALL | {"generations": 1}), "--json")
    first = json.loads(said, parse_constant=pytest.fail)["check"][0]
    assert status == 0 and (first["loss"], first["value"], first["verdict"]) == (None, None, OPEN)
    assert "none" in cli("deck", "tune", written(tmp_path), "--out", tmp_path / "two", *words(SMALL | {"generations": 1}))[1]


def unfinished(folder: Path, search: Path) -> Path:
    """Return a copy of a search as it is before its check."""
    folder.mkdir()
    for name in ("tune.toml", "tune.json", LOG, "deck.csv"):
        (folder / name).write_bytes((search / name).read_bytes())
    return folder


LOGS = [
    (lambda log: log.drop("loss"), "see 'loss'"),
    (lambda log: log.with_columns(more=1), "see 'more'"),
    (lambda log: log.with_columns(pl.col("rank").cast(pl.Float64)), "see 'rank'"),
    (lambda log: log.with_columns(loss=pl.lit(None, pl.Float64)), "empty cells"),
    (lambda log: log.with_columns(deck=pl.lit("0" * 64)), "is another deck than it was"),
    (lambda log: log.head(14), "14 rows are not whole generations"),
    (lambda log: log.reverse(), "row 1 is none of this search"),
    (lambda log: log.with_columns(asked_rat=pl.lit(1e300)), "row 1 is none of this search"),
    (lambda log: log.with_columns(rung=pl.lit(60, pl.Int64)), "row 1 is none of this search"),
    (lambda log: log.with_columns(rank=pl.lit(-1, pl.Int64)), "row 1 is none of this search"),
    (lambda log: log.with_columns(loss=pl.lit(float("nan"))), "row 1 is none of this search"),
    (lambda log: pl.concat([log, log.with_columns(pl.col("generation") + 3)]), "30 rows are not whole generations"),
    (lambda log: log.with_columns(rank=pl.int_range(14, -1, -1) % 5), "generation 1 is not of this search"),
]  # fmt: skip


@pytest.mark.parametrize(("change", "said"), LOGS, ids=[said for _, said in LOGS])
def test_logs_that_are_wrong(tmp_path: Path, whole_search: Path, cli, change, said: str) -> None:
    out = unfinished(tmp_path / "out", whole_search)
    log = pl.read_parquet(out / LOG)
    change(log).write_parquet(out / LOG)
    status, _, err = cli("deck", "tune", out / "tune.toml", "--out", out, "--resume")
    assert status == 2 and said in err and LOG in err, err
    assert not (out / "check.csv").exists()


def test_another_file_or_no_log_at_all(tmp_path: Path, whole_search: Path, cli) -> None:
    out = unfinished(tmp_path / "out", whole_search)
    other = written(tmp_path, TARGET.replace("30", "31") + SPEC)
    assert "begun with another file, see tune.toml" in cli("deck", "tune", other, "--out", out, "--resume")[2]
    (out / LOG).write_bytes(b"PAR1 no log")
    assert "this is no log" in cli("deck", "tune", out / "tune.toml", "--out", out, "--resume")[2]


# The shared parts: objectives, races, CMA-ES.


def test_what_an_objective_says_of_values_and_intervals() -> None:
    goal = Objective("x", 10, 2)
    assert [goal.miss(value) for value in (10, 12, 8, 14)] == [0, 1, 1, 4] and goal.miss(math.nan) == math.inf
    cases = {(9, 11): WITHIN, (8, 12): WITHIN, (12.1, 13): OUTSIDE, (6, 7.9): OUTSIDE, (7, 9): OPEN, (5, 15): OPEN}
    cases[math.nan, math.nan] = OPEN
    assert {ends: goal.verdict(*ends) for ends in cases} == cases


def test_the_loss_is_the_weighted_mean_of_each_objective_under_its_worst_policy() -> None:
    goals = [Objective("x", 0, 1, 3), Objective("y", 0, 2)]
    assert loss(goals, [[1, -2, 0], [4]]) == (3 * 4 + 1 * 4) / 4
    assert loss(goals, [[0, 0], [0]]) == 0 and loss(goals, [[math.nan], [0]]) == math.inf


def test_a_race_gives_the_better_half_another_round() -> None:
    asked: list[tuple[int, int]] = []

    def loss_at(each: int, rung: int) -> float:
        asked.append((rung, each))
        return [5, 1, 4, 2, 3][each] if rung < 2 else [0, 9, 0, 1, 0][each]

    placed = race(5, loss_at, 3)
    assert asked == [(0, 0), (0, 1), (0, 2), (0, 3), (0, 4), (1, 1), (1, 3), (1, 4), (2, 1), (2, 3)]
    assert [each.rank for each in placed] == [4, 1, 3, 0, 2] and [each.rung for each in placed] == [0, 2, 0, 2, 1]
    assert [each.loss for each in placed] == [5, 9, 4, 1, 3] and entrants(5, 3) == [5, 3, 2]
    assert [each.rank for each in race(3, lambda *_: 1.0, 2)] == [0, 1, 2] and len(race(1, lambda *_: 1.0, 3)) == 1


def test_a_race_keeps_the_best_of_planted_candidates() -> None:
    """400 races of 12: losses 0, 1, ..., 11 with noise of 2 that falls as games double; the best wins 73 in 100.

    Fewer than 62 in 100 come once in a million seeds. In the negative control races hear noise only, and each wins one of 12:
    more than 15 in 100 come once in 100,000 seeds.
    """
    random = np.random.default_rng(1)

    def won(scale: float) -> float:
        races = [race(12, lambda each, rung: scale * each + 2 * random.standard_normal() / 2 ** (rung / 2), 3) for _ in range(400)]
        return float(np.mean([placed[0].rank == 0 for placed in races]))

    assert won(1) > 0.62 and won(0) < 0.15


@pytest.mark.parametrize("size", [1, 3])
def test_evolution_finds_the_lowest_point_within_its_bounds(size: int) -> None:
    def run(seed: int) -> list[np.ndarray]:
        search, points = Evolution([0.5] * size, [0] * size, [1] * size, 0.25, 8, seed), []
        for _ in range(30):
            asked = search.ask()
            assert all(((point >= 0) & (point <= 1)).all() for point in asked)
            search.tell([float(((point - 0.9) ** 2).sum()) for point in asked])
            points += asked
        return [*points, search.centre]

    first, again, other = run(1), run(1), run(2)
    assert first[-1] == pytest.approx([0.9] * size, abs=0.02)
    assert all(np.array_equal(a, b) for a, b in zip(first, again, strict=True)) and not np.array_equal(first[0], other[0])
