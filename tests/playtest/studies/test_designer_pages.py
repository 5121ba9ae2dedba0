"""The pages on which a study is made, as a designer's browser gets them, without a script."""

import json
import re
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from playtest.accounts.models import AuditLog, User
from playtest.levels.services import levels_ensure_shipped
from playtest.studies.choices import Kind, StudyState
from playtest.studies.editor.kinds import random_board
from playtest.studies.editor.parts import Part, part_base, part_value
from playtest.studies.models import Participant, Study, StudyVersion
from playtest.studies.services import study_create, study_publish
from tests.playtest.studies.factory import make_participant, study_document

pytestmark = pytest.mark.django_db
PROFILE = Part("profile")


@pytest.fixture
def study(designer: User) -> Study:
    return study_create(owner=designer, document=study_document(rounds=3, questions=True))


def address(study: Study, part: Part) -> str:
    words = [word for word in (part.page, part.group, part.entry) if word]
    return reverse(f"studies_staff:{['edit', 'edit_page', '', 'edit_entry'][len(words)]}", args=[study.pk, *words])


def typed(client: Client, study: Study, part: Part, **fields: Any) -> dict[str, Any]:
    """What the form of the page sends, with some fields typed anew."""
    text = client.get(address(study, part)).text
    form = text[text.index('id="editor"') :]
    form = form[: form.index("</form>")]
    sent: dict[str, Any] = {}
    for tag in re.findall(r"<input[^>]*>", form):
        named = dict(re.findall(r'([a-z-]+)="([^"]*)"', tag))
        if named.get("type") in {"radio", "checkbox"} and " checked" not in tag:
            continue
        default = "on" if named.get("type") == "checkbox" else ""
        sent.setdefault(named.get("name", ""), []).append(named.get("value", default))
    for name, value in re.findall(r'<textarea name="([^"]+)"[^>]*>\n?(.*?)</textarea>', form, re.DOTALL):
        sent[name] = [value]
    return {**sent, **fields}


def send(client: Client, study: Study, part: Part, do: str = "save", **fields: Any) -> HttpResponse:
    return client.post(address(study, part), {**typed(client, study, part, **fields), "do": do}, follow=True)


def test_study_is_made_from_every_beginning(designer: User, designer_client: Client, study: Study) -> None:
    file = SimpleUploadedFile("study.json", json.dumps(study_document()).encode())
    beginnings: list[dict[str, Any]] = [
        {"start": "paper"},
        {"start": "samegame"},
        {"start": "mixed"},
        {"start": "empty"},
        {"start": "copy", "study": study.pk},
        {"start": "file", "file": file},
    ]
    for fields in beginnings:
        response = designer_client.post(reverse("studies_staff:new"), {**fields, "title": "Mine"})
        made = Study.objects.latest("pk")
        assert response["Location"] == reverse("studies_staff:edit", args=[made.pk])
        assert (made.title, made.owner, made.state) == ("Mine", designer, StudyState.DRAFT)
    assert Study.objects.count() == 7
    assert AuditLog.objects.filter(action="study.import", actor=designer).count() == 1


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({}, "Choose what to begin with."),
        ({"start": "copy"}, "Choose the study."),
        ({"start": "file"}, "Choose the file."),
        ({"start": "file", "file": b"{}"}, "The key “format” is missing."),
        ({"start": "empty", "title": "a" * 201}, "at most 200 characters"),
    ],
    ids=["nothing", "copy", "no file", "file", "title"],
)
def test_beginning_that_is_none_is_refused_at_its_field(
    designer_client: Client, fields: dict[str, Any], words: str
) -> None:
    if isinstance(fields.get("file"), bytes):
        fields = {**fields, "file": SimpleUploadedFile("study.json", fields["file"])}
    response = designer_client.post(reverse("studies_staff:new"), fields)
    assert response.status_code == 422
    assert words.lower() in response.text.lower()
    assert not Study.objects.exists()


def test_study_of_others_is_not_copied(designer_client: Client, admin: User) -> None:
    other = study_create(owner=admin, document=study_document())
    response = designer_client.post(reverse("studies_staff:new"), {"start": "copy", "study": other.pk})
    assert response.status_code == 422
    assert Study.objects.count() == 1


@pytest.mark.parametrize("name", ["edit", "publish", "close", "log", "versions", "file", "preview"])
def test_pages_of_a_study_are_for_its_owner_and_admins(
    study: Study, name: str, client: Client, designer_client: Client, admin_client: Client
) -> None:
    other = User.objects.create_user(username="otto", password="correct horse battery")
    stranger = Client()
    stranger.force_login(other)
    path = reverse(f"studies_staff:{name}", args=[study.pk])
    is_post = name == "preview"

    def ask(who: Client) -> int:
        return (who.post(path) if is_post else who.get(path)).status_code

    assert ask(client) == 302
    assert ask(stranger) == 403
    assert ask(designer_client) == ask(admin_client) == (302 if is_post else 200)
    assert stranger.post(path).status_code in {403, 405}


def test_every_part_has_a_form_that_changes_nothing_when_sent_as_it_is(study: Study, designer_client: Client) -> None:
    levels_ensure_shipped()
    parts = [Part(), *(Part(page["key"]) for page in study.draft["pages"])]
    parts += [
        Part(page["key"], group, entry["key"])
        for page in study.draft["pages"]
        for group in ("items", "rounds")
        for entry in page.get(group, [])
    ]
    assert len(parts) == 12
    for part in parts:
        response = send(designer_client, study, part)
        assert response.status_code == 200, part
        assert "Saved." in response.text
    before = study.draft
    study.refresh_from_db()
    assert (study.draft, study.draft_number) == (before, 1)


def test_typed_words_are_stored_with_the_button_that_was_pressed(study: Study, designer_client: Client) -> None:
    send(designer_client, study, PROFILE, do="add:items:scale", title="About you")
    study.refresh_from_db()
    page = part_value(study.draft, PROFILE)
    assert page["title"] == "About you"
    assert [item["key"] for item in page["items"]] == ["often", "age", "words", "fun", "question-1"]


def test_refused_save_keeps_the_words_and_says_what_is_wrong_at_the_field(
    study: Study, designer_client: Client
) -> None:
    part = Part("profile", "items", "age")
    response = send(designer_client, study, part, label="Your age", min="70", max="60", do="add:page:rounds")
    assert response.status_code == 422
    assert "Your age" in response.text
    assert 'value="70"' in response.text
    error = re.search(r'id="field-max_error">.*?</div>', response.text, re.DOTALL)
    assert error
    assert "min must be less than max." in error[0]
    study.refresh_from_db()
    assert study.draft_number == 1


@pytest.mark.parametrize(
    ("part", "fields", "name", "words"),
    [
        (Part(), {"title": " "}, "title", "text is empty"),
        (PROFILE, {"title": "x" * 201}, "title", "at most 200"),
        (PROFILE, {"text": "a\x00b"}, "text", "Null characters"),
        (Part("profile", "items", "fun"), {"from": "1", "to": "20"}, "to", "2 to 11 steps"),
        (Part("profile", "items", "fun"), {"key": "Fun!"}, "key", "small letter"),
        (Part("profile", "items", "age"), {"decimals": "many"}, "decimals", "whole number"),
        (
            Part("profile", "items", "often"),
            {"options-label": ["One"], "options-value": [""]},
            "options",
            "two answers",
        ),
        (Part("rounds", "rounds", "drawn"), {"rows": "2"}, "rows", "from 3 to 12"),
        (Part("rounds", "rounds", "drawn"), {"colours": "9"}, "colours", "colours"),
    ],
    ids=range(9),
)
def test_what_a_study_cannot_hold_is_refused_at_its_field(
    study: Study, designer_client: Client, part: Part, fields: dict[str, Any], name: str, words: str
) -> None:
    sent = {**typed(designer_client, study, part, **fields), "do": "save"}
    response = designer_client.post(address(study, part), sent)
    assert response.status_code == 422
    error = re.search(rf'id="field-{name}_error">(.*?)</div>', response.text, re.DOTALL)
    assert error, re.findall(r"field__error.*?</p>|notice--error.*?</div>", response.text, re.DOTALL)
    assert words in error[1]
    as_json = designer_client.post(address(study, part), sent, headers={"Accept": "application/json"})
    assert as_json.status_code == 422
    assert words in as_json.json()["errors"][name][0]
    study.refresh_from_db()
    assert study.draft_number == 1


def test_answers_of_a_choice_are_added_named_moved_and_dropped(study: Study, designer_client: Client) -> None:
    part = Part("profile", "items", "often")
    rows = {"options-label": ["Never", "", "Every day", "Every day!"], "options-value": ["never", "x", "", ""]}
    send(designer_client, study, part, do="up:options:2", **rows)
    study.refresh_from_db()
    assert part_value(study.draft, part)["options"] == [
        {"value": "never", "label": "Never"},
        {"value": "every-day", "label": "Every day"},
        {"value": "every-day-2", "label": "Every day!"},
    ]


OFTEN = Part("profile", "items", "often")


def names_of(study: Study) -> dict[str, str]:
    study.refresh_from_db()
    return {one["label"]: one["value"] for one in part_value(study.draft, OFTEN)["options"]}


def test_names_of_answers_follow_their_words_unless_one_is_typed(study: Study, designer_client: Client) -> None:
    rows = {"options-label": ["Yes", "No"], "options-value": ["", ""]}
    send(designer_client, study, OFTEN, **rows)
    rows = {"options-label": ["Never", "Monthly", "No"], "options-value": ["yes", "no", ""]}
    sent = {**typed(designer_client, study, OFTEN), **rows}
    answer = designer_client.post(address(study, OFTEN), sent, headers={"Accept": "application/json"}).json()
    assert names_of(study) == {"Never": "never", "Monthly": "monthly", "No": "no"}
    assert answer["answers"] == ["never", "monthly", "no"]
    rows = {"options-label": ["Never", "Each month", "No"], "options-value": ["own", "own2", "no"]}
    send(designer_client, study, OFTEN, **rows)
    rows = {"options-label": ["Not once", "Each month", "No, no"], "options-value": ["own", "own2", "no"]}
    send(designer_client, study, OFTEN, **rows)
    assert names_of(study) == {"Not once": "own", "Each month": "own2", "No, no": "no-no"}


def test_published_names_of_answers_stay_and_the_pages_say_so(study: Study, designer_client: Client) -> None:
    rows = {"options-label": ["Yes", "No"], "options-value": ["", ""]}
    send(designer_client, study, OFTEN, **rows)
    study.refresh_from_db()
    study_publish(study=study)
    publish = reverse("studies_staff:publish", args=[study.pk])
    rows = {"options-label": ["Never", "No"], "options-value": ["yes", "no"]}
    page = send(designer_client, study, OFTEN, **rows)
    assert names_of(study) == {"Never": "yes", "No": "no"}
    assert page.text.count("In the published version <code>yes</code> is “Yes”.") == 1
    assert "<code>yes</code> was “Yes” in version 1 and is “Never” now." in designer_client.get(publish).text
    rows = {"options-label": ["Never", "No"], "options-value": ["never", "no"]}
    assert "In the published version" not in send(designer_client, study, OFTEN, **rows).text
    assert "keep their name" not in designer_client.get(publish).text


def test_question_with_a_new_name_has_a_new_address(study: Study, designer_client: Client) -> None:
    response = send(designer_client, study, Part("profile", "items", "age"), key="years")
    assert response.redirect_chain[-1][0] == address(study, Part("profile", "items", "years"))
    again = send(designer_client, study, Part("profile", "items", "years"), key="fun")
    assert "is there twice" in again.text


def test_file_of_the_published_version_is_offered_beside_that_of_the_draft(
    study: Study, designer_client: Client
) -> None:
    detail, draft = (reverse(f"studies_staff:{name}", args=[study.pk]) for name in ("detail", "file"))
    assert f'<a href="{draft}">Download study file</a>' in designer_client.get(detail).text
    study_publish(study=study)
    text = designer_client.get(detail).text
    version = reverse("studies_staff:version_file", args=[study.pk, 1])
    assert f'<a href="{version}">Download study file of version 1</a>' in text
    assert f'<a href="{draft}">Download the draft</a>' in text


def test_drawn_round_of_another_game_gets_its_usual_board_and_names_it(study: Study, designer_client: Client) -> None:
    part = Part("rounds", "rounds", "drawn")
    usual = random_board("samegame")
    sent = {**typed(designer_client, study, part), "game": "samegame"}
    answer = designer_client.post(address(study, part), sent, headers={"Accept": "application/json"}).json()
    study.refresh_from_db()
    assert part_value(study.draft, part)["random"] == usual
    assert answer["name"] == f"Drawn anew, SameGame, {usual['rows']} × {usual['cols']}, {usual['colours']} colours"
    assert answer["numbers"] == {**{name: str(usual[name]) for name in ("rows", "cols", "colours")}, "moves": ""}
    send(designer_client, study, part, game="match3", rows="8", cols="8")
    study.refresh_from_db()
    assert part_value(study.draft, part)["random"]["rows"] == 8
    text = designer_client.get(address(study, Part("rounds"))).text
    assert "Drawn anew, Match-3, 8 × 8, 5 colours" in text
    assert "The same for everybody · Match-3 · 7 × 7" in text


def test_new_page_is_said_to_stand_where_it_will(study: Study, designer_client: Client) -> None:
    assert "Add a page behind this one" in designer_client.get(address(study, PROFILE)).text
    text = designer_client.get(address(study, Part("end"))).text
    assert "Add a page before this one" in text
    assert "behind this one" not in text


def test_language_of_the_texts_is_not_taken_besides(study: Study, designer_client: Client) -> None:
    sent = {**typed(designer_client, study, Part()), "language": "en", "others": ["en"], "do": "save"}
    response = designer_client.post(address(study, Part()), sent)
    assert response.status_code == 422
    assert "English is the language of your texts already." in response.text
    send(designer_client, study, Part(), language="en", others=["de"])
    study.refresh_from_db()
    assert study.draft["languages"] == ["en", "de"]


def test_what_a_beginning_needs_is_not_called_optional(designer_client: Client) -> None:
    text = designer_client.get(reverse("studies_staff:new")).text
    assert re.findall(r'<label for="\w+">([^<]*?) ?<span class="field__optional', text) == ["Title"]


def test_second_one_sees_what_differs_and_may_then_decide(study: Study, designer_client: Client) -> None:
    mine = typed(designer_client, study, PROFILE, title="Who you are")
    send(designer_client, study, PROFILE, title="About you")
    refused = designer_client.post(address(study, PROFILE), {**mine, "do": "save"})
    assert refused.status_code == 409
    assert "Somebody else changed this" in refused.text
    assert "<del>About you</del>" in refused.text
    assert "<ins>Who you are</ins>" in refused.text
    assert 'value="Who you are"' in refused.text
    study.refresh_from_db()
    assert part_value(study.draft, PROFILE)["title"] == "About you"
    number = re.search(r'name="number" value="(\d+)"', refused.text)
    base = re.search(r'name="base" value="(\w+)"', refused.text)
    assert number
    assert base
    designer_client.post(address(study, PROFILE), {**mine, "number": number[1], "base": base[1], "do": "save"})
    study.refresh_from_db()
    assert part_value(study.draft, PROFILE)["title"] == "Who you are"


def test_script_gets_the_next_number(study: Study, designer_client: Client) -> None:
    sent = typed(designer_client, study, PROFILE, title="About you")
    headers = {"Accept": "application/json"}
    answer = designer_client.post(address(study, PROFILE), sent, headers=headers).json()
    study.refresh_from_db()
    assert answer == {
        "saved": True,
        "number": 2,
        "base": part_base(study.draft, PROFILE),
        "name": "About you",
        "url": address(study, PROFILE),
        "answers": [],
        "numbers": {},
    }
    stale = designer_client.post(address(study, PROFILE), {**sent, "title": "Other"}, headers=headers)
    assert (stale.status_code, stale.json()["conflict"]) == (409, True)


def test_level_is_chosen_from_the_library_with_its_moves(study: Study, designer_client: Client) -> None:
    levels_ensure_shipped()
    part = Part("rounds", "rounds", "fixed-1")
    text = designer_client.get(address(study, part)).text
    assert "/staff/levels/boards/" in text
    chosen = re.search(
        r'value="(\w{64})"[^>]*>\s*<img[^>]*>\s*<span><strong>[^<]+</strong><span class="note">Match-3', text
    )
    assert chosen
    send(designer_client, study, part, level=chosen[1])
    study.refresh_from_db()
    assert part_value(study.draft, part)["level"]["moves"] == 20
    send(designer_client, study, part, moves="7")
    study.refresh_from_db()
    assert part_value(study.draft, part)["level"]["moves"] == 7
    assert "checked" in designer_client.get(address(study, part)).text.split(chosen[1])[1].split(">")[0]


def test_speed_and_order_are_chosen_in_words(study: Study, designer_client: Client) -> None:
    send(designer_client, study, Part("rounds"), speed="none", order="shuffle")
    study.refresh_from_db()
    page = part_value(study.draft, Part("rounds"))
    assert (page["anim"], page["order"]) == ({"swap": 0, "step": 0, "cap": 0}, "shuffle")


def test_part_that_is_gone_leads_to_what_is_there(study: Study, designer_client: Client) -> None:
    response = designer_client.get(address(study, Part("profile", "items", "nothing")), follow=True)
    assert "not there any more" in response.text


def test_opening_pages_changes_nothing(study: Study, designer_client: Client) -> None:
    lines = AuditLog.objects.count()
    for name in ("edit", "publish", "close", "log", "versions", "file"):
        designer_client.get(reverse(f"studies_staff:{name}", args=[study.pk]))
    assert designer_client.get(reverse("studies_staff:preview", args=[study.pk])).status_code == 405
    study.refresh_from_db()
    assert (study.draft_number, study.state, AuditLog.objects.count()) == (1, StudyState.DRAFT, lines)
    assert not StudyVersion.objects.exists()


def test_preview_leads_through_the_participants_pages_and_is_marked(study: Study, designer_client: Client) -> None:
    assert Client().get(reverse("studies:entry", args=[study.public_id])).status_code == 404
    page = designer_client.post(reverse("studies_staff:preview", args=[study.pk]), follow=True)
    assert page.redirect_chain[-1][0] == reverse("studies:consent", args=[study.public_id])
    assert "Nothing here is counted." in page.text
    page = designer_client.post(page.redirect_chain[-1][0], {"decision": "agree"}, follow=True)
    assert page.redirect_chain[-1][0] == reverse("studies:page", args=[study.public_id, "profile"])
    assert "Nothing here is counted." in page.text
    designer_client.post(page.redirect_chain[-1][0], {"often": "daily", "fun": "4"})
    assert "Nothing here is counted." in designer_client.get(reverse("studies:play", args=[study.public_id])).text
    assert [one.kind for one in Participant.objects.all()] == [Kind.PREVIEW]
    stopped = designer_client.post(reverse("studies:stop", args=[study.public_id]))
    assert stopped["Location"] == reverse("studies_staff:preview_back", args=[study.pk])
    assert Client().get(reverse("studies:entry", args=[study.public_id])).status_code == 404
    assert Client().post(reverse("studies:start", args=[study.public_id])).status_code == 404


def test_publishing_says_what_changes_for_whom(study: Study, designer_client: Client) -> None:
    path = reverse("studies_staff:publish", args=[study.pk])
    assert "frozen as version 1" in designer_client.get(path).text
    designer_client.post(path, {"number": "1"})
    study.refresh_from_db()
    assert "There is nothing to publish." in designer_client.get(path).text
    make_participant(study)
    send(designer_client, study, PROFILE, title="About you")
    text = designer_client.get(path).text
    assert "1 person is under way" in text
    assert "Page 2 “About you”, title" in text
    stale = designer_client.post(path, {"number": "1"}, follow=True)
    assert "changed since you looked" in stale.text
    designer_client.post(path, {"number": "2"})
    assert StudyVersion.objects.count() == 2


def test_version_shows_what_participants_saw_from_itself_alone(study: Study, designer_client: Client) -> None:
    version = study_publish(study=study)
    send(designer_client, study, PROFILE, title="Changed since")
    text = designer_client.get(reverse("studies_staff:version", args=[study.pk, 1])).text
    for words in ("What is kept.", "How often do you play?", "Never (never)", "Board 11", "seed 11", version.hash):
        assert words in text
    assert "ABCDEFABCDEF" in text
    assert "Changed since" not in text
    assert text.count('role="img"') == 2
    compared = designer_client.get(reverse("studies_staff:differences", args=[study.pk, 1]), {"with": "draft"}).text
    assert "Changed since" in compared
    assert (
        "They are the same."
        in designer_client.get(reverse("studies_staff:differences", args=[study.pk, 1]), {"with": "1"}).text
    )
    for number in (0, 2):
        assert designer_client.get(reverse("studies_staff:version", args=[study.pk, number])).status_code == 404


def test_closing_is_explained_and_for_ever(study: Study, designer_client: Client) -> None:
    path = reverse("studies_staff:close", args=[study.pk])
    assert "never published" in designer_client.get(path).text
    study_publish(study=study)
    make_participant(study)
    text = designer_client.get(path).text
    assert "1 person is under way and cannot go on" in text
    designer_client.post(path)
    study.refresh_from_db()
    assert study.state == StudyState.CLOSED
    assert "not changed any more" in designer_client.get(reverse("studies_staff:edit", args=[study.pk])).text
    assert send(designer_client, study, PROFILE, title="Late").status_code == 409


def test_log_tells_who_changed_what(study: Study, designer_client: Client) -> None:
    send(designer_client, study, PROFILE, title="About you")
    study.refresh_from_db()
    study_publish(study=study, by=study.owner)
    text = designer_client.get(reverse("studies_staff:log", args=[study.pk])).text
    for words in ("Made the study", "Changed the draft", "About you", "Published a version", "version: 1", "dora"):
        assert words in text


def test_empty_list_offers_to_make_a_study(designer_client: Client) -> None:
    text = designer_client.get(reverse("studies_staff:list")).text
    assert "No studies yet" in text
    assert reverse("studies_staff:new") in text
