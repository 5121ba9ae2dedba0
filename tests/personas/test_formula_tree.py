"""Formulas drawn as trees: every part once, operators above their arguments, nothing on top of anything else."""

import pytest
from hypothesis import given

from engine.formula import FormulaError, parse_formula
from personas.formula_tree import formula_tree
from tests.engine.naive.formula import text_of, trees


def test_tree_of_a_quotient():
    tree = formula_tree("div(wins, add(visits, 2.5))")
    shown = [(node.label, node.kind, node.x, node.y) for node in tree.nodes]
    assert shown == [
        ("w", "variable", 0.0, 1),
        ("n", "variable", 1.0, 2),
        ("2.5", "constant", 2.0, 2),
        ("+", "operator", 1.5, 1),
        ("÷", "operator", 0.75, 0),
    ]
    assert (tree.leaves, tree.levels) == (3, 3)


@given(trees())
def test_tree_of_any_formula_is_whole_and_nothing_overlaps(drawn):
    formula = parse_formula(text_of(drawn))
    tree = formula_tree(formula.text)
    assert len(tree.nodes) == formula.size
    assert tree.levels == formula.height + 1
    assert len({(node.x, node.y) for node in tree.nodes}) == formula.size
    assert [node.y for node in tree.nodes if node.parent is None] == [0]
    for parent, child in tree.edges:
        assert child.y == parent.y + 1
    for level in range(tree.levels):
        row = [node.x for node in tree.nodes if node.y == level]
        assert row == sorted(row)


def test_tree_of_a_text_that_is_no_formula_is_refused():
    with pytest.raises(FormulaError):
        formula_tree("wins +")
