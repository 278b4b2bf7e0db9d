"""`deck map`: decks over two numbers that they are measured by, the best one found for each cell of that plane.

Points (`candidates`) are asked of MAP-Elites (`design.elites`). All candidates play the same deals; equal decks play once.

Few games place a deck badly, and of many decks a lucky one stays for ever. So the map that is told is not the one of the
search: the best few decks of every cell are measured again on fresh deals, all on the same ones, and each goes to the cell
that this measure says. A cell is sure where the intervals of its deck lie inside it on both axes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from veggies_sim.analysis.line_ups import How
from veggies_sim.core.checks import as_path
from veggies_sim.core.errors import InputError
from veggies_sim.core.extras import need
from veggies_sim.core.files import file_errors, replaced
from veggies_sim.core.progress import bar
from veggies_sim.design.elites import Cell, Elites
from veggies_sim.design.log import Log, Row, opened, settings
from veggies_sim.games.veggies.deck import Deck
from veggies_sim.games.veggies.design.candidates import Candidate, Maker, numbers_of
from veggies_sim.games.veggies.design.map_file import Landscape, read_landscape
from veggies_sim.games.veggies.design.measures import Estimate, Meter

NAME = "map"  # of the files in the folder: map.toml, map.json
MAP, CHECK, DECKS = "map.parquet", "check.csv", "decks"
DEFAULTS = {"batches": 20, "batch_size": 20, "games": 200, "check_games": 2000}
RANGES = {"batches": (1, 100_000), "batch_size": (2, 10_000)}
DRAWN = 4  # one of so many batches is random, the first ones
CHECKED = 2  # decks of each cell that are measured again


@dataclass(frozen=True)
class Mapped:
    """What a search found."""

    landscape: Landscape
    decks: Mapping[str, Deck]  # measured on fresh deals, by hash
    check: pl.DataFrame  # a row for each of them, see `_check`
    log: pl.DataFrame  # a row for each candidate, see `Survey`
    settings: dict[str, int]  # keys of DEFAULTS, and the seed; the games that were played

    @property
    def cells(self) -> int:
        """How many cells the map has, filled or not."""
        return math.prod(axis.cells for axis in self.landscape.axes)

    @property
    def frame(self) -> pl.DataFrame:
        """A row for each filled cell: the file of its deck, and the row of the deck in `check`."""
        best = self.check.filter(pl.col("x").is_not_null() & pl.col("distance").is_finite())
        best = best.sort("distance", maintain_order=True).unique(["x", "y"], keep="first", maintain_order=True)
        best = best.sort(-pl.col("y"), "x")  # as the picture is read
        file = pl.format(f"{DECKS}/{{}}_{{}}.csv", "x", "y").alias("file")
        return best.select(file, pl.all())


class Survey:
    """What is searched, how, and what was measured so far.

    The log tells of each candidate what it is (`Maker.columns`), the values that its games gave, and the distance from the goals.
    """

    def __init__(self, landscape: Landscape, numbers: Mapping[str, int], folder: Path, jobs: int | None = None) -> None:
        seed, target = numbers["seed"], landscape.target
        self.landscape, self.numbers, self.names = landscape, numbers, landscape.measures()
        self.maker = Maker(target.spec, seed, "batch", numbers["batch_size"])
        self.meter = Meter(target.game, [*self.names.values()], How(seed, seed, jobs, "threads"))
        columns = pl.Schema({**self.maker.columns(), **dict.fromkeys((*self.names, "distance"), pl.Float64())})
        self.log = Log(folder, columns, "batches", numbers["batches"], self.maker.size, self._holds)
        self._known: dict[str, dict[str, float]] = {}  # values by the hash of a deck

    def _holds(self, row: Mapping[str, Any]) -> bool:
        return self.maker.holds(row) and not math.isnan(row["distance"])

    def know(self) -> None:
        """Take the values of decks from the log: they need not play again."""
        self._known = {row["deck"]: {name: row[name] for name in self.names} for row in self.log.rows}

    def row(self, each: Candidate) -> dict[str, Any]:
        """Return the row of a candidate in the log; its deck plays if it is new."""
        values = self._known.get(each.deck.hash)
        if values is None:
            found = self.meter.estimates(self.meter.play(each.deck, 0, self.numbers["games"]))
            values = {name: one.value for name, one in zip(self.names, found, strict=True)}
            self._known[each.deck.hash] = values
        return {**self.maker.row(each), **values, "distance": self.landscape.distance(values)}


def map_decks(
    file: str | Path,
    folder: str | Path,
    given: Mapping[str, int | None] | None = None,
    *,
    jobs: int | None = None,
    resume: bool = False,
    progress: bool = False,
    draw: Callable[[Mapped], None] | None = None,
) -> Mapped:
    """Search the best decks over the two axes of a file; write the search and its map into a folder.

    given: keys of DEFAULTS, and seed; a missing seed is drawn, games are rounded up to whole deals. resume: go on with a search
    that stopped, with the same result as if it had not. The result depends on the settings, not on jobs. draw: makes pictures,
    before the folder says that the search is over. Raises InputError, before anything is played, for arguments that are wrong,
    and at the end where no deck lies within the axes; after Ctrl-C KeyboardInterrupt, when the batches that are over are in the
    folder's log.
    """
    need("deck map", ("ribs",), "design")
    landscape, place = read_landscape(file), as_path(folder, "folder")
    players = landscape.target.game.players
    numbers = settings(place, NAME, given or {}, numbers_of(DEFAULTS, RANGES, players), MAP, resume)
    survey = Survey(landscape, numbers, place, jobs)
    survey.meter.play(survey.maker.middle().deck, 0, players)  # checks the rest, and compiles before the bar starts
    with opened(survey.log, NAME, landscape.target.raw, numbers, resume):
        _batches(survey, progress)
        decks, check = _check(survey, progress)
        found = Mapped(landscape, decks, check, survey.log.frame, numbers)
        _write(found, place, draw)
    return found


def _batches(survey: Survey, progress: bool) -> None:
    """Play the batches that the log lacks and add theirs."""
    survey.know()
    maker, log, landscape, known = survey.maker, survey.log, survey.landscape, len(survey.maker.knobs)
    axes, each = landscape.axes, survey.numbers["games"] * survey.meter.plays
    elites = Elites(max(1, known), axes, log.size, -(-log.steps // DRAWN), survey.numbers["seed"])
    with bar(log.steps * log.size * each, progress, NAME, len(log.rows) * each) as done:
        for batch in range(log.steps):
            units = elites.ask()
            points = [maker.point_at(unit[:known]) for unit in units]
            if not log.step(batch):
                rows = []
                for number, point in enumerate(points):
                    rows.append(survey.row(maker.candidate(batch, number, point)))
                    done.update(each)
                log.add(rows)
            elif [*map(maker.point, log.step(batch))] != points:
                raise log.refuse(batch)
            mine = log.step(batch)
            elites.tell(units, [*map(landscape.cell, mine)], [*map(landscape.distance, mine)])
            done.set_postfix_str(f"{len(elites)} of {math.prod(axis.cells for axis in axes)} cells", refresh=False)


def best_of(landscape: Landscape, rows: Sequence[Row], most: int) -> list[Row]:
    """Return the best few rows of a log for every cell, each deck once, in the order of the log; of equal ones the first."""
    decks: dict[str, Row] = {}
    for row in rows:
        decks.setdefault(row["deck"], row)
    cells: dict[Cell, list[Row]] = {}
    for row in decks.values():
        cell = landscape.cell(row)
        if cell is not None and math.isfinite(landscape.distance(row)):
            cells.setdefault(cell, []).append(row)
    chosen = [row for found in cells.values() for row in sorted(found, key=landscape.distance)[:most]]
    return sorted(chosen, key=lambda row: (row["batch"], row["candidate"]))


def _check(survey: Survey, progress: bool) -> tuple[dict[str, Deck], pl.DataFrame]:
    """Measure the best decks of all cells on fresh deals; return them by hash, and a row for each.

    A deck on the map is the best of few on these very deals, so its distance flatters it a little, the less the more games.

    Columns: those of the log that say what a candidate is (`Maker.columns`), x and y (the cell, null outside of the axes),
    sure (see above), distance from the goals, and for each measure NAME, NAME low and NAME high (95 % intervals, each for
    itself; null where there is nothing to measure). Raises InputError where there is no deck to measure.
    """
    chosen = best_of(survey.landscape, survey.log.rows, CHECKED)
    if not chosen:
        raise _nowhere(survey)
    start, games = survey.numbers["games"], survey.numbers["check_games"]  # deals of the search come before
    decks, found = {}, []
    with bar(len(chosen) * games * survey.meter.plays, progress, "check") as done:
        for row in chosen:
            each = survey.maker.again(row)
            decks[each.deck.hash] = each.deck
            tally = survey.meter.play(each.deck, start, games)
            measured = dict(zip(survey.names, survey.meter.estimates(tally), strict=True))
            found.append(survey.maker.row(each) | _fresh(survey.landscape, measured))
            done.update(games * survey.meter.plays)
    return decks, pl.DataFrame(found, infer_schema_length=None).cast({"x": pl.Int64, "y": pl.Int64}).fill_nan(None)


def _fresh(landscape: Landscape, found: Mapping[str, Estimate]) -> dict[str, Any]:
    """Return what `check` tells of a deck with these measures."""
    values = {name: each.value for name, each in found.items()}
    x, y = landscape.cell(values) or (None, None)
    sure = True
    for axis, side, number in zip(landscape.axes, landscape.sides, (x, y), strict=True):
        each = found[side[0].name]
        sure &= number is not None and axis.holds(number, each.low, each.high)
    row = {"x": x, "y": y, "sure": sure, "distance": landscape.distance(values)}
    for name, each in found.items():
        row |= {name: each.value, f"{name} low": each.low, f"{name} high": each.high}
    return row


def _nowhere(survey: Survey) -> InputError:
    spans, rows = [], survey.log.rows
    for axis, side in zip(survey.landscape.axes, survey.landscape.sides, strict=True):
        values = [row[side[0].name] for row in rows if not math.isnan(row[side[0].name])]
        got = f"was {min(values):.3g} to {max(values):.3g}" if values else "could not be measured"
        spans.append(f"{side[0].name} {got} (the axis: {axis.low:g} to {axis.high:g})")
    return InputError(f"no deck of {len(rows):,} lies on the map: {'; '.join(spans)}. Move the axes, and begin in another folder.")


def _write(found: Mapped, folder: Path, draw: Callable[[Mapped], None] | None) -> None:
    """Write the decks, tables and pictures of a map, last the file that says it is over."""
    with file_errors(folder):
        (folder / DECKS).mkdir(exist_ok=True)
    for row in found.frame.iter_rows(named=True):
        found.decks[row["deck"]].write_csv(folder / row["file"])
    with file_errors(folder / CHECK), replaced(folder / CHECK) as place:
        found.check.write_csv(place)
    if draw:
        draw(found)
    with file_errors(folder / MAP), replaced(folder / MAP) as place:
        found.frame.write_parquet(place)
