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
LETTERS = 11  # on an inch of an axis
NAME = 26  # letters on a line of a name beside an axis


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
    """Make a figure narrow, with names and labels of its axes on as many lines as they then need."""
    from matplotlib.ticker import FixedLocator

    figure.set_size_inches(min(WIDTH, figure.get_figwidth()), figure.get_figheight())
    for ax in figure.axes:
        if isinstance(ax.yaxis.get_major_locator(), FixedLocator):
            names = [label.get_text() for label in ax.get_yticklabels()]
            ax.set_yticks(ax.get_yticks(), [_lines(name, NAME) for name in names])
    figure.draw_without_rendering()  # lays out: axes beside long names are narrow
    for ax in figure.axes:
        room = ax.get_window_extent().transformed(figure.dpi_scale_trans.inverted())
        ax.set_xlabel(_lines(ax.get_xlabel(), int(LETTERS * room.width)))
        ax.set_ylabel(_lines(ax.get_ylabel(), int(LETTERS * room.height)))


def _lines(words: str, letters: int) -> str:
    return "\n".join(short for line in words.split("\n") for short in textwrap.wrap(line, max(20, letters)))


def data_uri(svg: str) -> str:
    """Return SVG text as the address of a picture that holds the picture itself."""
    return f"data:image/svg+xml;base64,{base64.b64encode(svg.encode()).decode()}"
