"""`games` and `policies`: what there is, made from the registry."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from veggies_sim.analysis.metrics import Metric
    from veggies_sim.core.game import Game
    from veggies_sim.core.options import Option
    from veggies_sim.core.policy import PolicyKind

from veggies_sim.cli import tune
from veggies_sim.core.options import as_text


def add_commands(commands: Any) -> None:
    """Add the commands of this file to the parser."""
    about = (
        "Print every game with the rules that --rule can change, what we play where the rulebook is silent, and the metrics "
        "that reports, comparisons and sweeps have and that --wish, --until and --metric name by their key."
    )
    p = commands.add_parser("games", help="games, their rules and metrics, our decisions", description=about, allow_abbrev=False)
    p.add_argument("--game", dest="only", metavar="ID", help="this game only; default all")
    p.add_argument("--json", action="store_true", help="the same as JSON")
    p.set_defaults(run=_games)
    about = "Print the policies of every game: what each does, where it comes from, its options, and the features of a move."
    p = commands.add_parser("policies", help="the policies of every game", description=about, allow_abbrev=False)
    p.add_argument("--game", dest="only", metavar="ID", help="those of this game only; default all")
    p.add_argument("--json", action="store_true", help="the same as JSON")
    tune.add_commands(p.add_subparsers(dest="deed", metavar="[tune]"))
    p.set_defaults(run=_policies)


def _wanted(arguments: argparse.Namespace) -> list[type[Game]]:
    """Return the game that was asked for, by default all. Raises InputError for one that there is not."""
    from veggies_sim.core.registry import find_game, game_ids

    return [find_game(game_id) for game_id in (game_ids() if arguments.only is None else [arguments.only])]


def _games(arguments: argparse.Namespace) -> None:
    kinds = _wanted(arguments)
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
        print("  metrics (--wish, --until, --metric KEY):")
        for metric in _metrics(kind):
            unit = metric.unit + ("" if metric.per_seat else ", of a whole game")
            print(f"    {metric.key}: {metric.title}  [{unit}]  {metric.doc}")


def _metrics(kind: type[Game]) -> list[Metric]:
    """Return what is measured of a game, with the usual number of players."""
    from veggies_sim.analysis.metrics import metrics_of
    from veggies_sim.cli.options import new_game

    return [*metrics_of(new_game(kind, None, kind.read_setup(None), {})).values()]


def _game_facts(kind: Any) -> dict[str, Any]:
    rules = [{"key": o.key, "default": o.default, "valid": o.valid, "doc": o.doc} for o in kind.rule_options]
    facts = {name: getattr(kind, name) for name in ("id", "title", "source", "behaviour", "min_players", "max_players")}
    features = {feature.name: feature.doc for feature in kind.features}
    keys = ("key", "title", "unit", "per_seat", "doc")
    metrics = [{key: getattr(metric, key) for key in keys} for metric in _metrics(kind)]
    return facts | {"rules": rules, "decisions": list(kind.decisions), "features": features, "metrics": metrics}


def _policies(arguments: argparse.Namespace) -> None:
    games = {kind.id: kind for kind in _wanted(arguments)}
    if arguments.json:
        rows = [_policy_facts(game, policy) for game, kind in games.items() for policy in kind.policies]
        print(json.dumps(rows, indent=1, ensure_ascii=False))
        return
    for game, kind in games.items():
        said: list[PolicyKind] = []
        for policy in kind.policies:
            print(f"{game} {policy.name}: {policy.doc} (source: {policy.source})")
            for line in _option_lines(policy, said):
                print(f"    {line}")
            said.append(policy)
        if kind.features:
            print(f"{game} features of a move, of which own code (docs/own_policies.md) gets an array:")
        for feature in kind.features:
            print(f"    {feature.name}: {feature.doc}")


def _policy_facts(game: str, policy: PolicyKind) -> dict[str, Any]:
    facts = {"game": game, "policy": policy.name, "does": policy.doc, "source": policy.source}
    return facts | {"options": [_option_line(option) for option in policy.options]}


def _option_line(option: Option) -> str:
    return f"{option.key}={as_text(option.default)} [{option.valid}] {option.doc}"


def _option_lines(policy: PolicyKind, said: Sequence[PolicyKind]) -> list[str]:
    """Return the options for people; where a policy said before has the same ones, just the defaults that differ."""
    for other in said:
        pairs = list(zip(policy.options, other.options, strict=False))
        alike = len(policy.options) == len(other.options) > 0
        if alike and all(replace(mine, default=its.default) == its for mine, its in pairs):
            differ = ", ".join(f"{mine.key}={as_text(mine.default)}" for mine, its in pairs if mine.default != its.default)
            return [f"options of {other.name}; here {differ or 'the same'}"]
    return [_option_line(option) for option in policy.options]
