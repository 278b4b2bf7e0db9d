"""`games` and `policies`: what there is, made from the registry."""

from __future__ import annotations

import argparse
import json
from typing import Any

from veggies_sim.cli import tune


def add_commands(commands: Any) -> None:
    """Add the commands of this file to the parser."""
    about = "Print every game with the rules that --rule can change and what we play where the rulebook is silent."
    p = commands.add_parser("games", help="the games, their rules and our decisions", description=about, allow_abbrev=False)
    p.add_argument("--json", action="store_true", help="the same as JSON")
    p.set_defaults(run=_games)
    about = "Print the policies of every game: what each does, where it comes from, and its options."
    p = commands.add_parser("policies", help="the policies of every game", description=about, allow_abbrev=False)
    p.add_argument("--json", action="store_true", help="the same as JSON")
    tune.add_commands(p.add_subparsers(dest="deed", metavar="tune"))
    p.set_defaults(run=_policies)


def _games(arguments: argparse.Namespace) -> None:
    from veggies_sim.core.registry import find_game, game_ids

    kinds = [find_game(game_id) for game_id in game_ids()]
    if arguments.json:
        print(json.dumps([_game_facts(kind) for kind in kinds], indent=1, ensure_ascii=False))
        return
    for kind in kinds:
        print(f"{kind.id}: {kind.title}, {kind.min_players} to {kind.max_players} players ({kind.source})")
        print("  rules (--rule key=value):")
        for option in kind.rule_options:
            print(f"    {option.key}={option.default}  [{option.valid}]  {option.doc}")
        print("  decisions where the rulebook is silent:")
        for text in kind.decisions:
            print(f"    - {text}")


def _game_facts(kind: Any) -> dict[str, Any]:
    rules = [{"key": o.key, "default": o.default, "valid": o.valid, "doc": o.doc} for o in kind.rule_options]
    facts = {name: getattr(kind, name) for name in ("id", "title", "source", "behaviour", "min_players", "max_players")}
    return facts | {"rules": rules, "decisions": list(kind.decisions)}


def _policies(arguments: argparse.Namespace) -> None:
    from veggies_sim.core.registry import find_game, game_ids

    rows = [
        {"game": game, "policy": kind.name, "does": kind.doc, "source": kind.source,
         "options": [f"{o.key}={o.default} [{o.valid}] {o.doc}" for o in kind.options]}
        for game in game_ids() for kind in find_game(game).policies
    ]  # fmt: skip
    if arguments.json:
        print(json.dumps(rows, indent=1, ensure_ascii=False))
        return
    for row in rows:
        print(f"{row['game']} {row['policy']}: {row['does']} (source: {row['source']})")
        for option in row["options"]:
            print(f"    {option}")
