"""Everything in docs/analysis.md runs as it stands there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import veggies_sim as vs
from veggies_sim.analysis.challenges import challenges


def blocks(root: Path, kind: str) -> list[str]:
    return re.findall(rf"```{kind}\n(.*?)```", (root / "docs/analysis.md").read_text("utf-8"), re.S)


def test_the_python_of_the_page_runs(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (code,) = blocks(root, "python")
    exec(compile(code, "analysis.md", "exec"), {"__name__": "page"})
    assert "<html" in (tmp_path / "page.html").read_text("utf-8")


def test_the_files_of_the_page_are_read(root: Path, tmp_path: Path) -> None:
    conditions, grid = blocks(root, "toml")
    asked, spec = tmp_path / "asked.toml", tmp_path / "grid.toml"
    asked.write_text(conditions, "utf-8")
    spec.write_text(grid, "utf-8")
    run = vs.simulate(vs.Veggies(3), "random", games=50, seed=1)
    assert challenges(run, asked)["challenge"].to_list() == ["no rats", "all goods", "grapes"]
    assert len(vs.sweep(spec, tmp_path / "out", jobs=1).runs) == 6
