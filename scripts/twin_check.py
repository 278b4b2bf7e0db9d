"""Play games with the engine and with the game's slow twin (tests/*_twin.py) and compare every row of every table.

    python scripts/twin_check.py --games 1000 --policy greedy --players 3 --rule stand_size=5
    python scripts/twin_check.py --game veggie-garden --games 1000 --rule reshuffle=off --rule copies=12

Exit status 0 where all rows are equal; 1 with the first row that differs.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

import garden_twin
import veggies_twin

from veggies_sim.core.engine import Design, Tables, play_block
from veggies_sim.core.game import Column, Game
from veggies_sim.core.policy import policies_for
from veggies_sim.core.registry import find_game
from veggies_sim.core.schema import columns_of

BLOCK = 250  # games compared at a time
Rows = list[dict[str, Any]]


def play_veggies(game: Game, keys: Sequence[int], seated: Sequence[str]) -> dict[str, Any]:
    """Return the rows of one game of Veggies; keys: game, deal, seed, policy seed."""
    deck = [(card.id, card.face, card.copies) for card in game.setup.cards]
    return veggies_twin.play(*keys, deck, game.players, seated, game.rules)


def play_garden(game: Game, keys: Sequence[int], seated: Sequence[str]) -> dict[str, Any]:
    """Return the rows of one game of Veggie Garden, whose rules say all of its board."""
    return garden_twin.play(*keys, game.players, seated, game.rules)


TWINS = {"veggies": play_veggies, "veggie-garden": play_garden}


def values_of(column: Column, array: Any) -> list[Any]:
    """Return a column's values as plain Python: texts as texts, no value as None. Raises ValueError on a bad array."""
    if column.type in ("text", "list"):
        codes = array.astype(np.int64)
        if codes.max(initial=-1) >= len(column.words) or codes.min(initial=0) < -1:
            raise ValueError(f"{column.name}: a code outside of its {len(column.words)} words")
        texts: list[Any] = np.array([*column.words, None], object)[codes].tolist()
        return texts if column.type == "text" else [whole_list(column, each) for each in texts]
    if column.type == "numbers":
        if array.max(initial=0) > 255 or (array[array != column.null]).min(initial=0) < 0:
            raise ValueError(f"{column.name}: values that do not fit its type")
        return [[None if value == column.null else value for value in row] for row in array.tolist()]
    kind = np.dtype(column.type)
    plain: list[Any] = array.astype(kind).tolist()
    if plain != array.tolist():
        raise ValueError(f"{column.name}: values that do not fit its type {column.type}")
    return [None if column.null is not None and value == column.null else value for value in plain]


def whole_list(column: Column, texts: list[Any]) -> list[Any]:
    """Return a list up to its end, the first None. Raises ValueError where something stands behind it."""
    length = len(texts) - texts.count(None)
    if None in texts[:length]:
        raise ValueError(f"{column.name}: a gap in a list")
    return texts[:length]


def engine_rows(game: Game, policies: Sequence[str], tables: Tables) -> dict[str, Rows]:
    """Return the engine's tables as rows, through the definitions of their columns."""
    found = {}
    for table, columns in columns_of(game, policies, "moves").items():
        if set(tables[table]) != {column.name for column in columns}:
            raise ValueError(f"{table}: the engine gives {sorted(tables[table])}")
        listed = [values_of(column, tables[table][column.name]) for column in columns]
        names = [column.name for column in columns]
        found[table] = [dict(zip(names, row, strict=True)) for row in zip(*listed, strict=True)]
    return found


def twin_rows(game: Game, policies: Sequence[str], design: Design, first: int, count: int) -> dict[str, Rows]:
    """Return the same tables from the twin."""
    found: dict[str, Rows] = {"seats": [], "deals": [], "moves": []}
    for number in range(first, first + count):
        deal, seated = veggies_twin.deal_and_seating(number, policies, design.plays_per_deal, design.rotate_seats)
        one = TWINS[game.id](game, (number, deal, design.seed, design.policy_seed), seated)
        for row in one["seats"]:
            row["win"] = float(np.float32(row["win"]))
        found["seats"] += one["seats"]
        found["deals"].append(one["deal"])
        found["moves"] += one["moves"]
    return found


def first_difference(left: Mapping[str, Rows], right: Mapping[str, Rows]) -> str | None:
    """Return the earliest row in which engine and twin differ (moves, then deals, then seats), None where none does."""
    for table in ("deals", "moves", "seats"):
        if len(left[table]) != len(right[table]):
            return f"{table}: {len(left[table])} rows of the engine, {len(right[table])} of the twin"
        for one, other in zip(left[table], right[table], strict=True):
            if one != other:
                keys = [key for key in sorted({*one, *other}) if one.get(key, "-") != other.get(key, "-")]
                told = ", ".join(f"{key}: engine {one.get(key, '-')}, twin {other.get(key, '-')}" for key in keys)
                return f"{table}, { ({k: one[k] for k in ('game', 'turn', 'seat') if k in one}) }: {told}"
    return None


def compare(game: Game, policies: Sequence[str], design: Design, first: int, count: int) -> str | None:
    """Play games first .. first + count - 1 twice and return the first difference. policies: one per seat."""
    built = [spec.kind.build(game, spec.values) for spec in policies_for(policies, game)]
    tables = play_block(game, built, design, first, count, "moves")
    return first_difference(engine_rows(game, policies, tables), twin_rows(game, policies, design, first, count))


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game", default="veggies", choices=TWINS, help="default veggies")
    parser.add_argument("--games", type=int, default=1000, help="games to compare (default 1000)")
    parser.add_argument("--players", type=int, default=3, choices=(2, 3, 4), help="default 3")
    parser.add_argument("--policy", action="append", choices=("random", "greedy"), help="once, or once per seat")
    parser.add_argument("--rule", action="append", default=[], metavar="KEY=VALUE", help="a rule of the game; repeatable")
    parser.add_argument("--deck", type=Path, help="set-up file (default: the one shipped)")
    parser.add_argument("--seed", type=int, default=1, help="default 1")
    parser.add_argument("--policy-seed", type=int, help="default: the seed")
    parser.add_argument("--plays-per-deal", type=int, default=1, help="default 1")
    parser.add_argument("--rotate-seats", action="store_true", help="each deal once for every rotation of the seats")
    parser.add_argument("--first-game", type=int, default=0, help="number of the first game; default 0")
    return parser.parse_args()


def main() -> int:
    """Compare block by block; return the exit status."""
    args = arguments()
    rules = {key: value for key, _, value in (rule.partition("=") for rule in args.rule)}
    kind = find_game(args.game)
    game = kind(args.players, kind.read_setup(args.deck), rules)
    policies = args.policy or ["greedy"]
    policies = policies * args.players if len(policies) == 1 else policies
    policy_seed = args.seed if args.policy_seed is None else args.policy_seed
    design = Design(args.seed, policy_seed, args.plays_per_deal, args.rotate_seats)
    began = time.perf_counter()
    for done in range(0, args.games, BLOCK):
        count = min(BLOCK, args.games - done)
        if (fault := compare(game, policies, design, args.first_game + done, count)) is not None:
            print(f"engine and twin differ in {fault}")
            return 1
        print(f"{done + count} games equal, {time.perf_counter() - began:.0f} s", file=sys.stderr)
    print(f"all rows of {args.games} games are equal")
    return 0


if __name__ == "__main__":
    sys.exit(main())
