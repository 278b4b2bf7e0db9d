"""The ladder's numbers: equal to the libraries that have the same estimator, true on games of known truth.

Chance tests have fixed seeds, and bounds that a right program misses once in a million seeds (FALSE_ALARM); with each goes
a control, a wrong way to compute that must miss its bound.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import optimize, stats
from statsmodels.discrete.discrete_model import Logit
from statsmodels.formula.api import ols
from statsmodels.stats.anova import anova_lm

from veggies_sim.analysis.intervals import group_of, jackknife_interval, mean_interval
from veggies_sim.analysis.ladder import by_deal, differences, standings
from veggies_sim.analysis.line_ups import line_ups
from veggies_sim.analysis.luck import components, luck
from veggies_sim.analysis.ratings import ELO, comparable, duels, ratings

FALSE_ALARM = 1e-6


def most_misses(runs: int, rate: float) -> int:
    """Return the number of misses that is exceeded with a chance of FALSE_ALARM at most."""
    return int(stats.binom.isf(FALSE_ALARM, runs, rate))


def games(strength: dict[str, float], players: int, deals: int, rng: np.random.Generator, luck: float = 0, whim: float = 0,
          team: tuple[int, ...] = ()) -> pl.DataFrame:  # fmt: skip
    """Return the rows of a made-up ladder that follows Luce's model, by the maximum of Gumbel draws.

    luck: standard deviation of what a deal gives to a seat; whim: of how a deal suits a policy, wherever it sits.
    """
    names, seats = list(strength), np.array(team or range(players))
    table = np.array([[names.index(name) for name in line_up] for line_up in line_ups(names, players)])  # [L, P]
    member = (seats[:, None] == np.arange(seats.max() + 1)) / np.bincount(seats)  # [P, sides]
    mean = np.array(list(strength.values()))[table] + whim * rng.normal(size=(deals, 1, len(names)))[:, 0, table]
    side = (mean + luck * rng.normal(size=(deals, 1, players))) @ member
    side = side + rng.gumbel(size=side.shape)  # [D, L, sides]
    win = side == side.max(axis=2, keepdims=True)
    lead = np.stack([side[..., s] - np.delete(side, s, axis=2).max(axis=2) for s in range(side.shape[2])], axis=2)
    shape = (deals, len(table), players)
    index = np.indices(shape)
    columns = {"deal": index[0], "line_up": index[1], "seat": index[2], "team": np.broadcast_to(seats, shape),
               "win": win[..., seats], "score": side[..., seats], "margin": lead[..., seats]}  # fmt: skip
    policy = np.broadcast_to(table, shape).ravel()
    frame = pl.DataFrame({name: values.ravel().astype(float if name in ("score", "margin") else int) for name, values in
                          columns.items()})  # fmt: skip
    return frame.with_columns(policy=pl.Series(np.array(names, object)[policy], dtype=pl.String).cast(pl.Enum(names)))


def test_mean_interval_is_that_of_scipy() -> None:
    values = np.random.default_rng(1).normal(size=(12, 3))
    ours = mean_interval(values, 0.9)
    theirs = stats.ttest_1samp(values, 0).confidence_interval(0.9)
    assert np.allclose([ours.low, ours.high], [theirs.low, theirs.high])
    sure = mean_interval(np.ones((9, 1)), span=(0, 1))
    assert sure.low[0] == pytest.approx(1 - stats.binomtest(0, 9).proportion_ci(0.95, "exact").high) and sure.high[0] == 1


def test_intervals_over_deals_cover_and_those_over_games_do_not() -> None:
    rng, runs = np.random.default_rng(2), 2000
    values = rng.normal(size=(40, 1, runs)) + rng.normal(size=(40, 6, runs))  # games of a deal are alike; the truth is 0
    bound = most_misses(runs, 0.05)
    for blocks, right in ((values.mean(axis=1), True), (values.reshape(240, runs), False)):
        found = mean_interval(blocks)
        assert bool(((found.low > 0) | (found.high < 0)).sum() <= bound) is right


def test_jackknife_of_a_mean_is_the_t_interval() -> None:
    values = np.random.default_rng(3).normal(size=20)
    without = np.array([np.delete(values, k).mean() for k in range(20)])
    assert np.allclose(jackknife_interval(values.mean(), without), mean_interval(values))
    assert np.bincount(group_of(50)).tolist() == [3] * 10 + [2] * 10 and group_of(3).tolist() == [0, 1, 2]


def test_differences_are_paired_by_deal_and_simultaneous() -> None:
    rows = games({"a": 0, "b": 0.5, "c": 1}, 3, 50, np.random.default_rng(4), luck=1)
    found = differences(rows)
    assert found.select("policy", "other").rows() == [("c", "b"), ("c", "a"), ("b", "a")]
    win = dict(zip("abc", by_deal(rows, "win").T, strict=True))
    for row in found.iter_rows(named=True):
        theirs = stats.ttest_rel(win[row["policy"]], win[row["other"]]).confidence_interval(1 - 0.05 / 3)
        assert np.allclose([row["win_low"], row["win_high"]], theirs)


def test_equal_policies_are_seldom_called_different() -> None:
    rng, runs = np.random.default_rng(5), 150
    wrong = {"all pairs": 0, "each alone": 0}
    for _ in range(runs):
        rows = games(dict.fromkeys("abcde", 0.0), 2, 20, rng, luck=1, whim=0.5)
        for name, level in (("all pairs", 0.95), ("each alone", 0.5)):
            found = differences(rows, level)
            wrong[name] += int(((found["win_low"] > 0) | (found["win_high"] < 0)).any())
    assert wrong["all pairs"] <= most_misses(runs, 0.05) < wrong["each alone"]


def test_two_policies_differ_by_the_log_odds_of_the_win_share() -> None:
    rows = games({"a": 0, "b": 0.7}, 2, 200, np.random.default_rng(6), luck=1)
    share = standings(rows, 0.5).filter(policy="b")["win_share"][0]
    assert ratings(rows, ["a", "b"])["rating"].to_list() == pytest.approx(np.array([-1, 1]) * ELO * np.log(share / (1 - share)) / 2)


@pytest.mark.parametrize("players", [2, 3])
def test_ratings_are_the_logit_of_winners_against_losers_of_statsmodels(players: int) -> None:
    names = list("abcd")
    rows = games(dict(zip(names, (0, 0.4, 0.8, 1.5), strict=True)), players, 60, np.random.default_rng(7))
    won = rows.filter(pl.col("win") == 1).join(rows.filter(pl.col("win") == 0), on=["deal", "line_up"])
    signs = np.where(np.arange(len(won)) % 2, -1, 1)  # a logit needs both outcomes: every other pair is turned round
    apart = np.array([[(winner == name) - (loser == name) for name in names[1:]] for winner, loser in
                      won.select("policy", "policy_right").iter_rows()]) * signs[:, None]  # fmt: skip
    strength = np.append(0, Logit(signs > 0, apart).fit(disp=0, tol=1e-12).params)
    assert ratings(rows, names)["rating"].to_list() == pytest.approx(ELO * (strength - strength.mean()), abs=1e-4)


def test_ratings_are_near_the_most_likely_ones_of_luces_model() -> None:
    names = list("abcd")
    rows = games(dict(zip(names, (0, 0.5, 1, 1), strict=True)), 3, 400, np.random.default_rng(8))
    won = rows.group_by("deal", "line_up", maintain_order=True).agg("policy", pl.col("win").arg_max()).rows()
    sat = np.array([[names.index(policy) for policy in table] for _, _, table, _ in won])
    winner = sat[np.arange(len(sat)), [place for *_, place in won]]

    def unlikely(free: np.ndarray) -> float:
        strength = np.append(0, free)
        return float((np.log(np.exp(strength[sat]).sum(axis=1)) - strength[winner]).sum())

    strength = np.append(0, optimize.minimize(unlikely, np.zeros(3)).x)
    assert ratings(rows, names)["rating"].to_list() == pytest.approx(ELO * (strength - strength.mean()), abs=2)


@pytest.mark.parametrize(("players", "team", "count"), [(3, (), 4), (3, (), 2), (4, (0, 1, 0, 1), 3)])
def test_rating_intervals_hold_the_truth(players: int, team: tuple[int, ...], count: int) -> None:
    rng, runs = np.random.default_rng(9), 25
    truth = np.array([-1.0, 0, 0.4, 0.6][:count])
    names, centred = list("abcd")[:count], ELO * (truth - truth.mean())
    missed = {"rating": 0, "half as wide": 0}
    for _ in range(runs):
        found = ratings(games(dict(zip(names, truth, strict=True)), players, 60, rng, team=team), names)
        off = (found["rating"] - pl.Series(centred)).abs().to_numpy()
        half = (found["rating_high"] - found["rating_low"]).to_numpy() / 2
        missed["rating"] += (off > half)[0]
        missed["half as wide"] += (off > half / 4)[0]  # a control
    assert missed["rating"] <= most_misses(runs, 0.05) < missed["half as wide"]


def test_shared_wins_count_as_fractions() -> None:
    rows = games({"a": 0, "b": 0}, 2, 10, np.random.default_rng(10)).with_columns(win=pl.lit(0.5))
    assert ratings(rows, ["a", "b"])["rating"].to_list() == pytest.approx([0, 0], abs=1e-9)
    assert ratings(rows, ["a", "b"])["note"].to_list() == ["no interval: all deals ended alike"] * 2
    found = duels(rows, ["a", "b"])
    assert found.won.sum() == found.lost.sum() == 10


@pytest.mark.parametrize("players", [2, 3])
def test_who_always_or_never_won_has_no_rating(players: int) -> None:
    rows = games({"a": 0, "b": 0.3, "c": 0.5, "low": -1e9, "high": 1e9}, players, 40, np.random.default_rng(11))
    names = ["a", "b", "c", "low", "high"]
    found = ratings(rows, names)
    assert found["note"].to_list() == ["", "", "", "no rating: never won", "no rating: always won"]
    assert found["rating"].is_null().to_list() == [False] * 3 + [True] * 2 == found["rating_low"].is_null().to_list()
    among = rows.filter(~pl.col("policy").is_in(["low", "high"]).any().over("deal", "line_up"))
    if players == 2:  # then the games among the others are all that count for them
        assert found["rating"][:3].to_list() == pytest.approx(ratings(among, names[:3])["rating"].to_list(), abs=1e-6)


def test_one_lucky_game_gives_a_rating_without_an_interval() -> None:
    rows = games({"a": -1e9, "b": 0}, 2, 40, np.random.default_rng(12))
    lucky = (pl.col("deal") == 3) & (pl.col("line_up") == 0)
    found = ratings(rows.with_columns(win=pl.when(lucky).then(1 - pl.col("win")).otherwise("win")), ["a", "b"])
    assert found["rating"][1] == pytest.approx(ELO * np.log(79) / 2) and found["rating_low"].null_count() == 2
    assert found["note"].to_list() == ["no interval: too few games won or lost"] * 2


@pytest.mark.parametrize("players", [2, 3])
def test_one_hopeless_policy_takes_away_its_own_interval_only(players: int) -> None:
    rows = games({"a": 0, "b": 0.5, "c": 1, "low": -1e9}, players, 40, np.random.default_rng(18))
    sat = (pl.col("policy") == "low").any().over("deal", "line_up")
    one = (pl.col("deal") == 3) & (pl.col("line_up") == rows.filter(pl.col("policy") == "low")["line_up"].min())
    won = pl.when(one).then(pl.col("policy") == "low").otherwise("win").cast(pl.Int64)
    found = ratings(rows.with_columns(win=won), [*"abc", "low"])
    assert found["rating_low"].is_null().to_list() == [False] * 3 + [True] == [note != "" for note in found["note"]]
    assert found["rating"][:3].mean() == pytest.approx(0) and found["rating"][3] < -400
    alone = ratings(rows.filter(~sat), list("abc")) if players == 2 else None
    if alone is not None:
        assert found["rating_low"][:3].to_list() == pytest.approx(alone["rating_low"].to_list(), abs=5)


def test_two_leagues_are_not_compared() -> None:
    rows = games({"a": 0, "b": 0.3, "c": 1e9, "d": 1e9, "e": 1e9}, 2, 40, np.random.default_rng(13))
    found = ratings(rows, list("abcde"))
    assert found["rating"].is_null().to_list() == [True, True, False, False, False]
    assert found["note"][0] == "no rating: won against some always, against the others never"
    assert comparable(np.eye(5, k=1) + np.eye(5, k=-4) > 0).tolist() == [0, 1, 2, 3, 4]  # a ring


def test_variance_components_are_those_of_the_analysis_of_variance() -> None:
    margin = np.random.default_rng(14).normal(size=(9, 4, 1)) + np.arange(9)[:, None, None]
    deal, line_up = np.indices((9, 4))
    frame = pd.DataFrame({"y": margin.ravel(), "deal": deal.ravel(), "line_up": line_up.ravel()})
    squares = anova_lm(ols("y ~ C(deal) + C(line_up)", frame).fit())["mean_sq"]
    expected = [(squares.iloc[0] - squares.iloc[2]) / 4, max(0, (squares.iloc[1] - squares.iloc[2]) / 9), squares.iloc[2]]
    assert np.allclose(components(margin), expected)


def test_luck_shares_hold_the_truth_and_shuffled_deals_have_none() -> None:
    rng, runs = np.random.default_rng(15), 200
    line_up = np.array([-1.0, 0, 0, 1])[:, None] * [1, -1]  # variance 2/3
    truth = np.array([1, 2 / 3, 2]) / (1 + 2 / 3 + 2)
    misses = {"as dealt": np.zeros(3), "shuffled": np.zeros(3)}
    for _ in range(runs):
        margin = rng.normal(size=(60, 1, 2)) + line_up + np.sqrt(2) * rng.normal(size=(60, 4, 2))
        for name, values in (("as dealt", margin), ("shuffled", rng.permuted(margin, axis=0))):
            found = luck(values)
            misses[name] += ((found["low"] > pl.Series(truth)) | (found["high"] < pl.Series(truth))).fill_null(False).to_numpy()
    assert (misses["as dealt"] <= most_misses(runs, 0.05)).all()
    assert (misses["shuffled"][[0, 2]] > most_misses(runs, 0.05)).all()


def test_luck_without_variance_and_with_two_deals() -> None:
    assert luck(np.zeros((4, 2, 2)))["share"].to_list() == [None] * 3
    two = luck(np.random.default_rng(16).normal(size=(2, 2, 2)))
    assert two["share"].sum() == pytest.approx(1) and two["low"].to_list() == [None] * 3


def test_all_made_up_line_ups_are_played_on_all_deals() -> None:
    rows = games({"a": 0, "b": 0}, 3, 4, np.random.default_rng(17))
    assert len(rows) == 4 * 6 * 3 and rows.group_by("deal", "line_up").agg(pl.col("win").sum())["win"].to_list() == [1] * 24
    assert {*rows.group_by("deal", "line_up").agg("policy")["policy"].list.n_unique()} == {2}
