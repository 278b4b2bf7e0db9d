"""`compare`: datasets compared with a first one."""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING, Any

from veggies_sim.cli import options
from veggies_sim.cli.tables import check_file, span, table
from veggies_sim.cli.tables import save as save_table
from veggies_sim.cli.words import game_facts, path, picture_title, report_head
from veggies_sim.core.errors import InputError
from veggies_sim.core.policy import seated

if TYPE_CHECKING:
    from collections.abc import Mapping

    from veggies_sim.analysis.compare import Comparison
    from veggies_sim.core.dataset import Run

SAME = "the same deals in both"
_ABOUT = (
    "Compare datasets of one game with the first one: differences of every metric with intervals, whether they are sure once "
    "all rows of the table are taken into account, and what so many games can show. With the same seed the runs play the "
    "same deals, and differences are taken deal by deal, which can save most of the games. To be compared: other decks, "
    "rules, policies."
)


def add_commands(commands: Any) -> None:
    """Add the command of this file to the parser."""
    p = commands.add_parser("compare", help="differences between datasets, and how sure", description=_ABOUT, allow_abbrev=False)
    add = p.add_argument
    add("folders", type=path, nargs="+", metavar="DIR", help="folders of datasets, the base first")
    add("--wish", action="append", metavar="METRIC=DIFFERENCE", default=[],
        help="also tell how many games show a difference this large, such as score=0.5 or win_share=1pp (percentage points); "
        "metrics: see `games`; repeat the option for each")  # fmt: skip
    add("--out", type=path, metavar="FILE", help="also write the table: .parquet or .csv; default: no file")
    add("--plot", type=path, metavar="FILE", help="also draw the differences: .png, .svg or .pdf; default: no picture")
    add("--json", action="store_true", help="the same as JSON")
    p.set_defaults(run=_compare)


def _compare(arguments: argparse.Namespace) -> None:
    from veggies_sim.analysis.compare import compare
    from veggies_sim.core.dataset import open_dataset
    from veggies_sim.plots.axes import check_picture, save
    from veggies_sim.plots.compare import differences

    if len(arguments.folders) < 2:
        raise InputError(f"compare: found one dataset, {arguments.folders[0]}. Give two or more, the base first.")
    if arguments.out:
        check_file(arguments.out, "a table")
    if arguments.plot:
        check_picture(arguments.plot)
    runs = [open_dataset(folder) for folder in arguments.folders]
    found = compare(runs, wish=_wishes(arguments, runs[0]))
    if arguments.out:
        save_table(found.rows, arguments.out)
        print(f"table: {arguments.out}", file=sys.stderr)
    if arguments.plot:
        save(differences(found.rows, title=_title(runs, found), level=found.level), arguments.plot)
        print(f"picture: {arguments.plot}", file=sys.stderr)
    if arguments.json:
        print(json.dumps(_facts(runs, found), indent=1, ensure_ascii=False))
    else:
        print("\n".join([*_head(runs, found), *(line for run in found.runs.iter_rows(named=True) for line in _text(run, found))]))


def _wishes(arguments: argparse.Namespace, base: Run) -> dict[str, float]:
    from veggies_sim.analysis.amounts import read_amount
    from veggies_sim.analysis.metrics import find_metric, metrics_of

    metrics = metrics_of(base.game)
    return {key: read_amount(word, find_metric(metrics, key)) for key, word in options.wishes(arguments).items()}


def _facts(runs: list[Run], found: Comparison) -> dict[str, Any]:
    return game_facts(runs[0].game) | {
        "head": report_head(runs[0].game), "base": found.base, "level": found.level,
        "runs": found.runs.to_dicts(), "sides": found.sides.to_dicts(), "rows": found.rows.to_dicts(),
    }  # fmt: skip


def _head(runs: list[Run], found: Comparison) -> list[str]:
    return [*report_head(runs[0].game), f"base: {found.base}, {_played(runs[0])}"]


def _played(run: Run) -> str:
    return f"{run.manifest.games:,} games, seed {run.manifest.seed}, {seated(run.manifest.policies, run.manifest.rotate_seats)}"


def _title(runs: list[Run], found: Comparison) -> str:
    """Return the lines above the picture: what is compared, and of each run what makes it another one than the base."""
    lines = [f"base: {found.base}, {_played(runs[0])}"]
    for row in found.runs.iter_rows(named=True):
        deals, differs = _deals(row) if row["paired"] else "other deals", "; ".join(row["differs"]) or "nothing"
        lines.append(f"{row['run']}, {row['games']:,} games, {deals}; differs (here: the base): {differs}")
    return picture_title(runs[0].game, "\n".join(lines))


def _deals(run: Mapping[str, Any]) -> str:
    """Return how much the deals of a paired run are those of the base: other cards lie otherwise after the same shuffle."""
    return "the same seeds; set-ups differ, so deals are alike only as far as their cards are" if run["other_setup"] else SAME


def _text(run: Mapping[str, Any], found: Comparison) -> list[str]:
    """Return the lines on one compared run."""
    from veggies_sim.analysis.compare import row_name
    from veggies_sim.analysis.estimates import few_deals

    sample = f"{run['games']:,} games, {run['deals']:,} deals"
    if run["paired"]:
        how = f"paired: {_deals(run)} ({sample})"
    else:
        how = f"NOT paired: other seeds, so other deals ({sample}); runs of one seed can show smaller differences"
    few = [f"note: {words}" for words in [few_deals(run["deals"])] if words]
    lines = ["", f"{run['run']}", how, *few, f"differs (here: the base): {'; '.join(run['differs']) or 'nothing'}"]
    if run["identical"]:
        return [*lines, f"identical: every game of the {run['games']:,} ends the same in every column"]
    if run["changed"] is not None:
        lines.append(
            f"changed: {run['changed']:.1%} of games end otherwise ({span(run['changed_low'], run['changed_high'], '.1%')})"
        )
    rows = found.rows.filter(run=run["run"]).to_dicts()
    lines += _fairness(found, run["run"], rows)
    verdicts = [[f"{row_name(row)}: ", row["verdict"]] for row in rows]
    width = max(len(verdict) for _, verdict in verdicts)
    words = table(["in words", " " * width], [[name, f"{verdict:<{width}}"] for name, verdict in verdicts])
    return [*lines, "", _numbers(rows, run["paired"]), *_keys(rows, run["paired"]), "", words]


def _fairness(found: Comparison, run: str, rows: list[dict[str, Any]]) -> list[str]:
    """Return the lines on how unequal seats are: in both runs, and whether that changed."""
    from veggies_sim.analysis.compare import PERHAPS, SURE, most_unequal

    lines = []
    for of in ("base", "run"):
        sides = found.sides.filter(run=run, of=of)
        row, shown = most_unequal(sides), [_unequal(each) for each in sides.to_dicts()]
        who = f" ({row['policy']})" if sides["policy"].n_unique() > 1 else ""
        at = f"seat{'s' * ('+' in row['seats'])} {row['seats']}{who}"
        verdict = "sure not to be equal" if any(shown) else "no seat is shown to be unequal"
        lines.append(f"{of}: farthest from par {at}, {row['win_share']:.1%} ({span(row['low'], row['high'], '.1%')}): {verdict}")
    seats = [row for row in rows if row["metric"] == "win_share" and row["seat"] is not None]
    changed = {word: [str(row["seat"]) for row in seats if row["found"] == word] for word in (SURE, PERHAPS)}
    words = [f"{word} at seat {', '.join(which)}" for word, which in changed.items() if which]
    lines.append(f"change between the runs: {'; '.join(words) or 'none shown'} (rows of win shares, below)")
    par = f"fairness: win shares by seat, par {found.sides['par'][0]:.1%}; in brackets 95%, all seats of a run together"
    return [par, *(f"  {line}" for line in lines)]


def _unequal(row: Mapping[str, Any]) -> bool:
    """Say whether the interval of a side leaves par out."""
    return row["low"] is not None and not row["low"] <= row["par"] <= row["high"]


def _numbers(rows: list[dict[str, Any]], paired: bool) -> str:
    """Return the table of one compared run."""
    from veggies_sim.analysis.amounts import rough, valued
    from veggies_sim.analysis.compare import row_name

    wished = any(row["wished"] for row in rows)
    head = ["metric", "base", "run", "difference", "95% interval", "p, corrected", "effect"]
    head += ["gain"] * paired + ["can show"] + ["wished", "games needed"] * wished
    lines = []
    for row in rows:
        unit, error = row["unit"], row["error"]
        ends = [valued(row[end], error or row["high"], unit, "+") for end in ("low", "high")]
        effect = "-" if row["effect"] is None else f"{row['effect_kind']} {row['effect']:+.3f}"
        line = [row_name(row), valued(row["base"], error, unit), valued(row["value"], error, unit)]
        line += [valued(row["difference"], error, unit, "+"), "open" if row["low"] is None else " .. ".join(ends)]
        line += [_chance(row["p_corrected"]), effect]
        line += ["-" if row["pairing_gain"] is None else f"x {row['pairing_gain']:.1f}"] * paired
        line.append(_size(row["smallest"], row))
        needed = row["games_needed"]
        line += [_size(row["wished"], row), "" if needed is None else rough(needed)] * wished
        lines.append(line)
    return table(head, lines)


def _chance(p: float | None) -> str:
    return "-" if p is None else "< 1e-6" if p < 1e-6 else f"{p:.2g}"


def _size(value: float | None, row: Mapping[str, Any]) -> str:
    from veggies_sim.analysis.amounts import valued

    return "" if value is None else valued(value, row["error"], row["unit"], "+").removeprefix("+")


def _keys(rows: list[dict[str, Any]], paired: bool) -> list[str]:
    """Return what the columns mean, a line each."""
    keys = [
        "pp: percentage points; 95% interval: of each row alone, so of 20 about one is off; open: nothing tells how wide; "
        "p, corrected: for all rows of all runs together (Holm)",
        "effect: d, in standard deviations of one value; h, of shares (Cohen); -: no such number for this row",
        "can show: the difference that so many games show with a chance of 80% (5% two-sided, each row alone)",
    ]
    gain = "gain: independent deals would need so many times as many games for the same interval"
    needed = "games needed: of each run, about, to show the wished difference with a chance of 80%"
    return [*keys[:2], *[gain] * paired, keys[2], *[needed] * any(row["wished"] for row in rows)]
