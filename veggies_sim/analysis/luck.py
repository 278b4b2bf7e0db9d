"""Luck and skill: how much of what a seat wins or loses by comes from the deal, and how much from who sits where."""

from __future__ import annotations

import numpy as np
import polars as pl

from veggies_sim.analysis.intervals import Floats, group_of, jackknife_interval


def luck(margin: Floats) -> pl.DataFrame:
    """Return where the variance of `margin` [D deals, L line-ups, P seats] or [D, L, R plays, P] comes from.

    Columns: source, variance (points squared, a seat's mean), share, low, high (jackknife over deals). The sources are

        deal         luck of the draw: what the deal gives to a seat, whoever sits there
        line-up      skill: what it means to a seat who sits there and at the other seats; only where L > 1
        interaction  deals that suit some line-ups more than others; only where L > 1 and R > 1, else part of the rest
        rest         luck of the policies' own draws

    For each seat margin[d, l, r] = mean + deal[d] + line-up[l] + interaction[d, l] + rest[d, l, r], a balanced layout. The
    components come from its mean squares, as (MS deal - MS interaction) / (L R), not below 0, and are added up over the
    seats (Searle, Casella and McCulloch: Variance Components, 1992, sections 3.4 and 4.3 to 4.5). Shares are null where
    the margin never varies. Needs D > 1, and L > 1 or R > 1.
    """
    whole = components(margin)
    groups = group_of(len(margin))
    without = np.array([components(margin[groups != group]) for group in range(groups.max() + 1)]) if len(margin) > 2 else None
    nothing = np.full(len(whole), np.nan)
    low, high = nothing, nothing
    share = whole / whole.sum() if whole.sum() > 0 else nothing
    if without is not None and (without.sum(axis=1) > 0).all():
        _, low, high = jackknife_interval(share, without / without.sum(axis=1, keepdims=True))
    columns = {"variance": whole, "share": share, "low": np.clip(low, 0, 1), "high": np.clip(high, 0, 1)}
    return pl.DataFrame({"source": sources(margin), **columns}).fill_nan(None)


def sources(margin: Floats) -> list[str]:
    """Return the sources of variance that can be told apart; see `luck`."""
    line_ups, plays = margin.shape[1], margin.shape[2] if margin.ndim == 4 else 1
    return ["deal", *["line-up"] * (line_ups > 1), *["interaction"] * (line_ups > 1 and plays > 1), "rest"]


def components(margin: Floats) -> Floats:
    """Return the variance of each source, a seat's mean; see `luck`."""
    if margin.ndim == 3:
        margin = margin[:, :, None]
    deals, line_ups, plays, _ = margin.shape
    mean, cell = margin.mean(axis=(0, 1, 2)), margin.mean(axis=2)
    by_deal, by_line_up = cell.mean(axis=1) - mean, cell.mean(axis=0) - mean
    ms_deal = line_ups * plays * (by_deal**2).sum(axis=0) / (deals - 1)
    found = []
    if plays > 1:
        ms_rest = ((margin - cell[:, :, None]) ** 2).sum(axis=(0, 1, 2)) / (deals * line_ups * (plays - 1))
        found = [ms_rest]
    if line_ups > 1:
        ms_line_up = deals * plays * (by_line_up**2).sum(axis=0) / (line_ups - 1)
        both = ((cell - mean - by_deal[:, None] - by_line_up) ** 2).sum(axis=(0, 1))
        ms_both = plays * both / ((deals - 1) * (line_ups - 1))
        found = [(ms_line_up - ms_both) / (deals * plays), *([(ms_both - ms_rest) / plays, ms_rest] if found else [ms_both])]
    below = ms_both if line_ups > 1 else ms_rest
    parts: Floats = np.maximum([(ms_deal - below) / (line_ups * plays), *found], 0).mean(axis=1)
    return parts
