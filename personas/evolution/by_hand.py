"""The best that selections written by hand reach: every one of them, with every lookahead, for each persona.

What an evolved persona has to beat, tuned as carefully. All that are asked play a few games; the best of them play
many on fresh boards. The search is that of the preset standard.

    python -m personas.evolution.by_hand --out DIR     # a line a candidate on standard output, the best as DIR/*.toml
"""

import argparse
import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from engine.level import Level, draw_level
from engine.rng import draw_seed
from engine.search.settings import OBJECTIVES
from personas.agents.tree_search import SearchAgent
from personas.evolution.config import RunConfig, usual_size
from personas.evolution.fitness import TITLES, outcome, population_persona, vanilla_persona
from personas.evolution.written import written_formulas
from personas.files import write_atomically
from personas.persona import Persona, Source, dump_persona
from personas.report import mean_interval

LOOKAHEADS = (1, 2, 3, 5, 7, 10, 0)
EXPLORATIONS = (0.1, 0.3, 0.7071, 1.0, 2.0)
FINALISTS = 12


def candidates(objective: str) -> Iterator[Persona]:
    """UCB1 with each constant and the written formulas, with each lookahead."""
    for lookahead in LOOKAHEADS:
        config = RunConfig(objective, seed=1, lookahead=lookahead)
        plain = vanilla_persona(config, 0.0)
        for exploration in EXPLORATIONS:
            yield replace(plain, search=replace(plain.search, exploration=exploration))
        for formula in written_formulas(objective):
            yield population_persona(config, 0.0, formula)


def boards(stage: str, games: int) -> tuple[list[Level], list[int]]:
    """The boards and game seeds of a stage, the same for all candidates."""
    rows, cols, colours = usual_size("match3")
    seeds = [draw_seed(1, f"by hand, {stage}", game) for game in range(games)]
    return [draw_level("match3", rows=rows, cols=cols, colours=colours, seed=seed) for seed in seeds], seeds


def measured(
    objective: str, among: Iterable[Persona], stage: str, games: int, threads: int
) -> list[tuple[float, tuple[float, float], Persona]]:
    """The candidates with their mean outcome (in the sense of the objective, more is better) and its interval."""
    levels, seeds = boards(stage, games)
    found = []
    for persona in among:
        traces = SearchAgent(persona).play_games(levels, seeds, threads=threads)
        values = [outcome(objective, trace) for trace in traces]
        found.append((sum(values) / len(values), mean_interval(values), persona))
    return sorted(found, key=lambda one: -one[0])


def best_by_hand(objective: str, games: int, final_games: int, threads: int) -> Persona:
    """The best candidate of all as a persona; prints a JSON line for everyone in both stages."""
    among = list(candidates(objective))
    found = []
    for stage, count in (("first", games), ("final", final_games)):
        found = measured(objective, among, stage, count, threads)
        for mean, interval, persona in found:
            said = {
                "persona": objective,
                "stage": stage,
                "games": count,
                "lookahead": persona.search.lookahead,
                "selection": persona.formula or f"UCB1, C = {persona.search.exploration:g}",
                "outcome": mean,
                "ci95": interval,
            }
            sys.stdout.write(json.dumps(said) + "\n")
            sys.stdout.flush()
        among = [persona for _, _, persona in found[:FINALISTS]]
    mean, _, best = found[0]
    note = f"Written by hand, the best of many: mean outcome {abs(mean):.5g} in {final_games} games."
    return replace(best, name=f"{TITLES[objective]} by hand", source=Source(note=note))


def main(words: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="where the best go, a file a persona")
    parser.add_argument("--personas", nargs="+", choices=OBJECTIVES, default=OBJECTIVES, help="(all)")
    parser.add_argument("--games", type=int, default=60, help="of everyone (60)")
    parser.add_argument("--final-games", type=int, default=500, help="of the best twelve, on fresh boards (500)")
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args(words)
    options.out.mkdir(parents=True, exist_ok=True)
    for objective in options.personas:
        best = best_by_hand(objective, options.games, options.final_games, options.threads)
        write_atomically(options.out / f"{objective}.toml", dump_persona(best))


if __name__ == "__main__":
    main()
