"""Pictures as text that an <img> of the page can hold: nothing is fetched, and no id of one picture meets another's."""

from __future__ import annotations

import base64
import io
import re
import textwrap
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH = 5.2  # inches


def figure_svg(draw: Callable[[], Axes]) -> str:
    """Draw, and return the figure as SVG: the same bytes for the same figure, narrow enough to be read on a phone.

    Words are drawn as they are: a dollar in a name begins no formula. Letters that the font or XML lacks become boxes.
    """
    from matplotlib import rc_context, rcParams

    stream = io.StringIO()
    with rc_context(), warnings.catch_warnings():
        rcParams.update({"svg.hashsalt": "veggies_sim", "svg.fonttype": "path", "text.parse_math": False})  # no salt: random ids
        warnings.filterwarnings("ignore", "Glyph .* missing from", UserWarning)
        figure = cast("Figure", draw().figure)
        _narrow(figure)
        figure.savefig(stream, format="svg", metadata={"Date": None})
    svg = re.sub("<!--.*?-->\n?", "", stream.getvalue(), flags=re.DOTALL)  # each word once more
    return re.sub("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "\ufffd", svg)


def _narrow(figure: Figure) -> None:
    """Make a figure narrow, with labels of its axes on as many lines as they then need."""
    width = min(WIDTH, figure.get_figwidth())
    figure.set_size_inches(width, figure.get_figheight())
    for ax in figure.axes:
        ax.set_xlabel(_lines(ax.get_xlabel(), width))
        ax.set_ylabel(_lines(ax.get_ylabel(), figure.get_figheight()))


def _lines(words: str, inches: float) -> str:
    return "\n".join(short for line in words.split("\n") for short in textwrap.wrap(line, max(20, int(10 * inches))))


def data_uri(svg: str) -> str:
    """Return SVG text as the address of a picture that holds the picture itself."""
    return f"data:image/svg+xml;base64,{base64.b64encode(svg.encode()).decode()}"
