"""Where a run comes from and what its numbers can't say, in words."""

from __future__ import annotations

import hashlib
from pathlib import Path

from veggies_sim.analysis.estimates import few_deals
from veggies_sim.core import policy
from veggies_sim.core.checks import as_path
from veggies_sim.core.dataset import Run
from veggies_sim.core.manifest import spans
from veggies_sim.core.policy import is_own
from veggies_sim.report.words import OWN


def facts(run: Run) -> dict[str, str]:
    """Return what a dataset is, for people, the most useful first."""
    m, game = run.manifest, run.game
    found = {"game": game.conditions(), "policies": seated(run)}
    if game.setup_file:
        which = "the one that ships" if game.is_shipped(game.setup) else "not the one that ships (the command names its file)"
        found["set-up"] = f"{game.setup_file}, {which}, sha256 {m.setup_hash[:12]}"
    if notes := game.setup_notes(game.setup):
        found["note"] = "; ".join(notes)
    found["games"] = spans(m.finished())
    if m.missing():
        found["missing"] = spans(m.missing())
    if m.until:
        halves = [
            f"{look['games']:,} games" + ("" if look["high"] is None else f" +-{(look['high'] - look['low']) / 2:.3g}")
            for look in m.looks
        ]
        found["until"] = f"{m.until['target']}, {m.until['games']:,} games at most; looks: {'; '.join(halves) or 'none'}"
    found["seed"] = f"{m.seed}, of the policies {m.policy_seed}"
    found["design"] = f"{m.plays_per_deal} plays per deal, seats {'' if m.rotate_seats else 'not '}rotated"
    found["rows"] = ", ".join(f"{table} {rows}" for table, rows in run.rows.items())
    found["played"] = f"in {m.seconds:.1f} s, {m.created}, by: {m.command}"
    versions = ", ".join(f"{name} {version}" for name, version in m.versions.items())
    return found | {"versions": f"{versions}, behaviour of the game {m.behaviour}, dataset layout {m.schema}"}


def asked_for(run: Run, challenges: str | Path | None, what_if: int) -> dict[str, str]:
    """Return what a report was made with: what makes the same bytes of the same run, so neither time nor place."""
    from veggies_sim import __version__

    found = {"report": f"veggies_sim {__version__}"}
    if challenges is not None:
        path = as_path(challenges, "challenges")
        found["challenges"] = f"{path.name}, sha256 {hashlib.sha256(path.read_bytes()).hexdigest()[:12]}"
    if what_if:
        own = any(map(is_own, run.manifest.policies))
        found["what if"] = OWN if own else f"{what_if:,} games with each set-up, with the seeds and policies of the run"
    return found


def seated(run: Run) -> str:
    """Return which policy plays where."""
    return policy.seated(run.manifest.policies, run.manifest.rotate_seats)


def limits(run: Run) -> list[str]:
    """Return what must be known before any number of a report is believed, a paragraph each."""
    m, game = run.manifest, run.game
    found = [f"{note[:1].upper()}{note[1:]}." for note in game.setup_notes(game.setup)]
    if m.missing():
        found.append(
            f"The run is not finished ({m.state}): {m.games:,} of {m.games_requested:,} games are here, and only they count. "
            f"`simulate --resume` plays the rest."
        )
    found += [
        f"All players are simulated: {seated(run)}. People play otherwise; what holds for these policies need not hold for them.",
        f"Intervals are of confidence 95% and count the {run.deal_count:,} deals. They cover the chance of the draw, not what the "
        f"policies, the rules or the set-up may lack. All are right 95 times in 100 each, so of many numbers some are off. Where "
        f"numbers are said to hold together, as the win shares above, all of them are right at once 95 times in 100, and their "
        f"intervals are wider than those of the same numbers one by one, as `simulate --until` and `sweep` have them.",
    ]
    few = few_deals(run.deal_count)
    return [few, *found] if few else found
