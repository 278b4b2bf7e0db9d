"""Packages that only some commands need and that `pip install veggies_sim` leaves out."""

from __future__ import annotations

from importlib.util import find_spec

from veggies_sim.core.errors import InputError


def need(what: str, packages: tuple[str, ...], extra: str) -> None:
    """Raise InputError where one of the packages that `what` needs is missing; `extra` is what brings them."""
    if any(find_spec(package) is None for package in packages):
        raise InputError(f'{what} needs {" and ".join(packages)}: pip install "veggies_sim[{extra}]"')
