"""Values that a caller gives: whole numbers, yes or no, one of some words, keys with values, paths.

Each function returns the value as plain Python has it, or raises InputError with what was found and what is valid.
"""

from __future__ import annotations

import math
import operator
import os
import re
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

from veggies_sim.core.errors import InputError, show, unknown

_NUMBER = re.compile(r"[+-]?([0-9]+|[0-9]{1,3}(,[0-9]{3})+|[0-9]{1,3}(_[0-9]{3})+)")


def whole(value: object, name: str, low: int | None = None, high: int | None = None) -> int:
    """Return a whole number from `low` to `high`, where they are given; NumPy's are fine, True and False are none."""
    try:
        number = None if isinstance(value, bool) else operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        number = None
    if number is None or not (low is None or low <= number) or not (high is None or number <= high):
        span = "" if low is None or high is None else f" from {low:,} to {high:,}"
        raise InputError(f"{name}: found {show(value)}; valid: a whole number{span}.")
    return number


def read_whole(word: str, name: str, valid: str = ", such as 10000") -> int:
    """Return the whole number that a word stands for: plain digits, or groups of three as in 10,000 or 10_000.

    valid: what a message says after "a whole number"; the range is not checked here.
    """
    text = word.strip()
    if len(text) > 40 or not _NUMBER.fullmatch(text):
        raise InputError(f"{name}: found {show(word)}; valid: a whole number{valid}.")
    return int(text.replace(",", "").replace("_", ""))


def real(value: object, name: str, low: float | None = None, high: float | None = None) -> float:
    """Return a number that need not be whole, from a number or a word such as -0.5 or 1e-3; nan and infinity are none.

    low, high: the range it must be in, where they are given.
    """
    try:
        number = math.nan if isinstance(value, bool) else float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):  # the last for whole numbers that no float reaches
        number = math.nan
    if not math.isfinite(number) or not (low is None or low <= number) or not (high is None or number <= high):
        span = ", such as -0.5" if low is None or high is None else f" from {low:,.10g} to {high:,.10g}"
        raise InputError(f"{name}: found {show(value)}; valid: a number{span}.")
    return number


def portion(value: object, name: str) -> float:
    """Return a number between 0 and 1, neither of them, such as a confidence level."""
    number = real(value, name)
    if not 0 < number < 1:
        raise InputError(f"{name}: found {show(value)}; valid: between 0 and 1, such as 0.95.")
    return number


def flag(value: object, name: str) -> bool:
    """Return True or False; NumPy's are fine."""
    import numpy as np

    if not isinstance(value, bool | np.bool_):
        raise InputError(f"{name}: found {show(value)}; valid: True or False.")
    return bool(value)


def one_of(value: object, name: str, valid: Collection[str]) -> str:
    """Return a word that is in `valid`."""
    if not isinstance(value, str) or value not in valid:
        raise unknown(name, value, valid)
    return value


def several(value: object, name: str, such_as: str) -> list[Any]:
    """Return what a list, a tuple or the like holds; a single text or number, and a mapping, are none. May be empty."""
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
        raise InputError(f"{name}: found {show(value)}; give a list, such as {such_as}.")
    return list(value)


def refuse_twice(values: Collection[object], name: str, hint: str = "") -> None:
    """Raise InputError where one of some values stands there again."""
    seen: list[object] = []
    for value in values:
        if value in seen:
            raise InputError(f"{name}: {show(value)} is there twice; give each once.{hint}")
        seen.append(value)


def mapping(value: object, name: str) -> dict[str, object]:
    """Return a mapping as a dict of its own; None gives an empty one."""
    if not isinstance(value, Mapping | None):
        raise InputError(f"{name}: found {show(value)}; give a dict of keys and values.")
    return dict(value or {})


def as_path(value: object, name: str = "path") -> Path:
    """Return a path that every library can open: text or a pathlib.Path, not empty, in letters that UTF-8 has."""
    text = os.fspath(value) if isinstance(value, str | os.PathLike) else None
    if not isinstance(text, str) or not text:
        raise InputError(f"{name}: found {show(value)}; give a path, as text or as pathlib.Path.")
    if "\0" in text or text != text.encode(errors="ignore").decode():
        raise InputError(f"{name}: {text[:300]!r} is no name that a file can have in UTF-8; give another, or set PYTHONUTF8=1.")
    return Path(text)
