"""`deck diff`: which cards changed from one deck to another."""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING, Any

from veggies_sim.cli.words import path

if TYPE_CHECKING:
    from collections.abc import Iterable

    from veggies_sim.games.veggies.deck import Card
    from veggies_sim.games.veggies.design.diff import DeckDiff, Pair

_ABOUT = (
    "Say which cards changed from one deck to another, whatever the order of the rows. Cards are paired so that the fewest spaces "
    "change; a card that is only turned by a half-turn is the same card, equal ids decide between pairings that are equally good. "
    "Cards that differ in more than 3 of 6 spaces are told as one removed and one added. Copies count one by one."
)


def add_commands(deeds: Any) -> None:
    """Add the command of this file to `deck`."""
    p = deeds.add_parser("diff", help="which cards changed from one deck to another", description=_ABOUT, allow_abbrev=False)
    p.add_argument("old", type=path, metavar="OLD", help="the deck file before")
    p.add_argument("new", type=path, metavar="NEW", help="the deck file after")
    p.add_argument("--picture", type=path, metavar="FILE.svg",
        help="also draw old and new faces side by side, changed spaces outlined, in a new file; default: no picture")  # fmt: skip
    p.add_argument("--json", action="store_true", help="the same as JSON")
    p.set_defaults(run=_diff)


def _diff(arguments: argparse.Namespace) -> None:
    from veggies_sim.cli.words import warn_of_setup
    from veggies_sim.games.veggies.deck import Deck
    from veggies_sim.games.veggies.design.diff import diff_decks
    from veggies_sim.games.veggies.design.diff_drawing import diff_svg
    from veggies_sim.games.veggies.design.sheet import check_sheet, write_sheet
    from veggies_sim.games.veggies.game import Veggies

    old, new = Deck.read_csv(arguments.old), Deck.read_csv(arguments.new)
    if arguments.picture:
        check_sheet(arguments.picture)
    diff = diff_decks(old, new)
    if arguments.picture:
        write_sheet(arguments.picture, diff_svg(diff, f"{arguments.old.name} -> {arguments.new.name}"))
    if arguments.json:
        print(json.dumps(diff.facts(), indent=1, ensure_ascii=False))
    else:
        print("no differences" if old == new else "\n".join(_lines(diff, f"{arguments.old} -> {arguments.new}")))
    warn_of_setup(Veggies, new)
    if arguments.picture:
        print(f"picture: {arguments.picture}", file=sys.stderr)


def _lines(diff: DeckDiff, title: str) -> list[str]:
    from veggies_sim.core.errors import counted

    lines = [f"{title}: {len(diff.old):,} -> {counted(len(diff.new), 'card')}", diff.summary()]
    if diff.alike and not (diff.renamed or diff.turned):
        lines.append("only the order of the rows differs: the same seed deals the cards in another order")
    for pair in diff.changed:
        changes = ", ".join(f"{space} {before} -> {after}" for space, (before, after) in pair.spaces.items())
        lines.append(f"changed  {_name(pair)}: {changes}")
    lines += [*_cards("removed", diff.removed), *_cards("added", diff.added)]
    lines += [f"renamed  {_name(pair)}" for pair in diff.renamed]
    lines += [f"turned   {pair.name}" for pair in diff.turned if pair.old.id == pair.new.id]
    moved = [f"{symbol} {number:+,}" for symbol, number in diff.symbols.items() if number]
    return [*lines, f"symbols  {', '.join(moved) or 'as many of each as before'}"]


def _name(pair: Pair) -> str:
    return pair.name + (" (turned)" if pair.turned else "")


def _cards(deed: str, cards: Iterable[Card]) -> list[str]:
    from veggies_sim.games.veggies.design.letters import face_letters
    from veggies_sim.games.veggies.drawing import with_copies

    return [f"{deed:7}  {with_copies(card.id, card.copies)}: {face_letters(card.face)}" for card in cards]
