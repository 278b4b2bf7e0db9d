"""Own policies: a user's function that scores the legal moves of many games, or chooses the move of one.

    def my_policy(features, names, **numbers):      # NumPy: scores of all moves of a block of games at one turn
        return features[:, names.index("value")]    # features [N, F] of float32, names [F]; returns scores [N]

    @numba.njit
    def my_policy(features, u):                     # Numba: one decision at full speed
        return 0                                    # features [N, F] of its moves, u uniform in [0, 1); returns 0..N-1

The names of the two arguments say which of the two it is. Keyword arguments with a number as default are its options:
`--policy py:module:function:key=value`. This is the only door through which code of a user is run. It gets features and
nothing else, so that it can't see or change the table; docs/own_policies.md tells users more.
"""

from __future__ import annotations

import functools
import hashlib
import importlib
import inspect
import re
import sys
from abc import abstractmethod
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from veggies_sim.core.candidates import Candidates
from veggies_sim.core.errors import InputError, brief, show, unknown
from veggies_sim.core.options import Option, Value
from veggies_sim.core.own_words import DECISION, SCORES, place, scores_fault, signature_fault, stopped
from veggies_sim.core.pick import pick
from veggies_sim.core.policy import PREFIX, Policy, PolicyKind
from veggies_sim.core.streams import CHOICE, uniforms

if TYPE_CHECKING:
    from veggies_sim.core.game import Game

CHUNK = 256  # games whose moves are scored in one call: about a hundred thousand moves
_NOT_THE_SAME = (
    "the same moves got other answers when fewer were given along, so that rows would depend on block sizes and jobs. Draw "
    "nothing at random, keep nothing between calls, score each move by its own row: (features * weights).sum(axis=1), "
    "not features @ weights."
)
_LIMIT = 2.0**53
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.]*")


def load(text: str) -> Callable[..., Any]:
    """Return the function that `py:module:function` names; modules are also looked for in the current folder.

    Raises InputError that says whether the module, the function or the module's own code is at fault.
    """
    module_name, _, name = text.removeprefix(PREFIX).partition(":")
    if not (_NAME.fullmatch(module_name) and name.isidentifier()):
        raise InputError(f"policy {show(text)}: give py:module:function, such as py:my_policies:careful.")
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        module = importlib.import_module(module_name)
    except (Exception, SystemExit) as error:
        raise InputError(
            f"policy {show(text)}: module {module_name} can't be imported ({brief(error)}{place(error)}). "
            f"Modules are looked for in {here} and among the installed ones."
        ) from error
    found = getattr(module, name, None)
    if not callable(found):
        raise unknown(f"function of {module_name}", name, [key for key, value in vars(module).items() if _is_function(value)])
    return found


def own_kind(function: Callable[..., Any], name: str = "") -> PolicyKind:
    """Return the policy of a user's function. Raises InputError where its signature is none of the two."""
    plain = getattr(function, "py_func", function)
    if not name and not (_is_function(function) and plain.__name__.isidentifier()):
        raise InputError(f"policy {show(function)}: datasets need its name; give a function that is made with def.")
    name = name or f"{PREFIX}{plain.__module__}:{plain.__qualname__}"
    if fault := signature_fault(plain):
        raise InputError(f"policy {name}: {fault}")
    first, second, *more = inspect.signature(plain).parameters.values()
    words = first.name, second.name
    if words == DECISION and plain is function and not _jit_is_off():
        raise InputError(f"policy {name}: f(features, u) must be compiled: put @numba.njit before it.")
    build = functools.partial(OwnScores if words == SCORES else OwnDecision, function, name)
    doc = inspect.getdoc(plain) or "own code"
    return PolicyKind(name, doc.splitlines()[0], "own code", build, tuple(_option(p, name) for p in more), _code(plain))


def _code(plain: Callable[..., Any]) -> str:
    """Return a hash of the file that a function stands in; "" where there is none."""
    try:
        return hashlib.sha256(Path(inspect.getsourcefile(plain) or "").read_bytes()).hexdigest()
    except (OSError, TypeError):
        return ""


def _is_function(value: object) -> bool:
    return inspect.isfunction(getattr(value, "py_func", value))


def _jit_is_off() -> bool:
    from numba.core import config

    return bool(config.DISABLE_JIT)


def _option(parameter: inspect.Parameter, name: str) -> Option:
    doc, real = f"argument {parameter.name} of the function", isinstance(parameter.default, float)
    low, high = (-_LIMIT, _LIMIT) if real else (-int(_LIMIT), int(_LIMIT))
    option = Option(parameter.name, parameter.default, doc, low, high, real=real)
    option.check(option.default, f"policy {name}")
    return option


class _Own(Policy):
    """What both forms share: chunks of games, and a clear message where the user's code is at fault."""

    def __init__(self, function: Callable[..., Any], name: str, game: Game, values: Mapping[str, Value]) -> None:
        if not game.features:
            raise InputError(f"policy {name}: {game.id} has no features of moves to give to own code.")
        self._function, self._name, self._game, self._values = function, name, game, dict(values)
        self._names = [feature.name for feature in game.features]

    def choose(self, view: Any, games: NDArray[np.int64], moves: NDArray[np.int16]) -> None:
        """Let the function choose for some games at a time."""
        for first in range(0, len(games), CHUNK):
            some = games[first : first + CHUNK]
            found = self._game.candidates(view, some)
            _freeze(found.features)
            try:
                alone = self._alone(view, some[:1], _first(found))
                answer = self._ask(view, some, found)
            except InputError:
                raise
            except (Exception, SystemExit) as error:
                absent = isinstance(error, KeyError) and error.args and error.args[0] not in self._names
                known = f"; features of {self._game.id}: {', '.join(self._names)}" if absent else ""
                raise InputError(f"policy {self._name} stopped at turn {view.turn}: {stopped(error)}{known}") from error
            if not np.array_equal(alone, answer[: len(alone)]):
                raise InputError(f"policy {self._name}: {_NOT_THE_SAME}")
            moves[some] = found.moves[self._chosen(view, some, found, answer)]

    @abstractmethod
    def _ask(self, view: Any, games: NDArray[np.int64], found: Candidates) -> NDArray[Any]:
        """Return what the function answers, checked."""

    def _alone(self, view: Any, games: NDArray[np.int64], found: Candidates) -> NDArray[Any]:
        """Return what the function answers for one game, checked most closely."""
        return self._ask(view, games, found)

    @abstractmethod
    def _chosen(self, view: Any, games: NDArray[np.int64], found: Candidates, answer: NDArray[Any]) -> NDArray[np.int64]:
        """Return the number of the chosen move of each game."""


def _freeze(features: Any) -> None:
    """Make an array one that can't be written to, and what it is a view of, or the function could take that back."""
    while isinstance(features, np.ndarray):
        features.flags.writeable = False
        features = features.base


def _first(found: Candidates) -> Candidates:
    """Return the moves of the first game alone."""
    end = found.start[1]
    return Candidates(found.moves[:end], found.start[:2], found.features[:end])


class OwnScores(_Own):
    """The best move by the scores of a Python function; equal ones by the stream TIE."""

    def _ask(self, view: Any, games: NDArray[np.int64], found: Candidates) -> NDArray[Any]:
        answer = self._function(found.features.view(), list(self._names), **self._values)
        score = np.asarray(answer)
        if fault := scores_fault(answer, score, len(found.moves)):
            raise InputError(f"policy {self._name}: {fault}")
        if np.isnan(score).any():
            raise InputError(f"policy {self._name}: a score is nan at turn {view.turn}; give a number to every move.")
        return score.astype(np.float64)

    def _chosen(self, view: Any, games: NDArray[np.int64], found: Candidates, answer: NDArray[Any]) -> NDArray[np.int64]:
        return pick(view, games, found, answer, 0, 0)


class OwnDecision(_Own):
    """The move that a Numba function chooses, decision by decision."""

    def _ask(self, view: Any, games: NDArray[np.int64], found: Candidates) -> NDArray[Any]:
        chosen = np.empty(len(games), np.int64)
        _decisions()(self._function, found.features, found.start, _draws(view, games), chosen)
        return self._in_range(chosen, found)

    def _alone(self, view: Any, games: NDArray[np.int64], found: Candidates) -> NDArray[Any]:
        chosen = _with_bounds(self._function)(found.features, _draws(view, games)[0])
        if isinstance(chosen, bool) or not isinstance(chosen, int | np.integer):
            raise InputError(f"policy {self._name}: returned {show(chosen)}; return the number of a move, such as int(...).")
        return self._in_range(np.array([chosen]), found)

    def _in_range(self, chosen: NDArray[Any], found: Candidates) -> NDArray[Any]:
        count = np.diff(found.start)
        if ((chosen < 0) | (chosen >= count)).any():
            i = int(np.flatnonzero((chosen < 0) | (chosen >= count))[0])
            raise InputError(f"policy {self._name}: chose move {chosen[i]} of {count[i]}; valid: 0..{count[i] - 1}.")
        return chosen

    def _chosen(self, view: Any, games: NDArray[np.int64], found: Candidates, answer: NDArray[Any]) -> NDArray[np.int64]:
        return found.start[:-1] + answer


def _draws(view: Any, games: NDArray[np.int64]) -> NDArray[np.float64]:
    return uniforms(view.seed, CHOICE, view.seat, view.index[games], view.turn)


@functools.cache
def _with_bounds(function: Any) -> Callable[..., Any]:
    """Return a Numba function compiled anew so that reading outside of an array is an error."""
    import numba

    if not hasattr(function, "py_func"):  # the JIT is off
        return cast(Callable[..., Any], function)
    return cast(Callable[..., Any], numba.jit(**{**function.targetoptions, "boundscheck": True})(function.py_func))


@functools.cache
def _decisions() -> Callable[..., None]:
    """Return the loop over decisions; compiled for each function and not kept on disk, since the function may change."""
    import numba

    @numba.njit(nogil=True)
    def loop(decide: Any, features: Any, start: Any, draws: Any, chosen: Any) -> None:
        for g in range(len(chosen)):
            chosen[g] = decide(features[start[g] : start[g + 1]], draws[g])

    return loop
