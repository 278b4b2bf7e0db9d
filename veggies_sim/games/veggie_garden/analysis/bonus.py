"""How often the bonus for holding every kind decides: the same games with another bonus, hands as recorded."""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl

from veggies_sim.analysis.intervals import LEVEL
from veggies_sim.analysis.rescore import rescored
from veggies_sim.analysis.sums import check_run
from veggies_sim.core.checks import whole
from veggies_sim.core.dataset import Run
from veggies_sim.games.veggie_garden.analysis.metrics import KINDS_HELD
from veggies_sim.games.veggie_garden.board import IN_PLAY
from veggies_sim.games.veggie_garden.game import VeggieGarden

BONUSES = (0, 5, 10, 15, 20)


def decides(run: Run, bonuses: Iterable[int] = BONUSES, level: float = LEVEL) -> pl.DataFrame:
    """Return what the same games give with another bonus. Columns: bonus, metric, unit, value, low, high, error, rows (games).

    Metrics: those of `analysis.rescore`; other_winner at a bonus of 0 is how often the bonus changes who wins, a win that is
    shared by more or fewer seats included, and no_winner_left how often none of the winners would have won. Exact, by the
    rules, but nobody plays otherwise: who knew that there was no bonus would gather other cards. Raises InputError for
    bonuses that the game does not have.
    """
    check_run(run, VeggieGarden)
    tried = [whole(bonus, "bonus", 0, 100) for bonus in bonuses]
    frame = rescored(run, KINDS_HELD == IN_PLAY, int(run.game.rules["bonus"]), tried, level=level)
    return frame.rename({"amount": "bonus"})
