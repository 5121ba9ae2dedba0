"""Match-3 on boards up to 8 x 8: the state and the kernels on it, fast.

`state.words: uint64[10]` holds the three planes of `engine.games.match3.planes`; the legal swaps with the right and
with the upper neighbour (bit of the left, of the lower cell); the number of moves made; then, two to a word, how many
pieces each column has received from its queue.
"""

from functools import cache
from typing import NamedTuple

import numpy as np
from numba.extending import overload
from numpy.typing import NDArray

from engine.bits import count_bits, lowest_bit, reversed_bytes
from engine.bmi2 import has_fast_pdep
from engine.game import Cells, Words
from engine.games.match3 import planes, planes_bmi2
from engine.games.match3.cells import label_matches, reshuffle_cells
from engine.games.match3.chance import is_queued, is_sampled, queue_piece, shuffle_rng
from engine.games.match3.planes import (
    LARGEST,
    LOW_32,
    U0,
    U1,
    U2,
    U8,
    U32,
    exchange,
    runs,
    swaps,
    transposed,
    worth,
)
from engine.kernels import allocating_kernel, inlined_kernel, kernel
from engine.rng import below

RIGHT_SWAPS = 3
UP_SWAPS = 4
MOVES = 5
FALLEN = 6
WORDS = FALLEN + LARGEST // 2

FAST_PDEP = has_fast_pdep()
drop = planes_bmi2.drop if FAST_PDEP else planes.drop
pick = planes_bmi2.pick if FAST_PDEP else planes.pick
fill_sampled = planes_bmi2.fill_sampled if FAST_PDEP else planes.fill_sampled


class PlaneBoard(NamedTuple):
    """State of a board of at most 8 x 8.

    words: uint64[10], the position
    board: uint64, the bits of the cells of the board
    rows, cols: int64; colours: uint64
    quartets: uint32[colours^4], the bits of four pieces by their number, see `quartets_of`
    places: uint8[2 * rows * cols], the number of the bit of each action's left or lower cell
    cells: uint8[rows, cols], scratch, row 0 at the top
    """

    words: Words
    board: np.uint64
    rows: int
    cols: int
    colours: np.uint64
    quartets: NDArray[np.uint32]
    places: NDArray[np.uint8]
    cells: Cells


@cache
def quartets_of(colours: int) -> NDArray[np.uint32]:
    """For each number of four digits in base `colours`: bit `8 * p + i` is bit `p` of the colour of digit `i`.

    Digit 0 is the first, the highest; a digit is a colour less 1. Shifted by 4 it is the second half of eight pieces.
    """
    digits = np.indices((colours,) * 4).reshape(4, -1) + 1
    bits = [(digits[i] >> p & 1) << (8 * p + i) for p in range(3) for i in range(4)]
    return np.bitwise_or.reduce(bits).astype(np.uint32)


@cache
def places_of(rows: int, cols: int) -> NDArray[np.uint8]:
    """For each code of an action the number of the bit of its left or lower cell; 0 where it would leave the board."""
    row, col, down = np.indices((rows, cols, 2)).reshape(3, -1)
    return np.maximum(8 * col + rows - 1 - row - down, 0).astype(np.uint8)


def new_plane_board(cells: NDArray[np.uint8], colours: int) -> PlaneBoard:
    """A state at its start from `cells: uint8[rows, cols]`, row 0 at the top, which is copied."""
    rows, cols = cells.shape
    column = (1 << rows) - 1
    state = PlaneBoard(
        words=np.zeros(WORDS, dtype=np.uint64),
        board=np.uint64(sum(column << (8 * col) for col in range(cols))),
        rows=rows,
        cols=cols,
        colours=np.uint64(colours),
        quartets=quartets_of(colours),
        places=places_of(rows, cols),
        cells=cells.copy(),
    )
    write_cells(state)
    return state


@inlined_kernel
def fill_queued(p0, p1, p2, empty, state, chance):
    """The planes with the next pieces of the queues in the `empty` cells; counts them in `state.words`."""
    words = state.words
    while empty != U0:
        bit = empty & (U0 - empty)
        empty ^= bit
        column = lowest_bit(bit) >> 3
        place = FALLEN + (column >> 1)
        shift = U32 * np.uint64(column & 1)
        k = np.int64((words[place] >> shift) & LOW_32)
        words[place] += U1 << shift
        colour = np.uint64(queue_piece(chance, column, k, state.colours))
        p0 |= bit & (U0 - (colour & U1))
        p1 |= bit & (U0 - ((colour >> U1) & U1))
        p2 |= bit & (U0 - (colour >> U2))
    return p0, p1, p2


def fill(p0, p1, p2, empty, state, chance):
    """The planes with new pieces in the `empty` cells, as the type of `chance` says."""
    raise NotImplementedError("fill is for kernels")


@overload(fill, jit_options={"error_model": "numpy", "forceinline": True})
def _overload_fill(p0, p1, p2, empty, state, chance):
    if is_sampled(chance):
        return fill_sampled.py_func
    if is_queued(chance):
        return fill_queued.py_func
    return None


@inlined_kernel
def settle(p0, p1, p2, state, chance):
    """The planes at rest after all matches and their combos, and the points they gave."""
    board = state.board
    points = np.int64(0)
    multiplier = np.int64(1)
    while True:
        matched, upright, level = runs(p0, p1, p2, board)
        if matched == U0:
            return p0, p1, p2, points
        points += multiplier * worth(matched, upright, level)
        multiplier += 1
        p0, p1, p2, empty = drop(p0, p1, p2, matched, board)
        p0, p1, p2 = fill(p0, p1, p2, empty, state, chance)


@kernel
def read_cells(state):
    """Write the board to the scratch `state.cells`, row 0 at the top."""
    words = state.words
    for row in range(state.rows):
        for col in range(state.cols):
            at = np.uint64(8 * col + state.rows - 1 - row)
            colour = (words[0] >> at) & U1 | ((words[1] >> at) & U1) << U1 | ((words[2] >> at) & U1) << U2
            state.cells[row, col] = colour


@kernel
def write_cells(state):
    """Make the scratch `state.cells` the board, with its legal swaps."""
    p0, p1, p2 = U0, U0, U0
    for row in range(state.rows):
        for col in range(state.cols):
            at = np.uint64(8 * col + state.rows - 1 - row)
            colour = np.uint64(state.cells[row, col])
            p0 |= (colour & U1) << at
            p1 |= ((colour >> U1) & U1) << at
            p2 |= (colour >> U2) << at
    _store(state, p0, p1, p2)
    state.words[RIGHT_SWAPS], state.words[UP_SWAPS] = swaps(p0, p1, p2, state.board)


@inlined_kernel
def _store(state, p0, p1, p2):
    state.words[0] = p0
    state.words[1] = p1
    state.words[2] = p2


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
    return count_bits(state.words[RIGHT_SWAPS]) + count_bits(state.words[UP_SWAPS])


@kernel
def legal_actions(state, out):
    """Hook of `engine.game`. Rows for columns and the top row first, bits come in the order of their codes.

    Both codes of a cell are written and those that are illegal written over, so `out` has room for one more.
    """
    right = reversed_bytes(transposed(state.words[RIGHT_SWAPS]))
    # A swap down is kept by its lower cell and named by its upper one.
    down = reversed_bytes(transposed(state.words[UP_SWAPS] << U1))
    found = right | down
    # The code of a cell is twice its number by rows; bits count eight cells a row, and eight rows.
    outside = 2 * (LARGEST - state.cols)
    above = 2 * (LARGEST - state.rows) * state.cols
    count = np.uint64(0)
    while found != U0:
        at = lowest_bit(found)
        found &= found - U1
        code = 2 * at - outside * (at >> 3) - above
        out[count] = code
        count += (right >> np.uint64(at)) & U1
        out[count] = code + 1
        count += (down >> np.uint64(at)) & U1
    return np.int64(count)


@inlined_kernel
def locate(state, action):
    """The bit of an action's left or lower cell and the shift to its other cell."""
    return U1 << np.uint64(state.places[np.uint64(action)]), U1 if action & 1 else U8


@kernel
def apply_action(state, action, chance):
    """Hook of `engine.game`."""
    words = state.words
    bit, shift = locate(state, action)
    p0, p1, p2 = exchange(words[0], words[1], words[2], bit, shift)
    p0, p1, p2, points = settle(p0, p1, p2, state, chance)
    right, up = swaps(p0, p1, p2, state.board)
    _store(state, p0, p1, p2)
    words[RIGHT_SWAPS] = right
    words[UP_SWAPS] = up
    words[MOVES] += U1
    if right | up == U0:
        reshuffle(state, chance)
    return points


@kernel
def random_action(state, rng):
    """Hook of `engine.game`."""
    right, up = state.words[RIGHT_SWAPS], state.words[UP_SWAPS]
    bit, shift = pick(right, up, below(rng, count_bits(right) + count_bits(up)))
    at = lowest_bit(bit)
    row, col = state.rows - 1 - (at & 7), at >> 3
    if shift == U1:
        # The code of a vertical swap names its upper cell.
        return 2 * ((row - 1) * state.cols + col) + 1
    return 2 * (row * state.cols + col)


@kernel
def prospect(state, action, of_actions):
    """Hook of `engine.game`: of the first matches alone; swaps that make a run whatever falls into the empty cells."""
    words = state.words
    bit, shift = locate(state, action)
    p0, p1, p2 = exchange(words[0], words[1], words[2], bit, shift)
    matched, upright, level = runs(p0, p1, p2, state.board)
    if not of_actions:
        return worth(matched, upright, level)
    p0, p1, p2, empty = drop(p0, p1, p2, matched, state.board)
    right, up = swaps(p0, p1, p2, state.board & ~empty)
    return count_bits(right) + count_bits(up)


@kernel
def random_playout(state, chance, rng, length, totals):
    """Hook of `engine.game`."""
    words = state.words
    p0, p1, p2, right, up = words[0], words[1], words[2], words[RIGHT_SWAPS], words[UP_SWAPS]
    points, choices = np.int64(0), np.int64(0)
    for _ in range(length):
        count = count_bits(right) + count_bits(up)
        choices += count
        bit, shift = pick(right, up, below(rng, count))
        p0, p1, p2 = exchange(p0, p1, p2, bit, shift)
        p0, p1, p2, gained = settle(p0, p1, p2, state, chance)
        points += gained
        words[MOVES] += U1
        right, up = swaps(p0, p1, p2, state.board)
        if right | up == U0:
            _store(state, p0, p1, p2)
            reshuffle(state, chance)
            p0, p1, p2, right, up = words[0], words[1], words[2], words[RIGHT_SWAPS], words[UP_SWAPS]
    _store(state, p0, p1, p2)
    words[RIGHT_SWAPS] = right
    words[UP_SWAPS] = up
    totals[0] += points
    totals[1] += choices


@kernel
def is_over(state):
    """Hook of `engine.game`: never, since a board without a legal swap is shuffled."""
    return False


@kernel
def start_move(state, action):
    """Exchange two pieces and count the move; first part of `apply_action` for who wants to watch."""
    bit, shift = locate(state, action)
    p0, p1, p2 = exchange(state.words[0], state.words[1], state.words[2], bit, shift)
    _store(state, p0, p1, p2)
    state.words[MOVES] += U1


@kernel
def clear_and_fall(state, multiplier, chance, labels):
    """One step of a cascade: number the matches in `labels: uint8[rows, cols]`, clear, drop and fill; its points.

    The board before is in `state.cells` afterwards. With no match 0 is returned and nothing changes.
    """
    read_cells(state)
    if label_matches(state.cells, labels) == 0:
        return 0
    p0, p1, p2 = state.words[0], state.words[1], state.words[2]
    matched, upright, level = runs(p0, p1, p2, state.board)
    points = multiplier * worth(matched, upright, level)
    p0, p1, p2, empty = drop(p0, p1, p2, matched, state.board)
    p0, p1, p2 = fill(p0, p1, p2, empty, state, chance)
    _store(state, p0, p1, p2)
    return points


@kernel
def end_move(state, chance):
    """Last part of `apply_action`: 0, 1 if the board was shuffled, 2 if drawn anew; `state.cells` is current then."""
    state.words[RIGHT_SWAPS], state.words[UP_SWAPS] = swaps(state.words[0], state.words[1], state.words[2], state.board)
    if state.words[RIGHT_SWAPS] | state.words[UP_SWAPS] == U0:
        return 2 if reshuffle(state, chance) else 1
    read_cells(state)
    return 0
