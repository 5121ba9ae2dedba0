"""Scores of the questions after each round: one value a round, in the editor, for staff and in the export."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.db import connections
from django.forms import MultipleChoiceField
from django.test import Client
from django.urls import reverse

from playtest.accounts.models import User
from playtest.studies.document import RoundsPage, parse_study
from playtest.studies.editor.kinds import blank_score
from playtest.studies.editor.parts import Part, part_replaced
from playtest.studies.editor.score_forms import ScoreForm
from playtest.studies.editor.shown import pages_shown
from playtest.studies.errors import StudyError
from playtest.studies.models import Participant, Study
from playtest.studies.services import page_submit, study_create, study_publish
from playtest.studies.services.pages import Shown
from tests.playtest.studies.exporting import export, play, table
from tests.playtest.studies.factory import make_participant, study_document

SCORE = {"key": "ease", "label": "Ease", "items": ["easy", "hard"], "reverse": ["hard"], "method": "mean", "least": 1}


def scored_document(score: object = None) -> dict[str, Any]:
    document = study_document()
    rounds = document["pages"][1]
    scale = {"kind": "scale", "from": 1, "to": 5, "low": "no", "high": "yes", "required": False}
    rounds["after_round"] = [{**scale, "key": key, "label": f"Was it {key}?"} for key in ("easy", "hard")]
    rounds["scores"] = [SCORE if score is None else score]
    return document


def rounds_of(document: dict[str, Any]) -> RoundsPage:
    page = parse_study(document).page("rounds")
    assert isinstance(page, RoundsPage)
    return page


def answered(study: Study) -> Participant:
    """Somebody who found the first round easy and said nothing of the second."""
    participant, _ = make_participant(study)
    page = rounds_of(scored_document())
    given: list[dict[str, int | None]] = [{"easy": 5, "hard": 2}, {"easy": None, "hard": None}]
    for position, answers in enumerate(given, start=1):
        play(participant, position=position)
        questions = page.questions_after(position)
        assert questions is not None
        page_submit(
            participant=participant, page=questions, answers=answers, shown=Shown(f"visit-for-a-test-{position:05}")
        )
    return participant


@pytest.fixture
def study(db: None) -> Study:
    study = study_create(owner=None, document=scored_document())
    study_publish(study=study)
    return study


def test_scores_of_a_page_of_rounds_are_kept_and_absent_where_there_are_none() -> None:
    assert rounds_of(scored_document()).to_document()["scores"] == [SCORE]
    assert "scores" not in rounds_of(study_document()).to_document()
    questions = rounds_of(scored_document()).questions_after(2)
    assert questions is not None
    assert [score.key for score in questions.scores] == ["ease"]


def test_score_of_a_question_that_is_not_asked_after_a_round_is_refused() -> None:
    with pytest.raises(StudyError, match="fun"):
        parse_study(scored_document({**SCORE, "items": ["fun"], "reverse": []}))


def test_editor_makes_scores_of_the_questions_after_a_round() -> None:
    page = scored_document()["pages"][1]
    assert blank_score(page)["items"] == ["easy", "hard"]
    form = ScoreForm(value=SCORE, owner=page)
    items = form.fields["items"]
    assert isinstance(items, MultipleChoiceField)
    assert list(dict(items.choices)) == ["easy", "hard"]
    with pytest.raises(StudyError, match="scales or numbers"):
        blank_score(study_document()["pages"][1])


def test_score_goes_on_counting_a_question_that_got_another_name() -> None:
    draft = scored_document()
    item = draft["pages"][1]["after_round"][0]
    changed = part_replaced(draft, Part("rounds", "after_round", "easy"), {**item, "key": "simple"})
    assert changed["pages"][1]["scores"][0]["items"] == ["simple", "hard"]


def test_version_shows_the_formula() -> None:
    shown = pages_shown(parse_study(scored_document()))[1]
    assert shown.scores == [("Ease", "ease", "mean of easy, 6 - hard; at least 1 of 2 answered")]


def test_participant_page_has_a_score_for_each_round(study: Study, designer: User, designer_client: Client) -> None:
    Study.objects.filter(pk=study.pk).update(owner=designer)
    participant = answered(study)
    text = designer_client.get(reverse("studies_staff:participant", args=[study.pk, participant.pk])).text
    assert "Score: Ease</dt><dd>4.5" in text
    assert "No value: 0 of 2 answered, 1 needed" in text


@pytest.fixture
def reading_closed() -> Iterator[None]:
    yield
    connections["reading"].close()


@pytest.mark.django_db(transaction=True, databases=["default", "reading"])
@pytest.mark.usefixtures("reading_closed")
def test_export_has_scores_by_round_long_and_wide(tmp_path: Path) -> None:
    study = study_create(owner=None, document=scored_document())
    study_publish(study=study)
    answered(study)
    folder = export(study, tmp_path / "out", "--format", "csv")
    rows = [
        (row["page"], row["position"], row["round_key"], row["score"], row["value"], row["missing"])
        for row in table(folder, "scores")
    ]
    assert rows == [
        ("rounds", "1", "fixed-1", "ease", "4.5", "no"),
        ("rounds", "2", "drawn", "ease", "", "too few"),
    ]
    (wide,) = table(folder, "wide")
    assert wide["rounds.after.1.score.ease"] == wide["rounds.fixed-1.after.score.ease"] == "4.5"
    assert wide["rounds.after.2.score.ease"] == wide["rounds.drawn.after.score.ease"] == ""
    codebook = (folder / "codebook.md").read_text("utf-8")
    assert "| 1 | rounds, after each round | ease | Ease | mean of easy, 6 - hard" in codebook
