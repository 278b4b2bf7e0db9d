"""`deck measure`: what decks do on the objectives of a target."""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING, Any

from veggies_sim.cli import tables
from veggies_sim.cli.words import number, path, warn_of_few, warn_of_setup

if TYPE_CHECKING:
    from collections.abc import Mapping

    from veggies_sim.games.veggies.design.measuring import Measured

_ABOUT = (
    "Play decks and measure them on the objectives of a target's file, in the form that `deck tune --help` shows: before a search "
    "to find goals for it, after it to compare the deck found with yours. All decks have one size and play the same deals; of the "
    "second and all that follow the difference to the first one is told, with an interval. [deck] may be left out of the file, and "
    "is not what decks are measured by: for that see `deck stats --wishes`."
)
_NOTES = (
    "difference: to {}, deal by deal{}\n"
    "Intervals are each for themselves: of 20 about one is off. open: nothing to go by, such as decks that do not differ."
)


def add_commands(deeds: Any) -> None:
    """Add the command of this file to `deck`."""
    p = deeds.add_parser("measure", help="what decks do on the objectives of a target", description=_ABOUT, allow_abbrev=False)
    add = p.add_argument
    add("file", type=path, metavar="TARGET.toml", help="players, rules, policies and objectives")
    add("decks", type=path, nargs="+", metavar="DECK.csv", help="deck files, the one that others are compared with first")
    add("--games", type=number, help="games of each deck under each policy, rounded up to whole deals; default 3,000")
    add("--seed", type=number,
        help="root of all random draws; after a search another one than the search had; default drawn and told")  # fmt: skip
    add("--jobs", type=number, help="workers; default one for each core")
    add("--json", action="store_true", help="the same as JSON")
    p.set_defaults(run=_measure)


def _measure(arguments: argparse.Namespace) -> None:
    from veggies_sim.core.checks import refuse_twice
    from veggies_sim.games.veggies.deck import Deck
    from veggies_sim.games.veggies.design.measures import fewest_deals
    from veggies_sim.games.veggies.design.measuring import GAMES, measure_decks
    from veggies_sim.games.veggies.game import Veggies

    names = [str(file) for file in arguments.decks]
    refuse_twice(names, "decks")
    decks = dict(zip(names, map(Deck.read_csv, arguments.decks), strict=True))
    games = GAMES if arguments.games is None else arguments.games
    found = measure_decks(arguments.file, decks, games, arguments.seed, jobs=arguments.jobs, progress=True)
    print(json.dumps(_facts(found), indent=1, ensure_ascii=False) if arguments.json else _text(found))
    print(found.target.game.conditions(), file=sys.stderr)
    for deck in found.decks.values():
        warn_of_setup(Veggies, deck)
    warn_of_few(fewest_deals(found.target.every(), found.games))


def _facts(found: Measured) -> dict[str, Any]:
    game = found.target.game
    return {
        "players": game.players, "rules": dict(game.rules), "games": found.games, "seed": found.seed,
        "decks": {name: {"hash": deck.hash, "cards": len(deck), "notes": deck.notes()} for name, deck in found.decks.items()},
        "rows": found.rows.to_dicts(),
    }  # fmt: skip


def _text(found: Measured) -> str:
    first = next(iter(found.decks))
    lines = [f"{found.games:,} games of each deck under each policy, seed {found.seed}"]
    for name, deck in found.decks.items():
        head = ["metric", "policies", "goal", "found", "95% interval", "verdict", "difference", "95% interval"]
        rows = [_cells(row) for row in found.rows.filter(name=name).iter_rows(named=True)]
        shown = 6 if name == first else 8
        lines += ["", f"{name}: deck {deck.hash[:12]}", tables.table(head[:shown], [row[:shown] for row in rows])]
    if len(found.decks) == 1:
        return "\n".join(lines)
    roots = dict.fromkeys(each.key for each in found.target.every() if each.gaps)
    wider = f"; of {' and '.join(roots)} from the decks' own intervals, so wider than needed" if roots else ""
    return "\n".join([*lines, "", _NOTES.format(first, wider)])


def _cells(row: Mapping[str, Any]) -> list[str]:
    return [
        row["metric"], row["policies"], f"{row['goal']:g} ± {row['tolerance']:g}", _number(row["value"], ".4g"),
        tables.span(row["low"], row["high"], ".4g"), row["verdict"],
        _number(row["difference"], "+.3g"), tables.span(row["difference_low"], row["difference_high"], "+.3g"),
    ]  # fmt: skip


def _number(value: float | None, form: str) -> str:
    return "none" if value is None else f"{value:{form}}"
