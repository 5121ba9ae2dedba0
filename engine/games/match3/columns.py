"""Match-3 on one 16-bit word a column and plane, for boards up to 12 x 12: the wide kernels.

The same rules, draws and results as `engine.games.match3.planes`, which small boards use. A column of a plane is one
`uint16`, bit `row` from the bottom, and a plane is sixteen of them, so that a loop over columns is one or two vector
instructions for the compiler. Columns and rows beyond the board are 0 and equal no piece.

`state.words: uint64[28]`, read as `lanes: uint16[112]`: four lanes of padding, then sixteen a plane, sixteen for the
legal swaps with the right neighbour (by the left cell), sixteen for those with the upper one (by the lower cell);
then, as words again, the number of moves made and, two to a word, how many pieces each column has received.
A look at a column up to two to the left or three to the right of any of the sixteen stays inside the lanes, and what
it finds beyond the board is masked out.
"""

from typing import NamedTuple

import numpy as np
from numba.extending import overload
from numpy.typing import NDArray

from engine.game import Cells, Words
from engine.games.match3.bits import count_bits, lowest_bit
from engine.games.match3.cells import label_matches, reshuffle_cells
from engine.games.match3.chance import is_queued, is_sampled, queue_piece, shuffle_rng
from engine.games.match3.planes import LOW_32, U0, U1, U2, U32
from engine.kernels import allocating_kernel, kernel
from engine.rng import below, next_u64

LARGEST = 12
COLUMNS = 16
# Lanes at which the planes and the masks of legal swaps begin.
PLANE_0 = 4
PLANE_1 = PLANE_0 + COLUMNS
PLANE_2 = PLANE_1 + COLUMNS
RIGHT = PLANE_2 + COLUMNS
UP = RIGHT + COLUMNS
# Words.
RIGHT_WORD = RIGHT // 4
UP_WORD = UP // 4
MOVES = (UP + COLUMNS) // 4
FALLEN = MOVES + 1
WORDS = FALLEN + LARGEST // 2
# Lanes of the scratch: cells in runs, lowest cells of vertical triples, leftmost cells of horizontal triples.
MATCHED = 0
UPRIGHT = COLUMNS
LEVEL = 2 * COLUMNS
FLOOD = 3 * COLUMNS
SCRATCH = 4 * COLUMNS
LANE_BITS = np.uint64(0xFFFF)


class ColumnBoard(NamedTuple):
    """State of a board of at most 12 x 12.

    words: uint64[28], the position
    board: uint16[20], the bits of the cells of each column of the board, 0 beyond
    rows, cols: int64; colours: uint64
    scratch: uint16[64]
    cells: uint8[rows, cols], scratch, row 0 at the top
    """

    words: Words
    board: NDArray[np.uint16]
    rows: int
    cols: int
    colours: np.uint64
    scratch: NDArray[np.uint16]
    cells: Cells


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
    )
    write_cells(state)
    return state


@kernel
def same(a0, a1, a2, b0, b1, b2):
    """The bits in which the pieces of two columns, three planes each, are equal."""
    return ~((a0 ^ b0) | (a1 ^ b1) | (a2 ^ b2))


@kernel
def find_swaps(lanes, board):
    """Write the legal swaps of a full board at rest to the lanes for them.

    In each column: `a` is the left or lower piece, `b` the right or upper one. Either the first meets a pair around
    the place of the second (three patterns) or the second around the place of the first (three patterns).
    """
    for c in range(COLUMNS):
        a0, a1, a2 = lanes[PLANE_0 + c], lanes[PLANE_1 + c], lanes[PLANE_2 + c]
        l0, l1, l2 = lanes[PLANE_0 - 1 + c], lanes[PLANE_1 - 1 + c], lanes[PLANE_2 - 1 + c]
        k0, k1, k2 = lanes[PLANE_0 - 2 + c], lanes[PLANE_1 - 2 + c], lanes[PLANE_2 - 2 + c]
        r0, r1, r2 = lanes[PLANE_0 + 1 + c], lanes[PLANE_1 + 1 + c], lanes[PLANE_2 + 1 + c]
        s0, s1, s2 = lanes[PLANE_0 + 2 + c], lanes[PLANE_1 + 2 + c], lanes[PLANE_2 + 2 + c]
        t0, t1, t2 = lanes[PLANE_0 + 3 + c], lanes[PLANE_1 + 3 + c], lanes[PLANE_2 + 3 + c]
        here, there = board[c], board[c + 1]

        # The swap with the right neighbour: a among the pieces of the column to the right, b among those of this one.
        a_up = same(a0, a1, a2, r0 >> 1, r1 >> 1, r2 >> 1)
        a_down = same(a0, a1, a2, r0 << 1, r1 << 1, r2 << 1)
        found = same(a0, a1, a2, s0, s1, s2) & same(a0, a1, a2, t0, t1, t2)
        found |= a_up & (same(a0, a1, a2, r0 >> 2, r1 >> 2, r2 >> 2) | a_down)
        found |= a_down & same(a0, a1, a2, r0 << 2, r1 << 2, r2 << 2)
        b_up = same(r0, r1, r2, a0 >> 1, a1 >> 1, a2 >> 1)
        b_down = same(r0, r1, r2, a0 << 1, a1 << 1, a2 << 1)
        other = same(r0, r1, r2, l0, l1, l2) & same(r0, r1, r2, k0, k1, k2)
        other |= b_up & (same(r0, r1, r2, a0 >> 2, a1 >> 2, a2 >> 2) | b_down)
        other |= b_down & same(r0, r1, r2, a0 << 2, a1 << 2, a2 << 2)
        lanes[RIGHT + c] = (found & here) | (other & there)

        # The swap with the upper neighbour: a one row up, b (found by its own row, then moved) one row down.
        a_right = same(a0, a1, a2, r0 >> 1, r1 >> 1, r2 >> 1)
        a_left = same(a0, a1, a2, l0 >> 1, l1 >> 1, l2 >> 1)
        found = same(a0, a1, a2, a0 >> 2, a1 >> 2, a2 >> 2) & same(a0, a1, a2, a0 >> 3, a1 >> 3, a2 >> 3)
        found |= a_right & (same(a0, a1, a2, s0 >> 1, s1 >> 1, s2 >> 1) | a_left)
        found |= a_left & same(a0, a1, a2, k0 >> 1, k1 >> 1, k2 >> 1)
        b_right = same(a0, a1, a2, r0 << 1, r1 << 1, r2 << 1)
        b_left = same(a0, a1, a2, l0 << 1, l1 << 1, l2 << 1)
        other = same(a0, a1, a2, a0 << 2, a1 << 2, a2 << 2) & same(a0, a1, a2, a0 << 3, a1 << 3, a2 << 3)
        other |= b_right & (same(a0, a1, a2, s0 << 1, s1 << 1, s2 << 1) | b_left)
        other |= b_left & same(a0, a1, a2, k0 << 1, k1 << 1, k2 << 1)
        lanes[UP + c] = (found & here) | ((other & here) >> 1)


@kernel
def find_runs(lanes, board, scratch):
    """Write cells in runs, lowest cells of vertical and leftmost cells of horizontal triples to the scratch; any?"""
    any_run = 0
    for c in range(COLUMNS):
        a0, a1, a2 = lanes[PLANE_0 + c], lanes[PLANE_1 + c], lanes[PLANE_2 + c]
        l0, l1, l2 = lanes[PLANE_0 - 1 + c], lanes[PLANE_1 - 1 + c], lanes[PLANE_2 - 1 + c]
        k0, k1, k2 = lanes[PLANE_0 - 2 + c], lanes[PLANE_1 - 2 + c], lanes[PLANE_2 - 2 + c]
        r0, r1, r2 = lanes[PLANE_0 + 1 + c], lanes[PLANE_1 + 1 + c], lanes[PLANE_2 + 1 + c]
        s0, s1, s2 = lanes[PLANE_0 + 2 + c], lanes[PLANE_1 + 2 + c], lanes[PLANE_2 + 2 + c]
        here = board[c]
        same_up = same(a0, a1, a2, a0 >> 1, a1 >> 1, a2 >> 1) & here
        upright = same_up & (same_up >> 1)
        same_left = same(a0, a1, a2, l0, l1, l2)
        same_right = same(a0, a1, a2, r0, r1, r2)
        level = same_right & same(r0, r1, r2, s0, s1, s2) & here
        matched = upright | (upright << 1) | (upright << 2) | level
        matched |= ((same_left & same_right) | (same(k0, k1, k2, l0, l1, l2) & same_left)) & here
        scratch[MATCHED + c] = matched
        scratch[UPRIGHT + c] = upright
        scratch[LEVEL + c] = level
        any_run |= matched
    return any_run != 0


@kernel
def worth(scratch):
    """Points at multiplier 1 of the matches that `find_runs` left in the scratch, which stays as it is."""
    count = 0
    matched = scratch[MATCHED : MATCHED + COLUMNS].view(np.uint64)
    for word in matched:
        count += count_bits(word)
    if count < 6:
        # Two matches need six cells.
        return count * (10 * count - 10)
    points = 0
    for c in range(COLUMNS):
        scratch[FLOOD + c] = scratch[MATCHED + c]
    for first in range(COLUMNS):
        while scratch[FLOOD + first] != 0:
            bits = scratch[FLOOD + first]
            count = take_match(scratch, first, bits & (~bits + 1))
            points += count * (10 * count - 10)
    return points


@allocating_kernel
def take_match(scratch, first, bit):
    """Take the match of the cell `bit` of column `first` out of the flood lanes; how many cells it has.

    Cells are linked upwards in vertical and to the right in horizontal runs. The match grows over its columns to and
    fro until nothing is added; a horizontal link never skips a column, so each pass goes on where it grew.
    """
    members = np.zeros(COLUMNS, np.uint64)
    members[first] = bit
    grew = True
    while grew:
        grew = False
        for c in range(COLUMNS):
            bits = members[c]
            if bits == U0:
                continue
            upright = np.uint64(scratch[UPRIGHT + c])
            links_up = upright | upright << U1
            before = U0
            while bits != before:
                before = bits
                bits |= (bits & links_up) << U1 | (bits >> U1) & links_up
            grew |= bits != members[c]
            members[c] = bits
            to_right = bits & np.uint64(links_right(scratch, c))
            if c + 1 < COLUMNS and to_right & ~members[c + 1] != U0:
                members[c + 1] |= to_right
                grew = True
            if c > 0:
                from_left = bits & np.uint64(links_right(scratch, c - 1))
                if from_left & ~members[c - 1] != U0:
                    members[c - 1] |= from_left
                    grew = True
    count = 0
    for c in range(COLUMNS):
        scratch[FLOOD + c] &= ~members[c]
        count += count_bits(members[c])
    return count


@kernel
def links_right(scratch, column):
    """The cells of a column that are in one horizontal run with their right neighbour."""
    links = scratch[LEVEL + column]
    if column > 0:
        links |= scratch[LEVEL + column - 1]
    return links


@kernel
def drop(lanes, scratch):
    """Remove the matched pieces and let those above them fall; empty cells are 0. Uses up the matched lanes.

    Each round closes the lowest gap of every column: all cells from there up move down by one.
    """
    for c in range(COLUMNS):
        kept = ~scratch[MATCHED + c]
        lanes[PLANE_0 + c] &= kept
        lanes[PLANE_1 + c] &= kept
        lanes[PLANE_2 + c] &= kept
    gaps = 1
    while gaps != 0:
        gaps = 0
        for c in range(COLUMNS):
            cleared = scratch[MATCHED + c]
            moving = cleared | (cleared << 1)
            moving |= moving << 2
            moving |= moving << 4
            moving |= moving << 8
            p0, p1, p2 = lanes[PLANE_0 + c], lanes[PLANE_1 + c], lanes[PLANE_2 + c]
            lanes[PLANE_0 + c] = (p0 & ~moving) | ((p0 >> 1) & moving)
            lanes[PLANE_1 + c] = (p1 & ~moving) | ((p1 >> 1) & moving)
            lanes[PLANE_2 + c] = (p2 & ~moving) | ((p2 >> 1) & moving)
            cleared = (cleared >> 1) & moving
            scratch[MATCHED + c] = cleared
            gaps |= cleared


@kernel
def put(lanes, column, bit, colour):
    """Set an empty cell, the lowest bit of `bit: uint64` in a column, to a colour (`uint64`)."""
    lanes[PLANE_0 + column] |= bit & (U0 - (colour & U1))
    lanes[PLANE_1 + column] |= bit & (U0 - ((colour >> U1) & U1))
    lanes[PLANE_2 + column] |= bit & (U0 - (colour >> U2))


@kernel
def empty_cells(lanes, board, column):
    """The bits of the empty cells of a column, `uint64`."""
    taken = lanes[PLANE_0 + column] | lanes[PLANE_1 + column] | lanes[PLANE_2 + column]
    return np.uint64(board[column] & ~taken)


@kernel
def fill_sampled(lanes, state, chance):
    """Put a random piece into every empty cell, drawn as `planes.fill_sampled` does and in its order."""
    colours = state.colours
    taken = 8
    drawn = U0
    fraction = U0
    for column in range(state.cols):
        empty = empty_cells(lanes, state.board, column)
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
            put(lanes, column, bit, (fraction >> U32) + U1)
            fraction &= LOW_32
            taken += 1


@kernel
def fill_queued(lanes, state, chance):
    """Put the next pieces of the queues into the empty cells; counts them in `state.words`."""
    words = state.words
    for column in range(state.cols):
        empty = empty_cells(lanes, state.board, column)
        place = FALLEN + (column >> 1)
        shift = U32 * np.uint64(column & 1)
        while empty != U0:
            bit = empty & (U0 - empty)
            empty ^= bit
            k = np.int64((words[place] >> shift) & LOW_32)
            words[place] += U1 << shift
            put(lanes, column, bit, np.uint64(queue_piece(chance, column, k, state.colours)))


def fill(lanes, state, chance):
    """Put new pieces into the empty cells, as the type of `chance` says."""
    raise NotImplementedError("fill is for kernels")


@overload(fill, jit_options={"error_model": "numpy"})
def _overload_fill(lanes, state, chance):
    if is_sampled(chance):
        return fill_sampled.py_func
    if is_queued(chance):
        return fill_queued.py_func
    return None


@kernel
def exchange(lanes, column, bit, upward):
    """Change the places of the piece at `bit` of a column and its upper (or else its right) neighbour."""
    for plane in (PLANE_0, PLANE_1, PLANE_2):
        mine = np.uint64(lanes[plane + column])
        if upward:
            differs = (mine ^ (mine >> U1)) & bit
            lanes[plane + column] = mine ^ (differs | differs << U1)
        else:
            other = np.uint64(lanes[plane + column + 1])
            differs = (mine ^ other) & bit
            lanes[plane + column] = mine ^ differs
            lanes[plane + column + 1] = other ^ differs


@kernel
def settle(lanes, state, chance):
    """Clear all matches and their combos until the board rests; the points they gave."""
    points = 0
    multiplier = 1
    while find_runs(lanes, state.board, state.scratch):
        points += multiplier * worth(state.scratch)
        multiplier += 1
        drop(lanes, state.scratch)
        fill(lanes, state, chance)
    return points


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
def count_words(words, first):
    """The number of bits set in the four words from `first` on."""
    left = count_bits(words[first]) + count_bits(words[first + 1])
    return left + count_bits(words[first + 2]) + count_bits(words[first + 3])


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


@kernel
def pick(words, k):
    """Column, bit (`uint64`) of the left or lower cell, and whether it is vertical, of the `k`-th legal swap.

    Those to the right come first, each kind column by column from the left, each column from below.
    """
    first = RIGHT_WORD
    rights = count_words(words, RIGHT_WORD)
    upward = k >= rights
    if upward:
        first = UP_WORD
        k -= rights
    at = 0
    here = count_bits(words[first])
    while k >= here:
        k -= here
        at += 1
        here = count_bits(words[first + at])
    among = words[first + at]
    for _ in range(k):
        among &= among - U1
    index = lowest_bit(among)
    return 4 * at + (index >> 4), U1 << np.uint64(index & 15), upward


@kernel
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
    """One step of a cascade, as `planes.clear_and_fall`."""
    read_cells(state)
    if label_matches(state.cells, labels) == 0:
        return 0
    lanes = state.words.view(np.uint16)
    find_runs(lanes, state.board, state.scratch)
    points = multiplier * worth(state.scratch)
    drop(lanes, state.scratch)
    fill(lanes, state, chance)
    return points


@kernel
def end_move(state, chance):
    """Last part of `apply_action`, as `planes.end_move`."""
    find_swaps(state.words.view(np.uint16), state.board)
    if legal_count(state) == 0:
        return 2 if reshuffle(state, chance) else 1
    read_cells(state)
    return 0
