"""What is measured of stands and announcements, against counts by hand."""

from __future__ import annotations

import numpy as np
import pytest
from planted import grid, played, with_rows

import veggies_sim as vs
from veggies_sim.analysis.estimates import estimates
from veggies_sim.analysis.metrics import metrics_of
from veggies_sim.core.dataset import Run
from veggies_sim.games.veggies.deck import GOODS

OWN = ["rats", "rat_points", "largest_group", "groups", "goods_present", "goods_scored", "repeated"]


def values(run: Run) -> dict[str, float]:
    table = estimates(run, [metrics_of(run.game)[key] for key in OWN])
    return dict(zip(table["metric"], table["value"], strict=True))


def by_hand(run: Run) -> dict[str, float]:
    largest, groups = (np.array([grid(run, f"{good}_{name}") for good in GOODS]) for name in ("largest", "groups"))
    said = [{row[name] for row in rows for name in ("announced", "announced_2")} - {None} for rows in games_of(run)]
    all_said = [[row[name] for row in rows for name in ("announced", "announced_2") if row[name]] for rows in games_of(run)]
    rats = grid(run, "rats").mean()
    return {
        "rats": rats,
        "rat_points": rats * int(run.game.rules["rat_penalty"]),
        "largest_group": largest.max(axis=0).mean(),
        "groups": groups.sum(axis=0).mean(),
        "goods_present": (largest > 0).sum(axis=0).mean(),
        "goods_scored": np.mean([len(goods) for goods in said]),
        "repeated": 1 - sum(map(len, said)) / sum(map(len, all_said)),
    }


def games_of(run: Run) -> list[list[dict[str, str]]]:
    rows = run.seats.select("announced", "announced_2").to_dicts()
    return [rows[first : first + run.game.players] for first in range(0, len(rows), run.game.players)]


@pytest.mark.parametrize("players", [2, 3, 4])
def test_metrics_are_what_their_words_say(players: int) -> None:
    run = played(players, 60, rules={"rat_penalty": 5})
    assert values(run) == pytest.approx(by_hand(run))
    assert 0 < values(run)["repeated"] < 1


def test_small_types_do_not_overflow() -> None:
    run = played(3, 40)
    full = with_rows(run, rats=np.full(120, 250), **{f"{good}_groups": np.full(120, 200) for good in GOODS})
    assert values(full)["rats"] == 250 and values(full)["rat_points"] == 500 and values(full)["groups"] == 1000


def test_a_stand_without_goods_announces_nothing() -> None:
    none: list[str | None] = [None] * 120
    run = played(3, 40)
    blank = with_rows(run, announced=none, announced_2=none, **{f"{good}_scored": [False] * 120 for good in GOODS})
    assert values(blank)["goods_scored"] == 0 and values(blank)["repeated"] is None
    one = with_rows(blank, announced=["grape"] * 120, grape_scored=[True] * 120)
    assert values(one)["repeated"] == pytest.approx(2 / 3)


def test_keys_are_unique_and_every_metric_is_explained() -> None:
    game = vs.Veggies(4)
    found = [*metrics_of(game)]
    assert found[-len(OWN) :] == OWN and len(found) == len({*found})
    assert all(metric.title and metric.doc and metric.unit for metric in metrics_of(game).values())
