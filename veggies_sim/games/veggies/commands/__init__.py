"""The commands of card design, `deck stats` and the rest: words in, a call of `design`, words out.

Loaded with every command: modules here load what they need when they run.
"""

from __future__ import annotations

import importlib
from typing import Any

# In the order of a designer's work, and of `deck --help`.
MODULES: tuple[str, ...] = ("new", "stats", "measure", "generate", "edit", "diff", "tune", "map_decks", "print_cards")


def add_commands(deeds: Any) -> None:
    """Add the commands of this folder to `deck`."""
    for name in MODULES:
        importlib.import_module(f"{__name__}.{name}").add_commands(deeds)
