"""Nested rollout policy adaptation (`nrpa`), for any game without chance that has play-out policies.

Source: Rosin, "Nested rollout policy adaptation for Monte Carlo tree search", IJCAI 2011. A search of level n makes
`iterations` searches of level n - 1 with its policy, a weight for every action key; after each it shifts its policy
towards the best play that it has met, by `alpha` times the gradient of that play's log-probability. Level 0 is a
play-out that draws every action by exp(weight) among the candidates of the game's policy, which spares a tabu colour.
A search that has come to its end begins anew with empty weights.

Keys are hashed into 2^17 places, and a place holds exp(weight) itself. The levels under way lie in rows of arrays.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.game import apply_action
from engine.kernels import inlined_kernel, kernel
from engine.playouts import candidates
from engine.rng import unit
from engine.search.policy import PolicySearcher, PolicySolver, playout_parameter
from engine.search.tree import copy_words
from engine.solver import (
    NOTHING,
    PLAYOUTS,
    RESTARTS,
    Parameter,
    Searcher,
    Task,
    is_due,
    note_nodes,
    note_play,
)

PLACES = 1 << 17
LOWEST, HIGHEST = 1e-150, 1e150
"""What a place holds at least and at most, so that no sum of places is 0 or infinite, however far policies shift."""
_SHIFT = np.uint64(64 - 17)


class Plays(NamedTuple):
    """Plays with all that was to be chosen from. Row 0 is the play-out, row l the best of level l; A actions at most.

    length, score: int64[L]; codes: int32[L, A]; taken: int32[L, A], which of the candidates was taken
    begins: int32[L, A + 1], where the candidates of an action begin in `places: int32[L, P]`, the places of their keys
    """

    length: NDArray[np.int64]
    score: NDArray[np.int64]
    codes: NDArray[np.int32]
    taken: NDArray[np.int32]
    begins: NDArray[np.int32]
    places: NDArray[np.int32]


class Levels(NamedTuple):
    """weights: float64[L, PLACES], row l the policy of level l, exp of its weights; done: int64[L], its iterations;
    gradient: float64[P], scratch; now: int64[1], the level whose turn it is, 0 before the first."""

    weights: NDArray[np.float64]
    done: NDArray[np.int64]
    gradient: NDArray[np.float64]
    now: NDArray[np.int64]


class Scratch(NamedTuple):
    """actions: int32[A + 1], keys: uint64[A + 1], of the candidates of one position."""

    actions: NDArray[np.int32]
    keys: NDArray[np.uint64]


@inlined_kernel
def draw_place(weights, places, begin, count, rng):
    """Which of `count` candidates, whose places begin at `begin`, is drawn by its weight."""
    total = 0.0
    for i in range(count):
        total += weights[places[begin + i]]
    left = unit(rng) * total
    for i in range(count - 1):
        left -= weights[places[begin + i]]
        if left < 0.0:
            return i
    return count - 1


@kernel
def play_weighted(state, chance, policy, weights, rng, plays, scratch):
    """Play row 0 of `plays` from the position of `state` to the end by `weights: float64[PLACES]`."""
    score = np.int64(0)
    length = 0
    begin = np.int64(0)
    while True:
        count = candidates(state, policy, scratch.actions, scratch.keys)
        plays.begins[0, length] = begin
        if count == 0:
            break
        for i in range(count):
            plays.places[0, begin + i] = np.int32(scratch.keys[i] >> _SHIFT)
        taken = draw_place(weights, plays.places[0], begin, count, rng)
        plays.taken[0, length] = taken
        plays.codes[0, length] = scratch.actions[taken]
        score += apply_action(state, scratch.actions[taken], chance)
        begin += count
        length += 1
    plays.length[0] = length
    plays.score[0] = score


@kernel
def copy_play(plays, target, source):
    """Make a row of `plays` the play of another one."""
    length = plays.length[source]
    plays.length[target] = length
    plays.score[target] = plays.score[source]
    for i in range(length):
        plays.codes[target, i] = plays.codes[source, i]
        plays.taken[target, i] = plays.taken[source, i]
        plays.begins[target, i] = plays.begins[source, i]
    last = plays.begins[source, length]
    plays.begins[target, length] = last
    for i in range(last):
        plays.places[target, i] = plays.places[source, i]


@kernel
def adapt(weights, plays, row, alpha, gradient):
    """Shift `weights: float64[PLACES]` towards the play of a row, by the gradient where they stand."""
    for t in range(plays.length[row]):
        begin, end = plays.begins[row, t], plays.begins[row, t + 1]
        total = 0.0
        for i in range(begin, end):
            total += weights[plays.places[row, i]]
        for i in range(begin, end):
            gradient[i] = -alpha * weights[plays.places[row, i]] / total
        gradient[begin + plays.taken[row, t]] += alpha
    for i in range(plays.begins[row, plays.length[row]]):
        place = plays.places[row, i]
        weights[place] = min(max(weights[place] * math.exp(gradient[i]), LOWEST), HIGHEST)


@kernel
def copy_weights(target, source):
    """Copy a policy. An assignment of slices would ask for memory."""
    for i in range(PLACES):
        target[i] = source[i]


@kernel
def search_adapting(levels, plays, scratch, root_words, state, chance, policy, rng, iterations, alpha, tally, until):
    """Go on until `tally` has `until` nodes: positions that were generated. At least one play-out is made."""
    top = levels.done.shape[0] - 1
    while is_due(tally, until):
        if levels.now[0] == 0:
            levels.weights[top, :] = 1.0
            plays.score[top] = NOTHING
            levels.done[top] = 0
            levels.now[0] = top
        level = levels.now[0]
        if levels.done[level] >= iterations:
            # This level is through: one iteration of the one above.
            if level == top:
                levels.now[0] = 0
                tally.counts[RESTARTS] += 1
                continue
            below, level = level, level + 1
            levels.now[0] = level
        elif level > 1:
            copy_weights(levels.weights[level - 1], levels.weights[level])
            plays.score[level - 1] = NOTHING
            levels.done[level - 1] = 0
            levels.now[0] = level - 1
            continue
        else:
            below = 0
            copy_words(state.words, root_words)
            play_weighted(state, chance, policy, levels.weights[level], rng, plays, scratch)
            tally.counts[PLAYOUTS] += 1
            note_nodes(tally, 1, plays.length[0])
            note_play(tally, plays.score[0], plays.codes[0], plays.length[0])
        if plays.score[below] >= plays.score[level]:
            copy_play(plays, level, below)
        adapt(levels.weights[level], plays, level, alpha, levels.gradient)
        levels.done[level] += 1


class NrpaSearcher(PolicySearcher):
    """`nrpa` on one thread."""

    def __init__(self, task: Task) -> None:
        super().__init__(task, str(task.settings["playout"]))
        settings = task.settings
        rows = int(settings["level"]) + 1
        # Every action of a play takes its candidates, and no play has more of both than this.
        room = self.longest * self.longest // 4 + self.longest
        codes = [np.zeros((rows, self.longest + 1), np.int32) for _ in range(3)]
        counts = [np.zeros(rows, np.int64) for _ in range(3)]
        self.plays = Plays(counts[0], counts[1], *codes, places=np.zeros((rows, room), np.int32))
        self.levels = Levels(np.ones((rows, PLACES)), counts[2], np.zeros(room), np.zeros(1, np.int64))
        self.scratch = Scratch(np.zeros(self.longest + 1, np.int32), np.zeros(self.longest + 1, np.uint64))
        self.iterations, self.alpha = int(settings["iterations"]), float(settings["alpha"])

    def go_on(self, until: int, spent: float) -> None:
        search_adapting(
            self.levels,
            self.plays,
            self.scratch,
            self.root,
            self.state,
            self.chance,
            self.policy,
            self.rng,
            self.iterations,
            self.alpha,
            self.tally,
            until,
        )


class NrpaSolver(PolicySolver):
    name = "nrpa"
    title = "nested rollout policy adaptation"
    source = "Rosin 2011"
    parameters = (
        Parameter("level", 3, "how many searches lie in each other", 1, 6),
        Parameter("iterations", 100, "searches of the level below that a search makes", 1, 100_000, tuned=(10, 400)),
        Parameter("alpha", 1.0, "how far a policy shifts towards the best play", 0.001, 100.0, tuned=(0.1, 3.0)),
        playout_parameter("tabu-last", "tabu-fixed", "tabu-color", "random"),
        Parameter("tabu", 0, "the spared colour by its rank: 0 is the most frequent of the level", 0, 8),
    )
    presets = {"level-3": {"level": 3}, "level-4": {"level": 4}}

    def searcher(self, task: Task) -> Searcher:
        return NrpaSearcher(task)


SOLVER = NrpaSolver()
