"""`deck measure`: what decks that are there already do on the objectives of a target, and how they differ from the first one.

The same numbers as in a search (`measures`), before it to find goals, after it to compare. All decks have one size, so a seed
shuffles them alike, and differences between them are taken deal by deal. G groups of deals (`analysis.sums`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from veggies_sim.analysis.estimates import LEAST_DEALS, left_out
from veggies_sim.analysis.intervals import LEVEL, degrees, jackknife_error, t_interval
from veggies_sim.analysis.line_ups import How
from veggies_sim.analysis.metrics import summed
from veggies_sim.core.checks import as_path
from veggies_sim.core.progress import bar
from veggies_sim.core.toml import check_keys, read_toml_and_bytes
from veggies_sim.games.veggies.analysis.what_if import check_decks
from veggies_sim.games.veggies.deck import MAX_FACES, Deck
from veggies_sim.games.veggies.design.candidates import numbers_of
from veggies_sim.games.veggies.design.measures import Estimate, Measure, Meter, Tally
from veggies_sim.games.veggies.design.spec import Spec
from veggies_sim.games.veggies.design.tune_file import KEYS, Target, target_of

GAMES = 3000  # of each deck under each policy, unless the caller says another number
STEP = 1200  # games between two steps of the bar, whole deals for 2, 3 and 4 players
NONE = Estimate(np.nan, np.nan, np.nan)


@dataclass(frozen=True)
class Measured:
    """What some decks do on the objectives of a target."""

    decks: Mapping[str, Deck]  # by name, the one that others are compared with first
    target: Target  # its spec is of any deck of that size
    rows: pl.DataFrame  # a row for each deck and each measure, see `measure_decks`
    games: int  # of each deck under each policy, whole deals
    seed: int


def measure_decks(
    file: str | Path,
    decks: Mapping[str, Deck],
    games: int = GAMES,
    seed: int | None = None,
    *,
    jobs: int | None = None,
    progress: bool = False,
) -> Measured:
    """Measure decks on the objectives of a target's file, which need not have a spec; no deck need meet the one that it has.

    decks: by name, all of one size. games: of each under each policy, rounded up to whole deals; a missing seed is drawn.
    Columns of `rows`: name, deck (hash), objective (from 1), metric, policies, unit, value with low and high, goal, tolerance,
    verdict (as in `tune`); and where there are several decks difference to the first one, with difference_low and
    difference_high. Intervals are of 95 %, each for itself, null where there is nothing to go by (see `_differences`). Raises
    InputError, before anything is played, for what is wrong.
    """
    check_decks(decks)
    first = next(iter(decks.values()))
    target = _target(file, len(first))
    numbers = numbers_of({"games": GAMES}, {}, target.game.players)
    count = numbers["games"].checked(games, "games")
    root = numbers["seed"].checked(numbers["seed"].default if seed is None else seed, "seed")
    meter = Meter(target.game, target.every(), How(root, root, jobs, "threads"))
    meter.play(first, 0, target.game.players)  # checks the rest, and compiles before the bar starts
    with bar(len(decks) * count * meter.plays, progress, "measure") as done:
        tallies = [_played(meter, deck, count, done) for deck in decks.values()]
    rows = [
        {"name": name, "deck": deck.hash, **row}
        for (name, deck), tally in zip(decks.items(), tallies, strict=True)
        for row in _rows(target, meter, tally, tallies[0])
    ]
    return Measured(decks, target, pl.DataFrame(rows, infer_schema_length=None).fill_nan(None), count, root)


def _target(file: str | Path, cards: int) -> Target:
    """Return the target of a file, whose own spec is checked and put aside: decks are measured as they are."""
    path = as_path(file, "target")
    read, raw = read_toml_and_bytes(path)
    table = check_keys(read, KEYS, str(path))
    Spec.from_table(table.get("deck", {}), f"{path}, deck")
    return target_of({**table, "deck": {"cards": min(cards, MAX_FACES)}}, str(path), raw)


def _played(meter: Meter, deck: Deck, games: int, done: Any) -> Tally:
    tally = None
    for at in range(0, games, STEP):
        count = min(STEP, games - at)
        tally = meter.play(deck, 0, count, tally)
        done.update(count * meter.plays)
    assert tally is not None  # at least one deal is played
    return tally


def _rows(target: Target, meter: Meter, tally: Tally, first: Tally) -> list[dict[str, Any]]:
    """Return the rows of one deck, see `measure_decks`; first: the tally of the deck that it is compared with."""
    goals = [(number, target.objectives[number]) for number, group in enumerate(target.measures) for _ in group]
    apart = [NONE] * len(goals) if tally is first else _differences(meter, tally, first)
    return [
        {"objective": number + 1, "metric": measure.key, "policies": str(measure.line_up), "unit": measure.metric.unit,
         **one._asdict(), "goal": goal.goal, "tolerance": goal.tolerance, "verdict": goal.verdict(one.low, one.high),
         "difference": more.value, "difference_low": more.low, "difference_high": more.high}
        for (number, goal), measure, one, more in zip(goals, meter.measures, meter.estimates(tally), apart, strict=True)
    ]  # fmt: skip


def _differences(meter: Meter, tally: Tally, first: Tally) -> list[Estimate]:
    """Return how much each measure differs from that of the first deck, with the interval of the difference.

    Of a root with chance taken off no pairing is known. Its two intervals are taken, each so wide that both hold together, and
    from one's end to the other's the difference lies: wider than needed, never too narrow.
    """
    half = 1 - (1 - LEVEL) / 2
    found = []
    for measure, one, base in zip(meter.measures, meter.estimates(tally, half), meter.estimates(first, half), strict=True):
        ends = Estimate(one.value - base.value, one.low - base.high, one.high - base.low)
        found.append(ends if measure.gaps else _paired(measure, _parts(measure, tally), _parts(measure, first)))
    return found


def _parts(measure: Measure, tally: Tally) -> list[Any]:
    """Return the sums of a measure, each [G]."""
    return [tally.frames[measure.line_up][name].to_numpy() for name in summed([measure.metric])]


def _paired(measure: Measure, parts: Sequence[Any], base: Sequence[Any]) -> Estimate:
    """Return the difference of a metric between the sums of two decks, by the paired jackknife.

    Groups have the same deals in both, so what the decks share of their luck cancels. Without ends where too few groups have
    rows that count, and where all groups differ alike: then there is no error to go by.
    """
    value, other = (measure.metric.estimate(*(part.sum() for part in each)) for each in (parts, base))
    without = left_out(parts, measure.metric) - left_out(base, measure.metric)
    error = jackknife_error(without)
    _, low, high = t_interval(value - other, error, 1 + degrees(without))
    sure = min(np.count_nonzero(each[-1]) for each in (parts, base)) >= LEAST_DEALS and error > 1e-12
    return Estimate(float(value - other), *(float(end) if sure else np.nan for end in (low, high)))
