"""Scales and scores: read from a file, computed in one place, with reversed and missing answers; words, never NaN."""

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connections
from django.test import Client
from django.urls import reverse
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from playtest.accounts.models import AuditLog, User
from playtest.studies.choices import Kind, StudyState
from playtest.studies.document import QuestionnairePage, parse_study
from playtest.studies.document.items import Item, ScaleItem
from playtest.studies.document.scores import Score, reversed_answer, score_answers, score_formula, score_range
from playtest.studies.errors import StudyError
from playtest.studies.models import Study
from playtest.studies.scale_file import example_scale, read_scale_file, scale_page
from playtest.studies.selectors.person import person_shown
from playtest.studies.services import (
    consent_decide,
    page_submit,
    participant_start,
    study_create,
    study_publish,
    study_set_state,
)
from playtest.studies.services.pages import Shown
from tests.playtest.studies.exporting import export, table
from tests.playtest.studies.factory import study_document


def scale_item(key: str, low: int = 1, high: int = 5) -> ScaleItem:
    return ScaleItem(key, key, "", True, False, low, high, "", "")


def score_of(keys: list[str], *, reverse: tuple[str, ...] = (), method: str = "mean", least: int = 1) -> Score:
    return Score("one", "One", tuple(keys), reverse, method, least)


def value_of(score: Score, items: list[ScaleItem], answers: dict[str, int | float | None]) -> float | None:
    [scored] = score_answers([score], items, answers)
    return scored.value


@st.composite
def answered_scores(draw: st.DrawFn) -> tuple[Score, list[ScaleItem], dict[str, int | float | None]]:
    """A score over some scales of one range, and answers of which some are missing."""
    low = draw(st.integers(-10, 10))
    high = low + draw(st.integers(1, 10))
    items = [scale_item(f"q{number}", low, high) for number in range(draw(st.integers(1, 12)))]
    keys = [item.key for item in items]
    reverse = tuple(draw(st.lists(st.sampled_from(keys), unique=True)))
    method = draw(st.sampled_from(["mean", "sum"]))
    score = score_of(keys, reverse=reverse, method=method, least=draw(st.integers(1, len(keys))))
    answers = {key: draw(st.none() | st.integers(low, high)) for key in keys}
    return score, items, answers


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(answered_scores())
def test_score_lies_in_its_range_or_is_none_where_too_few_answered(
    case: tuple[Score, list[Any], dict[str, Any]],
) -> None:
    score, items, answers = case
    [scored] = score_answers([score], items, answers)
    given_answers = [value for value in answers.values() if value is not None]
    assert scored.answered == len(given_answers)
    if len(given_answers) < score.least:
        assert scored.value is None
    else:
        low, high = score_range(score, items)
        assert scored.value is not None
        assert low - 1e-9 <= scored.value <= high + 1e-9


@given(st.integers(-10, 10), st.integers(1, 10), st.data())
def test_reversing_twice_gives_the_answer_again(low: int, steps: int, data: st.DataObject) -> None:
    item = scale_item("q", low, low + steps)
    answer = data.draw(st.integers(item.low, item.high))
    assert reversed_answer(item, reversed_answer(item, answer)) == answer
    assert item.low <= reversed_answer(item, answer) <= item.high


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(answered_scores())
def test_reversing_every_question_mirrors_the_score(case: tuple[Score, list[Any], dict[str, Any]]) -> None:
    score, items, answers = case
    others = tuple(key for key in score.items if key not in score.reverse)
    mirrored = Score(score.key, score.label, score.items, others, score.method, score.least)
    one, other = value_of(score, items, answers), value_of(mirrored, items, answers)
    if one is None:
        assert other is None
    else:
        assert one + other == pytest.approx(sum(score_range(score, items)))


def test_mean_and_sum_are_those_of_a_worked_example() -> None:
    items = [scale_item(key) for key in "abcd"]
    keys = list("abcd")
    answers: dict[str, int | float | None] = {"a": 5, "b": 1, "c": 4, "d": None}
    assert value_of(score_of(keys, reverse=("b",)), items, answers) == pytest.approx((5 + 5 + 4) / 3)
    assert value_of(score_of(keys, reverse=("b",), method="sum"), items, answers) == pytest.approx((5 + 5 + 4) / 3 * 4)
    assert value_of(score_of(["a", "b"], method="sum", least=2), items, answers) == 6
    assert value_of(score_of(keys, least=4), items, answers) is None
    assert value_of(score_of(keys), items, {}) is None


def test_formula_says_how_a_score_is_made() -> None:
    items: list[Item] = [scale_item(key) for key in "ab"]
    assert score_formula(score_of(["a", "b"], reverse=("b",)), items) == "mean of a, 6 - b; at least 1 of 2 answered"
    words = score_formula(score_of(["a", "b"], method="sum"), items)
    assert words.endswith("a missing answer counts as the mean of the others")


# --- Files --------------------------------------------------------------------------------------------------------


def example() -> dict[str, Any]:
    value: dict[str, Any] = json.loads(example_scale())
    return value


def test_example_becomes_a_page_that_says_that_it_is_invented() -> None:
    page = read_scale_file(example_scale())
    assert "invented" in page["scale"]["name"]
    assert [score["key"] for score in page["scores"]] == ["ease", "pull"]
    assert page["items"][0]["labels"] == {"3": "neither"}
    assert (page["items"][0]["low"], page["items"][0]["high"]) == ("do not agree at all", "agree completely")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda file: file.pop("scale"), "This is no file of a scale"),
        (lambda file: file.update(format=2), "scales of format 1"),
        (lambda file: file.update(format=True), "scales of format 1"),
        (lambda file: file.pop("citation"), "“citation” is missing"),
        (lambda file: file.pop("licence"), "“licence” is missing"),
        (lambda file: file["range"].update({"from": 5}), "“from” must be less than “to”"),
        (lambda file: file["range"]["labels"].update({"9": "far"}), "range, labels: the key “9” is not known"),
        (lambda file: file["items"][1].update(key="ease-1"), "“ease-1” is there twice"),
        (lambda file: file["items"][1].update(reverse=True), "Item 2: the key “reverse” is not known"),
        (lambda file: file.update(items=[]), "0 entries"),
        (lambda file: file["subscales"][0]["items"].append("calm"), "“Ease” counts the question “calm”"),
        (lambda file: file["subscales"][0]["items"].append("ease-1"), "“ease-1” is there twice"),
        (lambda file: file["subscales"][0].update(reverse=["pull-1"]), "reverses the question “pull-1”"),
        (lambda file: file["subscales"][0].update(method="median"), "one of mean, sum"),
        (lambda file: file["subscales"][0].update(least=4), "4 is outside of 1 to 3"),
        (lambda file: file["subscales"][1].update(key="ease"), "“ease” is there twice"),
        (lambda file: file.update(subscales=["ease"]), "Subscale 1: an object"),
    ],
    ids=range(17),
)
def test_file_that_is_no_scale_is_refused_in_a_sentence(change: Any, words: str) -> None:
    file = example()
    change(file)
    with pytest.raises(StudyError, match=words.replace("(", r"\(")):
        scale_page(file)


def test_scores_over_different_ranges_or_words_are_refused() -> None:
    document = study_document(questions=True)
    questions = document["pages"][1]
    questions["scores"] = [{"key": "s", "label": "S", "items": ["fun", "age"]}]
    with pytest.raises(StudyError, match="different ranges"):
        parse_study(document)
    questions["scores"][0]["items"] = ["words"]
    with pytest.raises(StudyError, match="no scale and no number"):
        parse_study(document)


# --- In a study ---------------------------------------------------------------------------------------------------


def scored_document(*, sensitive: bool = False) -> dict[str, Any]:
    """A study that asks the example scale, with questions that may be skipped."""
    document = study_document(rounds=1)
    page = deepcopy(read_scale_file(example_scale()))
    for item in page["items"]:
        item |= {"required": False, "sensitive": sensitive and item["key"] == "ease-1"}
    document["pages"].insert(1, {"key": "felt", **page})
    return document


def answered(study: Study, answers: dict[str, int]) -> Any:
    participant = participant_start(study=study, kind=Kind.PERSON).participant
    consent_decide(participant=participant, agree=True)
    page = parse_study(study.draft).questionnaires[0]
    page_submit(participant=participant, page=page, answers=answers, shown=Shown("s" * 22))
    return participant


@pytest.mark.django_db
def test_document_with_scores_reads_back_as_it_was_written() -> None:
    document = parse_study(scored_document()).to_document()
    assert parse_study(document).to_document() == document


@pytest.mark.django_db
def test_participant_page_shows_scores_or_why_there_is_none() -> None:
    study = study_create(owner=None, document=scored_document())
    study_publish(study=study)
    participant = answered(study, {"ease-1": 5, "ease-2": 2, "pull-1": 3})
    [page] = person_shown(participant).pages
    assert [(score.words, score.value, score.missing) for score in page.scores] == [
        ("Ease", "4.5", ""),
        ("Pull", "", "No value: 1 of 3 answered, 2 needed"),
    ]


@pytest.mark.django_db(transaction=True, databases=["default", "reading"])
@pytest.mark.parametrize("anonymous", [False, True])
def test_export_has_scores_long_wide_and_in_the_codebook(tmp_path: Path, anonymous: bool) -> None:
    study = study_create(owner=None, document=scored_document(sensitive=True))
    study_publish(study=study)
    answered(study, {"ease-1": 5, "ease-2": 2, "pull-1": 3})
    folder = export(study, tmp_path / "data", *(["--anonymous"] if anonymous else []))
    connections["reading"].close()
    found = [(row["score"], row["answered"], row["value"], row["missing"]) for row in table(folder, "scores")]
    [wide] = table(folder, "wide")
    if anonymous:
        assert found == [("ease", "", "", "withheld"), ("pull", "1", "", "too few")]
        assert "felt.score.ease" not in wide
    else:
        assert found == [("ease", "2", "4.5", "no"), ("pull", "1", "", "too few")]
        assert (wide["felt.score.ease"], wide["felt.score.pull"]) == ("4.5", "")
    assert {row["scale"] for row in table(folder, "scores")} == {"Example scale (invented)"}
    codebook = (folder / "codebook.md").read_text("utf-8")
    assert "mean of ease-1, 6 - ease-2, ease-3; at least 2 of 3 answered" in codebook
    assert "CC0" in codebook
    for file in folder.glob("scores*"):
        assert b"NaN" not in file.read_bytes()


# --- In the editor ------------------------------------------------------------------------------------------------


@pytest.fixture
def study(designer: User) -> Study:
    return study_create(owner=designer, document=study_document(questions=True, after_round=True))


def upload(client: Client, study: Study, content: bytes, after: str = "consent") -> Any:
    file = SimpleUploadedFile("scale.json", content)
    return client.post(reverse("studies_staff:scale", args=[study.pk]), {"file": file, "after": after}, follow=True)


@pytest.mark.django_db
def test_scale_is_imported_behind_the_page_that_was_chosen(designer_client: Client, study: Study) -> None:
    file = designer_client.get(reverse("studies_staff:scale_example")).content
    page = upload(designer_client, study, file, after="profile")
    assert "The scale is imported" in page.text
    study.refresh_from_db()
    assert [one["key"] for one in study.draft["pages"]][2] == "example-scale-invented"
    assert AuditLog.objects.filter(action="study.draft").count() == 1
    again = upload(designer_client, study, file)
    assert again.status_code == 200
    study.refresh_from_db()
    assert study.draft["pages"][1]["key"] == "example-scale-invented-1"


@pytest.mark.django_db
@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"format": 1}', b"\xff"])
def test_file_that_cannot_be_read_leaves_the_draft(designer_client: Client, study: Study, content: bytes) -> None:
    before = study.draft
    response = upload(designer_client, study, content)
    assert response.status_code == 422
    study.refresh_from_db()
    assert study.draft == before


@pytest.mark.django_db
def test_import_is_for_the_owner_and_for_studies_that_may_change(
    client: Client, designer_client: Client, admin: User, study: Study
) -> None:
    other = study_create(owner=admin, document=study_document())
    assert upload(designer_client, other, example_scale()).status_code == 403
    assert client.post(reverse("studies_staff:scale", args=[study.pk])).status_code == 302
    study_publish(study=study)
    study_set_state(study=study, state=StudyState.CLOSED)
    assert "not changed any more" in upload(designer_client, study, example_scale()).text
    study.refresh_from_db()
    assert len(study.draft["pages"]) == 4


def press(client: Client, study: Study, path: list[str], do: str, **fields: Any) -> Any:
    """Press a button of a part, with the fields that its form has."""
    study.refresh_from_db()
    name = {1: "edit_page", 3: "edit_entry"}[len(path)]
    sent = {"number": study.draft_number, "do": do, **fields}
    return client.post(reverse(f"studies_staff:{name}", args=[study.pk, *path]), sent, follow=True)


QUESTIONS = {"title": "You", "text": "", "scale_name": "", "citation": "", "licence": ""}
FUN = {"label": "Fun?", "help": "", "from": 1, "low": "none", "to": 5, "high": "much", "labels": "3: some"}


@pytest.mark.django_db
def test_designer_makes_a_score_of_a_page(designer_client: Client, study: Study) -> None:
    press(designer_client, study, ["profile"], "add:scores:score", **QUESTIONS)
    study.refresh_from_db()
    [score] = study.draft["pages"][1]["scores"]
    assert score["items"] == ["age"]
    fields = {"label": "Joy", "items": ["fun"], "reverse": ["fun"], "method": "sum", "least": 1, "key": "joy"}
    press(designer_client, study, ["profile", "scores", score["key"]], "save", **fields)
    study.refresh_from_db()
    [score] = study.draft["pages"][1]["scores"]
    assert score == {**fields, "least": 1}
    refused = press(designer_client, study, ["profile", "scores", "joy"], "save", **{**fields, "least": 2})
    assert refused.status_code == 422
    assert "2 is outside of 1 to 1" in refused.text.replace("&quot;", '"')


@pytest.mark.django_db
def test_score_follows_a_question_that_is_renamed_and_holds_one_that_it_counts(
    designer_client: Client, study: Study
) -> None:
    study.draft["pages"][1]["scores"] = [{"key": "joy", "label": "Joy", "items": ["fun"]}]
    study.save()
    press(designer_client, study, ["profile", "items", "fun"], "save", **FUN, required="on", key="joyful")
    study.refresh_from_db()
    page = parse_study(study.draft).questionnaires[0]
    assert page.scores[0].items == ("joyful",)
    assert page.items[3].words == {1: "none", 3: "some", 5: "much"}
    refused = press(
        designer_client,
        study,
        ["profile", "items", "joyful"],
        "remove:items:joyful",
        **FUN,
        required="on",
        key="joyful",
    )
    assert "counts the question “joyful”" in refused.text
    study.refresh_from_db()
    assert len(study.draft["pages"][1]["items"]) == 4


@pytest.mark.django_db
@pytest.mark.parametrize(("verb", "left"), [("send", 3), ("give", 4)])
def test_question_is_moved_or_copied_to_another_page(
    designer_client: Client, study: Study, verb: str, left: int
) -> None:
    page = press(
        designer_client,
        study,
        ["profile", "items", "fun"],
        f"{verb}:items:fun",
        **FUN,
        required="on",
        key="fun",
        elsewhere="rounds.after_round",
    )
    assert "to “Rounds”" in page.text
    study.refresh_from_db()
    assert len(study.draft["pages"][1]["items"]) == left
    assert [item["key"] for item in study.draft["pages"][2]["after_round"]] == ["difficulty", "enjoyment", "fun"]


@pytest.mark.django_db
@pytest.mark.parametrize("to", ["", "profile", "profile.items", "profile.scores", "rounds.rounds", "nowhere.items"])
def test_question_is_not_moved_where_it_cannot_stand(designer_client: Client, study: Study, to: str) -> None:
    before = parse_study(study.draft).to_document()
    press(
        designer_client,
        study,
        ["profile", "items", "fun"],
        "send:items:fun",
        **{**FUN, "labels": ""},
        required="on",
        key="fun",
        elsewhere=to,
    )
    study.refresh_from_db()
    assert parse_study(study.draft).to_document() == before


@pytest.mark.django_db
def test_last_question_of_a_page_is_copied_but_not_moved(designer_client: Client, study: Study) -> None:
    study.draft["pages"][1]["items"] = study.draft["pages"][1]["items"][3:]
    study.save()
    fields = {**FUN, "required": "on", "key": "fun", "elsewhere": "rounds.after_round"}
    refused = press(designer_client, study, ["profile", "items", "fun"], "send:items:fun", **fields)
    assert "This page needs a question" in refused.text
    press(designer_client, study, ["profile", "items", "fun"], "give:items:fun", **fields)
    study.refresh_from_db()
    assert len(study.draft["pages"][2]["after_round"]) == 3


@pytest.mark.django_db
@pytest.mark.parametrize("line", ["neither", "4 neither", "1: first", "9: far", "3: a\n3: b"])
def test_words_of_steps_that_cannot_be_are_refused_at_their_field(
    designer_client: Client, study: Study, line: str
) -> None:
    fields = {**FUN, "labels": line, "required": "on", "key": "fun"}
    response = press(designer_client, study, ["profile", "items", "fun"], "save", **fields)
    assert response.status_code == 422
    assert 'id="field-labels_error"' in response.text


@pytest.mark.django_db
def test_every_ready_made_page_without_scores_says_so() -> None:
    page = parse_study(study_document(questions=True)).questionnaires[0]
    assert isinstance(page, QuestionnairePage)
    assert (page.scores, page.scale) == ((), None)
