"""The compiled kernels of scoring and placement agree with the plain rules, on stands of any shape."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray
from stand_words import RULES, face

from veggies_sim.games.veggies import kernels, scoring
from veggies_sim.games.veggies.deck import GOODS, SYMBOLS, Card, Deck, rotate
from veggies_sim.games.veggies.placement import WORD, legal_bits, new_bits
from veggies_sim.games.veggies.rules import SIZES, Stand, announce, good_order, value_now
from veggies_sim.games.veggies.state import (
    GROUPS,
    LARGEST,
    PAIR_GOODS,
    PAIR_GROUPS,
    RATS,
    SETS,
    SUMMARY,
    Rules,
    as_faces,
)


def straight(size: int, rotation: int, rng: np.random.Generator, faces: int) -> list[tuple[int, int, int, int]]:
    """Return a stand as long as can be: in a row for an even rotation, in a column for an odd one, to either side."""
    step = int(rng.choice([-3, 3]))
    return [(int(rng.integers(faces)), rotation, step * i * (rotation % 2), step * i * (1 - rotation % 2)) for i in range(size)]


def scattered(size: int, rng: np.random.Generator, faces: int) -> list[tuple[int, int, int, int]]:
    """Return a stand of random legal placements as (face, rotation, row, col)."""
    stand, cards = Stand(), []
    for _ in range(size):
        rotation = int(rng.integers(4))
        places = stand.legal_placements(*SIZES[rotation % 2])
        row, col = places[int(rng.integers(len(places)))]
        stand.place(face("SBG/CM."), row, col, rotation)
        cards.append((int(rng.integers(faces)), rotation, row, col))
    return cards


def table(deck: Deck, games: Sequence[Sequence[list[tuple[int, int, int, int]]]]) -> tuple[NDArray[np.int16], list[list[Stand]]]:
    """Return the stands [G, P] as the array `placed` [G, P, K, 4] and as plain stands."""
    plain = [[Stand((deck.cards[card].face, row, col, turn) for card, turn, row, col in stand) for stand in game] for game in games]
    return np.array(games, np.int16), plain


def random_deck(rng: np.random.Generator, goods: int = 7) -> Deck:
    """Return 40 faces, some of which look the same after a half-turn."""
    cards = []
    for number in range(40):
        a, b, c, d, e, f = (SYMBOLS[code] for code in rng.integers(7 - goods, 7, 6))
        cards.append(Card(str(number), ((a, b, c), (c, b, a) if number % 5 == 0 else (d, e, f))))
    return Deck(cards)


def summaries(placed: NDArray[np.int16], deck: Deck, rules: Rules) -> NDArray[np.int32]:
    summary = np.zeros((*placed.shape[:2], SUMMARY), np.int32)
    for seat in range(placed.shape[1]):
        kernels.summarise_seat(seat, placed.shape[2], placed, as_faces(deck).symbols, rules, summary)
    return summary


def mask_goods(mask: int) -> frozenset[str]:
    return frozenset(good for number, good in enumerate(GOODS) if mask >> number & 1)


def games_of(size: int, players: int, rng: np.random.Generator) -> list[list[list[tuple[int, int, int, int]]]]:
    """Return a few games of stands of `size` cards, long straight ones among them."""
    games = [[scattered(size, rng, 40) for _ in range(players)] for _ in range(1 if size > 8 else 12)]
    return [*games, *([straight(size, turn, rng, 40) for _ in range(players)] for turn in range(4))]


@pytest.mark.parametrize(("count", "pair"), RULES)
@pytest.mark.parametrize("size", [1, 2, 8, 40])
def test_compiled_scoring_agrees(size: int, count: int, pair: str) -> None:
    rng = np.random.default_rng(size)
    for players, teams in ((2, [0, 1]), (3, [0, 1, 2]), (4, [0, 1, 0, 1]), (4, [0, 1, 2, 3])):
        deck, penalty = random_deck(rng, goods=int(rng.integers(3, 8))), int(rng.integers(21))
        rules = Rules(size, penalty, count, PAIR_GROUPS if pair == "groups" else PAIR_GOODS)
        placed, plain = table(deck, games_of(size, players, rng))
        summary = summaries(placed, deck, rules)
        announced, score = np.empty(placed.shape[:2], np.int64), np.empty(placed.shape[:2], np.int16)
        union = kernels.score_all(summary, np.array(teams), rules, announced, score)
        for g, row in enumerate(plain):
            for seat, stand in enumerate(row):
                found = summary[g, seat]
                assert found[LARGEST : LARGEST + 5].tolist() == [*stand.largest().values()]
                assert found[GROUPS : GROUPS + 5].tolist() == [*stand.groups().values()]
                assert found[RATS] == stand.rats()
                sets = {mask_goods(int(mask)) for bit, mask in enumerate(scoring.MASKS) if found[SETS] >> bit & 1}
                assert sets == stand.announceable(count, pair)
            said = announce(row, teams, count, pair, penalty)
            scored = frozenset[str]().union(*said)
            assert ([mask_goods(int(mask)) for mask in announced[g]], mask_goods(int(union[g]))) == (said, scored)
            assert score[g].tolist() == [stand.score(scored, penalty) for stand in row]


def test_the_order_of_masks_is_the_order_of_goods() -> None:
    keys = [good_order(mask_goods(int(mask))) for mask in scoring.MASKS]
    assert keys == sorted(keys)
    assert len({*keys}) == 16


@pytest.mark.parametrize(("count", "pair"), RULES)
def test_compiled_value_now_agrees(count: int, pair: str) -> None:
    rng = np.random.default_rng(7)
    deck = random_deck(rng)
    rules = Rules(4, 2, count, PAIR_GROUPS if pair == "groups" else PAIR_GOODS)
    placed, plain = table(deck, games_of(4, 3, rng))
    summary = summaries(placed, deck, rules)
    for found, (own, *others) in zip(summary, plain, strict=True):
        heard = scoring.first_mask(found[1]) | scoring.first_mask(found[2])
        assert scoring.value_now(found[0], np.int64(heard), rules) == value_now(own, others, count, pair)


@pytest.mark.parametrize("size", [1, 2, 7, 39])
def test_compiled_count_of_choices_agrees(size: int) -> None:
    """Choices are source x distinct face x position; a stand of `size` cards, with room for one more."""
    rng = np.random.default_rng(size)
    deck = random_deck(rng)
    placed, plain = table(deck, games_of(size, 1, rng))
    roomy = np.full((len(placed), 1, size + 1, 4), -1, np.int16)
    roomy[:, :, :size] = placed
    for ramp_size in (0, 3, 9):
        hand = np.full((len(placed), 2), -1, np.int16)
        hand[:, 0] = rng.integers(40, size=len(placed))
        ramp = rng.integers(40, size=(len(placed), ramp_size)).astype(np.int16)
        out = np.empty(len(placed), np.uint32)
        kernels.count_choices(hand, ramp, roomy, size, 0, as_faces(deck).turns, out)
        for g, (stand,) in enumerate(plain):
            places = [len(stand.legal_placements(height, width)) for height, width in SIZES]
            sources = [deck.cards[card].face for card in (hand[g, 0], *ramp[g])]
            distinct = [{rotate(shown, turn) for turn in range(4)} for shown in sources]
            assert out[g] == sum(places[len(shown) - 2] for faces in distinct for shown in faces)
    kernels.count_choices(hand, ramp, roomy, 0, 0, as_faces(deck).turns, out)
    assert set(out) == {2}


@pytest.mark.parametrize("size", [1, 3, 8, 40])
def test_compiled_positions_agree(size: int) -> None:
    rng = np.random.default_rng(size)
    placed, plain = table(random_deck(rng), games_of(size, 1, rng))
    bits = new_bits(size)
    for g, (stand,) in enumerate(plain):
        row0, col0, rows, used, flat, upright = legal_bits(placed, g, 0, size, bits)
        for tall, (height, width) in enumerate(SIZES):
            words = bits[:used, tall, : int(rows)]
            shown = words[:, :, None] >> np.arange(64, dtype=np.uint64) & np.uint64(1)
            found = [(int(row + row0), int(WORD * word + bit + col0)) for word, row, bit in np.argwhere(shown)]
            assert sorted(found) == stand.legal_placements(height, width)
            assert len(found) == (flat, upright)[tall]
