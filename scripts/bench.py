"""Measure games per second: game x policy x players x recording, as JSON lines with an interval over repeats.

The machine's other load is in the figures: compare ratios of one run only.
"""

from __future__ import annotations

import argparse
import json
import platform
import statistics
import sys
import tempfile
import time
from pathlib import Path

import veggies_sim as vs


def measure(players: int, policy: str, games: int, record: str, jobs: int) -> float:
    """Return games per second of a whole run, dataset written."""
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        vs.simulate(vs.Veggies(players), policy, games, seed=1, jobs=jobs, record=record, out=Path(folder) / "run")
        return games / (time.perf_counter() - start)


def main() -> None:
    """Measure the wished combinations and print a line for each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--policy", action="append", help="default random and greedy")
    parser.add_argument("--players", type=int, action="append", help="default 3")
    parser.add_argument("--games", type=int, default=0, help="games of a run; default about two seconds' worth")
    parser.add_argument("--jobs", type=int, action="append", help="default 1 and 2")
    parser.add_argument("--repeats", type=int, default=5)
    arguments = parser.parse_args()
    for policy in arguments.policy or ["random", "greedy"]:
        for players in arguments.players or [3]:
            for record in ("seats", "moves"):
                measure(players, policy, 2, record, 1)  # compile
                rate = measure(players, policy, 64 if policy == "greedy" else 50_000, record, 1)
                for jobs in arguments.jobs or [1, 2]:
                    games = arguments.games or int(2 * rate * jobs) + 1
                    found = [measure(players, policy, games, record, jobs) for _ in range(arguments.repeats)]
                    row = {"policy": policy, "players": players, "record": record, "jobs": jobs, "games": games}
                    row |= {"games_per_s": round(statistics.median(found))}
                    row |= {"lowest": round(min(found)), "highest": round(max(found))}
                    row |= {"machine": platform.processor() or platform.machine(), "python": sys.version.split()[0]}
                    print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()
