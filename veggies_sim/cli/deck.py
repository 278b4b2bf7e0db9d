"""`deck check`: is a set-up file in order, and what does it hold? The other deeds of `deck` are a game's own."""

from __future__ import annotations

import argparse
import importlib
import json
from typing import Any

from veggies_sim.cli.options import LongHelp
from veggies_sim.cli.words import path, warn_of_setup, words
from veggies_sim.core.registry import DEFAULT_GAME, DESIGN, find_game, game_ids


def _forms() -> str:
    """Return the form of every game's set-up file."""
    forms = {game_id: find_game(game_id).setup_help for game_id in game_ids()}
    return "\n\n".join(f"{game_id}:\n{form}" for game_id, form in forms.items() if form)


def add_commands(commands: Any) -> None:
    """Add the commands of this file to the parser."""
    about = "make, check, measure, change, search and print decks"
    p = commands.add_parser("deck", help=about, description="Work with deck files.", allow_abbrev=False)
    deeds = p.add_subparsers(dest="deed", metavar="DEED")
    check = deeds.add_parser(
        "check", help="report every fault of a deck file at once", allow_abbrev=False, add_help=False,
        description="Report every fault of a deck file at once; of one without faults, what it holds and who can play with it.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    check.add_argument("-h", "--help", action=LongHelp, epilog=_forms, help="show this help and the form of a deck file")
    check.add_argument("file", type=path, metavar="FILE", help="the deck file")
    check.add_argument("--game", default=DEFAULT_GAME, help=f"the game it is for; default {DEFAULT_GAME}")
    check.add_argument("--json", action="store_true", help="the same as JSON")
    check.set_defaults(run=_check)
    for module in DESIGN.values():
        importlib.import_module(module).add_commands(deeds)


def _check(arguments: argparse.Namespace) -> None:
    kind = find_game(arguments.game)
    setup = kind.read_setup(arguments.file)
    facts = kind.describe_setup(setup)
    if arguments.json:
        print(json.dumps(facts, indent=1, ensure_ascii=False))
    else:
        print(f"{arguments.file}: no faults")
        for key, value in facts.items():
            print(f"  {key}: {words(value)}")
    warn_of_setup(kind, setup)
