"""Symbols and faces as people type them, in words or letters; what a deck file may say is read here too (ALIASES)."""

from __future__ import annotations

from veggies_sim.core.errors import InputError, show, unknown
from veggies_sim.games.veggies.deck import LETTER, LETTERS, SYMBOLS, Face
from veggies_sim.games.veggies.deck_words import ALIASES, WORDS
from veggies_sim.games.veggies.design.faces import face_of, spaces_of

SUCH_AS = "SB.GRM"  # a face in letters


def read_symbol(word: object, name: str = "symbol") -> str:
    """Return the symbol that a word or letter stands for. Raises InputError, which says `name`, for any other."""
    symbol = ALIASES.get(word.strip().lower()) if isinstance(word, str) else None
    if symbol is None:
        raise unknown(name, word, SYMBOLS, titles=WORDS)
    return symbol


def read_face(text: object, name: str = "face") -> Face:
    """Return the face that six letters or words stand for, the upper row first.

    Letters may stand close together or apart, words apart, with spaces or a / between. Raises InputError, which says `name`,
    with what is wrong.

    >>> read_face("SB. GRM") == read_face("SB./GRM")
    True
    >>> read_face("SB. GRM")
    (('strawberry', 'banana', 'empty'), ('grape', 'rat', 'mushroom'))
    """
    words = text.replace("/", " ").split() if isinstance(text, str) else []
    if len(words) != 6:
        words = [*"".join(words)]
    if len(words) != 6:
        such_as = f"a face has 6 letters, the upper row first, such as {SUCH_AS}"
        raise InputError(f"{name}: found {show(text)}, {len(words)} letters; {such_as}. Valid: {LETTERS}.")
    for number, word in enumerate(words, 1):
        if word.lower() not in ALIASES:
            raise InputError(f"{name}: found {show(word)} as number {number} of 6 in {show(text)}. Valid: {LETTERS}.")
    a, b, c, d, e, f = (ALIASES[word.lower()] for word in words)
    return face_of((a, b, c, d, e, f))


def face_letters(face: Face) -> str:
    """Return a face as `read_face` reads it, row by row.

    >>> face_letters((("rat", "empty", "grape"), ("grape", "banana", "carrot")))
    'R.G/GBC'
    """
    return "/".join("".join(LETTER[symbol] for symbol in row) for row in face)


def face_words(face: Face) -> str:
    """Return a face as two lines of words in columns."""
    spaces = spaces_of(face)
    wide = [max(len(spaces[column]), len(spaces[column + 3])) for column in range(3)]
    return "\n".join("  ".join(f"{word:{width}}" for word, width in zip(row, wide, strict=True)).rstrip() for row in face)
