"""Why each move is stored once: the fence, the plain insert, the retries, and processes that race for a round."""

import os
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from django.db import IntegrityError, OperationalError, connection, transaction

from engine.round import Round as EngineRound
from playtest.studies.choices import EndReason, EventKind, RoundState, Status
from playtest.studies.models import Attempt, Event, Move, Participant, Round
from playtest.studies.play import writer
from playtest.studies.play.writer import ConflictError, StorageError, write_with_retries
from playtest.studies.selectors.documents import round_level
from playtest.studies.services import participant_withdraw
from playtest.studies.services.claims import Claimed, ClaimJob, ClaimOutcome
from playtest.studies.services.limits import MOST_ATTEMPTS, MOST_EVENTS
from playtest.studies.services.moves import AttemptJob, EventJob, EventRow, Written, play_write
from tests.playtest.studies.factory import make_participant, make_study
from tests.playtest.studies.jobs import first_move, move_after

ROOT = Path(__file__).resolve().parents[3]


def claim(participant: Participant, *, new: bool = True, epoch: int | None = None, tab: str = "tab-1") -> Claimed:
    job = ClaimJob(participant_id=participant.pk, new=new, tab=tab, at=datetime.now(UTC), epoch=epoch, label="1.1")
    [claimed] = play_write([job])
    assert isinstance(claimed, Claimed)
    return claimed


def open_round(moves: int = 3, rounds: int = 2) -> tuple[Participant, Round]:
    participant, _ = make_participant(make_study(moves=moves, rounds=rounds))
    claimed = claim(participant)
    return participant, Round.objects.get(pk=claimed.round_id)


def attempt(row: Round, *, seq: int = 1, epoch: int = 1, client_id: str = "attempt-1") -> AttemptJob:
    return AttemptJob(row.pk, epoch, seq, client_id, [[0, 0], [0, 1]], datetime.now(UTC))


@pytest.mark.django_db
def test_move_passes_once() -> None:
    _, row = open_round()
    job = first_move(row, epoch=1)
    assert play_write([job]) == [Written.STORED]
    assert play_write([replace(job, client_id="another-id")]) == [Written.STALE_SEQ]
    assert Move.objects.count() == 1


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("change", "result"),
    [
        ({"play_epoch": 2}, Written.NOT_OWNER),
        ({"seq": 5}, Written.STALE_SEQ),
        ({"state": RoundState.VOID}, Written.ENDED),
        ({"state": RoundState.DONE, "reason": EndReason.MOVES, "ended_at": datetime.now(UTC)}, Written.OVER),
    ],
)
def test_fence_holds_back_what_others_decided(change: dict[str, object], result: Written) -> None:
    _, row = open_round()
    Round.objects.filter(pk=row.pk).update(**change)
    assert play_write([first_move(row, epoch=1)]) == [result]
    assert play_write([attempt(row)]) == [result]
    assert Move.objects.count() == Attempt.objects.count() == 0


@pytest.mark.django_db
def test_fence_holds_back_who_withdrew() -> None:
    participant, row = open_round()
    job = first_move(row, epoch=1)
    participant_withdraw(participant=participant)
    assert play_write([job]) == [Written.ENDED]
    assert Move.objects.count() == 0


@pytest.mark.django_db
def test_batch_stores_those_that_pass_and_answers_in_order() -> None:
    rounds = [open_round()[1] for _ in range(5)]
    Round.objects.filter(pk=rounds[2].pk).update(play_epoch=9)
    jobs = [first_move(row, epoch=1, client_id=f"client-{row.pk}") for row in reversed(rounds)]
    results = play_write([*jobs, attempt(rounds[2], epoch=9)])
    assert results == [Written.STORED] * 2 + [Written.NOT_OWNER] + [Written.STORED] * 3
    assert Move.objects.count() == 4
    assert Attempt.objects.count() == 1


@pytest.mark.django_db
def test_last_move_ends_the_round_in_the_same_statement() -> None:
    _, row = open_round(moves=1)
    job = first_move(row, epoch=1)
    assert job.over is EndReason.MOVES
    play_write([job])
    row.refresh_from_db()
    assert (row.state, row.reason, row.seq, row.score) == (RoundState.DONE, EndReason.MOVES, 1, job.score)
    assert row.ended_at == job.received_at
    assert row.check_hex == job.check_hex


@pytest.mark.django_db
def test_same_client_id_is_refused_by_the_second_wall_and_the_rest_of_the_batch_is_stored() -> None:
    rounds = [open_round()[1] for _ in range(3)]
    first = first_move(rounds[0], epoch=1, client_id="the-same-id")
    play_write([first])
    doubled = move_after(rounds[0], [first.action], epoch=1, client_id="the-same-id")
    others = [first_move(row, epoch=1) for row in rounds[1:]]
    with pytest.raises(IntegrityError), transaction.atomic():
        play_write([others[0], doubled, others[1]])
    results = write_with_retries([others[0], doubled, others[1]])
    assert results[0] is results[2] is Written.STORED
    assert isinstance(results[1], ConflictError)
    rounds[0].refresh_from_db()
    assert (rounds[0].seq, Move.objects.count()) == (1, 3)


@pytest.mark.django_db
def test_value_that_the_database_refuses_does_not_take_others_with_it() -> None:
    rounds = [open_round()[1] for _ in range(2)]
    bad = replace(first_move(rounds[0], epoch=1), flags=-1)
    results = write_with_retries([bad, first_move(rounds[1], epoch=1)])
    assert isinstance(results[0], ConflictError)
    assert results[1] is Written.STORED
    assert Move.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_database_that_goes_away_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    _, row = open_round()
    failures = [OperationalError("database is locked"), OperationalError("the connection is lost")]
    real = writer.play_write

    def sometimes(jobs: list[writer.Job]) -> list[writer.Result]:
        if failures:
            raise failures.pop()
        return real(jobs)

    monkeypatch.setattr(writer, "play_write", sometimes)
    monkeypatch.setattr(writer, "PAUSES", (0.0,) * 4)
    assert write_with_retries([first_move(row, epoch=1)]) == [Written.STORED]
    assert Move.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_database_that_stays_away_is_given_up_after_five_tries(monkeypatch: pytest.MonkeyPatch) -> None:
    _, row = open_round()
    tries: list[int] = []

    def never(jobs: list[writer.Job]) -> list[writer.Result]:
        tries.append(len(jobs))
        raise OperationalError("disk full")

    monkeypatch.setattr(writer, "play_write", never)
    monkeypatch.setattr(writer, "PAUSES", (0.0,) * 4)
    [result] = write_with_retries([first_move(row, epoch=1)])
    assert isinstance(result, StorageError)
    assert len(tries) == 5
    assert Move.objects.count() == 0


@pytest.mark.django_db
def test_attempts_beyond_the_limit_are_only_counted() -> None:
    _, row = open_round()
    Round.objects.filter(pk=row.pk).update(attempts=MOST_ATTEMPTS - 1)
    assert play_write([attempt(row, client_id="the-last-one")]) == [Written.STORED]
    assert play_write([attempt(row, client_id="one-too-many")]) == [Written.STORED]
    row.refresh_from_db()
    assert row.attempts == MOST_ATTEMPTS + 1
    assert list(Attempt.objects.values_list("client_id", flat=True)) == ["the-last-one"]


@pytest.mark.django_db
def test_events_beyond_the_limit_are_dropped() -> None:
    participant, row = open_round()
    Event.objects.bulk_create(
        Event(participant=participant, kind=EventKind.HIDDEN, received_at=datetime.now(UTC))
        for _ in range(MOST_EVENTS - Event.objects.count() - 2)
    )
    rows = tuple(EventRow(EventKind.VISIBLE, datetime.now(UTC)) for _ in range(5))
    play_write([EventJob(participant.pk, row.pk, 1, rows)])
    assert Event.objects.count() == MOST_EVENTS
    play_write([EventJob(participant.pk, row.pk, 1, rows)])
    assert claim(participant).outcome is ClaimOutcome.OWNED
    assert Event.objects.count() == MOST_EVENTS


@pytest.mark.django_db
def test_each_claim_raises_the_epoch_and_resume_needs_the_last_one() -> None:
    participant, row = open_round()
    assert claim(participant, tab="tab-2").epoch == 2
    assert claim(participant, new=False, epoch=1).outcome is ClaimOutcome.TAKEN
    assert claim(participant, new=False, epoch=2) == Claimed(ClaimOutcome.OWNED, row.pk, 3)
    assert claim(participant, new=False, epoch=2, tab="tab-2").outcome is ClaimOutcome.TAKEN
    row.refresh_from_db()
    assert row.play_epoch == 3


@pytest.mark.django_db
def test_a_tab_that_missed_the_answer_to_its_claim_resumes_with_the_epoch_it_knows() -> None:
    participant, row = open_round()
    assert claim(participant, new=False, epoch=1).epoch == 2
    assert claim(participant, new=False, epoch=1) == Claimed(ClaimOutcome.OWNED, row.pk, 3)
    assert claim(participant, tab="tab-2").epoch == 4
    assert claim(participant, new=False, epoch=1).outcome is ClaimOutcome.TAKEN


@pytest.mark.django_db
def test_one_round_is_open_at_a_time() -> None:
    participant, row = open_round()
    for _ in range(3):
        assert claim(participant).round_id == row.pk
    assert Round.objects.filter(participant=participant, state=RoundState.OPEN).count() == 1
    other = Round.objects.filter(participant=participant, state=RoundState.PLANNED)
    with pytest.raises(IntegrityError), transaction.atomic():
        other.update(state=RoundState.OPEN)


@pytest.mark.django_db(transaction=True)
def test_processes_that_race_for_the_same_rounds_acknowledge_only_what_is_stored() -> None:
    rounds = [open_round(moves=15, rounds=1)[1] for _ in range(4)]
    keys = [str(row.pk) for row in rounds]
    environment = {**os.environ, "RACE_DATABASE": str(connection.settings_dict["NAME"])}
    command = [sys.executable, "-W", "ignore", "-m", "tests.playtest.studies.race"]
    racers = [
        subprocess.Popen([*command, f"racer-{n}", *keys], cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True)
        for n in range(3)
    ]
    acknowledged: list[tuple[int, int, str]] = []
    for racer in racers:
        lines, _ = racer.communicate(timeout=120)
        assert racer.returncode == 0
        for line in lines.splitlines():
            round_id, seq, client_id = line.split()
            acknowledged.append((int(round_id), int(seq), client_id))
    stored = list(Move.objects.values_list("round_id", "seq", "client_id"))
    assert sorted(acknowledged) == sorted(stored)
    assert len(stored) == 4 * 15
    assert max(Counter((round_id, seq) for round_id, seq, _ in acknowledged).values()) == 1
    for row in rounds:
        row.refresh_from_db()
        codes = list(row.moves.order_by("seq").values_list("action", flat=True))
        assert EngineRound.replay(round_level(row), codes).score == row.score
        assert row.state == RoundState.DONE
        assert row.participant.status == Status.ACTIVE
