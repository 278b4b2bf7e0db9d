"""Changes of a deck: each operation against a recount of its own, what it refuses, and lineages that replay."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import veggies_sim
from veggies_sim.core.errors import InputError
from veggies_sim.games.veggies.deck import RAT, SYMBOLS, Card, Deck
from veggies_sim.games.veggies.design import edit, lineage
from veggies_sim.games.veggies.design.diff import changed_cards, diff_decks
from veggies_sim.games.veggies.design.faces import face_of
from veggies_sim.games.veggies.design.generate import generate
from veggies_sim.games.veggies.design.spec import Spec, read_spec
from veggies_sim.games.veggies.design.stats import deck_stats

FIXED = settings(derandomize=True, database=None, deadline=None, max_examples=100)
PLAIN = Card("a", (("strawberry", "banana", "grape"), ("carrot", "mushroom", "rat")))
THREE = Card("b", (("empty", "grape", "grape"), ("rat", "carrot", "empty")), 3)
DECK = Deck([PLAIN, THREE], {"a": {"note": "kept"}})


def spaces(deck: Deck) -> list[list[str]]:
    """The six words of each physical card, slot by slot."""
    return [[*deck.cards[place].face[0], *deck.cards[place].face[1]] for place in deck.slots]


def differences(old: Deck, new: Deck) -> list[tuple[int, int, str, str]]:
    pairs = enumerate(zip(spaces(old), spaces(new), strict=True))
    return [(c, s, x, y) for c, (a, b) in pairs for s, (x, y) in enumerate(zip(a, b, strict=True)) if x != y]


def rows(deck: Deck) -> list[tuple[str, int]]:
    return [(card.id, card.copies) for card in deck.cards]


symbols = st.sampled_from(SYMBOLS)
faces = st.tuples(*[symbols] * 6).map(face_of)
decks = st.lists(st.tuples(faces, st.integers(1, 4)), min_size=1, max_size=6).map(
    lambda cards: Deck([Card(f"c{number}", face, copies) for number, (face, copies) in enumerate(cards)])
)


# Operations.


def test_singles_are_the_cards_slot_by_slot_with_free_ids() -> None:
    deck = Deck([Card("x", PLAIN.face, 3), Card("x-2", THREE.face)])
    assert [card.id for card in deck.singles()] == ["x", "x-3", "x-4", "x-2"]
    assert spaces(Deck(deck.singles())) == spaces(deck)


def test_swap_exchanges_two_spaces_and_splits_what_has_copies() -> None:
    new = edit.swap(DECK, ("a", "r1c1"), ("b", "R2C1"))
    assert differences(DECK, new) == [(0, 0, "strawberry", "rat"), (3, 3, "rat", "strawberry")]
    assert rows(new) == [("a", 1), ("b", 2), ("b-2", 1)]
    assert new.extra["a"] == {"note": "kept"} and new.extra["b-2"] == {}
    inside = edit.swap(DECK, ("b", "r1c1"), ("b", "r1c2"))
    assert differences(DECK, inside) == [(3, 0, "empty", "grape"), (3, 1, "grape", "empty")]
    assert edit.swap(DECK, ("b", "r1c1"), ("b", "r2c3")) == DECK  # both are empty: nothing is split


def test_a_change_of_the_last_copy_again_goes_on_with_the_next() -> None:
    once = edit.replace_symbol(DECK, "b", "r1c1", "Mice")
    twice = edit.replace_symbol(once, "b", "r1c1", "R")
    assert rows(once) == [("a", 1), ("b", 2), ("b-2", 1)]
    assert rows(twice) == [("a", 1), ("b", 1), ("b-3", 1), ("b-2", 1)]
    assert [words[0] for words in spaces(twice)] == ["strawberry", "empty", "rat", "rat"]


@FIXED
@given(decks, symbols, symbols, st.integers(0, 2**32), st.data())
def test_turn_changes_so_many_spaces_and_is_nested(deck: Deck, old: str, new: str, seed: int, data: st.DataObject) -> None:
    if old == new:
        return
    have = deck.counts()[old]
    assert edit.turn(deck, old, new).counts()[old] == 0
    numbers = sorted(data.draw(st.lists(st.integers(0, have), min_size=2, max_size=2)))
    few, many = (differences(deck, edit.turn(deck, old, new, number, seed)) for number in numbers)
    assert [len(few), len(many)] == numbers and {*few} <= {*many}
    assert all(each[2:] == (old, new) for each in many)


@FIXED
@given(decks, symbols, symbols, st.lists(st.floats(0, 3), min_size=2, max_size=2).map(sorted), st.integers(0, 99))
def test_scale_gives_the_rounded_number_and_is_nested(deck: Deck, symbol: str, filler: str, factors: Any, seed: int) -> None:
    now = deck.counts()
    made = []
    for factor in factors:
        if symbol == filler or round(factor * now[symbol]) > now[symbol] + now[filler]:
            with pytest.raises(InputError, match="filler"):
                edit.scale(deck, symbol, factor, filler, seed)
            return
        made.append(edit.scale(deck, symbol, factor, filler, seed))
        assert made[-1].counts()[symbol] == round(factor * now[symbol])
        assert {(x, y) for _, _, x, y in differences(deck, made[-1])} <= {(symbol, filler), (filler, symbol)}
    less, more = ({(c, s) for c, card in enumerate(spaces(each)) for s, word in enumerate(card) if word == symbol} for each in made)
    assert less <= more


def test_every_space_is_as_likely_to_be_turned() -> None:
    """20 x 2 spaces of one symbol on single and on copied cards, half of them turned: chi-square over 400 seeds.

    Per seed exactly half turn, so the counts vary less than independent ones: the bound, of chance 1e-4 for independent ones,
    is passed with less. The control, always the first half, is far above it.
    """
    deck = Deck([Card(f"c{number}", THREE.face, 2) for number in range(10)])
    seen = Counter(each[:2] for seed in range(400) for each in differences(deck, edit.turn(deck, "empty", RAT, 20, seed)))

    def statistic(counts: Counter[tuple[int, int]]) -> float:
        return sum((counts[c, s] - 200) ** 2 / 100 for c in range(20) for s in (0, 5))

    assert sum(seen.values()) == 400 * 20 and statistic(seen) < 82  # chi-square of 40, upper 1e-4: 82.06
    assert statistic(Counter({(c, s): 400 for c in range(10) for s in (0, 5)})) > 1000


def test_add_copies_and_drop() -> None:
    new = edit.add(DECK, "c", "sb. GRM", 2)
    assert new.cards[-1] == Card("c", (("strawberry", "banana", "empty"), ("grape", "rat", "mushroom")), 2)
    assert edit.add(DECK, "c", "SB./GRM", 2) == new  # as `deck diff` writes it
    assert edit.add(DECK, "c", PLAIN.face).cards[:2] == DECK.cards
    assert edit.add(DECK, "c", "strawberries B crate grape mouse M").cards[-1].face == new.cards[-1].face
    assert rows(edit.set_copies(new, "b", 1)) == [("a", 1), ("b", 1), ("c", 2)]
    assert rows(edit.drop(new, ["c", "a", "c"])) == [("b", 3)]


FAULTS: list[tuple[str, dict[str, Any], str]] = [
    ("swap", {"first": ("x", "r1c1"), "second": ("b", "r1c1")}, "unknown card 'x'.* Valid: a, b"),
    ("swap", {"first": ("a", "r3c1"), "second": ("b", "r1c1")}, "unknown space 'r3c1'.* Valid: r1c1, "),
    ("swap", {"first": ("a", "r1c1"), "second": ("a", "R1C1")}, "a:r1c1 twice"),
    ("swap", {"first": "a", "second": ("a", "r1c1")}, "found 'a'"),
    ("swap", {"first": ("a",), "second": ("a", "r1c1")}, "give the id of a card and a space"),
    ("set", {"card": "a", "space": 3, "symbol": "R"}, "unknown space 3"),
    ("set", {"card": ["a"], "space": "r1c1", "symbol": "R"}, "unknown card"),
    ("set", {"card": "a", "space": "r1c1", "symbol": "graep"}, "Did you mean 'grape'.* Valid: strawberry, "),
    ("set", {"card": "a", "space": "r1c1", "symbol": None}, "unknown symbol None"),
    ("turn", {"from_symbol": "R", "to_symbol": "rats"}, "found rat twice"),
    ("turn", {"from_symbol": "R", "to_symbol": "B", "number": 5}, "the deck has 4 spaces of rat.*found 5.*0 to 4"),
    ("turn", {"from_symbol": "R", "to_symbol": "B", "number": -1}, "found -1"),
    ("turn", {"from_symbol": "R", "to_symbol": "B", "seed": -1}, "seed: found -1; valid: a whole number from 0"),
    ("scale", {"symbol": "grape", "factor": 2.2}, "grape has 7 spaces and can take 6 more from empty. Give up to 1.857"),
    ("scale", {"symbol": "grape", "factor": 1e308}, "found 1e"),
    ("scale", {"symbol": "grape", "factor": -0.5}, "valid: a number from 0 to 180,000"),
    ("scale", {"symbol": "grape", "factor": float("nan")}, "factor: found nan"),
    ("scale", {"symbol": "grape", "factor": 0.5, "filler": "G"}, "the filler is grape too"),
    ("add", {"id": "a", "face": "SBGCMR"}, "has a card 'a' already"),
    ("add", {"id": "c", "face": "SBGCMRR"}, "found 'SBGCMRR', 7 letters.*such as SB.GRM"),
    ("add", {"id": "c", "face": "SBXCMR"}, "found 'X' as number 3.*S strawberry"),
    ("add", {"id": "c", "face": ""}, "found '', 0 letters"),
    ("add", {"id": " c", "face": "SBGCMR"}, "an id has no spaces around it"),
    ("add", {"id": "c", "face": "SBGCMR", "copies": 0}, "copies: found 0"),
    ("add", {"id": "c", "face": 3}, "card 3, face: found 3"),
    ("copies", {"card": "a", "copies": 0}, "copies of a: found 0; valid: a whole number from 1 to 1,000"),
    ("copies", {"card": "c", "copies": 1}, "unknown card 'c'"),
    ("drop", {"ids": ["a", "b"]}, "all 2 cards"),
    ("drop", {"ids": "a"}, "give a list"),
    ("drop", {"ids": ["a", "c"]}, "unknown card 'c'"),
]


@pytest.mark.parametrize(("operation", "arguments", "said"), FAULTS)
def test_what_is_refused(operation: str, arguments: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=f"(?s){said}"):
        edit.OPERATIONS[operation](DECK, **arguments)


ONE = Deck([Card("a", DECK.cards[0].face)])
WRONG: list[tuple[Callable[[], object], str]] = [
    *((partial(made, None, **arguments), "deck: found None; give a Deck") for made, arguments in (
        (edit.swap, {"first": ("a", "r1c1"), "second": ("a", "r1c2")}),
        (edit.replace_symbol, {"card": "a", "space": "r1c1", "symbol": "R"}),
        (edit.turn, {"from_symbol": "R", "to_symbol": "G"}),
        (edit.scale, {"symbol": "R", "factor": 2}),
        (edit.add, {"id": "x", "face": "SB.GRM"}),
        (edit.set_copies, {"card": "a", "copies": 2}),
        (edit.drop, {"ids": ["a"]}),
        (edit.drop, {"ids": []}),
    )),
    (lambda: edit.turn(edit.turn(DECK, RAT, "G"), RAT, "empty", -1), "turn: the deck has no rat."),
    (lambda: edit.turn(edit.turn(DECK, RAT, "G"), RAT, "empty", 1), "turn: the deck has no rat."),
    (lambda: edit.drop(ONE, ["a"]), "drop: 'a' is the only card; a deck keeps"),
    (lambda: edit.changes("old.csv", DECK), "old: found 'old.csv'; give a Deck"),
    (lambda: edit.changes(DECK, None), "new: found None; give a Deck"),
    (lambda: diff_decks(None, DECK), "old: found None; give a Deck"),
    (lambda: changed_cards(DECK, 5), "new: found 5; give a Deck"),
    (lambda: deck_stats("a.csv"), "deck: found 'a.csv'; give a Deck"),
    (lambda: Spec().faults(None), "deck: found None; give a Deck"),
    (lambda: generate({"cards": 40}, 1), "spec: found {'cards': 40}; give a Spec"),
    (lambda: read_spec(None), "spec: found None; give a path"),
    (lambda: lineage.read_lineage(5), "lineage: found 5; give a path"),
    (lambda: lineage.history(None, DECK), "deck file: found None; give a path"),
    (lambda: lineage.check_place(None), "deck file: found None; give a path"),
    (lambda: lineage.save(DECK, [], "never.csv"), "doesn't lead to this deck"),
    (lambda: lineage.save(DECK, [lineage.changed(DECK, "drop", {"ids": ["a"]})[1]], "never.csv"), "doesn't lead to this deck"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "said"), WRONG)
def test_what_a_caller_gives_is_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: Callable[[], object], said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=re.escape(said)):
        call()
    assert not [*tmp_path.iterdir()]


def test_paths_may_be_text(tmp_path: Path) -> None:
    (tmp_path / "spec.toml").write_text("cards = 3", "utf-8")
    assert read_spec(str(tmp_path / "spec.toml")).cards == 3
    new, step = lineage.changed(DECK, "drop", {"ids": ["a"]})
    lineage.save(new, [step], str(tmp_path / "a.csv"))
    assert lineage.history(str(tmp_path / "a.csv"), new) == (lineage.read_lineage(str(tmp_path / "a.lineage.jsonl")), "")


def test_changes_in_words() -> None:
    assert edit.changes(DECK, DECK) == "nothing changed"
    assert edit.changes(DECK, edit.replace_symbol(DECK, "b", "r1c1", "R")) == "b-2 r1c1: empty -> rat; empty 6 -> 5, rat 4 -> 5"
    assert edit.changes(DECK, edit.turn(DECK, "empty", RAT)) == "6 spaces changed; empty 6 -> 0, rat 4 -> 10"
    assert edit.changes(DECK, edit.drop(DECK, ["b"])).startswith("cards 4 -> 1; grape 7 -> 1, ")


# Commands and lineages.

CHAIN = [
    ("swap", ["v01:r1c1", "v02:r2c3"]),
    ("set", ["v03:r1c2", "mice"]),
    ("turn", ["R", "crate", "--number", "4", "--seed", "5"]),
    ("turn", ["banana", "grape"]),
    ("scale", ["strawberry", "1.25", "--filler", "carrots", "--seed", "6"]),
    ("add", ["Ż:1", "SB. GRM", "--copies", "3"]),
    ("set", ["Ż:1:r1c1", "G"]),
    ("copies", ["v05", "2"]),
    ("drop", ["v06", "v07"]),
]


@pytest.fixture
def first(tmp_path: Path) -> Path:
    Deck.shipped().write_csv(tmp_path / "0.csv")
    return tmp_path / "0.csv"


def test_a_lineage_replays_from_the_first_deck_to_the_last(first: Path, cli: Any) -> None:
    for number, (operation, words) in enumerate(CHAIN):
        folder = first.parent
        status, out, err = cli("deck", "edit", operation, folder / f"{number}.csv", *words, "--out", folder / f"{number + 1}.csv")
        assert status == 0 and out == "", err
        assert ("the lineage begins here" in err) == (number == 0)
        assert ("note: made from the shipped deck" in err) == (number < 3)  # then its goods are others
    last = first.parent / f"{len(CHAIN)}.csv"
    deck = Deck.read_csv(first)
    lines = [json.loads(line) for line in last.with_name(f"{len(CHAIN)}.lineage.jsonl").read_text("utf-8").splitlines()]
    assert [line["operation"] for line in lines] == [operation for operation, _ in CHAIN]
    for line in lines:
        assert line["parent"] == deck.hash and line["version"] == veggies_sim.__version__ and [*line] == [*lineage.KEYS]
        drawn = {} if line["seed"] is None else {"seed": line["seed"]}
        deck = edit.OPERATIONS[line["operation"]](deck, **line["arguments"], **drawn)
        assert line["deck"] == deck.hash
    assert deck == Deck.read_csv(last) and [line["seed"] for line in lines] == [None, None, 5, None, 6, None, None, None, None]
    assert str(first.parent) not in last.with_name(f"{len(CHAIN)}.lineage.jsonl").read_text("utf-8")
    assert json.loads(cli("deck", "edit", "lineage", last, "--json")[1]) == lines
    text = cli("deck", "edit", "lineage", last)[1].splitlines()
    assert len(text) == len(CHAIN) + 1 and text[0] == f"{lines[0]['parent'][:12]}  the first deck"
    assert text[3].startswith(f'{lines[2]["deck"][:12]}  turn: from_symbol "R", to_symbol "crate", number 4, seed 5')


def test_it_is_said_what_changed(first: Path, cli: Any) -> None:
    err = cli("deck", "edit", "set", first, "v02:r1c1", "empty", "--out", first.with_name("a.csv"))[2]
    assert err.splitlines()[0] == "v02 r1c1: rat -> empty; empty 36 -> 37, rat 24 -> 23"


def test_it_is_said_which_columns_are_left_out(first: Path, cli: Any) -> None:
    assert "left out" not in cli("deck", "edit", "drop", first, "v01", "--out", first.with_name("a.csv"))[2]
    header, *others = first.read_text("utf-8").splitlines()
    first.write_text("\n".join([f"{header},my notes,\x1b[2J", *(f"{line},x," for line in others)]), "utf-8")
    status, _, err = cli("deck", "edit", "drop", first, "v01", "--out", first.with_name("b.csv"))
    assert status == 0 and "note: a deck file has no other columns; left out: 'my notes', '\\x1b[2J'\n" in err
    assert first.with_name("a.csv").read_bytes() == first.with_name("b.csv").read_bytes()


def test_a_missing_seed_is_drawn_said_and_recorded(first: Path, cli: Any) -> None:
    out = first.with_name("a.csv")
    err = cli("deck", "edit", "scale", first, "rat", "0.5", "--out", out)[2]
    (step,) = lineage.read_lineage(lineage.lineage_file(out))
    assert f"; seed {step.seed}\n" in err and step.seed is not None
    again = cli("deck", "edit", "scale", first, "rat", "0.5", "--seed", step.seed, "--out", first.with_name("b.csv"))
    assert again[0] == 0 and out.read_bytes() == first.with_name("b.csv").read_bytes()
    assert lineage.lineage_file(out).read_bytes() == first.with_name("b.lineage.jsonl").read_bytes()


def test_a_lineage_of_another_deck_is_left_out_with_a_word(first: Path, cli: Any) -> None:
    one, two, three = (first.with_name(f"{name}.csv") for name in "abc")
    assert cli("deck", "edit", "set", first, "v02:r1c1", "empty", "--out", one)[0] == 0
    assert cli("deck", "edit", "set", one, "v02:r1c1", "grape", "--out", two)[0] == 0
    one.write_bytes(first.read_bytes())  # changed by hand
    status, _, err = cli("deck", "edit", "set", one, "v02:r1c1", "grape", "--out", three)
    assert status == 0 and "the lineage begins here: a.lineage.jsonl is of another deck" in err
    assert [len(lineage.read_lineage(lineage.lineage_file(file))) for file in (two, three)] == [2, 1]
    status, out, err = cli("deck", "edit", "lineage", one)
    assert status == 2 and out == "" and "is of another deck" in err
    assert "no lineage beside it (0.lineage.jsonl)" in cli("deck", "edit", "lineage", first)[2]


BAD_WORDS = [
    (["set", "v01", "R"], "CARD:SPACE: found 'v01'"),
    (["set", "v01:r9c1", "R"], "unknown space 'r9c1'"),
    (["set", "v01:r1c1", "graep"], "Did you mean 'grape'"),
    (["swap", "v01:r1c1", "v99:r1c1"], "unknown card 'v99'"),
    (["turn", "rat", "empty", "--number", "25"], "0 to 24"),
    (["turn", "rat", "empty", "--number", "x"], "a whole number"),
    (["turn", "rat", "empty", "--seed", "5"], "--seed is for --number"),
    (["scale", "rat", "x"], "FACTOR: found 'x'; valid: a number from 0 to 180,000"),
    (["scale", "rat", "nan"], "FACTOR: found 'nan'; valid: a number from 0 to 180,000"),
    (["scale", "rat", "50%"], "FACTOR: found '50%'; valid: a number from 0"),
    (["scale", "rat", "2e5"], "FACTOR: found '2e5'"),
    (["scale", "rat", "inf"], "FACTOR: found 'inf'"),
    (["scale", "rat", "0.5", "--seed", str(2**64)], "seed: found"),
    (["add", "v01", "SBGCMR"], "already"),
    (["drop"], "required: ID"),
    (["copies", "v01", "0"], "from 1 to 1,000"),
]


@pytest.mark.parametrize(("words", "said"), BAD_WORDS)
def test_a_command_that_is_wrong_writes_nothing(first: Path, cli: Any, words: list[str], said: str) -> None:
    operation, *others = words
    status, out, err = cli("deck", "edit", operation, first, *others, "--out", first.parent / "new" / "a.csv")
    assert status == 2 and out == "" and said in err and len(err.splitlines()) == 1, err
    assert [path.name for path in first.parent.iterdir()] == ["0.csv"]


@pytest.mark.parametrize("there", ["a.csv", "a.lineage.jsonl"])
def test_an_older_file_is_never_written_over(first: Path, cli: Any, there: str) -> None:
    first.with_name(there).write_text("mine", "utf-8")
    status, _, err = cli("deck", "edit", "drop", first, "v01", "--out", first.with_name("a.csv"))
    assert status == 2 and f"{there}: can't be written (it exists already)" in err
    assert first.with_name(there).read_text("utf-8") == "mine" and len([*first.parent.iterdir()]) == 2


def test_out_is_needed_and_is_a_csv_outside_of_datasets(first: Path, cli: Any) -> None:
    assert "required: --out" in cli("deck", "edit", "drop", first, "v01")[2]
    assert "found the ending '.txt'" in cli("deck", "edit", "drop", first, "v01", "--out", first.with_name("a.txt"))[2]
    first.with_name("run.json").touch()
    assert "inside of a dataset" in cli("deck", "edit", "drop", first, "v01", "--out", first.parent / "b" / "a.csv")[2]


def test_both_files_or_none(first: Path, cli: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_deck: Deck, path: Path) -> None:
        path.write_text("half", "utf-8")
        raise OSError(5, "broken")

    monkeypatch.setattr(Deck, "write_csv", fail)
    status, _, err = cli("deck", "edit", "drop", first, "v01", "--out", first.parent / "new" / "a.csv")
    assert status == 1 and "broken" in err
    assert not [path for path in first.parent.rglob("*") if path.is_file() and path != first]


H, G = "0" * 64, "1" * 64
LINE = {"deck": G, "parent": H, "operation": "drop", "arguments": {"ids": ["a"]}, "seed": None, "version": "0.1.0"}
BAD_LINES: list[tuple[bytes, str]] = [
    (b"", "the lineage is empty"),
    (b"\n", "no line of JSON"),
    (b"\xff\xfe", "no line of JSON"),
    (b"[" * 100_000, "no line of JSON"),
    (b"9" * 5000, "no line of JSON"),
    (b"[1]", "give a table with the keys"),
    (b'{"deck": 1}', "found no parent, operation"),
    (json.dumps(LINE | {"note": 1}).encode(), "unknown key of the line 'note'"),
    (json.dumps(LINE | {"deck": "abc"}).encode(), "deck: found 'abc'"),
    (json.dumps(LINE | {"parent": H + "\n"}).encode(), "parent: found"),
    (json.dumps(LINE | {"operation": "eval"}).encode(), "unknown operation 'eval'.*Valid: swap, "),
    (json.dumps(LINE | {"arguments": []}).encode(), "arguments: found"),
    (json.dumps(LINE | {"seed": 0.5}).encode(), "seed: found 0.5"),
    (json.dumps(LINE | {"seed": -1}).encode(), "seed: found -1"),
    (json.dumps(LINE | {"version": "\x1b[2J"}).encode(), "version: found"),
    (json.dumps(LINE).encode() + b"\n" + json.dumps(LINE).encode(), "2: its parent is not the deck of the line before"),
    (b" " * (lineage.MOST_BYTES + 1), "more than 10,000,000 bytes"),
]


@pytest.mark.parametrize(("content", "said"), BAD_LINES, ids=[str(number) for number in range(len(BAD_LINES))])
def test_a_lineage_that_is_wrong(first: Path, cli: Any, content: bytes, said: str) -> None:
    first.with_name("0.lineage.jsonl").write_bytes(content)
    with pytest.raises(InputError, match=said):
        lineage.read_lineage(first.with_name("0.lineage.jsonl"))
    status, _, err = cli("deck", "edit", "drop", first, "v01", "--out", first.with_name("a.csv"))
    assert status == 2 and "0.lineage.jsonl" in err and len(err.splitlines()) == 1 and len(err) < 500, err
    assert not first.with_name("a.csv").exists()


def test_a_lineage_cannot_speak_to_the_terminal(first: Path, cli: Any) -> None:
    nasty = LINE | {"deck": Deck.shipped().hash, "arguments": {"ids": ["\x1b[2J\x9b\ud800"]}}
    first.with_name("0.lineage.jsonl").write_text(json.dumps(nasty), "utf-8")
    status, out, _ = cli("deck", "edit", "lineage", first)
    assert status == 0 and out.replace("\n", "").isprintable() and "\\u001b[2J\\u009b" in out
    assert cli("deck", "edit", "drop", first, "v01", "--out", first.with_name("a.csv"))[0] == 0
