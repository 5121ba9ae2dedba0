"""Pages of refusals and faults: in the words of whom they meet, with a way on, and without DEBUG."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client, override_settings
from django.urls import reverse

from playtest.accounts.models import User
from playtest.settings import STORAGES as SITE_STORAGES
from playtest.studies.models import Answer, PageVisit, Participant, Study
from playtest.studies.services import study_create
from tests.playtest.studies.factory import make_study, study_document

pytestmark = pytest.mark.django_db

ANSWERS = {"often": "daily", "age": "40", "words": "all of <this> & more", "fun": "4"}
SITE = "http://testserver"


@pytest.fixture
def study() -> Study:
    return make_study(questions=True)


@pytest.fixture
def strict() -> Client:
    """A browser whose forms need their keys, as on the site."""
    return Client(enforce_csrf_checks=True)


def address(study: Study, name: str, *args: str) -> str:
    return reverse(f"studies:{name}", args=[study.public_id, *args])


def key_on(page: Any) -> str:
    found = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page.text)
    assert found
    return found[1]


def send(client: Client, url: str, page: Any, **fields: str) -> Any:
    return client.post(url, {**fields, "csrfmiddlewaretoken": key_on(page)}, follow=True)


@pytest.fixture
def questions(strict: Client, study: Study) -> Any:
    """The page of questions, in front of somebody who has agreed."""
    consent = send(strict, address(study, "start"), strict.get(address(study, "entry")))
    return send(strict, address(study, "consent"), consent, decision="agree")


def test_answers_with_an_old_key_stand_in_the_form_again_and_go_through(
    strict: Client, study: Study, questions: Any
) -> None:
    url = address(study, "page", "profile")
    # A sign-in in another tab gives the browser a new key; the form has the old one.
    del strict.cookies["csrftoken"]
    refused = strict.post(url, {**ANSWERS, "csrfmiddlewaretoken": key_on(questions)})
    assert refused.status_code == 403
    assert "Please send this once more." in refused.text
    assert re.search(r'value="daily"[^>]*checked', refused.text)
    assert 'value="40"' in refused.text
    assert "all of &lt;this&gt; &amp; more" in refused.text
    assert PageVisit.objects.count() == 0
    send(strict, url, refused, **ANSWERS)
    assert Answer.objects.filter(page_key="profile").count() == 4


def test_answers_without_a_key_that_lack_something_say_both(strict: Client, study: Study, questions: Any) -> None:
    refused = strict.post(address(study, "page", "profile"), {**ANSWERS, "fun": ""})
    assert refused.status_code == 403
    assert "Please send this once more." in refused.text
    assert "Please answer this question." in refused.text


def test_page_that_was_sent_in_meanwhile_leads_on(strict: Client, study: Study, questions: Any) -> None:
    url = address(study, "page", "profile")
    send(strict, url, questions, **ANSWERS)
    assert strict.post(url, ANSWERS)["Location"] == address(study, "next")


def test_form_of_another_site_is_not_offered_again(strict: Client, study: Study, questions: Any) -> None:
    refused = strict.post(address(study, "page", "profile"), ANSWERS, headers={"Origin": "http://elsewhere.example"})
    assert refused.status_code == 403
    assert "all of" not in refused.text
    assert "Go on with the study" not in refused.text
    stranger = Client(enforce_csrf_checks=True).post(address(study, "page", "profile"), ANSWERS)
    assert "all of" not in stranger.text
    assert PageVisit.objects.count() == 0


@pytest.mark.parametrize("name", ["start", "consent", "stop", "finish"])
def test_other_forms_of_a_study_lead_back_into_it(strict: Client, study: Study, questions: Any, name: str) -> None:
    refused = strict.post(address(study, name) + "?PROLIFIC_PID=abc")
    assert refused.status_code == 403
    assert f'href="{address(study, "entry")}?PROLIFIC_PID=abc"' in refused.text
    assert Participant.objects.count() == 1


def test_start_by_a_link_leads_back_to_that_link(strict: Client, study: Study) -> None:
    refused = strict.post(reverse("studies:link_start", args=[study.public_id, "some-way"]))
    assert refused.status_code == 403
    assert f'href="{reverse("studies:link_entry", args=[study.public_id, "some-way"])}"' in refused.text


def test_form_of_staff_says_what_to_do(strict: Client, admin: User) -> None:
    refused = strict.post(reverse("accounts:login"), {"username": "x", "password": "secret words"})
    assert refused.status_code == 403
    assert "Please send that again" in refused.text
    assert "secret words" not in refused.text


FORM = "application/x-www-form-urlencoded"
UNREADABLE = [f"{FORM}; charset=utf-16", "multipart/form-data", "multipart/form-data; boundary=x; charset=utf-16"]


@pytest.mark.parametrize("sort", UNREADABLE, ids=["utf-16", "no boundary", "parts in utf-16"])
def test_form_that_cannot_be_read_is_a_bad_request(strict: Client, study: Study, questions: Any, sort: str) -> None:
    """Whoever refuses it must not read it once more."""
    strict.raise_request_exception = False
    for url in (
        address(study, "start"),
        address(study, "stop"),
        address(study, "page", "profile"),
        reverse("studies:start", args=["nobody"]),
        reverse("accounts:login"),
    ):
        page = strict.generic("POST", url, b"csrfmiddlewaretoken=x&do=y", content_type=sort)
        assert page.status_code in {400, 403}, url
        assert f"Error {page.status_code}" in page.text or "Please send this once more." in page.text
    assert strict.generic("POST", "/nowhere/", b"do=y", content_type=sort).status_code == 404
    assert PageVisit.objects.count() == 0


# --- As in production: files named by their content, no DEBUG -----------------------------------------------------


@pytest.fixture
def production(tmp_path: Path) -> Iterator[None]:
    with override_settings(DEBUG=False, STORAGES=SITE_STORAGES_HASHED, STATIC_ROOT=tmp_path / "static"):
        call_command("collectstatic", interactive=False, verbosity=0)
        yield


SITE_STORAGES_HASHED = {**SITE_STORAGES, "staticfiles": {"BACKEND": "playtest.storage.HashedStaticFiles"}}


def test_error_pages_stand_in_production(
    production: None, client: Client, designer: User, designer_client: Client, admin: User
) -> None:
    """Each is rendered through the names of hashed files, of which none may be missing."""
    other = study_create(owner=admin, document=study_document())
    own = study_create(owner=designer, document=study_document())
    Study.objects.filter(pk=own.pk).update(draft={})
    designer_client.raise_request_exception = False
    found = {
        400: client.get("/", headers={"Host": "not a host"}),
        403: designer_client.get(reverse("studies_staff:edit", args=[other.pk])),
        404: client.get("/nowhere/"),
        500: designer_client.get(reverse("studies_staff:edit", args=[own.pk])),
    }
    for status, page in found.items():
        assert page.status_code == status
        assert f"Error {status}" in page.text
        assert "Traceback" not in page.text
        assert re.search(r'href="/static/css/base\.[0-9a-f]{12}\.css"', page.text)
    refused = Client(enforce_csrf_checks=True).post("/staff/login/")
    assert "Error 403" in refused.text


def test_participant_pages_stand_in_production(production: None, client: Client, study: Study) -> None:
    """With the files that only they have; tests/browser visits every page of staff on the real site."""
    client.post(address(study, "start"))
    assert client.get(address(study, "consent")).status_code == 200
    client.post(address(study, "consent"), {"decision": "agree"})
    page = client.get(address(study, "page", "profile"))
    assert re.search(r'src="/static/js/pages/count\.[0-9a-f]{12}\.js"', page.text)
    client.post(address(study, "page", "profile"), {**ANSWERS, "words": ""})
    for name in ("play", "stop", "entry"):
        assert client.get(address(study, name)).status_code == 200
