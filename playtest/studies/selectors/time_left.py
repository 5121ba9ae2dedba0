"""How a participant stands with the time of the study as a whole, for the pages that show it."""

from dataclasses import dataclass

from django.utils import timezone

from playtest.studies.choices import Status
from playtest.studies.models import Participant
from playtest.studies.selectors.documents import version_document


@dataclass(frozen=True)
class StudyTime:
    """Milliseconds: what is left, from how much left on people are warned, what they may have more, and how often."""

    left_ms: int
    warn_ms: int
    more_ms: int
    more_left: int

    @property
    def is_near(self) -> bool:
        return self.left_ms <= self.warn_ms

    @property
    def figure(self) -> str:
        """What is left, in minutes and seconds."""
        minutes, seconds = divmod(round(self.left_ms / 1000), 60)
        return f"{minutes}:{seconds:02}"


def study_time_of(participant: Participant) -> StudyTime | None:
    """None where no time runs: without a limit, before the consent and after the end."""
    limit = version_document(participant.version).limits.total
    if limit is None or participant.ends_at is None or participant.status != Status.ACTIVE:
        return None
    left = (participant.ends_at - timezone.now()).total_seconds()
    more_left = max(0, limit.more_times - participant.extensions)
    return StudyTime(
        left_ms=max(0, round(left * 1000)),
        warn_ms=limit.warn * 60_000,
        more_ms=limit.more_minutes * 60_000 if more_left else 0,
        more_left=more_left,
    )
