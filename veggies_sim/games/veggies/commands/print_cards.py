"""`deck print`: cards on paper, as pictures, for a virtual tabletop."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from veggies_sim.cli.options import LongHelp, first
from veggies_sim.cli.words import path
from veggies_sim.core.errors import InputError, counted

if TYPE_CHECKING:
    from veggies_sim.games.veggies.deck import Card, Deck

_ABOUT = """\
Print the cards of a deck in true size. Formats:
  pdf       pages to cut out, each card as often as it has copies, with crop marks, and a ruler of 100 mm to check the scale:
            print at 100 %, "actual size", never "fit to page"
  svg, png  a new folder with one file a card and one for the back; faces lie as in the deck file, without bleed
  tabletop  a new folder with image sheets, the back and deck.json, a saved object for Tabletop Simulator (cards stand upright)
Each card carries its id and the first letters of the deck's hash. Needs: pip install "veggies_sim[design]" (svg does not)."""

_NO_ADDRESSES = (
    "note: deck.json names the images without addresses, so Tabletop Simulator won't find them: "
    "give --url, or put the addresses into deck.json"
)


def _sizes() -> str:
    from veggies_sim.design.paper import CARDS, PAPERS, Sheet, size_words

    lines = ["Card sizes (any other as WxH in millimetres, such as 62.5x100) and how many fit a page, butted / spaced:"]
    for name, size in CARDS.items():
        fit = [f"{paper} {len(Sheet(paper, name).slots)} / {len(Sheet(paper, name, 'spaced').slots)}" for paper in PAPERS]
        lines.append(f"  {name:8}{size_words(size)}: {', '.join(fit)}")
    lines.append("The spaces of 58x87 are squares of 29 mm: its cards cover each other exactly, whichever way they are turned.")
    lines.append("Those of other sizes are not quite square: cards laid crosswise don't fit exactly.")
    return "\n".join(lines)


def add_commands(deeds: Any) -> None:
    """Add the command of this file to `deck`."""
    p = deeds.add_parser("print", help="print the cards: PDF to cut out, SVG, PNG, or for a virtual tabletop", description=_ABOUT,
                         allow_abbrev=False, add_help=False, formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    add = p.add_argument
    add("-h", "--help", action=LongHelp, epilog=_sizes, help="show this help and the sizes of cards")
    add("file", type=path, metavar="FILE", help="the deck file")
    add("--out", type=path, metavar="PLACE", required=True, help="a new file for pdf, a new folder for the other formats")
    add("--format", choices=("pdf", "svg", "png", "tabletop"), default="pdf", help="default pdf")
    add("--card", metavar="SIZE", default="63x88", help="size of a card, see below; default 63x88")
    add("--paper", choices=("a4", "letter"), help="of pdf; default a4")
    add("--layout", choices=("butted", "spaced"),
        help="of pdf: cards edge to edge on common cut lines, or each with 3 mm bleed around it; default butted")  # fmt: skip
    add("--backs", action="store_true",
        help="of pdf: a page of backs after each page of faces; print on both sides, flip on the long edge")  # fmt: skip
    add("--url", metavar="ADDRESS", help="of tabletop: where you will put the images, such as https://example.org/cards; "
        "without it deck.json has their names alone, put the addresses there yourself")  # fmt: skip
    add("--changed-since", type=path, metavar="OLD", help="only cards that this older deck file does not have")
    p.set_defaults(run=_print)


def _print(arguments: argparse.Namespace) -> None:
    from veggies_sim.cli.words import warn_of_setup
    from veggies_sim.games.veggies.deck import Deck
    from veggies_sim.games.veggies.game import Veggies

    _refuse_idle(arguments)
    deck = Deck.read_csv(arguments.file)
    cards = _cards(deck, arguments)
    made = _written(deck, cards, arguments)  # checks all arguments also where there is nothing to print
    if cards:
        print(f"{arguments.out}: {made}{_square(arguments.card)}")
        if arguments.format == "tabletop" and arguments.url is None:
            print(_NO_ADDRESSES, file=sys.stderr)
    else:
        print(f"no card differs from {arguments.changed_since}: nothing is printed", file=sys.stderr)
    warn_of_setup(Veggies, deck)


def _refuse_idle(arguments: argparse.Namespace) -> None:
    """Raise InputError for an option that the format has no use for, and for a place of another format."""
    from veggies_sim.games.veggies.design.printing import PICTURES

    ending = arguments.out.suffix.lower().removeprefix(".")
    if arguments.format == "pdf" and ending in PICTURES:
        raise InputError(f"{arguments.out}: a print as PDF is .pdf. Give such a file, or --format {ending} and a folder.")
    for option, form in (("paper", "pdf"), ("layout", "pdf"), ("backs", "pdf"), ("url", "tabletop")):
        if getattr(arguments, option) not in (None, False) and arguments.format != form:
            raise InputError(f"--{option} is for --format {form}, not for {arguments.format}. Leave it out.")


def _cards(deck: Deck, arguments: argparse.Namespace) -> list[Card]:
    if arguments.changed_since is None:
        return [*deck.cards]
    from veggies_sim.games.veggies.design.diff import changed_cards

    return changed_cards(type(deck).read_csv(arguments.changed_since), deck)


def _written(deck: Deck, cards: list[Card], arguments: argparse.Namespace) -> str:
    """Print the cards and say what was made."""
    from veggies_sim.design.paper import Sheet, card_size, size_words
    from veggies_sim.games.veggies.design import printing

    number = sum(card.copies for card in cards)
    size = card_size(arguments.card)
    words = f"{counted(number, 'card')} of {size_words(size)}"
    if arguments.format == "pdf":
        sheet = Sheet(first(arguments.paper, "a4"), arguments.card, first(arguments.layout, "butted"))
        pages = printing.print_pages(deck, cards, arguments.out, sheet, arguments.backs)
        both = "; print on both sides, flip on the long edge" if arguments.backs else ""
        return f"{words}, up to {len(sheet.slots)} on a page; {counted(pages, 'page')}; print at 100 %{both}"
    if arguments.format == "tabletop":
        sheets = printing.print_tabletop(deck, cards, arguments.out, size, arguments.url)
        return f"{words}, {counted(len(cards), 'face')} on {counted(sheets, 'sheet')}, back.png and deck.json"
    files = printing.print_pictures(deck, cards, arguments.out, arguments.format, size)
    return f"{counted(len(cards), 'face')} of {size_words(size)} and the back, {files:,} files"


def _square(card: str) -> str:
    from veggies_sim.design.paper import card_size
    from veggies_sim.games.veggies.design.printed import spaces_are_square

    return "" if spaces_are_square(card_size(card)) else "; spaces are not quite square; --card 58x87 has square ones"
