"""How a designer says what happens at the end and who is screened out, and where staff read it."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from playtest.accounts.models import User
from playtest.studies.choices import Cause, Status
from playtest.studies.document import parse_study
from playtest.studies.editor.differences import differences
from playtest.studies.editor.parts import Part
from playtest.studies.file import read_study_file, study_file
from playtest.studies.models import Study
from playtest.studies.services import study_create, study_publish
from playtest.studies.services.transitions import status_change
from tests.playtest.studies.exporting import export
from tests.playtest.studies.factory import make_participant, study_document
from tests.playtest.studies.test_designer_pages import send
from tests.playtest.studies.test_outcomes import OUTCOMES, document

pytestmark = pytest.mark.django_db
END = Part("end")
URL = "https://app.prolific.com/submissions/complete?cc=[COMPLETION_CODE]&id=[PROLIFIC_PID]"


@pytest.fixture
def study(designer: User) -> Study:
    return study_create(owner=designer, document=study_document(questions=True))


def stored(study: Study, *path: str | int) -> Any:
    study.refresh_from_db()
    found = study.draft["pages"]
    for key in path:
        found = found[key]
    return found


def test_end_page_is_made_in_the_editor(designer_client: Client, study: Study) -> None:
    fields = {
        "complete-code": " C1 ",
        "complete-url": f"{URL} ",
        "declined-text": "Pity.",
        "timed_out-code": "L8",
        "wait": "20",
    }
    page = send(designer_client, study, END, **fields)
    assert "Saved." in page.text
    assert stored(study, -1, "wait") == 20
    outcomes = stored(study, -1, "outcomes")
    assert outcomes["complete"] == {"code": "C1", "url": URL}
    assert outcomes["declined"] == {"text": "Pity.", "code": "", "url": ""}
    assert outcomes["timed_out"]["code"] == "L8"
    page = send(designer_client, study, END, **{"declined-text": ""})
    assert stored(study, -1, "outcomes", "complete", "code") == "C1"
    log = designer_client.get(reverse("studies_staff:log", args=[study.pk])).text
    assert "Page 4 “Thanks”, declined, text: changed" in log


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("complete-url", "https://evil.example/", "This site sends nobody to evil.example."),
        ("declined-url", "javascript:alert(1)", "The address must begin with https://"),
        ("screened_out-url", "https://app.prolific.com/{{%PID%}}", "An address has no “{”"),
        ("returned-code", "x" * 65, "at most 64 characters"),
        ("wait", "3", "People need 5 seconds or more to stop it"),
    ],
)
def test_a_wrong_end_is_refused_at_its_field_and_kept_there(
    designer_client: Client, study: Study, field: str, value: str, words: str
) -> None:
    before = stored(study)
    page = send(designer_client, study, END, **{field: value})
    assert page.status_code == 422
    text = page.content.decode()
    place = text.index(f'id="field-{field}_error"')
    assert words in text[place : place + 600]
    assert stored(study) == before


def test_a_host_that_is_not_allowed_any_more_keeps_nobody_from_mending_another_page(
    designer_client: Client, study: Study, settings: Any
) -> None:
    send(designer_client, study, END, **{"complete-url": URL})
    settings.COMPLETION_HOSTS = []
    assert "Saved." in send(designer_client, study, Part("consent"), title="Other words").text
    page = designer_client.get(reverse("studies_staff:publish", args=[study.pk])).text
    assert "It cannot be published so: this site sends nobody to app.prolific.com" in page
    posted = designer_client.post(reverse("studies_staff:publish", args=[study.pk]), follow=True)
    assert "sends nobody to app.prolific.com" in posted.text
    study.refresh_from_db()
    assert study.published is None


@pytest.mark.parametrize("start", ["file", "copy"])
def test_study_of_another_site_keeps_its_address_and_says_what_it_needs(
    designer_client: Client, study: Study, settings: Any, start: str
) -> None:
    url = "https://app.prolific.com/submissions/complete?cc=[COMPLETION_CODE]"
    send(designer_client, study, END, **{"complete-url": url})
    study.refresh_from_db()
    file = SimpleUploadedFile("study.json", study_file(parse_study(study.draft)))
    settings.COMPLETION_HOSTS = ["elsewhere.example"]
    fields = {"start": "file", "file": file} if start == "file" else {"start": "copy", "study": study.pk}
    page = designer_client.post(reverse("studies_staff:new"), fields, follow=True)
    made = Study.objects.latest("pk")
    assert page.redirect_chain == [(reverse("studies_staff:edit", args=[made.pk]), 302)]
    assert "This site sends nobody to app.prolific.com" in page.text
    assert "TESSERA_COMPLETION_HOSTS" in page.text
    assert made.pk != study.pk
    assert stored(made, -1, "outcomes", "complete", "url") == url
    assert "Saved." in send(designer_client, made, END, **{"declined-text": "Pity."}).text
    publish = reverse("studies_staff:publish", args=[made.pk])
    assert "sends nobody to app.prolific.com" in designer_client.post(publish, follow=True).text
    settings.COMPLETION_HOSTS = ["app.prolific.com"]
    study_publish(study=Study.objects.get(pk=made.pk))


def test_address_that_is_allowed_is_not_spoken_of(designer_client: Client, study: Study) -> None:
    send(designer_client, study, END, **{"complete-url": URL})
    page = designer_client.post(reverse("studies_staff:new"), {"start": "copy", "study": study.pk}, follow=True)
    assert "is made" in page.text
    assert "sends nobody" not in page.text


def test_study_that_cannot_be_made_at_this_moment_is_refused_at_its_form(
    designer_client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Kind: two designers make studies of one name at the same moment."""
    monkeypatch.setattr("playtest.studies.services.studies.free_slug", lambda wanted: "taken")
    answers = [designer_client.post(reverse("studies_staff:new"), {"start": "empty"}) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [302, 422]
    assert "There is a study with the short name" in answers[1].text


def test_staff_are_told_at_publishing_what_the_links_must_bring(designer_client: Client, study: Study) -> None:
    send(designer_client, study, END, **{"complete-url": URL})
    page = designer_client.get(reverse("studies_staff:publish", args=[study.pk])).text
    assert "Complete: to app.prolific.com. The address needs <code>PROLIFIC_PID</code>" in page


def test_answers_of_a_choice_get_their_meaning(designer_client: Client, study: Study) -> None:
    part = Part("profile", "items", "often")
    rows = {"options-label": ["Never", "Daily", ""], "options-value": ["never", "daily", ""]}
    assert "Saved." in send(designer_client, study, part, **rows, **{"options-role": ["out", "", ""]}).text
    assert stored(study, 1, "items", 0, "screen_out") == ["never"]
    page = send(designer_client, study, part, do="down:options:0", **rows, **{"options-role": ["out", "", ""]})
    assert [one["value"] for one in stored(study, 1, "items", 0, "options")] == ["daily", "never"]
    assert stored(study, 1, "items", 0, "screen_out") == ["never"]
    assert '<option value="out" selected>' in page.text
    send(designer_client, study, part, **rows, **{"options-role": ["", "right", ""]})
    assert (stored(study, 1, "items", 0, "screen_out"), stored(study, 1, "items", 0, "expected")) == ([], "daily")
    for roles, words in (
        (["right", "right", ""], "Only one answer can be the right one."),
        (["out", "out", ""], "With these nobody could go on"),
        (["out", "right", ""], "A question that screens out has no expected answer"),
    ):
        page = send(designer_client, study, part, **rows, **{"options-role": roles})
        assert page.status_code == 422
        assert words in page.text


def test_scales_and_numbers_screen_out_too(designer_client: Client, study: Study) -> None:
    scale, number = Part("profile", "items", "fun"), Part("profile", "items", "age")
    send(designer_client, study, scale, screen_out="2, 1")
    assert stored(study, 1, "items", 3, "screen_out") == [1, 2]
    send(designer_client, study, number, below="21", above="")
    assert stored(study, 1, "items", 1, "screen_out") == {"below": 21, "above": None}
    send(designer_client, study, number, below="", expected="40")
    assert stored(study, 1, "items", 1, "expected") == 40
    for part, fields, words in (
        (scale, {"screen_out": "one"}, "Write the steps with commas between them"),
        (scale, {"screen_out": "1, 9"}, "Each must be a step from 1 to 5."),
        (scale, {"screen_out": "", "expected": "7"}, "This is none of the answers."),
        (number, {"below": "500", "expected": ""}, "500 is outside of 18 to 120."),
    ):
        page = send(designer_client, study, part, **fields)
        assert page.status_code == 422
        assert words in page.text
    outline = designer_client.get(reverse("studies_staff:edit_page", args=[study.pk, "profile"])).text
    assert "Scale · screens out" in outline
    assert "Number · may be skipped · attention" in outline


def test_a_study_file_carries_all_of_it() -> None:
    parsed = parse_study(document(wait=0))
    file = study_file(parsed)
    assert read_study_file(file) == parsed
    assert study_file(read_study_file(file)) == file
    bare = json.loads(file)
    del bare["pages"][-1]["outcomes"], bare["pages"][-1]["wait"]
    assert parse_study(bare).end.outcome("complete").code == ""


def test_a_draft_without_the_new_fields_is_the_version_that_it_was(study: Study) -> None:
    version = study_publish(study=study)
    old = version.document
    del old["pages"][-1]["outcomes"], old["pages"][-1]["wait"]
    type(version).blanking().filter(pk=version.pk).update(document=old, hash="0" * 64)
    assert study_publish(study=study).pk == version.pk


def test_differences_name_outcome_and_screening() -> None:
    before = parse_study(document()).to_document()
    changed = document(outcomes={**OUTCOMES, "declined": {"code": "N1"}})
    changed["pages"][1]["items"] = [
        {**changed["pages"][1]["items"][0], "screen_out": []},
        *changed["pages"][1]["items"][1:],
    ]
    places = [one.place for one in differences(before, parse_study(changed).to_document())]
    assert places == [
        "Question 1 “How often do you play?” of “You”, answers that screen out",
        "Page 4 “Thanks”, declined, text",
        "Page 4 “Thanks”, declined, completion code",
        "Page 4 “Thanks”, declined, completion address",
    ]


@pytest.mark.django_db(transaction=True, databases=["default", "reading"])
def test_staff_see_outcome_and_what_was_given(designer: User, designer_client: Client, tmp_path: Path) -> None:
    study = study_create(owner=designer, document=document())
    study_publish(study=study)
    participant, _ = make_participant(study, agree=False)
    status_change(participant=participant, to=Status.DECLINED, cause=Cause.PARTICIPANT)
    page = designer_client.get(reverse("studies_staff:participant", args=[study.pk, participant.pk])).text
    assert "completion code <code>N0</code>" in page
    assert "Sent on to app.prolific.com." in page
    shown = designer_client.get(reverse("studies_staff:version", args=[study.pk, 1])).text
    for words in ("Who is screened out", "Only adults.", "SCR33N", "screens out: never", "the right answer is 2"):
        assert words in shown
    [row] = json.loads((export(study, tmp_path / "plain", "--format=json") / "participants.json").read_text())
    assert (row["outcome"], row["outcome_code"]) == ("declined", "N0")
    folder = export(study, tmp_path / "anonymous", "--format=json", "--anonymous")
    [row] = json.loads((folder / "participants.json").read_text())
    assert row["outcome"] == "declined"
    assert "outcome_code" not in row
    assert "| screens out | right answer |" in (folder / "codebook.md").read_text().lower()
