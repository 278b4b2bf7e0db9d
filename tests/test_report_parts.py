"""The parts of a report: numbers in words, tables, pictures."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import polars as pl
import pytest
from page_checks import Reader
from toy_game import HighSum

import veggies_sim as vs
from veggies_sim.report.page import page
from veggies_sim.report.section import Picture, Section, Table, wide
from veggies_sim.report.sections import all_sections
from veggies_sim.report.words import form_of, told, with_interval

HOSTILE = ("<script>alert(1)</script>", '"onload=alert(2) x="', "'><img src=x onerror=alert(3)>", "&lt;b&gt;", "{{ 7 * 7 }}")
VOID = {"meta", "img"}


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


def test_a_wide_table_is_shown_in_parts_and_small_p_values_in_words() -> None:
    from veggies_sim.report.section import P_VALUE
    from veggies_sim.report.words import ROOM, _width, parts_of, shown

    names = [f"measure {i}" for i in range(9)]
    ends = {f"{name}{end}": [value] for name in names for end, value in (("", 0.5), (" from", 0.4), (" to", 0.6))}
    table = Table("caption; more", pl.DataFrame({"who": ["a"], **ends, "p": [0.0004]}), {"p": P_VALUE})
    columns = [*shown(table)]
    parts = parts_of(columns)
    assert len(parts) > 1 and all(part[0].name == "who" and sum(map(_width, part)) <= ROOM for part in parts)
    assert [column for part in parts for column in part[1:]] == columns[1:] and columns[-1].cells == ["< 0.001"]
    assert len(parts_of(columns[:3])) == 1
    read = Reader(page(vs.simulate(HighSum(2), games=20, seed=1), [Section("wide", [table])]))
    assert len(read.all("table")) == len(parts) and "More columns of: caption" in read.text


def test_no_letter_of_a_picture_is_cut_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every picture of a report, long names among them, lies within its figure."""
    from veggies_sim.report import pictures

    cut, narrow = [], pictures._narrow

    def measured(figure):  # type: ignore[no-untyped-def]
        narrow(figure)
        figure.draw_without_rendering()
        box, (width, height) = figure.get_tightbbox(), figure.get_size_inches()
        if box.x0 < 0 or box.y0 < 0 or box.x1 > width or box.y1 > height:
            cut.append((figure.axes[0].get_xlabel(), box))

    monkeypatch.setattr(pictures, "_narrow", measured)
    (tmp_path / "asked.toml").write_text(
        '[challenges]\n"' + "a long name of a challenge " * 3 + '" = "score >= 20"\nb = "rats == 0"\n'
    )
    run = vs.simulate(vs.Veggies(3), "random", 60, seed=1, record="moves")
    page(run, all_sections(run, tmp_path / "asked.toml", 20))
    assert not cut


@pytest.mark.parametrize("name", ["/a/folder/of/{}", "{}" + 25 * " long words", 130 * "x" + "{}"])
def test_a_picture_of_many_runs_has_room_for_all(name: str) -> None:
    """Nothing lies outside the figure or on something else, and the axes keep most of its width."""
    from veggies_sim.plots import compare as draw

    def play(n: int) -> vs.Run:
        return vs.simulate(vs.Veggies(3, rules={"rat_penalty": n}), "random", 60, seed=1, jobs=1)

    found = vs.compare([play(2), *(play(n) for n in (0, 1, 3, 4, 5, 6))])
    names = {run: name.format(run) for run in found.rows["run"].unique()}
    rows = found.rows.with_columns(pl.col("run").replace_strict(names))
    long = rows.filter(metric="score", seat=0)
    long = long.with_columns(pl.lit(None, pl.UInt8).alias("seat"), pl.lit(60 * "p:q ").alias("policy"))
    ax = draw.differences(pl.concat([rows, long]), title="\n".join(names.values()))
    figure = ax.figure
    figure.draw_without_rendering()  # type: ignore[union-attr]  # warnings are errors
    box, (width, height) = figure.get_tightbbox(), figure.get_size_inches()  # type: ignore[union-attr]
    assert box.x0 >= 0 and box.y0 >= 0 and box.x1 <= width and box.y1 <= height
    assert all(each.get_position().width > 0.4 and each.get_window_extent().height > 30 for each in figure.axes)
    legend, title = ax.get_legend(), figure._suptitle  # type: ignore[union-attr]
    assert len(legend.get_texts()) == 6 and legend.get_window_extent().y1 <= title.get_window_extent().y0
    looks = [(line.get_color(), line.get_marker()) for line in legend.get_lines()]
    assert len({*looks}) == 6
