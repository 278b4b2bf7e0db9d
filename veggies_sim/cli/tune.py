"""`policies tune`: better weights for a policy, found against a chosen field."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any

from veggies_sim.cli import options, tables
from veggies_sim.cli.ladder import MARGIN, SHARES, differences, shares
from veggies_sim.cli.words import game_facts, number, path, say_conditions
from veggies_sim.core.errors import InputError

if TYPE_CHECKING:
    from veggies_sim.policies.tune import Tuned

_ABOUT = (
    "Search for better weights of a policy by CMA-ES. A candidate plays each deal once from every seat, against a field at the "
    "other seats; all candidates of a generation play the same deals, each generation fresh ones. The best weights and those "
    "at the start are measured again on fresh deals. The first line printed is the policy found, to be given to --policy; "
    "where the start is better, it is the start. Ctrl-C prints the best so far."
)


def add_commands(commands: Any) -> None:
    """Add the command of this file to the parser."""
    p = commands.add_parser("tune", help="search for better weights of a policy", description=_ABOUT, allow_abbrev=False)
    options.add_game(p)
    options.add_policy(p, "the one to tune, with the weights to start from")
    options.add_play(p)
    add = p.add_argument
    add("--against", action="append", metavar="NAME[:key=value,...]", default=[],
        help="policy at the other seats; one, or repeat the option for each other seat; default the game's own")
    add("--weight", action="append", metavar="KEY", default=[],
        help="tune this option too; repeat the option for each; default: those whose default is not 0. Where only the "
        "proportion of weights matters, the first one that is not 0 stays as it is")
    add("--generations", type=number, default=20, help="default 20")
    add("--population", type=number, default=12, help="candidates of a generation; default 12")
    add("--games", type=number, default=300, help="games of each candidate; default 300")
    add("--check-games", type=number, default=3000, help="games of the final measure, for each of the two; default 3,000")
    add("--log", type=path, metavar="FILE", help="also write every candidate: .parquet or .csv; default: no file")
    add("--json", action="store_true", help="the same as JSON")
    p.set_defaults(run=_tune)


def _tune(arguments: argparse.Namespace) -> None:
    from veggies_sim.policies.tune import Effort, tune

    if arguments.only is not None:  # of the listing, to the left of `tune`
        raise InputError("policies tune: --game comes after the word tune, such as: policies tune --game ID.")
    game = options.game(arguments)
    policies = options.policies(arguments)
    if len(policies) != 1:
        raise InputError(f"policies tune: found {len(policies)} policies; give the one to tune with --policy.")
    if arguments.log:
        tables.check_file(arguments.log, "a log")
    effort = Effort(*(getattr(arguments, key) for key in Effort._fields))
    how = {key: getattr(arguments, key) for key in ("seed", "policy_seed", "jobs", "backend")}
    against = options.against(arguments) or [game.default_policy]
    found = tune(game, policies[0], against, options.weights(arguments), effort=effort, progress=True, **how)
    if arguments.log:
        tables.save(found.log, arguments.log)
    if arguments.json:
        print(json.dumps(game_facts(game) | _facts(found), indent=1, ensure_ascii=False))
    else:
        print(_text(found))
    say_conditions(game)
    if found.interrupted:
        raise KeyboardInterrupt(f"what is printed is the best of {_played(found)}, not measured again")


def _facts(found: Tuned) -> dict[str, Any]:
    values = {key: value for key, value in vars(found).items() if key not in ("log", "effort")}
    values |= {key: getattr(found, key) for key in ("choice", "verdict", "interrupted")}
    values |= found.effort._asdict() | {"candidates": len(found.log)}
    return {key: value.to_dicts() if hasattr(value, "to_dicts") else value for key, value in values.items()}


def _played(found: Tuned) -> str:
    effort = found.effort
    over = len(found.log) // effort.population
    return f"{over} of {effort.generations} generations of {effort.population} candidates, {effort.games:,} games each"


def _text(found: Tuned) -> str:
    import polars as pl

    if found.standings is None:
        return found.policy
    names = {found.policy: "tuned", found.start: "start"}  # policies may be too long for a table
    rows = [[names[row["policy"]], *shares(row), f"{row['games']:,}"] for row in found.standings.iter_rows(named=True)]
    lines = [
        found.choice, "", f"{_played(found)}, seed {found.seed}; then on fresh deals, against {', '.join(found.against)}:", "",
        tables.table(["policy", *SHARES, "games"], rows),
        f"tuned is {found.policy}, start is {found.start}; par, the win share of equal players, is {found.par:.1%}",
        MARGIN,
    ]  # fmt: skip
    if found.differences is not None:
        lines += ["", differences(found.differences.with_columns(pl.col("policy", "other").replace_strict(names)))]
    above = "; the policy above is the start" if found.choice != found.policy else ""
    return "\n".join([*lines, "", f"verdict: tuned is {found.verdict}{above}" if found.differences is not None else found.verdict])
