"""Random numbers of the statistics: those of `engine.rng`, many at a time.

A stream only counts and mixes, so draw k of it is a function of the key and k, and an array of draws is one expression.
That also lets anybody compute an interval again with nothing but integers.
"""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
MIX_A = np.uint64(0xBF58476D1CE4E5B9)
MIX_B = np.uint64(0x94D049BB133111EB)
_CHUNK = 1_000


def draws_u64(seed: int, name: str, count: int, *indices: int) -> NDArray[np.uint64]:
    """The first `count` numbers that `engine.rng.next_u64` gives of the stream (seed, name, indices)."""
    # The engine's streams come with its compiler, which a page without statistics does not need.
    from engine.rng import stream

    key = np.uint64(stream(seed, name, *indices))
    with np.errstate(over="ignore"):
        value = key + np.arange(1, count + 1, dtype=np.uint64) * GOLDEN
        value = (value ^ (value >> np.uint64(30))) * MIX_A
        value = (value ^ (value >> np.uint64(27))) * MIX_B
    return value ^ (value >> np.uint64(31))


def draws_below(seed: int, name: str, shape: tuple[int, int], limit: int, *indices: int) -> NDArray[np.int64]:
    """int64[shape], each 0 <= value < limit as `engine.rng.below` scales it, row after row from one stream."""
    raw = draws_u64(seed, name, shape[0] * shape[1], *indices)
    scaled = ((raw >> np.uint64(32)) * np.uint64(limit)) >> np.uint64(32)
    return scaled.astype(np.int64).reshape(shape)


@lru_cache(maxsize=6)
def resampled(seed: int, name: str, resamples: int, n: int) -> NDArray[np.int64]:
    """int64[resamples, n]: in each row how often each of n owners was drawn, n draws with replacement.

    Kept, since a page asks for the same people again and again: not to be changed.
    """
    drawn = draws_below(seed, name, (resamples, n), n)
    drawn += np.arange(resamples, dtype=np.int64)[:, np.newaxis] * n
    counts = np.bincount(drawn.ravel(), minlength=resamples * n).reshape(resamples, n)
    counts.setflags(write=False)
    return counts


@lru_cache(maxsize=3)
def arranged(seed: int, arrangements: int, total: int, n: int) -> NDArray[np.uint16]:
    """uint16[arrangements, n]: in each row n of `total` places at random, those whose random numbers are least.

    Kept, as `resampled` is.
    """
    rows = []
    for number, start in enumerate(range(0, arrangements, _CHUNK)):
        height = min(_CHUNK, arrangements - start)
        keys = draws_u64(seed, "permutation", height * total, number).reshape(height, total)
        rows.append(np.argpartition(keys, n - 1, axis=1)[:, :n].astype(np.uint16))
    places = np.concatenate(rows)
    places.setflags(write=False)
    return places
