"""Hints to staff pages that something is newer. The only module that touches the channel layer.

A hint names a topic (`run:7`, `study:3`, `report:91`) and a revision, nothing more: pages read the database. Hints may
be lost, doubled or late, so nobody waits for one to be sent and a dead broker only means that pages ask by themselves.
"""

import asyncio
import logging
import os
import threading
import time
from functools import partial

from channels.layers import get_channel_layer
from django.db import transaction

logger = logging.getLogger(__name__)

SHORTEST_INTERVAL = 0.5
"""Seconds between two hints on one topic: at most two a second, the last one wins."""

SEND_LIMIT = 5.0
"""Seconds after which a hint that the broker does not take is forgotten."""

_start_lock = threading.Lock()
_sender: "Sender | None" = None


def topic_group(topic: str) -> str:
    """The channel layer's group of a topic: its names allow no colon."""
    return "live." + topic.replace(":", ".")


def hint(topic: str, rev: int) -> None:
    """After the running transaction commits, tell the pages that watch `topic` that revision `rev` is there."""
    transaction.on_commit(partial(_send, topic, rev), robust=True)


def _send(topic: str, rev: int) -> None:
    if get_channel_layer() is None:
        return
    _process_sender().submit(topic, rev)


def _process_sender() -> "Sender":
    """This process's sender; after a fork the parent's thread is not there, so the child makes its own."""
    global _sender
    with _start_lock:
        if _sender is None or _sender.pid != os.getpid():
            _sender = Sender()
        return _sender


class Sender:
    """A thread with an event loop of its own: callers never wait for the broker, and its connection stays open."""

    def __init__(self) -> None:
        self.pid = os.getpid()
        self.loop = asyncio.new_event_loop()
        self.last_sent: dict[str, float] = {}
        self.waiting: dict[str, int] = {}
        threading.Thread(target=self.loop.run_forever, name="live-hints", daemon=True).start()

    def submit(self, topic: str, rev: int) -> None:
        self.loop.call_soon_threadsafe(self._accept, topic, rev)

    def _accept(self, topic: str, rev: int) -> None:
        if topic in self.waiting:
            self.waiting[topic] = rev
            return
        self.waiting[topic] = rev
        delay = self.last_sent.get(topic, 0.0) + SHORTEST_INTERVAL - time.monotonic()
        self.loop.call_later(max(0.0, delay), self._begin, topic)

    def _begin(self, topic: str) -> None:
        self.last_sent[topic] = time.monotonic()
        rev = self.waiting.pop(topic)
        task = self.loop.create_task(self._deliver(topic, rev))
        task.add_done_callback(partial(self._note_failure, topic))

    async def _deliver(self, topic: str, rev: int) -> None:
        layer = get_channel_layer()
        assert layer is not None, "asked for before the hint was taken"
        message = {"type": "hint", "topic": topic, "rev": rev}
        await asyncio.wait_for(layer.group_send(topic_group(topic), message), SEND_LIMIT)

    def _note_failure(self, topic: str, task: "asyncio.Task[None]") -> None:
        if not task.cancelled() and (failure := task.exception()):
            logger.warning("Hint on %s was not sent: %s", topic, failure)
