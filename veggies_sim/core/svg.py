"""Pictures as self-contained SVG: text that stays inside, outlines, parts beside and below one another, whole pages.

What may live here: drawing that knows no game. All text is escaped.
"""

from __future__ import annotations

import html
import re
import textwrap
import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

GAP = 16  # pixels between two pictures
PAGE = 1200  # pixels a picture is wide at most, where its parts can go to another line
MARK = "#0072B2"


class Picture(NamedTuple):
    """SVG elements that fill a box with its top-left corner at (0, 0)."""

    width: int
    height: int
    body: str

    def at(self, x: int, y: int) -> str:
        """Return the elements moved to (x, y)."""
        return f'<g transform="translate({x} {y})">{self.body}</g>'


def escape(words: object) -> str:
    """Return text that may stand anywhere in SVG; characters that XML has no place for become U+FFFD."""
    return html.escape(re.sub("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "\ufffd", str(words)))


def _fit(words: str, width: int, size: int, bold: bool) -> str:
    """Return `words`, shortened with dots where they would not fit into `width` pixels in a font of `size`."""
    room, usual = width / size, 0.68 if bold else 0.6
    for place, letter in enumerate(words):
        room -= 1.1 if unicodedata.east_asian_width(letter) in "WF" or letter in "MWmw@%" else usual
        if room < 0:
            return words[: max(place - 2, 0)] + "…"
    return words


def text(x: int, y: int, words: object, size: int = 13, more: str = "") -> str:
    """Return an element of text with its baseline at y; `more` holds further attributes."""
    return f'<text x="{x}" y="{y}" font-size="{size}" {more}>{escape(words)}</text>'


def text_line(words: str, width: int, size: int = 13, more: str = "") -> Picture:
    """Return one line of text that stays inside `width`; the whole of it shows when the mouse rests on it."""
    fitted = _fit(words, width, size, "bold" in more)
    body = f"<g><title>{escape(words)}</title>{text(0, size, fitted, size, more)}</g>"
    return Picture(width, size + 6, body)


def outline(x: int, y: int, width: int, height: int) -> str:
    """Return the frame that marks a card of width x height pixels."""
    box = f'x="{x}" y="{y}" width="{width}" height="{height}" fill="none" rx="2"'
    return f'<rect {box} stroke="#fff" stroke-width="6"/><rect {box} stroke="{MARK}" stroke-width="3.5"/>'


def column(pictures: Sequence[Picture]) -> Picture:
    """Return pictures below one another."""
    y, body = 0, []
    for picture in pictures:
        body.append(picture.at(0, y))
        y += picture.height
    return Picture(max(picture.width for picture in pictures), y, "".join(body))


def flow(pictures: Sequence[Picture], gap: int = GAP) -> Picture:
    """Return pictures side by side, on as few lines of about as many pictures as fit into PAGE pixels."""
    for lines in range(1, len(pictures) + 1):
        number = -(-len(pictures) // lines)
        parts = [pictures[first : first + number] for first in range(0, len(pictures), number)]
        width = max(sum(picture.width + gap for picture in part) for part in parts) - gap
        if width <= PAGE:
            break
    body, y = [], 0
    for part in parts:
        x = 0
        for picture in part:
            body.append(picture.at(x, y))
            x += picture.width + gap
        y += max(picture.height for picture in part) + gap
    return Picture(width, y - gap, "".join(body))


def picture_svg(picture: Picture, title: str, edge: int = 6) -> str:
    """Return a whole SVG image on white, with `title` for those who cannot see it."""
    width, height = picture.width + 2 * edge, picture.height + 2 * edge
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        f'role="img" font-family="DejaVu Sans, Verdana, Arial, sans-serif"><title>{escape(title)}</title>'
        f'<rect width="{width}" height="{height}" fill="#fff"/>{picture.at(edge, edge)}</svg>'
    )


def page(
    title: Sequence[str], parts: Sequence[Picture], legend: Sequence[Picture] = (), notes: Sequence[str] = ()
) -> str:
    """Return a whole image: lines of a title, notes on as many lines as they need, parts below one another, and a legend."""
    width = max(760, *(part.width for part in parts))
    rows = [text_line(words, width, 16, 'font-weight="bold"') for words in title]
    rows += [text_line(line, width) for note in notes for line in textwrap.wrap(note, int(width / (0.7 * 13)))]
    for part in (*parts, flow(legend, 4)) if legend else parts:
        rows += [Picture(0, 10, ""), part]
    return picture_svg(column(rows), ", ".join([*title, *notes]), 12)


def panel(label: str, lines: Sequence[str], inner: Picture, marked: bool = False) -> Picture:
    """Return a picture in a frame, below a label and lines of text; `marked` outlines the frame."""
    width = max(inner.width, 264)
    rows = [text_line(label, width, 14, 'font-weight="bold"'), *(text_line(line, width) for line in lines), inner]
    body = column(rows)
    fill, frame = ("#EAF4FB", MARK) if marked else ("#FAFAFA", "#CCC")
    box = f'<rect width="{width + 16}" height="{body.height + 16}" rx="5" fill="{fill}" stroke="{frame}"/>'
    return Picture(width + 16, body.height + 16, box + body.at(8, 8))
