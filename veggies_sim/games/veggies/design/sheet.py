"""Pages of card design as SVG files, and the bars on them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from veggies_sim.core.files import check_new_file, new_file
from veggies_sim.core.manifest import refuse_inside
from veggies_sim.core.svg import Picture, text
from veggies_sim.games.veggies.drawing import COLOUR

ROW, BAR = 22, 180  # pixels: height of a row, width of the longest bar
PLAIN = "#8A8A8A"


def check_sheet(path: Path) -> None:
    """Raise InputError for a file that a page can't be written to."""
    refuse_inside(path)
    check_new_file(path, ["svg"], "a picture")


def write_sheet(path: Path, svg: str) -> None:
    """Write a page to a new file. Raises InputError."""
    with new_file(path), path.open("x", encoding="utf-8", newline="\n") as file:
        file.write(svg)


def bars(rows: Mapping[str, int]) -> Picture:
    """Return a bar for each name, in the colour of the symbol where the name is one, with the number beside it."""
    left, most = 9 * max(map(len, rows)) + 8, max(1, *rows.values())
    body = []
    for place, (name, number) in enumerate(rows.items()):
        y, width, fill = ROW * place, round(BAR * number / most), COLOUR.get(name, PLAIN)
        body.append(text(left - 8, y + 16, name, 13, 'text-anchor="end"'))
        body.append(f'<rect x="{left}" y="{y + 3}" width="{width}" height="{ROW - 6}" fill="{fill}" stroke="#222"/>')
        body.append(text(left + width + 6, y + 16, f"{number:,}"))
    return Picture(left + BAR + 70, ROW * len(rows), "".join(body))
