"""Play-outs of SameGame: random, or sparing one colour so that a large group of it grows.

A tabu colour is played only if there is no other group. `TABU_RANDOM` takes any colour of the board where the
play-out starts, `TABU_COLOR` the most frequent one (of several the first). With chance `epsilon` an action is chosen
among all groups nevertheless.

Source: Schadd et al., "Single-Player Monte-Carlo Tree Search for SameGame", section 4.1 (TabuRandom, TabuColorRandom;
epsilon).
"""

import numpy as np

from engine.games.samegame.board import (
    LEADERS,
    cell_vector,
    colour_cells,
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
from engine.games.samegame.lanes import count_bits, has_any, store
from engine.kernels import inlined_kernel, kernel
from engine.rng import below, unit

NO_COLOUR = 0

RANDOM, TABU_RANDOM, TABU_COLOR = 0, 1, 2
PLAYOUTS = ("random", "tabu-random", "tabu-color")


@inlined_kernel
def remove_at(planes, links, col, height):
    """The planes without the group of a cell, the new links `(up, right)`, and what the removal gave."""
    up, right = links
    removed = flood(cell_vector(planes, col, height), up, right)
    size = count_bits(removed)
    planes = remove(planes, removed)
    return planes, find_links(planes), (size - 2) * (size - 2)


@inlined_kernel
def keep_position(state, planes, leaders, made):
    """Write a position to `state.words`, `made` actions from the start of the level."""
    width = vector_words(state)
    store_planes(state, planes)
    store(state.words, LEADERS * width, leaders)
    state.words[5 * width] = np.uint64(made)


@inlined_kernel
def play_out(state, tabu, epsilon, rng, length, totals, codes):
    """Play up to `length` actions by chance; how many were made. Changes `state.words`, `rng`, `totals`, `codes`.

    tabu: a colour to spare, or `NO_COLOUR`; epsilon: the chance, 0 to 1, that an action does not spare it
    rng: uint64[1]; an action takes one draw, one more if there is a tabu colour and epsilon is above 0
    totals: int64[2], as in `engine.game.random_playout`
    codes: int32[>= length], gets the codes of the actions; None records nothing
    """
    planes = load_planes(state)
    links = find_links(planes)
    leaders = load(state, LEADERS)
    groups = count_bits(leaders)
    before = np.int64(state.words[5 * vector_words(state)])
    points, choices, made = np.int64(0), np.int64(0), np.int64(0)
    while groups > 0 and made < length:
        if before + made < state.horizon:
            choices += groups
        among = leaders
        number = groups
        if tabu != NO_COLOUR:
            spared = leaders & ~colour_cells(planes, tabu)
            if has_any(spared) and (epsilon <= 0.0 or unit(rng) >= epsilon):
                among = spared
                number = count_bits(spared)
        col, height = pick_cell(state, among, below(rng, number))
        if codes is not None:
            codes[made] = (state.rows - 1 - height) * state.cols + col
        made += 1
        planes, links, gained = remove_at(planes, links, col, height)
        points += gained
        leaders = find_leaders(*links)
        groups = count_bits(leaders)
    if made > 0:
        if groups == 0:
            points += end_points(planes, state.colours)
        keep_position(state, planes, leaders, before + made)
    totals[0] += points
    totals[1] += choices
    return made


@kernel
def most_frequent_colour(state):
    """The colour with the most cells, of several the first; `NO_COLOUR` on an empty board."""
    planes = load_planes(state)
    found, most = NO_COLOUR, 0
    for colour in range(1, state.colours + 1):
        count = count_bits(colour_cells(planes, colour))
        if count > most:
            found, most = colour, count
    return found


@kernel
def random_colour(state, rng):
    """A colour of those on the board, all equally likely, by one draw of `rng: uint64[1]`; 0 on an empty board."""
    planes = load_planes(state)
    present = 0
    for colour in range(1, state.colours + 1):
        present += has_any(colour_cells(planes, colour))
    if present == 0:
        return NO_COLOUR
    skip = below(rng, present)
    for colour in range(1, state.colours + 1):
        if has_any(colour_cells(planes, colour)):
            if skip == 0:
                return colour
            skip -= 1
    return NO_COLOUR


@kernel
def tabu_of(state, kind, rng):
    """The tabu colour of a play-out of a kind that starts here; one draw of `rng: uint64[1]` for `TABU_RANDOM`."""
    if kind == TABU_COLOR:
        return most_frequent_colour(state)
    if kind == TABU_RANDOM:
        return random_colour(state, rng)
    return NO_COLOUR


@kernel
def tabu_playout(state, tabu, epsilon, rng, length, totals, codes):
    """`play_out` as a kernel: with a tabu colour that the caller keeps for as long as it likes."""
    return play_out(state, tabu, epsilon, rng, length, totals, codes)
