"""Formulas as mathematics for people: LaTeX, and MathML that a page can show as it is.

A formula is shown as sympy holds it after its own automatic steps (constants folded, equal terms joined), with
constants rounded as they are printed; the text stays what counts. What the protected operators do at 0 cannot be seen
in it.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import sympy
from sympy.printing.latex import LatexPrinter
from sympy.printing.mathml import MathMLPresentationPrinter

from engine.formula import ARITY, FIRST_CONSTANT, FIRST_OPERATOR, OPERATORS, SIGNED, VARIABLES, parse_formula

DIGITS = 4

# Letter and meaning of each variable, for a legend beside the formula.
SYMBOLS = {
    "wins": ("w", "wins of the child"),
    "visits": ("n", "visits of the child"),
    "parent_visits": ("N", "visits of the node"),
    "legal_moves": ("m", "legal moves of the child"),
    "mean": ("μ", "mean reward of the child"),
    "best": ("b", "highest reward of the child"),
    "deviation": ("σ", "standard deviation of the child's rewards"),
    "gain": ("g", "points of the move itself, in thousands"),
    "depth": ("d", "depth of the child in the tree"),
    "moves_left": ("r", "moves left in the game"),
    "parent_mean": ("ν", "mean reward of the node"),
    "searching": ("s", "1 in the search, 0 when the move is chosen"),
}


def _extreme(kind: type[sympy.Max] | type[sympy.Min], a: sympy.Expr, b: sympy.Expr) -> sympy.Expr:
    """The higher or lower of two. sympy's own way compares all with all, which takes seconds where there are many."""
    if a.is_number and b.is_number:
        return kind(a, b)
    parts = [part for one in (a, b) for part in (one.args if isinstance(one, kind) else (one,))]
    return kind(*parts, evaluate=False)


_APPLY: dict[str, Callable[..., sympy.Expr]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b if not b.is_zero else sympy.Integer(1),
    "sqrt": lambda a: sympy.sqrt(sympy.Abs(a)),
    "log": lambda a: sympy.log(sympy.Abs(a)) if not a.is_zero else sympy.Integer(0),
    "min": lambda a, b: _extreme(sympy.Min, a, b),
    "max": lambda a, b: _extreme(sympy.Max, a, b),
}


def formula_expression(text: str, *, signed: bool = False) -> sympy.Expr:
    """The formula as a sympy expression.

    Symbols are positive; with `signed` those that count rewards may be negative. Raises FormulaError if the text is no
    formula.
    """
    formula = parse_formula(text)
    stack: list[sympy.Expr] = []
    for code in map(int, formula.code):
        if code < FIRST_OPERATOR:
            stack.append(formula_symbol(VARIABLES[code], signed=signed))
        elif code >= FIRST_CONSTANT:
            stack.append(sympy.Float(float(formula.constants[code - FIRST_CONSTANT])))
        else:
            name = OPERATORS[code - FIRST_OPERATOR]
            arguments = stack[-ARITY[name] :]
            del stack[-ARITY[name] :]
            stack.append(_without_one(_APPLY[name](*arguments)))
    return stack[0]


def _without_one(expression: sympy.Expr) -> sympy.Expr:
    """The same without a factor of 1.0, which sympy keeps and nobody wants to read."""
    factor, rest = expression.as_coeff_Mul()
    if not isinstance(factor, sympy.Float) or abs(float(factor)) != 1.0:
        return expression
    return rest if factor > 0 else -rest


def formula_symbol(name: str, *, signed: bool = False) -> sympy.Symbol:
    """The symbol that stands for a variable."""
    return sympy.Symbol(SYMBOLS[name][0], **{"real" if signed and name in SIGNED else "positive": True})


def _rounded(number: sympy.Float) -> sympy.Expr:
    """A number to print in its stead. In an expression it would not do: a difference could become 0."""
    value = float(f"{float(number):.{DIGITS}g}")
    is_whole = value.is_integer() and abs(value) < 10**DIGITS
    return sympy.Integer(int(value)) if is_whole else sympy.Float(repr(value), DIGITS)


def _rounding(printer: Any) -> Any:
    """The same printer of sympy, which rounds from now on."""
    usual = printer._print_Float

    def print_float(number: sympy.Float) -> Any:
        rounded = _rounded(number)
        return usual(rounded) if isinstance(rounded, sympy.Float) else printer._print(rounded)

    printer._print_Float = print_float
    return printer


@lru_cache(maxsize=512)
def formula_latex(text: str, *, signed: bool = False) -> str:
    """The formula in LaTeX; raises FormulaError."""
    return str(_rounding(LatexPrinter()).doprint(formula_expression(text, signed=signed)))


@lru_cache(maxsize=512)
def formula_mathml(text: str, *, signed: bool = False) -> str:
    """The formula as a presentation MathML element, safe to put into a page as it is; raises FormulaError.

    It holds numbers, operators and the letters of `SYMBOLS`, and nothing of the text itself.
    """
    inner = _rounding(MathMLPresentationPrinter()).doprint(formula_expression(text, signed=signed))
    inner = inner.replace("&InvisibleTimes;", "&#x2062;")  # the name is known to HTML, not to XML
    return f'<math xmlns="http://www.w3.org/1998/Math/MathML" display="block">{inner}</math>'
