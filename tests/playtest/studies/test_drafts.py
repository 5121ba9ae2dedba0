"""Changing a draft: parts, arrangement, numbers that keep two people from overwriting each other, previews, files."""

import copy
import json
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from playtest.accounts.models import AuditLog, User
from playtest.studies.choices import Kind, StudyState
from playtest.studies.document import parse_study
from playtest.studies.editor import changes
from playtest.studies.editor.differences import differences
from playtest.studies.editor.kinds import PAGES, empty_study
from playtest.studies.editor.parts import Part, part_base, part_value
from playtest.studies.errors import StudyError
from playtest.studies.file import read_study_file, study_file
from playtest.studies.models import Cell, Participant, Study, StudyVersion
from playtest.studies.readymade import READY_MADE
from playtest.studies.selectors.scores import scores_by_level
from playtest.studies.selectors.studies import version_numbers
from playtest.studies.services import consent_decide, study_create, study_publish, study_set_state
from playtest.studies.services.drafts import draft_arrange, draft_part_save, draft_restore
from playtest.studies.services.previews import preview_start
from tests.playtest.studies.factory import make_participant, make_study, study_document

pytestmark = pytest.mark.django_db
PROFILE = Part("profile")
OFTEN = Part("profile", "items", "often")


@pytest.fixture
def study(designer: User) -> Study:
    return study_create(owner=designer, document=study_document(rounds=3, questions=True))


def arranged(study: Study, change: changes.Change, by: User | None = None) -> tuple[Study, Part, str]:
    return draft_arrange(study=study, change=change, number=study.draft_number, by=by)


def saved(study: Study, part: Part, by: User | None = None, **fields: Any) -> Study:
    value = {**part_value(study.draft, part), **fields}
    number, base = study.draft_number, part_base(study.draft, part)
    return draft_part_save(study=study, part=part, value=value, number=number, base=base, by=by)


def page_keys(study: Study) -> list[str]:
    return [page["key"] for page in study.draft["pages"]]


def item_keys(study: Study) -> list[str]:
    return [item["key"] for item in part_value(study.draft, PROFILE)["items"]]


def test_saving_a_part_changes_it_alone_and_is_noted(study: Study, designer: User) -> None:
    before = copy.deepcopy(study.draft)
    after = saved(study, PROFILE, by=designer, title="About you")
    assert differences(before, after.draft)[0].place == "Page 2 “About you”, title"
    assert len(differences(before, after.draft)) == 1
    assert after.draft_number == 2
    line = AuditLog.objects.get(action="study.draft")
    assert line.actor == designer
    assert line.after == {"draft": 2, "changed": ["Page 2 “About you”, title: changed"], "more": 0}


def test_saving_the_same_again_is_no_change(study: Study) -> None:
    assert saved(study, PROFILE).draft_number == 1
    assert not AuditLog.objects.filter(action="study.draft").exists()


def test_second_one_who_edits_the_same_part_is_refused_and_nothing_is_overwritten(study: Study) -> None:
    number, base = study.draft_number, part_base(study.draft, PROFILE)
    saved(study, PROFILE, title="Mine")
    value = {**part_value(study.draft, PROFILE), "title": "Yours"}
    with pytest.raises(StudyError) as error:
        draft_part_save(study=study, part=PROFILE, value=value, number=number, base=base, by=None)
    assert error.value.code == "conflict"
    study.refresh_from_db()
    assert part_value(study.draft, PROFILE)["title"] == "Mine"


def test_two_who_edit_different_parts_both_keep_their_words(study: Study) -> None:
    number, base = study.draft_number, part_base(study.draft, OFTEN)
    value = {**part_value(study.draft, OFTEN), "label": "Do you play often?"}
    saved(study, PROFILE, title="About you")
    after = draft_part_save(study=study, part=OFTEN, value=value, number=number, base=base, by=None)
    assert part_value(after.draft, PROFILE)["title"] == "About you"
    assert part_value(after.draft, OFTEN)["label"] == "Do you play often?"


def test_arrangement_of_a_draft_that_somebody_changed_is_refused(study: Study) -> None:
    seen = study.draft_number
    saved(study, PROFILE, title="Mine")
    with pytest.raises(StudyError) as error:
        draft_arrange(study=study, change=changes.remove(PROFILE), number=seen, by=None)
    assert error.value.code == "conflict"


@pytest.mark.parametrize("kind", [name for name, kind in PAGES.items() if kind.blank])
def test_every_kind_of_page_can_be_added_with_all_its_entries(study: Study, kind: str) -> None:
    study, part, _ = arranged(study, changes.add_page(kind, after="consent"))
    assert page_keys(study)[1] == part.page == f"{kind}-1"
    for one in PAGES[kind].lists:
        for entry in one.kinds:
            study, new, _ = arranged(study, changes.add_entry(part.page, one.key, entry))
            assert one.kind_of(part_value(study.draft, new)) == entry
    assert parse_study(study.draft)


def test_pages_move_between_consent_and_end_only(study: Study) -> None:
    assert page_keys(study) == ["consent", "profile", "rounds", "end"]
    study, _, said = arranged(study, changes.move(PROFILE, 1))
    assert page_keys(study) == ["consent", "rounds", "profile", "end"]
    assert said == "“You” is number 3 now."
    for part, step in ((PROFILE, 1), (Part("rounds"), -1), (Part("consent"), 1), (Part("end"), -1)):
        with pytest.raises(StudyError) as error:
            arranged(study, changes.move(part, step))
        assert error.value.code == "order"


def test_removed_part_is_put_back_where_it_stood_whatever_came_between(study: Study) -> None:
    study, shown, _ = arranged(study, changes.remove(OFTEN))
    assert (shown, item_keys(study)) == (PROFILE, ["age", "words", "fun"])
    study = saved(study, PROFILE, title="About you")
    study, shown, said = draft_restore(study=study, by=None)
    assert (shown, item_keys(study)) == (OFTEN, ["often", "age", "words", "fun"])
    assert said == "“How often do you play?” is back."
    assert part_value(study.draft, PROFILE)["title"] == "About you"
    with pytest.raises(StudyError):
        draft_restore(study=study, by=None)


def test_removed_page_comes_back_under_another_key_if_its_own_is_taken(study: Study) -> None:
    study, _, _ = arranged(study, changes.duplicate(PROFILE))
    assert page_keys(study) == ["consent", "profile", "profile-1", "rounds", "end"]
    study, _, _ = arranged(study, changes.remove(Part("profile-1")))
    study, _, _ = arranged(study, changes.duplicate(PROFILE))
    study, part, _ = draft_restore(study=study, by=None)
    assert part == Part("profile-2")
    assert page_keys(study) == ["consent", "profile", "profile-2", "profile-1", "rounds", "end"]


@pytest.mark.parametrize(
    "change",
    [
        changes.remove(Part("consent")),
        changes.remove(Part("end")),
        changes.duplicate(Part("end")),
        changes.remove(Part("rounds")),
        changes.add_page("consent"),
        changes.add_page("nothing"),
        changes.add_entry("consent", "items", "choice"),
        changes.remove(Part("profile", "items", "nothing")),
        changes.move(Part("nothing"), 1),
    ],
    ids=range(9),
)
def test_what_no_study_can_be_is_refused_and_changes_nothing(study: Study, change: changes.Change) -> None:
    before = copy.deepcopy(study.draft)
    with pytest.raises(StudyError):
        arranged(study, change)
    study.refresh_from_db()
    assert (study.draft, study.draft_number, study.removed) == (before, 1, None)


def test_last_question_of_a_page_stays(study: Study) -> None:
    for key in ("often", "age", "words"):
        study, _, _ = arranged(study, changes.remove(Part("profile", "items", key)))
    with pytest.raises(StudyError) as error:
        arranged(study, changes.remove(Part("profile", "items", "fun")))
    assert error.value.code == "last"


def test_closed_study_is_not_changed(study: Study) -> None:
    study_publish(study=study)
    study_set_state(study=study, state=StudyState.CLOSED)
    with pytest.raises(StudyError) as error:
        saved(study, PROFILE, title="Late")
    assert error.value.code == "closed"


def test_draft_that_changed_meanwhile_is_not_published(study: Study) -> None:
    seen = Study.objects.get(pk=study.pk)
    saved(study, PROFILE, title="About you")
    with pytest.raises(StudyError) as error:
        study_publish(study=seen)
    assert error.value.code == "conflict"
    assert not StudyVersion.objects.exists()


def test_title_of_a_published_study_stays_until_it_is_published_again(study: Study) -> None:
    study = saved(study, Part(), title="First")
    assert Study.objects.get(pk=study.pk).title == "First"
    study_publish(study=study)
    study = saved(study, Part(), title="Second")
    assert Study.objects.get(pk=study.pk).title == "First"
    study_publish(study=study)
    assert Study.objects.get(pk=study.pk).title == "Second"


def test_preview_is_of_the_draft_and_touches_nothing_of_the_study(study: Study, designer: User) -> None:
    started = preview_start(study=study, by=designer)
    consent_decide(participant=started.participant, agree=True)
    assert started.participant.kind == Kind.PREVIEW
    assert started.participant.rounds.count() == 3
    study.refresh_from_db()
    assert (study.published, study.state) == (None, StudyState.DRAFT)
    assert version_numbers(study=study) == []
    assert scores_by_level(study=study, kinds=(Kind.PERSON, Kind.BOT)) == []
    assert study_publish(study=study).number == 1
    assert version_numbers(study=study) == [1]
    assert {cell.assigned for cell in Cell.objects.filter(version=study.published)} == {0}


def test_preview_shows_what_is_not_published_yet_and_people_do_not_get_it(designer: User) -> None:
    study = make_study(questions=True)
    published = study.published
    study = saved(study, PROFILE, title="New words")
    version = preview_start(study=study, by=designer).participant.version
    assert version.document["pages"][1]["title"] == "New words"
    person, _ = make_participant(Study.objects.get(pk=study.pk))
    assert person.version == published


def test_previews_of_one_draft_share_a_version_and_old_ones_go(study: Study, designer: User) -> None:
    first = preview_start(study=study, by=designer).participant
    consent_decide(participant=first, agree=True)
    second = preview_start(study=study, by=designer).participant
    assert first.version == second.version
    Participant.objects.update(last_seen_at="2020-01-01T00:00:00Z")
    study = saved(study, PROFILE, title="About you")
    third = preview_start(study=study, by=designer).participant
    assert list(Participant.objects.all()) == [third]
    assert list(StudyVersion.objects.all()) == [third.version]


@pytest.mark.parametrize("slug", [*READY_MADE, "empty"])
def test_study_file_is_the_same_bytes_after_it_was_read(designer: User, slug: str) -> None:
    document = empty_study() if slug == "empty" else READY_MADE[slug]()
    study = study_create(owner=designer, document=document)
    study.refresh_from_db()
    content = study_file(parse_study(study.draft))
    again = study_create(owner=designer, document=read_study_file(content).to_document())
    again.refresh_from_db()
    assert study_file(parse_study(again.draft)) == content


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"\xff", "The file is not UTF-8 text (byte 1)."),
        (b"{", "The file is not JSON: Expecting property name enclosed in double quotes in line 1, column 2."),
        (b'{"format": 1, "format": 1}', "The file says the key “format” twice in one object."),
        (b"[" * 100_000, "The file is not a study: its lists are nested too deep."),
        (b'{"format": ' + b"9" * 5_000 + b"}", "The file holds a number that is far too long."),
        (b" " * 4_000_001, "The file has 4,000,001 bytes, at most 4,000,000 are allowed."),
        (b'{"format": 2}', "This program reads studies of format 1."),
    ],
    ids=["bytes", "json", "double", "deep", "number", "large", "format"],
)
def test_file_that_is_no_study_is_refused_in_a_sentence(content: bytes, sentence: str) -> None:
    with pytest.raises(StudyError) as error:
        read_study_file(content)
    assert str(error.value) == sentence


HALF = "The file holds half of a character (\\ud800), which is none and cannot be stored."


@pytest.mark.parametrize(
    "text",
    [
        r'{"format": 1, "\ud800": 1}',
        r'{"format": 1, "\uD800x": [{"a": 1}]}',
        r'{"\ud800": 1, "\ud800": 1}',
        r'{"format": 1, "pages": [{"key": "\ud800"}]}',
        r'{"format": 1, "pages": [["\ud800\ud83d\ude00"]]}',
    ],
    ids=["key", "capital", "double", "value", "list"],
)
def test_half_a_character_in_a_file_is_refused_in_a_sentence_that_can_be_shown(
    study: Study, designer_client: Client, text: str
) -> None:
    """A refusal that repeats such a key would have no UTF-8 itself."""
    with pytest.raises(StudyError) as error:
        read_study_file(text.encode())
    assert str(error.value) == HALF
    for address, words in (
        (reverse("studies_staff:new"), {"start": "file"}),
        (reverse("studies_staff:scale", args=[study.pk]), {"after": "consent"}),
    ):
        response = designer_client.post(address, {**words, "file": SimpleUploadedFile("x.json", text.encode())})
        assert response.status_code == 422
        assert HALF in response.content.decode()


def test_a_whole_character_that_a_file_spells_as_two_halves_is_read(designer: User) -> None:
    document = {**study_document(), "title": "\N{GRINNING FACE} \\ud800"}
    content = json.dumps(document)
    assert r"\ud83d\ude00" in content
    assert read_study_file(content.encode()).title == document["title"]


def test_refusal_of_a_file_names_the_place() -> None:
    document = study_document(questions=True)
    document["pages"][1]["items"][3]["to"] = 50
    with pytest.raises(StudyError) as error:
        read_study_file(json.dumps(document).encode())
    assert str(error.value) == "Question 4 of page 2, to: 50 is outside of -10 to 20."


def test_differences_are_told_in_words() -> None:
    before = parse_study(study_document(rounds=3, questions=True)).to_document()
    after = copy.deepcopy(before)
    profile = after["pages"][1]
    profile["items"].insert(0, profile["items"].pop())
    del profile["items"][2]
    profile["items"][0]["label"] = "Was it fun?"
    after["pages"][2]["rounds"][2]["random"]["moves"] = 9
    after["pages"].insert(3, {"key": "more", "kind": "questionnaire", "title": "More", "items": []})
    found = {(one.place, one.what) for one in differences(before, after)}
    assert found == {
        ("Question 1 “Was it fun?” of “You”", "moved"),
        ("Question 1 “Was it fun?” of “You”, wording", "changed"),
        ("Question “Age” of “You”", "removed"),
        ("Round 3 “drawn” of “Rounds”, drawn board", "changed"),
        ("Page 4 “More”", "added"),
    }
    (wording,) = (one for one in differences(before, after) if one.place.endswith("wording"))
    assert wording.spans == [("gone", "Fun?"), ("new", "Was it fun?")]
    assert differences(before, before) == []
