"""Everything in the README runs."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest


def test_python_quickstart(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = re.search(r"```python\n(.*?)```", (root / "README.md").read_text(), re.S)
    assert code
    exec(compile(code[1], "README.md", "exec"), {"__name__": "readme"})
    assert "greedy" in capsys.readouterr().out


def test_commands(root: Path, tmp_path: Path, cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    lines = re.findall(r"^veggies-sim (.*)$", (root / "README.md").read_text(), re.M)
    assert len(lines) >= 5
    for line in lines:
        words = ["1000" if word == "100000" else word for word in shlex.split(line)]
        status, _, err = cli(*words)
        assert status == 0, err


def test_make_commands_exist(root: Path) -> None:
    text = (root / "Makefile").read_text()
    for name in re.findall(r"^make (\w+)", (root / "README.md").read_text(), re.M):
        assert re.search(rf"^{name}:", text, re.M)
