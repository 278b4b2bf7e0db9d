"""Cards on paper: layouts in whole micrometres, inks, PDF and its pixels, sheets for a virtual tabletop."""

from __future__ import annotations

import doctest
import itertools
import re
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pypdfium2
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from PIL import Image

from veggies_sim.core import extras
from veggies_sim.core.errors import InputError
from veggies_sim.design import ink, paper, tabletop
from veggies_sim.design import pdf as pages
from veggies_sim.design.ink import MM, Box, drawing_svg, extent, moved, path_words, quarter_turned, rectangle, text
from veggies_sim.design.paper import BLEED, CARDS, CLEAR, LAYOUTS, LEAST_BLEED, PAPERS, RULER, Sheet, card_size
from veggies_sim.design.pdf import DOT, Page, Piece, crop_marks, pdf, picture, rendered, ruler
from veggies_sim.design.tabletop import MOST_DOTS, MOST_FACES, grids, saved_object

RED = "#FF0000"


def size_word(sides: tuple[int, int]) -> str:
    return "x".join(f"{side // MM}.{side % MM:03d}" for side in sides)


SIZES = st.tuples(st.integers(20 * MM, 250 * MM), st.integers(20 * MM, 250 * MM)).map(size_word)


def dots(page: Image.Image, colour: tuple[int, int, int]) -> Box:
    """Return the box of all dots of about one colour, in micrometres."""
    alike = (np.abs(np.asarray(page, np.int16) - np.array(colour, np.int16)) < 100).all(axis=2)
    rows, columns = alike.any(axis=1).nonzero()[0], alike.any(axis=0).nonzero()[0]
    left, top = int(columns.min()) * DOT, int(rows.min()) * DOT
    return Box(left, top, (int(columns.max()) + 1) * DOT - left, (int(rows.max()) + 1) * DOT - top)


def near(found: Box, expected: Box) -> bool:
    """Say whether all four edges agree to 0.1 mm."""
    edges = ((box.left, box.top, box.right, box.bottom) for box in (found, expected))
    return all(abs(a - b) <= 100 for a, b in zip(*edges, strict=True))


@given(st.one_of(st.sampled_from([*CARDS]), SIZES), st.sampled_from([*PAPERS]), st.sampled_from(LAYOUTS))
@example("20x20", "a4", "butted")
@example("31.323x32.484", "a4", "butted")  # both margins are too narrow for a ruler
def test_whatever_the_size_nothing_overlaps_and_all_is_on_the_page(card: str, name: str, layout: str) -> None:
    try:
        sheet = Sheet(name, card, layout)
    except InputError as error:
        edge = CLEAR + (BLEED if layout == "spaced" else LEAST_BLEED)
        sides = [side + 2 * edge for side in card_size(card)]
        assert "doesn't fit" in str(error)
        assert all(width > PAPERS[name][0] or height > PAPERS[name][1] for width, height in (sides, sides[::-1]))
        return
    printable = Box(0, 0, *sheet.size).grown(-CLEAR)
    inked = [sheet.inked(place, len(sheet.slots)) for place in range(len(sheet.slots))]
    for box, slot in zip(inked, sheet.slots, strict=True):
        assert sorted(slot[2:]) == [*card_size(card)]
        assert printable.left <= box.left < box.right <= printable.right
        assert printable.top <= box.top < box.bottom <= printable.bottom
    for first, second in itertools.combinations(inked, 2):
        assert not first.meets(second)
    cards, strip, page = sheet.whole.grown(sheet.bleed), sheet.ruler_strip(), Box(0, 0, *sheet.size)
    for box in (*sheet.crop_marks(), *([strip] if strip else [])):
        assert not box.meets(cards)
        assert page.left <= box.left < box.right <= page.right and page.top <= box.top < box.bottom <= page.bottom
    assert strip or (card not in CARDS and ruler(sheet, "words") == [])
    if strip:
        assert not [mark for mark in sheet.crop_marks() if mark.meets(strip)]
        assert max(strip.width, strip.height) > RULER
        assert min(strip.left, sheet.size[1] - strip.bottom) >= 3 * MM
    assert 0 <= sheet.size[0] - sheet.whole.right - sheet.whole.left <= 1  # in the middle of the page
    assert 0 <= sheet.size[1] - sheet.whole.bottom - sheet.whole.top <= 1


@pytest.mark.parametrize(
    ("name", "card", "layout", "columns", "rows"),
    [
        ("a4", "63x88", "butted", 3, 3), ("letter", "63x88", "butted", 3, 3), ("letter", "poker", "butted", 3, 3),
        ("a4", "58x87", "butted", 3, 3), ("a4", "mini", "butted", 3, 6), ("letter", "tarot", "butted", 2, 2),
        ("a4", "63x88", "spaced", 2, 3), ("letter", "63x88", "spaced", 2, 3), ("a4", "88x63", "butted", 3, 3),
    ],
)  # fmt: skip
def test_as_many_cards_as_fit_are_on_a_page(name: str, card: str, layout: str, columns: int, rows: int) -> None:
    sheet = Sheet(name, card, layout)
    assert (sheet.columns, sheet.rows) == (columns, rows)


def test_whole_numbers_keep_the_row_that_floats_lose() -> None:
    assert (279.4 - 12.7) // 88.9 == 2
    assert Sheet("letter", "poker").rows == 3


@pytest.mark.parametrize(
    ("place", "cards", "edges"),  # edges with bleed: left, top, right, bottom
    [
        (0, 9, (1, 1, 0, 0)), (4, 9, (0, 0, 0, 0)), (5, 9, (0, 0, 1, 0)), (7, 9, (0, 0, 0, 1)), (8, 9, (0, 0, 1, 1)),
        (0, 1, (1, 1, 1, 1)), (0, 4, (1, 1, 0, 0)), (1, 4, (0, 1, 0, 1)), (2, 4, (0, 1, 1, 1)), (3, 4, (1, 0, 1, 1)),
    ],
)  # fmt: skip
def test_butted_cards_have_bleed_where_they_have_no_neighbour(place: int, cards: int, edges: tuple[int, ...]) -> None:
    sheet = Sheet()
    slot, inked = sheet.slots[place], sheet.inked(place, cards)
    beyond = slot.left - inked.left, slot.top - inked.top, inked.right - slot.right, inked.bottom - slot.bottom
    assert beyond == tuple(2 * MM * edge for edge in edges)
    others = [other for number, other in enumerate(sheet.slots[:cards]) if number != place]
    assert not [other for other in others if other.meets(inked)]
    spaced = Sheet(layout="spaced")
    assert all(spaced.inked(place, 8) == slot.grown(3 * MM) for place, slot in enumerate(spaced.slots))


def test_all_named_sizes_leave_room_for_the_ruler() -> None:
    for name, card, layout in itertools.product(PAPERS, CARDS, LAYOUTS):
        assert Sheet(name, card, layout).ruler_strip()
    assert Sheet(card="31.323x32.484").ruler_strip() is None


def test_every_cut_has_a_crop_mark_at_both_ends() -> None:
    for sheet in (Sheet(), Sheet(layout="spaced")):
        marks = sheet.crop_marks()
        for slot in sheet.slots:
            for edge in (slot.left, slot.right):
                assert sum(mark.height > mark.width and mark.middle[0] == edge for mark in marks) == 2
            for edge in (slot.top, slot.bottom):
                assert sum(mark.width > mark.height and mark.middle[1] == edge for mark in marks) == 2


def test_backs_lie_behind_their_faces() -> None:
    for name, card, layout in itertools.product(PAPERS, CARDS, LAYOUTS):
        sheet = Sheet(name, card, layout)
        for number, slot in enumerate(sheet.slots):
            row, column = divmod(number, sheet.columns)
            behind = sheet.behind(slot)
            assert sheet.behind(behind) == slot
            other = sheet.slots[row * sheet.columns + sheet.columns - 1 - column]
            assert abs(behind.left - other.left) <= 1 and behind[1:] == other[1:]  # an odd micrometre of margin
    assert Sheet("a4", "63x88").behind(Sheet("a4", "63x88").slots[0]) != Sheet("a4", "63x88").slots[0]


@pytest.mark.parametrize(
    ("options", "fault"),
    [
        ({"paper": "a3"}, "unknown paper 'a3'.*Valid: a4, letter"), ({"layout": "loose"}, "unknown layout"),
        ({"card": "pokr"}, "unknown card size 'pokr'. Did you mean 'poker'"), ({"card": "63,5x88"}, "the comma, 63.5x88"),
        ({"card": "10x88"}, "each side must have 20 to 250 mm"), ({"card": "63x251"}, "each side must have 20 to 250 mm"),
        ({"card": "200x240"}, "doesn't fit a4. Give a smaller card"), ({"card": ""}, "unknown card size"),
        ({"card": "63.0001x88"}, "unknown card size"), ({"card": "٦٣x88"}, "unknown card size"),
        ({"card": "1x1"}, "each side must have 20 to 250 mm"), ({"card": "1000x88"}, "20 to 250 mm"), ({"card": "5,x8"}, "unknown"),
        ({"card": None}, "unknown card size None"), ({"card": (63_000,)}, "unknown card"), ({"card": (0, 0)}, "found 0; valid"),
        ({"card": "or WxH in millimetres such as 62.5x100"}, "unknown card size"), ({"card": ("63", "88")}, "found '63'"),
    ],
)  # fmt: skip
def test_what_is_no_paper_size_or_layout_is_refused(options: dict[str, Any], fault: str) -> None:
    with pytest.raises(InputError, match=fault):
        Sheet(**options)


def test_sizes_in_millimetres_are_exact_and_may_be_given_either_way() -> None:
    assert card_size("62.5x100") == card_size("100x62.5") == (62_500, 100_000)
    assert card_size("63.50x88.9") == card_size("poker")


def test_a_quarter_turn_goes_clockwise_and_four_change_nothing() -> None:
    inks = [rectangle(RED, Box(10, 0, 20, 5))]  # at the upper edge of a box of 100 x 60
    turned = quarter_turned(inks, 60)
    assert extent(turned[0]) == Box(55, 10, 5, 20)  # at the right edge of a box of 60 x 100
    assert extent(quarter_turned(quarter_turned(quarter_turned(turned, 100), 60), 100)[0]) == extent(inks[0])
    assert extent(moved(inks, 3, -4)[0]) == Box(13, -4, 20, 5)


@pytest.mark.parametrize("words", ["v01", "", "   ", "żółw 7", "🐀 字", "$x_1$ \\frac", "a\tb", "W" * 5000, "\u202eabc", "e\u0301"])
def test_any_text_becomes_outlines_that_stay_in_their_room(words: str) -> None:
    drawn = text(RED, words, 2_000, (500, 9_000), room=20_000)
    box = extent(drawn)
    assert box.width <= 20_100
    assert all(isinstance(place, int) for _, points in drawn.steps for point in points for place in point)
    assert bool(drawn.steps) == bool(words.strip())


def test_letters_that_the_font_lacks_are_shown_as_such() -> None:
    assert text(RED, "a🐀", 2_000, (0, 0)) == text(RED, "a\ufffd", 2_000, (0, 0)) != text(RED, "a", 2_000, (0, 0))
    assert text(RED, "$a$", 2_000, (0, 0)) != text(RED, "a", 2_000, (0, 0))


def test_text_is_as_tall_as_asked_and_anchored() -> None:
    start, end = (extent(text(RED, "HH", 10_000, (0, 0), anchor)) for anchor in (0, 1))
    assert abs(start.height - 7_290) < 10 and start.bottom == 0  # capitals of DejaVu Sans have 0.729 of the size
    assert abs(start.left - end.left - text_width("HH")) < 2


def text_width(words: str) -> int:
    return round(ink._outline(words, False)[1] * 10_000)


@given(st.text(max_size=30))
def test_svg_is_whole_whatever_the_title(title: str) -> None:
    svg = drawing_svg([rectangle(RED, Box(0, 0, 5, 5))], Box(0, 0, 63_500, 88_900), title)
    root = ElementTree.fromstring(svg)
    assert (root.get("width"), root.get("height"), root.get("viewBox")) == ("63.5mm", "88.9mm", "0 0 63500 88900")
    assert [element.tag.split("}")[1] for element in root.iter()] == ["svg", "title", "path"]


def test_svg_has_the_path_of_the_ink() -> None:
    shape = ink.scaled(RED, "M 0 0 L 28 0 C 28 14 14 28 0 28 Z", 28, 56, (100, 100))
    assert path_words(shape.steps) == "M72 72L128 72C128 100 100 128 72 128Z"
    svg = drawing_svg([shape, shape._replace(line=3)], Box(0, 0, 9, 9), "")
    filled, drawn = re.findall("<path (.*?) d=", svg)
    assert filled == f'fill="{RED}"'
    assert drawn == f'fill="none" stroke="{RED}" stroke-width="3" stroke-linejoin="round"'


def opened(document: bytes) -> tuple[int, tuple[float, float]]:
    """Return how many pages a PDF has and the size of the first, in points."""
    found = pypdfium2.PdfDocument(document)
    try:
        return len(found), found[0].get_size()
    finally:
        found.close()


@pytest.mark.parametrize(("name", "points"), [("a4", (595.276, 841.89)), ("letter", (612, 792))])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_printed_page_measures_what_it_should(name: str, points: tuple[float, float], layout: str) -> None:
    sheet = Sheet(name, "63x88", layout)
    slot = sheet.slots[0]
    beyond = Box(0, 0, slot.width, slot.height).grown(BLEED)
    drawings = {"card": [rectangle(RED, beyond)]}
    for cards in (1, len(sheet.slots)):
        pieces = [Piece("card", sheet.slots[place], sheet.inked(place, cards)) for place in range(cards)]
        page = Page(pieces, crop_marks(sheet) + ruler(sheet, "words"))
        document = pdf(sheet.size, drawings, [page], "test")
        assert document == pdf(sheet.size, drawings, [page], "test")
        found, size = opened(document)
        assert found == 1 and size == pytest.approx(points, abs=0.01)
        red = dots(rendered(document), (255, 0, 0))
        assert near(red, slot.grown(sheet.bleed) if cards == 1 else sheet.whole.grown(sheet.bleed))
    assert not near(red, sheet.whole)  # or the measure would measure nothing


@pytest.mark.parametrize("sheet", [Sheet(), Sheet("letter")], ids=["below the cards", "left of the cards"])
def test_the_ruler_is_a_hundred_millimetres_long(sheet: Sheet) -> None:
    lines = ruler(sheet, "")[:-1]
    boxes = [extent(line) for line in lines]
    across = max(box.right for box in boxes) - min(box.left for box in boxes)
    down = max(box.bottom for box in boxes) - min(box.top for box in boxes)
    assert max(across, down) == RULER
    assert len(boxes) == 1 + 11  # the line and a tick each centimetre
    black = dots(rendered(pdf(sheet.size, {}, [Page([], lines)], "")), (0, 0, 0))
    assert abs(max(black.width, black.height) - RULER) <= 100


def test_letters_have_holes_and_outlines_have_insides() -> None:
    letter = text(RED, "O", 20_000, (10_000, 17_000), anchor=0.5, bold=True)
    image = picture([letter], 20_000, 20_000)
    box = extent(letter)
    middle = image.getpixel((round(box.middle[0] / DOT), round(box.middle[1] / DOT)))
    stroke = image.getpixel((round((box.left + 1_200) / DOT), round(box.middle[1] / DOT)))
    assert (middle, stroke) == ((255, 255, 255), (255, 0, 0))
    ring = picture([rectangle(RED, Box(5_000, 5_000, 10_000, 10_000))._replace(line=1_000)], 20_000, 20_000)
    assert (ring.getpixel((125, 125)), ring.getpixel((63, 125))) == ((255, 255, 255), (255, 0, 0))


def test_images_are_rgb_and_as_many_dots_as_the_card_needs() -> None:
    for width, height in CARDS.values():
        image = picture([rectangle(RED, Box(0, 0, width, height).grown(BLEED))], width, height)
        assert (image.mode, image.size) == ("RGB", (-(-width // DOT), -(-height // DOT)))
        assert image.getpixel((image.width - 1, image.height - 1)) == (255, 0, 0)  # no pale rim


def test_missing_packages_are_named_with_the_way_to_get_them(monkeypatch: pytest.MonkeyPatch) -> None:
    pages.need_printing("printing")
    monkeypatch.setattr(extras, "find_spec", lambda name: None if name == "pypdfium2" else object())
    expected = re.escape('printing needs reportlab and pypdfium2: pip install "veggies_sim[design]"')
    with pytest.raises(InputError, match=expected):
        pages.need_printing("printing")


@pytest.mark.parametrize("faces", [0, 1, 2, 3, 8, 9, 10, 19, 20, 68, 69, 70, 138, 139, 1000])
def test_every_face_has_a_slot_and_the_last_slot_is_the_backs(faces: int) -> None:
    found = grids(faces)
    assert sum(grid.faces for grid in found) == faces
    for grid in found:
        assert grid.faces <= MOST_FACES and 2 <= grid.columns <= 10 and 2 <= grid.rows <= 7
        slots = [grid.slot(place) for place in range(grid.faces)]
        assert grid.slot(-1) == (grid.columns - 1, grid.rows - 1) not in slots
        assert len({*slots}) == grid.faces and max(slots) < (grid.columns, grid.rows)
        for width, height in CARDS.values():
            dot = grid.dot(width, height, DOT)
            assert max(-(-grid.columns * width // dot), -(-grid.rows * height // dot)) <= MOST_DOTS


def numbers(state: dict[str, Any]) -> list[int]:
    (deck,) = state["ObjectStates"]
    assert deck["DeckIDs"] == [card["CardID"] for card in deck["ContainedObjects"]]
    return list(deck["DeckIDs"])


def test_a_saved_object_counts_copies_and_numbers_cards_by_sheet_and_slot() -> None:
    state = saved_object("t", [("a", 1), ("b", 3)], ["https://x/1.png"], "https://x/back.png")
    assert numbers(state) == [100, 101, 101, 101]
    (deck,) = state["ObjectStates"]
    assert deck["Name"] == "DeckCustom"
    assert deck["CustomDeck"] == {
        "1": {"FaceURL": "https://x/1.png", "BackURL": "https://x/back.png", "NumWidth": 3, "NumHeight": 2,
              "BackIsHidden": True, "UniqueBack": False, "Type": 0}
    }  # fmt: skip
    assert [card["Nickname"] for card in deck["ContainedObjects"]] == ["a", "b", "b", "b"]
    many = saved_object("t", [(str(n), 1) for n in range(71)], ["1", "2"], "b")
    assert numbers(many)[68:] == [168, 200, 201]
    assert {key: sheet["FaceURL"] for key, sheet in many["ObjectStates"][0]["CustomDeck"].items()} == {"1": "1", "2": "2"}


def test_a_single_card_is_no_deck() -> None:
    (card,) = saved_object("t", [("a", 1)], ["1"], "b")["ObjectStates"]
    assert (card["Name"], card["CardID"], card["Nickname"]) == ("Card", 100, "a")


def test_a_pdf_keeps_each_drawing_once() -> None:
    drawings = {"card": [text(RED, "many words", 5_000, (0, 0))] * 20}
    box = Box(0, 0, 50_000, 50_000)
    one, many = (pdf((50_000, 50_000), drawings, [Page([Piece("card", box, box)] * n, [])], "") for n in (1, 50))
    assert len(many) < 1.5 * len(one)


@pytest.mark.parametrize("module", [ink, paper, tabletop])
def test_the_examples_in_the_docstrings_run(module: Any) -> None:
    results = doctest.testmod(module)
    assert (results.failed, results.attempted > 0) == (0, True)
