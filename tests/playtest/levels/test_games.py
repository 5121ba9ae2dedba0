"""Games of agents watched again from their stored moves, and what agents would do at a position of them."""

import json
import re
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from engine.level import Level, draw_level
from engine.round import Round as Game
from personas.agent import load_agent
from playtest.levels.advice import LEAST_SEARCHES, SEARCHES, advice, advisers
from playtest.levels.models import DefaultAgent, PlaytestReport
from playtest.levels.replays import examples_shown, game_replay
from playtest.levels.services import DrawnBoards, agent_spec_ensure, playtest_request, playtest_request_drawn
from tests.playtest.levels.playing import make_specs, make_version, small_level, work_all

pytestmark = pytest.mark.django_db
GROUPS = draw_level("samegame", rows=6, cols=6, colours=3, seed=5, name="Groups")


@pytest.fixture
def agents(db: None) -> None:
    for game in ("match3", "samegame"):
        for position, kind in enumerate(("greedy", "random")):
            spec = agent_spec_ensure(document={"kind": kind, "name": kind})
            DefaultAgent.objects.create(game=game, slug=kind, position=position, agent_spec=spec)


def played(level: Level | None = None, games: int = 30) -> PlaytestReport:
    version = make_version(level)
    report = playtest_request(level_version=version, agent_specs=make_specs("random", "greedy"), games=games, seed=4)
    work_all()
    return report


def ask(client: Client, level: Level, codes: object, agent: str = "greedy") -> Any:
    data = {"level": json.dumps(level.to_document()), "codes": json.dumps(codes), "agent": agent}
    return client.post(reverse("levels:advice"), data)


@pytest.mark.parametrize("level", [small_level(), GROUPS], ids=["match3", "samegame"])
def test_examples_are_best_median_and_worst_of_each_agent(level: Level) -> None:
    report = played(level)
    for shown, entry in zip(examples_shown(report), report.entries.order_by("position"), strict=True):
        replays = [game_replay(entry, number) for number in range(30)]
        scores = [replay.score for replay in replays if replay is not None and not replay.fault]
        assert len(scores) == shown.games == 30
        assert (shown.best.score, shown.worst.score) == (max(scores), min(scores))
        assert shown.median.score == sorted(scores)[14]
        for _, game in shown.named:
            assert scores[game.number] == game.score
            assert game.number == scores.index(game.score)


def test_page_plays_the_game_that_the_report_links_to(designer_client: Client, agents: None) -> None:
    report = played(games=3)
    assert report.level_version is not None
    page = designer_client.get(reverse("levels:detail", args=[report.level_version.level_id])).content.decode()
    for one in examples_shown(report):
        for which, game in one.named:
            address = reverse("levels:game", args=[report.pk, game.entry_id, game.number])
            assert address in page
            text = designer_client.get(address).content.decode()
            assert f"{one.label} on Small v1, game {game.number}" in text
            assert f"the {which} of 3 games" in text
            assert f"{game.score:,} points in 4 moves" in text
            assert "Think time" not in text
            assert 'data-adviser="greedy"' in text


def test_games_on_random_boards_have_their_own_boards(designer_client: Client) -> None:
    report = playtest_request_drawn(
        drawn=DrawnBoards("match3", 5, 5, 5, 4), agent_specs=make_specs("random", "greedy"), games=3, seed=9
    )
    work_all()
    first, second = report.entries.order_by("position")
    boards = []
    for number in range(3):
        one, other = game_replay(first, number), game_replay(second, number)
        assert one is not None
        assert other is not None
        assert one.fault == other.fault == ""
        assert one.start["board"] == other.start["board"], "all agents meet the same board"
        boards.append(str(one.start["board"]))
    assert len(set(boards)) == 3
    address = reverse("levels:game", args=[report.pk, first.pk, 2])
    assert "on random boards, game 2" in designer_client.get(address).content.decode()


def test_what_is_no_game_of_the_report_is_not_found(designer_client: Client, client: Client) -> None:
    report, other = played(games=2), played(small_level(seed=8, name="Other"), games=2)
    entry, foreign = report.entries.order_by("position")[0], other.entries.order_by("position")[0]
    for pk, number in ((entry.pk, 2), (entry.pk, 999), (foreign.pk, 0), (0, 0)):
        assert designer_client.get(reverse("levels:game", args=[report.pk, pk, number])).status_code == 404
    address = reverse("levels:game", args=[report.pk, entry.pk, 0])
    assert client.get(address).status_code == 302


@pytest.mark.parametrize("level", [small_level(), GROUPS], ids=["match3", "samegame"])
def test_advice_counts_searches_and_names_legal_actions(
    designer_client: Client, agents: None, level: Level, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("playtest.levels.advice.SECONDS", 600.0)
    (trace,) = load_agent("random").play_games([level], [3])
    codes = list(trace.codes[:2])
    legal = Game.replay(level, codes).legal_actions()
    for agent in ("greedy", "random"):
        found = ask(designer_client, level, codes, agent).json()
        assert found["searches"] == SEARCHES
        assert sum(one["times"] for one in found["choices"]) + found["others"] <= SEARCHES
        counts = [one["times"] for one in found["choices"]]
        assert counts == sorted(counts, reverse=True)
        if level.game == "match3":
            assert all(one["action"] in legal for one in found["choices"])
        assert ask(designer_client, level, codes, agent).json() == found, "the same question has the same answer"


def test_advice_takes_back_what_was_taken_back(agents: None) -> None:
    level = small_level()
    code = Game(level).legal_codes()[0]
    greedy = next(one for one in advisers("match3") if one.slug == "greedy")
    found = advice(greedy, level, [code, None])
    assert found["choices"]
    assert all(one["action"] in Game(level).legal_actions() for one in found["choices"])


def test_advice_after_the_end_says_that_it_is_over(designer_client: Client, agents: None) -> None:
    level = small_level()
    (trace,) = load_agent("random").play_games([level], [3])
    assert ask(designer_client, level, list(trace.codes)).json() == {"over": True, "searches": 0, "choices": []}


@pytest.mark.parametrize(
    ("codes", "agent", "words"),
    [
        ([9_999], "greedy", "cannot be played"),
        ("x", "greedy", "did not say which position"),
        ([True], "greedy", "did not say which position"),
        ([0.5], "greedy", "did not say which position"),
        ([0] * 6_000, "greedy", "did not say which position"),
        ([], "nobody", "no such agent"),
    ],
)
def test_advice_on_nonsense_is_a_sentence(
    designer_client: Client, agents: None, codes: object, agent: str, words: str
) -> None:
    response = ask(designer_client, small_level(), codes, agent)
    assert response.status_code == 422
    assert words in response.json()["problem"]


def test_advice_on_what_is_no_level_is_a_sentence(designer_client: Client, agents: None, client: Client) -> None:
    for level in ("", "{}", "[" * 5_000, "null", '{"game": "chess"}'):
        response = designer_client.post(reverse("levels:advice"), {"level": level, "codes": "[]", "agent": "greedy"})
        assert response.status_code == 422
        assert response.json()["problem"]
    assert client.post(reverse("levels:advice")).status_code == 302


def test_advice_that_takes_too_long_is_of_fewer_searches(agents: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("playtest.levels.advice.SECONDS", -1.0)
    found = advice(advisers("match3")[0], small_level(), [])
    assert found["searches"] == LEAST_SEARCHES


def options(text: str, name: str) -> list[tuple[str, bool]]:
    """The keys that a list of the page offers, and whether each is chosen."""
    select = text.split(f'name="{name}">')[1].split("</select>")[0]
    return [(key, bool(mark)) for key, mark in re.findall(r'<option value="([^"]+)"( selected)?>', select)]


def documents(text: str) -> list[Any]:
    found = re.findall(r'<script id="replay-\w+" type="application/json">(.*?)</script>', text)
    return [json.loads(one) for one in found]


def test_two_games_of_a_playtest_stand_side_by_side(designer_client: Client) -> None:
    report = played(games=3)
    random, greedy = report.entries.order_by("position")
    address = reverse("levels:beside", args=[report.pk])
    text = designer_client.get(address, {"one": f"game-{random.pk}-1", "other": f"game-{greedy.pk}-2"}).content.decode()
    left, right = documents(text)
    replays = game_replay(random, 1), game_replay(greedy, 2)
    assert [one["steps"][-1]["score"] for one in (left, right)] == [one.score for one in replays if one is not None]
    assert left["start"]["board"] == right["start"]["board"]
    assert text.count('<tr id="move-') == 4
    for name, key in (("one", f"game-{random.pk}-1"), ("other", f"game-{greedy.pk}-2")):
        assert [one for one, is_chosen in options(text, name) if is_chosen] == [key]


def test_without_a_choice_two_different_games_are_shown(designer_client: Client) -> None:
    report = played(games=3)
    for query in ({}, {"one": "nonsense"}, {"one": "game-999-0", "other": "round-1"}):
        text = designer_client.get(reverse("levels:beside", args=[report.pk]), query).content.decode()
        chosen = [next(key for key, is_chosen in options(text, name) if is_chosen) for name in ("one", "other")]
        assert len(set(chosen)) == 2
        assert len(documents(text)) == 2


def test_games_on_random_boards_stand_beside_those_on_the_same_board(designer_client: Client) -> None:
    report = playtest_request_drawn(
        drawn=DrawnBoards("match3", 5, 5, 5, 4), agent_specs=make_specs("random", "greedy"), games=3, seed=9
    )
    work_all()
    random, greedy = report.entries.order_by("position")
    address = reverse("levels:beside", args=[report.pk])
    text = designer_client.get(address, {"one": f"game-{random.pk}-2"}).content.decode()
    assert [key for key, _ in options(text, "other")] == [f"game-{random.pk}-2", f"game-{greedy.pk}-2"]
    assert len(documents(text)) == 2
    unlike = {"one": f"game-{random.pk}-2", "other": f"game-{greedy.pk}-1"}
    text = designer_client.get(address, unlike).content.decode()
    assert "were played on different boards" in text
    assert documents(text) == []
