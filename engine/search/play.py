"""Whole games inside a kernel, for agents that play many of them: random, greedy and tree search.

Every kernel plays `state` forward by the level's true queue and writes what `Trace` needs. Action `t` of a game draws
from the stream `split(key, t)` alone, where `key` is the game's: an agent that is asked for one action in the middle
of a game (`choose_*`) so finds the same one.
"""

import numpy as np

from engine.game import apply_action, legal_actions, legal_count, random_action
from engine.kernels import kernel
from engine.rng import below, split
from engine.search.dispatch import search
from engine.search.settings import ENDLESS, Played
from engine.search.tree import copy_words

GREEDY_SAMPLES = 32


@kernel
def choose_random(state, rng):
    """A legal action, all equally likely."""
    return random_action(state, rng)


@kernel
def choose_greedy(state, work, chance, rng, actions):
    """The action with the highest mean of immediate points over `GREEDY_SAMPLES` sampled outcomes, ties at random.

    work: a state of the same level, scratch; chance: `Sampled` on `rng`, so hidden pieces stay hidden
    actions: int32[>= number of legal actions], scratch
    """
    count = legal_actions(state, actions)
    best = np.int64(-1)
    highest = np.int64(0)
    equals = 0
    for j in range(count):
        total = np.int64(0)
        for _ in range(GREEDY_SAMPLES):
            copy_words(work.words, state.words)
            total += apply_action(work, actions[j], chance)
        if best < 0 or total > highest:
            best = np.int64(actions[j])
            highest = total
            equals = 1
        elif total == highest:
            equals += 1
            if below(rng, equals) == 0:
                best = np.int64(actions[j])
    return best


@kernel
def play_random(state, queue, key, length, rng, codes, legal_before):
    """Play up to `length` random actions; (points, actions made).

    state: changed in place; queue: the level's `Queued`; key: uint64, the game's stream; rng: uint64[1], scratch
    codes, legal_before: int32[>= length], written
    """
    points = np.int64(0)
    for t in range(length):
        legal = legal_count(state)
        if legal == 0:
            return points, t
        rng[0] = split(key, t)
        action = choose_random(state, rng)
        codes[t] = action
        legal_before[t] = legal
        points += apply_action(state, action, queue)
    return points, length


@kernel
def play_greedy(state, queue, key, length, work, chance, rng, actions, codes, legal_before):
    """Play up to `length` greedy actions, see `choose_greedy` and `play_random`; (points, actions made)."""
    points = np.int64(0)
    for t in range(length):
        legal = legal_count(state)
        if legal == 0:
            return points, t
        rng[0] = split(key, t)
        action = choose_greedy(state, work, chance, rng, actions)
        codes[t] = action
        legal_before[t] = legal
        points += apply_action(state, action, queue)
    return points, length


@kernel
def play_search(state, queue, key, begin, work, chance, rng, policy, tree, settings, codes, legal_before):
    """Play by tree search; (points, actions made, nodes made by all searches together).

    begin: the `Played` of a game that has not begun: `left` is its length, or ENDLESS
    chance: `Sampled` on `rng` for a fair agent, `queue` itself for a clairvoyant one; the rest as in `play_random`
    """
    length = min(begin.left, codes.shape[0])
    points = np.int64(0)
    legal_total = np.int64(0)
    nodes = np.int64(0)
    for t in range(length):
        legal = legal_count(state)
        if legal == 0:
            return points, t, nodes
        rng[0] = split(key, t)
        left = ENDLESS if begin.left == ENDLESS else begin.left - t
        played = Played(points, legal_total, np.int64(t), left, begin.horizon)
        action = search(state.words, work, chance, rng, policy, tree, settings, played)
        nodes += tree.used[0]
        codes[t] = action
        legal_before[t] = legal
        if t < begin.horizon:
            legal_total += legal
        points += apply_action(state, action, queue)
    return points, length, nodes
