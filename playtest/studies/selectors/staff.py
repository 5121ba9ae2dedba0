"""What staff pages read of studies. People, bots and previews are always counted apart."""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Max, Q, QuerySet

from playtest.accounts.models import User
from playtest.studies.choices import Kind, Purpose, RoundState, Status, StudyState
from playtest.studies.models import Annotation, Participant, Round, Study, StudyVersion, Transition
from playtest.studies.selectors.links import opened_count
from playtest.studies.selectors.studies import versions_published


@dataclass(frozen=True)
class StudyRow:
    """A study in the list. `number` is that of the version that new participants get, None before the first."""

    study: Study
    number: int | None
    people_started: int
    people_finished: int
    bots_started: int
    bots_finished: int
    last_seen_at: datetime | None


@dataclass(frozen=True)
class VersionRow:
    """A published version and how many started on it."""

    version: StudyVersion
    is_current: bool
    people: int
    bots: int


@dataclass(frozen=True)
class Funnel:
    """How far participants of one kind came. Each number counts those who came at least so far, whatever followed."""

    kind: Kind
    opened: int | None
    """How many browsers showed the entry page to somebody new; people's pages count that alone."""
    started: int
    agreed: int
    played: int
    finished: int
    declined: int
    withdrawn: int

    @property
    def steps(self) -> list[tuple[str, int, int]]:
        """Name, number and share of those who started in per cent, in order."""
        steps = [
            ("Started", self.started),
            ("Agreed to take part", self.agreed),
            ("Played a round", self.played),
            ("Finished", self.finished),
        ]
        return [(name, number, round(100 * number / self.started) if self.started else 0) for name, number in steps]


def study_is_visible(user: User, pk: int) -> bool:
    """Who may see a study: its owner and admins."""
    return studies_of(user).filter(pk=pk).exists()


def study_is_changeable(user: User, study: Study) -> bool:
    """Who may see, edit, open, pause and close a study: its owner and admins."""
    return user.is_admin or study.owner_id == user.pk


def studies_of(user: User) -> QuerySet[Study]:
    """The studies that a member of the staff may see: their own, an admin all."""
    return Study.objects.all() if user.is_admin else Study.objects.filter(owner=user)


def studies_listed(*, user: User) -> list[StudyRow]:
    """The studies that somebody may see, the newest first, with how many took part."""
    counts: Counter[tuple[int, int, bool]] = Counter()
    for study_id, kind, status, number in Participant.objects.values_list("study_id", "kind", "status").annotate(
        number=Count("pk")
    ):
        counts[study_id, kind, status == Status.COMPLETED] += number
    # Of who withdrew only the day is kept: that would be hours ago a minute after.
    present = Participant.objects.exclude(status=Status.WITHDRAWN)
    seen = dict(present.values_list("study_id").annotate(Max("last_seen_at")))
    studies = (
        studies_of(user)
        .select_related("published", "owner")
        .defer("draft", "removed", "published__document", "published__game_versions")
    )
    return [
        StudyRow(
            study=study,
            number=study.published.number if study.published else None,
            people_started=counts[study.pk, Kind.PERSON, True] + counts[study.pk, Kind.PERSON, False],
            people_finished=counts[study.pk, Kind.PERSON, True],
            bots_started=counts[study.pk, Kind.BOT, True] + counts[study.pk, Kind.BOT, False],
            bots_finished=counts[study.pk, Kind.BOT, True],
            last_seen_at=seen.get(study.pk),
        )
        for study in studies.order_by("-created_at", "-pk")
    ]


def versions_listed(*, study: Study) -> list[VersionRow]:
    """Published versions, the newest first."""
    counts = {
        (version_id, kind): number
        for version_id, kind, number in Participant.objects.filter(study=study)
        .values_list("version_id", "kind")
        .annotate(number=Count("pk"))
    }
    versions = versions_published(study=study).defer("document")
    return [
        VersionRow(
            version=version,
            is_current=version.pk == study.published_id,
            people=counts.get((version.pk, Kind.PERSON), 0),
            bots=counts.get((version.pk, Kind.BOT), 0),
        )
        for version in versions
    ]


def funnels(*, study: Study) -> list[Funnel]:
    """How far people and bots came; previews only where there are some."""
    status_counts: Counter[tuple[int, int]] = Counter()
    for kind, status, number in (
        Participant.objects.filter(study=study).values_list("kind", "status").annotate(number=Count("pk"))
    ):
        status_counts[kind, status] += number
    agreed = _participants_by_kind(study, Status.CONSENTED)
    played = dict(
        Round.objects.filter(participant__study=study, purpose=Purpose.SCORED, state=RoundState.DONE)
        .values_list("kind")
        .annotate(Count("participant_id", distinct=True))
    )
    kinds = [Kind.PERSON, Kind.BOT, *([Kind.PREVIEW] if any(key[0] == Kind.PREVIEW for key in status_counts) else [])]
    return [
        Funnel(
            kind=kind,
            opened=opened_count(study=study) if kind == Kind.PERSON else None,
            started=sum(number for (of_kind, _), number in status_counts.items() if of_kind == kind),
            agreed=agreed.get(kind, 0),
            played=played.get(kind, 0),
            finished=status_counts[kind, Status.COMPLETED],
            # Who read again and agreed is among those who agreed.
            declined=status_counts[kind, Status.DECLINED],
            withdrawn=status_counts[kind, Status.WITHDRAWN],
        )
        for kind in kinds
    ]


def study_rev(*, study: Study) -> str:
    """A text that differs whenever the study's page would show something else."""
    people = Participant.objects.filter(study=study).aggregate(Count("pk"), Max("last_seen_at"), Max("finished_at"))
    rounds = Round.objects.filter(participant__study=study)
    # A round that ends by time does so at a moment that may be past: it is the number of ended ones that tells.
    moves = rounds.aggregate(Max("last_at"), Max("ended_at"), over=Count("pk", filter=Q(state=RoundState.DONE)))
    times = [people["last_seen_at__max"], people["finished_at__max"], moves["last_at__max"], moves["ended_at__max"]]
    parts = [f"{time.timestamp():.3f}" if time else "0" for time in times]
    decided = Annotation.objects.filter(participant__study=study).aggregate(Max("pk"))["pk__max"] or 0
    counts = [str(people["pk__count"]), str(moves["over"]), str(opened_count(study=study)), str(decided)]
    return ".".join([StudyState(study.state).label, *counts, *parts])


def _participants_by_kind(study: Study, status: Status) -> dict[int, int]:
    """How many participants of each kind were ever in a state."""
    steps = Transition.objects.filter(participant__study=study, to_status=status)
    return dict(steps.values_list("participant__kind").annotate(Count("participant_id", distinct=True)))
