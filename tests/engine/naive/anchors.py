"""Lines of anchors in plain Python: a second board that falls like the first tells where each cell has come to."""

from tests.engine.naive.samegame import Board, Cell, group_around, groups, without


def play_anchors(board: Board, anchors: list[Cell]) -> tuple[list[Cell], list[int], Board]:
    """(The anchors that had a group when their turn came, the points of each, the board in the end).

    An anchor is (column, height from below) in the `board` of the beginning.
    """
    rows = len(board)
    names: Board = [[1 + row * len(board[0]) + col for col in range(len(board[0]))] for row in range(rows)]
    played, points = [], []
    for column, height in anchors:
        name = 1 + (rows - 1 - height) * len(board[0]) + column
        found = [(row, col) for row, line in enumerate(names) for col, one in enumerate(line) if one == name]
        if not found:
            continue
        group = group_around(board, found[0])
        if len(group) < 2:
            continue
        played.append((column, height))
        points.append((len(group) - 2) ** 2)
        board, names = without(board, group), without(names, group)
    return played, points, board


def is_over(board: Board) -> bool:
    return not groups(board)
