"""`deck tune`: a deck that meets targets, searched for among the decks that a spec allows.

Points (`candidates`) are asked of CMA-ES, which needs ranks only; the ranks of a generation come from a race (`design.race`).
The first candidate of each generation is the centre of the search, so the first of all is the middle of the spec.

All generations play the same deals. So candidates of all of them can be compared, a deck that comes again is not played again,
and one that goes on in a race plays only what is new. These deals may suit what the search found: at the end the best few play
fresh deals, all of them the same ones, to choose the deck; and that deck is measured on deals that had no part in any choice.

Where the spec leaves nothing free the search is a race of random decks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from veggies_sim.analysis.estimates import LEAST_DEALS
from veggies_sim.analysis.intervals import Floats
from veggies_sim.analysis.line_ups import How
from veggies_sim.core.checks import as_path, whole
from veggies_sim.core.errors import InputError
from veggies_sim.core.evolution import Evolution
from veggies_sim.core.files import file_errors, replaced
from veggies_sim.core.manifest import LIMITS
from veggies_sim.core.progress import bar
from veggies_sim.core.streams import draw_seed
from veggies_sim.design.log import LOG, opened, read_log, read_settings, settings, write_log
from veggies_sim.design.objectives import OPEN, OUTSIDE, WITHIN, loss
from veggies_sim.design.race import Placed, entrants, race
from veggies_sim.games.veggies.deck import Deck
from veggies_sim.games.veggies.design.candidates import Candidate, Maker, Point, reached
from veggies_sim.games.veggies.design.measures import Meter, Tally, whole_deals
from veggies_sim.games.veggies.design.tune_file import Target, read_target

NAME = "tune"  # of the files in the folder: tune.toml, tune.json
DECK, CHECKED_FILE = "deck.csv", "check.csv"
CHOICE, CHECK = "choice", "check"  # stages of fresh deals
DEFAULTS = {"generations": 15, "population": 10, "games": 150, "check_games": 3000}
RUNGS = 3  # of a race: a candidate plays `games`, twice or four times as many
FINALISTS = 4  # decks that play fresh deals
SIGMA = 0.25  # first standard deviation, in units of each knob's range


@dataclass(frozen=True)
class Tuned:
    """What a search found."""

    deck: Deck
    target: Target
    check: pl.DataFrame  # decks measured on fresh deals, the deck found first: a row for each objective and line-up, see `_check`
    log: pl.DataFrame  # a row for each candidate, see `Search.columns`
    settings: dict[str, int]  # keys of DEFAULTS, and the seed

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


@dataclass
class Search:
    """What is searched for, how, and what was measured so far."""

    target: Target
    numbers: Mapping[str, int]  # as `Tuned.settings`
    jobs: int | None = None
    _tallies: dict[str, Tally] = field(default_factory=dict)  # by the hash of a deck
    _values: dict[tuple[str, int], list[float]] = field(default_factory=dict)  # by hash and rung

    def __post_init__(self) -> None:
        self.maker = Maker(self.target.spec, self.numbers["seed"], self.numbers["population"] + 1)
        self.knobs = self.maker.knobs
        how = How(self.numbers["seed"], self.numbers["seed"], self.jobs, "threads")
        self.meter = Meter(self.target.game, self.target.every(), how)
        self.line_ups = len({each.line_up for each in self.meter.measures})

    def games_at(self, rung: int) -> int:
        """Return how many games a candidate has played at a rung, with each line-up."""
        return whole_deals(self.numbers["games"], self.target.game.players) << rung

    def new_games(self, rung: int) -> int:
        """Return how many games more than at the rung before a candidate has played, with all line-ups together."""
        return (self.games_at(rung) - (self.games_at(rung - 1) if rung else 0)) * self.line_ups

    def columns(self) -> pl.Schema:
        """Return the columns of the log: what was asked for and reached of each knob, values and loss at the last rung."""
        whole_number, names = pl.Int64(), [knob.name for knob in self.knobs]
        return pl.Schema(
            {"generation": whole_number, "candidate": whole_number, "deck_seed": whole_number}
            | {f"{word}_{name}": pl.Float64() for word in ("asked", "reached") for name in names}
            | {"deck": pl.String(), "rung": whole_number, "games": whole_number}
            | {f"{each.key} ({each.line_up})": pl.Float64() for each in self.meter.measures}
            | {"loss": pl.Float64(), "rank": whole_number}
        )

    def candidate(self, generation: int, number: int, point: Point) -> Candidate:
        """Return a candidate with its deck; 0 is the centre of the search."""
        return self.maker.candidate(generation, number, point)

    def point_at(self, unit: Sequence[float] | Floats) -> Point:
        """Return the point at shares (0 to 1) of each knob's range."""
        return tuple(
            min(max(knob.low + (knob.high - knob.low) * float(share), knob.low), knob.high)
            for knob, share in zip(self.knobs, unit, strict=True)
        )

    def race(self, candidates: Sequence[Candidate], done: Any) -> list[dict[str, Any]]:
        """Let the candidates of a generation race; return their rows of the log. Equal decks play once."""
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
            first = tally.games if tally else 0
            tally = self.meter.play(deck, first, self.games_at(rung) - first, tally)
            self._tallies[deck.hash] = tally
            self._values[deck.hash, rung] = [each.value for each in self.meter.estimates(tally)]
        return self._values[deck.hash, rung]

    def loss(self, values: Sequence[float]) -> float:
        """Return the loss of the values of all measures."""
        held = iter(values)
        return loss(self.target.objectives, [[next(held) for _ in group] for group in self.target.measures])

    def row(self, each: Candidate, placed: Placed) -> dict[str, Any]:
        """Return the row of a candidate in the log."""
        row = [
            each.step, each.number, each.seed, *each.point, *reached(each.deck, self.knobs), each.deck.hash, placed.rung,
            self.games_at(placed.rung), *self.values(each.deck, placed.rung), placed.loss, placed.rank,
        ]  # fmt: skip
        return dict(zip(self.columns(), row, strict=True))

    def point(self, row: Mapping[str, Any]) -> Point:
        """Return the point of a row of the log."""
        return tuple(row[f"asked_{knob.name}"] for knob in self.knobs)


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

    given: keys of DEFAULTS, and seed; a missing seed is drawn. resume: go on with a search that stopped, with the same result
    as if it had not. The result depends on the settings, not on jobs. Raises InputError, before anything is played, for
    arguments that are wrong; after Ctrl-C KeyboardInterrupt, when the generations that are over are in the folder's log and
    the best deck so far in deck.csv.
    """
    target, place = read_target(file), as_path(folder, "folder")
    numbers = settings(place, NAME, given or {}, {**DEFAULTS, "seed": draw_seed()}, resume)
    search = Search(target, _checked(numbers, target.game.players), jobs)
    if resume and (place / CHECKED_FILE).exists():
        raise InputError(f"{place}: the search is over, see {CHECKED_FILE} in it. Give another folder for a new one.")
    middle = search.candidate(0, 0, search.point_at([0.5] * len(search.knobs)))
    search.meter.play(middle.deck, 0, target.game.players)  # checks the rest, and compiles before the bar starts
    with opened(place, NAME, target.raw, numbers, resume):
        rows = _rows(search, place) if resume and (place / LOG).exists() else []
        try:
            centre = _generations(search, rows, place, progress)
            found, check = _check(search, [centre, *_best(search, rows)][:FINALISTS], progress)
        except KeyboardInterrupt:
            over = len(rows) // (numbers["population"] + 1)
            said = f"{over} of {numbers['generations']} generations are in {place}; go on with the same command and --resume"
            raise KeyboardInterrupt(said) from None
        _write(place / DECK, found.to_csv())
        _write(place / CHECKED_FILE, check.write_csv())
    return Tuned(found, target, check, pl.DataFrame(rows, search.columns()), dict(numbers))


def _checked(numbers: dict[str, int], players: int) -> dict[str, int]:
    whole(numbers["seed"], "seed", *LIMITS["seed"])
    whole(numbers["generations"], "generations", 1, 100_000)
    whole(numbers["population"], "population", 4, 10_000)
    for key in ("games", "check_games"):
        whole(numbers[key], key, LEAST_DEALS * players, 10_000_000)
    return numbers


def _rows(search: Search, folder: Path) -> list[dict[str, Any]]:
    """Return the rows of a log. Raises InputError where they can't be of this search."""
    rows = read_log(folder, search.columns()).to_dicts()
    size = search.numbers["population"] + 1
    for place, row in enumerate(rows):
        inside = all(knob.low <= value <= knob.high for knob, value in zip(search.knobs, search.point(row), strict=True))
        placed = 0 <= row["rung"] < RUNGS and 0 <= row["rank"] < size
        if (row["generation"], row["candidate"]) != divmod(place, size) or not (inside and placed):
            raise InputError(f"{folder / LOG}: row {place + 1} is none of this search. The log is damaged; begin the search anew.")
    if len(rows) % size or len(rows) > size * search.numbers["generations"]:
        raise InputError(f"{folder / LOG}: {len(rows):,} rows are not whole generations. The log is damaged; begin anew.")
    return rows


def _generations(search: Search, rows: list[dict[str, Any]], folder: Path, progress: bool) -> Candidate:
    """Play the generations that `rows` lacks and add theirs; return the centre of the search after the last one."""
    evolution, n = None, len(search.knobs)
    if n:
        evolution = Evolution([0.5] * n, [0.0] * n, [1.0] * n, SIGMA, search.numbers["population"], search.numbers["seed"])
    size, count = search.numbers["population"] + 1, search.numbers["generations"]
    each = sum(many * search.new_games(rung) for rung, many in enumerate(entrants(size, RUNGS)))
    with bar(count * each, progress, NAME, len(rows) // size * each) as done:
        for generation in range(count):
            units = [evolution.centre, *evolution.ask()] if evolution else [np.zeros(0)] * size
            points = [search.point_at(unit) for unit in units]
            mine = rows[generation * size : (generation + 1) * size]
            if not mine:
                before = done.n
                mine = search.race([search.candidate(generation, number, point) for number, point in enumerate(points)], done)
                done.update(before + each - done.n)  # decks that were known
                write_log(pl.DataFrame([*rows, *mine], search.columns()), folder)
                rows += mine
                _write(folder / DECK, _best(search, rows)[0].deck.to_csv())
            elif [search.point(row) for row in mine] != points:
                raise InputError(f"{folder / LOG}: generation {generation} is not of this search. Begin it anew in another folder.")
            if evolution:
                evolution.tell([row["rank"] for row in mine[1:]])
    return search.candidate(count, 0, search.point_at(evolution.centre) if evolution else ())


def _best(search: Search, rows: Sequence[Mapping[str, Any]]) -> list[Candidate]:
    """Return the best candidates of those that came furthest, each deck once."""
    last = max(row["rung"] for row in rows)
    ranked = sorted((row for row in rows if row["rung"] == last), key=lambda row: (row["loss"], row["generation"], row["rank"]))
    decks = {row["deck"]: row for row in reversed(ranked)}  # of equal ones the best
    best = []
    for row in sorted(decks.values(), key=ranked.index)[:FINALISTS]:
        best.append(search.candidate(row["generation"], row["candidate"], search.point(row)))
        if best[-1].deck.hash != row["deck"]:
            which = f"candidate {row['candidate']} of generation {row['generation']}"
            raise InputError(
                f"{LOG}: {which} is another deck than it was. The search was made with other libraries, see the versions in "
                f"{NAME}.json; go on with these, or begin it anew."
            )
    return best


def _check(search: Search, candidates: Sequence[Candidate], progress: bool) -> tuple[Deck, pl.DataFrame]:
    """Choose the best of some decks on fresh deals, and measure it on others; return it, and a row for each measure of both.

    Columns: stage (CHOICE of all decks on common deals, CHECK of the deck chosen), deck (hash), generation and candidate (that
    of the number of generations is the centre at the end), loss, objective (from 1), metric, policies, unit, value with low
    and high (95 % intervals, each for itself), goal, tolerance, verdict (see `design.objectives`). The check stands first, then
    the best deck. Intervals of the choice flatter the best deck a little: it is the best on these very deals.
    """
    games = whole_deals(search.numbers["check_games"], search.target.game.players)
    decks = {each.deck.hash: each for each in reversed(candidates)}
    first = search.games_at(RUNGS)
    with bar((len(decks) + 1) * games * search.line_ups, progress, "check") as done:
        found = [_measured(search, CHOICE, each, first, games, done) for each in decks.values()]
        found.sort(key=lambda rows: rows[0]["loss"])
        best = decks[found[0][0]["deck"]]
        found.insert(0, _measured(search, CHECK, best, first + games, games, done))
    return best.deck, pl.DataFrame([row for rows in found for row in rows]).fill_nan(None)


def _measured(search: Search, stage: str, each: Candidate, first: int, games: int, done: Any) -> list[dict[str, Any]]:
    """Return the rows of one deck, see `_check`, after some games."""
    goals = [(number, search.target.objectives[number]) for number, group in enumerate(search.target.measures) for _ in group]
    measured = search.meter.estimates(search.meter.play(each.deck, first, games))
    done.update(games * search.line_ups)
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
    place = as_path(folder, "folder")
    target = read_target(place / f"{NAME}.toml")
    search = Search(target, _checked(read_settings(place, NAME, {**DEFAULTS, "seed": 0}), target.game.players), jobs)
    row = next((row for row in _rows(search, place) if (row["generation"], row["candidate"]) == (generation, candidate)), None)
    if row is None:
        raise InputError(f"{place / LOG}: there is no candidate {candidate} of generation {generation}. See the log.")
    again = search.candidate(generation, candidate, search.point(row))
    values = search.values(again.deck, row["rung"])
    return again.deck, search.row(again, Placed(row["rung"], search.loss(values), row["rank"]))


def _write(file: Path, text: str) -> None:
    with file_errors(file), replaced(file) as place:
        place.write_text(text, encoding="utf-8", newline="\n")
