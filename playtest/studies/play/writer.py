"""One task and one thread that write what is played in this process, in groups.

Whatever waits goes into one transaction, without an added delay: alone a move waits for its own commit, under load
many share one. An answer is given only after the commit. Nothing here decides about the game.
"""

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from django.db import DatabaseError, DataError, IntegrityError, InterfaceError, connections

from playtest.studies.services.claims import ClaimJob
from playtest.studies.services.moves import EventJob, Job, Result, play_write

logger = logging.getLogger(__name__)

MOST_JOBS = 200
TRIES = 5
PAUSES = (0.1, 0.4, 1.0, 2.0)
"""Seconds between the tries: together with the tries themselves about five."""

QUEUE_SIZE = 20_000

Value = TypeVar("Value")


class StorageError(Exception):
    """The database did not take it, five times. Nothing of it is stored."""


class ConflictError(Exception):
    """The database refused it: as a rule the same thing is there already, from another process."""


class Writer:
    """Belongs to one event loop."""

    def __init__(self) -> None:
        self.queue: asyncio.Queue[tuple[Job, asyncio.Future[Result]]] = asyncio.Queue(QUEUE_SIZE)
        self.thread = ThreadPoolExecutor(1, thread_name_prefix="play-writer")
        self.task: asyncio.Task[None] | None = None
        self.delayed: list[tuple[Job, asyncio.Future[Result]]] = []

    def start(self) -> None:
        self.task = asyncio.get_running_loop().create_task(self.run(), name="play-writer")

    async def submit(self, job: Job) -> Result:
        """Write one thing. Returns after the commit. Raises StorageError or ConflictError."""
        answer: asyncio.Future[Result] = asyncio.get_running_loop().create_future()
        try:
            self.queue.put_nowait((job, answer))
        except asyncio.QueueFull:
            raise StorageError("too much is waiting") from None
        return await answer

    async def call(self, work: Callable[[], Value]) -> Value:
        """Do another write in the writer's thread, between two groups. Raises StorageError."""
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(self.thread, work)
        except (DatabaseError, InterfaceError) as error:
            await loop.run_in_executor(self.thread, connections.close_all)
            raise StorageError(str(error)) from error

    async def run(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            group = await self.next_group()
            jobs = [job for job, _ in group]
            # What goes wrong with a group is the group's, never the task's: the next one is written all the same.
            [outcome] = await asyncio.gather(
                loop.run_in_executor(self.thread, write_with_retries, jobs), return_exceptions=True
            )
            if isinstance(outcome, BaseException):
                logger.error("A group of %d could not be written", len(jobs), exc_info=outcome)
                results: Sequence[Result | Exception] = [StorageError(str(outcome))] * len(jobs)
            else:
                results = outcome
            for (_, answer), result in zip(group, results, strict=True):
                if answer.done():
                    continue
                if isinstance(result, Exception):
                    answer.set_exception(result)
                else:
                    answer.set_result(result)

    async def next_group(self) -> list[tuple[Job, "asyncio.Future[Result]"]]:
        """What waits, but only one fenced job of a round: its second would be judged against the first one's row."""
        group = self.delayed or [await self.queue.get()]
        self.delayed = []
        rounds = set()
        kept: list[tuple[Job, asyncio.Future[Result]]] = []
        while True:
            for entry in group:
                key = fenced_round(entry[0])
                if key is not None and key in rounds:
                    self.delayed.append(entry)
                    continue
                rounds.add(key)
                kept.append(entry)
            if len(kept) >= MOST_JOBS or self.queue.empty():
                return kept
            group = [self.queue.get_nowait()]

    async def close(self) -> None:
        """Stop, and let go of the database."""
        if self.task is not None:
            self.task.cancel()
            await asyncio.gather(self.task, return_exceptions=True)
        loop = asyncio.get_running_loop()
        await loop.run_in_executor(self.thread, connections.close_all)
        self.thread.shutdown()


def fenced_round(job: Job) -> int | None:
    return None if isinstance(job, EventJob | ClaimJob) else job.round_id


def write_with_retries(jobs: Sequence[Job]) -> list[Result | Exception]:
    """Write a group; if the database refuses something in it, each job by itself. Runs in the writer's thread."""
    try:
        return list(write_patiently(jobs))
    except (IntegrityError, DataError):
        if len(jobs) == 1:
            return [ConflictError("there already")]
        return [result for job in jobs for result in write_with_retries([job])]
    except StorageError as error:
        return [error] * len(jobs)


def write_patiently(jobs: Sequence[Job]) -> list[Result]:
    """Five tries. A lock that was not given, a lost connection, a full disk: all may be over in a second."""
    for attempt in range(TRIES):
        try:
            return play_write(jobs)
        except (IntegrityError, DataError):
            raise
        except (DatabaseError, InterfaceError) as error:
            connections.close_all()
            logger.warning("A group of %d was not written (try %d of %d): %s", len(jobs), attempt + 1, TRIES, error)
            if attempt + 1 == TRIES:
                raise StorageError(str(error)) from error
            time.sleep(PAUSES[attempt])
    raise AssertionError("unreachable")
