"""Print cards: as pages to cut out, as a file a card, as sheets for a virtual tabletop.

What may live here: which drawing goes where, and the files. What is written is written whole or not at all, and never over
something that is there. Cards carry the first letters of the deck's hash, so that prints of two versions can be told apart.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from veggies_sim.core.checks import as_path, one_of, several, whole
from veggies_sim.core.errors import InputError, show
from veggies_sim.core.files import check_new_file, file_errors, new_file
from veggies_sim.core.manifest import refuse_inside
from veggies_sim.design.ink import Box, Ink, drawing_svg, quarter_turned
from veggies_sim.design.paper import Sheet, card_size
from veggies_sim.design.pdf import DOT, Page, Piece, crop_marks, need_printing, pdf, picture, rendered, ruler
from veggies_sim.design.tabletop import Grid, grids, saved_object
from veggies_sim.games.veggies.deck import MAX_CARDS, Card, Deck, as_deck
from veggies_sim.games.veggies.design.printed import back_inks, face_inks

PICTURES = ("svg", "png")  # forms of `print_pictures`
BACK = "back"  # name of the drawing
MOST_PRINTED = 2_000  # cards of a PDF, copies counted: half a minute and 300 MB, and more than anybody cuts out
Size = tuple[int, int]  # of a card: lesser and greater side


def print_pages(deck: Deck, cards: Sequence[Card], file: str | Path, sheet: Sheet, backs: bool = False) -> int:
    """Write cards, each as often as it has copies, as PDF to cut out; return how many pages.

    backs: a page of backs follows each page of faces, for printing on both sides, turned along the long edge.
    Without cards there are no pages and no file. Raises InputError for cards that the deck doesn't have, for more than
    MOST_PRINTED of them, for a file that is there, that can't be written or is no .pdf, and without the packages for it.
    """
    file, cards = as_path(file, "file"), _of_deck(deck, cards)
    if not isinstance(sheet, Sheet):
        raise InputError(f"sheet: found {show(sheet)}; give a Sheet, such as Sheet('a4', 'poker').")
    if (number := sum(card.copies for card in cards)) > MOST_PRINTED:
        raise InputError(
            f"a PDF has at most {MOST_PRINTED:,} cards; found {number:,}, copies counted. Print a part of it, or fewer copies."
        )
    refuse_inside(file)
    check_new_file(file, ["pdf"], "a print as PDF")
    need_printing("printing a PDF")
    if not cards:
        return 0
    drawings = {f"face{place}": _lying(_face(deck, card, sheet.card), sheet) for place, card in enumerate(cards)}
    drawings[BACK] = _lying(back_inks(*sheet.card[::-1]), sheet)
    names = [f"face{place}" for place, card in enumerate(cards) for _ in range(card.copies)]
    parts = [names[first : first + len(sheet.slots)] for first in range(0, len(names), len(sheet.slots))]
    pages = []
    for number, part in enumerate(parts, start=1):
        words = f"100 mm: print at 100 % (actual size) · deck {_version(deck)} · {number}/{len(parts)}"
        faces = [Piece(name, sheet.slots[place], sheet.inked(place, len(part))) for place, name in enumerate(part)]
        pages.append(Page(faces, crop_marks(sheet) + ruler(sheet, words)))
        if backs:
            pages.append(Page([Piece(BACK, sheet.behind(face.at), sheet.behind(face.inked)) for face in faces], []))
    document = pdf(sheet.size, drawings, pages, f"Cards of deck {_version(deck)}", backs)
    with new_file(file), file.open("xb") as stream:
        stream.write(document)
    return len(pages)


def print_pictures(deck: Deck, cards: Sequence[Card], folder: str | Path, form: str, size: Size | str) -> int:
    """Write an SVG or PNG file for each card, copies once, and one for the back, to a new folder; return how many.

    size: of a card, as `card_size` reads it. The faces lie with their long side across, without bleed. Files are named by the
    card's place in the deck and what is harmless of its id. Without cards there is no folder. Raises InputError for another
    form or size, for cards that the deck doesn't have, and for a folder that is there or can't be made.
    """
    one_of(form, "form", PICTURES)
    height, width = size = card_size(size)
    folder, cards = _checked_folder(folder), _of_deck(deck, cards)
    if form == "png":
        need_printing("printing PNG")
    if not cards:
        return 0
    places = {card.id: place for place, card in enumerate(deck.cards, start=1)}
    with _new_folder(folder):
        for card in cards:
            _write(folder / f"{_file_name(places[card.id], card.id)}.{form}", _face(deck, card, size), width, height, card.id)
        _write(folder / f"{BACK}.{form}", back_inks(width, height), width, height, BACK)
    return len(cards) + 1


def print_tabletop(deck: Deck, cards: Sequence[Card], folder: str | Path, size: Size | str, url: str | None = None) -> int:
    """Write image sheets, the back and a saved object for Tabletop Simulator to a new folder; return how many sheets.

    url: the address under which the images will be found; without it the saved object has their names alone.
    Without cards there is no folder. Raises InputError as `print_pictures` does, and for an address of another kind.
    """
    size = card_size(size)
    folder, cards = _checked_folder(folder), _of_deck(deck, cards)
    if url is not None and not (isinstance(url, str) and re.fullmatch(r"(https?|file)://[!-~]+", url) and not {*"?#"} & {*url}):
        valid = "an address that begins with https://, http:// or file:///, without ? and #: names of images are put behind it"
        raise InputError(f"url: found {show(url)}; valid: {valid}.")
    need_printing("printing for a tabletop")
    if not cards:
        return 0
    base = f"{url.rstrip('/')}/" if url else ""
    found = grids(len(cards))
    names = [f"faces{number}.png" for number in range(1, len(found) + 1)]
    title = f"deck {_version(deck)}"
    entries = [(card.id, card.copies) for card in cards]
    state = saved_object(title, entries, [base + name for name in names], f"{base}{BACK}.png")
    with _new_folder(folder):
        for grid, name in zip(found, names, strict=True):
            document, dot = _tabletop_sheet(deck, cards[grid.first : grid.first + grid.faces], grid, size)
            rendered(document, dot).save(folder / name)
        picture(_upright(back_inks(*size[::-1]), size), *size).save(folder / f"{BACK}.png")
        (folder / "deck.json").write_text(json.dumps(state, indent=1, ensure_ascii=False) + "\n", encoding="utf-8", newline="\n")
    return len(found)


def _tabletop_sheet(deck: Deck, cards: Sequence[Card], grid: Grid, size: Size) -> tuple[bytes, int]:
    """Return the page of a sheet, cards upright, and how wide a dot of its image is."""
    drawings = {f"face{place}": _upright(_face(deck, card, size), size) for place, card in enumerate(cards)}
    drawings[BACK] = _upright(back_inks(*size[::-1]), size)
    pieces = []
    for place, name in [*enumerate(list(drawings)[:-1]), (-1, BACK)]:
        column, row = grid.slot(place)
        slot = Box(column * size[0], row * size[1], *size)
        pieces.append(Piece(name, slot, slot))
    whole = grid.columns * size[0], grid.rows * size[1]
    return pdf(whole, drawings, [Page(pieces, [])], ""), grid.dot(*size, DOT)


def _of_deck(deck: Deck, cards: Sequence[Card]) -> list[Card]:
    """Return the cards to print, with any number of copies. Raises InputError for one that the deck doesn't have."""
    there = [(card.id, card.face) for card in as_deck(deck).cards]
    found = several(cards, "cards", "deck.cards")
    for card in found:
        if not isinstance(card, Card) or (card.id, card.face) not in there:
            raise InputError(f"cards: found {show(card)}, which the deck doesn't have. Give cards of it, such as deck.cards.")
        whole(card.copies, f"copies of {card.id}", 1, MAX_CARDS)
    return found


def _checked_folder(folder: str | Path) -> Path:
    """Return the path of a new folder. Raises InputError where there is something already."""
    folder = as_path(folder, "folder")
    refuse_inside(folder)
    with file_errors(folder, advice="Give another folder."):
        if os.path.lexists(folder):
            raise InputError(f"{folder}: can't be written (it exists already). Give another folder.")
    return folder


@contextmanager
def _new_folder(folder: Path) -> Iterator[None]:
    """Make a folder; should anything inside fail, it is removed again and InputError says why."""
    with file_errors(folder, advice="Give another folder."), new_file(folder):
        folder.mkdir()
        yield


def _version(deck: Deck) -> str:
    return deck.hash[:8]


def _face(deck: Deck, card: Card, size: Size) -> list[Ink]:
    return face_inks(card, size[1], size[0], _version(deck))


def _upright(inks: Sequence[Ink], size: Size) -> list[Ink]:
    return quarter_turned(inks, size[0])


def _lying(inks: list[Ink], sheet: Sheet) -> list[Ink]:
    """Return a drawing as the cards of a page lie."""
    return inks if sheet.across else _upright(inks, sheet.card)


def _file_name(place: int, card_id: str) -> str:
    """Return a name that any system takes, from an id of any letters.

    >>> _file_name(7, "../../v 7<script>")
    '0007-v-7-script'
    """
    harmless = re.sub(r"[^A-Za-z0-9]+", "-", card_id)[:40].strip("-")
    return f"{place:04d}-{harmless}" if harmless else f"{place:04d}"


def _write(file: Path, inks: Sequence[Ink], width: int, height: int, title: str) -> None:
    """Write a drawing as SVG or PNG, as the ending says."""
    if file.suffix == ".svg":
        file.write_text(drawing_svg(inks, Box(0, 0, width, height), title), encoding="utf-8", newline="\n")
    else:
        picture(inks, width, height).save(file)
