"""The slow twin of the game Veggie Garden: the rules a second time, in plain Python, sharing no line with the package.

What may live here: the rules, the policies whose rows are promised everywhere (`random`, `greedy`), and `play`, which gives
one game as the rows of its dataset. Written from the rules alone; where twin and engine differ, the rules decide. Random
streams are those of `veggies_twin`; nothing of `veggies_sim`, NumPy or Numba may be imported.

Kinds go by number, 0..5, in the order of KINDS. Cells are 0..15 row by row, posts 0..11 clockwise from the top left. The
bunny's post is None among the points of the posts, an empty harvest slot None among the harvest's kinds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from veggies_twin import CHOICE, DEAL, TIE, shuffled, uniform, words

KINDS = ("cabbage", "carrot", "pea", "pepper", "potato", "tomato")
CABBAGE, CARROT, PEA, PEPPER, POTATO, TOMATO = range(6)
ACTIONS = (
    "shift_cards", "shift_posts", "move_bunny", "move_groundhog", "swap_cards", "swap_posts", "exchange", "replant", "none",
)  # fmt: skip
COMPOST = (5, 6, 9, 10)
BESIDE = (0, 1, 2, 3, 7, 11, 15, 14, 13, 12, 8, 4)  # the cell beside each post
LINES = [[4 * row + col for col in range(4)] for row in range(4)] + [[4 * row + col for row in range(4)] for col in range(4)]
SIDES = [[0, 1, 2, 3], [4, 5], [9, 8, 7, 6], [11, 10]]  # left to right, top to bottom
LAST = 7
MOST_FOURS = 64  # replacements in one game (decision of the engine); then four of a kind stay
OUT_PART, POST_PART, BUNNY_PART, HOG_PART, RESHUFFLE_PART = 1, 2, 3, 4, 5  # parts of the deal stream

Row = dict[str, Any]
DEFAULTS = {
    "kinds": "draw", "copies": 14, "posts": "1,1,1,1,2,2,2,2,3,3,3,3", "bunny": "on", "groundhog": "policy", "reshuffle": "on",
    "pea_axes": 4, "pepper_moves_bunny": "on", "bonus": 10,
}  # fmt: skip


class Move(NamedTuple):
    """A pick and its action, as a row of `moves` tells it; None where the action has no such number."""

    slot: int
    action: str
    a: int | None = None
    b: int | None = None


def part_words(seed: int, deal: int, part: int) -> Iterator[int]:
    """Yield the words of one part of a deal's stream one by one."""
    number = 0
    while True:
        yield from words(seed, DEAL, part, deal, number)
        number += 1


def neighbours(cell: int) -> list[int]:
    """Return the cells in the 8 directions, ascending."""
    row, col = divmod(cell, 4)
    near = [(r, c) for r in range(row - 1, row + 2) for c in range(col - 1, col + 2) if (r, c) != (row, col)]
    return [4 * r + c for r, c in near if 0 <= r < 4 and 0 <= c < 4]


class State:
    """A game under way: garden, posts, groundhog, harvest, hands, deck from the top, discards."""

    def __init__(self, seed: int, deal: int, players: int, rules: Mapping[str, Any]) -> None:
        self.seed, self.deal, self.rules = seed, deal, rules
        self.out = self.kind_out()
        self.posts, self.hog = self.first_posts(), self.first_hog()
        copies = (str(rules["copies"]).split(",") * 6)[:6]
        cards = [kind for kind in range(6) if kind != self.out for _ in range(int(copies[kind]))]
        self.deck = [cards[place] for place in shuffled(len(cards), part_words(seed, deal, 0))]
        self.discards: list[int] = []
        self.draws: list[int] = []
        self.reshuffles = self.fours = 0
        self.first_deck, self.dealt_posts = list(self.deck), list(self.posts)
        self.garden = self.deal_cards(16)
        self.harvest: list[int | None] = [None] * 4
        self.refill([0, 1, 2, 3])
        self.hands = [self.deal_cards(2) for _ in range(players)]

    def kind_out(self) -> int:
        """Return the kind that is not in play."""
        if self.rules["kinds"] == "draw":
            return int(uniform(self.seed, DEAL, OUT_PART, self.deal, 0) * 6)
        (out,) = set(KINDS) - set(self.rules["kinds"].split("+"))
        return KINDS.index(out)

    def first_posts(self) -> list[int | None]:
        """Return the posts as dealt: shuffled, and with carrots one by chance is the bunny's."""
        points = sorted(map(int, self.rules["posts"].split(",")))
        posts: list[int | None] = [points[place] for place in shuffled(12, part_words(self.seed, self.deal, POST_PART))]
        if self.rules["bunny"] == "on" and self.out != CARROT:
            posts[int(uniform(self.seed, DEAL, BUNNY_PART, self.deal, 0) * 12)] = None
        return posts

    def first_hog(self) -> int | None:
        """Return the groundhog's cell where chance puts it there."""
        if self.rules["groundhog"] != "random" or self.out == PEA:
            return None
        return COMPOST[int(uniform(self.seed, DEAL, HOG_PART, self.deal, 0) * 4)]

    def draw(self) -> int | None:
        """Return the next card; the discards become a new deck when there is none. None where nothing is left."""
        if not self.deck and self.rules["reshuffle"] == "on":
            order = shuffled(len(self.discards), part_words(self.seed, self.deal, RESHUFFLE_PART + self.reshuffles))
            self.deck = [sorted(self.discards)[place] for place in order]
            self.discards = []
            self.reshuffles += 1
        if not self.deck:
            return None
        self.draws.append(self.deck.pop(0))
        return self.draws[-1]

    def deal_cards(self, count: int) -> list[int]:
        """Return the next cards, fewer where fours in the first harvest used up a deck that is not shuffled again."""
        return [card for card in (self.draw() for _ in range(count)) if card is not None]

    def refill(self, slots: Sequence[int]) -> None:
        """Fill slots in order; then replace four of a kind as often as they lie there and something else may come."""
        for slot in slots:
            self.harvest[slot] = self.draw()
        while self.four_to_replace():
            self.fours += 1
            self.discards += [card for card in self.harvest if card is not None]
            self.harvest = [self.draw() for _ in range(4)]

    def four_to_replace(self) -> bool:
        """Say whether four of a kind lie there, and deck or discards hold another kind."""
        kind = self.harvest[0]
        four = kind is not None and self.harvest == [kind] * 4
        return four and self.fours < MOST_FOURS and any(card != kind for card in self.deck + self.discards)

    def values(self) -> list[int]:
        """Return the points of a card of each kind."""
        value = [0] * 6
        for points, cell in zip(self.posts, BESIDE, strict=True):
            value[self.garden[cell]] += points or 0
        return value

    def bonus(self, hand: Sequence[int]) -> int:
        """Return the points for holding every kind in play."""
        return int(self.rules["bonus"]) if len(set(hand)) == 5 else 0

    def score(self, hand: Sequence[int]) -> int:
        """Return the points of a hand."""
        value = self.values()
        return sum(value[kind] for kind in hand) + self.bonus(hand)

    def act(self, move: Move, hand: list[int]) -> None:
        """Do the action of a pick and add the card to the hand; slots that it empties stay empty."""
        taken, a, b = self.harvest[move.slot], move.a, move.b
        assert taken is not None
        self.harvest[move.slot] = None
        if move.action == "shift_cards":
            rotate(self.garden, LINES[a], b)
        elif move.action == "shift_posts":
            rotate(self.posts, SIDES[a], b)
        elif move.action == "move_bunny":
            swap(self.posts, a, self.posts.index(None))
        elif move.action == "move_groundhog":
            self.hog = a
            swap(self.garden, b, 2 * a - b)
        elif move.action == "swap_cards":
            swap(self.garden, a, b)
        elif move.action == "swap_posts":
            swap(self.posts, a, b)
        elif move.action == "exchange":
            hand.remove(b)
            hand.append(self.garden[a])
            self.garden[a] = b
        elif move.action == "replant":
            self.discards.append(self.garden[a])
            self.garden[a], self.harvest[b] = self.harvest[b], None
        hand.append(taken)

    def actions(self, slot: int, hand: Sequence[int]) -> list[Move]:
        """Return the moves that the card in a harvest slot gives, in no special order."""
        kind, free = self.harvest[slot], [cell for cell in range(16) if cell != self.hog]
        if kind == CABBAGE:
            lines = [line for line in range(8) if self.hog not in LINES[line]]
            moves = [Move(slot, "shift_cards", line, step) for line in lines for step in (1, -1)]
            moves += [Move(slot, "shift_posts", side, 1) for side in range(4)]
            return moves + [Move(slot, "shift_posts", side, -1) for side in (0, 2)]
        if kind == CARROT and None in self.posts:
            return [Move(slot, "move_bunny", post) for post in range(12) if self.posts[post] is not None]
        if kind == PEA and self.hog is not None:
            return [Move(slot, "move_groundhog", *where) for where in self.pea_swaps()]
        if kind == PEPPER:
            cards = [(a, b) for a in free for b in neighbours(a) if a < b != self.hog]
            ring = [tuple(sorted((post, (post + 1) % 12))) for post in range(12)]
            if self.rules["pepper_moves_bunny"] == "off":
                ring = [pair for pair in ring if None not in (self.posts[pair[0]], self.posts[pair[1]])]
            return [Move(slot, "swap_cards", *pair) for pair in cards] + [Move(slot, "swap_posts", *pair) for pair in ring]
        if kind == POTATO:
            return [Move(slot, "exchange", cell, given) for cell in free for given in set(hand)]
        if kind == TOMATO:
            others = [other for other in range(4) if other != slot and self.harvest[other] is not None]
            return [Move(slot, "replant", cell, other) for cell in free for other in others]
        return [Move(slot, "none")]

    def pea_swaps(self) -> list[tuple[int, int]]:
        """Return (new cell of the groundhog, lower one of the two opposite cells that are swapped)."""
        found = []
        for cell in COMPOST:
            for low, high in ((cell - step, cell + step) for step in (1, 3, 4, 5)):
                inner = low in COMPOST or high in COMPOST
                if cell != self.hog and (inner or int(self.rules["pea_axes"]) == 4):
                    found.append((cell, low))
        return found

    def moves(self, turn: int, hand: Sequence[int]) -> list[Move]:
        """Return the distinct legal moves in canonical order."""
        full = [slot for slot in range(4) if self.harvest[slot] is not None]
        if turn == LAST:
            return [Move(slot, "none") for slot in full]
        return sorted((move for slot in full for move in self.actions(slot, hand)), key=place_in_order)


def place_in_order(move: Move) -> tuple[int, ...]:
    """Return the key of the canonical order: slot, action, a, b."""
    return move.slot, ACTIONS.index(move.action), *(-9 if number is None else number for number in move[2:])


def rotate(things: list[Any], places: Sequence[int], step: int) -> None:
    """Shift the things of a line by one place; the one that falls off comes back on the other side."""
    before = [things[place] for place in places]
    for number, thing in enumerate(before):
        things[places[(number + step) % len(places)]] = thing


def swap(things: list[Any], a: int, b: int) -> None:
    """Let two things change places."""
    things[a], things[b] = things[b], things[a]


def pick(policy: str, seed: int, seat: int, game: int, turn: int, values: Sequence[int]) -> int:
    """Return the place of the choice: `random` any of all, `greedy` any of the largest values."""
    purpose, top = (CHOICE, None) if policy == "random" else (TIE, max(values))
    among = [place for place, value in enumerate(values) if top in (None, value)]
    return among[int(uniform(seed, purpose, seat, game, turn) * len(among))]


def value_after(state: State, hand: list[int], move: Move) -> int:
    """Return the hand's points if the game ended right after the move; the state stays as it is."""
    kept = list(state.garden), list(state.posts), state.hog, list(state.harvest), list(state.discards)
    mine = list(hand)
    state.act(move, mine)
    points = state.score(mine)
    state.garden, state.posts, state.hog, state.harvest, state.discards = kept
    return points


def take_turn(state: State, game: int, seed: int, turn: int, seat: int, policy: str) -> Row | None:
    """Let a seat choose and play; return the row of `moves` without its game, None where there is nothing to pick."""
    hand = state.hands[seat]
    moves = state.moves(turn, hand)
    if not moves:
        return None
    values = [value_after(state, hand, move) if policy == "greedy" else 0 for move in moves]
    move = moves[pick(policy, seed, seat, game, turn, values)]
    kind, empties = state.harvest[move.slot], [move.slot] + ([move.b] if move.action == "replant" else [])
    state.act(move, hand)
    row = {"turn": turn, "seat": seat, "slot": move.slot, "kind": KINDS[kind], "action": move.action, "a": move.a, "b": move.b}
    row |= {"choices": len(moves), "score_now": state.score(hand)}
    if turn != LAST:
        state.refill(empties)
    return row


def seat_rows(state: State) -> list[Row]:
    """Return the game's own columns of `seats` of a game that has ended, and who won."""
    scores, value = [state.score(hand) for hand in state.hands], state.values()
    rows = []
    for seat, hand in enumerate(state.hands):
        best_other = max(points for other, points in enumerate(scores) if other != seat)
        won = scores[seat] == max(scores)
        row: Row = {"seat": seat, "team": seat, "score": scores[seat], "win": won / scores.count(max(scores))}
        row |= {"margin": scores[seat] - best_other, "bonus": state.bonus(hand)}
        for number, kind in enumerate(KINDS):
            absent = number == state.out
            row[f"{kind}_held"] = None if absent else hand.count(number)
            row[f"{kind}_value"] = None if absent else value[number]
        rows.append(row)
    return rows


def play(game: int, deal: int, seed: int, policy_seed: int, players: int, policies: Sequence[str], rules: Mapping[str, Any]) -> Row:
    """Return the rows of one game: seats (list), deal, moves (list). policies: one name per seat."""
    state = State(seed, deal, players, DEFAULTS | dict(rules))
    if state.rules["groundhog"] == "policy" and state.out != PEA:
        state.hog = COMPOST[pick(policies[0], policy_seed, 0, game, 0, [0] * 4)]
    named, first_hog = {"game": game, "deal": deal}, state.hog
    turns = [(turn, seat) for turn in range(1, LAST + 1) for seat in range(players)]
    moves = [take_turn(state, game, policy_seed, turn, seat, policies[seat]) for turn, seat in turns]
    seats = [named | {"policy": policies[row["seat"]]} | row for row in seat_rows(state)]
    record = named | {"kinds": [kind for number, kind in enumerate(KINDS) if number != state.out]}
    record |= {"deck": [KINDS[kind] for kind in state.first_deck], "draws": [KINDS[kind] for kind in state.draws]}
    record |= {"posts": state.dealt_posts, "groundhog": first_hog}
    return {"seats": seats, "deal": record, "moves": [{"game": game} | row for row in moves if row is not None]}
