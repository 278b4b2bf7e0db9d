"""Pages as PDF and as pixels. The same pages give the same bytes.

What may live here: crop marks and ruler of a page, the PDF writer (reportlab), the renderer (pypdfium2). Both packages are
in an extra and are imported when used; commands ask for them with `need_printing`.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from veggies_sim.core.extras import need
from veggies_sim.design.ink import MM, Box, Ink, moved, quarter_turned, rectangle, text
from veggies_sim.design.paper import GAP, HAIR, RULER, RULER_DEPTH, Sheet

if TYPE_CHECKING:
    from PIL.Image import Image

POINT = 72 / 25_400  # points a micrometre has
BLACK = "#000000"
DOT = 80  # micrometres a dot of an image is wide: 12.5 dots a millimetre, 317.5 an inch


def need_printing(what: str) -> None:
    """Raise InputError where the packages that write and render PDF are missing."""
    need(what, ("reportlab", "pypdfium2"), "design")


class Piece(NamedTuple):
    """A drawing on a page: its name, where its corner (0, 0) comes to lie, and the box beyond which it is cut off."""

    drawing: str
    at: Box
    inked: Box


class Page(NamedTuple):
    """Pieces, and inks above them."""

    pieces: Sequence[Piece]
    inks: Sequence[Ink]


def ruler(sheet: Sheet, words: str) -> list[Ink]:
    """Return a ruler of exactly 100 mm with a tick each centimetre, and words behind it; nothing where it doesn't fit."""
    strip = sheet.ruler_strip()
    if strip is None:
        return []
    length, upright = max(strip.width, strip.height), strip.height > strip.width
    boxes = [Box(0, 0, RULER, HAIR)]
    for at in range(0, RULER + 1, 10 * MM):
        tick = RULER_DEPTH if at % (RULER // 2) == 0 else RULER_DEPTH // 2
        boxes.append(Box(min(at, RULER - HAIR), 0, HAIR, tick))  # the outer edges of the first and last tick are 100 mm apart
    inks = [rectangle(BLACK, box) for box in boxes]
    start = RULER + 4 * GAP
    inks.append(text(BLACK, words, 2_400, (start, RULER_DEPTH - 100), room=length - start))
    return moved(quarter_turned(inks, RULER_DEPTH) if upright else inks, strip.left, strip.top)


def crop_marks(sheet: Sheet) -> list[Ink]:
    """Return the crop marks of a page."""
    return [rectangle(BLACK, box) for box in sheet.crop_marks()]


def pdf(
    size: tuple[int, int], drawings: Mapping[str, Sequence[Ink]], pages: Sequence[Page], title: str, both: bool = False
) -> bytes:
    """Return pages of a size in micrometres as PDF; each drawing is in the file once, however often it is placed.

    both: they are to be printed on both sides, turned along the long edge.
    """
    from reportlab.pdfgen.canvas import FILL_NON_ZERO, Canvas

    stream = io.BytesIO()
    canvas = Canvas(stream, (size[0] * POINT, size[1] * POINT), pageCompression=1, invariant=1, initialFillMode=FILL_NON_ZERO)
    canvas.setTitle(title)
    canvas.setCreator("veggies_sim")
    canvas.setViewerPreference("PrintScaling", "None")  # what a print dialogue offers first; not all of them heed it
    canvas.setViewerPreference("Duplex", "DuplexFlipLongEdge" if both else "Simplex")
    far = 2 * max(size) * POINT  # a drawing's own box cuts nothing off, the pieces do
    used = {piece.drawing for page in pages for piece in page.pieces}
    for name in sorted(used):
        canvas.beginForm(name, -far, -far, far, far)
        _draw(canvas, drawings[name], 0)
        canvas.endForm()
    for page in pages:
        for piece in page.pieces:
            _place(canvas, piece, size[1])
        _draw(canvas, page.inks, size[1])
        canvas.showPage()
    canvas.save()
    return stream.getvalue()


def _place(canvas: Any, piece: Piece, height: int) -> None:
    canvas.saveState()
    frame, box = canvas.beginPath(), piece.inked
    frame.rect(box.left * POINT, (height - box.bottom) * POINT, box.width * POINT, box.height * POINT)
    canvas.clipPath(frame, stroke=0, fill=0)
    canvas.translate(piece.at.left * POINT, (height - piece.at.top) * POINT)
    canvas.doForm(piece.drawing)
    canvas.restoreState()


def _draw(canvas: Any, inks: Sequence[Ink], height: int) -> None:
    """Draw inks; y runs down from `height` there and up in PDF."""
    from reportlab.lib.colors import HexColor

    canvas.setLineJoin(1)
    for ink in inks:
        path = canvas.beginPath()
        deeds = {"M": path.moveTo, "L": path.lineTo, "C": path.curveTo, "Z": path.close}
        for deed, points in ink.steps:
            deeds[deed](*(round(place * POINT, 4) for x, y in points for place in (x, height - y)))
        if ink.line:
            canvas.setStrokeColor(HexColor(ink.colour))
            canvas.setLineWidth(ink.line * POINT)
        else:
            canvas.setFillColor(HexColor(ink.colour))
        canvas.drawPath(path, stroke=int(ink.line > 0), fill=int(not ink.line))


def rendered(document: bytes, dot: int = DOT) -> Image:
    """Return the first page of a PDF as an RGB image of dots that are `dot` micrometres wide."""
    from pypdfium2 import PdfDocument

    opened = PdfDocument(document)
    try:
        scale = 25_400 / 72 / dot
        return opened[0].render(scale=scale * (1 - 1e-6)).to_pil().convert("RGB")  # it rounds up: 8.0000001 dots must stay 8
    finally:
        opened.close()


def picture(inks: Sequence[Ink], width: int, height: int, dot: int = DOT) -> Image:
    """Return a drawing's box of that size from (0, 0) on as an RGB image; sides are rounded up to whole dots."""
    box = Box(0, 0, -(-width // dot) * dot, -(-height // dot) * dot)
    return rendered(pdf((box.width, box.height), {"drawing": inks}, [Page([Piece("drawing", box, box)], [])], ""), dot)
