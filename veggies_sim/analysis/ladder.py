"""The ladder: policies against each other in every seat order on the same deals, and what doubling a budget is worth.

Plays with `line_ups`, then describes the rows. The deal with all its line-ups is the block, the unit of every interval.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from veggies_sim.analysis.intervals import LEVEL, Floats, Interval, Span, mean_interval
from veggies_sim.analysis.line_ups import Budget, How, divide, grid, how_to_play, par_of, play, seated
from veggies_sim.analysis.luck import luck
from veggies_sim.analysis.ratings import ratings
from veggies_sim.core.checks import whole
from veggies_sim.core.errors import InputError, unknown
from veggies_sim.core.game import Game
from veggies_sim.core.policy import Given, policy_for, policy_list
from veggies_sim.core.progress import bar
from veggies_sim.core.registry import check_game


@dataclass(frozen=True)
class Ladder:
    """What a ladder found. Frames have a row for each policy, pair of policies, or source of variance."""

    standings: pl.DataFrame  # see `standings`, with the columns of `ratings.ratings`
    differences: pl.DataFrame  # see `differences`
    luck: pl.DataFrame  # see `luck.luck`
    par: float  # the win share of each of equal sides
    most: float  # the win share of a policy that wins wherever it sits; less than 1 where it also sits on other sides
    budget: Budget
    seed: int
    policy_seed: int
    interrupted: bool  # by Ctrl-C; all is then about the deals that were finished


@dataclass(frozen=True)
class SkillTrace:
    """What doubling an option of a policy is worth, again and again."""

    steps: pl.DataFrame  # option, doubled, then the columns of `standings` for the doubled one
    par: float
    most: float
    budget: Budget  # of one step; `left_over` of all together
    seed: int
    policy_seed: int
    interrupted: bool  # by Ctrl-C; `steps` then has those that were finished


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
    played. After Ctrl-C it has what the finished deals say.
    """
    given = policy_list(policies, check_game(game))
    names = [str(policy_for(policy, game)) for policy in given]
    if len({*names}) < len(names) or len(names) < 2:
        raise InputError(f"policies: found {', '.join(names) or 'none'}; a ladder needs two or more, all different.")
    budget = divide(games, names, game.players)
    how = _how(game, given, seed, policy_seed, jobs, backend)
    with bar(budget.line_ups * budget.deals, progress, "ladder") as done:
        rows = play(game, dict(zip(names, given, strict=True)), budget.deals, how, done)
    finished = rows["deal"].n_unique()
    par, seats = par_of(game), seated(rows, names)
    within = possible(seats)
    table = standings(rows, par, span=within).join(ratings(rows, names), on="policy", maintain_order="left")
    return Ladder(
        table, differences(rows, seats=seats), luck(grid(rows, "margin")), par, float(within[1].max()),
        budget._replace(deals=finished, left_over=budget.left_over + budget.line_ups * (budget.deals - finished)), how.seed,
        how.policy_seed, finished < budget.deals,
    )  # fmt: skip


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
    numbers, names = doublings(check_game(game), policy, option, steps)
    budget = divide(games, names[:2], game.players, rounds=steps)
    how = _how(game, names, seed, policy_seed, jobs, backend)
    par, most, found, cut = par_of(game), 1.0, [], False
    with bar(budget.line_ups * budget.deals * steps, progress, "ladder") as done:
        for number, pair in zip(numbers, itertools.pairwise(names), strict=False):
            try:
                rows = play(game, dict(zip(pair, pair, strict=True)), budget.deals, how, done)
                cut = rows["deal"].n_unique() < budget.deals
            except KeyboardInterrupt:
                cut = True
            if cut:
                break
            within = possible(seated(rows, pair))
            most = float(within[1].max())
            doubled = standings(rows, par, span=within).filter(pl.col("policy") == pair[1])
            found.append(doubled.select(pl.lit(number).alias("option"), pl.lit(2 * number).alias("doubled"), pl.all()))
    if not found:
        raise KeyboardInterrupt("nothing is kept: no step was finished")
    return SkillTrace(pl.concat(found), par, most, budget, how.seed, how.policy_seed, cut)


def doublings(game: Game, policy: str, option: str, steps: int) -> tuple[list[int], list[str]]:
    """Return the values of an option and the policies with them, the given one first. Raises InputError."""
    whole(steps, "steps", 1, 30)
    spec = policy_for(policy, game)
    options = {each.key: each for each in spec.kind.options if not each.words and not each.real}
    if not isinstance(option, str) or option not in options:
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
    return numbers, [str(policy_for(text, game)) for text in texts]


def _how(game: Game, policies: Sequence[Given], seed: int | None, policy_seed: int | None, jobs: int | None, backend: str) -> How:
    """Draw a missing seed and play a game of each policy: then all is checked, and compiled before the bar starts."""
    how = how_to_play(seed, policy_seed, jobs, backend)
    for policy in policies:
        how.play(game, [policy] * game.players, 1)
    return how


def possible(seats: Floats) -> tuple[Floats, Floats]:
    """Return the least and most win share [K] each policy can have, from `line_ups.seated`; one side wins, or some share it."""
    all_seats = seats.sum(axis=(0, 1))
    return seats.min(axis=1).sum(axis=0) / all_seats, seats.max(axis=1).sum(axis=0) / all_seats


def standings(rows: pl.DataFrame, par: float, level: float = LEVEL, span: Span = (0.0, 1.0)) -> pl.DataFrame:
    """Return a row for each policy of a ladder (rows of `line_ups.play`), the best win share first.

    span: the least and most win share there can be, see `possible`.

    Columns: policy; games it sat in; win_share with win_low and win_high, the mean of `win` over its seats (all sides
    equal: `par`); of_par with of_par_low and of_par_high, the same with par as 1; score and margin with _low and _high,
    points of a seat, its side's lead over the best other side. Intervals are t-intervals over deals.
    """
    games = rows.group_by("policy").agg(games=pl.struct("deal", "line_up").n_unique()).sort("policy")
    columns: dict[str, Floats] = {}
    for name, column in (("win_share", "win"), ("score", "score"), ("margin", "margin")):
        found = mean_interval(by_deal(rows, column), level, span if column == "win" else None)
        columns |= _named(name, column, found)
        if column == "win":
            columns |= _named("of_par", "of_par", Interval(*(each / par for each in found)))
    return games.with_columns(policy=pl.col("policy").cast(pl.String), **_series(columns)).sort(
        "win_share", descending=True, maintain_order=True
    )


def differences(rows: pl.DataFrame, level: float = LEVEL, seats: Floats | None = None) -> pl.DataFrame:
    """Return a row for each pair of policies of a ladder: how much more the first one wins, deal by deal.

    Columns: policy, other (the one that wins less); win_share, win_low, win_high: difference of win shares; score and
    margin likewise. For each of the three, all pairs together hold with confidence `level` (Bonferroni).
    seats: as of `line_ups.seated`; intervals then stay within what is possible for who sits where.
    """
    names = rows.schema["policy"].categories.to_list()  # type: ignore[attr-defined]
    win = by_deal(rows, "win").mean(axis=0)
    order = np.argsort(-win, kind="stable")
    better, worse = (list(each) for each in zip(*itertools.combinations(order, 2), strict=True))
    columns: dict[str, Floats] = {}
    span: Span = (-1.0, 1.0)
    if seats is not None:
        worth = seats / seats.sum(axis=(0, 1))
        apart = worth[..., better] - worth[..., worse]
        span = apart.min(axis=1).sum(axis=0), apart.max(axis=1).sum(axis=0)
    for name, column in (("win_share", "win"), ("score", "score"), ("margin", "margin")):
        values = by_deal(rows, column)
        within = span if column == "win" else None
        columns |= _named(name, column, mean_interval(values[:, better] - values[:, worse], 1 - (1 - level) / len(better), within))
    return pl.DataFrame({"policy": [names[i] for i in better], "other": [names[i] for i in worse], **columns})


def by_deal(rows: pl.DataFrame, column: str) -> Floats:
    """Return the mean of a column over each policy's seats, deal by deal: [D, K], policies in their own order."""
    means = rows.group_by("deal", "policy").agg(pl.col(column).cast(pl.Float64).mean()).sort("deal", "policy")
    return means[column].to_numpy().reshape(rows["deal"].n_unique(), -1)


def _named(name: str, stem: str, found: Interval) -> dict[str, Floats]:
    return {name: found.value, f"{stem}_low": found.low, f"{stem}_high": found.high}


def _series(columns: dict[str, Floats]) -> dict[str, pl.Series]:
    return {name: pl.Series(name, values) for name, values in columns.items()}
