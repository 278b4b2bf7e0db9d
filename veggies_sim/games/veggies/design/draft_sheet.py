"""The picture of a deck that is being typed in: its cards in rows, as one lays them on the table to compare."""

from __future__ import annotations

from veggies_sim.core.svg import Picture, flow, page
from veggies_sim.games.veggies.deck import Card
from veggies_sim.games.veggies.deck_reader import UNFILLED
from veggies_sim.games.veggies.design.draft import Draft
from veggies_sim.games.veggies.drawing import CELL, legend, named, named_card, with_copies

ROW = 8  # cards


def sheet_svg(draft: Draft) -> str:
    """Return the picture: ROW cards a row in the order of the file, each above its id; cards that wait are empty frames."""
    cards = [_card(card) for card in draft.cards]
    rows = [flow(cards[first : first + ROW]) for first in range(0, len(cards), ROW)]
    return page([f"{draft.progress()} typed, {ROW} a row in the order of the file"], rows, legend())


def _card(card: Card) -> Picture:
    return named(_frame(), with_copies(card.id, card.copies)) if card.face == UNFILLED else named_card(card)


def _frame() -> Picture:
    """Return the place of a card that has no face yet."""
    width, height = 3 * CELL, 2 * CELL
    box = f'<rect width="{width}" height="{height}" fill="none" stroke="#888" stroke-width="1.2" stroke-dasharray="4 3"/>'
    return Picture(width, height, box)
