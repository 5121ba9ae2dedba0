"""SameGame: the kernels behind the hooks of `engine.game`."""

import numpy as np

from engine.games.samegame.board import (
    LEADERS,
    U0,
    U1,
    cell_vector,
    end_points,
    find_leaders,
    find_links,
    flood,
    load,
    load_planes,
    pick_cell,
    remove,
    store_planes,
    vector_words,
)
from engine.games.samegame.lanes import count_bits, filled_lanes, has_any, lowest_bit, row_bit, store
from engine.games.samegame.playouts import NO_COLOUR, play_out
from engine.kernels import inlined_kernel, kernel
from engine.rng import below


@kernel
def legal_count(state):
    """Hook of `engine.game`: the number of groups."""
    return count_bits(load(state, LEADERS))


@kernel
def legal_actions(state, out):
    """Hook of `engine.game`: the leaders of the groups, row by row from the top."""
    leaders = load(state, LEADERS)
    count = 0
    for row in range(state.rows):
        found = filled_lanes(leaders & row_bit(leaders, state.rows - 1 - row))
        while found != U0:
            out[count] = row * state.cols + lowest_bit(found)
            found &= found - U1
            count += 1
    return count


@inlined_kernel
def group_at(state, planes, action):
    """The vector of the cells of the group that an action names by any of them."""
    up, right = find_links(planes)
    row = action // state.cols
    col = action - row * state.cols
    return flood(cell_vector(planes, col, state.rows - 1 - row), up, right)


@kernel
def apply_action(state, action, chance):
    """Hook of `engine.game`: remove a group, named by any of its cells; nothing is left to chance."""
    planes = load_planes(state)
    removed = group_at(state, planes, np.int64(action))
    size = count_bits(removed)
    points = (size - 2) * (size - 2)
    planes = remove(planes, removed)
    up, right = find_links(planes)
    leaders = find_leaders(up, right)
    if not has_any(leaders):
        points += end_points(planes, state.colours)
    width = vector_words(state)
    store_planes(state, planes)
    store(state.words, LEADERS * width, leaders)
    state.words[5 * width] += U1
    return points


@kernel
def random_action(state, rng):
    """Hook of `engine.game`."""
    leaders = load(state, LEADERS)
    col, height = pick_cell(state, leaders, below(rng, count_bits(leaders)))
    return (state.rows - 1 - height) * state.cols + col


@kernel
def prospect(state, action, of_actions):
    """Hook of `engine.game`: of the group, without what the end of a game adds; the groups that are left."""
    planes = load_planes(state)
    removed = group_at(state, planes, np.int64(action))
    if not of_actions:
        size = count_bits(removed)
        return (size - 2) * (size - 2)
    up, right = find_links(remove(planes, removed))
    return count_bits(find_leaders(up, right))


@kernel
def random_playout(state, chance, rng, length, totals):
    """Hook of `engine.game`; groups are counted before the first `state.horizon` actions of the game alone."""
    play_out(state, NO_COLOUR, 0.0, rng, length, totals, None)


@kernel
def is_over(state):
    """Hook of `engine.game`: no group is left."""
    return not has_any(load(state, LEADERS))


@kernel
def label_groups(state, labels):
    """Number the groups in `labels: int32[rows, cols]`, 0 for a cell in none; how many there are.

    Numbers count from 1 in the order of `legal_actions`.
    """
    planes = load_planes(state)
    up, right = find_links(planes)
    leaders = load(state, LEADERS)
    labels[:] = 0
    count = 0
    for row in range(state.rows):
        found = filled_lanes(leaders & row_bit(leaders, state.rows - 1 - row))
        while found != U0:
            count += 1
            group = flood(cell_vector(planes, lowest_bit(found), state.rows - 1 - row), up, right)
            found &= found - U1
            for other in range(state.rows):
                cells = filled_lanes(group & row_bit(group, state.rows - 1 - other))
                while cells != U0:
                    labels[other, lowest_bit(cells)] = count
                    cells &= cells - U1
    return count
