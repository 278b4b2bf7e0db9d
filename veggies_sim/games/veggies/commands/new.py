"""`deck new`: a template for the printed deck, and the ways to fill it: typing in, checking, a picture to compare."""

from __future__ import annotations

import argparse
import io
import os
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from veggies_sim.cli.words import number, path

if TYPE_CHECKING:
    from veggies_sim.core.errors import InputError
    from veggies_sim.games.veggies.design.draft import Draft

_ABOUT = (
    "Type the deck of your own printed game in. Without an option: write a template with blank spaces to a new file, for a "
    "spreadsheet or for --type. --type asks for the cards that are blank still, one after the other, and saves after each; the "
    "same command goes on where it stopped."
)


def add_commands(deeds: Any) -> None:
    """Add the command of this file to `deck`."""
    p = deeds.add_parser("new", help="type the deck of a printed game in", description=_ABOUT, allow_abbrev=False)
    p.add_argument("file", type=path, metavar="FILE.csv", help="the deck file")
    p.add_argument("--cards", type=number, metavar="N", help="cards of a new file; default 40")
    way = p.add_mutually_exclusive_group()
    way.add_argument("--type", action="store_true", help="type the blank cards in; makes the file where there is none")
    way.add_argument("--check", action="store_true", help="report on a half-filled file: faults, totals, equal cards")
    p.add_argument("--sheet", type=path, metavar="FILE.svg", help="also draw the cards in rows, to compare with those on the table")
    p.set_defaults(run=_new)


def _new(arguments: argparse.Namespace) -> None:
    from veggies_sim.games.veggies.design.sheet import check_sheet

    if arguments.sheet:
        check_sheet(arguments.sheet)
    if arguments.check:
        _check(arguments)
    elif arguments.type:
        _type(arguments)
    else:
        _draw(_template(arguments), arguments.sheet)
        _say_how(arguments.file)


def _template(arguments: argparse.Namespace) -> Draft:
    """Write a new file with blank cards and return them."""
    from veggies_sim.core.errors import InputError
    from veggies_sim.core.files import check_new_file, new_file
    from veggies_sim.core.manifest import refuse_inside
    from veggies_sim.games.veggies.design.draft import CARDS, new_draft

    if os.path.exists(arguments.file):  # False also for names too long for a file
        raise InputError(f"{arguments.file}: is there already. Give another file, or go on with it by --type or --check.")
    draft = new_draft(CARDS if arguments.cards is None else arguments.cards)
    refuse_inside(arguments.file)
    check_new_file(arguments.file, ("csv",), "a deck")
    with new_file(arguments.file):
        draft.save(arguments.file)
    return draft


def _say_how(file: Path) -> None:
    from veggies_sim.games.veggies.design.typing_in import FACES

    go_on = f"veggies-sim deck new {shlex.quote(str(file))} --type"
    print(f"{file}: a template with blank spaces. To fill it:\n\n{FACES}\n\nnext: {go_on}\n"
          "or fill it in a spreadsheet, in words or letters, save it as CSV, and look at it with --check")  # fmt: skip


def _read(arguments: argparse.Namespace) -> tuple[Draft, InputError | None]:
    """Return the draft of a file that is there and the error for its faults."""
    from veggies_sim.core.errors import InputError
    from veggies_sim.games.veggies.design.draft import read_draft

    if arguments.cards is not None:
        raise InputError("--cards is for a new file; this one has its own cards. Leave the option out.")
    return read_draft(arguments.file)


def _check(arguments: argparse.Namespace) -> None:
    from veggies_sim.cli.words import words

    draft, fault = _read(arguments)
    _draw(draft, arguments.sheet)
    facts = {"typed": draft.progress(), "spaces so far": draft.counts(), "equal or mirrored faces": [*map(tuple, draft.groups())]}
    print(f"{arguments.file}: {'faults, see below; without these rows' if fault else 'no faults so far'}")
    for key, value in facts.items():
        print(f"  {key}: {words(value)}")
    if fault:
        raise fault


def _type(arguments: argparse.Namespace) -> None:
    from veggies_sim.games.veggies.design.typing_in import type_in

    if os.path.exists(arguments.file):
        draft, fault = _read(arguments)
        if fault:
            raise fault
    else:
        draft = _template(arguments)
    try:
        refused = type_in(draft, arguments.file, _typed(), _say)
    except KeyboardInterrupt:
        _say("\n")
        raise KeyboardInterrupt(f"{draft.progress()} are in {arguments.file}; the same command goes on") from None
    _draw(draft, arguments.sheet)
    _say_where(arguments.file, draft, refused)


def _say_where(file: Path, draft: Draft, refused: int) -> None:
    """Say how far the typing has come and what comes next."""
    if refused and not sys.stdin.isatty():
        _say(f"\nnote: lines not taken: {refused}, see above; compare the cards after the first of them with the table")
    go_on = "the same command goes on" if draft.waiting() else f"next: veggies-sim deck check {shlex.quote(str(file))}"
    _say(f"\n{draft.progress()} are in {file}; {go_on}\n")


def _typed() -> Iterator[str]:
    """Yield the lines of standard input; bytes that are no text become letters that no symbol has."""
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")
    for line in sys.stdin or ():
        if not sys.stdin.isatty():
            _say("\n")  # as the person's own line end does on a terminal
        yield line


def _say(words: str) -> None:
    print(words, end="", file=sys.stderr, flush=True)


def _draw(draft: Draft, file: Path | None) -> None:
    from veggies_sim.games.veggies.design.draft_sheet import sheet_svg
    from veggies_sim.games.veggies.design.sheet import write_sheet

    if file:
        write_sheet(file, sheet_svg(draft))
        _say(f"sheet: {file}\n")
