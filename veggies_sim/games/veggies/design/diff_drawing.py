"""The sheet of `deck diff`: changed cards before and after, with the changed spaces outlined, and cards removed and added."""

from __future__ import annotations

from collections.abc import Iterable

from veggies_sim.core.errors import counted
from veggies_sim.core.svg import Picture, column, flow, outline, page, text, text_line
from veggies_sim.games.veggies.deck import SPACES, Card
from veggies_sim.games.veggies.design.diff import DeckDiff, Pair
from veggies_sim.games.veggies.drawing import CELL, card_picture, legend, named, named_card

GAP = 26  # pixels between a face and what became of it: room for an arrow


def diff_svg(diff: DeckDiff, title: str) -> str:
    """Return a page of what changed; an old face is drawn turned where that shows it as the new one lies."""
    groups = {
        f"changed, {_number(diff.changed)}": [_pair(pair) for pair in diff.changed],
        f"removed, {_number(diff.removed)}": [named_card(card) for card in diff.removed],
        f"added, {_number(diff.added)}": [named_card(card) for card in diff.added],
    }
    parts = [column([text_line(name, 760, 14, 'font-weight="bold"'), Picture(0, 6, ""), flow(cards)])
             for name, cards in groups.items() if cards]  # fmt: skip
    parts = parts or [text_line("every card is as before", 760)]
    head = "no differences" if diff.old == diff.new else diff.summary()
    return page([title, head], parts, legend(), [f"note: {note}" for note in diff.new.notes()])


def _number(cards: Iterable[Card | Pair]) -> str:
    return counted(sum(card.copies for card in cards), "card")


def _pair(pair: Pair) -> Picture:
    """Return both faces of a pair side by side above its ids; the spaces that changed are outlined on both."""
    before, after = card_picture(pair.before.face), card_picture(pair.new.face)
    marks = "".join(outline(CELL * (place % 3) + 2, CELL * (place // 3) + 2, CELL - 4, CELL - 4)
                    for place, space in enumerate(SPACES) if space in pair.spaces)  # fmt: skip
    arrow = text(before.width + GAP // 2, before.height // 2 + 5, "→", 16, 'text-anchor="middle"')
    right = before.width + GAP
    faces = before.at(0, 0) + arrow + after.at(right, 0) + marks + f'<g transform="translate({right} 0)">{marks}</g>'
    return named(Picture(right + after.width, before.height, faces), pair.name + (", turned" if pair.turned else ""))
