"""Study policies: a ladder for each number of players, and what doubling an option of one policy is worth.

Writes tables and pictures for N players, such as ladder-N.csv and trace-N.png. Safe to run twice: tables that are there are not
played again; other settings in the same folder are refused.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path

import polars as pl
from matplotlib.axes import Axes

import veggies_sim as vs
from veggies_sim.analysis.ladder import doublings
from veggies_sim.cli.ladder import ladder_text, trace_text
from veggies_sim.cli.words import picture_title
from veggies_sim.core.files import file_errors
from veggies_sim.plots import ladder as draw
from veggies_sim.plots.axes import save

SETTINGS = "settings.json"
Found = tuple[dict[str, pl.DataFrame], Callable[..., Axes], str]  # tables by the start of their names, the picture's last; words


def ladder(game: vs.Veggies, a: argparse.Namespace) -> Found:
    """Play all policies against each other."""
    found = vs.ladder(game, a.policy, a.games, seed=a.seed, jobs=a.jobs, progress=True)
    if found.interrupted:
        raise KeyboardInterrupt
    picture = lambda title: draw.standings(found.standings, found.par, title=title)  # noqa: E731
    return {"differences": found.differences, "ladder": found.standings}, picture, ladder_text(found, game.players)


def trace(game: vs.Veggies, a: argparse.Namespace) -> Found:
    """Double an option of a policy again and again."""
    found = vs.skill_trace(game, a.trace, a.option, a.games, steps=a.steps, seed=a.seed, jobs=a.jobs, progress=True)
    if found.interrupted:
        raise KeyboardInterrupt
    picture = lambda title: draw.skill_trace(found.steps, found.par, a.option, title=title)  # noqa: E731
    return {"trace": found.steps}, picture, trace_text(found, a.option, game.players)


def check(a: argparse.Namespace) -> str:
    """Return the settings as text. Raises InputError where the folder has others."""
    keys = ("policy", "games", "seed", "trace", "option", "steps")
    file, text = a.out / SETTINGS, json.dumps({key: getattr(a, key) for key in keys})
    with file_errors(file, "read"):
        if file.exists() and file.read_text(encoding="utf-8") != text:
            raise vs.InputError(f"{file} has other settings. Give the same ones, or another --out.")
    return text


def study(game: vs.Veggies, what: Callable[..., Found], a: argparse.Namespace, settings: str) -> None:
    """Play one ladder or trace and write its files; nothing where they are there."""
    file = a.out / f"{(name := what.__name__)}-{game.players}.csv"
    if file.exists():
        return print(f"{file} is there already", file=sys.stderr)
    tables, picture, text = what(game, a)
    title = picture_title(game, f"{name}, {a.games:,} games at most, seed {a.seed}")
    save(picture(title=title), file.with_suffix(".png"))
    with file_errors(a.out):
        (a.out / SETTINGS).write_text(settings, encoding="utf-8", newline="\n")
        for each, table in tables.items():  # the one that says that all is there comes last
            table.write_csv((a.out / f"{each}-{game.players}.csv").absolute())
    print(f"{title}\n\n{text}\n\n{file}, {file.with_suffix('.png').name}\n")


def main(words: list[str] | None = None) -> int:
    """Play what is missing and write tables and pictures; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--policy", nargs="+", default=["random", "sampled", "greedy"], help="default random sampled greedy")
    parser.add_argument("--players", type=int, nargs="+", default=[2, 3, 4], help="default 2 3 4")
    parser.add_argument("--games", type=int, default=3000, help="of each ladder and of each trace; default 3000")
    parser.add_argument("--trace", default="sampled:looks=1", help="policy with the option to double; default sampled:looks=1")
    parser.add_argument("--option", default="looks", help="the option to double; default looks")
    parser.add_argument("--steps", type=int, default=4, help="how often it is doubled; default 4")
    parser.add_argument("--seed", type=int, default=1, help="default 1")
    parser.add_argument("--jobs", type=int, help="workers; default one for each core")
    parser.add_argument("--out", type=Path, default=Path("results/policies"), help="default results/policies")
    a = parser.parse_args(words)
    try:
        settings = check(a)
        games = [vs.Veggies(players=players) for players in a.players]
        doublings(games[0], a.trace, a.option, a.steps)  # its faults, before the first ladder is played
        for game in games:
            study(game, ladder, a, settings)
            study(game, trace, a, settings)
    except vs.InputError as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(f"{parser.prog}: interrupted; the same command goes on", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
