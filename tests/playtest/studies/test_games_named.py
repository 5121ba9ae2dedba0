"""A study of two games: the page of play names the game, explains it where it is new, and who publishes is told."""

import re
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from playtest.accounts.models import User
from playtest.studies.choices import Purpose, RoundState
from playtest.studies.cookies import PAGE_COOKIE
from playtest.studies.document import parse_study
from playtest.studies.models import Round
from playtest.studies.services import study_create, study_publish
from tests.playtest.studies.factory import level_file, make_participant, study_document

pytestmark = pytest.mark.django_db

SAMEGAME = {"game": "samegame", "name": "", "rows": 2, "cols": 4, "colours": 3, "seed": 1, "board": ["AABB", "CCAA"]}
DRAWN = {"game": "match3", "rows": 5, "cols": 5, "colours": 4, "moves": 4}


def practice(**plan: Any) -> dict[str, Any]:
    return {"key": "practice", "kind": "practice", "title": "Warming up", "rounds": [{"key": "a", **plan}]}


def document(*pages: dict[str, Any]) -> dict[str, Any]:
    made = study_document()
    made["pages"][1] |= {
        "title": "Boards <b>",
        "rounds": [
            {"key": "m1", "level": level_file(seed=1)},
            {"key": "s1", "level": SAMEGAME},
            {"key": "m2", "level": level_file(seed=2)},
            {"key": "s2", "level": {**SAMEGAME, "board": ["AABB", "AACC"]}},
        ],
    }
    made["pages"][1:1] = pages
    return made


def seen(text: str) -> tuple[str, str, bool]:
    """What stands above the board: title of the page and the game; and whether the help is open."""
    line = re.search(r'<p class="play__page"><span[^>]*>(.*?)</span>(.*?)</p>', text)
    assert line is not None
    games = re.findall(r'data-help="\w+"( hidden)?>([^<]+)<', line[2])
    (game,) = [title for hidden, title in games if not hidden]
    return line[1], game, bool(re.search(r"<details[^>]*play__help[^>]* open", text))


def test_each_round_names_its_page_and_game_and_explains_the_game_where_it_is_new() -> None:
    study = study_create(owner=None, document=document())
    study_publish(study=study)
    participant, token = make_participant(study)
    client = Client()
    client.cookies[PAGE_COOKIE] = token
    found = []
    for position in range(1, 5):
        found.append(seen(client.get(reverse("studies:play", args=[study.public_id])).text))
        rounds = Round.objects.filter(participant=participant, purpose=Purpose.SCORED, position=position)
        rounds.update(state=RoundState.VOID)
    title = "Boards &lt;b&gt;"
    assert found == [
        (title, "Match-3", True),
        (title, "SameGame", True),
        (title, "Match-3", False),
        (title, "SameGame", False),
    ]


def test_practice_names_its_game_too_and_explains_it() -> None:
    study = study_create(owner=None, document=document(practice(level={**SAMEGAME, "board": ["AABB", "BBCC"]})))
    study_publish(study=study)
    _, token = make_participant(study)
    client = Client()
    client.cookies[PAGE_COOKIE] = token
    assert seen(client.get(reverse("studies:play", args=[study.public_id])).text) == ("Warming up", "SameGame", True)


def test_games_count_as_practised_only_by_a_page_before_them() -> None:
    late = document()
    late["pages"].insert(2, practice(random=DRAWN))
    assert parse_study(document()).unpractised == ("match3", "samegame")
    assert parse_study(document(practice(random=DRAWN))).unpractised == ("samegame",)
    assert parse_study(late).unpractised == ("match3", "samegame")


def test_the_page_of_publishing_says_which_game_is_met_without_practice(
    designer: User, designer_client: Client
) -> None:
    study = study_create(owner=designer, document=document(practice(random=DRAWN)))
    text = designer_client.get(reverse("studies_staff:publish", args=[study.pk])).text
    assert "SameGame: no page of practice before the rounds is of this game" in text
    both = practice(random=DRAWN), {**practice(level={**SAMEGAME, "board": ["AABB", "BBCC"]}), "key": "more"}
    study = study_create(owner=designer, document=document(*both))
    text = designer_client.get(reverse("studies_staff:publish", args=[study.pk])).text
    assert "without practice" not in text


@pytest.mark.parametrize("undo", [True, False])
def test_how_to_play_names_the_undo_where_there_is_one(undo: bool) -> None:
    made = document()
    made["pages"][1]["undo"] = undo
    study = study_create(owner=None, document=made)
    study_publish(study=study)
    _, token = make_participant(study)
    client = Client()
    client.cookies[PAGE_COOKIE] = token
    text = client.get(reverse("studies:play", args=[study.public_id])).text
    assert ("Ctrl and Z" in text) == undo
