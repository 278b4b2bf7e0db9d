"""Drawings as inks: paths in whole micrometres, from which SVG, PDF and PNG are made alike.

What may live here: making, moving and turning of paths; text as outlines; the SVG of a drawing. x runs to the right and y
down, both in micrometres. A path is filled where it winds around a place (the nonzero rule of SVG and PDF).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from veggies_sim.core.svg import escape

MM = 1000  # micrometres
Point = tuple[float, float]
Step = tuple[str, tuple[Point, ...]]  # M and L with one point, C with two controls and its end, Z with none
POINTS = {"M": 1, "L": 1, "C": 3, "Z": 0}
LONGEST = 80  # characters of a text that are looked at: more would fit nowhere
UNKNOWN = "\ufffd"  # in place of a letter that the font lacks


class Ink(NamedTuple):
    """A path that is filled or, with a width of its line, drawn; colour as #RRGGBB, all else in whole micrometres."""

    colour: str
    steps: tuple[Step, ...]
    line: int = 0


class Box(NamedTuple):
    """A rectangle in whole micrometres."""

    left: int
    top: int
    width: int
    height: int

    @property
    def right(self) -> int:
        """Return where it ends."""
        return self.left + self.width

    @property
    def bottom(self) -> int:
        """Return where it ends."""
        return self.top + self.height

    @property
    def middle(self) -> Point:
        """Return its middle."""
        return self.left + self.width / 2, self.top + self.height / 2

    def grown(self, by: int) -> Box:
        """Return the box with that much more at every side."""
        return Box(self.left - by, self.top - by, self.width + 2 * by, self.height + 2 * by)

    def meets(self, other: Box) -> bool:
        """Return whether both share more than an edge."""
        across = self.left < other.right and other.left < self.right
        return across and self.top < other.bottom and other.top < self.bottom


def placed(steps: Sequence[Step], move: Callable[[float, float], Point]) -> tuple[Step, ...]:
    """Return a path with each point moved, then rounded to whole micrometres."""
    return tuple((deed, tuple((round(x), round(y)) for x, y in (move(*point) for point in points))) for deed, points in steps)


def moved(inks: Sequence[Ink], right: int, down: int) -> list[Ink]:
    """Return inks moved."""
    return [ink._replace(steps=placed(ink.steps, lambda x, y: (x + right, y + down))) for ink in inks]


def quarter_turned(inks: Sequence[Ink], height: int) -> list[Ink]:
    """Return inks of a box of that height after a quarter turn clockwise, again with the corner of the box at (0, 0)."""
    return [ink._replace(steps=placed(ink.steps, lambda x, y: (height - y, x))) for ink in inks]


def rectangle(colour: str, box: Box) -> Ink:
    """Return a filled rectangle."""
    corners = ((box.left, box.top), (box.right, box.top), (box.right, box.bottom), (box.left, box.bottom))
    return Ink(colour, (*(("ML"[place > 0], (corner,)) for place, corner in enumerate(corners)), ("Z", ())))


@lru_cache
def path_steps(path: str) -> tuple[Step, ...]:
    """Return what a path of SVG says; it may have the absolute commands M, L, C and Z, with blanks between all words."""
    words, steps = iter(path.split()), []
    for deed in words:
        steps.append((deed, tuple((float(next(words)), float(next(words))) for _ in range(POINTS[deed]))))
    return tuple(steps)


def scaled(colour: str, path: str, units: float, size: float, middle: Point) -> Ink:
    """Return a path of a square of `units` as ink in a square of `size`, with its middle there."""

    def move(x: float, y: float) -> Point:
        return middle[0] + (x / units - 0.5) * size, middle[1] + (y / units - 0.5) * size

    return Ink(colour, placed(path_steps(path), move))


def text(colour: str, words: str, size: int, at: Point, anchor: float = 0, room: int | None = None, bold: bool = False) -> Ink:
    """Return text as outlines of DejaVu Sans, the font that comes with matplotlib; what is too long for `room` is cut.

    size: of the font, in micrometres; at: the baseline's point that lies at the part `anchor` of the text's width.
    """
    steps, width = _outline(words[:LONGEST], bold)
    for kept in range(min(len(words), LONGEST), 0, -1):
        if room is None or width * size <= room:
            break
        steps, width = _outline(words[:kept] + "…", bold)
    left = at[0] - anchor * width * size
    return Ink(colour, placed(steps, lambda x, y: (left + x * size, at[1] - y * size)))


def extent(ink: Ink) -> Box:
    """Return the box around the points of a path; at (0, 0) and without size for none."""
    xs, ys = ([round(point[axis]) for _, points in ink.steps for point in points] or [0] for axis in (0, 1))
    return Box(min(xs), min(ys), max(xs) - min(xs), max(ys) - min(ys))


@lru_cache(maxsize=4096)
def _outline(words: str, bold: bool) -> tuple[tuple[Step, ...], float]:
    """Return text as a path with y upwards, and its width; both for a font of size 1."""
    import matplotlib
    from matplotlib.font_manager import FontProperties, get_font
    from matplotlib.textpath import text_to_path

    file = Path(matplotlib.get_data_path()) / "fonts" / "ttf" / ("DejaVuSans-Bold.ttf" if bold else "DejaVuSans.ttf")
    letters = get_font(file).get_charmap()
    known = "".join(letter if ord(letter) in letters else UNKNOWN for letter in words)
    points, codes = text_to_path.get_text_path(FontProperties(fname=file), known, ismath=False)
    places = [(float(x) / text_to_path.FONT_SCALE, float(y) / text_to_path.FONT_SCALE) for x, y in points]
    width = max((x for x, _ in places), default=0.0)
    return tuple(_steps(places, [int(code) for code in codes])), width


def _steps(places: Sequence[Point], codes: Sequence[int]) -> list[Step]:
    """Return matplotlib's path; a curve with one control becomes the same curve with two."""
    steps: list[Step] = []
    at, last = 0, (0.0, 0.0)
    while at < len(codes):
        code, point = codes[at], places[at]
        if code == 79:  # the point of a closing is of no meaning
            steps.append(("Z", ()))
            at += 1
            continue
        if code == 3:
            end = places[at + 1]
            first, second = (tuple(a + 2 / 3 * (c - a) for a, c in zip(side, point, strict=True)) for side in (last, end))
            steps.append(("C", ((first[0], first[1]), (second[0], second[1]), end)))
        elif code == 4:
            steps.append(("C", (point, places[at + 1], places[at + 2])))
        else:
            steps.append(("M" if code == 1 else "L", (point,)))
        at += {3: 2, 4: 3}.get(code, 1)
        last = places[at - 1]
    return steps


def path_words(steps: Sequence[Step]) -> str:
    """Return a path as SVG writes it.

    >>> path_words(rectangle("#000000", Box(0, 0, 63_000, 5)).steps)
    'M0 0L63000 0L63000 5L0 5Z'
    """
    return "".join(deed + " ".join(f"{x:.0f} {y:.0f}" for x, y in points) for deed, points in steps)


def _svg(ink: Ink) -> str:
    if ink.line:
        look = f'fill="none" stroke="{ink.colour}" stroke-width="{ink.line}" stroke-linejoin="round"'
    else:
        look = f'fill="{ink.colour}"'
    return f'<path {look} d="{path_words(ink.steps)}"/>'


def drawing_svg(inks: Sequence[Ink], box: Box, title: str) -> str:
    """Return what lies in a box as self-contained SVG, as large as on paper; what reaches out of the box is cut off."""
    body = "".join(map(_svg, inks))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{box.width / MM:g}mm" height="{box.height / MM:g}mm" '
        f'viewBox="{box.left} {box.top} {box.width} {box.height}" overflow="hidden" role="img">'
        f"<title>{escape(title)}</title>{body}</svg>\n"
    )
