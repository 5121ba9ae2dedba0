"""Rounds as a process that plays them needs them, and what became of them meanwhile."""

import time
from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db.models.functions import Now

from engine.level import Level
from playtest.studies.choices import EndReason, Purpose, RoundState, Status
from playtest.studies.document import RoundLimit
from playtest.studies.document.pages import Animation, PracticePage
from playtest.studies.models import Attempt, Move, Round
from playtest.studies.selectors.documents import round_level, version_document
from playtest.studies.selectors.practice import practice_done, practice_moves


@dataclass(frozen=True)
class StoredMove:
    """What has to be known of a stored move to answer it again. An undo has no action."""

    seq: int
    client_id: str
    action: int | None
    reversed: bool


@dataclass(frozen=True)
class StoredAttempt:
    before_seq: int
    client_id: str
    action: Any


@dataclass(frozen=True)
class StoredRound:
    """A round with all that was played in it. `count` is how many rounds the participant has."""

    pk: int
    study_id: int
    study_public_id: str
    participant_id: int
    label: str
    position: int
    count: int
    purpose: Purpose
    level: Level
    anim: Animation
    undo: bool
    """Whether the last move may be taken back."""
    hint_after: int | None
    """Seconds without a touch until a move is shown; None: never."""
    state: RoundState
    reason: EndReason | None
    seq: int
    epoch: int
    score: int
    check_hex: str
    language: str
    limit: RoundLimit | None = None
    extensions: int = 0
    deadline: float | None = None
    """When its time is up, by the monotonic clock of this process; None: it has no limit."""
    study_deadline: float | None = None
    """The same of the participant's time for the whole study."""
    checks: frozenset[str] | None = None
    """Of practice: what was done already on its page, in this round or an earlier one."""
    practised: int = 0
    """Of practice: the moves that were made on its page, in this round and earlier ones."""
    moves: tuple[StoredMove, ...] = field(default=())
    attempts: tuple[StoredAttempt, ...] = field(default=())


def round_load(*, round_id: int) -> StoredRound | None:
    """The round as it stands on disk, or None if it is gone."""
    row = (
        Round.objects.select_related("participant__version", "participant__study", "level_version")
        .defer(
            "participant__version__document",
            "participant__version__game_versions",
            "participant__study__draft",
            "level_version__document",
        )
        .annotate(clock=Now())
        .filter(pk=round_id)
        .first()
    )
    if row is None:
        return None
    deadline = deadline_of(row.ends_at, row.clock)
    participant = row.participant
    document = version_document(participant.version)
    page = document.round_page(position=row.position, key=row.key)
    moves = Move.objects.filter(round=row).order_by("seq").values_list("seq", "client_id", "action", "reversed")
    tries = Attempt.objects.filter(round=row).values_list("before_seq", "client_id", "action")
    return StoredRound(
        pk=row.pk,
        study_id=participant.study_id,
        study_public_id=participant.study.public_id,
        participant_id=participant.pk,
        label=row.label,
        position=row.position,
        count=document.round_count,
        purpose=Purpose(row.purpose),
        level=round_level(row),
        anim=page.anim,
        undo=page.undo,
        hint_after=page.hint_after,
        state=RoundState(row.state),
        reason=None if row.reason is None else EndReason(row.reason),
        seq=row.seq,
        epoch=row.play_epoch,
        score=row.score,
        check_hex=row.check_hex,
        language=participant.language or "en",
        limit=page.limit if deadline is not None else None,
        extensions=row.extensions,
        deadline=deadline,
        study_deadline=deadline_of(participant.ends_at, row.clock) if participant.status == Status.ACTIVE else None,
        checks=practice_done(participant=participant, page=page) if isinstance(page, PracticePage) else None,
        practised=practice_moves(participant=participant, page=page) if isinstance(page, PracticePage) else 0,
        moves=tuple(StoredMove(*values) for values in moves),
        attempts=tuple(StoredAttempt(*values) for values in tries),
    )


def deadline_of(ends_at: datetime | None, clock: datetime) -> float | None:
    """When a round ends by this process's monotonic clock, from the database's time of the end and its time now."""
    return None if ends_at is None else time.monotonic() + (ends_at - clock).total_seconds()


@dataclass(frozen=True)
class Watched:
    """What other processes may have changed."""

    epoch: int
    state: RoundState
    status: int
    study_state: int
    deadline: float | None = None
    study_deadline: float | None = None


def rounds_watch(*, round_ids: Collection[int]) -> dict[int, Watched]:
    """Epoch and state of the rounds that a process plays, in one query. Those that are gone are not in it."""
    rows = (
        Round.objects.filter(pk__in=round_ids)
        .annotate(clock=Now())
        .values_list(
            "pk",
            "play_epoch",
            "state",
            "participant__status",
            "participant__study__state",
            "ends_at",
            "participant__ends_at",
            "clock",
        )
    )
    return {
        pk: Watched(epoch, RoundState(state), status, study, deadline_of(ends_at, clock), deadline_of(last, clock))
        for pk, epoch, state, status, study, ends_at, last, clock in rows
    }
