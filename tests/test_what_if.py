"""What if the deck were another: nested decks, the same deals, paired differences, and what must be refused."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
import polars as pl
import pytest

import veggies_sim as vs
from veggies_sim.analysis import what_if as shared
from veggies_sim.analysis.metrics import deviation
from veggies_sim.games.veggies.analysis import what_if
from veggies_sim.games.veggies.analysis.what_if import changes, levels, line_weights, play_decks, rat_decks, slopes
from veggies_sim.games.veggies.deck import Card, Deck

DECK = Deck.shipped()
GAME = vs.Veggies(players=3)


def spaces(deck: Deck) -> list[str]:
    return [symbol for place in deck.slots for row in deck.cards[place].face for symbol in row]


def row(frame: pl.DataFrame, **keys: str) -> dict[str, float]:
    return frame.row(by_predicate=pl.all_horizontal(pl.col(key) == value for key, value in keys.items()), named=True)


@pytest.mark.parametrize("seed", [0, 7])
def test_decks_are_nested_and_nothing_but_rats_and_empty_spaces_changes(seed: int) -> None:
    found = rat_decks(DECK, range(61), seed)
    assert [*found][24] == "24 rats" and found["24 rats"] == DECK
    goods = [symbol if symbol not in ("rat", "empty") else "" for symbol in spaces(DECK)]
    for number, deck in enumerate(found.values()):
        counts = deck.counts()
        assert len(deck) == 40 and counts["rat"] == number and counts["empty"] == 60 - number
        assert [symbol if symbol not in ("rat", "empty") else "" for symbol in spaces(deck)] == goods
    for less, more in itertools.pairwise(found.values()):
        differ = [(a, b) for a, b in zip(spaces(less), spaces(more), strict=True) if a != b]
        assert differ == [("empty", "rat")]


def test_the_order_of_spaces_is_drawn_by_the_seed() -> None:
    assert rat_decks(DECK, [40], 1) == rat_decks(DECK, [40], 1) != rat_decks(DECK, [40], 2)


def test_copies_become_cards_of_their_own() -> None:
    face = (("grape", "rat", "empty"), ("carrot", "carrot", "empty"))
    deck = Deck([Card("a", face, 3), Card("a-2", face)])
    found = rat_decks(deck, [4, 5])
    assert [card.id for card in found["5 rats"].cards] == ["a", "a-3", "a-4", "a-2"]
    assert found["4 rats"].counts() == deck.counts() and found["5 rats"].counts()["rat"] == 5


def test_more_rats_than_room_are_refused() -> None:
    with pytest.raises(vs.InputError, match="60 spaces without goods"):
        rat_decks(DECK, [61])


def test_random_players_do_not_see_rats_so_all_moves_stay_and_each_rat_costs_two_points() -> None:
    decks = rat_decks(DECK, [0, 24, 48])
    played = play_decks(GAME, decks, "random", 400, seed=3, choices=True, jobs=1)
    table = levels(played)
    assert row(table, deck="48 rats", metric="changed_moves")["value"] == 0
    assert row(table, deck="0 rats", metric="rats")["value"] == 0
    run = vs.simulate(GAME, "random", 400, seed=3, jobs=1)
    own = row(table, deck="24 rats", metric="score")
    assert own["value"] == pytest.approx(run.seats["score"].cast(pl.Float64).mean())
    line = slopes(played, [0, 24, 48])
    seen = row(line, metric="rats")["slope"]  # goods stay where they are, except where a tied announcement is another
    assert row(line, metric="score")["slope"] == pytest.approx(-2 * seen, rel=0.03)
    assert 0.13 < seen < 0.17 and "named_win" not in table["metric"]


def test_policies_that_see_rats_choose_otherwise_and_a_deck_against_itself_changes_nothing() -> None:
    decks = {"as it is": DECK, "again": DECK, **rat_decks(DECK, [40])}
    played = play_decks(GAME, decks, "sampled", 60, seed=3, choices=True, jobs=1)
    table = changes(played)
    same, other = (table.filter(deck=name) for name in ("again", "40 rats"))
    assert same["change"].to_list() == [0] * len(same) and set(same["p"]) == {1.0} and same["low"].to_list() == [0] * len(same)
    assert row(other, metric="changed_moves")["low"] > 0.3 and row(other, metric="score")["high"] < 0
    assert row(other, metric="rats")["p"] < 1e-6


def test_changes_are_paired_by_deal() -> None:
    decks = rat_decks(DECK, [24, 25])
    played = play_decks(GAME, decks, "random", 500, seed=5, jobs=1)
    alone, paired = row(levels(played), deck="24 rats", metric="score"), row(changes(played), metric="score")
    assert paired["error"] < alone["error"] / 5
    mine, other = (vs.simulate(vs.Veggies(3, deck), "random", 500, seed=5, jobs=1).seats for deck in decks.values())
    gap = (other["score"].cast(pl.Float64) - mine["score"].cast(pl.Float64)).to_numpy().reshape(500, 3).mean(axis=1)
    assert paired["change"] == pytest.approx(gap.mean())
    assert paired["error"] == pytest.approx(gap.std(ddof=1) / np.sqrt(500))  # one group a deal: the jackknife of a mean


def test_the_spread_is_that_of_all_seats() -> None:
    played = play_decks(GAME, {"d": DECK}, "random", 50, seed=5, metrics=["score_sd"], jobs=1)
    score = vs.simulate(GAME, "random", 50, seed=5, jobs=1).seats["score"].cast(pl.Float64)
    assert played.value[0, 0] == pytest.approx(score.std(ddof=0)) and played.metrics[0].estimate is deviation


def test_the_win_share_of_a_named_policy_against_others() -> None:
    decks = rat_decks(DECK, [0, 48])
    policies: Sequence[str] = ["sampled", "random", "random"]
    played = play_decks(GAME, decks, policies, 60, seed=3, jobs=1)
    run = vs.simulate(vs.Veggies(3, decks["48 rats"]), policies, 60, seed=3, rotate_seats=True, jobs=1)
    wins = run.seats.filter(policy="sampled")["win"].cast(pl.Float64).mean()
    assert row(levels(played), deck="48 rats", metric="named_win")["value"] == pytest.approx(wins)
    assert played.deals == 20 and played.without.shape == (20, 2, 8)
    field = play_decks(GAME, decks, policies, 60, seed=3, jobs=1, named="random")
    assert row(levels(field), deck="48 rats", metric="named_win")["value"] == pytest.approx((1 - wins) / 2)


def test_stretches_of_games_are_put_together(monkeypatch: pytest.MonkeyPatch) -> None:
    decks = rat_decks(DECK, [24, 30])
    whole = play_decks(GAME, decks, ["random", "sampled", "random"], 66, seed=2, choices=True, jobs=1)
    monkeypatch.setattr(shared, "STRETCH", 24)
    parts = play_decks(GAME, decks, ["random", "sampled", "random"], 66, seed=2, choices=True, jobs=2)
    assert np.allclose(whole.value, parts.value) and np.allclose(whole.without, parts.without)


def test_a_line_is_least_squares() -> None:
    x, y = np.array([0.0, 3, 4, 9]), np.array([1.0, 0, 2, 5])
    assert line_weights(x, 4) @ y == pytest.approx(np.polyfit(x, y, 1)[0])
    for bad in ([1, 2, 3], [2, 2, 2, 2]):
        with pytest.raises(vs.InputError, match="amounts"):
            line_weights(bad, 4)


BAD = [
    ({"decks": {}}, "decks: found"),
    ({"decks": DECK}, "decks: found"),
    ({"decks": {"a": DECK, "b": Deck(DECK.cards[:39])}}, "39 cards"),
    ({"decks": {"a": DECK, "b": Deck(DECK.cards[::-1])}, "choices": True}, "slot by slot"),
    ({"games": 9}, "10 or more"),
    ({"games": 27, "policies": ["random", "sampled", "random"]}, "30 or more"),
    ({"named": "random", "policies": "random"}, "policies that differ"),
    ({"metrics": ["win_share"], "policies": ["random", "sampled", "random"]}, "the same whatever the deck"),
    ({"named": "greedy", "policies": ["random", "sampled", "random"]}, "random, sampled"),
    ({"metrics": ["score", "scores"]}, "unknown metric"),
]


@pytest.mark.parametrize(("words", "said"), BAD, ids=[said for _, said in BAD])
def test_what_is_refused(words: dict[str, object], said: str) -> None:
    with pytest.raises(vs.InputError, match=said):
        play_decks(GAME, **({"decks": {"a": DECK}, "policies": "random", "games": 30} | words))  # type: ignore[arg-type]


def test_runs_that_were_played_already_give_the_same() -> None:
    decks = rat_decks(DECK, [10, 30])
    seats = ["sampled", "random", "random"]
    runs = {name: vs.simulate(vs.Veggies(3, deck), seats, 60, seed=3, rotate_seats=True, jobs=1) for name, deck in decks.items()}
    mine, same = what_if.from_runs(runs), play_decks(GAME, decks, seats, 60, seed=3, jobs=1)
    assert np.array_equal(mine.value, same.value) and np.array_equal(mine.without, same.without) and mine.deals == same.deals
    assert [metric.key for metric in mine.metrics] == [metric.key for metric in same.metrics] and mine.setups == same.setups


@pytest.mark.parametrize(
    "more", [{"seed": 4}, {"games": 70}, {"policy_seed": 9}, {"first_game": 5}, {"deck": Deck(DECK.cards[:39])}]
)
def test_runs_that_are_not_the_same_games_are_refused(more: dict[str, object]) -> None:
    words = {"games": 60, "seed": 3, "jobs": 1} | {key: value for key, value in more.items() if key != "deck"}
    runs = {
        "one": vs.simulate(GAME, "random", 60, seed=3, jobs=1),
        "two": vs.simulate(vs.Veggies(3, more.get("deck", DECK)), "random", **words),  # type: ignore[arg-type]
    }
    with pytest.raises(vs.InputError, match="deal by deal"):
        what_if.from_runs(runs)
