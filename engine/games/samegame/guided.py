"""Play-outs of SameGame that look at the sizes of the groups: guided by fitness, and greedy.

`Guided` is that of Edelkamp et al. 2010, sections 2 and 3: the next group is drawn in proportion to its fitness, a
tabu colour is a hard constraint, and a look-ahead of one step comes in only now and then. Their Algorithm
2 weights by the score of a group, so that pairs would never be drawn: here the fitness is 1 + (n-2)^2, at every
`every`-th action of the play-out plus the sum of (m-2)^2 over the groups that are left after it.

`Greedy` (ours) makes small groups go first and the most frequent colour last, with a little chance among equals.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.games.samegame.board import cell_vector, colour_cells, find_leaders, find_links, flood, lane_size
from engine.games.samegame.lanes import count_bits, has_any, lowest_bit, store
from engine.games.samegame.playouts import remove_at
from engine.games.samegame.stepwise import register_choice
from engine.kernels import inlined_kernel, kernel
from engine.rng import below

U0, U1 = np.uint64(0), np.uint64(1)


class Guided(NamedTuple):
    """Fitness-proportional choice. colour: the one to spare, 0 for the most frequent where the play-out starts.

    every: a look-ahead at each action whose number in the play-out, from 1, is a multiple
    places: int64[>= most groups], weights: int64[>= most groups]; scratch, so each thread needs a policy of its own
    """

    colour: int
    every: int
    places: NDArray[np.int64]
    weights: NDArray[np.int64]


class Greedy(NamedTuple):
    """Small groups first. colour: as in `Guided`; places: int64[>= most groups], scratch."""

    colour: int
    places: NDArray[np.int64]


@inlined_kernel
def list_cells(state, cells, places):
    """Write where the `cells` of a vector are, column by column, as `column * lane size + height`; how many."""
    words = state.scratch
    store(words, 0, cells)
    count = 0
    for w in range(words.shape[0]):
        word = words[w]
        while word != U0:
            places[count] = 64 * w + lowest_bit(word)
            word &= word - U1
            count += 1
    return count


@inlined_kernel
def group_size(state, planes, links, place):
    """The number of cells that hang together with the one at a place."""
    size = lane_size(state)
    return count_bits(flood(cell_vector(planes, place // size, place % size), *links))


@kernel
def groups_worth(state, planes):
    """The sum of (n-2)^2 over all groups of a board; `state` lends its scratch."""
    links = find_links(planes)
    words = state.scratch
    store(words, 0, find_leaders(*links))
    worth = np.int64(0)
    for w in range(words.shape[0]):
        word = words[w]
        while word != U0:
            n = group_size(state, planes, links, 64 * w + lowest_bit(word))
            word &= word - U1
            worth += (n - 2) * (n - 2)
    return worth


@inlined_kernel
def spare(planes, leaders, tabu):
    """The leaders that are not of the colour `tabu`; all of them if there is no other."""
    spared = leaders & ~colour_cells(planes, tabu)
    return spared if has_any(spared) else leaders


@inlined_kernel
def draw_by_fitness(state, planes, links, leaders, policy, looks_ahead, rng):
    """Column and height of the leader that is drawn."""
    places, weights = policy.places, policy.weights
    size = lane_size(state)
    count = list_cells(state, leaders, places)
    total = np.int64(0)
    for i in range(count):
        n = group_size(state, planes, links, places[i])
        weights[i] = 1 + (n - 2) * (n - 2)
        if looks_ahead:
            weights[i] += groups_worth(state, remove_at(planes, links, places[i] // size, places[i] % size)[0])
        total += weights[i]
    skip = np.int64(below(rng, total))
    i = 0
    while skip >= weights[i]:
        skip -= weights[i]
        i += 1
    return places[i] // size, places[i] % size


@inlined_kernel
def smallest_group(state, planes, links, leaders, places, rng):
    """Column and height of a leader whose group is small: the size by fours, less a little by chance, decides."""
    size = lane_size(state)
    count = list_cells(state, leaders, places)
    best, least = np.int64(0), np.iinfo(np.int64).max
    for i in range(count):
        value = 4 * group_size(state, planes, links, places[i]) + below(rng, 8)
        if value < least:
            least = value
            best = places[i]
    return best // size, best % size


@inlined_kernel
def choose_guided(state, planes, links, leaders, tabu, made, policy, rng):
    """A group by its fitness; see `stepwise`."""
    looks_ahead = (made + 1) % policy.every == 0
    return draw_by_fitness(state, planes, links, spare(planes, leaders, tabu), policy, looks_ahead, rng)


@inlined_kernel
def choose_greedy(state, planes, links, leaders, tabu, made, policy, rng):
    """A small group; see `stepwise`."""
    return smallest_group(state, planes, links, spare(planes, leaders, tabu), policy.places, rng)


register_choice(Guided, choose_guided)
register_choice(Greedy, choose_greedy)
