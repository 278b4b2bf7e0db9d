"""Pictures of Veggie Garden as SVG and as text: the garden with its posts, the harvest, hands, values.

What may live here: drawing, nothing that knows a recorded game. Colours are those of Okabe and Ito (2008), which colour-blind
people tell apart; each kind also has a shape of its own and the first three letters of its name.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from veggies_sim.core.svg import Picture, column, flow, outline, page, text, text_line
from veggies_sim.games.veggie_garden.board import COMPOST, KINDS, POST_CELL
from veggies_sim.games.veggie_garden.garden import Garden

CARD = 60  # pixels a card is wide and high
STEP = CARD + 4  # from one card to the next
EDGE = 46  # pixels around the cards, for the posts
POST = (36, 22)  # pixels a post is wide and high
COLOUR = dict(zip(KINDS, ("#009E73", "#E69F00", "#56B4E9", "#F0E442", "#CC79A7", "#D55E00"), strict=True))
LETTERS = {kind: kind[:3].title() for kind in KINDS}
SHAPE = {  # paths in a box of 28 x 28
    "cabbage": "M14 1l9 4 4 9-4 9-9 4-9-4-4-9 4-9zM14 5v18M14 12l7-4M14 12l-7-4M14 19l7-4M14 19l-7-4",
    "carrot": "M7 8h14l-7 19zM14 8V1M14 8l5-6M14 8L9 2",
    "pea": "M6 8a6 6 0 1 0 .1 0zM15 8a6 6 0 1 0 .1 0zM23 9a5 5 0 1 0 .1 0z",
    "pepper": "M14 6l9 2 2 7-5 11H8L3 15l2-7zM14 6V1h4M14 6v20",
    "potato": "M9 5h11a8 9 0 0 1 0 18H9A8 9 0 0 1 9 5zM10 11h2M18 10h2M14 17h2",
    "tomato": "M14 5a12 10 0 1 0 .1 0zM14 8l-7-2 4-2-1-3 4 2 4-2-1 3 4 2z",
}
DARK = "#4D4D4D"


def _at(cell: int) -> tuple[int, int]:
    """Return the place of a cell in pixels."""
    return EDGE + STEP * (cell % 4), EDGE + STEP * (cell // 4)


def _post_at(post: int) -> tuple[int, int]:
    """Return the place of a post in pixels: beside its card, on the side where it stands."""
    x, y = _at(POST_CELL[post])
    across, down = x + (CARD - POST[0]) // 2, y + (CARD - POST[1]) // 2
    far = EDGE + 4 * STEP
    beside = {0: (across, EDGE - POST[1] - 6), 1: (far + 2, down), 2: (across, far + 2), 3: (EDGE - POST[0] - 6, down)}
    return beside[0 if post < 4 else 1 if post < 6 else 2 if post < 10 else 3]


def card_picture(kind: str | None, number: int | None = None, pale: bool = False) -> Picture:
    """Return a card with its colour, shape and letters; None is an empty place. `pale` is for cards that are worth nothing."""
    mark = "" if number is None else text(4, 14, number, 12, 'fill="#333"')
    if kind is None:
        frame = f'<rect width="{CARD}" height="{CARD}" fill="#fff" stroke="#999" stroke-dasharray="4 3"/>'
        return Picture(CARD, CARD, frame + mark + text(CARD // 2, 36, "empty", 12, 'text-anchor="middle" fill="#555"'))
    shape = f'<path d="{SHAPE[kind]}" fill="#fff" stroke="#222" stroke-width="1.3" transform="translate(20 5)"/>'
    ground = f'<rect width="{CARD}" height="{CARD}" fill="{COLOUR[kind]}" stroke="#222"/>{shape}'
    letters = text(CARD // 2, 52, LETTERS[kind], 15, 'text-anchor="middle" font-weight="bold"')
    return Picture(CARD, CARD, (f'<g opacity=".35">{ground}</g>' if pale else ground) + mark + letters)


def _post_picture(points: int | None) -> Picture:
    """Return a post with its points; the bunny's is dark."""
    fill, ink, words, size = (DARK, "#fff", "bun", 13) if points is None else ("#fff", "#000", str(points), 16)
    box = f'<rect width="{POST[0]}" height="{POST[1]}" rx="4" fill="{fill}" stroke="#222" stroke-width="1.5"/>'
    more = f'text-anchor="middle" font-weight="bold" fill="{ink}"'
    return Picture(*POST, box + text(POST[0] // 2, 17, words, size, more))


def _hog(x: int, y: int) -> str:
    """Return the groundhog on the card at (x, y)."""
    disc = f'<path d="M{x + 47} {y + 2}a11 11 0 1 0 .1 0z" fill="{DARK}" stroke="#fff" stroke-width="1.5"/>'
    return disc + text(x + 47, y + 18, "G", 14, 'text-anchor="middle" font-weight="bold" fill="#fff"')


def garden_picture(garden: Garden, cells: Collection[int] = (), posts: Collection[int] = ()) -> Picture:
    """Return cards and posts; `cells` and `posts` are outlined."""
    body = []
    for cell, kind in enumerate(garden.cells):
        body.append(card_picture(kind, cell, cell in COMPOST).at(*_at(cell)))
    for post, points in enumerate(garden.posts):
        body.append(_post_picture(points).at(*_post_at(post)))
    body += [outline(*_at(cell), CARD, CARD) for cell in cells]
    body += [outline(*_post_at(post), *POST) for post in posts]
    if garden.groundhog is not None:
        body.append(_hog(*_at(garden.groundhog)))
    size = 2 * EDGE + 4 * STEP - 4
    return Picture(size, size, "".join(body))


def harvest_picture(harvest: Iterable[str | None], marked: int | None = None) -> Picture:
    """Return the harvest with the numbers of its slots; `marked` is outlined."""
    cards = []
    for slot, kind in enumerate(harvest):
        card = card_picture(kind, slot)
        cards.append(Picture(CARD, CARD, card.body + (outline(0, 0, CARD, CARD) if slot == marked else "")))
    return flow(cards, 4)


def counts_picture(counts: Mapping[str, int], wide: int = 58) -> Picture:
    """Return a small sign of each kind with a number, at most three on a line."""
    signs = []
    for kind, count in counts.items():
        box = f'<rect width="26" height="26" fill="{COLOUR[kind]}" stroke="#222" stroke-width="1.5"/>'
        shape = f'<path d="{SHAPE[kind]}" fill="#fff" stroke="#222" stroke-width="1.8" transform="translate(3 3) scale(.72)"/>'
        words = text(32, 19, f"{LETTERS[kind]} {count}", 14, 'font-weight="bold"')
        signs.append(Picture(wide + 32, 30, box + shape + words))
    rows = [flow(signs[first : first + 3], 4) for first in range(0, len(signs), 3)]
    return column(rows) if rows else text_line("no cards", 100, 13, 'fill="#555"')


def garden_svg(garden: Garden) -> str:
    """Return the picture of a garden with its harvest and the values of its kinds."""
    return page(["a garden"], [table_picture(garden, garden.harvest)], legend())


def table_picture(
    garden: Garden,
    harvest: Iterable[str | None],
    slot: int | None = None,
    cells: Collection[int] = (),
    posts: Collection[int] = (),
    label: str = "harvest",
) -> Picture:
    """Return what lies open: garden and posts, and beside them a harvest and the values; what is marked is outlined."""
    heads = [text_line(words, 290, 14, 'font-weight="bold"') for words in (label, "worth of a card of each kind")]
    values = {kind: value for kind, value in garden.values().items() if kind in garden.cells}
    gap = Picture(0, 14, "")
    beside = column([gap, heads[0], gap, harvest_picture(harvest, slot), gap, gap, heads[1], gap, counts_picture(values)])
    return flow([garden_picture(garden, cells, posts), beside], 24)


def legend() -> list[Picture]:
    """Return what the signs mean."""
    signs = ("pale: compost, worth nothing", "G: groundhog", "bun: the bunny's post", "small numbers: cells and slots")
    return [text_line(words, 12 + 8 * len(words)) for words in signs]


def garden_text(garden: Garden) -> str:
    """Return posts around cards by their first three letters, harvest and values.

    >>> cells = "pea tomato pea carrot  carrot pea potato pea  tomato pea pea carrot  potato pea tomato tomato".split()
    >>> print(garden_text(Garden(cells, [1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, None], 5, ["pea", "carrot", None, "tomato"])))
            1     1     1     1
           Pea   Tom   Pea   Car
     bun   Car  [pea]  pot   Pea     2
       3   Tom   pea   pea   Car     2
           Pot   Pea   Tom   Tom
            3     3     2     2
    harvest: 0 pea, 1 carrot, 2 empty, 3 tomato
    values: carrot 3, pea 7, potato 3, tomato 8
    """
    posts = ["bun" if points is None else str(points) for points in garden.posts]
    signs = []
    for cell, kind in enumerate(garden.cells):
        word = LETTERS[kind].lower() if cell in COMPOST else LETTERS[kind]
        signs.append(f"[{word}]" if cell == garden.groundhog else f" {word} ")
    sides = {1: (posts[11], posts[4]), 2: (posts[10], posts[5])}
    lines = [" " * 6 + "".join(f"{word:^6}" for word in posts[:4])]
    for row in range(4):
        left, right = sides.get(row, ("", ""))
        lines.append(f"{left:>4}  " + "".join(f"{sign:^6}" for sign in signs[4 * row : 4 * row + 4]) + f" {right:>3}")
    lines.append(" " * 6 + "".join(f"{word:^6}" for word in posts[9:5:-1]))
    lines.append(f"harvest: {harvest_text(garden.harvest)}")
    values = [f"{kind} {value}" for kind, value in garden.values().items() if kind in garden.cells]
    return "\n".join(line.rstrip() for line in [*lines, f"values: {', '.join(values)}"])


def harvest_text(harvest: Iterable[str | None]) -> str:
    """Return the kinds in the slots, each after its number."""
    return ", ".join(f"{slot} {kind or 'empty'}" for slot, kind in enumerate(harvest))
