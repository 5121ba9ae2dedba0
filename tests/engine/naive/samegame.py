"""SameGame in plain Python, cell by cell, written from the rules and `docs/algorithms/samegame.md` and nothing else.

A board is a list of rows, top row first, of numbers from 1; an empty cell is 0. Slow and simple: what the kernels do
fast must come out the same here.
"""

from collections import Counter

from tests.engine.naive.match3 import Draws

Board = list[list[int]]
Cell = tuple[int, int]
Group = frozenset[Cell]


def group_around(board: Board, cell: Cell) -> Group:
    """The connected cells of the colour of a cell that is not empty."""
    reached = {cell}
    waiting = [cell]
    while waiting:
        row, col = waiting.pop()
        for other in ((row - 1, col), (row + 1, col), (row, col - 1), (row, col + 1)):
            on_board = 0 <= other[0] < len(board) and 0 <= other[1] < len(board[0])
            if on_board and other not in reached and board[other[0]][other[1]] == board[row][col]:
                reached.add(other)
                waiting.append(other)
    return frozenset(reached)


def groups(board: Board) -> set[Group]:
    """All groups of two cells or more."""
    found: set[Group] = set()
    seen: set[Cell] = set()
    for row, line in enumerate(board):
        for col, colour in enumerate(line):
            if colour and (row, col) not in seen:
                group = group_around(board, (row, col))
                seen |= group
                if len(group) >= 2:
                    found.add(group)
    return found


def leader(group: Group) -> Cell:
    """Of the leftmost column of the group the lowest cell."""
    return min(group, key=lambda cell: (cell[1], -cell[0]))


def code_of(board: Board, cell: Cell) -> int:
    return cell[0] * len(board[0]) + cell[1]


def legal_codes(board: Board) -> list[int]:
    return sorted(code_of(board, leader(group)) for group in groups(board))


def in_draw_order(found: set[Group]) -> list[Group]:
    """The order in which a draw counts: by the leaders' columns, in a column from below."""
    return sorted(found, key=lambda group: (leader(group)[1], -leader(group)[0]))


def without(board: Board, group: Group) -> Board:
    """The board when the group is gone, what stood above has fallen and empty columns have closed up."""
    rows, cols = len(board), len(board[0])
    columns = []
    for col in range(cols):
        kept = [board[row][col] for row in range(rows) if (row, col) not in group and board[row][col]]
        if kept:
            columns.append([0] * (rows - len(kept)) + kept)
    columns += [[0] * rows] * (cols - len(columns))
    return [[column[row] for column in columns] for row in range(rows)]


def end_points(board: Board) -> int:
    left = Counter(colour for line in board for colour in line if colour)
    if not left:
        return 1000
    return -sum((count - 2) ** 2 for count in left.values())


class Play:
    """A play under way."""

    def __init__(self, board: Board) -> None:
        self.board = [list(line) for line in board]
        self.score = 0

    def remove(self, cell: Cell) -> int:
        """Remove the group of a cell; the points that it gave, with those of the end if there is no other group."""
        group = group_around(self.board, cell)
        self.board = without(self.board, group)
        gained = (len(group) - 2) ** 2
        if not groups(self.board):
            gained += end_points(self.board)
        self.score += gained
        return gained


def play_out(board: Board, draws: Draws, tabu: int, epsilon: float) -> tuple[Play, list[int], list[int]]:
    """A whole random game that spares the colour `tabu` (0: none); the codes played and the groups before each."""
    play = Play(board)
    codes, counts = [], []
    while found := in_draw_order(groups(play.board)):
        counts.append(len(found))
        spared = [group for group in found if colour_of(play.board, group) != tabu]
        if tabu and spared and (epsilon <= 0 or (draws.word() >> 11) / 2**53 >= epsilon):
            found = spared
        group = found[draws.below(len(found))]
        codes.append(code_of(play.board, leader(group)))
        play.remove(leader(group))
    return play, codes, counts


def colour_of(board: Board, group: Group) -> int:
    row, col = next(iter(group))
    return board[row][col]


def count_leaves(board: Board, depth: int) -> int:
    """How many sequences of `depth` actions there are; one that ends earlier counts as one."""
    found = groups(board)
    if depth == 0 or not found:
        return 1
    return sum(count_leaves(without(board, group), depth - 1) for group in found)


def rows_of(board: Board) -> list[str]:
    return ["".join(".ABCDEFGHI"[colour] for colour in line) for line in board]


def board_of(rows: tuple[str, ...] | list[str]) -> Board:
    return [[".ABCDEFGHI".index(letter) for letter in line] for line in rows]
