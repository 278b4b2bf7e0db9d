"""Draw the winner's stand of one greedy game as SVG: the picture in the README."""

from __future__ import annotations

import argparse
from pathlib import Path

import veggies_sim as vs
from veggies_sim.core.replay import find_record
from veggies_sim.games.veggies import Stand


def main() -> None:
    """Play one game, lay its winner's moves again and write the picture."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="of the game; default 1")
    parser.add_argument("--out", type=Path, default=Path("docs/stand.svg"), help="default docs/stand.svg")
    arguments = parser.parse_args()
    run = vs.simulate(vs.Veggies(players=3), "greedy", 1, seed=arguments.seed, record="moves")
    record = find_record(run, 0)
    winner = max(record.seats, key=lambda row: row["win"])["seat"]
    faces = {card.id: card.face for card in run.game.setup.cards}
    stand = Stand()
    for move in record.moves:
        if move["seat"] == winner:
            stand.place(faces[move["card"]], row=move["row"], col=move["col"], rotation=move["rotation"])
    arguments.out.write_text(stand._repr_svg_(), encoding="utf-8", newline="\n")
    print(arguments.out)


if __name__ == "__main__":
    main()
