"""What a seat can't see, imagined: the cards it has not seen, shuffled over the other hands and the deck."""

from __future__ import annotations

from typing import Any

import numpy as np

from veggies_sim.core.game import Keys
from veggies_sim.core.jit import njit
from veggies_sim.core.streams import shuffle
from veggies_sim.games.veggies.state import CARD, Block, View


def imagine(view: View, g: int, keys: Keys, block: Block) -> None:
    """Fill a block [L] with games as game g of the view may stand.

    Every arrangement of the unseen cards is equally likely: what the others' moves may tell about their hands is not used.
    """
    faces, hand, seat = view.faces, view.hand[g], view.seat
    laid = view.placed[g, :, :, CARD]
    seen = np.concatenate((hand, view.ramp[g], laid.ravel()))
    slots = np.argsort(faces.slots, kind="stable")  # slots by face
    skip = np.bincount(seen[seen >= 0], minlength=len(faces.symbols))
    rank = np.arange(len(slots)) - np.searchsorted(faces.slots[slots], faces.slots[slots])  # number among equal faces
    unseen = slots[rank >= skip[faces.slots[slots]]].astype(np.int16)
    block.order[:] = 0  # cards drawn before now: nobody asks any more
    block.ramp[:] = view.ramp[g]
    block.hand[:, seat] = hand
    if view.turn:
        block.placed[:] = view.placed[g]
    _deal(np.uint64(keys.seed), keys.deal, unseen, faces.slots, view.turn, seat, block.order, block.hand, block.placed)


@njit
def _deal(
    seed: Any, deals: Any, unseen: Any, slots: Any, turn: Any, seat: Any, order: Any, hand: Any, placed: Any
) -> None:
    """Deal the unseen slots of the deck to the other hands; the rest is the deck, in the order of drawing.

    At turn 0 the seats before `seat` have laid a card that it can't see: one of their two, either is as likely.
    """
    cards, players = unseen.copy(), hand.shape[1]
    for g in range(len(deals)):
        cards[:] = unseen
        shuffle(cards, seed, deals[g])
        n = 0
        for other in range(players):
            if other == seat:
                continue
            hand[g, other, 0] = slots[cards[n]]
            n += 1
            if turn == 0:
                second = slots[cards[n]]
                n += 1
                if other > seat:
                    hand[g, other, 1] = second
                else:
                    placed[g, other, 0, 0] = second
                    placed[g, other, 0, 1:] = 0
        order[g, order.shape[1] - (len(cards) - n) :] = cards[n:]
