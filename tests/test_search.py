"""`search`: what it imagines is what it can't see, evenly; its last move is exact; it beats the player it models."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

import veggies_sim as vs
from veggies_sim.core.engine import outcome
from veggies_sim.core.game import Keys
from veggies_sim.core.policy import policies_for
from veggies_sim.games.veggies.state import CARD

FALSE_ALARM = 1e-6  # of each statistical test here; seeds are fixed


def keys_of(games: int, seed: int = 5) -> Keys:
    numbers = np.arange(games, dtype=np.uint64)
    return Keys(numbers, numbers, seed, seed)


def at_turn(game: vs.Veggies, games: int, turn: int, seat: int) -> tuple[Any, Any]:
    """Return (block, view) of games played by `greedy` until it is `seat`'s choice at `turn`."""
    spec = policies_for("greedy", game)[0]
    policy, keys, block = spec.kind.build(game, spec.values), keys_of(games), None
    block, moves = game.new_block(keys), np.zeros((games, 4), np.int16)
    for step in game.schedule():
        view = game.view(block, keys, *step)
        if step == (turn, seat):
            return block, view
        policy.choose(view, np.arange(games), moves)
        game.apply(block, *step, moves, False)
    raise AssertionError("no such turn")


def unseen(game: vs.Veggies, view: Any) -> NDArray[np.int64]:
    """Return how often each face is still unseen by the seat of the view, in its first game."""
    seen = np.concatenate((view.hand[0], view.ramp[0], view.placed[0, :, :, CARD].ravel()))
    count = np.bincount(view.faces.slots, minlength=len(view.faces.symbols))
    return count - np.bincount(seen[seen >= 0], minlength=len(count))


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize(("turn", "seat"), [(0, 0), (0, 1), (1, 0), (3, 1), (7, 0)])
def test_imagined_games_use_every_unseen_card_once(players: int, turn: int, seat: int) -> None:
    game = vs.Veggies(players)
    block, view = at_turn(game, 1, turn, seat)
    imagined = game.imagine(view, 0, keys_of(50, seed=9))
    top = game.rules["ramp_size"] + (2 + max(turn - 1, 0)) * players + (seat if turn else 0)
    left = unseen(game, view)
    for g in range(50):
        hands = np.delete(imagined.hand[g], seat, axis=0).ravel()
        started = imagined.placed[g, :seat, 0, CARD] if turn == 0 else np.zeros(0, np.int64)
        deck = view.faces.slots[imagined.order[g, top:]]
        drawn = np.concatenate((hands[hands >= 0], started, deck)).astype(np.int64)
        assert (np.bincount(drawn, minlength=len(left)) == left).all()
        assert (imagined.hand[g, seat] == view.hand[0]).all() and (imagined.ramp[g] == view.ramp[0]).all()
        if turn:
            assert (imagined.placed[g] == block.placed[0]).all()


def hands_of(imagined: Any) -> NDArray[np.int64]:
    return imagined.hand[:, 1, 0].astype(np.int64)


def evenness(faces: NDArray[np.int64], left: NDArray[np.int64]) -> float:
    """Return the p-value of a chi-square test that faces were drawn in proportion to what is left of each."""
    wanted = left > 0
    found = np.bincount(faces, minlength=len(left))
    assert not found[~wanted].any()
    return float(stats.chisquare(found[wanted], len(faces) * left[wanted] / left.sum()).pvalue)


def test_every_unseen_card_is_as_likely_in_another_hand() -> None:
    game = vs.Veggies(3)
    _, view = at_turn(game, 1, 2, 0)
    hands = hands_of(game.imagine(view, 0, keys_of(20_000, seed=3)))
    assert evenness(hands, unseen(game, view)) > FALSE_ALARM
    hands[:400] = hands[0]  # control: one card in fifty is always the same
    assert evenness(hands, unseen(game, view)) < FALSE_ALARM


def test_the_true_hands_are_not_imagined_more_often() -> None:
    """The policy seed is the deal's seed by default: the imagined games must not be the dealt one all the same."""
    game = vs.Veggies(3)
    block, view = at_turn(game, 60, 2, 0)
    true = 0
    for g in range(60):
        one = view._replace(index=view.index[g : g + 1], hand=view.hand[g : g + 1], ramp=view.ramp[g : g + 1])
        imagined = game.imagine(one._replace(placed=view.placed[g : g + 1]), 0, keys_of(100, seed=5))
        true += int((hands_of(imagined) == block.hand[g, 1, 0]).sum())
    chance = 1 / int(unseen(game, view).sum())
    assert stats.binomtest(true, 6000, chance).pvalue > FALSE_ALARM


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_last_move_of_the_game_is_exact(players: int) -> None:
    """Every legal move is tried: none wins more, and none that wins as much wins by more."""
    game, last = vs.Veggies(players), players - 1
    turn = int(game.rules["stand_size"]) - 1
    spec = policies_for("search", game)[0]
    block, view = at_turn(game, 6, turn, last)
    moves = np.zeros((6, 4), np.int16)
    spec.kind.build(game, spec.values).choose(view, np.arange(6), moves)
    for g in range(6):
        found = game.candidates(view, np.array([g]))
        tried = game.imagine(view._replace(hand=view.hand), g, keys_of(len(found.moves)))
        game.apply(tried, turn, last, found.moves, False)
        result = game.result(tried)
        win, margin = outcome(result.score, np.array(game.team()), result.tiebreak)
        value = list(zip(win[:, last].tolist(), margin[:, last].tolist(), strict=True))
        chosen = int(np.flatnonzero((found.moves == moves[g]).all(axis=1))[0])
        assert value[chosen] == max(value)


def win_share(policy: str, games: int) -> float:
    run = vs.simulate(vs.Veggies(2), [policy, "sampled"], games, seed=11, jobs=2, rotate_seats=True)
    return float(run.seats.filter(run.seats["policy"] != "sampled")["win"].mean())  # type: ignore[arg-type]


def test_a_small_search_beats_the_player_it_models_and_a_blind_one_does_not() -> None:
    """Two players, 60 games, fixed seed: an equal player would win 51 or more of them with probability 1e-8."""
    assert win_share("search:budget=64,width=16", 60) >= 0.85
    assert win_share("random", 60) < 0.5


def test_valid_options_are_named() -> None:
    with pytest.raises(vs.InputError, match=r"sampled or greedy or random"):
        policies_for("search:model=best", vs.Veggies(3))
    with pytest.raises(vs.InputError, match="budget"):
        policies_for("search:budget=0", vs.Veggies(3))
