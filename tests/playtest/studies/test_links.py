"""Links into a study: opening one changes nothing, one person's link starts one participant, and nobody guesses one."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from playtest.studies.choices import Kind, StudyState
from playtest.studies.identity import public_id_draw, start_marker
from playtest.studies.models import Link, LinkDay, Participant, Study
from playtest.studies.selectors.links import link_by_way, link_way
from playtest.studies.selectors.staff import funnels
from playtest.studies.services import participant_withdraw, study_set_state
from playtest.studies.services.links import links_switch
from tests.playtest.racing import race
from tests.playtest.studies.factory import make_study
from tests.playtest.studies.linking import Maker, address, begin, labelled, one_time, open_link, refused

pytestmark = pytest.mark.django_db

PERSONAL = pytest.mark.parametrize("make", [one_time, labelled])
EVERY = pytest.mark.parametrize("make", [open_link, one_time, labelled])


@pytest.fixture
def study() -> Study:
    return make_study()


@EVERY
def test_opening_a_link_changes_nothing(study: Study, make: Maker) -> None:
    """Kind: a preview of the link in a messenger starts the study, or uses the link up."""
    link = make(study)
    before = Link.objects.values().get(pk=link.pk)
    client = Client()
    for method in (client.get, client.head):
        answer = method(address(link), headers={"Purpose": "prefetch", "Sec-Purpose": "prefetch"})
        assert answer.status_code == 200
        assert "no-store" in answer["Cache-Control"]
    assert client.get(address(link, "start")).status_code == 405
    assert client.get(address(link, "opened")).status_code == 405
    assert "participant" not in client.cookies
    assert Link.objects.values().get(pk=link.pk) == before
    assert not Participant.objects.exists()
    assert not LinkDay.objects.exists()


@PERSONAL
def test_one_persons_link_goes_on_as_that_person_on_any_device(study: Study, make: Maker) -> None:
    """Kinds: a second visit is a second participant; going on works in the first browser only."""
    link = make(study)
    first, second = Client(), Client()
    assert "This link is for you alone." in first.get(address(link)).text
    participant = begin(link, first)
    assert participant.link_id == link.pk
    first.post(reverse("studies:consent", args=[study.public_id]), {"decision": "agree"})
    assert "You have started already." in second.get(address(link)).text
    assert begin(link, second).pk == participant.pk
    where = reverse("studies:next", args=[study.public_id])
    assert second.get(where)["Location"] == reverse("studies:play", args=[study.public_id])
    assert first.get(where)["Location"] == reverse("studies:entry", args=[study.public_id])
    link.refresh_from_db()
    assert link.uses == 1
    assert Participant.objects.count() == 1


def test_an_open_link_starts_many_and_counts_them(study: Study) -> None:
    link = open_link(study, max_uses=2)
    assert begin(link).pk != begin(link).pk
    assert "As many people as were wanted" in refused(link)
    link.refresh_from_db()
    assert link.uses == 2


@EVERY
def test_a_link_that_was_switched_off_or_is_over_says_so(study: Study, make: Maker) -> None:
    """Kind: a dead link ends in an error page, or starts all the same."""
    link = make(study)
    links_switch(study=study, keys=[link.pk], active=False, by=None)
    assert "This link is switched off." in refused(link)
    links_switch(study=study, keys=[link.pk], active=True, by=None)
    Link.objects.filter(pk=link.pk).update(expires_at=timezone.now() - timedelta(seconds=1))
    assert "This link was valid until" in refused(link)
    Link.objects.filter(pk=link.pk).update(expires_at=timezone.now() + timedelta(hours=1))
    assert begin(link).link_id == link.pk


@PERSONAL
def test_who_began_in_time_goes_on_when_the_link_is_over_but_not_when_it_is_switched_off(
    study: Study, make: Maker
) -> None:
    link = make(study)
    client = Client()
    participant = begin(link, client)
    Link.objects.filter(pk=link.pk).update(expires_at=timezone.now() - timedelta(days=1))
    client = Client()
    assert begin(link, client).pk == participant.pk
    links_switch(study=study, keys=[link.pk], active=False, by=None)
    assert "This link is switched off." in refused(link)
    assert "Go on" in client.get(address(link)).text
    assert client.get(reverse("studies:next", args=[study.public_id]))["Location"].endswith("/consent")


@PERSONAL
def test_who_withdrew_leaves_the_link_to_be_used_again(study: Study, make: Maker) -> None:
    link = make(study)
    participant = begin(link)
    participant_withdraw(participant=participant)
    link.refresh_from_db()
    assert link.uses == 0
    again = begin(link)
    assert again.pk != participant.pk
    participant.refresh_from_db()
    assert participant.link_id is None
    link.refresh_from_db()
    assert link.uses == 1


@PERSONAL
def test_people_at_one_computer_are_not_taken_for_each_other(study: Study, make: Maker) -> None:
    """Kind: one person plays on as another who sat there before."""
    client = Client()
    client.post(reverse("studies:start", args=[study.public_id]))
    first = begin(make(study), client)
    other = one_time(study)
    assert "Begin" in client.get(address(other)).text
    assert begin(other, client).pk != first.pk
    assert Participant.objects.count() == 3


@pytest.mark.parametrize("change", ["token", "proof", "no proof", "another's proof", "more", "another study", "case"])
def test_an_address_that_was_not_given_out_is_not_found(study: Study, change: str) -> None:
    """Kind: addresses can be guessed or edited, so that one becomes another."""
    link, other = labelled(study, "A"), labelled(study, "B")
    way = link_way(link)
    assert (len(link.token), len(way)) == (22, 44)
    changed = {
        "token": public_id_draw() + way[22:],
        "proof": way[:22] + public_id_draw(),
        "no proof": way[:22],
        "another's proof": way[:22] + link_way(other)[22:],
        "more": way + "A",
        "case": way.swapcase(),
    }.get(change, way)
    asked = make_study() if change == "another study" else study
    for name in ("entry", "start", "opened"):
        page = reverse(f"studies:link_{name}", args=[asked.public_id, changed])
        answer = Client().get(page) if name == "entry" else Client().post(page)
        assert answer.status_code == 404
    assert not Participant.objects.exists()


def test_a_row_whose_label_was_changed_has_another_address(study: Study) -> None:
    link = labelled(study, "A")
    way = link_way(link)
    Link.objects.filter(pk=link.pk).update(label="B")
    assert link_by_way(study=study, way=way) is None
    link.refresh_from_db()
    assert link_by_way(study=study, way=link_way(link)) == link


def test_addresses_hold_when_the_sites_key_is_replaced_in_order(study: Study, settings: Any) -> None:
    way = link_way(labelled(study))
    old = settings.SECRET_KEY
    settings.SECRET_KEY = "another key, long enough to be one" * 2
    assert link_by_way(study=study, way=way) is None
    settings.SECRET_KEY_FALLBACKS = [old]
    assert link_by_way(study=study, way=way) is not None


@EVERY
def test_bots_and_previews_use_no_link_up(study: Study, make: Maker) -> None:
    link = make(study)
    for kind in (Kind.BOT, Kind.PREVIEW):
        other = begin(link, marker=start_marker(study_id=study.public_id, kind=kind))
        assert (other.kind, other.link_id) == (kind, None)
    link.refresh_from_db()
    assert link.uses == 0
    assert begin(link).kind == Kind.PERSON


@pytest.mark.parametrize("state", [StudyState.PAUSED, StudyState.CLOSED])
def test_a_link_opens_no_study_that_is_not_open(study: Study, state: StudyState) -> None:
    under_way, unused = one_time(study), one_time(study)
    participant = begin(under_way)
    study_set_state(study=study, state=state)
    says = "takes no new participants" if state == StudyState.PAUSED else "is closed"
    assert says in refused(unused)
    if state == StudyState.PAUSED:
        assert begin(under_way).pk == participant.pk
    else:
        assert says in Client().get(address(under_way)).text
    unused.refresh_from_db()
    assert unused.uses == 0


# --- Together with a recruiter's id -----------------------------------------------------------------------------------


def test_a_recruiters_id_and_a_link_are_kept_together(study: Study) -> None:
    link = open_link(study, max_uses=1)
    participant = begin(link, query="PROLIFIC_PID=5f1c&x=1")
    assert (participant.link_id, participant.recruiter_id) == (link.pk, "5f1c")
    assert participant.query is not None
    assert link.token not in participant.query
    assert begin(link, query="prolific_pid=5f1c").pk == participant.pk
    assert "As many people as were wanted" in refused(link, "PROLIFIC_PID=6a")


def test_one_persons_link_is_nobody_elses(study: Study) -> None:
    link = one_time(study)
    participant = begin(link, query="PROLIFIC_PID=5f1c")
    assert begin(link).pk == participant.pk
    assert "Somebody began by this link already" in refused(link, "PROLIFIC_PID=6a")


def test_who_is_known_by_id_leaves_a_new_link_unused(study: Study) -> None:
    """Kind: who joins again is counted twice."""
    first, second = one_time(study), one_time(study)
    participant = begin(first, query="SONA_ID=1")
    assert begin(second, query="SONA_ID=1").pk == participant.pk
    second.refresh_from_db()
    assert second.uses == 0


def test_a_link_without_the_id_it_should_carry_asks_for_it(study: Study) -> None:
    """Kind: a link without its parameters ends in an error page."""
    link = one_time(study)
    query = "PROLIFIC_PID=%7B%7B%25PROLIFIC_PID%25%7D%7D"
    answer = Client().post(address(link, "start", query), {"recruiter_id": "no id!"})
    assert answer.status_code == 400
    assert address(link, "start") in answer.text
    assert begin(link, query=query, recruiter_id="5f1c").recruiter_id == "5f1c"


# --- Counting who saw the page ----------------------------------------------------------------------------------------


def test_pages_that_were_seen_are_counted_by_day_and_address(study: Study) -> None:
    link = one_time(study)
    client = Client()
    assert f'data-opened="{address(link, "opened")}"' in client.get(address(link)).text
    for _ in range(2):
        assert client.post(address(link, "opened")).status_code == 204
    plain = reverse("studies:opened", args=[study.public_id])
    assert plain in client.get(reverse("studies:entry", args=[study.public_id])).text
    assert client.post(plain).status_code == 204
    today = timezone.now().date()
    assert set(LinkDay.objects.values_list("link", "day", "opened")) == {(link.pk, today, 2), (None, today, 1)}
    assert [funnel.opened for funnel in funnels(study=study)] == [3, None]
    begin(link, client)
    assert "data-opened" not in client.get(address(link)).text
    assert "data-opened" not in Client().get(address(link)).text


def test_nothing_is_counted_where_nobody_may_begin_or_another_site_asks(study: Study) -> None:
    link = open_link(study)
    assert Client(enforce_csrf_checks=True).post(address(link, "opened")).status_code == 403
    links_switch(study=study, keys=[link.pk], active=False, by=None)
    Client().post(address(link, "opened"))
    links_switch(study=study, keys=[link.pk], active=True, by=None)
    study_set_state(study=study, state=StudyState.PAUSED)
    Client().post(address(link, "opened"))
    assert not LinkDay.objects.exists()


# --- At the same moment ---------------------------------------------------------------------------------------------


def starting(link: Link, client: Client) -> Callable[[], str]:
    return lambda: client.post(address(link, "start"))["Location"]


@pytest.mark.django_db(transaction=True)
@PERSONAL
def test_one_persons_link_that_is_used_many_times_at_once_is_one_participant(make: Maker) -> None:
    """Kind: two quick clicks, or two devices, make two participants."""
    link = make(make_study())
    pages = [Client() for _ in range(8)]
    places = race([starting(link, client) for client in pages])
    assert set(places) == {reverse("studies:next", args=[link.study.public_id])}
    participant = Participant.objects.get(study=link.study)
    assert participant.transitions.count() == 1
    link.refresh_from_db()
    assert link.uses == 1


@pytest.mark.django_db(transaction=True)
def test_the_last_uses_of_an_open_link_are_given_once() -> None:
    link = open_link(make_study(), max_uses=3)
    places = race([starting(link, Client()) for _ in range(8)])
    assert places.count(address(link)) == 5
    assert Participant.objects.filter(link=link).count() == 3
    link.refresh_from_db()
    assert link.uses == 3


@pytest.mark.django_db(transaction=True)
def test_the_first_sights_of_a_day_are_all_counted() -> None:
    link = open_link(make_study())
    race([lambda: Client().post(address(link, "opened")).status_code] * 8)
    assert LinkDay.objects.get(link=link).opened == 8


@pytest.mark.django_db(transaction=True)
def test_withdrawing_while_the_link_is_opened_again_leaves_the_count_right() -> None:
    link = one_time(make_study())
    for _ in range(5):
        participant = begin(link)

        def withdraw(who: Participant = participant) -> str:
            participant_withdraw(participant=who)
            return ""

        race([withdraw, starting(link, Client())])
        link.refresh_from_db()
        assert link.uses == Participant.objects.filter(link=link).count() <= 1
