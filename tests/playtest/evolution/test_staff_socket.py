"""The staff progress socket: hints for those who may have them, nothing for others, and no patience with rubbish."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.test import Client, override_settings

from playtest.accounts.models import Role, User
from playtest.accounts.services import password_change
from playtest.asgi import application
from playtest.evolution import consumers
from playtest.evolution.services.log import run_touch
from tests.playtest.evolution.rows import make_run
from tests.playtest.studies.communicator import SocketCommunicator

pytestmark = pytest.mark.django_db(transaction=True)

Setting = Callable[[], None]


@pytest.fixture(autouse=True)
def _layer(settings: Any, broker_url: str) -> None:
    """The real channel layer on a real broker, whatever the rest of the tests has."""
    settings.CHANNEL_LAYERS = {
        "default": {
            "BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer",
            "CONFIG": {"hosts": [{"address": broker_url}], "prefix": "tessera-staff-test"},
        }
    }


class StaffClient:
    def __init__(
        self, session: str | None, *, origin: bytes = b"http://localhost", subprotocols: tuple[str, ...] | None = None
    ) -> None:
        headers = [(b"host", b"localhost"), (b"origin", origin)]
        if session:
            headers.append((b"cookie", f"sessionid={session}".encode()))
        offered = ("playtest-staff.1",) if subprotocols is None else subprotocols
        self.socket = SocketCommunicator(application, "/ws/staff", headers=headers, subprotocols=offered)

    async def send(self, message: object) -> None:
        await self.socket.send_text(message if isinstance(message, str) else json.dumps(message))

    async def receive(self) -> dict[str, Any]:
        message: dict[str, Any] = json.loads(await self.socket.receive_text())
        return message

    async def closed(self) -> int:
        output = await self.socket.receive_output(5)
        assert output["type"] == "websocket.close", output
        return int(output["code"])

    async def settled(self) -> None:
        """Until everything sent so far has been dealt with: answers come in order."""
        await self.send({"t": "ping", "n": 99})
        assert await self.receive() == {"t": "pong", "n": 99}


def sign_in(role: Role = Role.DESIGNER) -> str:
    user = User.objects.create_user(username=f"user{role}", password="correct horse battery", role=role)
    client = Client()
    client.force_login(user)
    return str(client.cookies["sessionid"].value)


async def connected(session: str) -> StaffClient:
    client = StaffClient(session)
    assert await client.socket.connect()
    return client


async def test_hint_reaches_whoever_watches_and_says_no_more_than_the_revision() -> None:
    run = await sync_to_async(make_run)()
    client = await connected(await sync_to_async(sign_in)())
    await client.send({"t": "watch", "topics": [f"run:{run.pk}"]})
    await client.settled()
    rev = await sync_to_async(run_touch)(run_id=run.pk)
    assert await client.receive() == {"t": "hint", "topic": f"run:{run.pk}", "rev": rev}
    await client.socket.disconnect()


async def test_watching_other_topics_replaces_the_earlier_ones() -> None:
    first = await sync_to_async(make_run)()
    second = await sync_to_async(make_run)(first.owner)
    client = await connected(await sync_to_async(sign_in)())
    await client.send({"t": "watch", "topics": [f"run:{first.pk}"]})
    await client.send({"t": "watch", "topics": [f"run:{second.pk}"]})
    await client.settled()
    await sync_to_async(run_touch)(run_id=first.pk)
    await sync_to_async(run_touch)(run_id=second.pk)
    assert (await client.receive())["topic"] == f"run:{second.pk}"
    await client.send({"t": "watch", "topics": []})
    await client.settled()
    await sync_to_async(run_touch)(run_id=second.pk)
    assert await client.socket.receive_nothing(timeout=1.0)
    await client.socket.disconnect()


@pytest.mark.parametrize(
    "topic", ["run:424242", "secret:1", "run:0", "run:-1", "run:1.5", "run:", "", "run:" + "9" * 30]
)
async def test_topic_that_is_not_there_or_not_known_is_denied(topic: str) -> None:
    client = await connected(await sync_to_async(sign_in)())
    await client.send({"t": "watch", "topics": [topic]})
    assert await client.receive() == {"t": "denied", "topic": topic}
    await client.settled()
    await client.socket.disconnect()


@pytest.mark.parametrize("session", [None, "nonsense"])
async def test_stranger_is_told_and_closed_and_learns_nothing(session: str | None) -> None:
    client = StaffClient(session)
    assert await client.socket.connect()
    assert (await client.receive())["code"] == "no_identity"
    assert await client.closed() == 4401


async def test_other_origin_or_subprotocol_is_refused_in_the_handshake() -> None:
    session = await sync_to_async(sign_in)()
    assert not await StaffClient(session, origin=b"http://elsewhere.example").socket.connect()
    assert not await StaffClient(session, subprotocols=("playtest.1",)).socket.connect()
    assert not await StaffClient(session, subprotocols=()).socket.connect()


def new_password() -> None:
    password_change(user=User.objects.get(), password="another horse battery")


def lock() -> None:
    User.objects.update(is_active=False)


def must_change() -> None:
    User.objects.update(must_change_password=True)


@pytest.mark.parametrize("change", [new_password, lock, must_change])
async def test_socket_closes_when_its_session_no_longer_counts(
    monkeypatch: pytest.MonkeyPatch, change: Setting
) -> None:
    monkeypatch.setattr(consumers, "CHECK_INTERVAL", 0.2)
    client = await connected(await sync_to_async(sign_in)())
    await client.settled()
    await sync_to_async(change)()
    assert (await client.receive())["code"] == "no_identity"
    assert await client.closed() == 4401


async def test_topic_that_may_no_longer_be_seen_is_denied_at_the_next_check(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(consumers, "CHECK_INTERVAL", 0.2)
    run = await sync_to_async(make_run)()
    client = await connected(await sync_to_async(sign_in)())
    await client.send({"t": "watch", "topics": [f"run:{run.pk}"]})
    await client.settled()
    topic = f"run:{run.pk}"
    await sync_to_async(run.delete)()
    assert await client.receive() == {"t": "denied", "topic": topic}
    await client.socket.disconnect()


async def test_silent_socket_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(consumers, "CHECK_INTERVAL", 0.1)
    monkeypatch.setattr(consumers, "SILENCE_LIMIT", 0.2)
    client = await connected(await sync_to_async(sign_in)())
    assert await client.closed() == 1001


RUBBISH = [
    "not json",
    "[]",
    "null",
    "{}",
    '{"t":"watch"}',
    '{"t":"watch","topics":"run:1"}',
    '{"t":"watch","topics":[1]}',
    '{"t":"watch","topics":[],"more":1}',
    json.dumps({"t": "watch", "topics": [f"run:{n}" for n in range(1, 22)]}),
    '{"t":"ping"}',
    '{"t":"ping","n":true}',
    '{"t":"ping","n":1.5}',
    '{"t":"ping","n":1,"rtt":NaN}',
    '{"t":"act","round":"1.1"}',
    "[" * 5000,
    '{"t":"ping","n":' + "9" * 5000 + "}",
]


@pytest.mark.parametrize("text", RUBBISH)
async def test_malformed_message_is_answered_and_the_socket_lives_on(text: str) -> None:
    client = await connected(await sync_to_async(sign_in)())
    await client.send(text)
    answer = await client.receive()
    assert (answer["t"], answer["code"], answer["fatal"]) == ("error", "malformed", False)
    await client.settled()
    await client.socket.disconnect()


async def test_third_malformed_message_in_a_minute_closes() -> None:
    client = await connected(await sync_to_async(sign_in)())
    for _ in range(3):
        await client.send("{")
    assert [(await client.receive())["fatal"] for _ in range(3)] == [False, False, True]
    assert await client.closed() == 4400


async def test_binary_and_huge_messages_close() -> None:
    session = await sync_to_async(sign_in)()
    client = await connected(session)
    await client.socket.send_bytes(b"{}")
    assert await client.closed() == 1003
    client = await connected(session)
    await client.send(json.dumps({"t": "watch", "topics": ["x" * 1_000_000]}))
    assert await client.closed() == 1009


async def test_flood_closes() -> None:
    client = await connected(await sync_to_async(sign_in)())
    for n in range(consumers.BURST):
        await client.send({"t": "ping", "n": n})
    answers = [await client.receive() for _ in range(consumers.BURST)]
    assert answers[-1]["code"] == "slow_down"
    assert await client.closed() == 4429


async def test_broker_that_is_away_refuses_the_socket_in_one_line(caplog: pytest.LogCaptureFixture) -> None:
    session = await sync_to_async(sign_in)()
    away = {
        "default": {
            "BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer",
            "CONFIG": {"hosts": [{"address": "redis://127.0.0.1:1/0", "retry": None}]},
        }
    }
    with override_settings(CHANNEL_LAYERS=away):
        client = StaffClient(session)
        await client.socket.send_input({"type": "websocket.connect"})
        assert await client.closed() == 1013
    assert "The broker is away" in caplog.text
