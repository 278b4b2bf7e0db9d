"""Errors that a user can mend, and the words that help to mend them.

What may live here: exceptions with a message for people, and the search for the nearest valid word.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class InputError(ValueError):
    """A file or argument is wrong. The message says what was found, where, what is valid and what to do."""


class IllegalMove(ValueError):
    """A move that the rules of the game do not allow; the message gives the reason."""


class RunFailed(RuntimeError):
    """A run stopped through no fault of the input; what was finished is on disk and the message says how to go on."""


def nearest(word: str, valid: Iterable[str]) -> str | None:
    """Return the entry of `valid` that looks most like `word`, or None where nothing is close."""
    close = difflib.get_close_matches(str(word).strip().lower(), list(valid), n=1, cutoff=0.6)
    return close[0] if close else None


def unknown(what: str, word: str, valid: Iterable[str]) -> InputError:
    """Build the error for a name that is not in the list: the word, the nearest valid one and all valid ones."""
    names = list(valid)
    guess = nearest(word, names)
    hint = f" Did you mean {guess!r}?" if guess else ""
    return InputError(f"unknown {what} {word!r}.{hint} Valid: {', '.join(names) or 'none'}.")
