"""Levels and their versions."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from playtest.immutable import ImmutableRow
from playtest.levels.board_key import board_key

SEED_LIMIT = 2**53


def seed_condition(field: str = "seed") -> Q:
    """The condition that every stored seed meets: JavaScript and both databases keep such integers exactly."""
    return Q(**{f"{field}__gte": 0, f"{field}__lt": SEED_LIMIT})


class Level(models.Model):
    """What a designer calls a level: a name and its versions. Archived, never deleted while a version is used."""

    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="levels"
    )
    name = models.CharField(max_length=120)
    shipped = models.SlugField(max_length=80, null=True, blank=True, editable=False)
    """The slug of a level that comes with the program, else null."""
    tags = models.JSONField(default=list, blank=True)
    archived_at = models.DateTimeField(null=True, blank=True)
    current = models.ForeignKey(
        "LevelVersion", on_delete=models.PROTECT, null=True, blank=True, related_name="current_of"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["shipped"], name="level_shipped")]

    def __str__(self) -> str:
        return self.name


class LevelVersion(ImmutableRow):
    """A level as it was at one time. The hash covers what changes play, not the name."""

    level = models.ForeignKey(Level, on_delete=models.CASCADE, related_name="versions")
    number = models.PositiveIntegerField()
    game = models.CharField(max_length=40)
    game_version = models.PositiveIntegerField()
    rows = models.PositiveSmallIntegerField()
    cols = models.PositiveSmallIntegerField()
    colours = models.PositiveSmallIntegerField()
    moves = models.PositiveIntegerField(null=True, blank=True)
    horizon = models.PositiveIntegerField(null=True, blank=True)
    seed = models.BigIntegerField()
    document = models.JSONField()
    """The level file. Its board is always there."""
    hash = models.CharField(max_length=64)
    start_legal = models.PositiveIntegerField()
    """Number of legal actions on the start board."""
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    note = models.TextField(blank=True, default="")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["level", "number"], name="levelversion_number"),
            models.UniqueConstraint(fields=["level", "hash"], name="levelversion_level_hash"),
            models.CheckConstraint(condition=seed_condition(), name="levelversion_seed"),
            models.CheckConstraint(condition=Q(number__gte=1), name="levelversion_number_positive"),
        ]
        indexes = [models.Index(fields=["hash"], name="levelversion_hash")]

    def __str__(self) -> str:
        return f"{self.level.name} v{self.number}"

    @property
    def board_key(self) -> str:
        """Under which key searches for the best play of its board are kept."""
        return board_key(self.document)
