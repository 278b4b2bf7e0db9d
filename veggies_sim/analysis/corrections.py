"""P-values, and their correction where many are looked at.

Two questions, two corrections. A *claim* is one sentence that is said to be true: Holm keeps the chance that any claim of
the family is false below the level. A *screen* picks what deserves a closer look: Benjamini and Hochberg keep the expected
share of false ones among those picked below it, and find more.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from veggies_sim.analysis.intervals import Floats

CLAIM, SCREEN = "holm", "fdr_bh"  # as statsmodels calls them
# Holm, Scandinavian Journal of Statistics 6, 1979; Benjamini and Hochberg, Journal of the Royal Statistical Society B 57, 1995.


def two_sided(difference: Floats, error: Floats, deals: float | Floats) -> Floats:
    """Return the p-values of differences with standard errors by Student's t; of no difference and no error 1.

    NaN where all deals differ alike, so that no error says how sure the difference is.
    """
    from scipy import stats

    sure = np.where(error > 0, error, np.nan)
    found: Floats = np.where((difference == 0) & (error == 0), 1.0, 2 * stats.t.sf(np.abs(difference) / sure, deals - 1))
    return found


def corrected(p: Floats, method: str) -> Floats:
    """Return p-values [K] corrected for one another by CLAIM or SCREEN; those that are NaN take no part."""
    from statsmodels.stats.multitest import multipletests

    found, tested = np.full(len(p), np.nan), np.isfinite(p)
    if tested.any():
        found[tested] = multipletests(p[tested], method=method)[1]
    return found


def claimed(frame: pl.DataFrame, untested: Sequence[str] = ()) -> pl.DataFrame:
    """Return a frame of differences (columns metric, p) with their p-values corrected.

    New columns: p_claim, corrected for all rows; p_screen, for all rows of the metric. Metrics that are `untested` are
    described only: their p are null.
    """
    p = pl.when(~pl.col("metric").is_in(list(untested))).then("p").fill_null(float("nan")).alias("p")
    return frame.with_columns(p).with_columns(
        _corrected(CLAIM).alias("p_claim"), _corrected(SCREEN).over("metric").alias("p_screen")
    ).fill_nan(None)  # fmt: skip


def _corrected(method: str) -> pl.Expr:
    return pl.col("p").map_batches(lambda p: pl.Series(corrected(p.to_numpy(), method)), return_dtype=pl.Float64)
