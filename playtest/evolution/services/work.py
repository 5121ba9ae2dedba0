"""One piece of work for a worker that was told that there is some."""

import logging
import os
import socket
import time

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet
from django.db.models.functions import Now

from playtest.clock import database_time_in
from playtest.evolution.models import ACTIVE, EvaluationSlice, EvolutionRun, Generation, GenerationState, Wanted
from playtest.evolution.services.breeding import DATABASE_AWAY, run_try_advance
from playtest.evolution.services.runs import run_settle
from playtest.evolution.services.slices import ClaimedSlice, slice_claim, slice_compute, slice_store
from playtest.leases import LeaseState, claimable, lease_fail
from playtest.levels.digest import engine_digest

logger = logging.getLogger(__name__)

BREEDING_SECONDS = 10.0
"""Whoever finishes a generation breeds the next one. After so long it seems to have died, and anybody does."""


def worker_name() -> str:
    return f"{socket.gethostname()}:{os.getpid()}"


def work_once(*, worker: str, threads: int = 1) -> bool:
    """Do the most pressing piece of work: advance a run that waits for it, or a slice. False: there was none.

    What goes wrong in a run is logged and counted there, and does not keep the others waiting.
    """
    stalled = set(runs_stalled().values_list("pk", flat=True))
    for run in runs_in_turn():
        if run.pk in stalled and run_try_advance(run_id=run.pk):
            return True
        claimed = slice_claim(run=run, worker=worker)
        if claimed is not None:
            _slice_try(claimed, threads)
            return True
    return False


def _slice_try(claimed: ClaimedSlice, threads: int) -> None:
    try:
        slice_work(claimed=claimed, threads=threads)
    except DATABASE_AWAY:
        raise
    except Exception as error:
        logger.exception("Slice %s of run %s went wrong", claimed.row.number, claimed.run.pk)
        # Nothing if the slice was given back where it went wrong.
        lease_fail(EvaluationSlice, claimed.claim, error=f"{type(error).__name__}: {error}")


def slice_work(*, claimed: ClaimedSlice, threads: int = 1) -> None:
    """Compute a claimed slice, store its result and, if it was the last of its generation, breed the next one."""
    began = time.monotonic()
    results = slice_compute(claimed=claimed, threads=threads)
    if results is not None:
        stored = slice_store(claimed=claimed, results=results, seconds=time.monotonic() - began)
        if stored.completed:
            run_try_advance(run_id=claimed.run.pk)
        if stored.counted:
            return
    run_settle(run_id=claimed.run.pk)


def runs_in_turn() -> list[EvolutionRun]:
    """The runs that this code may work on, in whose turn it is: by priority, then who has fewest workers, then who
    waited longest.
    """
    held = Q(
        generation_rows__slices__state=LeaseState.LEASED,
        generation_rows__slices__lease_until__gt=Now(),
        generation_rows__number=F("current"),
    )
    runs = (
        runs_wanted()
        .filter(engine_digest=engine_digest())
        .annotate(hands=Count("generation_rows__slices", filter=held))
    )
    return list(runs.order_by("-priority", "hands", F("heartbeat_at").asc(nulls_first=True), "pk"))


def runs_wanted() -> QuerySet[EvolutionRun]:
    return EvolutionRun.objects.filter(state__in=ACTIVE, wanted=Wanted.RUN)


def runs_stalled() -> QuerySet[EvolutionRun]:
    """Runs that wait for somebody to breed: new ones, and those whose breeder seems to have died."""
    waiting = Generation.objects.filter(
        Q(completed_at__lt=database_time_in(-BREEDING_SECONDS)) | Q(completed_at__lt=OuterRef("wanted_at")),
        run=OuterRef("pk"),
        number=OuterRef("current"),
        state=GenerationState.COMPLETE,
    )
    return runs_wanted().filter(Q(current=0) | Exists(waiting), engine_digest=engine_digest())


def slices_open() -> QuerySet[EvaluationSlice]:
    """Slices that could be claimed now by this code."""
    return claimable(
        EvaluationSlice.objects.filter(
            generation__run__in=runs_wanted().filter(engine_digest=engine_digest()),
            generation__number=F("generation__run__current"),
            generation__state=GenerationState.EVALUATING,
        )
    )
