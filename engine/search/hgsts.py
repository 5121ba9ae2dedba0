"""Heuristically guided swarm tree search (`hgsts`), for any game without chance that has the play-out policy `guided`.

Source: Edelkamp et al., "Finding the needle in the haystack with heuristically guided swarm tree search", MKWI 2010:
fitness-proportional choice of the successor (section 2), evaluation, duplicates, tabu colour and look-ahead (3), UCT
with the maximum backed up and fully explored nodes left out, several runs a node, parallel UCT (4), sets of roots (5).

One simulation, from the root or from a root of the set:

1. While a node has children: if some are without visits, go to one of them, drawn by fitness, 1 + the points that its
   action gains; else to the one with the highest v + C sqrt(ln N / n) among those that are not closed. Visits are
   counted on the way down, so that threads on the same tree go different ways.
2. A node that is visited for the second time gets all candidates of the policy as children, unless its position was met
   with as many points: then it is closed, as is a node whose game is over or whose children are all closed.
3. `runs` guided play-outs; the highest score goes up: v is the best that was ever found below a node.

The portfolio: a run ends after `nodes_each` nodes, and the next has the next C of `portfolio` (or `exploration` alone,
if that is given) and, when these are through, the next tabu colour of the first `tabus`. With `parallel = tree` all
threads share one tree, its C and its colour until it is closed or full, and then begin the next run together; with
`runs` each thread has runs of its own, spread over the portfolio.
"""

import math
from collections.abc import Callable
from threading import Condition

import numpy as np

from engine.numerals import read_number
from engine.rng import new_rng
from engine.search.policy import PolicySolver, new_policy
from engine.search.swarm_tree import (
    IDLE,
    Rules,
    Scratch,
    SwarmTree,
    grow_layer,
    is_full,
    new_swarm_tree,
    plant,
    search_swarm,
)
from engine.solver import (
    DONE,
    RESTARTS,
    Parameter,
    Searcher,
    Settings,
    Task,
    new_tally,
    note_nodes,
)

MOST_STORED = 6_000_000
MOST_ROOTS = 100_000
MOST_IDLE = 1000
"""Simulations without a new node after which a tree that is full is given up."""
NO_TABU = 99
"""A rank that no colour has."""
_RATE = 1_000_000
"""Nodes a second that no machine exceeds so far, to make room for a search by time."""


class Runs:
    """The runs in one tree, of one thread or of several: all are out of a run before the next begins.

    number: of the run; a thread has those from `first` on, every `step`-th
    portfolio: how many runs with a tabu colour there are before all have had their turn
    """

    def __init__(self, tree: SwarmTree, portfolio: int, first: int = 0, step: int = 1) -> None:
        self.tree = tree
        self.first, self.number = first, first - step
        self.is_done = False
        self._portfolio, self._step = portfolio, step
        self._closed = 0
        self._inside = 0
        self._is_over, self._is_closed = True, False
        self._changed = Condition()

    @property
    def is_free(self) -> bool:
        """Whether the run has no tabu colour, since those with one have seen all that they can see."""
        return self._closed >= self._portfolio

    def enter(self, plant_tree: Callable[[], None]) -> bool:
        """Take part in the run. Who comes first to a new one plants its tree. False: there are no more runs."""
        with self._changed:
            while self._is_over and self._inside > 0:
                self._changed.wait()
            if self._is_over and not self.is_done:
                self.is_done = self._is_closed and self.is_free
                self._closed += self._is_closed
            if self.is_done:
                return False
            if self._is_over:
                self.number += self._step
                self._is_over = self._is_closed = False
                plant_tree()
            self._inside += 1
            return True

    def leave(self, *, is_over: bool, is_closed: bool) -> None:
        """Be out of the run, which is over if it says so, and has seen everything that it lets see if it is closed."""
        with self._changed:
            self._inside -= 1
            self._is_over |= is_over
            self._is_closed |= is_closed
            self._changed.notify_all()


class HgstsSearcher(Searcher):
    """`hgsts` on one thread, number `task.worker` of `among` in the same tree."""

    def __init__(self, task: Task, runs: Runs, among: int = 1) -> None:
        level, game, settings = task.level, task.game, task.settings
        longest = game.code_limit(level)
        self.task, self.runs, self.among = task, runs, among
        self.tally = new_tally(longest)
        self.state = game.new_state(level)
        self.root = self.state.words.copy()
        self.rng = np.zeros(1, np.uint64)
        self.chance = game.sampled(self.rng)
        self.exploration = exploration_of(settings)
        self.tabus = int(settings["tabus"])
        self.nodes_each = int(settings["nodes_each"])
        self.scratch = Scratch(
            np.zeros(longest, np.int32),
            np.zeros(longest + 1, np.int32),
            np.zeros(longest + 1, np.uint64),
            np.zeros(2, np.int64),
            np.zeros(int(settings["best"]), np.int64),
        )
        self.turn = np.zeros(4, np.int64)
        self.is_shared = settings["parallel"] == "tree"
        self.run = -1

    def _begin(self) -> None:
        """Take the C, the colour and the stream of the run."""
        self.run = self.runs.number
        settings, place = self.task.settings, self.run % len(self.exploration)
        tabu = int(settings["tabu"]) + self.run // len(self.exploration) % self.tabus
        chosen = {**settings, "tabu": NO_TABU if self.runs.is_free else tabu}
        self.policy = new_policy(Task(self.task.level, chosen, self.task.budget, self.task.seed), "guided")
        numbers = (int(settings[name]) for name in ("runs", "layer", "best", "each"))
        turn = self.task.worker % self.among
        self.rules = Rules(self.exploration[place], *numbers, turn, self.among)
        self.rng[0] = new_rng(self.task.seed, "solve", self.task.worker, self.run)[0]
        self.turn[:] = 0
        self.began = self.nodes

    def _plant(self) -> None:
        self._begin()
        self.tally.counts[RESTARTS] += self.run > self.runs.first
        tree = self.runs.tree
        plant(tree, self.root)
        note_nodes(self.tally, 0, 0)
        if self.rules.layer > 0:
            grow_layer(tree, self.state, self.chance, self.policy, self.scratch, self.rules.layer, self.tally)

    def go_on(self, until: int, spent: float) -> None:
        if not self.runs.enter(self._plant):
            self.tally.counts[DONE] = 1
            return
        is_over = is_closed = True
        try:
            if self.run != self.runs.number:
                self._begin()
            is_over, is_closed = self._search(until)
        finally:
            self.runs.leave(is_over=is_over, is_closed=is_closed)

    def _search(self, until: int) -> tuple[bool, bool]:
        """A slice of the run; whether it is over, and whether its tree is closed."""
        end = math.inf if self.is_shared else self.began + self.nodes_each
        goes_on = search_swarm(
            self.runs.tree,
            self.rules,
            self.state,
            self.chance,
            self.policy,
            self.rng,
            self.scratch,
            self.turn,
            self.tally,
            int(min(until, end)),
        )
        is_stuck = self.turn[IDLE] > MOST_IDLE and is_full(self.runs.tree)
        return not goes_on or is_stuck or self.nodes >= end, not goes_on


def exploration_of(settings: Settings) -> tuple[float, ...]:
    """The values of C that runs take in turn."""
    alone = float(settings["exploration"])
    return (alone,) if alone > 0 else read_portfolio(str(settings["portfolio"]))


def read_portfolio(text: str) -> tuple[float, ...]:
    """The values of C that runs take in turn, from a text such as "50/200"; none if it is not such a text."""
    try:
        values = tuple(read_number(part) for part in text.split("/"))
    except ValueError:
        return ()
    return values if all(0 <= value <= 1e6 for value in values) else ()


def room_for(task: Task, longest: int) -> int:
    """How many nodes a tree of the task may come to."""
    budget = task.budget
    wanted = budget.nodes if budget.nodes is not None else int(_RATE * (budget.seconds or 0.0)) + _RATE
    if task.settings["parallel"] == "runs":
        wanted = min(wanted, int(task.settings["nodes_each"]))
    return min(wanted, MOST_STORED) + 10 * longest


def new_runs(task: Task, step: int = 1) -> Runs:
    """The runs of a task in a tree of its own, every `step`-th of all runs from that of its worker's number on."""
    longest = task.game.code_limit(task.level)
    tree = new_swarm_tree(room_for(task, longest), len(task.game.new_state(task.level).words), MOST_ROOTS)
    portfolio = len(exploration_of(task.settings)) * int(task.settings["tabus"])
    return Runs(tree, portfolio, task.worker, step)


class HgstsSolver(PolicySolver):
    name = "hgsts"
    title = "heuristically guided swarm tree search"
    source = "Edelkamp et al. 2010"
    parameters = (
        Parameter("portfolio", "300/800", "values of C that runs take in turn, with / between them"),
        Parameter(
            "exploration", 0.0, "C of all runs; 0: those of the portfolio in turn", 0.0, 1e6, tuned=(20.0, 2000.0)
        ),
        Parameter("tabus", 2, "how many tabu colours runs take in turn, from the most frequent on", 1, 9),
        Parameter("tabu", 0, "rank of the first tabu colour: 0 is the most frequent of the level", 0, 8),
        Parameter("lookahead", 10, "a look-ahead at every so many actions of a play-out", 1, 400, tuned=(5, 20)),
        Parameter("runs", 1, "play-outs a simulation", 1, 1000, tuned=(1, 10)),
        Parameter("nodes_each", 100_000, "nodes after which the next run begins", 100, MOST_STORED),
        Parameter("layer", 0, "depth whose positions are the set of roots; 0: one root", 0, 3),
        Parameter("best", 16, "roots a round (with a set)", 1, 4096),
        Parameter("each", 50, "simulations of a root in a round (with a set)", 1, 1_000_000),
        Parameter("parallel", "runs", "threads have runs of their own, or one tree", choices=("runs", "tree")),
    )
    presets = {"set": {"layer": 1}, "tree": {"parallel": "tree"}, "several-runs": {"runs": 4}}

    def problem_of(self, settings: Settings) -> str | None:
        if read_portfolio(str(settings["portfolio"])):
            return None
        return f"portfolio must be numbers with / between them, such as 50/200, not {settings['portfolio']!r}."

    def searcher(self, task: Task) -> Searcher:
        return self.searchers(task, 1)[0]

    def searchers(self, task: Task, workers: int) -> list[Searcher]:
        shares = [
            Task(task.level, task.settings, task.budget.share(number, workers), task.seed, number)
            for number in range(workers)
        ]
        if task.settings["parallel"] == "runs":
            return [HgstsSearcher(share, new_runs(share, step=workers)) for share in shares]
        runs = new_runs(task)
        return [HgstsSearcher(share, runs, workers) for share in shares]


SOLVER = HgstsSolver()
