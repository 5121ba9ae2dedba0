"""Links into a study: by their address, who is expected by them, and what came of them."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime
from enum import Enum

from django.db.models import Count, Q, QuerySet, Sum
from django.utils import timezone

from playtest.studies.choices import Admission, Kind, LinkMode, Status
from playtest.studies.identity import TOKEN_LENGTH, link_proof, link_proof_holds
from playtest.studies.models import Link, LinkDay, Participant, Study
from playtest.studies.recruiting import Recruited
from playtest.studies.selectors.participants import participant_by_link, participant_by_recruited


class Refusal(Enum):
    """Why a link, or the plain address, lets nobody new in."""

    INACTIVE = "link_inactive"
    EXPIRED = "link_expired"
    USED = "link_used"
    LINKS_ONLY = "links_only"


@dataclass(frozen=True)
class Arrival:
    """What a link and a recruiter's id say of who comes: a participant who goes on, or why nobody new may start.

    by_id: the recruiter's id by which alone the participant was found; None if the link stands for them
    """

    known: Participant | None = None
    refusal: Refusal | None = None
    by_id: Recruited | None = None


@dataclass(frozen=True)
class LinkRow:
    """A link and what came of it. `refusal`: why it lets nobody new in at the moment."""

    link: Link
    refusal: Refusal | None
    opened: int
    started: int
    completed: int


def link_way(link: Link) -> str:
    """What the address of a link ends in: its token, and for a label the proof that this site gave it."""
    proof = link_proof(token=link.token, label=link.label) if link.label is not None else ""
    return link.token + proof


def link_by_way(*, study: Study, way: str) -> Link | None:
    """The link of the study with that address; None if there is none, or if its label is not the one that was given."""
    token, proof = way[:TOKEN_LENGTH], way[TOKEN_LENGTH:]
    link = Link.objects.filter(study=study, token=token).first()
    if link is None:
        return None
    holds = not proof if link.label is None else link_proof_holds(proof, token=token, label=link.label)
    return link if holds else None


def link_refusal(link: Link, *, now: datetime | None = None) -> Refusal | None:
    """Why nobody new may start by it at the moment, or None."""
    if not link.active:
        return Refusal.INACTIVE
    if link.expires_at is not None and link.expires_at <= (now or timezone.now()):
        return Refusal.EXPIRED
    return Refusal.USED if link.max_uses is not None and link.uses >= link.max_uses else None


def plain_refusal(study: Study) -> Refusal | None:
    """Why nobody new may start by the plain address of the study, open or not."""
    return Refusal.LINKS_ONLY if study.admission == Admission.LINKS else None


def arrival(*, study: Study, link: Link | None, recruited: Recruited | None) -> Arrival:
    """Who comes by this link with this recruiter's id.

    A link of one person stands for its participant: also when it is over, but not when it was switched off, and not
    with the recruiter's id of somebody else.
    """
    if link is not None and link.is_personal and link.active:
        holder = participant_by_link(link=link)
        if holder is not None:
            is_other = recruited is not None and recruited.id is not None and holder.recruiter_id is not None
            if is_other and recruited != Recruited(holder.recruiter or "", holder.recruiter_id):
                return Arrival(refusal=Refusal.USED)
            return Arrival(known=holder)
    known = participant_by_recruited(study=study, recruited=recruited) if recruited is not None else None
    if known is not None:
        return Arrival(known=known, by_id=recruited)
    return Arrival(refusal=link_refusal(link) if link is not None else None)


def links_listed(*, study: Study, mode: LinkMode | None = None, words: str = "") -> QuerySet[Link]:
    """The links of a study, the newest first; of one mode, or with these words in label or comment."""
    links = Link.objects.filter(study=study)
    if mode is not None:
        links = links.filter(mode=mode)
    if words:
        links = links.filter(Q(label__icontains=words) | Q(comment__icontains=words))
    return links.order_by("-pk")


def links_with_counts(links: Iterable[Link]) -> list[LinkRow]:
    """These links with what came of them, in two queries."""
    shown = list(links)
    keys = [link.pk for link in shown]
    opened = dict(LinkDay.objects.filter(link__in=keys).values_list("link").annotate(Sum("opened")))
    came = Participant.objects.filter(link__in=keys).values_list("link")
    completed = Count("pk", filter=Q(status=Status.COMPLETED))
    counts = {key: (started, done) for key, started, done in came.annotate(n=Count("pk"), done=completed)}
    now = timezone.now()
    rows = []
    for link in shown:
        started, done = counts.get(link.pk, (0, 0))
        rows.append(LinkRow(link, link_refusal(link, now=now), opened.get(link.pk, 0), started, done))
    return rows


def link_days(*, link: Link) -> list[tuple[date, int]]:
    """On which days how many browsers showed its page, the newest first."""
    return list(LinkDay.objects.filter(link=link).order_by("-day").values_list("day", "opened"))


def plain_counts(*, study: Study) -> tuple[int, int, int]:
    """Opened, started and completed by the plain address of the study: people only, as its page counts them."""
    opened = LinkDay.objects.filter(study=study, link__isnull=True).aggregate(Sum("opened"))["opened__sum"] or 0
    people = Participant.objects.filter(study=study, kind=Kind.PERSON, link__isnull=True)
    counts = people.exclude(status=Status.WITHDRAWN).aggregate(
        started=Count("pk"), completed=Count("pk", filter=Q(status=Status.COMPLETED))
    )
    return opened, counts["started"], counts["completed"]


def opened_count(*, study: Study) -> int:
    """How many browsers showed somebody new the entry page, by whichever address."""
    return LinkDay.objects.filter(study=study).aggregate(Sum("opened"))["opened__sum"] or 0


def labels_taken(*, study: Study, labels: Iterable[str]) -> set[str]:
    """Which of these labels the study has links for."""
    found = Link.objects.filter(study=study, label__in=list(labels)).values_list("label", flat=True)
    return {label for label in found if label is not None}
