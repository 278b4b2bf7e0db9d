"""Options that mean the same in several commands, and what their words stand for."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from veggies_sim.cli.words import number, path
from veggies_sim.core.errors import InputError
from veggies_sim.core.options import parse_pairs
from veggies_sim.core.registry import DEFAULT_GAME

if TYPE_CHECKING:
    from veggies_sim.core.game import Game

_POLICIES = "^[^:]*,"  # several policies in one word
AGAIN = "the dataset's policies once more, needed where own code (py:...) played; default as in its manifest"


class LongHelp(argparse.Action):
    """`--help` that ends with what `epilog` returns, for what is loaded only when it is asked for."""

    def __init__(self, *, epilog: Callable[[], str], **others: Any) -> None:
        super().__init__(nargs=0, **others)
        self.epilog = epilog

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        parser.epilog = self.epilog()
        parser.print_help()
        parser.exit()


def add_game(parser: argparse.ArgumentParser) -> None:
    """Add the options that choose the game, its players, set-up and rules."""
    add = parser.add_argument
    add("--game", help=f"which game (see `games`); default {DEFAULT_GAME}")
    add("--players", type=number, help="number of players; default 3, or the nearest the game allows")
    add("--deck", type=path, metavar="FILE",
        help="set-up file of the game (see `deck check --help`); default the one that ships with it")  # fmt: skip
    add("--rule", action="append", metavar="KEY=VALUE", default=[],
        help="a rule of the game (see `games`); repeat the option for each rule")  # fmt: skip


def add_policy(parser: argparse.ArgumentParser, about: str) -> None:
    """Add the option that names policies."""
    parser.add_argument("--policy", action="append", metavar="NAME[:key=value,...]", default=[], help=f"see `policies`; {about}")


def add_play(parser: argparse.ArgumentParser) -> None:
    """Add the options that say how games are drawn and played."""
    add = parser.add_argument
    add("--seed", type=number, help="root of all random draws; default drawn and recorded")
    add("--policy-seed", type=number, help="root of the policies' draws; default the seed")
    add("--jobs", type=number, help="workers; default one for each core")
    add("--backend", choices=("threads", "processes"), default="threads",
        help="threads start at once; processes serve policies in plain Python; default threads")  # fmt: skip


def game(arguments: argparse.Namespace) -> Game:
    """Return the game that the options of `add_game` choose."""
    from veggies_sim.core.registry import find_game

    kind = find_game(first(arguments.game, DEFAULT_GAME))
    return new_game(kind, arguments.players, kind.read_setup(arguments.deck), rules(arguments))


def new_game(kind: type[Game], players: int | None, setup: Any, rules: Any) -> Game:
    """Return a game; without a number of players with 3, or the nearest it allows."""
    return kind(first(players, min(max(3, kind.min_players), kind.max_players)), setup, rules=rules)


def policies(arguments: argparse.Namespace) -> list[str]:
    """Return the words of --policy; empty where there is none."""
    return _one_each("--policy", arguments.policy, _POLICIES)


def against(arguments: argparse.Namespace) -> list[str]:
    """Return the words of --against; empty where there is none."""
    return _one_each("--against", arguments.against, _POLICIES)


def weights(arguments: argparse.Namespace) -> list[str]:
    """Return the words of --weight; empty where there is none."""
    return _one_each("--weight", arguments.weight, ",")


def rules(arguments: argparse.Namespace) -> dict[str, str]:
    """Return the rules by key; empty where none is given."""
    return parse_pairs(_one_each("--rule", arguments.rule, ",[^,=]*="), "--rule")


def wishes(arguments: argparse.Namespace) -> dict[str, str]:
    """Return the words of --wish by metric; empty where none is given."""
    return parse_pairs(_one_each("--wish", arguments.wish, ",[^,=]*="), "--wish")


def first(*values: Any) -> Any:
    """Return the first value that is not None."""
    return next((value for value in values if value is not None), None)


def _one_each(option: str, given: list[str], joined: str) -> list[str]:
    """Return the words of an option that is repeated. Raises InputError for several in one word, found by a pattern."""
    for word in given:
        if re.search(joined, word):
            each = " ".join(f"{option} {part}" for part in word.split(","))
            raise InputError(f"{option} {word}: repeat the option for each: {each}")
    return given
