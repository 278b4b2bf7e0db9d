"""`greedy` chooses what a plain recount of every candidate chooses, move for move."""

from __future__ import annotations

import numpy as np
import pytest
from greedy_recount import choose_recount

import veggies_sim as vs
from veggies_sim.core.engine import Design, play_block
from veggies_sim.core.game import Keys
from veggies_sim.games.veggies.deck import Card
from veggies_sim.games.veggies.greedy_policy import choose_greedy
from veggies_sim.games.veggies.policies import KernelPolicy
from veggies_sim.games.veggies.random_policy import choose_random


class Both(KernelPolicy):
    """Compares every choice of `greedy` with the recount's, and plays it, or a random move where `astray` is set."""

    def __init__(self, astray: bool = False) -> None:
        super().__init__(choose_greedy)
        self.astray, self.compared = astray, 0

    def choose(self, view, games, moves) -> None:
        again = np.zeros_like(moves)
        super().choose(view, games, moves)
        choose_recount(view, games, again)
        assert (moves[games] == again[games]).all(), (view.turn, view.seat)
        self.compared += len(games)
        if self.astray:
            choose_random(view, games, moves)


def compare(
    players: int, games: int, rules: dict[str, object], deck: vs.Deck | None = None, astray: bool = False
) -> None:
    game, policy = vs.Veggies(players, deck, rules), Both(astray)
    play_block(game, [policy] * players, Design(11, 12), 0, games)
    assert policy.compared == games * players * int(game.rules["stand_size"])


def faces_of(symbols: list[str], seed: int, alike: bool = False, copies: int = 2) -> vs.Deck:
    """A deck of 30 faces, some of them several times; with `alike` no card changes under a half-turn."""
    rng = np.random.default_rng(seed)
    cards = []
    for number in range(30):
        a, b, c, d, e, f = rng.choice(symbols, 6).tolist()
        face = ((a, b, c), (c, b, a)) if alike else ((a, b, c), (d, e, f))
        cards.append(Card(f"x{number}", face, 1 + number % copies))
    return vs.Deck(cards)


RULES: list[dict[str, object]] = [
    {},
    {"announced": 2},
    {"announced": 2, "pair": "groups"},
    {"announced": 1},
    {"ramp_size": 0},
    {"ramp_size": 1, "stand_size": 1},
    {"ramp_size": 2, "stand_size": 2},
    {"ramp_size": 4, "rat_penalty": 0},
    {"rat_penalty": 20, "ramp_size": 5, "stand_size": 5},
]


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("rules", RULES, ids=str)
def test_greedy_equals_the_recount(players: int, rules: dict[str, object]) -> None:
    compare(players, 6, rules)


@pytest.mark.parametrize("teams", ["opposite", "adjacent", "none"])
def test_greedy_equals_the_recount_in_teams(teams: str) -> None:
    compare(4, 4, {"teams": teams})


@pytest.mark.parametrize("rules", RULES[:4], ids=str)
def test_greedy_equals_the_recount_on_stands_laid_at_random(rules: dict[str, object]) -> None:
    for players in (2, 3):
        compare(players, 8, rules, astray=True)


SYMBOLS = [["grape"], ["rat"], ["rat", "empty"], ["grape", "carrot", "rat"], list(vs.Deck.shipped().counts())]


@pytest.mark.parametrize("symbols", SYMBOLS, ids=len)
@pytest.mark.parametrize("alike", [False, True])
def test_greedy_equals_the_recount_on_odd_decks(symbols: list[str], alike: bool) -> None:
    for pair in ("goods", "groups"):
        compare(2, 2, {"pair": pair}, faces_of(symbols, 3, alike))
    compare(3, 2, {}, faces_of(symbols, 4, alike, copies=9))


@pytest.mark.parametrize("astray", [False, True])
def test_greedy_equals_the_recount_on_large_stands(astray: bool) -> None:
    compare(2, 2, {"stand_size": 12}, faces_of(list(SYMBOLS[-1]), 4), astray)
    compare(2, 1, {"stand_size": 20, "pair": "groups"}, faces_of(["grape", "grape", "banana", "rat"], 4, copies=4), astray)
    compare(3, 1, {"stand_size": 20}, faces_of(["grape", "grape", "banana", "rat"], 4, copies=4), astray)


@pytest.mark.parametrize("step", [(0, 3), (3, 0), (2, 2), (1, 3)], ids=str)
@pytest.mark.parametrize("rules", [{}, {"pair": "groups"}], ids=str)
def test_greedy_equals_the_recount_on_wide_stands(step: tuple[int, int], rules: dict[str, object]) -> None:
    """Forty cards in a line reach over 120 columns, more than a word has bits."""
    deck = faces_of(["grape", "carrot", "banana", "empty", "rat"], 5, copies=9)
    game, games = vs.Veggies(2, deck, {"stand_size": 40} | rules), 2
    index = np.arange(games, dtype=np.uint64)
    keys = Keys(index, index, 1, 2)
    block = game.new_block(keys)
    rng = np.random.default_rng(6)
    line = np.arange(40)[:, None] * step
    block.placed[..., :2] = rng.integers((0, 0), (30, 4), (games, 2, 40, 2))
    block.placed[..., 2:] = line
    for turn in (23, 39):
        moves, again = np.zeros((games, 4), np.int16), np.zeros((games, 4), np.int16)
        view = game.view(block, keys, turn, 0)
        choose_greedy(view, np.arange(games), moves)
        choose_recount(view, np.arange(games), again)
        assert (moves == again).all()


def test_greedy_leaves_the_rows_of_other_games_alone() -> None:
    game = vs.Veggies(3)
    index = np.arange(5, dtype=np.uint64)
    keys = Keys(index, index, 1, 2)
    view = game.view(game.new_block(keys), keys, 0, 1)
    moves = np.full((5, 4), 99, np.int16)
    choose_greedy(view, np.array([1, 3]), moves)
    assert (moves[[0, 2, 4]] == 99).all() and (moves[[1, 3]] != 99).all()
