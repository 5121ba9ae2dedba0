"""A table of positions that a search has met, with the points that they were met with."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.game import Words
from engine.kernels import inlined_kernel

_EMPTY = np.uint64(0)
_PROBES = 16


class Seen(NamedTuple):
    """keys: uint64[T], T a power of two, 0 where nothing is; points: int64[T]. Wide enough that 64 bits do not meet."""

    keys: Words
    points: NDArray[np.int64]


def new_seen(positions: int) -> Seen:
    """A table with room for about so many positions."""
    places = 1024
    while places < 2 * positions:
        places *= 2
    return Seen(np.zeros(places, np.uint64), np.zeros(places, np.int64))


@inlined_kernel
def forget(seen):
    """Empty the table."""
    seen.keys[:] = _EMPTY


@inlined_kernel
def was_seen(seen, key, points):
    """Whether a position, by its `fingerprint`, was met with at least so many points; if not it is noted.

    A position that finds no free place among the next few passes as new.
    """
    key |= np.uint64(1)
    mask = np.uint64(seen.keys.shape[0] - 1)
    for step in range(_PROBES):
        at = ((key >> np.uint64(1)) + np.uint64(step)) & mask
        if seen.keys[at] == _EMPTY:
            seen.keys[at] = key
            seen.points[at] = points
            return False
        if seen.keys[at] == key:
            if seen.points[at] >= points:
                return True
            seen.points[at] = points
            return False
    return False
