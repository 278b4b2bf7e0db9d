"""What a seat can't see, imagined: the cards it has not seen, shuffled over the others' dealt cards and the deck."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from veggies_sim.core.game import Keys
from veggies_sim.core.jit import njit
from veggies_sim.core.streams import shuffle
from veggies_sim.games.veggie_garden.features import unseen
from veggies_sim.games.veggie_garden.state import DEALT, Block, View


def imagine(view: View, g: int, keys: Keys, copies: NDArray[np.int64], block: Block) -> None:
    """Fill a block [L] with games as game g of the view may stand; copies [K] is the cards of each kind.

    Every arrangement of the unseen cards is equally likely: what the others' moves may tell about their hands is not used.
    """
    left = np.zeros(6, np.int64)
    unseen(view, g, copies, left)
    for name in ("cell", "post", "bunny", "hog", "slot", "discard", "out", "taken"):
        getattr(block, name)[:] = getattr(view, name)[g]
    block.deals, block.seed = keys.deal, np.uint64(keys.seed)
    block.hand[:] = np.maximum(block.taken, 0)
    block.hand[:, view.seat] = view.hand[g]
    cards = np.repeat(np.arange(6, dtype=np.int8), left)
    block.end[:] = block.first[:] = _deal(block.seed, keys.deal, cards, view.seat, view.taken[g], block.hand, block.deck)


@njit
def _deal(seed: Any, deals: Any, unseen_cards: Any, seat: Any, taken: Any, hand: Any, deck: Any) -> Any:
    """Deal the unseen cards: those the others were dealt and did not give away, then the deck; return the deck's size.

    A player of whom fewer cards of a kind were seen to come than to go was dealt what it gave.
    """
    cards, size = unseen_cards.copy(), 0
    for g in range(len(deals)):
        cards[:] = unseen_cards
        shuffle(cards, seed, deals[g])
        n = 0
        for other in range(hand.shape[1]):
            if other == seat:
                continue
            lacking = DEALT
            for kind in range(6):
                lacking += min(taken[other, kind], 0)
            for _ in range(min(lacking, len(cards) - n)):  # fours at the start may have used up the deck
                hand[g, other, cards[n]] += 1
                n += 1
        size = len(cards) - n
        deck[g, :size] = cards[n:]
    return size
