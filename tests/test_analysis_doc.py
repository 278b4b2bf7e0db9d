"""Everything in docs/analysis.md runs as it stands there."""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl
import pytest

import veggies_sim as vs
from veggies_sim.analysis.challenges import challenges


def blocks(root: Path, kind: str) -> list[str]:
    return re.findall(rf"```{kind}\n(.*?)```", (root / "docs/analysis.md").read_text("utf-8"), re.S)


def test_the_python_of_the_page_runs_and_prints_what_it_shows(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    shown = blocks(root, "text")
    with pl.Config():  # the page sets it
        exec(compile("".join(blocks(root, "python")), "analysis.md", "exec"), {"__name__": "page"})
    said = capsys.readouterr().out
    assert len(shown) == 2 and all(each in said for each in shown)
    assert "error" in said and "p_corrected" in said and "…" not in said.splitlines()[5]
    assert "<html" in (tmp_path / "page.html").read_text("utf-8")
    for name in ("seats.png", "rats.png"):
        assert (tmp_path / name).read_bytes().startswith(b"\x89PNG")


def test_the_files_of_the_page_are_read(root: Path, tmp_path: Path) -> None:
    conditions, garden, grid = blocks(root, "toml")
    asked, spec = tmp_path / "asked.toml", tmp_path / "grid.toml"
    asked.write_text(conditions, "utf-8")
    spec.write_text(grid, "utf-8")
    run = vs.simulate(vs.Veggies(3), "random", games=50, seed=1)
    assert challenges(run, asked)["challenge"].to_list() == ["no rats", "all goods", "grapes"]
    asked.write_text(garden, "utf-8")
    run = vs.simulate(vs.VeggieGarden(3), "random", games=50, seed=1)
    assert challenges(run, asked)["challenge"].to_list() == ["every kind", "no tomato"]
    assert len(vs.sweep(spec, tmp_path / "out", jobs=1).runs) == 6
