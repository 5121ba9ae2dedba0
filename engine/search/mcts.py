"""Monte-Carlo tree search in a closed tree, for any game and any selection policy: one loop.

The closed tree of the paper: a node is an action *and* the state that it led to, with what fell in sampled once when
the node was made. One iteration walks down by the policy to a leaf, gives it all its legal actions as children, rolls
one of them out at random and adds the reward to every node on the way. `docs/algorithms/search.md` tells it in prose.

Source: Mugrai et al., Automated Playtesting of Matching Tile Games, section IV.B. Decisions where the paper is open:
unvisited children are not forced unless the policy values them so, ties are broken at random, the tree ends where the
game ends.
"""

import numpy as np

from engine.game import apply_action, legal_actions, legal_count, with_words
from engine.kernels import inlined_kernel, kernel
from engine.rng import below
from engine.search.policies import best_place, score_children, score_means
from engine.search.rollout import roll_out
from engine.search.settings import BY_FORMULA, playout_length, reward_of
from engine.search.statistics import look_from, node_begins, node_gained, node_rewarded
from engine.search.tree import NO_PARENT, ROOT, UNEXPANDED, copy_words


@inlined_kernel
def make_child(work, chance, policy, tree, child, counted):
    """Make the state of `child` from its parent's by one sampled outcome of its action; `work` lends its scratch.

    Numbers of legal actions count in nodes less than `counted` actions deep.
    """
    # An index without a sign needs no look at whether it counts from the end.
    child = np.uint64(child)
    parent = np.uint64(tree.parent[child])
    state = with_words(work, tree.states[child])
    copy_words(state.words, tree.states[parent])
    gained = apply_action(state, tree.action[child], chance)
    node_gained(policy, child, gained)
    tree.points[child] = tree.points[parent] + gained
    tree.legal_total[child] = tree.legal_total[parent]
    if tree.depth[parent] < counted:
        tree.legal_total[child] += np.int64(tree.legal[parent])
    tree.legal[child] = legal_count(state)
    tree.made[child] = 1


@inlined_kernel
def expand(work, chance, policy, tree, node, counted, lazy):
    """Give `node` all its legal actions as children; False if it has none or the tree is full."""
    count = legal_actions(with_words(work, tree.states[np.uint64(node)]), tree.actions)
    first = tree.used[0]
    if count == 0 or first + count > tree.parent.shape[0]:
        return False
    tree.first[node] = first
    tree.count[node] = count
    tree.used[0] = first + count
    depth = tree.depth[node] + 1
    for j in range(np.uint64(count)):
        child = np.uint64(first) + j
        tree.parent[child] = node
        tree.first[child] = UNEXPANDED
        tree.count[child] = 0
        tree.action[child] = tree.actions[j]
        tree.depth[child] = depth
        tree.visits[child] = 0.0
        tree.wins[child] = 0.0
        tree.legal[child] = 0.0
        tree.made[child] = 0
        node_begins(policy, child)
        if not lazy:
            make_child(work, chance, policy, tree, child, counted)
    return True


@inlined_kernel
def simulate(work, chance, rng, tree, leaf, settings, played):
    """Reward of one random play-out from `leaf`; `work` is scratch."""
    totals = tree.totals
    length = playout_length(tree.depth[leaf], settings, played)
    totals[0] = 0
    totals[1] = 0
    copy_words(work.words, tree.states[leaf])
    roll_out(work, chance, rng, length, played.horizon - played.actions - tree.depth[leaf], settings, totals)
    return reward_of(
        played.points + tree.points[leaf] + totals[0],
        played.legal_total + tree.legal_total[leaf] + totals[1],
        played.actions + tree.depth[leaf] + length,
        settings,
        played,
    )


@kernel
def search_closed(root_words, work, chance, rng, policy, tree, settings, played):
    """The action that the search chooses in the state `root_words: uint64[W]`, which must have a legal action.

    work: a state of the same level, scratch; chance: `Sampled` for a fair search, `Queued` for a clairvoyant one
    rng: uint64[1], advanced; tree: overwritten, its root keeps visits and rewards of the last search
    """
    copy_words(tree.states[ROOT], root_words)
    copy_words(work.words, root_words)
    tree.parent[ROOT] = NO_PARENT
    tree.first[ROOT] = UNEXPANDED
    tree.count[ROOT] = 0
    tree.depth[ROOT] = 0
    tree.made[ROOT] = 1
    tree.visits[ROOT] = 0.0
    tree.wins[ROOT] = 0.0
    tree.points[ROOT] = 0
    tree.legal_total[ROOT] = 0
    tree.legal[ROOT] = legal_count(work)
    tree.used[0] = 1
    node_begins(policy, ROOT)
    counted = played.horizon - played.actions
    for _ in range(settings.iterations):
        node = ROOT
        while tree.first[node] != UNEXPANDED:
            look_from(policy, tree.depth[node], played.left, tree.wins[node], tree.visits[node], 1.0)
            score_children(policy, tree, tree.first[node], tree.count[node], tree.visits[node])
            node = tree.first[node] + best_place(tree.scores, tree.count[node], rng)
        if tree.made[node] == 0:
            make_child(work, chance, policy, tree, node, counted)
        if tree.depth[node] < played.left and expand(work, chance, policy, tree, node, counted, settings.lazy):
            node = tree.first[node] + below(rng, tree.count[node])
            if tree.made[node] == 0:
                make_child(work, chance, policy, tree, node, counted)
        reward = simulate(work, chance, rng, tree, node, settings, played)
        while node != NO_PARENT:
            tree.visits[node] += 1.0
            tree.wins[node] += reward
            node_rewarded(policy, node, reward)
            node = tree.parent[node]
    first = tree.first[ROOT]
    count = tree.count[ROOT]
    if settings.final == BY_FORMULA:
        look_from(policy, 0, played.left, tree.wins[ROOT], tree.visits[ROOT], 0.0)
        score_children(policy, tree, first, count, tree.visits[ROOT])
    else:
        score_means(tree, first, count)
    return tree.action[first + best_place(tree.scores, count, rng)]
