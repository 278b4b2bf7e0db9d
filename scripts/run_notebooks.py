"""Run the notebooks from their first cell to their last one, and store their outputs.

Each notebook has a cell with the tag `parameters` that sets GAMES. With `--games N` the number is replaced while the notebook
runs, and nothing is stored: a test of all code. Without it, a notebook is first run small, so that kernels are compiled and no
message about it is stored.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import time
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

FOLDER = Path(__file__).resolve().parents[1] / "notebooks"
SMALL = 600  # games: enough for every interval
FOREIGN = ("/work", "/tmp", "/root", "/home", "/Users", ":\\\\", "Traceback", "Warning")  # traces of a machine, or of trouble
MOST_BYTES = 500_000
SECONDS = 600  # a cell may take
KERNEL = {"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"}


def code_hash(notebook: Any) -> str:
    """Return SHA-256 of all code of a notebook: with it stored outputs know the code that they belong to."""
    code = "\n\n".join(cell.source for cell in notebook.cells if cell.cell_type == "code")
    return hashlib.sha256(code.encode()).hexdigest()


def run(notebook: Any, folder: Path, games: int | None = None) -> Any:
    """Run a notebook in a kernel of its own with `folder` as its place, and return it with its outputs.

    games: instead of what the notebook says. Raises nbclient's CellExecutionError with the traceback of a cell that fails.
    """
    if games is not None:
        marked = [at for at, cell in enumerate(notebook.cells) if "parameters" in cell.metadata.get("tags", [])]
        notebook.cells.insert(marked[0] + 1, nbformat.v4.new_code_cell(f"GAMES = {games}"))
    client = NotebookClient(notebook, timeout=SECONDS, kernel_name=KERNEL["name"], record_timing=False, coalesce_streams=True,
                            resources={"metadata": {"path": str(folder)}})  # fmt: skip
    return client.execute()


def faults(notebook: Any, text: str) -> list[str]:
    """Return what is wrong with the stored outputs of a notebook, whose file holds `text`."""
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    outputs = [output for cell in code for output in cell.outputs]
    found = []
    if [cell.execution_count for cell in code] != [*range(1, len(code) + 1)]:
        found.append("cells were not run once each, in order")
    if notebook.metadata.get("code_sha256") != code_hash(notebook):
        found.append("code has changed since the outputs were stored")
    if any(output.output_type == "error" or output.get("name") == "stderr" for output in outputs):
        found.append("errors or messages among the outputs")
    if not any("image/png" in output.get("data", {}) for output in outputs):
        found.append("no picture among the outputs")
    said = "".join(json.dumps(_told(output)) for output in outputs)
    found += [f"{word} among the outputs" for word in FOREIGN if word in said]
    if len(text.encode()) > MOST_BYTES:
        found.append(f"larger than {MOST_BYTES:,} bytes")
    return found


def _told(output: Any) -> dict[str, Any]:
    """Return an output without its PNG, whose letters may read as anything."""
    return {**output, "data": {kind: data for kind, data in output.get("data", {}).items() if kind != "image/png"}}


def store(file: Path) -> list[str]:
    """Run a notebook as it is, write it with its outputs, and return what is wrong with them."""
    notebook = nbformat.read(file, as_version=4)
    found = code_hash(notebook)
    run(notebook, file.parent)
    notebook.metadata = {"kernelspec": KERNEL, "language_info": {"name": "python"}, "code_sha256": found}
    nbformat.write(notebook, file)
    return faults(notebook, file.read_text(encoding="utf-8"))


def main() -> None:
    """Run the notebooks that are named, by default all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("notebook", nargs="*", type=Path, default=sorted(FOLDER.glob("*.ipynb")), help="default: all")
    parser.add_argument("--games", type=int, metavar="N", help="run with N games, and store nothing")
    arguments = parser.parse_args()
    wrong = []
    for file in arguments.notebook:
        start = time.perf_counter()
        run(nbformat.read(file, as_version=4), file.parent, arguments.games or SMALL)
        if not arguments.games:
            start = time.perf_counter()
            wrong += [f"{file.name}: {fault}" for fault in store(file)]
        print(f"{file.name}: {time.perf_counter() - start:.0f} s, {file.stat().st_size / 1e3:.0f} kB", file=sys.stderr)
    if wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main()
