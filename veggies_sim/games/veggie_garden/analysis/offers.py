"""What lay in the harvest at every pick, followed by the game's own rules from recorded moves.

Axes: G games of a part, T = 7 turns, P seats, 4 harvest slots, K = 6 kinds, N groups of deals.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from veggies_sim.analysis.intervals import Floats
from veggies_sim.analysis.sums import GROUP, N, check_run, group_expr
from veggies_sim.core.dataset import Run, refuse_other_version
from veggies_sim.core.errors import InputError
from veggies_sim.core.game import Keys
from veggies_sim.games.veggie_garden.actions import NAMES, SPANS
from veggies_sim.games.veggie_garden.board import COMPOST, KINDS
from veggies_sim.games.veggie_garden.game import VeggieGarden
from veggies_sim.games.veggie_garden.state import CELLS, LAST
from veggies_sim.games.veggie_garden.tables import ACTIONS, EXCHANGE, MOVE_GROUNDHOG, NULL, REPLANT

BLOCK = 16_384  # games
COUNTS = ("offered", "taken", "chance", "offered_last", "taken_last")


class Moves(NamedTuple):
    """The moves of one part."""

    group: NDArray[np.int64]  # [G] of the game's deal
    game: NDArray[np.uint64]  # [G] number
    deal: NDArray[np.uint64]  # [G]
    move: NDArray[np.int16]  # [G, T, P, 4] slot (-1 for none), action, a, b
    kind: NDArray[np.int8]  # [G, T, P] taken, -1 for none
    win: Floats  # [G, P]


def recorded(run: Run) -> Iterator[Moves]:
    """Yield the moves of each part. Raises InputError for a run without moves, and for rows that no game has."""
    players = check_run(run, VeggieGarden).game.players
    for moves, seats in zip(run.scan_parts("moves"), run.scan_parts("seats"), strict=True):
        ends = run.collected(seats.select("game", "deal", "win", group_expr(run)))
        game = ends["game"].to_numpy()[::players]
        rows = run.collected(moves.select(
            "game", "turn", "seat", "slot", _number("kind", KINDS), _number("action", ACTIONS),
            pl.col("a").fill_null(NULL), pl.col("b").fill_null(NULL),
        ))  # fmt: skip
        turn, seat = rows["turn"].to_numpy().astype(np.int64), rows["seat"].to_numpy().astype(np.int64)
        at = np.searchsorted(game, rows["game"].to_numpy())
        fits = not any(rows.null_count().row(0)) and (turn >= 1).all() and (turn <= LAST).all() and (seat < players).all()
        if not fits or (at == len(game)).any() or (game[at] != rows["game"].to_numpy()).any():
            raise _damaged(run)
        move = np.full((len(game), LAST, players, 4), -1, np.int16)
        kind = np.full((len(game), LAST, players), -1, np.int8)
        place = (at, turn - 1, seat)
        move[place] = np.stack([rows[name].to_numpy().astype(np.int16) for name in ("slot", "action", "a", "b")], axis=1)
        kind[place] = rows["kind"].to_numpy().astype(np.int8)
        yield Moves(
            ends[GROUP].to_numpy()[::players].astype(np.int64), game, ends["deal"].to_numpy()[::players], move, kind,
            ends["win"].to_numpy().astype(float).reshape(-1, players),
        )  # fmt: skip


def _number(column: str, words: tuple[str, ...]) -> pl.Expr:
    """Return a column of words as numbers of the list, null for others."""
    return pl.col(column).cast(pl.Enum(words), strict=False).to_physical().alias(column)


def _damaged(run: Run) -> InputError:
    return InputError(f"{run.folder or 'the run'}: moves are not what games can give. Simulate it again.")


@functools.cache
def _allowed() -> NDArray[np.bool_]:
    """Return which actions with which numbers each kind of card may have: [K, actions, a + 128, b + 128]."""
    found = np.zeros((len(KINDS), len(ACTIONS), 256, 256), bool)
    for number, kind in enumerate(KINDS):
        for name in (*NAMES[kind], "none"):
            a, b = ([NULL if n is None else n for n in span] for span in SPANS[name])
            found[number, ACTIONS.index(name)][np.ix_(np.array(a) + 128, np.array(b) + 128)] = True
    for cell in range(CELLS):  # the groundhog lies on compost, and both cells that are swapped are in the garden
        other = 2 * cell - np.arange(CELLS)
        out = (other < 0) | (other >= CELLS) | (cell not in COMPOST)
        found[:, MOVE_GROUNDHOG, cell + 128, 128 : 128 + CELLS][:, out] = False
    return found


def _may_be(move: NDArray[np.int16], kind: NDArray[np.int8]) -> NDArray[np.bool_]:
    """Say of moves [G, 4] whether the kind of card [G] has such an action; nothing was picked where the slot is -1."""
    slot, action, a, b = move.T.astype(np.int64)
    inside = (action >= 0) & (abs(a) <= 128) & (abs(b) <= 128) & (a < 128) & (b < 128)
    found = _allowed()[np.maximum(kind, 0), np.clip(action, 0, len(ACTIONS) - 1), np.clip(a, -128, 127) + 128,
                             np.clip(b, -128, 127) + 128]  # fmt: skip
    return (slot < 0) | (inside & found)


def _blocks(run: Run) -> Iterator[Moves]:
    """Yield the moves of few games at a time, whose whole state a processor's own memory holds."""
    for moves in recorded(run):
        for first in range(0, len(moves.game), BLOCK):
            yield Moves._make(each[first : first + BLOCK] for each in moves)


def harvests(run: Run, moves: Moves) -> Iterator[tuple[int, NDArray[np.int8], NDArray[np.int8]]]:
    """Yield for each pick its turn, the harvest [G, 4] before it (-1 for an empty slot) and the kinds taken [G].

    The deals are dealt again and the moves played by the game's kernels. Raises InputError where what was taken was not there.
    """
    refuse_other_version(run.manifest, run.game, "follow the harvest")
    block = run.game.new_block(Keys(moves.game, moves.deal, run.manifest.seed, run.manifest.policy_seed))
    every = np.arange(len(moves.game))
    for turn in range(1, LAST + 1):
        for seat in range(run.game.players):
            move, kind = np.ascontiguousarray(moves.move[:, turn - 1, seat]), moves.kind[:, turn - 1, seat]
            harvest = block.slot.copy()
            slot, action, b = move[:, 0], move[:, 1], move[:, 3]
            there = (slot <= 3).all() and (np.where(slot < 0, -1, harvest[every, np.clip(slot, 0, 3)]) == kind).all()
            if not there or not _may_be(move, kind).all():  # kernels look for nothing outside of their arrays
                raise _damaged(run)
            given = (action == EXCHANGE) & (block.hand[every, seat, np.clip(b, 0, 5)] <= 0)
            planted = (action == REPLANT) & ((b == slot) | (harvest[every, np.clip(b, 0, 3)] < 0))
            if given.any() or planted.any():
                raise _damaged(run)
            yield turn, harvest, kind
            run.game.apply(block, turn, seat, move, False)


def offer_sums(run: Run) -> dict[str, Floats]:
    """Return sums over picks, one [N, K] for each of COUNTS, groups with no game left out.

    offered: picks with an action at which the kind lay in the harvest; taken, those that took it; chance, its share of the
    cards there; offered_last and taken_last, the same of the last picks. Raises InputError as `recorded` and `harvests`.
    """
    sums = {name: np.zeros((N, len(KINDS))) for name in COUNTS}
    there = np.zeros(N, bool)
    for moves in _blocks(run):
        there[moves.group] = True
        shape = (len(KINDS), len(moves.game))
        counts = {name: np.zeros(shape, np.float32 if name == "chance" else np.uint8) for name in COUNTS}
        for turn, harvest, kind in harvests(run, moves):
            last = "_last" if turn == LAST else ""
            slots = np.where(kind < 0, np.int8(-1), harvest.T)  # [4, G]
            size = np.maximum((slots >= 0).sum(axis=0, dtype=np.uint8), 1).astype(np.float32)
            for number in range(len(KINDS)):
                cards = (slots == number).sum(axis=0, dtype=np.uint8)
                counts[f"offered{last}"][number] += cards > 0
                counts[f"taken{last}"][number] += kind == number
                if not last:
                    counts["chance"][number] += cards / size
        for name, each in counts.items():
            for number in range(len(KINDS)):
                sums[name][:, number] += np.bincount(moves.group, each[number], N)
    return {name: each[there] for name, each in sums.items()}
