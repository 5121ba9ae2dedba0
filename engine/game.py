"""What every game offers: facts about it, compile-time hooks for kernels, Python functions for the rest, the registry.

From top to bottom: `GameInfo`, the facts; `Kernels` and the hooks, by which searches play; `Played`, `Groups` and
`Game`, by which rounds, agents and pages do; the registry. `docs/adding-a-game.md` makes a whole game by it.

A game is a state type (a NamedTuple of arrays and numbers, a class of its own) and the kernels on it. Searches call
the hooks below; numba asks the `overload` which kernel belongs to the type of the state and compiles a direct call, so
a kernel is never an argument or a closure and everything is served from the cache. From Python the same names work
through a look-up.

The part of a state that play changes is one vector `state.words: uint64[W]`. A search stores positions as rows of a
`uint64[capacity, W]` and puts one back with `state.words[:] = row`; all else in a state is constant or scratch, so
each thread needs a state of its own (`copy_state`). Hooks change `words` in place and allocate nothing on hot paths.

Chance is an argument and a type. `Sampled` draws what falls in at random: it is all that a fair search gets. A game's
own `Queued` holds the true future of the level. A search that is not given it cannot look.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast

import numpy as np
from numba.extending import intrinsic, overload
from numpy.typing import NDArray

from engine.rng import Rng

if TYPE_CHECKING:
    from engine.level import Level

Words = NDArray[np.uint64]
Cells = NDArray[np.uint8]

# Flags of the kernels' own compilation hold for the hooks too.
_KERNEL_OPTIONS = {"error_model": "numpy"}


@dataclass(frozen=True)
class GameInfo:
    """Facts about a game.

    name, title: as files and people call it
    version: rises with every change of its rules
    chance: whether something falls in or is shuffled that a simulation must draw
    gesture: how an action is given on the screen, two cells or one of a group
    sizes, colours: from and to, both included; sizes hold for rows and columns
    default_moves: None for a game that has no limit on moves and ends by itself
    level_keys: every key that a level file may have
    """

    name: str
    title: str
    version: int
    players: int
    chance: Literal["none", "sampled"]
    gesture: Literal["swap", "group"]
    sizes: tuple[int, int]
    colours: tuple[int, int]
    default_colours: int
    default_moves: int | None
    level_keys: frozenset[str]


class Sampled(NamedTuple):
    """Chance for simulations: whatever falls in or is shuffled is drawn from `rng: uint64[1]`, which is advanced."""

    rng: Rng


class Kernels(NamedTuple):
    """The kernels of a state type, each under the name of its hook; not every game has the last one."""

    legal_actions: Callable[..., Any]
    legal_count: Callable[..., Any]
    apply_action: Callable[..., Any]
    random_action: Callable[..., Any]
    random_playout: Callable[..., Any]
    is_over: Callable[..., Any]
    prospect: Callable[..., Any] | None = None


def kernels_of(module: ModuleType) -> Kernels:
    """The kernels of a module, each under the name of its hook; raises AttributeError if one is missing."""
    may_lack = Kernels._field_defaults
    return Kernels(
        **{hook: getattr(module, hook) for hook in Kernels._fields if hook not in may_lack or hasattr(module, hook)}
    )


_KERNELS: dict[type, Kernels] = {}


def register_state(state_type: type, kernels: Kernels) -> None:
    """Bind the hooks to `kernels` for states of `state_type`; raises ValueError if they are bound already."""
    if state_type in _KERNELS:
        raise ValueError(f"The state type {state_type.__name__} is registered already.")
    _KERNELS[state_type] = kernels


def legal_actions(state, out):
    """Write the codes of all legal actions to `out: int32[]` in ascending order; how many there are.

    `out` has room for one more than there are.
    """
    return _KERNELS[type(state)].legal_actions(state, out)


def legal_count(state):
    """The number of legal actions."""
    return _KERNELS[type(state)].legal_count(state)


def apply_action(state, action, chance):
    """Play a legal action and all that follows from it; the points gained. Changes `state.words` in place.

    Afterwards the state has a legal action or `is_over`. The action is not checked: callers do that before.
    """
    return _KERNELS[type(state)].apply_action(state, action, chance)


def random_action(state, rng):
    """The code of a legal action, all equally likely, by one draw of `rng: uint64[1]`, which is advanced.

    The order in which the draw counts is the game's own, not that of the codes.
    """
    return _KERNELS[type(state)].random_action(state, rng)


def random_playout(state, chance, rng, length, totals):
    """Play up to `length` random actions, to the end of the game at most: `random_action`, `apply_action` by turns.

    Changes `state.words`, `rng: uint64[1]` and `totals: int64[2]` in place. `totals[0]` grows by the points gained,
    `totals[1]` by the number of legal actions before each action; in a level with a horizon K only before those that
    are among the first K of the game. `rng` may be the array that `chance` draws from.
    """
    return _KERNELS[type(state)].random_playout(state, chance, rng, length, totals)


def prospect(state, action, of_actions):
    """What is certain about a legal action before chance has its part; for play-outs that look before they choose.

    The points that it gives at once, or with `of_actions` the number of legal actions on what it leaves of the board.
    The state stays as it is. In games without this kernel every action has 0.
    """
    kernel = _KERNELS[type(state)].prospect
    return 0 if kernel is None else kernel(state, action, of_actions)


def is_over(state):
    """Whether the rules leave no action. A limit on moves is the caller's business."""
    return _KERNELS[type(state)].is_over(state)


def _kernel_of(state: Any, hook: str) -> Callable[..., Any] | None:
    """The plain function of a hook for a numba type; None (a typing error for the caller) if none is registered."""
    kernels = _KERNELS.get(getattr(state, "instance_class", None))
    if kernels is None:
        return None
    kernel = getattr(kernels, hook)
    return cast(Callable[..., Any], getattr(kernel, "py_func", kernel))


@overload(legal_actions, jit_options=_KERNEL_OPTIONS)
def _overload_legal_actions(state, out):
    return _kernel_of(state, "legal_actions")


@overload(legal_count, jit_options=_KERNEL_OPTIONS)
def _overload_legal_count(state):
    return _kernel_of(state, "legal_count")


@overload(apply_action, jit_options=_KERNEL_OPTIONS)
def _overload_apply_action(state, action, chance):
    return _kernel_of(state, "apply_action")


@overload(random_action, jit_options=_KERNEL_OPTIONS)
def _overload_random_action(state, rng):
    return _kernel_of(state, "random_action")


@overload(random_playout, jit_options=_KERNEL_OPTIONS)
def _overload_random_playout(state, chance, rng, length, totals):
    return _kernel_of(state, "random_playout")


@overload(prospect, jit_options=_KERNEL_OPTIONS)
def _overload_prospect(state, action, of_actions):
    kernels = _KERNELS.get(getattr(state, "instance_class", None))
    if kernels is not None and kernels.prospect is None:
        return lambda state, action, of_actions: 0
    return _kernel_of(state, "prospect")


@overload(is_over, jit_options=_KERNEL_OPTIONS)
def _overload_is_over(state):
    return _kernel_of(state, "is_over")


@intrinsic
def _with_words(typingctx, state, words):
    place = state.fields.index("words")
    if state.types[place] != words:
        return None

    def generate(context, builder, signature, arguments):
        return builder.insert_value(arguments[0], arguments[1], place)

    return state(state, words), generate


def with_words(state: Any, words: Words) -> Any:
    """The state whose position is `words: uint64[W]`, which it changes in place; all else it shares with `state`."""
    return state._replace(words=words)


@overload(with_words, jit_options=_KERNEL_OPTIONS)
def _overload_with_words(state, words):
    return lambda state, words: _with_words(state, words)


def copy_state(state: Any) -> Any:
    """A state of the same position that shares no array with `state`: one for each thread."""
    return type(state)(*(field.copy() if isinstance(field, np.ndarray) else field for field in state))


@dataclass(frozen=True)
class Played:
    """What one action did, for the screen and for the store. `frames` are those of the protocol."""

    gained: int
    steps: int
    matches: int
    cleared: int
    frames: list[dict[str, Any]]
    reshuffled: list[str] | None
    redrawn: bool


class Groups(NamedTuple):
    """What a group gesture may choose: the number of each cell's group, 0 for none, and points by number."""

    numbers: list[list[int]]
    worth: list[int]


class Game(ABC):
    """The Python side of a game. One object a game, without state of its own.

    An action has two names: a JSON value in files and messages, a code (a whole number) in kernels and in the store.
    """

    info: GameInfo

    @abstractmethod
    def validate_level(self, level: "Level") -> None:
        """Raise LevelError if a level of right shape and letters breaks a rule of the game."""

    def code_limit(self, level: "Level") -> int:
        """Action codes of a level of this size are below this, and no position has more legal actions."""
        return 2 * level.rows * level.cols

    def complete_level(self, level: "Level") -> "Level":
        """The level with whatever the game adds to it if its file does not say it, so that it is kept with it."""
        return level

    @abstractmethod
    def draw_board(self, *, rows: int, cols: int, colours: int, seed: int) -> tuple[str, ...]:
        """A start board, top row first: a pure function of its arguments that `validate_level` accepts."""

    @abstractmethod
    def new_state(self, level: "Level") -> Any:
        """A state at the start of the level, with arrays of its own."""

    @abstractmethod
    def queued(self, level: "Level") -> Any:
        """Chance as the level really has it. Constant: what has fallen so far is counted in `state.words`."""

    def sampled(self, rng: Rng) -> Sampled:
        """Chance as a simulation has it."""
        return Sampled(rng)

    @abstractmethod
    def action_refusal(self, level: "Level", action: object) -> str | None:
        """Why any JSON value is no action of the level, by shape alone; None if it is one, legal or not."""

    @abstractmethod
    def encode_action(self, level: "Level", action: Any) -> int:
        """The code of a JSON action of the level; raises ValueError if it is none."""

    @abstractmethod
    def is_reversed(self, action: Any) -> bool:
        """Whether a JSON action names its cells in the other order than its code does."""

    @abstractmethod
    def decode_action(self, level: "Level", code: int, reversed: bool = False) -> list[Any]:
        """The JSON action of a code; raises ValueError if the level has no such code."""

    @abstractmethod
    def is_legal(self, level: "Level", state: Any, code: int) -> bool:
        """Whether the action of a code is legal now."""

    @abstractmethod
    def play(self, level: "Level", state: Any, chance: Any, code: int, reversed: bool) -> Played:
        """Play a legal action as `apply_action` does and tell what happened, frame by frame."""

    @abstractmethod
    def read_board(self, level: "Level", state: Any) -> list[str]:
        """The board as rows of letters, top row first, `.` for an empty cell."""

    def groups(self, level: "Level", state: Any) -> Groups | None:
        """What a group gesture may choose now; None for games with another gesture."""
        return None

    @abstractmethod
    def fallen(self, level: "Level", state: Any) -> list[str]:
        """The pieces that fell in so far, one text a column, first to fall first; empty if nothing falls in."""

    @abstractmethod
    def load_kernels(self) -> None:
        """Call every kernel that a `Round` needs once, so that it is compiled or loaded."""


def get_game(name: str) -> Game:
    """The game of that name; raises KeyError if there is none."""
    from engine.games import MODULES

    return cast(Game, import_module(MODULES[name]).GAME)


def games() -> dict[str, Game]:
    """All games by name."""
    return dict(_all_games())


def _all_games() -> Iterator[tuple[str, Game]]:
    from engine.games import MODULES

    for name in MODULES:
        yield name, get_game(name)
