"""`report`: what a dataset says, as one HTML page, as a few lines, or as JSON."""

from __future__ import annotations

import argparse
import json
import sys
import textwrap
from typing import TYPE_CHECKING, Any

from veggies_sim.cli.words import number, path, report_head

if TYPE_CHECKING:
    from veggies_sim.report.section import Section

_ABOUT = (
    "Write what a dataset says as one HTML file that needs no network, to be read on a phone or printed: key numbers with "
    "intervals, tables, pictures, and where it all comes from. Prints the key numbers, and answers to --challenges and --what-if."
)


def add_commands(commands: Any) -> None:
    """Add the command of this file to the parser."""
    p = commands.add_parser("report", help="what a dataset says, as one HTML page", description=_ABOUT, allow_abbrev=False)
    add = p.add_argument
    add("folder", type=path, metavar="DIR", help="folder of a dataset")
    add("--out", type=path, metavar="FILE", help="new file; default DIR/report.html, where an earlier report is overwritten")
    add("--challenges", type=path, metavar="FILE", help="also the chance of meeting each challenge of this TOML file; default none")
    add("--what-if", type=number, metavar="GAMES", default=0,
        help="games to play for each question of what another set-up would change; default 0, no such questions")  # fmt: skip
    add("--json", action="store_true", help="print all tables as JSON; a page is then written only where --out is given")
    p.set_defaults(run=_report)


def _report(arguments: argparse.Namespace) -> None:
    from veggies_sim.analysis.challenges import read_conditions
    from veggies_sim.core.dataset import open_dataset
    from veggies_sim.report.page import page, report_file, write_page
    from veggies_sim.report.sections import all_sections

    run = open_dataset(arguments.folder)
    file = None if arguments.json and arguments.out is None else report_file(run, arguments.out)
    if arguments.challenges:
        read_conditions(run, arguments.challenges)
    print(f"reading {run.manifest.games:,} games ...", file=sys.stderr)
    sections = all_sections(run, arguments.challenges, arguments.what_if)
    if file:
        write_page(file, page(run, sections))
    if arguments.json:
        print(json.dumps(_facts(sections), indent=1, ensure_ascii=False))
        return
    key = [item for item in sections[0].items if isinstance(item, str)]
    answers = [answer for section in sections for answer in section.answers]
    lines = [line for said in (*key, *answers) for line in textwrap.wrap(said, 100)]
    print("\n".join([*report_head(run.game), "", *lines, "", f"report: {file}"]))


def _facts(sections: list[Section]) -> list[dict[str, Any]]:
    """Return texts and tables of the sections, as JSON has them."""
    from veggies_sim.report.section import Points, Table

    return [
        {
            "section": section.title,
            "answers": list(section.answers),
            "texts": [
                text
                for item in section.items
                for text in ([item] if isinstance(item, str) else item.texts if isinstance(item, Points) else [])
            ],
            "tables": [
                {"caption": item.caption, "rows": item.frame.to_dicts()} for item in section.items if isinstance(item, Table)
            ],
        }
        for section in sections
    ]
