"""Selection formulas: text in DEAP's prefix form, postfix bytecode, and its evaluation.

A formula ranks the children of a search node. Its text is what evolution, persona files and the database hold, for
example ``add(div(wins, visits), mul(0.7, sqrt(div(parent_visits, visits))))``. `parse_formula` turns it into `Formula`
without ever evaluating Python. Arithmetic is protected so that every formula has a value everywhere:

- ``div(x, 0)`` is 1, ``sqrt(x)`` is the root of the absolute value, ``log(x)`` the logarithm of the absolute value and
  ``log(0)`` is 0;
- a result that is not finite is for the caller to rank below everything (see `engine.search.policies`).

Source: Mugrai et al., Automated Playtesting of Matching Tile Games, section IV.C; protected operators, the logarithm,
min, max and all variables but the paper's four are ours.
"""

import ast
import hashlib
import math
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from engine.kernels import kernel

# The paper's four, then ours; `engine.search.statistics` says what ours are. New ones go to the end.
PAPER_VARIABLES = ("wins", "visits", "parent_visits", "legal_moves")
VARIABLES = (
    *PAPER_VARIABLES,
    "mean",
    "best",
    "deviation",
    "gain",
    "depth",
    "moves_left",
    "parent_mean",
    "searching",
)
# The same for all children of a node.
OF_THE_NODE = frozenset({"parent_visits", "depth", "moves_left", "parent_mean", "searching"})
# Below 0 where less is wanted: graded rewards are.
SIGNED = frozenset({"wins", "mean", "best", "parent_mean"})
OPERATORS = ("add", "sub", "mul", "div", "sqrt", "log", "min", "max")
ARITY = {"add": 2, "sub": 2, "mul": 2, "div": 2, "sqrt": 1, "log": 1, "min": 2, "max": 2}

# A code below FIRST_OPERATOR pushes that variable, one below FIRST_CONSTANT applies an operator, any other pushes
# constants[code - FIRST_CONSTANT].
FIRST_OPERATOR = 16
FIRST_CONSTANT = 32
ADD, SUB, MUL, DIV, SQRT, LOG, MIN, MAX = range(FIRST_OPERATOR, FIRST_OPERATOR + len(OPERATORS))

MAX_TEXT = 20_000
MAX_HEIGHT = 32
MAX_SIZE = 512
TOO_DEEP = f"The formula is nested more than {MAX_HEIGHT} levels deep."

FINGERPRINT_POINTS = 32
FINGERPRINT_DIGITS = 9
NEGLIGIBLE = 1e-12


class FormulaError(ValueError):
    """A text that is no formula; the message is one plain sentence."""


@dataclass(frozen=True, eq=False)
class Formula:
    """A parsed formula.

    text: canonical prefix text; floats as Python's repr writes them, so that reading it again gives the same numbers
    code: int16[size], postfix, see `FIRST_OPERATOR`
    constants: float64[number of constants], in the order of the text
    reads: the variables that occur
    height: edges on the longest path from the root to a leaf (DEAP's height)
    size: operators, variables and constants together
    """

    text: str
    code: NDArray[np.int16]
    constants: NDArray[np.float64]
    reads: frozenset[str]
    height: int
    size: int

    def __eq__(self, other: object) -> bool:
        return self.text == other.text if isinstance(other, Formula) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.text)


class _Reader:
    """Walks one expression tree and collects postfix code; kept apart so that `Formula` stays immutable."""

    def __init__(self) -> None:
        self.code: list[int] = []
        self.constants: list[float] = []

    def read(self, node: ast.expr, depth: int) -> tuple[str, int]:
        """Canonical text and height of `node`, whose code is appended."""
        if depth > MAX_HEIGHT:
            raise FormulaError(TOO_DEEP)
        if len(self.code) >= MAX_SIZE:
            raise FormulaError(f"The formula has more than {MAX_SIZE} parts.")
        if isinstance(node, ast.Call):
            return self._read_call(node, depth)
        if isinstance(node, ast.Name):
            if node.id not in VARIABLES:
                known = ", ".join(VARIABLES)
                raise FormulaError(f'"{node.id}" is not a variable of formulas; the variables are {known}.')
            self.code.append(VARIABLES.index(node.id))
            return node.id, 0
        value = _number(node)
        self.code.append(FIRST_CONSTANT + len(self.constants))
        self.constants.append(value)
        return repr(value), 0

    def _read_call(self, node: ast.Call, depth: int) -> tuple[str, int]:
        if not isinstance(node.func, ast.Name) or node.func.id not in ARITY:
            shown = _shown(node.func)
            raise FormulaError(f'"{shown}" is not an operator of formulas; the operators are {", ".join(OPERATORS)}.')
        name = node.func.id
        if node.keywords or any(isinstance(argument, ast.Starred) for argument in node.args):
            raise FormulaError(f'"{name}" takes plain arguments only.')
        if len(node.args) != ARITY[name]:
            wanted = "one argument" if ARITY[name] == 1 else "two arguments"
            raise FormulaError(f'"{name}" takes {wanted}, {len(node.args)} given.')
        parts = [self.read(argument, depth + 1) for argument in node.args]
        if len(self.code) >= MAX_SIZE:
            raise FormulaError(f"The formula has more than {MAX_SIZE} parts.")
        self.code.append(FIRST_OPERATOR + OPERATORS.index(name))
        return f"{name}({', '.join(text for text, _ in parts)})", 1 + max(height for _, height in parts)


def _number(node: ast.expr) -> float:
    """The value of a number with an optional sign."""
    sign = 1.0
    inner = node
    if isinstance(inner, ast.UnaryOp) and isinstance(inner.op, ast.USub | ast.UAdd):
        sign = -1.0 if isinstance(inner.op, ast.USub) else 1.0
        inner = inner.operand
    if not isinstance(inner, ast.Constant) or type(inner.value) not in (int, float):
        _refuse(node)
    try:
        value = sign * float(inner.value)
    except OverflowError:
        value = math.inf
    if not math.isfinite(value):
        raise FormulaError("A constant of the formula is too large; constants must be finite numbers.")
    return value


def _refuse(node: ast.expr) -> NoReturn:
    raise FormulaError(
        f'"{_shown(node)}" is not part of a formula: use operators like add(a, b), variables and numbers.'
    )


def _shown(node: ast.expr) -> str:
    """The source of `node`, short enough for a message."""
    try:
        text = ast.unparse(node)
    except RecursionError:  # e.g. hundreds of signs before a number
        return "..."
    return text if len(text) <= 40 else text[:37] + "..."


def _call_depth(text: str) -> int:
    """How deep calls are nested in a text that may be none of a formula; 0 if its brackets do not match."""
    opened: list[bool] = []
    depth = deepest = 0
    before = ""
    for character in text:
        if character == "(":
            opened.append(before.isalnum())
            depth += opened[-1]
            deepest = max(deepest, depth)
        elif character == ")":
            if not opened:
                return 0
            depth -= opened.pop()
        before = character
    return 0 if opened else deepest


_READING = threading.Lock()
"""In Python 3.11 threads that build syntax trees at once count their depth in one place: now and then a SystemError."""


def parse_formula(text: str) -> Formula:
    """The formula that `text` denotes.

    Raises FormulaError for anything but operators, variables and finite numbers, for a wrong number of arguments, and
    for texts that are too long, too large or too deep. Nothing of the text is ever executed.
    """
    if not isinstance(text, str) or not text.strip():
        raise FormulaError("The formula is empty.")
    if len(text) > MAX_TEXT:
        raise FormulaError(f"The formula is longer than {MAX_TEXT} characters.")
    try:
        with _READING:
            tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        # Of what is nested much deeper Python says only that something is wrong.
        if _call_depth(text) > MAX_HEIGHT:
            raise FormulaError(TOO_DEEP) from error
        raise FormulaError("The formula cannot be read: check brackets, commas and numbers.") from error
    reader = _Reader()
    canonical, height = reader.read(tree.body, 0)
    code = np.array(reader.code, np.int16)
    constants = np.array(reader.constants, np.float64)
    code.flags.writeable = False
    constants.flags.writeable = False
    reads = frozenset(VARIABLES[c] for c in reader.code if c < FIRST_OPERATOR)
    return Formula(canonical, code, constants, reads, height, len(reader.code))


def stack_size(code: Sequence[int] | NDArray[np.int16]) -> int:
    """Number of stack entries that evaluating `code` needs."""
    depth = deepest = 0
    for c in code:
        if c < FIRST_OPERATOR or c >= FIRST_CONSTANT:
            depth += 1
            deepest = max(deepest, depth)
        elif ARITY[OPERATORS[c - FIRST_OPERATOR]] == 2:
            depth -= 1
    return deepest


@kernel
def evaluate(code, constants, variables, stack):
    """Value of a formula for one child; may be infinite or NaN where protection does not reach.

    code: int16[size]; constants: float64[...]; variables: float64[len(VARIABLES)] in the order of `VARIABLES`
    stack: float64[>= stack_size(code)], overwritten; owned by the caller because allocating it costs more than most
    formulas.
    """
    top = -1
    for i in range(code.shape[0]):
        c = code[i]
        if c < FIRST_OPERATOR:
            top += 1
            stack[top] = variables[c]
        elif c >= FIRST_CONSTANT:
            top += 1
            stack[top] = constants[c - FIRST_CONSTANT]
        elif c == SQRT:
            stack[top] = math.sqrt(abs(stack[top]))
        elif c == LOG:
            x = abs(stack[top])
            stack[top] = math.log(x) if x != 0.0 else 0.0
        else:
            b = stack[top]
            top -= 1
            a = stack[top]
            if c == ADD:
                stack[top] = a + b
            elif c == SUB:
                stack[top] = a - b
            elif c == MUL:
                stack[top] = a * b
            elif c == DIV:
                stack[top] = a / b if b != 0.0 else 1.0
            elif c == MIN:
                stack[top] = a if a < b else b
            else:
                stack[top] = a if a > b else b
    return stack[0]


def evaluate_points(formula: Formula, points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Values of `formula` at many points, in numpy: float64[n] for points float64[len(VARIABLES), n]."""
    stack: list[NDArray[np.float64]] = []
    ones = np.ones(points.shape[1])
    with np.errstate(all="ignore"):
        for c in formula.code:
            if c < FIRST_OPERATOR:
                stack.append(points[c])
            elif c >= FIRST_CONSTANT:
                stack.append(ones * formula.constants[c - FIRST_CONSTANT])
            elif c == SQRT:
                stack[-1] = np.sqrt(np.abs(stack[-1]))
            elif c == LOG:
                x = np.abs(stack[-1])
                stack[-1] = np.where(x != 0.0, np.log(np.where(x != 0.0, x, 1.0)), 0.0)
            else:
                b = stack.pop()
                stack[-1] = _apply(int(c), stack[-1], b)
    return stack[0] + np.zeros(points.shape[1])


def _apply(code: int, a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    if code == ADD:
        return a + b
    if code == SUB:
        return a - b
    if code == MUL:
        return a * b
    if code == DIV:
        return np.where(b != 0.0, a / np.where(b != 0.0, b, 1.0), 1.0)
    if code == MIN:
        return np.where(a < b, a, b)
    return np.where(a > b, a, b)


def _fingerprint_points() -> NDArray[np.float64]:
    """float64[len(VARIABLES), FINGERPRINT_POINTS], log-uniform in [1/4, 4] and the same for ever.

    Positive, because the variables are counts, and spread around 1, so that in sums no term hides all others at every
    point. The digits come from SHA-256 rather than from a generator whose stream a library may change.
    """
    values = np.empty((len(VARIABLES), FINGERPRINT_POINTS))
    for row, name in enumerate(VARIABLES):
        for column in range(FINGERPRINT_POINTS):
            digest = hashlib.sha256(f"{name} {column}".encode()).digest()
            values[row, column] = 4.0 ** (2.0 * (int.from_bytes(digest[:6], "big") / 2**48) - 1.0)
    return values


def _signed_points() -> NDArray[np.float64]:
    """The same points, where the variables of `SIGNED` are negative at about half of them."""
    values = _POINTS.copy()
    for row, name in enumerate(VARIABLES):
        if name in SIGNED:
            for column in range(FINGERPRINT_POINTS):
                if hashlib.sha256(f"sign of {name} {column}".encode()).digest()[0] % 2:
                    values[row, column] *= -1.0
    return values


_POINTS = _fingerprint_points()
_SIGNED_POINTS = _signed_points()


def fingerprint(formula: Formula, *, signed: bool = False) -> str:
    """32 hex characters that two formulas share exactly if they agree, rounded, at all fixed random points.

    This is the test for equivalence: formulas whose difference simplifies to 0 agree everywhere (for the positive
    numbers that counts are; with `signed` for negative rewards too), others differ at nearly every point. Values are
    rounded to `FINGERPRINT_DIGITS` significant digits, because equivalent formulas round differently on the way.
    """
    values = evaluate_points(formula, _SIGNED_POINTS if signed else _POINTS)
    return hashlib.sha256(" ".join(map(_rounded, values)).encode()).hexdigest()[:32]


def _rounded(value: float) -> str:
    if not math.isfinite(value):
        return "none"
    # What is left of two equal terms that were subtracted is noise of the last digits.
    return "0" if abs(value) < NEGLIGIBLE else f"{value:.{FINGERPRINT_DIGITS - 1}e}"
