"""What if the deck were another? The same deals, seat by seat and card by card, played with several decks.

Decks of equal size get the same shuffles slot by slot, so a deal is the same deal with every deck, and differences between
decks are paired deal by deal. What is measured, and how decks are compared, is `analysis.what_if`'s.

    played = play_decks(game, {"as it is": deck, "without v01": other}, "greedy", games=2_000, seed=1)
    levels(played)                   a row for each deck and metric
    changes(played)                  a row for each deck but the first and metric: how much it differs from the first
    slopes(played, [24, 25, ...])    a row for each metric: change per unit of an amount that each deck has
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

from veggies_sim.analysis import what_if
from veggies_sim.analysis.what_if import CHANGED, Played, changes, contrasts, levels, line_weights, play_games, slopes
from veggies_sim.core.checks import several, whole
from veggies_sim.core.dataset import Run
from veggies_sim.core.errors import InputError, show
from veggies_sim.core.policy import Given
from veggies_sim.games.veggies.deck import EMPTY, RAT, Card, Deck
from veggies_sim.games.veggies.game import Veggies

__all__ = [
    "CHANGED", "OUTCOMES", "Played", "changes", "contrasts", "from_runs", "levels", "line_weights", "play_decks", "rat_decks",
    "slopes",
]  # fmt: skip

OUTCOMES = ("score", "winner_score", "score_sd", "lead", "shared_wins", "tie_breaks", "rats")
DECK = "deck"  # the column of a deck's name


def play_decks(
    game: Veggies,
    decks: Mapping[str, Deck],
    policies: Given | Sequence[Given] | None = None,
    games: int = 10_000,
    *,
    metrics: Sequence[str] = OUTCOMES,
    choices: bool = False,
    **how: Any,
) -> Played:
    """Play the same deals with each deck and return the metrics of each.

    decks: by name, all of one size; the first one is what the others are compared with. game: its players and rules; its
    own deck plays no part. policies, games (with each deck), metrics and how: as of `analysis.what_if.play_games`. choices:
    record moves and measure the share that differ from the first deck's; card ids must then be the same, slot by slot.
    Raises InputError, before anything is played, for arguments that are wrong.
    """
    check_veggies(game)
    check_decks(decks, choices)
    arms = {name: type(game)(game.players, deck, rules=game.rules) for name, deck in decks.items()}
    return play_games(arms, policies, games, metrics=metrics, choices=choices, word=DECK, **how)


def from_runs(runs: Mapping[str, Run], *, named: str | None = None, metrics: Sequence[str] = OUTCOMES) -> Played:
    """Return what `play_decks` returns, of runs that were played already, such as datasets on disk; without choices.

    runs: by name, the one that others are compared with first. named, metrics: as in `play_decks`. Raises InputError where
    runs are not the same games with other decks.
    """
    played = what_if.from_runs(runs, named=named, metrics=metrics, word=DECK)
    check_veggies(played.arms[0])
    (first, base), *others = runs.items()
    for name, run in others:
        words = base.manifest.differences(run.manifest, ["rules"])
        if words or len(run.game.setup) != len(base.game.setup):
            words = words or ["a deck of another size"]
            raise InputError(f"runs: {show(name)} can't be compared with {show(first)} deal by deal: {'; '.join(words)}.")
    return played


def check_veggies(game: object) -> Veggies:
    """Return what callers give as a game of Veggies. Raises InputError where it is none."""
    if not isinstance(game, Veggies):
        raise InputError(f"game: found {show(game)}; give a game of Veggies, such as vs.Veggies(players=3).")
    return game


def check_decks(decks: object, choices: bool = False) -> None:
    """Raise InputError for what are no decks of one size, by name; choices: nor with the same ids, slot by slot."""
    if not isinstance(decks, Mapping) or not decks or not all(isinstance(deck, Deck) for deck in decks.values()):
        raise InputError(f"decks: found {show(decks)}; give a dict of names and decks, such as {{'as it is': vs.Deck.shipped()}}.")
    first, *others = decks.items()
    for name, deck in others:
        if len(deck) != len(first[1]):
            raise InputError(
                f"decks: {show(name)} has {len(deck)} cards, {show(first[0])} {len(first[1])}; only decks of equal size get the "
                "same shuffles. Give decks of one size."
            )
        if choices and _ids(deck) != _ids(first[1]):
            raise InputError(
                f"decks: the ids of {show(name)} are not those of {show(first[0])}, slot by slot, so moves can't be compared. "
                "Keep the ids, or leave choices out."
            )


def _ids(deck: Deck) -> list[str]:
    return [deck.cards[place].id for place in deck.slots]


def rat_decks(deck: Deck, counts: Sequence[int], seed: int = 0) -> dict[str, Deck]:
    """Return decks with so many rats, by name ("0 rats", ...), each rat more in place of an empty space.

    All spaces with a rat, then all empty ones, each in an order drawn by `seed`, make one line; the deck with k rats has
    them on the first k. So decks are nested: k + 1 rats differ from k in one space, and the deck's own number gives its own
    faces. Goods stay where they are. Copies become cards of their own (v01, v01-2, ...), so that each can change. Raises
    InputError for more rats than there are spaces without goods.
    """
    if not isinstance(deck, Deck):
        raise InputError(f"deck: found {show(deck)}; give a deck, such as vs.Deck.shipped().")
    counts = several(counts, "rats", "[24, 30]")
    cards = deck.singles()
    faces = [[*card.face[0], *card.face[1]] for card in cards]
    stream = random.Random(seed)
    line = [(c, s) for symbol in (RAT, EMPTY) for c, s in _drawn(faces, symbol, stream)]
    found = {}
    for count in counts:
        whole(count, f"rats (the deck has {len(line)} spaces without goods)", 0, len(line))
        rats = {*line[:count]}
        free = {*line}
        new = []
        for c, card in enumerate(cards):
            a = [(RAT if (c, s) in rats else EMPTY) if (c, s) in free else symbol for s, symbol in enumerate(faces[c])]
            new.append(Card(card.id, ((a[0], a[1], a[2]), (a[3], a[4], a[5]))))
        found[f"{count} rats"] = Deck(new)
    return found


def _drawn(faces: Sequence[Sequence[str]], symbol: str, stream: random.Random) -> list[tuple[int, int]]:
    """Return (card, space) of a symbol in an order drawn by `random`, whose numbers are the same in every Python."""
    places = [(c, s) for c, face in enumerate(faces) for s, held in enumerate(face) if held == symbol]
    return sorted(places, key=lambda _: stream.random())
