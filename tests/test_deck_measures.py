"""What a deck is measured by when decks are searched: against recounts from rows, and the same however games are added up."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np
import polars as pl
import pytest

import veggies_sim as vs
from veggies_sim.analysis.intervals import jackknife_error
from veggies_sim.analysis.line_ups import How
from veggies_sim.analysis.metrics import metrics_of
from veggies_sim.analysis.shape import shape
from veggies_sim.analysis.sums import Sums
from veggies_sim.core.errors import InputError
from veggies_sim.games.veggies.analysis.rats import other_decks, per_rat
from veggies_sim.games.veggies.deck import GOODS, Card, Deck
from veggies_sim.games.veggies.design import measures as module
from veggies_sim.games.veggies.design.edit import turn
from veggies_sim.games.veggies.design.measures import Estimate, Meter, measure, own_measures

DECK = Deck.shipped()
GAME = vs.Veggies(players=3)
HOW = How(3, 3, 1, "threads")
FIELD = ["sampled", "random", "random"]
PLAIN = ("winner_score", "score_sd", "shared_wins", "rats", "rat_cost", "seat_advantage", "goods_asymmetry", "decided_last")


def measured(key: str, policies: list[str], games: int = 300, deck: Deck = DECK, how: How = HOW) -> Estimate:
    meter = Meter(GAME, [measure(GAME, key, policies)], how)
    return meter.estimates(meter.play(deck, 0, games))[0]


def rows(policies: list[str], games: int = 300, **more: object) -> pl.DataFrame:
    return vs.simulate(GAME, policies, games, seed=3, jobs=1, **more).seats  # type: ignore[arg-type]


@pytest.mark.parametrize("key", ["winner_score", "score_sd", "shared_wins", "rats", "goods_scored"])
def test_metrics_of_the_game_are_as_everywhere(key: str) -> None:
    from veggies_sim.analysis.estimates import estimates

    run = vs.simulate(GAME, "sampled", 300, seed=3, jobs=1)
    told = estimates(run, [metrics_of(GAME)[key]]).select("value", "low", "high").row(0)
    assert measured(key, ["sampled"]) == pytest.approx(told)


def test_the_cost_of_a_rat_is_what_players_who_do_not_see_rats_lose() -> None:
    """Random players play the same with and without rats: each in sight costs its penalty, but for announcements that tie."""
    found = measured("rat_cost", ["random"])
    assert found.value == pytest.approx(2, abs=0.1) and found.low <= found.value <= found.high
    seats = rows(["random"])
    bare = vs.simulate(vs.Veggies(3, turn(DECK, "rat", "empty")), "random", 300, seed=3, jobs=1).seats
    gap = bare["score"].cast(pl.Float64).sum() - seats["score"].cast(pl.Float64).sum()
    assert found.value == pytest.approx(gap / seats["rats"].cast(pl.Int64).sum())


def test_the_cost_of_a_rat_is_that_of_the_what_if_with_the_other_sign() -> None:
    played = other_decks(GAME, [0, DECK.counts()["rat"]], "sampled", 300, seed=3, jobs=1)
    line = per_rat(played).row(by_predicate=pl.col("metric") == "score_per_visible_rat", named=True)
    assert measured("rat_cost", ["sampled"]).value == pytest.approx(-line["slope"])


def test_a_deck_with_no_rats_has_no_cost_of_a_rat() -> None:
    bare = turn(DECK, "rat", "empty")
    assert bare.counts()["rat"] == 0 and bare.counts()["empty"] == DECK.counts()["empty"] + DECK.counts()["rat"]
    assert {good: bare.counts()[good] for good in GOODS} == {good: DECK.counts()[good] for good in GOODS}
    assert all(map(math.isnan, measured("rat_cost", ["random"], deck=bare)))


def test_seats_less_chance_is_the_root_of_an_unbiased_square() -> None:
    won = rows(["sampled"])["win"].cast(pl.Float64).to_numpy().reshape(-1, 3)
    square = ((won.mean(axis=0) - 1 / 3) ** 2).mean() - (won.var(axis=0, ddof=1) / len(won)).mean()
    assert measured("seat_advantage", ["sampled"]).value == pytest.approx(math.sqrt(max(square, 0)))


def test_with_equal_seats_nothing_is_left_and_without_the_correction_it_would_be() -> None:
    """Random seats are equal but for the order of announcing. 20 seeds of 400 games; the negative control is the plain root."""
    found, plain = [], []
    for seed in range(20):
        how = HOW._replace(seed=seed, policy_seed=seed)
        found.append(measured("seat_advantage", ["random"], 400, how=how))
        seats = vs.simulate(GAME, "random", 400, seed=seed, jobs=1).seats["win"].cast(pl.Float64).to_numpy().reshape(-1, 3)
        plain.append(math.sqrt(((seats.mean(axis=0) - 1 / 3) ** 2).mean()))
    assert np.mean([each.value**2 for each in found]) < 0.5 * np.mean(np.square(plain))
    assert sum(each.low > 0 for each in found) <= 3  # of 20 intervals at 95 %: more than 3 by chance once in 60


@pytest.mark.parametrize("apart", [0.0, 0.01, 0.02, 0.05])
def test_the_interval_of_a_root_holds_the_true_value(apart: float) -> None:
    """1,000 studies of 400 deals; exact intervals would hold in less than 930 once in 400. Control: t-intervals of the square."""
    chance = np.array([1 / 3 + apart, 1 / 3, 1 / 3 - apart])
    true, random = apart * math.sqrt(2 / 3), np.random.default_rng(1)
    gaps = partial(module._seat_gaps, 1 / 3)
    held = plain = 0
    for _ in range(1000):
        won = np.eye(3)[random.choice(3, 400, p=chance)]
        found = Sums(pl.DataFrame(), {str(k): column[:, None] for k, column in enumerate([*won.T, np.full(400, 3.0)])}, 400)
        value, low, high = (end[0] for end in module._root(found, gaps, 0.95))
        assert low <= value <= high and low < high
        held += low <= true <= high
        without = (((won.sum(axis=0) - won) / 399 - 1 / 3) ** 2).mean(axis=1)
        square = 400 * ((won.mean(axis=0) - 1 / 3) ** 2).mean() - 399 * without.mean()
        plain += abs(square - true**2) <= 1.96 * jackknife_error(without[:, None])[0]
    assert held >= 930
    assert apart != 0.02 or plain < 930


def test_goods_that_are_equal_and_goods_that_are_not() -> None:
    face = (("strawberry", "strawberry", "strawberry"), ("strawberry", "strawberry", "banana"))
    lopsided = measured("goods_asymmetry", ["sampled"], 100, Deck([Card("a", face, 40)]))
    assert lopsided.value == pytest.approx(0.5, abs=0.05)  # of two goods one is always announced: 0.5 from equal
    one = measured("goods_asymmetry", ["random"], 100, Deck([Card("a", (("grape",) * 3, ("grape",) * 3), 40)]))
    assert one == (0, 0, 0)
    said = rows(["sampled"])["announced"]
    shares = [(said == good).mean() or 0.0 for good in GOODS]
    plain = math.sqrt(np.mean([(share - 1 / 5) ** 2 for share in shares]))
    found = measured("goods_asymmetry", ["sampled"])
    assert found.value < plain < found.value + 0.03


def test_games_decided_last_are_those_of_the_shape_of_play() -> None:
    facts = shape(vs.simulate(GAME, "sampled", 300, seed=3, jobs=1, record="moves")).facts
    assert facts is not None
    told = facts.filter(metric="decided_last").select("value", "low", "high").row(0)
    assert measured("decided_last", ["sampled"]) == pytest.approx(told)


@pytest.mark.parametrize("field", [FIELD, ["random", "random", "sampled"], ["sampled"] * 3])
def test_the_first_policy_is_measured_at_every_seat_in_turn(field: list[str]) -> None:
    seats = rows(field, rotate_seats=True)
    mine = seats.filter((pl.col("seat").cast(pl.Int64) + pl.col("game").cast(pl.Int64)) % 3 == 0)
    assert set(mine["policy"]) == {field[0]}
    share, gap = (measured(key, field) for key in ("named_win", "skill_gap"))
    assert share.value == pytest.approx(mine["win"].cast(pl.Float64).mean())
    assert gap == pytest.approx([end - 1 / 3 for end in share])
    if field == FIELD:
        assert gap.low > 0 and 0 <= share.low < share.value < share.high <= 1


def test_a_policy_that_wins_all_deals_is_not_sure_to_win_always() -> None:
    game = vs.Veggies(players=2)
    both = [measure(game, key, ["greedy", "random"]) for key in ("named_win", "skill_gap")]
    meter = Meter(game, both, HOW)
    share, gap = meter.estimates(meter.play(DECK, 0, 40))
    assert (share.value, share.high) == (1, 1) and share.low < 0.95
    assert gap == pytest.approx([end - 1 / 2 for end in share])


@pytest.mark.parametrize("jobs", [1, 2])
def test_games_may_be_added_in_any_stretches(monkeypatch: pytest.MonkeyPatch, jobs: int) -> None:
    every = [measure(GAME, key, ["random"]) for key in PLAIN] + [measure(GAME, "named_win", FIELD)]
    meter = Meter(GAME, every, HOW._replace(jobs=jobs))
    whole = meter.play(DECK, 0, 300)
    monkeypatch.setattr(module, "STRETCH", 48)
    grown = meter.play(DECK, 0, 240, meter.play(DECK, 0, 60))
    assert grown.games == whole.games == 300 and meter.estimates(grown) == meter.estimates(whole)
    assert meter.estimates(meter.play(DECK, 300, 300)) != meter.estimates(whole)  # other deals say something else


def test_what_is_measured_together_is_what_is_measured_alone() -> None:
    every = [measure(GAME, key, ["sampled"]) for key in PLAIN] + [measure(GAME, "skill_gap", FIELD)]
    meter = Meter(GAME, every, HOW)
    assert [each.name for each in every] == [*(f"{key} (sampled)" for key in PLAIN), "skill_gap (sampled against random, random)"]
    for each, found in zip(every, meter.estimates(meter.play(DECK, 0, 120)), strict=True):
        assert found == measured(each.key, FIELD if each.key == "skill_gap" else ["sampled"], 120)


@pytest.mark.parametrize("players", [2, 4])
def test_other_numbers_of_players(players: int) -> None:
    game = vs.Veggies(players=players)
    field = ["sampled"] + ["random"] * (players - 1)
    found = Meter(game, [measure(game, "seat_advantage", ["random"]), measure(game, "named_win", field)], HOW)
    seat, won = found.estimates(found.play(DECK, 0, 204))
    assert 0 <= seat.value < 0.2 and won.value > 0.5
    seats = vs.simulate(game, "random", 204, seed=3, jobs=1).seats
    wins = seats.group_by("seat").agg(pl.col("win").cast(pl.Float64).mean())["win"].to_numpy()
    assert seat.value <= math.sqrt(((wins - 1 / 2) ** 2).mean())


def test_what_a_stage_plays_of_each_line_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """All line-ups begin at the same deal, one that rotates plays each deal three times, and the cost of a rat plays twice."""
    played: list[tuple[bool, int, int]] = []
    real = module.simulate

    def simulate(*words: Any, **more: Any) -> Any:
        run = real(*words, **more)
        deals = run.seats["deal"]
        played.append((more["rotate_seats"], deals.min(), deals.max()))
        assert deals.value_counts()["count"].unique().to_list() == [9 if more["rotate_seats"] else 3]
        return run

    monkeypatch.setattr(module, "simulate", simulate)
    meter = Meter(GAME, [measure(GAME, "rat_cost", ["random"]), measure(GAME, "named_win", FIELD)], HOW)
    meter.play(DECK, 100, 60, meter.play(DECK, 100, 30))
    assert played == [(False, 100, 129)] * 2 + [(True, 100, 109)] + [(False, 130, 189)] * 2 + [(True, 110, 129)]
    assert meter.plays == 3


BAD = [
    ("win_share", ["random"], "the same whatever the deck"),
    ("margin", ["random"], "Take seat_advantage"),
    ("winner_scroe", ["random"], "Did you mean 'winner_score'"),
    ("cost of a rat", ["random"], "Did you mean 'rat_cost'"),
    ("score", ["greedyy"], "Did you mean 'greedy'"),
    ("score", FIELD, "give one, which plays at all seats"),
    ("named_win", ["random"], "found 1 policies; give one for each of 3 seats"),
    ("skill_gap", ["random", "random"], "2 policies for 3 players"),
]


@pytest.mark.parametrize(("key", "policies", "said"), BAD)
def test_what_is_refused(key: str, policies: list[str], said: str) -> None:
    with pytest.raises(vs.InputError, match=said):
        measure(GAME, key, policies)


def test_too_few_turns_for_games_decided_last() -> None:
    game = vs.Veggies(players=3, rules={"stand_size": 2})
    meter = Meter(game, [measure(game, "decided_last", ["random"])], HOW)
    with pytest.raises(vs.InputError, match="larger stand_size"):
        meter.play(DECK, 0, 30)


def test_every_measure_has_words_of_its_own() -> None:
    own = own_measures(GAME)
    assert not {*own} & {*metrics_of(GAME)} and len({metric.title for metric in own.values()}) == len(own)
    assert all(metric.doc and metric.unit for metric in own.values())


def test_a_metric_that_says_nothing_of_a_deck_is_not_offered() -> None:
    with pytest.raises(InputError, match="unknown metric 'wins'") as error:
        measure(GAME, "wins", ["random"])
    assert "rat_cost" in str(error.value) and "win_share" not in str(error.value) and "margin" not in str(error.value)
