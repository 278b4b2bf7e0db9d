"""What a rat costs: planted truths for each of the four ways, and what would fool each."""

from __future__ import annotations

import doctest

import numpy as np
import polars as pl
import pytest
from planted import grid, of_games, played, with_rows

import veggies_sim as vs
from veggies_sim.analysis.estimates import estimates
from veggies_sim.analysis.metrics import metrics_of
from veggies_sim.core.dataset import Run
from veggies_sim.games.veggies.analysis import classes, plots, rats
from veggies_sim.games.veggies.deck import GOODS

RUN = played(3, 600)
RATS = grid(RUN, "rats").astype(int)


def value(frame: pl.DataFrame, column: str = "value", **keys: object) -> float:
    return frame.row(by_predicate=pl.all_horizontal(pl.col(key) == word for key, word in keys.items()), named=True)[column]


def copied(plays: int) -> Run:
    """A run in which all plays of a deal have the same rows, those of the first play."""
    run = played(3, 100 * plays, plays_per_deal=plays)
    first = {name: np.repeat(grid(run, name)[::plays], plays, axis=0).ravel() for name in ("score", "rats", "win")}
    return with_rows(run, **first)


def test_classes_put_rare_numbers_together() -> None:
    assert doctest.testmod(classes).attempted > 0 and doctest.testmod(classes).failed == 0
    assert classes.spans([500]) == classes.spans([7]) == [(0, 0)] and classes.spans([1, 2, 3]) == [(0, 2)]
    found = rats.by_rats(RUN).filter(metric="score")
    assert found["stands"].sum() == 1800 and found["stands"].min() >= classes.LEAST
    assert found["low_rats"][0] == RATS.min() and found["high_rats"][-1] == RATS.max()
    assert f"{found['low_rats'][-1]} to {RATS.max()}" == found["rats"][-1]


def test_means_by_rats_are_those_of_the_rows() -> None:
    found = rats.by_rats(RUN)
    for row in found.iter_rows(named=True):
        column = {"win_share": "win"}.get(row["metric"], row["metric"])
        mine = (row["low_rats"] <= RATS) & (row["high_rats"] >= RATS)
        assert row["value"] == pytest.approx(grid(RUN, column)[mine].mean()) and row["stands"] == mine.sum()
        assert row["low"] < row["value"] < row["high"]


def test_a_planted_cost_is_found_by_both_regressions() -> None:
    noise = np.random.default_rng(1).integers(-9, 10, RATS.shape)
    run = with_rows(RUN, score=(50 - 3 * RATS + noise).ravel())
    for frame in (rats.across_stands(run), rats.within_games(run).filter(metric="score_within")):
        assert frame["low"][0] < -3 < frame["high"][0] and frame["high"][0] < -2.7


def test_rats_that_cost_nothing_get_an_interval_around_zero() -> None:
    run = with_rows(RUN, score=np.random.default_rng(2).integers(0, 30, RATS.size))
    table = rats.within_games(run).filter(metric="score_within")
    assert table["low"][0] < 0 < table["high"][0] < 0.5


def test_good_deals_with_many_rats_fool_the_description_but_not_the_regression_within_games() -> None:
    good_deal = RATS.sum(axis=1, keepdims=True)
    run = with_rows(RUN, score=(5 * good_deal - 2 * RATS).ravel())
    assert rats.across_stands(run)["low"][0] > 0
    assert value(rats.within_games(run), metric="score_within") == pytest.approx(-2)


@pytest.mark.parametrize(("deals", "plays"), [(100, 1), (80, 2)])
def test_the_regression_is_that_of_statsmodels_with_errors_clustered_by_deal(deals: int, plays: int) -> None:
    import statsmodels.formula.api as smf

    run = played(3, deals * plays, plays_per_deal=plays)
    rows = run.seats.select(pl.col("game", "deal", "score", "win", "rats").cast(pl.Float64)).to_pandas()
    table = rats.within_games(run)
    for column in ("score", "win"):
        fitted = smf.ols(f"{column} ~ rats + C(game)", rows).fit(
            cov_type="cluster", cov_kwds={"groups": rows["deal"], "use_correction": False}
        )
        assert value(table, metric=f"{column}_within") == pytest.approx(fitted.params["rats"])
        assert value(table, "error", metric=f"{column}_within") == pytest.approx(fitted.bse["rats"], rel=0.04)


def test_plays_that_repeat_a_deal_add_nothing() -> None:
    for way, metric in ((rats.within_games, "score_within"), (rats.across_stands, "score_across")):
        once, often = (value(way(copied(plays)), "error", metric=metric) for plays in (1, 4))
        assert often == pytest.approx(once, rel=0.25)  # other deals; errors that counted games would be half as large


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_own_penalty_changes_nothing(players: int) -> None:
    run = played(players, 80, rules={"rat_penalty": 3})
    table, known = rats.rescored(run, [3]), metrics_of(run.game)
    as_is = estimates(run, [known[key] for key in ("score", "winner_score", "lead", "shared_wins", "tie_breaks")])
    assert table["value"].to_list() == pytest.approx([*as_is["value"], 0, 0]) and table["high"].to_list()[-2:] == [0, 0]
    assert table["error"].to_list()[:-2] == pytest.approx(as_is["error"].to_list())


@pytest.mark.parametrize("players", [2, 3, 4])
def test_another_penalty_gives_what_the_game_gives_where_the_same_goods_are_announced(players: int) -> None:
    run, other = played(players, 400), played(players, 400, rules={"rat_penalty": 4})
    stands = ["rats", *(f"{good}_{name}" for good in GOODS for name in ("largest", "groups"))]
    assert run.seats.select(stands).equals(other.seats.select(stands))  # random players don't see what a rat costs
    scored = [f"{good}_scored" for good in GOODS]
    both = pl.concat([run.seats.select("game", *scored), other.seats.select("game", *scored)])
    same = both.unique().group_by("game").len().filter(pl.col("len") == 1)["game"]
    assert 0.9 * 400 < len(same) <= 400
    mine, real = of_games(run, same), of_games(other, same)
    assert (mine.seats["score"] - 2 * mine.seats["rats"].cast(pl.Int16)).equals(real.seats["score"])
    table, known = rats.rescored(mine, [4]), metrics_of(run.game)
    truth = estimates(real, [known[key] for key in ("score", "winner_score", "lead", "shared_wins", "tie_breaks")])
    assert table["value"].to_list()[:-2] == pytest.approx(truth["value"].to_list())
    won = (grid(mine, "win") > 0) != (grid(real, "win") > 0)
    assert value(table, metric="other_winner") == pytest.approx(won.any(axis=1).mean())
    assert rats.rescored(mine, [2])["value"].to_list() != pytest.approx(table["value"].to_list())


def test_with_no_penalty_fewer_rats_still_break_ties() -> None:
    score = np.tile([10, 10, 4], 600)
    run = with_rows(RUN, score=score, rats=np.tile([1, 0, 3], 600), win=np.tile([0, 1, 0], 600))
    table = rats.rescored(run, [0, 2, 5])
    assert value(table, penalty=2, metric="tie_breaks") == 1
    assert value(table, penalty=0, metric="other_winner") == 1  # 12 points of the first seat against 10 and 10
    assert value(table, penalty=0, metric="winner_score") == 12 and value(table, penalty=5, metric="lead") == 3


def test_penalties_that_the_game_does_not_have_are_refused() -> None:
    for bad in (-1, 21, 1.5):
        with pytest.raises(vs.InputError, match="penalty"):
            rats.rescored(RUN, [bad])  # type: ignore[list-item]


def test_too_few_deals_are_refused() -> None:
    for way in (rats.by_rats, rats.across_stands, rats.within_games, rats.rescored, rats.side_by_side):
        with pytest.raises(vs.InputError, match="too few"):
            way(played(3, 9))


def test_the_four_ways_stand_side_by_side() -> None:
    table = rats.side_by_side(RUN)
    assert table["way"].to_list() == ["descriptive", "within games", "mechanical"]
    assert table.select("value", "low", "high").row(2) == (-2, -2, -2)
    more = rats.other_decks(RUN.game, [0, 24, 48], "random", 200, seed=4, jobs=1)
    both = rats.side_by_side(RUN, more)
    assert both.head(3).equals(table) and len(both) == 5 and both["question"].n_unique() == 5
    visible, printed = both["value"][3], both["value"][4]
    assert visible == pytest.approx(-2, abs=0.1) and -0.5 < printed < -0.2
    assert both["low"][3] < visible < both["high"][3]
    with pytest.raises(vs.InputError, match="other policies"):
        rats.side_by_side(RUN, rats.other_decks(RUN.game, [0, 24], ["random", "sampled", "random"], 60, seed=4, jobs=1))


def test_the_slope_per_rat_and_the_curve_belong_to_the_decks() -> None:
    more = rats.other_decks(RUN.game, [10, 0, 50], "random", 100, seed=4, jobs=1)
    table = rats.curve(more)
    assert table["rats_in_deck"].unique(maintain_order=True).to_list() == [10, 0, 50] == rats.rats_of(more)
    scores = table.filter(metric="score")["value"].to_numpy()
    assert value(rats.per_rat(more), "slope", metric="score") == pytest.approx(np.polyfit([10, 0, 50], scores, 1)[0])
    assert "changed_moves" in table["metric"] and "named_win" not in table["metric"]
    few = rats.other_decks(RUN.game, [0, 5], "random", 100, seed=4, jobs=1, metrics=["lead"], choices=False)
    assert rats.per_rat(few)["metric"].to_list() == ["lead"]


def test_counts_that_tell_nothing_are_refused() -> None:
    for bad in ([24], [], [3, 3]):
        with pytest.raises(vs.InputError, match="two or more"):
            rats.other_decks(RUN.game, bad, "random", 100)


def test_pictures_show_the_frames() -> None:
    table = rats.by_rats(RUN)
    ax = plots.by_rats(table, "win_share")
    assert len(ax.get_xticklabels()) == table["rats"].n_unique() and "win share" in ax.get_ylabel() and "%" in ax.get_ylabel()
    ax = plots.rescored(rats.rescored(RUN), ("score", "lead"))
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["score of a seat", "winner's lead"]
    more = rats.other_decks(RUN.game, [0, 24], "random", 30, seed=4, jobs=1)
    assert plots.curve(rats.curve(more), "rats").lines[0].get_xdata().tolist() == [0, 24]
    same = plots.curve(rats.curve(more))
    assert plots.side_by_side(rats.side_by_side(RUN, more), same) is same
    assert doctest.testmod(plots).failed == 0
