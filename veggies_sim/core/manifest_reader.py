"""Reading `run.json`: the one place that decides whether a manifest, which anybody may have edited, can be believed."""

from __future__ import annotations

import json
import math
from dataclasses import fields
from itertools import pairwise
from pathlib import Path
from typing import Any

from veggies_sim.core.checks import flag, one_of, whole
from veggies_sim.core.errors import InputError, show
from veggies_sim.core.files import file_errors
from veggies_sim.core.manifest import FILE, LIMITS, SCHEMA, STATES, Manifest, Part
from veggies_sim.core.schema import RECORDS, tables_of

_NUMBERS = {name: LIMITS[name] for name in ("first_game", "seed", "policy_seed", "plays_per_deal")}
_NUMBERS |= {"games_requested": LIMITS["games"], "games": (0, LIMITS["games"][1]), "players": (1, 255), "behaviour": (0, 2**31)}
_PART = {"number": (0, 2**31), "first": (0, 2**63), "games": (1, LIMITS["games"][1])}


def load(folder: Path) -> Manifest:
    """Read the manifest of a dataset. Raises InputError for a folder that is none, and for a damaged or newer manifest."""
    path = folder / FILE
    with file_errors(path, "read", "Give the folder of a dataset that you may read."):
        if not folder.is_dir():
            raise InputError(f"{folder}: no such folder. Give the folder of a dataset (one that holds {FILE}).")
        if not path.is_file():
            raise InputError(f"{folder}: not a dataset, it has no {FILE}. Give a folder that `simulate` wrote.")
        text = path.read_bytes()
    try:
        data = json.loads(text.decode())
        json.dumps(data, ensure_ascii=False).encode()  # half characters are no text
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: can't be read as JSON ({show(str(error))}). Restore the file, or simulate again.") from None
    if not isinstance(data, dict) or type(data.get("schema")) is not int or data["schema"] < 1:
        raise InputError(f"{path}: not a manifest of a dataset (its `schema` is no number from 1). Give another folder.")
    if data["schema"] > SCHEMA:
        raise InputError(
            f"{path}: dataset layout {data['schema']} is newer than this package reads (up to {SCHEMA}). Update veggies_sim."
        )
    try:
        return _build(data)
    except InputError as error:
        raise InputError(f"{path}: a damaged manifest: {error} Restore the file, or simulate again.") from None


def _build(data: dict[str, Any]) -> Manifest:
    names = [item.name for item in fields(Manifest)]
    data = {"own_code": {}, "until": {}, "looks": []} | data  # older datasets have none
    lacking = [name for name in names if name not in data]
    _need(not lacking, f"it has no {', '.join(lacking)}.")
    manifest = Manifest(**{name: data[name] for name in names})
    _check_values(manifest)
    _check_until(manifest)
    _need(isinstance(manifest.parts, list), "parts is no list.")
    manifest.parts = [_part(part, manifest) for part in data["parts"]]
    _check_together(manifest)
    return manifest


def _need(holds: bool, fault: str) -> None:
    if not holds:
        raise InputError(fault)


def _check_values(m: Manifest) -> None:
    """Refuse values that no run can have, each for itself."""
    for name, (low, high) in _NUMBERS.items():
        whole(getattr(m, name), name, low, high)
    flag(m.rotate_seats, "rotate_seats")
    one_of(m.record, "record", RECORDS)
    one_of(m.state, "state", STATES)
    for name in ("game", "setup_hash", "command", "created"):
        _need(isinstance(getattr(m, name), str), f"{name} is no text.")
    for name, kinds in (("rules", (int, float, str)), ("versions", (str,)), ("own_code", (str,))):
        held = getattr(m, name)
        right = isinstance(held, dict) and all(type(value) in kinds for value in held.values())
        _need(right, f"{name}: found {show(held)}.")
    right = isinstance(m.policies, list) and all(isinstance(policy, str) for policy in m.policies)
    _need(right and len(m.policies) == m.players, f"policies: found {show(m.policies)}; valid: one for each player.")
    right = _is_number(m.seconds) and m.seconds >= 0
    _need(right, f"seconds: found {show(m.seconds)}.")


def _is_number(value: Any) -> bool:
    return (type(value) is int and abs(value) < 2**63) or (type(value) is float and math.isfinite(value))


def _check_until(m: Manifest) -> None:
    """Refuse a wished precision, and looks at it, that no run can have."""
    if m.until != {}:
        right = isinstance(m.until, dict) and set(m.until) == {"target", "games"} and isinstance(m.until["target"], str)
        _need(right, f"until: found {show(m.until)}.")
        whole(m.until["games"], "until, games", *LIMITS["games"])
    _need(isinstance(m.looks, list), "looks is no list.")
    for look in m.looks:
        right = isinstance(look, dict) and set(look) == {"games", "value", "low", "high"}
        found = [value is not None for key, value in look.items() if key != "games"] if right else []
        right = right and all(value is None or _is_number(value) for value in look.values()) and len({*found}) == 1
        _need(right and type(look["games"]) is int, f"a look is {show(look)}.")


def _part(data: Any, m: Manifest) -> Part:
    """Return one entry of `parts`; the names of its files come from `record`, never from the entry."""
    _need(isinstance(data, dict), f"a part is {show(data)}.")
    number, first, games = (whole(data.get(name), f"part, {name}", *limits) for name, limits in _PART.items())
    rows = data.get("rows")
    _need(isinstance(rows, dict) and set(rows) == set(tables_of(m.record)), f"part {number} has the rows {show(rows)}.")
    counts = {table: whole(rows[table], f"part {number}, rows of {table}", 1, 2**63) for table in tables_of(m.record)}
    right = counts["seats"] == games * m.players and counts.get("deals", games) == games
    _need(right, f"part {number} has {games:,} games and the rows {show(counts)}.")
    crc = data.get("crc", {})
    _need(isinstance(crc, dict) and set(crc) in (set(), set(counts)), f"part {number} has the checksums {show(crc)}.")
    return Part(number, first, games, counts, {table: whole(crc[table], f"part {number}, crc", 0, 2**32) for table in crc})


def _check_together(m: Manifest) -> None:
    """Refuse parts and counts that contradict each other."""
    parts, end = sorted(m.parts, key=lambda part: part.first), m.first_game + m.games_requested
    for a, b in pairwise(parts):
        _need(a.first + a.games <= b.first, f"parts {a.number} and {b.number} both hold game {b.first}.")
    _need(len({part.number for part in parts}) == len(parts), "two parts have one number.")
    inside = all(m.first_game <= part.first and part.first + part.games <= end for part in parts)
    _need(inside, f"a part holds games outside of {m.first_game}..{end - 1}.")
    held = sum(part.games for part in parts)
    _need(m.games == held, f"games is {m.games:,}, the parts hold {held:,}.")
    _need(m.state != "complete" or not m.missing(), "its state is complete, but games are missing.")
