"""Pictures of cards and stands: well-formed and self-contained SVG, all text escaped."""

from __future__ import annotations

import doctest
import re
from collections import Counter
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from svg_checks import FACE, OTHER, SVG, assert_whole, texts

from veggies_sim.core.errors import InputError
from veggies_sim.core.svg import MARK, escape
from veggies_sim.games.veggies import drawing
from veggies_sim.games.veggies.deck import LETTER, SYMBOLS, Card, Deck, Face
from veggies_sim.games.veggies.drawing import card_svg, stand_svg, stand_text
from veggies_sim.games.veggies.rules import Stand


def test_a_card_shows_its_letters_row_by_row_and_its_id() -> None:
    card, several = Card("k1", FACE), Card("k2", OTHER, 3)
    assert_whole(card_svg(card))
    assert texts(card_svg(card)) == [*"SBGCMR", "k1"]
    assert texts(several._repr_svg_()) == [*".GGRC.", "3x k2"]


def test_a_deck_shows_its_faces_and_counts_its_spaces() -> None:
    svg = Deck([Card("k1", FACE), Card("k2", OTHER, 3)])._repr_svg_()
    assert_whole(svg)
    seen = texts(svg)
    assert seen[:15] == ["4 cards, 2 faces", *"SBGCMR", "k1", *".GGRC.", "3x k2"]
    assert seen[15] == "spaces: strawberry 1, banana 1, grape 7, carrot 4, mushroom 1, empty 6, rat 4"


def test_the_shipped_deck_says_that_it_is_a_reconstruction() -> None:
    note = "note: the shipped deck is a reconstruction: results are not those of the printed game"
    assert_whole(Deck.shipped()._repr_svg_())
    assert note in texts(Deck.shipped()._repr_svg_())
    assert note not in texts(Deck(Deck.shipped().cards[1:])._repr_svg_())


def test_a_large_deck_says_how_much_of_it_is_drawn() -> None:
    svg = Deck([Card(f"k{number}", FACE) for number in range(1000)])._repr_svg_()
    assert_whole(svg)
    assert texts(svg)[0] == "1,000 cards, 1,000 faces, of which the first 40 are drawn"
    assert texts(svg).count("k39") == 1 and "k40" not in texts(svg)


def test_ids_are_escaped_and_stay_below_their_cards() -> None:
    nasty = '<script>alert("1")</script>&amp; and so on'
    for svg in (Card(nasty, FACE)._repr_svg_(), Deck([Card(nasty, FACE), Card("WWWWWWWWWWWW", OTHER)])._repr_svg_()):
        assert_whole(svg)
        assert "<script" not in svg
        assert nasty in [element.text for element in ElementTree.fromstring(svg).iter(f"{SVG}title")]


def test_a_stand_shows_each_visible_space_with_rows_and_columns() -> None:
    stand = Stand([(FACE, 0, 0, 0), (OTHER, 1, -1, 1)])
    svg = stand_svg(stand)
    assert_whole(svg)
    assert svg == stand._repr_svg_()
    letters = Counter(LETTER[symbol] for symbol in stand.spaces.values())
    numbers = Counter(map(str, [*range(4), *range(-1, 3)]))
    assert Counter(texts(svg)) == letters + numbers
    assert stand_text(stand) == "   -1  0  1  2\n 0     S  B  G\n 1  R  .  M  R\n 2  C  G\n 3  .  G"


def test_an_empty_stand_has_a_picture_too() -> None:
    assert_whole(stand_svg(Stand()))
    assert texts(stand_svg(Stand())) == ["no cards yet"]
    assert stand_text(Stand()) == "(no cards)"


def test_a_highlight_outlines_one_card() -> None:
    stand = Stand([(FACE, 0, 0, 0), (OTHER, 2, 1, 1)])
    marked = [stand_svg(stand, number).count(MARK) for number in (0, 1, -1)]
    assert (marked, stand_svg(stand).count(MARK)) == ([1, 1, 1], 0)
    assert stand_svg(stand, -1) == stand_svg(stand, 1) != stand_svg(stand, 0)
    assert_whole(stand_svg(stand, 1))
    with pytest.raises(InputError, match="the stand has 2 cards, counted from 0"):
        stand_svg(stand, 2)


def test_a_line_parts_two_cards_and_not_the_spaces_of_one() -> None:
    def lines(*cards: tuple[Face, int, int, int]) -> int:
        """Return how many unit lines the borders have; they are the only paths of horizontal and vertical lines."""
        paths = re.findall(r'<path d="((?:M\S+ \d+[hv]28)+)"', stand_svg(Stand(cards)))
        return sum(len(re.findall("[hv]28", path)) for path in paths)

    assert lines((FACE, 0, 0, 0)) == 10
    assert lines((FACE, 0, 0, 0), (FACE, 0, 3, 0)) == 18  # the two share a border of two
    assert lines((FACE, 0, 0, 0), (OTHER, 0, 0, 0)) == 10  # the lower one is covered


def test_far_and_long_stands_keep_their_numbers_whole() -> None:
    for turn in (0, 1):
        cards = [(FACE, 3 * i * turn - 60, 3 * i * (1 - turn) - 60, turn) for i in range(40)]
        assert_whole(stand_svg(Stand(cards), 39))
        assert {"-60", "59"} <= {*texts(stand_svg(Stand(cards)))}
    far = Stand([(FACE, 12345, -1000, 0)])
    assert_whole(stand_svg(far))
    assert stand_text(far).splitlines() == [
        "      -1000  -999  -998",
        "12345     S     B     G",
        "12346     C     M     R",
    ]


def test_colours_and_letters_are_all_different() -> None:
    assert len({drawing.COLOUR[symbol] for symbol in SYMBOLS}) == len(SYMBOLS)
    assert len({drawing.SHAPE[good] for good in drawing.SHAPE}) == 6  # all but the empty space


@given(st.text())
def test_any_text_makes_well_formed_xml(words: str) -> None:
    element = ElementTree.fromstring(f'<a b="{escape(words)}">{escape(words)}</a>')
    if words.isprintable():
        assert (element.text or "") == element.get("b") == words
    assert "<" not in escape(words)


def test_the_examples_in_the_docstrings_run() -> None:
    results = doctest.testmod(drawing)
    assert (results.failed, results.attempted > 0) == (0, True)
