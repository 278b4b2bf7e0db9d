"""The rules of Veggies in plain Python, to read, to try out in a notebook and to test the fast kernels against.

What may live here: a stand and what the rulebook says of it: where a card may go, groups, announcing, points, winners.
Nothing here is fast and nothing needs more than Python. A stand of two cards, rows down and columns to the right:

        0 1 2 3 4
    0   S S G            the start card lies at row 0, column 0: that is where its top-left space is
    1   . G B . .        a second card at row 1, column 2 covers one space of the first
    2       R M M

Goods are words (`deck.GOODS`), sets of goods are frozensets. The rule sections named are those of docs/veggies.md.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from types import MappingProxyType
from typing import NamedTuple

from veggies_sim.core.checks import whole
from veggies_sim.core.errors import IllegalMove, InputError, nearest, show, unknown
from veggies_sim.games.veggies.deck import GOODS, LETTER, RAT, SYMBOLS, Card, Face, rotate

Space = tuple[int, int]  # (row, column)
Goods = frozenset[str]

SIZES = ((2, 3), (3, 2))  # rows and columns of a card, lying and standing
PAIRS = ("goods", "groups")
_SIDES = ((-1, 0), (1, 0), (0, -1), (0, 1))
_CORNERS = ((-1, -1), (-1, 1), (1, -1), (1, 1))


class Placement(NamedTuple):
    """A card laid: its face as printed, the quarter turns clockwise, and its top-left space once turned."""

    face: Face
    row: int
    col: int
    rotation: int

    def spaces(self) -> Iterator[tuple[Space, str]]:
        """Yield ((row, column), symbol) for the six spaces of the card."""
        for down, symbols in enumerate(rotate(self.face, self.rotation)):
            for right, symbol in enumerate(symbols):
                yield (self.row + down, self.col + right), symbol


class Stand:
    """One player's stand: cards laid side by side and over one another (rules: A turn).

    >>> stand = Stand()
    >>> stand.place([["strawberry", "strawberry", "grape"], ["empty", "grape", "grape"]], row=0, col=0)
    >>> stand.place([["banana", "empty", "empty"], ["rat", "mushroom", "mushroom"]], row=1, col=2)
    >>> print(stand)
    SSG
    .GB..
      RMM
    >>> stand.groups()["grape"], stand.largest()["mushroom"], stand.rats()
    (2, 2, 1)
    >>> stand.score({"grape", "mushroom"})  # 1 x 2 + 2 x 1 - 2
    2
    >>> stand.place([["banana"] * 3] * 2, row=3, col=5)
    Traceback (most recent call last):
    ...
    veggies_sim.core.errors.IllegalMove: a card of 2 x 3 at row 3, column 5 touches the stand at a corner only; ...
    """

    def __init__(self, cards: Iterable[tuple[Sequence[Sequence[str]], int, int, int]] = ()) -> None:
        """Lay `cards`, each (face, row, column, rotation), in that order; by default none. Raises as `place`."""
        self._cards: list[Placement] = []
        self._spaces: dict[Space, str] = {}
        self._sizes: dict[str, list[int]] | None = None  # groups of each good, largest first; None when out of date
        try:
            laid = [(face, row, col, rotation) for face, row, col, rotation in cards]
        except (TypeError, ValueError):
            raise InputError(f"cards: found {show(cards)}; valid: a list of (face, row, col, rotation)") from None
        for card in laid:
            self.place(*card)

    @property
    def cards(self) -> tuple[Placement, ...]:
        """The cards in the order they were laid, covered ones included."""
        return tuple(self._cards)

    @property
    def spaces(self) -> Mapping[Space, str]:
        """(row, column) -> symbol of every space that is visible from above."""
        return MappingProxyType(self._spaces)

    def place(self, face: Sequence[Sequence[str]], row: int, col: int, rotation: int = 0) -> None:
        """Lay a card with its top-left space, once turned, at (row, col) (rules: A turn).

        `rotation` counts quarter turns clockwise, 0 to 3. The first card is the start card and may lie anywhere; every later
        one must touch a card side to side or cover one, fully or in part. Raises IllegalMove with the reason, and
        InputError for what is no face, no whole number or no rotation; the stand is unchanged then.
        """
        turns = whole(rotation, "rotation")
        if not 0 <= turns <= 3:
            raise InputError(f"rotation: found {turns}; valid: quarter turns clockwise: 0, 1, 2 or 3")
        card = Placement(as_face(face), whole(row, "row"), whole(col, "col"), turns)
        spaces = dict(card.spaces())
        if self._spaces and self._reach().isdisjoint(spaces):
            raise IllegalMove(self._refusal(card, spaces))
        self._cards.append(card)
        self._spaces.update(spaces)
        self._sizes = None

    def _reach(self) -> set[Space]:
        """Return the spaces of the stand and those beside them: a card that has one of them covers or touches."""
        return {(r + down, c + right) for r, c in self._spaces for down, right in ((0, 0), *_SIDES)}

    def _refusal(self, card: Placement, spaces: Iterable[Space]) -> str:
        height, width = SIZES[card.rotation % 2]
        corner = any((r + down, c + right) in self._spaces for r, c in spaces for down, right in _CORNERS)
        how = "touches the stand at a corner only" if corner else "does not touch the stand"
        return (
            f"a card of {height} x {width} at row {card.row}, column {card.col} {how}; it must touch a card side to "
            f"side or cover one, see legal_placements(height={height}, width={width})"
        )

    def legal_placements(self, height: int = 2, width: int = 3) -> list[Space]:
        """Return the sorted (row, col) where the top-left space of a card of height x width may go (rules: A turn).

        The start card could lie anywhere; by convention an empty stand gives [(0, 0)].
        """
        if (height, width) not in SIZES:
            raise InputError(f"a card of {show(height)} x {show(width)} spaces; valid: 2 x 3 lying or 3 x 2 standing")
        if not self._spaces:
            return [(0, 0)]
        card = [(down, right) for down in range(height) for right in range(width)]
        return sorted({(r - down, c - right) for r, c in self._reach() for down, right in card})

    def group_sizes(self) -> dict[str, list[int]]:
        """Return good -> sizes of its groups, visible spaces linked side to side; largest first (rules: Scoring)."""
        if self._sizes is None:
            self._sizes = {good: [] for good in GOODS}
            left = {space: symbol for space, symbol in self._spaces.items() if symbol in GOODS}
            while left:
                start, good = left.popitem()
                self._sizes[good].append(1 + _take_group(start, good, left))
            for sizes in self._sizes.values():
                sizes.sort(reverse=True)
        return {good: [*sizes] for good, sizes in self._sizes.items()}

    def largest(self) -> dict[str, int]:
        """Return good -> spaces in its biggest group, 0 where the good is not visible (rules: Scoring)."""
        return {good: max(sizes, default=0) for good, sizes in self.group_sizes().items()}

    def groups(self) -> dict[str, int]:
        """Return good -> number of its groups, the largest one included (rules: Scoring)."""
        return {good: len(sizes) for good, sizes in self.group_sizes().items()}

    def rats(self) -> int:
        """Return the number of visible rats (rules: Scoring)."""
        return sum(symbol == RAT for symbol in self._spaces.values())

    def announceable(self, count: int = 1, pair: str = "goods") -> set[Goods]:
        """Return the sets of goods that the owner may announce, more than one on a tie (rules: Scoring).

        `count` 1 asks for the good of a largest group. `count` 2 asks for two (rules: Scoring, 2 players): with
        pair="goods" two different goods, with pair="groups" the goods of the two largest groups, perhaps one good.
        A stand without goods announces the empty set, one with a single good that one.

        >>> stand = Stand([([["grape", "grape", "carrot"], ["empty", "empty", "banana"]], 0, 0, 0)])
        >>> stand.announceable() == {frozenset({"grape"})}
        True
        >>> sorted(sorted(goods) for goods in stand.announceable(count=2))
        [['banana', 'grape'], ['carrot', 'grape']]
        """
        if count not in (1, 2) or isinstance(count, bool):
            raise InputError(f"count: found {show(count)}; a player announces 1 good or 2")
        if pair not in PAIRS:
            raise unknown("pair", str(pair), PAIRS)
        most = 2 if count == 2 and pair == "groups" else 1  # groups of one good that may be taken together
        groups = [(size, good) for good, sizes in self.group_sizes().items() for size in sizes[:most]]
        choices = [*combinations(groups, min(count, len(groups)))]
        best = max(sum(size for size, _ in choice) for choice in choices)
        return {frozenset(good for _, good in choice) for choice in choices if sum(size for size, _ in choice) == best}

    def score(self, announced: Iterable[str], rat_penalty: int = 2) -> int:
        """Return largest x groups of every announced good, minus the penalty for every visible rat (rules: Scoring)."""
        try:
            goods = None if isinstance(announced, str) else set(announced)
        except TypeError:
            goods = None
        if goods is None:
            raise InputError(f"announced: found {show(announced)}; give a set of goods, such as {{'grape'}}")
        for good in goods:
            if good not in GOODS:
                raise unknown("good", good, GOODS)
        largest, groups = self.largest(), self.groups()
        return sum(largest[good] * groups[good] for good in goods) - whole(rat_penalty, "rat_penalty") * self.rats()

    def copy(self) -> Stand:
        """Return a stand of its own with the same cards, to try a move on."""
        twin = Stand()
        twin._cards, twin._spaces, twin._sizes = [*self._cards], dict(self._spaces), self._sizes
        return twin

    def __str__(self) -> str:
        """Return the visible letters (S B G C M, '.' for empty, R for rat), one line a row."""
        if not self._spaces:
            return "(no cards)"
        rows, cols = zip(*self._spaces, strict=True)
        lines = (
            "".join(LETTER.get(self._spaces.get((row, col), ""), " ") for col in range(min(cols), max(cols) + 1))
            for row in range(min(rows), max(rows) + 1)
        )
        return "\n".join(line.rstrip() for line in lines)

    def __repr__(self) -> str:
        return f"<Stand of {len(self._cards)} cards, {len(self._spaces)} visible spaces>\n{self}"

    def _repr_svg_(self) -> str:
        """Return the picture that a notebook shows."""
        from veggies_sim.games.veggies.drawing import stand_svg

        return stand_svg(self)


def as_face(rows: object) -> Face:
    """Return `rows`, 2 of 3 symbols each, as a face. Raises InputError that says what is wrong."""
    if isinstance(rows, Card):
        raise InputError(f"face: found the card {show(rows.id)}; give card.face")
    try:
        face = tuple(tuple(row) for row in rows if not isinstance(row, str))  # type: ignore[attr-defined]
    except TypeError:
        face = ()
    if [len(row) for row in face] != [3, 3]:
        raise InputError(f"face: found {show(rows)}; valid: 2 rows of 3 symbols, such as card.face")
    for symbol in (symbol for row in face for symbol in row):
        if symbol not in SYMBOLS:
            guess = nearest(str(symbol), SYMBOLS)
            hint = f"; did you mean {guess!r}?" if guess else ""
            raise InputError(f"face: found {show(symbol)}{hint}; valid: {', '.join(SYMBOLS)}")
    top, bottom = (tuple(str(symbol) for symbol in row) for row in face)
    return (top[0], top[1], top[2]), (bottom[0], bottom[1], bottom[2])


def _take_group(start: Space, good: str, left: dict[Space, str]) -> int:
    """Remove from `left` the spaces connected to `start` that show `good`; return how many there were."""
    found, todo = 0, [start]
    while todo:
        row, col = todo.pop()
        for beside in ((row + down, col + right) for down, right in _SIDES):
            if left.get(beside) == good:
                del left[beside]
                todo.append(beside)
                found += 1
    return found


def good_order(goods: Collection[str]) -> tuple[int, ...]:
    """Return the key that sorts sets of goods: strawberry, banana, grape, carrot, mushroom (rules: Scoring, ties)."""
    return tuple(sorted(GOODS.index(good) for good in goods))


def value_now(stand: Stand, others: Iterable[Stand], count: int = 1, pair: str = "goods", rat_penalty: int = 2) -> int:
    """Return what a stand is worth now, beside the stands of all other seats (rules: Value now).

    The points for the best announcement allowed, united with what the others would announce: on a tie the set whose
    good order is first. At the start the others announce nothing: pass no stands.

    >>> stand = Stand([([["grape", "grape", "carrot"], ["empty", "rat", "banana"]], 0, 0, 0)])
    >>> other = Stand([([["carrot", "carrot", "carrot"], ["empty", "empty", "grape"]], 0, 0, 0)])
    >>> value_now(stand, []), value_now(stand, [other])
    (0, 1)
    """
    heard: Goods = frozenset()
    for other in others:
        heard |= min(other.announceable(count, pair), key=good_order)
    return max(stand.score(heard | goods, rat_penalty) for goods in stand.announceable(count, pair))


def announce(
    stands: Sequence[Stand],
    teams: Sequence[int] | None = None,
    count: int = 1,
    pair: str = "goods",
    rat_penalty: int = 2,
) -> list[Goods]:
    """Let every seat announce in seat order and return each seat's goods (rules: Scoring, announcing).

    `teams` holds the number of each seat's side; by default every seat plays for itself. On a tie a seat names the
    goods that maximise its side's points minus the best other side's, counting what has been announced so far and its
    own choice; then the first in the order of goods.

    >>> first = Stand([([["grape", "grape", "carrot"], ["empty", "carrot", "carrot"]], 0, 0, 0)])
    >>> second = Stand([([["grape", "empty", "carrot"], ["empty", "grape", "carrot"]], 0, 0, 0)])
    >>> [sorted(goods) for goods in announce([first, second])]
    [['carrot'], ['carrot']]
    """
    sides = [*range(len(stands))] if teams is None else [*teams]
    if len(sides) != len(stands):
        raise InputError(f"teams: found {len(sides)} sides for {len(stands)} stands; give one number a seat")

    def lead(side: int, goods: Goods) -> int:
        """Return the side's points minus the best other side's if exactly these goods were scored."""
        totals = dict.fromkeys(sides, 0)
        for stand, team in zip(stands, sides, strict=True):
            totals[team] += stand.score(goods, rat_penalty)
        return totals.pop(side) - max(totals.values(), default=0)

    heard: Goods = frozenset()
    announced = []
    for stand, side in zip(stands, sides, strict=True):
        leads = {goods: lead(side, heard | goods) for goods in stand.announceable(count, pair)}
        announced.append(min(leads, key=lambda goods: (-leads[goods], good_order(goods))))
        heard |= announced[-1]
    return announced


def add_up(values: Sequence[int], teams: Sequence[int]) -> list[int]:
    """Return the sum of the seats' values for each side 0, 1, ... (rules: Scoring, 4 players).

    >>> add_up([10, 20, 30, 40], teams=[0, 1, 0, 1])
    [40, 60]
    """
    return [sum(value for value, team in zip(values, teams, strict=True) if team == side) for side in range(max(teams) + 1)]


def winners(scores: Sequence[int], rats: Sequence[int]) -> list[int]:
    """Return the numbers of the sides that win: most points, then fewest rats, else shared (rules: Scoring).

    With teams give the sums of each side (`add_up`). Each of k winners gets 1/k of a win.

    >>> winners([20, 25, 25], rats=[0, 3, 1])
    [2]
    >>> winners([20, 25, 25], rats=[0, 1, 1])
    [1, 2]
    """
    results = [(score, -seen) for score, seen in zip(scores, rats, strict=True)]
    return [side for side, result in enumerate(results) if result == max(results)]
