"""A withdrawal leaves a line that names the exports that held the person, so that staff know which files to delete."""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from threading import Thread
from typing import Any

import pytest
from django.db import connections
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from playtest.accounts.models import AuditLog, User
from playtest.studies import forgetting
from playtest.studies.choices import Kind, Status
from playtest.studies.export.options import ExportOptions, Selection
from playtest.studies.models import Participant, Study, Transition
from playtest.studies.services import participant_complete, participant_start, participant_withdraw, study_publish
from playtest.studies.services.exports import export_note
from tests.playtest.studies.factory import make_participant, make_study, play_rounds
from tests.playtest.studies.test_study_log import lines, log_of

ACTION = "participant.withdrawn"


@pytest.fixture
def study(designer: User) -> Study:
    study = make_study(rounds=1)
    Study.objects.filter(pk=study.pk).update(owner=designer)
    study.refresh_from_db()
    return study


def note(study: Study, *, anonymous: bool = False, ago: timedelta = timedelta(), **chosen: Any) -> AuditLog:
    """The line of an export that was made some time ago."""
    options = ExportOptions(anonymous=anonymous, selection=Selection(**chosen))
    export_note(study=study, by=study.owner, options=options.to_json())
    line = AuditLog.objects.filter(action="study.export").latest("pk")
    AuditLog.blanking().filter(pk=line.pk).update(at=timezone.now() - ago)
    return line


def came(participant: Participant, ago: timedelta) -> None:
    """Have a participant begun some time ago, with all states so far."""
    at = timezone.now() - ago
    Participant.objects.filter(pk=participant.pk).update(started_at=at)
    Transition.blanking().filter(participant=participant).update(at=at)
    participant.refresh_from_db()


def named(participant: Participant) -> list[int]:
    line = AuditLog.objects.get(action=ACTION, object_id=participant.pk)
    assert line.after is not None
    return [one["line"] for one in line.after["exports"]]


@pytest.mark.django_db
def test_line_names_every_export_that_held_them_and_no_other(study: Study) -> None:
    participant, _ = make_participant(study)
    came(participant, timedelta(hours=2))
    note(study, ago=timedelta(hours=3))
    held = [
        note(study, ago=timedelta(hours=1)),
        note(study, anonymous=True),
        note(study, kinds=(Kind.PERSON,), versions=(1,), statuses=(Status.ACTIVE, Status.COMPLETED)),
    ]
    note(study, kinds=(Kind.BOT,))
    note(study, versions=(2,))
    note(study, statuses=(Status.COMPLETED,))
    note(make_study(rounds=1))
    participant_withdraw(participant=participant)
    assert named(participant) == [line.pk for line in held]
    note(study)
    other, _ = make_participant(study)
    participant_withdraw(participant=other)
    assert named(other)[-1] == AuditLog.objects.filter(action="study.export").latest("pk").pk


@pytest.mark.django_db
def test_an_export_by_states_held_who_was_in_one_of_them_then(study: Study) -> None:
    participant, _ = make_participant(study)
    came(participant, timedelta(hours=2))
    play_rounds(participant)
    active = note(study, statuses=(Status.ACTIVE,), ago=timedelta(hours=1))
    note(study, statuses=(Status.COMPLETED,), ago=timedelta(hours=1))
    assert participant_complete(participant=participant) == []
    done = Transition.blanking().filter(participant=participant, to_status=Status.COMPLETED)
    done.update(at=timezone.now() - timedelta(minutes=30))
    note(study, statuses=(Status.ACTIVE,), ago=timedelta(minutes=10))
    completed = note(study, statuses=(Status.COMPLETED,), ago=timedelta(minutes=10))
    participant_withdraw(participant=participant)
    assert named(participant) == [active.pk, completed.pk]


@pytest.mark.django_db
def test_an_export_that_was_noted_just_before_they_came_may_have_held_them(study: Study) -> None:
    """It is noted before it reads: between the two somebody may begin."""
    earlier = note(study)
    participant = participant_start(study=study, kind=Kind.PERSON).participant
    participant_withdraw(participant=participant)
    assert named(participant) == [earlier.pk]


@pytest.mark.django_db
def test_line_says_nothing_of_the_person_and_not_the_time_of_day(study: Study) -> None:
    participant = participant_start(study=study, kind=Kind.PERSON, query={"PROLIFIC_PID": ["PID-12345"]}).participant
    Participant.objects.filter(pk=participant.pk).update(recruiter="prolific", recruiter_id="PID-12345")
    participant.refresh_from_db()
    secrets = [participant.code, participant.public_id, participant.token_hash, str(participant.seed), "PID-12345"]
    export = note(study, anonymous=True)
    participant_withdraw(participant=participant)
    line = AuditLog.objects.get(action=ACTION)
    whole = json.dumps(AuditLog.objects.filter(pk=line.pk).values()[0], default=str)
    assert not [secret for secret in secrets if str(secret) in whole]
    assert (line.actor, line.reason, line.before) == (None, "", None)
    assert (line.at.hour, line.at.minute, line.at.second, line.at.microsecond) == (0, 0, 0, 0)
    export.refresh_from_db()
    (held,) = line.after["exports"]
    assert (held["line"], held["anonymous"]) == (export.pk, True)
    assert set(line.after) == {"study", "exports"}


@pytest.mark.django_db
def test_log_of_the_study_says_in_words_which_files_to_delete(study: Study, designer_client: Client) -> None:
    first, _ = make_participant(study)
    participant_withdraw(participant=first)
    today = f"{timezone.now():%d %B %Y}".removeprefix("0")
    found = lines(designer_client, log_of(study))[0]
    assert f"{today} | The participant | Withdrew; all data were deleted | no export held them" in found
    second, _ = make_participant(study)
    came(second, timedelta(days=9_999))
    for anonymous in (False, True):
        line = note(study, anonymous=anonymous)
        AuditLog.blanking().filter(pk=line.pk).update(at=datetime(2026, 5, 4, 3, 2, tzinfo=UTC))
    participant_withdraw(participant=second)
    found = lines(designer_client, log_of(study))[0]
    assert "to be deleted or made anew: export of 4 May 2026, 03:02 UTC" in found
    assert "to be deleted or made anew: anonymised export of 4 May 2026, 03:02 UTC" in found
    assert "Withdrew" in lines(designer_client, reverse("accounts:log"))[0]


@pytest.mark.django_db
def test_of_hundreds_of_exports_the_newest_are_named_and_the_others_counted(
    study: Study, designer_client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("playtest.studies.services.withdrawal.MOST_NAMED", 2)
    participant, _ = make_participant(study)
    made = [note(study) for _ in range(5)]
    participant_withdraw(participant=participant)
    assert named(participant) == [made[3].pk, made[4].pk]
    assert "and 3 earlier exports" in lines(designer_client, log_of(study))[0]


@pytest.mark.django_db
def test_preview_that_is_stopped_leaves_no_line(study: Study) -> None:
    preview, _ = make_participant(study, kind=Kind.PREVIEW)
    participant_withdraw(participant=preview)
    assert not AuditLog.objects.filter(action=ACTION).exists()


@pytest.mark.django_db(transaction=True)
def test_no_export_begins_unseen_while_a_withdrawal_is_being_written(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would read everything of the person, and the line that names exports would be written without it."""
    participant, _ = make_participant(study)
    forget: Callable[[Participant], None] = forgetting.forget

    def export() -> None:
        try:
            export_note(study=study, by=None, options=ExportOptions().to_json())
        finally:
            connections.close_all()

    beside = Thread(target=export)

    def forget_while_somebody_exports(leaving: Participant) -> None:
        beside.start()
        beside.join(0.5)
        assert beside.is_alive(), "the export waits until the withdrawal is done"
        forget(leaving)

    monkeypatch.setattr(forgetting, "forget", forget_while_somebody_exports)
    participant_withdraw(participant=participant)
    beside.join(30)
    assert AuditLog.objects.filter(action="study.export").count() == 1
    assert named(participant) == []


@pytest.mark.django_db
def test_people_of_an_earlier_version_are_looked_for_by_their_own(study: Study) -> None:
    participant, _ = make_participant(study)
    Study.objects.filter(pk=study.pk).update(draft={**study.draft, "title": "Another title"})
    study.refresh_from_db()
    assert study_publish(study=study).number == 2
    first = note(study, versions=(1,))
    note(study, versions=(2,))
    participant_withdraw(participant=participant)
    assert named(participant) == [first.pk]
