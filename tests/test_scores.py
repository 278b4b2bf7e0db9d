"""How points are spread: equal to plain computations where deals are games, wider where games share deals."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy import stats
from toy_game import HighSum
from toy_told import DealtSum, ToldSum

import veggies_sim as vs
from veggies_sim.analysis.intervals import games_needed, smallest_difference
from veggies_sim.analysis.scores import COUNT, WHAT, count_quantiles, histogram, quantiles, summary
from veggies_sim.analysis.sums import GROUP
from veggies_sim.core import registry
from veggies_sim.plots import scores as draw


@pytest.fixture(scope="module")
def run() -> vs.Run:
    return vs.simulate(HighSum(3), games=400, seed=1, jobs=1)


def test_histograms_count_every_score(run: vs.Run) -> None:
    found, scores = histogram(run), run.seats["score"].to_numpy()
    values, counts = np.unique(scores, return_counts=True)
    assert found["score"].to_list() == values.tolist() and found["count"].to_list() == counts.tolist()
    assert np.allclose(found["ecdf"], stats.ecdf(scores).cdf.probabilities) and found["share"].sum() == pytest.approx(1)
    by = histogram(run, ["policy", "seat"])
    assert by.group_by("seat").agg(pl.col("share").sum(), pl.col("ecdf").max()).drop("seat").to_numpy() == pytest.approx(1)
    seat = by.filter(pl.col("seat") == 2)
    assert np.allclose(seat["ecdf"], stats.ecdf(run.seats.filter(pl.col("seat") == 2)["score"].to_numpy()).cdf.probabilities)


@pytest.mark.parametrize("players", [2, 4])
def test_winners_and_leads_count_each_game_once(players: int) -> None:
    run = vs.simulate(ToldSum(players, rules={"cards": 20}), games=300, seed=5, jobs=1)
    total = pl.col("score").cast(pl.Int32).sum()
    games = run.seats.filter(pl.col("win") > 0).group_by("game", "team").agg(total, pl.col("margin").first()).unique("game")
    shared = run.seats.filter((pl.col("win") > 0) & (pl.col("win") < 1))
    assert len(shared) > 0  # or nothing is tested of shared wins
    for what, column in (("winner_score", "score"), ("lead", "margin")):
        found = histogram(run, what=what)
        values, counts = np.unique(games[column].to_numpy(), return_counts=True)
        assert found[what].to_list() == values.tolist() and found["count"].to_list() == counts.tolist()


def test_quantiles_are_those_of_numpy(run: vs.Run) -> None:
    found = quantiles(run, ["seat"], (0.1, 0.5, 0.93))
    for seat in range(3):
        scores = run.seats.filter(pl.col("seat") == seat)["score"].to_numpy()
        rows = found.filter(pl.col("seat") == seat)
        assert rows["value"].to_list() == np.quantile(scores, rows["probability"], method="inverted_cdf").tolist()
        assert (rows["low"] <= rows["value"]).all() and (rows["high"] >= rows["value"]).all() and rows["low"].is_sorted()
    lead = quantiles(run, what="lead", probabilities=[0.5])
    won = run.seats.filter(pl.col("win") > 0).unique("game")["margin"]
    assert lead["value"][0] == np.quantile(won, 0.5, method="inverted_cdf")


def test_too_few_deals_leave_an_end_open() -> None:
    few = quantiles(vs.simulate(HighSum(2), games=20, seed=1, jobs=1), probabilities=[0.02, 0.5, 0.98])
    assert few["low"].is_null().to_list() == [True, False, False] and few["high"].is_null().to_list() == [False, False, True]
    drawn = draw.quantiles(few).containers[0].lines[2][0].get_segments()  # type: ignore[union-attr]
    value, high = few.row(0)[1], few.row(0)[3]
    assert drawn[0][:, 0].tolist() == [value, high]


def study(generator: np.random.Generator, deals: int, plays: int) -> np.ndarray:
    """Return scores [deals, plays]: each of mean 50 and variance 100, 80 of it the deal's."""
    return np.rint(
        50 + np.sqrt(80) * generator.normal(size=(deals, 1)) + np.sqrt(20) * generator.normal(size=(deals, plays))
    ).astype(int)


def covered(scores: np.ndarray, truth: np.ndarray, wanted: list[float], blocks: np.ndarray) -> np.ndarray:
    frame = pl.DataFrame({GROUP: np.repeat(blocks, scores.size // len(blocks)) % 1000, "score": scores.ravel()})
    counts = frame.group_by(GROUP, "score").agg(pl.len().cast(pl.Float64).alias(COUNT))
    found = count_quantiles(counts, [], "score", wanted, len(blocks))
    return (found["low"].to_numpy() <= truth) & (found["high"].to_numpy() >= truth)


def test_intervals_of_quantiles_cover_where_deals_are_the_sample() -> None:
    generator, wanted, hits = np.random.default_rng(3), [0.1, 0.5, 0.9], []
    truth = np.rint(stats.norm(50, 10).ppf(wanted))
    for _ in range(150):
        scores = study(generator, 60, 12)
        hits.append([covered(scores, truth, wanted, np.arange(60)), covered(scores, truth, wanted, np.arange(720))])
    right, naive = np.mean(hits, axis=0)
    assert (right > 0.91).all()  # 150 studies: 0.95 would be below that once in 50
    assert (naive < 0.85).all()  # rows taken for deals: the test can fail


def test_intervals_count_deals_and_not_games() -> None:
    again = vs.simulate(DealtSum(3), games=2000, seed=2, plays_per_deal=20, jobs=1)
    once = vs.simulate(DealtSum(3), games=100, seed=2, jobs=1)
    assert histogram(again)["share"].to_list() == pytest.approx(histogram(once)["share"].to_list())  # 20 equal games a deal
    wide, same = (summary(each, ["seat"]).filter(pl.col("metric") == "score") for each in (again, once))
    assert wide["error"].to_list() == pytest.approx(same["error"].to_list())
    naive = again.seats.filter(pl.col("seat") == 0)["score"].cast(pl.Float64).std() / 2000**0.5
    assert wide["error"][0] > 4 * naive
    assert quantiles(again).equals(quantiles(once))


def test_the_summary_has_what_scipy_has(run: vs.Run) -> None:
    found = summary(run, ["seat"])
    scores = run.seats.filter(pl.col("seat") == 1)["score"].to_numpy()
    row = found.row(by_predicate=(pl.col("seat") == 1) & (pl.col("metric") == "score"), named=True)
    low, high = stats.t.interval(0.95, len(scores) - 1, scores.mean(), stats.sem(scores))
    assert (row["value"], row["low"], row["high"]) == pytest.approx((scores.mean(), low, high))
    one = {name: found.filter((pl.col("seat") == 1) & (pl.col("metric") == name))["value"][0] for name in found["metric"].unique()}
    assert one["score_sd"] == pytest.approx(scores.std()) and one["score_50%"] == np.quantile(scores, 0.5, method="inverted_cdf")
    assert (one["score_min"], one["score_max"], one["below_zero"]) == (scores.min(), scores.max(), 0)
    assert "winner_score" not in one and found["rows"].unique().to_list() == [400]
    whole = summary(run)
    assert whole["metric"].is_unique().all() and {"winner_score", "lead", "shared_wins", "tie_breaks"} < {*whole["metric"]}
    assert whole["rows"].unique().to_list() == [1200] and whole.to_pandas().shape == whole.shape


def test_parts_together_are_the_whole_run(tmp_path: Path, cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_GAMES", dict(registry._GAMES))
    registry.register(HighSum)
    for name, first in (("a", 0), ("b", 250)):
        vs.simulate(HighSum(3), games=250 if first == 0 else 150, first_game=first, seed=1, jobs=1, out=tmp_path / name)
    assert cli("merge", tmp_path / "a", tmp_path / "b", "--out", tmp_path / "both")[0] == 0
    both, run = vs.open_dataset(tmp_path / "both"), vs.simulate(HighSum(3), games=400, seed=1, jobs=1)
    assert len(both.manifest.parts) == 2
    assert histogram(both, ["seat"]).equals(histogram(run, ["seat"])) and quantiles(both).equals(quantiles(run))


def test_what_is_wrong_is_said(run: vs.Run) -> None:
    for words, said in (
        (lambda: histogram(run, what="points"), "Valid: score, margin"),
        (lambda: histogram(run, ["sea"]), "Did you mean 'seat'"),
        (lambda: histogram(run, ["score"]), "column to split by 'score'"),
        (lambda: quantiles(run, probabilities=[0.5, 1.0]), "between 0 and 1"),
        (lambda: quantiles(vs.simulate(HighSum(2), games=9, seed=1, jobs=1)), "9 deals are too few"),
        (lambda: games_needed(0.1, 100, 1, 0.0), "above 0"),
    ):
        with pytest.raises(vs.InputError, match=said):
            words()


def test_how_many_games_and_how_small_a_difference() -> None:
    now = stats.t.ppf(0.975, 99) * 0.02
    assert games_needed(0.02, 100, 3, now) == 300  # what the run has gives what it has
    assert games_needed(np.array([0.02, 0.01, 0]), 100, 3, now / 2).tolist() == [1200, 300, 6]
    from statsmodels.stats.power import tt_solve_power

    assert smallest_difference(0.1, 400) == pytest.approx(tt_solve_power(nobs=400, alpha=0.05, power=0.8) * 2, rel=0.002)


def test_pictures_show_the_frames(run: vs.Run) -> None:
    found = histogram(run)
    bars = draw.histogram(found, title="Toy")
    assert [bar.get_height() for bar in bars.patches] == pytest.approx(found["share"].to_list())
    assert "points" in bars.get_xlabel() and "seats (%)" in bars.get_ylabel() and bars.figure.get_suptitle() == "Toy"  # type: ignore[union-attr]
    by = histogram(run, ["seat"])
    for picture in (draw.histogram(by, by="seat"), draw.ecdf(by, by="seat")):
        assert [text.get_text() for text in picture.get_legend().get_texts()] == ["seat 0", "seat 1", "seat 2"]
        assert len({(line.get_marker(), line.get_color()) for line in picture.lines}) == 3
    assert draw.ecdf(found).lines[0].get_ydata()[-1] == 1  # type: ignore[index]
    assert {what for what in WHAT if "(points)" in draw.histogram(histogram(run, what=what), what).get_xlabel()} == {*WHAT}
    ax = draw.quantiles(quantiles(run, ["seat"]), by="seat")
    assert [label.get_text() for label in ax.get_yticklabels()] == ["seat 2", "seat 1", "seat 0"]
    assert draw.quantiles(quantiles(run), ax=ax) is ax
