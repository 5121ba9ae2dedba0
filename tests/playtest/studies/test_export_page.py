"""The export page: who may open it, what it offers, and a ZIP that streams from a process of its own."""

import asyncio
import io
import json
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIHandler
from django.db import connections
from django.http import StreamingHttpResponse
from django.test import AsyncClient, Client
from django.urls import reverse

from playtest.accounts.models import AuditLog, Role, User
from playtest.studies.choices import Kind
from playtest.studies.export import download
from playtest.studies.models import Study
from playtest.studies.views import export as view
from tests.playtest.studies.exporting import finished, mixed_study
from tests.playtest.studies.server import database_variables

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def study(designer: User) -> Study:
    """One of the 64th part of all studies whose public id looks like an option of a command."""
    study = mixed_study(slug="small")
    Study.objects.filter(pk=study.pk).update(owner=designer, public_id="-" + study.public_id[1:])
    study.refresh_from_db()
    return study


@pytest.fixture(autouse=True)
def places_given_back() -> Any:
    yield
    taken = [download._places.acquire(blocking=False) for _ in range(download.MOST_AT_ONCE)]
    assert all(taken), "an export holds a place"
    for _ in taken:
        download._places.release()


def address(study: Study) -> str:
    return reverse("studies_staff:export", args=[study.pk])


def test_owner_and_admins_are_offered_the_export_others_are_not(
    study: Study, designer_client: Client, admin_client: Client
) -> None:
    other = Client()
    other.force_login(User.objects.create_user(username="otto", password="correct horse battery", role=Role.DESIGNER))
    page = reverse("studies_staff:detail", args=[study.pk])
    for client in (designer_client, admin_client):
        assert address(study) in client.get(page).content.decode()
        assert client.get(address(study)).status_code == 200
    assert address(study) not in other.get(page).content.decode()
    for method in (other.get, other.post):
        assert method(address(study), {"formats": ["csv"]}).status_code == 403
    assert "login" in Client().get(address(study)).headers["Location"]
    assert not AuditLog.objects.filter(action="study.export").exists()


def test_a_draft_has_no_export(admin_client: Client) -> None:
    draft = Study.objects.create(public_id="d" * 22, slug="draft", title="A draft", draft={})
    assert admin_client.get(address(draft)).status_code == 404
    assert address(draft) not in admin_client.get(reverse("studies_staff:detail", args=[draft.pk])).content.decode()


def test_the_page_proposes_csv_of_people_with_names(study: Study, designer_client: Client) -> None:
    response = designer_client.get(address(study))
    form = response.context["form"]
    assert (form["formats"].value(), form["bots"].value(), form["anonymous"].value()) == (["csv"], None, None)


def test_no_format_is_a_mistake_that_keeps_the_other_choices(study: Study, designer_client: Client) -> None:
    response = designer_client.post(address(study), {"bots": "on"})
    assert response.status_code == 422
    assert "Choose at least one format." in response.content.decode()
    assert response.context["form"]["bots"].value()


async def streamed(client: AsyncClient, study: Study, **choices: object) -> tuple[StreamingHttpResponse, bytes]:
    response = await client.post(address(study), choices)
    assert isinstance(response, StreamingHttpResponse), response.content.decode()
    assert response.is_async
    content = b"".join([chunk async for chunk in response])
    await asyncio.to_thread(response.close)
    return response, content


def test_the_download_is_a_zip_of_people_alone_and_is_noted(
    study: Study, designer: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in database_variables().items():
        monkeypatch.setenv(name, value)
    person, _ = finished(study, kind=Kind.PERSON), finished(study)
    client = AsyncClient()
    client.force_login(designer)

    async def download_both() -> None:
        response, content = await streamed(client, study, formats=["json", "csv"])
        assert response.headers["Content-Type"] == "application/zip"
        assert response.headers["Content-Disposition"].startswith('attachment; filename="small-')
        assert "no-store" in response.headers["Cache-Control"]
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            (participant,) = json.loads(archive.read("small/participants.json"))
            said = json.loads(archive.read("small/manifest.json"))
        assert participant["participant"] == person.code
        assert (said["formats"], said["filters"]["kind"]) == (["csv", "json"], ["person"])
        _, content = await streamed(client, study, formats=["json"], bots="on", anonymous="on")
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            kinds = [row["kind"] for row in json.loads(archive.read("small/participants.json"))]
            assert person.code.encode() not in archive.read("small/participants.json")
        assert sorted(kinds) == ["bot", "person"]
        # The thread in which views ran keeps its connection otherwise.
        await sync_to_async(connections.close_all)()

    asyncio.run(download_both())
    lines = AuditLog.objects.filter(action="study.export").order_by("pk")
    assert [(line.actor, line.object_id, line.after["anonymous"]) for line in lines] == [
        (designer, study.pk, False),
        (designer, study.pk, True),
    ]


def test_a_process_that_fails_is_told_and_gives_its_place_back(
    study: Study, designer_client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(download, "export_command", lambda *_: ["false"])
    for _ in range(download.MOST_AT_ONCE + 1):
        response = designer_client.post(address(study), {"formats": ["csv"]})
        assert response.status_code == 500
        assert "The export could not be made." in response.content.decode()


def command(monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    monkeypatch.setattr(download, "export_command", lambda *_: ["sh", "-c", script])


def begun(study: Study) -> download.Download:
    one = download.Download(study, view.ExportOptions(), actor=1)
    asyncio.run(one.start())
    return one


def until(true: Callable[[], object], seconds: float = 20.0) -> None:
    end = monotonic() + seconds
    while not true():
        assert monotonic() < end, "it never came about"
        sleep(0.02)


def all_places_free() -> bool:
    taken = [download._places.acquire(blocking=False) for _ in range(download.MOST_AT_ONCE)]
    for got in taken:
        if got:
            download._places.release()
    return all(taken)


def has_gone(file: Path) -> bool:
    """The process whose number is in the file has ended and was waited for."""
    return not Path("/proc", file.read_text().strip()).exists()


def test_a_download_that_breaks_off_ends_its_process(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    command(monkeypatch, "echo begun; exec sleep 600")
    one = begun(study)
    assert one.first == b"begun\n"
    one.close()
    one.close()
    assert one.process is not None
    assert one.process.returncode == -15


@pytest.mark.parametrize("said", ["", "echo begun; "], ids=["before the first byte", "while it streams"])
def test_whoever_leaves_ends_the_process_and_frees_the_place(
    said: str, study: Study, designer: User, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    number = tmp_path / "number"
    # Much comes a while after everybody has left, as of a real export, and fills the pipe if nobody reads it.
    flood = "import time; time.sleep(5); [print('more' * 9999) for _ in range(99)]; time.sleep(600)"
    start = f"echo $$ >{number}.new; mv {number}.new {number}; {said}"
    command(monkeypatch, f'{start}exec {sys.executable} -c "{flood}"')
    client = AsyncClient()
    client.force_login(designer)
    cookies = "; ".join(f"{name}={morsel.value}" for name, morsel in client.cookies.items())
    form = b"formats=csv"
    headers = {"host": "testserver", "cookie": cookies, "content-type": "application/x-www-form-urlencoded"}
    headers["content-length"] = str(len(form))
    scope = {
        "type": "http",
        "method": "POST",
        "path": address(study),
        "query_string": b"",
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
    }
    monkeypatch.setattr("django.middleware.csrf.CsrfViewMiddleware._check_token", lambda *_: None)
    sent: list[dict[str, Any]] = []

    async def leave() -> None:
        asked = iter([{"type": "http.request", "body": form, "more_body": False}])

        async def receive() -> dict[str, Any]:
            for message in asked:
                return message
            await asyncio.to_thread(until, lambda: number.exists() and (not said or len(sent) > 1))
            return {"type": "http.disconnect"}

        async def send(message: dict[str, Any]) -> None:
            sent.append(message)

        await ASGIHandler()(scope, receive, send)
        await sync_to_async(connections.close_all)()

    for _ in range(download.MOST_AT_ONCE + 1):
        number.unlink(missing_ok=True)
        sent.clear()
        asyncio.run(leave())
        assert [message.get("body") for message in sent] == ([None, b"begun\n"] if said else [])
        until(all_places_free)
        assert has_gone(number)


@pytest.mark.parametrize("script", ["echo begun; exec sleep 600", "echo begun", "exec yes"])
def test_an_answer_that_nobody_reads_is_taken_back(script: str, study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(download, "WATCH_SECONDS", 0.05)
    monkeypatch.setattr(download, "IDLE_SECONDS", 0.3)
    command(monkeypatch, script)
    for _ in range(download.MOST_AT_ONCE + 1):
        one = begun(study)
        until(all_places_free)
        assert one.process is not None
        assert one.process.returncode is not None

        async def read(late: download.Download) -> list[bytes]:
            return [chunk async for chunk in late]

        # A reader who comes back after all must not take the beginning for the whole.
        with pytest.raises(download.ExportFailedError):
            asyncio.run(read(one))


def test_a_process_that_is_long_silent_is_not_taken_for_a_reader_who_left(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(download, "WATCH_SECONDS", 0.05)
    monkeypatch.setattr(download, "IDLE_SECONDS", 0.3)
    command(monkeypatch, "sleep 1; echo begun; sleep 1; echo done")

    async def read() -> bytes:
        one = download.Download(study, view.ExportOptions(), actor=1)
        await one.start()
        return b"".join([chunk async for chunk in one])

    assert asyncio.run(read()) == b"begun\ndone\n"
    until(all_places_free)


def test_a_process_that_does_not_end_when_asked_is_killed(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(download, "END_SECONDS", 0.2)
    command(monkeypatch, "trap '' TERM; echo begun; exec sleep 600")
    one = begun(study)
    one.close()
    assert one.process is not None
    assert one.process.returncode == -9


def test_a_process_that_fails_half_way_breaks_the_answer(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    command(monkeypatch, "echo begun; sleep 0.2; exit 3")

    async def read() -> list[bytes]:
        one = download.Download(study, view.ExportOptions(), actor=1)
        await one.start()
        return [chunk async for chunk in one]

    with pytest.raises(download.ExportFailedError):
        asyncio.run(read())
    until(all_places_free)


def test_a_third_export_at_once_is_asked_to_wait(
    study: Study, designer_client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    command(monkeypatch, "echo begun; exec sleep 600")
    under_way = [begun(study) for _ in range(2)]
    response = designer_client.post(address(study), {"formats": ["csv"]})
    assert response.status_code == 503
    assert "Two exports are under way already." in response.content.decode()
    assert "no-store" in response.headers["Cache-Control"]
    for one in under_way:
        one.close()
