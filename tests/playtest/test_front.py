"""The start page, the dashboard, and whether the process is well."""

import asyncio
import json
import re
from threading import Event

import pytest
from asgiref.sync import sync_to_async
from asgiref.testing import ApplicationCommunicator
from django.db import OperationalError, connection
from django.test import Client
from django.urls import reverse

from playtest import health
from playtest.front.selectors import Counts, dashboard_counts, next_step
from playtest.health import with_health

NOTHING = Counts(open_studies=0, people=0, bots=0, levels=0, active_runs=0, finished_runs=0, personas=0)


def counts(**changes: int) -> Counts:
    return Counts(**{**NOTHING.__dict__, **changes})


def test_start_page_of_an_empty_site_says_that_nothing_is_open(client: Client, db: None) -> None:
    page = client.get("/").content.decode()
    assert "No study is open" in page
    assert len(re.findall("<h1", page)) == 1
    assert reverse("accounts:login") in page


@pytest.mark.parametrize("path", ["/", "/staff/login/"])
def test_public_pages_refuse_other_hosts(client: Client, db: None, path: str) -> None:
    assert client.get(path, headers={"host": "elsewhere.example"}).status_code == 400


def test_dashboard_of_an_empty_site_opens_and_says_what_to_do(admin_client: Client) -> None:
    page = admin_client.get("/staff/").content.decode()
    assert len(re.findall("<h1", page)) == 1
    assert "Draw a level" in page
    assert dashboard_counts() == NOTHING


def test_dashboard_is_for_staff_alone(client: Client, db: None) -> None:
    assert client.get("/staff/").status_code == 302


def test_next_step_follows_the_way_from_a_level_to_a_comparison() -> None:
    def title(is_admin: bool = True, **changes: int) -> str:
        return next_step(counts(**changes), is_admin=is_admin).title

    assert title() == "Draw a level"
    assert title(levels=3) == "Open a study"
    assert title(levels=3, open_studies=1) == "Invite people"
    assert title(levels=3, open_studies=1, bots=200) == "Invite people", "bots are no people"
    assert title(levels=3, open_studies=1, people=1) == "Evolve a persona of your own"
    assert title(levels=3, open_studies=1, people=1, is_admin=False) == "Compare people and personas"
    assert title(levels=3, open_studies=1, people=1, active_runs=1) == "Compare people and personas"


async def ask_health() -> tuple[int, str]:
    async def pages(scope: object, receive: object, send: object) -> None:
        raise AssertionError("the health page is answered before the site")

    scope = {"type": "http", "path": "/healthz", "method": "GET", "headers": [(b"host", b"10.0.0.1")]}
    communicator = ApplicationCommunicator(with_health(pages), scope)
    await communicator.send_input({"type": "http.request", "body": b""})
    start, body = await communicator.receive_output(5), await communicator.receive_output(5)
    return start["status"], json.loads(body["body"])["status"]


async def test_health_is_ok_under_any_host_name_while_the_database_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "database_answers", lambda: True)
    assert await ask_health() == (200, "ok")


async def test_health_says_that_the_database_is_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "database_answers", lambda: False)
    assert await ask_health() == (503, "no database")


async def test_health_is_answered_while_the_thread_that_requests_share_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "database_answers", lambda: True)
    lock = Event()
    waiting = asyncio.create_task(sync_to_async(lock.wait)(30))
    try:
        assert await ask_health() == (200, "ok")
        assert not waiting.done()
    finally:
        lock.set()
        await waiting


@pytest.mark.django_db(transaction=True)
def test_database_that_answers_is_well_and_a_broken_one_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    assert health.database_answers()

    def fail() -> None:
        raise OperationalError("away")

    monkeypatch.setattr(connection, "cursor", fail)
    assert not health.database_answers()
