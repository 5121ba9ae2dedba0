"""What was left lying by processes that died, by a broker that lost its messages, by code that changed."""

import logging

from django.db import transaction
from django.db.models import Q
from django.db.models.functions import Now

from playtest.clock import database_time_in
from playtest.evolution.dispatch import MESSAGES_AT_ONCE, messages_waiting, work_announce
from playtest.evolution.models import ACTIVE, OVER, EvaluationSlice, EvolutionRun, LogKind, Wanted
from playtest.evolution.services.log import run_note, run_touch
from playtest.evolution.services.runs import run_fail, run_settle
from playtest.evolution.services.work import runs_stalled, runs_wanted, slices_open
from playtest.leases import LeaseState, expired, lease_give_up, lease_return_expired
from playtest.levels.digest import engine_digest

logger = logging.getLogger(__name__)

FORGOTTEN_SECONDS = 120.0
"""A run of other code that nobody has worked on for so long has no worker left that could."""


def runs_reconcile() -> int:
    """Put right whatever can be, and wake the workers if there is work that nobody was told of.

    Gives how many things were done. Safe to call at any time from any number of processes.
    """
    done = _fail_poisoned()
    done += _return_expired()
    done += sum(run_settle(run_id=pk) for pk in _unsettled())
    done += _pause_forgotten()
    return done + _announce()


def _fail_poisoned() -> int:
    """Fail runs of which a slice went wrong, or killed its worker, as often as is allowed."""
    open_slices = EvaluationSlice.objects.filter(generation__run__in=runs_wanted())
    lease_give_up(open_slices, error="Every worker that took this slice died.")
    failed = open_slices.filter(state=LeaseState.FAILED).select_related("generation")
    done = 0
    for row in failed:
        done += run_fail(
            run_id=row.generation.run_id,
            error=f"Slice {row.number} of generation {row.generation.number} could not be computed after "
            f"{row.attempts} attempts: {row.error}",
        )
    return done


def _return_expired() -> int:
    """Let slices of workers that seem dead be claimed again, with a line in the run's log."""
    done = 0
    for row in expired(EvaluationSlice.objects.filter(generation__run__in=runs_wanted())).select_related("generation"):
        with transaction.atomic():
            if lease_return_expired(row):
                generation = row.generation
                run_note(
                    run_id=generation.run_id,
                    kind=LogKind.RELEASED,
                    text=f"{row.worker} did not answer; its slice {row.number} of generation {generation.number} "
                    "was given to others.",
                )
                run_touch(run_id=generation.run_id)
                done += 1
    return done


def _unsettled() -> list[int]:
    """Runs that are to pause or end and do not yet."""
    waiting = Q(wanted=Wanted.PAUSE, state__in=ACTIVE) | (Q(wanted=Wanted.CANCEL) & ~Q(state__in=OVER))
    return list(EvolutionRun.objects.filter(waiting).values_list("pk", flat=True))


def _pause_forgotten() -> int:
    """Pause runs that began with other code and that no worker of that code works on any more."""
    quiet = Q(heartbeat_at__isnull=True, created_at__lt=database_time_in(-FORGOTTEN_SECONDS)) | Q(
        heartbeat_at__lt=database_time_in(-FORGOTTEN_SECONDS)
    )
    error = (
        "The program has changed since this run began, so its results would no longer fit together. "
        "Start a new run with the same settings; what this one found stays."
    )
    done = 0
    for pk in runs_wanted().filter(quiet).exclude(engine_digest=engine_digest()).values_list("pk", flat=True):
        with transaction.atomic():
            if runs_wanted().filter(quiet, pk=pk).update(wanted=Wanted.PAUSE, wanted_at=Now(), error=error):
                run_note(run_id=pk, kind=LogKind.REFUSED, text=error)
                run_touch(run_id=pk)
                done += 1
        run_settle(run_id=pk)
    return done


def _announce() -> int:
    """Send messages if there is work and the queue is empty. The number of messages never grows beyond a few: each
    is passed on by the worker that took it as long as there is work.
    """
    wanted = slices_open().count() + runs_stalled().count()
    if not wanted or messages_waiting() != 0:
        return 0
    messages = min(wanted, MESSAGES_AT_ONCE)
    work_announce(messages=messages)
    return messages
