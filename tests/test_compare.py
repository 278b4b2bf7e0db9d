"""Comparisons: equal to scipy and statsmodels where they have the same estimator, right about equal runs, and the command.

Chance tests have fixed seeds, and bounds that a right program misses once in a million seeds (FALSE_ALARM); with each goes
a control, a wrong way to compute that must miss its bound.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy import stats
from statsmodels.stats.power import TTestPower
from toy_game import HighSum
from toy_skill import OpenSum

import veggies_sim as vs
from veggies_sim.analysis import compare as module
from veggies_sim.analysis import seats
from veggies_sim.analysis.amounts import read_amount
from veggies_sim.analysis.metrics import metrics_of
from veggies_sim.analysis.pairs import changed, common, sums_of
from veggies_sim.cli import compare as command
from veggies_sim.core import registry
from veggies_sim.core.dataset import Run
from veggies_sim.plots import compare as draw

FALSE_ALARM = 1e-6
GAME = vs.Veggies(players=3)


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_GAMES", dict(registry._GAMES))
    registry.register(HighSum)
    registry.register(OpenSum)


def play(games: int = 400, game: vs.Run = GAME, policies: object = "random", **how: object) -> Run:
    return vs.simulate(game, policies, games, **({"seed": 1, "jobs": 1} | how))


def harder(game: vs.Run = GAME) -> vs.Run:
    return vs.Veggies(players=3, rules={"rat_penalty": 3})


def by_deal(run: Run, column: str, seat: int = 0) -> np.ndarray:
    rows = run.seats.filter(pl.col("seat") == seat).with_columns(pl.col(column).cast(pl.Float64))
    return rows.group_by("deal").agg(pl.col(column).mean()).sort("deal")[column].to_numpy()


def row_of(found: module.Comparison, metric: str, **of: object) -> dict:
    where = [pl.col(name).eq_missing(pl.lit(of.get(name))) for name in ("seat", "policy")]
    (row,) = found.rows.filter(pl.col("metric") == metric, *where).to_dicts()
    return row


@pytest.mark.parametrize("how", [{}, {"plays_per_deal": 2}, {"policies": ["random", "sampled", "random"], "rotate_seats": True}])
def test_paired_differences_are_the_paired_t_test_of_scipy(how: dict) -> None:
    a, b = play(396, **how), play(396, game=harder(), **how)  # whole deals: the ratio of sums is the mean over deals
    found = vs.compare([a, b])
    for metric, column in (("score", "score"), ("win_share", "win"), ("margin", "margin")):
        row = row_of(found, metric, seat=0)
        left, right = by_deal(a, column), by_deal(b, column)
        theirs = stats.ttest_rel(right, left)
        ends = theirs.confidence_interval(0.95)
        ours = [row[name] for name in ("difference", "low", "high", "p")]
        assert ours == pytest.approx([right.mean() - left.mean(), *ends, theirs.pvalue], rel=1e-9)
        assert row["pairing_gain"] > (1.1 if metric == "win_share" else 2)
    assert found.runs["paired"].to_list() == [True] and found.runs["changed"][0] > 0.9


def test_other_seeds_are_welchs_t_test_of_scipy() -> None:
    a, b = play(), play(300, seed=2)
    found = vs.compare([a, b])
    row, left, right = row_of(found, "score", seat=1), by_deal(a, "score", 1), by_deal(b, "score", 1)
    theirs = stats.ttest_ind(right, left, equal_var=False)
    ends = theirs.confidence_interval(0.95)
    assert [row[name] for name in ("low", "high", "p")] == pytest.approx([*ends, theirs.pvalue], rel=1e-9)
    assert row["pairing_gain"] is None and found.runs["changed"][0] is None and not found.runs["paired"][0]
    spread = np.sqrt((left.var() + right.var()) / 2)
    assert row["effect"] == pytest.approx((right.mean() - left.mean()) / spread) and row["effect_kind"] == "d"


def test_smallest_difference_and_games_needed_are_those_of_statsmodels() -> None:
    row = row_of(vs.compare([play(), play(game=harder())], wish={"score": 0.25}), "score", seat=0)
    spread = row["error"] * np.sqrt(400)
    power = TTestPower()
    assert row["smallest"] / spread == pytest.approx(power.solve_power(nobs=400, alpha=0.05, power=0.8), rel=0.005)
    assert row["games_needed"] == pytest.approx(power.solve_power(0.25 / spread, alpha=0.05, power=0.8), rel=0.02)
    assert row["wished"] == 0.25


def test_p_values_are_corrected_for_all_rows_of_all_runs() -> None:
    found = vs.compare([play(), play(game=harder()), play(policy_seed=9)]).rows
    p, n = np.sort(found["p"].to_numpy()), len(found)
    holm = np.minimum(np.maximum.accumulate(p * (n - np.arange(n))), 1)
    assert np.allclose(np.sort(found["p_corrected"].to_numpy()), holm)
    alpha = pl.col("p_corrected") <= 0.05
    assert found.filter(alpha)["found"].unique().to_list() == ["sure"] and found.filter(~alpha, found="sure").is_empty()
    sure = found.filter(metric="score", run="run 1").head(1)["verdict"][0]
    assert sure.startswith("lower by ") and sure.endswith(" points (sure at 5 % after correction)")
    none = found.filter(found="none shown").to_dicts()[0]
    assert none["verdict"].startswith("no difference shown; differences beyond +-") and none["verdict"].endswith(" are unlikely")
    assert found.filter(found="perhaps")["verdict"].str.starts_with("perhaps ").all()


def test_equal_runs_are_called_different_in_5_of_100_comparisons() -> None:
    """A/A: the same deals, other draws of the policies. Control: taken as unpaired, such runs are seldom called different."""
    studies, deals, plays = 200, 20, 40
    size = deals * plays
    a, b = (play(studies * size, vs.Veggies(players=2), plays_per_deal=plays, policy_seed=each) for each in (1, 2))
    metrics = {key: metrics_of(a.game)[key] for key in module.OF_SEATS}
    tables = [run._tables["seats"].combine_chunks() for run in (a, b)]
    p: dict[bool, list[list[float]]] = {True: [], False: []}
    for first in range(0, studies * size, size):
        pair = [
            Run(replace(run.manifest, first_game=first, games=size), run.game, None, {"seats": rows.slice(2 * first, 2 * size)})
            for run, rows in zip((a, b), tables, strict=True)
        ]
        how = common(*pair, "ab")
        assert how.deals == (deals, deals)
        frames = tuple(sums_of(run, metrics, how.games[0]) for run in pair)
        for paired, found in p.items():
            rows = pl.concat(module._views(metrics, frames, how._replace(paired=paired), 0.95))  # type: ignore[arg-type]
            found.append(rows.filter(pl.col("metric") != "margin", pl.col("seat").is_null() | (pl.col("seat") == 0))["p"].to_list())
    low, high = stats.binom.ppf([FALSE_ALARM / 2, 1 - FALSE_ALARM / 2], studies, 0.05)
    right, wrong = np.array(p[True]).T, np.array(p[False]).T
    assert len(right) == 3  # score; win share and score of seat 0
    for each in right:
        assert low <= (each < 0.05).sum() <= high and stats.kstest(each, "uniform").pvalue > FALSE_ALARM
    assert stats.kstest(wrong[0], "uniform").pvalue < FALSE_ALARM and (wrong[0] < 0.05).sum() < (right[0] < 0.05).sum()


def test_a_planted_difference_is_found_by_pairing_and_missed_without() -> None:
    game = vs.Veggies(players=3, rules={"rat_penalty": 3})
    a, b = play(60), play(60, game)
    paired = row_of(vs.compare([a, b]), "winner_score")
    apart = row_of(vs.compare([a, Run(replace(b.manifest, seed=2), game, None, b._tables)]), "winner_score")
    assert paired["found"] == "sure" and paired["pairing_gain"] > 4
    assert apart["found"] == "none shown" and apart["difference"] == paired["difference"]


def test_identical_runs_say_so_and_one_changed_row_does_not(tmp_path: Path) -> None:
    a, b = play(), play(500, out=tmp_path / "b")
    found = vs.compare([a, b, a])
    assert found.runs["identical"].to_list() == [True, True] and found.runs["changed"].to_list() == [0, 0]
    assert found.runs["games"].to_list() == [400, 400] and found.rows["verdict"].unique().to_list() == ["identical"]
    assert found.rows["p"].unique().to_list() == [1.0] and found.rows["difference"].unique().to_list() == [0.0]
    rows = a._tables["seats"]
    odd = pl.DataFrame(pl.from_arrow(rows)).with_columns(
        rats=pl.when(pl.col("game") == 7, pl.col("seat") == 2).then(pl.col("rats") + 1).otherwise("rats").cast(pl.UInt8)
    )
    other = Run(a.manifest, a.game, None, {"seats": odd.to_arrow()})
    seen = vs.compare([a, other])
    assert not seen.runs["identical"][0] and seen.runs["changed"][0] == pytest.approx(1 / 400)
    assert seen.runs["changed_low"][0] < 1 / 400 < seen.runs["changed_high"][0]
    assert row_of(seen, "score")["verdict"] == "equal in these games" and row_of(seen, "score")["low"] is None


def test_a_share_that_no_deal_changes_is_bounded_and_not_exact() -> None:
    """Below 0: what 400 deals can't show. The control is a share that some deals change."""

    def made(run: Run, below: int) -> Run:
        frame = pl.DataFrame(pl.from_arrow(run._tables["seats"]))
        score = pl.when(pl.col("game") < below).then(-1).otherwise(5).cast(frame.schema["score"])
        return Run(run.manifest, run.game, None, {"seats": frame.with_columns(score=score).to_arrow()})

    a = play()
    found = vs.compare([made(a, 0), made(play(policy_seed=9), 0)])
    row = row_of(found, "below_zero")
    most = stats.beta.ppf(0.975, 1, 400)  # Clopper and Pearson, none of 400
    assert (row["low"], row["difference"], row["high"]) == pytest.approx((-most, 0, most)) and row["found"] == "equal"
    assert row["verdict"] == "equal in these games; differences beyond +-0.918pp are unlikely"
    other = row_of(vs.compare([made(a, 0), made(a, 40)]), "below_zero")
    assert other["low"] > most


def test_fairness_is_that_of_the_most_unequal_side() -> None:
    a, b = play(), play(policies=["random", "sampled", "random"])
    found = vs.compare([a, b])
    joint = seats.advantage(b).select("win_share", "win_low", "win_high").rows()
    mine = found.sides.filter(of="run")
    assert mine.select("win_share", "low", "high").rows() == [pytest.approx(row) for row in joint]
    assert module.most_unequal(mine)["seats"] == "1" and mine["policy"].to_list() == ["random", "sampled", "random"]
    two = vs.compare([play(40, vs.Veggies(4)), play(40, vs.Veggies(4, rules={"rat_penalty": 3}))]).sides
    assert two["seats"].unique().sort().to_list() == ["0+2", "1+3"] and two["par"].unique().to_list() == [0.5]
    first, second = two.filter(of="base").select("win_share", "low", "high").rows()  # two ends of one interval
    assert first == pytest.approx((1 - second[0], 1 - second[2], 1 - second[1]))


def test_games_that_end_otherwise_are_counted_across_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("veggies_sim.analysis.pairs.STEP", 64)
    play(150, out=tmp_path / "a")
    a, b = play(out=tmp_path / "a", mode="resume"), play(game=harder(), out=tmp_path / "b", first_game=50)
    assert len(a.manifest.parts) == 2
    shared = common(a, b, "ab")
    assert shared.games == ([(50, 350)],) * 2 and shared.deals == (350, 350)
    both = a.seats.join(b.seats, on=["game", "seat"])
    differ = pl.any_horizontal(pl.col(name).ne_missing(pl.col(f"{name}_right")) for name in a.seats.columns
                               if name not in ("game", "seat", "policy"))  # fmt: skip
    counted = both.group_by("game").agg(differ.any().alias("differ"))
    found = changed(a, b, shared).sums
    assert [found["changed.0"].sum(), found["changed.1"].sum()] == [counted["differ"].sum(), 350]
    assert vs.compare([a, b]).runs["games"][0] == 350


def test_runs_with_other_numbers_of_plays_are_paired_by_deal() -> None:
    a, b = play(60), play(120, plays_per_deal=3)
    found = vs.compare([a, b])
    assert found.runs.select("paired", "games", "deals", "changed").rows() == [(True, 120, 40, None)]
    assert row_of(found, "score")["base"] == pytest.approx(a.seats.filter(pl.col("game") < 40)["score"].cast(pl.Float64).mean())


def test_policies_are_compared_by_name_where_they_change_seats() -> None:
    a, b = (play(60, OpenSum(3), ["peek", name, "drop"]) for name in ("peek", "peek:budget=8"))
    c = play(60, OpenSum(3), ["drop", "peek", "peek"])
    alone = play(60, OpenSum(3), "peek")
    rows = vs.compare([a, b, c, alone]).rows.filter(pl.col("policy").is_not_null())
    assert rows.filter(run="run 1").select("metric", "policy").rows() == [
        ("win_share", "peek"), ("score", "peek"), ("margin", "peek")
    ]  # fmt: skip
    assert sorted(rows.filter(run="run 2")["policy"].unique()) == ["drop", "peek"]
    assert rows.filter(run="run 3").select("metric", "policy").rows() == [("score", "peek")]  # all seats win 1/n


def test_a_metric_that_follows_from_the_rules_is_that_of_each_runs_own_rules() -> None:
    a, b = play(60), play(60, harder())
    row = row_of(vs.compare([a, b]), "rat_points")
    assert row["value"] == pytest.approx(3 * b.seats["rats"].cast(pl.Float64).mean())
    assert row["base"] == pytest.approx(2 * a.seats["rats"].cast(pl.Float64).mean())


def test_the_win_share_of_all_seats_is_no_effect() -> None:
    found = vs.compare([play(60, OpenSum(2), "peek"), play(60, OpenSum(2), "peek:budget=8")]).rows
    whole = found.filter(pl.col("seat").is_null())["metric"].to_list()
    assert "win_share" not in whole and "margin" not in whole and {"score", "lead", "shared_wins"} <= {*whole}
    assert found.filter(metric="win_share")["seat"].to_list() == [0, 1] and found["policy"].null_count() == len(found)


def test_where_all_deals_differ_alike_the_interval_is_open() -> None:
    a, b = play(20, OpenSum(2), ["peek", "drop"]), play(20, OpenSum(2), ["drop", "peek"])
    row = row_of(vs.compare([a, b]), "win_share", seat=0)
    assert row["difference"] == -1 and row["low"] is None and row["smallest"] is None
    assert row["p"] == pytest.approx(2 * 0.5**20) and row["effect"] == pytest.approx(-np.pi)


def test_what_differs_is_told() -> None:
    deck = vs.Deck.shipped()
    a, b = play(60), play(60, vs.Veggies(3, vs.Deck(deck.cards[:-1]), rules={"stand_size": 7}), ["random", "random", "sampled"])
    (words,) = vs.compare([a, b]).runs["differs"].to_list()
    assert words[1] == "policies: random at every seat here, random at seat 0, random at seat 1, sampled at seat 2 there"
    assert [word.split(":")[0] for word in words] == ["rules, stand_size", "policies", "set-up, sha256"]


BAD = [
    ([], "give a list of two or more"),
    (["a"], "give a list of two or more"),
    (["a", "other game"], "game veggies and high-sum"),
    (["a", "two players"], "players 3 and 2"),
    (["a", "later"], "0 deals in common; at least 10"),
    (["a", "overlap"], "5 deals in common; at least 10 are needed for intervals, so 10 games"),
    (["small", "small other"], "Play at least 10 games"),
]


@pytest.mark.parametrize(("names", "said"), BAD, ids=[" ".join(names) for names, _ in BAD])
def test_bad_runs(names: list[str], said: str) -> None:
    makers = {
        "a": lambda: play(20), "other game": lambda: play(20, HighSum(3), "blind"), "small": lambda: play(5),
        "two players": lambda: play(20, vs.Veggies(players=2)), "later": lambda: play(20, first_game=20),
        "overlap": lambda: play(20, first_game=15), "small other": lambda: play(5, seed=2),
    }  # fmt: skip
    with pytest.raises(vs.InputError, match=said):
        vs.compare([makers[name]() for name in names])


@pytest.mark.parametrize("wish", [{"scor": 1}, {"score": 0}, {"score": "x"}, {"score": float("nan")}, 3])
def test_bad_wishes(wish: object) -> None:
    with pytest.raises(vs.InputError, match=r"score|wish"):
        vs.compare([play(20), play(20)], wish=wish)  # type: ignore[arg-type]
    with pytest.raises(vs.InputError, match="level"):
        vs.compare([play(20), play(20)], level=95)


def test_amounts() -> None:
    metrics = metrics_of(GAME)
    for key, word, value in (
        ("win_share", "0.2pp", 0.002),
        ("win_share", " 1 pp ", 0.01),
        ("score", "1e-1", 0.1),
        ("lead", "2 points", 2),
    ):
        assert read_amount(word, metrics[key]) == pytest.approx(value)
    for key, word in (("win_share", "1"), ("win_share", "1%"), ("score", "1pp"), ("score", "1%"), ("score", "-1"), ("score", ""),
                      ("score", "0"), ("score", "nan"), ("score", "1 2")):  # fmt: skip
        with pytest.raises(vs.InputError, match=key):
            read_amount(word, metrics[key])


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("runs")
    play(80, out=place / "a")
    play(60, harder(), out=place / "b")
    play(60, policy_seed=9, out=place / "c")
    play(60, seed=2, out=place / "d")
    return place


def test_the_command_prints_tables_or_json_and_writes_files(tmp_path: Path, cli, folders: Path) -> None:
    runs = [folders / name for name in "abcda"]
    table = tmp_path / "new" / "table.csv"
    status, out, err = cli("compare", *runs, "--wish", "score=0.5", "--wish", "win_share=2pp", "--out", table)
    assert status == 0 and err == f"table: {table}\n", err
    assert out.splitlines()[1] == f"note: {vs.Veggies.setup_note}" and f"base: {folders / 'a'}, 80 games, seed 1, random" in out
    assert "differs (here: the base): rules, rat_penalty: 2 here, 3 there" in out and "NOT paired: other seeds" in out
    assert out.count("paired: the same deals in both (60 games") == 2 and out.count("games needed: of each run, about") == 3
    assert out.count("fairness: win shares by seat, par 33.3%") == 3 and out.count("change between the runs: none shown") == 3
    assert " none " not in out.split("in words")[0].replace("change between the runs: none shown", "")
    assert "identical: every game of the 80 ends the same in every column" in out and "pp .. " in out
    assert "score, seat 2:" in out and "sure at 5 % after correction" in out
    said = json.loads(cli("compare", *runs, "--json")[1])
    assert [run["paired"] for run in said["runs"]] == [True, True, False, True] and said["head"] == out.splitlines()[:2]
    assert len(said["rows"]) == len(pl.read_csv(table)) and said["rows"][0]["games_needed"] is None
    assert cli("compare", *runs[:2], "--out", tmp_path / "table.parquet")[0] == 0
    assert pl.read_parquet(tmp_path / "table.parquet").columns == list(said["rows"][0])


def test_a_toy_game_is_compared_by_registration_alone(tmp_path: Path, cli) -> None:
    for name, rule in (("a", 40), ("b", 60)):
        words = ("--game", "high-sum", "--games", 40, "--seed", 4, "--jobs", 1, "--rule", f"cards={rule}", "--out", tmp_path / name)
        assert cli("simulate", *words)[0] == 0
    status, out, _ = cli("compare", tmp_path / "a", tmp_path / "b")
    assert status == 0 and "score: " in out and "higher by" in out and vs.Veggies.setup_note not in out


def test_bad_commands(tmp_path: Path, cli, folders: Path) -> None:
    a, b = folders / "a", folders / "b"
    taken = tmp_path / "taken.csv"
    taken.write_text("mine")
    for words, said in (
        ((a,), "found one dataset"), ((a, tmp_path), "not a dataset"), ((a, tmp_path / "x"), "no such folder"),
        ((a, b, "--wish", "score"), "key=value"), ((a, b, "--wish", "score=1%"), "points"),
        ((a, b, "--wish", "win_share=1"), "percentage points"), ((a, b, "--wish", "scor=1"), "Did you mean 'score'"),
        ((a, b, "--wish", "score=1,lead=2"), "repeat the option"), ((a, b, "--wish", "winner's lead=1"), "Did you mean 'lead'"),
        ((a, b, "--out", taken), "exists already"),
        ((a, b, "--out", tmp_path / "x.txt"), ".parquet or .csv"), ((a, b, "--plot", tmp_path / "x.gif"), ".png, .svg or .pdf"),
    ):  # fmt: skip
        status, out, err = cli("compare", *words)
        assert status == 2 and out == "" and said in err and len(err.splitlines()) == 1, err
    assert [path.name for path in tmp_path.iterdir()] == ["taken.csv"]


def test_the_picture_shows_the_rows(tmp_path: Path, cli, folders: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from matplotlib.figure import Figure

    monkeypatch.chdir(folders)  # short names, since long ones go to another line

    file = tmp_path / "new" / "compare.svg"
    status, _, err = cli("compare", "a", "b", "c", "--plot", file)
    assert (status, err) == (0, f"picture: {file}\n")
    said = file.read_text()
    assert vs.Veggies.setup_note in said and "80 games, seed 1, random at every seat" in said
    assert "(percentage points), 95% interval of each row alone" in said
    rows = vs.compare([play(60), play(60, harder())]).rows
    ax = Figure().subplots()
    assert draw.differences(rows, ax) is ax and "points" in ax.get_xlabel() and ax.get_legend() is None
    names = [label.get_text() for label in ax.get_yticklabels()]
    points = rows.filter(unit="points")
    assert names == [module.row_name(row) for row in points.to_dicts()] and ax.yaxis_inverted()
    dots = {line.get_ydata()[0]: line for line in ax.lines if len(line.get_xdata()) == 1}
    assert [dots[place].get_xdata()[0] for place in range(len(names))] == points["difference"].to_list()
    full = [dots[place].get_markerfacecolor() != "white" for place in range(len(names))]
    assert full == (points["found"] == "sure").to_list() and {*full} == {True, False}


def test_runs_of_other_set_ups_are_not_said_to_have_the_same_deals(tmp_path: Path, cli) -> None:
    cards = vs.Deck.read_csv(Path(__file__).parents[1] / "data" / "cards.csv").cards
    for label, setup in (("a", None), ("b", vs.Deck(cards[:-3]))):
        play(60, vs.Veggies(3, setup), out=tmp_path / label)
    play(60, harder(), out=tmp_path / "c")
    status, out, err = cli("compare", *(tmp_path / label for label in "abc"))
    said = "the same seeds; set-ups differ, so deals are alike only as far as their cards are"
    assert status == 0 and out.count(f"paired: {said} (60 games") == 1 and out.count("paired: the same deals in both (60") == 1, err
    runs = [vs.open_dataset(tmp_path / label) for label in "abc"]
    assert said in (title := command._title(runs, vs.compare(runs))) and "the same deals in both" in title
