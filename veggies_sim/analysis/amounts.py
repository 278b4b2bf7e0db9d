"""How much of a metric, in words: percentage points (pp) of a share, points of a score, or the metric's own unit."""

from __future__ import annotations

import math
import re

from veggies_sim.analysis.intervals import MOST
from veggies_sim.analysis.metrics import SHARE, Metric
from veggies_sim.core.checks import real
from veggies_sim.core.errors import InputError, show

_AMOUNT = re.compile(r"([^a-zA-Z% ]+(?:[eE][+-]?[0-9]+)?) *(pp|%|points?)?")


def read_amount(text: str, metric: Metric) -> float:
    """Return a difference or a width of a metric from words such as `0.2pp` (of a share) or `0.1`; above 0.

    A share takes `pp`, percentage points, of which 100 are the whole; per cent could mean those or a part of the value.
    """
    share = metric.unit == SHARE
    found = _AMOUNT.fullmatch(text.strip())
    if found is None:
        raise InputError(f"{metric.key}: found {show(text)}; valid: {'0.2pp' if share else '0.1'}, or another number above 0.")
    number, unit = real(found[1], metric.key), found[2] or ""
    if share and unit != "pp":
        raise InputError(f"{metric.key} is a share, found {show(text)}. Say how many percentage points, such as 0.2pp.")
    if not share and unit and unit.rstrip("s") != metric.unit.rstrip("s"):
        raise InputError(f"{metric.key} is counted in {metric.unit}, found {show(text)}. Give the number alone, such as 0.1.")
    if number <= 0:
        raise InputError(f"{metric.key}: found {show(text)}; valid: more than 0.")
    return number / 100 if share else number


def amount(value: float, unit: str) -> str:
    """Return a difference or a width of a metric in words, with three digits.

    >>> amount(0.0123, "share"), amount(-0.5, "points")
    ('1.23pp', '-0.5 points')
    """
    return f"{100 * value:.3g}pp" if unit == SHARE else f"{value:.3g} {unit}"


def rough(count: float) -> str:
    """Return a number that is only known roughly, such as of games that are needed, with two digits.

    >>> rough(51895), rough(8), rough(2**62)
    ('52,000', '8', '10^18 or more')
    """
    return "10^18 or more" if count >= MOST else f"{float(f'{count:.2g}'):,.0f}"


def valued(value: float | None, error: float | None, unit: str, sign: str = "") -> str:
    """Return the value of a metric in words, with two digits of its error; sign "+" also writes that of gains.

    >>> valued(0.33333, 0.0123, "share"), valued(16.55833, 0.2, "points", "+"), valued(None, None, "points")
    ('33.3%', '+16.56', 'none')
    """
    if value is None:
        return "none"
    scale = 100 if unit == SHARE else 1
    decimals = min(6, max(0, 1 - math.floor(math.log10(scale * error)))) if error else 2
    return f"{scale * value:{sign}.{decimals}f}{'%' if unit == SHARE and not sign else 'pp' if unit == SHARE else ''}"
