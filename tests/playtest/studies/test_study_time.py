"""The time of a study as a whole: told, warned of, more of it, and its end, whoever is there. Clocks are moved."""

from datetime import timedelta
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.core.management import call_command
from django.db.models import F
from django.http import QueryDict
from django.test import Client
from django.urls import reverse

from playtest.accounts.models import AuditLog, User
from playtest.studies.choices import AWAY, EventKind, RoundState, SlotState, Status, StudyState
from playtest.studies.cookies import PAGE_COOKIE
from playtest.studies.document import parse_study
from playtest.studies.editor.differences import differences
from playtest.studies.editor.study_form import StudyForm
from playtest.studies.errors import StudyError
from playtest.studies.models import Event, Move, Participant, Round, Slot, Study
from playtest.studies.play.hub import Hub
from playtest.studies.services import participant_withdraw, study_create, study_publish
from playtest.studies.services.dropouts import participant_come_back
from playtest.studies.services.total_time import MOST_GIVEN, total_extend, total_give, total_time_out, totals_time_out
from tests.playtest.studies.client import PlayClient, rows_of
from tests.playtest.studies.factory import make_participant, play_rounds, study_document

TOTAL: dict[str, Any] = {"minutes": 60, "warn": 5, "more": {"minutes": 10, "times": 2}}


def limited(total: object = None, **kwargs: Any) -> dict[str, Any]:
    return {**study_document(**kwargs), "limits": {"total": TOTAL if total is None else total}}


def limited_study(total: object = None, **kwargs: Any) -> Study:
    study = study_create(owner=None, document=limited(total, **kwargs))
    study_publish(study=study)
    return study


def pass_time(participant: Participant, minutes: float) -> None:
    """Let the stored end come nearer, as if so much time had gone by."""
    own = Participant.objects.filter(pk=participant.pk)
    assert own.update(ends_at=F("ends_at") - timedelta(minutes=minutes)) == 1
    participant.refresh_from_db()


def late(participant: Participant) -> Participant:
    """Somebody whose time ran out."""
    pass_time(participant, 61)
    assert total_time_out(participant_id=participant.pk)
    participant.refresh_from_db()
    return participant


def browser(token: str) -> Client:
    client = Client()
    client.cookies[PAGE_COOKIE] = token
    return client


def address(study: Study, name: str, *args: str) -> str:
    return reverse(f"studies:{name}", args=[study.public_id, *args])


# --- The document and the editor -------------------------------------------------------------------------------------


def total_of(total: object) -> dict[str, Any] | None:
    limits = parse_study(limited(total)).to_document().get("limits")
    return limits and limits["total"]


def test_total_comes_with_a_warning_and_with_more_time() -> None:
    assert total_of({"minutes": 60}) == {"minutes": 60, "warn": 5, "more": {"minutes": 10, "times": 10}}
    assert total_of({"minutes": 4}) == {"minutes": 4, "warn": 2, "more": {"minutes": 10, "times": 10}}
    assert total_of(TOTAL) == TOTAL
    assert "limits" not in parse_study({**study_document(), "limits": {"total": None}}).to_document()


@pytest.mark.parametrize(
    ("total", "words"),
    [
        ({"minutes": 1}, "limits, total, minutes: 1 is outside of 2 to 10080"),
        ({"minutes": 60, "warn": 60}, "limits, total, warn: the warning comes 60 min before the end, but the study"),
        ({"minutes": 60, "more": {"minutes": 0}}, "limits, total, more, minutes: 0 is outside of 1 to 1440"),
        ({"minutes": 60, "often": 5}, "limits, total: the key “often” is not known"),
    ],
)
def test_total_that_cannot_be_is_refused_in_a_sentence(total: object, words: str) -> None:
    with pytest.raises(StudyError) as caught:
        parse_study(limited(total))
    assert words in str(caught.value)


def study_form(value: dict[str, Any], **typed: str) -> StudyForm:
    data = QueryDict(mutable=True)
    data.update({"title": "A study", "summary": "", "language": "en", **typed})
    return StudyForm(data, value=value)


def test_editor_sets_and_takes_away_the_time_of_a_study() -> None:
    form = study_form(study_document(), **{"total-minutes": "60", "total-warn": "5", "total-more-times": "3"})
    assert form.is_valid(), form.errors
    changed = form.document()
    assert changed["limits"] == {"total": {"minutes": 60, "warn": 5, "more": {"times": 3}}}
    assert StudyForm(value=changed)["total-minutes"].value() == 60
    cleared = study_form(changed)
    assert cleared.is_valid(), cleared.errors
    assert "limits" not in cleared.document()


def test_editor_says_at_the_field_what_is_wrong_with_the_time_of_a_study() -> None:
    form = study_form(study_document(), **{"total-minutes": "10", "total-warn": "10"})
    assert not form.is_valid()
    assert "The warning comes 10 min before the end" in str(form.errors["total-warn"])


def test_time_of_a_study_is_told_in_differences() -> None:
    told = {one.place: one.after for one in differences(study_document(), limited())}
    assert told["The study, limits on time"] == "total minutes 60, warn 5, more minutes 10, times 2"


# --- The clock -------------------------------------------------------------------------------------------------------


@pytest.mark.django_db
def test_time_begins_with_the_consent_and_not_before() -> None:
    study = limited_study()
    waiting, _ = make_participant(study, agree=False)
    participant, _ = make_participant(study)
    waiting.refresh_from_db()
    participant.refresh_from_db()
    assert waiting.ends_at is None
    assert participant.ends_at is not None
    assert abs((participant.ends_at - participant.last_seen_at).total_seconds() - 3_600) < 5


@pytest.mark.django_db
def test_whose_time_is_up_is_timed_out_and_the_place_goes_to_the_next() -> None:
    study = limited_study()
    gone, there = make_participant(study)[0], make_participant(study)[0]
    seen_at = Participant.objects.get(pk=gone.pk).last_seen_at
    number = gone.assignment
    pass_time(gone, 60.2)
    pass_time(there, 59)
    assert totals_time_out() == 1
    assert totals_time_out() == 0
    gone.refresh_from_db()
    there.refresh_from_db()
    assert (gone.status, gone.assignment, gone.last_seen_at) == (Status.TIMED_OUT, None, seen_at)
    assert there.status == Status.ACTIVE
    assert Slot.objects.get(participant=gone).state == SlotState.LOST
    newcomer, _ = make_participant(study)
    assert newcomer.assignment == number


@pytest.mark.django_db(transaction=True)
def test_who_has_done_everything_by_the_end_is_completed() -> None:
    participant, _ = make_participant(limited_study())
    play_rounds(participant)
    pass_time(participant, 70)
    call_command("reconcile", "--once")
    participant.refresh_from_db()
    assert participant.status == Status.COMPLETED


@pytest.mark.django_db
def test_time_runs_on_while_the_study_is_paused_and_while_somebody_is_away() -> None:
    study = limited_study()
    participant, _ = make_participant(study)
    Study.objects.filter(pk=study.pk).update(state=StudyState.PAUSED)
    Participant.objects.filter(pk=participant.pk).update(status=Status.RETURNED)
    pass_time(participant, 61)
    assert not participant_come_back(participant=participant)
    assert participant.status == Status.RETURNED


@pytest.mark.django_db
def test_more_time_is_given_as_often_as_the_study_says_and_noted() -> None:
    participant, _ = make_participant(limited_study())
    participant.refresh_from_db()
    before = participant.ends_at
    limit = parse_study(limited()).limits.total
    assert limit is not None
    assert before is not None
    assert total_extend(participant=participant, limit=limit)
    assert total_extend(participant=participant, limit=limit)
    assert not total_extend(participant=participant, limit=limit)
    participant.refresh_from_db()
    assert (participant.ends_at, participant.extensions) == (before + timedelta(minutes=20), 2)
    data = Event.objects.filter(participant=participant, kind=EventKind.MORE_TIME).values_list("data", flat=True)
    assert list(data) == ['{"seconds":600,"times":1}', '{"seconds":600,"times":2}']


@pytest.mark.django_db
def test_nobody_gets_more_time_by_themselves_after_the_end() -> None:
    participant, _ = make_participant(limited_study())
    pass_time(participant, 61)
    limit = parse_study(limited()).limits.total
    assert limit is not None
    assert not total_extend(participant=participant, limit=limit)


# --- Staff -----------------------------------------------------------------------------------------------------------


@pytest.mark.django_db
def test_staff_give_more_time_and_who_was_late_comes_back_to_the_same_round(designer: User) -> None:
    study = limited_study()
    participant, token = make_participant(study)
    play_rounds(participant, position=1)
    late(participant)
    client = browser(token)
    assert "time for this study is up" in client.get(address(study, "next"), follow=True).text
    assert client.post(address(study, "start")).status_code == 302
    participant.refresh_from_db()
    assert participant.status == Status.TIMED_OUT
    total_give(participant=participant, minutes=15, by=designer)
    assert participant.ends_at is not None
    client.post(address(study, "start"))
    participant.refresh_from_db()
    assert (participant.status, participant.given_minutes) == (Status.ACTIVE, 15)
    assert "Round 2 of 2" in client.get(address(study, "next"), follow=True).text
    line = AuditLog.objects.get(action="participant.more_time")
    assert (line.actor, line.after) == (designer, {"study": study.pk, "minutes": 15})


@pytest.mark.django_db
def test_time_that_staff_give_is_added_to_what_is_left(designer: User) -> None:
    participant, _ = make_participant(limited_study())
    participant.refresh_from_db()
    before = participant.ends_at
    total_give(participant=participant, minutes=5, by=designer)
    assert before is not None
    assert participant.ends_at == before + timedelta(minutes=5)


@pytest.mark.django_db
@pytest.mark.parametrize("minutes", [0, MOST_GIVEN + 1])
def test_a_number_of_minutes_that_cannot_be_is_refused(designer: User, minutes: int) -> None:
    participant, _ = make_participant(limited_study())
    with pytest.raises(StudyError, match="between 1 and"):
        total_give(participant=participant, minutes=minutes, by=designer)


@pytest.mark.django_db
def test_time_is_not_given_where_none_runs(designer: User) -> None:
    free, _ = make_participant(limited_study({"minutes": 10}), agree=False)
    with pytest.raises(StudyError, match="No time runs"):
        total_give(participant=free, minutes=5, by=designer)
    participant, _ = make_participant(limited_study())
    play_rounds(participant)
    pass_time(participant, 61)
    totals_time_out()
    with pytest.raises(StudyError, match="came to an end"):
        total_give(participant=participant, minutes=5, by=designer)


@pytest.mark.django_db
def test_staff_page_gives_time_and_tells_of_it(designer: User, designer_client: Client) -> None:
    study = limited_study()
    Study.objects.filter(pk=study.pk).update(owner=designer)
    participant, _ = make_participant(study)
    page = reverse("studies_staff:participant", args=[study.pk, participant.pk])
    assert "Give more time" in designer_client.get(page).text
    give = reverse("studies_staff:participant_time", args=[study.pk, participant.pk])
    assert "They have more time now" in designer_client.post(give, {"minutes": "12"}, follow=True).text
    assert "Staff gave 12 minutes more" in designer_client.get(page).text
    assert "between 1 and" in designer_client.post(give, {"minutes": "1_0"}, follow=True).text


@pytest.mark.django_db
def test_withdrawal_leaves_nothing_of_the_time(designer: User) -> None:
    participant, _ = make_participant(limited_study())
    total_give(participant=participant, minutes=5, by=designer)
    participant_withdraw(participant=participant)
    participant.refresh_from_db()
    assert (participant.ends_at, participant.extensions, participant.given_minutes) == (None, 0, 0)


# --- The participant's pages -----------------------------------------------------------------------------------------


@pytest.mark.django_db
def test_consent_tells_of_the_time_and_pages_warn_before_it_is_up() -> None:
    study = limited_study(questions=True)
    other = make_participant(study, agree=False)[1]
    assert "you have 60 minutes for the whole study" in browser(other).get(address(study, "consent")).text
    participant, token = make_participant(study)
    client = browser(token)
    page = client.get(address(study, "next"), follow=True)
    assert 'data-warn="300000"' in page.text
    assert "hidden>" in page.text[page.text.index("data-study-time") :][:200]
    pass_time(participant, 56)
    near = client.get(address(study, "next"), follow=True)
    assert "hidden>" not in near.text[near.text.index("data-study-time") :][:200]
    assert "Time left for the study" in near.text


@pytest.mark.django_db
def test_button_gives_more_time_with_and_without_the_script() -> None:
    study = limited_study()
    participant, token = make_participant(study)
    client = browser(token)
    assert client.post(address(study, "time"), {"more": "1"}).status_code == 302
    answer = client.post(address(study, "time"), {"more": "1", "script": "1"}).json()
    assert answer["extended"]
    assert answer["time"]["more_left"] == 0
    assert 79 * 60_000 < answer["time"]["left_ms"] <= 80 * 60_000
    assert not client.post(address(study, "time"), {"more": "1", "script": "1"}).json()["extended"]
    assert Participant.objects.get(pk=participant.pk).extensions == 2


@pytest.mark.django_db
def test_page_that_asks_when_the_time_is_up_is_led_to_the_end() -> None:
    study = limited_study()
    participant, token = make_participant(study)
    pass_time(participant, 61)
    client = browser(token)
    assert client.post(address(study, "time"), {"script": "1"}).json() == {"time": None, "extended": False}
    participant.refresh_from_db()
    assert participant.status == Status.TIMED_OUT
    end = client.get(address(study, "next"), follow=True)
    assert end.redirect_chain[-1][0] == address(study, "end")
    assert "Go on" not in end.text


@pytest.mark.django_db
def test_answers_that_come_long_after_the_end_are_not_taken() -> None:
    study = limited_study(questions=True)
    participant, token = make_participant(study, agree=False)
    client = browser(token)
    client.post(address(study, "consent"), {"decision": "agree"})
    pass_time(participant, 61)
    answers = {"often": "daily", "age": "40", "words": "", "fun": "4"}
    client.post(address(study, "page", "profile"), answers)
    participant.refresh_from_db()
    assert participant.status in AWAY
    assert not participant.answers.exists()


@pytest.mark.django_db
def test_without_a_limit_nothing_is_shown() -> None:
    study = study_create(owner=None, document=study_document())
    study_publish(study=study)
    _, token = make_participant(study)
    client = browser(token)
    assert "data-study-time" not in client.get(address(study, "next"), follow=True).text
    assert client.post(address(study, "time"), {"more": "1", "script": "1"}).json()["time"] is None


# --- At the socket ---------------------------------------------------------------------------------------------------


async def newcomer() -> tuple[Participant, PlayClient]:
    study = await sync_to_async(limited_study)()
    participant, token = await sync_to_async(make_participant)(study)
    return participant, PlayClient(study.public_id, token)


async def test_play_ends_with_the_study_without_a_word_of_the_client(hub: Hub) -> None:
    participant, client = await newcomer()
    await client.hello()
    await client.play()
    await sync_to_async(pass_time)(participant, 60 - 1 / 120)
    await hub.watch()
    assert (await client.expect("error"))["code"] == "ended"
    await sync_to_async(participant.refresh_from_db)()
    assert participant.status == Status.TIMED_OUT
    row = (await rows_of(participant))[0]
    assert (row.state, row.seq) == (RoundState.OPEN, 1)


async def test_move_after_the_end_of_the_study_is_refused_and_not_stored(hub: Hub) -> None:
    participant, client = await newcomer()
    await client.hello()
    socket = next(socket for _, socket in hub.seats.values())
    socket.alarm.stop()
    await sync_to_async(pass_time)(participant, 61)
    socket.live.study_deadline -= 61 * 60
    await client.send(client.wish(client.legal()[0]))
    assert (await client.expect("reject"))["reason"] == "over"
    assert (await client.expect("error"))["code"] == "ended"
    assert await sync_to_async(Move.objects.count)() == 0


async def test_process_that_was_not_told_of_the_end_cannot_write(hub: Hub) -> None:
    participant, client = await newcomer()
    await client.hello()
    await sync_to_async(late)(participant)
    await client.send(client.wish(client.legal()[0]))
    refused = await client.receive()
    assert (refused["t"], refused.get("code", refused.get("reason"))) in {("error", "ended"), ("reject", "not_owner")}
    assert await sync_to_async(Move.objects.count)() == 0


async def test_more_time_reaches_a_board_that_is_open(hub: Hub, db: None) -> None:
    participant, client = await newcomer()
    await client.hello()
    socket = next(socket for _, socket in hub.seats.values())
    before = socket.live.study_deadline
    own = Participant.objects.filter(pk=participant.pk)
    await sync_to_async(own.update)(ends_at=F("ends_at") + timedelta(minutes=10))
    await hub.watch()
    assert abs(socket.live.study_deadline - before - 600) < 1
    await client.leave()


async def test_who_is_late_gets_no_round(hub: Hub) -> None:
    participant, client = await newcomer()
    await sync_to_async(late)(participant)
    assert await client.connect()
    await client.say_hello()
    assert (await client.expect("error"))["code"] == "ended"
    assert await sync_to_async(Round.objects.filter(state=RoundState.OPEN).count)() == 0
