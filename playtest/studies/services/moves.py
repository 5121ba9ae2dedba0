"""The writes of play: moves, attempts, events and claims, many at once in one transaction.

A move is written by two statements. The fence, one UPDATE that runs unchanged on SQLite and PostgreSQL, raises the
round's `seq` where it is still what the writer believes, under the same `play_epoch`, in an open round. Only rounds
that come back get a plain insert of their move: never one that ignores conflicts, since that would hide that another
process was faster. The unique constraints are the second wall: if one fires, the batch is written job by job.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import Any

from django.db import connection, transaction

from playtest.studies.choices import AttemptReason, EndReason, EventKind, InputMode, MoveKind, RoundState, Status
from playtest.studies.models import Attempt, Event, Move, Round
from playtest.studies.services.claims import Claimed, ClaimJob, round_claim
from playtest.studies.services.limits import MOST_ATTEMPTS, MOST_EVENTS
from playtest.studies.services.transitions import hint_study


@dataclass(frozen=True)
class MoveJob:
    """A judged move, or an undo, whose `action` is None.

    `seq` is the number that it gets; `over` says why the round ends with it, if it does.
    """

    round_id: int
    study_id: int
    epoch: int
    seq: int
    client_id: str
    action: int | None
    reversed: bool
    gained: int
    score: int
    moves_used: int
    steps: int
    cleared: int
    legal_before: int
    reshuffles: int
    check_hex: str
    over: EndReason | None
    received_at: datetime
    think_ms: int | None = None
    anim_ms: int | None = None
    hidden_ms: int | None = None
    server_ms: int | None = None
    rtt_ms: int | None = None
    flags: int = 0
    input: InputMode | None = None


@dataclass(frozen=True)
class AttemptJob:
    """A swap that made no match, before the move with number `seq`."""

    round_id: int
    epoch: int
    seq: int
    client_id: str
    action: list[list[int]]
    received_at: datetime
    think_ms: int | None = None
    input: InputMode | None = None


@dataclass(frozen=True)
class EventRow:
    kind: EventKind
    received_at: datetime
    client_ms: int | None = None
    data: str = "{}"


@dataclass(frozen=True)
class EventJob:
    participant_id: int
    round_id: int
    epoch: int
    rows: tuple[EventRow, ...]


class Written(Enum):
    """What became of a move or an attempt. Only STORED is on disk."""

    STORED = "stored"
    STALE_SEQ = "stale_seq"
    NOT_OWNER = "not_owner"
    OVER = "over"
    ENDED = "ended"


Job = MoveJob | AttemptJob | EventJob | ClaimJob
Result = Written | Claimed


def play_write(jobs: Sequence[Job]) -> list[Result]:
    """Write a batch in one transaction; a result for each job, in order. At most one job that fences a round each.

    Database errors come out as they are, with nothing written.
    """
    results: dict[int, Result] = {}
    with transaction.atomic():
        write_moves([(i, job) for i, job in enumerate(jobs) if isinstance(job, MoveJob)], results)
        write_attempts([(i, job) for i, job in enumerate(jobs) if isinstance(job, AttemptJob)], results)
        for index, job in enumerate(jobs):
            if isinstance(job, EventJob):
                write_events(job)
                results[index] = Written.STORED
            elif isinstance(job, ClaimJob):
                results[index] = round_claim(job)
    return [results[index] for index in range(len(jobs))]


def write_moves(jobs: list[tuple[int, MoveJob]], results: dict[int, Result]) -> None:
    if not jobs:
        return
    jobs = sorted(jobs, key=lambda entry: entry[1].round_id)
    passed = fence_moves([job for _, job in jobs])
    Move.objects.bulk_create(move_row(job) for _, job in jobs if job.round_id in passed)
    for study_id in {job.study_id for _, job in jobs if job.over and job.round_id in passed}:
        hint_study(study_id)
    settle(jobs, passed, results)


def write_attempts(jobs: list[tuple[int, AttemptJob]], results: dict[int, Result]) -> None:
    if not jobs:
        return
    jobs = sorted(jobs, key=lambda entry: entry[1].round_id)
    counts = fence_attempts([job for _, job in jobs])
    Attempt.objects.bulk_create(
        Attempt(
            round_id=job.round_id,
            before_seq=job.seq,
            client_id=job.client_id,
            action=job.action,
            reason=AttemptReason.ILLEGAL,
            received_at=job.received_at,
            think_ms=job.think_ms,
            input=job.input,
        )
        for _, job in jobs
        if counts.get(job.round_id, MOST_ATTEMPTS + 1) <= MOST_ATTEMPTS
    )
    settle(jobs, set(counts), results)


def write_events(job: EventJob) -> None:
    """Insert what there is room for, if the round is still there."""
    if not Round.objects.filter(pk=job.round_id, participant_id=job.participant_id).exists():
        return
    room = MOST_EVENTS - Event.objects.filter(participant_id=job.participant_id).count()
    Event.objects.bulk_create(
        Event(
            participant_id=job.participant_id,
            round_id=job.round_id,
            kind=row.kind,
            received_at=row.received_at,
            client_ms=row.client_ms,
            conn=job.epoch,
            data=row.data,
        )
        for row in job.rows[: max(room, 0)]
    )


def fence_moves(jobs: Sequence[MoveJob]) -> set[int]:
    """Let the rounds through whose move is next, under the epoch that judged it. Gives their keys."""
    table = connection.ops.quote_name(Round._meta.db_table)
    values = ", ".join(["(%s, %s, %s, %s, %s, %s, %s, %s, %s)"] * len(jobs))
    parameters: list[Any] = []
    for job in jobs:
        parameters += [
            job.round_id,
            job.seq - 1,
            job.epoch,
            job.score,
            job.moves_used,
            int(RoundState.DONE if job.over else RoundState.OPEN),
            int(job.over or 0),
            connection.ops.adapt_datetimefield_value(job.received_at),
            job.check_hex,
        ]
    # The values name the table; they are literals of this program, never of a client.
    statement = (
        f"UPDATE {table} SET seq = seq + 1, score = v.column4, moves_used = v.column5, state = v.column6,"  # noqa: S608
        " reason = CASE WHEN v.column7 = 0 THEN reason ELSE v.column7 END, last_at = v.column8,"
        " ended_at = CASE WHEN v.column7 = 0 THEN ended_at ELSE v.column8 END, check_hex = v.column9"
        f" FROM (VALUES {values}) AS v"
        f" WHERE {table}.id = v.column1 AND {table}.seq = v.column2 AND {table}.play_epoch = v.column3"
        f" AND {table}.state = {int(RoundState.OPEN)} RETURNING id"
    )
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        return {row[0] for row in cursor.fetchall()}


def fence_attempts(jobs: Sequence[AttemptJob]) -> dict[int, int]:
    """The same for attempts, which leave `seq` alone. Gives how many attempts each round that was let through has."""
    table = connection.ops.quote_name(Round._meta.db_table)
    values = ", ".join(["(%s, %s, %s, %s)"] * len(jobs))
    parameters: list[Any] = []
    for job in jobs:
        at = connection.ops.adapt_datetimefield_value(job.received_at)
        parameters += [job.round_id, job.seq - 1, job.epoch, at]
    statement = (
        f"UPDATE {table} SET attempts = attempts + 1, last_at = v.column4 FROM (VALUES {values}) AS v"  # noqa: S608
        f" WHERE {table}.id = v.column1 AND {table}.seq = v.column2 AND {table}.play_epoch = v.column3"
        f" AND {table}.state = {int(RoundState.OPEN)} RETURNING id, attempts"
    )
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        return dict(cursor.fetchall())


def settle(jobs: Sequence[tuple[int, MoveJob | AttemptJob]], passed: set[int], results: dict[int, Result]) -> None:
    """Write down who was let through, and for the others what their round looks like now."""
    held_back = [job.round_id for _, job in jobs if job.round_id not in passed]
    now = Round.objects.filter(pk__in=held_back).values_list("pk", "play_epoch", "state", "participant__status")
    rows = {row[0]: row[1:] for row in now} if held_back else {}
    for index, job in jobs:
        results[index] = Written.STORED if job.round_id in passed else why_held_back(job, rows.get(job.round_id))


def why_held_back(job: MoveJob | AttemptJob, row: tuple[int, int, int] | None) -> Written:
    if row is None:
        return Written.ENDED
    epoch, state, status = row
    if state == RoundState.VOID or status != Status.ACTIVE:
        return Written.ENDED
    if epoch != job.epoch:
        return Written.NOT_OWNER
    return Written.OVER if state == RoundState.DONE else Written.STALE_SEQ


def move_row(job: MoveJob) -> Move:
    return Move(
        round_id=job.round_id,
        seq=job.seq,
        kind=MoveKind.UNDO if job.action is None else MoveKind.MOVE,
        client_id=job.client_id,
        action=job.action,
        reversed=job.reversed,
        gained=job.gained,
        score_after=job.score,
        steps=job.steps,
        cleared=job.cleared,
        legal_before=job.legal_before,
        reshuffles=job.reshuffles,
        check_hex=job.check_hex,
        received_at=job.received_at,
        think_ms=job.think_ms,
        anim_ms=job.anim_ms,
        hidden_ms=job.hidden_ms,
        server_ms=job.server_ms,
        rtt_ms=job.rtt_ms,
        flags=job.flags,
        input=job.input,
        conn=job.epoch,
    )
