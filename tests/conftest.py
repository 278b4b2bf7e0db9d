"""What several test files share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from veggies_sim.cli.main import main


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """Run a command of the command line; gives (exit status, standard output, standard error)."""

    def run(*words: object) -> tuple[int, str, str]:
        capsys.readouterr()
        try:
            status = main([str(word) for word in words])
        except SystemExit as leave:  # --help
            status = int(leave.code or 0)
        done = capsys.readouterr()
        return status, done.out, done.err

    return run


@pytest.fixture(scope="session")
def root() -> Path:
    """The project's folder."""
    return Path(__file__).resolve().parents[1]
