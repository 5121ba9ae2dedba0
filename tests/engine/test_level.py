"""Level files: what is wrong is said with its place; what is right survives writing and reading."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.game import games
from engine.level import (
    LARGEST_FILE,
    Level,
    LevelError,
    canonical_json,
    decode_level,
    draw_level,
    load_level,
    parse_level,
    shipped_levels,
)
from engine.rng import SEED_LIMIT

BOARD = ["ABCA", "BCAB", "ABCC", "CABA"]


def document(**changes) -> dict:
    """A small valid level with some keys changed; a key set to None is left out."""
    level = {"game": "match3", "name": "Small", "rows": 4, "cols": 4, "colours": 3, "moves": 5, "seed": 1}
    level |= {"board": list(BOARD), **changes}
    return {key: value for key, value in level.items() if value is not None}


def with_row(number: int, row: object) -> list:
    return [*BOARD[: number - 1], row, *BOARD[number:]]


def test_a_valid_level_is_read_as_it_stands():
    level = parse_level(document(drops=["ABC", "", "A", "CCCC"]))
    assert level == Level("match3", "Small", 4, 4, 3, 5, 1, tuple(BOARD), ("ABC", "", "A", "CCCC"), None)


def test_colours_moves_and_name_may_be_left_out():
    level = parse_level({"game": "match3", "rows": 7, "cols": 7, "seed": 3})
    assert (level.colours, level.moves, level.name, level.drops) == (6, 20, "", None)


WRONG = [
    ([], "not a list"),
    (None, "not null"),
    ("level", 'not "level"'),
    (3, "not 3"),
    (document(game=None), "does not say its game"),
    (document(game="chess"), '"game" is "chess"'),
    (document(game=["match3"]), '"game" is a list'),
    (document(holes=[[0, 0]]), 'no key "holes"'),
    (document(horizon=20), 'no key "horizon"'),
    (document(rows=None), 'does not say "rows"'),
    (document(seed=None), 'does not say "seed"'),
    (document(rows=2), '"rows" must be a whole number from 3 to 12, not 2'),
    (document(rows=13), "from 3 to 12, not 13"),
    (document(cols=0), '"cols" must be'),
    (document(cols=-4), "not -4"),
    (document(rows=4.0), "not 4.0"),
    (document(rows="4"), 'not "4"'),
    (document(rows=True), "not true"),
    (document(rows=[4]), "not a list"),
    (document(rows={}), "not an object"),
    (document(cols=float("nan")), "not NaN"),
    (document(colours=2), '"colours" must be a whole number from 3 to 7'),
    (document(colours=8), "from 3 to 7, not 8"),
    (document(moves=0), '"moves" must be a whole number from 1 to 1000'),
    (document(moves=1001), "not 1001"),
    (document(moves=False), "not false"),
    (document(seed=-1), '"seed" must be'),
    (document(seed=SEED_LIMIT), "not 9007199254740992"),
    (document(seed=10**5000), "more than 30 digits"),
    (document(seed=1.5), "not 1.5"),
    (document(name=7), '"name" must be a text, not 7'),
    (document(name="x" * 201), "201 characters, at most 200"),
    (document(name="two\nlines"), "cannot be printed"),
    (document(name="nul\0"), "cannot be printed"),
    (document(name="half \ud83d"), "cannot be printed"),
    (document(board="ABCA"), '"board" must be a list'),
    (document(board=[]), "The board has 0 rows, 4 are needed."),
    (document(board=BOARD[:3]), "The board has 3 rows, 4 are needed."),
    (document(board=[*BOARD, "ABCA"]), "The board has 5 rows, 4 are needed."),
    (document(board=with_row(3, "ABC")), "Row 3 has 3 letters, 4 are needed."),
    (document(board=with_row(3, "A")), "Row 3 has 1 letter, 4 are needed."),
    (document(board=with_row(2, "BCABA")), "Row 2 has 5 letters, 4 are needed."),
    (document(board=with_row(2, ["B", "C", "A", "B"])), "Row 2 must be a text of letters, not a list."),
    (document(board=with_row(4, None)), "Row 4 must be a text of letters, not null."),
    (document(board=with_row(2, "BCDB")), 'Row 2, column 3 holds "D". With 3 colours the letters are A to C.'),
    (document(board=with_row(2, "bCAB")), 'Row 2, column 1 holds "b"'),
    (document(board=with_row(2, "1CAB")), 'Row 2, column 1 holds "1"'),
    (document(board=with_row(2, "BC B")), 'Row 2, column 3 holds " "'),
    (document(board=with_row(2, "BÄAB")), "Row 2, column 2 holds"),
    (document(board=with_row(1, "AB.A")), "Row 1, column 3 is empty. Boards with holes are not supported yet."),
    (document(board=with_row(2, "BAAA")), "Row 2 has a run: three A in a row from column 2 on."),
    (document(board=["ABCA", "BAAB", "CABC", "CABC"]), "Column 2 has a run: three A below each other from row 2 on."),
    (document(rows=3, cols=3, board=["ABC", "BCA", "CAB"]), "no legal swap"),
    (document(drops={}), '"drops" must be a list of texts, one a column, not an object.'),
    (document(drops=["A", "B", "C"]), '"drops" has 3 texts, 4 are needed: one a column.'),
    (document(drops=["A", "B", "C", 4]), '"drops" of column 4 must be a text of letters, not 4.'),
    (document(drops=["A", "BD", "C", ""]), '"drops" of column 2 holds "D" at place 2.'),
    (document(drops=["A", "B.", "C", ""]), '"drops" of column 2 holds "." at place 2.'),
    (document(drops=["A", "B", "C" * 10_001, ""]), "10,001 letters, at most 10,000 are allowed"),
]


@pytest.mark.parametrize(("wrong", "said"), WRONG)
def test_what_is_wrong_with_a_level_is_said_in_a_sentence(wrong, said):
    with pytest.raises(LevelError) as caught:
        parse_level(wrong)
    assert said in str(caught.value)
    assert str(caught.value).endswith(".")
    assert len(str(caught.value)) < 250


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(), inner, max_size=5),
    max_leaves=12,
)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.sampled_from(sorted(document(drops=["", "", "", ""]))), JSON)
def test_any_json_value_in_any_place_is_a_level_or_a_level_error(key, value):
    try:
        level = parse_level({**document(), key: value})
    except LevelError:
        return
    assert level.to_document()[key] == value


def test_a_document_written_and_read_is_the_same_level():
    for level in (
        *shipped_levels().values(),
        draw_level(rows=12, cols=3, colours=7, seed=SEED_LIMIT - 1, name="Ä ü 7"),
    ):
        written = json.loads(json.dumps(level.to_document()))
        assert parse_level(written) == level
        assert parse_level(written).content_hash() == level.content_hash()


def test_hash_covers_what_changes_play_and_nothing_else():
    level = parse_level(document())
    assert parse_level(document(name="Other")).content_hash() == level.content_hash()
    others = [document(moves=6), document(seed=2), document(colours=4), document(drops=["", "", "", ""])]
    others.append(document(board=[*BOARD[:3], "CAAB"]))
    hashes = {level.content_hash(), *(parse_level(other).content_hash() for other in others)}
    assert len(hashes) == len(others) + 1
    assert all(len(digest) == 64 and set(digest) <= set("0123456789abcdef") for digest in hashes)


def test_hash_is_the_same_whether_the_board_was_given_or_drawn():
    drawn = draw_level(seed=8)
    given_board = parse_level(drawn.to_document())
    assert given_board.content_hash() == drawn.content_hash()


def test_hash_of_a_shipped_level_never_changes():
    # Stored traces and studies name levels by this.
    assert shipped_levels("match3")["board-1"].content_hash().startswith("1e7e0dfe")


def test_canonical_json_has_sorted_keys_no_spaces_and_no_numbers_that_are_not_finite():
    assert canonical_json({"b": [1, "ä"], "a": None}) == '{"a":null,"b":[1,"ä"]}'
    with pytest.raises(ValueError, match="JSON"):
        canonical_json(float("inf"))


def test_drawn_levels_depend_on_the_seed_alone():
    assert draw_level(seed=4) == draw_level(seed=4)
    assert len({draw_level(seed=seed).board for seed in range(50)}) == 50
    assert draw_level(seed=4, moves=None).moves == 20


@pytest.mark.parametrize("size", range(3, 13))
def test_levels_of_every_size_and_number_of_colours_can_be_drawn(size):
    for colours in range(3, 8):
        level = draw_level(rows=size, cols=15 - size, colours=colours, seed=size)
        assert (len(level.board), len(level.board[0])) == (size, 15 - size)


def test_shipped_levels_are_valid_named_and_three_list_their_pieces():
    levels = shipped_levels("match3")
    assert levels.items() <= shipped_levels().items()
    assert len(levels) >= 6
    assert len({level.name for level in levels.values()}) == len(levels)
    for slug in ("board-1", "board-2", "board-3"):
        level = levels[slug]
        assert (level.rows, level.cols, level.colours, level.moves) == (7, 7, 6, 20)
        assert level.drops is not None
        assert all(len(letters) >= 60 for letters in level.drops)


def test_no_two_shipped_levels_of_different_games_share_a_slug():
    assert sum(len(shipped_levels(game)) for game in games()) == len(shipped_levels())


def test_shipped_levels_of_an_unknown_game_are_refused():
    with pytest.raises(KeyError):
        shipped_levels("../match3")


def write(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


def test_a_level_file_is_read_with_or_without_a_byte_order_mark(tmp_path):
    content = json.dumps(document()).encode()
    assert load_level(write(tmp_path / "plain.json", content)) == parse_level(document())
    assert load_level(write(tmp_path / "mark.json", b"\xef\xbb\xbf" + content)) == parse_level(document())


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is not JSON"),
        (b'{"game": "match3",\n "rows": }', "in line 2, column 10"),
        (b"\xff\xfe", "not UTF-8"),
        (b"[" * 100_000, "nested too deep"),
        (b'{"seed": 1' + b"0" * 5000 + b"}", "far too long"),
        (b'{"rows": 4, "rows": 5}', 'says "rows" twice'),
        (b" " * (LARGEST_FILE + 1), "larger than 1,000,000 bytes"),
    ],
)
def test_a_file_that_holds_no_level_is_refused_with_a_reason(tmp_path, content, said):
    with pytest.raises(LevelError) as caught:
        load_level(write(tmp_path / "level.json", content))
    assert said in str(caught.value)


def test_a_file_that_cannot_be_read_is_named(tmp_path):
    for path in (tmp_path / "missing.json", tmp_path):
        with pytest.raises(LevelError, match="cannot be read") as caught:
            load_level(path)
        assert str(path) in str(caught.value)


def test_text_is_decoded_like_bytes():
    assert decode_level('{"a": [1]}') == {"a": [1]}
