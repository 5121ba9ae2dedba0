"""What participants see of the time that the study as a whole may take."""

from typing import Any

from django import template

from playtest.studies.document import TotalLimit
from playtest.studies.models import Participant
from playtest.studies.selectors.documents import version_document
from playtest.studies.selectors.time_left import StudyTime, study_time_of

register = template.Library()


@register.simple_tag(takes_context=True)
def study_time(context: dict[str, Any]) -> StudyTime | None:
    """How the page's participant stands with the time of the study; None where none runs."""
    participant = context.get("participant")
    return study_time_of(participant) if isinstance(participant, Participant) else None


@register.simple_tag
def study_limit(participant: Participant) -> TotalLimit | None:
    """What the study allows in all, for who has not agreed yet."""
    return version_document(participant.version).limits.total
