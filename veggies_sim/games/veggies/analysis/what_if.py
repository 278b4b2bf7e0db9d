"""What if the deck were another? The same deals, seat by seat and card by card, played with several decks.

Decks of equal size get the same shuffles slot by slot, so a deal is the same deal with every deck, and differences between
decks are paired deal by deal. Policies are free to adapt: they see the other faces and may choose otherwise.

    played = play_decks(game, {"as it is": deck, "without v01": other}, "greedy", games=2_000, seed=1)
    levels(played)                   a row for each deck and metric
    changes(played)                  a row for each deck but the first and metric: how much it differs from the first
    slopes(played, [24, 25, ...])    a row for each metric: change per unit of an amount that each deck has

A decks, M metrics, G groups of deals (`analysis.sums`). In symmetric play, all seats with one policy, seats win
1/n on average whatever the deck: so win shares are measured only of a *named* policy against others, with seats that rotate.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from veggies_sim.analysis.corrections import two_sided
from veggies_sim.analysis.estimates import LEAST_DEALS, check_size, left_out
from veggies_sim.analysis.intervals import LEVEL, Floats, jackknife_error, share_interval, t_interval
from veggies_sim.analysis.metrics import SHARE, Metric, find_metric, metrics_of
from veggies_sim.analysis.sums import GROUP, as_sums, check_run, group_frame
from veggies_sim.core.checks import real, several, whole
from veggies_sim.core.dataset import Run
from veggies_sim.core.errors import InputError, show, unknown
from veggies_sim.core.game import Game
from veggies_sim.core.manifest import LIMITS
from veggies_sim.core.policy import Given, policies_for
from veggies_sim.core.progress import bar
from veggies_sim.core.runner import simulate
from veggies_sim.core.streams import draw_seed
from veggies_sim.games.veggies.deck import EMPTY, RAT, Card, Deck
from veggies_sim.games.veggies.game import Veggies

OUTCOMES = ("score", "winner_score", "score_sd", "lead", "shared_wins", "tie_breaks", "rats")
CHOICE = ("source", "card", "rotation", "row", "col")  # columns of `moves` that say what was chosen
STRETCH = 48_000  # games of one deck in memory at a time, whole deals for 2, 3 and 4 players
CHANGED = Metric(
    "changed_moves", "choices changed", SHARE,
    "share of moves that are not the first deck's move at the same game, turn and seat", (pl.col("changed"), pl.lit(1.0)),
    per_seat=False,
)  # fmt: skip


@dataclass(frozen=True)
class Played:
    """Metrics of several decks on the same deals; differences between decks of any kind come from `contrasts`."""

    names: list[str]  # [A] of the decks, the one that others are compared with first
    decks: list[Deck]  # [A]
    metrics: list[Metric]  # [M] `named_win` (the win share of the named policy) and `changed_moves` where they were asked for
    value: Floats  # [A, M]
    without: Floats  # [G, A, M] the same of all deals but those of each group
    deals: int
    games: int  # of each deck
    policies: list[str]  # of each seat; different ones rotate
    seed: int
    policy_seed: int


def play_decks(
    game: Veggies,
    decks: Mapping[str, Deck],
    policies: Given | Sequence[Given] | None = None,
    games: int = 10_000,
    *,
    named: str | None = None,
    metrics: Sequence[str] = OUTCOMES,
    choices: bool = False,
    seed: int | None = None,
    policy_seed: int | None = None,
    jobs: int | None = None,
    progress: bool = False,
) -> Played:
    """Play the same deals with each deck and return the metrics of each.

    decks: by name, all of one size; the first one is what the others are compared with. game: its players and rules; its
    own deck plays no part. policies: as in `simulate`; where they differ, each deal is played once per rotation of
    the seats, and the win share of the policy `named` (by default the first) is measured. games: with each deck.
    metrics: keys of `metrics_of(game)`. choices: record moves and measure the share that differ from the first deck's;
    card ids must then be the same, slot by slot. seed, policy_seed, jobs: as in `simulate`, the same for each deck.
    Raises InputError, before anything is played, for arguments that are wrong.
    """
    check_veggies(game)
    names = [str(spec) for spec in policies_for(game.default_policy if policies is None else policies, game)]
    mixed = len({*names}) > 1
    wanted = _wanted(game, metrics, names, named)
    per_deal = game.players if mixed else 1
    games = whole(games, "games", *LIMITS["games"])
    deals = -(-games // per_deal)
    if deals < LEAST_DEALS:
        raise InputError(f"games: {games} are too few for intervals. Give {LEAST_DEALS * per_deal} or more ({LEAST_DEALS} deals).")
    _check_decks(decks, choices)
    arms = {name: type(game)(game.players, deck, rules=game.rules) for name, deck in decks.items()}
    seed = draw_seed() if seed is None else seed
    how = {"seed": seed, "policy_seed": seed if policy_seed is None else policy_seed, "jobs": jobs, "rotate_seats": mixed}
    given = game.default_policy if policies is None else policies
    with bar(games * len(arms), progress, "what if") as done:
        pieces: dict[str, list[pl.DataFrame]] = {name: [] for name in arms}
        for runs in _stretches(arms, given, games, choices, how):
            first: pl.DataFrame | None = None
            for name, run in runs:
                frame = group_frame(run, _columns(wanted))
                if choices:
                    moves = run.moves.select(CHOICE)
                    first = moves if first is None else first
                    frame = frame.join(_changed(run, moves, first), on=GROUP)
                pieces[name].append(frame)
                done.update(run.manifest.games)
    wanted += [CHANGED] if choices else []
    value, without = _measured(pieces, wanted, deals)
    return Played(list(arms), list(decks.values()), wanted, value, without, deals, games, names, seed, int(how["policy_seed"] or 0))


def from_runs(runs: Mapping[str, Run], *, named: str | None = None, metrics: Sequence[str] = OUTCOMES) -> Played:
    """Return what `play_decks` returns, of runs that were played already, such as datasets on disk; without choices.

    runs: by name, the one that others are compared with first. named, metrics: as in `play_decks`. Raises InputError where
    runs are not the same games with other decks.
    """
    if not isinstance(runs, Mapping) or not runs:
        raise InputError(f"runs: found {show(runs)}; give a dict of names and runs.")
    for run in runs.values():
        check_run(run)
    (first, base), *others = runs.items()
    held = base.manifest
    for name, run in others:
        words = held.differences(run.manifest, _SAME)
        if words or _games_of(run) != _games_of(base) or len(run.game.setup) != len(base.game.setup):
            words = words or ["other games, or a deck of another size"]
            raise InputError(f"runs: {show(name)} can't be compared with {show(first)} deal by deal: {'; '.join(words)}.")
    check_size(base)
    wanted = _wanted(base.game, metrics, held.policies, named)
    value, without = _measured({name: [group_frame(run, _columns(wanted))] for name, run in runs.items()}, wanted, base.deal_count)
    decks = [run.game.setup for run in runs.values()]
    return Played([*runs], decks, wanted, value, without, base.deal_count, held.games, held.policies, held.seed, held.policy_seed)


def _games_of(run: Run) -> list[tuple[int, int]]:
    return run.manifest.finished() or [(run.manifest.first_game, run.manifest.games)]


_SAME = ("game", "behaviour", "players", "seed", "policy_seed", "plays_per_deal", "rotate_seats", "rules", "policies")


def check_veggies(game: object) -> Veggies:
    """Return what callers give as a game of Veggies. Raises InputError where it is none."""
    if not isinstance(game, Veggies):
        raise InputError(f"game: found {show(game)}; give a game of Veggies, such as vs.Veggies(players=3).")
    return game


def check_played(played: object) -> Played:
    """Return what callers give as decks that were played. Raises InputError where it is none."""
    if not isinstance(played, Played):
        raise InputError(f"played: found {show(played)}; give what `play_decks`, `other_decks` or `from_runs` returns.")
    return played


def _wanted(game: Game, keys: Sequence[str], policies: Sequence[str], named: str | None) -> list[Metric]:
    """Return the metrics of these keys, and where policies differ the win share of one of them. Raises InputError."""
    known = metrics_of(game)
    found = [find_metric(known, key) for key in several(keys, "metrics", '["score"]')]
    mixed = len({*policies}) > 1
    if "win_share" in keys or (named is not None and not mixed):
        raise InputError(
            "win share: of all seats together, or with the same policy at all seats, it is the same whatever the deck. Leave it "
            "out and give policies that differ: the win share of one against the others is then measured."
        )
    if named is not None and named not in policies:
        raise unknown("policy of these seats", named, dict.fromkeys(policies))
    if mixed:
        named = named or policies[0]
        mine = pl.col("policy") == named
        doc = f"share of games won by a seat of {named}, over all seats"
        won = pl.when(mine).then(pl.col("win").cast(pl.Float64)).otherwise(0.0)
        found.append(Metric("named_win", f"win share of {named}", SHARE, doc, (won, mine)))
    return found


def _check_decks(decks: Mapping[str, Deck], choices: bool) -> None:
    if not isinstance(decks, Mapping) or not decks or not all(isinstance(deck, Deck) for deck in decks.values()):
        raise InputError(f"decks: found {show(decks)}; give a dict of names and decks, such as {{'as it is': vs.Deck.shipped()}}.")
    first, *others = decks.items()
    for name, deck in others:
        if len(deck) != len(first[1]):
            raise InputError(
                f"decks: {show(name)} has {len(deck)} cards, {show(first[0])} {len(first[1])}; only decks of equal size get the "
                "same shuffles. Give decks of one size."
            )
        if choices and _ids(deck) != _ids(first[1]):
            raise InputError(
                f"decks: the ids of {show(name)} are not those of {show(first[0])}, slot by slot, so moves can't be compared. "
                "Keep the ids, or leave choices out."
            )


def _ids(deck: Deck) -> list[str]:
    return [deck.cards[place].id for place in deck.slots]


def _stretches(
    arms: Mapping[str, Veggies], policies: Any, games: int, choices: bool, how: Mapping[str, Any]
) -> Iterator[Iterator[tuple[str, Run]]]:
    """Yield for each stretch of games the runs of all decks: by games first, so that memory is that of one stretch."""
    record = "moves" if choices else "seats"
    for first in range(0, games, STRETCH):
        count = min(STRETCH, games - first)
        yield ((name, simulate(game, policies, count, first_game=first, record=record, **how)) for name, game in arms.items())


def _columns(metrics: Sequence[Metric]) -> dict[str, pl.Expr]:
    return {f"{metric.key}.{i}": each for metric in metrics for i, each in enumerate(metric.sums)}


def _changed(run: Run, moves: pl.DataFrame, first: pl.DataFrame) -> pl.DataFrame:
    """Return the sums of CHANGED for each group; rows of `moves` are in the order of game, turn and seat in all runs."""
    other = pl.any_horizontal(pl.col(name) != first[name] for name in CHOICE)
    changed = moves.select(other.alias("changed"))["changed"]
    return group_frame(run, _columns([CHANGED]), table="moves", change=lambda part: part.with_columns(pl.lit(changed)))


def _measured(pieces: Mapping[str, Sequence[pl.DataFrame]], metrics: Sequence[Metric], deals: int) -> tuple[Floats, Floats]:
    """Return the metrics [A, M], and the same without each group [G, A, M]."""
    values, rest = [], []
    for frames in pieces.values():
        total = pl.concat(frames).group_by(GROUP).sum().sort(GROUP)
        sums = as_sums(total, list(_columns(metrics)), (), deals).sums
        parts = [[sums[f"{metric.key}.{i}"][:, 0] for i in range(len(metric.sums))] for metric in metrics]
        values.append([metric.estimate(*(part.sum() for part in each)) for metric, each in zip(metrics, parts, strict=True)])
        rest.append([left_out(each, metric) for metric, each in zip(metrics, parts, strict=True)])
    return np.array(values), np.array(rest).transpose(2, 0, 1)


def contrasts(played: Played, weights: Floats) -> tuple[Floats, Floats]:
    """Return weighted sums over decks, and their standard errors by the paired jackknife, each [K, M]; weights [K, A]."""
    return weights @ played.value, jackknife_error(weights @ played.without)


def levels(played: Played, level: float = LEVEL) -> pl.DataFrame:
    """Return a row for each deck and metric: deck, metric, unit, value, low, high, error.

    The intervals are of each deck alone; decks are compared by `changes`, whose intervals are often far narrower.
    """
    value, error = contrasts(played, np.eye(len(check_played(played).names)))
    low, high = np.empty_like(value), np.empty_like(value)
    for m, metric in enumerate(played.metrics):
        make = share_interval if metric.unit == SHARE else t_interval
        found = make(value[:, m], error[:, m], played.deals, level)
        low[:, m], high[:, m] = found.low, found.high
        if metric is CHANGED:
            low[0, m] = high[0, m] = 0.0  # the first deck's moves are its own: no chance in that
    return _frame(played, played.names, {"value": value, "low": low, "high": high, "error": error})


def changes(played: Played, level: float = LEVEL) -> pl.DataFrame:
    """Return a row for each deck but the first and each metric: how much it differs from the first deck, paired by deals.

    Columns: deck, metric, unit, change with low and high, error, p (two-sided, of no change; 1 where nothing differs).
    """
    count = len(check_played(played).names)
    value, error = contrasts(played, np.eye(count)[1:] - np.eye(count)[:1])
    found, p = t_interval(value, error, played.deals, level), two_sided(value, error, played.deals)
    return _frame(played, played.names[1:], {"change": value, "low": found.low, "high": found.high, "error": error, "p": p})


def slopes(played: Played, amounts: Sequence[float], level: float = LEVEL) -> pl.DataFrame:
    """Return a row for each metric: its change per unit of an amount that each deck has, the least-squares line over decks.

    amounts [A]: such as the rats of each deck, two or more different ones. Columns: metric, unit, slope with low and high,
    error. Whether a line is a fair picture shows in `levels`.
    """
    value, error = contrasts(played, line_weights(amounts, len(check_played(played).names))[None])
    found = t_interval(value, error, played.deals, level)
    return _frame(played, ["line"], {"slope": value, "low": found.low, "high": found.high, "error": error}).drop("deck")


def line_weights(amounts: Sequence[float], decks: int) -> Floats:
    """Return the weights [A] of values whose sum is the slope of the least-squares line over amounts [A]."""
    x = np.array([real(each, "amounts") for each in several(amounts, "amounts", "[24, 30]")])
    if x.shape != (decks,) or not np.ptp(x) > 0:
        raise InputError(f"amounts: found {show(list(amounts))}; give one number for each of the {decks} decks, not all equal.")
    away: Floats = x - x.mean()
    return away / (away**2).sum()


def _frame(played: Played, decks: Sequence[str], columns: Mapping[str, Floats]) -> pl.DataFrame:
    """Return arrays [K, M] as a frame with a row for each deck and metric."""
    count = len(played.metrics)
    return pl.DataFrame({
        "deck": [name for name in decks for _ in range(count)],
        "metric": [metric.key for metric in played.metrics] * len(decks),
        "unit": [metric.unit for metric in played.metrics] * len(decks),
    } | {name: values.ravel() for name, values in columns.items()}).fill_nan(None)  # fmt: skip


def rat_decks(deck: Deck, counts: Sequence[int], seed: int = 0) -> dict[str, Deck]:
    """Return decks with so many rats, by name ("0 rats", ...), each rat more in place of an empty space.

    All spaces with a rat, then all empty ones, each in an order drawn by `seed`, make one line; the deck with k rats has
    them on the first k. So decks are nested: k + 1 rats differ from k in one space, and the deck's own number gives its own
    faces. Goods stay where they are. Copies become cards of their own (v01, v01-2, ...), so that each can change. Raises
    InputError for more rats than there are spaces without goods.
    """
    if not isinstance(deck, Deck):
        raise InputError(f"deck: found {show(deck)}; give a deck, such as vs.Deck.shipped().")
    counts = several(counts, "rats", "[24, 30]")
    cards = _single(deck)
    faces = [[*card.face[0], *card.face[1]] for card in cards]
    stream = random.Random(seed)
    line = [(c, s) for symbol in (RAT, EMPTY) for c, s in _drawn(faces, symbol, stream)]
    found = {}
    for count in counts:
        whole(count, f"rats (the deck has {len(line)} spaces without goods)", 0, len(line))
        rats = {*line[:count]}
        free = {*line}
        new = []
        for c, card in enumerate(cards):
            a = [(RAT if (c, s) in rats else EMPTY) if (c, s) in free else symbol for s, symbol in enumerate(faces[c])]
            new.append(Card(card.id, ((a[0], a[1], a[2]), (a[3], a[4], a[5]))))
        found[f"{count} rats"] = Deck(new)
    return found


def _drawn(faces: Sequence[Sequence[str]], symbol: str, stream: random.Random) -> list[tuple[int, int]]:
    """Return (card, space) of a symbol in an order drawn by `random`, whose numbers are the same in every Python."""
    places = [(c, s) for c, face in enumerate(faces) for s, held in enumerate(face) if held == symbol]
    return sorted(places, key=lambda _: stream.random())


def _single(deck: Deck) -> list[Card]:
    """Return a deck's cards with copies as cards of their own, slot by slot."""
    taken = {card.id for card in deck.cards}
    cards = []
    for card in deck.cards:
        cards.append(Card(card.id, card.face))
        number = 2
        for _ in range(card.copies - 1):
            while (name := f"{card.id}-{number}") in taken:
                number += 1
            taken.add(name)
            cards.append(Card(name, card.face))
    return cards
