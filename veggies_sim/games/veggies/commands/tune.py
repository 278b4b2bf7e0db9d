"""`deck tune`: search for a deck that meets targets."""

from __future__ import annotations

import argparse
import json
import sys
import textwrap
from typing import TYPE_CHECKING, Any

from veggies_sim.cli import tables
from veggies_sim.cli.options import LongHelp
from veggies_sim.cli.words import number, path, warn_of_few, warn_of_setup, words
from veggies_sim.core.errors import counted

if TYPE_CHECKING:
    from veggies_sim.games.veggies.design.tune import Tuned

_ABOUT = """\
Search for a deck that meets targets, such as a winner's score of 60, among the
decks that a spec allows. CMA-ES asks for candidates; those of a generation race:
all play the same deals, the better half twice as many, the best quarter four
times as many. The best few are measured again on fresh deals. Searched are the
numbers that the spec leaves free, of symbols and of touching goods; which faces
show them is drawn by the seed, alike for all candidates.

DIR gets
  deck.csv              the deck found; while the search goes on, the best so far
  check.csv             what it and the other best decks did on the fresh deals
  log.parquet           every candidate
  tune.toml, tune.json  the file and the numbers, from which each can be made again
Ctrl-C keeps what is done; --resume goes on to the same result."""


def _form() -> str:
    """Return the form of the file and what it may ask for."""
    from veggies_sim.analysis.metrics import BALANCED, metrics_of
    from veggies_sim.games.veggies.design.measures import own_measures
    from veggies_sim.games.veggies.design.tune_file import EXAMPLE
    from veggies_sim.games.veggies.game import Veggies

    game = Veggies(3)
    metrics = metrics_of(game) | own_measures(game)
    wrap = textwrap.TextWrapper(100, subsequent_indent=" " * 19)
    lines = [wrap.fill(f"  {key:17}{metric.doc} ({metric.unit})") for key, metric in metrics.items() if key not in BALANCED]
    return "\n".join(["A complete file:", "", EXAMPLE, "Metrics:", *lines])


def add_commands(deeds: Any) -> None:
    """Add the command of this file to `deck`."""
    p = deeds.add_parser(
        "tune", help="search for a deck that meets targets", description=_ABOUT, allow_abbrev=False, add_help=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    add = p.add_argument
    add("-h", "--help", action=LongHelp, epilog=_form, help="show this help, the form of the file and all metrics")
    add("file", type=path, metavar="FILE.toml", help="targets and spec, see below")
    add("--out", type=path, metavar="DIR", required=True, help="a new folder for the search")
    add("--generations", type=number, help="default 15")
    add("--population", type=number, help="candidates of a generation, besides the centre of the search; default 10")
    add("--games", type=number, help="games of each candidate at first, under each policy, rounded up to whole deals; default 150")
    add("--check-games", type=number, help="the same, fresh: of each of the best decks, others of the one chosen; default 3,000")
    add("--seed", type=number, help="root of all random draws; default drawn and recorded")
    add("--jobs", type=number, help="workers; default one for each core")
    add("--resume", action="store_true", help="go on with the search in DIR, with its numbers and seed")
    add("--json", action="store_true", help="the same as JSON")
    p.set_defaults(run=_tune)


def _tune(arguments: argparse.Namespace) -> None:
    from veggies_sim.games.veggies.design.measures import fewest_deals
    from veggies_sim.games.veggies.design.tune import DEFAULTS, tune
    from veggies_sim.games.veggies.game import Veggies

    given = {key: getattr(arguments, key) for key in (*DEFAULTS, "seed")}
    found = tune(arguments.file, arguments.out, given, jobs=arguments.jobs, resume=arguments.resume, progress=True)
    print(json.dumps(_facts(found), indent=1, ensure_ascii=False) if arguments.json else _text(found))
    print(found.target.game.conditions(), file=sys.stderr)
    warn_of_setup(Veggies, found.deck)
    warn_of_few(fewest_deals(found.target.every(), found.settings["check_games"]))
    print(f"deck: {arguments.out / 'deck.csv'}; check.csv and log.parquet are beside it", file=sys.stderr)


def _facts(found: Tuned) -> dict[str, Any]:
    game = found.target.game
    return {
        "players": game.players, "rules": dict(game.rules), "deck": found.deck.hash, **found.settings, "verdict": found.verdict,
        "disputed": found.disputed, "notes": found.deck.notes(), "check": found.check.to_dicts(),
    }  # fmt: skip


def _text(found: Tuned) -> str:
    numbers = found.settings
    rows = [
        [row["metric"], row["policies"], f"{row['goal']:g} ± {row['tolerance']:g}", _number(row["value"]),
         tables.span(row["low"], row["high"], ".3g"), row["verdict"]]
        for row in found.best.iter_rows(named=True)
    ]  # fmt: skip
    counts = ", ".join(f"{symbol} {spaces}" for symbol, spaces in found.deck.counts().items())
    return "\n".join([
        f"deck {found.deck.hash[:12]}: {counts}",
        f"{counted(numbers['generations'], 'generation')} of {counted(numbers['population'], 'candidate')} and the centre, "
        f"seed {numbers['seed']}; chosen from {counted(found.check['deck'].n_unique(), 'deck')} on "
        f"{numbers['check_games']:,} fresh games each, then on others:", "",
        tables.table(["metric", "policies", "goal", "found", "95% interval", "verdict"], rows), "",
        f"all together: {found.verdict}{_advice(found)}",
    ])  # fmt: skip


def _advice(found: Tuned) -> str:
    from veggies_sim.design.objectives import OPEN

    if found.disputed:
        return f"; policies do not agree on {words(found.disputed)}"
    return "; more --check-games make the intervals narrower" if found.verdict == OPEN else ""


def _number(value: float | None) -> str:
    return "none" if value is None else f"{value:.4g}"
