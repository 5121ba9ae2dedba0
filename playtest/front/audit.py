"""The audit log of the whole site, as staff read it: admins every line, designers those of their own studies."""

from dataclasses import dataclass

from django.db.models import Q, QuerySet
from django.urls import reverse

from playtest.accounts.models import AuditLog, User
from playtest.evolution.models import EvolutionRun, Persona
from playtest.levels.models import Level
from playtest.studies.editor.log import LogLine, log_lines
from playtest.studies.models import Participant, Round, Study
from playtest.studies.selectors.log import log_names
from playtest.studies.selectors.staff import studies_of

KINDS: dict[str, str] = {
    Study._meta.label_lower: "Studies",
    Participant._meta.label_lower: "Participants",
    Round._meta.label_lower: "Rounds",
    Level._meta.label_lower: "Levels",
    EvolutionRun._meta.label_lower: "Runs",
    Persona._meta.label_lower: "Personas",
    User._meta.label_lower: "Staff",
}
"""What lines are about, by the name in the log."""


@dataclass(frozen=True)
class SiteLine:
    """A line with what it is about; `url` where that still has a page, `kind` and `pk` to ask for its lines."""

    line: LogLine
    about: str
    url: str
    kind: str
    pk: int | None


def lines_visible(user: User) -> QuerySet[AuditLog]:
    """What somebody may read, the newest first."""
    lines = AuditLog.objects.select_related("actor").order_by("-id")
    if user.is_admin:
        return lines
    own = studies_of(user).values("pk")
    return lines.filter(
        Q(object_type=Study._meta.label_lower, object_id__in=own)
        | Q(
            object_type=Participant._meta.label_lower,
            object_id__in=Participant.objects.filter(study__in=own).values("pk"),
        )
        | Q(
            object_type=Round._meta.label_lower,
            object_id__in=Round.objects.filter(participant__study__in=own).values("pk"),
        )
    )


def lines_shown(rows: list[AuditLog]) -> list[SiteLine]:
    """Lines in words, each with the page of what it is about."""
    urls = _urls(rows)
    return [
        SiteLine(
            line=line,
            about=line.about or row.object_label,
            url=urls.get((row.object_type, row.object_id), ""),
            kind=row.object_type if row.object_type in KINDS else "",
            pk=row.object_id,
        )
        for row, line in zip(rows, log_lines(rows, log_names(rows)), strict=True)
    ]


def _urls(rows: list[AuditLog]) -> dict[tuple[str, int | None], str]:
    """Pages of what these lines are about, where it is still there."""
    found: dict[tuple[str, int | None], str] = {}
    by_kind: dict[str, set[int]] = {}
    for row in rows:
        if row.object_id is not None:
            by_kind.setdefault(row.object_type, set()).add(row.object_id)
    for model, page in (
        (Study, "studies_staff:detail"),
        (Level, "levels:detail"),
        (EvolutionRun, "evolution:detail"),
        (Persona, "evolution:persona"),
    ):
        kind = model._meta.label_lower
        for pk in model._default_manager.filter(pk__in=by_kind.get(kind, ())).values_list("pk", flat=True):
            found[kind, pk] = reverse(page, args=[pk])
    people = Participant.objects.filter(pk__in=by_kind.get(Participant._meta.label_lower, ()))
    for pk, study in people.values_list("pk", "study"):
        found[Participant._meta.label_lower, pk] = reverse("studies_staff:participant", args=[study, pk])
    rounds = Round.objects.filter(pk__in=by_kind.get(Round._meta.label_lower, ()))
    for pk, one, study in rounds.values_list("pk", "participant", "participant__study"):
        found[Round._meta.label_lower, pk] = reverse("studies_staff:replay", args=[study, one, pk])
    return found
