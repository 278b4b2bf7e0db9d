"""The policies of Veggie Garden by name."""

from __future__ import annotations

from veggies_sim.core.policy import KernelPolicy, PolicyKind
from veggies_sim.games.veggie_garden.features import FEATURES
from veggies_sim.games.veggie_garden.greedy_policy import choose_greedy
from veggies_sim.games.veggie_garden.random_policy import choose_random
from veggies_sim.policies.heuristic import Preset, heuristics
from veggies_sim.policies.search import search

TUNED = {
    "score": 1, "missing": -0.808, "reach": 0.356, "most_held": 1.64, "most_value": 0.279, "others": -0.287, "rival": -0.291,
    "unseen": 0.955, "refills": -1.21, "left_value": -0.411, "left_match": -0.416, "left_missing": -0.474,
}  # fmt: skip
PRESETS = (
    Preset(
        "heuristic",
        "the move with the highest weighted sum of features; as it comes, the weights are those of greedy",
        "docs/veggie_garden.md: Value now",
        {"score": 1},
    ),
    Preset(
        "bonus_hunter",
        "gathers every kind in play before anything else",
        "the bonus is worth about a quarter of a usual score",
        {"score": 1, "missing": -8},
    ),
    Preset(
        "denier",
        "a point that another player loses is worth as much as half an own one",
        "posts are shared: what raises the own cards raises the others' cards of the kind",
        {"score": 1, "others": -0.5},
    ),
    Preset(
        "planner",
        "gathers one kind and every other kind once, and leaves little to the next player",
        "a post beside a kind counts once for each card of it in the hand, so that later actions gain more",
        {"score": 1, "missing": -3, "most_held": 3, "left_value": -0.5},
    ),
    Preset(
        "tuned",
        "wins most against two greedy players of the printed game, as far as a search found",
        "veggies-sim policies tune --game veggie-garden --policy planner --weight others --weight rival --weight unseen --weight "
        "refills --weight left_match --weight left_missing --weight reach --weight most_value --against greedy --generations 30 "
        "--population 14 --games 900 --check-games 9000 --seed 1: 40.4% of wins (39.5% .. 41.4%) where equal players have 33.3%",
        TUNED,
    ),
)
POLICIES = (
    PolicyKind(
        "random",
        "every distinct pair of a harvest slot and an action is equally likely; at the last pick every card",
        "docs/veggie_garden.md: Random",
        lambda game, values: KernelPolicy(choose_random),
    ),
    PolicyKind(
        "greedy",
        "the pick and action with the best own score if the game ended after it, without a look at the refill; equal ones at "
        "random",
        "docs/veggie_garden.md: Value now",
        lambda game, values: KernelPolicy(choose_greedy),
    ),
    *heuristics(FEATURES, PRESETS),
    search(models=("greedy", "random"), prior=TUNED),
)
