"""The staff progress socket: it says that something is newer, pages then read it. See the protocol's last part."""

import asyncio
import json
import logging
import time
from collections import deque
from typing import Any

from channels.db import database_sync_to_async
from channels.generic.websocket import AsyncWebsocketConsumer
from redis.exceptions import RedisError

from playtest.evolution.selectors.staff import session_topics
from playtest.live import topic_group

logger = logging.getLogger(__name__)

SUBPROTOCOL = "playtest-staff.1"
TOPIC_LIMIT = 20
MESSAGE_LIMIT = 8 * 1024
CHECK_INTERVAL = 60.0
SILENCE_LIMIT = 150.0
BURST, BURST_SECONDS = 60, 10.0
MALFORMED_LIMIT, MALFORMED_SECONDS = 3, 60.0

MALFORMED, NO_IDENTITY, TOO_MANY, BINARY, TOO_LARGE, TRY_AGAIN_LATER = 4400, 4401, 4429, 1003, 1009, 1013


class MalformedMessageError(ValueError):
    """A message that the protocol does not know; the text is for the client."""


def read_message(text: str) -> dict[str, Any]:
    """The message as an object with exactly the keys of its type, else MalformedMessageError."""
    try:
        message = json.loads(text)
    except (ValueError, RecursionError):
        raise MalformedMessageError("This is not JSON.") from None
    if not isinstance(message, dict):
        raise MalformedMessageError("A message is an object.")
    match message:
        case {"t": "ping", "n": int(n), **rest} if type(n) is int and rest.keys() <= {"rtt"}:
            if type(rest.get("rtt", 0)) is not int and rest["rtt"] is not None:
                raise MalformedMessageError("The round-trip time is a whole number of milliseconds.")
            return message
        case {"t": "watch", "topics": list(topics), **rest} if not rest:
            if len(topics) > TOPIC_LIMIT:
                raise MalformedMessageError(f"At most {TOPIC_LIMIT} topics can be watched at once.")
            if not all(isinstance(topic, str) for topic in topics):
                raise MalformedMessageError("A topic is a text such as run:7.")
            return message
    raise MalformedMessageError("This message is not known.")


class Meter:
    """Counts what happened in the last seconds."""

    def __init__(self, limit: int, seconds: float) -> None:
        self.limit, self.seconds = limit, seconds
        self.times: deque[float] = deque(maxlen=limit)

    def is_over(self) -> bool:
        """Count one more; True if the limit is reached within the time."""
        now = time.monotonic()
        self.times.append(now)
        return len(self.times) == self.limit and now - self.times[0] < self.seconds


class StaffConsumer(AsyncWebsocketConsumer):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.watched: set[str] = set()
        self.messages = Meter(BURST, BURST_SECONDS)
        self.malformed = Meter(MALFORMED_LIMIT, MALFORMED_SECONDS)
        self.last_heard = time.monotonic()
        self.session_key: str | None = None
        self.guard: asyncio.Task[None] | None = None
        self.is_gone = False

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """A broker that is away refuses the socket, in one line of the log; the page then asks by itself."""
        try:
            await super().__call__(scope, receive, send)
        except (RedisError, OSError) as error:
            logger.warning("The broker is away, so a staff socket is closed: %s", error)
            if not self.is_gone:
                await send({"type": "websocket.close", "code": TRY_AGAIN_LATER})

    async def connect(self) -> None:
        if SUBPROTOCOL not in self.scope.get("subprotocols", []):
            await self.close()
            return
        await self.accept(SUBPROTOCOL)
        self.session_key = self.scope["session"].session_key
        if await self._allowed([]) is not None:
            self.guard = asyncio.create_task(self._check_again())

    async def disconnect(self, code: int) -> None:
        self.is_gone = True
        if self.guard is not None:
            self.guard.cancel()
        for topic in list(self.watched):
            await self._leave(topic)

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        self.last_heard = time.monotonic()
        if text_data is None:
            await self.close(BINARY)
            return
        if len(text_data) > MESSAGE_LIMIT or len(text_data.encode("utf-8", "surrogatepass")) > MESSAGE_LIMIT:
            await self.close(TOO_LARGE)
            return
        if self.messages.is_over():
            await self._end("slow_down", "Too many messages.", TOO_MANY)
            return
        try:
            message = read_message(text_data)
        except MalformedMessageError as error:
            if self.malformed.is_over():
                await self._end("malformed", str(error), MALFORMED)
            else:
                await self._say({"t": "error", "code": "malformed", "say": str(error), "fatal": False})
            return
        if message["t"] == "ping":
            await self._say({"t": "pong", "n": message["n"]})
        else:
            await self._watch(list(dict.fromkeys(message["topics"])))

    async def hint(self, event: dict[str, Any]) -> None:
        """From the channel layer (`playtest.live`): a topic has a newer revision."""
        if event["topic"] in self.watched:
            await self._say({"t": "hint", "topic": event["topic"], "rev": event["rev"]})

    async def _watch(self, topics: list[str]) -> None:
        allowed = await self._allowed(topics)
        if allowed is None:
            return
        for topic in self.watched - allowed:
            await self._leave(topic)
        for topic in topics:
            if topic not in allowed:
                await self._say({"t": "denied", "topic": topic})
            elif topic not in self.watched:
                await self._join(topic)

    async def _allowed(self, topics: list[str]) -> set[str] | None:
        """Those topics that may be watched. None: nobody is signed in any more, and the socket was closed."""
        allowed = await database_sync_to_async(session_topics)(session_key=self.session_key, topics=topics)
        if allowed is None:
            await self._end("no_identity", "Please sign in again.", NO_IDENTITY)
        return allowed

    async def _check_again(self) -> None:
        """Every minute: is the person still signed in, may they still see it all, is the page still there?"""
        while True:
            await asyncio.sleep(CHECK_INTERVAL)
            if time.monotonic() - self.last_heard > SILENCE_LIMIT:
                await self.close(1001)
                return
            watched = sorted(self.watched)
            allowed = await self._allowed(watched)
            if allowed is None:
                return
            for topic in watched:
                if topic not in allowed and topic in self.watched:
                    await self._leave(topic)
                    await self._say({"t": "denied", "topic": topic})

    async def _join(self, topic: str) -> None:
        self.watched.add(topic)
        if self.channel_layer is not None:
            await self.channel_layer.group_add(topic_group(topic), self.channel_name)

    async def _leave(self, topic: str) -> None:
        self.watched.discard(topic)
        if self.channel_layer is not None:
            await self.channel_layer.group_discard(topic_group(topic), self.channel_name)

    async def _say(self, message: dict[str, Any]) -> None:
        await self.send(json.dumps(message, separators=(",", ":")))

    async def _end(self, code: str, say: str, close_code: int) -> None:
        await self._say({"t": "error", "code": code, "say": say, "fatal": True})
        await self.close(close_code)
