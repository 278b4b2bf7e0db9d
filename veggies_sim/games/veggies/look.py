"""What a seat sees of the table before it thinks of a card: the others' summaries, its own stand, every place.

What may live here: what `greedy` and the features of moves both need, once a turn.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from veggies_sim.core.jit import inner
from veggies_sim.games.veggies.choices import gather, rank_goods
from veggies_sim.games.veggies.cover import cover, list_places, mend
from veggies_sim.games.veggies.kernels import summarise_seat
from veggies_sim.games.veggies.placement import legal_bits
from veggies_sim.games.veggies.scoring import first_mask
from veggies_sim.games.veggies.state import CARD, SUMMARY, View
from veggies_sim.games.veggies.survey import survey


def start_summaries(view: View) -> NDArray[np.int32]:
    """Return the summaries [G, 2, SUMMARY] of the two dealt cards, each as the only card of a stand."""
    count = len(view.hand)
    placed = np.zeros((count, 2, 1, 4), np.int16)
    placed[:, :, 0, CARD] = view.hand
    summary = np.zeros((count, 2, SUMMARY), np.int32)
    for card in range(2):
        summarise_seat(card, 1, placed, view.faces.symbols, view.rules, summary)
    return summary


def other_summaries(view: View) -> NDArray[np.int32]:
    """Return the summaries [G, P, SUMMARY] of the other seats' stands; the own ones are left out."""
    games, players = view.placed.shape[:2]
    summary = np.zeros((games, players, SUMMARY), np.int32)
    for seat in range(players):
        if seat != view.seat:
            laid = view.turn + (seat < view.seat)
            summarise_seat(seat, laid, view.placed, view.faces.symbols, view.rules, summary)
    return summary


@inner
def look(
    view: Any, g: Any, summary: Any, wanted: Any, bits: Any, seen: Any, places: Any, choices: Any
) -> Any:
    """Fill in the places; return what is known then.

    That is (places of orientation 0, of both), how many goods of `choices.rank` others announce, the different faces to
    choose from, the visible rats, and the grid: first row, first column, rows, columns.
    """
    placed, symbols = view.placed, view.faces.symbols
    others = np.int64(0)
    for seat in range(summary.shape[1]):
        if seat != view.seat:
            others |= first_mask(summary[g, seat])
    cols, rats = survey(placed, g, view.seat, view.turn, symbols, seen)
    row0, col0, rows, words, _, _ = legal_bits(placed, g, view.seat, view.turn, bits)
    different = gather(view.hand[g, 0], view.ramp[g], choices)
    named = rank_goods(seen.top, others, choices.rank)
    count = list_places(bits, rows, words, cols, rats, seen.window, places)
    mend(cover(count, choices.rank, named, choices.most, wanted, seen, places), count[0], seen, places)
    return count, named, different, rats, (row0, col0, np.int64(rows), cols)
