"""Veggies: cards of 2 x 3 spaces are laid into stands; groups of the goods that were announced score.

Names below load when first used, so that the commands of this game cost nothing until they run.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from veggies_sim.games.veggies.deck import Card, Deck
    from veggies_sim.games.veggies.game import Veggies
    from veggies_sim.games.veggies.rules import Stand

__all__ = ["Card", "Deck", "Stand", "Veggies"]

_WHERE = {"Card": "deck", "Deck": "deck", "Stand": "rules", "Veggies": "game"}


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_WHERE[name]}"), name)
