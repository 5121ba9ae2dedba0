"""Flat Monte-Carlo search by play-outs, without a tree (`mc-rws`: with the roulette wheel of Takes and Kosters).

Source: Schadd et al. 2012, section 2.3 and 4.1, who tell of Takes and Kosters, "Solving SameGame and its chessboard
variant", BNAIC 2009. Theirs searches before every action; so does `per = move` here, each search with its part of the
budget, and the best play found so far is kept and followed.
"""

import numpy as np

from engine.kernels import kernel
from engine.playouts import play_on
from engine.search.parts import LENGTH_OF_GAME, PER, RESTARTS_OF_GAME, PartedSearcher
from engine.search.policy import PolicySolver, new_policy, playout_parameter
from engine.search.tree import copy_words
from engine.solver import PLAYOUTS, Parameter, Searcher, Task, is_due, note_nodes, note_play


@kernel
def play_many(root_words, state, policy, rng, played, points, codes, totals, tally, until):
    """Play-outs from `root_words` until `tally` has `until` nodes, where a node is a position that was generated.

    played: actions that led to the root, `codes[:played]`; points: what they gave
    codes, totals: scratch, int32[longest] and int64[2]
    """
    rest = codes[played:]
    while is_due(tally, until):
        copy_words(state.words, root_words)
        totals[0] = 0
        made = play_on(state, policy, rng, totals, rest)
        note_nodes(tally, played + 1, played + made)
        tally.counts[PLAYOUTS] += 1
        note_play(tally, points + totals[0], codes, played + made)


class FlatSearcher(PartedSearcher):
    def __init__(self, task: Task) -> None:
        super().__init__(task)
        settings = task.settings
        self.policy = new_policy(task, str(settings["playout"]))
        self.codes = np.zeros(self.longest, np.int32)
        self.totals = np.zeros(2, np.int64)

    def begin(self) -> None:
        self.codes[: self.depth] = self.walked[: self.depth]

    def search(self, until: int) -> bool:
        play_many(
            self.root,
            self.state,
            self.policy,
            self.rng,
            self.depth,
            self.points,
            self.codes,
            self.totals,
            self.walk,
            until,
        )
        return True


class FlatSolver(PolicySolver):
    name = "mc-rws"
    title = "Monte-Carlo search with roulette-wheel selection"
    source = "Takes and Kosters 2009, as told by Schadd et al. 2012, sections 2.3 and 4.1"
    parameters = (
        playout_parameter("roulette", "tabu-color", "tabu-random", "random"),
        Parameter("epsilon", 0.0, "chance that an action is chosen among all", 0.0, 1.0, tuned=(0.0, 0.1)),
        Parameter(PER.name, "move", PER.meaning, choices=PER.choices),
        RESTARTS_OF_GAME,
        LENGTH_OF_GAME,
    )
    presets = {"mc-rws": {}, "per-game": {"per": "game"}}

    def searcher(self, task: Task) -> Searcher:
        return FlatSearcher(task)


SOLVER = FlatSolver()
