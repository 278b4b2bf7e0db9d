"""Shared code knows no game: neither its name nor its nouns stand in any module outside of the games and the registry.

Words are what is left of a line when names like `as_HTML_page` are split: letters between other signs, parts of names with
underscores, and parts that begin with a capital. Docstrings and comments count like code.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

WORDS = {
    "veggie", "veggies", "garden", "gardens", "match",
    "strawberry", "strawberries", "banana", "bananas", "grape", "grapes", "mushroom", "mushrooms", "good", "goods",
    "carrot", "carrots", "cabbage", "cabbages", "pea", "peas", "pepper", "peppers", "potato", "potatoes", "tomato", "tomatoes",
    "rat", "rats", "ramp", "ramps", "post", "posts", "bunny", "groundhog", "harvest", "compost",
}  # fmt: skip
# The package and its command; matching of texts and patterns in Python, which is no game.
NOT_MEANT = re.compile(
    r"veggies[-_]sim|VEGGIES_SIM|\b(re|pattern|regex|[A-Z_]+)\.(full)?match\(|\.match\(|re\.Match\b|^\s*match [^=]+:$"
)
# A stand is a noun after an article or the like; "what a name stands for" is a verb.
STAND = re.compile(r"\b(an?|the|each|every|own|one|finished|full|of|in) stands?\b|\bstand_|_stands?\b|\bStands?\b(?! )")
SPLIT = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
TEXTS = (".py", ".html", ".css", ".toml", ".txt", ".md")


def faults(package: Path) -> list[str]:
    """Return file, line and words of a game in the shared modules of a package."""
    found = []
    for file in sorted(package.rglob("*")):
        place = file.relative_to(package)
        if file.suffix in TEXTS and place.parts[0] != "games" and place != Path("core/registry.py"):
            for number, line in enumerate(file.read_text("utf-8").splitlines(), 1):
                if words := meant(line):
                    found.append(f"{place}:{number}: {', '.join(words)}")
    return found


def meant(line: str) -> list[str]:
    line = NOT_MEANT.sub(" ", line)
    found = [word for word in SPLIT.findall(line) if word.lower() in WORDS]
    return found + [match.group() for match in STAND.finditer(line)]


def test_shared_modules_know_no_game(root: Path) -> None:
    package = root / "veggies_sim"
    assert len([*package.rglob("*.py")]) > 100
    assert faults(package) == []


PLANTED = (
    "rat_penalty = 2", "class RatMetric:", "# the best card for the ramp", 'pl.col("grape_largest")', "a garden", "VeggieGarden",
    "if game.id == 'veggies':", "the goods of a card", "posts", "from veggies_sim.games.veggie_match import Match",
    "a finished stand", "stand_size", "Stand()", "tomato", "which is a good deal", "PEA = 2", "in the Match", "the game match",
)  # fmt: skip
ALLOWED = (
    "import veggies_sim", "`veggies-sim report DIR`", "VEGGIES_SIM_DEBUG=1", "if re.match(pattern, word):", "text.match(word)",
    "what a name stands for", "rates, generate, postpone, peak", "goodness", "    match value:", "_WORD.fullmatch(name)",
    "what may stand in it", "these keys stand above", "the package stands alone",
)  # fmt: skip


@pytest.mark.parametrize("line", PLANTED)
def test_a_word_that_is_planted_is_found(line: str, root: Path, tmp_path: Path) -> None:
    copy = tmp_path / "veggies_sim"
    for name in ("core/registry.py", "core/game.py", "games/__init__.py"):
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(root / "veggies_sim" / name, copy / name)
    assert faults(copy) == []
    for name in ("core/registry.py", "games/__init__.py"):
        (copy / name).write_text(line, "utf-8")
    assert faults(copy) == []
    (copy / "core/game.py").write_text(f"\n{line}\n", "utf-8")
    assert [fault.split(": ")[0] for fault in faults(copy)] == ["core/game.py:2"]


@pytest.mark.parametrize("line", ALLOWED)
def test_words_that_mean_something_else_are_allowed(line: str) -> None:
    assert meant(line) == []
