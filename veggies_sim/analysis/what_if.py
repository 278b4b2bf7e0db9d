"""What if the game were another? The same deals, seat by seat and turn by turn, played with several set-ups or rules.

One seed gives the same deals to every game of one kind, as far as what is dealt is the same, so differences are paired deal
by deal. Policies are free to adapt: they see what is different and may choose otherwise.

    played = play_games({"as it is": game, "another rule": other}, "greedy", games_count=2_000, seed=1)
    levels(played)                   a row for each game and metric
    changes(played)                  a row for each game but the first and metric: how much it differs from the first
    slopes(played, [24, 25, ...])    a row for each metric: change per unit of an amount that each game has

A games (arms), M metrics, G groups of deals (`analysis.sums`). In symmetric play, all seats with one policy, every side wins
equally often, seats taken together, whatever the game: so win shares are measured only of a *named* policy against others,
with seats that rotate, or of one seat (`seat_win`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from veggies_sim.analysis.corrections import two_sided
from veggies_sim.analysis.estimates import LEAST_DEALS, check_size, left_out
from veggies_sim.analysis.intervals import LEVEL, Floats, jackknife_error, share_interval, t_interval
from veggies_sim.analysis.metrics import SHARE, Metric, find_metric, metrics_of, summed
from veggies_sim.analysis.sums import GROUP, as_sums, check_run, group_frame
from veggies_sim.core.checks import real, several, whole
from veggies_sim.core.dataset import Run
from veggies_sim.core.errors import InputError, show, unknown
from veggies_sim.core.game import Game
from veggies_sim.core.manifest import LIMITS
from veggies_sim.core.policy import Given, policies_for
from veggies_sim.core.progress import bar
from veggies_sim.core.runner import simulate
from veggies_sim.core.streams import draw_seed

OUTCOMES: tuple[str | Metric, ...] = ("score", "winner_score", "score_sd", "lead", "shared_wins")
ARM = "arm"  # the column of a game's name, unless the caller has a word for it
STRETCH = 48_000  # games of one arm in memory at a time, whole deals for 2, 3 and 4 players
CHANGED = Metric(
    "changed_moves", "choices changed", SHARE,
    "share of moves that are not the first game's move at the same turn and seat", (pl.col("changed"), pl.lit(1.0)),
    per_seat=False,
)  # fmt: skip
_PLACE = ("game", "turn", "seat")  # columns of `moves` that say whose choice it was
_AFTER = ("choices", "score_now")  # and those that follow from where the game stood


@dataclass(frozen=True)
class Played:
    """Metrics of several games on the same deals; differences between games of any kind come from `contrasts`."""

    names: list[str]  # [A] of the games, the one that others are compared with first
    arms: list[Game]  # [A]
    metrics: list[Metric]  # [M] `named_win` (the win share of the named policy) and `changed_moves` where they were asked for
    value: Floats  # [A, M]
    without: Floats  # [G, A, M] the same of all deals but those of each group
    deals: int
    games: int  # of each arm
    policies: list[str]  # of each seat; different ones rotate
    seed: int
    policy_seed: int
    word: str = ARM  # column of the names in frames

    @property
    def setups(self) -> list[Any]:
        """The set-ups of the games [A]."""
        return [arm.setup for arm in self.arms]


def play_games(
    games: Mapping[str, Game],
    policies: Given | Sequence[Given] | None = None,
    games_count: int = 10_000,
    *,
    named: str | None = None,
    metrics: Sequence[str | Metric] = OUTCOMES,
    choices: bool = False,
    seed: int | None = None,
    policy_seed: int | None = None,
    jobs: int | None = None,
    progress: bool = False,
    word: str = ARM,
) -> Played:
    """Play the same deals with each game and return the metrics of each.

    games: by name, all of one kind with as many players and the same sides; the first one is what the others are compared
    with. policies: as in `simulate`; where they differ, each deal is played once per rotation of the seats, and the win
    share of the policy `named` (by default the first) is measured. games_count: with each. metrics: keys of `metrics_of`,
    or metrics of your own. choices: record moves and measure the share that differ from the first game's. seed,
    policy_seed, jobs: as in `simulate`, the same for each. word: the column of the names in frames.
    Raises InputError, before anything is played, for arguments that are wrong.
    """
    _check_games(games)
    base = next(iter(games.values()))
    given = base.default_policy if policies is None else policies
    names = [str(spec) for spec in policies_for(given, base)]
    mixed = len({*names}) > 1
    wanted = {name: _wanted(game, metrics, names, named) for name, game in games.items()}
    per_deal = base.players if mixed else 1
    count = whole(games_count, "games", *LIMITS["games"])
    deals = -(-count // per_deal)
    if deals < LEAST_DEALS:
        raise InputError(f"games: {count} are too few for intervals. Give {LEAST_DEALS * per_deal} or more ({LEAST_DEALS} deals).")
    seed = draw_seed() if seed is None else seed
    how = {"seed": seed, "policy_seed": seed if policy_seed is None else policy_seed, "jobs": jobs, "rotate_seats": mixed}
    with bar(count * len(games), progress, "what if") as done:
        pieces: dict[str, list[pl.DataFrame]] = {name: [] for name in games}
        for runs in _stretches(games, given, count, choices, how):
            first: pl.DataFrame | None = None
            for name, run in runs:
                frame = group_frame(run, summed(wanted[name]))
                if choices:
                    moves = _chosen(run)
                    first = moves if first is None else first
                    frame = frame.join(_changed(run, moves, first), on=GROUP)
                pieces[name].append(frame)
                done.update(run.manifest.games)
    if choices:
        wanted = {name: [*each, CHANGED] for name, each in wanted.items()}
    value, without = _measured(pieces, wanted, deals)
    return Played(
        [*games], [*games.values()], wanted[next(iter(games))], value, without, deals, count, names, seed,
        int(how["policy_seed"] or 0), word,
    )  # fmt: skip


def from_runs(
    runs: Mapping[str, Run], *, named: str | None = None, metrics: Sequence[str | Metric] = OUTCOMES, word: str = ARM
) -> Played:
    """Return what `play_games` returns, of runs that were played already, such as datasets on disk; without choices.

    runs: by name, the one that others are compared with first. named, metrics, word: as in `play_games`. Raises InputError
    where runs are not the same games with another set-up or other rules.
    """
    if not isinstance(runs, Mapping) or not runs:
        raise InputError(f"runs: found {show(runs)}; give a dict of names and runs.")
    for run in runs.values():
        check_run(run)
    _check_games({name: run.game for name, run in runs.items()})
    (first, base), *others = runs.items()
    held = base.manifest
    for name, run in others:
        words = held.differences(run.manifest, _SAME)
        if words or run.held != base.held:
            words = words or ["other games"]
            raise InputError(f"runs: {show(name)} can't be compared with {show(first)} deal by deal: {'; '.join(words)}.")
    check_size(base)
    wanted = {name: _wanted(run.game, metrics, held.policies, named) for name, run in runs.items()}
    pieces = {name: [group_frame(run, summed(wanted[name]))] for name, run in runs.items()}
    value, without = _measured(pieces, wanted, base.deal_count)
    arms = [run.game for run in runs.values()]
    return Played([*runs], arms, wanted[first], value, without, base.deal_count, held.games, held.policies, held.seed,
                  held.policy_seed, word)  # fmt: skip


_SAME = ("game", "behaviour", "players", "seed", "policy_seed", "plays_per_deal", "rotate_seats", "policies")


def seat_win(seat: int) -> Metric:
    """Return the win share of one seat as a metric, for policies that do not rotate."""
    mine = pl.col("seat") == seat
    won = pl.when(mine).then(pl.col("win").cast(pl.Float64)).otherwise(0.0)
    return Metric(f"seat_{seat}_win", f"win share of seat {seat}", SHARE, f"share of games won by seat {seat}", (won, mine))


def check_played(played: object) -> Played:
    """Return what callers give as games that were played. Raises InputError where it is none."""
    if not isinstance(played, Played):
        raise InputError(f"played: found {show(played)}; give what `play_games` or `from_runs` returns.")
    return played


def _check_games(games: object) -> None:
    if not isinstance(games, Mapping) or not games or not all(isinstance(game, Game) for game in games.values()):
        raise InputError(f"games: found {show(games)}; give a dict of names and games.")
    (first, base), *others = games.items()
    for name, game in others:
        if type(game) is not type(base) or game.team() != base.team():
            raise InputError(
                f"games: {show(name)} is {game.conditions()}; {show(first)} is {base.conditions()}. Give games of one kind "
                "with as many players and the same sides."
            )


def _wanted(game: Game, asked: Sequence[str | Metric], policies: Sequence[str], named: str | None) -> list[Metric]:
    """Return the metrics asked for, and where policies differ the win share of one of them. Raises InputError."""
    known = metrics_of(game)
    listed = several(asked, "metrics", '["score"]')
    found = [each if isinstance(each, Metric) else find_metric(known, each) for each in listed]
    mixed = len({*policies}) > 1
    if "win_share" in asked or (named is not None and not mixed):
        raise InputError(
            "win share: of all seats together, or with the same policy at all seats, it is the same whatever the deck. Leave it "
            "out and give policies that differ: the win share of one against the others is then measured."
        )
    if named is not None and named not in policies:
        raise unknown("policy of these seats", named, dict.fromkeys(policies))
    if mixed:
        named = named or policies[0]
        mine = pl.col("policy") == named
        doc = f"share of games won by a seat of {named}, over all seats"
        won = pl.when(mine).then(pl.col("win").cast(pl.Float64)).otherwise(0.0)
        found.append(Metric("named_win", f"win share of {named}", SHARE, doc, (won, mine)))
    return found


def _stretches(
    arms: Mapping[str, Game], policies: Any, games: int, choices: bool, how: Mapping[str, Any]
) -> Iterator[Iterator[tuple[str, Run]]]:
    """Yield for each stretch of games the runs of all arms: by games first, so that memory is that of one stretch."""
    record = "moves" if choices else "seats"
    for first in range(0, games, STRETCH):
        count = min(STRETCH, games - first)
        yield ((name, simulate(game, policies, count, first_game=first, record=record, **how)) for name, game in arms.items())


def _chosen(run: Run) -> pl.DataFrame:
    """Return what was chosen at each turn and seat."""
    return run.moves.select(pl.all().exclude(_AFTER))


def _changed(run: Run, moves: pl.DataFrame, first: pl.DataFrame) -> pl.DataFrame:
    """Return the sums of CHANGED for each group; a move that the first game does not have is another one."""
    chosen = [name for name in first.columns if name not in _PLACE]
    both = moves.join(first, on=_PLACE, how="left", suffix=".first", maintain_order="left")
    other = pl.any_horizontal(pl.col(name).ne_missing(pl.col(f"{name}.first")) for name in chosen)
    changed = both.select(other.alias("changed"))["changed"]
    return group_frame(run, summed([CHANGED]), table="moves", change=lambda part: part.with_columns(pl.lit(changed)))


def _measured(
    pieces: Mapping[str, Sequence[pl.DataFrame]], metrics: Mapping[str, Sequence[Metric]], deals: int
) -> tuple[Floats, Floats]:
    """Return the metrics [A, M], and the same without each group [G, A, M]."""
    values, rest = [], []
    for name, frames in pieces.items():
        total = pl.concat(frames).group_by(GROUP).sum().sort(GROUP)
        sums = as_sums(total, list(summed(metrics[name])), (), deals).sums
        parts = [[sums[f"{metric.key}.{i}"][:, 0] for i in range(len(metric.sums))] for metric in metrics[name]]
        both = list(zip(metrics[name], parts, strict=True))
        values.append([metric.estimate(*(part.sum() for part in each)) for metric, each in both])
        rest.append([left_out(each, metric) for metric, each in both])
    return np.array(values), np.array(rest).transpose(2, 0, 1)


def contrasts(played: Played, weights: Floats) -> tuple[Floats, Floats]:
    """Return weighted sums over games, and their standard errors by the paired jackknife, each [K, M]; weights [K, A]."""
    return weights @ played.value, jackknife_error(weights @ played.without)


def levels(played: Played, level: float = LEVEL) -> pl.DataFrame:
    """Return a row for each game and metric: its name (in the column `played.word`), metric, unit, value, low, high, error.

    The intervals are of each game alone; games are compared by `changes`, whose intervals are often far narrower.
    """
    value, error = contrasts(played, np.eye(len(check_played(played).names)))
    low, high = np.empty_like(value), np.empty_like(value)
    for m, metric in enumerate(played.metrics):
        make = share_interval if metric.unit == SHARE else t_interval
        found = make(value[:, m], error[:, m], played.deals, level)
        low[:, m], high[:, m] = found.low, found.high
        if metric is CHANGED:
            low[0, m] = high[0, m] = 0.0  # the first game's moves are its own: no chance in that
    return _frame(played, played.names, {"value": value, "low": low, "high": high, "error": error})


def changes(played: Played, level: float = LEVEL, against: str | None = None) -> pl.DataFrame:
    """Return a row for each game but one and each metric: how much it differs from that one, paired by deals.

    against: the name of the one, by default the first. Raises InputError for a name that no game has.
    Columns: `played.word`, metric, unit, change with low and high, error, p (two-sided, of no change; 1 where nothing
    differs).
    """
    names = check_played(played).names
    if against is not None and against not in names:
        raise unknown(played.word, against, names)
    base, each = names.index(names[0] if against is None else against), np.eye(len(names))
    weights = np.delete(each - each[base], base, axis=0)
    return _differences(played, weights, [*names[:base], *names[base + 1 :]], level)


def _differences(played: Played, weights: Floats, names: Sequence[str], level: float) -> pl.DataFrame:
    value, error = contrasts(played, weights)
    found, p = t_interval(value, error, played.deals, level), two_sided(value, error, played.deals)
    return _frame(played, names, {"change": value, "low": found.low, "high": found.high, "error": error, "p": p})


def slopes(played: Played, amounts: Sequence[float], level: float = LEVEL) -> pl.DataFrame:
    """Return a row for each metric: its change per unit of an amount that each game has, the least-squares line over games.

    amounts [A]: such as a rule's value in each game, two or more different ones. Columns: metric, unit, slope with low and
    high, error. Whether a line is a fair picture shows in `levels`.
    """
    value, error = contrasts(played, line_weights(amounts, len(check_played(played).names), played.word)[None])
    found = t_interval(value, error, played.deals, level)
    frame = _frame(played, ["line"], {"slope": value, "low": found.low, "high": found.high, "error": error})
    return frame.drop(played.word)


def line_weights(amounts: Sequence[float], count: int, word: str = ARM) -> Floats:
    """Return the weights [A] of values whose sum is the slope of the least-squares line over amounts [A]."""
    x = np.array([real(each, "amounts") for each in several(amounts, "amounts", "[24, 30]")])
    if x.shape != (count,) or not np.ptp(x) > 0:
        raise InputError(f"amounts: found {show(list(amounts))}; give one number for each of the {count} {word}s, not all equal.")
    away: Floats = x - x.mean()
    return away / (away**2).sum()


def _frame(played: Played, names: Sequence[str], columns: Mapping[str, Floats]) -> pl.DataFrame:
    """Return arrays [K, M] as a frame with a row for each name and metric."""
    count = len(played.metrics)
    return pl.DataFrame({
        played.word: [name for name in names for _ in range(count)],
        "metric": [metric.key for metric in played.metrics] * len(names),
        "unit": [metric.unit for metric in played.metrics] * len(names),
    } | {name: values.ravel() for name, values in columns.items()}).fill_nan(None)  # fmt: skip
