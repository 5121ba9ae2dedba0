"""“Stop and delete” pressed twice: both answers say that the data are deleted, and only where they are."""

import re
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from playtest.studies.choices import Kind, Status, StudyState
from playtest.studies.errors import StudyError
from playtest.studies.identity import start_marker
from playtest.studies.models import Participant, Study
from playtest.studies.services import participant_withdraw, study_create, study_publish
from playtest.studies.services.languages import participant_speak
from tests.playtest.studies.factory import make_study, study_document
from tests.playtest.studies.linking import address as link_address
from tests.playtest.studies.linking import begin, labelled

pytestmark = pytest.mark.django_db


@pytest.fixture
def study() -> Study:
    return make_study()


def address(study: Study, name: str) -> str:
    return reverse(f"studies:{name}", args=[study.public_id])


def form_of(client: Client, study: Study) -> tuple[str, dict[str, str]]:
    """Where the form of the page goes, and its hidden fields."""
    page = client.get(address(study, "stop")).text
    [action] = re.findall(r'<form class="form" method="post" action="([^"]+)"', page)
    return action, dict(re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)">', page))


def is_stopped(study: Study, answer: Any) -> bool:
    """Whether the answer leads to the page that says so, without a cookie."""
    assert answer.status_code == 302
    to_page = answer["Location"].partition("?")[0] == address(study, "stopped")
    return bool(to_page and not answer.cookies["participant"].value and not answer.cookies["player"].value)


@pytest.mark.parametrize("keeps_cookie", [True, False])
def test_stopping_twice_ends_at_the_same_page(client: Client, study: Study, keeps_cookie: bool) -> None:
    client.post(address(study, "start"))
    action, fields = form_of(client, study)
    token = client.cookies["participant"].value
    first = client.post(action, fields)
    assert is_stopped(study, first)
    if keeps_cookie:
        # The second click was on its way before the first answer came.
        client.cookies["participant"] = token
    second = client.post(action, fields)
    assert is_stopped(study, second)
    assert "Your data are deleted" in client.get(second["Location"]).text


def test_second_answer_is_in_the_language_of_the_first(client: Client) -> None:
    study = study_create(owner=None, document={**study_document(), "languages": ["en", "de"]})
    study_publish(study=study)
    client.post(address(study, "start"))
    participant_speak(participant=Participant.objects.get(), language="de")
    action, fields = form_of(client, study)
    answers = [client.post(action, fields)["Location"] for _ in range(2)]
    assert answers == [f"{address(study, 'stopped')}?lang=de"] * 2


def test_who_was_stopped_in_this_moment_is_told_so(
    client: Client, study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both clicks found somebody under way, and one was faster."""
    client.post(address(study, "start"))
    action, fields = form_of(client, study)

    def second(*, participant: Participant) -> None:
        participant_withdraw(participant=Participant.objects.get(pk=participant.pk))
        raise StudyError("state", "Meanwhile this was decided in another window.")

    monkeypatch.setattr("playtest.studies.views.stopping.participant_withdraw", second)
    assert is_stopped(study, client.post(action, fields))


def test_who_goes_on_at_another_computer_is_not_told_that_anything_is_deleted(study: Study) -> None:
    link = labelled(study)
    old, new = Client(), Client()
    begin(link, old)
    action, fields = form_of(old, study)
    begin(link, new)
    assert old.post(action, fields)["Location"] == address(study, "entry")
    assert Participant.objects.get().status == Status.STARTED
    assert new.get(address(study, "consent")).status_code == 200
    assert "You have started already" in new.get(link_address(link)).text


def test_who_began_since_is_not_stopped_by_an_old_page(client: Client, study: Study) -> None:
    client.post(address(study, "start"))
    action, fields = form_of(client, study)
    client.post(action, fields)
    client.post(address(study, "start"))
    assert client.post(action, fields).status_code == 409
    assert Participant.objects.exclude(status=Status.WITHDRAWN).count() == 1


def test_preview_that_is_stopped_twice_leads_back_to_the_draft(client: Client, study: Study) -> None:
    client.post(address(study, "start"), {"marker": start_marker(study_id=study.public_id, kind=Kind.PREVIEW)})
    Study.objects.update(state=StudyState.DRAFT, published=None)
    action, fields = form_of(client, study)
    answers = [client.post(action, fields)["Location"] for _ in range(2)]
    assert answers == [reverse("studies_staff:preview_back", args=[study.pk])] * 2
