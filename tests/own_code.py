"""Own policies for the tests, good and bad ones, as a user would write them."""

from __future__ import annotations

from functools import partial

import numba
import numpy as np

np_is_no_function = np
broken = True


def zero(features, names):
    """Every move is as good."""
    return np.zeros(len(features))


def value(features, names):
    return features[:, names.index("value")]


def careful(features, names, rat=1.0, wide=0):
    """Fears rats."""
    assert (type(rat), type(wide)) == (float, int)
    column = {name: features[:, i] for i, name in enumerate(names)}
    return column["value"] - rat * column["rats"] - wide * column["covered"]


@numba.njit
def any_move(features, u):
    return int(u * len(features))


@numba.njit
def best_value(features, u):
    best = 0
    for move in range(len(features)):
        if features[move, 0] > features[best, 0]:
            best = move
    return best


# ---- functions that fail

fearless = partial(careful, rat=0.0)
WEIGHTS = np.random.default_rng(1).normal(size=24).astype(np.float32)


def short(features, names):
    return np.zeros(len(features) - 1)


def square(features, names):
    return features


def nothing(features, names):
    return None


def words(features, names):
    return ["much"] * len(features)


def imaginary(features, names):
    return features[:, 0] * 1j


def no_number(features, names):
    return features[:, 0] * np.nan


def raises(features, names):
    return features[:, names.index("valu")]


def leaves(features, names):
    raise SystemExit(0)


def writes(features, names):
    features[:, 0] = 1
    return features[:, 0]


def mixes(features, names):
    """Sums up in an order that depends on how many rows there are."""
    return features @ WEIGHTS


def adds(features, names):
    """Does the same in one order."""
    return (features * WEIGHTS).sum(axis=1)


def unlocks(features, names):
    features.setflags(write=True)
    return features[:, 0]


def compares(features, names):
    return features[:, 0] - features[:, 0].mean()


def draws(features, names):
    return np.random.default_rng().random(len(features))


def soon(features, names):
    """Fails in the last turn where many games are played together."""
    if broken and features[0, -1] == 0 and len(features) > 20_000:
        raise ValueError("not yet")
    return features[:, 0]


@numba.njit
def beyond(features, u):
    return len(features)


@numba.njit
def below(features, u):
    return -1


@numba.njit
def stops(features, u):
    return 1 // int(u)


@numba.njit
def many(features, u):
    return features[:, 0]


@numba.njit
def changes(features, u):
    features[0, 0] = 1
    return 0


@numba.njit
def reads_beyond(features, u):
    return int(features[len(features), 0]) * 0


@numba.njit
def half(features, u):
    return 0.5


@numba.njit
def yes(features, u):
    return u < 2


@numba.njit
def typo(features, u):
    return features.foo()


@numba.njit
def rolls(features, u):
    return np.random.randint(0, len(features))


def not_compiled(features, u):
    return 0


# ---- signatures that are none


def too_few(features):
    return features[:, 0]


def other_names(moves, names):
    return moves[:, 0]


def no_default(features, names, rat):
    return features[:, 0]


def yields(features, names):
    yield 1


async def waits(features, names):
    return features[:, 0]


def text_option(features, names, mood="good"):
    return features[:, 0]


def flag_option(features, names, wild=True):
    return features[:, 0]


def endless(features, names, rat=float("inf")):
    return features[:, 0]


@numba.njit
def option_of_decision(features, u, rat=1):
    return 0


class Thing:
    def __call__(self, features, names):
        return features[:, 0]
