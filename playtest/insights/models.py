"""What personas think of the moves that were played, and a store of figures that may be emptied at any time."""

from typing import ClassVar

from django.db import models
from django.db.models import Q

from playtest.leases import Leased, LeaseState
from playtest.levels.models import AgentSpec
from playtest.studies.models import Round, Study


class Opinion(Leased):
    """Of one agent about the moves of one finished round: `playtest.insights.opinions` says what `data` holds.

    It is a pure function of round, agent and code. It goes when the round goes.
    """

    round = models.ForeignKey(Round, on_delete=models.CASCADE, related_name="opinions", db_index=False)
    agent_spec = models.ForeignKey(AgentSpec, on_delete=models.PROTECT, related_name="opinions")
    engine_digest = models.CharField(max_length=64)
    data = models.BinaryField(null=True, blank=True)

    class Meta(Leased.Meta):
        constraints: ClassVar = [
            *Leased.Meta.constraints,
            models.UniqueConstraint(fields=["round", "agent_spec", "engine_digest"], name="opinion_round"),
            models.CheckConstraint(
                condition=~Q(state=LeaseState.DONE) | Q(data__isnull=False), name="opinion_done_has_data"
            ),
        ]

    def __str__(self) -> str:
        return f"Opinion {self.pk}"


class FigureCache(models.Model):
    """The figures of one page as they were at revision `rev` of what they are made of. May be emptied at any time.

    They name participants by their codes: all of a study's go when somebody withdraws.
    """

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="+")
    key = models.CharField(max_length=64)
    """SHA-256 of what was asked: study, level, filters."""
    rev = models.CharField(max_length=64)
    """SHA-256 of what tells that rounds, decisions, playtests or opinions are newer."""
    document = models.JSONField()
    made_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["key"], name="figurecache_key")]
        # Without it, finding old rows would read every document on the way.
        indexes: ClassVar = [models.Index(fields=["made_at"], name="figurecache_made_at")]

    def __str__(self) -> str:
        return self.key
