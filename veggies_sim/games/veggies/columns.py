"""The columns that Veggies adds to the tables of a dataset, with what each holds."""

from __future__ import annotations

from veggies_sim.core.game import Column
from veggies_sim.games.veggies.deck import GOODS

NO_SCORE = -32768  # stands for "no score yet" in `score_now`


def _seats() -> list[Column]:
    rows = [
        Column("rats", "u1", "visible rats in the stand"),
        Column("announced", "text", "good this seat announced; null for a stand without goods", GOODS),
        Column("announced_2", "text", "second good this seat announced, in the order of goods; null for none", GOODS),
    ]
    for good in GOODS:
        rows += [
            Column(f"{good}_largest", "u1", f"spaces in the stand's largest group of {good}"),
            Column(f"{good}_groups", "u1", f"number of the stand's groups of {good}"),
            Column(f"{good}_scored", "bool", f"{good} was announced in this game, by any seat"),
        ]
    return rows


SEATS = _seats()


def deals(ids: tuple[str, ...]) -> list[Column]:
    """Return the columns of `deals`."""
    return [Column("order", "list", "card ids of the shuffled deck, from the top", ids)]


def moves(ids: tuple[str, ...], ramp_size: int) -> list[Column]:
    """Return the columns of `moves`."""
    sources = ("start", "hand", *(f"ramp{place + 1}" for place in range(ramp_size)))
    return [
        Column("source", "text", "where the card came from", sources),
        Column("card", "text", "id of the card laid", ids),
        Column("rotation", "u1", "quarter turns clockwise"),
        Column("row", "i2", "row of the top-left space of the rotated card, down from the start card's"),
        Column("col", "i2", "column of the top-left space of the rotated card, right from the start card's"),
        Column("choices", "u4", "distinct legal moves there were: source x distinct face x position; 2 at the start"),
        Column("score_now", "i2", "this seat's score if the game ended after the move; null at the start", null=NO_SCORE),
    ]
