"""The policies of Veggies by name: kernels that choose for a whole block of games at one turn, and what the shared ones need."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from veggies_sim.core.options import Option
from veggies_sim.core.policy import KernelPolicy, Policy, PolicyKind
from veggies_sim.games.veggies.deck import GOODS
from veggies_sim.games.veggies.features import FEATURES
from veggies_sim.games.veggies.greedy_policy import choose_greedy
from veggies_sim.games.veggies.random_policy import choose_random
from veggies_sim.games.veggies.sampled_policy import MOST, choose_sampled
from veggies_sim.policies.heuristic import Preset, heuristics
from veggies_sim.policies.search import search


class Sampled(Policy):
    """The best of a few random moves."""

    def __init__(self, looks: int) -> None:
        self._looks = looks

    def choose(self, view: Any, games: NDArray[np.int64], moves: NDArray[np.int16]) -> None:
        """Choose by the kernel."""
        choose_sampled(view, self._looks, games, moves)


TUNED = {
    "value": 1, "strawberry_largest": 2.3, "banana_largest": 2.19, "grape_largest": 2.14, "carrot_largest": 1.47,
    "mushroom_largest": 1.27, "rats_covered": 0.844, "goods_covered": -1.93, "covered": -0.108, "named": 0.575,
    "close": 0.463, "denied": -0.394,
}  # fmt: skip
PRESETS = (
    Preset(
        "heuristic",
        "the move with the highest weighted sum of features; as it comes, the weights are those of greedy",
        "docs/veggies.md: Value now",
        {"value": 1},
    ),
    Preset(
        "rat_averse",
        "a rat counts as five points instead of what it costs",
        "people fear a visible loss more than they value the same gain (Kahneman, Tversky 1979: about twice)",
        {"value": 1, "rats": -3},
    ),
    Preset(
        "stacker",
        "gathers each good in one large group",
        "only the largest group may be announced, so that size decides what counts",
        {"value": 1} | {f"{good}_largest": 2 for good in GOODS},
    ),
    Preset(
        "splitter",
        "spreads each good over many groups",
        "the number of groups multiplies the largest one",
        {"value": 1} | {f"{good}_groups": 2 for good in GOODS},
    ),
    Preset(
        "denier",
        "takes cards that show what the next player would announce",
        "the ramp is shared: what one takes the next can't",
        {"value": 1, "denied": 2},
    ),
    Preset(
        "follower",
        "builds goods that others announce or are about to",
        "goods that anybody announces score for everybody",
        {"value": 1, "named": 0.5, "close": 0.5},
    ),
    Preset(
        "spreader",
        "covers as little of the own stand as it can",
        "a wider stand has more visible goods in the end",
        {"value": 1, "covered": -1},
    ),
    Preset(
        "tuned",
        "wins most against two greedy players of the shipped deck, as far as a search found",
        "veggies-sim policies tune --policy stacker --weight rats_covered --weight goods_covered --weight covered --weight named "
        "--weight close --weight denied --against greedy --generations 25 --population 12 --games 360 --check-games 6000 --seed 1: "
        "38.3% of wins (37.2% .. 39.4%) where equal players have 33.3%",
        TUNED,
    ),
)
POLICIES = (
    PolicyKind(
        "random",
        "every distinct legal move (source x distinct face x position) is equally likely",
        "docs/veggies.md: Random",
        lambda game, values: KernelPolicy(choose_random),
    ),
    PolicyKind(
        "greedy",
        "the move with the best value now: own points for the best announcement allowed, united with what the others "
        "would announce; equal moves at random",
        "docs/veggies.md: Value now",
        lambda game, values: KernelPolicy(choose_greedy),
    ),
    PolicyKind(
        "sampled",
        "looks at a few random legal moves and takes the one with the best value now",
        "a player with little time; quick enough to model players in a search",
        lambda game, values: Sampled(int(values["looks"])),
        (Option("looks", 8, "moves it looks at", 1, MOST),),
    ),
    *heuristics(FEATURES, PRESETS),
    search(models=("sampled", "greedy", "random"), prior=TUNED),
)
