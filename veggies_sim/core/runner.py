"""Playing many games: blocks over joblib, progress, interruption, resumption.

The rows of a game depend on seed and index alone, so blocks may have any size and be played anywhere; results are taken
in order. Tasks are sized by the time they take, and go out in waves that bound the memory of results not yet written.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
import warnings
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from veggies_sim.core.checks import as_path, flag, one_of, whole
from veggies_sim.core.dataset import Run
from veggies_sim.core.engine import Design, play_block
from veggies_sim.core.errors import InputError, RunFailed, brief
from veggies_sim.core.files import file_errors
from veggies_sim.core.game import Column, Game
from veggies_sim.core.manifest import LIMITS, Manifest
from veggies_sim.core.output import check_folder, new_manifest, opened, way_on
from veggies_sim.core.policy import Given, PolicySpec, is_own, policies_for
from veggies_sim.core.progress import bar
from veggies_sim.core.registry import check_game
from veggies_sim.core.schema import RECORDS, arrow_schema, arrow_table, columns_of
from veggies_sim.core.streams import draw_seed
from veggies_sim.core.writer import DatasetWriter

if TYPE_CHECKING:
    from tqdm import tqdm

BLOCK = 16_384  # most games that the engine advances together: with fewer, two threads wait for each other's Python
TASK_SECONDS = 0.1
TASK_GAMES = 65_536
WAVE_BYTES = 192 * 2**20  # of results that may wait for the writer
BACKENDS = {"threads": "threading", "processes": "loky"}
MODES = ("new", "resume", "replace")
Tables = dict[str, pa.Table]


@dataclass(frozen=True)
class Plan:
    """A run before it is played."""

    game: Game
    policies: Sequence[PolicySpec]
    design: Design
    record: str
    block: int = BLOCK

    def columns(self) -> dict[str, list[Column]]:
        """Return the columns of every table of the run."""
        return columns_of(self.game, [str(spec) for spec in self.policies], self.record)

    def play(self, first: int, count: int) -> tuple[int, int, Tables, float]:
        """Play some games; return (first, count, Arrow tables, seconds)."""
        start = time.perf_counter()
        columns = self.columns()
        schemas = {table: arrow_schema(each) for table, each in columns.items()}
        policies = [spec.kind.build(self.game, spec.values) for spec in self.policies]
        pieces: dict[str, list[pa.Table]] = {table: [] for table in columns}
        for at in range(first, first + count, self.block):
            size = min(self.block, first + count - at)
            for table, arrays in play_block(self.game, policies, self.design, at, size, self.record).items():
                pieces[table].append(arrow_table(columns[table], arrays, schemas[table]))
        return first, count, {table: pa.concat_tables(rows) for table, rows in pieces.items()}, time.perf_counter() - start


def simulate(
    game: Game,
    policies: Given | Sequence[Given] | None = None,
    games: int = 10_000,
    *,
    seed: int | None = None,
    policy_seed: int | None = None,
    jobs: int | None = None,
    out: str | Path | None = None,
    record: str = "seats",
    plays_per_deal: int = 1,
    rotate_seats: bool = False,
    first_game: int = 0,
    mode: str = "new",
    backend: str = "threads",
    block: int = BLOCK,
    progress: bool | tqdm[Any] = False,
    dry_run: bool = False,
    until: Mapping[str, Any] | None = None,
) -> Run:
    """Play `games` games and return the run: in memory, or as a dataset in the folder `out`.

    policies: one for all seats or one per seat, by name or as functions (docs/own_policies.md); default the game's own.
    jobs: None means all cores. seed: None draws one and records it; policy_seed defaults to the seed.
    record: "seats" or "moves".
    mode: "new", "resume" (play what `out` lacks) or "replace". backend: "threads" or "processes".
    progress: show a bar on standard error; or a bar of `progress.bar`, already shown, that several runs move on.
    dry_run: check everything, play and write nothing; the run that is returned has no rows.
    until: for `analysis.until.simulate_until`, what the manifest says of the precision for which the run goes on.
    Raises InputError for arguments that are wrong, before anything is written; RunFailed where a worker died or the disk
    is full; after Ctrl-C KeyboardInterrupt, when the finished games are on disk.
    """
    policies = check_game(game).default_policy if policies is None else policies
    specs = policies_for(policies, game)
    seed = draw_seed() if seed is None else seed
    numbers = {"seed": seed, "policy_seed": seed if policy_seed is None else policy_seed, "plays_per_deal": plays_per_deal}
    design = Design(rotate_seats=flag(rotate_seats, "rotate_seats"), **_in_limits(numbers))
    span = _in_limits({"first_game": first_game, "games": games})
    workers = os.cpu_count() or 1 if jobs is None else whole(jobs, "jobs", 1, 4096)
    backend = BACKENDS[one_of(backend, "backend", BACKENDS)]
    plan = Plan(game, specs, design, one_of(record, "record", RECORDS), whole(block, "block", 1, 2**20))
    manifest = new_manifest(game, [str(spec) for spec in specs], design, record, (span["first_game"], span["games"]))
    manifest.own_code = {spec.kind.name: spec.kind.code for spec in specs if spec.kind.code}
    manifest.until = dict(until or {})
    folder, mode = None if out is None else as_path(out, "out"), one_of(mode, "mode", MODES)
    if dry_run:
        return Run(check_folder(folder, game, manifest, mode) if folder else manifest, game)
    if folder is None:
        sink = MemorySink(manifest)
        _play_all(plan, sink, workers, backend, progress)
        return Run(manifest, game, None, sink.tables())
    return _play_into(folder, mode, plan, manifest, workers, backend, progress)


def _play_into(
    folder: Path, mode: str, plan: Plan, wanted: Manifest, workers: int, backend: str, progress: bool | tqdm[Any]
) -> Run:
    if any(is_own(str(spec)) for spec in plan.policies):  # if own code fails from the start, nothing is written
        check_folder(folder, plan.game, wanted, mode)
        plan.play(wanted.first_game, 2)
    with opened(folder, plan.game, wanted, mode) as manifest:
        schemas = {table: arrow_schema(each) for table, each in plan.columns().items()}
        with file_errors(folder):
            writer = DatasetWriter(folder, schemas, manifest)
        _play_all(plan, writer, workers, backend, progress)
    return Run(manifest, plan.game, folder)


def _in_limits(numbers: dict[str, int]) -> dict[str, int]:
    return {name: whole(value, name, *LIMITS[name]) for name, value in numbers.items()}


class MemorySink:
    """Keeps the tables of a run that has no folder; the same door as `DatasetWriter`."""

    def __init__(self, manifest: Manifest) -> None:
        self.manifest = manifest
        self._pieces: list[Tables] = []

    def add(self, first: int, count: int, tables: Tables) -> None:
        """Keep the tables of `count` games."""
        self._pieces.append(tables)
        self.manifest.games += count

    def close(self, state: str, seconds: float) -> None:
        """Note how the run ended."""
        self.manifest.state, self.manifest.seconds = state, seconds

    def tables(self) -> Tables:
        """Return all rows by table."""
        return {table: pa.concat_tables([piece[table] for piece in self._pieces]) for table in self._pieces[0]}


def _play_all(plan: Plan, sink: MemorySink | DatasetWriter, jobs: int, backend: str, progress: bool | tqdm[Any]) -> None:
    """Play what is missing and close the sink, whatever happens."""
    start, state = time.monotonic(), "failed"
    failure: Exception | None = None
    with _stop_flag() as stop:
        try:
            _play_missing(plan, sink, jobs, backend, progress, stop)
            state = "interrupted" if stop.is_set() else "complete"
        except KeyboardInterrupt:
            state = "interrupted"
        except Exception as error:
            failure = error
        stop.shielded = True
        try:
            sink.close(state, time.monotonic() - start)
        except (OSError, pa.ArrowException) as error:
            failure = failure or error
    words = way_on(sink.folder, sink.manifest) if isinstance(sink, DatasetWriter) else ""
    if isinstance(failure, InputError):
        raise failure
    if failure:
        raise RunFailed(f"the run stopped: {brief(failure).rstrip('.')}. {words}".rstrip()) from failure
    if state == "interrupted":
        raise KeyboardInterrupt(words)


def _play_missing(
    plan: Plan, sink: MemorySink | DatasetWriter, jobs: int, backend: str, progress: bool | tqdm[Any], stop: _Stop
) -> None:
    missing = sink.manifest.missing()
    if not missing:
        if progress is True:
            print("already complete, nothing to do", file=sys.stderr)
        return
    plan.play(missing[0][0], 1)  # compile in this process, before the workers and the bar start
    own = bar(sink.manifest.games_requested, progress is True, plan.game.id, sink.manifest.games)
    with own, _closed(_results(plan, missing, jobs, backend, stop)) as results:
        shown = own if isinstance(progress, bool) else progress
        for first, count, tables in results:
            stop.shielded = True
            sink.add(first, count, tables)
            stop.shielded = False
            shown.update(count)


@contextmanager
def _closed(results: Generator[tuple[int, int, Tables]]) -> Iterator[Generator[tuple[int, int, Tables]]]:
    try:
        yield results
    finally:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # joblib warns of results that nobody took: after a failure nobody wants them
            results.close()


def _results(
    plan: Plan, missing: list[tuple[int, int]], jobs: int, backend: str, stop: _Stop
) -> Generator[tuple[int, int, Tables]]:
    """Yield (first, count, tables) of all missing games in order; stops handing out tasks when `stop` is set."""
    from joblib import Parallel, delayed

    sizes = _Sizes()
    tasks = _tasks(missing, sizes, stop)
    with Parallel(n_jobs=jobs, backend=backend, return_as="generator", batch_size=1, pre_dispatch="2*n_jobs") as parallel:
        while True:
            wave = _wave(tasks, sizes)
            played = 0
            for first, count, tables, seconds in parallel(delayed(_work)(plan, os.getpid(), *task) for task in wave):
                sizes.learn(count, seconds, sum(table.nbytes for table in tables.values()))
                played += 1
                yield first, count, tables
            if not played:
                return


def _work(plan: Plan, parent: int, first: int, count: int) -> tuple[int, int, Tables, float]:
    if os.getpid() != parent:  # Ctrl-C reaches every process of the terminal; the parent decides what it means
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    return plan.play(first, count)


class _Sizes:
    """How large a task and a wave may be, learned from the tasks played so far."""

    def __init__(self) -> None:
        self.task, self.game_bytes = 8, 4096.0

    def learn(self, count: int, seconds: float, size: int) -> None:
        wanted = int(count * TASK_SECONDS / max(seconds, 1e-6))
        self.task = max(1, min(wanted, 8 * count, TASK_GAMES))
        self.game_bytes = size / count


def _tasks(missing: list[tuple[int, int]], sizes: _Sizes, stop: _Stop) -> Iterator[tuple[int, int]]:
    for start, total in missing:
        at = start
        while at < start + total and not stop.is_set():
            count = min(sizes.task, start + total - at)
            yield at, count
            at += count


def _wave(tasks: Iterator[tuple[int, int]], sizes: _Sizes) -> Iterator[tuple[int, int]]:
    waiting = 0.0
    while waiting < WAVE_BYTES:
        task = next(tasks, None)
        if task is None:
            return
        waiting += task[1] * sizes.game_bytes
        yield task


class _Stop(threading.Event):
    """Set by the first Ctrl-C or SIGTERM; a second one interrupts at once, except while `shielded`: rows are written."""

    shielded = False


@contextmanager
def _stop_flag() -> Iterator[_Stop]:
    stop = _Stop()
    before: dict[int, Any] = {}

    def ask(_number: int, _frame: object) -> None:
        if stop.is_set() and not stop.shielded:
            raise KeyboardInterrupt
        stop.set()

    if threading.current_thread() is threading.main_thread():
        before = {number: signal.signal(number, ask) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for number, old in before.items():
            signal.signal(number, old)
