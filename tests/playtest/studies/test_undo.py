"""Undo over the play socket: a numbered, stored, acknowledged entry like a move, that gives back what was before."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.db import connections
from django.utils import timezone

from engine.round import Round as EngineRound
from playtest.studies.choices import InputMode, MoveKind, RoundState, Status
from playtest.studies.document import parse_study
from playtest.studies.models import Attempt, Move, Participant, Round
from playtest.studies.play.hub import Hub
from playtest.studies.selectors.documents import round_level
from playtest.studies.selectors.replays import round_replay
from playtest.studies.services import study_create, study_publish
from playtest.studies.services.completion import round_faults
from playtest.studies.services.moves import MoveJob, Written, play_write
from tests.playtest.studies.client import PlayClient, rows_of
from tests.playtest.studies.exporting import export, rescored, table
from tests.playtest.studies.factory import make_participant, study_document
from tests.playtest.studies.jobs import move_after
from tests.playtest.studies.server import WebServer
from tests.playtest.studies.test_play_server import answer, hello, open_socket
from tests.site import wait_until

SAMEGAME = {"game": "samegame", "name": "", "rows": 2, "cols": 4, "colours": 3, "seed": 1, "board": ["AABB", "CCAA"]}


def undo_document(*, level: dict[str, Any] | None = None, **kwargs: Any) -> dict[str, Any]:
    document = study_document(**kwargs)
    page = next(page for page in document["pages"] if page["kind"] == "rounds")
    page["undo"] = True
    if level is not None:
        page["rounds"] = [{"key": "one", "level": level}]
    return document


def newcomer_to(document: dict[str, Any]) -> tuple[Participant, PlayClient]:
    study = study_create(owner=None, document=document)
    study_publish(study=study)
    participant, token = make_participant(study)
    return participant, PlayClient(study.public_id, token)


async def arrive(**kwargs: Any) -> tuple[Participant, PlayClient]:
    return await sync_to_async(newcomer_to)(undo_document(**kwargs))


async def take_back(client: PlayClient, **changes: Any) -> dict[str, Any]:
    await client.send(client.wish("undo", **changes))
    ack = await client.expect("ack")
    client.follow(ack)
    return ack


async def stored(participant: Participant) -> list[Move]:
    rows = await rows_of(participant)
    return await sync_to_async(lambda: list(Move.objects.filter(round=rows[0]).order_by("seq")))()


async def faults(participant: Participant) -> list[str]:
    return await sync_to_async(lambda: [fault for row in participant.rounds.all() for fault in round_faults(row)])()


async def test_an_undo_is_stored_and_gives_back_what_was_before(hub: Hub) -> None:
    participant, client = await arrive(moves=4)
    state = await client.hello()
    assert (state["undo"], state["used"]) == (True, 0)
    first = await client.play()
    second = await client.play()
    assert second["used"] == 2
    ack = await take_back(client, think=700, input="key")
    assert (ack["seq"], ack["gained"], ack["score"]) == (3, -second["gained"], first["score"])
    assert (ack["left"], ack["used"], ack["over"], ack["dup"]) == (3, 1, None, False)
    assert ack["board"] == first["board"]
    assert ack["frames"] == [{"f": "set", "board": first["board"]}]
    assert ack["say"] == f"Your last move was taken back. 3 moves left. {first['score']} points."
    moves = await stored(participant)
    undo = moves[-1]
    assert [move.kind for move in moves] == [MoveKind.MOVE, MoveKind.MOVE, MoveKind.UNDO]
    assert (undo.action, undo.gained, undo.score_after) == (None, -second["gained"], first["score"])
    assert (undo.think_ms, undo.input, undo.check_hex) == (700, InputMode.KEY, moves[0].check_hex)
    row = (await rows_of(participant))[0]
    assert (row.seq, row.score, row.moves_used, row.check_hex) == (3, first["score"], 1, moves[0].check_hex)
    # The same wish again brings the same move with the same pieces.
    again = await client.play()
    assert (again["board"], again["frames"], again["gained"]) == (second["board"], second["frames"], second["gained"])
    assert await faults(participant) == []
    await client.leave()


async def test_whatever_was_taken_back_the_round_is_read_anew_and_watched_alike(hub: Hub) -> None:
    participant, client = await arrive(moves=6, rounds=1)
    await client.hello()
    for wish in ("play", "play", "undo", "undo", "play", "play", "undo", "play"):
        await (client.play() if wish == "play" else take_back(client))
    shown = client.state
    await client.leave()
    again = PlayClient(client.study, client.token, tab="tab-2")
    state = await again.hello()
    assert [state[key] for key in ("board", "score", "seq")] == [shown[key] for key in ("board", "score", "seq")]
    assert (state["used"], state["left"]) == (2, 4)
    await again.play_to_end()
    await sync_to_async(participant.refresh_from_db)()
    assert participant.status == Status.COMPLETED
    row = (await rows_of(participant))[0]
    assert (row.state, row.seq, row.moves_used) == (RoundState.DONE, 12, 6)
    assert await faults(participant) == []
    await again.leave()
    replay = await sync_to_async(round_replay)(row)
    assert (replay.fault, replay.moves, len(replay.steps)) == ("", 9, 12)
    assert replay.steps[-1].board == again.state["board"]


async def test_undo_sent_again_is_answered_again_and_stored_once(hub: Hub) -> None:
    participant, client = await arrive(moves=4)
    await client.hello()
    await client.play()
    wish = client.wish("undo")
    await client.send(wish)
    first = await client.expect("ack")
    client.follow(first)
    await client.play()
    await client.send(wish)
    assert await client.expect("ack") == {**first, "dup": True}
    # The process that never saw it made says the same.
    await client.leave()
    again = PlayClient(client.study, client.token)
    await again.hello()
    await again.send(wish)
    assert await again.expect("ack") == {**first, "dup": True}
    assert [move.kind for move in await stored(participant)] == [MoveKind.MOVE, MoveKind.UNDO, MoveKind.MOVE]
    await again.leave()


async def test_same_id_for_a_move_and_an_undo_is_a_conflict(hub: Hub) -> None:
    participant, client = await arrive(moves=4)
    await client.hello()
    move = client.wish(client.legal()[0])
    await client.send(move)
    client.follow(await client.expect("ack"))
    await client.send({**move, "action": "undo"})
    assert (await client.expect("reject"))["reason"] == "conflict"
    client.state = await client.expect("state")
    undo = client.wish("undo")
    await client.send(undo)
    client.follow(await client.expect("ack"))
    await client.send({**undo, "action": client.legal()[0]})
    assert (await client.expect("reject"))["reason"] == "conflict"
    await client.expect("state")
    # Out of order and too early, as any other entry.
    for seq, reason in ((2, "stale_seq"), (9, "gap")):
        await client.send(client.wish("undo", seq=seq))
        assert (await client.expect("reject"))["reason"] == reason
        await client.expect("state")
    assert len(await stored(participant)) == 2
    await client.leave()


async def test_with_nothing_to_take_back_an_undo_is_refused_and_not_stored(hub: Hub) -> None:
    participant, client = await arrive(moves=2, rounds=2)
    await client.hello()

    async def refused() -> None:
        await client.send(client.wish("undo"))
        reject = await client.expect("reject")
        assert (reject["reason"], reject["say"]) == ("bad_action", "There is no move to take back.")

    await refused()
    await client.play()
    await take_back(client)
    await refused()
    # The round before stays as it is: an undo never crosses the border of a game, nor comes after its end.
    await client.play()
    await client.play()
    assert client.state["over"] == {"reason": "moves"}
    await client.expect("end")
    await client.send(client.wish("undo"))
    assert (await client.expect("reject"))["reason"] == "over"
    await client.expect("state")
    await client.expect("end")
    await client.leave()
    second = PlayClient(client.study, client.token)
    state = await second.hello()
    assert (state["round"], state["used"]) == ("2.1", 0)
    await second.send(second.wish("undo"))
    assert (await second.expect("reject"))["reason"] == "bad_action"
    assert [move.seq for move in await stored(participant)] == [1, 2, 3, 4]
    assert await sync_to_async(Attempt.objects.count)() == 0
    await second.leave()


async def test_where_the_study_does_not_allow_it_there_is_no_undo(hub: Hub) -> None:
    participant, client = await sync_to_async(newcomer_to)(study_document(moves=3))
    assert (await client.hello())["undo"] is False
    await client.play()
    await client.send(client.wish("undo"))
    assert (await client.expect("reject"))["reason"] == "bad_action"
    assert len(await stored(participant)) == 1
    await client.leave()


async def test_samegame_takes_a_group_back_with_its_neighbours(hub: Hub) -> None:
    participant, client = await arrive(level=SAMEGAME)
    state = await client.hello()
    await client.send(client.wish([1, 0]))
    removed = await client.expect("ack")
    client.follow(removed)
    ack = await take_back(client)
    assert [ack[key] for key in ("board", "groups", "worth", "left")] == [
        state[key] for key in ("board", "groups", "worth", "left")
    ]
    assert ack["say"] == "Your last move was taken back. 4 groups left. 0 points."
    assert (await rows_of(participant))[0].moves_used == 0
    await client.leave()


@pytest.mark.django_db(transaction=True)
def test_server_killed_between_an_undo_and_its_answer_knows_what_is_on_disk(tmp_path: Path) -> None:
    participant, client = newcomer_to(undo_document(moves=5))
    connections.close_all()
    server = WebServer(tmp_path).start()
    study = participant.study

    def undo_is_stored() -> bool:
        found = Move.objects.filter(kind=MoveKind.UNDO).exists()
        connections.close_all()
        return found

    async def scene() -> None:
        async with open_socket(server, study, client.token) as socket:
            state = await hello(socket)
            client.state = state
            await socket.send(json.dumps(client.wish(client.legal()[0])))
            client.follow(await answer(socket))
            undo = client.wish("undo")
            await socket.send(json.dumps(undo))
            # Nobody reads the answer: the server dies with it, or before it was sent.
            assert await asyncio.to_thread(wait_until, undo_is_stored, 30)
            await asyncio.to_thread(server.kill)
        await asyncio.to_thread(server.start)
        async with open_socket(server, study, client.token) as socket:
            back = await hello(socket, claim="resume", epoch=state["epoch"], round=state["round"])
            assert (back["seq"], back["last"], back["used"]) == (2, {"seq": 2, "id": undo["id"]}, 0)
            assert (back["board"], back["score"]) == (state["board"], 0)
            await socket.send(json.dumps(undo))
            again = await answer(socket)
            assert (again["t"], again["dup"], again["board"]) == ("ack", True, state["board"])

    try:
        asyncio.run(scene())
    finally:
        server.kill()
    row = Round.objects.get(participant=participant, state=RoundState.OPEN)
    assert list(row.moves.order_by("seq").values_list("kind", flat=True)) == [MoveKind.MOVE, MoveKind.UNDO]
    assert round_faults(row) == []
    assert EngineRound.replay(round_level(row), [move.action for move in row.moves.order_by("seq")]).score == row.score


@pytest.mark.django_db(transaction=True, databases=["default", "reading"])
def test_an_export_with_undos_is_played_again_from_its_files(tmp_path: Path) -> None:
    participant, _ = newcomer_to(undo_document(moves=4, rounds=1))
    row = Round.objects.get(participant=participant)
    Round.objects.filter(pk=row.pk).update(state=RoundState.OPEN, play_epoch=1)
    codes: list[int] = []
    for seq, wish in enumerate(
        ["move", "move", "undo", "undo", "move", "move", "undo", "move", "move", "move"], start=1
    ):
        if wish == "undo":
            game = EngineRound.replay(round_level(row), codes)
            codes.pop()
            job = undo_job(row, game, seq)
        else:
            job = replace(move_after(row, codes, epoch=1, client_id=f"entry-{seq:04}"), seq=seq)
            codes.append(job.action)
        assert play_write([job]) == [Written.STORED]
    row.refresh_from_db()
    assert (row.state, row.seq, row.moves_used, round_faults(row)) == (RoundState.DONE, 10, 4, [])
    folder = export(participant.study, tmp_path / "out", "--format", "csv")
    assert rescored(folder) == {"rounds": 1, "moves": 10, "faults": []}
    (exported,) = table(folder, "rounds")
    assert (exported["moves"], exported["entries"], exported["replay_agrees"]) == ("4", "10", "true")
    undos = [move for move in table(folder, "moves") if move["kind"] == "undo"]
    assert [(move["seq"], move["action"]) for move in undos] == [("3", '"undo"'), ("4", '"undo"'), ("7", '"undo"')]


def undo_job(row: Round, game: EngineRound, seq: int) -> MoveJob:
    """What the server would store of an undo. Changes `game`."""
    undone = game.undo()
    return MoveJob(
        round_id=row.pk,
        study_id=row.participant.study_id,
        epoch=1,
        seq=seq,
        client_id=f"entry-{seq:04}",
        action=None,
        reversed=False,
        gained=undone.gained,
        score=undone.score,
        moves_used=game.moves_used,
        steps=0,
        cleared=0,
        legal_before=undone.legal_before,
        reshuffles=0,
        check_hex=game.check(),
        over=None,
        received_at=timezone.now(),
    )


def test_a_stored_undo_of_nothing_is_a_fault_and_never_a_crash(db: None) -> None:
    participant, _ = newcomer_to(undo_document(moves=3))
    row = Round.objects.filter(participant=participant).order_by("position")[0]
    Move.objects.create(
        round=row,
        seq=1,
        kind=MoveKind.UNDO,
        client_id="undo-of-nothing",
        action=None,
        gained=0,
        score_after=0,
        steps=0,
        cleared=0,
        legal_before=3,
        check_hex="",
        received_at=participant.started_at,
        conn=1,
    )
    row.seq = 1
    assert round_faults(row) == ["Round 1.1 cannot be played again: illegal."]


def test_undo_in_the_document_is_off_unless_it_is_said(db: None) -> None:
    plain = study_document()
    assert "undo" not in json.dumps(parse_study(plain).to_document())
    allowed = parse_study(undo_document()).to_document()
    assert allowed["pages"][1]["undo"] is True
    assert parse_study(allowed).to_document() == allowed
