"""The tree of `sp-mcts` and its kernels; `engine.search.sp_mcts` tells what they do, and from where it is."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.game import Words, apply_action, legal_actions, legal_count
from engine.kernels import inlined_kernel, kernel
from engine.playouts import play_on
from engine.rng import below
from engine.search.tree import NO_PARENT, ROOT, UNEXPANDED, copy_words
from engine.solver import DEEPEST, DEPTHS, DONE, NODES, PLAYOUTS, is_due, note_play

STALL = 1000
MOST_AT_ONCE = 500
"""Simulations after which a slice ends, though it may have found nothing new."""
MOST_STORED = 4_000_000
"""Nodes of a tree, which has up to about a kilobyte a node; one that is full is followed by another."""
_PLACES = 10
"""Places for a stored node on average: most of them never have children."""


class Settings(NamedTuple):
    """Of formula 1 and the tree.

    expand_after: see the module; leave_closed: closed children are not visited again
    simulations: after so many a tree ends; 0: once it finds nothing new
    """

    c: float
    d: float
    w: float
    threshold: int
    expand_after: bool
    leave_closed: bool
    simulations: int


class Nodes(NamedTuple):
    """P places for nodes, of which those with visits are stored nodes; states for M of them, W words each.

    The children of a node are neighbours from `first` on, one place for each legal action in ascending order of codes.

    base: float64[P]; v + W top + the term of the deviation, infinite before the first visit
    narrow: float64[P]; 1 / sqrt(visits)
    total, squares, top: float64[P]; sum, sum of squares and highest of the scores from the root on
    visits, action, parent, first, count, made, open, state, points, depth: int32[P]; `made` children are stored ones,
        `open` children are not closed; points from the root to here; depth from the root
    states: uint64[M, W]
    used: int64[3]; places in use, states in use, simulations since the last new node
    """

    base: NDArray[np.float64]
    narrow: NDArray[np.float64]
    total: NDArray[np.float64]
    squares: NDArray[np.float64]
    top: NDArray[np.float64]
    visits: NDArray[np.int32]
    action: NDArray[np.int32]
    parent: NDArray[np.int32]
    first: NDArray[np.int32]
    count: NDArray[np.int32]
    made: NDArray[np.int32]
    open: NDArray[np.int32]
    state: NDArray[np.int32]
    points: NDArray[np.int32]
    depth: NDArray[np.int32]
    states: Words
    used: NDArray[np.int64]


def new_nodes(stored: int, most_actions: int, words: int) -> Nodes:
    """Room for about `stored` nodes, at most `MOST_STORED`; memory is taken as it is used."""
    stored = min(stored, MOST_STORED) + 1000
    places = min(_PLACES, most_actions) * stored + 2 * most_actions
    numbers = [np.empty(places) for _ in range(5)]
    integers = [np.empty(places, np.int32) for _ in range(10)]
    return Nodes(*numbers, *integers, states=np.empty((stored, words), np.uint64), used=np.zeros(3, np.int64))


@inlined_kernel
def blank(nodes, place, parent, action):
    """Make a place that of a child without visits."""
    nodes.base[place] = np.inf
    nodes.narrow[place] = 0.0
    nodes.total[place] = 0.0
    nodes.squares[place] = 0.0
    nodes.top[place] = -np.inf
    nodes.visits[place] = 0
    nodes.action[place] = action
    nodes.parent[place] = parent
    nodes.first[place] = UNEXPANDED


@inlined_kernel
def keep(nodes, place, state, points, depth, origin, tally):
    """Store the node of a place with the position of `state`; `origin` actions of the game led to the root."""
    legal = legal_count(state)
    nodes.count[place] = legal
    nodes.open[place] = legal
    nodes.made[place] = 0
    nodes.points[place] = points
    nodes.depth[place] = depth
    nodes.state[place] = nodes.used[1]
    copy_words(nodes.states[nodes.used[1]], state.words)
    nodes.used[1] += 1
    nodes.used[2] = 0
    tally.counts[NODES] += 1
    tally.counts[DEPTHS] += origin + depth
    tally.counts[DEEPEST] = max(tally.counts[DEEPEST], origin + depth)


@kernel
def plant(nodes, root_words, state, origin, tally):
    """Begin a tree at the position `root_words`."""
    nodes.used[:] = 0
    blank(nodes, ROOT, NO_PARENT, -1)
    nodes.used[0] = 1
    copy_words(state.words, root_words)
    keep(nodes, ROOT, state, 0, 0, origin, tally)


@inlined_kernel
def give_places(nodes, node, state, actions):
    """Give a node a place for every legal action, its position being that of `state`; False if there is no room."""
    count = nodes.count[node]
    first = nodes.used[0]
    if first + count > nodes.base.shape[0]:
        return False
    legal_actions(state, actions)
    for j in range(count):
        blank(nodes, first + j, node, actions[j])
    nodes.first[node] = first
    nodes.used[0] = first + count
    return True


@inlined_kernel
def unseen_child(nodes, node, rng):
    """The place of a child without visits, all equally likely; there must be one."""
    place = nodes.first[node]
    skip = below(rng, nodes.count[node] - nodes.made[node])
    while nodes.visits[place] > 0 or skip > 0:
        skip -= nodes.visits[place] == 0
        place += 1
    return place


@inlined_kernel
def best_child(nodes, node, settings):
    """The place of the child that formula 1 values most, of several the first."""
    first = nodes.first[node]
    scale = settings.c * math.sqrt(math.log(nodes.visits[node]))
    best = first
    highest = -np.inf
    for place in range(first, first + nodes.count[node]):
        value = nodes.base[place] + scale * nodes.narrow[place]
        if value > highest:
            highest = value
            best = place
    return best


@inlined_kernel
def back_up(nodes, node, score, settings):
    """Add the score of a simulation to a node and all above it."""
    while node != NO_PARENT:
        nodes.visits[node] += 1
        nodes.total[node] += score
        nodes.squares[node] += score * score
        nodes.top[node] = max(nodes.top[node], score)
        n = np.float64(nodes.visits[node])
        mean = nodes.total[node] / n
        spread = max(nodes.squares[node] - n * mean * mean, 0.0) + settings.d
        nodes.base[node] = mean + settings.w * nodes.top[node] + math.sqrt(spread / n)
        nodes.narrow[node] = 1.0 / math.sqrt(n)
        if settings.leave_closed and nodes.open[node] == 0:
            nodes.base[node] = -np.inf
        node = nodes.parent[node]


@inlined_kernel
def close(nodes, node):
    """A node whose plays were all seen counts as closed in its parent, and so on."""
    while nodes.open[node] == 0 and nodes.parent[node] != NO_PARENT:
        node = nodes.parent[node]
        nodes.open[node] -= 1


@inlined_kernel
def follow(nodes, node, state, codes, made, actions):
    """Where the actions `codes[:made]` leave the tree: the place of the first that is no node, or of the end.

    `state` is left at the position before the last action of that way. -1: there is no room for a node more.
    """
    for i in range(made):
        copy_words(state.words, nodes.states[nodes.state[node]])
        if nodes.first[node] == UNEXPANDED and not give_places(nodes, node, state, actions):
            return -1
        place = nodes.first[node]
        while nodes.action[place] != codes[i]:
            place += 1
        if nodes.visits[place] == 0:
            return place
        node = place
    return node


@inlined_kernel
def store_child(nodes, place, state, chance, origin, tally):
    """Store the node of a place, `state` being at its parent's position."""
    parent = nodes.parent[place]
    gained = apply_action(state, nodes.action[place], chance)
    nodes.made[parent] += 1
    keep(nodes, place, state, nodes.points[parent] + gained, nodes.depth[parent] + 1, origin, tally)


@inlined_kernel
def is_spent(nodes, settings):
    """Whether a tree has had its simulations, or finds nothing new any more."""
    if settings.simulations > 0:
        return nodes.visits[ROOT] >= settings.simulations
    return nodes.used[2] > STALL + 2 * settings.threshold


@kernel
def simulate_until(nodes, state, chance, policy, rng, settings, origin, points, codes, actions, totals, tally, until):
    """Simulations until `tally` has `until` nodes, at least one, at most `MOST_AT_ONCE`; False if it can do no more.

    That is so once its play is as good as any, or the tree is full, closed or spent.
    origin: actions of the game before the root, `codes[:origin]`; points: what they gave
    codes, actions, totals: scratch, int32[longest], int32[most legal actions + 1], int64[2]
    """
    for _ in range(MOST_AT_ONCE):
        if nodes.open[ROOT] == 0:
            tally.counts[DONE] = origin == 0
            return False
        if nodes.used[1] >= nodes.states.shape[0] or is_spent(nodes, settings):
            return False
        node = ROOT
        is_new = False
        while nodes.visits[node] > settings.threshold and nodes.count[node] > 0:
            if nodes.first[node] == UNEXPANDED:
                copy_words(state.words, nodes.states[nodes.state[node]])
                if not give_places(nodes, node, state, actions):
                    return False
            if nodes.made[node] < nodes.count[node]:
                place = unseen_child(nodes, node, rng)
                copy_words(state.words, nodes.states[nodes.state[node]])
                store_child(nodes, place, state, chance, origin, tally)
                is_new = True
            else:
                place = best_child(nodes, node, settings)
            node = place
            codes[origin + nodes.depth[node] - 1] = nodes.action[node]
            if is_new:
                break
        nodes.used[2] += 1
        score = nodes.points[node]
        length = origin + nodes.depth[node]
        if nodes.count[node] > 0:
            copy_words(state.words, nodes.states[nodes.state[node]])
            totals[0] = 0
            rest = codes[length:]
            made = play_on(state, policy, rng, totals, rest)
            score += totals[0]
            tally.counts[PLAYOUTS] += 1
            if not is_new and not settings.expand_after:
                node = follow(nodes, node, state, rest, made, actions)
                if node < 0:
                    return False
                if nodes.visits[node] == 0:
                    store_child(nodes, node, state, chance, origin, tally)
                    is_new = True
            length += made
        note_play(tally, points + score, codes, length)
        if is_new:
            close(nodes, node)
        back_up(nodes, node, np.float64(score), settings)
        if not is_due(tally, until):
            return tally.counts[DONE] == 0
    return True
