"""Luck and skill: how much of what a seat wins or loses by comes from the deal, and how much from who sits where."""

from __future__ import annotations

import numpy as np
import polars as pl

from veggies_sim.analysis.intervals import Floats, group_of, jackknife_interval

SOURCES = ("deal", "line-up", "rest")


def luck(margin: Floats) -> pl.DataFrame:
    """Return where the variance of `margin` [D deals, L line-ups, P seats] comes from, with jackknife intervals.

    Columns: source, variance (points squared, a seat's mean), share, low, high. The sources are

        deal      luck of the draw: what the deal gives to a seat, whoever sits there
        line-up   skill: what it means to a seat who sits there and at the other seats
        rest      luck of the policies' own draws, and deals that suit some line-ups more than others

    For each seat margin[d, l] = mean + deal[d] + line-up[l] + rest[d, l], a two-way layout with one game in each cell. The
    components come from its mean squares, (MS deal - MS rest) / L and (MS line-up - MS rest) / D, not below 0, and are
    added up over the seats (Searle, Casella and McCulloch: Variance Components, 1992, section 4.3). Shares are null
    where the margin never varies.
    """
    whole = components(margin)
    groups = group_of(len(margin))
    without = np.array([components(margin[groups != group]) for group in range(groups.max() + 1)]) if len(margin) > 2 else None
    nothing = np.full(3, np.nan)
    low, high = nothing, nothing
    share = whole / whole.sum() if whole.sum() > 0 else nothing
    if without is not None and (without.sum(axis=1) > 0).all():
        _, low, high = jackknife_interval(share, without / without.sum(axis=1, keepdims=True))
    columns = {"variance": whole, "share": share, "low": np.clip(low, 0, 1), "high": np.clip(high, 0, 1)}
    return pl.DataFrame({"source": SOURCES, **columns}).fill_nan(None)


def components(margin: Floats) -> Floats:
    """Return the variances [3] of deal, line-up and rest, a seat's mean; see `luck`."""
    deals, line_ups, _ = margin.shape
    mean = margin.mean(axis=(0, 1))
    by_deal, by_line_up = margin.mean(axis=1) - mean, margin.mean(axis=0) - mean
    rest = margin - mean - by_deal[:, None] - by_line_up
    ms_rest = (rest**2).sum(axis=(0, 1)) / ((deals - 1) * (line_ups - 1))
    ms_deal = line_ups * (by_deal**2).sum(axis=0) / (deals - 1)
    ms_line_up = deals * (by_line_up**2).sum(axis=0) / (line_ups - 1)
    parts = [(ms_deal - ms_rest) / line_ups, (ms_line_up - ms_rest) / deals, ms_rest]
    found: Floats = np.maximum(parts, 0).mean(axis=1)
    return found
