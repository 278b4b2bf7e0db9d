"""The engine of Veggie Garden: invariants of every state, counts of moves, ends of the deck, streams, and what a view hides."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray
from scipy import stats
from test_run import _interrupt_after

import veggies_sim as vs
from veggies_sim.core import runner
from veggies_sim.core.game import Array, Keys
from veggies_sim.core.policy import policies_for
from veggies_sim.games.veggie_garden import VeggieGarden
from veggies_sim.games.veggie_garden.board import COMPOST, KINDS, PEA
from veggies_sim.games.veggie_garden.moves import count_moves
from veggies_sim.games.veggie_garden.state import ACTION, BUNNY, LAST, SLOT, Block, View
from veggies_sim.games.veggie_garden.tables import REPLANT

GAMES, BUDGET = 300, 1e-6
NO_PEPPER = "cabbage+carrot+pea+potato+tomato"


def keys_of(games: int, seed: int = 3) -> Keys:
    """Return the keys of games 0 .. games - 1, each with a deal of its own."""
    every = np.arange(games, dtype=np.uint64)
    return Keys(every, every, seed, seed)


def states(game: VeggieGarden, policy: str = "random", games: int = GAMES) -> Iterator[tuple[int, Block, View, Array]]:
    """Yield (turn, block, view, moves) before every choice of some games, and at the end with turn LAST + 1."""
    keys, spec = keys_of(games), policies_for(policy, game)[0]
    block, chooser = game.new_block(keys), spec.kind.build(game, spec.values)
    for turn, seat in game.schedule():
        view, moves = game.view(block, keys, turn, seat), np.zeros((games, 4), np.int16)
        chooser.choose(view, np.arange(games), moves)
        yield turn, block, view, moves
        game.apply(block, turn, seat, moves, False)
    yield LAST + 1, block, view, moves


def counted(kinds: Array) -> NDArray[np.int64]:
    """Return how many of each kind there are [G, K] in kinds [G, n]; -1 is none."""
    return np.stack([(kinds == kind).sum(axis=1) for kind in range(6)], axis=1)


def all_cards(block: Block) -> NDArray[np.int64]:
    """Return the cards of each kind [G, K] wherever they lie: garden, harvest, hands, deck, discards."""
    place = np.arange(block.deck.shape[1])
    deck = np.where((place >= block.top[:, None]) & (place < block.end[:, None]), block.deck, -1)
    return counted(block.cell) + counted(block.slot) + counted(deck) + block.hand.sum(axis=1) + block.discard


def points_on_board(game: VeggieGarden, block: Block) -> NDArray[np.int64]:
    """Return the sum of the values of all kinds [G]."""
    return np.asarray(game._score(block)[2].sum(axis=1), np.int64)


CASES = [
    (2, "random", {}),
    (3, "greedy", {}),
    (4, "random", {"copies": 11}),
    (4, "greedy", {"copies": 11, "kinds": NO_PEPPER}),
    (3, "random", {"posts": "0,0,0,1,4,4,4,9,9,20,20,0", "groundhog": "random"}),
    (4, "random", {"copies": 11, "reshuffle": "off"}),
    (2, "random", {"copies": "36,0,0,0,0,3", "kinds": NO_PEPPER, "reshuffle": "off"}),
    (2, "random", {"copies": "36,0,0,0,0,3", "kinds": NO_PEPPER}),
]


@pytest.mark.parametrize(("players", "policy", "rules"), CASES, ids=str)
def test_invariants_of_every_state(players: int, policy: str, rules: dict[str, Any]) -> None:
    game = VeggieGarden(players, rules=rules)
    box = np.array((str(game.rules["copies"]).split(",") * 6)[:6], np.int64)
    for turn, block, view, _ in states(game, policy):
        assert (all_cards(block) == np.where(np.arange(6) == block.out[:, None], 0, box)).all()
        assert (np.sort(block.post) == np.sort(block.first_post)).all()
        assert (points_on_board(game, block) == block.first_post.sum(axis=1)).all()
        seen = np.flatnonzero(block.bunny >= 0)
        assert (block.post[seen, block.bunny[seen]] == BUNNY).all() and (block.hand >= 0).all()
        placed = turn > 0 or game.rules["groundhog"] == "random"
        assert (np.isin(block.hog, COMPOST) == (placed & (block.out != PEA))).all()
        if game.rules["reshuffle"] == "on":
            picks = [max(min(turn, LAST) - 1, 0) + (turn > LAST or (turn > 0 and seat < view.seat)) for seat in range(players)]
            assert (block.hand.sum(axis=2) == 2 + np.array(picks)).all()
            assert ((block.slot < 0).sum(axis=1) == (players if turn > LAST else view.seat if turn == LAST else 0)).all()
        if turn <= LAST:
            four = (block.slot >= 0).all(axis=1) & (block.slot == block.slot[:, :1]).all(axis=1)
            assert not (four & others_left(block)).any()
    if game.rules["reshuffle"] == "on":
        assert (block.hand.sum(axis=2) == 9).all()


def others_left(block: Block) -> NDArray[np.bool_]:
    """Say where deck or discards hold another kind than that of harvest slot 0 [G]."""
    place = np.arange(block.deck.shape[1])
    deck = np.where((place >= block.top[:, None]) & (place < block.end[:, None]), block.deck, -1)
    left = counted(deck) + block.discard
    return np.asarray((left.sum(axis=1) - left[np.arange(len(left)), np.maximum(block.slot[:, 0], 0)]) > 0)


def expected_count(game: VeggieGarden, view: View, g: int) -> int:
    """Return the number of legal moves of game g by the table of the rules."""
    if view.turn == LAST:
        return int((view.slot[g] >= 0).sum())
    hog, bunny = view.hog[g] >= 0, view.bunny[g] >= 0
    spaces = 15 if hog else 16
    ring = 12 - 2 * (bunny and game.rules["pepper_moves_bunny"] == "off")
    peas = 3 * int(game.rules["pea_axes"]) if hog else 1
    others = int((view.slot[g] >= 0).sum()) - 1
    of_kind = [(12 if hog else 16) + 6, 11 if bunny else 1, peas, (34 if hog else 42) + ring]
    of_kind += [int((view.hand[g] > 0).sum()) * spaces, spaces * others]
    return sum(of_kind[kind] for kind in view.slot[g] if kind >= 0)


RULES = [{}, {"pea_axes": 3}, {"pepper_moves_bunny": "off"}, {"bunny": "off"}, {"groundhog": "off"}]


@pytest.mark.parametrize("rules", [*RULES, {"copies": 11, "reshuffle": "off"}], ids=str)
def test_counts_of_moves_are_those_of_the_rules(rules: dict[str, Any]) -> None:
    game, kinds = VeggieGarden(4, rules=rules), set()
    for turn, _, view, _ in states(game, games=60):
        if 1 <= turn <= LAST:
            found = np.zeros(60, np.uint32)
            count_moves(view, found)
            assert found.tolist() == [expected_count(game, view, g) for g in range(60)]
            kinds |= {(turn == LAST, kind) for kind in view.slot.ravel().tolist()}
    assert len(kinds) >= 12


# ---- four of a kind, and the deck's end


def test_four_of_a_kind_in_the_first_layout() -> None:
    game = VeggieGarden(2)
    block = game.new_block(keys_of(20_000))
    first = block.deck[:, 16:20]
    four = (first == first[:, :1]).all(axis=1)
    assert 20 < four.sum() < 20_000 / 20
    assert (block.fours[~four] == 0).all() and (block.fours[four] >= 1).all()
    once = four & (block.fours == 1)
    assert (block.slot[once] == block.deck[once, 20:24]).all() and (block.top == 24 + 4 * block.fours).all()
    assert (block.hand[once, 0].sum(axis=1) == 2).all()
    assert (counted(block.deck[:, 24:26])[once] == block.hand[once, 0]).all()  # the hands come after the new harvest


def test_four_of_a_kind_after_a_tomato() -> None:
    game, keys, met = VeggieGarden(4), keys_of(3000), 0
    spec = policies_for("random", game)[0]
    block, chooser = game.new_block(keys), spec.kind.build(game, spec.values)
    for turn, seat in game.schedule():
        moves = np.zeros((3000, 4), np.int16)
        chooser.choose(game.view(block, keys, turn, seat), np.arange(3000), moves)
        fours, top, discarded = block.fours.copy(), block.top.copy(), block.discard.sum(axis=1)
        game.apply(block, turn, seat, moves, False)
        came = (block.fours == fours + 1) & (moves[:, ACTION] == REPLANT) & (block.shuffles == 0)
        met += int(came.sum())
        assert (block.top[came] == top[came] + 6).all() and (block.discard.sum(axis=1)[came] == discarded[came] + 5).all()
        drawn = block.deck[np.arange(3000)[:, None], np.minimum(top[:, None] + np.arange(2, 6), block.deck.shape[1] - 1)]
        assert (block.slot[came] == drawn[came]).all()
    assert met >= 10


def test_four_stay_where_nothing_else_is_left() -> None:
    """Deck 3 carrots, discards empty after the fourth reshuffle: the last picks are carrots (rules: Garden)."""
    rules = {"kinds": "cabbage+carrot+pea+pepper+tomato", "copies": 11}
    run = vs.simulate(VeggieGarden(4, rules=rules), "greedy", 1, seed=34, first_game=15, jobs=1, record="moves")
    last = run.moves.filter(turn=LAST)
    assert last["kind"].to_list() == ["carrot"] * 4 and last["choices"].to_list() == [4, 3, 2, 1]
    assert run.deals["draws"].list.len().to_list() == [82]  # of 55 cards: four reshuffles


def test_no_row_for_a_seat_without_a_card_to_pick() -> None:
    rules = {"copies": "36,0,0,0,0,1", "kinds": NO_PEPPER, "reshuffle": "off"}
    run = vs.simulate(VeggieGarden(2, rules=rules), "random", 500, seed=1, jobs=1, record="moves")
    held = pl.sum_horizontal(pl.col("^.*_held$").cast(pl.Int64))
    rows = run.moves.group_by("game", "seat").agg(n=pl.len().cast(pl.Int64))
    both = run.seats.select("game", "seat", held=held).join(rows, ["game", "seat"], "left").with_columns(pl.col("n").fill_null(0))
    assert both["n"].min() == 0 and both["n"].max() == 7
    assert both.select((pl.col("held") - pl.col("n")).is_between(0, 2).all()).item()  # two cards were dealt, or none was left
    assert run.seats["tomato_held"].max() == 1  # there is one in the box
    assert (run.moves["choices"] > 0).all()


@pytest.mark.parametrize("copies", ["40,1,1,1,1,1", "36,0,0,0,0,3", "40,4,4,4,4,4"])
def test_the_most_replacements_are_never_needed(copies: str) -> None:
    *_, (_, block, _, _) = states(VeggieGarden(2, rules={"copies": copies, "kinds": NO_PEPPER}), games=5000)
    assert block.fours.max() < 40


# ---- streams: what chance decides is uniform, and its parts are independent


def p_equal(values: Array, among: int) -> float:
    """Return the chi-square p-value of 0 .. among - 1 being equally likely."""
    return float(stats.chisquare(np.bincount(values, minlength=among)).pvalue)


def p_apart(left: Array, right: Array) -> float:
    """Return the chi-square p-value of two numbers being independent."""
    table = np.zeros((left.max() + 1, right.max() + 1))
    np.add.at(table, (left, right), 1)
    return float(stats.chi2_contingency(table[table.any(axis=1)][:, table.any(axis=0)]).pvalue)


def test_what_chance_decides_is_uniform() -> None:
    deals = 120_000
    block = VeggieGarden(2, rules={"groundhog": "random"}).new_block(keys_of(deals))
    with_bunny, with_hog = block.bunny >= 0, block.hog >= 0
    hog = np.searchsorted(COMPOST, block.hog[with_hog])
    first = block.post[:, 0]
    assert p_equal(block.out, 6) > BUDGET and p_equal(block.bunny[with_bunny], 12) > BUDGET and p_equal(hog, 4) > BUDGET
    plain = VeggieGarden(2, rules={"bunny": "off"}).new_block(keys_of(deals)).post
    assert all(p_equal(plain[:, place] - 1, 3) > BUDGET for place in range(12))
    assert p_apart(block.out[with_bunny], first[with_bunny]) > BUDGET
    assert p_apart(block.deck[with_bunny, 0], first[with_bunny]) > BUDGET
    assert p_apart(block.out[with_hog], block.hog[with_hog]) > BUDGET
    assert p_apart(block.bunny[with_bunny], first[with_bunny]) < BUDGET  # control: the bunny's post is worth 0
    assert p_equal(np.where(block.out == 5, 4, block.out), 6) < BUDGET  # control: a kind that is never out


def test_reshuffled_discards_are_uniform() -> None:
    """The first card after a reshuffle is each discarded card with equal chance."""
    game, games = VeggieGarden(4, rules={"copies": 11}), 20_000
    *_, (_, block, _, _) = states(game, games=games)
    again = np.flatnonzero((block.shuffles == 1) & (block.end > block.first))
    pile = [block.deck[g, block.first[g] : block.end[g]] for g in again]
    share = np.array([(cards == cards.max()).mean() for cards in pile])
    hits = np.array([cards[0] == cards.max() for cards in pile])
    z = (hits - share).sum() / np.sqrt((share * (1 - share)).sum())
    assert len(pile) > 5000 and abs(z) < stats.norm.isf(BUDGET / 2)
    always = (1 - share).sum() / np.sqrt((share * (1 - share)).sum())  # control: always the last kind
    assert always > stats.norm.isf(BUDGET / 2)


@pytest.mark.parametrize("policy", ["random", "greedy"])
def test_the_groundhogs_first_place_is_uniform(policy: str) -> None:
    *_, (_, block, _, _) = states(VeggieGarden(2, rules={"kinds": NO_PEPPER}), policy, 1500)
    assert p_equal(np.searchsorted(COMPOST, block.first_hog), 4) > BUDGET


def test_random_is_uniform_over_distinct_moves() -> None:
    games = 200_000
    game, every = VeggieGarden(2), np.arange(games, dtype=np.uint64)
    keys = Keys(every, np.full(games, 4, np.uint64), 1, 1)  # one deal for all
    block, moves = game.new_block(keys), np.zeros((games, 4), np.int16)
    moves[:, 2] = COMPOST[0]
    game.apply(block, 0, 0, moves, False)
    view, spec = game.view(block, keys, 1, 0), policies_for("random", game)[0]
    spec.kind.build(game, spec.values).choose(view, np.arange(games), moves)
    _, counts = np.unique(moves, axis=0, return_counts=True)
    assert len(counts) == expected_count(game, view, 0) and len({*view.slot[0].tolist()}) > 1
    assert stats.chisquare(counts).pvalue > BUDGET
    by_slot = np.bincount(moves[:, SLOT], minlength=4)
    assert stats.chisquare(by_slot).pvalue < BUDGET  # control: slots are not equally likely


# ---- what a view hides


@pytest.mark.parametrize("policy", ["random", "greedy"])
def test_moves_do_not_depend_on_hidden_cards(policy: str) -> None:
    """The others' dealt cards and the deck are exchanged for others: the moves stay the same."""
    game, keys, spec = VeggieGarden(3), keys_of(60), policies_for(policy, VeggieGarden(3))[0]
    for turn, block, view, moves in states(game, policy, 60):
        if turn > LAST:
            break
        other = np.delete(np.arange(3), view.seat)
        kept = block.hand.copy(), block.deck.copy()
        block.hand[:, other] = block.hand[:, other[::-1]]
        block.deck[:] = block.deck[:, ::-1]
        again = np.zeros_like(moves)
        spec.kind.build(game, spec.values).choose(game.view(block, keys, turn, view.seat), np.arange(60), again)
        block.hand[:], block.deck[:] = kept
        assert (again == moves).all()


def test_a_view_shares_no_memory_with_hidden_cards() -> None:
    game = VeggieGarden(3)
    for turn, block, view, _ in states(game, games=5):
        if turn <= LAST:
            arrays = [item for item in view if isinstance(item, np.ndarray)]
            assert not any(np.shares_memory(item, hidden) for item in arrays for hidden in (block.hand, block.deck, block.top))
            assert (view.hand == block.hand[:, view.seat]).all()


# ---- same rows: jobs, blocks, recording, backend, resuming


@pytest.mark.parametrize("policy", ["random", "greedy"])
def test_rows_depend_on_seed_and_number_alone(policy: str) -> None:
    game = VeggieGarden(4, rules={"copies": 11})
    plain = vs.simulate(game, policy, 120, seed=7, jobs=1, record="moves")
    for jobs, block in [(1, 1), (2, 37), (2, 4096)]:
        again = vs.simulate(game, policy, 120, seed=7, jobs=jobs, block=block, record="moves")
        assert all(again.table(name).equals(plain.table(name)) for name in plain.columns)
    assert vs.simulate(game, policy, 120, seed=7, jobs=2).seats.equals(plain.seats)
    late = vs.simulate(game, policy, 20, seed=7, first_game=100, jobs=1).seats
    assert late.equals(plain.seats.filter(pl.col("game") >= 100))


def test_a_run_resumes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    game = VeggieGarden(3, rules={"reshuffle": "off", "copies": 11})
    plain = vs.simulate(game, "random", 200, seed=7, jobs=1, record="moves")
    with monkeypatch.context() as patch:
        patch.setattr(runner, "TASK_GAMES", 16)
        _interrupt_after(patch, 3)
        with pytest.raises(KeyboardInterrupt):
            vs.simulate(game, "random", 200, seed=7, jobs=1, record="moves", out=tmp_path / "d")
    assert 0 < vs.open_dataset(tmp_path / "d").manifest.games < 200
    vs.simulate(game, "random", 200, seed=7, jobs=1, record="moves", out=tmp_path / "d", mode="resume")
    run = vs.open_dataset(tmp_path / "d")
    assert all(run.table(name).equals(plain.table(name)) for name in plain.columns)


def test_columns_fit_the_largest_values() -> None:
    """All points on posts of 20 and a bonus of 100: no column overflows."""
    game = VeggieGarden(2, rules={"posts": ",".join(["20"] * 12), "bonus": 100, "bunny": "off"})
    seats = vs.simulate(game, "greedy", 50, seed=1, jobs=1).seats
    values = seats.select(pl.sum_horizontal(pl.col("^.*_value$").cast(pl.Int64)))
    assert set(values.to_series()) == {240} and seats["bonus"].max() == 100 and len(KINDS) == 6
    worth = pl.sum_horizontal(*(pl.col(f"{k}_value").cast(pl.Int64) * pl.col(f"{k}_held") for k in KINDS))
    assert seats.select((worth + pl.col("bonus") == pl.col("score")).all()).item()
