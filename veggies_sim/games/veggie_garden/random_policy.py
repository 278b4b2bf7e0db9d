"""`random`: every distinct pair of a harvest slot and an action is equally likely."""

from __future__ import annotations

from typing import Any

import numpy as np

from veggies_sim.core.jit import inner, njit
from veggies_sim.core.streams import CHOICE, uniforms
from veggies_sim.games.veggie_garden.board import COMPOST, PEA
from veggies_sim.games.veggie_garden.moves import slot_moves, write_moves
from veggies_sim.games.veggie_garden.state import ACTION, SLOT, A, B
from veggies_sim.games.veggie_garden.tables import NONE, NULL

PLACES = np.array(COMPOST)


@njit
def choose_random(view: Any, games: Any, moves: Any) -> None:
    """Write to moves [G, 4] a legal move for each of `games`, uniform over all."""
    draws = uniforms(view.seed, CHOICE, view.seat, view.index, view.turn)
    if view.turn > 0:
        sizes = slot_moves(view, games)
        numbers = np.empty(len(games), np.int64)
        for i in range(len(games)):
            numbers[i] = draws[games[i]] * (sizes[i, 0] + sizes[i, 1] + sizes[i, 2] + sizes[i, 3])
        write_moves(view, games, sizes, numbers, moves)
        return
    for g in games:
        place_groundhog(view.out[g], draws[g], g, moves)


@inner
def place_groundhog(out: Any, u: Any, g: Any, moves: Any) -> None:
    """Write the groundhog's first place, each equally likely by u in [0, 1); nothing without peas."""
    pass_move(g, moves)
    if out != PEA:
        moves[g, A] = PLACES[np.int64(u * len(PLACES))]


@inner
def pass_move(g: Any, moves: Any) -> None:
    """Write that there is nothing to pick."""
    moves[g, SLOT], moves[g, ACTION], moves[g, A], moves[g, B] = -1, NONE, NULL, NULL
