"""Typing a printed deck in, card by card: a prompt for each card that has no face yet, each answer checked and saved at once.

What may live here: the dialogue. Where lines come from and where words go is the caller's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from veggies_sim.core.errors import InputError
from veggies_sim.games.veggies.deck import BLANKS, LETTERS
from veggies_sim.games.veggies.deck_reader import UNFILLED
from veggies_sim.games.veggies.design.draft import Draft
from veggies_sim.games.veggies.design.letters import SUCH_AS, face_words, read_face

HELP, BACK, STOP = "?", "<", "q"
FACES = f"""\
Lay the card with its long side across; which of its two ways up does not matter. Type its 6 spaces as letters, the upper
row from left to right, then the lower row, such as {SUCH_AS}. Small letters and spaces between them are fine.
  {LETTERS}
An empty crate, pallet or barrel, open or closed, is empty."""
KEYS = f"""\
  {BACK} goes back to the card before, to type it again; a blank line there keeps it as it is
  {STOP} stops; every card that was typed is saved, and the same command goes on with the next one"""


def type_in(draft: Draft, file: Path, lines: Iterator[str], say: Callable[[str], None]) -> int:
    """Ask for the faces of the cards that wait, one after the other, until all have theirs or the lines end.

    lines: what the person types. say: gets prompts and answers, without a line end after a prompt. The draft is saved to
    `file` after each card. Returns how many lines were refused. Raises InputError where the file can't be written.
    """
    refused = 0
    place = next(iter(draft.waiting()), None)
    while place is not None:
        card = draft.cards[place]
        say(f"card {card.id} ({place + 1} of {len(draft.cards)}), 6 spaces, such as {SUCH_AS}; "
            f"{HELP} help, {BACK} back, {STOP} stop: ")  # fmt: skip
        word = next(lines, STOP).strip(BLANKS)
        if word.lower() == STOP:
            break
        if word == HELP:
            say(f"{FACES}\n{KEYS}\n")
        elif word == BACK:
            place = max(place - 1, 0)
            say(_lying(draft, place))
        elif not word:
            place = place if card.face == UNFILLED else _next(draft, place)
        else:
            try:
                draft.put(place, read_face(word))
            except InputError as error:
                refused += 1
                say(f"not taken: {error}\n")
                continue
            draft.save(file)
            say(_lying(draft, place) + "".join(f"  note: {card.id} {words}; was it typed twice?\n" for words in draft.alike(place)))
            place = _next(draft, place)
    return refused


def _next(draft: Draft, place: int) -> int | None:
    """Return the next card that waits after a place."""
    return next((other for other in draft.waiting() if other > place), None)


def _lying(draft: Draft, place: int) -> str:
    """Return a card as it lies on the table, in words."""
    card = draft.cards[place]
    words = "no face yet" if card.face == UNFILLED else face_words(card.face)
    return f"{card.id}\n" + "".join(f"  {line}\n" for line in words.split("\n"))
