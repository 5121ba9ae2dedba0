"""Match-3 cell by cell: what is rare or asked from Python, so that clearness counts more than speed.

Boards are `cells: uint8[rows, cols]`, row 0 at the top, colours from 1, 0 for an empty cell.
"""

import numpy as np

from engine.kernels import allocating_kernel, kernel
from engine.rng import U32, below, draw_ahead, skip_draws

SHUFFLE_TRIES = 100


@kernel
def run_ends_at(cells, row, col):
    """Whether the cell is the last (right or lowest) of a horizontal or vertical run of three or more."""
    colour = cells[row, col]
    if colour == 0:
        return False
    if col >= 2 and cells[row, col - 1] == colour and cells[row, col - 2] == colour:
        return True
    return row >= 2 and cells[row - 1, col] == colour and cells[row - 2, col] == colour


@kernel
def has_run(cells):
    """Whether there is a run anywhere."""
    rows, cols = cells.shape
    for row in range(rows):
        for col in range(cols):
            if run_ends_at(cells, row, col):
                return True
    return False


@kernel
def in_run(cells, row, col):
    """Whether the cell is part of a run of three or more."""
    rows, cols = cells.shape
    colour = cells[row, col]
    if colour == 0:
        return False
    first = col
    while first > 0 and cells[row, first - 1] == colour:
        first -= 1
    last = col
    while last < cols - 1 and cells[row, last + 1] == colour:
        last += 1
    if last - first >= 2:
        return True
    first = row
    while first > 0 and cells[first - 1, col] == colour:
        first -= 1
    last = row
    while last < rows - 1 and cells[last + 1, col] == colour:
        last += 1
    return last - first >= 2


@kernel
def makes_run(cells, row, col, other_row, other_col):
    """Whether swapping two neighbouring cells of a board without runs makes one; `cells` is as before afterwards."""
    first = cells[row, col]
    second = cells[other_row, other_col]
    if first == second:
        return False
    cells[row, col] = second
    cells[other_row, other_col] = first
    found = in_run(cells, row, col) or in_run(cells, other_row, other_col)
    cells[row, col] = first
    cells[other_row, other_col] = second
    return found


@kernel
def has_legal_swap(cells):
    """Whether a board without runs has a legal swap; `cells` is as before afterwards."""
    rows, cols = cells.shape
    for row in range(rows):
        for col in range(cols):
            if col + 1 < cols and makes_run(cells, row, col, row, col + 1):
                return True
            if row + 1 < rows and makes_run(cells, row, col, row + 1, col):
                return True
    return False


@allocating_kernel
def draw_cells(cells, colours, rng):
    """Make `cells` a board that has no run and a legal swap; advances `rng: uint64[1]`.

    Every cell is drawn at random, then what stands in runs is cleared, falls and is drawn again until the board rests:
    so start boards are like those that come up in play. Boards without a legal swap are drawn again as a whole.
    """
    found = np.zeros(cells.shape, np.bool_)
    while True:
        cells[:] = 0
        fill_cells(cells, colours, rng)
        while clear_runs(cells, found):
            fill_cells(cells, colours, rng)
        if has_legal_swap(cells):
            return


@kernel
def fill_cells(cells, colours, rng):
    """Let the pieces fall and draw new ones, one draw each, column by column from the left, each from below."""
    rows, cols = cells.shape
    for col in range(cols):
        lowest = rows - 1
        for row in range(rows - 1, -1, -1):
            if cells[row, col] != 0:
                cells[lowest, col] = cells[row, col]
                lowest -= 1
        for row in range(lowest, -1, -1):
            cells[row, col] = below(rng, colours) + 1


@kernel
def clear_runs(cells, found):
    """Empty all cells that stand in runs; whether there were any. `found: bool[rows, cols]` is scratch."""
    rows, cols = cells.shape
    any_run = False
    for row in range(rows):
        for col in range(cols):
            found[row, col] = in_run(cells, row, col)
            any_run |= found[row, col]
    for row in range(rows):
        for col in range(cols):
            if found[row, col]:
                cells[row, col] = 0
    return any_run


@allocating_kernel
def reshuffle_cells(cells, colours, rng):
    """Shuffle `cells` until there is no run and a legal swap; advances `rng: uint64[1]`. Whether it was drawn anew.

    Fisher-Yates over the cells in row-major order from the last to the second, each try on what the last one left.
    If 100 tries fail the board is drawn anew from the same stream.
    """
    pieces = cells.reshape(cells.size)
    places = np.empty(cells.size, np.int64)
    for _ in range(SHUFFLE_TRIES):
        draw_places(places, rng)
        for i in range(pieces.size - 1, 0, -1):
            pieces[i], pieces[places[i]] = pieces[places[i]], pieces[i]
        if not has_run(cells) and has_legal_swap(cells):
            return False
    draw_cells(cells, colours, rng)
    return True


@kernel
def draw_places(places, rng):
    """For each i from the last down to 1, write a number below i + 1 to `places: int64[]`, drawn in this order."""
    last = places.size - 1
    for i in range(1, last + 1):
        places[i] = ((draw_ahead(rng, last + 1 - i) >> U32) * np.uint64(i + 1)) >> U32
    skip_draws(rng, last)


@allocating_kernel
def label_matches(cells, labels):
    """Number the matches on the board; how many there are.

    Runs that share a cell are one match. `labels: uint8[rows, cols]` is overwritten: 0 for a cell in no match, else
    the match's number from 1, counted by the first cell of each in row-major order.
    """
    rows, cols = cells.shape
    labels[:] = 0
    count = 0
    stack = np.empty(2 * rows * cols, np.int64)
    for row in range(rows):
        for col in range(cols):
            if labels[row, col] != 0 or not in_run(cells, row, col):
                continue
            count += 1
            labels[row, col] = count
            stack[0] = row * cols + col
            size = 1
            while size > 0:
                size -= 1
                size = _label_runs_of(cells, labels, stack[size] // cols, stack[size] % cols, count, stack, size)
    return count


@kernel
def _label_runs_of(cells, labels, row, col, label, stack, size):
    """Give `label` to the runs through a cell and push what is new on `stack`, whose new size it returns."""
    rows, cols = cells.shape
    colour = cells[row, col]
    first = col
    while first > 0 and cells[row, first - 1] == colour:
        first -= 1
    last = col
    while last < cols - 1 and cells[row, last + 1] == colour:
        last += 1
    if last - first >= 2:
        for other in range(first, last + 1):
            if labels[row, other] == 0:
                labels[row, other] = label
                stack[size] = row * cols + other
                size += 1
    first = row
    while first > 0 and cells[first - 1, col] == colour:
        first -= 1
    last = row
    while last < rows - 1 and cells[last + 1, col] == colour:
        last += 1
    if last - first >= 2:
        for other in range(first, last + 1):
            if labels[other, col] == 0:
                labels[other, col] = label
                stack[size] = other * cols + col
                size += 1
    return size
