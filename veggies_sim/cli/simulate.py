"""`simulate`, `rerun` and `merge`: commands that write a dataset."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from veggies_sim.cli import options
from veggies_sim.cli.words import number, path, say_conditions
from veggies_sim.core.errors import InputError
from veggies_sim.core.registry import DEFAULT_GAME

if TYPE_CHECKING:
    from veggies_sim.analysis.until import Target
    from veggies_sim.core.dataset import Run
    from veggies_sim.core.game import Game
    from veggies_sim.core.manifest import Manifest

# Values where neither the command line nor, with --resume, the dataset says anything.
_DEFAULTS: dict[str, Any] = {
    "game": DEFAULT_GAME, "players": None, "games": 10_000, "first_game": 0, "seed": None, "policy_seed": None,
    "plays_per_deal": 1, "rotate_seats": False, "record": "seats",
}  # fmt: skip


_SIMULATE = "Play games and write them as a dataset, a folder of Parquet files."
_RERUN = (
    "Play a dataset's run again from its manifest run.json: same game, set-up, rules, policies and seed, and so the same "
    "rows, in a new folder."
)
_MERGE = (
    "Put datasets of one run together, such as the parts that several machines played: same game, set-up, rules, policies "
    "and seed, different games (simulate --first-game)."
)


def add_commands(commands: Any) -> None:
    """Add the commands of this file to the parser."""
    p = commands.add_parser("simulate", help="play games and write a dataset", description=_SIMULATE, allow_abbrev=False)
    options.add_game(p)
    options.add_policy(p, "one for all seats, or repeat the option for each seat; default the game's own")
    options.add_play(p)
    add = p.add_argument
    add("--games", type=number,
        help="number of games, every play of a deal counted; default 10,000; with --until the most, default 10 million")
    add("--until", metavar="PRECISION",
        help="play until a 95%% interval is this narrow, such as \"win_share(seat=0) +-0.2pp\" (percentage points), "
        "\"score(policy=greedy) +-0.1\" or \"lead +-0.1\" (metrics: see `games`); the interval is for this number alone, not "
        "widened for others; looked at after 1,000, 2,000, 4,000 ... games; default: --games are played")  # fmt: skip
    add("--out", type=path, metavar="DIR", help="folder of the dataset; default results/GAME-SEED")
    add("--record", choices=("seats", "moves"),
        help="moves also records every deal and every move, to analyse them (replay works without); default seats")
    add("--plays-per-deal", type=number, metavar="R",
        help="play each deal (one shuffle, dealt out) R times with new choices; all plays count as games; default 1")
    add("--rotate-seats", action="store_true", default=None,
        help="play each deal once for every rotation of the policies over the seats; all plays count as games")
    add("--first-game", type=number, metavar="K",
        help="number of the first game: several machines play --games N of one --seed from 0, N, 2N, ... (see `merge`); default 0")
    how = p.add_mutually_exclusive_group()
    how.add_argument("--resume", action="store_true",
        help="play what the dataset in --out lacks, after an interruption or with more --games; its own values are defaults")
    how.add_argument("--replace", action="store_true", help="write the dataset in --out anew")
    add("--dry-run", action="store_true", help="print estimates of time and disk, write nothing")
    p.set_defaults(run=_simulate)

    p = commands.add_parser("rerun", help="play a dataset's run again from its manifest", description=_RERUN, allow_abbrev=False)
    p.add_argument("folder", type=path, metavar="DIR", help="folder of a dataset")
    p.add_argument("--out", type=path, metavar="DIR", help="folder of the new dataset; default DIR-rerun")
    p.add_argument("--jobs", type=number, help="workers; default one for each core")
    options.add_policy(p, options.AGAIN)
    p.set_defaults(run=_rerun)

    p = commands.add_parser("merge", help="put datasets of one run together", description=_MERGE, allow_abbrev=False)
    p.add_argument("folders", type=path, nargs="+", metavar="DIR", help="folders of datasets")
    p.add_argument("--out", type=path, metavar="DIR", required=True, help="folder of the new dataset")
    p.set_defaults(run=_merge)


def _simulate(arguments: argparse.Namespace) -> None:
    from veggies_sim.core.dataset import rebuild_game
    from veggies_sim.core.policy import policies_again
    from veggies_sim.core.registry import find_game
    from veggies_sim.core.streams import draw_seed

    held = _held(arguments)
    values = {
        key: options.first(getattr(arguments, key), getattr(held, key, None), default) for key, default in _DEFAULTS.items()
    }
    until = arguments.until
    if until is None and held and arguments.games is None:
        until = held.until.get("target")
    if arguments.games is None:
        values["games"] = _games(held, until)
    kind = find_game(values.pop("game"))
    setup = rebuild_game(held, arguments.out).setup if held and not arguments.deck else kind.read_setup(arguments.deck)
    rules = options.rules(arguments) or (held.rules if held else {})
    game = options.new_game(kind, values.pop("players"), setup, rules)
    if held and arguments.deck and game.setup != setup:  # the dataset's rules would go before the file
        raise InputError(
            f"can't go on with {arguments.out}: it was not played with {arguments.deck} alone. Leave --deck out, or give the same "
            "--deck and --rule again."
        )
    policies = options.policies(arguments) or (held.policies if held else None)
    if held and not arguments.policy:
        policies_again(held.policies, game)
    seed = values["seed"] = draw_seed() if values["seed"] is None else values["seed"]
    values |= {"jobs": arguments.jobs, "backend": arguments.backend}
    out = arguments.out or Path("results") / f"{game.id}-{seed}"
    mode = "resume" if arguments.resume else "replace" if arguments.replace else "new"
    if until is not None:
        _play_until(game, policies, until, arguments.dry_run, values | {"out": out, "mode": mode})
    else:
        _play(game, policies, arguments.dry_run, values | {"out": out, "mode": mode})


def _games(held: Manifest | None, until: str | None) -> int:
    """Return the number of games where --games does not say it: with --until the most."""
    if until is not None:
        from veggies_sim.analysis.until import MOST_GAMES

        return int(held.until.get("games", MOST_GAMES)) if held else MOST_GAMES
    return held.games_requested if held else int(_DEFAULTS["games"])


def _play(game: Game, policies: Any, dry_run: bool, values: dict[str, Any]) -> None:
    from veggies_sim.core.runner import simulate

    run = simulate(game, policies, progress=True, dry_run=dry_run, **values)
    if dry_run:
        _estimate(game, policies, values, _missing(run))
    else:
        _report(run)


def _play_until(game: Game, policies: Any, until: str, dry_run: bool, values: dict[str, Any]) -> None:
    """Play until an interval is narrow enough, and say whether that was reached."""
    from veggies_sim.analysis.until import look_words, read_target, simulate_until

    target = read_target(until, game, policies)
    if dry_run:
        return _estimate_until(game, policies, target, values)
    run = simulate_until(game, policies, until, progress=True, **values)
    _report(run)
    last = run.manifest.looks[-1]
    if target.reached(last):
        print(f"{until}: reached after {look_words(last, target)}")
    else:
        more = "go on with --resume, --until and more --games"
        print(f"{until}: NOT reached, these are the most games that were to be played ({more}); {look_words(last, target)}")
    print("(the interval is for this number alone; where several are told together, as seats in a report, theirs are wider)")


def _report(run: Run) -> None:
    """Say what was played, and under which conditions."""
    say_conditions(run.game)
    print(f"{run.manifest.games:,} games in {run.folder} (seed {run.manifest.seed})")


def _held(arguments: argparse.Namespace) -> Manifest | None:
    from veggies_sim.core.manifest_reader import load

    if not arguments.resume:
        return None
    if arguments.out is None:
        raise InputError("--resume needs the folder to go on with: give --out DIR.")
    return load(arguments.out)


class _Sample(NamedTuple):
    """What some games took that were played as a trial."""

    games: int
    seconds: float
    size: int  # of files, in bytes
    look: dict[str, Any]  # of a target, where there is one


def _sample(game: Game, policies: Any, values: dict[str, Any], most: int, target: Target | None = None) -> _Sample:
    """Play for about a second, `most` games at the most, and keep nothing."""
    import tempfile
    import time

    from veggies_sim.analysis.until import look
    from veggies_sim.core.runner import simulate

    values = {key: value for key, value in values.items() if key not in ("out", "mode")}
    simulate(game, policies, **(values | {"games": 1}))
    games, start = min(most, 16), time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        while True:
            out = Path(folder) / str(games)
            begin = time.perf_counter()
            run = simulate(game, policies, out=out, **(values | {"games": games}))
            seconds = time.perf_counter() - begin
            if games >= most or seconds > 0.5 or time.perf_counter() - start > 3:
                break
            games = min(most, games * 4)
        size = sum(path.stat().st_size for path in out.rglob("*.parquet"))
        return _Sample(games, seconds, size, look(run, target, games) if target else {})


def _estimate(game: Game, policies: Any, values: dict[str, Any], whole: int) -> None:
    """Print what a run of `whole` games will take."""
    if not whole:
        print("already complete, nothing to do", file=sys.stderr)
        return
    _say_estimate(game, values, f"{whole:,} games", whole, _sample(game, policies, values, whole))


def _estimate_until(game: Game, policies: Any, target: Target, values: dict[str, Any]) -> None:
    """Print about how many games it takes until an interval is narrow enough, and what a run of as many takes."""
    from veggies_sim.analysis.amounts import amount, rough
    from veggies_sim.analysis.until import games_for, look_sizes
    from veggies_sim.core.runner import simulate

    simulate(game, policies, dry_run=True, **values)  # its faults, before anything is played
    most = values["games"]
    sample = _sample(game, policies, values, most, target)
    if sample.look["low"] is None:
        print(f"{sample.games:,} games on trial are too few to say how many are needed")
        return _say_estimate(game, values, f"{most:,} games, the most to be played,", most, sample)
    needed = games_for(sample.look, target)
    half = amount((sample.look["high"] - sample.look["low"]) / 2, target.metric.unit)
    print(f"{sample.games:,} games on trial tell it to +-{half}: about {rough(needed)} are needed")
    size = next((size for size in look_sizes(most) if size >= needed), most)
    words = f"{size:,} games, the most to be played," if needed > most else f"{size:,} games, the look after that,"
    _say_estimate(game, values, words, size, sample)


def _say_estimate(game: Game, values: dict[str, Any], words: str, whole: int, sample: _Sample) -> None:
    import os

    jobs, times = options.first(values["jobs"], os.cpu_count(), 1), whole / sample.games
    print(f"{words} with {jobs} jobs: about {times * sample.seconds:,.1f} s and {times * sample.size / 1e6:,.1f} MB")
    print(f"(estimated from {sample.games:,} games; nothing was written)", file=sys.stderr)
    say_conditions(game)


def _missing(run: Run) -> int:
    return sum(count for _, count in run.manifest.missing())


def _rerun(arguments: argparse.Namespace) -> None:
    from veggies_sim.core.dataset import open_dataset, refuse_other_version
    from veggies_sim.core.policy import policies_again
    from veggies_sim.core.runner import simulate

    old = open_dataset(arguments.folder)
    m = old.manifest
    refuse_other_version(m, old.game, "run it again")
    policies = options.policies(arguments) or m.policies
    specs = policies_again(m.policies, old.game, options.policies(arguments))
    for name in m.other_code({spec.kind.name: spec.kind.code for spec in specs if spec.kind.code}):
        print(f"note: the file of {name} has changed since the dataset was played; rows may be others", file=sys.stderr)
    beside = arguments.folder if arguments.folder.name not in ("", "..") else arguments.folder.resolve()
    run = simulate(
        old.game, policies, m.games_requested, seed=m.seed, policy_seed=m.policy_seed, jobs=arguments.jobs,
        out=arguments.out or beside.with_name(beside.name + "-rerun"), record=m.record, plays_per_deal=m.plays_per_deal,
        rotate_seats=m.rotate_seats, first_game=m.first_game, progress=True,
    )  # fmt: skip
    _report(run)


def _merge(arguments: argparse.Namespace) -> None:
    from veggies_sim.core.output import merge, way_on

    merged = merge(arguments.folders, arguments.out)
    count = len(arguments.folders)
    print(f"{merged.games:,} games of {count} dataset{'s' if count > 1 else ''} in {arguments.out} ({merged.state})")
    if merged.missing():
        print(way_on(arguments.out, merged), file=sys.stderr)
