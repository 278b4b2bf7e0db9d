"""Picture of a map of designs: a plane of two measured numbers cut into cells, the best design of each by colour (bright: best)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import polars as pl

from veggies_sim.plots.axes import GREY, legend_above, new_axes
from veggies_sim.plots.heat_map import COLOURS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.cm import ScalarMappable

EMPTY = "#F0F0F0"
INSET = 0.09  # of a cell's width, between a colour and the cell's edge; half of the width of a hollow cell's frame


FILES = "in the cells: X_Y of the file decks/X_Y.csv; X counts cells from the left, Y from below, both from 0"


class Side(NamedTuple):
    """One axis of the plane."""

    label: str  # with its unit
    edges: Sequence[float]  # of the cells, ascending, one more than cells


def landscape(frame: pl.DataFrame, across: Side, up: Side, colour: str, ax: Axes | None = None, title: str = "") -> Axes:
    """Draw each filled cell in the colour of its `distance`, low is best, with the name of its file; hollow if it is not `sure`.

    frame: a row for each filled cell with x and y (its place, from 0), distance, sure. colour: what distance is.
    """
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize

    columns, rows = len(across.edges) - 1, len(up.edges) - 1
    if ax is None:
        ax = new_axes(title, width=max(6.5, 3 + 0.6 * columns), height=max(3.5, 2 + 0.5 * rows))
    shades = ScalarMappable(Normalize(frame["distance"].min(), frame["distance"].max()), f"{COLOURS}_r")  # type: ignore[arg-type]
    _empty_cells(ax, columns, rows)
    for x, y, distance, sure in frame.select("x", "y", "distance", "sure").iter_rows():
        _cell(ax, (x, y), tuple(shades.to_rgba(distance)), sure)
    for axis, side in ((ax.xaxis, across), (ax.yaxis, up)):
        axis.set_ticks(range(len(side.edges)), [f"{edge:.4g}" for edge in side.edges])
        axis.set_label_text(side.label)
    ax.tick_params(axis="x", labelrotation=0 if columns <= 12 else 90)
    ax.spines[:].set_visible(False)
    _legend(ax)
    ax.figure.supxlabel(FILES, fontsize=9)
    _bar(ax, shades, colour)
    return ax


def _bar(ax: Axes, shades: ScalarMappable, colour: str) -> None:
    """Draw the bar of colours with the best on top."""
    bar = ax.figure.colorbar(shades, ax=ax, label=colour)
    bar.ax.invert_yaxis()
    bar.ax.set_title("best", fontsize=9)
    bar.ax.set_xlabel("worst", fontsize=9)


def _empty_cells(ax: Axes, columns: int, rows: int) -> None:
    ax.set(xlim=(0, columns), ylim=(0, rows), facecolor=EMPTY)
    ax.set_xticks(range(columns + 1))
    ax.set_yticks(range(rows + 1))
    ax.grid(color="white", linewidth=1.5)
    ax.set_axisbelow(True)


def _cell(ax: Axes, place: tuple[int, int], shade: tuple[float, ...], sure: bool) -> None:
    """Draw a cell: full, or hollow with a frame of the colour inside thin grey lines, so that light colours show too."""
    from matplotlib.patches import Rectangle

    def box(inset: float, fill: str | tuple[float, ...]) -> None:
        side = 1 - 2 * inset
        corner = place[0] + inset, place[1] + inset
        ax.add_patch(Rectangle(corner, side, side, facecolor=fill, edgecolor=GREY, linewidth=0.5))

    box(INSET / 2, shade)
    if not sure:
        box(INSET * 2.5, "white")
    light = 0.299 * shade[0] + 0.587 * shade[1] + 0.114 * shade[2]
    ink = "white" if sure and light < 0.5 else "black"
    name = f"{place[0]}_{place[1]}"
    size = 9 if len(name) == 3 else 7  # what a hollow cell has room for
    ax.text(place[0] + 0.5, place[1] + 0.5, name, ha="center", va="center", color=ink, fontsize=size)


def _legend(ax: Axes) -> None:
    from matplotlib.lines import Line2D

    look = {"linestyle": "none", "marker": "s", "markersize": 9}
    handles = [
        Line2D([], [], color=GREY, label="interval inside the cell", **look),  # type: ignore[arg-type]
        Line2D([], [], markerfacecolor="white", color=GREY, markeredgewidth=2.5, label="interval reaches out of the cell", **look),  # type: ignore[arg-type]
        Line2D([], [], markerfacecolor=EMPTY, color=EMPTY, label="no deck found (not: impossible)", **look),  # type: ignore[arg-type]
    ]  # fmt: skip
    legend_above(ax, handles=handles)
