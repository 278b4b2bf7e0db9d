"""Play decks with more and fewer rats, with each of some policies, and write what a rat in the deck costs.

    python scripts/rat_sweep.py --rats 0 12 24 36 48 --policy greedy --policy random --games 20000 --out results/rats

In the folder stand then a dataset for each policy and deck, `levels.csv` (each metric for each deck), `per_rat.csv` (change
per rat that is added, paired deal by deal) and `score.png`; games and deals in the tables are those of each deck. Done twice,
it goes on where it was stopped, or with more games; other values for the same folder are refused. With --against the policies
take turns at one seat, the other seats are played by that one, and the tables have the win share of the policy (`named_win`):
with one policy at all seats there is none to tell.
"""

from __future__ import annotations

import argparse
import itertools
import re
import sys
from collections.abc import Sequence
from pathlib import Path

import polars as pl

import veggies_sim as vs
from veggies_sim.core.errors import RunFailed
from veggies_sim.core.files import file_errors, new_file
from veggies_sim.games.veggies.analysis import plots, rats
from veggies_sim.games.veggies.analysis.what_if import Played, from_runs, rat_decks
from veggies_sim.plots.axes import new_axes, save


def play(options: argparse.Namespace, policy: str, game: vs.Veggies) -> Played:
    """Play, or go on with, the datasets of one policy and return what they say."""
    others = [options.against] * (game.players - 1) if options.against else [policy] * (game.players - 1)
    runs = {}
    for name, deck in rat_decks(game.setup, options.rats, options.deck_seed).items():
        out = options.out / re.sub(r"[^\w=.,-]+", "-", policy) / name.replace(" ", "-")
        runs[name] = vs.simulate(
            vs.Veggies(game.players, deck), [policy, *others], options.games, seed=options.seed, jobs=options.jobs, out=out,
            rotate_seats=bool(options.against), mode="resume" if (out / "run.json").exists() else "new", progress=True,
        )  # fmt: skip
    return from_runs(runs)


def write(options: argparse.Namespace, found: dict[str, Played], notes: str) -> None:
    """Write the tables and the picture anew."""
    for name, table in (("levels.csv", rats.curve), ("per_rat.csv", rats.per_rat)):
        rows = [
            table(played).select(pl.lit(policy).alias("policy"), pl.all().exclude("games", "deals"),
                                 pl.lit(played.games).alias("games"), pl.lit(played.deals).alias("deals"))
            for policy, played in found.items()
        ]  # fmt: skip
        with new_file(options.out / name):
            pl.concat(rows).write_csv((options.out / name).absolute())
    ax = new_axes(f"{options.games:,} games with each deck, {options.players} players, seed {options.seed}\n{notes}".strip())
    for (policy, played), style in zip(found.items(), itertools.cycle(plots.LINES), strict=False):
        plots.curve(rats.curve(played), ax=ax, style=style, label=policy)
    ax.legend(frameon=False)
    save(ax, options.out / "score.png")


def parser() -> argparse.ArgumentParser:
    """Return the options."""
    found = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    found.add_argument("--rats", type=int, nargs="+", default=[0, 12, 24, 36, 48], metavar="K",
        help="on the cards of each deck (default 0 12 24 36 48)")  # fmt: skip
    found.add_argument("--policy", action="append", metavar="NAME", help="at all seats; several times for several (default greedy)")
    found.add_argument("--against", metavar="NAME", help="the policy at all seats but one (default: as --policy)")
    found.add_argument("--deck", type=Path, metavar="FILE", help="whose rats and empty spaces change (default the shipped one)")
    found.add_argument("--deck-seed", type=int, default=0, metavar="S", help="draws which spaces change first (default 0)")
    found.add_argument("--players", type=int, default=3, metavar="N", help="2, 3 or 4 (default 3)")
    found.add_argument("--games", type=int, default=10_000, help="with each deck and policy (default 10000)")
    found.add_argument("--seed", type=int, default=1, help="the same for all (default 1)")
    found.add_argument("--jobs", type=int, help="workers (default: one for each core)")
    found.add_argument("--out", type=Path, required=True, metavar="DIR", help="folder of the datasets, tables and the picture")
    return found


def main(words: Sequence[str] | None = None) -> int:
    """Play all and write; return the exit status, 2 where an argument is wrong."""
    options = parser().parse_args(words)
    policies = list(dict.fromkeys(options.policy or ["greedy"]))
    try:
        deck = vs.Deck.read_csv(options.deck) if options.deck else vs.Deck.shipped()
        game = vs.Veggies(options.players, deck)
        if len({*options.rats}) < max(2, len(options.rats)):
            raise vs.InputError(f"--rats: found {options.rats}; give two or more different numbers.")
        notes = f"made from the shipped deck: {game.setup_note}" if game.is_shipped(deck) else ""
        with file_errors(options.out):
            found = {policy: play(options, policy, game) for policy in policies}
            write(options, found, notes)
    except (vs.InputError, RunFailed) as error:
        print(error, file=sys.stderr)
        return 2 if isinstance(error, vs.InputError) else 1
    except KeyboardInterrupt as stop:
        print(f"interrupted; {stop}\nThe same command goes on.", file=sys.stderr)
        return 130
    print("\n".join(filter(None, [notes, f"written to {options.out}: levels.csv, per_rat.csv, score.png"])))
    return 0


if __name__ == "__main__":
    sys.exit(main())
