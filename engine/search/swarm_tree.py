"""The tree of `hgsts` and its kernels; `engine.search.hgsts` tells what they do, and from where it is."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.game import Words, apply_action, is_over
from engine.kernels import inlined_kernel, kernel
from engine.playouts import candidates, fingerprint, play_on
from engine.rng import below
from engine.search.atomic import fetch_add, fetch_max, swap
from engine.search.seen import Seen, forget, new_seen, was_seen
from engine.search.tree import NO_PARENT, ROOT, UNEXPANDED, copy_words
from engine.solver import NODES, NOTHING, PLAYOUTS, is_due, note_nodes, note_play

MOST_AT_ONCE = 1000
"""Play-outs after which a slice ends, though it may have found nothing new."""
IDLE = 3
"""Place in `turn` of how many simulations of a thread there were since its last new node."""


class SwarmTree(NamedTuple):
    """N nodes, states for M expanded ones, shared by all threads that search in it.

    value: int64[N]; the highest score through the node, NOTHING before the first
    visits, open: int64[N]; `open` counts children that are not closed, 0 closes a node
    first, claimed: int64[N]; UNEXPANDED until the children are there; how many threads wanted to make them
    parent, action, fitness, count, state, points, depth: int32[N]
    states: uint64[M, W]; seen: positions of expanded nodes
    used: int64[2]; nodes and states in use
    roots: int64[R]; the nodes of the set, the root alone if there is none
    turn: int64[3]; how many roots there are, simulations left from the present one, its place
    """

    value: NDArray[np.int64]
    visits: NDArray[np.int64]
    open: NDArray[np.int64]
    first: NDArray[np.int64]
    claimed: NDArray[np.int64]
    parent: NDArray[np.int32]
    action: NDArray[np.int32]
    fitness: NDArray[np.int32]
    count: NDArray[np.int32]
    state: NDArray[np.int32]
    points: NDArray[np.int32]
    depth: NDArray[np.int32]
    states: Words
    seen: Seen
    used: NDArray[np.int64]
    roots: NDArray[np.int64]
    turn: NDArray[np.int64]


class Scratch(NamedTuple):
    """Of a thread. codes: int32[A]; actions: int32[A + 1], keys: uint64[A + 1]; totals: int64[2]; chosen: int64[K]."""

    codes: NDArray[np.int32]
    actions: NDArray[np.int32]
    keys: NDArray[np.uint64]
    totals: NDArray[np.int64]
    chosen: NDArray[np.int64]


class Rules(NamedTuple):
    """Of a search. c: exploration; runs: play-outs a simulation; layer: depth of the roots of the set, 0 for the root
    alone; best: roots a round; each: simulations of a root in a round; place, among: of the roots of a round a thread
    takes every `among`-th from `place` on, so that threads with one tree take different ones."""

    c: float
    runs: int
    layer: int
    best: int
    each: int
    place: int
    among: int


def new_swarm_tree(nodes: int, words: int, roots: int) -> SwarmTree:
    """Room for `nodes` nodes; memory is taken as it is used."""
    longs = [np.empty(nodes, np.int64) for _ in range(5)]
    integers = [np.empty(nodes, np.int32) for _ in range(7)]
    states = np.empty((nodes + 2, words), np.uint64)
    return SwarmTree(
        *longs,
        *integers,
        states,
        new_seen(nodes),
        np.zeros(2, np.int64),
        np.zeros(roots, np.int64),
        np.zeros(3, np.int64),
    )


@inlined_kernel
def make_node(tree, node, parent, action, fitness, depth):
    """A node without visits, whose children are not known."""
    tree.value[node] = NOTHING
    tree.visits[node] = 0
    tree.open[node] = 1
    tree.first[node] = UNEXPANDED
    tree.claimed[node] = 0
    tree.parent[node] = parent
    tree.action[node] = action
    tree.fitness[node] = fitness
    tree.count[node] = 0
    tree.state[node] = -1
    tree.depth[node] = depth


@kernel
def plant(tree, root_words):
    """Begin a tree at a position."""
    if tree.used[0] > 0:
        forget(tree.seen)
    make_node(tree, ROOT, NO_PARENT, -1, 1, 0)
    tree.points[ROOT] = 0
    copy_words(tree.states[0], root_words)
    tree.state[ROOT] = 0
    tree.used[0] = 1
    tree.used[1] = 1
    tree.roots[0] = ROOT
    tree.turn[0] = 1
    tree.turn[1] = 0
    tree.turn[2] = -1


@inlined_kernel
def go_to(tree, node, state, chance):
    """Make `state` the position of a node, and keep the points that led there."""
    if tree.state[node] >= 0:
        copy_words(state.words, tree.states[tree.state[node]])
        return
    parent = tree.parent[node]
    copy_words(state.words, tree.states[tree.state[parent]])
    tree.points[node] = tree.points[parent] + apply_action(state, tree.action[node], chance)


@inlined_kernel
def close(tree, node):
    """Close a node that is open, by the thread that has claimed it; its ancestors close with their last child."""
    while fetch_add(tree.open, node, -1) == 1 and tree.parent[node] != NO_PARENT:
        node = np.int64(tree.parent[node])


@kernel
def expand(tree, node, state, chance, policy, scratch, tally):
    """Give a node, at whose position `state` is, its children; nothing if there is no room or another thread does."""
    if fetch_add(tree.claimed, node, 1) > 0:
        return
    if was_seen(tree.seen, fingerprint(state), np.int64(tree.points[node])):
        close(tree, node)
        return
    count = candidates(state, policy, scratch.actions, scratch.keys)
    place = fetch_add(tree.used, 1, 1) if tree.state[node] < 0 else np.int64(tree.state[node])
    if place >= tree.states.shape[0]:
        return
    first = fetch_add(tree.used, 0, count)
    if first + count > tree.value.shape[0]:
        return
    copy_words(tree.states[place], state.words)
    tree.state[node] = place
    for i in range(count):
        copy_words(state.words, tree.states[place])
        gained = apply_action(state, scratch.actions[i], chance)
        make_node(tree, first + i, node, scratch.actions[i], 1 + max(0, gained), tree.depth[node] + 1)
    copy_words(state.words, tree.states[place])
    tree.count[node] = count
    fetch_add(tree.open, node, count - 1)
    depth = np.int64(tree.depth[node]) + 1
    for _ in range(count):
        note_nodes(tally, depth, depth)
    # Last, so that no other thread meets children that are not there yet.
    swap(tree.first, node, first)


@inlined_kernel
def pick_child(tree, node, first, c, rng):
    """A child without visits, drawn by fitness, or the best open one by its value; -1 if all are closed."""
    count = np.int64(tree.count[node])
    total = np.int64(0)
    for child in range(first, first + count):
        if tree.visits[child] == 0:
            total += tree.fitness[child]
    if total > 0:
        skip = below(rng, min(total, 1 << 31))
        for child in range(first, first + count):
            if tree.visits[child] == 0:
                skip -= tree.fitness[child]
                if skip < 0:
                    return child
    scale = c * math.sqrt(math.log(max(tree.visits[node], 2)))
    best, highest = np.int64(-1), -np.inf
    for child in range(first, first + count):
        if tree.open[child] > 0:
            value = tree.value[child] + scale / math.sqrt(tree.visits[child]) if tree.visits[child] > 0 else np.inf
            if value > highest:
                highest = value
                best = child
    return best


@inlined_kernel
def gather_layer(tree, layer):
    """Make the open nodes at a depth the roots of the set, as many as there is room for."""
    count = 0
    for node in range(min(tree.used[0], tree.value.shape[0])):
        if tree.depth[node] == layer and tree.open[node] > 0 and count < tree.roots.shape[0]:
            tree.roots[count] = node
            count += 1
    tree.turn[0] = count


@kernel
def grow_layer(tree, state, chance, policy, scratch, layer, tally):
    """Expand the tree completely down to a depth (breadth-first search), and make that layer the set of roots."""
    node = 0
    while node < min(tree.used[0], tree.value.shape[0]) and tree.depth[node] < layer:
        go_to(tree, node, state, chance)
        if is_over(state):
            write_path(tree, node, scratch.codes)
            note_play(tally, np.int64(tree.points[node]), scratch.codes, np.int64(tree.depth[node]))
            if fetch_add(tree.claimed, node, 1) == 0:
                close(tree, node)
        else:
            expand(tree, node, state, chance, policy, scratch, tally)
        node += 1
    gather_layer(tree, layer)
    if tree.turn[0] == 0:
        tree.roots[0] = ROOT
        tree.turn[0] = 1


@inlined_kernel
def choose_roots(tree, rules, scratch):
    """A round: write the `best` open roots by their UCT values to `scratch.chosen`, the best first; how many."""
    total = np.int64(1)
    for i in range(tree.turn[0]):
        total += tree.visits[tree.roots[i]]
    scale = rules.c * math.sqrt(math.log(total + 1.0))
    count = 0
    for i in range(tree.turn[0]):
        root = tree.roots[i]
        if tree.open[root] == 0:
            continue
        value = set_value(tree, root, scale)
        place = count
        while place > 0 and set_value(tree, scratch.chosen[place - 1], scale) < value:
            if place < rules.best:
                scratch.chosen[place] = scratch.chosen[place - 1]
            place -= 1
        if place < rules.best:
            scratch.chosen[place] = root
            count = min(count + 1, rules.best)
    return count


@inlined_kernel
def set_value(tree, root, scale):
    """The UCT value of a root of the set."""
    visits = tree.visits[root]
    return np.inf if visits == 0 else tree.value[root] + scale / math.sqrt(visits)


@inlined_kernel
def next_root(tree, rules, scratch, turn):
    """The root of the next simulation of a thread; `turn: int64[4]`: roots of a round, simulations, place, `IDLE`."""
    if rules.layer == 0:
        return np.int64(ROOT)
    while True:
        if turn[1] > 0 and turn[2] < turn[0] and tree.open[scratch.chosen[turn[2]]] > 0:
            turn[1] -= 1
            return scratch.chosen[turn[2]]
        turn[2] += rules.among
        turn[1] = rules.each
        if turn[2] >= turn[0]:
            turn[0] = choose_roots(tree, rules, scratch)
            if turn[0] == 0:
                return np.int64(ROOT)
            turn[2] = rules.place % turn[0]


@inlined_kernel
def write_path(tree, node, codes):
    """Write the actions from the root of the tree to a node."""
    while tree.parent[node] != NO_PARENT:
        codes[tree.depth[node] - 1] = tree.action[node]
        node = np.int64(tree.parent[node])


def is_full(tree: SwarmTree) -> bool:
    """Whether a node could not be expanded for want of room."""
    return bool(tree.used[0] > tree.value.shape[0] or tree.used[1] > tree.states.shape[0])


@kernel
def search_swarm(tree, rules, state, chance, policy, rng, scratch, turn, tally, until):
    """Simulations until `tally` has `until` nodes, `MOST_AT_ONCE` play-outs at most; False if all is closed."""
    ends = tally.counts[PLAYOUTS] + MOST_AT_ONCE
    steps = 0
    while tree.open[ROOT] > 0:
        before = tally.counts[NODES]
        node = next_root(tree, rules, scratch, turn)
        fetch_add(tree.visits, node, 1)
        is_fresh = False
        while tree.first[node] != UNEXPANDED and not is_fresh:
            child = pick_child(tree, node, tree.first[node], rules.c, rng)
            if child < 0:
                break
            is_fresh = fetch_add(tree.visits, child, 1) == 0
            node = child
        go_to(tree, node, state, chance)
        depth = np.int64(tree.depth[node])
        write_path(tree, node, scratch.codes)
        score = np.int64(tree.points[node])
        if is_over(state):
            note_play(tally, score, scratch.codes, depth)
            if fetch_add(tree.claimed, node, 1) == 0:
                close(tree, node)
        else:
            if not is_fresh and tree.first[node] == UNEXPANDED:
                expand(tree, node, state, chance, policy, scratch, tally)
            score = play_runs(tree, node, rules.runs, state, chance, policy, rng, scratch, tally)
        while node != NO_PARENT:
            if tree.value[node] < score:
                fetch_max(tree.value, node, score)
            node = np.int64(tree.parent[node])
        turn[IDLE] = turn[IDLE] + 1 if tally.counts[NODES] == before else 0
        steps += 1
        if not is_due(tally, until) or tally.counts[PLAYOUTS] >= ends or steps >= MOST_AT_ONCE:
            return True
    return False


@inlined_kernel
def play_runs(tree, node, runs, state, chance, policy, rng, scratch, tally):
    """The best score of some play-outs from a node; its path stands in `scratch.codes`."""
    depth = np.int64(tree.depth[node])
    best = np.int64(NOTHING)
    for _ in range(runs):
        go_to(tree, node, state, chance)
        scratch.totals[0] = 0
        made = play_on(state, policy, rng, scratch.totals, scratch.codes[depth:])
        score = tree.points[node] + scratch.totals[0]
        tally.counts[PLAYOUTS] += 1
        note_play(tally, score, scratch.codes, depth + made)
        best = max(best, score)
    return best
