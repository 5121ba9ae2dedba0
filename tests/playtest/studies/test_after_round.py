"""Questions after each round: asked once a round, before the next one, whatever a browser does; off unless added."""

import json
from pathlib import Path

import pytest
from django.db import connections
from django.test import Client
from django.urls import reverse

from playtest.accounts.models import User
from playtest.studies.choices import RoundState, Status
from playtest.studies.document import parse_study
from playtest.studies.errors import StudyError
from playtest.studies.identity import token_hash
from playtest.studies.models import Answer, PageVisit, Participant, Round, Study
from playtest.studies.readymade import READY_MADE
from playtest.studies.selectors.person import person_shown
from playtest.studies.selectors.steps import step_due
from playtest.studies.services import study_create, study_publish
from playtest.studies.services.claims import ClaimJob, ClaimOutcome, round_claim
from playtest.studies.services.completion import completion_faults, participant_complete
from playtest.studies.services.pages import Shown, page_submit
from tests.playtest.studies.exporting import export, table
from tests.playtest.studies.factory import make_participant, make_study, play_rounds, study_document

pytestmark = pytest.mark.django_db

ANSWERS = {"difficulty": "2", "enjoyment": "6"}


@pytest.fixture
def study() -> Study:
    return make_study(rounds=3, after_round=True)


def address(study: Study, name: str, *args: str) -> str:
    return reverse(f"studies:{name}", args=[study.public_id, *args])


@pytest.fixture
def participant(client: Client, study: Study) -> Participant:
    client.post(address(study, "start"))
    client.post(address(study, "consent"), {"decision": "agree"})
    return Participant.objects.get(token_hash=token_hash(client.cookies["participant"].value))


def due(client: Client, study: Study) -> str:
    """Where the participant is sent now."""
    return client.get(address(study, "next"))["Location"].removeprefix(address(study, "entry"))


def test_questions_come_after_every_round_before_the_next(
    client: Client, study: Study, participant: Participant
) -> None:
    way = []
    for position in (1, 2, 3):
        way.append(due(client, study))
        play_rounds(participant, position=position)
        way.append(due(client, study))
        client.post(address(study, "page", f"rounds.{position}"), {**ANSWERS, "enjoyment": str(position)})
    assert way == ["play", "page/rounds.1", "play", "page/rounds.2", "play", "page/rounds.3"]
    assert due(client, study) == "end"
    participant.refresh_from_db()
    assert participant.status == Status.COMPLETED
    stored = Answer.objects.filter(item_key="enjoyment").order_by("page_key").values_list("page_key", "value")
    assert list(stored) == [("rounds.1", "1"), ("rounds.2", "2"), ("rounds.3", "3")]


def test_page_says_which_round_it_is_about(client: Client, study: Study, participant: Participant) -> None:
    play_rounds(participant, position=1)
    text = client.get(address(study, "page", "rounds.1")).text
    assert "<h1>About round 1</h1>" in text
    assert "How difficult was this round for you?" in text
    assert "Stop and delete my data" in text


def test_answers_sent_twice_or_after_going_back_are_stored_once(
    client: Client, study: Study, participant: Participant
) -> None:
    play_rounds(participant, position=1)
    url = address(study, "page", "rounds.1")
    client.post(url, ANSWERS)
    again = client.post(url, {"difficulty": "7", "enjoyment": "7"})
    assert again["Location"] == address(study, "next")
    assert client.get(url)["Location"] == address(study, "next")
    assert PageVisit.objects.count() == 1
    assert Answer.objects.get(item_key="difficulty").value == "2"


def test_two_windows_that_send_at_once_store_one_page(study: Study, participant: Participant) -> None:
    play_rounds(participant, position=1)
    page = step_due(participant).page
    first = page_submit(
        participant=participant, page=page, answers={"difficulty": 1, "enjoyment": 1}, shown=Shown("a" * 22)
    )
    second = page_submit(
        participant=participant, page=page, answers={"difficulty": 7, "enjoyment": 7}, shown=Shown("b" * 22)
    )
    assert first == second
    assert set(Answer.objects.values_list("value", flat=True)) == {"1"}


@pytest.mark.parametrize("key", ["rounds.2", "rounds.0", "rounds.99999999999999999999", "rounds", "rounds.01"])
def test_questions_of_other_rounds_lead_to_what_is_due(
    client: Client, study: Study, participant: Participant, key: str
) -> None:
    play_rounds(participant, position=1)
    assert client.post(address(study, "page", key), ANSWERS)["Location"] == address(study, "next")
    assert PageVisit.objects.count() == 0


def test_next_round_cannot_be_taken_before_the_questions_are_answered(
    client: Client, study: Study, participant: Participant
) -> None:
    play_rounds(participant, position=1)
    assert client.get(address(study, "play"))["Location"] == address(study, "next")
    job = ClaimJob(participant_id=participant.pk, new=True, tab="tab-1", at=participant.started_at)
    assert round_claim(job).outcome == ClaimOutcome.ENDED
    assert Round.objects.get(participant=participant, position=2).state == RoundState.PLANNED
    client.post(address(study, "page", "rounds.1"), ANSWERS)
    assert round_claim(job).outcome == ClaimOutcome.OWNED


def test_missing_answers_are_asked_for_and_the_others_kept(
    client: Client, study: Study, participant: Participant
) -> None:
    play_rounds(participant, position=1)
    page = client.post(address(study, "page", "rounds.1"), {"difficulty": "5"})
    assert "Please answer this question." in page.text
    assert 'value="5" ' in page.text
    assert PageVisit.objects.count() == 0


def test_completion_is_refused_without_the_answers_of_a_round(study: Study, participant: Participant) -> None:
    participant = Participant.objects.get(pk=participant.pk)
    play_rounds(participant)
    for page in parse_study(study.draft).asked[:2]:
        page_submit(
            participant=participant, page=page, answers={"difficulty": 1, "enjoyment": 1}, shown=Shown("c" * 22)
        )
    assert completion_faults(participant) == [
        "Page rounds.3 was not sent in.",
        "Question difficulty of page rounds.3 has no answer.",
        "Question enjoyment of page rounds.3 has no answer.",
    ]
    assert participant_complete(participant=participant)


def test_participant_page_shows_them_in_the_timeline(client: Client, study: Study, participant: Participant) -> None:
    play_rounds(participant, position=1)
    client.post(address(study, "page", "rounds.1"), ANSWERS)
    person = person_shown(Participant.objects.get(pk=participant.pk))
    assert "Sent in “Rounds: after round 1”" in [entry.words for entry in person.timeline]
    assert [(one.words, one.answer) for one in person.pages[0].answers] == [
        ("How difficult was this round for you?", "2"),
        ("How much did you enjoy this round?", "6"),
    ]


@pytest.mark.django_db(transaction=True, databases=["default", "reading"])
def test_export_has_them_by_position_and_by_key_of_the_round(
    client: Client, study: Study, participant: Participant, tmp_path: Path
) -> None:
    for position in (1, 2, 3):
        play_rounds(participant, position=position)
        client.post(address(study, "page", f"rounds.{position}"), {"difficulty": str(position), "enjoyment": "4"})
    folder = export(study, tmp_path / "data")
    connections["reading"].close()
    rows = table(folder, "answers")
    keys = dict(Round.objects.filter(participant=participant).values_list("position", "key"))
    assert [(row["page"], row["position"], row["round_key"], row["value"]) for row in rows[::2]] == [
        ("rounds", str(position), keys[position], str(position)) for position in (1, 2, 3)
    ]
    [wide] = table(folder, "wide")
    for position in (1, 2, 3):
        assert wide[f"rounds.after.{position}.difficulty"] == str(position)
        assert wide[f"rounds.{keys[position]}.after.difficulty"] == str(position)
    assert [(row["page"], row["position"]) for row in table(folder, "pages")] == [
        ("rounds", "1"),
        ("rounds", "2"),
        ("rounds", "3"),
    ]
    codebook = (folder / "codebook.md").read_text("utf-8")
    assert "| 1 | rounds, after each round | difficulty | scale |" in codebook
    assert "`rounds.after.2.enjoyment`" in codebook


def test_no_ready_made_study_asks_after_rounds() -> None:
    for make in READY_MADE.values():
        document = parse_study(make())
        assert document.asked == document.questionnaires


def test_long_key_of_a_page_leaves_room_for_the_round() -> None:
    document = study_document(rounds=1, after_round=True)
    document["pages"][1]["key"] = "r" * 40
    study = study_create(owner=None, document=document)
    study_publish(study=study)
    participant, _ = make_participant(study)
    play_rounds(participant)
    page = step_due(participant).page
    page_submit(participant=participant, page=page, answers={"difficulty": 1, "enjoyment": 1}, shown=Shown("d" * 22))
    assert PageVisit.objects.get().page_key == "r" * 40 + ".1"


def test_designer_adds_the_block_by_one_button(designer: User, designer_client: Client) -> None:
    study = study_create(owner=designer, document=study_document())
    path = reverse("studies_staff:edit_page", args=[study.pk, "rounds"])
    page = designer_client.get(path).text
    assert "Nothing is asked after a round." in page
    sent = {"title": "Rounds", "text": "", "order": "fixed", "speed": "usual", "number": str(study.draft_number)}
    designer_client.post(path, {**sent, "do": "block:after_round:experience"})
    study.refresh_from_db()
    assert [item["key"] for item in study.draft["pages"][1]["after_round"]] == ["difficulty", "enjoyment"]
    one = reverse("studies_staff:edit_entry", args=[study.pk, "rounds", "after_round", "difficulty"])
    assert "How difficult was this round for you?" in designer_client.get(one).text
    assert "2 rounds · 2 questions" in designer_client.get(path).text
    study_publish(study=study)
    version = designer_client.get(reverse("studies_staff:version", args=[study.pk, 1])).text
    assert "Asked after each round" in version


def test_twice_the_same_key_is_refused() -> None:
    document = study_document(after_round=True)
    document["pages"][1]["after_round"][1]["key"] = "difficulty"
    with pytest.raises(StudyError, match="“difficulty” is there twice"):
        parse_study(json.loads(json.dumps(document)))
