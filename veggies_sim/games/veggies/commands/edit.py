"""`deck edit`: change a deck and keep its lineage; `deck edit lineage` prints it."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from veggies_sim.cli.words import number, path

_ABOUT = (
    "Change a deck: the new deck goes to --out, and the history of its changes beside it, to NAME.lineage.jsonl. A change of one "
    "copy of a card with several makes that copy a card of its own. Symbols are words or letters as in a deck file."
)
_PLACE = "CARD:SPACE"
_SYMBOL = "a word or letter, such as rat or R"
_FILE = "the deck file, which stays as it is"


def add_commands(deeds: Any) -> None:
    """Add the command of this file to `deck`."""
    p = deeds.add_parser("edit", help="change a deck and keep its history", description=_ABOUT, allow_abbrev=False)
    below = p.add_subparsers(dest="operation", metavar="OPERATION")

    add = _operation(below, "swap", "exchange the symbols of two spaces", _swap)
    add("first", metavar=_PLACE, help="such as v01:r1c1")
    add("second", metavar=_PLACE, help="such as v02:r2c3")

    add = _operation(below, "set", "put another symbol on a space", _set)
    add("place", metavar=_PLACE, help="such as v01:r1c1")
    add("symbol", metavar="SYMBOL", help=_SYMBOL)

    add = _operation(below, "turn", "turn one symbol into another, everywhere or in a number of spaces", _turn)
    add("from_symbol", metavar="FROM", help=_SYMBOL)
    add("to_symbol", metavar="TO", help=_SYMBOL)
    add("--number", type=number, metavar="N", help="in so many spaces, drawn by the seed; default all")
    add("--seed", type=number, help="root of the draws; default drawn and recorded")

    add = _operation(below, "scale", "give a symbol so many times its spaces", _scale)
    add("symbol", metavar="SYMBOL", help=_SYMBOL)
    add("factor", metavar="FACTOR", help="such as 0.5; the number of spaces is rounded")
    add("--filler", default="empty", metavar="SYMBOL", help="what surplus spaces become and missing ones come from; default empty")
    add("--seed", type=number, help="root of the draws; default drawn and recorded")

    add = _operation(below, "add", "add a card at the end", _add)
    add("id", metavar="ID", help="its id, that no other card has")
    add("face", metavar="FACE", help="its spaces, the upper row first, such as 'SB. GRM'")
    add("--copies", type=number, default=1, metavar="N", help="default 1")

    add = _operation(below, "copies", "give a card another number of copies", _copies)
    add("card", metavar="ID", help="of a card of the deck")
    add("copies", type=number, metavar="N", help="1 or more")

    add = _operation(below, "drop", "take cards away, all their copies", _drop)
    add("ids", nargs="+", metavar="ID", help="of a card of the deck; one or more")

    words = "print a deck's history, the first change first"
    p = below.add_parser("lineage", help=words, description=f"{words.capitalize()}.", allow_abbrev=False)
    p.add_argument("file", type=path, metavar="FILE", help="the deck file; its lineage is read beside it")
    p.add_argument("--json", action="store_true", help="the same as JSON")
    p.set_defaults(run=_lineage)


def _operation(below: Any, name: str, words: str, run: Any) -> Any:
    """Add an operation and return what adds its arguments."""
    p = below.add_parser(name, help=words, description=f"{words.capitalize()}.", allow_abbrev=False)
    p.add_argument("file", type=path, metavar="FILE", help=_FILE)
    p.add_argument("--out", type=path, required=True, metavar="NEW.csv", help="the new deck; an older file is never written over")
    p.set_defaults(run=run)
    return p.add_argument


def _swap(arguments: argparse.Namespace) -> None:
    _edit(arguments, "swap", first=_place(arguments.first), second=_place(arguments.second))


def _set(arguments: argparse.Namespace) -> None:
    card, space = _place(arguments.place)
    _edit(arguments, "set", card=card, space=space, symbol=arguments.symbol)


def _turn(arguments: argparse.Namespace) -> None:
    from veggies_sim.core.errors import InputError

    if arguments.seed is not None and arguments.number is None:
        raise InputError("--seed is for --number: without it all spaces are turned, nothing is drawn. Leave it out, or give both.")
    words = {"from_symbol": arguments.from_symbol, "to_symbol": arguments.to_symbol, "number": arguments.number}
    _edit(arguments, "turn", seed=_seed(arguments) if arguments.number is not None else None, **words)


def _scale(arguments: argparse.Namespace) -> None:
    from veggies_sim.core.checks import real
    from veggies_sim.games.veggies.design.edit import MOST_FACTOR

    factor = real(arguments.factor, "FACTOR", 0, MOST_FACTOR)
    words = {"symbol": arguments.symbol, "factor": factor, "filler": arguments.filler}
    _edit(arguments, "scale", seed=_seed(arguments), **words)


def _add(arguments: argparse.Namespace) -> None:
    _edit(arguments, "add", id=arguments.id, face=arguments.face, copies=arguments.copies)


def _copies(arguments: argparse.Namespace) -> None:
    _edit(arguments, "copies", card=arguments.card, copies=arguments.copies)


def _drop(arguments: argparse.Namespace) -> None:
    _edit(arguments, "drop", ids=arguments.ids)


def _place(word: str) -> list[str]:
    """Return the card and the space of a word such as v01:r1c1."""
    from veggies_sim.core.errors import InputError, show

    card, colon, space = word.rpartition(":")
    if not colon:
        raise InputError(f"{_PLACE}: found {show(word)}; give the id of a card, a colon and a space, such as v01:r1c1.")
    return [card, space]


def _seed(arguments: argparse.Namespace) -> int:
    from veggies_sim.core.streams import draw_seed

    return draw_seed() if arguments.seed is None else int(arguments.seed)


def _edit(arguments: argparse.Namespace, operation: str, seed: int | None = None, **words: Any) -> None:
    """Change the deck, write it with its lineage, and say what changed and what is left out."""
    from veggies_sim.cli.words import warn_of_setup
    from veggies_sim.core.errors import show
    from veggies_sim.games.veggies.deck import Deck
    from veggies_sim.games.veggies.design import lineage
    from veggies_sim.games.veggies.design.edit import changes
    from veggies_sim.games.veggies.game import Veggies

    deck = Deck.read_csv(arguments.file)
    lineage.check_place(arguments.out)
    steps, reason = lineage.history(arguments.file, deck)
    new, step = lineage.changed(deck, operation, words, seed)
    lineage.save(new, [*steps, step], arguments.out)
    print(changes(deck, new) + ("" if seed is None else f"; seed {seed}"), file=sys.stderr)
    if others := list(dict.fromkeys(name for columns in deck.extra.values() for name in columns)):
        print(f"note: a deck file has no other columns; left out: {', '.join(map(show, others))}", file=sys.stderr)
    if reason:
        print(f"note: the lineage begins here: {reason}", file=sys.stderr)
    print(f"deck: {arguments.out}; lineage: {lineage.lineage_file(arguments.out)}", file=sys.stderr)
    warn_of_setup(Veggies, new)


def _lineage(arguments: argparse.Namespace) -> None:
    from veggies_sim.core.errors import InputError
    from veggies_sim.games.veggies.deck import Deck
    from veggies_sim.games.veggies.design.lineage import history, history_text

    steps, reason = history(arguments.file, Deck.read_csv(arguments.file))
    if reason:
        raise InputError(f"{reason}. `deck edit` writes the lineage of the decks that it makes.")
    print(json.dumps([step._asdict() for step in steps], indent=1, ensure_ascii=False) if arguments.json else history_text(steps))
