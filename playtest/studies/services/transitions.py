"""Steps from one state of a participant to the next: a conditional update of one row, with its line of history."""

from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.utils import timezone

from playtest.accounts.models import User
from playtest.live import hint
from playtest.studies.choices import OUTCOME_NAMES, Cause, Status
from playtest.studies.errors import StudyError
from playtest.studies.models import Participant, Transition
from playtest.studies.selectors.documents import version_document

ALLOWED: dict[Status, frozenset[Status]] = {
    Status.STARTED: frozenset({Status.CONSENTED, Status.DECLINED, Status.TIMED_OUT}),
    Status.DECLINED: frozenset({Status.CONSENTED}),
    Status.CONSENTED: frozenset({Status.ACTIVE}),
    Status.ACTIVE: frozenset({Status.COMPLETED, Status.SCREENED_OUT, Status.TIMED_OUT, Status.RETURNED}),
    Status.TIMED_OUT: frozenset({Status.ACTIVE}),
    Status.RETURNED: frozenset({Status.ACTIVE}),
    Status.COMPLETED: frozenset(),
    Status.SCREENED_OUT: frozenset(),
    Status.WITHDRAWN: frozenset(),
}
FINISHED = frozenset({Status.COMPLETED, Status.SCREENED_OUT, Status.TIMED_OUT, Status.RETURNED})


def status_change(
    *,
    participant: Participant,
    to: Status,
    cause: Cause,
    by: User | None = None,
    also: Mapping[str, object] | None = None,
) -> None:
    """Take one step. Raises StudyError `state` if it is not allowed or somebody else took another one first.

    Anybody may withdraw from any state but that one. `also` are columns that change with the state. Changes
    `participant` in place.
    """
    before = Status(participant.status)
    allowed = before != Status.WITHDRAWN if to == Status.WITHDRAWN else to in ALLOWED[before]
    if not allowed:
        raise StudyError("state", f"A participant who is {before.label} cannot become {to.label}.")
    now = timezone.now()
    changes: dict[str, Any] = {"status": to, "last_seen_at": now, **outcome_changes(participant, to), **(also or {})}
    if to in FINISHED:
        changes["finished_at"] = now
    with transaction.atomic():
        if not Participant.objects.filter(pk=participant.pk, status=before).update(**changes):
            raise StudyError("state", "Meanwhile this was decided in another window.")
        Transition.objects.create(
            participant=participant,
            number=Transition.objects.filter(participant=participant).count() + 1,
            from_status=before,
            to_status=to,
            at=now,
            cause=cause,
            by=by,
        )
        hint_study(participant.study_id)
    for name, value in changes.items():
        setattr(participant, name, value)


def outcome_changes(participant: Participant, to: Status) -> dict[str, str | None]:
    """The completion code that goes with an end; whoever goes on after all has none any more."""
    if to in OUTCOME_NAMES:
        outcome = version_document(participant.version).end.outcome(OUTCOME_NAMES[to])
        return {"outcome_code": outcome.code or None}
    return {"outcome_code": None} if participant.outcome_code is not None else {}


def hint_study(study_id: int) -> None:
    """Tell staff pages of the study that something is newer. The revision only has to differ and to grow."""
    hint(f"study:{study_id}", int(timezone.now().timestamp() * 1000))
