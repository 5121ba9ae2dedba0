"""Match-3 on columns of 16 bits: boards up to 12 x 12 as lanes of vectors, for the kernels in `wide`.

A column of a plane is one `uint16`, bit `row` from the bottom, and a plane is sixteen of them, so that a loop over
columns becomes a few vector instructions. Planes, draws and results are those of `planes`. Columns and rows beyond the
board are 0 and equal no piece.

    lanes: uint16[88]       4 of padding, 16 a plane, 4 of padding, 16 for the legal swaps with the right neighbour (by
                            the left cell), 16 for those with the upper one (by the lower cell); the state's words
    board: uint16[20]       the bits of the cells of each column, 0 beyond
    scratch: uint16[84]     see the names below

A look from any of the sixteen columns up to two to the left or three to the right stays inside the lanes, and what it
finds beyond the board is masked out. The padding behind the planes keeps what a loop reads sixteen lanes away from
what it writes: nearer, and the compiler would do it in shorter vectors. Casts to `uint16` serve the same end, since
numba computes in 64 bits otherwise.
"""

import numpy as np

from engine.bits import count_bits, lowest_bit
from engine.games.match3.planes import U0, U1
from engine.kernels import inlined_kernel, kernel

LARGEST = 12
COLUMNS = 16
# Lanes: where the planes and the legal swaps begin.
PLANE_0 = 4
PLANE_1 = PLANE_0 + COLUMNS
PLANE_2 = PLANE_1 + COLUMNS
RIGHT = PLANE_2 + COLUMNS + 4
UP = RIGHT + COLUMNS
LANES = UP + COLUMNS
# The same in words of four lanes.
PLANE_0_WORD = PLANE_0 // 4
PLANE_1_WORD = PLANE_1 // 4
PLANE_2_WORD = PLANE_2 // 4
RIGHT_WORD = RIGHT // 4
UP_WORD = UP // 4
# Scratch: cells in runs, after `drop` the empty cells; lowest cells of vertical triples, leftmost cells of horizontal
# triples; then, for matches that are counted one by one, the cells not yet counted and those of the present match.
MATCHED = 0
UPRIGHT = MATCHED + COLUMNS
LEVEL = UPRIGHT + COLUMNS
REST = LEVEL + COLUMNS
MATCH = REST + COLUMNS
SCRATCH = MATCH + COLUMNS + 4
# What `find_runs` finds: nothing, straight runs of three or four only, or something else too.
NO_RUN = 0
SHORT_RUNS = 1
OTHER_RUNS = 2


@inlined_kernel
def raised(bits, rows):
    """The cells so many rows above `bits`."""
    return np.uint16(bits << np.uint16(rows))


@inlined_kernel
def lowered(bits, rows):
    """The cells so many rows below `bits`."""
    return np.uint16(bits >> np.uint16(rows))


@inlined_kernel
def same(a0, a1, a2, b0, b1, b2):
    """The rows in which the pieces of two columns, three planes each, are equal."""
    return np.uint16(~((a0 ^ b0) | (a1 ^ b1) | (a2 ^ b2)))


@inlined_kernel
def same_above(a0, a1, a2, b0, b1, b2, rows):
    """The rows in which the piece of the first column equals that of the second so many rows higher up."""
    return same(a0, a1, a2, lowered(b0, rows), lowered(b1, rows), lowered(b2, rows))


@inlined_kernel
def same_below(a0, a1, a2, b0, b1, b2, rows):
    """The rows in which the piece of the first column equals that of the second so many rows further down."""
    return same(a0, a1, a2, raised(b0, rows), raised(b1, rows), raised(b2, rows))


@inlined_kernel
def find_swaps(lanes, board):
    """Write the legal swaps of a full board at rest to their lanes.

    In each: the first piece (left or lower) meets a pair around the place of the second in one of three patterns, or
    the second does around the place of the first. Columns are a, its neighbours l and r, theirs k and s, and t.
    """
    for c in range(COLUMNS):
        a0, a1, a2 = lanes[PLANE_0 + c], lanes[PLANE_1 + c], lanes[PLANE_2 + c]
        l0, l1, l2 = lanes[PLANE_0 - 1 + c], lanes[PLANE_1 - 1 + c], lanes[PLANE_2 - 1 + c]
        k0, k1, k2 = lanes[PLANE_0 - 2 + c], lanes[PLANE_1 - 2 + c], lanes[PLANE_2 - 2 + c]
        r0, r1, r2 = lanes[PLANE_0 + 1 + c], lanes[PLANE_1 + 1 + c], lanes[PLANE_2 + 1 + c]
        s0, s1, s2 = lanes[PLANE_0 + 2 + c], lanes[PLANE_1 + 2 + c], lanes[PLANE_2 + 2 + c]
        t0, t1, t2 = lanes[PLANE_0 + 3 + c], lanes[PLANE_1 + 3 + c], lanes[PLANE_2 + 3 + c]
        above = same_above(a0, a1, a2, r0, r1, r2, 1)
        below = same_below(a0, a1, a2, r0, r1, r2, 1)
        first = same(a0, a1, a2, s0, s1, s2) & same(a0, a1, a2, t0, t1, t2)
        first |= above & (same_above(a0, a1, a2, r0, r1, r2, 2) | below)
        first |= below & same_below(a0, a1, a2, r0, r1, r2, 2)
        above = same_above(r0, r1, r2, a0, a1, a2, 1)
        below = same_below(r0, r1, r2, a0, a1, a2, 1)
        second = same(r0, r1, r2, l0, l1, l2) & same(r0, r1, r2, k0, k1, k2)
        second |= above & (same_above(r0, r1, r2, a0, a1, a2, 2) | below)
        second |= below & same_below(r0, r1, r2, a0, a1, a2, 2)
        lanes[RIGHT + c] = (first & board[c]) | (second & board[c + 1])
    for c in range(COLUMNS):
        a0, a1, a2 = lanes[PLANE_0 + c], lanes[PLANE_1 + c], lanes[PLANE_2 + c]
        l0, l1, l2 = lanes[PLANE_0 - 1 + c], lanes[PLANE_1 - 1 + c], lanes[PLANE_2 - 1 + c]
        k0, k1, k2 = lanes[PLANE_0 - 2 + c], lanes[PLANE_1 - 2 + c], lanes[PLANE_2 - 2 + c]
        r0, r1, r2 = lanes[PLANE_0 + 1 + c], lanes[PLANE_1 + 1 + c], lanes[PLANE_2 + 1 + c]
        s0, s1, s2 = lanes[PLANE_0 + 2 + c], lanes[PLANE_1 + 2 + c], lanes[PLANE_2 + 2 + c]
        right = same_above(a0, a1, a2, r0, r1, r2, 1)
        left = same_above(a0, a1, a2, l0, l1, l2, 1)
        first = same_above(a0, a1, a2, a0, a1, a2, 2) & same_above(a0, a1, a2, a0, a1, a2, 3)
        first |= right & (same_above(a0, a1, a2, s0, s1, s2, 1) | left)
        first |= left & same_above(a0, a1, a2, k0, k1, k2, 1)
        # The upper pieces, in the rows of the lower ones.
        b0, b1, b2 = lowered(a0, 1), lowered(a1, 1), lowered(a2, 1)
        right = same(b0, b1, b2, r0, r1, r2)
        left = same(b0, b1, b2, l0, l1, l2)
        second = same_below(b0, b1, b2, a0, a1, a2, 1) & same_below(b0, b1, b2, a0, a1, a2, 2)
        second |= right & (same(b0, b1, b2, s0, s1, s2) | left)
        second |= left & same(b0, b1, b2, k0, k1, k2)
        lanes[UP + c] = (first & board[c]) | (second & lowered(board[c], 1))


@inlined_kernel
def find_runs(lanes, board, scratch):
    """Write the cells in runs and the triples to the scratch; `NO_RUN`, `SHORT_RUNS` or `OTHER_RUNS`."""
    any_run = np.uint16(0)
    other = np.uint16(0)
    for c in range(COLUMNS):
        a0, a1, a2 = lanes[PLANE_0 + c], lanes[PLANE_1 + c], lanes[PLANE_2 + c]
        l0, l1, l2 = lanes[PLANE_0 - 1 + c], lanes[PLANE_1 - 1 + c], lanes[PLANE_2 - 1 + c]
        k0, k1, k2 = lanes[PLANE_0 - 2 + c], lanes[PLANE_1 - 2 + c], lanes[PLANE_2 - 2 + c]
        r0, r1, r2 = lanes[PLANE_0 + 1 + c], lanes[PLANE_1 + 1 + c], lanes[PLANE_2 + 1 + c]
        s0, s1, s2 = lanes[PLANE_0 + 2 + c], lanes[PLANE_1 + 2 + c], lanes[PLANE_2 + 2 + c]
        above = same_above(a0, a1, a2, a0, a1, a2, 1) & board[c]
        upright = np.uint16(above & lowered(above, 1))
        left = same(a0, a1, a2, l0, l1, l2) & board[c]
        lefts = left & same(l0, l1, l2, k0, k1, k2)
        right = same(a0, a1, a2, r0, r1, r2) & board[c]
        level = right & same(r0, r1, r2, s0, s1, s2)
        vertical = upright | raised(upright, 1) | raised(upright, 2)
        horizontal = level | (left & right) | lefts
        scratch[MATCHED + c] = vertical | horizontal
        scratch[UPRIGHT + c] = upright
        scratch[LEVEL + c] = level
        any_run = np.uint16(any_run | vertical | horizontal)
        # Crossing runs, or five in a line.
        other = np.uint16(other | (vertical & horizontal) | (upright & lowered(upright, 2)) | (lefts & level))
    if any_run == 0:
        return NO_RUN
    return SHORT_RUNS if other == 0 else OTHER_RUNS


@inlined_kernel
def worth(scratch, found):
    """Points at multiplier 1 of the matches in the scratch, of which `find_runs` said `found`; the scratch stays.

    As in `planes.worth`: while runs are straight and short, each triple is worth 60.
    """
    if found == OTHER_RUNS:
        return worth_by_match(scratch)
    words = scratch.view(np.uint64)
    triples = np.int64(0)
    for at in range(LARGEST // 4):
        triples += count_bits(words[UPRIGHT // 4 + at]) + count_bits(words[LEVEL // 4 + at])
    return 60 * triples


@kernel
def worth_by_match(scratch):
    """As `worth`, for any matches: each is grown from one cell along its runs."""
    points = np.int64(0)
    for c in range(COLUMNS):
        scratch[REST + c] = scratch[MATCHED + c]
    for c in range(LARGEST):
        while scratch[REST + c] != 0:
            count = take_match(scratch, c)
            points += count * (20 + 10 * (count - 3))
    return points


@kernel
def take_match(scratch, column):
    """Take the match of the lowest cell left of a column out of the cells not yet counted; how many cells it has."""
    for c in range(COLUMNS):
        scratch[MATCH + c] = 0
    left = right = column
    bits = np.uint64(scratch[REST + column])
    scratch[MATCH + column] = bits & (U0 - bits)
    grew = True
    while grew:
        grew = False
        for c in range(max(left - 1, 0), min(right + 2, COLUMNS)):
            before = np.uint64(scratch[MATCH + c])
            # A cell is linked to its right neighbour if a triple begins there or one column before.
            bits = before | np.uint64(scratch[MATCH + c - 1] & (scratch[LEVEL + c - 1] | scratch[LEVEL + c - 2]))
            bits |= np.uint64(scratch[MATCH + c + 1] & (scratch[LEVEL + c] | scratch[LEVEL + c - 1]))
            links_up = np.uint64(scratch[UPRIGHT + c])
            links_up |= links_up << U1
            smaller = U0
            while bits != smaller:
                smaller = bits
                bits |= (bits & links_up) << U1 | (bits >> U1) & links_up
            if bits != before:
                scratch[MATCH + c] = bits
                left, right = min(left, c), max(right, c)
                grew = True
    count = np.int64(0)
    for c in range(left, right + 1):
        count += count_bits(np.uint64(scratch[MATCH + c]))
        scratch[REST + c] &= ~scratch[MATCH + c]
    return count


@inlined_kernel
def odd_gaps(gaps):
    """The cells with an odd number of `gaps` in their column up to and with themselves."""
    odd = np.uint16(gaps ^ raised(gaps, 1))
    odd = np.uint16(odd ^ raised(odd, 2))
    odd = np.uint16(odd ^ raised(odd, 4))
    return np.uint16(odd ^ raised(odd, 8))


@inlined_kernel
def moved(bits, moving, rows):
    """The plane `bits` of a column after the cells `moving` have gone down by so many rows to cells that are empty."""
    return np.uint16((bits & ~moving) | lowered(bits & moving, rows))


@inlined_kernel
def drop(lanes, board, scratch):
    """Remove the matched pieces and let those above them fall; leaves the empty cells in the matched lanes.

    As `planes.drop`, with a fourth round for columns of more than eight; the last two only if some piece falls by four
    or more.
    """
    deep = np.uint16(0)
    for c in range(COLUMNS):
        kept = np.uint16(~scratch[MATCHED + c])
        p0, p1, p2 = lanes[PLANE_0 + c] & kept, lanes[PLANE_1 + c] & kept, lanes[PLANE_2 + c] & kept
        gaps = raised(scratch[MATCHED + c], 1)
        odd = odd_gaps(gaps)
        moving = np.uint16(odd & kept)
        p0, p1, p2, kept = moved(p0, moving, 1), moved(p1, moving, 1), moved(p2, moving, 1), moved(kept, moving, 1)
        gaps = np.uint16(gaps & ~odd)
        odd = odd_gaps(gaps)
        moving = np.uint16(odd & kept)
        p0, p1, p2, kept = moved(p0, moving, 2), moved(p1, moving, 2), moved(p2, moving, 2), moved(kept, moving, 2)
        gaps = np.uint16(gaps & ~odd)
        lanes[PLANE_0 + c], lanes[PLANE_1 + c], lanes[PLANE_2 + c] = p0, p1, p2
        scratch[MATCHED + c] = board[c] & ~(p0 | p1 | p2)
        # The triples have been counted; their lanes carry over what `drop_far` needs.
        scratch[UPRIGHT + c] = kept
        scratch[LEVEL + c] = gaps
        deep = np.uint16(deep | gaps)
    if deep != 0:
        drop_far(lanes, board, scratch)


@kernel
def drop_far(lanes, board, scratch):
    """The rounds of `drop` by four and by eight rows."""
    for c in range(COLUMNS):
        p0, p1, p2 = lanes[PLANE_0 + c], lanes[PLANE_1 + c], lanes[PLANE_2 + c]
        kept, gaps = scratch[UPRIGHT + c], scratch[LEVEL + c]
        odd = odd_gaps(gaps)
        moving = np.uint16(odd & kept)
        p0, p1, p2, kept = moved(p0, moving, 4), moved(p1, moving, 4), moved(p2, moving, 4), moved(kept, moving, 4)
        moving = np.uint16(odd_gaps(np.uint16(gaps & ~odd)) & kept)
        p0, p1, p2 = moved(p0, moving, 8), moved(p1, moving, 8), moved(p2, moving, 8)
        lanes[PLANE_0 + c], lanes[PLANE_1 + c], lanes[PLANE_2 + c] = p0, p1, p2
        scratch[MATCHED + c] = board[c] & ~(p0 | p1 | p2)


@inlined_kernel
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


@inlined_kernel
def count_words(words, first):
    """The number of bits set in the four words from `first` on."""
    left = count_bits(words[first]) + count_bits(words[first + 1])
    return left + count_bits(words[first + 2]) + count_bits(words[first + 3])


@inlined_kernel
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
