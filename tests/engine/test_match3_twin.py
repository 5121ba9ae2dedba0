"""The kernels and the plain twin play the same games: pieces, points, legal swaps, reshuffles, draw by draw."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.game import apply_action, get_game, legal_actions, legal_count, prospect, random_action, random_playout
from engine.games.letters import cells_of
from engine.games.match3 import small, wide
from engine.level import Level, draw_level, parse_level
from engine.rng import new_rng
from engine.round import Round
from tests.engine.naive import match3 as twin

GAME = get_game("match3")


def codes_of(state) -> list[int]:
    out = np.zeros(2 * state.rows * state.cols, dtype=np.int32)
    return out[: legal_actions(state, out)].tolist()


def board_of(state) -> list[str]:
    (small if isinstance(state, small.PlaneBoard) else wide).read_cells(state)
    return ["".join(".ABCDEFG"[colour] for colour in row) for row in state.cells.tolist()]


def plain_play(level: Level) -> twin.Play:
    source = twin.Queues(level.seed, level.cols, level.colours, level.drops)
    return twin.Play(twin.board_of(level.board), level.colours, source)


def assert_round_agrees(level: Level, moves: int, seed: int) -> twin.Play:
    """Play the same random swaps by `Round` and by the twin and compare everything after each."""
    played, plain = Round(level), plain_play(level)
    choice = twin.Draws(twin.key_of(seed, "choice"))
    for _ in range(moves):
        swaps = plain.legal
        assert played.legal_codes() == [twin.code_of(plain.board, swap) for swap in swaps]
        swap = swaps[choice.below(len(swaps))]
        outcome = played.play([list(cell) for cell in swap])
        gained = plain.swap(swap)
        assert outcome.board == twin.rows_of(plain.board)
        assert (outcome.gained, outcome.score, outcome.legal_before) == (gained, plain.score, len(swaps))
        assert (outcome.steps, outcome.matches) == (len(plain.steps), sum(map(len, plain.steps)))
        assert outcome.cleared == sum(len(match) for step in plain.steps for match in step)
        assert outcome.redrawn == (plain.shuffled == "drawn anew")
        assert outcome.reshuffled == (outcome.board if plain.shuffled else None)
    assert played.drops_fallen() == twin.rows_of(plain.source.fallen)
    return plain


def random_level(kind: str, game: int) -> Level:
    """Game number `game` on a board that `small` plays, up to 8 x 8, or on one that only `wide` does."""
    draws = twin.Draws(twin.key_of(game, f"{kind} size"))
    if kind == "small":
        sizes = 3 + draws.below(6), 3 + draws.below(6)
    else:
        sizes = 9 + draws.below(4), 3 + draws.below(10)
        if draws.below(2):
            sizes = sizes[::-1]
    return draw_level(rows=sizes[0], cols=sizes[1], colours=3 + draws.below(5), moves=20, seed=game)


def assert_random_games_agree(kind: str, games: int) -> None:
    """Play games by the hooks and by the twin and compare them action by action, with all that fell in at the end."""
    shuffles = steps = 0
    for game in range(games):
        level, choice = random_level(kind, game), twin.Draws(twin.key_of(game, "choice"))
        plain = plain_play(level)
        state, chance = GAME.new_state(level), GAME.queued(level)
        assert isinstance(state, small.PlaneBoard if kind == "small" else wide.ColumnBoard)
        for _ in range(20):
            swaps = plain.legal
            codes = [twin.code_of(plain.board, swap) for swap in swaps]
            assert codes_of(state) == codes, game
            chosen = choice.below(len(swaps))
            assert apply_action(state, codes[chosen], chance) == plain.swap(swaps[chosen]), game
            shuffles += plain.shuffled != ""
            steps = max(steps, len(plain.steps))
        assert board_of(state) == twin.rows_of(plain.board), game
        assert GAME.fallen(level, state) == twin.rows_of(plain.source.fallen), game
    assert shuffles > games // 20
    assert steps > 10


@pytest.mark.parametrize("kind", ["small", "wide"])
def test_three_hundred_random_games_of_each_kind_agree_with_the_plain_twin(kind: str):
    assert_random_games_agree(kind, 300)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["small", "wide"])
def test_ten_thousand_random_games_of_each_kind_agree_with_the_plain_twin(kind: str):
    assert_random_games_agree(kind, 10_000)


def test_rounds_on_twelve_by_twelve_agree_with_the_plain_twin():
    for game in range(20):
        level = draw_level(rows=12, cols=12, colours=3 + game % 5, moves=20, seed=game)
        assert_round_agrees(level, 20, game)


@st.composite
def levels(draw) -> Level:
    """Random levels of every size and number of colours, some with listed drops of uneven length."""
    rows, cols = draw(st.integers(3, 12)), draw(st.integers(3, 12))
    colours = draw(st.integers(3, 7))
    document = {"game": "match3", "rows": rows, "cols": cols, "colours": colours, "moves": 8}
    document["seed"] = draw(st.integers(0, 2**53 - 1))
    if draw(st.booleans()):
        letters = st.text(alphabet="ABCDEFG"[:colours], max_size=12)
        document["drops"] = draw(st.lists(letters, min_size=cols, max_size=cols))
    return parse_level(document)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(levels(), st.integers(0, 2**53 - 1))
def test_random_levels_of_every_size_are_played_alike_from_their_queues(level: Level, seed: int):
    assert_round_agrees(level, 8, seed)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(levels(), st.integers(0, 2**53 - 1))
def test_random_playouts_with_sampled_pieces_agree_with_the_plain_twin(level: Level, seed: int):
    state, rng, totals = GAME.new_state(level), new_rng(seed, "simulation"), np.zeros(2, dtype=np.int64)
    random_playout(state, GAME.sampled(rng), rng, 8, totals)

    draws = twin.Draws(twin.key_of(seed, "simulation"))
    plain = twin.Play(twin.board_of(level.board), level.colours, twin.Sampling(draws, level.colours))
    for _ in range(8):
        swaps = twin.pick_order(plain.board, plain.legal)
        plain.swap(swaps[draws.below(len(swaps))])
    assert board_of(state) == twin.rows_of(plain.board)
    assert totals.tolist() == [plain.score, plain.legal_total]
    assert int(rng[0]) == draws.state


@settings(max_examples=60, deadline=None, derandomize=True)
@given(levels(), st.integers(0, 2**53 - 1))
def test_prospect_of_an_action_is_what_the_plain_twin_finds_and_leaves_the_position_as_it_was(level: Level, seed: int):
    state, rng = GAME.new_state(level), new_rng(seed, "simulation")
    for _ in range(4):
        board = twin.board_of(board_of(state))
        before = state.words.tolist()
        swaps = {twin.code_of(board, swap): swap for swap in twin.legal_swaps(board)}
        for code in codes_of(state)[:8]:
            assert prospect(state, code, False) == twin.first_matches_worth(board, swaps[code])
            assert prospect(state, code, True) == twin.swaps_whatever_falls_in(board, swaps[code])
        assert state.words.tolist() == before
        apply_action(state, random_action(state, rng), GAME.sampled(rng))


@settings(max_examples=100, deadline=None, derandomize=True)
@given(levels(), st.integers(0, 2**53 - 1), st.booleans())
def test_playout_is_random_action_and_apply_action_by_turns(level: Level, seed: int, sampled: bool):
    def chance(rng):
        return GAME.sampled(rng) if sampled else GAME.queued(level)

    whole, by_turns = GAME.new_state(level), GAME.new_state(level)
    rng, totals = new_rng(seed, "simulation"), np.zeros(2, dtype=np.int64)
    random_playout(whole, chance(new_rng(seed, "pieces")), rng, 8, totals)
    rng_again, pieces = new_rng(seed, "simulation"), chance(new_rng(seed, "pieces"))
    points = choices = 0
    for _ in range(8):
        choices += legal_count(by_turns)
        points += apply_action(by_turns, random_action(by_turns, rng_again), pieces)
    assert totals.tolist() == [points, choices]
    assert whole.words.tolist() == by_turns.words.tolist()


@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.integers(3, 8), st.integers(3, 8), st.integers(3, 7), st.integers(0, 2**53 - 1), st.booleans())
def test_planes_and_columns_give_the_same_on_the_same_boards(
    rows: int, cols: int, colours: int, seed: int, queue: bool
):
    level = draw_level(rows=rows, cols=cols, colours=colours, seed=seed)
    narrow = small.new_plane_board(cells_of(level.board), colours)
    broad = wide.new_column_board(cells_of(level.board), colours)
    choose, choose_again = new_rng(seed, "choice"), new_rng(seed, "choice")
    pieces, pieces_again = new_rng(seed, "pieces"), new_rng(seed, "pieces")
    chance = GAME.queued(level) if queue else GAME.sampled(pieces)
    chance_again = GAME.queued(level) if queue else GAME.sampled(pieces_again)
    for _ in range(10):
        assert codes_of(narrow) == codes_of(broad)
        assert legal_count(narrow) == legal_count(broad)
        action = random_action(narrow, choose)
        assert action == random_action(broad, choose_again)
        assert apply_action(narrow, action, chance) == apply_action(broad, action, chance_again)
        assert board_of(narrow) == board_of(broad)
    totals, totals_again = np.zeros(2, dtype=np.int64), np.zeros(2, dtype=np.int64)
    random_playout(narrow, chance, choose, 20, totals)
    random_playout(broad, chance_again, choose_again, 20, totals_again)
    assert totals.tolist() == totals_again.tolist()
    assert board_of(narrow) == board_of(broad)
    assert pieces.tolist() == pieces_again.tolist()


@pytest.mark.parametrize(("rows", "cols", "colours"), [(3, 3, 3), (3, 3, 7), (3, 12, 5), (7, 7, 6), (12, 12, 3)])
def test_drawn_boards_are_those_of_the_plain_twin(rows: int, cols: int, colours: int):
    for seed in range(20):
        plain = twin.draw_board(rows, cols, colours, twin.Draws(twin.key_of(seed, "board")))
        assert GAME.draw_board(rows=rows, cols=cols, colours=colours, seed=seed) == tuple(twin.rows_of(plain))
