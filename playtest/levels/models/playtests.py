"""Playtests: what agents scored on a level, with every game kept, and what-ifs, which are two of them."""

from typing import Any, ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q

from playtest.leases import Leased, LeaseState
from playtest.levels.models.agents import AgentSpec
from playtest.levels.models.asked import Asked
from playtest.levels.models.levels import LevelVersion, seed_condition

TRACE_FORMAT = 1


class ReportState(models.IntegerChoices):
    WAITING = 1, "waiting"
    RUNNING = 2, "running"
    DONE = 3, "done"
    FAILED = 4, "failed"


class Trigger(models.IntegerChoices):
    UPLOAD = 1, "upload"
    STAFF = 2, "staff"
    STUDY = 3, "study"
    COMMAND = 4, "command"
    SHOWCASE = 5, "showcase"
    """Of a persona, beside few others: it answers no question about a level or a study."""


def _only(source: str) -> Q:
    """The condition that this one of the three sources of boards is there and no other."""
    return Q(**{f"{name}__isnull": name != source for name in ("level_version", "drawn", "document")})


class PlaytestReport(Asked):
    """One question: how do these agents score on this level? The hash of all inputs makes it one row for ever.

    The boards are those of `level_version` or of `document`, the same in every game, or drawn anew for every game as
    `drawn` says.
    """

    level_version = models.ForeignKey(
        LevelVersion, on_delete=models.PROTECT, null=True, blank=True, related_name="reports"
    )
    drawn = models.JSONField(null=True, blank=True)
    """Game, size, colours and moves of boards that are drawn from the report's seed, one for each game."""
    document = models.JSONField(null=True, blank=True)
    """The level file that a what-if asks about. Once it is saved as a version of a level, the report is that one's."""
    boards_hash = models.CharField(max_length=64)
    """The level's hash, or that of `drawn`."""
    seed = models.BigIntegerField()
    games = models.PositiveIntegerField()
    iterations = models.PositiveIntegerField()
    game_version = models.PositiveIntegerField()
    engine_digest = models.CharField(max_length=64)
    trigger = models.SmallIntegerField(choices=Trigger.choices)
    state = models.SmallIntegerField(choices=ReportState.choices, default=ReportState.WAITING)
    hash = models.CharField(max_length=64)
    blocks_total = models.PositiveIntegerField()
    blocks_done = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["hash"], name="playtestreport_hash"),
            models.CheckConstraint(condition=seed_condition(), name="playtestreport_seed"),
            models.CheckConstraint(
                condition=_only("level_version") | _only("drawn") | _only("document"),
                name="playtestreport_one_source_of_boards",
            ),
            models.CheckConstraint(condition=Q(games__gte=1), name="playtestreport_games"),
            models.CheckConstraint(condition=Q(iterations__gte=1), name="playtestreport_iterations"),
            models.CheckConstraint(condition=Q(state__in=ReportState.values), name="playtestreport_state"),
            models.CheckConstraint(condition=Q(trigger__in=Trigger.values), name="playtestreport_trigger"),
            models.CheckConstraint(
                condition=Q(blocks_done__lte=models.F("blocks_total")), name="playtestreport_blocks_done"
            ),
        ]
        indexes = [models.Index(fields=["boards_hash", "id"], name="playtestreport_boards")]

    def __str__(self) -> str:
        return f"Playtest {self.pk}"

    @property
    def level_file(self) -> dict[str, Any] | None:
        """The level file of the board that is the same in every game; None where each game has its own."""
        if self.level_version is not None:
            return dict(self.level_version.document)
        document: dict[str, Any] | None = self.document
        return document

    @property
    def game(self) -> str:
        document = self.level_file or self.drawn
        assert document is not None, "a constraint of the table"
        return str(document["game"])


class WhatIf(models.Model):
    """A question about a level: what would change if it were so? Two playtests, game by game with the same seeds."""

    level_version = models.ForeignKey(LevelVersion, on_delete=models.CASCADE, related_name="what_ifs")
    base = models.ForeignKey(PlaytestReport, on_delete=models.PROTECT, related_name="+")
    """Of the level as it is."""
    report = models.ForeignKey(PlaytestReport, on_delete=models.PROTECT, related_name="+")
    """Of the changed level."""
    requested_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["level_version", "base", "report"], name="whatif_question"),
        ]

    def __str__(self) -> str:
        return f"What if {self.pk} of {self.level_version}"

    @property
    def document(self) -> dict[str, Any]:
        """The level file of the changed level."""
        document = self.report.level_file
        assert document is not None, "it is asked of one board"
        return document


class PlaytestEntry(models.Model):
    """One agent in a report. The figures are written, all at once, when its last block of games is in."""

    report = models.ForeignKey(PlaytestReport, on_delete=models.CASCADE, related_name="entries")
    agent_spec = models.ForeignKey(AgentSpec, on_delete=models.PROTECT, related_name="entries")
    position = models.PositiveSmallIntegerField()
    blocks_total = models.PositiveIntegerField()
    blocks_done = models.PositiveIntegerField(default=0)
    n = models.PositiveIntegerField(null=True, blank=True)
    score_mean = models.FloatField(null=True, blank=True)
    score_sd = models.FloatField(null=True, blank=True)
    min = models.FloatField(null=True, blank=True)
    q05 = models.FloatField(null=True, blank=True)
    q25 = models.FloatField(null=True, blank=True)
    median = models.FloatField(null=True, blank=True)
    q75 = models.FloatField(null=True, blank=True)
    q95 = models.FloatField(null=True, blank=True)
    max = models.FloatField(null=True, blank=True)
    ci_lo = models.FloatField(null=True, blank=True)
    ci_hi = models.FloatField(null=True, blank=True)
    legal_mean = models.FloatField(null=True, blank=True)
    legal_lo = models.FloatField(null=True, blank=True)
    legal_hi = models.FloatField(null=True, blank=True)
    seconds = models.FloatField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["report", "agent_spec"], name="playtestentry_agent"),
            models.CheckConstraint(
                condition=Q(blocks_done__lte=models.F("blocks_total")), name="playtestentry_blocks_done"
            ),
            models.CheckConstraint(
                condition=Q(n__isnull=True, median__isnull=True)
                | Q(n__isnull=False, median__isnull=False, blocks_done=models.F("blocks_total")),
                name="playtestentry_figures_when_done",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.agent_spec.name} in report {self.report_id}"


class TraceBlock(Leased):
    """A few games of one agent: a unit of work for a worker, and afterwards the games themselves (`traces.py`)."""

    entry = models.ForeignKey(PlaytestEntry, on_delete=models.CASCADE, related_name="blocks")
    number = models.PositiveIntegerField()
    first_game = models.PositiveIntegerField()
    games = models.PositiveSmallIntegerField()
    format = models.PositiveSmallIntegerField(default=TRACE_FORMAT)
    data = models.BinaryField(null=True, blank=True)
    sha256 = models.CharField(max_length=64, blank=True, default="")
    style = models.JSONField(null=True, blank=True)
    """What a replay of the games shows (`styles.py`). It may be emptied: it is computed again where it is missing."""

    class Meta(Leased.Meta):
        constraints: ClassVar[list[Any]] = [
            *Leased.Meta.constraints,
            models.UniqueConstraint(fields=["entry", "number"], name="traceblock_number"),
            models.CheckConstraint(condition=Q(games__gte=1, games__lte=65_535), name="traceblock_games"),
            models.CheckConstraint(
                condition=~Q(state=LeaseState.DONE) | Q(data__isnull=False), name="traceblock_done_has_data"
            ),
        ]

    def __str__(self) -> str:
        return f"Games {self.first_game} to {self.first_game + self.games - 1} of {self.entry}"
