"""Monte-Carlo tree search for any game and any selection policy: one loop.

The closed tree of the paper: a node is an action *and* the state that it led to, with what fell in sampled once when
the node was made. One iteration walks down by the policy to a leaf, gives it all its legal actions as children, rolls
one of them out at random and adds the reward to every node on the way. `docs/algorithms/search.md` tells it in prose.

Source: Mugrai et al., Automated Playtesting of Matching Tile Games, section IV.B. Decisions where the paper is open:
unvisited children are not forced unless the policy values them so, ties are broken at random, the tree ends where the
game ends.
"""

from typing import NamedTuple

import numpy as np

from engine.game import apply_action, legal_actions, legal_count, random_playout
from engine.kernels import inlined_kernel, kernel
from engine.rng import below
from engine.search.policies import score_children
from engine.search.tree import NO_PARENT, ROOT, UNEXPANDED

# Objectives. What is maximised is the points or the mean number of legal actions of the whole game, or its negative.
MAXS, MINS, MAXM, MINM = 0, 1, 2, 3
OBJECTIVES = ("maxs", "mins", "maxm", "minm")

# Length of a play-out: as many actions as were left in the real game, counted from the leaf (the paper, literally), or
# up to the end of the game.
LITERAL, END = 0, 1
PLAYOUTS = ("literal", "end")

# The action that is played: the root's best child by the policy, or by mean reward.
BY_FORMULA, BY_MEAN = 0, 1
FINALS = ("formula", "mean")

ENDLESS = np.iinfo(np.int32).max


class Settings(NamedTuple):
    """What a search aims at.

    iterations: simulations a search, at least 1
    objective: MAXS, MINS, MAXM or MINM
    win: True rewards 1 if the outcome reaches `goal`, else 0; False rewards outcome / scale
    goal, scale: in units of the outcome (points, or legal actions), signed like it
    playout: LITERAL or END
    final: BY_FORMULA or BY_MEAN
    lazy: True makes the state of a child on its first visit. The distribution of all results is the same; only for
        policies that do not read the number of legal actions
    """

    iterations: int
    objective: int
    win: bool
    goal: float
    scale: float
    playout: int
    final: int
    lazy: bool


class Played(NamedTuple):
    """The real game so far, and how long it goes on.

    points: gained so far
    legal_total: legal actions, summed over the actions made that are among the first `horizon`
    actions: made so far
    left: actions left, ENDLESS in games without a limit
    horizon: numbers of legal actions count before that many actions of the game and are divided by it; ENDLESS counts
        all and divides by their number
    """

    points: int
    legal_total: int
    actions: int
    left: int
    horizon: int


@inlined_kernel
def copy_words(target, source):
    """Copy one state's words, uint64[W]; a loop, because W is small and a slice assignment costs more."""
    for i in range(source.shape[0]):
        target[i] = source[i]


@inlined_kernel
def best_child(tree, node, rng):
    """The child of `node` with the highest of `tree.scores`; one draw from `rng` decides among equals."""
    scores = tree.scores
    count = tree.count[node]
    best = 0
    highest = scores[0]
    equals = 1
    for j in range(1, count):
        if scores[j] > highest:
            best = j
            highest = scores[j]
            equals = 1
        elif scores[j] == highest:
            equals += 1
    if equals > 1:
        skip = below(rng, equals)
        for j in range(best, count):
            if scores[j] == highest:
                if skip == 0:
                    best = j
                    break
                skip -= 1
    return tree.first[node] + best


@inlined_kernel
def make_child(work, chance, tree, child, counted):
    """Make the state of `child` from its parent's by one sampled outcome of its action; `work` is scratch.

    Numbers of legal actions count in nodes less than `counted` actions deep.
    """
    parent = tree.parent[child]
    copy_words(work.words, tree.states[parent])
    gained = apply_action(work, tree.action[child], chance)
    copy_words(tree.states[child], work.words)
    tree.points[child] = tree.points[parent] + gained
    tree.legal_total[child] = tree.legal_total[parent]
    if tree.depth[parent] < counted:
        tree.legal_total[child] += np.int64(tree.legal[parent])
    tree.legal[child] = legal_count(work)
    tree.made[child] = 1


@inlined_kernel
def expand(work, chance, tree, node, counted, lazy):
    """Give `node` all its legal actions as children; False if it has none or the tree is full."""
    copy_words(work.words, tree.states[node])
    count = legal_actions(work, tree.actions)
    first = tree.used[0]
    if count == 0 or first + count > tree.parent.shape[0]:
        return False
    tree.first[node] = first
    tree.count[node] = count
    tree.used[0] = first + count
    for j in range(count):
        child = first + j
        tree.parent[child] = node
        tree.first[child] = UNEXPANDED
        tree.count[child] = 0
        tree.action[child] = tree.actions[j]
        tree.depth[child] = tree.depth[node] + 1
        tree.visits[child] = 0.0
        tree.wins[child] = 0.0
        tree.legal[child] = 0.0
        tree.made[child] = 0
        if not lazy:
            make_child(work, chance, tree, child, counted)
    return True


@inlined_kernel
def outcome(points, legal_total, counted, objective):
    """What an objective makes of a whole game: points, or mean of `counted` numbers, negative where less is wanted."""
    if objective == MAXS:
        return np.float64(points)
    if objective == MINS:
        return -np.float64(points)
    mean = legal_total / max(counted, 1)
    return mean if objective == MAXM else -mean


@inlined_kernel
def simulate(work, chance, rng, tree, leaf, settings, played):
    """Reward of one random play-out from `leaf`; `work` is scratch."""
    totals = tree.totals
    length = played.left
    if settings.playout == END:
        length -= tree.depth[leaf]
    totals[0] = 0
    totals[1] = 0
    copy_words(work.words, tree.states[leaf])
    random_playout(work, chance, rng, length, totals)
    counted = played.horizon
    if counted == ENDLESS:
        counted = played.actions + tree.depth[leaf] + length
    value = outcome(
        played.points + tree.points[leaf] + totals[0],
        played.legal_total + tree.legal_total[leaf] + totals[1],
        counted,
        settings.objective,
    )
    if settings.win:
        return 1.0 if value >= settings.goal else 0.0
    return value / settings.scale


@kernel
def search(root_words, work, chance, rng, policy, tree, settings, played):
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
    counted = played.horizon - played.actions
    for _ in range(settings.iterations):
        node = ROOT
        while tree.first[node] != UNEXPANDED:
            score_children(policy, tree, node)
            node = best_child(tree, node, rng)
        if tree.made[node] == 0:
            make_child(work, chance, tree, node, counted)
        if tree.depth[node] < played.left and expand(work, chance, tree, node, counted, settings.lazy):
            node = tree.first[node] + below(rng, tree.count[node])
            if tree.made[node] == 0:
                make_child(work, chance, tree, node, counted)
        reward = simulate(work, chance, rng, tree, node, settings, played)
        while node != NO_PARENT:
            tree.visits[node] += 1.0
            tree.wins[node] += reward
            node = tree.parent[node]
    if settings.final == BY_FORMULA:
        score_children(policy, tree, ROOT)
    else:
        score_means(tree, ROOT)
    return tree.action[best_child(tree, ROOT, rng)]


@inlined_kernel
def score_means(tree, node):
    """Write the mean reward of every child of `node` to `tree.scores`, of an unvisited one minus infinity."""
    first = tree.first[node]
    for j in range(tree.count[node]):
        visits = tree.visits[first + j]
        tree.scores[j] = tree.wins[first + j] / visits if visits > 0.0 else -np.inf
