"""Veggie Garden: no policy sees deck or dealt cards of others; imagined games are even; search's last pick is exact."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from contract import names_of
from numpy.typing import NDArray
from scipy import stats
from test_hidden import arrays_of, build, keys_of

import veggies_sim as vs
from veggies_sim.core.engine import outcome
from veggies_sim.core.game import Array, Keys

GAMES, TURNS = 40, (0, 1, 4, 7)
FALSE_ALARM = 1e-6  # of each statistical test here; seeds are fixed
POLICIES = names_of(vs.VeggieGarden)


class SeesNeighbour(vs.VeggieGarden):
    """Control: shows each seat the hand of the next one in place of its own."""

    def view(self, block: Any, keys: Keys, turn: int, seat: int) -> Any:
        return super().view(block, keys, turn, seat)._replace(hand=block.hand[:, (seat + 1) % self.players].copy())


class SeesDeck(vs.VeggieGarden):
    """Control: shows the next cards of the deck in place of the harvest."""

    def view(self, block: Any, keys: Keys, turn: int, seat: int) -> Any:
        rows, after = np.arange(len(block.top))[:, None], block.top[:, None] + np.arange(4)
        return super().view(block, keys, turn, seat)._replace(slot=block.deck[rows, after].copy())


class SharesHands(vs.VeggieGarden):
    """Control: gives the own hand as a slice of all hands."""

    def view(self, block: Any, keys: Keys, turn: int, seat: int) -> Any:
        return super().view(block, keys, turn, seat)._replace(hand=block.hand[:, seat])


def chosen(game: vs.VeggieGarden, policy: Any, block: Any, turn: int, seat: int) -> Array:
    """Return the moves [G, 4] that a policy chooses for a seat."""
    moves = np.zeros((len(block.hand), 4), np.int16)
    policy.choose(game.view(block, keys_of(len(moves)), turn, seat), np.arange(len(moves)), moves)
    return moves


def situations(game: vs.VeggieGarden, games: int = GAMES) -> Iterator[tuple[Any, int, int]]:
    """Yield (block, turn, seat) of every choice at one of TURNS in games of `random`; leave the block as it is."""
    honest = vs.VeggieGarden(game.players)
    block, player = game.new_block(keys_of(games)), build("random", honest)
    for turn, seat in game.schedule():
        if turn in TURNS:
            yield block, turn, seat
        game.apply(block, turn, seat, chosen(honest, player, block, turn, seat), False)


def with_other_hidden_cards(block: Any, seat: int) -> Any:
    """Return a copy in which deck and dealt cards of the others are shuffled together, as far as they are unknown."""
    changed, source = copy.deepcopy(block), np.random.default_rng(8)
    for g in range(len(block.hand)):
        top, end = block.top[g], block.end[g]
        secret = {other: block.hand[g, other] - np.maximum(block.taken[g, other], 0) for other in range(block.hand.shape[1])}
        del secret[seat]
        cards = np.concatenate([block.deck[g, top:end], *(np.repeat(np.arange(6), each) for each in secret.values())])
        cards = source.permutation(cards)
        changed.deck[g, top:end], n = cards[: end - top], end - top
        for other, each in secret.items():
            dealt, n = cards[n : n + each.sum()], n + each.sum()
            changed.hand[g, other] = np.maximum(block.taken[g, other], 0) + np.bincount(dealt, minlength=6)
    return changed


def moves_that_peek(game: vs.VeggieGarden, name: str) -> int:
    """Return how many moves change when hidden cards do."""
    policy, count = build(name, game), 0
    for block, turn, seat in situations(game):
        before = chosen(game, policy, block, turn, seat)
        other = chosen(game, policy, with_other_hidden_cards(block, seat), turn, seat)
        count += int((before != other).any(axis=1).sum())
    return count


@pytest.mark.parametrize("players", [2, 4])
@pytest.mark.parametrize("name", POLICIES)
def test_hidden_cards_change_no_move(name: str, players: int) -> None:
    assert moves_that_peek(vs.VeggieGarden(players), name) == 0


@pytest.mark.parametrize("control", [SeesNeighbour, SeesDeck])
def test_a_view_of_hidden_cards_is_caught(control: type[vs.VeggieGarden]) -> None:
    assert moves_that_peek(control(3), "greedy") > 0


def shared(game: vs.VeggieGarden) -> int:
    """Return how often an array of a view shares memory with the deck or with other hands."""
    return sum(
        np.shares_memory(shown, hidden)
        for block, turn, seat in situations(game, 4)
        for shown in arrays_of(game.view(block, keys_of(4), turn, seat)._replace(rules=None))
        for hidden in (block.deck, *(block.hand[:, other] for other in range(game.players) if other != seat))
    )


def test_views_share_no_memory_with_hidden_cards() -> None:
    assert all(shared(vs.VeggieGarden(players)) == 0 for players in (2, 3, 4))
    assert shared(SharesHands(3)) > 0


# ---- imagined games


def at_turn(game: vs.VeggieGarden, games: int, turn: int, seat: int) -> tuple[Any, Any]:
    """Return (block, view) of games played by `random` until it is `seat`'s choice at `turn`."""
    honest, block = build("random", game), game.new_block(keys_of(games))
    for step in game.schedule():
        if step == (turn, seat):
            return block, game.view(block, keys_of(games), *step)
        game.apply(block, *step, chosen(game, honest, block, *step), False)
    raise AssertionError("no such turn")


def all_cards(block: Any) -> NDArray[np.int64]:
    """Return how many cards of each kind there are [L, 6], wherever they lie."""
    found = (block.hand.sum(axis=1) + block.discard).astype(np.int64)
    for g in range(len(found)):
        lying = [*block.cell[g], *block.slot[g][block.slot[g] >= 0], *block.deck[g, block.top[g] : block.end[g]]]
        found[g] += np.bincount(lying, minlength=6)
    return found


@pytest.mark.parametrize("rules", [{}, {"reshuffle": "off"}, {"copies": "12,11,12,11,12,11"}])
@pytest.mark.parametrize("players", [2, 4])
def test_imagined_games_have_all_cards_and_what_is_seen(players: int, rules: dict[str, Any]) -> None:
    game = vs.VeggieGarden(players, None, rules)
    for turn, seat in [(0, 0), (1, 0), (3, 1), (6, 1), (7, 0)]:
        block, view = at_turn(game, 12, turn, seat)
        true = all_cards(block)
        for g in range(12):
            imagined = game.imagine(view, g, keys_of(5))
            assert (all_cards(imagined) == true[g]).all()
            assert (imagined.hand.sum(axis=2) == block.hand[g].sum(axis=1)).all()
            assert (imagined.hand >= np.maximum(block.taken[g], 0)).all() and (imagined.hand[:, seat] == view.hand[g]).all()
            assert (imagined.end - imagined.top == block.end[g] - block.top[g]).all()
            for name in ("cell", "post", "bunny", "hog", "slot", "discard", "out", "taken"):
                assert (getattr(imagined, name) == getattr(block, name)[g]).all(), name


def dealt_first(game: vs.VeggieGarden, view: Any, g: int, games: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the unknown cards of seat 1 in imagined games, by kind, and the share of each kind among unseen cards."""
    imagined = game.imagine(view, g, keys_of(games))
    secret = (imagined.hand[:, 1] - np.maximum(imagined.taken[:, 1], 0)).sum(axis=0).astype(np.int64)
    others = [other for other in range(game.players) if other != view.seat]
    one = all_cards(imagined)[0] - imagined.hand[0, view.seat] - imagined.discard[0] - np.bincount(imagined.cell[0], minlength=6)
    one -= np.bincount(imagined.slot[0], minlength=6) + np.maximum(imagined.taken[0, others], 0).sum(axis=0)
    return secret, one / one.sum()


def evenness(secret: NDArray[np.int64], share: NDArray[np.float64]) -> float:
    """Return the p-value of a chi-square test that dealt cards are drawn in proportion to what is unseen."""
    kinds = share > 0
    assert not secret[~kinds].any()
    return float(stats.chisquare(secret[kinds], secret.sum() * share[kinds]).pvalue)


def test_every_unseen_card_is_as_likely_in_another_hand() -> None:
    game = vs.VeggieGarden(3)
    _, view = at_turn(game, 3, 2, 0)
    secret, share = dealt_first(game, view, 0, 20_000)
    assert evenness(secret, share) > FALSE_ALARM
    secret[np.argmax(share)] += 800  # control: 2 % more of a kind
    assert evenness(secret, share) < FALSE_ALARM


def test_a_given_away_card_was_dealt() -> None:
    """A seat that gave a kind nobody saw it take has one unknown card less."""
    game, found = vs.VeggieGarden(3), 0
    block, view = at_turn(game, 200, 5, 0)
    for g in np.flatnonzero((view.taken[:, 1] < 0).any(axis=1)):
        given = -np.minimum(view.taken[g, 1], 0).sum()
        imagined = game.imagine(view, g, keys_of(3))
        assert ((imagined.hand[:, 1] - np.maximum(view.taken[g, 1], 0)).sum(axis=1) == 2 - given).all()
        assert block.hand[g, 1].sum() == imagined.hand[0, 1].sum()
        found += 1
    assert found > 20


def test_the_true_hands_are_not_imagined_more_often() -> None:
    """The policy seed is the deal's seed by default: the imagined games must not be the dealt one all the same."""
    game, true, drawn = vs.VeggieGarden(3), 0, 0.0
    block, view = at_turn(game, 60, 1, 0)
    for g in range(60):
        imagined = game.imagine(view, g, Keys(keys_of(100).game, keys_of(100).deal, 21, 21))
        true += int((imagined.hand[:, 1] == block.hand[g, 1]).all(axis=1).sum())
        _, share = dealt_first(game, view, g, 1)
        kinds = np.repeat(np.arange(6), block.hand[g, 1])
        drawn += 100 * share[kinds[0]] * share[kinds[1]] * (1 + (kinds[0] != kinds[1]))
    assert stats.binomtest(true, 6000, drawn / 6000).pvalue > FALSE_ALARM


# ---- search


@pytest.mark.parametrize("players", [2, 3])
def test_the_last_pick_of_the_game_is_exact(players: int) -> None:
    """Every card is tried: none wins more, and none that wins as much wins by more."""
    game, last = vs.VeggieGarden(players), players - 1
    block, view = at_turn(game, 12, 7, last)
    moves = chosen(game, build("search:budget=4", game), block, 7, last)
    for g in range(12):
        found, true = game.candidates(view, np.array([g])), copy.deepcopy(block)
        tried = []
        for move in found.moves:
            true = copy.deepcopy(block)
            game.apply(true, 7, last, np.tile(move, (12, 1)), False)
            win, margin = outcome(game.result(true).score, np.array(game.team()))
            tried.append((win[g, last], margin[g, last]))
        assert tried[int(np.flatnonzero((found.moves == moves[g]).all(axis=1))[0])] == max(tried)


def win_share(policy: str) -> float:
    run = vs.simulate(vs.VeggieGarden(2), [policy, "greedy"], 120, seed=11, jobs=2, rotate_seats=True)
    return float(run.seats.filter(run.seats["policy"] != "greedy")["win"].mean())  # type: ignore[arg-type]


def test_a_small_search_beats_the_player_it_models_and_a_blind_one_does_not() -> None:
    """120 games, fixed seed: an equal player would win 78 or more of them with probability 0.0007."""
    assert win_share("search:budget=200,width=32") >= 0.65
    assert win_share("random") < 0.2
