"""The manifest `run.json`: what a dataset is, where it came from, and which games it holds.

Its key `parts` lists the files by number only, so that no path is ever taken from a file that somebody sent.
"""

from __future__ import annotations

import json
import os
import platform
import sys
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, fields
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

from veggies_sim.core.errors import InputError

FILE = "run.json"
SCHEMA = 1  # raised when the layout of a dataset changes
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


@dataclass
class Part:
    """One part: games first .. first + games - 1, and how many rows each table's file must have."""

    number: int
    first: int
    games: int
    rows: dict[str, int]

    def file(self, folder: Path, table: str) -> Path:
        """Return the part's file of a table."""
        return folder / table / f"part-{self.number:06d}.parquet"


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
    state: str = "running"  # running, complete, interrupted, failed
    parts: list[Part] = field(default_factory=list)
    schema: int = SCHEMA
    versions: dict[str, str] = field(default_factory=lambda: versions())
    command: str = field(default_factory=lambda: " ".join(sys.argv))
    created: str = field(default_factory=lambda: datetime.now(UTC).isoformat(timespec="seconds"))
    seconds: float = 0.0  # of playing and writing, all sessions together

    def save(self, folder: Path) -> None:
        """Write run.json under a temporary name, then put it in place."""
        self.parts.sort(key=lambda part: part.first)
        self.games = sum(part.games for part in self.parts)
        temporary = folder / f".{FILE}.new"
        temporary.write_text(json.dumps(asdict(self), indent=1, ensure_ascii=False) + "\n", encoding="utf-8", newline="\n")
        os.replace(temporary, folder / FILE)

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
            if mine != others:
                words.append(f"{key.replace('_', ' ')}: {_short(mine)} here, {_short(others)} there")
        return words

    def provenance(self) -> str:
        """Return what each file's metadata says of its run, as JSON."""
        keys = (*IDENTITY, "schema", "versions", "created")
        return json.dumps({key: getattr(self, key) for key in keys}, ensure_ascii=False)


def spans(stretches: Iterable[tuple[int, int]], most: int = 10) -> str:
    """Return stretches of games, each (first, count), in words; of a long list only the first ones.

    >>> spans([(0, 50), (60, 1)])
    '0..49, 60'
    """
    texts = [f"{first}..{first + count - 1}" if count > 1 else str(first) for first, count in stretches]
    return ", ".join(texts[:most] + ["..."][: len(texts) > most]) or "none"


def versions() -> dict[str, str]:
    """Return the versions of this package, of Python and of the libraries that a result may depend on."""
    from veggies_sim import __version__

    found = {"veggies_sim": __version__, "python": platform.python_version(), "platform": platform.platform()}
    return found | {name: metadata.version(name) for name in _LIBRARIES}


def load(folder: Path) -> Manifest:
    """Read the manifest of a dataset. Raises InputError for a folder that is none, and for a damaged or newer manifest."""
    path = folder / FILE
    if not folder.is_dir():
        raise InputError(f"{folder}: no such folder. Give the folder of a dataset (one that holds {FILE}).")
    if not path.is_file():
        raise InputError(f"{folder}: not a dataset, it has no {FILE}. Give a folder that `simulate` wrote.")
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: can't be read as JSON ({error}). Restore the file, or simulate again.") from None
    if not isinstance(data, dict) or not isinstance(data.get("schema"), int):
        raise InputError(f"{path}: not a manifest of a dataset (it has no whole number `schema`).")
    if data["schema"] > SCHEMA:
        raise InputError(
            f"{path}: dataset layout {data['schema']} is newer than this package reads (up to {SCHEMA}). Update veggies_sim."
        )
    return _build(data, path)


def _build(data: dict[str, Any], path: Path) -> Manifest:
    known = {item.name for item in fields(Manifest)}
    try:
        manifest = Manifest(**{key: value for key, value in data.items() if key in known})
        manifest.parts = [Part(**{key: part[key] for key in ("number", "first", "games", "rows")}) for part in data["parts"]]
    except (TypeError, KeyError) as error:
        raise InputError(f"{path}: a damaged manifest ({error}). Restore the file, or simulate again.") from None
    counts = [manifest.players, manifest.games, manifest.games_requested, manifest.first_game, manifest.seed, manifest.behaviour]
    counts += [manifest.policy_seed, manifest.plays_per_deal]
    counts += [number for part in manifest.parts for number in (part.number, part.first, part.games, *part.rows.values())]
    kinds = ((manifest.rules, dict), (manifest.policies, list), (manifest.game, str), (manifest.record, str))
    if not all(type(n) is int and n >= 0 for n in counts) or not all(isinstance(value, kind) for value, kind in kinds):
        raise InputError(f"{path}: a damaged manifest (a value has the wrong type). Restore the file, or simulate again.")
    return manifest


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) <= 60 else text[:57] + "..."
