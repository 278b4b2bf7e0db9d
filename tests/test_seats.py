"""What seats are worth: equal to scipy and statsmodels where deals are games, true to known effects, careful in words."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import stats
from toy_game import HighSum
from toy_skill import OpenSum
from toy_told import DealtSum, ToldSum

import veggies_sim as vs
from veggies_sim.analysis import seats as seats_module
from veggies_sim.analysis.luck import components, luck, sources
from veggies_sim.analysis.seats import advantage, caution, equal_seats, games_for, luck_shares, ways_to_win
from veggies_sim.plots import seats as draw


@pytest.fixture(scope="module")
def run() -> vs.Run:
    return vs.simulate(HighSum(3), games=600, seed=1, jobs=1)


def by_seat(run: vs.Run, column: str) -> np.ndarray:
    """Return a column of seats as numbers [games, seats]."""
    return run.seats[column].cast(pl.Float64).to_numpy().reshape(-1, run.game.players)


def test_intervals_are_those_of_scipy_for_all_seats_at_once(run: vs.Run) -> None:
    found, each = advantage(run), 1 - 0.05 / 3
    score, margin = by_seat(run, "score"), by_seat(run, "margin")
    above = score - score.mean(axis=1, keepdims=True)
    for name, values in (("score", score), ("margin", margin), ("above", above)):
        low, high = stats.t.interval(each, len(values) - 1, values.mean(axis=0), stats.sem(values))
        assert np.allclose(found.select(name, f"{name}_low", f"{name}_high"), np.stack([values.mean(axis=0), low, high], axis=1))
    assert found["win_share"].to_list() == pytest.approx(by_seat(run, "win").mean(axis=0).tolist())
    assert np.allclose(found.select("of_par", "of_par_low", "of_par_high") / 3, found.select("win_share", "win_low", "win_high"))
    assert found["win_share"].sum() == pytest.approx(1) and found["above"].sum() == pytest.approx(0)


def test_what_one_of_two_sides_wins_the_other_loses_so_that_one_interval_is_enough() -> None:
    two = vs.simulate(HighSum(2), games=300, seed=2, jobs=1)
    found, margin, score = advantage(two), by_seat(two, "margin"), by_seat(two, "score")
    for name, values, each in (("margin", margin, 0.95), ("score", score, 0.975)):  # scores are two numbers
        low, high = stats.t.interval(each, 299, values.mean(axis=0), stats.sem(values))
        assert np.allclose(found.select(f"{name}_low", f"{name}_high"), np.stack([low, high], axis=1))
    share, low, high = found.select("win_share", "win_low", "win_high").to_numpy().T
    assert np.allclose(low, 1 - high[::-1]) and np.allclose(share.sum(), 1)
    half = games_for(two)["half"].to_numpy()
    assert half == pytest.approx((high - low) / 2)
    assert games_for(two, wish=half[0] / 2)["needed"][0] == pytest.approx(1200, rel=0.05)


def test_the_global_test_is_that_of_statsmodels(run: vs.Run) -> None:
    from statsmodels.stats.multivariate import test_mvmean

    found = equal_seats(run)
    for metric, column in (("win_share", "win"), ("score", "score")):
        values = by_seat(run, column)
        known = test_mvmean(values[:, :2] - values[:, 2:], np.zeros(2))
        row = found.row(by_predicate=pl.col("metric") == metric, named=True)
        assert (row["statistic"], row["p_value"]) == pytest.approx((known.statistic, known.pvalue))
        assert (row["compared"], row["df"], row["df_rest"], row["note"]) == (3, 2, 598, "")
    two = vs.simulate(HighSum(2), games=300, seed=2, jobs=1)
    known = stats.ttest_rel(*by_seat(two, "score").T)
    row = equal_seats(two).row(1, named=True)
    assert (row["statistic"], row["p_value"]) == pytest.approx((known.statistic**2, known.pvalue))


def test_equal_seats_are_seldom_told_apart_and_unequal_ones_always() -> None:
    same = [equal_seats(vs.simulate(HighSum(3), games=60, seed=seed, jobs=1))["p_value"].to_list() for seed in range(60)]
    assert 0 < np.mean(np.array(same) < 0.2) < 0.4
    unequal = vs.simulate(OpenSum(3), ["peek:budget=4", "peek", "peek"], games=200, seed=1, jobs=1)
    assert equal_seats(unequal)["p_value"].max() < 1e-6 and advantage(unequal)["of_par_low"][0] > 1


def test_deals_that_end_alike_are_no_test() -> None:
    found = equal_seats(vs.simulate(OpenSum(2), ["peek:budget=64", "drop"], games=40, seed=1, jobs=1))
    assert found["note"][0] == "no test: the differences never vary" and found["p_value"][0] is None


def test_games_of_one_deal_count_once() -> None:
    again = vs.simulate(DealtSum(3), games=2000, seed=2, plays_per_deal=20, jobs=1)
    once = vs.simulate(DealtSum(3), games=100, seed=2, jobs=1)
    for function in (advantage, ways_to_win):
        wide, same = function(again), function(once)
        assert np.allclose(wide.drop("way", strict=False), same.drop("way", strict=False))
    assert equal_seats(again)["p_value"].to_list() == pytest.approx(equal_seats(once)["p_value"].to_list())
    naive = stats.t.ppf(1 - 0.025 / 3, 1999) * stats.sem(by_seat(again, "margin")[:, 0])  # games taken for deals
    assert advantage(again)["margin_high"][0] - advantage(again)["margin"][0] > 4 * naive


def test_ways_to_win_are_all_ways() -> None:
    run = vs.simulate(HighSum(2, rules={"cards": 20}), games=500, seed=3, jobs=1)
    found = ways_to_win(run)
    win = run.seats.filter(pl.col("seat") == 1)["win"]
    share = dict(found.filter(pl.col("seat") == 1).select("way", "share").iter_rows())
    assert (
        share == pytest.approx({"clear": (win == 1).mean(), "tie-break": 0, "shared": (win == 0.5).mean()}) and share["shared"] > 0
    )
    tie = run.seats.with_columns(pl.lit(0, pl.Int16).alias("margin"))
    run._tables["seats"] = tie.to_arrow()
    found = ways_to_win(run).filter(pl.col("seat") == 1)
    assert found["share"][1] == pytest.approx((win == 1).mean()) and found["share"][0] == 0


def test_teams_are_seen_as_sides() -> None:
    run = vs.simulate(ToldSum(4), games=200, seed=1, jobs=1)
    found = advantage(run, "team")
    assert found["team"].to_list() == [0, 1] and found["win_share"].sum() == pytest.approx(1)
    assert found["of_par"].to_list() == pytest.approx((2 * found["win_share"]).to_list())
    assert equal_seats(run)["compared"].to_list() == [2, 4]
    assert ways_to_win(run, "team")["team"].to_list() == [0, 0, 0, 1, 1, 1]
    with pytest.raises(vs.InputError, match="Valid: seat, team"):
        advantage(run, "policy")


def test_policies_that_never_changed_seats_are_a_caution() -> None:
    fixed = vs.simulate(OpenSum(2), ["peek", "drop"], games=20, seed=1, jobs=1)
    turned = vs.simulate(OpenSum(2), ["peek", "drop"], games=40, seed=1, rotate_seats=True, jobs=1)
    assert "seat 0 peek, seat 1 drop" in caution(fixed) and "--rotate-seats" in caution(fixed)
    assert caution(turned) == caution(vs.simulate(OpenSum(2), "peek", games=20, seed=1, jobs=1)) == ""
    assert advantage(fixed)["win_share"].to_list() == [1, 0]  # the policy; and what rotation makes of it:
    assert advantage(turned)["win_share"].to_list() == [0.5, 0.5]


def test_games_for_a_precision_give_it(run: vs.Run) -> None:
    found = games_for(run, 0.02)
    assert (found["games"] == 600).all() and (found["needed"] > 600).all()
    more = vs.simulate(HighSum(3), games=int(found["needed"].max()), seed=2, jobs=1)
    assert games_for(more)["half"].to_numpy() == pytest.approx(0.02, rel=0.05)


def test_luck_needs_deals_that_are_played_again(run: vs.Run) -> None:
    assert luck_shares(run).frame is None and "played once" in luck_shares(run).note
    few = vs.simulate(HighSum(3), games=45, seed=1, plays_per_deal=5, jobs=1)
    assert luck_shares(few).frame is None and "9 deals" in luck_shares(few).note


def test_luck_of_repeated_rotated_and_equal_line_ups() -> None:
    deal = luck_shares(vs.simulate(DealtSum(3), games=200, seed=1, plays_per_deal=4, jobs=1))
    assert deal.frame is not None and dict(deal.frame.select("source", "share").iter_rows()) == {"deal": 1, "rest": 0}
    assert "50 deals, 4 games each, 1 line-up." in deal.note and "nothing of skill" in deal.note
    skill = luck_shares(vs.simulate(OpenSum(2), ["peek:budget=8", "drop"], games=200, seed=1, rotate_seats=True, jobs=1)).frame
    assert skill is not None and skill["source"].to_list() == ["deal", "line-up", "rest"] and skill["share"][1] > 0.9
    both = luck_shares(vs.simulate(OpenSum(4), ["peek", "drop"] * 2, games=400, seed=1, rotate_seats=True, jobs=1))
    assert both.frame is not None and both.frame["source"].to_list() == ["deal", "line-up", "interaction", "rest"]
    assert "2 line-ups" in both.note  # of four rotations; each of the two is played twice
    same = luck_shares(vs.simulate(OpenSum(3), "peek", games=600, seed=1, rotate_seats=True, jobs=1)).frame
    assert same is not None and same["source"].to_list() == ["deal", "rest"] and same["share"][0] < 0.1


def test_luck_leaves_out_deals_that_lack_games_and_those_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    part = vs.simulate(DealtSum(2), games=83, first_game=2, seed=1, plays_per_deal=4, jobs=1)
    assert "20 deals" in luck_shares(part).note  # of 22
    monkeypatch.setattr(seats_module, "MOST_DEALS", 12)
    assert "Of the first 12 deals" in luck_shares(part).note


def test_components_are_those_of_an_analysis_of_variance() -> None:
    from statsmodels.formula.api import ols
    from statsmodels.stats.anova import anova_lm

    margin = np.random.default_rng(1).normal(size=(6, 3, 4, 1)) + 3 * np.random.default_rng(2).normal(size=(6, 1, 1, 1))
    margin += np.array([0.0, 2.0, 5.0]).reshape(1, 3, 1, 1) + np.random.default_rng(3).normal(size=(6, 3, 1, 1))
    place = np.indices(margin.shape).reshape(4, -1)
    frame = pd.DataFrame({"margin": margin.ravel(), "deal": place[0], "line": place[1]})
    table = anova_lm(ols("margin ~ C(deal) * C(line)", frame).fit())
    d, line, both, rest = table["sum_sq"] / table["df"]
    assert components(margin) == pytest.approx([(d - both) / 12, (line - both) / 24, (both - rest) / 4, rest])
    one = anova_lm(ols("margin ~ C(deal)", frame[frame["line"] == 0]).fit())
    d, rest = one["sum_sq"] / one["df"]
    assert components(margin[:, :1]) == pytest.approx([(d - rest) / 4, rest])
    assert sources(margin[:, :, 0]) == ["deal", "line-up", "rest"] and components(margin[:, :, :1]) == pytest.approx(
        components(margin[:, :, 0])
    )


def test_luck_finds_known_shares() -> None:
    random = np.random.default_rng(4)
    margin = 3 * random.normal(size=(800, 1, 1, 3)) + 4 * random.normal(size=(800, 1, 5, 3))
    found = luck(margin)
    assert found["share"][0] == pytest.approx(0.36, abs=0.03) and found["low"][0] < 0.36 < found["high"][0]


def test_pictures_show_the_frames(run: vs.Run) -> None:
    frame = advantage(run)
    ax = draw.advantage(frame, title="Toy")
    dots = ax.lines[0] if len(ax.lines[0].get_xdata()) == 3 else ax.lines[1]  # type: ignore[arg-type]
    assert list(dots.get_xdata()) == frame["of_par"].to_list()  # type: ignore[call-overload]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["seat 0, plays first", "seat 1", "seat 2"]
    assert "par" in [text.get_text() for text in ax.texts] and "all seats at once" in ax.get_xlabel()
    assert draw.scores(frame, ax) is ax and "points" in ax.get_xlabel()
    ways = draw.ways(ways_to_win(run))
    assert [text.get_text() for text in ways.get_legend().get_texts()] == ["clear", "tie-break", "shared"]
    assert sum(bar.get_width() for bar in ways.patches) == pytest.approx(ways_to_win(run)["share"].sum())  # type: ignore[attr-defined]
    teams = draw.advantage(advantage(vs.simulate(ToldSum(4), games=20, seed=1, jobs=1), "team"))
    assert [label.get_text() for label in teams.get_yticklabels()] == ["side 0", "side 1"]
    found = luck_shares(vs.simulate(OpenSum(2), ["peek", "drop"], games=40, seed=1, rotate_seats=True, jobs=1)).frame
    assert found is not None
    bars = draw.luck(found)
    assert [bar.get_width() for bar in bars.patches] == found["share"].to_list()  # type: ignore[attr-defined]
    assert "variance" in bars.get_xlabel()
    assert not draw.luck(luck(np.zeros((20, 2, 3)))).texts  # margins that never vary have no shares
