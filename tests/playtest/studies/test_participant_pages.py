"""The participant's pages: opening one changes nothing, what is sent twice counts once, going back does no harm."""

import json
import re

import pytest
from django.apps import apps
from django.test import Client
from django.urls import reverse

from playtest.studies.choices import Kind, Missing, Status, StudyState
from playtest.studies.identity import start_marker, token_hash
from playtest.studies.models import Answer, Consent, PageVisit, Participant, Round, Study
from playtest.studies.services import participant_withdraw, study_create, study_publish, study_set_state
from tests.playtest.studies.factory import make_study, play_rounds, study_document

pytestmark = pytest.mark.django_db

ANSWERS = {"often": "daily", "age": "40", "words": "", "fun": "4"}


def address(study: Study, name: str, *args: str) -> str:
    return reverse(f"studies:{name}", args=[study.public_id, *args])


@pytest.fixture
def study() -> Study:
    return make_study(questions=True)


def begin(client: Client, study: Study) -> Participant:
    response = client.post(address(study, "start"))
    assert response.status_code == 302
    assert response["Location"] == address(study, "next")
    return Participant.objects.get(token_hash=token_hash(client.cookies["participant"].value))


def agree(client: Client, study: Study) -> None:
    client.post(address(study, "consent"), {"decision": "agree"})


def everything_stored() -> dict[str, list[dict[str, object]]]:
    return {
        model.__name__: list(model.objects.order_by("pk").values())
        for model in apps.get_app_config("studies").get_models()
    }


def test_a_whole_study_leads_from_the_link_to_the_code(client: Client, study: Study) -> None:
    page = client.get(address(study, "entry"))
    assert page.status_code == 200
    assert "Begin" in page.text
    participant = begin(client, study)
    assert (participant.kind, participant.status) == (Kind.PERSON, Status.STARTED)
    consent = client.get(address(study, "next"), follow=True)
    assert consent.redirect_chain == [(address(study, "consent"), 302)]
    assert "What is kept." in consent.text
    agree(client, study)
    questions = client.get(address(study, "next"), follow=True)
    assert questions.redirect_chain == [(address(study, "page", "profile"), 302)]
    shown = re.search(r'name="shown" value="([^"]+)"', questions.text)
    assert shown
    client.post(address(study, "page", "profile"), {**ANSWERS, "shown": shown[1]})
    play = client.get(address(study, "next"), follow=True)
    assert play.redirect_chain == [(address(study, "play"), 302)]
    config = json.loads(re.search(r'<script id="play-config" type="application/json">(.+?)</script>', play.text)[1])
    ws = f"/ws/play/{study.public_id}?person={participant.mark}"
    assert config == {"ws": ws, "home": f"/s/{study.public_id}/", "build": "dev"}
    play_rounds(participant)
    finish = client.get(address(study, "next"), follow=True)
    assert finish.redirect_chain == [(address(study, "end"), 302)]
    end = client.post(address(study, "finish"), follow=True)
    participant.refresh_from_db()
    assert participant.status == Status.COMPLETED
    assert participant.code in end.text
    assert participant.code in client.get(address(study, "end")).text
    assert "You have finished" in client.get(address(study, "entry")).text


@pytest.mark.parametrize("status", ["new", "started", "agreed", "answered", "played", "completed"])
def test_opening_any_page_changes_nothing(client: Client, study: Study, status: str) -> None:
    if status != "new":
        participant = begin(client, study)
    if status not in {"new", "started"}:
        agree(client, study)
    if status in {"answered", "played", "completed"}:
        client.post(address(study, "page", "profile"), ANSWERS)
    if status in {"played", "completed"}:
        play_rounds(participant)
    if status == "completed":
        client.post(address(study, "finish"))
    before = everything_stored()
    for name in ("entry", "next", "consent", "play", "end", "stop", "stopped"):
        for method in (client.get, client.head):
            assert method(address(study, name), follow=True).status_code == 200
    assert client.get(address(study, "page", "profile"), follow=True).status_code == 200
    assert client.get(address(study, "page", "nothing-such"), follow=True).status_code == 200
    for name in ("start", "finish"):
        assert client.get(address(study, name)).status_code == 405
        assert client.head(address(study, name)).status_code == 405
    assert everything_stored() == before


def test_cookie_is_for_this_study_and_for_the_server_alone(client: Client, study: Study) -> None:
    begin(client, study)
    for name, path in (("participant", f"/s/{study.public_id}/"), ("player", f"/ws/play/{study.public_id}")):
        cookie = client.cookies[name]
        assert (cookie["path"], cookie["httponly"], cookie["samesite"], cookie["secure"]) == (path, True, "Lax", "")
        assert len(cookie.value) == 43
    tls = Client()
    tls.post(address(study, "start"), secure=True)
    assert tls.cookies["participant"]["secure"] is True
    token = client.cookies["participant"].value
    for rows in everything_stored().values():
        assert token not in str(rows)


def test_starting_twice_in_one_browser_starts_once(client: Client, study: Study) -> None:
    begin(client, study)
    begin(client, study)
    assert Participant.objects.count() == 1


def test_cookie_of_one_study_opens_no_other(client: Client, study: Study) -> None:
    begin(client, study)
    other = make_study()
    stranger = Client()
    stranger.cookies["participant"] = client.cookies["participant"].value
    response = stranger.get(address(other, "consent"))
    assert response["Location"] == address(other, "entry")


def test_made_up_cookie_is_sent_to_the_entry(client: Client, study: Study) -> None:
    client.cookies["participant"] = "x" * 43
    for name in ("next", "consent", "play", "end", "stop"):
        assert client.get(address(study, name))["Location"] == address(study, "entry")
    assert client.post(address(study, "stop"))["Location"] == address(study, "entry")


def test_parameters_of_the_link_are_kept_as_they_came(client: Client, study: Study) -> None:
    link = address(study, "entry") + "?PROLIFIC_PID=a&x=1&x=2&nul=%00"
    action = re.search(r'action="([^"]+)"', client.get(link).text)
    assert action
    client.post(action[1].replace("&amp;", "&"))
    participant = Participant.objects.get()
    assert json.loads(participant.query) == {"PROLIFIC_PID": ["a"], "x": ["1", "2"], "nul": ["\x00"]}


def test_consent_sent_twice_assigns_once(client: Client, study: Study) -> None:
    participant = begin(client, study)
    agree(client, study)
    agree(client, study)
    assert Consent.objects.count() == 1
    assert Round.objects.filter(participant=participant).count() == 2


def test_declining_stores_nothing_more_and_may_be_reconsidered(client: Client, study: Study) -> None:
    participant = begin(client, study)
    page = client.post(address(study, "consent"), {"decision": "decline"}, follow=True)
    assert "You are not taking part" in page.text
    participant.refresh_from_db()
    assert participant.status == Status.DECLINED
    assert Round.objects.count() == 0
    assert client.get(address(study, "play"))["Location"] == address(study, "next")
    again = client.get(address(study, "consent") + "?again=1")
    assert "I agree" in again.text
    agree(client, study)
    participant.refresh_from_db()
    assert participant.status == Status.ACTIVE
    assert [row.get_decision_display() for row in Consent.objects.order_by("pk")] == ["declined", "agreed"]


def test_consent_without_a_decision_is_asked_again(client: Client, study: Study) -> None:
    participant = begin(client, study)
    assert client.post(address(study, "consent"), {"decision": "perhaps"}).status_code == 200
    participant.refresh_from_db()
    assert participant.status == Status.STARTED


def test_answers_are_stored_once_and_as_they_were_given(client: Client, study: Study) -> None:
    begin(client, study)
    agree(client, study)
    url = address(study, "page", "profile")
    client.post(url, {**ANSWERS, "words": "=1+1, \U0001f600 é\r\nnew line"})
    second = client.post(url, {**ANSWERS, "often": "never"})
    assert second["Location"] == address(study, "next")
    assert PageVisit.objects.count() == 1
    stored = {row.item_key: (json.loads(row.value), row.number, row.missing) for row in Answer.objects.all()}
    assert stored == {
        "often": ("daily", None, Missing.NO),
        "age": (40, 40.0, Missing.NO),
        "words": ("=1+1, \U0001f600 é\r\nnew line", None, Missing.NO),
        "fun": (4, 4.0, Missing.NO),
    }


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"often": ""}, "Please answer this question."),
        ({"often": "sometimes"}, "Please choose one of the answers."),
        ({"fun": "9"}, "Please choose one of the answers."),
        ({"age": "17"}, "Please enter a whole number from 18 to 120."),
        ({"age": "NaN"}, "Please enter a whole number from 18 to 120."),
        ({"age": "1e400"}, "Please enter a whole number from 18 to 120."),
        ({"age": "18.5"}, "Please enter a whole number from 18 to 120."),
        ({"words": "x" * 41}, "at most 40 characters"),
        ({"words": "a\x00b"}, "Please leave out the characters that cannot be seen."),
    ],
)
def test_wrong_answers_are_named_and_the_others_kept(
    client: Client, study: Study, change: dict[str, str], words: str
) -> None:
    begin(client, study)
    agree(client, study)
    page = client.post(address(study, "page", "profile"), {**ANSWERS, **change})
    assert page.status_code == 200
    assert words in page.text
    title = "Please look at this once more" if any(change.values()) else "Something is missing"
    assert f"<h2>{title}</h2>" in page.text
    [field] = change
    assert re.search(rf'<a href="#id_{field}(_0)?">', page.text)
    if field != "often":
        assert re.search(r'value="daily"[^>]*checked', page.text)
    assert PageVisit.objects.count() == Answer.objects.count() == 0


def test_text_that_is_too_long_stays_in_the_form_and_says_by_how_much(client: Client, study: Study) -> None:
    begin(client, study)
    agree(client, study)
    page = client.post(address(study, "page", "profile"), {**ANSWERS, "words": "long " * 20})
    assert page.status_code == 200
    assert "at most 40 characters. It has 100 now." in page.text
    assert f'value="{"long " * 20}"' in page.text
    assert "Up to 40 characters." in page.text
    assert "maxlength" not in page.text
    assert PageVisit.objects.count() == 0


@pytest.mark.parametrize("words", ["a\r\n" * 20, "\U0001f600" * 40, "\r\n" * 40], ids=["lines", "emoji", "only lines"])
def test_characters_count_as_the_browser_counts_them(client: Client, study: Study, words: str) -> None:
    begin(client, study)
    agree(client, study)
    client.post(address(study, "page", "profile"), {**ANSWERS, "words": words})
    assert json.loads(Answer.objects.get(item_key="words").value) == words


def test_help_of_a_question_is_text_and_no_markup(client: Client) -> None:
    document = study_document(questions=True)
    document["pages"][1]["items"][0]["help"] = "<b>bold</b> & more"
    study = study_create(owner=None, document=document)
    study_publish(study=study)
    begin(client, study)
    agree(client, study)
    assert "&lt;b&gt;bold&lt;/b&gt; &amp; more" in client.get(address(study, "page", "profile")).text


def test_skipped_answers_are_told_from_missing_ones(client: Client, study: Study) -> None:
    begin(client, study)
    agree(client, study)
    client.post(address(study, "page", "profile"), {"often": "never", "fun": "1"})
    skipped = Answer.objects.filter(missing=Missing.SKIPPED).order_by("item_key")
    assert [(row.item_key, row.value) for row in skipped] == [("age", "null"), ("words", "null")]


def test_later_pages_cannot_be_reached_early_nor_earlier_ones_again(client: Client, study: Study) -> None:
    begin(client, study)
    for name in ("play", "end"):
        assert client.get(address(study, name))["Location"] == address(study, "next")
    assert client.post(address(study, "finish"))["Location"] == address(study, "next")
    assert client.post(address(study, "page", "profile"), ANSWERS)["Location"] == address(study, "next")
    assert PageVisit.objects.count() == 0
    agree(client, study)
    assert client.get(address(study, "consent"))["Location"] == address(study, "next")
    client.post(address(study, "page", "profile"), ANSWERS)
    assert client.get(address(study, "page", "profile"))["Location"] == address(study, "next")


def test_completion_is_refused_while_a_stored_score_is_wrong(client: Client, study: Study) -> None:
    participant = begin(client, study)
    agree(client, study)
    client.post(address(study, "page", "profile"), ANSWERS)
    play_rounds(participant)
    row = Round.objects.filter(participant=participant).first()
    right = row.score
    Round.objects.filter(pk=row.pk).update(score=right + 10)
    page = client.post(address(study, "finish"))
    assert page.status_code == 409
    assert "does not agree" in page.text
    participant.refresh_from_db()
    assert participant.status == Status.ACTIVE
    assert participant.events.get().get_kind_display() == "incomplete"
    Round.objects.filter(pk=row.pk).update(score=right)
    client.post(address(study, "finish"))
    participant.refresh_from_db()
    assert participant.status == Status.COMPLETED


def test_every_form_sent_again_after_the_end_leads_to_the_end(client: Client, study: Study) -> None:
    """Kind: Back from the last page, and once more through what was sent before."""
    participant = begin(client, study)
    agree(client, study)
    client.post(address(study, "page", "profile"), ANSWERS)
    play_rounds(participant)
    client.post(address(study, "finish"))
    before = everything_stored()
    for name, args, sent in (
        ("start", (), {}),
        ("consent", (), {"decision": "decline"}),
        ("page", ("profile",), {**ANSWERS, "often": "never"}),
        ("finish", (), {}),
    ):
        again = client.post(address(study, name, *args), sent, follow=True)
        assert again.status_code == 200
        assert again.redirect_chain[-1] == (address(study, "end"), 302)
        assert participant.code in again.text
    assert everything_stored() == before


def test_stopping_asks_first_and_then_deletes(client: Client, study: Study) -> None:
    participant = begin(client, study)
    agree(client, study)
    client.post(address(study, "page", "profile"), ANSWERS)
    play_rounds(participant)
    page = client.get(address(study, "stop"))
    assert "cannot be brought back" in page.text
    done = client.post(address(study, "stop"), follow=True)
    assert "Your data are deleted" in done.text
    assert client.cookies["participant"].value == client.cookies["player"].value == ""
    participant.refresh_from_db()
    assert participant.status == Status.WITHDRAWN
    assert Answer.objects.count() == Round.objects.count() == 0
    assert client.get(address(study, "next"))["Location"] == address(study, "entry")
    assert "Begin" in client.get(address(study, "entry")).text


def test_answers_sent_after_withdrawal_in_another_window_are_not_stored(client: Client, study: Study) -> None:
    participant = begin(client, study)
    agree(client, study)
    participant.refresh_from_db()
    participant_withdraw(participant=participant)
    response = client.post(address(study, "page", "profile"), ANSWERS)
    assert response["Location"] == address(study, "entry")
    assert Answer.objects.count() == 0


@pytest.mark.parametrize(
    ("state", "words"),
    [(StudyState.PAUSED, "no new participants"), (StudyState.CLOSED, "This study is closed")],
)
def test_study_that_is_not_open_takes_nobody(client: Client, study: Study, state: StudyState, words: str) -> None:
    study_set_state(study=study, state=state)
    assert words in client.get(address(study, "entry")).text
    response = client.post(address(study, "start"))
    assert response["Location"] == address(study, "entry")
    assert Participant.objects.count() == 0


def test_who_is_under_way_goes_on_in_a_paused_study_but_not_in_a_closed_one(client: Client, study: Study) -> None:
    begin(client, study)
    study_set_state(study=study, state=StudyState.PAUSED)
    assert client.get(address(study, "next"))["Location"] == address(study, "consent")
    study_set_state(study=study, state=StudyState.CLOSED)
    for name in ("next", "consent", "play"):
        response = client.get(address(study, name), follow=True)
        assert "This study is closed" in response.text
    assert client.post(address(study, "stop"), follow=True).status_code == 200


def test_unknown_and_unpublished_studies_are_not_found(client: Client, study: Study) -> None:
    assert client.get("/s/nothing-of-that-name/").status_code == 404
    Study.objects.filter(pk=study.pk).update(state=StudyState.DRAFT, published=None)
    assert client.get(address(study, "entry")).status_code == 404


def test_only_the_site_can_say_that_a_bot_starts(client: Client, study: Study) -> None:
    marker = start_marker(study_id=study.public_id, kind=Kind.BOT)
    client.post(address(study, "start"), {"marker": marker})
    assert Participant.objects.get().kind == Kind.BOT
    other = make_study()
    for wrong in ("made-up", marker[:-1], start_marker(study_id=other.public_id, kind=Kind.BOT)):
        assert Client().post(address(study, "start"), {"marker": wrong}).status_code == 403
    assert Participant.objects.count() == 1


def test_pages_are_kept_by_no_cache(client: Client, study: Study) -> None:
    begin(client, study)
    agree(client, study)
    for name, args in (("entry", ()), ("next", ()), ("page", ("profile",)), ("stop", ())):
        assert "no-store" in client.get(address(study, name, *args))["Cache-Control"]


def test_forms_of_other_sites_are_refused(study: Study) -> None:
    strict_client = Client(enforce_csrf_checks=True)
    assert strict_client.post(address(study, "start")).status_code == 403
    assert Participant.objects.count() == 0
