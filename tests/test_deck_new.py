"""Typing a printed deck in: the template, the dialogue, what a half-filled file says, the picture, the guide."""

from __future__ import annotations

import io
import os
import re
import shlex
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from svg_checks import assert_whole, texts

from veggies_sim.core.errors import InputError
from veggies_sim.games.veggies.deck import Deck
from veggies_sim.games.veggies.deck_reader import UNFILLED, read_unfinished
from veggies_sim.games.veggies.design.draft import new_draft, read_draft
from veggies_sim.games.veggies.design.draft_sheet import sheet_svg
from veggies_sim.games.veggies.design.letters import face_words, read_face

HEAD = "id,copies,r1c1,r1c2,r1c3,r2c1,r2c2,r2c3"
FACE = "strawberry,banana,empty,grape,rat,mushroom"  # SB.GRM
Answers = Callable[..., tuple[int, str, str]]


@pytest.fixture
def type_(cli: Any, monkeypatch: pytest.MonkeyPatch) -> Answers:
    """Run `deck new FILE --type` with lines, or bytes, on standard input."""

    def run(file: Path, answers: str | bytes, *words: object) -> tuple[int, str, str]:
        raw = answers if isinstance(answers, bytes) else answers.encode()
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw), encoding="utf-8"))
        return cli("deck", "new", file, "--type", *words)

    return run


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "my.csv"


def faces(file: Path) -> list[str]:
    """The spaces of each row as they stand in a file."""
    return [line.split(",", 2)[2] for line in file.read_text("utf-8").splitlines()[1:]]


# The template.


def test_a_template(file: Path, cli: Any) -> None:
    status, out, _ = cli("deck", "new", file)
    assert status == 0 and "S strawberry, B banana" in out and f"veggies-sim deck new {file} --type" in out
    assert "goes back to the card before" not in out  # that is for --type
    lines = file.read_text("utf-8").splitlines()
    assert lines[:2] == [HEAD, "v01,1,,,,,,"] and lines[-1] == "v40,1,,,,,," and len(lines) == 41
    status, _, err = cli("deck", "new", file)
    assert status == 2 and "is there already" in err and len(file.read_text("utf-8").splitlines()) == 41


@pytest.mark.parametrize(("cards", "last"), [(1, "v01"), (9, "v09"), (100, "v100"), (1000, "v1000")])
def test_ids_are_as_wide_as_they_need_to_be(file: Path, cli: Any, cards: int, last: str) -> None:
    assert cli("deck", "new", file, "--cards", cards)[0] == 0
    ids = [line.split(",")[0] for line in file.read_text("utf-8").splitlines()[1:]]
    assert ids[-1] == last and len(ids) == cards and len({*map(len, ids)}) == 1


@pytest.mark.parametrize("words", [["--cards", "0"], ["--cards", "1001"], ["--cards", "x"], ["--type", "--check"],
                                   ["--sheet", "a.png"], ["--check"], ["--cards", "3", "--check"]])  # fmt: skip
def test_what_is_refused_writes_nothing(file: Path, cli: Any, words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(file.parent)
    status, out, err = cli("deck", "new", "my.csv", *words)
    assert status == 2 and out == "" and err and "Traceback" not in err
    assert not [*file.parent.iterdir()]


def test_a_template_is_a_csv_outside_of_datasets(tmp_path: Path, cli: Any) -> None:
    assert "found the ending '.txt'" in cli("deck", "new", tmp_path / "a.txt")[2]
    (tmp_path / "run.json").touch()
    assert "inside of a dataset" in cli("deck", "new", tmp_path / "a.csv")[2]


# Typing.


def test_a_whole_deck_is_typed(file: Path, type_: Answers, cli: Any) -> None:
    letters = dict(zip(("strawberry", "banana", "grape", "carrot", "mushroom", "empty", "rat"), "SBGCM.R", strict=True))
    shipped = Deck.shipped()
    answers = ["".join(letters[word] for row in card.face for word in row) for card in shipped.cards]
    status, out, err = type_(file, "\n".join(answers))
    assert status == 0 and out == "" and "40 of 40 cards are in" in err and "next: veggies-sim deck check" in err
    assert file.read_text("utf-8") == shipped.to_csv()
    assert cli("deck", "check", file)[0] == 0


def test_a_prompt_and_the_card_as_it_lies(file: Path, type_: Answers) -> None:
    err = type_(file, "SB.GRM\n", "--cards", 2)[2]
    assert "card v01 (1 of 2), 6 spaces, such as SB.GRM; ? help, < back, q stop: \n" in err
    assert "v01\n  strawberry  banana  empty\n  grape       rat     mushroom\n" in err
    assert "1 of 2 cards are in" in err and "the same command goes on" in err


@pytest.mark.parametrize("end", ["", "\n", "\nq\n", "\nQ\nRRRRRR\n", "\r\nq"])
def test_it_goes_on_where_it_stopped(file: Path, type_: Answers, end: str) -> None:
    assert type_(file, "SB.GRM\nsb. grr" + end, "--cards", 3)[0] == 0
    assert faces(file) == [FACE, FACE.replace("mushroom", "rat"), ",,,,,"]
    before = file.read_bytes()
    assert type_(file, "")[0] == 0 and file.read_bytes() == before
    status, _, err = type_(file, "......\n")
    assert status == 0 and "card v03 (3 of 3)" in err and "card v02" not in err
    assert faces(file)[2] == "empty,empty,empty,empty,empty,empty"
    assert "3 of 3 cards are in" in type_(file, "RRRRRR\n")[2] and faces(file)[2][:5] == "empty"


def test_back_help_and_blank_lines(file: Path, type_: Answers) -> None:
    status, _, err = type_(file, "<\nSSSSSS\n\nBBBBBB\n?\n<\n<\nGGGGGG\n<\n<\n\nCCCCCC\n", "--cards", 3)
    assert status == 0 and "An empty crate" in err and "not taken" not in err
    assert [line[:5] for line in faces(file)] == ["grape", "banan", "carro"]
    assert "v01\n  no face yet\n" in err and err.count("v02\n  banana  banana  banana") == 3  # as typed, gone back to twice


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (b"SB.GRMR", "found 'SB.GRMR', 7 letters"),
        (b"SB.GR", "5 letters; a face has 6 letters, the upper row first, such as SB.GRM"),
        (b"SBXGRM", "found 'X' as number 3 of 6 in 'SBXGRM'. Valid: S strawberry, B banana"),
        (b"SB.G0M", "found '0'"),
        (b"\xff\xfeSBGC", "found '\ufffd' as number 1"),
        (b"S\x00BGCM", "found '\\x00'"),
        (b"\x1b[2JSB", "found '\\x1b'"),
        (b"S" * 100_000, "100000 letters"),
        (b"strawberry banana", "16 letters"),
    ],
)
def test_a_line_that_is_no_face_is_asked_for_again(file: Path, type_: Answers, answer: bytes, said: str) -> None:
    status, _, err = type_(file, answer + b"\nSB.GRM\n", "--cards", 1)
    assert status == 0 and "not taken: face: found" in err and said in err
    assert "lines not taken: 1," in err and "\x1b" not in err and len(err) < 2000
    assert faces(file) == [FACE]


WAYS = [b"\xef\xbb\xbfSB.GRM", b"\tsb.grm  ", b"S B . G R M", b"SB. GRM", b"Strawberries b crate G mice m"]


@pytest.mark.parametrize("answer", WAYS)
def test_ways_to_type_a_face(file: Path, type_: Answers, answer: bytes) -> None:
    assert type_(file, answer + b"\r\n", "--cards", 1)[0] == 0 and faces(file) == [FACE]


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("SB.GRM", "v02 has the face of v01; was it typed twice?"),
        ("MRG.BS", "v02 has the face of v01 after a half-turn"),
        (".BSMRG", "v02 is the mirror image of v01"),
        ("GRMSB.", "v02 is the mirror image of v01"),
        ("SB.GRR", None),
        ("SB.GMR", None),
    ],
)
def test_a_card_that_was_typed_twice_is_noted(file: Path, type_: Answers, cli: Any, answer: str, said: str | None) -> None:
    status, _, err = type_(file, f"SB.GRM\n{answer}\n", "--cards", 3)
    assert status == 0 and ("note: v02" in err) == (said is not None) and (said or "") in err
    assert ("v01/v02" in cli("deck", "new", file, "--check")[1]) == (said is not None)


def test_ctrl_c_keeps_what_was_typed(file: Path, cli: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    class Stopped(io.StringIO):
        def __next__(self) -> str:
            if line := self.readline():
                return line
            raise KeyboardInterrupt

    monkeypatch.setattr(sys, "stdin", Stopped("SB.GRM\n"))
    status, _, err = cli("deck", "new", file, "--type")
    assert status == 130 and f"interrupted; 1 of 40 cards are in {file}; the same command goes on" in err
    assert faces(file)[:2] == [FACE, ",,,,,"]


def test_without_standard_input_nothing_is_typed(file: Path, cli: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    status, _, err = cli("deck", "new", file, "--type")
    assert status == 0 and "0 of 40 cards" in err


def test_a_save_that_fails_leaves_the_older_file(file: Path, type_: Answers, monkeypatch: pytest.MonkeyPatch) -> None:
    type_(file, "SB.GRM\n", "--cards", 2)
    before = file.read_bytes()

    def fail(*_: object) -> None:
        raise PermissionError(13, "in use")

    monkeypatch.setattr(os, "replace", fail)
    status, _, err = type_(file, "RRRRRR\n")
    assert status == 2 and "can't be written (in use)" in err
    assert file.read_bytes() == before and [path.name for path in file.parent.iterdir()] == ["my.csv"]


def test_typing_over_a_link_writes_what_it_leads_to(file: Path, type_: Answers) -> None:
    link = file.with_name("link.csv")
    type_(file, "", "--cards", 2)
    file.chmod(0o640)
    link.symlink_to(file.name)
    assert type_(link, "SB.GRM\n")[0] == 0
    assert link.is_symlink() and faces(file) == [FACE, ",,,,,"] and stat.S_IMODE(file.stat().st_mode) == 0o640
    assert sorted(path.name for path in file.parent.iterdir()) == ["link.csv", "my.csv"]
    link.unlink()
    link.symlink_to("absent.csv")
    status, _, err = type_(link, "SB.GRM\n")
    assert status == 2 and "can't be written" in err and link.is_symlink() and not link.exists()


def test_rows_of_a_spreadsheet_keep_their_order_copies_and_other_columns(file: Path, type_: Answers) -> None:
    rows = ["\ufeffnote;id;r1c1;r1c2;r1c3;r2c1;r2c2;r2c3;Copies", '"a, ""b""";x;;;;;;;2', ";y;S;b;Crate;g;mouse;M;1", ";;;;;;;;"]
    file.write_bytes("\r\n".join(rows).encode())
    assert type_(file, "......\n")[0] == 0
    assert file.read_text("utf-8").splitlines() == [f"{HEAD},note", f'x,2{",empty" * 6},"a, ""b"""', f"y,1,{FACE},"]


def test_a_file_with_faults_is_not_typed_over(file: Path, type_: Answers) -> None:
    file.write_text(f"{HEAD}\nv01,1,,,,,,\nv02,1,rat,,,,,\n", "utf-8")
    before = file.read_bytes()
    status, _, err = type_(file, "SB.GRM\n")
    assert status == 2 and "my.csv:3, column r1c2: found a blank cell" in err and "card v01" not in err
    assert file.read_bytes() == before


# A half-filled file.


def test_check_of_a_good_half(file: Path, cli: Any) -> None:
    file.write_text(f"{HEAD}\nv01,2,{FACE}\nv02,1,,,,,,\nv03,1,{FACE}\n", "utf-8")
    status, out, err = cli("deck", "new", file, "--check")
    assert status == 0 and err == "" and out.splitlines() == [
        f"{file}: no faults so far",
        "  typed: 2 of 3 cards",
        "  spaces so far: strawberry 3, banana 3, grape 3, carrot 0, mushroom 3, empty 3, rat 3",
        "  equal or mirrored faces: v01/v03",
    ]


BAD = [
    (f"{HEAD}\nv01,1,,,,,,\nv02,1,rat,,,,,\n", ":3, column r1c2: found a blank cell; did you mean 'empty'?"),
    (f"{HEAD}\nv01,1,,rat,rat,rat,rat,rat\n", ":2, column r1c1: found a blank cell"),
    (f'{HEAD}\nv01,1,,,,,,""x\n', ":2, column r2c3: found 'x' after the closing quote"),
    (f"{HEAD}\nv01,1,,,,,,\nv01,1,,,,,,\n", ":3, column id: found 'v01', the id of line 2 too"),
    (f"{HEAD}\nv01,x,,,,,,\n", ":2, column copies: found 'x'"),
    (f"{HEAD}\nv01,1,,,,,,,R\n", ":2, column 9: found 'R' where the header has no name"),
    (f"{HEAD}\nv01,1\n", ":2, column r1c1: found 2 of the header's 8 cells"),
    (f"{HEAD}\nv01,1,-,-,-,-,-,-\n", ":2, column r1c1: found '-'"),
    (f"{HEAD}\nv01,1,gr,ap,,,,\n", "column r1c1: found 'gr'"),
    (f'{HEAD}\nv01,1,"" x,,,,,\n', ":2, column r1c1: found 'x' after the closing quote"),
    ("id,copies,r1c1\nv01,1,\n", "column r1c2: found no such column"),
    (f"{HEAD}\n", "found a header with no cards below it"),
    ("", "is empty"),
]


@pytest.mark.parametrize(("text", "said"), BAD)
def test_check_tells_the_faults_of_rows_that_are_filled(file: Path, cli: Any, text: str, said: str) -> None:
    file.write_text(text, "utf-8")
    status, _, err = cli("deck", "new", file, "--check")
    assert status == 2 and said in err, err
    with pytest.raises(InputError):
        Deck.read_csv(file)


def test_check_counts_the_good_rows_beside_bad_ones(file: Path, cli: Any) -> None:
    file.write_text(f"{HEAD}\nv01,1,{FACE}\nv02,1,rat,x,,,,\nv03,1,,,,,,\n", "utf-8")
    status, out, err = cli("deck", "new", file, "--check")
    assert status == 2 and "typed: 1 of 2 cards" in out and "rat 1" in out and err.count("my.csv:3") == 5


@pytest.mark.parametrize("words", [["deck", "check"], ["simulate", "--games", "1", "--deck"]])
def test_an_unfinished_deck_is_refused_with_a_hint(file: Path, cli: Any, words: list[str]) -> None:
    file.write_text(f"{HEAD}\nv01,1,{FACE}\nv02,1,,,,,,\nv03,1,,,,,,\n", "utf-8")
    status, _, err = cli(*words, file)
    go_on = f"veggies-sim deck new {file}"
    assert status == 2 and err == (
        f"veggies-sim: my.csv: 2 of 3 cards are not typed yet (v02, v03). Go on with {go_on} --type; "
        f"see what is there with {go_on} --check\n"
    )


ROWS = "".join(f"v{number:02},1,,,,,,\n" for number in range(2, 41))


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (ROWS, ["39 of 40 cards are not typed yet (v02 to v40). Go on with"]),
        (f"v02,1,{FACE}\nv03,1,,,,,,\n", ["1 of 3 cards is not typed yet (v03). Go on"]),
        (f"v02,1,,,,,,\nv03,1,{FACE}\nv04,1,,,,,,\n,1,,,,,,\n",
         ["3 of 5 cards are not typed yet (v02, v04, line 6). Mend the faults"]),
        ("".join(f"v{n},1,,,,,,\nw{n},1,{FACE}\n" for n in range(7)), ["(v0, v1, v2, v3, v4 and 2 more)"]),
        (f"{ROWS}x,1,rat,,rat,rat,rat,rat\n", ["39 of 41 cards", "(v02 to v40). Mend the faults below, then go on",
         "cannot be used: 1 fault\n", ":42, column r1c2: found a blank cell; did you mean 'empty'?"]),
        (f"{'y' * 70},1,,,,,,\n", [f"('{'y' * 55} ...)"]),
    ],
)  # fmt: skip
def test_cards_that_are_not_typed_yet_are_one_line(file: Path, cli: Any, rows: str, said: list[str]) -> None:
    own = file.with_name("my own.csv")
    own.write_text(f"{HEAD}\nv01,1,{FACE}\n{rows}", "utf-8")
    status, _, err = cli("deck", "check", own)
    assert status == 2 and err.startswith("veggies-sim: my own.csv: ") and f"deck new '{own}' --type" in err
    assert all(part in err for part in said), err
    assert err.count("blank cell") == sum("blank cell" in part for part in said) and len(err) < 900


def test_the_reader_of_unfinished_files_reads_finished_ones_too(root: Path) -> None:
    cards, _, fault = read_unfinished(root / "data" / "cards.csv")
    assert fault is None and Deck(cards) == Deck.shipped()


def test_too_many_cards_are_refused(file: Path) -> None:
    file.write_text(HEAD + "\n" + "".join(f"v{number},1000,,,,,,\n" for number in range(31)), "utf-8")
    with pytest.raises(InputError, match="31,000 cards, copies counted"):
        read_draft(file)


# Faces, and the picture.


def test_faces_in_words() -> None:
    assert face_words(read_face("RSGB.M")) == "rat     strawberry  grape\nbanana  empty       mushroom"
    for wrong in (3, None, ["S"] * 6):
        with pytest.raises(InputError, match="face: found"):
            read_face(wrong)


def test_the_sheet_shows_every_card_in_order(file: Path, type_: Answers, cli: Any) -> None:
    sheet = file.with_name("a.svg")
    assert type_(file, "SB.GRM\n", "--cards", 10, "--sheet", sheet)[0] == 0
    svg = sheet.read_text("utf-8")
    assert_whole(svg)
    assert texts(svg)[:9] == ["1 of 10 cards typed, 8 a row in the order of the file", *"SB.GRM", "v01", "v02"]
    assert svg.count("stroke-dasharray") == 9 and [word for word in texts(svg) if word == "v10"]
    for words in (["--check"], ["--type"]):
        status, _, err = cli("deck", "new", file, *words, "--sheet", sheet)
        assert status == 2 and "exists already" in err and "card v02" not in err
    assert cli("deck", "new", file, "--check", "--sheet", file.with_name("b.svg"))[0] == 0
    assert file.with_name("b.svg").read_text("utf-8") == svg
    assert cli("deck", "new", file.with_name("c.csv"), "--sheet", file.with_name("c.svg"))[0] == 0
    assert file.with_name("c.svg").read_text("utf-8").count("stroke-dasharray") == 40


def test_the_sheet_escapes_ids_and_tells_copies(file: Path) -> None:
    file.write_text(f"{HEAD}\n<b>&,3,{FACE}\n", "utf-8")
    svg = sheet_svg(read_draft(file)[0])
    assert_whole(svg)
    assert "3x <b>&" in texts(svg)
    assert_whole(sheet_svg(new_draft(1000)))
    assert new_draft(1).cards[0].face == UNFILLED


# The guide, and the command as a person starts it.


def test_the_guide_runs_as_printed(root: Path, tmp_path: Path, cli: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    page = (root / "docs" / "type_in_a_deck.md").read_text("utf-8")
    commands = re.findall(r"^veggies-sim (.*)$", page, re.M)
    assert len(commands) == 8 and "reconstruction" in page
    monkeypatch.chdir(tmp_path)
    letters = "".join(f"{'SBGCM.R'[number % 7]}{'SBGCM.R'[number // 7]}.GRM\n" for number in range(40))
    monkeypatch.setattr(sys, "stdin", io.StringIO(letters))
    for command in commands:
        status, _, err = cli(*shlex.split(command))
        assert status == 0, err
    assert Deck.read_csv("mine.csv").notes() == [] and len(Deck.read_csv("mine.csv")) == 40
    shown = re.findall(r"^    (card v.*)$", page, re.M)
    assert shown == ["card v07 (7 of 40), 6 spaces, such as SB.GRM; ? help, < back, q stop:"]


def test_a_piped_process(root: Path, tmp_path: Path) -> None:
    shutil.copy(root / "data" / "cards.csv", tmp_path)
    words = [sys.executable, "-m", "veggies_sim.cli.main", "deck", "new", str(tmp_path / "my.csv"), "--type"]
    done = subprocess.run(words, input=b"SB.GRM\n\xff\xff\nRRRRRR", capture_output=True, cwd=root, timeout=60)
    assert done.returncode == 0 and b"2 of 40 cards" in done.stderr and b"Traceback" not in done.stderr
    assert faces(tmp_path / "my.csv")[:2] == [FACE, ",".join(["rat"] * 6)]
