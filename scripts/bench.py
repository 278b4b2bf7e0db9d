"""Measure a whole run, dataset written: game x policy x players x recording x jobs x size, as JSON lines.

Each line has games per second (mean and 95 % t-interval over repeats), the time to compile from an empty cache, and the
peak memory of the process. Every line is measured in a process of its own. The machine's other load is in the figures:
compare ratios of one run only. `--table FILE` prints the lines of an earlier run as a Markdown table.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

SECONDS = 2.0  # a run of the default size takes about so long
KEYS = ("game", "players", "policy", "record", "jobs", "games")


def play(case: dict[str, Any], games: int) -> float:
    """Return the seconds that a run takes with its dataset."""
    import veggies_sim as vs
    from veggies_sim.core.registry import find_game

    game = find_game(case["game"])(case["players"])
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        vs.simulate(game, case["policy"], games, seed=1, jobs=case["jobs"], record=case["record"], out=Path(folder) / "run")
        return time.perf_counter() - start


def measure(case: dict[str, Any], repeats: int) -> dict[str, Any]:
    """Return games per second of one case with its interval, and the memory of this process."""
    play(case, case["jobs"])  # loads the kernels
    games, seconds = case["games"] or 8, 0.0
    while not case["games"] and (seconds := play(case, games)) < SECONDS / 4:
        games *= 4
    games = case["games"] or max(1, int(games * SECONDS / seconds))
    rates = [games / play(case, games) for _ in range(repeats)]
    half = _t_quantile(repeats) * statistics.stdev(rates) / math.sqrt(repeats) if repeats > 1 else math.nan
    row = case | {"games": games, "games_per_s": _round(statistics.mean(rates)), "plus_minus": _round(half), "repeats": repeats}
    return row | {"peak_mb": _peak_mb()} | _imagined(case, statistics.mean(rates))


def _round(value: float) -> float:
    return round(value) if value >= 100 else float(f"{value:.3g}")


def _t_quantile(repeats: int) -> float:
    from scipy import stats

    return float(stats.t.ppf(0.975, repeats - 1))


def _peak_mb() -> int | None:
    """Return the peak memory of this process in MB; None where the system does not say."""
    try:
        import resource
    except ImportError:  # Windows
        return None
    unit = 1 if sys.platform == "darwin" else 1024  # macOS counts bytes, Linux kilobytes
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6)


def _imagined(case: dict[str, Any], rate: float) -> dict[str, Any]:
    """Return the imagined games per second of a policy that has a budget of them for each move but the last one."""
    from veggies_sim.core.policy import policies_for
    from veggies_sim.core.registry import find_game

    game = find_game(case["game"])(case["players"])
    budget = policies_for(case["policy"], game)[0].values.get("budget")
    return {} if budget is None else {"imagined_games_per_s": _round(rate * int(budget) * (len(list(game.schedule())) - 1))}


def in_a_process(case: dict[str, Any], repeats: int) -> dict[str, Any]:
    """Measure one case in a fresh process, its compiling in another one with an empty cache."""
    with tempfile.TemporaryDirectory() as empty:
        compiled = _ask(case | {"games": 1, "jobs": 1}, 0, {"VEGGIES_SIM_CACHE": empty})
    return _ask(case, repeats, {}) | {"compile_s": compiled["compile_s"]}


def _ask(case: dict[str, Any], repeats: int, more: dict[str, str]) -> dict[str, Any]:
    command = [sys.executable, __file__, "--case", json.dumps(case), "--repeats", str(repeats)]
    done = subprocess.run(command, env=os.environ | more, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    return dict(json.loads(done.stdout))


def machine() -> str:
    """Return the processor, the cores and the versions that the figures belong to."""
    name = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        lines = cpuinfo.read_text().splitlines()
        name = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), name)
    return f"{name}, {os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}"


def print_table(path: Path) -> None:
    """Print JSON lines as a Markdown table."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    print(f"Measured {rows[0]['date']} on {rows[0]['machine']}, by `scripts/bench.py`:\n")
    print("| game | policy | players | record | jobs | games/s (95 % interval) | imagined games/s | compiling | peak memory |")
    print("|---|---|---|---|---|---|---|---|---|")
    for row in rows:
        rate = f"{row['games_per_s']:,} ± {row['plus_minus']:,}"
        imagined = f"{row['imagined_games_per_s']:,}" if "imagined_games_per_s" in row else ""
        print(
            f"| {row['game']} | `{row['policy']}` | {row['players']} | {row['record']} | {row['jobs']} | {rate} | {imagined} "
            f"| {row['compile_s']:.0f} s | {row['peak_mb']} MB |"
        )


def main() -> None:
    """Measure the wished combinations and print a line for each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game", action="append", help="default veggies")
    parser.add_argument("--policy", action="append", help="default random and greedy")
    parser.add_argument("--players", type=int, action="append", help="default 3")
    parser.add_argument("--record", action="append", choices=["seats", "moves"], help="default both")
    parser.add_argument("--jobs", type=int, action="append", help="default 1 and 2")
    parser.add_argument("--games", type=int, action="append", help="games of a run; default as many as take about two seconds")
    parser.add_argument("--repeats", type=int, default=5, help="runs of each combination (default 5)")
    parser.add_argument("--table", type=Path, metavar="FILE", help="print the lines of FILE as a table, measure nothing")
    parser.add_argument("--case", help=argparse.SUPPRESS)  # one combination, measured in this process
    arguments = parser.parse_args()
    if arguments.table:
        print_table(arguments.table)
    elif arguments.case:
        case = json.loads(arguments.case)
        print(json.dumps(measure(case, arguments.repeats) if arguments.repeats else {"compile_s": round(play(case, 1), 1)}))
    else:
        wished = [getattr(arguments, key) for key in KEYS]
        usual = (["veggies"], [3], ["random", "greedy"], ["seats", "moves"], [1, 2], [0])
        stamp = {"date": time.strftime("%Y-%m-%d"), "machine": machine()}
        for values in itertools.product(*(given or default for given, default in zip(wished, usual, strict=True))):
            print(json.dumps(in_a_process(dict(zip(KEYS, values, strict=True)), arguments.repeats) | stamp), flush=True)


if __name__ == "__main__":
    main()
