"""A formula as a tree for the eye: what stands where, in steps of one leaf across and one level down."""

from dataclasses import dataclass
from functools import lru_cache

from engine.formula import ARITY, FIRST_CONSTANT, FIRST_OPERATOR, OPERATORS, VARIABLES, parse_formula
from personas.formulas import DIGITS, SYMBOLS

_SIGNS = {"add": "+", "sub": "−", "mul": "×", "div": "÷", "sqrt": "√"}


@dataclass(frozen=True)
class TreeNode:
    """A part of a formula. `x` counts leaves from the left, `y` levels from the root, both from 0."""

    label: str
    kind: str
    x: float
    y: int
    parent: int | None
    """Place of the parent in `FormulaTree.nodes`; None for the root."""


@dataclass(frozen=True)
class FormulaTree:
    """A drawn formula: each operator stands above the middle of its arguments."""

    nodes: tuple[TreeNode, ...]
    leaves: int
    levels: int

    @property
    def edges(self) -> tuple[tuple[TreeNode, TreeNode], ...]:
        """Pairs of parent and child."""
        return tuple((self.nodes[node.parent], node) for node in self.nodes if node.parent is not None)


@lru_cache(maxsize=512)
def formula_tree(text: str) -> FormulaTree:
    """The tree of the formula as it is written, not simplified; raises FormulaError."""
    formula = parse_formula(text)
    count = len(formula.code)
    labels, kinds, across = [""] * count, ["operator"] * count, [0.0] * count
    parents: list[int | None] = [None] * count
    open_parts: list[int] = []
    leaves = 0
    for place, code in enumerate(map(int, formula.code)):
        if FIRST_OPERATOR <= code < FIRST_CONSTANT:
            name = OPERATORS[code - FIRST_OPERATOR]
            arguments = open_parts[-ARITY[name] :]
            del open_parts[-ARITY[name] :]
            for argument in arguments:
                parents[argument] = place
            labels[place] = _SIGNS.get(name, name)
            across[place] = (across[arguments[0]] + across[arguments[-1]]) / 2
        else:
            is_variable = code < FIRST_OPERATOR
            kinds[place] = "variable" if is_variable else "constant"
            labels[place] = (
                SYMBOLS[VARIABLES[code]][0]
                if is_variable
                else f"{float(formula.constants[code - FIRST_CONSTANT]):.{DIGITS}g}"
            )
            across[place] = float(leaves)
            leaves += 1
        open_parts.append(place)
    levels = [0] * count
    for place in reversed(range(count)):  # in postfix order a parent comes after its arguments
        parent = parents[place]
        levels[place] = 0 if parent is None else levels[parent] + 1
    nodes = tuple(
        TreeNode(labels[place], kinds[place], across[place], levels[place], parents[place]) for place in range(count)
    )
    return FormulaTree(nodes, leaves, max(levels) + 1)
