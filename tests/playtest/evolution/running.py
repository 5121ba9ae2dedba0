"""Small real runs: seconds at most, everything computed."""

from functools import cache

from personas.evolution import RunConfig
from personas.evolution.run import GenerationReport, evolve
from playtest.evolution.models import EvolutionRun, Individual
from playtest.evolution.services import run_create, work_once
from tests.playtest.evolution.rows import make_owner

TINY = RunConfig(
    persona="maxs", seed=11, preset="replication", population=8, generations=3, games=4, iterations=20, moves=6
)

Row = tuple[int, str, str, int | None, int | None, float | None, bytes]


def start(config: RunConfig = TINY) -> EvolutionRun:
    return run_create(owner=make_owner(f"owner{EvolutionRun.objects.count()}"), config=config)


def work_all(worker: str = "worker", limit: int = 500) -> int:
    """Work until there is nothing to do; gives how many pieces there were."""
    for count in range(limit):
        if not work_once(worker=worker):
            return count
    raise AssertionError("There is always more work.")


@cache
def undisturbed(config: RunConfig = TINY) -> tuple[GenerationReport, ...]:
    """What the same configuration gives in one process, without the site."""
    reports: list[GenerationReport] = []
    evolve(config, on_generation=reports.append)
    return tuple(reports)


def expected_population(config: RunConfig = TINY) -> list[Row]:
    from playtest.evolution.populations import pack_games

    return [
        (
            one.idx,
            one.formula,
            one.fingerprint,
            one.parent_a,
            one.parent_b,
            one.fitness.value if one.fitness else None,
            pack_games(one.fitness.per_game) if one.fitness else b"",
        )
        for one in undisturbed(config)[-1].generation.individuals
    ]


def stored_population(run: EvolutionRun, number: int | None = None) -> list[Row]:
    rows = Individual.objects.filter(generation__run=run, generation__number=number or run.generations).order_by("idx")
    return [
        (
            row.idx,
            row.formula,
            row.fingerprint,
            row.parent_a,
            row.parent_b,
            row.fitness,
            bytes(row.per_game or b""),
        )
        for row in rows
    ]
