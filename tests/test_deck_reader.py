"""Reading deck files as people and spreadsheets write them, and what the reader says about faulty ones."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from veggies_sim.core.errors import InputError
from veggies_sim.games.veggies import deck_words
from veggies_sim.games.veggies.deck import HEADER, MAX_CELL, SYMBOLS, Card, Deck
from veggies_sim.games.veggies.deck_reader import read_deck

HEAD = "id,copies,r1c1,r1c2,r1c3,r2c1,r2c2,r2c3"
ONE = "v01,1,strawberry,banana,grape,carrot,mushroom,empty"
TWO = "v02,2,rat,rat,empty,empty,grape,grape"
GOOD = f"{HEAD}\n{ONE}\n{TWO}\n"
DECK = Deck(
    [
        Card("v01", (("strawberry", "banana", "grape"), ("carrot", "mushroom", "empty"))),
        Card("v02", (("rat", "rat", "empty"), ("empty", "grape", "grape")), 2),
    ]
)
FIXED = settings(derandomize=True, database=None, deadline=None, max_examples=300)


def read(folder: Path, content: str | bytes) -> Deck:
    path = folder / "cards.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_deck(path)


def message(folder: Path, content: str | bytes) -> str:
    with pytest.raises(InputError) as error:
        read(folder, content)
    return str(error.value)


# Files that are read.


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(GOOD, id="canonical"),
        pytest.param(GOOD.rstrip("\n"), id="no last line end"),
        pytest.param(GOOD.encode("utf-8-sig"), id="utf-8 with mark"),
        pytest.param(GOOD.encode("utf-16"), id="utf-16 native"),
        pytest.param(b"\xff\xfe" + GOOD.encode("utf-16-le"), id="utf-16 little"),
        pytest.param(b"\xfe\xff" + GOOD.encode("utf-16-be"), id="utf-16 big"),
        pytest.param(GOOD.replace(",", ";"), id="semicolons"),
        pytest.param(GOOD.replace(",", "\t"), id="tabs"),
        pytest.param("sep=;\n" + GOOD.replace(",", ";"), id="sep line"),
        pytest.param("\ufeffSEP=;\r\n" + GOOD.replace(",", ";").replace("\n", "\r\n"), id="mark, sep line, crlf"),
        pytest.param("sep=\t\n" + GOOD.replace(",", "\t"), id="sep tab"),
        pytest.param('"sep=,"\n' + GOOD, id="quoted sep line"),
        pytest.param("sep=;\n" + GOOD, id="sep line that is wrong"),
        pytest.param(GOOD.replace("\n", "\r\n"), id="crlf"),
        pytest.param(GOOD.replace("\n", "\r"), id="cr"),
        pytest.param("\n\n" + GOOD.replace("\n", "\n\n ,\u00a0,,\n") + ",,,,,,,,,,,\n\n", id="blank rows"),
        pytest.param(GOOD.replace("\n", ",,\n"), id="empty columns"),
        pytest.param(f"{HEAD}\n{ONE},,\n{TWO}\n", id="empty cells after one row"),
        pytest.param(re.sub(r"[^,\n]+", r'"\g<0>"', GOOD), id="all quoted"),
        pytest.param(re.sub(r"[^,\n]+", ' \u00a0"\\g<0> " ', GOOD), id="spaces around quotes"),
        pytest.param(re.sub(r"[^,\n]+", "\u00a0 \\g<0>\u202f ", GOOD), id="no-break spaces"),
        pytest.param(re.sub(r"\b[a-z]+\b", lambda word: word[0].title(), GOOD), id="title case"),
        pytest.param(f"{HEAD.upper()}\nv01,01,S,b,G,c,M,.\nv02,2,R,r,.,.,g,G\n", id="letters"),
        pytest.param(
            f"{HEAD}\nv01,1,Strawberries,bananas,GRAPES,carrots,mushrooms,empties\nv02,2,mice,mouse,crate,pallets,g,g\n",
            id="plurals",
        ),
        pytest.param(f"{HEAD}\nv01,1,s,b,g,c,m,barrel\nv02,2,rats,rat,barrels,crates,g,grape\n", id="barrels"),
        pytest.param(GOOD.replace("r2c3", '"r2c3\n"'), id="line end in a header cell"),
    ],
)
def test_a_spreadsheet_file_is_the_same_deck(tmp_path: Path, content: str | bytes) -> None:
    deck = read(tmp_path, content)
    assert deck == DECK
    assert deck.to_csv() == GOOD


def test_columns_in_any_order_and_copies_left_out(tmp_path: Path) -> None:
    columns = list(zip(*(line.split(",") for line in GOOD.splitlines()), strict=True))
    turned = [column for column in reversed(columns) if column[0] != "copies"]
    deck = read(tmp_path, "\n".join(map(",".join, zip(*turned, strict=True))))
    assert [(card.id, card.face, card.copies) for card in deck.cards] == [(c.id, c.face, 1) for c in DECK.cards]


def test_other_columns_are_kept_in_memory_only(tmp_path: Path) -> None:
    deck = read(tmp_path, f'{HEAD},Note,,art\n{ONE},"ripe, ""new""\nand green",,a.svg\n{TWO}\n')
    assert deck == DECK
    assert deck.extra == {"v01": {"Note": 'ripe, "new"\nand green', "art": "a.svg"}, "v02": {"Note": "", "art": ""}}
    assert deck.to_csv() == GOOD


def test_cp1252_is_the_last_resort(tmp_path: Path) -> None:
    assert read(tmp_path, GOOD.replace("v01", "crème €").encode("cp1252")).cards[0].id == "crème €"
    assert read(tmp_path, GOOD.replace("v01", "crème €").encode("utf-8")).cards[0].id == "crème €"


def test_a_path_or_formula_in_a_cell_stays_text(tmp_path: Path) -> None:
    deck = read(tmp_path, GOOD.replace("v01", "../../etc/passwd").replace("v02", "=HYPERLINK(1)"))
    assert [card.id for card in deck.cards] == ["../../etc/passwd", "=HYPERLINK(1)"]


# Files that are refused: each case names what the message must say. L at its start is "cards.csv:".


def changed(number: int, old: str, new: str) -> str:
    """Return the good file with one word of one line (from 1) replaced."""
    lines = GOOD.split("\n")
    assert old in lines[number - 1]
    lines[number - 1] = lines[number - 1].replace(old, new, 1)
    return "\n".join(lines)


FAULTY = [
    (
        "typo",
        changed(2, "strawberry", "strawbery"),
        ["L2, column r1c1: found 'strawbery'; did you mean 'strawberry'? valid: s"],
    ),
    ("typo of an alias", changed(3, "rat", "mouses"), ["L3, column r1c1", "'mouses'", "did you mean 'rat'?"]),
    ("unlike any word", changed(3, "rat", "7"), ["L3, column r1c1: found '7'; valid: strawberry, banana"]),
    ("two words", changed(3, "rat", "rat grape"), ["L3, column r1c1: found 'rat grape'"]),
    ("box is no alias", changed(2, "empty", "box"), ["L2, column r2c3: found 'box'; valid"]),
    ("blank cell", changed(2, "grape", ""), ["L2, column r1c3: found a blank cell; did you mean 'empty'?"]),
    ("no-break space", changed(2, "grape", "\u00a0"), ["L2, column r1c3: found a blank cell"]),
    *[
        (f"{word} cell", changed(2, "grape", word), [f"L2, column r1c3: found '{word}'; did you mean 'empty'?"])
        for word in ("None", "NA", "n/a", "N-A", "null", "nan", "NaN", "#N/A", "-")
    ],
    ("same id", changed(3, "v02", " v01 "), ["L3, column id: found 'v01', the id of line 2 too"]),
    ("no id", changed(3, "v02", " "), ["L3, column id: found no id"]),
    ("line end in an id", changed(3, "v02", '"v\n02"'), ["L3, column id", r"'v\n02'", "no line breaks"]),
    ("control letter in an id", changed(3, "v02", "v\x0702"), ["L3, column id", r"\x07"]),
    *[
        (f"copies {word}", changed(2, ",1,", f",{word},"), [f"L2, column copies: found '{word}'; valid: a whole"])
        for word in ("0", "-1", "1.5", "2.0", "two", "1001", "1e3", "9" * 30, "٣", "1_0", "+1", "=1+1")
    ],
    ("copies blank", changed(2, ",1,", ",,"), ["L2, column copies: found a blank cell; valid: a whole number"]),
    ("short row", changed(3, ",grape,grape", ""), ["L3, column r2c2: found 6 of the header's 8 cells; add r2c2, r2c3"]),
    ("one word row", GOOD + "end\n", ["L4, column copies: found 1 of the header's 8 cells"]),
    ("long row", changed(2, "empty", "empty,,x"), ["L2, column 10: found 'x' where the header has no name"]),
    ("word in unnamed column", f"{HEAD},\n{ONE},\n{TWO},x", ["L3, column 9: found 'x' where the header has no name"]),
    ("missing column", GOOD.replace("r2c1", "notes"), ["L1, column r2c1: found no such column in the header; valid"]),
    ("misspelled column", GOOD.replace("r2c1", "R2Cl"), ["L1, column r2c1: found no such column but 'R2Cl'"]),
    ("misspelled copies", GOOD.replace("copies", "Copys"), ["L1, column copies: found no such column but 'Copys'"]),
    ("missing id", GOOD.replace("id,", "name,"), ["L1, column id: found no such column"]),
    ("same column", f"{HEAD},R1C1\n{ONE},s", ["L1, column R1C1: found this name again as column 9, it is column 3"]),
    ("same other column", f"{HEAD},art,Art\n{ONE},a,b", ["L1, column Art: found this name again as column 10"]),
    ("no header", f"{ONE}\n{TWO}\n", ["L1, column 1: found 'v01, 1, straw", "in place of the header", "valid: id"]),
    ("other delimiter", GOOD.replace(",", "|"), ["L1, column 1: found 'id|copies|", "in place of the header"]),
    ("only a header", HEAD, ["L1, column id: found a header with no cards below it"]),
    ("header low in the file", f"\n,,\n\n{HEAD}\n\n", ["L4, column id: found a header with no cards"]),
    ("sep line of another kind", "sep=|\n" + GOOD, ["L1, column 1: found the delimiter '|' after sep="]),
    ("after a sep line", "sep=,\n" + changed(3, "rat", "rta"), ["L4, column r1c1: found 'rta'; did you mean 'rat'?"]),
    ("after blank rows", GOOD.replace("\n", "\n\n,\n") + "v03,1,x,g,g,g,g,g", ["L10, column r1c1: found 'x'"]),
    ("after crlf", changed(3, "rat", "x").replace("\n", "\r\n"), ["L3, column r1c1: found 'x'"]),
    ("after cr", changed(3, "rat", "x").replace("\n", "\r"), ["L3, column r1c1: found 'x'"]),
    ("after a cell of lines", f'{HEAD},note\n{ONE},"a\nb\n\nc"\n{TWO[:-5]}x,n', ["L6, column r2c3: found 'x'"]),
    ("in a row of lines", f'note,{HEAD}\n"a\nb",{ONE[:-5]}x', ["L3, column r2c3: found 'x'"]),
    ("open quote", changed(2, "banana", '"banana'), ["L2, column r1c2: the quote that opens here is never closed"]),
    ("open quote at the end", changed(3, "v02", '"v02'), ["L3, column id: the quote that opens here is never closed"]),
    ("open quote in the header", changed(1, "r1c2", '"r1c2'), ["L1, column 4: the quote that opens here"]),
    ("words after a quote", changed(3, "v02", '"v02"x'), ["L3, column id: found 'x' after the closing quote"]),
    ("huge cell", changed(3, "v02", "x" * (MAX_CELL + 1)), ["L3, column id: found a cell of 131,073 characters"]),
    ("huge note", f"{HEAD},note\n{ONE},{'x' * 200_000}", ["L2, column note: found a cell of 200,000 characters"]),
    ("huge symbol", changed(3, "rat", "x" * 5000), ["L3, column r1c1: found 'xxx"]),
]


@pytest.mark.parametrize(("content", "parts"), [pytest.param(*case[1:], id=case[0]) for case in FAULTY])
def test_a_fault_is_named_with_its_place(tmp_path: Path, content: str, parts: list[str]) -> None:
    text = message(tmp_path, content)
    assert [part for part in parts if re.sub("^L", "cards.csv:", part) not in text] == []
    assert "cannot be used: 1 fault\n" in text
    assert max(map(len, text.split("\n"))) < 400


@pytest.mark.parametrize(
    ("content", "part"),
    [
        pytest.param(b"", "is empty; the first row must be the header; valid: id,copies", id="empty"),
        pytest.param(b" \r\n,,\n;;\n\t", "is empty", id="blank"),
        pytest.param(b"\xef\xbb\xbf", "is empty", id="only a mark"),
        pytest.param(b"\0" * 100, "found a NUL byte on line 1", id="zeros"),
        pytest.param(GOOD.replace("rat", "r\0t").encode(), "found a NUL byte on line 3", id="one zero"),
        pytest.param(GOOD.encode("utf-16-le"), "found a NUL byte on line 1", id="utf-16 without mark"),
        pytest.param(GOOD.encode("utf-32"), "found a NUL byte", id="utf-32"),
        pytest.param(b"\xff\xfe" + b"a\0b", "found bytes that are no text", id="half a letter"),
        pytest.param(b"\x81\x8d\xff", "found bytes that are no text", id="no code page"),
        pytest.param(b"PK\x03\x04\x14\0\x06", "found a spreadsheet or zip file; save the sheet as CSV", id="xlsx"),
        pytest.param(b"\x89PNG\r\n\x1a\n\0\0", "found a NUL byte", id="picture"),
        pytest.param(b"x" * 1_000_001, "found more than 1,000,000 bytes", id="too large"),
    ],
)
def test_a_file_that_is_no_table(tmp_path: Path, content: bytes, part: str) -> None:
    assert f"\ncards.csv: {part}" in message(tmp_path, content)


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("none.csv", "found no such file; check the spelling"),
        ("folder", "found a folder; name the CSV file in it"),
        ("file.txt/cards.csv", "cannot be read (Not a directory)"),
        ("nul\0.csv", "is no name that a file can have"),
        ("x" * 300, "cannot be read (File name too long)"),
    ],
)
def test_a_path_that_is_no_file(tmp_path: Path, name: str, part: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file.txt").write_text(GOOD, encoding="utf-8")
    with pytest.raises(InputError) as error:
        Deck.read_csv(str(tmp_path / name))
    assert part in str(error.value)
    assert repr(str(tmp_path / name)) in str(error.value)


def test_a_file_without_the_right_to_read_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(InputError, match=r"cannot be read \(Permission denied\); check the path and your right"):
        read_deck(tmp_path / "cards.csv")


def test_all_faults_leave_together_each_with_what_is_valid(tmp_path: Path) -> None:
    text = message(tmp_path, f"{HEAD}\nv01,0,x,banana,,carrot,mushroom\nv01,1,grap,rat,rat,rat,rat,rat,more\n")
    first, *lines, last = text.split("\n")
    assert first.endswith("cards.csv' cannot be used: 7 faults")
    assert [line.split(": ")[0] for line in lines] == [
        "cards.csv:2, column r2c3",
        "cards.csv:2, column copies",
        "cards.csv:2, column r1c1",
        "cards.csv:2, column r1c3",
        "cards.csv:3, column 9",
        "cards.csv:3, column id",
        "cards.csv:3, column r1c1",
    ]
    assert ["valid: strawberry, banana, grape" in line for line in lines] == [False, False, True, True, False, False, True]
    assert "valid: strawberry, banana, grape, carrot, mushroom, empty, rat" in lines[2]
    assert last == f"(also read: {deck_words.OTHER_WORDS})"


def test_the_path_is_shown_as_it_was_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for path in ("./no//such.csv", Path("no.csv")):
        with pytest.raises(InputError, match=re.escape(f"the deck file '{path}' cannot be used")):
            read_deck(path)


def test_what_is_said_of_other_words_is_true() -> None:
    for words, symbol in (("S", "strawberry"), (".", "empty"), ("mouse mice R", "rat"), ("crate pallet barrel", "empty")):
        for word in words.split():
            assert word in deck_words.OTHER_WORDS and deck_words.ALIASES[word.lower()] == symbol
    assert all(f"{letter} {symbol}" in deck_words.OTHER_WORDS for symbol, letter in deck_words.LETTER.items())


def test_faults_of_the_header_do_not_hide_those_of_the_rows(tmp_path: Path) -> None:
    text = message(tmp_path, changed(3, "rat", "rta").replace("r2c3", "r2c9"))
    assert "cards.csv:1, column r2c3: found no such column but 'r2c9'" in text
    assert "cards.csv:3, column r1c1: found 'rta'" in text


def test_a_long_list_of_faults_is_cut(tmp_path: Path) -> None:
    text = message(tmp_path, HEAD + "".join(f"\nv{number},1,x,x,x,x,x,x" for number in range(20)))
    assert ": 120 faults\n" in text
    assert text.count("cards.csv:") == 50
    assert "\n... and 70 more faults; mend these 50 and read the file again\n" in text


def test_a_name_with_line_ends_stays_on_one_line(tmp_path: Path) -> None:
    path = tmp_path / "a\nb.csv"
    path.write_text(changed(2, "grape", "x"), encoding="utf-8")
    with pytest.raises(InputError) as error:
        read_deck(path)
    assert r"'a\nb.csv':2, column r1c3: found 'x'" in str(error.value)
    assert str(error.value).count("\n") == 2


def test_every_alias_is_lower_case_and_means_a_symbol() -> None:
    assert all(word == word.lower().strip() and symbol in SYMBOLS for word, symbol in deck_words.ALIASES.items())
    assert not set(deck_words.ALIASES) & deck_words.MISSING
    assert len(deck_words.ALIASES) == 7 + 7 + 2 + 3 + 4 + 6


# Whatever the bytes: a deck or an InputError.


def outcome(folder: Path, content: bytes) -> Deck | None:
    """Return the deck, or None where the reader refused; any other error fails the test."""
    try:
        deck = read(folder, content)
    except InputError as error:
        said = str(error)
    else:
        assert Deck(deck.cards) == deck
        return deck
    assert re.match(r"the deck file '.*cards\.csv' cannot be used: \d+ faults?\ncards\.csv[:,]", said)
    return None


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("decks")


@given(st.one_of(st.binary(max_size=300), st.binary(max_size=60).map(lambda tail: GOOD.encode() + tail)))
@FIXED
def test_any_bytes(folder: Path, content: bytes) -> None:
    outcome(folder, content)


CODINGS = st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-32", "utf-16-be"])


@given(st.text(st.characters(codec="utf-8"), max_size=200), CODINGS)
@FIXED
def test_any_text(folder: Path, text: str, coding: str) -> None:
    outcome(folder, text.encode(coding))


BITS = [*'",;\t\n\r \u00a0\ufeff\0', '""', "\r\n", "sep=;\n", "NA", "id", "r1c1", "rat"]
EDITS = st.lists(
    st.tuples(st.integers(0, len(GOOD)), st.integers(0, 12), st.one_of(st.sampled_from(BITS), st.text(max_size=3))),
    min_size=1,
    max_size=6,
)


@given(EDITS)
@FIXED
def test_a_good_file_with_random_edits(folder: Path, edits: list[tuple[int, int, str]]) -> None:
    text = GOOD
    for place, length, bit in edits:
        text = text[:place] + bit + text[place + length :]
    outcome(folder, text.encode("utf-8", "replace"))


WORDS_FOR = {
    symbol: [word for word, meant in deck_words.ALIASES.items() if meant == symbol] for symbol in SYMBOLS
}  # every way to write a symbol


@given(st.data())
@FIXED
def test_any_deck_in_any_dress_is_read_back(folder: Path, data: st.DataObject) -> None:
    """Write a random deck as a careless spreadsheet might; the reader must see through delimiter, case and spaces."""
    size = data.draw(st.integers(1, 4))
    faces = data.draw(st.lists(st.tuples(*[st.sampled_from(SYMBOLS)] * 6), min_size=size, max_size=size))
    id_texts = st.text("aZ,;\"'=. é", min_size=1).map(str.strip).filter(bool)
    ids = data.draw(st.lists(id_texts, min_size=size, unique=True))
    delimiter = data.draw(st.sampled_from(",;\t"))
    spaces = st.sampled_from(["", " ", "\u00a0", "  "])

    def dress(word: str) -> str:
        quoted = '"' + word.replace('"', '""') + '"'
        bare = word if not set(word) & set(',;\t"') and data.draw(st.booleans()) else quoted
        return data.draw(spaces) + bare + data.draw(spaces)

    def write(symbol: str) -> str:
        return data.draw(st.sampled_from([str.lower, str.upper, str.title]))(
            data.draw(st.sampled_from(WORDS_FOR[symbol]))
        )

    rows = [list(HEADER)] + [[ids[i], "3", *map(write, face)] for i, face in enumerate(faces)]
    order = data.draw(st.permutations(range(len(HEADER))))
    lines = [delimiter.join(dress(row[place]) for place in order) for row in rows]
    ends = data.draw(st.sampled_from(["\n", "\r\n", "\r", "\n\n", f"\n{delimiter * 9}\n"]))
    deck = outcome(folder, ends.join(lines).encode(data.draw(st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]))))
    assert deck == Deck(Card(ids[i], (face[:3], face[3:]), 3) for i, face in enumerate(faces))
