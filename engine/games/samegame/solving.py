"""What SameGame offers to solvers: play-out policies by name, the promise of a position and a bound on what it gives.

Sources: Schadd et al. 2012, section 4.2 (TabuRandom, TabuColorRandom, epsilon; the roulette wheel of Takes and Kosters
as they tell of it) and section 3 (the over-estimator).
"""

from typing import Any, NamedTuple

import numpy as np

from engine.games.samegame.board import (
    CLEARED_BONUS,
    LEADERS,
    U1,
    SmallBoard,
    WideBoard,
    cell_vector,
    colour_cells,
    find_leaders,
    find_links,
    flood,
    lane_size,
    load,
    load_planes,
)
from engine.games.samegame.lanes import count_bits, filled_lanes, has_any, lowest_bit, row_bit, store
from engine.games.samegame.playouts import NO_COLOUR, most_frequent_colour, play_out, tabu_of
from engine.games.samegame.playouts import PLAYOUTS as KINDS
from engine.games.samegame.roulette import Roulette, play_roulette
from engine.kernels import kernel
from engine.playouts import Estimates, PlayoutKernels, register_estimates, register_playout
from engine.rng import GOLDEN, mix

_FIXED = len(KINDS)


class Tabu(NamedTuple):
    """Spare a colour for as long as there is another group.

    kind: RANDOM, TABU_RANDOM or TABU_COLOR of `playouts`, by the position where the play-out starts, or `_FIXED`
    colour: the colour to spare if it is fixed
    epsilon: the chance, 0 to 1, that an action is chosen among all groups nevertheless
    """

    kind: int
    colour: int
    epsilon: float


@kernel
def play_tabu(state, policy, rng, totals, codes):
    """Hook of `engine.playouts`."""
    tabu = policy.colour if policy.kind == _FIXED else tabu_of(state, policy.kind, rng)
    return play_out(state, tabu, policy.epsilon, rng, codes.shape[0], totals, codes)


@kernel
def tabu_candidates(state, policy, actions, keys):
    """Hook of `engine.playouts`: all groups without those of the tabu colour, or all if there is no other."""
    tabu = NO_COLOUR
    if policy.kind == _FIXED:
        tabu = policy.colour
    elif policy.kind == KINDS.index("tabu-color"):
        tabu = most_frequent_colour(state)
    return coded_groups(state, tabu, actions, keys)


@kernel
def coded_groups(state, tabu, actions, keys):
    """Codes and keys of the groups but those of colour `tabu`, unless there is no other; how many. See `candidates`."""
    planes = load_planes(state)
    up, right = find_links(planes)
    leaders = load(state, LEADERS)
    if tabu != NO_COLOUR:
        spared = leaders & ~colour_cells(planes, tabu)
        if has_any(spared):
            leaders = spared
    words = state.scratch
    size = lane_size(state)
    count = 0
    for row in range(state.rows):
        height = state.rows - 1 - row
        found = filled_lanes(leaders & row_bit(leaders, height))
        while found != np.uint64(0):
            col = lowest_bit(found)
            found &= found - U1
            store(words, 0, flood(cell_vector(planes, col, height), up, right))
            at = col * size + height
            key = np.uint64(0)
            for p in range(4):
                word = state.words[p * words.shape[0] + at // 64]
                key |= ((word >> np.uint64(at % 64)) & U1) << np.uint64(p)
            for w in range(words.shape[0]):
                key = mix(key * GOLDEN ^ words[w])
            actions[count] = row * state.cols + col
            keys[count] = key
            count += 1
    return count


@kernel
def groups_worth(state, planes):
    """The sum of (n-2)^2 over all groups of a board."""
    up, right = find_links(planes)
    words = state.scratch
    store(words, 0, find_leaders(up, right))
    size = lane_size(state)
    worth = np.int64(0)
    for w in range(words.shape[0]):
        word = words[w]
        while word != np.uint64(0):
            at = 64 * w + lowest_bit(word)
            word &= word - U1
            n = count_bits(flood(cell_vector(planes, at // size, at % size), up, right))
            worth += (n - 2) * (n - 2)
    return worth


@kernel
def promise(state):
    """Hook of `engine.playouts`: what the groups would give as they are."""
    return np.float64(groups_worth(state, load_planes(state)))


@kernel
def bound(state):
    """Hook of `engine.playouts`: every colour removed in one group, and the bonus unless a colour has one cell left.

    A colour of one cell takes a point in the end, and so the board cannot be cleared. 0 if the game is over.
    """
    if not has_any(load(state, LEADERS)):
        return np.int64(0)
    planes = load_planes(state)
    points = np.int64(0)
    bonus = np.int64(CLEARED_BONUS)
    for colour in range(1, state.colours + 1):
        count = count_bits(colour_cells(planes, colour))
        if count == 1:
            points -= 1
            bonus = np.int64(0)
        elif count > 1:
            points += (count - 2) * (count - 2)
    return points + bonus


@kernel
def roulette_candidates(state, policy, actions, keys):
    """Hook of `engine.playouts`: all groups without those of the most frequent colour, or all if there is no other."""
    return coded_groups(state, most_frequent_colour(state), actions, keys)


register_playout(Tabu, PlayoutKernels(play_tabu, tabu_candidates))
register_playout(Roulette, PlayoutKernels(play_roulette, roulette_candidates))
for _board in (SmallBoard, WideBoard):
    register_estimates(_board, Estimates(promise, bound))


def _tabu(kind: int) -> Any:
    return lambda settings: Tabu(kind, NO_COLOUR, float(settings.get("epsilon", 0.0)))


PLAYOUTS = {
    **{name: _tabu(kind) for kind, name in enumerate(KINDS)},
    "roulette": lambda settings: Roulette(float(settings.get("epsilon", 0.0))),
}
"""What makes the play-out policy of each name from the settings of a solver."""
