"""What the play socket does with strangers, nonsense and floods: nothing is stored, nothing dies."""

import asyncio
import json
import time
from typing import Any

import pytest
from asgiref.sync import sync_to_async

from playtest.studies.choices import EventKind, Kind, Status, StudyState
from playtest.studies.consumers import PlayConsumer
from playtest.studies.models import Attempt, Event, Move, Participant, Round
from playtest.studies.play import sockets
from playtest.studies.play.hub import Hub
from playtest.studies.services import participant_withdraw, study_set_state
from tests.playtest.studies.client import PlayClient
from tests.playtest.studies.factory import make_participant, make_study

pytestmark = pytest.mark.django_db(transaction=True)


async def newcomer(**kwargs: object) -> tuple[Participant, PlayClient, str]:
    study = await sync_to_async(make_study)(**kwargs)
    participant, token = await sync_to_async(make_participant)(study)
    return participant, PlayClient(study.public_id, token), token


async def stored() -> int:
    def count() -> int:
        return Move.objects.count() + Attempt.objects.count()

    return await sync_to_async(count)()


@pytest.mark.parametrize("origin", [b"", b"http://elsewhere.example", b"null", b"http://localhost.elsewhere.example"])
async def test_other_origins_are_refused_in_the_handshake(hub: Hub, origin: bytes) -> None:
    _, client, token = await newcomer()
    stranger = PlayClient(client.study, token, origin=origin)
    assert await stranger.connect() is False


@pytest.mark.parametrize("subprotocols", [[], ["playtest.2"], ["chat"]])
async def test_other_subprotocols_are_refused_in_the_handshake(hub: Hub, subprotocols: list[str]) -> None:
    _, client, token = await newcomer()
    assert await PlayClient(client.study, token, subprotocols=subprotocols).connect() is False


async def test_unknown_cookie_is_told_and_closed(hub: Hub) -> None:
    _, client, _ = await newcomer()
    stranger = PlayClient(client.study, "x" * 43)
    assert await stranger.connect()
    error = await stranger.expect("error")
    assert (error["code"], error["fatal"]) == ("no_identity", True)
    assert await stranger.closed() == 4401


async def test_cookie_of_one_study_is_worth_nothing_in_another(hub: Hub) -> None:
    _, _, token = await newcomer()
    _, other, _ = await newcomer()
    stranger = PlayClient(other.study, token)
    assert await stranger.connect()
    assert (await stranger.expect("error"))["code"] == "no_identity"
    assert await stranger.closed() == 4401


async def test_page_that_somebody_else_left_open_does_not_play_for_who_came_after(hub: Hub) -> None:
    """A board comes back with the browser's cookie: by then it may be that of the next person."""
    study = await sync_to_async(make_study)()
    (first, _), (second, token) = [await sync_to_async(make_participant)(study) for _ in range(2)]
    left_open = PlayClient(study.public_id, token, person=first.mark)
    assert await left_open.connect()
    assert (await left_open.expect("error"))["code"] == "no_identity"
    assert await left_open.closed() == 4401
    own = PlayClient(study.public_id, token, person=second.mark)
    assert (await own.hello())["owner"] is True
    await own.leave()


async def test_participants_play_their_own_rounds_only(hub: Hub) -> None:
    """The labels of rounds are the same for everybody; the cookie alone says whose they are."""
    study = await sync_to_async(make_study)()
    (_, one), (second, two) = [await sync_to_async(make_participant)(study) for _ in range(2)]
    first_client, second_client = PlayClient(study.public_id, one), PlayClient(study.public_id, two)
    await first_client.hello()
    await second_client.hello()
    await first_client.play()

    def moves_of_second() -> int:
        return Move.objects.filter(round__participant=second).count()

    assert await sync_to_async(moves_of_second)() == 0
    await first_client.leave()
    await second_client.leave()


@pytest.mark.parametrize("text", ["not json", '{"t":"nonsense"}', '{"t":"hello","v":1,"tab":"tab-1","claim":"new"}'])
async def test_malformed_messages_are_told_and_the_third_ends_it(hub: Hub, text: str) -> None:
    _, client, _ = await newcomer()
    await client.hello()
    for _ in range(2):
        await client.send(text)
        error = await client.expect("error")
        assert (error["code"], error["fatal"]) == ("malformed", False)
        assert error["say"]
    await client.play()
    await client.send(text)
    error = await client.expect("error")
    assert (error["code"], error["fatal"]) == ("malformed", True)
    assert await client.closed() == 4400
    assert await stored() == 1


@pytest.mark.parametrize(
    "text",
    [
        "x" * 1_000_000,
        '{"t":"act","round":"1.1","seq":1,"id":"abcdefgh","action":[[0,0],[0,1]]' + " " * 500 + "}",
    ],
)
async def test_too_large_a_message_ends_it(hub: Hub, text: str) -> None:
    _, client, _ = await newcomer()
    await client.hello()
    await client.send(text)
    assert (await client.expect("error"))["code"] == "too_large"
    assert await client.closed() == 1009
    assert await stored() == 0


async def test_binary_message_ends_it(hub: Hub) -> None:
    _, client, _ = await newcomer()
    await client.hello()
    await client.socket.send_bytes(b'{"t":"ping","n":1}')
    await client.expect("error")
    assert await client.closed() == 1003


async def test_other_version_is_told_to_reload(hub: Hub) -> None:
    _, client, _ = await newcomer()
    assert await client.connect()
    await client.say_hello(v=2, new_key="of a later version")
    assert (await client.expect("error"))["code"] == "version"
    assert await client.closed() == 4426


@pytest.mark.parametrize("first", [{"t": "state?"}, {"t": "more"}, {"t": "ev", "items": [{"k": "hidden", "at": 1}]}])
async def test_hello_comes_first(hub: Hub, first: dict[str, object]) -> None:
    _, client, _ = await newcomer()
    assert await client.connect()
    await client.send(first)
    assert (await client.expect("error"))["code"] == "malformed"
    await client.say_hello()
    await client.expect("state")
    await client.leave()


async def test_resume_without_an_epoch_is_malformed(hub: Hub) -> None:
    _, client, _ = await newcomer()
    assert await client.connect()
    await client.say_hello(claim="resume")
    assert (await client.expect("error"))["code"] == "malformed"
    await client.leave()


async def test_ping_is_answered_and_state_is_told_again(hub: Hub) -> None:
    _, client, _ = await newcomer()
    state = await client.hello()
    await client.send({"t": "ping", "n": 12, "rtt": 31})
    assert await client.expect("pong") == {"t": "pong", "n": 12}
    await client.send({"t": "state?"})
    assert await client.expect("state") == state
    await client.send({"t": "more"})
    assert await client.quiet()
    await client.leave()


async def test_too_many_actions_are_slowed_down_and_a_flood_ends_it(hub: Hub) -> None:
    _, client, _ = await newcomer()
    await client.hello()
    wish = client.wish([[0, 0], [3, 3]])
    reasons: list[str] = []
    for number in range(400):
        await client.send({**wish, "id": f"flood-{number:06}"})
        answer = await client.receive()
        if answer["t"] == "error":
            assert answer["code"] == "too_many"
            break
        reasons.append(answer["reason"])
        if answer["reason"] == "slow_down":
            assert 0 < answer["retry_ms"] <= 101
    assert await client.closed() == 4429
    assert reasons[:20] == ["not_adjacent"] * 20
    assert reasons.count("slow_down") == 199
    assert await stored() == 0


async def test_events_are_kept_and_beyond_the_rate_dropped(hub: Hub) -> None:
    _, client, _ = await newcomer()
    await client.hello()
    lot = {
        "t": "ev",
        "items": [{"k": "hidden", "at": 51233, "d": {}}, {"k": "of_a_later_page", "at": 1, "d": {"a": 1}}],
    }
    for _ in range(10):
        await client.send(lot)
    await client.send({"t": "ping", "n": 1})
    await client.expect("pong")
    await client.play()
    await client.leave()
    kept = await sync_to_async(lambda: list(Event.objects.filter(kind=1).values_list("client_ms", "conn")))()
    assert kept == [(51233, 1)] * 4
    await hub.writer.call(lambda: None)
    dropped = await sync_to_async(Event.objects.get)(kind=EventKind.DROPPED)
    # Four of a kind that this server does not know, and six lots that came too fast.
    assert json.loads(dropped.data) == {"events": 4 + 6 * 2}


@pytest.mark.parametrize(
    ("given", "kept", "flags"),
    [
        ({"think": 1840, "anim": 620, "hidden": 10}, (1840, 620, 10), 0),
        ({"think": None, "anim": None, "hidden": None}, (None, None, None), 0),
        ({"think": -5, "anim": 620, "hidden": 0}, (None, 620, 0), 1),
        ({"think": 86_400_001, "anim": 86_400_000, "hidden": 0}, (None, 86_400_000, 0), 1),
        ({"think": 12.5, "anim": 1e300, "hidden": 10**40}, (None, None, None), 1),
    ],
)
async def test_client_times_decide_nothing(
    hub: Hub, given: dict[str, object], kept: tuple[object, ...], flags: int
) -> None:
    _, client, _ = await newcomer()
    await client.hello()
    await client.send({"t": "ping", "n": 1, "rtt": 31})
    await client.expect("pong")
    await client.send(client.wish(client.legal()[0], **given))
    client.follow(await client.expect("ack"))
    move = await sync_to_async(Move.objects.get)()
    assert (move.think_ms, move.anim_ms, move.hidden_ms) == kept
    assert (move.flags, move.rtt_ms, move.server_ms) == (flags, 31, None)
    await client.play()
    second = await sync_to_async(Move.objects.get)(seq=2)
    assert 0 <= second.server_ms < 5_000
    await client.leave()


async def test_clocks_that_disagree_are_flagged(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    _, client, _ = await newcomer()
    await client.hello()
    await client.play()
    from playtest.studies import consumers

    monkeypatch.setattr(consumers, "CLOCKS_MS", -2_000)
    await client.send(client.wish(client.legal()[0], think=0, anim=0))
    await client.expect("ack")
    move = await sync_to_async(Move.objects.get)(seq=2)
    assert move.flags == 2
    await client.leave()


async def test_withdrawal_in_another_window_ends_play_and_leaves_nothing(hub: Hub) -> None:
    participant, client, _ = await newcomer()
    await client.hello()
    await client.play()
    await sync_to_async(participant_withdraw)(participant=participant)
    await client.send(client.wish(client.legal()[0]))
    assert (await client.expect("error"))["code"] == "ended"
    assert await client.closed() == 4410
    assert await stored() == 0
    assert await sync_to_async(Event.objects.count)() == 0


async def test_look_at_the_database_tells_of_withdrawal_and_closing(hub: Hub) -> None:
    participant, client, _ = await newcomer()
    await client.hello()
    study = await sync_to_async(lambda: participant.study)()
    await sync_to_async(study_set_state)(study=study, state=StudyState.CLOSED)
    await hub.watch()
    await client.expect("error")
    assert await client.closed() == 4410
    late = PlayClient(client.study, client.token)
    assert await late.connect()
    assert (await late.expect("error"))["code"] == "ended"
    assert await late.closed() == 4410


async def test_socket_that_fails_does_not_keep_the_others_from_being_told(
    hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, first, _ = await newcomer()
    await first.hello()
    (_, broken), *_ = hub.seats.values()

    async def fail(seen: object) -> None:
        raise RuntimeError("the connection is gone")

    monkeypatch.setattr(broken, "notice", fail)
    participant, client, _ = await newcomer()
    await client.hello()
    await sync_to_async(participant_withdraw)(participant=participant)
    await hub.watch()
    assert (await client.expect("error"))["code"] == "ended"


async def test_move_after_the_study_was_closed_is_not_stored(hub: Hub) -> None:
    participant, client, _ = await newcomer()
    await client.hello()
    study = await sync_to_async(lambda: participant.study)()
    await sync_to_async(study_set_state)(study=study, state=StudyState.CLOSED)
    await client.send(client.wish(client.legal()[0]))
    assert (await client.expect("error"))["code"] == "ended"
    assert await client.closed() == 4410
    assert await stored() == 0


async def test_nobody_plays_before_consent(hub: Hub) -> None:
    study = await sync_to_async(make_study)()
    _, token = await sync_to_async(make_participant)(study, agree=False)
    client = PlayClient(study.public_id, token)
    assert await client.connect()
    await client.say_hello()
    assert (await client.expect("error"))["code"] == "ended"
    assert await client.closed() == 4410
    assert await sync_to_async(Round.objects.count)() == 0
    assert await sync_to_async(Participant.objects.get)() is not None


async def test_nobody_plays_before_the_questions_are_answered(hub: Hub) -> None:
    from playtest.studies.services import consent_decide, participant_start

    study = await sync_to_async(make_study)(questions=True)
    started = await sync_to_async(participant_start)(study=study, kind=Kind.PERSON)
    await sync_to_async(consent_decide)(participant=started.participant, agree=True)
    client = PlayClient(study.public_id, started.token)
    assert await client.connect()
    await client.say_hello()
    assert (await client.expect("error"))["code"] == "ended"
    assert await client.closed() == 4410
    assert started.participant.status == Status.ACTIVE


async def test_fifth_window_closes_the_oldest(hub: Hub) -> None:
    _, client, token = await newcomer()
    windows = [PlayClient(client.study, token) for _ in range(5)]
    for window in windows:
        assert await window.connect()
    # The identity of a socket is looked up after it is accepted; a ping is answered once that is done.
    for window in windows[1:]:
        await window.send({"t": "ping", "n": 1})
        await window.expect("pong")
    await windows[0].expect("taken")
    assert await windows[0].closed() == 4409
    for window in windows[1:]:
        await window.leave()


async def test_two_windows_that_fight_are_stopped(hub: Hub) -> None:
    _, client, token = await newcomer()
    await client.hello()
    for _ in range(10):
        other = PlayClient(client.study, token)
        await other.hello()
        await client.expect("taken")
        assert await client.closed() == 4409
        client = other
    last = PlayClient(client.study, token)
    assert await last.connect()
    await last.say_hello()
    assert (await last.expect("error"))["code"] == "too_many"
    assert await last.closed() == 4429
    await client.play()
    await client.leave()


async def test_silent_socket_is_dropped_and_a_speaking_one_is_not(hub: Hub) -> None:
    closed: list[int] = []

    async def note(message: dict[str, Any]) -> None:
        if message["type"] == "websocket.close":
            closed.append(message["code"])

    socket = PlayConsumer()
    socket.base_send, socket.hub = note, hub
    socket.heard_at = time.monotonic() - sockets.SILENT_SECONDS + 1
    socket.watch_silence()
    assert socket.silence is not None
    assert socket.silence.when() - asyncio.get_running_loop().time() == pytest.approx(1, abs=0.5)
    socket.silence.cancel()
    socket.heard_at = time.monotonic() - sockets.SILENT_SECONDS
    socket.watch_silence()
    await asyncio.gather(*(task for task in hub.tasks if task.get_name() == "drop-silent"))
    assert closed == [1000]


async def test_who_is_heard_of_is_noted_for_the_monitor(hub: Hub) -> None:
    participant, client, _ = await newcomer()
    await client.hello()
    await sync_to_async(Participant.objects.filter(pk=participant.pk).update)(last_seen_at=participant.started_at)
    await client.send({"t": "ping", "n": 1})
    await client.expect("pong")
    await hub.tell_seen()
    await sync_to_async(participant.refresh_from_db)()
    assert participant.last_seen_at > participant.started_at
    assert not hub.heard
    await client.leave()


async def test_client_that_does_not_take_what_it_is_sent_is_let_go(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sockets, "SEND_SECONDS", 0.1)
    closed: list[int] = []

    async def stuck(message: dict[str, Any]) -> None:
        if message["type"] == "websocket.close":
            closed.append(message["code"])
        elif message["type"] == "websocket.send":
            await asyncio.sleep(60)

    socket = PlayConsumer()
    socket.base_send = stuck
    socket.hub = hub
    await socket.tell({"t": "pong", "n": 1})
    assert closed == [4413]
    assert socket.closed


async def test_messages_stay_small(hub: Hub) -> None:
    _, client, _ = await newcomer(moves=20, rounds=1)
    state = await client.hello()
    assert len(json.dumps(state)) < 2_000
    while not client.state["over"]:
        ack = await client.play()
        assert len(json.dumps(ack)) < 64 * 1024
    await client.leave()
