"""The ladder: policies against each other in every seat order on the same deals, and what doubling a budget is worth.

Plays with `line_ups`, then describes the rows. The deal with all its line-ups is the block, the unit of every interval.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from veggies_sim.analysis.intervals import LEVEL, Floats, Interval, mean_interval
from veggies_sim.analysis.line_ups import Budget, How, bar, divide, grid, play
from veggies_sim.analysis.luck import luck
from veggies_sim.analysis.ratings import ratings
from veggies_sim.core.checks import whole
from veggies_sim.core.errors import InputError, unknown
from veggies_sim.core.game import Game
from veggies_sim.core.policy import Given, policies_for
from veggies_sim.core.streams import draw_seed


@dataclass(frozen=True)
class Ladder:
    """What a ladder found. Frames have a row for each policy, pair of policies, or source of variance."""

    standings: pl.DataFrame  # see `standings`, with the columns of `ratings.ratings`
    differences: pl.DataFrame  # see `differences`
    luck: pl.DataFrame  # see `luck.luck`
    par: float  # the win share of each of equal sides
    budget: Budget
    seed: int
    policy_seed: int


@dataclass(frozen=True)
class SkillTrace:
    """What doubling an option of a policy is worth, again and again."""

    steps: pl.DataFrame  # option, doubled, then the columns of `standings` for the doubled one
    par: float
    budget: Budget  # of one step; `left_over` of all together
    seed: int
    policy_seed: int


def ladder(
    game: Game,
    policies: Sequence[Given],
    games: int = 10_000,
    *,
    seed: int | None = None,
    policy_seed: int | None = None,
    jobs: int | None = None,
    backend: str = "threads",
    progress: bool = False,
) -> Ladder:
    """Play at least two different policies against each other, and return win shares, differences, ratings and luck.

    games: the budget, divided evenly over all line-ups on the same deals; what can't be divided is not played.
    seed, policy_seed, jobs, backend: as in `simulate`. Raises InputError for arguments that are wrong, before anything is
    played.
    """
    given = [policies] if isinstance(policies, str) else list(policies)
    names = [str(policies_for(policy, game)[0]) for policy in given]
    if len({*names}) < len(names) or len(names) < 2:
        raise InputError(f"policies: found {', '.join(names) or 'none'}; a ladder needs two or more, all different.")
    budget = divide(games, names, game.players)
    how = _how(game, given, seed, policy_seed, jobs, backend)
    with bar(budget.line_ups * budget.deals, progress) as done:
        rows = play(game, dict(zip(names, given, strict=True)), budget.deals, how, done)
    par = 1 / len({*game.team()})
    table = standings(rows, par).join(ratings(rows, names), on="policy", maintain_order="left")
    return Ladder(table, differences(rows), luck(grid(rows, "margin")), par, budget, how.seed, how.policy_seed)


def skill_trace(
    game: Game,
    policy: str,
    option: str,
    games: int = 10_000,
    *,
    steps: int = 4,
    seed: int | None = None,
    policy_seed: int | None = None,
    jobs: int | None = None,
    backend: str = "threads",
    progress: bool = False,
) -> SkillTrace:
    """Double a whole-number option of a policy `steps` times; each time play the doubled one against the one before.

    games: the budget of all steps together. The other arguments and errors are those of `ladder`.
    """
    numbers, names = doublings(game, policy, option, steps)
    budget = divide(games, names[:2], game.players, rounds=steps)
    how = _how(game, names, seed, policy_seed, jobs, backend)
    par, found = 1 / len({*game.team()}), []
    with bar(budget.line_ups * budget.deals * steps, progress) as done:
        for number, pair in zip(numbers, itertools.pairwise(names), strict=False):
            rows = play(game, dict(zip(pair, pair, strict=True)), budget.deals, how, done)
            doubled = standings(rows, par).filter(pl.col("policy") == pair[1])
            found.append(doubled.select(pl.lit(number).alias("option"), pl.lit(2 * number).alias("doubled"), pl.all()))
    return SkillTrace(pl.concat(found), par, budget, how.seed, how.policy_seed)


def doublings(game: Game, policy: str, option: str, steps: int) -> tuple[list[int], list[str]]:
    """Return the values of an option and the policies with them, the given one first. Raises InputError."""
    whole(steps, "steps", 1, 30)
    spec = policies_for(policy, game)[0]
    options = {each.key: each for each in spec.kind.options if not each.words and not each.real}
    if option not in options:
        raise unknown(f"whole-number option of policy {spec.kind.name}", option, options)
    first = int(spec.values[option])
    numbers = [first * 2**step for step in range(steps + 1)]
    if first < 1 or numbers[-1] > options[option].high:
        raise InputError(
            f"policy {spec}: {option}={first} doubled {steps} times is {numbers[-1]}. Valid: {max(1, options[option].low)}.."
            f"{options[option].high}; start lower or take fewer steps."
        )
    others = [f"{key}={value}" for key, value in spec.values.items() if key != option]
    texts = [f"{spec.kind.name}:{','.join([*others, f'{option}={number}'])}" for number in numbers]
    return numbers, [str(policies_for(text, game)[0]) for text in texts]


def _how(game: Game, policies: Sequence[Given], seed: int | None, policy_seed: int | None, jobs: int | None, backend: str) -> How:
    """Draw a missing seed and play a game of each policy: then all is checked, and compiled before the bar starts."""
    seed = draw_seed() if seed is None else seed
    how = How(seed, seed if policy_seed is None else policy_seed, jobs, backend)
    for policy in policies:
        how.play(game, [policy] * game.players, 1)
    return how


def standings(rows: pl.DataFrame, par: float, level: float = LEVEL) -> pl.DataFrame:
    """Return a row for each policy of a ladder (rows of `line_ups.play`), the best win share first.

    Columns: policy; games it sat in; win_share with win_low and win_high, the mean of `win` over its seats (all sides
    equal: `par`); of_par with of_par_low and of_par_high, the same with par as 1; score and margin with _low and _high,
    points of a seat, its side's lead over the best other side. Intervals are t-intervals over deals.
    """
    games = rows.group_by("policy").agg(games=pl.struct("deal", "line_up").n_unique()).sort("policy")
    columns: dict[str, Floats] = {}
    for name, column, span in (("win_share", "win", (0.0, 1.0)), ("score", "score", None), ("margin", "margin", None)):
        found = mean_interval(by_deal(rows, column), level, span)
        columns |= _named(name, "win" if span else name, found)
        if span:
            columns |= _named("of_par", "of_par", Interval(*(each / par for each in found)))
    return games.with_columns(policy=pl.col("policy").cast(pl.String), **_series(columns)).sort(
        "win_share", descending=True, maintain_order=True
    )


def differences(rows: pl.DataFrame, level: float = LEVEL) -> pl.DataFrame:
    """Return a row for each pair of policies of a ladder: how much more the first one wins, deal by deal.

    Columns: policy, other (the one that wins less); win_share, win_low, win_high: difference of win shares; score and
    margin likewise. For each of the three, all pairs together hold with confidence `level` (Bonferroni).
    """
    names = rows.schema["policy"].categories.to_list()  # type: ignore[attr-defined]
    win = by_deal(rows, "win").mean(axis=0)
    order = np.argsort(-win, kind="stable")
    better, worse = (list(each) for each in zip(*itertools.combinations(order, 2), strict=True))
    columns: dict[str, Floats] = {}
    for name, column, span in (("win_share", "win", (-1.0, 1.0)), ("score", "score", None), ("margin", "margin", None)):
        values = by_deal(rows, column)
        pairs = mean_interval(values[:, better] - values[:, worse], 1 - (1 - level) / len(better), span)
        columns |= _named(name, "win" if span else name, pairs)
    return pl.DataFrame({"policy": [names[i] for i in better], "other": [names[i] for i in worse], **columns})


def by_deal(rows: pl.DataFrame, column: str) -> Floats:
    """Return the mean of a column over each policy's seats, deal by deal: [D, K], policies in their own order."""
    means = rows.group_by("deal", "policy").agg(pl.col(column).cast(pl.Float64).mean()).sort("deal", "policy")
    return means[column].to_numpy().reshape(rows["deal"].n_unique(), -1)


def _named(name: str, stem: str, found: Interval) -> dict[str, Floats]:
    return {name: found.value, f"{stem}_low": found.low, f"{stem}_high": found.high}


def _series(columns: dict[str, Floats]) -> dict[str, pl.Series]:
    return {name: pl.Series(name, values) for name, values in columns.items()}
