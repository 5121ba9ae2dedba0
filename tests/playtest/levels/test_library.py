"""The library: looked through, taken in and along, and the versions of a level."""

import json
import zipfile
from io import BytesIO
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from engine.level import Level as LevelFile
from engine.level import draw_level, parse_level
from playtest.accounts.models import AuditLog, Role, User
from playtest.levels.differences import versions_compared
from playtest.levels.library import LibraryQuery, library_shown
from playtest.levels.models import Level, LevelVersion, PlaytestReport
from playtest.levels.services import level_create, level_save
from tests.playtest.levels.playing import small_level

pytestmark = pytest.mark.django_db


def make(name: str, *, tags: tuple[str, ...] = (), owner: User | None = None, **shape: Any) -> LevelVersion:
    shape = {"rows": 5, "cols": 5, "colours": 5, "seed": len(name)} | shape
    return level_create(owner=owner, level=draw_level(**shape), name=name, tags=tags)


def names(**query: Any) -> list[str]:
    return [row.level.name for _, rows in library_shown(LibraryQuery.of(query)).games for row in rows]


def file_of(level: LevelFile, name: str = "level.json") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, json.dumps(level.to_document()).encode(), "application/json")


def zip_of(*files: tuple[str, bytes]) -> bytes:
    content = BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, data in files:
            archive.writestr(name, data)
    return content.getvalue()


def test_levels_are_found_by_name_tag_game_and_size() -> None:
    make("River", tags=("hard",))
    make("Weir", tags=("easy", "wide"), cols=8)
    make("Stones", game="samegame", tags=("hard",))
    assert names() == ["Weir", "River", "Stones"]
    assert names(q="RIV") == ["River"]
    assert names(q="wide") == ["Weir"]
    assert names(tag="hard") == ["River", "Stones"]
    assert names(tag="hard", game="samegame") == ["Stones"]
    assert names(size="5 × 8") == ["Weir"]
    assert names(q="nothing") == []
    assert names(sort="name") == ["River", "Weir", "Stones"]
    assert names(sort="size") == ["River", "Weir", "Stones"]
    assert names(sort="nonsense") == names()


def test_many_levels_come_in_pages_and_cost_the_same_queries(designer_client: Client) -> None:
    address, counts = reverse("levels:list"), []
    for first, last in ((0, 3), (3, 30)):
        for number in range(first, last):
            make(f"Level {number:02}", seed=number)
        with CaptureQueriesContext(connection) as queries:
            text = designer_client.get(address, {"sort": "name"}).content.decode()
        counts.append(len(queries))
    assert counts[0] == counts[1]
    assert "1 to 24 of 30" in text
    second = designer_client.get(address, {"sort": "name", "page": 2}).content.decode()
    assert "Level 29" in second
    assert "Level 00" not in second
    assert "sort=name&amp;page=2" in text


def test_empty_answer_says_how_to_go_on(designer_client: Client) -> None:
    make("River")
    text = designer_client.get(reverse("levels:list"), {"q": "sea"}).content.decode()
    assert "No level is like that" in text
    assert "No archived levels" in designer_client.get(reverse("levels:list"), {"archived": "1"}).content.decode()


def test_what_is_shown_can_be_taken_along_and_added_elsewhere(designer_client: Client) -> None:
    made = [make("River", tags=("hard",)), make("River", seed=99, tags=("hard",)), make("Weir")]
    response = designer_client.get(reverse("levels:export"), {"tag": "hard"})
    with zipfile.ZipFile(BytesIO(response.content)) as archive:
        levels = [parse_level(json.loads(archive.read(name))) for name in archive.namelist()]
    assert {level.content_hash() for level in levels} == {version.hash for version in made[:2]}
    PlaytestReport.objects.all().delete()
    Level.objects.update(current=None)
    Level.objects.all().delete()
    file = SimpleUploadedFile("levels.zip", response.content, "application/zip")
    assert designer_client.post(reverse("levels:create"), {"file": file}).status_code == 302
    assert sorted(Level.objects.values_list("name", flat=True)) == ["River", "River"]


def test_many_files_come_in_together(designer_client: Client) -> None:
    files = [file_of(small_level(seed=seed, name=f"Level {seed}"), f"{seed}.json") for seed in (1, 2, 3)]
    response = designer_client.post(reverse("levels:create"), {"file": files})
    assert response.headers["Location"] == reverse("levels:list")
    assert Level.objects.count() == PlaytestReport.objects.count() == 3


def test_one_wrong_file_keeps_all_out_and_each_is_named(designer_client: Client) -> None:
    bad = SimpleUploadedFile("bad.json", b"{", "application/json")
    inner = zip_of(("deep/worse.json", b"[]"), ("readme.txt", b"no level"))
    files = [file_of(small_level(), "good.json"), bad, SimpleUploadedFile("more.zip", inner)]
    response = designer_client.post(reverse("levels:create"), {"file": [*files, SimpleUploadedFile("x.zip", b"PK")]})
    text = response.content.decode()
    assert response.status_code == 422
    for words in ("bad.json: The level file is not JSON", "deep/worse.json in more.zip: A level is a JSON object"):
        assert words in text
    assert "x.zip is no ZIP file that can be read." in text
    assert "the other 1 can come in" in text
    assert not Level.objects.exists()


def test_too_many_files_are_refused(designer_client: Client) -> None:
    content = json.dumps(small_level().to_document()).encode()
    file = SimpleUploadedFile("all.zip", zip_of(*((f"{number}.json", content) for number in range(201))))
    assert "at most 200" in designer_client.post(reverse("levels:create"), {"file": file}).content.decode()
    assert not Level.objects.exists()


def test_versions_stand_side_by_side_with_what_differs(designer_client: Client, designer: User) -> None:
    first = make("River", owner=designer)
    other = draw_level(rows=5, cols=5, colours=5, seed=31)
    after = parse_level({**first.document, "moves": 9, "seed": 8, "board": list(other.board)})
    second = level_save(level=first.level, file=after, author=designer, base=1, name="River", tags=())
    comparison = versions_compared(first, second)
    assert [(one.what, one.before, one.after) for one in comparison.settings] == [
        ("Moves", "20", "9"),
        ("Seed", "5", "8"),
    ]
    cells = zip("".join(first.document["board"]), "".join(after.board), strict=True)
    expected = sum(one != other for one, other in cells)
    assert comparison.changed_count == expected > 1
    text = designer_client.get(reverse("levels:versions", args=[first.level_id])).content.decode()
    assert text.count("board__cell--lit") == 2 * expected
    assert f"{expected} cells differ" in text
    assert text.count("level-card__board") == 2
    turned = designer_client.get(reverse("levels:versions", args=[first.level_id]), {"from": 2, "to": 1})
    assert "Board of Version 1" in turned.content.decode()


def test_versions_of_other_sizes_are_told_apart_in_words(designer: User) -> None:
    first = make("River", owner=designer)
    wide = draw_level(rows=5, cols=7, colours=5, seed=5)
    second = level_save(level=first.level, file=wide, author=designer, base=1, name="River", tags=())
    comparison = versions_compared(first, second)
    assert comparison.changed is None
    assert [(one.what, one.before, one.after) for one in comparison.settings] == [("Columns", "5", "7")]


def test_archived_level_leaves_the_library_and_comes_back(designer_client: Client, designer: User) -> None:
    version = make("River", owner=designer)
    address = reverse("levels:archive", args=[version.level_id])
    designer_client.post(address, {"archived": "1"})
    assert names() == []
    assert names(archived="1") == ["River"]
    assert "Put back" in designer_client.get(reverse("levels:detail", args=[version.level_id])).content.decode()
    designer_client.post(address, {"archived": "0"})
    assert names() == ["River"]
    assert list(
        AuditLog.objects.filter(action__startswith="level.").values_list("action", flat=True).order_by("id")
    ) == [
        "level.create",
        "level.archive",
        "level.restore",
    ]


def test_others_levels_are_not_archived(designer_client: Client) -> None:
    other = User.objects.create_user(username="otto", password="correct horse battery", role=Role.DESIGNER)
    version = make("River", owner=other)
    assert (
        designer_client.post(reverse("levels:archive", args=[version.level_id]), {"archived": "1"}).status_code == 403
    )
    assert names() == ["River"]
    assert designer_client.get(reverse("levels:archive", args=[version.level_id])).status_code == 405
