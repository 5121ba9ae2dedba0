"""Single-player Monte-Carlo tree search (`sp-mcts`), for any game without chance that has play-out policies.

Sources: Schadd et al. 2008, section 4 (formula 1, threshold T, one node a play-out, average, sum of squares and top
score backed up, meta-search by restarts), and Schadd et al. 2012, section 4 (top score weight W, epsilon, a search a
game or a move, three final move selections) and 6.6 (the settings that the cross-entropy method found).

One simulation:

1. From the root, as long as a node has more than T visits, go to the child with the highest
   v + W top + C sqrt(ln n_parent / n) + sqrt((sum of squares - n v^2 + D) / n); a child without visits comes first, of
   several one at random.
2. At a node with at most T visits the play-out policy plays to the end. Its actions are followed in the tree as far as
   the tree has them; the first position that it does not have becomes a node. With `expand_after` the policy's
   actions are not followed, so a node has children from its visit T + 1 on: the other reading of the threshold.
3. The score, from the root on, is added to every node on the way.

Ours: a node is closed when all plays through it were seen, and a search whose root is closed ends; so does one that
found no new node in `STALL` simulations, since it only comes back to the end of a play. Another tree follows, so that
the budget is used. The papers may count simulations instead, and have as many trees as restarts, whether these still
find something or not: so it is with `simulations_each`.
"""

from collections.abc import Mapping

import numpy as np

from engine.search.parts import (
    LENGTH_OF_GAME,
    NODES_EACH,
    PER,
    RESTARTS_OF_GAME,
    SIMULATIONS_EACH,
    PartedSearcher,
)
from engine.search.policy import PolicySolver, new_policy, playout_parameter
from engine.search.sp_tree import Settings, new_nodes, plant, simulate_until
from engine.search.tree import ROOT, UNEXPANDED
from engine.solver import Parameter, Searcher, Task, Value

_RATE = 200_000
"""Nodes a second that no machine exceeds so far, to make room for a search by time."""


def room_for(task: Task) -> int:
    """How many nodes a tree of the task may come to."""
    budget = task.budget
    wanted = budget.nodes if budget.nodes is not None else int(_RATE * (budget.seconds or 0.0)) + _RATE
    return min(wanted, int(task.settings.get("nodes_each", 0)) or wanted)


class SpMctsSearcher(PartedSearcher):
    """`sp-mcts` on one thread."""

    def __init__(self, task: Task) -> None:
        settings = task.settings
        self.final = str(settings["final"])
        super().__init__(task, follows_best=self.final == "top")
        self.settings = Settings(
            float(settings["C"]),
            float(settings["D"]),
            float(settings["W"]),
            int(settings["T"]),
            settings["threshold"] == "expand",
            settings["closed"] == "left",
            self.simulations_each,
        )
        self.policy = new_policy(task, str(settings["playout"]))
        self.nodes_of_tree = new_nodes(room_for(task), self.longest, len(self.root))
        self.codes = np.zeros(self.longest, np.int32)
        self.actions = np.zeros(self.longest + 1, np.int32)
        self.totals = np.zeros(2, np.int64)
        self.is_planted = False

    def begin(self) -> None:
        self.codes[: self.depth] = self.walked[: self.depth]
        self.is_planted = False

    def search(self, until: int) -> bool:
        if not self.is_planted:
            plant(self.nodes_of_tree, self.root, self.state, self.depth, self.walk)
            self.is_planted = True
        goes_on: bool = simulate_until(
            self.nodes_of_tree,
            self.state,
            self.chance,
            self.policy,
            self.rng,
            self.settings,
            self.depth,
            self.points,
            self.codes,
            self.actions,
            self.totals,
            self.walk,
            until,
        )
        return goes_on

    def chosen(self) -> int:
        """The next action of the best line, or the root's child with the highest average or the most visits."""
        if self.final == "top":
            return super().chosen()
        nodes = self.nodes_of_tree
        first = int(nodes.first[ROOT])
        if first == UNEXPANDED:
            return super().chosen()
        children = slice(first, first + int(nodes.count[ROOT]))
        visits = nodes.visits[children]
        values = visits if self.final == "visits" else nodes.total[children] / np.maximum(visits, 1)
        return int(nodes.action[children][np.argmax(np.where(visits > 0, values, -np.inf))])


def preset(c: float, d: float, w: float = 0.0, epsilon: float = 0.0, t: int = 10, **more: Value) -> Mapping[str, Value]:
    """The settings of a preset, by the letters of the papers."""
    return {"C": c, "D": d, "W": w, "epsilon": epsilon, "T": t, **more}


W_BY_HAND, EPSILON_BY_HAND = 0.02, 0.003
CEM_MOVE = {"c": 4.31, "d": 96.67, "w": 0.28, "epsilon": 0.00007, "t": 11, "per": "move"}


class SpMctsSolver(PolicySolver):
    name = "sp-mcts"
    title = "single-player Monte-Carlo tree search"
    source = "Schadd et al. 2008, section 4, and 2012, section 4"
    parameters = (
        Parameter("C", 0.1, "exploration", 0.0, 10_000.0, tuned=(0.0, 10.0)),
        Parameter("D", 32.0, "deviation that is added for what was rarely visited", 0.0, 1e9, tuned=(0.0, 200.0)),
        Parameter("T", 10, "visits up to which the play-out policy chooses at a node", 0, 100_000, tuned=(0, 30)),
        Parameter("W", W_BY_HAND, "weight of the top score", 0.0, 1000.0, tuned=(0.0, 1.0)),
        Parameter(
            "epsilon", EPSILON_BY_HAND, "chance that a play-out chooses among all actions", 0.0, 1.0, tuned=(0.0, 0.02)
        ),
        playout_parameter("tabu-color", "tabu-random", "random", "roulette"),
        Parameter(PER.name, "move", PER.meaning, choices=PER.choices),
        Parameter("final", "top", "which action is made (per move)", choices=("top", "visits", "average")),
        Parameter(
            "threshold",
            "policy",
            "up to T visits: the policy's way through the tree, or no children",
            choices=("policy", "expand"),
        ),
        Parameter("closed", "kept", "nodes whose plays were all seen are visited or left", choices=("kept", "left")),
        RESTARTS_OF_GAME,
        NODES_EACH,
        SIMULATIONS_EACH,
        LENGTH_OF_GAME,
    )
    presets = {
        "exploit": preset(0.1, 32.0, per="game"),
        "balanced": preset(0.5, 10_000.0, per="game"),
        "explore": preset(1.0, 20_000.0, per="game"),
        "exploit-2012": preset(0.1, 32.0, W_BY_HAND, EPSILON_BY_HAND, per="game"),
        "balanced-2012": preset(0.5, 10_000.0, W_BY_HAND, EPSILON_BY_HAND, per="game"),
        "explore-2012": preset(1.0, 20_000.0, W_BY_HAND, EPSILON_BY_HAND, per="game"),
        "cem-game": preset(5.96, 67.98, 0.49, 0.00007, 13, per="game"),
        "cem-move": preset(**CEM_MOVE),
        "sp-mcts-1": preset(0.1, 32.0, W_BY_HAND, EPSILON_BY_HAND, per="game", nodes_each=100_000),
        "sp-mcts-2": preset(0.1, 32.0, W_BY_HAND, EPSILON_BY_HAND, per="move"),
        "sp-mcts-3": preset(**CEM_MOVE),
        "mc-rws": preset(0.1, 32.0, W_BY_HAND, EPSILON_BY_HAND, per="move", playout="roulette"),
    }

    def searcher(self, task: Task) -> Searcher:
        return SpMctsSearcher(task)


SOLVER = SpMctsSolver()
