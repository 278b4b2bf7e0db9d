"""Compare decks for balance: every deck with every number of players on the same seeds, a dataset each, one table.

Writes OUT/balance.md and OUT/balance.csv, beside the datasets of a sweep. Safe to run twice: what was finished is not
played again, and an interrupted run goes on. With a larger --games it plays on.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

import polars as pl

import veggies_sim as vs
from veggies_sim.analysis.line_ups import par_of
from veggies_sim.core.files import file_errors
from veggies_sim.core.policy import seated

ALONE = (
    "Each interval is for itself: of 20 such intervals about 1 leaves its true value out, so one seat of many whose interval "
    "just leaves 0 out is no finding; `veggies-sim report` has intervals that hold for all seats of a run together."
)


def decks_of(files: list[Path]) -> dict[str, object]:
    """Return decks by name, the shipped one first. Raises InputError for a bad file and for two of one name."""
    decks: dict[str, object] = {"shipped": vs.Deck.shipped()}
    for file in files:
        name = re.sub(r"[^\w .()-]", "_", f"deck {file.stem}" if file.stem[:1] in "-. (" else file.stem)[:40]
        if name in decks:
            raise vs.InputError(f"{file}: another deck is called {name} too. Rename the file.")
        decks[name] = vs.Deck.read_csv(file)
    return decks


def balance(found: pl.DataFrame, par: dict[int, float]) -> pl.DataFrame:
    """Return a row for each deck and number of players from the table of a sweep.

    Columns: deck, players, games; mean score, shared wins and wins by tie-break; for each seat how much more it wins than
    par, the share of equal sides. Each has its 95 % interval, lowest and highest, for itself and not all together.
    """
    rows = []
    for (deck, players), arm in found.group_by("deck", "players", maintain_order=True):
        row: dict[str, object] = {"deck": deck, "players": players, "games": arm["games"][0]}
        wanted = [(name, "all", "") for name in ("score", "shared_wins", "tie_breaks")]
        for name, by, which in wanted + [("win_share", "seat", str(seat)) for seat in range(max(par))]:
            here = arm.filter(metric=name, by=by, which=which)
            less = par[int(str(players))] if by == "seat" else 0
            for end in ("value", "low", "high"):
                key = (f"seat_{which}_over_par" if by == "seat" else name) + ("" if end == "value" else f"_{end}")
                row[key] = None if here.is_empty() or here[end][0] is None else here[end][0] - less
        rows.append(row)
    return pl.DataFrame(rows, infer_schema_length=None)


def markdown(table: pl.DataFrame) -> str:
    """Return the table for people: values with their intervals, shares in percent, differences of shares in points of it."""
    names = [name for name in table.columns[3:] if not name.endswith(("_low", "_high"))]
    head = ["deck", "players", "games", *(name.replace("_", " ") for name in names)]
    lines = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    for row in table.iter_rows(named=True):
        words = [str(row["deck"]), str(row["players"]), f"{row['games']:,}"]
        for name in names:
            scale, form, unit = (1, ".1f", "") if name == "score" else (100, *(("+.1f", " pp") if "par" in name else (".1f", " %")))
            ends = [row[name], row[f"{name}_low"], row[f"{name}_high"]]
            value, low, high = (None if end is None else f"{scale * end:{form}}" for end in ends)
            words.append("" if value is None else f"{value}{unit} ({low} .. {high})")
        lines.append(f"| {' | '.join(words)} |")
    return "\n".join(lines)


def main(words: list[str] | None = None) -> int:
    """Play what is missing and write the table; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("decks", type=Path, nargs="*", metavar="DECK.csv", help="deck files to compare with the shipped one")
    parser.add_argument("--players", type=int, nargs="+", default=[2, 3, 4], help="default 2 3 4")
    parser.add_argument("--policy", default="greedy", help="plays every seat; default greedy")
    parser.add_argument("--games", type=int, default=2000, help="for each deck and number of players; default 2000")
    parser.add_argument("--seed", type=int, default=1, help="default 1")
    parser.add_argument("--jobs", type=int, help="workers; default one for each core")
    parser.add_argument("--out", type=Path, default=Path("results/balance"), help="default results/balance")
    a = parser.parse_args(words)
    try:
        settings = {"decks": decks_of(a.decks), "players": a.players, "policies": a.policy, "games": a.games, "seed": a.seed}
        found = vs.sweep(settings, a.out, jobs=a.jobs, progress=True)
        table = balance(found.frame, {n: par_of(vs.Veggies(players=n)) for n in a.players})
        head = f"{seated([a.policy])}, seed {a.seed}. In brackets: 95 % intervals over deals; pp: percentage points. {ALONE}"
        text = f"{head} Note: {vs.Veggies.setup_note}.\n\n{markdown(table)}\n"
        with file_errors(a.out):
            (a.out / "balance.md").write_text(text, encoding="utf-8", newline="\n")
            table.write_csv((a.out / "balance.csv").absolute())
    except vs.InputError as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt as stop:
        print(f"{parser.prog}: interrupted; {stop}", file=sys.stderr)
        return 130
    print(f"{text}\n{a.out / 'balance.md'}, balance.csv; all metrics: sweep.csv")
    return 0


if __name__ == "__main__":
    sys.exit(main())
