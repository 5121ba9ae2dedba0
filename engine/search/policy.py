"""Play-out policies of a game as solvers ask for them, by the name in their settings."""

from typing import Any

import numpy as np

from engine.kernels import kernel
from engine.level import Level
from engine.playouts import play_on, playout_policies
from engine.rng import new_rng
from engine.search.tree import copy_words
from engine.solver import PLAYOUTS, Parameter, Searcher, Solver, Task, new_tally, note_play


def new_policy(task: Task, name: str) -> Any:
    """The policy of that name for the task's level and settings; scratch of one thread."""
    return playout_policies(task.level.game)[name](task.level, task.settings)


@kernel
def play_first(root_words, state, policy, rng, totals, codes, tally):
    """One play-out from the start of the level, kept, so that there is always a play; its positions are no nodes.

    codes, totals: scratch, int32[longest], int64[2]
    """
    copy_words(state.words, root_words)
    totals[0] = 0
    made = play_on(state, policy, rng, totals, codes)
    tally.counts[PLAYOUTS] += 1
    note_play(tally, totals[0], codes, made)


class PolicySearcher(Searcher):
    """What searchers of one level and one play-out policy have: the level's start, a stream, scratch for plays."""

    def __init__(self, task: Task, playout: str) -> None:
        level, game = task.level, task.game
        self.longest = game.code_limit(level)
        self.tally = new_tally(self.longest)
        self.state = game.new_state(level)
        self.root = self.state.words.copy()
        self.rng = new_rng(task.seed, "solve", task.worker)
        self.chance = game.sampled(self.rng)
        self.policy = new_policy(task, playout)
        self.codes = np.zeros(self.longest, np.int32)
        self.totals = np.zeros(2, np.int64)


def playout_parameter(*names: str) -> Parameter:
    """The setting that names the play-out policy; the first name is the usual one."""
    return Parameter("playout", names[0], "play-out policy", choices=names)


class PolicySolver(Solver):
    """A solver that plays to the end by policies of the game."""

    def refusal(self, level: Level) -> str | None:
        reason = super().refusal(level)
        if reason is None and not playout_policies(level.game):
            return f"{self.name} needs play-out policies, which {level.game} does not have."
        return reason
