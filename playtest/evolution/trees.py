"""A formula's tree in pixels, as a page draws it."""

from collections.abc import Sequence
from dataclasses import dataclass

from personas.formula_tree import TreeNode, formula_tree

ACROSS, DOWN = 56, 52
"""From leaf to leaf, and from level to level."""
BOX_HEIGHT = 28
LETTER = 9
"""Width of a letter, generously."""


@dataclass(frozen=True)
class Box:
    """A part of the formula: the middle of its box, the box's left upper corner and width, and what stands in it."""

    x: float
    y: float
    left: float
    top: float
    width: float
    label: str
    kind: str


@dataclass(frozen=True)
class Edge:
    """From the foot of an operator to the head of an argument."""

    x1: float
    y1: float
    x2: float
    y2: float


@dataclass(frozen=True)
class TreeDrawing:
    width: int
    height: int
    box_height: int
    boxes: Sequence[Box]
    edges: Sequence[Edge]


def tree_drawing(text: str) -> TreeDrawing:
    """The drawing of the formula as it is written; FormulaError if the text is none."""
    tree = formula_tree(text)
    half = BOX_HEIGHT / 2
    edges = [
        Edge(_across(parent), _down(parent) + half, _across(child), _down(child) - half) for parent, child in tree.edges
    ]
    return TreeDrawing(tree.leaves * ACROSS, tree.levels * DOWN, BOX_HEIGHT, [_box(node) for node in tree.nodes], edges)


def _across(node: TreeNode) -> float:
    return (node.x + 0.5) * ACROSS


def _down(node: TreeNode) -> float:
    return (node.y + 0.5) * DOWN


def _box(node: TreeNode) -> Box:
    width = max(BOX_HEIGHT, min(ACROSS - 4, LETTER * len(node.label) + 10))
    return Box(
        x=_across(node),
        y=_down(node),
        left=_across(node) - width / 2,
        top=_down(node) - BOX_HEIGHT / 2,
        width=width,
        label=node.label,
        kind=node.kind,
    )
