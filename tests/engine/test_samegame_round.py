"""SameGame as it is played: points, what falls and closes up, the end, frames for the screen, levels."""

import json

import pytest

from engine.game import get_game
from engine.level import Level, LevelError, draw_level, load_level, parse_level, shipped_levels
from engine.round import ActionRefused, Round

GAME = get_game("samegame")


def level_of(*rows: str, colours: int = 5) -> Level:
    document = {"game": "samegame", "rows": len(rows), "cols": len(rows[0]), "colours": colours, "seed": 1}
    return parse_level(document | {"board": list(rows)})


@pytest.mark.parametrize(
    ("top", "bottom", "points"),
    [("AAB", "BCD", 0), ("AAAB", "BCDE", 1), ("AAAAB", "BCDEC", 4), ("AAAAAAAB", "BCDEBCDC", 25)],
)
def test_group_of_n_gives_n_minus_two_squared(top: str, bottom: str, points: int):
    outcome = Round(level_of(top, bottom)).play([0, 0])
    assert outcome.frames[0]["gained"] == outcome.frames[0]["matches"][0]["points"] == points


def test_removal_drops_blocks_and_closes_empty_columns_to_the_left():
    played = Round(level_of("CADE", "BADB", "DABC", "CAED"))
    outcome = played.play([1, 1])
    assert outcome.board == ["CDE.", "BDB.", "DBC.", "CED."]
    assert (outcome.gained, outcome.steps, outcome.matches, outcome.cleared) == (4, 1, 1, 4)
    assert outcome.frames == [
        {
            "f": "clear",
            "step": 1,
            "mult": 1,
            "matches": [{"cells": [[0, 1], [1, 1], [2, 1], [3, 1]], "piece": "A", "points": 4}],
            "gained": 4,
        },
        {"f": "fall", "moves": []},
        {"f": "close", "moves": [[2, 1], [3, 2]]},
    ]
    assert outcome.over is None
    falling = Round(level_of("CDE", "ABB", "AAC"))
    outcome = falling.play([2, 1])
    assert outcome.board == ["..E", ".DB", "CBC"]
    assert outcome.frames[1:2] == [{"f": "fall", "moves": [[0, 0, 2, 0], [1, 1, 2, 1], [0, 1, 1, 1]]}]


def test_several_columns_may_close_up_at_once():
    played = Round(level_of("BACAD", "BACAD", "CAAAE"))
    outcome = played.play([2, 2])
    assert outcome.board == ["B.D..", "BCD..", "CCE.."]
    assert outcome.frames[2] == {"f": "close", "moves": [[2, 1], [4, 2]]}


def test_empty_board_gives_a_thousand_and_ends_the_game():
    played = Round(level_of("AB", "AB"))
    assert played.play([0, 0]).gained == 0
    outcome = played.play([1, 0])
    assert (outcome.gained, outcome.score, outcome.over) == (1000, 1000, "stuck")
    assert outcome.board == ["..", ".."]
    assert outcome.frames[-1] == {"f": "bonus", "points": 1000, "why": "empty"}


def test_blocks_left_are_deducted_by_colour_in_the_last_gain():
    played = Round(level_of("AAAB", "BCDC", "CDCB"))
    outcome = played.play([0, 0])
    # Three A give 1. B: 3 left, 1 off. C: 4 left, 4 off. D: 2 left, nothing off.
    assert (outcome.gained, outcome.score, outcome.over) == (1 - 5, -4, "stuck")
    assert outcome.frames[-1] == {"f": "bonus", "points": -5, "why": "left", "by": {"B": 3, "C": 4, "D": 2}}
    assert [frame["f"] for frame in outcome.frames] == ["clear", "fall", "bonus"]


def test_single_block_left_costs_one_point():
    outcome = Round(level_of("AA", "AB")).play([0, 0])
    assert (outcome.gained, outcome.over) == (0, "stuck")
    assert outcome.frames[-1] == {"f": "bonus", "points": -1, "why": "left", "by": {"B": 1}}


def test_any_cell_of_a_group_is_played_and_kept_as_it_was_named():
    level = level_of("BAC", "BAA", "CBA")
    ends = []
    for cell in ([0, 1], [1, 1], [1, 2], [2, 2]):
        played = Round(level)
        outcome = played.play(cell)
        assert (outcome.action, outcome.code, outcome.gained) == (cell, 3 * cell[0] + cell[1], 4)
        assert Round.replay(level, [outcome.code]).check() == played.check()
        ends.append(outcome.board)
    assert ends == [ends[0]] * 4


@pytest.mark.parametrize(
    ("action", "reason"),
    [
        ([0, 2], "illegal"),
        ([0, 3], "off_board"),
        ([-1, 0], "off_board"),
        ([0], "bad_action"),
        ([0, True], "bad_action"),
        ([0.0, 1], "bad_action"),
        ([[0, 1], [1, 1]], "bad_action"),
        ("undo", "bad_action"),
        (None, "bad_action"),
    ],
)
def test_what_is_no_group_is_refused_with_a_reason_and_changes_nothing(action: object, reason: str):
    played = Round(level_of("BAC", "BAA", "CBA"))
    before = played.check()
    assert played.refusal(action) == reason
    with pytest.raises(ActionRefused) as refused:
        played.play(action)
    assert refused.value.reason == reason
    assert (played.check(), played.moves_used) == (before, 0)


def test_empty_cell_is_illegal_and_every_action_after_the_end_is_over():
    played = Round(level_of("ABA", "ABB"))
    played.play([1, 1])
    assert played.board == ["A..", "AA."]
    assert played.refusal([0, 2]) == "illegal"
    played.play([1, 0])
    assert played.over == "stuck"
    assert played.refusal([1, 0]) == "over"
    assert (played.legal_count(), played.legal_actions(), played.moves_left) == (0, [], None)


def test_legal_actions_name_each_group_by_the_lowest_cell_of_its_leftmost_column():
    played = Round(level_of("BAAC", "BBAC", "DABA", "AABA"))
    assert played.legal_actions() == [[0, 1], [1, 0], [1, 3], [3, 0], [3, 2], [3, 3]]
    assert played.legal_count() == 6


def test_groups_number_the_removable_cells_and_tell_what_each_is_worth():
    played = Round(level_of("BAAC", "BBAC", "DABA", "AABA"))
    groups = played.groups()
    assert groups is not None
    assert groups.numbers == [[2, 1, 1, 3], [2, 2, 1, 3], [0, 4, 5, 6], [4, 4, 5, 6]]
    assert groups.worth == [0, 1, 1, 0, 1, 0, 0]
    assert Round(draw_level(seed=1)).groups() is None


def test_nothing_falls_in():
    level = draw_level("samegame", rows=6, cols=6, colours=3, seed=3)
    played = Round(level)
    while played.over is None:
        assert played.play(played.legal_actions()[0]).reshuffled is None
    assert played.drops_fallen() == []


def test_drawn_level_has_no_limit_on_moves_and_comes_from_its_seed():
    level = draw_level("samegame", rows=10, cols=10, colours=4, seed=5)
    assert level.moves is None
    assert set("".join(level.board)) == set("ABCD")
    assert draw_level("samegame", rows=10, cols=10, colours=4, seed=5) == level
    assert draw_level("samegame", rows=10, cols=10, colours=4, seed=6).board != level.board
    assert parse_level(level.to_document()) == level


def test_smallest_board_with_most_colours_is_drawn_until_it_has_a_group():
    for seed in range(50):
        assert Round(draw_level("samegame", rows=2, cols=2, colours=9, seed=seed)).legal_count() >= 1


def test_horizon_is_kept_with_the_level_and_is_half_of_random_play_if_nobody_says_it():
    small = draw_level("samegame", rows=10, cols=10, colours=4, seed=5)
    assert small.horizon == 20
    assert small.to_document()["horizon"] == 20
    standard = draw_level("samegame", rows=15, cols=15, colours=5, seed=5)
    assert standard.horizon is not None
    assert 29 <= standard.horizon <= 35
    assert draw_level("samegame", rows=2, cols=2, colours=2, seed=1).horizon == 1
    said = parse_level(small.to_document() | {"horizon": 7})
    assert said.horizon == 7
    assert said.content_hash() != small.content_hash()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"drops": ["A", "A"]}, "drops"),
        ({"moves": 20}, "moves"),
        ({"rows": 21}, "from 2 to 20"),
        ({"colours": 10}, "from 2 to 9"),
        ({"colours": 1}, "from 2 to 9"),
        ({"horizon": 0}, "horizon"),
        ({"board": ["AB", "BA"]}, "no group"),
        ({"board": ["AA", "A."]}, "holes"),
        ({"board": ["AA", "AF"]}, "A to E"),
    ],
)
def test_wrong_level_is_refused_in_plain_words(change: dict[str, object], words: str):
    document = {"game": "samegame", "rows": 2, "cols": 2, "colours": 5, "seed": 1, "board": ["AA", "AB"]}
    parse_level(document)
    with pytest.raises(LevelError, match=words):
        parse_level(document | change)


def test_level_of_nine_colours_uses_the_letters_a_to_i():
    level = draw_level("samegame", rows=20, cols=20, colours=9, seed=1)
    assert set("".join(level.board)) == set("ABCDEFGHI")
    assert Round(level).board == list(level.board)


def test_twenty_standard_positions_and_small_boards_ship_as_levels():
    levels = shipped_levels("samegame")
    standard = [levels[f"samegame-{number:02d}"] for number in range(1, 21)]
    assert all((one.rows, one.cols, one.colours) == (15, 15, 5) for one in standard)
    assert len({one.board for one in standard}) == 20
    assert standard[0].board[0] == "DBBEBAEAEEBBACD"
    assert standard[19].horizon is not None
    for number, one in enumerate(standard[10:15], start=11):
        counts = {letter: "".join(one.board).count(letter) for letter in "ABCDE"}
        assert set(counts.values()) == {45}, number
    for one in standard[15:]:
        assert sorted("".join(one.board).count(letter) for letter in "ABCDE") == [40, 40, 40, 40, 65]
    small = [level for slug, level in levels.items() if slug.startswith("samegame-small-")]
    assert len(small) == 6
    for number, one in enumerate(small, start=1):
        assert one.horizon == 20
        assert one.board == draw_level("samegame", rows=10, cols=10, colours=4, seed=number).board


def test_shipped_files_say_their_horizon(tmp_path):
    for slug, level in shipped_levels("samegame").items():
        path = tmp_path / f"{slug}.json"
        path.write_text(json.dumps(level.to_document()), encoding="utf-8")
        assert load_level(path) == level
