"""The two kinds of kernels: one counts no references and so makes no arrays, the other may."""

import sys

import numpy as np
import pytest
from numba.core.errors import NumbaError

from engine.games.match3 import small, wide
from engine.kernels import allocating_kernel, inlined_kernel, kernel


# Two functions, since the cache does not tell decorators apart.
def counted(count):
    return np.arange(count).sum()


def refused(count):
    return np.arange(count).sum()


def test_a_kernel_that_makes_an_array_is_refused_when_it_is_compiled():
    with pytest.raises(NumbaError, match="Only accept returning of array"):
        kernel(refused)(4)
    with pytest.raises(NumbaError, match="Only accept returning of array"):
        inlined_kernel(refused)(4)


def test_an_allocating_kernel_makes_arrays():
    assert allocating_kernel(counted)(4) == 6


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
