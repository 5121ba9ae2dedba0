"""A participant in front of a SameGame board, and studies of boards that a test needs."""

import json
import re
import subprocess
import sys
from typing import Any

from playwright.sync_api import expect

from tests.browser.conftest import Site
from tests.browser.player import PIECES, Cell, Player
from tests.engine.naive import samegame as twin
from tests.site import ROOT, site_environment

NAME = re.compile(
    r"Row (?P<row>\d+), column (?P<col>\d+), (?:empty|(?P<piece>[a-z ]+), "
    r"(?:single|group of (?P<size>\d+), (?P<worth>\d+) points?(?P<chosen>, chosen)?))"
)
MAKE_STUDY = """
import json, sys
from playtest.studies.services import study_create, study_publish
study = study_create(owner=None, document=json.loads(sys.argv[1]))
study_publish(study=study)
print(study.public_id)
"""


def level_of(*rows: str, colours: int = 4) -> dict[str, Any]:
    document = {"game": "samegame", "name": "Board", "rows": len(rows), "cols": len(rows[0]), "colours": colours}
    return {**document, "seed": 1, "board": list(rows)}


def make_study(site: Site, *levels: dict[str, Any]) -> str:
    """A study of these levels in this order, without questions, on the running site; gives its address."""
    rounds = [{"key": f"round-{n}", "level": level} for n, level in enumerate(levels)]
    return make_study_of(site, {"key": "rounds", "kind": "rounds", "title": "Rounds", "rounds": rounds})


def make_study_of(site: Site, *pages: dict[str, Any], **also: Any) -> str:
    """A study of these pages between consent and end, on the running site; gives its address. `also`: more keys."""
    document = {
        **also,
        "format": 1,
        "title": "Boards of a test",
        "pages": [
            {"key": "consent", "kind": "consent", "title": "Before", "text": "Take part?", "agree": "Yes."},
            *pages,
            {"key": "end", "kind": "end", "title": "Thanks"},
        ],
    }
    setup = "import django; django.setup()"
    done = subprocess.run(
        [sys.executable, "-c", f"{setup}\n{MAKE_STUDY}", json.dumps(document)],
        cwd=ROOT,
        env={**site_environment(site.running.var), "DJANGO_SETTINGS_MODULE": "playtest.settings"},
        capture_output=True,
        text=True,
        check=True,
    )
    return f"{site.url}/s/{done.stdout.split()[-1]}/"


class SameGamePlayer(Player):
    """Plays SameGame on one page. Which cells hang together it works out itself, by the plain twin."""

    def begin(self, study_url: str) -> "SameGamePlayer":
        page = self.page
        page.goto(study_url)
        page.get_by_role("button", name="Begin").click()
        page.get_by_role("button", name="I agree").click()
        self.wait_open()
        return self

    def names(self) -> dict[Cell, re.Match[str]]:
        """What each cell is called."""
        buttons = self.page.get_by_role("grid").get_by_role("button")
        found = {}
        for name in buttons.evaluate_all("cells => cells.map(cell => cell.getAttribute('aria-label'))"):
            match = NAME.fullmatch(name)
            assert match, name
            found[int(match["row"]) - 1, int(match["col"]) - 1] = match
        return found

    def board(self) -> list[str]:
        names = self.names()
        letters = {**PIECES, None: "."}
        rows, cols = (max(cell[axis] for cell in names) + 1 for axis in (0, 1))
        return ["".join(letters[names[row, col]["piece"]] for col in range(cols)) for row in range(rows)]

    def groups(self) -> list[twin.Group]:
        """The largest first."""
        return sorted(twin.groups(twin.board_of(self.board())), key=lambda group: (-len(group), sorted(group)))

    def single(self) -> Cell:
        """A piece that is in no group."""
        grouped = set().union(*self.groups())
        return next(cell for cell, name in self.names().items() if name["piece"] and cell not in grouped)

    def preview(self) -> str:
        return self.page.locator("[data-play=preview]").inner_text()

    def focused(self) -> Cell:
        name = self.page.evaluate("document.activeElement.getAttribute('aria-label') ?? ''")
        match = NAME.fullmatch(name)
        assert match, f"The focus is not on the board but on {name!r}."
        return int(match["row"]) - 1, int(match["col"]) - 1

    # --- Ways to remove a group ------------------------------------------------------------------------------------

    def click_group(self, cell: Cell) -> None:
        self.page.mouse.move(*self.middle(cell))
        self.page.mouse.down()
        self.page.mouse.up()

    def tap_group(self, cell: Cell) -> None:
        for _ in range(2):
            self.page.touchscreen.tap(*self.middle(cell))

    def key_group(self, cell: Cell) -> None:
        here = self.focused()
        for axis, (back, forth) in enumerate((("ArrowUp", "ArrowDown"), ("ArrowLeft", "ArrowRight"))):
            way = cell[axis] - here[axis]
            for _ in range(abs(way)):
                self.page.keyboard.press(forth if way > 0 else back)
        self.page.keyboard.press("Enter")

    def remove(self, way: Any, cell: Cell) -> int:
        """Remove the group of a cell in that way; the points that it brought, those of the end included."""
        play = twin.Play(twin.board_of(self.board()))
        before = self.score()
        gained = play.remove(cell)
        way(cell)
        left = len(twin.groups(play.board))
        expect(self.page.locator("[data-play=left] strong")).to_have_text(str(left))
        if left:
            self.wait_open()
        else:
            expect(self.page.get_by_role("link", name="Continue")).to_be_visible()
        assert self.board() == twin.rows_of(play.board)
        assert self.score() == before + gained
        return gained
