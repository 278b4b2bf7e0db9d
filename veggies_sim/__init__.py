"""Monte Carlo analytics and card design for small card games. Names below load when first used."""

from __future__ import annotations

import importlib
from typing import Any

__version__ = "0.1.0"

_NAMES = {
    "simulate": "veggies_sim.core.runner",
    "ladder": "veggies_sim.analysis.ladder",
    "skill_trace": "veggies_sim.analysis.ladder",
    "compare": "veggies_sim.analysis.compare",
    "simulate_until": "veggies_sim.analysis.until",
    "sweep": "veggies_sim.analysis.sweep",
    "open_dataset": "veggies_sim.core.dataset",
    "write_report": "veggies_sim.report.page",
    "Run": "veggies_sim.core.dataset",
    "replay": "veggies_sim.core.replay",
    "InputError": "veggies_sim.core.errors",
    "IllegalMove": "veggies_sim.core.errors",
}


def _where() -> dict[str, str]:
    from veggies_sim.core.registry import EXPORTS

    return _NAMES | EXPORTS


def __getattr__(name: str) -> Any:
    module = _where().get(name) if not name.startswith("_") else None
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(module), name)


def __dir__() -> list[str]:
    return ["__version__", *_where()]
