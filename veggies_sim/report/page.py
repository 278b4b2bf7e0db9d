"""The page: sections put together as one HTML file that needs nothing but itself.

All text is escaped by the template, and the page's own policy forbids scripts and every address but pictures within it.
The same run gives the same bytes: neither the time nor the place of writing is on the page.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from veggies_sim.core.checks import as_path
from veggies_sim.core.dataset import Run
from veggies_sim.core.errors import InputError
from veggies_sim.core.files import check_new_file, file_errors, new_file, replaced
from veggies_sim.core.manifest import REPORT, is_report, refuse_inside
from veggies_sim.report.pictures import data_uri, figure_svg
from veggies_sim.report.provenance import seated
from veggies_sim.report.section import Drawing, Item, Picture, Points, Section, Table
from veggies_sim.report.sections import all_sections
from veggies_sim.report.words import parts_of, shown

ENDINGS = ("html", "htm")


def write_report(run: Run, out: str | Path | None = None, *, challenges: str | Path | None = None, what_if: int = 0) -> Path:
    """Write a report of a run as one HTML file, and return its path.

    out: a new file; by default report.html in the run's folder, where an earlier report is overwritten. challenges: a TOML
    file of challenges (see `analysis.challenges`). what_if: games to play for each question of the kind "what if the set-up
    were another"; 0 for none. Raises InputError for a place that can't be written and for too small a run.
    """
    if not isinstance(run, Run):
        raise InputError(f"report: found {type(run).__name__}; give a run, as vs.simulate or vs.open_dataset returns it.")
    file = report_file(run, out)
    write_page(file, page(run, all_sections(run, challenges, what_if)))
    return file


def report_file(run: Run, out: str | Path | None = None) -> Path:
    """Return where the report of a run goes. Raises InputError for a place that can't be written, before any work."""
    own = None if run.folder is None else run.folder / REPORT
    if out is None and own is None:
        raise InputError("report: the run is in memory only. Give a file for its report.")
    file = own if out is None else as_path(out, "out")
    assert file is not None
    if own is not None and file.absolute() == own.absolute():
        with file_errors(file, advice="Give another file with --out."):
            if os.path.lexists(file) and not is_report(file):
                raise InputError(f"{file} is no report of ours, and is not overwritten. Move it, or give a file with --out.")
            if not os.access(file.parent, os.W_OK):
                raise InputError(f"{file}: can't be written (no right to write there). Give another file with --out.")
    else:
        refuse_inside(file)
        check_new_file(file, ENDINGS, "a report")
    return file


def write_page(file: Path, text: str) -> None:
    """Write a page, whole or not at all."""
    with new_file(file), replaced(file) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")


def page(run: Run, sections: Sequence[Section]) -> str:
    """Return the HTML of a report."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    from veggies_sim import __version__

    loader = PackageLoader("veggies_sim.report")
    made = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    m, game = run.manifest, run.game
    parts = [
        {"title": section.title, "parts": [part for item in (*section.answers, *section.items) for part in _shown(item)]}
        for section in sections
    ]
    text = made.get_template("page.html").render(
        version=__version__,
        title=f"{game.title}, {game.players} players: what {m.games:,} games say",
        lead=[game.conditions(), f"Players: {seated(run)}.", *(f"Note: {note}." for note in game.setup_notes(game.setup))],
        sections=parts,
    )
    return text.encode(errors="replace").decode() + "\n"  # half characters are no text


def _shown(item: Item) -> Iterator[dict[str, Any]]:
    """Yield an item as the template takes it, a wide table in parts."""
    if isinstance(item, Picture):
        yield {"kind": "picture", "caption": item.caption, "source": data_uri(figure_svg(item.draw))}
    elif isinstance(item, Drawing):
        yield {"kind": "drawing", "caption": item.caption, "source": data_uri(item.svg)}
    elif isinstance(item, Table):
        for number, columns in enumerate(parts_of([*shown(item)])):
            caption = item.caption if number == 0 else f"More columns of: {item.caption.split(';')[0]}"
            yield {"kind": "table", "caption": caption, "columns": columns, "rows": zip(*(c.cells for c in columns), strict=True)}
    elif isinstance(item, Points):
        yield {"kind": "list", "texts": item.texts}
    else:
        yield {"kind": "text", "text": item}
