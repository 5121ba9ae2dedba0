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

The portfolio: a run ends after `nodes_each` nodes, and the next has the next C of `portfolio` and, when these are
through, the next tabu colour of the first `tabus`. With `parallel = tree` all threads share one tree and its C and
colour, which then grows as long as it lasts; with `runs` each thread has runs of its own, spread over the portfolio.
"""

import numpy as np

from engine.rng import new_rng
from engine.search.policy import PolicySolver, new_policy
from engine.search.swarm_tree import Rules, Scratch, SwarmTree, grow_layer, is_full, new_swarm_tree, plant, search_swarm
from engine.solver import (
    DONE,
    NO_FURTHER,
    PLAYOUTS,
    RESTARTS,
    Parameter,
    Searcher,
    Settings,
    Task,
    new_tally,
    note_nodes,
)

MOST_NODES = 6_000_000
MOST_ROOTS = 100_000
NO_TABU = 99
"""A rank that no colour has."""
_RATE = 1_000_000
"""Nodes a second that no machine exceeds so far, to make room for a search by time."""


class HgstsSearcher(Searcher):
    """`hgsts` on one thread, `among` so many. `tree`: that of all threads, or None for one of its own."""

    def __init__(self, task: Task, among: int, tree: SwarmTree | None = None) -> None:
        level, game, settings = task.level, task.game, task.settings
        longest = game.code_limit(level)
        self.task, self.among = task, among
        self.tally = new_tally(longest)
        self.state = game.new_state(level)
        self.root = self.state.words.copy()
        self.rng = np.zeros(1, np.uint64)
        self.chance = game.sampled(self.rng)
        self.exploration = read_portfolio(str(settings["portfolio"]))
        self.tabus = int(settings["tabus"])
        self.nodes_each = int(settings["nodes_each"])
        self.is_shared = tree is not None
        self.tree = new_swarm_tree(room_for(task, longest), len(self.root), MOST_ROOTS) if tree is None else tree
        best = int(settings["best"])
        self.scratch = Scratch(
            np.zeros(longest, np.int32),
            np.zeros(longest + 1, np.int32),
            np.zeros(longest + 1, np.uint64),
            np.zeros(2, np.int64),
            np.zeros(best, np.int64),
        )
        self.turn = np.zeros(3, np.int64)
        self.run = 0 if self.is_shared else task.worker
        self.closed = 0
        self._begin(plants=not self.is_shared or task.worker == 0)

    @property
    def _is_free(self) -> bool:
        """Whether the run has no tabu colour, since those with one have seen all that they can see."""
        return self.closed >= len(self.exploration) * self.tabus

    def _begin(self, *, plants: bool) -> None:
        """Begin a run: its C, its colour and its stream, and a tree if this thread is to plant it."""
        settings, place = self.task.settings, self.run % len(self.exploration)
        tabu = int(settings["tabu"]) + self.run // len(self.exploration) % self.tabus
        chosen = {**settings, "tabu": NO_TABU if self._is_free else tabu}
        self.policy = new_policy(Task(self.task.level, chosen, self.task.budget, self.task.seed), "guided")
        numbers = (int(settings[name]) for name in ("runs", "layer", "best", "each"))
        self.rules = Rules(self.exploration[place], *numbers)
        self.rng[0] = new_rng(self.task.seed, "solve", self.task.worker, self.run)[0]
        self.turn[:] = 0
        self.began = self.nodes
        if plants:
            plant(self.tree, self.root)
            note_nodes(self.tally, 0, 0)
            if self.rules.layer > 0:
                grow_layer(self.tree, self.state, self.chance, self.policy, self.scratch, self.rules.layer, self.tally)

    def advance(self, until: int, spent: float) -> None:
        is_first = self.tally.counts[PLAYOUTS] == 0
        while (self.nodes < until or is_first) and not self.finished:
            is_first = False
            before = self.nodes
            goes_on = search_swarm(
                self.tree,
                self.rules,
                self.state,
                self.chance,
                self.policy,
                self.rng,
                self.scratch,
                self.turn,
                self.tally,
                until if self.is_shared else min(until, self.began + self.nodes_each),
            )
            is_stuck = self.nodes == before and is_full(self.tree)
            if self.is_shared:
                if not goes_on or is_stuck:
                    self.tally.counts[DONE] = NO_FURTHER
            elif not goes_on and self._is_free:
                self.tally.counts[DONE] = 1
            elif not goes_on or is_stuck or self.nodes >= self.began + self.nodes_each:
                self.closed += not goes_on
                self.tally.counts[RESTARTS] += 1
                self.run += self.among
                self._begin(plants=True)


def read_portfolio(text: str) -> tuple[float, ...]:
    """The values of C that runs take in turn, from a text such as "50/200"; none if it is not such a text."""
    try:
        values = tuple(float(part) for part in text.split("/"))
    except ValueError:
        return ()
    return values if all(0 <= value <= 1e6 for value in values) else ()


def room_for(task: Task, longest: int) -> int:
    """How many nodes a tree of the task may come to."""
    budget = task.budget
    wanted = budget.nodes if budget.nodes is not None else int(_RATE * (budget.seconds or 0.0)) + _RATE
    if task.settings["parallel"] == "runs":
        wanted = min(wanted, int(task.settings["nodes_each"]))
    return min(wanted, MOST_NODES) + 10 * longest


class HgstsSolver(PolicySolver):
    name = "hgsts"
    title = "heuristically guided swarm tree search"
    source = "Edelkamp et al. 2010"
    parameters = (
        Parameter("portfolio", "300/800", "values of C that runs take in turn, with / between them"),
        Parameter("tabus", 2, "how many tabu colours runs take in turn, from the most frequent on", 1, 9),
        Parameter("tabu", 0, "rank of the first tabu colour: 0 is the most frequent of the level", 0, 8),
        Parameter("lookahead", 10, "a look-ahead at every so many actions of a play-out", 1, 400, tuned=(5, 20)),
        Parameter("runs", 1, "play-outs a simulation", 1, 1000, tuned=(1, 10)),
        Parameter("nodes_each", 100_000, "nodes after which the next run begins", 100, MOST_NODES),
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
        return HgstsSearcher(task, 1)

    def searchers(self, task: Task, workers: int) -> list[Searcher]:
        shares = [
            Task(task.level, task.settings, task.budget.share(number, workers), task.seed, number)
            for number in range(workers)
        ]
        if task.settings["parallel"] == "runs":
            return [HgstsSearcher(share, workers) for share in shares]
        longest = task.game.code_limit(task.level)
        tree = new_swarm_tree(room_for(task, longest), len(task.game.new_state(task.level).words), MOST_ROOTS)
        return [HgstsSearcher(share, workers, tree) for share in shares]


SOLVER = HgstsSolver()
