"""`sweep`: a grid of decks, policies, players and rules, a dataset each, one table."""

from __future__ import annotations

import argparse
import json
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import veggies_sim.cli.tables as tables
from veggies_sim.cli.options import LongHelp
from veggies_sim.cli.words import number, path, report_head
from veggies_sim.core.errors import InputError
from veggies_sim.core.policy import seated

if TYPE_CHECKING:
    import polars as pl

    from veggies_sim.analysis.sweep import Sweep
    from veggies_sim.analysis.sweep_file import Plan

_ABOUT = """\
Play every combination (an arm) of decks, policies, players and rules that a file lists, all on the same seeds: arms with
decks of equal size and as many players get the same shuffles. Each arm is a dataset in DIR/arms, and DIR/sweep.csv and
DIR/sweep.parquet hold one row for each arm, metric and what it is of: all seats, a seat, or a policy where an arm has several.
The same command again goes on after an interruption; finished arms are not played again. `games` may have grown since;
any other change of the file or of a deck is refused: give another --out then."""

_EXAMPLE = """\
A complete file:

# The same for all arms; these keys stand above the first table.
game           = "{game}"
games          = 2_000      # of each arm; default 10,000
seed           = 1          # default drawn and recorded
policy_seed    = 2          # default the seed
record         = "seats"    # default; "moves" also records every deal and move
rotate_seats   = false      # default; true: each deal once for every rotation of the policies over the seats
plays_per_deal = 1          # default

# What varies: a single value or a list of values; all can be left out.
players  = [2, 3]           # default 3, or the nearest the game allows
policies = {policies}  # default the game's own; a list in the list has one for each seat: [["a", "b"], "a"]

[decks]                     # a name of yours = a set-up file beside or below this file, or "shipped", the default
printed = "shipped"
mine    = "decks/mine.csv"

[rules]                     # see `veggies-sim games`; every combination of the values is played
{rules}
# Or combinations one by one, instead of [rules]:
# [[rules]]
# {one}
"""


def example() -> str:
    """Return a complete file with what the default game has."""
    from veggies_sim.core.registry import DEFAULT_GAME, find_game

    kind = find_game(DEFAULT_GAME)
    first, second, *_ = [option for option in kind.rule_options if not option.words]
    rules = [f"{first.key} = {first.default}", f"{second.key} = {[second.default, int(second.default) + 1]}"]
    policies = json.dumps([policy.name for policy in kind.policies[:2]])
    return _EXAMPLE.format(game=kind.id, policies=policies, rules="\n".join(rules), one=rules[0])


def add_commands(commands: Any) -> None:
    """Add the command of this file to the parser."""
    p = commands.add_parser(
        "sweep", help="a grid of decks, policies, players and rules: a dataset each, one table", description=_ABOUT,
        formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False, add_help=False,
    )  # fmt: skip
    add = p.add_argument
    add("-h", "--help", action=LongHelp, epilog=example, help="show this help and the form of the file")
    add("file", type=path, metavar="FILE.toml", help="what to play, see below")
    add("--out", type=path, metavar="DIR", help="folder of the sweep; default results/NAME, as the file is called")
    add("--jobs", type=number, help="workers; default one for each core")
    add("--backend", choices=("threads", "processes"), default="threads", help="as of `simulate`; default threads")
    add("--plot", type=path, metavar="FILE",
        help="also draw one metric: a heat map where two things vary, dots with intervals where one does, more are refused; "
        ".png, .svg or .pdf; default: no picture")
    add("--metric", metavar="KEY", help="what --plot draws, a metric (see `games`); default score")
    add("--seat", type=number, metavar="S", help="draw the metric of this seat, counted from 0; default all seats together")
    add("--json", action="store_true", help="the whole table as JSON")
    add("--dry-run", action="store_true", help="check everything and list the arms, play and write nothing")
    p.set_defaults(run=_sweep)


def _sweep(arguments: argparse.Namespace) -> None:
    from veggies_sim.analysis.sweep import drawable, sweep
    from veggies_sim.plots.axes import check_picture

    if arguments.plot is None and (arguments.metric is not None or arguments.seat is not None):
        raise InputError("--metric and --seat say what --plot FILE draws. Give --plot too, or leave them out.")
    out = arguments.out or Path("results") / (re.sub(r"[^\w-]+", "-", arguments.file.stem).strip("-") or "sweep")
    arguments.metric = arguments.metric if arguments.metric is not None else "score"
    how = {"jobs": arguments.jobs, "backend": arguments.backend}
    planned = sweep(arguments.file, out, dry_run=True, **how)
    if arguments.plot:
        drawable(planned.plan, arguments.metric, arguments.seat)
        check_picture(arguments.plot)
    if arguments.dry_run:
        return _say_plan(planned, arguments.json)
    found = sweep(arguments.file, out, progress=True, **how)
    if arguments.plot:
        _draw(found, arguments)
    if arguments.json:
        facts = {"head": _head(found), "folder": str(found.folder), "varying": found.varying} | found.plan.how
        print(json.dumps(facts | {"rows": found.frame.to_dicts()}, indent=1, ensure_ascii=False))
    else:
        print("\n".join([*_head(found), "", summary(found)]))
    print(f"table: {found.folder / 'sweep.csv'} and sweep.parquet; datasets: {found.folder / 'arms'}", file=sys.stderr)


def _say_plan(planned: Sweep, as_json: bool) -> None:
    arms = [
        {"arm": planned.plan.folder(arm), **planned.plan.values(arm), "games_to_play": sum(n for _, n in run.manifest.missing())}
        for arm, run in zip(planned.plan.arms, planned.runs, strict=True)
    ]
    if as_json:
        print(json.dumps({"head": _head(planned), "arms": arms}, indent=1, ensure_ascii=False))
    else:
        rows = [[str(value) for value in arm.values()] for arm in arms]
        print("\n".join([*_head(planned), "", tables.table([key.replace("_", " ") for key in arms[0]], rows)]))
    print(f"(nothing was played or written; {planned.missing:,} games are to be played)", file=sys.stderr)


def _head(found: Sweep) -> list[str]:
    """Return the lines above the table: what was played, and what must be said with it."""
    plan = found.plan
    notes = dict.fromkeys(line for arm in plan.arms for line in report_head(arm.game)[1:])
    seed = f"seed {plan.how['seed']}" if plan.how["seed"] is not None else "seed to be drawn"
    varying = f"; varying: {', '.join(found.varying)}" if found.varying else ""
    who = [] if "policies" in found.varying else [seated(plan.arms[0].seats, plan.how["rotate_seats"])]
    played = ", ".join([plan.kind.title, f"{len(plan.arms)} arms of {plan.how['games']:,} games", seed, *who])
    follow = [f"note: without a value of yours {key} is {words}" for key in plan.follow for words in _by_players(plan, key)]
    return [played + varying, *notes, *follow]


def _by_players(plan: Plan, key: str) -> list[str]:
    """Return the values of a rule that follows the number of players, for decks where it does.

    What a deck itself says of a rule is in the table, beside the deck.
    """
    values: dict[str, dict[object, set[int]]] = {}
    for arm in plan.arms:
        values.setdefault(arm.deck, {}).setdefault(arm.game.rules[key], set()).add(arm.game.players)
    said: dict[str, list[str]] = {}
    for deck, found in values.items():
        if len(found) > 1 and len(set.union(*found.values())) == sum(map(len, found.values())):
            words = ", ".join(f"{value} with {' and '.join(map(str, sorted(players)))} players" for value, players in found.items())
            said.setdefault(words, []).append(deck)
    return [words if decks == [*values] else f"{words} (deck {', '.join(decks)})" for words, decks in said.items()]


_KEY = ("score", "winner_score", "lead", "shared_wins")  # metrics of all seats in the table for people


def summary(found: Sweep) -> str:
    """Return the key metrics of each arm as a table for people."""
    from veggies_sim.analysis.metrics import metrics_of

    metrics = metrics_of(found.plan.arms[0].game)
    frame, rows = found.frame, []
    for arm in found.plan.arms:
        mine = frame.filter(arm=found.plan.folder(arm))
        words = [found.plan.name(arm)]
        words += [_with_interval(mine.filter(metric=key, by="all").row(0, named=True)) for key in _KEY]
        rows.append([*words, _seats(mine.filter(metric="win_share", by="seat"))])
    head = ["arm", *(metrics[key].title for key in _KEY), "win share of seat 0, 1, ... (%)"]
    key = "± or in brackets: the 95% interval over deals, each for itself: of 20 such intervals about 1 leaves its true value out"
    return f"{tables.table(head, rows)}\n{key}"


def _with_interval(row: dict[str, Any]) -> str:
    """Return a value with half of its interval; a share, in percent, with both ends, which are not equally far."""
    from veggies_sim.analysis.amounts import valued

    def shown(value: float) -> str:
        return valued(value, row["error"], row["unit"])

    low, high = row["low"], row["high"]
    if row["value"] is None:
        return "none"
    if row["unit"] == "share":
        return f"{shown(row['value'])} ({'open' if low is None else f'{shown(low)} .. {shown(high)}'})"
    return f"{shown(row['value'])} ± {'open' if low is None else shown((high - low) / 2)}"


def _seats(rows: pl.DataFrame) -> str:
    from veggies_sim.analysis.amounts import valued

    found = []
    for row in rows.iter_rows(named=True):
        value, low, high = (valued(row[key], row["error"], row["unit"]).removesuffix("%") for key in ("value", "low", "high"))
        found.append(f"{value} ({'open' if row['low'] is None else f'{low}..{high}'})")
    return " ".join(found)


def _draw(found: Sweep, arguments: argparse.Namespace) -> None:
    from veggies_sim.analysis.metrics import SHARE, metrics_of
    from veggies_sim.analysis.sweep import drawable
    from veggies_sim.plots.axes import save
    from veggies_sim.plots.heat_map import Measure, picture

    chosen = drawable(found.plan, arguments.metric, arguments.seat)
    metric = metrics_of(found.plan.arms[0].game)[arguments.metric]
    of = "" if arguments.seat is None else f" of seat {arguments.seat}"
    measure = Measure(f"{metric.title}{of} ({'%' if metric.unit == SHARE else metric.unit})", metric.unit == SHARE)
    save(picture(found.frame.filter(chosen), found.varying, measure, title="\n".join(_head(found))), arguments.plot)
    print(f"picture: {arguments.plot}", file=sys.stderr)
