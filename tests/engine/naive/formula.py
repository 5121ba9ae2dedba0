"""A plain twin of formulas: nested tuples, evaluated by recursion."""

import math
from typing import Any

from hypothesis import strategies as st

from engine.formula import ARITY, OPERATORS, VARIABLES

Tree = Any
"""A variable's name, a float, or (operator, argument, ...)."""


def trees(operators: tuple[str, ...] = OPERATORS, variables: tuple[str, ...] = VARIABLES) -> st.SearchStrategy[Tree]:
    """Any formula, a few levels deep."""
    constants = st.floats(-1e6, 1e6) | st.sampled_from([0.0, 1.0, -1.0, 1e-300, 1e300])
    leaves = st.sampled_from(variables) | constants
    return st.recursive(leaves, lambda inner: st.one_of([_calls(name, inner) for name in operators]), max_leaves=24)


def _calls(name: str, inner: st.SearchStrategy[Tree]) -> st.SearchStrategy[Tree]:
    return st.tuples(st.just(name), *[inner] * ARITY[name])


def text_of(tree: Tree) -> str:
    if isinstance(tree, tuple):
        return f"{tree[0]}({', '.join(map(text_of, tree[1:]))})"
    return tree if isinstance(tree, str) else repr(tree)


def height_of(tree: Tree) -> int:
    return 1 + max(map(height_of, tree[1:])) if isinstance(tree, tuple) else 0


def size_of(tree: Tree) -> int:
    return 1 + sum(map(size_of, tree[1:])) if isinstance(tree, tuple) else 1


def names_in(tree: Tree) -> set[str]:
    if isinstance(tree, tuple):
        return set().union(*map(names_in, tree[1:]))
    return {tree} if isinstance(tree, str) else set()


def value_of(tree: Tree, variables: dict[str, float]) -> float:
    """The protected value, in the arithmetic of Python floats made to overflow quietly as IEEE does."""
    if isinstance(tree, str):
        return variables[tree]
    if not isinstance(tree, tuple):
        return float(tree)
    a, *rest = (value_of(part, variables) for part in tree[1:])
    b = rest[0] if rest else 0.0
    match tree[0]:
        case "add":
            return a + b
        case "sub":
            return a - b
        case "mul":
            return a * b
        case "div":
            return _divide(a, b)
        case "sqrt":
            return math.sqrt(abs(a))
        case "log":
            return _log(a)
        case "min":
            return a if a < b else b
        case _:
            return a if a > b else b


def _divide(a: float, b: float) -> float:
    # Python raises nothing here: b is not 0, and an overflow of a quotient gives an infinity.
    return 1.0 if b == 0.0 else a / b


def _log(a: float) -> float:
    return 0.0 if a == 0.0 else math.log(abs(a))
