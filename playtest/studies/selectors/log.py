"""The log of a study, and what its lines call participants, rounds and places."""

from collections.abc import Iterable

from django.db.models import Q, QuerySet

from playtest.accounts.models import AuditLog
from playtest.studies.models import Participant, Round, Slot, Study

STUDY, PARTICIPANT, ROUND, SLOT = (model._meta.label_lower for model in (Study, Participant, Round, Slot))
GONE = "somebody who withdrew"
WITHDRAWN = "participant.withdrawn"
"""The line that a withdrawal leaves. It names earlier exports that held the participant."""


def study_log(*, study: Study) -> QuerySet[AuditLog]:
    """What was done to a study, its participants, their rounds and its places, the newest first.

    Lines about people name their study, so they are found also after a withdrawal took the rows.
    """
    lines = AuditLog.objects.filter(
        Q(object_type=STUDY, object_id=study.pk)
        | Q(object_type__in=[PARTICIPANT, ROUND], after__study=study.pk)
        | Q(object_type=SLOT, object_id__in=Slot.objects.filter(version__study=study).values("pk"))
    )
    return lines.select_related("actor").order_by("-id")


def log_names(rows: Iterable[AuditLog]) -> dict[tuple[str, int | None], str]:
    """What the participants, rounds and places of these lines are called: by code, in three queries."""
    lines = [(row, row.object_id) for row in rows if row.object_id is not None]
    wanted = {kind: {pk for row, pk in lines if row.object_type == kind} for kind in (PARTICIPANT, ROUND, SLOT)}
    codes = dict(Participant.objects.filter(pk__in=wanted[PARTICIPANT]).values_list("pk", "code"))
    rounds = Round.objects.filter(pk__in=wanted[ROUND]).values_list("pk", "participant__code")
    players = dict(rounds)
    holders = dict(Slot.objects.filter(pk__in=wanted[SLOT]).values_list("pk", "participant__code"))
    names: dict[tuple[str, int | None], str] = {}
    for row, pk in lines:
        key = row.object_type, pk
        if row.object_type == PARTICIPANT:
            names[key] = codes.get(pk) or GONE
        elif row.object_type == ROUND:
            # The label was written as “Participant 3, round 2.1”; the number of the row is nobody's name.
            _, _, place = row.object_label.partition(", ")
            names[key] = f"{players.get(pk) or GONE}, {place or row.object_label}"
        elif row.object_type == SLOT:
            names[key] = holders.get(pk) or "nobody any more"
    return names
