"""Practice: rounds that do not count, what is to be tried in them, again and again, and on to what counts."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.core.management import call_command
from django.db import connections
from django.test import Client
from django.urls import reverse

from playtest.studies.choices import EndReason, Kind, Purpose, RoundState, Status
from playtest.studies.document import parse_study
from playtest.studies.editor.differences import differences
from playtest.studies.editor.shown import pages_shown
from playtest.studies.errors import StudyError
from playtest.studies.models import Move, PageVisit, Participant, Round, Study
from playtest.studies.play.hub import Hub
from playtest.studies.selectors.flags import seen_of
from playtest.studies.selectors.practice import ENOUGH_MOVES, MOST_PRACTICE, practice_of
from playtest.studies.selectors.scores import scores_by_level
from playtest.studies.selectors.steps import step_due
from playtest.studies.services import participant_withdraw, study_create, study_publish
from playtest.studies.services.completion import completion_faults
from playtest.studies.services.practice import practice_again, practice_leave
from tests.playtest.studies.client import PlayClient
from tests.playtest.studies.factory import DROPS, level_file, make_participant, study_document
from tests.playtest.studies.server import WebServer

SAMEGAME = {"game": "samegame", "name": "", "rows": 2, "cols": 4, "colours": 3, "seed": 1, "board": ["AABB", "CCAA"]}


def practice_page(*, level: dict[str, Any] | None = None, key: str = "practice", **changes: Any) -> dict[str, Any]:
    drawn = {"game": "match3", "rows": 5, "cols": 5, "colours": 4, "moves": 4}
    rounds = [{"key": "a", "level": level} if level else {"key": "a", "random": drawn}]
    return {"key": key, "kind": "practice", "title": "Practice", "rounds": rounds, **changes}


def practice_document(*pages: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
    document = study_document(**kwargs)
    document["pages"][1:1] = pages or (practice_page(),)
    return document


def practice_study(*pages: dict[str, Any], **kwargs: Any) -> Study:
    study = study_create(owner=None, document=practice_document(*pages, **kwargs))
    study_publish(study=study)
    return study


def newcomer(*pages: dict[str, Any], **kwargs: Any) -> tuple[Participant, PlayClient]:
    study = practice_study(*pages, **kwargs)
    participant, token = make_participant(study)
    return participant, PlayClient(study.public_id, token)


def practised(participant: Participant) -> list[Round]:
    return list(Round.objects.filter(participant=participant, purpose=Purpose.PRACTICE).order_by("attempt"))


def due_page(participant: Participant) -> Any:
    participant.refresh_from_db()
    return step_due(participant).page


async def play_until_cascade(client: PlayClient) -> dict[str, Any]:
    """Legal moves until what fell matched by itself, or the round is over."""
    ack = await client.play()
    while "cascade" not in ack["checks"] and not ack["over"]:
        ack = await client.play()
    return ack


async def test_practice_comes_first_at_position_0_and_counts_nowhere(hub: Hub) -> None:
    participant, client = await sync_to_async(newcomer)(rounds=2, moves=2)
    state = await client.hello()
    assert (state["round"], state["purpose"], state["n"], state["of"]) == ("0.1", "practice", 0, 2)
    assert state["say"].startswith("Practice round. ")
    assert (state["rows"], state["cols"], state["left"], state["checks"]) == (5, 5, 4, [])
    assert (await client.play())["checks"][-1:] == ["legal"]
    await client.leave()

    def look() -> None:
        assert [row.kind for row in practised(participant)] == [Kind.PERSON]
        (row,) = practised(participant)
        assert (row.position, row.attempt, row.key, row.state) == (0, 1, "practice", RoundState.OPEN)
        scored = Round.objects.filter(participant=participant, purpose=Purpose.SCORED)
        assert list(scored.order_by("position").values_list("position", flat=True)) == [1, 2]
        seen = seen_of(participants=[participant])[participant.pk]
        assert ([one.position for one in seen.rounds], seen.every_move) == ([1, 2], [])
        results = scores_by_level(study=participant.study, kinds=[Kind.PERSON])
        assert sum(len(group.results) for group in results) == 0

    await sync_to_async(look)()


async def test_what_is_to_be_tried_is_told_and_lets_people_on(hub: Hub) -> None:
    # These drops make cascades, so that what has to be seen is.
    page = practice_page(level=level_file(seed=77, moves=20))
    participant, client = await sync_to_async(newcomer)(page)
    state = await client.hello()
    assert state["checks"] == []
    with pytest.raises(StudyError) as error:
        await sync_to_async(lambda: practice_leave(participant=participant, page=due_page(participant)))()
    assert error.value.code == "practice"
    await client.send(client.wish(client.illegal()))
    assert (await client.expect("reject"))["checks"] == ["illegal"]
    ack = await play_until_cascade(client)
    assert ack["checks"] == ["cascade", "illegal", "legal"]
    # Another process knows it too.
    await client.leave()
    again = PlayClient(client.study, client.token)
    assert (await again.hello())["checks"] == ["cascade", "illegal", "legal"]

    def go_on() -> str:
        practice_leave(participant=participant, page=due_page(participant))
        participant.refresh_from_db()
        return step_due(participant).kind

    assert await sync_to_async(go_on)() == "rounds"
    (row,) = await sync_to_async(practised)(participant)
    assert (row.state, row.reason) == (RoundState.DONE, EndReason.LEFT)
    # The page that still shows the round cannot play it any more.
    await again.send(again.wish(again.legal()[0]))
    assert (await again.expect("reject"))["reason"] == "over"
    state = await again.expect("state")
    assert state["over"] == {"reason": "left"}
    assert (await again.expect("end"))["reason"] == "left"
    await again.leave()
    last = PlayClient(client.study, client.token)
    assert (await last.hello())["round"] == "1.1"
    await last.leave()


async def test_practice_is_repeated_on_the_next_board_and_what_was_tried_stays(hub: Hub) -> None:
    page = practice_page()
    page["rounds"].append({"key": "b", "level": level_file(seed=78, moves=3)})
    participant, client = await sync_to_async(newcomer)(page)
    first = await client.hello()
    await client.play()
    await client.leave()
    boards = [first["board"]]
    for attempt in (2, 3):
        await sync_to_async(lambda: practice_again(participant=participant, page=due_page(participant)))()
        # Pressed twice: the one that is planned is the next.
        await sync_to_async(lambda: practice_again(participant=participant, page=due_page(participant)))()
        client = PlayClient(client.study, client.token)
        state = await client.hello()
        assert (state["round"], "legal" in state["checks"]) == (f"0.{attempt}", True)
        boards.append(state["board"])
        await client.leave()
    rows = await sync_to_async(practised)(participant)
    assert [(row.attempt, row.state) for row in rows] == [
        (1, RoundState.DONE),
        (2, RoundState.DONE),
        (3, RoundState.OPEN),
    ]
    assert boards[1] == level_file(seed=78)["board"]
    assert boards[0] != boards[2]
    assert len(boards[2]) == 5


async def test_a_round_of_practice_that_is_played_out_asks_what_next(hub: Hub) -> None:
    participant, client = await sync_to_async(newcomer)(practice_page(skip=True), rounds=1, moves=2)
    await client.hello()
    end = await client.play_to_end()
    assert end["round"] == "0.1"
    await client.leave()

    def walk() -> None:
        browser = Client()
        browser.cookies["participant"] = client.token
        url = f"/s/{client.study}"
        shown = browser.get(f"{url}/play")
        assert shown.status_code == 200
        assert b"play-config" not in shown.content
        assert b"Practise again" in shown.content
        # Nobody plays here before they have chosen, and opening the page changed nothing.
        assert [row.state for row in practised(participant)] == [RoundState.DONE]
        assert browser.post(f"{url}/practice", {"do": "again"}).url == f"{url}/next"
        assert b"play-config" in browser.get(f"{url}/play").content
        browser.post(f"{url}/practice", {"do": "go_on"})
        browser.post(f"{url}/practice", {"do": "go_on"})
        assert [row.state for row in practised(participant)] == [RoundState.DONE, RoundState.VOID]
        assert list(PageVisit.objects.values_list("page_key", flat=True)) == ["practice"]
        page = browser.get(f"{url}/play").content
        assert b"Round 1 of 1" in page
        assert b"Practise again" not in page

    await sync_to_async(walk)()
    last = PlayClient(client.study, client.token)
    await last.hello()
    await last.play_to_end()
    await sync_to_async(participant.refresh_from_db)()
    assert participant.status == Status.COMPLETED
    assert await sync_to_async(completion_faults)(participant) == []
    await last.leave()


async def test_samegame_practises_looking_and_removing(hub: Hub) -> None:
    participant, client = await sync_to_async(newcomer)(practice_page(level=SAMEGAME))
    state = await client.hello()
    assert (state["gesture"], state["checks"]) == ("group", [])
    await client.send(client.wish([1, 0]))
    assert (await client.expect("ack"))["checks"] == ["legal", "preview"]
    await sync_to_async(lambda: practice_leave(participant=participant, page=due_page(participant)))()
    assert await sync_to_async(lambda: due_page(participant).kind)() == "rounds"
    await client.leave()


def test_each_page_of_practice_has_its_own_rounds(db: None) -> None:
    participant, _ = newcomer(practice_page(skip=True), practice_page(key="groups", level=SAMEGAME, skip=True))
    assert [(row.key, row.attempt, row.game) for row in practised(participant)] == [
        ("practice", 1, "match3"),
        ("groups", 2, "samegame"),
    ]
    practice_again(participant=participant, page=due_page(participant))
    practice_leave(participant=participant, page=due_page(participant))
    assert due_page(participant).key == "groups"
    practice_leave(participant=participant, page=due_page(participant))
    assert due_page(participant).kind == "rounds"
    assert {row.state for row in practised(participant)} == {RoundState.VOID}


async def test_a_cascade_that_does_not_come_keeps_nobody_longer_than_some_moves(
    hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("playtest.studies.play.rounds.checks_of", lambda outcome: {"legal" if outcome else "illegal"})
    participant, client = await sync_to_async(newcomer)(practice_page(level=level_file(seed=77, moves=20)))
    assert (await client.hello())["go_on"] is False
    await client.send(client.wish(client.illegal()))
    assert (await client.expect("reject"))["go_on"] is False
    told = [(await client.play())["go_on"] for _ in range(ENOUGH_MOVES)]
    assert told == [False] * (ENOUGH_MOVES - 1) + [True]
    await client.leave()

    def look() -> bool:
        Move.blanking().filter(round__participant=participant).update(steps=1)
        practice = practice_of(participant=participant, page=due_page(participant))
        assert (practice.is_complete, practice.may_go_on) == (False, True)
        Round.objects.filter(participant=participant).update(attempts=0)
        # What is in everybody's hand is still asked for.
        return practice_of(participant=participant, page=due_page(participant)).may_go_on

    assert await sync_to_async(look)() is False
    again = PlayClient(client.study, client.token)
    state = await again.hello()
    assert (state["checks"], state["go_on"]) == (["legal"], False)
    await again.leave()


def test_the_page_says_what_is_needed_and_offers_no_other_round_before_anything_was_done(db: None) -> None:
    participant, play = newcomer()
    client = Client()
    client.cookies["participant"] = play.token
    address = reverse("studies:play", args=[play.study])
    text = client.get(address).text
    assert "“Continue” appears when all of it is done" in text
    assert "after 8 moves you can go on without one" in text
    assert 'data-play="again" hidden' in text
    Round.objects.filter(participant=participant, purpose=Purpose.PRACTICE).update(attempts=1)
    assert 'data-play="again">' in client.get(address).text


def test_a_page_that_may_be_skipped_says_that_instead(db: None) -> None:
    _, play = newcomer(practice_page(level=SAMEGAME, skip=True))
    client = Client()
    client.cookies["participant"] = play.token
    text = client.get(reverse("studies:play", args=[play.study])).text
    assert "or skip practice" in text
    assert "appears when" not in text
    assert "cascade" not in text.split("play__needed")[1].split("</p>")[0]


def test_nobody_is_kept_in_practice_for_ever(db: None) -> None:
    participant, _ = newcomer()
    page = due_page(participant)
    for _ in range(MOST_PRACTICE - 1):
        assert not practice_of(participant=participant, page=page).may_go_on
        Round.objects.filter(participant=participant, state=RoundState.PLANNED, purpose=Purpose.PRACTICE).update(
            state=RoundState.OPEN, started_at=participant.started_at
        )
        practice_again(participant=participant, page=page)
    Round.objects.filter(participant=participant, state=RoundState.PLANNED, purpose=Purpose.PRACTICE).update(
        state=RoundState.OPEN
    )
    with pytest.raises(StudyError) as error:
        practice_again(participant=participant, page=page)
    assert error.value.code == "practice"
    assert practice_of(participant=participant, page=page).may_go_on
    practice_leave(participant=participant, page=page)
    assert Move.objects.count() == 0


@pytest.mark.django_db(transaction=True)
def test_bots_practise_until_they_have_tried_everything(tmp_path: Path) -> None:
    study = practice_study(practice_page(), practice_page(key="groups", level=SAMEGAME), rounds=1, moves=2)
    connections.close_all()
    server = WebServer(tmp_path).start()
    output = StringIO()
    try:
        call_command(
            "bots", study.slug, "--participants=2", "--agent=random", f"--url={server.url}", "--json", stdout=output
        )
    finally:
        server.kill()
    lines = [json.loads(line) for line in output.getvalue().splitlines()]
    assert [line["finished"] for line in lines] == [True, True, 2]
    for participant in Participant.objects.all():
        assert participant.status == Status.COMPLETED
        scored = Round.objects.get(participant=participant, purpose=Purpose.SCORED)
        assert {line["code"]: line["points"] for line in lines[:-1]}[participant.code] == scored.score
        tried = Round.objects.filter(participant=participant, purpose=Purpose.PRACTICE, key="practice")
        assert sum(tried.values_list("attempts", flat=True)) >= 1
        moves = Move.objects.filter(round__in=tried)
        assert moves.filter(steps__gt=1).exists() or moves.count() >= ENOUGH_MOVES
        assert Round.objects.filter(participant=participant, key="groups", seq__gt=0).exists()


def test_who_withdraws_takes_practice_along(db: None) -> None:
    participant, _ = newcomer()
    participant_withdraw(participant=participant)
    assert practised(participant) == []


def test_a_board_that_counts_is_none_to_practise_on(db: None) -> None:
    level = level_file(seed=11, moves=3, drops=DROPS)
    with pytest.raises(StudyError, match=r"^Round 1 of page 2: this level is played in a round that counts"):
        parse_study(practice_document(practice_page(level={**level, "name": "Under another name"})))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"rounds": []}, "Page 2, rounds: the list has 0 entries"),
        ({"skip": 1}, "Page 2, skip: true or false"),
        ({"order": "fixed"}, "Page 2: the key “order” is not known"),
        (
            {"rounds": [{"key": "a", "level": SAMEGAME}, *practice_page()["rounds"]]},
            "Page 2: the key “a” is there twice",
        ),
        (
            {"rounds": [{"key": "b", "level": SAMEGAME}, *practice_page()["rounds"]]},
            "Page 2: a page of practice is of one game",
        ),
    ],
)
def test_what_is_no_page_of_practice_is_refused_in_words(change: dict[str, Any], words: str) -> None:
    with pytest.raises(StudyError) as error:
        parse_study(practice_document({**practice_page(), **change}))
    assert str(error.value).startswith(words)


def test_the_document_of_practice_is_read_shown_and_compared() -> None:
    document = parse_study(practice_document(practice_page(undo=True, hint_after=15)))
    stored = document.to_document()
    assert parse_study(json.loads(json.dumps(stored))).to_document() == stored
    assert (document.round_count, document.cell_count) == (2, 1)
    assert document.round_page(position=0, key="practice") is document.pages[1]
    shown = pages_shown(document)[1]
    assert (shown.label, len(shown.rounds)) == ("Practice", 1)
    assert shown.facts[0] == "Does not count, may be repeated, may be left when all that it asks for was tried."
    assert shown.facts[2:] == ["The last move may be taken back.", "A move is shown after 15 s without a touch."]
    changed = parse_study(practice_document(practice_page(skip=True))).to_document()
    assert {one.place for one in differences(stored, changed)} == {
        "Page 2 “Practice”, may be skipped",
        "Page 2 “Practice”, undo",
        "Page 2 “Practice”, seconds until a hint",
    }
