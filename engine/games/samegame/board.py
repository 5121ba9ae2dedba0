"""SameGame on bit boards: the position and what can be done to it, for boards of every size.

Four planes hold the colours: bit p of the colour of a cell stands in plane p, colour 0 is an empty cell. A lane is a
column, its bit 0 the lowest cell (`engine.games.samegame.lanes`). Boards up to 16 x 16 are `SmallBoard`, larger ones
`WideBoard`: the same kernels, compiled for lanes of 16 or of 32 bits.

`state.words: uint64[5 * w + 1]`, w = 4 or 16 words a vector, holds the four planes, the leaders and the number of
actions made. The leader of a group is its lowest cell in its leftmost column; its code names the group among the
legal actions, and any other cell of the group is as good for `apply_action`.

Finding the leaders. Cells of one colour hang together by links, up to the cell above and right to the next column. A
corner is a cell of a group without a link down or left: going down and left from any cell ends in one. A join is a
cell with links down and left that no fourth cell closes to a square. In a group without a join all ways end in the
same corner, which is the leader. Only groups with a join are flooded, and their first corner kept:

    A A .    one corner, the lower left: no join,    A A    two corners beside the join in the upper right:
    A A A    since the square is closed              . A    the upper left one is the leader
"""

from typing import NamedTuple

import numpy as np
from numba.extending import overload
from numpy.typing import NDArray

from engine.game import Cells, Words
from engine.games.samegame.lanes import (
    above,
    below,
    count_bits,
    filled_lanes,
    from_lowest,
    has_any,
    lanes_from,
    load_16,
    load_32,
    lowest_bit,
    lowest_in_lanes,
    popcount,
    row_bit,
    single_lane,
    store,
    to_left,
    to_right,
    words_of,
)
from engine.kernels import inlined_kernel, kernel

SMALLEST = 2
LARGEST = 20
LARGEST_SMALL = 16
PLANES = 4
LEADERS = 4
CLEARED_BONUS = 1000

U0, U1 = np.uint64(0), np.uint64(1)


class SmallBoard(NamedTuple):
    """State of a board of at most 16 x 16.

    words: uint64[21], the position
    rows, cols, colours: int64
    horizon: int64, before how many actions of a game, from the first, `random_playout` counts the groups
    scratch: uint64[4], a vector to pick a cell from
    cells: uint8[rows, cols], scratch, row 0 at the top
    """

    words: Words
    rows: int
    cols: int
    colours: int
    horizon: int
    scratch: Words
    cells: Cells


class WideBoard(NamedTuple):
    """State of a larger board: as `SmallBoard`, but `words: uint64[81]` and `scratch: uint64[16]`."""

    words: Words
    rows: int
    cols: int
    colours: int
    horizon: int
    scratch: Words
    cells: Cells


BoardState = SmallBoard | WideBoard


def new_board(cells: NDArray[np.uint8], colours: int, horizon: int) -> BoardState:
    """A state at its start from `cells: uint8[rows, cols]`, row 0 at the top, which is copied."""
    rows, cols = cells.shape
    is_small = max(rows, cols) <= LARGEST_SMALL
    width = words_of(16 if is_small else 32)
    kind = SmallBoard if is_small else WideBoard
    words, scratch = np.zeros(5 * width + 1, np.uint64), np.zeros(width, np.uint64)
    state = kind(words, rows, cols, colours, horizon, scratch, cells.copy())
    write_cells(state)
    return state


def load(state, vector):
    """Vector number `vector` of `state.words`: 0 to 3 the planes, `LEADERS` the leaders."""
    raise NotImplementedError("load is for kernels")


@overload(load)
def _overload_load(state, vector):
    kind = getattr(state, "instance_class", None)
    if kind is SmallBoard:
        return lambda state, vector: load_16(state.words, 4 * vector)
    if kind is WideBoard:
        return lambda state, vector: load_32(state.words, 16 * vector)
    return None


@inlined_kernel
def vector_words(state):
    """How many words of `state.words` a vector takes."""
    return state.scratch.shape[0]


@inlined_kernel
def load_planes(state):
    return load(state, 0), load(state, 1), load(state, 2), load(state, 3)


@inlined_kernel
def store_planes(state, planes):
    width = vector_words(state)
    for p in range(PLANES):
        store(state.words, p * width, planes[p])


@inlined_kernel
def find_links(planes):
    """Cells equal to the one above, and cells equal to the one to the right."""
    p0, p1, p2, p3 = planes
    filled = p0 | p1 | p2 | p3
    up = ~((p0 ^ below(p0)) | (p1 ^ below(p1)) | (p2 ^ below(p2)) | (p3 ^ below(p3))) & filled
    right = ~((p0 ^ to_left(p0)) | (p1 ^ to_left(p1)) | (p2 ^ to_left(p2)) | (p3 ^ to_left(p3))) & filled
    return up, right


@inlined_kernel
def flood(start, up, right):
    """All cells that hang together with `start` by the links."""
    down, left = above(up), to_right(right)
    found = start
    while True:
        before = found
        found = found | above(found) & down | below(found) & up | to_right(found) & left | to_left(found) & right
        found = found | above(found) & down | below(found) & up | to_right(found) & left | to_left(found) & right
        if not has_any(found ^ before):
            return found


@inlined_kernel
def first_of(cells):
    """Of a vector that is not empty, the lowest cell in its leftmost column."""
    return single_lane(lowest_in_lanes(cells), lowest_bit(filled_lanes(cells)))


@inlined_kernel
def find_leaders(up, right):
    """The leaders of all groups."""
    down, left = above(up), to_right(right)
    leaders = (up | right) & ~(down | left)
    joins = down & left & ~above(left)
    while has_any(joins):
        group = flood(first_of(joins), up, right)
        joins = joins & ~group
        corners = leaders & group
        leaders = leaders ^ corners ^ first_of(corners)
    return leaders


@inlined_kernel
def remove(planes, removed):
    """The planes after the cells `removed` are gone, those above have fallen and empty columns have closed up.

    Each round closes the lowest gap of every column: all cells from there up take the one above.
    """
    p0, p1, p2, p3 = planes
    while has_any(removed):
        moving = from_lowest(removed)
        p0 = p0 & ~moving | below(p0) & moving
        p1 = p1 & ~moving | below(p1) & moving
        p2 = p2 & ~moving | below(p2) & moving
        p3 = p3 & ~moving | below(p3) & moving
        removed = below(removed) & moving
    filled = filled_lanes(p0 | p1 | p2 | p3)
    while filled & (filled + U1) != U0:
        gap = lowest_bit(~filled)
        moving = lanes_from(p0, gap)
        p0 = p0 & ~moving | to_left(p0) & moving
        p1 = p1 & ~moving | to_left(p1) & moving
        p2 = p2 & ~moving | to_left(p2) & moving
        p3 = p3 & ~moving | to_left(p3) & moving
        lower = (U1 << np.uint64(gap)) - U1
        filled = filled & lower | (filled >> U1) & ~lower
    return p0, p1, p2, p3


@inlined_kernel
def colour_cells(planes, colour):
    """The cells of a colour, 1 or more."""
    p0, p1, p2, p3 = planes
    q0 = p0 if colour & 1 else ~p0
    q1 = p1 if colour & 2 else ~p1
    q2 = p2 if colour & 4 else ~p2
    q3 = p3 if colour & 8 else ~p3
    return q0 & q1 & q2 & q3


@kernel
def end_points(planes, colours):
    """What the end of a game adds: 1000 for an empty board, else minus (n-2)^2 for every colour with n cells left."""
    p0, p1, p2, p3 = planes
    if not has_any(p0 | p1 | p2 | p3):
        return np.int64(CLEARED_BONUS)
    points = np.int64(0)
    for colour in range(1, colours + 1):
        count = count_bits(colour_cells(planes, colour))
        if count > 0:
            points -= (count - 2) * (count - 2)
    return points


@inlined_kernel
def lane_size(state):
    """Lanes in a vector of the state, and bits in a lane."""
    return 16 if vector_words(state) == 4 else 32


@inlined_kernel
def cell_vector(planes, col, height):
    """The vector of the one cell in column `col` at `height`, counted from 0 at the bottom."""
    return single_lane(row_bit(planes[0], height), col)


@inlined_kernel
def pick_cell(state, cells, k):
    """Column and height of the `k`-th of the `cells`, from 0: column by column from the left, each from below."""
    words = state.scratch
    store(words, 0, cells)
    at = np.int64(0)
    for w in range(words.shape[0]):
        word = words[w]
        count = popcount(word)
        if k < count:
            for _ in range(k):
                word &= word - U1
            at = 64 * w + lowest_bit(word)
            break
        k -= count
    size = lane_size(state)
    return at // size, at % size


@kernel
def write_cells(state):
    """Make the scratch `state.cells` the board, with its leaders; the number of actions made stays."""
    width = vector_words(state)
    size = lane_size(state)
    words = state.words
    words[: 5 * width] = U0
    for row in range(state.rows):
        for col in range(state.cols):
            at = col * size + state.rows - 1 - row
            colour = np.uint64(state.cells[row, col])
            for p in range(PLANES):
                words[p * width + at // 64] |= ((colour >> np.uint64(p)) & U1) << np.uint64(at % 64)
    up, right = find_links(load_planes(state))
    store(words, LEADERS * width, find_leaders(up, right))


@kernel
def read_cells(state):
    """Write the board to the scratch `state.cells`, row 0 at the top."""
    width = vector_words(state)
    size = lane_size(state)
    for row in range(state.rows):
        for col in range(state.cols):
            at = col * size + state.rows - 1 - row
            colour = U0
            for p in range(PLANES):
                colour |= ((state.words[p * width + at // 64] >> np.uint64(at % 64)) & U1) << np.uint64(p)
            state.cells[row, col] = colour
