"""Rounds and what happened in them. A board is never stored: level and moves give it back."""

from typing import ClassVar

from django.db import models
from django.db.models import Q

from playtest.immutable import ImmutableRow
from playtest.levels.models import LevelVersion, seed_condition
from playtest.studies.choices import AttemptReason, EndReason, EventKind, InputMode, Kind, MoveKind, Purpose, RoundState
from playtest.studies.models.participants import Participant


class Round(models.Model):
    """One play of one level by one participant. Inserted at assignment, so that boards are fixed before they are seen.

    `seq` counts the stored moves and undos, `play_epoch` how often a socket took the round: both are conditions of
    every write (`services/moves.py`), so a process with an old picture of the round cannot change it.
    """

    participant = models.ForeignKey(Participant, on_delete=models.CASCADE, related_name="rounds")
    kind = models.SmallIntegerField(choices=Kind.choices)
    purpose = models.SmallIntegerField(choices=Purpose.choices, default=Purpose.SCORED)
    position = models.PositiveSmallIntegerField()
    attempt = models.PositiveSmallIntegerField(default=1)
    key = models.CharField(max_length=40)
    """The round's key in the study's document."""
    level_version = models.ForeignKey(
        LevelVersion, on_delete=models.PROTECT, null=True, blank=True, related_name="rounds"
    )
    level = models.JSONField(null=True, blank=True)
    """The level file of a round that is not in the library: drawn for this participant."""
    level_hash = models.CharField(max_length=64)
    game = models.CharField(max_length=40)
    game_version = models.PositiveIntegerField()
    seed = models.BigIntegerField()
    state = models.SmallIntegerField(choices=RoundState.choices, default=RoundState.PLANNED)
    reason = models.SmallIntegerField(choices=EndReason.choices, null=True, blank=True)
    seq = models.PositiveIntegerField(default=0)
    play_epoch = models.PositiveIntegerField(default=0)
    tab = models.CharField(max_length=36, blank=True, default="")
    score = models.IntegerField(default=0)
    moves_used = models.PositiveIntegerField(default=0)
    attempts = models.PositiveIntegerField(default=0)
    started_at = models.DateTimeField(null=True, blank=True)
    last_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    ends_at = models.DateTimeField(null=True, blank=True)
    """When the time of the round is up, by the database's clock; null before it is opened and without a limit."""
    extensions = models.PositiveSmallIntegerField(default=0, db_default=0)
    """How often the participant asked for more time and got it."""
    check_hex = models.CharField(max_length=16, blank=True, default="")
    """`Round.check()` of the engine after the last move."""

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["participant", "purpose", "position", "attempt"], name="round_position"),
            models.UniqueConstraint(fields=["participant"], condition=Q(state=RoundState.OPEN), name="round_one_open"),
            models.CheckConstraint(
                condition=Q(level_version__isnull=False, level__isnull=True)
                | Q(level_version__isnull=True, level__isnull=False),
                name="round_one_level",
            ),
            models.CheckConstraint(condition=seed_condition(), name="round_seed"),
            models.CheckConstraint(condition=Q(kind__in=Kind.values), name="round_kind"),
            models.CheckConstraint(condition=Q(purpose__in=Purpose.values), name="round_purpose"),
            models.CheckConstraint(condition=Q(state__in=RoundState.values), name="round_state"),
            models.CheckConstraint(
                condition=Q(reason__isnull=True) | Q(reason__in=EndReason.values), name="round_reason"
            ),
            models.CheckConstraint(
                condition=~Q(state=RoundState.DONE) | Q(reason__isnull=False, ended_at__isnull=False),
                name="round_done_has_reason",
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["level_hash", "kind", "state"], name="round_level"),
            models.Index(
                fields=["ends_at"], condition=Q(state=RoundState.OPEN, ends_at__isnull=False), name="round_time"
            ),
        ]

    def __str__(self) -> str:
        return f"Round {self.label}"

    @property
    def label(self) -> str:
        """`position.attempt` among the participant's own rounds: what the protocol calls `round`."""
        return f"{self.position}.{self.attempt}"


class Move(ImmutableRow):
    """A stored move. Its two unique constraints are the second wall behind the fence."""

    round = models.ForeignKey(Round, on_delete=models.CASCADE, related_name="moves", db_index=False)
    seq = models.PositiveIntegerField()
    kind = models.SmallIntegerField(choices=MoveKind.choices, default=MoveKind.MOVE)
    client_id = models.CharField(max_length=36)
    action = models.IntegerField(null=True, blank=True)
    """The engine's action code; null for an undo."""
    reversed = models.BooleanField(default=False)
    """Whether the person began with the right or lower cell."""
    gained = models.IntegerField()
    score_after = models.IntegerField()
    steps = models.PositiveSmallIntegerField()
    cleared = models.PositiveIntegerField()
    legal_before = models.PositiveIntegerField()
    reshuffles = models.PositiveSmallIntegerField(default=0)
    check_hex = models.CharField(max_length=16)
    received_at = models.DateTimeField()
    think_ms = models.PositiveIntegerField(null=True, blank=True)
    anim_ms = models.PositiveIntegerField(null=True, blank=True)
    hidden_ms = models.PositiveIntegerField(null=True, blank=True)
    server_ms = models.PositiveIntegerField(null=True, blank=True)
    rtt_ms = models.PositiveIntegerField(null=True, blank=True)
    flags = models.PositiveSmallIntegerField(default=0)
    """Bits of `MoveFlag`."""
    input = models.SmallIntegerField(choices=InputMode.choices, null=True, blank=True)
    conn = models.PositiveIntegerField()
    """The `play_epoch` under which it was played: one a connection."""

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["round", "seq"], name="move_seq"),
            models.UniqueConstraint(fields=["round", "client_id"], name="move_client_id"),
            models.CheckConstraint(condition=Q(seq__gte=1), name="move_seq_positive"),
            models.CheckConstraint(
                condition=Q(kind=MoveKind.MOVE, action__isnull=False) | Q(kind=MoveKind.UNDO, action__isnull=True),
                name="move_action",
            ),
            models.CheckConstraint(condition=Q(input__isnull=True) | Q(input__in=InputMode.values), name="move_input"),
        ]

    def __str__(self) -> str:
        return f"Move {self.seq}"


class Attempt(ImmutableRow):
    """A swap that made no match: it went back and cost nothing."""

    round = models.ForeignKey(Round, on_delete=models.CASCADE, related_name="tries", db_index=False)
    before_seq = models.PositiveIntegerField()
    """The number that the move would have had."""
    client_id = models.CharField(max_length=36)
    action = models.JSONField()
    reason = models.SmallIntegerField(choices=AttemptReason.choices)
    received_at = models.DateTimeField()
    think_ms = models.PositiveIntegerField(null=True, blank=True)
    input = models.SmallIntegerField(choices=InputMode.choices, null=True, blank=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["round", "client_id"], name="attempt_client_id"),
            models.CheckConstraint(condition=Q(reason__in=AttemptReason.values), name="attempt_reason"),
            models.CheckConstraint(
                condition=Q(input__isnull=True) | Q(input__in=InputMode.values), name="attempt_input"
            ),
        ]

    def __str__(self) -> str:
        return f"Attempt before {self.before_seq}"


class Event(models.Model):
    """What else happened: visibility, connections, settings. At most 2,000 a participant."""

    participant = models.ForeignKey(Participant, on_delete=models.CASCADE, related_name="events", db_index=False)
    round = models.ForeignKey(Round, on_delete=models.CASCADE, null=True, blank=True, related_name="events")
    kind = models.SmallIntegerField(choices=EventKind.choices)
    received_at = models.DateTimeField()
    client_ms = models.PositiveIntegerField(null=True, blank=True)
    conn = models.PositiveIntegerField(null=True, blank=True)
    data = models.TextField(default="{}")
    """JSON text in ASCII, at most 1 kB."""

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(kind__in=EventKind.values), name="event_kind"),
        ]
        indexes: ClassVar = [models.Index(fields=["participant", "id"], name="event_participant")]

    def __str__(self) -> str:
        return self.get_kind_display()
