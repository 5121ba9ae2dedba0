"""Pages take turns: few compute at once, and nobody holds a turn while a client is slow."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from playtest.turns import with_turns

BODY = {"type": "http.request", "body": b"", "more_body": False}
PART = {"type": "http.request", "body": b"x", "more_body": True}
START = {"type": "http.response.start", "status": 200, "headers": []}
END = {"type": "http.response.body", "body": b""}


class Pages:
    """An application whose pages compute until they are let go; `working` counts those that do."""

    def __init__(self) -> None:
        self.working = self.most = 0
        self.go = asyncio.Event()
        self.fails = False
        self.application = with_turns(self.answer, at_once=2, staff_at_once=3)
        self.tasks: list[asyncio.Task[None]] = []
        self.sent: list[Any] = []

    async def answer(self, scope: Any, receive: Any, send: Any) -> None:
        while (await receive()).get("more_body"):
            pass
        self.working += 1
        self.most = max(self.most, self.working)
        await self.go.wait()
        self.working -= 1
        if self.fails:
            raise ValueError("The page failed.")
        await send(START)
        if scope["path"] == "/slowly-read":
            await asyncio.Event().wait()
        await send(END)

    def ask(self, path: str = "/", *, sends: tuple[Any, ...] = (BODY,)) -> "asyncio.Task[None]":
        left = list(sends)

        async def receive() -> Any:
            return left.pop(0) if left else await asyncio.Event().wait()

        async def send(message: Any) -> None:
            self.sent.append(message)

        task = asyncio.create_task(self.application({"type": "http", "path": path}, receive, send))
        self.tasks.append(task)
        return task


@asynccontextmanager
async def pages() -> AsyncIterator[Pages]:
    """Pages whose requests are over afterwards."""
    made = Pages()
    try:
        yield made
    finally:
        for task in made.tasks:
            task.cancel()
        await asyncio.gather(*made.tasks, return_exceptions=True)


async def settle() -> None:
    """Let everybody run who can."""
    for _ in range(50):
        await asyncio.sleep(0)


async def test_two_pages_compute_at_once_and_all_are_answered() -> None:
    async with pages() as site:
        tasks = [site.ask() for _ in range(20)]
        await settle()
        assert site.working == 2
        site.go.set()
        await asyncio.wait_for(asyncio.gather(*tasks), 5)
        assert site.most == 2
        assert len(site.sent) == 40


async def test_staff_and_participants_do_not_wait_for_each_other() -> None:
    async with pages() as site:
        for path in ("/staff/levels/", "/staff/", "/staff/x", "/staff/y", "/", "/s/abc/", "/s/def/"):
            site.ask(path)
        await settle()
        assert site.working == 3 + 2


async def test_bodies_that_come_slowly_and_answers_that_are_read_slowly_hold_no_turn() -> None:
    async with pages() as site:
        for _ in range(5):
            site.ask(sends=(PART,))
        site.go.set()
        for _ in range(5):
            site.ask("/slowly-read")
        await settle()
        await asyncio.wait_for(site.ask(), 5)


async def test_page_that_fails_or_whose_client_goes_away_gives_its_turn_back() -> None:
    async with pages() as site:
        site.fails = True
        failing = [site.ask() for _ in range(2)]
        gone = [site.ask() for _ in range(2)]
        await settle()
        site.go.set()
        for task in failing:
            with pytest.raises(ValueError, match="failed"):
                await task
        for task in gone:
            task.cancel()
        site.fails = False
        await asyncio.wait_for(site.ask(), 5)
