"""What a sweep plays: a TOML file, or the same settings in Python, checked and multiplied out into arms before any is played.

A file may come from somebody else. Nothing in it is run, and it reaches no other files than those beside and below it.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any, NamedTuple

from veggies_sim.analysis.estimates import LEAST_DEALS
from veggies_sim.core.checks import as_path, flag, mapping, one_of, refuse_twice, whole
from veggies_sim.core.errors import InputError, show
from veggies_sim.core.game import Game
from veggies_sim.core.manifest import LIMITS
from veggies_sim.core.options import Value, as_text, resolve
from veggies_sim.core.policy import policies_for, policy_of_file
from veggies_sim.core.registry import DEFAULT_GAME, find_game
from veggies_sim.core.schema import RECORDS
from veggies_sim.core.toml import check_keys, read_toml

HOW: dict[str, Any] = {  # the same for all arms, with their defaults
    "games": 10_000, "seed": None, "policy_seed": None, "record": "seats", "rotate_seats": False, "plays_per_deal": 1,
}  # fmt: skip
KEYS = ("game", *HOW, "decks", "policies", "players", "rules")
SHIPPED = "shipped"  # the word for the set-up that ships with the game
MOST_ARMS = 1000
MOST_TOLD = 10  # arms that can't be played, in one message
_DECK_NAME = re.compile(r"\w[\w .()-]{0,39}")  # what may stand in tables, pictures and spreadsheets as it is
Settings = str | Path | Mapping[str, Any]


class Arm(NamedTuple):
    """One combination."""

    number: int  # from 1
    deck: str  # its name
    seats: tuple[str, ...]  # the policies: one for all seats, or one for each
    game: Game

    @property
    def policies(self) -> str:
        """The policies as one text."""
        return " / ".join(self.seats)


@dataclass(frozen=True)
class Plan:
    """A sweep before it is played."""

    kind: type[Game]
    arms: list[Arm]
    how: dict[str, Any]  # HOW as given; a seed of None is still to be drawn
    decks: dict[str, Any]  # set-ups by name
    varying: list[str]  # what has more than one value: of deck, policies, players, and the keys of rules
    file: Path | None  # where the settings came from

    def values(self, arm: Arm) -> dict[str, Value]:
        """Return what an arm is made of: deck, policies, players and the rules that are not the same in all arms.

        A rule that is a text in any arm is one in all of them, so that it fits a column.
        """
        rules = {key: arm.game.rules[key] for key in (*self.varying, *self.follow) if key in arm.game.rules}
        rules = {key: as_text(value) if key in self._texts else value for key, value in rules.items()}
        made: dict[str, Value] = {"deck": arm.deck, "policies": arm.policies, "players": arm.game.players}
        return made | rules

    @cached_property
    def follow(self) -> list[str]:
        """The rules that differ between arms though none varies them: their defaults follow the players or the deck."""
        keys = [key for key in self.arms[0].game.rules if key not in self.varying]
        return [key for key in keys if len({arm.game.rules[key] for arm in self.arms}) > 1]

    @cached_property
    def _texts(self) -> set[str]:
        """The rules whose value is a text in some arm."""
        return {key for arm in self.arms for key, value in arm.game.rules.items() if isinstance(value, str)}

    def name(self, arm: Arm) -> str:
        """Return what tells an arm from the others, for people."""
        return words_of({key: value for key, value in self.values(arm).items() if key in self.varying})

    def folder(self, arm: Arm) -> str:
        """Return the name of an arm's folder: its number and plain letters, whatever the settings say."""
        said = re.sub("[^a-z0-9]+", "-", self.name(arm).encode("ascii", "ignore").decode().lower())
        return f"{arm.number:03d}-{said[:60]}".strip("-")


def words_of(values: Mapping[str, Value]) -> str:
    """Return what an arm is made of, for people.

    >>> words_of({"deck": "mine", "players": 3})
    'deck mine, players 3'
    """
    return ", ".join(f"{key} {value}" for key, value in values.items()) or "the only arm"


def read_plan(settings: Settings) -> Plan:
    """Return the plan of a TOML file or of the same settings as a dict, where a deck is a set-up object or `shipped`.

    Raises InputError for what is wrong, all arms that can't be played in one message.
    """
    file = None if isinstance(settings, Mapping) else as_path(settings, "sweep")
    table = mapping(settings, "sweep") if file is None else read_toml(file)
    where = str(file or "sweep")
    check_keys(table, KEYS, where)
    try:
        return _plan(table, file)
    except InputError as error:
        raise InputError(f"{where}: {error}") from None


def _plan(table: Mapping[str, Any], file: Path | None) -> Plan:
    kind = find_game(_text(table.get("game", DEFAULT_GAME), "game"))
    how = _how({key: table.get(key, default) for key, default in HOW.items()})
    usual = min(max(3, kind.min_players), kind.max_players)
    players = [whole(n, "players", kind.min_players, kind.max_players) for n in _list(table, "players", usual)]
    policies = [_seats(entry, kind) for entry in _list(table, "policies", kind.default_policy)]
    rules = _rules(table.get("rules", {}), kind)
    others = len(players) * len(policies) * len(rules)
    named = _decks(table.get("decks", {SHIPPED: SHIPPED}), file, kind, others)
    refuse_twice(players, "players")
    refuse_twice([" / ".join(seats) for seats in policies], "policies", " One policy per seat is a list in the list: [[...]].")
    refuse_twice(rules, "rules")
    arms = _arms(kind, [*itertools.product(named.items(), policies, players, rules)], how)
    keys = [key for key in dict.fromkeys(key for rule in rules for key in rule) if len({arm.game.rules[key] for arm in arms}) > 1]
    several = {"deck": len(named) > 1, "policies": len(policies) > 1, "players": len(players) > 1}
    return Plan(kind, arms, how, named, [*(key for key, many in several.items() if many), *keys], file)


def _arms(kind: type[Game], grid: list[Any], how: dict[str, Any]) -> list[Arm]:
    """Return the arms of a grid of (name and set-up, policies, players, rules). Raises InputError for all bad ones."""
    arms, faults = [], []
    for number, ((deck, setup), seats, players, rules) in enumerate(grid, 1):
        try:
            arms.append(Arm(number, deck, seats, _game(kind, players, setup, rules, seats, how)))
        except InputError as error:
            made = {"deck": deck, "policies": " / ".join(seats), "players": players} | rules
            faults.append(f"arm {number} ({words_of(made)}): {error}")
    if faults:
        told = faults[:MOST_TOLD] + [f"and {len(faults) - MOST_TOLD} more"] * (len(faults) > MOST_TOLD)
        raise InputError(f"{len(faults)} of {len(grid)} arms can't be played: {' | '.join(told)}")
    _refuse_same(arms, [words_of({"deck": deck, "policies": " / ".join(seats), "players": players} | rules)
                        for (deck, _), seats, players, rules in grid])  # fmt: skip
    return arms


def _refuse_same(arms: list[Arm], said: list[str]) -> None:
    """Raise InputError for two arms that are the same games in other words, as with a rule left out and with its default."""
    seen: dict[object, int] = {}
    for place, arm in enumerate(arms):
        seats = tuple(map(str, policies_for(arm.seats, arm.game)))
        first = seen.setdefault((arm.deck, seats, arm.game.players, tuple(arm.game.rules.items())), place)
        if first != place:
            raise InputError(
                f"arm {first + 1} ({said[first]}) and arm {place + 1} ({said[place]}) are the same games. Leave one of them out."
            )


def _game(kind: type[Game], players: int, setup: Any, rules: Mapping[str, Value], seats: tuple[str, ...], how: Any) -> Game:
    """Return the game of an arm. Raises InputError where the game refuses it, and for too few deals."""
    game = kind(players, setup, rules=rules)
    policies_for(seats, game)
    per_deal = how["plays_per_deal"] * (players if how["rotate_seats"] else 1)
    if -(-how["games"] // per_deal) < LEAST_DEALS:
        least = f"{LEAST_DEALS * per_deal} ({LEAST_DEALS} deals)"
        raise InputError(f"games={how['games']} are too few for intervals. Give {least} or more.")
    return game


def _how(given: dict[str, Any]) -> dict[str, Any]:
    """Return the settings that all arms share, each checked."""
    for key, value in given.items():
        if key in LIMITS and value is not None:
            given[key] = whole(value, key, *LIMITS[key])
    one_of(given["record"], "record", RECORDS)
    flag(given["rotate_seats"], "rotate_seats")
    return given


def _text(value: object, name: str) -> str:
    if not isinstance(value, str):
        raise InputError(f"{name}: found {show(value)}; give a text.")
    return value


def _list(table: Mapping[str, Any], key: str, usual: object) -> list[Any]:
    """Return what varies as a list: a single value is a list of one."""
    found = table.get(key, usual)
    values = found if isinstance(found, list | tuple) else [found]
    return _not_many(list(values), key)


def _not_many(values: list[Any], name: str) -> list[Any]:
    if not 0 < len(values) <= MOST_ARMS:
        raise InputError(f"{name}: found {len(values):,} values; valid: 1 to {MOST_ARMS:,}. Leave the key out for the default.")
    return values


def _seats(entry: object, kind: type[Game]) -> tuple[str, ...]:
    """Return the policies of an arm in the words that a dataset has."""
    names = _not_many(list(entry), "policies") if isinstance(entry, list | tuple) else [entry]
    return tuple(policy_of_file(name, kind.policies, kind.id) for name in names)


def _rules(given: object, kind: type[Game]) -> list[dict[str, Value]]:
    """Return the combinations of rules: those of a list of tables, or every one of a table of values and lists of values."""
    where = f"rules of {kind.id}"
    if isinstance(given, list | tuple):
        tables = [mapping(each, "rules") for each in _not_many(list(given), "rules")]
    else:
        lists = {key: _list({key: value}, f"rules, {key}", value) for key, value in mapping(given, "rules").items()}
        if math.prod(map(len, lists.values())) > MOST_ARMS:
            raise InputError(f"rules: more than {MOST_ARMS:,} combinations. Give fewer values.")
        tables = [dict(zip(lists, values, strict=True)) for values in itertools.product(*lists.values())]
    return [{key: resolve(kind.rule_options, table, where)[key] for key in table} for table in tables]


def _decks(given: object, file: Path | None, kind: type[Game], others: int) -> dict[str, Any]:
    """Return the set-ups by name. Refuses a sweep of too many arms before any file is read."""
    table = mapping(given, "decks")
    count = len(_not_many(list(table), "decks")) * others
    if count > MOST_ARMS:
        raise InputError(f"these are {count:,} arms; valid: up to {MOST_ARMS:,}. Give fewer values, or several files.")
    for name in table:
        if not isinstance(name, str) or not _DECK_NAME.fullmatch(name):
            raise InputError(f"decks: the name {show(name)} is not valid. Valid: up to 40 letters, digits, spaces and _ . ( ) -")
    return {name: _setup(f"decks, {name}", value, file, kind) for name, value in table.items()}


def _setup(name: str, value: Any, file: Path | None, kind: type[Game]) -> Any:
    if value == SHIPPED:
        return kind.read_setup(None)
    if file is None:  # the caller's own object; the game says what is wrong with it
        return value
    try:
        return kind.read_setup(beside(file, _text(value, name), name))
    except InputError as error:
        raise InputError(str(error) if str(error).startswith(name) else f"{name}: {error}") from None


def beside(file: Path, text: str, name: str) -> Path:
    """Return the path of a file named in `file`: beside or below it. Raises InputError for any other place."""
    pure = [PurePosixPath(text), PureWindowsPath(text)]
    outside = any(each.drive or each.root or ".." in each.parts for each in pure)
    found = file.parent / as_path(text, name)
    try:
        outside = outside or not found.resolve().is_relative_to(file.parent.resolve())
    except (OSError, RuntimeError):  # links in a circle
        outside = True
    if outside:
        raise InputError(
            f"{name}: {show(text)} is not beside or below {file.name}. A file names others by relative paths without `..`: copy "
            f"the file there."
        )
    return found
