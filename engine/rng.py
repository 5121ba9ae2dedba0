"""Seeded streams of random numbers, one for each purpose.

A stream is named by a seed, a word for what it is for and any number of indices: `stream(seed, "game", 17)`. Streams
of different names are independent of each other, so drawing more in one place changes nothing elsewhere. Numbers come
from splitmix64, whose whole state is one `uint64`: kernels get it as an array `rng: uint64[1]` and nothing draws from
a global generator.

Source: Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014 (splitmix64).
"""

import hashlib

import numpy as np
from numpy.typing import NDArray

from engine.kernels import inlined_kernel, kernel

Rng = NDArray[np.uint64]

SEED_LIMIT = 2**53
_MASK = 2**64 - 1
_GOLDEN = 0x9E3779B97F4A7C15
_MIX_A = 0xBF58476D1CE4E5B9
_MIX_B = 0x94D049BB133111EB
# Splitting must not give the numbers that drawing from the same key gives, so it starts from another state.
_SPLIT_XOR = 0x6A09E667F3BCC909
_SPLIT_MUL = 0xD1342543DE82EF95

GOLDEN = np.uint64(_GOLDEN)
MIX_A = np.uint64(_MIX_A)
MIX_B = np.uint64(_MIX_B)
SPLIT_XOR = np.uint64(_SPLIT_XOR)
SPLIT_MUL = np.uint64(_SPLIT_MUL)
U1 = np.uint64(1)
U11 = np.uint64(11)
U27 = np.uint64(27)
U30 = np.uint64(30)
U31 = np.uint64(31)
U32 = np.uint64(32)


def _mix(value: int) -> int:
    """The finaliser of splitmix64 on Python integers; `mix` is the same in kernels."""
    value = (value ^ (value >> 30)) * _MIX_A & _MASK
    value = (value ^ (value >> 27)) * _MIX_B & _MASK
    return value ^ (value >> 31)


def _split(key: int, index: int) -> int:
    """Child `index` of a stream on Python integers; `split` is the same in kernels."""
    return _mix(((key ^ _SPLIT_XOR) * _SPLIT_MUL + (index + 1) * _GOLDEN) & _MASK)


def stream(seed: int, name: str, *indices: int) -> int:
    """The 64-bit key of the stream `name` of `seed`: splitmix64 over the seed, a digest of the name and the indices.

    Raises ValueError if the seed is not an integer with 0 <= seed < 2^53 or an index is not one with 0 <= index < 2^63.
    """
    if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed < SEED_LIMIT:
        raise ValueError(f"A seed must be a whole number from 0 to 2^53 - 1, not {seed!r}.")
    digest = int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "little")
    key = _mix((_mix((seed + _GOLDEN) & _MASK) ^ digest) & _MASK)
    for index in indices:
        if not 0 <= index < 2**63:
            raise ValueError(f"The index of a stream must be a whole number from 0 to 2^63 - 1, not {index!r}.")
        key = _split(key, int(index))
    return key


def draw_seed(seed: int, name: str, *indices: int) -> int:
    """A seed for something else, 0 <= value < 2^53, that depends on the seed, the name and the indices alone."""
    return stream(seed, name, *indices) >> 11


def new_rng(seed: int, name: str, *indices: int) -> Rng:
    """A fresh generator `uint64[1]` at the start of that stream."""
    return np.array([stream(seed, name, *indices)], dtype=np.uint64)


@kernel
def mix(value):
    """The finaliser of splitmix64: `uint64` to `uint64`, one to one."""
    # From Python a key may come as a signed integer, and numba would go on in floating point.
    value = np.uint64(value)
    value = (value ^ (value >> U30)) * MIX_A
    value = (value ^ (value >> U27)) * MIX_B
    return value ^ (value >> U31)


@kernel
def split(key, index):
    """The key (`uint64`) of child `index` (a non-negative integer) of the stream `key`, as `stream` derives it."""
    return mix((np.uint64(key) ^ SPLIT_XOR) * SPLIT_MUL + (np.uint64(index) + U1) * GOLDEN)


@kernel
def next_u64(rng):
    """The next 64 random bits; advances `rng: uint64[1]` in place."""
    state = rng[0] + GOLDEN
    rng[0] = state
    return mix(state)


@kernel
def draw_ahead(rng, k):
    """The draw that `next_u64` gives at its `k`-th next call (from 1); leaves `rng: uint64[1]` as it is.

    The state only counts, so draws that are known to come can be made side by side, by vector instructions.
    """
    return mix(rng[0] + np.uint64(k) * GOLDEN)


@kernel
def skip_draws(rng, count):
    """Advance `rng: uint64[1]` by so many draws."""
    rng[0] += np.uint64(count) * GOLDEN


@kernel
def below(rng, limit):
    """A random `int64` with 0 <= value < limit, for 1 <= limit < 2^32; advances `rng: uint64[1]` by one draw.

    The upper half of the draw is scaled, so a value's chance is off by less than limit / 2^32.
    """
    return np.int64(((next_u64(rng) >> U32) * np.uint64(limit)) >> U32)


@inlined_kernel
def unit(rng):
    """A number from 0 to 1 (excluded) by one draw of `rng: uint64[1]`."""
    return np.float64(next_u64(rng) >> U11) * 2.0**-53


@kernel
def piece(key, column, k, colours):
    """Colour 1..colours of the `k`-th piece (from 0) ever to fall into `column` (from 0): a pure function."""
    drawn = split(split(key, column), k)
    return np.int64(((drawn >> U32) * np.uint64(colours)) >> U32) + 1
