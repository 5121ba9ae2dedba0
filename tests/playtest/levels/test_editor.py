"""Drawing levels: what is saved, what is refused, and what the page is told while somebody draws."""

import json
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.level import Level as LevelFile
from engine.level import draw_level, parse_level, shipped_levels
from personas.agent import load_agent
from personas.report import game_seed
from playtest.accounts.models import AuditLog, Role, User
from playtest.levels.drafts import RISK_GAMES, deadlock_risk, draft_check, queues_written
from playtest.levels.editor_form import LevelEditorForm, initial_values, level_document, split_tags
from playtest.levels.models import Level, LevelVersion, PlaytestReport
from playtest.levels.services import level_create, levels_ensure_shipped
from tests.engine.naive import match3 as naive
from tests.playtest.levels.playing import make_version, small_level


def form_values(level: LevelFile | None = None, **changes: Any) -> dict[str, Any]:
    """What the browser sends for a level."""
    values = initial_values(level or small_level(), tags=()) | {"note": "", "base": ""} | changes
    return {key: "" if value is None else value for key, value in values.items()}


def check(client: Client, level: LevelFile | None = None, *, risk: bool = False, **changes: Any) -> dict[str, Any]:
    address = reverse("levels:check") + ("?risk=1" if risk else "")
    response = client.post(address, form_values(level, **changes))
    assert response.status_code == 200
    answer: dict[str, Any] = response.json()
    return answer


def owned_version(owner: User, **words: Any) -> LevelVersion:
    return level_create(owner=owner, level=small_level(), **words)


@pytest.mark.django_db
def test_drawn_level_is_saved_with_its_tags_and_playtested(designer_client: Client, designer: User) -> None:
    level = draw_level(rows=6, cols=8, colours=5, moves=9, seed=4)
    response = designer_client.post(reverse("levels:draw"), form_values(level, name="Weir", tags="Hard, wide,  hard "))
    row = Level.objects.get(name="Weir")
    assert response.headers["Location"] == reverse("levels:detail", args=[row.pk])
    assert (row.owner, row.tags) == (designer, ["hard", "wide"])
    assert row.current is not None
    assert parse_level(row.current.document).board == level.board
    assert (row.current.rows, row.current.cols, row.current.moves) == (6, 8, 9)
    assert PlaytestReport.objects.get().level_version == row.current


@pytest.mark.django_db
def test_refused_drawing_comes_back_as_it_was(designer_client: Client) -> None:
    board = "AAABC\nBCDEA\nCDEAB\nDEABC\nEABCD"
    values = form_values(board=board, name="Mine", tags="a, b", queues="written", drops="ABC\n\nA")
    response = designer_client.post(reverse("levels:draw"), values)
    text = response.content.decode()
    assert response.status_code == 422
    assert "Row 1 has a run" in text
    for kept in (board, 'value="Mine"', 'value="a, b"', "ABC\n\nA"):
        assert kept in text
    assert not Level.objects.exists()


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"rows": 30}, "less than or equal to 20"),
        ({"rows": 6}, "The board has 5 rows, 6 are needed."),
        ({"colours": 3}, "With 3 colours the letters are A to C"),
        ({"colours": 9}, "must be a whole number from 3 to 7"),
        ({"board": ""}, "This field is required"),
        ({"board": "ABCDE\nABCD"}, "The board has 2 rows"),
        ({"queues": "written", "drops": "ABX"}, "of column 1 holds"),
        ({"tags": ",".join(str(number) for number in range(30))}, "at most 20"),
        ({"tags": "t" * 50}, "more than 40 characters"),
        ({"name": "a\u202eb"}, "cannot be printed"),
        ({"seed": -1}, "greater than or equal to 0"),
        ({"game": "chess"}, "Select a valid choice"),
    ],
)
def test_what_cannot_be_saved_is_said_in_words(designer_client: Client, changes: dict[str, Any], words: str) -> None:
    response = designer_client.post(reverse("levels:draw"), form_values(**changes))
    assert response.status_code == 422
    assert words in response.content.decode().replace("&quot;", '"')
    assert not Level.objects.exists()


@pytest.mark.django_db
def test_edit_makes_a_version_and_keeps_the_old_one(designer_client: Client, designer: User) -> None:
    first = owned_version(designer)
    address = reverse("levels:edit", args=[first.level_id])
    assert f'name="base" value="{first.number}"' in designer_client.get(address).content.decode()
    values = form_values(small_level(seed=9), base=1, name="Steps", tags="x", note="other board")
    assert designer_client.post(address, values).status_code == 302
    row = Level.objects.get()
    assert row.current is not None
    assert (row.name, row.tags, row.current.number, row.current.note) == ("Steps", ["x"], 2, "other board")
    assert LevelVersion.objects.get(pk=first.pk).hash == first.hash
    assert AuditLog.objects.get(action="level.save").after == {"name": "Steps", "tags": ["x"], "version": 2}


@pytest.mark.django_db
def test_board_of_an_earlier_version_brings_that_version_back(designer_client: Client, designer: User) -> None:
    first = owned_version(designer)
    address = reverse("levels:edit", args=[first.level_id])
    designer_client.post(address, form_values(small_level(seed=9), base=1))
    designer_client.post(address, form_values(small_level(), base=2))
    row = Level.objects.get()
    assert row.current == first
    assert row.versions.count() == 2


@pytest.mark.django_db
def test_new_name_alone_makes_no_version(designer_client: Client, designer: User) -> None:
    first = owned_version(designer)
    designer_client.post(reverse("levels:edit", args=[first.level_id]), form_values(base=1, name="Other"))
    assert Level.objects.get().name == "Other"
    assert LevelVersion.objects.count() == 1


@pytest.mark.django_db
def test_second_of_two_designers_is_told_and_loses_nothing(
    designer_client: Client, admin_client: Client, designer: User, admin: User
) -> None:
    address = reverse("levels:edit", args=[owned_version(designer).level_id])
    admin_client.post(address, form_values(small_level(seed=8), base=1))
    mine = form_values(small_level(seed=9), base=1)
    response = designer_client.post(address, mine)
    text = response.content.decode()
    assert response.status_code == 422
    assert f"{admin.get_username()} saved version 2" in text
    assert mine["board"] in text
    assert 'name="base" value="2"' in text
    assert designer_client.post(address, {**mine, "base": 2}).status_code == 302
    assert LevelVersion.objects.count() == 3


@pytest.mark.django_db
def test_who_may_not_edit_is_led_to_a_copy(designer_client: Client, designer: User) -> None:
    other = User.objects.create_user(username="otto", password="correct horse battery", role=Role.DESIGNER)
    levels_ensure_shipped()
    versions = [owned_version(other), LevelVersion.objects.filter(level__shipped__isnull=False).first()]
    for version in versions:
        assert version is not None
        address = reverse("levels:edit", args=[version.level_id])
        copy = f"{reverse('levels:draw')}?from={version.pk}"
        assert designer_client.get(address).headers["Location"] == copy
        assert designer_client.post(address, form_values(base=1)).headers["Location"] == copy
        assert "Edit a copy" in designer_client.get(reverse("levels:detail", args=[version.level_id])).content.decode()
        assert f'value="{version.level.name} copy"' in designer_client.get(copy).content.decode()
    assert not AuditLog.objects.filter(action="level.save").exists()


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["levels:draw", "levels:check", "levels:fill", "levels:edit"])
def test_nobody_draws_without_signing_in(client: Client, name: str) -> None:
    version = make_version()
    address = reverse(name, args=[version.level_id] if name == "levels:edit" else [])
    for response in (client.get(address), client.post(address, form_values())):
        assert response.status_code == 302
        assert response.headers["Location"].startswith(reverse("accounts:login"))
    assert Level.objects.count() == 1


@pytest.mark.django_db
def test_page_is_told_of_runs_and_of_legal_moves(designer_client: Client) -> None:
    good = check(designer_client)
    assert (good["problem"], good["runs"], good["deadlocked"]) == ("", [], False)
    assert good["legal"] == len(naive.legal_swaps([[ord(x) - 64 for x in row] for row in small_level().board]))
    assert "risk" not in good
    runs = check(designer_client, board="AAABC\nBCDEA\nCDEAB\nDEABC\nEABCD")
    assert runs["runs"] == [[0, 0], [0, 1], [0, 2]]
    assert runs["legal"] is None
    stuck = check(designer_client, board="ABCDE\nCDEAB\nEABCD\nBCDEA\nDEABC")
    assert (stuck["deadlocked"], stuck["legal"], stuck["runs"]) == (True, 0, [])
    assert "no legal swap" in stuck["problem"]
    assert check(designer_client, rows="x")["problem"].startswith("Rows: ")
    assert "empty" in check(designer_client, board="ABCDE\nCD.AB\nEABCD\nBCDEA\nDEABC")["problem"]


@pytest.mark.django_db
def test_page_is_told_of_groups_in_samegame(designer_client: Client) -> None:
    level = draw_level("samegame", rows=4, cols=4, colours=3, seed=2)
    answer = check(designer_client, level, risk=True)
    assert answer["problem"] == ""
    assert answer["legal"]
    assert "risk" not in answer
    assert check(designer_client, level, board="ABAB\nBABA\nABAB\nBABA")["deadlocked"] is True


@pytest.mark.django_db
def test_questions_while_drawing_ask_the_database_for_nothing_but_the_session(designer_client: Client) -> None:
    for address in (reverse("levels:check") + "?risk=1", reverse("levels:fill")):
        with CaptureQueriesContext(
            connection,
        ) as queries:
            designer_client.post(address, form_values())
        assert len(queries) <= 2, [query["sql"] for query in queries]


@pytest.mark.django_db
def test_fill_gives_the_board_and_queues_of_the_seed(designer_client: Client) -> None:
    answer = designer_client.post(reverse("levels:fill"), form_values(board="", seed=77)).json()
    drawn = draw_level(rows=5, cols=5, colours=5, seed=77)
    assert tuple(answer["board"]) == drawn.board
    queues = naive.Queues(77, 5, 5, None)
    for column, text in enumerate(answer["drops"]):
        assert text == "".join(chr(64 + queues.piece(column)) for _ in text)
        assert len(text) == 20
    refused = designer_client.post(reverse("levels:fill"), form_values(rows=2))
    assert refused.status_code == 422
    assert "from 3 to 12" in refused.json()["problem"]


@st.composite
def boards(draw: st.DrawFn) -> tuple[list[str], int]:
    """Boards as somebody draws them: with runs or without, playable or not."""
    colours = draw(st.integers(3, 7))
    rows, cols = draw(st.integers(3, 9)), draw(st.integers(3, 9))
    letters = st.text("ABCDEFG"[:colours], min_size=cols, max_size=cols)
    return draw(st.lists(letters, min_size=rows, max_size=rows)), colours


@given(boards())
@settings(deadline=None, max_examples=150)
def test_check_agrees_with_the_plain_twin(drawn: tuple[list[str], int]) -> None:
    rows, colours = drawn
    answer = draft_check(
        {"game": "match3", "rows": len(rows), "cols": len(rows[0]), "colours": colours, "seed": 1, "board": rows}
    )
    board = [[ord(letter) - 64 for letter in row] for row in rows]
    runs = set().union(*naive.runs(board))
    assert set(answer.runs) == runs
    swaps = [] if runs else naive.legal_swaps(board)
    assert answer.legal == (None if runs else len(swaps))
    assert answer.deadlocked == (not runs and not swaps)
    assert bool(answer.problem) == bool(runs or not swaps)


@pytest.mark.parametrize(("rows", "cols", "colours"), [(4, 4, 6), (3, 9, 5), (7, 7, 6)])
def test_deadlock_risk_agrees_with_the_plain_twin(rows: int, cols: int, colours: int) -> None:
    level = draw_level(rows=rows, cols=cols, colours=colours, moves=12, seed=3)
    risk = deadlock_risk(level)
    assert risk is not None
    assert risk.games == RISK_GAMES
    games = load_agent("random").play_games([level] * risk.games, [game_seed(1, game) for game in range(risk.games)])
    stuck = 0
    for game in games:
        queues = naive.Queues(level.seed, cols, colours, None)
        play = naive.Play([[ord(x) - 64 for x in row] for row in level.board], colours, queues)
        shuffles = set()
        for code in game.codes:
            row, col = divmod(code >> 1, cols)
            play.swap(((row, col), (row + 1, col) if code & 1 else (row, col + 1)))
            shuffles.add(play.shuffled)
        stuck += shuffles != {""}
    assert risk.stuck == stuck
    if rows < 7:
        assert stuck


@pytest.mark.parametrize("game", ["match3", "samegame"])
def test_form_of_a_level_describes_that_level(game: str) -> None:
    for level in shipped_levels(game).values():
        form = LevelEditorForm(form_values(level))
        assert form.is_valid(), form.errors
        assert form.level.content_hash() == level.content_hash()


def test_written_queues_are_part_of_the_level() -> None:
    level = small_level()
    drops = queues_written(level)
    form = LevelEditorForm(form_values(queues="written", drops="\r\n".join([drops[0], "", drops[2]])))
    assert form.is_valid(), form.errors
    assert form.level.drops == (drops[0], "", drops[2], "", "")
    assert json.loads(json.dumps(level_document(form.cleaned_data)))["drops"] == [drops[0], "", drops[2], "", ""]


def test_tags_are_words_each_once() -> None:
    assert split_tags(" Hard,, wide  board ,hard") == ["hard", "wide board"]
    assert split_tags(" , ") == []
