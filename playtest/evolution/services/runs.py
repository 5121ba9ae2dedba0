"""What people do with a run: start it, pause it, go on, cancel it.

They only say what they want (`wanted`). Workers look at it every second, let go of what they compute and settle the
run's state; if none is left to do so, the reconciler does.
"""

from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q
from django.db.models.functions import Coalesce, Now

from personas.evolution import RunConfig
from playtest.accounts.models import User
from playtest.accounts.services import audit_record
from playtest.clock import database_time_in
from playtest.commit import code_commit
from playtest.evolution.dispatch import work_announce
from playtest.evolution.models import (
    ACTIVE,
    OVER,
    EvaluationSlice,
    EvolutionRun,
    LogKind,
    Objective,
    Preset,
    Priority,
    RunState,
    Wanted,
)
from playtest.evolution.services.log import run_note, run_touch
from playtest.leases import LeaseState
from playtest.levels.digest import engine_digest

MOST_ITERATIONS = 10**12
"""Of all games of a run together: about two weeks on one core. More is a slip of the hand."""
SETTLE_SECONDS = 4.0
"""After so long a run is what it is wanted to be, even if a worker died with a lease and cannot let go of it.

A live worker asks every second (`slices.WATCH_SECONDS`) and lets go after a game or two. Only the reconciler settles
for a dead one, every five seconds: both together stay under the ten seconds within which a run ends for whoever
cancels it. A worker that is slower still stores its part of a paused run; of a cancelled one nothing counts any more.
"""


class RunError(ValueError):
    """What was asked of a run is not possible; the message is one plain sentence."""


def run_create(
    *, owner: User, config: RunConfig, priority: Priority = Priority.NORMAL, cloned_from: EvolutionRun | None = None
) -> EvolutionRun:
    """Store a run and wake the workers.

    The configuration was checked when it was made (`RunConfig`); RunError if all of it together would never end.
    """
    games = config.population * config.generations * config.games + config.most_finalists * (config.final_games or 0)
    iterations = games * config.moves * config.iterations
    if iterations > MOST_ITERATIONS:
        raise RunError(
            f"This run would take {iterations / MOST_ITERATIONS:,.0f} times as long as the longest one that is "
            "allowed, which is about two weeks on one core. Choose smaller numbers."
        )
    with transaction.atomic():
        run = EvolutionRun.objects.create(
            owner=owner,
            preset=Preset[config.preset.upper()],
            objective=Objective[config.persona.upper()],
            game=config.game,
            config=config.to_document(),
            hash=config.content_hash(),
            seed=config.seed,
            generations=config.generations,
            engine_digest=engine_digest(),
            code_commit=code_commit(),
            priority=priority,
            cloned_from=cloned_from,
        )
        run_note(run_id=run.pk, kind=LogKind.CREATED, text=f"Created by {owner.get_username()}.")
        audit_record(actor=owner, action="run.create", target=run, after=run.config)
        work_announce()
    return run


def run_pause(*, run: EvolutionRun, actor: User | None = None) -> None:
    """Let workers put the run down where it is. Nothing that is computed is lost. Raises RunError."""
    with transaction.atomic():
        asked = EvolutionRun.objects.filter(pk=run.pk, state__in=ACTIVE, wanted=Wanted.RUN)
        if not asked.update(wanted=Wanted.PAUSE, wanted_at=Now()):
            raise RunError("Only a run that is waiting or running can be paused.")
        run_note(run_id=run.pk, kind=LogKind.PAUSED, text=_by("Paused", actor))
        audit_record(actor=actor, action="run.pause", target=run)
        run_touch(run_id=run.pk)
    run_settle(run_id=run.pk)


def run_resume(*, run: EvolutionRun, actor: User | None = None) -> None:
    """Go on with a paused run where it stopped. Raises RunError."""
    with transaction.atomic():
        row = EvolutionRun.objects.select_for_update().get(pk=run.pk)
        if row.state in OVER or row.wanted != Wanted.PAUSE:
            raise RunError("Only a paused run can go on.")
        if row.engine_digest != engine_digest():
            raise RunError(
                "The program has changed since this run began, so its results would no longer fit together. "
                "Start a new run with the same settings instead."
            )
        state = RunState.RUNNING if row.current else RunState.QUEUED
        EvolutionRun.objects.filter(pk=run.pk).update(wanted=Wanted.RUN, wanted_at=Now(), state=state, error="")
        run_note(run_id=run.pk, kind=LogKind.RESUMED, text=_by("Resumed", actor))
        audit_record(actor=actor, action="run.resume", target=run)
        run_touch(run_id=run.pk)
        work_announce()


def run_prioritise(*, run: EvolutionRun, priority: Priority, actor: User | None = None) -> None:
    """Let a run go before or after the others from its next slice on. Raises RunError."""
    with transaction.atomic():
        asked = EvolutionRun.objects.filter(pk=run.pk).exclude(state__in=OVER)
        if not asked.update(priority=priority):
            raise RunError("This run is over already.")
        run_note(run_id=run.pk, kind=LogKind.PRIORITY, text=_by(f"Turn set to “{priority.label}”", actor))
        audit_record(actor=actor, action="run.priority", target=run, after={"priority": priority.label})
        run_touch(run_id=run.pk)


def run_cancel(*, run: EvolutionRun, actor: User | None = None) -> None:
    """End the run for good; its generations stay. What workers still compute for it no longer counts. RunError."""
    with transaction.atomic():
        asked = EvolutionRun.objects.filter(pk=run.pk).exclude(state__in=OVER).exclude(wanted=Wanted.CANCEL)
        if not asked.update(wanted=Wanted.CANCEL, wanted_at=Now(), epoch=F("epoch") + 1):
            raise RunError("This run is over already.")
        run_note(run_id=run.pk, kind=LogKind.CANCELLED, text=_by("Cancelled", actor))
        audit_record(actor=actor, action="run.cancel", target=run)
        run_touch(run_id=run.pk)
    run_settle(run_id=run.pk)


def run_settle(*, run_id: int) -> bool:
    """Make a run's state what is wanted, once no worker holds a part of it. True if the state changed."""
    held = EvaluationSlice.objects.filter(
        generation__run=OuterRef("pk"), state=LeaseState.LEASED, lease_until__gt=Now()
    )
    free = ~Exists(held) | Q(wanted_at__lt=database_time_in(-SETTLE_SECONDS))
    with transaction.atomic():
        rows = EvolutionRun.objects.filter(free, pk=run_id)
        changed = rows.filter(wanted=Wanted.PAUSE, state__in=ACTIVE).update(state=RunState.PAUSED)
        changed += (
            rows.filter(wanted=Wanted.CANCEL)
            .exclude(state__in=OVER)
            .update(state=RunState.CANCELLED, ended_at=Coalesce("ended_at", Now()))
        )
        if changed:
            run_touch(run_id=run_id)
    return bool(changed)


def run_fail(*, run_id: int, error: str) -> bool:
    """End a run that cannot go on, with the reason in plain words. False if it was over already."""
    with transaction.atomic():
        open_runs = EvolutionRun.objects.filter(pk=run_id).exclude(state__in=OVER)
        if not open_runs.update(state=RunState.FAILED, error=error, epoch=F("epoch") + 1, ended_at=Now()):
            return False
        run_note(run_id=run_id, kind=LogKind.FAILED, text=error)
        run_touch(run_id=run_id)
    return True


def _by(what: str, actor: User | None) -> str:
    return f"{what} by {actor.get_username()}." if actor else f"{what}."
