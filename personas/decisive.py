"""How much a choice matters: what the best action of a position is worth above the middle one.

An action is worth the points that it and random play after it bring on average. The best of several noisy means looks
better than it is, so one half of the play-outs says which action is best and which is the middle one, and the other
half says what these two are worth.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engine.game import copy_state
from engine.level import Level
from engine.rng import stream
from engine.round import Round
from engine.search.values import action_values

MOST_PLAYOUTS, LEAST_PLAYOUTS = 32, 8
"""Of each action, even numbers."""
POSITION_PLAYOUTS = 600
"""Of all actions of a position together, where that leaves each of them the least number."""
LONGEST = 20
"""Actions of a play-out at most: what comes later, no choice of now decides."""
POSITIONS = 20
"""Of a game at most, evenly spread over it."""


def choice_spreads(level: Level, codes: Sequence[int], *, seed: int) -> list[float]:
    """Points by which the best action beats the middle one, for up to `POSITIONS` positions that have a choice.

    level, codes: the game; seed: of the play-outs, which are the same for every action of a position
    Raises ActionRefused if a code is not legal.
    """
    played = Round(level)
    work = copy_state(played.state)
    rng = np.zeros(1, np.uint64)
    chance = played.game.sampled(rng)
    totals = np.zeros(2, np.int64)
    judged = {len(codes) * place // POSITIONS for place in range(POSITIONS)}
    spreads = []
    for made, code in enumerate(codes):
        actions = np.array(played.legal_codes() if made in judged else [], np.int32)
        if actions.size > 1:
            left = played.moves_left
            length = LONGEST if left is None else min(LONGEST, left)
            values = np.zeros((actions.size, _playouts(actions.size)))
            key = np.uint64(stream(seed, "choice", made))
            action_values(played.state, work, chance, rng, key, actions, length, totals, values)
            spreads.append(_spread(values))
        played.play_code(code)
    return spreads


def _playouts(actions: int) -> int:
    return max(LEAST_PLAYOUTS, min(MOST_PLAYOUTS, POSITION_PLAYOUTS // actions)) // 2 * 2


def _spread(values: NDArray[np.float64]) -> float:
    """Best less middle action of `values: float64[actions, playouts]`, chosen by one half and valued by the other."""
    half = values.shape[1] // 2
    order = np.argsort(values[:, :half].mean(axis=1), kind="stable")
    judged = values[:, half:].mean(axis=1)
    return float(judged[order[-1]] - judged[order[(len(order) - 1) // 2]])
