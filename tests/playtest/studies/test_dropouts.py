"""Who falls silent gives their place up, it is given again, and who comes back goes on: the counts stay right."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.core.management import call_command
from django.db import connections
from django.db.models import F, Q
from django.test import Client
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from playtest.accounts.models import AuditLog, User
from playtest.studies.choices import Cause, Kind, RoundState, SlotState, Status, StudyState
from playtest.studies.cookies import PAGE_COOKIE
from playtest.studies.errors import StudyError
from playtest.studies.models import Answer, Cell, Participant, Round, Slot, Study, Transition
from playtest.studies.play.hub import Hub
from playtest.studies.recruiting import Recruited
from playtest.studies.services import (
    consent_decide,
    participant_complete,
    participant_start,
    participant_withdraw,
    study_create,
    study_publish,
)
from playtest.studies.services.dropouts import (
    participant_come_back,
    participant_give_back,
    participant_time_out,
    participants_time_out,
)
from tests.playtest.studies.client import PlayClient
from tests.playtest.studies.factory import make_participant, play_rounds, study_document

SILENCE = 30
AT_ONCE = 40


def silent_study(silence: int | None = SILENCE, **kwargs: Any) -> Study:
    document = study_document(**kwargs)
    study = study_create(owner=None, document={**document, "limits": {"silence": silence}})
    study_publish(study=study)
    return study


def fall_silent(*participants: Participant, minutes: int = SILENCE + 1) -> None:
    keys = [one.pk for one in participants]
    Participant.objects.filter(pk__in=keys).update(last_seen_at=F("last_seen_at") - timedelta(minutes=minutes))


def gone(participant: Participant) -> Participant:
    """Somebody who was let go of."""
    fall_silent(participant)
    assert participant_time_out(participant_id=participant.pk, silence=SILENCE)
    participant.refresh_from_db()
    return participant


def levels_of(participant: Participant) -> list[str]:
    return list(Round.objects.filter(participant=participant).order_by("position").values_list("level_hash", flat=True))


def steps_of(participant: Participant) -> list[tuple[Status, Cause]]:
    steps = Transition.objects.filter(participant=participant).order_by("number").values_list("to_status", "cause")
    return [(Status(status), Cause(cause)) for status, cause in steps]


def counts_are_those_of_the_slots(study: Study) -> None:
    """What the cells count is what the slots say; nobody has two, and no number is held twice."""
    for cell in Cell.objects.filter(version__study=study):
        states = Counter(cell.slots.values_list("state", flat=True))
        assert cell.assigned == sum(states.values())
        assert (cell.completed, cell.lost) == (states[SlotState.DONE], states[SlotState.LOST])
    taken = Slot.objects.filter(version__study=study).exclude(state=SlotState.LOST)
    owners = list(taken.values_list("participant_id", flat=True))
    assert None not in owners
    assert len(set(owners)) == len(owners)
    for number, assignment in taken.values_list("number", "participant__assignment"):
        assert number == assignment
    places = list(taken.values_list("kind", "number"))
    assert len(set(places)) == len(places)


def spread(study: Study, kind: Kind = Kind.PERSON) -> int:
    """By how many participants who are there or done the fullest cell is ahead of the emptiest."""
    cells = Cell.objects.filter(version__study=study, kind=kind)
    held = [cell.slots.filter(~Q(state=SlotState.LOST)).count() for cell in cells]
    return max(held) - min(held)


@pytest.mark.django_db
def test_only_who_is_active_and_silent_for_long_enough_is_let_go() -> None:
    study = silent_study()
    long_silent, shortly_silent, playing, done, starting = (
        make_participant(study)[0],
        make_participant(study)[0],
        make_participant(study)[0],
        make_participant(study)[0],
        make_participant(study, agree=False)[0],
    )
    Participant.objects.filter(pk=done.pk).update(status=Status.COMPLETED)
    fall_silent(long_silent, done, starting)
    fall_silent(shortly_silent, minutes=SILENCE - 1)
    seen_at = Participant.objects.get(pk=long_silent.pk).last_seen_at
    assert participants_time_out() == 1
    assert participants_time_out() == 0
    for one, status in (
        (long_silent, Status.TIMED_OUT),
        (shortly_silent, Status.ACTIVE),
        (playing, Status.ACTIVE),
        (done, Status.COMPLETED),
        (starting, Status.STARTED),
    ):
        one.refresh_from_db()
        assert one.status == status
    assert long_silent.last_seen_at == seen_at
    assert long_silent.finished_at is not None
    assert steps_of(long_silent)[-1] == (Status.TIMED_OUT, Cause.SYSTEM)
    assert Slot.objects.get(participant=long_silent).state == SlotState.LOST
    counts_are_those_of_the_slots(study)


@pytest.mark.django_db
def test_without_a_limit_and_in_a_closed_study_nobody_is_let_go() -> None:
    unlimited, closed = silent_study(None), silent_study()
    people = [make_participant(unlimited)[0], make_participant(closed)[0]]
    Study.objects.filter(pk=closed.pk).update(state=StudyState.CLOSED)
    fall_silent(*people, minutes=100_000)
    assert participants_time_out() == 0


@pytest.mark.django_db(transaction=True)
def test_reconciler_lets_go_of_bots_as_well_and_gives_their_places_to_bots() -> None:
    study = silent_study(rounds=4, order="williams")
    bot, _ = make_participant(study, kind=Kind.BOT)
    fall_silent(bot)
    call_command("reconcile", "--once")
    bot.refresh_from_db()
    assert bot.status == Status.TIMED_OUT
    person, _ = make_participant(study)
    heir, _ = make_participant(study, kind=Kind.BOT)
    assert (Slot.objects.get(participant=person).attempt, Slot.objects.get(participant=heir).attempt) == (1, 2)
    assert AuditLog.objects.filter(action="slot.reissue").count() == 1
    counts_are_those_of_the_slots(study)


@pytest.mark.django_db
def test_who_comes_back_in_time_has_their_old_place_and_their_rounds() -> None:
    study = silent_study(rounds=4, order="williams")
    participant, _ = make_participant(study)
    boards, number = levels_of(participant), participant.assignment
    gone(participant)
    assert participant.assignment is None
    assert participant_come_back(participant=participant)
    assert not participant_come_back(participant=participant)
    participant.refresh_from_db()
    assert (participant.status, participant.assignment, participant.finished_at) == (Status.ACTIVE, number, None)
    assert levels_of(participant) == boards
    assert [status for status, _ in steps_of(participant)][-3:] == [Status.ACTIVE, Status.TIMED_OUT, Status.ACTIVE]
    assert Slot.objects.get(participant=participant).state == SlotState.HELD
    counts_are_those_of_the_slots(study)


@pytest.mark.django_db
def test_who_comes_back_too_late_keeps_their_rounds_under_a_new_number() -> None:
    study = silent_study(rounds=4, order="williams")
    participant, _ = make_participant(study)
    boards = levels_of(participant)
    gone(participant)
    heir, _ = make_participant(study)
    first = Slot.objects.get(participant=participant)
    again = Slot.objects.get(participant=heir)
    assert (first.number, first.attempt, again.number, again.attempt) == (1, 1, 1, 2)
    assert participant_come_back(participant=participant)
    assert levels_of(participant) == boards
    slots = list(Slot.objects.filter(participant=participant).order_by("pk"))
    assert [(one.number, one.attempt, SlotState(one.state).label) for one in slots] == [(1, 1, "lost"), (2, 1, "held")]
    assert slots[1].cell_id == first.cell_id
    counts_are_those_of_the_slots(study)
    # Newcomers fill the other cells first.
    for _ in range(2):
        newcomer, _ = make_participant(study)
        assert Slot.objects.get(participant=newcomer).cell_id != first.cell_id
    play_rounds(participant)


@pytest.mark.django_db
def test_who_comes_back_too_late_is_given_a_lost_place_of_the_same_order_first() -> None:
    study = silent_study(rounds=2, order="williams")
    people = [make_participant(study)[0] for _ in range(4)]
    first, _, third, _ = people
    gone(first)
    make_participant(study)
    gone(third)
    participant_come_back(participant=first)
    slot = Slot.objects.filter(participant=first).latest("pk")
    assert (slot.number, slot.attempt) == (3, 2)
    counts_are_those_of_the_slots(study)
    assert spread(study) == 0


@pytest.mark.django_db
def test_who_was_let_go_may_withdraw_and_gets_no_second_place_lost() -> None:
    study = silent_study()
    participant, _ = make_participant(study)
    gone(participant)
    participant_withdraw(participant=participant)
    heir, _ = make_participant(study)
    assert Slot.objects.get(participant=heir).attempt == 2
    cell = Cell.objects.get(version__study=study, kind=Kind.PERSON)
    assert (cell.assigned, cell.lost) == (2, 1)


@pytest.mark.django_db
def test_place_that_staff_note_as_given_back_is_free_and_may_be_taken_again(admin_user: User) -> None:
    study = silent_study()
    participant, _ = make_participant(study)
    participant_give_back(participant=participant, by=admin_user)
    assert steps_of(participant)[-1] == (Status.RETURNED, Cause.STAFF)
    assert Slot.objects.get(participant=participant).state == SlotState.LOST
    with pytest.raises(StudyError, match="cannot become returned"):
        participant_give_back(participant=participant, by=admin_user)
    assert participant_come_back(participant=participant)
    counts_are_those_of_the_slots(study)


@pytest.mark.django_db
def test_staff_give_a_place_to_the_next_one_from_the_participants_page(client: Client, admin_user: User) -> None:
    study = silent_study()
    participant, _ = make_participant(study)
    client.force_login(admin_user)
    page = f"/staff/studies/{study.pk}/participants/{participant.pk}/"
    assert "They gave their place back" in client.get(page).content.decode()
    assert client.get(f"{page}returned").status_code == 405
    for words in ("Their place goes to the next one.", "cannot become returned"):
        shown = client.post(f"{page}returned", follow=True).content.decode()
        assert words in shown
        assert "They gave their place back" not in shown
    assert AuditLog.objects.get(action="participant.returned").actor == admin_user
    stranger = Client()
    stranger.force_login(User.objects.create_user("somebody", password="long enough for a test"))
    assert stranger.post(f"{page}returned").status_code in {403, 404}


HAPPENINGS = ["start", "start", "gone", "back", "leave", "done"]


class Histories(TestCase):
    """Whatever order people come, go, come back, finish and withdraw in, the counts are right."""

    @settings(max_examples=25, deadline=None)
    @given(st.lists(st.tuples(st.sampled_from(HAPPENINGS), st.integers(0, 7)), max_size=25))
    def test_counts_are_right_whatever_happens(self, happenings: list[tuple[str, int]]) -> None:
        study = silent_study(rounds=2, order="williams")
        people: list[Participant] = []
        for what, which in happenings:
            if what == "start":
                people.append(make_participant(study)[0])
                continue
            if not people:
                continue
            one = people[which % len(people)]
            one.refresh_from_db()
            if what == "gone" and one.status == Status.ACTIVE:
                gone(one)
            elif what == "back":
                participant_come_back(participant=one)
            elif what == "done" and one.status == Status.ACTIVE:
                play_rounds(one)
                assert participant_complete(participant=one) == []
            elif what == "leave" and one.status != Status.WITHDRAWN:
                participant_withdraw(participant=one)
            counts_are_those_of_the_slots(study)
        waiting = Slot.objects.filter(version__study=study, state=SlotState.LOST, reissued=False).count()
        for _ in range(waiting + 2 * len(people)):
            make_participant(study)
        counts_are_those_of_the_slots(study)
        assert spread(study) <= 1


# --- Coming back, by the ways that people come ------------------------------------------------------------------------


@pytest.mark.django_db
def test_entry_page_offers_to_go_on_and_opening_pages_changes_nothing(client: Client) -> None:
    study = silent_study()
    participant, token = make_participant(study)
    gone(participant)
    client.cookies[PAGE_COOKIE] = token
    for path in ("", "next", "play", "end", "page/profile"):
        client.get(f"/s/{study.public_id}/{path}", follow=True)
    assert Participant.objects.get(pk=participant.pk).status == Status.TIMED_OUT
    for path in ("", "end"):
        shown = client.get(f"/s/{study.public_id}/{path}").content.decode()
        assert "Nothing you did is lost" in shown
        assert ">Go on</button>" in shown
    assert client.post(f"/s/{study.public_id}/start").headers["Location"] == f"/s/{study.public_id}/next"
    assert Participant.objects.get(pk=participant.pk).status == Status.ACTIVE
    assert client.get(f"/s/{study.public_id}/next").headers["Location"] == f"/s/{study.public_id}/play"


@pytest.mark.django_db
def test_page_that_took_long_is_stored_when_it_is_sent_in(client: Client) -> None:
    study = silent_study(questions=True)
    started = participant_start(study=study, kind=Kind.PERSON)
    consent_decide(participant=started.participant, agree=True)
    gone(started.participant)
    client.cookies[PAGE_COOKIE] = started.token
    client.post(f"/s/{study.public_id}/page/profile", {"often": "daily", "age": "40", "fun": "4"})
    assert Answer.objects.filter(participant=started.participant, page_key="profile").count() == 4
    assert Participant.objects.get(pk=started.participant.pk).status == Status.ACTIVE


@pytest.mark.django_db
def test_link_of_a_recruiter_brings_back_who_was_let_go(client: Client) -> None:
    study = silent_study()
    recruited = Recruited("prolific", "5f00000000000000000000aa")
    first = participant_start(study=study, kind=Kind.PERSON, recruited=recruited).participant
    consent_decide(participant=first, agree=True)
    gone(first)
    again = participant_start(study=study, kind=Kind.PERSON, recruited=recruited).participant
    assert (again.pk, again.status) == (first.pk, Status.ACTIVE)


@pytest.mark.django_db
def test_closed_study_takes_nobody_back(client: Client) -> None:
    study = silent_study()
    participant, token = make_participant(study)
    gone(participant)
    Study.objects.filter(pk=study.pk).update(state=StudyState.CLOSED)
    client.cookies[PAGE_COOKIE] = token
    assert client.post(f"/s/{study.public_id}/start", follow=True).status_code == 200
    assert Participant.objects.get(pk=participant.pk).status == Status.TIMED_OUT
    with pytest.raises(StudyError, match="closed"):
        participant_come_back(participant=Participant.objects.get(pk=participant.pk))


async def test_socket_of_a_computer_that_slept_goes_on_with_the_round(hub: Hub) -> None:
    study = await sync_to_async(silent_study)()
    participant, token = await sync_to_async(make_participant)(study)
    client = PlayClient(study.public_id, token)
    state = await client.hello()
    ack = await client.play()
    await client.leave()
    await sync_to_async(gone)(participant)
    again = PlayClient(study.public_id, token)
    await again.resume(state)
    again.state = await again.expect("state")
    assert (again.state["seq"], again.state["score"], again.state["over"]) == (1, ack["score"], None)
    await again.play()
    await again.leave()
    row = await sync_to_async(Participant.objects.get)(pk=participant.pk)
    assert row.status == Status.ACTIVE


# --- Many at once ----------------------------------------------------------------------------------------------------


@pytest.mark.django_db(transaction=True)
def test_orders_stay_balanced_while_forty_start_some_go_some_come_back_and_others_start() -> None:
    study = silent_study(rounds=4, order="williams")
    first = all_at_once([lambda: begin(study) for _ in range(AT_ONCE)])
    assert spread(study) == 0
    leaving = first[::4]
    fall_silent(*leaving)
    # While they are let go, others start and some of them come back: all at the same moment.
    back = leaving[::2]
    work: list[Any] = [lambda: begin(study) for _ in range(AT_ONCE // 2)]
    work += [lambda one=one: participant_time_out(participant_id=one.pk, silence=SILENCE) for one in leaving]
    work += [lambda one=one: come_back(one) for one in back]
    all_at_once(work)
    counts_are_those_of_the_slots(study)
    # Whoever is still away leaves a place that newcomers take, until the cells are even.
    all_at_once([lambda: begin(study) for _ in range(AT_ONCE)])
    counts_are_those_of_the_slots(study)
    assert spread(study) <= 1
    assert not Slot.objects.filter(version__study=study, state=SlotState.LOST, reissued=False).exists()
    orders = Counter(
        tuple(one.rounds.order_by("position").values_list("key", flat=True))
        for one in Participant.objects.filter(study=study, status=Status.ACTIVE)
    )
    assert max(orders.values()) - min(orders.values()) <= 1
    assert Round.objects.filter(participant__study=study).exclude(state=RoundState.PLANNED).count() == 0


def begin(study: Study) -> Participant:
    participant = participant_start(study=study, kind=Kind.PERSON).participant
    consent_decide(participant=participant, agree=True)
    return participant


def come_back(participant: Participant) -> None:
    participant_come_back(participant=Participant.objects.get(pk=participant.pk))


def all_at_once(work: list[Any]) -> list[Any]:
    gate = Barrier(len(work))

    def run(one: Any) -> Any:
        try:
            gate.wait(60)
            return one()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(work)) as pool:
        return [job.result(120) for job in [pool.submit(run, one) for one in work]]
