"""What if the board were another? Families of games to play on the same deals by `analysis.what_if.play_games`.

    played = ask(without_each(game), "greedy", 2_000, seed=1)     which five of the six kinds
    from_closest(played)

Posts and gardens of the same deal lie alike slot by slot: with five other kinds each place of the deck holds one of the kinds
that are there, and posts of other points lie in the same order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from veggies_sim.analysis.corrections import claimed
from veggies_sim.analysis.intervals import LEVEL
from veggies_sim.analysis.metrics import Metric
from veggies_sim.analysis.seats import advantage
from veggies_sim.analysis.what_if import Played, changes, levels, play_games, seat_win
from veggies_sim.core.errors import InputError, show
from veggies_sim.core.game import Game
from veggies_sim.core.policy import Given
from veggies_sim.core.runner import simulate
from veggies_sim.games.veggie_garden.analysis.metrics import FROM_CARDS, HANDS_WITH_MOST, MOST_OF_BEST
from veggies_sim.games.veggie_garden.board import KINDS, WORDS
from veggies_sim.games.veggie_garden.game import VeggieGarden

OUTCOMES: tuple[str | Metric, ...] = (
    "score", "winner_score", "score_sd", "lead", "shared_wins", "bonus_share", "best_value", "worst_value", MOST_OF_BEST,
    HANDS_WITH_MOST, FROM_CARDS, seat_win(0),
)  # fmt: skip
SPREADS = ("2-2-2", "1-2-3", "0-2-4", "1-2-4")  # points of the three kinds of posts, four of each
BOARD = "board"  # the column of a game's name


def check_garden(game: object) -> VeggieGarden:
    """Return what callers give as a game of Veggie Garden. Raises InputError where it is none."""
    if not isinstance(game, VeggieGarden):
        raise InputError(f"game: found {show(game)}; give a game of Veggie Garden, such as vs.VeggieGarden(players=3).")
    return game


def variant(game: VeggieGarden, players: int | None = None, **rules: object) -> VeggieGarden:
    """Return the game with some other rules, or with other players. Raises InputError as the game does."""
    return type(check_garden(game))(players or game.players, rules={**game.rules, **rules})


def without_each(game: VeggieGarden) -> dict[str, VeggieGarden]:
    """Return six games by name, each without one of the kinds."""
    return {f"without {kind}": variant(game, kinds="+".join(each for each in KINDS if each != kind)) for kind in KINDS}


def posts(game: VeggieGarden, spreads: Sequence[str] = SPREADS) -> dict[str, VeggieGarden]:
    """Return games by name with other posts, the game itself first.

    spreads: as "1-2-4", the points of three kinds of posts. Raises InputError for others.
    """
    found = {spread_name(game): game}
    for spread in spreads:
        numbers = spread.split("-")
        if len(numbers) != 3:
            raise InputError(f"spreads: found {show(spread)}; give three numbers, such as 1-2-4.")
        found.setdefault(spread, variant(game, posts=",".join(number for number in numbers for _ in range(4))))
    return found


def spread_name(game: VeggieGarden) -> str:
    """Return the points of the three kinds of posts as 1-2-3, or "as it is" where there are not four of each of three."""
    points = str(check_garden(game).rules["posts"]).split(",")
    return "-".join(points[::4]) if all(points[i] == points[i + 3] for i in (0, 4, 8)) else "as it is"


def tokens(game: VeggieGarden) -> dict[str, VeggieGarden]:
    """Return four games by name, with and without bunny and groundhog, the game itself first.

    Where kinds are drawn, a sixth of the games has no carrots, and another sixth no peas: tokens then change nothing.
    """
    placed = str(check_garden(game).rules["groundhog"])
    placed = "policy" if placed == "off" else placed
    own = (game.rules["bunny"], game.rules["groundhog"])
    pairs = [(bunny, hog) for bunny in (WORDS[True], WORDS[False]) for hog in (placed, "off")]
    pairs.sort(key=lambda pair: pair != own)
    return {f"bunny {b}, groundhog {h if h == 'off' else 'on'}": variant(game, bunny=b, groundhog=h) for b, h in pairs}


def from_closest(played: Played, metric: str = "lead", keys: Sequence[str] = ("lead",)) -> pl.DataFrame:
    """Return how much each other board differs from that with the lowest value of a metric, deal by deal, the nearest first.

    keys: of the metrics to compare, `metric` among them. Columns: those of `what_if.changes`; against, the board with the
    lowest value; p_claim. The same games choose that board, so p_claim is corrected for all pairs of boards and keys.
    """
    values = levels(played).filter(metric=metric).sort("value", maintain_order=True)
    order = values[played.word].to_list()
    pairs = [
        changes(played, against=name).filter(pl.col(played.word).is_in(order[place + 1 :]), pl.col("metric").is_in(keys))
        .with_columns(against=pl.lit(name))
        for place, name in enumerate(order)
    ]  # fmt: skip
    found = claimed(pl.concat(pairs)).filter(against=order[0])
    return found.sort(pl.col(played.word).cast(pl.Enum(order)), maintain_order=True)


def points_of_posts(game: Game) -> int:
    """Return what all posts of the game show together."""
    return sum(map(int, str(check_garden(game).rules["posts"]).split(",")))


def all_even(game: Game) -> bool:
    """Say whether every score is even: the bonus and the points of all posts are."""
    rules = check_garden(game).rules
    return not any(int(each) % 2 for each in (*str(rules["posts"]).split(","), str(rules["bonus"])))


def bonuses(game: VeggieGarden, points: Sequence[int] = (0, 5, 10, 15, 20)) -> dict[str, VeggieGarden]:
    """Return games by name with another bonus, the game itself first."""
    own = int(check_garden(game).rules["bonus"])
    return {f"bonus {each}": variant(game, bonus=each) for each in dict.fromkeys((own, *points))}


def ask(
    games: Mapping[str, Game],
    policies: Given | Sequence[Given] | None = None,
    games_count: int = 10_000,
    *,
    metrics: Sequence[str | Metric] = OUTCOMES,
    **how: Any,
) -> Played:
    """Play the same deals with each game; all as of `analysis.what_if.play_games`, with the metrics that boards are asked for."""
    return play_games(games, policies, games_count, metrics=metrics, word=BOARD, **how)


def enough_players(game: VeggieGarden) -> list[int]:
    """Return the numbers of players that the game's deck is large enough for."""
    check_garden(game)
    found = []
    for count in range(game.min_players, game.max_players + 1):
        try:
            found.append(variant(game, count).players)
        except InputError:
            break
    return found


def seats_by_players(
    game: VeggieGarden,
    policy: Given | None = None,
    games_count: int = 10_000,
    players: Sequence[int] = (2, 3, 4),
    *,
    seed: int | None = None,
    policy_seed: int | None = None,
    jobs: int | None = None,
    level: float = LEVEL,
) -> pl.DataFrame:
    """Return what each seat wins with each number of players, one policy at all seats: `seats.advantage` for each number.

    Columns: players, and those of `advantage`. Raises InputError as `simulate`, such as for a deck that is too small.
    """
    frames = []
    for count in players:
        other = variant(game, count)
        run = simulate(other, policy or other.default_policy, games_count, seed=seed, policy_seed=policy_seed, jobs=jobs)
        frames.append(advantage(run, level=level).select(pl.lit(count).alias("players"), pl.all()))
    return pl.concat(frames)
