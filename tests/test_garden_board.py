"""Board files of Veggie Garden: what is read, what is refused and how, and the way of a board through a dataset."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import veggies_sim as vs
from veggies_sim.games.veggie_garden.board import KINDS, Board

Cli = Callable[..., tuple[int, str, str]]
FULL = """\
kinds = ["tomato", "Cabbage", "carrot", "pea", "pepper"]
copies = [12, 12, 12, 12, 12, 13]
posts = [4, 4, 4, 2, 2, 2, 2, 1, 1, 1, 1, 4]
bunny = false
groundhog = "random"
"""


def of(text: str) -> Board:
    """Read a board from text."""
    return Board.of(tomllib.loads(text))


def test_a_full_board() -> None:
    board = of(FULL)
    assert board.kinds == "cabbage+carrot+pea+pepper+tomato" and board.copies == "12,12,12,12,12,13"
    assert (board.posts, board.bunny, board.groundhog) == ("1,1,1,1,2,2,2,2,4,4,4,4", "off", "random")


def test_what_is_left_out_is_as_in_the_printed_game() -> None:
    assert of("") == Board() == vs.VeggieGarden.read_setup(None) and vs.VeggieGarden.is_shipped(of("copies = 14"))
    assert not vs.VeggieGarden.is_shipped(of("copies = 13"))


SAME = [
    ('kinds = "draw"', 'kinds = ["draw"]', 'kinds = " DRAW "'),
    ('kinds = "pea+carrot+cabbage+tomato+potato"', 'kinds = ["pea", "carrot", "cabbage", "tomato", "potato"]',
     'kinds = "pea,carrot, cabbage,tomato,potato"'),
    ("copies = {potato = 8}", "copies = [14, 14, 14, 14, 8, 14]"),
    ("copies = 13", "copies = [13, 13, 13, 13, 13, 13]", 'copies = "13"', 'copies = "13,13,13,13,13,13"'),
    ("copies = [9,9,9,9,9,40]", 'copies = "9,9,9,9,9,40"',
     "[copies]\ntomato = 40\ncabbage = 9\ncarrot = 9\npea = 9\npepper = 9\npotato = 9"),
    ("posts = [1,2,3,4,5,6,7,8,9,10,11,12]", "posts = [12,11,10,9,8,7,6,5,4,3,2,1]", 'posts = "1,2,3,4,5,6,7,8,9,10,11,12"'),
    ("bunny = true", 'bunny = "on"'),
    ("groundhog = false", 'groundhog = "off"'),
]  # fmt: skip


@pytest.mark.parametrize("texts", SAME, ids=lambda texts: texts[0])
def test_ways_to_say_the_same(texts: tuple[str, ...]) -> None:
    assert len({of(text) for text in texts}) == 1


@pytest.mark.parametrize("text", ["", FULL, *(text for texts in SAME for text in texts)])
def test_the_canonical_text_reads_back(text: str) -> None:
    board = of(text)
    assert of(board.to_toml()) == board and of(board.to_toml()).to_toml() == board.to_toml()


REFUSED = [
    ("kind = 1", "Did you mean 'kinds'"),
    ('kinds = ["carot", "pea", "pepper", "potato", "tomato"]', "Did you mean 'carrot'"),
    ('kinds = ["pea", "pepper", "potato", "tomato"]', "found 4 kinds"),
    ('kinds = ["pea", "pea", "pepper", "potato", "tomato"]', "more than once: pea"),
    ('kinds = ["pea", "pea", "carrot", "pepper", "potato", "tomato"]', "different"),
    ('kinds = ["draw", "pea"]', "kinds"),
    ("kinds = []", "kinds"),
    ("kinds = 5", "Valid: cabbage"),
    ("copies = 0", "from 1 to 40"),
    ("copies = 41", "from 1 to 40"),
    ("copies = 1.5", "whole number"),
    ("copies = true", "whole number"),
    ("copies = [1, 2]", "found 2 numbers"),
    ("copies = [1, 2, 3, 4, 5, 41]", "from 0 to 40"),
    ("copies = [1, 2, 3, 4, 5, [6]]", "whole number"),
    ("[copies]\npea = 41", "copies, pea: found 41"),
    ('posts = "1-2-4"', "12 whole numbers from 0 to 20, as a list or joined by commas"),
    ("[copies]\npeas = 1", "Did you mean 'pea'"),
    ("posts = [1]", "found 1 numbers"),
    ("posts = [0,0,0,0,0,0,0,0,0,0,0,21]", "from 0 to 20"),
    ("posts = [0,0,0,0,0,0,0,0,0,0,0,-1]", "from 0 to 20"),
    ("posts = {}", "posts"),
    ('bunny = "yes"', "on or off"),
    ("bunny = 1", "on or off"),
    ("groundhog = true", "policy or random or off"),
    ('groundhog = "chance"', "policy or random or off"),
    ("groundhog = 1979-05-27", "policy or random or off"),
    ("bunny = []", "on or off"),
    ("groundhog = {}", "policy or random or off"),
]


@pytest.mark.parametrize(("text", "said"), REFUSED, ids=[text for text, _ in REFUSED])
def test_a_wrong_board_is_refused(text: str, said: str) -> None:
    with pytest.raises(vs.InputError, match=said) as refusal:
        of(text)
    assert str(refusal.value).endswith(".")


def test_every_fault_is_told_at_once() -> None:
    with pytest.raises(vs.InputError) as refusal:
        of('foo = 1\nkinds = ["carot", "pee"]\nposts = [1]\nbunny = 1\ngroundhog = 1\n[copies]\npotaro = 8\npea = 99')
    head, *faults = str(refusal.value).splitlines()
    assert head == "board: 8 faults; mend these:" and len(faults) == 8
    for word in ("'foo'", "'carot'", "'pee'", ", posts", ", bunny", ", groundhog", "'potaro'", "copies, pea: found 99"):
        assert sum(word in fault.split("Valid")[0] for fault in faults) == 1, word


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.dates() | st.sampled_from(["on", "1,2"]),
    lambda inner: st.lists(inner, max_size=13) | st.dictionaries(st.sampled_from([*KINDS, "x"]), inner, max_size=6),
    max_leaves=14,
)
KEYS = st.sampled_from(["kinds", "copies", "posts", "bunny", "groundhog"])


@settings(max_examples=150, deadline=None)
@given(st.dictionaries(KEYS, VALUES, max_size=5) | VALUES)
def test_no_table_breaks_the_reader(table: Any) -> None:
    """A board or a refusal, and a board is one that reads back."""
    try:
        board = Board.of(table)
    except vs.InputError as refusal:
        assert all(0 < len(line) < 600 for line in str(refusal).split("\n"))
    else:
        assert of(board.to_toml()) == board


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(["kinds", "copies", "posts", "bunny", "groundhog"]), VALUES)
def test_no_value_breaks_the_rules(key: str, value: Any) -> None:
    try:
        game = vs.VeggieGarden(2, rules={key: value})
    except vs.InputError as refusal:
        assert key in str(refusal)
    else:
        assert vs.VeggieGarden(2, game.setup, game.rules).rules == game.rules


FILES = {
    "empty": (b"", None),
    "byte order mark": (b"\xef\xbb\xbfcopies = 13\r\n", None),
    "no TOML": (b"copies: 13", "this is no TOML"),
    "a table": (b"kind,copies\npea,13\n", "this is no TOML"),
    "twice": (b"copies = 13\ncopies = 14", "this is no TOML"),
    "UTF-16": ("copies = 13".encode("utf-16"), "UTF-8"),
    "nul": (b"\0\0\0", "this is no TOML"),
    "deep": (b"copies = " + b"[" * 100_000, "copies|nested|TOML"),
    "large": (b"#" * 1_100_000, "bytes"),
    "long number": (b"copies = " + b"9" * 4000, "a number of|TOML|copies"),
    "longer number": (b"copies = " + b"9" * 9000, "thousands of digits"),
    "long word": (b'bunny = "' + b"on" * 100_000 + b'"', "on or off"),
    "odd letters": ("kinds = \"pea+карота+pepper+potato+tomato\"".encode(), "Valid: cabbage"),
}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_odd_files(name: str, tmp_path: Path, cli: Cli) -> None:
    raw, said = FILES[name]
    file = tmp_path / "board.toml"
    file.write_bytes(raw)
    if said is None:
        assert isinstance(Board.read_toml(file), Board)
        return
    with pytest.raises(vs.InputError, match=said) as refusal:
        Board.read_toml(file)
    assert str(file) in str(refusal.value) and len(str(refusal.value)) < 700
    status, out, err = cli("simulate", "--game", "veggie-garden", "--deck", file, "--out", tmp_path / "run")
    assert status == 2 and not out and "Traceback" not in err and not (tmp_path / "run").exists()


def test_a_path_may_be_text(tmp_path: Path) -> None:
    (tmp_path / "my.toml").write_text("copies = 13", encoding="utf-8")
    assert vs.Board.read_toml(str(tmp_path / "my.toml")) == Board(copies=13)
    with pytest.raises(vs.InputError, match="give a path"):
        vs.Board.read_toml(7)  # type: ignore[arg-type]


def test_places_that_hold_no_board(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none.toml"):
        with pytest.raises(vs.InputError, match=path.name):
            Board.read_toml(path)
    with pytest.raises(vs.InputError, match=r"Board\.read_toml"):
        vs.VeggieGarden(2, "board.toml")  # type: ignore[arg-type]


def test_deck_check(tmp_path: Path, cli: Cli) -> None:
    file = tmp_path / "board.toml"
    file.write_text(FULL, encoding="utf-8")
    status, out, _ = cli("deck", "check", file, "--game", "veggie-garden")
    assert status == 0 and "no faults" in out and "copies: 12,12,12,12,12,13" in out
    assert '"groundhog": "random"' in cli("deck", "check", file, "--game", "veggie-garden", "--json")[1]
    assert "cards in play, at least: 61" in out  # all but the potatoes: 4 x 12 + 13
    file.write_text("copies = 99", encoding="utf-8")
    status, out, err = cli("deck", "check", file, "--game", "veggie-garden")
    assert status == 2 and not out and f"{file}, copies: found 99" in err
    assert "groundhog" in cli("deck", "check", "--help")[1]


@pytest.mark.parametrize(
    ("text", "cards", "enough"),
    [("", 70, [2, 3, 4]), ("copies = 10", 50, [2, 3]), ("copies = 4", 20, []), ("copies = [8, 8, 8, 8, 8, 40]", 40, [2])],
)
def test_who_can_play(text: str, cards: int, enough: list[int]) -> None:
    facts = vs.VeggieGarden.describe_setup(of(text))
    assert facts["cards in play, at least"] == cards and facts["enough for players"] == enough
    assert facts["cards needed"] == {"2 players": 36, "3 players": 44, "4 players": 52}
    for players in (2, 3, 4):
        if players in enough:
            vs.VeggieGarden(players, of(text))
        else:
            with pytest.raises(vs.InputError, match=f"{cards} cards in play"):
                vs.VeggieGarden(players, of(text))


def test_a_kind_in_play_without_cards_is_a_fault(tmp_path: Path, cli: Cli) -> None:
    file = tmp_path / "board.toml"
    for text, said in (("", "no cards of pea, pepper,"), ('kinds = "pea+carrot+cabbage+tomato+potato"', "no cards of pea,")):
        file.write_text(f"{text}\ncopies = {{pea = 0, pepper = 0}}", encoding="utf-8")
        status, out, err = cli("deck", "check", file, "--game", "veggie-garden")
        assert status == 2 and not out and said in err
    file.write_text('kinds = "tomato+carrot+cabbage+pepper+potato"\ncopies = {pea = 0}', encoding="utf-8")
    assert cli("deck", "check", file, "--game", "veggie-garden")[0] == 0


def test_the_board_of_the_docs_is_the_default() -> None:
    text = (Path(__file__).parents[1] / "docs" / "veggie_garden.md").read_text(encoding="utf-8")
    assert text.split("```toml\n")[1].split("```")[0] == Board().to_toml()


def test_rules_go_before_the_board() -> None:
    game = vs.VeggieGarden(2, of(FULL), {"copies": 13}, bunny="on")
    assert game.setup == Board("cabbage+carrot+pea+pepper+tomato", 13, "1,1,1,1,2,2,2,2,4,4,4,4", "on", "random")
    assert [game.rules[key] for key in ("copies", "bunny", "groundhog")] == [13, "on", "random"]


def test_the_arithmetic_of_a_deck_that_is_too_small() -> None:
    with pytest.raises(vs.InputError, match=r"50 cards in play, but 4 players need 20 \+ 8n = 20 \+ 8 x 4 = 52"):
        vs.VeggieGarden(4, of("copies = 10"))
    assert vs.VeggieGarden(3, of("copies = 10")).setup.copies == 10
    with pytest.raises(vs.InputError, match="40 cards in play"):  # the fullest kind may be the one that is drawn out
        vs.VeggieGarden(3, of("copies = [8, 8, 8, 8, 8, 40]"))


def test_a_board_goes_through_a_dataset(tmp_path: Path, cli: Cli) -> None:
    file, out = tmp_path / "mine.toml", tmp_path / "run"
    file.write_text(FULL, encoding="utf-8")
    words = ("simulate", "--game", "veggie-garden", "--policy", "random", "--games", 60, "--seed", 4, "--record", "moves")
    status, _, err = cli(*words, "--deck", file, "--rule", "bonus=7", "--rule", "bunny=on", "--out", out)
    assert status == 0, err
    assert (out / "board.toml").read_text(encoding="utf-8") == vs.VeggieGarden(3, of(FULL), bunny="on").setup_text()
    run = vs.open_dataset(out)
    assert run.game.setup == of(FULL.replace("false", "true")) and (run.game.rules["bonus"], run.game.rules["bunny"]) == (7, "on")
    again = vs.simulate(run.game, "random", 60, seed=4, jobs=1, record="moves")
    assert all(run.table(name).equals(again.table(name)) for name in run.columns)
    status, _, err = cli("rerun", out, "--out", tmp_path / "again")
    assert status == 0, err
    rerun = vs.open_dataset(tmp_path / "again")
    assert all(run.table(name).equals(rerun.table(name)) for name in run.columns)


def test_a_changed_board_in_a_dataset_is_noticed(tmp_path: Path) -> None:
    vs.simulate(vs.VeggieGarden(2), "random", 5, seed=1, jobs=1, out=tmp_path / "run")
    (tmp_path / "run/board.toml").write_text(Board(copies=15).to_toml(), encoding="utf-8")
    with pytest.raises(vs.InputError, match=r"board\.toml"):
        vs.open_dataset(tmp_path / "run")


def test_going_on_with_another_board_is_refused(tmp_path: Path, cli: Cli) -> None:
    out, other = tmp_path / "run", tmp_path / "other.toml"
    other.write_text("groundhog = false\n", "utf-8")
    play = ("simulate", "--game", "veggie-garden", "--policy", "random", "--out", out)
    assert cli(*play, "--games", 20, "--seed", 1)[0] == 0
    status, _, err = cli(*play, "--resume", "--games", 40, "--deck", other)
    assert status == 2 and "not played with" in err and vs.open_dataset(out).manifest.games == 20
    assert cli(*play, "--resume", "--games", 40)[0] == 0
