"""What a search aims at: objectives, rewards, lengths, and the game that it goes on from."""

from typing import NamedTuple

import numpy as np

from engine.kernels import inlined_kernel

# Objectives. What is maximised is the points or the mean number of legal actions of the whole game, or its negative.
MAXS, MINS, MAXM, MINM = 0, 1, 2, 3
OBJECTIVES = ("maxs", "mins", "maxm", "minm")

# Length of a play-out: as many actions as were left in the real game, counted from the leaf (the paper, literally), or
# up to the end of the game.
LITERAL, END = 0, 1
PLAYOUTS = ("literal", "end")

# A simulation's length in actions of the tree and the play-out together: up to this many, or as long as it is.
NO_LOOKAHEAD = 0

# Actions that are drawn before each one of a play-out: a single one is made whatever it is.
ONE_DRAW = 1
MOST_DRAWS = 32

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
        formulas that do not need the states of children that were never visited
    lookahead: actions that a simulation plays at most, tree and play-out together; NO_LOOKAHEAD for no such limit. The
        tree itself may go deeper
    draws: random actions of which a play-out makes the one with the best prospect; 1 for random play-outs
    """

    iterations: int
    objective: int
    win: bool
    goal: float
    scale: float
    playout: int
    final: int
    lazy: bool
    lookahead: int = NO_LOOKAHEAD
    draws: int = ONE_DRAW


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
def reward_of(points, legal_total, actions, settings, played):
    """The reward of a whole game with these points, legal actions in all and actions made; simulated part included."""
    counted = actions if played.horizon == ENDLESS else played.horizon
    objective = settings.objective
    value = np.float64(points)
    if objective in (MAXM, MINM):
        value = legal_total / max(counted, 1)
    if objective in (MINS, MINM):
        value = -value
    if settings.win:
        return 1.0 if value >= settings.goal else 0.0
    return value / settings.scale


@inlined_kernel
def playout_length(depth, settings, played):
    """How many random actions follow `depth` actions of a simulation, if the game goes on so long."""
    length = played.left
    if settings.playout == END and length != ENDLESS:
        length -= depth
    if settings.lookahead != NO_LOOKAHEAD:
        length = min(length, max(settings.lookahead - depth, 0))
    return length
