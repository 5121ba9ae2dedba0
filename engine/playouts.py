"""Play-out policies: how a game is played to its end by solvers, chosen by the type of the policy.

A policy is a NamedTuple type that a game registers with two kernels; numba resolves the hooks below by its type, as
`engine.game` does by the type of a state. A game names its policies in `PLAYOUTS` of its module `solving`, which is how
solvers for any game find them. What a search may ask of a state beyond its rules (a promise, a bound) is here too.
"""

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Any, NamedTuple

from numba.extending import overload

from engine.game import get_game

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
    module = f"{type(get_game(game)).__module__.rpartition('.')[0]}.solving"
    return dict(import_module(module).PLAYOUTS) if find_spec(module) is not None else {}


def play_on(state, policy, rng, totals, codes):
    """Play from here to the end of the game by `policy`; how many actions were made.

    Changes `state.words` and `rng: uint64[1]`; `totals[0]` of `totals: int64[2]` grows by the points gained. `codes:
    int32[]` gets the codes of the actions, as `legal_actions` names them.
    """
    return _PLAYOUTS[type(policy)].play_on(state, policy, rng, totals, codes)


def candidates(state, policy, actions, keys):
    """The actions among which `policy` chooses here, as it is told what to spare; how many there are.

    actions: int32[], gets their codes in ascending order; keys: uint64[], gets for each a number that stands for the
    same action (here: the same cells and colour) in every position in which it can be made
    """
    return _PLAYOUTS[type(policy)].candidates(state, policy, actions, keys)


def promise(state):
    """How many points a position promises beyond those gained: a guess, for searches that compare positions."""
    return _ESTIMATES[type(state)].promise(state)


def bound(state):
    """A number of points that no play from here can exceed."""
    return _ESTIMATES[type(state)].bound(state)


def fingerprint(state):
    """A hash (`uint64`) of all that decides what can follow and what it gives, however the position was come to."""
    return _ESTIMATES[type(state)].fingerprint(state)


def has_bound(state: Any) -> bool:
    """Whether `bound` and `promise` can be asked of a state."""
    return type(state) in _ESTIMATES


def _kernel_of(kernels: dict[Any, Any], value: Any, hook: str) -> Callable[..., Any] | None:
    """The plain function of a hook for a numba type; None (a typing error for the caller) if none is registered."""
    found = kernels.get(getattr(value, "instance_class", None))
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
