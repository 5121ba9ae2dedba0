"""The roulette wheel of Takes and Kosters as a play-out policy of SameGame (MC-RWS).

Schadd et al. 2012 (sections 2.3 and 4.1) tell of it: it keeps one colour for a large group as TabuColorRandom does, and
besides makes larger groups of the other colours. Their article was not at hand, so what is done here is ours: the most
frequent colour where the play-out starts is spared while there is another; of the others one is drawn by a wheel on
which a colour has as much room as cells of all colours that can be played are *not* of it, so that what is frequent is
left to grow and what is rare goes early; then a group of that colour, all equally likely.
"""

from typing import NamedTuple

import numpy as np

from engine.games.samegame.board import (
    LEADERS,
    colour_cells,
    end_points,
    find_leaders,
    find_links,
    load,
    load_planes,
    pick_cell,
    vector_words,
)
from engine.games.samegame.lanes import count_bits, has_any
from engine.games.samegame.playouts import keep_position, most_frequent_colour, remove_at, unit
from engine.kernels import inlined_kernel, kernel
from engine.rng import below


class Roulette(NamedTuple):
    """The policy. epsilon: the chance, 0 to 1, that an action is chosen among all groups, all equally likely."""

    epsilon: float


@inlined_kernel
def spin(state, planes, leaders, tabu, rng):
    """The leaders of the colour that the wheel gives; all of them if only the colour `tabu` is there."""
    total = 0
    colours = 0
    for colour in range(1, state.colours + 1):
        cells = colour_cells(planes, colour)
        if colour != tabu and has_any(leaders & cells):
            total += count_bits(cells)
            colours += 1
    if colours == 0:
        return leaders
    # One more for each, so that a colour that is alone has room too.
    skip = below(rng, (colours - 1) * total + colours)
    for colour in range(1, state.colours + 1):
        cells = colour_cells(planes, colour)
        if colour != tabu and has_any(leaders & cells):
            skip -= total - count_bits(cells) + 1
            if skip < 0:
                return leaders & cells
    return leaders


@kernel
def play_roulette(state, policy, rng, totals, codes):
    """Hook of `engine.playouts`: to the end of the game."""
    tabu = most_frequent_colour(state)
    planes = load_planes(state)
    links = find_links(planes)
    leaders = load(state, LEADERS)
    before = np.int64(state.words[5 * vector_words(state)])
    points, made = np.int64(0), np.int64(0)
    while has_any(leaders):
        among = leaders
        if policy.epsilon <= 0.0 or unit(rng) >= policy.epsilon:
            among = spin(state, planes, leaders, tabu, rng)
        col, height = pick_cell(state, among, below(rng, count_bits(among)))
        codes[made] = (state.rows - 1 - height) * state.cols + col
        made += 1
        planes, links, gained = remove_at(planes, links, col, height)
        points += gained
        leaders = find_leaders(*links)
    if made > 0:
        points += end_points(planes, state.colours)
        keep_position(state, planes, leaders, before + made)
    totals[0] += points
    return made
