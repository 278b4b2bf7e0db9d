"""No policy sees what its player can't: the deck, the others' hands, and at the start the others' starting cards.

Two checks, each with controls that must fail: hidden cards are exchanged for others and the moves stay the same; and no
array that a policy is given shares memory with one that holds hidden cards.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from contract import names_of

from veggies_sim.core.game import Array, Keys
from veggies_sim.core.policy import Policy, policies_for
from veggies_sim.games.veggies import Veggies

GAMES = 40
POLICIES = names_of(Veggies)
TURNS = (0, 1, 4, 7)


def drawn(game: Veggies, turn: int, seat: int) -> int:
    """Return how many cards have left the deck when it is `seat`'s turn."""
    return int(game.rules["ramp_size"]) + (2 + max(turn - 1, 0)) * game.players + (seat if turn else 0)


class SeesNeighbour(Veggies):
    """Control: shows each seat its neighbour's held card in place of its own."""

    def view(self, block: Any, keys: Keys, turn: int, seat: int) -> Any:
        shown = super().view(block, keys, turn, seat)
        return shown._replace(hand=block.hand[:, (seat + 1) % self.players].copy()) if turn else shown


class SeesDeck(Veggies):
    """Control: shows the next cards of the deck in place of the ramp."""

    def view(self, block: Any, keys: Keys, turn: int, seat: int) -> Any:
        after = drawn(self, turn, seat)
        return super().view(block, keys, turn, seat)._replace(ramp=block.order[:, after : after + 3].copy())


class SeesStart(Veggies):
    """Control: shows the start card of the seat before in place of one's own second card."""

    def view(self, block: Any, keys: Keys, turn: int, seat: int) -> Any:
        shown = super().view(block, keys, turn, seat)
        if turn == 0 and seat > 0:
            shown.hand[:, 1] = block.placed[:, seat - 1, 0, 0]
        return shown


class SharesHands(Veggies):
    """Control: gives the own hand as a slice of all hands."""

    def view(self, block: Any, keys: Keys, turn: int, seat: int) -> Any:
        return super().view(block, keys, turn, seat)._replace(hand=block.hand[:, seat])


class SharesDeck(Veggies):
    """Control: gives the ramp as a slice of the deck."""

    def view(self, block: Any, keys: Keys, turn: int, seat: int) -> Any:
        return super().view(block, keys, turn, seat)._replace(ramp=block.order[:, :3])


def build(name: str, game: Veggies) -> Policy:
    """Return a policy with its default options."""
    spec = policies_for(name, game)[0]
    return spec.kind.build(game, spec.values)


def keys_of(games: int) -> Keys:
    """Return the keys of games whose deals and policies have seeds of their own."""
    every = np.arange(games, dtype=np.uint64)
    return Keys(every, every, 21, 22)


def chosen(game: Veggies, policy: Policy, block: Any, turn: int, seat: int) -> Array:
    """Return the moves [G, fields] that a policy chooses for a seat."""
    games = len(block.order)
    moves = np.zeros((games, len(game.move_fields)), np.int16)
    policy.choose(game.view(block, keys_of(games), turn, seat), np.arange(games), moves)
    return moves


def situations(game: Veggies, games: int = GAMES) -> Iterator[tuple[Any, int, int]]:
    """Yield (block, turn, seat) of every choice at one of TURNS in games of `random`; leave the block as it is."""
    block, player = game.new_block(keys_of(games)), build("random", Veggies(game.players))
    honest = Veggies(game.players)
    for turn, seat in game.schedule():
        if turn in TURNS:
            yield block, turn, seat
        game.apply(block, turn, seat, chosen(honest, player, block, turn, seat), False)


def with_other_hidden_cards(game: Veggies, block: Any, turn: int, seat: int) -> Any:
    """Return a copy of a block in which everything that `seat` can't see is another card in most games."""
    changed, source = copy.deepcopy(block), np.random.default_rng(8)
    faces = len(block.faces.turns)
    below = changed.order[:, drawn(game, turn, seat) :]
    below[:] = source.permuted(below, axis=1)
    for other in set(range(game.players)) - {seat}:
        known = changed.hand[:, other] >= 0
        changed.hand[:, other][known] = source.integers(0, faces, known.sum())
        if turn == 0:
            laid = changed.placed[:, other, 0, 0] >= 0
            changed.placed[laid, other, 0, 0] = source.integers(0, faces, laid.sum())
    return changed


def with_other_visible_cards(block: Any, turn: int, seat: int) -> Any:
    """Return a copy of a block in which the seat's own hand is another one."""
    changed = copy.deepcopy(block)
    own = changed.hand[:, seat]
    own[own >= 0] = (own[own >= 0] + 7) % len(block.faces.turns)
    return changed


def moves_that_peek(game: Veggies, name: str) -> int:
    """Return how many moves change when hidden cards do."""
    policy, count = build(name, game), 0
    for block, turn, seat in situations(game):
        before = chosen(game, policy, block, turn, seat)
        after = chosen(game, policy, with_other_hidden_cards(game, block, turn, seat), turn, seat)
        count += int((before != after).any(axis=1).sum())
    return count


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("name", POLICIES)
def test_hidden_cards_change_no_move(name: str, players: int) -> None:
    assert moves_that_peek(Veggies(players), name) == 0


@pytest.mark.parametrize("control", [SeesNeighbour, SeesDeck, SeesStart])
def test_a_view_of_hidden_cards_is_caught(control: type[Veggies]) -> None:
    assert moves_that_peek(control(3), "greedy") > 0


def test_visible_cards_do_change_moves() -> None:
    game = Veggies(3)
    policy = build("greedy", game)
    for block, turn, seat in situations(game):
        before = chosen(game, policy, block, turn, seat)
        after = chosen(game, policy, with_other_visible_cards(block, turn, seat), turn, seat)
        assert (before != after).any(), (turn, seat)


def arrays_of(thing: Any) -> Iterator[Array]:
    """Yield every array in a view, however deep, with the arrays they were cut from."""
    if isinstance(thing, np.ndarray):
        yield thing
        yield from arrays_of(thing.base)
    elif isinstance(thing, tuple):
        for part in thing:
            yield from arrays_of(part)
    elif thing is not None and not isinstance(thing, int | np.integer):
        raise TypeError(f"a view holds {type(thing)}, of which nobody knows what it shows")


def hidden_arrays(game: Veggies, block: Any, turn: int, seat: int) -> list[Array]:
    """Return the parts of a block that `seat` can't see."""
    others = [other for other in range(game.players) if other != seat]
    stands = [block.placed[:, other] for other in others] if turn == 0 else []
    return [block.order, *(block.hand[:, other] for other in others), *stands]


def shared(game: Veggies, games: int) -> int:
    """Return how often an array of a view shares memory with a hidden one."""
    return sum(
        np.shares_memory(shown, hidden)
        for block, turn, seat in situations(game, games)
        for shown in arrays_of(game.view(block, keys_of(games), turn, seat))
        for hidden in hidden_arrays(game, block, turn, seat)
    )


@pytest.mark.parametrize("games", [1, 2, GAMES])
@pytest.mark.parametrize("players", [2, 3, 4])
def test_views_share_no_memory_with_hidden_cards(players: int, games: int) -> None:
    assert shared(Veggies(players), games) == 0


@pytest.mark.parametrize("control", [SharesHands, SharesDeck])
def test_shared_memory_is_caught(control: type[Veggies]) -> None:
    assert shared(control(3), GAMES) > 0


def test_start_shows_no_stand() -> None:
    game = Veggies(4)
    for block, turn, seat in situations(game, 2):
        if turn == 0:
            assert game.view(block, keys_of(2), turn, seat).placed.size == 0
