"""Clients of the play socket of a real server: one that plays by itself, and one that is led message by message."""

import asyncio
import json
from contextlib import suppress
from dataclasses import dataclass, field
from random import Random
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosedError

from personas.agent import load_agent
from playtest.studies.bots.player import RoundPlayer, Tally
from playtest.studies.models import Study
from tests.playtest.studies.client import legal_swaps
from tests.playtest.studies.server import WebServer


@dataclass
class WatchedPlayer(RoundPlayer):
    """Notes what was acknowledged."""

    acknowledged: list[tuple[str, int, str]] = field(default_factory=list)

    async def on_ack(self, socket: ClientConnection, ack: dict[str, Any]) -> None:
        self.acknowledged.append((ack["round"], ack["seq"], ack["id"]))
        await super().on_ack(socket, ack)


def player(server: WebServer, study: Study, token: str, *, seed: int, pace: float) -> WatchedPlayer:
    return WatchedPlayer(
        address=f"ws://127.0.0.1:{server.port}/ws/play/{study.public_id}",
        origin=server.url,
        cookie=f"player={token}",
        agents={"match3": load_agent("random")},
        seed=seed,
        pace=pace,
        tally=Tally(),
        rng=Random(seed),
    )


def open_socket(server: WebServer, study: Study, token: str, **changes: Any) -> connect:
    return connect(
        f"ws://127.0.0.1:{server.port}/ws/play/{study.public_id}",
        origin=changes.get("origin", server.url),
        subprotocols=changes.get("subprotocols", ["playtest.1"]),
        additional_headers={"Cookie": f"player={token}"},
        compression=None,
        ping_interval=None,
    )


async def hello(socket: ClientConnection, **changes: Any) -> dict[str, Any]:
    await socket.send(json.dumps({"t": "hello", "v": 1, "tab": "tab-1", "claim": "new", **changes}))
    return await answer(socket)


async def answer(socket: ClientConnection) -> dict[str, Any]:
    return json.loads(await asyncio.wait_for(socket.recv(), 30))


async def closing_code(socket: ClientConnection) -> int:
    with suppress(ConnectionClosedError):
        async with asyncio.timeout(30):
            async for _ in socket:
                continue
    assert socket.close_code is not None
    return socket.close_code


def act(state: dict[str, Any], client_id: str) -> str:
    action = legal_swaps(state)[0]
    return json.dumps({"t": "act", "round": state["round"], "seq": state["seq"] + 1, "id": client_id, "action": action})
