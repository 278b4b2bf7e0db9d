"""Notebooks run from their first cell to their last one, and what is stored in them is what their code gave."""

from __future__ import annotations

import copy
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import nbformat
import pytest
from nbclient.exceptions import CellExecutionError
from run_notebooks import FOLDER, FOREIGN, SMALL, faults, run

import veggies_sim as vs

FILES = sorted(FOLDER.glob("*.ipynb"))
COMPILING = re.compile("veggies-sim: compiling .*\n")

each_notebook = pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)


def read(file: Path) -> Any:
    return nbformat.read(file, as_version=4)


def test_all_are_there() -> None:
    names = [
        "01_quickstart",
        "02_score_distributions",
        "03_rat_impact",
        "04_compare_decks",
        "05_policies_and_skill",
        "06_design_a_deck",
        "07_veggie_garden",
    ]
    assert [file.stem for file in FILES] == names


@each_notebook
def test_what_is_stored_is_whole(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    nbformat.validate(read(file))
    assert faults(read(file), text) == []
    words = "\n".join(cell.source for cell in read(file).cells if cell.cell_type == "markdown")
    played = {"07_veggie_garden": vs.VeggieGarden}.get(file.stem, vs.Veggies)
    assert ("**reconstruction**" in words and "true of the printed game" in words) == bool(played.setup_note)


@each_notebook
def test_it_runs(file: Path) -> None:
    notebook = run(read(file), file.parent, SMALL)
    said = "".join(o.text for cell in notebook.cells for o in cell.get("outputs", []) if o.get("name") == "stderr")
    assert COMPILING.sub("", said) == ""


@each_notebook
def test_links_lead_somewhere(file: Path) -> None:
    words = "\n".join(cell.source for cell in read(file).cells if cell.cell_type == "markdown")
    targets = re.findall(r"\]\((?!http)([^)#]+)\)", words)
    assert [target for target in targets if not (file.parent / target).exists()] == []


def test_a_cell_that_fails_is_noticed() -> None:
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("1 / 0")])
    with pytest.raises(CellExecutionError, match="ZeroDivisionError"):
        run(notebook, FOLDER)


def test_faults_of_what_is_stored_are_found() -> None:
    file = FILES[-1]
    good, text = read(file), file.read_text(encoding="utf-8")

    def broken(change: Any) -> list[str]:
        notebook = copy.deepcopy(good)
        change(notebook, [cell for cell in notebook.cells if cell.cell_type == "code"])
        return faults(notebook, text)

    stream = nbformat.v4.new_output("stream", name="stderr", text="hm")
    assert broken(lambda _, code: code[1].update(execution_count=7)) == ["cells were not run once each, in order"]
    assert broken(lambda _, code: code[1].update(source="1")) == ["code has changed since the outputs were stored"]
    assert broken(lambda _, code: code[1].outputs.append(stream)) == ["errors or messages among the outputs"]
    for word in FOREIGN:
        said = nbformat.v4.new_output("stream", text=f"in {word.replace(chr(92) * 2, chr(92))}x")
        assert broken(lambda _, code, said=said: code[1].outputs.append(said)) == [f"{word} among the outputs"]
    assert faults(good, "x" * 600_000) == ["larger than 500,000 bytes"]


def test_a_run_shows_as_a_table() -> None:
    played = vs.simulate(vs.Veggies(players=2, rat_penalty=3), ["random", "sampled"], games=20, seed=5)
    shown = played._repr_html_()
    cells = [element.text for element in ElementTree.fromstring(shown).iter("td")]
    assert cells[0] is not None and cells[0].startswith("Veggies, 2 players; rules: ") and "rat_penalty=3" in cells[0]
    assert cells[1:4] == ["random, sampled", "20 on 20 deals, complete", "5, of the policies 5"]
    assert cells[-1] == vs.Veggies.setup_note
    nasty = vs.Run(played.manifest, played.game, Path("<script>&"))._repr_html_()
    assert "<script" not in nasty and "&lt;script&gt;&amp;" in nasty


def test_the_last_picture_of_a_replay_shows_by_itself() -> None:
    played = vs.simulate(vs.Veggies(players=2), "random", games=1, seed=5)
    step = vs.replay(played, 0)[-1]
    assert step._repr_svg_() == step.svg and step.svg not in repr(step)
