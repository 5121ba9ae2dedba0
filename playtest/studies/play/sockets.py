"""A participant's socket as such: who may open it, what may come in, how it goes out, and when it is closed."""

import asyncio
import json
import time
from functools import partial
from typing import Any
from urllib.parse import parse_qs, urlsplit

from channels.generic.websocket import AsyncWebsocketConsumer
from django.conf import settings
from django.http import parse_cookie

from playtest.studies.choices import StudyState
from playtest.studies.cookies import SOCKET_COOKIE
from playtest.studies.identity import PERSON_FIELD
from playtest.studies.models import Participant
from playtest.studies.play import replies
from playtest.studies.play.hub import Hub
from playtest.studies.play.limits import SocketLimits
from playtest.studies.play.messages import MalformedError, Message, TooLargeError, VersionError, parse_message
from playtest.studies.play.writer import StorageError
from playtest.studies.selectors.participants import participant_by_token
from playtest.studies.selectors.rounds import Watched

SUBPROTOCOL = "playtest.1"
ENCODER = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False)
"""Made once: `json.dumps` would make one for each message."""
SILENT_SECONDS = 150.0
SEND_SECONDS = 10.0

NORMAL, BINARY, TOO_LARGE = 1000, 1003, 1009
MALFORMED, NO_IDENTITY, ELSEWHERE, ENDED = 4400, 4401, 4409, 4410
TOO_SLOW, VERSION, TOO_MANY, STORAGE = 4413, 4426, 4429, 4503


class ParticipantSocket(AsyncWebsocketConsumer):
    """Checks origin, subprotocol and cookie, then reads messages for `on_message` of the class that inherits."""

    # No layer of this name is configured, so the socket joins none: a dead broker does not touch play.
    channel_layer_alias = "play"

    participant_id = 0
    hub: Hub

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.language = "en"
        self.limits = SocketLimits()
        self.closed = False
        self.sending = asyncio.Lock()
        self.heard_at = 0.0
        self.silence: asyncio.TimerHandle | None = None

    async def on_message(self, message: Message) -> None:
        raise NotImplementedError

    async def notice(self, seen: Watched | None) -> None:
        raise NotImplementedError

    # --- Opening ---------------------------------------------------------------------------------------------------

    async def dispatch(self, message: dict[str, Any]) -> None:
        """As in Channels, but without its look at the database connections of another thread for each message."""
        handler = getattr(self, message["type"].replace(".", "_"))
        await handler(message)

    async def connect(self) -> None:
        if SUBPROTOCOL not in self.scope.get("subprotocols", ()) or not origin_is_ours(self.headers()):
            # Before it is accepted, this refuses the handshake.
            await super().close()
            self.closed = True
            return
        await self.accept(SUBPROTOCOL)
        self.hub = Hub.current()
        token = parse_cookie(self.headers().get(b"cookie", b"").decode("latin-1")).get(SOCKET_COOKIE, "")
        study = self.scope["url_route"]["kwargs"]["study"]
        try:
            participant = await self.hub.read(partial(participant_by_token, study_public_id=study, token=token))
        except StorageError:
            await self.end_with("storage", STORAGE)
            return
        if not token or participant is None or not self.is_page_of(participant):
            await self.end_with("no_identity", NO_IDENTITY)
            return
        self.participant_id = participant.pk
        self.language = participant.language or "en"
        if participant.study.state == StudyState.CLOSED:
            await self.end_with("ended", ENDED)
            return
        oldest = self.hub.enter(self)
        if oldest is not None:
            await oldest.lose_seat()
        self.heard_at = time.monotonic()
        self.watch_silence()

    def is_page_of(self, participant: Participant) -> bool:
        """Whether the page that opens this is that participant's: another may have begun in the same browser since."""
        named = parse_qs(self.scope["query_string"].decode("latin-1")).get(PERSON_FIELD, [participant.mark])
        return named == [participant.mark]

    def headers(self) -> dict[bytes, bytes]:
        return dict(self.scope["headers"])

    # --- Coming in -------------------------------------------------------------------------------------------------

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        if self.closed:
            return
        self.heard_at = time.monotonic()
        self.hub.heard.add(self.participant_id)
        if text_data is None:
            await self.end_with("binary", BINARY)
            return
        try:
            message = parse_message(text_data)
        except TooLargeError:
            await self.end_with("too_large", TOO_LARGE)
        except VersionError:
            await self.end_with("version", VERSION)
        except MalformedError as error:
            await self.on_malformed(str(error))
        else:
            await self.on_message(message)

    async def on_malformed(self, why: str) -> None:
        """Say so and go on; the third in a minute ends it."""
        if self.limits.malformed.add(time.monotonic()):
            await self.end_with("malformed", MALFORMED)
            return
        message = replies.error("malformed", language=self.language, fatal=False)
        await self.tell({**message, "detail": why})

    def watch_silence(self) -> None:
        """A socket that says nothing for long is dropped: its network is gone and nobody told us."""
        quiet = time.monotonic() - self.heard_at
        if quiet >= SILENT_SECONDS:
            self.hub.spawn(self.shut(NORMAL), name="drop-silent")
            return
        loop = asyncio.get_running_loop()
        self.silence = loop.call_later(SILENT_SECONDS - quiet, self.watch_silence)

    # --- Going out -------------------------------------------------------------------------------------------------

    async def tell(self, message: dict[str, Any]) -> None:
        """Send one message. A client that does not take it within ten seconds is let go."""
        if self.closed:
            return
        text = ENCODER.encode(message)
        try:
            async with asyncio.timeout(SEND_SECONDS):
                async with self.sending:
                    await self.send(text_data=text)
        except TimeoutError:
            await self.shut(TOO_SLOW)

    async def end_with(self, code: str, close_code: int) -> None:
        """One `error`, then the end."""
        await self.tell(replies.error(code, language=self.language, fatal=True))
        await self.shut(close_code)

    async def lose_seat(self) -> None:
        """Another window plays, or too many are open: this one stops and offers to play here."""
        await self.tell(replies.taken())
        await self.shut(ELSEWHERE)

    async def shut(self, close_code: int) -> None:
        if not self.closed:
            self.closed = True
            self.let_go()
            await self.close(code=close_code)

    async def disconnect(self, code: int) -> None:
        self.closed = True
        self.let_go()

    def let_go(self) -> None:
        if self.silence is not None:
            self.silence.cancel()
        if self.participant_id:
            self.hub.leave(self)


def origin_is_ours(headers: dict[bytes, bytes]) -> bool:
    """Whether the page that opens the socket is one of this site: the same host, or one that settings trust."""
    origin = headers.get(b"origin", b"").decode("latin-1")
    parts = urlsplit(origin)
    if parts.scheme not in {"http", "https"} or not parts.netloc:
        return False
    return parts.netloc == headers.get(b"host", b"").decode("latin-1") or origin in settings.CSRF_TRUSTED_ORIGINS
