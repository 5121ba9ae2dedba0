"""What happens to play when the database does not take it, and how the writer forms its groups."""

import asyncio
import time
from collections.abc import Sequence

import pytest
from asgiref.sync import sync_to_async
from django.db import OperationalError, connection, connections, transaction

from playtest.studies.choices import RoundState
from playtest.studies.models import Move, Participant, Round
from playtest.studies.play import hub as hub_module
from playtest.studies.play import writer as writer_module
from playtest.studies.play.hub import Hub
from playtest.studies.play.writer import StorageError, Writer
from playtest.studies.services.moves import Job, MoveJob, Result, Written, play_write
from tests.playtest.studies.client import PlayClient
from tests.playtest.studies.factory import make_participant, make_study
from tests.playtest.studies.jobs import first_move, move_after

pytestmark = pytest.mark.django_db(transaction=True)


async def newcomer() -> tuple[Participant, PlayClient]:
    study = await sync_to_async(make_study)()
    participant, token = await sync_to_async(make_participant)(study)
    return participant, PlayClient(study.public_id, token)


def open_round() -> Round:
    participant, _ = make_participant(make_study())
    row = Round.objects.get(participant=participant, position=1)
    Round.objects.filter(pk=row.pk).update(state=RoundState.OPEN, play_epoch=1)
    return row


def fail(jobs: Sequence[Job]) -> list[Result]:
    raise OperationalError("database or disk is full")


async def test_move_that_cannot_be_stored_is_not_acknowledged_and_stored_when_it_comes_again(
    hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, client = await newcomer()
    state = await client.hello()
    monkeypatch.setattr(writer_module, "PAUSES", (0.0,) * 4)
    with monkeypatch.context() as patch:
        patch.setattr(writer_module, "play_write", fail)
        wish = client.wish(client.legal()[0])
        await client.send(wish)
        error = await client.expect("error")
        assert error["code"] == "storage"
        assert await client.closed() == 4503
    again = PlayClient(client.study, client.token)
    await again.resume(state)
    assert (await again.expect("state"))["seq"] == 0
    await again.send(wish)
    assert (await again.expect("ack"))["dup"] is False
    assert await sync_to_async(Move.objects.count)() == 1
    await again.leave()


async def test_claim_that_cannot_be_stored_is_told(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    _, client = await newcomer()
    monkeypatch.setattr(writer_module, "PAUSES", (0.0,) * 4)
    monkeypatch.setattr(writer_module, "play_write", fail)
    assert await client.connect()
    await client.say_hello()
    assert (await client.expect("error"))["code"] == "storage"
    assert await client.closed() == 4503


async def test_look_that_fails_does_not_end_the_looking(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    participant, client = await newcomer()
    await client.hello()

    def broken(**kwargs: object) -> None:
        raise OperationalError("the connection is lost")

    with monkeypatch.context() as patch:
        patch.setattr(hub_module, "rounds_watch", broken)
        with pytest.raises(StorageError):
            await hub.watch()
    await sync_to_async(Round.objects.filter(participant=participant, position=1).update)(play_epoch=5)
    await hub.watch()
    await client.expect("taken")


async def test_what_waits_is_written_in_one_group_and_a_round_once_in_it(
    hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [await sync_to_async(open_round)() for _ in range(3)]
    groups: list[list[int]] = []

    def noted(jobs: Sequence[Job]) -> list[Result]:
        groups.append([job.round_id for job in jobs if isinstance(job, MoveJob)])
        return play_write(jobs)

    monkeypatch.setattr(writer_module, "play_write", noted)

    def jobs_of_all() -> list[MoveJob]:
        firsts = [first_move(row, epoch=1) for row in rows]
        return [*firsts, move_after(rows[0], [firsts[0].action], epoch=1, client_id="second-move")]

    jobs = await sync_to_async(jobs_of_all)()
    results = await asyncio.gather(*(hub.writer.submit(job) for job in jobs))
    assert results == [Written.STORED] * 4
    assert [len(group) for group in groups] == [3, 1]
    assert sorted(groups[0]) == sorted(row.pk for row in rows)


async def test_fault_of_the_program_hits_its_group_and_not_the_next(
    hub: Hub, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    row = await sync_to_async(open_round)()
    job = await sync_to_async(first_move)(row, epoch=1)

    def wrong(jobs: Sequence[Job]) -> list[Result]:
        raise KeyError("a fault")

    with monkeypatch.context() as patch:
        patch.setattr(writer_module, "play_write", wrong)
        with pytest.raises(StorageError):
            await hub.writer.submit(job)
    assert "could not be written" in caplog.text
    assert await hub.writer.submit(job) is Written.STORED


async def test_full_queue_refuses_at_once(transactional_db: None) -> None:
    writer = Writer()
    writer.queue = asyncio.Queue(1)
    row = await sync_to_async(open_round)()
    job = await sync_to_async(first_move)(row, epoch=1)
    waiting = asyncio.create_task(writer.submit(job))
    await asyncio.sleep(0)
    with pytest.raises(StorageError):
        await writer.submit(job)
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    await writer.close()
    await sync_to_async(connections.close_all)()


async def test_damaged_round_is_played_by_nobody(hub: Hub, caplog: pytest.LogCaptureFixture) -> None:
    participant, client = await newcomer()
    await client.hello()
    await client.play()
    await client.leave()
    await sync_to_async(Round.objects.filter(participant=participant, position=1).update)(score=9_000)
    again = PlayClient(client.study, client.token)
    assert await again.connect()
    await again.say_hello()
    assert (await again.expect("error"))["code"] == "ended"
    assert await again.closed() == 4410
    assert f"Participant {participant.pk} cannot go on" in caplog.text


async def test_play_survives_a_database_that_is_away_for_a_moment(hub: Hub) -> None:
    """PostgreSQL ends the connections of play; SQLite is held by somebody else for a while."""
    _, client = await newcomer()
    await client.hello()
    await client.play()
    backends = [await hub.writer.call(own_backend), await hub.read(own_backend)]
    disturbance = asyncio.create_task(asyncio.to_thread(disturb, backends))
    await asyncio.sleep(0.2)
    await client.play()
    await disturbance
    await hub.watch()
    assert await sync_to_async(Move.objects.count)() == 2
    await client.leave()


def own_backend() -> int:
    """The server process behind this thread's connection; 0 where there is none."""
    if connection.vendor != "postgresql":
        return 0
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        return int(cursor.fetchone()[0])


def disturb(backends: Sequence[int]) -> None:
    try:
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                for pid in backends:
                    cursor.execute("SELECT pg_terminate_backend(%s)", [pid])
        else:
            with transaction.atomic():
                time.sleep(0.7)
    finally:
        connections.close_all()
