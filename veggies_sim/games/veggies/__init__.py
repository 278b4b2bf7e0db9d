"""Veggies: cards of 2 x 3 spaces are laid into stands; groups of the goods that were announced score."""

from __future__ import annotations

from veggies_sim.games.veggies.deck import Card, Deck
from veggies_sim.games.veggies.game import Veggies
from veggies_sim.games.veggies.rules import Stand

__all__ = ["Card", "Deck", "Stand", "Veggies"]
