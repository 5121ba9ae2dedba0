"""Study documents are read strictly, and a refusal says where and what."""

import copy
import json
from typing import Any

import pytest

from playtest.studies.document import parse_study
from playtest.studies.errors import StudyError
from playtest.studies.readymade import READY_MADE
from tests.playtest.studies.factory import level_file, study_document

Change = tuple[tuple[str | int, ...], Any]
GONE = object()


def changed(path: tuple[str | int, ...], value: Any) -> dict[str, Any]:
    """The test study with one thing replaced, added or removed."""
    document = copy.deepcopy(study_document(questions=True))
    place: Any = document
    for key in path[:-1]:
        place = place[key]
    if value is GONE:
        del place[path[-1]]
    elif path[-1] == "+":
        place.append(value)
    else:
        place[path[-1]] = value
    return document


ITEM = ("pages", 1, "items", 0)
ROUND = ("pages", 2, "rounds", 0)


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("format",), 2, "This program reads studies of format 1."),
        (("format",), True, "This program reads studies of format 1."),
        (("title",), "", "title: the text is empty."),
        (("title",), 7, "title: this must be text."),
        (("title",), "a\x00b", "title: the text holds a character that cannot be stored."),
        (("title",), "\ud800", "title: the text holds a character that cannot be stored."),
        (("title",), "x" * 201, "title: the text has 201 characters, 200 are allowed."),
        (("title",), GONE, "the key “title” is missing."),
        (("colour",), "red", "the key “colour” is not known."),
        (("languages",), ["tlh"], "Language 1: each of en, de may be named once."),
        (("languages",), ["en", "en"], "Language 2: each of en, de may be named once."),
        (("pages",), {}, "pages: a list is needed here."),
        (("pages",), [], "pages: the list has 0 entries, 3 to 50 are allowed."),
        (("pages", 0), "page", "Page 1: an object with keys is needed here."),
        (("pages", 0), GONE, "Page 1: a study begins with its consent page."),
        (("pages", -1), GONE, "Page 3: a study ends with its end page."),
        (
            ("pages", 0, "kind"),
            "survey",
            "Page 1, kind: one of consent, questionnaire, practice, rounds, end",
        ),
        (("pages", 0, "text"), "  ", "Page 1, text: the text is empty."),
        (("pages", 0, "agree"), GONE, "Page 1: the key “agree” is missing."),
        (("pages", 1, "key"), "consent", "the key “consent” is there twice."),
        (("pages", 1, "key"), "Über", "Page 2, key: “Über” must begin with a small letter"),
        (("pages", 1, "items"), [], "Page 2, items: the list has 0 entries"),
        (("pages", 2), GONE, "A study needs a page with rounds."),
        ((*ITEM, "kind"), "date", "Question 1 of page 2, kind: one of choice, number, text, scale is needed here."),
        ((*ITEM, "required"), "yes", "Question 1 of page 2, required: true or false is needed here."),
        ((*ITEM, "options"), [{"value": "a", "label": "A"}], "Question 1 of page 2, options: the list has 1 entries"),
        ((*ITEM, "options", 1, "value"), "never", "Question 1 of page 2, options: the value “never” is there twice."),
        ((*ITEM, "options", 0, "colour"), 1, "Option 1 of question 1 of page 2: the key “colour” is not known."),
        (("pages", 1, "items", 1, "key"), "often", "Page 2: the key “often” is there twice."),
        (("pages", 1, "items", 1, "min"), 200, "Question 2 of page 2: min must be less than max."),
        (("pages", 1, "items", 1, "min"), 1.5, "Question 2 of page 2, min: a whole number is needed here."),
        (("pages", 1, "items", 2, "max_length"), 0, "Question 3 of page 2, max_length: 0 is outside of 1 to 10000."),
        (("pages", 1, "items", 3, "to"), 1, "Question 4 of page 2: a scale has 2 to 11 steps."),
        (("pages", 2, "order"), "random", "Page 3, order: one of fixed, shuffle, williams is needed here."),
        (("pages", 2, "anim"), {"swap": -1}, "Page 3, anim, swap: -1 is outside of 0 to 5000."),
        (("pages", 2, "rounds"), [], "Page 3, rounds: the list has 0 entries, 1 to 100 are allowed."),
        ((*ROUND, "level"), GONE, "Round 1 of page 3: a round has either a “level” or a “random” board."),
        ((*ROUND, "random"), {}, "Round 1 of page 3: a round has either a “level” or a “random” board."),
        ((*ROUND, "key"), "drawn", "Page 3: the key “drawn” is there twice."),
        ((*ROUND, "level", "board", 0), "ABC", "Round 1 of page 3: Row 1 has 3 letters, 7 are needed."),
        ((*ROUND, "level", "game"), "chess", "Round 1 of page 3: "),
        ((*ROUND, "level", "colour"), 1, "Round 1 of page 3: "),
        (("pages", 2, "rounds", 1, "random", "rows"), 2, "Round 2 of page 3: "),
        (("pages", 2, "rounds", 1, "random", "colours"), 99, "Round 2 of page 3, random, colours: 99 is outside"),
        (("pages", 2, "rounds", 1, "random", "moves"), 0, "Round 2 of page 3, random, moves: 0 is outside"),
    ],
)
def test_wrong_studies_are_refused_with_the_place(path: tuple[str | int, ...], value: Any, message: str) -> None:
    with pytest.raises(StudyError) as error:
        parse_study(changed(path, value))
    assert error.value.code == "document"
    assert str(error.value).startswith(message)


@pytest.mark.parametrize("value", [None, [], "study", 7, {"pages": []}])
def test_what_is_no_study_is_refused(value: Any) -> None:
    with pytest.raises(StudyError):
        parse_study(value)


def test_second_consent_page_is_refused() -> None:
    document = study_document()
    document["pages"].insert(1, {**document["pages"][0], "key": "again"})
    with pytest.raises(StudyError, match="Page 2: there is one consent page, at the beginning"):
        parse_study(document)


def test_level_with_a_run_is_refused() -> None:
    level = level_file()
    level["board"] = ["AAABCDE", *level["board"][1:]]
    document = study_document()
    document["pages"][1]["rounds"][0]["level"] = level
    with pytest.raises(StudyError, match="Round 1 of page 2"):
        parse_study(document)


def test_canonical_form_reads_as_itself_and_names_every_default() -> None:
    document = parse_study(study_document(questions=True))
    written = document.to_document()
    assert parse_study(json.loads(json.dumps(written))) == document
    assert written["languages"] == ["en"]
    assert written["pages"][1]["items"][0]["required"] is True
    assert written["pages"][2]["anim"] == {"swap": 180, "step": 320, "cap": 2500}


def test_paper_study_has_the_rounds_of_the_paper() -> None:
    document = parse_study(READY_MADE["paper"]())
    [(page, positions)] = document.rounds_pages()
    assert (page.order, list(positions)) == ("shuffle", [1, 2, 3, 4, 5, 6])
    plans = [plan.to_document() for plan in page.rounds]
    fixed, drawn = [plan["level"] for plan in plans[:3]], [plan["random"] for plan in plans[3:]]
    for level in (*fixed, *drawn):
        assert (level["rows"], level["cols"], level["colours"], level["moves"]) == (7, 7, 6, 20)
    assert all(len(level["drops"]) == 7 and min(map(len, level["drops"])) >= 20 for level in fixed)
    assert len({json.dumps(level) for level in fixed}) == 3
    [profile] = document.questionnaires
    assert [item.key for item in profile.items] == ["gender", "age", "play_frequency", "match3_games"]
