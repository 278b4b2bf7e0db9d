"""What a report says of Veggies besides what it says of every game: one short function for each section."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

import polars as pl

from veggies_sim.analysis.corrections import CLAIM, corrected
from veggies_sim.analysis.line_ups import par_of
from veggies_sim.analysis.metrics import SHARE, Metric
from veggies_sim.core.dataset import Run
from veggies_sim.core.errors import IllegalMove, InputError
from veggies_sim.core.policy import is_own
from veggies_sim.games.veggies.analysis import card_plots, cards, goods, plots, rats
from veggies_sim.games.veggies.analysis.card_what_if import card_changes
from veggies_sim.games.veggies.analysis.what_if import CHANGED, Played
from veggies_sim.games.veggies.deck import EMPTY, LETTERS, RAT
from veggies_sim.report.section import P_VALUE, Drawing, Item, Picture, Points, Section, Table, estimate, glossary, wide
from veggies_sim.report.words import IN_BRACKETS, OWN, SURE, p_told, with_interval

if TYPE_CHECKING:
    from veggies_sim.games.veggies.game import Veggies

ASK = "To see it, add `--what-if GAMES` (such as 2000): the same deals are then played again with other decks."

NO_SPACE = "It can't be asked here: the deck has neither rats nor empty spaces, so no other number of rats."

_ADAPT = "Interventional: what rats on the cards do to players who adapt."


def sections(game: Veggies, run: Run, what_if: int) -> list[Section]:
    """Return the sections on goods, rats, cards and stands. Raises InputError for damaged files."""
    ask = ASK
    if any(map(is_own, run.manifest.policies)):
        what_if, ask = 0, f"{OWN[:1].upper()}{OWN[1:]}."  # code is never run by a file's word
    return [
        _goods(run), _rats(game, run, what_if, ask), _cards(game, run, what_if, ask), _stands(game, run), _words(game),
    ]  # fmt: skip


def _goods(run: Run) -> Section:
    test = goods.symmetry_test(run).row(0, named=True)
    alike = "Whether goods are alike can't be tested here."
    if test["p"] is not None:
        found = "they are not announced equally often" if test["p"] < SURE else "they may well be alike"
        alike = f"All goods at once: {found} ({p_told(test['p'])})."
    return Section("Goods", [
        f"Points of a good are its largest group times its number of groups, where anybody announced it. {alike}",
        wide(f"What each good brings a seat; {IN_BRACKETS}", goods.worth(run), ["good"], _WORTH),
        wide("Size against number: spaces of the largest group, number of groups, and how the two go together among stands (a "
             f"correlation; below 0: more groups, smaller ones); {IN_BRACKETS}", goods.sizes(run), ["good"], _SIZES),
        Picture("In how many games each good is announced by nobody, by one seat, by several",
                partial(plots.announced, goods.announced(run))),
        Picture("Which good brings winners most of their points, against all seats", partial(plots.carriers, goods.carriers(run))),
        Picture("Each good's share of all announcements; intervals hold together, 95%",
                partial(plots.symmetry, goods.symmetry(run))),
    ])  # fmt: skip


_WORTH = {
    "scored": "games scored in",
    "points_when_scored": "points then",
    "points": "points in all",
    "share_of_points": "of all points",
}
_SIZES = {"largest": "largest group", "groups": "groups", "correlation": "size and number"}


def _rats(game: Veggies, run: Run, what_if: int, ask: str) -> Section:
    how = {"seed": run.manifest.seed, "policy_seed": run.manifest.policy_seed}
    counts = _rat_counts(game)
    others = len(counts) > 1
    played = rats.other_decks(game, counts, run.manifest.policies, what_if, **how) if what_if and others else None
    ways, by_rats, own = rats.side_by_side(run, played), rats.by_rats(run), int(game.rules["rat_penalty"])
    rescored = rats.rescored(run).with_columns(_marked("penalty", own, "as played"))
    return Section("Rats", [
        "What does a rat cost? Several ways to ask give several answers, each right for its own question: take the one whose "
        "use is yours.",
        Table(f"Points of a seat per rat; {IN_BRACKETS}", ways.select("way", *estimate("points per rat"), "question", "use it"),
              {"points per rat": "+.2f"}),
        Picture("Points per rat, each way for its own question", partial(plots.side_by_side, ways)),
        wide(f"Descriptive: stands by their visible rats; {IN_BRACKETS}", by_rats, ["rats", "stands"],
             {"score": "score", "win_share": "win share", "margin": "margin"}),
        Picture("Descriptive: scores of stands by their visible rats", partial(plots.by_rats, by_rats)),
        wide("Mechanical: the same games with another penalty for a rat, stands and announcements as recorded; another winner is "
             f"the share of games in which other seats win; {IN_BRACKETS}", rescored, ["penalty"], _PENALTY),
        *(_other_decks(played) if played else [f"{_ADAPT} {ask if others else NO_SPACE}"]),
    ], [*_rat_answers(played)] if played else ())  # fmt: skip


def _marked(column: str, own: int, words: str) -> pl.Expr:
    """Return a column of numbers as text, that of the run with words beside it."""
    own_one = pl.when(pl.col(column) == own).then(pl.lit(f" ({words})")).otherwise(pl.lit(""))
    return pl.col(column).cast(pl.String) + own_one


def _rat_answers(played: Played) -> Iterator[str]:
    """Yield in a sentence what the experiment says a rat costs, and why its two numbers lie far apart."""
    found, counts = {row["metric"]: row for row in rats.per_rat(played).iter_rows(named=True)}, rats.rats_of(played)
    deck, seen, more = (
        with_interval(row["slope"], row["low"], row["high"], "+.3f")
        for row in (found["score"], found["score_per_visible_rat"], found["rats"])
    )
    yield (
        f"Rats: each rat more on the cards, in place of an empty space, changes a seat's mean score by {deck} points (the line "
        f"over decks of {min(counts)} to {max(counts)} rats). A stand then shows {more} rats more: most are not drawn or are "
        f"covered. For each rat that is to be seen that makes {seen} points."
    )


_PENALTY = {"score": "score", "winner_score": "winner's score", "other_winner": "another winner", "tie_breaks": "tie-breaks"}


def _other_decks(played: Played) -> Iterator[Item]:
    """Yield what other numbers of rats on the cards do."""
    curve = rats.curve(played).sort("rats_in_deck", maintain_order=True)
    marked = _marked("rats_in_deck", rats.rats_of(played)[0], "as it is").alias("rats in the deck")
    yield wide(
        f"Interventional: the same {played.deals:,} deals with other numbers of rats on the cards, {played.games:,} games each, "
        f"players free to adapt; choices changed: {CHANGED.doc}, which is the deck as it is; {IN_BRACKETS}",
        curve.with_columns(marked),
        ["rats in the deck"],
        {metric.key: metric.title for metric in _in_order(played)},
    )
    yield Picture("Interventional: mean score over the rats in the deck", partial(plots.curve, curve))


def _in_order(played: Played) -> list[Metric]:
    """Return the metrics, what answers "does it matter?" first."""
    first = ("score", "rats", "changed_moves", "named_win")
    return sorted(played.metrics, key=lambda metric: first.index(metric.key) if metric.key in first else len(first))


def _rat_counts(game: Veggies) -> list[int]:
    """Return numbers of rats to try, the deck's own first."""
    spaces = game.setup.counts()
    own, most = spaces[RAT], spaces[RAT] + spaces[EMPTY]
    steps = {0, own // 2, own * 3 // 2, own * 2} if own else {most // 4, most // 2, most}
    return [own, *sorted({min(count, most) for count in steps} - {own})]


def _cards(game: Veggies, run: Run, what_if: int, ask: str) -> Section:
    seen: list[Item] = ["Moves were not recorded, so nothing is said of who takes a card. Simulate with --record moves."]
    if run.manifest.record == "moves":
        seen = [*_as_seen(game, cards.card_impact(run))]
    if not what_if:
        return Section("Cards", [*seen, f"What the goods of a card cause is another question. {ask}"])
    m = run.manifest
    changed = card_changes(
        game, None, m.policies, what_if, metrics=["score"], choices=False, seed=m.seed, policy_seed=m.policy_seed
    ).filter(metric="score")
    changed = changed.with_columns(p_claim=pl.Series(corrected(changed["p"].to_numpy(), CLAIM))).sort("change", maintain_order=True)
    trust = (
        "Two ways to ask what a card is worth. What its goods cause is an experiment and tells what they are worth to these "
        "policies: trust it. As games show it describes who takes a card and how they fare: how the card is used, not what it does."
    )
    return Section("Cards", [trust, *_caused(changed, what_if), *seen], [_card_answer(changed)])


def _caused(changed: pl.DataFrame, games: int) -> Iterator[Item]:
    """Yield what the goods of cards do, as `card_changes` has it."""
    rows = changed.select("card", *estimate("change of the score", "change"), pl.col("p_claim").alias("p"))
    yield (
        f"The same deals, {games:,} games each, with the goods of a card made empty. An interval is that of its card alone; p, of "
        f"no change, is corrected for the {len(rows)} cards of the table (Holm): where it is below {SURE}, a change may be "
        f"claimed. So p may be above {SURE} where an interval leaves out 0."
    )
    yield Table(f"What the goods of a card cause, the card worth most first; {IN_BRACKETS}",
                rows, {"change of the score": "+.2f", "p": P_VALUE})  # fmt: skip
    yield Picture("Change of the mean score when a card's goods are made empty", partial(card_plots.plot_card_changes, changed))


def _card_answer(changed: pl.DataFrame) -> str:
    """Return which cards are worth most and least, and how many are surely worth anything."""

    def named(row: dict[str, Any]) -> str:
        ends = with_interval(row["change"], row["low"], row["high"], "+.2f")
        return f"{row['card']} {ends}"

    rows, sure = [*changed.iter_rows(named=True)], (changed["p_claim"] < SURE).sum()
    return (
        f"Cards: change of a seat's mean score when the goods of a card are made empty, the cards worth most: "
        f"{', '.join(map(named, rows[:3]))}; the one worth least: {named(rows[-1])}. Sure for {sure} of {len(rows)} cards "
        f"(p below {SURE}, corrected for all)."
    )


def _as_seen(game: Veggies, found: pl.DataFrame) -> Iterator[Item]:
    """Yield what `cards.card_impact` found: how owners of a card fare, and how it is used."""
    yield "As games show it, a screen for cards worth a closer look, to be read with this in mind:"
    yield Points(cards.BIASES)
    metrics = {metric.key: metric for metric in cards.METRICS}
    p = pl.col("p_screen").alias("p")
    for what, keys, more in (("How the seats that laid a card fare", _FARE, [p]), ("How a card is used", _USED, [])):
        columns = [each for key in keys for each in estimate(metrics[key].title, key, f"{key}_low", f"{key}_high")]
        formats = {metrics[key].title: ".1%" if metrics[key].unit == SHARE else ".2f" for key in keys} | {"p": P_VALUE}
        tested = "; p: of a win share equal to par, corrected for all cards (Benjamini and Hochberg, a screen)" if more else ""
        yield Table(f"{what}; {IN_BRACKETS}{tested}", found.select("card", *columns, *more), formats)
        yield Points([f"{metrics[key].title}: {metrics[key].doc}." for key in keys])
    yield Picture("Win shares of the seats that laid each card; the dashed line is par",
                  partial(card_plots.plot_card_impact, found, par=par_of(game)))  # fmt: skip


_FARE, _USED = ("win_share", "score", "laid"), ("ramp_taken", "hand_taken", "turn", "spaces")


def _stands(game: Veggies, run: Run) -> Section:
    """Draw the stand of a middling score, the highest and the lowest."""
    scores = pl.concat([run.collected(part.group_by("score").agg(pl.len().alias("seats"))) for part in run.scan_parts("seats")])
    scores = scores.group_by("score").agg(pl.col("seats").sum()).sort("score")
    middle = scores.filter(pl.col("seats").cum_sum() >= pl.col("seats").sum() / 2)["score"][0]
    lowest, highest = scores["score"][0], scores["score"][-1]
    items: list[Item] = [
        "How stands look at the end: the first in the dataset with the middle score of all seats, with the highest and with "
        "the lowest. The sum below each name makes the score; pale goods were announced by nobody. "
        f"{LETTERS[:1].upper()}{LETTERS[1:]}."
    ]
    try:
        items += [
            _stand(game, run, score, words)
            for score, words in ((middle, "The middle score"), (highest, "The highest score"), (lowest, "The lowest score"))
        ]
    except (InputError, IllegalMove) as fault:
        items.append(f"Stands can't be drawn: {fault}")
    return Section("Some finished stands", items)


def _stand(game: Veggies, run: Run, score: int, words: str) -> Drawing:
    """Draw the first stand with a score; its game is played again where moves were not recorded."""
    from veggies_sim.core.replay import find_record
    from veggies_sim.games.veggies.replay import finished_stand

    for part in run.scan_parts("seats"):
        rows = run.collected(part.filter(pl.col("score") == score).select("game", "seat", "policy")).sort("game", "seat")
        if len(rows):
            break
    number, seat, policy = rows.row(0)
    picture = finished_stand(game, find_record(run, number), seat)
    points = "1 point" if score == 1 else f"{score} points"
    return Drawing(
        f"{words}: {points} of seat {seat} ({policy}) in game {number}; in the dataset's folder "
        f"`veggies-sim replay . --game {number}` tells how it came",
        picture,
    )


_WORDS = {
    "card": "2 rows of 3 spaces; each shows a good, is empty, or shows a rat",
    "good": "strawberry, banana, grape, carrot or mushroom",
    "group": "visible spaces of one good that touch side to side; a good scores its largest group times the number of its groups",
    "rat": "a space that costs points when it is visible at the end",
    "ramp": "the cards that lie face up for all to take",
    "stand": "what one player has laid; only what is visible from above counts",
}


def _announced(game: Veggies) -> str:
    """Return what a player announces by the rules of the run."""
    said = "the good of the own largest group"
    if game.rules["announced"] == 2:
        said = "two different goods, those of the own largest groups"
        if game.rules["pair"] == "groups":
            said = "the goods of the two largest groups of the own stand, perhaps one good"
    return f"each player names {said}; what anybody names scores for all"


def _words(game: Veggies) -> Section:
    words = {**_WORDS, "announced": _announced(game)}
    return glossary("Words of Veggies", "Words of the game, as docs/veggies.md has them", dict(sorted(words.items())))
