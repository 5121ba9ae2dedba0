"""A bot at the board: it is told what a browser is told, sees no more than the board, and lets an agent choose."""

import asyncio
import json
import secrets
import time
from dataclasses import dataclass, field
from random import Random
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import InvalidStatus, WebSocketException

from engine.game import get_game
from engine.level import Level
from engine.round import Round
from personas.agent import Agent, Situation

SUBPROTOCOL = "playtest.1"
ANSWER_SECONDS = 30.0
GIVE_UP_SECONDS = 300.0
"""How long a bot tries to come back. A person would have more patience, a test less."""

BACK_OFF = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 15.0)
RETRY_CODES = {1000, 1001, 1006, 1012, 4503}
QUICK_AGENTS = {"random", "greedy"}


class BotError(Exception):
    """A bot cannot go on; the text says why."""


@dataclass
class Tally:
    """What a bot counts on its way."""

    rounds: int = 0
    practised: int = 0
    """Rounds of practice; neither these nor their points are among the others."""
    points: int = 0
    moves: int = 0
    reconnects: int = 0
    answers: list[float] = field(default_factory=list)
    """Seconds from sending a move to its `ack`."""


@dataclass
class RoundPlayer:
    """Plays one round to its end over the socket, coming back after a loss as the protocol says."""

    address: str
    origin: str
    cookie: str
    agents: dict[str, Agent]
    seed: int
    pace: float
    tally: Tally
    rng: Random
    tab: str = field(default_factory=lambda: secrets.token_urlsafe(8))
    state: dict[str, Any] | None = None
    wish: dict[str, Any] | None = None
    sent_at: float = 0.0
    ready_at: float = 0.0
    heard_at: float = 0.0
    legal_counts: list[int] = field(default_factory=list)

    async def play(self) -> str:
        """Play to the end; where it goes on. Raises BotError."""
        failures = 0
        self.heard_at = time.monotonic()
        while True:
            try:
                async with connect(
                    self.address,
                    origin=self.origin,  # type: ignore[arg-type]  # a new type of str in websockets
                    subprotocols=[SUBPROTOCOL],  # type: ignore[list-item]
                    additional_headers={"Cookie": self.cookie},
                    compression=None,
                    ping_interval=None,
                    open_timeout=ANSWER_SECONDS,
                ) as socket:
                    failures = 0
                    follow = await self.talk(socket)
                    if follow is not None:
                        return follow
            except InvalidStatus as error:
                if error.response.status_code < 500:
                    raise BotError(f"the socket is refused with {error.response.status_code}") from None
            except (OSError, TimeoutError, WebSocketException) as error:
                code = getattr(getattr(error, "rcvd", None), "code", 1006)
                if code not in RETRY_CODES:
                    raise BotError(f"the socket was closed with {code}") from None
            if time.monotonic() - self.heard_at > GIVE_UP_SECONDS:
                raise BotError("the server does not come back")
            self.tally.reconnects += 1
            await asyncio.sleep(BACK_OFF[min(failures, len(BACK_OFF) - 1)] * self.rng.uniform(0.5, 1.0))
            failures += 1

    async def talk(self, socket: ClientConnection) -> str | None:
        """Say hello and play until the round ends or the socket does."""
        hello = {"t": "hello", "v": 1, "tab": self.tab, "claim": "new", "lang": "en", "motion": "reduced"}
        if self.state is not None:
            hello |= {"claim": "resume", "epoch": self.state["epoch"], "round": self.state["round"]}
        await self.send(socket, hello)
        while True:
            message = json.loads(await asyncio.wait_for(socket.recv(), ANSWER_SECONDS))
            self.heard_at = time.monotonic()
            kind = message["t"]
            if kind == "state":
                await self.on_state(socket, message)
            elif kind == "ack" and self.wish is not None and message["id"] == self.wish["id"]:
                await self.on_ack(socket, message)
            elif kind == "reject":
                await self.on_reject(socket, message)
            elif kind == "end":
                if self.state is not None and self.state["purpose"] == "practice":
                    self.tally.practised += 1
                else:
                    self.tally.rounds += 1
                    self.tally.points += message["score"]
                return str(message["next"])
            elif kind == "error" and message["code"] != "storage":
                raise BotError(f"the server says: {message['say']}")

    async def on_state(self, socket: ClientConnection, state: dict[str, Any]) -> None:
        """The whole state. An open wish that is not in it is sent again."""
        if not state["owner"]:
            raise BotError("somebody else plays its round")
        self.state = state
        if self.wish is not None and state["last"] is not None and state["last"]["id"] == self.wish["id"]:
            self.wish = None
        self.ready_at = time.monotonic()
        if self.wish is not None and state["seq"] < self.wish["seq"] and state["round"] == self.wish["round"]:
            await self.send(socket, self.wish)
        elif not state["over"]:
            await self.move(socket)

    async def on_ack(self, socket: ClientConnection, ack: dict[str, Any]) -> None:
        self.ready_at = time.monotonic()
        self.tally.answers.append(self.ready_at - self.sent_at)
        self.tally.moves += 1
        self.wish = None
        assert self.state is not None
        self.state |= {key: ack[key] for key in ("seq", "board", "score", "left", "over")}
        if not ack["over"]:
            await self.move(socket)

    async def on_reject(self, socket: ClientConnection, reject: dict[str, Any]) -> None:
        if reject["reason"] in {"slow_down", "busy"} and self.wish is not None:
            await asyncio.sleep((reject["retry_ms"] or 100) / 1000)
            await self.send(socket, self.wish)
        elif reject["reason"] == "illegal" and "illegal" in reject.get("checks", ()):
            assert self.state is not None
            self.state["checks"] = reject["checks"]
            self.wish = None
            await self.move(socket)
        elif reject["reason"] not in {"stale_seq", "gap", "conflict", "over"}:
            # After those a whole state comes. Any other refusal of a move that the rules allow is a fault.
            raise BotError(f"its move was refused: {reject['reason']}")
        else:
            self.wish = None

    async def move(self, socket: ClientConnection) -> None:
        assert self.state is not None
        if self.pace:
            await asyncio.sleep(self.pace * self.rng.uniform(0.5, 1.5))
        agent = self.agents[self.state["game"]]
        choose = self.choose
        action: list[Any] | None = self.bad_swap() if self.must_fail() else None
        if action is None:
            action = choose(agent) if agent.kind in QUICK_AGENTS else await asyncio.to_thread(choose, agent)
        self.wish = {
            "t": "act",
            "round": self.state["round"],
            "seq": self.state["seq"] + 1,
            "id": secrets.token_urlsafe(9),
            "action": action,
            "think": int((time.monotonic() - self.ready_at) * 1000),
            "anim": 0,
            "hidden": 0,
            "input": "bot",
        }
        await self.send(socket, self.wish)

    def must_fail(self) -> bool:
        """Whether practice asks for a swap that makes no match, and there was none yet."""
        state = self.state
        assert state is not None
        return state["gesture"] == "swap" and "illegal" not in state.get("checks", ("illegal",))

    def bad_swap(self) -> list[Any] | None:
        """Two neighbours that make no match; None on a board where all of them do."""
        state = self.state
        assert state is not None
        legal = Round(self.level_shown()).legal_actions()
        pairs = ([[row, col], [row, col + 1]] for row in range(state["rows"]) for col in range(state["cols"] - 1))
        return next((pair for pair in pairs if pair not in legal), None)

    def choose(self, agent: Agent) -> list[Any]:
        """What the agent plays on the board that is shown. It knows what was played, not what will fall."""
        state = self.state
        assert state is not None
        level = self.level_shown()
        situation = Situation(
            points=state["score"],
            legal_total=sum(self.legal_counts[: level.horizon]),
            made=state["seq"],
            left=level.moves,
            horizon=level.horizon,
        )
        self.legal_counts.append(Round(level).legal_count())
        return agent.choose_on_board(level, situation, self.seed)

    def level_shown(self) -> Level:
        """The board that is shown. Not read as a level file is: in the middle of a game cells may be empty."""
        state = self.state
        assert state is not None
        return Level(
            game=state["game"],
            name="",
            rows=state["rows"],
            cols=state["cols"],
            colours=state["colours"],
            moves=None if get_game(state["game"]).info.default_moves is None else state["left"],
            seed=0,
            board=tuple(state["board"]),
            horizon=state["horizon"],
        )

    async def send(self, socket: ClientConnection, message: dict[str, Any]) -> None:
        self.sent_at = time.monotonic()
        await socket.send(json.dumps(message))
