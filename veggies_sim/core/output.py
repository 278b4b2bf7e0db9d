"""The folder of a dataset before and between runs: may it be written, resumed, replaced, put together?"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

from veggies_sim.core.dataset import part_fault, rebuild_game
from veggies_sim.core.engine import Design
from veggies_sim.core.errors import InputError
from veggies_sim.core.game import Game
from veggies_sim.core.manifest import FILE, IDENTITY, Manifest, Part, load
from veggies_sim.core.schema import TABLES
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


def prepare_folder(folder: Path, game: Game, manifest: Manifest, mode: str) -> Manifest:
    """Make the folder ready for a run and return the manifest to go on with. Raises InputError before any change."""
    _check_place(folder)
    held = load(folder) if (folder / FILE).is_file() else None
    others = sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []
    if mode == "resume":
        if held is None:
            raise InputError(f"{folder}: there is no dataset to go on with. Leave --resume out to start one.")
        return _resume(folder, held, manifest)
    if held is None and others:
        raise InputError(f"{folder} holds other files ({others[0]}, ...) and no dataset. Give a new or an empty folder.")
    if held is not None and mode == "new":
        raise InputError(
            f"{folder} already holds a dataset of {held.games:,} games ({held.state}). Go on with --resume, write it anew "
            f"with --replace, or give another folder."
        )
    if held is not None:
        _remove_dataset(folder, game)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder}: can't be made ({error.strerror}). Give a folder that you may write.") from None
    _write_setup(folder, game)
    return manifest


def _check_place(folder: Path) -> None:
    for path in (folder, *folder.parents):
        if path.exists():
            if not path.is_dir():
                raise InputError(f"{folder} can't be a folder: {path} is a file. Give another place.")
            return


def _write_setup(folder: Path, game: Game) -> None:
    text = game.setup_text()
    if text is not None and game.setup_file:
        (folder / game.setup_file).write_text(text, encoding="utf-8", newline="\n")


def _remove_dataset(folder: Path, game: Game) -> None:
    """Remove what a dataset is made of; files of other people stay."""
    (folder / FILE).unlink()
    for name in (*TABLES, TEMPORARY):
        shutil.rmtree(folder / name, ignore_errors=True)
    if game.setup_file:
        (folder / game.setup_file).unlink(missing_ok=True)


def _resume(folder: Path, held: Manifest, wanted: Manifest) -> Manifest:
    words = wanted.differences(held, (*IDENTITY, "first_game"))
    if words:
        raise InputError(
            f"can't go on with {folder}, it is another run: {'; '.join(words)}. Give the same values, or another folder."
        )
    if wanted.games_requested < held.games_requested:
        raise InputError(
            f"{folder} is a run of {held.games_requested:,} games, found games={wanted.games_requested:,}. Give as many or more."
        )
    rebuild_game(held, folder)
    held.parts = [part for part in held.parts if not any(part_fault(part.file(folder, t), n) for t, n in part.rows.items())]
    return replace(held, games_requested=wanted.games_requested, state="running")


def merge(folders: Sequence[Path], out: Path) -> Manifest:
    """Put datasets of one run together in a new folder. Raises InputError where they are not, or where games overlap."""
    from veggies_sim.core.dataset import open_dataset

    runs = [open_dataset(folder) for folder in folders]
    first = runs[0].manifest
    for folder, run in zip(folders[1:], runs[1:], strict=True):
        words = first.differences(run.manifest)
        if words:
            raise InputError(f"{folders[0]} and {folder} are not of one run: {'; '.join(words)}.")
    parts = sorted(((part, folder) for run, folder in zip(runs, folders, strict=True) for part in run.manifest.parts),
                   key=lambda item: item[0].first)  # fmt: skip
    for (a, where_a), (b, where_b) in pairwise(parts):
        if a.first + a.games > b.first:
            raise InputError(f"{where_a} and {where_b} both hold game {b.first}. Leave one of them out.")
    begin = min(run.manifest.first_game for run in runs)
    end = max(run.manifest.first_game + run.manifest.games_requested for run in runs)
    merged = replace(first, first_game=begin, games_requested=end - begin, parts=[], seconds=sum(r.manifest.seconds for r in runs))
    prepare_folder(out, runs[0].game, merged, "new")
    for number, (part, folder) in enumerate(parts):
        moved = Part(number, part.first, part.games, part.rows)
        for table in part.rows:
            (out / table).mkdir(exist_ok=True)
            shutil.copyfile(part.file(folder, table), moved.file(out, table))
        merged.parts.append(moved)
    merged.state = "interrupted" if merged.missing() else "complete"
    merged.save(out)
    return merged
