"""Bots that enter a study one after another, wait for each other at the board and then play for a given time."""

import asyncio
import gc
import time
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from websockets.asyncio.client import ClientConnection

from engine.level import draw_level
from engine.round import Round
from personas.agent import load_agent
from playtest.bench.figures import report
from playtest.studies.bots.player import RoundPlayer, Tally
from playtest.studies.bots.walk import Walk

AT_ONCE = 20
"""Bots on the pages before the board at the same time: the figure is about moves."""
ENTER_SECONDS = 1800.0
MOVE_SECONDS = 1.0


@dataclass
class Gate:
    """Where bots wait at the board. `entering` lets few at once go through the pages before it."""

    expected: int
    entering: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(AT_ONCE))
    arrived: int = 0
    complete: asyncio.Event = field(default_factory=asyncio.Event)
    opened: asyncio.Event = field(default_factory=asyncio.Event)
    acknowledged: set[str] = field(default_factory=set)
    """Ids of the moves that the server said are stored."""

    def arrive(self) -> None:
        """One more is at the board, or will never be."""
        self.arrived += 1
        self.entering.release()
        if self.arrived == self.expected:
            self.complete.set()


@dataclass(kw_only=True)
class GatedPlayer(RoundPlayer):
    """A player that makes its first move when the gate is open, and then one a second by the clock."""

    client: "Client"
    due: float = 0.0
    """When it moves next, by the monotonic clock; 0 before its first move."""

    async def move(self, socket: ClientConnection) -> None:
        await self.client.wait_at_gate()
        now = time.monotonic()
        self.due = self.due + MOVE_SECONDS if self.due else now + MOVE_SECONDS * self.rng.random()
        await asyncio.sleep(max(0.0, self.due - now))
        await super().move(socket)

    async def on_ack(self, socket: ClientConnection, ack: dict[str, Any]) -> None:
        self.client.gate.acknowledged.add(ack["id"])
        await super().on_ack(socket, ack)


@dataclass(kw_only=True)
class Client(Walk):
    """A bot of the measurement."""

    gate: Gate
    is_counted: bool = False

    def __post_init__(self) -> None:
        self.new_player = partial(GatedPlayer, client=self)

    async def run(self) -> None:
        await self.gate.entering.acquire()
        await super().run()
        self.count()

    async def wait_at_gate(self) -> None:
        self.count()
        await self.gate.opened.wait()

    def count(self) -> None:
        if not self.is_counted:
            self.is_counted = True
            self.gate.arrive()


@dataclass(frozen=True)
class Outcome:
    """What the bots saw: ids of acknowledged moves, seconds to each acknowledgement, what went wrong."""

    acknowledged: set[str]
    answers: list[float]
    reconnects: int
    errors: list[str]
    client_cpu: float
    """Processors that the bots themselves kept busy."""


async def play(url: str, study_id: str, clients: int, seconds: float) -> Outcome:
    """Let bots play random moves, one a second each, for that time after all are at the board."""
    gate = Gate(clients)
    agents = {"match3": load_agent("random")}
    bots = [
        Client(number=number, study_id=study_id, url=url, agents=agents, seed=1, gate=gate)
        for number in range(1, clients + 1)
    ]
    tasks = [asyncio.create_task(bot.run()) for bot in bots]
    try:
        async with asyncio.timeout(ENTER_SECONDS):
            await gate.complete.wait()
        report(f"{clients} clients are at the board")
        # Pauses of the clients would count as the server's: kernels are loaded, and what is there stays.
        agents["match3"].choose(Round(draw_level(seed=1)), 1)
        gc.collect()
        gc.freeze()
        cpu, began = time.process_time(), time.perf_counter()
        gate.opened.set()
        await asyncio.sleep(seconds)
        busy = (time.process_time() - cpu) / (time.perf_counter() - began)
        tallies: list[Tally] = [bot.tally for bot in bots]
        answers = [answer for tally in tallies for answer in tally.answers]
        acknowledged = set(gate.acknowledged)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    errors = [bot.error for bot in bots if bot.error]
    return Outcome(acknowledged, answers, sum(tally.reconnects for tally in tallies), errors, busy)
