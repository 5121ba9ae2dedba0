"""Formulas that read more than the paper's four variables, and what a search keeps for them.

The statistics belong to the policy, so that trees and all other policies stay as they are: the searches call the hooks
below, which for any other policy are nothing, at compile time. An array that the formula does not read is not kept.

mean: wins / visits; best: the highest reward; deviation: the standard deviation of the rewards; all 0 before a visit
gain: points of the action itself in thousands, mean over the visits; 0 where no outcome of it is known
depth: actions from the root to the child, 1 for the root's children
moves_left: actions left in the game at the node, the next one included; 0 in games without a limit
parent_mean: mean reward of the node itself, what is known of a child before its first visit; 0 before the node's own
searching: 1 while the search goes on, 0 when the action is chosen after it: a formula that does this too can so leave
    out what it adds to look at children that it knows little of
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numba.extending import overload
from numpy.typing import NDArray

from engine.formula import PAPER_VARIABLES, VARIABLES, Formula
from engine.kernels import kernel
from engine.search.lanes import LANES, Program, new_program, read_row, run_program, write_row
from engine.search.settings import ENDLESS

GAIN_UNIT = 1000.0

_WINS, _VISITS, _PARENT, _LEGAL, _MEAN, _BEST, _DEVIATION, _GAIN, _DEPTH, _LEFT, _PARENT_MEAN, _SEARCHING = range(
    len(VARIABLES)
)


class Statistics(NamedTuple):
    """float64, an entry a node or a child: the sum of the squared rewards, the highest reward, points in thousands.

    In a closed tree `gains` holds the points of the one outcome that the node has, in an open one their sum over the
    visits, and their mean once they are gathered.
    """

    squares: NDArray[np.float64]
    best: NDArray[np.float64]
    gains: NDArray[np.float64]


class StatisticsPolicy(NamedTuple):
    """Any formula over all variables; NaN and infinities rank below everything. Scratch belongs to one thread.

    kept: by node of the tree; seen: by place of a child, as the tree gives its children to be scored. In a closed tree
        the two are the same
    reads_*: whether the formula reads the variable
    """

    program: Program
    kept: Statistics
    seen: Statistics
    reads_mean: bool
    reads_best: bool
    reads_deviation: bool
    reads_gain: bool


def reads_statistics(formula: Formula) -> bool:
    """Whether the formula needs a `StatisticsPolicy`."""
    return not formula.reads <= set(PAPER_VARIABLES)


def new_statistics_policy(formula: Formula, nodes: int, *, gathered: int | None = None) -> StatisticsPolicy:
    """A policy for trees of so many nodes; `gathered` is how many children an open tree gathers at most."""
    reads = formula.reads
    kept = _statistics(formula, nodes)
    return StatisticsPolicy(
        program=new_program(formula),
        kept=kept,
        seen=kept if gathered is None else _statistics(formula, gathered),
        reads_mean="mean" in reads,
        reads_best="best" in reads,
        reads_deviation="deviation" in reads,
        reads_gain="gain" in reads,
    )


def _statistics(formula: Formula, entries: int) -> Statistics:
    def array(name: str) -> NDArray[np.float64]:
        return np.zeros(entries + LANES if name in formula.reads else LANES)

    return Statistics(squares=array("deviation"), best=array("best"), gains=array("gain"))


@kernel
def score_statistics(policy, rows, first, count, parent_visits):
    """See `engine.search.policies.score_children`; `look_from` has told the policy where the node is."""
    program = policy.program
    registers = program.registers
    for lane in range(LANES):
        registers[_PARENT, lane] = parent_visits
    run_program(program, 0, program.shared)
    length = program.instructions.shape[0]
    for start in range(0, count, LANES):
        place = first + start
        read_row(rows.wins, place, registers, _WINS)
        read_row(rows.visits, place, registers, _VISITS)
        read_row(rows.legal, place, registers, _LEGAL)
        if policy.reads_gain:
            read_row(policy.seen.gains, place, registers, _GAIN)
        if policy.reads_best:
            for lane in range(LANES):
                is_seen = registers[_VISITS, lane] > 0.0
                registers[_BEST, lane] = policy.seen.best[place + lane] if is_seen else 0.0
        if policy.reads_mean or policy.reads_deviation:
            for lane in range(LANES):
                visits = registers[_VISITS, lane]
                registers[_MEAN, lane] = registers[_WINS, lane] / visits if visits > 0.0 else 0.0
        if policy.reads_deviation:
            for lane in range(LANES):
                visits = registers[_VISITS, lane]
                mean = registers[_MEAN, lane]
                variance = policy.seen.squares[place + lane] / visits - mean * mean if visits > 0.0 else 0.0
                # What is left of equal rewards may be noise below 0.
                registers[_DEVIATION, lane] = math.sqrt(variance) if variance > 0.0 else 0.0
        run_program(program, program.shared, length)
        write_row(registers, program.result, rows.scores, start)


def look_from(policy: Any, depth: int, left: int, wins: float, visits: float, searching: float) -> None:
    """Tell the policy that children of a node `depth` actions below the root are scored next.

    left: actions left in the game at the root, or ENDLESS; wins, visits: of the node; searching: 1.0 in the search,
        0.0 after it
    """


def node_begins(policy: Any, node: int) -> None:
    """Forget what was kept for `node` of an earlier search."""


def node_rewarded(policy: Any, node: int, reward: float) -> None:
    """Keep the reward of a simulation through `node`."""


def node_gained(policy: Any, node: int, points: int) -> None:
    """Keep the points of the action that led to `node`, one outcome more."""


def children_gathered(policy: Any, tree: Any, node: int, count: int) -> None:
    """Copy what is kept of the children of `node` in an open tree, by the first `count` of `tree.actions`."""


def _look_from(policy, depth, left, wins, visits, searching):
    remaining = 0.0 if left == ENDLESS else np.float64(left - depth)
    mean = wins / visits if visits > 0.0 else 0.0
    for lane in range(LANES):
        policy.program.registers[_DEPTH, lane] = depth + 1.0
        policy.program.registers[_LEFT, lane] = remaining
        policy.program.registers[_PARENT_MEAN, lane] = mean
        policy.program.registers[_SEARCHING, lane] = searching


def _node_begins(policy, node):
    if policy.reads_deviation:
        policy.kept.squares[node] = 0.0
    if policy.reads_best:
        policy.kept.best[node] = -np.inf
    if policy.reads_gain:
        policy.kept.gains[node] = 0.0


def _node_rewarded(policy, node, reward):
    if policy.reads_deviation:
        policy.kept.squares[node] += reward * reward
    if policy.reads_best:
        policy.kept.best[node] = max(policy.kept.best[node], reward)


def _node_gained(policy, node, points):
    if policy.reads_gain:
        policy.kept.gains[node] += points / GAIN_UNIT


def _children_gathered(policy, tree, node, count):
    kept = policy.kept
    seen = policy.seen
    if policy.reads_deviation or policy.reads_best or policy.reads_gain:
        for j in range(count):
            child = tree.children[node, tree.actions[j]]
            if policy.reads_gain:
                seen.gains[j] = kept.gains[child] / tree.total_visits[child] if child >= 0 else 0.0
            if child >= 0:
                if policy.reads_deviation:
                    seen.squares[j] = kept.squares[child]
                if policy.reads_best:
                    seen.best[j] = kept.best[child]


def _is_statistics(policy: Any) -> bool:
    return getattr(policy, "instance_class", None) is StatisticsPolicy


_INLINED = {"error_model": "numpy", "forceinline": True}


@overload(look_from, jit_options=_INLINED)
def _overload_look_from(policy, depth, left, wins, visits, searching):
    return _look_from if _is_statistics(policy) else lambda policy, depth, left, wins, visits, searching: None


@overload(node_begins, jit_options=_INLINED)
def _overload_node_begins(policy, node):
    return _node_begins if _is_statistics(policy) else lambda policy, node: None


@overload(node_rewarded, jit_options=_INLINED)
def _overload_node_rewarded(policy, node, reward):
    return _node_rewarded if _is_statistics(policy) else lambda policy, node, reward: None


@overload(node_gained, jit_options=_INLINED)
def _overload_node_gained(policy, node, points):
    return _node_gained if _is_statistics(policy) else lambda policy, node, points: None


@overload(children_gathered, jit_options=_INLINED)
def _overload_children_gathered(policy, tree, node, count):
    return _children_gathered if _is_statistics(policy) else lambda policy, tree, node, count: None
