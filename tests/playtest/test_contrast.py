"""Contrast of what is no text, by WCAG 1.4.11: pieces on their cells, rings of the focus, edges of controls.

Computed from the style sheets that the pages use. Text is judged by axe in the browser tests.
"""

import re
from pathlib import Path

import pytest

CSS = Path(__file__).resolve().parents[2] / "static" / "css"
SPRITE = CSS.parent / "img" / "pieces.svg"
LEAST = 3.0
RULE = re.compile(r"([^{}]+)\{([^{}]*)\}")
HEX = re.compile(r"#(?:[0-9a-f]{6}|[0-9a-f]{3})\b", re.IGNORECASE)

Colour = tuple[float, float, float]


def read_colour(text: str) -> Colour:
    """Parts of red, green and blue from 0 to 1 of `#rrggbb` or `#rgb`."""
    digits = text.strip().removeprefix("#")
    if len(digits) == 3:
        digits = "".join(digit * 2 for digit in digits)
    red, green, blue = (int(digits[place : place + 2], 16) / 255 for place in (0, 2, 4))
    return red, green, blue


def luminance(colour: Colour) -> float:
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    dark, light = sorted(luminance(read_colour(colour)) for colour in (one, other))
    return (light + 0.05) / (dark + 0.05)


def tokens(theme: str) -> dict[str, str]:
    """The colours that have a name, in the light or the dark theme."""
    found = {}
    for name, value in re.findall(r"--([a-z-]+):\s*([^;]+);", (CSS / "tokens.css").read_text()):
        colours = HEX.findall(value)
        if value.startswith("light-dark(") and len(colours) == 2:
            found[name] = colours[theme == "dark"]
        elif len(colours) == 1:
            found[name] = colours[0]
    return found


def colour_of(value: str, theme: str = "light") -> str:
    """The colour that a declaration comes to: written out, or by its name."""
    named = re.search(r"var\(--([a-z-]+)\)", value)
    return tokens(theme)[named[1]] if named else HEX.findall(value)[0]


def declarations(sheet: str) -> list[tuple[str, str, str]]:
    """Selector, property and value of each declaration of a style sheet."""
    text = re.sub(r"/\*.*?\*/", "", (CSS / sheet).read_text(), flags=re.DOTALL)
    return [
        (" ".join(selector.split()), name.strip(), value.strip())
        for selector, body in RULE.findall(text)
        for name, _, value in (line.partition(":") for line in body.split(";"))
        if value
    ]


def cell_grounds() -> dict[str, str]:
    """What may be behind a piece, by the selector: a cell at rest, pointed at, picked up, lit."""
    return {
        selector: colour_of(value)
        for sheet in ("board.css", "pages/play-board.css", "pages/replay.css")
        for selector, name, value in declarations(sheet)
        if name == "background" and re.search(r"board__(cell|button)", selector) and value != "none"
    }


def test_measure_is_that_of_wcag() -> None:
    assert contrast("#000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#fff") == pytest.approx(4.48, abs=0.01)


def test_the_sprite_has_the_colours_that_are_named() -> None:
    fills = re.findall(r'<symbol id="([A-I])".*?fill="(#\w{6})"', SPRITE.read_text(), flags=re.DOTALL)
    named = tokens("light")
    assert len(fills) == 9
    assert [fill.lower() for _, fill in fills] == [named[f"piece-{piece.lower()}"] for piece, _ in fills]


def test_every_piece_stands_out_from_every_ground_that_it_may_lie_on() -> None:
    grounds = cell_grounds()
    assert len(grounds) >= 4, "A cell at rest, under the pointer, picked up, in a lit group."
    pieces = {name: colour for name, colour in tokens("light").items() if re.fullmatch("piece-[a-i]", name)}
    low = [
        f"{piece} on {selector}: {contrast(colour, ground):.2f}"
        for piece, colour in pieces.items()
        for selector, ground in grounds.items()
        if contrast(colour, ground) < LEAST
    ]
    assert low == []


def test_ring_of_the_focus_on_the_board_has_a_dark_edge_on_both_sides() -> None:
    """It reaches over the neighbours' pieces, which are as light as the ring: an edge parts them."""
    styles = {
        name: value
        for selector, name, value in declarations("pages/play-board.css")
        if selector == ".board__button:focus-visible"
    }
    ring, edge = colour_of(styles["outline"]), colour_of(styles["box-shadow"])
    assert contrast(ring, edge) >= LEAST
    for ground in (*cell_grounds().values(), colour_of("var(--board-ground)")):
        assert contrast(ring, ground) >= LEAST
    # From the cell's own edge to beyond the ring.
    assert "calc(var(--focus-gap, 2px) + 4px)" in styles["box-shadow"]
    assert styles["outline"].startswith("3px solid")


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("ground", ["ground", "surface", "sunken", "accent-wash", "ok-wash", "warn-wash", "bad-wash"])
def test_ring_of_the_focus_and_edges_of_fields_stand_out_from_the_page(theme: str, ground: str) -> None:
    named = tokens(theme)
    assert contrast(named["focus"], named[ground]) >= LEAST
    if ground in {"ground", "surface", "sunken"}:
        assert contrast(named["line-strong"], named[ground]) >= LEAST


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_ring_of_the_focus_keeps_a_gap_from_what_it_is_around(theme: str) -> None:
    """The ring and a main button are of one colour: the ground shows between them."""
    styles = {name: value for selector, name, value in declarations("base.css") if selector == ":focus-visible"}
    assert styles["outline-offset"] == "2px"
    named = tokens(theme)
    for solid in ("accent", "bad-solid"):
        assert contrast(named[solid], named["ground"]) >= LEAST
        assert contrast(named[solid], named["surface"]) >= LEAST
