"""The keep of compiled kernels: broken, unwritable or absent, it costs a compilation and never the run."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from veggies_sim.core.jit import kernel_sources

CODE = """
import numpy as np
from veggies_sim.core.streams import uniforms
print(uniforms(np.uint64(1), 1, 2, np.arange(5, dtype=np.uint64), 3))
"""


def run(cache: Path, **more: str) -> tuple[str, str]:
    done = subprocess.run(
        [sys.executable, "-c", CODE], capture_output=True, text=True, env=os.environ | {"VEGGIES_SIM_CACHE": str(cache)} | more
    )
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr


def test_a_broken_cache_is_compiled_again(tmp_path: Path) -> None:
    first, said = run(tmp_path)
    assert "compiling" in said
    assert run(tmp_path) == (first, "")
    for pattern in ("*.nbc", "*.nbi"):
        for file in tmp_path.rglob(pattern):
            file.write_bytes(file.read_bytes()[:20])
        again, said = run(tmp_path)
        assert again == first and "compiling" in said


def test_no_place_for_a_cache(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    told, said = run(blocked, TMPDIR=str(temporary))
    assert told == run(tmp_path / "good")[0]
    assert said.count("set VEGGIES_SIM_CACHE") == 1 and not list(temporary.iterdir())


def test_with_the_jit_off(tmp_path: Path) -> None:
    assert run(tmp_path, NUMBA_DISABLE_JIT="1")[0] == run(tmp_path)[0]


GAMES = """
import warnings; warnings.simplefilter("error")
import veggies_sim as vs
for game in (vs.Veggies(players=2, stand_size=5), vs.VeggieGarden(players=2, copies=8)):
    for policy, games in (("random", 4), ("greedy", 1)):
        run = vs.simulate(game, policy, games, seed=3, jobs=1, record="moves")
        print(run.seats.write_csv(), run.moves.write_csv(), run.deals.row(0))
"""


def test_same_rows_with_the_jit_off() -> None:
    texts = []
    for off in ("0", "1"):
        done = subprocess.run(
            [sys.executable, "-c", GAMES], capture_output=True, text=True, env=os.environ | {"NUMBA_DISABLE_JIT": off}
        )
        assert done.returncode == 0, done.stderr
        texts.append(done.stdout)
    assert texts[0] == texts[1] and "greedy" in texts[0]


def test_kernels_are_made_of_sources_that_name_their_cache(root: Path) -> None:
    package = root / "veggies_sim"
    texts = {path: path.read_text("utf-8") for path in package.rglob("*.py")}
    kernels = [path for path, text in texts.items() if re.search(r"^(from veggies_sim\.core\.jit|import numba)", text, re.M)]
    named = {".".join(path.relative_to(root).with_suffix("").parts): path for path in kernel_sources()}
    assert len(kernels) > 10
    for path in kernels:
        assert path in named.values(), path
        for module in re.findall(r"^from (veggies_sim\.\S+)", texts[path], re.M):
            assert module in named or f"{module}.__init__" in named, f"{path} takes something from {module}"
