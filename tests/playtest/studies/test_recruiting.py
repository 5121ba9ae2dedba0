"""People whom a recruiter sends: one participant an id, found again on any device, nobody lost for a missing id."""

import json
from collections.abc import Mapping, Sequence

import pytest
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse

from playtest.studies.choices import Kind, Status, StudyState
from playtest.studies.identity import start_marker, token_hash
from playtest.studies.models import Participant, Study
from playtest.studies.recruiting import Recruited, query_text, read_recruited
from playtest.studies.services import guesses, participant_start, participant_withdraw, study_set_state
from playtest.studies.services.guesses import MOST
from playtest.studies.services.links import links_switch
from tests.playtest.racing import race
from tests.playtest.studies.factory import make_study, play_rounds
from tests.playtest.studies.linking import address as link_address
from tests.playtest.studies.linking import one_time

PROLIFIC = "PROLIFIC_PID=5f1c&STUDY_ID=s1&SESSION_ID=x1"


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({}, None),
        ({"utm_source": ["mail"]}, None),
        ({"PROLIFIC_PID": ["5f1c"]}, Recruited("prolific", "5f1c")),
        ({"prolific_pid": ["5f1c"]}, Recruited("prolific", "5f1c")),
        ({"Prolific_Pid": [" 5f1c "]}, Recruited("prolific", "5f1c")),
        ({"PROLIFIC_PID": ["", "5f1c", "6a"]}, Recruited("prolific", "5f1c")),
        ({"PROLIFIC_PID": ["{{%PROLIFIC_PID%}}"], "prolific_pid": ["5f1c"]}, Recruited("prolific", "5f1c")),
        ({"PROLIFIC_PID": []}, Recruited("prolific", None)),
        ({"PROLIFIC_PID": ["{{%PROLIFIC_PID%}}"]}, Recruited("prolific", None)),
        ({"PROLIFIC_PID": ["PROLIFIC_PID"]}, Recruited("prolific", None)),
        ({"SONA_ID": ["%SURVEY_CODE%"]}, Recruited("sona", None)),
        ({"survey_code": ["31415"]}, Recruited("sona", "31415")),
        ({"participant_id": ["<id>"]}, Recruited("other", None)),
        ({"participant_id": ["me@example.org"]}, Recruited("other", "me@example.org")),
        ({"participant_id": ["a" * 201]}, Recruited("other", None)),
        ({"participant_id": ["a\0b"]}, Recruited("other", None)),
        ({"PROLIFIC_PID": [""], "SONA_ID": ["7"]}, Recruited("sona", "7")),
    ],
)
def test_parameters_are_read_in_any_case_repeated_missing_or_unfilled(
    query: Mapping[str, Sequence[str]], expected: Recruited | None
) -> None:
    """Kind: a link without its parameters, or with odd ones, ends in an error page."""
    assert read_recruited(query) == expected


@pytest.mark.parametrize(
    ("query", "kept"),
    [
        ({"a": ["b", ""], "": ["\0"]}, ["a", ""]),
        ({"PROLIFIC_PID": ["5f1c"], "junk": ["a" * 4_100], "SESSION_ID": ["x1"]}, ["PROLIFIC_PID", "SESSION_ID"]),
        ({"long": ["a" * 3_000], "longer": ["b" * 3_500], "short": ["c"]}, ["long", "short"]),
        ({"PROLIFIC_PID": ["5" * 4_100], "utm_source": ["mail"]}, ["utm_source"]),
        ({}, []),
        ({"junk": ["\U0001f600" * 400]}, []),
    ],
    ids=["odd", "one long", "two long", "long id", "none", "long alone"],
)
def test_parameters_that_are_too_long_are_left_out_and_no_others(query: dict[str, list[str]], kept: list[str]) -> None:
    """Kind: one long parameter of a link costs all the others."""
    text = query_text(query)
    assert (text is None) == (not kept)
    assert list(json.loads(text or "{}").items()) == [(name, query[name]) for name in kept]


def test_parameters_of_recruiters_are_left_out_last() -> None:
    query = {f"junk-{number}": ["x"] for number in range(1_000)} | {"Session_ID": ["5" * 60]}
    text = query_text(query)
    assert text is not None
    assert 3_900 < len(text) <= 4_000
    assert json.loads(text)["Session_ID"] == ["5" * 60]


@pytest.fixture
def study(db: None) -> Study:
    return make_study()


def address(study: Study, name: str, query: str = "") -> str:
    return reverse(f"studies:{name}", args=[study.public_id]) + (f"?{query}" if query else "")


def begin(client: Client, study: Study, query: str = PROLIFIC, **data: str) -> Participant:
    response = client.post(address(study, "start", query), data)
    assert (response.status_code, response["Location"]) == (302, address(study, "next"))
    return whose(client)


def whose(client: Client) -> Participant:
    return Participant.objects.get(token_hash=token_hash(client.cookies["participant"].value))


def test_the_same_link_on_another_device_goes_on_and_the_old_token_is_worth_nothing(study: Study) -> None:
    """Kinds: who joins again is counted twice; going on works in the first browser only."""
    first, second = Client(), Client()
    participant = begin(first, study)
    first.post(address(study, "consent"), {"decision": "agree"})
    page = second.get(address(study, "entry", PROLIFIC))
    assert "You have started already" in page.text
    assert "participant" not in second.cookies
    assert begin(second, study, PROLIFIC.lower()).pk == participant.pk
    assert second.get(address(study, "next")).headers["Location"] == address(study, "play")
    assert first.get(address(study, "next")).headers["Location"] == address(study, "entry")
    assert begin(first, study).pk == participant.pk
    assert Participant.objects.count() == 1


def test_who_has_finished_sees_the_code_again_on_another_device(study: Study) -> None:
    """Kind: coming back after the end leads to a dead page."""
    first, second = Client(), Client()
    participant = begin(first, study)
    first.post(address(study, "consent"), {"decision": "agree"})
    play_rounds(participant)
    first.post(address(study, "finish"))
    begin(second, study)
    page = second.get(address(study, "next"), follow=True)
    participant.refresh_from_db()
    assert participant.status == Status.COMPLETED
    assert participant.code
    assert participant.code in page.text


def test_all_parameters_are_kept_as_they_came(study: Study) -> None:
    """Kind: parameters of the link are lost."""
    participant = begin(Client(), study, "Prolific_PID=5f1c&x=1&x=2&empty=&PROLIFIC_PID=6a")
    assert participant.query is not None
    assert json.loads(participant.query) == {
        "Prolific_PID": ["5f1c"],
        "x": ["1", "2"],
        "empty": [""],
        "PROLIFIC_PID": ["6a"],
    }
    assert (participant.recruiter, participant.recruiter_id) == ("prolific", "5f1c")


def test_parameter_that_is_too_long_costs_no_other(study: Study) -> None:
    participant = begin(Client(), study, f"{PROLIFIC}&junk={'a' * 4_100}")
    assert json.loads(participant.query or "{}") == {"PROLIFIC_PID": ["5f1c"], "STUDY_ID": ["s1"], "SESSION_ID": ["x1"]}


def test_a_missing_id_is_asked_for_and_asked_again_with_the_words_kept(study: Study) -> None:
    """Kind: a link without its parameters ends in an error page."""
    client = Client()
    query = "PROLIFIC_PID=%7B%7B%25PROLIFIC_PID%25%7D%7D"
    assert "Your participant id" in client.get(address(study, "entry", query)).text
    for typed, says in (("", "Please enter your participant id."), ("not one!", "An id has letters")):
        answer = client.post(address(study, "start", query), {"recruiter_id": typed})
        assert answer.status_code == 400
        assert says in answer.text
        assert f'value="{typed}"' in answer.text or not typed
    assert not Participant.objects.exists()
    participant = begin(client, study, query, recruiter_id=" 5f1c ")
    assert (participant.recruiter, participant.recruiter_id) == ("prolific", "5f1c")
    assert "Your participant id" not in client.get(address(study, "entry", query)).text
    assert begin(Client(), study).pk == participant.pk


def test_two_people_at_one_computer_are_two(study: Study) -> None:
    """Kind: one person plays on as another who sat there before."""
    client = Client()
    first = begin(client, study, "SONA_ID=1")
    page = client.get(address(study, "entry", "SONA_ID=2"))
    assert "Begin" in page.text
    second = begin(client, study, "SONA_ID=2")
    assert first.pk != second.pk
    assert begin(client, study, "SONA_ID=1").pk == first.pk


def test_who_is_under_way_comes_back_to_a_paused_study_and_nobody_new_comes_in(study: Study) -> None:
    """Kind: who returns is shut out with those who are new."""
    participant = begin(Client(), study)
    study_set_state(study=study, state=StudyState.PAUSED)
    client = Client()
    assert "Go on" in client.get(address(study, "entry", PROLIFIC)).text
    assert begin(client, study).pk == participant.pk
    answer = Client().post(address(study, "start", "SONA_ID=2"))
    assert answer["Location"] == address(study, "entry", "SONA_ID=2")
    assert "takes no new participants" in Client().get(answer["Location"]).text
    assert Participant.objects.count() == 1


def test_who_withdrew_may_begin_again(study: Study) -> None:
    participant = begin(Client(), study)
    participant_withdraw(participant=participant)
    again = begin(Client(), study)
    assert again.pk != participant.pk
    participant.refresh_from_db()
    assert (participant.recruiter, participant.recruiter_id) == (None, None)


@pytest.mark.parametrize("kind", [Kind.BOT, Kind.PREVIEW])
def test_bots_and_previews_take_nobodys_id(study: Study, kind: Kind) -> None:
    other = begin(Client(), study, marker=start_marker(study_id=study.public_id, kind=kind))
    assert (other.kind, other.recruiter_id) == (kind, None)
    person = begin(Client(), study)
    assert person.pk != other.pk
    assert (person.kind, person.recruiter_id) == (Kind.PERSON, "5f1c")


def test_opening_a_recruiters_link_changes_nothing(study: Study) -> None:
    """Kind: a preview of the link in a messenger starts the study."""
    begin(Client(), study)
    before = list(Participant.objects.values())
    for query in (PROLIFIC, "SONA_ID=2", "PROLIFIC_PID="):
        client = Client()
        for method in (client.get, client.head):
            answer = method(address(study, "entry", query), headers={"Purpose": "prefetch", "Sec-Purpose": "prefetch"})
            assert answer.status_code == 200
        assert "participant" not in client.cookies
    assert list(Participant.objects.values()) == before


def test_the_database_itself_refuses_a_second_participant_of_an_id(study: Study) -> None:
    participant = begin(Client(), study)
    other = begin(Client(), study, "SONA_ID=2")
    with pytest.raises(IntegrityError), transaction.atomic():
        Participant.objects.filter(pk=other.pk).update(
            recruiter=participant.recruiter, recruiter_id=participant.recruiter_id
        )


@pytest.mark.django_db(transaction=True)
def test_an_id_that_arrives_many_times_at_once_is_one_participant() -> None:
    """Kind: two quick clicks, or two devices, make two participants."""
    study = make_study()
    sent = Recruited("prolific", "5f1c")

    def start() -> int:
        return participant_start(study=study, kind=Kind.PERSON, recruited=sent).participant.pk

    assert len(set(race([start] * 12))) == 1
    participant = Participant.objects.get(study=study)
    assert participant.transitions.count() == 1


KNOWN = "You have started already"


def known_by_ids(study: Study, count: int) -> None:
    """So many people who began by the recruiter's ids 0, 1, 2 and so on."""
    for number in range(count):
        participant_start(study=study, kind=Kind.PERSON, recruited=Recruited("sona", str(number)))


@pytest.mark.django_db
def test_ids_cannot_be_guessed_without_limit_and_who_has_the_cookie_goes_on() -> None:
    study = make_study()
    entry, start = (reverse(f"studies:{name}", args=[study.public_id]) for name in ("entry", "start"))
    own = Client()
    own.post(f"{start}?SONA_ID=own")
    known_by_ids(study, MOST + 1)
    for number in range(MOST):
        assert KNOWN in Client().get(f"{entry}?SONA_ID={number}").text
    tokens = set(Participant.objects.values_list("token_hash", flat=True))
    assert KNOWN not in Client().get(f"{entry}?SONA_ID={MOST}").text
    assert "Too many people" in Client().post(f"{start}?SONA_ID={MOST}", follow=True).text
    assert set(Participant.objects.values_list("token_hash", flat=True)) == tokens
    assert own.post(f"{start}?SONA_ID=own")["Location"] == reverse("studies:next", args=[study.public_id])
    # Somebody new comes in as before.
    Client().post(f"{start}?SONA_ID=new")
    assert Participant.objects.count() == MOST + 3


@pytest.mark.django_db
def test_one_id_that_is_looked_at_again_and_again_shuts_nobody_out() -> None:
    """Kind: what protects many is used against them."""
    study = make_study()
    entry = reverse("studies:entry", args=[study.public_id])
    known_by_ids(study, 2)
    for _ in range(MOST + 5):
        Client().get(f"{entry}?SONA_ID=0")
    assert KNOWN in Client().get(f"{entry}?SONA_ID=0").text
    assert KNOWN in Client().get(f"{entry}?SONA_ID=1").text


@pytest.mark.django_db
def test_the_count_of_ids_keeps_none_of_them() -> None:
    """Whoever withdraws is to leave no id behind, in no process's memory either."""
    study = make_study()
    participant_start(study=study, kind=Kind.PERSON, recruited=Recruited("sona", "id-4711"))
    assert KNOWN in Client().get(f"{reverse('studies:entry', args=[study.public_id])}?SONA_ID=id-4711").text
    assert study.public_id in guesses._found
    assert "id-4711" not in repr(guesses._found)  # the number alone may stand in a time or a hash


@pytest.mark.django_db
@pytest.mark.parametrize("is_off", [False, True])
def test_links_of_one_person_are_no_way_around_the_limit(is_off: bool) -> None:
    study = make_study()
    known_by_ids(study, MOST + 1)
    link = one_time(study)
    if is_off:
        links_switch(study=study, keys=[link.pk], active=False, by=None)
    for number in range(MOST):
        Client().get(link_address(link, query=f"SONA_ID={number}"))
    assert KNOWN not in Client().get(link_address(link, query=f"SONA_ID={MOST}")).text
    tokens = set(Participant.objects.values_list("token_hash", flat=True))
    Client().post(link_address(link, "start", f"SONA_ID={MOST}"))
    assert set(Participant.objects.values_list("token_hash", flat=True)) == tokens
