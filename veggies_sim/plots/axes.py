"""What all pictures share: colours that colour-blind people can tell apart, and axes to draw on."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Any

from veggies_sim.core.files import check_new_file, new_file
from veggies_sim.core.manifest import refuse_inside

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis

# Okabe and Ito: Color Universal Design, 2008.
BLUE, ORANGE, GREEN, PURPLE, GREY = "#0072B2", "#E69F00", "#009E73", "#CC79A7", "#666666"
COLORS = (BLUE, ORANGE, GREEN, PURPLE, GREY)
MARKERS = ("o", "s", "^", "D", "v")  # the same order: whoever sees no colours tells lines apart by these
FORMATS = ("png", "svg", "pdf")


def new_axes(title: str = "", width: float = 7, height: float = 4) -> Axes:
    """Return axes of a new figure that no window shows, inches wide and high, grown by the lines of the title."""
    from matplotlib.figure import Figure

    lines = [short for line in title.split("\n") for short in textwrap.wrap(line, int(14 * width))]
    figure = Figure(figsize=(width, height + 0.17 * len(lines)), layout="constrained")
    if lines:
        figure.suptitle("\n".join(lines), x=0.01, ha="left", fontsize=9)
    return figure.subplots()


def tidy(ax: Axes) -> Axes:
    """Take away the lines of the frame that carry no scale, and return the axes."""
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def legend_above(ax: Axes, title: str | None = None, **how: Any) -> None:
    """Put the legend above the axes, where it covers nothing that is drawn."""
    columns = min(3, max(1, len(ax.get_legend_handles_labels()[1])))
    ax.legend(**{"title": title, "frameon": False, "loc": "lower center", "bbox_to_anchor": (0.5, 1), "ncols": columns,
                 "fontsize": 9} | how)  # fmt: skip


def check_picture(path: Path) -> None:
    """Raise InputError for a file that a picture can't be written to."""
    refuse_inside(path)
    check_new_file(path, FORMATS, "a picture")


def save(ax: Axes, path: Path) -> None:
    """Write the figure of `ax` to a file; its ending says the format. Equal figures give equal bytes: no clock, no random ids."""
    from matplotlib import rc_context

    dates = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
    with new_file(path), rc_context({"svg.hashsalt": "veggies_sim"}):
        ax.figure.savefig(path, dpi=150, metadata=dates.get(path.suffix.lower()))  # type: ignore[union-attr]


def percent(axis: Axis) -> None:
    """Write the numbers of an axis, shares, as percent."""
    from matplotlib.ticker import PercentFormatter

    axis.set_major_formatter(PercentFormatter(xmax=1))
