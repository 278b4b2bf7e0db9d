"""`deck map`: decks over two numbers that they are measured by, the best one found for each cell of that plane.

Points (`candidates`) are asked of MAP-Elites (`design.elites`). All candidates play the same deals; equal decks play once.

Few games place a deck badly, and of many decks a lucky one stays for ever. So the map that is told is not the one of the
search: the best few decks of every cell are measured again on fresh deals, all on the same ones, and each goes to the cell
that this measure says. A cell is sure where the intervals of its deck lie inside it on both axes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from veggies_sim.analysis.estimates import LEAST_DEALS
from veggies_sim.analysis.line_ups import How
from veggies_sim.core.checks import as_path, whole
from veggies_sim.core.errors import InputError
from veggies_sim.core.extras import need
from veggies_sim.core.files import file_errors, replaced
from veggies_sim.core.manifest import LIMITS
from veggies_sim.core.progress import bar
from veggies_sim.core.streams import draw_seed
from veggies_sim.design.elites import Cell, Elites
from veggies_sim.design.log import LOG, opened, read_log, settings, write_log
from veggies_sim.games.veggies.deck import Deck
from veggies_sim.games.veggies.design.candidates import Candidate, Maker, Point, reached
from veggies_sim.games.veggies.design.map_file import Landscape, name_of, read_landscape
from veggies_sim.games.veggies.design.measures import Estimate, Meter, whole_deals

NAME = "map"  # of the files in the folder: map.toml, map.json
MAP, CHECK, DECKS = "map.parquet", "check.csv", "decks"
DEFAULTS = {"batches": 20, "batch_size": 20, "games": 200, "check_games": 2000}
DRAWN = 4  # one of so many batches is random, the first ones
CHECKED = 2  # decks of each cell that are measured again


@dataclass(frozen=True)
class Mapped:
    """What a search found."""

    landscape: Landscape
    decks: Mapping[str, Deck]  # measured on fresh deals, by hash
    check: pl.DataFrame  # a row for each of them, see `_check`
    log: pl.DataFrame  # a row for each candidate, see `Survey.columns`
    settings: dict[str, int]  # keys of DEFAULTS, and the seed

    @property
    def cells(self) -> int:
        """How many cells the map has, filled or not."""
        return math.prod(axis.cells for axis in self.landscape.axes)

    @property
    def frame(self) -> pl.DataFrame:
        """A row for each filled cell: its number, the file of its deck, and the row of the deck in `check`."""
        best = self.check.filter(pl.col("x").is_not_null() & pl.col("distance").is_finite())
        best = best.sort("distance", maintain_order=True).unique(["x", "y"], keep="first", maintain_order=True)
        best = best.sort(-pl.col("y"), "x")  # as the picture is read
        file = pl.format(f"{DECKS}/{{}}_{{}}.csv", "x", "y").alias("file")
        return best.select(pl.int_range(1, pl.len() + 1, dtype=pl.Int64).alias("number"), file, pl.all())


@dataclass
class Survey:
    """What is searched, how, and what was measured so far."""

    landscape: Landscape
    numbers: Mapping[str, int]  # as `Mapped.settings`
    jobs: int | None = None
    known: dict[str, dict[str, float]] = field(default_factory=dict)  # values by the hash of a deck

    def __post_init__(self) -> None:
        self.maker = Maker(self.landscape.target.spec, self.numbers["seed"], self.numbers["batch_size"])
        self.knobs = self.maker.knobs
        how = How(self.numbers["seed"], self.numbers["seed"], self.jobs, "threads")
        self.names = self.landscape.measures()
        self.meter = Meter(self.landscape.target.game, [*self.names.values()], how)
        self.line_ups = len({each.line_up for each in self.names.values()})

    @property
    def games(self) -> int:
        """Games of each candidate, with each line-up; fresh ones begin there."""
        return whole_deals(self.numbers["games"], self.landscape.target.game.players)

    def columns(self) -> pl.Schema:
        """Return the columns of the log: what was asked for and reached of each knob, values, distance from the goals."""
        knobs = [knob.name for knob in self.knobs]
        return pl.Schema(
            {"batch": pl.Int64(), "candidate": pl.Int64(), "deck_seed": pl.Int64()}
            | {f"{word}_{name}": pl.Float64() for word in ("asked", "reached") for name in knobs}
            | {"deck": pl.String()}
            | {name: pl.Float64() for name in (*self.names, "distance")}
        )

    def candidate(self, batch: int, number: int, point: Point) -> Candidate:
        """Return a candidate with its deck."""
        return self.maker.candidate(batch, number, point)

    def made(self, each: Candidate) -> dict[str, Any]:
        """Return what a candidate is, as the log has it."""
        names = [knob.name for knob in self.knobs]
        asked = {f"asked_{name}": value for name, value in zip(names, each.point, strict=True)}
        got = {f"reached_{name}": value for name, value in zip(names, reached(each.deck, self.knobs), strict=True)}
        place = {"batch": each.step, "candidate": each.number, "deck_seed": each.seed}
        return {**place, **asked, **got, "deck": each.deck.hash}

    def row(self, each: Candidate) -> dict[str, Any]:
        """Return the row of a candidate in the log; its deck plays if it is new."""
        values = self.known.get(each.deck.hash)
        if values is None:
            found = self.meter.estimates(self.meter.play(each.deck, 0, self.games))
            values = {name: one.value for name, one in zip(self.names, found, strict=True)}
            self.known[each.deck.hash] = values
        return {**self.made(each), **values, "distance": self.landscape.distance(values)}

    def point(self, row: Mapping[str, Any]) -> Point:
        """Return the point of a row of the log."""
        return tuple(row[f"asked_{knob.name}"] for knob in self.knobs)


def map_decks(
    file: str | Path,
    folder: str | Path,
    given: Mapping[str, int | None] | None = None,
    *,
    jobs: int | None = None,
    resume: bool = False,
    progress: bool = False,
) -> Mapped:
    """Search the best decks over the two axes of a file; write the search and its map into a folder.

    given: keys of DEFAULTS, and seed; a missing seed is drawn. resume: go on with a search that stopped, with the same result
    as if it had not. The result depends on the settings, not on jobs. Raises InputError, before anything is played, for
    arguments that are wrong, and at the end where no deck lies within the axes; after Ctrl-C KeyboardInterrupt, when the
    batches that are over are in the folder's log.
    """
    need("deck map", ("ribs",), "design")
    landscape, place = read_landscape(file), as_path(folder, "folder")
    numbers = settings(place, NAME, given or {}, {**DEFAULTS, "seed": draw_seed()}, resume)
    players = landscape.target.game.players
    survey = Survey(landscape, _checked(numbers, players), jobs)
    if resume and (place / MAP).exists():
        raise InputError(f"{place}: the search is over, see {MAP} in it. Give another folder for a new one.")
    middle = survey.candidate(0, 0, tuple((knob.low + knob.high) / 2 for knob in survey.knobs))
    survey.meter.play(middle.deck, 0, players)  # checks the rest, and compiles before the bar starts
    with opened(place, NAME, landscape.target.raw, numbers, resume):
        rows = _rows(survey, place) if resume and (place / LOG).exists() else []
        try:
            _batches(survey, rows, place, progress)
            decks, check = _check(survey, rows, place, progress)
        except KeyboardInterrupt:
            over = len(rows) // numbers["batch_size"]
            said = f"{over} of {numbers['batches']} batches are in {place}; go on with the same command and --resume"
            raise KeyboardInterrupt(said) from None
        found = Mapped(landscape, decks, check, pl.DataFrame(rows, survey.columns()), dict(numbers))
        _write(found, place)
    return found


def _checked(numbers: dict[str, int], players: int) -> dict[str, int]:
    whole(numbers["seed"], "seed", *LIMITS["seed"])
    whole(numbers["batches"], "batches", 1, 100_000)
    whole(numbers["batch_size"], "batch_size", 2, 10_000)
    for key in ("games", "check_games"):
        whole(numbers[key], key, LEAST_DEALS * players, 10_000_000)
    return numbers


def _rows(survey: Survey, folder: Path) -> list[dict[str, Any]]:
    """Return the rows of a log; the survey then knows their decks. Raises InputError where they can't be of this search."""
    rows = read_log(folder, survey.columns()).to_dicts()
    size = survey.numbers["batch_size"]
    if len(rows) % size or len(rows) > size * survey.numbers["batches"]:
        raise InputError(f"{folder / LOG}: {len(rows):,} rows are not whole batches. The log is damaged; begin anew.")
    for place, row in enumerate(rows):
        if (row["batch"], row["candidate"]) != divmod(place, size):
            raise InputError(f"{folder / LOG}: row {place + 1} is none of this search. The log is damaged; begin the search anew.")
        survey.known.setdefault(row["deck"], {name: row[name] for name in survey.names})
    return rows


def _batches(survey: Survey, rows: list[dict[str, Any]], folder: Path, progress: bool) -> None:
    """Play the batches that `rows` lacks and add theirs."""
    low, width = (np.array([each[end] for each in survey.knobs]) for end in (1, 2))
    width = width - low
    size, count, known = survey.numbers["batch_size"], survey.numbers["batches"], len(survey.knobs)
    axes, each = survey.landscape.axes, survey.games * survey.line_ups
    elites = Elites(max(1, known), axes, size, -(-count // DRAWN), survey.numbers["seed"])
    with bar(count * size * each, progress, NAME, len(rows) * each) as done:
        for batch in range(count):
            units = elites.ask()
            points = [tuple(map(float, low + width * unit[:known])) for unit in units]
            mine = rows[batch * size : (batch + 1) * size]
            if not mine:
                for number, point in enumerate(points):
                    mine.append(survey.row(survey.candidate(batch, number, point)))
                    done.update(each)
                rows += mine
                write_log(pl.DataFrame(rows, survey.columns()), folder)
            elif [survey.point(row) for row in mine] != points:
                raise InputError(f"{folder / LOG}: batch {batch} is not of this search. Begin it anew in another folder.")
            elites.tell(units, [*map(survey.landscape.cell, mine)], [*map(survey.landscape.distance, mine)])
            done.set_postfix_str(f"{len(elites)} of {math.prod(axis.cells for axis in axes)} cells", refresh=False)


def best_of(landscape: Landscape, rows: Sequence[Mapping[str, Any]], most: int) -> list[Mapping[str, Any]]:
    """Return the best few rows of a log for every cell, each deck once, in the order of the log; of equal ones the first."""
    decks: dict[str, Mapping[str, Any]] = {}
    for row in rows:
        decks.setdefault(row["deck"], row)
    cells: dict[Cell, list[Mapping[str, Any]]] = {}
    for row in decks.values():
        cell = landscape.cell(row)
        if cell is not None and math.isfinite(landscape.distance(row)):
            cells.setdefault(cell, []).append(row)
    chosen = [row for found in cells.values() for row in sorted(found, key=landscape.distance)[:most]]
    return sorted(chosen, key=lambda row: (row["batch"], row["candidate"]))


def _check(
    survey: Survey, rows: Sequence[Mapping[str, Any]], folder: Path, progress: bool
) -> tuple[dict[str, Deck], pl.DataFrame]:
    """Measure the best decks of all cells on fresh deals; return them by hash, and a row for each.

    A deck on the map is the best of few on these very deals, so its distance flatters it a little, the less the more games.

    Columns: those of the log that say what a candidate is (`Survey.made`), x and y (the cell, null outside of the axes),
    sure (see above), distance from the goals, and for each measure NAME, NAME low and NAME high (95 % intervals, each for
    itself; null where there is nothing to measure). Raises InputError where there is no deck to measure.
    """
    chosen = best_of(survey.landscape, rows, CHECKED)
    if not chosen:
        raise _nowhere(survey, rows)
    games, decks, found = whole_deals(survey.numbers["check_games"], survey.landscape.target.game.players), {}, []
    with bar(len(chosen) * games * survey.line_ups, progress, "check") as done:
        for row in chosen:
            each = survey.candidate(row["batch"], row["candidate"], survey.point(row))
            if each.deck.hash != row["deck"]:
                raise InputError(
                    f"{folder / LOG}: candidate {each.number} of batch {each.step} is another deck than when it was made. "
                    f"Go on with the versions in {NAME}.json, or begin the search anew."
                )
            decks[each.deck.hash] = each.deck
            tally = survey.meter.play(each.deck, survey.games, games)
            measured = dict(zip(survey.names, survey.meter.estimates(tally), strict=True))
            found.append(survey.made(each) | _fresh(survey.landscape, measured))
            done.update(games * survey.line_ups)
    return decks, pl.DataFrame(found, infer_schema_length=None).cast({"x": pl.Int64, "y": pl.Int64}).fill_nan(None)


def _fresh(landscape: Landscape, found: Mapping[str, Estimate]) -> dict[str, Any]:
    """Return what `check` tells of a deck with these measures."""
    values = {name: each.value for name, each in found.items()}
    x, y = landscape.cell(values) or (None, None)
    sure = True
    for axis, side, number in zip(landscape.axes, landscape.sides, (x, y), strict=True):
        each = found[name_of(side[0])]
        sure &= number is not None and axis.holds(number, each.low, each.high)
    row = {"x": x, "y": y, "sure": sure, "distance": landscape.distance(values)}
    for name, each in found.items():
        row |= {name: each.value, f"{name} low": each.low, f"{name} high": each.high}
    return row


def _nowhere(survey: Survey, rows: Sequence[Mapping[str, Any]]) -> InputError:
    spans = []
    for axis, side in zip(survey.landscape.axes, survey.landscape.sides, strict=True):
        values = [row[name_of(side[0])] for row in rows if not math.isnan(row[name_of(side[0])])]
        got = f"was {min(values):.3g} to {max(values):.3g}" if values else "could not be measured"
        spans.append(f"{name_of(side[0])} {got} (the axis: {axis.low:g} to {axis.high:g})")
    return InputError(f"no deck of {len(rows):,} lies on the map: {'; '.join(spans)}. Move the axes, and begin in another folder.")


def _write(found: Mapped, folder: Path) -> None:
    """Write the decks and tables of a map, last the one that says it is over."""
    with file_errors(folder):
        (folder / DECKS).mkdir(exist_ok=True)
    for row in found.frame.iter_rows(named=True):
        found.decks[row["deck"]].write_csv(folder / row["file"])
    with file_errors(folder / CHECK), replaced(folder / CHECK) as place:
        found.check.write_csv(place)
    with file_errors(folder / MAP), replaced(folder / MAP) as place:
        found.frame.write_parquet(place)
