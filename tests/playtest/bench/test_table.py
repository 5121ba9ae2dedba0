"""The table of the performance page: what is written, and that nothing else of the page changes."""

from pathlib import Path

import pytest

from playtest.bench.figures import Figure, machine
from playtest.bench.table import BEGIN, END, write_table
from tests.playtest.commands import ROOT, refused

pytestmark = pytest.mark.embedded

FIGURES = [
    Figure("match3", "random play, 7 x 7", "moves/s", 15_694_321.0, {"ns_a_move": 63.7}, [1.5, 2.0, 3.0]),
    Figure("search", "open loop, UCB1", "us/iteration", 1.06254, {}, [4.26, 2.0, 3.0]),
]


def test_table_takes_the_place_between_the_marks_and_says_where_it_was_measured(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"# Before\n\n{BEGIN}\nold\n{END}\n\nAfter\n")
    for _ in range(2):
        write_table(page, FIGURES, commit="0123456789abcdef")
    before, rest = page.read_text().split(BEGIN)
    table, after = rest.split(END)
    assert (before, after) == ("# Before\n\n", "\n\nAfter\n")
    assert "old" not in table
    assert "| match3 | random play, 7 x 7 (63.7 ns a move) | 15,690,000 | moves/s |\n" in table
    assert "| search | open loop, UCB1 | 1.063 | us/iteration |\n" in table
    assert "commit 0123456789ab, load average 1.5 to 4.3 while measuring." in table
    assert all(str(machine()[name]) in table for name in ("processor", "python", "numba", "numpy", "path"))


def test_page_without_marks_is_refused_before_anything_is_measured(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    for text in ("nothing", BEGIN, f"{END} {BEGIN}"):
        page.write_text(text)
        assert "has no place for the table" in refused("bench", "--write", page)
        assert page.read_text() == text


def test_performance_page_has_the_place() -> None:
    text = (ROOT / "docs" / "performance.md").read_text(encoding="utf-8")
    assert text.count(BEGIN) == text.count(END) == 1
    assert text.index(BEGIN) < text.index(END)
