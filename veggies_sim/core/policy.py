"""Policies: what chooses the moves. A policy chooses for a whole block of games at one turn.

A policy gets a *view*: arrays of what one seat can see. Hidden cards are not in the view, so no policy can use them.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from veggies_sim.core.errors import InputError, show, unknown
from veggies_sim.core.options import Option, Value, as_text, parse_pairs, resolve

if TYPE_CHECKING:
    from veggies_sim.core.game import Game


PREFIX = "py:"  # of a policy that is a user's own function
_WHOLE = re.compile(r"(=-?[0-9]+)\.0(?=,|$)")  # as older datasets write whole numbers
Given = str | Callable[..., Any]  # a policy as callers give it


def is_own(name: str) -> bool:
    """Say whether the name of a policy is that of a user's own function."""
    return name.strip().startswith(PREFIX)


def newer_text(text: str) -> str:
    """Return a policy's text of an older dataset as it is written now."""
    return _WHOLE.sub(r"\1", text)


def seated(policies: Sequence[str], rotate: bool = False) -> str:
    """Return which policy plays where, for people; one policy plays at every seat. rotate: whether seats do.

    >>> seated(["greedy", "random"]), seated(["greedy"])
    ('greedy at seat 0, random at seat 1', 'greedy at every seat')
    >>> seated(["greedy", "random", "random"], rotate=True)
    'greedy, random and random, in turn at every seat'
    """
    if len({*policies}) == 1:
        return f"{policies[0]} at every seat"
    if rotate:
        return f"{', '.join(policies[:-1])} and {policies[-1]}, in turn at every seat"
    return ", ".join(f"{policy} at seat {seat}" for seat, policy in enumerate(policies))


class Policy(ABC):
    """Chooses moves; made once a run by `PolicyKind.build` and used by all workers, so it keeps no state."""

    @abstractmethod
    def choose(self, view: Any, games: NDArray[np.int64], moves: NDArray[np.int16]) -> None:
        """Write the chosen move to moves [G, fields] for each number in `games`; other rows stay as they are.

        `view` is what the game's `view` returned for the seat whose turn it is. Every random draw comes from the
        streams CHOICE and TIE of (view.seed, view.seat, view.index[g]) with the turn as its number.
        """


class KernelPolicy(Policy):
    """One compiled kernel."""

    def __init__(self, kernel: Callable[[Any, NDArray[np.int64], NDArray[np.int16]], None]) -> None:
        self._kernel = kernel

    def choose(self, view: Any, games: NDArray[np.int64], moves: NDArray[np.int16]) -> None:
        """Choose by the kernel."""
        self._kernel(view, games, moves)


@dataclass(frozen=True)
class PolicyKind:
    """A policy by name: what it does, where it comes from, its options and how to make one for a game."""

    name: str
    doc: str
    source: str
    build: Callable[[Game, Mapping[str, Value]], Policy]
    options: tuple[Option, ...] = ()
    code: str = ""  # a hash of the file of own code


@dataclass(frozen=True)
class PolicySpec:
    """A policy with its options, as given for a seat. Its text is what a dataset's column `policy` holds."""

    kind: PolicyKind
    values: Mapping[str, Value]
    text: str = ""  # as an older dataset has it, where it is not the one below

    def __str__(self) -> str:
        if self.text:
            return self.text
        changed = [f"{o.key}={as_text(self.values[o.key])}" for o in self.kind.options if self.values[o.key] != o.default]
        return f"{self.kind.name}:{','.join(changed)}" if changed else self.kind.name


def parse_policy(text: str, kinds: Sequence[PolicyKind], game: str) -> PolicySpec:
    """Read `name`, `name:key=value,...` or `py:module:function:key=value,...`. Raises InputError."""
    words = 3 if is_own(text) else 1  # of the name
    parts = text.strip().split(":", words)
    name, options = ":".join(parts[:words]), parts[words:]
    known = {kind.name: kind for kind in kinds}
    if is_own(text):
        from veggies_sim.core import own_policy

        known[name] = own_policy.own_kind(own_policy.load(name), name)
    if name not in known:
        raise unknown(f"policy of {game}", name, known)
    where = f"policy {name}"
    if options and ":" in options[0]:
        raise InputError(f"{where}: options are separated by commas: {name}:{options[0].replace(':', ',')}.")
    pairs = parse_pairs(options[0].split(","), where) if options else {}
    return PolicySpec(known[name], resolve(known[name].options, pairs, where))


def policy_of_file(name: object, kinds: Sequence[PolicyKind], game: str, key: str = "policies") -> str:
    """Return a policy that a file names, in the words that a dataset has. Raises InputError; own code is never looked at.

    key: where in the file the name stands.
    """
    if not isinstance(name, str):
        raise InputError(f"{key}: found {show(name)}; give a text.")
    if is_own(name):
        raise InputError(
            f"{key}: {show(name)} is own code, which is never run by a file's word. Play it with `simulate --policy`, or "
            f"take one of {', '.join(each.name for each in kinds)}."
        )
    return str(parse_policy(name, kinds, game))


def policy_list(given: Given | Sequence[Given], game: Game) -> list[Given]:
    """Return policies as a list, of one where one is given. Raises InputError for what is no list, such as a set."""
    if isinstance(given, str) or callable(given):
        return [given]
    if not isinstance(given, list | tuple):
        raise InputError(f"policies: found {show(given)}; give a name, or a list of names in order. Valid: {_names(game)}.")
    return list(given)


def policies_for(given: Given | Sequence[Given], game: Game) -> list[PolicySpec]:
    """Return one policy for each seat: one given policy serves all seats.

    A policy is given by its name, or as a function (`own_policy`). Raises InputError.
    """
    names = policy_list(given, game)
    if len(names) not in (1, game.players):
        raise InputError(
            f"{len(names)} policies for {game.players} players. Give one for all seats or {game.players} in seat order."
        )
    specs = [policy_for(name, game) for name in names]
    return specs * game.players if len(specs) == 1 else specs


def policy_for(given: Given, game: Game) -> PolicySpec:
    """Return one policy, given by its name or as a function. Raises InputError."""
    if isinstance(given, str):
        return parse_policy(given, game.policies, game.id)
    if not callable(given):
        raise InputError(f"a policy is given by its name or as a function, found {show(given)}. Valid: {_names(game)}.")
    from veggies_sim.core.own_policy import own_kind

    kind = own_kind(given)
    return PolicySpec(kind, resolve(kind.options, {}, f"policy {kind.name}"))


def _names(game: Game) -> str:
    return ", ".join(kind.name for kind in game.policies)


def policies_again(held: Sequence[str], game: Game, given: Given | Sequence[Given] | None = None) -> list[PolicySpec]:
    """Return the policies of a dataset. Own code must be given again, with all of them: no file has a word in what is run.

    Raises InputError where it is not, and where other policies are given.
    """
    same = f"name all policies again: {' '.join(f'--policy {name}' for name in (held[:1] if len({*held}) == 1 else held))}"
    if not given and any(map(is_own, held)):
        raise InputError(f"the dataset was played by own code, which is never run by a file's word; {same}")
    specs = policies_for(given or held, game)
    if [str(spec) for spec in specs] != [*map(newer_text, held)]:
        raise InputError(f"the dataset was played by other policies than {', '.join(map(str, specs))}; {same}")
    return [replace(spec, text=name) for spec, name in zip(specs, held, strict=True)]
