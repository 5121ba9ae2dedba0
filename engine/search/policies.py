"""Selection policies: how the children of a node are valued in the descent and in the choice of the final move.

A policy is a NamedTuple type; `score_children` resolves at compile time to the kernel of that type, so there is one
search loop and no call through a pointer. A new policy is a type, a kernel and a line in `_KERNELS`.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numba.extending import overload
from numpy.typing import NDArray

from engine.bits import count_bits, lowest_bit
from engine.formula import PAPER_VARIABLES, VARIABLES, Formula
from engine.kernels import inlined_kernel, kernel
from engine.rng import below
from engine.search.lanes import LANES, Program, new_program, read_row, run_program, write_row
from engine.search.scores import SCORE_LANES, highest_score, places_of, write_ucb1
from engine.search.statistics import StatisticsPolicy, score_statistics

PAPER_EXPLORATION = 1.0 / math.sqrt(2.0)

ONE = np.uint64(1)

_WINS, _VISITS, _PARENT, _LEGAL = (VARIABLES.index(name) for name in PAPER_VARIABLES)


class Ucb1(NamedTuple):
    """Mean reward plus exploration * sqrt(2 ln(parent visits) / visits); an unvisited child is worth infinity.

    Source: Mugrai et al., equation 1, with exploration 1/sqrt(2).
    """

    exploration: float
    logarithms: NDArray[np.float64]
    """float64[], of 0 (not used), 1, 2, ...: a logarithm costs as much as the rest of a child's value."""


class FormulaPolicy(NamedTuple):
    """Any formula of the paper's variables, as it is: nothing forces a first visit. NaN and infinities rank below all.

    The program's registers are scratch, so every thread needs a policy of its own.
    """

    program: Program


# As many as the paper's search has iterations, and some more; the tenth part of what fits the fastest memory.
_LOGARITHMS = np.array([0.0, *(math.log(number) for number in range(1, 1024))])


def new_ucb1(exploration: float = PAPER_EXPLORATION) -> Ucb1:
    return Ucb1(float(exploration), _LOGARITHMS)


def new_formula_policy(formula: Formula) -> FormulaPolicy:
    return FormulaPolicy(new_program(formula))


@kernel
def _score_ucb1(policy, rows, first, count, parent_visits):
    number = np.uint64(parent_visits)
    logarithm = policy.logarithms[number] if number < policy.logarithms.size else math.log(parent_visits)
    log_parent = 2.0 * logarithm
    for start in range(0, count, LANES):
        write_ucb1(rows.wins, rows.visits, first + start, log_parent, policy.exploration, rows.scores, start)


@kernel
def _score_formula(policy, rows, first, count, parent_visits):
    program = policy.program
    registers = program.registers
    for lane in range(LANES):
        registers[_PARENT, lane] = parent_visits
    run_program(program, 0, program.shared)
    length = program.instructions.shape[0]
    for start in range(0, count, LANES):
        read_row(rows.wins, first + start, registers, _WINS)
        read_row(rows.visits, first + start, registers, _VISITS)
        read_row(rows.legal, first + start, registers, _LEGAL)
        run_program(program, program.shared, length)
        write_row(registers, program.result, rows.scores, start)


_KERNELS: dict[type, Callable[..., Any]] = {
    Ucb1: _score_ucb1,
    FormulaPolicy: _score_formula,
    StatisticsPolicy: score_statistics,
}


def score_children(policy: Any, rows: Any, first: int, count: int, parent_visits: float) -> None:
    """Write the values of `count` children to `rows.scores`, in their order.

    rows: what has `visits`, `wins` and `legal` (float64), read from `first` on, and `scores`; all of them reach
        `LANES - 1` entries further than the children, and those of `scores` may be overwritten too.
    """
    _KERNELS[type(policy)](policy, rows, first, count, parent_visits)


@overload(score_children, jit_options={"error_model": "numpy", "forceinline": True})
def _score_children(policy, rows, first, count, parent_visits):
    kernel_of_type = _KERNELS.get(getattr(policy, "instance_class", None))
    return None if kernel_of_type is None else getattr(kernel_of_type, "py_func", kernel_of_type)


@inlined_kernel
def best_place(scores, count, rng):
    """The place of the highest of the first `count` scores; one draw from `rng` decides among equals.

    scores: float64[>= count + SCORE_LANES - 1], none of the first `count` NaN; the others do not matter
    """
    highest = -np.inf
    for start in range(0, count, SCORE_LANES):
        highest = max(highest, highest_score(scores, start, count))
    equals = 0
    for start in range(0, count, SCORE_LANES):
        equals += count_bits(places_of(scores, start, count, highest))
    skip = below(rng, equals) if equals > 1 else 0
    for start in range(0, count, SCORE_LANES):
        places = places_of(scores, start, count, highest)
        while places != 0:
            if skip == 0:
                return start + lowest_bit(places)
            skip -= 1
            places &= places - ONE
    return 0


@inlined_kernel
def score_means(rows, first, count):
    """Write the mean reward of each of `count` children to `rows.scores`, of an unvisited one minus infinity."""
    for j in range(count):
        visits = rows.visits[first + j]
        rows.scores[j] = rows.wins[first + j] / visits if visits > 0.0 else -np.inf


def needs_states(formula: Formula) -> bool:
    """Whether the formula reads what only the states of children tell, which were perhaps never visited."""
    return not formula.reads.isdisjoint({"legal_moves", "gain"})
