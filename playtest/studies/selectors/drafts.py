"""What pages read of drafts and versions of a study."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count

from playtest.accounts.models import AuditLog
from playtest.studies.choices import Kind, Status
from playtest.studies.models import Participant, Study, StudyVersion

UNDER_WAY = (Status.STARTED, Status.CONSENTED, Status.ACTIVE)


@dataclass(frozen=True)
class LastChange:
    """Who changed a draft last, and when."""

    who: str
    at: datetime


def draft_last_change(*, study: Study) -> LastChange | None:
    """The last change of the draft, or None if nobody changed it since it was made."""
    own = AuditLog.objects.filter(object_type=Study._meta.label_lower, object_id=study.pk)
    changes = own.filter(action__in=["study.draft", "study.import"]).select_related("actor")
    line = changes.order_by("-id").first()
    return LastChange(line.actor.get_username() if line.actor else "the program", line.at) if line else None


def people_under_way(*, study: Study) -> dict[int, int]:
    """How many people have begun and not ended, by the number of their version."""
    rows = Participant.objects.filter(study=study, kind=Kind.PERSON, status__in=UNDER_WAY)
    return dict(rows.values_list("version__number").annotate(Count("pk")).order_by("version__number"))


def version_published(*, study: Study, number: int) -> StudyVersion | None:
    """A published version by its number. Previewed drafts have none."""
    return StudyVersion.objects.filter(study=study, number=number, number__gte=1).first()
