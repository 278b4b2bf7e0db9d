"""Intervals for means, and for whatever else is computed from blocks.

A *block* is what was drawn independently: a deal with all games that were played on it. Games of one deal are alike, so an
interval that counted games would be wrong. B blocks, G groups of blocks.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from veggies_sim.core.checks import portion, real
from veggies_sim.core.errors import InputError, show
from veggies_sim.core.manifest import LIMITS

Floats = NDArray[np.float64]

LEVEL = 0.95
MOST = LIMITS["games"][1]  # no run has more games: where more are needed, this stands for them
GROUPS = 20  # of the jackknife: enough for a steady variance (19 degrees of freedom), few enough to fit models 20 times


Span = tuple[float, float] | tuple[Floats, Floats]  # the lowest and highest value there can be


class Interval(NamedTuple):
    """Estimates with the ends of their intervals, three arrays of one shape."""

    value: Floats
    low: Floats
    high: Floats


def mean_interval(values: Floats, level: float = LEVEL, span: Span | None = None) -> Interval:
    """Return the mean of `values` [B, ...] over blocks with Student's t-interval; B is 2 or more.

    span: such as (0, 1) for shares, the same for all values or one for each. The interval then stays within it, and
    where all blocks are equal, so that t would claim certainty, it has a width all the same: with confidence `level` at
    most a share `unseen` of all blocks is unlike those seen, and such blocks move the mean by that share of the way to an
    end of the span.
    """
    from scipy import stats

    portion(level, "level")
    count, mean = len(values), values.mean(axis=0)
    half = stats.t.ppf((1 + level) / 2, count - 1) * values.std(axis=0, ddof=1) / np.sqrt(count)
    low, high = mean - half, mean + half
    if span is not None:
        most, same = unseen(count, level), np.ptp(values, axis=0) < 1e-9
        low = np.maximum(np.where(same, mean - most * (mean - span[0]), low), span[0])
        high = np.minimum(np.where(same, mean + most * (span[1] - mean), high), span[1])
    return Interval(mean, low, high)


def unseen(blocks: Floats | int, level: float = LEVEL) -> Any:
    """Return the largest share of all blocks that may be unlike those seen, where all of B blocks are alike.

    Clopper and Pearson, Biometrika 26, 1934: the upper end of the two-sided interval for no success in B trials.
    """
    return 1 - ((1 - level) / 2) ** (1 / blocks)


def group_of(blocks: int) -> NDArray[np.int64]:
    """Return the jackknife group [B] of each block: GROUPS groups as equal as can be, or each block its own."""
    return np.arange(blocks) % min(GROUPS, blocks)


def jackknife_interval(value: Floats, without: Floats, level: float = LEVEL) -> Interval:
    """Return an interval for `value` [...] from the same estimate `without` [G, ...] each group of blocks.

    The delete-a-group jackknife with Student's t of G - 1 degrees of freedom (Miller: The jackknife, a review,
    Biometrika 61, 1974; Kott: The delete-a-group jackknife, Journal of Official Statistics 17, 2001). Where all estimates
    are equal, there is nothing to tell how sure they are, and the ends are NaN.
    """
    from scipy import stats

    portion(level, "level")
    spread = jackknife_error(without)
    half = stats.t.ppf((1 + level) / 2, len(without) - 1) * np.where(spread > 1e-9, spread, np.nan)
    return Interval(value, value - half, value + half)


def jackknife_error(without: Floats) -> Floats:
    """Return the standard error [...] of an estimate, from the same estimate `without` [G, ...] each group of blocks."""
    groups = len(without)
    found: Floats = np.sqrt((groups - 1) / groups * ((without - without.mean(axis=0)) ** 2).sum(axis=0))
    return found


def degrees(without: Floats) -> Floats:
    """Return the degrees of freedom [...] of `jackknife_error`, from estimates `without` [G, ...] each group of blocks.

    At most G - 1, and fewer where a few groups make most of the error: 3 G / (kurtosis - 1), after Satterthwaite
    (Biometrics Bulletin 2, 1946) with the variance of a variance (Cochran: Sampling Techniques, 1977, section 2.15). So a
    skewed metric has a wider interval, and one that n groups have rows of has about n. Their formula has a 2, for an error
    that does not depend on the estimate; with it standard deviations are right too often (`scripts/coverage_check.py`).
    """
    groups = len(without)
    apart = (without - without.mean(axis=0)) ** 2
    with np.errstate(invalid="ignore", divide="ignore"):
        kurtosis = (apart**2).mean(axis=0) / apart.mean(axis=0) ** 2
        found: Floats = np.minimum(groups - 1, 3 * groups / np.maximum(kurtosis - 1, 1e-9))
    return np.where(np.isfinite(found), found, groups - 1)


def t_interval(value: Floats, error: Floats, blocks: Floats | int, level: float = LEVEL) -> Interval:
    """Return Student's t-interval for estimates with standard errors.

    blocks: the size of the sample, one number or one for each estimate; 1 more than the degrees of freedom.
    """
    from scipy import stats

    half = stats.t.ppf((1 + portion(level, "level")) / 2, blocks - 1) * error
    return Interval(value, value - half, value + half)


def deviation_interval(value: Floats, without: Floats, level: float = LEVEL) -> Interval:
    """Return an interval for standard deviations from the same estimates `without` [G, ...] each group of blocks.

    Student's t on the logarithm, where a standard deviation is nearly normal, with the bias that the jackknife finds
    taken off (Miller, Annals of Mathematical Statistics 39, 1968). NaN where nothing varies.
    """
    groups = len(without)
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(without)
        centre = groups * np.log(value) - (groups - 1) * logs.mean(axis=0)
        _, low, high = t_interval(centre, jackknife_error(logs), 1 + degrees(logs), level)
        return Interval(value, np.exp(low), np.exp(high))


def share_interval(value: Floats, error: Floats, blocks: Floats | int, level: float = LEVEL) -> Interval:
    """Return Wilson's interval for shares with standard errors, which stays within 0 and 1.

    blocks: how many there are, one number or one for each share.
    The size of the sample is the one that gives this standard error to a share of independent trials, made smaller where
    few blocks say how large the error is (Korn and Graubard, Survey Methodology 24, 1998; Franco and others, Journal of
    Survey Statistics and Methodology 7, 2019). A share of 0 or 1 counts the blocks.
    """
    from scipy import stats
    from statsmodels.stats.proportion import proportion_confint

    quantile = (1 + portion(level, "level")) / 2
    smaller = (stats.norm.ppf(quantile) / stats.t.ppf(quantile, blocks - 1)) ** 2
    sure = error**2 < 1e-12 * value * (1 - value) + 1e-18
    trials = smaller * np.where(sure, blocks, value * (1 - value) / np.where(sure, 1, error**2))
    low, high = proportion_confint(value * trials, trials, 1 - level, method="wilson")
    tiny = 1e-12  # rounding must not leave out the share itself, nor 0 and 1
    return Interval(value, np.where(value < tiny, 0, np.maximum(low, 0)), np.where(value > 1 - tiny, 1, np.minimum(high, 1)))


def games_needed(error: float | Floats, deals: int, games_per_deal: int, wish: float, level: float = LEVEL) -> NDArray[np.int64]:
    """Return how many games, in whole deals, make intervals that reach `wish` to either side.

    error: the standard error [...] that a run of so many deals gave; with more deals it falls with their square root. At
    least two deals, at most MOST games; where the error is 0, nothing says that more are needed. Raises InputError for a
    wish that is not above 0.
    """
    from scipy import stats

    if not real(wish, "wish") > 0:
        raise InputError(f"a precision of {show(wish)}: valid is a number above 0, in the unit of what is measured.")
    half = stats.t.ppf((1 + portion(level, "level")) / 2, deals - 1) * np.asarray(error, dtype=float)
    return in_games(np.ceil(np.maximum(grown(deals, half, wish) - 1e-9, 2)) * games_per_deal)


def grown(size: float | Floats, width: float | Floats, wish: float) -> Floats:
    """Return how large a sample [...] makes what is now `width` wide as narrow as `wish`: widths fall with its square root."""
    with np.errstate(over="ignore"):
        found: Floats = size * (np.asarray(width, dtype=float) / wish) ** 2
    return found


def in_games(count: Floats) -> NDArray[np.int64]:
    """Return numbers of games as whole numbers, at most MOST."""
    found: NDArray[np.int64] = np.ceil(np.minimum(count, MOST)).astype(np.int64)
    return found


def smallest_difference(error: float | Floats, blocks: int | Floats, level: float = LEVEL, power: float = 0.8) -> Floats:
    """Return how large a true difference must be so that a test finds it with probability `power`.

    error: the standard error [...] of a difference, from so many blocks; the test is two-sided, at level 1 - `level`: the
    difference lies (t of its interval + t of the power) standard errors from 0 (Bloom, Evaluation Review 19, 1995).
    """
    from scipy import stats

    found: Floats = (stats.t.ppf((1 + level) / 2, blocks - 1) + stats.t.ppf(power, blocks - 1)) * np.asarray(error, dtype=float)
    return found
