"""What `deck map` draws a map of: a TOML file with two axes, and else as the one of `deck tune`, checked before anything is played.

Files are data: nothing in one is run, own code of policies is refused, and it names no path.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from veggies_sim.core.checks import as_path, refuse_twice, several
from veggies_sim.core.errors import InputError
from veggies_sim.core.toml import check_keys, read_toml_and_bytes
from veggies_sim.design.elites import AXIS_KEYS, Axis, Cell
from veggies_sim.design.objectives import loss
from veggies_sim.games.veggies.design.measures import ASYMMETRY, Measure
from veggies_sim.games.veggies.design.tune_file import KEYS, LINE_UP_KEYS, Target, measures_of, target_of

FAIR = {"metric": ASYMMETRY, "goal": 0, "tolerance": 0.01}  # the objective of a file that has none
EXAMPLE = """\
players = 3                      # 2, 3 or 4; default 3
policies = ["greedy"]            # each plays at all seats; the first says where a deck lies; default greedy alone
[rules]                          # as --rule KEY=VALUE; default the game's own
rat_penalty = 2

[[axis]]                         # two: the first goes across, the second up
metric = "rat_cost"              # see `deck tune --help`; named_win and skill_gap with policy and against, as there
low = 2
high = 6
cells = 5                        # of equal width, 1 to 50

[[axis]]
metric = "score_sd"
low = 10
high = 20
cells = 5

[[objective]]                    # what is best in a cell, as in `deck tune`: the least distance from the goals, under the worst
metric = "winner_score"          # of the policies; without objectives the goods that are announced most equally
goal = 60
tolerance = 5

[deck]                           # what every deck must meet, the form of `deck generate`; what it leaves free is searched
cards = 40
[deck.symbols]
strawberry = [20, 50]
banana = [20, 50]
grape = [20, 50]
carrot = [20, 50]
mushroom = [20, 50]
rat = [10, 50]
[deck.card]
rat = [0, 3]
"""


@dataclass(frozen=True)
class Landscape:
    """What a map shows: two axes, what is best in a cell, and the decks that may be."""

    target: Target
    axes: tuple[Axis, Axis]
    sides: tuple[tuple[Measure, ...], tuple[Measure, ...]]  # what each axis is measured by, one for each policy; the first counts

    def measures(self) -> dict[str, Measure]:
        """Return all that is measured, by name, each once: of the axes, then of the objectives."""
        return {each.name: each for each in (*self.sides[0], *self.sides[1], *self.target.every())}

    def cell(self, values: Mapping[str, Any]) -> Cell | None:
        """Return the cell of a deck with these values, by name; None where it lies outside of the axes."""
        x, y = (axis.cell(values[side[0].name]) for axis, side in zip(self.axes, self.sides, strict=True))
        return None if x is None or y is None else (x, y)

    def distance(self, values: Mapping[str, Any]) -> float:
        """Return how far a deck with these values, by name, is from the goals, in tolerances: root of the `loss`, 0 is best."""
        found = [[values[each.name] for each in group] for group in self.target.measures]
        return math.sqrt(loss(self.target.objectives, found))


def read_landscape(file: str | Path) -> Landscape:
    """Return the landscape of a TOML file, in the form of EXAMPLE. Raises InputError for the first fault."""
    path = as_path(file, "map")
    read, raw = read_toml_and_bytes(path)
    table = check_keys(read, (*KEYS, "axis"), str(path))
    asked = {"objective": [FAIR]} | {key: value for key, value in table.items() if key != "axis"}
    target = target_of(asked, str(path), raw)
    try:
        tables = several(table.get("axis", []), "axis", '[[axis]] with metric = "rat_cost"')
        if len(tables) != 2:
            raise InputError(f"axis: found {len(tables)}; give two tables [[axis]], each with {', '.join(AXIS_KEYS)}.")
        (across, first), (up, second) = (_axis(each, f"axis {place}", target) for place, each in enumerate(tables, 1))
        refuse_twice([first[0].name, second[0].name], "axis")
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
    return Landscape(target, (across, up), (first, second))


def _axis(given: object, where: str, target: Target) -> tuple[Axis, tuple[Measure, ...]]:
    table = check_keys(given, (*AXIS_KEYS, *LINE_UP_KEYS), where)
    axis = Axis.from_table(table, where)
    return axis, measures_of(axis.metric, table, where, target.game, target.policies, target.spec)
