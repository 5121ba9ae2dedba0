"""What staff decided of a participant or a round: whether figures count it, and why."""

from typing import ClassVar

from django.db import models
from django.db.models import Q

from playtest.accounts.models import User
from playtest.immutable import ImmutableRow
from playtest.studies.choices import Use
from playtest.studies.models.participants import Participant
from playtest.studies.models.play import Round


class Annotation(ImmutableRow):
    """A decision with its reason. A newer one supersedes it and it stays; it goes with the participant's data.

    Being left out is never a state of the participant: whoever is left out may go on playing and does not notice.
    """

    participant = models.ForeignKey(Participant, on_delete=models.CASCADE, related_name="annotations", db_index=False)
    round = models.ForeignKey(Round, on_delete=models.CASCADE, null=True, blank=True, related_name="annotations")
    """Null where the decision is about the participant as a whole."""
    use = models.SmallIntegerField(choices=Use.choices)
    reason = models.TextField()
    by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    at = models.DateTimeField()
    superseded_by = models.ForeignKey("self", on_delete=models.CASCADE, null=True, blank=True, related_name="+")
    """The next decision on the same; null for the one that holds. While the next is written it names itself."""

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["participant"],
                condition=Q(superseded_by__isnull=True, round__isnull=True),
                name="annotation_participant",
            ),
            models.UniqueConstraint(
                fields=["participant", "round"],
                condition=Q(superseded_by__isnull=True, round__isnull=False),
                name="annotation_round",
            ),
            models.CheckConstraint(condition=Q(use__in=Use.values), name="annotation_use"),
            models.CheckConstraint(condition=~Q(reason=""), name="annotation_reason"),
        ]
        indexes: ClassVar = [models.Index(fields=["participant", "id"], name="annotation_history")]

    def __str__(self) -> str:
        return f"{self.get_use_display()}: {self.reason}"

    @classmethod
    def superseding(cls) -> models.QuerySet["Annotation"]:
        """A query set that may set `superseded_by`, which is all that ever changes."""
        return models.QuerySet(cls)
