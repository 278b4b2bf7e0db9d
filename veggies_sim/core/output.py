"""The folder of a dataset before and between runs: may it be written, resumed, replaced, put together?"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

from veggies_sim.core.checks import as_path
from veggies_sim.core.dataset import open_dataset, rebuild_game
from veggies_sim.core.engine import Design
from veggies_sim.core.errors import InputError
from veggies_sim.core.files import LOCK, file_errors, locked, resume_command
from veggies_sim.core.game import Game
from veggies_sim.core.manifest import FILE, IDENTITY, REPORT, Manifest, Part, is_report, refuse_inside, spans
from veggies_sim.core.manifest_reader import load
from veggies_sim.core.part_check import part_fault
from veggies_sim.core.schema import TABLES, columns_of
from veggies_sim.core.writer import TEMPORARY


def new_manifest(
    game: Game, policies: Sequence[str], design: Design, record: str, games: tuple[int, int]
) -> Manifest:
    """Return the manifest of a run that has not begun; games = (first, count)."""
    return Manifest(
        game=game.id,
        behaviour=game.behaviour,
        players=game.players,
        games=0,
        games_requested=games[1],
        first_game=games[0],
        seed=design.seed,
        policy_seed=design.policy_seed,
        plays_per_deal=design.plays_per_deal,
        rotate_seats=design.rotate_seats,
        record=record,
        rules=dict(game.rules),
        policies=list(policies),
        setup_hash=game.setup_hash,
    )


def check_folder(folder: Path, game: Game, manifest: Manifest, mode: str) -> Manifest:
    """Return the manifest that a run in this folder goes on with; nothing is changed. Raises InputError."""
    with file_errors(folder):
        _check_place(folder)
        held = load(folder) if (folder / FILE).is_file() else None
        others = sorted(path.name for path in folder.iterdir() if path.name != LOCK) if folder.is_dir() else []
    if mode == "resume":
        if held is None:
            raise InputError(f"{folder}: there is no dataset to go on with. Leave --resume out to start one.")
        return _resume(folder, game, held, manifest)
    if held is None and others:
        raise InputError(f"{folder} holds other files ({others[0]}, ...) and no dataset. Give a new or an empty folder.")
    if held is not None and mode == "new":
        raise InputError(
            f"{folder} already holds a dataset of {held.games:,} games ({held.state}). Go on with --resume, write it anew "
            f"with --replace, or give another folder."
        )
    return manifest


@contextmanager
def opened(folder: Path, game: Game, manifest: Manifest, mode: str) -> Iterator[Manifest]:
    """Make the folder a dataset, lock it for the time inside, and give the manifest to go on with.

    Raises InputError as `check_folder` before any change, and where another process is writing there.
    """
    check_folder(folder, game, manifest, mode)
    with ExitStack() as stack:
        with file_errors(folder):
            folder.mkdir(parents=True, exist_ok=True)
            stack.enter_context(locked(folder))
            goes_on = check_folder(folder, game, manifest, mode)  # another run may have come in between
            if mode != "resume":
                _remove_dataset(folder, game)
                with _whole_or_gone(folder, game):
                    _write_setup(folder, game)
                    goes_on.save(folder)
        yield goes_on


def way_on(folder: Path, manifest: Manifest) -> str:
    """Return how much of a run that stopped is on disk, and the command that goes on with it."""
    held = f"{manifest.games:,} of {manifest.games_requested:,} games are in {folder}"
    return f"{held}, missing {spans(manifest.missing())}. Go on with: {resume_command(folder)}"


def _check_place(folder: Path) -> None:
    for path in (folder, *folder.parents):
        if os.path.lexists(path):
            if not path.is_dir():
                what = "a file" if path.exists() else "a broken link"
                raise InputError(f"{folder} can't be a folder: {path} is {what}. Give another place.")
            break
    refuse_inside(folder)


@contextmanager
def _whole_or_gone(folder: Path, game: Game) -> Iterator[None]:
    try:
        yield
    except BaseException:
        _remove_dataset(folder, game)
        raise


def _write_setup(folder: Path, game: Game) -> None:
    text = game.setup_text()
    if text is not None and game.setup_file:
        (folder / game.setup_file).write_text(text, encoding="utf-8", newline="\n")


def _remove_dataset(folder: Path, game: Game) -> None:
    """Remove what a dataset is made of; files of other people stay."""
    (folder / FILE).unlink(missing_ok=True)
    if is_report(folder / REPORT):
        (folder / REPORT).unlink()
    for name in (*TABLES, TEMPORARY):
        shutil.rmtree(folder / name, ignore_errors=True)
    if game.setup_file:
        (folder / game.setup_file).unlink(missing_ok=True)


def _resume(folder: Path, game: Game, held: Manifest, wanted: Manifest) -> Manifest:
    rebuild_game(held, folder)
    words = wanted.differences(held, (*IDENTITY, "first_game"))
    if words:
        raise InputError(
            f"can't go on with {folder}, it is another run: {'; '.join(words)}. Give the same values, or another folder."
        )
    if wanted.games_requested < held.games_requested:
        raise InputError(
            f"{folder} is a run of {held.games_requested:,} games, found games={wanted.games_requested:,}. Give as many or more."
        )
    columns = columns_of(game, held.policies, held.record)
    held.parts = [part for part in held.parts if part_fault(folder, part, held, columns) is None]
    looks = held.looks if held.until == wanted.until else []
    return replace(held, games_requested=wanted.games_requested, state="running", until=wanted.until, looks=looks)


def merge(folders: Sequence[str | Path], out: str | Path) -> Manifest:
    """Put datasets of one run together in a new folder. Raises InputError where they are not, or where games overlap."""
    paths = [as_path(folder, "folder") for folder in folders]
    runs = [open_dataset(path) for path in paths]
    if not runs:
        raise InputError("merge: found no folders; give at least one dataset.")
    held = [run.manifest for run in runs]
    for path, manifest in zip(paths[1:], held[1:], strict=True):
        words = held[0].differences(manifest)
        if words:
            raise InputError(f"{paths[0]} and {path} are not of one run: {'; '.join(words)}.")
    parts = [(part, path) for path, manifest in zip(paths, held, strict=True) for part in manifest.parts]
    parts.sort(key=lambda item: item[0].first)
    for (a, where_a), (b, where_b) in pairwise(parts):
        if a.first + a.games > b.first:
            raise InputError(f"{where_a} and {where_b} both hold game {b.first}. Leave one of them out.")
    begin = min(manifest.first_game for manifest in held)
    end = max(manifest.first_game + manifest.games_requested for manifest in held)
    seconds = sum(manifest.seconds for manifest in held)
    merged = replace(
        held[0], first_game=begin, games_requested=end - begin, parts=[], seconds=seconds, state="running", until={}, looks=[]
    )
    _copy_parts(parts, as_path(out, "out"), runs[0].game, merged)
    return merged


def _copy_parts(parts: Sequence[tuple[Part, Path]], target: Path, game: Game, merged: Manifest) -> None:
    with opened(target, game, merged, "new"), _whole_or_gone(target, game), file_errors(target):
        for number, (part, source) in enumerate(parts):
            moved = Part(number, part.first, part.games, part.rows, part.crc)
            for table in part.rows:
                (target / table).mkdir(exist_ok=True)
                shutil.copyfile(part.file(source, table), moved.file(target, table))
            merged.parts.append(moved)
        merged.state = "interrupted" if merged.missing() else "complete"
        merged.save(target)
