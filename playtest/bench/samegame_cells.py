"""SameGame the other way: a byte a cell, and groups found by union-find in one pass over the board.

Nothing plays with it. It is what the vectors of `engine/games/samegame` are measured against, so it plays by the same
rules, ordered for speed all the same: columns lie one after the other, lowest cell first, and end at their heights.
"""

from collections.abc import Sequence

import numpy as np

from engine.games.letters import cells_of
from engine.kernels import inlined_kernel, kernel
from engine.rng import Rng, below


@inlined_kernel
def find_root(parents, cell):
    """The root of a cell's set; the way there is halved."""
    while parents[cell] != cell:
        parents[cell] = parents[parents[cell]]
        cell = parents[cell]
    return cell


@kernel
def find_groups(columns, heights, parents, sizes, roots):
    """Number the removable groups of a board; how many there are.

    columns: uint8[cols, rows], lowest cell first; heights: int64[cols], cells of each column
    parents, sizes: int64[cols * rows], scratch: afterwards `find_root` gives the group of a cell and `sizes` its size
    roots: int64[cols * rows], gets the roots of the groups of two cells or more
    """
    cols, rows = columns.shape
    for col in range(cols):
        for row in range(heights[col]):
            cell = col * rows + row
            parents[cell] = cell
            sizes[cell] = 1
            if row > 0 and columns[col, row - 1] == columns[col, row]:
                join(parents, sizes, cell - 1, cell)
            if col > 0 and row < heights[col - 1] and columns[col - 1, row] == columns[col, row]:
                join(parents, sizes, cell - rows, cell)
    count = 0
    for col in range(cols):
        for row in range(heights[col]):
            cell = col * rows + row
            if parents[cell] == cell and sizes[cell] > 1:
                roots[count] = cell
                count += 1
    return count


@inlined_kernel
def join(parents, sizes, first, second):
    """Unite the sets of two cells, the smaller under the larger."""
    first = find_root(parents, first)
    second = find_root(parents, second)
    if first != second:
        if sizes[first] < sizes[second]:
            first, second = second, first
        parents[second] = first
        sizes[first] += sizes[second]


@kernel
def remove_group(columns, heights, parents, root):
    """Take the group out, let cells fall and columns close up: changes `columns` and `heights`."""
    cols, rows = columns.shape
    kept = 0
    for col in range(cols):
        height = 0
        for row in range(heights[col]):
            if find_root(parents, col * rows + row) != root:
                columns[kept, height] = columns[col, row]
                height += 1
        if height > 0:
            heights[kept] = height
            kept += 1
    for col in range(kept, cols):
        heights[col] = 0


@kernel
def cell_games(boards, columns, heights, parents, sizes, roots, rng, games, totals):
    """Play `games` random games to their ends from `boards: uint8[n, cols, rows]` by turns; how many actions were made.

    Adds the points without bonus or deduction and the removable groups before each action to `totals: int64[2]`.
    """
    made = np.int64(0)
    cols, rows = columns.shape
    for game in range(games):
        board = game % boards.shape[0]
        for col in range(cols):
            heights[col] = rows
            for row in range(rows):
                columns[col, row] = boards[board, col, row]
        while True:
            count = find_groups(columns, heights, parents, sizes, roots)
            if count == 0:
                break
            root = roots[below(rng, count)]
            totals[0] += (sizes[root] - 2) ** 2
            totals[1] += count
            made += 1
            remove_group(columns, heights, parents, root)
    return made


class CellGames:
    """Random games on boards of letters, all full and of one size, and what they came to."""

    def __init__(self, boards: Sequence[Sequence[str]], rng: Rng) -> None:
        self.boards = np.array([np.ascontiguousarray(cells_of(rows)[::-1].T) for rows in boards])
        cells = self.boards[0].size
        self.columns = np.empty_like(self.boards[0])
        self.heights = np.empty(len(self.columns), np.int64)
        self.parents, self.sizes, self.roots = (np.empty(cells, np.int64) for _ in range(3))
        self.rng = rng
        self.totals = np.zeros(2, np.int64)
        self.moves = self.played = 0

    def play(self, games: int) -> None:
        """Play so many more."""
        scratch = (self.columns, self.heights, self.parents, self.sizes, self.roots)
        self.moves += int(cell_games(self.boards, *scratch, self.rng, games, self.totals))
        self.played += games
