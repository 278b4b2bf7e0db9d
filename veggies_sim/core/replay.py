"""One game again: from its recorded rows, or played anew from seed and index where moves were not recorded."""

from __future__ import annotations

import html
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from veggies_sim.core.dataset import Run, refuse_other_version
from veggies_sim.core.engine import Design
from veggies_sim.core.errors import InputError, RunFailed
from veggies_sim.core.game import Step
from veggies_sim.core.policy import policies_for
from veggies_sim.core.schema import to_polars


@dataclass(frozen=True)
class Record:
    """The rows of one game: `seats` in seat order, its row of `deals`, `moves` in playing order."""

    seats: list[dict[str, Any]]
    deal: dict[str, Any]
    moves: list[dict[str, Any]]


def find_record(run: Run, number: int) -> Record:
    """Return the rows of one game of a run. Raises InputError for a game that the run does not hold."""
    import polars as pl

    seats = run.scan("seats").filter(pl.col("game") == number).collect().sort("seat").to_dicts()
    if not seats:
        last = run.manifest.first_game + run.manifest.games_requested - 1
        raise InputError(f"game {number} is not in this dataset. Valid: {run.manifest.first_game}..{last}, as far as finished.")
    if run.manifest.record == "moves":
        deal = run.scan("deals").filter(pl.col("game") == number).collect().to_dicts()[0]
        moves = run.scan("moves").filter(pl.col("game") == number).collect().to_dicts()
        return Record(seats, deal, moves)
    again = _play_again(run, number)
    if again.seats != seats:
        raise RunFailed(f"game {number} played again gives other rows than the dataset holds: the dataset was changed.")
    return again


def _play_again(run: Run, number: int) -> Record:
    from veggies_sim.core.runner import Plan

    m = run.manifest
    refuse_other_version(m, run.game, "replay a game without recorded moves")
    design = Design(m.seed, m.policy_seed, m.plays_per_deal, m.rotate_seats)
    plan = Plan(run.game, policies_for(m.policies, run.game), design, "moves")
    _, _, tables, _ = plan.play(number, 1)
    rows = {name: to_polars(table).to_dicts() for name, table in tables.items()}
    return Record(rows["seats"], rows["deals"][0], rows["moves"])


def plain_steps(record: Record) -> list[Step]:
    """Return the steps of a game that draws none of its own: its rows as text."""
    steps = []
    for move in record.moves:
        own = {key: value for key, value in move.items() if key not in ("game", "turn", "seat")}
        text = ", ".join(f"{key} {value}" for key, value in own.items())
        steps.append(Step(f"turn {move['turn']}, seat {move['seat']}", text, text_svg(text)))
    text = "\n".join(f"seat {row['seat']} ({row['policy']}): {row['score']} points, win {row['win']:g}" for row in record.seats)
    return [*steps, Step("the end", text, text_svg(text))]


def text_svg(text: str) -> str:
    """Return lines of text as an SVG picture."""
    lines = text.split("\n")
    width = 20 + 9 * max(map(len, lines))
    rows = "".join(f'<text x="10" y="{24 + 20 * i}">{html.escape(line)}</text>' for i, line in enumerate(lines))
    style = 'font-family="monospace" font-size="14"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{20 * len(lines) + 16}" {style}>{rows}</svg>'


def as_text(steps: Sequence[Step]) -> str:
    """Return a replay as plain text."""
    return "\n\n".join(f"== {step.title}\n{step.text}" for step in steps) + "\n"


def as_html(steps: Sequence[Step], title: str) -> str:
    """Return a replay as one page to step through, with buttons and arrow keys; it needs nothing but itself."""
    frames = "".join(
        f'<section id="s{i}"{"" if i == 0 else " hidden"}><h2>{html.escape(step.title)}</h2>{step.svg}'
        f"<details><summary>as text</summary><pre>{html.escape(step.text)}</pre></details></section>"
        for i, step in enumerate(steps)
    )
    return _PAGE.replace("@TITLE@", html.escape(title)).replace("@COUNT@", json.dumps(len(steps))).replace("@FRAMES@", frames)


_PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>@TITLE@</title><style>
body { font-family: system-ui, sans-serif; margin: 1rem; color: #222; background: #fff; }
h1 { font-size: 1.2rem; } h2 { font-size: 1rem; } svg { max-width: 100%; height: auto; } pre { overflow-x: auto; }
nav { position: sticky; top: 0; background: #fff; padding: .5rem 0; } button { font-size: 1rem; padding: .3rem .8rem; }
@media print { nav { display: none; } section[hidden] { display: block; } }
</style></head><body><h1>@TITLE@</h1>
<nav><button id="back">&larr; back</button> <span id="at" role="status"></span> <button id="next">next &rarr;</button></nav>
@FRAMES@
<script>
let at = 0; const count = @COUNT@;
function show(i) {
  document.getElementById("s" + at).hidden = true; at = Math.max(0, Math.min(count - 1, i));
  document.getElementById("s" + at).hidden = false;
  document.getElementById("at").textContent = (at + 1) + " / " + count;
}
document.getElementById("back").onclick = () => show(at - 1);
document.getElementById("next").onclick = () => show(at + 1);
document.onkeydown = e => { if (e.key === "ArrowLeft") show(at - 1); if (e.key === "ArrowRight") show(at + 1); };
show(0);
</script></body></html>
"""
