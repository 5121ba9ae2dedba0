"""Staff pages of links: for owner and admins alone, nothing half made, addresses that work, files that open."""

import csv
import io
from datetime import timedelta
from urllib.parse import urlsplit

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from playtest.accounts.models import AuditLog, User
from playtest.studies.choices import LinkMode
from playtest.studies.models import Link, Study
from playtest.studies.services.links import link_create, links_create_labelled, links_create_one_time
from tests.playtest.studies.factory import make_study
from tests.playtest.studies.linking import address, begin, labelled, one_time

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(designer: User) -> Study:
    study = make_study()
    Study.objects.filter(pk=study.pk).update(owner=designer)
    return study


def page(name: str, study: Study, *more: object) -> str:
    return reverse(f"studies_staff:{name}", args=[study.pk, *more])


def test_one_time_links_are_made_in_bulk_and_listed_with_what_came_of_them(
    study: Study, designer_client: Client
) -> None:
    answer = designer_client.post(page("link_new", study, "one-time"), {"number": 60, "comment": "Letters"})
    assert answer["Location"] == page("links", study)
    assert Link.objects.filter(study=study, mode=LinkMode.ONE_TIME, comment="Letters", max_uses=1).count() == 60
    assert len(set(Link.objects.values_list("token", flat=True))) == 60
    link = Link.objects.latest("pk")
    begin(link)
    text = designer_client.get(page("links", study)).text
    assert "1 to 50 of 60" in text
    assert f'value="http://testserver{address(link)}"' in text
    assert "Used up" in text
    assert "1 of 1" in text
    assert "51 to 60 of 60" in designer_client.get(page("links", study) + "?page=99").text


@pytest.mark.parametrize(
    ("kind", "data", "says"),
    [
        ("one-time", {"number": "501"}, "less than or equal to 500"),
        ("one-time", {"number": "0"}, "greater than or equal to 1"),
        ("one-time", {"number": ""}, "required"),
        ("open", {"max_uses": "0"}, "greater than or equal to 1"),
        ("open", {"expires_at": "2020-01-01T00:00"}, "That moment is over"),
        ("open", {"expires_at": "soon"}, "Please give day and time"),
        ("open", {"comment": "x" * 201}, "at most 200 characters"),
        ("labelled", {"labels": " \n \n"}, "There is no label in it"),
        ("labelled", {"labels": "A\nB\nA\nTaken"}, "“A” stands in line 1 already"),
        ("labelled", {"labels": "Taken\nB"}, "There is a link for “Taken” already."),
        ("labelled", {"labels": "\n".join(map(str, range(501)))}, "501 labels"),
    ],
)
def test_what_cannot_be_is_said_at_its_field_with_the_words_kept(
    study: Study, designer_client: Client, kind: str, data: dict[str, str], says: str
) -> None:
    labelled(study, "Taken")
    before = AuditLog.objects.count()
    answer = designer_client.post(page("link_new", study, kind), data)
    assert answer.status_code == 422
    assert says in answer.text
    assert Link.objects.count() == 1
    assert AuditLog.objects.count() == before
    if kind == "labelled" and data["labels"].strip():
        assert data["labels"].splitlines()[-1] in answer.text


def test_a_pasted_list_makes_a_link_for_each_label(study: Study, designer_client: Client) -> None:
    answer = designer_client.post(page("link_new", study, "labelled"), {"labels": "A 1\r\n\r\n <b>&\r\n"})
    assert answer["Location"] == page("links", study)
    assert set(Link.objects.values_list("label", flat=True)) == {"A 1", "<b>&"}
    text = designer_client.get(page("links", study)).text
    assert "&lt;b&gt;&amp;" in text
    assert "<b>&" not in text


def test_a_link_is_changed_switched_and_counted_on_its_page(study: Study, designer_client: Client) -> None:
    link = link_create(study=study, max_uses=5, by=None)
    participant = begin(link)
    until = (timezone.now() + timedelta(days=2)).replace(second=0, microsecond=0)
    data = {"comment": "Poster", "max_uses": "3", "expires_at": f"{until:%Y-%m-%dT%H:%M}"}
    designer_client.post(page("link", study, link.pk), data)
    link.refresh_from_db()
    assert (link.comment, link.max_uses, link.expires_at, link.uses) == ("Poster", 3, until, 1)
    text = designer_client.get(page("link", study, link.pk)).text
    assert f'value="{until:%Y-%m-%dT%H:%M}"' in text
    assert "<svg" in text
    begin(link)
    answer = designer_client.post(page("link", study, link.pk), {**data, "max_uses": "1"})
    assert answer.status_code == 422
    assert "2 started by it already" in answer.text
    designer_client.post(page("link_switch", study), {"link": link.pk, "to": "off", "back": "link"})
    link.refresh_from_db()
    assert not link.active
    text = designer_client.get(reverse("studies_staff:participant", args=[study.pk, participant.pk])).text
    assert page("link", study, link.pk) in text
    text = designer_client.get(page("log", study)).text
    assert "Switched links off" in text
    assert "uses at most: 5 → 3" in text


def test_an_end_that_is_over_stays_when_something_else_is_changed(study: Study, designer_client: Client) -> None:
    link = link_create(study=study, by=None)
    Link.objects.filter(pk=link.pk).update(expires_at=timezone.now() - timedelta(days=2))
    link.refresh_from_db()
    data = {"comment": "Late", "expires_at": f"{link.expires_at:%Y-%m-%dT%H:%M}"}
    assert designer_client.post(page("link", study, link.pk), data).status_code == 302
    link.refresh_from_db()
    assert link.comment == "Late"


def test_all_that_the_list_is_narrowed_down_to_are_switched_at_once(study: Study, designer_client: Client) -> None:
    links_create_one_time(study=study, number=3, comment="Letters", by=None)
    other = one_time(study)
    answer = designer_client.get(page("links", study) + "?kind=one-time&words=letters")
    assert "3 links of this kind" in answer.text
    designer_client.post(page("link_switch", study), {"kind": "one-time", "words": "letters", "to": "off"})
    assert list(Link.objects.filter(active=True)) == [other]


def test_many_links_are_switched_after_a_page_that_names_them(study: Study, designer_client: Client) -> None:
    links_create_labelled(study=study, labels=["A", "B", "C"], by=None)
    Link.objects.filter(label="C").update(active=False)
    text = designer_client.get(page("links", study)).text
    assert f'href="{page("link_switch_all", study, "off")}">Switch 2 off…</a>' in text
    assert f'href="{page("link_switch_all", study, "on")}">Switch 1 on…</a>' in text
    text = designer_client.get(page("link_switch_all", study, "off")).text
    assert "Switch 2 links off" in text
    assert "are on: B, A." in text
    assert 'name="to" value="off"' in text
    assert Link.objects.filter(active=True).count() == 2
    designer_client.post(page("link_switch", study), {"to": "off"})
    text = designer_client.get(page("links", study)).text
    assert "off…" not in text
    assert "Switch 3 on…" in text
    assert "None of them is on." in designer_client.get(page("link_switch_all", study, "off")).text
    assert "A." in designer_client.get(page("link_switch_all", study, "on") + "?words=A").text
    assert designer_client.get(page("link_switch_all", study, "x")).status_code == 404


def test_the_file_has_addresses_that_work_in_their_order_and_no_formulas(study: Study, designer_client: Client) -> None:
    links_create_labelled(study=study, labels=["=1+1", "-5", 'zażółć, "x"'], comment="+cmd", by=None)
    answer = designer_client.get(page("link_file", study))
    assert answer["Content-Type"] == "text/csv; charset=utf-8"
    text = answer.content.decode("utf-8")
    assert text.startswith("\ufeff")
    rows = list(csv.DictReader(io.StringIO(text[1:])))
    assert [row["label"] for row in rows] == ["'=1+1", "-5", 'zażółć, "x"'], "in the order in which they were made"
    assert {row["comment"] for row in rows} == {"'+cmd"}
    for row in rows:
        assert Client().get(urlsplit(row["address"]).path).status_code == 200


def test_the_sheet_and_the_code_hold_the_addresses_of_links_that_let_in(study: Study, designer_client: Client) -> None:
    used, fresh = one_time(study), one_time(study)
    begin(used)
    text = designer_client.get(page("link_sheet", study)).text
    assert address(fresh) in text
    assert address(used) not in text
    assert text.count("<svg") == 1
    answer = designer_client.get(page("link_qr", study, fresh.pk))
    assert answer["Content-Type"] == "image/svg+xml"
    assert b"<svg" in answer.content


@pytest.mark.parametrize("name", ["links", "link_new", "link", "link_qr", "link_sheet", "link_file"])
def test_pages_are_for_owner_and_admins(study: Study, admin_client: Client, client: Client, name: str) -> None:
    link = one_time(study)
    more: dict[str, list[object]] = {"link": [link.pk], "link_qr": [link.pk], "link_new": ["open"]}
    path = page(name, study, *more.get(name, []))
    assert admin_client.get(path).status_code == 200
    assert client.get(path).status_code == 302
    other = Client()
    other.force_login(User.objects.create_user(username="else", password="correct horse battery"))
    assert other.get(path).status_code == 403
    for post in (path, page("link_switch", study)):
        assert other.post(post, {"link": link.pk, "to": "off", "number": 3}).status_code in {403, 405}
    assert list(Link.objects.values_list("active", flat=True)) == [True]


def test_links_of_other_studies_are_not_found(study: Study, designer_client: Client) -> None:
    """Kind: numbers in addresses can be changed to get at what belongs to others."""
    foreign = one_time(make_study())
    for path in (page("link", study, foreign.pk), page("link_qr", study, foreign.pk)):
        assert designer_client.get(path).status_code == 404
    for one in (str(foreign.pk), "9" * 30, "x"):
        designer_client.post(page("link_switch", study), {"link": one, "to": "off"})
    foreign.refresh_from_db()
    assert foreign.active
    assert designer_client.get(page("link_new", study, "other")).status_code == 404
