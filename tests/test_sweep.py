"""Sweeps: files that say what to play, arms on common seeds, going on, the table, the command, the pictures."""

from __future__ import annotations

import json
import shutil
import signal
from collections.abc import Mapping
from pathlib import Path

import polars as pl
import pytest
from toy_game import HighSum
from toy_skill import OpenSum

import veggies_sim as vs
from veggies_sim.analysis.estimates import estimates
from veggies_sim.analysis.metrics import metrics_of
from veggies_sim.analysis.sweep import drawable, sweep
from veggies_sim.core import registry, runner, writer
from veggies_sim.core.options import Option
from veggies_sim.plots import heat_map as draw

CARDS = Path(__file__).parents[1] / "data" / "cards.csv"
TOY = 'game = "open-sum"\ngames = 60\nseed = 3\n'
GRID = TOY + 'players = [2, 3]\npolicies = ["peek", "peek:budget=4"]\nrules = {cards = [20, 40]}\n'


class BoxedSum(HighSum):
    """As High Sum; a rule that is a number or a text, is what the set-up says, and otherwise follows the players."""

    id, title = "boxed-sum", "Boxed Sum"
    rule_options = (*HighSum.rule_options, Option("sizes", 0, "does nothing", read=lambda value, _: value))  # type: ignore[arg-type,return-value]

    def __init__(self, players: int, setup: object = None, rules: Mapping[str, object] | None = None) -> None:
        super().__init__(players, None, {"sizes": setup or players} | dict(rules or {}))


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_GAMES", dict(registry._GAMES))
    registry.register(HighSum)
    registry.register(OpenSum)
    registry.register(BoxedSum)


@pytest.fixture
def grid(tmp_path: Path) -> Path:
    return written(tmp_path / "grid.toml", GRID)


def written(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def everything(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_every_combination_is_an_arm_of_its_own(grid: Path, tmp_path: Path) -> None:
    found = vs.sweep(grid, out=tmp_path / "out", jobs=1)
    assert found.varying == ["policies", "players", "cards"] and len(found.runs) == 8 and found.missing == 0
    arms = found.frame.select("arm", "deck", "policies", "players", "cards", "games").unique(maintain_order=True)
    assert arms.row(1) == ("002-policies-peek-players-2-cards-40", "shipped", "peek", 2, 40, 60)
    assert arms["arm"].to_list() == sorted(path.name for path in (tmp_path / "out" / "arms").iterdir())
    for run, row in zip(found.runs, arms.iter_rows(named=True), strict=True):
        m = vs.open_dataset(tmp_path / "out" / "arms" / row["arm"]).manifest
        assert (m.players, m.rules["cards"], m.policies) == (row["players"], row["cards"], [row["policies"]] * row["players"])
        assert m.state == "complete" and run.seats.equals(
            vs.simulate(OpenSum(m.players, rules=m.rules), row["policies"], 60, seed=3).seats
        )


def test_arms_share_their_deals(tmp_path: Path) -> None:
    shutil.copy(CARDS, tmp_path / "other.csv")
    text = 'games = 20\nseed = 5\nrecord = "moves"\npolicies = ["random", "sampled"]\ndecks = {a = "shipped", b = "other.csv"}\n'
    found = sweep(written(tmp_path / "s.toml", text), tmp_path / "out")
    orders = [run.deals["order"].to_list() for run in found.runs]
    assert len(orders) == 4 and orders[0] == orders[1] == orders[2] == orders[3] and orders[0][0] != orders[0][1]
    assert found.runs[0].seats.equals(found.runs[2].seats) and not found.runs[0].seats.equals(found.runs[1].seats)


def test_the_table_is_what_estimates_say(grid: Path, tmp_path: Path) -> None:
    text = TOY.replace("60", "90") + 'players = 3\npolicies = [["peek:budget=8", "peek", "drop"], "peek"]\nrotate_seats = true\n'
    found = sweep(written(tmp_path / "mixed.toml", text), tmp_path / "out", jobs=1)
    frame, metrics = found.frame, metrics_of(found.runs[0].game)
    columns = ["arm", "deck", "policies", "players", "games", "metric", "unit", "by", "which", "value", "low", "high", "error"]
    assert frame.columns == columns
    assert frame["policies"].unique(maintain_order=True).to_list() == ["peek:budget=8 / peek / drop", "peek"]
    for by, column in (("all", []), ("seat", ["seat"]), ("policy", ["policy"])):
        score = estimates(found.runs[0], [metrics["score"]], column)
        mine = frame.filter(pl.col("arm").str.starts_with("001"), metric="score", by=by)
        assert mine.select("value", "low", "high", "error").equals(score.select("value", "low", "high", "error"))
    every = frame.filter(by="all")["metric"].unique().to_list()
    assert "lead" in every and "win_share" not in every and "margin" not in every
    assert frame.filter(by="seat")["metric"].is_in(["lead", "winner_score"]).sum() == 0
    assert {arm[:3] for arm in frame.filter(by="policy")["arm"]} == {"001"}
    assert frame.filter(by="policy", metric="win_share").sort("value")["which"].to_list() == ["drop", "peek", "peek:budget=8"]
    for held in (pl.read_parquet(tmp_path / "out" / "sweep.parquet"), pl.read_csv(tmp_path / "out" / "sweep.csv")):
        assert held["value"].to_list() == frame["value"].to_list() and held.columns == columns


def test_a_game_without_a_line_for_it_goes_the_whole_way(tmp_path: Path, cli) -> None:
    file = written(tmp_path / "toy.toml", 'game = "high-sum"\ngames = 50\nplayers = [2, 3]\n')
    status, out, err = cli("sweep", file, "--out", tmp_path / "out", "--plot", tmp_path / "toy.svg")
    assert status == 0, err
    assert out.startswith("High Sum, 2 arms of 50 games, seed ") and "players 3" in out and "note" not in out
    assert "<svg" in (tmp_path / "toy.svg").read_text() and (tmp_path / "out" / "sweep.csv").exists()


def test_finished_arms_are_not_played_again_and_games_may_grow(grid: Path, tmp_path: Path, monkeypatch) -> None:
    out = tmp_path / "out"
    first = sweep(grid, out, jobs=1).frame
    before = everything(out)
    played: list[int] = []
    play = runner.Plan.play
    monkeypatch.setattr(runner.Plan, "play", lambda self, at, count: (played.append(at), play(self, at, count))[1])
    assert sweep(grid, out, jobs=1).frame.equals(first) and not played
    assert {name for name, text in everything(out).items() if before.get(name) != text} <= {
        name for name in before if name.endswith("run.json")
    }
    written(grid, GRID.replace("60", "80"))
    more = sweep(grid, out, jobs=1)
    assert more.frame["games"].unique().to_list() == [80] and min(played) == 60
    assert [run.manifest.games for run in more.runs] == [80] * 8


def test_an_interrupted_sweep_goes_on(grid: Path, tmp_path: Path, cli, monkeypatch: pytest.MonkeyPatch) -> None:
    whole, out = sweep(grid, tmp_path / "whole").frame, tmp_path / "a b"
    add, calls = writer.DatasetWriter.add, []

    def counted(self, *arguments: object) -> None:
        add(self, *arguments)
        calls.append(1)
        if len(calls) == 12:
            signal.raise_signal(signal.SIGINT)

    with monkeypatch.context() as patch:
        patch.setattr(runner, "TASK_GAMES", 16)
        patch.setattr(writer.DatasetWriter, "add", counted)
        status, _, err = cli("sweep", grid, "--out", out, "--jobs", 1)
    assert status == 130 and f"of 8 arms are finished in {out}. Go on with: veggies-sim sweep {grid} --out '{out}'" in err
    assert 0 < len([*(out / "arms").iterdir()]) < 8 and not (out / "sweep.csv").exists()
    assert "games are to be played" in cli("sweep", grid, "--out", out, "--dry-run")[2]
    status, _, err = cli("sweep", grid, "--out", out, "--jobs", 1)
    assert status == 0 and "8 arms" in err, err
    assert pl.read_parquet(out / "sweep.parquet").equals(whole)


def test_a_drawn_seed_is_kept(tmp_path: Path) -> None:
    file = written(tmp_path / "s.toml", 'game = "open-sum"\ngames = 20\n')
    first = sweep(file, tmp_path / "out")
    assert json.loads((tmp_path / "out" / "sweep.json").read_text())["seed"] == first.plan.how["seed"]
    assert sweep(file, tmp_path / "out").plan.how == first.plan.how
    assert sweep(file, tmp_path / "other").plan.how["seed"] != first.plan.how["seed"]


CHANGES = [
    (("seed = 3", "seed = 4"), "seed: 3 there, 4 here"),
    (("seed = 3", "seed = 3\npolicy_seed = 9"), "policy_seed: 3 there, 9 here"),
    (("games = 60", "games = 59"), "games: 60 there, 59 here"),
    (("games = 60", 'games = 60\nrecord = "moves"'), "record"),
    (("budget=4", "budget=5"), "policies: peek:budget=5 is only here, peek:budget=4 is only there"),
    (("[2, 3]", "[2]"), "players: 3 is only there"),
    (("[20, 40]", "[20, 41]"), "rules: cards=41 is only here, cards=40 is only there"),
    (("[20, 40]", "[40, 20]"), "another order"),
    (("open-sum", "high-sum"), "game: 'open-sum' there"),
]


@pytest.mark.parametrize(("change", "said"), CHANGES, ids=[said for _, said in CHANGES])
def test_a_changed_file_is_noticed(grid: Path, tmp_path: Path, cli, change: tuple[str, str], said: str) -> None:
    out = tmp_path / "out"
    sweep(grid, out, jobs=1)
    before = everything(out)
    text = GRID.replace(*change)
    if "high-sum" in text:
        text = text.replace('["peek", "peek:budget=4"]', '"blind"')
    status, _, err = cli("sweep", written(grid, text), "--out", out)
    assert status == 2 and said in err and "another folder" in err and len(err.splitlines()) == 1, err
    assert everything(out) == before


def test_a_changed_deck_is_noticed(tmp_path: Path, cli) -> None:
    deck = shutil.copy(CARDS, tmp_path / "mine.csv")
    file = written(tmp_path / "s.toml", 'games = 20\npolicies = "random"\ndecks = {mine = "mine.csv", printed = "shipped"}\n')
    assert cli("sweep", file, "--out", tmp_path / "out")[0] == 0
    head, first, *others = CARDS.read_text().splitlines()
    Path(deck).write_text("\n".join([head, *others, first]) + "\n")
    status, _, err = cli("sweep", file, "--out", tmp_path / "out")
    assert status == 2 and "the deck mine has changed" in err and "printed has" not in err


EDITED = ["", "{}", "[]", "[" * 9999, '{"schema": 1}', '{"schema": 2, "arms": {}}', '{"schema": 1, "arms": 3}',
          '{"schema": 1, "arms": {"x": 3}}', '{"schema": 1, "arms": {}, "seed": "x"}', "\udcff"]  # fmt: skip


@pytest.mark.parametrize("text", EDITED, ids=[text[:20] for text in EDITED])
def test_an_edited_record_is_refused(grid: Path, tmp_path: Path, cli, text: str) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "sweep.json").write_bytes(text.encode(errors="surrogateescape"))
    status, _, err = cli("sweep", grid, "--out", out)
    assert status == 2 and str(out) in err and "Traceback" not in err, err
    assert [path.name for path in out.iterdir()] == ["sweep.json"]


def test_a_damaged_arm_is_played_again(grid: Path, tmp_path: Path) -> None:
    first = sweep(grid, tmp_path / "out", jobs=1)
    next((first.runs[2].folder / "seats").iterdir()).write_bytes(b"PAR1")  # type: ignore[operator]
    assert sweep(grid, tmp_path / "out", jobs=1).frame.equals(first.frame)


def test_folders_that_hold_something_else_are_left_alone(grid: Path, tmp_path: Path, cli) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "diary.txt").write_text("dear diary")
    vs.simulate(OpenSum(2), games=5, out=tmp_path / "run")
    for out, said in ((tmp_path / "mine", "diary.txt"), (tmp_path / "run", "dataset"), (tmp_path / "run" / "x", "dataset"),
                      (grid, "grid.toml"), (grid / "x", "grid.toml")):  # fmt: skip
        status, _, err = cli("sweep", grid, "--out", out)
        assert status == 2 and said in err and "Traceback" not in err, err
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["diary.txt"] and not (tmp_path / "run" / "x").exists()


def test_settings_in_python(tmp_path: Path) -> None:
    deck = vs.Deck.read_csv(CARDS)
    found = vs.sweep({"decks": {"mine": deck}, "policies": "random", "games": 20, "seed": 1}, tmp_path / "out")
    assert found.runs[0].game.setup == deck and found.varying == [] and found.plan.name(found.plan.arms[0]) == "the only arm"
    for bad in (3, None, {"decks": {"mine": 3}}, {"decks": {3: deck}}, {"rules": {3: 4}}, {3: 4}, {"policies": [print]}):
        with pytest.raises(vs.InputError):
            vs.sweep(bad, tmp_path / "bad")  # type: ignore[arg-type]
    assert not (tmp_path / "bad").exists()


def test_the_command_prints_a_table_or_json(grid: Path, tmp_path: Path, cli) -> None:
    words = ("sweep", grid, "--out", tmp_path / "out")
    status, out, err = cli(*words)
    lines = out.splitlines()
    assert status == 0 and lines[0] == "Open Sum, 8 arms of 60 games, seed 3; varying: policies, players, cards", err
    assert lines[2].startswith("arm ") and lines[3].startswith("policies peek, players 2, cards 20 ") and "±" in lines[3]
    facts = json.loads(cli(*words, "--json")[1])
    assert facts["seed"] == 3 and facts["rows"] == pl.read_parquet(tmp_path / "out" / "sweep.parquet").to_dicts()
    assert json.loads(cli(*words, "--json", "--dry-run")[1])["arms"][0]["games_to_play"] == 0


def test_rules_that_follow_the_players_are_told(tmp_path: Path, cli) -> None:
    file = written(tmp_path / "s.toml", "games = 40\nseed = 1\npolicies = 'random'\nplayers = [2, 3]\n")
    status, out, err = cli("sweep", file, "--out", tmp_path / "out", "--metric", "shared_wins", "--plot", tmp_path / "s.svg")
    lines = out.splitlines()
    assert status == 0 and f"picture: {tmp_path / 's.svg'}" in err
    assert lines[0] == "Veggies, 2 arms of 40 games, seed 1, random at every seat; varying: players"
    assert lines[2] == "note: without a value of yours announced is 2 with 2 players, 1 with 3 players"
    assert "of 20 such intervals about 1" in lines[-1] and "random at every seat" in (tmp_path / "s.svg").read_text()
    table = pl.read_csv(tmp_path / "out" / "sweep.csv")
    assert table.select("players", "announced").unique().sort("players").rows() == [(2, 2), (3, 1)]
    shared = table.filter(metric="shared_wins", by="all").row(0, named=True)
    assert f"{shared['value']:.2%} ({shared['low']:.2%} .. {shared['high']:.2%})" in lines[5] and "% ±" not in out
    written(file, file.read_text() + "rules = {announced = 1}\n")  # control: set by the user, so the same in all arms
    assert "without a value of yours" not in cli("sweep", file, "--out", tmp_path / "other")[1]


def test_a_rule_that_is_a_number_here_and_a_text_there_is_a_text_everywhere(tmp_path: Path) -> None:
    how = {"game": "boxed-sum", "games": 20, "seed": 1}
    found = vs.sweep(how | {"rules": {"sizes": [14, "1,14"], "cards": [20, 40]}}, tmp_path / "mixed", jobs=1)
    assert found.frame["sizes"].unique(maintain_order=True).to_list() == ["14", "1,14"] and found.frame["cards"].dtype == pl.Int32
    assert [found.plan.values(arm)["sizes"] for arm in found.plan.arms] == ["14", "14", "1,14", "1,14"]
    found = vs.sweep(how | {"rules": {"sizes": [14, 0.5, 2**40]}}, tmp_path / "numbers", jobs=1)  # control: numbers stay
    assert found.frame["sizes"].unique(maintain_order=True).to_list() == [14, 0.5, 2**40]


def test_rules_that_follow_the_deck_are_not_said_to_follow_the_players(tmp_path: Path) -> None:
    from veggies_sim.cli.sweep import _head

    def notes(**varies: object) -> list[str]:
        return _head(vs.sweep({"game": "boxed-sum", "games": 20, "seed": 1} | varies, tmp_path / "out", dry_run=True))[1:]

    one, other, usual = {"one": "1,2"}, {"other": "1,3"}, {"printed": "shipped"}
    assert notes(decks=one | other) == notes(decks=one | other, players=[2, 3]) == notes(decks=one, players=[2, 3]) == []
    said = "note: without a value of yours sizes is 2 with 2 players, 3 with 3 players"
    assert notes(players=[2, 3]) == notes(decks=usual, players=[2, 3]) == [said]
    assert notes(decks=usual | one, players=[2, 3]) == [f"{said} (deck printed)"]


def test_what_must_be_said_of_the_shipped_deck(tmp_path: Path, cli) -> None:
    file = written(tmp_path / "s.toml", "games = 20\npolicies = 'random'\nrules = {rat_penalty = [1, 2]}\n")
    _, out, _ = cli("sweep", file, "--out", tmp_path / "out", "--plot", tmp_path / "s.svg")
    note = vs.Veggies.setup_note
    assert note in out and note in (tmp_path / "s.svg").read_text()
    assert json.loads((tmp_path / "out" / "sweep.json").read_text())["note"] == note


BAD = [
    (("--metric", "scrore"), "Did you mean 'score'"),
    (("--metric", "Spread of scores"), "Did you mean 'score_sd'"),
    (("--metric", "win_share"), "Choose a seat"),
    (("--metric", "lead", "--seat", 0), "of a whole game"),
    (("--seat", 2), "from 0 to 1"),
    (("--plot", "x.gif"), ".png, .svg or .pdf"),
]


@pytest.mark.parametrize(("words", "said"), BAD, ids=[said for _, said in BAD])
def test_pictures_that_can_not_be_drawn_are_refused_first(tmp_path: Path, cli, words: tuple[object, ...], said: str) -> None:
    file = written(tmp_path / "s.toml", TOY + "players = [2, 3]\n")
    plot = () if "--plot" in words else ("--plot", tmp_path / "x.png")
    status, out, err = cli("sweep", file, "--out", tmp_path / "out", *plot, *words)
    assert status == 2 and out == "" and said in err, err
    assert [path.name for path in tmp_path.iterdir()] == ["s.toml"]


def test_a_picture_of_three_things_is_refused(grid: Path, tmp_path: Path, cli) -> None:
    status, _, err = cli("sweep", grid, "--out", tmp_path / "out", "--plot", tmp_path / "x.png")
    assert status == 2 and "up to 2 things that vary, found policies, players, cards" in err
    assert not (tmp_path / "out").exists()


def test_pictures_show_the_frame(tmp_path: Path) -> None:
    from matplotlib.figure import Figure

    file = written(tmp_path / "s.toml", GRID.replace("[20, 40]", "20"))
    found = sweep(file, tmp_path / "out", jobs=1)
    rows = found.frame.filter(drawable(found.plan, "win_share", 1))
    assert len(rows) == 4
    ax = draw.picture(rows, found.varying, draw.Measure("win share (%)", True), Figure().subplots())
    assert (ax.get_ylabel(), ax.get_xlabel()) == ("policies", "players") and ax.images[0].get_cmap().name == "cividis"
    assert [label.get_text() for label in ax.get_xticklabels()] == ["2", "3"]
    first = rows.row(0, named=True)
    said = f"{100 * first['value']:.1f}%\n{100 * first['low']:.1f} .. {100 * first['high']:.1f}"
    assert ax.texts[0].get_text() == said and len(ax.texts) == 4
    one = pl.DataFrame({"arm": ["x", "y", "z"], "value": [1.0, 2.0, None], "low": [0.5, 1.5, None], "high": [1.5, 2.5, None]})
    ax = draw.picture(one, [], draw.Measure("score (points)", False), title="A\nB")
    assert [label.get_text() for label in ax.get_yticklabels()] == ["x", "y", "z"] and "score (points)" in ax.get_xlabel()


def test_cells_without_an_arm_stay_empty() -> None:
    frame = pl.DataFrame({"a": [1, 2], "b": [1, 2], "value": [1.0, 2.0], "low": [0.5, None], "high": [1.5, None]})
    ax = draw.heat_map(frame, ("a", "b"), draw.Measure("x", False))
    assert [text.get_text() for text in ax.texts] == ["1.0\n± 0.5", "2.0\n± unknown"]
    assert [text.get_color() for text in ax.texts] == ["white", "black"]
