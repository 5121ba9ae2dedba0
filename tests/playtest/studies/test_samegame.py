"""SameGame through the play socket and in what is shown of it afterwards."""

from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.test import Client
from django.urls import reverse

from engine.game import get_game
from engine.level import draw_level
from engine.round import Round as EngineRound
from personas.agent import load_agent
from playtest.studies.bots.player import RoundPlayer, Tally
from playtest.studies.choices import EndReason, Kind, RoundState
from playtest.studies.document import parse_study
from playtest.studies.errors import StudyError
from playtest.studies.models import Attempt, Move, Participant, Round, Study
from playtest.studies.play.hub import Hub
from playtest.studies.selectors.documents import round_level
from playtest.studies.selectors.scores import scores_by_level
from playtest.studies.services import study_create, study_publish
from tests.engine.naive import samegame as twin
from tests.playtest.studies.client import PlayClient, rows_of
from tests.playtest.studies.factory import level_file, make_participant, play_rounds, study_document

# One group of four, then nothing: three B, three C and two D stay behind.
ENDS_AT_ONCE = ["AABC", "AACD", "BDBC"]
CLEARED = ["AAB", "AAB"]


def level_of(*rows: str) -> dict[str, Any]:
    document = {"game": "samegame", "name": "Small", "rows": len(rows), "cols": len(rows[0]), "colours": 4, "seed": 1}
    return {**document, "board": list(rows)}


def make_study(*rounds: dict[str, Any]) -> Study:
    document = study_document()
    document["pages"][1]["rounds"] = [{"key": f"round-{n}", **plan} for n, plan in enumerate(rounds)]
    study = study_create(owner=None, document=document)
    study_publish(study=study)
    return study


async def newcomer(*rounds: dict[str, Any]) -> tuple[Participant, PlayClient, str]:
    study = await sync_to_async(make_study)(*rounds)
    participant, token = await sync_to_async(make_participant)(study)
    return participant, PlayClient(study.public_id, token), token


def check_groups(state: dict[str, Any]) -> set[twin.Group]:
    """Groups and worth as the plain twin has them on the board that the same message shows."""
    board = twin.board_of(state["board"])
    found = twin.groups(board)
    assert state["left"] == len(found)
    assert len(state["worth"]) == len(found) + 1
    numbered: dict[int, set[twin.Cell]] = {}
    for row, line in enumerate(state["groups"]):
        for col, number in enumerate(line):
            if number:
                numbered.setdefault(number, set()).add((row, col))
    assert {frozenset(cells) for cells in numbered.values()} == found
    for number, cells in numbered.items():
        assert state["worth"][number] == (len(cells) - 2) ** 2
    assert state["worth"][0] == 0
    return found


async def test_whole_round_tells_groups_and_worth_with_every_board(hub: Hub) -> None:
    drawn = {"random": {"game": "samegame", "rows": 6, "cols": 7, "colours": 3}}
    participant, client, token = await newcomer(drawn)
    state = await client.hello()
    assert (state["game"], state["gesture"], state["rows"], state["cols"], state["colours"]) == (
        "samegame",
        "group",
        6,
        7,
        3,
    )
    row = (await rows_of(participant))[0]
    level = await sync_to_async(round_level)(row)
    assert state["horizon"] == level.horizon
    assert state["say"] == f"Round 1 of 1. {state['left']} groups left. 0 points."
    play = twin.Play(twin.board_of(state["board"]))
    while not state["over"]:
        found = check_groups(state)
        # Any cell of a group is as good as another.
        cell = max(max(found, key=sorted))
        wish = client.wish(list(cell))
        await client.send(wish)
        ack = await client.expect("ack")
        assert ack["gained"] == play.remove(cell)
        assert ack["board"] == twin.rows_of(play.board)
        assert ack["score"] == play.score
        client.follow(ack)
        state = {**client.state, **{key: ack[key] for key in ("groups", "worth", "left")}}
        if state["seq"] == 2:
            await client.leave()
            client = PlayClient(client.study, token)
            again = await client.hello()
            assert {key: again[key] for key in ("board", "groups", "worth", "left", "score", "seq")} == {
                key: state[key] for key in ("board", "groups", "worth", "left", "score", "seq")
            }
            state = again
    assert check_groups(state) == set()
    end = await client.expect("end")
    assert end["reason"] == "stuck"
    assert end["bonus"]["points"] == twin.end_points(play.board)
    await client.leave()
    row = (await rows_of(participant))[0]
    assert (row.state, row.reason, row.score, row.seq) == (
        RoundState.DONE,
        EndReason.STUCK,
        play.score,
        state["seq"],
    )
    codes = await sync_to_async(lambda: list(Move.objects.filter(round=row).values_list("action", flat=True)))()
    assert EngineRound.replay(level, codes).check() == row.check_hex


async def test_end_says_what_it_cost_and_says_it_again_to_who_comes_back(hub: Hub) -> None:
    _, client, token = await newcomer({"level": level_of(*ENDS_AT_ONCE)}, {"level": level_of(*CLEARED)})
    await client.hello()
    await client.send(client.wish([1, 1], input="touch"))
    ack = await client.expect("ack")
    bonus = {"points": -2, "why": "left", "by": {"B": 3, "C": 3, "D": 2}}
    assert ack["frames"][-1] == {"f": "bonus", **bonus}
    assert (ack["gained"], ack["score"], ack["left"]) == (4 - 2, 2, 0)
    assert ack["say"] == "Removed 4, 4 points. The pieces left cost 2 points. The round is over with 2 points."
    end = await client.expect("end")
    assert (end["reason"], end["bonus"]) == ("stuck", bonus)
    await client.leave()
    second = PlayClient(client.study, token)
    state = await second.hello()
    assert state["round"] == "2.1", "The next round is due."
    for cell in ([0, 0], [0, 0]):
        await second.send(second.wish(cell))
        ack = await second.expect("ack")
        second.follow(ack)
    assert ack["frames"][-1] == {"f": "bonus", "points": 1000, "why": "empty"}
    assert (await second.expect("end"))["bonus"] == {"points": 1000, "why": "empty"}
    third = PlayClient(client.study, token)
    assert (await third.hello(claim="resume", epoch=state["epoch"], round="2.1"))["over"] == {"reason": "stuck"}
    assert (await third.expect("end"))["bonus"] == {"points": 1000, "why": "empty"}
    await second.leave()
    await third.leave()


async def test_single_piece_is_an_attempt_that_costs_nothing(hub: Hub) -> None:
    participant, client, _ = await newcomer({"level": level_of(*CLEARED[:1], "BAB")})
    await client.hello()
    await client.send(client.wish([1, 0]))
    reject = await client.expect("reject")
    assert (reject["reason"], reject["say"]) == (
        "illegal",
        "There is no group there: a group is two or more equal pieces side by side.",
    )
    row = (await rows_of(participant))[0]
    assert (row.seq, row.attempts) == (0, 1)
    attempt = await sync_to_async(Attempt.objects.get)(round=row)
    assert attempt.action == [1, 0]
    for action in ([0, 3], [[0, 0], [0, 1]], [0, True], "undo"):
        await client.send(client.wish(action))
        assert (await client.expect("reject"))["reason"] in {"off_board", "bad_action"}
    await client.leave()


async def test_move_that_is_sent_again_comes_with_the_groups_of_then(hub: Hub) -> None:
    _, client, _ = await newcomer({"level": draw_level("samegame", rows=5, cols=5, colours=3, seed=4).to_document()})
    await client.hello()
    wish = client.wish(client.legal()[0])
    await client.send(wish)
    first = await client.expect("ack")
    client.follow(first)
    await client.play()
    await client.send(wish)
    assert await client.expect("ack") == {**first, "dup": True}
    check_groups(first)
    await client.leave()


@pytest.mark.django_db
def test_page_of_play_explains_the_game_of_its_round(client: Client) -> None:
    study = make_study({"level": level_of(*CLEARED)}, {"level": level_file()})
    participant, token = make_participant(study)
    client.cookies["participant"] = token
    address = reverse("studies:play", args=[study.public_id])

    def shown() -> list[str]:
        text = client.get(address).content.decode()
        assert text.count('class="prose" data-help=') == 2
        return [game for game in ("match3", "samegame") if f'class="prose" data-help="{game}">' in text]

    assert shown() == ["samegame"]
    Round.objects.filter(participant=participant, position=1).update(
        state=RoundState.DONE, reason=EndReason.STUCK, ended_at="2030-01-01T00:00Z"
    )
    assert shown() == ["match3"]


@pytest.mark.parametrize("agent", ["random", "greedy", "maxs", "minm"])
def test_bot_plays_from_the_board_alone_as_the_agent_does_with_the_whole_level(agent: str) -> None:
    """A bot sees boards with empty cells; what it chooses is what the agent chooses in the same game."""
    level = draw_level("samegame", rows=6, cols=6, colours=3, seed=9)
    one = load_agent(agent, game="samegame", iterations=20)
    played = EngineRound(level)
    bot = RoundPlayer("", "", "", {"samegame": one}, 77, 0.0, Tally(), rng=None)  # type: ignore[arg-type]
    while not played.over:
        bot.state = {
            "game": "samegame",
            "rows": 6,
            "cols": 6,
            "colours": 3,
            "horizon": level.horizon,
            "board": played.board,
            "score": played.score,
            "seq": played.moves_used,
            "left": played.legal_count(),
        }
        action = bot.choose(one)
        assert action == one.choose(played, 77)
        played.play(action)
    assert played.moves_used > 3


@pytest.mark.django_db
def test_results_count_groups_before_the_first_moves_as_agents_do() -> None:
    drawn = {"random": {"game": "samegame", "rows": 5, "cols": 5, "colours": 3}}
    fixed = draw_level("samegame", rows=6, cols=6, colours=3, seed=2).to_document()
    study = make_study({"level": fixed}, drawn, {"random": {"game": "match3", **size(7, 6), "moves": 3}})
    participant, _ = make_participant(study, kind=Kind.BOT)
    play_rounds(participant, moves=100)
    groups = scores_by_level(study=study, kinds=[Kind.BOT])
    assert [group.name for group in groups] == [
        "round-0",
        "Random boards, SameGame 5 × 5, 3 colours",
        "Random boards, Match-3 7 × 7, 6 colours, 3 moves",
    ]
    for group in groups:
        (result,) = group.results
        row = Round.objects.get(pk=result.round_id)
        level = round_level(row)
        counts = list(row.moves.order_by("seq").values_list("legal_before", flat=True))
        horizon = level.horizon or len(counts)
        assert result.legal_mean == pytest.approx(sum(counts[:horizon]) / horizon)
        assert (level.horizon is None) == (level.game == "match3")
    assert any(row.moves.count() > round_level(row).horizon for row in Round.objects.exclude(key="round-2"))


def size(side: int, colours: int) -> dict[str, int]:
    return {"rows": side, "cols": side, "colours": colours}


@pytest.mark.parametrize(
    ("drawn", "message"),
    [
        ({"game": "samegame", **size(5, 3), "moves": 20}, "the key “moves” is not known"),
        ({"game": "match3", **size(7, 6)}, "the key “moves” is missing"),
        ({"game": "samegame", **size(21, 3)}, '"rows" must be a whole number from 2 to 20, not 21.'),
    ],
)
def test_random_boards_have_a_number_of_moves_exactly_where_the_game_has_one(
    drawn: dict[str, Any], message: str
) -> None:
    document = study_document()
    document["pages"][1]["rounds"] = [{"key": "drawn", "random": drawn}]
    with pytest.raises(StudyError, match=message):
        parse_study(document)


def test_every_game_has_a_help_page_and_a_renderer() -> None:
    from django.conf import settings
    from django.template.loader import get_template

    from engine.game import games

    script = (settings.BASE_DIR / "static" / "js" / "games" / "index.js").read_text()
    for game in games():
        assert get_template(f"studies/help/{game}.html")
        assert f'from "./{game}.js"' in script
        assert get_game(game).info.gesture in {"swap", "group"}
