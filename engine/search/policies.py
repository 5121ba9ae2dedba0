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

from engine.formula import VARIABLES, Formula
from engine.kernels import kernel
from engine.search.lanes import LANES, Program, new_program, read_row, run_program, write_row

PAPER_EXPLORATION = 1.0 / math.sqrt(2.0)

_WINS, _VISITS, _PARENT, _LEGAL = (VARIABLES.index(name) for name in ("wins", "visits", "parent_visits", "legal_moves"))


class Ucb1(NamedTuple):
    """Mean reward plus exploration * sqrt(2 ln(parent visits) / visits); an unvisited child is worth infinity.

    Source: Mugrai et al., equation 1, with exploration 1/sqrt(2).
    """

    exploration: float


class FormulaPolicy(NamedTuple):
    """Any formula, as it is: nothing forces a first visit. NaN and infinities rank below everything.

    The program's registers are scratch, so every thread needs a policy of its own.
    """

    program: Program


def new_ucb1(exploration: float = PAPER_EXPLORATION) -> Ucb1:
    return Ucb1(float(exploration))


def new_formula_policy(formula: Formula) -> FormulaPolicy:
    return FormulaPolicy(new_program(formula))


@kernel
def _score_ucb1(policy, tree, node):
    first = tree.first[node]
    log_parent = 2.0 * math.log(tree.visits[node])
    for j in range(tree.count[node]):
        visits = tree.visits[first + j]
        if visits > 0.0:
            mean = tree.wins[first + j] / visits
            tree.scores[j] = mean + policy.exploration * math.sqrt(log_parent / visits)
        else:
            tree.scores[j] = np.inf


@kernel
def _score_formula(policy, tree, node):
    program = policy.program
    registers = program.registers
    first = tree.first[node]
    parent_visits = tree.visits[node]
    for lane in range(LANES):
        registers[_PARENT, lane] = parent_visits
    run_program(program, 0, program.shared)
    length = program.instructions.shape[0]
    for start in range(0, tree.count[node], LANES):
        read_row(tree.wins, first + start, registers, _WINS)
        read_row(tree.visits, first + start, registers, _VISITS)
        read_row(tree.legal, first + start, registers, _LEGAL)
        run_program(program, program.shared, length)
        write_row(registers, program.result, tree.scores, start)


_KERNELS: dict[type, Callable[..., Any]] = {Ucb1: _score_ucb1, FormulaPolicy: _score_formula}


def score_children(policy: Any, tree: Any, node: int) -> None:
    """Write the value of every child of `node` to `tree.scores`, in the order of the children.

    Entries beyond the children may be overwritten too.
    """
    _KERNELS[type(policy)](policy, tree, node)


@overload(score_children, jit_options={"error_model": "numpy", "forceinline": True})
def _score_children(policy, tree, node):
    kernel = _KERNELS.get(getattr(policy, "instance_class", None))
    return None if kernel is None else getattr(kernel, "py_func", kernel)


def reads_legal_moves(policy: Any) -> bool:
    """Whether the policy needs the states of children that were never visited."""
    if isinstance(policy, FormulaPolicy):
        rows = policy.program.instructions
        return bool((rows[:, 1:3] == _LEGAL).any()) or policy.program.result == _LEGAL
    return False


def scores_of(tree: Any, node: int) -> NDArray[np.float64]:
    """The values that the last `score_children` wrote for `node`, copied."""
    return np.array(tree.scores[: tree.count[node]])
