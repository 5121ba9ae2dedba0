"""Play against real server processes: killed, doubled, fed with nonsense. What was acknowledged is on disk."""

import asyncio
import json
import time
from collections.abc import Iterator
from datetime import timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connections
from django.utils import timezone
from websockets.exceptions import InvalidStatus

from engine.round import Round as EngineRound
from personas.agent import load_agent
from playtest.studies.choices import Kind, RoundState, Status
from playtest.studies.models import Answer, Move, Participant, Round, Study
from playtest.studies.selectors.documents import round_level
from playtest.studies.services import study_create, study_publish
from tests.playtest.studies.factory import make_participant, make_study, study_document
from tests.playtest.studies.real_sockets import act, answer, closing_code, hello, open_socket, player
from tests.playtest.studies.server import WebServer
from tests.site import wait_until

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(scope="module")
def server(django_db_setup: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebServer]:
    """One server for all tests of this file. It keeps nothing that another test could meet."""
    server = WebServer(tmp_path_factory.mktemp("web")).start()
    yield server
    server.kill()


def test_server_that_is_killed_in_the_middle_of_play_loses_nothing_that_it_acknowledged(server: WebServer) -> None:
    study = make_study(rounds=2, moves=15)
    people = [make_participant(study) for _ in range(6)]
    connections.close_all()
    logs: list[list[tuple[str, int, str]]] = [[] for _ in people]

    async def play_all(number: int, token: str) -> None:
        for turn in range(2):
            one = player(server, study, token, seed=number * 10 + turn, pace=0.05)
            one.acknowledged = logs[number]
            await one.play()

    def kill_twice() -> None:
        for so_far in (20, 90):
            assert wait_until(lambda wanted=so_far: sum(map(len, logs)) >= wanted, 60)
            server.kill()
            server.start()

    async def everything() -> None:
        players = [play_all(number, token) for number, (_, token) in enumerate(people)]
        await asyncio.wait_for(asyncio.gather(*players, asyncio.to_thread(kill_twice)), 240)

    asyncio.run(everything())
    for (participant, _), log in zip(people, logs, strict=True):
        participant.refresh_from_db()
        assert participant.status == Status.COMPLETED
        rounds = Round.objects.filter(participant=participant).order_by("position")
        stored = {
            (move.round.label, move.seq, move.client_id)
            for move in Move.objects.select_related("round").filter(round__in=rounds)
        }
        assert len(stored) == 30
        assert set(log) <= stored
        # An answer may be lost with the server, a move that was answered may not.
        assert len(log) == len(set(log))
        for row in rounds:
            moves = list(row.moves.order_by("seq"))
            assert [move.seq for move in moves] == list(range(1, 16))
            replayed = EngineRound.replay(round_level(row), [move.action for move in moves])
            assert (replayed.score, replayed.check()) == (row.score, row.check_hex)
            assert row.state == RoundState.DONE


def test_time_of_a_round_runs_on_while_the_server_is_dead(server: WebServer) -> None:
    """Killed in the middle, the clock of the round is not: what was acknowledged stays, and no move comes after it."""
    document = study_document(rounds=1, moves=15)
    document["pages"][1]["limit"] = {"seconds": 300, "warn": 60}
    study = study_create(owner=None, document=document)
    study_publish(study=study)
    participant, token = make_participant(study)
    connections.close_all()
    acknowledged: list[str] = []

    async def play_two_and_kill(claim: dict[str, Any]) -> dict[str, Any]:
        async with open_socket(server, study, token) as socket:
            first = state = await hello(socket, **claim)
            for _ in range(2):
                name = f"before-kill-{len(acknowledged)}"
                await socket.send(act(state, name))
                ack = await answer(socket)
                assert ack["t"] == "ack"
                acknowledged.append(name)
                state = {**state, "seq": ack["seq"], "board": ack["board"]}
            server.kill()
            return first

    def resume(state: dict[str, Any]) -> dict[str, Any]:
        return {"claim": "resume", "epoch": state["epoch"], "round": state["round"]}

    began = time.monotonic()
    before = asyncio.run(play_two_and_kill({}))
    server.start()
    after = asyncio.run(play_two_and_kill(resume(before)))
    gone_ms = (time.monotonic() - began) * 1000
    assert after["seq"] == 2
    used_ms = before["limit"]["left_ms"] - after["limit"]["left_ms"]
    # A restart takes longer than a second.
    assert 1_000 < used_ms <= gone_ms + 1_000

    # As if the server had been away for longer than was left.
    Round.objects.filter(participant=participant).update(ends_at=timezone.now() - timedelta(seconds=30))
    connections.close_all()
    server.start()

    async def come_back() -> list[dict[str, Any]]:
        async with open_socket(server, study, token) as socket:
            messages = [await hello(socket, **resume(after))]
            while messages[-1]["t"] != "end":
                messages.append(await answer(socket))
            await socket.send(act({**after, "seq": 4}, "too-late-for-it"))
            messages.append(await answer(socket))
            return messages

    messages = asyncio.run(come_back())
    shown = [message for message in messages if message["t"] == "state"][-1]
    assert (shown["over"]["reason"], shown["seq"]) == ("time", 4)
    assert messages[-1]["t"] == "reject"
    assert messages[-1]["reason"] in {"over", "stale_round"}
    row = Round.objects.get(participant=participant)
    assert row.state == RoundState.DONE
    assert list(row.moves.order_by("seq").values_list("client_id", flat=True)) == acknowledged


def test_tab_in_another_process_takes_the_round_and_the_first_is_told(server: WebServer, tmp_path: Path) -> None:
    study = make_study(moves=5)
    _, token = make_participant(study)
    connections.close_all()
    other = WebServer(tmp_path).start()

    async def scene() -> None:
        async with open_socket(server, study, token) as first, open_socket(other, study, token) as second:
            state = await hello(first)
            await first.send(act(state, "first-tab-1"))
            ack = await answer(first)
            assert ack["t"] == "ack"
            taken_over = await hello(second, tab="tab-2")
            assert (taken_over["seq"], taken_over["epoch"], taken_over["board"]) == (1, 2, ack["board"])
            # The first process has not heard of it yet: its move fails at the fence, or its look came first.
            await first.send(act({**state, "seq": 1, "board": ack["board"]}, "first-tab-2"))
            assert await closing_code(first) == 4409
            await second.send(act(taken_over, "second-tab-1"))
            assert (await answer(second))["t"] == "ack"

    try:
        asyncio.run(scene())
    finally:
        other.kill()
    assert list(Move.objects.order_by("seq").values_list("client_id", flat=True)) == ["first-tab-1", "second-tab-1"]


def test_first_process_looks_by_itself_and_tells_its_idle_tab(server: WebServer) -> None:
    study = make_study(moves=5)
    participant, token = make_participant(study)
    connections.close_all()

    async def scene() -> int:
        async with open_socket(server, study, token) as socket:
            await hello(socket)
            await asyncio.to_thread(raise_epoch, participant)
            return await closing_code(socket)

    assert asyncio.run(scene()) == 4409


def raise_epoch(participant: Participant) -> None:
    Round.objects.filter(participant=participant, state=RoundState.OPEN).update(play_epoch=9)
    connections.close_all()


def test_strangers_and_nonsense_are_refused_and_the_server_lives(server: WebServer) -> None:
    study = make_study(moves=5)
    _, token = make_participant(study)
    connections.close_all()

    async def refused(**changes: Any) -> int:
        with pytest.raises(InvalidStatus) as error:
            async with open_socket(server, study, token, **changes):
                raise AssertionError("the handshake went through")
        return error.value.response.status_code

    async def closed_after(message: str | bytes) -> int:
        async with open_socket(server, study, token) as socket:
            assert (await hello(socket))["t"] == "state"
            await socket.send(message)
            return await closing_code(socket)

    async def scene() -> None:
        assert await refused(origin="http://elsewhere.example") == 403
        assert await refused(origin=None) == 403
        assert await refused(subprotocols=["other.1"]) == 403
        async with open_socket(server, study, "nobody") as socket:
            assert await closing_code(socket) == 4401
        assert await closed_after("x" * 1_000_000) == 1009
        assert await closed_after("[" * 1_000_000) == 1009
        assert await closed_after(b"\x00" * 1_000_000) == 1003
        async with open_socket(server, study, token) as socket:
            state = await hello(socket)
            for text in ('{"t":', "NaN"):
                await socket.send(text)
                assert (await answer(socket))["code"] == "malformed"
            await socket.send(act(state, "still-alive"))
            assert (await answer(socket))["t"] == "ack"
            await socket.send('{"t":"ping","n":1,"n":2}')
            assert await closing_code(socket) == 4400

    asyncio.run(scene())
    assert Move.objects.count() == 1
    assert server.process is not None
    assert server.process.poll() is None


def test_bots_go_through_the_whole_study_and_are_marked_as_bots(server: WebServer) -> None:
    study = make_study(rounds=2, moves=5, questions=True)
    connections.close_all()
    output = StringIO()
    call_command(
        "bots",
        study.slug,
        "--participants=5",
        "--at-once=3",
        "--agent=random",
        f"--url={server.url}",
        "--json",
        stdout=output,
    )
    lines = [json.loads(line) for line in output.getvalue().splitlines()]
    assert [line["finished"] for line in lines[:-1]] == [True] * 5
    assert (lines[-1]["finished"], lines[-1]["moves"]) == (5, 50)
    participants = list(Participant.objects.all())
    assert {row.kind for row in participants} == {Kind.BOT}
    assert {row.status for row in participants} == {Status.COMPLETED}
    assert {row.code for row in participants} == {line["code"] for line in lines[:-1]}
    assert Answer.objects.count() == 5 * 4
    totals = {line["code"]: line["points"] for line in lines[:-1]}
    for row in participants:
        assert sum(row.rounds.values_list("score", flat=True)) == totals[row.code]


def test_bot_that_searches_plays_what_its_agent_would_play_with_a_hidden_queue(server: WebServer) -> None:
    """The board alone is enough: the same choices as an agent's that sits at the engine's own round."""
    study = make_study(rounds=1, moves=3)
    participant, token = make_participant(study, kind=Kind.BOT)
    connections.close_all()
    agent = load_agent("vanilla", iterations=40)
    one = player(server, study, token, seed=77, pace=0.0)
    one.agents = {"match3": agent}
    asyncio.run(one.play())
    row = Round.objects.get(participant=participant)
    game = EngineRound(round_level(row))
    for code in row.moves.order_by("seq").values_list("action", flat=True):
        assert game.game.encode_action(game.level, agent.choose(game, 77)) == code
        game.play_code(code)


def test_bots_that_cannot_finish_are_told_by_the_exit_status(server: WebServer) -> None:
    study = make_study(rounds=1, moves=2)
    Study.objects.filter(pk=study.pk).update(state=3)
    connections.close_all()
    output = StringIO()
    with pytest.raises(SystemExit) as ended:
        call_command("bots", study.slug, "--participants=2", "--agent=random", f"--url={server.url}", stdout=output)
    assert ended.value.code == 1
    assert "NOT finished" in output.getvalue()
    assert "0 of 2 finished" in output.getvalue()
