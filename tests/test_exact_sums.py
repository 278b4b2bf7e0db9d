"""Sums are the same to the last bit in whatever order threads add them up: what is added up is exact."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from toy_game import HighSum

import veggies_sim as vs
from veggies_sim.analysis import estimates as module
from veggies_sim.analysis import pairs
from veggies_sim.analysis.estimates import estimates
from veggies_sim.analysis.metrics import metrics_of
from veggies_sim.analysis.scores import histogram
from veggies_sim.analysis.sums import group_frame
from veggies_sim.core.dataset import Run
from veggies_sim.games.veggies.analysis import goods, rats

BITS = 2.0**40  # sums of so fine parts are exact up to 8,192; `win`, of 24 bits, times points has the finest here


@pytest.fixture(scope="module", params=[2, 3, 4, "toy"])
def run(request: pytest.FixtureRequest) -> Run:
    game = HighSum(3) if request.param == "toy" else vs.Veggies(request.param)
    return vs.simulate(game, games=3000, seed=1, jobs=1, policies=None if request.param == "toy" else "random")


def inexact(run: Run, columns: dict[str, pl.Expr], change: object = None, **_: object) -> Iterator[str]:
    """Yield the names of columns that hold anything but fractions with a few binary digits."""
    (rows,) = run.scan_parts("seats")
    found = run.collected((change(rows) if change else rows).select(**{  # type: ignore[operator]
        name: each.cast(pl.Float64) for name, each in columns.items()
    }))  # fmt: skip
    yield from (name for name in found.columns if not (found[name].fill_null(0).to_numpy() * BITS % 1 == 0).all())


def test_all_metrics_are_made_of_exact_sums(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []

    def sums(run: Run, columns: dict[str, pl.Expr], by: object = (), table: object = "seats", change: object = None) -> object:
        assert [*inexact(run, columns, change)] == []
        seen.extend(columns)
        return group_sums(run, columns, by, table, change)  # type: ignore[arg-type]

    group_sums = module.group_sums
    monkeypatch.setattr(module, "group_sums", sums)
    metrics = metrics_of(run.game)
    estimates(run, [*metrics.values()])
    square = {}
    monkeypatch.setattr(pairs, "group_frame", lambda run, columns, *_, **__: square.update(columns))
    pairs.sums_of(run, metrics, run.held)
    assert "winner_score.square" in square and [*inexact(run, square)] == []
    if run.game.id == "veggies":
        for each in (goods.carriers, goods.announced, goods.worth, goods.sizes, goods.symmetry, rats.across_stands,
                     rats.within_games, rats.rescored):  # fmt: skip
            each(run)
        assert {"score_within.0", "0.score.0", "none.winners.0", "repeated.0"} <= {*seen}


def test_thirds_are_not_exact(run: Run) -> None:
    """The control: a share of three, as a metric may hold it by mistake."""
    assert [*inexact(run, {"third": pl.col("score") / 3, "whole": pl.col("score")})] == ["third"]


def test_a_dataset_of_several_parts_says_the_same_every_time(tmp_path: Path) -> None:
    for games in (5000, 11_000, 20_000):
        vs.simulate(vs.Veggies(3), "random", games, seed=1, out=tmp_path / "run", mode="resume" if games > 5000 else "new")
    run = vs.open_dataset(tmp_path / "run")
    assert len(run.manifest.parts) > 2
    metrics = [*metrics_of(run.game).values()]
    for each in (partial(estimates, run, metrics), partial(histogram, run, ["seat"], "lead"), partial(goods.carriers, run),
                 partial(rats.rescored, run), partial(rats.within_games, run)):  # fmt: skip
        first = each()
        for _ in range(5):
            for name, column in each().to_dict().items():
                assert column.equals(first[name], null_equal=True), name


def test_scaled_sums_are_what_the_definitions_say() -> None:
    run = vs.simulate(vs.Veggies(3), "random", 600, seed=2, jobs=1)
    rows = run.seats.with_columns(pl.col("score", "rats", "margin").cast(pl.Int64), win=pl.col("win").cast(pl.Float64))
    said = pl.sum_horizontal(pl.col("announced", "announced_2").is_not_null().cast(pl.Int64))
    scored = pl.sum_horizontal(pl.col("^.*_scored$").cast(pl.Int64))
    again = rows.select((said - scored / 3).sum() / said.sum()).item()
    assert estimates(run, [metrics_of(run.game)["repeated"]])["value"][0] == pytest.approx(again, rel=1e-12)
    centred = rows.with_columns(x=pl.col("rats") - pl.col("rats").mean().over("game"))
    line = centred.select((pl.col("x") * pl.col("score")).sum() / (pl.col("x") ** 2).sum()).item()
    assert rats.within_games(run)["value"][0] == pytest.approx(line, rel=1e-12)
    own = rats.rescored(run, [int(run.game.rules["rat_penalty"])])
    assert own.filter(metric="score")["value"][0] == pytest.approx(rows["score"].mean(), rel=1e-12)
    shares = goods.carriers(run)
    assert np.allclose([shares.filter(metric=of)["value"].sum() for of in ("winners", "seats")], 1)
    assert (group_frame(run, {"win": pl.col("win")})["win"].sum()) == pytest.approx(600, abs=600e-7)
