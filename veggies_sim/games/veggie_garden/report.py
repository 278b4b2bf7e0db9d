"""What a report says of Veggie Garden besides what it says of every game: one short function for each section."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

import polars as pl

from veggies_sim.analysis.corrections import claimed
from veggies_sim.analysis.metrics import SHARE
from veggies_sim.analysis.what_if import Played, changes, from_mean, levels
from veggies_sim.core.dataset import Run
from veggies_sim.core.errors import IllegalMove, InputError
from veggies_sim.core.policy import is_own
from veggies_sim.games.veggie_garden.analysis import actions, bonus, kinds, plots, what_if
from veggies_sim.report.section import Drawing, Item, Picture, Section, Table, estimate, glossary, wide
from veggies_sim.report.words import IN_BRACKETS

if TYPE_CHECKING:
    from veggies_sim.games.veggie_garden.game import VeggieGarden

ASK = "To see it, add `--what-if GAMES` (such as 2000): the same deals are then played again with other boards."
MEAN = "from the mean of the six"
NO_MOVES = "Moves were not recorded, so {}. Simulate with --record moves."


def sections(game: VeggieGarden, run: Run, what_if_games: int) -> list[Section]:
    """Return the sections on kinds, actions, the bonus, other boards and a garden. Raises InputError for damaged files."""
    if any(map(is_own, run.manifest.policies)):
        what_if_games = 0  # code is never run by a file's word
    found = [_kinds(run), _actions(run), _bonus(run), _boards(game, run, what_if_games)]
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


def _bonus(run: Run) -> Section:
    found = bonus.decides(run)
    none = found.filter(bonus=0, metric="other_winner").row(0, named=True)
    own = run.game.rules["bonus"]
    said = f"Without the {own} points for holding every kind, other seats would have won {none['value']:.1%} of these games "
    return Section("The bonus", [
        f"{said}({none['low']:.1%} .. {none['high']:.1%}): so often the bonus decides.",
        wide(f"Mechanical: the same games with another bonus, hands as recorded; {IN_BRACKETS}", found, ["bonus"], _BONUS),
        Picture("How often another bonus gives another winner", partial(plots.decides, found)),
    ])  # fmt: skip


_BONUS = {
    "score": "score",
    "winner_score": "winner's score",
    "lead": "lead",
    "shared_wins": "shared wins",
    "other_winner": "another winner",
}


def _boards(game: VeggieGarden, run: Run, games: int) -> Section:
    if not games:
        words = "which five kinds make the closest game, what posts, bunny and groundhog do, and seats of 2, 3 and 4 players"
        return Section("Other boards", [f"What other boards cause ({words}) is another question. {ASK}"])
    m = run.manifest
    how: dict[str, Any] = {"seed": m.seed, "policy_seed": m.policy_seed}
    items: list[Item] = [
        f"The same deals again with other boards, {games:,} games each, players free to adapt. Boards are compared deal by "
        "deal; p of a difference is corrected for all rows of its table.",
    ]
    families = (
        ("Which five of the six kinds", what_if.without_each, MEAN),
        ("Points of the posts", what_if.posts, f"from {what_if.spread_name(game)}"),
        ("Bunny and groundhog", what_if.tokens, "from the game as it is"),
    )
    for title, family, against in families:
        try:
            arms = family(game)
        except InputError as fault:  # a board of one's own may be too small for some
            items.append(f"{title}: can't be played ({fault})")
            continue
        items += _family(title, what_if.ask(arms, m.policies, games, **how), against)
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
    return Section("Other boards", items)


def _family(title: str, played: Played, against: str) -> Iterator[Item]:
    """Yield what one family of boards says: levels, and differences of the winner's lead."""
    table = levels(played)
    words = "; ".join(f"{metric.title}: {metric.doc}" for metric in played.metrics if metric.key in _NEW)
    titles = {metric.key: metric.title for metric in played.metrics}
    yield wide(f"{title}: what each board gives; {IN_BRACKETS}. {words}", table, ["board"], {key: titles[key] for key in _SHOWN})
    apart = from_mean(played) if against == MEAN else changes(played)
    apart = claimed(apart.filter(pl.col("metric").is_in(_CLOSE)))
    rows = apart.select(
        "board", pl.col("metric").replace_strict(_CLOSE).alias("measure"), "unit", *estimate("difference", "change"), p="p_claim"
    )
    yield Table(f"{title}: how far the board is {against}, deal by deal; {IN_BRACKETS}", rows, {"p": ".3f"})
    yield Picture(f"{title}: difference of the winner's lead {against}", partial(plots.boards, apart, "lead", against))


_SHOWN = ("lead", "shared_wins", "score_sd", "score", "bonus_share", "most_of_best", "from_cards", "seat_0_win")
_NEW = ("most_of_best", "from_cards")
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
