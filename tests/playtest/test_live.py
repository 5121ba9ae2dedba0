"""Hints to staff pages: after the commit, rarely, and never in the way."""

import time
from collections.abc import AsyncIterator
from itertools import pairwise
from typing import Any

import pytest
from channels.layers import get_channel_layer
from django.db import transaction
from django.test import override_settings

from playtest import live
from tests.site import wait_until


class Recorder:
    """Stands where the process's sender stands and notes what it is given."""

    def __init__(self) -> None:
        self.hints: list[tuple[str, int]] = []

    def submit(self, topic: str, rev: int) -> None:
        self.hints.append((topic, rev))


class Layer:
    """A channel layer that notes when what was sent."""

    def __init__(self, failure: Exception | None = None) -> None:
        self.sent: list[tuple[float, str, int]] = []
        self.failure = failure

    async def group_send(self, group: str, message: dict[str, Any]) -> None:
        if self.failure:
            raise self.failure
        assert group == live.topic_group(message["topic"])
        self.sent.append((time.monotonic(), message["topic"], message["rev"]))


@pytest.fixture
def layer(monkeypatch: pytest.MonkeyPatch) -> Layer:
    layer = Layer()
    monkeypatch.setattr(live, "get_channel_layer", lambda: layer)
    return layer


@pytest.mark.django_db(transaction=True)
def test_hint_waits_for_the_commit(monkeypatch: pytest.MonkeyPatch, layer: Layer) -> None:
    recorder = Recorder()
    monkeypatch.setattr(live, "_process_sender", lambda: recorder)
    with transaction.atomic():
        live.hint("run:7", 3)
        assert recorder.hints == []
    assert recorder.hints == [("run:7", 3)]


@pytest.mark.django_db(transaction=True)
def test_hint_of_a_transaction_that_rolls_back_is_never_sent(monkeypatch: pytest.MonkeyPatch, layer: Layer) -> None:
    recorder = Recorder()
    monkeypatch.setattr(live, "_process_sender", lambda: recorder)
    with transaction.atomic():
        live.hint("run:7", 3)
        transaction.set_rollback(True)
    assert recorder.hints == []


def test_at_most_two_a_second_and_the_last_one_wins(layer: Layer) -> None:
    sender = live.Sender()
    for rev in range(50):
        sender.submit("run:7", rev)
        time.sleep(0.02)
    assert wait_until(lambda: bool(layer.sent) and layer.sent[-1][2] == 49, 5)
    times = [at for at, _, _ in layer.sent]
    assert len(times) <= 4
    assert all(later - earlier >= live.SHORTEST_INTERVAL - 0.02 for earlier, later in pairwise(times))


def test_topics_do_not_wait_for_each_other(layer: Layer) -> None:
    sender = live.Sender()
    began = time.monotonic()
    for number in range(20):
        sender.submit(f"run:{number}", 1)
    assert wait_until(lambda: len(layer.sent) == 20, 5)
    assert max(at for at, _, _ in layer.sent) - began < live.SHORTEST_INTERVAL


def test_failure_is_logged_and_forgotten(layer: Layer, caplog: pytest.LogCaptureFixture) -> None:
    sender = live.Sender()
    layer.failure = ConnectionError("the broker is away")
    sender.submit("run:7", 1)
    assert wait_until(lambda: "the broker is away" in caplog.text, 5)
    layer.failure = None
    sender.submit("run:7", 2)
    assert wait_until(lambda: [rev for _, _, rev in layer.sent] == [2], 5)


@pytest.fixture
async def broker_layer(broker_url: str) -> AsyncIterator[Any]:
    """The real channel layer on a real broker."""
    layers = {
        "default": {
            "BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer",
            "CONFIG": {"hosts": [{"address": broker_url}], "prefix": "tessera-test"},
        }
    }
    with override_settings(CHANNEL_LAYERS=layers):
        layer = get_channel_layer()
        assert layer is not None
        yield layer
        await layer.flush()


async def test_hint_arrives_through_a_real_broker(broker_layer: Any) -> None:
    channel = await broker_layer.new_channel()
    await broker_layer.group_add(live.topic_group("study:3"), channel)
    live.Sender().submit("study:3", 41)
    assert await broker_layer.receive(channel) == {"type": "hint", "topic": "study:3", "rev": 41}
