"""Many sockets on one real server: what they leave behind, and how few connections to the database they need."""

import asyncio
import gc
import json
import secrets
from collections import Counter
from pathlib import Path
from typing import Any

import httpx
import pytest
from asgiref.sync import sync_to_async
from django.conf import settings
from django.db import connection, connections

from engine.round import Round as EngineRound
from playtest.studies.choices import RoundState
from playtest.studies.consumers import PlayConsumer
from playtest.studies.models import Move, Round, Study
from playtest.studies.play.hub import Hub
from playtest.studies.play.rounds import LiveRound
from tests.playtest.studies.client import PlayClient
from tests.playtest.studies.factory import make_participant, make_study
from tests.playtest.studies.real_sockets import act, answer, hello, open_socket, player
from tests.playtest.studies.server import WebServer
from tests.site import wait_until

pytestmark = pytest.mark.django_db(transaction=True)

PEOPLE = 25
WARM_WAVES = 8
WAVES = 16
MOST_GROWTH = 6_000_000
"""Bytes that 400 sockets may leave: 15 kB each. A round that is kept with its board and its rules takes more."""

SOCKETS = 200
POOL = 4
"""One connection that writes, one that reads, two for pages."""
MOST_FILES = 16
"""SQLite has no pool, and keeps a file that was closed while another connection holds a lock open for the next."""


def memory_of(server: WebServer) -> int:
    """What the server's processes hold in memory of their own, in bytes; files that others map too are not in it."""
    return sum(
        int(line.split()[1]) * 1024
        for pid in server.pids()
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
        if line.startswith("Anonymous:")
    )


def files_of(server: WebServer, name: str = "") -> int:
    """How many open files and sockets the server has whose name ends so."""
    found = 0
    for pid in server.pids():
        for path in Path(f"/proc/{pid}/fd").iterdir():
            try:
                found += str(path.readlink()).endswith(name)
            except FileNotFoundError:
                continue
    return found


async def come_and_go(server: WebServer, study: Study, token: str, *, politely: bool) -> None:
    """Open a socket, make the round's one move or ask for its answer again, and leave.

    With a word, or as somebody whose network is gone. The round stays as long as it is: what a socket holds while it is
    open grows with that.
    """
    async with open_socket(server, study, token) as socket:
        state = await hello(socket, tab=secrets.token_urlsafe(8))
        if state["seq"] == 0:
            await socket.send(act(state, "the-only-move"))
        else:
            await socket.send(json.dumps({"t": "state?"}))
        assert (await answer(socket))["t"] in {"ack", "state"}
        if not politely:
            socket.transport.abort()


def test_memory_and_files_do_not_grow_with_the_sockets_that_came_and_went(tmp_path: Path) -> None:
    study = make_study(rounds=1, moves=2)
    tokens = [make_participant(study)[1] for _ in range(PEOPLE)]
    connections.close_all()
    server = WebServer(tmp_path).start()

    async def waves(count: int) -> None:
        for wave in range(count):
            await asyncio.gather(
                *(
                    come_and_go(server, study, token, politely=(wave + number) % 2 == 0)
                    for number, token in enumerate(tokens)
                )
            )

    try:
        asyncio.run(waves(WARM_WAVES))
        files, memory = files_of(server), memory_of(server)
        asyncio.run(waves(WAVES))
        # One that was cut off is found out a moment later.
        assert wait_until(lambda: files_of(server) <= files, 30), (files_of(server), files)
        grown = memory_of(server) - memory
    finally:
        server.kill()
    assert grown < MOST_GROWTH, f"{WAVES * PEOPLE} sockets left {grown:,} bytes"
    assert Move.objects.count() == PEOPLE


async def test_nothing_of_a_socket_is_kept_after_it(hub: Hub) -> None:
    """Counted, not weighed: consumers, rounds in memory, tasks, and what the hub knows of them."""
    study = await sync_to_async(make_study)(rounds=1, moves=30)
    tokens = [(await sync_to_async(make_participant)(study))[1] for _ in range(5)]

    async def visit(token: str, turn: int) -> None:
        client = PlayClient(study.public_id, token, tab=f"tab-{turn}")
        await client.hello()
        await client.play()
        await client.leave()

    loop = asyncio.get_running_loop()

    def kept() -> Counter[str]:
        gc.collect()
        kinds = (PlayConsumer, LiveRound, EngineRound, asyncio.Task)
        # By their type: isinstance would ask lazy objects that other tests left for their class, which wakes them.
        found = (one for one in gc.get_objects() if issubclass(type(one), kinds))
        # Tasks that other tests left may go at any time: they are of another loop.
        ours = (one for one in found if not issubclass(type(one), asyncio.Task) or one.get_loop() is loop)
        return Counter(type(one).__name__ for one in ours)

    before = kept()
    for turn in range(20):
        await asyncio.gather(*(visit(token, turn) for token in tokens))
    # What is still ending ends, and the hub's own look at the rounds, which holds those who were seated when it began.
    for _ in range(100):
        if not kept() - before:
            break
        await asyncio.sleep(0.1)
    assert not kept() - before
    assert (hub.sockets, hub.seats, hub.takeovers) == ({}, {}, {})
    assert len(hub.tasks) == 1, "Only its own look at the rounds under way."


def connections_of(server: WebServer) -> int:
    """How many connections to the database the server has. Runs in a thread, and leaves none of its own."""
    if settings.USES_SQLITE:
        return files_of(server, Path(str(connection.settings_dict["NAME"])).name)
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM pg_stat_activity WHERE application_name = %s", [server.name])
            return int(cursor.fetchone()[0])
    finally:
        connections.close_all()


def test_two_hundred_sockets_play_on_a_handful_of_database_connections(tmp_path: Path) -> None:
    """Pages are asked for meanwhile. On PostgreSQL the pool has no more connections; on SQLite they are counted."""
    study = make_study(rounds=1, moves=3)
    people = [make_participant(study) for _ in range(SOCKETS)]
    connections.close_all()
    server = WebServer(tmp_path, most_connections=POOL).start()
    most = 0
    pages: list[int] = []

    async def count(done: asyncio.Event) -> None:
        nonlocal most
        async with httpx.AsyncClient(base_url=server.url, timeout=60) as client:
            while not done.is_set():
                answers = await asyncio.gather(*(client.get(f"/s/{study.public_id}/") for _ in range(5)))
                pages.extend(answer.status_code for answer in answers)
                most = max(most, await asyncio.to_thread(connections_of, server))
                await asyncio.sleep(0.2)

    async def everybody() -> list[Any]:
        done = asyncio.Event()
        counting = asyncio.create_task(count(done))
        players = [player(server, study, token, seed=number, pace=1.0) for number, (_, token) in enumerate(people)]
        await asyncio.wait_for(asyncio.gather(*(one.play() for one in players)), 240)
        done.set()
        await counting
        return players

    try:
        players = asyncio.run(everybody())
    finally:
        server.kill()
    assert [one.tally.reconnects for one in players] == [0] * SOCKETS, server.log.read_text()
    assert {len(one.acknowledged) for one in players} == {3}
    assert set(pages) == {200}
    assert Move.objects.count() == 3 * SOCKETS
    assert set(Round.objects.values_list("state", flat=True)) == {RoundState.DONE}
    assert 0 < most <= (MOST_FILES if settings.USES_SQLITE else POOL)
