"""The search tree: a struct of arrays, allocated once per thread and used again for every search.

The children of a node are neighbours, `first[node]` .. `first[node] + count[node] - 1`, in ascending order of their
action codes, so that selection reads a few contiguous stretches of memory. Node 0 is the root.
"""

from typing import NamedTuple

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload
from numpy.typing import NDArray

from engine.game import Words

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
    scores: float64[A + 16]; scratch of selection, padded because sixteen are compared at a time
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
        scores=np.empty(max_actions + 16),
        actions=np.empty(max_actions, np.int32),
        totals=np.zeros(2, np.int64),
        used=np.zeros(1, np.int32),
    )


_CHUNK = 8


@intrinsic
def _copy_chunk(typing_context, target, source):
    """Copy eight words from one address to another: all loads, then all stores, so that neither waits for the other."""

    def generate(context, builder, signature, arguments):
        pointer = ir.PointerType(ir.IntType(64))
        into, out_of = (builder.inttoptr(address, pointer) for address in arguments)
        places = [ir.Constant(ir.IntType(32), i) for i in range(_CHUNK)]
        words = [builder.load(builder.gep(out_of, [place])) for place in places]
        for place, word in zip(places, words, strict=True):
            builder.store(word, builder.gep(into, [place]))
        return context.get_dummy_value()

    return types.void(types.int64, types.int64), generate


def copy_words(target: Words, source: Words) -> None:
    """Copy one state's words, uint64[W] of another state or row. This body is for unjitted runs only."""
    target[:] = source


@overload(copy_words, jit_options={"error_model": "numpy", "forceinline": True})
def _copy_words(target, source):
    def compiled(target, source):
        size = source.shape[0]
        if size < _CHUNK:
            for i in range(size):
                target[i] = source[i]
            return
        into, out_of = target.ctypes.data, source.ctypes.data
        for start in range(0, size - _CHUNK, _CHUNK):
            _copy_chunk(into + 8 * start, out_of + 8 * start)
        # The last chunk ends with the last word, and so may copy some a second time.
        _copy_chunk(into + 8 * (size - _CHUNK), out_of + 8 * (size - _CHUNK))

    return compiled
