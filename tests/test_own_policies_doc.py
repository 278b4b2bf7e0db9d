"""Everything in docs/own_policies.md runs as printed, and prints what it says."""

from __future__ import annotations

import json
import re
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

import veggies_sim as vs


@pytest.fixture
def text(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The page, with its first block of code as a module in a folder to run in."""
    page = (root / "docs" / "own_policies.md").read_text()
    (tmp_path / "my_policies.py").write_text(code(page)[0])
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.delitem(sys.modules, "my_policies", raising=False)
    monkeypatch.chdir(tmp_path)
    return page


def code(page: str) -> list[str]:
    return re.findall(r"```python\n(.*?)```", page, re.S)


def test_python(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    _, block = code(text)
    exec(compile(block, "own_policies.md", "exec"), {"__name__": "page"})
    said = re.findall(r"^print\(.*\)  # (.*)$", block, re.M)
    assert len(said) == 1 and capsys.readouterr().out.splitlines() == said


def test_commands(text: str, cli: Any) -> None:
    lines = re.findall(r"^veggies-sim (.*)$", text, re.M)
    assert len(lines) == 5
    for line in lines:
        status, _, err = cli(*shlex.split(line))
        assert status == 0, err


def test_the_command_it_points_to_lists_the_features(cli: Any) -> None:
    said = cli("policies")[1]
    for game in (vs.Veggies, vs.VeggieGarden):
        lines = [f"    {feature.name}: {feature.doc}" for feature in game.features]
        assert said.split(f"\n{game.id} features of a move")[1].splitlines()[1 : len(lines) + 1] == lines
    facts = json.loads(cli("games", "--json")[1])
    assert facts[0]["features"]["value"] == vs.Veggies.features[0].doc


def test_presets_say_only_what_differs(cli: Any) -> None:
    said = cli("policies")[1]
    assert said.count("weight of: visible rats") == 1
    assert re.search(r"veggies rat_averse: .*\n    options of heuristic; here rats=-3\n", said)
    rows = {row["policy"]: row for row in json.loads(cli("policies", "--json")[1]) if row["game"] == "veggies"}
    assert len(rows["rat_averse"]["options"]) == len(rows["heuristic"]["options"]) == len(vs.Veggies.features) + 2
