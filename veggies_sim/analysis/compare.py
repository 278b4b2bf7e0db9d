"""Runs compared with a first one: differences of every metric, how sure they are, and what more games would show.

With the same seed the differences are paired, deal by deal (`pairs`); with different ones the errors of the two runs are
added in squares. A metric of all seats whose value follows from the rules alone, as the win share of symmetric play, is
never reported as an effect. K rows (values of the `by` columns), G groups of deals.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from veggies_sim.analysis.amounts import amount
from veggies_sim.analysis.corrections import CLAIM, corrected, two_sided
from veggies_sim.analysis.estimates import deals_with, left_out, level_each, metric_interval
from veggies_sim.analysis.intervals import LEVEL, MOST, Floats, jackknife_error, smallest_difference, unseen
from veggies_sim.analysis.line_ups import par_of
from veggies_sim.analysis.metrics import BALANCED, SHARE, Metric, deviation, find_metric, metrics_of
from veggies_sim.analysis.pairs import CHANGED, Common, changed, common, has_spread, sums_of
from veggies_sim.analysis.sums import GROUP, Sums, as_sums
from veggies_sim.core.checks import mapping, portion, real
from veggies_sim.core.dataset import Run
from veggies_sim.core.errors import InputError, show

POWER = 0.8  # chance that the smallest difference that "can be shown" is shown
OF_SEATS = ("win_share", "score", "margin")  # also compared seat by seat, and policy by policy
SMALL = 1e-9  # differences and errors below are those of adding numbers up in another order
IDENTICAL, EQUAL, UNKNOWN, NONE, PERHAPS, SURE = "identical", "equal", "unknown", "none shown", "perhaps", "sure"
_MAY_DIFFER = ("behaviour", "rules", "policies", "seed", "policy_seed", "plays_per_deal", "rotate_seats")


@dataclass(frozen=True)
class Comparison:
    """What was found; `rows` has a row for each compared run, metric, and seat or policy.

    rows: run, its name; metric, title, unit; seat, policy (null: of all); base, value, difference (value minus base) with
    low and high, the interval of confidence `level` of this row alone, and error; effect and effect_kind: the difference
    in standard deviations of one value (`d`), Cohen's h for shares (`h`); p, of no difference, and p_corrected for all
    rows (Holm); pairing_gain: how many times as many games of other deals would be needed for the same error (null where not
    paired); smallest: the difference that so many games show with a chance of 80 %, each row alone; wished,
    games_needed: for a wished one, games of each run, at most `intervals.MOST`; found, one word; verdict, in words. Shares
    are 0 to 1.
    runs: run, games, deals (of the compared run), paired, other_setup (than the base's), identical, changed (share of games
    that end otherwise, null where games have no partner) with changed_low and changed_high, differs (a list of texts: what
    differs between the runs).
    sides: who wins how often in the games of each comparison: run, of (base or run), seats ("0", or "0+2" of a side that
    they share), policy that sat there all the time (null where policies took turns), win_share with low and high, intervals
    that hold together for the sides of one run, par.
    """

    rows: pl.DataFrame
    runs: pl.DataFrame
    sides: pl.DataFrame
    base: str
    level: float


def compare(runs: Sequence[Run], level: float = LEVEL, wish: Mapping[str, float] | None = None) -> Comparison:
    """Compare runs of one game with the first of them.

    wish: metric -> difference (of shares 0 to 1) for which `games_needed` is told. Raises InputError for fewer than two
    runs, other games or players, too few deals (10) in common, unknown metrics, damaged files.
    """
    if not isinstance(runs, list | tuple) or len(runs) < 2 or not all(isinstance(run, Run) for run in runs):
        raise InputError(f"compare: found {show(runs)}; give a list of two or more runs (`open_dataset`), the base first.")
    portion(level, "level")
    folders = [run.folder.resolve() for run in runs[1:] if run.folder]
    for place, folder in enumerate(folders):
        if folder in folders[:place]:
            raise InputError(f"compare: the dataset {folder} is there twice; give each once after the base.")
    base, labels = runs[0], [str(run.folder or f"run {place}") for place, run in enumerate(runs)]
    wished = _wishes(base, wish)
    shared = [common(base, other, (labels[0], label)) for other, label in zip(runs[1:], labels[1:], strict=True)]
    rows, facts, sides, kept = [], [], [], {}
    for other, label, how in zip(runs[1:], labels[1:], shared, strict=True):
        here, there = metrics_of(base.game), metrics_of(other.game)
        here, there = ({key: metric for key, metric in each.items() if key in here and key in there} for each in (here, there))
        if (same := (tuple(here), tuple(how.games[0]))) not in kept:  # most often all runs hold the same games: read once
            kept = {same: sums_of(base, here, how.games[0])}
        frames = kept[same], sums_of(other, there, how.games[1])  # what is added up may follow from the rules
        fact = _fact(base, other, label, how, frames)
        facts.append(fact)
        for of, run, frame, deals in zip(("base", "run"), (base, other), frames, how.deals, strict=True):
            found = _sides(run, here["win_share"], _summed(frame, ["seat"], deals), level)
            sides.append(found.select(pl.lit(label).alias("run"), pl.lit(of).alias("of"), pl.all()))
        for found in _views(here, frames, how, level):
            rows.append(found.with_columns(
                pl.lit(label).alias("run"), pl.lit(fact["identical"]).alias("same"), pl.lit(fact["games"]).alias("games")
            ))  # fmt: skip
    table = _judged(_with_wishes(pl.concat(rows), wished), level)
    shares = dict.fromkeys(("changed", "changed_low", "changed_high"), pl.Float64())
    schema: dict[str, Any] = {**shares, "differs": pl.List(pl.String)}
    return Comparison(table, pl.DataFrame(facts, schema_overrides=schema), pl.concat(sides), labels[0], level)


def _wishes(base: Run, wish: Mapping[str, float] | None) -> dict[str, float]:
    metrics, found = metrics_of(base.game), {}
    for key, value in mapping(wish, "wish").items():
        find_metric(metrics, key)
        found[key] = real(value, f"wish, {key}")
        if found[key] <= 0:
            raise InputError(f"wish, {key}: found {show(value)}; valid: a difference above 0.")
    return found


def _fact(base: Run, other: Run, label: str, how: Common, frames: tuple[pl.DataFrame, pl.DataFrame]) -> dict[str, Any]:
    """Return a row of `Comparison.runs`."""
    words = base.manifest.differences(other.manifest, _MAY_DIFFER)
    hashes = base.game.setup_hash[:12], other.game.setup_hash[:12]
    if other_setup := hashes[0] != hashes[1]:
        words.append(f"set-up, sha256: {hashes[0]} here, {hashes[1]} there")
    share = dict.fromkeys(("changed", "changed_low", "changed_high"))
    if how.same_games:
        sums = changed(base, other, how)
        found, _ = metric_interval(sums, CHANGED)
        share = {name: float(each[0]) for name, each in zip(share, found, strict=True)}
    games = int(frames[1]["rows"].sum()) // other.game.players
    return {"run": label, "games": games, "deals": how.deals[1], "paired": how.paired, "other_setup": other_setup,
            "identical": share["changed"] == 0, **share, "differs": words}  # fmt: skip


def _sides(run: Run, metric: Metric, seats: Sums, level: float) -> pl.DataFrame:
    """Return the win share of each side of a run, from sums by seat: all seats of a side win alike."""
    sides = run.game.sides()
    first = [seats.keys["seat"].to_list().index(members[0]) for members in sides]
    each = level_each(run.game, metric, ["team"], len(sides), level)
    within, _ = metric_interval(seats._replace(sums={name: part[:, first] for name, part in seats.sums.items()}), metric, each)
    who = run.manifest.policies
    sat = [None if run.manifest.rotate_seats and len({*who}) > 1 else " and ".join(dict.fromkeys(who[seat] for seat in members))
           for members in sides]  # fmt: skip
    return pl.DataFrame({
        "seats": ["+".join(map(str, members)) for members in sides], "policy": pl.Series(sat, dtype=pl.String),
        "win_share": within.value, "low": within.low, "high": within.high, "par": [par_of(run.game)] * len(sides),
    }).fill_nan(None)  # fmt: skip


def most_unequal(sides: pl.DataFrame) -> dict[str, Any]:
    """Return the row of `Comparison.sides`, of one run, that is farthest from par; its interval allows for the choice."""
    return sides.sort((pl.col("win_share") - pl.col("par")).abs(), descending=True, maintain_order=True).row(0, named=True)


def _views(
    metrics: Mapping[str, Metric], frames: tuple[pl.DataFrame, pl.DataFrame], how: Common, level: float
) -> Iterator[pl.DataFrame]:
    """Yield the differences of each metric: of all seats, of each seat, of each policy."""
    whole = [metric for key, metric in metrics.items() if key not in BALANCED]
    own = [metrics[key] for key in OF_SEATS]
    seats = _seats_of(frames[0]), _seats_of(frames[1])
    everywhere = len(frames[0]["seat"].unique())
    for by in ((), ("seat",), ("policy",)):
        used = frames
        chosen = own if by else whole
        if by == ("policy",):
            names = [
                name for name, at in seats[0].items()
                if name in seats[1] and max(map(len, seats)) > 1 and not (len(at) == 1 and at == seats[1][name])
            ]  # fmt: skip
            if not names:
                continue
            alone = {name for each in seats for name, at in each.items() if len(each) == 1 and len(at) == everywhere}
            used = frames[0].filter(pl.col("policy").is_in(names)), frames[1].filter(pl.col("policy").is_in(names))
        a, b = (_summed(frame, by, deals) for frame, deals in zip(used, how.deals, strict=True))
        for metric in chosen:
            found = _differences(metric, a, b, how, level)
            if by == ("policy",) and metric.key in BALANCED:
                found = found.filter(~pl.col("policy").is_in(list(alone)))  # of all seats of a run
            yield found


def _seats_of(frame: pl.DataFrame) -> dict[str, set[int]]:
    """Return the seats of each policy."""
    pairs = frame.select("policy", "seat").unique().sort("policy", "seat").iter_rows()
    found: dict[str, set[int]] = {}
    for policy, seat in pairs:
        found.setdefault(policy, set()).add(seat)
    return found


def _summed(frame: pl.DataFrame, by: Sequence[str], deals: int) -> Sums:
    names = [name for name in frame.columns if name not in (GROUP, "seat", "policy")]
    return as_sums(frame.group_by(GROUP, *by).agg(pl.col(names).sum()), names, by, deals)


def _differences(metric: Metric, a: Sums, b: Sums, how: Common, level: float) -> pl.DataFrame:
    """Return a metric's values, differences and errors, a row for each of K."""
    parts = [[found.sums[f"{metric.key}.{i}"] for i in range(len(metric.sums))] for found in (a, b)]
    values = [metric.estimate(*(part.sum(axis=0) for part in each)) for each in parts]
    without = [left_out(each, metric) for each in parts]
    errors = [_zeroed(jackknife_error(each)) for each in without]
    apart = np.hypot(*errors)
    error = _zeroed(jackknife_error(without[1] - without[0])) if how.paired else apart
    degrees = np.full(len(error), how.deals[0] - 1.0) if how.paired else _welch(errors, how.deals)
    difference = _zeroed(values[1] - values[0])
    effect, kind = _effect(metric, a, b, values)
    with np.errstate(invalid="ignore", divide="ignore"):
        gain = np.where(error > 0, (apart / error) ** 2, np.nan) if how.paired else np.full(len(error), np.nan)
    numbers = {"base": values[0], "value": values[1], "difference": difference, "error": error, "effect": effect,
               "pairing_gain": gain, **_tested(difference, error, degrees, how, level)}  # fmt: skip
    if metric.unit == SHARE:
        never = (difference == 0) & (error == 0)
        most = unseen(np.minimum(*(deals_with(found, part[-1]) for found, part in zip((a, b), parts, strict=True))), level)
        numbers |= {end: np.where(never, sign * most, numbers[end]) for end, sign in (("low", -1), ("high", 1))}
    keys = {name: a.keys[name] if name in a.keys.columns else [None] * len(error) for name in ("seat", "policy")}
    frame = pl.DataFrame(
        {"metric": [metric.key] * len(error), "title": metric.title, "unit": metric.unit, **keys, "effect_kind": kind},
        schema_overrides={"seat": pl.UInt8, "policy": pl.String, "effect_kind": pl.String},
    )
    return frame.with_columns(pl.Series(name, each, pl.Float64) for name, each in numbers.items()).fill_nan(None)


def _zeroed(values: Floats) -> Floats:
    return np.where(np.abs(values) < SMALL, 0.0, values)


def _welch(errors: Sequence[Floats], deals: Sequence[int]) -> Floats:
    """Return the degrees of freedom of a difference of independent estimates (Welch, Biometrika 34, 1947)."""
    with np.errstate(invalid="ignore", divide="ignore"):
        found = (errors[0] ** 2 + errors[1] ** 2) ** 2 / sum(
            error**4 / (count - 1) for error, count in zip(errors, deals, strict=True)
        )
    return np.where(np.isfinite(found), found, min(deals) - 1.0)


def _tested(difference: Floats, error: Floats, degrees: Floats, how: Common, level: float) -> dict[str, Floats]:
    """Return interval, p-value and the smallest difference that can be shown, by Student's t.

    Where all deals differ alike, or none does, there is no error to go by: the interval is open, and p is that of the sign
    test, or 1. The smallest difference is the one whose test has the power POWER.
    """
    from scipy import stats

    sure = np.where(error > 0, error, np.nan)
    quantile = stats.t.ppf((1 + level) / 2, degrees)
    half = quantile * sure
    alike = stats.binomtest(min(how.deals), min(how.deals)).pvalue
    p = np.where((error == 0) & (np.abs(difference) > 0), alike, two_sided(difference, error, degrees + 1))
    return {
        "low": difference - half,
        "high": difference + half,
        "p": p,
        "smallest": smallest_difference(sure, degrees + 1, level, POWER),
    }


def _effect(metric: Metric, a: Sums, b: Sums, values: Sequence[Floats]) -> tuple[Floats, str | None]:
    """Return the size of a difference without units, and which one it is (Cohen: Statistical power analysis, 1988)."""
    if metric.unit == SHARE:
        from statsmodels.stats.proportion import proportion_effectsize

        return np.asarray(proportion_effectsize(*(np.clip(value, 0, 1) for value in values[::-1])), dtype=float), "h"
    if not has_spread(metric):
        return np.full(len(values[0]), np.nan), None
    spread = [deviation(*(each.sums[f"{metric.key}.{part}"].sum(axis=0) for part in ("0", "square", "1"))) for each in (a, b)]
    pooled = np.sqrt((spread[0] ** 2 + spread[1] ** 2) / 2)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(pooled > SMALL, (values[1] - values[0]) / pooled, np.nan), "d"


def _with_wishes(rows: pl.DataFrame, wished: Mapping[str, float]) -> pl.DataFrame:
    """Add the wished differences and how many games of each run they need: errors fall with the root of the games."""
    wish = pl.col("metric").replace_strict([*wished], [*wished.values()], default=None, return_dtype=pl.Float64)
    needed = pl.min_horizontal((pl.col("games") * (pl.col("smallest") / wish) ** 2).ceil(), pl.lit(float(MOST))).cast(pl.Int64)
    needed = pl.when(pl.col("smallest").is_not_null(), wish.is_not_null()).then(needed)  # null: nothing to go by
    return rows.with_columns(wish.alias("wished"), needed.alias("games_needed"))


def _judged(rows: pl.DataFrame, level: float) -> pl.DataFrame:
    """Correct the p-values of all rows together (Holm), and say of each row what was found."""
    rows = rows.with_columns(pl.Series("p_corrected", corrected(rows["p"].to_numpy(), CLAIM)).fill_nan(None))
    found = [_found(row, 1 - level) for row in rows.iter_rows(named=True)]
    rows = rows.with_columns(pl.Series("found", found))
    verdicts = [_verdict(row, level) for row in rows.iter_rows(named=True)]
    return rows.with_columns(pl.Series("verdict", verdicts)).select(
        "run", "metric", "title", "unit", "seat", "policy", "base", "value", "difference", "low", "high", "error", "effect",
        "effect_kind", "p", "p_corrected", "pairing_gain", "smallest", "wished", "games_needed", "games", "found", "verdict",
    )  # fmt: skip


def _found(row: Mapping[str, Any], alpha: float) -> str:
    if row["same"] and not row["difference"]:  # what follows from the rules may differ where no outcome does
        return IDENTICAL
    if row["p"] is None:
        return UNKNOWN
    if row["difference"] == 0 and row["error"] == 0:
        return EQUAL
    if row["p_corrected"] <= alpha:
        return SURE
    return PERHAPS if row["p"] <= alpha else NONE


def _verdict(row: Mapping[str, Any], level: float) -> str:
    """Return in words what was found of a row."""
    unit, found = row["unit"], row["found"]
    if found == IDENTICAL:
        return "identical"
    if found == UNKNOWN:
        return "too few cases to say"
    if found in (EQUAL, NONE):
        words = "equal in these games" if found == EQUAL else "no difference shown"
        if row["low"] is None:
            return words
        return f"{words}; differences beyond +-{amount(max(abs(row['low']), abs(row['high'])), unit)} are unlikely"
    way = f"{'higher' if row['difference'] > 0 else 'lower'} by {amount(abs(row['difference']), unit)}"
    chance = f"{100 * (1 - level):.3g} %"
    if found == SURE:
        return f"{way} (sure at {chance} after correction)"
    return f"perhaps {way} (at {chance} on its own, not after correction)"


def row_name(row: Mapping[str, Any]) -> str:
    """Return the metric of a row in words, and of whom it is."""
    if row["seat"] is not None:
        return f"{row['title']}, seat {row['seat']}"
    return f"{row['title']}, {row['policy']}" if row["policy"] is not None else str(row["title"])
