"""Positions made by hand: each shape of match, points, multipliers, falling, queues, shuffles."""

from collections import Counter

import pytest

from engine.games.match3 import small
from engine.level import Level, parse_level
from engine.round import ActionRefused, Outcome, Round

# On this ground no two neighbours across are equal and no three down, whichever columns fall by however much.
GROUND = ["DEFGDEF", "FGDEFGD"] * 4

Pieces = dict[tuple[int, int], str]


def level_with(pieces: Pieces, drops: list[str] | None = None) -> Level:
    """A level of 7 x 7 whose board is the ground with some pieces put on it, row 0 at the top."""
    board = ["".join(pieces.get((row, col), GROUND[row][col]) for col in range(7)) for row in range(7)]
    document = {"game": "match3", "rows": 7, "cols": 7, "colours": 7, "seed": 1, "moves": 20, "board": board}
    return parse_level(document if drops is None else {**document, "drops": drops})


def level_of(board: list[str], drops: list[str], seed: int = 1) -> Level:
    rows, cols = len(board), len(board[0])
    document = {
        "game": "match3",
        "rows": rows,
        "cols": cols,
        "colours": 7,
        "seed": seed,
        "board": board,
        "drops": drops,
    }
    return parse_level(document)


def play(level: Level, action: list[list[int]]) -> Outcome:
    return Round(level).play(action)


def matches_of(outcome: Outcome, step: int) -> list[tuple[str, int, int]]:
    """Piece, size and points of the matches of a step, from 1."""
    clear = outcome.frames[2 * step - 1]
    assert (clear["f"], clear["step"], clear["mult"]) == ("clear", step, step)
    assert clear["gained"] == sum(match["points"] for match in clear["matches"])
    return sorted((match["piece"], len(match["cells"]), match["points"]) for match in clear["matches"])


INTO_ROW_3 = [[2, 2], [3, 2]]


def at(letter: str, *cells: tuple[int, int]) -> Pieces:
    return dict.fromkeys(cells, letter)


@pytest.mark.parametrize(
    ("pieces", "action", "size", "points"),
    [
        pytest.param(at("A", (3, 0), (3, 1), (2, 2)), INTO_ROW_3, 3, 60, id="three in a row"),
        pytest.param(at("A", (2, 3), (3, 3), (4, 4)), [[4, 4], [4, 3]], 3, 60, id="three in a column"),
        pytest.param(at("A", (3, 0), (3, 1), (3, 3), (2, 2)), INTO_ROW_3, 4, 120, id="four in a row"),
        pytest.param(at("A", (0, 3), (1, 3), (3, 3), (2, 4)), [[2, 4], [2, 3]], 4, 120, id="four in a column"),
        pytest.param(at("A", (3, 0), (3, 1), (3, 3), (3, 4), (2, 2)), INTO_ROW_3, 5, 200, id="five in a row"),
        pytest.param(at("A", (1, 3), (2, 3), (4, 3), (5, 3), (3, 4)), [[3, 4], [3, 3]], 5, 200, id="five in a column"),
        pytest.param(at("A", (3, 0), (3, 1), (4, 2), (5, 2), (2, 2)), INTO_ROW_3, 5, 200, id="L"),
        pytest.param(at("A", (3, 1), (3, 3), (4, 2), (5, 2), (2, 2)), INTO_ROW_3, 5, 200, id="T"),
        pytest.param(at("A", (3, 0), (3, 1), (3, 3), (4, 2), (5, 2), (2, 2)), INTO_ROW_3, 6, 300, id="crooked T"),
        pytest.param(
            at("A", (3, 0), (3, 1), (3, 3), (3, 4), (4, 2), (5, 2), (2, 2)), INTO_ROW_3, 7, 420, id="T of five across"
        ),
    ],
)
def test_a_match_of_each_shape_is_worth_its_size(pieces, action, size, points):
    outcome = play(level_with(pieces), action)
    assert matches_of(outcome, 1) == [("A", size, points)]
    assert outcome.cleared >= size


def test_a_cross_that_falls_together_is_one_match_at_double_points():
    # The Bs of column 2 go, and the two As above them fall between the As beside and below.
    pieces = at("A", (0, 2), (1, 2), (5, 2), (4, 1), (4, 3)) | at("B", (3, 2), (4, 2), (2, 3))
    outcome = play(level_with(pieces, ["", "", "DFD", "", "", "", ""]), [[2, 3], [2, 2]])
    assert matches_of(outcome, 1) == [("B", 3, 60)]
    assert matches_of(outcome, 2) == [("A", 5, 400)]
    cross = outcome.frames[3]["matches"][0]["cells"]
    assert cross == [[3, 2], [4, 1], [4, 2], [4, 3], [5, 2]]


def test_two_runs_that_only_touch_are_two_matches():
    pieces = at("A", (3, 0), (3, 1), (4, 2)) | at("B", (4, 0), (4, 1), (3, 2))
    outcome = play(level_with(pieces), [[3, 2], [4, 2]])
    assert matches_of(outcome, 1) == [("A", 3, 60), ("B", 3, 60)]


def test_two_runs_of_one_colour_side_by_side_are_two_matches():
    # The two matches of the swap empty two cells in each of three columns, and six Cs fall into them.
    pieces = at("A", (3, 0), (3, 1), (4, 2)) | at("B", (4, 0), (4, 1), (3, 2))
    drops = ["CCDE", "CCFG", "CCDE", "", "", "", ""]
    outcome = play(level_with(pieces, drops), [[3, 2], [4, 2]])
    assert matches_of(outcome, 2) == [("C", 3, 120), ("C", 3, 120)]
    assert (outcome.gained, outcome.steps, outcome.matches, outcome.cleared) == (360, 2, 4, 12)


def test_each_step_of_a_cascade_counts_once_more_and_the_next_swap_starts_at_one():
    pieces = at("A", (3, 0), (3, 1), (2, 2)) | at("B", (6, 4), (6, 5), (5, 6))
    # Three rows of equal pieces fall in one after the other, then the ground goes on.
    drops = ["ABCF", "ABCG", "ABCD", "", "FD", "GE", "DF"]
    played = Round(level_with(pieces, drops))
    outcome = played.play(INTO_ROW_3)
    assert [matches_of(outcome, step)[0][2] for step in (1, 2, 3, 4)] == [60, 120, 180, 240]
    assert (outcome.gained, outcome.steps, outcome.score) == (600, 4, 600)
    outcome = played.play([[5, 6], [6, 6]])
    assert matches_of(outcome, 1) == [("B", 3, 60)]
    assert outcome.score == 600 + outcome.gained


def test_pieces_fall_straight_down_and_the_first_of_the_queue_ends_lowest():
    level = level_of(
        ["DEFG", "FGAE", "DAFG", "FAGE"],
        ["", "CBA", "", ""],
    )
    outcome = play(level, [[1, 1], [1, 2]])
    # Column 1 was E A A A from the top; E fell to the floor, then C, B and A came.
    assert outcome.board == ["DAFG", "FBGE", "DCFG", "FEGE"]
    assert outcome.frames[2] == {
        "f": "fall",
        "moves": [[0, 1, 3, 1]],
        "new": [[2, 1, "C", -1], [1, 1, "B", -2], [0, 1, "A", -3]],
    }


def test_an_illegal_swap_changes_nothing():
    played = Round(level_with(at("A", (3, 0), (3, 1), (2, 2))))
    before = played.state.words.tolist(), played.board, played.check()
    for action in ([[0, 0], [0, 1]], [[6, 6], [5, 6]]):
        assert played.refusal(action) == "illegal"
        with pytest.raises(ActionRefused) as caught:
            played.play(action)
        assert caught.value.reason == "illegal"
    assert (played.state.words.tolist(), played.board, played.check()) == before
    assert (played.score, played.moves_used, played.drops_fallen()) == (0, 0, [""] * 7)


# After the swap of the right column's upper two the top row is AAA; what falls in leaves no legal swap.
STUCK = ["AAB", "CDA", "EFG"]
STUCK_SWAP = [[0, 2], [1, 2]]


def test_a_board_without_a_legal_swap_is_shuffled_for_free():
    outcome = play(level_of(STUCK, ["E", "F", "E"]), STUCK_SWAP)
    assert (outcome.gained, outcome.steps, outcome.redrawn) == (60, 1, False)
    assert outcome.frames[-1] == {"f": "shuffle", "redrawn": False, "board": outcome.board}
    assert outcome.reshuffled == outcome.board
    assert Counter("".join(outcome.board)) == Counter("EFECDBEFG")
    # What stands is a start board by the same rules: no run, a legal swap.
    level_of(outcome.board, ["", "", ""])


def test_a_board_that_no_shuffle_can_save_is_drawn_anew():
    # No colour is there three times.
    outcome = play(level_of(STUCK, ["E", "F", "C"]), STUCK_SWAP)
    assert outcome.redrawn is True
    assert outcome.frames[-1] == {"f": "shuffle", "redrawn": True, "board": outcome.board}
    level_of(outcome.board, ["", "", ""])


def test_a_shuffle_depends_on_level_seed_and_move_number_and_not_on_queues():
    boards = [play(level_of(STUCK, ["E", "F", "E"], seed), STUCK_SWAP).board for seed in (1, 1, 2, 3)]
    assert boards[0] == boards[1]
    assert len({tuple(board) for board in boards}) == 3
    longer_queues = play(level_of(STUCK, ["EA", "FB", "EC"]), STUCK_SWAP)
    assert longer_queues.board == boards[0]
    later = Round(level_of(STUCK, ["E", "F", "E"]))
    later.state.words[small.MOVES] = 1
    assert later.play(STUCK_SWAP).board != boards[0]


def test_a_shuffle_leaves_the_queues_where_they_were():
    played = Round(level_of(STUCK, ["EA", "FB", "EC"]))
    played.play(STUCK_SWAP)
    assert played.drops_fallen() == ["E", "F", "E"]
    while len(played.drops_fallen()[1]) < 2:
        played.play(played.legal_actions()[0])
    assert played.drops_fallen()[1][:2] == "FB"


def test_everybody_meets_the_same_pieces_in_the_same_order():
    level = level_with(at("A", (3, 0), (3, 1), (2, 2)), ["ABC"] * 7)
    first, last = Round(level), Round(level)
    while first.over is None:
        first.play(first.legal_actions()[0])
        last.play(last.legal_actions()[-1])
    assert first.board != last.board
    for mine, yours in zip(first.drops_fallen(), last.drops_fallen(), strict=True):
        assert mine[:3] == "ABC"[: len(mine)]
        shared = min(len(mine), len(yours))
        assert mine[:shared] == yours[:shared]
    assert max(len(letters) for letters in first.drops_fallen()) > 3
