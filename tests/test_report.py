"""Reports: one file that needs nothing else, says what must be said, and can't be made to run what a deck says."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from page_checks import Reader, assert_closed_in_itself
from toy_game import HighSum

import veggies_sim as vs
from veggies_sim.core import registry
from veggies_sim.core.dataset import Run
from veggies_sim.core.files import checksum
from veggies_sim.report.page import page
from veggies_sim.report.section import Drawing, Section, Table
from veggies_sim.report.sections import all_sections

HOSTILE = ("<script>alert(1)</script>", '"onload=alert(2) x="', "'><img src=x onerror=alert(3)>", "&lt;b&gt;", "{{ 7 * 7 }}")
VOID = {"meta", "img"}
MADE_FROM = (
    "made from the shipped deck, a reconstruction ({} of 40 cards have its goods): results are not those of the printed game"
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("report") / "run"
    vs.simulate(vs.Veggies(3), "random", 600, seed=3, out=out)
    return out


def test_a_report_says_what_must_be_said(folder: Path, tmp_path: Path, cli) -> None:
    file = tmp_path / "new" / "page.html"
    status, out, err = cli("report", folder, "--out", file)
    assert status == 0, err
    assert out.splitlines()[1] == f"note: {vs.Veggies.setup_note}" and out.splitlines()[-1] == f"report: {file}"
    assert err.splitlines()[0] == "reading 600 games ..." and "A seat scores" in out and "par" in out
    read = assert_closed_in_itself(file.read_text(encoding="utf-8"))
    run = vs.open_dataset(folder)
    for words in (
        vs.Veggies.setup_note, "600 games", "rat_penalty=2", "random at every seat", run.manifest.setup_hash[:12],
        run.manifest.created, "veggies_sim 0.1.0", "simulated", "95%", "33.3%", f"{run.seats['score'].max()} points",
    ):  # fmt: skip
        assert words in read.text, words
    assert file.stat().st_size < 3_000_000


def test_numbers_are_those_of_the_rows(folder: Path, cli) -> None:
    before = sorted(folder.iterdir())
    status, out, err = cli("report", folder, "--json")
    assert status == 0 and "reading" in err and sorted(folder.iterdir()) == before
    found = {part["section"]: part for part in json.loads(out)}
    rows, texts = vs.open_dataset(folder).seats, found["Key numbers"]["texts"]
    assert "random at every seat" in texts[0] and "95% intervals" in texts[0]
    assert f"A seat scores {rows['score'].mean():.1f} [" in texts[1]
    last = rows.filter(pl.col("seat") == 2)["win"].mean()
    assert f"seat 2 (the last) wins {last:.1%} [" in texts[3] and "hold all together" in texts[3]
    spread, means = (table["rows"] for table in found["Scores"]["tables"])
    assert {row["measure"]: row["value"] for row in spread}["highest score"] == rows["score"].max()
    scores = {row["measure"]: row for row in means}
    assert scores["score"]["value"] == pytest.approx(rows["score"].mean())
    assert scores["score"]["value from"] < scores["score"]["value"] < scores["score"]["value to"]
    seats = found["Seats"]["tables"][0]["rows"]
    assert [row["score"] for row in seats] == pytest.approx(rows.group_by("seat").agg(pl.col("score").mean()).sort("seat")["score"])
    by_rats = next(table for table in found["Rats"]["tables"] if table["caption"].startswith("Descriptive"))["rows"]
    assert sum(row["stands"] for row in by_rats) == len(rows)
    assert "--record moves" in found["Cards"]["texts"][0] and "--what-if" in found["Cards"]["texts"][1]
    assert "--record moves" in found["The shape of play"]["texts"][0] and "--plays-per-deal" in found["Luck and skill"]["texts"][0]


def test_the_verdict_needs_intervals_away_from_par() -> None:
    from veggies_sim.report.key_numbers import section

    class Handicap(HighSum):
        id, title = "handicap", "Handicap"

        def result(self, block):  # type: ignore[no-untyped-def]
            found = super().result(block)
            found.score[:, 1] += 60
            return found

    run = vs.simulate(HighSum(2), games=400, seed=1)
    equal = section(run).items[3]
    assert "None is clearly away from par." in equal and "together" not in equal  # of two sides the one is what the other isn't
    assert "None (at most" in section(run).items[1] and " none (at most" in section(_without_ties(run)).items[2]
    said = section(vs.simulate(Handicap(2), games=400, seed=1)).items[3]
    assert "Clearly above par: seat 1 (the last); below par: seat 0." in said


def _without_ties(run: Run) -> Run:
    rows = run.seats.with_columns(win=(pl.col("margin") > 0).cast(pl.Float32), margin=pl.col("margin").replace(0, 1))
    first = (pl.col("seat") == 0) & (run.seats["margin"] == 0)
    rows = rows.with_columns(win=pl.when(first).then(1.0).otherwise("win").cast(pl.Float32))
    return Run(run.manifest, run.game, None, {"seats": rows.to_arrow()})


def test_the_same_run_gives_the_same_bytes(folder: Path, tmp_path: Path) -> None:
    elsewhere = shutil.copytree(folder, tmp_path / "elsewhere")
    files = [vs.write_report(vs.open_dataset(place), tmp_path / f"{place.name}.html") for place in (folder, elsewhere)]
    assert files[0].read_bytes() == files[1].read_bytes()
    runs = [vs.simulate(HighSum(2), games=60, seed=seed) for seed in (1, 2)]
    assert page(runs[0], all_sections(runs[0])) != page(runs[1], all_sections(runs[1]))


def test_text_of_a_deck_runs_nothing(tmp_path: Path) -> None:
    shipped = vs.Deck.shipped()
    hostile = (*HOSTILE, "$\\frac{$", "漢字 \u202e")
    ids = [hostile[i] if i < len(hostile) else f"c{i}" for i in range(len(shipped.cards))]
    deck = vs.Deck([type(card)(name, card.face, card.copies) for name, card in zip(ids, shipped.cards, strict=True)])
    run = vs.simulate(vs.Veggies(2, deck), "random", 60, seed=1, record="moves")
    run.manifest.command = f"veggies-sim {HOSTILE[0]}"
    run.manifest.versions["numpy"] = HOSTILE[2]
    text = vs.write_report(run, tmp_path / "page.html").read_text(encoding="utf-8")
    read = assert_closed_in_itself(text)
    assert "alert" not in "".join(f"{name}{attributes}" for name, attributes in read.tags if name != "div" and name != "img")
    assert HOSTILE[0] in read.text and HOSTILE[2] in read.text and "<script" not in text
    assert MADE_FROM.format(40) in read.text


def test_hostile_words_in_every_place_of_a_page() -> None:
    run = vs.simulate(HighSum(2), games=20, seed=1)
    for words in HOSTILE:
        frame = pl.DataFrame({words: [words, None], "number": [1234, None], "share": [0.125, None]})
        text = page(run, [Section(words, [words, Table(words, frame, {"share": ".1%"}), Drawing(words, "<svg/>")])])
        read = Reader(text)
        assert "script" not in {name for name, _ in read.tags} and len(read.all("img")) == 1
        assert read.all("img")[0]["alt"] == words and [a["class"] for a in read.all("td")] == ["number"] * 4
        assert read.text.count(words) == 7 and "1,234 12.5%" in read.text and "– – –" in read.text
    assert page(run, [Section("half \ud83d", [])]).encode()


def test_the_toy_game_has_a_report(toy: None, tmp_path: Path, cli) -> None:
    out = tmp_path / "toy"
    assert cli("simulate", "--game", "high-sum", "--games", 60, "--seed", 4, "--record", "moves", "--out", out)[0] == 0
    status, said, err = cli("report", out)
    assert status == 0, err
    read = assert_closed_in_itself((out / "report.html").read_text())
    assert "High Sum, 3 players" in said and "High Sum, 3 players: what 60 games say" in read.text
    assert "blind at every seat" in read.text
    assert not re.search(r"\b(rats?|goods?|stands?|ramp|reconstruction)\b", read.text)


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_GAMES", dict(registry._GAMES))
    registry.register(HighSum)


def test_a_dataset_stays_one_with_its_report(toy: None, tmp_path: Path, cli) -> None:
    out, play = tmp_path / "run", ("simulate", "--game", "high-sum", "--seed", 1, "--out", tmp_path / "run")
    assert cli(*play, "--games", 60)[0] == 0
    assert cli("report", out)[0] == 0 and cli("report", out)[0] == 0  # an earlier report is overwritten
    assert cli("report", out, "--out", out / "report.html")[0] == 0
    assert cli("info", out)[0] == cli("merge", out, "--out", tmp_path / "merged")[0] == 0
    assert cli("simulate", "--resume", "--games", 70, "--out", out)[0] == 0
    assert cli("report", out)[0] == 0 and "70 games" in (out / "report.html").read_text()
    assert cli(*play, "--games", 20, "--replace")[0] == 0 and not (out / "report.html").exists()
    (out / "report.html").write_text("mine")
    status, _, err = cli("report", out)
    assert status == 2 and "no report of ours" in err and (out / "report.html").read_text() == "mine"
    assert cli(*play, "--games", 20, "--replace")[0] == 0 and (out / "report.html").read_text() == "mine"


def test_several_policies_and_repeated_deals_have_sections_of_their_own(tmp_path: Path) -> None:
    run = vs.simulate(HighSum(2), games=60, seed=1, plays_per_deal=2)
    titles = [section.title for section in all_sections(run)]
    assert "Policies" not in titles and "Challenges" not in titles and "Luck and skill" in titles
    found = {section.title: section for section in all_sections(run, challenges=_challenges(tmp_path))}
    assert any(isinstance(item, Table) for item in found["Luck and skill"].items)
    table = next(item for item in found["Challenges"].items if isinstance(item, Table))
    assert table.frame["chance"][0] == pytest.approx((run.seats["score"] >= 120).mean())
    from toy_skill import OpenSum

    rotated = vs.simulate(OpenSum(2), ["peek", "drop"], 60, seed=1, rotate_seats=True)
    assert "Players: peek and drop, in turn at every seat." in str(all_sections(rotated)[0].items[0])
    policies = next(section for section in all_sections(rotated) if section.title == "Policies")
    assert next(item for item in policies.items if isinstance(item, Table)).frame["policy"].to_list() == ["drop", "peek"]


def _challenges(folder: Path) -> Path:
    (folder / "asked.toml").write_text('[challenges]\n"120 points" = "score >= 120"\n')
    return folder / "asked.toml"


def test_what_if_plays_other_decks(tmp_path: Path) -> None:
    run = vs.simulate(vs.Veggies(3), "random", 60, seed=1, record="moves")
    found = {section.title: section for section in run.game.sections(run, 20)}
    tables = [item for title in ("Rats", "Cards") for item in found[title].items if isinstance(item, Table)]
    captions = [table.caption for table in tables]
    for words in ("Interventional", "goods of a card cause", "the seats that laid a card fare", "How a card is used"):
        assert sum(words in caption for caption in captions) == 1, words
    worth = next(table.frame for table in tables if "cause" in table.caption)
    assert worth["change of the score"].is_sorted() and len(worth) == 40
    assert len(found["Rats"].answers) == 1 and worth["card"][0] in found["Cards"].answers[0]
    ways = next(table.frame for table in tables if "per rat" in table.caption)
    assert ways["use it"].str.starts_with("to ").all()
    decks = next(table.frame for table in tables if "Interventional" in table.caption)
    assert decks["rats in the deck"].to_list() == ["0", "12", "24 (as it is)", "36", "48"]
    run.manifest.policies = ["py:os:system"] * 3  # code is never run by a file's word
    assert "a report does not run" in str(run.game.sections(run, 20)[1].items[-1])


def test_a_claim_on_a_card_is_corrected_for_the_cards_that_are_shown() -> None:
    from veggies_sim.games.veggies.analysis.card_what_if import card_changes

    run = vs.simulate(vs.Veggies(3), "random", 60, seed=1)
    cards = next(section for section in run.game.sections(run, 60) if section.title == "Cards")
    shown_p = next(item.frame for item in cards.items if isinstance(item, Table)).sort("card")["p"]
    changed = card_changes(run.game, None, run.manifest.policies, 60, choices=False, seed=1, policy_seed=1)
    raw = changed.filter(metric="score").sort("card")["p"]
    assert shown_p.min() == pytest.approx(min(1, 40 * raw.min())) and (shown_p >= raw - 1e-12).all()
    assert changed.filter(metric="score")["p_claim"].min() > shown_p.min() or shown_p.min() == 1  # all metrics cost more


@pytest.mark.parametrize(("players", "rules", "said"), [
    (3, {}, "each player names the good of the own largest group;"), (2, {}, "names two different goods"),
    (2, {"pair": "groups"}, "perhaps one good"), (2, {"announced": 1}, "names the good of"),
])  # fmt: skip
def test_the_glossary_has_the_rules_of_the_run(players: int, rules: dict[str, object], said: str) -> None:
    run = vs.simulate(vs.Veggies(players, rules=rules), "random", 20, seed=1)
    words = run.game.sections(run, 0)[-1].items[0]
    assert isinstance(words, Table) and said in words.frame.filter(word="announced")["meaning"].item()


def test_answers_that_were_asked_for_reach_the_terminal(folder: Path, tmp_path: Path, cli) -> None:
    status, out, err = cli("report", folder, "--challenges", _challenges(tmp_path), "--what-if", 20, "--out", tmp_path / "x.html")
    assert status == 0, err
    said, page_said = " ".join(out.split()), Reader((tmp_path / "x.html").read_text()).text
    for words in ("Challenge '120 points': met in 0.0%", "Rats: each rat more", "Cards: change of a seat's mean score"):
        assert words in said and words in page_said, words
    assert "asked.toml, sha256" in page_said and "20 games with each set-up" in page_said and str(tmp_path) not in page_said


def test_all_faults_of_challenges_come_before_any_work(folder: Path, tmp_path: Path, cli) -> None:
    (tmp_path / "bad.toml").write_text('[challenges]\na = "scores >= 1"\nb = "score >= 1"\nc = "score >"\n')
    status, out, err = cli("report", folder, "--challenges", tmp_path / "bad.toml", "--out", tmp_path / "x.html")
    assert status == 2 and out == "" and "reading" not in err and "'a'" in err and "'c'" in err and "'b'" not in err


def test_an_interrupted_run_says_so(folder: Path, tmp_path: Path, cli) -> None:
    out = shutil.copytree(folder, tmp_path / "run")
    manifest = json.loads((out / "run.json").read_text())
    (out / "run.json").write_text(json.dumps(manifest | {"games_requested": 900, "state": "interrupted"}))
    status, _, err = cli("report", out)
    assert status == 0, err
    said = Reader((out / "report.html").read_text()).text
    assert "not finished (interrupted): 600 of 900 games" in said and "600..899" in said


BAD = [
    (("nothing",), "no such folder"),
    (("few",), "9 deals are too few"),
    (("empty",), "0 deals are too few"),
    (("damaged",), "can't be read"),
    (("run", "--out", "taken.html"), "exists already"),
    (("run", "--out", "page.pdf"), ".html or .htm"),
    (("run", "--out", "few/page.html"), "inside of a dataset"),
    (("run", "--out", "taken.html/page.html"), "can't be written"),
    (("run", "--what-if", -1), "what_if"),
    (("run", "--challenges", "none.toml"), "none.toml"),
]


@pytest.mark.parametrize(("words", "said"), BAD, ids=[" ".join(map(str, words)) for words, _ in BAD])
def test_what_is_refused(folder: Path, tmp_path: Path, cli, monkeypatch: pytest.MonkeyPatch, words: tuple, said: str) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copytree(folder, "run")
    shutil.copytree(folder, "damaged")
    next(Path("damaged").rglob("*.parquet")).write_bytes(b"")
    vs.simulate(vs.Veggies(3), "random", 9, seed=1, out="few")
    shutil.copytree("few", "empty")
    manifest = json.loads(Path("empty/run.json").read_text())
    Path("empty/run.json").write_text(json.dumps(manifest | {"parts": [], "games": 0, "state": "interrupted"}))
    Path("taken.html").write_text("mine")
    before = sorted(tmp_path.rglob("*"))
    status, out, err = cli("report", *words)
    assert status == 2 and out == "" and said in err.splitlines()[-1] and len(err.splitlines()) <= 2, err
    assert sorted(tmp_path.rglob("*")) == before and Path("taken.html").read_text() == "mine"


@pytest.mark.parametrize(("column", "value", "footer", "said"), [
    ("win", float("nan"), True, "adds up to no number"), ("win", float("inf"), True, "adds up to no number"),
    ("win", None, True, "lacks values"), ("win", None, False, "does not say"), ("score", None, False, "does not say"),
])  # fmt: skip
def test_rows_that_are_no_numbers_are_refused_whatever_their_checksum(
    folder: Path, tmp_path: Path, cli, column: str, value: object, footer: bool, said: str
) -> None:
    run = tmp_path / "run"
    shutil.copytree(folder, run)
    file, manifest = next(run.glob("seats/*.parquet")), json.loads((run / "run.json").read_text())
    rows = pq.read_table(file)
    place = rows.schema.get_field_index(column)
    odd = pa.array([value, *rows.column(column).to_pylist()[1:]], rows.schema.field(place).type)
    metadata = pq.read_metadata(file).metadata[b"veggies_sim"]
    with pq.ParquetWriter(file, rows.schema, write_statistics=footer, store_schema=False) as forged:
        forged.write_table(rows.set_column(place, rows.schema.field(place), odd))
        forged.add_key_value_metadata({"veggies_sim": metadata})
    manifest["parts"][0]["crc"]["seats"] = checksum(file)
    (run / "run.json").write_text(json.dumps(manifest))
    status, out, err = cli("report", run)
    assert status == 2 and out == "" and said in err.splitlines()[-1] and len(err.splitlines()) <= 2, err
    assert not [*run.glob("*.html")]


def test_refusals_in_python(tmp_path: Path) -> None:
    run = vs.simulate(HighSum(2), games=20, seed=1)
    with pytest.raises(vs.InputError, match="in memory only"):
        vs.write_report(run)
    for bad in ({"run": "folder"}, {"run": run, "out": 5}, {"run": run, "out": tmp_path / "x.html", "what_if": "many"}):
        with pytest.raises(vs.InputError):
            vs.write_report(**bad)  # type: ignore[arg-type]
    assert vs.write_report(run, tmp_path / "x.html") == tmp_path / "x.html" and isinstance(run, Run)


def test_a_stand_that_cannot_be_played_again_is_said(tmp_path: Path) -> None:
    run = vs.simulate(vs.Veggies(3), "random", 30, seed=1, out=tmp_path / "run")
    run.manifest.behaviour = 99
    assert "Stands can't be drawn" in Reader(vs.write_report(run).read_text()).text


def test_a_deck_made_from_the_shipped_one_says_so_and_another_does_not() -> None:
    cards = vs.Deck.shipped().cards
    kind, game = type(cards[0]), vs.Veggies
    empty = (("empty",) * 3, ("rat", "empty", "banana"))
    turned = tuple(tuple(reversed(row)) for row in reversed(cards[0].face))
    some = [kind("x", turned), *cards[1:37], *(kind(f"new {i}", empty) for i in range(3))]
    assert game.setup_notes(vs.Deck(cards)) == [game.setup_note]
    assert game.setup_notes(vs.Deck(some)) == [MADE_FROM.format(37)]
    assert game.setup_notes(vs.Deck([*cards[:10], *(kind(f"new {i}", empty, 1) for i in range(30))])) == []


def test_two_tests_of_seats_are_corrected_for_one_another() -> None:
    from veggies_sim.report.sections import _equal

    tests = pl.DataFrame({"metric": ["win_share", "score"], "p_value": [0.4, 0.047], "note": ["", ""]})
    assert [*_equal(tests)][1] == "All scores at once: they may well be equal (p = 0.094, corrected for 2 tests)."
    one = tests.with_columns(p_value=pl.Series([None, 0.047]), note=pl.lit("why"))
    assert [*_equal(one)] == [
        "Whether all win shares are equal can't be tested (why).", "All scores at once: they are not all equal (p = 0.047).",
    ]  # fmt: skip
