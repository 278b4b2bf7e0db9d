"""The sheet of `deck stats`: all faces of a deck, and bars of what is counted."""

from __future__ import annotations

from veggies_sim.core.svg import flow, panel
from veggies_sim.games.veggies.deck import Deck
from veggies_sim.games.veggies.design.sheet import bars
from veggies_sim.games.veggies.design.stats import Stats
from veggies_sim.games.veggies.drawing import deck_svg

_BY = {"rat": "rats", "empty": "empties", "goods": "spaces with goods", "kinds": "different goods"}


def stats_svg(deck: Deck, stats: Stats) -> str:
    """Return a page with every face, the spaces of each symbol, and the cards by rats, empties, goods and different goods."""
    panels = [panel("spaces", (), bars(stats.symbols))]
    for key, name in _BY.items():
        panels.append(panel(f"cards by {name}", (), bars({str(n): cards for n, cards in enumerate(stats.cards_with[key])})))
    return deck_svg(deck, [f"note: {note}" for note in deck.notes()], len(deck.cards), [flow(panels)])
