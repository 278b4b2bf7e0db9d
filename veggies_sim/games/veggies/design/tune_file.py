"""What `deck tune` searches for: a TOML file with targets and the spec of the deck, checked before anything is played.

Files are data: nothing in one is run, own code of policies is refused, and it names no path.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from veggies_sim.core.checks import as_path, mapping, refuse_twice, several, whole
from veggies_sim.core.errors import InputError
from veggies_sim.core.policy import policy_of_file
from veggies_sim.core.toml import check_keys, read_toml_and_bytes
from veggies_sim.design.objectives import KEYS as OBJECTIVE_KEYS
from veggies_sim.design.objectives import Objective
from veggies_sim.games.veggies.deck import EMPTY, MAX_COPIES, RAT, Card, Deck
from veggies_sim.games.veggies.design.faces import face_of
from veggies_sim.games.veggies.design.measures import FIELD, RAT_COST, Measure, measure
from veggies_sim.games.veggies.design.spec import Spec
from veggies_sim.games.veggies.game import Veggies

KEYS = ("players", "rules", "policies", "objective", "deck")
LINE_UP_KEYS = ("policy", "against")  # of an objective whose metric is one of FIELD
MOST = 20  # objectives, and policies: each is played
EXAMPLE = """\
players = 3                      # 2, 3 or 4; default 3
policies = ["greedy"]            # the default; of several each plays at all seats, and an objective counts as its worst
[rules]                          # as --rule KEY=VALUE; default the game's own
rat_penalty = 2

[[objective]]                    # one or more: a metric that shall be `goal`, give or take `tolerance`
metric = "winner_score"          # see below
goal = 60
tolerance = 2
weight = 1                       # against the other objectives; default 1

[[objective]]
metric = "rat_cost"
goal = 3.5
tolerance = 0.5

[[objective]]                    # named_win and skill_gap: of a policy against others, seats rotating
metric = "skill_gap"
goal = 0.5
tolerance = 0.05
policy = "greedy"
against = ["sampled"]            # one for all other seats, or one for each

[deck]                           # what every deck must meet, the form of `deck generate`; what it leaves free is searched
cards = 40
[deck.symbols]
strawberry = [30, 42]
banana = [30, 42]
grape = 36
carrot = 36
mushroom = 36
rat = [10, 40]
[deck.card]
rat = [0, 2]
[deck.clusters]
touching = [0.1, 0.3]
"""


@dataclass(frozen=True)
class Target:
    """What a deck shall be like, and the decks that may be."""

    game: Veggies  # players and rules; its own deck plays no part
    policies: tuple[str, ...]  # each at all seats
    objectives: tuple[Objective, ...]
    measures: tuple[tuple[Measure, ...], ...]  # of each objective: one for each policy
    spec: Spec
    raw: bytes  # the file

    def every(self) -> list[Measure]:
        """Return the measures of all objectives, one after the other."""
        return [each for group in self.measures for each in group]


def read_target(file: str | Path) -> Target:
    """Return the target of a TOML file, in the form of EXAMPLE. Raises InputError for the first fault."""
    path = as_path(file, "target")
    table, raw = read_toml_and_bytes(path)
    return target_of(check_keys(table, KEYS, str(path)), str(path), raw)


def target_of(table: Mapping[str, Any], where: str, raw: bytes) -> Target:
    """Return the target of a table with KEYS; `where` names the table, raw is its file. Raises InputError for the first fault."""
    spec = Spec.from_table(table.get("deck", {}), f"{where}, deck")
    try:
        game = _game(table, spec)
        names = [_policy(name) for name in _some(table.get("policies", [game.default_policy]), "policies", '["greedy"]')]
        refuse_twice(names, "policies")
        tables = _some(table.get("objective", []), "objective", '[[objective]] with metric = "winner_score"')
        read = [_objective(each, f"objective {place}", game, names, spec) for place, each in enumerate(tables, 1)]
        measures = tuple(measures for _, measures in read)
        refuse_twice([each.name for group in measures for each in group], "objective")
    except InputError as error:
        raise InputError(f"{where}: {error}") from None
    return Target(game, tuple(names), tuple(objective for objective, _ in read), measures, spec, raw)


def _game(table: Mapping[str, Any], spec: Spec) -> Veggies:
    """Return the game with a deck of that size, so that one too small for it is refused at once."""
    blank = Card("blank", face_of((EMPTY,) * 6), min(spec.cards, MAX_COPIES))
    return Veggies(whole(table.get("players", 3), "players", Veggies.min_players, Veggies.max_players), Deck([blank]),
                   rules=mapping(table.get("rules", {}), "rules"))  # fmt: skip


def _objective(
    given: object, where: str, game: Veggies, names: list[str], spec: Spec
) -> tuple[Objective, tuple[Measure, ...]]:
    """Return an objective and what is measured for it."""
    table = check_keys(given, (*OBJECTIVE_KEYS, *LINE_UP_KEYS), where)
    found = Objective.from_table({key: value for key, value in table.items() if key in OBJECTIVE_KEYS}, where)
    return found, measures_of(found.metric, table, where, game, names, spec)


def measures_of(
    metric: str, table: Mapping[str, Any], where: str, game: Veggies, names: Sequence[str], spec: Spec
) -> tuple[Measure, ...]:
    """Return what is measured for a metric: once for each policy of `names`; of FIELD once, by the LINE_UP_KEYS of a table."""
    try:
        if metric == RAT_COST and not spec.fitting()[RAT].most:
            raise InputError(f"{metric}: no deck of the spec has a rat, so it has no value. Allow rats, or leave it out.")
        if metric not in FIELD:
            if {*LINE_UP_KEYS} & {*table}:
                raise InputError(f"policy and against are of {' and '.join(FIELD)}; leave them out, or take one of these metrics.")
            return tuple(measure(game, metric, [name]) for name in names)
        if not {*LINE_UP_KEYS} <= {*table}:
            raise InputError(f'{metric} needs policy and against, such as policy = "greedy" and against = ["random"].')
        others = [_policy(name, "against") for name in _some(table["against"], "against", '["random"]')]
        others = others * (game.players - 1) if len(others) == 1 else others
        return (measure(game, metric, [_policy(table["policy"], "policy"), *others]),)
    except InputError as error:
        raise InputError(f"{where}: {error}") from None


def _policy(name: object, key: str = "policies") -> str:
    return policy_of_file(name, Veggies.policies, Veggies.id, key)


def _some(value: object, name: str, such_as: str) -> list[Any]:
    found = several(value, name, such_as)
    if not 0 < len(found) <= MOST:
        raise InputError(f"{name}: found {len(found)}; give 1 to {MOST}, such as {such_as}.")
    return found
