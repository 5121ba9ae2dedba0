"""Pages that update by themselves can be paused, each by the same button (WCAG 2.2.2)."""

import re
from pathlib import Path

TEMPLATES = Path(__file__).resolve().parents[2] / "templates"
INCLUDED = re.compile(r'{% include "([^"]+)"')
BUTTON = "components/live.html"


def parts_of(name: str, seen: set[str]) -> set[str]:
    """A template and all that it includes."""
    seen.add(name)
    for other in INCLUDED.findall((TEMPLATES / name).read_text("utf-8")):
        if other not in seen:
            parts_of(other, seen)
    return seen


def test_every_page_that_updates_by_itself_has_the_button() -> None:
    pages = [path for path in TEMPLATES.rglob("*.html") if "js/live.js" in path.read_text("utf-8")]
    assert len(pages) > 5
    for path in pages:
        name = str(path.relative_to(TEMPLATES))
        assert BUTTON in parts_of(name, set()), f"{name} has no button that pauses it"


def test_the_button_is_made_in_one_place() -> None:
    for path in TEMPLATES.rglob("*.html"):
        if str(path.relative_to(TEMPLATES)) != BUTTON:
            assert "data-live-pause" not in path.read_text("utf-8"), path
