"""The features of every move are what the plain rules say of the table after it; hidden cards change none of them.

The moves are laid on stands of `rules.Stand` and counted there: nothing of the kernels is used.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from test_greedy import faces_of
from test_hidden import build, chosen, keys_of, situations, with_other_hidden_cards

import veggies_sim as vs
from veggies_sim.core.candidates import Candidates
from veggies_sim.games.veggies.deck import GOODS, RAT, Face, rotate
from veggies_sim.games.veggies.rules import SIZES, Stand, good_order, value_now

Move = tuple[int, int, int, int]
ORDER = [feature.name for feature in vs.Veggies.features]


def situations_of(game: vs.Veggies, policy: str, games: int) -> Iterator[tuple[Any, Candidates]]:
    """Yield the view and all moves of every turn of games that a policy plays."""
    block, player = game.new_block(keys_of(games)), build(policy, game)
    for turn, seat in game.schedule():
        view = game.view(block, keys_of(games), turn, seat)
        yield view, game.candidates(view, np.arange(games))
        game.apply(block, turn, seat, chosen(game, player, block, turn, seat), False)


def table(game: vs.Veggies, view: Any, g: int) -> tuple[list[Stand], list[Face]]:
    """Return the stands that all seats see, and the faces to choose from: the held card or both dealt ones, then the ramp."""
    stands = [Stand() for _ in range(game.players)]
    for seat, stand in enumerate(stands if view.turn else []):
        for face, rotation, row, col in view.placed[g, seat, : view.turn + (seat < view.seat)].tolist():
            stand.place(game.setup.cards[face].face, row, col, rotation)
    held = view.hand[g] if view.turn == 0 else [view.hand[g, 0], *view.ramp[g]]
    return stands, [game.setup.cards[face].face for face in held]


def legal_moves(stand: Stand, faces: list[Face]) -> list[Move]:
    """Return all distinct moves in order: source, rotation, row, column; rotations that look the same are one."""
    if not stand.cards:
        return [(source, 0, 0, 0) for source in range(len(faces))]
    return [
        (source, turn, row, col)
        for source, face in enumerate(faces)
        for turn in range(2 if rotate(face, 2) == face else 4)
        for row, col in stand.legal_placements(*SIZES[turn % 2])
    ]


def spoken(game: vs.Veggies, stands: list[Stand], seat: int) -> tuple[set[str], set[str], frozenset[str]]:
    """Return the goods that other seats announce, those that one of them misses by a space, and those of the next seat."""
    count, pair = int(game.rules["announced"]), str(game.rules["pair"])
    named: set[str] = set()
    close: set[str] = set()
    goods = {at: min(stand.announceable(count, pair), key=good_order) for at, stand in enumerate(stands) if at != seat}
    for at, announced in goods.items():
        largest = stands[at].largest()
        named |= announced
        if announced:
            least = min(largest[good] for good in announced)
            close |= {good for good in GOODS if largest[good] >= max(1, least - 1)}
    return named, close - named, goods[(seat + 1) % game.players]


def expected(game: vs.Veggies, stands: list[Stand], seat: int, move: Move, face: Face, said: Any) -> dict[str, int]:
    """Return the features of a move by the plain rules."""
    source, turn, row, col = move
    before, after, start = stands[seat], stands[seat].copy(), not stands[seat].cards
    after.place(face, row, col, turn)
    count, pair, penalty = int(game.rules["announced"]), str(game.rules["pair"]), int(game.rules["rat_penalty"])
    others = [] if start else [stand for at, stand in enumerate(stands) if at != seat]
    named, close, following = said
    largest, groups = after.largest(), after.groups()
    points = {good: largest[good] * groups[good] for good in GOODS}
    under = [before.spaces[space] for space, _ in after.cards[-1].spaces() if space in before.spaces]
    return {
        "value": value_now(after, others, count, pair, penalty),
        **{f"{good}_points": points[good] for good in GOODS},
        **{f"{good}_largest": largest[good] for good in GOODS},
        **{f"{good}_groups": groups[good] for good in GOODS},
        "rats": after.rats(),
        "rats_covered": under.count(RAT),
        "goods_covered": sum(symbol in GOODS for symbol in under),
        "covered": len(under),
        "named": sum(points[good] for good in named),
        "close": sum(points[good] for good in close),
        "denied": sum(symbol in following for line in face for symbol in line) if source and not start else 0,
        "cards_left": int(game.rules["stand_size"]) - len(after.cards),
    }


def compare(game: vs.Veggies, policy: str, games: int = 1, most: int = 60) -> dict[str, int]:
    """Compare every move's place, and the features of at most `most` moves a turn; return how often each was not 0."""
    seen, drawn = dict.fromkeys(ORDER, 0), np.random.default_rng(3)
    for view, found in situations_of(game, policy, games):
        assert found.features.shape == (found.start[-1], len(ORDER)) == (len(found.moves), len(ORDER))
        for g in range(games):
            stands, faces = table(game, view, g)
            moves, shown = ([*each[found.start[g] : found.start[g + 1]].tolist()] for each in (found.moves, found.features))
            assert [*map(tuple, moves)] == legal_moves(stands[view.seat], faces)
            said = spoken(game, stands, view.seat)
            for i in drawn.permutation(len(moves))[:most].tolist():
                face = faces[moves[i][0]]
                wanted = expected(game, stands, view.seat, tuple(moves[i]), face, said)
                assert dict(zip(ORDER, shown[i], strict=True)) == wanted, (view.turn, view.seat, g, moves[i])
                for key, value in wanted.items():
                    seen[key] += value != 0
    return seen


RULES: list[dict[str, object]] = [{}, {"announced": 2}, {"announced": 2, "pair": "groups"}, {"announced": 1, "rat_penalty": 5}]


@pytest.mark.parametrize("policy", ["random", "greedy"])
@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("rules", RULES, ids=str)
def test_features_are_those_of_the_plain_rules(players: int, rules: dict[str, object], policy: str) -> None:
    seen = compare(vs.Veggies(players, rules=rules), policy)
    assert min(seen.values()) > 0, seen


SYMBOLS = [["grape"], ["rat"], ["empty"], ["grape", "carrot", "rat"], list(vs.Deck.shipped().counts())]


@pytest.mark.parametrize("symbols", SYMBOLS, ids=len)
@pytest.mark.parametrize("alike", [False, True])
def test_features_of_odd_decks(symbols: list[str], alike: bool) -> None:
    deck = faces_of(symbols, 5, alike, copies=3)
    for rules in RULES[:3]:
        compare(vs.Veggies(2, deck, rules), "random", most=15)
    compare(vs.Veggies(3, deck, {"ramp_size": 0}), "greedy", most=15)


@pytest.mark.parametrize("size", [1, 2, 3, 5, 12, 16])
def test_features_of_stands_of_any_size(size: int) -> None:
    deck = faces_of(["grape", "grape", "banana", "carrot", "rat", "empty"], 6, copies=9)
    for pair in ("goods", "groups"):
        compare(vs.Veggies(2, deck, {"stand_size": size, "pair": pair, "ramp_size": 5}), "random", most=12)
    compare(vs.Veggies(4, deck, {"stand_size": size, "ramp_size": 1}), "greedy", most=6)


def test_moves_are_as_many_as_the_recorded_choices() -> None:
    game, games = vs.Veggies(4), 6
    run = vs.simulate(game, "random", games, seed=21, policy_seed=22, jobs=1, record="moves")
    counts = [np.diff(found.start) for _, found in situations_of(game, "random", games)]
    assert run.moves["choices"].to_list() == np.stack(counts, axis=1).ravel().tolist()


def test_some_games_of_a_block_have_the_same_features_as_all() -> None:
    game = vs.Veggies(3)
    for view, every in situations_of(game, "greedy", 5):
        some = game.candidates(view, np.array([4, 1]))
        for at, g in enumerate((4, 1)):
            for mine, all_of_them in ((some.moves, every.moves), (some.features, every.features)):
                assert (mine[some.start[at] : some.start[at + 1]] == all_of_them[every.start[g] : every.start[g + 1]]).all()


@pytest.mark.parametrize("players", [2, 3, 4])
def test_hidden_cards_change_no_feature(players: int) -> None:
    game, games = vs.Veggies(players), np.arange(8)
    for block, turn, seat in situations(game, len(games)):
        other = with_other_hidden_cards(game, block, turn, seat)
        found, again = (game.candidates(game.view(each, keys_of(len(games)), turn, seat), games) for each in (block, other))
        assert (found.moves == again.moves).all() and (found.features == again.features).all()


def test_a_wrong_feature_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = vs.Veggies.candidates
    for at, name in enumerate(ORDER):

        def wrong(self: Any, view: Any, games: Any, at: int = at) -> Candidates:
            found = honest(self, view, games)
            found.features[:, at] += view.turn == 3
            return found

        monkeypatch.setattr(vs.Veggies, "candidates", wrong)
        with pytest.raises(AssertionError, match=name):
            compare(vs.Veggies(2), "random", most=3)
