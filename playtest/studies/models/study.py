"""A study, its frozen versions, and how their rounds are shared out."""

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q

from playtest.immutable import ImmutableRow
from playtest.studies.choices import Admission, Kind, LinkMode, StudyState


class Study(models.Model):
    """What a designer calls a study. The draft is its only form that can be edited; people see versions."""

    public_id = models.CharField(max_length=22)
    slug = models.SlugField(max_length=80)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="studies"
    )
    title = models.CharField(max_length=200)
    state = models.SmallIntegerField(choices=StudyState.choices, default=StudyState.DRAFT)
    admission = models.SmallIntegerField(
        choices=Admission.choices, default=Admission.ADDRESS, db_default=Admission.ADDRESS
    )
    """Who may start. No part of the draft: a copy, a file or a new version says nothing of it."""
    draft = models.JSONField()
    draft_number = models.PositiveIntegerField(default=1)
    """Rises with every change of the draft: who saves says which one they saw."""
    removed = models.JSONField(null=True, blank=True)
    """The page or entry that was taken out of the draft last, with its place, so that it can be put back."""
    published = models.ForeignKey(
        "StudyVersion", on_delete=models.PROTECT, null=True, blank=True, related_name="published_for"
    )
    sealed_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["public_id"], name="study_public_id"),
            models.UniqueConstraint(fields=["slug"], name="study_slug"),
            models.CheckConstraint(condition=Q(state__in=StudyState.values), name="study_state"),
            models.CheckConstraint(condition=Q(admission__in=Admission.values), name="study_admission"),
            models.CheckConstraint(
                condition=Q(state=StudyState.DRAFT) | Q(published__isnull=False), name="study_open_is_published"
            ),
        ]

    def __str__(self) -> str:
        return self.title


class StudyVersion(ImmutableRow):
    """What participants see: texts, questions, levels, order. Level files are embedded, so it stands by itself.

    Number 0 is a draft that was previewed: no version that anybody was given, and deleted when its previews are.
    """

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="versions")
    number = models.PositiveIntegerField()
    document = models.JSONField()
    hash = models.CharField(max_length=64)
    game_versions = models.JSONField()
    """The version of the rules of each game that is played, by name."""
    code_commit = models.CharField(max_length=64, blank=True, default="")
    published_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["study", "number"], condition=Q(number__gte=1), name="studyversion_number"),
            models.UniqueConstraint(fields=["study", "hash"], condition=Q(number=0), name="studyversion_preview"),
        ]

    def __str__(self) -> str:
        return f"{self.study.title}, version {self.number}"


class AssignmentCounter(models.Model):
    """The row that an assignment locks. `next` is the number that the next participant of the kind gets."""

    version = models.ForeignKey(StudyVersion, on_delete=models.CASCADE, related_name="counters")
    kind = models.SmallIntegerField(choices=Kind.choices)
    next = models.PositiveIntegerField(default=1)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["version", "kind"], name="assignmentcounter_kind"),
            models.CheckConstraint(condition=Q(kind__in=Kind.values), name="assignmentcounter_kind_known"),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} {self.next}"


class Cell(models.Model):
    """Orders of the rounds, with how often they were given. A study without balanced pages has one cell."""

    version = models.ForeignKey(StudyVersion, on_delete=models.CASCADE, related_name="cells")
    kind = models.SmallIntegerField(choices=Kind.choices)
    ordinal = models.PositiveIntegerField()
    order = models.JSONField(null=True, blank=True)
    """By the key of each balanced page the indices of its rounds as played; null: there is no such page."""
    assigned = models.PositiveIntegerField(default=0)
    completed = models.PositiveIntegerField(default=0)
    lost = models.PositiveIntegerField(default=0)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["version", "kind", "ordinal"], name="cell_ordinal"),
            models.CheckConstraint(condition=Q(kind__in=Kind.values), name="cell_kind"),
            models.CheckConstraint(
                condition=Q(assigned__gte=models.F("completed") + models.F("lost")), name="cell_counts"
            ),
        ]

    def __str__(self) -> str:
        return f"Cell {self.ordinal}"


class Link(models.Model):
    """A way into a study that staff handed out. The plain address of the study is none of them."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="links")
    token = models.CharField(max_length=43)
    kind = models.SmallIntegerField(choices=Kind.choices, default=Kind.PERSON)
    mode = models.SmallIntegerField(choices=LinkMode.choices, default=LinkMode.OPEN)
    label = models.CharField(max_length=200, null=True, blank=True)
    active = models.BooleanField(default=True)
    uses = models.PositiveIntegerField(default=0)
    """Participants who started by it. Who withdraws gives the use back."""
    max_uses = models.PositiveIntegerField(null=True, blank=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    comment = models.CharField(max_length=200, blank=True, default="")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["token"], name="link_token"),
            models.UniqueConstraint(fields=["study", "label"], condition=Q(label__isnull=False), name="link_label"),
            models.CheckConstraint(condition=Q(kind__in=Kind.values), name="link_kind"),
            models.CheckConstraint(condition=Q(mode__in=LinkMode.values), name="link_mode"),
            models.CheckConstraint(
                condition=Q(max_uses__isnull=True) | Q(uses__lte=models.F("max_uses")), name="link_uses"
            ),
            models.CheckConstraint(
                condition=Q(mode=LinkMode.OPEN) | Q(max_uses__isnull=False, max_uses=1), name="link_of_one_person"
            ),
            models.CheckConstraint(
                condition=Q(mode=LinkMode.LABELLED, label__isnull=False)
                | (~Q(mode=LinkMode.LABELLED) & Q(label__isnull=True)),
                name="link_labelled_has_label",
            ),
        ]

    def __str__(self) -> str:
        return self.label or f"Link {self.pk}"

    @property
    def is_personal(self) -> bool:
        """Whether it is for one participant, who goes on by it."""
        return self.mode != LinkMode.OPEN


class LinkDay(models.Model):
    """How many browsers showed somebody new the entry page on a day (UTC). Without a link: the study's plain address.

    Counted by the page itself once it is visible; asking for it counts nothing.
    """

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="link_days", db_index=False)
    link = models.ForeignKey(Link, on_delete=models.CASCADE, null=True, blank=True, related_name="days", db_index=False)
    day = models.DateField()
    opened = models.PositiveIntegerField(default=0)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["link", "day"], condition=Q(link__isnull=False), name="linkday_link"),
            models.UniqueConstraint(fields=["study", "day"], condition=Q(link__isnull=True), name="linkday_plain"),
        ]
        indexes: ClassVar = [models.Index(fields=["study", "day"], name="linkday_study")]

    def __str__(self) -> str:
        return f"{self.day}: {self.opened}"
