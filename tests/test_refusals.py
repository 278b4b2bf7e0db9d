"""Values, places and streams that can't work: one message with the right status, no traceback, nothing left behind."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from toy_game import HighSum

import veggies_sim as vs
from veggies_sim.core import registry, runner, writer
from veggies_sim.games.veggies import Stand
from veggies_sim.games.veggies.deck import MAX_FACES, Card

GAME = HighSum(3)
TOY = ("simulate", "--game", "high-sum", "--seed", 1)


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry._GAMES, HighSum.id, HighSum)


# ---- Python

ODD: list[Any] = [None, 5, 1.5, True, "", b"x", [], {}, {"a"}, [[]], object()]
CALLS: dict[str, Callable[[Any], Any]] = {
    "open_dataset": vs.open_dataset,
    "simulate game": lambda odd: vs.simulate(odd, games=1),
    "Veggies deck": lambda odd: vs.Veggies(deck=odd),
    "Deck": vs.Deck,
    "Deck.read_csv": vs.Deck.read_csv,
    "Deck.write_csv": vs.Deck.shipped().write_csv,
    "Stand": Stand,
    "Stand.score": Stand().score,
    "scan": lambda odd: vs.simulate(GAME, games=1, jobs=1).scan(odd),
    "to_csv": lambda odd: vs.simulate(GAME, games=1, jobs=1).to_csv(odd),
    **{name: lambda odd, name=name: vs.simulate(GAME, **{"games": 1, "jobs": 1, name: odd})
       for name in ("policies", "games", "jobs", "seed", "policy_seed", "out", "record", "plays_per_deal", "rotate_seats",
                    "first_game", "mode", "backend", "block")},
    "rules": lambda odd: HighSum(3, rules=odd),
    "rule": lambda odd: HighSum(3, rules={"cards": odd}),
    "players": lambda odd: HighSum(odd),
}  # fmt: skip
VALID = [  # of the odd values
    *[(name, None) for name in ("policies", "jobs", "seed", "policy_seed", "out", "rules", "Veggies deck")],
    *[(name, 5) for name in ("games", "jobs", "seed", "policy_seed", "plays_per_deal", "first_game", "block")],
    *[(name, kind) for name in ("Stand", "Stand.score") for kind in ("", [], {})],
    ("rotate_seats", True), ("rules", {}),
]  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
def test_odd_values_are_input_errors(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for odd in ODD:
        if (name, odd) not in [pair for pair in VALID if type(pair[1]) is type(odd)]:
            with pytest.raises(vs.InputError) as error:
                CALLS[name](odd)
            assert len(str(error.value)) < 400
    assert not list(tmp_path.iterdir())


def test_whole_numbers_of_numpy_are_fine(tmp_path: Path) -> None:
    numbers = {"games": np.int64(6), "seed": np.uint64(3), "policy_seed": np.int32(4), "plays_per_deal": np.uint8(2)}
    numbers |= {"first_game": np.int16(1), "jobs": np.int64(1), "rotate_seats": np.True_}
    run = vs.simulate(HighSum(np.int64(3), rules={"cards": np.int64(30)}), out=tmp_path / "run", **numbers)  # type: ignore[arg-type]
    assert vs.open_dataset(tmp_path / "run").seats.equals(run.seats) and run.manifest.games == 6
    assert vs.Deck([Card("a", vs.Deck.shipped().cards[0].face, np.int64(2))]).to_csv().splitlines()[1].startswith("a,2,")


@pytest.mark.parametrize("name", ["games", "seed", "first_game"])
def test_limits_are_named(name: str) -> None:
    for number in (-1, 10**30, 10**5000):
        with pytest.raises(vs.InputError, match=rf"{name}: found .* from [01] to [\d,]+"):
            vs.simulate(GAME, **{name: number})


def test_decks_have_a_size_limit(tmp_path: Path, cli: Any) -> None:
    face = vs.Deck.shipped().cards[0].face
    for cards, said in (([Card(f"c{i}", face) for i in range(MAX_FACES + 1)], "different"),
                        ([Card(f"c{i}", face, 1000) for i in range(31)], "copies counted")):  # fmt: skip
        with pytest.raises(vs.InputError, match=said):
            vs.Deck(cards)
    file = tmp_path / "deck.csv"
    file.write_text("id,r1c1,r1c2,r1c3,r2c1,r2c2,r2c3\n" + "".join(f"{i},S,S,S,S,S,S\n" for i in range(20_000)))
    status, _, err = cli("deck", "check", file)
    assert status == 2 and "more than 1,000 rows of cards" in err and "deck.csv" in err


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_pipe_is_no_deck(tmp_path: Path, cli: Any) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert cli("deck", "check", tmp_path / "pipe")[0] == 2


# ---- command line

WORDS = [
    ("--players", "0"), ("--players", "3.0"), ("--games", ",,3"), ("--games", "1,00"), ("--games", "٣"), ("--games", "1" * 400),
    ("--jobs", "0"), ("--jobs", "5000"), ("--seed", "1", "--seed", "2"), ("--policy", ""), ("--out", ""), ("--out", "a\ud800"),
    ("--record", "x" * 5000), ("--" + "x" * 5000,),
    ("--rule", "cards=" + "9" * 5000), ("--policy", "x" * 5000), ("--rule", "x" * 5000), ("--deck", ""),
]  # fmt: skip


@pytest.mark.parametrize("words", WORDS, ids=lambda words: ascii(" ".join(words))[1:40])
@pytest.mark.parametrize("dry", [(), ("--dry-run",)], ids=["", "dry"])
def test_wrong_words(words: Any, dry: Any, cli: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    status, out, err = cli("simulate", "--game", "high-sum", *words, *dry)
    assert status == 2 and out == "" and "Traceback" not in err and len(err) < 500, err
    assert not list(tmp_path.iterdir())


def _places(folder: Path) -> list[Path]:
    (folder / "file").write_text("x")
    (folder / "nowhere").symlink_to(folder / "gone")
    (folder / "loop").symlink_to(folder / "loop")
    vs.simulate(GAME, games=3, seed=1, jobs=1, out=folder / "run")
    names = ("file", "file/below", "nowhere", "loop", "loop/x", "n" * 300, "run/inner", "run/seats")
    return [folder / name for name in names]


def test_places_that_cannot_be_written(tmp_path: Path, cli: Any) -> None:
    places = _places(tmp_path)
    before = sorted(tmp_path.rglob("*"))
    run = tmp_path / "run"
    for place in places:
        for words in (
            (*TOY, "--games", 3), (*TOY, "--games", 3, "--replace"), (*TOY, "--games", 3, "--dry-run"), (*TOY, "--resume"),
            ("rerun", run), ("merge", run), ("export", run),
        ):  # fmt: skip
            status, out, err = cli(*words, "--out", place)
            assert status == 2 and out == "" and "Traceback" not in err and str(place) in err, (words, place, err)
    assert cli("export", run, "--out", run)[0] == 2
    for place in ("file", "file/x.svg", "loop", "n" * 300):
        assert cli("replay", run, "--game", 1, "--out", tmp_path / place)[0] == 2
    assert sorted(tmp_path.rglob("*")) == before and (tmp_path / "file").read_text() == "x"


def test_a_folder_named_as_the_home_folder_is_none(tmp_path: Path, cli: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert cli(*TOY, "--games", 3, "--out=~/x")[0] == 0
    assert cli("info", "~/x")[0] == 0 and vs.open_dataset("~/x").scan("seats").collect().equals(vs.open_dataset("~/x").seats)
    assert [path.name for path in tmp_path.iterdir()] == ["~"]


def test_resuming_what_is_complete(tmp_path: Path, cli: Any) -> None:
    vs.simulate(GAME, games=3, seed=1, jobs=1, out=tmp_path / "run")
    for more in ((), ("--dry-run",)):
        status, _, err = cli("simulate", "--resume", "--out", tmp_path / "run", *more)
        assert status == 0 and "already complete" in err


def test_rerun_from_inside(tmp_path: Path, cli: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    vs.simulate(GAME, games=3, seed=1, jobs=1, out=tmp_path / "run")
    monkeypatch.chdir(tmp_path / "run")
    assert cli("rerun", ".")[0] == 0 and (tmp_path / "run-rerun").is_dir()


# ---- failures

def full(*_: Any, **__: Any) -> None:
    raise OSError(errno.ENOSPC, "No space left")


def test_a_full_disk(tmp_path: Path, cli: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "a b"
    with monkeypatch.context() as patch:
        patch.setattr(writer._PartWriter, "_write", full)
        status, _, err = cli(*TOY, "--games", 50, "--out", out)
    assert status == 1 and err.count("No space left") == 1 and f"--resume --out '{out}'" in err and "Traceback" not in err
    assert vs.open_dataset(out).manifest.state == "failed" and not list(out.glob(".*"))
    assert cli("simulate", "--resume", "--out", out)[0] == 0 and vs.open_dataset(out).manifest.games == 50
    for module, name, words in (("shutil", "copyfile", "merge"), ("csv", "writer", "export")):
        with monkeypatch.context() as patch:
            patch.setattr(f"{module}.{name}", full)
            status, _, err = cli(words, out, "--out", tmp_path / "new")
        assert status == 1 and "No space left" in err and not list((tmp_path / "new").glob("*")), err
        assert cli(words, out, "--out", tmp_path / "new")[0] == 0
        tmp_path = tmp_path / "next"


def test_a_second_interrupt_keeps_what_was_finished(tmp_path: Path, cli: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    add, seen = writer.DatasetWriter.add, []

    def pressed_twice(self: Any, *arguments: Any) -> None:
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)
        add(self, *arguments)
        seen.append(arguments[1])

    monkeypatch.setattr(writer.DatasetWriter, "add", pressed_twice)
    monkeypatch.setattr(runner, "TASK_GAMES", 4)
    status, _, err = cli(*TOY, "--games", 500, "--jobs", 1, "--out", tmp_path / "run")
    assert status == 130 and "--resume" in err and "Traceback" not in err
    assert 0 < vs.open_dataset(tmp_path / "run").manifest.games == sum(seen) < 500 and not list((tmp_path / "run").glob(".*"))


def test_faults_of_ours_are_one_line(cli: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(HighSum, "describe_setup", classmethod(lambda *_: 1 / 0))
    monkeypatch.setattr(HighSum, "read_setup", classmethod(lambda *_: None))
    status, _, err = cli("deck", "check", "x", "--game", "high-sum")
    assert status == 1 and "fault of ours" in err and "division" in err and "Traceback" not in err
    monkeypatch.setenv("VEGGIES_SIM_DEBUG", "1")
    with pytest.raises(ZeroDivisionError):
        cli("deck", "check", "x", "--game", "high-sum")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize(("shell", "status"), [("games >&-", 0), ("games 2>&-", 0), ("games >/dev/full", 1),
                                               ("simulate --games 0 2>&-", 2), ("simulate --games 0 2>/dev/full", 2)])  # fmt: skip
def test_streams_that_cannot_be_written(shell: str, status: int) -> None:
    done = subprocess.run(
        f'"{sys.executable}" -m veggies_sim.cli.main {shell}', shell=True, capture_output=True, text=True,
        env=os.environ | {"PYTHONIOENCODING": "ascii"},
    )  # fmt: skip
    assert done.returncode == status and "Traceback" not in done.stderr and "Exception" not in done.stderr, done.stderr
    assert len(done.stderr.splitlines()) <= 1
