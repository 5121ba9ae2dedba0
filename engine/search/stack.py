"""The way from the root to where a depth-first search is, as arrays, so that it may stop and go on anywhere."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.game import Words

UNKNOWN = -1


class Stack(NamedTuple):
    """A position for each depth, for plays of at most A actions.

    words: uint64[A + 1, W]; points: int64[A + 1], since the start
    legal: int32[A + 1, A + 1], the actions of the position in the order of the search
    count, next: int64[A + 1]; how many they are (UNKNOWN until the position is looked at), which is next
    left: int64[A + 1]; what a search still may spend below the position
    values: float64[A + 1], scratch; codes: int32[A + 1], the actions on the way, then of a play-out
    depth: int64[1]; -1 when the search has come back from the root
    """

    words: Words
    points: NDArray[np.int64]
    legal: NDArray[np.int32]
    count: NDArray[np.int64]
    next: NDArray[np.int64]
    left: NDArray[np.int64]
    values: NDArray[np.float64]
    codes: NDArray[np.int32]
    depth: NDArray[np.int64]


def new_stack(root_words: Words, longest: int) -> Stack:
    """A search that has not begun; the root's position stands at depth 0."""
    words = np.zeros((longest + 1, len(root_words)), np.uint64)
    words[0] = root_words
    numbers = [np.zeros(longest + 1, np.int64) for _ in range(4)]
    return Stack(
        words,
        numbers[0],
        np.zeros((longest + 1, longest + 1), np.int32),
        *numbers[1:],
        values=np.zeros(longest + 1),
        codes=np.zeros(longest + 1, np.int32),
        depth=np.full(1, -1, np.int64),
    )
