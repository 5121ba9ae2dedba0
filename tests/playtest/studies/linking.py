"""Links for tests, and who comes by them."""

from collections.abc import Callable

from django.test import Client
from django.urls import reverse

from playtest.studies.identity import token_hash
from playtest.studies.models import Link, Participant, Study
from playtest.studies.selectors.links import link_way
from playtest.studies.services.links import link_create, links_create_labelled, links_create_one_time

Maker = Callable[[Study], Link]


def one_time(study: Study) -> Link:
    return links_create_one_time(study=study, number=1, by=None)[0]


def labelled(study: Study, label: str = "A 1") -> Link:
    return links_create_labelled(study=study, labels=[label], by=None)[0]


def open_link(study: Study, max_uses: int | None = None) -> Link:
    return link_create(study=study, max_uses=max_uses, by=None)


def address(link: Link, name: str = "entry", query: str = "") -> str:
    path = reverse(f"studies:link_{name}", args=[link.study.public_id, link_way(link)])
    return path + (f"?{query}" if query else "")


def begin(link: Link, client: Client | None = None, query: str = "", **data: str) -> Participant:
    """Start, or go on; gives whose cookie the browser has now."""
    client = client or Client()
    answer = client.post(address(link, "start", query), data)
    assert (answer.status_code, answer["Location"]) == (302, reverse("studies:next", args=[link.study.public_id]))
    return Participant.objects.get(token_hash=token_hash(client.cookies["participant"].value))


def refused(link: Link, query: str = "") -> str:
    """What the page says to whom the link does not let in, after a start that did nothing."""
    client = Client()
    before = list(Participant.objects.order_by("pk").values())
    answer = client.post(address(link, "start", query))
    assert answer["Location"] == address(link, "entry", query)
    assert list(Participant.objects.order_by("pk").values()) == before
    assert "participant" not in client.cookies
    page = client.get(answer["Location"])
    assert page.status_code == 200
    assert 'type="submit"' not in page.text
    return page.text
