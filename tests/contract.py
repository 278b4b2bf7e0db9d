"""What every game and every policy promises, as checks that take a game and the name of one of its policies.

`test_contract.py` runs them on all games of the registry, and on bad ones that must fail.
"""

from __future__ import annotations

import pickle
import xml.etree.ElementTree as ET
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import polars as pl
from joblib.externals.loky.backend.reduction import dumps

import veggies_sim as vs
from veggies_sim.core.engine import Design, play_block
from veggies_sim.core.game import Game, Keys
from veggies_sim.core.options import Option
from veggies_sim.core.policy import policies_for
from veggies_sim.core.replay import as_text, find_record, plain_steps
from veggies_sim.core.runner import Plan
from veggies_sim.core.schema import arrow_schema, to_polars

GAMES, BLOCK, SEED = 20, 8, 7
SHARED = {"game": pl.UInt64, "deal": pl.UInt64, "seat": pl.UInt8, "team": pl.UInt8, "policy": pl.String}
SHARED |= {"score": pl.Int16, "win": pl.Float32, "margin": pl.Int16}  # what `seats` has in every game
Check = Callable[[Game, str], None]
Rows = dict[str, pl.DataFrame]


def plan(game: Game, policy: str | list[str], record: str = "moves", block: int = BLOCK, **design: Any) -> Plan:
    """Return a run to be played; its seeds are SEED where `design` names no others."""
    return Plan(game, policies_for(policy, game), Design(**{"seed": SEED, "policy_seed": SEED, **design}), record, block)


def rows(planned: Plan, first: int = 0, count: int = GAMES) -> Rows:
    """Play games and return their rows by table."""
    return {name: to_polars(table) for name, table in planned.play(first, count)[2].items()}


def same(left: Rows, right: Rows) -> bool:
    """Return whether two runs have equal rows in every table."""
    return left.keys() == right.keys() and all(left[name].equals(right[name]) for name in left)


def of_deal(game: Game) -> list[str]:
    """Return the columns of `deals` that depend on the deal alone."""
    return [column.name for column in game.deal_columns if not column.of_play]


def choices_of(moves: pl.DataFrame) -> dict[int, list[tuple[int, int]]]:
    """Return (turn, seat) of the rows of each game, in their order."""
    made: dict[int, list[tuple[int, int]]] = {}
    for game, *choice in moves.select("game", "turn", "seat").rows():
        made.setdefault(game, []).append((choice[0], choice[1]))
    return made


def names_of(game: Game | type[Game]) -> list[str]:
    """Return a name for each policy that is made in its own way: presets of one class once, budgets small."""
    kinds = {kind.build: kind for kind in reversed(game.policies)}
    small = {kind.name: kind.name + ":budget=4,width=2" for kind in game.policies if any(o.key == "budget" for o in kind.options)}
    return [small.get(kind.name, kind.name) for kind in game.policies if kinds[kind.build] is kind]


def seated(game: Game, policy: str) -> list[str]:
    """Return one policy for each seat: the given one, then the others of the game in turn."""
    names = names_of(game)
    return [names[(names.index(policy) + seat) % len(names)] for seat in range(game.players)]


def check_same_rows(game: Game, policy: str) -> None:
    """Rows depend on seed and number of the game alone: not on blocks, recording, or the process that plays."""
    usual = plan(game, seated(game, policy))
    expected = rows(usual)
    assert same(rows(usual), expected)
    assert all(same(rows(plan(game, seated(game, policy), block=block)), expected) for block in (1, 7, GAMES))
    assert rows(plan(game, seated(game, policy), "seats"))["seats"].equals(expected["seats"])
    assert same(rows(pickle.loads(dumps(usual))), expected)
    assert same(rows(usual, 13, 1), {name: table.filter(game=13) for name, table in expected.items()})


def check_other_seeds(game: Game, policy: str) -> None:
    """Another seed deals anew; the policies' seed and the policy of another seat leave the deal as it is."""
    base, mixed = rows(plan(game, policy)), rows(plan(game, seated(game, policy)))
    deal = [pl.col("game", "deal"), *map(pl.col, of_deal(game))]
    assert not same(base, rows(plan(game, policy, seed=SEED + 1)))
    assert base["deals"].select(deal).equals(rows(plan(game, policy, policy_seed=SEED + 1))["deals"].select(deal))
    assert mixed["deals"].select(deal).equals(base["deals"].select(deal))
    order = list(game.schedule())
    changed = [name != policy for name in seated(game, policy)]
    before = next((at for at, (_, seat) in enumerate(order) if changed[seat]), len(order))
    early = pl.DataFrame(order[:before], {"turn": pl.UInt8, "seat": pl.UInt8}, orient="row")  # before the first other policy's
    left, right = (found["moves"].join(early, ["turn", "seat"], "semi", maintain_order="left") for found in (mixed, base))
    assert left.equals(right) and (before == 0 or not left.is_empty())


def check_tables(game: Game, policy: str) -> None:
    """The tables hold the declared columns with their types, numbered game by game, choice by choice, seat by seat."""
    planned, order, numbers = plan(game, policy), list(game.schedule()), range(100, 100 + GAMES)
    own = {"seats": game.seat_columns, "deals": game.deal_columns, "moves": game.move_columns}
    shared = {"seats": list(SHARED), "deals": ["game", "deal"], "moves": ["game", "turn", "seat"]}
    raw = play_block(game, [spec.kind.build(game, spec.values) for spec in planned.policies], planned.design, 0, 3, "moves")
    for name, table in planned.play(0, 3)[2].items():
        assert table.column_names == shared[name] + [column.name for column in own[name]]
        assert set(raw[name]) == set(table.column_names)
        assert table.schema.equals(arrow_schema(planned.columns()[name]))
    seats, deals, moves = (rows(planned, 100)[name] for name in shared)
    assert dict(list(seats.schema.items())[: len(SHARED)]) == SHARED
    assert seats.select("game", "seat").rows() == [(i, seat) for i in numbers for seat in range(game.players)]
    assert seats["team"].to_list() == game.team() * GAMES
    assert seats["deal"].to_list() == seats["game"].to_list() and set(seats["policy"]) == {policy}
    assert deals.select("game", "deal").rows() == [(i, i) for i in numbers]
    made = choices_of(moves)
    assert moves["game"].is_sorted() and list(made) == list(numbers)
    assert all(each == [choice for choice in order if choice in each or not game.skips] for each in made.values())
    assert {seat for _, seat in order} == set(range(game.players))


def check_outcome(game: Game, policy: str) -> None:
    """The side with the most points wins, k winners get 1/k each, and a side's members have the same win and margin."""
    sides = sorted(set(game.team()))
    assert sides == list(range(len(sides))) and len(sides) > 1
    for _, seats in rows(plan(game, seated(game, policy)))["seats"].group_by("game"):
        total = {side: sum(seats.filter(team=side)["score"]) for side in sides}
        win = {side: set(seats.filter(team=side)["win"]) for side in sides}
        winners = [side for side in sides if win[side] != {0}]
        assert winners and all(total[side] == max(total.values()) for side in winners)
        assert all(win[side] == {float(np.float32(1 / len(winners)))} for side in winners)
        for side in sides:
            best_other = max(total[other] for other in sides if other != side)
            assert set(seats.filter(team=side)["margin"]) == {total[side] - best_other}


def check_rotation(game: Game, policy: str) -> None:
    """With rotation seat s of game i has policy (s + i) mod n, and is the same as seating the policies so by hand."""
    n, seats = game.players, seated(game, policy)
    found = rows(plan(game, seats, plays_per_deal=2, rotate_seats=True))
    assert found["seats"]["policy"].to_list() == [seats[(s + i) % n] for i in range(GAMES) for s in range(n)]
    assert found["deals"]["deal"].to_list() == [i // (2 * n) for i in range(GAMES)]
    for name in of_deal(game):
        assert set(found["deals"].group_by("deal").agg(pl.col(name).n_unique())[name]) == {1}, name
    for shift in range(n):
        by_hand = rows(plan(game, seats[shift:] + seats[:shift], plays_per_deal=2 * n))
        mine = pl.col("game") % n == shift
        assert all(found[name].filter(mine).equals(by_hand[name].filter(mine)) for name in found), shift


def check_choices(game: Game, policy: str) -> None:
    """The view says whose turn it is; a policy writes whole moves, the same for any part of the games, no others."""
    every, odd, spec = np.arange(GAMES), np.arange(1, GAMES, 2), policies_for(policy, game)[0]
    keys = Keys(every.astype(np.uint64) + np.uint64(2**40), every.astype(np.uint64), SEED, SEED + 1)
    block, chooser, empty = game.new_block(keys), spec.kind.build(game, spec.values), np.iinfo(np.int16).min
    for turn, seat in game.schedule():
        view = game.view(block, keys, turn, seat)
        assert (view.seed, view.turn, view.seat) == (SEED + 1, turn, seat) and (view.index == keys.game).all()
        moves = np.full((GAMES, len(game.move_fields)), empty, np.int16)
        part = moves.copy()
        chooser.choose(view, every, moves)
        chooser.choose(view, odd, part)
        assert (moves != empty).all() and (part[odd] == moves[odd]).all() and (part[::2] == empty).all()
        game.apply(block, turn, seat, moves, False)


def check_replay(game: Game, policy: str) -> None:
    """A game replays from its recorded moves, and without them from seed and number, as the same text."""
    texts = []
    for record in ("moves", "seats"):
        found = find_record(vs.simulate(game, policy, 3, seed=SEED, jobs=1, record=record), 2)
        assert len(plain_steps(found)) == len(found.moves) + 1
        texts.append((as_text(game.steps(found)), as_text(plain_steps(found))))
        assert all(ET.fromstring(step.svg).tag.endswith("svg") for step in game.steps(found))
    assert texts[0] == texts[1]


def refused(said: str, make: Callable[..., object], *given: object) -> None:
    """Check that `make(*given)` is refused as wrong input, in words that hold `said`."""
    try:
        made = make(*given)
    except vs.InputError as error:
        assert said in str(error), error
    else:
        raise AssertionError(f"accepted {given} as {made}, should be refused with {said!r}")


def check_words(game: Game, policy: str) -> None:
    """Defaults are valid; numbers of players, rules and policies that are not are refused, the nearest valid word named."""
    kind, names = type(game), [each.name for each in game.policies]
    assert kind.default_policy in names and len(set(names)) == len(names) and kind.behaviour >= 1
    assert kind(game.players, game.setup, game.rules).rules == game.rules
    for players in (kind.min_players - 1, kind.max_players + 1):
        refused(f"{kind.min_players} to {kind.max_players}", kind, players, game.setup)
    policy = policy.partition(":")[0]
    refused(f"Did you mean '{policy}'", policies_for, policy + "x", game)
    refused(f"{game.players} players", policies_for, [policy] * (game.players + 1), game)
    check_options(kind.rule_options, lambda key, value: kind(game.players, game.setup, {key: value}))
    check_options(policies_for(policy, game)[0].kind.options, lambda key, value: policies_for(f"{policy}:{key}={value}", game))


def check_options(options: Sequence[Option], give: Callable[[str, object], object]) -> None:
    """Each option has a valid default and refuses what is beyond its range; other keys are refused."""
    refused("no_such_key", give, "no_such_key", 1)
    for option in options:
        assert option.doc and option.check(option.default, "default") == option.default
        refused(f"Did you mean '{option.key}'", give, option.key + "x", option.default)
        numbers = option.low - 1, option.high + 1, "many", "nan" if option.real else 2.5
        for value in (option.words[0] + "x",) if option.words else numbers:
            refused(option.key, give, option.key, value)


def check_extremes(game: Game, policy: str) -> None:
    """With the least and the most of every rule a game is played to its end, or refused as wrong input."""
    for option in game.rule_options:
        for value in option.words or (option.low, option.high):
            try:
                extreme = type(game)(game.players, game.setup, {option.key: value})
            except vs.InputError:
                continue
            check_tables(extreme, policy)
            check_outcome(extreme, policy)


CHECKS: list[Check] = [check_same_rows, check_other_seeds, check_tables, check_outcome, check_rotation, check_choices]
CHECKS += [check_replay, check_words, check_extremes]
