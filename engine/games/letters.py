"""Boards as people write them: a letter for each colour, A for colour 1, a dot for an empty cell."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engine.level import LETTERS as COLOURS

LETTERS = "." + COLOURS
"""The letter of each colour number; 0 is an empty cell."""

_TO_LETTER = bytes.maketrans(bytes(range(len(LETTERS))), LETTERS.encode())
_TO_COLOUR = bytes.maketrans(LETTERS.encode(), bytes(range(len(LETTERS))))


def rows_of(cells: NDArray[np.uint8]) -> list[str]:
    """Rows of letters, top row first, from `cells: uint8[rows, cols]`."""
    text = cells.tobytes().translate(_TO_LETTER).decode()
    cols = cells.shape[1]
    return [text[start : start + cols] for start in range(0, len(text), cols)]


def cells_of(rows: Sequence[str]) -> NDArray[np.uint8]:
    """`cells: uint8[rows, cols]` from rows of letters."""
    colours = "".join(rows).encode().translate(_TO_COLOUR)
    return np.frombuffer(colours, dtype=np.uint8).reshape(len(rows), -1).copy()
