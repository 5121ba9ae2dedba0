"""Who takes part in a study at this moment: where each one is, when they were last seen, what is conspicuous.

Everything of a page is read in a fixed number of queries. No recruiter and no recruiter's id is read here.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from django.core.paginator import Page, Paginator
from django.db.models import Count, Q, QuerySet, Sum

from playtest.studies.choices import AWAY, Kind, Purpose, RoundState, Status
from playtest.studies.document import FixedRound, StudyDocument
from playtest.studies.models import PageVisit, Participant, Round, Study
from playtest.studies.selectors.annotations import NONE_DECIDED, decisions_read
from playtest.studies.selectors.documents import Kept, version_document
from playtest.studies.selectors.flags import Flag, FlagKind, flags_of
from playtest.studies.selectors.steps import positions_from, step_of

PAGE_SIZE = 50
FLAGS_AT_ONCE = 1_000
UNDER_WAY = frozenset({Status.STARTED, Status.CONSENTED, Status.ACTIVE})
ANY = "any"

_flags: Kept[list[Flag]] = Kept(10_000)
"""Flags by participant and how much of them is stored: they change with the next move or page, and not before."""


@dataclass(frozen=True)
class Wanted:
    """What the monitor shows: of all states and kinds where these are empty. `flag`: any, or one kind of flag.

    `name` is a part of a code, or of the label of a link.
    """

    statuses: frozenset[Status] = frozenset()
    kinds: frozenset[Kind] = frozenset()
    flag: str = ""
    name: str = ""


@dataclass(frozen=True)
class Here:
    """Where a participant is. Pages and rounds count from 1; `moves` is the limit of the round, if it has one."""

    words: str
    page: int | None = None
    pages: int | None = None
    move: int | None = None
    moves: int | None = None
    ends_at: datetime | None = None


@dataclass(frozen=True)
class Watching:
    """A participant as a row of the monitor."""

    pk: int
    code: str
    label: str
    """Of the link that they came by; empty without one."""
    is_left_out: bool
    kind: Kind
    status: Status
    version: int
    here: Here
    last_seen_at: datetime
    flags: list[tuple[FlagKind, int, str]]
    """Each kind of flag once, how often it came, and all of its sentences."""


@dataclass
class Stored:
    """What is stored of a participant, as far as the monitor looks."""

    rounds: list[tuple[int, str, int, int, datetime | None]] = field(default_factory=list)
    """Of each scored round position, key, state, moves used and when its time is up."""
    seq: int = 0
    visited: set[str] = field(default_factory=set)

    @property
    def mark(self) -> str:
        void = sum(row[2] == RoundState.VOID for row in self.rounds)
        return f"{self.seq}.{len(self.visited)}.{void}"


def monitor_page(
    *, study: Study, wanted: Wanted, number: str | int | None = 1
) -> tuple[Page[Participant], list[Watching]]:
    """One page of participants, whoever was seen last first."""
    participants = watched(study, wanted)
    if wanted.flag:
        participants = participants.filter(pk__in=flagged(participants, wanted.flag))
    page = Paginator(participants, PAGE_SIZE).get_page(number)
    shown = list(page)
    stored = stored_of(shown)
    flags = flags_now(shown, {pk: one.mark for pk, one in stored.items()})
    decisions = decisions_read(participant_ids=stored.keys())
    return page, [
        row_of(one, stored[one.pk], flags[one.pk], decisions.get(one.pk, NONE_DECIDED).is_left_out) for one in shown
    ]


def watched(study: Study, wanted: Wanted) -> QuerySet[Participant]:
    participants = Participant.objects.filter(study=study)
    if wanted.statuses:
        participants = participants.filter(status__in=wanted.statuses)
    if wanted.kinds:
        participants = participants.filter(kind__in=wanted.kinds)
    if wanted.name:
        participants = participants.filter(Q(code__icontains=wanted.name) | Q(link__label__icontains=wanted.name))
    fields = ("public_id", "code", "kind", "status", "last_seen_at", "version__number", "version__hash", "link__label")
    return participants.select_related("version", "link").only("pk", *fields).order_by("-last_seen_at", "-pk")


def flagged(participants: QuerySet[Participant], flag: str) -> list[int]:
    """Those who have such a flag. Flags that were computed before are not computed again."""
    everybody = list(participants)
    keys = [one.pk for one in everybody]
    void = Count("pk", filter=Q(state=RoundState.VOID, purpose=Purpose.SCORED))
    seqs = Round.objects.filter(participant__in=keys).values_list("participant_id").annotate(Sum("seq"), void=void)
    visits = PageVisit.objects.filter(participant__in=keys).values_list("participant_id").annotate(Count("pk"))
    rounds, pages = {pk: (seq, void) for pk, seq, void in seqs}, dict(visits)
    marks = {pk: f"{seq}.{pages.get(pk, 0)}.{void}" for pk in keys for seq, void in [rounds.get(pk, (0, 0))]}
    flags = flags_now(everybody, marks)
    return [pk for pk, found in flags.items() if any(flag in (ANY, one.kind) for one in found)]


def flags_now(participants: Sequence[Participant], marks: Mapping[int, str]) -> dict[int, list[Flag]]:
    """The flags of each, computed only where something was stored since the last time."""
    keys = {one.pk: f"{one.public_id}.{marks[one.pk]}" for one in participants}
    known = {pk: _flags.peek(key) for pk, key in keys.items()}
    changed = [one for one in participants if known[one.pk] is None]
    for start in range(0, len(changed), FLAGS_AT_ONCE):
        for pk, found in flags_of(participants=changed[start : start + FLAGS_AT_ONCE]).items():
            known[pk] = found
            _flags.keep(keys[pk], found)
    return {pk: found or [] for pk, found in known.items()}


def stored_of(participants: Collection[Participant]) -> dict[int, Stored]:
    """In two queries."""
    found = {one.pk: Stored() for one in participants}
    rounds = Round.objects.filter(participant__in=list(found)).order_by("position", "attempt")
    for pk, purpose, position, key, state, seq, used, ends_at in rounds.values_list(
        "participant_id", "purpose", "position", "key", "state", "seq", "moves_used", "ends_at"
    ):
        found[pk].seq += seq
        if purpose == Purpose.SCORED:
            found[pk].rounds.append((position, key, state, used, ends_at))
    visits = PageVisit.objects.filter(participant__in=list(found)).values_list("participant_id", "page_key")
    for pk, page_key in visits:
        found[pk].visited.add(page_key)
    return found


def row_of(participant: Participant, stored: Stored, flags: Sequence[Flag], is_left_out: bool) -> Watching:
    kinds = Counter(flag.kind for flag in flags)
    return Watching(
        pk=participant.pk,
        code=participant.code or "",
        label=participant.link_label,
        is_left_out=is_left_out,
        kind=Kind(participant.kind),
        status=Status(participant.status),
        version=participant.version.number,
        here=here_of(Status(participant.status), version_document(participant.version), stored),
        last_seen_at=participant.last_seen_at,
        flags=[
            (kind, count, " ".join(flag.sentence for flag in flags if flag.kind == kind))
            for kind, count in kinds.items()
        ],
    )


def here_of(status: Status, document: StudyDocument, stored: Stored) -> Here:
    """Where somebody is, or where they were when they went."""
    if status not in UNDER_WAY | AWAY:
        return Here("")
    rounds = positions_from((position, state) for position, _, state, _, _ in stored.rounds)
    step = step_of(document, Status.ACTIVE if status in AWAY else status, visited=stored.visited, rounds=rounds)
    page, pages = step.index + 1, len(document.pages)
    if step.kind != "rounds" or step.position is None:
        return Here(step.page.title if step.page else "", page, pages)
    words = f"Round {step.position} of {document.round_count}"
    now = next((row for row in reversed(stored.rounds) if row[0] == step.position), None)
    if now is None or now[2] != RoundState.OPEN:
        return Here(words, page, pages)
    _, key, _, used, ends_at = now
    plan = next((one for one in document.rounds_page_at(step.position).rounds if one.key == key), None)
    level_moves = plan.level.moves if isinstance(plan, FixedRound) else plan.moves if plan else None
    return Here(words, page, pages, used, level_moves, ends_at)
