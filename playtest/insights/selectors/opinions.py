"""How far the personas are with their opinions about the moves of a study."""

from dataclasses import dataclass

from django.db.models import Count, Max, Q

from playtest.insights.models import Opinion
from playtest.leases import LeaseState
from playtest.levels.digest import engine_digest
from playtest.studies.choices import Kind, Purpose, RoundState
from playtest.studies.models import Round, Study


@dataclass(frozen=True)
class OpinionsShown:
    """`rounds` could be looked at, `looked_at` have been by somebody; the others count opinions."""

    rounds: int
    looked_at: int
    asked: int
    done: int
    failed: int
    error: str

    @property
    def waiting(self) -> int:
        return self.asked - self.done - self.failed

    @property
    def percent(self) -> int:
        return round(100 * self.done / self.asked) if self.asked else 0

    @property
    def missing(self) -> int:
        """Rounds that nobody was asked about."""
        return max(0, self.rounds - self.looked_at)

    @property
    def rev(self) -> str:
        return f"{self.rounds}.{self.asked}.{self.done}.{self.failed}"


def opinions_shown(*, study: Study) -> OpinionsShown:
    """In two queries."""
    rounds = Round.objects.filter(
        participant__study=study,
        kind__in=(Kind.PERSON, Kind.BOT),
        purpose=Purpose.SCORED,
        state=RoundState.DONE,
        moves_used__gt=0,
    ).count()
    found = Opinion.objects.filter(round__participant__study=study, engine_digest=engine_digest()).aggregate(
        asked=Count("pk"),
        looked_at=Count("round_id", distinct=True),
        done=Count("pk", filter=Q(state=LeaseState.DONE)),
        failed=Count("pk", filter=Q(state=LeaseState.FAILED)),
        error=Max("error", filter=Q(state=LeaseState.FAILED)),
    )
    return OpinionsShown(
        rounds, found["looked_at"], found["asked"], found["done"], found["failed"], found["error"] or ""
    )
