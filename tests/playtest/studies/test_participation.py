"""What participants may do, what completion asks for, what withdrawal leaves, what is never changed."""

import json
from datetime import UTC, datetime, time

import pytest

from playtest.accounts.models import User
from playtest.immutable import ImmutableRowError
from playtest.levels.models import LevelVersion
from playtest.levels.services import levels_ensure_shipped
from playtest.studies.choices import Decision, EventKind, Kind, RoundState, SlotState, Status
from playtest.studies.errors import StudyError
from playtest.studies.models import (
    Answer,
    Attempt,
    Cell,
    Consent,
    Event,
    Move,
    PageVisit,
    Participant,
    Round,
    Slot,
    StudyVersion,
    Transition,
)
from playtest.studies.services import (
    consent_decide,
    participant_complete,
    participant_withdraw,
)
from playtest.studies.services.moves import AttemptJob, EventJob, EventRow, play_write
from tests.playtest.racing import race
from tests.playtest.studies.factory import make_participant, make_study, play_rounds
from tests.playtest.studies.jobs import move_after


@pytest.mark.django_db
def test_history_of_states_is_kept() -> None:
    participant, _ = make_participant(make_study())
    play_rounds(participant)
    assert participant_complete(participant=participant) == []
    steps = Transition.objects.filter(participant=participant).order_by("number")
    assert [(step.number, step.get_to_status_display()) for step in steps] == [
        (1, "started"),
        (2, "consented"),
        (3, "active"),
        (4, "completed"),
    ]
    assert participant.finished_at is not None
    assert participant_complete(participant=participant) == []
    assert Slot.objects.get(participant=participant).state == SlotState.DONE


@pytest.mark.django_db
@pytest.mark.parametrize("fault", ["gap", "score", "board", "unplayed", "answer", "page"])
def test_completion_is_a_checked_claim(fault: str, caplog: pytest.LogCaptureFixture) -> None:
    participant, _ = make_participant(make_study(questions=True))
    play_rounds(participant)
    row = participant.rounds.get(position=1)
    if fault == "gap":
        Move.objects.filter(round=row, seq=2).delete()
    elif fault == "score":
        Round.objects.filter(pk=row.pk).update(score=row.score + 60)
    elif fault == "board":
        Round.objects.filter(pk=row.pk).update(check_hex="0" * 16)
    elif fault == "unplayed":
        Round.objects.filter(pk=row.pk).update(state=RoundState.OPEN)
    elif fault == "answer":
        Answer.objects.filter(item_key="often").delete()
    else:
        PageVisit.objects.all().delete()
    faults = participant_complete(participant=participant)
    assert faults
    participant.refresh_from_db()
    assert participant.status == Status.ACTIVE
    event = Event.objects.get(kind=EventKind.INCOMPLETE)
    assert json.loads(event.data)["faults"] == faults[:5]
    # The file of the log outlives what somebody may take back: it has no score of theirs.
    assert f"Participant {participant.pk} cannot complete: {len(faults)} fault(s)" in caplog.text
    assert not any(one in caplog.text for one in faults)


@pytest.mark.django_db
def test_decision_is_made_once() -> None:
    participant, _ = make_participant(make_study())
    consent_decide(participant=participant, agree=True)
    with pytest.raises(StudyError):
        consent_decide(participant=participant, agree=False)
    stale = Participant.objects.get(pk=participant.pk)
    participant_withdraw(participant=participant)
    with pytest.raises(StudyError):
        participant_withdraw(participant=participant)
    with pytest.raises(StudyError, match="Meanwhile"):
        participant_withdraw(participant=stale)


@pytest.mark.django_db
def test_withdrawal_deletes_everything_but_an_empty_row_and_the_consent() -> None:
    study = make_study(questions=True)
    other, _ = make_participant(study)
    play_rounds(other)
    participant, _ = make_participant(study)
    row = participant.rounds.get(position=1)
    Round.objects.filter(pk=row.pk).update(state=RoundState.OPEN, play_epoch=1)
    now = datetime.now(UTC)
    play_write([AttemptJob(row.pk, 1, 1, "attempt-1", [[0, 0], [0, 1]], now)])
    play_write([EventJob(participant.pk, row.pk, 1, (EventRow(EventKind.HIDDEN, now),))])
    Participant.objects.filter(pk=participant.pk).update(
        recruiter="x", recruiter_id="y", query='{"a":["b"]}', extensions=2, given_minutes=5, ends_at=now
    )
    play_rounds(participant)
    participant.refresh_from_db()
    participant_withdraw(participant=participant)
    own = {"participant": participant}
    for model in (Round, Event, Answer, PageVisit, Slot, Consent):
        assert model.objects.filter(**own).count() == 0
    assert Move.objects.exclude(round__participant=other).count() == 0
    assert Attempt.objects.count() == 0
    kept = {
        name: value
        for name, value in Participant.objects.filter(pk=participant.pk).values()[0].items()
        if value is not None
    }
    assert (kept.pop("extensions"), kept.pop("given_minutes")) == (0, 0)
    assert set(kept) == {
        "id",
        "public_id",
        "study_id",
        "version_id",
        "kind",
        "status",
        "step",
        "started_at",
        "last_seen_at",
    }
    consent = Consent.objects.get(participant=None)
    assert consent.decision == Decision.AGREED
    assert (consent.at.time(), consent.withdrawn_at.time()) == (time(), time())
    assert (participant.started_at.time(), participant.last_seen_at.time()) == (time(), time())
    assert {step.at.time() for step in participant.transitions.all()} == {time()}
    assert Move.objects.filter(round__participant=other).count() == 6
    assert Slot.objects.get(number=2).state == SlotState.LOST


@pytest.mark.django_db
def test_who_completed_may_still_withdraw() -> None:
    participant, _ = make_participant(make_study())
    play_rounds(participant)
    participant_complete(participant=participant)
    participant_withdraw(participant=participant)
    assert Move.objects.count() == 0
    cell = Cell.objects.get(kind=Kind.PERSON)
    assert (cell.assigned, cell.completed, cell.lost) == (1, 0, 1)


@pytest.mark.django_db
@pytest.mark.parametrize("model", [StudyVersion, Consent, Transition, Move, Attempt, LevelVersion])
def test_rows_that_say_what_happened_are_never_changed(model: type, admin: User) -> None:
    levels_ensure_shipped()
    participant, _ = make_participant(make_study())
    row = participant.rounds.get(position=1)
    Round.objects.filter(pk=row.pk).update(state=RoundState.OPEN, play_epoch=1)
    play_write([AttemptJob(row.pk, 1, 1, "attempt-1", [[0, 0], [0, 1]], datetime.now(UTC))])
    play_write([move_after(row, [], epoch=1, client_id="test-move")])
    found = model.objects.first()
    with pytest.raises(ImmutableRowError):
        found.save()
    with pytest.raises(ImmutableRowError):
        model.objects.all().update(pk=found.pk)
    with pytest.raises(ImmutableRowError):
        model.objects.bulk_update([found], ["id"])


@pytest.mark.django_db(transaction=True)
def test_consents_that_arrive_at_once_assign_once() -> None:
    """Kind: two quick clicks on “I agree” are two requests at the same moment."""
    study = make_study()
    participant, _ = make_participant(study, agree=False)

    def agree() -> str:
        try:
            consent_decide(participant=Participant.objects.get(pk=participant.pk), agree=True)
        except StudyError as error:
            return error.code
        return "done"

    # Who comes second is told that it is decided, or finds it decided; nobody is assigned twice.
    assert set(race([agree] * 6)) <= {"done", "state"}
    assert Consent.objects.filter(participant=participant).count() == 1
    assert Slot.objects.filter(participant=participant).count() == 1
    assert Round.objects.filter(participant=participant).count() == 2
