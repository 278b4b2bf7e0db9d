"""Everything in docs/design.md runs as it stands there, with fewer games."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from veggies_sim.design.objectives import OPEN, OUTSIDE, WITHIN
from veggies_sim.games.veggies.deck import Deck
from veggies_sim.games.veggies.design.edit import OPERATIONS
from veggies_sim.games.veggies.design.measures import own_measures
from veggies_sim.games.veggies.design.spec import read_spec
from veggies_sim.games.veggies.game import Veggies

SMALL = {
    "tune": ["--generations", "1", "--population", "4", "--games", "30", "--check-games", "60"],
    "map": ["--batches", "1", "--batch-size", "6", "--games", "60", "--check-games", "60"],
}
GAMES = "3000"


def deeds(page: str) -> list[str]:
    """The deeds in the table of the page."""
    return re.findall(r"^\|[^|]+\| `(\w+)`", page, re.M)


@pytest.fixture
def page(root: Path) -> str:
    return (root / "docs" / "design.md").read_text("utf-8")


@pytest.fixture
def place(root: Path, page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the files that the page asks for."""
    monkeypatch.chdir(tmp_path)
    shutil.copy(root / "data" / "cards.csv", "mine.csv")
    named = re.findall(r"`(\w+\.toml)`:\n\n```toml\n(.*?)```", page, re.S)
    assert [name for name, _ in named] == ["spec.toml", "target.toml", "map.toml"] and page.count("```toml") == 3
    for name, text in named:
        Path(name).write_text(text, "utf-8")
    return tmp_path


def test_the_commands_of_the_page_run_in_order(page: str, place: Path, cli: Any) -> None:
    lines = [line for block in re.findall(r"```sh\n(.*?)```", page, re.S) for line in block.splitlines()]
    assert len(lines) >= 20
    said = {}
    for line in lines:
        command, *words = shlex.split(line)
        assert command == "veggies-sim"
        words = ["60" if word == GAMES else word for word in words]
        status, out, err = cli(*words, *SMALL.get(words[1], []))
        assert status == 0, (line, err)
        said[" ".join(words[:3])] = out
    assert Deck.read_csv("fewer.csv").counts()["rat"] == Deck.shipped().counts()["rat"] / 2
    assert said["deck edit lineage"].count("\n") == 3  # the first deck and two changes
    assert Deck.read_csv("fewer.csv") != Deck.read_csv("second.csv")
    assert said["deck print next.csv"].startswith("again.pdf: 1 card of 58 x 87 mm")
    assert {deed for line in lines for deed in shlex.split(line)[1:3]} >= {*deeds(page)}
    assert read_spec(Path("spec.toml")).faults(Deck.read_csv("any.csv")) == []
    assert "wishes not met" in said["deck stats mine.csv"]
    assert {*pl.read_csv("results/search/check.csv")["verdict"]} <= {WITHIN, OUTSIDE, OPEN}
    assert "difference: to mine.csv, deal by deal" in said["deck measure target.toml"]
    assert "all together: " in said["deck tune target.toml"]
    code = re.findall(r"```python\n(.*?)```", page, re.S)
    assert len(code) == 1
    exec(compile(code[0], "design.md", "exec"), names := {"__name__": "design"})
    assert names["row"] == pl.read_parquet("results/search/log.parquet").row(0, named=True)
    assert names["deck"].hash == names["row"]["deck"]
    assert len([*Path("results/map/decks").glob("*.csv")]) == pl.read_parquet("results/map/map.parquet").height > 0
    assert Path("results/map/map.svg").exists() and Path("results/map/map.png").exists()
    assert Path("cards.pdf").read_bytes().startswith(b"%PDF") and Path("again.pdf").read_bytes().startswith(b"%PDF")
    saved = json.dumps(json.loads(Path("results/tabletop/deck.json").read_text("utf-8")))
    assert "https://example.org/cards/faces1.png" in saved
    svg = [Path(name).read_text("utf-8").startswith("<svg") for name in ("mine.svg", "changes.svg")]
    assert svg == [True, True]


def test_the_words_of_the_page_are_those_of_the_program(page: str, place: Path, cli: Any) -> None:
    text = " ".join(page.split())
    assert all(f"- `{verdict}`:" in page for verdict in (WITHIN, OUTSIDE, OPEN))
    assert {*re.findall(r"`(\w+)`", re.findall(r"Other operations are (.*?)\.", text)[0])} == {*OPERATIONS} - {"scale", "swap"}
    assert "rat_cost" in own_measures(Veggies(3)) and "more than three of six spaces" in text
    assert len(deeds(page)) >= 8
    for deed in deeds(page):
        status, out, _ = cli(*(["deck"] if deed not in {"simulate", "compare"} else []), deed, "--help")
        assert status == 0 and out
    sizes = cli("deck", "print", "--help")[1]
    assert "The spaces of 58x87 are squares of 29 mm" in sizes


def test_links_lead_somewhere(root: Path, page: str) -> None:
    targets = re.findall(r"\]\((?!http)([^)#]+)\)", page)
    assert len(targets) >= 2 and all((root / "docs" / target).exists() for target in targets)
