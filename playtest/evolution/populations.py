"""Between rows and what `personas.evolution` computes with: both directions, nothing else."""

import hashlib
import re
import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median

from personas.evolution import Fitness, Individual, RunConfig, ranked
from personas.evolution import Generation as Population
from personas.evolution.state import Record
from playtest.evolution.models import Flaw, Generation, Origin, Subject
from playtest.evolution.models import Individual as IndividualRow

SECONDS_AN_ITERATION = 1.5e-6
"""Roughly, to cut slices; nothing depends on it but their size."""
SLICE_SECONDS = 2.0
LEAST_SLICES = 8
REFERENCES = ("vanilla", "random")
"""In the order in which a slice of reference agents has its results."""

_CONSTANT = re.compile(r"(?<![A-Za-z_])\d+(?:\.\d+)?(?:e[-+]?\d+)?")


@dataclass(frozen=True)
class SlicePlan:
    """What one slice is to compute; the places are those of the first and the last individual."""

    subject: Subject
    first_idx: int | None = None
    last_idx: int | None = None


def plan_slices(config: RunConfig, population: Population) -> list[SlicePlan]:
    """A generation's work in pieces of about two seconds, at least eight, and one for the reference agents.

    Results do not depend on how the work is cut.
    """
    count = len(population.individuals)
    cost = len(population.game_seeds) * config.moves * config.iterations * SECONDS_AN_ITERATION
    most = max(1, -(-count // LEAST_SLICES))
    size = min(most, max(1, int(SLICE_SECONDS / cost)))
    starts = range(0, count, size)
    return [SlicePlan(Subject.REFERENCES)] + [
        SlicePlan(Subject.POPULATION, first, min(first + size, count) - 1) for first in starts
    ]


def read_population(row: Generation) -> Population:
    """The stored generation with whatever fitness is stored, as `personas.evolution` takes it."""
    individuals = row.individuals.order_by("idx")
    return Population(
        number=row.number,
        goal=row.goal,
        game_seeds=tuple(row.game_seeds),
        individuals=tuple(_read_individual(individual) for individual in individuals),
        bar=row.bar,
    )


def _read_individual(row: IndividualRow) -> Individual:
    return Individual(
        idx=row.idx,
        formula=row.formula,
        fingerprint=row.fingerprint,
        depth=row.depth,
        size=row.size,
        origin=Origin(row.origin).label,
        parent_a=row.parent_a,
        parent_b=row.parent_b,
        fitness=_read_fitness(row),
        before=None if row.before_games is None else Record(row.before_games, row.before_mean or 0.0),
    )


def _read_fitness(row: IndividualRow) -> Fitness | None:
    if row.fitness is None and row.flaw is None:
        return None
    flaw = None if row.flaw is None else Flaw(row.flaw).label
    return Fitness(row.fitness, flaw, unpack_games(bytes(row.per_game or b"")), row.partial)


def new_individuals(row: Generation, individuals: Iterable[Individual]) -> list[IndividualRow]:
    """Rows, not yet stored, for the individuals of a generation that waits for its evaluation."""
    return [
        IndividualRow(
            generation=row,
            idx=one.idx,
            formula=one.formula,
            fingerprint=one.fingerprint,
            depth=one.depth,
            size=one.size,
            origin=Origin[one.origin.upper()],
            parent_a=one.parent_a,
            parent_b=one.parent_b,
            before_games=None if one.before is None else one.before.games,
            before_mean=None if one.before is None else one.before.mean,
        )
        for one in individuals
    ]


def set_fitness(row: IndividualRow, fitness: Fitness) -> None:
    row.fitness = fitness.value
    row.flaw = None if fitness.flaw is None else Flaw[fitness.flaw.upper()]
    row.games_done = len(fitness.per_game)
    row.partial = fitness.partial
    row.per_game = pack_games(fitness.per_game)


def pack_games(outcomes: Sequence[float]) -> bytes:
    """float64, little-endian, one for each game."""
    return struct.pack(f"<{len(outcomes)}d", *outcomes)


def unpack_games(data: bytes) -> tuple[float, ...]:
    return struct.unpack(f"<{len(data) // 8}d", data)


def results_hash(results: Iterable[Fitness]) -> str:
    """SHA-256 in hex over every outcome: equal for every worker that computes the same slice."""
    digest = hashlib.sha256()
    for fitness in results:
        digest.update(f"{fitness.flaw} {fitness.value!r} {len(fitness.per_game)} ".encode())
        digest.update(pack_games(fitness.per_game))
    return digest.hexdigest()


@dataclass(frozen=True)
class Summary:
    """The figures of an evaluated population. None where no individual has a finite fitness."""

    fit_min: float | None
    fit_median: float | None
    fit_max: float | None
    diversity: float
    best_idx: int | None


def summarise(config: RunConfig, population: Population) -> Summary:
    values = population.values()
    return Summary(
        fit_min=min(values, default=None),
        fit_median=median(values) if values else None,
        fit_max=max(values, default=None),
        diversity=diversity(individual.formula for individual in population.individuals),
        best_idx=ranked(config, population)[0].idx if values else None,
    )


def diversity(formulas: Iterable[str]) -> float:
    """Share of different shapes among formulas, 0 to 1; a shape is a formula without the values of its constants."""
    shapes = [_CONSTANT.sub("c", formula) for formula in formulas]
    return len(set(shapes)) / len(shapes) if shapes else 0.0
