"""Hundreds of odd and hostile files through every tool that reads them: a result or one clear message, never a crash.

Each call is judged by `Tools.run`, and `test_the_judge_finds` is its negative control.
"""

from __future__ import annotations

import io
import json
import math
import re
import sys
import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NoReturn
from xml.etree import ElementTree

import hostile_decks as make
import pytest

from veggies_sim.core.errors import InputError
from veggies_sim.design.objectives import Objective
from veggies_sim.games.veggies.deck import Deck
from veggies_sim.games.veggies.deck_reader import UNFILLED, read_unfinished
from veggies_sim.games.veggies.design import lineage, stats
from veggies_sim.games.veggies.design.lineage import read_lineage

READ, REFUSED = make.readable(), make.refused()
FUZZ = make.mutants(60) | make.dressed(40)
DECKS = READ | REFUSED | FUZZ
LONGEST = 1500  # letters of a line of a message; one line a fault, up to 50 faults
TYPED = b"SB.GRM\nx\xff\n<\n\nrrrggg\n?\n\x1b[A\nq\n"
SVG_TAGS = {"svg", "g", "rect", "path", "text", "title"}


class Tools:
    """The command line in a folder with `in`, which must stay as it is, and `out`, which gets results whole or not at all."""

    def __init__(self, cli: Callable[..., tuple[int, str, str]], folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.cli, self.patch = cli, monkeypatch
        self.folder, self.inside, self.out = folder, folder / "in", folder / "out"
        for new in (self.inside, self.out, folder / "here"):
            new.mkdir()
        monkeypatch.chdir(folder / "here")
        self.good = self.inside / "other.csv"
        self.good.write_text(make.GOOD, encoding="utf-8")

    def run(self, *words: object, named: str = "", report: bool = False) -> int:
        """Run a command and check what every command must keep; return its status.

        named: what a message must name; report: standard output may hold what was found before the fault.
        """
        before, had = self.held(), {*self.out.rglob("*")}
        status, out, err = self.cli(*words)
        faults = [*self.faults(status, out, err, named, report)]
        if self.held() != before:
            faults.append("files outside of the folder for results changed")
        new = sorted({*self.out.rglob("*")} - had)
        if status and new:
            faults.append(f"left behind: {new}")
        for file in new:
            faults += faults_of(file)
        assert not faults, (faults, words, status, out[:500], err[:500])
        return status

    def held(self) -> dict[str, bytes | str]:
        """Return what is in the whole folder, results aside."""
        paths = (path for path in self.folder.rglob("*") if self.out not in path.parents)
        return {str(path): path.read_bytes() if path.is_file() else "" for path in paths if path.name != "zeros.csv"}

    @staticmethod
    def faults(status: int, out: str, err: str, named: str, report: bool) -> Iterator[str]:
        """Yield what is wrong with the words of a command."""
        if status not in (0, 2):
            yield f"status {status}"
        if "Traceback" in err or "a fault of ours" in err:
            yield "a crash"
        if letters := {letter for letter in out + err if unicodedata.category(letter) in ("Cc", "Cs") and letter != "\n"}:
            yield f"control characters {letters}"
        if status == 0:
            return
        if out and not report:
            yield "words on standard output"
        if err.count("veggies-sim: ") - err.count("`veggies-sim: ") < 1 or not err.split("veggies-sim: ", 1)[1].strip():
            yield "no message"
        message = err.split("veggies-sim: ", 1)[-1]
        if named not in message:
            yield f"a message that does not name {named}"
        if message.count("\n") > 60 or max(map(len, message.split("\n"))) > LONGEST:
            yield "a long message"


def faults_of(file: Path) -> Iterator[str]:
    """Yield what is wrong with a file that a tool wrote."""
    if file.is_dir():
        return
    if file.suffix == ".csv":
        deck = deck_at(file)
        if deck is None or deck.to_csv().encode() != file.read_bytes():
            yield f"{file.name} is not in canonical form"
    elif file.suffix == ".svg":
        text = file.read_text(encoding="utf-8")
        elements = [*ElementTree.fromstring(text).iter()]
        if strange := {element.tag.rpartition("}")[2] for element in elements} - SVG_TAGS:
            yield f"{file.name} has {strange}"
        if any("href" in name or name.startswith("on") for element in elements for name in element.attrib) or "<!" in text:
            yield f"{file.name} refers to something or runs something"
    elif file.suffix == ".jsonl":
        read_lineage(file)
    elif file.suffix == ".json":
        json.loads(file.read_text(encoding="utf-8"))
    elif not file.read_bytes().startswith({".pdf": b"%PDF-", ".png": b"\x89PNG\r\n\x1a\n"}[file.suffix]):
        yield f"{file.name} is not what its name says"


@pytest.fixture
def tools(cli: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Tools:
    return Tools(cli, tmp_path, monkeypatch)


def deck_at(file: Path) -> Deck | None:
    try:
        return Deck.read_csv(file)
    except InputError:
        return None


def edit(deck: Deck, number: int) -> tuple[Any, ...]:
    """Return an operation, in turn, with arguments that suit the deck."""
    first, last = deck.cards[0].id, deck.cards[-1].id
    every: list[tuple[Any, ...]] = [
        ("swap", f"{first}:r1c1", f"{last}:r2c3"), ("set", f"{last}:r1c2", "rat"), ("turn", "rat", "empty"),
        ("turn", "grape", "R", "--number", 1, "--seed", 1), ("scale", "rat", "0.5", "--seed", 1), ("add", "new one", "SB.GRM"),
        ("copies", last, 2), ("drop", first),
    ]  # fmt: skip
    return every[number % len(every)]


def try_edit(tools: Tools, file: Path, deck: Deck, number: int) -> None:
    operation, *arguments = edit(deck, number)
    new = tools.out / "edited.csv"
    if tools.run("deck", "edit", operation, "--out", new, "--", file, *arguments) == 0:
        assert read_lineage(lineage.lineage_file(new))[-1].deck == Deck.read_csv(new).hash
        assert tools.run("deck", "edit", "lineage", new, "--json") == 0
        assert tools.run("deck", "diff", file, new, "--json") == 0


def try_typing(tools: Tools, raw: bytes, named: str) -> None:
    """Type cards into a copy of a file: it is either as it was, or can be read again."""
    file = tools.inside / named
    for words in (["--check"], ["--type"]):
        tools.patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(TYPED), encoding="utf-8"))
        before = tools.held()
        status, out, err = tools.cli("deck", "new", file, *words)
        assert not [*tools.faults(status, out, err, named, words == ["--check"])], (words, status, out[:500], err[:500])
        after = tools.held()
        assert {name for name in after if after[name] != before.get(name)} <= {str(file)} and after.keys() == before.keys()
        if status or words == ["--check"]:
            assert after == before
        else:
            cards, _, fault = read_unfinished(file)
            assert fault is None and (after == before or any(card.face != UNFILLED for card in cards))
    file.write_bytes(raw)


@pytest.mark.parametrize("name", DECKS)
def test_every_tool_reads_a_file_or_says_why_not(tools: Tools, name: str) -> None:
    number = [*DECKS].index(name)
    file = tools.inside / "its name.csv"
    file.write_bytes(DECKS[name])
    deck = deck_at(file)
    assert (name in READ) <= (deck is not None) and (name in REFUSED) <= (deck is None)
    named = "" if deck else file.name
    right = 0 if deck else 2
    assert tools.run("deck", "check", file, *["--json"] * (number % 2), named=named) == right
    assert tools.run("deck", "stats", file, *["--json"] * (number % 3 > 0), named=named) == right
    for pair in [(file, tools.good), (tools.good, file)]:
        assert tools.run("deck", "diff", *pair, "--json", named=named) == right
    assert tools.run("deck", "edit", "lineage", file, named=file.name) == 2
    tools.run("simulate", "--deck", file, "--games", 3, "--policy", "random", "--dry-run", named=named)
    if deck:
        try_edit(tools, file, deck, number)
    else:
        assert tools.run("deck", "edit", "turn", file, "rat", "empty", "--out", tools.out / "new.csv", named=named) == 2
        assert tools.run("deck", "print", file, "--out", tools.out / "new.pdf", named=named) == 2
    try_typing(tools, DECKS[name], file.name)


def some(every: int) -> list[str]:
    """Return names of decks that can be read: all with odd ids, and each so many of the others."""
    return [name for number, name in enumerate([*READ, *make.dressed(40)]) if name.startswith("id ") or number % every == 0]


@pytest.mark.parametrize("name", [name for name in some(6) if name != "many rows"])
def test_pictures_of_odd_decks_are_pictures_and_nothing_else(tools: Tools, name: str) -> None:
    file = tools.inside / "its name.csv"
    file.write_bytes(DECKS[name])
    assert tools.run("deck", "stats", file, "--picture", tools.out / "stats.svg") == 0
    assert tools.run("deck", "diff", tools.good, file, "--picture", tools.out / "diff.svg") == 0
    assert tools.run("deck", "new", file, "--check", "--sheet", tools.out / "sheet.svg") == 0
    if len(Deck.read_csv(file).cards) < 20:
        assert tools.run("deck", "print", file, "--format", "svg", "--out", tools.out / "cards") == 0
        assert {path.parent for path in tools.out.rglob("*.svg")} == {tools.out, tools.out / "cards"}


@pytest.mark.parametrize("name", ["id script", "id right to left", "id emoji", "id combining", "id up", "id long", "id dollar"])
def test_odd_ids_are_printed(tools: Tools, name: str) -> None:
    file = tools.inside / "its name.csv"
    file.write_bytes(DECKS[name])
    assert tools.run("deck", "print", file, "--out", tools.out / "cards.pdf", "--backs") == 0
    if name in ("id script", "id up"):
        assert tools.run("deck", "print", file, "--format", "tabletop", "--out", tools.out / "table") == 0


def test_there_are_enough_of_them() -> None:
    assert len({*DECKS.values()}) >= 250
    kinds = [make.lineages(Deck.shipped()), make.tomls(make.SPEC, 10, 1), make.tomls(make.TARGET, 10, 2),
        make.tomls(make.LANDSCAPE, 10, 2)]  # fmt: skip
    assert min(len({*files.values()}) for files in kinds) >= 60


def test_mutants_are_read_and_refused(tmp_path: Path) -> None:
    file, found = tmp_path / "deck.csv", []
    for raw in make.mutants(60).values():
        file.write_bytes(raw)
        found.append(deck_at(file) is not None)
    assert 5 <= sum(found) <= 55


def test_what_is_no_file_is_refused(tools: Tools) -> None:
    for path in make.places(tools.inside):
        for words in (["check"], ["stats"], ["diff", tools.good], ["edit", "lineage"], ["new", "--check"], ["new", "--type"]):
            named = "" if words[0] == "new" else path.name
            if words == ["new", "--type"] and path.name in ("nothing.csv", "x.csv"):
                continue  # makes the file
            assert tools.run("deck", *words, path, named=named) == 2, (words, path)


def test_pipes_are_not_waited_for(tools: Tools) -> None:
    pipe = next((path for path in make.places(tools.inside) if path.name == "pipe.csv"), None)
    if pipe is None:
        pytest.skip("the system has no named pipes")
    assert tools.run("deck", "generate", pipe, "--seed", 1, named=pipe.name) == 2
    assert tools.run("deck", "stats", tools.good, "--wishes", pipe, named=pipe.name) == 2
    assert tools.run("deck", "tune", pipe, "--out", tools.out / "tune", named=pipe.name) == 2
    search = tools.inside / "search"
    search.mkdir()
    pipe = pipe.rename(search / "tune.json")
    target = tools.inside / "target.toml"
    target.write_text(make.TARGET, encoding="utf-8")
    assert tools.run("deck", "tune", target, "--out", search, "--resume", named=pipe.name) == 2
    pipe = pipe.rename(lineage.lineage_file(tools.good))
    assert tools.run("deck", "edit", "lineage", tools.good, named=pipe.name) == 2
    assert tools.run("deck", "edit", "drop", tools.good, "v01", "--out", tools.out / "new.csv", named=pipe.name) == 2


def test_names_too_long_for_a_file_are_no_crash(tools: Tools) -> None:
    file = tools.inside / ("x" * 245 + ".csv")  # its lineage would have a name of 258 letters
    file.write_text(make.GOOD, encoding="utf-8")
    assert tools.run("deck", "edit", "drop", file, "v01", "--out", tools.out / "new.csv") == 0
    assert tools.run("deck", "edit", "drop", tools.good, "v01", "--out", tools.out / file.name) == 2
    for place in (tools.out / ("y" * 300), tools.out / ("y" * 300) / "x"):
        assert tools.run("deck", "stats", tools.good, "--picture", place.with_suffix(".svg")) == 2
        assert tools.run("deck", "print", tools.good, "--out", place.with_suffix(".pdf")) == 2
        assert tools.run("deck", "new", place.with_suffix(".csv")) == 2


LINEAGES = make.lineages(Deck.shipped())


def test_nothing_is_written_that_could_not_be_read_again(tools: Tools) -> None:
    file = tools.inside / "deck.csv"
    long = "x" * make.MAX_CELL
    file.write_text(f"{make.HEAD}\n{long[2:]},1,{make.ONE}\n{long[4:]},12,R,.,R,.,R,.\n", encoding="utf-8")
    grown = ("--number", 20, "--seed", 1, "--out", tools.out / "new.csv")  # most copies become cards of their own
    assert tools.run("deck", "edit", "turn", file, "rat", "grape", *grown) == 2
    notes = "".join(f"v{number},1,,,,,,,{chr(0x4E00) * 80_000}\n" for number in range(6))
    file.write_text(f"{make.HEAD},notes\n{notes}", encoding="utf-16")  # fewer bytes than in UTF-8
    raw = file.read_bytes()
    assert tools.run("deck", "new", file, "--check") == 0
    tools.patch.setattr(sys, "stdin", io.StringIO("SB.GRM\n"))
    assert tools.run("deck", "new", file, "--type", named=file.name) == 2
    assert file.read_bytes() == raw


def test_goals_beyond_what_a_float_holds_are_no_crash() -> None:
    assert Objective("x", 1e300, 1e-9).miss(0) == math.inf
    with pytest.raises(InputError, match=r"goal: found .* bits; valid: a number"):
        Objective.from_table({"metric": "x", "goal": 10**400, "tolerance": 1}, "objective 1")


def test_foreign_lineages_are_refused(tools: Tools) -> None:
    deck = tools.inside / "deck.csv"
    beside = lineage.lineage_file(deck)
    Deck.shipped().write_csv(deck)
    for name, raw in LINEAGES.items():
        beside.write_bytes(raw)
        for words in (["lineage", deck], ["lineage", deck, "--json"], ["drop", deck, "v01", "--out", tools.out / "new.csv"]):
            assert tools.run("deck", "edit", *words, named=beside.name) == 2, name


def test_odd_specs_make_decks_or_are_refused(tools: Tools) -> None:
    found = []
    for raw in make.tomls(make.SPEC, 20, 1).values():
        file = tools.inside / "spec.toml"
        file.write_bytes(raw)
        out = tools.out / "made.csv"
        found.append(tools.run("deck", "generate", file, "--seed", 1, "--out", out))
        right = {0, 2} if found[-1] else {0}  # what can be read but not met are wishes all the same
        assert tools.run("deck", "stats", tools.good, "--wishes", file) in right
        out.unlink(missing_ok=True)
    assert {*found} == {0, 2}


@pytest.mark.parametrize(("deed", "good"), [("tune", make.TARGET), ("map", make.LANDSCAPE)])
def test_odd_targets_are_refused_before_anything_is_written(
    tools: Tools, monkeypatch: pytest.MonkeyPatch, deed: str, good: str
) -> None:
    from veggies_sim.games.veggies.design import map as mapping
    from veggies_sim.games.veggies.design import tune

    def stop(*_: object, **__: object) -> NoReturn:
        raise InputError("target.toml is read: its search would begin")

    monkeypatch.setattr(tune, "Search", stop)
    monkeypatch.setattr(mapping, "Survey", stop)
    said = set()
    for raw in make.tomls(good, 20, 2).values():
        file = tools.inside / "target.toml"
        file.write_bytes(raw)
        assert tools.run("deck", deed, file, "--out", tools.out / deed, "--seed", 1, named=file.name) == 2
        said.add("would begin" in tools.cli("deck", deed, file, "--out", tools.out / deed, "--seed", 1)[2])
    assert said == {True, False}


@pytest.mark.parametrize(
    ("deed", "found"),
    [
        (lambda tools: 1 / 0, "status 1"),
        (lambda tools: (_ for _ in ()).throw(KeyboardInterrupt), "status 130"),
        (lambda tools: (tools.out / "half.csv").write_bytes(b"id"), "left behind"),
        (lambda tools: (tools.folder / "here" / "x").touch(), "files outside"),
        (lambda tools: tools.good.write_bytes(b""), "files outside"),
        (lambda tools: print("half a result"), "words on standard output"),
        (lambda tools: print("\x1b[2J"), "control characters"),
        (lambda tools: None, "does not name"),
    ],
)
def test_the_judge_finds(tools: Tools, monkeypatch: pytest.MonkeyPatch, deed: Callable[[Tools], object], found: str) -> None:
    def broken(_: Deck) -> NoReturn:
        deed(tools)
        raise InputError("")

    monkeypatch.setattr(stats, "deck_stats", broken)
    with pytest.raises(AssertionError, match=re.escape(found)):
        tools.run("deck", "stats", tools.good, named="a name")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csv", make.GOOD.replace(",", ";")), ("a.csv", ""), ("a.svg", "<svg><script/></svg>"), ("a.svg", '<svg onload="x"/>'),
        ("a.pdf", "x"),
    ],
)
def test_the_judge_finds_files_that_are_wrong(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert [*faults_of(tmp_path / name)]
