"""What goods are worth: counts by hand, planted truths, and a test of symmetry that must not be fooled by equal deals."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from planted import grid, played, with_rows
from scipy import stats

import veggies_sim as vs
from veggies_sim.core.dataset import Run
from veggies_sim.games.veggies.analysis import goods, plots
from veggies_sim.games.veggies.deck import GOODS, Card, Deck

RUN = played(3, 400)


def without(good: str) -> Deck:
    """The shipped deck with empty spaces in place of one good."""

    def face(card: Card) -> tuple:
        return tuple(tuple("empty" if symbol == good else symbol for symbol in row) for row in card.face)

    return Deck(Card(card.id, face(card)) for card in Deck.shipped().cards)


def value(frame: pl.DataFrame, column: str = "value", **keys: object) -> float:
    return frame.row(by_predicate=pl.all_horizontal(pl.col(key) == word for key, word in keys.items()), named=True)[column]


def points(run: Run) -> dict[str, np.ndarray]:
    return {good: grid(run, f"{good}_largest") * grid(run, f"{good}_groups") * grid(run, f"{good}_scored") for good in GOODS}


def saying(run: Run, said: np.ndarray) -> Run:
    """The run with announcements said [games, players], numbers of goods."""
    none: list[str | None] = [None] * said.size
    return with_rows(run, announced=[GOODS[good] for good in said.ravel()], announced_2=none)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_goods_are_announced_by_so_many_seats(players: int) -> None:
    run = played(players, 80)
    table = goods.announced(run)
    rows = run.seats.select("announced", "announced_2").rows()
    for good in GOODS:
        counts = [sum(good in seat for seat in rows[at : at + players]) for at in range(0, len(rows), players)]
        mine = table.filter(good=good)
        assert mine["seats"].to_list() == [*range(players + 1)] and mine["share"].sum() == pytest.approx(1)
        assert mine["share"].to_list() == pytest.approx([counts.count(n) / 80 for n in range(players + 1)])
    assert set(table["games"]) == {80} and table["in_deck"].all()


def test_worth_is_that_of_the_rows() -> None:
    table, brings = goods.worth(RUN), points(RUN)
    total = sum(brings.values()).sum()
    for good in GOODS:
        scored = grid(RUN, f"{good}_scored")
        assert value(table, good=good, metric="scored") == pytest.approx(scored.mean())
        assert value(table, good=good, metric="points") == pytest.approx(brings[good].mean())
        assert value(table, good=good, metric="points_when_scored") == pytest.approx(brings[good].sum() / scored.sum())
        assert value(table, good=good, metric="share_of_points") == pytest.approx(brings[good].sum() / total)


def test_the_points_of_all_goods_and_rats_make_the_score() -> None:
    brought = goods.worth(RUN).filter(metric="points")["value"].sum()
    assert brought - 2 * grid(RUN, "rats").mean() == pytest.approx(grid(RUN, "score").mean())


def test_points_do_not_overflow() -> None:
    run = with_rows(RUN, grape_largest=[40] * 1200, grape_groups=[30] * 1200, grape_scored=[True] * 1200)
    assert value(goods.worth(run), good="grape", metric="points") == 1200
    assert value(goods.carriers(run), good="grape", metric="winners") == 1
    assert value(goods.trade_off(run), good="grape", metric="points") == 1200


def test_sizes_and_their_correlation() -> None:
    table = goods.sizes(RUN)
    x, y = grid(RUN, "carrot_largest").ravel(), grid(RUN, "carrot_groups").ravel()
    assert value(table, good="carrot", metric="largest") == pytest.approx(x.mean())
    assert value(table, good="carrot", metric="groups") == pytest.approx(y.mean())
    assert value(table, good="carrot", metric="correlation") == pytest.approx(np.corrcoef(x, y)[0, 1])
    flat = goods.sizes(with_rows(RUN, carrot_largest=60 - y))
    assert value(flat, good="carrot", metric="correlation") == pytest.approx(-1)


def test_the_trade_off_and_the_shapes_count_every_stand_once() -> None:
    shapes, table = goods.shapes(RUN), goods.trade_off(RUN)
    x, y = grid(RUN, "banana_groups").ravel(), grid(RUN, "banana_largest").ravel()
    assert shapes.group_by("good").agg(pl.col("stands").sum())["stands"].to_list() == [1200] * 5
    assert value(shapes, "stands", good="banana", groups=4, largest=2) == ((x == 4) & (y == 2)).sum() > 0
    for row in table.filter(good="banana").iter_rows(named=True):
        mine = (row["low_groups"] <= x) & (x <= row["high_groups"])
        truth = y[mine] if row["metric"] == "largest" else (x * y)[mine]
        assert row["stands"] == mine.sum() and row["value"] == pytest.approx(truth.mean())
    assert table.filter(metric="points").group_by("good").agg(pl.col("stands").sum())["stands"].to_list() == [1200] * 5


@pytest.mark.parametrize("players", [2, 4])
def test_which_good_carries_the_winner(players: int) -> None:
    run = played(players, 80)
    brings, win = np.array(list(points(run).values())), grid(run, "win")
    most = (brings == brings.max(axis=0)) & (brings.max(axis=0) > 0)
    part = most / np.maximum(most.sum(axis=0), 1)
    table = goods.carriers(run)
    for number, good in enumerate(GOODS):
        assert value(table, good=good, metric="winners") == pytest.approx((part[number] * win).sum() / win.sum())
        assert value(table, good=good, metric="seats") == pytest.approx(part[number].mean())
    assert table.group_by("metric").agg(pl.col("value").sum())["value"].to_list() == pytest.approx([1, 1])


def test_seats_that_no_good_brings_a_point_are_counted_apart() -> None:
    none = with_rows(RUN, **{f"{good}_scored": [False] * 1200 for good in GOODS})
    assert value(goods.carriers(none), good="none", metric="winners") == 1
    assert value(goods.worth(none), good="grape", metric="points_when_scored") is None


def test_a_good_that_the_deck_lacks_keeps_its_rows() -> None:
    run = played(3, 60, deck=without("carrot"))
    for table in (goods.announced(run), goods.worth(run), goods.sizes(run), goods.shapes(run), goods.trade_off(run)):
        assert table["good"].n_unique() == 5
    said, equal = goods.announced(run).filter(good="carrot"), goods.symmetry(run)
    assert said["share"].to_list() == [1, 0, 0, 0] and not said["in_deck"].any()
    assert equal.filter(good="carrot").select("in_deck", "share", "equal").row(0) == (False, None, None)
    assert equal["equal"].drop_nulls().to_list() == [0.25] * 4 and equal["share"].sum() == pytest.approx(1)
    assert goods.symmetry_test(run).select("goods", "df_goods").row(0) == (4, 3)
    assert value(goods.sizes(run), good="carrot", metric="correlation") is None
    for ax in (
        plots.announced(goods.announced(run)),
        plots.worth(goods.worth(run), "points_when_scored"),
        plots.symmetry(equal),
        plots.sizes(goods.sizes(run)),
        plots.shapes(goods.shapes(run), "carrot"),
        plots.trade_off(goods.trade_off(run)),
    ):
        ax.figure.draw_without_rendering()  # type: ignore[union-attr]


def test_decks_of_one_good_or_none_are_not_tested() -> None:
    faces = {"one": (("grape", "rat", "grape"), ("empty", "grape", "rat")), "none": (("rat",) * 3, ("empty",) * 3)}
    for name, face in faces.items():
        run = played(3, 20, deck=Deck([Card("a", face, 40)]))  # type: ignore[arg-type]
        assert goods.symmetry_test(run).select("goods", "f", "p").row(0) == (int(name == "one"), None, None)
        assert goods.symmetry(run)["share"].drop_nulls().to_list() == [1.0] * (name == "one")


def test_the_same_announcements_in_every_game_are_not_tested_but_shown() -> None:
    run = saying(RUN, np.tile([0, 1, 1], (400, 1)))
    assert goods.symmetry_test(run)["p"][0] is None
    assert goods.symmetry(run)["share"].to_list() == pytest.approx([1 / 3, 2 / 3, 0, 0, 0])


def p_values(alike: bool, unequal: bool = False, studies: int = 200) -> tuple[np.ndarray, np.ndarray]:
    """p of the test and of a chi-squared test that counts seats, of studies with equal goods."""
    stream, run, found, naive = np.random.default_rng(7), played(3, 60), [], []
    chance = [0.4, 0.15, 0.15, 0.15, 0.15] if unequal else [0.2] * 5
    for _ in range(studies):
        said = stream.choice(5, (60, 3), p=chance)
        said = np.repeat(said[:, :1], 3, axis=1) if alike else said
        found.append(goods.symmetry_test(saying(run, said))["p"][0])
        naive.append(stats.chisquare(np.bincount(said.ravel(), minlength=5)).pvalue)
    return np.array(found), np.array(naive)


@pytest.mark.parametrize("alike", [False, True])
def test_equal_goods_are_called_unequal_in_five_of_a_hundred_studies(alike: bool) -> None:
    p, naive = p_values(alike)
    assert stats.binomtest(int((p < 0.05).sum()), 200, 0.05).pvalue > 0.001
    assert stats.kstest(p, "uniform").pvalue > 0.001
    assert bool((naive < 0.05).mean() > 0.3) is alike  # the negative control: seats of a game that are alike fool it


def test_unequal_goods_are_found() -> None:
    p, _ = p_values(alike=True, unequal=True, studies=20)
    assert (p < 0.05).mean() > 0.6
    assert goods.symmetry_test(RUN)["p"][0] < 1e-6


def test_hotelling_is_the_f_test_of_one_contrast() -> None:
    said = np.random.default_rng(3).poisson([4, 5], (30, 2)).astype(float)
    f, p = goods._hotelling(said)
    t = stats.ttest_1samp(said[:, 1] - said[:, 0], 0)
    assert f == pytest.approx(t.statistic**2) and p == pytest.approx(t.pvalue)


def test_intervals_of_shares_hold_together() -> None:
    stream, run = np.random.default_rng(5), played(3, 60)
    inside = []
    for _ in range(150):
        table = goods.symmetry(saying(run, stream.choice(5, (60, 3))), level=0.9)
        inside.append(((table["low"] <= 0.2) & (table["high"] >= 0.2)).all())
    assert 0.82 < np.mean(inside) <= 0.99
    alone, together = goods.symmetry(run, 0.9), goods.symmetry(run, 0.98)
    assert (alone["high"] - alone["low"] < together["high"] - together["low"]).all()


def test_too_few_deals_are_refused() -> None:
    small = played(3, 9)
    for way in (goods.announced, goods.worth, goods.sizes, goods.trade_off, goods.carriers, goods.symmetry, goods.symmetry_test):
        with pytest.raises(vs.InputError, match="too few"):
            way(small)


def test_pictures_show_the_frames() -> None:
    ax = plots.announced(goods.announced(RUN))
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["0", "1", "2", "3"]
    widths = np.reshape([bar.get_width() for bar in ax.patches], (4, 5))
    assert widths.sum(axis=0) == pytest.approx(np.ones(5))
    assert ax.get_yticklabels()[0].get_text() == "strawberry  S"
    ax = plots.worth(goods.worth(RUN), "share_of_points")
    assert "%" in ax.get_xlabel() and len({bar.get_facecolor() for bar in ax.patches}) == 5
    table = goods.carriers(RUN)
    ax = plots.carriers(table)
    assert (
        ax.lines[0].get_xdata().tolist()
        == table.filter((pl.col("metric") == "winners") & (pl.col("good") != "none"))["value"].to_list()
    )
    assert plots.symmetry(goods.symmetry(RUN), ax) is ax and "20%" in ax.texts[-1].get_text()
    assert "spaces" in plots.shapes(goods.shapes(RUN), "grape").get_ylabel()
    assert len(plots.trade_off(goods.trade_off(RUN), "largest").get_legend().get_texts()) == 5
    assert {text.get_text() for text in plots.sizes(goods.sizes(RUN)).texts} == {*GOODS, *"SBGCM"}
