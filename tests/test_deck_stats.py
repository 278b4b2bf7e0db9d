"""`deck stats`: every count recounted in another way, the shuffled deck by enumeration, the words, the sheet, the faults."""

from __future__ import annotations

import doctest
import itertools
import json
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from svg_checks import FACE, SVG, assert_whole, texts

from veggies_sim.games.veggies.deck import EMPTY, GOODS, SPACES, SYMBOLS, Card, Deck, Face, rotate
from veggies_sim.games.veggies.design import letters
from veggies_sim.games.veggies.design.letters import face_letters
from veggies_sim.games.veggies.design.sheet import bars
from veggies_sim.games.veggies.design.spec import read_spec, unmet
from veggies_sim.games.veggies.design.stats import deck_stats
from veggies_sim.games.veggies.design.stats_drawing import stats_svg

Cli = Callable[..., tuple[int, str, str]]
ROWS: Face = (("grape", "grape", "rat"), ("grape", "empty", "rat"))
CARDS = Path(__file__).parents[1] / "data" / "cards.csv"
FACES = st.tuples(*[st.tuples(*[st.sampled_from(SYMBOLS)] * 3)] * 2)
DECKS = st.lists(st.tuples(FACES, st.integers(1, 5)), min_size=1, max_size=6).map(
    lambda rows: Deck([Card(f"k{number}", face, copies) for number, (face, copies) in enumerate(rows)])
)


def deck_of(*faces: Face) -> Deck:
    return Deck([Card(f"k{number}", face) for number, face in enumerate(faces, 1)])


def mirrored(face: Face) -> Face:
    (a, b, c), (d, e, f) = face
    return (c, b, a), (f, e, d)


def touching_of(face: Face) -> list[str]:
    """Return the goods of touching pairs, found on the grid."""
    at = {(row, col): face[row][col] for row in range(2) for col in range(3)}
    ways = [(at[place], at.get((place[0] + down, place[1] + right))) for place in at for down, right in ((0, 1), (1, 0))]
    return [one for one, other in ways if one == other and one in GOODS]


def test_the_examples_of_letters_are_true() -> None:
    results = doctest.testmod(letters)
    assert results.attempted and not results.failed


# Counts.


def test_a_small_deck_counted_by_hand() -> None:
    stats = deck_stats(Deck([Card("a", ROWS, 3), Card("b", FACE)]))
    assert (stats.cards, stats.faces) == (4, 2)
    assert stats.symbols == {"strawberry": 1, "banana": 1, "grape": 10, "carrot": 1, "mushroom": 1, "empty": 3, "rat": 7}
    assert stats.spaces["grape"] == (3, 3, 1, 3, 0, 0)
    assert stats.spaces["rat"] == (0, 0, 3, 0, 0, 4)
    assert stats.cards_with["rat"] == (0, 1, 3, 0, 0, 0, 0)
    assert stats.cards_with["grape"] == (0, 1, 0, 3, 0, 0, 0)
    assert stats.cards_with["goods"] == (0, 0, 0, 3, 0, 1, 0)
    assert stats.cards_with["kinds"] == (0, 3, 0, 0, 0, 1, 0)
    assert {good: found.pairs for good, found in stats.touching.items()} == dict.fromkeys(GOODS, 0) | {"grape": 6, "all": 6}
    assert stats.together["grape"] == {"strawberry": 1, "banana": 1, "grape": 4, "carrot": 1, "mushroom": 1}
    assert stats.together["banana"]["banana"] == 1
    assert (stats.copies, stats.equal, stats.mirrored) == ({"a": 3}, [], [])
    facts = stats.facts()
    assert facts["symbols"]["rat"] == {"spaces": 7, "share": 7 / 24, "per_card": 1.75}
    assert facts["spaces"]["rat"] == dict(zip(SPACES, (0, 0, 3, 0, 0, 4), strict=True))
    assert facts["touching"]["pairs"] == 28
    assert json.loads(json.dumps(facts))["cards_with"]["rat"] == [0, 1, 3, 0, 0, 0, 0]


@given(DECKS)
@settings(derandomize=True, database=None, max_examples=100)
def test_counts_are_those_of_the_cards_one_by_one(deck: Deck) -> None:
    stats = deck_stats(deck)
    shown = [deck.cards[place].face for place in deck.slots]
    flat = ["".join(face_letters(face).split("/")) for face in shown]
    letter = dict(zip(SYMBOLS, "SBGCM.R", strict=True))
    for symbol in SYMBOLS:
        assert stats.symbols[symbol] == "".join(flat).count(letter[symbol])
        assert stats.spaces[symbol] == tuple(sum(face[k] == letter[symbol] for face in flat) for k in range(6))
        assert stats.cards_with[symbol] == tuple(sum(face.count(letter[symbol]) == n for face in flat) for n in range(7))
    plain = [face.replace(".", "").replace("R", "") for face in flat]
    assert stats.cards_with["goods"] == tuple([*map(len, plain)].count(n) for n in range(7))
    assert stats.cards_with["kinds"] == tuple([len(set(face)) for face in plain].count(n) for n in range(7))
    touching = [good for face in shown for good in touching_of(face)]
    assert {good: found.pairs for good, found in stats.touching.items()} == {
        good: touching.count(good) for good in GOODS
    } | {"all": len(touching)}
    for one, other in itertools.product(GOODS, GOODS):
        assert stats.together[one][other] == sum({letter[one], letter[other]} <= set(face) for face in flat)


def shuffles(symbols: Sequence[str]) -> list[tuple[str, ...]]:
    """Return every order of the symbols, each once: all are equally likely."""
    if not symbols:
        return [()]
    return [(first, *rest) for first in sorted(set(symbols)) for rest in shuffles(_without(symbols, first))]


def _without(symbols: Sequence[str], one: str) -> tuple[str, ...]:
    place = symbols.index(one)
    return (*symbols[:place], *symbols[place + 1 :])


@pytest.mark.parametrize(
    "symbols",
    ["GGGGGG", "GGGBBR", "GGBBCC", "GRRRRR", "......", "GGGGG......R", "GGGBB.......", "GGBBCC......", "GG.........."],
)
def test_the_shuffled_deck_is_that_of_all_shuffles(symbols: str) -> None:
    words = dict(zip("SBGCM.R", SYMBOLS, strict=True))
    every = [[words[letter] for letter in order] for order in shuffles(symbols)]
    decks = [[(tuple(order[k : k + 3]), tuple(order[k + 3 : k + 6])) for k in range(0, len(order), 6)] for order in every]
    found = [[good for face in deck for good in touching_of(face)] for deck in decks]  # type: ignore[arg-type]
    stats = deck_stats(deck_of(*decks[0]))  # type: ignore[arg-type]
    for good, told in stats.touching.items():
        numbers = [len(goods) if good == "all" else goods.count(good) for goods in found]
        mean = sum(numbers) / len(numbers)
        variance = sum((number - mean) ** 2 for number in numbers) / len(numbers)
        assert told.shuffled == pytest.approx(mean, abs=1e-9)
        assert told.sd == pytest.approx(math.sqrt(variance), abs=1e-6)
    with_replacement = 7 * len(decks[0]) * (symbols.count("G") / len(symbols)) ** 2  # the formula that is nearly right
    if 0 < symbols.count("G") < len(symbols):
        assert stats.touching["grape"].shuffled != pytest.approx(with_replacement, rel=0.01)


def test_clustered_goods_are_far_above_the_shuffled_deck() -> None:
    solid = [((good,) * 3, (good,) * 3) for good in GOODS] * 4
    apart = [(("grape", "rat", "grape"), ("rat", "grape", "rat"))] * 20
    high, low = deck_stats(deck_of(*solid)).touching["all"], deck_stats(deck_of(*apart)).touching["all"]
    assert high.pairs == 140 > high.shuffled + 10 * high.sd
    assert low.pairs == 0 < low.shuffled - 4 * low.sd


def test_equal_cards_and_mirror_images() -> None:
    own_image: Face = (("rat", "grape", "rat"), ("empty", "empty", "empty"))
    stats = deck_stats(deck_of(ROWS, own_image, rotate(ROWS, 2), FACE, mirrored(ROWS), rotate(mirrored(ROWS), 2), own_image))  # type: ignore[arg-type]
    assert stats.equal == [("k1", "k3"), ("k2", "k7"), ("k5", "k6")]
    assert {frozenset(pair) for pair in stats.mirrored} == {frozenset({("k1", "k3"), ("k5", "k6")})}


@given(DECKS)
@settings(derandomize=True, database=None, max_examples=30)
def test_a_half_turn_changes_nothing_but_the_spaces_as_typed(deck: Deck) -> None:
    turned = Deck([Card(card.id, rotate(card.face, 2), card.copies) for card in deck.cards])  # type: ignore[arg-type]
    one, other = deck_stats(deck).facts(), deck_stats(turned).facts()
    for symbol in SYMBOLS:
        assert [*one["spaces"][symbol].values()] == [*other["spaces"][symbol].values()][::-1]
    assert {**one, "spaces": 0, "mirrored": 0} == {**other, "spaces": 0, "mirrored": 0}
    assert {frozenset(map(tuple, pair)) for pair in one["mirrored"]} == {frozenset(map(tuple, pair)) for pair in other["mirrored"]}


# The sheet.


def test_the_sheet_shows_every_face_and_the_counts() -> None:
    deck = Deck([Card(f"k{number}", FACE) for number in range(99)] + [Card("<b>&", ROWS, 2)])
    svg = stats_svg(deck, deck_stats(deck))
    assert_whole(svg)
    seen = texts(svg)
    assert {"k0", "k98", "2x <b>&"} <= {*seen}
    for head in ("spaces", "cards by rats", "cards by empties", "cards by spaces with goods", "cards by different goods"):
        assert head in seen
    assert [seen[seen.index("spaces") + 2 * k + 2] for k in range(7)] == ["99", "99", "105", "99", "99", "2", "103"]
    assert "note: the shipped deck is a reconstruction: results are not those of the printed game" in texts(
        stats_svg(Deck.shipped(), deck_stats(Deck.shipped()))
    )


def test_bars_are_as_long_as_their_numbers() -> None:
    root = ElementTree.fromstring(f'<svg xmlns="{SVG[1:-1]}">{bars({"rat": 0, "grape": 50, "3": 100}).body}</svg>')
    widths = [int(box.attrib["width"]) for box in root.iter(f"{SVG}rect")]
    assert widths[0] == 0 and widths[2] == 2 * widths[1] > 0
    assert len({box.attrib["fill"] for box in root.iter(f"{SVG}rect")}) == 3
    assert bars({"rat": 0}).height > 0


# The command.


def test_the_command_prints_tables_and_the_note_apart(cli: Cli) -> None:
    status, out, err = cli("deck", "stats", CARDS)
    assert status == 0
    assert err == "note: the shipped deck is a reconstruction: results are not those of the printed game\n"
    lines = out.splitlines()
    assert lines[0] == f"{CARDS}: 40 cards, 40 faces, 240 spaces"
    counts, shipped = Deck.shipped().counts(), deck_stats(Deck.shipped())
    for symbol in SYMBOLS:
        row = next(line.split() for line in lines[2:] if line.startswith(symbol))
        share, mean = f"{counts[symbol] / 240:.1%}", f"{counts[symbol] / 40:.2f}"
        assert row == [symbol, str(counts[symbol]), share, mean, *(str(n or ".") for n in shipped.spaces[symbol])]
    head, row = next((lines[k], lines[k + 6]) for k in range(len(lines)) if lines[k].startswith("touching"))
    assert head.split() == ["touching", "pairs", "if", "shuffled", "share", "if", "shuffled"]
    found = shipped.touching["all"]
    mean, sd = f"{found.shuffled:.1f}", f"{found.sd:.1f}"
    shares = [f"{number / 280:.1%}" for number in (found.pairs, found.shuffled, found.sd)]
    assert row.split() == ["all", str(found.pairs), mean, "±", sd, *shares[:2], "±", shares[2]]
    assert "Spaces are as typed: after a half-turn r1c1 is r2c3, r1c2 is r2c2 and r1c3 is r2c1." in lines
    assert lines[-3:] == ["copies: every card once", "equal as they lie or after a half-turn: none", "mirror images: none"]
    assert max(map(len, lines)) <= 132


def test_the_command_names_copies_equal_cards_and_mirror_images(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "deck.csv"
    Deck([Card("a", ROWS, 3), Card("b", rotate(ROWS, 2)), Card("c", mirrored(ROWS))]).write_csv(file)  # type: ignore[arg-type]
    _, out, err = cli("deck", "stats", file)
    assert err == ""
    assert out.splitlines()[-3:] == [
        "copies: a (3 copies)", "equal as they lie or after a half-turn: a = b", "mirror images: c and a = b",
    ]  # fmt: skip


def test_json_has_the_same_numbers(cli: Cli) -> None:
    status, out, err = cli("deck", "stats", CARDS, "--json")
    assert status == 0 and err.startswith("note: ")
    assert json.loads(out) == json.loads(json.dumps(deck_stats(Deck.shipped()).facts()))
    assert "unmet" not in json.loads(out)


def test_the_picture_is_written_once(cli: Cli, tmp_path: Path) -> None:
    sheet = tmp_path / "new" / "sheet.svg"
    assert cli("deck", "stats", CARDS, "--picture", sheet)[0] == 0
    assert_whole(first := sheet.read_text(encoding="utf-8"))
    status, out, err = cli("deck", "stats", CARDS, "--picture", sheet)
    assert (status, out) == (2, "") and "exists already" in err
    assert sheet.read_text(encoding="utf-8") == first


def test_the_picture_is_there_before_the_words(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The reader of the words may go, as `head` does: the pictures of commands are there all the same."""
    assert cli("deck", "new", tmp_path / "new.csv")[0] == 0
    commands = {"stats": ["stats", CARDS, "--picture"], "diff": ["diff", CARDS, CARDS, "--picture"],
                "check": ["new", tmp_path / "new.csv", "--check", "--sheet"]}  # fmt: skip
    for name, words in commands.items():
        status, out, err = cli("deck", *words, tmp_path / f"{name} 1.svg")
        assert status == 0 and out and f": {tmp_path / name} 1.svg\n" in err

    def closed(*_: object, file: object = None, **__: object) -> None:
        if file is None:
            raise BrokenPipeError

    monkeypatch.setattr("builtins.print", closed)
    for name, words in commands.items():
        assert cli("deck", *words, tmp_path / f"{name} 2.svg")[:2] == (0, "")
        assert (tmp_path / f"{name} 1.svg").read_bytes() == (tmp_path / f"{name} 2.svg").read_bytes()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "the following arguments are required: FILE"),
        (["absent.csv"], "absent.csv"),
        (["bad.csv"], "did you mean 'grape'?"),
        (["good.csv", "--picture", "sheet.png"], "found the ending '.png'; a picture is .svg."),
        (["good.csv", "--picture", "good.csv/sheet.svg"], "can't be written"),
        (["good.csv", "--picture", ""], "give a path"),
        (["good.csv", "--pic", "sheet.svg"], "unrecognized arguments: --pic"),
    ],
)
def test_bad_arguments_are_one_message(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Deck([Card("a", ROWS)]).write_csv("good.csv")
    Path("bad.csv").write_text(Path("good.csv").read_text("utf-8").replace("grape", "grappe"), encoding="utf-8")
    status, out, err = cli("deck", "stats", *words)
    assert (status, out) == (2, "")
    assert said in err and "Traceback" not in err
    assert {file.name for file in tmp_path.iterdir()} == {"good.csv", "bad.csv"}


def test_a_deck_without_goods_has_its_zeros(cli: Cli, tmp_path: Path) -> None:
    bare: Face = ((EMPTY,) * 3, (EMPTY,) * 3)
    Deck([Card("a", bare)]).write_csv(tmp_path / "bare.csv")
    status, out, _ = cli("deck", "stats", tmp_path / "bare.csv")
    assert status == 0
    assert "0.0 ± 0.0" in out
    assert_whole(stats_svg(deck_of(bare), deck_stats(deck_of(bare))))


# The wish list.


def test_wishes_that_are_met_and_wishes_that_are_not(cli: Cli, tmp_path: Path) -> None:
    met, others = tmp_path / "met.toml", tmp_path / "unmet.toml"
    met.write_text("cards = 40\n[symbols]\nrat = 24\n", encoding="utf-8")
    others.write_text("cards = 39\n[symbols]\nrat = [30, 40]\n", encoding="utf-8")
    status, out, _ = cli("deck", "stats", CARDS, "--wishes", met)
    assert status == 0 and out.endswith("\n\nwishes: all met\n")
    assert json.loads(cli("deck", "stats", CARDS, "--wishes", met, "--json")[1])["unmet"] == []
    status, out, _ = cli("deck", "stats", CARDS, "--wishes", others)
    said = read_spec(others).faults(Deck.shipped())
    assert status == 0 and out.splitlines()[-3:] == ["wishes not met:", *(f"  {line}" for line in said)]
    assert len(said) == 2 and "24" in out.splitlines()[-1] and "30" in out.splitlines()[-1]
    assert json.loads(cli("deck", "stats", CARDS, "--wishes", others, "--json")[1])["unmet"] == said


def test_what_the_file_does_not_state_is_no_wish(tmp_path: Path) -> None:
    wishes, deck = tmp_path / "wishes.toml", Deck([Card("a", ROWS, 1000), Card("b", ROWS, 500)])
    for text, said in (
        ("", []),
        ("[symbols]\nrat = 3000\n", []),
        ("[clusters]\ntouching = 0.28\n", ["[clusters] touching, in pairs: found 3000; wished 2940"]),
        ("cards = 1", ["cards: found 1500; wished 1"]),
        ('duplicates = "none"', ["duplicates: 1499 of 1500 cards repeat another; wished none"]),
    ):
        wishes.write_text(text, encoding="utf-8")
        assert unmet(wishes, deck) == said


@pytest.mark.parametrize("text", ["cards = ", "crads = 40", "cards = 0", None])
def test_bad_wishes_print_no_counts_and_draw_nothing(cli: Cli, tmp_path: Path, text: str | None) -> None:
    wishes, sheet = tmp_path / "wishes.toml", tmp_path / "sheet.svg"
    if text is not None:
        wishes.write_text(text, encoding="utf-8")
    status, out, err = cli("deck", "stats", CARDS, "--wishes", wishes, "--picture", sheet)
    assert (status, out) == (2, "") and "wishes.toml" in err and "Traceback" not in err
    assert not sheet.exists()
