"""Datasets that somebody edited or a disk damaged: refused with one message, exit status 2, and never taken as true."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from toy_game import HighSum

import veggies_sim as vs
from veggies_sim.core import registry
from veggies_sim.core.files import locked
from veggies_sim.core.game import Game

Edit = Callable[[dict[str, Any]], Any]


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry._GAMES, HighSum.id, HighSum)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("made") / "run"
    vs.simulate(HighSum(3), games=40, seed=1, jobs=1, record="moves", out=out)
    return out


@pytest.fixture
def run(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "run"))


def refused(cli: Any, *words: object) -> str:
    """Check that a command fails as it should and return its message."""
    status, out, err = cli(*words)
    assert status == 2 and out == "" and err.startswith("veggies-sim: ") and "Traceback" not in err and len(err) < 1500, err
    return str(err)


def change(**values: Any) -> Edit:
    return lambda data: data.update(values)


def in_part(**values: Any) -> Edit:
    return lambda data: data["parts"][0].update(values)


EDITS: dict[str, Edit] = {
    **{f"{key}={value!r}"[:40]: change(**{key: value}) for key, value in [
        ("seconds", 10**400), ("looks", [{"games": 1, "value": None, "low": None, "high": 1}]),
        ("looks", [{"games": 1, "value": 10**400, "low": 0, "high": 1}]), ("policies", ["odd"] * 3), ("rules", {"odd": 1}),
        ("seed", -1), ("seed", 10**30), ("seed", True), ("seed", "1"), ("policy_seed", 2**63), ("games", 39), ("games", 1.0),
        ("games_requested", 39), ("games_requested", 41), ("first_game", 1), ("plays_per_deal", 0), ("rotate_seats", "no"),
        ("rotate_seats", 1), ("record", "seats"), ("record", "all"), ("record", []), ("state", "done"), ("schema", 0),
        ("schema", True), ("players", 2), ("players", 10**30), ("behaviour", -1), ("rules", []), ("rules", {"cards": 30}),
        ("rules", {"cards": [40]}), ("policies", ["blind"]), ("policies", "blind"), ("policies", ["blind"] * 4),
        ("policies", [1] * 3),
        ("versions", []), ("versions", {"numpy": 2}), ("seconds", "x"), ("seconds", float("nan")), ("command", 5),
        ("command", "\ud800"), ("setup_hash", "0" * 64), ("setup_hash", None), ("parts", {}), ("parts", []), ("parts", [5]),
        ("game", "low-sum"), ("game", ["high-sum"]),
    ]},
    **{f"part {key}={value!r}"[:40]: in_part(**{key: value}) for key, value in [
        ("number", -1), ("number", True), ("number", 1), ("first", 1), ("games", 39), ("games", 0), ("rows", {}), ("rows", []),
        ("rows", 5), ("rows", {"seats": 120}), ("rows", {"../run/seats": 120}), ("rows", {"seats": 119, "deals": 40, "moves": 600}),
        ("rows", {"seats": 120, "deals": 40, "moves": 560}), ("rows", {"seats": 120, "deals": 40, "moves": 600, "../x": 1}),
    ]},
    "a part twice": lambda data: data["parts"].append(dict(data["parts"][0])),
    "no seed": lambda data: data.pop("seed"),
}  # fmt: skip


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS.keys())
def test_edited_manifests_are_refused(run: Path, tmp_path: Path, cli: Any, edit: Edit) -> None:
    data = json.loads((run / "run.json").read_text())
    edit(data)
    (run / "run.json").write_text(json.dumps(data))
    refused(cli, "info", run)
    refused(cli, "merge", run, "--out", tmp_path / "all")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run"]


@pytest.mark.parametrize("text", ["", "5", "[" * 100_000, '{"schema": 1}', '{"schema": ' + "9" * 5000 + "}", '{"schema": null}'])
def test_texts_that_are_no_manifest_are_refused(run: Path, cli: Any, text: str) -> None:
    (run / "run.json").write_text(text)
    refused(cli, "info", run)


def rewrite(file: Path, edit: Callable[[pa.Table], pa.Table], metadata: bool = True) -> None:
    """Write a part anew with other rows and, as a careful forger would, its metadata."""
    said = pq.read_metadata(file).metadata
    with pq.ParquetWriter(file, (table := edit(pq.read_table(file))).schema, store_schema=False) as writer:
        writer.write_table(table)
        if metadata:
            writer.add_key_value_metadata(said)


def set_column(name: str, values: Callable[[list[Any]], list[Any]]) -> Callable[[pa.Table], pa.Table]:
    def edit(table: pa.Table) -> pa.Table:
        place = table.schema.get_field_index(name)
        new = pa.array(values(table[name].to_pylist()), table.schema.field(name).type)
        return table.set_column(place, name, new)

    return edit


FORGED: dict[str, tuple[str, Callable[[pa.Table], pa.Table]]] = {
    "a column dropped": ("seats", lambda table: table.drop_columns(["win"])),
    "a column renamed": ("moves", lambda table: table.rename_columns({"card": "cart"})),
    "another type": ("seats", lambda table: table.set_column(5, "score", table["score"].cast(pa.int64()))),
    "a row less": ("deals", lambda table: table.slice(1)),
    "a value missing": ("seats", set_column("score", lambda old: [None, *old[1:]])),
    "games of nobody": ("deals", set_column("game", lambda old: [*old[:-1], 1000])),
    "other games": ("moves", set_column("game", lambda old: [game + 40 for game in old])),
}


@pytest.mark.parametrize(("table", "edit"), FORGED.values(), ids=FORGED.keys())
def test_forged_parts_are_refused(run: Path, tmp_path: Path, cli: Any, table: str, edit: Any) -> None:
    file = next((run / table).glob("*.parquet"))
    rewrite(file, edit)
    assert str(file) in refused(cli, "info", run)
    refused(cli, "export", run, "--out", tmp_path / "csv")
    assert not (tmp_path / "csv").exists()


def test_parts_of_another_run_are_refused(run: Path, tmp_path: Path, cli: Any) -> None:
    vs.simulate(HighSum(3), games=40, seed=2, jobs=1, record="moves", out=tmp_path / "other")
    name = "moves/part-000000.parquet"
    shutil.copyfile(tmp_path / "other" / name, run / name)
    assert "another run" in refused(cli, "replay", run, "--game", 1)
    rewrite(run / name, lambda table: table, metadata=False)
    assert "another run" in refused(cli, "info", run)


def test_flipped_bytes_are_found_by_checksum(run: Path, tmp_path: Path, cli: Any) -> None:
    file = next((run / "seats").glob("*.parquet"))
    data = bytearray(file.read_bytes())
    data[200] ^= 0x40
    file.write_bytes(data)
    assert "damaged" in refused(cli, "export", run, "--out", tmp_path / "csv") and not (tmp_path / "csv").exists()
    refused(cli, "replay", run, "--game", 1)


@pytest.mark.parametrize("values", [
    lambda old: [(turn + 1) % 5 for turn in old],
    lambda old: sorted(old),
])  # fmt: skip
def test_moves_that_are_not_of_one_game_are_refused(run: Path, cli: Any, values: Any) -> None:
    rewrite(next((run / "moves").glob("*.parquet")), set_column("turn", values))
    assert "damaged" in refused(cli, "replay", run, "--game", 1)


@pytest.mark.parametrize("game", ["-1", "40", "9" * 30, "x"])
def test_games_that_are_not_there(run: Path, cli: Any, game: str) -> None:
    refused(cli, "replay", run, f"--game={game}")


def test_illegal_moves_are_refused(tmp_path: Path, cli: Any) -> None:
    vs.simulate(vs.Veggies(players=2), "random", 3, seed=1, jobs=1, record="moves", out=tmp_path / "run")
    file = next((tmp_path / "run" / "moves").glob("*.parquet"))
    whole = file.read_bytes()
    for column, value in (("row", 3000), ("rotation", 77), ("card", "nobody"), ("source", "pocket")):
        for place in (0, -1):
            rewrite(file, set_column(column, lambda old, value=value, place=place: [*old[:place], value, *old[place:][1:]]))
            refused(cli, "replay", tmp_path / "run", "--game", (0, 2)[place])
            file.write_bytes(whole)


def test_an_edited_set_up_is_refused(tmp_path: Path, cli: Any) -> None:
    out = tmp_path / "run"
    vs.simulate(vs.Veggies(players=2), "random", 3, seed=1, jobs=1, out=out)
    text = (out / "deck.csv").read_text()
    for new in (text.replace("rat", "grape", 1), None):
        if new is None:
            (out / "deck.csv").unlink()
        else:
            (out / "deck.csv").write_text(new)
        for words in (("info", out), ("replay", out, "--game", 1), ("rerun", out), ("export", out, "--out", tmp_path / "csv")):
            assert "deck.csv" in refused(cli, *words)
        assert "deck.csv" in refused(cli, "simulate", "--resume", "--out", out, "--games", 5)


def test_a_folder_that_is_written_to_is_left_alone(run: Path, cli: Any) -> None:
    with locked(run):
        for how in ("--resume", "--replace"):
            play = ("simulate", "--game", "high-sum", "--games", 50, "--seed", 1, "--record", "moves")
            said = refused(cli, *play, "--out", run, how)
            assert "another run" in said and "pid" in said
    assert vs.open_dataset(run).manifest.games == 40
    assert cli("simulate", "--resume", "--games", 50, "--out", run)[0] == 0
    assert vs.open_dataset(run).manifest.games == 50 and not list(run.glob(".*"))


def test_a_manifest_runs_no_code(run: Path, tmp_path: Path, cli: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "evil.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\ndef choose(*_): pass\n")
    monkeypatch.syspath_prepend(tmp_path)
    data = json.loads((run / "run.json").read_text())
    data |= {"policies": [" py:evil:choose", "py:evil:choose", "py:evil:choose"], "parts": [], "games": 0, "state": "failed"}
    (run / "run.json").write_text(json.dumps(data))
    assert cli("info", run)[0] == 0
    for words in (("rerun", run), ("simulate", "--resume", "--out", run)):
        assert "own code" in refused(cli, *words)
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("game", [HighSum(3), vs.Veggies(players=3)], ids=lambda game: game.id)
def test_rules_are_read_only(game: Game) -> None:
    with pytest.raises(TypeError):
        game.rules["stand_size"] = 40  # type: ignore[index]


@pytest.mark.parametrize("table", ["seats", "moves"])
def test_every_flipped_bit_is_noticed(cli: Any, run: Path, table: str) -> None:
    file, stream = run / table / "part-000000.parquet", random.Random(1)
    raw = file.read_bytes()
    for _ in range(30):
        place, bit = stream.randrange(len(raw)), 1 << stream.randrange(8)
        file.write_bytes(raw[:place] + bytes([raw[place] ^ bit]) + raw[place + 1 :])
        assert "simulate --resume" in refused(cli, "report", run)
    vs.simulate(HighSum(3), games=40, seed=1, jobs=1, record="moves", out=run, mode="resume")
    assert vs.open_dataset(run).table(table).equals(vs.simulate(HighSum(3), games=40, seed=1, jobs=1, record="moves").table(table))


@pytest.mark.parametrize("table", ["seats", "moves"])
def test_no_damage_anywhere_in_a_file_is_more_than_a_refusal(run: Path, table: str) -> None:
    """Arrow ends the whole process on some damaged footers, so that files are not shown to it before their checksum."""
    file = run / table / "part-000000.parquet"
    raw = file.read_bytes()
    for place in range(len(raw)):
        file.write_bytes(raw[:place] + bytes([raw[place] ^ 1 << place % 8]) + raw[place + 1 :])
        with pytest.raises(vs.InputError, match="damaged"):
            vs.open_dataset(run)


def test_a_dataset_without_checksums_is_read(run: Path) -> None:
    data = json.loads((run / "run.json").read_text())
    del data["parts"][0]["crc"]
    (run / "run.json").write_text(json.dumps(data))
    assert len(vs.open_dataset(run).seats) == 120


def test_links_lead_nowhere(cli: Any, run: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.write_text("mine")
    for name in (".run.json.new", ".report.html.new"):
        (run / name).symlink_to(other)
    assert cli("report", run)[0] == 0
    vs.simulate(HighSum(3), games=60, seed=1, jobs=1, record="moves", out=run, mode="resume")
    assert other.read_text() == "mine" and not (run / "report.html").is_symlink()
    (run / "seats").rename(tmp_path / "elsewhere")
    (run / "seats").symlink_to(tmp_path / "elsewhere")
    assert "link out of the dataset" in refused(cli, "info", run)
