"""What SameGame offers to solvers: play-out policies by name, the promise of a position and a bound on what it gives.

Sources: Schadd et al. 2008, section 3 (the over-estimator) and section 4.1 (TabuRandom, TabuColorRandom), and 2012,
section 4.1 (epsilon; the roulette wheel of Takes and Kosters as they tell of it).
"""

from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.games.letters import LETTERS
from engine.games.samegame.board import (
    CLEARED_BONUS,
    LEADERS,
    PLANES,
    U1,
    SmallBoard,
    WideBoard,
    cell_vector,
    colour_cells,
    find_links,
    first_of,
    flood,
    lane_size,
    load,
    load_planes,
    vector_words,
)
from engine.games.samegame.guided import Greedy, Guided, groups_worth
from engine.games.samegame.lanes import count_bits, filled_lanes, has_any, lowest_bit, row_bit, store
from engine.games.samegame.playouts import NO_COLOUR, TABU_COLOR, most_frequent_colour, play_out, tabu_of
from engine.games.samegame.playouts import PLAYOUTS as KINDS
from engine.games.samegame.roulette import Roulette
from engine.games.samegame.stepwise import play_stepwise
from engine.kernels import inlined_kernel, kernel
from engine.level import Level
from engine.playouts import Estimates, PlayoutKernels, register_estimates, register_playout
from engine.rng import GOLDEN, mix
from engine.solver import Settings

_FIXED = len(KINDS)
_LAST = _FIXED + 1
_NOBODY = 15
"""A colour that no level has: to spare it is to spare nothing."""
_PAIRS_FREE = 10
"""After so many actions of a game pairs of the colour that `_LAST` spares may go."""


class Tabu(NamedTuple):
    """Spare a colour for as long as there is another group.

    kind: RANDOM, TABU_RANDOM or TABU_COLOR of `playouts`, by the position where the play-out starts; `_FIXED`; or
        `_LAST`, whose candidates are of the colour too once it is a single group, and its pairs after some actions
    colour: the colour to spare, if it is fixed
    epsilon: the chance, 0 to 1, that an action is chosen among all groups nevertheless
    """

    kind: int
    colour: int
    epsilon: float


@kernel
def play_tabu(state, policy, rng, totals, codes):
    """Hook of `engine.playouts`."""
    tabu = policy.colour if policy.kind >= _FIXED else tabu_of(state, policy.kind, rng)
    return play_out(state, tabu, policy.epsilon, rng, codes.shape[0], totals, codes)


@kernel
def tabu_candidates(state, policy, actions, keys):
    """Hook of `engine.playouts`: all groups without those of the tabu colour, or all if there is no other."""
    tabu = NO_COLOUR
    if policy.kind >= _FIXED:
        tabu = policy.colour
    elif policy.kind == TABU_COLOR:
        tabu = most_frequent_colour(state)
    return coded_groups(state, tabu, policy.kind == _LAST, actions, keys)


@inlined_kernel
def freed_groups(state, up, right, leaders):
    """Those of the `leaders` of a spared colour that may go all the same, see `_LAST`."""
    if count_bits(leaders) <= 1:
        return leaders
    freed = leaders ^ leaders
    if state.words[5 * state.scratch.shape[0]] <= np.uint64(_PAIRS_FREE):
        return freed
    while has_any(leaders):
        first = first_of(leaders)
        if count_bits(flood(first, up, right)) == 2:
            freed = freed | first
        leaders = leaders ^ first
    return freed


@kernel
def coded_groups(state, tabu, frees, actions, keys):
    """Codes and keys of the groups but those of colour `tabu`, unless there is no other; how many. See `candidates`.

    frees: a single group of that colour is not spared, nor are pairs after the first actions
    """
    planes = load_planes(state)
    up, right = find_links(planes)
    leaders = load(state, LEADERS)
    if tabu != NO_COLOUR:
        spared = leaders & ~colour_cells(planes, tabu)
        if frees:
            spared = spared | freed_groups(state, up, right, leaders ^ spared)
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
def fingerprint(state):
    """Hook of `engine.playouts`: the colours alone, since it does not matter after how many actions they stand so."""
    key = GOLDEN
    for w in range(PLANES * vector_words(state)):
        key = mix(key ^ state.words[w]) + GOLDEN
    return key


@kernel
def spared_candidates(state, policy, actions, keys):
    """Hook of `engine.playouts` for policies with a `colour` to spare, 0 for the most frequent one."""
    return coded_groups(
        state, policy.colour if policy.colour > 0 else most_frequent_colour(state), False, actions, keys
    )


register_playout(Tabu, PlayoutKernels(play_tabu, tabu_candidates))
for _policy in (Roulette, Guided, Greedy):
    register_playout(_policy, PlayoutKernels(play_stepwise, spared_candidates))
for _board in (SmallBoard, WideBoard):
    register_estimates(_board, Estimates(promise, bound, fingerprint))


def _tabu(kind: int) -> Callable[[Level, Settings], Tabu]:
    return lambda level, settings: Tabu(kind, NO_COLOUR, float(settings.get("epsilon", 0.0)))


def _fixed(kind: int) -> Callable[[Level, Settings], Tabu]:
    return lambda level, settings: Tabu(kind, colour_of(level, settings), float(settings.get("epsilon", 0.0)))


def _roulette(level: Level, settings: Settings) -> Roulette:
    return Roulette(NO_COLOUR, float(settings.get("epsilon", 0.0)))


def _scratch(level: Level) -> NDArray[np.int64]:
    """Room for the groups of a level: a group has two cells or more."""
    return np.zeros(level.rows * level.cols, np.int64)


def _guided(level: Level, settings: Settings) -> Guided:
    return Guided(colour_of(level, settings), int(settings["lookahead"]), _scratch(level), _scratch(level))


def _greedy(level: Level, settings: Settings) -> Greedy:
    return Greedy(NO_COLOUR, _scratch(level))


def colour_of(level: Level, settings: Settings) -> int:
    """The colour to spare through a whole run: of rank `tabu`, from 0, by number of cells and letter; or none."""
    counts = Counter("".join(level.board))
    ranked = sorted(counts, key=lambda letter: (-counts[letter], letter))
    rank = int(settings.get("tabu", 0))
    return LETTERS.index(ranked[rank]) if rank < len(ranked) else _NOBODY


PLAYOUTS = {
    **{name: _tabu(kind) for kind, name in enumerate(KINDS)},
    "tabu-fixed": _fixed(_FIXED),
    "tabu-last": _fixed(_LAST),
    "roulette": _roulette,
    "guided": _guided,
    "greedy": _greedy,
}
"""What makes the play-out policy of each name for a level, from the settings of a solver."""
