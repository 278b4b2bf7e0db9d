"""Ratings: Luce's choice model, fitted to who won against whom by statsmodels.

Among the sides of a game, a side wins with a chance proportional to exp(mean rating of its members) (Luce: Individual
Choice Behavior, 1959; with two sides Bradley and Terry, Biometrika 39, 1952). Every policy sits at every seat equally often
against the same company, so seats need no parameter. K policies; R rows, one for each *company* (the sides at the table,
wherever they sit) and distinct side in it; G jackknife groups of deals.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from veggies_sim.analysis.intervals import Floats, group_of, jackknife_interval

ELO = 400 / np.log(10)  # points of the Elo scale per unit of log odds: 100 points more are 64 to 36 in a duel


@dataclass(frozen=True)
class SideWins:
    """Wins by company and side; games won by k sides together count as 1/k for each."""

    company: NDArray[np.int64]  # [R] number of the company
    members: Floats  # [R, K] share of each policy among the members of the side
    copies: Floats  # [R] sides of the company that are just this one
    wins: Floats  # [G, R]

    def among(self, policies: NDArray[np.int64]) -> SideWins:
        """Return the wins of the sides made of some policies only, as if no others had played."""
        rows = np.isclose(self.members[:, policies].sum(axis=1), 1)
        return SideWins(self.company[rows], self.members[np.ix_(rows, policies)], self.copies[rows], self.wins[:, rows])


def side_wins(rows: pl.DataFrame, policies: Sequence[str]) -> SideWins:
    """Count wins of the rows of a ladder (see `line_ups.play`)."""
    first = rows.filter(pl.col("deal") == rows["deal"].min())
    company_of: dict[tuple[tuple[str, ...], ...], int] = {}
    index: dict[tuple[int, tuple[str, ...]], int] = {}  # (company, side) -> row
    copies: list[int] = []
    keys: dict[str, list[int]] = {"line_up": [], "team": [], "row": []}
    for (line_up,), seats in first.group_by("line_up", maintain_order=True):
        sides = {team: tuple(sorted(names)) for team, names in seats.group_by("team").agg(pl.col("policy").cast(pl.String)).rows()}
        known = len(company_of)
        company = company_of.setdefault(tuple(sorted(sides.values())), known)
        for team, side in sides.items():
            row = index.setdefault((company, side), len(index))
            copies += [0] * (row + 1 - len(copies))
            copies[row] += company == known
            for key, value in zip(keys, (line_up, team, row), strict=True):
                keys[key].append(value)
    table = pl.DataFrame(keys, schema={"line_up": rows.schema["line_up"], "team": rows.schema["team"], "row": pl.Int64})
    groups = pl.DataFrame({"deal": rows["deal"].unique().sort()}).with_columns(group=group_of(rows["deal"].n_unique()))
    counted = (
        rows.group_by("deal", "line_up", "team").agg(pl.col("win").first().cast(pl.Float64))
        .join(table, on=["line_up", "team"]).join(groups, on="deal")
        .group_by("group", "row").agg(pl.col("win").sum())
    )  # fmt: skip
    wins = np.zeros((int(groups["group"].max()) + 1, len(index)))  # type: ignore[arg-type]
    wins[counted["group"], counted["row"]] = counted["win"]
    members = [[side.count(policy) / len(side) for policy in policies] for _, side in index]
    return SideWins(np.array([company for company, _ in index]), np.array(members), np.array(copies, float), wins)


def ratings(rows: pl.DataFrame, policies: Sequence[str]) -> pl.DataFrame:
    """Return a rating for each policy, in their order, from the rows of a ladder (see `line_ups.play`).

    Columns: policy, rating, rating_low, rating_high (Elo points, the mean of all that have one at 0), note. Where some
    policies never won against others the best fit lies at infinity (Ford, American Mathematical Monthly 64, 1957): the
    largest set of policies that all won against each other, if only by way of others, has ratings; for the rest `note`
    says why not. Intervals: delete-a-group jackknife over deals.
    """
    data = side_wins(rows, policies)
    beaten = beat(data, data.wins.sum(axis=0))
    rated = comparable(beaten)
    found = np.full((3, len(policies)), np.nan)
    notes = ["" if policy in rated else _why_not(beaten, policy) for policy in range(len(policies))]
    if len(rated):
        found[:, rated] = ELO * fit_with_interval(data.among(rated))
        for policy in rated[np.isnan(found[1, rated])]:
            lacks = "interval" if np.isfinite(found[0, policy]) else "rating"
            notes[policy] = f"no {lacks}: too few games won or lost"
    columns = dict(zip(("rating", "rating_low", "rating_high"), found, strict=True))
    return pl.DataFrame({"policy": policies, **columns, "note": notes}).fill_nan(None)


def _why_not(beaten: NDArray[np.bool_], policy: int) -> str:
    if not beaten[policy].any():
        return "no rating: never won"
    if not beaten[:, policy].any():
        return "no rating: always won"
    return "no rating: won against some always, against the others never"


def beat(data: SideWins, total: Floats) -> NDArray[np.bool_]:
    """Return who won against whom at least once [K, K], for wins `total` [R]."""
    found = np.zeros((data.members.shape[1],) * 2, bool)
    for row in np.flatnonzero(total > 0):
        others = data.members[data.company == data.company[row]]
        more = data.members[row] - others  # who sits on both sides has beaten nobody
        found |= ((more > 0).T.astype(int) @ (more < 0)) > 0
    return found


def comparable(beaten: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return the largest set of policies with a way of wins from each to each other, at least two; else none."""
    from scipy.sparse.csgraph import connected_components

    _, part = connected_components(beaten, connection="strong")
    found = np.flatnonzero(part == np.bincount(part).argmax())
    return found if len(found) > 1 else found[:0]


def fit_with_interval(data: SideWins) -> Floats:
    """Return the ratings as `fit` has them and both ends of their intervals [3, K]; NaN for what is not finite.

    The interval is NaN where the rating is finite with all groups of deals but not without one of them.
    """
    whole = fit(data, data.wins.sum(axis=0))
    without = np.array([fit(data, data.wins.sum(axis=0) - wins) for wins in data.wins])
    return np.array(jackknife_interval(whole, without))


def fit(data: SideWins, total: Floats) -> Floats:
    """Return the most likely ratings [K] for wins `total` [R], in units of log odds with mean 0; NaN where there are none.

    Wins by company and side are fitted as Poisson counts with an effect for each company, which has the likelihood of the
    choice model (Baker: The multinomial-Poisson transformation, The Statistician 43, 1994).
    """
    from statsmodels.genmod.families import Poisson
    from statsmodels.genmod.generalized_linear_model import GLM
    from statsmodels.tools.sm_exceptions import ConvergenceWarning, PerfectSeparationWarning

    policies = data.members.shape[1]
    if len(comparable(beat(data, total))) < policies:
        return np.full(policies, np.nan)
    used = np.bincount(data.company, total)[data.company] > 0
    effects = (data.company[used, None] == np.unique(data.company[used])).astype(float)
    design = np.hstack([effects, data.members[used, 1:]])
    model = GLM(total[used], design, family=Poisson(), offset=np.log(data.copies[used]))
    with warnings.catch_warnings(), np.errstate(divide="ignore", invalid="ignore"):
        warnings.simplefilter("ignore", PerfectSeparationWarning)  # the fit of two policies is exact, with nothing left over
        warnings.simplefilter("ignore", ConvergenceWarning)  # asked for below
        result = model.fit(maxiter=100)
    strength = np.append(0, result.params[effects.shape[1] :])
    found: Floats = strength - strength.mean() if result.converged else np.full(policies, np.nan)
    return found
