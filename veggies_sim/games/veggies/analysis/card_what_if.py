"""Card impact by experiment: the same deals with one card made plain, its goods turned into empty spaces.

What differs is caused by the goods of the card, for these policies, which see the other face and may choose otherwise.
Rats of the card stay: what rats do has pages of its own.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

import polars as pl

from veggies_sim.analysis.corrections import claimed
from veggies_sim.analysis.intervals import LEVEL
from veggies_sim.core.checks import several
from veggies_sim.core.errors import unknown
from veggies_sim.core.policy import Given
from veggies_sim.games.veggies.analysis.what_if import CHANGED, OUTCOMES, changes, check_veggies, play_decks
from veggies_sim.games.veggies.deck import EMPTY, GOODS, Deck
from veggies_sim.games.veggies.game import Veggies


def card_changes(
    game: Veggies,
    cards: Collection[str] | None = None,
    policies: Given | Sequence[Given] | None = None,
    games: int = 2_000,
    *,
    named: str | None = None,
    metrics: Sequence[str] = OUTCOMES,
    choices: bool = True,
    seed: int | None = None,
    policy_seed: int | None = None,
    jobs: int | None = None,
    progress: bool = False,
    level: float = LEVEL,
) -> pl.DataFrame:
    """Return a row for each card and metric: what changes when the card is made plain, paired deal by deal.

    cards: ids, by default all of the deck; copies of a card change together. games: played with the deck as it is and
    again with each of the others. The other arguments are those of `what_if.play_decks`: where policies differ, the win
    share of the one `named` is among the metrics; where all seats have one policy, they win 1/n on average whatever the deck.
    Columns: card, metric, unit; change (with the plain card minus as it is) with low and high, the interval of confidence
    `level` for this row alone; error; p, of no change; p_claim, corrected for all rows; p_screen, corrected for all cards
    of this metric (see `corrections`). The share of choices changed is described, not tested.
    Raises InputError for unknown cards, and as `play_decks`.
    """
    deck = check_veggies(game).setup
    ids = [card.id for card in deck.cards]
    wanted = ids if cards is None else several(cards, "cards", '["v01"]')
    for card in wanted:
        if card not in ids:
            raise unknown("card", card, ids)
    decks = {"": deck} | {card: plain(deck, card) for card in wanted}  # no card's id is empty
    played = play_decks(
        game, decks, policies, games, named=named, metrics=metrics, choices=choices, seed=seed, policy_seed=policy_seed,
        jobs=jobs, progress=progress,
    )  # fmt: skip
    return claimed(changes(played, level).rename({"deck": "card"}), untested=[CHANGED.key])


def plain(deck: Deck, card_id: str) -> Deck:
    """Return the deck with the goods of one card made empty; its rats stay."""

    def row(words: tuple[str, str, str]) -> tuple[str, str, str]:
        a, b, c = (EMPTY if word in GOODS else word for word in words)
        return a, b, c

    top_and_bottom = {card.id: (row(card.face[0]), row(card.face[1])) for card in deck.cards}
    return Deck(replace(card, face=top_and_bottom[card.id]) if card.id == card_id else card for card in deck.cards)
