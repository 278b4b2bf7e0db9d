"""`ladder`: policies against each other, and what doubling an option of a policy is worth."""

from __future__ import annotations

import argparse
import json
import sys
from functools import partial
from typing import TYPE_CHECKING, Any

from veggies_sim.cli import options
from veggies_sim.cli.tables import span, table
from veggies_sim.cli.words import game_facts, number, path, picture_title, report_head
from veggies_sim.core.errors import InputError

if TYPE_CHECKING:
    import polars as pl

    from veggies_sim.analysis.ladder import Ladder, SkillTrace
    from veggies_sim.core.game import Game

_ABOUT = (
    "Play policies against each other: every line-up (who sits where) on the same deals. With as many policies as seats or "
    "more, a line-up has different ones at all seats; with fewer, each sits at least once, so even a sure winner loses at "
    "some seats. Prints win shares, ratings, differences and how much is luck; a deal with all its games counts once in every "
    "interval. With --double KEY one policy plays against itself with twice as much of a whole-number option, then that one "
    "against twice as much again."
)


def add_commands(commands: Any) -> None:
    """Add the command of this file to the parser."""
    p = commands.add_parser(
        "ladder", help="policies against each other: win shares, ratings, luck", description=_ABOUT, allow_abbrev=False
    )
    options.add_game(p)
    options.add_policy(p, "repeat the option for each, at least two different ones; with --double just one")
    options.add_play(p)
    add = p.add_argument
    add("--games", type=number, default=10_000,
        help="number of games of the whole ladder, divided evenly over line-ups and steps; default 10,000")  # fmt: skip
    add("--double", metavar="KEY", help="double this option of the policy again and again; default: no")
    add("--steps", type=number, metavar="N", help="how often --double doubles; default 4")
    add("--plot", type=path, metavar="FILE", help="also draw the win shares: .png, .svg or .pdf; default: no picture")
    add("--json", action="store_true", help="the same as JSON")
    p.set_defaults(run=_ladder)


def _ladder(arguments: argparse.Namespace) -> None:
    from veggies_sim.analysis.ladder import ladder, skill_trace
    from veggies_sim.plots import ladder as draw
    from veggies_sim.plots.axes import check_picture, save

    game = options.game(arguments)
    policies = options.policies(arguments)
    if arguments.double and len(policies) != 1:
        raise InputError(f"--double needs one --policy that has the option {arguments.double}, found {len(policies)} policies.")
    if arguments.steps is not None and not arguments.double:
        raise InputError("--steps goes with --double KEY, the option to double. Give both or none.")
    if arguments.plot:
        check_picture(arguments.plot)
    how = {key: getattr(arguments, key) for key in ("games", "seed", "policy_seed", "jobs", "backend")} | {"progress": True}
    found: Ladder | SkillTrace
    if arguments.double:
        found = skill_trace(game, policies[0], arguments.double, steps=options.first(arguments.steps, 4), **how)
        picture = partial(draw.skill_trace, found.steps, found.par, arguments.double)
        text = trace_text(found, arguments.double, game.players)
        played = _played(found, len(found.steps))
    else:
        found = ladder(game, policies, **how)
        picture, text = partial(draw.standings, found.standings, found.par), ladder_text(found, game.players)
        played = _played(found)
    if arguments.plot:
        save(picture(title=picture_title(game, played)), arguments.plot)
        print(f"picture: {arguments.plot}", file=sys.stderr)
    if arguments.json:
        print(json.dumps(_facts(game, found), indent=1, ensure_ascii=False))
    else:
        print("\n".join([*report_head(game), played, "", text]))
    if found.interrupted:
        raise KeyboardInterrupt("what is printed is what was finished")


def _facts(game: Game, found: Ladder | SkillTrace) -> dict[str, Any]:
    facts = game_facts(game) | {"head": report_head(game)} | found.budget._asdict()
    values = {key: value for key, value in vars(found).items() if key != "budget"}
    return facts | {key: value.to_dicts() if hasattr(value, "to_dicts") else value for key, value in values.items()}


def ladder_text(found: Ladder, players: int) -> str:
    """Return the tables of a ladder for people."""
    notes: dict[str, list[str]] = {}
    for row in found.standings.iter_rows(named=True):
        notes.setdefault(row["note"], []).append(row["policy"])
    why = [f"{', '.join(policies)}: {note}" for note, policies in notes.items() if note]
    keys = [*_keys(found, players, len(found.standings)), _RATING, ""]
    return "\n".join([_standings(found), *why, *keys, differences(found.differences), "", _luck(found), _LUCK])


def trace_text(found: SkillTrace, option: str, players: int) -> str:
    """Return the table of a skill trace for people: who doubled against whom, and what that one wins."""
    rows = [
        [f"{row['option']:,} to {row['doubled']:,}", *shares(row), f"{row['games']:,}"]
        for row in found.steps.iter_rows(named=True)
    ]
    steps = table([f"{option} from .. to", *SHARES, "games"], rows)
    return "\n".join([steps, "all columns: of the doubled player", *_keys(found, players, 2)])


def _keys(found: Ladder | SkillTrace, players: int, policies: int) -> list[str]:
    """Return what the columns `SHARES` mean, a line each."""
    limit = f"; with {policies} policies at {players} seats the most is {found.most:.1%}" if found.most < 1 else ""
    return [
        f"win share: of a policy's seats; par, that of equal players, is {found.par:.1%}{limit}",
        MARGIN,
    ]


def _played(found: Ladder | SkillTrace, steps: int = 0) -> str:
    line_ups, deals, left_over = found.budget
    each = f"{steps} steps of " if steps else ""
    spare = f" ({left_over:,} of the budget left over)" if left_over else ""
    total = line_ups * deals * max(steps, 1)
    return f"{each}{line_ups:,} line-ups on the same {deals:,} deals: {total:,} games{spare}, seed {found.seed}"


_RATING = (
    "rating: Elo points, 0 is the mean of those with an interval; 100 more win 64% of the games that one of two sides wins;\n"
    "none: no finite rating; open: no interval"
)
_LUCK = (
    "of variance: a seat's margin varies from game to game; by what the deal gives the seat whoever sits there, by which\n"
    "policies sit there and at the other seats (nothing where all are equal), and by what neither explains"
)
MARGIN = "margin: points of the own side minus those of the best other side"
SHARES = ("win share", "95% interval", "par = 1", "95% interval", "margin")


def shares(row: dict[str, Any]) -> list[str]:
    """Return the words below `SHARES` for a row of standings."""
    return [
        f"{row['win_share']:.1%}", span(row["win_low"], row["win_high"], ".1%"), f"{row['of_par']:.2f}",
        span(row["of_par_low"], row["of_par_high"], ".2f"), f"{row['margin']:+.1f}",
    ]  # fmt: skip


def _standings(found: Ladder) -> str:
    rows = []
    for row in found.standings.iter_rows(named=True):
        rating = "none" if row["rating"] is None else f"{row['rating']:+.0f}"
        rated = [rating, span(row["rating_low"], row["rating_high"], "+.0f")]
        rows.append([row["policy"], *shares(row), f"{row['score']:.1f}", *rated, f"{row['games']:,}"])
    return table(["policy", *SHARES, "score", "rating", "95% interval", "games"], rows)


def differences(found: pl.DataFrame) -> str:
    """Return the table of a frame of differences."""
    rows = [
        [f"{row['policy']} over {row['other']}", f"{100 * row['win_share']:+.1f}",
         span(100 * row["win_low"], 100 * row["win_high"], "+.1f"), f"{row['margin']:+.1f}",
         span(row["margin_low"], row["margin_high"], "+.1f")]
        for row in found.iter_rows(named=True)
    ]  # fmt: skip
    head = ["difference, deal by deal", "win share, % points", "95%, all pairs at once", "margin", "95%, all pairs at once"]
    return f"{table(head, rows)}\n95%, all pairs at once: in 95 of 100 ladders all intervals of the column are right together"


_SOURCES = {"deal": "luck of the deal", "line-up": "which policies sit where", "rest": "other luck, and what suits whom"}


def _luck(found: Ladder) -> str:
    rows = [
        [_SOURCES[row["source"]], "none" if row["share"] is None else f"{row['share']:.1%}", span(row["low"], row["high"], ".1%")]
        for row in found.luck.iter_rows(named=True)
    ]
    return table(["where a seat's margin comes from", "of variance", "95% interval"], rows)
