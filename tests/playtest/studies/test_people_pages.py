"""What staff see of one participant and of one round: everything that is stored, nobody else's, few queries."""

from collections.abc import Callable

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from playtest.accounts.models import User
from playtest.studies.choices import EventKind, Kind, Use
from playtest.studies.models import Annotation, Attempt, Event, Move, Participant, Round, Study
from playtest.studies.selectors.flags import FlagKind, flags_of
from playtest.studies.selectors.replays import round_replay
from playtest.studies.services import participant_withdraw, study_create, study_publish
from tests.playtest.studies.exporting import finished, mixed_study
from tests.playtest.studies.factory import level_file, make_participant, play_rounds, study_document

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(designer: User) -> Study:
    study = mixed_study(moves=20)
    Study.objects.filter(pk=study.pk).update(owner=designer)
    return study


@pytest.fixture
def person(study: Study) -> Participant:
    return finished(study, kind=Kind.PERSON)


def address(name: str, person: Participant, *more: int) -> str:
    return reverse(f"studies_staff:{name}", args=[person.study_id, person.pk, *more])


def moves(person: Participant, position: int) -> "Callable[..., int]":
    rows = Move.blanking().filter(round__participant=person, round__position=position)
    return lambda **values: rows.update(**values)


def kinds(person: Participant) -> set[FlagKind]:
    row = Participant.objects.select_related("version").get(pk=person.pk)
    return {flag.kind for flag in flags_of(participants=[row])[person.pk]}


def test_participant_page_tells_states_pages_rounds_and_answers(person: Participant, designer_client: Client) -> None:
    text = designer_client.get(address("participant", person)).content.decode()
    for words in ("Consented", "Completed", "Sent in “You”", "Began round 1", "Daily", "Nothing stands out."):
        assert words in text or words == "Began round 1", words
    for row in person.rounds.all():
        assert address("replay", person, row.pk) in text


def test_pages_are_for_owner_and_admins_and_nobody_else(
    person: Participant, admin_client: Client, client: Client, db: None
) -> None:
    other = User.objects.create_user(username="else", password="correct horse battery")
    row = person.rounds.first()
    assert row is not None
    for page in (address("participant", person), address("replay", person, row.pk)):
        assert admin_client.get(page).status_code == 200
        assert client.get(page).status_code == 302
        signed_in = Client()
        signed_in.force_login(other)
        assert signed_in.get(page).status_code == 403


def test_recruiter_ids_are_for_admins(person: Participant, admin_client: Client, designer_client: Client) -> None:
    Participant.objects.filter(pk=person.pk).update(recruiter="prolific", recruiter_id="5f-secret-id")
    assert "5f-secret-id" in admin_client.get(address("participant", person)).content.decode()
    text = designer_client.get(address("participant", person)).content.decode()
    assert "5f-secret-id" not in text
    assert "prolific" in text


def test_rounds_of_other_participants_and_studies_are_not_found(
    study: Study, person: Participant, designer_client: Client
) -> None:
    other = finished(study, kind=Kind.PERSON)
    row = other.rounds.first()
    assert row is not None
    assert designer_client.get(address("replay", person, row.pk)).status_code == 404
    assert designer_client.get(address("replay", person, 10**18)).status_code == 404
    assert designer_client.get(reverse("studies_staff:participant", args=[study.pk, 10**9])).status_code == 404


def test_every_round_is_played_back_from_its_stored_moves(person: Participant, designer_client: Client) -> None:
    assert {row.game for row in person.rounds.all()} == {"match3", "samegame"}
    for row in person.rounds.select_related("level_version"):
        Attempt.objects.create(
            round=row, before_seq=2, client_id="tried", action=[[0, 0], [0, 1]], reason=1, received_at=row.last_at
        )
        replay = round_replay(row)
        assert replay.fault == ""
        assert (replay.moves, replay.attempts) == (row.seq, 1)
        assert [step.score for step in replay.steps if step.kind == "move"] == list(
            row.moves.order_by("seq").values_list("score_after", flat=True)
        )
        assert replay.steps[-1].score == row.score
        text = designer_client.get(address("replay", person, row.pk)).content.decode()
        assert text.count('id="move-') == row.seq
        assert text.count('id="attempt-') == 1


def test_damaged_round_says_so(person: Participant, designer_client: Client) -> None:
    moves(person, 1)(score_after=7)
    row = person.rounds.get(position=1)
    assert "there are 7 points stored" in designer_client.get(address("replay", person, row.pk)).content.decode()


def test_leaving_out_needs_a_reason_and_a_post(person: Participant, designer_client: Client) -> None:
    use = address("participant_use", person)
    assert designer_client.get(use).status_code == 405
    text = designer_client.post(use, {"use": "exclude", "reason": " "}, follow=True).content.decode()
    assert "Please say why" in text
    assert not Annotation.objects.exists()
    row = person.rounds.get(position=2)
    designer_client.post(use, {"use": "exclude", "reason": "The bell rang.", "round": row.pk})
    text = designer_client.post(use, {"use": "exclude", "reason": "A colleague."}, follow=True).content.decode()
    assert "left out: “A colleague.”" in text
    assert list(Annotation.objects.order_by("pk").values_list("round", "use", "reason")) == [
        (row.pk, Use.EXCLUDE, "The bell rang."),
        (None, Use.EXCLUDE, "A colleague."),
    ]


def test_a_reason_that_the_database_cannot_keep_is_refused_in_words(
    person: Participant, designer_client: Client
) -> None:
    """PostgreSQL has no text with NUL in it."""
    row = person.rounds.get(position=1)
    for page, data in (
        (address("participant_use", person), {"use": "exclude"}),
        (address("round_void", person, row.pk), {}),
    ):
        text = designer_client.post(page, {**data, "reason": "a\0b"}, follow=True).content.decode()
        assert "The reason holds a character that cannot be stored." in text
    assert not Annotation.objects.exists()
    assert Round.objects.get(pk=row.pk).state == row.state


def test_hidden_times_become_one_line(person: Participant, designer_client: Client) -> None:
    now = person.started_at
    for kind, at in ((EventKind.HIDDEN, 1_000), (EventKind.VISIBLE, 13_500), (EventKind.FOCUS, 13_500)):
        Event.objects.create(participant=person, kind=kind, received_at=now, client_ms=at, conn=1)
    text = designer_client.get(address("participant", person)).content.decode()
    assert "for 12.5 s" in text
    assert "focus 1×" in text


def test_who_withdrew_has_nothing_but_states(person: Participant, designer_client: Client) -> None:
    participant_withdraw(participant=person)
    text = designer_client.get(address("participant", person)).content.decode()
    assert "This participant withdrew" in text
    assert "Daily" not in text
    assert (
        designer_client.post(
            address("participant_use", person), {"use": "exclude", "reason": "Gone."}, follow=True
        ).status_code
        == 200
    )
    assert not Annotation.objects.exists()


def test_flags_stand_for_what_they_say_and_for_nothing_else(person: Participant) -> None:
    assert kinds(person) == set()
    moves(person, 1)(think_ms=399)
    assert kinds(person) == {FlagKind.FAST_MOVES}
    moves(person, 1)(think_ms=400)
    assert kinds(person) == set()
    moves(person, 1)(hidden_ms=3_000)
    assert kinds(person) == {FlagKind.HIDDEN}
    moves(person, 1)(hidden_ms=0, server_ms=2_401, think_ms=400, anim_ms=0, rtt_ms=0)
    assert kinds(person) == {FlagKind.CLOCKS}
    moves(person, 1)(server_ms=2_400)
    assert kinds(person) == set()
    moves(person, 1)(action=0)
    assert kinds(person) == {FlagKind.SAME_ACTION, FlagKind.CORNER}
    person.visits.update(shown_ms=100)
    assert FlagKind.FAST_PAGE in kinds(person)


def test_a_page_takes_as_many_queries_for_much_as_for_little(
    study: Study, person: Participant, designer_client: Client
) -> None:
    def queries() -> int:
        with CaptureQueriesContext(
            connection,
        ) as seen:
            assert designer_client.get(address("participant", person)).status_code == 200
        return len(seen)

    before = queries()
    for number in range(60):
        Event.objects.create(
            participant=person, kind=EventKind.RESUME, received_at=person.started_at, client_ms=number, conn=number
        )
    for row in person.rounds.all():
        Annotation.objects.create(
            participant=person, round=row, use=Use.EXCLUDE, reason="Noise.", by=study.owner, at=person.started_at
        )
    assert queries() == before


def test_flags_of_many_take_as_many_queries_as_of_one(
    study: Study, person: Participant, django_assert_num_queries: "Callable[[int], CaptureQueriesContext]"
) -> None:
    finished(study, kind=Kind.PERSON)
    finished(study, kind=Kind.BOT)
    everybody = list(Participant.objects.filter(study=study).select_related("version"))
    with django_assert_num_queries(4):
        assert len(flags_of(participants=everybody)) == 3


def test_a_level_keeps_its_name_everywhere_though_the_round_changed_its_moves(
    designer: User, designer_client: Client
) -> None:
    """No level of the library has such a board, so that only the study knows the name."""
    document = study_document()
    document["pages"][1]["rounds"] = [
        {"key": "first", "level": {**level_file(seed=5, moves=3), "name": "The Lake"}},
        {"key": "bare", "level": {**level_file(seed=6, moves=3), "name": ""}},
        {"key": "drawn", "random": {"game": "match3", "rows": 7, "cols": 7, "colours": 6, "moves": 3}},
    ]
    study = study_create(owner=designer, document=document)
    study_publish(study=study, by=designer)
    person, _ = make_participant(study)
    play_rounds(person)
    names = ["The Lake (first)", "bare", "Random board (drawn)"]
    text = designer_client.get(address("participant", person)).text
    for position, (row, name) in enumerate(zip(person.rounds.order_by("position"), names, strict=True), start=1):
        assert f"{position}: {name}" in text
        assert f"Round {position}: {name}</h1>" in designer_client.get(address("replay", person, row.pk)).text
        Round.objects.filter(pk=row.pk).update(started_at=row.ended_at)
    text = designer_client.get(address("participant", person)).text
    assert "Began round 1 <" in text
    assert text.count("The Lake (first)") == 2, "the timeline has it too"
    detail = designer_client.get(reverse("studies_staff:detail", args=[study.pk])).text
    assert [f'title="{name}"' in detail for name in ("The Lake", "bare", "Random board")] == [True] * 3


def test_practice_is_named_after_the_level_that_was_played(designer: User, designer_client: Client) -> None:
    document = study_document()
    level = {**level_file(seed=5, moves=3), "name": "The Pond"}
    drawn = {"game": "match3", "rows": 5, "cols": 5, "colours": 4, "moves": 4}
    rounds = [{"key": "a", "level": level}, {"key": "b", "random": drawn}]
    document["pages"].insert(1, {"key": "practice", "kind": "practice", "title": "Practice", "rounds": rounds})
    study = study_create(owner=designer, document=document)
    study_publish(study=study, by=designer)
    person, _ = make_participant(study)
    assert "The Pond (practice)" in designer_client.get(address("participant", person)).text
