"""What a spec of a deck may say: every fault in one message, the numbers it leaves free, and what of it a deck does not meet."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from veggies_sim.core.errors import InputError
from veggies_sim.games.veggies.deck import Card, Deck, Face
from veggies_sim.games.veggies.design.spec import EXAMPLE, KEYS, Spec, read_spec

ONE = "[[exclude]]\nname = 'x'\n"

HOSTILE = [
    ("cards = ", "no TOML"),
    ("\0", "no TOML"),
    ("card = 3", "found 3; give a table"),
    ("crads = 3", "Did you mean 'cards'"),
    ("cards = 0", "cards: found 0; valid: a whole number from 1 to 1,000"),
    ("cards = 1001", "cards: found 1001"),
    ("cards = 40.0", "cards: found 40.0"),
    ("cards = true", "cards: found True"),
    ("cards = [40, 41]", "cards: found [40, 41]"),
    ('duplicates = "non"', "Did you mean 'none'"),
    ("duplicates = true", "unknown duplicates True"),
    ("symbols = 3", "symbols: found 3"),
    ("symbols = []", "symbols: found []"),
    ("symbols = {rats = 3}", "Did you mean 'rat'"),
    ("symbols = {goods = 3}", "unknown key of symbols 'goods'"),
    ("symbols = {rat = -1}", "symbols, rat: found -1"),
    ("symbols = {rat = 6001}", "symbols, rat: found 6001"),
    ("symbols = {rat = nan}", "symbols, rat: found nan"),
    ("symbols = {rat = '24'}", "symbols, rat: found '24'"),
    ("symbols = {rat = []}", "symbols, rat: found []; give a number, or [least, most]"),
    ("symbols = {rat = [1, 2, 3]}", "[least, most]"),
    ("symbols = {rat = [3, 1]}", "[least, most]"),
    ("symbols = {rat = [1, [2]]}", "symbols, rat: found [2]"),
    ("symbols = {rat = {a = 1}}", "symbols, rat: found"),
    ("card = {rat = 7}", "card, rat: found 7; valid: a whole number from 0 to 6"),
    ("card = {kinds = [1, 6]}", "card, kinds: found 6; valid: a whole number from 0 to 5"),
    ("card = {good = 1}", "Did you mean 'goods'"),
    ("cards_with = {rat = 3}", "cards_with, rat: found 3; give a table"),
    ("cards_with = {rat = {7 = 3}}", "unknown key of cards_with, rat '7'. Valid: 0, 1, 2, 3, 4, 5, 6"),
    ("cards_with = {rat = {-1 = 3}}", "unknown key of cards_with, rat"),
    ("cards_with = {kinds = {6 = 3}}", "unknown key of cards_with, kinds"),
    ("cards_with = {rat = {1 = 1.5}}", "cards_with, rat, 1: found 1.5"),
    ("cards_with = {mouse = {1 = 1}}", "unknown key of cards_with 'mouse'"),
    ("clusters = 0.2", "clusters: found 0.2"),
    ("clusters = {touch = 0.2}", "Did you mean 'touching'"),
    ("clusters = {touching = 1.1}", "clusters, touching: found 1.1; valid: a share from 0 to 1"),
    ("clusters = {touching = -0.1}", "clusters, touching"),
    ("clusters = {touching = [0.3, 0.2]}", "[least, most]"),
    ("clusters = {touching = nan}", "clusters, touching: found nan"),
    ("exclude = 3", "exclude: found 3"),
    ("exclude = {name = 'x'}", "exclude: found"),
    ("exclude = [3]", "exclude 1: found 3"),
    ("[[exclude]]\nface = 'SSSSSS'", "exclude 1: found None as name"),
    ("[[exclude]]\nname = ' '\nface = 'SSSSSS'", "as name; give a text"),
    ("[[exclude]]\nname = 'a\\nb'\nface = 'SSSSSS'".replace("'", '"'), "as name; give a text"),
    ("[[exclude]]\nname = \"a\\u001b[2J\"\nface = 'SSSSSS'", "as name; give a text"),
    (f"[[exclude]]\nname = '{'x' * 81}'\nface = 'SSSSSS'", "1 to 80 letters"),
    (ONE, "exclude 1: found a name only; give one of beside, together and face"),
    (f"{ONE}face = 'SSSSSS'\nbeside = ['rat', 'rat']", "found face and beside; give one"),
    (f"{ONE}path = '/etc/passwd'", "unknown key of exclude 1 'path'"),
    (f"{ONE}beside = ['rat']", "exclude 1, beside: found 1 symbols; give 2"),
    (f"{ONE}beside = 'rat'", "exclude 1, beside: found 'rat'; give a list"),
    (f"{ONE}beside = ['rat', 'mushrom']", "Did you mean 'mushroom'"),
    (f"{ONE}together = ['rat']", "found 1 symbols; give 2 to 6"),
    (f"{ONE}together = ['rat', 3]", "unknown exclude 1, together 3"),
    (f"{ONE}face = 'SSSSS'", "exclude 1, face: found 'SSSSS', 5 letters; a face has 6 letters"),
    (f"{ONE}face = 'SSSSSX'", "exclude 1, face: found 'X' as number 6 of 6 in 'SSSSSX'"),
    (f"{ONE}face = 3", "exclude 1, face: found 3"),
    (f"{ONE}face = 'SSSSSS'\n{ONE}face = 'SSSSSR'", "exclude 2: the name 'x' is there twice"),
    ("".join(f"[[exclude]]\nname = '{n}'\nface = 'SSSSSS'\n" for n in range(101)), "found 101 exclusions; valid: up to 100"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "said"), HOSTILE, ids=range(len(HOSTILE)))
def test_specs_that_are_wrong(tmp_path: Path, cli, text: str, said: str) -> None:
    file = tmp_path / "bad.toml"
    file.write_text(text, encoding="utf-8")
    status, out, err = cli("deck", "generate", file, "--out", tmp_path / "new.csv", "--seed", 1)
    assert status == 2 and out == "" and said in err and "bad.toml" in err and len(err.splitlines()) == 1, err
    assert len(err) < 600 and [path.name for path in tmp_path.iterdir()] == ["bad.toml"]


def test_the_example_has_every_key(tmp_path: Path) -> None:
    file = tmp_path / "spec.toml"
    file.write_text(EXAMPLE, encoding="utf-8")
    spec = read_spec(file)
    assert all(key in EXAMPLE for key in KEYS)
    assert spec.symbols == {"strawberry": (36, 36), "rat": (20, 30)} and spec.cards_with == {"rat": {0: (10, 20), 1: (20, 30)}}
    assert [exclusion.name for exclusion in spec.exclude] == ["no rat beside a mushroom", "no rat with two empties", "too easy"]


def test_a_table_of_python_is_read_like_a_file() -> None:
    assert Spec.from_table({}) == Spec() and Spec().cards == 40 and Spec().lines()[0].words == "duplicates = none"
    with pytest.raises(InputError, match=r"^deck: symbols, rat: found 'many'"):
        Spec.from_table({"symbols": {"rat": "many"}}, "deck")


def names(**table: Any) -> dict[str, tuple[float, float]]:
    return {knob.name: (knob.low, knob.high) for knob in Spec.from_table(table).knobs()}


def test_knobs_are_the_numbers_that_are_left_free() -> None:
    assert names(cards=10)["rat"] == (0, 60) and len(names()) == 7
    fixed = dict.fromkeys(("strawberry", "banana", "grape", "carrot", "mushroom"), 10)
    assert names(cards=10, symbols=fixed) == {"empty": (0, 10), "rat": (0, 10)}
    assert names(cards=10, symbols=fixed | {"rat": 4}) == {}  # empty follows
    assert names(cards=10, symbols=fixed, card={"rat": 0}) == {}  # so empty is 10
    others = {"empty": (0, 30), "rat": (10, 20)}
    assert names(cards=10, card={"goods": [3, 5], "rat": [1, 2]}) == dict.fromkeys(fixed, (0, 50)) | others
    assert names(cards=10, symbols={"rat": [3, 8]}, clusters={"touching": [0.1, 0.2]})["rat"] == (3, 8)
    assert names(clusters={"touching": [0.1, 0.2]})["touching"] == (0.1, 0.2)
    assert "touching" not in names(clusters={"touching": 0.1})
    assert [knob.whole for knob in Spec.from_table({"clusters": {"touching": [0, 1]}}).knobs()] == [True] * 7 + [False]


def test_a_share_is_a_number_of_pairs() -> None:
    def pairs(touching: Any, cards: int = 40) -> Any:
        return Spec.from_table({"cards": cards, "clusters": {"touching": touching}}).pairs()

    assert pairs([0.2, 0.3]) == (56, 84) and pairs([0.201, 0.299]) == (57, 83) and pairs(0.25, 41) == (72, 72)
    assert pairs([0.1, 0.7], 10) == (7, 49)  # 0.7 * 70 is 48.99... in floats
    assert Spec().pairs() is None


def deck(*faces: str) -> Deck:
    """Return a deck of faces written as letters."""
    words = {"S": "strawberry", "B": "banana", "G": "grape", "M": "mushroom", ".": "empty", "R": "rat"}
    cards = []
    for number, letters in enumerate(faces, 1):
        a, b, c, d, e, f = (words[letter] for letter in letters)
        face: Face = ((a, b, c), (d, e, f))
        cards.append(Card(f"n{number}", face))
    return Deck(cards)


FAULTS: list[tuple[dict[str, Any], list[str]]] = [
    ({}, []),
    ({"cards": 4}, ["cards: found 3; wished 4"]),
    ({"symbols": {"strawberry": 7, "banana": 4}}, ["[symbols] banana: found 3; wished 4"]),
    ({"symbols": {"rat": [0, 1]}}, ["[symbols] rat: found 3; wished 0 to 1"]),
    ({"card": {"rat": [0, 1]}}, ["[card] rat: n2 has 2; wished 0 to 1"]),
    ({"card": {"goods": 5, "kinds": [0, 2]}}, ["[card] goods: n1 has 6, n2 has 3, n3 has 4; wished 5",
                                              "[card] kinds: n2 has 3, n3 has 3; wished 0 to 2"]),
    ({"cards_with": {"rat": {"0": 1, "1": [2, 3]}}}, ["[cards_with] rat 1: found 1; wished 2 to 3"]),
    ({"cards_with": {"kinds": {"5": 1}, "goods": {"6": 1}}}, ["[cards_with] kinds 5: found 0; wished 1"]),
    ({"clusters": {"touching": 0.5}}, ["[clusters] touching, in pairs: found 5; wished 10"]),
    ({"clusters": {"touching": [0.2, 0.3]}}, []),
    ({"exclude": [{"name": "a", "beside": ["empty", "banana"]}]},
     ["[[exclude]] a (beside empty and banana): found on n2; wished on no card"]),
    ({"exclude": [{"name": "a", "beside": ["rat", "rat"]}]}, []),
    ({"exclude": [{"name": "a", "together": ["rat", "rat"]}]},
     ["[[exclude]] a (together rat, rat): found on n2; wished on no card"]),
    ({"exclude": [{"name": "a", "together": ["rat", "rat", "rat"]}]}, []),
    ({"exclude": [{"name": "a", "face": "BBS/SSS"}]},
     ["[[exclude]] a (face banana banana strawberry strawberry strawberry strawberry): found on n1; wished on no card"]),
    ({"exclude": [{"name": "a", "face": "Strawberries s s S b bananas"}]},
     ["[[exclude]] a (face banana banana strawberry strawberry strawberry strawberry): found on n1; wished on no card"]),
    ({"exclude": [{"name": "a", "face": "SSSBBS"}]}, []),
    ({"exclude": [{"name": "a", "beside": ["crates", "B"]}]},
     ["[[exclude]] a (beside empty and banana): found on n2; wished on no card"]),
    ({"exclude": [{"name": "a", "together": ["R", "mice"]}]},
     ["[[exclude]] a (together rat, rat): found on n2; wished on no card"]),
]  # fmt: skip


@pytest.mark.parametrize(("table", "said"), FAULTS, ids=range(len(FAULTS)))
def test_faults_of_a_small_deck(table: dict[str, Any], said: list[str]) -> None:
    # SSS  R.R  SG.     pairs that touch: SS SS (top), SS (left), BB of the first card; SS of the third
    # SBB  SBG  SMR ... counted by hand: first 2 + 1 + 1, second none, third 1
    assert Spec.from_table({"cards": 3} | table).faults(deck("SSSSBB", "R.RSBG", "SG.SMR")) == said


def test_equal_cards_and_mirror_images_are_told() -> None:
    same, turned, image = "SBG...", "...GBS", "GBS..."
    spec = {kind: Spec.from_table({"cards": 2, "duplicates": kind}) for kind in ("none", "mirror", "allowed")}
    for other in (same, turned):
        assert spec["none"].faults(deck(same, other)) == ["duplicates: 1 of 2 cards repeat another; wished none"]
    assert spec["none"].faults(deck(same, image)) == []
    assert spec["mirror"].faults(deck(same, image)) == ["duplicates: 2 of 2 cards are mirror images of another; wished none"]
    assert spec["mirror"].faults(deck("SBS...", "...BBB")) == []  # each is its own image
    assert spec["allowed"].faults(deck(same, turned)) == []
    two = Deck([Card("a", (("rat", "rat", "empty"), ("empty",) * 3), copies=2)])
    assert spec["none"].faults(two) == ["duplicates: 1 of 2 cards repeat another; wished none"]
    assert Spec.from_table({"cards": 2, "duplicates": "allowed", "symbols": {"rat": 4}}).faults(two) == []


def test_a_range_without_a_whole_number_of_pairs_is_told_as_such() -> None:
    spec = Spec.from_table({"clusters": {"touching": [0.201, 0.202]}}, "spec")
    assert spec.faults(Deck.shipped()) == ["[clusters] touching: found 29 pairs; no whole number of pairs lies in 0.201 to 0.202"]
