"""What a report says of every game: one short function for each section, in the order of the page."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
import polars as pl

from veggies_sim.analysis import scores, seats, shape
from veggies_sim.analysis.corrections import CLAIM, corrected
from veggies_sim.analysis.estimates import estimates
from veggies_sim.analysis.metrics import SHARE, metrics_of
from veggies_sim.core.checks import whole
from veggies_sim.core.dataset import Run
from veggies_sim.core.errors import show
from veggies_sim.plots import scores as draw_scores
from veggies_sim.plots import seats as draw_seats
from veggies_sim.plots import shape as draw_shape
from veggies_sim.report import key_numbers
from veggies_sim.report.provenance import asked_for, facts, limits
from veggies_sim.report.section import Item, Picture, Section, Table, estimate, glossary, wide
from veggies_sim.report.words import IN_BRACKETS, SURE, TOGETHER, p_told, told

WISH = 0.005  # half a percentage point: the precision of win shares that most questions need

MOST_WHAT_IF = 10_000_000  # games for each of dozens of questions


def all_sections(run: Run, challenges: str | Path | None = None, what_if: int = 0) -> list[Section]:
    """Return the sections of a report; challenges and what_if as of `page.write_report`. Raises InputError as it does."""
    whole(what_if, "what_if", 0, MOST_WHAT_IF)
    asked = [] if challenges is None else [_challenges(run, challenges)]  # first: the file may be wrong
    found = [key_numbers.section(run), Section("What these numbers can't say", limits(run)), _scores(run), _seats(run)]
    if _several(run):
        found.append(_policies(run))
    found += [_luck(run), _shape(run), *_measures(run), *asked, *run.game.sections(run, what_if)]
    return [*found, _words(), _provenance(run, challenges, what_if)]


def _several(run: Run) -> bool:
    return len({*run.manifest.policies}) > 1


def _scores(run: Run) -> Section:
    frame, counts = scores.summary(run), scores.histogram(run)
    rows = frame.select(pl.col("title").alias("measure"), *estimate("value"), "unit")
    whole_points = pl.Series([metric not in metrics_of(run.game) for metric in frame["metric"]])  # quantiles and ends
    items: list[Item] = [
        "Read the middle half first: a quarter of all scores is at most the 25% number, another quarter above the 75% one.",
        Table(f"How scores are spread, of all seats; {IN_BRACKETS}", rows.filter(whole_points), {"value": ".0f"}),
        Table(f"Means and shares over all seats; {IN_BRACKETS}", rows.filter(~whole_points)),
        Picture("How often each score comes up, all seats together", partial(draw_scores.histogram, counts)),
    ]
    if _several(run):
        by = scores.histogram(run, ["policy"])
        items.append(Picture("How often each score comes up, by policy", partial(draw_scores.histogram, by, by="policy")))
    return Section("Scores", items)


def _seats(run: Run) -> Section:
    by = "team" if len(run.game.sides()) < run.game.players else "seat"
    frame, ways, needed = seats.advantage(run, by), seats.ways_to_win(run, by), seats.games_for(run, WISH, by)
    word = "side" if by == "team" else "seat"
    table = frame.select(
        pl.col(by).alias(word), *estimate("win share", "win_share", "win_low", "win_high"),
        *estimate("par = 1", "of_par", "of_par_low", "of_par_high"), *estimate("score", "score", "score_low", "score_high"),
        *estimate("above the mean", "above", "above_low", "above_high"),
    )  # fmt: skip
    return Section("Seats", [
        f'An interval that does not hold par (1 in the column "par = 1") tells of a {word} that is better or worse placed. '
        + " ".join(_equal(seats.equal_seats(run))),
        *[seats.caution(run)] * bool(seats.caution(run)),
        Table(f"What each {word} wins and scores; {TOGETHER}, those of a column",
              table, {"win share": ".2%", "par = 1": ".3f", "score": ".2f", "above the mean": "+.2f"}),
        Picture(f"Win shares by {word}, 1 is par; intervals hold together, 95%", partial(draw_seats.advantage, frame)),
        Table(f"How each {word} wins, shares of all games; {TOGETHER}, those of a way",
              ways.select(pl.col(by).alias(word), pl.col("way"), *estimate("share of games", "share")), {"share of games": ".2%"}),
        f"The run has {run.manifest.games:,} games. To know every win share to ±{100 * WISH:g} percentage points takes about "
        f"{_rough(max(needed['needed'])):,} games in all.",
    ])  # fmt: skip


_COMPARED = {"win_share": "win shares", "score": "scores"}


def _equal(tests: pl.DataFrame) -> Iterator[str]:
    """Yield in words what the tests of "all seats are equal" found, corrected for one another: each may be claimed."""
    p_values = corrected(tests["p_value"].cast(pl.Float64).fill_null(float("nan")).to_numpy(), CLAIM)
    both = f", corrected for {len(tests)} tests" if np.isfinite(p_values).sum() > 1 else ""
    for row, p in zip(tests.iter_rows(named=True), p_values, strict=True):
        what = _COMPARED[row["metric"]]
        if np.isnan(p):
            yield f"Whether all {what} are equal can't be tested ({row['note']})."
        else:
            found = "they are not all equal" if p < SURE else "they may well be equal"
            yield f"All {what} at once: {found} ({p_told(p)}{both})."


def _rough(games: int) -> int:
    """Return a number of games as far as it is known, two digits of it.

    >>> _rough(51_895), _rough(60)
    (52000, 60)
    """
    return int(float(f"{games:.1e}"))


def _policies(run: Run) -> Section:
    metrics = metrics_of(run.game)
    wanted = [metrics[key] for key in ("win_share", "score", "margin", "below_zero") if key in metrics]
    titles = {metric.key: metric.title for metric in wanted}
    return Section("Policies", [
        "A policy whose interval is above another's does better here, against these others. `veggies-sim ladder` plays all seat "
        "orders of policies on the same deals, which tells more with fewer games.",
        wide(f"What each policy does at its seats; {IN_BRACKETS}", estimates(run, wanted, ["policy"]), ["policy"], titles),
    ])  # fmt: skip


_SOURCES = {
    "deal": "luck of the deal", "line-up": "who sits where", "interaction": "deals that suit some line-ups",
    "rest": "the policies' own draws and the rest",
}  # fmt: skip


def _luck(run: Run) -> Section:
    frame, note = seats.luck_shares(run)
    if frame is None:
        return Section("Luck and skill", [note])
    table = frame.select(pl.col("source").replace_strict(_SOURCES).alias("where a margin comes from"), *estimate("share", "share"))
    return Section("Luck and skill", [
        "How far a seat's margin varies from game to game, and what makes it vary: the larger the share of the deal, the less "
        f"the players matter. {note}",
        Table(f"Shares of the variance of a seat's margin; {IN_BRACKETS}", table, {"share": ".1%"}),
    ])  # fmt: skip


def _shape(run: Run) -> Section:
    found = shape.shape(run)
    items: list[Item] = list(found.notes)
    if found.facts is not None:
        rows = found.facts.select(pl.col("title").alias("measure"), *estimate("value"), "unit")
        items.append(Table(f"How games run; {IN_BRACKETS}", rows))
    if found.half_time is not None:
        points = estimate("points ahead or behind", "points", "points_low", "points_high")
        half = found.half_time.select(
            pl.col("winner").alias("the winner at half time"), *estimate("share of games", "share"), *points
        )
        items.append(
            Table(
                f"Where winners stood at half time; {IN_BRACKETS}", half, {"share of games": ".1%", "points ahead or behind": ".1f"}
            )
        )
    pictures = (
        (found.decided, draw_shape.decided, "From which turn the winner stays ahead, share of games"),
        (found.changes, draw_shape.lead_changes, "How often the lead changes in a game"),
        (found.choices, draw_shape.choices, "How many moves there are to choose from at each turn"),
    )
    items += [Picture(caption, partial(draw, frame)) for frame, draw, caption in pictures if frame is not None]
    return Section("The shape of play", items)


def _measures(run: Run) -> Iterator[Section]:
    """Yield the game's own metrics, where it has any."""
    metrics = {metric.key: metric for metric in run.game.metrics()}
    if metrics:
        found = estimates(run, list(metrics.values()))
        words = [
            pl.col("metric").replace_strict({key: getattr(metric, name) for key, metric in metrics.items()}).alias(column)
            for name, column in (("title", "measure"), ("doc", "what it is"))
        ]
        rows = found.select(words[0], *estimate("value"), "unit", words[1])
        yield Section(f"What else {run.game.title} counts", [Table(f"Means and shares of the whole run; {IN_BRACKETS}", rows)])


def _challenges(run: Run, file: str | Path) -> Section:
    from veggies_sim.analysis.challenges import challenges
    from veggies_sim.plots.challenges import chances

    found = challenges(run, file)
    rows = found.select("challenge", "condition", "policy", *estimate("chance", "chance"))
    answers = [
        f"Challenge {show(row['challenge'])}: met in {told(row)} of the games of {_who(row['policy'])}."
        for row in found.select("challenge", "policy", "low", "high", value="chance", unit=pl.lit(SHARE)).iter_rows(named=True)
    ]
    return Section("Challenges", [
        "How often a seat ends a game having met each challenge, by the policy that played it.",
        Table(f"Chance of a seat to meet each challenge; {IN_BRACKETS}", rows, {"chance": ".2%"}),
        Picture("Chances of meeting each challenge, 95% intervals", partial(chances, found)),
    ], answers)  # fmt: skip


def _who(policy: str) -> str:
    from veggies_sim.analysis.challenges import ALL

    return "a seat, whatever its policy" if policy == ALL else f"a seat of {policy}"


_WORDS = {
    "deal": "one shuffle; games on one deal are alike, so intervals count deals, not games or seats",
    "interval": "a range that is made so that in 95 of 100 runs like this one it holds the true value: that of endless games of "
    "the same players",
    "margin": "points of the own side minus those of the best other side",
    "par": "the win share of equals: 1 divided by the number of sides",
    "policy": "a rule by which a simulated player moves",
    "seat": "a place at the table, counted from 0 in playing order",
    "side": "who wins together: a seat for itself, or the seats of a team",
    "spread": "standard deviation: how far a single game is from the mean, typically",
    "win share": "share of games won; where k sides share a win, each has won 1/k of it",
}


def _words() -> Section:
    return glossary("Words", "Words of this report", _WORDS)


def _provenance(run: Run, challenges: str | Path | None, what_if: int) -> Section:
    rows = facts(run) | asked_for(run, challenges, what_if)
    frame = pl.DataFrame({"what": list(rows), "value": list(rows.values())})
    return Section("Where this comes from", [Table("The run, as its manifest run.json has it, and this report", frame)])
