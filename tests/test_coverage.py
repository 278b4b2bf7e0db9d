"""Intervals hold as often as they say, by `scripts/coverage_check.py` with fewer studies; the wrong ones are found.

BUDGET is the chance that some kind would fail with a seed drawn anew if all were right, in all tests of this file: a kind
fails where so few or so many right intervals are less likely than its part of that, even at the end of what is allowed.
"""

from __future__ import annotations

from collections.abc import Iterator

import coverage_check as script
import numpy as np
import polars as pl
import pytest
from scipy import stats
from toy_game import HighSum

import veggies_sim as vs
from veggies_sim.analysis.estimates import LEAST_DEALS, SURE_DEALS, deals_with, few_deals, metric_interval
from veggies_sim.analysis.intervals import Interval, degrees, deviation_interval, mean_interval, share_interval, t_interval
from veggies_sim.analysis.sums import N, Sums
from veggies_sim.core import registry
from veggies_sim.report.provenance import limits

BUDGET = 1e-3
STUDIES = 1000
CASES = [(kinds, deals) for kinds in script.KINDS for deals in script.SIZES[:2]] + [(kinds, SURE_DEALS) for kinds in script.SLOW]


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_GAMES", dict(registry._GAMES))
    registry.register(HighSum)


def allowed(studies: int, kinds: int) -> tuple[float, float]:
    """Return the shares of right intervals beyond which a kind fails."""
    each = BUDGET / kinds
    return (stats.binom.ppf(each, studies, script.LOW) / studies, stats.binom.isf(each, studies, script.HIGH) / studies)


def failures(rng: np.random.Generator, kinds: script.Kinds, deals: int, studies: int = STUDIES) -> list[str]:
    found = script.study(rng, kinds, deals, studies)
    return [name for name, right in found.items() if not script.judged(name, deals, right, allowed(len(right), 60)).passed]


@pytest.mark.parametrize(("kinds", "deals"), CASES, ids=lambda each: getattr(each, "__name__", str(each)))
def test_intervals_hold(kinds: script.Kinds, deals: int) -> None:
    assert failures(np.random.default_rng([2, deals]), kinds, deals, 300 if kinds in script.SLOW else STUDIES) == []


def test_intervals_hold_where_groups_are_uneven() -> None:
    assert failures(np.random.default_rng(3), script.uneven, 1500, 300) == []


def wrong(rng: np.random.Generator, deals: int, studies: int) -> Iterator[tuple[str, script.Holds]]:
    """Yield intervals that are known to be wrong, as `script.metrics` does right ones."""
    games = script.columns(script.made_up(rng, deals, studies, plays=6))
    score = games["score"][:, :, 0]
    yield "rows counted as deals", script.holds(mean_interval(score.reshape(-1, studies)), script.SHAPE)
    found = metric_interval(script.sums_of(script.METRICS["score"], games), script.METRICS["score"])[0]
    half = (found.high - found.low) / 2
    yield "a tenth too narrow", script.holds(Interval(found.value, found.low + 0.1 * half, found.high - 0.1 * half), script.SHAPE)
    yield "a fifth too wide", script.holds(Interval(found.value, found.low - 0.2 * half, found.high + 0.2 * half), script.SHAPE)
    spread, error = metric_interval(script.sums_of(script.METRICS["score_sd"], games), script.METRICS["score_sd"])
    yield "t of a standard deviation", script.holds(t_interval(spread.value, error, deals), script.SHAPE**0.5)
    share = rng.uniform(0.01, 0.03, studies)
    below = (score < stats.gamma.ppf(share, script.SHAPE)).mean(axis=1)
    yield "t of a small share", script.holds(mean_interval(below), share)


def test_wrong_intervals_are_found() -> None:
    assert failures(np.random.default_rng(4), wrong, SURE_DEALS, 4000) == [
        "rows counted as deals", "a tenth too narrow", "a fifth too wide", "t of a standard deviation", "t of a small share",
    ]  # fmt: skip


def test_a_conservative_kind_may_hold_more_often_but_no_other() -> None:
    right = np.ones(100, bool)
    assert script.judged("share near 0.02", 50, right).passed and not script.judged("score", 50, right).passed
    assert not script.judged("share near 0.02", 50, ~right).passed


def test_the_script_gives_the_same_table_again_and_says_what_fails(monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    monkeypatch.setattr(script, "SIZES", (SURE_DEALS,))
    monkeypatch.setattr(script, "KINDS", (script.blocks,))
    monkeypatch.setattr(script, "SLOW", (script.arms,))
    monkeypatch.setattr("sys.argv", ["coverage_check.py", "--studies", "60", "--seed", "5"])
    tables = []
    for _ in range(2):
        assert script.main() == 1  # of 60 studies no share lies between 94.3 and 95.7 % but 57
        tables.append(capsys.readouterr().out)
    assert tables[0] == tables[1] and "FAILED" in tables[0] and "mean_interval with span" in tables[0]


def sums(weight: np.ndarray, deals: int) -> Sums:
    score = 10.0 * weight
    return Sums(pl.DataFrame(), {"score.0": score, "score.1": weight, "below_zero.0": 0 * score, "below_zero.1": weight}, deals)


def test_deals_with_rows_are_counted() -> None:
    rng = np.random.default_rng(6)
    few = (np.arange(200) < 60)[:, None] * 3.0
    assert deals_with(sums(few, 200), few) == pytest.approx(60)
    uneven = script.grouped(np.ones((2700, 1)))
    assert deals_with(sums(uneven, 2700), uneven) == pytest.approx(2700)
    rare = script.grouped((rng.random((40 * N, 5)) < 0.05).astype(float))
    assert deals_with(sums(rare, 40 * N), rare) == pytest.approx(np.full(5, 2000), rel=0.2)
    assert np.isnan(deals_with(sums(0 * few, 200), 0 * few)).all()


def test_a_share_of_none_is_as_sure_as_its_deals_not_as_all_deals() -> None:
    few = (np.arange(N) < 60)[:, None] * 1.0
    found, _ = metric_interval(sums(few, 10 * N), script.METRICS["below_zero"])
    theirs = share_interval(np.zeros(1), np.zeros(1), 60)
    assert found.low == 0 and found.high == pytest.approx(theirs.high, rel=0.1)


def test_no_interval_where_too_few_deals_have_rows() -> None:
    enough, few = ((np.arange(N) < count)[:, None] * 1.0 for count in (LEAST_DEALS, LEAST_DEALS - 1))
    for key in ("score", "below_zero"):
        assert not np.isnan(metric_interval(sums(enough, 10 * N), script.METRICS[key])[0].high)
        found = metric_interval(sums(few, 10 * N), script.METRICS[key])[0]
        assert np.isnan([found.low, found.high]).all() and not np.isnan(found.value)


def test_degrees_of_freedom() -> None:
    rng = np.random.default_rng(7)
    assert degrees(rng.normal(size=(40, 1))) == pytest.approx(39)
    assert degrees(np.ones((40, 1))) == 39  # nothing varies
    few = np.where(np.arange(4000) < 60, rng.normal(size=4000), 0)[:, None]
    assert 40 < degrees(few)[0] < 80


def test_a_standard_deviation_of_none_has_no_interval() -> None:
    found = deviation_interval(np.zeros(1), np.zeros((9, 1)))
    assert np.isnan([found.low, found.high]).all()


def test_few_deals_are_told() -> None:
    assert f"{SURE_DEALS - 1} deals are few" in few_deals(SURE_DEALS - 1) and few_deals(SURE_DEALS) == ""
    run = vs.simulate(HighSum(2), games=60, plays_per_deal=2, seed=1, jobs=1)
    assert "30 deals are few" in limits(run)[0]
