"""The columns that Veggie Garden adds to the tables of a dataset, with what each holds."""

from __future__ import annotations

from veggies_sim.core.game import Column
from veggies_sim.games.veggie_garden.board import KINDS
from veggies_sim.games.veggie_garden.tables import ACTIONS, NULL

NOT_IN_PLAY = 255


def _seats() -> list[Column]:
    rows = [Column("bonus", "u1", "points for holding every kind in play, 0 where one is missing")]
    for kind in KINDS:
        rows += [
            Column(
                f"{kind}_held", "u1", f"{kind} cards in the hand at the end; null where the kind is not in play", null=NOT_IN_PLAY
            ),
            Column(
                f"{kind}_value", "u1", f"points of a {kind} card at the end; null where the kind is not in play", null=NOT_IN_PLAY
            ),
        ]
    return rows


SEATS = _seats()
DEALS = [
    Column("kinds", "list", "kinds in play", KINDS),
    Column("deck", "list", "kinds of the first deck, from the top", KINDS),
    Column("draws", "list", "kinds of every card drawn, in order, set-up and reshuffled discards included", KINDS, of_play=True),
    Column("posts", "numbers", "points of the posts at the start, clockwise from the top left; null for the bunny's", null=-1),
    Column("groundhog", "i1", "first cell of the groundhog; null for none", null=-1, of_play=True),
]
MOVES = [
    Column("slot", "u1", "harvest slot of the card taken"),
    Column("kind", "text", "kind of the card taken", KINDS),
    Column("action", "text", "what was done, see docs/veggie_garden.md", ACTIONS),
    Column("a", "i1", "first number of the action; null for none", null=NULL),
    Column("b", "i1", "second number of the action; null for none", null=NULL),
    Column("choices", "u4", "legal pairs of a slot and an action that there were"),
    Column("score_now", "i2", "this seat's score if the game ended after the move, before the refill"),
]
