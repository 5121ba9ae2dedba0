"""Play-out policies: how a game is played to its end by solvers, chosen by the type of the policy.

A policy is a NamedTuple type that a game registers with two kernels; numba resolves the hooks below by its type, as
`engine.game` does by the type of a state. A game names its policies in `PLAYOUTS` of its module `solving`, which is how
solvers for any game find them. What a search may ask of a state beyond its rules (a promise, a bound) is here too.
"""

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any, NamedTuple, TypeVar

from numba.extending import overload

from engine.game import get_game

Kernels = TypeVar("Kernels")

_OPTIONS = {"error_model": "numpy"}


class PlayoutKernels(NamedTuple):
    """The kernels of a policy type, each under the name of its hook."""

    play_on: Callable[..., Any]
    candidates: Callable[..., Any]


class Estimates(NamedTuple):
    """The kernels of a state type by which solvers value positions, each under the name of its hook."""

    promise: Callable[..., Any]
    bound: Callable[..., Any]
    fingerprint: Callable[..., Any]


_PLAYOUTS: dict[type, PlayoutKernels] = {}
_ESTIMATES: dict[type, Estimates] = {}


def register_playout(policy_type: type, kernels: PlayoutKernels) -> None:
    """Bind the hooks to `kernels` for policies of `policy_type`."""
    _PLAYOUTS[policy_type] = kernels


def register_estimates(state_type: type, estimates: Estimates) -> None:
    """Bind the hooks to `estimates` for states of `state_type`."""
    _ESTIMATES[state_type] = estimates


def playout_policies(game: str) -> dict[str, Callable[..., Any]]:
    """What makes a policy of each name for a game, from the settings of a solver; empty if the game has none."""
    solving = _load_solving(type(get_game(game)))
    return {} if solving is None else dict(solving.PLAYOUTS)


def play_on(state, policy, rng, totals, codes):
    """Play from here to the end of the game by `policy`; how many actions were made.

    Changes `state.words` and `rng: uint64[1]`; `totals[0]` of `totals: int64[2]` grows by the points gained. `codes:
    int32[]` gets the codes of the actions, as `legal_actions` names them.
    """
    return _find(_PLAYOUTS, policy).play_on(state, policy, rng, totals, codes)


def candidates(state, policy, actions, keys):
    """The actions among which `policy` chooses here, as it is told what to spare; how many there are.

    actions: int32[], gets their codes in ascending order; keys: uint64[], gets for each a number that stands for the
    same action (here: the same cells and colour) in every position in which it can be made
    """
    return _find(_PLAYOUTS, policy).candidates(state, policy, actions, keys)


def promise(state):
    """How many points a position promises beyond those gained: a guess, for searches that compare positions."""
    return _find(_ESTIMATES, state).promise(state)


def bound(state):
    """A number of points that no play from here can exceed."""
    return _find(_ESTIMATES, state).bound(state)


def fingerprint(state):
    """A hash (`uint64`) of all that decides what can follow and what it gives, however the position was come to."""
    return _find(_ESTIMATES, state).fingerprint(state)


def has_bound(state: Any) -> bool:
    """Whether `bound` and `promise` can be asked of a state."""
    return _registered(_ESTIMATES, type(state)) is not None


def _load_solving(kind: type) -> ModuleType | None:
    """The module `solving` beside that of a game's type, on whose import the game registers; None if it has none."""
    package = kind.__module__.rpartition(".")[0]
    return import_module(f"{package}.solving") if package and find_spec(f"{package}.solving") else None


def _registered(kernels: dict[type, Kernels], kind: type) -> Kernels | None:
    """What a type's game registered for it: it need not have been imported before."""
    if kind not in kernels:
        _load_solving(kind)
    return kernels.get(kind)


def _find(kernels: dict[type, Kernels], value: Any) -> Kernels:
    found = _registered(kernels, type(value))
    if found is None:
        raise KeyError(type(value))
    return found


def _kernel_of(kernels: dict[type, Any], value: Any, hook: str) -> Callable[..., Any] | None:
    """The plain function of a hook for a numba type; None (a typing error for the caller) if none is registered."""
    kind = getattr(value, "instance_class", None)
    found = None if kind is None else _registered(kernels, kind)
    if found is None:
        return None
    kernel: Callable[..., Any] = getattr(found, hook)
    return kernel


@overload(play_on, jit_options=_OPTIONS)
def _overload_play_on(state, policy, rng, totals, codes):
    kernel = _kernel_of(_PLAYOUTS, policy, "play_on")
    if kernel is None:
        return None
    return lambda state, policy, rng, totals, codes: kernel(state, policy, rng, totals, codes)


@overload(candidates, jit_options=_OPTIONS)
def _overload_candidates(state, policy, actions, keys):
    kernel = _kernel_of(_PLAYOUTS, policy, "candidates")
    if kernel is None:
        return None
    return lambda state, policy, actions, keys: kernel(state, policy, actions, keys)


@overload(promise, jit_options=_OPTIONS)
def _overload_promise(state):
    kernel = _kernel_of(_ESTIMATES, state, "promise")
    return None if kernel is None else lambda state: kernel(state)


@overload(bound, jit_options=_OPTIONS)
def _overload_bound(state):
    kernel = _kernel_of(_ESTIMATES, state, "bound")
    return None if kernel is None else lambda state: kernel(state)


@overload(fingerprint, jit_options=_OPTIONS)
def _overload_fingerprint(state):
    kernel = _kernel_of(_ESTIMATES, state, "fingerprint")
    return None if kernel is None else lambda state: kernel(state)
