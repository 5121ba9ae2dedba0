"""Runs as their files for download and the captions of their figures have them."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from engine.game import get_game
from playtest.evolution.models import EvolutionRun
from playtest.evolution.selectors.comparison import Comparison
from playtest.evolution.selectors.figures import has_move_limit
from playtest.evolution.selectors.levels import run_level
from playtest.evolution.selectors.runs import GenerationLine, run_name

VALUES = ["min", "median", "max", "ucb1", "random", "goal"]
COLUMNS = ["run", "name", "seed", "generation", "finalists", *VALUES, "stopped"]
COUNTS = {
    "population": "formulas",
    "games": "games each",
    "iterations": "simulations a move",
    "moves": "moves a game",
}
"""Numbers of a run's configuration, in words."""


def run_note(run: EvolutionRun) -> str:
    """What the outcomes of a run are made of."""
    parts = [f"{run.config[name]:,} {words}" for name, words in COUNTS.items() if _is_told(run, name)]
    level = run_level(run)
    parts += [f"all on {level.words}"] if level else []
    parts += [
        f"generation {run.generations_begun} of {run.generations}",
        f"{get_game(run.game).info.title}, preset {run.get_preset_display()}",
        f"seed {run.seed}",
        f"program {run.engine_digest[:12]}",
    ]
    return f"n = {', '.join(parts)}."


def _is_told(run: EvolutionRun, name: str) -> bool:
    """Whether a number of the configuration says something."""
    return bool(run.config.get(name)) and (name != "moves" or has_move_limit(run))


def run_lines(run: EvolutionRun, generations: Sequence[GenerationLine]) -> Iterator[list[Any]]:
    """The complete generations in order, after the names of the columns."""
    yield COLUMNS
    yield from _lines(run, generations)


def compared_lines(comparisons: Iterable[Comparison]) -> Iterator[list[Any]]:
    """The complete generations of every run, after the names of the columns."""
    yield COLUMNS
    for comparison in comparisons:
        for one in comparison.runs:
            yield from _lines(one.run, [*one.lines, *([one.final] if one.final else [])])


def _lines(run: EvolutionRun, generations: Sequence[GenerationLine]) -> Iterator[list[Any]]:
    name = run_name(run)
    for line in sorted(generations, key=lambda line: line.row.number):
        if line.is_complete:
            values = (line.least, line.median, line.most, line.vanilla, line.random, line.goal)
            known = ["" if value is None else repr(value) for value in values]
            yield [run.pk, name, run.seed, line.row.number, "yes" if line.is_final else "no", *known, line.stopped]
