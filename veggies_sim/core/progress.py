"""The one progress bar: games done, rate and time left, on standard error."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tqdm import tqdm


def bar(games: int, show: bool, name: str, done: int = 0) -> tqdm[Any]:
    """Return a bar over some games, to be used in a `with`; `done` of them were played before."""
    from tqdm import tqdm

    every = 0.5 if show and sys.stderr.isatty() else 10
    return tqdm(
        total=games, initial=done, unit=" games", unit_scale=True, file=sys.stderr, disable=not show, mininterval=every, desc=name
    )
