"""One slice: claimed, computed outside any transaction, stored once whoever computed it."""

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Event, Thread

from django.db import DatabaseError, close_old_connections, connection, connections, transaction
from django.db.models.functions import Now

from personas.agents.base import StoppedError
from personas.evolution import Fitness, RunConfig, evaluate, evaluate_references
from playtest.evolution.models import (
    EvaluationSlice,
    EvolutionRun,
    Generation,
    GenerationState,
    Individual,
    LogKind,
    Subject,
    Wanted,
)
from playtest.evolution.populations import REFERENCES, read_population, results_hash, set_fitness
from playtest.evolution.services.breeding import generation_complete
from playtest.evolution.services.log import run_note, run_touch
from playtest.leases import Claim, lease_claim_next, lease_fail, lease_finish, lease_release, lease_renew
from playtest.levels.digest import engine_digest

logger = logging.getLogger(__name__)

WATCH_SECONDS = 1.0
RENEW_SECONDS = 10.0


@dataclass(frozen=True)
class ClaimedSlice:
    """A slice in a worker's hands, and the run's epoch under which its result counts."""

    row: EvaluationSlice
    claim: Claim
    run: EvolutionRun


@dataclass(frozen=True)
class Stored:
    """What became of a result: whether it counted, and whether it was the last one of its generation."""

    counted: bool
    completed: bool = False


def slice_claim(*, run: EvolutionRun, worker: str) -> ClaimedSlice | None:
    """Claim a slice of the run's current generation, in their order. None: there is none."""
    slices = EvaluationSlice.objects.filter(
        generation__run=run, generation__number=run.current, generation__state=GenerationState.EVALUATING
    )
    taken = lease_claim_next(slices.order_by("number"), worker=worker)
    if taken is None:
        return None
    row, claim = taken
    EvolutionRun.objects.filter(pk=run.pk).update(heartbeat_at=Now())
    return ClaimedSlice(row=row, claim=claim, run=run)


def slice_compute(*, claimed: ClaimedSlice, threads: int = 1) -> list[Fitness] | None:
    """Play the slice's games. None: the run was paused or cancelled meanwhile, and the slice is given back.

    If anything goes wrong the slice waits for another attempt, with the error in its row, and the error goes on.
    """
    row = claimed.row
    config = RunConfig.from_document(claimed.run.config)
    population = read_population(Generation.objects.get(pk=row.generation_id))
    try:
        with _watched(claimed) as stopped:
            if row.subject == Subject.POPULATION:
                assert row.first_idx is not None
                assert row.last_idx is not None
                places = range(row.first_idx, row.last_idx + 1)
                return evaluate(config, population, places, threads=threads, stop=stopped.is_set)
            references = evaluate_references(config, population, threads=threads, stop=stopped.is_set)
            return [references[name] for name in REFERENCES]
    except StoppedError:
        lease_release(EvaluationSlice, claimed.claim)
        return None
    except Exception as error:
        lease_fail(EvaluationSlice, claimed.claim, error=f"{type(error).__name__}: {error}")
        raise


@contextmanager
def _watched(claimed: ClaimedSlice) -> Iterator[Event]:
    """Within the block a thread keeps the lease and looks whether the run is still wanted; the event says if not."""
    stopped, done = Event(), Event()
    thread = Thread(target=_watch, args=(claimed, stopped, done), name="slice-watch", daemon=True)
    thread.start()
    try:
        yield stopped
    finally:
        done.set()
        thread.join()


def _watch(claimed: ClaimedSlice, stopped: Event, done: Event) -> None:
    renewed = time.monotonic()
    try:
        while not done.wait(WATCH_SECONDS):
            try:
                wanted = EvolutionRun.objects.filter(pk=claimed.run.pk, epoch=claimed.run.epoch, wanted=Wanted.RUN)
                if not wanted.exists():
                    stopped.set()
                    return
                if time.monotonic() - renewed > RENEW_SECONDS:
                    renewed = time.monotonic()
                    lease_renew(EvaluationSlice, claimed.claim)
                    EvolutionRun.objects.filter(pk=claimed.run.pk).update(heartbeat_at=Now())
            except DatabaseError as error:
                # The games go on: they need no database. Storing the result tries again, or the slice is done anew.
                logger.warning("The database did not answer while a slice was computed: %s", error)
                close_old_connections()
    finally:
        connections.close_all()


def slice_store(*, claimed: ClaimedSlice, results: list[Fitness], seconds: float) -> Stored:
    """Store a slice's results, unless they are stored already or the run no longer wants them."""
    row, digest = claimed.row, results_hash(results)
    with transaction.atomic():
        run = EvolutionRun.objects.select_for_update().get(pk=claimed.run.pk)
        if run.is_over or run.epoch != claimed.run.epoch or run.engine_digest != engine_digest():
            if run.engine_digest != engine_digest():
                run_note(
                    run_id=run.pk, kind=LogKind.REFUSED, text=f"A result of other code was refused ({row.worker})."
                )
            lease_release(EvaluationSlice, claimed.claim)
            return Stored(counted=False)
        if not lease_finish(
            EvaluationSlice, row.pk, seconds=seconds, worker=row.worker, values={"result_sha256": digest}
        ):
            _compare(claimed, digest)
            return Stored(counted=False)
        generation = Generation.objects.get(pk=row.generation_id)
        if row.subject == Subject.POPULATION:
            _store_individuals(row, results)
        else:
            values = {name: fitness.value for name, fitness in zip(REFERENCES, results, strict=True)}
            Generation.objects.filter(pk=generation.pk).update(**values)
        done, total = _count_slice(generation)
        if done == total:
            generation_complete(generation=generation)
        run_touch(run_id=run.pk, heartbeat=True)
    return Stored(counted=True, completed=done == total)


def _store_individuals(row: EvaluationSlice, results: list[Fitness]) -> None:
    rows = list(
        Individual.objects.filter(
            generation_id=row.generation_id, idx__gte=row.first_idx, idx__lte=row.last_idx
        ).order_by("idx")
    )
    for individual, fitness in zip(rows, results, strict=True):
        set_fitness(individual, fitness)
    Individual.objects.bulk_update(rows, ["fitness", "flaw", "games_done", "partial", "per_game"], batch_size=100)


def _count_slice(generation: Generation) -> tuple[int, int]:
    """Count one more finished slice; how many are finished now, and how many there are.

    Counted here and never over the slices: under READ COMMITTED the last two would each miss the other.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE evolution_generation SET slices_done = slices_done + 1 WHERE id = %s "
            "RETURNING slices_done, slices_total",
            [generation.pk],
        )
        done, total = cursor.fetchone()
    return int(done), int(total)


def _compare(claimed: ClaimedSlice, digest: str) -> None:
    """The slice was stored before. Results are pure, so a second one must be the same: say so if it is not."""
    row = EvaluationSlice.objects.select_related("generation").get(pk=claimed.row.pk)
    if row.result_sha256 != digest:
        text = (
            f"Slice {row.number} of generation {row.generation.number} was computed twice with different results, "
            f"by {row.worker} and {claimed.row.worker}. The first one stands."
        )
        logger.error("Run %s: %s", claimed.run.pk, text)
        run_note(run_id=claimed.run.pk, kind=LogKind.DIFFERS, text=text)
