"""What a deck is measured by when decks are searched: numbers of whole games, from sums that grow with the games played.

    measures = [measure(game, "winner_score", ["greedy"]), measure(game, "rat_cost", ["greedy"])]
    meter = Meter(game, measures, how_to_play(seed, None, jobs, "threads"))
    tally = meter.play(deck, 0, 300)                         300 games, the first deals
    tally = meter.play(deck, 0, 300, tally)                  300 more, the same as 600 at once
    meter.estimates(tally)                                   each measure with its interval

A deal is the same deal with every deck of one size (`analysis.what_if`), so decks that play the same deals share some of their
luck. Still each is measured for itself: intervals are of one deck, not of a difference between two. What is measured is a
metric of the game (`analysis.metrics`), or one of OWN, which are defined here:

`rat_cost`          points that a rat in sight costs its seat: the same deals are played with all rats of the deck empty; the
                    points that seats have more there, divided by the rats that are to be seen. Positive where rats cost
                    points. An effect on these policies, which adapt (`analysis.rats`, way d).
`seat_advantage`    how far seats' win shares are from equal: root of the mean square over seats, in win share.
`goods_asymmetry`   how far the goods of the deck are from being announced equally often: the same of their shares of all
                    announcements.
`decided_last`      share of games that are decided in the last turn only (`analysis.shape`); moves are recorded for it.
`named_win`         win share of the first of several policies, seats rotating.
`skill_gap`         the same minus that of equal players.

From `seat_advantage` and `goods_asymmetry` is taken what chance alone adds, or a deck would look the fairer the more games it
plays: the best seat of three equal ones wins some % points more than the worst after some hundred games. The mean square is a
quadratic form of means, so the jackknife's estimate of bias is exact where groups are of one size. Their intervals are wider than
needed, never too narrow: how long a vector is can be wrong by no more than the vector is (`_root`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
import polars as pl

from veggies_sim.analysis.estimates import metric_interval
from veggies_sim.analysis.intervals import LEVEL, Floats, Interval
from veggies_sim.analysis.line_ups import How, par_of
from veggies_sim.analysis.metrics import BALANCED, SHARE, Metric, find_metric, metrics_of, ratio, summed
from veggies_sim.analysis.shape import lead_counts
from veggies_sim.analysis.sums import GROUP, N, Sums, as_sums, group_frame
from veggies_sim.analysis.what_if import STRETCH
from veggies_sim.core.dataset import Run
from veggies_sim.core.errors import InputError
from veggies_sim.core.policy import policies_for
from veggies_sim.core.runner import simulate
from veggies_sim.games.veggies.analysis.metrics import ONE, RATS, announcements
from veggies_sim.games.veggies.deck import EMPTY, GOODS, RAT, Deck
from veggies_sim.games.veggies.design.edit import turn
from veggies_sim.games.veggies.game import Veggies

RAT_COST, SEATS, ASYMMETRY, DECIDED = "rat_cost", "seat_advantage", "goods_asymmetry", "decided_last"
FIELD = ("named_win", "skill_gap")  # of a policy against others; all else is of one policy at all seats
_WIN = pl.col("win").cast(pl.Float64)
_SCORE = pl.col("score").cast(pl.Float64)
_BARE = pl.col("bare_score").cast(pl.Float64)  # of the same seat in the same game, with no rats on the cards


class LineUp(NamedTuple):
    """Who sits where: one policy at all seats, or different ones, each deal played once per rotation."""

    seats: tuple[str, ...]
    rotates: bool

    @property
    def per_deal(self) -> int:
        """How many games are played of each deal."""
        return len(self.seats) if self.rotates else 1

    def __str__(self) -> str:
        return f"{self.seats[0]} against {', '.join(self.seats[1:])}" if self.rotates else self.seats[0]


@dataclass(frozen=True)
class Measure:
    """A number that a deck has when certain policies play."""

    metric: Metric
    line_up: LineUp
    gaps: Callable[..., Floats] | None = None  # of a mean square the vector squared: what is read is its length less chance
    par: float = 0.0  # taken off the metric

    @property
    def key(self) -> str:
        """The word for what is measured."""
        return self.metric.key

    @property
    def name(self) -> str:
        """The name in tables, such as `rat_cost (greedy)`."""
        return f"{self.key} ({self.line_up})"


class Estimate(NamedTuple):
    """A measured number and the interval that holds it; NaN where too little was played or there is nothing to measure."""

    value: float
    low: float
    high: float


class Tally(NamedTuple):
    """Sums of one deck's first games: for each line-up a row for each group of deals."""

    games: int
    frames: Mapping[LineUp, pl.DataFrame]


def own_measures(game: Veggies) -> dict[str, Metric]:
    """Return the metrics that are defined here, by key."""
    first = (pl.col("seat").cast(pl.UInt64) + pl.col("game")) % game.players == 0  # rotation: the first policy's seat
    par, won = par_of(game), pl.when(first).then(_WIN).otherwise(0.0)
    each = [pl.when(pl.col("seat") == seat).then(_WIN).otherwise(0.0) for seat in range(game.players)]
    said = [((pl.col("announced") == good) | (pl.col("announced_2") == good)).fill_null(False) for good in GOODS]
    here = [pl.lit(float(count > 0)) for good, count in game.setup.counts().items() if good in GOODS]
    found = [
        Metric(RAT_COST, "cost of a rat", "points per rat in sight", "points that a rat in sight costs its seat: against the same "
               "deals with no rats on the cards", (_BARE - _SCORE, RATS)),
        Metric(SEATS, "seat advantage", "win share", "how far seats' win shares are from equal, root mean square less chance",
               (*each, ONE), partial(_square, partial(_seat_gaps, par))),
        Metric(ASYMMETRY, "asymmetry of goods", "share of announcements", "how far the goods of the deck are from being "
               "announced equally often, root mean square less chance",
               (*said, *here, announcements()), partial(_square, _good_gaps)),
        Metric(DECIDED, "decided in the last turn", SHARE, "share of games that are decided in the last turn only",
               (pl.col(DECIDED), ONE)),  # counted in the recorded moves, see `_decided`
        Metric("named_win", "win share of the policy", SHARE, "win share of a policy against others, at every seat in turn",
               (won, first)),
        Metric("skill_gap", "skill gap", SHARE, "win share of a policy against others, minus that of equal players",
               (won, first)),  # `Measure.par` is taken off, so that its interval is that of a share
    ]  # fmt: skip
    return {metric.key: metric for metric in found}


def _square(gaps: Callable[..., Floats], *sums: Floats) -> Floats:
    found: Floats = (gaps(*sums) ** 2).sum(axis=0)
    return found


def _seat_gaps(par: float, *sums: Floats) -> Floats:
    """Return what seats' win shares differ from par [P, K], over the root of P: the sum of squares is then a mean.

    The weight counts seats, so each seat has a part of it.
    """
    *won, rows = sums
    found: Floats = np.array([len(won) * ratio(each, rows) - par for each in won]) / np.sqrt(len(won))
    return found


def _good_gaps(*sums: Floats) -> Floats:
    """Return what shares of announcements differ from equal [5, K], over the root of the number of goods; 0 for those it lacks."""
    said, here, every = np.array(sums[: len(GOODS)]), np.array(sums[len(GOODS) : -1]) > 0, sums[-1]
    count = np.maximum(here.sum(axis=0), 1)
    found: Floats = np.where(here, ratio(said, every) - 1 / count, 0) / np.sqrt(count)
    return found


def measure(game: Veggies, key: str, policies: Sequence[str]) -> Measure:
    """Return a measure by the key of its metric.

    policies: one, which plays at all seats; for the keys of FIELD one for each seat, of which the first is measured. Raises
    InputError for a key that is none or says nothing of a deck, and for policies that are wrong.
    """
    if key in BALANCED:
        raise InputError(
            f"metric {key}: of all seats together it is the same whatever the deck. Take {SEATS} to say how seats differ, or "
            f"{' or '.join(FIELD)} to say how a policy does against others."
        )
    known = metrics_of(game) | own_measures(game)
    metric = find_metric({name: each for name, each in known.items() if name not in BALANCED}, key)
    seats = tuple(str(spec) for spec in policies_for(list(policies), game))
    if key in FIELD and len(policies) != game.players:
        raise InputError(f"metric {key}: found {len(policies)} policies; give one for each of {game.players} seats.")
    if key not in FIELD and len({*seats}) > 1:
        raise InputError(f"metric {key}: found the policies {', '.join(seats)}; give one, which plays at all seats.")
    squared: dict[str, Callable[..., Floats]] = {SEATS: partial(_seat_gaps, par_of(game)), ASYMMETRY: _good_gaps}
    return Measure(metric, LineUp(seats, key in FIELD), squared.get(key), par_of(game) if key == "skill_gap" else 0.0)


def fewest_deals(measures: Iterable[Measure], games: int) -> int:
    """Return how many deals the line-up that plays each most often plays in so many games."""
    return games // max(each.line_up.per_deal for each in measures)


@dataclass(frozen=True)
class Meter:
    """Plays decks and measures them, all on the same deals."""

    game: Veggies  # the players and rules; its own deck plays no part
    measures: Sequence[Measure]
    how: How

    @property
    def plays(self) -> int:
        """How many games are played for each game of a tally: one with each line-up, for RAT_COST another with no rats."""
        return len({each.line_up for each in self.measures}) + len({each.line_up for each in self.measures if each.key == RAT_COST})

    def play(self, deck: Deck, start: int, games: int, tally: Tally | None = None) -> Tally:
        """Play some games with a deck under every line-up and return their sums, added to those of a tally.

        start: the first deal, of all line-ups. games: of each line-up, a multiple of the players, so that deals are whole. A
        tally must be of the same deck and begin at the same deal; what is played are the deals after its own. All lie before
        deal start + games (those of the tally too).
        """
        game = type(self.game)(self.game.players, deck, rules=self.game.rules)
        frames, played = {}, tally.games if tally else 0
        for line_up in dict.fromkeys(each.line_up for each in self.measures):
            pieces, first = [tally.frames[line_up]] if tally else [], start * line_up.per_deal + played
            for at in range(first, first + games, STRETCH):
                pieces.append(self._sums(game, line_up, at, min(STRETCH, first + games - at)))
            frames[line_up] = pl.concat(pieces).group_by(GROUP).sum().sort(GROUP)
        return Tally(played + games, frames)

    def _sums(self, game: Veggies, line_up: LineUp, first: int, count: int) -> pl.DataFrame:
        """Play a stretch of games; return the sums of each group of deals."""
        keys = [each.key for each in self.measures if each.line_up == line_up]
        record = "moves" if DECIDED in keys else "seats"
        run = self._run(game, line_up, first, count, record)
        change = None
        if RAT_COST in keys:
            bare = self._run(type(game)(game.players, turn(game.setup, RAT, EMPTY), rules=game.rules), line_up, first, count)
            score = bare.seats["score"].alias("bare_score")
            change = lambda part: part.with_columns(pl.lit(score))  # noqa: E731
        known = metrics_of(game) | own_measures(game)
        frame = group_frame(run, summed(known[key] for key in keys if key != DECIDED) | {"rows": ONE}, change=change)
        return frame.join(_decided(run), on=GROUP) if DECIDED in keys else frame

    def _run(self, game: Veggies, line_up: LineUp, first: int, count: int, record: str = "seats") -> Run:
        return simulate(game, list(line_up.seats), count, first_game=first, record=record, rotate_seats=line_up.rotates,
                        **self.how._asdict())  # fmt: skip

    def estimates(self, tally: Tally, level: float = LEVEL) -> list[Estimate]:
        """Return each measure with its interval of confidence `level`, each for itself."""
        return [_estimate(each, tally, level) for each in self.measures]


def _decided(run: Run) -> pl.DataFrame:
    """Return the sums of DECIDED for each group: games that the last turn decided, and all games."""
    leads = lead_counts(run)
    if leads is None:
        raise InputError(f"metric {DECIDED}: a game has fewer than two turns with a standing. Take a larger stand_size.")
    games = leads.half.sum(axis=1)
    frame = pl.DataFrame({GROUP: np.arange(N), f"{DECIDED}.0": leads.first[:, -2], f"{DECIDED}.1": games})
    return frame.filter(games > 0).cast({GROUP: pl.UInt16})


def _estimate(measure: Measure, tally: Tally, level: float) -> Estimate:
    metric, frame = measure.metric, tally.frames[measure.line_up]
    deals = tally.games // measure.line_up.per_deal
    found = as_sums(frame, [f"{metric.key}.{i}" for i in range(len(metric.sums))], (), deals)
    within = _root(found, measure.gaps, level) if measure.gaps else metric_interval(found, metric, level)[0]
    return Estimate(*(float(end[0]) - measure.par for end in within))


def _root(found: Sums, gaps: Callable[..., Floats], level: float) -> Interval:
    """Return the length [1] of a vector of gaps with what chance adds taken off, 0 where nothing is left, and its interval.

    The length measured differs from the true one by no more than the vector measured from the true one. How long that error is
    follows from the jackknife's covariance of the gaps: its square is about its mean times a chi square over its degrees of
    freedom (Satterthwaite, Biometrics Bulletin 2, 1946), and with an estimated covariance F.
    """
    from scipy import stats

    parts = [*found.sums.values()]
    value = gaps(*(part.sum(axis=0) for part in parts))[:, 0]
    without = gaps(*(part.sum(axis=0) - part for part in parts))[..., 0]  # [n, G]
    groups = without.shape[1]
    apart = without - without.mean(axis=1, keepdims=True)
    covariance = (groups - 1) / groups * apart @ apart.T
    chance = float(np.trace(covariance))
    length, reach = float(np.sqrt((value**2).sum())), 0.0
    if chance > 0:
        freedom = chance**2 / float((covariance**2).sum())
        reach = float(np.sqrt(chance * stats.f.ppf(level, freedom, groups - 1)))
    unbiased = np.sqrt(max(length**2 - chance, 0.0))
    return Interval(np.array([unbiased]), np.array([max(length - reach, 0.0)]), np.array([length + reach]))
