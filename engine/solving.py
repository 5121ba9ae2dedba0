"""Running a solver on a level: threads, deadline, progress, stopping with the best so far, and a checked result.

Source of the set-up: budgets of seconds or nodes, restarts with other seeds merged by the best (Schadd et al. 2012,
section 4.3, randomised restarts).
"""

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from importlib import import_module
from time import perf_counter
from typing import Any, NamedTuple, cast

from engine.game import get_game
from engine.level import Level
from engine.playouts import bound, has_bound
from engine.round import ActionRefused, Round
from engine.solver import (
    DEEPEST,
    DEPTHS,
    LENGTH,
    MOST,
    NODES,
    NOTHING,
    PLAYOUTS,
    RESTARTS,
    SCORE,
    UNBOUNDED,
    Budget,
    Searcher,
    Settings,
    Solver,
    SolverError,
    Task,
)

MODULES = {
    "sp-mcts": "engine.search.sp_mcts",
    "nested": "engine.search.nested",
    "mc-rws": "engine.search.flat",
    "dbs": "engine.search.dbs",
    "idastar": "engine.search.idastar",
    "hgsts": "engine.search.hgsts",
    "nrpa": "engine.search.nrpa",
    "beam": "engine.search.beam",
    "anneal": "engine.games.samegame.anneal",
}
"""The name of a solver and the module whose `SOLVER` it is."""

# A slice is a small part of a time budget and never so long that a person who stops would wait.
_LONGEST_SLICE = 0.02
_SLICES = 1000
_POLL = 0.05
# So many nodes that a searcher comes by everything that it does, in so many slices that nobody waits for it.
_WARM_NODES = 1000
_WARM_SLICES = 10


def solver_names() -> list[str]:
    return list(MODULES)


def get_solver(name: str) -> Solver:
    """The solver of that name; raises SolverError if there is none."""
    if name not in MODULES:
        raise SolverError(f"There is no solver {name!r}. The solvers are: {', '.join(MODULES)}.")
    return cast(Solver, import_module(MODULES[name]).SOLVER)


@dataclass(frozen=True)
class Progress:
    """How far a run is: the part of its budget that is spent, 0 to 1, the best score so far (None before the first)."""

    spent: float
    score: int | None
    nodes: int


class BestPlay(NamedTuple):
    """A whole play, scored by the game's own rules."""

    score: int
    codes: tuple[int, ...]
    cleared: bool


@dataclass(frozen=True)
class Solution:
    """The best play that a run found, played again by the game's own rules.

    exhausted: everything was searched, so that there is nothing better for this solver to find
    interrupted: it was stopped before its budget was spent
    """

    solver: str
    score: int
    cleared: bool
    codes: tuple[int, ...]
    actions: list[list[Any]]
    seconds: float
    nodes: int
    average_depth: float
    deepest: int
    playouts: int
    restarts: int
    exhausted: bool
    interrupted: bool

    def to_json(self) -> dict[str, Any]:
        """The line that the command line prints."""
        return {
            "solver": self.solver,
            "score": self.score,
            "cleared": self.cleared,
            "actions": self.actions,
            "seconds": round(self.seconds, 3),
            "nodes": self.nodes,
            "average_depth": round(self.average_depth, 2),
            "deepest": self.deepest,
            "playouts": self.playouts,
            "restarts": self.restarts,
            "exhausted": self.exhausted,
            "interrupted": self.interrupted,
        }


class SolveRun:
    """A solver at work on a level, on one thread or several.

    `run` blocks; `cancel` may be called from any thread, `progress` read from any. Raises SolverError for what does
    not fit together.
    """

    def __init__(
        self, level: Level, solver: Solver, settings: Settings, budget: Budget, *, seed: int, workers: int = 1
    ) -> None:
        refusal = solver.refusal(level)
        if refusal is not None:
            raise SolverError(refusal)
        if workers < 1:
            raise SolverError(f"There must be at least one worker, not {workers}.")
        self.level, self.solver, self.budget = level, solver, budget
        if budget.nodes is not None:
            workers = min(workers, budget.nodes)
        if not solver.gains_by_threads:
            workers = 1
        self._task = Task(level, settings, budget, seed)
        self._workers = workers
        self._searchers: list[Searcher] = []
        self._shares = [budget.share(number, workers) for number in range(workers)]
        self._stopped = threading.Event()
        self._interrupted = False
        self._started = 0.0

    def cancel(self) -> None:
        """Stop at the end of the slice under way."""
        self._interrupted = True
        self._stopped.set()

    @property
    def progress(self) -> Progress:
        counts = [searcher.tally.counts for searcher in self._searchers]
        nodes = sum(int(one[NODES]) for one in counts)
        score = max((int(one[SCORE]) for one in counts), default=NOTHING)
        if self.budget.seconds is not None:
            spent = (perf_counter() - self._started) / self.budget.seconds if self._started else 0.0
        else:
            spent = nodes / (self.budget.nodes or 1)
        return Progress(min(spent, 1.0), None if score == NOTHING else score, nodes)

    def best_so_far(self) -> BestPlay | None:
        """The best play so far. Any thread may ask while it runs.

        None before the first play, and where a searcher was just writing down a better one: ask again.
        """
        found = max(self._searchers, key=lambda one: int(one.tally.counts[SCORE]), default=None)
        if found is None or not found.has_play:
            return None
        score, length = int(found.tally.counts[SCORE]), int(found.tally.counts[LENGTH])
        codes = tuple(int(code) for code in found.tally.codes[:length].copy())
        try:
            played = Round.replay(self.level, codes)
        except ActionRefused:
            return None
        if played.score != score or played.over is None:
            return None
        return BestPlay(score, codes, _is_cleared(played))

    def run(self, report: Callable[[Progress], None] | None = None, stop: Callable[[], bool] | None = None) -> Solution:
        """Search until the budget is spent, nothing is left to search, `stop` says so or the keyboard interrupts.

        report, stop: called about 20 times a second from this thread. After an interrupt, the best so far; raises
        KeyboardInterrupt if it comes before the search has begun.
        """
        self._load_kernels()
        self._searchers = self.solver.searchers(self._task, self._workers)
        most = _most_points(self.level)
        for searcher in self._searchers:
            searcher.aim_at(most)
        self._started = perf_counter()
        with ThreadPoolExecutor(self._workers) as pool:
            waiting = {
                pool.submit(self._work, searcher, share)
                for searcher, share in zip(self._searchers, self._shares, strict=True)
            }
            try:
                self._watch(waiting, report, stop)
            except KeyboardInterrupt:
                self.cancel()
            finally:
                self._stopped.set()
        seconds = perf_counter() - self._started
        for future in waiting:
            future.result()
        return self._solution(seconds)

    def _load_kernels(self) -> None:
        """Compile or load what the searchers need, off the clock."""
        task = self._task
        for scratch in self.solver.searchers(Task(task.level, task.settings, Budget(nodes=_WARM_NODES), 0), 1):
            for _ in range(_WARM_SLICES):
                if scratch.nodes >= _WARM_NODES or scratch.finished:
                    break
                scratch.go_on(_WARM_NODES, 0.0)

    def _watch(
        self,
        futures: set[Future[None]],
        report: Callable[[Progress], None] | None,
        stop: Callable[[], bool] | None,
    ) -> None:
        waiting = futures
        while waiting:
            done, waiting = wait(waiting, _POLL)
            if report is not None:
                report(self.progress)
            if stop is not None and stop():
                self.cancel()
            if any(future.exception() is not None for future in done):
                return

    def _work(self, searcher: Searcher, share: Budget) -> None:
        """Slice after slice, each as many nodes as the last ones say that a slice's time takes."""
        limit = share.nodes if share.nodes is not None else None
        slice_seconds = _LONGEST_SLICE
        if share.seconds is not None:
            slice_seconds = min(slice_seconds, share.seconds / _SLICES)
        step = 1.0
        # Whoever is stopped before the first slice still has a play to show.
        while not searcher.finished and not (searcher.has_play and self._stopped.is_set()):
            before, nodes = perf_counter(), searcher.nodes
            spent = 0.0
            if share.seconds is not None:
                spent = (before - self._started) / share.seconds
                if spent >= 1.0 and searcher.has_play:
                    return
            elif limit is not None and nodes >= limit and searcher.has_play:
                return
            until = nodes + max(1, int(step))
            searcher.go_on(until if limit is None else max(nodes + 1, min(until, limit)), spent)
            took = perf_counter() - before
            # Towards the wanted length, never more than twice as long at once, and no longer where it was not the nodes
            # that ended the slice.
            longest = 2.0 if searcher.nodes >= until else 1.0
            step = max(1.0, step * min(longest, max(0.25, slice_seconds / max(took, 1e-9))))
        # What none can beat need not be looked for any longer. With a budget of nodes the others go on, since how far
        # they have come by now depends on the machine.
        if share.seconds is not None and _has_most(searcher):
            self._stopped.set()

    def _solution(self, seconds: float) -> Solution:
        counts = [searcher.tally.counts for searcher in self._searchers]
        best = max(self._searchers, key=lambda one: int(one.tally.counts[SCORE])).tally
        codes = tuple(int(code) for code in best.codes[: best.counts[LENGTH]])
        score = int(best.counts[SCORE])
        try:
            played = Round.replay(self.level, codes)
        except ActionRefused as error:
            raise RuntimeError(f"{self.solver.name} found a play that the rules refuse: {error}") from error
        if played.score != score or played.over is None:
            raise RuntimeError(f"{self.solver.name} claims {score} points; by the rules they are {played.score}.")
        game = get_game(self.level.game)
        nodes = sum(int(one[NODES]) for one in counts)
        return Solution(
            solver=self.solver.name,
            score=score,
            cleared=_is_cleared(played),
            codes=codes,
            actions=[game.decode_action(self.level, code) for code in codes],
            seconds=seconds,
            nodes=nodes,
            average_depth=sum(int(one[DEPTHS]) for one in counts) / max(nodes, 1),
            deepest=max(int(one[DEEPEST]) for one in counts),
            playouts=sum(int(one[PLAYOUTS]) for one in counts),
            restarts=sum(int(one[RESTARTS]) for one in counts),
            exhausted=any(searcher.exhausted for searcher in self._searchers),
            interrupted=self._interrupted,
        )


def _most_points(level: Level) -> int:
    """A number of points that no play of the level exceeds."""
    state = get_game(level.game).new_state(level)
    return int(bound(state)) if has_bound(state) else UNBOUNDED


def _has_most(searcher: Searcher) -> bool:
    """Whether a searcher has a play that none can beat."""
    return bool(searcher.tally.counts[SCORE] >= searcher.tally.counts[MOST])


def _is_cleared(played: Round) -> bool:
    """Whether nothing is left on the board."""
    return all(set(row) == {"."} for row in played.board)


def solve(
    level: Level,
    name: str,
    *,
    seconds: float | None = None,
    nodes: int | None = None,
    seed: int = 1,
    workers: int = 1,
    preset: str | None = None,
    settings: Settings | None = None,
) -> Solution:
    """The best play of `level` that the solver `name` finds; raises SolverError for what does not fit together."""
    solver = get_solver(name)
    chosen = solver.settle(preset, settings)
    return SolveRun(level, solver, chosen, Budget(seconds, nodes), seed=seed, workers=workers).run()
