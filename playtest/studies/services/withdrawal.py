"""The end of a withdrawal: the line in the log that names earlier exports, and apps that keep something of the data."""

from collections.abc import Sequence
from datetime import UTC, datetime, time

from django.utils import timezone

from playtest.accounts.models import AuditLog
from playtest.accounts.services import audit_record
from playtest.studies import forgetting
from playtest.studies.choices import Kind
from playtest.studies.models import Participant, Transition
from playtest.studies.selectors.log import WITHDRAWN
from playtest.studies.selectors.noted_exports import exports_holding
from playtest.studies.services.locks import study_lock

MOST_NAMED = 100
"""Exports that the line names; of more the newest."""


def day_of(moment: datetime) -> datetime:
    """The beginning of that day: all that is kept of when somebody was here who withdrew."""
    return datetime.combine(moment.astimezone(UTC).date(), time(), UTC)


def withdrawal_settle(*, participant: Participant, states: Sequence[Transition]) -> None:
    """Note which exports held a participant, and have every app drop what it keeps of them.

    The last thing in the withdrawal's transaction. `states` are theirs with the times that they had, and the
    participant has the time of the start. Previews are in no export and no figure.
    """
    if participant.kind == Kind.PREVIEW:
        return
    # An export notes itself under this lock before it reads, so it is named here or reads what is left.
    study_lock(study_id=participant.study_id)
    held = exports_holding(participant=participant, states=states)
    named, more = held[-MOST_NAMED:], max(0, len(held) - MOST_NAMED)
    line = audit_record(
        actor=None,
        action=WITHDRAWN,
        target=participant,
        label="A participant",
        after={
            "study": participant.study_id,
            "exports": [
                {"line": one.pk, "at": one.at.isoformat(), "anonymous": bool((one.after or {}).get("anonymous"))}
                for one in named
            ],
            **({"more": more} if more else {}),
        },
    )
    AuditLog.blanking().filter(pk=line.pk).update(at=day_of(timezone.now()))
    forgetting.forget(participant)
