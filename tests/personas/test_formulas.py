"""Formulas as mathematics: faithful, well-formed, and nothing of the text in the page."""

from xml.etree import ElementTree

import pytest
import sympy
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from engine.formula import PAPER_VARIABLES, SIGNED, VARIABLES, FormulaError, parse_formula
from personas.evolution.equivalence import are_equivalent
from personas.formulas import SYMBOLS, formula_expression, formula_latex, formula_mathml, formula_symbol
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


# What differs by less than is shown, under a line of a fraction, a root, a logarithm, and within a comparison.
NEARLY = "sub(max(visits, 1.00001), max(visits, 1.00002))"


@pytest.mark.parametrize(
    "text",
    [
        f"max(visits, div(1.0, {NEARLY}))",
        f"min(visits, log({NEARLY}))",
        f"max(visits, div(sqrt({NEARLY}), {NEARLY}))",
        "max(visits, div(1.0, sub(mul(1.00001, wins), mul(1.00002, wins))))",
    ],
)
def test_numbers_are_rounded_as_they_are_printed_and_a_difference_never_becomes_nothing(text):
    for shown in (formula_latex(text), formula_mathml(text)):
        assert not any(word in shown for word in ("infty", "&#x221E;", "∞", "NaN", "zoo", "nan"))
    assert ElementTree.fromstring(formula_mathml(text)).tag == f"{MATHML}math"


def test_many_terms_of_a_comparison_are_not_compared_with_each_other(monkeypatch):
    # It takes seconds of the process that shows the page.
    monkeypatch.setattr(sympy.Max, "_collapse_arguments", lambda *_, **__: pytest.fail("compared"))
    names = [f"mul({number / 8 + 2}, {name})" for number, name in enumerate(VARIABLES * 2)]
    text = names[0]
    for place, name in enumerate(names[1:]):
        text = f"max({text}, {name})" if place % 2 else f"max({name}, {text})"
    assert formula_latex(text).count(",") == len(names) - 1
    assert formula_mathml(text).count("<mo>,</mo>") == len(names) - 1
    assert formula_latex("max(max(wins, visits), max(visits, wins))") == formula_latex("max(wins, visits)")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("mul(1.0, gain)", "g"),
        ("mul(-1.0, gain)", "- g"),
        ("mul(2.0, mul(0.5, gain))", "g"),
        ("div(1.0, visits)", r"\frac{1}{n}"),
        ("sub(1.0, mul(0.333333, gain))", "1 - 0.3333 g"),
        ("mul(0.0000123456, gain)", r"1.235 \cdot 10^{-5} g"),
        ("max(2.0, 3.0)", "3"),
        ("add(0.0, gain)", "g"),
    ],
)
def test_numbers_read_as_people_write_them(text, shown):
    assert formula_latex(text) == shown


@pytest.mark.parametrize("text", ["", "<script>", "add(wins", "wins</math><script>"])
def test_formula_text_that_is_none_is_refused(text):
    with pytest.raises(FormulaError):
        formula_mathml(text)


@settings(max_examples=80, deadline=None)
@given(trees(REPLICATION, PAPER_VARIABLES), st.tuples(*[st.integers(1, 50)] * 4))
def test_formula_expression_has_the_value_of_the_formula(tree, numbers):
    # A product of tiny numbers is 0 for a computer and not for mathematics, which matters to protected division.
    assume(all(not constant or 1e-6 < abs(constant) < 1e7 for constant in parse_formula(text_of(tree)).constants))
    variables = {name: float(number) for name, number in zip(PAPER_VARIABLES, numbers, strict=True)}
    value = value_of(tree, variables)
    letters = {formula_symbol(name): number for name, number in variables.items()}
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


SIGNED_PAIRS = [
    ("sqrt(mul(mean, mean))", "mean", False),
    ("sqrt(mul(mean, mean))", "max(mean, sub(0, mean))", True),
    ("sqrt(mul(deviation, deviation))", "deviation", True),
    ("max(best, mean)", "sub(0, min(sub(0, best), sub(0, mean)))", True),
    ("min(mean, 0)", "mean", False),
    ("log(mul(visits, visits))", "mul(2, log(visits))", True),
    ("sub(gain, sub(gain, depth))", "depth", True),
    ("mean", "div(wins, visits)", False),
]


@pytest.mark.parametrize(("first", "second", "equal"), SIGNED_PAIRS + PAIRS)
def test_equivalence_where_rewards_may_be_negative_is_that_of_the_computer_algebra(first, second, equal):
    if first == "sqrt(mul(4, mul(wins, wins)))":
        equal = False  # the root of a square is the number itself only if that is not negative
    left, right = (formula_expression(text, signed=True) for text in (first, second))
    assert (sympy.simplify(sympy.nsimplify((left - right).rewrite(sympy.Piecewise))) == 0) is equal
    assert are_equivalent(first, second, signed=True) is equal


def test_symbols_explain_every_variable_each_by_a_letter_of_its_own():
    assert tuple(SYMBOLS) == VARIABLES
    assert len({letter for letter, _ in SYMBOLS.values()}) == len(VARIABLES)


def test_formula_mathml_shows_the_absolute_value_under_a_root_only_where_rewards_may_be_negative():
    assert "|" in formula_mathml("sqrt(mean)", signed=True)
    assert "|" not in formula_mathml("sqrt(mean)")
    assert all(formula_symbol(name, signed=True).is_positive is None for name in SIGNED)
