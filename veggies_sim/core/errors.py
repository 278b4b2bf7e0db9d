"""Errors that a user can mend, and the words that help to mend them.

What may live here: exceptions with a message for people, values as they stand in it, the search for the nearest valid word.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping

MOST_NAMES, MOST_LETTERS = 100, 60  # valid names that a message lists, and letters of each: ids of cards can be many, and long


class InputError(ValueError):
    """A file or argument is wrong. The message says what was found, where, what is valid and what to do."""


class IllegalMove(ValueError):
    """A move that the rules of the game do not allow; the message gives the reason."""


class RunFailed(RuntimeError):
    """A run stopped through no fault of the input; what was finished is on disk and the message says how to go on."""


def show(value: object) -> str:
    """Return `value` as it may stand in a message: quoted, on one line, not long."""
    if isinstance(value, int) and value.bit_length() > 200:  # Python refuses to write very long numbers
        return f"a number of {value.bit_length():,} bits"
    try:
        text = repr(value[:100] if isinstance(value, str | bytes) else value).replace("\n", " ")
    except RecursionError:
        return f"a {type(value).__name__} nested too deep"
    return text if len(text) <= 60 else f"{text[:56]} ..."


def counted(number: int, noun: str) -> str:
    """Return a number with its noun, which is given for one.

    >>> counted(1, "card"), counted(2_000, "copy"), counted(0, "batch")
    ('1 card', '2,000 copies', '0 batches')
    """
    return f"{number:,} {noun if number == 1 else plural(noun)}"


def plural(noun: str) -> str:
    """Return a noun for several; one in -y is taken to end in a consonant and -y."""
    if noun.endswith("y"):
        return f"{noun[:-1]}ies"
    return f"{noun}es" if noun.endswith(("ch", "sh", "s", "x")) else f"{noun}s"


def brief(error: BaseException) -> str:
    """Return an error as it may stand in a message: its kind and its words, on one line, not long."""
    return f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"


def nearest(word: str, valid: Iterable[str]) -> str | None:
    """Return the entry of `valid` that looks most like `word`, or None where nothing is close."""
    close = difflib.get_close_matches(str(word)[:100].strip().lower(), list(valid), n=1, cutoff=0.6)
    return close[0] if close else None


def unknown(what: str, word: object, valid: Iterable[str], titles: Mapping[str, str] | None = None) -> InputError:
    """Build the error for a name that is not in the list: the word, the nearest valid one and the valid ones.

    titles: other words for valid names, each with its name; who gives one may have meant that.
    """
    names, meant = list(dict.fromkeys(valid)), {title.lower(): name for title, name in (titles or {}).items()}
    guess = nearest(word, [*meant, *names]) if isinstance(word, str) else None
    hint = f" Did you mean {meant.get(guess, guess)!r}?" if guess else ""
    more = f" and {len(names) - MOST_NAMES:,} more" if len(names) > MOST_NAMES else ""
    told = ", ".join(name if len(name) <= MOST_LETTERS else f"{name[:MOST_LETTERS]} ..." for name in names[:MOST_NAMES])
    return InputError(f"unknown {what} {show(word)}.{hint} Valid: {told or 'none'}{more}.")
