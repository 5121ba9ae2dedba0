"""Searches for par: solvers that look for the best play of a level, restart by restart."""

from typing import Any, ClassVar

from django.db import models
from django.db.models import F, Q

from playtest.leases import Leased
from playtest.levels.models.asked import Asked
from playtest.levels.models.levels import LevelVersion, seed_condition


class SearchState(models.IntegerChoices):
    WAITING = 1, "waiting"
    RUNNING = 2, "running"
    DONE = 3, "done"
    FAILED = 4, "failed"
    CANCELLED = 5, "cancelled"


UNFINISHED_SEARCH = (SearchState.WAITING, SearchState.RUNNING)


class ParSearch(Asked):
    """One search for the best play of a version's board, by one solver, in restarts that workers share."""

    level_version = models.ForeignKey(LevelVersion, on_delete=models.PROTECT, related_name="par_searches")
    boards_hash = models.CharField(max_length=64)
    """The version's `board_key`: whatever scores so has this par, under any name and seed."""
    game_version = models.PositiveIntegerField()
    solver = models.CharField(max_length=40)
    parameters = models.JSONField()
    """The value of every parameter of the solver."""
    seconds = models.PositiveIntegerField()
    """Of search in all: the sum over the restarts."""
    seed = models.BigIntegerField()
    state = models.SmallIntegerField(choices=SearchState.choices, default=SearchState.WAITING)
    restarts_total = models.PositiveIntegerField()
    restarts_done = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=seed_condition(), name="parsearch_seed"),
            models.CheckConstraint(condition=Q(seconds__gte=1), name="parsearch_seconds"),
            models.CheckConstraint(condition=Q(state__in=SearchState.values), name="parsearch_state"),
            models.CheckConstraint(
                condition=Q(restarts_total__gte=1, restarts_done__lte=F("restarts_total")), name="parsearch_restarts"
            ),
        ]
        indexes = [models.Index(fields=["boards_hash", "id"], name="parsearch_boards")]

    def __str__(self) -> str:
        return f"Search {self.pk} for par of {self.level_version}"

    @property
    def is_shipped(self) -> bool:
        """Whether it was made before, elsewhere, and its play came with the program: here it never began."""
        return self.state == SearchState.DONE and self.started_at is None


class Restart(Leased):
    """One run of a search's solver with a seed of its own. Its best play so far is stored while it runs."""

    search = models.ForeignKey(ParSearch, on_delete=models.CASCADE, related_name="restarts")
    number = models.PositiveIntegerField()
    limit = models.FloatField()
    """Seconds that it may search."""
    spent = models.FloatField(default=0.0)
    """Part of them that is gone, 0 to 1."""
    score = models.IntegerField(null=True, blank=True)
    codes = models.JSONField(null=True, blank=True)
    """Action codes of the best play so far, of which the rules make `score`."""
    cleared = models.BooleanField(default=False)
    found_after = models.FloatField(null=True, blank=True)
    """Seconds of this restart after which that play was found. Of one that came with the program: all of them."""
    nodes = models.BigIntegerField(default=0)

    class Meta(Leased.Meta):
        constraints: ClassVar[list[Any]] = [
            *Leased.Meta.constraints,
            models.UniqueConstraint(fields=["search", "number"], name="restart_number"),
            models.CheckConstraint(condition=Q(limit__gt=0), name="restart_limit"),
            models.CheckConstraint(condition=Q(spent__gte=0, spent__lte=1), name="restart_spent"),
            models.CheckConstraint(
                condition=Q(score__isnull=True, codes__isnull=True, found_after__isnull=True)
                | Q(score__isnull=False, codes__isnull=False, found_after__isnull=False),
                name="restart_score_with_its_play",
            ),
        ]

    def __str__(self) -> str:
        return f"Restart {self.number} of {self.search}"
