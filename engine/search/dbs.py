"""Depth-budgeted search (`dbs`), for any game without chance that has play-out policies and a promise of positions.

Source: Billings's program, of which Schadd et al. 2008 (section 5.4) and 2012 (section 2.3) say one sentence: "When the
search reaches a depth where its budget has been spent, a greedy simulation is performed." All else is our choice:

- A search of a position with a budget of b simulations looks at all its actions, ordered by points gained + the promise
  of the position after. The first gets the part `share` of the budget, at least one simulation, the second that part of
  what is left, and so on; the last one gets the rest. So the line that looks best is searched deepest.
- A position with a budget of one is played to the end by the policy `playout`, greedy unless told otherwise.
- The first pass has a budget of 16, each further pass twice as much. A pass that cut nothing off has seen everything.
"""

import math

import numpy as np

from engine.game import apply_action, is_over, legal_actions
from engine.kernels import inlined_kernel, kernel
from engine.playouts import play_on, promise
from engine.search.policy import PolicySearcher, PolicySolver, playout_parameter
from engine.search.stack import UNKNOWN, new_stack
from engine.search.tree import copy_words
from engine.solver import DONE, PLAYOUTS, RESTARTS, Parameter, Searcher, Task, is_due, note_nodes, note_play

FIRST_BUDGET = 16
MOST_BUDGET = 1 << 50
BUDGET, CUT = 0, 1
"""Places in `passes: int64[2]`: the budget of the pass under way, whether it cut something off."""


@inlined_kernel
def order_actions(stack, state, chance, depth, tally):
    """Look at the position of a depth: its actions, the most promising first."""
    legal, values = stack.legal[depth], stack.values
    copy_words(state.words, stack.words[depth])
    count = legal_actions(state, legal)
    for i in range(count):
        action = legal[i]
        copy_words(state.words, stack.words[depth])
        value = apply_action(state, action, chance) + promise(state)
        note_nodes(tally, depth + 1, depth + 1)
        place = i
        while place > 0 and values[place - 1] < value:
            values[place] = values[place - 1]
            legal[place] = legal[place - 1]
            place -= 1
        values[place] = value
        legal[place] = action
    stack.count[depth] = count
    stack.next[depth] = 0


@kernel
def search_by_budget(stack, passes, state, chance, policy, rng, share, totals, tally, until):
    """Go on until `tally` has `until` nodes (positions that were generated) or everything was searched.

    totals: scratch, int64[2]
    """
    while is_due(tally, until):
        depth = stack.depth[0]
        if depth < 0:
            if passes[BUDGET] > 0:
                tally.counts[RESTARTS] += 1
                tally.counts[DONE] = 1 - passes[CUT]
            passes[BUDGET] = max(FIRST_BUDGET, min(2 * passes[BUDGET], MOST_BUDGET))
            passes[CUT] = 0
            stack.depth[0] = 0
            stack.count[0] = UNKNOWN
            stack.left[0] = passes[BUDGET]
        elif stack.count[depth] == UNKNOWN and stack.left[depth] <= 1:
            passes[CUT] = 1
            copy_words(state.words, stack.words[depth])
            totals[0] = 0
            made = play_on(state, policy, rng, totals, stack.codes[depth:])
            note_nodes(tally, depth + 1, depth + made)
            tally.counts[PLAYOUTS] += 1
            note_play(tally, stack.points[depth] + totals[0], stack.codes, depth + made)
            stack.depth[0] = depth - 1
        elif stack.count[depth] == UNKNOWN:
            order_actions(stack, state, chance, depth, tally)
        elif stack.next[depth] < stack.count[depth] and stack.left[depth] > 0:
            place = stack.next[depth]
            stack.next[depth] = place + 1
            part = stack.left[depth]
            if place + 1 < stack.count[depth]:
                part = max(1, min(part, np.int64(math.ceil(share * part))))
            stack.left[depth] -= part
            action = stack.legal[depth, place]
            copy_words(state.words, stack.words[depth])
            stack.points[depth + 1] = stack.points[depth] + apply_action(state, action, chance)
            stack.codes[depth] = action
            if is_over(state):
                note_play(tally, stack.points[depth + 1], stack.codes, depth + 1)
                # What it does not need is left to the others.
                stack.left[depth] += part - 1
            else:
                copy_words(stack.words[depth + 1], state.words)
                stack.count[depth + 1] = UNKNOWN
                stack.left[depth + 1] = part
                stack.depth[0] = depth + 1
        else:
            if stack.next[depth] < stack.count[depth]:
                passes[CUT] = 1
            stack.depth[0] = depth - 1


class DbsSearcher(PolicySearcher):
    """`dbs` on one thread."""

    def __init__(self, task: Task) -> None:
        super().__init__(task, str(task.settings["playout"]))
        self.stack = new_stack(self.root, self.longest)
        self.passes = np.zeros(2, np.int64)
        self.share = float(task.settings["share"])

    def go_on(self, until: int, spent: float) -> None:
        until = max(until, 1)
        while not self.finished and (self.nodes < until or self.tally.counts[PLAYOUTS] == 0):
            self._search(max(until, self.nodes + 1))

    def _search(self, until: int) -> None:
        search_by_budget(
            self.stack,
            self.passes,
            self.state,
            self.chance,
            self.policy,
            self.rng,
            self.share,
            self.totals,
            self.tally,
            until,
        )


class DbsSolver(PolicySolver):
    name = "dbs"
    title = "depth-budgeted search"
    source = "Billings, as told by Schadd et al. 2008, section 5.4; the details are ours"
    gains_by_threads = False
    parameters = (
        Parameter(
            "share", 0.5, "part of a budget that goes to the most promising action", 0.01, 0.99, tuned=(0.1, 0.9)
        ),
        playout_parameter("greedy", "tabu-color"),
    )

    def searcher(self, task: Task) -> Searcher:
        return DbsSearcher(task)


SOLVER = DbsSolver()
