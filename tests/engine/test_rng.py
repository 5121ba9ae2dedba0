"""Streams are pure functions of seed, name and indices, and the generator is splitmix64."""

import numpy as np
import pytest

from engine.rng import (
    SEED_LIMIT,
    below,
    draw_ahead,
    draw_seed,
    mix,
    new_rng,
    next_u64,
    piece,
    skip_draws,
    split,
    stream,
)
from tests.engine.naive import match3 as twin


def test_generator_gives_the_published_numbers_of_splitmix64():
    rng = np.array([1234567], dtype=np.uint64)
    drawn = [int(next_u64(rng)) for _ in range(5)]
    assert drawn == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]


def test_streams_repeat_and_differ_by_seed_name_and_index():
    keys = [stream(1, "drops"), stream(2, "drops"), stream(1, "board"), stream(1, "drops", 0), stream(1, "drops", 1)]
    keys += [stream(1, "drops", 0, 1), stream(1, "drops", 1, 0)]
    assert len(set(keys)) == len(keys)
    assert keys == [stream(1, "drops"), stream(2, "drops"), stream(1, "board"), *(keys[3:])]
    assert stream(1, "drops", 0, 1) == keys[5]


def test_splitting_a_key_never_gives_what_drawing_from_it_gives():
    rng = new_rng(7, "game")
    drawn = {int(next_u64(rng)) for _ in range(1000)}
    assert drawn.isdisjoint({stream(7, "game", i) for i in range(1000)})


def test_kernels_and_python_derive_the_same_keys():
    for seed in (0, 1, SEED_LIMIT - 1):
        key = np.uint64(stream(seed, "drops"))
        for column in (0, 3, 11):
            for k in (0, 1, 59, 10_000):
                assert int(split(np.uint64(split(key, column)), k)) == stream(seed, "drops", column, k)
        assert int(mix(key)) == twin.finalise(int(key))


def test_draws_made_ahead_are_those_that_come():
    rng = new_rng(5, "ahead")
    ahead = [int(draw_ahead(rng, k)) % 2**64 for k in range(1, 20)]
    skipped = rng.copy()
    skip_draws(skipped, 19)
    assert [int(next_u64(rng)) % 2**64 for _ in ahead] == ahead
    assert skipped.tolist() == rng.tolist()


def test_pieces_are_pure_and_every_colour_is_about_equally_frequent():
    key = np.uint64(stream(5, "drops"))
    for colours in (3, 6, 7):
        drawn = [int(piece(key, k % 12, k // 12, colours)) for k in range(12_000)]
        assert drawn == [int(piece(key, k % 12, k // 12, colours)) for k in range(12_000)]
        counts = np.bincount(drawn, minlength=colours + 1)
        expected = 12_000 / colours
        assert counts[0] == 0
        # Five standard deviations of a binomial count.
        assert np.all(np.abs(counts[1:] - expected) < 5 * np.sqrt(expected))


def test_below_stays_in_its_range_and_reaches_both_ends():
    rng = new_rng(3, "range")
    for limit in (1, 2, 7, 144):
        drawn = {int(below(rng, limit)) for _ in range(200 * limit)}
        assert drawn == set(range(limit))


def test_drawn_seeds_fit_a_javascript_number():
    seeds = [draw_seed(9, "level", i) for i in range(1000)]
    assert len(set(seeds)) == 1000
    assert all(0 <= seed < SEED_LIMIT for seed in seeds)
    assert max(seeds) > SEED_LIMIT // 2


@pytest.mark.parametrize("seed", [-1, SEED_LIMIT, True, 1.0, "1", None])
def test_a_stream_of_a_seed_out_of_range_is_refused(seed):
    with pytest.raises(ValueError, match="seed"):
        stream(seed, "drops")


def test_a_stream_of_a_negative_index_is_refused():
    with pytest.raises(ValueError, match="index"):
        stream(1, "drops", -1)
