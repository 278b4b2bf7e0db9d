"""Decks and games in which what is asked never happens: reports and sample sizes still say something true."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import veggies_sim as vs
from veggies_sim.analysis import until
from veggies_sim.analysis.seats import games_for
from veggies_sim.games.veggies.analysis import plots, rats
from veggies_sim.games.veggies.deck import Card

EMPTY = vs.Deck([Card("a", (("empty",) * 3,) * 2, 40)])  # type: ignore[arg-type]
GRAPES = vs.Deck([Card("a", (("grape",) * 3,) * 2, 40)])  # type: ignore[arg-type]


def played(deck: vs.Deck, folder: Path | None = None, games: int = 60) -> vs.Run:
    return vs.simulate(vs.Veggies(3, deck=deck), "random", games, seed=1, jobs=1, record="moves", out=folder)


@pytest.mark.parametrize("deck", [EMPTY, GRAPES], ids=["empty", "grapes"])
def test_a_deck_without_rats_has_a_report(tmp_path: Path, cli, deck: vs.Deck) -> None:
    played(deck, tmp_path / "run")
    status, _, err = cli("report", tmp_path / "run", "--what-if", 30)
    assert status == 0, err
    page = (tmp_path / "run" / "report.html").read_text()
    assert ("neither rats nor empty spaces" in page) == (deck is GRAPES)


def test_ways_without_a_value_are_not_drawn() -> None:
    frame = rats.side_by_side(played(GRAPES))
    assert frame["value"].null_count() == 2
    ax = plots.side_by_side(frame)
    assert [label.get_text() for label in ax.get_yticklabels()] == frame.drop_nulls("value")["way"].to_list() == ["mechanical"]
    assert len(plots.side_by_side(rats.side_by_side(played(vs.Deck.shipped()))).get_yticklabels()) == 3


def test_where_all_games_tie_the_games_needed_follow_from_the_interval() -> None:
    run = played(EMPTY, games=400)
    found = games_for(run)
    assert found["win_share"].to_list() == pytest.approx([1 / 3] * 3) and (found["half"] > 0.005).all()
    needed = found["needed"].to_numpy()
    assert needed == pytest.approx(400 * (found["half"].to_numpy() / 0.005) ** 2, rel=0.01) and (needed > 10_000).all()


@pytest.mark.parametrize("target", ["repeated +-1pp", "score_sd +-0.1"])
def test_until_gives_up_on_what_never_has_a_value(
    tmp_path: Path, cli, monkeypatch: pytest.MonkeyPatch, target: str
) -> None:
    monkeypatch.setattr(until, "PATIENCE", 2000)
    EMPTY.write_csv(tmp_path / "deck.csv")
    words = ("simulate", "--policy", "random", "--deck", tmp_path / "deck.csv", "--seed", 1, "--out", tmp_path / "run")
    status, _, err = cli(*words, "--until", target)
    assert status == 2 and f"nothing can be said of {target}" in err and str(tmp_path / "run") in err
    assert [look["games"] for look in json.loads((tmp_path / "run" / "run.json").read_text())["looks"]] == [1000, 2000]
    assert cli(*words, "--until", "score +-0.1", "--replace")[0] == 0  # the control: all scores are 0


@pytest.mark.parametrize("games", [4611686018427387904, 10**8])
def test_a_report_asks_for_a_playable_number_of_games(tmp_path: Path, cli, games: int) -> None:
    played(GRAPES, tmp_path / "run")
    status, _, err = cli("report", tmp_path / "run", "--what-if", games)
    assert status == 2 and "from 0 to 10,000,000" in err
