"""A move of Match-3 as the screen and the store see it: letters, action codes, frames of the protocol.

The kernels play; this only watches them step by step and puts it into words, so nobody sees other rules than agents.
"""

from typing import Any

import numpy as np

from engine.game import Played
from engine.games.letters import LETTERS, rows_of

Grid = list[list[int]]


def action_refusal(rows: int, cols: int, action: object) -> str | None:
    """Why any JSON value is no swap of a board of that size: `bad_action`, `off_board`, `not_adjacent` or None."""
    if not isinstance(action, (list, tuple)) or len(action) != 2:
        return "bad_action"
    for cell in action:
        if not isinstance(cell, (list, tuple)) or len(cell) != 2:
            return "bad_action"
        # In Python, true is an integer and 1.0 equals one; in an action both are junk.
        if any(type(number) is not int for number in cell):
            return "bad_action"
    (row, col), (other_row, other_col) = action
    if not (0 <= row < rows and 0 <= other_row < rows and 0 <= col < cols and 0 <= other_col < cols):
        return "off_board"
    if abs(row - other_row) + abs(col - other_col) != 1:
        return "not_adjacent"
    return None


def encode_swap(cols: int, action: Any) -> int:
    """The code of a swap of neighbours: twice the index of the left or upper cell, plus 1 if the other is below it."""
    (row, col), (other_row, _) = sorted((tuple(action[0]), tuple(action[1])))
    return 2 * (row * cols + col) + (1 if other_row > row else 0)


def decode_swap(cols: int, code: int, reversed: bool) -> list[list[int]]:
    """The swap of a code; `reversed` begins with the right or lower cell."""
    row, col = divmod(code >> 1, cols)
    first, second = [row, col], [row + 1, col] if code & 1 else [row, col + 1]
    return [second, first] if reversed else [first, second]


def watch_move(kernels: Any, state: Any, chance: Any, code: int, swap: list[list[int]]) -> Played:
    """Play a legal swap step by step with the kernels of the state's module and tell what happens.

    kernels: the module `small` or `wide`; swap: the cells as the player named them, which the first frame shows.
    """
    frames: list[dict[str, Any]] = [{"f": "swap", "a": swap[0], "b": swap[1]}]
    labels = np.zeros((state.rows, state.cols), dtype=np.uint8)
    kernels.start_move(state, code)
    gained = steps = matches = cleared = 0
    falls: list[tuple[dict[str, Any], list[list[int]]]] = []
    while points := int(kernels.clear_and_fall(state, steps + 1, chance, labels)):
        steps += 1
        gained += points
        before = state.cells.tolist()
        if falls:
            _name_new_pieces(falls.pop(), before)
        numbered: Grid = labels.tolist()
        clear = _clear_frame(before, numbered, steps, points)
        matches += len(clear["matches"])
        cleared += sum(len(match["cells"]) for match in clear["matches"])
        fall, new = _fall_frame(numbered)
        falls.append((fall, new))
        frames += (clear, fall)
    # The cells at rest are wanted before a shuffle, which `end_move` may do.
    kernels.read_cells(state)
    if falls:
        _name_new_pieces(falls.pop(), state.cells.tolist())
    shuffled = int(kernels.end_move(state, chance))
    board = None
    if shuffled:
        board = rows_of(state.cells)
        frames.append({"f": "shuffle", "redrawn": shuffled == 2, "board": board})
    return Played(gained, steps, matches, cleared, frames, board, shuffled == 2)


def _clear_frame(before: Grid, labels: Grid, step: int, gained: int) -> dict[str, Any]:
    """The frame of a step's matches, numbered in `labels`, on the board before it."""
    found: dict[int, list[list[int]]] = {}
    for row, line in enumerate(labels):
        for col, label in enumerate(line):
            if label:
                found.setdefault(label, []).append([row, col])
    matches = []
    for cells in found.values():
        size = len(cells)
        row, col = cells[0]
        points = size * (20 + 10 * (size - 3)) * step
        matches.append({"cells": cells, "piece": LETTERS[before[row][col]], "points": points})
    return {"f": "clear", "step": step, "mult": step, "matches": matches, "gained": gained}


def _fall_frame(labels: Grid) -> tuple[dict[str, Any], list[list[int]]]:
    """The frame of what falls after the labelled cells are gone, and the places of new pieces, to be named later.

    A place is `[row, col, start row]`, start -1 for the first of the queue, which ends lowest.
    """
    moves: list[list[int]] = []
    new: list[list[int]] = []
    rows = len(labels)
    for col in range(len(labels[0])):
        lowest = rows - 1
        for row in range(rows - 1, -1, -1):
            if labels[row][col]:
                continue
            if row != lowest:
                moves.append([row, col, lowest, col])
            lowest -= 1
        new += ([row, col, row - lowest - 1] for row in range(lowest, -1, -1))
    return {"f": "fall", "moves": moves, "new": []}, new


def _name_new_pieces(fall: tuple[dict[str, Any], list[list[int]]], after: Grid) -> None:
    """Complete a fall frame in place with the pieces that stand on the board after it."""
    frame, places = fall
    frame["new"] = [[row, col, LETTERS[after[row][col]], start] for row, col, start in places]
