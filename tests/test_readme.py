"""Everything in the README runs, and prints what the README says."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from veggies_sim.games.veggies.deck_words import ALIASES


def test_python_quickstart(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = re.search(r"```python\n(.*?)```", (root / "README.md").read_text(), re.S)
    assert code
    exec(compile(code[1], "README.md", "exec"), {"__name__": "readme"})
    said = re.findall(r"^print\(.*\)  # (.*)$", code[1], re.M)
    assert len(said) == code[1].count("print(") and said == capsys.readouterr().out.splitlines()


def test_commands(root: Path, tmp_path: Path, cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copytree(root / "data", "data")
    lines = re.findall(r"^veggies-sim (.*)$", (root / "README.md").read_text(), re.M)
    assert len(lines) >= 5
    for line in lines:
        words = ["1000" if word == "100000" else word for word in shlex.split(line, comments=True)]
        status, _, err = cli(*words)
        assert status == 0, err


def test_make_commands_exist(root: Path) -> None:
    text = (root / "Makefile").read_text()
    for name in re.findall(r"^make (\w+)", (root / "README.md").read_text(), re.M):
        assert re.search(rf"^{name}:", text, re.M)


def test_the_words_of_a_deck_file_are_read(root: Path) -> None:
    text = re.search(r"^- A space is .*?(?=^- Columns)", (root / "README.md").read_text(), re.S | re.M)
    assert text
    words = [word.lower() for part in re.findall("`([^`]+)`", text[0]) for word in part.split()]
    assert len(words) == 21 and not set(words) - set(ALIASES)


@pytest.mark.parametrize("file", ["README.md", "CONTRIBUTING.md"])
def test_links_to_files_lead_somewhere(root: Path, file: str) -> None:
    for target in re.findall(r"\]\((?!http)([^)#]+)\)", (root / file).read_text()):
        assert (root / target).exists(), target


def test_policies_name_sections_that_the_rules_have(root: Path, cli) -> None:
    for file, section in re.findall(r"\(source: (docs/\S+\.md): (.*)\)", cli("policies")[1]):
        assert f"\n## {section}\n" in (root / file).read_text()
    assert "source: docs/veggies.md" in cli("policies")[1]


def test_the_table_of_speed_is_what_the_script_prints(root: Path) -> None:
    command = [sys.executable, "scripts/bench.py", "--table", "docs/bench.jsonl"]
    printed = subprocess.run(command, cwd=root, check=True, capture_output=True, text=True, encoding="utf-8").stdout
    assert printed.count("\n") > 5 and printed in (root / "README.md").read_text(encoding="utf-8")
