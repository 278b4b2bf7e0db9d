"""A sweep: every combination of decks, policies, players and rules on the same seeds, a dataset each, one tidy table.

In its folder: `sweep.json` (what is played), `arms/NNN-words/` (a dataset each), and at the end `sweep.parquet` and
`sweep.csv` with the same rows. The same sweep into the same folder goes on where it stopped.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

from veggies_sim.analysis.estimates import estimates
from veggies_sim.analysis.metrics import BALANCED, find_metric, metrics_of
from veggies_sim.analysis.sweep_file import Plan, Settings, read_plan
from veggies_sim.core.checks import as_path, whole
from veggies_sim.core.dataset import Run
from veggies_sim.core.errors import InputError, RunFailed, show
from veggies_sim.core.files import LOCK, file_errors, locked, replaced
from veggies_sim.core.game import Game
from veggies_sim.core.manifest import FILE as DATASET
from veggies_sim.core.manifest import refuse_inside, versions
from veggies_sim.core.progress import bar
from veggies_sim.core.streams import draw_seed

FILE, ARMS, TABLE = "sweep.json", "arms", "sweep"
SCHEMA = 1  # raised when the layout of the folder changes
MOST_DRAWN = 2  # things that vary in one picture
ALL, SEAT, POLICY = "all", "seat", "policy"  # what a row is about


@dataclass(frozen=True)
class Sweep:
    """What a sweep found."""

    frame: pl.DataFrame  # see `table`; empty after a dry run
    runs: list[Run]  # the arms' datasets in order; after a dry run they hold what was finished before
    plan: Plan
    folder: Path

    @property
    def varying(self) -> list[str]:
        """What has more than one value: of deck, policies and players, and the keys of rules."""
        return self.plan.varying

    @property
    def missing(self) -> int:
        """The number of games that are still to be played."""
        return sum(_missing(run) for run in self.runs)


def sweep(
    settings: Settings,
    out: str | Path,
    *,
    jobs: int | None = None,
    backend: str = "threads",
    progress: bool = False,
    dry_run: bool = False,
) -> Sweep:
    """Play what is missing of a sweep into the folder `out` and return the table of all arms.

    settings: a TOML file (`veggies-sim sweep --help` shows one), or the same as a dict, where a deck is a set-up object
    such as `vs.Deck.read_csv(path)`. jobs, backend, progress: as in `simulate`. dry_run: check everything, play and write
    nothing. In a folder with the same sweep finished arms are not played again; `games` may have grown.

    Raises InputError before anything is played, for all arms that can't be played in one message and for a folder that
    holds another sweep; RunFailed and KeyboardInterrupt as `simulate`, with the finished games on disk.
    """
    folder, plan = as_path(out, "out"), read_plan(settings)
    plan = _agreed(plan, folder)
    how = {"jobs": jobs, "backend": backend}
    checked = [_play(plan, number, folder, how, dry_run=True) for number in range(len(plan.arms))]
    if dry_run:
        return Sweep(pl.DataFrame(), checked, plan, folder)
    with _writing(folder, plan):
        runs = _play_all(plan, folder, how, checked, progress)
        frame = table(plan, runs)
        _put(folder / f"{TABLE}.parquet", frame.write_parquet)
        _put(folder / f"{TABLE}.csv", frame.write_csv)
    return Sweep(frame, runs, plan, folder)


def table(plan: Plan, runs: list[Run]) -> pl.DataFrame:
    """Return a row for each arm, metric and what it is of.

    Columns: arm (its folder); deck, policies, players and the rules that vary or differ by default; games; metric, unit; by
    (all, seat, or policy where an arm has several) and which one; value, low, high and error as of `estimates.estimates`:
    each interval for itself, so of 20 about one leaves its true value out.
    """
    return pl.concat([_rows(plan, number, run) for number, run in enumerate(runs)], how="vertical_relaxed")


def _rows(plan: Plan, number: int, run: Run) -> pl.DataFrame:
    """Return the rows of one arm. Differences from another arm would be more rows of the same form."""
    arm = plan.arms[number]
    metrics = [*metrics_of(run.game).values()]
    per_seat = [metric for metric in metrics if metric.per_seat]
    found = [estimates(run, [metric for metric in metrics if metric.key not in BALANCED])]
    found = [found[0].with_columns(pl.lit(ALL).alias("by"), pl.lit("").alias("which"))]
    for by in [SEAT] + [POLICY] * (len({*run.manifest.policies}) > 1):
        each = estimates(run, per_seat, [by])
        found.append(each.with_columns(pl.lit(by).alias("by"), pl.col(by).cast(pl.String).alias("which")).drop(by))
    made = {"arm": plan.folder(arm)} | plan.values(arm) | {"games": run.manifest.games}
    order = [*made, "metric", "unit", "by", "which", "value", "low", "high", "error"]
    return pl.concat(found, how="diagonal").with_columns(pl.lit(value).alias(key) for key, value in made.items()).select(order)


def drawable(plan: Plan, metric: str, seat: int | None = None) -> pl.Expr:
    """Return the rows of a sweep's table that a picture of one metric shows: one of each arm.

    seat: the metric of that seat; None: of all together. Raises InputError where not every arm has such a row, and where
    more varies than a picture shows.
    """
    if len(plan.varying) > MOST_DRAWN:
        raise InputError(
            f"a picture shows up to {MOST_DRAWN} things that vary, found {', '.join(plan.varying)}. Draw a sweep of fewer values, "
            f"or leave the picture out: the table has all of them."
        )
    found = find_metric(metrics_of(plan.arms[0].game), metric)
    if seat is None and metric in BALANCED:
        raise InputError(f"{metric}: of all seats together it is what the number of sides says. Choose a seat.")
    if seat is None:
        return (pl.col("metric") == metric) & (pl.col("by") == ALL)
    if not found.per_seat:
        raise InputError(f"{metric} is of a whole game, not of a seat. Leave the seat out.")
    whole(seat, "seat", 0, min(arm.game.players for arm in plan.arms) - 1)
    return (pl.col("metric") == metric) & (pl.col("by") == SEAT) & (pl.col("which") == str(seat))


def _play_all(plan: Plan, folder: Path, how: dict[str, Any], checked: list[Run], progress: bool) -> list[Run]:
    """Play what is missing of each arm in turn, with one bar over all."""
    runs: list[Run] = []
    total, left = plan.how["games"] * len(plan.arms), sum(map(_missing, checked))
    with bar(total, progress, f"{len(plan.arms)} arms", total - left) as shown:
        try:
            for number in range(len(plan.arms)):
                runs.append(_play(plan, number, folder, how, progress=shown))
        except KeyboardInterrupt:
            raise KeyboardInterrupt(_way_on(plan, folder, len(runs))) from None
        except RunFailed as error:
            raise RunFailed(f"{error} {_way_on(plan, folder, len(runs))}") from error
    return runs


def _play(plan: Plan, number: int, folder: Path, how: dict[str, Any], **more: Any) -> Run:
    from veggies_sim.core.runner import simulate

    arm = plan.arms[number]
    out = folder / ARMS / plan.folder(arm)
    mode = "resume" if (out / DATASET).is_file() else "new"
    if mode == "new" and out.is_dir() and any(out.iterdir()):
        raise InputError(f"{out}: this arm has lost its {DATASET}. Restore it, or delete the arm's folder and play it again.")
    return simulate(arm.game, list(arm.seats), out=out, mode=mode, **plan.how, **how, **more)


def _missing(run: Run) -> int:
    return sum(count for _, count in run.manifest.missing())


def _way_on(plan: Plan, folder: Path, finished: int) -> str:
    """Return how much of a sweep that stopped is on disk, and what goes on with it."""
    again = f"veggies-sim sweep {shlex.quote(str(plan.file))} --out {shlex.quote(str(folder))}"
    same = f"Go on with: {again}" if plan.file else "The same sweep with the same folder goes on."
    return f"{finished} of {len(plan.arms)} arms are finished in {folder}. {same}"


@contextmanager
def _writing(folder: Path, plan: Plan) -> Iterator[None]:
    """Make and lock the folder of a sweep for the time inside, and say in it what is played."""
    with file_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
    with locked(folder):
        _agreed(plan, folder)  # another sweep may have come in between
        text = json.dumps(_facts(plan), indent=1, ensure_ascii=False) + "\n"
        _put(folder / FILE, lambda file: file.write_text(text, encoding="utf-8", newline="\n"))
        yield


def _put(path: Path, write: Any) -> None:
    """Write a file, whole or not at all."""
    with file_errors(path), replaced(path) as temporary:
        write(temporary)


def _facts(plan: Plan) -> dict[str, Any]:
    """Return what `sweep.json` says: what two sweeps must share to be one, and for people who played it with what."""
    shipped = any(plan.kind.is_shipped(setup) for setup in plan.decks.values())
    return {
        "schema": SCHEMA,
        "game": plan.kind.id,
        **plan.how,
        "arms": {plan.folder(arm): _arm_facts(arm.game, arm.seats, arm.deck) for arm in plan.arms},
        "note": plan.kind.setup_note if shipped else "",
        "versions": versions(),
    }


def _arm_facts(game: Game, seats: tuple[str, ...], deck: str) -> dict[str, Any]:
    facts = {"deck": deck, "setup_hash": game.setup_hash, "policies": " / ".join(seats), "players": game.players}
    return facts | {"rules": ", ".join(f"{key}={value}" for key, value in game.rules.items())}


def _agreed(plan: Plan, folder: Path) -> Plan:
    """Return the plan with its seeds, those of the folder where it holds this sweep. Raises InputError for any other."""
    held = _held(folder)
    if held is None:
        refuse_inside(folder / FILE)
        with file_errors(folder):
            others = [path.name for path in folder.iterdir() if path.name != LOCK] if folder.exists() else []
        if others:
            raise InputError(f"{folder} holds other files ({others[0]}, ...) and no sweep. Give a new or an empty folder.")
        held = {}
    how = dict(plan.how)
    how["seed"] = next(seed for seed in (how["seed"], held.get("seed"), draw_seed()) if seed is not None)
    how["policy_seed"] = how["seed"] if how["policy_seed"] is None else how["policy_seed"]
    plan = replace(plan, how=how)
    words = _changes(_facts(plan), held) if held else []
    if words:
        raise InputError(
            f"{folder} holds another sweep: {'; '.join(words[:5])}{'; ...' if len(words) > 5 else ''}. Undo what was changed, or "
            f"give another folder (only `games` may grow)."
        )
    return plan


def _held(folder: Path) -> dict[str, Any] | None:
    """Return what `sweep.json` says; None where there is none. Raises InputError for a damaged one."""
    file = folder / FILE
    with file_errors(file, "read", "Give a folder that you may read."):
        if not file.is_file():
            return None
        raw = file.read_bytes()
    try:
        held = json.loads(raw.decode())
    except (ValueError, RecursionError):
        held = None
    arms = held.get("arms") if isinstance(held, dict) else None
    right = isinstance(arms, dict) and all(isinstance(arm, dict) for arm in arms.values())
    right = right and all(isinstance(value, str | int) for arm in arms.values() for value in arm.values())  # type: ignore[union-attr]
    if not isinstance(held, dict) or not right or held.get("schema") != SCHEMA:
        raise InputError(f"{file} is damaged, or of another version of this package. Restore it, or give another folder.")
    return held


def _changes(wanted: dict[str, Any], held: dict[str, Any]) -> list[str]:
    """Return in words what makes two sweeps different ones; empty where nothing does."""
    keys = [key for key in wanted if key not in ("arms", "games", "note", "versions")]
    words = [f"{key}: {show(held.get(key))} there, {show(wanted[key])} here" for key in keys if held.get(key) != wanted[key]]
    games = held.get("games")
    if not isinstance(games, int) or games > wanted["games"]:
        words.append(f"games: {show(games)} there, {show(wanted['games'])} here")
    if wanted["arms"] == held["arms"]:
        return words
    here, there = (list(facts["arms"].values()) for facts in (wanted, held))
    changed = {arm["deck"]: arm["setup_hash"] for arm in here}
    for arm in there:
        if changed.get(arm.get("deck"), arm.get("setup_hash")) != arm.get("setup_hash"):
            changed[arm["deck"]] = None
    words += [f"the deck {deck} has changed" for deck, code in changed.items() if code is None]
    for key in ("deck", "policies", "players", "rules"):
        ours, theirs = ([*dict.fromkeys(str(arm.get(key)) for arm in arms)] for arms in (here, there))
        only = [f"{', '.join(a for a in one if a not in other)} is only {where}" for one, other, where in
                ((ours, theirs, "here"), (theirs, ours, "there")) if {*one} - {*other}]  # fmt: skip
        words += [f"{key}: {', '.join(only)}"] if only else []
    return words or ["its arms are others, or in another order"]
