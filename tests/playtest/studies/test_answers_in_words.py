"""Forms of participants say in the page's language, and in our own words, what may be typed in and what was wrong."""

import re
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import translation

from playtest.studies.cookies import PAGE_COOKIE
from playtest.studies.document import QuestionnairePage, parse_study
from playtest.studies.forms import QuestionnaireForm, RecruiterIdForm
from playtest.studies.models import Study
from playtest.studies.services import study_create, study_publish
from tests.playtest.studies.factory import make_participant, study_document

DJANGOS = re.compile(r"Ensure|Enter a|Select a valid|Null char|Dieser Wert|Stellen Sie|Bitte eine Zahl|gültige Auswahl")
ITEMS: list[dict[str, Any]] = [
    {"key": "age", "kind": "number", "label": "Age", "min": 18, "max": 100, "required": True},
    {"key": "share", "kind": "number", "label": "Share", "min": 0, "max": 1900, "decimals": 2, "required": False},
    {"key": "words", "kind": "text", "label": "Words", "max_length": 1000, "required": False},
    {
        "key": "often",
        "kind": "choice",
        "label": "How often?",
        "options": [{"value": "never", "label": "Never"}, {"value": "daily", "label": "Daily"}],
        "required": False,
    },
    {"key": "fun", "kind": "scale", "label": "Fun?", "to": 7, "low": "none", "high": "much", "required": False},
]
RIGHT = {"age": "40", "share": "1.25", "words": "", "often": "daily", "fun": "3"}


def page() -> QuestionnairePage:
    document = study_document(questions=True)
    document["pages"][1]["items"] = ITEMS
    found = parse_study(document).questionnaires[0]
    assert isinstance(found, QuestionnairePage)
    return found


def errors(language: str, **answers: str) -> dict[str, list[str]]:
    with translation.override(language):
        form = QuestionnaireForm({**RIGHT, **answers}, page=page())
        return {name: [str(error) for error in found] for name, found in form.errors.items()}


def help_of(language: str, name: str) -> str:
    with translation.override(language):
        return str(QuestionnaireForm(page=page()).fields[name].help_text)


def test_what_is_allowed_stands_at_the_question_before_anything_is_typed() -> None:
    assert "A whole number from 18 to 100." in help_of("en", "age")
    assert "Eine ganze Zahl von 18 bis 100." in help_of("de", "age")
    assert "A number from 0 to 1900, with at most 2 digits after the point." in help_of("en", "share")
    assert "Up to 1,000 characters." in help_of("en", "words")
    assert "Bis zu 1.000 Zeichen." in help_of("de", "words")


@pytest.mark.parametrize("typed", ["17", "150", "forty", "40.5", "1e99", "NaN", "1_0"])
def test_a_number_that_is_none_of_the_allowed_gets_one_sentence_of_ours(typed: str) -> None:
    assert errors("en", age=typed) == {"age": ["Please enter a whole number from 18 to 100."]}
    assert errors("de", age=typed) == {"age": ["Bitte geben Sie eine ganze Zahl von 18 bis 100 ein."]}


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize(
    "answers",
    [{"share": "0.123"}, {"share": "-1"}, {"often": "weekly"}, {"fun": "8"}, {"words": "a\0"}, {"words": "x" * 1001}],
)
def test_no_error_is_in_the_words_of_the_framework(language: str, answers: dict[str, str]) -> None:
    found = errors(language, **answers)
    assert list(found) == list(answers)
    assert not DJANGOS.search(str(found))


def test_a_text_that_is_too_long_is_counted_as_the_language_writes_numbers() -> None:
    assert "1.000 Zeichen" in errors("de", words="x" * 1234)["words"][0]
    assert "1.234" in errors("de", words="x" * 1234)["words"][0]


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("typed", ["x" * 201, "a\0b", ""])
def test_an_id_that_is_none_is_refused_in_our_words(language: str, typed: str) -> None:
    with translation.override(language):
        found = str(RecruiterIdForm({"recruiter_id": typed}).errors)
    assert found
    assert not DJANGOS.search(found)


@pytest.fixture
def study(db: None) -> Study:
    document = study_document(questions=True)
    document["pages"][1]["items"] = ITEMS
    study = study_create(owner=None, document=document)
    study_publish(study=study)
    return study


@pytest.mark.parametrize(
    ("answers", "title"),
    [
        ({"age": "150"}, "Please look at this once more"),
        ({"age": ""}, "Something is missing"),
        ({"age": "", "share": "-1"}, "Please look at this once more"),
    ],
)
def test_the_heading_above_the_faults_fits_them(study: Study, answers: dict[str, str], title: str) -> None:
    _, token = make_participant(study, agree=False)
    client = Client()
    client.cookies[PAGE_COOKIE] = token
    client.post(reverse("studies:consent", args=[study.public_id]), {"decision": "agree"})
    text = client.post(reverse("studies:page", args=[study.public_id, "profile"]), {**RIGHT, **answers}).text
    assert f"<h2>{title}</h2>" in text
    assert f"<title>{title} · " in text


def test_a_scale_may_stand_in_a_row_and_keeps_its_words() -> None:
    form = QuestionnaireForm(page=page())
    assert str(form["fun"]).startswith('<div id="id_fun" class="scale">')
    assert "class=" not in str(form["often"]).split("\n")[0]
    words = re.sub(r"<[^>]+>", "", str(form["fun"]))
    assert "1 (none)" in " ".join(words.split())
    assert "7 (much)" in " ".join(words.split())
