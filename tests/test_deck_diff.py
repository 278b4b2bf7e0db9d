"""`deck diff`: cards are found again after any shuffle and turn, pairings are the best there are, and what is said of them."""

from __future__ import annotations

import itertools
import json
import random
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from svg_checks import SVG, assert_whole, texts

from veggies_sim.core.errors import InputError
from veggies_sim.core.svg import MARK
from veggies_sim.games.veggies.deck import SPACES, SYMBOLS, Card, Deck, Face
from veggies_sim.games.veggies.design import diff as diff_module
from veggies_sim.games.veggies.design.diff import FAR, DeckDiff, changed_cards, diff_decks
from veggies_sim.games.veggies.design.diff_drawing import diff_svg

Cli = Callable[..., tuple[int, str, str]]
LETTERS = dict(zip("SBGCM.R", SYMBOLS, strict=True))
# Few symbols: many cards are equal or near.
FEW = st.tuples(*[st.tuples(*[st.sampled_from(("grape", "rat"))] * 3)] * 2)
MANY = st.tuples(*[st.tuples(*[st.sampled_from(SYMBOLS)] * 3)] * 2)


def face(letters: str) -> Face:
    a, b, c, d, e, f = (LETTERS[letter] for letter in letters.replace("/", ""))
    return (a, b, c), (d, e, f)


def deck(*rows: str) -> Deck:
    """Return a deck from rows such as `a SSS/SSS` or `a SSS/SSS 3`."""
    cells = [row.split() for row in rows]
    return Deck([Card(card, face(letters), int(copies[0]) if copies else 1) for card, letters, *copies in cells])


def decks(faces: st.SearchStrategy[Face], most: int, copies: int = 3) -> st.SearchStrategy[Deck]:
    return st.lists(st.tuples(faces, st.integers(1, copies)), min_size=1, max_size=most).map(
        lambda rows: Deck([Card(f"k{number}", shown, copies) for number, (shown, copies) in enumerate(rows)])
    )


def half_turned(card: Card) -> Card:
    (a, b, c), (d, e, f) = card.face
    return replace(card, face=((f, e, d), (c, b, a)))


def apart(one: Face, other: Face) -> int:
    ways = [other, half_turned(Card("", other)).face]
    return min(sum(x != y for x, y in zip(sum(one, ()), sum(way, ()), strict=True)) for way in ways)


def tangled(old: Deck, seed: int) -> Deck:
    """Return the same cards, shuffled, some of them half-turned."""
    draw = random.Random(seed)
    cards = [half_turned(card) if draw.random() < 0.5 else card for card in old.cards]
    draw.shuffle(cards)
    return Deck(cards)


def far_cards() -> list[Card]:
    """Return cards of the shipped deck of which any two differ in 3 spaces or more."""
    kept: list[Card] = []
    for card in Deck.shipped().cards:
        if all(apart(card.face, other.face) >= 3 for other in kept):
            kept.append(card)
    return kept


def with_changes(cards: list[Card], number: int, draw: random.Random) -> tuple[list[Card], dict[str, tuple[str, str]]]:
    """Return the cards with one space changed on so many of them, and id -> old and new symbol."""
    cards, changes = [*cards], {}
    for place in draw.sample(range(len(cards)), number):
        card, space = cards[place], draw.randrange(6)
        flat = [*card.face[0], *card.face[1]]
        new = draw.choice([symbol for symbol in SYMBOLS if symbol != flat[space]])
        changes[card.id] = flat[space], new
        flat[space] = new
        cards[place] = replace(card, face=((flat[0], flat[1], flat[2]), (flat[3], flat[4], flat[5])))
    return cards, changes


def cost(diff: DeckDiff) -> int:
    """Return the sum of d over all cards, FAR for each that has no pair but could have."""
    lost = min(sum(card.copies for card in cards) for cards in (diff.removed, diff.added))
    return sum(pair.copies * len(pair.spaces) for pair in diff.changed) + FAR * lost


# What is found.


@given(st.one_of(decks(FEW, 8), decks(MANY, 8)), st.integers(0, 1000))
@settings(derandomize=True, database=None, deadline=None, max_examples=100)
def test_a_deck_has_no_differences_from_itself_shuffled_and_turned(old: Deck, seed: int) -> None:
    same = diff_decks(old, old)
    assert same.alike and not same.renamed and not same.turned and not any(same.symbols.values())
    other = diff_decks(old, tangled(old, seed))
    assert other.alike and not other.renamed
    assert sum(pair.copies for pair in other.same) == len(old)
    assert changed_cards(old, tangled(old, seed)) == []


@given(st.integers(0, 40), st.integers(0, 10**6))
@settings(derandomize=True, database=None, deadline=None, max_examples=60)
def test_changed_spaces_are_found_in_a_shuffled_deck(number: int, seed: int) -> None:
    cards = far_cards()
    number = min(number, len(cards))
    edited, changes = with_changes(cards, number, random.Random(seed))
    old, new = Deck(cards), tangled(Deck(edited), seed)
    diff = diff_decks(old, new)
    assert {pair.old.id: [*pair.spaces.values()] for pair in diff.changed} == {card: [both] for card, both in changes.items()}
    assert all(pair.old.id == pair.new.id for pair in (*diff.same, *diff.changed))
    assert (diff.removed, diff.added) == ((), ())
    assert changed_cards(old, new) == [card for card in new.cards if card.id in changes]


def test_matching_by_place_would_find_other_changes() -> None:
    """Negative control: what the test above asserts is false of a pairing by the place in the file."""
    cards = far_cards()
    edited, changes = with_changes(cards, 5, random.Random(1))
    new = tangled(Deck(edited), 1)
    by_place = {one.id for one, other in zip(cards, new.cards, strict=True) if apart(one.face, other.face)}
    assert len(cards) >= 30 and len(by_place) > 20 > len(changes)
    assert {pair.old.id for pair in diff_decks(Deck(cards), new).changed} == changes.keys() != by_place


@given(st.one_of(st.tuples(decks(FEW, 3, 2), decks(FEW, 3, 2)), st.tuples(decks(MANY, 3, 2), decks(MANY, 3, 2))))
@settings(derandomize=True, database=None, deadline=None, max_examples=150)
def test_no_pairing_changes_less(both: tuple[Deck, Deck]) -> None:
    old, new = both
    few, many = sorted(([deck.cards[place].face for place in deck.slots] for deck in both), key=len)
    every = itertools.permutations(many, len(few))
    best = min(sum(min(apart(a, b), FAR) for a, b in zip(few, order, strict=True)) for order in every)
    assert cost(diff_decks(old, new)) == best


@given(decks(FEW, 8), decks(FEW, 8))
@settings(derandomize=True, database=None, deadline=None, max_examples=150)
def test_every_card_goes_one_way(old: Deck, new: Deck) -> None:
    diff = diff_decks(old, new)
    pairs = (*diff.same, *diff.changed)
    for deck_, ends in (
        (old, [*((pair.old.id, pair.copies) for pair in pairs), *((card.id, card.copies) for card in diff.removed)]),
        (new, [*((pair.new.id, pair.copies) for pair in pairs), *((card.id, card.copies) for card in diff.added)]),
    ):
        told: Counter[str] = Counter()
        for card, copies in ends:
            assert copies > 0
            told[card] += copies
        assert told == {card.id: card.copies for card in deck_.cards}
    for pair in diff.changed:
        assert 0 < len(pair.spaces) == apart(pair.old.face, pair.new.face) < FAR
        for space, (_, symbol) in pair.spaces.items():
            assert pair.new.face[SPACES.index(space) // 3][SPACES.index(space) % 3] == symbol
    assert diff.alike == (not changed_cards(old, new) and not diff.removed)
    again = Counter({card.id: card.copies for card in changed_cards(old, new)})
    assert len(new) == sum(pair.copies for pair in diff.same) + again.total()


def test_the_spaces_are_those_of_the_new_card() -> None:
    (pair,) = diff_decks(deck("a SBG/CM."), deck("a RMC/GBS")).changed
    assert pair.turned
    assert pair.spaces == {"r1c1": ("empty", "rat")}
    assert pair.before.face == face(".MC/GBS")


def test_equal_ids_decide_between_pairings_that_are_equally_good() -> None:
    for rows in (("a SSS/GGG", "b SSS/GGG"), ("b SSS/GGG", "a SSS/GGG")):
        diff = diff_decks(deck(*rows), deck("b SSR/GGG", "a SSS/GG."))
        assert {pair.name for pair in diff.changed} == {"a", "b"}
    crossed = diff_decks(deck("a SSS/SSS", "b CCC/CCC"), deck("a CCC/CCR", "b SSS/SSR"))
    assert {pair.name for pair in crossed.changed} == {"a -> b", "b -> a"}  # fewer spaces come first


def test_more_than_three_spaces_make_another_card() -> None:
    three, four = (diff_decks(deck("a SSS/GGG"), deck(f"a {new}")) for new in ("RRR/GGG", "RRR/RGG"))
    assert [len(pair.spaces) for pair in three.changed] == [3]
    assert four.changed == ()
    assert [card.id for card in four.removed] == [card.id for card in four.added] == ["a"]


def test_a_card_far_from_all_costs_no_more_than_four_spaces() -> None:
    """One card kept near and one replaced (1 + FAR), rather than both changed in 3 spaces; by plain sums it is 1 + 6 to 3 + 3."""
    diff = diff_decks(deck("a SGB/GGG", "b BGC/CGC"), deck("c BGB/GGG", "d SCS/GSG"))
    assert [pair.name for pair in diff.changed] == ["a -> c"]
    assert [card.id for card in (*diff.removed, *diff.added)] == ["b", "d"]


def test_of_equal_cards_those_that_lie_alike_are_paired() -> None:
    diff = diff_decks(deck("a SBG/CMR", "b RMC/GBS"), deck("c RMC/GBS", "d SBG/CMR"))
    assert {pair.name for pair in diff.renamed} == {"a -> d", "b -> c"}
    assert diff.turned == []


def test_copies_are_cards() -> None:
    diff = diff_decks(deck("a SSS/GGG 3", "b BBB/BBB 2"), deck("a SSS/GGG 2", "b BBB/BBB", "c BBB/BBR 4"))
    assert [(pair.name, pair.copies) for pair in diff.same] == [("2x a", 2), ("b", 1)]
    assert [pair.name for pair in diff.changed] == ["b -> c"]
    assert [(card.id, card.copies) for card in (*diff.removed, *diff.added)] == [("a", 1), ("c", 3)]
    assert diff.symbols == dict.fromkeys(SYMBOLS, 0) | {"strawberry": -3, "grape": -3, "banana": 14, "rat": 4}
    assert changed_cards(diff.old, diff.new) == [Card("c", face("BBB/BBR"), 4)]


# Size.


def test_large_decks_do_not_hang() -> None:
    draw = random.Random(5)
    shown = [face("".join(draw.choices("SBGCM.R", k=6))) for _ in range(2000)]
    many = Deck([Card(f"k{n}", shown[n], 30) for n in range(1000)])
    start = time.perf_counter()
    assert diff_decks(many, tangled(many, 1)).alike
    once, others = ([Card(f"k{n}", shown[first + n]) for n in range(1000)] for first in (0, 1000))
    assert len(diff_decks(Deck(once), Deck(others)).changed) > 500
    fewer = diff_decks(many, Deck([replace(card, copies=29) for card in many.cards]))
    assert sum(card.copies for card in fewer.removed) == 1000
    assert time.perf_counter() - start < 30  # about a second; a pairing of all with all would take hours and gigabytes
    with pytest.raises(InputError, match=r"too little in common.*30,000 cards of the old one and 1,000"):
        diff_decks(Deck([Card(f"k{n}", face("RRR/RRR"), 1000) for n in range(30)]), deck("a SSS/SSS 1000"))


def test_the_bound_counts_pairs_of_unequal_cards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(diff_module, "MOST_PAIRS", 4)
    old = deck("a SSS/SSS 9", "b BBB/BBB 2")
    assert len(diff_decks(old, deck("a SSS/SSS 9", "b BBB/BBR 2")).changed) == 1
    with pytest.raises(InputError, match="at most 4 pairs"):
        diff_decks(old, deck("a SSS/SSS 9", "b BBB/BBR 3"))


# The sheet and the command.

OLD = ("same SBG/CMR", "spin SSS/GGG", "edit CCC/MM.", "lost BBB/BBB 2", "name RRR/SG.")
NEW = ("new<1> GCG/CGC", "edit C.C/MMR", "title RRR/SG.", "spin GGG/SSS", "same SBG/CMR")


def test_the_sheet_shows_both_faces_and_outlines_what_changed() -> None:
    svg = diff_svg(diff_decks(deck(*OLD), deck(*NEW)), "old -> new")
    assert_whole(svg)
    assert texts(svg)[:32] == [
        "old -> new", "3 unchanged (1 renamed, 1 turned), 1 changed, 2 removed, 1 added",
        "changed, 1 card", *"CCCMM.", "→", *"C.CMMR", "edit",
        "removed, 2 cards", *"BBBBBB", "2x lost", "added, 1 card", *"GCGCGC",
    ]  # fmt: skip
    assert "new<1>" in texts(svg)
    marks = [box for box in ElementTree.fromstring(svg).iter(f"{SVG}rect") if box.get("stroke") == MARK]
    assert sorted((box.get("x"), box.get("y")) for box in marks) == [("30", "2")] * 2 + [("58", "30")] * 2


def test_the_sheet_of_equal_decks_and_of_a_made_one() -> None:
    assert texts(diff_svg(diff_decks(deck(*OLD), deck(*OLD)), "t"))[:2] == ["t", "no differences"]
    shipped = Deck.shipped()
    svg = diff_svg(diff_decks(shipped, Deck(shipped.cards[1:])), "t")
    assert "results are not those of the printed game" in " ".join(texts(svg))
    assert_whole(svg)


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    deck(*OLD).write_csv("old.csv")
    deck(*NEW).write_csv("new.csv")
    return tmp_path


def test_the_command_tells_each_card(cli: Cli, files: Path) -> None:
    assert cli("deck", "diff", "old.csv", "new.csv") == (0, "\n".join([
        "old.csv -> new.csv: 6 -> 5 cards",
        "3 unchanged (1 renamed, 1 turned), 1 changed, 2 removed, 1 added",
        "changed  edit: r1c2 carrot -> empty, r2c3 empty -> rat",
        "removed  2x lost: BBB/BBB",
        "added    new<1>: GCG/CGC",
        "renamed  name -> title",
        "turned   spin",
        "symbols  banana -12, grape +3, carrot +2, rat +1",
        "",
    ]), "")  # fmt: skip


def test_the_command_says_where_nothing_changed(cli: Cli, files: Path) -> None:
    assert cli("deck", "diff", "old.csv", "old.csv") == (0, "no differences\n", "")
    deck(*OLD[::-1]).write_csv("again.csv")
    _, out, _ = cli("deck", "diff", "old.csv", "again.csv")
    assert out.splitlines()[1:] == [
        "6 unchanged (0 renamed, 0 turned), 0 changed, 0 removed, 0 added",
        "only the order of the rows differs: the same seed deals the cards in another order",
        "symbols  as many of each as before",
    ]


def test_json_has_the_same(cli: Cli, files: Path) -> None:
    status, out, err = cli("deck", "diff", "old.csv", "new.csv", "--json")
    assert (status, err) == (0, "")
    facts = json.loads(out)
    assert facts == diff_decks(deck(*OLD), deck(*NEW)).facts()
    assert facts["changed"] == [{
        "old": "edit", "new": "edit", "copies": 1, "turned": False,
        "spaces": {"r1c2": {"old": "carrot", "new": "empty"}, "r2c3": {"old": "empty", "new": "rat"}},
    }]  # fmt: skip
    assert (facts["equal"], facts["unchanged"], facts["cards"]) == (False, 3, {"old": 6, "new": 5})
    assert facts["removed"] == [{"id": "lost", "copies": 2, "face": "BBB/BBB"}]
    assert json.loads(cli("deck", "diff", "old.csv", "old.csv", "--json")[1])["equal"] is True


def test_the_note_of_the_new_deck_is_said(cli: Cli, files: Path) -> None:
    Deck.shipped().write_csv("shipped.csv")
    assert cli("deck", "diff", "old.csv", "shipped.csv")[2].startswith("note: the shipped deck is a reconstruction")


def test_the_picture_is_written_once(cli: Cli, files: Path) -> None:
    assert cli("deck", "diff", "old.csv", "new.csv", "--picture", "a/b.svg")[0] == 0
    assert_whole(first := Path("a/b.svg").read_text(encoding="utf-8"))
    status, out, err = cli("deck", "diff", "old.csv", "old.csv", "--picture", "a/b.svg")
    assert (status, out) == (2, "") and "exists already" in err
    assert Path("a/b.svg").read_text(encoding="utf-8") == first


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["old.csv"], "the following arguments are required: NEW"),
        (["old.csv", "absent.csv"], "absent.csv"),
        (["absent.csv", "old.csv"], "absent.csv"),
        (["old.csv", "bad.csv"], "bad.csv:2, column copies: found '0'"),
        (["old.csv", "new.csv", "--picture", "sheet.pdf"], "found the ending '.pdf'; a picture is .svg."),
        (["old.csv", "new.csv", "new.csv"], "unrecognized arguments: new.csv"),
    ],
)
def test_bad_arguments_are_one_message(cli: Cli, files: Path, words: list[str], said: str) -> None:
    Path("bad.csv").write_text(Path("old.csv").read_text("utf-8").replace("same,1", "same,0"), encoding="utf-8")
    status, out, err = cli("deck", "diff", *words)
    assert (status, out) == (2, "")
    assert said in err and "Traceback" not in err
    assert {file.name for file in files.iterdir()} == {"old.csv", "new.csv", "bad.csv"}
