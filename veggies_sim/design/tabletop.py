"""Decks for Tabletop Simulator: how faces share image sheets, and the saved object that names the images.

Source: https://kb.tabletopsimulator.com (custom decks, asset creation, save file format) and saved objects of its users. A
sheet has at most 10 x 7 slots. Its last one is no card: it is what players see who may not see a face, here a back that stands
idle, since with BackIsHidden they see the back image. Images are RGB; 4096 dots a side is a rule of thumb, not a limit. A
card's number is 100 times the number of its sheet, from 1 on, plus its slot, row by row from 0 on.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

MOST_COLUMNS, MOST_ROWS = 10, 7
MOST_FACES = MOST_COLUMNS * MOST_ROWS - 1  # of a sheet: the last slot is no card
MOST_DOTS = 4096  # a side

# On its face in the middle of the table.
PLACE = {"posX": 0, "posY": 1, "posZ": 0, "rotX": 0, "rotY": 180, "rotZ": 180, "scaleX": 1, "scaleY": 1, "scaleZ": 1}


class Grid(NamedTuple):
    """A sheet: `faces` of them from number `first` on, in columns x rows slots."""

    first: int
    faces: int
    columns: int
    rows: int

    def slot(self, place: int) -> tuple[int, int]:
        """Return column and row of a slot; -1 is the last one."""
        row, column = divmod(place % (self.columns * self.rows), self.columns)
        return column, row

    def dot(self, width: int, height: int, least: int) -> int:
        """Return how wide a dot is, `least` or more, so that cards of width x height micrometres don't ask for too many."""
        return max(least, -(-self.columns * width // MOST_DOTS), -(-self.rows * height // MOST_DOTS))


def grids(faces: int) -> list[Grid]:
    """Return the sheets for a number of faces; a sheet has at least two rows and columns.

    >>> grids(70)
    [Grid(first=0, faces=69, columns=10, rows=7), Grid(first=69, faces=1, columns=2, rows=2)]
    """
    found = []
    for first in range(0, faces, MOST_FACES):
        here = min(MOST_FACES, faces - first)
        columns = min(MOST_COLUMNS, here + 1)
        found.append(Grid(first, here, columns, max(2, -(-(here + 1) // columns))))
    return found


def saved_object(title: str, cards: Sequence[tuple[str, int]], faces: Sequence[str], back: str) -> dict[str, Any]:
    """Return the saved object of a deck that lies face down.

    cards: name and copies of each face, in the order of the sheets; faces: the address of each sheet; back: that of the back.
    """
    singles = []
    for number, grid in enumerate(grids(len(cards)), start=1):
        sheet = {
            "FaceURL": faces[number - 1], "BackURL": back, "NumWidth": grid.columns, "NumHeight": grid.rows,
            "BackIsHidden": True, "UniqueBack": False, "Type": 0,
        }  # fmt: skip
        for slot, (name, copies) in enumerate(cards[grid.first : grid.first + grid.faces]):
            card = {
                "Name": "Card", "Transform": PLACE, "Nickname": name, "CardID": 100 * number + slot, "SidewaysCard": False,
                "CustomDeck": {str(number): sheet},
            }  # fmt: skip
            singles += [card] * copies
    return {"SaveName": title, "ObjectStates": singles if len(singles) == 1 else [_deck(title, singles)]}


def _deck(title: str, singles: Sequence[dict[str, Any]]) -> dict[str, Any]:
    sheets = {number: sheet for card in singles for number, sheet in card["CustomDeck"].items()}
    return {
        "Name": "DeckCustom", "Transform": PLACE, "Nickname": title, "SidewaysCard": False,
        "DeckIDs": [card["CardID"] for card in singles], "CustomDeck": sheets, "ContainedObjects": list(singles),
    }  # fmt: skip
