"""Beam search (`beam`), for any game without chance that promises something for its positions (`engine.playouts`).

Source: breadth-first search that keeps the best `width` positions of each depth (Lowerre 1976; Takes and Kosters 2009
say that SPURIOUS AI searched like this). What is ours: the value of a position is points + `weight` * promise, up to
`noise` points more by chance; equal positions are kept once, with the most points; a beam that has come to its end is
followed by one of `growth` times the width, so that there is a play early and the budget decides how wide it gets.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.game import Words, apply_action, is_over, legal_actions
from engine.kernels import inlined_kernel, kernel
from engine.playouts import fingerprint, promise
from engine.rng import unit
from engine.search.policy import PolicySearcher, PolicySolver, play_first
from engine.search.seen import Seen, forget, new_seen, was_seen
from engine.search.tree import copy_words
from engine.solver import DONE, PLAYOUTS, RESTARTS, Parameter, Searcher, Task, is_due, note_nodes, note_play

MOST_WIDTH = 1 << 18


class Beam(NamedTuple):
    """Two layers and what led to them, for a width of at most M and plays of at most A actions.

    words: uint64[2, M, W]; points: int64[2, M]; of the present layer and the next
    heap: float64[M]; values of the children that are kept so far, the least on top
    from_node, action: int32[A + 1, M]; by depth, where a node comes from
    kept_parent, kept_action: int32[M], of the children in the heap
    seen: the positions met in the next layer
    now: int64[6]: depth, nodes in the layer, the next of them to expand, children kept, width, whether a child was left
    """

    words: Words
    points: NDArray[np.int64]
    heap: NDArray[np.float64]
    from_node: NDArray[np.int32]
    action: NDArray[np.int32]
    kept_parent: NDArray[np.int32]
    kept_action: NDArray[np.int32]
    seen: Seen
    now: NDArray[np.int64]


DEPTH, SIZE, NEXT, KEPT, WIDTH, LEFT = range(6)


def new_beam(width: int, longest: int, words: int) -> Beam:
    return Beam(
        np.empty((2, width, words), np.uint64),
        np.empty((2, width), np.int64),
        np.empty(width),
        np.empty((longest + 1, width), np.int32),
        np.empty((longest + 1, width), np.int32),
        np.empty(width, np.int32),
        np.empty(width, np.int32),
        new_seen(4 * width),
        np.zeros(6, np.int64),
    )


@kernel
def begin_beam(beam, root_words, width):
    """Begin a beam of a width at a position."""
    copy_words(beam.words[0, 0], root_words)
    beam.points[0, 0] = 0
    beam.now[DEPTH] = 0
    beam.now[SIZE] = 1
    beam.now[NEXT] = 0
    beam.now[KEPT] = 0
    beam.now[WIDTH] = width
    beam.now[LEFT] = 0
    forget(beam.seen)


@inlined_kernel
def put(beam, at, value, parent, action):
    beam.heap[at] = value
    beam.kept_parent[at] = parent
    beam.kept_action[at] = action


@inlined_kernel
def keep_child(beam, value, parent, action):
    """Put a child into the heap if there is room, or if it is better than the worst, which goes."""
    count, width = beam.now[KEPT], beam.now[WIDTH]
    if count == width:
        beam.now[LEFT] = 1
        if value <= beam.heap[0]:
            return
        at = np.int64(0)
        while True:
            child = 2 * at + 1
            if child >= count:
                break
            if child + 1 < count and beam.heap[child + 1] < beam.heap[child]:
                child += 1
            if beam.heap[child] >= value:
                break
            put(beam, at, beam.heap[child], beam.kept_parent[child], beam.kept_action[child])
            at = child
        put(beam, at, value, parent, action)
        return
    beam.now[KEPT] = count + 1
    at = count
    while at > 0:
        above = (at - 1) // 2
        if beam.heap[above] <= value:
            break
        put(beam, at, beam.heap[above], beam.kept_parent[above], beam.kept_action[above])
        at = above
    put(beam, at, value, parent, action)


@kernel
def write_path(beam, depth, node, codes):
    """Write the actions that led to a node of the layer at a depth."""
    for d in range(depth, 0, -1):
        codes[d - 1] = beam.action[d, node]
        node = beam.from_node[d, node]


@kernel
def next_layer(beam, state, chance):
    """Make the children that were kept the present layer; False if there are none."""
    count = beam.now[KEPT]
    depth = beam.now[DEPTH] + 1
    layer = depth % 2
    for i in range(count):
        parent, action = beam.kept_parent[i], beam.kept_action[i]
        copy_words(state.words, beam.words[1 - layer, parent])
        beam.points[layer, i] = beam.points[1 - layer, parent] + apply_action(state, action, chance)
        copy_words(beam.words[layer, i], state.words)
        beam.from_node[depth, i] = parent
        beam.action[depth, i] = action
    beam.now[DEPTH] = depth
    beam.now[SIZE] = count
    beam.now[NEXT] = 0
    beam.now[KEPT] = 0
    forget(beam.seen)
    return count > 0


@kernel
def search_beam(beam, state, chance, rng, weight, noise, actions, codes, tally, until):
    """Go on until `tally` has `until` nodes: positions that were generated. True once the beam is at its end.

    actions, codes: scratch, int32[most legal actions + 1], int32[longest]
    """
    while is_due(tally, until):
        if beam.now[NEXT] >= beam.now[SIZE]:
            if not next_layer(beam, state, chance):
                return True
            continue
        node = beam.now[NEXT]
        beam.now[NEXT] += 1
        depth = beam.now[DEPTH]
        layer = depth % 2
        copy_words(state.words, beam.words[layer, node])
        count = legal_actions(state, actions)
        for i in range(count):
            copy_words(state.words, beam.words[layer, node])
            points = beam.points[layer, node] + apply_action(state, actions[i], chance)
            note_nodes(tally, depth + 1, depth + 1)
            if was_seen(beam.seen, fingerprint(state), points):
                continue
            value = points + weight * promise(state)
            if noise > 0.0:
                value += noise * unit(rng)
            if is_over(state):
                write_path(beam, depth, node, codes)
                codes[depth] = actions[i]
                note_play(tally, points, codes, depth + 1)
            else:
                keep_child(beam, value, node, actions[i])
    return False


class BeamSearcher(PolicySearcher):
    """`beam` on one thread."""

    def __init__(self, task: Task) -> None:
        super().__init__(task, "tabu-color")
        settings = task.settings
        self.weight, self.noise = float(settings["weight"]), float(settings["noise"])
        self.growth = float(settings["growth"])
        self.width = int(settings["width"])
        self.beam: Beam | None = None
        self.actions = np.zeros(self.longest + 1, np.int32)

    def go_on(self, until: int, spent: float) -> None:
        if self.tally.counts[PLAYOUTS] == 0:
            # So that there is a play if even the first beam does not come to its end.
            play_first(self.root, self.state, self.policy, self.rng, self.totals, self.codes, self.tally)
        while self.nodes < until and not self.finished:
            if self.beam is None:
                self.beam = new_beam(self.width, self.longest, len(self.root))
                begin_beam(self.beam, self.root, self.width)
            is_at_end = search_beam(
                self.beam,
                self.state,
                self.chance,
                self.rng,
                self.weight,
                self.noise,
                self.actions,
                self.codes,
                self.tally,
                until,
            )
            if is_at_end and self.beam.now[LEFT] == 0:
                # Every play was seen.
                self.tally.counts[DONE] = 1
                return
            if is_at_end:
                self.tally.counts[RESTARTS] += 1
                self.width = min(MOST_WIDTH, max(self.width + 1, int(self.width * self.growth)))
                self.beam = None


class BeamSolver(PolicySolver):
    name = "beam"
    title = "beam search"
    source = "Lowerre 1976; what is kept is our choice"
    parameters = (
        Parameter("width", 16, "positions kept at each depth by the first beam", 1, MOST_WIDTH),
        Parameter("growth", 4.0, "how many times as wide each further beam is", 1.0, 100.0),
        Parameter("weight", 1.0, "of what a position promises", 0.0, 100.0, tuned=(0.0, 3.0)),
        Parameter("noise", 2.0, "points that chance adds to a value at most", 0.0, 10_000.0, tuned=(0.0, 100.0)),
    )

    def searcher(self, task: Task) -> Searcher:
        return BeamSearcher(task)


SOLVER = BeamSolver()
