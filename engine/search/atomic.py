"""Numbers in arrays that several threads change at once: each change is whole, and none is lost."""

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

_I64 = ir.IntType(64)


def _exchange(operation: str) -> Any:
    """An intrinsic of an `int64[]`, an index and a number: what stood there before the operation."""

    @intrinsic
    def exchange(typing_context: Any, numbers: Any, index: Any, value: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
            place = builder.gep(data, [arguments[1]])
            return builder.atomic_rmw(operation, place, arguments[2], "seq_cst")

        return types.int64(numbers, types.int64, types.int64), generate

    return exchange


fetch_add = _exchange("add")
fetch_max = _exchange("max")
swap = _exchange("xchg")
