"""“Begin” pressed twice begins once: the form of the entry page has a name, which stands for one participant."""

import re
from datetime import timedelta

import pytest
from django.core import signing
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from playtest.studies.choices import StudyState
from playtest.studies.identity import START_SALT, token_hash
from playtest.studies.models import Link, LinkDay, Participant, Study, Transition
from playtest.studies.services import participant_withdraw, study_set_state
from tests.playtest.racing import race
from tests.playtest.studies.factory import make_study
from tests.playtest.studies.linking import address as link_address
from tests.playtest.studies.linking import labelled, open_link

pytestmark = pytest.mark.django_db


@pytest.fixture
def study() -> Study:
    return make_study()


def entry(study: Study, query: str = "") -> str:
    return reverse("studies:entry", args=[study.public_id]) + query


def form_on(url: str) -> tuple[str, dict[str, str]]:
    """Where the form of an entry page goes, and its hidden fields. Who asks for it has no cookie."""
    page = Client().get(url).text
    [action] = re.findall(r'<form class="form" method="post" action="([^"]+)"', page)
    fields = dict(re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)">', page))
    assert fields["begin"]
    return action.replace("&amp;", "&"), fields


def press(form: tuple[str, dict[str, str]], **typed: str) -> str:
    """Send it from a browser without our cookie, as the second click of two does; gives the token that comes back."""
    action, fields = form
    client = Client()
    answer = client.post(action, {**fields, **typed})
    assert answer.status_code == 302
    assert answer["Location"].endswith("/next"), answer["Location"]
    token = client.cookies["participant"].value
    assert client.cookies["player"].value == token
    return token


def test_begin_pressed_twice_begins_once(study: Study) -> None:
    form = form_on(entry(study))
    tokens = {press(form), press(form)}
    assert len(tokens) == 1
    [token] = tokens
    assert len(token) == 43
    assert Participant.objects.get().token_hash == token_hash(token)
    assert Transition.objects.count() == 1


@pytest.mark.parametrize("uses", [1, 2])
def test_begin_pressed_twice_takes_one_use_of_the_link(study: Study, uses: int) -> None:
    link = open_link(study, max_uses=uses)
    form = form_on(link_address(link))
    assert press(form) == press(form)
    assert Link.objects.get().uses == Participant.objects.count() == 1


@pytest.mark.parametrize("make", [open_link, labelled])
def test_both_clicks_of_one_link_give_one_token(study: Study, make: object) -> None:
    assert callable(make)
    form = form_on(link_address(make(study)))
    assert press(form) == press(form)
    assert Participant.objects.count() == 1


def test_second_click_goes_on_although_the_study_was_paused_meanwhile(study: Study) -> None:
    form = form_on(entry(study))
    token = press(form)
    study_set_state(study=study, state=StudyState.PAUSED)
    assert press(form) == token


def test_each_showing_of_the_page_begins_for_itself(study: Study) -> None:
    assert press(form_on(entry(study))) != press(form_on(entry(study)))
    assert Participant.objects.count() == 2


def test_form_in_which_two_ids_are_typed_begins_for_both(study: Study) -> None:
    """Two people at one computer, of whom the second went back to the first one's page."""
    form = form_on(entry(study, "?PROLIFIC_PID="))
    first, second = press(form, recruiter_id="one"), press(form, recruiter_id="two")
    assert first != second
    assert sorted(Participant.objects.values_list("recruiter_id", flat=True)) == ["one", "two"]
    assert press(form, recruiter_id="one") == first
    assert Participant.objects.count() == 2


def test_form_of_one_address_says_nothing_at_another(study: Study) -> None:
    _, fields = form_on(entry(study))
    token = press(form_on(entry(study)))
    other = make_study()
    link = open_link(study)
    for url in (entry(other), link_address(link)):
        assert press((form_on(url)[0], fields)) != token
    assert Participant.objects.count() == 3


@pytest.mark.parametrize(
    "name",
    ["", "made-up", "x" * 5_000, signing.dumps("x", salt="other"), signing.dumps("x" * 43, salt=START_SALT)[:-1]],
    ids=range(5),
)
def test_name_that_is_none_of_ours_stands_for_nobody(study: Study, name: str) -> None:
    action, _ = form_on(entry(study))
    form = (action, {"begin": name})
    assert press(form) != press(form)
    assert Participant.objects.count() == 2


def test_form_that_is_sent_again_much_later_is_somebody_new(study: Study) -> None:
    form = form_on(entry(study))
    token = press(form)
    Participant.objects.update(started_at=timezone.now() - timedelta(hours=1))
    assert press(form) != token
    assert Participant.objects.count() == 2


def test_who_withdrew_may_begin_again_by_the_same_form(study: Study) -> None:
    form = form_on(entry(study))
    press(form)
    participant_withdraw(participant=Participant.objects.get())
    press(form)
    assert Participant.objects.filter(token_hash__isnull=False).count() == 1


def test_page_sends_its_form_once_and_says_so(study: Study) -> None:
    page = Client().get(entry(study)).text
    assert 'data-once="One moment, please."' in page
    assert "js/pages/once.js" in page
    assert LinkDay.objects.count() == Participant.objects.count() == 0


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("uses", [None, 1, 3])
def test_clicks_that_arrive_at_once_begin_once(uses: int | None) -> None:
    link = open_link(make_study(), max_uses=uses)
    form = form_on(link_address(link))
    assert len(set(race([lambda: press(form)] * 4))) == 1
    assert Link.objects.get().uses == Participant.objects.count() == 1
