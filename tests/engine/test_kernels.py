"""The two kinds of kernels: one counts no references and so makes no arrays, the other may."""

import sys

import numpy as np
import pytest
from numba.core.errors import NumbaError

from engine.games.match3 import small, wide
from engine.kernels import allocating_kernel, inlined_kernel, kernel


def sum_of_squares(count):
    squares = np.empty(count, np.int64)
    for i in range(count):
        squares[i] = i * i
    return squares.sum()


def test_a_kernel_that_makes_an_array_is_refused_when_it_is_compiled():
    with pytest.raises(NumbaError, match="NRT required but not enabled"):
        kernel(sum_of_squares)(4)
    with pytest.raises(NumbaError, match="NRT required but not enabled"):
        inlined_kernel(sum_of_squares)(4)


def test_an_allocating_kernel_makes_arrays():
    assert allocating_kernel(sum_of_squares)(4) == 14


@pytest.mark.parametrize("module", [small, wide])
def test_hooks_of_the_game_count_no_references(module):
    for hook in ("legal_actions", "legal_count", "apply_action", "random_action", "random_playout", "is_over"):
        assert getattr(module, hook).targetoptions["_nrt"] is False


def test_arrays_from_outside_keep_their_number_of_references():
    values, function = np.arange(5), kernel(lambda numbers: numbers.sum())
    before = sys.getrefcount(values)
    for _ in range(100):
        function(values)
    assert sys.getrefcount(values) == before
