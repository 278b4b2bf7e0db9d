"""What was offered, laid and seen of each card, counted from recorded moves.

What may live here: hands and ramps followed by the deal order of the rules (Setup), what later cards leave of a card, and
sums of both over groups of deals. Axes: G games of a part, C cards of the deck, F faces (card ids), R ramp places, P seats,
T turns (a full stand's cards), N groups of deals.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from veggies_sim.analysis.intervals import Floats
from veggies_sim.analysis.sums import GROUP, N, check_run, group_expr
from veggies_sim.core.dataset import Run
from veggies_sim.core.errors import InputError
from veggies_sim.games.veggies.game import Veggies
from veggies_sim.games.veggies.rules import SIZES

COUNTS = (
    "dealt", "kept", "on_ramp", "ramp_taken", "held", "hand_taken", "laid", "turn", "visible", "spaces", "win", "score",
)  # fmt: skip
Ints = NDArray[np.int64]


class Played(NamedTuple):
    """The games of one part, cards as numbers of the deck's faces."""

    group: Ints  # [G] of the game's deal
    order: NDArray[np.uint16]  # [G, C] the shuffled deck from the top
    card: NDArray[np.uint16]  # [G, T, P] laid
    source: NDArray[np.uint8]  # [G, T, P] 0 the start, 1 the hand, 1 + i the ramp place i
    place: NDArray[np.int16]  # [G, T, P, 3] rotation, row, column
    win: Floats  # [G, P]
    score: Floats  # [G, P]


def card_sums(run: Run) -> dict[str, Floats]:
    """Return sums over games, one [N, F] for each of COUNTS and `games`, groups with no game left out.

    Of each face: dealt, how often it was one of a seat's two first cards; kept, how often it was then kept in the hand;
    on_ramp and held, on how many later turns it lay on the ramp or in the mover's hand; ramp_taken and hand_taken, on how
    many of those it was laid from there; laid, in all, start cards included. Sums over its layings: turn (0 for a start
    card); visible (1 where any space of it is to be seen at the end); spaces, those to be seen; win and score of the seat.
    Copies of a card count one by one. Raises InputError for a run without moves, and for rows that don't fit the rules.
    """
    faces = len(check_run(run, Veggies).game.setup.cards)
    sums: dict[str, Floats] = {name: np.zeros((N, faces)) for name in (*COUNTS, "games")}
    for played in _parts(run):
        for name, cards, weights in _events(run, played):
            group = np.broadcast_to(played.group.reshape(-1, *[1] * (cards.ndim - 1)), cards.shape)
            cell = (group * sums[name].shape[1] + cards).ravel()
            weight = None if weights is None else weights.ravel()
            sums[name] += np.bincount(cell, weight, sums[name].size).reshape(sums[name].shape)
        sums["games"] += np.bincount(played.group, minlength=N)[:, None]
    there = sums["games"][:, 0] > 0
    return {name: each[there] for name, each in sums.items()}


def _parts(run: Run) -> Iterator[Played]:
    """Yield the games of each part."""
    game = run.game
    ids = [card.id for card in game.setup.cards]
    sources = next(column.words for column in game.move_columns if column.name == "source")
    turns, players = int(game.rules["stand_size"]), game.players
    scans = [run.scan_parts(table) for table in ("moves", "deals", "seats")]
    for moves, deals, seats in zip(*scans, strict=True):
        numbers = run.collected(
            moves.select("game", "turn", "seat", _number("card", ids), _number("source", sources), "rotation", "row", "col")
        )
        order = run.collected(deals.select(pl.col("order").list.explode()).select(_number("order", ids)))["order"]
        ends = run.collected(seats.select("game", "seat", "win", "score", group_expr(run)))
        shape = (len(ends) // players, turns, players)
        schedule = {
            "turn": np.arange(turns)[:, None],
            "seat": np.arange(players),
            "game": ends["game"].to_numpy()[::players, None, None],
        }
        fits = len(numbers) == np.prod(shape) and len(order) == shape[0] * len(game.setup)
        fits = fits and not any(numbers.null_count().row(0)) and not order.null_count()
        if not fits or any((numbers[key].to_numpy().reshape(shape) != each).any() for key, each in schedule.items()):
            raise _damaged(run)
        place = np.stack([numbers[key].to_numpy().astype(np.int16) for key in ("rotation", "row", "col")], axis=-1)
        yield Played(
            ends[GROUP].to_numpy()[::players].astype(np.int64),
            order.to_numpy().reshape(shape[0], -1),
            numbers["card"].to_numpy().reshape(shape),
            numbers["source"].to_numpy().reshape(shape),
            place.reshape(*shape, 3),
            ends["win"].to_numpy().astype(float).reshape(-1, players),
            ends["score"].to_numpy().astype(float).reshape(-1, players),
        )


def _number(column: str, words: Sequence[str]) -> pl.Expr:
    """Return a column of words as numbers of the list, null for others."""
    return pl.col(column).cast(pl.Enum(words), strict=False).to_physical()


def _damaged(run: Run) -> InputError:
    return InputError(f"{run.folder or 'the run'}: moves and deals are not what games can give. Simulate it again.")


def _events(run: Run, played: Played) -> Iterator[tuple[str, NDArray[np.uint16], Floats | None]]:
    """Yield (name of the count, faces [G, ...], weights of the same shape or None for ones)."""
    yield from _offers(run, played)
    card, shape = played.card, played.card.shape
    spaces = visible_spaces(played.place)
    yield "laid", card, None
    yield "turn", card, np.broadcast_to(np.arange(shape[1], dtype=float)[:, None], shape)
    yield "visible", card, (spaces > 0).astype(float)
    yield "spaces", card, spaces.astype(float)
    yield "win", card, np.broadcast_to(played.win[:, None], shape)
    yield "score", card, np.broadcast_to(played.score[:, None], shape)


def _offers(run: Run, played: Played) -> Iterator[tuple[str, NDArray[np.uint16], Floats | None]]:
    """Follow hands and ramp from turn to turn; raise InputError where a card was laid that was not there."""
    games, turns, players = played.card.shape
    size, every = int(run.game.rules["ramp_size"]), np.arange(games)
    ramp = played.order[:, :size].copy()
    dealt = played.order[:, size : size + 2 * players].reshape(games, players, 2)
    first = dealt[:, :, 0] == played.card[:, 0]
    hand = np.where(first, dealt[:, :, 1], dealt[:, :, 0])
    if not (first | (dealt[:, :, 1] == played.card[:, 0])).all() or played.source[:, 0].any():
        raise _damaged(run)
    yield "dealt", dealt, None
    yield "kept", hand, None
    top = size + 2 * players
    for turn in range(1, turns):
        for seat in range(players):
            card, source = played.card[:, turn, seat], played.source[:, turn, seat].astype(np.int64)
            held = hand[:, seat].copy()
            own, at = source == 1, np.maximum(source - 2, 0)
            there = np.where(own, held, ramp[every, at]) if size else held
            if (there != card).any() or (source == 0).any():
                raise _damaged(run)
            yield "held", held, None
            yield "on_ramp", ramp.copy(), None
            yield "hand_taken", card, own.astype(float)
            yield "ramp_taken", card, (~own).astype(float)
            drawn = played.order[:, top]
            top += 1
            hand[own, seat] = drawn[own]
            ramp[every[~own], at[~own]] = drawn[~own]


def visible_spaces(place: NDArray[np.int16]) -> NDArray[np.uint8]:
    """Return how many of the six spaces of each card [..., T, P] no later card of its stand covers.

    place [..., T, P, 3]: rotation, row and column of the cards, in the order they were laid.
    """
    tall, row, col = place[..., 0] % 2, place[..., 1], place[..., 2]
    covered = np.zeros(tall.shape, np.uint8)  # bits of the card's spaces, row by row
    for under, over in combinations(range(tall.shape[-2]), 2):
        down, right = (np.clip(each[..., over, :] - each[..., under, :], -3, 3) + 3 for each in (row, col))
        covered[..., under, :] |= _COVER[tall[..., under, :], tall[..., over, :], down, right]
    return 6 - np.bitwise_count(covered)


def _cover() -> NDArray[np.uint8]:
    """Return the spaces (as bits) of a card that another one covers: [2, 2, 7, 7].

    Both lie or stand (0 or 1), the other one as many rows lower and columns further right as its number minus 3.
    """
    table = np.zeros((2, 2, 7, 7), np.uint8)
    for tall, over, down, right in np.ndindex(*table.shape):
        (height, width), (rows, cols) = SIZES[tall], SIZES[over]
        spaces = [0 <= r - (down - 3) < rows and 0 <= c - (right - 3) < cols for r in range(height) for c in range(width)]
        table[tall, over, down, right] = sum(1 << bit for bit, hit in enumerate(spaces) if hit)
    return table


_COVER = _cover()
