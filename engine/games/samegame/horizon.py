"""The horizon K of a level: before how many actions, from the first, the removable groups count for MaxM and MinM.

Games end by themselves, so a mean over the actions made would reward stopping early; with K it is the sum over the
first K actions, nothing after the end, divided by K. K is half the length of random play, and is kept with the level.
"""

import numpy as np

from engine.games.letters import cells_of
from engine.games.samegame.board import new_board
from engine.games.samegame.playouts import NO_COLOUR, play_out
from engine.kernels import allocating_kernel
from engine.level import Level
from engine.rng import new_rng

# The standard size of persona experiments has a number of its own.
STANDARD = {(10, 10, 4): 20}
GAMES = 200


def horizon_of(level: Level) -> int:
    """K of a level that does not say it: that of its size if there is one, else from random play of its board.

    Half the mean length of `GAMES` random games, rounded, at least 1; the games depend on the level's seed.
    """
    standard = STANDARD.get((level.rows, level.cols, level.colours))
    if standard is not None:
        return standard
    state = new_board(cells_of(level.board), level.colours, 0)
    actions = _count_actions(state, state.words.copy(), GAMES, new_rng(level.seed, "horizon"))
    return max(1, round(actions / (2 * GAMES)))


@allocating_kernel
def _count_actions(state, start, games, rng):
    """Actions in `games` random games from the words `start`; `state` is scratch, `rng: uint64[1]` is advanced."""
    totals = np.zeros(2, np.int64)
    actions = np.int64(0)
    for _ in range(games):
        state.words[:] = start
        actions += play_out(state, NO_COLOUR, 0.0, rng, state.rows * state.cols, totals, None)
    return actions
