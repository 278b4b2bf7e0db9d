"""Analysis of Veggie Garden: counts against plain Python, the bonus without playing again, other boards on the same deals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import veggies_sim as vs
from veggies_sim.analysis import scores
from veggies_sim.analysis import what_if as shared
from veggies_sim.analysis.estimates import estimates
from veggies_sim.analysis.metrics import metrics_of
from veggies_sim.analysis.seats import ways_to_win
from veggies_sim.analysis.what_if import changes, levels, play_games, seat_win
from veggies_sim.core.dataset import Run
from veggies_sim.games.veggie_garden.analysis import actions, bonus, kinds, offers, plots, what_if
from veggies_sim.games.veggie_garden.board import KINDS
from veggies_sim.games.veggie_garden.report import sections
from veggies_sim.report import key_numbers
from veggies_sim.report.section import Picture, Points, Table

GAME = vs.VeggieGarden(players=3)


@pytest.fixture(scope="module")
def run() -> Run:
    return vs.simulate(GAME, "random", 400, seed=3, record="moves", jobs=1)


def row(frame: pl.DataFrame, **keys: object) -> dict[str, Any]:
    return frame.row(by_predicate=pl.all_horizontal(pl.col(key) == value for key, value in keys.items()), named=True)


def hands(run: Run) -> Iterator[tuple[dict[str, Any], dict[str, int], dict[str, int]]]:
    """Yield each row of seats with the cards held and the values of the kinds in play."""
    for seat in run.seats.to_dicts():
        playing = [kind for kind in KINDS if seat[f"{kind}_held"] is not None]
        yield seat, {kind: seat[f"{kind}_held"] for kind in playing}, {kind: seat[f"{kind}_value"] for kind in playing}


def test_metrics_are_those_of_a_plain_count(run: Run) -> None:
    found: dict[str, list[tuple[float, float]]] = {metric.key: [] for metric in GAME.metrics()}
    for seat, held, value in hands(run):
        paid = {kind: held[kind] * value[kind] for kind in held}
        top = max(paid.values())
        cards = max(held[kind] for kind in held if paid[kind] == top)
        distinct = sum(count > 0 for count in held.values())
        found["bonus_share"].append((distinct == 5, 1))
        found["bonus_points"].append((seat["bonus"], 1))
        found["kinds_held"].append((distinct, 1))
        found["best_value"].append((max(value.values()), 1))
        found["worst_value"].append((min(value.values()), 1))
        found["top_share"].append((top, sum(paid.values())))
        found["winner_top_cards"].append((seat["win"] * cards, seat["win"]))
        assert sum(paid.values()) + seat["bonus"] == seat["score"] and sum(held.values()) == 9
    table = estimates(run, GAME.metrics())
    for key, pairs in found.items():
        mine = row(table, metric=key)
        assert mine["value"] == pytest.approx(np.sum([a for a, _ in pairs]) / np.sum([b for _, b in pairs])), key
        assert mine["low"] < mine["value"] < mine["high"]


def test_what_a_kind_is_worth_is_counted_where_it_is_in_play(run: Run) -> None:
    table, rows = kinds.worth(run), [each for each in hands(run) if "pea" in each[1]]
    wins = sum(seat["win"] for seat, _, _ in rows)
    plain = {
        "in_play": len(rows) / 1200,
        "value": np.mean([value["pea"] for _, _, value in rows]),
        "best": np.mean([value["pea"] == max(value.values()) for _, _, value in rows]),
        "worst": np.mean([value["pea"] == min(value.values()) for _, _, value in rows]),
        "held": np.mean([held["pea"] for _, held, _ in rows]),
        "held_by_winners": sum(seat["win"] * held["pea"] for seat, held, _ in rows) / wins,
    }
    for metric, value in plain.items():
        assert row(table, kind="pea", metric=metric)["value"] == pytest.approx(value), metric
    assert 0.7 < plain["in_play"] < 0.95
    assert table.filter(metric="share_of_points")["value"].sum() == pytest.approx(1)


def plain_offers(deal: dict[str, Any], moves: list[dict[str, Any]]) -> Iterator[tuple[int, list[str], str]]:
    """Follow the harvest from the cards as they were drawn (rules: Garden, Turn): turn, harvest, kind taken."""
    draws = iter(deal["draws"][16:])
    harvest = [next(draws) for _ in range(4)]

    def fours() -> None:
        while len({*harvest}) == 1:
            harvest[:] = [next(draws) for _ in range(4)]

    fours()
    for _ in range(6):  # three hands of two
        next(draws)
    for move in moves:
        yield move["turn"], [card for card in harvest if card], harvest[move["slot"]]
        if move["turn"] == 7:
            harvest[move["slot"]] = ""
        else:
            harvest[move["slot"]] = next(draws)
            if move["action"] == "replant":
                harvest[move["b"]] = next(draws)
            fours()
    assert next(draws, None) is None


def test_offers_are_those_of_the_cards_drawn(run: Run) -> None:
    sums, plain = offers.offer_sums(run), {name: Counter[str]() for name in offers.COUNTS}
    moves = run.moves.partition_by("game", as_dict=True)
    fours = 0
    for deal in run.deals.to_dicts():
        for turn, harvest, kind in plain_offers(deal, moves[(deal["game"],)].to_dicts()):
            last = "_last" if turn == 7 else ""
            plain[f"offered{last}"].update({*harvest})
            plain[f"taken{last}"][kind] += 1
            if not last:
                plain["chance"].update({each: harvest.count(each) / 4 for each in harvest})  # type: ignore[arg-type]
        fours += len(deal["draws"]) > 16 + 4 + 6 + 18 + sum(m["action"] == "replant" for m in moves[(deal["game"],)].to_dicts())
    assert fours > 0  # four of a kind came up
    for name, counted in plain.items():
        assert sums[name].sum(axis=0) == pytest.approx([counted[kind] for kind in KINDS]), name
    table = kinds.taken(run)
    mine = row(table, kind="pepper", metric="taken")
    assert mine["value"] == pytest.approx(plain["taken"]["pepper"] / plain["offered"]["pepper"])
    assert mine["low"] > row(table, kind="pepper", metric="chance")["high"]  # peppers have most actions, and all are equally likely
    last = [plain["taken_last"][kind] / plain["offered_last"][kind] for kind in KINDS]
    assert table.filter(metric="taken_last")["value"].to_list() == pytest.approx(last)


def test_parts_on_disk_and_blocks_go_together(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for games, mode in ((150, "new"), (400, "resume")):
        disk = vs.simulate(GAME, "random", games, seed=3, record="moves", jobs=1, out=tmp_path / "run", mode=mode)
    assert len(disk.manifest.parts) > 1
    monkeypatch.setattr(offers, "BLOCK", 64)
    for name, sums in offers.offer_sums(disk).items():
        assert sums == pytest.approx(offers.offer_sums(run)[name])
    assert actions.impact(disk).equals(actions.impact(run))


def test_a_deck_that_ends_leaves_seats_without_a_card() -> None:
    short = vs.VeggieGarden(players=3, copies=9, reshuffle="off")
    played = vs.simulate(short, "random", 300, seed=1, record="moves", jobs=1)
    assert len(played.moves) < 300 * 21
    sums = offers.offer_sums(played)
    assert sums["taken"].sum() + sums["taken_last"].sum() == len(played.moves)
    assert (sums["offered"] >= sums["chance"]).all() and actions.impact(played)["times"].sum() < 18


def test_actions_are_those_of_a_plain_count_and_a_regression_within_games(run: Run) -> None:
    found = actions.impact(run)
    took = run.moves.filter(pl.col("turn") < 7)
    wins = run.seats.sort("game", "seat")["win"].cast(pl.Float64).to_numpy().reshape(-1, 3)
    for action in ("exchange", "shift_posts", "none"):
        mine = took.filter(action=action)
        if action == "none":
            assert mine.is_empty() and action not in found["action"]
            continue
        times = np.zeros((400, 3))
        np.add.at(times, (mine["game"].to_numpy().astype(int), mine["seat"].to_numpy()), 1)
        line, away = row(found, action=action), times - times.mean(axis=1, keepdims=True)
        assert line["times"] == pytest.approx(times.sum() / 400) and line["seats"] == pytest.approx((times > 0).mean())
        assert line["win_share"] == pytest.approx(wins[times > 0].mean())
        assert line["win_share_without"] == pytest.approx(wins[times == 0].mean())
        slope = np.linalg.lstsq(away.reshape(-1, 1), (wins - wins.mean(axis=1, keepdims=True)).ravel(), rcond=None)[0][0]
        assert line["within"] == pytest.approx(slope) and line["within_low"] < slope < line["within_high"]
    assert found["times"].sum() == pytest.approx(18)


def test_a_screen_finds_what_a_better_player_does_and_nothing_in_shuffled_wins() -> None:
    mixed = vs.simulate(GAME, ["greedy", "random", "random"], 600, seed=3, record="moves", jobs=1)
    assert actions.impact(mixed)["p_screen"].min() < 1e-6  # type: ignore[operator]
    seats = mixed._tables["seats"]
    order = np.random.default_rng(1).permuted(np.arange(1800).reshape(-1, 3), axis=1).ravel()  # wins among the seats of a game
    at = seats.column_names.index("win")
    shuffled = mixed._tables | {"seats": seats.set_column(at, seats.schema.field(at), seats["win"].take(order))}
    assert actions.impact(Run(mixed.manifest, mixed.game, None, shuffled))["p_screen"].min() > 0.05  # type: ignore[operator]


def test_runs_that_can_not_say_it_are_refused(run: Run) -> None:
    bare = vs.simulate(GAME, "random", 20, seed=1, jobs=1)
    few = vs.simulate(GAME, "random", 9, seed=1, record="moves", jobs=1)
    other = vs.simulate(GAME, "random", 400, seed=4, record="moves", jobs=1)
    for ask in (kinds.taken, actions.impact):
        with pytest.raises(vs.InputError, match="--record moves"):
            ask(bare)
        with pytest.raises(vs.InputError, match="10 deals"):
            ask(few)
    foreign = Run(run.manifest, run.game, None, run._tables | {"moves": other._tables["moves"]})
    with pytest.raises(vs.InputError, match="Simulate it again"):
        kinds.taken(foreign)


def test_another_bonus_without_playing_again_is_what_players_who_do_not_see_it_get(run: Run) -> None:
    none, found = vs.VeggieGarden(players=3, bonus=0), bonus.decides(run, [0, 10])
    again = vs.simulate(none, "random", 400, seed=3, jobs=1)  # random players do not see scores: the same games
    keys = ("score", "winner_score", "lead", "shared_wins")
    table = estimates(again, [metrics_of(none)[key] for key in keys])
    for key in keys:
        for column in ("value", "low", "high"):
            assert row(found, bonus=0, metric=key)[column] == pytest.approx(row(table, metric=key)[column]), key
    won = [each.seats["win"].to_numpy().reshape(-1, 3) > 0 for each in (run, again)]
    other = row(found, bonus=0, metric="other_winner")
    assert other["value"] == pytest.approx((won[0] != won[1]).any(axis=1).mean()) and other["low"] > 0.05
    assert row(found, bonus=10, metric="other_winner")["high"] == 0
    none_left = row(found, bonus=0, metric="no_winner_left")
    assert none_left["value"] == pytest.approx((~(won[0] & won[1]).any(axis=1)).mean()) and 0 < none_left["value"] < other["value"]
    assert row(found, bonus=10, metric="no_winner_left")["high"] == 0
    back = bonus.decides(again, [10])
    assert row(back, bonus=10, metric="lead")["value"] == pytest.approx(row(found, bonus=10, metric="lead")["value"])
    with pytest.raises(vs.InputError, match="bonus"):
        bonus.decides(run, [-1])


def test_random_players_do_not_see_points_so_all_moves_stay() -> None:
    played = what_if.ask(what_if.bonuses(GAME, [0, 20]), "random", 200, seed=3, choices=True, jobs=1)
    assert played.names == ["bonus 10", "bonus 0", "bonus 20"] and played.word == "board"
    table = changes(played)
    every = row(levels(played), board="bonus 10", metric="bonus_share")["value"]
    assert row(table, board="bonus 20", metric="changed_moves")["change"] == 0
    assert row(table, board="bonus 20", metric="score")["change"] == pytest.approx(10 * every)
    assert row(table, board="bonus 0", metric="score")["change"] == pytest.approx(-10 * every)
    spread = what_if.ask(what_if.posts(GAME), "random", 200, seed=3, choices=True, jobs=1)
    assert row(changes(spread), board="1-2-4", metric="changed_moves")["change"] == 0
    lone = what_if.ask(what_if.tokens(GAME), "random", 200, seed=3, choices=True, jobs=1)
    assert row(changes(lone), board="bunny off, groundhog on", metric="changed_moves")["low"] > 0.1  # fewer actions to draw from


def test_families_of_boards_differ_in_what_they_say() -> None:
    without = what_if.without_each(GAME)
    assert list(without)[:1] == ["without cabbage"]
    assert without["without pea"].rules["kinds"] == "cabbage+carrot+pepper+potato+tomato"
    assert {name: game.rules["posts"] for name, game in what_if.posts(GAME, ["2-2-2"]).items()} == {
        "1-2-3": "1,1,1,1,2,2,2,2,3,3,3,3", "2-2-2": "2,2,2,2,2,2,2,2,2,2,2,2"
    }  # fmt: skip
    own = vs.VeggieGarden(players=2, bunny="off", groundhog="off", posts="0,0,0,0,0,0,2,2,2,2,4,5", bonus=3)
    assert list(what_if.posts(own))[:1] == ["as it is"] and len(what_if.posts(own)) == 5
    assert list(what_if.tokens(own))[:1] == ["bunny off, groundhog off"] and len(what_if.tokens(own)) == 4
    assert [game.rules["bonus"] for game in what_if.bonuses(own).values()] == [3, 0, 5, 10, 15, 20]
    assert what_if.enough_players(GAME) == [2, 3, 4] and what_if.enough_players(vs.VeggieGarden(2, copies=8)) == [2]
    with pytest.raises(vs.InputError, match="three numbers"):
        what_if.posts(GAME, ["1-2"])


def test_differences_between_boards_are_paired() -> None:
    played = what_if.ask(what_if.without_each(GAME), "random", 600, seed=5, jobs=1)
    table, alone = changes(played), levels(played)
    for metric in ("score", "lead", "most_of_best", "from_cards"):
        values = alone.filter(metric=metric)["value"]
        assert table.filter(metric=metric)["change"].to_list() == pytest.approx((values - values[0]).to_list()[1:])
    assert alone.filter(pl.col("metric").is_in(["most_of_best", "from_cards"]))["value"].is_between(0, 1).all()
    deals = [vs.simulate(game, "random", 600, seed=5, jobs=1).seats for game in what_if.without_each(GAME).values()]
    score = np.array([frame["score"].cast(pl.Float64).to_numpy().reshape(600, 3).mean(axis=1) for frame in deals])
    error = (score[1] - score[0]).std(ddof=1) / np.sqrt(600)
    assert row(table, board="without carrot", metric="score")["error"] == pytest.approx(error)


def test_most_of_the_best_kind_and_gaps_are_those_of_a_plain_count() -> None:
    played = vs.simulate(GAME, "greedy", 60, seed=2, jobs=1)
    rows = [*hands(played)]
    won = total = cards_part = all_part = with_most = 0.0
    for game in range(60):
        mine = rows[3 * game : 3 * game + 3]
        best = [max(value.values()) for _, _, value in mine]
        most = [sum(n for kind, n in held.items() if value[kind] == best[0]) for _, held, value in mine]
        won += sum(seat["win"] for (seat, _, _), count in zip(mine, most, strict=True) if count == max(most))
        with_most += sum(count == max(most) for count in most)
        total += sum(seat["win"] for seat, _, _ in mine)
        cards = np.array([seat["score"] - seat["bonus"] for seat, _, _ in mine], float)
        extra = np.array([seat["bonus"] for seat, _, _ in mine], float)
        cards_part += cards.var()
        all_part += cards.var() + extra.var()
    assert total == pytest.approx(60)
    found = what_if.ask({"it": GAME}, "greedy", 60, seed=2, jobs=1)
    assert row(levels(found), metric="most_of_best")["value"] == pytest.approx(won / total)
    assert row(levels(found), metric="hands_with_most")["value"] == pytest.approx(with_most / 180)
    assert row(levels(found), metric="from_cards")["value"] == pytest.approx(cards_part / all_part)


def test_shared_what_if_takes_any_game_and_metrics_follow_each_games_rules() -> None:
    arms = {str(penalty): vs.Veggies(3, rat_penalty=penalty) for penalty in (2, 4)}
    played = play_games(arms, "random", 60, metrics=["rats", "rat_points", *(seat_win(seat) for seat in range(3))], seed=1, jobs=1)
    value = {(r["arm"], r["metric"]): r["value"] for r in levels(played).to_dicts()}
    assert value["4", "rat_points"] == pytest.approx(2 * value["2", "rat_points"]) == pytest.approx(4 * value["2", "rats"])
    assert sum(value["2", f"seat_{seat}_win"] for seat in range(3)) == pytest.approx(1)
    runs = {name: vs.simulate(game, "random", 60, seed=1, jobs=1) for name, game in arms.items()}
    same = shared.from_runs(runs, metrics=["rats", "rat_points"])
    assert np.array_equal(same.value, played.value[:, :2]) and np.array_equal(same.without, played.without[:, :, :2])


def test_moves_that_only_one_game_has_count_as_changed() -> None:
    arms = {mode: vs.VeggieGarden(players=3, copies=9, reshuffle=mode) for mode in ("on", "off")}
    played = play_games(arms, "random", 100, metrics=["score"], choices=True, seed=1, jobs=1)
    lone = play_games({"on": arms["on"], "again": arms["on"]}, "random", 100, metrics=["score"], choices=True, seed=1, jobs=1)
    assert 0 < row(levels(played), arm="off", metric="changed_moves")["value"] < 0.5
    assert row(levels(lone), arm="again", metric="changed_moves")["value"] == 0


@pytest.mark.parametrize(
    ("games", "said"),
    [({}, "games: found"), ({"a": GAME, "b": vs.VeggieGarden(players=2)}, "as many players"),
     ({"a": GAME, "b": vs.Veggies(players=3)}, "one kind"), ({"a": "greedy"}, "games: found"),
     ({"a": vs.Veggies(players=4), "b": vs.Veggies(players=4, teams="none")}, "same sides")],
    ids=["none", "players", "kind", "no game", "sides"],
)  # fmt: skip
def test_games_that_can_not_be_compared_are_refused(games: Any, said: str) -> None:
    with pytest.raises(vs.InputError, match=said):
        play_games(games, "random", 30)


def test_seats_for_each_number_of_players() -> None:
    table = what_if.seats_by_players(GAME, "random", 200, seed=1, jobs=1)
    assert table.select("players", "seat").rows() == [(n, seat) for n in (2, 3, 4) for seat in range(n)]
    assert table.group_by("players").agg(pl.col("win_share").sum())["win_share"].to_list() == pytest.approx([1, 1, 1])


def test_a_report_has_its_sections(run: Run) -> None:
    found = {section.title: section.items for section in sections(GAME, run, 20)}
    assert [*found] == ["Kinds", "Actions", "The bonus", "Other boards", "A finished garden", "Words of Veggie Garden"]
    assert sum(isinstance(item, Picture) for item in found["Other boards"]) == 4
    assert sum(isinstance(item, Table) for item in found["Other boards"]) == 7
    assert set(actions.BIASES) < {*filter(lambda item: isinstance(item, str), found["Actions"])}
    for items in found.values():
        for item in items:
            if isinstance(item, Picture):
                item.draw()
    bare = vs.simulate(GAME, "random", 20, seed=1, jobs=1)
    said = {section.title: section.items for section in sections(GAME, bare, 0)}
    assert "--record moves" in str(said["Kinds"][-1]) and "--record moves" in str(said["Actions"][0])
    assert "--what-if" in str(said["Other boards"][0])
    bare.manifest.policies = ["py:os:system"] * 3  # code is never run by a file's word
    assert "--what-if" in str(sections(GAME, bare, 20)[3].items[0])


def test_runs_and_games_of_another_kind_are_refused() -> None:
    other = vs.simulate(vs.Veggies(3), "random", 20, seed=1, record="moves", jobs=1)
    for door in (kinds.worth, kinds.taken, actions.impact, bonus.decides, offers.offer_sums):
        with pytest.raises(vs.InputError, match=r"^run: found a run of Veggies; give one of Veggie Garden\.$"):
            door(other)
    doors: list[Any] = [what_if.variant, what_if.without_each, what_if.posts, what_if.spread_name, what_if.tokens, what_if.bonuses,
                        what_if.points_of_posts, what_if.all_even, what_if.enough_players, what_if.seats_by_players]  # fmt: skip
    for family in doors:
        for odd in (other.game, None):
            with pytest.raises(vs.InputError, match=r"^game: found .*; give a game of Veggie Garden"):
                family(odd)


def test_what_can_not_be_is_not_told(run: Run) -> None:
    never, rows = {*GAME.never}, run.seats
    assert never == {"below_zero", "tie_breaks"} < {*metrics_of(vs.Veggies(3))} and not never & {*metrics_of(GAME)}
    assert rows["score"].min() >= 0 and rows.filter(win=1, margin=0).is_empty()  # type: ignore[operator]
    assert not never & {*bonus.decides(run)["metric"], *scores.summary(run)["metric"], *vs.compare([run, run]).rows["metric"]}
    assert ways_to_win(run)["way"].unique(maintain_order=True).to_list() == ["clear", "shared"]
    assert ways_to_win(run)["share"].sum() == pytest.approx(rows.filter(pl.col("win") > 0).height / 400)
    said = " ".join(map(str, key_numbers.section(run).items))
    assert "tie-break" not in said and "below 0" not in said and "of games end in a shared win." in said


def test_a_report_answers_what_it_was_asked(run: Run) -> None:
    found = {section.title: section for section in sections(GAME, run, 60)}
    closest, posts, tokens = found["Other boards"].answers
    leads = levels(what_if.ask(what_if.without_each(GAME), "random", 60, seed=3)).filter(metric="lead").sort("value")
    first, second = leads["board"][:2]
    assert f"is that {first}" in closest and f"Runner-up is that {second}" in closest
    assert f"{leads['value'][1] - leads['value'][0]:+.2f} [" in closest
    assert "1-2-4 in place of 1-2-3" in posts and "1-2-4 to 28" in posts and "2-2-2 and 0-2-4 keep that sum" in posts
    assert all(f"without {what}, " in tokens for what in ("the bunny", "the groundhog", "both"))
    notes = [text for item in found["Other boards"].items if isinstance(item, Points) for text in item.texts]
    assert any("with 2-2-2 and 0-2-4 all posts" in text for text in notes)
    (said,) = found["The bonus"].answers
    assert "none of the winners would have won" in said
    assert not any(section.answers for section in sections(GAME, run, 0))


def test_differences_from_the_closest_are_paired_and_corrected_for_all_pairs() -> None:
    played = what_if.ask(what_if.without_each(GAME), "random", 300, seed=5, jobs=1)
    apart = what_if.from_closest(played)
    again = changes(played, against=apart["against"][0]).filter(metric="lead").sort("change")
    assert apart.select(again.columns).equals(again) and len(again) == 5 and again["change"].min() > 0  # type: ignore[operator]
    assert apart["p_claim"].min() >= 5 * again["p"].min()  # type: ignore[operator]
    with pytest.raises(vs.InputError, match="without beans"):
        changes(played, against="without beans")


def test_a_board_that_is_too_small_for_some_is_reported_all_the_same() -> None:
    small = vs.VeggieGarden(players=2, kinds=KINDS[:5], copies="10,10,10,10,10,0")
    played = vs.simulate(small, "random", 20, seed=1, jobs=1)
    said = [item for item in sections(small, played, 20)[3].items if isinstance(item, str)]
    assert any("can't be played" in text for text in said) == (len(said) > 1)


def test_pictures_show_the_frames(run: Run) -> None:
    table = kinds.worth(run)
    ax = plots.worth(table)
    assert [label.get_text() for label in ax.get_yticklabels()] == table.filter(metric="value").sort("value")["kind"].to_list()
    assert plots.worth(table, "best", ax=ax) is ax and "%" in ax.get_xlabel()
    assert [text.get_text() for text in plots.holders(table).get_legend().get_texts()] == ["winning hands", "all hands"]  # type: ignore[union-attr]
    assert plots.decides(bonus.decides(run)).get_ylim()[0] == 0
    played = levels(what_if.ask(what_if.posts(GAME, ["2-2-2"]), "random", 60, seed=1, jobs=1))
    labels = [label.get_text() for label in plots.levels(played, "lead").get_yticklabels()]
    assert labels == ["2-2-2", "1-2-3"]  # from below: the first on top


@pytest.mark.parametrize("change", [
    {"a": 99}, {"a": -100}, {"b": 99}, {"a": None}, {"action": "none"}, {"action": "exchange", "a": 0, "b": 5}, {"seat": 77},
    {"turn": 0}, {"slot": 4}, {"action": "move_groundhog", "a": 6, "b": 15},
])  # fmt: skip
def test_moves_that_no_card_has_reach_no_kernel(run: Run, change: dict[str, Any]) -> None:
    moves = run.moves
    at = moves.with_row_index("n").filter(pl.col("kind") == "cabbage", pl.col("turn") == 2)["n"][0]
    rows = moves.to_dicts()
    rows[at] |= change
    forged = Run(run.manifest, GAME, tables={
        "seats": run.seats.to_arrow(), "deals": run.deals.to_arrow(), "moves": pl.DataFrame(rows, schema=moves.schema).to_arrow(),
    })  # fmt: skip
    with pytest.raises(vs.InputError, match="not what games can give"):
        kinds.taken(forged)


def test_a_pea_and_a_potato_are_checked_too(run: Run) -> None:
    moves = run.moves.to_dicts()
    bad = {"potato": {"b": "none held"}, "tomato": {"b": "own slot"}}
    for kind in bad:
        rows = [dict(row) for row in moves]
        move = next(row for row in rows if row["kind"] == kind and row["turn"] == 1 and row["action"] != "none")
        if kind == "tomato":
            move["b"] = move["slot"]
        else:
            held = run.deals.filter(pl.col("game") == move["game"])["draws"][0].to_list()[20 + 2 * move["seat"] :][:2]
            move["b"] = next(number for number, name in enumerate(KINDS) if name not in held)
        forged = Run(run.manifest, GAME, tables={
            "seats": run.seats.to_arrow(), "deals": run.deals.to_arrow(),
            "moves": pl.DataFrame(rows, schema=run.moves.schema).to_arrow(),
        })  # fmt: skip
        with pytest.raises(vs.InputError, match="not what games can give"):
            kinds.taken(forged)
