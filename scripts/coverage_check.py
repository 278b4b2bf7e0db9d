"""Check that intervals hold: play small studies whose truth is known, and count how often a 95 % interval contains it.

    python scripts/coverage_check.py --studies 10000 --seed 1

Every kind of interval of `veggies_sim.analysis` is asked by way of its own code. Made-up scores have a gamma distribution,
a little more skewed than those of the players that ship, with a part that comes from the deal and is the same in all of its
games; of the toy game of the tests whole runs are played. A kind passes where its share of right intervals is 94.3 to 95.7 %,
or where it is conservative (it promises 95 % or more) at least 94.3 %. Prints a table; exit status 1 where a kind fails.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl
from scipy import integrate, stats

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from toy_game import HighSum

import veggies_sim as vs
from veggies_sim.analysis.compare import _differences
from veggies_sim.analysis.estimates import SURE_DEALS, estimates, metric_interval
from veggies_sim.analysis.intervals import (
    Floats,
    Interval,
    group_of,
    jackknife_interval,
    mean_interval,
)
from veggies_sim.analysis.metrics import Metric, metrics_of
from veggies_sim.analysis.pairs import Common
from veggies_sim.analysis.scores import count_quantiles
from veggies_sim.analysis.sums import GROUP, N, Sums
from veggies_sim.core import registry
from veggies_sim.core.dataset import Run

METRICS = metrics_of(HighSum(3))
LEVEL, LOW, HIGH = 0.95, 0.943, 0.957  # nominal, and what must be reached of it
SEATS, PLAYS = 3, 2  # of a game, of a deal
SHAPE, FROM_DEAL = 16.0, 0.3  # of the gamma distribution (skewness 0.5); the part of it that a deal gives to a seat
SIZES = (SURE_DEALS, 200, 1500)  # deals of a study; 1500 fill the groups of `sums` as unevenly as can be
ROWS = 6_000_000  # of made-up games at a time
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
SHARES = (0.02, 0.1, 0.33, 0.5)  # chances that are asked for; a study's own is up to half as much more or less
Holds = np.ndarray  # [S] whether the interval of each study contains the truth


class Verdict(NamedTuple):
    """How often the intervals of a kind were right."""

    kind: str
    deals: int
    studies: int
    share: float
    low: float  # the share's own interval (Clopper and Pearson), from the number of studies
    high: float
    conservative: bool
    passed: bool


def made_up(rng: np.random.Generator, deals: int, studies: int, part: Floats | None = None, plays: int = PLAYS) -> Floats:
    """Return scores [D, plays, SEATS, S] of studies. part: what the deals give to the seats, [D, 1, SEATS, S]."""
    part = rng.gamma(SHAPE * FROM_DEAL, size=(deals, 1, SEATS, studies)) if part is None else part
    return part + rng.gamma(SHAPE * (1 - FROM_DEAL), size=(deals, plays, SEATS, studies))


def truths() -> dict[str, float]:
    """Return what the metrics of made-up games tend to, seat 0 for those of a seat."""
    below = stats.gamma(SHAPE).cdf
    most2, most3, middle3 = (
        integrate.quad(lambda x, p=p: 1 - p(below(x)), 0, 100)[0]
        for p in (lambda f: f**2, lambda f: f**3, lambda f: 3 * f**2 - 2 * f**3)
    )
    return {"score": SHAPE, "score_sd": SHAPE**0.5, "margin": SHAPE - most2, "winner_score": most3,
            "lead": most3 - middle3, "win_share": 1 / SEATS}  # fmt: skip


def grouped(values: Floats) -> Floats:
    """Return sums of deals [D, ...] over the groups of `sums`."""
    found = np.zeros((min(N, len(values)), *values.shape[1:]))
    for start in range(0, len(values), N):
        piece = values[start : start + N]
        found[: len(piece)] += piece
    return found


def columns(score: Floats) -> dict[str, Floats]:
    """Return score, win and margin of made-up games, each [D, plays, SEATS, S]."""
    order = np.sort(score, axis=2)
    best, second = order[:, :, -1:], order[:, :, -2:-1]
    win = score == best
    return {"score": score, "win": win.astype(float), "margin": np.where(win, score - second, score - best)}


def sums_of(metric: Metric, games: dict[str, Floats], seat: int = 0, kept: Floats | None = None) -> Sums:
    """Return the sums of made-up games by study, of one seat where it is a metric of seats. kept: 0 for rows to leave out."""
    chosen = slice(seat, seat + 1) if metric.per_seat else slice(None)
    of = {name: each[:, :, chosen] for name, each in games.items()}
    names = [f"{metric.key}.{i}" for i in range(len(metric.sums))]
    each_row = [expr.cast(pl.Float64).alias(name) for expr, name in zip(metric.sums, names, strict=True)]
    rows = pl.DataFrame({name: each.ravel() for name, each in of.items()}).select(each_row)
    weight = 1.0 if kept is None else kept[:, :, chosen]
    shape = of["score"].shape
    sums = {name: grouped((weight * rows[name].to_numpy().reshape(shape)).sum(axis=(1, 2))) for name in names}
    return Sums(pl.DataFrame({"study": np.arange(shape[3])}), sums, len(of["score"]))


def holds(found: Interval, truth: Floats | float) -> Holds:
    """Say whether intervals contain the truth; one without ends does not."""
    return (found.low <= truth) & (truth <= found.high)


def metrics(rng: np.random.Generator, deals: int, studies: int) -> Iterator[tuple[str, Holds]]:
    """Yield the metrics that every game has, and the win shares of all seats together."""
    games = columns(made_up(rng, deals, studies))
    for key, truth in truths().items():
        yield f"{key}", holds(metric_interval(sums_of(METRICS[key], games), METRICS[key])[0], truth)
    win = METRICS["win_share"]
    together = [metric_interval(sums_of(win, games, seat), win, 1 - (1 - LEVEL) / SEATS)[0] for seat in range(SEATS)]
    yield "win_share of all seats together", np.all([holds(each, 1 / SEATS) for each in together], axis=0)
    for near in SHARES:
        share = near * rng.uniform(0.5, 1.5, studies)
        shifted = games | {"score": games["score"] - stats.gamma.ppf(share, SHAPE)}
        yield f"share near {near}", holds(metric_interval(sums_of(METRICS["below_zero"], shifted), METRICS["below_zero"])[0], share)


def uneven(rng: np.random.Generator, deals: int, studies: int) -> Iterator[tuple[str, Holds]]:
    """Yield metrics of deals with unequal numbers of rows: more of good deals, or none of most deals."""
    part = rng.gamma(SHAPE * FROM_DEAL, size=(deals, 1, SEATS, studies))
    games = columns(made_up(rng, deals, studies, part))
    middle = stats.gamma.ppf(0.5, SHAPE * FROM_DEAL)
    kept = np.ones_like(games["score"])
    kept[:, 1:] = part > middle  # bad deals have one row, good ones all
    good = SHAPE * FROM_DEAL * stats.gamma.sf(middle, SHAPE * FROM_DEAL + 1)  # E[part; part > middle]
    more = (PLAYS - 1) * (good + SHAPE * (1 - FROM_DEAL) / 2)
    score, below = METRICS["score"], METRICS["below_zero"]
    truth = (SHAPE + more) / (1 + (PLAYS - 1) / 2)
    yield "score, more rows of good deals", holds(metric_interval(sums_of(score, games, kept=kept), score)[0], truth)
    few = (rng.random((deals, 1, SEATS, studies)) < 2 * SURE_DEALS / deals) * np.ones_like(kept)
    if deals > 3 * SURE_DEALS:
        yield "score, rows of few deals", holds(metric_interval(sums_of(score, games, kept=few), score)[0], SHAPE)
        share = 0.1 * rng.uniform(0.5, 1.5, studies)
        shifted = games | {"score": games["score"] - stats.gamma.ppf(share, SHAPE)}
        yield "share, rows of few deals", holds(metric_interval(sums_of(below, shifted, kept=few), below)[0], share)


def arms(rng: np.random.Generator, deals: int, studies: int) -> Iterator[tuple[str, Holds]]:
    """Yield differences of metrics between two runs that are alike, on the same deals and on others."""
    part = rng.gamma(SHAPE * FROM_DEAL, size=(deals, 1, SEATS, studies))
    base, same, other = (columns(made_up(rng, deals, studies, each)) for each in (part, part, None))
    for paired, word, run in ((True, "paired", same), (False, "unpaired", other)):
        how = Common(paired, paired, ([], []), (deals, deals))
        for key in ("score", "win_share", "score_sd", "lead"):
            sums = [sums_of(METRICS[key], games) for games in (base, run)]
            for each in sums:
                each.sums[f"{key}.square"] = each.sums[f"{key}.0"]  # of effect sizes, which nobody asks for here
            found = _differences(METRICS[key], *sums, how, LEVEL)
            ends = Interval(*(found[name].to_numpy() for name in ("difference", "low", "high")))
            yield f"{word} difference of {key}", holds(ends, 0)


def blocks(rng: np.random.Generator, deals: int, studies: int) -> Iterator[tuple[str, Holds]]:
    """Yield intervals from a value for each deal, as the ladder has them."""
    games = columns(made_up(rng, deals, studies))
    score, win = (games[name][:, :, 0].mean(axis=1) for name in ("score", "win"))
    yield "mean_interval", holds(mean_interval(score), SHAPE)
    yield "mean_interval with span", holds(mean_interval(win, span=(0, 1)), 1 / SEATS)
    groups = group_of(deals)
    size = np.bincount(groups)[:, None]
    sums = np.array([score[groups == group].sum(axis=0) for group in range(len(size))])
    without = (sums.sum(axis=0) - sums) / (deals - size)
    yield "jackknife_interval", holds(jackknife_interval(score.mean(axis=0), without), SHAPE)


def quantiles(rng: np.random.Generator, deals: int, studies: int) -> Iterator[tuple[str, Holds]]:
    """Yield quantiles of scores, which are whole numbers."""
    score = np.floor(made_up(rng, deals, studies)[:, :, 0]).astype(np.int64)  # [D, plays, S]
    group, _, number = (each.ravel() for each in np.indices(score.shape))
    rows = pl.DataFrame({GROUP: group % N, "study": number, "score": score.ravel()})
    counts = rows.group_by(GROUP, "study", "score").agg(pl.len().cast(pl.Float64).alias("count")).sort("study")
    found = count_quantiles(counts, ["study"], "score", QUANTILES, deals)
    known = found.with_columns(pl.col("low").fill_null(0), pl.col("high").fill_null(float("inf")))  # no end, nothing promised
    for each in QUANTILES:
        mine = known.filter(pl.col("probability") == each)
        ends = Interval(*(mine[name].to_numpy() for name in ("value", "low", "high")))
        yield f"quantile {each}", holds(ends, np.floor(stats.gamma.ppf(each, SHAPE)))


def toy_runs(rng: np.random.Generator, deals: int, studies: int) -> Iterator[tuple[str, Holds]]:
    """Yield metrics of whole runs of the toy game, of each seat. A seat draws five of 40 cards."""
    game, seed = HighSum(SEATS), int(rng.integers(2**32))
    cards, drawn = int(game.rules["cards"]), 5
    variance = drawn * (cards**2 - 1) / 12 * (cards - drawn) / (cards - 1)
    truth = {"score": drawn * (cards + 1) / 2, "score_sd": variance**0.5, "win_share": 1 / SEATS}
    rows = vs.simulate(game, games=deals * studies, seed=seed, jobs=1).seats
    number = pl.col("game") // deals
    one = vs.simulate(game, games=deals, seed=seed, jobs=1)
    table = rows.with_columns(number.alias("study"), game=pl.col("game") % deals, deal=pl.col("game") % deals).to_arrow()
    run = Run(one.manifest, game, tables={"seats": table})
    # The change is none, but says that rows have a column of their own.
    found = estimates(run, [METRICS[key] for key in truth], by=["study", "seat"], change=lambda part: part)
    for key in truth:
        mine = found.filter(pl.col("metric") == key)
        ends = Interval(*(mine[name].to_numpy() for name in ("value", "low", "high")))
        yield f"toy game: {key}", holds(ends, truth[key])


# Shares: their sample is taken for smaller than it is, which shows where there are few deals, or few events in them.
# Quantiles of whole numbers: their ends are whole numbers too. Bonferroni's intervals.
CONSERVATIVE = {
    *(f"quantile {each}" for each in QUANTILES),
    *("share near 0.02", "share near 0.1", "share, rows of few deals", "toy game: win_share", "win_share of all seats together"),
}
Kinds = Callable[[np.random.Generator, int, int], Iterator[tuple[str, Holds]]]
KINDS: tuple[Kinds, ...] = (metrics, uneven, arms, blocks)
SLOW: tuple[Kinds, ...] = (quantiles, toy_runs)  # for the smallest size only


def judged(kind: str, deals: int, right: Holds, allowed: tuple[float, float] = (LOW, HIGH)) -> Verdict:
    """Return the verdict on a kind from whether each of its intervals was right."""
    share, conservative = float(right.mean()), kind in CONSERVATIVE
    low, high = stats.binomtest(int(right.sum()), len(right)).proportion_ci(0.95, "exact")
    passed = allowed[0] <= share and (conservative or share <= allowed[1])
    return Verdict(kind, deals, len(right), share, low, high, conservative, passed)


def study(rng: np.random.Generator, kinds: Kinds, deals: int, studies: int) -> dict[str, Holds]:
    """Return for each kind whether the interval of each study was right, some studies at a time."""
    most = max(1, ROWS // (deals * PLAYS * SEATS))
    found: dict[str, list[Holds]] = {}
    for start in range(0, studies, most):
        for name, right in kinds(rng, deals, min(most, studies - start)):
            found.setdefault(name, []).append(right)
    return {name: np.concatenate(pieces) for name, pieces in found.items()}


def verdicts(
    studies: int, seed: int, sizes: tuple[int, ...] = SIZES, allowed: tuple[float, float] = (LOW, HIGH)
) -> Iterator[Verdict]:
    """Yield the verdicts on all kinds; each set of kinds and size has a stream of its own."""
    for place, kinds in enumerate((*KINDS, *SLOW)):
        for deals in sizes if kinds in KINDS else sizes[:1]:
            for name, right in study(np.random.default_rng([seed, place, deals]), kinds, deals, studies).items():
                yield judged(name, deals, right, allowed)


def main() -> int:
    """Print the table; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--studies", type=int, default=10_000, help="studies of each kind and size (default 10,000)")
    parser.add_argument("--seed", type=int, default=1, help="default 1")
    arguments = parser.parse_args()
    registry.register(HighSum)
    began, failed = time.perf_counter(), 0
    print(f"| kind | deals | right of {arguments.studies:,} (95 % interval) | must be | verdict |\n|---|---|---|---|---|")
    for found in verdicts(arguments.studies, arguments.seed):
        must = f"at least {LOW:.1%}" if found.conservative else f"{LOW:.1%} to {HIGH:.1%}"
        verdict = "passed" if found.passed else "FAILED"
        share = f"{found.share:.2%} ({found.low:.2%} to {found.high:.2%})"
        print(f"| {found.kind} | {found.deals:,} | {share} | {must} | {verdict} |", flush=True)
        failed += not found.passed
    print(f"{failed} kinds failed, {time.perf_counter() - began:.0f} s", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
