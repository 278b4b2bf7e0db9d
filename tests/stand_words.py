"""Short words for faces, and the rules of announcing, that several test files share."""

from __future__ import annotations

from veggies_sim.games.veggies.deck import LETTER, Face

WORD = {letter: symbol for symbol, letter in LETTER.items()}
RULES = [(1, "goods"), (2, "goods"), (2, "groups")]


def face(letters: str) -> Face:
    """Return the face of letters such as `SSG/.RM`."""
    (a, b, c), (d, e, f) = ([WORD[letter] for letter in row] for row in letters.split("/"))
    return (a, b, c), (d, e, f)
