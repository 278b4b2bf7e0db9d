"""Golden transcripts: one game of every game and number of players as text, word for word as it once was.

Where moves, cards or scores of a transcript change on purpose, the game's `behaviour` must be raised: old datasets can't
be played again then. `python tests/test_golden.py` writes all transcripts anew; read the difference before you commit it.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable
from pathlib import Path

import pytest

import veggies_sim as vs
from veggies_sim.core import registry
from veggies_sim.core.replay import as_text, find_record

GOLDEN = Path(__file__).parent / "data" / "golden"
SEED = 7
KINDS = [registry.find_game(game_id) for game_id in registry.game_ids()]
CASES = {f"{kind.id}-{n}": (kind.id, n) for kind in KINDS for n in range(kind.min_players, kind.max_players + 1)}


def policies(game_id: str, players: int) -> list[str]:
    """Return the game's default policy for seat 0 and its first one for all others."""
    kind = registry.find_game(game_id)
    return [kind.default_policy] + [kind.policies[0].name] * (players - 1)


def transcript(game_id: str, players: int, seed: int = SEED) -> str:
    """Return game 0 of a seed as text."""
    game = registry.find_game(game_id)(players)
    run = vs.simulate(game, policies(game_id, players), 1, seed=seed, jobs=1, record="moves")
    return as_text(game.steps(find_record(run, 0)))


def difference(name: str, found: str, most: int = 30) -> str:
    """Return what differs from the golden transcript and what to do; nothing where they are equal."""
    file = GOLDEN / f"{name}.txt"
    golden = file.read_text("utf-8") if file.exists() else ""
    if found == golden:
        return ""
    lines = list(difflib.unified_diff(golden.splitlines(), found.splitlines(), str(file), "now", lineterm="", n=1))
    return "\n".join(
        [
            f"the transcript {name} has changed.",
            *lines[:most],
            *["..."][: len(lines) > most],
            "If moves, cards or scores changed, and are meant to: raise `behaviour` of the game.",
            "If only the wording changed, leave `behaviour`. Then renew: python tests/test_golden.py",
        ]
    )


def compare(name: str, found: str) -> None:
    """Fail with the difference where a text is not the golden transcript."""
    if changed := difference(name, found):
        pytest.fail(changed, pytrace=False)


@pytest.mark.parametrize("name", CASES)
def test_golden_transcript(name: str) -> None:
    compare(name, transcript(*CASES[name]))


@pytest.mark.parametrize("name", CASES)
def test_the_command_line_prints_it(name: str, tmp_path: Path, cli: Callable[..., tuple[int, str, str]]) -> None:
    game_id, players = CASES[name]
    seated = [word for policy in policies(game_id, players) for word in ("--policy", policy)]
    numbers = ("--players", players, "--games", 1, "--seed", SEED)
    assert cli("simulate", "--game", game_id, *numbers, *seated, "--out", tmp_path / "run")[0] == 0
    compare(name, cli("replay", tmp_path / "run", "--game", 0)[1])


def test_there_is_a_transcript_for_each_game_and_no_other() -> None:
    assert {file.stem for file in GOLDEN.iterdir()} == set(CASES)


def test_another_game_is_told_from_the_golden_one() -> None:
    for name, (game_id, players) in CASES.items():
        said = difference(name, transcript(game_id, players, SEED + 1))
        assert "raise `behaviour`" in said and "python tests/test_golden.py" in said


if __name__ == "__main__":
    GOLDEN.mkdir(parents=True, exist_ok=True)
    for name, case in CASES.items():
        (GOLDEN / f"{name}.txt").write_text(transcript(*case), encoding="utf-8", newline="\n")
