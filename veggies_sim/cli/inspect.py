"""`info`, `replay` and `export`: commands that read a dataset."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any

from veggies_sim.cli import options
from veggies_sim.cli.words import number, path
from veggies_sim.core.errors import InputError
from veggies_sim.core.files import new_file

if TYPE_CHECKING:
    from pathlib import Path

    from veggies_sim.core.dataset import Run


_INFO = "Print what a dataset is, where it came from, and its columns with their types."
_REPLAY = "Show one game of a dataset, turn by turn. Games are played again where their moves were not recorded."
_EXPORT = "Write every table of a dataset as a CSV file into a new folder."


def add_commands(commands: Any) -> None:
    """Add the commands of this file to the parser."""
    p = commands.add_parser("info", help="what a dataset is, and what its columns hold", description=_INFO, allow_abbrev=False)
    p.add_argument("folder", type=path, metavar="DIR", help="folder of a dataset")
    p.add_argument("--json", action="store_true", help="the same as JSON")
    p.set_defaults(run=_info)

    p = commands.add_parser("replay", help="show one game of a dataset, turn by turn", description=_REPLAY, allow_abbrev=False)
    p.add_argument("folder", type=path, metavar="DIR", help="folder of a dataset")
    p.add_argument("--game", type=number, required=True, metavar="I", help="number of the game")
    p.add_argument("--format", choices=("text", "svg", "html"), default="text", help="default text")
    p.add_argument("--step", type=_step, metavar="N", help="only this step, counted from 0; last or -1 is the last, "
                   "-2 the one before; an SVG is one step, by default the last")  # fmt: skip
    p.add_argument("--out", type=path, metavar="FILE", help="file to write; default standard output")
    options.add_policy(p, options.AGAIN)
    p.set_defaults(run=_replay)

    p = commands.add_parser("export", help="write every table of a dataset as CSV", description=_EXPORT, allow_abbrev=False)
    p.add_argument("folder", type=path, metavar="DIR", help="folder of a dataset")
    p.add_argument("--out", type=path, required=True, metavar="FOLDER", help="a folder for the CSV files")
    p.set_defaults(run=_export)


def _info(arguments: argparse.Namespace) -> None:
    from veggies_sim.core.dataset import open_dataset

    run = open_dataset(arguments.folder)
    columns = _dictionary(run)
    if arguments.json:
        facts = {key: value for key, value in vars(run.manifest).items() if key != "parts"}
        print(json.dumps({"run": facts | {"rows": run.rows}, "columns": columns}, indent=1, ensure_ascii=False))
        return
    print(f"{arguments.folder}: {run.manifest.games:,} games, {run.manifest.state}")
    for key, text in _facts(run, arguments.folder).items():
        print(f"  {key:9} {text}")
    for table, rows in columns.items():
        print(f"{table}:")
        for row in rows:
            print(f"  {row['name']:18} {row['type']:12} {row['doc']}")
    print("Small types overflow in arithmetic: cast first, in polars .cast(pl.Int32), in pandas .astype('int32').")


def _facts(run: Run, folder: Path) -> dict[str, str]:
    from veggies_sim.core.files import resume_command
    from veggies_sim.report.provenance import facts

    found = facts(run)
    if "missing" in found:
        found["missing"] += f"; `{resume_command(folder)}` plays them"
    return found


def _dictionary(run: Run) -> dict[str, list[dict[str, str]]]:
    """Return each table's columns with the types that polars gives them."""
    types = {table: run.scan(table).collect_schema() for table in run.columns}
    return {
        table: [{"name": column.name, "type": str(types[table][column.name]), "doc": column.doc} for column in columns]
        for table, columns in run.columns.items()
    }


def _step(word: str) -> int:
    try:
        return -1 if word == "last" else int(word)
    except ValueError:
        raise argparse.ArgumentTypeError(f"found {word!r}, but a whole number or last is needed") from None


def _replay(arguments: argparse.Namespace) -> None:
    from veggies_sim.core.dataset import open_dataset
    from veggies_sim.core.manifest import refuse_inside
    from veggies_sim.core.replay import as_html, as_text, replay

    if arguments.out is not None:
        refuse_inside(arguments.out)
    run = open_dataset(arguments.folder)
    steps = replay(run, arguments.game, options.policies(arguments))
    if arguments.step is not None:
        if not -len(steps) <= arguments.step < len(steps):
            raise InputError(f"--step {arguments.step}: this game has steps 0..{len(steps) - 1}; -1 or last is the last.")
        steps = [steps[arguments.step]]
    if arguments.format == "html":
        text = as_html(steps, f"{run.game.title}, game {arguments.game} of seed {run.manifest.seed}")
    else:
        text = steps[-1].svg + "\n" if arguments.format == "svg" else as_text(steps)
    if arguments.out is None:
        print(text, end="")
        return
    with new_file(arguments.out), arguments.out.open("x", encoding="utf-8", newline="\n") as file:
        file.write(text)
    print(arguments.out)


def _export(arguments: argparse.Namespace) -> None:
    from veggies_sim.core.dataset import open_dataset

    for file in open_dataset(arguments.folder).to_csv(arguments.out):
        print(file)
