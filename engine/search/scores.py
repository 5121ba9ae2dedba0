"""The scores of children, many at a time: UCB1 for eight, the highest of sixteen.

As in `engine.search.lanes` all arithmetic is IEEE arithmetic lane by lane, the same bit for bit as one by one.
"""

import math
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload
from numpy.typing import NDArray

from engine.search.lanes import LANES, VECTOR, load_row, root_of, store_row

# So many scores are compared at once: more than positions of the usual level have actions, nearly always.
SCORE_LANES = 16

_INDEX = ir.IntType(32)


def _spread(builder: Any, value: Any, kind: Any) -> Any:
    """A vector of type `kind` with `value` in every lane."""
    single = builder.insert_element(ir.Constant(kind, ir.Undefined), value, ir.Constant(_INDEX, 0))
    lanes = ir.Constant(ir.VectorType(_INDEX, kind.count), [0] * kind.count)
    return builder.shuffle_vector(single, ir.Constant(kind, ir.Undefined), lanes)


@intrinsic
def _ucb1(typing_context: Any, wins: Any, visits: Any, log_parent: Any, exploration: Any, target: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        wins, visits = load_row(builder, arguments[0]), load_row(builder, arguments[1])
        log_parent, exploration = (_spread(builder, value, VECTOR) for value in arguments[2:4])
        bonus = builder.fmul(exploration, root_of(builder, builder.fdiv(log_parent, visits)))
        value = builder.fadd(builder.fdiv(wins, visits), bonus)
        zero, most = (ir.Constant(VECTOR, [number] * LANES) for number in (0.0, float("inf")))
        store_row(builder, builder.select(builder.fcmp_ordered(">", visits, zero), value, most), arguments[4])
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, types.float64, types.float64, types.int64), generate


def write_ucb1(
    wins: NDArray[np.float64],
    visits: NDArray[np.float64],
    start: int,
    log_parent: float,
    exploration: float,
    scores: NDArray[np.float64],
    place: int,
) -> None:
    """Write the UCB1 values of the `LANES` children from `start` on to `scores` from `place` on.

    log_parent: twice the logarithm of the parent's visits, not negative; unvisited children are worth infinity. This
    body is for unjitted runs only.
    """
    for i in range(LANES):
        won, seen = wins[start + i], visits[start + i]
        scores[place + i] = won / seen + exploration * math.sqrt(log_parent / seen) if seen > 0.0 else np.inf


@overload(write_ucb1, jit_options={"error_model": "numpy"})
def _write_ucb1(wins, visits, start, log_parent, exploration, scores, place):
    def compiled(wins, visits, start, log_parent, exploration, scores, place):
        first, second = wins.ctypes.data + 8 * start, visits.ctypes.data + 8 * start
        _ucb1(first, second, log_parent, exploration, scores.ctypes.data + 8 * place)

    return compiled


_SCORES = ir.VectorType(ir.DoubleType(), SCORE_LANES)
_FLAGS = ir.IntType(SCORE_LANES)
_INT64 = ir.IntType(64)


def _load_scores(builder: Any, address: Any, count: Any) -> Any:
    """`SCORE_LANES` scores, minus infinity after the first `count`, and a flag for each of these."""
    scores = builder.load(builder.inttoptr(address, ir.PointerType(_SCORES)))
    scores.align = 8
    places = ir.VectorType(_INT64, SCORE_LANES)
    counts = _spread(builder, count, places)
    valid = builder.icmp_signed("<", ir.Constant(places, list(range(SCORE_LANES))), counts)
    return builder.select(valid, scores, ir.Constant(_SCORES, [float("-inf")] * SCORE_LANES)), valid


@intrinsic
def _highest(typing_context: Any, address: Any, count: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        scores, _ = _load_scores(builder, *arguments)
        width = SCORE_LANES
        while width > 1:
            width //= 2
            halves = (
                builder.shuffle_vector(
                    scores,
                    scores,
                    ir.Constant(ir.VectorType(_INDEX, width), list(range(start, start + width))),
                )
                for start in (0, width)
            )
            left, right = halves
            scores = builder.select(builder.fcmp_ordered(">", left, right), left, right)
        return builder.extract_element(scores, ir.Constant(_INDEX, 0))

    return types.float64(types.int64, types.int64), generate


@intrinsic
def _places_of(typing_context: Any, address: Any, count: Any, score: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        scores, valid = _load_scores(builder, *arguments[:2])
        wanted = _spread(builder, arguments[2], _SCORES)
        equal = builder.and_(builder.fcmp_ordered("==", scores, wanted), valid)
        return builder.zext(builder.bitcast(equal, _FLAGS), _INT64)

    return types.uint64(types.int64, types.int64, types.float64), generate


def highest_score(scores: NDArray[np.float64], start: int, count: int) -> float:
    """The highest of those `SCORE_LANES` numbers from `start` on that stand before place `count`.

    This body is for unjitted runs only.
    """
    return float(scores[start : min(count, start + SCORE_LANES)].max())


@overload(highest_score, jit_options={"error_model": "numpy"})
def _highest_score(scores, start, count):
    def compiled(scores, start, count):
        return _highest(scores.ctypes.data + 8 * start, count - start)

    return compiled


def places_of(scores: NDArray[np.float64], start: int, count: int, score: float) -> int:
    """Which of those numbers equal `score`, as bits of a `uint64`. This body is for unjitted runs only."""
    return sum(1 << i for i, one in enumerate(scores[start : min(count, start + SCORE_LANES)]) if one == score)


@overload(places_of, jit_options={"error_model": "numpy"})
def _places_of_score(scores, start, count, score):
    def compiled(scores, start, count, score):
        return _places_of(scores.ctypes.data + 8 * start, count - start, score)

    return compiled
