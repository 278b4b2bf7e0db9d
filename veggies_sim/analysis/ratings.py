"""Ratings: the model of Bradley and Terry, fitted to who won against whom by statsmodels.

Among the games that one of two sides wins, the log odds of the first are the difference of their members' mean ratings
(Bradley and Terry, Biometrika 39, 1952; for any number of sides Luce: Individual Choice Behavior, 1959, whose model says
this of each pair of sides at a table). Every policy sits at every seat equally often in the same company, so seats need no
parameter. K policies; Q pairs of sides that differ in their members; G jackknife groups of deals.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from veggies_sim.analysis.intervals import Floats, group_of, jackknife_interval
from veggies_sim.analysis.line_ups import grid, seated

ELO = 400 / np.log(10)  # points of the Elo scale per unit of log odds: 100 points more win 64 to 36


@dataclass(frozen=True)
class Duels:
    """Wins by pair of sides; a game won by k sides together counts as 1/k for each."""

    apart: Floats  # [Q, K] share of each policy among the members of the first side, less that of the second
    won: Floats  # [G, Q] games that the first side won
    lost: Floats  # [G, Q] games that the second side won

    def among(self, policies: NDArray[np.int64]) -> Duels:
        """Return the duels that differ in some policies only, as if there were no others."""
        rows = np.isclose(np.abs(self.apart[:, policies]).sum(axis=1), np.abs(self.apart).sum(axis=1))
        return Duels(self.apart[np.ix_(rows, policies)], self.won[:, rows], self.lost[:, rows])

    def alike(self) -> bool:
        """Say whether all groups of deals have the same shares of wins, so that nothing tells how sure these are."""
        return np.allclose(self.won * self.lost.sum(axis=0), self.lost * self.won.sum(axis=0))

    def beaten(self) -> NDArray[np.bool_]:
        """Return who won against whom at least once [K, K]; who sits on both sides has beaten nobody."""
        more, less = (self.apart > 0).astype(int), (self.apart < 0).astype(int)
        won, lost = self.won.sum(axis=0) > 0, self.lost.sum(axis=0) > 0
        found: NDArray[np.bool_] = more[won].T @ less[won] + less[lost].T @ more[lost] > 0
        return found


def duels(rows: pl.DataFrame, policies: Sequence[str]) -> Duels:
    """Return the duels of a ladder (rows of `line_ups.play`)."""
    seats, win = seated(rows, policies), grid(rows, "win")
    members = seats / seats.sum(axis=2, keepdims=True)  # [L, sides, K]
    team = grid(rows, "team")[0, 0].astype(int)
    groups = group_of(len(win))
    by_group = np.stack([win[groups == group].sum(axis=0) for group in range(groups.max() + 1)])  # [G, L, P]
    sides = by_group[:, :, np.unique(team, return_index=True)[1]]  # [G, L, sides]
    one, two = zip(*itertools.combinations(range(sides.shape[2]), 2), strict=True)
    apart = (members[:, one] - members[:, two]).reshape(-1, len(policies))
    kinds, kind = np.unique(apart.round(9), axis=0, return_inverse=True)
    won, lost = (
        np.array([np.bincount(kind.ravel(), wins.ravel(), len(kinds)) for wins in sides[:, :, side]])
        for side in (one, two)
    )  # fmt: skip
    differ = kinds.any(axis=1) & ((won + lost).sum(axis=0) > 0)
    return Duels(kinds[differ], won[:, differ], lost[:, differ])


def ratings(rows: pl.DataFrame, policies: Sequence[str]) -> pl.DataFrame:
    """Return a rating for each policy, in their order, from the rows of a ladder (see `line_ups.play`).

    Columns: policy, rating, rating_low, rating_high (Elo points, see `fit_with_interval`), note. Where some policies never
    won against others the best fit lies at infinity (Ford, American Mathematical Monthly 64, 1957): the largest set of
    policies that all won against each other, if only by way of others, has ratings; for the rest `note` says why not.
    """
    data = duels(rows, policies)
    beaten = data.beaten()
    rated = comparable(beaten)
    found = ELO * fit_with_interval(data)
    notes = ["" if policy in rated else _why_not(beaten, policy) for policy in range(len(policies))]
    for policy in rated[np.isnan(found[1, rated])]:
        lacks = "interval" if np.isfinite(found[0, policy]) else "rating"
        notes[policy] = f"no {lacks}: {'all deals ended alike' if data.alike() else 'too few games won or lost'}"
    columns = dict(zip(("rating", "rating_low", "rating_high"), found, strict=True))
    return pl.DataFrame({"policy": policies, **columns, "note": notes}).fill_nan(None)


def _why_not(beaten: NDArray[np.bool_], policy: int) -> str:
    if not beaten[policy].any():
        return "no rating: never won"
    if not beaten[:, policy].any():
        return "no rating: always won"
    return "no rating: won against some always, against the others never"


def comparable(beaten: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return the largest set of policies with a way of wins from each to each other, at least two; else none."""
    from scipy.sparse.csgraph import connected_components

    _, part = connected_components(beaten, connection="strong")
    found = np.flatnonzero(part == np.bincount(part).argmax())
    return found if len(found) > 1 else found[:0]


def fit_with_interval(data: Duels) -> Floats:
    """Return the ratings as `fit` has them and both ends of their intervals [3, K]; NaN for what is not finite.

    Intervals: delete-a-group jackknife over deals. Who has no finite rating without one of the groups has no interval, and
    the mean of all others is 0: so one policy that hardly ever won takes away nobody else's.
    """
    groups = np.arange(len(data.won))
    without = np.array([fit(Duels(data.apart, data.won[groups != group], data.lost[groups != group])) for group in groups])
    value, sure = fit(data), np.isfinite(without).all(axis=0)
    if sure.sum() < 2:
        return np.array([value, np.full_like(value, np.nan), np.full_like(value, np.nan)])
    without -= without[:, sure].mean(axis=1, keepdims=True)
    return np.array(jackknife_interval(value - value[sure].mean(), without))


def fit(data: Duels) -> Floats:
    """Return the most likely ratings [K], in units of log odds with mean 0; NaN where they are not finite."""
    found = np.full(data.apart.shape[1], np.nan)
    rated = comparable(data.beaten())
    if len(rated):
        strength = _log_odds(data.among(rated))
        found[rated] = strength - strength.mean()
    return found


def _log_odds(data: Duels) -> Floats:
    """Return the most likely ratings of policies that are all comparable, the first at 0; NaN where the fit fails."""
    from statsmodels.genmod.families import Binomial
    from statsmodels.genmod.generalized_linear_model import GLM
    from statsmodels.tools.sm_exceptions import ConvergenceWarning, PerfectSeparationWarning

    counts = np.column_stack([data.won.sum(axis=0), data.lost.sum(axis=0)])
    met = counts.sum(axis=1) > 0
    model = GLM(counts[met], data.apart[met, 1:], family=Binomial())  # only differences matter
    with warnings.catch_warnings(), np.errstate(divide="ignore", invalid="ignore"):
        warnings.simplefilter("ignore", PerfectSeparationWarning)  # the fit of two policies is exact, with nothing left over
        warnings.simplefilter("ignore", ConvergenceWarning)  # asked for below
        result = model.fit(maxiter=100)
    found: Floats = np.append(0, result.params if result.converged else np.full(len(result.params), np.nan))
    return found
