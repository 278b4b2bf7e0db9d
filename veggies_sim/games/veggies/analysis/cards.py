"""Card impact as recorded games show it: what is offered, taken, laid and seen of each card, and how its owners fare.

This describes; it does not say what a card causes. `card_what_if` does.
"""

from __future__ import annotations

import numpy as np
import polars as pl

from veggies_sim.analysis.corrections import SCREEN, corrected, two_sided
from veggies_sim.analysis.estimates import check_size, metric_interval
from veggies_sim.analysis.intervals import LEVEL, Floats
from veggies_sim.analysis.line_ups import par_of
from veggies_sim.analysis.metrics import POINTS, SHARE, Metric
from veggies_sim.analysis.sums import Sums
from veggies_sim.core.dataset import Run
from veggies_sim.games.veggies.analysis.offers import card_sums


def _per(key: str, title: str, unit: str, doc: str, count: str, of: str) -> Metric:
    """Return a metric that is one sum of `offers.COUNTS` divided by another."""
    return Metric(key, title, unit, doc, (pl.col(count), pl.col(of)))


METRICS = (
    _per("on_ramp", "turns on the ramp", "turns", "turns of any seat, in a game, on which it lay on the ramp", "on_ramp", "games"),
    _per("held", "turns in the hand", "turns", "turns, in a game, of a seat that held it", "held", "games"),
    _per("kept", "kept at the start", SHARE, "how often who was dealt it at the start kept it in the hand", "kept", "dealt"),
    _per("ramp_taken", "taken from the ramp", SHARE, "how often it was taken when it lay on the ramp", "ramp_taken", "on_ramp"),
    _per("hand_taken", "laid from the hand", SHARE, "how often it was laid when it was in the hand", "hand_taken", "held"),
    _per("laid", "laid", "times", "how often it was laid in a game, start cards included", "laid", "games"),
    _per("turn", "turn", "turns", "the turn on which it was laid, 0 for a start card", "turn", "laid"),
    _per("visible", "to be seen", SHARE, "how often any space of it was visible at the end, once laid", "visible", "laid"),
    _per("spaces", "spaces to be seen", "spaces", "those of its 6 that were visible at the end, once laid", "spaces", "laid"),
    _per("win_share", "win share", SHARE, "games won by the seat that laid it; a win of k sides counts 1/k", "win", "laid"),
    _per("score", "score", POINTS, "points of the seat that laid it", "score", "laid"),
)  # fmt: skip
BIASES = (
    "A card is laid by a seat that had a use for it: its win share also tells who takes it and when, not only what it does.",
    "All cards of a stand share its result, so a card that is often laid beside good ones looks good, and the win shares of "
    "cards hang together.",
    "Later cards lie on top: what is laid late is seen more, whatever its face (the column turn says how late).",
    "What nobody wants stays on the ramp and is offered again at every turn; what everybody wants is gone after one.",
    "Where policies or seats differ in strength, a card that the stronger ones get or like has a high win share.",
    "It holds for these policies; others may use the card in another way.",
)


def card_impact(run: Run, level: float = LEVEL) -> pl.DataFrame:
    """Return a row for each card id of the deck, in its order: a screen for cards worth a closer look, to be read with BIASES.

    Columns: card, copies (which count together); each of METRICS with NAME_low and NAME_high, the interval of confidence
    `level` for this card alone; p, of a win share equal to par (that of equal sides); p_screen, corrected for all cards
    that were looked at (`corrections.SCREEN`). What never happened is null.
    Raises InputError for a run without recorded moves, with fewer than 10 deals, or with damaged rows.
    """
    check_size(run)
    counts, cards = card_sums(run), run.game.setup.cards
    frame = pl.DataFrame({"card": [card.id for card in cards], "copies": [card.copies for card in cards]})
    found = Sums(frame, {}, run.deal_count)
    columns: dict[str, Floats] = {}
    for metric in METRICS:
        found.sums.update({f"{metric.key}.{i}": counts[each.meta.output_name()] for i, each in enumerate(metric.sums)})
        within, error = metric_interval(found, metric, level)
        columns |= {metric.key: within.value, f"{metric.key}_low": within.low, f"{metric.key}_high": within.high}
        if metric.key == "win_share":
            p = two_sided(within.value - par_of(run.game), error, found.deals)
    columns |= {"p": p, "p_screen": corrected(p, SCREEN)}
    return frame.with_columns(pl.Series(name, np.asarray(values)) for name, values in columns.items()).fill_nan(None)
