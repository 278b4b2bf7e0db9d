"""The random streams: known answers, equality with the slow twin's own, and uniform shuffles and moves.

The statistical tests draw from fixed seeds, so they never flicker. BUDGET is the chance that one of them would refuse a
perfect generator if its seed were drawn anew. Each has negative controls: faulty sources that it must refuse.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import veggies_twin as twin
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

from veggies_sim.core import streams
from veggies_sim.core.game import Keys
from veggies_sim.core.policy import policies_for
from veggies_sim.games.veggies import Card, Deck, Veggies

BUDGET = 1e-6
Ints = NDArray[np.int64]

# Random123, file kat_vectors, lines of philox4x32 with 10 rounds: counter, key, answer.
KNOWN = [
    ("00000000 00000000 00000000 00000000", "00000000 00000000", "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
    ("ffffffff ffffffff ffffffff ffffffff", "ffffffff ffffffff", "408f276d 41c83b0e a20bc7c6 6d5451fd"),
    ("243f6a88 85a308d3 13198a2e 03707344", "a4093822 299f31d0", "d16cfe09 94fdcceb 5001e420 24126ea1"),
]
REJECTING = [(1, 16_087_671), (2, 2_104_011)]  # (seed, deal) whose shuffle of 40 cards draws one word again
SEEDS = st.integers(0, streams.SEED_LIMIT - 1)
INDICES = st.integers(0, 2**64 - 1)


def numbers(text: str) -> list[int]:
    """Return hexadecimal words as numbers."""
    return [int(word, 16) for word in text.split()]


@pytest.mark.parametrize(("counter", "key", "answer"), KNOWN)
def test_philox_known_answers(counter: str, key: str, answer: str) -> None:
    assert list(twin.philox(numbers(counter), numbers(key))) == numbers(answer)
    wide = [tuple(np.uint64(word) for word in numbers(text)) for text in (counter, key)]
    assert [int(word) for word in streams.philox(*wide)] == numbers(answer)


@settings(max_examples=300, deadline=None)
@given(
    SEEDS, st.sampled_from([twin.DEAL, twin.CHOICE, twin.TIE]), st.integers(0, 3), INDICES, st.integers(0, 2**32 - 1)
)
def test_draws_equal_the_twins(seed: int, purpose: int, seat: int, index: int, number: int) -> None:
    at = (np.uint64(seed), purpose, seat, np.uint64(index), number)
    assert tuple(int(word) for word in streams.words(*at)) == twin.words(seed, purpose, seat, index, number)
    drawn = float(streams.uniform(*at))
    assert drawn == twin.uniform(seed, purpose, seat, index, number)
    assert 0 <= drawn < 1


@settings(max_examples=100, deadline=None)
@given(SEEDS, INDICES, st.integers(1, 120))
def test_shuffles_equal_the_twins(seed: int, deal: int, count: int) -> None:
    items = np.arange(count, dtype=np.int16)
    streams.shuffle(items, np.uint64(seed), np.uint64(deal))
    assert items.tolist() == twin.shuffled(count, twin.deal_words(seed, deal))


@pytest.mark.parametrize(("seed", "deal"), REJECTING)
def test_shuffles_that_draw_a_word_again(seed: int, deal: int) -> None:
    used = []

    def counted() -> Iterator[int]:
        for word in twin.deal_words(seed, deal):
            used.append(word)
            yield word

    expected = twin.shuffled(40, counted())
    assert len(used) == 40  # 39 steps and one more word
    items = np.arange(40, dtype=np.int16)
    streams.shuffle(items, np.uint64(seed), np.uint64(deal))
    assert items.tolist() == expected


def test_streams_differ_in_every_part() -> None:
    """Changing any one part of a draw's name changes the draw."""
    name = [5, 1, 2, 7, 3]
    drawn = {twin.words(*name)}
    for part in range(5):
        for change in (1, 2**32) if part in (0, 3) else (1,):
            drawn.add(twin.words(*(value + change * (place == part) for place, value in enumerate(name))))
    assert len(drawn) == 8


# ---- shuffles: is every card equally likely at every place, whatever the neighbour or the last deal?


def dealt(cards: int, deals: int, seed: int = 11) -> Ints:
    """Return the decks [deals, cards] as the game deals them."""
    faces = [Card(f"k{n}", (("rat",) * 3, ("empty",) * 3)) for n in range(cards)]
    game = Veggies(2, Deck(faces), {"stand_size": 1, "ramp_size": 0})
    every = np.arange(deals, dtype=np.uint64)
    return game.new_block(Keys(every, every, seed, seed)).order.astype(np.int64)


def steps_shuffle(cards: int, deals: int, others: Callable[[int], tuple[int, int]]) -> Ints:
    """Return decks shuffled by swapping place i with one of low..high - 1, others(i) = (low, high)."""
    source = np.random.default_rng(3)
    decks, rows = np.tile(np.arange(cards), (deals, 1)), np.arange(deals)
    for place in range(cards - 1, -1, -1):
        other = source.integers(*others(place), size=deals)
        decks[rows, place], decks[rows, other] = decks[rows, other], decks[rows, place].copy()
    return decks


def p_value(counts: Ints) -> float:
    """Return the chi-square p-value of counts that should be equal."""
    return float(stats.chisquare(counts.ravel()).pvalue)


def p_places(decks: Ints) -> float:
    """Return the p-value of the table place x card: with all sums fixed, (C - 1)/C of the statistic is chi-square."""
    deals, cards = decks.shape
    counts = np.bincount((np.arange(cards) * cards + decks).ravel(), minlength=cards**2)
    statistic = ((counts - deals / cards) ** 2).sum() / (deals / cards)
    return float(stats.chi2.sf(statistic * (cards - 1) / cards, (cards - 1) ** 2))


def p_orders(decks: Ints) -> float:
    """Return the p-value of all orders of a small deck being equally likely."""
    cards = decks.shape[1]
    codes = decks @ (cards ** np.arange(cards))
    every = [sum(card * cards**place for place, card in enumerate(o)) for o in itertools.permutations(range(cards))]
    assert set(codes) <= set(every)
    return p_value(np.array([(codes == code).sum() for code in every]))


def p_serial(decks: Ints) -> float:
    """Return the p-value of the top cards of a deal and the next one being independent."""
    cards = decks.shape[1]
    pairs = decks[0:-1:2, 0] * cards + decks[1::2, 0]
    return p_value(np.bincount(pairs, minlength=cards**2))


def naive(cards: int, deals: int) -> Ints:
    """Swap each place with any place: the classic mistake."""
    return steps_shuffle(cards, deals, lambda place: (0, cards))


def cyclic(cards: int, deals: int) -> Ints:
    """Never leave a card where it is (Sattolo): Fisher-Yates off by one."""
    return steps_shuffle(cards, deals, lambda place: (0, max(place, 1)))


def repeating(cards: int, deals: int) -> Ints:
    """Give every second deal the deck of the one before, as copied generators do."""
    return np.repeat(dealt(cards, deals // 2), 2, axis=0)


def test_shuffle_is_uniform() -> None:
    decks = dealt(40, 400_000)
    assert p_places(decks) > BUDGET
    assert p_serial(decks) > BUDGET
    assert p_orders(dealt(5, 400_000)) > BUDGET


def test_deals_of_neighbouring_seeds_are_independent() -> None:
    both = np.stack([dealt(40, 200_000, seed) for seed in (11, 12)], axis=1).reshape(-1, 40)
    assert p_serial(both) > BUDGET


@pytest.mark.parametrize(
    ("fault", "test", "cards"),
    [
        (naive, p_places, 40),
        (cyclic, p_places, 40),
        (naive, p_orders, 5),
        (cyclic, p_orders, 5),
        (repeating, p_serial, 40),
    ],
)
def test_a_biased_shuffle_is_refused(
    fault: Callable[[int, int], Ints], test: Callable[[Ints], float], cards: int
) -> None:
    assert test(fault(cards, 20_000)) < BUDGET


def test_the_shuffle_controls_are_fair() -> None:
    """The faulty shuffles are refused for their fault: the same code without it passes."""
    assert p_places(steps_shuffle(40, 20_000, lambda place: (0, place + 1))) > BUDGET


# ---- the policy `random`: is every distinct legal move equally likely?

GAMES = 400_000
WHOLE = Card(
    "whole", (("strawberry", "rat", "grape"), ("grape", "rat", "strawberry")), 20
)  # a half-turn changes nothing
SIMPLE = Card("simple", (("carrot", "banana", "grape"), ("empty", "rat", "mushroom")), 20)


def one_position() -> tuple[Veggies, Any, list[twin.Move], list[str]]:
    """Return game, view, legal moves by the twin and the sources' ids: one position, in GAMES games."""
    game = Veggies(3, Deck([WHOLE, SIMPLE]))
    every = np.arange(GAMES, dtype=np.uint64)
    keys = Keys(every, np.full(GAMES, 4, np.uint64), 1, 1)  # one deal for all
    block = game.new_block(keys)
    moves = np.zeros((GAMES, 4), np.int16)
    for turn, seat in [(0, 0), (0, 1), (0, 2)]:
        game.apply(block, turn, seat, moves, False)
    moves[:] = (0, 1, -1, 2)  # the held card, on its side, over the start card's right edge
    game.apply(block, 1, 0, moves, False)
    for seat in (1, 2):
        game.apply(block, 1, seat, moves, False)
    slots = [WHOLE] * 20 + [SIMPLE] * 20
    deck = [(card.id, card.face, card.copies) for card in (WHOLE, SIMPLE)]
    order = [slot // 20 for slot in twin.shuffled(len(slots), twin.deal_words(1, 4))]
    state = twin.State(deck, order, 3, twin.full_rules(3))
    for seat in range(3):
        state.start(seat, 0)
    for seat in range(3):
        state.lay(seat, twin.Move(0, 1, -1, 2))
    ids = [deck[card][0] for card in (state.hand[0], *state.ramp)]
    return game, game.view(block, keys, 2, 0), twin.legal_moves(state.stands[0], state.faces(0)), ids


def drawn_moves(game: Veggies, view: Any) -> Ints:
    """Return the moves [GAMES, 4] that `random` draws."""
    moves = np.zeros((GAMES, 4), np.int16)
    spec = policies_for("random", game)[0]
    spec.kind.build(game, spec.values).choose(view, np.arange(GAMES), moves)
    return moves.astype(np.int64)


def test_random_is_uniform_over_distinct_moves() -> None:
    game, view, legal, ids = one_position()
    assert {"whole", "simple"} == set(ids)
    assert all(move.rotation < 2 for move in legal if ids[move.source] == "whole")
    found, counts = np.unique(drawn_moves(game, view), axis=0, return_counts=True)
    assert {twin.Move(*map(int, move)) for move in found} == set(legal)
    assert p_value(counts) > BUDGET


def doubled(legal: list[twin.Move], ids: list[str]) -> list[float]:
    """Weigh moves as if all four rotations counted, also those that look the same."""
    return [2.0 if ids[move.source] == "whole" else 1.0 for move in legal]


def by_source(legal: list[twin.Move], ids: list[str]) -> list[float]:
    """Weigh moves as if the source were drawn first."""
    return [1 / sum(other.source == move.source for other in legal) for move in legal]


def off_by_a_little(legal: list[twin.Move], ids: list[str]) -> list[float]:
    """Give 1 move in 20 a chance that is 15 % too high."""
    return [1.15 if place % 20 == 0 else 1.0 for place in range(len(legal))]


@pytest.mark.parametrize("weigh", [doubled, by_source, off_by_a_little])
def test_a_biased_random_is_refused(weigh: Callable[[list[twin.Move], list[str]], list[float]]) -> None:
    _, _, legal, ids = one_position()
    weights = np.array(weigh(legal, ids))
    counts = np.random.default_rng(5).multinomial(GAMES, weights / weights.sum())
    assert p_value(counts) < BUDGET
