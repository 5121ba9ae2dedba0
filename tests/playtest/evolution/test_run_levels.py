"""A run on one level of the library: chosen on the form, kept by a run like it, shown on the pages."""

import re
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from engine.level import draw_level, parse_level
from playtest.accounts.models import User
from playtest.evolution.forms import RunForm
from playtest.evolution.models import EvolutionRun
from playtest.levels.models import Level, LevelVersion
from playtest.levels.services import level_archive, level_create, level_save
from tests.playtest.evolution.running import TINY, start, work_all
from tests.playtest.evolution.test_pages import GOOD

pytestmark = pytest.mark.django_db

NEW = "evolution:create"


def make_level(name: str = "River bend", *, game: str = "match3", seed: int = 3) -> LevelVersion:
    moves = 8 if game == "match3" else None
    return level_create(
        owner=None, level=draw_level(game, rows=5, cols=5, colours=4, moves=moves, seed=seed, name=name)
    )


def post(client: Client, address: str = "", **values: Any) -> EvolutionRun:
    response = client.post(reverse(NEW) + address, {**GOOD, **values})
    assert response.status_code == 302, response.context["form"].errors
    return EvolutionRun.objects.latest("pk")


def change(version: LevelVersion, owner: User) -> LevelVersion:
    """The level gets another board."""
    file = draw_level(rows=5, cols=5, colours=4, moves=9, seed=99)
    return level_save(
        level=version.level, file=file, author=owner, base=version.number, name=version.level.name, tags=[]
    )


def test_form_offers_the_levels_of_the_library_and_random_boards_first(admin_client: Client, admin: User) -> None:
    river, pond, gone = make_level(), make_level("Pond", game="samegame"), make_level("Gone", seed=8)
    level_archive(level=gone.level, actor=admin, archived=True)
    form = admin_client.get(reverse(NEW)).context["form"]
    assert form["level"].value() in (None, "")
    assert form.fields["level"].choices == [
        ("", "Random boards, drawn for each game"),
        ("Match-3", [(str(river.pk), "River bend, 5 × 5, 4 colours, 8 moves")]),
        ("SameGame", [(str(pond.pk), "Pond, 5 × 5, 4 colours")]),
    ]
    assert post(admin_client).config["level"] is None


def test_run_plays_the_level_that_the_form_says_with_its_moves(admin_client: Client, designer_client: Client) -> None:
    version = make_level()
    run = post(admin_client, level=str(version.pk), moves="")
    assert (run.config["level"], run.config["moves"]) == (version.document, 8)
    assert post(admin_client, level=str(version.pk), moves="5").config["moves"] == 5, "as --moves on the command line"
    text = designer_client.get(reverse("evolution:detail", args=[run.pk])).content.decode()
    address = reverse("levels:detail", args=[version.level_id])
    assert f'<dt>Boards</dt><dd>all games on <a href="{address}">River bend v1</a></dd>' in text
    drawn = post(admin_client)
    text = designer_client.get(reverse("evolution:detail", args=[drawn.pk])).content.decode()
    assert "<dt>Boards</dt><dd>drawn for each game</dd>" in text


def test_caption_of_the_figure_names_the_level(designer_client: Client) -> None:
    version = make_level()
    config = {**TINY.to_document(), "level": version.document}
    run = start(type(TINY).from_document(config))
    work_all()
    text = designer_client.get(reverse("evolution:detail", args=[run.pk])).content.decode()
    assert "all on River bend v1" in text
    assert "River bend v1" in designer_client.get(reverse("evolution:fame")).content.decode()


def test_run_of_a_game_that_ends_by_itself_plays_its_level(admin_client: Client) -> None:
    version = make_level("Pond", game="samegame")
    run = post(admin_client, game="samegame", level=str(version.pk), moves="")
    assert (run.config["level"], run.config["moves"]) == (version.document, 20)


def test_level_of_more_moves_than_a_run_may_have_asks_for_a_number(admin_client: Client) -> None:
    version = level_create(owner=None, level=draw_level(rows=5, cols=5, colours=4, moves=500, seed=3, name="Long"))
    response = admin_client.post(reverse(NEW), {**GOOD, "level": str(version.pk), "moves": ""})
    assert response.context["form"].errors == {
        "moves": ["The level has 500 moves, and games of a run at most 200. Say how many they are to have."]
    }
    assert post(admin_client, level=str(version.pk), moves="30").config["moves"] == 30


@pytest.mark.parametrize(("game", "other"), [("samegame", "match3"), ("match3", "samegame")])
def test_level_of_another_game_is_refused_in_words(admin_client: Client, game: str, other: str) -> None:
    version = make_level(game=other)
    response = admin_client.post(reverse(NEW), {**GOOD, "game": game, "level": str(version.pk), "moves": ""})
    assert response.status_code == 422
    titles = {"match3": "Match-3", "samegame": "SameGame"}
    assert response.context["form"].errors == {
        "level": [
            (
                f"“River bend” is a level of {titles[other]}, and the run is one of {titles[game]}. "
                "Choose another level or random boards."
            )
        ]
    }
    assert not EvolutionRun.objects.exists()


@pytest.mark.parametrize("what", ["archived", "changed", "no number", "no level"])
def test_level_that_is_gone_meanwhile_is_refused_in_words(admin_client: Client, admin: User, what: str) -> None:
    version = make_level()
    if what == "archived":
        level_archive(level=version.level, actor=admin, archived=True)
    elif what == "changed":
        change(version, admin)
    value = {"no number": "x", "no level": "999999"}.get(what, str(version.pk))
    response = admin_client.post(reverse(NEW), {**GOOD, "level": value})
    assert response.status_code == 422
    assert response.context["form"].errors == {
        "level": ["This level was changed or taken out of the library meanwhile. Choose one again, or random boards."]
    }


def test_run_like_one_on_a_level_keeps_the_level(admin_client: Client) -> None:
    version = make_level()
    run = post(admin_client, level=str(version.pk), moves="")
    address = f"?like={run.pk}"
    form = admin_client.get(reverse(NEW) + address).context["form"]
    assert (form["level"].value(), form["moves"].value()) == (str(version.pk), None)
    copy = post(admin_client, address, level=form["level"].value(), moves="", seed="12")
    assert copy.config == {**run.config, "seed": 12}
    assert copy.cloned_from == run
    own = post(admin_client, level=str(version.pk), moves="5")
    assert admin_client.get(f"{reverse(NEW)}?like={own.pk}").context["form"]["moves"].value() == 5


@pytest.mark.parametrize("what", ["archived", "changed", "from elsewhere"])
def test_run_like_one_keeps_a_level_that_the_library_has_no_more(admin_client: Client, admin: User, what: str) -> None:
    version = make_level()
    run = post(admin_client, level=str(version.pk), moves="")
    if what == "archived":
        level_archive(level=version.level, actor=admin, archived=True)
    elif what == "changed":
        change(version, admin)
    else:
        Level.objects.update(current=None)
        LevelVersion.objects.all().delete()
    name = "River bend" if what == "from elsewhere" else "River bend v1"
    address = f"?like={run.pk}"
    form = admin_client.get(reverse(NEW) + address).context["form"]
    assert form["level"].value() == RunForm.SAME
    assert form.fields["level"].choices[1] == (RunForm.SAME, f"{name}, as in run {run.pk}")
    assert post(admin_client, address, level=RunForm.SAME, moves="").config == run.config
    # The same choice means nothing where no run is repeated.
    assert admin_client.post(reverse(NEW), {**GOOD, "level": RunForm.SAME}).status_code == 422
    wrong = admin_client.post(reverse(NEW) + address, {**GOOD, "game": "samegame", "level": RunForm.SAME, "moves": ""})
    assert "“River bend” is a level of Match-3" in wrong.context["form"].errors["level"][0]
    text = admin_client.get(reverse("evolution:detail", args=[run.pk])).content.decode()
    shown = re.search(r"<dt>Boards</dt><dd>all games on (.*?)</dd>", text)
    assert shown is not None
    assert ("<a " in shown[1]) == (what != "from elsewhere")


def test_stored_level_is_the_one_that_the_command_line_stores(admin_client: Client) -> None:
    version = make_level()
    parsed = parse_level(version.document)
    run = post(admin_client, level=str(version.pk), moves="")
    assert run.config["level"] == parsed.to_document(), "what evolve --level stores"
