"""Match-3 on bit planes, for boards up to 8 x 8: the fast kernels.

A board is three words. Bit `8 * column + row` of plane `p`, row 0 at the bottom, is bit `p` of the colour of that
cell; colour 0 is no piece. Two cells are equal if three exclusive ors vanish, so all comparisons of one direction
take a handful of instructions for the whole board, whatever the number of colours:

    column      0     1     2            bit of a cell
    row 2     . 2   . 10  . 18           up is + 1, right is + 8;
    row 1     . 1   .  9  . 17           rows beyond the board stay 0,
    row 0     . 0   .  8  . 16           so nothing there equals a piece

`state.words: uint64[10]` holds the three planes; the legal swaps with the right and with the upper neighbour (bit of
the left, of the lower cell); the number of moves made; then, two to a word, how many pieces each column has received
from its queue.

Everything here is portable. A processor with pext and pdep can do `drop` and `fill_sampled` faster: those two are
the place for it, with the same results.
"""

from typing import NamedTuple

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload
from numpy.typing import NDArray

from engine.game import Cells, Words
from engine.games.match3.cells import label_matches, reshuffle_cells
from engine.games.match3.chance import is_queued, is_sampled, queue_piece, shuffle_rng
from engine.kernels import allocating_kernel, kernel
from engine.rng import below, next_u64

LARGEST = 8
RIGHT_SWAPS = 3
UP_SWAPS = 4
MOVES = 5
FALLEN = 6
WORDS = FALLEN + LARGEST // 2

U0, U1, U2, U3, U4, U5, U6, U7, U8, U9, U10 = (np.uint64(i) for i in range(11))
U14, U15, U16, U17, U24, U32 = (np.uint64(i) for i in (14, 15, 16, 17, 24, 32))
LOW_32 = np.uint64(2**32 - 1)

# Rows of every column that have one, two, three rows above them in their byte; or one, two below.
HAS_UP_1 = np.uint64(0x7F7F7F7F7F7F7F7F)
HAS_UP_2 = np.uint64(0x3F3F3F3F3F3F3F3F)
HAS_UP_3 = np.uint64(0x1F1F1F1F1F1F1F1F)
HAS_DOWN_1 = np.uint64(0xFEFEFEFEFEFEFEFE)
HAS_DOWN_2 = np.uint64(0xFCFCFCFCFCFCFCFC)
HAS_DOWN_4 = np.uint64(0xF0F0F0F0F0F0F0F0)
BOTTOM_ROW = np.uint64(0x0101010101010101)


class PlaneBoard(NamedTuple):
    """State of a board of at most 8 x 8.

    words: uint64[10], the position
    board: uint64, the bits of the cells of the board
    rows, cols: int64; colours: uint64
    cells: uint8[rows, cols], scratch, row 0 at the top
    """

    words: Words
    board: np.uint64
    rows: int
    cols: int
    colours: np.uint64
    cells: Cells


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
        cells=cells.copy(),
    )
    write_cells(state)
    return state


@intrinsic
def count_bits(typingctx, word):
    """The number of bits set in a `uint64`, as `int64`."""

    def generate(context, builder, signature, arguments):
        return builder.ctpop(arguments[0])

    return types.int64(types.uint64), generate


@intrinsic
def lowest_bit(typingctx, word):
    """The index of the lowest bit set in a `uint64` that is not 0, as `int64`."""

    def generate(context, builder, signature, arguments):
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.uint64), generate


@kernel
def equal(p0, p1, p2, shift, among):
    """Those of the cells `among` whose piece equals that of the cell `shift` bits on."""
    return ~((p0 ^ (p0 >> shift)) | (p1 ^ (p1 >> shift)) | (p2 ^ (p2 >> shift))) & among


@kernel
def swaps(p0, p1, p2, board):
    """The legal swaps with the right and with the upper neighbour, two masks, of a full board at rest.

    Names say where the equal cell lies from the first one: `r2u1` is two to the right and one up. A swap with the
    right neighbour is legal if the left piece meets a pair beyond it (three patterns) or the right piece does (three).
    """
    up1, up2, down1, down2 = board & HAS_UP_1, board & HAS_UP_2, board & HAS_DOWN_1, board & HAS_DOWN_2
    r2 = equal(p0, p1, p2, U16, board)
    r3 = equal(p0, p1, p2, U24, board)
    r1u1 = equal(p0, p1, p2, U9, up1)
    r1d1 = equal(p0, p1, p2, U7, down1)
    r1u2 = equal(p0, p1, p2, U10, up2)
    r1d2 = equal(p0, p1, p2, U6, down2)
    r2u1 = equal(p0, p1, p2, U17, up1)
    r2d1 = equal(p0, p1, p2, U15, down1)
    u2 = equal(p0, p1, p2, U2, up2)
    u3 = equal(p0, p1, p2, U3, board & HAS_UP_3)
    right = (r2 & r3) | (r1u1 & (r1u2 | r1d1)) | (r1d1 & r1d2)
    right |= ((r2 << U8) & (r3 << U16)) | ((r1d1 >> U1) & ((r1d2 >> U2) | (r1u1 << U1))) | ((r1u1 << U1) & (r1u2 << U2))
    up = (u2 & u3) | (r1u1 & (r2u1 | (r1d1 << U7))) | ((r1d1 << U7) & (r2d1 << U15))
    up |= ((u2 << U1) & (u3 << U2)) | ((r1d1 >> U1) & ((r2d1 >> U1) | (r1u1 << U8))) | ((r1u1 << U8) & (r2u1 << U16))
    return right, up


@kernel
def runs(p0, p1, p2, board):
    """The cells in runs; the lowest cells of vertical triples; the leftmost cells of horizontal triples."""
    same_up = equal(p0, p1, p2, U1, board & HAS_UP_1)
    same_right = equal(p0, p1, p2, U8, board)
    upright = same_up & (same_up >> U1)
    level = same_right & (same_right >> U8)
    return upright | upright << U1 | upright << U2 | level | level << U8 | level << U16, upright, level


@kernel
def worth(cells, upright, level):
    """Points of the matches in `cells` at multiplier 1, from the masks that `runs` gives."""
    count = count_bits(cells)
    if count < 6:
        # Two matches need six cells.
        return count * (10 * count - 10)
    links_up = upright | upright << U1
    links_right = level | level << U8
    points = np.int64(0)
    while cells != U0:
        match = cells & (U0 - cells)
        before = U0
        while match != before:
            before = match
            match |= (match & links_up) << U1 | (match >> U1) & links_up
            match |= (match & links_right) << U8 | (match >> U8) & links_right
        cells &= ~match
        count = count_bits(match)
        points += count * (10 * count - 10)
    return points


@kernel
def drop(p0, p1, p2, cleared):
    """The planes after the pieces in `cleared` are gone and those above them have fallen; empty cells are 0.

    Each round closes the lowest gap of every column: all cells from there up move down by one.
    """
    p0, p1, p2 = p0 & ~cleared, p1 & ~cleared, p2 & ~cleared
    while cleared != U0:
        moving = cleared | (cleared << U1) & HAS_DOWN_1
        moving |= (moving << U2) & HAS_DOWN_2
        moving |= (moving << U4) & HAS_DOWN_4
        from_above = moving & HAS_UP_1
        p0 = (p0 & ~moving) | (p0 >> U1) & from_above
        p1 = (p1 & ~moving) | (p1 >> U1) & from_above
        p2 = (p2 & ~moving) | (p2 >> U1) & from_above
        cleared = (cleared >> U1) & from_above
    return p0, p1, p2


@kernel
def fill_sampled(p0, p1, p2, empty, state, chance):
    """The planes with a random piece in every `empty` cell, column by column from the left, each from below.

    A draw of 64 bits gives eight pieces, four from its upper half, then four from its lower: the half is a fraction
    of 2^32, and multiplying it by the number of colours again and again brings its digits in that base.
    """
    colours = state.colours
    taken = 8
    drawn = U0
    fraction = U0
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
    return p0, p1, p2


@kernel
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


@overload(fill, jit_options={"error_model": "numpy"})
def _overload_fill(p0, p1, p2, empty, state, chance):
    if is_sampled(chance):
        return fill_sampled.py_func
    if is_queued(chance):
        return fill_queued.py_func
    return None


@kernel
def exchange(p0, p1, p2, bit, shift):
    """The planes after the piece at `bit` and the one `shift` bits on have changed places."""
    other = (p0 ^ (p0 >> shift)) & bit
    p0 ^= other | other << shift
    other = (p1 ^ (p1 >> shift)) & bit
    p1 ^= other | other << shift
    other = (p2 ^ (p2 >> shift)) & bit
    p2 ^= other | other << shift
    return p0, p1, p2


@kernel
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
        p0, p1, p2 = drop(p0, p1, p2, matched)
        p0, p1, p2 = fill(p0, p1, p2, board & ~(p0 | p1 | p2), state, chance)


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


@kernel
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
    """Hook of `engine.game`. The bits of one row, right before down in each column, are its codes in order."""
    right, up = state.words[RIGHT_SWAPS], state.words[UP_SWAPS]
    count = 0
    for row in range(state.rows):
        height = np.uint64(state.rows - 1 - row)
        found = (right >> height) & BOTTOM_ROW
        if height > U0:
            found |= ((up >> (height - U1)) & BOTTOM_ROW) << U1
        first = 2 * row * state.cols
        while found != U0:
            at = lowest_bit(found)
            found &= found - U1
            out[count] = first + 2 * (at >> 3) + (at & 7)
            count += 1
    return count


@kernel
def locate(state, action):
    """The bit of an action's left or lower cell and the shift to its other cell."""
    cell = np.uint32(action >> 1)
    row = cell // np.uint32(state.cols)
    col = cell - row * np.uint32(state.cols)
    height = np.uint64(state.rows - 1) - np.uint64(row)
    if action & 1:
        return U1 << (U8 * np.uint64(col) + height - U1), U1
    return U1 << (U8 * np.uint64(col) + height), U8


@kernel
def pick(right, up, k):
    """The bit and the shift of the `k`-th legal swap: those to the right come first, each kind by ascending bit."""
    rights = count_bits(right)
    if k < rights:
        among, shift = right, U8
    else:
        among, shift = up, U1
        k -= rights
    for _ in range(k):
        among &= among - U1
    return among & (U0 - among), shift


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
    p0, p1, p2 = drop(p0, p1, p2, matched)
    p0, p1, p2 = fill(p0, p1, p2, state.board & ~(p0 | p1 | p2), state, chance)
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
