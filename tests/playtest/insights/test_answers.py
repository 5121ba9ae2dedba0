"""What was answered, question by question, on the page of results: counted as scores are, and nobody's by name."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from playtest.accounts.models import User
from playtest.insights.selectors.answers import QuestionShown, answers_shown, binned
from playtest.insights.who import Who
from playtest.studies.choices import Kind, Use
from playtest.studies.identity import public_id_draw
from playtest.studies.models import Participant, Study
from playtest.studies.selectors.documents import version_document
from playtest.studies.services import consent_decide, page_submit, participant_start, study_create, study_publish
from playtest.studies.services.annotations import use_decide
from playtest.studies.services.pages import Shown
from tests.playtest.studies.factory import question_items, study_document

pytestmark = pytest.mark.django_db


def make(owner: User, items: list[dict[str, Any]] | None = None) -> Study:
    document = study_document(questions=True)
    document["pages"][1]["items"] = items or question_items()
    study = study_create(owner=owner, document=document)
    study_publish(study=study)
    return study


@pytest.fixture
def study(designer: User) -> Study:
    return make(designer)


def answered(study: Study, *, kind: Kind = Kind.PERSON, **answers: Any) -> Participant:
    study.refresh_from_db()
    participant = participant_start(study=study, kind=kind).participant
    consent_decide(participant=participant, agree=True)
    (page,) = version_document(participant.version).questionnaires
    given = {"often": "daily", "age": None, "words": None, "fun": 4, **answers}
    page_submit(participant=participant, page=page, answers=given, shown=Shown(public_id_draw()))
    return participant


def shown(study: Study, who: Who = Who.PEOPLE) -> dict[str, QuestionShown]:
    study.refresh_from_db()
    assert study.published is not None
    return {one.key: one for one in answers_shown(version=study.published, who=who)}


def test_each_kind_of_question_has_its_figures(study: Study) -> None:
    answered(study, age=20, words="first", fun=1)
    answered(study, often="never", age=30, words="second", fun=5)
    answered(study, age=70, fun=5)
    found = shown(study)
    assert list(found) == ["often", "age", "words", "fun"]
    assert [(row.label, row.count, row.share) for row in found["often"].rows] == [("Never", 1, 33), ("Daily", 2, 67)]
    assert (found["age"].n, found["age"].mean, found["age"].median) == (3, 40, 30)
    assert [(row.label, row.count) for row in found["age"].rows] == [("20", 1), ("30", 1), ("70", 1)]
    assert (found["words"].n, found["words"].skipped, found["words"].texts) == (2, 1, ("second", "first"))
    assert [row.count for row in found["fun"].rows] == [1, 0, 0, 0, 2]
    assert found["fun"].rows[0].label == "1 (none)"
    assert (found["fun"].mean, found["fun"].median) == (pytest.approx(11 / 3), 5)


def test_answers_are_counted_as_the_page_is_asked_and_without_who_was_left_out(study: Study) -> None:
    person = answered(study)
    answered(study, often="never")
    for kind in (Kind.BOT, Kind.PREVIEW):
        answered(study, kind=kind)
    assert [shown(study, who)["often"].n for who in Who] == [2, 2, 1, 3]
    use_decide(participant=person, row=None, use=Use.EXCLUDE, reason="A test", by=None)
    assert [row.count for row in shown(study)["often"].rows] == [1, 0]


def test_nobody_answered_yet_is_no_number(study: Study, designer_client: Client) -> None:
    found = shown(study)["age"]
    assert (found.n, found.mean, found.rows) == (0, None, ())
    assert "0 answered." in designer_client.get(reverse("insights:study_results", args=[study.pk])).text


def test_sensitive_questions_say_nothing_of_single_people(designer: User) -> None:
    study = make(designer, [{**item, "sensitive": True} for item in question_items()])
    for number in range(5):
        assert not any(one.rows or one.texts or one.mean for one in shown(study).values()), number
        answered(study, words="a secret")
    assert [row.count for row in shown(study)["often"].rows] == [0, 5]
    assert "a secret" not in str(shown(study))


def test_many_numbers_are_shown_in_intervals_that_hold_each_once() -> None:
    found = binned([float(age) for age in range(18, 81)], is_whole=True)
    assert found[0] == ("18 to 24", 7)
    assert found[-1] == ("74 to 80", 7)
    assert sum(count for _, count in found) == 63
    broken = binned([number / 7 for number in range(50)], is_whole=False)
    assert (len(broken), sum(count for _, count in broken)) == (10, 50)


def test_the_page_has_them_of_each_version_and_escapes_what_was_written(study: Study, designer_client: Client) -> None:
    answered(study, words="<b>bold</b>")
    draft = {**study.draft, "title": "Another title"}
    Study.objects.filter(pk=study.pk).update(draft=draft)
    study.refresh_from_db()
    study_publish(study=study)
    address = reverse("insights:study_results", args=[study.pk])
    newest = designer_client.get(address).text
    assert "Of version 2" in newest
    assert "bold" not in newest
    older = designer_client.get(address, {"version": "1"}).text
    assert "&lt;b&gt;bold&lt;/b&gt;" in older
    assert "<b>bold</b>" not in older
    assert designer_client.get(address, {"version": "x"}).status_code == 200
