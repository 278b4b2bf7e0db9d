"""`greedy` chooses what a plain recount of every candidate chooses, move for move."""

from __future__ import annotations

import numpy as np
import pytest
from greedy_recount import choose_recount

import veggies_sim as vs
from veggies_sim.core.engine import Design, play_block
from veggies_sim.games.veggies.greedy_policy import choose_greedy
from veggies_sim.games.veggies.policies import KernelPolicy


class Both(KernelPolicy):
    """Plays `greedy` and compares every move with the recount's."""

    def __init__(self) -> None:
        super().__init__(choose_greedy)
        self.compared = 0

    def choose(self, view, games, moves) -> None:
        super().choose(view, games, moves)
        again = np.zeros_like(moves)
        choose_recount(view, games, again)
        assert (moves[games] == again[games]).all(), (view.turn, view.seat)
        self.compared += len(games)


def compare(players: int, games: int, rules: dict[str, object], deck: vs.Deck | None = None) -> None:
    game, policy = vs.Veggies(players, deck, rules), Both()
    play_block(game, [policy] * players, Design(11, 12), 0, games)
    assert policy.compared == games * players * int(game.rules["stand_size"])


def faces_of(symbols: list[str], seed: int, alike: bool = False) -> vs.Deck:
    """A deck of 30 cards; with `alike` no card changes under a half-turn."""
    rng = np.random.default_rng(seed)
    cards = []
    for number in range(30):
        a, b, c, d, e, f = rng.choice(symbols, 6).tolist()
        face = ((a, b, c), (c, b, a)) if alike else ((a, b, c), (d, e, f))
        cards.append(vs.Deck.shipped().cards[0].__class__(f"x{number}", face, 1 + number % 2))
    return vs.Deck(cards)


RULES: list[dict[str, object]] = [
    {},
    {"announced": 2},
    {"announced": 2, "pair": "groups"},
    {"announced": 1},
    {"ramp_size": 0},
    {"ramp_size": 4, "rat_penalty": 0},
    {"rat_penalty": 7, "stand_size": 5},
]


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("rules", RULES, ids=str)
def test_greedy_equals_the_recount(players: int, rules: dict[str, object]) -> None:
    compare(players, 6, rules)


@pytest.mark.parametrize(
    "symbols", [["grape"], ["rat", "empty"], ["grape", "carrot", "rat"], list(vs.Deck.shipped().counts())], ids=len
)
@pytest.mark.parametrize("alike", [False, True])
def test_greedy_equals_the_recount_on_odd_decks(symbols: list[str], alike: bool) -> None:
    for pair in ("goods", "groups"):
        compare(2, 2, {"pair": pair}, faces_of(symbols, 3, alike))


def test_greedy_equals_the_recount_on_large_stands() -> None:
    compare(2, 2, {"stand_size": 16}, faces_of(["grape", "grape", "banana", "rat"], 4))
