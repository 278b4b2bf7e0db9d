"""`tune`: better numbers for the options of a policy that need not be whole, searched for by CMA-ES against a chosen field.

What may live here: which options are tuned, what counts as better, the search. Any policy of any game with such options can
be tuned. C candidates of a generation, G games of a candidate, W weights (the options that are tuned), P seats.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from veggies_sim.analysis.intervals import Floats
from veggies_sim.analysis.ladder import differences, standings
from veggies_sim.analysis.line_ups import COLUMNS, MOST_GAMES, How, how_to_play, par_of
from veggies_sim.core.checks import whole
from veggies_sim.core.errors import InputError, unknown
from veggies_sim.core.evolution import Evolution
from veggies_sim.core.game import Game
from veggies_sim.core.options import Option
from veggies_sim.core.policy import PolicySpec, policies_for
from veggies_sim.core.progress import bar
from veggies_sim.policies.heuristic import Heuristic

SIGMA = 0.5  # first standard deviation of each weight, in units of max(1, |start|)
MARGIN = 0.1  # of a win for each standard deviation of the margin, see `objective`
DIGITS = 3  # of the weights found: more can't be told apart, and these can be typed


class Effort(NamedTuple):
    """How much is played: games of each candidate, then of both policies in the check."""

    generations: int = 20
    population: int = 12
    games: int = 300
    check_games: int = 3000


EFFORT = Effort()


@dataclass(frozen=True)
class Tuned:
    """What a search found. Frames as in `analysis.ladder`, of the tuned seat only; none after an interruption.

    `policy` is what was found, `choice` what to play: the start where what was found is worse.
    """

    policy: str
    start: str
    against: list[str]  # the other seats' policies
    weights: dict[str, float]  # the options that were tuned
    kept: str | None  # the weight that stayed as it was and sets the scale
    standings: pl.DataFrame | None
    differences: pl.DataFrame | None
    log: pl.DataFrame  # a row for each candidate: generation, candidate, games, win_share, margin, objective, weight_...
    par: float  # the win share of each of equal sides
    effort: Effort
    seed: int
    policy_seed: int

    @property
    def interrupted(self) -> bool:
        """Whether the search or its check was cut short."""
        return self.standings is None

    @property
    def choice(self) -> str:
        """The policy to play: what was found, unless it is worse than the start."""
        return self.start if self._gain()[1] < 0 else self.policy

    @property
    def verdict(self) -> str:
        """What the check says of the policy found."""
        if self.differences is None:
            return "not measured" if self.interrupted else "the search ended where it started"
        low, high = self._gain()
        if low > 0:
            return "better than the start"
        return "worse than the start" if high < 0 else "not shown to be better than the start: the interval includes 0"

    def _gain(self) -> tuple[float, float]:
        """Return the interval of how much more the policy found wins than the start."""
        if self.differences is None:
            return 0.0, 0.0
        row = self.differences.row(0, named=True)
        low, high = float(row["win_low"]), float(row["win_high"])
        return (low, high) if row["policy"] == self.policy else (-high, -low)


@dataclass(frozen=True)
class Search:
    """What is tuned, against whom, and how."""

    game: Game
    start: PolicySpec
    names: Sequence[str]
    field: Sequence[str]
    effort: Effort
    how: How

    def spec(self, weights: Sequence[float]) -> PolicySpec:
        """Return the policy with some weights in place of its own."""
        return PolicySpec(self.start.kind, {**self.start.values, **dict(zip(self.names, map(float, weights), strict=True))})

    def play(self, spec: PolicySpec, first: int, count: int) -> pl.DataFrame:
        """Play some games, each deal once with the policy at every seat; return the rows of its seats by game."""
        rows = self.how.play(self.game, [str(spec), *self.field], count, first, rotate_seats=True)
        mine = (pl.col("seat").cast(pl.UInt64) + pl.col("game")) % self.game.players == 0  # not by name: the field may have it
        return rows.filter(mine).select(pl.col("seat").alias("line_up"), *COLUMNS)


def tune(
    game: Game,
    policy: str,
    against: Sequence[str],
    weights: Sequence[str] = (),
    *,
    effort: Effort = EFFORT,
    seed: int | None = None,
    policy_seed: int | None = None,
    jobs: int | None = None,
    backend: str = "threads",
    progress: bool = False,
) -> Tuned:
    """Search for weights with which a policy wins most against a field, then measure them and the start on fresh deals.

    against: one policy for all other seats, or one for each. weights: see `tuned_names`. seed, policy_seed, jobs, backend: as
    in `simulate`; the result depends on the seeds, not on jobs. After Ctrl-C it has the best so far; before the first
    generation is over there is none, and KeyboardInterrupt is raised. Raises InputError for arguments that are wrong,
    before anything is played.
    """
    start = policies_for(policy, game)[0]
    names, kept = tuned_names(game, start, weights)
    effort = _checked(effort, game.players)
    how = how_to_play(seed, policy_seed, jobs, backend)
    search = Search(game, start, names, _field(game, against), effort, how)
    search.play(start, 0, game.players)  # checks the rest, and compiles before the bar starts
    log: list[dict[str, float]] = []
    best, rows = _run(search, log, progress)
    par = par_of(game)
    return Tuned(
        str(best), str(start), list(search.field), {name: float(best.values[name]) for name in names}, kept,
        None if rows is None else standings(rows, par),
        None if rows is None or best == start else differences(rows),
        pl.DataFrame(log), par, effort, how.seed, how.policy_seed,
    )  # fmt: skip


def _run(search: Search, log: list[dict[str, float]], progress: bool) -> tuple[PolicySpec, pl.DataFrame | None]:
    """Return the best policy and the rows of its check; after Ctrl-C the best so far and None."""
    effort, best = search.effort, search.start
    with bar(effort.generations * effort.population * effort.games + 2 * effort.check_games, progress, "tune") as done:
        try:
            for found in _generations(search, log, done):
                best = found
            return best, _check(search, best, done)
        except KeyboardInterrupt:
            if not log:
                raise KeyboardInterrupt("the first generation was not over, nothing was found") from None
            return best, None


def tuned_names(game: Game, start: PolicySpec, named: Sequence[str]) -> tuple[list[str], str | None]:
    """Return the options to tune, those named and those whose default is not 0, and the one that is kept as it is.

    A weighted sum that takes the best move plays the same with all weights doubled. So its first weight that is not 0 stays,
    or the search would stray along all equal scales; with a temperature scale matters, and nothing is kept.
    """
    kind = start.kind
    real = {option.key: option for option in kind.options if option.real}
    if not real:
        able = ", ".join(each.name for each in game.policies if any(option.real for option in each.options)) or "none"
        whole_ones = "Options with whole numbers can't be tuned: ladder --double measures them, and own code may write key=1.0 "
        why = f" {whole_ones}instead of key=1." if kind.options else ""
        raise InputError(f"policy {kind.name} has no options to tune.{why} Policies that have: {able}.")
    for name in named:
        if name not in real:
            raise unknown(f"weight of policy {kind.name}", name, real)
    names = [key for key, option in real.items() if option.default != 0 or key in named]
    kept = None
    if kind.build is Heuristic and start.values["temperature"] == 0 and "temperature" not in names:
        kept = next((name for name in names if start.values[name] != 0), None)
        names = [name for name in names if name != kept]
    if not names:
        stays = f"; {kept}={start.values[kept]} is kept, since the scale of all weights is arbitrary" if kept else ""
        raise InputError(f"policy {start}: nothing to tune{stays}. Name weights with --weight, such as {list(real)[-1]}.")
    return names, kept


def _field(game: Game, against: Sequence[str]) -> list[str]:
    others = game.players - 1
    if len(against) not in (1, others):
        raise InputError(
            f"against: found {len(against)} policies for {others} other seats. Give one for all of them or {others} in seat order."
        )
    names = [str(policies_for(name, game)[0]) for name in against]
    return names * others if len(names) == 1 else names


def _checked(effort: Effort, players: int) -> Effort:
    """Return the effort with games that fill whole deals, each played with the tuned policy at every seat."""
    whole(effort.generations, "generations", 1, 100_000)
    whole(effort.population, "population", 4, 10_000)
    for name in ("games", "check_games"):
        if whole(getattr(effort, name), name, 1, MOST_GAMES) < 2 * players:
            found = f"{name}: {getattr(effort, name):,} are too few for 2 deals with the tuned policy at each of {players} seats."
            raise InputError(f"{found} Give {2 * players} or more.")
    return effort._replace(games=effort.games // players * players, check_games=effort.check_games // players * players)


def objective(played: Floats) -> Floats:
    """Return what a search makes as high as it can [C], of the win and margin of each game [C, G, 2].

    The win share, plus MARGIN times the mean margin in standard deviations over all candidates. Wins are yes or no; the
    margin tells candidates apart that won as often. A margin higher by a standard deviation goes with about 0.4 more of a
    win (the density of a normal distribution at its middle), so that wins count about four times as much.
    """
    share, margin = np.moveaxis(played.mean(axis=1), -1, 0)
    spread = played[..., 1].std()
    found: Floats = share + MARGIN * margin / spread if spread > 0 else share
    return found


def _generations(search: Search, log: list[dict[str, float]], done: Any) -> Iterator[PolicySpec]:
    """Yield the best policy after each generation. Its candidates play the same deals, every generation fresh ones."""
    by_key = {option.key: option for option in search.start.kind.options}
    options = [by_key[name] for name in search.names]
    scale = np.array([_scale(option, float(search.start.values[option.key])) for option in options])
    optimiser = _optimiser(search, options, scale)
    games = search.effort.games
    for generation in range(search.effort.generations):
        weights = [[*map(float, scale * point)] for point in optimiser.ask()]
        played = []
        for each in weights:
            rows = search.play(search.spec(each), generation * games, games)
            played.append(rows.select(pl.col("win", "margin").cast(pl.Float64)).to_numpy())
            done.update(games)
        value = objective(np.array(played))
        optimiser.tell(list(-value))
        for number, each in enumerate(weights):
            share, margin = map(float, played[number].mean(axis=0))
            row = {"generation": generation, "candidate": number, "games": games, "win_share": share, "margin": margin}
            tried = {f"weight_{name}": float(weight) for name, weight in zip(search.names, each, strict=True)}
            log.append(row | {"objective": float(value[number])} | tried)
        best = scale * optimiser.centre
        yield search.spec([_short(option, weight) for option, weight in zip(options, best, strict=True)])


def _scale(option: Option, start: float) -> float:
    return min(max(1.0, abs(start)), (option.high - option.low) / 2)


def _short(option: Option, weight: float) -> float:
    return min(max(float(f"{weight:.{DIGITS}g}"), option.low), option.high)


def _optimiser(search: Search, options: Sequence[Option], scale: Floats) -> Evolution:
    """Return a CMA-ES over the weights in units of their scales, within their bounds."""
    start = [float(search.start.values[option.key]) / unit for option, unit in zip(options, scale, strict=True)]
    low = [option.low / unit for option, unit in zip(options, scale, strict=True)]
    high = [option.high / unit for option, unit in zip(options, scale, strict=True)]
    return Evolution(start, low, high, SIGMA, search.effort.population, search.how.seed)


def _check(search: Search, best: PolicySpec, done: Any) -> pl.DataFrame:
    """Play the best policy and the start on the same fresh deals; return the rows of their seats."""
    specs = [best] if best == search.start else [best, search.start]
    names, effort, pieces = pl.Enum([str(spec) for spec in specs]), search.effort, []
    for first in range(0, effort.check_games, effort.games):  # in pieces, so that the bar moves
        count = min(effort.games, effort.check_games - first)
        for spec in specs:
            rows = search.play(spec, effort.generations * effort.games + first, count)
            pieces.append(rows.with_columns(pl.lit(str(spec)).cast(names).alias("policy")))
            done.update(count)
    return pl.concat(pieces)
