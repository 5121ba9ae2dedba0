"""A whole run in one process, with a checkpoint a generation: what `manage.py evolve` does."""

import json
import re
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from engine.formula import parse_formula
from engine.game import get_game
from personas.agents.base import Progress, Stop
from personas.evolution import (
    Fitness,
    Generation,
    Individual,
    RunConfig,
    evaluate,
    evaluate_references,
    final_generation,
    first_population,
    next_generation,
    persona_of,
    ranked,
)
from personas.evolution.breeding import draw_game_seeds
from personas.evolution.config import ConfigError
from personas.evolution.state import StateError
from personas.files import write_atomically
from personas.persona import Persona

FORMAT = 1


@dataclass(frozen=True)
class GenerationReport:
    """An evaluated generation and what the figures need of it; `seconds` is wall-clock time."""

    generation: Generation
    references: dict[str, Fitness]
    seconds: float
    best: Individual

    def to_json(self) -> dict[str, Any]:
        """The line that the command prints for a generation."""
        values = self.generation.values()
        return {
            "generation": self.generation.number,
            "min": min(values, default=None),
            "median": statistics.median(values) if values else None,
            "max": max(values, default=None),
            "goal": self.generation.goal,
            "best": self.best.formula,
            "vanilla": self.references["vanilla"].value,
            "random": self.references["random"].value,
            "evaluated": len(self.generation.values()),
            **({"partial": self.generation.partial_count} if self.generation.bar is not None else {}),
            "seconds": round(self.seconds, 3),
        }


class Checkpoint:
    """A folder with the configuration and a file for each evaluated generation, each written in one step.

    The finalists are the generation after the last one and have a file of the same kind, named `final-...`.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def open(self, config: RunConfig) -> None:
        """Make the folder, or make sure that what stands in it belongs to this run; raises StateError.

        A run may be continued with more generations than it was begun with; all else must be the same.
        """
        path = self.folder / "run.json"
        document = {"format": FORMAT, "game_version": _game_version(config), "config": config.to_document()}
        try:
            if not path.exists():
                if self.folder.is_dir() and any(self.folder.glob("generation-*.json")):
                    raise StateError(f"{self.folder} has generations but no run.json.")
                self.folder.mkdir(parents=True, exist_ok=True)
                write_atomically(path, json.dumps(document, indent=1) + "\n")
                return
        except OSError as error:
            raise StateError(f"{self.folder} cannot be used: {error.strerror or error}.") from error
        found = _read(path)
        try:
            begun = RunConfig.from_document(found.get("config"))
        except ConfigError as error:
            raise StateError(f"{path} is no run: {error}") from error
        if found.get("format") != FORMAT or found.get("game_version") != document["game_version"]:
            raise StateError(f"{path} was written by another version of the program or of the game's rules.")
        if replace(begun, generations=config.generations) != config:
            names = [
                name for name, value in vars(begun).items() if name != "generations" and value != getattr(config, name)
            ]
            raise StateError(f"{self.folder} holds another run, with another {' and '.join(names)}.")

    def last(self, config: RunConfig) -> Generation | None:
        """The last evaluated generation that the run is to have; raises StateError if its file is damaged."""
        numbers = [_number(path) for path in self.folder.glob("generation-*.json")]
        number = max((number for number in numbers if number <= config.generations), default=None)
        if number is None:
            return None
        path = self._path(number)
        generation = _read_generation(path)
        seeds = draw_game_seeds(config, number)
        if (generation.number, len(generation.individuals), generation.game_seeds) != (
            number,
            config.population,
            seeds,
        ):
            raise StateError(f"{path} is damaged.")
        return generation

    def final(self, expected: Generation) -> Generation | None:
        """`expected`, the finalists, with their fitness if that is there; raises StateError if the file is damaged."""
        path = self._final_path(expected.number)
        if not path.exists():
            return None
        generation = _read_generation(path)
        if generation.with_fitness([None] * len(generation.individuals)) != expected:
            raise StateError(f"{path} is damaged.")
        return generation

    def write(self, report: GenerationReport) -> None:
        """Store an evaluated generation; a reader sees the whole file or none."""
        document = {
            "format": FORMAT,
            "generation": report.generation.to_json(),
            "references": {name: fitness.to_json() for name, fitness in report.references.items()},
            "seconds": report.seconds,
        }
        write_atomically(self._path(report.generation.number), json.dumps(document) + "\n")

    def write_final(self, generation: Generation) -> None:
        """Store the evaluated finalists."""
        document = {"format": FORMAT, "generation": generation.to_json()}
        write_atomically(self._final_path(generation.number), json.dumps(document) + "\n")

    def _path(self, number: int) -> Path:
        return self.folder / f"generation-{number:04d}.json"

    def _final_path(self, number: int) -> Path:
        return self.folder / f"final-{number:04d}.json"


def _read_generation(path: Path) -> Generation:
    """The generation in a file, whose individuals all have a formula and a fitness; raises StateError."""
    document = _read(path)
    try:
        generation = Generation.from_json(document.get("generation"))
        for individual in generation.individuals:
            parse_formula(individual.formula)
    except ValueError as error:
        raise StateError(f"{path} is damaged.") from error
    games = len(generation.game_seeds)
    if document.get("format") != FORMAT or not all(
        one.idx == place and one.fitness is not None and _is_whole(one.fitness, games)
        for place, one in enumerate(generation.individuals)
    ):
        raise StateError(f"{path} is damaged.")
    return generation


def _is_whole(fitness: Fitness, games: int) -> bool:
    """Whether there is an outcome of each game, or of the first ones of who stopped early."""
    played = len(fitness.per_game)
    return 0 < played < games if fitness.partial else played == games


def _read(path: Path) -> dict[str, Any]:
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise StateError(f"{path} cannot be read or is damaged.") from error
    if not isinstance(document, dict):
        raise StateError(f"{path} is damaged.")
    return document


def _number(path: Path) -> int:
    name = re.fullmatch(r"generation-([0-9]{4})\.json", path.name)
    if name is None:
        raise StateError(f"{path} has a name that no generation has; the folder is damaged.")
    return int(name[1])


def _game_version(config: RunConfig) -> int:
    return get_game(config.game).info.version


def evolve(
    config: RunConfig,
    *,
    threads: int = 1,
    checkpoint: Checkpoint | None = None,
    commit: str = "",
    on_generation: Callable[[GenerationReport], None] | None = None,
    progress: Progress | None = None,
    stop: Stop | None = None,
) -> Persona:
    """Run all generations, or those that the checkpoint does not have, and return the persona that is kept.

    If the run is to have finalists, they play in the end. `on_generation` hears of every generation that was evaluated
    here, `progress` of every game, those of the finalists too. Raises StoppedError if `stop` said so, StateError if the
    checkpoint does not fit.
    """
    if checkpoint is not None:
        checkpoint.open(config)
    generation = checkpoint.last(config) if checkpoint is not None else None
    while generation is None or generation.number < config.generations:
        started = time.perf_counter()
        generation = first_population(config) if generation is None else next_generation(config, generation)
        indices = range(len(generation.individuals))
        fitness = evaluate(config, generation, indices, threads=threads, progress=progress, stop=stop)
        references = evaluate_references(config, generation, threads=threads, progress=progress, stop=stop)
        generation = generation.with_fitness(fitness)
        report = GenerationReport(generation, references, time.perf_counter() - started, ranked(config, generation)[0])
        if checkpoint is not None:
            checkpoint.write(report)
        if on_generation is not None:
            on_generation(report)
    final = final_generation(config, generation)
    if final is not None:
        generation = (checkpoint.final(final) if checkpoint is not None else None) or final
        if generation is final:
            places = range(len(final.individuals))
            generation = final.with_fitness(
                evaluate(config, final, places, threads=threads, progress=progress, stop=stop)
            )
            if checkpoint is not None:
                checkpoint.write_final(generation)
    return persona_of(config, generation, commit=commit)
