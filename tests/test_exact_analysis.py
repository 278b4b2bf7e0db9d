"""Exact answers of the analysis: metrics of enumerated games, and the numbers of scipy and statsmodels where they are the same.

BUDGET is the chance that the test of a large run would refuse a right program with a seed drawn anew.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl
import pytest
import veggies_twin as twin
from scipy import stats
from statsmodels.regression.linear_model import OLS
from statsmodels.stats.proportion import proportion_confint
from test_exact import DECK, FACES, RULES, endings, orders
from toy_game import HighSum

import veggies_sim as vs
from veggies_sim.analysis.estimates import estimates
from veggies_sim.analysis.intervals import share_interval
from veggies_sim.analysis.metrics import metrics_of, shared_metrics
from veggies_sim.core import registry
from veggies_sim.core.dataset import Run
from veggies_sim.games.veggies import Veggies

BUDGET = 1e-6
ONE_CARD = {"stand_size": 1, "ramp_size": 0, "rat_penalty": 0}  # so that tie-breaks decide something
Numbers = dict[tuple[str, int | None], float]  # (metric, seat or None for all) -> value


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_GAMES", dict(registry._GAMES))
    registry.register(HighSum)


def exact(games: Iterable[tuple[list[twin.Row], int]]) -> Numbers:
    """Return every shared metric from the rows of games of two seats and their weights, all in whole numbers of halves."""
    sums: Counter[tuple[str, int | None]] = Counter()
    total = 0
    for rows, weight in games:
        total += weight
        for row in rows:
            twice = {"win_share": int(2 * row["win"]), "score": 2 * row["score"], "square": 2 * row["score"] ** 2,
                     "margin": 2 * row["margin"], "below_zero": 2 * (row["score"] < 0)}  # fmt: skip
            for key, value in twice.items():
                sums[key, row["seat"]] += weight * value
        winners = [row for row in rows if row["win"] > 0]
        twice = {"winner_score": sum(row["score"] for row in winners) * (3 - len(winners)),
                 "lead": sum(row["margin"] for row in winners) * (3 - len(winners)), "shared_wins": 2 * (len(winners) == 2),
                 "tie_breaks": 2 * (len(winners) == 1 and winners[0]["margin"] == 0)}  # fmt: skip
        for key, value in twice.items():
            sums[key, None] += weight * value
    means = {key: Fraction(value, 2 * total) for key, value in sums.items()}
    means |= {(key, None): (means[key, 0] + means[key, 1]) / 2 for key, seat in sums if seat == 0}
    found = {key: float(mean) for key, mean in means.items() if key[0] != "square"}
    return found | {("score_sd", seat): math.sqrt(means["square", seat] - means["score", seat] ** 2) for seat in (None, 0, 1)}


def measured(run: Run) -> dict[tuple[str, int | None], dict[str, Any]]:
    """Return the rows of `estimates` for all seats and for each seat."""
    shared = shared_metrics(run.game)
    whole = estimates(run, shared)
    by_seat = estimates(run, [each for each in shared if each.per_seat], by=["seat"])
    rows = [*whole.iter_rows(named=True), *by_seat.iter_rows(named=True)]
    return {(row["metric"], row.get("seat")): row for row in rows}


def enumerated(rules: Mapping[str, Any]) -> Numbers:
    """Return the exact numbers of a tiny game of `random` players."""
    full = twin.full_rules(2, rules)
    return exact((twin.seat_rows(stands, [0, 1], full), weight) for stands, weight in endings(rules)[0].items())


def refused(found: Mapping[tuple[str, int | None], dict[str, Any]], truth: Numbers) -> list[tuple[str, int | None]]:
    """Return what is further from the truth than chance allows; all together spend BUDGET."""
    assert {*found} == {*truth}
    limit = stats.norm.isf(BUDGET / 2 / len(truth))
    return [key for key, row in found.items() if abs(row["value"] - truth[key]) > limit * row["error"] + 1e-9]


@pytest.mark.parametrize("rules", RULES[:2], ids=str)
def test_a_large_run_has_the_exact_numbers(rules: Mapping[str, Any]) -> None:
    run = vs.simulate(Veggies(2, DECK, rules), "random", games=200_000, seed=3, jobs=1)
    found, truth = measured(run), enumerated(rules)
    assert refused(found, truth) == []
    assert all(row["error"] < 0.03 for row in found.values())  # so that a test of this size says something


def test_other_rules_are_refused() -> None:
    run = vs.simulate(Veggies(2, DECK, RULES[0] | {"rat_penalty": 3}), "random", games=200_000, seed=3, jobs=1)  # type: ignore[operator]
    wrong = {key for key, _ in refused(measured(run), enumerated(RULES[0]))}
    assert {"score", "score_sd", "winner_score", "below_zero", "lead"} <= wrong


def all_games() -> Run:
    """Return a run with every deal of stands of one card once, and on each deal every starting choice."""
    full, cards = twin.full_rules(2, ONE_CARD), [face for face, card in enumerate(DECK.cards) for _ in range(card.copies)]
    stands = [twin.summary(twin.laid(face, 0, 0)) for face in FACES]
    games = [
        twin.seat_rows((stands[cards[dealt[one]]], stands[cards[dealt[2 + two]]]), [0, 1], full)
        for dealt in itertools.permutations(range(len(cards)), 4)
        for one, two in itertools.product((0, 1), repeat=2)
    ]
    run = vs.simulate(Veggies(2, DECK, ONE_CARD), "random", games=len(games), plays_per_deal=4, seed=1, jobs=1)
    rows = [{"game": n, "deal": n // 4, "policy": "random", **row} for n, game in enumerate(games) for row in game]
    frame = pl.DataFrame(rows, infer_schema_length=None)
    table = frame.select(pl.col(name).cast(kind) for name, kind in run.seats.schema.items()).to_arrow()
    return Run(run.manifest, run.game, tables={"seats": table})


def test_all_deals_once_give_the_exact_numbers() -> None:
    """The truth is found another way: by faces and their chances, not card by card."""
    run, full = all_games(), twin.full_rules(2, ONE_CARD)
    assert run.deal_count == math.perm(8, 4)  # more than there are groups of sums, and not a multiple of them
    stands = [twin.summary(twin.laid(face, 0, 0)) for face in FACES]
    truth = exact(
        (twin.seat_rows((stands[faces[one]], stands[faces[2 + two]]), [0, 1], full), int(chance * math.perm(8, 4)))
        for faces, chance in orders(tuple(card.copies for card in DECK.cards), 4)
        for one, two in itertools.product((0, 1), repeat=2)
    )
    found = measured(run)
    assert {*found} == {*truth} and min(truth["shared_wins", None], truth["tie_breaks", None]) > 0
    assert max(abs(found[key]["value"] - truth[key]) for key in truth) < 1e-12


def toy(seat: int | None = None, **how: Any) -> tuple[Run, pl.DataFrame]:
    """Return a run of the toy game, and its rows as floats."""
    run = vs.simulate(HighSum(3), jobs=1, **how)
    rows = run.seats.with_columns(pl.col("score", "margin").cast(pl.Float64))
    return run, rows if seat is None else rows.filter(pl.col("seat") == seat)


def one(run: Run, key: str, seat: int | None = None, **more: Any) -> dict[str, Any]:
    found = estimates(run, [metrics_of(run.game)[key]], by=[] if seat is None else ["seat"], **more)
    return (found if seat is None else found.filter(pl.col("seat") == seat)).row(0, named=True)


@pytest.mark.parametrize("key", ["score", "margin"])
def test_a_mean_is_the_t_test_of_scipy(key: str) -> None:
    run, rows = toy(1, games=300, seed=5)
    found, theirs = one(run, key, 1, level=0.9), stats.ttest_1samp(rows[key].to_numpy(), 0)
    assert found["value"] / found["error"] == pytest.approx(theirs.statistic)
    assert [found["low"], found["high"]] == pytest.approx([*theirs.confidence_interval(0.9)])


def test_several_games_of_a_deal_are_the_clusters_of_statsmodels() -> None:
    """Its small-sample factor G / (G - 1) makes the errors of equal clusters the jackknife's."""
    run, rows = toy(games=600, plays_per_deal=3, seed=6)
    every = OLS(rows["score"].to_numpy(), np.ones(len(rows))).fit(cov_type="cluster", cov_kwds={"groups": rows["deal"].to_numpy()})
    found = one(run, "score")
    assert [found["value"], found["error"]] == pytest.approx([every.params[0], every.bse[0]], rel=1e-9)


def test_unequal_numbers_of_rows_are_the_clusters_of_statsmodels_but_for_their_size() -> None:
    """The jackknife of a ratio is larger by the leverage of large deals, of the order of one part in their number."""
    run, rows = toy(games=3000, plays_per_deal=5, seed=7)
    kept = rows.filter(pl.col("best_card") > 33)
    sizes = kept.group_by("deal").len()["len"]
    assert sizes.n_unique() > 5
    theirs = OLS(kept["score"].to_numpy(), np.ones(len(kept))).fit(cov_type="cluster", cov_kwds={"groups": kept["deal"].to_numpy()})
    found = one(run, "score", change=lambda part: part.filter(pl.col("best_card") > 33))
    assert found["value"] == pytest.approx(theirs.params[0], rel=1e-12)
    assert found["error"] == pytest.approx(theirs.bse[0], rel=2 / run.deal_count)


def test_a_share_is_the_wilson_interval_of_statsmodels() -> None:
    for wins, trials in ((0, 20), (3, 40), (250, 500), (40, 40)):
        share = wins / trials
        ours = share_interval(np.array([share]), np.array([math.sqrt(share * (1 - share) / trials)]), trials)
        shrunk = trials * (stats.norm.ppf(0.975) / stats.t.ppf(0.975, trials - 1)) ** 2  # for an error that is estimated
        assert [ours.low[0], ours.high[0]] == pytest.approx(proportion_confint(share * shrunk, shrunk, method="wilson"), abs=1e-12)
    run, rows = toy(0, games=5000, seed=8)
    found = one(run, "win_share", 0)
    theirs = proportion_confint(rows["win"].sum(), 5000, method="wilson")
    assert [found["low"], found["high"]] == pytest.approx(theirs, abs=2e-3)


def test_spreads_and_quantities_of_games_are_those_of_polars() -> None:
    run, rows = toy(games=2000, seed=9)
    winners = rows.filter(pl.col("win") > 0)
    for key, theirs in (("score_sd", rows["score"].std(ddof=0)), ("win_share", 1 / 3), ("below_zero", 0),
                        ("winner_score", (winners["score"] * winners["win"]).sum() / 2000),
                        ("lead", (winners["margin"] * winners["win"]).sum() / 2000)):  # fmt: skip
        assert one(run, key)["value"] == pytest.approx(theirs, rel=1e-7)
