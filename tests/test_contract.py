"""Every game, policy and number of players keeps the contract; games and policies that break it are caught.

A new game or policy is tested here by being registered: nothing needs to be added.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.register_assert_rewrite("contract")  # or its checks would fail without a word

import contract
import contract_controls as controls
from contract import CHECKS, SEED, Check
from contract_controls import EndsEven, ShowsFirst
from toy_game import Blind, HighSum

import veggies_sim as vs
from veggies_sim.core import engine, registry
from veggies_sim.core.game import Game
from veggies_sim.core.policy import PolicyKind

true_outcome = engine.outcome
KINDS: list[type[Game]] = [*map(registry.find_game, registry.game_ids()), HighSum]
CASES = [
    pytest.param(kind, players, policy, id=f"{kind.id}-{players}-{policy.partition(':')[0]}")
    for kind in KINDS
    for players in range(kind.min_players, kind.max_players + 1)
    for policy in contract.names_of(kind)
]


@pytest.mark.parametrize(("kind", "players", "policy"), CASES)
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__.removeprefix("check_"))
def test_contract(check: Check, kind: type[Game], players: int, policy: str) -> None:
    check(kind(players), policy)


@pytest.mark.parametrize(("kind", "players", "policy"), CASES)
def test_a_dataset_brings_its_game_along(
    kind: type[Game], players: int, policy: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(registry._GAMES, kind.id, kind)
    game = kind(players)
    written = vs.simulate(game, policy, 20, seed=SEED, jobs=1, out=tmp_path / "run", record="moves")
    read = vs.open_dataset(tmp_path / "run")
    assert type(read.game) is kind and (read.game.rules, read.game.setup_text()) == (game.rules, game.setup_text())
    again = vs.simulate(read.game, policy, 20, seed=SEED, jobs=1, record="moves")
    assert all(read.table(name).equals(again.table(name)) for name in again.columns)
    assert read.manifest.behaviour == kind.behaviour and written.manifest.games == 20


@pytest.mark.parametrize("game_id", registry.game_ids())
def test_the_registry_finds_a_game_by_its_id(game_id: str) -> None:
    assert registry.find_game(game_id).id == game_id
    with pytest.raises(vs.InputError, match=f"Did you mean '{game_id}'"):
        registry.find_game(game_id + "x")


# ---- controls: each breaks one promise, and the check of this promise must fail

BAD: list[tuple[type[Game], type[Blind], Check, type[Exception]]] = [
    (ShowsFirst, controls.DrawsElsewhere, contract.check_same_rows, AssertionError),
    (ShowsFirst, controls.FollowsTheFirst, contract.check_same_rows, AssertionError),
    (ShowsFirst, controls.Remembers, contract.check_same_rows, AssertionError),
    (controls.ChangesWhenRecorded, Blind, contract.check_same_rows, AssertionError),
    (controls.DealsByPolicySeed, Blind, contract.check_other_seeds, AssertionError),
    (controls.IgnoresTheSeed, Blind, contract.check_other_seeds, AssertionError),
    (controls.HidesAColumn, Blind, contract.check_tables, AssertionError),
    (controls.SkipsUnsaid, Blind, contract.check_tables, AssertionError),
    (controls.HasNoWordForIt, Blind, contract.check_tables, IndexError),
    (controls.LeavesAGap, Blind, contract.check_outcome, AssertionError),
    (controls.DealsByGame, Blind, contract.check_rotation, AssertionError),
    (ShowsFirst, controls.WritesEverywhere, contract.check_choices, AssertionError),
    (controls.DefaultOutOfRange, Blind, contract.check_words, vs.InputError),
    (controls.RunsOutOfCards, Blind, contract.check_extremes, IndexError),
    (controls.TellsTheTime, Blind, contract.check_replay, AssertionError),
]


@pytest.mark.parametrize(("kind", "policy", "check", "error"), BAD, ids=lambda each: each.__name__)
def test_a_broken_promise_is_caught(kind: type[Game], policy: type[Blind], check: Check, error: type[Exception]) -> None:
    class Bad(kind):  # type: ignore[valid-type, misc]
        policies = (PolicyKind("blind", "the one to be tested", "made up", lambda game, values: policy()),)

    with pytest.raises(error):
        check(Bad(3), "blind")


@pytest.mark.parametrize("kind", [ShowsFirst, EndsEven, controls.LeavesOut])
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_honest_controls_pass(kind: type[Game], check: Check) -> None:
    check(kind(3), "blind")


FAULTS = [
    lambda score, team, ties: true_outcome(-score, team, ties),
    lambda score, team, ties: (true_outcome(score, team, ties)[0] > 0, true_outcome(score, team, ties)[1]),
    lambda score, team, ties: (true_outcome(score, team, ties)[0], score),
]


@pytest.mark.parametrize("fault", FAULTS, ids=["fewest points win", "a shared win counts whole", "no margin"])
def test_a_wrong_outcome_is_caught(fault: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "outcome", fault)
    with pytest.raises(AssertionError):
        for kind in (ShowsFirst, EndsEven):
            contract.check_outcome(kind(3), "blind")
