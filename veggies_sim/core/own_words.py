"""Words for what is wrong with a user's function: its signature, what it returned, where it stopped."""

from __future__ import annotations

import importlib
import inspect
import re
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from veggies_sim.core.errors import brief, show

SCORES, DECISION = ("features", "names"), ("features", "u")
_FORM = f"valid: f({', '.join(SCORES)}, key=number ...) that returns scores, or a Numba f({', '.join(DECISION)})"
_OURS = str(Path(__file__).parents[1])
_KINDS = {"U": "texts", "S": "texts", "c": "complex numbers", "O": "objects"}
_NUMBA_PLACE = re.compile(r'File "(?:[^"]*[\\/])?([^"\\/]+)", line (\d+)')


def signature_fault(plain: Callable[..., Any]) -> str:
    """Return what is wrong with the signature of a function, or "" where it is one of the two forms."""
    if inspect.isclass(plain):
        return f"found a class; {_FORM}."
    if inspect.iscoroutinefunction(plain) or inspect.isgeneratorfunction(plain) or inspect.isasyncgenfunction(plain):
        return f"it is async or has a yield; {_FORM}."
    try:
        parameters = list(inspect.signature(plain).parameters.values())
    except (TypeError, ValueError):
        return f"its signature can't be read; {_FORM}."
    words, found = tuple(p.name for p in parameters[:2]), f"found f({', '.join(map(str, parameters))})"
    if words not in (SCORES, DECISION) or (words == DECISION and len(parameters) > 2):
        return f"{found}; {_FORM}."
    for p in parameters[2:]:
        if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD, p.POSITIONAL_ONLY):
            return f"{found}; argument {p} can't be given by name; {_FORM}."
        if p.default is p.empty:
            return f"{found}; argument {p.name} has no default; write {p.name}=1.0."
        if isinstance(p.default, bool) or not isinstance(p.default, int | float):
            return f"{found}; argument {p} has a default that is no number; write {p.name}=1.0."
    return ""


def scores_fault(answer: object, scores: NDArray[Any], moves: int) -> str:
    """Return what is wrong with an answer that should hold a score for each move, or ""."""
    if scores.shape == (moves,) and scores.dtype.kind in "fiub":
        return ""
    said = f"{_KINDS.get(scores.dtype.kind, 'numbers')} of shape {scores.shape}" if scores.ndim else show(answer)
    return f"returned {said}; return an array with one number for each of the {moves} moves."


def stopped(error: BaseException) -> str:
    """Return an error of a user's function, with the line of its file where that is known."""
    from numba.core.errors import NumbaError

    if not isinstance(error, NumbaError):
        return f"{brief(error)}{place(error)}"
    text = str(error)
    line = next((each for each in text.splitlines() if each.strip() and not each.startswith("Failed in")), "")
    at = _NUMBA_PLACE.search(text)
    said = "features can't be written to, use features.copy()" if "readonly array" in text and "setitem" in text else line[:200]
    return f"does not compile: {said}{f' ({at[1]} line {at[2]})' if at else ''}"


def place(error: BaseException) -> str:
    """Return ` (my.py line 42)`, the last line of the user's file on the way to an error, or ""."""
    skip = str(importlib.__file__)
    frames = [each for each in traceback.extract_tb(error.__traceback__) if not each.filename.startswith(("<", _OURS, skip))]
    lines = [each.lineno for each in frames if each.filename == frames[0].filename]
    return f" ({Path(frames[0].filename).name} line {lines[-1]})" if lines else ""
