"""`deck generate`: a random deck that meets a spec."""

from __future__ import annotations

import argparse
import collections
import sys
from typing import TYPE_CHECKING, Any

from veggies_sim.cli.options import LongHelp
from veggies_sim.cli.words import number, path, warn_of_setup, words

if TYPE_CHECKING:
    from veggies_sim.games.veggies.deck import Deck

_ABOUT = """\
Make a random deck that meets a spec: how many spaces each symbol has, what may be on a card, how many cards have so many of
something, how much goods cluster, and faces that no card may have. The same seed makes the same deck (with the same version
of scipy). Where no deck meets the spec, the reason is told."""


def _form() -> str:
    from veggies_sim.games.veggies.design.spec import EXAMPLE

    return f"A complete spec; every key can be left out:\n\n{EXAMPLE}"


def add_commands(deeds: Any) -> None:
    """Add the command of this file to `deck`."""
    p = deeds.add_parser(
        "generate", help="make a random deck that meets a spec", description=_ABOUT, allow_abbrev=False, add_help=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    p.add_argument("-h", "--help", action=LongHelp, epilog=_form, help="show this help and the form of a spec")
    p.add_argument("spec", type=path, metavar="SPEC.toml", help="what the deck shall be, see below")
    p.add_argument("--out", type=path, metavar="FILE.csv", help="a new file for the deck; default standard output")
    p.add_argument("--seed", type=number, help="root of all random draws; default drawn and told")
    p.set_defaults(run=_generate)


def _generate(arguments: argparse.Namespace) -> None:
    from veggies_sim.core.errors import counted
    from veggies_sim.core.files import check_new_file, new_file
    from veggies_sim.core.manifest import refuse_inside
    from veggies_sim.core.streams import draw_seed
    from veggies_sim.games.veggies.design.generate import generate
    from veggies_sim.games.veggies.design.spec import read_spec
    from veggies_sim.games.veggies.game import Veggies

    out, seed = arguments.out, draw_seed() if arguments.seed is None else arguments.seed
    if out is not None:
        refuse_inside(out)
        check_new_file(out, ("csv",), "a deck file")
    deck = generate(read_spec(arguments.spec), seed)
    if out is None:
        print(deck.to_csv(), end="")
    else:
        with new_file(out):
            deck.write_csv(out)
    print(f"{out or 'a deck'}: {counted(len(deck), 'card')}, seed {seed}; {_made(deck)}", file=sys.stderr)
    warn_of_setup(Veggies, deck)


def _made(deck: Deck) -> str:
    """Return what a designer looks at first."""
    from veggies_sim.games.veggies.deck import RAT
    from veggies_sim.games.veggies.design.faces import PAIRS, spaces_of, touching_pairs

    faces = [spaces_of(card.face) for card in deck.cards]
    rats = sorted(collections.Counter(spaces.count(RAT) for spaces in faces).items())
    pairs, every = sum(touching_pairs(deck).values()), len(PAIRS) * len(faces)
    by_rats = ", ".join(f"{cards} with {number}" for number, cards in rats)
    return f"spaces: {words(deck.counts())}; cards by rats: {by_rats}; touching {pairs / every:.3g} ({pairs} of {every} pairs)"
