"""What bots see of a page, and what the command says to wrong input."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from personas.agent import AgentError, load_agent
from personas.persona import catalogue, dump_persona
from playtest.studies.bots.html import Page
from playtest.studies.bots.walk import Walk
from playtest.studies.models import Participant, Study
from tests.playtest.studies.factory import make_study

PAGE = """
<!doctype html><title>t</title>
<form method="post" action="/s/abc/start?x=1"><input type="hidden" name="csrf" value="tok&amp;en">
<button name="decision" value="agree">I agree</button></form>
<form method="post" action="/s/abc/page/profile">
<input type="hidden" name="shown" value="signed">
<input type="radio" name="often" value="never" id="a"><input type="radio" name="often" value="daily" id="b">
<input type="number" name="age"><input name="word"><textarea name="words"></textarea>
<select name="where"><option value="">?</option><option value="home">Home</option></select>
</form>
<strong class="stat__value">K7QX-3MPD</strong>
<script id="play-config" type="application/json">{"ws": "/ws/play/abc", "x": "\\u003C/script\\u003E"}</script>
"""


def test_page_is_read_as_forms_data_and_texts() -> None:
    page = Page(PAGE)
    start = page.form("/start")
    assert start is not None
    assert (start.action, start.hidden(), start.buttons) == (
        "/s/abc/start?x=1",
        {"csrf": "tok&en"},
        [("decision", "agree")],
    )
    assert page.data == {"play-config": {"ws": "/ws/play/abc", "x": "</script>"}}
    assert page.texts["stat__value"] == "K7QX-3MPD"
    assert page.form("/elsewhere") is None


def test_every_question_is_answered_and_the_same_seed_answers_the_same() -> None:
    form = Page(PAGE).form("/page/profile")
    assert form is not None
    filled = form.filled(Random(3))
    assert filled == form.filled(Random(3))
    assert set(filled) == {"shown", "often", "age", "word", "words", "where"}
    assert (filled["shown"], filled["where"]) == ("signed", "home")
    assert filled["often"] in {"never", "daily"}
    assert 18 <= int(filled["age"]) <= 80


URL = "http://127.0.0.1:9"


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"study": "no-such-study"}, "There is no published study no-such-study."),
        ({"url": "localhost"}, "localhost is no address of a site"),
        ({"url": "ftp://127.0.0.1"}, "is no address of a site"),
        ({"url": URL + "/s/abc"}, "is no address of a site"),
        ({"url": URL + "?a=1"}, "is no address of a site"),
        ({"url": "http://me:secret@127.0.0.1:9"}, "is no address of a site"),
        ({"url": "http://[::1"}, "is no address of a site"),
        ({"url": "http://127.0.0.1:x"}, "is no address of a site"),
        ({"url": "http://127.0.0.1:99999"}, "is no address of a site"),
        ({"url": "http://" + "a" * 300}, "is no address of a site"),
        ({"url": "http://a..b"}, "is no address of a site"),
        ({"url": URL}, "does not answer"),
        ({"agent": "nobody"}, 'There is no agent "nobody"'),
        ({"pace": "-1"}, "must be from 0 to 3600 seconds"),
        ({"pace": "nan"}, "must be from 0 to 3600 seconds"),
        ({"participants": "0"}, "must be a whole number from 1"),
        ({"at_once": "many"}, "must be a whole number"),
    ],
)
def test_wrong_input_is_named_and_ends_with_2(change: dict[str, str], words: str) -> None:
    study = make_study()
    options = {"study": study.slug, "participants": "1", "at_once": "1", "agent": "random", "url": URL, "pace": "0"}
    options |= change
    with pytest.raises(CommandError) as error:
        call_command(
            "bots",
            options["study"],
            f"--participants={options['participants']}",
            f"--at-once={options['at_once']}",
            f"--agent={options['agent']}",
            f"--url={options['url']}",
            f"--pace={options['pace']}",
        )
    assert words in str(error.value)


@pytest.mark.django_db
def test_unpublished_study_is_refused() -> None:
    study = make_study()
    Study.objects.filter(pk=study.pk).update(state=1, published=None)
    with pytest.raises(CommandError, match="There is no published study"):
        call_command("bots", study.slug, "--participants=1", "--agent=random", f"--url={URL}")


@pytest.mark.django_db
def test_agent_that_sees_what_falls_may_not_play_a_study(monkeypatch: pytest.MonkeyPatch) -> None:
    from playtest.management.commands import bots

    def clairvoyant(name: str, *, game: str) -> object:
        return load_agent(name, game=game, clairvoyant=True)

    load: Callable[..., object] = clairvoyant
    monkeypatch.setattr(bots, "load_agent", load)
    with pytest.raises(CommandError, match="looks at what will fall"):
        call_command("bots", make_study().slug, "--participants=1", "--agent=vanilla", f"--url={URL}")


def refused_before_the_first_request(study: Study, agent: object, monkeypatch: pytest.MonkeyPatch) -> str:
    def asked(*arguments: object, **options: object) -> object:
        raise AssertionError("the site was asked")

    monkeypatch.setattr("playtest.management.commands.bots.httpx.get", asked)
    with pytest.raises(CommandError) as error:
        call_command("bots", study.slug, "--participants=1", f"--agent={agent}", f"--url={URL}")
    assert error.value.returncode == 2
    assert not Participant.objects.exists()
    return str(error.value)


@pytest.mark.django_db
@pytest.mark.parametrize("rounds", [1, 2])
@pytest.mark.parametrize(
    ("game", "version", "words"),
    [
        ("samegame", 1, "plays samegame, but the level is one of match3."),
        ("match3", 7, "was made for version 7 of match3, this is version 1."),
    ],
)
def test_persona_that_cannot_play_the_rounds_is_refused_before_anybody_is_made(
    rounds: int, game: str, version: int, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The last round of each study is drawn, the one before it is not.
    mine = tmp_path / "mine.toml"
    mine.write_text(dump_persona(replace(catalogue(game)["vanilla"], game_version=version)))
    assert words in refused_before_the_first_request(make_study(rounds=rounds), mine, monkeypatch)


def test_agent_that_cannot_go_on_is_the_error_of_its_bot(monkeypatch: pytest.MonkeyPatch) -> None:
    async def follow(*arguments: object) -> None:
        raise AgentError("It cannot.")

    monkeypatch.setattr(Walk, "follow", follow)
    walk = Walk(1, "abc", URL, {"match3": load_agent("random")}, 1)
    asyncio.run(walk.run())
    assert (walk.error, walk.finished) == ("It cannot.", False)
