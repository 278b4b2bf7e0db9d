"""The shape of play, from recorded moves: lead changes, comebacks, when games are decided, and how many choices there are.

Any game has it whose `moves` hold `score_now` (a seat's score if the game ended after its move) or `choices` (how many
moves there were). A *standing* is taken after each full turn: of every seat the last `score_now`, added up by side. It is
what the table shows, not what will be: others' later moves can change a seat's score, and it is counted again only when
the seat moves. After the last turn the final result stands, tie-breaks included. G games of a part, K turns, S sides.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from veggies_sim.analysis.estimates import check_size, estimates
from veggies_sim.analysis.intervals import LEVEL, Floats, Interval, jackknife_error, share_interval, t_interval
from veggies_sim.analysis.metrics import POINTS, SHARE, Metric, ratio
from veggies_sim.analysis.scores import QUANTILES
from veggies_sim.analysis.sums import N
from veggies_sim.core.dataset import Run

Ints = NDArray[np.int64]

CAVEAT = (
    "Standings during a game are each seat's score right after its own last move; what others do later can change it. "
    "After the last turn the final result counts."
)
STATES = ("ahead", "level", "behind", "shared")  # the winner at half time; shared: several sides won


class Shape(NamedTuple):
    """The shape of play. A frame is None where the dataset doesn't have what it needs; `notes` say so."""

    facts: pl.DataFrame | None  # metric, title, unit, value, low, high
    changes: pl.DataFrame | None  # changes (of the lead in a game), share of games, low, high
    half_time: (
        pl.DataFrame | None
    )  # winner: a word of STATES; share of games, low, high; points of its lead or arrears with _low, _high
    decided: pl.DataFrame | None  # turn from which the winner stayed ahead; share of games; decided by then, low, high
    choices: pl.DataFrame | None  # turn; choices a move, a mean, with low, high; p5, p25, p50, p75, p95
    notes: tuple[str, ...]


def shape(run: Run, level: float = LEVEL) -> Shape:
    """Return the shape of play of a run with recorded moves; see `Shape` for its frames and the head of this file for terms.

    Half time is the middle of the turns that have a standing, the earlier one of two. A change of the lead is a turn after
    which another side leads alone than the one that did before; standings that are level change nothing. A game is decided
    in the turn from which its only winner leads alone to the end; games that sides win together never are. Intervals are
    over deals. Raises InputError for too few deals and damaged files.
    """
    check_size(run)
    columns = {column.name for column in run.columns.get("moves", [])}
    if not columns:
        why = "Moves were not recorded, so nothing is said of the shape of play. Simulate with --record moves."
        return Shape(None, None, None, None, None, (why,))
    notes, leads = [], None
    if "score_now" in columns:
        leads = lead_counts(run)
        notes.append(CAVEAT if leads else "Fewer than two turns have a standing, so nothing is said of leads.")
    else:
        notes.append(f"{run.game.title} does not record scores during a game (score_now), so nothing is said of leads.")
    choices = _choices(run, level) if "choices" in columns else None
    if choices is None:
        notes.append(f"{run.game.title} does not record how many moves there were (choices), so nothing is said of them.")
    notes.append("What a policy makes of each move it could choose is not recorded, so nothing is said of how close choices were.")
    if leads is None:
        return Shape(None, None, None, None, choices, tuple(notes))
    facts, changes, half, decided = _frames(leads, run.deal_count, level)
    return Shape(facts, changes, half, decided, choices, tuple(notes))


class Leads(NamedTuple):
    """Counts of games in each group of deals [N, ...]."""

    turns: list[int]  # [K] that have a standing
    changes: Floats  # [N, K] games with 0, 1, ... changes of the lead
    first: Floats  # [N, K + 1] games whose winner stayed ahead from each of `turns`; last those never decided
    half: Floats  # [N, 4] games by STATES
    points: Floats  # [N, 4] sum of the winner's lead at half time, without its sign


def lead_counts(run: Run) -> Leads | None:
    """Return the counts of a run with recorded moves; None with fewer than two turns that have a standing."""
    team, total, turns = np.array(run.game.team()), None, None
    for game, won, turn, standing in _standings(run, team):
        if turns is None:  # the same in all parts
            turns = [t for t, points in zip(turn, standing, strict=True) if not np.isnan(points).any(axis=1).all()]
        if len(turns) < 2:
            return None
        group = (game // run.games_per_deal % N).astype(np.int64)
        points = np.stack([points for t, points in zip(turn, standing, strict=True) if t in turns], axis=1)  # [G, K, S]
        winner = np.where((won == 1).any(axis=1), won.argmax(axis=1), -1)
        changes, first = races(leaders(points, winner), winner)
        state, gap = half_time(points[:, len(turns) // 2 - 1], winner)
        here = [_count(group, changes, len(turns)), _count(group, first, len(turns) + 1), _count(group, state, 4),
                _count(group, state, 4, np.abs(gap))]  # fmt: skip
        total = here if total is None else [a + b for a, b in zip(total, here, strict=True)]
    return None if total is None or turns is None else Leads(turns, *total)


def _standings(run: Run, team: Ints) -> Iterator[tuple[NDArray[np.uint64], Floats, list[int], list[Floats]]]:
    """Yield of each part the games [G], who won [G, S], the turns, and the standing after each [G, S]."""
    players, sides = len(team), int(team.max()) + 1
    seat_of = [int(np.flatnonzero(team == side)[0]) for side in range(sides)]
    for moves, seats in zip(run.scan_parts("moves"), run.scan_parts("seats"), strict=True):
        won = run.collected(seats.select(pl.col("win").cast(pl.Float64)))["win"].to_numpy().reshape(-1, players)[:, seat_of]
        rows = run.collected(moves.select("game", "turn", "seat", pl.col("score_now").cast(pl.Float32)))
        length = len(rows) // len(won)  # choices of a game: the same in all, see `Game.schedule`
        turn, seat = rows["turn"].head(length).to_list(), rows["seat"].head(length).to_list()
        scores = rows["score_now"].fill_null(float("nan")).to_numpy().reshape(-1, length)
        now, turns, standing = np.full((len(won), players), np.nan, np.float32), [], []
        for i in range(length):
            now[:, seat[i]] = np.where(np.isnan(scores[:, i]), now[:, seat[i]], scores[:, i])
            if i + 1 == length or turn[i + 1] != turn[i]:
                turns.append(int(turn[i]))
                standing.append(np.stack([now[:, team == side].sum(axis=1) for side in range(sides)], axis=1))
        yield rows["game"].gather_every(length).to_numpy(), won, turns, standing


def leaders(points: Floats, winner: Ints) -> Ints:
    """Return the side that leads alone after each turn [G, K], -1 for none, from standings [G, K, S] and the winner [G]."""
    sides = np.ascontiguousarray(np.moveaxis(points, 2, 0))  # [S, G, K]: numpy is slow along an axis of two or three
    best = sides == sides.max(axis=0)
    found = np.where(best.sum(axis=0) == 1, best.argmax(axis=0), -1)
    found[:, -1] = winner
    return found


def races(lead: Ints, winner: Ints) -> tuple[Ints, Ints]:
    """Return how often the lead changed [G], and the turn from which the winner led to the end [G], K for none.

    lead [G, K]: the side that leads alone, -1 for none; winner [G]: -1 where sides won together.
    """
    turns = lead.shape[1]
    changes, holder = np.zeros(len(lead), np.int64), lead[:, 0]
    for now in lead.T[1:]:
        changes += (now >= 0) & (holder >= 0) & (now != holder)
        holder = np.where(now >= 0, now, holder)
    first, ahead = np.full(len(lead), turns, np.int64), winner >= 0
    for turn in reversed(range(turns)):
        ahead = ahead & (lead[:, turn] == winner)
        first[ahead] = turn
    return changes, first


def half_time(points: Floats, winner: Ints) -> tuple[Ints, Floats]:
    """Return where the winner stood [G], an index of STATES, and its lead in points [G], from a standing [G, S]."""
    rows, who = np.arange(len(points)), np.maximum(winner, 0)
    others = points.astype(np.float64)
    own = others[rows, who].copy()
    others[rows, who] = -np.inf
    gap = np.where(winner < 0, 0, np.nan_to_num(own - others.max(axis=1)))
    return np.select([winner < 0, gap > 0, gap < 0], [3, 0, 2], 1), gap


def _count(group: Ints, code: Ints, codes: int, weight: Floats | None = None) -> Floats:
    found: Floats = np.bincount(group * codes + code, weight, N * codes).reshape(N, codes).astype(np.float64)
    return found


def _frames(leads: Leads, deals: int, level: float) -> list[pl.DataFrame]:
    """Return the frames facts, changes, half_time and decided of `Shape`."""
    played = leads.half.any(axis=1)  # with few deals not all groups have one
    changes, first, half, points = (each[played] for each in leads[1:])
    games, number = half.sum(axis=1, keepdims=True), np.arange(changes.shape[1])
    mean = _mean((changes * number).sum(axis=1, keepdims=True), games, deals, level)
    rows = (
        ("lead_changes", "changes of the lead in a game", "changes", mean),
        ("comebacks", "winner was behind at half time", SHARE, _share(half[:, 2:3], games, deals, level)),
        ("arrears", "points behind at half time, where the winner was", POINTS,
         _mean(points[:, 2:3], half[:, 2:3], deals, level)),
        ("decided_last", "decided in the last turn only", SHARE, _share(first[:, -2:-1], games, deals, level)),
    )  # fmt: skip
    facts = [
        {"metric": key, "title": title, "unit": unit} | {end: float(each[0]) for end, each in found._asdict().items()}
        for key, title, unit, found in rows
    ]
    seen = changes.any(axis=0)
    gap = Interval(*(np.where([True, False, True, False], each, np.nan) for each in _mean(points, half, deals, level)))
    frames = [
        facts,
        {"changes": number[seen], **_columns(_share(changes[:, seen], games, deals, level), "share")},
        {"winner": STATES, **_columns(_share(half, games, deals, level), "share"), **_columns(gap, "points", "points_")},
        {"turn": leads.turns, "share": (first.sum(axis=0) / games.sum())[:-1],
         **_columns(_share(first.cumsum(axis=1)[:, :-1], games, deals, level), "decided")},
    ]  # fmt: skip
    return [pl.DataFrame(frame).fill_nan(None) for frame in frames]


def _share(part: Floats, whole: Floats, deals: int, level: float) -> Interval:
    """Return shares [K] of games from counts [groups, K] and all games [groups, 1]."""
    value, error = _ratio(part, whole)
    return share_interval(value, error, deals, level)


def _mean(total: Floats, count: Floats, deals: int, level: float) -> Interval:
    value, error = _ratio(total, count)
    return t_interval(value, error, deals, level)


def _ratio(total: Floats, count: Floats) -> tuple[Floats, Floats]:
    without = ratio(total.sum(axis=0) - total, count.sum(axis=0) - count)
    return ratio(total.sum(axis=0), count.sum(axis=0)), jackknife_error(without)


def _columns(found: Interval, name: str, stem: str = "") -> dict[str, Floats]:
    return {name: found.value, f"{stem}low": found.low, f"{stem}high": found.high}


def _choices(run: Run, level: float) -> pl.DataFrame:
    def known(rows: pl.LazyFrame) -> pl.LazyFrame:
        return rows.filter(pl.col("choices").is_not_null())

    metric = Metric("choices", "choices a move", "choices", "moves there were", (pl.col("choices"), pl.lit(1.0)))
    means = estimates(run, [metric], ["turn"], level, table="moves", change=known)
    counts = [run.collected(known(part).group_by("turn", "choices").len()) for part in run.scan_parts("moves")]
    whole = pl.concat(counts).group_by("turn", "choices").agg(pl.col("len").sum()).sort("turn", "choices")
    reached = (pl.col("len").cum_sum() / pl.col("len").sum()).over("turn")
    frame = means.select("turn", choices="value", low="low", high="high")
    for probability in QUANTILES:
        least = (
            whole.filter(reached > probability - 1e-12)
            .group_by("turn")
            .agg(pl.col("choices").min().alias(f"p{100 * probability:.0f}"))
        )
        frame = frame.join(least, on="turn", how="left", maintain_order="left")
    return frame
