"""A participant in front of the page: goes from the link to the board, and knows the board as anybody sees it."""

import re
from collections.abc import Callable

from playwright.sync_api import Locator, Page, expect

from engine.level import parse_level
from engine.round import Round

Cell = tuple[int, int]
Swap = tuple[Cell, Cell]

PIECES = {
    "vermilion circle": "A",
    "sky square": "B",
    "deep teal triangle": "C",
    "violet diamond": "D",
    "pale mint star": "E",
    "gold hexagon": "F",
    "sage plus": "G",
    "lavender crescent": "H",
    "slate ring": "I",
}
NAME = re.compile(r"Row (\d+), column (\d+), ([a-z ]+?)(?:, picked up)?")
OPEN = ".board--play.is-open"

# Two cores may have much else to do; what takes this long is broken on any machine.
SECONDS = 60
expect.set_options(timeout=SECONDS * 1000)


class Player:
    """Plays on one page."""

    def __init__(self, page: Page) -> None:
        self.page = page
        page.set_default_timeout(SECONDS * 1000)

    def begin(self, study_url: str) -> "Player":
        """From the study's link through consent and questions to the first board."""
        page = self.page
        page.goto(study_url)
        page.get_by_role("button", name="Begin").click()
        page.get_by_role("button", name="I agree").click()
        self.answer()
        page.get_by_role("button", name="Continue").click()
        self.wait_open()
        return self

    def answer(self) -> None:
        """Choose an answer to each question of the page, once it is there."""
        expect(self.page.get_by_role("button", name="Continue")).to_be_visible()
        for question in self.page.get_by_role("group").all():
            question.get_by_role("radio").first.check()

    def wait_open(self) -> None:
        """Until a move may be made."""
        self.page.wait_for_selector(OPEN, timeout=SECONDS * 1000)

    def is_over(self) -> bool:
        return self.page.get_by_role("link", name="Continue").is_visible()

    def board(self) -> list[str]:
        """Rows of letters, read from the names of the cells."""
        names = (
            self.page.get_by_role("grid")
            .get_by_role("button")
            .evaluate_all("cells => cells.map(cell => cell.getAttribute('aria-label'))")
        )
        found: dict[Cell, str] = {}
        for name in names:
            match = NAME.fullmatch(name)
            assert match, name
            found[int(match[1]) - 1, int(match[2]) - 1] = PIECES[match[3]]
        rows, cols = (max(cell[axis] for cell in found) + 1 for axis in (0, 1))
        return ["".join(found[row, col] for col in range(cols)) for row in range(rows)]

    def legal_swaps(self) -> list[Swap]:
        """By the engine itself, from the board as it is shown."""
        board = self.board()
        document = {"game": "match3", "name": "", "rows": len(board), "cols": len(board[0]), "colours": 6}
        level = parse_level({**document, "moves": 20, "seed": 1, "board": board})
        return [(tuple(first), tuple(second)) for first, second in Round(level).legal_actions()]

    def illegal_swap(self) -> Swap:
        """Two neighbours, the second right of the first, that make no match."""
        legal = self.legal_swaps()
        board = self.board()
        return next(
            ((row, col), (row, col + 1))
            for row in range(len(board))
            for col in range(len(board[0]) - 1)
            if ((row, col), (row, col + 1)) not in legal
        )

    def cell(self, cell: Cell) -> Locator:
        return self.page.get_by_role("button", name=re.compile(rf"^Row {cell[0] + 1}, column {cell[1] + 1}, "))

    def middle(self, cell: Cell) -> tuple[float, float]:
        box = self.cell(cell).bounding_box()
        assert box is not None
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def left(self) -> int:
        return int(self.page.locator("[data-play=left] strong").inner_text())

    def score(self) -> int:
        return int(self.page.locator("[data-play=score]").inner_text().replace(",", ""))

    def said(self) -> str:
        """The last message of the polite region."""
        return self.page.get_by_role("status").inner_text()

    # --- Ways to swap ----------------------------------------------------------------------------------------------

    def click_swap(self, swap: Swap) -> None:
        for cell in swap:
            self.cell(cell).click()

    def drag_swap(self, swap: Swap) -> None:
        mouse = self.page.mouse
        mouse.move(*self.middle(swap[0]))
        mouse.down()
        mouse.move(*self.middle(swap[1]), steps=4)
        mouse.up()

    def tap_swap(self, swap: Swap) -> None:
        for cell in swap:
            self.cell(cell).tap()

    def swipe_swap(self, swap: Swap) -> None:
        """A finger that is put down on the first cell and drawn to the second."""
        (x, y), (to_x, to_y) = self.middle(swap[0]), self.middle(swap[1])
        self._finger(*((x + (to_x - x) * part, y + (to_y - y) * part) for part in (0, 0.3, 0.6, 0.9)))

    def press_swap(self, swap: Swap) -> None:
        """As `tap_swap`, by somebody who rests the finger on each piece and does not hold it quite still."""
        for cell in swap:
            x, y = self.middle(cell)
            self._finger((x, y), (x + 7, y + 2), rest=0.8)

    def _finger(self, first: tuple[float, float], *others: tuple[float, float], rest: float = 0) -> None:
        session = self.page.context.new_cdp_session(self.page)

        def touch(kind: str, *points: tuple[float, float]) -> None:
            session.send(
                "Input.dispatchTouchEvent",
                {"type": kind, "touchPoints": [{"x": x, "y": y} for x, y in points]},
            )

        touch("touchStart", first)
        for point in others:
            touch("touchMove", point)
        self.page.wait_for_timeout(rest * 1000)
        touch("touchEnd")
        session.detach()

    def key_swap(self, swap: Swap) -> None:
        """Arrow keys from where the focus is, Enter, and the arrow that makes the swap."""
        keyboard = self.page.keyboard
        here = self.focused()
        for axis, (back, forth) in enumerate((("ArrowUp", "ArrowDown"), ("ArrowLeft", "ArrowRight"))):
            way = swap[0][axis] - here[axis]
            for _ in range(abs(way)):
                keyboard.press(forth if way > 0 else back)
        keyboard.press("Enter")
        keyboard.press("ArrowDown" if swap[1][0] > swap[0][0] else "ArrowRight")

    def focused(self) -> Cell:
        name = self.page.evaluate("document.activeElement.getAttribute('aria-label') ?? ''")
        match = NAME.fullmatch(name)
        assert match, f"The focus is not on the board but on {name!r}."
        return int(match[1]) - 1, int(match[2]) - 1

    # --- Moves -----------------------------------------------------------------------------------------------------

    def move(self, way: Callable[[Swap], None]) -> None:
        """One legal move, until the next may be made or the round is over."""
        left = self.left()
        way(self.legal_swaps()[0])
        expect(self.page.locator("[data-play=left] strong")).to_have_text(str(left - 1))
        if left > 1:
            self.wait_open()
        else:
            expect(self.page.get_by_role("link", name="Continue")).to_be_visible()
