"""Match-3 on boards up to 12 x 12: the state and the kernels on it. Same rules, draws and results as `small`.

`state.words: uint64[29]`: the lanes of `engine.games.match3.columns`, four to a word; then the number of moves made
and, two to a word, how many pieces each column has received from its queue.
"""

from typing import NamedTuple

import numpy as np
from numba.extending import overload
from numpy.typing import NDArray

from engine.bits import lowest_bit
from engine.game import Cells, Words
from engine.games.match3.cells import label_matches, reshuffle_cells
from engine.games.match3.chance import is_queued, is_sampled, queue_piece, shuffle_rng
from engine.games.match3.columns import (
    COLUMNS,
    LANES,
    LARGEST,
    MATCHED,
    NO_RUN,
    PLANE_0,
    PLANE_0_WORD,
    PLANE_1,
    PLANE_1_WORD,
    PLANE_2,
    PLANE_2_WORD,
    RIGHT,
    RIGHT_WORD,
    SCRATCH,
    UP,
    UP_WORD,
    count_words,
    drop,
    exchange,
    find_runs,
    find_swaps,
    pick,
    worth,
)
from engine.games.match3.planes import LOW_32, U0, U1, U2, U32
from engine.kernels import allocating_kernel, inlined_kernel, kernel
from engine.rng import below, next_u64

MOVES = LANES // 4
FALLEN = MOVES + 1
WORDS = FALLEN + LARGEST // 2


class ColumnBoard(NamedTuple):
    """State of a board of at most 12 x 12.

    words: uint64[29], the position
    board: uint16[20], the bits of the cells of each column of the board, 0 beyond
    rows, cols: int64; colours: uint64
    scratch: uint16[84]
    cells: uint8[rows, cols], scratch, row 0 at the top
    spare: uint64[26], scratch for a position that is to come back
    """

    words: Words
    board: NDArray[np.uint16]
    rows: int
    cols: int
    colours: np.uint64
    scratch: NDArray[np.uint16]
    cells: Cells
    spare: Words


def new_column_board(cells: NDArray[np.uint8], colours: int) -> ColumnBoard:
    """A state at its start from `cells: uint8[rows, cols]`, row 0 at the top, which is copied."""
    rows, cols = cells.shape
    board = np.zeros(COLUMNS + 4, dtype=np.uint16)
    board[:cols] = (1 << rows) - 1
    state = ColumnBoard(
        words=np.zeros(WORDS, dtype=np.uint64),
        board=board,
        rows=rows,
        cols=cols,
        colours=np.uint64(colours),
        scratch=np.zeros(SCRATCH, dtype=np.uint16),
        cells=cells.copy(),
        spare=np.zeros(MOVES + COLUMNS // 4 + 1, dtype=np.uint64),
    )
    write_cells(state)
    return state


@inlined_kernel
def fill_sampled(state, chance):
    """Put a random piece into every empty cell, drawn as `planes.fill_sampled` does and in its order."""
    words, empties, colours = state.words, state.scratch.view(np.uint64), state.colours
    taken = 8
    drawn = U0
    fraction = U0
    for at in range(LARGEST // 4):
        empty = empties[MATCHED // 4 + at]
        if empty == U0:
            continue
        p0, p1, p2 = words[PLANE_0_WORD + at], words[PLANE_1_WORD + at], words[PLANE_2_WORD + at]
        while empty != U0:
            if taken == 8:
                drawn = next_u64(chance.rng)
                fraction = drawn >> U32
                taken = 0
            elif taken == 4:
                fraction = drawn & LOW_32
            bit = empty & (U0 - empty)
            empty ^= bit
            fraction *= colours
            colour = (fraction >> U32) + U1
            fraction &= LOW_32
            taken += 1
            p0 |= bit & (U0 - (colour & U1))
            p1 |= bit & (U0 - ((colour >> U1) & U1))
            p2 |= bit & (U0 - (colour >> U2))
        words[PLANE_0_WORD + at], words[PLANE_1_WORD + at], words[PLANE_2_WORD + at] = p0, p1, p2


@inlined_kernel
def put(lanes, column, bit, colour):
    """Set an empty cell, at `bit: uint64` of a column, to a colour (`uint64`)."""
    lanes[PLANE_0 + column] |= bit & (U0 - (colour & U1))
    lanes[PLANE_1 + column] |= bit & (U0 - ((colour >> U1) & U1))
    lanes[PLANE_2 + column] |= bit & (U0 - (colour >> U2))


@inlined_kernel
def fill_queued(state, chance):
    """Put the next pieces of the queues into the empty cells; counts them in `state.words`."""
    words = state.words
    lanes = words.view(np.uint16)
    for column in range(state.cols):
        empty = np.uint64(state.scratch[MATCHED + column])
        place = FALLEN + (column >> 1)
        shift = U32 * np.uint64(column & 1)
        while empty != U0:
            bit = empty & (U0 - empty)
            empty ^= bit
            k = np.int64((words[place] >> shift) & LOW_32)
            words[place] += U1 << shift
            put(lanes, column, bit, np.uint64(queue_piece(chance, column, k, state.colours)))


def fill(state, chance):
    """Put new pieces into the cells that `drop` left empty, as the type of `chance` says."""
    raise NotImplementedError("fill is for kernels")


@overload(fill, jit_options={"error_model": "numpy", "forceinline": True})
def _overload_fill(state, chance):
    if is_sampled(chance):
        return fill_sampled.py_func
    if is_queued(chance):
        return fill_queued.py_func
    return None


@inlined_kernel
def settle(lanes, state, chance):
    """Clear all matches and their combos until the board rests; the points they gave."""
    points = np.int64(0)
    multiplier = np.int64(1)
    while True:
        found = find_runs(lanes, state.board, state.scratch)
        if found == NO_RUN:
            return points
        points += multiplier * worth(state.scratch, found)
        multiplier += 1
        drop(lanes, state.board, state.scratch)
        fill(state, chance)


@kernel
def read_cells(state):
    """Write the board to the scratch `state.cells`, row 0 at the top."""
    lanes = state.words.view(np.uint16)
    for row in range(state.rows):
        height = state.rows - 1 - row
        for col in range(state.cols):
            colour = (lanes[PLANE_0 + col] >> height) & 1
            colour |= ((lanes[PLANE_1 + col] >> height) & 1) << 1
            colour |= ((lanes[PLANE_2 + col] >> height) & 1) << 2
            state.cells[row, col] = colour


@kernel
def write_cells(state):
    """Make the scratch `state.cells` the board, with its legal swaps."""
    lanes = state.words.view(np.uint16)
    lanes[PLANE_0:RIGHT] = 0
    for row in range(state.rows):
        bit = U1 << np.uint64(state.rows - 1 - row)
        for col in range(state.cols):
            put(lanes, col, bit, np.uint64(state.cells[row, col]))
    find_swaps(lanes, state.board)


@allocating_kernel
def reshuffle(state, chance):
    """Shuffle a board without a legal swap, after the move counted last; whether it had to be drawn anew."""
    read_cells(state)
    rng = shuffle_rng(chance, np.int64(state.words[MOVES]))
    redrawn = reshuffle_cells(state.cells, np.int64(state.colours), rng)
    write_cells(state)
    return redrawn


@kernel
def legal_count(state):
    """Hook of `engine.game`."""
    return count_words(state.words, RIGHT_WORD) + count_words(state.words, UP_WORD)


@kernel
def legal_actions(state, out):
    """Hook of `engine.game`."""
    lanes = state.words.view(np.uint16)
    count = 0
    for row in range(state.rows):
        height = state.rows - 1 - row
        code = 2 * row * state.cols
        for col in range(state.cols):
            if (lanes[RIGHT + col] >> height) & 1:
                out[count] = code
                count += 1
            if height > 0 and (lanes[UP + col] >> (height - 1)) & 1:
                out[count] = code + 1
                count += 1
            code += 2
    return count


@inlined_kernel
def locate(state, action):
    """Column, bit (`uint64`) of the left or lower cell, and whether it is vertical, of an action."""
    cell = action >> 1
    row = cell // state.cols
    column = cell - row * state.cols
    upward = action & 1 == 1
    height = state.rows - 1 - row
    if upward:
        height -= 1
    return column, U1 << np.uint64(height), upward


@kernel
def apply_action(state, action, chance):
    """Hook of `engine.game`."""
    words = state.words
    lanes = words.view(np.uint16)
    column, bit, upward = locate(state, action)
    exchange(lanes, column, bit, upward)
    points = settle(lanes, state, chance)
    find_swaps(lanes, state.board)
    words[MOVES] += U1
    if legal_count(state) == 0:
        reshuffle(state, chance)
    return points


@kernel
def random_action(state, rng):
    """Hook of `engine.game`."""
    column, bit, upward = pick(state.words, below(rng, legal_count(state)))
    row = state.rows - 1 - lowest_bit(bit)
    if upward:
        # The code of a vertical swap names its upper cell.
        return 2 * ((row - 1) * state.cols + column) + 1
    return 2 * (row * state.cols + column)


@kernel
def prospect(state, action, of_actions):
    """Hook of `engine.game`: as in `small`."""
    words, spare = state.words, state.spare
    lanes = words.view(np.uint16)
    for at in range(MOVES):
        spare[at] = words[at]
    column, bit, upward = locate(state, action)
    exchange(lanes, column, bit, upward)
    value = np.int64(worth(state.scratch, find_runs(lanes, state.board, state.scratch)))
    if of_actions:
        drop(lanes, state.board, state.scratch)
        filled = spare[MOVES:].view(np.uint16)
        for c in range(len(state.board)):
            filled[c] = state.board[c]
        for c in range(COLUMNS):
            filled[c] &= ~state.scratch[MATCHED + c]
        find_swaps(lanes, filled)
        value = np.int64(legal_count(state))
    for at in range(MOVES):
        words[at] = spare[at]
    return value


@kernel
def random_playout(state, chance, rng, length, totals):
    """Hook of `engine.game`."""
    words = state.words
    lanes = words.view(np.uint16)
    points = 0
    choices = 0
    count = legal_count(state)
    for _ in range(length):
        choices += count
        column, bit, upward = pick(words, below(rng, count))
        exchange(lanes, column, bit, upward)
        points += settle(lanes, state, chance)
        words[MOVES] += U1
        find_swaps(lanes, state.board)
        count = legal_count(state)
        if count == 0:
            reshuffle(state, chance)
            count = legal_count(state)
    totals[0] += points
    totals[1] += choices


@kernel
def is_over(state):
    """Hook of `engine.game`: never, since a board without a legal swap is shuffled."""
    return False


@kernel
def start_move(state, action):
    """Exchange two pieces and count the move; first part of `apply_action` for who wants to watch."""
    column, bit, upward = locate(state, action)
    exchange(state.words.view(np.uint16), column, bit, upward)
    state.words[MOVES] += U1


@kernel
def clear_and_fall(state, multiplier, chance, labels):
    """One step of a cascade, as `small.clear_and_fall`."""
    read_cells(state)
    if label_matches(state.cells, labels) == 0:
        return 0
    lanes = state.words.view(np.uint16)
    found = find_runs(lanes, state.board, state.scratch)
    points = multiplier * worth(state.scratch, found)
    drop(lanes, state.board, state.scratch)
    fill(state, chance)
    return points


@kernel
def end_move(state, chance):
    """Last part of `apply_action`, as `small.end_move`."""
    find_swaps(state.words.view(np.uint16), state.board)
    if legal_count(state) == 0:
        return 2 if reshuffle(state, chance) else 1
    read_cells(state)
    return 0
