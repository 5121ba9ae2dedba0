"""Agents as data, and which of them play unless others are named."""

from django.db import models
from django.db.models import Q

from playtest.immutable import ImmutableRow


class AgentKind(models.IntegerChoices):
    RANDOM = 1, "random"
    GREEDY = 2, "greedy"
    MCTS = 3, "mcts"
    FORMULA = 4, "formula"
    SOLVER = 5, "solver"


class AgentSpec(ImmutableRow):
    """An agent as data: the document from which `personas.agent_from_document` makes the agent again."""

    kind = models.SmallIntegerField(choices=AgentKind.choices)
    spec = models.JSONField()
    clairvoyant = models.BooleanField(default=False)
    hash = models.CharField(max_length=64)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["hash"], name="agentspec_hash"),
            models.CheckConstraint(condition=Q(kind__in=AgentKind.values), name="agentspec_kind"),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def name(self) -> str:
        """The name that the document gives the agent."""
        return str(self.spec.get("name") or self.get_kind_display())

    @property
    def objective(self) -> str:
        """maxs, mins, maxm or minm for a persona, else empty.

        Plain tree search is the yardstick unless its document says where it comes from: then it is a persona too.
        """
        is_persona = self.kind == AgentKind.FORMULA or (self.kind == AgentKind.MCTS and "source" in self.spec)
        return str(self.spec.get("objective") or "") if is_persona else ""

    @property
    def game(self) -> str:
        """The only game that the agent plays, empty for one that plays all."""
        return str(self.spec.get("game") or "")


class DefaultAgent(models.Model):
    """Which agents a report on a level of a game plays unless others are named, and in which order.

    One that an admin left out stays as a row that is not `offered`: the next start would bring it back otherwise.
    """

    game = models.CharField(max_length=40)
    slug = models.SlugField(max_length=80)
    position = models.PositiveSmallIntegerField()
    agent_spec = models.ForeignKey(AgentSpec, on_delete=models.PROTECT, related_name="default_of")
    offered = models.BooleanField(default=True, db_default=True)

    class Meta:
        ordering = ["game", "position", "id"]
        constraints = [
            models.UniqueConstraint(fields=["game", "slug"], name="defaultagent_slug"),
            models.UniqueConstraint(fields=["game", "agent_spec"], name="defaultagent_agent"),
        ]

    def __str__(self) -> str:
        return self.slug
