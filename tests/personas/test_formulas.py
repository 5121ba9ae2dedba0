"""Formulas as mathematics: faithful, well-formed, and nothing of the text in the page."""

from xml.etree import ElementTree

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.formula import FormulaError, parse_formula
from personas.evolution.equivalence import are_equivalent
from personas.formulas import SYMBOLS, formula_expression, formula_latex, formula_mathml
from tests.engine.naive.formula import text_of, trees, value_of

REPLICATION = ("add", "mul", "div", "sqrt")
MATHML = "{http://www.w3.org/1998/Math/MathML}"


def test_formula_latex_reads_as_people_write_it():
    text = "add(div(wins, visits), mul(0.70710678, sqrt(div(parent_visits, visits))))"
    assert formula_latex(text) == r"\frac{0.7071 \sqrt{N}}{\sqrt{n}} + \frac{w}{n}"


def test_formula_mathml_is_one_well_formed_element_of_numbers_letters_and_signs():
    text = "add(div(wins, legal_moves), mul(123456.0, sqrt(sqrt(div(parent_visits, visits)))))"
    root = ElementTree.fromstring(formula_mathml(text))
    assert root.tag == f"{MATHML}math"
    letters = {letter for letter, _ in SYMBOLS.values()}
    for element in root.iter():
        assert element.tag.removeprefix(MATHML) in {
            "math",
            "mrow",
            "mi",
            "mn",
            "mo",
            "mfrac",
            "msqrt",
            "mroot",
            "msup",
            "mfenced",
        }
        assert set(element.attrib) <= {"display"}
        if element.tag == f"{MATHML}mi":
            assert element.text in letters


@settings(max_examples=80, deadline=None)
@given(trees())
def test_formula_mathml_is_well_formed_for_any_formula(tree):
    assert ElementTree.fromstring(formula_mathml(text_of(tree))).tag == f"{MATHML}math"
    assert formula_latex(text_of(tree))


@pytest.mark.parametrize("text", ["", "<script>", "add(wins", "wins</math><script>"])
def test_formula_text_that_is_none_is_refused(text):
    with pytest.raises(FormulaError):
        formula_mathml(text)


@settings(max_examples=80, deadline=None)
@given(trees(REPLICATION), st.tuples(*[st.integers(1, 50)] * 4))
def test_formula_expression_has_the_value_of_the_formula(tree, numbers):
    names = ("wins", "visits", "parent_visits", "legal_moves")
    variables = {name: float(number) for name, number in zip(names, numbers, strict=True)}
    value = value_of(tree, variables)
    letters = {sympy.Symbol(SYMBOLS[name][0], positive=True): number for name, number in variables.items()}
    shown = formula_expression(text_of(tree)).subs(letters)
    if abs(value) < 1e200 and shown.is_finite and abs(value) > 1e-200:
        assert float(shown) == pytest.approx(value, rel=1e-6) or "0.0" in text_of(tree)


PAIRS = [
    ("sub(wins, 4)", "add(-4, wins)", True),
    ("mul(wins, add(visits, 1))", "add(wins, mul(wins, visits))", True),
    ("div(mul(wins, wins), wins)", "wins", True),
    ("sqrt(mul(4, mul(wins, wins)))", "mul(2, wins)", True),
    ("div(div(wins, visits), parent_visits)", "div(wins, mul(parent_visits, visits))", True),
    ("sqrt(add(wins, visits))", "add(sqrt(wins), sqrt(visits))", False),
    ("div(wins, visits)", "div(visits, wins)", False),
    ("add(wins, 2)", "add(wins, 2.0001)", False),
    ("mul(legal_moves, wins)", "mul(legal_moves, visits)", False),
    ("div(1, add(1, wins))", "sub(1, div(wins, add(1, wins)))", True),
]


@pytest.mark.parametrize(("first", "second", "equal"), PAIRS)
def test_equivalence_by_fingerprint_is_that_of_the_paper(first, second, equal):
    # The paper: the difference of the two simplifies to 0.
    difference = sympy.simplify(sympy.nsimplify(formula_expression(first) - formula_expression(second)))
    assert (difference == 0) is equal
    assert are_equivalent(first, second) is equal


def test_symbols_explain_every_variable():
    reads = parse_formula("add(add(wins, visits), add(parent_visits, legal_moves))").reads
    assert set(SYMBOLS) == set(reads)
