"""Open-loop search: nodes are sequences of actions, and every simulation meets other pieces.

Where the closed tree keeps one sampled state a node, here a node keeps only what happened on average after its actions.
Each iteration plays from the root with fresh chance; in the position that it finds it chooses among the actions that
are legal there, walks on while it meets nodes that exist, makes one new node, and rolls out from its position. It costs
about the same and plays better, since a lucky piece is not taken for a law.

A child that was never made has no wins, no visits, and the number of legal actions of the position before it, which is
the best guess there is. Source: Perez Liebana et al., "Open loop search for general video game playing", GECCO 2015.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.game import apply_action, legal_actions, legal_count
from engine.kernels import inlined_kernel, kernel
from engine.search.lanes import LANES
from engine.search.policies import best_place, score_children, score_means
from engine.search.rollout import roll_out
from engine.search.scores import SCORE_LANES
from engine.search.settings import BY_FORMULA, playout_length, reward_of
from engine.search.statistics import children_gathered, look_from, node_begins, node_gained, node_rewarded
from engine.search.tree import ROOT, copy_words

UNMADE = -1
MAX_CELLS = 200_000_000


class OpenTree(NamedTuple):
    """N nodes; action codes below A.

    children: int32[N, A]; the node after each action, or UNMADE
    total_visits, total_wins, total_legal: float64[N]; simulations through the node, the sum of their rewards, the sum
        of the numbers of legal actions that they met there
    visits, wins, legal: float64[A + LANES], scores: float64[A + SCORE_LANES]; what the legal actions of one position
        are valued by: scratch
    actions: int32[A]; scratch
    path: int32[N + 1]; nodes of the present iteration: scratch
    totals: int64[2]; scratch of play-outs
    used: int32[1]; nodes in use after a search
    """

    children: NDArray[np.int32]
    total_visits: NDArray[np.float64]
    total_wins: NDArray[np.float64]
    total_legal: NDArray[np.float64]
    visits: NDArray[np.float64]
    wins: NDArray[np.float64]
    legal: NDArray[np.float64]
    scores: NDArray[np.float64]
    actions: NDArray[np.int32]
    path: NDArray[np.int32]
    totals: NDArray[np.int64]
    used: NDArray[np.int32]


def new_open_tree(iterations: int, codes: int) -> OpenTree:
    """A tree for so many iterations, each of which makes at most one node, and action codes below `codes`.

    A search that fills its tree, at `MAX_CELLS` entries of `children`, goes on with play-outs from what it has.
    """
    nodes = max(2, min(1 + iterations, MAX_CELLS // codes))
    return OpenTree(
        children=np.empty((nodes, codes), np.int32),
        total_visits=np.empty(nodes),
        total_wins=np.empty(nodes),
        total_legal=np.empty(nodes),
        visits=np.zeros(codes + LANES),
        wins=np.zeros(codes + LANES),
        legal=np.zeros(codes + LANES),
        scores=np.zeros(codes + SCORE_LANES),
        actions=np.empty(codes, np.int32),
        path=np.empty(nodes + 1, np.int32),
        totals=np.zeros(2, np.int64),
        used=np.zeros(1, np.int32),
    )


@inlined_kernel
def make_node(policy, tree):
    """A node without visits or children."""
    node = tree.used[0]
    tree.used[0] = node + 1
    tree.total_visits[node] = 0.0
    tree.total_wins[node] = 0.0
    tree.total_legal[node] = 0.0
    node_begins(policy, node)
    for code in range(tree.children.shape[1]):
        tree.children[node, code] = UNMADE
    return node


@inlined_kernel
def gather(policy, tree, node, count, legal_here):
    """Write what is known of the children of `node` by the first `count` of `tree.actions` to the scratch rows."""
    children_gathered(policy, tree, node, count)
    for j in range(count):
        child = tree.children[node, tree.actions[j]]
        if child == UNMADE:
            tree.visits[j] = 0.0
            tree.wins[j] = 0.0
            tree.legal[j] = legal_here
        else:
            visits = tree.total_visits[child]
            tree.visits[j] = visits
            tree.wins[j] = tree.total_wins[child]
            tree.legal[j] = tree.total_legal[child] / visits


@kernel
def search_open(root_words, work, chance, rng, policy, tree, settings, played):
    """The action that the search chooses in the state `root_words: uint64[W]`, which must have a legal action.

    Arguments as in `engine.search.mcts.search_closed`.
    """
    tree.used[0] = 0
    make_node(policy, tree)
    for _ in range(settings.iterations):
        copy_words(work.words, root_words)
        points = np.int64(0)
        legal_total = np.int64(0)
        node = ROOT
        depth = 0
        tree.path[0] = ROOT
        is_new = False
        while not is_new and depth < played.left:
            count = legal_actions(work, tree.actions)
            if count == 0:
                break
            gather(policy, tree, node, count, np.float64(count))
            look_from(policy, depth, played.left, tree.total_wins[node], tree.total_visits[node], 1.0)
            score_children(policy, tree, 0, count, tree.total_visits[node])
            action = tree.actions[best_place(tree.scores, count, rng)]
            child = tree.children[node, action]
            if child == UNMADE:
                if tree.used[0] == tree.children.shape[0]:
                    break
                child = make_node(policy, tree)
                tree.children[node, action] = child
                is_new = True
            gained = apply_action(work, action, chance)
            points += gained
            node_gained(policy, child, gained)
            if played.actions + depth < played.horizon:
                legal_total += count
            depth += 1
            node = child
            tree.path[depth] = node
            tree.total_legal[node] += np.float64(legal_count(work))
        length = playout_length(depth, settings, played)
        tree.totals[0] = 0
        tree.totals[1] = 0
        roll_out(work, chance, rng, length, played.horizon - played.actions - depth, settings, tree.totals)
        reward = reward_of(
            played.points + points + tree.totals[0],
            played.legal_total + legal_total + tree.totals[1],
            played.actions + depth + length,
            settings,
            played,
        )
        for step in range(depth + 1):
            tree.total_visits[tree.path[step]] += 1.0
            tree.total_wins[tree.path[step]] += reward
            node_rewarded(policy, tree.path[step], reward)
    copy_words(work.words, root_words)
    count = legal_actions(work, tree.actions)
    gather(policy, tree, ROOT, count, np.float64(count))
    if settings.final == BY_FORMULA:
        look_from(policy, 0, played.left, tree.total_wins[ROOT], tree.total_visits[ROOT], 0.0)
        score_children(policy, tree, 0, count, tree.total_visits[ROOT])
    else:
        score_means(tree, 0, count)
    return tree.actions[best_place(tree.scores, count, rng)]
