"""`deck map`: the best deck of each cell against a recount, places by fresh measures only, and a search that can be stopped."""

from __future__ import annotations

import json
import math
import re
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
import polars as pl
import pytest
from deals_met import DealsMet
from polars.testing import assert_frame_equal

from veggies_sim.core import extras
from veggies_sim.core.errors import InputError
from veggies_sim.design.elites import Axis, Elites
from veggies_sim.design.log import LOG
from veggies_sim.games.veggies.deck import Card, Deck
from veggies_sim.games.veggies.design import candidates
from veggies_sim.games.veggies.design import map as module
from veggies_sim.games.veggies.design.faces import face_of
from veggies_sim.games.veggies.design.map import CHECK, MAP, Mapped, best_of, map_decks
from veggies_sim.games.veggies.design.map_file import EXAMPLE, Landscape, read_landscape
from veggies_sim.games.veggies.design.measures import Estimate, Meter, Tally, measure
from veggies_sim.games.veggies.design.spec import Spec
from veggies_sim.plots import axes as plots
from veggies_sim.plots.landscape import Side, landscape

AXES = """
[[axis]]
metric = "rats"
low = 1
high = 4
cells = 6
[[axis]]
metric = "winner_score"
low = 20
high = 40
cells = 4
"""
SPEC = """
[deck]
cards = 30
[deck.symbols]
strawberry = [20, 60]
banana = [20, 60]
grape = 30
carrot = 30
mushroom = 30
rat = [0, 40]
"""
GOAL = """
[[objective]]
metric = "score_sd"
goal = 10
tolerance = 2
"""
TEXT = 'policies = ["random"]' + AXES + GOAL + SPEC
REAL = """
policies = ["random"]
rules = { stand_size = 3 }
[[axis]]
metric = "rats"
low = 0
high = 3
cells = 6
[[axis]]
metric = "winner_score"
low = 0
high = 24
cells = 4
[deck]
cards = 15
[deck.symbols]
rat = [0, 25]
"""
RATS, WINNER = "rats (random)", "winner_score (random)"
SMALL = {"batches": 6, "batch_size": 6, "games": 30, "check_games": 60, "seed": 5}


def made(spec: Spec, seed: int, aim: Mapping[str, float]) -> Deck:
    """Return a deck near to an aim, in no time: a stand-in for `generate` where no game is played."""
    wished = {symbol: aim.get(symbol, span.least) for symbol, span in spec.fitting().items()}
    words = [symbol for symbol, spaces in wished.items() for _ in range(int(spaces))]
    words = np.random.default_rng(seed).permutation([*words, *["empty"] * 6][: 6 * spec.cards])
    return Deck([Card(f"c{n:02}", face_of(tuple(words[6 * n : 6 * n + 6].tolist()))) for n in range(spec.cards)])


def written(folder: Path, text: str = TEXT) -> Path:
    file = folder / "map.toml"
    file.write_text(text, encoding="utf-8")
    return file


class Guess(Meter):
    """Measures decks by their symbols at once; with noise on the first deals, as few games have it, and without on fresh ones."""

    played = 0
    stop = math.inf  # after so many decks comes a Ctrl-C

    def play(self, deck: Deck, start: int, games: int, tally: Tally | None = None) -> Any:
        Guess.played += 1
        if Guess.played > Guess.stop:
            raise KeyboardInterrupt
        counts = deck.counts()
        noise = np.random.default_rng(crc32(deck.hash.encode())).normal(size=3) * (start == 0)
        return counts["rat"] / 9 + 0.4 * noise[0], 10 + counts["strawberry"] / 2 + 2 * noise[1], counts["banana"] / 3 + noise[2]

    def estimates(self, tally: Any, level: float = 0.95) -> list[Estimate]:
        return [Estimate(value, value - 0.1, value + 0.1) for value in tally]


@pytest.fixture
def guessed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "Meter", Guess)
    monkeypatch.setattr(candidates, "generate", made)
    monkeypatch.setattr(Guess, "played", 0)
    monkeypatch.setattr(Guess, "stop", math.inf)


def recounted(rows: pl.DataFrame) -> dict[tuple[int, int], tuple[float, str]]:
    """Return the least distance and its deck for each cell, by arithmetic of its own; the first of equal ones."""
    best: dict[tuple[int, int], tuple[float, str]] = {}
    for row in rows.iter_rows(named=True):
        x, y = (row[RATS] - 1) * 2, (row[WINNER] - 20) / 5
        if not (0 <= x <= 6 and 0 <= y <= 4):
            continue
        cell = min(math.floor(x), 5), min(math.floor(y), 3)
        far = abs(row["score_sd (random)"] - 10) / 2
        if cell not in best or far < best[cell][0]:
            best[cell] = far, row["deck"]
    return best


def told(found: Mapped) -> dict[tuple[int, int], tuple[float, str]]:
    """Return the map in the form of `recounted`."""
    return {(row["x"], row["y"]): (row["distance"], row["deck"]) for row in found.frame.iter_rows(named=True)}


def same(one: Mapping[Any, tuple[float, str]], other: Mapping[Any, tuple[float, str]]) -> bool:
    return {cell: deck for cell, (_, deck) in one.items()} == {cell: deck for cell, (_, deck) in other.items()} and all(
        math.isclose(one[cell][0], other[cell][0], abs_tol=1e-9) for cell in one
    )


@pytest.mark.usefixtures("guessed")
def test_the_archive_is_the_best_of_each_cell_of_the_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept: list[Elites] = []

    class Kept(Elites):
        def __init__(self, *words: Any) -> None:
            super().__init__(*words)
            kept.append(self)

    monkeypatch.setattr(module, "Elites", Kept)
    found = map_decks(written(tmp_path), tmp_path / "out", SMALL | {"batches": 10})
    best = recounted(found.log)
    data = kept[0]._archive.data(["measures", "objective"], return_type="dict")
    held = {tuple(map(int, place)): -lost for place, lost in zip(data["measures"], data["objective"], strict=True)}
    assert held == pytest.approx({cell: far for cell, (far, _) in best.items()}) and len(kept[0]) == len(best) > 6
    rows = found.log.to_dicts()
    chosen = best_of(found.landscape, rows, 1)
    assert sorted(row["deck"] for row in chosen) == sorted(deck for _, deck in best.values())
    lacking = recounted(found.log.filter(pl.col("deck") != best[max(best)][1]))  # negative control: one elite is not in the log
    assert not same(lacking, best)


@pytest.mark.usefixtures("guessed")
def test_the_map_is_made_of_fresh_measures_alone(tmp_path: Path) -> None:
    found = map_decks(written(tmp_path), tmp_path / "out", SMALL | {"batches": 10})
    again = recounted(found.check)
    assert same(told(found), again) and len(again) > 6
    assert not same(recounted(found.log), again)  # negative control: the search itself would tell another map
    for row in found.frame.iter_rows(named=True):
        counts = found.decks[row["deck"]].counts()
        assert row[RATS] == pytest.approx(counts["rat"] / 9) and row["reached_rat"] == counts["rat"]
        inside = all(
            axis.edges[cell] <= row[name] - 0.1 and row[name] + 0.1 <= axis.edges[cell + 1]
            for axis, cell, name in zip(found.landscape.axes, (row["x"], row["y"]), (RATS, WINNER), strict=True)
        )
        assert row["sure"] == inside
    assert {*found.frame["sure"]} == {True, False}
    assert (found.check["x"].is_null() == found.check["y"].is_null()).all() and found.check["x"].null_count() > 0


@pytest.mark.usefixtures("guessed")
def test_the_two_best_of_each_cell_are_measured_again_each_once(tmp_path: Path) -> None:
    found = map_decks(written(tmp_path), tmp_path / "out", SMALL)
    first = recounted(found.log)
    rest = found.log.filter(~pl.col("deck").is_in([deck for _, deck in first.values()]))
    second = recounted(rest)
    assert sorted(found.check["deck"]) == sorted(deck for _, deck in (*first.values(), *second.values()))
    assert Guess.played == 1 + found.log["deck"].n_unique() + len(found.check)  # 1: before the search; equal decks play once


@pytest.mark.usefixtures("guessed")
def test_decks_and_tables_are_written_as_they_are_told(tmp_path: Path) -> None:
    out = tmp_path / "out"
    found = map_decks(written(tmp_path), out, SMALL)
    assert {path.name for path in out.iterdir()} == {"map.toml", "map.json", LOG, CHECK, MAP, "decks"}
    assert_frame_equal(pl.read_parquet(out / MAP), found.frame)
    assert_frame_equal(pl.read_parquet(out / LOG), found.log)
    assert pl.read_csv(out / CHECK)["deck"].to_list() == found.check["deck"].to_list()
    assert {f"decks/{path.name}" for path in (out / "decks").iterdir()} == {*found.frame["file"]}
    for row in found.frame.iter_rows(named=True):
        deck = Deck.read_csv(out / row["file"])
        assert row["file"] == f"decks/{row['x']}_{row['y']}.csv" and deck.hash == row["deck"]
        assert (out / row["file"]).read_text(encoding="utf-8") == deck.to_csv()
    order = [(-row["y"], row["x"]) for row in found.frame.iter_rows(named=True)]
    assert order == sorted(order)


def content(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.usefixtures("guessed")
@pytest.mark.parametrize("stop", [5, 20, 42])  # in the first batch, later, and while decks are measured again
def test_a_search_that_stopped_goes_on_to_the_same_map(tmp_path: Path, stop: int) -> None:
    file = written(tmp_path)
    whole = map_decks(file, tmp_path / "whole", SMALL)
    Guess.played, Guess.stop = 0, stop
    with pytest.raises(KeyboardInterrupt, match=r"\d of 6 batches are in .*--resume"):
        map_decks(file, tmp_path / "out", SMALL)
    assert not (tmp_path / "out" / MAP).exists()
    Guess.stop = math.inf
    again = map_decks(file, tmp_path / "out", resume=True)
    assert content(tmp_path / "out") == content(tmp_path / "whole") and again.settings == whole.settings
    with pytest.raises(InputError, match="is over"):
        map_decks(file, tmp_path / "out", resume=True)
    other = map_decks(file, tmp_path / "other", SMALL | {"seed": 6})  # negative control
    assert other.frame["deck"].to_list() != whole.frame["deck"].to_list()


def test_jobs_and_a_restart_play_no_part_in_real_games(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, numbers = written(tmp_path, REAL), SMALL | {"batches": 2, "batch_size": 3}
    one = map_decks(file, tmp_path / "one", numbers, jobs=1)
    real, calls = Meter.play, 0

    def play(*words: Any) -> Tally:
        nonlocal calls
        calls += 1
        if calls == 6:
            raise KeyboardInterrupt
        return real(*words)

    monkeypatch.setattr(Meter, "play", play)
    with pytest.raises(KeyboardInterrupt, match="1 of 2 batches"):
        map_decks(file, tmp_path / "two", numbers, jobs=2)
    map_decks(file, tmp_path / "two", jobs=2, resume=True)
    assert content(tmp_path / "one") == content(tmp_path / "two") and len(one.frame) > 1
    assert [one.landscape.target.spec.faults(deck) for deck in one.decks.values()] == [[]] * len(one.check)


def test_what_is_told_of_a_deck_is_what_it_does_on_the_deals_after_the_search(tmp_path: Path) -> None:
    import veggies_sim as vs

    found = map_decks(written(tmp_path, REAL), tmp_path / "out", SMALL | {"batches": 1})
    row = found.frame.sort("reached_rat").row(-1, named=True)
    game = vs.Veggies(3, found.decks[row["deck"]], rules={"stand_size": 3})
    fresh, before = (vs.simulate(game, ["random"], games, first_game=first, seed=5, jobs=1).seats["rats"].cast(pl.Float64)
                     for games, first in ((60, 30), (30, 0)))  # fmt: skip
    assert row[RATS] == pytest.approx(fresh.mean())
    logged = found.log.filter(deck=row["deck"])[RATS][0]
    assert logged == pytest.approx(before.mean()) and logged != pytest.approx(fresh.mean())


@pytest.mark.usefixtures("guessed")
def test_a_spec_that_leaves_nothing_free_still_has_many_decks(tmp_path: Path) -> None:
    fixed = SPEC.replace("[20, 60]", "35").replace("[0, 40]", "15")
    found = map_decks(written(tmp_path, 'policies = ["random"]' + AXES + GOAL + fixed), tmp_path / "out", SMALL | {"batches": 2})
    assert found.log["deck"].n_unique() == len(found.log) and {*found.log["deck_seed"]} == {*range(5, 17)}


@pytest.mark.usefixtures("guessed")
def test_without_objectives_fair_goods_are_best(tmp_path: Path) -> None:
    found = map_decks(written(tmp_path, 'policies = ["random"]' + AXES + SPEC), tmp_path / "out", SMALL)
    row = found.log.row(0, named=True)
    assert row["distance"] == pytest.approx(abs(row["goods_asymmetry (random)"]) / 0.01)


@pytest.mark.usefixtures("guessed")
def test_a_map_that_no_deck_lies_on_tells_where_decks_are(tmp_path: Path) -> None:
    text = TEXT.replace("low = 20\nhigh = 40", "low = 900\nhigh = 940")
    with pytest.raises(InputError, match=r"no deck of 36 lies on the map: .* \(the axis: 900 to 940\)\. Move the axes"):
        map_decks(written(tmp_path, text), tmp_path / "out", SMALL)
    assert not (tmp_path / "out" / MAP).exists()


def test_a_metric_that_has_no_value_is_on_no_map(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = REAL.replace('metric = "rats"', 'metric = "rat_cost"').replace("rat = [0, 25]", "rat = 0")
    with pytest.raises(InputError, match="axis 1: rat_cost: no deck of the spec has a rat"):
        map_decks(written(tmp_path, text), tmp_path / "out", SMALL | {"batches": 1, "batch_size": 2})
    assert not (tmp_path / "out").exists()
    nothing = Estimate(math.nan, math.nan, math.nan)
    monkeypatch.setattr(Meter, "estimates", lambda self, tally: [nothing] * len(self.measures))
    with pytest.raises(InputError, match=r"rats \(random\) could not be measured"):
        map_decks(written(tmp_path, REAL), tmp_path / "out", SMALL | {"batches": 1, "batch_size": 2})


@pytest.mark.parametrize(
    ("value", "cell"),
    [(1, 0), (1.5, 1), (math.nextafter(1.5, 0), 0), (4, 5), (3.999, 5), (0.999, None), (4.001, None), (math.nan, None),
     (math.inf, None)],
)  # fmt: skip
def test_cells_hold_their_lower_end_and_nothing_outside(value: float, cell: int | None) -> None:
    assert Axis("rats", 1, 4, 6).cell(value) == cell


def test_every_edge_begins_its_cell() -> None:
    axis = Axis("score", 0.1, 0.7, 7)  # numbers that binary fractions lack
    assert [axis.cell(edge) for edge in axis.edges] == [0, 1, 2, 3, 4, 5, 6, 6]
    assert axis.holds(1, axis.edges[1], axis.edges[2]) and not axis.holds(1, axis.edges[1], axis.edges[2] + 1e-9)
    assert not axis.holds(1, math.nan, math.nan)


def test_elites_keep_the_best_point_and_of_equal_ones_the_first() -> None:
    axes = [Axis("a", 0, 1, 3), Axis("b", 0, 1, 3)]
    elites = Elites(2, axes, 4, 1, 7)
    points = elites.ask()
    assert points.shape == (4, 2) and ((points >= 0) & (points <= 1)).all()
    elites.tell(points, [(0, 0), (0, 0), None, (2, 1)], [2, 1, 0, math.inf])
    assert len(elites) == 1
    elites.tell(np.full((4, 2), 0.25), [(0, 0)] * 4, [1, 1, 3, 2])
    assert elites._archive.data("solution").tolist() == [points[1].tolist()]
    again = Elites(2, axes, 4, 1, 7)
    again.ask()
    again.tell(points, [(0, 0), (0, 0), None, (2, 1)], [2, 1, 0, math.inf])
    assert np.array_equal(again.ask(), elites.ask())
    assert not np.array_equal(Elites(2, axes, 4, 1, 8).ask(), points)


BAD = [
    (AXES, "", "axis: found 0; give two"),
    (AXES, AXES + AXES, "axis: found 4; give two"),
    (AXES, "\naxis = 3\n", "axis: found 3; give a list"),
    (AXES, "\naxis = [1, 2]\n", "axis 1: found 1; give a table"),
    ("[[axis]]", "[[axes]]", "Did you mean 'axis'"),
    ('metric = "rats"', "metric = 3", "axis 1, metric: found 3"),
    ('metric = "rats"', 'metric = "rat"', "axis 1: unknown metric 'rat'"),
    ('metric = "rats"\n', "", "axis 1: metric missing"),
    ('metric = "rats"', 'metric = "win_share"', "axis 1: metric win_share: of all seats together"),
    ('metric = "rats"', 'metric = "winner_score"', "'winner_score (random)' is there twice"),
    ('metric = "rats"', 'metric = "named_win"', "named_win needs policy and against"),
    ('metric = "rats"', 'metric = "rats"\npolicy = "greedy"', "policy and against are of"),
    ('metric = "rats"', 'metric = "named_win"\npolicy = "py:a:b"\nagainst = ["random"]', "own code"),
    ("low = 1\n", "", "axis 1: low missing"),
    ("low = 1\n", "low = 4\n", "axis 1: found low = 4 and high = 4"),
    ("low = 1\n", "low = nan\n", "axis 1, low: found nan"),
    ("high = 4\n", "high = inf\n", "axis 1, high: found inf"),
    ("cells = 6", "cells = 0", "axis 1, cells: found 0"),
    ("cells = 6", "cells = 51", "from 1 to 50"),
    ("cells = 6", "cells = 2.5", "axis 1, cells: found 2.5"),
    ("cells = 6", "cell = 6", "Did you mean 'cells'"),
    ("cells = 6", "cells = 6\ngoal = 3", "unknown key of axis 1 'goal'"),
    ("tolerance = 2", "tolerance = 0", "objective 1, tolerance"),
    ("[deck]\n", "[deck]\nfoo = 1\n", "deck 'foo'"),
    ('policies = ["random"]', 'policies = ["rendom"]', "random"),
    ('policies = ["random"]', "players = 9", "players"),
    ("rat = [0, 40]", "rat = [40, 0]", "rat"),
    ("[[axis]]", "[[axis", "no TOML"),
]


@pytest.mark.parametrize(("old", "new", "message"), BAD)
def test_every_fault_of_a_file_is_told_before_anything_is_played(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert old in TEXT
    with pytest.raises(InputError, match=re.escape(message)) as error:
        map_decks(written(tmp_path, TEXT.replace(old, new, 1)), tmp_path / "out", SMALL)
    assert "map.toml" in str(error.value) and not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("given", "message"),
    [({"batches": 0}, "batches: found 0"), ({"batch_size": 1}, "batch_size: found 1"), ({"games": 2}, "games: found 2"),
     ({"check_games": 1}, "check_games: found 1"), ({"seed": -1}, "seed: found -1")],
)  # fmt: skip
def test_numbers_that_are_wrong_are_refused(tmp_path: Path, given: dict[str, int], message: str) -> None:
    with pytest.raises(InputError, match=message):
        map_decks(written(tmp_path), tmp_path / "out", SMALL | given)
    assert not (tmp_path / "out").exists()


def stopped(folder: Path) -> tuple[Path, Path]:
    """Return a file and the folder of its search, which stopped after its batches."""
    file, out = written(folder), folder / "out"
    map_decks(file, out, SMALL)
    (out / MAP).unlink()
    return file, out


@pytest.mark.usefixtures("guessed")
def test_a_folder_that_holds_files_is_left_alone(tmp_path: Path) -> None:
    file, out = stopped(tmp_path)
    before = content(out)
    for given, resume, message in [
        ({}, False, "holds files already"), ({"games": 33}, True, "games: found 33"), ({"seed": 6}, True, "seed: found 6"),
    ]:  # fmt: skip
        with pytest.raises(InputError, match=message):
            map_decks(file, out, given, resume=resume)
    with pytest.raises(InputError, match="another file"):
        map_decks(written(tmp_path, TEXT + "# other\n"), out, resume=True)
    with pytest.raises(InputError, match=r"map\.json"):
        map_decks(file, tmp_path / "nothing", resume=True)
    assert content(out) == before


@pytest.mark.usefixtures("guessed")
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda log: log.head(7), "7 rows are not whole batches"),
        (lambda log: pl.concat([log, log]), "72 rows are not whole batches"),
        (lambda log: log.reverse(), "row 1 is none of this search"),
        (lambda log: log.with_columns(asked_rat=pl.lit(20.0)), "batch 0 is not of this search"),
        (lambda log: log.with_columns(pl.col("deck").str.reverse()), "is another deck than it was"),
        (lambda log: log.drop("distance"), "columns are not those"),
        (lambda log: log.with_columns(distance=pl.lit(None, pl.Float64)), "has empty cells"),
    ],
)
def test_a_damaged_log_is_refused(tmp_path: Path, change: Callable[[pl.DataFrame], pl.DataFrame], message: str) -> None:
    file, out = stopped(tmp_path)
    change(pl.read_parquet(out / LOG)).write_parquet(out / LOG)
    with pytest.raises(InputError, match=message):
        map_decks(file, out, resume=True)
    assert not (out / MAP).exists()


def test_the_example_is_a_complete_file(tmp_path: Path) -> None:
    found = read_landscape(written(tmp_path, EXAMPLE))
    assert isinstance(found, Landscape) and [axis.metric for axis in found.axes] == ["rat_cost", "score_sd"]
    assert {*found.measures()} == {"rat_cost (greedy)", "score_sd (greedy)", "winner_score (greedy)"}


def test_several_policies_the_first_says_where_and_the_worst_how_good(tmp_path: Path) -> None:
    found = read_landscape(written(tmp_path, TEXT.replace('["random"]', '["greedy", "random"]')))
    values = dict.fromkeys(found.measures(), 10.0) | {"rats (greedy)": 1.2, "winner_score (greedy)": 39, "score_sd (random)": 13}
    assert found.cell(values) == (0, 3) and found.distance(values) == pytest.approx(1.5)


def test_an_axis_may_be_of_a_policy_against_others(tmp_path: Path) -> None:
    against = 'metric = "skill_gap"\npolicy = "greedy"\nagainst = ["random"]'
    found = read_landscape(written(tmp_path, TEXT.replace('metric = "rats"', against)))
    wished = measure(found.target.game, "skill_gap", ["greedy", "random", "random"])
    assert found.sides[0][0].line_up == wished.line_up and found.sides[0][0].key == wished.key


def test_the_picture_names_the_file_of_each_cell_and_the_best_is_the_brightest() -> None:
    rows = [(0, 0, 0.5, True), (2, 1, 2.0, False), (1, 1, 1.0, True)]
    frame = pl.DataFrame(rows, ["x", "y", "distance", "sure"], orient="row")
    ax = landscape(frame, Side("across, points", [0, 1, 2, 3]), Side("up, rats", [5.0, 6.5, 8.0]), "distance")
    assert {text.get_text(): text.get_position() for text in ax.texts} == {"0_0": (0.5, 0.5), "2_1": (2.5, 1.5), "1_1": (1.5, 1.5)}
    white = [patch for patch in ax.patches if patch.get_facecolor() == (1, 1, 1, 1)]
    assert len(ax.patches) == 4 and [patch.get_center().tolist() for patch in white] == [[2.5, 1.5]]  # type: ignore[attr-defined]
    colours = [patch.get_facecolor() for patch in ax.patches if patch not in white]
    light = [0.299 * colour[0] + 0.587 * colour[1] + 0.114 * colour[2] for colour in colours]  # type: ignore[index]
    assert light[0] > light[2] > light[1]  # of distances 0.5, 1 and 2
    bar = ax.figure.axes[1]
    assert (bar.get_title(), bar.get_xlabel(), bar.get_ylim()) == ("best", "worst", (2.0, 0.5))  # from below to the top
    assert "decks/X_Y.csv" in ax.figure.get_supxlabel()  # type: ignore[union-attr]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["5", "6.5", "8"]
    assert ax.get_xlabel() == "across, points" and ax.get_ylabel() == "up, rats"


def test_the_command_writes_pictures_and_decks_that_other_commands_read(tmp_path: Path, cli: Any) -> None:
    out = tmp_path / "a map"
    words = ["deck", "map", written(tmp_path, REAL), "--out", out, "--jobs", 1]
    few = SMALL | {"batches": 2, "check_games": 30}
    words += [word for key, value in few.items() for word in (f"--{key.replace('_', '-')}", value)]
    status, text, said = cli(*words)
    frame = pl.read_parquet(out / MAP)
    assert status == 0 and f"{len(frame)} of 24 cells have a deck (the others: not found, not: impossible)" in text
    assert "deals are few" in said and "rules: stand_size=3" in said and "map.png" in said and "Traceback" not in said
    table = [line.split() for line in text.split("\n\n")[1].splitlines()[1:]]
    assert [line[0] for line in table] == frame["file"].to_list()
    assert (out / "map.png").read_bytes()[:4] == b"\x89PNG" and "<svg" in (out / "map.svg").read_text(encoding="utf-8")
    deck = out / frame["file"][0]
    assert cli("deck", "check", deck)[0] == 0
    run = ["--rule", "stand_size=3", "--policy", "random", "--games", 10, "--seed", 1, "--out", tmp_path / "run"]
    assert cli("simulate", "--deck", deck, *run)[0] == 0
    status, _, said = cli(*words)
    assert status == 2 and "holds files already" in said
    shutil.rmtree(out)
    status, text, _ = cli(*words, "--json")
    facts = json.loads(text)
    assert status == 0 and facts["filled"] == len(frame) and facts["cells"] == 24 and facts["seed"] == 5
    assert [row["deck"] for row in facts["map"]] == frame["deck"].to_list()


def test_help_tells_the_form_of_the_file(cli: Any) -> None:
    status, text, _ = cli("deck", "map", "--help")
    assert status == 0 and EXAMPLE in text and "--batch-size" in text and all(len(line) <= 140 for line in text.splitlines())
    told = " ".join(text.split())
    for key, default in module.DEFAULTS.items():
        assert re.search(rf" --{key.replace('_', '-')} [A-Z_]+ (?:(?! --).)*default {default:,}\W", told), key


@pytest.mark.usefixtures("guessed")
def test_a_search_is_over_only_when_its_pictures_are_there(tmp_path: Path, cli: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn, real = [], plots.save

    def save(ax: Any, file: Path) -> None:
        drawn.append(file.name)
        if len(drawn) == 2:
            raise KeyboardInterrupt
        real(ax, file)

    monkeypatch.setattr(plots, "save", save)
    file, out = written(tmp_path), tmp_path / "out"
    words = ["--batches", 1, "--batch-size", 9, "--games", 31, "--check-games", 31, "--seed", 5]
    status, text, said = cli("deck", "map", file, "--out", out, *words)
    assert status == 130 and text == "" and "1 of 1 batches are in" in said and (out / "map.svg").exists()
    assert not (out / "map.png").exists() and not (out / MAP).exists()
    status, text, _ = cli("deck", "map", file, "--out", out, "--resume")
    assert status == 0 and drawn == ["map.svg", "map.png"] * 2 and (out / "map.png").exists() and (out / MAP).exists()
    assert "33 games each" in text and "on 33 fresh games each" in text


def test_no_stage_meets_deals_of_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither where one line-up rotates and plays each deal three times."""
    against = 'metric = "named_win"\npolicy = "sampled"\nagainst = ["random"]\nlow = 0\nhigh = 1'
    text = REAL.replace('metric = "rats"\nlow = 0\nhigh = 3', against)
    met, real = DealsMet(monkeypatch), module._check

    def check(*words: Any) -> Any:
        met.stage = "check"
        return real(*words)

    monkeypatch.setattr(module, "_check", check)
    monkeypatch.setattr(candidates, "generate", made)
    map_decks(written(tmp_path, text), tmp_path / "out", SMALL | {"batches": 1, "batch_size": 2})
    assert met.spans() == {
        ("search", False): (0, 29, 30), ("search", True): (0, 9, 10),
        ("check", False): (30, 89, 60), ("check", True): (30, 49, 20),
    }  # fmt: skip


def test_without_the_package_that_it_needs_the_command_tells_what_to_install(
    tmp_path: Path, cli: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extras, "find_spec", lambda name: None)
    status, _, said = cli("deck", "map", written(tmp_path), "--out", tmp_path / "out")
    assert status == 2 and 'deck map needs ribs: pip install "veggies_sim[design]"' in said and not (tmp_path / "out").exists()


@pytest.mark.usefixtures("guessed")
def test_an_interrupted_command_leaves_130_and_the_way_on(tmp_path: Path, cli: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Guess, "stop", 15)
    status, text, said = cli("deck", "map", written(tmp_path), "--out", tmp_path / "out", "--batch-size", 4, "--seed", 1)
    assert status == 130 and text == "" and re.search(r"[1-3] of 20 batches are in .*--resume", said)


@pytest.mark.usefixtures("guessed")
def test_a_map_whose_decks_all_left_it_is_an_empty_one(tmp_path: Path, cli: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    play = Guess.play
    away = 99.0, 99.0, 9.0
    monkeypatch.setattr(Guess, "play", lambda self, deck, first, games: away if first else play(self, deck, first, games))
    words = ["--batches", 1, "--batch-size", 9, "--games", 30, "--check-games", 30, "--seed", 5]
    status, text, _ = cli("deck", "map", written(tmp_path), "--out", tmp_path / "out", *words)
    assert status == 0 and "0 of 24 cells have a deck" in text and (tmp_path / "out" / "map.png").stat().st_size > 1000
    assert len(pl.read_parquet(tmp_path / "out" / MAP)) == 0 and not [*(tmp_path / "out" / "decks").iterdir()]
