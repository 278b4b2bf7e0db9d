"""The only place that lists the games: id -> class, loaded when asked for. Policies belong to their games.

A game of your own joins with `register(MyGame)` before it is used.
"""

from __future__ import annotations

import importlib

from veggies_sim.core.errors import InputError, show, unknown
from veggies_sim.core.game import Game

_GAMES: dict[str, str | type[Game]] = {
    "veggies": "veggies_sim.games.veggies:Veggies",
    "veggie-garden": "veggies_sim.games.veggie_garden:VeggieGarden",
}

DEFAULT_GAME = "veggies"

# Games whose set-up can be designed: the module that adds their commands to `deck`, light enough to load with every command.
DESIGN: dict[str, str] = {"veggies": "veggies_sim.games.veggies.commands"}

# Names that plug-ins lend to the top level of the package.
EXPORTS: dict[str, str] = {
    "Veggies": "veggies_sim.games.veggies",
    "Deck": "veggies_sim.games.veggies",
    "VeggieGarden": "veggies_sim.games.veggie_garden",
    "Board": "veggies_sim.games.veggie_garden",
}


def register(game: type[Game]) -> type[Game]:
    """Add a game class to the registry (usable as a decorator)."""
    _GAMES[game.id] = game
    return game


def game_ids() -> list[str]:
    """Return the ids of all games."""
    return list(_GAMES)


def find_game(game_id: str) -> type[Game]:
    """Return the class of a game. Raises InputError that lists the valid ids."""
    if game_id not in _GAMES:
        raise unknown("game", game_id, _GAMES)
    entry = _GAMES[game_id]
    if isinstance(entry, str):
        module, _, name = entry.partition(":")
        entry = _GAMES[game_id] = getattr(importlib.import_module(module), name)
    assert not isinstance(entry, str)
    return entry


def check_game(game: object) -> Game:
    """Return what callers give as a game. Raises InputError where it is none."""
    if not isinstance(game, Game):
        kinds = ", ".join(f"{find_game(game_id).__name__}(...)" for game_id in game_ids())
        raise InputError(f"game: found {show(game)}; give a game object. Valid: {kinds}.")
    return game
