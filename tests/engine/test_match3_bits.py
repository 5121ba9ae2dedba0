"""The ways to drop, fill and pick give the same: with pext and pdep, without, and cell by cell."""

import random

import numpy as np
import pytest

from engine import bmi2
from engine.game import get_game
from engine.games.match3 import planes, planes_bmi2, small
from engine.level import draw_level
from engine.rng import new_rng

GAME = get_game("match3")
WORD = 2**64

# Where the processor has no fast pdep, kernels use the portable functions alone, and those are tested.
WAYS = [planes, planes_bmi2] if bmi2.has_fast_pdep() else [planes]


def columns_of(words: tuple[int, int, int], rows: int, cols: int) -> list[list[int]]:
    """Colours by column, from below."""
    return [
        [sum((word >> (8 * col + row) & 1) << plane for plane, word in enumerate(words)) for row in range(rows)]
        for col in range(cols)
    ]


@pytest.mark.parametrize("way", WAYS)
def test_pieces_fall_as_they_do_cell_by_cell(way):
    choice = random.Random(1)
    for seed in range(300):
        rows, cols = choice.randint(3, 8), choice.randint(3, 8)
        state = GAME.new_state(draw_level(rows=rows, cols=cols, colours=7, seed=seed))
        density = choice.random()
        cleared = sum(1 << (8 * col + row) for col in range(cols) for row in range(rows) if choice.random() < density)
        before = columns_of(tuple(map(int, state.words[:3])), rows, cols)
        *after, empty = way.drop(*state.words[:3], np.uint64(cleared), state.board)
        expected = [
            [colour for row, colour in enumerate(column) if not cleared >> (8 * col + row) & 1]
            for col, column in enumerate(before)
        ]
        found = columns_of(tuple(int(word) % WORD for word in after), rows, cols)
        assert found == [column + [0] * (rows - len(column)) for column in expected]
        assert int(empty) % WORD == sum(
            1 << (8 * col + row) for col, column in enumerate(expected) for row in range(len(column), rows)
        )


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("colours", range(3, 8))
def test_sampled_pieces_are_the_digits_of_the_draws(way, colours):
    choice = random.Random(colours)
    state = GAME.new_state(draw_level(rows=8, cols=8, colours=colours, seed=1))
    for seed in range(40):
        cells = sorted(choice.sample(range(64), choice.randint(1, 30)))
        rng, again = new_rng(seed, "pieces"), new_rng(seed, "pieces")
        empty = np.uint64(sum(1 << cell for cell in cells))
        zero = np.uint64(0)
        after = way.fill_sampled(zero, zero, zero, empty, state, GAME.sampled(rng))
        portable = planes.fill_sampled(zero, zero, zero, empty, state, GAME.sampled(again))
        assert tuple(map(int, after)) == tuple(map(int, portable))
        assert rng.tolist() == again.tolist()
        found = columns_of(tuple(int(word) % WORD for word in after), 8, 8)
        for cell in range(64):
            assert (1 <= found[cell // 8][cell % 8] <= colours) == (cell in cells)


@pytest.mark.parametrize("way", WAYS)
def test_picks_go_through_the_swaps_to_the_right_and_then_those_up_by_ascending_bit(way):
    choice = random.Random(3)
    for _ in range(30):
        right = sorted(choice.sample(range(64), choice.randint(0, 20)))
        up = sorted(choice.sample(range(64), choice.randint(1, 20)))
        masks = [np.uint64(sum(1 << cell for cell in cells)) for cells in (right, up)]
        picked = [way.pick(*masks, k) for k in range(len(right) + len(up))]
        expected = [(1 << cell, 8) for cell in right] + [(1 << cell, 1) for cell in up]
        assert [(int(bit) % WORD, int(shift)) for bit, shift in picked] == expected


def test_kernels_use_pdep_where_it_is_fast_and_nobody_says_otherwise(monkeypatch):
    assert bmi2.has_fast_pdep() == small.FAST_PDEP
    assert small.drop is (planes_bmi2 if small.FAST_PDEP else planes).drop
    monkeypatch.setenv("TESSERA_PORTABLE", "1")
    assert not bmi2.has_fast_pdep()
    monkeypatch.setenv("TESSERA_PORTABLE", "0")
    monkeypatch.setattr(bmi2.llvmlite.binding, "get_host_cpu_name", lambda: "znver2")
    assert not bmi2.has_fast_pdep()


@pytest.mark.parametrize("colours", range(3, 8))
def test_quartets_hold_the_bits_of_four_pieces(colours):
    quartets = small.quartets_of(colours)
    assert quartets.shape == (colours**4,)
    for number in (0, 1, colours, colours**4 // 2, colours**4 - 1):
        for i in range(4):
            digit = number // colours ** (3 - i) % colours
            bits_of_digit = sum((int(quartets[number]) >> (8 * plane + i) & 1) << plane for plane in range(3))
            assert bits_of_digit == digit + 1
