"""The lineage of a deck: a file beside it with one line of JSON for each change, from the first deck to this one.

    my.csv  my.lineage.jsonl

Each line has the keys of KEYS: hashes of the new deck and of its parent, the operation with its arguments, the seed of its
draws (null where there were none) and the version of the package. It has no clock and no paths, so equal work gives equal
lines. A lineage may come from somebody else: it is data, and nothing in it is run.
"""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from veggies_sim import __version__
from veggies_sim.core.checks import as_path, one_of, whole
from veggies_sim.core.errors import InputError, show
from veggies_sim.core.files import check_new_file, new_file, read_bytes
from veggies_sim.core.manifest import refuse_inside
from veggies_sim.core.streams import SEED_LIMIT
from veggies_sim.core.toml import check_keys
from veggies_sim.games.veggies.deck import Deck, as_deck
from veggies_sim.games.veggies.design.edit import OPERATIONS

KEYS = ("deck", "parent", "operation", "arguments", "seed", "version")
MOST_BYTES = 10_000_000  # some 30,000 changes
_HASH = re.compile("[0-9a-f]{64}")


class Step(NamedTuple):
    """One change; the fields are the keys of a line."""

    deck: str  # hash of the new deck
    parent: str  # hash of the deck before
    operation: str  # of OPERATIONS
    arguments: Mapping[str, Any]
    seed: int | None
    version: str


def lineage_file(deck: str | Path) -> Path:
    """Return where the lineage of a deck file is."""
    deck = as_path(deck, "deck file")
    return deck.with_name(f"{deck.stem}.lineage.jsonl")


def check_place(file: str | Path) -> None:
    """Raise InputError where a new deck file and its lineage can't be written."""
    file = as_path(file, "deck file")
    refuse_inside(file)
    check_new_file(file, ("csv",), "a deck")
    check_new_file(lineage_file(file), ("jsonl",), "a lineage")


def changed(deck: Deck, operation: str, arguments: Mapping[str, Any], seed: int | None = None) -> tuple[Deck, Step]:
    """Return the deck after an operation, and the step for its lineage. Raises InputError as the operation does."""
    drawn = {} if seed is None else {"seed": seed}
    new = OPERATIONS[one_of(operation, "operation", OPERATIONS)](deck, **arguments, **drawn)
    return new, Step(new.hash, deck.hash, operation, arguments, seed, __version__)


def read_lineage(file: str | Path) -> list[Step]:
    """Return the steps of a lineage file, the first change first. Raises InputError for what is wrong, with its line."""
    raw = read_bytes(as_path(file, "lineage"), MOST_BYTES, "a lineage")
    steps: list[Step] = []
    for number, line in enumerate(raw.splitlines(), 1):
        try:
            steps.append(_step(line))
            if number > 1 and steps[-1].parent != steps[-2].deck:
                raise InputError("its parent is not the deck of the line before")
        except InputError as error:
            advice = "A lineage is written by `deck edit`: take its own file, or move this one away"
            raise InputError(f"{file}:{number}: {str(error).rstrip('.')}. {advice}.") from None
    if not steps:
        raise InputError(f"{file}: the lineage is empty. Move it away.")
    return steps


def _step(line: bytes) -> Step:
    """Return the step of one line."""
    try:
        read = json.loads(line.decode("utf-8-sig"))
    except (ValueError, RecursionError):  # ValueError also for bytes that are no text and for numbers of thousands of digits
        raise InputError(f"found {show(line)}; this is no line of JSON") from None
    found = check_keys(read, KEYS, "the line")
    if missing := [key for key in KEYS if key not in found]:
        raise InputError(f"found no {', '.join(missing)}; valid: the keys {', '.join(KEYS)}")
    for key in ("deck", "parent"):
        if not isinstance(found[key], str) or not _HASH.fullmatch(found[key]):
            raise InputError(f"{key}: found {show(found[key])}; valid: a SHA-256 in hexadecimal")
    one_of(found["operation"], "operation", OPERATIONS)
    if not isinstance(found["arguments"], dict) or not all(map(_is_argument, found["arguments"].items())):
        raise InputError(f"arguments: found {show(found['arguments'])}; valid: names, each with a text, a number or a list of them")
    if found["seed"] is not None:
        whole(found["seed"], "seed", 0, SEED_LIMIT - 1)
    if not isinstance(found["version"], str) or not re.fullmatch(r"[\w.+-]{1,40}", found["version"]):
        raise InputError(f"version: found {show(found['version'])}; valid: one such as {__version__}")
    return Step(**found)


def _is_argument(item: tuple[str, object]) -> bool:
    """Say whether a name and its value can be an argument of an operation: nothing nested, which no operation has."""
    name, value = item
    values = value if isinstance(value, list) else [value]
    plain = all(isinstance(each, str | int | None) or (isinstance(each, float) and math.isfinite(each)) for each in values)
    return name.isascii() and name.isidentifier() and plain


def history(file: str | Path, deck: Deck) -> tuple[list[Step], str]:
    """Return the lineage of the deck in `file` and "", or no steps and the reason why it has none."""
    beside = lineage_file(file)
    if not os.path.exists(beside):  # so also where its name would be too long for a file
        return [], f"{file} has no lineage beside it ({beside.name})"
    steps = read_lineage(beside)
    if steps[-1].deck != as_deck(deck).hash:
        return [], f"{beside.name} is of another deck: its last one is {steps[-1].deck[:12]}, {file} is {deck.hash[:12]}"
    return steps, ""


def save(deck: Deck, steps: Sequence[Step], file: str | Path) -> None:
    """Write a deck and its lineage to new files, both or none. Raises InputError, also for steps that don't lead to the deck."""
    file = as_path(file, "deck file")
    if not steps or steps[-1].deck != as_deck(deck).hash:
        raise InputError(f"{file}: the last step of the lineage doesn't lead to this deck. Give the steps of `changed`.")
    text = "".join(f"{json.dumps(step._asdict())}\n" for step in steps).encode()
    if len(text) > MOST_BYTES:
        raise InputError(f"{file}: its lineage would have more than {MOST_BYTES:,} bytes. Copy the deck to begin a new one.")
    beside = lineage_file(file)
    with new_file(file), new_file(beside):
        beside.write_bytes(text)
        deck.write_csv(file)


def history_text(steps: Sequence[Step]) -> str:
    """Return a lineage for people: the first deck, then a line for each change."""
    lines = [f"{steps[0].parent[:12]}  the first deck"]
    for step in steps:
        words = ", ".join(f"{key} {_plain(value)}" for key, value in step.arguments.items())
        seed = "" if step.seed is None else f", seed {step.seed}"
        lines.append(f"{step.deck[:12]}  {step.operation}: {words}{seed}  (version {step.version})")
    return "\n".join(lines)


def _plain(value: object) -> str:
    """Return a value as JSON has it, with nothing that a terminal would take for a command."""
    text = json.dumps(value, ensure_ascii=False)
    return text if text.isprintable() else json.dumps(value)
