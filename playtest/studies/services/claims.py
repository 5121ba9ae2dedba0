"""Who plays a round: each socket that takes it raises `play_epoch`, and older epochs can no longer write."""

import json
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import Any

from django.db import connection

from playtest.clock import database_time_in
from playtest.studies.choices import EventKind, Purpose, RoundState, Status, StudyState
from playtest.studies.models import Event, Participant, Round
from playtest.studies.selectors.documents import version_document
from playtest.studies.selectors.steps import step_due
from playtest.studies.services.clocks import round_time_out
from playtest.studies.services.dropouts import participant_come_back
from playtest.studies.services.limits import MOST_EVENTS


@dataclass(frozen=True)
class ClaimJob:
    """A socket wants to play. `new` takes the round that is due, `resume` only if nobody took it since `epoch`."""

    participant_id: int
    new: bool
    tab: str
    at: datetime
    epoch: int | None = None
    label: str | None = None
    motion: str | None = None
    build: str | None = None


class ClaimOutcome(Enum):
    OWNED = "owned"
    TAKEN = "taken"
    FINISHED = "finished"
    ENDED = "ended"


@dataclass(frozen=True)
class Claimed:
    """OWNED: the round is the socket's under `epoch`. TAKEN, FINISHED: it may be shown. ENDED: there is none."""

    outcome: ClaimOutcome
    round_id: int = 0
    epoch: int = 0


def round_claim(job: ClaimJob) -> Claimed:
    """Take a round, in the caller's transaction. The first claim of a planned round opens it."""
    participant = (
        Participant.objects.select_related("study", "version")
        .defer("version__document", "version__game_versions", "study__draft")
        .filter(pk=job.participant_id)
        .first()
    )
    if participant is None or participant.study.state == StudyState.CLOSED:
        return Claimed(ClaimOutcome.ENDED)
    participant_come_back(participant=participant)
    if participant.status not in {Status.ACTIVE, Status.COMPLETED}:
        return Claimed(ClaimOutcome.ENDED)
    claimed = claim_due(participant, job) if job.new else claim_again(participant, job)
    if claimed.outcome == ClaimOutcome.OWNED:
        Participant.objects.filter(pk=participant.pk).update(last_seen_at=job.at)
        note_claim(job, claimed)
    return claimed


def claim_due(participant: Participant, job: ClaimJob) -> Claimed:
    own = Round.objects.filter(participant=participant)
    round_id = own.filter(state=RoundState.OPEN).values_list("pk", flat=True).first()
    if round_id is None:
        due = step_due(participant)
        if due.kind == "practice" and due.page is not None:
            planned = own.filter(purpose=Purpose.PRACTICE, key=due.page.key, state=RoundState.PLANNED)
        elif due.kind == "rounds":
            planned = own.filter(purpose=Purpose.SCORED, position=due.position or 0, state=RoundState.PLANNED)
        else:
            return Claimed(ClaimOutcome.ENDED)
        round_id = planned.values_list("pk", flat=True).order_by("-attempt").first()
        if round_id is None:
            return Claimed(ClaimOutcome.ENDED)
        round_open(participant, round_id, position=due.position or 0, at=job.at)
    elif round_time_out(round_id=round_id):
        # It ended while nobody was there: shown once more, with the reason.
        return claim_finished(round_id)
    epoch = epoch_raise(round_id, tab=job.tab)
    return Claimed(ClaimOutcome.ENDED) if epoch is None else Claimed(ClaimOutcome.OWNED, round_id, epoch)


def round_open(participant: Participant, round_id: int, *, position: int, at: datetime) -> None:
    """Begin a planned round. From here on its time runs, if it has a limit."""
    # Practice, at position 0, takes as long as it takes.
    limit = version_document(participant.version).rounds_page_at(position).limit if position else None
    Round.objects.filter(pk=round_id, state=RoundState.PLANNED).update(
        state=RoundState.OPEN,
        started_at=at,
        last_at=at,
        ends_at=database_time_in(limit.seconds) if limit else None,
    )


def claim_finished(round_id: int) -> Claimed:
    return Claimed(ClaimOutcome.FINISHED, round_id, Round.objects.values_list("play_epoch", flat=True).get(pk=round_id))


def claim_again(participant: Participant, job: ClaimJob) -> Claimed:
    position, attempt = (int(part) for part in (job.label or "0.0").split("."))
    row = Round.objects.filter(participant=participant, position=position, attempt=attempt).first()
    if row is None or row.state in {RoundState.PLANNED, RoundState.VOID}:
        return Claimed(ClaimOutcome.ENDED)
    if row.state == RoundState.DONE or round_time_out(round_id=row.pk):
        return Claimed(ClaimOutcome.FINISHED, row.pk, row.play_epoch)
    epoch = epoch_raise(row.pk, tab=job.tab, held=job.epoch)
    if epoch is None:
        return Claimed(ClaimOutcome.TAKEN, row.pk, row.play_epoch)
    return Claimed(ClaimOutcome.OWNED, row.pk, epoch)


def epoch_raise(round_id: int, *, tab: str, held: int | None = None) -> int | None:
    """Raise the epoch of an open round, where `held` is given only from that one. Gives the new epoch or None.

    The tab that took the round last may always take it again: it misses the epoch if the answer to its claim was lost.
    """
    table = connection.ops.quote_name(Round._meta.db_table)
    condition = "" if held is None else " AND (play_epoch = %s OR tab = %s)"
    statement = (
        f"UPDATE {table} SET play_epoch = play_epoch + 1, tab = %s"  # noqa: S608
        f" WHERE id = %s AND state = {int(RoundState.OPEN)}{condition} RETURNING play_epoch"
    )
    parameters: list[Any] = [tab, round_id] if held is None else [tab, round_id, held, tab]
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        rows = cursor.fetchall()
    return rows[0][0] if rows else None


def note_claim(job: ClaimJob, claimed: Claimed) -> None:
    """Keep when and how a socket took the round."""
    if Event.objects.filter(participant_id=job.participant_id).count() >= MOST_EVENTS:
        return
    data = {"tab": job.tab, "motion": job.motion, "build": job.build}
    Event.objects.create(
        participant_id=job.participant_id,
        round_id=claimed.round_id,
        kind=EventKind.CONNECT if job.new else EventKind.RESUME,
        received_at=job.at,
        conn=claimed.epoch,
        data=json.dumps({key: value for key, value in data.items() if value is not None}, separators=(",", ":")),
    )
