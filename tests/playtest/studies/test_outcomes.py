"""What happens at the end, for each way to end: decided on the server, shown again at will, never before its time."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from playtest.studies.choices import Cause, Kind, RoundState, SlotState, Status, StudyState
from playtest.studies.editor.kinds import empty_study
from playtest.studies.errors import StudyError
from playtest.studies.identity import start_marker, token_hash
from playtest.studies.models import Answer, Participant, Round, Slot, Study
from playtest.studies.readymade import READY_MADE
from playtest.studies.selectors.documents import version_document
from playtest.studies.selectors.flags import FlagKind, flags_of
from playtest.studies.services import (
    page_submit,
    participant_complete,
    participant_withdraw,
    study_create,
    study_publish,
    study_set_state,
)
from playtest.studies.services.pages import Shown
from playtest.studies.services.transitions import status_change
from tests.playtest.studies.factory import play_rounds, study_document

pytestmark = pytest.mark.django_db

PROLIFIC = "https://app.prolific.com/submissions/complete"
OUTCOMES = {
    "complete": {"code": "C0MPL", "url": f"{PROLIFIC}?cc=[COMPLETION_CODE]&pid=[PROLIFIC_PID]&me=[CODE]&how=[OUTCOME]"},
    "declined": {"text": "Pity.", "code": "N0", "url": f"{PROLIFIC}?cc=[COMPLETION_CODE]"},
    "screened_out": {"text": "Only adults.", "code": "SCR33N", "url": f"{PROLIFIC}?cc=[COMPLETION_CODE]"},
    "timed_out": {"text": "Too late.", "code": "L8", "url": f"{PROLIFIC}?cc=[COMPLETION_CODE]"},
    "returned": {"text": "Given back.", "code": "R3T"},
}
ITEMS: list[dict[str, Any]] = [
    {
        "key": "often",
        "kind": "choice",
        "label": "How often do you play?",
        "options": [{"value": one, "label": one.capitalize()} for one in ("never", "weekly", "daily")],
        "screen_out": ["never"],
    },
    {"key": "age", "kind": "number", "label": "Age", "min": 0, "max": 120, "decimals": 1, "screen_out": {"below": 18}},
    {"key": "fun", "kind": "scale", "label": "Fun?", "to": 5, "screen_out": [1, 2]},
    {"key": "two", "kind": "scale", "label": "Choose 2 here.", "to": 5, "expected": 2, "required": False},
]
RIGHT = {"often": "daily", "age": "40", "fun": "4", "two": "2"}


def document(outcomes: dict[str, Any] = OUTCOMES, **end: Any) -> dict[str, Any]:
    made = study_document(questions=True)
    made["pages"][1]["items"] = ITEMS
    made["pages"][-1] |= {"outcomes": outcomes, **end}
    return made


def make(**kwargs: Any) -> Study:
    study = study_create(owner=None, document=document(**kwargs))
    study_publish(study=study)
    return study


@pytest.fixture
def study() -> Study:
    return make()


def address(study: Study, name: str, *args: str) -> str:
    return reverse(f"studies:{name}", args=[study.public_id, *args])


def begin(client: Client, study: Study, query: str = "?PROLIFIC_PID=5f1c&x=1", agree: bool = True) -> Participant:
    client.post(address(study, "start") + query)
    client.post(address(study, "consent"), {"decision": "agree" if agree else "decline"})
    return Participant.objects.get(token_hash=token_hash(client.cookies["participant"].value))


def answer(client: Client, study: Study, **changes: str) -> Any:
    return client.post(address(study, "page", "profile"), {**RIGHT, **changes}, follow=True)


def finish(client: Client, study: Study) -> Participant:
    participant = begin(client, study)
    answer(client, study)
    play_rounds(participant)
    client.post(address(study, "finish"))
    participant.refresh_from_db()
    assert participant.status == Status.COMPLETED
    return participant


def test_who_finished_gets_both_codes_and_the_way_back(client: Client, study: Study) -> None:
    participant = finish(client, study)
    assert participant.outcome_code == "C0MPL"
    page = client.get(address(study, "next"), follow=True).text
    for words in (
        "You have finished this study",
        "C0MPL",
        participant.code,
        "Go on to app.prolific.com",
        'data-wait="10"',
    ):
        assert words in page
    left = client.get(address(study, "leave"))
    assert left["Location"] == f"{PROLIFIC}?cc=C0MPL&pid=5f1c&me={participant.code}&how=complete"


@pytest.mark.parametrize(("query", "is_sent"), [("?PROLIFIC_PID=5f1c", True), ("", False), ("?x=1", False)])
def test_only_who_a_service_sent_is_told_of_that_service(
    client: Client, study: Study, query: str, is_sent: bool
) -> None:
    begin(client, study, query=query)
    answer(client, study, often="never")
    page = client.get(address(study, "end")).text
    assert "SCR33N" in page
    assert ("The service that sent you here" in page) == is_sent
    assert ("whoever invited you" in page) != is_sent


@pytest.mark.parametrize("made", [*READY_MADE.values(), empty_study])
def test_a_default_end_says_nothing_that_the_page_says_anyway(made: Callable[[], dict[str, Any]]) -> None:
    assert "stored" not in made()["pages"][-1]["text"]


def test_nobody_is_sent_on_before_the_claim_is_checked(client: Client, study: Study) -> None:
    participant = begin(client, study)
    answer(client, study)
    play_rounds(participant)
    row = Round.objects.filter(participant=participant).first()
    right = row.score
    Round.objects.filter(pk=row.pk).update(score=right + 10)
    assert client.post(address(study, "finish")).status_code == 409
    for name in ("leave", "end"):
        response = client.get(address(study, name), follow=True)
        assert "C0MPL" not in response.text
        assert not any("prolific" in url for url, _ in response.redirect_chain)
    assert "prolific" not in client.get(address(study, "leave"))["Location"]
    Round.objects.filter(pk=row.pk).update(score=right)
    assert participant_complete(participant=participant) == []
    assert client.get(address(study, "leave"))["Location"].startswith(PROLIFIC)


def test_opened_again_a_finished_study_says_so_on_any_device_and_state(client: Client, study: Study) -> None:
    participant = finish(client, study)
    study_set_state(study=study, state=StudyState.CLOSED)
    assert "You have finished this study." in client.get(address(study, "entry")).text
    assert participant.code in client.get(address(study, "end")).text
    other = Client()
    link = f"{address(study, 'entry')}?PROLIFIC_PID=5f1c"
    assert "You have taken part in this study already" in other.get(link).text
    other.post(f"{address(study, 'start')}?PROLIFIC_PID=5f1c")
    assert "C0MPL" in other.get(address(study, "end")).text
    assert Participant.objects.count() == 1


def test_declining_has_its_own_words_code_and_link_and_may_be_reconsidered(client: Client, study: Study) -> None:
    participant = begin(client, study, agree=False)
    page = client.get(address(study, "next"), follow=True).text
    assert all(words in page for words in ("Pity.", "N0", "Go on to app.prolific.com", "Read it again"))
    assert "data-wait" not in page
    assert client.get(address(study, "leave"))["Location"] == f"{PROLIFIC}?cc=N0"
    client.post(address(study, "consent"), {"decision": "agree"})
    participant.refresh_from_db()
    assert (participant.status, participant.outcome_code) == (Status.ACTIVE, None)
    assert client.get(address(study, "leave"))["Location"] == address(study, "next")


@pytest.mark.parametrize(
    "change", [{"often": "never"}, {"age": "17.9"}, {"fun": "1"}, {"fun": "2", "age": "3", "two": "5"}]
)
def test_screening_out_is_decided_before_anything_is_shown(
    client: Client, study: Study, change: dict[str, str]
) -> None:
    participant = begin(client, study)
    page = answer(client, study, **change)
    assert page.redirect_chain[-1][0] == address(study, "end")
    assert all(words in page.text for words in ("This study ends here for you", "Only adults.", "SCR33N"))
    participant.refresh_from_db()
    assert (participant.status, participant.outcome_code) == (Status.SCREENED_OUT, "SCR33N")
    assert participant.finished_at is not None
    assert Answer.objects.filter(participant=participant).count() == len(ITEMS)
    assert set(participant.rounds.values_list("state", flat=True)) == {RoundState.VOID}


@pytest.mark.parametrize("change", [{}, {"age": "18"}, {"fun": "3"}, {"often": "weekly", "two": ""}])
def test_other_answers_go_on(client: Client, study: Study, change: dict[str, str]) -> None:
    begin(client, study)
    assert answer(client, study, **change).redirect_chain[-1][0] == address(study, "play")


def test_who_is_screened_out_cannot_go_on_by_reload_back_or_another_device(client: Client, study: Study) -> None:
    participant = begin(client, study)
    answer(client, study, often="never")
    answer(client, study)
    client.post(address(study, "consent"), {"decision": "agree"})
    client.post(address(study, "finish"))
    client.post(address(study, "start") + "?PROLIFIC_PID=5f1c")
    for name, args in (("next", ()), ("consent", ()), ("page", ("profile",)), ("play", ())):
        page = client.get(address(study, name, *args), follow=True)
        assert page.redirect_chain[-1][0] == address(study, "end")
    participant.refresh_from_db()
    assert participant.status == Status.SCREENED_OUT
    assert Participant.objects.count() == 1
    with pytest.raises(StudyError):
        status_change(participant=participant, to=Status.ACTIVE, cause=Cause.STAFF)


def test_a_screened_out_place_goes_to_the_next(study: Study) -> None:
    first, second = Client(), Client()
    one = begin(first, study, "?PROLIFIC_PID=one")
    number = one.assignment
    answer(first, study, often="never")
    two = begin(second, study, "?PROLIFIC_PID=two")
    one.refresh_from_db()
    assert (one.assignment, two.assignment) == (None, number)
    assert list(Slot.objects.order_by("attempt").values_list("attempt", "state", "participant")) == [
        (1, SlotState.LOST, one.pk),
        (2, SlotState.HELD, two.pk),
    ]
    participant_withdraw(participant=one)
    assert Slot.objects.get(attempt=1).participant is None


def test_who_never_agreed_is_not_counted_as_having_taken_part(client: Client, study: Study) -> None:
    client.post(address(study, "start") + "?PROLIFIC_PID=5f1c")
    client.cookies.clear()
    participant = begin(client, study, agree=False)
    client.cookies.clear()
    assert begin(client, study).pk == participant.pk
    participant.refresh_from_db()
    assert participant.status == Status.ACTIVE
    assert Slot.objects.count() == 1


@pytest.mark.parametrize(
    ("status", "words"), [(Status.TIMED_OUT, ("Too late.", "L8")), (Status.RETURNED, ("Given back.", "R3T"))]
)
def test_other_ends_show_their_words_and_take_them_back_with_the_state(
    client: Client, study: Study, status: Status, words: tuple[str, str]
) -> None:
    participant = begin(client, study)
    participant.refresh_from_db()
    status_change(participant=participant, to=status, cause=Cause.SYSTEM)
    assert participant.outcome_code == words[1]
    page = client.get(address(study, "next"), follow=True)
    assert all(one in page.text for one in (*words, participant.code))
    assert "data-wait" not in page.text
    status_change(participant=participant, to=Status.ACTIVE, cause=Cause.STAFF)
    assert participant.outcome_code is None
    assert client.get(address(study, "next"))["Location"] == address(study, "page", "profile")


def test_without_configuration_every_end_has_words_of_ours(client: Client) -> None:
    study = make(outcomes={})
    participant = begin(client, study)
    answer(client, study, often="never")
    page = client.get(address(study, "end")).text
    assert "This study asks people whose answers are different" in page
    assert participant.code in page
    assert "Completion code" not in page
    assert client.get(address(study, "leave"))["Location"] == address(study, "next")


def test_a_host_that_is_not_allowed_any_more_is_named_and_nobody_is_sent_there(
    client: Client, study: Study, settings: Any
) -> None:
    finish(client, study)
    settings.COMPLETION_HOSTS = ["*.sona-systems.com"]
    page = client.get(address(study, "end")).text
    assert "This site cannot send you back to app.prolific.com" in page
    assert "C0MPL" in page
    assert client.get(address(study, "leave"))["Location"] == address(study, "next")
    with pytest.raises(
        StudyError, match=r"Page 4, outcomes, complete, url: this site sends nobody to app\.prolific\.com"
    ):
        study_publish(study=study)


def test_nothing_in_a_request_says_where_to_go(client: Client, study: Study) -> None:
    finish(client, study)
    wanted = client.get(address(study, "leave"))["Location"]
    for query in ("?url=https://evil.example", "?next=//evil.example", "?cc=FORGED&PROLIFIC_PID=other"):
        assert client.get(address(study, "leave") + query)["Location"] == wanted
    assert Client().get(address(study, "leave"))["Location"] == address(study, "entry")
    assert client.post(address(study, "leave")).status_code == 405


@pytest.mark.parametrize("kind", [Kind.BOT, Kind.PREVIEW])
def test_bots_and_previews_stay_on_the_site(client: Client, study: Study, kind: Kind) -> None:
    client.post(address(study, "start"), {"marker": start_marker(study_id=study.public_id, kind=kind)})
    client.post(address(study, "consent"), {"decision": "agree"})
    answer(client, study, often="never")
    page = client.get(address(study, "leave"))
    assert page.status_code == 200
    assert f"{PROLIFIC}?cc=SCR33N" in page.text


def test_never_going_on_by_itself_can_be_chosen(client: Client) -> None:
    study = make(wait=0)
    finish(client, study)
    page = client.get(address(study, "end")).text
    assert "data-wait" not in page
    assert "Go on to app.prolific.com" in page


def test_an_attention_question_answered_wrong_is_a_flag_and_nothing_else(client: Client, study: Study) -> None:
    wrong, right, skipped = Client(), Client(), Client()
    people = [begin(one, study, f"?PROLIFIC_PID={name}") for one, name in ((wrong, "a"), (right, "b"), (skipped, "c"))]
    answer(wrong, study, two="5")
    answer(right, study)
    answer(skipped, study, two="")
    assert set(Participant.objects.values_list("status", flat=True)) == {Status.ACTIVE}
    found = flags_of(participants=people)
    assert [[flag.kind for flag in found[one.pk] if flag.kind == FlagKind.ATTENTION] for one in people] == [
        [FlagKind.ATTENTION],
        [],
        [],
    ]
    flag = next(flag for flag in found[people[0].pk] if flag.kind == FlagKind.ATTENTION)
    assert flag.sentence == "Page “profile”, question “two”: the answer is 5, the one asked for is 2."


def test_a_submit_from_before_the_screening_changes_nothing(study: Study, client: Client) -> None:
    participant = begin(client, study)
    stale = Participant.objects.get(pk=participant.pk)
    answer(client, study, often="never")
    page = version_document(stale.version).questionnaires[0]
    answers = {"often": "daily", "age": 40, "fun": 4}
    with pytest.raises(StudyError, match="over for you"):
        page_submit(participant=stale, page=page, answers=answers, shown=Shown("visit-for-a-test-00001"))
    assert json.loads(Answer.objects.get(item_key="often").value) == "never"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"outcomes": []}, "Page 4, outcomes: an object with keys is needed here."),
        ({"outcomes": {"paid": {}}}, "Page 4, outcomes: the key “paid” is not known."),
        ({"outcomes": {"complete": {"text": "x"}}}, "Page 4, outcomes, complete: the key “text” is not known."),
        (
            {"outcomes": {"complete": {"code": " x"}}},
            "Page 4, outcomes, complete, code: a code has no blanks around it",
        ),
        (
            {"outcomes": {"complete": {"code": "x" * 65}}},
            "Page 4, outcomes, complete, code: the text has 65 characters",
        ),
        (
            {"outcomes": {"declined": {"url": "javascript:x"}}},
            "Page 4, outcomes, declined, url: the address must begin",
        ),
        ({"outcomes": {"timed_out": {"url": "https://evil.example/"}}}, "this site sends nobody to evil.example."),
        ({"wait": 3}, "Page 4, wait: people need 5 seconds or more to stop it; 0 sends nobody on by itself."),
        ({"wait": 600}, "Page 4, wait: 600 is outside of 0 to 120."),
    ],
)
def test_a_wrong_end_is_refused_with_its_place(change: dict[str, Any], message: str) -> None:
    with pytest.raises(StudyError) as error:
        study_create(owner=None, document=document(**change))
    assert message in str(error.value)
    assert Study.objects.count() == 0


@pytest.mark.parametrize(
    ("item", "change", "message"),
    [
        (0, {"screen_out": ["sometimes"]}, "there is no answer with the value “sometimes”."),
        (0, {"screen_out": ["never", "never"]}, "an answer is there twice."),
        (0, {"screen_out": ["never", "weekly", "daily"]}, "nobody could go on: one answer must be left."),
        (0, {"screen_out": "never"}, "a list of answers is needed here."),
        (0, {"expected": "daily"}, "a question that screens out has no expected answer"),
        (
            0,
            {"screen_out": [], "expected": "sometimes"},
            "Question 1 of page 2, expected: this is none of the answers.",
        ),
        (1, {"screen_out": {"below": 30, "above": 20}}, "it must not be more than “above”."),
        (1, {"screen_out": {"below": 200}}, "Question 2 of page 2, screen_out, below: 200 is outside of 0 to 120."),
        (1, {"screen_out": {"under": 18}}, "the key “under” is not known."),
        (1, {"expected": 7}, "a question that screens out has no expected answer"),
        (2, {"screen_out": [0]}, "each must be a step from 1 to 5."),
        (2, {"screen_out": [True]}, "each must be a step from 1 to 5."),
        (3, {"expected": 9}, "Question 4 of page 2, expected: this is none of the answers."),
        (3, {"expected": True}, "this is none of the answers."),
    ],
)
def test_a_wrong_screening_is_refused_with_its_place(item: int, change: dict[str, Any], message: str) -> None:
    made = document()
    made["pages"][1]["items"] = [dict(one) for one in ITEMS]
    made["pages"][1]["items"][item] |= change
    with pytest.raises(StudyError) as error:
        study_create(owner=None, document=made)
    assert message in str(error.value)
