"""A table of positions that a search has met, with the points that they were met with.

Threads may share one without waiting for each other: a place's key is stored mixed with its points, so that one that
another thread is just writing is no position at all (after Hyatt and Mann 2002, lockless transposition tables).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.game import Words
from engine.kernels import inlined_kernel

_EMPTY = np.uint64(0)
_PROBES = 16


class Seen(NamedTuple):
    """marks: uint64[T], T a power of two, 0 where nothing is; points: int64[T].

    A mark is the position's odd key, by exclusive or with twice the points. 64 bits are so many that keys do not meet.
    """

    marks: Words
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
    seen.marks[:] = _EMPTY


@inlined_kernel
def mark_of(key, points):
    return key ^ (np.uint64(points) << np.uint64(1))


@inlined_kernel
def was_seen(seen, key, points):
    """Whether a position, by its `fingerprint`, was met with at least so many points; if not it is noted.

    A position that finds no free place among the next few passes as new.
    """
    key |= np.uint64(1)
    mask = np.uint64(seen.marks.shape[0] - 1)
    for step in range(_PROBES):
        at = ((key >> np.uint64(1)) + np.uint64(step)) & mask
        mark, known = seen.marks[at], seen.points[at]
        if mark != _EMPTY and mark != mark_of(key, known):
            continue
        if mark != _EMPTY and known >= points:
            return True
        seen.points[at] = points
        seen.marks[at] = mark_of(key, points)
        return False
    return False
