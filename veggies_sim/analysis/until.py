"""A run that goes on until an interval is narrow enough: the precision is chosen, not the number of games.

The interval is that of one number for itself, not widened for others. It is looked at after 1,000, 2,000, 4,000 ... games,
so that when a run stops depends on its seed alone, not on jobs or blocks: it may play up to twice what was needed. What is
promised is the width. It is no test: stopping when an interval leaves some value out would find that sooner or later
whatever is true, while stopping at a width leaves the interval about as sure as it says (Chow and Robbins: On the asymptotic
theory of fixed-width sequential confidence intervals, Annals of Mathematical Statistics 36, 1965).
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from veggies_sim.analysis.amounts import amount, read_amount, rough, valued
from veggies_sim.analysis.estimates import LEAST_DEALS, metric_interval
from veggies_sim.analysis.intervals import grown, in_games
from veggies_sim.analysis.metrics import BALANCED, Metric, find_metric, metrics_of, summed
from veggies_sim.analysis.sums import group_sums
from veggies_sim.core.checks import as_path, read_whole, whole
from veggies_sim.core.dataset import Run
from veggies_sim.core.errors import InputError, show, unknown
from veggies_sim.core.files import file_errors, locked
from veggies_sim.core.game import Game
from veggies_sim.core.manifest import LIMITS, deals_of
from veggies_sim.core.manifest_reader import load
from veggies_sim.core.policy import Given, policies_for
from veggies_sim.core.registry import check_game
from veggies_sim.core.runner import simulate
from veggies_sim.core.streams import draw_seed

FIRST_LOOK = 1000  # games; each further look is at twice as many
PATIENCE = 64_000  # deals after which a target that never had an interval is given up
MOST_GAMES = 10_000_000  # the cap where none is given
FORM = '"win_share(seat=0) +-0.2pp" or "score +-0.1"'
_TARGET = re.compile(r"\s*([^(]+?)\s*(?:\(\s*(\w+)\s*=\s*(.*?)\s*\)\s*)?(?:\+-|\+/-|±)(.*)")


@dataclass(frozen=True)
class Target:
    """How narrow which interval is to be."""

    metric: Metric
    half: float  # of the 95 % interval, at most; of shares 0 to 1
    column: str | None = None  # of seats: seat, team or policy; None for all rows
    value: int | str = ""  # what stands in it

    def reached(self, look: Mapping[str, Any]) -> bool:
        """Say whether the interval of a look is narrow enough."""
        return look["low"] is not None and bool((look["high"] - look["low"]) / 2 <= self.half)


def read_target(text: str, game: Game, policies: Given | Sequence[Given] | None = None) -> Target:
    """Return the target that a text such as `win_share(seat=0) +-0.2pp` stands for.

    The form is METRIC(seat=N), METRIC(team=N), METRIC(policy=NAME) or just METRIC, then +- and half the width of the
    interval: in percentage points (pp) for shares, else a number. Raises InputError.
    """
    found = _TARGET.fullmatch(text) if isinstance(text, str) else None
    if found is None:
        raise InputError(f"until: found {show(text)}; valid: a metric and how exact, such as {FORM}.")
    key, column, word, width = found.groups()
    metric = find_metric(metrics_of(game), key)
    half = read_amount(width, metric)
    if column is None:
        if key in BALANCED:
            raise _balanced(key, "all seats together")
        return Target(metric, half)
    if not metric.per_seat:
        raise InputError(f"until: {key} is of a whole game, found ({column}={word}). Leave it out: {key} +-{width.strip()}.")
    names = dict.fromkeys(str(spec) for spec in policies_for(policies or game.default_policy, game))
    value = _whose(column, word, game, list(names))
    if key in BALANCED and column == "policy" and len(names) == 1:
        raise _balanced(key, f"{value}, which plays every seat,")
    return Target(metric, half, column, value)


def _balanced(key: str, who: str) -> InputError:
    return InputError(f"until: {key} of {who} says nothing: one's gain is another's loss. Say whose, such as {key}(seat=0).")


def _whose(column: str, word: str, game: Game, names: Sequence[str]) -> int | str:
    """Return what the column must hold. Raises InputError where no row has it."""
    if column not in ("seat", "team", "policy"):
        raise unknown("column to choose by", column, ("seat", "team", "policy"))
    if column == "policy":
        if word not in names:
            raise unknown("policy of this run", word, names)
        return word
    most = game.players - 1 if column == "seat" else max(game.team())
    return whole(read_whole(word, f"until, {column}", f" from 0 to {most}"), f"until, {column}", 0, most)


def look_sizes(most: int) -> Iterator[int]:
    """Yield the numbers of games to look at: 1,000 x 2^k below `most`, and `most`."""
    size = FIRST_LOOK
    while size < most:
        yield size
        size *= 2
    yield most


def look(run: Run, target: Target, games: int) -> dict[str, Any]:
    """Return the target's value and 95 % interval after the first `games` games of a run, which may hold more.

    Keys: games, value, low, high; the last three are None while there are too few deals, or nothing to measure.
    """
    first, metric = run.manifest.first_game, target.metric
    deals = sum(count for _, count in deals_of([(first, games)], run.games_per_deal))
    found = dict.fromkeys(("value", "low", "high"))
    if deals >= LEAST_DEALS:
        chosen = pl.col("game") < first + games
        if target.column:
            chosen = chosen & (pl.col(target.column) == target.value)
        sums = group_sums(run, summed([metric]), change=lambda rows: rows.filter(chosen))
        within, _ = metric_interval(sums._replace(deals=deals), metric)
        numbers = dict(zip(found, map(float, (each[0] for each in within)), strict=True))
        if all(map(math.isfinite, numbers.values())):
            found = numbers  # type: ignore[assignment]
    return {"games": games, **found}


def simulate_until(
    game: Game,
    policies: Given | Sequence[Given] | None,
    target: str,
    *,
    games: int = MOST_GAMES,
    seed: int | None = None,
    out: str | Path | None = None,
    mode: str = "new",
    progress: bool = False,
    **how: Any,
) -> Run:
    """Play games until the half width of the target's 95 % interval is at most that, and return the run.

    target: see `read_target`. games: the most to play; the last of the manifest's `looks` tells whether the width was
    reached. Rows are those of `simulate` for as many games. mode: with "resume" any run goes on. how: as of `simulate`. In
    memory (out=None) each look plays from the start, so twice the games in all. Raises InputError and what `simulate`
    raises.
    """
    for name in ("until", "dry_run"):
        if how.get(name):
            raise InputError(f"simulate_until: found {name}={show(how[name])}; leave it out: `target` says how long it plays.")
    wanted, most = read_target(target, check_game(game), policies), whole(games, "games", *LIMITS["games"])
    seed = draw_seed() if seed is None else seed
    begun = load(as_path(out, "out")).games_requested if out is not None and mode == "resume" else 0
    how |= {"seed": seed, "out": out, "progress": progress, "until": {"target": target.strip(), "games": most}}
    run = simulate(game, policies, min(max(begun, FIRST_LOOK), most), mode=mode, **how)
    looks: list[dict[str, Any]] = []
    for size in look_sizes(most):
        if size > run.manifest.games_requested:
            run = simulate(game, policies, size, mode="resume", **how)
        looks.append(look(run, wanted, size))
        _keep(run, looks)
        if progress:
            print(look_words(looks[-1], wanted), file=sys.stderr)
        if wanted.reached(looks[-1]):
            break
        if size >= PATIENCE * run.games_per_deal and all(each["low"] is None for each in looks):
            raise InputError(
                f"until: after {size:,} games nothing can be said of {target.strip()}: it has no value in them, or in too few, "
                f"or does not vary. Name another metric{f'; the games are kept in {run.folder}' if run.folder else ''}."
            )
    return run


def _keep(run: Run, looks: Sequence[Mapping[str, Any]]) -> None:
    """Put looks into the manifest."""
    run.manifest.looks = [dict(each) for each in looks]
    if run.folder is not None:
        with file_errors(run.folder), locked(run.folder):
            run.manifest.save(run.folder)


def games_for(look: Mapping[str, Any], target: Target) -> float:
    """Return about how many games the target takes, as a look that found an interval tells: widths fall with the root."""
    return float(in_games(grown(look["games"], (look["high"] - look["low"]) / 2, target.half)))


def look_words(look: Mapping[str, Any], target: Target) -> str:
    """Return in words what a look found, and about how many games are needed where these are too few, or far more."""
    unit = target.metric.unit
    if look["low"] is None:
        return f"{look['games']:,} games: too few to say"
    half = (look["high"] - look["low"]) / 2
    value, low, high = (valued(look[key], half / 2, unit) for key in ("value", "low", "high"))
    words = f"{look['games']:,} games: {value} ({low} .. {high}), +-{amount(half, unit)}"
    needed, wanted = games_for(look, target), f"for +-{amount(target.half, unit)}"
    if not target.reached(look):
        return f"{words}; about {rough(needed)} games {wanted}"
    spare = needed < 0.9 * look["games"]
    return f"{words}; about {rough(needed)} would have done {wanted}: looks are at doubled numbers" if spare else words
