"""What a solver is: parameters, presets, and searchers that go on slice by slice until a budget is spent.

A solver looks for one play of a level with as many points as possible. It knows the whole level, so only games without
chance can be solved. `Solver` is the description, a `Searcher` one search of one thread; `engine.solving` runs them.

A searcher goes on in slices and keeps all of its state in arrays between them, so a run can stop at any moment. A
slice ends at the first play-out (or node) boundary at which `nodes >= until`, or earlier where play-outs find no new
nodes; where slices begin and end changes nothing else, so with a budget of nodes the result depends on the seed alone.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.game import Game, get_game
from engine.kernels import inlined_kernel
from engine.level import Level
from engine.numerals import read_number, read_whole

Value = float | int | str
Settings = Mapping[str, Value]

MOST_NODES = 10**12
MOST_SECONDS = 1_000_000.0
LEAST_SECONDS = 0.001

NODES, DEPTHS, DEEPEST, PLAYOUTS, RESTARTS, SCORE, LENGTH, DONE, MOST = range(9)
"""Places in `Tally.counts`."""
NO_FURTHER = 2
NOTHING = np.iinfo(np.int64).min
UNBOUNDED = np.iinfo(np.int64).max


class SolverError(ValueError):
    """A solver, setting or budget that does not fit; the message is one plain sentence."""


class Tally(NamedTuple):
    """What a searcher has done and found so far.

    counts: int64[9], at the places NODES (stored or generated), DEPTHS (their depths summed), DEEPEST, PLAYOUTS,
        RESTARTS, SCORE (the best, NOTHING before the first), LENGTH (of the best), DONE (1: nothing better is left to
        search, NO_FURTHER: it cannot go on, for want of room or as nothing more was asked for), MOST (a score that no
        play exceeds, so that whoever has it is done)
    codes: int32[], the action codes of the best play, LENGTH of them
    """

    counts: NDArray[np.int64]
    codes: NDArray[np.int32]


def new_tally(longest: int) -> Tally:
    """A tally before anything was done, for plays of at most `longest` actions."""
    counts = np.zeros(9, np.int64)
    counts[SCORE] = NOTHING
    counts[MOST] = UNBOUNDED
    return Tally(counts, np.zeros(longest, np.int32))


@inlined_kernel
def note_play(tally, score, codes, length):
    """Keep a whole play, `codes: int32[>= length]` from the start of the level, if it is the best so far.

    The search is done if there can be none better.
    """
    if score > tally.counts[SCORE]:
        tally.counts[SCORE] = score
        tally.counts[LENGTH] = length
        for i in range(length):
            tally.codes[i] = codes[i]
        if score >= tally.counts[MOST]:
            tally.counts[DONE] = 1


@inlined_kernel
def is_due(tally, until):
    """Whether a search is to go on: it has not come to `until` nodes, and something is left to search."""
    return tally.counts[NODES] < until and tally.counts[DONE] == 0


@inlined_kernel
def note_nodes(tally, first, last):
    """Count a node at each of the depths from `first` to `last`, both included."""
    if last >= first:
        tally.counts[NODES] += last - first + 1
        tally.counts[DEPTHS] += (first + last) * (last - first + 1) // 2
        tally.counts[DEEPEST] = max(tally.counts[DEEPEST], last)


@dataclass(frozen=True)
class Budget:
    """How much a search may use: seconds or nodes, one of the two."""

    seconds: float | None = None
    nodes: int | None = None

    def __post_init__(self) -> None:
        if (self.seconds is None) == (self.nodes is None):
            raise SolverError("A budget is a number of seconds or a number of nodes, one of the two.")
        if self.seconds is not None and not LEAST_SECONDS <= self.seconds <= MOST_SECONDS:
            raise SolverError(f"Seconds must be from {LEAST_SECONDS} to {MOST_SECONDS:,.0f}, not {self.seconds}.")
        if self.nodes is not None and not 1 <= self.nodes <= MOST_NODES:
            raise SolverError(f"Nodes must be from 1 to {MOST_NODES:,}, not {self.nodes}.")

    def share(self, number: int, among: int) -> "Budget":
        """What searcher `number` of `among` gets: its part of the nodes, at least one; the same seconds for each."""
        if self.nodes is None:
            return self
        return Budget(nodes=max(1, self.nodes // among + (number < self.nodes % among)))


@dataclass(frozen=True)
class Parameter:
    """A setting of a solver: a number with its bounds, both included, a word of `choices`, or a text.

    `tuned` are the bounds within which tuning looks for it; None: it is not tuned unless asked for.
    """

    name: str
    default: Value
    meaning: str
    low: float = 0.0
    high: float = 0.0
    choices: tuple[str, ...] = ()
    tuned: tuple[float, float] | None = None

    @property
    def is_text(self) -> bool:
        return isinstance(self.default, str) and not self.choices

    def read(self, value: object) -> Value:
        """The value, text or number, as this parameter's type; raises SolverError."""
        if self.is_text:
            return str(value)
        if self.choices:
            if value not in self.choices:
                raise SolverError(f"{self.name} must be one of {', '.join(self.choices)}, not {value!r}.")
            return str(value)
        whole = isinstance(self.default, int)
        try:
            number = read_whole(str(value)) if whole else read_number(str(value))
        except ValueError:
            kind = "whole number" if whole else "number"
            raise SolverError(f"{self.name} must be a {kind}, not {value!r}.") from None
        if not self.low <= number <= self.high:
            raise SolverError(f"{self.name} must be from {self.low:g} to {self.high:g}, not {value}.")
        return number


class Searcher(ABC):
    """One search on one thread. `tally` says what it has found; nothing else of it is read from outside."""

    tally: Tally

    @abstractmethod
    def go_on(self, until: int, spent: float) -> None:
        """Go on until `nodes >= until` or nothing is left to do, or for a slice's time. Gives up the interpreter lock.

        spent: the part of the seconds that are gone, 0 to 1, for searchers that divide their time; 0 in a search by
            nodes, in which they count for themselves
        """

    def advance(self, until: int, spent: float = 0.0) -> None:
        """Slice after slice until `nodes >= until` or nothing is left to do."""
        while self.nodes < until and not self.finished:
            self.go_on(until, spent)

    def aim_at(self, most: int) -> None:
        """Let it be done once it has a play of so many points, since none has more."""
        self.tally.counts[MOST] = most

    @property
    def nodes(self) -> int:
        return int(self.tally.counts[NODES])

    @property
    def has_play(self) -> bool:
        """Whether it has found a whole play."""
        return int(self.tally.counts[SCORE]) != NOTHING

    @property
    def finished(self) -> bool:
        """Whether it can go no further."""
        return bool(self.tally.counts[DONE])

    @property
    def exhausted(self) -> bool:
        """Whether nothing is left to search."""
        return int(self.tally.counts[DONE]) == 1


@dataclass(frozen=True)
class Task:
    """What a searcher is made for."""

    level: Level
    settings: Settings
    budget: Budget
    seed: int
    worker: int = 0
    game: Game = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "game", get_game(self.level.game))


class Solver(ABC):
    """A way to search. One object a solver, without state of its own, named `SOLVER` in its module."""

    name: ClassVar[str]
    title: ClassVar[str]
    source: ClassVar[str]
    parameters: ClassVar[tuple[Parameter, ...]] = ()
    presets: ClassVar[Mapping[str, Settings]] = {}
    games: ClassVar[frozenset[str] | None] = None
    """The games that it is bound to; None: any that offers what it needs."""
    gains_by_threads: ClassVar[bool] = True
    """Whether more threads find more; False where each would search the same, so that a run has one only."""

    @abstractmethod
    def searcher(self, task: Task) -> Searcher:
        """A search for one thread, which draws from streams of `task.seed` and `task.worker` alone."""

    def searchers(self, task: Task, workers: int) -> list[Searcher]:
        """One for each thread; they know nothing of each other unless a solver says otherwise."""
        return [
            self.searcher(Task(task.level, task.settings, task.budget.share(number, workers), task.seed, number))
            for number in range(workers)
        ]

    def refusal(self, level: Level) -> str | None:
        """Why the level cannot be solved in this way, as a sentence; None if it can."""
        info = get_game(level.game).info
        if self.games is not None and level.game not in self.games:
            titles = " and ".join(get_game(one).info.title for one in sorted(self.games))
            return f"{self.name} plays {titles}, not {info.title}."
        if info.chance != "none":
            return f"{self.name} cannot play {info.title}: what falls in is hidden, so there is no play to be found."
        return None

    def settle(self, preset: str | None = None, chosen: Mapping[str, Any] | None = None) -> dict[str, Value]:
        """Every parameter's value: the default, over it the preset, over that what was chosen; raises SolverError."""
        known = {parameter.name: parameter for parameter in self.parameters}
        values = {name: parameter.default for name, parameter in known.items()}
        if preset is not None:
            if preset not in self.presets:
                names = ", ".join(self.presets) or "it has none"
                raise SolverError(f"{self.name} has no preset {preset!r}; the presets are: {names}.")
            values.update(self.presets[preset])
        for name, value in (chosen or {}).items():
            if name not in known:
                raise SolverError(f"{self.name} has no parameter {name!r}; they are: {', '.join(known) or 'none'}.")
            values[name] = known[name].read(value)
        problem = self.problem_of(values)
        if problem is not None:
            raise SolverError(problem)
        return values

    def problem_of(self, settings: Settings) -> str | None:
        """Why settings that are within their bounds are wrong all the same, as a sentence; None if they are right."""
        return None
