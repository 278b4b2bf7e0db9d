"""What a rat costs, four ways that answer different questions.

(a) `by_rats`: how stands with more rats do. Descriptive: such stands differ in more than their rats.
(b) `within_games`: the same among the stands of one game, so that a deal that is good for all plays no part.
    Still not the effect of a rat: who leaves a rat uncovered also laid other goods, and had other cards.
(c) `rescored`: the same games with another penalty, announcements as recorded. What the rule takes, exactly; nobody
    would play otherwise.
(d) `other_decks`: the same deals with more or fewer rats on the cards, all players free to adapt. The effect of a rat
    in the deck, for these policies; no claim about people.
`side_by_side` puts the points per rat of all four into one table.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np
import polars as pl

from veggies_sim.analysis import rescore
from veggies_sim.analysis.estimates import check_size, estimates, metric_interval
from veggies_sim.analysis.intervals import LEVEL, Floats, jackknife_error, t_interval
from veggies_sim.analysis.metrics import Metric, metrics_of, ratio, summed
from veggies_sim.analysis.rescore import by_game
from veggies_sim.analysis.sums import Change, check_run, group_sums
from veggies_sim.analysis.what_if import check_played
from veggies_sim.core.checks import several, whole
from veggies_sim.core.dataset import Run
from veggies_sim.core.errors import InputError, show
from veggies_sim.core.policy import Given
from veggies_sim.games.veggies.analysis.classes import ROWS, merged
from veggies_sim.games.veggies.analysis.metrics import ONE, RATS
from veggies_sim.games.veggies.analysis.what_if import Played, check_veggies, levels, line_weights, play_decks, rat_decks, slopes
from veggies_sim.games.veggies.deck import RAT
from veggies_sim.games.veggies.game import Veggies

PENALTIES = range(6)
PER_RAT = "points per rat"
_SCORE = pl.col("score").cast(pl.Float64)


def by_rats(run: Run, level: float = LEVEL) -> pl.DataFrame:
    """Return win share, score and margin of stands by their number of rats (a); numbers with few stands are put together.

    Columns: rats (text, "3" or "9 to 14"), low_rats, high_rats; stands; metric, unit, value, low, high, error. Of a team,
    score is the seat's, win and margin are the side's. Raises InputError for too few deals.
    """
    check_size(check_run(run, Veggies))
    known = metrics_of(run.game)
    metrics = [known[key] for key in ("win_share", "score", "margin")]
    columns = summed(metrics)
    found = merged(group_sums(run, columns | {ROWS: ONE}, ["rats"]), "rats")
    frames = []
    for metric in metrics:
        ends, error = metric_interval(found, metric, level)
        numbers = {"value": ends.value, "low": ends.low, "high": ends.high, "error": error}
        frames.append(found.keys.with_columns(
            pl.Series("stands", found.sums[ROWS].sum(axis=0).astype(int)), pl.lit(metric.key).alias("metric"),
            pl.lit(metric.unit).alias("unit"), *(pl.Series(name, values) for name, values in numbers.items()),
        ))  # fmt: skip
    return pl.concat(frames).fill_nan(None)


def _line(x: Floats, y: Floats, xx: Floats, xy: Floats, n: Floats) -> Floats:
    """Return the slope of the least-squares line, of sums."""
    return ratio(xy - ratio(x * y, n), xx - ratio(x * x, n))


def across_stands(run: Run, level: float = LEVEL) -> pl.DataFrame:
    """Return the least-squares line of score over rats among all stands, deal by deal errors: (a) in one number.

    Columns: those of `estimates`; the metric is `score_across`.
    """
    sums = (RATS, _SCORE, RATS**2, RATS * _SCORE, ONE)
    metric = Metric("score_across", "score per rat, all stands", PER_RAT, "", sums, _line)
    return estimates(check_run(run, Veggies), [metric], (), level)


def within_games(run: Run, level: float = LEVEL) -> pl.DataFrame:
    """Return how score and win change per rat among the stands of one game (b).

    A regression on rats with a fixed effect for each game, its errors clustered by deal: the slope is
    sum(xy) / sum(xx) of what rats x and score y differ from the game's mean (Frisch and Waugh, Econometrica 1, 1933); its
    error is the jackknife over deals. Columns: those of `estimates`; metrics score_within and win_within (of the side).
    """
    x = pl.col("x")
    metrics = [
        Metric("score_within", "score per rat, within games", PER_RAT, "", (x * pl.col("score"), x**2)),
        Metric("win_within", "win share per rat, within games", "share per rat", "", (x * pl.col("win"), x**2)),
    ]
    apart = _changed_by(partial(_from_mean, check_run(run, Veggies).game.players), ["x", "score", "win"])
    return estimates(run, metrics, (), level, change=apart)


def _changed_by(change: Any, columns: Sequence[str]) -> Change:
    """Return a change of seat rows for `estimates`: game, score, win and rats of a part in, game and numbers out."""
    schema = pl.Schema({"game": pl.UInt64} | dict.fromkeys(columns, pl.Float64))
    return lambda part: part.select("game", "score", "win", "rats").map_batches(change, schema=schema)


def _from_mean(players: int, rows: pl.DataFrame) -> pl.DataFrame:
    """Return how far rats x, score and win of each seat are from the mean of its game, times the players: then it is exact."""
    columns = {}
    for name, column in (("x", "rats"), ("score", "score"), ("win", "win")):
        values = by_game(rows, column, players)
        columns[name] = (players * values - values.sum(axis=1, keepdims=True)).ravel()
    return pl.DataFrame({"game": rows["game"], **columns})


def rescored(run: Run, penalties: Iterable[int] = PENALTIES, level: float = LEVEL) -> pl.DataFrame:
    """Return what the same games give with another penalty for each rat, stands and announcements as recorded (c).

    Columns: penalty, metric, unit, value, low, high, error, rows (games). Metrics: score, winner_score, lead, shared_wins,
    tie_breaks as of every run; other_winner and no_winner_left as of `analysis.rescore`. Who announces
    on a tie might announce otherwise with another penalty: that is left out, as is any change of play. Raises InputError
    for penalties that the game does not have.
    """
    check_run(run, Veggies)
    tried = [whole(penalty, "penalty", 0, 20) for penalty in several(penalties, "penalties", "[0, 1, 2]")]
    if len({*tried}) < max(1, len(tried)):
        raise InputError(f"penalties: found {show(tried)}; give one or more different ones.")
    frame = rescore.rescored(run, -RATS, int(run.game.rules["rat_penalty"]), tried, tiebreak=RATS, level=level)
    return frame.rename({"amount": "penalty"})


def other_decks(
    game: Veggies, counts: Sequence[int], policies: Given | Sequence[Given] | None = None, games: int = 10_000, **how: Any
) -> Played:
    """Play the game's deck with other numbers of rats on the same deals (d); see `what_if.rat_decks` and `play_decks`.

    counts: rats of each deck, two or more different ones; choices are compared with the first one's. how: more arguments
    of `play_decks`. Policies that differ rotate, and `named_win` is the win share of the first or of `named` against the
    others; with one policy at all seats they win 1/n on average whatever the deck, so no win share is reported.
    """
    counts = several(counts, "rats", "[24, 30]")
    decks = rat_decks(check_veggies(game).setup, counts)
    if len(decks) < max(2, len(counts)):
        raise InputError(f"rats: found {show(list(counts))}; give two or more different numbers of rats.")
    return play_decks(game, decks, policies, games, **({"choices": True} | how))


def rats_of(played: Played) -> list[int]:
    """Return the number of rats on the cards of each deck."""
    return [check_veggies(arm).setup.counts()[RAT] for arm in check_played(played).arms]


def curve(played: Played, level: float = LEVEL) -> pl.DataFrame:
    """Return a row for each deck and metric: `what_if.levels` with the deck's rats as `rats_in_deck` (d)."""
    table = levels(played, level)
    rats = pl.Series("rats_in_deck", np.repeat(rats_of(played), len(played.metrics)))
    return table.with_columns(rats).select("rats_in_deck", pl.all().exclude("deck", "rats_in_deck"))


def per_rat(played: Played, level: float = LEVEL) -> pl.DataFrame:
    """Return the change of each metric per rat that is added to the deck, the least-squares line over decks (d).

    Columns: metric, unit, slope, low, high, error, of a paired jackknife over deals. The last row, score_per_visible_rat,
    is the change of the score divided by that of the rats to be seen in a stand: a rat in the deck that nobody draws, or
    that is covered, costs less. Look at `curve` before you trust a line: choices that differ level off.
    """
    table = slopes(played, rats_of(played), level)
    keys = [metric.key for metric in played.metrics]
    if not {"score", "rats"} <= {*keys}:
        return table
    weights = line_weights(rats_of(played), len(played.names))
    score, rats = keys.index("score"), keys.index("rats")
    line, rest = weights @ played.value, weights @ played.without
    value, error = ratio(line[score], line[rats]), jackknife_error(ratio(rest[:, score], rest[:, rats]))
    ends = t_interval(np.array([value]), np.array([error]), played.deals, level)
    row = {"metric": "score_per_visible_rat", "unit": "points per visible rat", "slope": value}
    return pl.concat([table, pl.DataFrame(row | {"low": ends.low, "high": ends.high, "error": error})]).fill_nan(None)


WAYS = {  # way -> the question that it answers, and when to use it
    "descriptive": (
        "Do stands with more rats score less? A description: stands with more rats differ in other ways too.",
        "to say what is seen in games, not why",
    ),
    "within games": (
        "In one game, does the player with a rat more score less? Deals are taken out, but not how goods and rats come "
        "together: not the effect of a rat.",
        "to say who wins a game, whatever its deal",
    ),
    "mechanical": (
        "What does the rule take for a visible rat, stands and announcements as they are? Exact, by the rules.",
        "to count the points of stands that lie there",
    ),
    "interventional, visible rat": (
        "What does a rat on the cards cost these policies, which adapt, for each rat that is then to be seen in a stand? "
        "An effect.",
        "to set the penalty against what a rat takes from a stand that shows it",
    ),
    "interventional, rat in the deck": (
        "What does one rat more in the deck, in place of an empty space, do to the mean score of a seat? An effect on these "
        "policies, which adapt. Smaller, as most rats of a deck are not to be seen in any one stand.",
        "to decide whether to print a rat more",
    ),
}


def side_by_side(run: Run, played: Played | None = None, level: float = LEVEL) -> pl.DataFrame:
    """Return the points per rat of the four ways, with the question that each answers and when to use it.

    Columns: way, value with low and high (points of a seat per rat), question, use it. played: of `other_decks`, with the
    players, rules and policies of the run; without it the two last rows are left out. Raises InputError for one that is of
    another game.
    """
    check_size(check_run(run, Veggies))
    penalty = -float(int(run.game.rules["rat_penalty"]))
    found = {"descriptive": across_stands(run, level), "within games": within_games(run, level).filter(metric="score_within")}
    ends = {way: frame.select("value", "low", "high").row(0) for way, frame in found.items()}
    ends["mechanical"] = (penalty, penalty, penalty)
    if played is not None:
        if len(check_played(played).policies) != run.game.players or [*played.policies] != [*run.manifest.policies]:
            raise InputError(
                f"played: other policies ({', '.join(played.policies)}) than the run's ({', '.join(run.manifest.policies)}). "
                "Give the same policies at the same seats."
            )
        table = per_rat(played, level)
        for way, metric in (("visible rat", "score_per_visible_rat"), ("rat in the deck", "score")):
            ends[f"interventional, {way}"] = table.filter(metric=metric).select("slope", "low", "high").row(0)
    rows = [(way, *ends[way], *WAYS[way]) for way in WAYS if way in ends]
    return pl.DataFrame(rows, schema=["way", "value", "low", "high", "question", "use it"], orient="row")
