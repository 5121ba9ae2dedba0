"""The search tree: a struct of arrays, allocated once per thread and used again for every search.

The children of a node are neighbours, `first[node]` .. `first[node] + count[node] - 1`, in ascending order of their
action codes, so that selection reads a few contiguous stretches of memory. Node 0 is the root.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels import inlined_kernel

ROOT = 0
NO_PARENT = -1
UNEXPANDED = -1

MAX_NODES = 4_000_000


class Tree(NamedTuple):
    """N nodes, states of W words, at most A actions in a state.

    parent: int32[N]; NO_PARENT at the root
    first: int32[N]; UNEXPANDED until the node has children
    count: int32[N]; number of children
    action: int32[N]; the action that led here
    depth: int32[N]; actions from the root
    made: uint8[N]; 1 once the state exists (children may be made on their first visit)
    visits, wins, legal: float64[N + 8]; simulations through the node, the sum of their rewards, legal actions of its
        state; padded because selection reads eight at a time
    points: int64[N]; points from the root to here
    legal_total: int64[N]; legal actions before each action from the root to here
    states: uint64[N, W]; the state's words
    scores: float64[A + 8]; scratch of selection
    actions: int32[A]; scratch of expansion
    totals: int64[2]; scratch of play-outs
    used: int32[1]; nodes in use after a search
    """

    parent: NDArray[np.int32]
    first: NDArray[np.int32]
    count: NDArray[np.int32]
    action: NDArray[np.int32]
    depth: NDArray[np.int32]
    made: NDArray[np.uint8]
    visits: NDArray[np.float64]
    wins: NDArray[np.float64]
    legal: NDArray[np.float64]
    points: NDArray[np.int64]
    legal_total: NDArray[np.int64]
    states: NDArray[np.uint64]
    scores: NDArray[np.float64]
    actions: NDArray[np.int32]
    totals: NDArray[np.int64]
    used: NDArray[np.int32]


def new_tree(iterations: int, max_actions: int, words: int) -> Tree:
    """A tree that `iterations` expansions of `max_actions` children can fill, but never above `MAX_NODES` nodes.

    A search that fills its tree goes on with play-outs from the leaves that it has. Pages of the arrays are touched,
    and so cost memory, only as far as nodes are really made.
    """
    nodes = min(1 + iterations * max_actions, max(MAX_NODES, 1 + max_actions))
    return Tree(
        parent=np.empty(nodes, np.int32),
        first=np.empty(nodes, np.int32),
        count=np.empty(nodes, np.int32),
        action=np.empty(nodes, np.int32),
        depth=np.empty(nodes, np.int32),
        made=np.empty(nodes, np.uint8),
        visits=np.empty(nodes + 8),
        wins=np.empty(nodes + 8),
        legal=np.empty(nodes + 8),
        points=np.empty(nodes, np.int64),
        legal_total=np.empty(nodes, np.int64),
        states=np.empty((nodes, words), np.uint64),
        scores=np.empty(max_actions + 8),
        actions=np.empty(max_actions, np.int32),
        totals=np.zeros(2, np.int64),
        used=np.zeros(1, np.int32),
    )


@inlined_kernel
def copy_words(target, source):
    """Copy one state's words, uint64[W]; a loop, because W is small and a slice assignment costs more."""
    for i in range(source.shape[0]):
        target[i] = source[i]
