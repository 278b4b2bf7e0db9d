"""What is measured of a run of Veggie Garden besides what every game has, and what conditions on its rows may name.

Columns of a kind that is not in play are null: sums leave them out. They have small types that overflow: cast first.
"""

from __future__ import annotations

import polars as pl

from veggies_sim.analysis.metrics import POINTS, SHARE, Metric
from veggies_sim.games.veggie_garden.board import IN_PLAY, KINDS

ONE = pl.lit(1.0)
WIN = pl.col("win").cast(pl.Float64)
CARDS = "cards"  # a unit


def held(kind: str) -> pl.Expr:
    """Return the cards of a kind in the hand."""
    return pl.col(f"{kind}_held").cast(pl.Int32)


def value(kind: str) -> pl.Expr:
    """Return the points of each card of a kind."""
    return pl.col(f"{kind}_value").cast(pl.Int32)


def points(kind: str) -> pl.Expr:
    """Return what a kind brings the hand."""
    return held(kind) * value(kind)


KINDS_HELD = pl.sum_horizontal((held(kind) > 0).cast(pl.Int32) for kind in KINDS)
BEST, WORST = pl.max_horizontal(map(value, KINDS)), pl.min_horizontal(map(value, KINDS))  # values of kinds in play
TOP = pl.max_horizontal(map(points, KINDS))  # what the kind brings that pays the hand most
TOP_CARDS = pl.max_horizontal(pl.when(points(kind) == TOP).then(held(kind)) for kind in KINDS)
CARD_POINTS = pl.col("score").cast(pl.Int32) - pl.col("bonus").cast(pl.Int32)
BEST_HELD = pl.sum_horizontal(pl.when(value(kind) == BEST).then(held(kind)) for kind in KINDS)  # of the most valuable kind

METRICS = (
    Metric("bonus_share", "hands with every kind", SHARE, "share of hands that hold every kind in play, as the bonus wants",
           (KINDS_HELD == IN_PLAY, ONE)),
    Metric("bonus_points", "bonus points", POINTS, "points that a seat has for holding every kind", (pl.col("bonus"), ONE)),
    Metric("kinds_held", "kinds in a hand", "kinds", "different kinds in a hand", (KINDS_HELD, ONE)),
    Metric("best_value", "best value", POINTS, "points of a card of the most valuable kind", (BEST, ONE), per_seat=False),
    Metric("worst_value", "worst value", POINTS, "points of a card of the least valuable kind in play", (WORST, ONE),
           per_seat=False),
    Metric("top_share", "points of the best-paying kind", SHARE,
           "share of a hand's points, bonus left out, from the kind that pays it most", (TOP, CARD_POINTS)),
    Metric("winner_top_cards", "winner's best-paying cards", CARDS,
           "cards of the kind that pays the winning hand most", (WIN * TOP_CARDS, WIN), per_seat=False),
)  # fmt: skip

MEASURES = {
    "kinds_held": KINDS_HELD,  # different kinds in the hand
    "most_cards": pl.max_horizontal(map(held, KINDS)),  # cards of the kind that the hand has most of
    "best_value": BEST,  # points of a card of the most valuable kind
    "worst_value": WORST,  # of the least valuable one in play
    "best_held": BEST_HELD,  # cards of the most valuable kind
    "top_points": TOP,  # points of the kind that pays most
}

_MOST = BEST_HELD.eq(BEST_HELD.max().over("game"))  # several hands of a game, where they hold equally many
MOST_OF_BEST = Metric(
    "most_of_best", "wins with most of the best kind", SHARE,
    "share of wins by a hand that holds as many cards of the most valuable kind as any in its game",
    (WIN * _MOST, WIN), per_seat=False,
)  # fmt: skip
HANDS_WITH_MOST = Metric(
    "hands_with_most", "hands with most of the best kind", SHARE,
    "share of all hands that hold as many: what the share of wins would be if any hand were as likely to win",
    (_MOST, ONE), per_seat=False,
)  # fmt: skip


def _apart(points: pl.Expr) -> pl.Expr:
    """Return how far points are from the mean of the seats of the game."""
    return points - points.mean().over("game")


FROM_CARDS = Metric(
    "from_cards", "score differences due to cards", SHARE,
    "of what sets the scores of one game apart, the part that is points of cards and not the bonus (each as squared distances "
    "from the mean of the game)",
    (_apart(CARD_POINTS) ** 2, _apart(CARD_POINTS) ** 2 + _apart(pl.col("bonus").cast(pl.Int32)) ** 2), per_seat=False,
)  # fmt: skip
