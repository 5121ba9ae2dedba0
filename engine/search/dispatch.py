"""`search` for any kind of tree: the type of the tree says which kernel it is, at compile time.

A new kind of tree is a type, a kernel with these arguments and a line in `_KERNELS`.
"""

from collections.abc import Callable
from typing import Any

from numba.extending import overload

from engine.formula import Formula
from engine.search.mcts import search_closed
from engine.search.open_loop import OpenTree, search_open
from engine.search.policies import FormulaPolicy, new_formula_policy
from engine.search.statistics import StatisticsPolicy, new_statistics_policy, reads_statistics
from engine.search.tree import Tree

_KERNELS: dict[type, Callable[..., Any]] = {Tree: search_closed, OpenTree: search_open}


def formula_policy(formula: Formula, tree: Tree | OpenTree) -> FormulaPolicy | StatisticsPolicy:
    """The policy of `formula` for searches in `tree`; what it does not read is not kept. Scratch of one thread."""
    if not reads_statistics(formula):
        return new_formula_policy(formula)
    if isinstance(tree, OpenTree):
        return new_statistics_policy(formula, len(tree.total_visits), gathered=len(tree.actions))
    return new_statistics_policy(formula, len(tree.parent))


def search(
    root_words: Any, work: Any, chance: Any, rng: Any, policy: Any, tree: Any, settings: Any, played: Any
) -> Any:
    """The action that a search chooses in the state `root_words: uint64[W]`, which must have a legal action.

    work: a state of the same level, scratch
    chance: `Sampled` for a fair search, the level's `Queued` for a clairvoyant one
    rng: uint64[1], advanced
    policy, tree, settings, played: see `engine.search`; the tree is overwritten
    """
    return _KERNELS[type(tree)](root_words, work, chance, rng, policy, tree, settings, played)


@overload(search, jit_options={"error_model": "numpy"})
def _search(root_words, work, chance, rng, policy, tree, settings, played):
    kernel = _KERNELS.get(getattr(tree, "instance_class", None))
    if kernel is None:
        return None

    def compiled(root_words, work, chance, rng, policy, tree, settings, played):
        return kernel(root_words, work, chance, rng, policy, tree, settings, played)

    return compiled
