"""The play socket case by case, as the table of the protocol has them."""

import pytest
from asgiref.sync import sync_to_async

from engine.round import Round as EngineRound
from playtest.studies.choices import EventKind, RoundState, Status
from playtest.studies.models import Attempt, Event, Move, Participant, Round
from playtest.studies.play.hub import Hub
from playtest.studies.selectors.documents import round_level
from tests.playtest.studies.client import PlayClient, rows_of
from tests.playtest.studies.factory import make_participant, make_study


async def newcomer(**kwargs: object) -> tuple[Participant, PlayClient, str]:
    study = await sync_to_async(make_study)(**kwargs)
    participant, token = await sync_to_async(make_participant)(study)
    return participant, PlayClient(study.public_id, token), token


async def count(model: type, **filters: object) -> int:
    return await sync_to_async(model.objects.filter(**filters).count)()


async def test_state_comes_first_and_says_everything(hub: Hub) -> None:
    participant, client, _ = await newcomer()
    state = await client.hello()
    row = (await rows_of(participant))[0]
    assert state["round"] == "1.1"
    assert (state["n"], state["of"], state["purpose"]) == (1, 2, "scored")
    assert (state["rows"], state["cols"], state["left"], state["seq"], state["score"]) == (7, 7, 3, 0, 0)
    assert state["board"] == list(round_level(row).board)
    assert state["last"] is None
    assert state["over"] is None
    assert state["owner"] is True
    assert state["epoch"] == 1
    assert state["gesture"] == "swap"
    assert state["anim"] == {"swap": 180, "step": 320, "cap": 2500}
    assert state["say"] == "Round 1 of 2. 3 moves left. 0 points."
    assert row.state == RoundState.OPEN
    await client.leave()


async def test_legal_move_is_stored_before_it_is_acknowledged(hub: Hub) -> None:
    participant, client, _ = await newcomer()
    await client.hello()
    action = client.legal()[0]
    wish = client.wish(action)
    await client.send(wish)
    ack = await client.expect("ack")
    assert (ack["id"], ack["seq"], ack["dup"], ack["left"]) == (wish["id"], 1, False, 2)
    assert ack["gained"] == ack["score"] >= 60
    assert [frame["f"] for frame in ack["frames"]][:3] == ["swap", "clear", "fall"]
    row = (await rows_of(participant))[0]
    move = await sync_to_async(Move.objects.get)(round=row)
    assert (move.seq, move.client_id, move.score_after, move.conn) == (1, wish["id"], ack["score"], 1)
    assert (row.seq, row.score, row.moves_used) == (1, ack["score"], 1)
    replayed = EngineRound.replay(round_level(row), [move.action])
    assert (replayed.board, replayed.check()) == (ack["board"], move.check_hex)
    await client.leave()


async def test_illegal_swap_is_an_attempt_that_costs_nothing(hub: Hub) -> None:
    participant, client, _ = await newcomer()
    await client.hello()
    wish = client.wish(client.illegal())
    await client.send(wish)
    reject = await client.expect("reject")
    assert (reject["reason"], reject["id"]) == ("illegal", wish["id"])
    row = (await rows_of(participant))[0]
    assert (row.seq, row.attempts) == (0, 1)
    attempt = await sync_to_async(Attempt.objects.get)(round=row)
    assert (attempt.before_seq, attempt.action) == (1, wish["action"])
    # The same number is still free, and the same attempt is answered again without being stored twice.
    await client.send(wish)
    assert (await client.expect("reject"))["reason"] == "illegal"
    await client.play()
    assert await count(Attempt) == 1
    await client.leave()


@pytest.mark.parametrize(
    ("action", "reason"),
    [
        ([[0, 0], [0, 2]], "not_adjacent"),
        ([[0, 0], [1, 1]], "not_adjacent"),
        ([[3, 3], [3, 3]], "not_adjacent"),
        ([[6, 6], [7, 6]], "off_board"),
        ([[-1, 0], [0, 0]], "off_board"),
        ([[0, 0]], "bad_action"),
        ([[0, 0], [0, True]], "bad_action"),
        ([[0, 0], [0, 1.0]], "bad_action"),
        ("undo", "bad_action"),
        (None, "bad_action"),
        ({"a": 1}, "bad_action"),
    ],
)
async def test_nonsense_is_refused_and_not_stored(hub: Hub, action: object, reason: str) -> None:
    _, client, _ = await newcomer()
    await client.hello()
    await client.send(client.wish(action))
    reject = await client.expect("reject")
    assert reject["reason"] == reason
    assert reject["say"]
    assert await count(Move) == await count(Attempt) == 0
    await client.play()
    await client.leave()


async def test_same_wish_sent_again_is_answered_again_and_stored_once(hub: Hub) -> None:
    _, client, _ = await newcomer()
    await client.hello()
    wish = client.wish(client.legal()[0])
    await client.send(wish)
    first = await client.expect("ack")
    client.follow(first)
    await client.play()
    await client.send(wish)
    again = await client.expect("ack")
    assert again == {**first, "dup": True}
    assert await count(Move) == 2
    await client.leave()


async def test_same_wish_while_its_commit_runs_is_answered_once(hub: Hub) -> None:
    _, client, _ = await newcomer()
    await client.hello()
    wish = client.wish(client.legal()[0])
    await client.send(wish)
    await client.send(wish)
    await client.expect("ack")
    assert await client.quiet() or (await client.receive())["dup"] is True
    assert await count(Move) == 1
    await client.leave()


@pytest.mark.parametrize("change", ["action", "seq"])
async def test_same_id_with_other_content_is_a_conflict(hub: Hub, change: str) -> None:
    _, client, _ = await newcomer()
    await client.hello()
    wish = client.wish(client.legal()[0])
    await client.send(wish)
    client.follow(await client.expect("ack"))
    other = {"action": client.legal()[-1], "seq": 2}
    await client.send({**wish, change: other[change]})
    assert (await client.expect("reject"))["reason"] == "conflict"
    state = await client.expect("state")
    assert (state["seq"], state["last"]) == (1, {"seq": 1, "id": wish["id"]})
    assert await count(Move) == 1
    await client.leave()


@pytest.mark.parametrize(("seq", "reason"), [(0, "stale_seq"), (1, "stale_seq"), (3, "gap"), (900, "gap")])
async def test_wrong_number_is_refused_with_the_state(hub: Hub, seq: int, reason: str) -> None:
    _, client, _ = await newcomer()
    await client.hello()
    await client.play()
    await client.send(client.wish(client.legal()[0], seq=seq))
    assert (await client.expect("reject"))["reason"] == reason
    assert (await client.expect("state"))["seq"] == 1
    assert await count(Move) == 1
    await client.leave()


async def test_second_action_while_one_is_open_is_busy(hub: Hub) -> None:
    _, client, _ = await newcomer()
    await client.hello()
    first, second = client.wish(client.legal()[0]), client.wish(client.legal()[1], seq=2)
    await client.send(first)
    await client.send(second)
    answers = [await client.receive(), await client.receive()]
    kinds = {answer["t"] for answer in answers}
    # Whether the second came before the commit is a race; either way at most one move of each number is stored.
    if kinds == {"ack", "reject"}:
        [refused] = [answer for answer in answers if answer["t"] == "reject"]
        assert (refused["reason"], refused["id"]) == ("busy", second["id"])
        assert await count(Move) == 1
    await client.leave()


async def test_action_of_another_round_is_stale(hub: Hub) -> None:
    _, client, _ = await newcomer()
    await client.hello()
    await client.send(client.wish(client.legal()[0], round="2.1"))
    assert (await client.expect("reject"))["reason"] == "stale_round"
    assert (await client.expect("state"))["round"] == "1.1"
    assert await count(Move) == 0
    await client.leave()


async def test_round_ends_with_its_last_move_and_takes_no_more(hub: Hub) -> None:
    participant, client, _ = await newcomer()
    await client.hello()
    end = await client.play_to_end()
    assert (end["reason"], end["round"], end["next"]) == ("moves", "1.1", f"/s/{client.study}/next")
    row = (await rows_of(participant))[0]
    assert (row.state, row.seq, row.score) == (RoundState.DONE, 3, end["score"])
    await client.send(client.wish(client.legal()[0]))
    assert (await client.expect("reject"))["reason"] == "over"
    state = await client.expect("state")
    assert state["over"] == {"reason": "moves"}
    assert await client.expect("end") == end
    assert await count(Move) == 3
    await client.leave()


async def test_finished_round_is_shown_again_on_resume(hub: Hub) -> None:
    _, client, token = await newcomer()
    first = await client.hello()
    end = await client.play_to_end()
    await client.leave()
    again = PlayClient(client.study, token)
    await again.resume(first)
    state = await again.expect("state")
    assert state["over"] == {"reason": "moves"}
    assert await again.expect("end") == end
    await again.leave()


async def test_next_round_opens_by_a_new_claim_and_the_last_completes_the_study(hub: Hub) -> None:
    participant, client, token = await newcomer(questions=True)
    study = client.study
    for label in ("1.1", "2.1"):
        client = PlayClient(study, token)
        state = await client.hello()
        assert state["round"] == label
        await client.play_to_end()
        await client.leave()
    await sync_to_async(participant.refresh_from_db)()
    assert participant.status == Status.COMPLETED
    for row in await rows_of(participant):
        codes = await sync_to_async(lambda row=row: list(row.moves.order_by("seq").values_list("action", flat=True)))()
        assert EngineRound.replay(await sync_to_async(round_level)(row), codes).score == row.score
    late = PlayClient(study, token)
    assert await late.connect()
    await late.say_hello()
    assert (await late.expect("error"))["code"] == "ended"
    assert await late.closed() == 4410


async def test_reload_finds_everything(hub: Hub) -> None:
    _, client, token = await newcomer()
    await client.hello()
    ack = await client.play()
    await client.leave()
    again = PlayClient(client.study, token, tab="tab-2")
    state = await again.hello()
    assert (state["board"], state["score"], state["seq"], state["left"]) == (ack["board"], ack["score"], 1, 2)
    assert state["last"] == {"seq": 1, "id": ack["id"]}
    assert state["epoch"] == 2
    await again.leave()


async def test_lost_ack_is_found_in_the_state_after_resume(hub: Hub) -> None:
    _, client, token = await newcomer()
    first = await client.hello()
    wish = client.wish(client.legal()[0])
    await client.send(wish)
    await client.expect("ack")
    await client.leave()
    again = PlayClient(client.study, token)
    await again.resume(first)
    state = await again.expect("state")
    assert state["last"] == {"seq": 1, "id": wish["id"]}
    await again.send(wish)
    assert (await again.expect("ack"))["dup"] is True
    assert await count(Move) == 1
    await again.leave()


async def test_newest_tab_plays_and_the_other_is_told(hub: Hub) -> None:
    _, first, token = await newcomer()
    await first.hello()
    await first.play()
    second = PlayClient(first.study, token, tab="tab-2")
    state = await second.hello()
    assert (state["seq"], state["owner"], state["epoch"]) == (1, True, 2)
    assert await first.expect("taken") == {"t": "taken", "by": "other_tab"}
    assert await first.closed() == 4409
    await second.play()
    assert await count(Event, kind=EventKind.TAKEOVER) == 1
    await second.leave()


async def test_tab_that_wakes_late_does_not_take_the_round_back(hub: Hub) -> None:
    _, first, token = await newcomer()
    old = await first.hello()
    await first.leave()
    study = first.study
    second = PlayClient(study, token, tab="tab-2")
    await second.hello()
    woken = PlayClient(study, token)
    await woken.resume(old)
    state = await woken.expect("state")
    assert state["owner"] is False
    await woken.expect("taken")
    assert await woken.closed() == 4409
    await second.play()
    await second.leave()


async def test_move_under_an_old_epoch_is_refused_by_the_fence(hub: Hub) -> None:
    """Another process took the round, and this one has not heard of it yet."""
    participant, client, _ = await newcomer()
    await client.hello()
    row = (await rows_of(participant))[0]
    await sync_to_async(Round.objects.filter(pk=row.pk).update)(play_epoch=7)
    await client.send(client.wish(client.legal()[0]))
    assert (await client.expect("reject"))["reason"] == "not_owner"
    await client.expect("taken")
    assert await client.closed() == 4409
    assert await count(Move) == 0


async def test_look_at_the_database_tells_of_a_takeover_elsewhere(hub: Hub) -> None:
    participant, client, _ = await newcomer()
    await client.hello()
    row = (await rows_of(participant))[0]
    await sync_to_async(Round.objects.filter(pk=row.pk).update)(play_epoch=7)
    await hub.watch()
    await client.expect("taken")
    assert await client.closed() == 4409


async def test_two_processes_that_judge_the_same_number_store_one(hub: Hub) -> None:
    """The other process stored move 1 under the same epoch: ours is refused, the round read anew, play goes on."""
    participant, client, _ = await newcomer()
    await client.hello()
    row = (await rows_of(participant))[0]

    def other_process() -> None:
        from playtest.studies.services.moves import play_write
        from tests.playtest.studies.jobs import first_move

        play_write([first_move(row, epoch=1)])

    await sync_to_async(other_process)()
    await client.send(client.wish(client.legal()[-1]))
    assert (await client.expect("reject"))["reason"] == "stale_seq"
    client.state = await client.expect("state")
    assert client.state["seq"] == 1
    await client.play()
    assert await count(Move) == 2
    await client.leave()
