"""How long pages of questions were shown: what the browser counts, what the server can believe of it, and the flag."""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.core import signing
from django.test import Client
from django.urls import reverse

from playtest.studies.identity import token_hash
from playtest.studies.languages import SPEAK
from playtest.studies.models import PageVisit, Participant, Study
from playtest.studies.selectors.flags import Flag, FlagKind, flags_of
from playtest.studies.services import study_create, study_publish
from playtest.studies.views import questions
from tests.playtest.studies.factory import study_document

pytestmark = pytest.mark.django_db
ANSWERS = {"often": "daily", "age": "40", "words": "", "fun": "4"}


class Clock:
    """The server's clock, as far as pages of questions look at it; it stands until a test moves it."""

    moment = datetime(2026, 11, 28, 12, tzinfo=UTC)

    @classmethod
    def now(cls) -> datetime:
        return cls.moment


@pytest.fixture
def study() -> Study:
    study = study_create(owner=None, document={**study_document(questions=True), "languages": ["en", "de"]})
    study_publish(study=study)
    return study


@pytest.fixture
def pass_time(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    monkeypatch.setattr(Clock, "moment", datetime.now(UTC) - timedelta(hours=1))
    monkeypatch.setattr(questions, "timezone", Clock)

    def passes(seconds: float) -> None:
        monkeypatch.setattr(Clock, "moment", Clock.moment + timedelta(seconds=seconds))

    return passes


@pytest.fixture
def url(client: Client, study: Study) -> str:
    """The page of questions, in front of somebody who has agreed."""
    client.post(reverse("studies:start", args=[study.public_id]))
    client.post(reverse("studies:consent", args=[study.public_id]), {"decision": "agree"})
    return reverse("studies:page", args=[study.public_id, "profile"])


def shown_on(page: Any) -> str:
    found = re.search(r'name="shown" value="([^"]+)"', page.text)
    assert found
    return found[1]


def send(client: Client, url: str, page: Any, ms: object = None, hidden: object = None, **fields: str) -> Any:
    """Send in what the page asks, with the times that its script adds."""
    times = {} if ms is None else {"shown.ms": str(ms), "hidden.ms": str(hidden)}
    return client.post(url, {**ANSWERS, "shown": shown_on(page), **times, **fields})


def visit() -> PageVisit:
    return PageVisit.objects.get(page_key="profile")


def fast_page(client: Client) -> list[Flag]:
    own = Participant.objects.select_related("version").get(token_hash=token_hash(client.cookies["participant"].value))
    return [flag for flag in flags_of(participants=[own])[own.pk] if flag.kind == FlagKind.FAST_PAGE]


def test_browser_says_how_long_a_page_was_shown_and_hidden(
    client: Client, url: str, pass_time: Callable[[float], None]
) -> None:
    page = client.get(url)
    assert "js/pages/shown.js" in page.text
    at = Clock.moment
    pass_time(60)
    assert send(client, url, page, 59_000, 20_000).status_code == 302
    assert (visit().shown_ms, visit().hidden_ms, visit().shown_at) == (59_000, 20_000, at)


@pytest.mark.parametrize("again", ["errors", "language", "key"])
def test_time_adds_up_where_the_form_comes_back(
    client: Client, url: str, pass_time: Callable[[float], None], again: str
) -> None:
    page, at = client.get(url), Clock.moment
    pass_time(10)
    if again == "errors":
        back = send(client, url, page, 9_000, 1_000, often="")
    elif again == "language":
        back = send(client, url, page, 9_000, 1_000, **{SPEAK: "de"})
    else:
        strict = Client(enforce_csrf_checks=True)
        strict.cookies = client.cookies
        back = send(strict, url, page, 9_000, 1_000)
        assert back.status_code == 403
    pass_time(10)
    send(client, url, back, 8_000, 500)
    assert (visit().shown_ms, visit().hidden_ms, visit().shown_at) == (17_000, 1_500, at)


@pytest.mark.parametrize(
    ("ms", "hidden"),
    [
        (-1, 0),
        (60_001, 0),
        (1_000, 1_001),
        (1_000, -1),
        (1_000, ""),
        ("", 0),
        ("NaN", 0),
        ("1e3", 0),
        ("1.5", 0),
        ("²", 0),
        ("9" * 5_000, 0),
    ],
)
def test_time_that_cannot_be_is_not_stored(
    client: Client, url: str, pass_time: Callable[[float], None], ms: object, hidden: object
) -> None:
    page = client.get(url)
    pass_time(60)
    assert send(client, url, page, ms, hidden).status_code == 302
    assert (visit().shown_ms, visit().hidden_ms) == (None, None)


@pytest.mark.parametrize("first", [True, False])
def test_time_of_which_a_part_is_not_known_is_not_known(
    client: Client, url: str, pass_time: Callable[[float], None], first: bool
) -> None:
    page = client.get(url)
    pass_time(10)
    back = send(client, url, page, *((9_000, 0) if first else ()), often="")
    pass_time(10)
    send(client, url, back, *(() if first else (9_000, 0)))
    assert (visit().shown_ms, visit().hidden_ms) == (None, None)


def test_page_that_was_open_for_a_month_fits_the_table(
    client: Client, url: str, pass_time: Callable[[float], None]
) -> None:
    page = client.get(url)
    for _ in range(3):
        pass_time(999_999)
        page = send(client, url, page, 999_999_000, 0, often="")
    send(client, url, page, 0, 0)
    assert visit().shown_ms is None


def test_fast_page_is_flagged_by_what_the_browser_says(
    client: Client, url: str, pass_time: Callable[[float], None]
) -> None:
    page = client.get(url)
    pass_time(60)
    send(client, url, page, 2_900, 0)
    [flag] = fast_page(client)
    assert flag.sentence == "Page “profile”: 3 answers in 2.9 s, less than 1 s each."


def test_fast_page_is_flagged_without_a_script_by_the_servers_clock(client: Client, url: str) -> None:
    send(client, url, client.get(url))
    [flag] = fast_page(client)
    assert "by the server's clock, since the browser sent no time" in flag.sentence
    PageVisit.objects.update(shown_at=visit().submitted_at - timedelta(seconds=3.1))
    assert fast_page(client) == []
    # The browser's word, where it is there, counts more.
    PageVisit.objects.update(shown_ms=1_000)
    assert len(fast_page(client)) == 1


def test_form_without_its_showing_says_nothing_of_time(client: Client, url: str) -> None:
    client.post(url, ANSWERS)
    assert (visit().shown_at, visit().shown_ms, visit().hidden_ms) == (None, None, None)
    assert fast_page(client) == []


def test_form_without_its_showing_knows_no_beginning_after_errors_either(client: Client, url: str) -> None:
    page = client.post(url, {**ANSWERS, "often": ""})
    send(client, url, page, 0, 0)
    assert (visit().shown_at, visit().shown_ms) == (None, None)


def test_page_that_was_open_while_the_program_was_renewed_is_taken(client: Client, url: str) -> None:
    """Its script sent nothing yet, and its showing held less."""
    old = signing.dumps(["a-visit", datetime.now(UTC).timestamp() - 60], salt=questions.SHOWN_SALT)
    client.post(url, {**ANSWERS, "shown": old})
    assert (visit().visit_id, visit().shown_ms) == ("a-visit", None)
    assert visit().shown_at is not None
