"""What the sockets of one process share: the writer, a thread for reading, and who sits at which round.

The hub is a cache and a convenience. Whether a move counts is decided by the fence in its commit, whatever is known
here; a process learns of what others did, at the latest, by the look that `watch` takes every two seconds.
"""

import asyncio
import logging
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from functools import partial
from typing import Any, Protocol, TypeVar
from weakref import WeakKeyDictionary

from django.db import DatabaseError, InterfaceError, connections

from playtest.studies.play.limits import TAKEOVER_LIMIT, TAKEOVER_SECONDS, Window
from playtest.studies.play.writer import StorageError, Writer
from playtest.studies.selectors.rounds import Watched, rounds_watch
from playtest.studies.services.participants import participants_seen

logger = logging.getLogger(__name__)

WATCH_SECONDS = 2.0
SEEN_SECONDS = 10.0
MOST_SOCKETS = 4

Value = TypeVar("Value")


class Socket(Protocol):
    """What the hub asks of a socket."""

    participant_id: int

    async def lose_seat(self) -> None: ...

    async def notice(self, seen: Watched | None) -> None: ...


class Hub:
    """Belongs to one event loop: a process has one."""

    def __init__(self) -> None:
        self.writer = Writer()
        self.reader = ThreadPoolExecutor(1, thread_name_prefix="play-reader")
        self.sockets: dict[int, list[Socket]] = {}
        self.seats: dict[int, tuple[int, Socket]] = {}
        """Who plays a round, and under which epoch."""
        self.takeovers: dict[int, Window] = {}
        self.heard: set[int] = set()
        """Participants who sent something since it was last written down."""
        self.tasks: set[asyncio.Task[None]] = set()

    @classmethod
    def current(cls) -> "Hub":
        """The hub of the running event loop, made on first use."""
        loop = asyncio.get_running_loop()
        hub = _hubs.get(loop)
        if hub is None:
            hub = _hubs[loop] = cls()
            hub.writer.start()
            hub.spawn(hub.watch_for_ever(), name="play-watch")
        return hub

    def spawn(self, work: Coroutine[Any, Any, None], *, name: str = "") -> None:
        """Run something beside, and keep it from being collected."""
        task = asyncio.get_running_loop().create_task(work, name=name or None)
        self.tasks.add(task)
        task.add_done_callback(self.forget)

    def forget(self, task: "asyncio.Task[None]") -> None:
        self.tasks.discard(task)
        if not task.cancelled() and (failure := task.exception()):
            logger.error("Play: %s failed", task.get_name(), exc_info=failure)

    async def read(self, work: Callable[[], Value]) -> Value:
        """Read from the database. Raises StorageError."""
        return await asyncio.get_running_loop().run_in_executor(self.reader, read_with_new_connection, work)

    def enter(self, socket: Socket) -> Socket | None:
        """Count a socket of a participant. Gives the oldest one if it has to go for it."""
        own = self.sockets.setdefault(socket.participant_id, [])
        own.append(socket)
        return own[0] if len(own) > MOST_SOCKETS else None

    def leave(self, socket: Socket) -> None:
        own = self.sockets.get(socket.participant_id, [])
        if socket in own:
            own.remove(socket)
        if not own:
            self.sockets.pop(socket.participant_id, None)
            self.takeovers.pop(socket.participant_id, None)
        for round_id in [round_id for round_id, (_, seated) in self.seats.items() if seated is socket]:
            del self.seats[round_id]

    def may_take(self, participant_id: int, socket: Socket) -> bool:
        """Whether a new claim is all right: taking the round from a living socket is counted."""
        others = (seated for _, seated in self.seats.values() if seated is not socket)
        if not any(other.participant_id == participant_id for other in others):
            return True
        window = self.takeovers.setdefault(participant_id, Window(TAKEOVER_LIMIT + 1, TAKEOVER_SECONDS))
        return not window.add(time.monotonic())

    def seat(self, round_id: int, epoch: int, socket: Socket) -> Socket | None:
        """Sit down at a round that was claimed under an epoch. The highest epoch stays; gives who lost the seat."""
        held, before = self.seats.get(round_id, (-1, None))
        if held > epoch:
            return socket
        self.seats[round_id] = (epoch, socket)
        return before if before is not socket else None

    def stand_up(self, round_id: int, socket: Socket) -> None:
        if self.seats.get(round_id, (0, None))[1] is socket:
            del self.seats[round_id]

    async def watch_for_ever(self) -> None:
        told_at = time.monotonic()
        while True:
            await asyncio.sleep(WATCH_SECONDS)
            try:
                await self.watch()
                if time.monotonic() - told_at >= SEEN_SECONDS:
                    told_at = time.monotonic()
                    await self.tell_seen()
            except StorageError as error:
                logger.warning("The rounds under way could not be looked up: %s", error)

    async def tell_seen(self) -> None:
        """Write down who was heard of since the last time."""
        heard, self.heard = self.heard, set()
        if heard:
            await self.writer.call(partial(participants_seen, participant_ids=heard, at=datetime.now(UTC)))

    async def watch(self) -> None:
        """Tell every seated socket what its round looks like on disk."""
        seats = dict(self.seats)
        if not seats:
            return
        seen = await self.read(partial(rounds_watch, round_ids=list(seats)))
        looks = [
            seat[1].notice(seen.get(round_id)) for round_id, seat in seats.items() if self.seats.get(round_id) is seat
        ]
        # Side by side: a client that takes nothing, or whose socket fails, is its own business.
        for outcome in await asyncio.gather(*looks, return_exceptions=True):
            if isinstance(outcome, Exception):
                logger.error("A socket could not be told of its round", exc_info=outcome)

    async def close(self) -> None:
        """Stop everything and let go of the database."""
        _hubs.pop(asyncio.get_running_loop(), None)
        for task in list(self.tasks):
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)
        await self.writer.close()
        await asyncio.get_running_loop().run_in_executor(self.reader, connections.close_all)
        self.reader.shutdown()


def read_with_new_connection(work: Callable[[], Value]) -> Value:
    """Read; once more where the connection turns out to be gone. Runs in the reader's thread."""
    try:
        return work()
    except (DatabaseError, InterfaceError):
        connections.close_all()
    try:
        return work()
    except (DatabaseError, InterfaceError) as error:
        connections.close_all()
        raise StorageError(str(error)) from error


_hubs: "WeakKeyDictionary[asyncio.AbstractEventLoop, Hub]" = WeakKeyDictionary()
