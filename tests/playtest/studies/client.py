"""A client of the play socket, inside the process, through the site's own ASGI application."""

import itertools
import json
from typing import Any

from asgiref.sync import sync_to_async

from engine.level import Level
from engine.round import Round as EngineRound
from playtest.asgi import application
from playtest.studies.models import Participant, Round
from tests.playtest.studies.communicator import SocketCommunicator

ids = itertools.count(1)


class PlayClient:
    """Speaks `playtest.1`. `state` is what the server showed last."""

    def __init__(
        self,
        study: str,
        token: str,
        *,
        origin: bytes = b"http://localhost",
        subprotocols: list[str] | None = None,
        tab: str = "tab-1",
        person: str | None = None,
    ) -> None:
        headers = [(b"host", b"localhost"), (b"origin", origin), (b"cookie", f"player={token}".encode())]
        self.tab = tab
        self.study = study
        self.token = token
        self.socket = SocketCommunicator(
            application,
            f"/ws/play/{study}",
            headers=headers,
            subprotocols=["playtest.1"] if subprotocols is None else subprotocols,
            query=b"" if person is None else f"person={person}".encode(),
        )
        self.state: dict[str, Any] = {}

    async def connect(self) -> bool:
        return await self.socket.connect()

    async def hello(self, **changes: Any) -> dict[str, Any]:
        """Connect, say hello, give the state."""
        assert await self.connect()
        await self.say_hello(**changes)
        self.state = await self.expect("state")
        return self.state

    async def say_hello(self, **changes: Any) -> None:
        hello = {"t": "hello", "v": 1, "tab": self.tab, "claim": "new", "epoch": None, "round": None}
        await self.send({**hello, **changes})

    async def resume(self, state: dict[str, Any]) -> None:
        assert await self.connect()
        await self.say_hello(claim="resume", epoch=state["epoch"], round=state["round"])

    async def send(self, message: object) -> None:
        await self.socket.send_text(message if isinstance(message, str) else json.dumps(message))

    async def receive(self) -> dict[str, Any]:
        return json.loads(await self.socket.receive_text())

    async def expect(self, kind: str) -> dict[str, Any]:
        message = await self.receive()
        assert message["t"] == kind, message
        return message

    async def closed(self) -> int:
        """The code with which the server closes now."""
        output = await self.socket.receive_output(timeout=5)
        assert output["type"] == "websocket.close", output
        return output["code"]

    async def quiet(self) -> bool:
        return await self.socket.receive_nothing(timeout=0.1)

    async def leave(self) -> None:
        await self.socket.disconnect()

    # --- Playing -----------------------------------------------------------------------------------------------

    def wish(self, action: object, *, seq: int | None = None, **changes: Any) -> dict[str, Any]:
        number = self.state["seq"] + 1 if seq is None else seq
        act = {"t": "act", "round": self.state["round"], "seq": number, "id": f"wish-{next(ids):06}", "action": action}
        return {**act, "think": 900, "anim": 300, "hidden": 0, "input": "drag", **changes}

    def legal(self) -> list[Any]:
        """Swaps that make a match on the board as it was last shown, found without knowing what falls."""
        return legal_swaps(self.state)

    def illegal(self) -> list[Any]:
        """A swap of neighbours that makes none."""
        rows, cols = self.state["rows"], self.state["cols"]
        legal = [sorted(map(tuple, swap)) for swap in self.legal()]
        for row in range(rows):
            for col in range(cols - 1):
                if sorted([(row, col), (row, col + 1)]) not in legal:
                    return [[row, col], [row, col + 1]]
        raise AssertionError("every swap is legal")

    async def play(self) -> dict[str, Any]:
        """One legal move, up to its ack."""
        await self.send(self.wish(self.legal()[0]))
        ack = await self.expect("ack")
        self.follow(ack)
        return ack

    def follow(self, ack: dict[str, Any]) -> None:
        self.state = {
            **self.state,
            "seq": ack["seq"],
            "board": ack["board"],
            "score": ack["score"],
            "over": ack["over"],
        }

    async def play_to_end(self) -> dict[str, Any]:
        while not self.state["over"]:
            await self.play()
        return await self.expect("end")


def legal_swaps(state: dict[str, Any]) -> list[Any]:
    # Not read as a level file is: in the middle of a game cells may be empty.
    level = Level(
        game=state["game"],
        name="",
        rows=state["rows"],
        cols=state["cols"],
        colours=state["colours"],
        moves=1,
        seed=0,
        board=tuple(state["board"]),
    )
    return EngineRound(level).legal_actions()


async def rows_of(participant: Participant) -> list[Round]:
    return await sync_to_async(lambda: list(Round.objects.filter(participant=participant).order_by("position")))()
