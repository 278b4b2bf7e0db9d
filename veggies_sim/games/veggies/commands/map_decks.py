"""`deck map`: the best deck found for each cell of a plane of two measured numbers."""

from __future__ import annotations

import argparse
import json
import sys
from functools import partial
from typing import TYPE_CHECKING, Any

from veggies_sim.cli import tables
from veggies_sim.cli.options import LongHelp
from veggies_sim.cli.words import number, path, warn_of_few
from veggies_sim.core.errors import counted

if TYPE_CHECKING:
    from pathlib import Path

    from veggies_sim.games.veggies.design.map import Mapped

_ABOUT = """\
Map the decks that a spec allows over two numbers, such as the cost of a rat and
the spread of scores: MAP-Elites looks for the best deck of each cell, among the
numbers that the spec leaves free (of symbols, of touching goods; which faces
show them is drawn by the seed, alike for all candidates). All candidates play the
same deals; the best two of each cell are measured again on fresh deals, and the
map is made of these measures alone. A cell has the best of the decks that these
put there: chosen on the very deals that it is told by, its distance from the
goals flatters it a little, less with more --check-games. A cell is hollow where
the interval of its deck reaches out of it; an empty one says that no deck was
found, not that there is none.

DIR gets
  map.svg, map.png      the map
  map.parquet           its cells as a table
  decks/X_Y.csv         the deck of each cell
  check.csv             all decks measured on fresh deals
  log.parquet           every candidate
  map.toml, map.json    the file and the numbers, to make the search again
Ctrl-C keeps the batches that are over; --resume goes on to the same result.
Needs: pip install "veggies_sim[design]"."""


def _form() -> str:
    from veggies_sim.games.veggies.design.map_file import EXAMPLE

    return f"A complete file; `deck tune --help` lists all metrics:\n\n{EXAMPLE}"


def add_commands(deeds: Any) -> None:
    """Add the command of this file to `deck`."""
    p = deeds.add_parser(
        "map", help="map the best decks over two measured numbers", description=_ABOUT, allow_abbrev=False, add_help=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    add = p.add_argument
    add("-h", "--help", action=LongHelp, epilog=_form, help="show this help and the form of the file")
    add("file", type=path, metavar="FILE.toml", help="axes, goals and spec, see below")
    add("--out", type=path, metavar="DIR", required=True, help="a new folder for the map")
    add("--batches", type=number, help="default 20; a quarter of them random")
    add("--batch-size", type=number, help="candidates of a batch; default 20")
    add("--games", type=number, help="games of each candidate, under each policy, rounded up to whole deals; default 200")
    add("--check-games", type=number, help="the same, fresh: of the best two decks of each cell; default 2,000")
    add("--seed", type=number, help="root of all random draws; default drawn and recorded")
    add("--jobs", type=number, help="workers; default one for each core")
    add("--resume", action="store_true", help="go on with the search in DIR, with its numbers and seed")
    add("--json", action="store_true", help="the same as JSON")
    p.set_defaults(run=_map)


def _map(arguments: argparse.Namespace) -> None:
    from veggies_sim.games.veggies.design.map import DEFAULTS, map_decks
    from veggies_sim.games.veggies.design.measures import fewest_deals

    given = {key: getattr(arguments, key) for key in (*DEFAULTS, "seed")}
    found = map_decks(arguments.file, arguments.out, given, jobs=arguments.jobs, resume=arguments.resume, progress=True,
                      draw=partial(_draw, arguments.out))  # fmt: skip
    print(json.dumps(_facts(found), indent=1, ensure_ascii=False) if arguments.json else _text(found))
    print(found.landscape.target.game.conditions(), file=sys.stderr)
    warn_of_few(fewest_deals(found.landscape.measures().values(), found.settings["check_games"]))
    print(f"map: {arguments.out / 'map.svg'}, map.png and map.parquet; decks: {arguments.out / 'decks'}", file=sys.stderr)


def _facts(found: Mapped) -> dict[str, Any]:
    game, frame = found.landscape.target.game, found.frame
    return {
        "players": game.players, "rules": dict(game.rules), **found.settings, "cells": found.cells, "filled": len(frame),
        "goals": _goals(found), "map": frame.to_dicts(),
    }  # fmt: skip


def _goals(found: Mapped) -> str:
    return ", ".join(f"{each.metric} {each.goal:g} ± {each.tolerance:g}" for each in found.landscape.target.objectives)


def _head(found: Mapped) -> list[str]:
    """Return what was done and found, line by line."""
    numbers, frame, target = found.settings, found.frame, found.landscape.target
    check = f"{counted(len(found.check), 'deck')} measured again on {numbers['check_games']:,} fresh games each"
    conditions = ", ".join([target.game.title, f"{target.game.players} players", *target.game.changed_rules(), *target.policies])
    return [
        f"{conditions}: {len(frame)} of {found.cells} cells have a deck (the others: not found, not: impossible); "
        f"{frame['sure'].sum()} are sure",
        f"{counted(numbers['batches'], 'batch')} of {counted(numbers['batch_size'], 'candidate')}, {numbers['games']:,} games "
        f"each, seed {numbers['seed']}; {check}",
    ]  # fmt: skip


def _text(found: Mapped) -> str:
    names, sides = [*found.landscape.measures()], [side[0].name for side in found.landscape.sides]
    others = [name for name in names if name not in sides]
    rows = [
        [row["file"],
         *(f"{row[name]:.3g} ({tables.span(row[f'{name} low'], row[f'{name} high'], '.3g')})" for name in sides),
         "yes" if row["sure"] else "no", f"{row['distance']:.2f}",
         *("none" if row[name] is None else f"{row[name]:.3g}" for name in others)]
        for row in found.frame.iter_rows(named=True)
    ]  # fmt: skip
    head = ["deck", *sides, "sure", "distance", *others]
    return "\n".join([
        *_head(found), "", tables.table(head, rows), "",
        "in brackets: the 95% interval over deals; sure: both intervals lie inside the cell (more --check-games narrow them)",
        f"distance: from the goals, in tolerances ({_goals(found)}); 0 is best",
    ])  # fmt: skip


def _draw(folder: Path, found: Mapped) -> None:
    from veggies_sim.plots.axes import save
    from veggies_sim.plots.landscape import Side, landscape

    across, up = (
        Side(f"{side[0].metric.title} ({side[0].line_up}), {side[0].metric.unit}", axis.edges)
        for axis, side in zip(found.landscape.axes, found.landscape.sides, strict=True)
    )
    colour = f"distance from the goals, in tolerances\n({_goals(found)}); 0 is best"
    ax = landscape(found.frame, across, up, colour, title="\n".join(_head(found)))
    for ending in ("svg", "png"):
        (folder / f"map.{ending}").unlink(missing_ok=True)  # of a search that stopped between its pictures and its end
        save(ax, folder / f"map.{ending}")
