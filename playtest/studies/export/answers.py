"""Pages of questions in an export: that they were sent in, their answers, and what their scores come to."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from playtest.studies.choices import Missing
from playtest.studies.document import QuestionnairePage, StudyDocument
from playtest.studies.document.items import Item
from playtest.studies.document.pages import key_parts
from playtest.studies.document.scores import Scored, score_answers
from playtest.studies.export.people import KINDS, Person, names_of
from playtest.studies.export.sheets import Sheet
from playtest.studies.export.tables import TOO_FEW, WITHHELD
from playtest.studies.export.wide import answer_columns, is_score_withheld, is_withheld, score_columns
from playtest.studies.models import Answer, PageVisit
from playtest.studies.selectors import exports as reads

MISSING = names_of(Missing)
Played = Mapping[tuple[int, int], str]
"""Keys of rounds by participant and position."""


def write_pages(
    sheets: Mapping[str, Sheet], people: Mapping[int, Person], played: Played, *, anonymous: bool
) -> dict[int, dict[str, Any]]:
    """Write pages, answers and scores; gives what the wide table says of them, by participant."""
    wide: dict[int, dict[str, Any]] = {key: {} for key in people}
    visits = reads.visits_read(keys=people)
    answers = reads.answers_read(keys=people)
    for key, person in people.items():
        given = answers.get(key, [])
        asked = {page.key: page for page in person.document.asked}
        for visit in visits.get(key, ()):
            sheets["pages"].add(visit_values(person, visit, played), person.start)
            page = asked.get(visit.page_key)
            place = place_values(visit, played)
            if page is not None:
                for scored in page_scores(page, given):
                    sheets["scores"].add(score_values(person, page, place, scored, anonymous=anonymous), person.start)
                    wide[key] |= dict.fromkeys(score_columns(scored.score.key, **place), scored.value)
        for answer in given:
            value = json.loads(answer.value)
            place = place_values(answer, played)
            wide[key] |= dict.fromkeys(answer_columns(answer.item_key, **place), value)
            sheets["answers"].add(answer_values(person, answer, value, place, anonymous=anonymous), person.start)
    return wide


def visit_values(person: Person, visit: PageVisit, played: Played) -> dict[str, Any]:
    return {
        "participant": person.name,
        **place_values(visit, played),
        "shown_ms": visit.shown_ms,
        "hidden_ms": visit.hidden_ms,
        "shown_at": visit.shown_at,
        "submitted_at": visit.submitted_at,
    }


def answer_values(
    person: Person, answer: Answer, value: Any, place: Mapping[str, Any], *, anonymous: bool
) -> dict[str, Any]:
    is_there = answer.missing == Missing.NO
    withheld = is_there and anonymous and is_withheld(item_of(person.document, answer))
    return {
        "participant": person.name,
        "kind": KINDS[person.row.kind],
        "version": person.row.version.number,
        **place,
        "item": answer.item_key,
        "value": answer_text(value) if is_there and not withheld else None,
        "number": answer.number if not withheld else None,
        "missing": WITHHELD if withheld else MISSING[answer.missing],
    }


def page_scores(page: QuestionnairePage, answers: Sequence[Answer]) -> list[Scored]:
    """What the scores of a page come to for somebody with these answers."""
    given = {answer.item_key: answer.number for answer in answers if answer.page_key == page.key}
    return score_answers(page.scores, page.items, given)


def score_values(
    person: Person, page: QuestionnairePage, place: Mapping[str, Any], scored: Scored, *, anonymous: bool
) -> dict[str, Any]:
    withheld = anonymous and is_score_withheld(scored.score, page.items)
    too_few = TOO_FEW if scored.value is None else MISSING[Missing.NO]
    return {
        "participant": person.name,
        "kind": KINDS[person.row.kind],
        "version": person.row.version.number,
        **place,
        "scale": page.scale.name if page.scale else None,
        "score": scored.score.key,
        "answered": None if withheld else scored.answered,
        "questions": len(scored.score.items),
        "value": None if withheld else scored.value,
        "missing": WITHHELD if withheld else too_few,
    }


def item_of(document: StudyDocument, answer: Answer) -> Item | None:
    """The question that was answered, or None if the study file has none of that name."""
    page = document.page(key_parts(answer.page_key)[0])
    items: Sequence[Item] = page.items if isinstance(page, QuestionnairePage) else getattr(page, "after_round", ())
    return next((item for item in items if item.key == answer.item_key), None)


def place_values(row: Answer | PageVisit, played: Played) -> dict[str, Any]:
    """The page of an answer or a visit, and the round that it was asked after."""
    page, position = key_parts(row.page_key)
    key = None if position is None else played.get((row.participant_id, position))
    return {"page": page, "position": position, "round_key": key}


def answer_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)
