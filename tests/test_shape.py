"""The shape of play: equal to plain loops over recorded moves, and a clear reason where something was not recorded."""

from __future__ import annotations

import itertools
from collections import Counter
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from toy_game import HighSum
from toy_told import ToldSum

import veggies_sim as vs
from veggies_sim.analysis.shape import CAVEAT, STATES, Shape, half_time, leaders, races, shape
from veggies_sim.core import registry
from veggies_sim.plots import shape as draw


def standings(*games: str) -> np.ndarray:
    """Return standings [G, K, 2] from words such as "3:1 2:2", turn by turn."""
    return np.array([[[float(points) for points in turn.split(":")] for turn in game.split()] for game in games])


def test_lead_changes_and_decisions_by_hand() -> None:
    points = standings(
        "3:1 4:2 5:3 6:4",  # ahead all the time
        "3:1 2:2 5:3 6:4",  # level in between is no change, but decides nothing before
        "3:1 2:2 2:3 1:4",  # a change by way of level
        "3:1 1:2 3:2 1:2",  # three changes, decided last
        "0:0 0:0 1:2 9:0",  # level starts are no change; the result counts and not the last standing: side 1
        "3:1 1:2 1:2 2:2",  # a shared win is never decided
        "1:3 1:3 1:3 2:2",  # level points that a tie-break gives to side 0
    )
    winner = np.array([0, 0, 1, 1, 1, -1, 0])
    lead = leaders(points, winner)
    assert lead[1].tolist() == [0, -1, 0, 0] and lead[4].tolist() == [-1, -1, 1, 1]
    changes, first = races(lead, winner)
    assert changes.tolist() == [0, 0, 1, 3, 0, 1, 1]
    assert first.tolist() == [0, 2, 2, 3, 2, 4, 3]
    state, gap = half_time(points[:, 1], winner)
    assert [STATES[each] for each in state] == ["ahead", "level", "level", "ahead", "level", "shared", "behind"]
    assert gap.tolist() == [2, 0, 0, 1, 0, 0, -2]


def test_three_sides_and_scores_that_are_missing() -> None:
    points = np.array([[[1, 2, 2], [5, 4, 1], [5, 6, 1]], [[np.nan, 2, 1], [3, 2, 2], [1, 1, 1]]])
    winner = np.array([1, 0])
    assert leaders(points, winner).tolist() == [[-1, 0, 1], [-1, 0, 0]]
    state, gap = half_time(points[:, 1], winner)
    assert [STATES[each] for each in state] == ["behind", "ahead"] and gap.tolist() == [-1, 1]


def plain(run: vs.Run) -> dict[str, Counter]:
    """Count by loops over rows: changes of the lead, turns of decision, states at half time, points behind there."""
    sides, found = run.game.team(), {key: Counter() for key in ("changes", "decided", "half", "behind")}
    moves = run.moves.partition_by("game", as_dict=True)
    for (game,), rows in run.seats.partition_by("game", as_dict=True).items():
        winners = {row["team"] for row in rows.to_dicts() if row["win"] > 0}
        now, table = dict.fromkeys(range(len(sides))), []
        for turn in range(5):
            for row in moves[(game,)].filter(pl.col("turn") == turn).to_dicts():
                now[row["seat"]] = row["score_now"]
            if None not in now.values():
                table.append({side: sum(now[seat] for seat in now if sides[seat] == side) for side in {*sides}})
        leads = [[side for side in points if points[side] == max(points.values())] for points in table]
        leads[-1] = sorted(winners)
        alone = [lead[0] for lead in leads if len(lead) == 1]
        found["changes"][sum(a != b for a, b in itertools.pairwise(alone))] += 1
        if len(winners) > 1:
            found["half"]["shared"] += 1
            continue
        (winner,), half = winners, table[len(table) // 2 - 1]
        last_other = max((i for i, lead in enumerate(leads) if lead != [winner]), default=-1)
        found["decided"][last_other + 2] += 1  # turns 1..4 have a standing
        gap = half[winner] - max(half[side] for side in half if side != winner)
        found["half"]["ahead" if gap > 0 else "behind" if gap < 0 else "level"] += 1
        found["behind"]["points"] += max(-gap, 0)
    return found


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_frames_are_what_loops_count(players: int) -> None:
    run = vs.simulate(ToldSum(players, rules={"cards": 20}), games=240, seed=7, plays_per_deal=2, record="moves", jobs=1)
    found, known = shape(run), plain(run)
    assert dict(found.changes.select("changes", "share").iter_rows()) == pytest.approx(
        {key: count / 240 for key, count in known["changes"].items()}
    )
    assert dict(found.decided.select("turn", "share").iter_rows()) == pytest.approx(
        {turn: known["decided"][turn] / 240 for turn in (1, 2, 3, 4)}
    )
    assert found.decided["decided"].to_list() == pytest.approx(found.decided["share"].cum_sum().to_list())
    half = {row["winner"]: row for row in found.half_time.to_dicts()}
    assert {word: row["share"] for word, row in half.items()} == pytest.approx({word: known["half"][word] / 240 for word in STATES})
    assert half["behind"]["points"] == pytest.approx(known["behind"]["points"] / known["half"]["behind"])
    assert known["half"]["shared"] and half["level"]["points"] is None
    facts = dict(found.facts.select("metric", "value").iter_rows())
    assert facts["lead_changes"] == pytest.approx(sum(k * n for k, n in known["changes"].items()) / 240)
    assert facts["comebacks"] == half["behind"]["share"] and facts["decided_last"] == found.decided["share"][-1]
    assert CAVEAT in found.notes and any("how close choices were" in note for note in found.notes)
    left = 20 - players * np.arange(5) - (players - 1) / 2
    assert found.choices["choices"].to_list() == pytest.approx(left.tolist()) and found.choices["turn"].to_list() == [0, 1, 2, 3, 4]
    assert found.choices["p5"].to_list() == [20 - players * (turn + 1) + 1 for turn in range(5)]


def test_intervals_count_deals() -> None:
    run = vs.simulate(ToldSum(2), games=400, seed=1, record="moves", jobs=1)
    comeback = shape(run).facts.row(1, named=True)
    assert comeback["low"] < comeback["value"] < comeback["high"]
    # The same games once more as other games of the same deals say nothing new.
    twice = vs.simulate(ToldSum(2), games=800, seed=1, plays_per_deal=2, record="moves", jobs=1)
    for table in ("seats", "moves"):
        pairs = [run.table(table).with_columns(game=pl.col("game") * 2 + i) for i in (0, 1)]
        twice._tables[table] = pl.concat(pairs).sort("game", maintain_order=True).to_arrow()
    again = shape(twice)
    assert again.facts.row(1, named=True) == pytest.approx(comeback)
    naive = vs.simulate(ToldSum(2), games=800, seed=1, record="moves", jobs=1)
    naive._tables = twice._tables
    row = shape(naive).facts.row(1, named=True)  # the negative control: games taken for deals
    assert row["high"] - row["low"] < 0.75 * (comeback["high"] - comeback["low"])


def test_parts_together_are_the_whole_run(tmp_path: Path, cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_GAMES", dict(registry._GAMES))
    registry.register(ToldSum)
    for first in (0, 20):
        vs.simulate(ToldSum(3), games=20, first_game=first, seed=1, record="moves", jobs=1, out=tmp_path / str(first))
    assert cli("merge", tmp_path / "0", tmp_path / "20", "--out", tmp_path / "both")[0] == 0
    both, run = vs.open_dataset(tmp_path / "both"), vs.simulate(ToldSum(3), games=40, seed=1, record="moves", jobs=1)
    assert len(both.manifest.parts) == 2
    for mine, whole in zip(shape(both)[:5], shape(run)[:5], strict=True):
        assert mine.equals(whole)


def test_what_was_not_recorded_is_left_out_with_a_reason() -> None:
    bare = shape(vs.simulate(HighSum(3), games=20, seed=1, jobs=1))
    assert bare[:5] == (None,) * 5 and "--record moves" in bare.notes[0]
    told = shape(vs.simulate(HighSum(3), games=20, seed=1, record="moves", jobs=1))
    assert told[:5] == (None,) * 5 and "score_now" in told.notes[0] and "High Sum" in told.notes[1] and "choices" in told.notes[1]
    short = vs.simulate(ToldSum(2), games=20, seed=1, record="moves", jobs=1)
    short._tables["moves"] = short.moves.filter(pl.col("turn") < 2).to_arrow()
    found = shape(short)
    assert found.facts is None and found.choices is not None and "Fewer than two turns" in found.notes[0]
    with pytest.raises(vs.InputError, match="too few"):
        shape(vs.simulate(ToldSum(2), games=9, seed=1, record="moves", jobs=1))


def test_veggies_has_all_of_it() -> None:
    found: Shape = shape(vs.simulate(vs.Veggies(4), "random", games=30, seed=1, record="moves", jobs=1))
    assert found.decided is not None and found.decided["turn"].to_list() == [1, 2, 3, 4, 5, 6, 7]
    assert found.choices is not None and found.choices["choices"][:2].to_list() == [2, 504]


def test_pictures_show_the_frames() -> None:
    found = shape(vs.simulate(ToldSum(2, rules={"cards": 20}), games=100, seed=1, record="moves", jobs=1))
    assert found.decided is not None and found.changes is not None and found.half_time is not None and found.choices is not None
    ax = draw.decided(found.decided, title="Toy")
    assert list(ax.lines[0].get_ydata()) == found.decided["decided"].to_list() and "%" in ax.get_ylabel()  # type: ignore[call-overload]
    for picture, frame in ((draw.lead_changes(found.changes), found.changes), (draw.half_time(found.half_time), found.half_time)):
        assert [bar.get_height() for bar in picture.patches] == frame["share"].to_list()  # type: ignore[attr-defined]
        assert "share of games (%)" in picture.get_ylabel()
    assert draw.choices(found.choices, ax) is ax and "turn" in ax.get_xlabel() and ax.get_legend() is not None
