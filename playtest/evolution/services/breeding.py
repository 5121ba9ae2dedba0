"""From one generation to the next, and from the last one to the end. See the fences of the data model.

Breeding is computed outside any transaction: it may take seconds, and on SQLite a held write lock stops every player
for as long. It is a pure function of what is stored, so two workers that breed at once make the same rows; the
conditional update of the run lets one of them store.
"""

import logging
from dataclasses import asdict

from django.db import IntegrityError, InterfaceError, OperationalError, transaction
from django.db.models import F, QuerySet, Sum
from django.db.models.functions import Coalesce, Now

from personas.evolution import Generation as Population
from personas.evolution import RunConfig, final_generation, first_population, next_generation
from playtest.evolution.dispatch import MESSAGES_AT_ONCE, work_announce
from playtest.evolution.models import (
    OVER,
    EvaluationSlice,
    EvolutionRun,
    Generation,
    GenerationState,
    Individual,
    LogKind,
    RunState,
    Wanted,
)
from playtest.evolution.populations import new_individuals, plan_slices, read_population, summarise
from playtest.evolution.services.log import run_note, run_touch
from playtest.evolution.services.runs import run_fail
from playtest.leases import MAX_ATTEMPTS

logger = logging.getLogger(__name__)

DATABASE_AWAY = (OperationalError, InterfaceError)
"""What says nothing of a run: the database is away, full or busy. Whoever asked for work asks again later."""


def generation_complete(*, generation: Generation) -> None:
    """Mark a generation whose last slice is in, and fill in its figures. Call it in that slice's transaction."""
    summary = summarise(RunConfig.from_document(generation.run.config), read_population(generation))
    seconds = generation.slices.aggregate(total=Sum("seconds"))["total"]
    Generation.objects.filter(pk=generation.pk).update(
        state=GenerationState.COMPLETE, completed_at=Now(), seconds=seconds, **asdict(summary)
    )


def run_try_advance(*, run_id: int) -> bool:
    """`run_advance` for a worker with other runs to see to: what goes wrong in this one is logged and counted.

    After as many attempts as a slice has, the run fails. True if a step was stored here.
    """
    try:
        return run_advance(run_id=run_id)
    except DATABASE_AWAY:
        raise
    except Exception as error:
        logger.exception("Run %s could not go on to its next generation", run_id)
        _count_attempt(run_id, f"{type(error).__name__}: {error}")
        return False


def _count_attempt(run_id: int, error: str) -> None:
    with transaction.atomic():
        open_runs = EvolutionRun.objects.filter(pk=run_id).exclude(state__in=OVER)
        if not open_runs.update(attempts=F("attempts") + 1, heartbeat_at=Now()):
            return
        run = EvolutionRun.objects.get(pk=run_id)
        if run.attempts < MAX_ATTEMPTS:
            return
        step = f"Generation {run.current + 1}" if run.current < run.generations else "What follows the last generation"
        run_fail(run_id=run_id, error=f"{step} could not be made after {run.attempts} attempts: {error}"[:4000])


def run_advance(*, run_id: int) -> bool:
    """Take the run one step on, if it is due: its first generation, the next one, the finalists, or its end.

    True if stored here.
    """
    run = EvolutionRun.objects.get(pk=run_id)
    if run.is_over or run.wanted != Wanted.RUN:
        return False
    config = RunConfig.from_document(run.config)
    if run.current == 0:
        return generation_store(run=run, population=first_population(config))
    row = Generation.objects.get(run=run, number=run.current)
    if row.state != GenerationState.COMPLETE:
        return False
    if row.number > run.generations:
        return run_finish(run=run)
    step = next_generation if row.number < run.generations else final_generation
    following = step(config, read_population(row))
    return run_finish(run=run) if following is None else generation_store(run=run, population=following)


def generation_store(*, run: EvolutionRun, population: Population) -> bool:
    """Store the generation after `run.current` with its individuals and slices. False: another worker was faster,
    or the run is no longer wanted, and nothing was stored.
    """
    config = RunConfig.from_document(run.config)
    plan = plan_slices(config, population)
    number = run.current + 1
    try:
        with transaction.atomic():
            if not _wanted_at(run).update(
                current=number,
                state=RunState.RUNNING,
                attempts=0,
                started_at=Coalesce("started_at", Now()),
                heartbeat_at=Now(),
            ):
                return False
            Generation.objects.filter(run=run, number=run.current).update(state=GenerationState.BRED)
            row = Generation.objects.create(
                run=run,
                number=number,
                goal=population.goal,
                bar=population.bar,
                game_seeds=list(population.game_seeds),
                slices_total=len(plan),
            )
            Individual.objects.bulk_create(new_individuals(row, population.individuals))
            EvaluationSlice.objects.bulk_create(
                EvaluationSlice(
                    generation=row, number=place, subject=one.subject, first_idx=one.first_idx, last_idx=one.last_idx
                )
                for place, one in enumerate(plan)
            )
            if number == 1:
                run_note(run_id=run.pk, kind=LogKind.STARTED, text="The first generation is drawn.")
            run_touch(run_id=run.pk)
            work_announce(messages=min(len(plan), MESSAGES_AT_ONCE))
    except IntegrityError:
        # The second wall: the generation is there, though the run did not say so when it was read.
        if not Generation.objects.filter(run=run, number=number).exists():
            raise
        return False
    return True


def run_finish(*, run: EvolutionRun) -> bool:
    """End a run whose last generation is complete. False: another worker was faster or the run is not wanted."""
    with transaction.atomic():
        if not _wanted_at(run).update(state=RunState.FINISHED, ended_at=Now(), heartbeat_at=Now()):
            return False
        Generation.objects.filter(run=run, number=run.current).update(state=GenerationState.BRED)
        count = f"{run.generations} generation{'' if run.generations == 1 else 's'}"
        run_note(run_id=run.pk, kind=LogKind.FINISHED, text=f"Finished after {count}.")
        run_touch(run_id=run.pk)
    return True


def _wanted_at(run: EvolutionRun) -> QuerySet[EvolutionRun]:
    """The run's row if it still stands where it was read and is wanted to go on: the fence, as a condition."""
    return EvolutionRun.objects.filter(
        pk=run.pk,
        current=run.current,
        epoch=run.epoch,
        wanted=Wanted.RUN,
        state__in=(RunState.QUEUED, RunState.RUNNING),
    )
