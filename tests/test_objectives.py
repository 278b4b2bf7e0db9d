"""Goals and axes of a search: what numbers they take."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from veggies_sim.core.errors import InputError
from veggies_sim.design.elites import Axis
from veggies_sim.design.objectives import Objective
from veggies_sim.plots.axes import new_axes, save

GOAL: dict[str, Any] = {"metric": "score", "goal": 50, "tolerance": 2}
AXIS: dict[str, Any] = {"metric": "score", "low": 0, "high": 4, "cells": 4}


@pytest.mark.parametrize(
    ("key", "value", "span"),
    [
        ("goal", 1e200, "-1,000,000 to 1,000,000"), ("goal", 10**400, "-1,000,000 to 1,000,000"), ("goal", "x", "from"),
        ("tolerance", 1e-200, "1e-06 to 1,000,000"), ("tolerance", 0, "1e-06"), ("weight", 1e308, "1,000,000"),
        ("weight", 0, "from"),
    ],
)  # fmt: skip
def test_goals_that_no_search_can_weigh_are_refused(key: str, value: object, span: str) -> None:
    with pytest.raises(InputError, match=f"objective 1, {key}: found .*valid: a number .*{span}"):
        Objective.from_table(GOAL | {key: value}, "objective 1")
    assert Objective.from_table(GOAL | {"weight": 3}, "objective 1").weight == 3


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"low": -1e308, "high": 1e308}, "low: found -1e.308; valid: a number from -1,000,000"),
        ({"low": 1, "high": 1.0000000000000002}, "high = 1.0000000000000002; low is the smaller one"),
        ({"low": 4, "high": 0}, "low is the smaller one"), ({"cells": 0}, "cells: found 0"),
    ],
)  # fmt: skip
def test_axes_without_cells_to_tell_apart_are_refused(given: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        Axis.from_table(AXIS | given, "axis 1")


@pytest.mark.parametrize("ending", ["svg", "png", "pdf"])
def test_a_picture_has_the_same_bytes_each_time(tmp_path: Path, ending: str) -> None:
    files = [tmp_path / f"{name}.{ending}" for name in "ab"]
    for file in files:
        ax = new_axes("title")
        ax.plot([0, 1], clip_on=True)
        save(ax, file)
    assert files[0].read_bytes() == files[1].read_bytes()
    assert ending != "svg" or "<dc:date>" not in files[0].read_text("utf-8")
