"""The ladder: who sits where, the budget, the command, the pictures. Its statistics are in test_ladder_statistics.py."""

from __future__ import annotations

import json
import math
import re
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest
from toy_skill import OpenSum

import veggies_sim as vs
from veggies_sim.analysis.ladder import ladder, skill_trace, standings
from veggies_sim.analysis.line_ups import How, divide, line_ups, play
from veggies_sim.core import registry
from veggies_sim.core.progress import bar
from veggies_sim.plots import ladder as draw

NAMES = ["a", "b", "c", "d", "e"]


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_GAMES", dict(registry._GAMES))
    registry.register(OpenSum)


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("count", [2, 3, 4, 5])
def test_line_ups_are_all_there_and_fair(count: int, players: int) -> None:
    found = list(line_ups(NAMES[:count], players))
    onto = {(2, 3): 6, (2, 4): 14, (3, 4): 36}
    assert len({*found}) == len(found) == onto.get((count, players), math.perm(count, players))
    for seats in found:
        assert len({*seats}) == min(count, players)
    sat = {(name, seat): sum(seats[seat] == name for seats in found) for name in NAMES[:count] for seat in range(players)}
    assert len({*sat.values()}) == 1


def test_the_budget_is_divided_evenly_or_refused() -> None:
    assert divide(100, NAMES[:3], 2) == (6, 16, 4)
    assert divide(60, NAMES[:3], 2) == (6, 10, 0)
    assert divide(250, NAMES[:2], 3, rounds=4) == (6, 10, 10)
    for games, names, rounds, needed in ((59, NAMES[:3], 1, "60"), (47, NAMES[:2], 6, "120"), (5, NAMES * 40, 1, "398,000")):
        with pytest.raises(vs.InputError, match=f"Give {needed} or more"):
            divide(min(games, int(needed.replace(",", "")) - 1), names, 2, rounds)


def test_rows_are_those_of_simulate_and_do_not_depend_on_jobs() -> None:
    game, names = OpenSum(3), {"peek": "peek", "peek:budget=4": "peek:budget=4"}
    with bar(600, False, "ladder") as done:
        one, two = (play(game, names, 20, How(5, 9, jobs, "threads"), done) for jobs in (1, 2))
    assert one.equals(two) and one["deal"].n_unique() == 20
    for number, seats in enumerate(line_ups(list(names), 3)):
        rows = vs.simulate(game, seats, 20, seed=5, policy_seed=9 + number).seats
        mine = one.filter(line_up=number).with_columns(pl.col("policy").cast(pl.String))
        assert mine.select(rows.columns[1:8]).equals(rows.select(rows.columns[1:8]))


def test_the_better_player_stands_higher() -> None:
    found = ladder(OpenSum(2), ["peek:budget=2", "peek", "peek:budget=16"], 300, seed=1, jobs=1)
    table = found.standings
    assert table["policy"].to_list() == ["peek:budget=16", "peek:budget=2", "peek"]
    assert table["games"].to_list() == [200, 200, 200] and table["win_share"].mean() == pytest.approx(found.par)
    assert table["rating"].is_sorted(descending=True) and table["rating"].mean() == pytest.approx(0)
    assert found.luck["share"].sum() == pytest.approx(1) and (found.budget, found.seed, found.policy_seed) == ((6, 50, 0), 1, 1)
    assert found.differences.select("policy", "other").rows() == [
        ("peek:budget=16", "peek:budget=2"), ("peek:budget=16", "peek"), ("peek:budget=2", "peek")
    ]  # fmt: skip


def test_equal_players_are_at_par() -> None:
    found = ladder(OpenSum(3), ["peek", "peek:mood=wild"], 900, seed=4, jobs=1)
    assert (found.standings["win_low"] < found.par).all() and (found.standings["win_high"] > found.par).all()
    assert found.standings["rating_low"][0] < 0 < found.standings["rating_high"][0]


def test_teams_with_a_player_that_always_loses() -> None:
    found = ladder(OpenSum(4), ["peek:budget=8", "drop"], 280, seed=2, jobs=1)
    assert found.par == 0.5 and found.budget.line_ups == 14
    assert found.standings["rating"].to_list() == [None, None]
    assert found.standings["note"].to_list() == ["no rating: always won", "no rating: never won"]


def test_a_skill_trace_doubles_one_option_and_keeps_the_others() -> None:
    found = skill_trace(OpenSum(2), "peek:mood=wild", "budget", 300, steps=3, seed=3, jobs=1)
    assert found.steps.select("option", "doubled").rows() == [(1, 2), (2, 4), (4, 8)]
    assert found.steps["policy"].to_list() == [f"peek:budget={budget},mood=wild" for budget in (2, 4, 8)]
    assert (found.steps["win_low"] > found.par).all() and found.budget == (2, 50, 0)


BAD = [
    (("--policy", "peek"), "two or more, all different"),
    (("--policy", "peek", "--policy", "peek:budget=1"), "all different"),
    (("--policy", "peek", "--policy", "pek"), "Did you mean 'peek'"),
    (("--policy", "peek", "--policy", "drop", "--games", 59), "60 or more."),
    (("--policy", "peek", "--policy", "drop", "--double", "budget"), "one --policy"),
    (("--policy", "peek", "--policy", "drop", "--steps", 2), "--double"),
    (("--policy", "peek", "--double", "mood"), "Valid: budget"),
    (("--policy", "peek", "--double", "care"), "Valid: budget"),
    (("--policy", "drop", "--double", "budget"), "Valid: none"),
    (("--policy", "peek:budget=5", "--double", "budget"), "is 80. Valid: 1..64"),
    (("--policy", "peek", "--double", "budget", "--steps", 0), "steps"),
    (("--policy", "peek", "--double", "budget", "--games", 239), "240 or more."),
    (("--policy", "peek", "--policy", "drop", "--games", 2**62 + 1), "games: found"),
    (("--policy", "peek", "--policy", "drop", "--plot", "x.gif"), ".png, .svg or .pdf"),
    (("--policy", "peek", "--policy", "drop", "--plot", "taken.png"), "exists already"),
    (("--policy", "peek", "--policy", "drop", "--plot", "taken.png/x.png"), "can't be written"),
    (("--policy", "peek", "--policy", "drop", "--plot", f"new/{'x' * 300}.png"), "can't be written"),
    (("--policy", "peek", "--policy", "drop", "--seed", -1), "seed"),
    (("--policy", "peek", "--policy", "drop", "--jobs", 0), "jobs"),
    (("--policy", "peek", "--policy", "drop", "--rule", "cards=5"), "20..200"),
]


@pytest.mark.parametrize(("words", "said"), BAD, ids=[" ".join(map(str, words)) for words, _ in BAD])
def test_bad_arguments(tmp_path: Path, cli, monkeypatch: pytest.MonkeyPatch, words: tuple[object, ...], said: str) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "taken.png").write_text("mine")
    status, out, err = cli("ladder", "--game", "open-sum", *words)
    assert status == 2 and out == "" and said in err and len(err.splitlines()) == 1, err
    assert [path.name for path in tmp_path.iterdir()] == ["taken.png"]


@pytest.mark.parametrize("policies", [None, "peek", [], ["peek"], [1, 2], {"peek", "drop"}, [["peek"], "drop"], ["peek", None]])
def test_policies_that_are_no_list_of_policies(policies: object) -> None:
    with pytest.raises(vs.InputError):
        ladder(OpenSum(2), policies, 100)  # type: ignore[arg-type]


@pytest.mark.parametrize(("game", "policy", "option"), [("open-sum", "peek", "budget"), (OpenSum(2), ["peek"], "budget"),
                                                        (OpenSum(2), None, "budget"), (OpenSum(2), "peek", [])])  # fmt: skip
def test_a_trace_of_what_is_no_game_policy_or_option(game: object, policy: object, option: object) -> None:
    with pytest.raises(vs.InputError):
        skill_trace(game, policy, option, 100)  # type: ignore[arg-type]
    with pytest.raises(vs.InputError, match="give a game object"):
        ladder("open-sum", ["peek", "drop"], 100)  # type: ignore[arg-type]


def test_intervals_stay_within_what_is_possible() -> None:
    found = ladder(OpenSum(3), ["peek", "drop"], 72, seed=1, jobs=1)
    assert ladder(OpenSum(3), ["peek", "drop", "peek:budget=3"], 60, seed=1, jobs=1).most == 1
    assert found.most == pytest.approx(2 / 3) and found.standings["win_high"].max() == pytest.approx(2 / 3)
    assert found.differences["win_high"][0] == pytest.approx(2 / 3)  # 2 of 3 against nothing
    assert ladder(OpenSum(2), ["peek", "drop"], 20, seed=1, jobs=1).most == 1


class Stopped(How):
    """Ctrl-C after some calls."""

    left = 30

    def play(self, *arguments: object, **more: object) -> pl.DataFrame:  # type: ignore[override]
        Stopped.left -= 1
        if not Stopped.left:
            raise KeyboardInterrupt
        return super().play(*arguments, **more)  # type: ignore[arg-type]


def test_after_an_interruption_the_finished_deals_count(cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("veggies_sim.analysis.line_ups.How", Stopped)
    for left, kept in ((30, True), (4, False)):
        Stopped.left = left
        words = ("--policy", "peek", "--policy", "drop", "--games", 10**7)
        status, out, err = cli(*PLAY, *words)
        deals = re.search(r"2 line-ups on the same ([\d,]+) deals", out)
        assert status == 130 and bool(deals) is kept and ("finished" in err.splitlines()[-1])
    Stopped.left = 21
    status, out, err = cli(*PLAY, "--policy", "peek", "--double", "budget", "--games", 8 * 8 * 10)
    assert status == 130 and "1 to 2" in out and "8 to 16" not in out and "interrupted" in err


PLAY = ("ladder", "--game", "open-sum", "--players", 2, "--seed", 1, "--jobs", 1)


def test_the_command_prints_a_table_or_json(cli) -> None:
    play = (*PLAY, "--policy", "peek", "--policy", "peek:budget=8", "--policy", "drop", "--games", 250)
    status, out, err = cli(*play)
    assert status == 0, err
    assert "6 line-ups on the same 41 deals: 246 games (4 of the budget left over), seed 1" in out
    assert re.search(r"^drop +0\.0% +0\.0% \.\. \d+\.\d% .* none +open +164$", out, re.M) and "drop: no rating: never won" in out
    assert "Open Sum, 2 players" in out and "246/246" in err and err.count("0%|") == 2  # the start and the end of one bar
    assert "points of the own side minus" in out and "all pairs at once:" in out and "64%" in out and "the most is" not in out
    said = json.loads(cli(*play, "--json")[1])
    assert said["head"] == ["Open Sum, 2 players; rules: cards=40"] == out.splitlines()[:1] and said["most"] == 1
    assert said["deals"] == 41 and said["left_over"] == 4 and len(said["differences"]) == 3
    assert [row["policy"] for row in said["standings"]] == ["peek:budget=8", "peek", "drop"]
    assert said["standings"][2]["rating"] is None and said["standings"][0]["rating"] == -said["standings"][1]["rating"]


def test_the_trace_prints_a_table_or_json(cli) -> None:
    play = (*PLAY, "--policy", "peek", "--double", "budget", "--steps", 2, "--games", 80)
    status, out, err = cli(*play)
    assert status == 0 and re.search(r"^1 to 2 .*\n2 to 4 ", out, re.M) and "2 steps of 2 line-ups on the same 20 deals" in out
    assert "80.0/80.0" in err and err.count("0%|") == 2
    assert [row["doubled"] for row in json.loads(cli(*play, "--json")[1])["steps"]] == [2, 4]


@pytest.mark.parametrize(("ending", "start"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("PDF", b"%PDF")])
def test_pictures(tmp_path: Path, cli, ending: str, start: bytes) -> None:
    file = tmp_path / "new" / f"ladder.{ending}"
    assert cli(*PLAY, "--policy", "peek", "--policy", "drop", "--games", 20, "--plot", file)[0] == 0
    assert file.read_bytes().startswith(start)
    assert cli(*PLAY, "--policy", "peek", "--double", "budget", "--games", 80, "--plot", tmp_path / f"trace.{ending}")[0] == 0


def test_pictures_show_the_frame_on_given_axes() -> None:
    from matplotlib.figure import Figure

    frame = pl.DataFrame({"policy": ["x", "y"], "win_share": [0.7, 0.3], "win_low": [0.6, 0.2], "win_high": [0.8, 0.4]})
    ax = Figure().subplots()
    assert draw.standings(frame, 0.5, ax) is ax
    assert [label.get_text() for label in ax.get_yticklabels()] == ["x", "y"] and ax.get_yticks()[0] > ax.get_yticks()[1]
    assert ax.get_xlim()[0] < 0 and [text.get_text() for text in ax.texts] == ["par 50.0%"]
    assert "%" in ax.get_xlabel() and [line.get_xdata()[0] for line in ax.lines][:2] == [0.5, 0.7]
    trace = draw.skill_trace(frame.with_columns(option=pl.Series([4, 8]), doubled=pl.Series([8, 16])), 0.5, "budget", title="A\nB")
    assert trace.figure.get_suptitle() == "A\nB" and trace.get_ylim()[0] == 0  # type: ignore[union-attr]
    assert trace.lines[1].get_linestyle() == "None"  # steps stand alone
    assert trace.get_xscale() == "log" and "budget" in trace.get_xlabel() and "win share" in trace.get_ylabel()


def test_what_must_be_said_stands_with_the_table_and_over_the_picture(tmp_path: Path, cli) -> None:
    file = tmp_path / "ladder.svg"
    words = ("--policy", "random", "--policy", "sampled", "--rule", "rat_penalty=3", "--games", 60, "--seed", 5, "--plot", file)
    status, out, err = cli("ladder", *words)
    drawn = re.findall("<!-- (.*) -->", file.read_text())
    assert status == 0 and "rat_penalty=3" in out.splitlines()[0] and "note" not in err, err
    assert out.splitlines()[1] == f"note: {vs.Veggies.setup_note}" in drawn
    assert "with 2 policies at 3 seats the most is 66.7%" in out
    assert any("rat_penalty=3" in line for line in drawn) and any("10 deals: 60 games, seed 5" in line for line in drawn)


def test_a_ladder_of_veggies_ranks_greedy_over_random() -> None:
    table = vs.ladder(vs.Veggies(players=3), ["random", "greedy"], 60, seed=1).standings
    assert table["policy"].to_list() == ["greedy", "random"] and table["of_par"][0] > 1.9


def test_the_share_of_a_sure_winner_still_has_an_interval() -> None:
    game = OpenSum(2)
    with bar(40, False, "ladder") as done:
        rows = play(game, {"peek": "peek", "drop": "drop"}, 10, How(1, 1, 1, "threads"), done)
    table = standings(rows, par=0.5)
    assert table["of_par"].to_list() == [2.0, 0.0] and table["of_par_high"][0] == 2.0 and table["of_par_low"][0] < 1.7


def test_heavy_libraries_load_when_they_are_used() -> None:
    code = (
        "import sys, veggies_sim\nfrom veggies_sim.cli.main import build_parser\nbuild_parser()\n"
        "print([name for name in ('scipy', 'statsmodels', 'matplotlib', 'polars', 'pandas') if name in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
