"""Instructions on 64-bit words that numba has no name for."""

from llvmlite import ir
from numba import types
from numba.extending import intrinsic


@intrinsic
def count_bits(typingctx, word):
    """The number of bits set in a `uint64`, as `int64`."""

    def generate(context, builder, signature, arguments):
        return builder.ctpop(arguments[0])

    return types.int64(types.uint64), generate


@intrinsic
def lowest_bit(typingctx, word):
    """The index of the lowest bit set in a `uint64` that is not 0, as `int64`."""

    def generate(context, builder, signature, arguments):
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.uint64), generate


@intrinsic
def reversed_bytes(typingctx, word):
    """A `uint64` with its eight bytes in the opposite order."""

    def generate(context, builder, signature, arguments):
        return builder.bswap(arguments[0])

    return types.uint64(types.uint64), generate


def declared(builder, name, kind):
    """The function `name` of LLVM, of type `kind`, in the module that is being built."""
    function = builder.module.globals.get(name)
    return ir.Function(builder.module, kind, name) if function is None else function
