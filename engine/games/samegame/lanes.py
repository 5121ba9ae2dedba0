"""Bit boards as vectors: one lane of bits a column, and every operation one step for the whole board.

A lane holds a column of the board, bit 0 its lowest cell. `Lanes` is a numba type of 16 lanes of 16 bits, which is a
256-bit register on a processor that has such, or of 32 lanes of 32 bits. A kernel is written once and compiled for
either. On other processors the compiler takes two or four smaller registers, with the same results.

    lane      0    1    2           above(x)     every cell one up: what leaves the lane is gone
    bit 2     .    .    .           below(x)     one down
    bit 1     .    .    .           to_right(x)  one column to the right: the first becomes empty
    bit 0     .    .    .           to_left(x)   one column to the left: the last becomes empty

The operations exist inside kernels only. `&`, `|`, `^` and `~` work bit by bit.
"""

import operator
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic, models, overload, register_model

_I64 = ir.IntType(64)


class LanesType(types.Type):
    """The numba type of `size` lanes of `size` bits."""

    def __init__(self, size: int) -> None:
        self.size = size
        super().__init__(name=f"Lanes({size})")


LANES_16 = LanesType(16)
LANES_32 = LanesType(32)


def words_of(size: int) -> int:
    """How many `uint64` hold a vector of `size` lanes."""
    return size * size // 64


@register_model(LanesType)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, manager: Any, lanes: LanesType) -> None:
        super().__init__(manager, lanes, _vector(lanes))


def _vector(lanes: LanesType) -> ir.VectorType:
    return ir.VectorType(ir.IntType(lanes.size), lanes.size)


def _splat(lanes: LanesType, value: int) -> ir.Constant:
    return ir.Constant(_vector(lanes), [value] * lanes.size)


def _numbers(lanes: LanesType) -> ir.Constant:
    return ir.Constant(_vector(lanes), list(range(lanes.size)))


def _spread(builder: Any, lanes: LanesType, value: Any) -> Any:
    """A vector with the 64-bit `value` in every lane."""
    narrow = builder.trunc(value, ir.IntType(lanes.size))
    single = builder.insert_element(_splat(lanes, 0), narrow, ir.Constant(ir.IntType(32), 0))
    first = ir.Constant(ir.VectorType(ir.IntType(32), lanes.size), [0] * lanes.size)
    return builder.shuffle_vector(single, single, first)


def _address(builder: Any, context: Any, array_type: Any, array: Any, word: Any, lanes: LanesType) -> Any:
    data = context.make_array(array_type)(context, builder, array).data
    return builder.gep(data, [word]), _vector(lanes)


def _load_of(lanes: LanesType) -> Any:
    @intrinsic
    def load(typing_context: Any, words: Any, word: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            address, vector = _address(builder, context, signature.args[0], arguments[0], arguments[1], lanes)
            loaded = builder.load(builder.bitcast(address, vector.as_pointer()), typ=vector)
            loaded.align = 8
            return loaded

        return lanes(words, types.int64), generate

    return load


load_16 = _load_of(LANES_16)
load_32 = _load_of(LANES_32)


@intrinsic
def store(typing_context: Any, words: Any, word: Any, x: Any) -> Any:
    """Write a vector to `words: uint64[]` from index `word` on."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        address, vector = _address(builder, context, signature.args[0], arguments[0], arguments[1], x)
        builder.store(arguments[2], builder.bitcast(address, vector.as_pointer())).align = 8
        return context.get_dummy_value()

    return types.void(words, types.int64, x), generate


def _unary(make: Callable[[Any, LanesType, Any], Any]) -> Any:
    """An intrinsic of one vector that gives a vector."""

    @intrinsic
    def operation(typing_context: Any, x: Any) -> Any:
        if not isinstance(x, LanesType):
            return None

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return make(builder, x, arguments[0])

        return x(x), generate

    return operation


def _binary(make: Callable[[Any, Any, Any], Any]) -> Any:
    """An intrinsic of two vectors of one type that gives a vector."""

    @intrinsic
    def operation(typing_context: Any, x: Any, y: Any) -> Any:
        if not isinstance(x, LanesType) or x != y:
            return None

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return make(builder, *arguments)

        return x(x, y), generate

    return operation


def _shuffled(builder: Any, lanes: LanesType, x: Any, step: int) -> Any:
    """Lane i gets what stands `step` lanes to its left (or right, if negative); lanes without a source get 0."""
    size = lanes.size
    sources = [i - step if 0 <= i - step < size else size for i in range(size)]
    mask = ir.Constant(ir.VectorType(ir.IntType(32), size), sources)
    return builder.shuffle_vector(x, _splat(lanes, 0), mask)


_and = _binary(lambda builder, x, y: builder.and_(x, y))
_or = _binary(lambda builder, x, y: builder.or_(x, y))
_xor = _binary(lambda builder, x, y: builder.xor(x, y))
_not = _unary(lambda builder, lanes, x: builder.xor(x, _splat(lanes, -1)))

above = _unary(lambda builder, lanes, x: builder.shl(x, _splat(lanes, 1)))
below = _unary(lambda builder, lanes, x: builder.lshr(x, _splat(lanes, 1)))
to_right = _unary(lambda builder, lanes, x: _shuffled(builder, lanes, x, 1))
to_left = _unary(lambda builder, lanes, x: _shuffled(builder, lanes, x, -1))

# In each lane: the lowest bit set, and that bit with all above it; nothing in a lane that is empty.
lowest_in_lanes = _unary(lambda builder, lanes, x: builder.and_(x, builder.sub(_splat(lanes, 0), x)))
from_lowest = _unary(
    lambda builder, lanes, x: builder.or_(x, builder.sub(_splat(lanes, 0), x)),
)


@overload(operator.and_)
def _overload_and(x, y):
    if isinstance(x, LanesType) and x == y:
        return lambda x, y: _and(x, y)
    return None


@overload(operator.or_)
def _overload_or(x, y):
    if isinstance(x, LanesType) and x == y:
        return lambda x, y: _or(x, y)
    return None


@overload(operator.xor)
def _overload_xor(x, y):
    if isinstance(x, LanesType) and x == y:
        return lambda x, y: _xor(x, y)
    return None


@overload(operator.invert)
def _overload_not(x):
    if isinstance(x, LanesType):
        return lambda x: _not(x)
    return None


@intrinsic
def filled_lanes(typing_context: Any, x: Any) -> Any:
    """A `uint64` with bit i set if lane i of a vector has a bit set."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        flags = builder.icmp_unsigned("!=", arguments[0], _splat(x, 0))
        return builder.zext(builder.bitcast(flags, ir.IntType(x.size)), _I64)

    return types.uint64(x), generate


@intrinsic
def has_any(typing_context: Any, x: Any) -> Any:
    """Whether any bit of a vector is set."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        whole = ir.IntType(x.size * x.size)
        return builder.icmp_unsigned("!=", builder.bitcast(arguments[0], whole), ir.Constant(whole, 0))

    return types.boolean(x), generate


@intrinsic
def count_bits(typing_context: Any, x: Any) -> Any:
    """The number of bits set in a vector, as `int64`."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        words = builder.bitcast(arguments[0], ir.VectorType(_I64, words_of(x.size)))
        total = ir.Constant(_I64, 0)
        for i in range(words_of(x.size)):
            word = builder.extract_element(words, ir.Constant(ir.IntType(32), i))
            total = builder.add(total, builder.ctpop(word))
        return total

    return types.int64(x), generate


@intrinsic
def lanes_from(typing_context: Any, x: Any, lane: Any) -> Any:
    """A vector of the type of `x` with all bits set from lane number `lane` on."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        flags = builder.icmp_unsigned(">=", _numbers(x), _spread(builder, x, arguments[1]))
        return builder.sext(flags, _vector(x))

    return x(x, types.int64), generate


@intrinsic
def single_lane(typing_context: Any, x: Any, lane: Any) -> Any:
    """`x` with all lanes empty but number `lane`."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        flags = builder.icmp_unsigned("==", _numbers(x), _spread(builder, x, arguments[1]))
        return builder.and_(arguments[0], builder.sext(flags, _vector(x)))

    return x(x, types.int64), generate


@intrinsic
def row_bit(typing_context: Any, x: Any, row: Any) -> Any:
    """A vector of the type of `x` with bit number `row` set in every lane."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        bit = builder.shl(ir.Constant(_I64, 1), arguments[1])
        return _spread(builder, x, bit)

    return x(x, types.int64), generate


@intrinsic
def lowest_bit(typing_context: Any, word: Any) -> Any:
    """The index of the lowest bit set in a `uint64` that is not 0, as `int64`."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.uint64), generate


@intrinsic
def popcount(typing_context: Any, word: Any) -> Any:
    """The number of bits set in a `uint64`, as `int64`."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.int64(types.uint64), generate
