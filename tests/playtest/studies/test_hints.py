"""Hints over the play socket: named by the server after each board, alike for everybody, off unless the study asks."""

import json
from typing import Any

import pytest
from asgiref.sync import sync_to_async

from playtest.studies.choices import EventKind
from playtest.studies.document import parse_study
from playtest.studies.errors import StudyError
from playtest.studies.models import Event, Move, Participant
from playtest.studies.play.hub import Hub
from playtest.studies.services import study_create, study_publish
from tests.playtest.studies.client import PlayClient
from tests.playtest.studies.factory import level_file, make_participant, study_document

SAMEGAME = {"game": "samegame", "name": "", "rows": 2, "cols": 4, "colours": 3, "seed": 1, "board": ["AABB", "CCAA"]}


def hint_document(level: dict[str, Any], seconds: object = 8) -> dict[str, Any]:
    document = study_document()
    document["pages"][1] |= {"rounds": [{"key": "one", "level": level}], "hint_after": seconds, "undo": True}
    return document


def players_of(document: dict[str, Any], count: int = 1) -> list[tuple[Participant, PlayClient]]:
    study = study_create(owner=None, document=document)
    study_publish(study=study)
    people = [make_participant(study) for _ in range(count)]
    return [(participant, PlayClient(study.public_id, token)) for participant, token in people]


async def test_each_board_that_can_be_played_on_comes_with_a_legal_move(hub: Hub) -> None:
    ((_, client),) = await sync_to_async(players_of)(hint_document(level_file(moves=3)))
    state = await client.hello()
    assert state["hint_after"] == 8
    hints = []
    for number in range(3):
        hint = await client.expect("hint")
        hints.append(hint)
        assert (hint["round"], hint["seq"]) == ("1.1", number)
        assert hint["cells"] in client.legal()
        (row, col), (to_row, to_col) = hint["cells"]
        words = f"Hint: swap row {row + 1}, column {col + 1} with row {to_row + 1}, column {to_col + 1}."
        assert hint["say"] == words
        await client.play()
    assert client.state["over"] == {"reason": "moves"}
    # After the last move there is nothing to show.
    await client.expect("end")
    assert await client.quiet()
    await client.leave()


async def test_everybody_is_shown_the_same_and_again_after_an_undo(hub: Hub) -> None:
    people = await sync_to_async(players_of)(hint_document(level_file(moves=3)), 2)
    shown = []
    for _, client in people:
        await client.hello()
        first = await client.expect("hint")
        ack = await client.play()
        second = await client.expect("hint")
        assert second["seq"] == ack["seq"] == 1
        await client.send(client.wish("undo"))
        client.follow(await client.expect("ack"))
        again = await client.expect("hint")
        assert (again["cells"], again["seq"]) == (first["cells"], 2)
        await client.leave()
        shown.append((first["cells"], second["cells"]))
    assert shown[0] == shown[1]


async def test_a_hint_of_samegame_names_a_whole_group(hub: Hub) -> None:
    ((_, client),) = await sync_to_async(players_of)(hint_document(SAMEGAME))
    state = await client.hello()
    hint = await client.expect("hint")
    numbers = {state["groups"][row][col] for row, col in hint["cells"]}
    assert len(numbers) == 1
    assert 0 not in numbers
    (row, col), size = hint["cells"][0], len(hint["cells"])
    assert size == sum(line.count(*numbers) for line in state["groups"]) == 2
    assert hint["say"] == f"Hint: the group of 2 at row {row + 1}, column {col + 1}."
    await client.send(client.wish(hint["cells"][0]))
    assert (await client.expect("ack"))["seq"] == 1
    await client.leave()


async def test_that_a_hint_was_shown_is_kept_and_changes_no_move(hub: Hub) -> None:
    ((participant, client),) = await sync_to_async(players_of)(hint_document(level_file(moves=3)))
    await client.hello()
    await client.expect("hint")
    await client.send({"t": "ev", "items": [{"k": "hint_shown", "at": 8_100, "d": {"seq": 0}}]})
    await client.play()

    def kept() -> list[tuple[int | None, str]]:
        events = Event.objects.filter(participant=participant, kind=EventKind.HINT_SHOWN)
        return list(events.values_list("client_ms", "data"))

    assert await sync_to_async(kept)() == [(8_100, '{"seq":0}')]
    assert await sync_to_async(Move.objects.count)() == 1
    await client.leave()


async def test_without_hints_in_the_study_none_is_sent(hub: Hub) -> None:
    ((_, client),) = await sync_to_async(players_of)(study_document())
    assert (await client.hello())["hint_after"] is None
    assert await client.quiet()
    await client.play()
    assert await client.quiet()
    await client.leave()


@pytest.mark.parametrize("seconds", [2, 601, 0, -5, 8.5, "8", True])
def test_times_that_are_none_are_refused_in_a_sentence_that_names_the_place(seconds: object) -> None:
    with pytest.raises(StudyError, match=r"^Page 2, hint_after: "):
        parse_study(hint_document(level_file(), seconds))


def test_hints_are_off_unless_it_is_said() -> None:
    assert "hint_after" not in json.dumps(parse_study(study_document()).to_document())
    assert "hint_after" not in json.dumps(parse_study(hint_document(level_file(), None)).to_document())
    document = parse_study(hint_document(level_file(), 20)).to_document()
    assert document["pages"][1]["hint_after"] == 20
    assert parse_study(document).to_document() == document
