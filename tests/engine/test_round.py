"""A round: what it says of itself, what it refuses, how it is replayed, what its frames tell."""

import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.level import Level, draw_level, shipped_levels
from engine.round import ActionRefused, Outcome, Round

LEVEL = shipped_levels("match3")["board-1"]


def play_through(level: Level, seed: int) -> tuple[Round, list[Outcome]]:
    choice = random.Random(seed)
    played, outcomes = Round(level), []
    while played.over is None:
        outcomes.append(played.play(choice.choice(played.legal_actions())))
    return played, outcomes


def test_a_round_ends_after_its_moves_and_takes_no_more():
    played, outcomes = play_through(LEVEL, 1)
    assert [outcome.over for outcome in outcomes] == [None] * 19 + ["moves"]
    assert (played.over, played.moves_used, played.moves_left) == ("moves", 20, 0)
    assert played.score == sum(outcome.gained for outcome in outcomes) == outcomes[-1].score
    assert played.score >= 20 * 60
    action, before = played.legal_actions()[0], (played.board, played.check(), played.drops_fallen())
    assert played.refusal(action) == "over"
    with pytest.raises(ActionRefused, match="over"):
        played.play(action)
    with pytest.raises(ActionRefused, match="over"):
        played.play_code(0)
    assert (played.board, played.check(), played.drops_fallen()) == before


def test_the_start_of_a_round_is_the_level():
    played = Round(LEVEL)
    assert played.board == list(LEVEL.board)
    assert (played.score, played.moves_used, played.moves_left, played.over) == (0, 0, 20, None)
    assert played.drops_fallen() == [""] * 7
    assert played.legal_count() == len(played.legal_actions()) == len(played.legal_codes()) > 0


def test_boards_that_a_round_gives_away_are_copies():
    played = Round(LEVEL)
    played.board[0] = "changed"
    outcome = played.play(played.legal_actions()[0])
    outcome.board[0] = "changed"
    assert "changed" not in played.board


@pytest.mark.parametrize(
    ("action", "reason"),
    [
        (None, "bad_action"),
        (3, "bad_action"),
        ("[[0,0],[0,1]]", "bad_action"),
        ({"a": [0, 0], "b": [0, 1]}, "bad_action"),
        ([], "bad_action"),
        ([[0, 0]], "bad_action"),
        ([[0, 0], [0, 1], [0, 2]], "bad_action"),
        ([0, 1], "bad_action"),
        ([[0, 0], 1], "bad_action"),
        ([[0, 0], [0]], "bad_action"),
        ([[0, 0], [0, 1, 2]], "bad_action"),
        ([[0, 0], [0, 1.0]], "bad_action"),
        ([[0, 0], [0, True]], "bad_action"),
        ([[0, 0], [0, "1"]], "bad_action"),
        ([[0, 0], [0, None]], "bad_action"),
        ([[0, 0], [[0], 1]], "bad_action"),
        ([[0, 0], {"0": 0, "1": 1}], "bad_action"),
        (["00", "01"], "bad_action"),
        ([[0, 0], [-1, 0]], "off_board"),
        ([[7, 0], [6, 0]], "off_board"),
        ([[0, 6], [0, 7]], "off_board"),
        ([[10**40, 0], [0, 0]], "off_board"),
        ([[0, 0], [0, 0]], "not_adjacent"),
        ([[0, 0], [1, 1]], "not_adjacent"),
        ([[0, 0], [0, 2]], "not_adjacent"),
        ([[0, 6], [1, 0]], "not_adjacent"),
    ],
)
def test_what_is_no_swap_is_refused_with_its_reason_and_changes_nothing(action, reason):
    played = Round(LEVEL)
    words = played.state.words.tolist()
    assert played.refusal(action) == reason
    with pytest.raises(ActionRefused) as caught:
        played.play(action)
    assert caught.value.reason == reason
    assert (played.state.words.tolist(), played.moves_used) == (words, 0)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 9) | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=300, deadline=None, derandomize=True)
@given(JSON)
def test_any_json_value_is_played_or_refused(action):
    played = Round(LEVEL)
    if played.refusal(action) is None:
        assert played.play(action).gained > 0
    else:
        with pytest.raises(ActionRefused):
            played.play(action)


@pytest.mark.parametrize("code", [-1, 98, 97, 12, 10**30, None, "3", 2.5])
def test_a_code_that_the_level_has_not_is_refused(code):
    # 97 would swap the last cell with one below the board, 12 the last of the first row with one to its right.
    played = Round(LEVEL)
    with pytest.raises(ActionRefused):
        played.play_code(code)
    assert played.moves_used == 0


def test_a_round_is_replayed_from_its_codes_with_the_same_result_at_every_move():
    for size in (5, 9):
        level = draw_level(rows=size, cols=size, colours=5, seed=size)
        played, outcomes = play_through(level, 2)
        for moves in (0, 7, len(outcomes)):
            again = Round.replay(level, [outcome.code for outcome in outcomes[:moves]])
            assert again.moves_used == moves
            if moves:
                assert (again.board, again.score) == (outcomes[moves - 1].board, outcomes[moves - 1].score)
        assert again.check() == played.check()
        assert again.drops_fallen() == played.drops_fallen()


def test_replaying_an_illegal_code_is_refused():
    legal = set(Round(LEVEL).legal_codes())
    illegal = next(code for code in range(84) if code not in legal)
    with pytest.raises(ActionRefused, match="illegal"):
        Round.replay(LEVEL, [illegal])


def test_a_swap_begun_from_either_cell_is_the_same_move_and_remembers_which():
    for action in Round(LEVEL).legal_actions():
        forward, backward = Round(LEVEL).play(action), Round(LEVEL).play(action[::-1])
        assert (forward.reversed, backward.reversed) == (False, True)
        assert (forward.action, backward.action) == (action, action[::-1])
        assert forward.frames[0] == {"f": "swap", "a": action[0], "b": action[1]}
        assert backward.frames[0] == {"f": "swap", "a": action[1], "b": action[0]}
        assert (forward.code, forward.board, forward.frames[1:]) == (backward.code, backward.board, backward.frames[1:])
        stored = Round(LEVEL).play_code(backward.code, reversed=True)
        assert stored == backward


def test_actions_may_be_tuples_from_python():
    (first, second) = Round(LEVEL).legal_actions()[0]
    assert Round(LEVEL).play((tuple(first), tuple(second))).gained >= 60


def test_check_tells_boards_scores_and_moves_apart():
    played = Round(LEVEL)
    seen = {played.check()}
    while played.over is None:
        played.play(played.legal_actions()[0])
        seen.add(played.check())
    assert len(seen) == 21
    assert all(len(check) == 16 and set(check) <= set("0123456789abcdef") for check in seen)
    # Stored moves carry it.
    assert Round(LEVEL).check() == Round(LEVEL).check()


def draw_frames(board: list[str], frames: list[dict]) -> list[str]:
    """What a client that knows no rules shows after the frames; fails where a frame does not fit what is shown."""
    cells = [list(row) for row in board]
    for frame in frames:
        if frame["f"] == "swap":
            (row, col), (other_row, other_col) = frame["a"], frame["b"]
            cells[row][col], cells[other_row][other_col] = cells[other_row][other_col], cells[row][col]
        elif frame["f"] == "clear":
            assert frame["gained"] == sum(match["points"] for match in frame["matches"])
            for match in frame["matches"]:
                size = len(match["cells"])
                assert match["points"] == size * (20 + 10 * (size - 3)) * frame["mult"]
                for row, col in match["cells"]:
                    assert cells[row][col] == match["piece"]
                    cells[row][col] = "."
        elif frame["f"] == "fall":
            for row, col, to_row, to_col in frame["moves"]:
                assert (to_col, to_row > row) == (col, True)
                assert (cells[row][col] != ".", cells[to_row][to_col]) == (True, ".")
                cells[to_row][to_col], cells[row][col] = cells[row][col], "."
            for row, col, piece, start in frame["new"]:
                assert (cells[row][col], start < 0) == (".", True)
                cells[row][col] = piece
            assert all("." not in row for row in cells)
            # All new pieces of a column fall by the same distance, from one row above the other.
            for col in {new[1] for new in frame["new"]}:
                column = [new for new in frame["new"] if new[1] == col]
                assert [new[3] for new in column] == [-1 - i for i in range(len(column))]
                assert len({new[0] - new[3] for new in column}) == 1
        else:
            assert frame["f"] == "shuffle"
            cells = [list(row) for row in frame["board"]]
    return ["".join(row) for row in cells]


@pytest.mark.parametrize(("rows", "cols", "colours"), [(7, 7, 6), (3, 3, 7), (4, 8, 3), (9, 11, 5), (12, 12, 3)])
def test_a_client_that_only_draws_frames_shows_the_right_board(rows, cols, colours):
    shuffles = 0
    for seed in range(5):
        level = draw_level(rows=rows, cols=cols, colours=colours, seed=seed)
        board = list(level.board)
        played, outcomes = play_through(level, seed)
        for outcome in outcomes:
            assert draw_frames(board, outcome.frames) == outcome.board
            kinds = [frame["f"] for frame in outcome.frames]
            expected = ["swap", *["clear", "fall"] * outcome.steps]
            expected += ["shuffle"] if outcome.reshuffled else []
            assert kinds == expected
            assert [frame["step"] for frame in outcome.frames if frame["f"] == "clear"] == list(
                range(1, outcome.steps + 1)
            )
            assert outcome.gained == sum(frame.get("gained", 0) for frame in outcome.frames)
            assert json.loads(json.dumps(outcome.frames)) == outcome.frames
            shuffles += outcome.reshuffled is not None
            board = outcome.board
        assert played.board == board
    assert shuffles > 0 or colours < 7


def test_legal_counts_before_each_move_are_those_of_the_board_then():
    played = Round(LEVEL)
    total = 0
    while played.over is None:
        count = len(played.legal_actions())
        total += count
        assert played.play(played.legal_actions()[-1]).legal_before == count
    assert played.legal_total == total
