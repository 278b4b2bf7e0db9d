"""`deck stats`: what a deck holds, counted, and what of a wish list it doesn't meet."""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING, Any

from veggies_sim.cli.words import path

if TYPE_CHECKING:
    from collections.abc import Sequence

    from veggies_sim.games.veggies.design.stats import Stats

_ABOUT = (
    "Count what a deck holds, copies included: symbols, in all and at each space of the face; cards by what they show; touching "
    "spaces of a card that show one good, against a deck whose symbols were shuffled over all spaces; goods that meet on a card; "
    "equal cards and mirror images."
)
_AS_TYPED = "Spaces are as typed: after a half-turn r1c1 is r2c3, r1c2 is r2c2 and r1c3 is r2c1."


def add_commands(deeds: Any) -> None:
    """Add the command of this file to `deck`."""
    p = deeds.add_parser("stats", help="count what a deck holds", description=_ABOUT, allow_abbrev=False)
    p.add_argument("file", type=path, metavar="FILE", help="the deck file")
    p.add_argument("--wishes", type=path, metavar="SPEC.toml",
        help="also say what this spec (see `deck generate --help`) states and the deck lacks; default: no wishes")  # fmt: skip
    p.add_argument("--picture", type=path, metavar="FILE.svg",
        help="also draw all faces and bars of the counts, in a new file; default: no picture")  # fmt: skip
    p.add_argument("--json", action="store_true", help="the same as JSON")
    p.set_defaults(run=_stats)


def _stats(arguments: argparse.Namespace) -> None:
    from veggies_sim.cli.words import warn_of_setup
    from veggies_sim.core.errors import counted
    from veggies_sim.games.veggies.deck import Deck
    from veggies_sim.games.veggies.design.sheet import check_sheet, write_sheet
    from veggies_sim.games.veggies.design.spec import unmet
    from veggies_sim.games.veggies.design.stats import deck_stats
    from veggies_sim.games.veggies.design.stats_drawing import stats_svg
    from veggies_sim.games.veggies.game import Veggies

    deck = Deck.read_csv(arguments.file)
    missing = unmet(arguments.wishes, deck) if arguments.wishes else None
    if arguments.picture:
        check_sheet(arguments.picture)
    stats = deck_stats(deck)
    if arguments.picture:
        write_sheet(arguments.picture, stats_svg(deck, stats))
    if arguments.json:
        print(json.dumps(stats.facts() | ({} if missing is None else {"unmet": missing}), indent=1, ensure_ascii=False))
    else:
        head = f"{arguments.file}: {counted(stats.cards, 'card')}, {counted(stats.faces, 'face')}, {6 * stats.cards:,} spaces"
        print("\n\n".join([head, *_parts(stats), *([] if missing is None else [_wishes(missing)])]))
    warn_of_setup(Veggies, deck)
    if arguments.picture:
        print(f"picture: {arguments.picture}", file=sys.stderr)


def _parts(stats: Stats) -> list[str]:
    from veggies_sim.cli.tables import table
    from veggies_sim.games.veggies.deck import SPACES

    symbols = [
        [symbol, f"{count:,}", f"{count / (6 * stats.cards):.1%}", f"{count / stats.cards:.2f}", *_numbers(stats.spaces[symbol])]
        for symbol, count in stats.symbols.items()
    ]
    cards = [[_TITLES.get(key, key), *_numbers(counts)] for key, counts in stats.cards_with.items()]
    pairs = 7 * stats.cards
    touching = [
        [good, f"{found.pairs:,}", f"{found.shuffled:,.1f} ± {found.sd:,.1f}",
         f"{found.pairs / pairs:.1%}", f"{found.shuffled / pairs:.1%} ± {found.sd / pairs:.1%}"]
        for good, found in stats.touching.items()
    ]  # fmt: skip
    together = [[good, *_numbers(tuple(row.values()))] for good, row in stats.together.items()]
    return [
        f"{table(['symbol', 'spaces', 'share', 'per card', *SPACES], symbols)}\n{_AS_TYPED}",
        table(["cards with so many", *map(str, range(7))], cards),
        f"{table(['touching', 'pairs', 'if shuffled', 'share', 'if shuffled'], touching)}\n"
        f"Pairs of touching spaces of a card that show one good, and their share of all {pairs:,} pairs.\n"
        "If shuffled: mean ± standard deviation, were the same symbols dealt at random over all spaces.",
        f"{table(['together', *stats.together], together)}\nCards that show both goods; of a good with itself: cards that show it.",
        "\n".join(_alike(stats)),
    ]


_TITLES = {"goods": "goods (spaces)", "kinds": "kinds (different goods)"}


def _numbers(counts: Sequence[int]) -> list[str]:
    """Return numbers as words of a table, nothing as a dot that does not catch the eye."""
    return [f"{count:,}" if count else "." for count in counts]


def _alike(stats: Stats) -> list[str]:
    copies = ", ".join(f"{card} ({number} copies)" for card, number in stats.copies.items())
    equal = "; ".join(" = ".join(ids) for ids in stats.equal)
    mirrored = "; ".join(f"{' = '.join(ids)} and {' = '.join(images)}" for ids, images in stats.mirrored)
    return [
        f"copies: {copies or 'every card once'}",
        f"equal as they lie or after a half-turn: {equal or 'none'}",
        f"mirror images: {mirrored or 'none'}",
    ]


def _wishes(unmet: Sequence[str]) -> str:
    return "\n".join(["wishes not met:", *(f"  {line}" for line in unmet)]) if unmet else "wishes: all met"
