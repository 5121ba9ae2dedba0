"""Participants: who takes part, in which state, what they agreed to and what they answered."""

from typing import ClassVar

from django.db import models
from django.db.models import Q

from playtest.immutable import ImmutableRow
from playtest.levels.models import seed_condition
from playtest.studies.choices import Cause, Decision, Kind, Missing, SlotState, Status
from playtest.studies.identity import person_mark
from playtest.studies.models.study import Cell, Link, Study, StudyVersion


class Participant(models.Model):
    """Somebody, or some bot, that started a study. After withdrawal an empty row that only counts.

    No address of a computer and no name of a browser is kept. Identity is the cookie; the table has its SHA-256.
    """

    public_id = models.CharField(max_length=22)
    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="participants")
    version = models.ForeignKey(StudyVersion, on_delete=models.PROTECT, related_name="participants")
    link = models.ForeignKey(Link, on_delete=models.SET_NULL, null=True, blank=True, related_name="participants")
    kind = models.SmallIntegerField(choices=Kind.choices)
    code = models.CharField(max_length=16, null=True, blank=True)
    """What a participant may be asked for, and gives the researchers at the end."""
    recruiter = models.CharField(max_length=40, null=True, blank=True)
    recruiter_id = models.CharField(max_length=200, null=True, blank=True)
    token_hash = models.CharField(max_length=64, null=True, blank=True)
    status = models.SmallIntegerField(choices=Status.choices, default=Status.STARTED)
    step = models.PositiveSmallIntegerField(default=0)
    """Index of the page that was reached, for the monitor; what is due is decided from what is stored."""
    assignment = models.PositiveIntegerField(null=True, blank=True)
    seed = models.BigIntegerField(null=True, blank=True)
    language = models.CharField(max_length=16, null=True, blank=True)
    query = models.TextField(null=True, blank=True)
    """The parameters of the link as JSON text, with repeated values, or null."""
    started_at = models.DateTimeField()
    last_seen_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True, blank=True)
    outcome_code = models.CharField(max_length=64, null=True, blank=True)
    ends_at = models.DateTimeField(null=True, blank=True)
    """When the time for the study is up, by the database's clock; null before the consent and without a limit."""
    extensions = models.PositiveSmallIntegerField(default=0, db_default=0)
    """How often the participant asked for more time for the study and got it."""
    given_minutes = models.PositiveIntegerField(default=0, db_default=0)
    """Minutes that staff gave on top."""

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["public_id"], name="participant_public_id"),
            models.UniqueConstraint(fields=["token_hash"], name="participant_token"),
            models.UniqueConstraint(fields=["study", "code"], name="participant_code"),
            models.UniqueConstraint(
                fields=["study", "recruiter", "recruiter_id"],
                condition=Q(recruiter_id__isnull=False),
                name="participant_recruiter_id",
            ),
            models.UniqueConstraint(
                fields=["version", "kind", "assignment"],
                condition=Q(assignment__isnull=False),
                name="participant_assignment",
            ),
            models.CheckConstraint(condition=Q(kind__in=Kind.values), name="participant_kind"),
            models.CheckConstraint(condition=Q(status__in=Status.values), name="participant_status"),
            models.CheckConstraint(condition=Q(seed__isnull=True) | seed_condition(), name="participant_seed"),
            models.CheckConstraint(
                condition=~Q(status=Status.WITHDRAWN) | Q(token_hash__isnull=True, seed__isnull=True),
                name="participant_withdrawn_is_empty",
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["study", "kind", "status"], name="participant_funnel"),
            models.Index(fields=["study", "last_seen_at"], name="participant_last_seen"),
            models.Index(
                fields=["ends_at"],
                condition=Q(status=Status.ACTIVE, ends_at__isnull=False),
                name="participant_time",
            ),
        ]

    def __str__(self) -> str:
        return self.code or f"Participant {self.pk}"

    @property
    def is_preview(self) -> bool:
        return self.kind == Kind.PREVIEW

    @property
    def link_label(self) -> str:
        """The label of the link by which they came; empty without one."""
        return (self.link.label if self.link else None) or ""

    @property
    def mark(self) -> str:
        """What pages of this participant send along: see `person_mark`."""
        return person_mark(self.public_id)


class Transition(ImmutableRow):
    """The history of a participant's states."""

    participant = models.ForeignKey(Participant, on_delete=models.CASCADE, related_name="transitions", db_index=False)
    number = models.PositiveSmallIntegerField()
    from_status = models.SmallIntegerField(choices=Status.choices, null=True)
    to_status = models.SmallIntegerField(choices=Status.choices)
    at = models.DateTimeField()
    cause = models.SmallIntegerField(choices=Cause.choices)
    by = models.ForeignKey("accounts.User", on_delete=models.SET_NULL, null=True, blank=True, related_name="+")

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["participant", "number"], name="transition_number"),
            models.CheckConstraint(condition=Q(to_status__in=Status.values), name="transition_to"),
            models.CheckConstraint(condition=Q(cause__in=Cause.values), name="transition_cause"),
        ]

    def __str__(self) -> str:
        return f"{self.number}: {self.get_to_status_display()}"


class Slot(models.Model):
    """A place in the order of assignments. A lost one is given again as its next attempt."""

    version = models.ForeignKey(StudyVersion, on_delete=models.CASCADE, related_name="slots")
    kind = models.SmallIntegerField(choices=Kind.choices)
    number = models.PositiveIntegerField()
    attempt = models.PositiveSmallIntegerField(default=1)
    cell = models.ForeignKey(Cell, on_delete=models.CASCADE, related_name="slots")
    participant = models.ForeignKey(Participant, on_delete=models.SET_NULL, null=True, blank=True, related_name="slots")
    state = models.SmallIntegerField(choices=SlotState.choices, default=SlotState.HELD)
    reissued = models.BooleanField(default=False)
    """Whether the next attempt of a lost slot was given to somebody."""

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["version", "kind", "number", "attempt"], name="slot_attempt"),
            models.CheckConstraint(condition=Q(kind__in=Kind.values), name="slot_kind"),
            models.CheckConstraint(condition=Q(state__in=SlotState.values), name="slot_state"),
        ]
        indexes: ClassVar = [
            models.Index(
                fields=["version", "kind", "number"],
                condition=Q(state=SlotState.LOST, reissued=False),
                name="slot_lost",
            ),
        ]

    def __str__(self) -> str:
        return f"Slot {self.number}.{self.attempt}"


class Consent(ImmutableRow):
    """That somebody agreed or declined, to which words and when. It outlives the participant without naming them."""

    version = models.ForeignKey(StudyVersion, on_delete=models.PROTECT, related_name="consents")
    version_hash = models.CharField(max_length=64)
    text_hash = models.CharField(max_length=64)
    language = models.CharField(max_length=16)
    decision = models.SmallIntegerField(choices=Decision.choices)
    at = models.DateTimeField()
    """Cut to the day after withdrawal."""
    withdrawn_at = models.DateTimeField(null=True, blank=True)
    participant = models.ForeignKey(
        Participant, on_delete=models.SET_NULL, null=True, blank=True, related_name="consents"
    )

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(decision__in=Decision.values), name="consent_decision"),
        ]

    def __str__(self) -> str:
        return f"{self.get_decision_display()} {self.at:%Y-%m-%d}"


class PageVisit(models.Model):
    """A page that was sent in. The second submit finds the first."""

    participant = models.ForeignKey(Participant, on_delete=models.CASCADE, related_name="visits", db_index=False)
    page_key = models.CharField(max_length=48)
    """The key of a questionnaire; or of the rounds page and the position of the round that it followed: `rounds.3`."""
    visit_id = models.CharField(max_length=22)
    """Made when the page was shown; tells a doubled submit from one of another showing."""
    shown_at = models.DateTimeField(null=True, blank=True)
    submitted_at = models.DateTimeField()
    shown_ms = models.PositiveIntegerField(null=True, blank=True)
    hidden_ms = models.PositiveIntegerField(null=True, blank=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["participant", "page_key"], name="pagevisit_page"),
        ]

    def __str__(self) -> str:
        return self.page_key


class Answer(models.Model):
    """One answer. `value` is JSON text in ASCII, so that every text survives on every database."""

    visit = models.ForeignKey(PageVisit, on_delete=models.CASCADE, related_name="answers")
    participant = models.ForeignKey(Participant, on_delete=models.CASCADE, related_name="answers", db_index=False)
    page_key = models.CharField(max_length=48)
    item_key = models.CharField(max_length=40)
    value = models.TextField()
    number = models.FloatField(null=True, blank=True)
    missing = models.SmallIntegerField(choices=Missing.choices, default=Missing.NO)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["participant", "page_key", "item_key"], name="answer_item"),
            models.CheckConstraint(condition=Q(missing__in=Missing.values), name="answer_missing"),
        ]
        indexes: ClassVar = [models.Index(fields=["page_key", "item_key"], name="answer_items")]

    def __str__(self) -> str:
        return f"{self.page_key}.{self.item_key}"
