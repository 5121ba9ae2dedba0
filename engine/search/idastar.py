"""Iterative deepening A* (`idastar`), for any game without chance that has a bound on what a position can still give.

Source: Schadd et al. 2008, section 3, and 2012, section 3: f = g + h with an over-estimator h (in SameGame: every
colour goes in one group, and the board is cleared unless a colour has one block). Points are to be as many as possible,
so a pass searches what has f >= threshold, beginning with h of the start; the next takes the largest f that was cut.
A whole play with f >= threshold is the best there is. Ours: a position that is cut is played to the end by the policy
`playout`, so that there is always a play; what these play-outs generate is not counted among the nodes.
"""

import numpy as np

from engine.game import apply_action, is_over, legal_actions
from engine.kernels import kernel
from engine.playouts import bound, play_on
from engine.search.policy import PolicySearcher, PolicySolver, play_first, playout_parameter
from engine.search.stack import UNKNOWN, new_stack
from engine.search.tree import copy_words
from engine.solver import (
    DONE,
    NOTHING,
    PLAYOUTS,
    RESTARTS,
    SCORE,
    Searcher,
    Task,
    is_due,
    note_nodes,
    note_play,
)

THRESHOLD, LARGEST_CUT = 0, 1
"""Places in `passes: int64[2]`."""


@kernel
def search_by_threshold(stack, passes, state, chance, policy, rng, totals, tally, until):
    """Go on until `tally` has `until` nodes (positions that were generated) or the best play is known.

    totals: scratch, int64[2]
    """
    while is_due(tally, until):
        depth = stack.depth[0]
        if depth < 0:
            tally.counts[RESTARTS] += passes[THRESHOLD] != NOTHING
            copy_words(state.words, stack.words[0])
            passes[THRESHOLD] = bound(state) if passes[THRESHOLD] == NOTHING else passes[LARGEST_CUT]
            passes[LARGEST_CUT] = NOTHING
            if tally.counts[SCORE] >= passes[THRESHOLD]:
                tally.counts[DONE] = 1
            stack.depth[0] = 0
            stack.count[0] = UNKNOWN
        elif stack.count[depth] == UNKNOWN:
            copy_words(state.words, stack.words[depth])
            stack.count[depth] = legal_actions(state, stack.legal[depth])
            stack.next[depth] = 0
        elif stack.next[depth] == stack.count[depth]:
            stack.depth[0] = depth - 1
        else:
            action = stack.legal[depth, stack.next[depth]]
            stack.next[depth] += 1
            copy_words(state.words, stack.words[depth])
            points = stack.points[depth] + apply_action(state, action, chance)
            note_nodes(tally, depth + 1, depth + 1)
            stack.codes[depth] = action
            if is_over(state):
                note_play(tally, points, stack.codes, depth + 1)
                if points >= passes[THRESHOLD]:
                    tally.counts[DONE] = 1
                else:
                    passes[LARGEST_CUT] = max(passes[LARGEST_CUT], points)
                continue
            f = points + bound(state)
            if f >= passes[THRESHOLD]:
                copy_words(stack.words[depth + 1], state.words)
                stack.points[depth + 1] = points
                stack.count[depth + 1] = UNKNOWN
                stack.depth[0] = depth + 1
                continue
            passes[LARGEST_CUT] = max(passes[LARGEST_CUT], f)
            totals[0] = 0
            made = play_on(state, policy, rng, totals, stack.codes[depth + 1 :])
            tally.counts[PLAYOUTS] += 1
            note_play(tally, points + totals[0], stack.codes, depth + 1 + made)


class IdaStarSearcher(PolicySearcher):
    """`idastar` on one thread."""

    def __init__(self, task: Task) -> None:
        super().__init__(task, str(task.settings["playout"]))
        self.stack = new_stack(self.root, self.longest)
        self.passes = np.full(2, NOTHING, np.int64)

    def go_on(self, until: int, spent: float) -> None:
        if self.tally.counts[PLAYOUTS] == 0:
            play_first(self.root, self.state, self.policy, self.rng, self.totals, self.stack.codes, self.tally)
        search_by_threshold(
            self.stack,
            self.passes,
            self.state,
            self.chance,
            self.policy,
            self.rng,
            self.totals,
            self.tally,
            until,
        )


class IdaStarSolver(PolicySolver):
    name = "idastar"
    title = "iterative deepening A*"
    source = "Schadd et al. 2008, section 3, and 2012, section 3"
    gains_by_threads = False
    parameters = (playout_parameter("greedy", "tabu-color"),)

    def searcher(self, task: Task) -> Searcher:
        return IdaStarSearcher(task)


SOLVER = IdaStarSolver()
