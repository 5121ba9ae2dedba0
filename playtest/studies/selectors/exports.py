"""What an export reads: everything from one picture of the database, in lots, through the connection for long reads."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from django.db import transaction
from django.db.models import QuerySet

from playtest.studies.choices import Kind, Status
from playtest.studies.models import (
    Answer,
    Attempt,
    Consent,
    Event,
    Move,
    PageVisit,
    Participant,
    Round,
    StudyVersion,
    Transition,
)
from playtest.studies.selectors.annotations import Decisions, decisions_read

READING = "reading"


@contextmanager
def one_picture() -> Iterator[None]:
    """All reads of this module inside see one moment. Nobody waits for it, and it can change nothing."""
    with transaction.atomic(using=READING):
        yield


@dataclass(frozen=True)
class Asked:
    """Whose rows are wanted. No version or state stands for all."""

    study_id: int
    kinds: tuple[Kind, ...]
    versions: tuple[int, ...]
    statuses: tuple[Status, ...]


class MoveRow(NamedTuple):
    round_id: int
    seq: int
    kind: int
    action: int | None
    reversed: bool
    gained: int
    score_after: int
    steps: int
    cleared: int
    legal_before: int
    received_at: datetime
    think_ms: int | None
    anim_ms: int | None
    hidden_ms: int | None
    server_ms: int | None
    rtt_ms: int | None
    flags: int
    input: int | None
    conn: int


class AttemptRow(NamedTuple):
    round_id: int
    before_seq: int
    action: Any
    reason: int
    received_at: datetime
    think_ms: int | None
    input: int | None


class EventRow(NamedTuple):
    participant_id: int
    round_id: int | None
    kind: int
    client_ms: int | None
    conn: int | None
    data: str
    received_at: datetime


def versions_read(*, asked: Asked) -> list[StudyVersion]:
    """The versions, in order."""
    versions = StudyVersion.objects.using(READING).filter(study_id=asked.study_id, number__gte=1)
    if asked.versions:
        versions = versions.filter(number__in=asked.versions)
    return list(versions.order_by("number"))


def participant_keys(*, asked: Asked) -> list[int]:
    """Keys of everybody who is wanted and did not withdraw, in the order in which they started."""
    return list(_participants(asked).exclude(status=Status.WITHDRAWN).order_by("pk").values_list("pk", flat=True))


def withdrawn_count(*, asked: Asked) -> int:
    """How many of the wanted withdrew; nothing of them is left to export."""
    return _participants(asked).filter(status=Status.WITHDRAWN).count()


def participants_read(*, keys: Sequence[int]) -> list[Participant]:
    """These participants in the order of the keys."""
    rows = (
        Participant.objects.using(READING)
        .filter(pk__in=keys)
        .select_related("link", "version")
        .defer("version__document", "version__game_versions", "token_hash")
    )
    by_key = {row.pk: row for row in rows}
    return [by_key[key] for key in keys]


def rounds_read(*, keys: Sequence[int]) -> list[Round]:
    """The rounds of these participants, of each in the order of play, in the order of the keys."""
    rows = (
        Round.objects.using(READING)
        .filter(participant_id__in=keys)
        .select_related("level_version__level")
        .defer("level_version__document", "tab")
    )
    rank = {key: place for place, key in enumerate(keys)}
    return sorted(rows, key=lambda row: (rank[row.participant_id], row.purpose, row.position, row.attempt))


def moves_read(*, round_keys: Collection[int]) -> dict[int, list[MoveRow]]:
    """The moves of these rounds in order, by round."""
    rows = Move.objects.using(READING).filter(round_id__in=round_keys).order_by("round_id", "seq")
    return _grouped(MoveRow._make(values) for values in rows.values_list(*MoveRow._fields).iterator())


def attempts_read(*, round_keys: Collection[int]) -> dict[int, list[AttemptRow]]:
    """The attempts of these rounds in order, by round."""
    rows = Attempt.objects.using(READING).filter(round_id__in=round_keys).order_by("round_id", "pk")
    return _grouped(AttemptRow._make(values) for values in rows.values_list(*AttemptRow._fields).iterator())


def events_read(*, keys: Collection[int]) -> dict[int, list[EventRow]]:
    """The events of these participants in order, by participant."""
    rows = Event.objects.using(READING).filter(participant_id__in=keys).order_by("participant_id", "pk")
    return _grouped(EventRow._make(values) for values in rows.values_list(*EventRow._fields).iterator())


def decisions_of(*, keys: Collection[int]) -> dict[int, Decisions]:
    """What staff decided that figures count, by participant."""
    return decisions_read(participant_ids=keys, using=READING)


def answers_read(*, keys: Collection[int]) -> dict[int, list[Answer]]:
    rows = Answer.objects.using(READING).filter(participant_id__in=keys).order_by("participant_id", "pk")
    return _by_participant(rows)


def visits_read(*, keys: Collection[int]) -> dict[int, list[PageVisit]]:
    rows = PageVisit.objects.using(READING).filter(participant_id__in=keys).order_by("participant_id", "pk")
    return _by_participant(rows)


def transitions_read(*, keys: Collection[int]) -> dict[int, list[Transition]]:
    rows = Transition.objects.using(READING).filter(participant_id__in=keys).order_by("participant_id", "number")
    return _by_participant(rows)


def consents_read(*, keys: Collection[int]) -> dict[int, list[Consent]]:
    rows = Consent.objects.using(READING).filter(participant_id__in=keys).order_by("participant_id", "pk")
    return _by_participant(rows)


def consents_of_withdrawn(*, version_keys: Collection[int]) -> list[Consent]:
    """Decisions whose participants withdrew, in no order that says when they came."""
    rows = Consent.objects.using(READING).filter(version_id__in=version_keys, withdrawn_at__isnull=False)
    return list(rows.order_by("version_id", "text_hash", "decision", "at"))


def _participants(asked: Asked) -> QuerySet[Participant]:
    rows = Participant.objects.using(READING).filter(study_id=asked.study_id, kind__in=asked.kinds)
    if asked.versions:
        rows = rows.filter(version__number__in=asked.versions)
    if asked.statuses:
        rows = rows.filter(status__in=asked.statuses)
    return rows


def _grouped(rows: Iterable[Any]) -> dict[int, list[Any]]:
    """Rows by their first value."""
    found: dict[int, list[Any]] = {}
    for row in rows:
        found.setdefault(row[0], []).append(row)
    return found


def _by_participant(rows: Iterable[Any]) -> dict[int, list[Any]]:
    found: dict[int, list[Any]] = {}
    for row in rows:
        found.setdefault(row.participant_id, []).append(row)
    return found
