"""`deck check`: is a set-up file in order, and what does it hold?"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from veggies_sim.core.registry import DEFAULT_GAME


def add_commands(commands: Any) -> None:
    """Add the commands of this file to the parser."""
    p = commands.add_parser("deck", help="check a deck file", allow_abbrev=False)
    deeds = p.add_subparsers(dest="deed", metavar="check", required=True)
    check = deeds.add_parser("check", help="report every fault of a deck file at once", allow_abbrev=False)
    check.add_argument("file", type=Path, metavar="FILE")
    check.add_argument("--game", default=DEFAULT_GAME, help=f"the game it is for; default {DEFAULT_GAME}")
    check.add_argument("--json", action="store_true", help="the same as JSON")
    check.set_defaults(run=_check)


def _check(arguments: argparse.Namespace) -> None:
    from veggies_sim.core.registry import find_game

    kind = find_game(arguments.game)
    facts = kind.describe_setup(kind.read_setup(arguments.file))
    if arguments.json:
        print(json.dumps(facts, indent=1, ensure_ascii=False))
        return
    print(f"{arguments.file}: no faults")
    for key, value in facts.items():
        print(f"  {key}: {value}")
