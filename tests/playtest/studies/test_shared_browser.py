"""A computer that several people use one after the other: what one left open never acts for who came after."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse

from playtest.studies.choices import Kind, Status
from playtest.studies.identity import start_marker, token_hash
from playtest.studies.models import Answer, Participant, Study
from playtest.studies.services.languages import participant_speak
from tests.playtest.studies.factory import make_study
from tests.playtest.studies.linking import address as link_address
from tests.playtest.studies.linking import begin, labelled

pytestmark = pytest.mark.django_db
FORM = re.compile(r"<form\b[^>]*\bmethod=\"post\"[^>]*>.*?</form>", re.DOTALL)
ANSWERS = {"often": "daily", "age": "40", "words": "", "fun": "4"}


def address(study: Study, name: str, *args: str) -> str:
    return reverse(f"studies:{name}", args=[study.public_id, *args])


def fields_of(client: Client, path: str) -> dict[str, str]:
    """The hidden fields of the page, all forms together."""
    text = client.get(path).text
    return dict(re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)">', text))


def everything() -> list[object]:
    return [list(Participant.objects.order_by("pk").values("status", "step", "language")), Answer.objects.count()]


def whose(client: Client) -> Participant:
    return Participant.objects.get(token_hash=token_hash(client.cookies["participant"].value))


@pytest.mark.parametrize(
    ("name", "args", "sent"),
    [
        ("stop", [], {}),
        ("page", ["profile"], ANSWERS),
        ("language", [], {"to.lang": "de"}),
    ],
)
def test_form_that_somebody_left_open_does_nothing_to_who_came_after(
    client: Client, name: str, args: list[str], sent: dict[str, str]
) -> None:
    study = make_study(questions=True)
    left_open: dict[str, str] = {}
    for label in ("A 1", "B 2"):
        begin(labelled(study, label), client)
        client.post(address(study, "consent"), {"decision": "agree"})
        left_open = left_open or fields_of(client, address(study, "page", "profile"))
    participant_speak(participant=whose(client), language="en")
    before = everything()
    answer = client.post(address(study, name, *args), {**left_open, **sent})
    assert answer.status_code == 409
    assert "another person has begun in this browser" in answer.text
    assert everything() == before
    own = fields_of(client, address(study, "page", "profile"))
    assert own["person"] != left_open["person"]
    assert client.post(address(study, name, *args), {**own, **sent}).status_code in {200, 302}


def posting_forms() -> Iterator[tuple[str, str]]:
    """Every form of the participant's pages that sends something, with its template's name."""
    folder = Path(settings.BASE_DIR) / "templates" / "studies"
    for path in sorted(folder.glob("*.html")):
        for form in FORM.findall(path.read_text(encoding="utf-8")):
            yield path.name, form


def test_every_form_of_who_has_begun_says_whose_it_is() -> None:
    """Those that begin, or come back, name nobody, and that of a preview goes to the pages of staff."""
    found = list(posting_forms())
    assert {name for name, _ in found} >= {"stop.html", "questionnaire.html", "consent.html", "_practice.html"}
    nameless = {name for name, form in found if 'name="person" value="{{ participant.mark }}"' not in form}
    assert nameless == {"entry.html", "end.html", "_preview.html"}


def test_board_opens_its_socket_as_the_one_whose_page_it_is(client: Client) -> None:
    study = make_study()
    begin(labelled(study), client)
    client.post(address(study, "consent"), {"decision": "agree"})
    page = client.get(address(study, "play"))
    [config] = re.findall(r'<script id="play-config"[^>]*>(.*?)</script>', page.text)
    assert json.loads(config)["ws"] == f"/ws/play/{study.public_id}?person={whose(client).mark}"


def test_browser_in_which_the_study_was_tried_out_is_free_for_somebodys_own_link(client: Client) -> None:
    study = make_study()
    client.post(address(study, "start"), {"marker": start_marker(study_id=study.public_id, kind=Kind.PREVIEW)})
    assert whose(client).kind == Kind.PREVIEW
    link = labelled(study)
    assert "You have started already" not in client.get(link_address(link)).text
    person = begin(link, client, "PROLIFIC_PID=5f1c")
    assert (person.kind, person.status, person.link_id) == (Kind.PERSON, Status.STARTED, link.pk)


def test_trying_out_goes_on_by_the_plain_address(client: Client) -> None:
    study = make_study()
    client.post(address(study, "start"), {"marker": start_marker(study_id=study.public_id, kind=Kind.PREVIEW)})
    assert "You have started already" in client.get(address(study, "entry")).text
    client.post(address(study, "start"))
    assert Participant.objects.count() == 1
