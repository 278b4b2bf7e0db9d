"""One game again: from its recorded rows, or played anew from seed and index where moves were not recorded."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from veggies_sim.core.checks import whole
from veggies_sim.core.dataset import Run, refuse_other_version
from veggies_sim.core.engine import Design
from veggies_sim.core.errors import IllegalMove, InputError, show
from veggies_sim.core.game import Step
from veggies_sim.core.manifest import spans
from veggies_sim.core.policy import Given, is_own, policies_again
from veggies_sim.core.schema import to_polars


@dataclass(frozen=True)
class Record:
    """The rows of one game: `seats` in seat order, its row of `deals`, `moves` in playing order."""

    seats: list[dict[str, Any]]
    deal: dict[str, Any]
    moves: list[dict[str, Any]]


def find_record(run: Run, number: int, policies: Given | Sequence[Given] | None = None) -> Record:
    """Return the rows of one game of a run. Raises InputError for a game that the run does not hold or that is damaged.

    policies: those of the run once more, needed where own code played and moves were not recorded.
    """
    number, held = whole(number, "game"), run.manifest.finished()
    held = held or [(run.manifest.first_game, run.manifest.games)]  # in memory there are no parts
    if not any(first <= number < first + count for first, count in held):
        raise InputError(f"game {show(number)} is not in this dataset. Finished games: {spans(held)}.")
    seats = sorted(run.game_rows("seats", number), key=lambda row: row["seat"])
    if run.manifest.record == "moves":
        record = Record(seats, (run.game_rows("deals", number) or [{}])[0], run.game_rows("moves", number))
        order, made = list(run.game.schedule()), [(move["turn"], move["seat"]) for move in record.moves]
        fits = made == ([each for each in order if each in made] if run.game.skips else order)
        fits = fits and bool(record.deal) and [row["seat"] for row in seats] == list(range(run.game.players))
    else:
        record = _play_again(run, number, policies)
        fits = record.seats == seats
    if not fits:
        own = ", or the function of a policy has changed" if any(map(is_own, run.manifest.policies)) else ""
        raise InputError(f"game {number}: its rows are damaged, they are not what a game can give{own}. Simulate it again.")
    return record


def replay(run: Run, number: int, policies: Given | Sequence[Given] | None = None) -> list[Step]:
    """Return the pictures of one game. Raises InputError as `find_record`, and for moves that the game does not allow."""
    try:
        return run.game.steps(find_record(run, number, policies))
    except IllegalMove as error:
        raise InputError(f"game {number}: its rows are damaged, a move is not legal: {error}") from None


def _play_again(run: Run, number: int, policies: Given | Sequence[Given] | None) -> Record:
    from veggies_sim.core.runner import Plan

    m = run.manifest
    refuse_other_version(m, run.game, "replay a game without recorded moves")
    design = Design(m.seed, m.policy_seed, m.plays_per_deal, m.rotate_seats)
    plan = Plan(run.game, policies_again(m.policies, run.game, policies), design, "moves")
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


def listed(words: Sequence[object]) -> str:
    """Return the words as people list them.

    >>> listed([0, 1, 3])
    '0, 1 and 3'
    """
    return " and ".join([", ".join(map(str, words[:-1])), str(words[-1])] if len(words) > 1 else map(str, words))


def as_text(steps: Sequence[Step]) -> str:
    """Return a replay as plain text, the legend of its steps first."""
    legends = dict.fromkeys(step.legend for step in steps if step.legend)
    return "\n\n".join([*legends, *(f"== {step.title}\n{step.text}" for step in steps)]) + "\n"


def as_html(steps: Sequence[Step], title: str) -> str:
    """Return a replay as one page to step through, with buttons, a slider and keys; it needs nothing but itself."""
    frames = "".join(
        f'<section id="s{i}"{"" if i == 0 else " hidden"}><h2>{html.escape(step.title)}</h2>{step.svg}'
        f"<details><summary>as text</summary><pre>{html.escape(step.text)}\n\n{html.escape(step.legend)}</pre></details></section>"
        for i, step in enumerate(steps)
    )
    return _PAGE.replace("@TITLE@", html.escape(title)).replace("@LAST@", str(len(steps) - 1)).replace("@FRAMES@", frames)


_PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>@TITLE@</title><style>
body { font-family: system-ui, sans-serif; margin: 1rem; color: #222; background: #fff; }
h1 { font-size: 1.2rem; } h2 { font-size: 1rem; } svg { max-width: 100%; height: auto; } pre { overflow-x: auto; }
nav { position: sticky; top: 0; background: #fff; padding: .5rem 0; } button { font-size: 1rem; padding: .3rem .8rem; }
nav input { width: min(24rem, 60vw); vertical-align: middle; }
@media print { nav, details { display: none; } section[hidden] { display: block; } section { break-inside: avoid; } }
</style></head><body><h1>@TITLE@</h1>
<nav><button id="first">first</button> <button id="back">&larr; back</button> <button id="next">next &rarr;</button>
<button id="last">last</button> <input id="slider" type="range" min="0" value="0" aria-label="step">
<span id="at" role="status"></span></nav>
@FRAMES@
<script>
let at = 0; const last = @LAST@, get = id => document.getElementById(id), slider = get("slider");
function show(i) {
  get("s" + at).hidden = true; at = Math.max(0, Math.min(last, i)); get("s" + at).hidden = false;
  slider.value = at; get("at").textContent = "step " + at + " of " + last;
}
const goes = {first: () => 0, back: () => at - 1, next: () => at + 1, last: () => last};
const keys = {Home: "first", ArrowLeft: "back", ArrowRight: "next", End: "last"};
for (const id in goes) get(id).onclick = () => show(goes[id]());
document.onkeydown = e => { if (e.key in keys && e.target !== slider) show(goes[keys[e.key]]()); };
slider.max = last; slider.oninput = () => show(+slider.value); show(0);
</script></body></html>
"""
