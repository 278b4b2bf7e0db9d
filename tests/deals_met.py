"""Watches which deals a search of decks plays, stage by stage."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import pytest

from veggies_sim.games.veggies.design import measures


class DealsMet:
    """The deals that were met under the name of a stage, apart for line-ups whose seats rotate."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.stage = "search"
        self._met: dict[tuple[str, bool], set[int]] = defaultdict(set)
        self._play = measures.simulate
        monkeypatch.setattr(measures, "simulate", self._simulate)

    def _simulate(self, *words: Any, **more: Any) -> Any:
        run = self._play(*words, **more)
        self._met[self.stage, more["rotate_seats"]] |= {*run.seats["deal"]}
        return run

    def spans(self) -> dict[tuple[str, bool], tuple[int, int, int]]:
        """Return the first deal, the last one and their number, by stage and whether seats rotate."""
        return {key: (min(deals), max(deals), len(deals)) for key, deals in self._met.items()}
