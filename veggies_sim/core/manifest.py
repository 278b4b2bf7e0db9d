"""The manifest `run.json`: what a dataset is, where it came from, and which games it holds.

Its key `parts` lists the files by number only, so that no path is ever taken from a file that somebody sent.
"""

from __future__ import annotations

import functools
import json
import os
import platform
import shlex
import sys
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

from veggies_sim.core.errors import InputError, show
from veggies_sim.core.files import replaced
from veggies_sim.core.policy import seated
from veggies_sim.core.streams import SEED_LIMIT

FILE = "run.json"
REPORT = "report.html"  # a dataset's own report, beside its tables
SCHEMA = 1  # raised when the layout of a dataset changes
STATES = ("running", "complete", "interrupted", "failed")
LIMITS = {  # lowest and highest value of a run's numbers
    "games": (1, 2**62),
    "first_game": (0, 2**62),
    "seed": (0, SEED_LIMIT - 1),
    "policy_seed": (0, SEED_LIMIT - 1),
    "plays_per_deal": (1, 2**31),
}
_LIBRARIES = ("numpy", "numba", "pyarrow", "polars", "joblib")
# What two datasets must share to hold games of one run.
IDENTITY = (
    "game",
    "behaviour",
    "players",
    "rules",
    "policies",
    "setup_hash",
    "seed",
    "policy_seed",
    "plays_per_deal",
    "rotate_seats",
    "record",
)


@functools.cache  # a ladder makes hundreds of manifests
def versions() -> dict[str, str]:
    """Return the versions of this package, of Python and of the libraries that a result may depend on."""
    from veggies_sim import __version__

    found = {"veggies_sim": __version__, "python": platform.python_version(), "platform": platform.platform()}
    return found | {name: metadata.version(name) for name in _LIBRARIES}


@dataclass
class Part:
    """One part: games first .. first + games - 1, and for each table's file how many rows it has and its CRC-32."""

    number: int
    first: int
    games: int
    rows: dict[str, int]
    crc: dict[str, int] = field(default_factory=dict)  # none in older datasets

    def file(self, folder: Path, table: str) -> Path:
        """Return the part's file of a table: an absolute path, since Arrow takes `~` at the start for the home folder."""
        return (folder / table / f"part-{self.number:06d}.parquet").absolute()


@dataclass
class Manifest:
    """Everything that `run.json` says. `games` is what the dataset holds, `games_requested` what the run asked for."""

    game: str
    behaviour: int
    players: int
    games: int
    games_requested: int
    first_game: int
    seed: int
    policy_seed: int
    plays_per_deal: int
    rotate_seats: bool
    record: str
    rules: dict[str, Any]
    policies: list[str]
    setup_hash: str
    own_code: dict[str, str] = field(default_factory=dict)  # a hash of the file of each own policy, where there is one
    state: str = "running"  # one of STATES
    parts: list[Part] = field(default_factory=list)
    schema: int = SCHEMA
    versions: dict[str, str] = field(default_factory=lambda: dict(versions()))
    command: str = field(default_factory=lambda: _command())
    created: str = field(default_factory=lambda: datetime.now(UTC).isoformat(timespec="seconds"))
    seconds: float = 0.0  # of playing and writing, all sessions together
    until: dict[str, Any] = field(default_factory=dict)  # target (text) and games (the most): see `analysis.until`; else empty
    looks: list[dict[str, Any]] = field(default_factory=list)  # how narrow it was: games, value, low, high (or null)

    def save(self, folder: Path) -> None:
        """Write run.json, whole or not at all."""
        self.parts.sort(key=lambda part: part.first)
        self.games = sum(part.games for part in self.parts)
        with replaced(folder / FILE) as temporary:
            temporary.write_text(json.dumps(asdict(self), indent=1, ensure_ascii=False) + "\n", encoding="utf-8", newline="\n")

    def missing(self) -> list[tuple[int, int]]:
        """Return (first, count) of every stretch of requested games that no part holds."""
        gaps, at, end = [], self.first_game, self.first_game + self.games_requested
        for part in sorted(self.parts, key=lambda part: part.first):
            if part.first > at:
                gaps.append((at, part.first - at))
            at = max(at, part.first + part.games)
        return gaps + ([(at, end - at)] if at < end else [])

    def finished(self) -> list[tuple[int, int]]:
        """Return (first, count) of every stretch of games that the parts hold."""
        stretches: list[tuple[int, int]] = []
        for part in sorted(self.parts, key=lambda part: part.first):
            if stretches and sum(stretches[-1]) == part.first:
                first, count = stretches.pop()
                stretches.append((first, count + part.games))
            else:
                stretches.append((part.first, part.games))
        return stretches

    def differences(self, other: Manifest, keys: Iterable[str] = IDENTITY) -> list[str]:
        """Return in words what keeps two manifests from being one run; empty where nothing does."""
        words = []
        for key in keys:
            mine, others = getattr(self, key), getattr(other, key)
            pairs = {key.replace("_", " "): (mine, others)}
            if isinstance(mine, dict):  # name only the keys that differ
                pairs = {f"{key}, {name}": (value, others.get(name)) for name, value in mine.items()}
            words += [f"{name}: {_words(a)} here, {_words(b)} there" for name, (a, b) in pairs.items() if a != b]
        return words + [f"the file of {name} has changed" for name in self.other_code(other.own_code)]

    def other_code(self, codes: Mapping[str, str]) -> list[str]:
        """Return the own policies whose file has not the hash given; one without a hash counts as the same."""
        return [name for name, code in self.own_code.items() if codes.get(name, code) != code]

    def provenance(self) -> str:
        """Return what each file's metadata says of its run, as JSON."""
        keys = (*IDENTITY, "schema", "versions", "created")
        return json.dumps({key: getattr(self, key) for key in keys}, ensure_ascii=False)


def deals_of(stretches: Iterable[tuple[int, int]], games_per_deal: int) -> list[tuple[int, int]]:
    """Return (first, count) of every stretch of deals that some stretches of games, in order, have games of.

    >>> deals_of([(0, 5), (5, 1), (9, 3)], 3)
    [(0, 2), (3, 1)]
    """
    deals: list[tuple[int, int]] = []
    for first, count in stretches:
        begin, end = first // games_per_deal, (first + count - 1) // games_per_deal + 1
        if deals and begin <= sum(deals[-1]):
            begin = deals.pop()[0]
        deals.append((begin, end - begin))
    return deals


def spans(stretches: Iterable[tuple[int, int]], most: int = 10) -> str:
    """Return stretches of games, each (first, count), in words; of a long list only the first ones.

    >>> spans([(0, 50), (60, 1)])
    '0..49, 60'
    """
    texts = [f"{first}..{first + count - 1}" if count > 1 else str(first) for first, count in stretches if count]
    return ", ".join(texts[:most] + ["..."][: len(texts) > most]) or "none"


def refuse_inside(path: Path) -> None:
    """Raise InputError where a folder above `path` is a dataset, which should hold nothing but its own files."""
    for folder in path.absolute().parents:
        if os.path.isfile(folder / FILE):  # False also for names too long for a file
            raise InputError(f"{path} is inside of a dataset ({folder}). Give a place outside of it.")


def is_report(file: Path) -> bool:
    """Say whether a file is a report that this package wrote."""
    if not file.is_file():
        return False
    with file.open("rb") as stream:
        return b'<meta name="generator" content="veggies_sim' in stream.read(500)


def _words(value: object) -> str:
    """Return a value as it may stand in a message; a list, which is that of the policies, as people write it."""
    return seated(value) if isinstance(value, list) else show(value)


def _command() -> str:
    """Return the command line of this process; bytes of it that are no text are written as escapes."""
    return shlex.join(sys.argv).encode(errors="backslashreplace").decode()
