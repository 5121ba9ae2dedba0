"""Match-3 on bit planes: boards up to 8 x 8 as three words, for the kernels in `small`.

Bit `8 * column + row` of plane `p`, row 0 at the bottom, is bit `p` of the colour of that cell; colour 0 is no piece.
Two cells are equal if three exclusive ors vanish, so all comparisons of one direction take a handful of instructions
for the whole board, whatever the number of colours:

    column      0     1     2            bit of a cell
    row 2     . 2   . 10  . 18           up is + 1, right is + 8;
    row 1     . 1   .  9  . 17           rows beyond the board stay 0,
    row 0     . 0   .  8  . 16           so nothing there equals a piece

Everything here is portable; `planes_bmi2` does `drop`, `fill_sampled` and `pick` with pext and pdep, same results.
"""

import numpy as np

from engine.bits import count_bits
from engine.kernels import inlined_kernel, kernel
from engine.rng import next_u64

LARGEST = 8

U0, U1, U2, U3, U4, U5, U6, U7, U8, U9, U10 = (np.uint64(i) for i in range(11))
U14, U15, U16, U17, U24, U28, U32 = (np.uint64(i) for i in (14, 15, 16, 17, 24, 28, 32))
LOW_32 = np.uint64(2**32 - 1)

# Rows of every column that have one, two, three rows above them in their byte; or one, two below.
HAS_UP_1 = np.uint64(0x7F7F7F7F7F7F7F7F)
HAS_UP_2 = np.uint64(0x3F3F3F3F3F3F3F3F)
HAS_UP_3 = np.uint64(0x1F1F1F1F1F1F1F1F)
HAS_DOWN_1 = np.uint64(0xFEFEFEFEFEFEFEFE)
HAS_DOWN_2 = np.uint64(0xFCFCFCFCFCFCFCFC)
HAS_DOWN_4 = np.uint64(0xF0F0F0F0F0F0F0F0)
BOTTOM_ROW = np.uint64(0x0101010101010101)
# Cells left of the diagonal in every square of two, of four, of eight: what is exchanged when rows become columns.
ACROSS_1 = np.uint64(0x00AA00AA00AA00AA)
ACROSS_2 = np.uint64(0x0000CCCC0000CCCC)
ACROSS_4 = np.uint64(0x00000000F0F0F0F0)


@inlined_kernel
def equal(p0, p1, p2, shift, among):
    """Those of the cells `among` whose piece equals that of the cell `shift` bits on."""
    return ~((p0 ^ (p0 >> shift)) | (p1 ^ (p1 >> shift)) | (p2 ^ (p2 >> shift))) & among


@inlined_kernel
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


@inlined_kernel
def runs(p0, p1, p2, board):
    """The cells in runs; the lowest cells of vertical triples; the leftmost cells of horizontal triples."""
    same_up = equal(p0, p1, p2, U1, board & HAS_UP_1)
    same_right = equal(p0, p1, p2, U8, board)
    upright = same_up & (same_up >> U1)
    level = same_right & (same_right >> U8)
    return upright | upright << U1 | upright << U2 | level | level << U8 | level << U16, upright, level


@inlined_kernel
def worth(matched, upright, level):
    """Points at multiplier 1 of the matches in the cells `matched`, from the masks that `runs` gives.

    A straight run of three has one triple and is worth 60, one of four has two and is worth 120; so nearly always the
    triples tell all. Runs that cross or are longer are counted match by match.
    """
    crossing = (upright | upright << U1 | upright << U2) & (level | level << U8 | level << U16)
    longer = upright & (upright >> U2) | level & (level >> U16)
    if crossing | longer == U0:
        return 60 * (count_bits(upright) + count_bits(level))
    return worth_by_match(matched, upright, level)


@kernel
def worth_by_match(matched, upright, level):
    """As `worth`, for any matches: each is grown from one cell along its runs."""
    links_up = upright | upright << U1
    links_right = level | level << U8
    points = np.int64(0)
    while matched != U0:
        match = matched & (U0 - matched)
        before = U0
        while match != before:
            before = match
            match |= (match & links_up) << U1 | (match >> U1) & links_up
            match |= (match & links_right) << U8 | (match >> U8) & links_right
        matched &= ~match
        count = count_bits(match)
        points += count * (20 + 10 * (count - 3))
    return points


@inlined_kernel
def odd_gaps(gaps):
    """The cells with an odd number of `gaps` in their column up to and with themselves."""
    odd = gaps ^ (gaps << U1) & HAS_DOWN_1
    odd ^= (odd << U2) & HAS_DOWN_2
    return odd ^ (odd << U4) & HAS_DOWN_4


@inlined_kernel
def drop(p0, p1, p2, cleared, board):
    """The planes after the pieces in `cleared` are gone and those above them have fallen, and the cells now empty.

    How far a piece falls is the number of cleared cells below it. In three rounds all pieces move down by one, by two
    and by four for which that number has the bit; `gaps` holds, after each round, every second cleared cell.
    Source: H. S. Warren, Hacker's Delight, 2nd edition, section 7-4 (compress), here on eight bytes at once.
    """
    kept = ~cleared
    p0, p1, p2 = p0 & kept, p1 & kept, p2 & kept
    gaps = (cleared << U1) & HAS_DOWN_1
    odd = odd_gaps(gaps)
    p0, p1, p2 = lower(p0, p1, p2, odd & kept, U1)
    kept = (kept & ~odd) | ((odd & kept) >> U1)
    gaps &= ~odd
    odd = odd_gaps(gaps)
    p0, p1, p2 = lower(p0, p1, p2, odd & kept, U2)
    gaps &= ~odd
    if gaps != U0:
        kept = (kept & ~odd) | ((odd & kept) >> U2)
        p0, p1, p2 = lower(p0, p1, p2, odd_gaps(gaps) & kept, U4)
    return p0, p1, p2, board & ~(p0 | p1 | p2)


@inlined_kernel
def lower(p0, p1, p2, moving, rows):
    """The planes after the pieces in `moving` have gone down by so many rows to cells that are empty."""
    m0, m1, m2 = p0 & moving, p1 & moving, p2 & moving
    return (p0 ^ m0) | (m0 >> rows), (p1 ^ m1) | (m1 >> rows), (p2 ^ m2) | (m2 >> rows)


@inlined_kernel
def fill_sampled(p0, p1, p2, empty, state, chance):
    """The planes with a random piece in every `empty` cell (one or more), by column from the left, each from below.

    A draw of 64 bits gives eight pieces, four from its upper half, then four from its lower: the half is a fraction
    of 2^32, and its first four digits in base "colours" are the number of a row of `state.quartets`.
    """
    kinds = state.colours * state.colours
    kinds *= kinds
    while True:
        drawn = next_u64(chance.rng)
        four = np.uint64(state.quartets[((drawn >> U32) * kinds) >> U32])
        p0, p1, p2, empty = place_four(p0, p1, p2, empty, four)
        if empty == U0:
            return p0, p1, p2
        four = np.uint64(state.quartets[((drawn & LOW_32) * kinds) >> U32])
        p0, p1, p2, empty = place_four(p0, p1, p2, empty, four)
        if empty == U0:
            return p0, p1, p2


@inlined_kernel
def place_four(p0, p1, p2, empty, four):
    """The planes with four pieces in the lowest `empty` cells, and the cells then empty.

    Where fewer are empty the others go nowhere: asking before each piece costs more, since no answer can be foreseen.
    """
    for i in (U0, U1, U2, U3):
        bit = empty & (U0 - empty)
        empty ^= bit
        p0 |= bit & (U0 - ((four >> i) & U1))
        p1 |= bit & (U0 - ((four >> (i + U8)) & U1))
        p2 |= bit & (U0 - ((four >> (i + U16)) & U1))
    return p0, p1, p2, empty


@inlined_kernel
def transposed(cells):
    """The same cells with rows for columns: bit `8 * row + column` for bit `8 * column + row`.

    Blocks of one, two and four cells change places across the diagonal. Source: Hacker's Delight, section 7-3.
    """
    other = (cells ^ (cells >> U7)) & ACROSS_1
    cells ^= other | other << U7
    other = (cells ^ (cells >> U14)) & ACROSS_2
    cells ^= other | other << U14
    other = (cells ^ (cells >> U28)) & ACROSS_4
    return cells ^ (other | other << U28)


@inlined_kernel
def exchange(p0, p1, p2, bit, shift):
    """The planes after the piece at `bit` and the one `shift` bits on have changed places."""
    other = (p0 ^ (p0 >> shift)) & bit
    p0 ^= other | other << shift
    other = (p1 ^ (p1 >> shift)) & bit
    p1 ^= other | other << shift
    other = (p2 ^ (p2 >> shift)) & bit
    p2 ^= other | other << shift
    return p0, p1, p2


@inlined_kernel
def pick(right, up, k):
    """The bit and the shift of the `k`-th legal swap: those to the right come first, each kind by ascending bit."""
    rights = count_bits(right)
    upward = k >= rights
    among = up if upward else right
    if upward:
        k -= rights
    while k >= 8:
        among &= among - U1
        k -= 1
    # The rest in steps of four, two and one, chosen rather than looped over: how often a loop runs cannot be foreseen.
    fewer = without_lowest(without_lowest(without_lowest(without_lowest(among))))
    among = fewer if k & 4 else among
    fewer = without_lowest(without_lowest(among))
    among = fewer if k & 2 else among
    among = without_lowest(among) if k & 1 else among
    return among & (U0 - among), U1 if upward else U8


@inlined_kernel
def without_lowest(bits):
    """All bits but the lowest that is set."""
    return bits & (bits - U1)
