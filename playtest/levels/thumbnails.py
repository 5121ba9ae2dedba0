"""Small pictures of boards: one SVG file each, with the pieces of the site's sprite in it.

A page with dozens of large boards would hold thousands of elements; as pictures they are fetched when they come into
sight and kept by the browser, since the address names the level's content.
"""

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from django.contrib.staticfiles import finders

SPRITE = "img/pieces.svg"
GROUND, CELL = "#262E3C", "#1E2430"
EDGE = 0.12
"""Width of the frame, in cells."""


@cache
def sprite_symbols() -> dict[str, str]:
    """The sprite's symbols by letter, as they stand in the file."""
    path = finders.find(SPRITE)
    if not isinstance(path, str):
        raise FileNotFoundError(SPRITE)
    text = Path(path).read_text(encoding="utf-8")
    return {match[1]: match[0] for match in re.finditer(r'<symbol id="(\w)".*?</symbol>', text, re.DOTALL)}


def board_svg(rows: Sequence[str]) -> str:
    """A picture of a board, top row first; a dot is an empty cell."""
    height, width = len(rows), len(rows[0])
    letters = sorted({letter for row in rows for letter in row} & sprite_symbols().keys())
    symbols = "".join(sprite_symbols()[letter] for letter in letters)
    pieces = "".join(
        f'<use href="#{letter}" x="{x}.06" y="{y}.06" width=".88" height=".88"/>'
        for y, row in enumerate(rows)
        for x, letter in enumerate(row)
        if letter in letters
    )
    frame = f'x="-{EDGE}" y="-{EDGE}" width="{width + 2 * EDGE:g}" height="{height + 2 * EDGE:g}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{-EDGE} {-EDGE} {width + 2 * EDGE:g} {height + 2 * EDGE:g}">'
        f'<defs><pattern id="cell" width="1" height="1" patternUnits="userSpaceOnUse">'
        f'<rect x=".02" y=".02" width=".96" height=".96" rx=".08" fill="{CELL}"/></pattern>{symbols}</defs>'
        f'<rect {frame} rx=".2" fill="{GROUND}"/><rect width="{width}" height="{height}" fill="url(#cell)"/>'
        f"{pieces}</svg>"
    )
