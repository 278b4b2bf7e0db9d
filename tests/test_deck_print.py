"""`deck print`: faces and backs as they are printed, pages, files, sheets for a tabletop, and all that is refused."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pypdfium2
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch
from matplotlib.path import Path as MplPath
from PIL import Image
from svg_checks import FACE, OTHER, SVG

from veggies_sim.core import extras
from veggies_sim.core.errors import InputError
from veggies_sim.design.ink import Box, Ink, extent, moved
from veggies_sim.design.paper import CARDS, HAIR, Sheet
from veggies_sim.design.pdf import DOT, picture
from veggies_sim.games.veggies.deck import EMPTY, GOODS, LETTER, RAT, SYMBOLS, Card, Deck, Face
from veggies_sim.games.veggies.design import printed, printing
from veggies_sim.games.veggies.design.printed import back_inks, face_inks, space_box
from veggies_sim.games.veggies.drawing import COLOUR, SHAPE

Cli = Callable[..., tuple[int, str, str]]
HOSTILE = ["../../x", "<script>alert(1)</script>", "🐀🍓", "W" * 300, "CON", "a/b\\c:d", "-rf", "$x_1$", "\u202eabc", ". ."]
SIZE = CARDS["63x88"]


def rgb(colour: str) -> tuple[int, ...]:
    return tuple(bytes.fromhex(colour[1:]))


def deck_of(number: int) -> Deck:
    """Return a deck of so many cards: two faces, the second with copies."""
    return Deck([Card("one", FACE), *([Card("more", OTHER, number - 1)] if number > 1 else [])])


def pages_of(file: Path, dot: int = 10 * DOT) -> list[np.ndarray[Any, Any]]:
    """Return the pages of a PDF as arrays of dots, rows first."""
    found = pypdfium2.PdfDocument(file)
    try:
        return [np.asarray(page.render(scale=25_400 / 72 / dot).to_pil().convert("RGB")) for page in found]
    finally:
        found.close()


@pytest.fixture
def deck_file(tmp_path: Path) -> Path:
    deck_of(10).write_csv(tmp_path / "deck.csv")
    return tmp_path / "deck.csv"


# The face.


@pytest.mark.parametrize("card", CARDS)
def test_spaces_divide_a_card_without_remainder(card: str) -> None:
    height, width = CARDS[card]
    boxes = [space_box(width, height, row, column) for row in range(2) for column in range(3)]
    assert sum(box.width * box.height for box in boxes) == width * height
    assert not [pair for pair in itertools.combinations(boxes, 2) if pair[0].meets(pair[1])]
    assert max(box.width for box in boxes) - min(box.width for box in boxes) <= 1
    if card == "58x87":
        assert {box[2:] for box in boxes} == {(29_000, 29_000)}


@pytest.mark.parametrize("card", [*CARDS, "20x20", "40x120"])
def test_the_label_hides_no_symbol(card: str) -> None:
    height, width = Sheet(card=card).card
    for symbol in SYMBOLS:
        inks = face_inks(Card("W" * 300, ((symbol,) * 3,) * 2), width, height, "0123abcd")  # type: ignore[arg-type]
        plate, name, version = map(extent, inks[-3:])
        assert inks[-3].colour == printed.WHITE
        assert 0 < plate.left < name.left < name.right < version.left < version.right < plate.right < width
        assert plate.top < min(name.top, version.top) and max(name.bottom, version.bottom) < plate.bottom < height
        assert name.width > width / 2 and version.width > plate.height  # a long id is cut, the version is not
        shapes = [extent(ink).grown(ink.line // 2) for ink in inks[9:-4]]  # after grounds and lines, before edge and label
        assert len(shapes) == (18 if symbol in SHAPE else 6)
        assert not [box for box in shapes if box.meets(plate.grown(500))]  # half a millimetre lies between, at least


def ground(face: Face, row: int, column: int) -> tuple[int, int, int]:
    """Return the colour printed just inside of a space's upper left corner."""
    box = space_box(SIZE[1], SIZE[0], row, column)
    image = picture(face_inks(Card("k", face), SIZE[1], SIZE[0], ""), SIZE[1], SIZE[0])
    found = image.getpixel((box.left // DOT + 12, box.top // DOT + 12))
    assert isinstance(found, tuple)
    return found


def test_a_face_lies_as_in_the_deck_file() -> None:
    for row, column in ((0, 0), (0, 2), (1, 0), (1, 2)):
        assert ground(FACE, row, column) == rgb(COLOUR[FACE[row][column]])


def luminance(colour: str) -> float:
    """Return the relative luminance of WCAG 2."""
    parts = [part / 255 for part in rgb(colour)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_the_one_dark_line_of_a_card_is_its_edge() -> None:
    (height, width), dot, beyond = CARDS["58x87"], 20, 1_000
    for symbol in (*GOODS, RAT):
        inks = face_inks(Card("k", ((symbol,) * 3,) * 2), width, height, "")
        lines = [*inks[:9], inks[-4]]  # grounds, lines between spaces, edge
        page = picture(moved(lines, beyond, beyond), width + 2 * beyond, height + 2 * beyond, dot).convert("L")
        row, near_edge = (np.asarray(page, int)[(beyond + y) // dot] for y in (height // 4, 1_000))
        ground = row[(beyond + 1_000) // dot]
        dark = (row < ground - 50).nonzero()[0] * dot - beyond
        edges = [{at for at in dark if abs(at + dot / 2 - edge) <= HAIR / 2 + dot} for edge in (0, width)]
        assert all(4 <= len(edge) <= 6 for edge in edges) and {*dark} == edges[0] | edges[1]  # as wide as a hairline
        assert abs((row > ground + 20).sum() * dot - 2 * printed.BETWEEN) <= 2 * dot  # white, upright lines
        assert near_edge.max() == ground  # which don't reach the edge


@pytest.mark.parametrize("layout", ["butted", "spaced"])
def test_cards_of_one_colour_are_parted_by_a_hairline(tmp_path: Path, layout: str) -> None:
    deck, dot, sheet = Deck([Card("k", (("mushroom",) * 3,) * 2, 2)]), 20, Sheet(layout=layout)
    printing.print_pages(deck, deck.cards, tmp_path / "c.pdf", sheet)
    slot = sheet.slots[1]
    (page,) = pages_of(tmp_path / "c.pdf", dot)
    row = page[(slot.top + 1_000) // dot, (slot.left - 1_000) // dot : (slot.left + 1_000) // dot].max(axis=1)
    dark = (row < 120).nonzero()[0] * dot - 1_000
    assert 3 <= len(dark) <= 6 and -60 <= dark.min() < dark.max() <= 60


def test_letters_and_outlines_stay_readable_without_colour() -> None:
    assert contrast(printed.INK, printed.WHITE) > 7  # letters of goods, on their white shapes
    assert contrast(printed.INK, COLOUR[EMPTY]) > 7
    assert contrast(printed.WHITE, COLOUR[RAT]) > 7
    assert min(contrast(printed.INK, COLOUR[good]) for good in GOODS) > 3  # outlines of shapes
    assert contrast("#777777", COLOUR["strawberry"]) < 1.5  # or the measure would measure nothing


def test_goods_have_other_shapes_and_letters_where_colours_are_lost() -> None:
    def grey(symbol: str, letters: bool) -> np.ndarray[Any, Any]:
        marks = printed._symbol(symbol, Box(0, 0, 30_000, 30_000))
        marks = marks if letters else marks[:-1]
        ground = Ink("#999999", face_inks(Card("k", FACE), 90_000, 60_000, "")[0].steps)
        return np.asarray(picture([ground, *marks], 30_000, 30_000, 4 * DOT).convert("L"), int)

    for one, other in itertools.combinations(SHAPE, 2):
        for letters in (False, True):
            differ = (np.abs(grey(one, letters) - grey(other, letters)) > 60).mean()
            assert differ > 0.06 * printed.FILLED**2  # the share of the square around a shape
    assert len({LETTER[symbol] for symbol in SYMBOLS}) == len(SYMBOLS)


def test_the_back_looks_the_same_after_a_half_turn() -> None:
    image = np.asarray(picture(back_inks(88_000, 63_200), 88_000, 63_200), int)  # both sides are whole numbers of dots
    assert (np.abs(image - image[::-1, ::-1]) > 100).mean() < 0.002
    face = np.asarray(picture(face_inks(Card("k", FACE), 88_000, 63_200, ""), 88_000, 63_200), int)
    assert (np.abs(face - face[::-1, ::-1]) > 100).mean() > 0.2


# Pages.


@pytest.mark.parametrize(("cards", "sheets"), [(1, 1), (8, 1), (9, 1), (10, 2), (18, 2), (40, 5)])
@pytest.mark.parametrize("backs", [False, True])
def test_there_are_as_many_pages_as_the_cards_take_and_no_blank_one(tmp_path: Path, cards: int, sheets: int, backs: bool) -> None:
    deck = deck_of(cards)
    assert len(deck) == cards
    assert printing.print_pages(deck, deck.cards, tmp_path / "c.pdf", Sheet(), backs) == sheets * (1 + backs)
    pages = pages_of(tmp_path / "c.pdf")
    assert len(pages) == sheets * (1 + backs)
    wishes = (tmp_path / "c.pdf").read_bytes()  # for the dialogue of the printer
    assert b"/PrintScaling /None" in wishes and (b"DuplexFlipLongEdge" in wishes) == backs
    assert all((page < 128).any() for page in pages)


@pytest.mark.parametrize("layout", ["butted", "spaced"])
def test_cards_lie_where_the_sheet_says_and_backs_behind_them(tmp_path: Path, layout: str) -> None:
    sheet = Sheet(layout=layout)
    deck, dot = Deck([Card("r", (("rat",) * 3, ("banana",) * 3)), Card("s", FACE)]), 2 * DOT
    printing.print_pages(deck, deck.cards, tmp_path / "c.pdf", sheet, True)
    faces, backs = pages_of(tmp_path / "c.pdf", dot)
    slot = sheet.slots[0]
    upper, lower = ((slot.right - 3_000, slot.top + 3_000), (slot.left + 3_000, slot.bottom - 3_000))
    if sheet.across:
        upper = (slot.left + 3_000, slot.top + 3_000)
    assert tuple(faces[upper[1] // dot, upper[0] // dot]) == rgb(COLOUR[RAT])  # upright cards are turned clockwise
    assert tuple(faces[lower[1] // dot, lower[0] // dot]) == rgb(COLOUR["banana"])
    rows, columns = np.where((np.abs(backs.astype(int) - rgb(printed.BACK)) < 30).all(axis=2))
    found = [int(columns.min()) * dot, int(columns.max() + 1) * dot, int(rows.min()) * dot, int(rows.max() + 1) * dot]
    inked = [sheet.behind(sheet.inked(place, 2)) for place in (0, 1)]
    expected = [inked[1].left, inked[0].right, inked[0].top, inked[0].bottom]
    assert np.abs(np.array(found) - expected).max() <= 2 * dot
    if layout == "butted":  # two cards of three: the third column is white, on the left behind and on the right in front
        assert expected[0] > sheet.slots[0].right - 5_000
        assert (backs[:, : (expected[0] - 1_000) // dot] == 255).all()


def test_a_print_is_the_same_each_time(tmp_path: Path) -> None:
    deck = deck_of(3)
    for name in "ab":
        printing.print_pages(deck, deck.cards, tmp_path / f"{name}.pdf", Sheet(), True)
        printing.print_pictures(deck, deck.cards, tmp_path / name, "png", SIZE)
    files = sorted(file.relative_to(tmp_path / "a") for file in (tmp_path / "a").iterdir())
    assert (tmp_path / "a.pdf").read_bytes() == (tmp_path / "b.pdf").read_bytes()
    assert all((tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes() for file in files)


# Files.


@pytest.mark.parametrize("form", ["svg", "png"])
def test_ids_of_any_letters_print_and_stay_in_their_folder(tmp_path: Path, form: str) -> None:
    deck, out = Deck([Card(card_id, FACE) for card_id in HOSTILE]), tmp_path / "deep" / "out"
    assert printing.print_pictures(deck, deck.cards, out, form, SIZE) == len(HOSTILE) + 1
    assert [path.name for path in tmp_path.iterdir()] == ["deep"]
    names = sorted(path.name for path in out.iterdir())
    assert names[0] == f"0001-x.{form}" and names[2] == f"0003.{form}" and names[-1] == f"back.{form}"
    assert len(names) == len(HOSTILE) + 1
    assert all(len(name) < 60 and name.isascii() and name.replace("-", "").replace(".", "").isalnum() for name in names)
    for file in out.iterdir():
        if form == "svg":
            svg = file.read_text("utf-8")
            assert ElementTree.fromstring(svg).get("viewBox") == "0 0 88000 63000"
            assert "<script" not in svg and svg.count("http") == 1
        else:
            with Image.open(file) as image:
                assert (image.mode, image.size) == ("RGB", (1100, 788))


def drawn(svg: str, width: int, height: int) -> np.ndarray[Any, Any]:
    """Return the paths of an SVG as matplotlib draws them, in dots of a millimetre."""
    figure = Figure((width / 100, height / 100), dpi=100)
    axes = figure.add_axes((0, 0, 1, 1), xlim=(0, width * 1000), ylim=(height * 1000, 0))
    axes.set_axis_off()
    for element in ElementTree.fromstring(svg).iter(f"{SVG}path"):
        points: list[list[int]] = []
        codes: list[int] = []
        for deed, numbers in re.findall("([MLCZ])([^MLCZ]*)", element.attrib["d"]):
            found = np.array([int(number) for number in numbers.split()] or [0, 0]).reshape(-1, 2).tolist()
            points += found
            codes += [{"M": 1, "L": 2, "C": 4, "Z": 79}[deed]] * len(found)
        line = float(element.get("stroke-width", 0)) / 1000 * 72 / 100  # points; the figure has a dot a millimetre
        look = {"fc": element.attrib["fill"], "ec": element.get("stroke", "none"), "lw": line}
        axes.add_patch(PathPatch(MplPath(points, codes), **look))
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    return np.asarray(canvas.buffer_rgba(), int)[:, :, :3]


def test_svg_shows_what_png_shows(tmp_path: Path) -> None:
    deck = Deck([Card("v01", FACE), Card("other", OTHER)])
    size = (63_000, 87_000)
    for form in ("svg", "png"):
        printing.print_pictures(deck, deck.cards, tmp_path / form, form, size)
    seen = {}
    for name in ("0001-v01", "0002-other", "back"):
        seen[name] = drawn((tmp_path / "svg" / f"{name}.svg").read_text("utf-8"), 87, 63)
        with Image.open(tmp_path / "png" / f"{name}.png") as image:
            png = np.asarray(image.crop((0, 0, 1087, 787)).resize((87, 63), Image.Resampling.BOX), int)
        assert np.abs(seen[name] - png).mean() < 4
    assert np.abs(seen["0001-v01"] - seen["0002-other"]).mean() > 20


def test_hostile_ids_print_as_pages_and_for_the_tabletop(tmp_path: Path) -> None:
    deck = Deck([Card(card_id, FACE) for card_id in HOSTILE])
    assert printing.print_pages(deck, deck.cards, tmp_path / "c.pdf", Sheet()) == 2
    assert printing.print_tabletop(deck, deck.cards, tmp_path / "t", SIZE) == 1
    (state,) = json.loads((tmp_path / "t" / "deck.json").read_text("utf-8"))["ObjectStates"]
    assert [card["Nickname"] for card in state["ContainedObjects"]] == HOSTILE


def test_tabletop_sheets_are_rgb_not_too_large_and_end_with_the_back(tmp_path: Path) -> None:
    deck = Deck([Card(f"k{number}", FACE, 1 + (number == 70)) for number in range(71)])
    assert printing.print_tabletop(deck, deck.cards, tmp_path / "t", SIZE, "https://example.org/a/") == 2
    assert sorted(path.name for path in (tmp_path / "t").iterdir()) == ["back.png", "deck.json", "faces1.png", "faces2.png"]
    text = (tmp_path / "t" / "deck.json").read_text("utf-8")
    assert str(tmp_path) not in text
    (state,) = json.loads(text)["ObjectStates"]
    assert state["DeckIDs"] == [*range(100, 169), 200, 201, 201]
    for number, (columns, rows) in (("1", (10, 7)), ("2", (3, 2))):
        sheet = state["CustomDeck"][number]
        assert (sheet["NumWidth"], sheet["NumHeight"]) == (columns, rows)
        assert sheet["FaceURL"] == f"https://example.org/a/faces{number}.png"
        with Image.open(tmp_path / "t" / f"faces{number}.png") as image:
            assert image.mode == "RGB" and max(image.size) <= 4096
            assert abs(image.width / columns * rows / image.height - 63 / 88) < 0.002
            last = image.getpixel((image.width - 20, image.height - 20))
            assert last == rgb(printed.BACK)
            assert image.getpixel((image.width // columns - 20, 20)) == rgb(COLOUR[FACE[0][0]])  # turned clockwise


def test_without_cards_nothing_is_written(tmp_path: Path) -> None:
    deck = deck_of(2)
    assert printing.print_pages(deck, [], tmp_path / "c.pdf", Sheet()) == 0
    assert printing.print_pictures(deck, [], tmp_path / "p", "svg", SIZE) == 0
    assert printing.print_tabletop(deck, [], tmp_path / "t", SIZE) == 0
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize("form", ["pdf", "svg", "tabletop"])
def test_nothing_half_written_stays(tmp_path: Path, form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object, **__: object) -> None:
        raise OSError(5, "broken")

    deck, out = deck_of(2), tmp_path / "out.pdf"
    with pytest.raises(Exception, match="broken"):
        if form == "pdf":
            monkeypatch.setattr(printing, "pdf", lambda *_: "no bytes")
            monkeypatch.setattr(Path, "open", fails)
            printing.print_pages(deck, deck.cards, out, Sheet())
        elif form == "svg":
            calls = itertools.count()
            write = printing._write
            monkeypatch.setattr(printing, "_write", lambda *words: fails() if next(calls) == 2 else write(*words))
            printing.print_pictures(deck, deck.cards, out, "svg", SIZE)
        else:
            monkeypatch.setattr(Path, "write_text", fails)
            printing.print_tabletop(deck, deck.cards, out, SIZE)
    assert not [*tmp_path.iterdir()]


# The command.


def test_the_command_prints_a_pdf_and_says_what_it_holds(cli: Cli, tmp_path: Path, deck_file: Path) -> None:
    status, said, notes = cli("deck", "print", deck_file, "--out", tmp_path / "c.pdf", "--backs")
    assert (status, notes) == (0, "")
    assert said == (
        f"{tmp_path / 'c.pdf'}: 10 cards of 63 x 88 mm, up to 9 on a page; 4 pages; print at 100 %; "
        "print on both sides, flip on the long edge; spaces are not quite square; --card 58x87 has square ones\n"
    )
    assert len(pages_of(tmp_path / "c.pdf")) == 4
    status, said, _ = cli("deck", "print", deck_file, "--out", tmp_path / "q.pdf", "--card", "58x87")
    assert status == 0 and said.endswith("; print at 100 %\n")  # square spaces
    status, said, _ = cli("deck", "print", deck_file, "--out", tmp_path / "l.pdf", "--paper", "letter", "--layout", "spaced",
                          "--card", "62.5x88")  # fmt: skip
    assert status == 0 and "10 cards of 62.5 x 88 mm, up to 6 on a page; 2 pages" in said


def test_the_command_prints_files_and_tabletop_sheets(cli: Cli, tmp_path: Path, deck_file: Path) -> None:
    assert cli("deck", "print", deck_file, "--out", tmp_path / "s", "--format", "svg")[0] == 0
    assert sorted(path.name for path in (tmp_path / "s").iterdir()) == ["0001-one.svg", "0002-more.svg", "back.svg"]
    status, said, notes = cli("deck", "print", deck_file, "--out", tmp_path / "t", "--format", "tabletop", "--card", "mini")
    assert notes.startswith("note: deck.json names the images without addresses") and "give --url, or" in notes
    assert status == 0 and "10 cards of 44 x 63 mm, 2 faces on 1 sheet, back.png and deck.json" in said
    state = json.loads((tmp_path / "t" / "deck.json").read_text("utf-8"))
    assert state["ObjectStates"][0]["CustomDeck"]["1"]["FaceURL"] == "faces1.png"
    words = ["--format", "tabletop", "--url", "https://example.org"]
    assert cli("deck", "print", deck_file, "--out", tmp_path / "u", *words)[2] == ""


def test_the_shipped_deck_says_that_it_is_a_reconstruction(cli: Cli, tmp_path: Path, root: Path) -> None:
    status, _, notes = cli("deck", "print", root / "data" / "cards.csv", "--out", tmp_path / "c.pdf")
    assert status == 0 and notes.startswith("note: the shipped deck is a reconstruction")


def test_changed_cards_alone_are_printed(cli: Cli, tmp_path: Path, deck_file: Path) -> None:
    old = tmp_path / "old.csv"
    Deck([Card("one", OTHER), *Deck.read_csv(deck_file).cards[1:]]).write_csv(old)
    status, said, _ = cli("deck", "print", deck_file, "--out", tmp_path / "c.pdf", "--changed-since", old)
    assert status == 0 and said.startswith(f"{tmp_path / 'c.pdf'}: 1 card of"), said
    status, said, notes = cli("deck", "print", deck_file, "--out", tmp_path / "d.pdf", "--changed-since", deck_file)
    assert (status, said) == (0, "")
    assert notes == f"no card differs from {deck_file}: nothing is printed\n"
    assert not (tmp_path / "d.pdf").exists()


SAME = ["--changed-since", "{}/deck.csv"]  # nothing to print; bad arguments are refused all the same
REFUSED = [
    (["--out", "{}/c.txt"], "found the ending '.txt'; a print as PDF is .pdf."),
    (["--out", "{}/c.SVG"], "c.SVG: a print as PDF is .pdf. Give such a file, or --format svg and a folder."),
    (["--out", "{}/c.png", "--backs"], "or --format png and a folder"),
    (["--out", "{}/deck.csv"], "found the ending '.csv'"),
    (["--out", "{}/there.pdf"], "it exists already"),
    (["--out", "{}/there.pdf/c.pdf"], "can't be written"),
    (["--out", "{}/folder", "--format", "svg"], "it exists already"),
    (["--out", "{}/new", "--format", "svg", "--backs"], "--backs is for --format pdf, not for svg. Leave it out."),
    (["--out", "{}/new", "--format", "png", "--paper", "a4"], "--paper is for --format pdf"),
    (["--out", "{}/new", "--format", "tabletop", "--layout", "spaced"], "--layout is for --format pdf"),
    (["--out", "{}/new.pdf", "--url", "https://x"], "--url is for --format tabletop"),
    (["--out", "{}/new", "--format", "tabletop", "--url", "ftp://x"], "url: found 'ftp://x'; valid: an address that begins"),
    (["--out", "{}/new", "--format", "tabletop", "--url", "https://a b"], "url: found"),
    (["--out", "{}/new.pdf", "--card", "pocker"], "unknown card size 'pocker'. Did you mean 'poker'?"),
    (["--out", "{}/new.pdf", "--card", "200x240"], "doesn't fit a4"),
    (["--out", "{}/new", "--format", "svg", "--card", "5x5"], "card size '5x5': each side must have 20 to 250 mm."),
    (["--out", "{}/new.pdf", "--card", "63,5x88"], "card size '63,5x88': write a point in place of the comma, 63.5x88."),
    (["--out", "{}/new.pdf", "--url", ""], "--url is for --format tabletop, not for pdf"),
    (["--out", "{}/new", "--format", "tabletop", "--url", ""], "url: found ''"),
    (["--out", "{}/new", "--format", "tabletop", "--url", "https://x/a?b=c"], "without ? and #"),
    (["--out", "{}/new", "--format", "tabletop", "--url", "https://x/#a"], "without ? and #"),
    (["--out", "{}/there.pdf", *SAME], "it exists already"),
    (["--out", "{}/folder", "--format", "svg", *SAME], "it exists already"),
    (["--out", "{}/folder", "--format", "tabletop", *SAME], "it exists already"),
    (["--out", "{}/new", "--format", "tabletop", "--url", "x", *SAME], "url: found 'x'"),
    (["--out", "{}/new", "--format", "png", "--card", "1x1", *SAME], "20 to 250 mm"),
    (["--out", "{}/new.pdf", "--changed-since", "{}/none.csv"], "found no such file"),
    (["--out", "{}/new.pdf", "--paper", "a3"], "invalid choice: 'a3'"),
    ([], "--out"),
]  # fmt: skip


@pytest.mark.parametrize(("words", "fault"), REFUSED)
def test_what_can_not_be_printed_is_refused_and_nothing_written(
    cli: Cli, tmp_path: Path, deck_file: Path, words: list[str], fault: str
) -> None:
    (tmp_path / "there.pdf").write_text("mine", encoding="utf-8")
    (tmp_path / "folder").mkdir()
    before = sorted(tmp_path.rglob("*"))
    status, said, notes = cli("deck", "print", deck_file, *(word.format(tmp_path) for word in words))
    assert (status, said) == (2, "") and fault in notes and "Traceback" not in notes
    assert sorted(tmp_path.rglob("*")) == before
    assert (tmp_path / "there.pdf").read_text("utf-8") == "mine"


def test_svg_needs_no_extra_packages_and_the_others_say_which(
    cli: Cli, tmp_path: Path, deck_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extras, "find_spec", lambda name: None)
    assert cli("deck", "print", deck_file, "--out", tmp_path / "s", "--format", "svg")[0] == 0
    for form, out in (("pdf", "c.pdf"), ("png", "p"), ("tabletop", "t")):
        status, _, notes = cli("deck", "print", deck_file, "--out", tmp_path / out, "--format", form)
        assert status == 2 and 'needs reportlab and pypdfium2: pip install "veggies_sim[design]"' in notes
        assert not (tmp_path / out).exists()


def test_help_names_every_size(cli: Cli) -> None:
    status, said, _ = cli("deck", "print", "--help")
    assert status == 0
    assert all(f"  {name}" in said for name in CARDS)
    assert "63x88   63 x 88 mm: a4 9 / 6, letter 9 / 6" in said and "squares of 29 mm" in said


def test_the_library_refuses_what_the_command_refuses(tmp_path: Path) -> None:
    deck = deck_of(1)
    with pytest.raises(InputError, match="found the ending ''"):
        printing.print_pages(deck, deck.cards, tmp_path / "c", Sheet())
    with pytest.raises(InputError, match="it exists already"):
        printing.print_pictures(deck, deck.cards, tmp_path, "svg", SIZE)
    with pytest.raises(InputError, match="unknown form 'jpg'"):
        printing.print_pictures(deck, deck.cards, tmp_path / "new", "jpg", SIZE)
    assert not [*tmp_path.iterdir()]


DECK = deck_of(1)
WRONG = [
    (lambda out: printing.print_pages(None, DECK.cards, out, Sheet()), "deck: found None; give a Deck"),
    (lambda out: printing.print_pages(DECK, [Card("no", FACE)], out, Sheet()), "cards: found Card.id='no'"),
    (lambda out: printing.print_pages(DECK, [replace(DECK.cards[0], face=OTHER)], out, Sheet()), "which the deck doesn't have"),
    (lambda out: printing.print_pages(DECK, "k1", out, Sheet()), "cards: found 'k1'; give a list"),
    (lambda out: printing.print_pages(DECK, [1], out, Sheet()), "cards: found 1, which"),
    (lambda out: printing.print_pages(DECK, DECK.cards, 5, Sheet()), "file: found 5; give a path"),
    (lambda out: printing.print_pages(DECK, DECK.cards, out, "a4"), "sheet: found 'a4'; give a Sheet"),
    (lambda out: printing.print_pages(DECK, [replace(DECK.cards[0], copies="x")], out, Sheet()), "copies of .*found 'x'"),
    (lambda out: printing.print_pictures(DECK, DECK.cards, out, "svg", (0, 0)), "side in micrometres: found 0"),
    (lambda out: printing.print_pictures(DECK, DECK.cards, out, "svg", "pocker"), "Did you mean 'poker'"),
    (lambda out: printing.print_pictures(DECK, DECK.cards, out, "svg", None), "unknown card size None"),
    (lambda out: printing.print_tabletop(DECK, DECK.cards, out, SIZE, 5), "url: found 5"),
    (lambda out: printing.print_tabletop(DECK, DECK.cards, None, SIZE), "folder: found None"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "said"), WRONG)
def test_what_a_caller_gives_is_checked_before_anything_is_written(
    tmp_path: Path, call: Callable[[Path], object], said: str
) -> None:
    with pytest.raises(InputError, match=said):
        call(tmp_path / "new.pdf")
    assert not [*tmp_path.iterdir()]


def test_paths_and_sizes_may_be_words(tmp_path: Path) -> None:
    assert printing.print_pictures(DECK, DECK.cards, str(tmp_path / "a"), "svg", "63x88") == 2
    assert printing.print_pictures(DECK, DECK.cards, tmp_path / "b", "svg", SIZE) == 2
    for file in (tmp_path / "a").iterdir():
        assert file.read_bytes() == (tmp_path / "b" / file.name).read_bytes()


def test_a_print_of_very_many_cards_is_refused_at_once(tmp_path: Path) -> None:
    deck = Deck([Card(f"k{number}", FACE, 1000) for number in range(3)])
    with pytest.raises(InputError, match="a PDF has at most 2,000 cards; found 3,000, copies counted"):
        printing.print_pages(deck, deck.cards, tmp_path / "c.pdf", Sheet())
    assert not [*tmp_path.iterdir()]
