"""An action of SameGame as the screen and the store see it: letters, action codes, frames of the protocol.

The kernels play; what is drawn is read off the boards before and after, so nobody sees other rules than agents.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.game import Played
from engine.games.letters import LETTERS
from engine.games.samegame.board import CLEARED_BONUS

Grid = list[list[int]]


def action_refusal(rows: int, cols: int, action: object) -> str | None:
    """Why any JSON value is no cell of a board of that size: `bad_action`, `off_board` or None."""
    if not isinstance(action, (list, tuple)) or len(action) != 2:
        return "bad_action"
    # In Python, true is an integer and 1.0 equals one; in an action both are junk.
    if any(type(number) is not int for number in action):
        return "bad_action"
    row, col = action
    return None if 0 <= row < rows and 0 <= col < cols else "off_board"


def is_removable(cells: NDArray[np.uint8], row: int, col: int) -> bool:
    """Whether a cell has a neighbour of its colour."""
    colour = cells[row, col]
    if colour == 0:
        return False
    rows, cols = cells.shape
    around = ((row - 1, col), (row + 1, col), (row, col - 1), (row, col + 1))
    return any(0 <= r < rows and 0 <= c < cols and cells[r, c] == colour for r, c in around)


def tell_removal(before: Grid, removed: Grid, after: NDArray[np.uint8], gained: int, is_over: bool) -> Played:
    """What the removal of the non-zero cells of `removed` did to the board `before`, frame by frame."""
    cells = [[row, col] for row, line in enumerate(removed) for col, gone in enumerate(line) if gone]
    row, col = cells[0]
    points = (len(cells) - 2) ** 2
    match = {"cells": cells, "piece": LETTERS[before[row][col]], "points": points}
    frames: list[dict[str, Any]] = [{"f": "clear", "step": 1, "mult": 1, "matches": [match], "gained": points}]
    falls, closes = _movements(before, removed)
    frames.append({"f": "fall", "moves": falls})
    if closes:
        frames.append({"f": "close", "moves": closes})
    if is_over:
        frames.append(_bonus_frame(after, gained - points))
    return Played(gained, 1, 1, len(cells), frames, None, False)


def _movements(before: Grid, removed: Grid) -> tuple[list[list[int]], list[list[int]]]:
    """What falls, `[from row, from col, to row, to col]`, and then which columns shift, `[from col, to col]`."""
    falls: list[list[int]] = []
    closes: list[list[int]] = []
    lowest_row = len(before) - 1
    target = 0
    for col in range(len(before[0])):
        standing = lowest_row
        for row in range(lowest_row, -1, -1):
            if before[row][col] == 0 or removed[row][col]:
                continue
            if row != standing:
                falls.append([row, col, standing, col])
            standing -= 1
        if standing == lowest_row:
            continue
        if target != col:
            closes.append([col, target])
        target += 1
    return falls, closes


def _bonus_frame(after: NDArray[np.uint8], points: int) -> dict[str, Any]:
    counts = np.bincount(after.ravel(), minlength=len(LETTERS)).tolist()
    left = {LETTERS[colour]: count for colour, count in enumerate(counts) if colour and count}
    if not left:
        return {"f": "bonus", "points": CLEARED_BONUS, "why": "empty"}
    return {"f": "bonus", "points": points, "why": "left", "by": left}
