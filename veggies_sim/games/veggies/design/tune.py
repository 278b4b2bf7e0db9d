"""`deck tune`: a deck that meets targets, searched for among the decks that a spec allows.

Points (`candidates`) are asked of CMA-ES, which needs ranks only; the ranks of a generation come from a race (`design.race`).
The first candidate of each generation is the centre of the search, so the first of all is the middle of the spec.

All generations play the same deals. So candidates of all of them can be compared, a deck that comes again is played again only
to go further than before, and one that goes on in a race plays only what is new. These deals may suit what the search found: at
the end the best few play fresh deals, all of them the same ones, to choose the deck; and that deck is measured on deals that had
no part in any choice.

Where the spec leaves nothing free the search is a race of random decks.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from veggies_sim.analysis.line_ups import How
from veggies_sim.core.checks import as_path, whole
from veggies_sim.core.errors import InputError
from veggies_sim.core.evolution import Evolution
from veggies_sim.core.files import file_errors, replaced
from veggies_sim.core.progress import bar
from veggies_sim.design.log import LOG, Log, Row, opened, read_settings, settings
from veggies_sim.design.objectives import OPEN, OUTSIDE, WITHIN, loss
from veggies_sim.design.race import Placed, entrants, race
from veggies_sim.games.veggies.deck import Deck
from veggies_sim.games.veggies.design.candidates import Candidate, Maker, numbers_of
from veggies_sim.games.veggies.design.measures import Meter, Tally
from veggies_sim.games.veggies.design.tune_file import Target, read_target

NAME = "tune"  # of the files in the folder: tune.toml, tune.json
DECK, CHECKED_FILE = "deck.csv", "check.csv"
CHOICE, CHECK = "choice", "check"  # stages of fresh deals
DEFAULTS = {"generations": 15, "population": 10, "games": 150, "check_games": 3000}
RANGES = {"generations": (1, 100_000), "population": (4, 10_000)}
RUNGS = 3  # of a race: a candidate plays `games`, twice or four times as many
FINALISTS = 4  # decks that play fresh deals
SIGMA = 0.25  # first standard deviation, in units of each knob's range


@dataclass(frozen=True)
class Tuned:
    """What a search found."""

    deck: Deck
    target: Target
    check: pl.DataFrame  # decks measured on fresh deals, the deck found first: a row for each objective and line-up, see `_check`
    log: pl.DataFrame  # a row for each candidate, see `Search`
    settings: dict[str, int]  # keys of DEFAULTS, and the seed; the games that were played

    @property
    def best(self) -> pl.DataFrame:
        """The rows of `check` of the deck found, on deals that had no part in any choice."""
        return self.check.filter(stage=CHECK)

    @property
    def verdict(self) -> str:
        """Whether the deck meets every objective under every policy: WITHIN if all do, OUTSIDE if any does not, else OPEN."""
        found = {*self.best["verdict"]}
        return found.pop() if len(found) == 1 else OUTSIDE if OUTSIDE in found else OPEN

    @property
    def disputed(self) -> list[str]:
        """The metrics that one policy finds within their tolerance and another does not."""
        verdicts = self.best.group_by("objective", "metric", maintain_order=True).agg("verdict").rows()
        return [metric for _, metric, found in verdicts if {WITHIN, OUTSIDE} <= {*found}]


class Search:
    """What is searched for, how, and what was measured so far.

    The log tells of each candidate what it is (`Maker.columns`), the last rung of its race and the games played there, the values
    and the loss that these gave, and its rank in the generation.
    """

    def __init__(self, target: Target, numbers: Mapping[str, int], folder: Path, jobs: int | None = None) -> None:
        seed = numbers["seed"]
        self.target, self.numbers = target, numbers
        self.maker = Maker(target.spec, seed, "generation", numbers["population"] + 1)
        self.meter = Meter(target.game, target.every(), How(seed, seed, jobs, "threads"))
        columns = pl.Schema(
            {**self.maker.columns(), "rung": pl.Int64(), "games": pl.Int64()}
            | {each.name: pl.Float64() for each in self.meter.measures}
            | {"loss": pl.Float64(), "rank": pl.Int64()}
        )
        self.log = Log(folder, columns, "generations", numbers["generations"], self.maker.size, self._holds)
        self._tallies: dict[str, Tally] = {}  # of this race, by the hash of a deck
        self._values: dict[tuple[str, int], list[float]] = {}  # by hash and rung

    def _holds(self, row: Row) -> bool:
        placed = 0 <= row["rung"] < RUNGS and 0 <= row["rank"] < self.maker.size and not math.isnan(row["loss"])
        return placed and self.maker.holds(row)

    def games_at(self, rung: int) -> int:
        """Return how many games a candidate has played at a rung, with each line-up."""
        return self.numbers["games"] << rung

    def new_games(self, rung: int) -> int:
        """Return how many games more than at the rung before a candidate has played, all together."""
        return (self.games_at(rung) - (self.games_at(rung - 1) if rung else 0)) * self.meter.plays

    def race(self, candidates: Sequence[Candidate], done: Any) -> list[dict[str, Any]]:
        """Let the candidates of a generation race; return their rows of the log. Equal decks play once."""
        self._tallies.clear()
        decks = {each.deck.hash: each.deck for each in candidates}
        hashes = [*decks]

        def loss_at(entrant: int, rung: int) -> float:
            values = self.values(decks[hashes[entrant]], rung)
            done.update(self.new_games(rung))
            return self.loss(values)

        placed = dict(zip(hashes, race(len(hashes), loss_at, RUNGS), strict=True))
        return [self.row(each, placed[each.deck.hash]) for each in candidates]

    def values(self, deck: Deck, rung: int) -> list[float]:
        """Return the measures of a deck after the games of a rung; only games that are missing are played."""
        if (deck.hash, rung) not in self._values:
            tally = self._tallies.get(deck.hash)
            more = self.games_at(rung) - (tally.games if tally else 0)
            tally = self.meter.play(deck, 0, more, tally)
            self._tallies[deck.hash] = tally
            self._values[deck.hash, rung] = [each.value for each in self.meter.estimates(tally)]
        return self._values[deck.hash, rung]

    def loss(self, values: Sequence[float]) -> float:
        """Return the loss of the values of all measures."""
        held = iter(values)
        return loss(self.target.objectives, [[next(held) for _ in group] for group in self.target.measures])

    def row(self, each: Candidate, placed: Placed) -> dict[str, Any]:
        """Return the row of a candidate in the log."""
        values = dict(zip((one.name for one in self.meter.measures), self.values(each.deck, placed.rung), strict=True))
        race = {"rung": placed.rung, "games": self.games_at(placed.rung)}
        return {**self.maker.row(each), **race, **values, "loss": placed.loss, "rank": placed.rank}


def tune(
    file: str | Path,
    folder: str | Path,
    given: Mapping[str, int | None] | None = None,
    *,
    jobs: int | None = None,
    resume: bool = False,
    progress: bool = False,
) -> Tuned:
    """Search for a deck that meets the target of a file; write the search into a folder.

    given: keys of DEFAULTS, and seed; a missing seed is drawn, games are rounded up to whole deals. resume: go on with a search
    that stopped, with the same result as if it had not. The result depends on the settings, not on jobs. Raises InputError,
    before anything is played, for arguments that are wrong; after Ctrl-C KeyboardInterrupt, when the generations that are over
    are in the folder's log and the best deck so far in deck.csv.
    """
    target, place = read_target(file), as_path(folder, "folder")
    players = target.game.players
    numbers = settings(place, NAME, given or {}, numbers_of(DEFAULTS, RANGES, players), CHECKED_FILE, resume)
    search = Search(target, numbers, place, jobs)
    search.meter.play(search.maker.middle().deck, 0, players)  # checks the rest, and compiles before the bar starts
    with opened(search.log, NAME, target.raw, numbers, resume):
        centre = _generations(search, progress)
        others = (search.maker.again(row) for row in _best(search.log))
        found, check = _check(search, [*centre, *others][:FINALISTS], progress)
        _write(place / DECK, found.to_csv())
        _write(place / CHECKED_FILE, check.write_csv())
    return Tuned(found, target, check, search.log.frame, numbers)


def _generations(search: Search, progress: bool) -> list[Candidate]:
    """Play the generations that the log lacks and add theirs; return the centre after the last one, none if nothing is free."""
    evolution, n, maker, log = None, len(search.maker.knobs), search.maker, search.log
    if n:
        evolution = Evolution([0.5] * n, [0.0] * n, [1.0] * n, SIGMA, search.numbers["population"], search.numbers["seed"])
    each = sum(many * search.new_games(rung) for rung, many in enumerate(entrants(log.size, RUNGS)))
    with bar(log.steps * each, progress, NAME, log.over * each) as done:
        for generation in range(log.steps):
            units = [evolution.centre, *evolution.ask()] if evolution else [np.zeros(0)] * log.size
            points = [*map(maker.point_at, units)]
            if not log.step(generation):
                before = done.n
                log.add(search.race([maker.candidate(generation, number, point) for number, point in enumerate(points)], done))
                done.update(before + each - done.n)  # decks that were known
                _write(log.folder / DECK, maker.again(_best(log)[0]).deck.to_csv())
            elif [*map(maker.point, log.step(generation))] != points:
                raise log.refuse(generation)
            if evolution:
                evolution.tell([row["rank"] for row in log.step(generation)[1:]])
    return [maker.candidate(log.steps, 0, maker.point_at(evolution.centre))] if evolution else []


def _best(log: Log) -> list[Row]:
    """Return the best rows of those that came furthest, each deck once."""
    last = max(row["rung"] for row in log.rows)
    ranked = sorted((row for row in log.rows if row["rung"] == last), key=lambda row: (row["loss"], row["generation"], row["rank"]))
    decks: dict[str, Row] = {}
    for row in ranked:
        decks.setdefault(row["deck"], row)
    return [*decks.values()][:FINALISTS]


def _check(search: Search, candidates: Sequence[Candidate], progress: bool) -> tuple[Deck, pl.DataFrame]:
    """Choose the best of some decks on fresh deals, and measure it on others; return it, and a row for each measure of both.

    Columns: stage (CHOICE of all decks on common deals, CHECK of the deck chosen), deck (hash), generation and candidate (that
    of the number of generations is the centre at the end), loss (null where there is nothing to measure), objective (from 1),
    metric, policies, unit, value with low and high (95 % intervals, each for itself), goal, tolerance, verdict (see
    `design.objectives`). The check stands first, then the best deck. Intervals of the choice flatter the best deck a little: it
    is the best on these very deals.
    """
    games = search.numbers["check_games"]
    decks = {each.deck.hash: each for each in reversed(candidates)}
    start = search.games_at(RUNGS - 1)  # deals of the search come before
    with bar((len(decks) + 1) * games * search.meter.plays, progress, "check") as done:
        found = [_measured(search, CHOICE, each, start, games, done) for each in decks.values()]
        found.sort(key=lambda rows: rows[0]["loss"])
        best = decks[found[0][0]["deck"]]
        found.insert(0, _measured(search, CHECK, best, start + games, games, done))
    frame = pl.DataFrame([row for rows in found for row in rows]).fill_nan(None)
    return best.deck, frame.with_columns(pl.when(pl.col("loss").is_finite()).then("loss").alias("loss"))


def _measured(search: Search, stage: str, each: Candidate, start: int, games: int, done: Any) -> list[dict[str, Any]]:
    """Return the rows of one deck, see `_check`, after games that begin at the deal `start`."""
    goals = [(number, search.target.objectives[number]) for number, group in enumerate(search.target.measures) for _ in group]
    measured = search.meter.estimates(search.meter.play(each.deck, start, games))
    done.update(games * search.meter.plays)
    missed = search.loss([one.value for one in measured])
    return [
        {"stage": stage, "deck": each.deck.hash, "generation": each.step, "candidate": each.number, "loss": missed,
         "objective": number + 1, "metric": measure.key, "policies": str(measure.line_up), "unit": measure.metric.unit,
         **one._asdict(), "goal": goal.goal, "tolerance": goal.tolerance, "verdict": goal.verdict(one.low, one.high)}
        for (number, goal), measure, one in zip(goals, search.meter.measures, measured, strict=True)
    ]  # fmt: skip


def replayed(folder: str | Path, generation: int, candidate: int, jobs: int | None = None) -> tuple[Deck, dict[str, Any]]:
    """Make a candidate of a finished or stopped search again and play it again; return its deck and its row as it is now.

    All comes from the folder: seed, target and point. Raises InputError where the log has no such candidate.
    """
    place, generation, candidate = as_path(folder, "folder"), whole(generation, "generation"), whole(candidate, "candidate")
    target = read_target(place / f"{NAME}.toml")
    numbers = read_settings(place, NAME, numbers_of(DEFAULTS, RANGES, target.game.players))
    search = Search(target, numbers, place, jobs)
    search.log.read()
    row = next((row for row in search.log.rows if (row["generation"], row["candidate"]) == (generation, candidate)), None)
    if row is None:
        raise InputError(f"{place / LOG}: there is no candidate {candidate} of generation {generation}. See the log.")
    again = search.maker.candidate(generation, candidate, search.maker.point(row))
    values = search.values(again.deck, row["rung"])
    return again.deck, search.row(again, Placed(row["rung"], search.loss(values), row["rank"]))


def _write(file: Path, text: str) -> None:
    with file_errors(file), replaced(file) as place:
        place.write_text(text, encoding="utf-8", newline="\n")
