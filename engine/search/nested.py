"""Nested Monte-Carlo search (`nested`), for any game without chance that has play-out policies.

Source: Cazenave, "Nested Monte-Carlo search", IJCAI 2009, as Schadd et al. 2012 (section 2.3) and Edelkamp et al. 2010
(section 7) tell of it: a search of level n plays a game; before each action it tries every action by a search of level
n - 1 (level 0 is one play-out, here TabuColorRandom), keeps the best play that it has met, and makes its next action.
A search that has come to its end begins anew with other draws.

The searches of all levels that are under way lie in rows of arrays, so that a slice may end anywhere.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.game import Words, apply_action, legal_actions
from engine.kernels import kernel
from engine.playouts import play_on
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

_UNTRIED = -1


class Games(NamedTuple):
    """The games under way, row l that of level l + 1, for plays of at most A actions.

    words: uint64[L, W]; the position
    legal: int32[L, A + 1]; its legal actions
    count, next: int64[L]; how many there are (`_UNTRIED` before they are known), which is tried next
    depth, points: int64[L]; actions made since the start of the level, what they gave
    score, length: int64[L]; of the best play met, NOTHING before the first
    best: int32[L, A]; its codes; path: int32[L, A]; the codes that led to the position
    level: int64[1]; the row whose turn it is
    """

    words: Words
    legal: NDArray[np.int32]
    count: NDArray[np.int64]
    next: NDArray[np.int64]
    depth: NDArray[np.int64]
    points: NDArray[np.int64]
    score: NDArray[np.int64]
    length: NDArray[np.int64]
    best: NDArray[np.int32]
    path: NDArray[np.int32]
    level: NDArray[np.int64]


def new_games(levels: int, longest: int, words: int) -> Games:
    rows = [np.zeros(levels, np.int64) for _ in range(6)]
    codes = [np.zeros((levels, longest), np.int32) for _ in range(2)]
    legal = np.zeros((levels, longest + 1), np.int32)
    return Games(np.zeros((levels, words), np.uint64), legal, *rows, *codes, level=np.zeros(1, np.int64))


@kernel
def begin_game(games, row, words, depth, points):
    """Begin the game of a row at a position."""
    copy_words(games.words[row], words)
    games.count[row] = _UNTRIED
    games.depth[row] = depth
    games.points[row] = points
    games.score[row] = NOTHING


@kernel
def keep_best(games, row, score, codes, length):
    """Let a row know of a play; the first of several equal ones is kept."""
    if score > games.score[row]:
        games.score[row] = score
        games.length[row] = length
        for i in range(length):
            games.best[row, i] = codes[i]


@kernel
def search_nested(games, root_words, state, chance, policy, rng, codes, totals, tally, until):
    """Go on until `tally` has `until` nodes: positions that were generated.

    codes, totals: scratch, int32[longest], int64[2]
    """
    top = games.count.shape[0] - 1
    while is_due(tally, until):
        row = games.level[0]
        copy_words(state.words, games.words[row])
        if games.count[row] == _UNTRIED:
            games.count[row] = legal_actions(state, games.legal[row])
            games.next[row] = 0
        depth = games.depth[row]
        if games.count[row] == 0:
            # The game of this row is over; what it found is one try of the row above.
            if row == top:
                tally.counts[RESTARTS] += 1
                begin_game(games, top, root_words, 0, 0)
            else:
                keep_best(games, row + 1, games.score[row], games.best[row], games.length[row])
                games.next[row + 1] += 1
                games.level[0] = row + 1
            continue
        is_try = games.next[row] < games.count[row]
        action = games.legal[row, games.next[row]] if is_try else games.best[row, depth]
        points = games.points[row] + apply_action(state, action, chance)
        if not is_try:
            games.path[row, depth] = action
            games.depth[row] = depth + 1
            games.points[row] = points
            games.count[row] = _UNTRIED
            copy_words(games.words[row], state.words)
            continue
        note_nodes(tally, depth + 1, depth + 1)
        target = codes if row == 0 else games.path[row - 1]
        for i in range(depth):
            target[i] = games.path[row, i]
        target[depth] = action
        if row > 0:
            begin_game(games, row - 1, state.words, depth + 1, points)
            games.level[0] = row - 1
            if legal_actions(state, games.legal[row - 1]) == 0:
                keep_best(games, row - 1, points, target, depth + 1)
                note_play(tally, points, target, depth + 1)
            continue
        totals[0] = 0
        made = play_on(state, policy, rng, totals, codes[depth + 1 :])
        note_nodes(tally, depth + 2, depth + 1 + made)
        tally.counts[PLAYOUTS] += 1
        keep_best(games, 0, points + totals[0], codes, depth + 1 + made)
        note_play(tally, points + totals[0], codes, depth + 1 + made)
        games.next[0] += 1


class NestedSearcher(PolicySearcher):
    """`nested` on one thread."""

    def __init__(self, task: Task) -> None:
        super().__init__(task, str(task.settings["playout"]))
        levels = int(task.settings["level"])
        self.games = new_games(levels, self.longest, len(self.root))
        self.games.level[0] = levels - 1
        begin_game(self.games, levels - 1, self.root, 0, 0)

    def go_on(self, until: int, spent: float) -> None:
        search_nested(
            self.games,
            self.root,
            self.state,
            self.chance,
            self.policy,
            self.rng,
            self.codes,
            self.totals,
            self.tally,
            until,
        )


class NestedSolver(PolicySolver):
    name = "nested"
    title = "nested Monte-Carlo search"
    source = "Cazenave 2009, as told by Schadd et al. 2012, section 2.3"
    parameters = (
        Parameter("level", 2, "how many searches lie in each other", 1, 6, tuned=(1, 4)),
        playout_parameter("tabu-color", "tabu-random", "random", "roulette"),
        Parameter("epsilon", 0.0, "chance that a play-out chooses among all actions", 0.0, 1.0, tuned=(0.0, 0.1)),
    )
    presets = {"level-1": {"level": 1}, "level-2": {"level": 2}, "level-3": {"level": 3}}

    def searcher(self, task: Task) -> Searcher:
        return NestedSearcher(task)


SOLVER = NestedSolver()
