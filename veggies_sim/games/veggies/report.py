"""What a report says of Veggies besides what it says of every game: one short function for each section."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

import polars as pl

from veggies_sim.analysis.line_ups import par_of
from veggies_sim.analysis.metrics import SHARE
from veggies_sim.core.dataset import Run
from veggies_sim.core.errors import IllegalMove, InputError
from veggies_sim.core.policy import is_own
from veggies_sim.games.veggies.analysis import card_plots, cards, goods, plots, rats
from veggies_sim.games.veggies.analysis.card_what_if import card_changes
from veggies_sim.games.veggies.analysis.what_if import Played
from veggies_sim.games.veggies.deck import EMPTY, LETTERS, RAT
from veggies_sim.report.section import Drawing, Item, Picture, Section, Table, estimate, wide
from veggies_sim.report.words import IN_BRACKETS, SURE, p_told

if TYPE_CHECKING:
    from veggies_sim.games.veggies.game import Veggies

ASK = "To see it, add `--what-if GAMES` (such as 2000): the same deals are then played again with other decks."


def sections(game: Veggies, run: Run, what_if: int) -> list[Section]:
    """Return the sections on goods, rats, cards and stands. Raises InputError for damaged files."""
    if any(map(is_own, run.manifest.policies)):
        what_if = 0  # code is never run by a file's word
    return [_goods(run), _rats(game, run, what_if), _cards(game, run, what_if), _stands(game, run), _words()]


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


def _rats(game: Veggies, run: Run, what_if: int) -> Section:
    how = {"seed": run.manifest.seed, "policy_seed": run.manifest.policy_seed}
    played = rats.other_decks(game, _rat_counts(game), run.manifest.policies, what_if, **how) if what_if else None
    ways, by_rats = rats.side_by_side(run, played), rats.by_rats(run)
    return Section("Rats", [
        "What does a rat cost? Several ways to ask give several answers, and each is right for its own question.",
        Table(f"Points per rat; {IN_BRACKETS}", ways.select("way", *estimate("points per rat"), "question"),
              {"points per rat": "+.2f"}),
        Picture("Points per rat, each way for its own question", partial(plots.side_by_side, ways)),
        wide(f"Descriptive: stands by their visible rats; {IN_BRACKETS}", by_rats, ["rats", "stands"],
             {"score": "score", "win_share": "win share", "margin": "margin"}),
        Picture("Descriptive: scores of stands by their visible rats", partial(plots.by_rats, by_rats)),
        wide("Mechanical: the same games with another penalty for a rat, stands and announcements as recorded; another winner is "
             f"the share of games in which other seats win; {IN_BRACKETS}", rats.rescored(run), ["penalty"], _PENALTY),
        *(_other_decks(played) if played else [f"Interventional: what rats on the cards do to players who adapt. {ASK}"]),
    ])  # fmt: skip


_PENALTY = {"score": "score", "winner_score": "winner's score", "other_winner": "another winner", "tie_breaks": "tie-breaks"}


def _other_decks(played: Played) -> Iterator[Item]:
    """Yield what other numbers of rats on the cards do."""
    curve = rats.curve(played).sort("rats_in_deck", maintain_order=True)
    yield wide(
        f"Interventional: the same {played.deals:,} deals with other numbers of rats on the cards, {played.games:,} games each, "
        f"players free to adapt; choices changed are against the deck as it is; {IN_BRACKETS}",
        curve.rename({"rats_in_deck": "rats in the deck"}), ["rats in the deck"],
        {metric.key: metric.title for metric in played.metrics},
    )  # fmt: skip
    yield Picture("Interventional: mean score over the rats in the deck", partial(plots.curve, curve))


def _rat_counts(game: Veggies) -> list[int]:
    """Return numbers of rats to try, the deck's own first."""
    spaces = game.setup.counts()
    own, most = spaces[RAT], spaces[RAT] + spaces[EMPTY]
    steps = {0, own // 2, own * 3 // 2, own * 2} if own else {most // 4, most // 2, most}
    return [own, *sorted({min(count, most) for count in steps} - {own})]


def _cards(game: Veggies, run: Run, what_if: int) -> Section:
    seen: list[Item] = ["Moves were not recorded, so nothing is said of single cards. Simulate with --record moves."]
    if run.manifest.record == "moves":
        found = cards.card_impact(run)
        seen = [
            "A screen for cards worth a closer look, not a proof of what a card does:", *cards.BIASES, _as_seen(found),
            Picture("Win shares of the seats that laid each card; the dashed line is par",
                    partial(card_plots.plot_card_impact, found, par=par_of(game))),
        ]  # fmt: skip
    caused: list[Item] = [f"What the goods of a card cause is another question. {ASK}"]
    if what_if:
        m = run.manifest
        changed = card_changes(game, None, m.policies, what_if, choices=False, seed=m.seed, policy_seed=m.policy_seed)
        rows = changed.filter(metric="score").select("card", *estimate("change of the score", "change"), p="p_claim")
        caused = [
            Table(f"What the goods of a card cause: the same deals, {what_if:,} games each, with the card's goods made empty; "
                  f"change of a seat's mean score, {IN_BRACKETS}; p: of no change, corrected for all that was tested",
                  rows, {"change of the score": "+.2f", "p": ".3f"}),
            Picture("Change of the mean score when a card's goods are made empty", partial(card_plots.plot_card_changes, changed)),
        ]  # fmt: skip
    return Section("Cards", [*seen, *caused])


def _as_seen(found: pl.DataFrame) -> Table:
    """Return the most telling columns of `cards.card_impact`."""
    shown = [metric for metric in cards.METRICS if metric.key in _SEEN]
    words = "; ".join(f"{metric.title}: {metric.doc}" for metric in shown)
    columns = [each for m in shown for each in estimate(m.title, m.key, f"{m.key}_low", f"{m.key}_high")]
    formats = {metric.title: ".1%" if metric.unit == SHARE else ".2f" for metric in shown} | {"p": ".3f"}
    caption = f"Cards as games show them; {IN_BRACKETS}. {words}; p: of a win share equal to par, corrected for all cards"
    return Table(caption, found.select("card", *columns, p="p_screen"), formats)


_SEEN = ("ramp_taken", "hand_taken", "laid", "turn", "spaces", "win_share", "score")


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
        f"{words}: {points} of seat {seat} ({policy}) in game {number}; `veggies-sim replay DIR --game {number}` tells how it came",
        picture,
    )


_WORDS = {
    "card": "2 rows of 3 spaces; each shows a good, is empty, or shows a rat",
    "good": "strawberry, banana, grape, carrot or mushroom",
    "group": "visible spaces of one good that touch side to side; a good scores its largest group times the number of its groups",
    "announced": "each player names the good of the own largest group; what anybody names scores for all",
    "rat": "a space that costs points when it is visible at the end",
    "ramp": "the cards that lie face up for all to take",
    "stand": "what one player has laid; only what is visible from above counts",
}


def _words() -> Section:
    frame = pl.DataFrame({"word": list(_WORDS), "meaning": list(_WORDS.values())})
    return Section("Words of Veggies", [Table("Words of the game, as docs/veggies.md has them", frame)])
