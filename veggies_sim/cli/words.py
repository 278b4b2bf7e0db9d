"""What several commands say: values as words, and under which conditions games are played."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from veggies_sim.core.checks import as_path, read_whole
from veggies_sim.core.errors import InputError

if TYPE_CHECKING:
    from veggies_sim.core.game import Game


T = TypeVar("T")


def _argument(read: Callable[[str, str], T], word: str) -> T:
    """Return what a word of the command line stands for, with a fault as argparse wants it."""
    try:
        return read(word, "")
    except InputError as error:
        raise argparse.ArgumentTypeError(str(error).removeprefix(": ").rstrip(".")) from None


def number(word: str) -> int:
    """Read a whole number of the command line."""
    return _argument(read_whole, word)


def path(word: str) -> Path:
    """Read a path of the command line."""
    return _argument(as_path, word)


def words(value: object) -> str:
    """Return a value as people write it: lists and dictionaries without brackets and quotes."""
    if isinstance(value, dict):
        return ", ".join(f"{key} {words(item)}" for key, item in value.items()) or "none"
    if isinstance(value, list | tuple):
        return ", ".join("/".join(map(str, item)) if isinstance(item, tuple) else str(item) for item in value) or "none"
    return str(value)


def game_facts(game: Game) -> dict[str, Any]:
    """Return the conditions under which games are played, as JSON has them."""
    return {"game": game.id, "players": game.players, "rules": dict(game.rules), "setup_hash": game.setup_hash}


def report_head(game: Game) -> list[str]:
    """Return the lines above a report that is kept: the conditions, and what must be said with its results."""
    return [game.conditions(), *_setup_notes(type(game), game.setup)]


def picture_title(game: Game, played: str) -> str:
    """Return the lines above a picture that is kept."""
    return "\n".join([", ".join([game.title, f"{game.players} players", *game.changed_rules()]), played,
                      *_setup_notes(type(game), game.setup)])  # fmt: skip


def say_conditions(game: Game) -> None:
    """Say on standard error under which conditions games were played, and what must be said with their results."""
    print(game.conditions(), file=sys.stderr)
    warn_of_setup(type(game), game.setup)


def warn_of_setup(kind: type[Game], setup: Any) -> None:
    """Say on standard error what must be said with results of the set-up that ships."""
    for line in _setup_notes(kind, setup):
        print(line, file=sys.stderr)


def warn_of_few(deals: int) -> None:
    """Say on standard error that intervals of so few deals may be off, where they are few."""
    from veggies_sim.analysis.estimates import few_deals

    if few := few_deals(deals):
        print(f"note: {few}", file=sys.stderr)


def _setup_notes(kind: type[Game], setup: Any) -> list[str]:
    return [f"note: {note}" for note in kind.setup_notes(setup)]
