"""Lines of play as ordered lists of anchors, and positions that are made again from any place of a line.

An anchor is a cell of the position where a line begins, named by its column and height there, and stands for the
group that this cell belongs to when its turn comes. So a line may be changed anywhere and what follows still means
something: an anchor whose cell is gone or alone by then is left out. Columns keep their order and cells their order in
a column, so where a cell has come to is told by counts of what is still there: its column by the columns to its left
that are not empty, its height by the cells below it in its own column.

Source: ours, for `engine.games.samegame.anneal`.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.bmi2 import deposit_bits, deposit_one_by_one, has_fast_pdep
from engine.games.samegame.board import (
    PLANES,
    U0,
    U1,
    BoardState,
    cell_vector,
    colour_cells,
    lane_size,
    load_planes,
    remove,
    store_planes,
    vector_words,
)
from engine.games.samegame.lanes import (
    above,
    below,
    count_bits,
    filled_lanes,
    has_any,
    lowest_bit,
    popcount,
    store,
    to_left,
    to_right,
)
from engine.kernels import inlined_kernel, kernel

deposit = deposit_bits if has_fast_pdep() else deposit_one_by_one

# An anchor is column * 32 + height, whatever the size of the board.
COLUMN_STEP = 32
GONE = -1


class Line(NamedTuple):
    """A line of play with the position before each of its moves; room for m moves on a board of c columns.

    planes: uint64[m + 1, 4 * w], the colours (w as in `engine.games.samegame.board`)
    alive: uint64[m + 1, c], bit h of entry k: the cell that was at height h of column k is still there
    columns: uint64[m + 1], bit k: column k is not empty
    anchors: int32[m]
    points: int64[m + 1], of the moves before that place, without what the end of a game adds
    length: int64[1], how many moves the line has
    """

    planes: NDArray[np.uint64]
    alive: NDArray[np.uint64]
    columns: NDArray[np.uint64]
    anchors: NDArray[np.int32]
    points: NDArray[np.int64]
    length: NDArray[np.int64]


def new_line(state: BoardState) -> Line:
    """An empty line that begins where `state` is, with room for every line from there."""
    room = state.rows * state.cols // 2
    line = Line(
        planes=np.zeros((room + 1, PLANES * len(state.scratch)), np.uint64),
        alive=np.zeros((room + 1, state.cols), np.uint64),
        columns=np.zeros(room + 1, np.uint64),
        anchors=np.zeros(room, np.int32),
        points=np.zeros(room + 1, np.int64),
        length=np.zeros(1, np.int64),
    )
    begin_line(line, state)
    return line


@kernel
def begin_line(line, state):
    """Make `line` the empty line that begins where `state` is."""
    line.length[0] = 0
    _keep_planes(line, 0, state)
    planes = load_planes(state)
    store(state.scratch, 0, planes[0] | planes[1] | planes[2] | planes[3])
    line.columns[0] = filled_lanes(planes[0] | planes[1] | planes[2] | planes[3])
    for column in range(state.cols):
        line.alive[0, column] = lane_of(state, column)


@inlined_kernel
def lane_of(state, column):
    """The bits of one column of the vector in `state.scratch`."""
    size = lane_size(state)
    at = column * size
    return (state.scratch[at // 64] >> np.uint64(at % 64)) & np.uint64((1 << size) - 1)


@inlined_kernel
def _keep_planes(line, place, state):
    for w in range(line.planes.shape[1]):
        line.planes[place, w] = state.words[w]


@inlined_kernel
def copy_place(target, at, source, place):
    """Make position and points at the place `at` of the line `target` those that `source` has at a place."""
    for w in range(source.planes.shape[1]):
        target.planes[at, w] = source.planes[place, w]
    for column in range(source.alive.shape[1]):
        target.alive[at, column] = source.alive[place, column]
    target.columns[at] = source.columns[place]
    target.points[at] = source.points[place]


@inlined_kernel
def same_place(one, at, other, place):
    """Whether the position at the place `at` of one line is that at a place of another with the same beginning."""
    column = 0
    while column < one.alive.shape[1] and one.alive[at, column] == other.alive[place, column]:
        column += 1
    return column == one.alive.shape[1]


@inlined_kernel
def load_place(line, place, state):
    """Set the planes of `state` to the position at a place of the line; its leaders stay behind."""
    for w in range(line.planes.shape[1]):
        state.words[w] = line.planes[place, w]


@inlined_kernel
def find_anchor(line, place, anchor):
    """Where the cell of an anchor has come to: its column and height, or `GONE` as its column."""
    column = anchor // COLUMN_STEP
    height = np.uint64(anchor % COLUMN_STEP)
    alive = line.alive[place, column]
    if (alive >> height) & U1 == U0:
        return GONE, np.int64(0)
    left = line.columns[place] & ((U1 << np.uint64(column)) - U1)
    return popcount(left), popcount(alive & ((U1 << height) - U1))


@inlined_kernel
def anchor_at(line, place, column, height):
    """The anchor of the cell that is at a column and a height now."""
    original = lowest_bit(deposit(U1 << np.uint64(column), line.columns[place]))
    return np.int32(original * COLUMN_STEP + lowest_bit(deposit(U1 << np.uint64(height), line.alive[place, original])))


@inlined_kernel
def group_around(state, planes, column, height):
    """The vector of the group of the cell at a column and a height, which is not empty; of itself if it is alone."""
    at = column * lane_size(state) + height
    width = vector_words(state)
    colour = 0
    for p in range(PLANES):
        colour |= np.int64((state.words[p * width + at // 64] >> np.uint64(at % 64)) & U1) << p
    within = colour_cells(planes, colour)
    found = cell_vector(planes, column, height)
    while True:
        before = found
        found = (found | above(found) | below(found) | to_right(found) | to_left(found)) & within
        found = (found | above(found) | below(found) | to_right(found) | to_left(found)) & within
        if not has_any(found ^ before):
            return found


@inlined_kernel
def make_move(line, place, state, planes, group, anchor):
    """Remove a group, the vector of its cells, from the position at `place`, which `state` and `planes` hold.

    The move, the next place of the line and the points there are written; `state` holds the position there.
    """
    size = count_bits(group)
    store(state.scratch, 0, group)
    for column in range(state.cols):
        line.alive[place + 1, column] = line.alive[place, column]
    columns = line.columns[place]
    touched = filled_lanes(group)
    while touched != U0:
        lane = lowest_bit(touched)
        touched &= touched - U1
        bit = deposit(U1 << np.uint64(lane), line.columns[place])
        column = lowest_bit(bit)
        alive = line.alive[place, column]
        alive &= ~deposit(lane_of(state, lane), alive)
        line.alive[place + 1, column] = alive
        if alive == U0:
            columns ^= bit
    line.columns[place + 1] = columns
    store_planes(state, remove(planes, group))
    _keep_planes(line, place + 1, state)
    line.anchors[place] = anchor
    line.points[place + 1] = line.points[place] + (size - 2) * (size - 2)


@inlined_kernel
def codes_of(line, first, end, state, codes):
    """Write the codes of the moves `first` to `end - 1` of a line to `codes: int32[>= end]`."""
    for place in range(first, end):
        column, height = find_anchor(line, place, line.anchors[place])
        codes[place] = (state.rows - 1 - height) * state.cols + column
