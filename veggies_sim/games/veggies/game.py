"""The game Veggies as the engine plays it: players, deck and rules put together, and the kernels called in order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from veggies_sim.core.candidates import Candidates
from veggies_sim.core.checks import mapping
from veggies_sim.core.errors import InputError, show
from veggies_sim.core.game import Array, Game, Keys, Result, Step
from veggies_sim.core.options import Option, Value
from veggies_sim.games.veggies import columns, features, hidden, kernels
from veggies_sim.games.veggies.deck import GOODS, SHIPPED_NOTE, Deck
from veggies_sim.games.veggies.deck_reader import FORMAT
from veggies_sim.games.veggies.policies import POLICIES
from veggies_sim.games.veggies.scoring import GOODS_OF_MASK
from veggies_sim.games.veggies.state import (
    CARD,
    COL,
    GROUPS,
    LARGEST,
    PAIR_GOODS,
    PAIR_GROUPS,
    RATS,
    ROTATION,
    ROW,
    SOURCE,
    Block,
    Rules,
    View,
    as_faces,
)

if TYPE_CHECKING:
    import polars as pl

    from veggies_sim.analysis.metrics import Metric
    from veggies_sim.core.dataset import Run
    from veggies_sim.report.section import Section


def cards_needed(players: int, ramp_size: int, stand_size: int) -> int:
    """Return how many cards a game takes at most: ramp, hands and one refill a turn (rules: End)."""
    return ramp_size + 2 * players + players * (stand_size - 1)


def _usual(players: int) -> dict[str, Value]:
    """Return the rules whose usual value hangs on the number of players."""
    return {"announced": 2 if players == 2 else 1, "teams": "opposite" if players == 4 else "none"}


class Veggies(Game):
    """Veggies for 2 to 4 players with a deck and rule values.

    >>> Veggies(players=2).rules["announced"]
    2
    """

    id = "veggies"
    title = "Veggies"
    source = "Jog Kung; Magazynier, Nasza Księgarnia 2019; Veggies, Devir Pocket edition 2022"
    behaviour = 1
    min_players, max_players = 2, 4
    move_fields = ("source", "rotation", "row", "col")
    rule_options = (
        Option("stand_size", 8, "cards of a full stand, the start card included", 1, 40),
        Option("rat_penalty", 2, "points lost for each visible rat", 0, 20),
        Option("ramp_size", 3, "cards that lie face up on the ramp", 0, 9),
        Option("announced", 1, "goods each player announces (default 2 with two players)", 1, 2),
        Option("pair", "goods", "where two are announced: two goods, or the goods of two groups", words=("goods", "groups")),
        Option("teams", "opposite", "sides of four players", words=("opposite", "adjacent", "none")),
    )
    decisions = (
        "Deal order: ramp first, then two cards to seat 0, two to seat 1, ...; every later draw takes the next card.",
        "Seat 0 starts; starting cards are chosen without knowing the others' choices.",
        "Spaces lie on one grid: no half-space offsets.",
        "The start card is one of the cards of a full stand (stand_size).",
        "Announcing is a rule, the same for all policies: in seat order; on a tie the set of goods that maximises own side's "
        "score minus the best other side's, counting what was announced so far; then the first in the order of goods.",
        "A stand without goods announces nothing, one with a single good that one.",
        "Two players announce two different goods (pair=goods); pair=groups takes the two largest groups.",
        "Four players: partners sit opposite (teams=opposite).",
    )
    policies = POLICIES
    features = features.FEATURES
    default_policy = "greedy"
    setup_file: ClassVar[str | None] = "deck.csv"
    setup_help = FORMAT
    setup_note = SHIPPED_NOTE
    setup: Deck

    def __init__(
        self, players: int = 3, deck: Deck | None = None, rules: Mapping[str, object] | None = None, **more: object
    ) -> None:
        """`deck` defaults to the shipped reconstruction; rules as a mapping or as keywords. Raises InputError."""
        given = mapping(rules, "rules of veggies") | more
        if not isinstance(deck, Deck | None):
            raise InputError(f"deck: found {show(deck)}; give a Deck, such as vs.Deck.read_csv(path)")
        super().__init__(players, Deck.shipped() if deck is None else deck, _usual(players) | given)
        if self.players != 4 and self.rules["teams"] != "none":
            raise InputError(f"rules of veggies: teams={given['teams']} needs 4 players, found {players}. Valid: none.")
        self._check_cards()
        pair = PAIR_GROUPS if self.rules["pair"] == "groups" else PAIR_GOODS
        self._rules = Rules(self._rule("stand_size"), self._rule("rat_penalty"), self._rule("announced"), pair)
        self._faces = as_faces(self.setup)
        self._team = np.array(self.team())
        ids = tuple(card.id for card in self.setup.cards)
        self.seat_columns = columns.SEATS
        self.deal_columns = columns.deals(ids)
        self.move_columns = columns.moves(ids, self._rule("ramp_size"))

    def usual_rules(self) -> Mapping[str, Value]:
        """Return the values that are usual with as many players; `pair` goes without saying where one good is announced."""
        unused = {} if self.rules["announced"] == 2 else {"pair": self.rules["pair"]}
        return {**super().usual_rules(), **_usual(self.players), **unused}

    def _rule(self, key: str) -> int:
        return int(self.rules[key])

    def _check_cards(self) -> None:
        """Refuse a game that could run out of cards (rules: End). Raises InputError that shows the arithmetic."""
        size, ramp, n = self._rule("stand_size"), self._rule("ramp_size"), self.players
        needed = cards_needed(n, ramp, size)
        if needed > len(self.setup):
            raise InputError(
                f"the deck has {len(self.setup)} cards, but {n} players need ramp_size + 2n + n(stand_size - 1) = "
                f"{ramp} + {2 * n} + {n} x {size - 1} = {needed}. Take a larger deck, fewer players or a smaller stand_size."
            )

    @classmethod
    def read_setup(cls, path: Path | None) -> Deck:
        """Return the deck of a file, the shipped reconstruction where path is None. Raises InputError."""
        return Deck.shipped() if path is None else Deck.read_csv(path)

    @classmethod
    def setup_notes(cls, setup: Deck) -> list[str]:
        """Return that the deck is the shipped reconstruction, or that it was made from it."""
        return setup.notes()

    @classmethod
    def describe_setup(cls, setup: Deck) -> dict[str, Any]:
        """Return what the deck holds, for whom it is large enough, what it lacks and which faces are equal under a half-turn."""
        defaults = {option.key: int(option.default) for option in cls.rule_options if not option.words}
        spaces, seats = setup.counts(), range(cls.min_players, cls.max_players + 1)
        needed = {n: cards_needed(n, defaults["ramp_size"], defaults["stand_size"]) for n in seats}
        return {
            "cards": len(setup),
            "cards needed with the default rules": {f"{n} players": cards for n, cards in needed.items()},
            "enough for players": [n for n, cards in needed.items() if cards <= len(setup)],
            "spaces": spaces,
            "goods that do not occur": [good for good in GOODS if not spaces[good]],
            "equal faces": setup.same_faces(),
            "hash": setup.hash,
        }

    def setup_text(self) -> str:
        """Return the deck as canonical CSV."""
        return self.setup.to_csv()

    def team(self) -> list[int]:
        """Return each seat's side: partners opposite or adjacent, or every seat for itself."""
        sides = {"opposite": [0, 1, 0, 1], "adjacent": [0, 0, 1, 1]}
        return sides.get(str(self.rules["teams"]), list(range(self.players)))

    def schedule(self) -> Iterable[tuple[int, int]]:
        """Every seat in turn: the start card at turn 0, then one card a turn."""
        return [(turn, seat) for turn in range(self._rule("stand_size")) for seat in range(self.players)]

    def new_block(self, keys: Keys) -> Block:
        """Shuffle and deal."""
        block = Block(len(keys.game), self.players, self._rule("ramp_size"), self._faces, self._rules)
        kernels.deal(np.uint64(keys.seed), keys.deal, self._faces.slots, block.order, block.ramp, block.hand)
        return block

    def view(self, block: Block, keys: Keys, turn: int, seat: int) -> View:
        """Return the seat's own hand, the ramp and all stands; at turn 0 no stand is to be seen yet."""
        hand = block.hand[:, seat].copy()  # a copy: no way from the view to the other hands
        placed = block.placed if turn else block.unseen
        seed = np.uint64(keys.policy_seed)
        return View(seed, keys.game, turn, seat, hand, block.ramp, placed, block.faces, block.rules)

    def apply(self, block: Block, turn: int, seat: int, moves: NDArray[np.int16], record: bool) -> dict[str, Array]:
        """Lay the chosen cards."""
        rows: dict[str, Array] = {}
        if record:
            rows["choices"] = np.empty(len(moves), np.uint32)
            hand = block.hand[:, seat].copy()
            kernels.count_choices(hand, block.ramp, block.placed, turn, seat, block.faces.turns, rows["choices"])
        if turn == 0:
            kernels.apply_start(seat, moves, block.hand, block.placed)
        else:
            state = (block.faces.slots, block.order, block.ramp, block.hand, block.placed)
            kernels.apply(turn, seat, moves, state)
        return self._record(block, turn, seat, moves, rows) if record else rows

    def _record(
        self, block: Block, turn: int, seat: int, moves: NDArray[np.int16], rows: dict[str, Array]
    ) -> dict[str, Array]:
        score = np.full(len(moves), columns.NO_SCORE, np.int16)
        self._summarise(block, seat, turn + 1)
        if turn:
            kernels.score_seat(seat, block.summary, self._team, block.rules, score)
        return {
            "source": (moves[:, SOURCE] + 1 if turn else np.zeros(len(moves))).astype(np.uint8),
            "card": block.placed[:, seat, turn, CARD].astype(np.int16),
            "rotation": moves[:, ROTATION].astype(np.uint8),
            "row": moves[:, ROW].copy(),
            "col": moves[:, COL].copy(),
            "choices": rows["choices"],
            "score_now": score,
        }

    def _summarise(self, block: Block, seat: int, laid: int) -> None:
        if block.summarised[seat] != laid:
            kernels.summarise_seat(seat, laid, block.placed, block.faces.symbols, block.rules, block.summary)
            block.summarised[seat] = laid

    def result(self, block: Block) -> Result:
        """Let everybody announce and score (rules: Scoring)."""
        games, players = block.hand.shape[:2]
        for seat in range(players):
            self._summarise(block, seat, block.rules.stand_size)
        announced = np.empty((games, players), np.int64)
        score = np.empty((games, players), np.int16)
        union = kernels.score_all(block.summary, self._team, block.rules, announced, score)
        goods = GOODS_OF_MASK[announced]  # [G, P, 2]
        rats = block.summary[:, :, RATS].astype(np.uint8)
        seats: dict[str, Array] = {"rats": rats, "announced": goods[:, :, 0], "announced_2": goods[:, :, 1]}
        for good, name in enumerate(GOODS):
            seats[f"{name}_largest"] = block.summary[:, :, LARGEST + good].astype(np.uint8)
            seats[f"{name}_groups"] = block.summary[:, :, GROUPS + good].astype(np.uint8)
            scored = (union >> good & 1).astype(bool)
            seats[f"{name}_scored"] = np.repeat(scored, players).reshape(games, players)
        return Result(score, rats, seats, {"order": self._faces.slots[block.order]})

    def candidates(self, view: View, games: NDArray[np.int64]) -> Candidates:
        """Return all legal moves with the features of `features.FEATURES`."""
        return features.candidates(view, games)

    def imagine(self, view: View, g: int, keys: Keys) -> Block:
        """Return games in which the unseen cards are shuffled over the other hands and the deck."""
        block = Block(len(keys.game), self.players, self._rule("ramp_size"), self._faces, self._rules)
        hidden.imagine(view, g, keys, block)
        return block

    def metrics(self) -> Sequence[Metric]:
        """Return what is measured of stands and announcements."""
        from veggies_sim.games.veggies.analysis.metrics import veggies_metrics

        return veggies_metrics(self)

    def measures(self) -> Mapping[str, pl.Expr]:
        """Return what a row of `seats` says of a stand besides its columns."""
        from veggies_sim.games.veggies.analysis.measures import MEASURES

        return MEASURES

    def sections(self, run: Run, what_if: int) -> list[Section]:
        """Return what a report says of stands, goods, rats and cards."""
        from veggies_sim.games.veggies.report import sections

        return sections(self, run, what_if)

    def steps(self, record: Any) -> list[Step]:
        """Return one picture for every card laid."""
        from veggies_sim.games.veggies.replay import steps

        return steps(self, record)
