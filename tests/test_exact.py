"""Exact answers: a tiny game of `random` players, enumerated to the end in fractions, against many simulated games.

Every chance event is followed: the order of the deck, the starting choices, and each move. The rules are the twin's.
The simulation draws from a fixed seed; BUDGET is the chance that a test would refuse a right
one with a seed drawn anew.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest
import veggies_twin as twin
from scipy import stats

from veggies_sim.core.engine import Design, play_block
from veggies_sim.core.policy import policies_for
from veggies_sim.games.veggies import Card, Deck, Veggies

BUDGET = 1e-6
GAMES = 200_000
COLUMNS = ["score", "rats", "win", "margin"]
COLUMNS += [f"{good}_{what}" for good in twin.GOODS for what in ("largest", "groups", "scored")]
Moments = dict[tuple[int, str], tuple[Fraction, Fraction]]  # (seat, column) -> mean, variance

# Two of each; a half-turn changes nothing on the third.
DECK = Deck(
    [
        Card("k1", (("strawberry", "empty", "banana"), ("rat", "strawberry", "empty")), 2),
        Card("k2", (("banana", "banana", "empty"), ("empty", "rat", "banana")), 2),
        Card("k3", (("strawberry", "empty", "rat"), ("rat", "empty", "strawberry")), 2),
        Card("k4", (("grape", "grape", "empty"), ("strawberry", "empty", "banana")), 2),
    ]
)
FACES = [card.face for card in DECK.cards]
RULES: list[Mapping[str, Any]] = [
    {"stand_size": 2, "ramp_size": 0},
    {"stand_size": 2, "ramp_size": 1, "announced": 1},
    {"stand_size": 2, "ramp_size": 1, "pair": "groups", "rat_penalty": 3},
]


def orders(left: tuple[int, ...], count: int) -> Iterator[tuple[tuple[int, ...], Fraction]]:
    """Yield (faces from the top, chance) of the first `count` cards of a shuffled deck with left[f] cards of face f."""
    if count == 0:
        yield (), Fraction(1)
        return
    for face, copies in enumerate(left):
        if copies:
            fewer = tuple(n - (f == face) for f, n in enumerate(left))
            for rest, chance in orders(fewer, count - 1):
                yield (face, *rest), chance * Fraction(copies, sum(left))


@cache
def second_cards(start: int, face: int) -> Counter[twin.Summary]:
    """Return how many moves lead from a start card and a second one to each stand, by what counts of it."""
    stand = twin.laid(FACES[start], 0, 0)
    found: Counter[twin.Summary] = Counter()
    for move in twin.legal_moves(stand, [FACES[face]]):
        found[twin.summary(stand | twin.laid(twin.turned(FACES[face], move.rotation), move.row, move.col))] += 1
    return found


def picks(start: int, faces: Sequence[int]) -> list[Fraction]:
    """Return the chance that `random` takes each of the faces: all moves are equally likely."""
    moves = [second_cards(start, face).total() for face in faces]
    return [Fraction(count, sum(moves)) for count in moves]


def two_turns(order: Sequence[int], ramp_size: int) -> Iterator[tuple[tuple[int, int, int, int], Fraction]]:
    """Yield ((start, second card) of seat 0, then of seat 1; chance) for a deck order."""
    ramp, dealt, drawn = list(order[:ramp_size]), order[ramp_size : ramp_size + 4], order[ramp_size + 4]
    for first, other in ((0, 1), (1, 0)):
        for third, fourth in ((2, 3), (3, 2)):
            options = [dealt[other], *ramp]
            for source, chance in enumerate(picks(dealt[first], options)):
                shown = [drawn if place == source else face for place, face in enumerate(ramp, start=1)]
                choices = [dealt[fourth], *shown]
                for taken, likely in zip(choices, picks(dealt[third], choices), strict=True):
                    yield (dealt[first], options[source], dealt[third], taken), chance * likely / 4


def final_cards(rules: Mapping[str, Any]) -> dict[Any, Fraction]:
    """Return the chance of each (start, second card) of seat 0, then of seat 1."""
    ways: dict[Any, Fraction] = {}
    for order, chance in orders(tuple(card.copies for card in DECK.cards), rules["ramp_size"] + 5):
        for laid, likely in two_turns(order, rules["ramp_size"]):
            ways[laid] = ways.get(laid, Fraction(0)) + chance * likely
    assert sum(ways.values()) == 1
    return ways


def endings(rules: Mapping[str, Any]) -> tuple[Counter[tuple[twin.Summary, twin.Summary]], int]:
    """Return whole numbers in proportion to the chances of the pairs of final stands, and their sum."""
    ways, found = final_cards(rules), Counter[tuple[twin.Summary, twin.Summary]]()
    stands = {cards: (second_cards(*cards[:2]), second_cards(*cards[2:])) for cards in ways}
    each = {cards: ways[cards] / (one.total() * other.total()) for cards, (one, other) in stands.items()}
    whole = math.lcm(*(chance.denominator for chance in each.values()))
    for cards, (one, other) in stands.items():
        weight = int(each[cards] * whole)
        for mine, times in one.items():
            for theirs, more in other.items():
                found[mine, theirs] += weight * times * more
    assert found.total() == whole
    return found, whole


def exact(rules: Mapping[str, Any]) -> Moments:
    """Return the exact mean and variance of every column of numbers, by seat."""
    full = twin.full_rules(2, rules)
    found, whole = endings(full)
    sums: Counter[tuple[int, str]] = Counter()  # of twice the value, which is whole (win is 0, 1/2 or 1)
    squares: Counter[tuple[int, str]] = Counter()
    for stands, weight in found.items():
        for row in twin.seat_rows(stands, [0, 1], full):
            for name in COLUMNS:
                twice = int(2 * row[name])
                sums[row["seat"], name] += weight * twice
                squares[row["seat"], name] += weight * twice**2
    means = {key: Fraction(total, 2 * whole) for key, total in sums.items()}
    return {key: (mean, Fraction(squares[key], 4 * whole) - mean**2) for key, mean in means.items()}


def simulated(rules: Mapping[str, Any]) -> dict[tuple[int, str], float]:
    """Return the mean of every column of numbers, by seat, over GAMES games."""
    game = Veggies(2, DECK, rules)
    built = [spec.kind.build(game, spec.values) for spec in policies_for("random", game)]
    table = play_block(game, built, Design(2, 3), 0, GAMES)["seats"]
    return {(seat, name): float(np.mean(table[name][seat::2], dtype=np.float64)) for seat in (0, 1) for name in COLUMNS}


def refused(means: Mapping[tuple[int, str], float], moments: Moments) -> list[tuple[int, str]]:
    """Return the columns whose means are too far from the exact ones; all together spend BUDGET."""
    limit = stats.norm.isf(BUDGET / 2 / len(moments))
    far = []
    for key, (mean, variance) in moments.items():
        error = abs(means[key] - float(mean))
        if error > limit * math.sqrt(variance / GAMES) + 1e-9:
            far.append(key)
    return far


@pytest.mark.parametrize("rules", RULES, ids=str)
def test_random_games_have_the_exact_means(rules: Mapping[str, Any]) -> None:
    moments = exact(rules)
    assert len(moments) == 2 * len(COLUMNS)
    assert refused(simulated(rules), moments) == []


def test_a_wrong_rat_penalty_is_refused() -> None:
    rules = RULES[0]
    wrong = refused(simulated(rules | {"rat_penalty": 3}), exact(rules))  # type: ignore[operator]
    assert {(0, "score"), (1, "score")} <= set(wrong)
    assert (0, "rats") not in wrong


def test_symmetric_faces_counted_twice_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where two rotations look the same they are one move: counting them twice shifts the means, and it shows."""
    means = simulated(RULES[1])
    monkeypatch.setattr(twin, "rotations", lambda face: tuple((turn, twin.turned(face, turn)) for turn in range(4)))
    second_cards.cache_clear()
    wrong = refused(means, exact(RULES[1]))
    second_cards.cache_clear()
    assert wrong


def test_other_announcements_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A tie announced in the order of goods alone, not by what it brings, shows in scores."""
    means = simulated(RULES[1])
    monkeypatch.setattr(twin, "margin", lambda sides, side: 0)
    assert {(0, "score"), (1, "score")} & set(refused(means, exact(RULES[1])))
