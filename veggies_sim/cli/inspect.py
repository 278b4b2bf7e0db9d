"""`info`, `replay` and `export`: commands that read a dataset."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from veggies_sim.core.errors import InputError

if TYPE_CHECKING:
    from veggies_sim.core.dataset import Run


def add_commands(commands: Any) -> None:
    """Add the commands of this file to the parser."""
    p = commands.add_parser("info", help="what a dataset is, and what its columns hold", allow_abbrev=False)
    p.add_argument("folder", type=Path, metavar="DIR")
    p.add_argument("--json", action="store_true", help="the same as JSON")
    p.set_defaults(run=_info)

    p = commands.add_parser("replay", help="show one game of a dataset, turn by turn", allow_abbrev=False)
    p.add_argument("folder", type=Path, metavar="DIR")
    p.add_argument("--game", type=int, required=True, metavar="I", help="number of the game")
    p.add_argument("--format", choices=("text", "svg", "html"), default="text", help="default text")
    p.add_argument("--step", type=int, help="only this step, counted from 0; an SVG is one step, by default the last")
    p.add_argument("--out", type=Path, metavar="FILE", help="file to write; default standard output")
    p.set_defaults(run=_replay)

    p = commands.add_parser("export", help="write every table of a dataset as CSV", allow_abbrev=False)
    p.add_argument("folder", type=Path, metavar="DIR")
    p.add_argument("--out", type=Path, required=True, metavar="FOLDER", help="a folder for the CSV files")
    p.set_defaults(run=_export)


def _info(arguments: argparse.Namespace) -> None:
    from veggies_sim.core.dataset import open_dataset

    run = open_dataset(arguments.folder)
    facts = {key: value for key, value in asdict(run.manifest).items() if key != "parts"}
    facts["rows"] = {table: sum(part.rows[table] for part in run.manifest.parts) for table in run.columns}
    columns = _dictionary(run)
    if arguments.json:
        print(json.dumps({"run": facts, "columns": columns}, indent=1, ensure_ascii=False))
        return
    print(run)
    for key, value in facts.items():
        print(f"  {key:16} {json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else value}")
    for table, rows in columns.items():
        print(f"{table}:")
        for row in rows:
            print(f"  {row['name']:22} {row['type']:5} {row['doc']}")


def _dictionary(run: Run) -> dict[str, list[dict[str, str]]]:
    return {
        table: [{"name": column.name, "type": column.type, "doc": column.doc} for column in columns]
        for table, columns in run.columns.items()
    }


def _replay(arguments: argparse.Namespace) -> None:
    from veggies_sim.core.dataset import open_dataset
    from veggies_sim.core.replay import as_html, as_text, find_record

    run = open_dataset(arguments.folder)
    steps = run.game.steps(find_record(run, arguments.game))
    if arguments.step is not None:
        if not 0 <= arguments.step < len(steps):
            raise InputError(f"--step {arguments.step}: this game has steps 0..{len(steps) - 1}.")
        steps = [steps[arguments.step]]
    if arguments.format == "html":
        text = as_html(steps, f"{run.game.title}, game {arguments.game} of seed {run.manifest.seed}")
    else:
        text = steps[-1].svg + "\n" if arguments.format == "svg" else as_text(steps)
    if arguments.out is None:
        print(text, end="")
        return
    try:
        arguments.out.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise InputError(f"{arguments.out}: can't be written ({error.strerror}). Give another file.") from None
    print(arguments.out)


def _export(arguments: argparse.Namespace) -> None:
    from veggies_sim.core.dataset import open_dataset

    for file in open_dataset(arguments.folder).to_csv(arguments.out):
        print(file)
