"""The slow twin of the game Veggies: the rules a second time, in plain Python, sharing no line with the package.

What may live here: random streams, rules, the two policies whose rows are promised everywhere (`random`, `greedy`), and
`play`, which gives one game as the rows of its dataset. Written from the rules alone; where twin and engine differ, the
rules decide. Nothing of `veggies_sim`, NumPy or Numba may be imported.

A stand is a dict: space -> symbol. A space is one whole number, row * WIDE + column, so that its neighbours are
space - WIDE, space - 1, space + 1 and space + WIDE; the start card's top-left space is 0. Goods go by number, 0..4, in
the order of GOODS; a set of goods is an ascending tuple. Sources go by number: 0 the hand, 1.. the places of the ramp.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import combinations
from typing import Any, NamedTuple

GOODS = ("strawberry", "banana", "grape", "carrot", "mushroom")
WIDE = 1024
DEAL, CHOICE, TIE = 0, 1, 2  # purposes of a stream

Face = tuple[tuple[str, ...], ...]
DeckRows = Sequence[tuple[str, Face, int]]  # id, rows of words, copies
Row = dict[str, Any]
Goods = tuple[int, ...]
Stand = dict[int, str]


def philox(counter: Sequence[int], key: Sequence[int]) -> tuple[int, int, int, int]:
    """Return the four words of Philox4x32-10 (Salmon, Moraes, Dror, Shaw, SC 2011)."""
    a, b, c, d = counter
    k, m = key
    for _ in range(10):
        high0, low0 = divmod(0xD2511F53 * a, 2**32)
        high1, low1 = divmod(0xCD9E8D57 * c, 2**32)
        a, b, c, d = high1 ^ b ^ k, low1, high0 ^ d ^ m, low0
        k, m = (k + 0x9E3779B9) % 2**32, (m + 0xBB67AE85) % 2**32
    return a, b, c, d


def words(seed: int, purpose: int, seat: int, index: int, number: int) -> tuple[int, int, int, int]:
    """Return the four words of draw `number` of a stream."""
    return philox((number, purpose * 65536 + seat, index % 2**32, index >> 32), (seed % 2**32, seed >> 32))


def uniform(seed: int, purpose: int, seat: int, index: int, number: int) -> float:
    """Return draw `number` of a stream as a float in [0, 1)."""
    first, second, _, _ = words(seed, purpose, seat, index, number)
    return ((first >> 5) * 2**26 + (second >> 6)) / 2**53


def deal_words(seed: int, deal: int) -> Iterator[int]:
    """Yield the words of a deal's stream one by one."""
    number = 0
    while True:
        yield from words(seed, DEAL, 0, deal, number)
        number += 1


def shuffled(count: int, source: Iterator[int]) -> list[int]:
    """Return 0..count-1 shuffled: Fisher-Yates from the last place down, with rejection (Lemire 2019)."""
    items = list(range(count))
    for last in range(count - 1, 0, -1):
        n = last + 1
        product = next(source) * n
        while product % 2**32 < (2**32 - n) % n:
            product = next(source) * n
        other = product >> 32
        items[last], items[other] = items[other], items[last]
    return items


def turned(face: Face, quarter_turns: int) -> Face:
    """Return the face after quarter turns clockwise."""
    for _ in range(quarter_turns):
        face = tuple(tuple(row[column] for row in face[::-1]) for column in range(len(face[0])))
    return face


@lru_cache(maxsize=4096)
def rotations(face: Face) -> tuple[tuple[int, Face], ...]:
    """Return (rotation, turned face) of each distinct turned face, ascending; of equal ones the lowest rotation."""
    seen: dict[Face, int] = {}
    for quarter_turns in range(4):
        seen.setdefault(turned(face, quarter_turns), quarter_turns)
    return tuple((quarter_turns, rows) for rows, quarter_turns in seen.items())


def laid(face: Face, row: int, col: int) -> Stand:
    """Return space -> symbol of a turned face whose top-left space is (row, col)."""
    corner = row * WIDE + col
    return {corner + r * WIDE + c: word for r, line in enumerate(face) for c, word in enumerate(line)}


def beside(space: int) -> tuple[int, int, int, int]:
    """Return the four neighbours of a space."""
    return space - WIDE, space - 1, space + 1, space + WIDE


def place_of(space: int) -> tuple[int, int]:
    """Return (row, column) of a space."""
    row, col = divmod(space + WIDE // 2, WIDE)
    return row, col - WIDE // 2


def positions(stand: Stand, height: int, width: int) -> list[tuple[int, int]]:
    """Return each legal (row, col) of a card's top-left space, by row, then column: covering or touching by a side."""
    near = set(stand).union(*map(beside, stand))
    rows, cols = zip(*map(place_of, near), strict=True)
    found = []
    for row in range(min(rows) - height, max(rows) + 1):
        for col in range(min(cols) - width, max(cols) + 1):
            if any((row + r) * WIDE + col + c in near for r in range(height) for c in range(width)):
                found.append((row, col))
    return found


class Move(NamedTuple):
    """One legal move: what a row of `moves` tells."""

    source: int  # 0 hand, 1.. ramp
    rotation: int
    row: int
    col: int


def legal_moves(stand: Stand, faces: Sequence[Face]) -> list[Move]:
    """Return the distinct moves in canonical order; faces: the hand's card, then the ramp's."""
    where = {(h, w): positions(stand, h, w) for h, w in ((2, 3), (3, 2))}
    return [
        Move(source, rotation, row, col)
        for source, face in enumerate(faces)
        for rotation, rows in rotations(face)
        for row, col in where[len(rows), len(rows[0])]
    ]


@lru_cache(maxsize=2**16)
def group_sizes(spaces: frozenset[int]) -> tuple[int, ...]:
    """Return the sizes of the side-to-side connected groups of these spaces, largest first."""
    left, sizes = set(spaces), []
    while left:
        todo, size = [left.pop()], 0
        while todo:
            space = todo.pop()
            size += 1
            for other in beside(space):
                if other in left:
                    left.remove(other)
                    todo.append(other)
        sizes.append(size)
    return tuple(sorted(sizes, reverse=True))


class Summary(NamedTuple):
    """What counts of a stand: the group sizes of each good, largest first, and the visible rats."""

    sizes: tuple[tuple[int, ...], ...]
    rats: int


def summary(stand: Stand) -> Summary:
    """Return what counts of a stand."""
    spaces: dict[str, list[int]] = {}
    for space, word in stand.items():
        spaces.setdefault(word, []).append(space)
    sizes = tuple(group_sizes(frozenset(spaces.get(good, ()))) for good in GOODS)
    return Summary(sizes, len(spaces.get("rat", ())))


def score(what: Summary, goods: Iterable[int], penalty: int) -> int:
    """Return the points of a stand when the goods in this set are announced, each once."""
    return sum(what.sizes[g][0] * len(what.sizes[g]) for g in set(goods) if what.sizes[g]) - penalty * what.rats


def best_choices(sizes: Sequence[int], count: int) -> list[tuple[int, ...]]:
    """Return every way to pick the `count` largest (all, if fewer) of `sizes`, as places in it."""
    count = min(count, len(sizes))
    top = sum(sorted(sizes, reverse=True)[:count])
    return [pick for pick in combinations(range(len(sizes)), count) if sum(sizes[place] for place in pick) == top]


@lru_cache(maxsize=2**16)
def announceable(sizes: tuple[tuple[int, ...], ...], announced: int, pair: str) -> tuple[Goods, ...]:
    """Return the sets of goods a seat may announce, in the order of goods; an empty one for a stand without goods."""
    if announced == 2 and pair == "groups":
        groups = [(size, good) for good in range(5) for size in sizes[good]]
    else:
        groups = [(sizes[good][0], good) for good in range(5) if sizes[good]]
    picks = best_choices([size for size, _ in groups], announced)
    return tuple(sorted({tuple(sorted({groups[place][1] for place in pick})) for pick in picks}))


def side_scores(stands: Sequence[Summary], goods: Iterable[int], teams: Sequence[int], penalty: int) -> list[int]:
    """Return the points of each side."""
    total = [0] * (max(teams) + 1)
    for team, stand in zip(teams, stands, strict=True):
        total[team] += score(stand, goods, penalty)
    return total


def margin(sides: Sequence[int], side: int) -> int:
    """Return a side's points minus those of the best other side."""
    return sides[side] - max(points for other, points in enumerate(sides) if other != side)


def announcements(stands: Sequence[Summary], teams: Sequence[int], rules: Mapping[str, Any]) -> list[Goods]:
    """Return what each seat announces: in seat order, the best margin so far, then the first in the order of goods."""
    heard: set[int] = set()
    said = []
    for team, stand in zip(teams, stands, strict=True):

        def gain(goods: Goods, side: int = team) -> int:
            return margin(side_scores(stands, heard.union(goods), teams, rules["rat_penalty"]), side)

        said.append(max(announceable(stand.sizes, rules["announced"], rules["pair"]), key=gain))  # max: first of equals
        heard.update(said[-1])
    return said


def full_rules(players: int, rules: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return the value of each rule key."""
    full: dict[str, Any] = {"stand_size": 8, "rat_penalty": 2, "ramp_size": 3, "pair": "goods", "teams": "opposite"}
    full |= {"announced": 2 if players == 2 else 1} | dict(rules or {})
    return full | ({} if players == 4 else {"teams": "none"})


def teams_of(players: int, rules: Mapping[str, Any]) -> list[int]:
    """Return the number of each seat's side."""
    return {"opposite": [0, 1, 0, 1], "adjacent": [0, 0, 1, 1]}.get(rules["teams"], list(range(players)))


class State:
    """A game under way: the deck from the top, the ramp, two dealt cards or a hand, and a stand for each seat.

    Cards are given by their place in `deck`.
    """

    def __init__(self, deck: DeckRows, order: Sequence[int], players: int, rules: Mapping[str, Any]) -> None:
        size = rules["ramp_size"]
        self.deck, self.rules, self.players = deck, rules, players
        self.teams = teams_of(players, rules)
        self.ramp = list(order[:size])
        self.dealt = [list(order[size + 2 * seat : size + 2 * seat + 2]) for seat in range(players)]
        self.hand = [-1] * players
        self.rest = list(order[size + 2 * players :])
        self.stands: list[Stand] = [{} for _ in range(players)]

    def faces(self, seat: int) -> list[Face]:
        """Return the faces a seat may lay: its hand's, then the ramp's."""
        return [self.deck[card][1] for card in (self.hand[seat], *self.ramp)]

    def start(self, seat: int, which: int) -> int:
        """Lay one of the two dealt cards, keep the other; return the card laid."""
        card = self.dealt[seat][which]
        self.hand[seat] = self.dealt[seat][1 - which]
        self.stands[seat] = laid(self.deck[card][1], 0, 0)
        return card

    def lay(self, seat: int, move: Move) -> int:
        """Add a card to the stand and draw the next one in its place; return the card laid."""
        place, which = (self.ramp, move.source - 1) if move.source else (self.hand, seat)
        card, place[which] = place[which], self.rest.pop(0)
        self.stands[seat] |= laid(turned(self.deck[card][1], move.rotation), move.row, move.col)
        return card

    def score_now(self, seat: int) -> int:
        """Return the seat's points if the game ended now."""
        stands = [summary(stand) for stand in self.stands]
        goods = set().union(*announcements(stands, self.teams, self.rules))
        return score(stands[seat], goods, self.rules["rat_penalty"])


class Draws(NamedTuple):
    """The streams of one seat in one game, at one turn."""

    seed: int
    game: int
    seat: int
    turn: int

    def pick(self, purpose: int, count: int) -> int:
        """Return a number below `count`."""
        return int(uniform(self.seed, purpose, self.seat, self.game, self.turn) * count)


def own_value(what: Summary, others: Iterable[int], rules: Mapping[str, Any]) -> int:
    """Return the value now of a stand (rules: Value now)."""
    sets = announceable(what.sizes, rules["announced"], rules["pair"])
    return max(score(what, {*goods, *others}, rules["rat_penalty"]) for goods in sets)


def pick_best(values: Sequence[int], draws: Draws) -> int:
    """Return the place of the largest value, among equals by the tie stream."""
    top = max(values)
    best = [place for place, value in enumerate(values) if value == top]
    return best[draws.pick(TIE, len(best))]


def choose_start(state: State, policy: str, draws: Draws) -> int:
    """Pick one of the two dealt cards; to `greedy` the others announce nothing yet."""
    if policy == "random":
        return draws.pick(CHOICE, 2)
    stands = [laid(state.deck[card][1], 0, 0) for card in state.dealt[draws.seat]]
    return pick_best([own_value(summary(stand), (), state.rules) for stand in stands], draws)


def choose_move(state: State, policy: str, moves: Sequence[Move], draws: Draws) -> Move:
    """Pick one of the distinct legal moves: by chance, or of the highest value now."""
    if policy == "random":
        return moves[draws.pick(CHOICE, len(moves))]
    rules, seat = state.rules, draws.seat
    others: set[int] = set()
    for other, stand in enumerate(state.stands):
        if other != seat:
            others.update(announceable(summary(stand).sizes, rules["announced"], rules["pair"])[0])
    turns = [dict(rotations(face)) for face in state.faces(seat)]
    values = []
    for move in moves:
        card = laid(turns[move.source][move.rotation], move.row, move.col)
        values.append(own_value(summary(state.stands[seat] | card), others, rules))
    return moves[pick_best(values, draws)]


def seat_rows(stands: Sequence[Summary], teams: Sequence[int], rules: Mapping[str, Any]) -> list[Row]:
    """Return the game's own columns of `seats` of a game that ends with these stands."""
    penalty = rules["rat_penalty"]
    said = announcements(stands, teams, rules)
    union = set().union(*said)
    points = side_scores(stands, union, teams, penalty)
    rats = [sum(s.rats for s, t in zip(stands, teams, strict=True) if t == side) for side in range(len(points))]
    fewest = min(r for r, p in zip(rats, points, strict=True) if p == max(points))
    winners = [side for side, p in enumerate(points) if p == max(points) and rats[side] == fewest]
    rows = []
    for seat, (team, what) in enumerate(zip(teams, stands, strict=True)):
        named = [GOODS[good] for good in said[seat]] + [None, None]
        row: Row = {"seat": seat, "team": team, "score": score(what, union, penalty), "rats": what.rats}
        row |= {"win": 1 / len(winners) if team in winners else 0.0, "margin": margin(points, team)}
        row |= {"announced": named[0], "announced_2": named[1]}
        for good, name in enumerate(GOODS):
            row[f"{name}_largest"] = max(what.sizes[good], default=0)
            row[f"{name}_groups"] = len(what.sizes[good])
            row[f"{name}_scored"] = good in union
        rows.append(row)
    return rows


def take_turn(state: State, policy: str, draws: Draws) -> Row:
    """Let a seat choose and play; return the game's own columns of `moves`."""
    seat, row = draws.seat, Row(turn=draws.turn, seat=draws.seat)
    if draws.turn == 0:
        card = state.start(seat, choose_start(state, policy, draws))
        row |= {"source": "start", "card": state.deck[card][0], "rotation": 0, "row": 0, "col": 0}
        return row | {"choices": 2, "score_now": None}
    moves = legal_moves(state.stands[seat], state.faces(seat))
    move = choose_move(state, policy, moves, draws)
    source = f"ramp{move.source}" if move.source else "hand"
    row |= {"source": source, "card": state.deck[state.lay(seat, move)][0]}
    row |= {"rotation": move.rotation, "row": move.row, "col": move.col}
    return row | {"choices": len(moves), "score_now": state.score_now(seat)}


def play(
    game: int,
    deal: int,
    seed: int,
    policy_seed: int,
    deck: DeckRows,
    players: int,
    policies: Sequence[str],
    rules: Mapping[str, Any] | None = None,
) -> Row:
    """Return the rows of one game: seats (list), deal, moves (list). policies: one name per seat."""
    slots = [place for place, (_, _, copies) in enumerate(deck) for _ in range(copies)]
    order = [slots[slot] for slot in shuffled(len(slots), deal_words(seed, deal))]
    full = full_rules(players, rules)
    state = State(deck, order, players, full)
    moves = []
    for turn in range(full["stand_size"]):
        for seat in range(players):
            moves.append(take_turn(state, policies[seat], Draws(policy_seed, game, seat, turn)))
    named = {"game": game, "deal": deal}
    ended = seat_rows([summary(stand) for stand in state.stands], state.teams, full)
    seats = [named | {"policy": policies[row["seat"]]} | row for row in ended]
    record = named | {"order": [deck[card][0] for card in order]}
    return {"seats": seats, "deal": record, "moves": [{"game": game} | row for row in moves]}


def deal_and_seating(
    game: int, policies: Sequence[str], plays_per_deal: int = 1, rotate_seats: bool = False
) -> tuple[int, list[str]]:
    """Return the deal of a game and its policies by seat (contract: simulate)."""
    players = len(policies)
    per_deal = plays_per_deal * (players if rotate_seats else 1)
    shift = game if rotate_seats else 0
    return game // per_deal, [policies[(seat + shift) % players] for seat in range(players)]
