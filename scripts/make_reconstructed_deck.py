"""Make data/cards.csv, the deck that comes with the package.

This deck is a *reconstruction*. The rulebook of Veggies says that there are 40 cards of 6 spaces, with five goods,
empty spaces and rats; which symbols are printed on which card is not public. The faces made here are drawn at random
under the limits below, which are a guess. No result found with this deck is true of the printed game: whoever owns the
game can type its faces into a file of the same form.

Limits: 36 spaces of each good, 36 empty, 24 rats; on each card at least 3 goods, at most 2 empty and at most 2 rats; no
two cards alike, also after a half-turn. Only `random.Random.random` is used, whose numbers Python keeps from version to
version: the same seed makes the same deck everywhere.

    python scripts/make_reconstructed_deck.py --out data/cards.csv
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Sequence

from veggies_sim.core.errors import InputError
from veggies_sim.games.veggies.deck import EMPTY, GOODS, RAT, Card, Deck

CARDS = 40
SPACES_OF = dict.fromkeys(GOODS, 36) | {EMPTY: 36, RAT: 24}
MIN_GOODS, MAX_EMPTY, MAX_RATS = 3, 2, 2
DEFAULT_SEED = 2019  # the year the game came out
MAX_SWAPS = 100_000  # a repair takes some tens


def excess(spaces: Sequence[str]) -> int:
    """Return by how many spaces the six of one card break the limits."""
    empty, rats = spaces.count(EMPTY), spaces.count(RAT)
    goods = len(spaces) - empty - rats
    return max(0, MIN_GOODS - goods) + max(0, empty - MAX_EMPTY) + max(0, rats - MAX_RATS)


def alike(hands: Sequence[Sequence[str]]) -> int:
    """Return how many cards repeat an earlier one, as it lies or after a half-turn (the spaces read backwards)."""
    return len(hands) - len({min(tuple(hand), tuple(reversed(hand))) for hand in hands})


def make_deck(seed: int) -> Deck:
    """Return the deck of `seed`: shuffle all symbols, cut them into cards, swap symbols until no limit is broken.

    Raises InputError where the repair does not end, which no seed is known to cause.
    """
    stream = random.Random(seed)
    symbols = [symbol for symbol, spaces in SPACES_OF.items() for _ in range(spaces)]
    symbols.sort(key=lambda _: stream.random())
    hands = [symbols[start : start + 6] for start in range(0, len(symbols), 6)]
    broken = sum(map(excess, hands)) + alike(hands)
    for _ in range(MAX_SWAPS):
        if not broken:
            return Deck(Card(f"v{number:02}", _face(hand)) for number, hand in enumerate(hands, start=1))
        (a, i), (b, j) = ((int(CARDS * stream.random()), int(6 * stream.random())) for _ in range(2))
        hands[a][i], hands[b][j] = hands[b][j], hands[a][i]
        after = sum(map(excess, hands)) + alike(hands)
        if after > broken:
            hands[a][i], hands[b][j] = hands[b][j], hands[a][i]
        broken = min(broken, after)
    raise InputError(f"seed {seed} gives no deck within the limits; take another seed")


def _face(hand: Sequence[str]) -> tuple[tuple[str, str, str], tuple[str, str, str]]:
    a, b, c, d, e, f = hand
    return (a, b, c), (d, e, f)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the deck or write it to a file; return the exit status, 2 where an argument is wrong."""
    parser = argparse.ArgumentParser(description="Make the reconstructed deck; the printed faces are not public.")
    parser.add_argument("--seed", type=int, default=DEFAULT_SEED, help="whole number (default: %(default)s)")
    parser.add_argument("--out", metavar="FILE", help="file to write (default: print the deck)")
    options = parser.parse_args(arguments)
    try:
        deck = make_deck(options.seed)
        if options.out is None:
            sys.stdout.write(deck.to_csv())
        else:
            deck.write_csv(options.out)
    except InputError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
