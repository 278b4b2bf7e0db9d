"""The deck: symbols, turns, checks at the door, the canonical file, and the deck that ships."""

from __future__ import annotations

import ast
import csv
import hashlib
import importlib.util
import io
import itertools
import os
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from veggies_sim.core.errors import InputError
from veggies_sim.games.veggies import deck as deck_module
from veggies_sim.games.veggies.deck import CODE, EMPTY, GOODS, LETTER, RAT, SYMBOLS, Card, Deck, Face, rotate

ROOT = Path(__file__).resolve().parents[1]
FACE: Face = (("strawberry", "banana", "grape"), ("carrot", "mushroom", "rat"))
PLAIN: Face = (("empty", "empty", "grape"), ("empty", "rat", "rat"))
ODD_IDS = ["../../x", "=1+1", "<b>", "a,b", 'a"b', '"', '""', "two  words", "a;b", "sep=;", "NA", "id", "ñ 🥕", "'"]

# No half characters (they have no bytes), no control characters, no line ends; the ends are stripped by the test.
ID_TEXT = st.text(st.characters(exclude_categories=("Cc", "Cs", "Zl", "Zp")), min_size=1, max_size=12).map(
    lambda text: text.strip(deck_module.BLANKS)
)
FACES = st.tuples(*[st.tuples(*[st.sampled_from(SYMBOLS)] * 3)] * 2)
DECKS = st.lists(
    st.builds(Card, ID_TEXT.filter(bool), FACES, st.integers(1, 1000)),
    min_size=1,
    max_size=8,
    unique_by=lambda card: card.id,
).map(Deck)


def small_deck() -> Deck:
    return Deck([Card("a", FACE, 2), Card("b", PLAIN)])


def half_turn(face: Face) -> Face:
    (a, b, c), (d, e, f) = face
    return (f, e, d), (c, b, a)


# Symbols and turns.


def test_symbols_have_fixed_codes_and_letters() -> None:
    assert [CODE[word] for word in (*GOODS, EMPTY, RAT)] == [1, 2, 3, 4, 5, 6, 7]
    assert "".join(LETTER[word] for word in SYMBOLS) == "SBGCM.R"


@pytest.mark.parametrize(
    ("turns", "rows"),
    [(0, "SBG CMR"), (1, "CS MB RG"), (2, "RMC GBS"), (3, "GR BM SC"), (4, "SBG CMR"), (-1, "GR BM SC")],
)
def test_rotate_turns_clockwise(turns: int, rows: str) -> None:
    turned = rotate(FACE, turns)
    assert " ".join("".join(LETTER[word] for word in row) for row in turned) == rows
    assert isinstance(turned, tuple)
    assert all(isinstance(row, tuple) for row in turned)


@given(FACES, st.integers(-9, 9), st.integers(-9, 9))
@settings(derandomize=True, database=None, max_examples=50)
def test_turns_add_up(face: Face, first: int, second: int) -> None:
    assert rotate(rotate(face, first), second) == rotate(face, first + second)


# What a deck knows.


def test_copies_are_physical_cards() -> None:
    deck = small_deck()
    assert len(deck) == 3
    assert deck.slots == (0, 0, 1)
    assert deck.counts() == {
        "strawberry": 2, "banana": 2, "grape": 3, "carrot": 2, "mushroom": 2, "empty": 3, "rat": 4
    }  # fmt: skip


def test_same_faces_counts_half_turns_and_no_quarter_turns() -> None:
    half = half_turn(FACE)
    mirrored: Face = (FACE[1], FACE[0])
    cards = [Card("a", FACE), Card("b", PLAIN, 3), Card("c", half), Card("d", FACE), Card("e", mirrored)]
    assert Deck(cards).same_faces() == [("a", "c", "d")]
    assert small_deck().same_faces() == []


def test_equality_and_hash_follow_the_canonical_text() -> None:
    deck, twin = small_deck(), Deck(list(small_deck().cards), extra={"a": {"note": "x"}})
    other = Deck(reversed(deck.cards))
    assert deck == twin
    assert hash(deck) == hash(twin)
    assert deck.hash == twin.hash == hashlib.sha256(deck.to_csv().encode()).hexdigest()
    assert deck != other
    assert deck.hash != other.hash
    assert deck != "deck"
    assert repr(deck) == f"<Deck of 3 cards, 2 faces, sha256 {deck.hash[:12]}>"


def test_extra_columns_are_kept_and_not_written() -> None:
    deck = Deck(small_deck().cards, extra={"a": {"note": "ripe"}})
    assert deck.extra == {"a": {"note": "ripe"}, "b": {}}
    assert "ripe" not in deck.to_csv()


# The check at the door.


def card(**changes: object) -> Card:
    return replace(Card("a", FACE), **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("cards", "parts"),
    [
        ([], ["no cards"]),
        (["v01"], ["card 1", "'v01'", "Card(id, face, copies)"]),
        ([card(id="")], ["card 1, id", "no id"]),
        ([card(id="\u00a0 ")], ["card 1, id", "no id"]),
        ([card(id=7)], ["card 1, id", "found 7", "text"]),
        ([card(id=" a")], ["card 1, id", "' a'", "no spaces around"]),
        ([card(id="a\nb")], ["card 1, id", r"'a\nb'", "line breaks"]),
        ([card(id="a\x07b")], ["card 1, id", "control"]),
        ([card(id="a\u2028b")], ["card 1, id", "line breaks"]),
        ([card(id="a\ud800b")], ["card 1, id", r"\ud800"]),
        ([card(id="x" * 131_073)], ["card 1, id", "131,072"]),
        ([card(), card(id="b"), card()], ["card 3, id", "'a'", "the id of card 1 too"]),
        ([card(copies=0)], ["card 1, copies", "found 0", "1 to 1,000"]),
        ([card(copies=1001)], ["card 1, copies", "found 1001", "1 to 1,000"]),
        ([card(copies=1.0)], ["card 1, copies", "found 1.0"]),
        ([card(copies=True)], ["card 1, copies", "found True"]),
        ([card(copies="2")], ["card 1, copies", "found '2'"]),
        ([card(face=None)], ["card 1, face", "found None"]),
        ([card(face="SBGCMR")], ["card 1, face", "2 tuples of 3"]),
        ([card(face=[list(row) for row in FACE])], ["card 1, face", "tuple of 2 tuples"]),
        ([card(face=rotate(FACE, 1))], ["card 1, face", "2 tuples of 3"]),
        ([card(face=(FACE[0], ("grape", "rat")))], ["card 1, face", "2 tuples of 3"]),
        ([card(face=(FACE[0], ("grape", "rat", "strawbery")))], ["card 1, r2c3", "'strawbery'", "mean 'strawberry'?"]),
        ([card(face=(("Rat", "S", None), FACE[1]))], ["r1c1: found 'Rat'", "r1c2: found 'S'", "r1c3: found None"]),
        ([card(face=((["rat"], 1, "rat"), FACE[1]))], ["r1c1: found ['rat']", "r1c2: found 1"]),
    ],
)
def test_a_faulty_deck_is_refused_with_all_faults(cards: list[Card], parts: list[str]) -> None:
    with pytest.raises(InputError) as error:
        Deck(cards)
    assert [part for part in parts if part not in str(error.value)] == []


@pytest.mark.parametrize("given", ["cards.csv", Path("cards.csv"), 5, None])
def test_a_path_is_no_list_of_cards(given: object) -> None:
    with pytest.raises(InputError, match=r"a deck is made of cards\. To read a file give Deck\.read_csv\(path\)"):
        Deck(given)  # type: ignore[arg-type]


def test_faults_of_all_cards_are_listed_together() -> None:
    with pytest.raises(InputError) as error:
        Deck([card(copies=-1), card(face=(("x", "rat", "rat"), FACE[1]))])
    assert [line.split(":")[0] for line in str(error.value).split("\n")[1:]] == [
        "card 1, copies", "card 2, r1c1", "card 2, id"
    ]  # fmt: skip


# The canonical file.


def test_canonical_text() -> None:
    deck = Deck([Card('a,"b"', FACE, 2), Card("=1+1", PLAIN)])
    assert deck.to_csv() == (
        "id,copies,r1c1,r1c2,r1c3,r2c1,r2c2,r2c3\n"
        '"a,""b""",2,strawberry,banana,grape,carrot,mushroom,rat\n'
        "=1+1,1,empty,empty,grape,empty,rat,rat\n"
    )


@pytest.mark.parametrize("odd", ODD_IDS)
def test_odd_ids_come_back_exactly(tmp_path: Path, odd: str) -> None:
    deck = Deck([Card(odd, FACE), Card("other", PLAIN)])
    deck.write_csv(tmp_path / "deck.csv")
    assert Deck.read_csv(tmp_path / "deck.csv") == deck
    assert os.listdir(tmp_path) == ["deck.csv"]


@given(DECKS)
@settings(derandomize=True, database=None, deadline=None)
def test_any_deck_comes_back_exactly(tmp_path_factory: pytest.TempPathFactory, deck: Deck) -> None:
    path = tmp_path_factory.getbasetemp() / "any.csv"
    deck.write_csv(path)
    again = Deck.read_csv(path)
    assert again == deck
    assert again.hash == deck.hash
    assert path.read_bytes() == deck.to_csv().encode()
    rows = list(csv.reader(io.StringIO(deck.to_csv(), newline="")))  # Python's own reader sees the same cells
    assert rows[1:] == [[card.id, str(card.copies), *card.face[0], *card.face[1]] for card in deck.cards]


def test_writing_replaces_a_file_and_leaves_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "my deck.csv"
    path.write_text("old", encoding="utf-8")
    small_deck().write_csv(str(path))
    assert path.read_bytes() == small_deck().to_csv().encode()
    assert os.listdir(tmp_path) == ["my deck.csv"]


@pytest.mark.parametrize("name", ["no/such/folder/deck.csv", "taken"])
def test_a_place_that_takes_no_file_is_an_input_error(tmp_path: Path, name: str) -> None:
    (tmp_path / "taken").mkdir()
    with pytest.raises(InputError, match=r"(?s)cannot write the deck to .*; name a file"):
        small_deck().write_csv(tmp_path / name)
    assert os.listdir(tmp_path) == ["taken"]


def test_the_module_needs_only_the_standard_library() -> None:
    tree = ast.parse(Path(deck_module.__file__).read_text(encoding="utf-8"))
    names = [alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names]
    names += [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    assert {name.split(".")[0] for name in names} <= set(sys.stdlib_module_names) | {"veggies_sim"}


# The deck that ships.


def breaches(deck: Deck) -> list[str]:
    """Return which promises about the shipped deck this one breaks. Written apart from the script that makes it."""
    found = [] if len(deck) == 40 else ["cards"]
    found += [] if [card.id for card in deck.cards] == [f"v{i:02d}" for i in range(1, 41)] else ["ids"]
    found += [] if all(card.copies == 1 for card in deck.cards) else ["copies"]
    found += [] if deck.counts() == {**dict.fromkeys(GOODS, 36), "empty": 36, "rat": 24} else ["counts"]
    flat = [tuple(itertools.chain(*card.face)) for card in deck.cards]
    pairs = itertools.combinations(flat, 2)
    found += ["alike"] if any(one in (other, other[::-1]) for one, other in pairs) else []
    found += ["goods"] if any(sum(word in GOODS for word in face) < 3 for face in flat) else []
    found += ["empties"] if any(face.count("empty") > 2 for face in flat) else []
    found += ["rats"] if any(face.count("rat") > 2 for face in flat) else []
    return found


def load_script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_deck", ROOT / "scripts" / "make_reconstructed_deck.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_shipped_deck_keeps_its_promises() -> None:
    assert breaches(Deck.shipped()) == []
    assert Deck.shipped().same_faces() == []
    assert Deck.shipped() == Deck.read_csv(ROOT / "data" / "cards.csv")


def test_the_shipped_file_is_what_the_script_prints(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = load_script()
    shipped = (ROOT / "data" / "cards.csv").read_bytes()
    assert script.main([]) == 0
    assert capsys.readouterr().out.encode() == shipped
    assert script.main(["--out", str(tmp_path / "cards.csv")]) == 0
    assert (tmp_path / "cards.csv").read_bytes() == shipped


@pytest.mark.parametrize("seed", range(20))
def test_other_seeds_keep_the_promises_too(seed: int) -> None:
    deck = load_script().make_deck(seed)
    assert breaches(deck) == []
    assert deck != Deck.shipped()


def test_the_script_reports_a_place_it_cannot_write(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert load_script().main(["--out", str(tmp_path)]) == 2
    assert "cannot write the deck" in capsys.readouterr().err


def with_face(number: int, face: Face) -> Callable[[list[Card]], list[Card]]:
    return lambda cards: [replace(card, face=face) if i == number else card for i, card in enumerate(cards)]


@pytest.mark.parametrize(
    ("breach", "spoil"),
    [
        ("cards", lambda cards: cards[:-1]),
        ("ids", lambda cards: cards[::-1]),
        ("copies", lambda cards: [replace(cards[0], copies=2), *cards[1:]]),
        ("counts", with_face(0, FACE)),
        ("alike", lambda cards: with_face(3, cards[5].face)(cards)),
        ("alike", lambda cards: with_face(3, half_turn(cards[5].face))(cards)),
        ("goods", with_face(0, (("empty", "empty", "rat"), ("rat", "grape", "grape")))),
        ("empties", with_face(0, (("empty", "empty", "empty"), ("grape", "grape", "grape")))),
        ("rats", with_face(0, (("rat", "rat", "rat"), ("grape", "grape", "grape")))),
    ],
)
def test_the_checker_of_promises_notices(breach: str, spoil: Callable[[list[Card]], list[Card]]) -> None:
    assert breach in breaches(Deck(spoil(list(Deck.shipped().cards))))


def test_a_shuffle_without_repair_breaks_the_promises() -> None:
    script = load_script()
    vars(script)["MAX_SWAPS"] = 1  # one look, no second: the first cut must be good at once
    with pytest.raises(InputError, match="take another seed"):
        script.make_deck(script.DEFAULT_SEED)


def test_a_package_without_its_deck_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("importlib.resources.files", lambda _: tmp_path)
    monkeypatch.setattr(deck_module, "__file__", str(tmp_path / "a" / "b" / "c" / "deck.py"))
    with pytest.raises(InputError, match="install veggies_sim again or name a deck file"):
        Deck.shipped()
