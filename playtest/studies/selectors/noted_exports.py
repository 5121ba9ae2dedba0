"""Which exports, as the audit log has them, held somebody: by what was asked for, and by when it was."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from playtest.accounts.models import AuditLog
from playtest.studies.choices import Kind, Status
from playtest.studies.models import Participant, Study, Transition

EXPORT = "study.export"
BEFORE_READING = timedelta(minutes=1)
"""An export is noted before it reads. What happened so soon afterwards may be in it, too."""


def exports_holding(*, participant: Participant, states: Sequence[Transition]) -> list[AuditLog]:
    """The lines of exports of the study that held the participant, the oldest first.

    `states` are the steps of the participant by number, with their times.
    """
    lines = AuditLog.objects.filter(
        object_type=Study._meta.label_lower,
        object_id=participant.study_id,
        action=EXPORT,
        at__gte=participant.started_at - BEFORE_READING,
    )
    version = participant.version.number
    return [line for line in lines.order_by("pk") if _held(line, participant, version, states)]


def _held(line: AuditLog, participant: Participant, version: int, states: Sequence[Transition]) -> bool:
    asked: Mapping[str, Any] = (line.after or {}).get("filters") or {}
    before = [step for step in states if step.at <= line.at][-1:]
    soon = [step for step in states if line.at < step.at <= line.at + BEFORE_READING]
    names = {str(Status(step.to_status).label) for step in [*before, *soon]}
    return (
        _is_among(asked.get("kind"), {str(Kind(participant.kind).label)})
        and _is_among(asked.get("version"), {version})
        and _is_among(asked.get("status"), names)
    )


def _is_among(asked: Any, found: set[Any]) -> bool:
    """Whether one of these was asked for; all are where no list says which."""
    return not isinstance(asked, list) or bool(found & set(asked))
