"""Same seed, same rows: any jobs, block size, backend, recording, and after an interruption; and what a dataset holds."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import polars as pl
import pytest

import veggies_sim as vs
from veggies_sim.core import runner, writer
from veggies_sim.core.output import merge

GAME = vs.Veggies(players=3)


@pytest.fixture(scope="module")
def plain() -> pl.DataFrame:
    return vs.simulate(GAME, "random", 500, seed=7, jobs=1).seats


@pytest.mark.parametrize("jobs", [1, 2, 3])
@pytest.mark.parametrize("block", [1, 37, 4096])
def test_rows_do_not_depend_on_jobs_or_blocks(plain: pl.DataFrame, jobs: int, block: int) -> None:
    assert vs.simulate(GAME, "random", 500, seed=7, jobs=jobs, block=block).seats.equals(plain)


def test_rows_do_not_depend_on_the_backend_or_recording(plain: pl.DataFrame) -> None:
    assert vs.simulate(GAME, "random", 500, seed=7, jobs=2, backend="processes").seats.equals(plain)
    assert vs.simulate(GAME, "random", 500, seed=7, record="moves").seats.equals(plain)


def test_another_seed_gives_other_rows(plain: pl.DataFrame) -> None:
    assert not vs.simulate(GAME, "random", 500, seed=8).seats.equals(plain)
    other = vs.simulate(GAME, "random", 500, seed=7, policy_seed=8)
    assert not other.seats.equals(plain)


def test_a_seed_is_drawn_and_recorded() -> None:
    first, second = vs.simulate(GAME, "random", 1), vs.simulate(GAME, "random", 1)
    assert first.manifest.seed != second.manifest.seed
    assert vs.simulate(GAME, "random", 1, seed=first.manifest.seed).seats.equals(first.seats)


def test_deals_are_shared_by_plays_and_rotations() -> None:
    run = vs.simulate(GAME, ["greedy", "random", "random"], 12, seed=1, plays_per_deal=2, rotate_seats=True, record="moves")
    assert run.deals["deal"].to_list() == [0] * 6 + [1] * 6
    assert run.deals.group_by("deal").agg(pl.col("order").n_unique())["order"].to_list() == [1, 1]
    wise = run.seats.filter(policy="greedy").sort("game")["seat"].to_list()
    assert wise == [(-game) % 3 for game in range(12)]


def test_a_dataset_reads_back_with_its_types(tmp_path: Path, plain: pl.DataFrame) -> None:
    vs.simulate(GAME, "random", 500, seed=7, out=tmp_path / "d", record="moves")
    run = vs.open_dataset(tmp_path / "d")
    assert run.seats.equals(plain)
    assert dict(run.seats.schema) | {"announced": pl.String, "policy": pl.String} == dict(run.seats.schema)
    assert run.moves.schema["score_now"] == pl.Int16 and run.deals.schema["order"] == pl.List(pl.String)
    assert pl.read_parquet(str(tmp_path / "d/seats/*.parquet")).equals(plain)
    manifest = json.loads((tmp_path / "d/run.json").read_text())
    assert (manifest["games"], manifest["players"], manifest["state"]) == (500, 3, "complete")
    assert not list((tmp_path / "d").rglob(".*"))


def test_parts_and_row_groups(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import pyarrow.parquet as pq

    monkeypatch.setattr(writer, "PART_ROWS", 600)
    monkeypatch.setattr(writer, "GROUP_ROWS", 100)
    monkeypatch.setattr(runner, "TASK_GAMES", 32)
    run = vs.simulate(GAME, "random", 500, seed=7, out=tmp_path / "d")
    assert len(run.manifest.parts) >= 2
    for file in (tmp_path / "d/seats").glob("*.parquet"):
        found = pq.read_metadata(file)
        assert all(found.row_group(i).num_rows >= 100 for i in range(found.num_row_groups)) or found.num_rows < 100


def _interrupt_after(monkeypatch: pytest.MonkeyPatch, blocks: int) -> None:
    """Press Ctrl-C while the given block is written."""
    import signal

    add = writer.DatasetWriter.add
    seen = []

    def counted(self, *arguments) -> None:
        add(self, *arguments)
        seen.append(1)
        if len(seen) == blocks:
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(writer.DatasetWriter, "add", counted)


def test_interruption_and_resumption(tmp_path: Path, plain: pl.DataFrame, monkeypatch: pytest.MonkeyPatch, cli) -> None:
    out = tmp_path / "d"
    with monkeypatch.context() as patch:
        patch.setattr(runner, "TASK_GAMES", 16)
        _interrupt_after(patch, 3)
        status, _, err = cli("simulate", "--policy", "random", "--games", 500, "--seed", 7, "--out", out)
    assert status == 130 and f"simulate --resume --out {out}" in err
    held = vs.open_dataset(out)
    assert 0 < held.manifest.games < 500 and held.manifest.state == "interrupted"
    assert held.seats.equals(plain.head(3 * held.manifest.games))
    found = cli("replay", out, "--game", 499)
    assert found[0] == 2 and f"Finished games: 0..{held.manifest.games - 1}." in found[2]
    status, _, err = cli("simulate", "--resume", "--out", out)
    assert status == 0 and "veggies: " in err, err
    assert vs.open_dataset(out).seats.equals(plain)
    status, _, err = cli("simulate", "--resume", "--out", out)
    assert status == 0 and err.startswith("already complete, nothing to do\n") and "veggies: " not in err


def test_the_progress_bar_starts_when_the_kernels_are_compiled(monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    play = runner.Plan.play

    def noisy(self, first: int, count: int):
        print(f"play {count}", file=sys.stderr)
        return play(self, first, count)

    monkeypatch.setattr(runner.Plan, "play", noisy)
    vs.simulate(GAME, "random", 20, seed=7, jobs=1, progress=True)
    assert capsys.readouterr().err.startswith("play 1\n\rveggies: ")


@pytest.mark.parametrize("game", ["veggies", vs.Veggies, None, object()])
def test_what_is_no_game_is_refused(game: object) -> None:
    with pytest.raises(vs.InputError, match=r"give a game object\. Valid: Veggies\(\.\.\.\)"):
        vs.simulate(game)  # type: ignore[arg-type]


def test_a_game_says_what_it_is() -> None:
    assert re.fullmatch(r"<Veggies: 3 players, set-up [0-9a-f]{12}, rat_penalty=5>", repr(vs.Veggies(rat_penalty=5)))
    with pytest.raises(vs.InputError, match=r"deck: found 'cards.csv'; give a Deck, such as vs.Deck.read_csv\(path\)"):
        vs.Veggies(deck="cards.csv")  # type: ignore[arg-type]


@pytest.mark.parametrize(("players", "rules", "said"), [
    (2, {}, []), (3, {}, []), (4, {}, []),
    (2, {"announced": 1}, ["announced=1"]), (3, {"announced": 2}, ["announced=2"]),
    (4, {"teams": "none"}, ["teams=none"]), (4, {"teams": "adjacent"}, ["teams=adjacent"]), (3, {"teams": "none"}, []),
    (2, {"pair": "groups"}, ["pair=groups"]), (3, {"pair": "groups"}, []),
    (3, {"announced": 2, "pair": "groups", "rat_penalty": 5}, ["rat_penalty=5", "announced=2", "pair=groups"]),
])  # fmt: skip
def test_rules_that_do_nothing_are_not_told_as_changed(players: int, rules: dict[str, object], said: list[str]) -> None:
    assert vs.Veggies(players, rules=rules).changed_rules() == said


def test_games_in_memory_are_named_where_one_is_not_there() -> None:
    from veggies_sim.core.replay import find_record

    with pytest.raises(vs.InputError, match=r"Finished games: 5\.\.7\."):
        find_record(vs.simulate(GAME, "random", 3, seed=7, first_game=5), 1)


def test_resume_refuses_another_run_and_says_what_differs(tmp_path: Path, cli) -> None:
    out = tmp_path / "d"
    assert cli("simulate", "--policy", "random", "--games", 5, "--seed", 7, "--out", out)[0] == 0
    for words, said in (
        (("--seed", 8), "seed"),
        (("--policy", "greedy"), "policies"),
        (("--rule", "rat_penalty=3"), "rules"),
        (("--policy-seed", 1), "policy seed"),
        (("--games", 3), "games"),
    ):
        status, _, err = cli("simulate", "--resume", "--out", out, *words)
        assert status == 2 and said in err, err


def test_damaged_parts_are_found_and_played_again(tmp_path: Path, plain: pl.DataFrame) -> None:
    out = tmp_path / "d"
    vs.simulate(GAME, "random", 500, seed=7, out=out)
    file = next((out / "seats").glob("*.parquet"))
    for damage in (b"", b"PAR1 no parquet", None):
        if damage is None:
            file.unlink()
        else:
            file.write_bytes(damage)
        with pytest.raises(vs.InputError, match="--resume"):
            vs.open_dataset(out)
        vs.simulate(GAME, "random", 500, seed=7, out=out, mode="resume")
        assert vs.open_dataset(out).seats.equals(plain)
        file = next((out / "seats").glob("*.parquet"))


def test_resume_keeps_what_was_played_in_a_relative_folder(
    tmp_path: Path, plain: pl.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for games, mode in ((300, "new"), (300, "resume"), (500, "resume")):
        vs.simulate(GAME, "random", games, seed=7, out="run", mode=mode)
    assert [part.games for part in vs.open_dataset("run").manifest.parts] == [300, 200]
    assert vs.open_dataset("run").seats.equals(plain)


def test_merge_puts_batches_together(tmp_path: Path, plain: pl.DataFrame, cli) -> None:
    for first, count in ((0, 200), (200, 300)):
        vs.simulate(GAME, "random", count, seed=7, first_game=first, out=tmp_path / str(first))
    merged = merge([tmp_path / "200", tmp_path / "0"], tmp_path / "all")
    assert merged.state == "complete" and vs.open_dataset(tmp_path / "all").seats.equals(plain)
    status, _, err = cli("merge", tmp_path / "all", tmp_path / "0", "--out", tmp_path / "twice")
    assert status == 2 and "both hold game 0" in err and not (tmp_path / "twice").exists()


def test_merge_says_what_is_missing(tmp_path: Path, plain: pl.DataFrame, cli) -> None:
    for first, count in ((0, 200), (400, 100)):
        vs.simulate(GAME, "random", count, seed=7, first_game=first, out=tmp_path / str(first))
    status, out, err = cli("merge", tmp_path / "0", tmp_path / "400", "--out", tmp_path / "all")
    assert status == 0 and "300 games of 2 datasets" in out
    assert "missing 200..399" in err and f"simulate --resume --out {tmp_path / 'all'}" in err
    assert "missing   200..399" in cli("info", tmp_path / "all")[1]
    assert "Finished games: 0..199, 400..499." in cli("replay", tmp_path / "all", "--game", 300)[2]
    assert cli("simulate", "--resume", "--out", tmp_path / "all")[0] == 0
    assert vs.open_dataset(tmp_path / "all").seats.equals(plain)
    assert "of 1 dataset in" in cli("merge", tmp_path / "0", "--out", tmp_path / "one")[1]


def test_rerun_gives_the_same_rows(tmp_path: Path, cli, plain: pl.DataFrame) -> None:
    vs.simulate(GAME, "random", 500, seed=7, out=tmp_path / "d")
    assert cli("rerun", tmp_path / "d")[0] == 0
    assert vs.open_dataset(tmp_path / "d-rerun").seats.equals(plain)


def test_replay_is_derived_again_where_moves_were_not_recorded(tmp_path: Path, cli) -> None:
    for record in ("seats", "moves"):
        vs.simulate(GAME, "greedy", 3, seed=7, out=tmp_path / record, record=record)
    texts = [cli("replay", tmp_path / record, "--game", 2)[1] for record in ("seats", "moves")]
    assert texts[0] == texts[1] and "announces" in texts[0]
    assert cli("replay", tmp_path / "seats", "--game", 99)[0] == 2


def test_export_writes_no_formula(tmp_path: Path, cli) -> None:
    cards = [vs.Deck.shipped().cards[0].__class__(f"=1+{i}", card.face) for i, card in enumerate(vs.Deck.shipped().cards)]
    vs.simulate(vs.Veggies(players=2, deck=vs.Deck(cards)), "random", 3, seed=1, out=tmp_path / "d", record="moves")
    assert cli("export", tmp_path / "d", "--out", tmp_path / "csv")[0] == 0
    assert "'=1+" in (tmp_path / "csv/moves.csv").read_text() and ",=1+" not in (tmp_path / "csv/moves.csv").read_text()
