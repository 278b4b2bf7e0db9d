"""Veggie Garden: a shared garden whose posts say what each vegetable is worth."""

from __future__ import annotations

from veggies_sim.games.veggie_garden.board import Board
from veggies_sim.games.veggie_garden.game import VeggieGarden
from veggies_sim.games.veggie_garden.garden import Garden

__all__ = ["Board", "Garden", "VeggieGarden"]
