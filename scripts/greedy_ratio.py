"""Measure `greedy` against a plain recount of every candidate, its slow twin, side by side on the same games.

Engine only, one core, processor time; prints JSON lines with the ratio's 95 % t-interval over repeats.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import sys
import time
from pathlib import Path

from scipy import stats

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from greedy_recount import choose_recount

import veggies_sim as vs
from veggies_sim.core.engine import Design, play_block
from veggies_sim.core.policy import Policy
from veggies_sim.games.veggies.greedy_policy import choose_greedy
from veggies_sim.games.veggies.policies import KernelPolicy


def seconds(game: vs.Veggies, policy: Policy, first: int, games: int) -> float:
    """Return the processor time of some games."""
    start = time.thread_time()
    play_block(game, [policy] * game.players, Design(1, 1), first, games)
    return time.thread_time() - start


def main() -> None:
    """Measure for each number of players."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=200, help="games of a repeat (default 200)")
    parser.add_argument("--repeats", type=int, default=5, help="default 5")
    arguments = parser.parse_args()
    quick, plain = KernelPolicy(choose_greedy), KernelPolicy(choose_recount)
    for players in (2, 3, 4):
        game = vs.Veggies(players)
        for policy in (quick, plain):
            seconds(game, policy, 0, 1)  # compile
        pairs = [
            (seconds(game, quick, first, arguments.games), seconds(game, plain, first, arguments.games))
            for first in range(0, arguments.repeats * arguments.games, arguments.games)
        ]
        ratios = [slow / fast for fast, slow in pairs]
        half = stats.t.ppf(0.975, len(ratios) - 1) * statistics.stdev(ratios) / math.sqrt(len(ratios))
        row = {"players": players, "ratio": round(statistics.mean(ratios), 1), "plus_minus": round(float(half), 1)}
        row |= {"greedy_games_per_s": round(arguments.games / statistics.mean(fast for fast, _ in pairs))}
        print(json.dumps(row | {"recount_games_per_s": round(arguments.games / statistics.mean(slow for _, slow in pairs), 1)}))


if __name__ == "__main__":
    main()
