"""`manage.py replay` as people run it: the rules of the plain twins, and clear words for wrong files."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engine.level import Level, draw_level
from tests.engine.naive import match3 as twin
from tests.playtest.commands import json_lines, json_lines_here, refused, refused_process, run_command, without_room
from tests.playtest.replays import Replay, plain_match3, plain_samegame, random_match3, random_samegame

LEVEL = draw_level(seed=4)


def write(path: Path, value: object) -> Path:
    path.write_text(value if isinstance(value, str) else json.dumps(value))
    return path


def replayed(folder: Path, level: Level, actions: list[Any], run: Callable[..., list[Any]]) -> Any:
    """The answer of the command that `run` calls, on files in `folder`."""
    folder.mkdir(exist_ok=True)
    (answer,) = run("replay", write(folder / "level", level.to_document()), write(folder / "actions", actions))
    return answer


@pytest.mark.parametrize("random_game", [random_match3, random_samegame])
def test_replay_as_a_command_agrees_with_the_plain_twin(tmp_path, random_game):
    for number in range(2):
        level, actions, expected = random_game(number)
        assert replayed(tmp_path, level, actions, json_lines) == expected


def assert_replays_agree(folder: Path, random_game: Callable[[int], Replay], games: int) -> None:
    illegal = reshuffled = 0
    for number in range(games):
        level, actions, expected = random_game(number)
        assert replayed(folder, level, actions, json_lines_here) == expected, number
        illegal += any(not move["legal"] for move in expected["moves"][:-3])
        reshuffled += any("reshuffled" in move for move in expected["moves"])
    assert illegal > games // 2
    assert reshuffled > games // 20 or random_game is random_samegame


@pytest.mark.parametrize("random_game", [random_match3, random_samegame])
def test_three_hundred_replays_of_each_game_agree_with_the_plain_twin(tmp_path, random_game):
    assert_replays_agree(tmp_path, random_game, 300)


@pytest.mark.slow
@pytest.mark.parametrize("random_game", [random_match3, random_samegame])
def test_ten_thousand_replays_of_each_game_agree_with_the_plain_twin(tmp_path, random_game):
    assert_replays_agree(tmp_path, random_game, 10_000)


def test_replay_of_the_largest_samegame_board_agrees_with_the_plain_twin(tmp_path):
    level = draw_level("samegame", rows=20, cols=20, colours=9, seed=6)
    actions, expected = plain_samegame(level, 1)
    assert replayed(tmp_path, level, actions, json_lines_here) == expected


def test_replay_of_malformed_actions_of_samegame_ends_with_2(tmp_path):
    level = draw_level("samegame", rows=5, cols=5, colours=3, seed=6)
    for actions in ([[[0, 0], [0, 1]]], [[0]], [[0, True]], ["undo"]):
        said = refused("replay", write(tmp_path / "l", level.to_document()), write(tmp_path / "a", actions), "--json")
        assert "action 1 is malformed" in said


def test_replay_for_people_shows_moves_board_and_score(tmp_path):
    actions, answer = plain_match3(LEVEL, 1)
    done = run_command("replay", write(tmp_path / "l", LEVEL.to_document()), write(tmp_path / "a", actions))
    assert done.returncode == 0
    assert "not legal" in done.stdout
    assert f"Score {answer['score']}, over (moves)" in done.stdout
    assert all(row in done.stdout for row in answer["board"])


def test_replay_reports_what_cannot_be_played_and_goes_on(tmp_path):
    source = twin.Play(twin.board_of(LEVEL.board), LEVEL.colours, twin.Queues(4, 7, 6, None))
    legal = [list(cell) for cell in source.legal[0]]
    wrong = [[[0, 0], [0, 0]], [[0, 0], [1, 1]], [[0, 0], [0, 7]], [[-1, 0], [0, 0]], [[99, 99], [99, 98]]]
    (answer,) = json_lines(
        "replay", write(tmp_path / "l", LEVEL.to_document()), write(tmp_path / "a", [*wrong, legal, *wrong])
    )
    assert [move["legal"] for move in answer["moves"]] == [False] * 5 + [True] + [False] * 5
    assert [move["action"] for move in answer["moves"]] == [*wrong, legal, *wrong]
    assert answer["score"] == source.swap(source.legal[0])
    assert answer["over"] is None


@pytest.mark.parametrize(
    "actions",
    [
        "",
        "[[[0,0],[0,1]]",
        "{}",
        "3",
        "[3]",
        "[[0,0]]",
        "[[[0,0]]]",
        "[[[0,0],[0,1],[0,2]]]",
        "[[[0,0],[0,1.5]]]",
        "[[[0,0],[0,true]]]",
        '[[[0,0],[0,"1"]]]',
        "[[[0,0],[0,null]]]",
        "[[[0,0],[0,NaN]]]",
        "[" * 100_000,
        "[[[0,0],[0," + "9" * 5000 + "]]]",
    ],
)
def test_replay_of_malformed_actions_ends_with_2_and_prints_nothing(tmp_path, actions):
    said = refused("replay", write(tmp_path / "l", LEVEL.to_document()), write(tmp_path / "a", actions), "--json")
    assert said.startswith("Error: ")


def test_replay_names_the_first_malformed_action(tmp_path):
    actions = [[[0, 0], [0, 1]], [[0, 0], [0, 1]], "left"]
    said = refused_process("replay", write(tmp_path / "l", LEVEL.to_document()), write(tmp_path / "a", actions))
    assert said.endswith("action 3 is malformed: 'left'")


def changed(**values: object) -> dict[str, Any]:
    return LEVEL.to_document() | values


def with_row(number: int, row: str) -> dict[str, Any]:
    board = list(LEVEL.board)
    board[number] = row
    return changed(board=board)


@pytest.mark.parametrize(
    ("level", "said"),
    [
        (with_row(2, "AAABCDE"), "run"),
        (with_row(2, "AXBBCDE"), "Row 3"),
        (with_row(2, "ABCDEG" + "A"), "Row 3"),
        (with_row(2, "ABCDEA"), "Row 3 has 6 letters, 7 are needed"),
        (changed(board=list(LEVEL.board)[:6]), "rows"),
        (changed(rows=2, board=["ABCABCA"] * 2), "rows"),
        (changed(rows=13), "rows"),
        (changed(colours=8), "colours"),
        (changed(colours=2), "colours"),
        (changed(moves=0), "moves"),
        (changed(seed=-1), "seed"),
        (changed(seed=2**53), "seed"),
        (changed(holes=[]), "holes"),
        (changed(game="chess"), "chess"),
        ({"game": "match3", "rows": 3, "cols": 3, "seed": 1, "board": ["ABC", "DEF", "BCA"]}, "no legal swap"),
        ("", "JSON"),
        ("[]", "object"),
        ("{", "JSON"),
    ],
)
def test_replay_of_a_wrong_level_ends_with_2_and_says_what_is_wrong(tmp_path, level, said):
    message = refused("replay", write(tmp_path / "l", level), write(tmp_path / "a", []), "--json")
    assert said in message


def test_replay_of_files_that_are_not_there_ends_with_2(tmp_path):
    level = write(tmp_path / "l", LEVEL.to_document())
    assert "No such file" in refused("replay", tmp_path / "none", write(tmp_path / "a", []))
    assert "No such file" in refused("replay", level, tmp_path / "none")
    assert "directory" in refused("replay", level, tmp_path)


@pytest.mark.parametrize("form", [(), ("--json",)])
def test_replay_whose_output_finds_no_room_ends_with_2(tmp_path, form):
    said = without_room("replay", write(tmp_path / "l", LEVEL.to_document()), write(tmp_path / "a", []), *form)
    assert said == "Error: The output cannot be written: No space left on device."
