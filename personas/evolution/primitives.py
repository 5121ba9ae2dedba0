"""Formulas as DEAP trees: the primitive set of a preset, and the way from text to tree and back.

DEAP draws from the module `random`, one state for the whole process: two threads that breed would take numbers from
each other. Here its operators draw from whatever generator `drawing_from` has set for the running context, so
breeding is a pure function of its seed and nobody else's random numbers move.
"""

import math
import random
import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import Any

from deap import gp

from engine.formula import ARITY, parse_formula
from personas.evolution.presets import Preset

CONSTANT_RANGE = (0.0, 10.0)
_CONSTANT = "constant"

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


@cache
def primitives_of(preset: Preset, *, has_move_limit: bool = True, chooses: bool = False) -> Any:
    """The preset's set: its operators, its variables, constants. Trees are never called, so what they do is no matter.

    A game without a limit on moves has nothing to say about the moves that are left. Only a formula that also chooses
    the move is ever evaluated after the search.
    """
    constant = set() if has_move_limit else {"moves_left"}
    constant |= set() if chooses else {"searching"}
    variables = [name for name in preset.variables if name not in constant]
    primitives = gp.PrimitiveSet(preset.name, len(variables))
    primitives.renameArguments(**{f"ARG{i}": name for i, name in enumerate(variables)})
    for name in preset.operators:
        primitives.addPrimitive(_never_called, ARITY[name], name=name)
    primitives.addEphemeralConstant(_CONSTANT, draw_constant)
    return primitives


def _never_called(*arguments: float) -> float:
    raise NotImplementedError


_TOKEN = re.compile(r"[a-z_]+|[-+0-9.e]+")


def tree_of(text: str, primitives: Any) -> Any:
    """The DEAP tree (`gp.PrimitiveTree`) of a formula's text.

    Raises FormulaError if the text is no formula, ValueError if it uses what the primitive set lacks.
    """
    nodes = []
    for token in _TOKEN.findall(parse_formula(text).text):
        if token[0].isalpha():
            if token not in primitives.mapping:
                raise ValueError(f'"{token}" does not belong to the {primitives.name} preset.')
            nodes.append(primitives.mapping[token])
        else:
            nodes.append(_constant(float(token), primitives))
    return gp.PrimitiveTree(nodes)


def _constant(value: float, primitives: Any) -> Any:
    """A leaf with that value, of the kind whose value `mutEphemeral` can change."""
    kind = primitives.mapping[_CONSTANT]
    leaf = kind.__new__(kind)
    leaf.value = value
    return leaf


def has_constants(tree: Any) -> bool:
    """Whether a DEAP tree has a leaf whose value may be changed."""
    return any(isinstance(type(node), gp.MetaEphemeral) for node in tree)


def tuned(tree: Any, primitives: Any, step: float, generator: random.Random) -> Any:
    """A copy of a DEAP tree with each constant times a factor whose logarithm is normal with the deviation `step`.

    None comes further from 0 than `CONSTANT_RANGE` goes; one that was further already may shrink, but not grow.
    """
    copy = gp.PrimitiveTree(tree)
    for place, node in enumerate(copy):
        if isinstance(type(node), gp.MetaEphemeral):
            furthest = max(CONSTANT_RANGE[1], abs(node.value))
            value = node.value * math.exp(generator.gauss(0.0, step))
            copy[place] = _constant(max(-furthest, min(value, furthest)), primitives)
    return copy


def text_of(tree: Any) -> str:
    """The text of a DEAP tree; constants read back as the same numbers."""
    return str(tree)


def names_in(tree: Any) -> set[str]:
    """The variables that a DEAP tree reads."""
    return {node.value for node in tree if node.arity == 0 and isinstance(node.value, str)}
