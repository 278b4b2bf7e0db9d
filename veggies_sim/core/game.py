"""What a game is to the rest of the package. A game is a plug-in: a subclass of `Game` listed in the registry.

The engine plays a *block* of G games of P seats at once:

    block = game.new_block(keys)                        deal
    for turn, seat in game.schedule():
        moves = policy.choose(game.view(block, ...))    one row of whole numbers for each game
        game.apply(block, turn, seat, moves)
    game.result(block)                                  scores, and the game's own columns

Nothing outside of a game's own folder knows its name or its nouns.
"""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from veggies_sim.core.candidates import Candidates, Feature
from veggies_sim.core.checks import mapping, whole
from veggies_sim.core.errors import InputError
from veggies_sim.core.options import Option, Value, resolve
from veggies_sim.core.policy import PolicyKind

if TYPE_CHECKING:
    import polars as pl

    from veggies_sim.analysis.metrics import Metric
    from veggies_sim.core.dataset import Run
    from veggies_sim.report.section import Section

Array = NDArray[Any]
PLAYED = "played"  # see `Game.apply`


@dataclass(frozen=True)
class Column:
    """A column of a table: its type and what it holds.

    `type` is one of u1 u2 u4 u8 i1 i2 i4 i8 f4 (as in NumPy), bool, text, list (of texts), numbers (a list of u1). Texts are
    given as whole numbers that point into `words`; -1, and the value `null` where it is set, stand for no value; a list
    ends at its first -1. `of_play` marks a column of `deals` that depends on the choices too, not on the deal alone.
    """

    name: str
    type: str
    doc: str
    words: tuple[str, ...] = ()
    null: int | None = None
    of_play: bool = False


@dataclass(frozen=True)
class Keys:
    """What names the games of a block and feeds their streams."""

    game: NDArray[np.uint64]  # [G] number of each game: the index of the policies' streams
    deal: NDArray[np.uint64]  # [G] number of each game's deal: the index of the deal stream
    seed: int
    policy_seed: int


@dataclass
class Result:
    """How the games of a block ended."""

    score: Array  # [G, P] points
    tiebreak: Array | None = None  # [G, P] added up over a side, the lower wins a tie
    seats: dict[str, Array] = field(default_factory=dict)  # the game's own columns of seats, each [G, P]
    deals: dict[str, Array] = field(default_factory=dict)  # the game's own columns of deals, each [G] or [G, n] for lists


@dataclass(frozen=True)
class Step:
    """One picture of a replay: what happened, and the table afterwards as text and as SVG."""

    title: str
    text: str
    svg: str = field(repr=False)
    legend: str = ""  # what the signs in `text` mean; said once for steps that share it

    def _repr_svg_(self) -> str:
        """Return the picture that a notebook shows."""
        return self.svg


class Game(ABC):
    """A game with its players, set-up and rules. Subclasses give the class attributes and the abstract methods."""

    id: ClassVar[str]  # the word for it on the command line and in file names
    title: ClassVar[str]
    source: ClassVar[str]  # author, publisher, year
    behaviour: ClassVar[int]  # raised when results change, never for speed
    min_players: ClassVar[int]
    max_players: ClassVar[int]
    move_fields: ClassVar[tuple[str, ...]]  # the whole numbers of one move
    rule_options: ClassVar[tuple[Option, ...]] = ()
    decisions: ClassVar[tuple[str, ...]] = ()  # where the rulebook is silent: what we play
    policies: ClassVar[Sequence[PolicyKind]]
    default_policy: ClassVar[str]
    skips: ClassVar[bool] = False  # a seat may have no move to make, or a choice that is no row of `moves`
    setup_file: ClassVar[str | None] = None  # name of the set-up file in a dataset
    setup_help: ClassVar[str] = ""  # the form of a set-up file, for people
    setup_note: ClassVar[str] = ""  # what must be said with every result of the set-up that ships
    features: ClassVar[tuple[Feature, ...]] = ()  # of a move, where `candidates` is given
    never: ClassVar[tuple[str, ...]] = ()  # metrics of every game (by key) that tell of what this game can't have
    seat_columns: Sequence[Column] = ()
    deal_columns: Sequence[Column] = ()
    move_columns: Sequence[Column] = ()

    def __init__(self, players: int, setup: Any = None, rules: Mapping[str, object] | None = None) -> None:
        self.players = whole(players, f"players of {self.id}", self.min_players, self.max_players)
        self.setup = setup
        given = mapping(rules, f"rules of {self.id}")
        # Read only: kernels and manifests trust them.
        self.rules: Mapping[str, Value] = MappingProxyType(resolve(self.rule_options, given, f"rules of {self.id}"))

    def __repr__(self) -> str:
        setup = [f"set-up {self.setup_hash[:12]}"] if self.setup_file else []
        return f"<{self.title}: {', '.join([f'{self.players} players', *setup, *self.changed_rules()])}>"

    def usual_rules(self) -> Mapping[str, Value]:
        """Return the values of the rules that go without saying: by default those of the options."""
        return {option.key: option.default for option in self.rule_options}

    def changed_rules(self) -> list[str]:
        """Return key=value of each rule that differs from what is usual."""
        return [f"{key}={self.rules[key]}" for key, usual in self.usual_rules().items() if self.rules[key] != usual]

    def sides(self) -> list[list[int]]:
        """Return the seats of each side, in the order of sides."""
        return [[seat for seat, side in enumerate(self.team()) if side == number] for number in sorted({*self.team()})]

    def conditions(self) -> str:
        """Return the players, the sides where seats share one, and the rule values, for people."""
        sides = ["+".join(map(str, seats)) for seats in self.sides()]
        shared = f"; sides: seats {' against '.join(sides)}" if len(sides) < self.players else ""
        rules = ", ".join(f"{key}={value}" for key, value in self.rules.items())
        return f"{self.title}, {self.players} players{shared}; rules: {rules or 'none'}"

    @classmethod
    def read_setup(cls, path: Path | None) -> Any:
        """Return the set-up from a file, the default one where path is None. Raises InputError."""
        if path is not None:
            raise InputError(f"{cls.id} has no set-up file, found {path}. Leave the option out.")
        return None

    @classmethod
    def describe_setup(cls, setup: Any) -> dict[str, Any]:
        """Return what a set-up holds, for people: words and what goes with them."""
        return {}

    @classmethod
    def is_shipped(cls, setup: Any) -> bool:
        """Say whether a set-up is the one that ships with the game."""
        return cls.setup_file is not None and bool(setup == cls.read_setup(None))

    @classmethod
    def setup_notes(cls, setup: Any) -> list[str]:
        """Return what must be said with every result of a set-up, each a clause without a full stop."""
        return [cls.setup_note] if cls.setup_note and cls.is_shipped(setup) else []

    def setup_text(self) -> str | None:
        """Return the set-up as the canonical text of its file; None where the game has none."""
        return None

    @property
    def setup_hash(self) -> str:
        """SHA-256 of the set-up's canonical text, in hexadecimal."""
        return hashlib.sha256((self.setup_text() or "").encode()).hexdigest()

    def team(self) -> list[int]:
        """Return the number of each seat's side, counted from 0."""
        return list(range(self.players))

    @abstractmethod
    def schedule(self) -> Iterable[tuple[int, int]]:
        """Return (turn, seat) of every choice of a game, in order."""

    @abstractmethod
    def new_block(self, keys: Keys) -> Any:
        """Return the state of len(keys.game) games, dealt by the DEAL stream of (keys.seed, keys.deal)."""

    @abstractmethod
    def view(self, block: Any, keys: Keys, turn: int, seat: int) -> Any:
        """Return what `seat` can see, with the fields seed, index, turn and seat that policies draw by."""

    @abstractmethod
    def apply(self, block: Any, turn: int, seat: int, moves: NDArray[np.int16], record: bool) -> dict[str, Array]:
        """Play moves [G, fields] and, where `record` is set, return the game's own columns of `moves`, each [G].

        A game that `skips` also returns PLAYED, whether a game has a row; the other columns may then be left out if none has.
        """

    @abstractmethod
    def result(self, block: Any) -> Result:
        """Return scores and columns of the games, which have all ended."""

    def candidates(self, view: Any, games: NDArray[np.int64]) -> Candidates:
        """Return all distinct legal moves of some games of a view; optional, for policies that weigh moves."""
        raise InputError(f"{self.id} does not list its moves, which this policy weighs. Choose another policy.")

    def imagine(self, view: Any, g: int, keys: Keys) -> Any:
        """Return a block of len(keys.game) games as game g of the view may stand; optional, for policies that look ahead.

        What the seat can't see is drawn by the DEAL stream of (keys.seed, keys.deal); the seat is about to move.
        """
        raise InputError(f"{self.id} does not imagine hidden cards, which this policy needs. Choose another policy.")

    def metrics(self) -> Sequence[Metric]:
        """Return what is measured of a run of this game besides what every game has."""
        return ()

    def measures(self) -> Mapping[str, pl.Expr]:
        """Return what conditions on rows of `seats` may name besides its columns: name -> expression of a row."""
        return {}

    def sections(self, run: Run, what_if: int) -> list[Section]:
        """Return what a report of a run says of this game besides what it says of every game.

        what_if: how many games to play for each question of the kind "what if the set-up were another"; 0 for none.
        """
        return []

    def steps(self, record: Any) -> list[Step]:
        """Return the pictures of one game from its rows (`replay.Record`); by default the rows as text."""
        from veggies_sim.core.replay import plain_steps

        return plain_steps(record)
