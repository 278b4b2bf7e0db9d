"""From scores to a move: the best, noise as stated, and weights that round the same in every block."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

import veggies_sim as vs
from veggies_sim.core.candidates import Candidates
from veggies_sim.core.pick import pick
from veggies_sim.policies.heuristic import weigh

GAMES = 20_000
FALSE_ALARM = 1e-6  # of each statistical test here; seeds are fixed


def picks(scores: list[float], temperature: float = 0, epsilon: float = 0, turn: int = 3) -> NDArray[np.int64]:
    """Return how often each of the moves with these scores is chosen over GAMES games."""
    n = len(scores)
    found = Candidates(np.zeros((n * GAMES, 1), np.int16), np.arange(GAMES + 1) * n, np.zeros((n * GAMES, 1), np.float32))
    view = SimpleNamespace(seed=np.uint64(7), seat=1, turn=turn, index=np.arange(GAMES, dtype=np.uint64))
    chosen = pick(view, np.arange(GAMES), found, np.tile(np.array(scores, np.float64), GAMES), temperature, epsilon)
    return np.bincount(chosen - found.start[:-1], minlength=n)


def fits(counts: NDArray[np.int64], shares: Any) -> bool:
    expected = np.asarray(shares, float) / np.sum(shares) * counts.sum()
    return bool(stats.chisquare(counts, expected).pvalue > FALSE_ALARM)


def test_the_best_move_wins_and_equal_ones_are_equally_likely() -> None:
    counts = picks([1, 5, 5, -2, 5])
    assert counts[[0, 3]].sum() == 0
    assert fits(counts[[1, 2, 4]], [1, 1, 1]) and not fits(counts[[1, 2, 4]], [1, 1, 1.2])


def test_temperature_draws_in_proportion_to_the_exponential() -> None:
    scores = np.array([0.0, 1.0, -1.0, 2.0])
    assert fits(picks(scores.tolist(), temperature=2), np.exp(scores / 2))
    assert not fits(picks(scores.tolist(), temperature=2), np.exp(scores / 1.8))  # control
    assert picks(scores.tolist(), temperature=1e-9)[3] == GAMES


def test_epsilon_is_the_chance_of_a_uniform_move() -> None:
    assert fits(picks([0, 0, 9, 0], epsilon=0.4), [0.1, 0.1, 0.7, 0.1])
    assert not fits(picks([0, 0, 9, 0], epsilon=0.4), [0.11, 0.11, 0.67, 0.11])  # control
    assert fits(picks([0, 0, 9, 0], epsilon=1), [1, 1, 1, 1])


def test_weights_round_the_same_whatever_else_is_weighed() -> None:
    rng = np.random.default_rng(3)
    features, weights = rng.normal(size=(9, 1000)).astype(np.float32), rng.normal(size=9)
    every = weigh(features, np.arange(9), weights)
    alone = [weigh(features[:, n : n + 1].copy(), np.arange(9), weights)[0] for n in range(1000)]
    assert every.tolist() == alone


def test_heuristic_as_it_comes_values_moves_as_greedy_does() -> None:
    """Ties apart, both take a move with the best value now: the same scores on average, to less than a point."""
    game = vs.Veggies(3)
    means = [vs.simulate(game, name, 1200, seed=4, jobs=2).seats["score"].mean() for name in ("heuristic", "greedy")]
    assert abs(means[0] - means[1]) < 0.8  # type: ignore[operator]


@pytest.mark.parametrize("policy", ["rat_averse", "stacker", "splitter", "denier", "follower", "spreader"])
def test_each_preset_plays_in_its_style(policy: str) -> None:
    """Against heuristic on the same deals: fewer rats, larger groups, more groups, ... as the preset says."""
    game = vs.Veggies(3)
    plain, styled = (vs.simulate(game, [name, "greedy", "greedy"], 400, seed=4, jobs=2).seats for name in ("heuristic", policy))
    change = {name: styled.filter(styled["seat"] == 0)[name].mean() - plain.filter(plain["seat"] == 0)[name].mean()  # type: ignore[operator]
              for name in ("rats", "banana_largest", "banana_groups", "grape_groups")}  # fmt: skip
    if policy == "rat_averse":
        assert change["rats"] < -0.5
    elif policy == "stacker":
        assert change["banana_largest"] > 0
    elif policy in ("splitter", "spreader"):
        assert change["banana_groups"] > 0 and change["grape_groups"] > 0
    else:
        assert not styled.equals(plain)
