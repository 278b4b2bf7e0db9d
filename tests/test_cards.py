"""Card impact: offers and visible spaces against the replay and the plain rules, the screen, and cards made plain."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import veggies_sim as vs
from veggies_sim.analysis.corrections import CLAIM, SCREEN, corrected, two_sided
from veggies_sim.core.dataset import Run
from veggies_sim.core.replay import Record, find_record
from veggies_sim.games.veggies import replay
from veggies_sim.games.veggies.analysis.card_plots import plot_card_changes, plot_card_impact
from veggies_sim.games.veggies.analysis.card_what_if import card_changes, plain
from veggies_sim.games.veggies.analysis.cards import METRICS, card_impact
from veggies_sim.games.veggies.analysis.offers import COUNTS, card_sums
from veggies_sim.games.veggies.deck import Card, Deck

DECK = Deck.shipped()
EMPTY = (("empty",) * 3,) * 2
PAIRS = Deck(Card(card.id, card.face, 2) for card in DECK.cards[:22])


def recount(run: Run, record: Record) -> dict[str, Counter[str]]:
    """Count a game again by the replay's table and the plain stands."""
    counts: dict[str, Counter[str]] = {name: Counter() for name in COUNTS}
    table = replay._Table(run.game, record)  # type: ignore[arg-type]
    laid: list[list[str]] = [[] for _ in table.stands]
    for move in record.moves:
        seat, card, source, turn = int(move["seat"]), move["card"], move["source"], move["turn"]
        if turn:
            counts["on_ramp"].update(table.ramp)
            counts["held"].update(table.hands[seat])
            counts["hand_taken" if source == "hand" else "ramp_taken"][card] += 1
        else:
            counts["dealt"].update(table.hands[seat])
        table.lay(move)
        if not turn:
            counts["kept"].update(table.hands[seat])
        laid[seat].append(card)
        counts["laid"][card] += 1
        counts["turn"][card] += turn
        counts["win"][card] += record.seats[seat]["win"]
        counts["score"][card] += record.seats[seat]["score"]
    for cards, stand in zip(laid, table.stands, strict=True):
        owner = {space: i for i, placed in enumerate(stand.cards) for space, _ in placed.spaces()}
        assert owner.keys() == stand.spaces.keys()
        seen = Counter(owner.values())
        for i, card in enumerate(cards):
            counts["spaces"][card] += seen[i]
            counts["visible"][card] += seen[i] > 0
    return counts


CASES = [(3, DECK, {}), (4, DECK, {}), (2, PAIRS, {"ramp_size": 1}), (2, DECK, {"ramp_size": 0}), (4, PAIRS, {"stand_size": 9}),
         (3, DECK, {"stand_size": 1})]  # fmt: skip


@pytest.mark.parametrize(("players", "deck", "rules"), CASES, ids=["3", "4", "copies", "no ramp", "9 cards", "1 card"])
def test_counts_are_those_of_the_replay_and_the_plain_stands(players: int, deck: Deck, rules: dict[str, object]) -> None:
    run = vs.simulate(vs.Veggies(players, deck, rules), "random", 12, seed=5, record="moves")
    sums = card_sums(run)
    assert sums["games"].shape == (12, len(deck.cards)) and (sums["games"] == 1).all()  # few deals: each is a group
    for game in range(12):
        for name, counted in recount(run, find_record(run, game)).items():
            assert sums[name][game] == pytest.approx([counted[card.id] for card in deck.cards]), name
    if "stand_size" not in rules:
        assert (sums["spaces"] < 6 * sums["laid"]).any()  # some cards are covered


def test_parts_on_disk_and_games_of_one_deal_go_together(tmp_path: Path) -> None:
    how = {"seed": 2, "record": "moves", "rotate_seats": True}
    game, policies = vs.Veggies(3), "random"
    run = vs.simulate(game, policies, 90, **how)  # type: ignore[arg-type]
    vs.simulate(game, policies, 50, out=tmp_path / "run", **how)  # type: ignore[arg-type]
    disk = vs.simulate(game, policies, 90, out=tmp_path / "run", mode="resume", **how)  # type: ignore[arg-type]
    assert len(disk.manifest.parts) > 1
    found = card_sums(disk)
    assert found["games"].shape == (30, 40) and (found["games"] == 3).all()
    assert all((each == card_sums(run)[name]).all() for name, each in found.items())


def test_a_run_that_can_not_say_it_is_refused() -> None:
    run = vs.simulate(vs.Veggies(3), "random", 20, seed=1, record="moves")
    other = vs.simulate(vs.Veggies(3), "random", 20, seed=2, record="moves")
    with pytest.raises(vs.InputError, match="--record moves"):
        card_impact(vs.simulate(vs.Veggies(3), "random", 20, seed=1))
    with pytest.raises(vs.InputError, match="10 deals"):
        card_impact(vs.simulate(vs.Veggies(3), "random", 9, seed=1, record="moves"))
    moves = run._tables["moves"]
    damages = {"deals": [other._tables["deals"]], "moves": [moves.slice(0, 400), moves.take([*range(479, -1, -1)])]}
    damages["moves"].append(moves.set_column(3, "source", other._tables["moves"]["source"]))
    for table, damaged in damages.items():
        for rows in damaged:
            with pytest.raises(vs.InputError, match="Simulate it again"):
                card_impact(Run(run.manifest, run.game, None, run._tables | {table: rows}))


def test_a_screen_finds_the_good_card_and_none_among_equal_ones() -> None:
    good = Card("good", (("grape",) * 3,) * 2)
    alike = [Card(f"c{i:02}", (("grape", "carrot", "rat"), ("empty", "empty", "banana"))) for i in range(40)]
    found = [card_impact(vs.simulate(vs.Veggies(3, Deck(cards)), "random", 1500, seed=4, record="moves"))
             for cards in (alike, [good, *alike[1:]])]  # fmt: skip
    assert found[0]["p_screen"].min() > 0.05 and found[0]["win_share"].mean() == pytest.approx(1 / 3, abs=0.005)
    assert found[0]["p"].min() < 0.2  # not all alike by some fault
    best = found[1].row(0, named=True)
    assert best["card"] == "good" and best["p_screen"] < 1e-6 and best["win_share_low"] > 1 / 3
    assert (found[1]["p_screen"][1:] > 0.05).mean() > 0.9
    for frame in found:
        for metric in METRICS:
            low, value, high = (frame[f"{metric.key}{end}"] for end in ("_low", "", "_high"))
            assert (low <= value).all() and (value <= high).all()


def test_numbers_of_the_frame_are_shares_of_the_counts() -> None:
    run = vs.simulate(vs.Veggies(2, PAIRS), "random", 400, seed=3, record="moves")
    found, sums = card_impact(run), card_sums(run)
    assert found["copies"].to_list() == [2] * 22 and found["card"].to_list() == [card.id for card in PAIRS.cards]
    rows = run.moves.join(run.seats.select("game", "seat", "win", "score"), on=["game", "seat"])
    plain_means = rows.group_by("card").agg(
        pl.col("win").cast(pl.Float64).mean(), pl.col("score").cast(pl.Float64).mean(), pl.len()
    )
    together = found.join(plain_means, on="card", suffix="_plain")
    assert together["win_share"].to_list() == pytest.approx(together["win"].to_list())
    assert together["score"].to_list() == pytest.approx(together["score_plain"].to_list())
    assert together["laid"].to_list() == pytest.approx((together["len"] / 400).to_list())
    assert found["ramp_taken"].to_list() == pytest.approx((sums["ramp_taken"].sum(axis=0) / sums["on_ramp"].sum(axis=0)).tolist())
    assert found["on_ramp"].sum() == pytest.approx(14 * 3) and found["held"].sum() == pytest.approx(14)


def test_what_never_happened_is_null() -> None:
    found = card_impact(vs.simulate(vs.Veggies(2, rules={"ramp_size": 0, "stand_size": 1}), "random", 10, seed=1, record="moves"))
    assert found["ramp_taken"].null_count() == found["hand_taken"].null_count() == 40
    never = found.filter(pl.col("laid") == 0)
    assert len(never) and never["win_share"].null_count() == never["p_screen"].null_count() == len(never)


def test_corrections_are_those_of_the_books() -> None:
    p = np.array([0.01, np.nan, 0.04, 0.03])
    assert corrected(p, CLAIM) == pytest.approx([0.03, np.nan, 0.06, 0.06], nan_ok=True)
    assert corrected(p, SCREEN) == pytest.approx([0.03, np.nan, 0.04, 0.04], nan_ok=True)
    assert np.isnan(corrected(np.array([np.nan]), CLAIM)).all()
    found = two_sided(np.array([0.0, 1.0, 1.0, np.nan]), np.array([0.0, 0.0, 0.5, 1.0]), 11)
    assert found == pytest.approx([1.0, np.nan, 0.07338803, np.nan], nan_ok=True)  # t of 2 with 10 degrees of freedom


def test_a_plain_card_has_no_goods_and_keeps_its_rats() -> None:
    found = plain(DECK, "v02")
    assert found.cards[1].face == (("rat", "empty", "rat"), ("empty", "empty", "empty")) and DECK.cards[1].face[0][1] == "banana"
    assert found.cards[:1] + found.cards[2:] == DECK.cards[:1] + DECK.cards[2:]
    assert plain(found, "v02") == found


def test_what_a_card_changes() -> None:
    cards = [Card("good", (("grape",) * 3,) * 2), Card("none", EMPTY), *(Card(f"c{i:02}", EMPTY) for i in range(38))]
    game = vs.Veggies(3, Deck(cards))
    found = card_changes(game, ["none", "good"], "random", 600, seed=1, metrics=["score", "lead"])
    none, good = found.filter(card="none"), found.filter(card="good")
    assert found["card"].to_list() == ["none"] * 3 + ["good"] * 3
    assert none["change"].to_list() == [0.0] * 3 and none["p_claim"].to_list() == [
        1.0,
        1.0,
        None,
    ]  # it had no goods: nothing differs
    score = good.row(0, named=True)
    run = vs.simulate(game, "random", 600, seed=1)
    assert score["metric"] == "score" and score["change"] == pytest.approx(-run.seats["score"].cast(pl.Float64).mean())
    assert score["p_claim"] < 1e-6 and score["high"] < 0
    assert good.row(2, named=True)["metric"] == "changed_moves" and good["p"][2] is None


def test_the_win_share_of_a_named_policy_against_a_field() -> None:
    found = card_changes(vs.Veggies(3), ["v03"], ["sampled", "random", "random"], 60, seed=1, metrics=["score"], choices=False)
    assert found["metric"].to_list() == ["score", "named_win"]
    with pytest.raises(vs.InputError, match=r"unknown card 'v3'\. Did you mean"):
        card_changes(vs.Veggies(3), ["v3"], "random", 60)
    with pytest.raises(vs.InputError, match="same policy at all seats"):
        card_changes(vs.Veggies(3), ["v03"], "random", 60, named="random")


def test_pictures_show_the_frames() -> None:
    frame = card_impact(vs.simulate(vs.Veggies(3), "random", 200, seed=1, record="moves"))
    ax = plot_card_impact(frame, par=1 / 3, title="A")
    assert [label.get_text() for label in ax.get_yticklabels()] == frame.sort("win_share")["card"].to_list()
    assert "win share (%)" in ax.get_xlabel() and plot_card_impact(frame, "spaces", ax=ax) is ax and "spaces" in ax.get_xlabel()
    changes = pl.DataFrame({"card": ["a", "b" * 40], "metric": ["score"] * 2, "unit": ["points"] * 2, "change": [0.0, -2.0],
                            "low": [-0.1, -2.5], "high": [0.1, -1.5], "p_claim": [1.0, 0.001]})  # fmt: skip
    ax = plot_card_changes(changes)
    assert [label.get_text() for label in ax.get_yticklabels()] == ["b" * 23 + "…", "a"]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["a change that may be claimed"]  # type: ignore[union-attr]
