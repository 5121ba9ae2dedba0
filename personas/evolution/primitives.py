"""Formulas as DEAP trees: the primitive set, and the way from text to tree and back.

DEAP draws from the module `random`, one state for the whole process: two threads that breed would take numbers from
each other. Here its operators draw from whatever generator `drawing_from` has set for the running context, so
breeding is a pure function of its seed and nobody else's random numbers move.
"""

import operator
import random
import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from deap import gp

from engine.formula import VARIABLES, parse_formula

MIN_HEIGHT = 2
MAX_HEIGHT = 6
CONSTANT_RANGE = (0.0, 10.0)

_generator: ContextVar[random.Random | None] = ContextVar("generator", default=None)


class _ContextRandom:
    """Stands for the module `random` inside `deap.gp`: what is asked of it goes to the context's generator, if any."""

    def __getattr__(self, name: str) -> Any:
        return getattr(_generator.get() or random, name)


@contextmanager
def drawing_from(generator: random.Random) -> Iterator[None]:
    """Within the block DEAP's operators draw from `generator`, in this thread or task alone."""
    token = _generator.set(generator)
    try:
        yield
    finally:
        _generator.reset(token)


gp.random = _ContextRandom()


def draw_constant() -> float:
    """A constant for a leaf, uniform in `CONSTANT_RANGE`."""
    return (_generator.get() or random).uniform(*CONSTANT_RANGE)


def _new_primitives() -> Any:
    """The replication set: + * / and the square root, the four variables, constants. Trees are never called."""
    primitives = gp.PrimitiveSet("replication", len(VARIABLES))
    primitives.renameArguments(**{f"ARG{i}": name for i, name in enumerate(VARIABLES)})
    primitives.addPrimitive(operator.add, 2, name="add")
    primitives.addPrimitive(operator.mul, 2, name="mul")
    primitives.addPrimitive(operator.truediv, 2, name="div")
    primitives.addPrimitive(abs, 1, name="sqrt")
    primitives.addEphemeralConstant("constant", draw_constant)
    return primitives


PRIMITIVES = _new_primitives()

_TOKEN = re.compile(r"[a-z_]+|[-+0-9.e]+")


def tree_of(text: str) -> Any:
    """The DEAP tree (`gp.PrimitiveTree`) of a formula's text.

    Raises FormulaError if the text is no formula, ValueError if it uses what the primitive set lacks.
    """
    nodes = []
    for token in _TOKEN.findall(parse_formula(text).text):
        if token[0].isalpha():
            if token not in PRIMITIVES.mapping:
                raise ValueError(f'"{token}" does not belong to the replication preset.')
            nodes.append(PRIMITIVES.mapping[token])
        else:
            nodes.append(_constant(float(token)))
    return gp.PrimitiveTree(nodes)


def _constant(value: float) -> Any:
    """A leaf with that value, of the kind whose value `mutEphemeral` can change."""
    kind = PRIMITIVES.mapping["constant"]
    leaf = kind.__new__(kind)
    leaf.value = value
    return leaf


def text_of(tree: Any) -> str:
    """The text of a DEAP tree; constants read back as the same numbers."""
    return str(tree)
