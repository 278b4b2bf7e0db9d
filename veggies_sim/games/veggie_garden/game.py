"""The game Veggie Garden as the engine plays it: players, board and rules put together, and the kernels called in order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from veggies_sim.core.candidates import Candidates
from veggies_sim.core.checks import mapping
from veggies_sim.core.errors import InputError, show
from veggies_sim.core.game import PLAYED, Array, Game, Keys, Result, Step
from veggies_sim.core.options import Option
from veggies_sim.games.veggie_garden import columns, features, hidden, kernels
from veggies_sim.games.veggie_garden.board import (
    DRAW,
    FORM,
    KINDS,
    PEA,
    WORDS,
    Board,
    read_copies,
    read_kinds,
    read_posts,
)
from veggies_sim.games.veggie_garden.moves import count_moves
from veggies_sim.games.veggie_garden.policies import POLICIES
from veggies_sim.games.veggie_garden.state import ACTION, LAST, SLOT, A, B, Block, Rules, View
from veggies_sim.games.veggie_garden.tables import tables

IN_PLAY_WITHOUT = np.array([[kind for kind in range(6) if kind != out] for out in range(6)], np.int8)  # kinds, by the one out

if TYPE_CHECKING:
    import polars as pl

    from veggies_sim.analysis.metrics import Metric
    from veggies_sim.core.dataset import Run
    from veggies_sim.report.section import Section

ON_OFF = (WORDS[True], WORDS[False])


def cards_needed(players: int) -> int:
    """Return the cards of a game: garden, harvest and, for each player, two of the deal and six turns (rules: Garden)."""
    return 20 + 8 * players


class VeggieGarden(Game):
    """Veggie Garden for 2 to 4 players with a board and rule values.

    >>> VeggieGarden(players=2).rules["bonus"]
    10
    """

    id = "veggie-garden"
    title = "Veggie Garden"
    source = "Kelly North Adams; Quick Simple Fun Games 2017"
    behaviour = 1
    min_players, max_players = 2, 4
    move_fields = ("slot", "action", "a", "b")
    skips = True
    rule_options = (
        Option("kinds", DRAW, f"kinds in play: {DRAW}, or five joined by + or commas", read=read_kinds),
        Option("copies", 14, "cards of each kind: one number from 1 to 40, or six joined by commas", read=read_copies),
        Option("posts", Board.posts, "points of the twelve posts, 0..20 each, joined by commas", read=read_posts),
        Option("bunny", "on", "with carrots a bunny's post replaces a numbered one", words=ON_OFF),
        Option("groundhog", "policy", "who places the groundhog, with peas in play", words=("policy", "random", "off")),
        Option("reshuffle", "on", "the discards become a new deck when it is empty", words=ON_OFF),
        Option("pea_axes", 4, "axes of a swap across the groundhog: 3 for those with an end on compost only", 3, 4),
        Option("pepper_moves_bunny", "on", "a pepper may swap the bunny's post", words=ON_OFF),
        Option("bonus", 10, "points for holding every kind in play", 0, 100),
    )
    decisions = (
        "Deal order: garden row by row, four harvest cards, then two cards to seat 0, two to seat 1, ...; later draws take the "
        "next card.",
        "Each of the twelve outer cards has one post: corner cards belong to the top and bottom lines.",
        "The first player places the groundhog after the deal, seeing garden, posts, harvest and the own hand.",
        "The groundhog blocks its own row and column of cards, never posts.",
        "Without a groundhog a pea, without a bunny a carrot has no action: the card is taken and refilled.",
        "Four of a kind stay where deck and discards hold no other kind, and after 64 replacements in one game.",
        "A tie is shared.",
    )
    never = ("below_zero", "tie_breaks")  # nothing costs points, and a tie is shared
    policies = POLICIES
    features = features.FEATURES
    default_policy = "greedy"
    setup_file: ClassVar[str | None] = "board.toml"
    setup_help = FORM
    setup: Board
    seat_columns = columns.SEATS
    deal_columns = columns.DEALS
    move_columns = columns.MOVES

    def __init__(
        self, players: int = 3, board: Board | None = None, rules: Mapping[str, object] | None = None, **more: object
    ) -> None:
        """`board` defaults to the printed game's; rules as a mapping or as keywords. Raises InputError.

        What rules say of the board (kinds, copies, posts, bunny, groundhog) goes before what the board says.
        """
        if not isinstance(board, Board | None):
            raise InputError(f"board: found {show(board)}; give a Board, such as Board.read_toml(path)")
        given = mapping(rules, "rules of veggie-garden") | more
        usual = asdict(board or Board())
        super().__init__(players, None, usual | given)
        ruled: dict[str, Any] = {key: self.rules[key] for key in usual}
        self.setup = replace(board or Board(), **ruled)
        self._points = np.array(self.setup.posts.split(","), np.int8)
        self._copies = np.array(self.setup.counts(), np.int64)
        out = self.setup.out()
        self._out = -1 if out is None else out
        self._check_cards()
        on = {key: self.rules[key] == WORDS[True] for key in ("bunny", "reshuffle", "pepper_moves_bunny")}
        self._bunny = on["bunny"]
        self._rules = Rules(int(self.rules["bonus"]), on["reshuffle"], on["pepper_moves_bunny"])
        self._tables = tables(int(self.rules["pea_axes"]), on["pepper_moves_bunny"])
        self._team = np.array(self.team())

    def _check_cards(self) -> None:
        """Refuse a deck that may be too small (rules: Garden). Raises InputError that shows the arithmetic."""
        needed, cards = cards_needed(self.players), self.setup.cards()
        if cards < needed:
            raise InputError(
                f"copies: the deck has {cards} cards in play, but {self.players} players need 20 + 8n = 20 + 8 x {self.players} = "
                f"{needed}. Give more copies of each kind, or fewer players."
            )

    @classmethod
    def read_setup(cls, path: Path | None) -> Board:
        """Return the board of a file, the printed game's where path is None. Raises InputError."""
        return Board() if path is None else Board.read_toml(path)

    @classmethod
    def describe_setup(cls, setup: Board) -> dict[str, Any]:
        """Return what the board holds, and for whom its cards are enough.

        Raises InputError where a kind in play has no cards: such a board can be played, but hardly anybody means it.
        """
        if fault := setup.fault():
            raise InputError(f"copies: {fault}")
        needed = {n: cards_needed(n) for n in range(cls.min_players, cls.max_players + 1)}
        return asdict(setup) | {
            "cards in play, at least": setup.cards(),
            "cards needed": {f"{n} players": cards for n, cards in needed.items()},
            "enough for players": [n for n, cards in needed.items() if cards <= setup.cards()],
        }

    def setup_text(self) -> str:
        """Return the board as canonical TOML."""
        return self.setup.to_toml()

    def schedule(self) -> Iterable[tuple[int, int]]:
        """Seat 0 places the groundhog at turn 0, where that is a choice; then six turns each, and the last picks."""
        first = [(0, 0)] if self.setup.groundhog == "policy" else []
        return first + [(turn, seat) for turn in range(1, LAST + 1) for seat in range(self.players)]

    def new_block(self, keys: Keys) -> Block:
        """Shuffle, lay garden and posts, and deal."""
        seed, games = np.uint64(keys.seed), len(keys.game)
        block = Block(games, self.players, int(self._copies.sum()))
        cards, size = kernels.deal(seed, keys.deal, block.out, self._copies, self._out)
        block.deck[:, : cards.shape[1]] = cards
        block.end[:] = block.first[:] = size
        by_chance = self.setup.groundhog == "random"
        kernels.lay_posts(seed, keys.deal, self._points, self._bunny, by_chance, block.out, block.post, block.bunny, block.hog)
        kernels.lay_cards(seed, keys.deal, block.piles(), self._rules.reshuffle, block.cell, block.hand)
        block.deals, block.seed = keys.deal, seed
        block.first_post, block.first_bunny, block.first_hog = block.post.copy(), block.bunny.copy(), block.hog.copy()
        return block

    def view(self, block: Block, keys: Keys, turn: int, seat: int) -> View:
        """Return the seat's own hand and all that lies open."""
        hand = block.hand[:, seat].copy()  # a copy: no way from the view to the other hands
        return View(
            np.uint64(keys.policy_seed), keys.game, turn, seat, hand, block.cell, block.post, block.bunny, block.hog, block.slot,
            block.taken, block.discard, block.out, self._tables, self._rules,
        )  # fmt: skip

    def apply(self, block: Block, turn: int, seat: int, moves: NDArray[np.int16], record: bool) -> dict[str, Array]:
        """Play the chosen picks and actions; at turn 0 place the groundhog."""
        if turn == 0:
            block.hog[:] = block.first_hog[:] = np.where(block.out == PEA, -1, moves[:, A])
            return {PLAYED: np.zeros(len(moves), bool)} if record else {}
        rows = self._before(block, turn, seat, moves) if record else {}
        state = (block.cell, block.post, block.bunny, block.hog, block.hand, block.taken)
        kernels.apply(block.seed, block.deals, turn, seat, moves, state, block.piles(), self._tables, self._rules.reshuffle)
        if record:
            rows["score_now"] = self._score(block)[0][:, seat]
        return rows

    def _before(self, block: Block, turn: int, seat: int, moves: NDArray[np.int16]) -> dict[str, Array]:
        """Return what is recorded of moves before they are played."""
        count = np.empty(len(moves), np.uint32)
        keys = Keys(np.zeros(len(moves), np.uint64), block.deals, 0, 0)
        count_moves(self.view(block, keys, turn, seat), count)
        slot = moves[:, SLOT]
        kind = block.slot[np.arange(len(moves)), np.maximum(slot, 0)]
        return {
            PLAYED: slot >= 0,
            "slot": slot.astype(np.uint8),
            "kind": kind.astype(np.int16),
            "action": moves[:, ACTION].copy(),
            "a": moves[:, A].astype(np.int8),
            "b": moves[:, B].astype(np.int8),
            "choices": count,
        }

    def _score(self, block: Block) -> tuple[Array, Array, Array]:
        """Return points and bonus [G, P] and the value of each kind [G, K] if every game ended now."""
        value = kernels.values(block.cell, block.post, self._tables.cell_of)
        points, bonus = np.empty((2, *block.hand.shape[:2]), np.int16)
        kernels.score(value, block.hand, block.out, self._rules.bonus, points, bonus)
        return points, bonus, value

    def result(self, block: Block) -> Result:
        """Score every hand (rules: End and score)."""
        points, bonus, value = self._score(block)
        seats: dict[str, Array] = {"bonus": bonus.astype(np.uint8)}
        held, worth = kernels.by_kind(block.hand, value, block.out, columns.NOT_IN_PLAY)
        for number, kind in enumerate(KINDS):
            seats |= {f"{kind}_held": held[number], f"{kind}_value": worth[number]}
        return Result(points, None, seats, self._deals(block))

    def _deals(self, block: Block) -> dict[str, Array]:
        """Return the columns of `deals`."""
        posts = block.first_post.astype(np.int16)
        posts[np.flatnonzero(block.first_bunny >= 0), block.first_bunny[block.first_bunny >= 0]] = -1
        return {
            "kinds": IN_PLAY_WITHOUT[block.out],
            "deck": kernels.first_cards(block.deck, block.first),
            "draws": kernels.first_cards(block.deck, block.top),
            "posts": posts,
            "groundhog": block.first_hog,
        }

    def steps(self, record: Any) -> list[Step]:
        """Return the pictures of one game, checked by the plain rules."""
        from veggies_sim.games.veggie_garden.replay import steps

        return steps(self, record)

    def candidates(self, view: View, games: NDArray[np.int64]) -> Candidates:
        """Return all legal moves with the features of `features.FEATURES`; to pass is one where there is no other."""
        return features.candidates(view, games, self._copies)

    def imagine(self, view: View, g: int, keys: Keys) -> Block:
        """Return games in which the unseen cards are shuffled over the others' dealt cards and the deck."""
        block = Block(len(keys.game), self.players, int(self._copies.sum()))
        hidden.imagine(view, g, keys, self._copies, block)
        return block

    def metrics(self) -> Sequence[Metric]:
        """Return what is measured of hands and of the garden."""
        from veggies_sim.games.veggie_garden.analysis.metrics import METRICS

        return METRICS

    def measures(self) -> Mapping[str, pl.Expr]:
        """Return what a row of `seats` says of a hand besides its columns."""
        from veggies_sim.games.veggie_garden.analysis.metrics import MEASURES

        return MEASURES

    def sections(self, run: Run, what_if: int) -> list[Section]:
        """Return what a report says of kinds, actions, the bonus and other boards."""
        from veggies_sim.games.veggie_garden.report import sections

        return sections(self, run, what_if)
