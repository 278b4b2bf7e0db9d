"""Reading TOML files that people write: one clear message for every fault. Files are data: nothing in them is run."""

from __future__ import annotations

import tomllib
from collections.abc import Collection
from pathlib import Path
from typing import Any

from veggies_sim.core.errors import InputError, show, unknown
from veggies_sim.core.files import read_bytes

MOST_BYTES = 1_000_000


def read_toml(path: Path) -> dict[str, Any]:
    """Return what a TOML file holds. Raises InputError for a file that can't be read or is no TOML, with the line."""
    return read_toml_and_bytes(path)[0]


def read_toml_and_bytes(path: Path) -> tuple[dict[str, Any], bytes]:
    """Return what `read_toml` does, and the file as it was read, for those who keep a copy."""
    raw = read_bytes(path, MOST_BYTES, "a file of settings")
    try:
        return tomllib.loads(raw.decode("utf-8-sig")), raw
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: byte {error.start + 1} is no UTF-8. Save the file as UTF-8.") from None
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{path}: this is no TOML: {error}. See https://toml.io for the form.") from None
    except ValueError:  # of int: Python reads no longer ones
        raise InputError(f"{path}: a number has thousands of digits. Give another file.") from None
    except RecursionError:
        raise InputError(f"{path}: lists or tables are nested too deep. Give another file.") from None


def check_keys(table: object, valid: Collection[str], where: str) -> dict[str, Any]:
    """Return a table that has no keys but the valid ones. Raises InputError with what may stand there."""
    if not isinstance(table, dict):
        raise InputError(f"{where}: found {show(table)}; give a table with the keys {', '.join(valid)}.")
    for key in table:
        if key not in valid:
            raise unknown(f"key of {where}", key, valid)
    return table
