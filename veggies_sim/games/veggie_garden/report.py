"""What a report says of Veggie Garden besides what it says of every game: one short function for each section."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

import polars as pl

from veggies_sim.analysis.corrections import claimed
from veggies_sim.analysis.metrics import SHARE
from veggies_sim.analysis.what_if import Played, changes, levels
from veggies_sim.core.dataset import Run
from veggies_sim.core.errors import IllegalMove, InputError
from veggies_sim.core.policy import is_own
from veggies_sim.games.veggie_garden.analysis import actions, bonus, kinds, plots, what_if
from veggies_sim.report.section import (
    FROM,
    P_VALUE,
    TO,
    Drawing,
    Item,
    Picture,
    Points,
    Section,
    Table,
    estimate,
    glossary,
    wide,
)  # fmt: skip
from veggies_sim.report.words import IN_BRACKETS, SURE, p_told, told, with_interval

if TYPE_CHECKING:
    from veggies_sim.games.veggie_garden.game import VeggieGarden

ASK = "To see it, add `--what-if GAMES` (such as 2000): the same deals are then played again with other boards."
NO_MOVES = "Moves were not recorded, so {}. Simulate with --record moves."


def sections(game: VeggieGarden, run: Run, what_if_games: int) -> list[Section]:
    """Return the sections on kinds, actions, the bonus, other boards and a garden. Raises InputError for damaged files."""
    if any(map(is_own, run.manifest.policies)):
        what_if_games = 0  # code is never run by a file's word
    found = [_kinds(run), _actions(run), _bonus(run, bool(what_if_games)), _boards(game, run, what_if_games)]
    return [*found, _garden(run), _words()]


def _kinds(run: Run) -> Section:
    found = kinds.worth(run)
    items: list[Item] = [
        wide(f"Each kind, in the games that have it in play; {IN_BRACKETS}", found, ["kind"], _WORTH),
        Picture("What a card of each kind is worth at the end", partial(plots.worth, found)),
        Picture("Cards of each kind in all hands and in winning hands", partial(plots.holders, found)),
    ]
    if run.manifest.record == "moves":
        rates = kinds.taken(run)
        items += [
            "A kind that is taken more often than by chance is wanted for its action or its value; at the last pick there is no "
            "action, and only the value counts.",
            wide(f"How often each kind is taken when it is on offer; {IN_BRACKETS}", rates, ["kind"],
                 {metric.key: metric.title for metric in kinds.TAKEN}),
            Picture("How often each kind is taken when it is on offer", partial(plots.taken, rates)),
        ]  # fmt: skip
    else:
        items.append(NO_MOVES.format("nothing is said of what was taken"))
    return Section("Kinds", items)


_WORTH = {
    "value": "value", "best": "no kind worth more", "worst": "no kind worth less", "held": "cards in a hand",
    "held_by_winners": "in a winning hand", "share_of_points": "of all points but bonus",
}  # fmt: skip


def _actions(run: Run) -> Section:
    if run.manifest.record != "moves":
        return Section("Actions", [NO_MOVES.format("nothing is said of single actions")])
    found = actions.impact(run)
    words = "; ".join(f"{metric.title}: {metric.doc}" for metric in actions.METRICS)
    columns = [each for m in actions.METRICS for each in estimate(m.title, m.key, f"{m.key}_low", f"{m.key}_high")]
    formats = {metric.title: ".1%" if metric.unit == SHARE else ".2f" for metric in actions.METRICS} | {"p": ".3f"}
    formats[actions.METRICS[-1].title] = "+.1%"
    rows = found.select(pl.col("action").str.replace("_", " "), *columns, p="p_screen")
    return Section("Actions", [
        "Which action wins games? A screen for actions worth a closer look, not a proof of what an action does:",
        *actions.BIASES,
        Table(f"Actions as games show them; {IN_BRACKETS}. {words}; p: of no such difference, corrected for all actions",
              rows, formats),
        Picture("How much more a seat wins for each use of an action than the other seats of its game",
                partial(plots.actions, found)),
    ])  # fmt: skip


def _bonus(run: Run, asked: bool) -> Section:
    found = bonus.decides(run)
    of = {row["metric"]: told(row) for row in found.filter(bonus=0).iter_rows(named=True)}
    said = (
        f"Without the {run.game.rules['bonus']} points for holding every kind, hands as recorded, not exactly the same seats would "
        f"have won {of['other_winner']} of these games: a sole win that becomes shared counts, and a shared one that becomes a "
        f"sole win. In {of['no_winner_left']} none of the winners would have won: so often the bonus alone decides."
    )
    return Section("The bonus", [
        said,
        wide("Mechanical: the same games with another bonus, hands as recorded; other winners: games in which not exactly the "
             f"same seats win; none of the winners: games in which no winner of the run wins; {IN_BRACKETS}",
             found, ["bonus"], _BONUS),
        Picture("How often another bonus gives other winners", partial(plots.decides, found)),
    ], [f"The bonus: {said[:1].lower()}{said[1:]}"] if asked else ())  # fmt: skip


_BONUS = {
    "score": "score",
    "winner_score": "winner's score",
    "lead": "lead",
    "shared_wins": "shared wins",
    "other_winner": "other winners",
    "no_winner_left": "none of the winners",
}


def _boards(game: VeggieGarden, run: Run, games: int) -> Section:
    if not games:
        words = "which five kinds make the closest game, what posts, bunny and groundhog do, and seats of 2, 3 and 4 players"
        return Section("Other boards", [f"What other boards cause ({words}) is another question. {ASK}"])
    m = run.manifest
    how: dict[str, Any] = {"seed": m.seed, "policy_seed": m.policy_seed}
    items: list[Item] = [
        f"The same deals again with other boards, {games:,} games each, players free to adapt. Boards are compared deal by "
        "deal; p of a difference is corrected for all rows and measures of its table, an interval is that of its row alone.",
    ]
    answers: list[str] = []
    for title, family, told_of in (
        ("Which five of the six kinds", what_if.without_each, _closest),
        ("Points of the posts", what_if.posts, _posts),
        ("Bunny and groundhog", what_if.tokens, _tokens),
    ):
        try:
            arms = family(game)
        except InputError as fault:  # a board of one's own may be too small for some
            items.append(f"{title}: can't be played ({fault})")
            continue
        played = what_if.ask(arms, m.policies, games, **how)
        more, answer = told_of(title, played)
        items += [_levels(title, played), *more]
        answers.append(answer)
    if len({*m.policies}) == 1:
        found = what_if.seats_by_players(game, m.policies[0], games, what_if.enough_players(game), **how)
        items += [
            Table("Seats with other numbers of players; in brackets intervals of which all of a number hold together, 95%",
                  found.select("players", "seat", *estimate("win share", "win_share", "win_low", "win_high"),
                               *estimate("par = 1", "of_par", "of_par_low", "of_par_high"),
                               *estimate("score", "score", "score_low", "score_high")),
                  {"win share": ".1%", "par = 1": ".2f", "score": ".1f"}),
            Picture("Win shares of seats with other numbers of players", partial(plots.players, found)),
        ]  # fmt: skip
    return Section("Other boards", items, answers)


def _levels(title: str, played: Played) -> Table:
    """Return what each board of a family gives."""
    words = "; ".join(f"{metric.title}: {metric.doc}" for metric in played.metrics if metric.key in _NEW)
    titles = {metric.key: metric.title for metric in played.metrics}
    return wide(f"{title}: what each board gives; {IN_BRACKETS}. {words}",
                levels(played), ["board"], {key: titles[key] for key in _SHOWN})  # fmt: skip


def _apart(title: str, apart: pl.DataFrame, against: str) -> Iterator[Item]:
    """Yield how far boards are from one of them, frame with p_claim."""
    found = wide(f"{title}: how far the board is {against}, deal by deal; {IN_BRACKETS}; p: of no such difference",
                 apart.rename({"change": "value"}), ["board"], _CLOSE)  # fmt: skip
    formats: dict[str, str] = {}
    columns = [pl.col("board")]
    table = found.frame
    for key, name in _CLOSE.items():
        p = f"p, {name}"
        formats |= {name: f"+{found.formats[name]}", p: P_VALUE}
        table = table.join(apart.filter(metric=key).select("board", pl.col("p_claim").alias(p)), on="board", maintain_order="left")
        columns += [pl.col(name, f"{name}{FROM}", f"{name}{TO}", p)]
    yield Table(found.caption, table.select(columns), formats)
    yield Picture(f"{title}: difference of the winner's lead {against}", partial(plots.boards, apart, "lead", against))


def _closest(title: str, played: Played) -> tuple[list[Item], str]:
    """Return how far the boards are from the closest game, and which that is."""
    apart = what_if.from_closest(played, "lead", [*_CLOSE])
    closest, leads = apart["against"][0], apart.filter(metric="lead")
    level = {row["board"]: row for row in levels(played).filter(metric="lead").iter_rows(named=True)}
    second = leads.row(0, named=True)
    sure = "surely closer" if second["p_claim"] < SURE else "the two may well be equally close"
    answer = (
        f"Which five of the six kinds: the closest game is that {closest}; its winner leads by "
        f"{_points(level[closest])} points. Runner-up is that {second['board']}, with "
        f"{_points(level[second['board']])}: {_change(second)}, deal by deal; {sure} "
        f"({p_told(second['p_claim'])}, corrected for all pairs of boards and measures). Surely less close: "
        f"{', '.join(leads.filter(pl.col('p_claim') < SURE)['board']) or 'none'}."
    )
    note = (
        f"The closest game is the one in which the winner's lead is smallest: {closest}. The same games choose it, so p is "
        "corrected for all pairs of boards and measures, while an interval is that of its row alone; with more games another may "
        "come first."
    )
    return [Points([note]), *_apart(title, apart, f"from {closest}")], answer


def _posts(title: str, played: Played) -> tuple[list[Item], str]:
    """Return how far boards with other posts are from the game itself, and what 1-2-4 does against 1-2-3."""
    row = _lead(changes(played, against="1-2-3"), "1-2-4")
    answer = f"Posts 1-2-4 in place of 1-2-3: the winner's lead changes by {_change(row)}. {_sums(played)}"
    notes = [_sums(played)]
    even = [name for name, arm in zip(played.names, played.arms, strict=True) if what_if.all_even(arm)]
    if even:
        notes.append(
            f"Shared wins: with {' and '.join(even)} all posts and the bonus, and so all scores, are even. Equal scores come up "
            "more often for that alone, so part of the difference in shared wins is no closer game."
        )
    apart = _claims(changes(played))
    return [Points(notes), *_apart(title, apart, f"from {played.names[0]}")], answer


def _sums(played: Played) -> str:
    """Return which boards have as many points on their posts as the first one."""
    sums = {name: what_if.points_of_posts(arm) for name, arm in zip(played.names, played.arms, strict=True)}
    first, *others = sums
    same = [name for name in others if sums[name] == sums[first]]
    other = [f"those of {name} to {sums[name]}" for name in others if sums[name] != sums[first]]
    kept = f"{' and '.join(same)} {'keeps' if len(same) == 1 else 'keep'} that sum" if same else ""
    changed = f"{', '.join(other)}, so its points and leads are larger or smaller for that alone" if other else ""
    return f"Posts of {first} add up to {sums[first]} points; {'; '.join(filter(None, (kept, changed)))}."


def _tokens(title: str, played: Played) -> tuple[list[Item], str]:
    """Return how far boards without bunny or groundhog are from the game itself, and what each does."""
    both = "bunny on, groundhog on"
    apart = changes(played, against=both)
    said = [
        f"{what}, {_change(_lead(apart, board))}"
        for what, board in (("without the bunny", "bunny off, groundhog on"), ("without the groundhog", "bunny on, groundhog off"),
                            ("without both", "bunny off, groundhog off"))
    ]  # fmt: skip
    answer = f"Bunny and groundhog: the winner's lead changes, against the game with both, so: {'; '.join(said)}."
    return [*_apart(title, _claims(changes(played)), f"from {played.names[0]}")], answer


def _claims(apart: pl.DataFrame) -> pl.DataFrame:
    return claimed(apart.filter(pl.col("metric").is_in([*_CLOSE])))


def _lead(apart: pl.DataFrame, board: str) -> dict[str, Any]:
    return apart.filter(metric="lead", board=board).row(0, named=True)


def _points(row: dict[str, Any]) -> str:
    return with_interval(row["value"], row["low"], row["high"], ".2f")


def _change(row: dict[str, Any]) -> str:
    return f"{with_interval(row['change'], row['low'], row['high'], '+.2f')} points"


_SHOWN = (
    "lead", "shared_wins", "score_sd", "score", "bonus_share", "most_of_best", "hands_with_most", "from_cards", "seat_0_win",
)  # fmt: skip
_NEW = ("most_of_best", "hands_with_most", "from_cards")
_CLOSE = {"lead": "winner's lead", "shared_wins": "shared wins", "score_sd": "spread of scores"}


def _garden(run: Run) -> Section:
    """Draw the last picture of the run's first game."""
    from veggies_sim.core.replay import replay

    number = run.held[0][0]
    try:
        step = replay(run, number)[-1]
    except (InputError, IllegalMove) as fault:
        return Section("A finished garden", [f"A garden can't be drawn: {fault}"])
    words = f"Game {number} at its end; `veggies-sim replay DIR --game {number}` tells how it came"
    return Section("A finished garden", [Drawing(words, step.svg)])


_WORDS = {
    "kind": "cabbage, carrot, pea, pepper, potato or tomato; five of them are in play",
    "value": "points of each card of a kind: the sum of the posts beside its cards in the garden",
    "post": "stands beside an outer card of the garden and gives points to its kind",
    "compost": "the four inner places of the garden, which give no points",
    "harvest": "four cards that lie face up for all to take",
    "bunny": "a post without points that replaces a numbered one where carrots are in play",
    "groundhog": "lies on a compost place where peas are in play; the card below it stays",
    "bonus": "points for a hand that holds every kind in play",
}


def _words() -> Section:
    return glossary("Words of Veggie Garden", "Words of the game, as docs/veggie_garden.md has them", _WORDS)
