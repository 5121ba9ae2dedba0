"""The time of a round: the warning, more of it, and its end, whoever is there. Clocks are moved, not waited for."""

from datetime import timedelta
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.core.management import call_command
from django.db.models import F
from django.http import QueryDict

from playtest.studies.choices import EndReason, EventKind, Kind, RoundState, Status
from playtest.studies.document import parse_study
from playtest.studies.editor.differences import differences
from playtest.studies.editor.forms import RoundsForm
from playtest.studies.editor.shown import pages_shown
from playtest.studies.editor.study_form import StudyForm
from playtest.studies.editor.time_fields import ROUND_FIELDS, SILENCE
from playtest.studies.errors import StudyError
from playtest.studies.models import Event, Move, Participant, Round, Study
from playtest.studies.play.hub import Hub
from playtest.studies.services import study_create, study_publish
from playtest.studies.services.clocks import GRACE_SECONDS, round_time_out
from playtest.studies.services.completion import completion_faults
from tests.playtest.studies.client import PlayClient, rows_of
from tests.playtest.studies.factory import make_participant, study_document

LIMIT = {"seconds": 300, "warn": 60, "more": {"seconds": 120, "times": 2}}


def timed_document(limit: object = None, **kwargs: Any) -> dict[str, Any]:
    document = study_document(**kwargs)
    page = next(page for page in document["pages"] if page["kind"] == "rounds")
    page["limit"] = LIMIT if limit is None else limit
    return document


def timed_study(limit: object = None, **kwargs: Any) -> Study:
    study = study_create(owner=None, document=timed_document(limit, **kwargs))
    study_publish(study=study)
    return study


async def newcomer(**kwargs: Any) -> tuple[Participant, PlayClient]:
    study = await sync_to_async(timed_study)(**kwargs)
    participant, token = await sync_to_async(make_participant)(study, kind=Kind.PERSON)
    return participant, PlayClient(study.public_id, token)


async def pass_time(participant: Participant, seconds: float) -> None:
    """Let the stored end of the open round come nearer, as if so much time had gone by."""
    own = Round.objects.filter(participant=participant, state=RoundState.OPEN)
    assert await sync_to_async(own.update)(ends_at=F("ends_at") - timedelta(seconds=seconds)) == 1


# --- The document ----------------------------------------------------------------------------------------------------


def limit_of(limit: object) -> dict[str, Any] | None:
    page = next(page for page in parse_study(timed_document(limit)).to_document()["pages"] if page["kind"] == "rounds")
    return page.get("limit")


def test_limit_is_off_unless_asked_for_and_a_study_without_one_is_written_as_before() -> None:
    document = parse_study(study_document()).to_document()
    assert "limit" not in document["pages"][1]
    assert "limits" not in document


def test_limit_comes_with_a_warning_and_with_more_time() -> None:
    assert limit_of({"seconds": 300}) == {"seconds": 300, "warn": 60, "more": {"seconds": 120, "times": 10}}
    assert limit_of({"seconds": 50}) == {"seconds": 50, "warn": 25, "more": {"seconds": 120, "times": 10}}
    assert limit_of(LIMIT) == LIMIT


@pytest.mark.parametrize(
    ("limit", "words"),
    [
        ({"seconds": 39}, "Page 2, limit, seconds: 39 is outside of 40 to 14400"),
        ({"seconds": 300, "warn": 19}, "Page 2, limit, warn: 19 is outside of 20 to 14400"),
        ({"seconds": 60, "warn": 60}, "Page 2, limit, warn: the warning comes 60 s before the end, but a round takes"),
        ({"seconds": 60, "more": {"seconds": 5}}, "Page 2, limit, more, seconds: 5 is outside of 20 to 3600"),
        ({"seconds": 60, "more": {"often": 5}}, "Page 2, limit, more: the key “often” is not known"),
        ({"seconds": True}, "Page 2, limit, seconds: a whole number is needed here"),
        ([], "Page 2, limit: an object with keys is needed here"),
    ],
)
def test_limit_that_cannot_be_is_refused_in_a_sentence(limit: object, words: str) -> None:
    with pytest.raises(StudyError) as caught:
        parse_study(timed_document(limit))
    assert words in str(caught.value)


def test_silence_is_read_and_bounded() -> None:
    document = parse_study({**study_document(), "limits": {"silence": 30}})
    assert document.limits.silence == 30
    assert document.to_document()["limits"] == {"silence": 30}
    with pytest.raises(StudyError, match="limits, silence: 4 is outside of 5 to 10080"):
        parse_study({**study_document(), "limits": {"silence": 4}})


# --- At the socket ---------------------------------------------------------------------------------------------------


async def test_state_says_how_much_time_there_is(hub: Hub) -> None:
    _, client = await newcomer()
    state = await client.hello()
    limit = state["limit"]
    assert 290_000 < limit.pop("left_ms") <= 300_000
    assert limit == {"warn_ms": 60_000, "more_ms": 120_000, "more_left": 2}
    assert state["say"].startswith("Round 1 of 2. 3 moves left. 0 points. Time left: ")
    await client.leave()


async def test_clock_runs_on_while_nobody_is_there(hub: Hub) -> None:
    participant, client = await newcomer()
    await client.hello()
    await client.leave()
    await pass_time(participant, 200)
    again = PlayClient(client.study, client.token)
    state = await again.hello()
    assert 80_000 < state["limit"]["left_ms"] <= 100_000
    await again.leave()


async def test_warning_comes_once_and_says_what_can_be_had(hub: Hub) -> None:
    _, client = await newcomer(limit={"seconds": 3_600, "warn": 1_800, "more": {"times": 2}})
    await client.hello()
    socket = next(socket for _, socket in hub.seats.values())
    # The half hour before the warning is left out.
    socket.live.deadline -= 1_799.5
    socket.set_alarm()
    warning = await client.expect("limit")
    assert warning["left_ms"] <= 1_800_000
    assert (warning["more_ms"], warning["more_left"]) == (120_000, 2)
    assert warning["say"] == "Time left: 30 minutes. The button “More time” gives you 2 minutes more."
    assert await client.quiet()
    await client.leave()


def client_again(client: PlayClient) -> PlayClient:
    return PlayClient(client.study, client.token, tab="tab-2")


async def test_more_time_is_given_as_often_as_the_study_says_and_noted(hub: Hub) -> None:
    participant, client = await newcomer()
    await client.hello()
    for left, spent in ((1, 0), (0, 0)):
        await client.send({"t": "more"})
        limit = await client.expect("limit")
        assert limit["more_left"] == left
        assert limit["left_ms"] > 300_000 + (1 - left) * 120_000 + 110_000 + spent
    assert limit["say"].startswith("You have more time: 9 minutes ")
    await client.send({"t": "more"})
    refused = await client.expect("limit")
    assert (refused["more_ms"], refused["more_left"]) == (0, 0)
    assert refused["say"].startswith("Time left: ")
    assert (await rows_of(participant))[0].extensions == 2
    data = await sync_to_async(lambda: list(Event.objects.filter(kind=EventKind.MORE_TIME).values_list("data")))()
    assert data == [('{"seconds":120,"times":1}',), ('{"seconds":120,"times":2}',)]
    await client.leave()
    state = await client_again(client).hello()
    assert state["limit"]["left_ms"] > 500_000


async def test_round_ends_by_time_without_a_word_of_the_client(hub: Hub) -> None:
    participant, client = await newcomer()
    await client.hello()
    ack = await client.play()
    # The stored end moves to half a second from now; the socket's own clock follows at its next look.
    await pass_time(participant, 299.5)
    await hub.watch()
    assert (await client.expect("limit"))["left_ms"] <= 1_000
    state = await client.expect("state")
    assert (state["over"], state["limit"], state["score"]) == ({"reason": "time"}, None, ack["score"])
    assert state["say"].startswith("Round 1 of 2. The time for this round is up.")
    end = await client.expect("end")
    assert (end["reason"], end["score"]) == ("time", ack["score"])
    row = (await rows_of(participant))[0]
    assert (row.state, row.reason, row.seq) == (RoundState.DONE, EndReason.TIME, 1)
    assert row.ended_at == row.ends_at
    await client.leave()


async def test_move_after_the_time_is_refused_shown_and_not_stored(hub: Hub) -> None:
    participant, client = await newcomer()
    await client.hello()
    await client.play()
    # Its own clock is stopped, so that the move itself is what finds the time up.
    live = next(socket.live for _, socket in hub.seats.values())
    next(socket for _, socket in hub.seats.values()).alarm.stop()
    await pass_time(participant, 301)
    live.deadline -= 301
    await client.send(client.wish(client.legal()[0]))
    assert (await client.expect("reject"))["reason"] == "over"
    assert (await client.expect("state"))["over"] == {"reason": "time"}
    assert (await client.expect("end"))["reason"] == "time"
    await client.send(client.wish(client.legal()[0]))
    assert (await client.expect("reject"))["reason"] == "over"
    assert await sync_to_async(Move.objects.count)() == 1
    await client.leave()


async def test_who_comes_back_after_the_time_sees_that_it_is_up_and_goes_on_with_the_next_round(hub: Hub) -> None:
    participant, client = await newcomer()
    state = await client.hello()
    await client.play()
    await client.leave()
    await pass_time(participant, 400)
    again = client_again(client)
    await again.resume(state)
    assert (await again.expect("state"))["over"] == {"reason": "time"}
    assert (await again.expect("end"))["reason"] == "time"
    await again.leave()
    third = client_again(client)
    state = await third.hello()
    assert (state["round"], state["over"]) == ("2.1", None)
    assert state["limit"]["left_ms"] > 290_000
    await third.leave()


# --- Without a socket ------------------------------------------------------------------------------------------------


@pytest.mark.django_db(transaction=True)
def test_reconciler_ends_what_nobody_plays_any_more_and_completes_who_has_done_everything() -> None:
    study = timed_study(rounds=1)
    participant, _ = make_participant(study)
    other, _ = make_participant(study)
    now = Participant.objects.get(pk=participant.pk).started_at
    own = Round.objects.filter(participant=participant)
    own.update(state=RoundState.OPEN, started_at=now, ends_at=now - timedelta(seconds=GRACE_SECONDS + 60))
    Round.objects.filter(participant=other).update(state=RoundState.OPEN, ends_at=now + timedelta(seconds=600))
    call_command("reconcile", "--once")
    row = own.get()
    assert (row.state, row.reason, row.ended_at) == (RoundState.DONE, EndReason.TIME, row.ends_at)
    participant.refresh_from_db()
    assert (participant.status, completion_faults(participant)) == (Status.COMPLETED, [])
    assert Round.objects.get(participant=other).state == RoundState.OPEN


@pytest.mark.django_db
def test_round_is_left_to_its_process_for_a_moment_and_ended_once() -> None:
    participant, _ = make_participant(timed_study())
    row = Round.objects.filter(participant=participant).first()
    assert row is not None
    end = participant.started_at - timedelta(seconds=1)
    Round.objects.filter(pk=row.pk).update(state=RoundState.OPEN, ends_at=end)
    assert not round_time_out(round_id=row.pk, grace=GRACE_SECONDS + 60)
    assert round_time_out(round_id=row.pk)
    assert not round_time_out(round_id=row.pk)


# --- In the editor ---------------------------------------------------------------------------------------------------


def rounds_form(page: dict[str, Any], **typed: str) -> RoundsForm:
    data = QueryDict(mutable=True)
    data.update({"title": "Rounds", "text": "", "order": "fixed", "speed": "usual", **typed})
    return RoundsForm(data, value=page)


def test_editor_sets_and_takes_away_the_limit_of_a_page() -> None:
    page = timed_document()["pages"][1]
    shown = RoundsForm(value=page)
    assert [shown[name].value() for name in ROUND_FIELDS] == [300, 60, 120, 2]
    form = rounds_form(page, **{"limit-seconds": "200", "more-times": "0"})
    assert form.is_valid(), form.errors
    assert form.document()["limit"] == {"seconds": 200, "more": {"times": 0}}
    empty = rounds_form(page)
    assert empty.is_valid(), empty.errors
    assert "limit" not in empty.document()


def test_editor_says_at_the_field_what_is_wrong_with_a_limit() -> None:
    page = study_document()["pages"][1]
    form = rounds_form(page, **{"limit-seconds": "50", "limit-warn": "60"})
    assert not form.is_valid()
    assert "The warning comes 60 s before the end" in str(form.errors["limit-warn"])
    short = rounds_form(page, **{"limit-seconds": "50", "limit-warn": "10"})
    assert "limit-warn" in short.errors


def test_editor_sets_the_silence_of_the_study() -> None:
    draft = study_document()
    data = QueryDict(mutable=True)
    data.update({"title": "A study", "summary": "", "language": "en", SILENCE: "45"})
    form = StudyForm(data, value=draft)
    assert form.is_valid(), form.errors
    changed = form.document()
    assert parse_study(changed).limits.silence == 45
    assert StudyForm(value=changed)[SILENCE].value() == 45
    data[SILENCE] = ""
    cleared = StudyForm(data, value=changed)
    assert cleared.is_valid()
    assert "limits" not in cleared.document()


def test_limits_are_told_in_differences_and_of_a_version() -> None:
    before, after = study_document(), {**timed_document(), "limits": {"silence": 30}}
    told = {one.place: (one.before, one.after) for one in differences(before, after)}
    assert told["The study, limits on time"] == ("–", "silence 30")
    assert told["Page 2 “Rounds”, time limit of a round"] == ("–", "seconds 300, warn 60, more seconds 120, times 2")
    facts = pages_shown(parse_study(after))[1].facts
    assert facts[-1] == (
        "Time limit: 300 s for each round, with a warning 60 s before the end; 120 s more can be asked for 2 times."
    )
