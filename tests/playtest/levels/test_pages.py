"""Pages of the level library, as a designer's browser gets them."""

import json
from typing import Any
from xml.etree import ElementTree

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.http import HttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from engine.game import games
from engine.level import Level as LevelFile
from engine.level import parse_level, shipped_levels
from playtest.accounts.models import User
from playtest.levels.models import Level, PlaytestReport, ReportState, Trigger
from playtest.levels.services import block_work_next, level_create, playtest_request
from playtest.levels.services.playtests import report_fail
from playtest.topics import topic_is_visible
from tests.playtest.levels.playing import make_specs, make_version, small_level, work_all

pytestmark = pytest.mark.django_db


def upload(client: Client, text: str = "", *, file: bytes | None = None, name: str = "") -> HttpResponse:
    data: dict[str, Any] = {"text": text, "name": name}
    if file is not None:
        data["file"] = SimpleUploadedFile("level.json", file, "application/json")
    response = client.post(reverse("levels:create"), data)
    assert isinstance(response, HttpResponse)
    return response


def file_text(level: LevelFile | None = None, **changes: Any) -> str:
    return json.dumps({**(level or small_level()).to_document(), **changes})


def page(client: Client, name: str, *args: Any, **query: Any) -> str:
    response = client.get(reverse(name, args=args), query)
    assert response.status_code == 200
    return response.content.decode()


@pytest.mark.parametrize("name", ["levels:list", "levels:create", "levels:detail", "levels:file", "levels:report_live"])
def test_nobody_reads_a_page_without_signing_in(client: Client, name: str) -> None:
    version = make_version()
    report = playtest_request(level_version=version, agent_specs=make_specs("random"), games=1)
    arguments = {"levels:detail": version.level_id, "levels:file": version.level_id, "levels:report_live": report.pk}
    address = reverse(name, args=[arguments[name]] if name in arguments else [])
    response = client.get(address)
    assert response.status_code == 302
    assert response.headers["Location"].startswith(reverse("accounts:login"))


def test_nobody_starts_a_playtest_without_signing_in(client: Client) -> None:
    version = make_version()
    response = client.post(
        reverse("levels:playtest", args=[version.level_id]), {"games": 1, "iterations": 1, "seed": 1}
    )
    assert response.status_code == 302
    assert not PlaytestReport.objects.exists()


def test_playtest_is_not_started_by_a_link(designer_client: Client) -> None:
    response = designer_client.get(reverse("levels:playtest", args=[make_version().level_id]))
    assert response.status_code == 405


def test_page_for_uploads_tells_the_limits_of_every_game(designer_client: Client) -> None:
    text = page(designer_client, "levels:create")
    for info in (game.info for game in games().values()):
        assert f'"{info.name}"</code> for {info.title}' in text
        assert f"{info.title}: {info.sizes[0]} to {info.sizes[1]} each way" in text


@pytest.mark.parametrize(("game", "falls"), [("match3", True), ("samegame", False)])
def test_level_page_speaks_of_falling_pieces_where_some_fall(designer_client: Client, game: str, falls: bool) -> None:
    level = next(iter(shipped_levels(game).values()))
    version = level_create(owner=None, level=level, name="")
    text = designer_client.get(reverse("levels:detail", args=[version.level_id])).content.decode()
    assert ("Falling in" in text) == falls
    assert "swaps</dd>" not in text


def test_empty_library_teaches_and_offers_one_button(designer_client: Client) -> None:
    text = page(designer_client, "levels:list")
    assert "No levels yet" in text
    assert text.count(f'href="{reverse("levels:draw")}"') == 1


def test_list_shows_board_size_and_state_of_the_playtest(designer_client: Client) -> None:
    versions = [make_version(small_level(seed=seed, name=f"Level {seed}")) for seed in (1, 2, 3)]
    for version in versions[:2]:
        playtest_request(level_version=version, agent_specs=make_specs("random"), games=3)
    report_fail(report_id=PlaytestReport.objects.latest("pk").pk, error="It broke.")
    text = page(designer_client, "levels:list")
    assert "Playtest running" in text
    assert "Playtest failed" in text
    assert "Not playtested yet" in text
    work_all()
    assert " – " in page(designer_client, "levels:list")
    assert text.count("5 × 5 · 5 colours") == 3
    pictures = [reverse("levels:board", args=[version.hash]) for version in versions]
    assert all(f'src="{picture}"' in text for picture in pictures)


def test_picture_of_a_board_shows_each_piece_and_may_be_kept(designer_client: Client, client: Client) -> None:
    board = small_level().board
    picture = reverse("levels:board", args=[make_version().hash])
    response = designer_client.get(picture)
    assert response.headers["Content-Type"] == "image/svg+xml"
    assert "immutable" in response.headers["Cache-Control"]
    tree = ElementTree.fromstring(response.content)
    name = "{http://www.w3.org/2000/svg}"
    used = [(use.get("href"), use.get("x"), use.get("y")) for use in tree.iter(f"{name}use")]
    assert used == [(f"#{piece}", f"{x}.06", f"{y}.06") for y, row in enumerate(board) for x, piece in enumerate(row)]
    assert {symbol.get("id") for symbol in tree.iter(f"{name}symbol")} == set("".join(board))
    assert designer_client.get(reverse("levels:board", args=["0" * 64])).status_code == 404
    assert client.get(picture).status_code == 302


def test_uploaded_file_becomes_a_level_and_is_playtested_at_once(designer: User, designer_client: Client) -> None:
    response = upload(designer_client, file=file_text().encode("utf-8-sig"), name="Mine")
    level = Level.objects.get()
    assert response.status_code == 302
    assert response.headers["Location"] == reverse("levels:detail", args=[level.pk])
    assert (level.name, level.owner) == ("Mine", designer)
    report = PlaytestReport.objects.get()
    assert (report.level_version, report.trigger, report.requested_by) == (level.current, Trigger.UPLOAD, designer)
    assert (report.games, report.iterations) == (100, 250)


def test_same_level_again_leads_to_the_one_that_is_there(designer_client: Client) -> None:
    version = make_version()
    response = upload(designer_client, file_text(name="Another name"))
    assert response.headers["Location"] == reverse("levels:detail", args=[version.level_id])
    assert Level.objects.count() == 1
    assert "in the library already" in page(designer_client, "levels:detail", version.level_id)


RUN = ["AAABC", "BCDEA", "CDEAB", "DEABC", "EABCD"]
STUCK = ["ABC", "BCA", "CAB"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (file_text(board=RUN), "run"),
        (file_text(board=["AB"] * 5), "letters"),
        (file_text(board=["ABCDE"] * 4), "rows"),
        (file_text(board=["ABCDZ", *small_level().board[1:]]), "Z"),
        (file_text(board=["AB.DE", *small_level().board[1:]]), "empty"),
        (file_text(rows=2), "rows"),
        (file_text(cols=13), "cols"),
        (file_text(colours=8), "colours"),
        (file_text(moves=0), "moves"),
        (file_text(seed=2**53), "seed"),
        (file_text(game="chess"), "chess"),
        (file_text(cheat=True), "cheat"),
        ("[]", "a list"),
        ("null", "null"),
        ('{"game": "match3"', "not JSON"),
        ('{"rows": 5, "rows": 6}', "twice"),
        ("9" * 5000, "too long"),
        ("[" * 100_000, "nested"),
        ("", "Choose a level file"),
    ],
)
def test_wrong_level_is_refused_with_its_reason_and_nothing_is_stored(
    designer_client: Client, text: str, words: str
) -> None:
    response = upload(designer_client, text)
    assert response.status_code == 422
    content = response.content.decode()
    assert "notice--error" in content
    assert words in content.split("notice--error", 1)[1].split("</div>", 1)[0].replace("&quot;", '"')
    assert not Level.objects.exists()
    assert not PlaytestReport.objects.exists()


def test_board_without_a_legal_swap_is_refused(designer_client: Client) -> None:
    document = {"game": "match3", "rows": 3, "cols": 3, "colours": 3, "seed": 1, "board": STUCK}
    response = upload(designer_client, json.dumps(document))
    assert response.status_code == 422
    assert "legal swap" in response.content.decode().split("notice--error", 1)[1].split("</div>", 1)[0]
    assert not Level.objects.exists()


@pytest.mark.parametrize(("file", "words"), [(b"\xff\xfe", "not UTF-8"), (b" " * 1_000_001, "at most 1,000,000")])
def test_file_of_other_bytes_or_of_a_megabyte_is_refused(designer_client: Client, file: bytes, words: str) -> None:
    response = upload(designer_client, file=file)
    assert response.status_code == 422
    assert words in response.content.decode()


def test_file_and_text_at_once_are_refused(designer_client: Client) -> None:
    response = upload(designer_client, file_text(), file=file_text().encode())
    assert response.status_code == 422
    assert "not both" in response.content.decode()


def test_what_was_pasted_stays_in_the_form(designer_client: Client) -> None:
    response = upload(designer_client, '{"game": "chess"}', name="Kept")
    assert "chess" in response.content.decode().split("<textarea", 1)[1]
    assert 'value="Kept"' in response.content.decode()


def test_name_with_markup_is_shown_as_it_is_written(designer_client: Client) -> None:
    version = level_create(owner=None, level=small_level(), name="<script>alert(1)</script>")
    text = page(designer_client, "levels:detail", version.level_id)
    assert "<script>alert(1)" not in text
    assert "&lt;script&gt;alert(1)" in text


def test_level_file_comes_back_as_the_same_level(designer_client: Client) -> None:
    version = make_version()
    response = designer_client.get(reverse("levels:file", args=[version.level_id]))
    assert response.headers["Content-Disposition"] == 'attachment; filename="small-v1.json"'
    assert parse_level(json.loads(response.content)) == small_level()


def test_new_level_offers_its_first_playtest(designer_client: Client) -> None:
    text = page(designer_client, "levels:detail", make_version().level_id)
    assert "No playtest yet" in text
    assert "Run playtest" in text
    assert "data-chart=" not in text


def test_button_asks_for_a_playtest_and_shows_it(designer: User, designer_client: Client) -> None:
    version = make_version()
    address = reverse("levels:playtest", args=[version.level_id])
    response = designer_client.post(address, {"games": 3, "iterations": 4, "seed": 5})
    report = PlaytestReport.objects.get()
    assert response.headers["Location"].endswith(f"?report={report.pk}#report")
    assert (report.games, report.iterations, report.seed, report.requested_by) == (3, 4, 5, designer)
    designer_client.post(address, {"games": 3, "iterations": 4, "seed": 5})
    assert PlaytestReport.objects.count() == 1


@pytest.mark.parametrize("values", [{"games": 0}, {"games": 10**9}, {"iterations": 0}, {"seed": -1}, {"games": "many"}])
def test_absurd_settings_are_refused_in_words(designer_client: Client, values: dict[str, Any]) -> None:
    version = make_version()
    data = {"games": 3, "iterations": 4, "seed": 5, **values}
    response = designer_client.post(reverse("levels:playtest", args=[version.level_id]), data, follow=True)
    assert "Nothing was started." in response.content.decode()
    assert not PlaytestReport.objects.exists()


def test_report_streams_in_and_ends(designer: User, designer_client: Client) -> None:
    version = make_version()
    report = playtest_request(level_version=version, agent_specs=make_specs("random", "greedy"), games=30)
    live = reverse("levels:report_live", args=[report.pk])
    text = page(designer_client, "levels:detail", version.level_id)
    assert f'data-live-topic="report:{report.pk}"' in text
    assert "Waiting for a worker" in text
    assert "data-chart=" not in text
    assert topic_is_visible(designer, f"report:{report.pk}")
    assert designer_client.get(live, {"rev": 0}).status_code == 304
    block_work_next(worker="test")
    response = designer_client.get(live, {"rev": 0})
    text = response.content.decode()
    assert text.count('id="report"') == 1
    assert "25 %" in text
    assert "Where they move" in text
    assert "not played yet" in text
    assert "data-chart=" in text
    work_all()
    report.refresh_from_db()
    text = designer_client.get(live, {"rev": 0}).content.decode()
    assert report.state == ReportState.DONE
    assert "data-live-topic" not in text
    assert "NaN" not in text
    assert designer_client.get(live, {"rev": report.rev}).status_code == 304
    assert not topic_is_visible(designer, "report:999999")


def test_failed_report_says_why_and_what_is_kept(designer_client: Client) -> None:
    version = make_version()
    report = playtest_request(level_version=version, agent_specs=make_specs("random"), games=30)
    block_work_next(worker="test")
    report_fail(report_id=report.pk, error="The moon was full.")
    text = page(designer_client, "levels:detail", version.level_id)
    assert "The moon was full." in text
    assert "What was played is kept" in text
    assert "data-live-topic" not in text


def test_report_of_an_earlier_program_says_so(designer_client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    version = make_version()
    playtest_request(level_version=version, agent_specs=make_specs("random"), games=2)
    work_all()
    assert "earlier version of the program" not in page(designer_client, "levels:detail", version.level_id)
    monkeypatch.setattr("playtest.levels.selectors.engine_digest", lambda: "f" * 64)
    assert "earlier version of the program" in page(designer_client, "levels:detail", version.level_id)


def test_one_game_gives_words_instead_of_an_interval(designer_client: Client) -> None:
    version = make_version()
    playtest_request(level_version=version, agent_specs=make_specs("random"), games=1)
    work_all()
    text = page(designer_client, "levels:detail", version.level_id)
    assert "needs two" in text
    assert "NaN" not in text


def test_level_with_a_long_history_of_playtests_lists_them(designer_client: Client) -> None:
    version = make_version()
    first, second = (
        playtest_request(level_version=version, agent_specs=make_specs("random"), games=1, seed=seed) for seed in (1, 2)
    )
    text = page(designer_client, "levels:detail", version.level_id, report=first.pk)
    assert f"?report={second.pk}#report" in text
    assert f'data-live-topic="report:{first.pk}"' in text
    assert 'name="seed" value="3"' in text


def test_list_of_levels_reads_no_level_files(designer_client: Client) -> None:
    make_version()
    with CaptureQueriesContext(connection) as queries:
        assert designer_client.get(reverse("levels:list")).status_code == 200
    assert queries.captured_queries
    assert not [query["sql"] for query in queries.captured_queries if '"document"' in query["sql"]]


@pytest.mark.parametrize("name", ["a\u202eb", "a\x07b", "\u200b", "a\nb"])
def test_name_that_cannot_be_printed_is_refused(designer_client: Client, name: str) -> None:
    response = upload(designer_client, file_text(), name=name)
    assert response.status_code == 422
    assert "cannot be printed" in response.content.decode()
    assert not Level.objects.filter(shipped__isnull=True).exists()
