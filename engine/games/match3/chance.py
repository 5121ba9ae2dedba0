"""What falls in: at random for simulations, from the level's queues for real play.

A level's queue is the same for everybody who plays it: piece `k` of a column is listed in the level, or else a pure
function of (level seed, column, k). How many pieces of each column have fallen is counted in the state.
"""

from typing import NamedTuple

import numpy as np
from numba.extending import overload
from numpy.typing import NDArray

from engine.game import Sampled
from engine.kernels import kernel
from engine.level import Level
from engine.rng import piece, split, stream


class Queued(NamedTuple):
    """The true future of a level.

    drop_key, shuffle_key: uint64, keys of the streams of falling pieces and of reshuffles
    listed: uint8[cols, longest list], colours 1.. of the listed pieces, first to fall first, padded with 0
    lengths: int64[cols], how many pieces each column lists
    """

    drop_key: np.uint64
    shuffle_key: np.uint64
    listed: NDArray[np.uint8]
    lengths: NDArray[np.int64]


def queue_of(level: Level) -> Queued:
    """The queues and the reshuffle stream of a level."""
    drops = level.drops or ("",) * level.cols
    listed = np.zeros((level.cols, max(1, *map(len, drops))), dtype=np.uint8)
    for column, letters in enumerate(drops):
        listed[column, : len(letters)] = np.frombuffer(letters.encode(), dtype=np.uint8) - (ord("A") - 1)
    return Queued(
        drop_key=np.uint64(stream(level.seed, "drops")),
        shuffle_key=np.uint64(stream(level.seed, "reshuffle")),
        listed=listed,
        lengths=np.array([len(letters) for letters in drops], dtype=np.int64),
    )


@kernel
def queue_piece(queued, column, k, colours):
    """Colour of piece `k` (from 0) of a column's queue."""
    if k < queued.lengths[column]:
        return np.int64(queued.listed[column, k])
    return piece(queued.drop_key, column, k, colours)


@kernel
def read_queue(queued, column, colours, out):
    """Write the first `out.size` colours of a column's queue to `out: uint8[]`."""
    for k in range(out.size):
        out[k] = queue_piece(queued, column, k, colours)


def shuffle_rng(chance, move):
    """The generator `uint64[1]` for a reshuffle after move number `move` (from 1)."""
    raise NotImplementedError("shuffle_rng is for kernels")


def _sampled_shuffle_rng(chance, move):
    return chance.rng


def _queued_shuffle_rng(chance, move):
    rng = np.empty(1, np.uint64)
    rng[0] = split(chance.shuffle_key, move)
    return rng


def is_sampled(chance_type: object) -> bool:
    """Whether a numba type is that of `Sampled`."""
    return getattr(chance_type, "instance_class", None) is Sampled


def is_queued(chance_type: object) -> bool:
    """Whether a numba type is that of `Queued`."""
    return getattr(chance_type, "instance_class", None) is Queued


@overload(shuffle_rng)
def _overload_shuffle_rng(chance, move):
    if is_sampled(chance):
        return _sampled_shuffle_rng
    if is_queued(chance):
        return _queued_shuffle_rng
    return None
