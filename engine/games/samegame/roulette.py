"""The roulette wheel of Takes and Kosters as a play-out policy of SameGame (MC-RWS).

Schadd et al. 2012 (sections 2.3 and 4.1) tell of it: it keeps one colour for a large group as TabuColorRandom does, and
besides makes larger groups of the other colours. Their article was not at hand, so what is done here is ours: the most
frequent colour where the play-out starts is spared while there is another; of the others one is drawn by a wheel on
which a colour has as much room as cells of all colours that can be played are *not* of it, so that what is frequent is
left to grow and what is rare goes early; then a group of that colour, all equally likely.
"""

from typing import NamedTuple

from engine.games.samegame.board import colour_cells, pick_cell
from engine.games.samegame.lanes import count_bits, has_any
from engine.games.samegame.stepwise import register_choice
from engine.kernels import inlined_kernel
from engine.rng import below, unit


class Roulette(NamedTuple):
    """The policy. colour: see `stepwise`; epsilon: the chance, 0 to 1, that an action is chosen among all groups."""

    colour: int
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


@inlined_kernel
def choose_roulette(state, planes, links, leaders, tabu, made, policy, rng):
    """A group of the colour that the wheel gives; see `stepwise`."""
    among = leaders
    if policy.epsilon <= 0.0 or unit(rng) >= policy.epsilon:
        among = spin(state, planes, leaders, tabu, rng)
    return pick_cell(state, among, below(rng, count_bits(among)))


register_choice(Roulette, choose_roulette)
