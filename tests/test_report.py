"""Reports: one file that needs nothing else, says what must be said, and can't be made to run what a deck says."""

from __future__ import annotations

import base64
import json
import re
import shutil
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import polars as pl
import pytest
from toy_game import HighSum

import veggies_sim as vs
from veggies_sim.core import registry
from veggies_sim.core.dataset import Run
from veggies_sim.report.page import page
from veggies_sim.report.section import Drawing, Picture, Section, Table, wide
from veggies_sim.report.sections import all_sections
from veggies_sim.report.words import form_of, told, with_interval

HOSTILE = ("<script>alert(1)</script>", '"onload=alert(2) x="', "'><img src=x onerror=alert(3)>", "&lt;b&gt;", "{{ 7 * 7 }}")
VOID = {"meta", "img"}


class Reader(HTMLParser):
    """Reads a page, refuses tags that are not closed in order, and keeps what is in it."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] != "style":
            self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]

    def pictures(self) -> list[str]:
        """Return the SVG of every picture."""
        sources = [str(attributes["src"]).split("base64,") for attributes in self.all("img")]
        assert all(head == "data:image/svg+xml;" for head, _ in sources)
        return [base64.b64decode(body).decode() for _, body in sources]


def assert_closed_in_itself(text: str) -> Reader:
    """Check that a page is well formed, fetches nothing and runs nothing."""
    read = Reader(text)
    assert {name for name, _ in read.tags}.isdisjoint({"script", "link", "iframe", "object", "embed", "form", "base", "svg"})
    assert not [key for _, attributes in read.tags for key in attributes if key.startswith("on") or key == "style"]
    assert {str(a["href"])[0] for a in read.all("a")} == {"#"} and "http" not in re.sub("http-equiv", "", text)
    policy = next(a["content"] for a in read.all("meta") if a.get("http-equiv") == "Content-Security-Policy")
    assert policy and policy.startswith("default-src 'none'; img-src data:;") and "script" not in policy
    assert read.all("html") == [{"lang": "en"}] and any(a.get("name") == "viewport" for a in read.all("meta"))
    assert len(read.all("title")) == len(read.all("h1")) == 1
    assert len(read.all("table")) == len(read.all("caption")) and {a["scope"] for a in read.all("th")} == {"col", "row"}
    assert all(a["alt"] for a in read.all("img"))
    ids = [a["id"] for _, a in read.tags if "id" in a]
    assert len({*ids}) == len(ids) and {f"#{name}" for name in ids} == {a["href"] for a in read.all("a")}
    for svg in read.pictures():
        names = {element.tag.split("}")[-1] for element in ElementTree.fromstring(svg).iter()}
        assert names.isdisjoint({"script", "image", "foreignObject", "a"}) and not re.search(r"\son\w+=|@import|url\((?!#)", svg)
    return read


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
    assert f"A seat scores {rows['score'].mean():.1f} [" in texts[0]
    last = rows.filter(pl.col("seat") == 2)["win"].mean()
    assert f"seat 2 (the last) wins {last:.1%} [" in texts[2]
    scores = {row["measure"]: row for row in found["Scores"]["tables"][0]["rows"]}
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

    assert "None is clearly away from par." in section(vs.simulate(HighSum(2), games=400, seed=1)).items[2]
    said = section(vs.simulate(Handicap(2), games=400, seed=1)).items[2]
    assert "Clearly above par: seat 1 (the last); below par: seat 0." in said


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
    assert vs.Veggies.setup_note not in read.text


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
    policies = next(section for section in all_sections(rotated) if section.title == "Policies")
    assert next(item for item in policies.items if isinstance(item, Table)).frame["policy"].to_list() == ["drop", "peek"]


def _challenges(folder: Path) -> Path:
    (folder / "asked.toml").write_text('[challenges]\n"120 points" = "score >= 120"\n')
    return folder / "asked.toml"


def test_what_if_plays_other_decks(tmp_path: Path) -> None:
    run = vs.simulate(vs.Veggies(3), "random", 60, seed=1, record="moves")
    found = {section.title: section for section in run.game.sections(run, 20)}
    tables = [item.caption for title in ("Rats", "Cards") for item in found[title].items if isinstance(item, Table)]
    assert sum("Interventional" in caption for caption in tables) == 1
    assert (
        sum("goods made empty" in caption for caption in tables) == sum("as games show them" in caption for caption in tables) == 1
    )
    run.manifest.policies = ["py:os:system"] * 3  # code is never run by a file's word
    assert "--what-if" in str(run.game.sections(run, 20)[1].items[-1])


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


def test_refusals_in_python(tmp_path: Path) -> None:
    run = vs.simulate(HighSum(2), games=20, seed=1)
    with pytest.raises(vs.InputError, match="in memory only"):
        vs.write_report(run)
    for bad in ({"run": "folder"}, {"run": run, "out": 5}, {"run": run, "out": tmp_path / "x.html", "what_if": "many"}):
        with pytest.raises(vs.InputError):
            vs.write_report(**bad)  # type: ignore[arg-type]
    assert vs.write_report(run, tmp_path / "x.html") == tmp_path / "x.html" and isinstance(run, Run)


def test_numbers_show_what_is_known() -> None:
    assert form_of("share", 0.32, 0.34) == ".1%" and form_of("points", 1.00, 1.04) == ".2f"
    assert form_of("points", 1, 1) == form_of("points", None, None) == ".1f" and form_of("points", 0, 1e-9) == ".2f"
    assert told({"value": 0.361, "low": 0.358, "high": 0.364, "unit": "share"}) == "36.1% [35.8%, 36.4%]"
    assert with_interval(2, None, None, "+.1f") == "+2.0" and with_interval(None, 1, 2, ".1f") == "–"


def test_a_wide_table_has_an_interval_in_each_cell() -> None:
    from veggies_sim.report.words import shown

    rows = [("a", "win", "share", 0.5, 0.4, 0.6), ("b", "win", "share", 0.25, None, None), ("b", "score", "points", 2.0, 1.0, 3.0)]
    found = pl.DataFrame(rows, schema=["who", "metric", "unit", "value", "low", "high"], orient="row")
    table = wide("caption", found, ["who"], {"score": "points", "win": "win share"})
    assert [(column.name, column.kind, list(column.cells)) for column in shown(table)] == [
        ("who", "word", ["a", "b"]), ("points", "number", ["–", "2.00 [1.00, 3.00]"]),
        ("win share", "number", ["50.0% [40.0%, 60.0%]", "25.0%"]),
    ]  # fmt: skip
    assert "win share from" in table.frame.columns  # JSON has the ends as numbers


def test_words_in_pictures_are_no_formulas() -> None:
    from veggies_sim.plots.axes import new_axes
    from veggies_sim.report.pictures import figure_svg

    def draw():  # type: ignore[no-untyped-def]
        ax = new_axes()
        ax.set_xlabel(r"$\nonsense{$ --> <b> 漢 \x01 " + 30 * "long ")
        return ax

    svg = figure_svg(draw)
    assert svg == figure_svg(draw) and "nonsense" not in svg  # glyphs are paths, comments are left out
    assert float(ElementTree.fromstring(svg).attrib["width"].removesuffix("pt")) < 400
    run = vs.simulate(HighSum(2), games=20, seed=1)
    assert len(Reader(page(run, [Section("pictures", [Picture("one", draw)])])).pictures()) == 1


def test_a_stand_that_cannot_be_played_again_is_said(tmp_path: Path) -> None:
    run = vs.simulate(vs.Veggies(3), "random", 30, seed=1, out=tmp_path / "run")
    run.manifest.behaviour = 99
    assert "Stands can't be drawn" in Reader(vs.write_report(run).read_text()).text
