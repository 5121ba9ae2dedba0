"""The kernels of SameGame and the plain twin play the same games: groups, boards, points, draw by draw."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.game import (
    apply_action,
    get_game,
    is_over,
    legal_actions,
    legal_count,
    prospect,
    random_action,
    random_playout,
)
from engine.games.letters import cells_of
from engine.games.samegame.board import new_board, read_cells
from engine.games.samegame.playouts import (
    NO_COLOUR,
    RANDOM,
    TABU_COLOR,
    TABU_RANDOM,
    most_frequent_colour,
    tabu_of,
    tabu_playout,
)
from engine.level import Level, draw_level, parse_level, shipped_levels
from engine.rng import new_rng
from engine.round import Round
from tests.engine.naive import samegame as twin
from tests.engine.naive.match3 import Draws, key_of

GAME = get_game("samegame")


def state_of(rows: list[str] | tuple[str, ...], colours: int = 9):
    return new_board(cells_of(tuple(rows)), colours, 1000)


def board_of(state) -> list[str]:
    read_cells(state)
    return ["".join(".ABCDEFGHI"[colour] for colour in row) for row in state.cells.tolist()]


def codes_of(state) -> list[int]:
    out = np.zeros(state.rows * state.cols, dtype=np.int32)
    return out[: legal_actions(state, out)].tolist()


def assert_game_agrees(level: Level, seed: int) -> int:
    """Play a whole random game by the hooks and by the twin, any cell of a group chosen; its number of actions."""
    state, plain = GAME.new_state(level), twin.Play(twin.board_of(level.board))
    chance, choice = GAME.queued(level), Draws(key_of(seed, "choice"))
    actions = 0
    while found := twin.in_draw_order(twin.groups(plain.board)):
        assert codes_of(state) == twin.legal_codes(plain.board)
        assert legal_count(state) == len(found)
        assert not is_over(state)
        cells = sorted(found[choice.below(len(found))])
        cell = cells[choice.below(len(cells))]
        assert apply_action(state, twin.code_of(plain.board, cell), chance) == plain.remove(cell)
        actions += 1
    assert is_over(state)
    assert codes_of(state) == []
    assert board_of(state) == twin.rows_of(plain.board)
    assert int(state.words[-1]) == actions
    return actions


def test_three_hundred_random_games_agree_with_the_plain_twin():
    actions = 0
    for game in range(300):
        size = Draws(key_of(game, "size"))
        rows, cols, colours = 2 + size.below(11), 2 + size.below(11), 2 + size.below(8)
        actions += assert_game_agrees(draw_level("samegame", rows=rows, cols=cols, colours=colours, seed=game), game)
    assert actions > 3000


@pytest.mark.parametrize(
    ("rows", "cols", "colours"),
    [(15, 15, 5), (16, 16, 3), (16, 16, 9), (17, 16, 4), (16, 17, 4), (2, 20, 2), (20, 2, 2), (20, 20, 9), (20, 20, 3)],
)
def test_games_on_boards_at_the_limits_agree_with_the_plain_twin(rows: int, cols: int, colours: int):
    for seed in range(2):
        assert_game_agrees(draw_level("samegame", rows=rows, cols=cols, colours=colours, seed=seed), seed)


@pytest.mark.slow
def test_ten_thousand_random_games_agree_with_the_plain_twin():
    for game in range(10_000):
        size = Draws(key_of(game, "long size"))
        rows, cols, colours = 2 + size.below(19), 2 + size.below(19), 2 + size.below(8)
        assert_game_agrees(draw_level("samegame", rows=rows, cols=cols, colours=colours, seed=game), game)


@st.composite
def levels(draw) -> Level:
    """Levels of every size; few colours and uneven ones make groups of every shape, with rings and holes."""
    longest = draw(st.sampled_from([6, 10, 20]))
    rows, cols, colours = draw(st.integers(2, longest)), draw(st.integers(2, longest)), draw(st.integers(2, 9))
    seed = draw(st.integers(0, 2**53 - 1))
    favoured = draw(st.integers(0, 12))
    draws = Draws(key_of(seed, "board of a test"))
    letters = "ABCDEFGHI"[:colours] + "A" * favoured
    board = ["".join(letters[draws.below(len(letters))] for _ in range(cols)) for _ in range(rows)]
    if not twin.groups(twin.board_of(board)):
        board[0] = "AA" + board[0][2:]
    document = {"game": "samegame", "rows": rows, "cols": cols, "colours": colours, "seed": seed, "board": board}
    return parse_level(document | {"horizon": draw(st.integers(1, 60))})


@settings(max_examples=60, deadline=None, derandomize=True)
@given(levels(), st.integers(0, 2**53 - 1))
def test_levels_of_every_size_are_played_alike(level: Level, seed: int):
    assert_game_agrees(level, seed)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(levels(), st.integers(0, 2**53 - 1))
def test_random_playouts_agree_with_the_plain_twin_and_count_groups_up_to_the_horizon(level: Level, seed: int):
    state, rng, totals = GAME.new_state(level), new_rng(seed, "simulation"), np.zeros(2, dtype=np.int64)
    random_playout(state, GAME.sampled(rng), rng, 1000, totals)

    draws = Draws(key_of(seed, "simulation"))
    plain, codes, counts = twin.play_out(twin.board_of(level.board), draws, 0, 0.0)
    assert board_of(state) == twin.rows_of(plain.board)
    assert totals.tolist() == [plain.score, sum(counts[: level.horizon])]
    assert int(rng[0]) == draws.state
    assert int(state.words[-1]) == len(codes)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(levels())
def test_prospect_of_an_action_is_its_points_or_the_groups_that_are_left(level: Level):
    state, board = GAME.new_state(level), twin.board_of(level.board)
    before = state.words.tolist()
    for group in list(twin.groups(board))[:10]:
        code = twin.code_of(board, twin.leader(group))
        assert prospect(state, code, False) == (len(group) - 2) ** 2
        assert prospect(state, code, True) == len(twin.groups(twin.without(board, group)))
    assert state.words.tolist() == before


@settings(max_examples=60, deadline=None, derandomize=True)
@given(levels(), st.integers(0, 2**53 - 1), st.integers(0, 40))
def test_playout_is_random_action_and_apply_action_by_turns(level: Level, seed: int, length: int):
    whole, by_turns = GAME.new_state(level), GAME.new_state(level)
    rng, rng_again, totals = new_rng(seed, "play"), new_rng(seed, "play"), np.zeros(2, dtype=np.int64)
    random_playout(whole, GAME.sampled(rng), rng, length, totals)
    points = choices = made = 0
    while made < length and not is_over(by_turns):
        choices += legal_count(by_turns) if made < level.horizon else 0
        points += apply_action(by_turns, random_action(by_turns, rng_again), GAME.sampled(rng_again))
        made += 1
    assert totals.tolist() == [points, choices]
    assert whole.words.tolist() == by_turns.words.tolist()
    assert rng.tolist() == rng_again.tolist()


@settings(max_examples=60, deadline=None, derandomize=True)
@given(levels(), st.integers(0, 2**53 - 1), st.sampled_from([0.0, 0.003, 0.3, 1.0]), st.integers(0, 9))
def test_playouts_with_a_tabu_colour_agree_with_the_plain_twin(level: Level, seed: int, epsilon: float, tabu: int):
    tabu = min(tabu, level.colours)
    state, rng, totals = GAME.new_state(level), new_rng(seed, "tabu"), np.zeros(2, dtype=np.int64)
    codes = np.zeros(400, np.int32)
    made = tabu_playout(state, tabu, epsilon, rng, 400, totals, codes)

    draws = Draws(key_of(seed, "tabu"))
    plain, plain_codes, counts = twin.play_out(twin.board_of(level.board), draws, tabu, epsilon)
    assert codes[:made].tolist() == plain_codes
    assert totals.tolist() == [plain.score, sum(counts[: level.horizon])]
    assert board_of(state) == twin.rows_of(plain.board)
    assert int(rng[0]) == draws.state
    assert Round.replay(level, plain_codes).score == plain.score


@settings(max_examples=60, deadline=None, derandomize=True)
@given(levels(), st.integers(0, 2**53 - 1))
def test_tabu_colours_are_the_most_frequent_one_or_any_on_the_board(level: Level, seed: int):
    state, rng, draws = GAME.new_state(level), new_rng(seed, "tabu"), Draws(key_of(seed, "tabu"))
    present = Counter("".join(level.board))
    most = max(present.values())
    assert most_frequent_colour(state) == min("-ABCDEFGHI".index(one) for one in present if present[one] == most)
    assert tabu_of(state, TABU_COLOR, rng) == most_frequent_colour(state)
    assert tabu_of(state, RANDOM, rng) == NO_COLOUR
    assert int(rng[0]) == draws.state
    assert tabu_of(state, TABU_RANDOM, rng) == "-ABCDEFGHI".index(sorted(present)[draws.below(len(present))])


def test_rings_within_rings_and_combs_are_one_group_each():
    board = ["AAAAA", "ABBBA", "ABABA", "ABBBA", "AAAAA"]
    assert codes_of(state_of(board)) == [16, 20] == twin.legal_codes(twin.board_of(board))
    comb = ["ABABA", "ABABA", "AAAAA", "ABABA", "ABABA"]
    assert codes_of(state_of(comb)) == twin.legal_codes(twin.board_of(comb))


# Sequences of 1, 2, 3, ... actions, confirmed by the twin when they were written down; a game that ends counts once.
LEAVES = {
    ("AABB", "BBAA", "ABAB"): [4, 10, 14, 14, 14],
    ("ABCA", "AACB", "BCCB", "BAAB"): [5, 19, 50, 81, 85],
    ("ABCDE", "AABBE", "CCDDA", "EBBAC", "EACCD"): [8, 50, 247, 959, 2860],
    ("AABBC", "CABCA", "BBCCA", "ACABB", "CCABA"): [8, 50, 246, 945, 2749],
}


def leaves(state, depth: int) -> int:
    if depth == 0 or is_over(state):
        return 1
    words, count = state.words.copy(), 0
    for code in codes_of(state):
        apply_action(state, code, GAME.sampled(np.zeros(1, np.uint64)))
        count += leaves(state, depth - 1)
        state.words[:] = words
    return count


@pytest.mark.parametrize("rows", LEAVES)
def test_sequences_of_actions_are_as_many_as_once_counted(rows: tuple[str, ...]):
    expected = LEAVES[rows]
    assert [leaves(state_of(rows), depth) for depth in range(1, len(expected) + 1)] == expected
    assert [twin.count_leaves(twin.board_of(rows), depth) for depth in range(1, 5)] == expected[:4]


def test_first_actions_of_standard_positions_are_as_many_as_once_counted():
    levels = shipped_levels("samegame")
    expected = {"samegame-01": [44, 1880, 78226], "samegame-16": [42, 1726, 69457]}
    for slug, counts in expected.items():
        assert [leaves(GAME.new_state(levels[slug]), depth) for depth in (1, 2, 3)] == counts


def test_random_play_on_the_standard_size_is_as_long_and_as_wide_as_published():
    games, moves, choices, lengths, widths = 4000, 0, 0, [], []
    rng, totals = new_rng(1, "figures"), np.zeros(2, dtype=np.int64)
    for seed in range(games):
        board = GAME.draw_board(rows=15, cols=15, colours=5, seed=seed)
        state = state_of(board, 5)
        totals[:] = 0
        random_playout(state, GAME.sampled(rng), rng, 1000, totals)
        moves += int(state.words[-1])
        choices += int(totals[1])
        lengths.append(int(state.words[-1]))
        widths.append(int(totals[1]))
    # The published figures, given to one place, and three standard errors of the means of this sample.
    assert abs(moves / games - 64.4) < 0.05 + 3 * np.std(lengths) / np.sqrt(games)
    assert abs(choices / moves - 20.7) < 0.05 + 3 * np.std(np.array(widths) / np.array(lengths)) / np.sqrt(games)
