"""Line-ups: who sits where. Plays every line-up of some policies on the same deals.

A line-up gives each seat a policy. K policies, P seats, L line-ups, D deals; a ladder has L x D games.
"""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars as pl

from veggies_sim.analysis.intervals import Floats
from veggies_sim.core.checks import whole
from veggies_sim.core.errors import InputError
from veggies_sim.core.game import Game
from veggies_sim.core.policy import Given
from veggies_sim.core.streams import SEED_LIMIT, draw_seed

if TYPE_CHECKING:
    from tqdm import tqdm

LEAST_DEALS = 10  # with fewer, intervals over deals are too wide to be of use
MOST_GAMES = 20_000_000  # all rows of a ladder are in memory, about 80 bytes a game
CALL_SECONDS = 0.5  # of playing between two steps of the bar
ROUND_SECONDS = 20  # of playing some deals with every line-up: what Ctrl-C may lose
COLUMNS = ("deal", "seat", "team", "policy", "score", "win", "margin")


class Budget(NamedTuple):
    """How a number of games is divided: every line-up plays the same deals; `left_over` games are not played."""

    line_ups: int
    deals: int
    left_over: int


def line_ups(policies: Sequence[str], players: int) -> Iterator[tuple[str, ...]]:
    """Yield every line-up: P different policies where there are enough, else all that seat each policy at least once."""
    if len(policies) >= players:
        return itertools.permutations(policies, players)
    return (seats for seats in itertools.product(policies, repeat=players) if len({*seats}) == len(policies))


def divide(games: int, policies: Sequence[str], players: int, rounds: int = 1) -> Budget:
    """Divide a budget of games over `rounds` ladders. Raises InputError with the number needed where it is too small."""
    games = whole(games, "games", 1, MOST_GAMES)
    enough = len(policies) >= players
    count = math.perm(len(policies), players) if enough else sum(1 for _ in line_ups(policies, players))
    deals = games // (count * rounds)
    if deals < LEAST_DEALS:
        fewer = ", or fewer policies" if len(policies) > 2 else ""
        times = f"{rounds} steps of " if rounds > 1 else ""
        raise InputError(
            f"games: {games:,} are too few for {times}{count:,} line-ups (who sits where) on the same deals, "
            f"at least {LEAST_DEALS} deals each. Give {LEAST_DEALS * count * rounds:,} or more{fewer}."
        )
    return Budget(count, deals, games - deals * count * rounds)


class How(NamedTuple):
    """How games are played; see `simulate`."""

    seed: int
    policy_seed: int
    jobs: int | None
    backend: str

    def play(
        self, game: Game, seats: Sequence[Any], games: int, first: int = 0, line_up: int = 0, rotate_seats: bool = False
    ) -> pl.DataFrame:
        """Return the seat rows of some games. Raises InputError for values of `How` that are wrong."""
        from veggies_sim.core.runner import simulate

        # A seed of its own for the policies of each line-up: draws that two of them shared would look like luck of the deal.
        policy_seed = (self.policy_seed + line_up) % SEED_LIMIT if line_up else self.policy_seed
        run = simulate(
            game, seats, games, first_game=first, seed=self.seed, policy_seed=policy_seed, jobs=self.jobs, backend=self.backend,
            rotate_seats=rotate_seats,
        )  # fmt: skip
        return run.seats


def how_to_play(seed: int | None, policy_seed: int | None, jobs: int | None, backend: str) -> How:
    """Return how games are played, a missing seed drawn; the policies' seed is the same where there is none."""
    seed = draw_seed() if seed is None else seed
    return How(seed, seed if policy_seed is None else policy_seed, jobs, backend)


def par_of(game: Game) -> float:
    """Return the win share of each of equal sides."""
    return 1 / len({*game.team()})


def play(game: Game, policies: Mapping[str, Given], deals: int, how: How, done: tqdm[Any]) -> pl.DataFrame:
    """Play every line-up on deals 0 .. D-1; return the rows of all games by (deal, line_up, seat).

    policies: by the name that a run gives them. The columns are line_up UInt32 and COLUMNS as in a run's `seats`.
    Line-up l is played with the policies' seed plus l. After Ctrl-C the rows are those of the deals that all line-ups have
    played; raises KeyboardInterrupt where these are fewer than LEAST_DEALS.
    """
    names, pieces = pl.Enum(list(policies)), []
    table = list(line_ups(list(policies), game.players))
    at, count = 0, min(8, deals)
    try:
        while at < deals:  # by deals first, so that the bar and the memory in use grow evenly
            start = time.perf_counter()
            for number, seats in enumerate(table):
                rows = how.play(game, [policies[name] for name in seats], count, at, number)
                line_up = pl.lit(number, pl.UInt32).alias("line_up")
                pieces.append(rows.select(line_up, *COLUMNS).with_columns(pl.col("policy").cast(names)))
                done.update(count)
            at += count
            seconds = (time.perf_counter() - start) / len(table)
            wanted = min(CALL_SECONDS, ROUND_SECONDS / len(table))
            count = max(1, min(8 * count, int(count * wanted / seconds), deals - at))
    except KeyboardInterrupt:
        if at < LEAST_DEALS:
            raise KeyboardInterrupt(f"nothing is kept: fewer than {LEAST_DEALS} deals were finished") from None
    return pl.concat(pieces).filter(pl.col("deal") < at).sort("deal", "line_up", "seat")


def grid(rows: pl.DataFrame, column: str) -> Floats:
    """Return a column of the rows of `play` as numbers [D, L, P]."""
    shape = (rows["deal"].n_unique(), rows["line_up"].n_unique(), -1)
    return np.asarray(rows[column].cast(pl.Float64)).reshape(shape)


def seated(rows: pl.DataFrame, policies: Sequence[str]) -> Floats:
    """Return how many seats of each side each policy has in each line-up of the rows of `play`: [L, sides, K]."""
    first = rows.filter(pl.col("deal") == rows["deal"].min())
    numbers = {policy: number for number, policy in enumerate(policies)}
    policy = grid(first.with_columns(pl.col("policy").replace_strict(numbers)), "policy")[0]  # [L, P]
    team = grid(first, "team")[0, 0]
    member = (team[:, None] == np.unique(team)).astype(float)  # [P, sides]
    return np.stack([(policy == number) @ member for number in range(len(policies))], axis=2)
