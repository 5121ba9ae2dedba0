"""Formulas: the bytecode, its parser, fingerprints, and the vector program, against a plain twin."""

import ast
import math
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.formula import (
    MAX_HEIGHT,
    MAX_SIZE,
    OF_THE_NODE,
    SIGNED,
    VARIABLES,
    FormulaError,
    evaluate,
    evaluate_points,
    fingerprint,
    parse_formula,
    stack_size,
)
from engine.search.lanes import LANES, new_program, run_program
from tests.engine.naive.formula import height_of, names_in, size_of, text_of, trees, value_of

UCB1 = "add(div(wins, visits), mul(0.7071067811865475, sqrt(div(mul(2.0, log(parent_visits)), visits))))"

counts = st.integers(0, 1000).map(float)
numbers = counts | st.floats(-1000.0, 1000.0)
points = st.lists(st.tuples(*[numbers if name in SIGNED else counts for name in VARIABLES]), min_size=1, max_size=LANES)


def same(first: float, second: float) -> bool:
    return first == second or (math.isnan(first) and math.isnan(second))


@settings(max_examples=300, deadline=None)
@given(trees(), points)
def test_formula_bytecode_and_vector_program_agree_with_the_plain_twin(tree, rows):
    formula = parse_formula(text_of(tree))
    program = new_program(formula)
    stack = np.empty(stack_size(formula.code))
    for lane, row in enumerate(rows):
        program.registers[: len(VARIABLES), lane] = row
    # The program shares what depends on the node alone, so all lanes are of one node.
    for name in OF_THE_NODE:
        program.registers[VARIABLES.index(name)] = rows[0][VARIABLES.index(name)]
    run_program(program, 0, len(program.instructions))
    for lane in range(len(rows)):
        variables = program.registers[: len(VARIABLES), lane].copy()
        expected = value_of(tree, dict(zip(VARIABLES, variables.tolist(), strict=True)))
        assert same(evaluate(formula.code, formula.constants, variables, stack), expected)
        assert same(float(program.registers[program.result, lane]), expected)
        assert same(float(evaluate_points(formula, variables.reshape(-1, 1))[0]), expected) or "log" in formula.text


@settings(max_examples=200, deadline=None)
@given(trees())
def test_formula_text_is_stable_and_its_facts_are_those_of_the_tree(tree):
    formula = parse_formula(text_of(tree))
    assert parse_formula(formula.text) == formula
    assert parse_formula(formula.text).constants.tobytes() == formula.constants.tobytes()
    assert formula.height == height_of(tree)
    assert formula.size == size_of(tree)
    assert formula.reads == names_in(tree)


def test_formula_leading_instructions_read_no_variable_of_a_child():
    program = new_program(parse_formula(UCB1))
    assert program.shared == 2  # log(parent_visits) and twice that


def test_formula_division_by_zero_is_one_and_roots_take_the_absolute_value():
    def value(text: str) -> float:
        formula = parse_formula(text)
        return evaluate(
            formula.code, formula.constants, np.array([3.0, 0.0, 10.0, 7.0, *[0.0] * (len(VARIABLES) - 4)]), np.empty(9)
        )

    assert value("div(wins, visits)") == 1.0
    assert value("div(0, 0)") == 1.0
    assert value("sqrt(sub(wins, 7))") == 2.0
    assert value("log(visits)") == 0.0
    assert value("log(sub(0, 1))") == 0.0


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "empty"),
        ("   ", "empty"),
        ("score", '"score" is not a variable'),
        ("pow(wins, 2)", '"pow" is not an operator'),
        ("wins.real(1)", "is not an operator"),
        ("add(wins)", '"add" takes two arguments, 1 given'),
        ("sqrt(wins, visits)", '"sqrt" takes one argument, 2 given'),
        ("add(a=wins, b=visits)", "plain arguments"),
        ("add(*wins)", "plain arguments"),
        ("add(wins, 1e400)", "too large"),
        (f"add(wins, {'9' * 400})", "too large"),
        ("add(wins, True)", "is not part of a formula"),
        ("add(wins, 'x')", "is not part of a formula"),
        ("add(wins, 1j)", "is not part of a formula"),
        ("add(wins, --1)", "is not part of a formula"),
        ("wins + visits", "is not part of a formula"),
        ("[wins]", "is not part of a formula"),
        ("add(wins, " + "-" * 900 + "1)", "is not part of a formula"),
        ("add(wins, visits", "cannot be read"),
        ("wins\0", "cannot be read"),
        ("(" * 300 + "wins" + ")" * 300, "cannot be read"),
        ("sqrt(" * (MAX_HEIGHT + 1) + "wins" + ")" * (MAX_HEIGHT + 1), "levels deep"),
        ("sqrt(" * 3000 + "wins" + ")" * 3000, "levels deep"),
        ("add(1, " * 4000, "longer than"),
        ("__import__('os').system('true')", "is not an operator"),
    ],
)
def test_formula_texts_that_are_none_are_refused_with_a_sentence(text, said):
    with pytest.raises(FormulaError, match=r"^[^\n]+[.]$") as raised:
        parse_formula(text)
    assert said in str(raised.value)


def test_formula_with_too_many_parts_is_refused():
    text = "wins"
    while text.count("wins") <= MAX_SIZE:
        text = f"add({text}, {text})"
    with pytest.raises(FormulaError, match=f"more than {MAX_SIZE} parts"):
        parse_formula(text)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("add(wins, visits)", "add(visits, wins)"),
        ("mul(wins, div(visits, wins))", "visits"),
        ("div(visits, visits)", "1"),
        ("sqrt(mul(wins, wins))", "wins"),
        ("mul(2, add(wins, visits))", "add(mul(2, wins), mul(visits, 2))"),
        ("sub(sub(wins, 4), wins)", "-4"),
        ("add(-4, wins)", "sub(wins, 4)"),
    ],
)
def test_fingerprint_is_shared_by_equivalent_formulas(first, second):
    assert fingerprint(parse_formula(first)) == fingerprint(parse_formula(second))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("wins", "visits"),
        ("add(wins, 1)", "add(wins, 1.00001)"),
        ("mul(wins, visits)", "mul(wins, parent_visits)"),
        ("sqrt(wins)", "wins"),
        (
            "add(mul(parent_visits, mul(parent_visits, mul(parent_visits, parent_visits))), wins)",
            "mul(parent_visits, mul(parent_visits, mul(parent_visits, parent_visits)))",
        ),
        ("1", "2"),
    ],
)
def test_fingerprint_tells_other_formulas_apart(first, second):
    assert fingerprint(parse_formula(first)) != fingerprint(parse_formula(second))


def test_fingerprint_never_changes():
    # Stored populations are compared by it.
    assert fingerprint(parse_formula(UCB1)) == "4ac3d9b89cacffe678abc584c5098fe4"
    assert len(fingerprint(parse_formula("wins"))) == 32


def test_threads_read_formulas_one_after_the_other(monkeypatch):
    # Python 3.11 raises SystemError now and then when two threads build syntax trees at once.
    inside, most = 0, 0
    parse = ast.parse

    def slow_parse(*args, **kwargs):
        nonlocal inside, most
        inside += 1
        most = max(most, inside)
        time.sleep(0.01)
        inside -= 1
        return parse(*args, **kwargs)

    monkeypatch.setattr(ast, "parse", slow_parse)
    with ThreadPoolExecutor(4) as pool:
        texts = list(pool.map(lambda number: parse_formula(f"add(wins, {number})").text, range(8)))
    assert texts == [f"add(wins, {number}.0)" for number in range(8)]
    assert most == 1
