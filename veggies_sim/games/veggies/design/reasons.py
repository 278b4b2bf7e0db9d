"""Why no deck meets a spec: first by plain arithmetic on one or two of its lines, else by lines that can't hold together.

What may live here: the checks before a deck is looked for, and the search for the few lines that exclude each other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import numpy as np

from veggies_sim.core.errors import InputError, counted
from veggies_sim.games.veggies.deck import SYMBOLS
from veggies_sim.games.veggies.design.faces import PAIRS
from veggies_sim.games.veggies.design.program import TOUCHING, Ints, all_faces, one_of_each, passing, profiles, rows_of, solve
from veggies_sim.games.veggies.design.spec import ALLOWED, Range, Spec


def refuse(spec: Spec) -> None:
    """Raise InputError for a spec that plain arithmetic shows to be impossible; most specs that pass have a deck, not all."""
    for reason in _reasons(spec):
        raise InputError(f"no deck meets this spec: {reason}.")


def why_none(spec: Spec, proven: bool) -> InputError:
    """Return the error for a spec that no deck was found for; `proven` where there is none."""
    if not proven:
        return InputError(
            "no deck was found, nor a proof that there is none: the spec is too tight for the search. Widen some of its ranges, "
            "or leave out some of its lines."
        )
    lines = "; ".join(_smallest(spec, impossible))
    return InputError(
        f"no deck of {counted(spec.cards, 'card')} meets this spec: these lines can't hold together: {lines}. "
        "Change one of them, or leave it out."
    )


def impossible(spec: Spec) -> bool:
    """Return whether it is proven that no deck meets a spec."""
    pool = one_of_each(spec, passing(spec))
    if not len(pool):
        return True
    faces, copies, _ = profiles(spec, pool)
    return solve(rows_of(spec, faces), copies, np.zeros(len(faces))).proven


def _smallest(spec: Spec, fails: Callable[[Spec], bool]) -> list[str]:
    """Return lines of a failing spec that fail together and of which none can be left out, in words.

    A line is left out, for good, where the others still fail (the deletion filter of Chinneck and Dravnieks: Locating
    minimal infeasible constraint sets in linear programs, ORSA Journal on Computing 3, 1991).
    """
    place = 0
    while place < len(lines := spec.lines()):
        if fails(lines[place].rest):
            spec = lines[place].rest
        else:
            place += 1
    return [line.words for line in lines]


def _reasons(spec: Spec) -> Iterator[str]:
    """Yield what plain arithmetic finds, the plainest first."""
    yield from _sums(spec)
    faces = passing(spec)
    if not len(faces):
        lines = "; ".join(_smallest(spec, lambda thinner: not len(passing(thinner))))
        yield f"there is no face at all that passes {lines}"
        return
    different = len(one_of_each(spec, faces))
    if spec.duplicates != ALLOWED and different < spec.cards:
        yield (
            f"{counted(different, 'different face')} {'passes' if different == 1 else 'pass'} [card] and [[exclude]], too few for "
            f"{spec.cards} cards with duplicates = {spec.duplicates}"
        )
    on = {key: count[faces] for key, count in all_faces().on.items()}
    yield from _totals(spec, on)
    yield from _numbers(spec, on)


def _sums(spec: Spec) -> Iterator[str]:
    """Yield whether the symbols' numbers add up to the spaces there are."""
    spaces, spans = 6 * spec.cards, spec.symbols.values()
    least, most = (sum(ends) for ends in zip(*spans, strict=True)) if spans else (0, 0)
    if least > spaces:
        yield f"the least numbers of [symbols] add up to {least}; the deck has {spaces} spaces"
    if len(spans) == len(SYMBOLS) and most < spaces:
        yield f"the most numbers of [symbols] add up to {most}; the deck has {spaces} spaces"


def _totals(spec: Spec, on: Mapping[str, Ints]) -> Iterator[str]:
    """Yield which totals of the deck are more, or less, than so many cards of these faces can hold."""
    asked = {f"[symbols] {symbol}": (symbol, symbol, span) for symbol, span in spec.symbols.items()}
    if pairs := spec.pairs():
        if pairs.least > pairs.most:
            yield f"[clusters] touching = {spec.touching} has no whole number of the {len(PAIRS) * spec.cards} pairs inside"
        asked["[clusters] touching"] = TOUCHING, "touching pair", pairs
    for line, (key, words, span) in asked.items():
        fewest, most = int(on[key].min()), int(on[key].max())
        too_many, too_few = span.least > spec.cards * most, span.most < spec.cards * fewest
        if too_many or too_few:
            number, least = (most, "at most") if too_many else (fewest, "at least")
            each = f"{counted(spec.cards, 'card')} with {least} {counted(number, words)} each"
            yield f"{each} {'holds' if spec.cards == 1 else 'hold'} {least} {number * spec.cards:,}; {line} asks for {span}"


def _numbers(spec: Spec, on: Mapping[str, Ints]) -> Iterator[str]:
    """Yield what is wrong with [cards_with]: against the number of cards, the faces there are, and [symbols]."""
    for key, table in spec.cards_with.items():
        there, name = sorted({*on[key].tolist()}), f"[cards_with] {key}"
        for number, span in table.items():
            if span.least > 0 and number not in there:
                yield (
                    f"{name} {number} asks for {span}, but no face with {counted(number, key.removesuffix('s'))} passes [card] and "
                    f"[[exclude]]"
                )
        least = sum(span.least for span in table.values())
        if least > spec.cards:
            yield f"the least numbers of {name} add up to {least} cards; the deck has {spec.cards}"
        room = {number: table.get(number, Range(0, spec.cards)) for number in there}
        most = sum(span.most for span in room.values())
        if most < spec.cards:
            yield f"the most numbers of {name} add up to {most} cards; the deck has {spec.cards}"
        if (wished := spec.symbols.get(key)) and least <= spec.cards <= most:
            fewest, most = _held(room, spec.cards, there), _held(room, spec.cards, there[::-1])
            if wished.least > most or wished.most < fewest:
                yield f"{name} allows {Range(fewest, most)} in the deck; [symbols] asks for {wished}"


def _held(room: Mapping[int, Range], cards: int, order: list[int]) -> float:
    """Return how many a deck has in all, if the cards that are free have the first numbers of `order` that have room."""
    free = cards - sum(span.least for span in room.values())
    total = 0.0
    for number in order:
        more = min(free, room[number].most - room[number].least)
        total, free = total + number * (room[number].least + more), free - more
    return total
