"""Named options with a default and a valid range: the rules of a game and the settings of a policy.

What may live here: describing an option, and turning words from a command line into checked values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from veggies_sim.core.checks import read_whole, real, whole
from veggies_sim.core.errors import InputError, show, unknown

Value = int | float | str


def as_text(value: Value) -> str:
    """Return a value as it is written in an option: numbers that are whole without `.0`."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


@dataclass(frozen=True)
class Option:
    """One option: numbers from `low` to `high`, whole ones unless `real` is set, one of `words`, or what `read` takes.

    read(value, where) returns a value in its canonical form; `doc` then says what is valid.
    """

    key: str
    default: Value
    doc: str
    low: float = 0
    high: float = 0
    words: tuple[str, ...] = ()
    real: bool = False
    read: Callable[[object, str], Value] | None = None

    @property
    def valid(self) -> str:
        """What may be given, for people."""
        return "see there" if self.read else "|".join(self.words) if self.words else f"{self.low}..{self.high}"

    def check(self, value: object, where: str) -> Value:
        """Return `value` as a valid value of this option, read from a word where need be. Raises InputError."""
        if self.read:
            return self.read(value, f"{where}: {self.key}")
        if self.words:
            word = str(value).strip().lower()
            if word in self.words:
                return word
            raise InputError(f"{where}: {self.key}={show(value)} is not valid. Valid: {' or '.join(self.words)}.")
        name = f"{where}: {self.key}"
        number: float
        if self.real:
            number = real(value, name)
        else:
            number = read_whole(value, name, f", {self.valid}") if isinstance(value, str) else whole(value, name)
        if not self.low <= number <= self.high:
            raise InputError(f"{name}={show(number)} is out of range. Valid: {self.valid}.")
        return number


def resolve(options: Sequence[Option], given: Mapping[str, object], where: str) -> dict[str, Value]:
    """Return every option with its given or default value, in the order of `options`. Raises InputError."""
    known = {option.key: option for option in options}
    for key in given:
        if key not in known:
            raise unknown(f"option of {where}", key, known)
    return {key: option.check(given[key], where) if key in given else option.default for key, option in known.items()}


def parse_pairs(words: Iterable[str], where: str) -> dict[str, str]:
    """Read `key=value` words. Raises InputError for a word without `=` and for a key given twice."""
    pairs: dict[str, str] = {}
    for word in words:
        key, equals, value = word.partition("=")
        key = key.strip()
        if not equals or not key or not value.strip():
            raise InputError(f"{where}: found {show(word)}, but an option has the form key=value.")
        if key in pairs:
            raise InputError(f"{where}: {key} is given twice ({show(pairs[key])} and {show(value.strip())}); give it once.")
        pairs[key] = value.strip()
    return pairs
