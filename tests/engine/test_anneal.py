"""Annealing: lines of anchors as the plain twin plays them, deposits of bits, and chains that get somewhere."""

import random

import numpy as np
import pytest

from engine.bmi2 import deposit_one_by_one
from engine.game import get_game
from engine.games.samegame.anchors import COLUMN_STEP, codes_of, deposit
from engine.games.samegame.anneal import new_chain, play_pending
from engine.kernels import kernel
from engine.level import draw_level, shipped_levels
from engine.rng import new_rng
from engine.round import Round
from engine.solving import solve
from tests.engine.naive.anchors import is_over, play_anchors

GAME = get_game("samegame")
SIZES = [(2, 2, 2), (4, 7, 3), (15, 15, 5), (16, 16, 4), (20, 3, 3), (17, 20, 6)]


@kernel
def write_codes(line, state, codes):
    codes_of(line, state, codes)


@kernel
def deposited(word, mask):
    return deposit(word, mask)


def cells_of(level) -> list[list[int]]:
    return [[".ABCDEFGHIJKLMNO".index(letter) for letter in row] for row in level.board]


@pytest.mark.parametrize(("rows", "cols", "colours"), SIZES)
def test_lines_of_anchors_are_played_as_in_plain_python(rows, cols, colours):
    choice = random.Random(rows * cols)
    for seed in range(12):
        level = draw_level("samegame", rows=rows, cols=cols, colours=colours, seed=seed)
        chain = new_chain(GAME.new_state(level))
        wanted = [(choice.randrange(cols), choice.randrange(rows)) for _ in range(min(60, len(chain.pending)))]
        chain.pending[: len(wanted)] = [column * COLUMN_STEP + height for column, height in wanted]
        line = chain.tried
        play_pending(line, 0, len(wanted), chain, new_rng(seed, "line"))

        played, points, board = play_anchors(cells_of(level), wanted)
        anchors = [divmod(int(anchor), COLUMN_STEP) for anchor in line.anchors[: line.length[0]]]
        assert anchors[: len(played)] == played
        assert np.diff(line.points[: len(played) + 1]).tolist() == points

        # What was added at random: every anchor had a group, and no group is left.
        rest, _, board = play_anchors(cells_of(level), anchors)
        assert rest == anchors
        assert is_over(board)

        codes = np.zeros(len(chain.codes), np.int32)
        write_codes(line, chain.state, codes)
        replayed = Round.replay(level, codes[: len(anchors)].tolist())
        assert replayed.over == "stuck"


def test_bits_are_deposited_alike_in_both_ways():
    choice = random.Random(1)
    for _ in range(500):
        mask = choice.getrandbits(choice.choice((8, 16, 32)))
        word = choice.getrandbits(mask.bit_count()) if mask else 0
        places = [bit for bit in range(32) if mask >> bit & 1]
        expected = sum(1 << place for k, place in enumerate(places) if word >> k & 1)
        assert int(deposited(np.uint64(word), np.uint64(mask))) == expected
        assert int(deposit_one_by_one(np.uint64(word), np.uint64(mask))) == expected


def test_more_time_and_a_falling_temperature_find_more():
    """Counted in positions, so that it does not depend on the machine."""
    level = shipped_levels("samegame")["samegame-01"]
    short, long = (solve(level, "anneal", nodes=nodes).score for nodes in (20_000, 1_000_000))
    hot = solve(level, "anneal", nodes=1_000_000, settings={"hot": 5000.0, "cold": 5000.0}).score
    assert long > short + 300
    assert long > hot + 300


def test_chains_share_the_budget_and_count_as_restarts():
    level = shipped_levels("samegame")["samegame-01"]
    found = solve(level, "anneal", nodes=100_000, settings={"chains": 4})
    assert found.restarts == 3
    assert 100_000 <= found.nodes <= 100_000 + 15 * 15
